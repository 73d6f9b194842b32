//! Experiment on the endings that either side can win.
//!
//! Tables of three and four pieces are counted. With five pieces a win of each side is searched for.
//! Every win ends in a mate, or in a capture or promotion that leads to a won position of another
//! table, so the search looks for the last move: in random placements near the losing king, by
//! undoing captures that lead to lost positions of smaller tables, and by trying all mates with a
//! single piece.

use stretto::attacks;
use stretto::position::Position;
use stretto::tablebase::{Material, Metric, Outcome};
use stretto::types::{Bitboard, Color, Piece, PieceType, Square};

use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Winnable};
use super::generated::made;
use super::placement::{pieces_of, position_of};
use crate::endgames::{Table, Tables, statistics};
use stretto_harness::base::random::SplitMix64;

/// The result of the search for a win of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Win {
    /// A won position exists.
    Exists,
    /// No position is won.
    Impossible,
    /// None was found, and the search was not complete.
    NotFound,
}

pub(super) fn both_can_win(effort: Effort) -> Finding {
    let mut rows = Vec::new();
    let (mut shares, mut counts) = (Vec::new(), Vec::new());
    let names: Vec<String> =
        (3..=effort.pick(3, 4)).flat_map(Material::all).map(|material| material.to_string()).collect();
    let tables = made(&names, Metric::Dtm);
    for pieces in 3..=effort.pick(3, 4) {
        let all: Vec<_> =
            Material::all(pieces).into_iter().filter_map(|material| tables.get(material)).collect();
        let has_both = |table: &Table| {
            let [white, black] = statistics(table).sides;
            white.wins.count() + black.losses.count() > 0 && black.wins.count() + white.losses.count() > 0
        };
        let both = all.iter().filter(|table| has_both(table)).count();
        rows.push(vec![pieces.to_string(), all.len().to_string(), both.to_string(), String::new()]);
        counts.push(Winnable { all: all.len(), both, is_at_least: false });
        shares.push(format!("{both} of {} with {pieces} pieces", all.len()));
    }
    let all = Material::all(5);
    let samples = effort.pick(200, 50_000);
    let (mut both, mut impossible, mut open) = (0, Vec::new(), 0);
    for &material in &all {
        let wins = Color::ALL.map(|winner| win_of(material, winner, &tables, samples));
        match wins {
            [Win::Exists, Win::Exists] => both += 1,
            [Win::Impossible, _] | [_, Win::Impossible] => {
                // A bare king cannot win, which needs no search.
                if !is_bare(material, Color::Black) {
                    impossible.push(material.to_string());
                }
            }
            _ => open += 1,
        }
    }
    let at_least = if open > 0 { "at least " } else { "" };
    shares.push(format!("{at_least}{both} of {} with 5 pieces", all.len()));
    counts.push(Winnable { all: all.len(), both, is_at_least: open > 0 });
    rows.push(vec![
        "5".to_owned(),
        all.len().to_string(),
        format!("{at_least}{both}"),
        impossible.join(", "),
    ]);
    let measured =
        format!("{}; those with 5 pieces by a search for the last move of a win", shares.join(", "));
    Finding::new(verdicts::both_can_win(&counts), measured).with(
        "Endgames with wins for both sides",
        vec!["pieces", "endgames", "both win", "only one side, though the other has a piece"],
        rows,
    )
}

/// Whether a side has only its king.
fn is_bare(material: Material, color: Color) -> bool {
    material.others().iter().all(|piece| piece.color != color)
}

/// Returns whether a side can win an ending of five pieces. `tables` are those of four.
fn win_of(material: Material, winner: Color, tables: &Tables, samples: u32) -> Win {
    if is_bare(material, winner) {
        return Win::Impossible;
    }
    if by_sampling(material, winner, tables, samples) || by_undone_captures(material, winner, tables) {
        return Win::Exists;
    }
    let others = material.others();
    let mut own = others.iter().filter(|piece| piece.color == winner);
    // A forced promotion of the loser could lead to a win without a mate in this ending.
    let is_complete = own.clone().count() == 1 && !material.has_pawns();
    match own.next() {
        Some(&piece) if is_complete => {
            if by_mates(material, piece) {
                Win::Exists
            } else {
                Win::Impossible
            }
        }
        _ => Win::NotFound,
    }
}

/// Whether the side to move mates, or wins by a capture.
fn wins_at_once(position: &Position, tables: &Tables) -> bool {
    position.legal_moves().into_iter().any(|mv| {
        let next = position.after(mv);
        let is_mate = next.is_check() && !next.has_legal_move();
        is_mate || (position.is_capture(mv) && matches!(tables.probe(&next), Some(Outcome::Loss(_))))
    })
}

/// Looks for a last move in random placements. Half of them have the losing king on an edge and the
/// other pieces near it.
fn by_sampling(material: Material, winner: Color, tables: &Tables, samples: u32) -> bool {
    let mut random = SplitMix64::new(6);
    (0..samples).any(|number| {
        let is_near = number % 2 == 0;
        let loser = loop {
            let square = Square::from_index(random.below(64) as usize);
            let on_edge = |index: usize| index == 0 || index == 7;
            if !is_near || on_edge(square.file().index()) || on_edge(square.rank().index()) {
                break square;
            }
        };
        let mut placed = vec![(Piece::new(!winner, PieceType::King), loser)];
        let king = placed[0].0;
        for piece in pieces_of(material).into_iter().filter(|&piece| piece != king) {
            let square = loop {
                let square = Square::from_index(random.below(64) as usize);
                let is_free = placed.iter().all(|&(_, other)| other != square);
                if is_free && (!is_near || square.distance(loser) <= 3) {
                    break square;
                }
            };
            placed.push((piece, square));
        }
        position_of(&placed, winner).is_some_and(|position| wins_at_once(&position, tables))
    })
}

/// Looks for a capture that leads to a lost position of a smaller table, by undoing it.
fn by_undone_captures(material: Material, winner: Color, tables: &Tables) -> bool {
    let others = material.others();
    others.iter().filter(|piece| piece.color != winner).any(|&victim| {
        let Some(left) = material.without(victim) else { return false };
        let (canonical, is_swapped) = left.canonical();
        let Some(table) = tables.get(canonical) else { return false };
        // The table may have the colors exchanged.
        let winner = if is_swapped { !winner } else { winner };
        let victim = Piece::new(!winner, victim.kind);
        let index = table.index();
        (0..index.len())
            .filter(|&place| matches!(table.at(!winner, place), Outcome::Loss(_)))
            .filter_map(|place| index.squares_at(place))
            .any(|squares| {
                let placed: Vec<(Piece, Square)> =
                    squares.iter().enumerate().map(|(place, &square)| (index.piece(place), square)).collect();
                (0..placed.len())
                    .filter(|&place| placed[place].0.color == winner)
                    .any(|place| undone_capture_wins(&placed, place, victim, tables))
            })
    })
}

/// Whether the piece at `place` can have captured `victim` where it stands, with a winning capture.
fn undone_capture_wins(placed: &[(Piece, Square)], place: usize, victim: Piece, tables: &Tables) -> bool {
    let (piece, to) = placed[place];
    let occupied = placed.iter().fold(0_u64, |all, &(_, square)| all | 1 << square.index());
    let occupied = Bitboard(occupied);
    let origins = match piece.kind {
        // A pawn captures against the direction in which it is attacked.
        PieceType::Pawn => attacks::pawn(!piece.color, to),
        kind => attacks::of(kind, piece.color, to, occupied),
    };
    let is_pawn_rank = |square: Square| (1..7).contains(&square.rank().index());
    (origins & !occupied).into_iter().any(|from| {
        if [(victim, to), (piece, from)]
            .iter()
            .any(|&(piece, square)| piece.kind == PieceType::Pawn && !is_pawn_rank(square))
        {
            return false;
        }
        let mut before = placed.to_vec();
        before[place] = (piece, from);
        before.push((victim, to));
        position_of(&before, piece.color).is_some_and(|position| wins_at_once(&position, tables))
    })
}

/// The squares that stand for all others by the symmetries of the board without pawns.
const TRIANGLE: [&str; 10] = ["a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"];

/// Tries all mates that a king and one piece give with the loser's pieces on the board. Flight squares
/// that no attack covers must be blocked by the loser's own pieces.
fn by_mates(material: Material, piece: Piece) -> bool {
    let winner = piece.color;
    let others = material.others();
    let blockers: Vec<Piece> = others.iter().copied().filter(|other| other.color != winner).collect();
    let kings = [!winner, winner].map(|color| Piece::new(color, PieceType::King));
    TRIANGLE.iter().filter_map(|name| name.parse::<Square>().ok()).any(|loser| {
        Square::all().filter(|king| king.distance(loser) > 1).any(|king| {
            Square::all().filter(|&square| square != king && square != loser).any(|square| {
                let kings_only = Bitboard(1 << king.index() | 1 << loser.index());
                if !attacks::of(piece.kind, winner, square, kings_only).has(loser) {
                    return false;
                }
                // The king does not hide squares behind it.
                let covered = attacks::king(king)
                    | attacks::of(piece.kind, winner, square, Bitboard(1 << king.index()));
                let flights: Vec<Square> = (attacks::king(loser) & !covered).into_iter().collect();
                let mut placed = vec![(kings[0], loser), (kings[1], king), (piece, square)];
                !flights.contains(&square) && has_mate(&blockers, &flights, &mut placed)
            })
        })
    })
}

/// Whether the loser is mated for some placement of its other pieces that blocks all flight squares.
fn has_mate(blockers: &[Piece], flights: &[Square], placed: &mut Vec<(Piece, Square)>) -> bool {
    let Some((&piece, rest)) = blockers.split_first() else {
        let loser = placed[0].0.color;
        return position_of(placed, loser)
            .is_some_and(|position| position.is_check() && !position.has_legal_move());
    };
    Square::all().any(|square| {
        let is_taken = placed.iter().any(|&(_, other)| other == square);
        let open: Vec<Square> = flights.iter().copied().filter(|&flight| flight != square).collect();
        if is_taken || open.len() > rest.len() {
            return false;
        }
        placed.push((piece, square));
        let is_mate = has_mate(rest, &open, placed);
        placed.pop();
        is_mate
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the table has a win of this side, by counting.
    fn has_win(table: &Table, winner: Color) -> bool {
        let sides = statistics(table).sides;
        sides[winner.index()].wins.count() + sides[(!winner).index()].losses.count() > 0
    }

    #[test]
    fn search_for_a_last_move_agrees_with_the_tables() {
        let names = ["KRvKR", "KRvKN", "KQvKB", "KNvKP", "KBvKN", "KRvKB"];
        let tables = made(&names, Metric::Dtm);
        for name in names {
            let material: Material = name.parse().unwrap();
            let table = tables.get(material).unwrap();
            for winner in Color::ALL {
                let found = win_of(material, winner, &tables, 4000);
                if found != Win::NotFound {
                    assert_eq!(found == Win::Exists, has_win(&table, winner), "{name} {winner:?}");
                }
            }
        }
        assert_eq!(win_of("KRvK".parse().unwrap(), Color::Black, &tables, 10), Win::Impossible);
    }

    #[test]
    fn mates_with_a_single_piece_need_blocked_flight_squares() {
        let is_found = |name: &str| {
            let material: Material = name.parse().unwrap();
            let piece = material.others().into_iter().find(|piece| piece.color == Color::Black).unwrap();
            by_mates(material, piece)
        };
        // A knight mates a king behind its own rook and knight; a bishop's check can be blocked by
        // a queen next to the king.
        assert!(is_found("KRNvKN") && !is_found("KQQvKB"));
    }
}
