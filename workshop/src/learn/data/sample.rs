//! Training samples: a position, a score and a result in 32 bytes, from the side to move's point of
//! view.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | occupied squares; the board is flipped for Black to move |
//! | 8 | 16 | pieces in square order, four bits each, low nibble first: 0 to 5 for pawn to king,
//! plus 8 for the opponent |
//! | 24 | 2 | score in centipawns |
//! | 26 | 1 | result: 0 loss, 1 draw, 2 win |
//! | 27 | 1 | square of the own king |
//! | 28 | 1 | square of the opponent's king, from its own view |
//! | 29 | 2 | target from the rest of the game, in 1/65,535 of the point |
//! | 31 | 1 | unused |
//!
//! Little-endian. The layout is the "bulletformat" of other trainers, which ignore the last three
//! bytes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stretto::eval::network::{View, bucket};
use stretto::position::Position;
use stretto::types::{Bitboard, Color, Piece, PieceType, Square};

use super::games::{PlayedGame, half_points_of};
use super::target::Target;

/// Size of a sample. Units: bytes.
pub(crate) const SAMPLE: usize = 32;
/// Score of a position that is known to be won. Units: centipawns.
const EXACT_SCORE: i16 = 2000;

/// A position with its targets, for training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Sample {
    occupied: u64,
    pieces: [u8; 16],
    score: i16,
    half_points: u8,
    king: u8,
    their_king: u8,
    target: [u8; 2],
    free: u8,
}

/// The selection of positions of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Filter {
    /// Minimum ply, counted from the start of the game including random moves.
    pub min_ply: u32,
    /// Largest absolute score. Units: centipawns.
    pub max_score: u16,
    /// Whether positions in check are skipped.
    pub skip_checks: bool,
    /// Whether positions are skipped in which the move played is a capture or promotion.
    pub skip_noisy: bool,
}

impl Default for Filter {
    fn default() -> Self {
        Self { min_ply: 12, max_score: 2500, skip_checks: true, skip_noisy: true }
    }
}

impl Sample {
    /// Builds a sample from a position with score and result for the side to move.
    pub fn new(position: &Position, score: i16, half_points: u8) -> Self {
        let side = position.side_to_move();
        let turned =
            |squares: Bitboard| if side == Color::Black { squares.0.swap_bytes() } else { squares.0 };
        let occupied = turned(position.occupied());
        let mut pieces = [0; 16];
        for (index, square) in Bitboard(occupied).into_iter().enumerate() {
            let Some(piece) = position.piece_on(square.relative_to(side)) else { continue };
            let code = piece.kind.index() as u8 + if piece.color == side { 0 } else { 8 };
            pieces[index / 2] |= code << (4 * (index % 2));
        }
        Self {
            occupied,
            pieces,
            score,
            half_points,
            king: position.king(side).relative_to(side).index() as u8,
            their_king: position.king(!side).relative_to(!side).index() as u8,
            target: Target::of_result(half_points).to_bytes(),
            free: 0,
        }
    }

    /// Returns the filtered samples of a game, with the result as target.
    pub fn of_game<'a>(game: &'a PlayedGame, filter: &'a Filter) -> impl Iterator<Item = Self> + 'a {
        Self::kept(game, filter).map(|(_, _, sample)| sample)
    }

    /// Returns the filtered positions of a game, and their samples with the given targets, which are
    /// White's by ply.
    pub fn with_targets<'a>(
        game: &'a PlayedGame,
        filter: &'a Filter,
        targets: &'a [Target],
    ) -> impl Iterator<Item = (Position, Self)> + 'a {
        Self::kept(game, filter).map(|(index, position, sample)| {
            let is_white = position.side_to_move() == Color::White;
            let target = if is_white { targets[index] } else { targets[index].opponents() };
            (position, Self { target: target.to_bytes(), ..sample })
        })
    }

    /// Returns the sample with a target of which a part is `share`, a share of the point of the side to move. `weight`
    /// is from 0 to 1.
    #[must_use]
    pub fn blended(self, share: f32, weight: f32) -> Self {
        let target = Target::of_share((1.0 - weight) * self.target().share() + weight * share);
        Self { target: target.to_bytes(), ..self }
    }

    /// Returns the sample with an exact result instead of score and target.
    #[must_use]
    pub fn with_result(self, half_points: u8) -> Self {
        let score = (i16::from(half_points) - 1) * EXACT_SCORE;
        Self { score, half_points, target: Target::of_result(half_points).to_bytes(), ..self }
    }

    /// Returns the filtered samples of a game with their ply index and position.
    fn kept<'a>(
        game: &'a PlayedGame,
        filter: &'a Filter,
    ) -> impl Iterator<Item = (usize, Position, Self)> + 'a {
        let mut position = game.start;
        let is_black = game.start.side_to_move() == Color::Black;
        let start = 2 * (u32::from(game.start.fullmove_number()) - 1) + u32::from(is_black);
        game.moves.iter().zip(start..).enumerate().filter_map(move |(index, (&(mv, score), ply))| {
            let here = position;
            position = here.after(mv);
            let is_left_out = ply < filter.min_ply
                || score.unsigned_abs() > filter.max_score
                || (filter.skip_checks && here.is_check())
                || (filter.skip_noisy && here.is_noisy(mv));
            if is_left_out {
                return None;
            }
            let side = here.side_to_move();
            let score = if side == Color::White { score } else { score.saturating_neg() };
            Some((index, here, Self::new(&here, score, half_points_of(side, game.half_points))))
        })
    }

    /// Returns the score for the side to move. Units: centipawns.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// Returns the half-points of the side to move. Range: 0 to 2.
    pub fn half_points(&self) -> u8 {
        self.half_points
    }

    /// Returns the target from the rest of the game.
    pub fn target(&self) -> Target {
        Target(u16::from_le_bytes(self.target))
    }

    /// Returns the number of pieces.
    pub fn pieces(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// Returns the output bucket of the network.
    pub fn bucket(&self) -> usize {
        bucket(self.pieces())
    }

    /// Returns the views of the side to move and of the opponent. The board is flipped, so the side to
    /// move is treated as White.
    #[inline]
    fn views(&self) -> [View; 2] {
        let own = View::of(Color::White, Square::from_index(self.king.into()));
        let their_king = Square::from_index(self.their_king.into()).relative_to(Color::Black);
        [own, View::of(Color::Black, their_king)]
    }

    /// Returns the king buckets of the side to move and of the opponent.
    pub(crate) fn king_buckets(&self) -> [u8; 2] {
        self.views().map(View::king_bucket)
    }

    /// Returns the active features from the point of view of the side to move and of the opponent.
    #[inline]
    pub fn features(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        let [own, other] = self.views();
        Bitboard(self.occupied).into_iter().enumerate().map(move |(index, square)| {
            let code = self.pieces[index / 2] >> (4 * (index % 2)) & 15;
            let color = if code & 8 == 0 { Color::White } else { Color::Black };
            let piece = Piece::new(color, PieceType::from_index((code & 7).into()));
            (own.feature(Color::White, piece, square), other.feature(Color::Black, piece, square))
        })
    }

    /// Returns the encoded sample.
    pub fn to_bytes(&self) -> [u8; SAMPLE] {
        let mut bytes = [0; SAMPLE];
        bytes[..8].copy_from_slice(&self.occupied.to_le_bytes());
        bytes[8..24].copy_from_slice(&self.pieces);
        bytes[24..26].copy_from_slice(&self.score.to_le_bytes());
        bytes[26..29].copy_from_slice(&[self.half_points, self.king, self.their_king]);
        bytes[29..31].copy_from_slice(&self.target);
        bytes
    }

    /// Decodes a sample that [`to_bytes`](Self::to_bytes) wrote.
    pub(crate) fn from_bytes(bytes: &[u8; SAMPLE]) -> Self {
        let at = |index: usize| bytes[index];
        Self {
            occupied: u64::from_le_bytes(std::array::from_fn(at)),
            pieces: std::array::from_fn(|index| bytes[8 + index]),
            score: i16::from_le_bytes([at(24), at(25)]),
            half_points: at(26),
            king: at(27),
            their_king: at(28),
            target: [at(29), at(30)],
            free: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::data::games::tests::sample as game;

    fn features(position: &Position, side: Color) -> Vec<u16> {
        let view = View::of(side, position.king(side));
        let pieces =
            position.occupied().into_iter().filter_map(|square| Some((square, position.piece_on(square)?)));
        let mut list: Vec<u16> = pieces.map(|(square, piece)| view.feature(side, piece, square)).collect();
        list.sort_unstable();
        list
    }

    #[test]
    fn lowest_score_is_a_win_for_black() {
        let mut game = game();
        game.moves.iter_mut().for_each(|(_, score)| *score = i16::MIN);
        let filter = Filter { min_ply: 0, max_score: u16::MAX, skip_checks: false, skip_noisy: false };
        let scores: Vec<i16> = Sample::of_game(&game, &filter).map(|sample| sample.score()).collect();
        let sides = (0..game.moves.len())
            .map(|ply| (usize::from(game.start.side_to_move() == Color::Black) + ply) % 2);
        assert_eq!(scores, sides.map(|side| [i16::MIN, i16::MAX][side]).collect::<Vec<_>>());
    }

    #[test]
    fn features_match_the_engine() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "8/2k5/3p4/8/5K2/8/6R1/8 b - - 0 1",
            "1k6/8/8/8/8/8/1p6/2K5 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 7, 2);
            let (mut own, mut other): (Vec<u16>, Vec<u16>) = sample.features().unzip();
            own.sort_unstable();
            other.sort_unstable();
            let side = position.side_to_move();
            assert_eq!((own, other), (features(&position, side), features(&position, !side)), "{fen}");
        }
    }

    #[test]
    fn game_is_filtered_and_seen_from_the_side_to_move() {
        let all = Filter { min_ply: 0, max_score: 32_000, skip_checks: false, skip_noisy: false };
        let samples = |filter: Filter| {
            Sample::of_game(&game(), &filter)
                .map(|sample| (sample.score(), sample.half_points()))
                .collect::<Vec<_>>()
        };
        // Black moves first; White won.
        assert_eq!(samples(all), [(-10, 0), (-20, 2), (-30, 0), (32_000, 2), (400, 0)]);
        assert_eq!(samples(Filter { skip_noisy: true, ..all }), [(-10, 0), (-30, 0)]);
        assert_eq!(samples(Filter { max_score: 400, min_ply: 2, ..all }), [(-20, 2), (-30, 0), (400, 0)]);
    }

    #[test]
    fn bytes_match_the_format() {
        let position = Position::from_fen("4k3/8/8/8/8/8/p7/2K5 b - - 0 1").unwrap();
        let bytes = Sample::new(&position, -300, 1).to_bytes();
        // Flipped: the black pawn, now own, on a7; the black king on e1, the white one on c8.
        assert_eq!(u64::from_le_bytes(bytes[..8].try_into().unwrap()), 1 << 4 | 1 << 48 | 1 << 58);
        assert_eq!(bytes[8..10], [0x05, 0x0d]);
        assert_eq!(bytes[24..], [0xd4, 0xfe, 1, 4, 2, 0x00, 0x80, 0]);
    }

    #[test]
    fn targets_are_those_of_the_side_to_move() {
        let all = Filter { min_ply: 0, max_score: 32_000, skip_checks: false, skip_noisy: true };
        let game = game();
        let plain: Vec<_> = Sample::of_game(&game, &all).map(|sample| sample.target().share()).collect();
        // Black moves first; White won. The first and the third move are quiet.
        assert_eq!(plain, [0.0, 0.0]);
        let targets = [0.25, 0.5, 0.75, 1.0, 1.0].map(Target::of_share);
        let seen = Sample::with_targets(&game, &all, &targets);
        let shares: Vec<_> = seen.map(|(_, sample)| sample.target().share()).collect();
        assert!((shares[0] - 0.75).abs() < 1e-4 && (shares[1] - 0.25).abs() < 1e-4, "{shares:?}");
    }

    #[test]
    fn blended_target_is_the_weighted_mean() {
        let sample = Sample::new(&Position::startpos(), 31, 2);
        let targets = [0.0, 0.25, 1.0].map(|weight| sample.blended(0.2, weight).target().share());
        let is_near = |(found, expected): (f32, f32)| (found - expected).abs() < 1e-4;
        assert!(targets.into_iter().zip([1.0, 0.8, 0.2]).all(is_near), "{targets:?}");
    }

    #[test]
    fn exact_results_replace_score_result_and_target() {
        let sample = Sample::new(&Position::startpos(), 31, 1);
        let exact = [0, 1, 2].map(|half_points| sample.with_result(half_points));
        assert_eq!(exact.map(|sample| sample.score()), [-2000, 0, 2000]);
        assert_eq!(exact.map(|sample| sample.half_points()), [0, 1, 2]);
        assert_eq!(exact.map(|sample| sample.target()), [0, 1, 2].map(Target::of_result));
    }
}
