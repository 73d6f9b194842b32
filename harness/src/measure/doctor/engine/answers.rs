//! Checks of the answers to `go`: limits, clocks, castling, ended games and Chess960.

use std::time::Duration;

use super::support::{
    CASTLES, Flaw, LATE, MATED, MIDDLE, Outcome, STALEMATE, START, bad, checked, good, is_legal, ms, note,
    require, search,
};
use crate::config::{EngineOption, Variant};
use crate::play::referee::Board;
use crate::uci::{Engine, UciError};

pub(super) fn nodes(engine: &mut Engine) -> Outcome {
    let answer = match checked(engine, MIDDLE, "go nodes 20000") {
        Ok(answer) => answer,
        Err(Flaw::Dialogue(UciError::Timeout { .. })) => {
            return bad(format!(
                "does not keep to `go nodes`: still searches after {} s, and hangs a match at fixed nodes",
                engine.answer_limit().as_secs_f64()
            ));
        }
        Err(error) => return Err(error),
    };
    match answer.report.nodes {
        None => note("reports no nodes; matches at fixed nodes cannot be checked"),
        Some(nodes) if nodes < 10_000 => note(format!(
            "reports {nodes} nodes where 20000 were asked for: it stops early, or counts no nodes after its last `info` \
             line, which makes all nodes per second too small"
        )),
        Some(nodes) if nodes > 25_000 => bad(format!(
            "ignores `go nodes`: searched {nodes} nodes where 20000 were asked for; matches and measurements at \
             fixed nodes mean nothing"
        )),
        Some(nodes) => good(format!("{nodes} nodes where 20000 were asked for")),
    }
}

pub(super) fn depth(engine: &mut Engine) -> Outcome {
    good(format!("depth 4 in {:.0} ms", ms(checked(engine, MIDDLE, "go depth 4")?.elapsed)))
}

pub(super) fn movetime(engine: &mut Engine) -> Outcome {
    let (mut latest, mut short) = (Duration::ZERO, 0);
    for fen in [MIDDLE, START, CASTLES] {
        let answer = checked(engine, fen, "go movetime 100")?;
        latest = latest.max(answer.elapsed);
        short += u32::from(answer.elapsed < Duration::from_millis(50));
    }
    let late = latest.saturating_sub(Duration::from_millis(100));
    let message = format!("answers within {:.1} ms when given 100", ms(latest));
    if short >= 2 {
        let message = format!("ignores `go movetime`: {message}, {short} of 3 times in less than half of it");
        return Err(Flaw::BadAtFullStrength(message));
    }
    if late > LATE { bad(format!("{message}: in a match this is a loss on time")) } else { good(message) }
}

pub(super) fn short_of_time(engine: &mut Engine) -> Outcome {
    // One clock only, the other first, and hardly any time: a missing clock counts as equal, a missing increment as zero.
    for (fen, go, left) in [
        (MIDDLE, "go wtime 100", 100),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "go btime 100", 100),
        (MIDDLE, "go btime 100 binc 100 wtime 100 winc 100", 100),
        (MIDDLE, "go wtime 20 btime 20 winc 10 binc 10", 20),
        (MIDDLE, "go wtime 1 btime 1", 1),
        (MIDDLE, "go wtime 300 btime 300 movestogo 1", 300),
    ] {
        let answer = checked(engine, fen, go)?;
        let is_in_time = answer.elapsed <= Duration::from_millis(left) + LATE;
        require(is_in_time, format_args!("took {:.1} ms after `{go}`", ms(answer.elapsed)))?;
    }
    good("in time with 300, 100, 20 and 1 ms on the clock")
}

pub(super) fn castling(engine: &mut Engine) -> Outcome {
    for text in ["e1g1", "e1c1"] {
        let Ok(mut board) = Board::new(CASTLES, Variant::Standard) else { continue };
        board.play(text);
        let after = format!("{}\ngo depth 2\n", board.command);
        let answer = engine.search(&after, engine.answer_limit())?;
        let played = &answer.best_move;
        let defect = format_args!("after White's `{text}` it plays `{played}`, which is not legal there");
        require(board.play(played), defect)?;
        let (forced, _) = search(engine, CASTLES, &format!("go depth 2 searchmoves {text}"))?;
        let forced = forced.best_move;
        let defect = format_args!("writes castling as `{forced}` though UCI_Chess960 is off");
        require(forced != "e1h1" && forced != "e1a1", defect)?;
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
    // Matches end long before, so that no game is lost by it.
    match engine.search(&text, engine.answer_limit()) {
        Ok(answer) if is_legal(START, &answer.best_move) => good("1200 plies are taken"),
        Ok(answer) => {
            note(format!("after 1200 plies it plays `{}`, which is no legal move", answer.best_move))
        }
        Err(UciError::Cancelled) => Err(UciError::Cancelled.into()),
        Err(error) => note(format!("after 1200 plies {error}; no match has such a game")),
    }
}

pub(super) fn repeats_itself(engine: &mut Engine) -> Outcome {
    let mut found = Vec::new();
    for _ in 0..2 {
        engine.new_game()?;
        let (answer, _) = match search(engine, MIDDLE, "go depth 7") {
            Err(UciError::Timeout { .. }) => {
                return note("`go depth 7` takes longer than --answer-limit: not tried");
            }
            searched => searched?,
        };
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
    let on = EngineOption { name: "UCI_Chess960".to_owned(), value: Some("true".to_owned()) };
    engine.set_up(&[on], &[])?;
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
