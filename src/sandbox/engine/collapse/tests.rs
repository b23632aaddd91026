use super::Collapse;
use bollard::models::ContainerInspectResponse;
use serde_json::json;

#[test]
fn what_the_engine_says_of_a_container_tells_how_it_ended() {
    let (memory, kernel, agent) = (Collapse::Memory, Collapse::Kernel, Collapse::Agent);
    let cases = [
        // The engine's word that it was memory, which may come before the end.
        ("runc", false, true, 137, Some(memory)),
        ("runc", true, true, 0, Some(memory)),
        ("runsc", false, true, 137, Some(memory)),
        // It still runs.
        ("runc", true, false, 0, None),
        ("runsc", true, false, 0, None),
        // Killed: by anybody under the host's kernel, by the host alone under another.
        ("runc", false, false, 137, Some(agent)),
        ("runsc", false, false, 137, Some(memory)),
        // As gVisor gives up.
        ("runc", false, false, 2, Some(agent)),
        ("runsc", false, false, 2, Some(kernel)),
        // As an agent ends.
        ("runsc", false, false, 0, Some(agent)),
        ("runsc", false, false, 1, Some(agent)),
    ];
    for (runtime, running, starved, code, expected) in cases {
        let container = json!({
            "HostConfig": {"Runtime": runtime},
            "State": {"Running": running, "OOMKilled": starved, "ExitCode": code},
        });
        let container: ContainerInspectResponse = serde_json::from_value(container).unwrap();
        assert_eq!(Collapse::of(&container), expected, "{runtime} {running} {starved} {code}");
    }
    assert_eq!(Collapse::of(&ContainerInspectResponse::default()), None);
}
