//! The display of a match: a live view on a terminal, plain lines elsewhere, and events for
//! programs.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::conditions::limits_text;
use super::play::MatchPlay;
use super::study::{MatchState, MatchStudy};
use super::{MatchSummary, OptionSource, RunKind, Standings};
use crate::base::wording::counted;
use crate::play::record::{Audit, GameRecord};
use crate::play::verdict::Tracker;
use crate::report::{BlockRequest, Report};
use crate::run::console::{BAR_WIDTH, Screen, Verbosity, clock_time, emit, is_printed, length_bar};
use crate::run::executor::{Progress, View};
use stretto_stats::summary::{MatchStats, OrAbsent, SprtState};

impl View for MatchPlay {
    const REPORTS_STEAL_TIME: bool = true;

    fn header(&self) -> String {
        let MatchStudy { config, execution, .. } = &self.study;
        format!("{} | {} | {} at once", config.contest(), limits_text(config), execution.concurrency)
    }

    fn started(&self, state: &MatchState) -> (Value, Option<String>) {
        let games = state.played.len();
        let body = json!({ "engines": self.study.config.names(), "games_before": games });
        (body, (games > 0).then(|| format!("with {}", counted(games, "game"))))
    }

    fn show_record(&self, screen: &Screen, game: &GameRecord, fault: Option<&Path>) {
        let (config, outputs) = (&self.study.config, &self.equipment.outputs);
        outputs.game_finished(game);
        outputs.log(&self.study.game_line(game));
        for wrong in game.wrong_pvs.iter().filter(|wrong| wrong.line.is_some()) {
            let name = &config.engines[game.engine(game.side_of(wrong.ply))].name;
            let line = wrong.line.as_deref().unwrap_or_default();
            outputs.log(&format!("game {}: {name}: {}: {line}", game.number(), wrong.error));
        }
        screen.event("game_finished", json!({ "game": game_event(game), "fault_file": fault }));
        if !screen.is_json && is_printed(Verbosity::Verbose) {
            screen.line(&self.study.game_line(game));
        }
        if let (Some(side), Some(file)) = (game.termination.fault(), fault) {
            let name = &config.engines[game.engine(side)].name;
            let (number, ended) = (game.number(), &game.termination);
            screen.line(&format!("game {number}: {name}: {ended} (see {})", file.display()));
            screen.line(&format!(
                "    to repeat it: harness replay {}",
                file.with_extension("replay.yaml").display()
            ));
        }
    }

    fn show_unit(&self, screen: &Screen, progress: &Progress<'_, MatchState>) {
        if !screen.is_json {
            return;
        }
        let summarizer = &progress.state.summarizer;
        let eta = self.eta(progress).map(|eta| eta.as_secs());
        let mut body = json!({ "pairs": progress.done, "eta_s": eta });
        match summarizer.standings() {
            Some(standings) => body["standings"] = json!(standings),
            None => body["stats"] = json!(summarizer.stats()),
        }
        emit("pair_finished", body);
    }

    fn news(&self) -> Option<String> {
        self.study.option_source.as_deref().map(OptionSource::line)
    }

    fn units(&self, state: &MatchState) -> u64 {
        state.summarizer.played_pairs()
    }

    fn length(&self) -> Option<(u64, &'static str)> {
        Some((self.study.execution.own_pairs(&self.study.config)?, "pairs"))
    }

    fn live(&self, progress: &Progress<'_, MatchState>) -> String {
        let summarizer = &progress.state.summarizer;
        let stats = summarizer.stats();
        let is_test = stats.as_ref().is_some_and(|stats| stats.sprt.is_some());
        let bar = self.length().filter(|_| !is_test);
        let bar = bar.map(|(max, units)| length_bar(progress.done, max, units) + "\n").unwrap_or_default();
        let eta = self.eta(progress).map_or_else(|| "-".to_owned(), clock_time);
        let pace = progress.session as f64 * 2.0 / progress.elapsed.as_secs_f64().max(1e-3);
        let elapsed = clock_time(progress.elapsed);
        let times = format!("{bar}elapsed {elapsed}   {pace:.2} games/s   ETA {eta}");
        let result = stats.map(|stats| view_of_two(self.study.config.kind, &stats));
        view(result, summarizer.standings().as_ref(), times)
    }

    fn line(&self, progress: &Progress<'_, MatchState>) -> String {
        let summarizer = &progress.state.summarizer;
        let eta = self.eta(progress).map_or_else(|| "-".to_owned(), clock_time);
        let stats = match (summarizer.stats(), summarizer.standings()) {
            (Some(stats), _) => line_of_two(self.study.config.kind, &stats),
            (None, Some(Standings { table, .. })) => {
                let games = summarizer.counted.games;
                let engines: Vec<String> =
                    table.iter().map(|line| format!("{} {}", line.name, line.rating_text())).collect();
                format!("games {games} | {}", engines.join(", "))
            }
            (None, None) => String::new(),
        };
        format!("{} {stats} | ETA {eta}", clock_time(progress.elapsed))
    }

    /// Considers the pace of this session and, in a test, the drift of its LLR.
    fn eta(&self, progress: &Progress<'_, MatchState>) -> Option<Duration> {
        let by_length = self.length().map(|(max, _)| max.saturating_sub(progress.done) as f64);
        let by_test = progress.state.summarizer.only().and_then(Tracker::expected_rest);
        let left = match (by_length, by_test) {
            (Some(length), Some(test)) => length.min(test),
            (length, test) => length.or(test)?,
        };
        progress.eta(left)
    }

    fn games_under_way(&self) -> Value {
        json!(self.live.games(&self.study.config.names()))
    }

    fn ended(&self, _state: &MatchState, summary: &MatchSummary) -> Value {
        json!({ "verdict": summary.verdict_text(), "summary": summary })
    }

    fn text(&self, _state: &MatchState, summary: &MatchSummary, report: &Report, _folder: &Path) -> String {
        let outputs = &self.equipment.outputs;
        // Standard output then belongs to the script that reads it.
        let text = if outputs.prints() { String::new() } else { summary.report() };
        let block = outputs.block.map(|format| report.block(BlockRequest::of(format)));
        text + &block
            .map_or_else(String::new, |block| format!("\n{}\n", block.unwrap_or_else(|reason| reason)))
    }
}

impl MatchStudy {
    /// Returns a finished game in one line.
    fn game_line(&self, game: &GameRecord) -> String {
        let [white, black] = [game.white, game.black].map(|index| &self.config.engines[index].name);
        let (number, result, ended) = (game.number(), game.result, &game.termination);
        let audit = game.audit.as_ref().map_or_else(String::new, |audit| format!("; audit: {audit}"));
        format!("game {number}: {white} - {black} {}, {ended}, {} plies{audit}", result.text(), game.plies)
    }
}

/// Returns the game of an event, without its moves.
fn game_event(game: &GameRecord) -> Value {
    let mut event = json!({
        "game": game.game,
        "pair": game.pair,
        "half": game.half,
        "white": game.white,
        "black": game.black,
        "result": game.result.text(),
        "termination": game.termination,
        "plies": game.plies,
        "duration_ms": game.duration_ms,
    });
    if let Some(Audit { result, ended, moves, .. }) = &game.audit {
        event["audit"] = json!({ "result": result, "ended": ended, "plies": moves.len() });
    }
    event
}

/// Returns the statistics of two engines in one line.
fn line_of_two(kind: RunKind, stats: &MatchStats) -> String {
    if kind.compares_engines() { stats.to_string() } else { format!("games {}", finished(stats)) }
}

/// Returns the number of finished games.
fn finished(stats: &MatchStats) -> u64 {
    stats.games.games() + stats.single.games()
}

/// Returns the result of two engines above the times, or below them the standings of many, whose end a terminal may cut
/// off.
fn view(result: Option<String>, standings: Option<&Standings>, times: String) -> String {
    let table = standings.map(|standings| standings.lines().join("\n"));
    result.into_iter().chain([times]).chain(table).collect::<Vec<_>>().join("\n")
}

/// Returns the scores of two engines, and the state of their test if there is one.
fn view_of_two(kind: RunKind, stats: &MatchStats) -> String {
    let games = stats.games;
    if !kind.compares_engines() {
        return format!("games {}", finished(stats));
    }
    let mut text = format!("games {:<6} +{} ={} -{}", games.games(), games.wins, games.draws, games.losses);
    if let Some(score) = stats.score {
        let _ = write!(text, "   score {score}");
    }
    if stats.pairs.pairs() > 0 {
        let _ = write!(text, "   Elo {}   LOS {}", stats.elo_text(), OrAbsent(stats.los));
    }
    if let Some(single) = stats.single_text() {
        let _ = write!(text, "   {single}");
    }
    if let Some(sprt) = &stats.sprt {
        let _ = write!(text, "\n{}", llr_bar(sprt));
    }
    text
}

/// Formats `H0: 0 nElo  -2.94 [-----------|----o------] 2.94  H1: 10 nElo   LLR 1.23`.
fn llr_bar(sprt: &SprtState) -> String {
    let (low, high) = (sprt.bounds.lower.0, sprt.bounds.upper.0);
    let column = |llr: f64| {
        let share = ((llr - low) / (high - low)).clamp(0.0, 1.0);
        (share * (BAR_WIDTH - 1) as f64).round() as usize
    };
    let mut bar = vec!['-'; BAR_WIDTH];
    bar[column(0.0)] = '|';
    bar[column(sprt.llr.0)] = 'o';
    let bar: String = bar.into_iter().collect();
    let (elo0, elo1) = (sprt.spec.elo0(), sprt.spec.elo1());
    let unit = sprt.spec.model().unit();
    format!("H0: {elo0} {unit}  {low:.2} [{bar}] {high:.2}  H1: {elo1} {unit}   LLR {}", sprt.llr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::bounds::Corrections;
    use stretto_stats::bounds::Sprt;
    use stretto_stats::counts::{Pentanomial, Trinomial};
    use stretto_stats::llr::Model;

    #[test]
    fn sides_of_a_tuning_or_screening_have_no_elo() {
        let games = Trinomial { losses: 0, draws: 2, wins: 0 };
        let single = Trinomial { losses: 1, draws: 0, wins: 0 };
        let stats = MatchStats { single, ..MatchStats::new(Pentanomial([0, 0, 1, 0, 0]), games, None) };
        let texts = |kind| [line_of_two(kind, &stats), view_of_two(kind, &stats)];
        for kind in [RunKind::Tune, RunKind::Screen] {
            assert_eq!(texts(kind), ["games 3", "games 3"]);
        }
        let [line, view] = texts(RunKind::Match);
        assert!(
            line.starts_with("Elo 0.0 (")
                && view.starts_with("games 2      +0 =2 -0   score 50.0 %   Elo 0.0 ("),
            "{view}"
        );
    }

    #[test]
    fn times_are_above_the_standings_of_many() {
        let engines: Vec<_> = (0..40).map(|engine| (format!("engine {engine}"), None)).collect();
        let text = view(None, Some(&Standings::of(&engines, &[])), "bar\ntimes".to_owned());
        assert!(text.starts_with("bar\ntimes\n  # engine ") && text.lines().count() == 43, "{text}");
        assert_eq!(view(Some("score".to_owned()), None, "times".to_owned()), "score\ntimes");
    }

    #[test]
    fn game_before_the_first_pair_gives_no_score() {
        let single = Trinomial { losses: 0, draws: 0, wins: 1 };
        let none = MatchStats::new(Pentanomial::default(), Trinomial::default(), None);
        let view = view_of_two(RunKind::Match, &MatchStats { single, ..none });
        assert_eq!(view, "games 0      +0 =0 -0   1 game of an incomplete pair (+1 =0 -0)");
    }

    #[test]
    fn the_bar_shows_where_the_llr_stands() {
        let spec = Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05).unwrap();
        let bar =
            |pairs: [u64; 5]| llr_bar(&SprtState::new(spec, &Pentanomial(pairs), Corrections::default()));
        assert!(bar([0, 0, 0, 0, 0]).contains("[--------------------o--------------------]"));
        assert!(bar([0, 900, 0, 0, 0]).contains("[o-------------------|--------------------]"));
        assert!(bar([0, 0, 0, 900, 0]).contains("[--------------------|-------------------o]"));
    }

    #[test]
    fn bar_length_and_clock_are_formatted() {
        assert!(length_bar(5, 10, "pairs").starts_with("[====================-"));
        assert!(length_bar(0, 0, "pairs").contains("0 of 0 pairs"));
        assert_eq!(clock_time(Duration::from_secs(3725)), "1:02:05");
    }
}
