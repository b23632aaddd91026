//! A namespace of processes for the program, under a kernel that lets whoever is in the agent's
//! stop PID 1, kill it, and take its files away by a limit.
//!
//! Must never be left out where it was asked for: what cannot be set apart runs no program.

use crate::tree;
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Gid, Uid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities,
};
use std::fs::write;
use std::io::Result;
use std::process::{Command, Stdio};

/// The argument that asks for one.
pub(crate) const APART: &str = "--apart";

/// The argument by which the agent's own program adopts instead.
pub(crate) const ADOPT: &str = "--adopt";

/// The number of no process.
const NOBODY: u32 = 0;

/// Whom this process starts from here on, it starts in a namespace of their own. Its PID 1 is
/// this program again, which adopts; when that is killed, all in it are.
pub(crate) fn set_apart() -> Result<()> {
    let (user, group) = (Uid::current(), Gid::current());
    // In a user namespace, since only who is root may make one of processes. Nobody is in it but
    // the user, who is as little as outside.
    unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID)?;
    write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    give_up_rights()?;
    Command::new(std::env::current_exe()?)
        .arg(ADOPT)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(drop)
}

/// Whoever makes a user namespace may do anything in it.
fn give_up_rights() -> Result<()> {
    for capability in CapabilitySet::all() {
        match remove_capability_from_bounding_set(capability) {
            // One that this kernel does not know.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// Takes up those in its namespace that end with nobody else to do so, until it is killed.
pub(crate) fn adopt() -> Result<()> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGCHLD);
    signals.thread_block()?;
    loop {
        // The interpreter is the agent's to take up.
        tree::reap(NOBODY);
        signals.wait()?;
    }
}
