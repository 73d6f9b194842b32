//! Data augmentation by random walks from game positions, scored by the static evaluation.
//!
//! An untrained network can learn the existing evaluation from these positions, which cost a
//! fraction of game positions; the games then only teach what searches and results add. Players
//! would not choose these moves, but searches visit such positions.

use std::io::{Read, Write};
use std::num::NonZeroU32;

use rayon::prelude::*;
use stretto::eval::Evaluation;
use stretto::position::Position;
use stretto::types::{Color, Move};

use super::rescore::{RescoreError, next_chunk};
use crate::learn::data::{GameReader, PlayedGame};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::random::SplitMix64;

/// One in this many moves is a capture or promotion if possible, since these dominate search trees.
const NOISY_SHARE: u64 = 3;

/// Options of the random walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Augmentation {
    /// Number of walks from each position.
    pub count: NonZeroU32,
    /// Length of a walk, unless the game ends. Units: plies.
    pub plies: NonZeroU32,
    /// Seed of the random moves.
    pub seed: u64,
}

impl Augmentation {
    /// Reads all games and writes each walk as a game with the result of its original game. A
    /// training that splits the file by games has walks of one original game in both sets. `tell`
    /// receives the numbers of finished games and positions. The same games and settings give the
    /// same file; `first_game` is the number of games read before.
    pub(crate) fn write<R: Read>(
        &self,
        reader: &mut GameReader<R>,
        writer: &mut impl Write,
        evaluation: &Evaluation,
        first_game: u64,
        cancel: &Cancel,
        mut tell: impl FnMut(u64, u64),
    ) -> Result<(), RescoreError> {
        let (mut games, mut positions) = (0, 0);
        loop {
            let chunk = next_chunk(reader)?;
            if chunk.is_empty() {
                return Ok(());
            }
            if cancel.is_cancelled() {
                return Err(RescoreError::Cancelled);
            }
            let first = first_game + games;
            let numbered = chunk.par_iter().enumerate();
            let walked: Vec<Vec<PlayedGame>> =
                numbered.map(|(index, game)| self.leave(game, first + index as u64, evaluation)).collect();
            for line in walked.iter().flatten() {
                line.write(writer).map_err(RescoreError::Write)?;
                positions += line.moves.len() as u64;
            }
            games += chunk.len() as u64;
            tell(games, positions);
        }
    }

    /// Returns the walks from the positions of a game.
    fn leave(&self, game: &PlayedGame, number: u64, evaluation: &Evaluation) -> Vec<PlayedGame> {
        // Seed and number are hashed separately, as for the games.
        let seed = SplitMix64::new(self.seed).next_u64() ^ SplitMix64::new(number).next_u64();
        let mut random = SplitMix64::new(seed);
        let mut walks = Vec::new();
        let mut position = game.start;
        for &(mv, _) in &game.moves {
            for _ in 0..self.count.get() {
                let moves = self.random_line(position, evaluation, &mut random);
                walks.push(PlayedGame { start: position, moves, half_points: game.half_points });
            }
            position = position.after(mv);
        }
        walks
    }

    fn random_line(
        &self,
        start: Position,
        evaluation: &Evaluation,
        random: &mut SplitMix64,
    ) -> Vec<(Move, i16)> {
        let mut position = start;
        let steps = (0..self.plies.get()).map_while(|_| {
            let mv = step(&position, random)?;
            let score = evaluation.evaluate(&position).0 as i16;
            let is_white = position.side_to_move() == Color::White;
            position = position.after(mv);
            Some((mv, if is_white { score } else { -score }))
        });
        steps.collect()
    }
}

/// Returns a random move; `None` if there is no legal move.
fn step(position: &Position, random: &mut SplitMix64) -> Option<Move> {
    let moves = position.legal_moves();
    let mut pick = |count: usize| random.below(count as u64) as usize;
    if pick(NOISY_SHARE as usize) == 0 {
        let captures: Vec<Move> = moves.iter().copied().filter(|&mv| position.is_noisy(mv)).collect();
        if !captures.is_empty() {
            return Some(captures[pick(captures.len())]);
        }
    }
    (!moves.is_empty()).then(|| moves[pick(moves.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_are_scored_games_and_reproducible() {
        let start =
            Position::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
                .unwrap();
        let mv = start.parse_uci("e2a6").unwrap();
        let game = PlayedGame {
            start,
            moves: vec![(mv, 0), (start.after(mv).parse_uci("b4c3").unwrap(), 5)],
            half_points: 2,
        };
        let mut bytes = Vec::new();
        for _ in 0..2 {
            game.write(&mut bytes).unwrap();
        }
        let walks =
            Augmentation { count: NonZeroU32::new(3).unwrap(), plies: NonZeroU32::new(4).unwrap(), seed: 1 };
        let walk = |walks: Augmentation, first| {
            let mut written = Vec::new();
            let mut reader = GameReader::new(&bytes[..]);
            walks
                .write(&mut reader, &mut written, &Evaluation::Classical, first, &Cancel::new(), |_, _| {})
                .unwrap();
            written
        };
        let written = walk(walks, 0);
        assert_eq!(written, walk(walks, 0));
        assert_ne!(written, walk(Augmentation { seed: 2, ..walks }, 0));
        assert_ne!(written, walk(walks, 2));
        // The second game has different walks, although its moves are the same.
        let games: Vec<PlayedGame> = GameReader::new(&written[..]).collect::<Result<_, _>>().unwrap();
        assert_eq!(games.len(), 2 * 2 * 3);
        assert_ne!(games[..6], games[6..]);
        for line in games {
            assert_eq!((line.moves.len(), line.half_points), (4, 2));
            let mut position = line.start;
            for (mv, score) in line.moves {
                let said = Evaluation::Classical.evaluate(&position);
                let for_white = if position.side_to_move() == Color::White { said } else { -said };
                assert_eq!(i32::from(score), for_white.0);
                position = position.after(mv);
            }
        }
    }

    #[test]
    fn walk_ends_when_the_game_is_over() {
        let start = Position::from_fen("7k/8/6Q1/8/8/8/8/K7 b - - 0 1").unwrap();
        assert!(!start.has_legal_move());
        let plies = NonZeroU32::new(9).unwrap();
        let walks = Augmentation { count: plies, plies, seed: 1 };
        assert_eq!(walks.random_line(start, &Evaluation::Material, &mut SplitMix64::new(1)), []);
    }
}
