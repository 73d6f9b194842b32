//! A slow reference implementation of the rules for tests: a mailbox board on which every
//! pseudo-legal move is tried.
//!
//! It shares only basic types with the move generator, so that a common error is unlikely.

use super::{Position, Wing};
use crate::types::{Color, File, Move, MoveKind, Piece, PieceType, Rank, Square};

type Squares = [Option<Piece>; 64];

const ROOK: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn offset(square: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    let file = square.file().index() as i32 + files;
    let rank = square.rank().index() as i32 + ranks;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then(|| Square::new(File::from_index(file as usize), Rank::from_index(rank as usize)))
}

fn forward(color: Color) -> i32 {
    if color == Color::White { 1 } else { -1 }
}

/// Returns the squares a piece attacks, including those of its own side.
fn attacks_from(squares: &Squares, from: Square, piece: Piece) -> Vec<Square> {
    let steps: Vec<(i32, i32)> = match piece.kind {
        PieceType::Pawn => vec![(-1, forward(piece.color)), (1, forward(piece.color))],
        PieceType::Knight => KNIGHT.to_vec(),
        PieceType::Bishop => BISHOP.to_vec(),
        PieceType::Rook => ROOK.to_vec(),
        PieceType::Queen | PieceType::King => [ROOK, BISHOP].concat(),
    };
    let slides = matches!(piece.kind, PieceType::Bishop | PieceType::Rook | PieceType::Queen);
    let mut reached = Vec::new();
    for step in steps {
        let mut square = from;
        while let Some(next) = offset(square, step) {
            reached.push(next);
            if !slides || squares[next.index()].is_some() {
                break;
            }
            square = next;
        }
    }
    reached
}

fn is_attacked(squares: &Squares, target: Square, by: Color) -> bool {
    Square::all().any(|from| {
        squares[from.index()]
            .is_some_and(|piece| piece.color == by && attacks_from(squares, from, piece).contains(&target))
    })
}

fn is_in_check(squares: &Squares, color: Color) -> bool {
    let king = Piece::new(color, PieceType::King);
    let square = Square::all().find(|square| squares[square.index()] == Some(king)).expect("a king");
    is_attacked(squares, square, !color)
}

fn squares_of(position: &Position) -> Squares {
    let mut squares = [None; 64];
    for square in Square::all() {
        squares[square.index()] = position.piece_on(square);
    }
    squares
}

/// Returns the board after a pseudo-legal move.
fn played(squares: &Squares, color: Color, mv: Move) -> Squares {
    let mut next = *squares;
    let (from, to) = (mv.from(), mv.to());
    let piece = next[from.index()].take();
    match mv.kind() {
        MoveKind::Normal => next[to.index()] = piece,
        MoveKind::Promotion(kind) => next[to.index()] = Some(Piece::new(color, kind)),
        MoveKind::EnPassant => {
            next[to.index()] = piece;
            next[Square::new(to.file(), from.rank()).index()] = None;
        }
        MoveKind::Castling => {
            let rook = next[to.index()].take();
            let (king_file, rook_file) =
                if to.file() > from.file() { (File::G, File::F) } else { (File::C, File::D) };
            next[Square::new(king_file, from.rank()).index()] = piece;
            next[Square::new(rook_file, from.rank()).index()] = rook;
        }
    }
    next
}

fn pawn_moves(squares: &Squares, position: &Position, from: Square, moves: &mut Vec<Move>) {
    let color = position.side_to_move();
    let mut targets = Vec::new();
    let once = offset(from, (0, forward(color))).filter(|to| squares[to.index()].is_none());
    targets.extend(once);
    if from.rank() == color.relative_rank(Rank::SECOND) {
        let twice = once.and_then(|once| offset(once, (0, forward(color))));
        targets.extend(twice.filter(|to| squares[to.index()].is_none()));
    }
    for to in attacks_from(squares, from, Piece::new(color, PieceType::Pawn)) {
        if squares[to.index()].is_some_and(|piece| piece.color != color) {
            targets.push(to);
        } else if position.ep_square() == Some(to) {
            moves.push(Move::new(from, to, MoveKind::EnPassant));
        }
    }
    for to in targets {
        if to.rank() == color.relative_rank(Rank::EIGHTH) {
            moves.extend(PieceType::PROMOTIONS.map(|kind| Move::new(from, to, MoveKind::Promotion(kind))));
        } else {
            moves.push(Move::normal(from, to));
        }
    }
}

fn castling_moves(squares: &Squares, position: &Position, moves: &mut Vec<Move>) {
    let color = position.side_to_move();
    let king = position.king(color);
    for (wing, king_file, rook_file) in [(Wing::King, File::G, File::F), (Wing::Queen, File::C, File::D)] {
        let Some(rook) = position.castling_rook(color, wing) else { continue };
        let span = |a: Square, b: Square| {
            let (low, high) = (a.index().min(b.index()), a.index().max(b.index()));
            (low..=high).map(Square::from_index)
        };
        let king_to = Square::new(king_file, king.rank());
        let rook_to = Square::new(rook_file, king.rank());
        let is_free = |square: Square| square == king || square == rook || squares[square.index()].is_none();
        let mut without = *squares;
        without[king.index()] = None;
        let path_is_safe = span(king, king_to).all(|square| !is_attacked(&without, square, !color));
        if span(king, king_to).all(is_free) && span(rook, rook_to).all(is_free) && path_is_safe {
            moves.push(Move::new(king, rook, MoveKind::Castling));
        }
    }
}

/// Returns every legal move, sorted.
pub(super) fn legal_moves(position: &Position) -> Vec<Move> {
    let squares = squares_of(position);
    let color = position.side_to_move();
    let mut moves = Vec::new();
    for from in Square::all() {
        let Some(piece) = squares[from.index()].filter(|piece| piece.color == color) else { continue };
        if piece.kind == PieceType::Pawn {
            pawn_moves(&squares, position, from, &mut moves);
            continue;
        }
        for to in attacks_from(&squares, from, piece) {
            if squares[to.index()].is_none_or(|other| other.color != color) {
                moves.push(Move::normal(from, to));
            }
        }
    }
    castling_moves(&squares, position, &mut moves);
    moves.retain(|&mv| !is_in_check(&played(&squares, color, mv), color));
    moves.sort_unstable();
    moves
}

/// Whether a legal move gives check.
pub(super) fn gives_check(position: &Position, mv: Move) -> bool {
    let color = position.side_to_move();
    is_in_check(&played(&squares_of(position), color, mv), !color)
}

/// Whether the placement after a legal move equals that of the reference implementation.
pub(super) fn agrees_after(position: &Position, mv: Move) -> bool {
    let expected = played(&squares_of(position), position.side_to_move(), mv);
    squares_of(&position.after(mv)) == expected
}
