//! A kind of measurement on fixed positions, and the positions of a stored run.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Position};

use super::disturbance::DisturbanceSummary;
use super::{Grid, Load, SearchRecord, SearchesConfig};
use crate::base::epd;
use crate::base::wording::counted;
use crate::config::EngineConfig;
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::report::Report;
use crate::run::stored::StoredRun;
use crate::run::{RunState, hash_file};

/// The parts of a measurement that span its grid of searches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    /// The engines, in the order of the grid.
    pub engines: &'a [EngineConfig],
    /// Number of positions searched.
    pub positions: usize,
    /// Limits, repetitions and timeouts.
    pub searches: &'a SearchesConfig,
}

/// A kind of measurement: its grid of searches, and their evaluation.
pub(crate) trait Measurement: Sync + Sized {
    /// The validated configuration of the measurement.
    type Config: DeserializeOwned;
    /// The content of `summary.json`.
    type Summary: Serialize;

    /// Whether it compares CPU times.
    const COMPARES_CPU_TIME: bool;

    /// Rebuilds the measurement from a stored run.
    fn rebuild(config: Self::Config, run: &StoredRun<'_>) -> anyhow::Result<Self>;
    /// Returns engines, positions and limits.
    fn outline(&self) -> Outline<'_>;
    /// Returns the loads measured with each engine; the threads are those of its options by default.
    fn loads(&self) -> Vec<Load> {
        vec![Load::AsConfigured]
    }
    /// Returns the searches by their numbers.
    fn grid(&self) -> Grid {
        let Outline { engines, positions, searches } = self.outline();
        let repetitions = searches.repetitions.get();
        Grid { engines: engines.len(), loads: self.loads(), positions, repetitions }
    }
    /// Summarizes the searches so far.
    fn summary(&self, done: &[SearchRecord], state: RunState) -> Self::Summary;
    /// Whether the searches so far suffice. Called after each complete pass over the positions.
    fn is_enough(&self, _done: &[SearchRecord]) -> bool {
        false
    }
    /// Builds the report from a summary.
    fn report(&self, summary: &Self::Summary) -> Report;
}

/// A measurement whose configuration, engines and positions are known.
#[derive(Clone, Debug)]
pub(crate) struct Job<C> {
    /// Engines, limit and settings of the measurement.
    pub config: C,
    /// Names by `id name`, one for each engine.
    pub id_names: Vec<String>,
    /// Number of positions searched.
    pub positions: usize,
}

/// Returns the number of positions of a stored run: those of the file, or if it is gone or has
/// changed since, those searched.
pub(crate) fn stored_positions(config: &SearchesConfig, run: &StoredRun<'_>) -> anyhow::Result<usize> {
    if let Some(count) = config.count {
        return Ok(count.get());
    }
    let known = run.manifest.identity_of::<IgnoredAny, IgnoredAny>().unwrap_or_default().files.positions;
    if known.is_none_or(|known| hash_file(&config.positions).is_ok_and(|found| found == known.blake3))
        && let Ok(positions) = load_positions(&config.positions, None)
    {
        return Ok(positions.len());
    }
    let searched: Vec<SearchRecord> = run.records()?;
    Ok(searched.iter().map(|record| record.position + 1).max().unwrap_or(0))
}

/// The content of `summary.json`: the figures of the measurement, and the engines that ignore their
/// limit.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SearchSummary<S> {
    /// Figures of this kind of measurement.
    #[serde(flatten)]
    pub figures: S,
    /// Steal time and load from other programs, if times are compared.
    #[serde(flatten)]
    pub disturbance: DisturbanceSummary,
    /// Engines whose CPU time was measured in part only, and is not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpu_time_incomplete: Vec<String>,
    /// Engines that ignore their limit of nodes or time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
    /// Searches of version 0.2.0, whose speed counts until `bestmove` and not until the last report of nodes; absent if
    /// there are none or times are not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub former_speeds: Option<NonZeroUsize>,
}

impl<S> SearchSummary<S> {
    /// Returns lines for the report: on limits, and on times.
    pub(crate) fn lines(&self) -> Vec<String> {
        [violation_lines(&self.limit_violations), self.time_lines()].concat()
    }

    /// Returns lines on the accuracy of times: on CPU times, steal time and other load.
    pub(crate) fn time_lines(&self) -> Vec<String> {
        let former = self.former_speeds.map(|count| {
            format!(
                "{} of harness 0.2.0: their speed counts until `bestmove`, so engines that print no nodes at the end seem slower; do not \
                 compare it with that of other searches",
                counted(count.get(), "search")
            )
        });
        let times = cpu_time_line(&self.cpu_time_incomplete).into_iter().chain(former);
        times.chain(self.disturbance.lines()).collect()
    }
}

/// Reads positions as FEN, at most the first `count`. Errors: an unreadable file or line, a Chess960
/// position, one without legal moves or for the second time, or fewer than `count` positions.
pub(crate) fn load_positions(path: &Path, count: Option<usize>) -> Result<Vec<String>, String> {
    let fail = |what: String| format!("{}: {what}", path.display());
    let bytes = std::fs::read(path).map_err(|error| fail(format!("cannot read it: {error}")))?;
    let (mut fens, mut lines) = (Vec::new(), HashMap::new());
    for (index, line) in epd::lines(&bytes).enumerate() {
        if count == Some(fens.len()) {
            break;
        }
        let Some(read) = epd::parse(line) else { continue };
        let bad = |what: &str| Err(fail(format!("line {}: {what}", index + 1)));
        let read = match read {
            Ok(read) if !read.castling.is_standard() => {
                return bad("expected standard chess, found castling of Chess960");
            }
            Ok(read) if read.position.legal_moves().is_empty() => {
                return bad("the position has no legal move");
            }
            Ok(read) => read,
            Err(error) => return bad(&error),
        };
        let fen = Fen::from_position(&read.position, EnPassantMode::Legal).to_string();
        if let Some(first) = lines.insert(fen.clone(), index + 1) {
            return bad(&format!("the position of line {first} again"));
        }
        fens.push(fen);
    }
    if fens.is_empty() {
        return Err(fail("expected at least one position".to_owned()));
    }
    match count {
        Some(asked) if fens.len() < asked => {
            Err(fail(format!("expected {asked} positions, found {}", fens.len())))
        }
        _ => Ok(fens),
    }
}

/// Describes the engines whose CPU time is not shown.
pub(super) fn cpu_time_line(engines: &[String]) -> Option<String> {
    let first = engines.first()?;
    let others = if engines.len() > 1 { format!(" and {} others", engines.len() - 1) } else { String::new() };
    Some(format!(
        "CPU time of {first}{others}: below 5 % of the time of the searches, or zero in some, so it is not compared; work on \
         other machines, on GPUs or in processes that the engine did not start is not measured"
    ))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::config::{Limits, Watchdog};
    use crate::measure::searches::SearchOrder;
    use crate::run::{Host, Manifest};

    #[test]
    fn positions_without_moves_and_repeated_ones_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p.epd");
        for (last, expected) in [
            ("7k/5Q2/6K1/8/8/8/8/8 b - -", "line 3: the position has no legal move"),
            ("8/8/4k3/8/8/4K3/4P3/8 w - - id \"again\";", "line 3: the position of line 1 again"),
        ] {
            std::fs::write(&file, format!("8/8/4k3/8/8/4K3/4P3/8 w - -\n\n{last}\n")).unwrap();
            let error = load_positions(&file, None).unwrap_err();
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn searches_are_counted_where_the_file_of_positions_has_changed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p.epd");
        let positions = |count: usize| -> String {
            let line = |file| format!("8/8/4k3/8/8/4K3/{file}P{}/8 w - -\n", 7 - file);
            (1..=count).map(line).collect::<Vec<_>>().concat()
        };
        std::fs::write(&file, positions(3)).unwrap();
        let record = |index: u64| {
            json!({ "v": 1, "index": index, "engine": 0, "threads": 0, "position": index, "repetition": 0,
                "depths": [], "nodes": 9, "time_us": 9, "may_stop_early": false, "best_move": "e2e4" })
        };
        let lines = [0, 1, 2].map(|index| record(index).to_string()).join("\n") + "\n";
        std::fs::write(dir.path().join("journal.jsonl"), lines).unwrap();
        let identity =
            json!({ "config": {}, "positions": { "file": &file, "blake3": hash_file(&file).unwrap() } });
        let manifest = Manifest::describe("bench", &identity, Host::here(1), PathBuf::new(), "", "").unwrap();
        let config = SearchesConfig {
            positions: file.clone(),
            count: None,
            limits: Limits::default(),
            repetitions: NonZeroU32::MIN,
            times: true,
            concurrency: 1,
            watchdog: Watchdog::default(),
            instructions: false,
            order: SearchOrder::Rotated,
        };
        let run = StoredRun { path: dir.path(), manifest: &manifest };
        let count = || stored_positions(&config, &run).unwrap();
        assert_eq!(count(), 3);
        std::fs::write(&file, positions(1)).unwrap();
        assert_eq!(count(), 3, "a shorter file drops no search");
        std::fs::write(&file, positions(6)).unwrap();
        assert_eq!(count(), 3, "a longer file plans no more searches");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(count(), 3);
    }
}
