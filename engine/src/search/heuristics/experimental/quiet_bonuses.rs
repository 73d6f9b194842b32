//! Ordering of quiet moves by what they do on the board.
//!
//! Bets: a safe direct check is worth trying early (`DirectCheckOrder`); so is a move to an offence
//! square, from which the piece attacks a more valuable or undefended one (`OffenceOrder`); a pawn that
//! shelters its castled king moves late (`ShelterOrder`).
//! Preconditions: a quiet move; for `ShelterOrder`, the opponent has a queen.
//! Soundness: ordering only.
//! Knobs: `DirectCheckBonus`, `OffenceBonus`, `ShelterMalus`.
//! Source: known from Reckless; checks from Stockfish too.
//! Evidence: none yet: `results/ablation.md`, "Switches without games".

use crate::attacks;
use crate::position::{Position, see_value};
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Bitboard, File, Move, MoveKind, PieceType, Rank, Score};

/// Squares by the type of the piece that moves there.
type ByKind = [Bitboard; PieceType::ALL.len()];

/// Returns the ordering score that these criteria add to the quiet moves of a node, as a function.
/// `threats` are the squares that the opponent attacks. Units: history.
#[inline]
pub(crate) fn score<T: Toggles>(toggles: T, position: &Position, threats: Bitboard) -> impl Fn(Move) -> i32 {
    let checks = on!(toggles, DirectCheckOrder).then(|| check_squares(position));
    let offence = on!(toggles, OffenceOrder).then(|| offence_squares(position, threats));
    let shelter = on!(toggles, ShelterOrder).then(|| shelter_pawns(position));
    move |mv| {
        let lands_on = |squares: &ByKind| {
            mv.kind() == MoveKind::Normal
                && squares[position.moved(mv).index()].has(mv.to())
                && (!threats.has(mv.to()) || position.see_at_least(mv, Score(0)))
        };
        let mut sum = 0;
        if checks.as_ref().is_some_and(lands_on) {
            sum += toggles.value(Tunable::DirectCheckBonus);
        }
        if offence.as_ref().is_some_and(lands_on) {
            sum += toggles.value(Tunable::OffenceBonus);
        }
        if shelter.is_some_and(|pawns| pawns.has(mv.from())) {
            sum -= toggles.value(Tunable::ShelterMalus);
        }
        sum
    }
}

/// Returns the squares from which a piece of the side to move attacks the king.
fn check_squares(position: &Position) -> ByKind {
    let them = !position.side_to_move();
    let king = position.king(them);
    PieceType::ALL.map(|kind| match kind {
        PieceType::King => Bitboard::EMPTY,
        _ => attacks::of(kind, them, king, position.occupied()),
    })
}

/// Returns the squares from which a piece of the side to move attacks one of more value, or an
/// undefended one besides pawns.
fn offence_squares(position: &Position, threats: Bitboard) -> ByKind {
    let them = !position.side_to_move();
    let occupied = position.occupied();
    let all = |kind| position.pieces_of(them, kind);
    PieceType::ALL.map(|kind| {
        let targets = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen]
            .into_iter()
            .map(|other| {
                if see_value(other) > see_value(kind) {
                    all(other)
                } else {
                    Bitboard(all(other).0 & !threats.0)
                }
            })
            .fold(Bitboard::EMPTY, |targets, one| targets | one);
        let from = |target| attacks::of(kind, them, target, occupied);
        match kind {
            PieceType::King => Bitboard::EMPTY,
            _ => targets.into_iter().fold(Bitboard::EMPTY, |squares, target| squares | from(target)),
        }
    })
}

/// Returns the pawns of the side to move on the second and third rank before its king, which stands on
/// the first rank and off the centre; none if the opponent has no queen.
fn shelter_pawns(position: &Position) -> Bitboard {
    let side = position.side_to_move();
    let king = position.king(side);
    let is_castled =
        side.relative_rank(king.rank()) == Rank::FIRST && ![File::D, File::E].contains(&king.file());
    if !is_castled || position.pieces_of(!side, PieceType::Queen).is_empty() {
        return Bitboard::EMPTY;
    }
    let file = Bitboard::file(king.file());
    let ranks = [Rank::SECOND, Rank::THIRD].map(|rank| Bitboard::rank(side.relative_rank(rank)));
    position.pieces_of(side, PieceType::Pawn) & (file | file.east() | file.west()) & (ranks[0] | ranks[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    /// Returns the score of a quiet move with one switch on.
    fn score_of(switch: Switch, fen: &str, mv: &str) -> i32 {
        let settings = Settings::default().with(switch, true);
        let position: Position = fen.parse().expect("a position");
        let mv = position.parse_uci(mv).expect("a legal move");
        assert!(
            !position.is_noisy(mv) && score(&Settings::default(), &position, position.threats())(mv) == 0
        );
        score(&settings, &position, position.threats())(mv)
    }

    #[test]
    fn safe_direct_checks_score_more_than_other_moves() {
        // The rook gives check on e1, and on d8, where the king takes it.
        let fen = "4k3/8/8/8/8/8/6K1/3R4 w - - 0 1";
        let bonus = (&Settings::default()).value(Tunable::DirectCheckBonus);
        let score = |mv| score_of(Switch::DirectCheckOrder, fen, mv);
        assert_eq!((score("d1e1"), score("d1d8"), score("d1d5"), score("g2f2")), (bonus, 0, 0, 0));
        // The bishop's move uncovers a check: not a direct one.
        let discovered = "4k3/8/8/8/4B3/8/6K1/4R3 w - - 0 1";
        assert_eq!(score_of(Switch::DirectCheckOrder, discovered, "e4b1"), 0);
    }

    #[test]
    fn moves_that_attack_more_valuable_or_undefended_pieces_score_more() {
        let bonus = (&Settings::default()).value(Tunable::OffenceBonus);
        let score = |fen, mv| score_of(Switch::OffenceOrder, fen, mv);
        // From d3 the knight attacks the defended rook, from f3 nothing.
        let rook = "4k3/8/1p6/2r5/8/8/8/4N1K1 w - - 0 1";
        assert_eq!((score(rook, "e1d3"), score(rook, "e1f3")), (bonus, 0));
        // From c2 it attacks a bishop that is undefended, or defended.
        assert_eq!(score("4k3/8/8/8/8/b7/8/4N1K1 w - - 0 1", "e1c2"), bonus);
        assert_eq!(score("4k3/8/8/8/1p6/b7/8/4N1K1 w - - 0 1", "e1c2"), 0);
        // The bishop attacks a defended knight, which is of no more value.
        assert_eq!(score("4k3/8/2p5/3n4/8/8/8/4B1K1 w - - 0 1", "e1h4"), 0);
    }

    #[test]
    fn pawns_before_the_castled_king_score_less_while_there_is_a_queen() {
        let malus = (&Settings::default()).value(Tunable::ShelterMalus);
        let score = |fen, mv| score_of(Switch::ShelterOrder, fen, mv);
        let castled = "3qk3/8/8/8/8/7P/1P3PP1/6K1 w - - 0 1";
        assert_eq!(["g2g4", "h3h4", "b2b3"].map(|mv| score(castled, mv)), [-malus, -malus, 0]);
        assert_eq!(score("4k3/8/8/8/8/8/5PP1/6K1 w - - 0 1", "g2g4"), 0, "no queen");
        assert_eq!(score("3qk3/8/8/8/8/8/4PP2/4K3 w - - 0 1", "f2f4"), 0, "not castled");
        assert_eq!(score("6k1/5pp1/8/8/8/8/8/3QK3 b - - 0 1", "g7g5"), -malus);
    }
}
