//! `harness ablate`: measures the effect of each switch of an engine on nodes, time and Elo.
//!
//! Each setting is the engine with one switch flipped, or two for the configured pairs. All settings
//! are compared with the unchanged engine as [`crate::measure::bench`] does, with a control that
//! shows the noise. Where times are compared, every setting has a measurement of the unchanged
//! engine of its own, next to it in time. Intervals hold simultaneously for all settings. The interaction of a pair is the ratio of its nodes, divided by the product of
//! the ratios of its two switches. `games` adds Elo from matches. `reuse` takes searches from
//! earlier runs. `command` is the caller.

pub(crate) mod command;
pub(crate) mod config;
mod effect;
mod games;
mod report;
mod reuse;
mod run;
mod variant;

pub use config::AblateConfig;
pub(crate) use config::{AblateGames, Played};
pub(crate) use effect::{Ablation, Effect, Job, Strength};
pub(crate) use games::{folder_of, settings_to_play};
pub(crate) use report::ablation_report;
use reuse::reuse_searches;
pub(crate) use run::AblateRun;
pub(crate) use variant::{Variant, comparison, variants};

use crate::config::EngineConfig;
use crate::measure::bench;
use crate::measure::searches::{Grid, Measurement, SearchRecord, SearchesConfig, stored_positions};
use crate::report::Report;
use crate::run::RunState;
use crate::run::stored::StoredRun;

impl Measurement for Job {
    const COMPARES_CPU_TIME: bool = true;

    type Config = AblateConfig;
    type Summary = Ablation;

    fn rebuild(config: AblateConfig, run: &StoredRun<'_>) -> anyhow::Result<Self> {
        let variants: Vec<Variant> = run.identity("variants")?;
        let positions = stored_positions(&config.searches, run)?;
        let has_matches = config.games.is_some();
        let config = comparison(&config, &variants);
        let bench = bench::Job { config, id_names: run.id_names(), positions };
        Ok(Self { bench, variants, has_matches })
    }

    fn grid(&self) -> Grid {
        self.bench.grid()
    }

    fn engine_names(&self) -> Vec<String> {
        self.bench.engine_names()
    }

    fn engine(&self, index: usize) -> Option<&EngineConfig> {
        self.bench.engine(index)
    }

    fn searches(&self) -> &SearchesConfig {
        self.bench.searches()
    }

    fn summary(&self, done: &[SearchRecord], state: RunState) -> Ablation {
        let reused = done.iter().filter(|record| record.reused_from.is_some()).count();
        let reused = (reused > 0).then_some(reused);
        Ablation { reused, ..Ablation::of(self, &self.bench.summary(done, state)) }
    }

    fn report(&self, summary: &Ablation) -> Report {
        ablation_report(self, summary)
    }
}
