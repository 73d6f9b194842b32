//! The engine wins won endgames and holds drawn ones against the best defence, with little search.

use std::sync::Arc;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Position as _};
use shakmaty_syzygy::Wdl;
use stretto::engine::{Configuration, Engine, Solo};
use stretto::position::{Game, Position};
use stretto::search::events::{Event, SearchResult};
use stretto::search::limits::Limits;
use stretto::sync::Mutex;
use stretto::tablebase::Tablebases;
use stretto::types::{Mebibytes, Millis, Move, Nodes};

use crate::common::Random;
use crate::judge::{Ending, Judge, MATERIALS, Record, fen, position};

/// The result for the side that moves first, and the reason for the end.
type Played = (i32, Ending);

/// Plays a position against the best replies and returns the result.
fn playout(judge: &Judge, fen: &str, random: &mut Random, mut choose: impl FnMut(&Game) -> Move) -> Played {
    let mut game = Game::new(Position::from_fen(fen).expect("a position"));
    let mut record = Record::new(position(fen));
    let own = record.position.turn();
    loop {
        let is_own_turn = record.position.turn() == own;
        match record.ending() {
            Some(Ending::Mate) => return (if is_own_turn { -1 } else { 1 }, Ending::Mate),
            Some(ending) => return (0, ending),
            None => {}
        }
        let text = if is_own_turn {
            choose(&game).to_string()
        } else {
            judge.reply(&record.position, random).to_uci(CastlingMode::Standard).to_string()
        };
        game.play(game.position().parse_uci(&text).expect("a legal move"));
        let mv = text.parse::<UciMove>().expect("a move").to_move(&record.position).expect("a legal move");
        record.play(mv);
    }
}

/// Returns random positions of at least this many pieces with the wanted result. The clock is often
/// as high as the win just permits.
fn samples(judge: &Judge, random: &mut Random, pieces: usize, count: usize, wanted: Wdl) -> Vec<String> {
    let materials: Vec<&str> = MATERIALS.into_iter().filter(|material| material.len() > pieces).collect();
    let mut found = Vec::new();
    while found.len() < count {
        let material = materials[random.below(materials.len())];
        let position = Judge::random(material, random);
        if judge.wdl(&position) != wanted {
            continue;
        }
        let spare = 100 - judge.dtz(&position).0.unsigned_abs();
        let clock = match (wanted, random.below(4)) {
            (Wdl::Draw, _) => random.below(60) as u32,
            // With this clock every move must make progress.
            (_, 0) if judge.precise_dtz(&position).is_some() => spare,
            (_, 1) => spare.saturating_sub(1),
            _ => random.below(spare.max(1) as usize) as u32,
        };
        let fen = fen(&position, clock.min(99));
        if judge.result(&crate::judge::position(&fen)) == Some(wanted) {
            found.push(fen);
        }
    }
    found
}

/// Returns the positions that were not played to their theoretical result.
fn failures(
    judge: &Judge,
    fens: &[String],
    expected: i32,
    mut choose: impl FnMut(&Game) -> Move,
) -> Vec<(String, Played)> {
    let mut random = Random::new(1);
    let played = fens.iter().map(|fen| (fen.clone(), playout(judge, fen, &mut random, &mut choose)));
    played.filter(|(_, (result, _))| *result != expected).collect()
}

/// Returns an engine of one thread that searches this many nodes per move.
fn brief(tables: Tablebases, nodes: u64) -> impl FnMut(&Game) -> Move {
    let configuration = Configuration { tables, ..Configuration::default() };
    let mut solo = Solo::new(Mebibytes(1), configuration).expect("a table of one MiB");
    move |game| {
        let limits = Limits { nodes: Some(Nodes(nodes)), ..Limits::default() };
        solo.search(game, limits).best.expect("a legal move")
    }
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_won_endgames_are_won_and_drawn_ones_held() {
    let folder = crate::folder();
    let judge = Judge::new(&folder);
    let tables = crate::tables(&folder);
    let mut random = Random::new(20);
    let won = samples(&judge, &mut random, 3, 48, Wdl::Win);
    assert_eq!(failures(&judge, &won, 1, brief(tables.clone(), 60)), []);
    let drawn = samples(&judge, &mut random, 3, 24, Wdl::Draw);
    assert_eq!(failures(&judge, &drawn, 0, brief(tables, 60)), []);
}

/// The same with the embedded tables only.
#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_embedded_tables_suffice_to_win_and_hold_endgames() {
    let folder = crate::folder();
    let judge = Judge::new(&folder);
    let mut random = Random::new(21);
    let won = samples(&judge, &mut random, 3, 48, Wdl::Win);
    assert_eq!(failures(&judge, &won, 1, brief(crate::embedded(), 60)), []);
    let drawn = samples(&judge, &mut random, 3, 24, Wdl::Draw);
    assert_eq!(failures(&judge, &drawn, 0, brief(crate::embedded(), 60)), []);
}

/// Run by `make endings`: 1,000 won and 1,000 drawn positions at ten milliseconds per move, with
/// both kinds of tables and without.
#[test]
#[ignore = "long; run by `make endings`"]
fn two_thousand_endgames_are_played_to_their_result() {
    let folder = crate::folder();
    let judge = Judge::new(&folder);
    let mut random = Random::new(2026);
    let won = samples(&judge, &mut random, 4, 1000, Wdl::Win);
    let drawn = samples(&judge, &mut random, 4, 1000, Wdl::Draw);
    let mut failed = Vec::new();
    let all = [
        ("with embedded tables", crate::embedded()),
        ("with Syzygy tables", crate::tables(&folder)),
        ("without tables", Tablebases::default()),
    ];
    for (name, tables) in all {
        let is_certain = tables.usage.has_embedded || tables.syzygy.is_some();
        let mut choose = timed(tables);
        let missed = failures(&judge, &won, 1, &mut choose);
        println!("{name}: {} of {} wins missed", missed.len(), won.len());
        let lost = failures(&judge, &drawn, 0, &mut choose);
        println!("{name}: {} of {} draws lost", lost.len(), drawn.len());
        if is_certain {
            failed.extend([missed, lost].concat().into_iter().map(|failed| (name, failed)));
        }
    }
    assert_eq!(failed, []);
}

/// Returns an engine that searches ten milliseconds per move.
fn timed(tables: Tablebases) -> impl FnMut(&Game) -> Move {
    let last: Arc<Mutex<Option<SearchResult>>> = Arc::default();
    let heard = Arc::clone(&last);
    let sink = move |event: &Event| {
        if let Event::Done(outcome) = event {
            *heard.lock() = Some(outcome.clone());
        }
    };
    let mut engine = Engine::new(Arc::new(sink)).expect("an engine");
    engine.configure(|search| search.tables = tables).expect("the network is unchanged");
    move |game| {
        engine.set_game(game.clone());
        engine.go(Limits { movetime: Some(Millis(10)), ..Limits::default() });
        engine.wait();
        last.lock().take().and_then(|outcome| outcome.best).expect("a legal move")
    }
}
