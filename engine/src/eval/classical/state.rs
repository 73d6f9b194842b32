//! The state of one evaluation: the board, the attack maps, and the sums.
//!
//! Values needed by several terms are computed once, here or by `pieces`.

use super::formula::penalty;
use super::sets::{adjacent_files, double_pawn_attacks, fill_forward, pawn_attacks};
use super::tapered::Tapered;
use super::trace::Tracer;
use super::weight_table::WeightTable;
use crate::attacks;
use crate::position::Position;
use crate::types::{Bitboard, Black, ByColor, Color, PieceType, Rank, Side, White};

/// Attack maps and king ring of one side.
#[derive(Clone, Copy, Default)]
pub(super) struct AttackInfo {
    /// Attacked squares by piece type.
    pub(super) by: [Bitboard; 6],
    /// Squares attacked by any piece.
    pub(super) all: Bitboard,
    /// Squares attacked at least twice.
    pub(super) twice: Bitboard,
    /// The mobility area: all squares except the own king, blocked own pawns, and squares attacked
    /// by enemy pawns.
    pub(super) free: Bitboard,
    /// Squares that the pawns attack now or can attack after advancing.
    pub(super) pawn_span: Bitboard,
    /// The king ring: the squares around the king, extended by one rank if it stands on the back
    /// rank.
    pub(super) ring: Bitboard,
    /// Number of attackers of the enemy king's ring by type. Shape: knight to queen.
    pub(super) attackers: [i32; 4],
    /// Number of attacks on squares next to the enemy king.
    pub(super) ring_attacks: i32,
}

/// The state of one evaluation.
pub(super) struct EvalState<'a, T> {
    pub(super) position: &'a Position,
    pub(super) occupied: Bitboard,
    pub(super) attacks: ByColor<AttackInfo>,
    pub(super) tracer: T,
    /// White's advantage in all terms that add up linearly.
    linear: Tapered,
    /// The danger to each king.
    danger: ByColor<Tapered>,
}

impl<'a, T: Tracer> EvalState<'a, T> {
    /// Creates the state with zero sums and with the attacks of pawns and kings.
    #[inline]
    pub(super) fn new(position: &'a Position, tracer: T) -> Self {
        let mut state = Self {
            position,
            occupied: position.occupied(),
            attacks: ByColor::default(),
            tracer,
            linear: Tapered::ZERO,
            danger: ByColor::default(),
        };
        state.prepare::<White>();
        state.prepare::<Black>();
        state
    }

    #[inline]
    fn prepare<S: Side>(&mut self) {
        let pawns = self.pawns(S::US);
        let king = self.position.king(S::US);
        let by_pawn = pawn_attacks::<S>(pawns);
        let by_king = attacks::king(king);
        let blocked = pawns & self.occupied.forward(S::THEM);
        let by_enemy_pawn = pawn_attacks::<S::Other>(self.pawns(S::THEM));
        let near = by_king | Bitboard::from(king);
        let is_at_home = S::US.relative_rank(king.rank()) == Rank::FIRST;

        let info = &mut self.attacks[S::US];
        info.by[PieceType::Pawn.index()] = by_pawn;
        info.by[PieceType::King.index()] = by_king;
        info.all = by_pawn | by_king;
        info.twice = double_pawn_attacks::<S>(pawns) | (by_pawn & by_king);
        info.free = !(Bitboard::from(king) | blocked | by_enemy_pawn);
        info.pawn_span = adjacent_files(fill_forward::<S>(pawns.forward(S::US)));
        info.ring = if is_at_home { near | near.forward(S::US) } else { near };
    }

    /// Adds the attacks of one piece to the attack maps.
    #[inline]
    pub(super) fn add_attacks<S: Side>(&mut self, kind: PieceType, attacked: Bitboard) {
        let (ring, beside_king) =
            (self.attacks[S::THEM].ring, self.attacks[S::THEM].by[PieceType::King.index()]);
        let info = &mut self.attacks[S::US];
        info.by[kind.index()] |= attacked;
        info.twice |= info.all & attacked;
        info.all |= attacked;
        if (attacked & ring).any() {
            info.attackers[kind.index() - PieceType::Knight.index()] += 1;
            info.ring_attacks += (attacked & beside_king).count() as i32;
        }
    }

    /// Returns a side's pieces of a type.
    #[inline]
    pub(super) fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.position.pieces_of(color, kind)
    }

    #[inline]
    pub(super) fn pawns(&self, color: Color) -> Bitboard {
        self.of(color, PieceType::Pawn)
    }

    /// Returns the squares that a side attacks with a type of piece.
    #[inline]
    pub(super) fn attacked_by(&self, color: Color, kind: PieceType) -> Bitboard {
        self.attacks[color].by[kind.index()]
    }

    /// Adds a weight for a side.
    #[inline]
    pub(super) fn add<S: Side, const N: usize>(&mut self, table: &'static WeightTable<N>, index: usize) {
        self.add_times::<S, N>(table, index, 1);
    }

    /// Adds a multiple of a weight for a side.
    #[inline]
    pub(super) fn add_times<S: Side, const N: usize>(
        &mut self,
        table: &'static WeightTable<N>,
        index: usize,
        times: i32,
    ) {
        self.tracer.count(S::US, table, index, times);
        let sum = table.weights[index] * times;
        match S::US {
            Color::White => self.linear += sum,
            Color::Black => self.linear -= sum,
        }
    }

    /// Adds a weight once per square of a set.
    #[inline]
    pub(super) fn add_each<S: Side>(&mut self, table: &'static WeightTable<1>, set: Bitboard) {
        self.add_times::<S, 1>(table, 0, set.count() as i32);
    }

    /// Adds a weight for a side known only at run time.
    #[inline]
    pub(super) fn add_of<const N: usize>(
        &mut self,
        color: Color,
        table: &'static WeightTable<N>,
        index: usize,
    ) {
        match color {
            Color::White => self.add::<White, N>(table, index),
            Color::Black => self.add::<Black, N>(table, index),
        }
    }

    /// Adds a multiple of a weight to the danger of a side's king.
    #[inline]
    pub(super) fn add_king_danger<S: Side, const N: usize>(
        &mut self,
        table: &'static WeightTable<N>,
        index: usize,
        times: i32,
    ) {
        self.tracer.count(S::US, table, index, times);
        self.danger[S::US] += table.weights[index] * times;
    }

    /// Returns White's advantage including the penalties for king danger.
    #[inline]
    pub(super) fn balance(&self) -> Tapered {
        self.linear - penalty(self.danger[Color::White]) + penalty(self.danger[Color::Black])
    }
}
