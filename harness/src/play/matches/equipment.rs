//! Resources of a match: openings, engine launcher, endgame tables, options and processors.

use std::sync::Arc;

use super::OptionSource;
use crate::base::cpus::CpuSet;
use crate::play::openings::OpeningBook;
use crate::play::referee::Tables;
use crate::uci::Launcher;

/// The resources with which a match is played.
#[derive(Debug)]
pub struct Equipment {
    /// The openings of the games.
    pub book: OpeningBook,
    /// Starts the engines.
    pub launcher: Launcher,
    /// Endgame tables that adjudicate games.
    pub tables: Option<Arc<Tables>>,
    /// The options of each pair, if they differ from pair to pair.
    pub option_source: Option<Arc<dyn OptionSource>>,
    /// The processors of each concurrent game; empty if games are not pinned.
    pub cpu_sets: Vec<CpuSet>,
}
