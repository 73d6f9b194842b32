//! Execution settings of a match, which do not affect the measured quantity.
//!
//! A resumed run may change all of them, so none is part of the run's identity.

use std::num::{NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::match_config::MatchConfig;
use crate::run::Manifest;
use crate::run::shard::Shard;

/// Whether each game is pinned to cores of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Affinity {
    /// The system schedules.
    #[default]
    Off,
    /// Each game gets as many whole cores as it has threads.
    Auto,
}

/// Execution settings given on the command line, which take precedence over the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecutionArgs {
    /// Games played at once.
    pub concurrency: Option<NonZeroUsize>,
    /// The part of the match to play.
    pub shard: Shard,
    /// Whether a wrong PV stops the run.
    pub strict_pv: bool,
}

/// The execution of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the configuration")]
pub struct Execution {
    /// Games played at once. Range: at least 1.
    pub concurrency: usize,
    /// Whether each game is pinned to cores of its own.
    pub affinity: Affinity,
    /// The part of the match that is played.
    pub shard: Shard,
    /// Whether the complete UCI dialogues are kept in logs/.
    pub logs: bool,
    /// Whether the final positions are written to final.epd.
    pub epd: bool,
    /// Games lost by crashes, hangs or illegal moves of one engine that stop the run.
    pub max_faults: Option<NonZeroU64>,
    /// Whether a wrong PV stops the run.
    pub strict_pv: bool,
    /// Whether mate scores are compared with their PVs.
    pub check_mate_pvs: bool,
}

impl Execution {
    /// Returns the execution of a match with nothing configured except the number of games at once.
    pub fn with_concurrency(concurrency: usize) -> Self {
        Self {
            concurrency,
            affinity: Affinity::Off,
            shard: Shard::default(),
            logs: false,
            epd: false,
            max_faults: None,
            strict_pv: false,
            check_mate_pvs: true,
        }
    }

    /// Returns the execution settings recorded in the manifest of a stored run, for its report.
    pub(crate) fn recorded(manifest: &Manifest) -> Self {
        Self { shard: manifest.shard, ..Self::with_concurrency(manifest.host.concurrency) }
    }

    /// Returns the maximum number of pairs played here; `None` is unlimited.
    pub fn own_pairs(&self, config: &MatchConfig) -> Option<u64> {
        let rounds = config.max_rounds().map(|rounds| self.shard.part_of(rounds));
        rounds.map(|rounds| rounds.saturating_mul(config.pairings.count()))
    }
}
