//! Legal moves, generated as sets.
//!
//! One walk over the pieces serves every use: it finds target sets that are already legal (by check mask, pins and the
//! squares the enemy attacks) and hands them to a visitor, which lists, counts or plays them. What the
//! visitor wants (noisy moves, quiet ones, both) and the side to move are known to the compiler.

use super::{MoveList, Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Move, MoveKind, PieceType, Side, Square, by_side};

/// Receives the moves of one position of side `S`.
pub(super) trait Visitor<S: Side> {
    /// Captures, en passant and promotions are wanted.
    const NOISY: bool;
    /// All other moves are wanted.
    const QUIET: bool;

    /// Only numbers are wanted: most sliders' moves come as one [`Visitor::some`].
    const COUNTS: bool = false;

    /// This many moves, whatever they are; only for visitors that count.
    #[inline]
    fn some(&mut self, _moves: u32) {}
    /// Plain moves and captures of the piece on `from`. `targets` may be empty.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Plain pawn moves and captures: each target was reached by adding `step` to the pawn's index.
    fn pawns(&mut self, targets: Bitboard, step: i32);
    /// The same for moves to the last rank.
    fn promotions(&mut self, targets: Bitboard, step: i32);
    /// One en passant capture.
    fn en_passant(&mut self, from: Square, to: Square);
    /// Castling with this rook.
    fn castling(&mut self, king: Square, rook: Square);
    /// Asked now and then: is the rest of no interest?
    #[inline]
    fn is_done(&self) -> bool {
        false
    }
}

/// The square a pawn came from.
#[inline]
pub(super) fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl Position {
    /// Every legal move, in no promised order.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.listed::<true, true>()
    }

    /// The legal captures, en passant among them, and all promotions.
    #[inline]
    pub fn captures(&self) -> MoveList {
        self.listed::<true, false>()
    }

    /// The legal moves [`Position::captures`] leaves out, castling among them.
    #[inline]
    pub fn quiets(&self) -> MoveList {
        self.listed::<false, true>()
    }

    /// How many legal moves there are. Range: 0 to 218 for positions of a game.
    #[inline]
    pub fn count_legal_moves(&self) -> usize {
        by_side!(self.side, S => self.counted::<S>()) as usize
    }

    /// Is there any legal move?
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        let mut finder = Finder { found: false };
        by_side!(self.side, S => self.visit_moves::<S, _>(&mut finder));
        finder.found
    }

    /// The squares the side not to move attacks, as if the king of the side to move were not in the way.
    #[inline]
    pub fn threats(&self) -> Bitboard {
        by_side!(self.side, S => self.attacked_by_waiting_side::<S>())
    }

    #[inline]
    fn listed<const NOISY: bool, const QUIET: bool>(&self) -> MoveList {
        let mut lister = Lister::<NOISY, QUIET> { list: MoveList::new() };
        by_side!(self.side, S => self.visit_moves::<S, _>(&mut lister));
        lister.list
    }

    #[inline]
    pub(super) fn counted<S: Side>(&self) -> u32 {
        let mut counter = Counter { moves: 0 };
        self.visit_moves::<S, _>(&mut counter);
        counter.moves
    }

    /// Shows `visitor` every legal move of `S`, to move.
    #[inline]
    pub(super) fn visit_moves<S: Side, V: Visitor<S>>(&self, visitor: &mut V) {
        debug_assert!(self.side == S::US);
        let (us, them) = (self.side(S::US), self.side(S::THEM));
        let mut wanted = Bitboard::EMPTY;
        if V::NOISY {
            wanted |= them;
        }
        if V::QUIET {
            wanted |= !(us | them);
        }
        self.visit_king::<S, V>(visitor, wanted);
        if self.checkers.has_many() || visitor.is_done() {
            return;
        }
        // Where a move of another piece ends a single check: on the checker or before it.
        let check_mask = match self.checkers.first() {
            None => Bitboard::ALL,
            Some(checker) => self.checkers | attacks::between(self.king(S::US), checker),
        };
        self.visit_pawns::<S, V>(visitor, check_mask);
        if visitor.is_done() {
            return;
        }
        self.visit_pieces::<S, V>(visitor, wanted & check_mask);
    }

    /// Knights, bishops, rooks and queens. A queen is visited twice, once for each way she moves: two loops over few
    /// pieces, instead of three, cost fewer mispredicted exits.
    #[inline]
    fn visit_pieces<S: Side, V: Visitor<S>>(&self, visitor: &mut V, wanted: Bitboard) {
        let king = self.king(S::US);
        let us = self.side(S::US);
        let occupied = self.occupied();
        for from in self.pieces(PieceType::Knight) & us & !self.pinned {
            visitor.piece(from, attacks::knight(from) & wanted);
        }
        if V::COUNTS {
            let free = us & !self.pinned;
            visitor.some(attacks::count_slides(
                self.diagonal_sliders() & free,
                self.straight_sliders() & free,
                occupied,
                wanted,
            ));
        } else {
            for from in self.diagonal_sliders() & us & !self.pinned {
                visitor.piece(from, attacks::bishop(from, occupied) & wanted);
            }
            for from in self.straight_sliders() & us & !self.pinned {
                visitor.piece(from, attacks::rook(from, occupied) & wanted);
            }
        }
        // A pinned slider keeps to the line of its pin; a pinned knight is stuck.
        for from in self.diagonal_sliders() & us & self.pinned {
            visitor.piece(from, attacks::bishop(from, occupied) & wanted & attacks::line(king, from));
        }
        for from in self.straight_sliders() & us & self.pinned {
            visitor.piece(from, attacks::rook(from, occupied) & wanted & attacks::line(king, from));
        }
    }

    /// All pawns at once, direction by direction. A pinned pawn may move in a direction only if its king stands on
    /// the same line.
    #[inline]
    fn visit_pawns<S: Side, V: Visitor<S>>(&self, visitor: &mut V, check_mask: Bitboard) {
        let king = self.king(S::US);
        let pawns = self.pieces_of(S::US, PieceType::Pawn);
        let free = pawns & !self.pinned;
        let bound = pawns & self.pinned;
        let empty = !self.occupied();

        let pushers = free | bound & Bitboard::file(king.file());
        let once = pushers.forward(S::US) & empty;
        if V::QUIET {
            let twice = (once & S::THIRD_RANK).forward(S::US) & empty;
            visitor.pawns(once & check_mask & !S::LAST_RANK, S::FORWARD);
            visitor.pawns(twice & check_mask, 2 * S::FORWARD);
        }
        if !V::NOISY {
            return;
        }
        let victims = self.side(S::THEM) & check_mask;
        let (rising, falling) = (attacks::diagonal(king), attacks::antidiagonal(king));
        let (east_line, west_line) = if S::FORWARD > 0 { (rising, falling) } else { (falling, rising) };
        let east = (free | bound & east_line).forward(S::US).east() & victims;
        let west = (free | bound & west_line).forward(S::US).west() & victims;
        visitor.pawns(east & !S::LAST_RANK, S::FORWARD + 1);
        visitor.pawns(west & !S::LAST_RANK, S::FORWARD - 1);
        if ((once | east | west) & S::LAST_RANK).any() {
            visitor.promotions(once & check_mask & S::LAST_RANK, S::FORWARD);
            visitor.promotions(east & S::LAST_RANK, S::FORWARD + 1);
            visitor.promotions(west & S::LAST_RANK, S::FORWARD - 1);
        }
        if let Some(target) = self.en_passant.first() {
            for from in attacks::pawn(S::THEM, target) & pawns {
                if self.is_en_passant_safe::<S>(from, target) {
                    visitor.en_passant(from, target);
                }
            }
        }
    }

    /// The king's steps and castling.
    #[inline]
    fn visit_king<S: Side, V: Visitor<S>>(&self, visitor: &mut V, wanted: Bitboard) {
        let king = self.king(S::US);
        let steps = attacks::king(king) & wanted;
        let rooks = if V::QUIET && self.checkers.is_empty() {
            self.castling_candidates::<S>(king)
        } else {
            Bitboard::EMPTY
        };
        // Often a king is walled in by its own pieces, and then nothing else needs to be known.
        if (steps | rooks).is_empty() {
            return;
        }
        let attacked = self.attacked_by_waiting_side::<S>();
        visitor.piece(king, steps & !attacked);
        for rook in rooks {
            if (castling_path::<S>(king, rook) & attacked).is_empty() {
                visitor.castling(king, rook);
            }
        }
    }

    /// The rooks with a right and a free path; whether the king's path is attacked is left open.
    #[inline]
    fn castling_candidates<S: Side>(&self, king: Square) -> Bitboard {
        let mut candidates = self.castling & S::BACK_RANK;
        for rook in candidates {
            if !self.is_castling_path_free::<S>(king, rook) {
                candidates ^= rook.into();
            }
        }
        candidates
    }

    /// Are all squares king and rook cross and land on free of other pieces, and is the rook no shield?
    ///
    /// A pinned rook stands between its king and an enemy on the back rank, which only Chess960 allows; the king
    /// would be in check once the rook has jumped over it.
    #[inline]
    pub(super) fn is_castling_path_free<S: Side>(&self, king: Square, rook: Square) -> bool {
        // Mostly something stands in between, and in standard chess nothing else is to be asked.
        if (attacks::between(king, rook) & self.occupied()).any() {
            return false;
        }
        let (king_to, rook_to) = Wing::of(king, rook).destinations(S::US);
        let path = attacks::between(king, king_to)
            | attacks::between(rook, rook_to)
            | Bitboard::from(king_to)
            | Bitboard::from(rook_to);
        let others = self.occupied() & !(Bitboard::from(king) | Bitboard::from(rook));
        ((path & others) | (self.pinned & Bitboard::from(rook))).is_empty()
    }

    /// The squares the side not to move attacks, seen through the king of `S`, which cannot hide behind itself.
    #[inline]
    fn attacked_by_waiting_side<S: Side>(&self) -> Bitboard {
        let them = self.side(S::THEM);
        let occupied = self.occupied() ^ self.pieces_of(S::US, PieceType::King);
        let pawns = (self.pieces(PieceType::Pawn) & them).forward(S::THEM);
        let mut attacked = pawns.east() | pawns.west() | attacks::king(self.king(S::THEM));
        for from in self.pieces(PieceType::Knight) & them {
            attacked |= attacks::knight(from);
        }
        attacked | attacks::sliders(self.diagonal_sliders() & them, self.straight_sliders() & them, occupied)
    }
}

/// The squares that must not be attacked when `S` castles, besides the king's own.
#[inline]
pub(super) fn castling_path<S: Side>(king: Square, rook: Square) -> Bitboard {
    let (king_to, _) = Wing::of(king, rook).destinations(S::US);
    attacks::between(king, king_to) | Bitboard::from(king_to)
}

/// Writes moves into a list.
struct Lister<const NOISY: bool, const QUIET: bool> {
    list: MoveList,
}

impl<S: Side, const N: bool, const Q: bool> Visitor<S> for Lister<N, Q> {
    const NOISY: bool = N;
    const QUIET: bool = Q;

    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.list.push(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.list.push(Move::normal(origin(to, step), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            for kind in PieceType::PROMOTIONS {
                self.list.push(Move::new(origin(to, step), to, MoveKind::Promotion(kind)));
            }
        }
    }

    #[inline]
    fn en_passant(&mut self, from: Square, to: Square) {
        self.list.push(Move::new(from, to, MoveKind::EnPassant));
    }

    #[inline]
    fn castling(&mut self, king: Square, rook: Square) {
        self.list.push(Move::new(king, rook, MoveKind::Castling));
    }
}

/// Counts moves without making them.
struct Counter {
    moves: u32,
}

impl<S: Side> Visitor<S> for Counter {
    const NOISY: bool = true;
    const QUIET: bool = true;
    const COUNTS: bool = true;

    #[inline]
    fn some(&mut self, moves: u32) {
        self.moves += moves;
    }

    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.moves += targets.count();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.moves += targets.count();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i32) {
        self.moves += targets.count() * PieceType::PROMOTIONS.len() as u32;
    }

    #[inline]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.moves += 1;
    }

    #[inline]
    fn castling(&mut self, _: Square, _: Square) {
        self.moves += 1;
    }
}

/// Stops at the first move.
struct Finder {
    found: bool,
}

impl<S: Side> Visitor<S> for Finder {
    const NOISY: bool = true;
    const QUIET: bool = true;

    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.found |= targets.any();
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.found |= targets.any();
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i32) {
        self.found |= targets.any();
    }

    #[inline]
    fn en_passant(&mut self, _: Square, _: Square) {
        self.found = true;
    }

    #[inline]
    fn castling(&mut self, _: Square, _: Square) {
        self.found = true;
    }

    #[inline]
    fn is_done(&self) -> bool {
        self.found
    }
}
