//! The search for openings, in the order of the candidates.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::channel;

use anyhow::anyhow;

use super::candidate::{Opening, evaluate_candidates, watchdog};
use super::config::OpeningSetConfig;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::workers;
use stretto_harness::config::{FieldPath, Limits, Variant};
use stretto_harness::play::limit_check::{LimitViolation, LimitWatch};
use stretto_harness::pool::{PreflightError, Setup, try_engine};
use stretto_harness::uci::Launcher;

/// Number of candidates per requested opening before giving up.
const TRIES_PER_OPENING: u64 = 500;

/// A complete opening set, and whether its engine kept to the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MadeOpenings {
    /// The lines of the file.
    pub text: String,
    /// The engine, if it ignores its limit of nodes.
    pub limit_violations: Vec<LimitViolation>,
}

/// Starts and ends the engine once and checks its options. Returns warnings for the user.
pub(crate) fn trial(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
) -> Result<Vec<String>, PreflightError> {
    let setup = Setup::new(launcher.clone(), watchdog(config), Variant::Standard, false, cancel.clone());
    let trial = try_engine(&config.engine, &FieldPath::root().key("engine"), &setup)?;
    Ok(trial.warnings)
}

/// Makes the set. `progress` receives the numbers of accepted openings and evaluated
/// candidates.
pub(crate) fn make_openings(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
    mut progress: impl FnMut(usize, u64),
) -> Result<MadeOpenings, Stop> {
    let next = AtomicU64::new(0);
    let done = Cancel::new();
    let stem = config.output.file_stem().unwrap_or_default().to_string_lossy();
    let mut set = OpeningSet::new(&stem, config.count);
    let searches = std::iter::once(config.nodes).chain(config.verify);
    let limited = |nodes| (config.engine.name.clone(), Limits { nodes: Some(nodes), ..Limits::default() });
    let mut watch = LimitWatch::new(searches.map(limited));
    let limit = TRIES_PER_OPENING * config.count as u64;
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let evaluators = (0..config.concurrency).map(|_| {
            let (sender, next, done) = (sender.clone(), &next, &done);
            move || {
                if let Err(error) = evaluate_candidates(config, launcher, cancel, done, next, &sender) {
                    let _ = sender.send(Err(error));
                }
            }
        });
        // Fewer workers find the same openings in more time.
        workers::start(scope, evaluators)?;
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for message in receiver {
            let (index, candidate) = message.inspect_err(|_| done.cancel())?;
            waiting.insert(index, candidate);
            while let Some(candidate) = waiting.remove(&turn) {
                turn += 1;
                watch.add(candidate.efforts.iter().copied().enumerate());
                if let Some(opening) = candidate.opening {
                    set.add(opening);
                }
                if set.is_full() || turn >= limit {
                    done.cancel();
                    break;
                }
            }
            progress(set.count, turn);
            if done.is_cancelled() {
                break;
            }
        }
        if set.is_full() {
            return Ok(MadeOpenings { text: set.text, limit_violations: watch.violations() });
        }
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let (found, wanted) = (set.count, config.count);
        Err(anyhow!(
            "only {found} of {wanted} openings after {turn} candidates: allow more plies or a wider range of scores"
        ))?
    })
}

/// The openings accepted so far.
struct OpeningSet {
    stem: String,
    wanted: usize,
    seen: HashSet<String>,
    count: usize,
    text: String,
}

impl OpeningSet {
    fn new(stem: &str, wanted: usize) -> Self {
        // The text of an operation has no quotes.
        let stem = stem.replace('"', "");
        Self { stem, wanted, seen: HashSet::new(), count: 0, text: String::new() }
    }

    fn is_full(&self) -> bool {
        self.count >= self.wanted
    }

    /// Adds an opening unless it is a duplicate.
    fn add(&mut self, Opening { epd, halfmoves, full_move, cp }: Opening) {
        if self.is_full() || self.seen.contains(&epd) {
            return;
        }
        self.count += 1;
        let (stem, number) = (&self.stem, self.count);
        let _ =
            writeln!(self.text, "{epd} hmvc {halfmoves}; fmvn {full_move}; ce {cp}; id \"{stem}.{number}\";");
        self.seen.insert(epd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_no_quotes_of_the_file_name() {
        let mut set = OpeningSet::new("my \"own\" set", 1);
        set.add(Opening {
            epd: "4k3/8/8/8/8/8/4P3/4K3 w - -".to_owned(),
            halfmoves: 0,
            full_move: 1,
            cp: 20,
        });
        assert!(set.text.ends_with("; id \"my own set.1\";\n"), "{}", set.text);
    }
}
