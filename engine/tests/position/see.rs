//! Static exchange evaluation, compared to published cases and to a slow exhaustive exchange.

use crate::data;
use stretto::position::{Position, see_value};
use stretto::types::{Bitboard, Color, Move, MoveKind, PieceType, Rank, Score, SplitMix64, Square};

#[test]
fn see_matches_published_cases() {
    let text = data::carried("epd/see.txt");
    for line in data::lines(&text) {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let position = Position::from_fen(fields[0]).unwrap();
        let mv = position.parse_uci(fields[2]).unwrap();
        assert_eq!(position.parse_san(fields[1]), Ok(mv), "{line}");
        let expected = Score(fields[3].parse().unwrap());
        assert_eq!(position.see(mv), expected, "{line}");
        for margin in [-1000, -100, -1, 0, 1, 100, 1000] {
            assert_eq!(position.see_at_least(mv, expected + margin), margin <= 0, "{line} {margin}");
        }
    }
}

fn value(kind: PieceType) -> i32 {
    see_value(kind).0
}

/// A recursive exchange on one square.
struct Exchange<'a> {
    position: &'a Position,
    target: Square,
}

impl Exchange<'_> {
    /// Returns the material that `side` gains from here on if it may stop at any time and
    /// `standing` can be captured.
    fn best(&self, occupied: Bitboard, side: Color, standing: PieceType) -> i32 {
        let attackers = self.position.attackers_to(self.target, occupied) & occupied;
        let last_rank = self.target.rank() == side.relative_rank(Rank::EIGHTH);
        let mut takers: Vec<(i32, Square, PieceType)> = (attackers & self.position.side(side))
            .into_iter()
            .filter_map(|from| Some((from, self.position.kind_on(from)?)))
            .map(|(from, kind)| {
                // A promoting pawn is ordered between rook and queen.
                let dear = if last_rank && kind == PieceType::Pawn { 700 } else { value(kind) };
                (dear, from, kind)
            })
            .collect();
        takers.sort_by_key(|&(dear, from, kind)| (dear, kind, from));
        let Some(&(_, from, kind)) = takers.first() else { return 0 };
        let defended = (attackers & self.position.side(!side)).any();
        if kind == PieceType::King && defended {
            return 0;
        }
        let (gain, lands) = if last_rank && kind == PieceType::Pawn {
            (value(PieceType::Queen) - value(PieceType::Pawn), PieceType::Queen)
        } else {
            (0, kind)
        };
        let taking = value(standing) + gain - self.best(occupied & !Bitboard::from(from), !side, lands);
        taking.max(0)
    }

    fn value_of(position: &Position, mv: Move) -> i32 {
        let us = position.side_to_move();
        let mut occupied = (position.occupied() & !Bitboard::from(mv.from())) | Bitboard::from(mv.to());
        let mut gain = position.captured(mv).map_or(0, value);
        let mut lands = position.moved(mv);
        match mv.kind() {
            MoveKind::Castling => return 0,
            MoveKind::EnPassant => occupied &= !Bitboard::from(mv.to().forward(!us)),
            MoveKind::Promotion(kind) => {
                gain += value(kind) - value(PieceType::Pawn);
                lands = kind;
            }
            MoveKind::Normal => {}
        }
        gain - Exchange { position, target: mv.to() }.best(occupied, !us, lands)
    }
}

#[test]
fn see_equals_the_exhaustive_exchange() {
    let mut generator = SplitMix64::new(0x5EE);
    let mut random = |bound: usize| generator.below(bound as u64) as usize;
    let starts = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    ];
    let (mut compared, mut losing) = (0, 0);
    for _ in 0..120 {
        let mut position = Position::from_fen(starts[random(starts.len())]).unwrap();
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            for &mv in &moves {
                let expected = Exchange::value_of(&position, mv);
                assert_eq!(position.see(mv), Score(expected), "{position} {mv}");
                compared += 1;
                losing += i32::from(expected < 0);
            }
            position = position.after(moves[random(moves.len())]);
        }
    }
    assert!(compared > 100_000 && losing > 10_000, "{compared} moves, {losing} losing");
}
