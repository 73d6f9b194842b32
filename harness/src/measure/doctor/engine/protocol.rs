//! Checks of the dialogue: info lines, `stop`, `isready`, pondering, unknown commands, and the end.

use std::time::{Duration, Instant};

use super::support::{
    CheckedSearch, MIDDLE, Outcome, START, STOP, bad, checked, good, is_legal, ms, note, ready, search, tail,
};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Variant, Watchdog};
use crate::measure::doctor::Finding;
use crate::play::referee::Board;
use crate::uci::{Engine, Launcher, SearchInfo, UciError};

pub(super) fn info_lines(engine: &mut Engine) -> Outcome {
    let (_, lines) = search(engine, MIDDLE, "go movetime 200")?;
    let infos: Vec<&String> =
        lines.iter().filter(|line| line.starts_with("info ") && line.contains(" score ")).collect();
    let Some(last) = infos.iter().rev().find(|line| !line.contains("bound")) else {
        return bad(
            "no `info` line with an exact score before `bestmove`: adjudication and analysis need one",
        );
    };
    for line in &infos {
        for key in ["depth", "seldepth", "nodes", "nps", "time", "hashfull", "tbhits"] {
            let mut words = line.split_ascii_whitespace().skip_while(|word| *word != key).skip(1);
            if let Some(value) = words.next()
                && value.parse::<u64>().is_err()
            {
                return bad(format!("`{key} {value}` in `{line}`: expected a whole number"));
            }
        }
        let Some(info) = SearchInfo::parse(line) else { continue };
        let Ok(mut board) = Board::new(MIDDLE, Variant::Standard) else { continue };
        for text in info.pv() {
            if !board.play(text) {
                return bad(format!("`{text}` in the line of play of `{line}` is not legal there"));
            }
        }
    }
    let lacks: Vec<&str> = [" depth ", " nodes ", " time ", " nps ", " pv "]
        .into_iter()
        .filter(|key| !last.contains(key))
        .collect();
    if lacks.is_empty() {
        good(format!("{} with scores; their lines of play are legal", infos.len()))
    } else {
        let lacks: Vec<&str> = lacks.iter().map(|key| key.trim()).collect();
        note(format!("the last one lacks {}", lacks.join(", ")))
    }
}

pub(super) fn stop(engine: &mut Engine) -> Outcome {
    engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\n"))?;
    let early = engine.read_lines(Duration::from_millis(200))?;
    if early.iter().any(|line| line.starts_with("bestmove")) {
        return bad("answers `go infinite` before `stop`");
    }
    let answer = engine.stop(engine.answer_limit())?;
    if !is_legal(MIDDLE, &answer.best_move) {
        return bad(format!("plays `{}`, which is no legal move in {MIDDLE}", answer.best_move));
    }
    let late = engine.read_lines(Duration::from_millis(100))?;
    if late.iter().any(|line| line.starts_with("bestmove")) {
        return bad("sends two `bestmove` lines to one `go`");
    }
    // At once: the stop must not be lost, whichever of the two is seen first.
    engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\n"))?;
    let at_once = match engine.stop(engine.answer_limit()) {
        Err(UciError::Timeout { .. }) => {
            return bad("a `stop` that comes right after `go` is lost: the search goes on for ever");
        }
        other => other?,
    };
    if !is_legal(MIDDLE, &at_once.best_move) {
        return bad(format!("stopped at once it plays `{}`, which is no legal move", at_once.best_move));
    }
    let elapsed = answer.elapsed.max(at_once.elapsed);
    if elapsed > STOP {
        bad(format!("takes {:.0} ms to answer `stop`", ms(elapsed)))
    } else {
        good(format!("answers `stop` within {:.1} ms, once", ms(elapsed)))
    }
}

pub(super) fn isready_in_a_search(engine: &mut Engine) -> Outcome {
    engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\nisready\n"))?;
    let start = Instant::now();
    let heard =
        engine.exchange("", Duration::from_secs(3), |line| line == "readyok" || line.starts_with("bestmove"));
    let elapsed = start.elapsed();
    let answered = match heard {
        Ok(lines) if lines.last().is_some_and(|line| line.starts_with("bestmove")) => {
            return bad("answers `go infinite` before `stop`");
        }
        Ok(_) => true,
        Err(UciError::Timeout { .. }) => false,
        Err(error) => return Err(error),
    };
    engine.stop(engine.answer_limit())?;
    if answered {
        good(format!("`readyok` after {:.1} ms, the search goes on", ms(elapsed)))
    } else {
        bad("does not answer `isready` while it searches; the protocol asks for `readyok` at once")
    }
}

pub(super) fn ponder(engine: &mut Engine) -> Outcome {
    let go = "go ponder wtime 2000 btime 2000";
    engine.send_lines(&format!("position fen {MIDDLE}\n{go}\n"))?;
    let early = engine.read_lines(Duration::from_millis(200))?;
    if early.iter().any(|line| line.starts_with("bestmove")) {
        return bad("answers `go ponder` before `ponderhit` or `stop`");
    }
    // The clock of two seconds allows a longer search than a short limit of answers.
    let limit = engine.answer_limit().max(Duration::from_secs(3));
    let heard = engine.exchange("ponderhit\n", limit, |line| line.starts_with("bestmove"))?;
    let answer =
        heard.last().and_then(|line| line.split_ascii_whitespace().nth(1)).unwrap_or_default().to_owned();
    if !is_legal(MIDDLE, &answer) {
        return bad(format!("after `ponderhit` it plays `{answer}`, which is no legal move in {MIDDLE}"));
    }
    engine.send_lines(&format!("position fen {MIDDLE}\n{go}\n"))?;
    engine.read_lines(Duration::from_millis(50))?;
    let stopped = engine.stop(engine.answer_limit())?;
    if is_legal(MIDDLE, &stopped.best_move) {
        good("waits for `ponderhit` or `stop`, then answers")
    } else {
        bad(format!("stopped while pondering it plays `{}`, which is no legal move", stopped.best_move))
    }
}

pub(super) fn nonsense(engine: &mut Engine) -> Outcome {
    engine.send_lines("hello\nsetoption name No Such Option value 7\nsetoption name\ngo_\n\n   \nposition\nstop\nponderhit\n")?;
    engine.read_lines(Duration::from_millis(100))?;
    engine.new_game()?;
    match checked(engine, START, "go depth 3")? {
        CheckedSearch::Legal(_) => good("unknown words, empty lines and a stop without a search are ignored"),
        CheckedSearch::Illegal(message) => bad(message),
    }
}

/// Counts the files that the engine opens from game to game. A first game is not counted: it may
/// open books and tables.
pub(super) fn open_files(engine: &mut Engine) -> Outcome {
    const GAMES: usize = 10;
    let mut play = |games: usize| -> Result<Option<usize>, UciError> {
        for _ in 0..games {
            engine.new_game()?;
            search(engine, START, "go depth 1")?;
        }
        Ok(engine.open_files())
    };
    let (Some(before), Some(after)) = (play(1)?, play(GAMES)?) else {
        return note("the system does not report the open files of a process");
    };
    if after >= before + GAMES {
        bad(format!(
            "leaks files: {before} open after one game, {after} after {GAMES} more; a long match ends when the \
             system refuses to open another"
        ))
    } else {
        good(format!("{after} open, no more from game to game"))
    }
}

/// Checks that the engine exits on `quit` during a search, and at the end of its input. Returns `None`
/// if the check was cancelled.
pub(super) fn ending(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Option<Finding> {
    const CHECK: &str = "quit";
    for (how, last) in [("`quit`", "quit\n"), ("the end of its input", "")] {
        let mut engine = match ready(config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((UciError::Cancelled, _)) => return None,
            Err((error, dialogue)) => {
                return Some(Finding::bad(CHECK, format!("{error}\n{}", tail(&dialogue))));
            }
        };
        match engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\n{last}")) {
            Ok(()) => {}
            Err(UciError::Cancelled) => return None,
            Err(error) => return Some(Finding::bad(CHECK, error.to_string())),
        }
        let Some(status) = engine.end_of_input(Duration::from_secs(3)) else {
            return Some(Finding::bad(
                CHECK,
                format!("still runs three seconds after {how} in a search; it would have to be killed"),
            ));
        };
        if status != "exited with code 0" {
            return Some(Finding::note(CHECK, format!("{status} after {how} in a search")));
        }
    }
    Some(Finding::good(CHECK, "ends by itself, with `quit` and without, in the middle of a search"))
}
