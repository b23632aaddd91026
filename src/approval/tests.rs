//! Who may answer whom.

use super::{Barred, Settings, may_answer};
use crate::call::{Authentication, Subject, Text};

fn subject(id: &str, roles: &[&str], authentication: Authentication) -> Subject {
    let roles = roles.iter().map(|role| Text::from(*role)).collect();
    Subject { id: id.into(), tenant: "acme".into(), roles, authentication }
}

#[test]
fn who_has_the_role_and_does_not_ask_may_answer() {
    use Authentication::{ApiKey, Operator};
    let security = [Text::from("security")];
    let nobody: [Text; 0] = [];
    let cases = [
        (subject("eve", &["security"], ApiKey), &security[..], Ok(())),
        (subject("eve", &["finance", "security"], ApiKey), &security, Ok(())),
        (subject("eve", &["approver"], ApiKey), &security, Err(Barred::Role)),
        (subject("eve", &["approver"], ApiKey), &nobody, Ok(())),
        (subject("eve", &["security"], ApiKey), &nobody, Err(Barred::Role)),
        (subject("agent", &["security"], ApiKey), &security, Err(Barred::Requester)),
        (subject("agent", &[], Operator), &security, Ok(())),
    ];
    for (who, approvers, expected) in cases {
        let answered = may_answer(&who, &"agent".into(), approvers, &Settings::default());
        assert_eq!(answered, expected, "{who:?}");
    }
}
