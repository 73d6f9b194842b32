//! Won endings are won and drawn ones held, against the best defence and with hardly a search.

use std::sync::Arc;

use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Position as _};
use shakmaty_syzygy::Wdl;
use stretto::engine::{Configuration, Engine, Solo};
use stretto::position::{Game, Position};
use stretto::search::events::{Event, Outcome};
use stretto::search::limits::Limits;
use stretto::sync::Mutex;
use stretto::tablebase::Tablebases;
use stretto::types::{Mebibytes, Millis, Move, Nodes};

use crate::common::Random;
use crate::judge::{Ending, Judge, MATERIALS, Record, fen, position};

/// What a game was worth to the side that moved first, and how it ended.
type Played = (i32, Ending);

/// Plays a position against the best replies and says what came of it.
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

/// Random positions of so many men at least that are worth this to the side to move. Often the counter is as high as
/// leaves a win just possible.
fn samples(judge: &Judge, random: &mut Random, men: usize, count: usize, wanted: Wdl) -> Vec<String> {
    let materials: Vec<&str> = MATERIALS.into_iter().filter(|material| material.len() > men).collect();
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
            // The counter allows no move that does not count.
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

/// Which of these positions are not played to what they are worth.
fn failures(
    judge: &Judge,
    fens: &[String],
    worth: i32,
    mut choose: impl FnMut(&Game) -> Move,
) -> Vec<(String, Played)> {
    let mut random = Random(1);
    let played = fens.iter().map(|fen| (fen.clone(), playout(judge, fen, &mut random, &mut choose)));
    played.filter(|(_, (result, _))| *result != worth).collect()
}

/// An engine of one thread that spends so many nodes on a move.
fn brief(tables: Tablebases, nodes: u64) -> impl FnMut(&Game) -> Move {
    let configuration = Configuration { tables, ..Configuration::default() };
    let mut solo = Solo::new(Mebibytes(1), configuration).expect("a table of one MiB");
    move |game| {
        let limits = Limits { nodes: Some(Nodes(nodes)), ..Limits::default() };
        solo.search(game, limits).best.expect("a legal move")
    }
}

#[test]
fn wins_what_is_won_and_holds_what_is_drawn() {
    let Some(folder) = crate::folder() else { return };
    let judge = Judge::new(&folder);
    let tables = crate::tables(&folder);
    let mut random = Random(20);
    let won = samples(&judge, &mut random, 3, 48, Wdl::Win);
    assert_eq!(failures(&judge, &won, 1, brief(tables.clone(), 60)), []);
    let drawn = samples(&judge, &mut random, 3, 24, Wdl::Draw);
    assert_eq!(failures(&judge, &drawn, 0, brief(tables, 60)), []);
}

/// The same by the tables that are part of the program, as it comes without any file.
#[test]
fn a_bare_engine_does_so_too() {
    let Some(folder) = crate::folder() else { return };
    let judge = Judge::new(&folder);
    let mut random = Random(21);
    let won = samples(&judge, &mut random, 3, 48, Wdl::Win);
    assert_eq!(failures(&judge, &won, 1, brief(crate::embedded(), 60)), []);
    let drawn = samples(&judge, &mut random, 3, 24, Wdl::Draw);
    assert_eq!(failures(&judge, &drawn, 0, brief(crate::embedded(), 60)), []);
}

/// `make endings`: 1,000 won and 1,000 drawn positions at ten milliseconds a move, with either sort of tables and without.
#[test]
#[ignore = "long; run by `make endings`"]
fn two_thousand_endings() {
    let Some(folder) = crate::folder() else { return };
    let judge = Judge::new(&folder);
    let mut random = Random(2026);
    let won = samples(&judge, &mut random, 4, 1000, Wdl::Win);
    let drawn = samples(&judge, &mut random, 4, 1000, Wdl::Draw);
    let mut failed = Vec::new();
    let all = [
        ("with the tables of the program", crate::embedded()),
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

/// An engine that thinks ten milliseconds a move.
fn timed(tables: Tablebases) -> impl FnMut(&Game) -> Move {
    let last: Arc<Mutex<Option<Outcome>>> = Arc::default();
    let heard = Arc::clone(&last);
    let sink = move |event: &Event| {
        if let Event::Done(outcome) = event {
            *heard.lock() = Some(outcome.clone());
        }
    };
    let mut engine = Engine::new(Arc::new(sink)).expect("an engine");
    engine.configuration.tables = tables;
    move |game| {
        engine.set_game(game.clone());
        engine.go(Limits { movetime: Some(Millis(10)), ..Limits::default() });
        engine.wait();
        last.lock().take().and_then(|outcome| outcome.best).expect("a legal move")
    }
}
