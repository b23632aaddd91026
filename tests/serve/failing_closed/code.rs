//! Code that cannot be read, and facts that cannot be kept.

use super::{HARMLESS, assert_denied};
use crate::served::{Served, With};

#[tokio::test]
async fn a_source_that_is_too_large_too_deep_or_unreadable_is_denied_for_its_coverage() {
    let mut served = Served::start(&With::default());
    let large = "x = 1\n".repeat(200_000);
    let deep = format!("x = {}1{}\n", "(".repeat(200), ")".repeat(200));
    for source in [large.as_str(), deep.as_str(), "def f(:\n"] {
        let replies = served.both("run_python", source).await;
        for reply in &replies {
            assert_eq!(reply["coverage_complete"], false, "{reply}");
        }
        assert_denied(&mut served, &replies, "coverage").await;
    }
    assert_eq!(served.metric("regate_facts_coverage_total", &["complete=\"false\""]).await, 6.0);
    assert_eq!(served.call(HARMLESS).await["result"]["stdout"], "1\n");
}

/// A cache that takes nothing, and one that is full after a few programs.
#[tokio::test(flavor = "multi_thread")]
async fn facts_that_are_not_kept_are_computed_again() {
    for bytes_max in [0, 40_000] {
        let settings = format!("[facts]\ncache_bytes_max = {bytes_max}\n");
        let served = Served::start(&With { settings: &settings, ..With::default() });
        for _ in 0..3 {
            for number in 0..20 {
                let permitted = served.decide(&format!("print({number})")).await;
                assert_eq!(permitted["decision"], "permitted", "{permitted}");
                let spawns = format!("import subprocess\nsubprocess.run(['{number}'])");
                let denied = served.decide(&spawns).await;
                assert_eq!(denied["cause"], "rule", "{denied}");
                assert!(denied["findings"].to_string().contains("process/spawn"), "{denied}");
            }
        }
    }
}
