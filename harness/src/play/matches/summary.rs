//! The statistics of a run, computed from its games: the content of `summary.json` and of the final
//! report.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::Serialize;

use super::audits::Audits;
use super::disturbance::{DisturbanceStats, TimeForfeits};
use super::repeats::{RepeatWatch, RepeatedPairs};
use super::standings::Standings;
use crate::base::wording::counted;
use crate::config::EngineConfig;
use crate::play::block::score::Score;
use crate::play::limit_check::{LimitViolation, violation_lines};
use crate::play::matches::{MatchConfig, RunKind};
use crate::play::pairings::{Pairing, Pairings};
use crate::play::pv_watch::WrongPvs;
use crate::play::record::{GameRecord, Side, SideStats};
use crate::play::verdict::{Decision, Tracker};
use crate::run::RunState;
use crate::run::disturbance::Cause;
use stretto_stats::bounds::{SprtError, Verdict};
use stretto_stats::counts::Trinomial;
use stretto_stats::proportion::sign_test;
use stretto_stats::summary::{MatchStats, OrAbsent};
use stretto_stats::unbiased::MedianUnbiased;
use stretto_stats::units::Elo;

/// Version of the format of `summary.json`.
pub(crate) const SUMMARY_VERSION: u32 = 4;

/// The name of failed starts and faults between games.
const BETWEEN_GAMES: &str = "between_games";

/// Sums over all games of one engine.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct EngineSummary {
    /// Name of the engine in the configuration.
    pub name: String,
    /// Sums over its moves.
    pub totals: SideStats,
    /// Nodes per second over all moves but those after a ponder hit, if the engine reports nodes.
    pub nps: Option<f64>,
    /// Mean reported depth. Units: plies.
    pub mean_depth: Option<f64>,
    /// Mean time of a move. Units: milliseconds.
    pub mean_time_ms: Option<f64>,
    /// Mean latency: time of a move beyond the last time that the engine reported. Units:
    /// milliseconds.
    pub mean_latency_ms: Option<f64>,
    /// Games that its faults ended, by kind; a time forfeit against a lone king is a draw. Also failed starts and faults
    /// between games, as [`BETWEEN_GAMES`].
    pub faults: BTreeMap<&'static str, u64>,
    /// Games of this engine against all others.
    #[serde(skip)]
    pub games: u64,
    /// Games it lost by a hang at its first move.
    #[serde(skip)]
    pub first_hangs: u64,
}

/// The result of one pairing.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PairingSummary {
    /// Indices of the two engines, from whose first the results are seen.
    #[serde(flatten)]
    pub pairing: Pairing,
    /// Scores and estimates of the first engine.
    pub stats: MatchStats,
}

/// The statistics of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct MatchSummary {
    /// Version of the format, [`SUMMARY_VERSION`] when written.
    pub v: u32,
    /// The kind of run.
    pub kind: RunKind,
    /// The state of the run.
    pub state: RunState,
    /// The decision of the test, if there is one.
    pub decision: Option<Decision>,
    /// Scores and estimates of the first engine, if there are two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<MatchStats>,
    /// The joint ratings, if there are more than two engines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standings: Option<Standings>,
    /// The result of each pairing, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairings: Vec<PairingSummary>,
    /// Finished games, also those of incomplete pairs.
    pub games: u64,
    /// Number of games by termination.
    pub terminations: BTreeMap<&'static str, u64>,
    /// The same, with the results of White.
    #[serde(skip)]
    pub endings: BTreeMap<&'static str, Trinomial>,
    /// The engines, in the order of the configuration.
    pub engines: Vec<EngineSummary>,
    /// Total duration of the games. Units: seconds.
    pub game_seconds: f64,
    /// Start of the first game and end of the last, since 1970. Units: milliseconds.
    #[serde(skip)]
    pub span_ms: Option<(u64, u64)>,
    /// Steal time during the games.
    pub steal_time: DisturbanceStats,
    /// CPU load from other programs during the games on time, if there were any.
    #[serde(skip_serializing_if = "DisturbanceStats::is_empty")]
    pub other_load: DisturbanceStats,
    /// Losses on time by their likely cause.
    pub time_forfeits: TimeForfeits,
    /// Audits of adjudicated games, if the configuration asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audits: Option<Audits>,
    /// Pairs that repeat earlier games.
    pub repeated: RepeatedPairs,
    /// Engines that ignore their limit of nodes or time per move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limit_violations: Vec<LimitViolation>,
    /// Engines that reported wrong PVs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong_pvs: Vec<WrongPvs>,
}

/// Computes a summary game by game.
#[derive(Clone, Debug)]
pub(crate) struct Summarizer {
    /// The fields that are sums over games; [`Self::summary`] computes the others.
    pub(super) counted: MatchSummary,
    pairings: Pairings,
    /// One for each pairing.
    trackers: Vec<Tracker>,
    /// Known rating of each engine.
    known: Vec<Option<Elo>>,
    game_ms: u64,
    pub(super) repeats: RepeatWatch,
}

impl Summarizer {
    /// Returns a summarizer without games.
    ///
    /// Errors: invalid bounds of the test.
    pub(crate) fn new(config: &MatchConfig) -> Result<Self, SprtError> {
        let engine =
            |engine: &EngineConfig| EngineSummary { name: engine.name.clone(), ..EngineSummary::default() };
        let tracker = Tracker::new(config.sprt.as_ref())?;
        let counted = MatchSummary {
            v: SUMMARY_VERSION,
            kind: config.kind,
            engines: config.engines.iter().map(engine).collect(),
            audits: config.adjudication.audit.map(|_| Audits::default()),
            ..MatchSummary::default()
        };
        Ok(Self {
            counted,
            pairings: config.pairings.clone(),
            trackers: vec![tracker; config.pairings.as_slice().len()],
            known: config.engines.iter().map(|config| config.rating.map(f64::from).map(Elo)).collect(),
            game_ms: 0,
            repeats: RepeatWatch::new(config),
        })
    }

    /// Counts a game of engines that are the same in all pairs. Returns whether it completed a pair that counts.
    #[cfg(test)]
    pub(crate) fn add(&mut self, game: &GameRecord) -> bool {
        self.add_with(game, "")
    }

    /// Counts a game; `settings` are those of White and Black where they differ from pair to pair. Returns whether it completed a
    /// pair that counts.
    pub(crate) fn add_with(&mut self, game: &GameRecord, settings: &str) -> bool {
        let counted = &mut self.counted;
        let white = Trinomial::from_game(game.result.half_points(Side::White)).unwrap_or_default();
        *counted.endings.entry(game.termination.name()).or_default() += white;
        *counted.terminations.entry(game.termination.name()).or_default() += 1;
        counted.games += 1;
        let end = game.started_ms.saturating_add(game.duration_ms);
        let (first, last) = counted.span_ms.unwrap_or((game.started_ms, end));
        counted.span_ms = Some((first.min(game.started_ms), last.max(end)));
        self.game_ms += game.duration_ms;
        counted.steal_time.add(Cause::StealTime, game);
        counted.other_load.add(Cause::OtherLoad, game);
        counted.time_forfeits.add(game);
        if let Some(audits) = &mut counted.audits {
            audits.add(game);
        }
        for side in [Side::White, Side::Black] {
            let Some(engine) = counted.engines.get_mut(game.engine(side)) else { continue };
            engine.totals.merge(game.stats(side));
            engine.games += 1;
            engine.first_hangs += u64::from(game.is_first_hang(side));
            if game.termination.fault() == Some(side) {
                *engine.faults.entry(game.termination.name()).or_default() += 1;
            }
            if game.stats(side).restarts > 0 {
                *engine.faults.entry(BETWEEN_GAMES).or_default() += game.stats(side).restarts;
            }
        }
        let tracker = &mut self.trackers[self.pairings.index_of(game.pair)];
        if self.repeats.add(game, settings) && self.repeats.found.excluded {
            tracker.discard(game.pair);
            return false;
        }
        tracker.add(game)
    }

    /// Returns the number of complete pairs, also of those that are not counted.
    pub(crate) fn played_pairs(&self) -> u64 {
        let counted: u64 = self.trackers.iter().map(|tracker| tracker.score.pairs.pairs()).sum();
        let repeated = self.repeats.found;
        counted + if repeated.excluded { repeated.pairs } else { 0 }
    }

    /// Returns the decision of the test, if there is one.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.only().and_then(Tracker::decision)
    }

    /// Returns the statistics of the first engine, if there are two engines.
    pub(crate) fn stats(&self) -> Option<MatchStats> {
        self.only().map(Tracker::stats)
    }

    /// Returns the results of each pairing.
    pub(super) fn scores(&self) -> Vec<Score> {
        self.trackers.iter().map(|tracker| tracker.score).collect()
    }

    /// Returns the results of each pairing, of a test up to its decision.
    pub(super) fn scores_at_decision(&self) -> Vec<Score> {
        self.trackers.iter().map(Tracker::score_at_decision).collect()
    }

    /// Returns the joint ratings, if there are more than two engines.
    pub(crate) fn standings(&self) -> Option<Standings> {
        if self.only().is_some() {
            return None;
        }
        let names = self.counted.engines.iter().map(|engine| engine.name.clone());
        let engines: Vec<_> = names.zip(self.known.iter().copied()).collect();
        let played: Vec<_> = self.pairings.as_slice().iter().copied().zip(&self.trackers).collect();
        Some(Standings::of(&engines, &played))
    }

    /// Returns the results of the only pairing, if there are two engines.
    pub(super) fn only(&self) -> Option<&Tracker> {
        match &self.trackers[..] {
            [tracker] => Some(tracker),
            _ => None,
        }
    }

    /// Returns the summary of the games.
    pub(crate) fn summary(&self, state: RunState) -> MatchSummary {
        let mut engines = self.counted.engines.clone();
        for engine in &mut engines {
            let totals = engine.totals;
            let ratio = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
            engine.nps = totals.nps();
            engine.mean_depth = ratio(totals.depth_sum as f64, totals.depth_count);
            engine.mean_latency_ms = ratio(totals.latency_us as f64 / 1e3, totals.latency_count);
            engine.mean_time_ms = ratio(totals.time_us as f64 / 1e3, totals.moves);
        }
        let pairing =
            |(&pairing, tracker): (&Pairing, &Tracker)| PairingSummary { pairing, stats: tracker.stats() };
        let several = self.pairings.as_slice().iter().filter(|_| !self.pairings.is_single());
        MatchSummary {
            state,
            decision: self.decision(),
            stats: self.stats(),
            standings: self.standings(),
            pairings: several.zip(&self.trackers).map(pairing).collect(),
            engines,
            game_seconds: self.game_ms as f64 / 1e3,
            repeated: self.repeats.found,
            ..self.counted.clone()
        }
    }
}

impl MatchSummary {
    /// Returns the engines with a text about their games: `a against b: H1 accepted`.
    pub(super) fn headline(&self, text: &str) -> String {
        match &self.engines[..] {
            [first, second] => format!("{} against {}: {text}", first.name, second.name),
            engines => format!("{} engines: {text}", engines.len()),
        }
    }

    /// Returns `H1 accepted`, `H0 accepted` or `undecided after N games`; for a match, the number
    /// of games.
    pub(crate) fn verdict_text(&self) -> String {
        let games = counted(self.games as usize, "game");
        match (self.kind, self.decision.map(|decision| decision.verdict)) {
            (RunKind::Sprt, Some(Verdict::AcceptH1)) => "H1 accepted".to_owned(),
            (RunKind::Sprt, Some(Verdict::AcceptH0)) => "H0 accepted".to_owned(),
            (RunKind::Sprt, _) => format!("undecided after {games}"),
            (RunKind::Match | RunKind::Tune | RunKind::Screen, _) => format!("{games} played"),
        }
    }

    /// Returns the statistics of the first of two engines; `None` also in a tuning or screening, whose
    /// sides are not compared.
    pub(crate) fn comparison(&self) -> Option<&MatchStats> {
        self.stats.as_ref().filter(|_| self.kind.compares_engines())
    }

    /// Returns the text shown at the end of a run.
    pub(crate) fn report(&self) -> String {
        if self.terminations.is_empty() {
            return self.headline("no game finished") + "\n";
        }
        let mut lines = vec![self.headline(&self.verdict_text())];
        if let Some(stats) = self.comparison() {
            lines.extend(score_lines(stats, self.unbiased(stats)));
            lines.extend(stats.sprt.map(|sprt| named("test", &sprt)));
            lines.extend(self.decided_text(stats).map(|text| named("decided", &text)));
        }
        lines.extend(self.standings.iter().flat_map(|standings| self.standings_lines(standings)));
        let all_games = [
            ("endings", Some(named_counts(&self.terminations).join(", "))),
            ("faults", self.faults_text()),
            ("steal", self.steal_time.text(Cause::StealTime)),
            ("others", self.other_load.text(Cause::OtherLoad)),
            ("on time", self.time_forfeits.text()),
        ];
        lines.extend(all_games.into_iter().filter_map(|(name, text)| Some(named(name, &text?))));
        lines.extend(self.engines.iter().map(EngineSummary::line));
        if let Some(audits) = &self.audits {
            let facts = audits.facts(self.game_seconds, self.comparison().is_some());
            let facts = facts.into_iter().map(|(name, value)| format!("{name}: {value}"));
            lines.extend(audits.verdict_lines().into_iter().chain(facts).map(|text| named("audit", &text)));
        }
        lines.extend(self.repeated.text().map(|text| named("repeats", &text)));
        lines.extend(violation_lines(&self.limit_violations).iter().map(|text| named("limits", text)));
        lines.extend(self.wrong_pvs.iter().map(|wrong| named("PVs", &wrong.text())));
        lines.join("\n") + "\n"
    }

    /// Returns the faults of two engines and, without repeated games, the p-value of the two-sided sign test that both
    /// are equally likely to be at fault.
    fn faults_text(&self) -> Option<String> {
        let [first, second] = &self.engines[..] else { return None };
        let [of_first, of_second] = [first, second].map(|engine| engine.faults.values().sum::<u64>());
        let mut text = format!("{} {of_first}, {} {of_second}", first.name, second.name);
        // The test needs independent games.
        if self.repeated.is_none() {
            let _ = write!(text, " (sign test p = {:.2})", sign_test(of_first, of_second).0);
        }
        (of_first + of_second > 0).then_some(text)
    }

    fn standings_lines(&self, standings: &Standings) -> Vec<String> {
        let mut lines = standings.lines();
        let width = self.engines.iter().map(|engine| engine.name.chars().count()).max().unwrap_or(0);
        lines.extend(self.pairings.iter().map(|PairingSummary { pairing, stats }| {
            let [first, second] = pairing.engines().map(|engine| &self.engines[engine].name);
            let Trinomial { losses, draws, wins } = stats.games;
            let elo = if stats.score.is_some() { stats.elo_text() } else { "-".to_owned() };
            let single = stats.single_text().map_or_else(String::new, |single| format!("   {single}"));
            format!("  {first:>width$} - {second:width$}  +{wins} ={draws} -{losses}   Elo {elo}{single}")
        }));
        lines
    }

    /// Returns the decision of the test, and the effect of the pairs that were in progress then.
    pub(super) fn decided_text(&self, stats: &MatchStats) -> Option<String> {
        let (decision, sprt) = (self.decision?, stats.sprt?);
        let late = stats.pairs.pairs().saturating_sub(decision.pairs);
        if late == 0 {
            return Some(decision.to_string());
        }
        let (were, count, them) = if late == 1 { ("was", "counts", "it") } else { ("were", "count", "them") };
        let (pairs, llr) = (counted(late as usize, "pair"), sprt.spec.llr(&stats.pairs));
        Some(format!(
            "{decision}; {pairs} in progress {were} finished and {count} for the Elo (LLR with {them}: {llr})"
        ))
    }

    /// Returns the Elo of a decided test, corrected for stopping.
    pub(super) fn unbiased(&self, stats: &MatchStats) -> Option<MedianUnbiased> {
        stats.sprt.filter(|_| self.decision.is_some())?.unbiased.ok()
    }
}

/// Returns a line of the text shown at the end of a run.
fn named(name: &str, text: &impl fmt::Display) -> String {
    format!("  {name:<9} {text}")
}

/// Returns a text for each count: `time forfeit 3`.
pub(super) fn named_counts(counts: &BTreeMap<&'static str, u64>) -> Vec<String> {
    counts.iter().map(|(name, count)| format!("{} {count}", name.replace('_', " "))).collect()
}

/// Returns score, pentanomial and Elo. After a test that stopped early, `unbiased` leads: the plain Elo is
/// biased away from zero.
fn score_lines(stats: &MatchStats, unbiased: Option<MedianUnbiased>) -> Vec<String> {
    let Trinomial { losses, draws, wins } = stats.games;
    let single = stats.single_text().map_or_else(String::new, |single| format!("; {single} not counted"));
    let score = stats.games.score().map_or_else(|| "-".to_owned(), |score| score.to_string());
    let games = counted(stats.games.games() as usize, "game");
    let pairs = counted(stats.pairs.pairs() as usize, "pair");
    let mut lines = vec![
        named("score", &format!("{score} of {games}: +{wins} ={draws} -{losses}{single}")),
        named("pentanomial", &format!("{} of {pairs}", stats.pairs)),
    ];
    lines.extend(unbiased.map(|elo| named("unbiased", &format!("Elo {elo}, corrected for stopping"))));
    if stats.score.is_some() {
        let (elo, nelo, los) = (stats.elo_text(), OrAbsent(stats.nelo), OrAbsent(stats.los));
        lines.push(format!("  Elo       {elo}   normalized {nelo}   likelihood of superiority {los}"));
    }
    lines
}

impl EngineSummary {
    /// Returns mean and longest time of a move and mean latency in milliseconds, mean depth, and nodes per second.
    pub(super) fn figures(&self) -> [String; 5] {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let longest = (self.totals.max_time_us > 0).then(|| self.totals.max_time_us as f64 / 1e3);
        [
            number(self.mean_time_ms, 2),
            number(longest, 1),
            number(self.mean_latency_ms, 2),
            number(self.mean_depth, 1),
            number(self.nps, 0),
        ]
    }

    fn line(&self) -> String {
        let [mean, longest, latency, depth, nps] = self.figures();
        let latency = match self.mean_latency_ms {
            None => String::new(),
            // Below the resolution of the times that engines report.
            Some(below) if below < 0.0 => {
                format!(", mean latency {latency} ms because the engine rounds its times up")
            }
            Some(_) => format!(", mean latency {latency} ms"),
        };
        let moves = counted(self.totals.moves as usize, "move");
        let start = format!("  {}: {moves}, {mean} ms per move (maximum {longest} ms{latency})", self.name);
        let end = [format!("depth {depth}"), format!("{nps} nps")].into_iter();
        let dropped = Some(self.totals.second_answers).filter(|&count| count > 0);
        let dropped = dropped.map(|count| counted(count as usize, "second bestmove") + " dropped");
        let words = std::iter::once(start).chain(end).chain(named_counts(&self.faults)).chain(dropped);
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config::Source;
    use crate::play::matches::{ExecutionArgs, LoadedMatch};
    use crate::play::record::{GameResult, sample_game};
    use crate::play::verdict::SprtConfig;
    use stretto_stats::llr::Model;

    fn config(kind: RunKind) -> MatchConfig {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("book.epd"), "").unwrap();
        let text = "engines: [{ name: one, command: sh }, { name: two, command: sh }]\nnodes: 1\ngames: 4\n\
                    openings: { file: book.epd }\n";
        let source = Source::new(dir.path().join("match.yaml"), text);
        let loaded = LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap();
        MatchConfig { kind, ..loaded.config }
    }

    /// Returns the summary of a drawn pair and of one lost game of the next pair.
    fn one_and_a_half_pairs(kind: RunKind) -> MatchSummary {
        let mut summarizer = Summarizer::new(&config(kind)).unwrap();
        summarizer.add(&sample_game(0));
        summarizer.add(&sample_game(1));
        summarizer.add(&GameRecord { result: GameResult::Black, ..sample_game(2) });
        summarizer.summary(RunState::Interrupted)
    }

    #[test]
    fn score_and_elo_are_of_the_same_games() {
        let text = one_and_a_half_pairs(RunKind::Match).report();
        assert!(text.starts_with("one against two: 3 games played\n"), "{text}");
        assert!(text.contains("  score     50.0 % of 2 games: +0 =2 -0; 1 game of an incomplete pair (+0 =0 -1) not counted\n"), "{text}");
        assert!(text.contains("  pentanomial [0, 0, 1, 0, 0] of 1 pair\n"), "{text}");
        assert!(text.contains("  Elo       0.0 ("), "Elo is that of the complete pair: {text}");
    }

    #[test]
    fn mean_latency_is_over_the_moves_with_a_latency() {
        let white_stats = SideStats { moves: 3, latency_us: 3000, latency_count: 1, ..SideStats::default() };
        let mut summarizer = Summarizer::new(&config(RunKind::Match)).unwrap();
        summarizer.add(&GameRecord { white_stats, ..sample_game(0) });
        let summary = summarizer.summary(RunState::Finished);
        assert_eq!(summary.engines[0].mean_latency_ms, Some(3.0));
    }

    #[test]
    fn decided_test_states_its_llr_bounds_and_late_pairs() {
        for late in [0, 1, 2] {
            let sprt = SprtConfig {
                model: Model::Normalized,
                elo0: 0.0,
                elo1: 60.0,
                alpha: 0.05,
                beta: 0.05,
                max_games: None,
            };
            let config = MatchConfig { sprt: Some(sprt), ..config(RunKind::Sprt) };
            let mut summarizer = Summarizer::new(&config).unwrap();
            let mut index = 0;
            let mut add = |result: fn(&GameRecord) -> GameResult| {
                let game = sample_game(index);
                // Different start positions keep the games from being repeats.
                summarizer.add(&GameRecord { result: result(&game), fen: index.to_string(), ..game });
                index += 1;
                summarizer.decision().is_some()
            };
            let mut is_decided = false;
            while !is_decided {
                add(|game| GameResult::won_by(game.first_side()));
                is_decided = add(|_| GameResult::Draw);
            }
            for _ in 0..2 * late {
                add(|game| GameResult::won_by(game.first_side().other()));
            }
            let summary = summarizer.summary(RunState::Finished);
            let (text, decision) = (summary.report(), summary.decision.unwrap());
            let test = format!("  test      LLR {} (-2.94, 2.94) [0.00, 60.00] nElo\n", decision.llr);
            assert!(text.contains(&test), "{text}");
            let all = summary.stats.unwrap().pairs;
            let llr = summary.stats.unwrap().sprt.unwrap().spec.llr(&all);
            let expected = match late {
                0 => format!("  decided   {decision}\n"),
                1 => {
                    format!("; 1 pair in progress was finished and counts for the Elo (LLR with it: {llr})\n")
                }
                _ => format!(
                    "; 2 pairs in progress were finished and count for the Elo (LLR with them: {llr})\n"
                ),
            };
            assert!(text.contains(&expected), "{text}");
        }
    }

    #[test]
    fn repeated_pair_counts_in_a_match_and_not_in_a_test() {
        for (kind, counted) in [(RunKind::Match, 2), (RunKind::Sprt, 1)] {
            let mut summarizer = Summarizer::new(&config(kind)).unwrap();
            let completed: Vec<bool> = (0..4).map(|game| summarizer.add(&sample_game(game))).collect();
            assert_eq!(completed, [false, true, false, counted == 2], "{kind:?}");
            let summary = summarizer.summary(RunState::Finished);
            let stats = summary.stats.as_ref().unwrap();
            assert_eq!((stats.pairs.pairs(), stats.games.games()), (counted, 2 * counted), "{kind:?}");
            assert_eq!((summary.repeated.pairs, summary.games), (1, 4), "{kind:?}");
            assert!(summary.report().contains("  repeats   1 pair repeats"), "{}", summary.report());
        }
    }

    #[test]
    fn times_span_all_games() {
        let mut summarizer = Summarizer::new(&config(RunKind::Match)).unwrap();
        for (number, started_ms, duration_ms) in [(0, 1_005_000, 20_000), (1, 1_000_000, 2_000)] {
            summarizer.add(&GameRecord { started_ms, duration_ms, ..sample_game(number) });
        }
        assert_eq!(summarizer.summary(RunState::Finished).span_ms, Some((1_000_000, 1_025_000)));
    }

    #[test]
    fn run_without_a_game_has_no_statistics() {
        for kind in [RunKind::Match, RunKind::Sprt, RunKind::Tune] {
            let summary = Summarizer::new(&config(kind)).unwrap().summary(RunState::Interrupted);
            assert_eq!(summary.report(), "one against two: no game finished\n");
        }
    }

    #[test]
    fn sides_of_a_tuning_or_screening_are_not_compared() {
        for kind in [RunKind::Tune, RunKind::Screen] {
            let summary = one_and_a_half_pairs(kind);
            let text = summary.report();
            assert!(text.contains("3 games played\n  endings   adjudicated draw 3\n"), "{text}");
            assert!(!text.contains("Elo") && !text.contains("score"), "{text}");
            assert!(summary.stats.is_some() && summary.comparison().is_none());
        }
    }

    #[test]
    fn engine_without_moves_has_no_times() {
        let engine = |moves, mean_latency_ms| {
            let totals = SideStats { moves, max_time_us: 1500 * moves, ..SideStats::default() };
            let name = "one".to_owned();
            EngineSummary { name, totals, mean_latency_ms, ..EngineSummary::default() }.line()
        };
        let unknown = "depth -, - nps";
        assert_eq!(engine(0, None), format!("  one: 0 moves, - ms per move (maximum - ms), {unknown}"));
        let latency = |latency| engine(1, Some(latency));
        let start = "  one: 1 move, - ms per move (maximum 1.5 ms, mean latency";
        assert_eq!(latency(0.25), format!("{start} 0.25 ms), {unknown}"));
        let why = "because the engine rounds its times up";
        assert_eq!(latency(-0.59), format!("{start} -0.59 ms {why}), {unknown}"));
    }
}
