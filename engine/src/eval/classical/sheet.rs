//! An evaluation in progress: the board as all terms need it, the attack maps, and the sums.
//!
//! What more than one term asks is computed once, here or by `pieces` while it walks over them.

use super::king;
use super::sets::{beside, double_pawn_attacks, fill_forward, pawn_attacks};
use super::table::Table;
use super::tapered::Tapered;
use super::trace::Tracer;
use crate::attacks;
use crate::position::Position;
use crate::types::{Bitboard, Black, ByColor, Color, PieceType, Rank, Side, White};

/// What one side attacks, and what it has before its king.
#[derive(Clone, Copy, Default)]
pub(super) struct Reach {
    /// By kind.
    pub(super) by: [Bitboard; 6],
    /// By anything.
    pub(super) all: Bitboard,
    /// By two or more.
    pub(super) twice: Bitboard,
    /// Where its pieces move at ease: not onto its king or a blocked pawn, nor where enemy pawns attack.
    pub(super) free: Bitboard,
    /// What its pawns attack now or can after some steps.
    pub(super) pawn_span: Bitboard,
    /// The squares around its king, one rank further on from the back rank.
    pub(super) ring: Bitboard,
    /// The kinds of attackers of the other king's ring, counted. Shape: knight to queen.
    pub(super) attackers: [i32; 4],
    /// Attacks on squares beside the other king.
    pub(super) ring_attacks: i32,
}

/// The state of one evaluation.
pub(super) struct Sheet<'a, T> {
    pub(super) position: &'a Position,
    pub(super) occupied: Bitboard,
    pub(super) reach: ByColor<Reach>,
    pub(super) tracer: T,
    /// White's advantage in all that adds up.
    linear: Tapered,
    /// The danger each king is in.
    danger: ByColor<Tapered>,
}

impl<'a, T: Tracer> Sheet<'a, T> {
    /// Nothing added up; the attacks of pawns and kings are in the maps.
    #[inline]
    pub(super) fn new(position: &'a Position, tracer: T) -> Self {
        let mut sheet = Self {
            position,
            occupied: position.occupied(),
            reach: ByColor::default(),
            tracer,
            linear: Tapered::ZERO,
            danger: ByColor::default(),
        };
        sheet.prepare::<White>();
        sheet.prepare::<Black>();
        sheet
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

        let reach = &mut self.reach[S::US];
        reach.by[PieceType::Pawn.index()] = by_pawn;
        reach.by[PieceType::King.index()] = by_king;
        reach.all = by_pawn | by_king;
        reach.twice = double_pawn_attacks::<S>(pawns) | (by_pawn & by_king);
        reach.free = !(Bitboard::from(king) | blocked | by_enemy_pawn);
        reach.pawn_span = beside(fill_forward::<S>(pawns.forward(S::US)));
        reach.ring = if is_at_home { near | near.forward(S::US) } else { near };
    }

    /// Enters what one piece attacks.
    #[inline]
    pub(super) fn enter<S: Side>(&mut self, kind: PieceType, attacked: Bitboard) {
        let (ring, beside_king) = (self.reach[S::THEM].ring, self.reach[S::THEM].by[PieceType::King.index()]);
        let reach = &mut self.reach[S::US];
        reach.by[kind.index()] |= attacked;
        reach.twice |= reach.all & attacked;
        reach.all |= attacked;
        if (attacked & ring).any() {
            reach.attackers[kind.index() - PieceType::Knight.index()] += 1;
            reach.ring_attacks += (attacked & beside_king).count() as i32;
        }
    }

    /// A side's pieces of a kind.
    #[inline]
    pub(super) fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.position.pieces_of(color, kind)
    }

    /// A side's pawns.
    #[inline]
    pub(super) fn pawns(&self, color: Color) -> Bitboard {
        self.of(color, PieceType::Pawn)
    }

    /// What a side attacks with a kind of piece.
    #[inline]
    pub(super) fn attacked_by(&self, color: Color, kind: PieceType) -> Bitboard {
        self.reach[color].by[kind.index()]
    }

    /// Adds a weight for a side.
    #[inline]
    pub(super) fn add<S: Side, const N: usize>(&mut self, table: &'static Table<N>, index: usize) {
        self.add_times::<S, N>(table, index, 1);
    }

    /// Adds a weight for a side several times.
    #[inline]
    pub(super) fn add_times<S: Side, const N: usize>(
        &mut self,
        table: &'static Table<N>,
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

    /// Adds a weight for each square of a set.
    #[inline]
    pub(super) fn add_each<S: Side>(&mut self, table: &'static Table<1>, set: Bitboard) {
        self.add_times::<S, 1>(table, 0, set.count() as i32);
    }

    /// Adds a weight for a side that only the position knows.
    #[inline]
    pub(super) fn add_of<const N: usize>(&mut self, color: Color, table: &'static Table<N>, index: usize) {
        match color {
            Color::White => self.add::<White, N>(table, index),
            Color::Black => self.add::<Black, N>(table, index),
        }
    }

    /// Adds danger to a side's king.
    #[inline]
    pub(super) fn endanger<S: Side, const N: usize>(
        &mut self,
        table: &'static Table<N>,
        index: usize,
        times: i32,
    ) {
        self.tracer.count(S::US, table, index, times);
        self.danger[S::US] += table.weights[index] * times;
    }

    /// White's advantage, the dangers paid for.
    #[inline]
    pub(super) fn balance(&self) -> Tapered {
        self.linear - king::penalty(self.danger[Color::White]) + king::penalty(self.danger[Color::Black])
    }
}
