//! Positions that the evaluation considers drawn, compared to the tables.

use stretto::eval::Evaluation;
use stretto::position::Position;
use stretto::tablebase::{Metric, Outcome, TableFile, Tablebase};
use stretto::types::{Color, Piece, PieceType, Score, Square};

/// Returns the position with these pieces, if it is legal.
fn position(pieces: &[(Piece, Square)], side: Color) -> Option<Position> {
    let mut fen = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match pieces.iter().find(|(_, square)| square.index() == 8 * rank + file) {
                Some((piece, _)) => {
                    fen.extend((empty > 0).then(|| empty.to_string()));
                    fen.push(piece.to_char());
                    empty = 0;
                }
                None => empty += 1,
            }
        }
        fen.extend((empty > 0).then(|| empty.to_string()));
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    let side = if side == Color::White { 'w' } else { 'b' };
    Position::from_fen(&format!("{fen}{side} - - 0 1")).ok()
}

/// Two knights, and all positions of rook pawns, alone, doubled or with a bishop, with the defending
/// king near the corner: positions that the evaluation scores as a draw are draws.
#[test]
fn positions_evaluated_as_drawn_are_drawn() {
    let mut tables = Tablebase::new(Metric::Near);
    for (name, metric, bytes) in Tablebase::embedded_files() {
        if metric == Metric::Near {
            tables.add(TableFile::from_static(name, bytes).expect("an embedded table"));
        }
    }
    let evaluation = Evaluation::default();
    let of = |kind, color| Piece { kind, color };
    let pawns = (1..7).map(|rank| (of(PieceType::Pawn, Color::White), Square::from_index(8 * rank)));
    let bishops = || Square::all().map(|square| (of(PieceType::Bishop, Color::White), square));
    let alone: Vec<Vec<(Piece, Square)>> = pawns.clone().map(|pawn| vec![pawn]).collect();
    let doubled = pawns.clone().flat_map(|one| pawns.clone().map(move |other| vec![one, other]));
    let with_bishop = pawns.clone().flat_map(|pawn| bishops().map(move |bishop| vec![pawn, bishop]));
    for (attackers, least) in [(alone, 1_000), (doubled.collect(), 5_000), (with_bishop.collect(), 30_000)] {
        let mut held = 0;
        for bare in ["a8", "b8", "a7", "b7"].map(|name| name.parse::<Square>().expect("a square")) {
            for (king, attackers) in
                Square::all().flat_map(|king| attackers.iter().map(move |attackers| (king, attackers)))
            {
                let kings =
                    [(of(PieceType::King, Color::White), king), (of(PieceType::King, Color::Black), bare)];
                let pieces = [&kings, attackers.as_slice()].concat();
                let is_distinct =
                    (0..pieces.len()).all(|one| (0..one).all(|two| pieces[one].1 != pieces[two].1));
                for side in Color::ALL.into_iter().filter(|_| is_distinct) {
                    let Some(position) = position(&pieces, side) else { continue };
                    let outcome = tables.probe(&position).expect("a table in order").expect("its table");
                    let is_held = evaluation.evaluate(&position) == Score::DRAW;
                    assert!(!is_held || outcome == Outcome::Draw, "{pieces:?} {side:?}: {outcome:?}");
                    held += usize::from(is_held);
                }
            }
        }
        assert!(held > least, "{held} of {} sets of pieces", attackers.len());
    }
    let knights = "8/8/8/4k3/8/8/3NN3/4K3 w - - 0 1".parse::<Position>().expect("a position");
    assert_eq!(evaluation.evaluate(&knights), Score::DRAW);
    let right = "7k/8/8/6KP/8/8/3B4/8 w - - 0 1".parse::<Position>().expect("a position");
    assert!(evaluation.evaluate(&right) > Score::DRAW, "this bishop controls the corner");
}
