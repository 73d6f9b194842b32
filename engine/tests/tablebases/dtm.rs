//! DTM tables generated here by an independent method, and play with them.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::tablebase::{
    DtmTables, Index, MateTables, Material, Metric, Outcome, StoredSide, Tablebases, assemble, encode,
    piece_squares,
};
use stretto::types::{Color, Mebibytes, Nodes, Ply, Score};

use crate::common::{Random, with_clock};

/// The values of all positions of a three-piece endgame in which White has two pieces.
struct Solved {
    index: Index,
    /// By side to move and index; meaningless where no legal position exists.
    outcomes: [Vec<Outcome>; 2],
    fens: Vec<(String, Outcome)>,
}

/// Returns the FEN of a position.
fn fen(index: &Index, place: usize, side: Color) -> Option<String> {
    let squares = index.squares_at(place)?;
    let mut board = [None; 64];
    for (number, &square) in squares.iter().enumerate() {
        board[square.index()] = Some(index.piece(number));
    }
    let rank = |rank: usize| -> String {
        let squares = board[8 * rank..8 * rank + 8].chunk_by(|one, other| one.is_none() && other.is_none());
        squares
            .map(|run| run[0].map_or_else(|| run.len().to_string(), |piece| piece.to_char().to_string()))
            .collect()
    };
    let ranks: Vec<String> = (0..8).rev().map(rank).collect();
    Some(format!("{} {} - - 0 1", ranks.join("/"), if side == Color::White { 'w' } else { 'b' }))
}

/// Solves a three-piece endgame by retrograde iteration over its graph, one ply per round.
fn solved(material: &str) -> Solved {
    type Node = (usize, usize);
    let index = Index::new(material.parse::<Material>().expect("a material"));
    let mut moves: HashMap<Node, Vec<Option<Node>>> = HashMap::new();
    let mut outcomes = [vec![Outcome::Draw; index.len()], vec![Outcome::Draw; index.len()]];
    let mut decided: HashMap<Node, Outcome> = HashMap::new();
    let mut texts = HashMap::new();
    for side in Color::ALL {
        for place in 0..index.len() {
            let Some(text) = fen(&index, place, side) else { continue };
            let Ok(position) = Position::from_fen(&text) else { continue };
            let node = (side.index(), place);
            if !position.has_legal_move() {
                decided.insert(node, if position.is_check() { Outcome::Loss(0) } else { Outcome::Draw });
            }
            let legal = position.legal_moves();
            let children = legal.iter().map(|&mv| {
                let child = position.after(mv);
                let squares = piece_squares(&child, &index, false)?;
                Some((child.side_to_move().index(), index.index_of(&squares)?))
            });
            moves.insert(node, children.collect());
            texts.insert(node, text);
        }
    }
    for round in 1..200_u16 {
        let mut found = Vec::new();
        for (&node, children) in moves.iter().filter(|(node, _)| !decided.contains_key(node)) {
            let value_of = |child: &Option<Node>| {
                child.map_or(Some(Outcome::Draw), |child| decided.get(&child).copied())
            };
            if children.iter().any(|child| value_of(child) == Some(Outcome::Loss(round - 1))) {
                found.push((node, Outcome::Win(round)));
            } else if children.iter().all(|child| matches!(value_of(child), Some(Outcome::Win(_)))) {
                found.push((node, Outcome::Loss(round)));
            }
        }
        decided.extend(found);
    }
    let mut fens = Vec::new();
    for (node, text) in texts {
        let outcome = decided.get(&node).copied().unwrap_or_default();
        outcomes[node.0][node.1] = outcome;
        fens.push((text, outcome));
    }
    fens.sort_by(|one, other| one.0.cmp(&other.0));
    Solved { index, outcomes, fens }
}

/// Returns the bytes of a table file with both sides to move.
fn file(material: &str, solved: &Solved) -> Vec<u8> {
    const ROWS: usize = 64;
    let index = &solved.index;
    let side = |side: Color| {
        let all = &solved.outcomes[side.index()];
        // Worst outcome first.
        let order = |outcome: &Outcome| match *outcome {
            Outcome::Loss(plies) => (0, i32::from(plies)),
            Outcome::Draw => (1, 0),
            Outcome::Win(plies) => (2, -i32::from(plies)),
        };
        let mut outcomes = all.clone();
        outcomes.sort_by_key(order);
        outcomes.dedup();
        let number =
            |outcome: &Outcome| outcomes.binary_search_by_key(&order(outcome), order).expect("one of them");
        let values: Vec<u8> = all.iter().map(|outcome| number(outcome) as u8).collect();
        let blocks = values.chunks(ROWS * index.row_len()).enumerate();
        let blocks =
            blocks.map(|(block, values)| encode(index, side, block * ROWS, outcomes.len(), values)).collect();
        Some(StoredSide { outcomes, blocks })
    };
    let material = material.parse().expect("a material");
    assemble(material, Metric::Dtm, ROWS, &[side(Color::White), side(Color::Black)])
}

/// Writes the files to a folder and opens it.
fn opened(name: &str, files: &[(&str, Vec<u8>)]) -> (DtmTables, PathBuf) {
    let folder = std::env::temp_dir().join(format!("stretto-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for temporary files");
    for (material, bytes) in files {
        fs::write(folder.join(format!("{material}.dtm")), bytes).expect("a file");
    }
    let (tables, errors) = DtmTables::open([&folder]);
    assert!(errors.is_empty(), "{errors:?}");
    (tables, folder)
}

fn engine(tables: &Tablebases) -> Solo {
    let configuration = Configuration { tables: tables.clone(), ..Configuration::default() };
    Solo::new(Mebibytes(1), configuration).expect("a table of one MiB")
}

fn brief() -> Limits {
    Limits { nodes: Some(Nodes(50)), ..Limits::default() }
}

/// Returns the plies to mate when the engine plays both sides, checking the score of each move.
fn mates_in(engine: &mut Solo, fen: &str, plies: u16) -> u16 {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    for played in 0.. {
        if !game.position().has_legal_move() {
            assert!(game.position().is_check(), "stalemate from {fen}");
            return played;
        }
        assert!(played <= plies, "too long from {fen}");
        let outcome = engine.search(&game, brief());
        let left = Ply(plies - played);
        let expected = if played % 2 == 0 { Score::mate_in(left) } else { Score::mated_in(left) };
        assert_eq!(outcome.score, expected, "{fen} after {played}");
        game.play(outcome.best.expect("a move"));
    }
    plies
}

#[test]
fn engine_mates_in_the_minimum_number_of_moves() {
    let materials = [("KQvK", 19), ("KRvK", 31)];
    let solved = materials.map(|(material, longest)| (material, longest, solved(material)));
    let files: Vec<_> =
        solved.iter().map(|(material, _, solved)| (*material, file(material, solved))).collect();
    let (own, folder) = opened("dtm", &files);
    assert_eq!(own.to_string(), "2 DTM tables of up to 3 pieces");
    let mut random = Random::new(4);
    let own = Arc::new(own);
    let tables = Tablebases { dtm: Some(own.clone()), ..Tablebases::default() };
    let mut engine = engine(&tables);
    for (material, longest, solved) in &solved {
        let wins = |outcome: &Outcome| if let Outcome::Win(plies) = outcome { *plies } else { 0 };
        assert_eq!(solved.fens.iter().map(|(_, outcome)| wins(outcome)).max(), Some(*longest), "{material}");
        for (fen, outcome) in solved.fens.iter().step_by(11) {
            let position = Position::from_fen(fen).expect("a position");
            assert_eq!(own.outcome(&position), Some(*outcome), "{fen}");
        }
        let won: Vec<_> = solved.fens.iter().filter(|(_, outcome)| wins(outcome) > 0).collect();
        for _ in 0..12 {
            let (fen, outcome) = won[random.below(won.len())];
            let plies = wins(outcome);
            // With the clock at zero, and as high as the rule permits.
            let fen = with_clock(fen, [0, 100 - plies][random.below(2)]);
            assert_eq!(mates_in(&mut engine, &fen, plies), plies, "{fen}");
        }
    }
    // One ply later the rule intervenes: no mate is claimed.
    let (fen, plies) = ("8/8/8/4k3/8/8/8/KR6 w - - 0 1", 31);
    let search = |tables: &Tablebases, clock: u16| {
        let game = Game::new(Position::from_fen(&with_clock(fen, clock)).expect("a position"));
        self::engine(tables).search(&game, brief()).score
    };
    let known = own.outcome(&Position::from_fen(fen).expect("a position")).expect("a table");
    let Outcome::Win(distance) = known else { panic!("{known}") };
    assert!(distance <= plies);
    assert_eq!(search(&tables, 100 - distance), Score::mate_in(Ply(distance)));
    assert!(!search(&tables, 101 - distance).is_decisive());
    let _ = fs::remove_dir_all(folder);
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_syzygy_tables_give_the_cursed_win_that_dtm_tables_do_not_know() {
    let (own, folder) = opened("dtm-syzygy", &[("KRvK", file("KRvK", &solved("KRvK")))]);
    let fen = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";
    let known = own.outcome(&Position::from_fen(fen).expect("a position")).expect("a table");
    let Outcome::Win(distance) = known else { panic!("{known}") };
    let both = Tablebases { dtm: Some(Arc::new(own)), ..crate::tables(&crate::folder()) };
    let search = |clock: u16| {
        let game = Game::new(Position::from_fen(&with_clock(fen, clock)).expect("a position"));
        engine(&both).search(&game, brief()).score
    };
    assert_eq!(search(100 - distance), Score::mate_in(Ply(distance)));
    assert_eq!(search(103 - distance), Score(2));
    let _ = fs::remove_dir_all(folder);
}

#[test]
fn damaged_block_is_reported_and_answers_nothing() {
    let solved = solved("KQvK");
    let mut bytes = file("KQvK", &solved);
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    let (own, folder) = opened("own-damaged", &[("KQvK", bytes)]);
    let all: Vec<Option<Outcome>> = solved
        .fens
        .iter()
        .map(|(fen, _)| own.outcome(&Position::from_fen(fen).expect("a position")))
        .collect();
    let unknown = all.iter().filter(|found| found.is_none()).count();
    assert!(unknown > 0 && unknown < all.len(), "{unknown}");
    for (found, (fen, outcome)) in all.iter().zip(&solved.fens) {
        assert!(found.is_none_or(|found| found == *outcome), "{fen}");
    }
    assert_eq!(own.failures().len(), 1);
    assert!(own.failures().is_empty(), "reported once");
    let (_, errors) = DtmTables::open([folder.join("none")]);
    assert_eq!(errors.len(), 1);
    let _ = fs::remove_dir_all(folder);
}
