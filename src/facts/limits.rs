//! Where reading stops.

/// The caps of one extraction. Reaching one is a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source.
    pub source_bytes_max: u32,
    /// Nodes of the syntax tree.
    pub nodes_max: u32,
    /// Depth of the syntax tree.
    pub depth_max: u32,
    /// Facts in all.
    pub facts_max: u32,
    /// Parser progress steps before parsing is cancelled: a bound on time that no clock is
    /// needed for. A source takes about one step for every 20 nodes of its tree.
    pub parse_steps_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            source_bytes_max: 1 << 20,
            nodes_max: 400_000,
            depth_max: 100,
            facts_max: 20_000,
            parse_steps_max: 25_000,
        }
    }
}
