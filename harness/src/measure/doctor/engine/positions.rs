//! Checks of positions: castling, ended games, long games, Chess960, and repeated searches.

use super::support::{CASTLES, MATED, MIDDLE, Outcome, STALEMATE, START, bad, good, is_legal, note, search};
use crate::config::Variant;
use crate::play::referee::Board;
use crate::uci::Engine;

pub(super) fn castling(engine: &mut Engine) -> Outcome {
    for text in ["e1g1", "e1c1"] {
        let Ok(mut board) = Board::new(CASTLES, Variant::Standard) else { continue };
        board.play(text);
        let after = format!("{}\ngo depth 2\n", board.command());
        let answer = engine.search(&after, engine.answer_limit())?;
        if !board.play(&answer.best_move) {
            return bad(format!(
                "after White's `{text}` it plays `{}`, which is not legal there",
                answer.best_move
            ));
        }
        let (forced, _) = search(engine, CASTLES, &format!("go depth 2 searchmoves {text}"))?;
        if forced.best_move == "e1h1" || forced.best_move == "e1a1" {
            return bad(format!("writes castling as `{}` though UCI_Chess960 is off", forced.best_move));
        }
    }
    good("both sides, by position and by moves")
}

pub(super) fn searchmoves(engine: &mut Engine) -> Outcome {
    let (answer, _) = search(engine, START, "go depth 3 searchmoves a2a3 h2h4")?;
    match answer.best_move.as_str() {
        "a2a3" | "h2h4" => good("keeps to them"),
        other => note(format!("plays `{other}` when only a2a3 and h2h4 were to be searched")),
    }
}

pub(super) fn game_over(engine: &mut Engine) -> Outcome {
    for (fen, how) in [(MATED, "mated"), (STALEMATE, "stalemated")] {
        let (answer, _) = search(engine, fen, "go depth 3")?;
        if is_legal(fen, &answer.best_move) || !matches!(answer.best_move.as_str(), "(none)" | "0000" | "") {
            return note(format!(
                "plays `{}` when it is {how}; `(none)` or `0000` is usual",
                answer.best_move
            ));
        }
    }
    good("mate and stalemate are answered without a move")
}

pub(super) fn long_game(engine: &mut Engine) -> Outcome {
    // Knights go out and home: longer than any game, and drawn many times over.
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = shuffle.iter().cycle().take(1200).copied().collect();
    let text = format!("position fen {START} moves {}\ngo depth 3\n", moves.join(" "));
    let answer = engine.search(&text, engine.answer_limit())?;
    if is_legal(START, &answer.best_move) {
        good("1200 plies are taken")
    } else {
        bad(format!("after 1200 plies it plays `{}`, which is no legal move", answer.best_move))
    }
}

pub(super) fn repeats_itself(engine: &mut Engine) -> Outcome {
    let mut found = Vec::new();
    for _ in 0..2 {
        engine.new_game()?;
        let (answer, _) = search(engine, MIDDLE, "go depth 7")?;
        found.push((answer.best_move, answer.report.nodes, answer.report.score));
    }
    if found[0] == found[1] {
        good("the same search twice, after `ucinewgame`, is the same")
    } else {
        note(
            "two searches to the same depth differ after `ucinewgame`: games at fixed nodes or depth will not repeat",
        )
    }
}

pub(super) fn chess960(engine: &mut Engine) -> Outcome {
    if !engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("UCI_Chess960")) {
        return note("not declared (UCI_Chess960)");
    }
    engine.set_up(&[], &["setoption name UCI_Chess960 value true".to_owned()])?;
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let (answer, _) = search(engine, fen, "go depth 4")?;
    let Ok(mut board) = Board::new(fen, Variant::Chess960) else { return note("could not be tried") };
    if board.play(&answer.best_move) {
        good("plays from a position with rooks on f and h")
    } else {
        bad(format!(
            "plays `{}`, which is no legal move in {fen} (castling is king takes rook)",
            answer.best_move
        ))
    }
}
