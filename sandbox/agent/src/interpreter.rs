//! The interpreter, which waits for its program.
//!
//! Must never hand it any of the agent's own streams.

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

const PYTHON: &str = "python3";
/// As `python3 -` would be started: no folder of the program's is searched for modules, nothing
/// is compiled to disk, texts are UTF-8.
const OPTIONS: [&str; 4] = ["-I", "-B", "-X", "utf8"];
/// What waits for the program and then becomes it. Beside the agent in the image.
const RUNNER: &str = "/usr/libexec/regate/runner.py";

/// The interpreter's process and our ends of its streams.
pub(crate) struct Interpreter {
    child: Child,
    /// Where it takes its program from; nothing once that is handed over.
    pub(crate) source: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    /// Where it says that it is ready.
    pub(crate) report: Option<File>,
}

impl Interpreter {
    pub(crate) fn start(modules: &[String]) -> Result<Self> {
        // Not closed when a program is started: this is how the interpreter gets it.
        // A socket, since under gVisor any process of the container could open the end of a pipe
        // by way of /proc, and hear what the agent is told.
        let (report, told) =
            socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::empty())?;
        close_on_exec(&report)?;
        let mut child = Command::new(PYTHON)
            .args(OPTIONS)
            .arg(RUNNER)
            .arg(told.as_raw_fd().to_string())
            .args(modules)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (source, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        for stream in [source.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd)] {
            unblock(stream.ok_or(ErrorKind::BrokenPipe)?)?;
        }
        unblock(stderr.as_ref().ok_or(ErrorKind::BrokenPipe)?)?;
        unblock(&report)?;
        Ok(Self { child, source, stdout, stderr, report: Some(File::from(report)) })
    }

    /// Its number in the container.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

fn close_on_exec(stream: &OwnedFd) -> Result<()> {
    fcntl(stream, FcntlArg::F_SETFD(nix::fcntl::FdFlag::FD_CLOEXEC))?;
    Ok(())
}

/// Reading or writing answers at once from here on.
pub(crate) fn unblock(stream: impl AsFd) -> Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(&stream, FcntlArg::F_GETFL)?);
    fcntl(&stream, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK)).map_err(Error::from)?;
    Ok(())
}
