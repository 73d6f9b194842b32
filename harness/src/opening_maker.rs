//! Makes a set of balanced openings: random legal plies, kept where an engine's own search sees no advantage.
//!
//! Candidate `i` depends on the seed and on `i` alone, each search starts from `ucinewgame`, and candidates are taken
//! in their order however many engines search: with a one-threaded engine the same recipe gives the same file.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use shakmaty::fen::Epd;
use shakmaty::{Chess, EnPassantMode, Position};
use thiserror::Error;

use crate::cancel::Cancel;
use crate::config::{OpeningSetConfig, Watchdog};
use crate::crew::{self, NoCrew};
use crate::openings::random::SplitMix64;
use crate::uci_client::{Engine, Launcher, ReportedScore, UciError};

/// Candidates looked at for each opening wanted, before giving up.
const TRIES_PER_OPENING: u64 = 500;

/// Why no set was made.
#[derive(Debug, Error)]
pub enum OpeningMakerError {
    /// The judging engine failed.
    #[error("the engine failed: {error}\n{dialogue}")]
    Engine {
        /// What went wrong.
        error: UciError,
        /// What was said.
        dialogue: String,
    },
    /// The engine's answer had no score.
    #[error("the engine gave no score for {epd}")]
    NoScore {
        /// The position asked about.
        epd: String,
    },
    /// Too few positions pass.
    #[error("only {found} of {wanted} openings after {tried} candidates: allow more plies or a larger score")]
    TooFew {
        /// Openings kept.
        found: usize,
        /// Openings wanted.
        wanted: usize,
        /// Candidates looked at.
        tried: u64,
    },
    /// Nobody to judge.
    #[error(transparent)]
    Crew(#[from] NoCrew),
    /// A stop was asked for; nothing is written.
    #[error("stopped on request")]
    Cancelled,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Candidate {
    /// Its random walk ended in a position that is no opening.
    Unfit,
    /// Judged: four EPD fields, counters, and the score of the side to move.
    Judged { epd: String, halfmoves: u32, full_move: u32, score: ReportedScore },
}

/// The lines of the set; `progress` hears how many openings are found and how many candidates were looked at.
pub fn make_openings(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
    mut progress: impl FnMut(usize, u64),
) -> Result<String, OpeningMakerError> {
    let next = AtomicU64::new(0);
    let done = Cancel::new();
    let stem = config.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut set = OpeningSet::new(stem, config);
    let limit = TRIES_PER_OPENING * config.count as u64;
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let crew = (0..config.concurrency).map(|_| {
            let (sender, next, done) = (sender.clone(), &next, &done);
            move || {
                if let Err(error) = judge_candidates(config, launcher, cancel, done, next, &sender) {
                    let _ = sender.send(Err(error));
                }
            }
        });
        // Fewer judges find the same openings, only later.
        crew::start(scope, crew)?;
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        for message in receiver {
            let (index, candidate) = message.inspect_err(|_| done.cancel())?;
            waiting.insert(index, candidate);
            while let Some(candidate) = waiting.remove(&turn) {
                turn += 1;
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
            return Ok(set.text);
        }
        if cancel.is_cancelled() {
            return Err(OpeningMakerError::Cancelled);
        }
        Err(OpeningMakerError::TooFew { found: set.count, wanted: config.count, tried: turn })
    })
}

/// The openings kept so far.
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

    /// Keeps a candidate that is balanced and new.
    fn consider(&mut self, candidate: Candidate) {
        let Candidate::Judged { epd, halfmoves, full_move, score: ReportedScore::Cp(cp) } = candidate else {
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

/// A worker: judges candidate after candidate until the set is done.
fn judge_candidates(
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
            Some(position) => match judge(&position, &mut engine, config) {
                Ok(candidate) => candidate,
                Err(Judgement::NoScore(epd)) => return Err(OpeningMakerError::NoScore { epd }),
                Err(Judgement::Failed(error)) => return Err(failed(error, engine.dialogue())),
            },
        };
        if messages.send(Ok((index, candidate))).is_err() {
            break;
        }
    }
    engine.quit();
    Ok(())
}

/// The position of candidate `index`, if it can serve: nobody in check, the game not over.
fn random_opening(config: &OpeningSetConfig, index: u64) -> Option<Chess> {
    // Seed and index are each scattered before they meet, so that no two recipes share a run of candidates.
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

/// Why a position was not judged.
enum Judgement {
    NoScore(String),
    Failed(UciError),
}

fn judge(position: &Chess, engine: &mut Engine, config: &OpeningSetConfig) -> Result<Candidate, Judgement> {
    let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
    let (halfmoves, full_move) = (position.halfmoves(), position.fullmoves().get());
    engine.new_game().map_err(Judgement::Failed)?;
    let text = format!("position fen {epd} {halfmoves} {full_move}\ngo nodes {}\n", config.nodes);
    let answer = engine.search(&text, config.watchdog).map_err(Judgement::Failed)?;
    match answer.report.score {
        Some(score) => Ok(Candidate::Judged { epd, halfmoves, full_move, score }),
        None => Err(Judgement::NoScore(epd)),
    }
}
