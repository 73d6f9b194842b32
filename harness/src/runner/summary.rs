//! What a run has shown so far, computed from its games alone: the content of `summary.json` and of the final report.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::config::{MatchConfig, RunKind};
use crate::stats::bounds::Verdict;
use crate::stats::summary::MatchStats;
use crate::store::{GameRecord, Side, SideStats};
use crate::verdict::{Decision, Tracker};

/// The format of `summary.json`.
pub const SUMMARY_VERSION: u32 = 1;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Games are being played.
    Running,
    /// Stopped on request; can be resumed.
    Interrupted,
    /// Stopped by an error; can be resumed.
    Failed,
    /// Nothing is left to play.
    Finished,
}

/// One engine's sums over all games.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EngineSummary {
    /// As configured.
    pub name: String,
    /// Sums over its moves.
    pub totals: SideStats,
    /// Nodes per second over all moves, where it reports nodes.
    pub nps: Option<f64>,
    /// Mean reported depth. Units: plies.
    pub mean_depth: Option<f64>,
    /// Mean time of a move. Units: milliseconds.
    pub mean_time_ms: Option<f64>,
    /// Games it lost by a fault, by kind.
    pub faults: BTreeMap<&'static str, u64>,
}

/// Everything a run has shown.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// See [`SUMMARY_VERSION`].
    pub v: u32,
    /// What ends the run.
    pub kind: RunKind,
    /// How far it has come.
    pub state: RunState,
    /// The end of the test, if it has ended.
    pub decision: Option<Decision>,
    /// Scores and estimates of the first engine.
    pub stats: MatchStats,
    /// Games by how they ended.
    pub terminations: BTreeMap<&'static str, u64>,
    /// The engines, in the order of the configuration.
    pub engines: Vec<EngineSummary>,
    /// Sum of the games' lengths. Units: seconds.
    pub game_seconds: f64,
}

/// Collects a summary game by game.
#[derive(Clone, Debug)]
pub struct Summarizer {
    kind: RunKind,
    /// The statistics.
    pub tracker: Tracker,
    terminations: BTreeMap<&'static str, u64>,
    engines: Vec<EngineSummary>,
    game_ms: u64,
    plies: u64,
}

impl Summarizer {
    /// No games yet.
    pub fn new(config: &MatchConfig, tracker: Tracker) -> Self {
        let engine = |name: &String| EngineSummary { name: name.clone(), ..EngineSummary::default() };
        let engines = config.engines.iter().map(|config| engine(&config.name)).collect();
        Self { kind: config.kind, tracker, terminations: BTreeMap::new(), engines, game_ms: 0, plies: 0 }
    }

    /// Counts a game; returns whether it completed its pair.
    pub fn add(&mut self, game: &GameRecord) -> bool {
        *self.terminations.entry(game.termination.name()).or_default() += 1;
        self.game_ms += game.duration_ms;
        self.plies += game.plies as u64;
        for (side, index, totals) in
            [(Side::White, game.white, &game.white_stats), (Side::Black, game.black, &game.black_stats)]
        {
            let Some(engine) = self.engines.get_mut(index) else { continue };
            engine.totals.merge(totals);
            if game.termination.fault() == Some(side) {
                *engine.faults.entry(game.termination.name()).or_default() += 1;
            }
        }
        self.tracker.add(game)
    }

    /// The summary of the games counted.
    pub fn summary(&self, state: RunState) -> Summary {
        let mut engines = self.engines.clone();
        for engine in &mut engines {
            let totals = engine.totals;
            let ratio = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
            engine.nps = ratio(totals.nodes as f64 * 1e6, totals.time_us).filter(|_| totals.nodes > 0);
            engine.mean_depth = ratio(totals.depth_sum as f64, totals.depth_count);
            engine.mean_time_ms = ratio(totals.time_us as f64 / 1e3, totals.moves);
        }
        Summary {
            v: SUMMARY_VERSION,
            kind: self.kind,
            state,
            decision: self.tracker.decision(),
            stats: self.tracker.stats(),
            terminations: self.terminations.clone(),
            engines,
            game_seconds: self.game_ms as f64 / 1e3,
        }
    }
}

impl Summary {
    /// `H1 accepted`, `H0 accepted` or `undecided after N games`; the score for a match.
    pub fn verdict_text(&self) -> String {
        let games = self.stats.games.games();
        match (self.kind, self.decision.map(|decision| decision.verdict)) {
            (RunKind::Sprt, Some(Verdict::AcceptH1)) => "H1 accepted".to_owned(),
            (RunKind::Sprt, Some(Verdict::AcceptH0)) => "H0 accepted".to_owned(),
            (RunKind::Sprt, _) => format!("undecided after {games} games"),
            (RunKind::Match, _) => format!("{games} games played"),
        }
    }

    /// The report shown at the end of a run.
    pub fn report(&self) -> String {
        let mut text = String::new();
        let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        let _ = writeln!(text, "{}: {}", names.join(" against "), self.verdict_text());
        self.report_scores(&mut text);
        self.report_test(&mut text);
        let endings: Vec<String> = self
            .terminations
            .iter()
            .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
            .collect();
        let _ = writeln!(text, "  endings   {}", endings.join(", "));
        for engine in &self.engines {
            engine.report(&mut text);
        }
        text
    }

    fn report_scores(&self, text: &mut String) {
        let (stats, games) = (&self.stats, &self.stats.games);
        let score = stats.score.map_or_else(|| "-".to_owned(), |score| score.to_string());
        let _ = writeln!(
            text,
            "  score     {score} of {} games: +{} ={} -{}",
            games.games(),
            games.wins,
            games.draws,
            games.losses
        );
        let _ = writeln!(text, "  pairs     {} as LL LD WL+DD WD WW {}", stats.pairs.pairs(), stats.pairs);
        if let (Some(elo), Some(nelo), Some(los)) = (&stats.elo, &stats.nelo, &stats.los) {
            let _ = writeln!(text, "  Elo       {elo}   normalized {nelo}   likelihood of superiority {los}");
        }
    }

    fn report_test(&self, text: &mut String) {
        let Some(sprt) = &self.stats.sprt else { return };
        let _ = writeln!(text, "  test      {sprt}");
        if let Some(decision) = &self.decision {
            let late = self.stats.pairs.pairs().saturating_sub(decision.pairs);
            let _ = write!(text, "  decided   after {} pairs at LLR {}", decision.pairs, decision.llr);
            let _ = if late > 0 {
                writeln!(text, "; {late} more were under way and count for the Elo")
            } else {
                writeln!(text)
            };
        }
        if let Some(unbiased) = sprt.unbiased.filter(|_| self.decision.is_some()) {
            let _ = writeln!(
                text,
                "  unbiased  Elo {} (95 %: {} to {}), corrected for stopping",
                unbiased.elo, unbiased.low, unbiased.high
            );
        }
    }
}

impl EngineSummary {
    fn report(&self, text: &mut String) {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or("-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let _ = write!(
            text,
            "  {}: {} moves, {} ms each (longest {:.1}), depth {}, {} nps",
            self.name,
            self.totals.moves,
            number(self.mean_time_ms, 2),
            self.totals.max_time_us as f64 / 1e3,
            number(self.mean_depth, 1),
            number(self.nps, 0)
        );
        for (kind, count) in &self.faults {
            let _ = write!(text, ", {} {count}", kind.replace('_', " "));
        }
        text.push('\n');
    }
}
