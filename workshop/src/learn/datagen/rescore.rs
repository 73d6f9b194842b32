//! Rescoring of games with another network or more nodes. Moves and results stay; the scores are
//! replaced.

use std::io::{Read, Write};
use std::num::NonZeroU64;
use std::sync::Mutex;

use anyhow::Context;
use rayon::prelude::*;
use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::Game;
use stretto::search::limits::Limits;
use stretto::tt::AllocationError;
use stretto::types::{Mebibytes, Nodes};

use super::config::HARD_FACTOR;
use super::play::for_white;
use crate::learn::data::{GameReader, PlayedGame};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;

/// Number of games scored in parallel before writing.
const CHUNK: usize = 1024;
/// Hash table size of a search. Units: MiB.
const HASH: Mebibytes = Mebibytes(2);

/// Reads all games, searches each position, and writes the games in the same order with the new
/// scores. `tell` receives the numbers of finished games and positions. The same games and settings
/// give the same file.
pub(crate) fn rescore<R: Read>(
    reader: &mut GameReader<R>,
    writer: &mut impl Write,
    evaluation: &Evaluation,
    soft_nodes: NonZeroU64,
    cancel: &Cancel,
    mut tell: impl FnMut(u64, u64),
) -> Result<(), Stop> {
    let configuration =
        Configuration { evaluation: evaluation.clone(), is_analysis: true, ..Configuration::default() };
    let new = || Solo::new(HASH, configuration.clone());
    // One search per thread of the pool, passed from game to game.
    let idle = Mutex::new((0..rayon::current_num_threads()).map(|_| new()).collect::<Result<Vec<_>, _>>()?);
    let (mut games, mut positions) = (0, 0);
    loop {
        let mut chunk = next_chunk(reader)?;
        if chunk.is_empty() {
            return Ok(());
        }
        chunk.par_iter_mut().try_for_each(|game| {
            let taken = idle.lock().ok().and_then(|mut idle| idle.pop());
            let mut solo = match taken {
                Some(solo) => solo,
                None => new()?,
            };
            score(game, &mut solo, soft_nodes, cancel);
            if let Ok(mut idle) = idle.lock() {
                idle.push(solo);
            }
            Ok::<_, AllocationError>(())
        })?;
        if cancel.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        for game in &chunk {
            game.write(writer).context("cannot write")?;
            positions += game.moves.len() as u64;
        }
        games += chunk.len() as u64;
        tell(games, positions);
    }
}

/// Reads the next chunk of games; empty at the end of the file.
fn next_chunk<R: Read>(reader: &mut GameReader<R>) -> anyhow::Result<Vec<PlayedGame>> {
    reader.by_ref().take(CHUNK).collect()
}

/// Scores every position of a game in which a move was played.
fn score(game: &mut PlayedGame, solo: &mut Solo, soft_nodes: NonZeroU64, cancel: &Cancel) {
    solo.new_game();
    let mut line = Game::new(game.start);
    for (mv, score) in &mut game.moves {
        if cancel.is_cancelled() {
            return;
        }
        let limits = Limits {
            soft_nodes: Some(Nodes(soft_nodes.get())),
            nodes: Some(Nodes(soft_nodes.saturating_mul(HARD_FACTOR).get())),
            ..Limits::default()
        };
        let found = solo.search(&line, limits).score;
        *score = for_white(line.position(), found).0 as i16;
        line.play(*mv);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::position::Position;

    #[test]
    fn rescoring_changes_only_scores() {
        let start = Position::from_fen("4k3/8/8/8/8/8/3q4/3RK3 w - - 0 1").unwrap();
        let mut position = start;
        let mut moves = Vec::new();
        for text in ["d1d2", "e8e7", "d2d1"] {
            let mv = position.parse_uci(text).unwrap();
            moves.push((mv, 0));
            position = position.after(mv);
        }
        let game = PlayedGame { start, moves, half_points: 2 };
        let mut bytes = Vec::new();
        for _ in 0..3 {
            game.write(&mut bytes).unwrap();
        }
        let again = || {
            let mut written = Vec::new();
            let mut reader = GameReader::new(&bytes[..]);
            let nodes = NonZeroU64::new(200).unwrap();
            rescore(&mut reader, &mut written, &Evaluation::Material, nodes, &Cancel::new(), |_, _| {})
                .unwrap();
            written
        };
        let written = again();
        assert_eq!(written, again());
        let games: Vec<PlayedGame> = GameReader::new(&written[..]).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.len(), 3);
        for scored in games {
            assert_eq!((scored.start, scored.half_points), (game.start, 2));
            for ((mv, score), (expected, _)) in scored.moves.iter().zip(&game.moves) {
                assert_eq!(mv, expected);
                // White is a rook ahead, independent of the side to move.
                assert!(*score > 400, "{score}");
            }
        }
    }

    #[test]
    fn scores_do_not_depend_on_earlier_games() {
        let mut position = Position::startpos();
        let mut game = PlayedGame { start: position, moves: Vec::new(), half_points: 2 };
        for text in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"] {
            let mv = position.parse_uci(text).unwrap();
            game.moves.push((mv, 0));
            position = position.after(mv);
        }
        let mut solo = Solo::new(Mebibytes(1), Configuration::default()).unwrap();
        let mut scored = || {
            let mut game = game.clone();
            score(&mut game, &mut solo, NonZeroU64::new(2000).unwrap(), &Cancel::new());
            game.moves
        };
        assert_eq!(scored(), scored());
    }
}
