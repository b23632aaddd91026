use super::*;

/// As GitHub reads its workflow commands: nothing of a stranger ends a property or a line.
#[test]
fn a_workflow_command_is_one_line_with_its_own_fields() {
    assert_eq!(property("a:b,c%d\n::error::x"), "a%3Ab%2Cc%25d%0A%3A%3Aerror%3A%3Ax");
    assert_eq!(data("a, b: 100%\r\n\x1b"), "a, b: 100%25%0D%0A␛");
}
