//! Creation of balanced opening sets: random legal plies, filtered by an engine's evaluation.
//!
//! Candidate `i` depends only on the seed and on `i`, each search starts from `ucinewgame`, and
//! candidates are accepted in order. So with a single-threaded engine the same configuration gives
//! the same file for any concurrency.
//!
//! This is no experiment of the executor: it has no run folder and no journal, and cannot be
//! resumed. It writes one file when it is done; an unfinished set is not written.

pub(crate) mod command;
pub(crate) mod config;

pub use config::OpeningSetConfig;

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode, Position};
use thiserror::Error;

use crate::base::cancel::Cancel;
use crate::base::random::SplitMix64;
use crate::base::workers;
use crate::base::workers::SpawnError;
use crate::config::{Limits, Watchdog};
use crate::play::limit_check::{Effort, LimitViolation, LimitWatch};
use crate::uci::{Engine, Launcher, ReportedScore, UciError};

/// Number of candidates per requested opening before giving up.
const TRIES_PER_OPENING: u64 = 500;

/// The reason why no set was created.
#[derive(Debug, Error)]
pub(crate) enum OpeningMakerError {
    /// The evaluating engine failed.
    #[error("the engine failed: {error}\n{dialogue}")]
    Engine {
        /// The failure.
        error: UciError,
        /// The UCI dialogue.
        dialogue: String,
    },
    /// The engine reported no score.
    #[error("the engine gave no score for {epd}")]
    NoScore {
        /// EPD of the position.
        epd: String,
    },
    /// Too few candidates are balanced.
    #[error("only {found} of {wanted} openings after {tried} candidates: allow more plies or a larger score")]
    TooFew {
        /// Openings accepted.
        found: usize,
        /// Openings requested.
        wanted: usize,
        /// Candidates evaluated.
        tried: u64,
    },
    /// No worker thread could be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// Cancellation was requested; nothing is written.
    #[error("stopped on request")]
    Cancelled,
}

/// The state of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Candidate {
    /// The random moves ended in a position that cannot serve as an opening.
    Unfit,
    /// The evaluated position: four EPD fields, counters, the score of the side to move, and the
    /// effort of the search.
    Evaluated { epd: String, halfmoves: u32, full_move: u32, score: ReportedScore, effort: Effort },
}

/// A complete opening set, and whether its engine kept to the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MadeOpenings {
    /// The lines of the file.
    pub text: String,
    /// The engine, if it ignores its limit of nodes.
    pub limit_violations: Vec<LimitViolation>,
}

/// Makes the set. `progress` receives the numbers of accepted openings and evaluated
/// candidates.
pub(crate) fn make_openings(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
    mut progress: impl FnMut(usize, u64),
) -> Result<MadeOpenings, OpeningMakerError> {
    let next = AtomicU64::new(0);
    let done = Cancel::new();
    let stem = config.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut set = OpeningSet::new(stem, config);
    let limits = Limits { nodes: Some(config.nodes), ..Limits::default() };
    let mut watch = LimitWatch::new([(config.engine.name.clone(), limits)]);
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
                if let Candidate::Evaluated { effort, .. } = candidate {
                    watch.add([(0, effort)]);
                }
                set.consider(candidate);
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
            return Err(OpeningMakerError::Cancelled);
        }
        Err(OpeningMakerError::TooFew { found: set.count, wanted: config.count, tried: turn })
    })
}

/// The openings accepted so far.
struct OpeningSet {
    stem: String,
    limit: u32,
    wanted: usize,
    seen: HashSet<String>,
    count: usize,
    text: String,
}

impl OpeningSet {
    fn new(stem: String, config: &OpeningSetConfig) -> Self {
        let (limit, wanted) = (config.limit, config.count);
        Self { stem, limit, wanted, seen: HashSet::new(), count: 0, text: String::new() }
    }

    fn is_full(&self) -> bool {
        self.count >= self.wanted
    }

    /// Accepts a candidate that is balanced and not a duplicate.
    fn consider(&mut self, candidate: Candidate) {
        let Candidate::Evaluated { epd, halfmoves, full_move, score: ReportedScore::Cp(cp), .. } = candidate
        else {
            return;
        };
        if self.is_full() || cp.unsigned_abs() > self.limit || self.seen.contains(&epd) {
            return;
        }
        self.count += 1;
        let (stem, number) = (&self.stem, self.count);
        let _ =
            writeln!(self.text, "{epd} hmvc {halfmoves}; fmvn {full_move}; ce {cp}; id \"{stem}.{number}\";");
        self.seen.insert(epd);
    }
}

type Message = Result<(u64, Candidate), OpeningMakerError>;

/// Evaluates candidates until the set is complete.
fn evaluate_candidates(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
    done: &Cancel,
    next: &AtomicU64,
    messages: &Sender<Message>,
) -> Result<(), OpeningMakerError> {
    let watchdog = Watchdog {
        uci: Duration::from_secs(10),
        ready: config.watchdog,
        answer: config.watchdog,
        ..Watchdog::default()
    };
    let failed = |error, dialogue| match error {
        UciError::Cancelled => OpeningMakerError::Cancelled,
        error => OpeningMakerError::Engine { error, dialogue },
    };
    let mut engine = Engine::start(&config.engine, launcher, watchdog, cancel)
        .map_err(|(error, dialogue)| failed(error, dialogue))?;
    if let Err(error) = engine.set_up(&config.engine.options, &config.engine.init) {
        return Err(failed(error, engine.dialogue()));
    }
    while !done.is_cancelled() {
        if cancel.is_cancelled() {
            return Err(OpeningMakerError::Cancelled);
        }
        let index = next.fetch_add(1, Ordering::Relaxed);
        let candidate = match random_opening(config, index) {
            None => Candidate::Unfit,
            Some(position) => match evaluate(&position, &mut engine, config) {
                Ok(candidate) => candidate,
                Err(EvaluationError::NoScore(epd)) => return Err(OpeningMakerError::NoScore { epd }),
                Err(EvaluationError::Failed(error)) => return Err(failed(error, engine.dialogue())),
            },
        };
        if messages.send(Ok((index, candidate))).is_err() {
            break;
        }
    }
    engine.quit();
    Ok(())
}

/// Returns the position of candidate `index` unless the side to move is in check or the game is
/// over.
fn random_opening(config: &OpeningSetConfig, index: u64) -> Option<Chess> {
    // Seed and index are hashed separately, so that different seeds share no sequence of
    // candidates.
    let mut random =
        SplitMix64::new(SplitMix64::new(config.seed).next_u64() ^ SplitMix64::new(index).next_u64());
    let plies =
        u64::from(config.min_plies) + random.below(u64::from(config.max_plies - config.min_plies) + 1);
    let mut position = Chess::default();
    for _ in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return None;
        }
        position.play_unchecked(moves[random.below(moves.len() as u64) as usize]);
    }
    (!position.is_check() && !position.is_game_over()).then_some(position)
}

/// The reason why a position was not evaluated.
enum EvaluationError {
    NoScore(String),
    Failed(UciError),
}

fn evaluate(
    position: &Chess,
    engine: &mut Engine,
    config: &OpeningSetConfig,
) -> Result<Candidate, EvaluationError> {
    let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
    let (halfmoves, full_move) = (position.halfmoves(), position.fullmoves().get());
    engine.new_game().map_err(EvaluationError::Failed)?;
    let text = format!("position fen {epd} {halfmoves} {full_move}\ngo nodes {}\n", config.nodes);
    let answer = engine.search(&text, config.watchdog).map_err(EvaluationError::Failed)?;
    let effort = |score| Effort {
        nodes: answer.report.nodes,
        time_us: u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX),
        may_stop_early: matches!(score, ReportedScore::Mate(_)) || position.legal_moves().len() == 1,
    };
    match answer.report.score {
        Some(score) => {
            let effort = effort(score);
            Ok(Candidate::Evaluated { epd, halfmoves, full_move, score, effort })
        }
        None => Err(EvaluationError::NoScore(epd)),
    }
}
