//! Tests an engine in situations in which engines commonly fail in matches.
//!
//! Each check has a fresh process. Its finding describes the failure and the rule of the protocol.

mod identity;
mod instances;
mod limits;
mod positions;
mod protocol;
mod support;

use identity::{introduction, options};
use instances::equal_instances;
use limits::{depth, movetime, nodes, short_of_time};
use positions::{castling, chess960, game_over, long_game, repeats_itself, searchmoves};
use protocol::{answers_once, ending, info_lines, isready_in_a_search, nonsense, open_files, ponder, stop};
use support::{Outcome, ready, tail};

use super::{Finding, Severity};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Watchdog};
use crate::uci::{Engine, Launcher, UciError};

/// A check's name and its function.
type Check = (&'static str, fn(&mut Engine) -> Outcome);

const CHECKS: [Check; 19] = [
    ("introduces itself", introduction),
    ("options", options),
    ("go nodes", nodes),
    ("info lines", info_lines),
    ("go depth", depth),
    ("go movetime", movetime),
    ("short of time", short_of_time),
    ("one answer", answers_once),
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

/// After this many checks without an answer the rest is not tried: each takes the whole `answer` limit.
const MAX_UNANSWERED: usize = 3;

/// Runs the checks on an engine and passes each finding to `report` at once. The finding of a failed check ends with
/// the last lines of the dialogue. `watchdog.answer` should exceed any small search.
pub(crate) fn examine_engine(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
    report: &mut dyn FnMut(Finding),
) {
    let mut unanswered = 0;
    for (index, (name, check)) in CHECKS.into_iter().enumerate() {
        if cancel.is_cancelled() {
            return;
        }
        let mut engine = match ready(config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((UciError::Cancelled, _)) => return,
            Err((error, dialogue)) => {
                return report(Finding::bad("start", format!("{error}\n{}", tail(&dialogue))));
            }
        };
        match check(&mut engine) {
            Ok((Severity::Bad, message)) => {
                report(Finding::bad(name, format!("{message}\n{}", tail(&engine.dialogue()))));
            }
            Ok((severity, message)) => {
                report(Finding { check: name, severity, message });
                engine.quit();
            }
            Err(UciError::Cancelled) => return,
            Err(error @ UciError::Stalled) => {
                report(Finding::note(name, format!("{error}: try again when the machine is quiet")));
            }
            Err(error) => {
                report(Finding::bad(name, format!("{error}\n{}", tail(&engine.dialogue()))));
                unanswered += usize::from(matches!(error, UciError::Timeout { .. }));
                if unanswered == MAX_UNANSWERED {
                    return report(not_tried(&CHECKS[index + 1..]));
                }
            }
        }
    }
    if let Some(finding) = equal_instances(config, launcher, watchdog, cancel) {
        report(finding);
        if let Some(finding) = ending(config, launcher, watchdog, cancel) {
            report(finding);
        }
    }
}

fn not_tried(checks: &[Check]) -> Finding {
    let names: Vec<&str> = checks.iter().map(|(name, _)| *name).collect();
    let message =
        format!("{MAX_UNANSWERED} checks had no answer, so these were not tried: {}", names.join(", "));
    Finding::note("not tried", message)
}
