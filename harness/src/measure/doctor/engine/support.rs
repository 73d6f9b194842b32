//! Searches and verdicts that the checks share.

use std::fmt::Display;
use std::time::Duration;

use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Variant, Watchdog};
use crate::measure::doctor::{Finding, Severity};
use crate::play::referee::Board;
use crate::uci::{Engine, Launcher, SearchAnswer, UciError};

pub(super) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// A middlegame with many captures.
pub(super) const MIDDLE: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
/// White can castle to both sides.
pub(super) const CASTLES: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9";
pub(super) const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
pub(super) const STALEMATE: &str = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1";

/// Maximum delay of a timed answer; a longer one would lose games.
pub(super) const LATE: Duration = Duration::from_millis(50);
/// Reason for a note instead of a defect.
pub(super) const REDUCED: &str = "usual with UCI_LimitStrength";
/// Maximum time to answer `stop`.
pub(super) const STOP: Duration = Duration::from_millis(500);

/// The severity and message of a check that is not bad, or the reason why it is.
pub(super) type Outcome = Result<(Severity, String), Flaw>;

/// The reason why a check did not pass.
pub(super) enum Flaw {
    /// The engine breaks a rule: a description for the report.
    Bad(String),
    /// The same, but usual for an engine of reduced strength.
    BadAtFullStrength(String),
    /// The engine died, did not answer or was stopped.
    Dialogue(UciError),
}

impl From<UciError> for Flaw {
    fn from(error: UciError) -> Self {
        Self::Dialogue(error)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the result of a check")]
pub(super) fn good(message: impl Into<String>) -> Outcome {
    Ok((Severity::Good, message.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "the result of a check")]
pub(super) fn note(message: impl Into<String>) -> Outcome {
    Ok((Severity::Note, message.into()))
}

pub(super) fn bad<T>(message: impl Into<String>) -> Result<T, Flaw> {
    Err(Flaw::Bad(message.into()))
}

/// Names a defect unless a condition holds.
pub(super) fn require(holds: bool, defect: impl Display) -> Result<(), Flaw> {
    if holds { Ok(()) } else { bad(defect.to_string()) }
}

/// The engine that is examined, and how its processes are started.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) config: &'a EngineConfig,
    pub(crate) launcher: &'a Launcher,
    /// Its time for answers should exceed any small search.
    pub(crate) watchdog: Watchdog,
    pub(crate) cancel: &'a Cancel,
}

impl Subject<'_> {
    /// Starts a process and sets its options. Errors have the dialogue.
    pub(super) fn start(self) -> Result<Engine, (UciError, String)> {
        let Self { config, launcher, watchdog, cancel } = self;
        let mut engine = Engine::start(config, launcher, watchdog, cancel)?;
        let ready = engine.set_up(&config.options, &config.init).and_then(|()| engine.new_game());
        ready.map_err(|error| (error, engine.dialogue()))?;
        Ok(engine)
    }
}

/// Returns the finding of a check whose dialogue failed; none if it was cancelled.
pub(super) fn failed(check: &'static str, error: &UciError, dialogue: &str) -> Option<Finding> {
    match error {
        UciError::Cancelled => None,
        UciError::Stalled => {
            Some(Finding::note(check, format!("{error}: try again when the machine is quiet")))
        }
        error => Some(Finding::bad(check, format!("{error}\n{}", tail(dialogue)))),
    }
}

/// Returns the last lines of a dialogue.
pub(super) fn tail(dialogue: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = dialogue.lines().filter(|line| !line.contains(" currmove ")).collect();
    let cut = |line: &&str| line.chars().take(160).collect::<String>();
    lines[lines.len().saturating_sub(LINES)..].iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// Searches; returns the answer and every line before it.
pub(super) fn search(
    engine: &mut Engine,
    fen: &str,
    go: &str,
) -> Result<(SearchAnswer, Vec<String>), UciError> {
    let mut lines = Vec::new();
    let text = format!("position fen {fen}\n{go}\n");
    let answer =
        engine.search_watched(&text, engine.answer_limit(), &mut |line| lines.push(line.to_owned()), None)?;
    lines.pop();
    Ok((answer, lines))
}

/// Returns whether `text` is a legal move in the notation of standard chess.
pub(super) fn is_legal(fen: &str, text: &str) -> bool {
    Board::new(fen, Variant::Standard).is_ok_and(|mut board| board.play(text))
}

/// Searches; the check is bad if the best move is illegal.
pub(super) fn checked(engine: &mut Engine, fen: &str, go: &str) -> Result<SearchAnswer, Flaw> {
    let (answer, _) = search(engine, fen, go)?;
    if is_legal(fen, &answer.best_move) {
        return Ok(answer);
    }
    bad(format!("after `{go}` it plays `{}`, which is no legal move in {fen}", answer.best_move))
}

pub(super) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
