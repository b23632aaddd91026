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
    let cases: [(&str, &[&str], Authentication, &[Text], Result<(), Barred>); 7] = [
        ("eve", &["security"], ApiKey, &security, Ok(())),
        ("eve", &["finance", "security"], ApiKey, &security, Ok(())),
        ("eve", &["approver"], ApiKey, &security, Err(Barred::Role)),
        ("eve", &["approver"], ApiKey, &[], Ok(())),
        ("eve", &["security"], ApiKey, &[], Err(Barred::Role)),
        ("agent", &["security"], ApiKey, &security, Err(Barred::Requester)),
        ("agent", &[], Operator, &security, Ok(())),
    ];
    for (id, roles, authentication, approvers, expected) in cases {
        let who = subject(id, roles, authentication);
        let answered = may_answer(&who, &"agent".into(), approvers, &Settings::default());
        assert_eq!(answered, expected, "{id} {roles:?}");
    }
}
