//! Generation of legal moves as sets of target squares.
//!
//! A single traversal of the pieces computes target sets that are already legal, using the check
//! mask, pins and squares attacked by the enemy. A visitor lists, counts or plays them. The side to
//! move is a compile-time constant. So are the wishes of most visitors (noisy moves, quiet moves or
//! both); one that lists moves has them as fields, because the instruction cache is too small for a copy
//! of the generator per wish.

use super::{MoveList, Position, Wing};
use crate::attacks;
use crate::types::{Bitboard, Move, MoveKind, PieceType, Side, Square, by_side};

/// A receiver of the moves of one position in which `S` is to move.
pub(super) trait Visitor<S: Side> {
    /// Whether only the number of moves matters: most slider moves are then reported by
    /// [`Visitor::add_count`].
    const COUNTS: bool = false;

    /// Whether captures, en passant and promotions are wanted.
    #[inline]
    fn is_noisy_wanted(&self) -> bool {
        true
    }
    /// Whether all other moves are wanted.
    #[inline]
    fn is_quiet_wanted(&self) -> bool {
        true
    }
    /// Receives a number of moves; called only for visitors that count.
    #[inline]
    fn add_count(&mut self, _moves: u32) {}
    /// Receives the moves and captures of the piece on `from`. `targets` may be empty.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Receives pawn moves and captures; `step` is the index difference from the pawn to each
    /// target.
    fn pawns(&mut self, targets: Bitboard, step: i32);
    /// Receives pawn moves to the last rank, as [`Visitor::pawns`] does for others.
    fn promotions(&mut self, targets: Bitboard, step: i32);
    /// Receives an en passant capture.
    fn en_passant(&mut self, from: Square, to: Square);
    /// Receives castling with this rook.
    fn castling(&mut self, king: Square, rook: Square);
    /// Whether the visitor needs no further moves.
    #[inline]
    fn is_done(&self) -> bool {
        false
    }
}

/// Returns the square a pawn came from.
#[inline]
pub(super) fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl Position {
    /// Returns every legal move, in unspecified order.
    ///
    /// ```
    /// use stretto::position::Position;
    ///
    /// let moves = Position::startpos().legal_moves();
    /// assert_eq!(moves.len(), 20);
    /// assert!(moves.iter().any(|mv| mv.to_string() == "g1f3"));
    /// ```
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.collect_moves(Wanted::ALL)
    }

    /// Returns the legal captures, including en passant, and all promotions.
    #[inline]
    pub fn captures(&self) -> MoveList {
        self.collect_moves(Wanted::NOISY)
    }

    /// Appends the moves of [`Position::captures`] to an empty list, which saves a copy.
    #[inline]
    pub fn list_captures(&self, list: &mut MoveList) {
        self.list_moves(Wanted::NOISY, list);
    }

    /// Returns the legal moves that [`Position::captures`] omits, including castling.
    #[inline]
    pub fn quiets(&self) -> MoveList {
        self.collect_moves(Wanted::QUIET)
    }

    /// Appends the moves of [`Position::quiets`] to an empty list, which saves a copy.
    #[inline]
    pub fn list_quiets(&self, list: &mut MoveList) {
        self.list_moves(Wanted::QUIET, list);
    }

    /// Returns the number of legal moves. Range: 0 to 218 for positions from games.
    #[inline]
    pub fn count_legal_moves(&self) -> usize {
        by_side!(self.side, S => self.count_moves::<S>()) as usize
    }

    /// Whether a legal move exists.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        let mut finder = MoveFinder { found: false };
        by_side!(self.side, S => self.visit_moves::<S, _>(&mut finder));
        finder.found
    }

    /// Returns the squares attacked by the side not to move, seen through the king of the side to
    /// move.
    #[inline]
    pub fn threats(&self) -> Bitboard {
        by_side!(self.side, S => self.attacked_by_opponent::<S>())
    }

    #[inline]
    fn collect_moves(&self, wanted: Wanted) -> MoveList {
        let mut list = MoveList::new();
        self.list_moves(wanted, &mut list);
        list
    }

    #[inline]
    fn list_moves(&self, wanted: Wanted, list: &mut MoveList) {
        let mut collector = MoveCollector { wanted, list };
        by_side!(self.side, S => self.visit_moves::<S, _>(&mut collector));
    }

    #[inline]
    pub(super) fn count_moves<S: Side>(&self) -> u32 {
        let mut counter = MoveCounter { moves: 0 };
        self.visit_moves::<S, _>(&mut counter);
        counter.moves
    }

    /// Passes every legal move of `S`, the side to move, to `visitor`.
    #[inline]
    pub(super) fn visit_moves<S: Side, V: Visitor<S>>(&self, visitor: &mut V) {
        debug_assert!(self.side == S::US);
        let (us, them) = (self.side(S::US), self.side(S::THEM));
        let mut wanted = Bitboard::EMPTY;
        if visitor.is_noisy_wanted() {
            wanted |= them;
        }
        if visitor.is_quiet_wanted() {
            wanted |= !(us | them);
        }
        self.visit_king::<S, V>(visitor, wanted);
        if self.checkers.has_many() || visitor.is_done() {
            return;
        }
        // Targets of other pieces that end a single check: the checker and the squares before it.
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

    /// Visits knights, bishops, rooks and queens. Queens appear in the diagonal and in the
    /// orthogonal loop: two loops have fewer mispredicted exits than three.
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
            visitor.add_count(attacks::count_slider_attacks(
                self.diagonal_sliders() & free,
                self.orthogonal_sliders() & free,
                occupied,
                wanted,
            ));
        } else {
            for from in self.diagonal_sliders() & us & !self.pinned {
                visitor.piece(from, attacks::bishop(from, occupied) & wanted);
            }
            for from in self.orthogonal_sliders() & us & !self.pinned {
                visitor.piece(from, attacks::rook(from, occupied) & wanted);
            }
        }
        // A pinned slider stays on the line of its pin; a pinned knight cannot move.
        for from in self.diagonal_sliders() & us & self.pinned {
            visitor.piece(from, attacks::bishop(from, occupied) & wanted & attacks::line(king, from));
        }
        for from in self.orthogonal_sliders() & us & self.pinned {
            visitor.piece(from, attacks::rook(from, occupied) & wanted & attacks::line(king, from));
        }
    }

    /// Visits all pawns at once, direction by direction. A pinned pawn may move in a direction only
    /// if its king is on the same line.
    #[inline]
    fn visit_pawns<S: Side, V: Visitor<S>>(&self, visitor: &mut V, check_mask: Bitboard) {
        let king = self.king(S::US);
        let pawns = self.pieces_of(S::US, PieceType::Pawn);
        let free = pawns & !self.pinned;
        let bound = pawns & self.pinned;
        let empty = !self.occupied();

        let pushers = free | bound & Bitboard::file(king.file());
        let once = pushers.forward(S::US) & empty;
        if visitor.is_quiet_wanted() {
            let twice = (once & S::THIRD_RANK).forward(S::US) & empty;
            visitor.pawns(once & check_mask & !S::LAST_RANK, S::FORWARD);
            visitor.pawns(twice & check_mask, 2 * S::FORWARD);
        }
        if !visitor.is_noisy_wanted() {
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
        if let Some(target) = self.en_passant {
            for from in attacks::pawn(S::THEM, target) & pawns {
                if self.is_en_passant_safe::<S>(from, target) {
                    visitor.en_passant(from, target);
                }
            }
        }
    }

    /// Visits king moves and castling.
    #[inline]
    fn visit_king<S: Side, V: Visitor<S>>(&self, visitor: &mut V, wanted: Bitboard) {
        let king = self.king(S::US);
        let steps = attacks::king(king) & wanted;
        let rooks = if visitor.is_quiet_wanted() && self.checkers.is_empty() {
            self.castling_candidates::<S>(king)
        } else {
            Bitboard::EMPTY
        };
        // Kings are often enclosed by their own pieces; then the attacked squares are not needed.
        if (steps | rooks).is_empty() {
            return;
        }
        let attacked = self.attacked_by_opponent::<S>();
        visitor.piece(king, steps & !attacked);
        for rook in rooks {
            if (castling_path::<S>(king, rook) & attacked).is_empty() {
                visitor.castling(king, rook);
            }
        }
    }

    /// Returns the rooks with a castling right and a free path, without testing whether the king's
    /// path is attacked.
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

    /// Whether all squares that king and rook cross or reach are free of other pieces, and the rook
    /// is not pinned.
    ///
    /// A pinned castling rook stands between its king and an enemy on the back rank, which occurs
    /// only in Chess960. The king would be in check after castling.
    #[inline]
    pub(super) fn is_castling_path_free<S: Side>(&self, king: Square, rook: Square) -> bool {
        // Most candidates fail here, and in standard chess this is the only condition.
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

    /// Returns the squares attacked by the side not to move, seen through the king of `S`, so that
    /// the king cannot retreat along a checking line.
    #[inline]
    fn attacked_by_opponent<S: Side>(&self) -> Bitboard {
        let them = self.side(S::THEM);
        let occupied = self.occupied() ^ self.pieces_of(S::US, PieceType::King);
        let pawns = (self.pieces(PieceType::Pawn) & them).forward(S::THEM);
        let mut attacked = pawns.east() | pawns.west() | attacks::king(self.king(S::THEM));
        for from in self.pieces(PieceType::Knight) & them {
            attacked |= attacks::knight(from);
        }
        attacked
            | attacks::sliders(self.diagonal_sliders() & them, self.orthogonal_sliders() & them, occupied)
    }
}

/// Returns the squares that must not be attacked when `S` castles, besides the king's own.
#[inline]
pub(super) fn castling_path<S: Side>(king: Square, rook: Square) -> Bitboard {
    let (king_to, _) = Wing::of(king, rook).destinations(S::US);
    attacks::between(king, king_to) | Bitboard::from(king_to)
}

/// The moves that a list is to contain.
#[derive(Clone, Copy)]
struct Wanted {
    noisy: bool,
    quiet: bool,
}

impl Wanted {
    const ALL: Self = Self { noisy: true, quiet: true };
    const NOISY: Self = Self { noisy: true, quiet: false };
    const QUIET: Self = Self { noisy: false, quiet: true };
}

/// A visitor that collects moves in a list.
struct MoveCollector<'a> {
    wanted: Wanted,
    list: &'a mut MoveList,
}

impl<S: Side> Visitor<S> for MoveCollector<'_> {
    #[inline]
    fn is_noisy_wanted(&self) -> bool {
        self.wanted.noisy
    }

    #[inline]
    fn is_quiet_wanted(&self) -> bool {
        self.wanted.quiet
    }

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

/// A visitor that counts moves without creating them.
struct MoveCounter {
    moves: u32,
}

impl<S: Side> Visitor<S> for MoveCounter {
    const COUNTS: bool = true;

    #[inline]
    fn add_count(&mut self, moves: u32) {
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

/// A visitor that stops at the first move.
struct MoveFinder {
    found: bool,
}

impl<S: Side> Visitor<S> for MoveFinder {
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
