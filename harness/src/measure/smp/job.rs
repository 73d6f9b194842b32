//! A measurement whose configuration, engines and positions are known: [`Job`].

use std::num::NonZeroU32;

use super::SmpConfig;
use crate::measure::searches::Load;

/// A measurement whose positions and engines are known.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Engines, numbers of threads and limit.
    pub config: SmpConfig,
    /// Names by `id name`, one for each engine.
    pub id_names: Vec<String>,
    /// Number of positions searched.
    pub positions: usize,
}

/// Returns the loads measured: each number of threads, and if requested as many processes.
pub(crate) fn loads(config: &SmpConfig) -> Vec<Load> {
    let separate = |threads: NonZeroU32| {
        (config.separate_processes && threads.get() > 1).then_some(Load::Processes(threads))
    };
    config
        .threads
        .iter()
        .flat_map(|&threads| [Some(Load::Threads(threads)), separate(threads)])
        .flatten()
        .collect()
}
