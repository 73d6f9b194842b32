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
use protocol::{ending, info_lines, isready_in_a_search, nonsense, open_files, ponder, stop};
use support::{Outcome, ready, tail};

use super::{Finding, Severity};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Watchdog};
use crate::uci::{Engine, Launcher, UciError};

/// A check's name and its function.
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

/// Runs all checks on an engine. The finding of a failed check ends with the last lines of the dialogue.
pub(crate) fn examine_engine(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, check) in CHECKS {
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
            Ok((Severity::Bad, message)) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(name, format!("{message}\n{}", tail(&dialogue))));
            }
            Ok((severity, message)) => {
                findings.push(Finding { check: name, severity, message });
                engine.quit();
            }
            Err(UciError::Cancelled) => return findings,
            Err(error @ UciError::Stalled) => {
                findings.push(Finding::note(name, format!("{error}: try again when the machine is quiet")));
            }
            Err(error) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(name, format!("{error}\n{}", tail(&dialogue))));
            }
        }
    }
    if let Some(finding) = equal_instances(config, launcher, watchdog, cancel) {
        findings.push(finding);
        findings.push(ending(config, launcher, watchdog, cancel));
    }
    findings
}
