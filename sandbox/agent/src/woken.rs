//! What woke the agent.

/// Notes what a stream has waited for.
pub(crate) type Note = fn(&mut Woken);

/// What woke the agent.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Woken {
    pub(crate) control: bool,
    pub(crate) outbox: bool,
    pub(crate) children: bool,
    pub(crate) report: bool,
    pub(crate) source: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) events: bool,
}
