//! Engines that are not who they should be, and engines that take Regate for nobody.

use super::port::{Port, host};
use crate::certificates::Authority;
use crate::dockerd::Dockerd;
use crate::failing_closed::HARMLESS;
use crate::served::{Served, With, regate};
use std::path::Path;

/// The log of a gateway in front of one engine that runs nothing.
async fn log_of(endpoint: &str, certificates: &Path) -> String {
    let host = host("far", endpoint, Some(certificates));
    // A busy machine has all its time.
    let settings = format!("[sandbox]\nengine_ms_max = 60000\n{host}");
    let served = Served::start(&With { settings: &settings, ..With::default() });
    let reply = served.call(HARMLESS).await;
    assert_eq!((&reply["decision"], &reply["cause"]), (&"denied".into(), &"sandbox".into()));
    assert!(served.get("/readyz").await.contains("\"ready\":false"));
    let log = served.log();
    assert!(!log.contains("PRIVATE KEY"));
    log
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_shows_the_right_certificate_is_spoken_to() {
    let (ours, theirs) = (Authority::new("ours"), Authority::new("theirs"));
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [good, unknown, trusting] = folders.each_ref().map(tempfile::TempDir::path);
    ours.issue(&["gateway"], good);
    // One that the engine does not know, and one that does not know the engine.
    theirs.issue(&["gateway"], unknown);
    std::fs::copy(good.join("ca.pem"), unknown.join("ca.pem")).unwrap();
    ours.issue(&["gateway"], trusting);
    let other = tempfile::tempdir().unwrap();
    theirs.issue(&["gateway"], other.path());
    std::fs::copy(other.path().join("ca.pem"), trusting.join("ca.pem")).unwrap();

    let port = Port::new(&ours);
    let [right, misnamed] = port.endpoints();
    let _dockerd = Dockerd::with(Some(port));

    let log = log_of(&right, good).await;
    assert!(log.contains("No such image"), "{log}");
    let log = log_of(&right, unknown).await;
    assert!(log.contains("received fatal alert"), "{log}");
    let log = log_of(&right, trusting).await;
    assert!(log.contains("invalid peer certificate: UnknownIssuer"), "{log}");
    let log = log_of(&misnamed, good).await;
    assert!(log.contains("invalid peer certificate: certificate not valid for name"), "{log}");
}

/// What `regate config check` says of settings that it refuses.
fn refusal(settings: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("regate.toml");
    std::fs::write(&file, settings).unwrap();
    let checked = regate().args(["config", "check"]).arg(&file).output().unwrap();
    assert!(!checked.status.success());
    String::from_utf8(checked.stderr).unwrap()
}

#[test]
fn an_engine_that_cannot_be_meant_is_refused_before_anything_is_served() {
    let far = "tcp://docker.example.com:2376";
    let refused = refusal(&host("far", far, None));
    assert!(refused.contains("without TLS"), "{refused}");
    let refused = refusal(&format!("[sandbox]\ndocker = '{far}'\n"));
    assert!(refused.contains("without TLS"), "{refused}");

    let folder = tempfile::tempdir().unwrap();
    Authority::new("ours").issue(&["gateway"], folder.path());
    for file in ["ca.pem", "cert.pem", "key.pem"] {
        let path = folder.path().join(file);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, "").unwrap();
        let refused = refusal(&host("far", far, Some(folder.path())));
        assert!(refused.contains(file) && refused.contains("can be read"), "{refused}");
        std::fs::remove_file(&path).unwrap();
        let refused = refusal(&host("far", far, Some(folder.path())));
        assert!(refused.contains(file) && refused.contains("No such file"), "{refused}");
        std::fs::write(&path, whole).unwrap();
    }
}
