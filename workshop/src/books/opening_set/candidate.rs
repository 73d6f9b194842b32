//! The candidates of an opening set: random positions and their searches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use anyhow::{Context, anyhow};
use shakmaty::fen::Epd;
use shakmaty::{Board, ByRole, Chess, Color, EnPassantMode, Position};

use super::OpeningSetConfig;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::random::SplitMix64;
use stretto_harness::config::Watchdog;
use stretto_harness::play::limit_check::Effort;
use stretto_harness::uci::{Engine, Launcher, ReportedScore, UciError};

/// A candidate after its searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The opening, unless the candidate was rejected.
    pub(super) opening: Option<Opening>,
    /// The effort of each search: the first, and the second if there was one.
    pub(super) efforts: Vec<Effort>,
}

impl Candidate {
    /// A position that cannot serve as an opening, irrespective of its score.
    const UNFIT: Self = Self { opening: None, efforts: Vec::new() };
}

/// A position with a score in the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// The four fields of the position.
    pub(super) epd: String,
    /// Plies since the last capture or pawn move.
    pub(super) halfmoves: u32,
    /// Number of the move, from 1.
    pub(super) full_move: u32,
    /// Score of the side to move in the last search. Units: centipawns.
    pub(super) cp: i32,
}

type Message = Result<(u64, Candidate), Stop>;

/// Returns the limits of the engine's answers.
pub(super) fn watchdog(config: &OpeningSetConfig) -> Watchdog {
    Watchdog {
        uci: Duration::from_secs(10),
        ready: config.watchdog,
        answer: config.watchdog,
        ..Watchdog::default()
    }
}

/// Evaluates candidates until the set is complete.
pub(super) fn evaluate_candidates(
    config: &OpeningSetConfig,
    launcher: &Launcher,
    cancel: &Cancel,
    done: &Cancel,
    next: &AtomicU64,
    messages: &Sender<Message>,
) -> Result<(), Stop> {
    let started = Engine::start(&config.engine, launcher, watchdog(config), cancel);
    let mut engine = started.map_err(|(error, dialogue)| failed(error, &dialogue))?;
    // The searches are limited by nodes: a suspension of the harness changes no score.
    engine.extends_on_stall = true;
    let set_up = engine.set_up(&config.engine.options, &config.engine.init);
    set_up.map_err(|error| failed(error, &engine.dialogue()))?;
    while !done.is_cancelled() {
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        let index = next.fetch_add(1, Ordering::Relaxed);
        let candidate = match random_opening(config, index) {
            None => Candidate::UNFIT,
            Some(position) => evaluate(&position, &mut engine, config)?,
        };
        if messages.send(Ok((index, candidate))).is_err() {
            break;
        }
    }
    engine.quit(&config.engine.name);
    Ok(())
}

/// Returns the position of candidate `index`, unless the side to move is in check, the game is over, or the material is unequal
/// where it must be equal.
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
    let is_fit = !position.is_check()
        && !position.is_game_over()
        && (!config.equal_material || has_equal_material(position.board()));
    is_fit.then_some(position)
}

/// Returns whether both sides have as many pawns, minor pieces, rooks and queens.
fn has_equal_material(board: &Board) -> bool {
    let [white, black] = [Color::White, Color::Black].map(|color| board.material_side(color));
    let counts = |side: ByRole<u8>| [side.pawn, side.knight + side.bishop, side.rook, side.queen];
    counts(white) == counts(black)
}

/// Returns the reason to stop after an error of the engine.
fn failed(error: UciError, dialogue: &str) -> Stop {
    match error {
        UciError::Cancelled => Stop::Cancelled,
        error => anyhow!("the engine failed: {error}\n{dialogue}").into(),
    }
}

/// Searches a position with the nodes of each search, as long as the scores are in the window.
fn evaluate(position: &Chess, engine: &mut Engine, config: &OpeningSetConfig) -> Result<Candidate, Stop> {
    let epd = Epd::from_position(position, EnPassantMode::Legal).to_string();
    let (halfmoves, full_move) = (position.halfmoves(), position.fullmoves().get());
    let mut efforts = Vec::new();
    let mut cp = 0;
    for nodes in std::iter::once(config.nodes).chain(config.verify) {
        engine.new_game().map_err(|error| failed(error, &engine.dialogue()))?;
        let text = format!("position fen {epd} {halfmoves} {full_move}\ngo nodes {nodes}\n");
        let answer = engine.search(&text, config.watchdog);
        let answer = answer.map_err(|error| failed(error, &engine.dialogue()))?;
        let score = answer.report.score.with_context(|| format!("the engine gave no score for {epd}"))?;
        efforts.push(Effort {
            nodes: answer.report.nodes,
            time_us: u64::try_from(answer.elapsed.as_micros()).unwrap_or(u64::MAX),
            may_stop_early: matches!(score, ReportedScore::Mate(_)) || position.legal_moves().len() == 1,
        });
        match score {
            ReportedScore::Cp(found) if config.window.contains(position.turn(), found) => cp = found,
            _ => return Ok(Candidate { opening: None, efforts }),
        }
    }
    Ok(Candidate { opening: Some(Opening { epd, halfmoves, full_move, cp }), efforts })
}
