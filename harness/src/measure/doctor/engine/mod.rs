//! Tests an engine in situations in which engines commonly fail in matches.
//!
//! Each check has a fresh process. Its finding describes what went wrong and what the protocol
//! requires.

mod identity;
mod instances;
mod limits;
mod positions;
mod protocol;

use std::time::Duration;

use identity::{introduction, options};
use instances::equal_instances;
use limits::{depth, movetime, nodes, short_of_time};
use positions::{castling, chess960, game_over, long_game, repeats_itself, searchmoves};
use protocol::{ending, info_lines, isready_in_a_search, nonsense, open_files, ponder, stop};

use super::{Finding, Grade};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Variant, Watchdog};
use crate::play::referee::Board;
use crate::uci::{Engine, Launcher, SearchAnswer, UciError};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// A busy middlegame.
const MIDDLE: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
/// White can castle to both sides.
const CASTLES: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9";
const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1";

/// More than any answer to a small search should take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How late a timed answer may be before it would lose games.
const LATE: Duration = Duration::from_millis(50);
/// How long an engine may take to answer `stop`.
const STOP: Duration = Duration::from_millis(500);

/// What a check has shown.
type Outcome = Result<(Grade, String), UciError>;

/// A name and what is done under it.
type Check = (&'static str, fn(&mut Engine) -> Outcome);

const CHECKS: [Check; 18] = [
    ("introduces itself", introduction),
    ("options", options),
    ("go nodes", nodes),
    ("info lines", info_lines),
    ("go depth", depth),
    ("go movetime", movetime),
    ("short of time", short_of_time),
    ("go infinite, stop", stop),
    ("isready in a search", isready_in_a_search),
    ("ponder", ponder),
    ("castling", castling),
    ("searchmoves", searchmoves),
    ("game over", game_over),
    ("a long game", long_game),
    ("nonsense", nonsense),
    ("repeats itself", repeats_itself),
    ("Chess960", chess960),
    ("open files", open_files),
];

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn good(words: impl Into<String>) -> Outcome {
    Ok((Grade::Good, words.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn note(words: impl Into<String>) -> Outcome {
    Ok((Grade::Note, words.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn bad(words: impl Into<String>) -> Outcome {
    Ok((Grade::Bad, words.into()))
}

/// Puts an engine through every check; a check that fails shows the end of what was said.
pub(crate) fn examine_engine(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (what, check) in CHECKS {
        if cancel.is_cancelled() {
            return findings;
        }
        let mut engine = match ready(config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((error, dialogue)) => {
                findings.push(Finding::bad("start", format!("{error}\n{}", tail(&dialogue))));
                return findings;
            }
        };
        match check(&mut engine) {
            Ok((Grade::Bad, words)) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(what, format!("{words}\n{}", tail(&dialogue))));
            }
            Ok((grade, words)) => {
                findings.push(Finding { what, grade, words });
                engine.quit();
            }
            Err(UciError::Cancelled) => return findings,
            Err(error @ UciError::Stalled) => {
                findings.push(Finding::note(what, format!("{error}: try again when the machine is quiet")));
            }
            Err(error) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(what, format!("{error}\n{}", tail(&dialogue))));
            }
        }
    }
    if let Some(finding) = equal_instances(config, launcher, watchdog, cancel) {
        findings.push(finding);
        findings.push(ending(config, launcher, watchdog, cancel));
    }
    findings
}

fn ready(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Result<Engine, (UciError, String)> {
    let mut engine = Engine::start(config, launcher, watchdog, cancel)?;
    match engine.set_up(&config.options, &config.init).and_then(|()| engine.new_game()) {
        Ok(()) => Ok(engine),
        Err(error) => Err((error, engine.dialogue())),
    }
}

/// The last lines of a dialogue.
fn tail(dialogue: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = dialogue.lines().filter(|line| !line.contains(" currmove ")).collect();
    let cut = |line: &&str| line.chars().take(160).collect::<String>();
    lines[lines.len().saturating_sub(LINES)..].iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// Searches; returns the answer and every line before it.
fn search(
    engine: &mut Engine,
    fen: &str,
    go: &str,
    time: Duration,
) -> Result<(SearchAnswer, Vec<String>), UciError> {
    let mut lines = Vec::new();
    let text = format!("position fen {fen}\n{go}\n");
    let answer = engine.search_watched(&text, time, &mut |line| lines.push(line.to_owned()))?;
    lines.pop();
    Ok((answer, lines))
}

/// Is `text` a legal move there, written as standard chess writes it?
fn is_legal(fen: &str, text: &str) -> bool {
    Board::new(fen, Variant::Standard).is_ok_and(|mut board| board.play(text))
}

/// The result of a search with a checked move.
enum CheckedSearch {
    /// The move is legal.
    Legal(SearchAnswer),
    /// The move is illegal: a description for the report.
    Illegal(String),
}

/// Searches and checks that the best move is legal.
fn checked(engine: &mut Engine, fen: &str, go: &str, time: Duration) -> Result<CheckedSearch, UciError> {
    let (answer, _) = search(engine, fen, go, time)?;
    Ok(if is_legal(fen, &answer.best_move) {
        CheckedSearch::Legal(answer)
    } else {
        let best_move = &answer.best_move;
        CheckedSearch::Illegal(format!(
            "after `{go}` it plays `{best_move}`, which is no legal move in {fen}"
        ))
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
