//! How a run shows itself: a live view on a terminal, plain lines elsewhere, and a stream of events for programs.
//!
//! Human text goes to stderr, events go to stdout. A reader that goes away (a closed pipe) never stops a run.

mod datagen;
mod screen;
mod searches;
mod suite;
mod train;

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use serde_json::{Value, json};

pub use datagen::DatagenDisplay;
pub use searches::SearchesDisplay;
pub use suite::SuiteDisplay;
pub use train::TrainDisplay;

use crate::config::{EngineConfig, MatchConfig};
use crate::runner::{Observer, Progress, Standing, Standings, Summary};
use crate::stats::llr::Model;
use crate::stats::summary::{MatchStats, OrAbsent, SprtState};
use crate::store::{GameRecord, Side};
use screen::Screen;

/// The format of the events.
pub const EVENT_VERSION: u32 = 1;
/// Least time between two plain lines, unless told otherwise.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);
/// Least time between two drawings of the live view.
const LIVE_INTERVAL: Duration = Duration::from_millis(100);
/// Width of the LLR's bar. Units: characters.
const BAR_WIDTH: usize = 41;

/// Writes one event line to stdout.
fn emit(event: &str, mut body: Value) {
    if let Value::Object(fields) = &mut body {
        fields.insert("v".to_owned(), EVENT_VERSION.into());
        fields.insert("event".to_owned(), event.into());
    }
    let mut out = std::io::stdout().lock();
    // Nobody may be listening any more; the run matters more than its audience.
    let _ = writeln!(out, "{body}").and_then(|()| out.flush());
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Where a match shows itself.
#[derive(Debug)]
pub struct Display {
    names: Vec<String>,
    screen: Screen,
}

impl Display {
    /// A display for this run; `is_json` adds the events.
    pub fn new(config: &MatchConfig, is_json: bool) -> Self {
        let names: Vec<String> = config.engines.iter().map(|engine| engine.name.clone()).collect();
        let mut limits: Vec<String> = config.engines.iter().map(EngineConfig::limits_in_words).collect();
        limits.dedup();
        let who = match &names[..] {
            [first, second] => format!("{first} against {second}"),
            _ => format!("{} engines in {} pairings", names.len(), config.pairings.count()),
        };
        let header = format!("{who} | {} | {} at once", limits.join(" against "), config.concurrency);
        Self { names, screen: Screen::new(header, is_json) }
    }

    /// The same with plain lines so far apart.
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.screen.interval = interval;
        self
    }

    /// Does it stream events?
    pub fn is_json(&self) -> bool {
        self.screen.is_json
    }

    /// Announces the run.
    pub fn start(&self, run: &Path, games_before: usize) {
        let body = json!({ "engines": self.names, "games_before": games_before });
        self.screen.start(run, body, (games_before > 0).then(|| format!("with {games_before} games")));
    }

    /// Ends the live view and, with events, tells the outcome.
    pub fn finish(&mut self, summary: &Summary) {
        self.screen.finish(json!({ "verdict": summary.verdict_text(), "summary": summary }));
    }

    /// Removes the live view, for an error message to follow.
    pub fn abandon(&mut self) {
        self.screen.abandon();
    }

    fn draw(&mut self, progress: &Progress<'_>) {
        if self.screen.is_due(progress.summarizer.pairs()) {
            self.screen.show(|| view(progress), || plain_line(progress));
        }
    }
}

impl Observer for Display {
    fn game(&mut self, game: &GameRecord, fault: Option<&Path>) {
        if self.screen.is_json {
            emit("game_finished", json!({ "game": GameEvent::of(game), "fault_file": fault }));
        }
        if let (Some(side), Some(file)) = (game.termination.fault(), fault) {
            let index = if side == Side::White { game.white } else { game.black };
            let name = self.names.get(index).map_or("?", String::as_str);
            self.screen.line(&format!(
                "game {}: {name}: {} (see {})",
                game.game,
                game.termination,
                file.display()
            ));
        }
    }

    fn notice(&mut self, text: &str) {
        self.screen.notice(text);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        if self.screen.is_json && progress.is_new_pair {
            let eta = progress.eta().map(|eta| eta.as_secs());
            let (stats, standings) = (progress.summarizer.stats(), progress.summarizer.standings());
            let mut body = json!({ "pairs": progress.summarizer.pairs(), "eta_s": eta });
            match standings {
                Some(standings) => body["standings"] = json!(standings),
                None => body["stats"] = json!(stats),
            }
            emit("pair_finished", body);
        }
        self.draw(progress);
    }
}

/// A view that can be drawn again and again, where stderr is a terminal.
fn live_view() -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // The template has no field but the message: it cannot be wrong.
        bar.set_style(
            ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar
    })
}

/// A game without its moves: those are in the journal.
#[derive(Serialize)]
struct GameEvent<'a> {
    game: u64,
    pair: u64,
    half: u8,
    white: usize,
    black: usize,
    result: &'a str,
    termination: &'a crate::store::Termination,
    plies: usize,
    duration_ms: u64,
}

impl<'a> GameEvent<'a> {
    fn of(game: &'a GameRecord) -> Self {
        let GameRecord { pair, half, white, black, plies, duration_ms, .. } = *game;
        let (result, termination) = (game.result.text(), &game.termination);
        Self { game: game.game, pair, half, white, black, result, termination, plies, duration_ms }
    }
}

/// The live view below its header.
fn view(progress: &Progress<'_>) -> String {
    let mut text = match (progress.summarizer.stats(), progress.summarizer.standings()) {
        (Some(stats), _) => view_of_two(&stats),
        (None, Some(standings)) => standings.lines().join("\n"),
        (None, None) => String::new(),
    };
    let is_test = progress.summarizer.stats().is_some_and(|stats| stats.sprt.is_some());
    if let Some(max) = progress.max_pairs.filter(|_| !is_test) {
        let _ = write!(text, "\n{}", length_bar(progress.summarizer.pairs(), max, "pairs"));
    }
    let eta = progress.eta().map_or_else(|| "-".to_owned(), clock_time);
    let pace = progress.session_pairs as f64 * 2.0 / progress.elapsed.as_secs_f64().max(1e-3);
    let _ =
        write!(text, "\nelapsed {}   {pace:.2} games/s   to go about {eta}", clock_time(progress.elapsed));
    text
}

/// The scores of two engines, and the test of them if there is one.
fn view_of_two(stats: &MatchStats) -> String {
    let games = stats.games;
    let mut text = format!("games {:<6} +{} ={} -{}", games.games(), games.wins, games.draws, games.losses);
    if let Some(score) = stats.score {
        let _ = write!(text, "   score {score}   Elo {}   LOS {}", OrAbsent(stats.elo), OrAbsent(stats.los));
    }
    if let Some(sprt) = &stats.sprt {
        let _ = write!(text, "\n{}", llr_bar(sprt));
    }
    text
}

/// `H0: 0 nElo  -2.94 [-----------|----o------] 2.94  H1: 10 nElo   LLR 1.23`
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
    let unit = match sprt.spec.model() {
        Model::Normalized => "nElo",
        Model::Logistic => "Elo",
    };
    format!("H0: {elo0} {unit}  {low:.2} [{bar}] {high:.2}  H1: {elo1} {unit}   LLR {}", sprt.llr)
}

fn length_bar(done: u64, max: u64, items: &str) -> String {
    let filled = (done as f64 / max.max(1) as f64 * BAR_WIDTH as f64) as usize;
    let filled = filled.min(BAR_WIDTH);
    format!("[{}{}] {done} of {max} {items}", "=".repeat(filled), "-".repeat(BAR_WIDTH - filled))
}

/// All in one line, for a log.
fn plain_line(progress: &Progress<'_>) -> String {
    let eta = progress.eta().map_or_else(|| "-".to_owned(), clock_time);
    let stats = match (progress.summarizer.stats(), progress.summarizer.standings()) {
        (Some(stats), _) => stats.to_string(),
        (None, Some(Standings { table, .. })) => {
            let games = progress.summarizer.games();
            let elo =
                |line: &Standing| line.rating.map_or_else(|| "-".to_owned(), |rating| rating.to_string());
            let engines: Vec<String> =
                table.iter().map(|line| format!("{} {}", line.name, elo(line))).collect();
            format!("games {games} | {}", engines.join(", "))
        }
        (None, None) => String::new(),
    };
    format!("{} {stats} | to go about {eta}", clock_time(progress.elapsed))
}

fn clock_time(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 100 * 3600 {
        return "over 100 h".to_owned();
    }
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::bounds::Sprt;
    use crate::stats::counts::Pentanomial;
    use crate::stats::overshoot::Corrections;

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
    fn lengths_and_times() {
        assert!(length_bar(5, 10, "pairs").starts_with("[====================-"));
        assert!(length_bar(0, 0, "pairs").contains("0 of 0 pairs"));
        assert_eq!(clock_time(Duration::from_secs(3725)), "1:02:05");
    }
}
