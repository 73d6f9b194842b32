//! A comparison whose configuration, engines and positions are known: [`Job`].

use super::BenchConfig;

/// A comparison whose positions and engines are known.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// Engines and settings of the comparison.
    pub config: BenchConfig,
    /// Names by `id name`, one for each engine.
    pub id_names: Vec<String>,
    /// Number of positions searched.
    pub positions: usize,
}
