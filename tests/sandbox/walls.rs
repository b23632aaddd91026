//! What a program must not reach, and what it may.

use super::bench::{Bench, program};
use regate::sandbox::{End, Run};
use std::io::ErrorKind;
use std::net::TcpListener;

/// The lines of a program that ended well.
fn lines(run: &Run) -> Vec<&str> {
    assert_eq!((run.end, &*run.stderr), (End::Exited(0), ""));
    run.stdout.lines().collect()
}

#[tokio::test]
async fn no_network_but_its_own_loopback() {
    // On every address of the host, loopback included.
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = format!("PORT = {}", listener.local_addr().unwrap().port());
    let program = program!("walls/network");
    assert!(program.contains("PORT = 9"));
    let bench = Bench::new();
    let run = bench.run(&program.replace("PORT = 9", &port)).await;
    let expected = [
        "dns no address",
        "host by loopback ECONNREFUSED",
        "host by loopback 6 ECONNREFUSED",
        "host by bridge ENETUNREACH",
        "link-local ENETUNREACH",
        "link-local datagram ENETUNREACH",
        "public ENETUNREACH",
        "vsock EPERM",
        "raw EPERM",
        "packet EPERM",
        "sctp EPERM",
        "kernel crypto EPERM",
        "interfaces ['lo']",
    ];
    assert_eq!(lines(&run), expected);
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    let twin = bench.run(program!("walls/network_twin")).await;
    let expected = ["loopback b'INSIDE'", "path b'INSIDE'", "pair b'inside'"];
    assert_eq!(lines(&twin), expected);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn no_file_but_in_its_own_folders_and_none_to_start() {
    let bench = Bench::new();
    let run = bench.run(program!("walls/files")).await;
    let expected = [
        "/new EROFS",
        "/etc/passwd EROFS",
        "/usr/bin/new EROFS",
        "/root/new EACCES",
        "/var/tmp/new EROFS",
        "/run/new EROFS",
        "start from /workspace EACCES",
        "start from /tmp EACCES",
        "start from /dev/shm EACCES",
        "device EPERM",
        "disk ENOENT",
        "docker ENOENT",
        "memory ENOENT",
    ];
    assert_eq!(lines(&run), expected);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn nobody_without_capabilities_and_no_way_to_become_another() {
    let bench = Bench::new();
    let run = bench.run(program!("walls/identity")).await;
    let expected = [
        "ids (65534, 65534, 65534) (65534, 65534, 65534) [65534]",
        "CapInh: 0000000000000000",
        "CapPrm: 0000000000000000",
        "CapEff: 0000000000000000",
        "CapBnd: 0000000000000000",
        "CapAmb: 0000000000000000",
        "NoNewPrivs: 1",
        "Seccomp: 2",
        "setuid -1 Operation not permitted",
        "environment ['HOME', 'HOSTNAME', 'LANG', 'MPLBACKEND', 'MPLCONFIGDIR', \
         'OPENBLAS_NUM_THREADS', 'PATH']",
        "setuid programs []",
    ];
    assert_eq!(lines(&run), expected);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn the_kernel_tells_nothing_of_its_host() {
    let bench = Bench::new();
    let run = bench.run(program!("walls/proc")).await;
    // Which of these a host has differs; what they say must not.
    let nothing = ["b''", "[]", "ENOENT", "EACCES", "EROFS"];
    let lines_told = lines(&run);
    assert_eq!(lines_told.len(), 15);
    for line in lines_told {
        assert!(nothing.iter().any(|end| line.ends_with(end)), "{line}");
    }
    let twin = bench.run(program!("walls/proc_twin")).await;
    assert_eq!(lines(&twin), ["Name:", "True"]);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn system_calls_that_are_not_listed_are_refused_and_kill_nothing() {
    let bench = Bench::new();
    let run = bench.run(program!("walls/system_calls")).await;
    let answers = lines(&run);
    // So that libc falls back: it tries the first for every thread, the second is any new one.
    assert!(answers.ends_with(&["clone3 ENOSYS", "none such ENOSYS"]));
    for answer in answers.iter().rev().skip(2) {
        assert!(answer.ends_with(" EPERM"), "{answer}");
    }
    assert_eq!(answers.len(), 19);
    let twin = bench.run(program!("walls/system_calls_twin")).await;
    let expected = [
        "threads 8",
        "pool [0, 1, 4, 9]",
        "executor [0, 1, 4, 9]",
        "asyncio [1, 9]",
        "sqlite (6,)",
        "subprocess b'x\\n'",
        "temporary /tmp",
        "pipe True",
    ];
    assert_eq!(lines(&twin), expected);
    bench.leaves_nothing().await;
}

#[tokio::test]
async fn a_program_finds_nothing_of_the_one_before() {
    let bench = Bench::new();
    assert_eq!(lines(&bench.run(program!("walls/traces")).await), [""; 0]);
    let run = bench.run(program!("walls/traces_twin")).await;
    let expected = ["/workspace []", "/tmp []", "/dev/shm []", "processes 2"];
    assert_eq!(lines(&run), expected);
    bench.leaves_nothing().await;
}
