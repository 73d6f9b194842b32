//! The checks in their order, and the loop that runs them.

use super::answers::{
    castling, chess960, depth, game_over, long_game, movetime, nodes, repeats_itself, searchmoves,
    short_of_time,
};
use super::instances::equal_instances;
use super::protocol::{
    answers_once, ending, info_lines, introduction, isready_in_a_search, nonsense, open_files, options,
    ponder, stop,
};
use super::support::{Flaw, Outcome, REDUCED, Subject, failed, tail};
use crate::measure::doctor::Finding;
use crate::play::limit_check::limits_strength;
use crate::uci::{Engine, UciError};

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
/// the last lines of the dialogue.
pub(crate) fn examine_engine(subject: Subject<'_>, report: &mut dyn FnMut(Finding)) {
    let mut unanswered = 0;
    for (index, (name, check)) in CHECKS.into_iter().enumerate() {
        if subject.cancel.is_cancelled() {
            return;
        }
        let mut engine = match subject.start() {
            Ok(engine) => engine,
            Err((UciError::Cancelled, _)) => return,
            Err((error, dialogue)) => {
                return report(Finding::bad("start", format!("{error}\n{}", tail(&dialogue))));
            }
        };
        match check(&mut engine) {
            Ok((severity, message)) => {
                report(Finding { check: name, severity, message });
                engine.quit(&subject.config.name);
            }
            Err(Flaw::BadAtFullStrength(message)) if limits_strength(subject.config) => {
                report(Finding::note(name, format!("{message}; {REDUCED}")));
                engine.quit(&subject.config.name);
            }
            Err(Flaw::Bad(message) | Flaw::BadAtFullStrength(message)) => {
                report(Finding::bad(name, format!("{message}\n{}", tail(&engine.dialogue()))));
            }
            Err(Flaw::Dialogue(error)) => {
                let Some(finding) = failed(name, &error, &engine.dialogue()) else { return };
                report(finding);
                unanswered += usize::from(matches!(error, UciError::Timeout { .. }));
                if unanswered == MAX_UNANSWERED {
                    return report(not_tried(&CHECKS[index + 1..]));
                }
            }
        }
    }
    if let Some(finding) = equal_instances(subject) {
        report(finding);
        ending(subject).into_iter().for_each(report);
    }
}

fn not_tried(checks: &[Check]) -> Finding {
    let names: Vec<&str> = checks.iter().map(|(name, _)| *name).collect();
    let message =
        format!("{MAX_UNANSWERED} checks had no answer, so these were not tried: {}", names.join(", "));
    Finding::note("not tried", message)
}
