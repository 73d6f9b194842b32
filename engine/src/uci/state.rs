//! The state of a session that options change: the engine, and how the session prints.

use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::format::Dialect;
use super::output::Output;
use crate::book::BookError;
use crate::engine::{Configuration, Engine, StartError};
use crate::eval::network::{Fault, Network, NetworkError};
use crate::eval::{EvalType, Evaluation};
use crate::memory::OutOfMemory;
use crate::search::events::Event;
use crate::strength::{self, Strength};
use crate::sync::Mutex;
use crate::threads::numa::NumaPolicyError;
use crate::threads::pinning::PinningError;
use crate::threads::pool::PoolError;
use crate::tt::AllocationError;
use crate::types::seed_or_random;

/// The value of `EvalFile` that selects the embedded network.
pub(super) const EMBEDDED: &str = "<embedded>";

/// The state of a session that options change.
pub(super) struct SessionState {
    pub(super) engine: Engine,
    /// The text format of search events, shared with the engine's sink.
    pub(super) dialect: Arc<Mutex<Dialect>>,
    /// The network that `EvalType network` selects: the last one loaded.
    pub(super) network: Option<Arc<Network>>,
    pub(super) strength: StrengthOptions,
    pub(super) output: Output,
}

/// The options for playing below full strength.
#[derive(Clone, Debug)]
pub(super) struct StrengthOptions {
    pub(super) is_limited: bool,
    /// The rating. Units: Elo.
    pub(super) elo: u32,
    /// The seed of the random choices; 0 for a new random one in each search.
    pub(super) seed: u64,
}

impl Default for StrengthOptions {
    fn default() -> Self {
        Self { is_limited: false, elo: strength::STRONGEST, seed: 0 }
    }
}

/// Reason why a valid value of an option could not be applied.
#[derive(Debug, Error)]
pub(super) enum SettingError {
    /// The hash table could not be allocated.
    #[error(transparent)]
    Hash(#[from] AllocationError),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] PoolError),
    /// The cores are not a valid list.
    #[error(transparent)]
    Affinity(#[from] PinningError),
    /// The processors of the nodes are not valid lists.
    #[error(transparent)]
    Numa(#[from] NumaPolicyError),
    /// The opening book could not be loaded.
    #[error("{0}; the previous book, if any, stays in use")]
    Book(#[from] BookError),
    /// There is no network to evaluate with.
    #[error("no network is loaded; load one with EvalFile")]
    NoNetwork,
    /// The embedded network is invalid.
    #[error("the embedded network cannot be used: {0}")]
    Embedded(#[from] Fault),
    /// The network could not be loaded.
    #[error("{0}; the evaluation is unchanged")]
    Network(#[from] NetworkError),
    /// There is no memory for the network's accumulators.
    #[error("cannot use the network: {0}")]
    Memory(#[from] OutOfMemory),
    /// The log file could not be opened.
    #[error("cannot open {path}: {error}")]
    Log {
        /// The path as sent.
        path: String,
        error: std::io::Error,
    },
}

impl SessionState {
    /// Creates the state of a new session. The embedded endgame tables are on, as `EmbeddedTables`
    /// declares.
    pub(super) fn new(output: Output, dialect: Dialect) -> Result<Self, StartError> {
        let dialect = Arc::new(Mutex::new(dialect));
        let (sink_output, sink_dialect) = (output.clone(), Arc::clone(&dialect));
        let sink = move |event: &Event| {
            let dialect = *sink_dialect.lock();
            sink_output.line(&dialect.event(event));
        };
        let mut engine = Engine::new(Arc::new(sink))?;
        engine.configure(|configuration| configuration.tables.usage.has_embedded = true)?;
        let embedded = Network::embedded();
        if let Err(fault) = &embedded {
            output.note(&format!("the embedded network cannot be used: {fault}; load one with EvalFile"));
        }
        let strength = StrengthOptions::default();
        Ok(Self { engine, dialect, network: embedded.ok(), strength, output })
    }

    /// Changes the settings of the next search.
    pub(super) fn configure(&mut self, change: impl FnOnce(&mut Configuration)) -> Result<(), SettingError> {
        Ok(self.engine.configure(change)?)
    }

    /// Changes the options for playing below full strength.
    pub(super) fn limit_strength(
        &mut self,
        change: impl FnOnce(&mut StrengthOptions),
    ) -> Result<(), SettingError> {
        change(&mut self.strength);
        let StrengthOptions { is_limited, elo, seed } = self.strength;
        let strength = is_limited.then(|| Strength { elo, seed: seed_or_random(seed) });
        self.configure(|configuration| configuration.strength = strength)
    }

    /// Draws a new seed for the errors below full strength, unless the user has set one. Otherwise a
    /// position would get the same move each time.
    pub(super) fn renew_strength_seed(&mut self) {
        if !self.strength.is_limited || self.strength.seed != 0 {
            return;
        }
        if let Err(error) = self.limit_strength(|_| {}) {
            self.output.note(&error);
        }
    }

    /// Selects the kind of evaluation.
    pub(super) fn set_eval_type(&mut self, kind: EvalType) -> Result<(), SettingError> {
        let evaluation = match kind {
            EvalType::Network => Evaluation::Network(self.network.clone().ok_or(SettingError::NoNetwork)?),
            EvalType::Classical => Evaluation::Classical,
            EvalType::Material => Evaluation::Material,
        };
        self.configure(|configuration| configuration.evaluation = evaluation)
    }

    /// Loads a network and evaluates with it. On failure nothing changes.
    ///
    /// The embedded network only replaces another network: GUIs send the default of every option,
    /// which must not undo a choice of `EvalType`.
    pub(super) fn load_network(&mut self, path: &str) -> Result<(), SettingError> {
        let is_embedded = path.is_empty() || path == EMBEDDED;
        let network =
            if is_embedded { Network::embedded()? } else { Arc::new(Network::load(Path::new(path))?) };
        if !is_embedded || self.engine.configuration().evaluation.kind() == EvalType::Network {
            let evaluation = Evaluation::Network(Arc::clone(&network));
            self.configure(|configuration| configuration.evaluation = evaluation)?;
        }
        self.network = Some(network);
        Ok(())
    }
}
