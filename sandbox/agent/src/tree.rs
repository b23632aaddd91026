//! The processes of the container, all of which are descendants of this one or adopted by it.
//!
//! Must never leave one behind, alive or dead.

use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::time::ClockId;
use nix::unistd::Pid;

/// How the interpreter ended.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

/// Takes up who has ended; how the process `interpreter` did, if it is among them.
pub(crate) fn reap(interpreter: u32) -> Option<Exit> {
    walk(interpreter, Some(WaitPidFlag::WNOHANG))
}

/// Kills everyone and waits until they are gone; how the process `interpreter` ended, if it had
/// not been reaped before.
pub(crate) fn fell(interpreter: u32) -> Option<Exit> {
    // PID 1 is spared. A process that forks while this goes on is met the next time.
    let mut exit = None;
    loop {
        if kill(Pid::from_raw(-1), Signal::SIGKILL) == Err(Errno::ESRCH) {
            return exit.or(walk(interpreter, None));
        }
        exit = exit.or(reap(interpreter));
    }
}

/// CPU time that a process has used until now, in milliseconds; 0 where the kernel does not say.
///
/// By the process's clock: what `/proc` counts is zero under gVisor.
pub(crate) fn cpu_ms_of(process: u32) -> u64 {
    let process = i32::try_from(process).map_or(Pid::this(), Pid::from_raw);
    let spent = ClockId::pid_cpu_clock_id(process).and_then(ClockId::now);
    spent.map_or(0, |spent| u64::try_from(spent.num_milliseconds()).unwrap_or(0))
}

/// CPU time of all that were taken up, in milliseconds.
pub(crate) fn cpu_ms() -> u64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return 0 };
    let spent = usage.user_time() + usage.system_time();
    u64::try_from(spent.num_milliseconds()).unwrap_or(0)
}

fn walk(interpreter: u32, how: Option<WaitPidFlag>) -> Option<Exit> {
    let mut exit = None;
    loop {
        let (pid, end) = match waitpid(None, how) {
            Ok(WaitStatus::Exited(pid, code)) => (pid, Exit::Code(code)),
            Ok(WaitStatus::Signaled(pid, signal, _)) => (pid, Exit::Signal(signal as i32)),
            Err(Errno::EINTR) => continue,
            Ok(WaitStatus::StillAlive) | Err(_) => return exit,
            Ok(_) => continue,
        };
        if u32::try_from(pid.as_raw()) == Ok(interpreter) {
            exit = Some(end);
        }
    }
}
