//! What the games of a run need besides their configuration.

use std::sync::Arc;

use super::Outputs;
use crate::base::cancel::Cancel;
use crate::base::cpus::CpuSet;
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::uci::Launcher;

/// Openings, tables and processors of the games.
#[derive(Clone, Debug)]
pub(crate) struct Equipment {
    /// The openings. Each match begins with the one that its own configuration has as `start`.
    pub book: OpeningBook,
    /// Starts the engines.
    pub launcher: Launcher,
    /// Endgame tables that decide games.
    pub tables: Option<Arc<Tables>>,
    /// The processors of each game at once; empty where games run anywhere.
    pub cpu_sets: Vec<CpuSet>,
    /// Outputs besides the run folder.
    pub outputs: Arc<Outputs>,
    /// The stop request of the run.
    pub cancel: Cancel,
}
