//! How the program ends when it is told to.

use crate::served::{Served, With};
use crate::unsent::send_head;
use std::time::Duration;

/// Far longer than any test takes: what ends sooner was not waited for.
const PATIENT: &str = "[gateway]\nbody_ms_max = 600000\nshutdown_ms_max = 600000\n";

#[test]
fn one_signal_waits_for_messages_under_way_and_a_second_does_not() {
    let mut served = Served::start(&With { settings: PATIENT, ..With::default() });
    let _stream = send_head(&served, "any", "POST /v1/calls");
    served.signal("TERM");
    while !served.log().contains("stopping") {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(served.is_up());
    served.signal("TERM");
    assert_eq!(served.exit_code(), Some(2));
    assert!(served.log().contains("stopped at once"), "{}", served.log());
}

#[test]
fn one_signal_is_enough_where_nothing_is_under_way() {
    let mut served = Served::start(&With { settings: PATIENT, ..With::default() });
    served.signal("INT");
    assert_eq!(served.exit_code(), Some(0));
}
