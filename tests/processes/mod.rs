//! Processes as this host sees them, those in containers among them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test ends where what it needs is missing"
)]

use std::time::Duration;

/// How many processes of this host have a name. A program's processes have it too, seen from
/// outside.
pub(crate) async fn processes_named(name: &str) -> usize {
    let mut processes = tokio::fs::read_dir("/proc").await.unwrap();
    let mut count = 0;
    while let Some(process) = processes.next_entry().await.unwrap() {
        let comm = tokio::fs::read_to_string(process.path().join("comm")).await;
        if comm.is_ok_and(|comm| comm.trim_end() == name) {
            count += 1;
        }
    }
    count
}

/// Waits until so many processes have a name. Fails where that takes minutes.
pub(crate) async fn await_processes(name: &str, count: usize) {
    for _ in 0..1200 {
        if processes_named(name).await == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("there never were {count} processes named {name}");
}
