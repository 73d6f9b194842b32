//! The state of the threads' places, which `resources` changes.

use crate::machine::topology::{self, TopologyError};
use crate::threads::placement::Placement;

/// The threads' places as last requested, and the nodes of the machine.
pub(super) struct Places {
    pub(super) placement: Placement,
    /// Reason why the nodes of the machine are not known.
    pub(super) error: Option<TopologyError>,
}

impl Places {
    /// Reads the nodes of the machine.
    pub(super) fn new() -> Self {
        let (machine, error) = match topology::nodes() {
            Ok(nodes) => (nodes.into_iter().map(|node| node.cpus).collect(), None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Self { placement: Placement { machine, ..Placement::default() }, error }
    }
}
