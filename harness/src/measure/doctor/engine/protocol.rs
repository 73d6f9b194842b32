//! Checks of the dialogue: names and options, info lines, `stop`, `isready`, pondering, unknown commands, and the end.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::support::{
    Flaw, MIDDLE, Outcome, START, STOP, Subject, bad, checked, good, is_legal, ms, note, require, search,
    tail,
};
use crate::config::Variant;
use crate::measure::doctor::Finding;
use crate::play::referee::Board;
use crate::uci::{Engine, OptionDecl, OptionKind, SearchInfo, UciError, is_best_move};

pub(super) fn introduction(engine: &mut Engine) -> Outcome {
    match (engine.id_name.is_empty(), engine.id_author.is_some()) {
        (false, true) => good(engine.id_name.clone()),
        (true, _) => bad("sends no `id name` line between `uci` and `uciok`"),
        (false, false) => bad("sends no `id author` line between `uci` and `uciok`"),
    }
}

pub(super) fn options(engine: &mut Engine) -> Outcome {
    if let Some(line) = &engine.unread_option {
        return bad(format!("`{line}`: expected `option name NAME type check|spin|combo|button|string ...`"));
    }
    let (kept, dropped) = (engine.options.len(), engine.dropped_options);
    require(dropped == 0, format_args!("declares {} options; only {kept} are kept", kept + dropped))?;
    let mut seen = HashSet::new();
    if let Some(twice) = engine.options.iter().find(|option| !seen.insert(option.name.to_ascii_lowercase())) {
        return bad(format!("declares `{}` twice (names do not differ by case)", twice.name));
    }
    for option in &engine.options {
        if let Some(flaw) = option.flaw() {
            return bad(format!("`{}`: {flaw}", option.name));
        }
    }
    let is_odd = |option: &&OptionDecl| {
        let default = option.default.as_deref().unwrap_or_default();
        matches!(option.kind, OptionKind::Check { .. }) && !["true", "false"].contains(&default)
    };
    if let Some(option) = engine.options.iter().find(is_odd) {
        return note(format!(
            "{}; UCI writes `true` and `false`, and other programs may take the option for off",
            option.default_text()
        ));
    }
    let lacks: Vec<&str> =
        ["Hash", "Threads"].into_iter().filter(|name| !seen.contains(&name.to_ascii_lowercase())).collect();
    if lacks.is_empty() {
        good(format!("{} declared, Hash and Threads among them", seen.len()))
    } else {
        note(format!("{} declared, but not {}: testing frameworks set both", seen.len(), lacks.join(", ")))
    }
}

/// Time in which a second answer is waited for.
const LATE_ANSWER: Duration = Duration::from_millis(200);

pub(super) fn info_lines(engine: &mut Engine) -> Outcome {
    let (_, lines) = search(engine, MIDDLE, "go movetime 200")?;
    let scored: Vec<&String> = lines.iter().filter(|line| fields(line).any(|word| word == "score")).collect();
    let is_exact = |line: &str| SearchInfo::parse(line).is_some_and(|info| info.is_exact);
    let Some(last) = scored.iter().rev().find(|line| is_exact(line)) else {
        return bad(
            "no `info` line with an exact score before `bestmove`: adjudication and analysis need one",
        );
    };
    for line in &scored {
        if let Some(field) = unreadable_field(line) {
            return bad(format!("`{field}` in `{line}`: expected a whole number"));
        }
        let Some(info) = SearchInfo::parse(line) else { continue };
        let Ok(mut board) = Board::new(MIDDLE, Variant::Standard) else { continue };
        for text in info.pv() {
            let defect = format_args!("`{text}` in the line of play of `{line}` is not legal there");
            require(board.play(text), defect)?;
        }
    }
    let is_lacking = |key: &&str| fields(last).all(|word| word != *key);
    let lacks: Vec<&str> = ["depth", "nodes", "time", "nps", "pv"].into_iter().filter(is_lacking).collect();
    if lacks.is_empty() {
        good(format!("{} with scores; their lines of play are legal", scored.len()))
    } else {
        note(format!("the last one lacks {}", lacks.join(", ")))
    }
}

/// Returns the words of an `info` line up to a remark; none of another line.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    let mut words = line.split_ascii_whitespace();
    let is_info = words.next() == Some("info");
    words.take_while(move |&word| is_info && word != "string")
}

/// Returns the first field of an `info` line whose value is no number, or too large for one.
fn unreadable_field(line: &str) -> Option<String> {
    const COUNTS: [&str; 8] = ["depth", "seldepth", "multipv", "nodes", "nps", "time", "hashfull", "tbhits"];
    fields(line).zip(fields(line).skip(1)).find_map(|(key, value)| {
        let is_unreadable = match key {
            "cp" | "mate" => value.parse::<i32>().is_err(),
            key => COUNTS.contains(&key) && value.parse::<u64>().is_err(),
        };
        is_unreadable.then(|| format!("{key} {value}"))
    })
}

/// Defect of an engine that ends a search without limit by itself.
const EARLY: &str = "answers `go infinite` before `stop`";

/// Starts a search that lasts until another command, and checks that it does for a while.
fn search_on(engine: &mut Engine, go: &str, ms: u64, defect: &str) -> Result<(), Flaw> {
    engine.send_lines(&format!("position fen {MIDDLE}\n{go}\n"))?;
    let early = engine.read_lines(Duration::from_millis(ms))?;
    require(!early.iter().any(|line| is_best_move(line)), defect)
}

pub(super) fn stop(engine: &mut Engine) -> Outcome {
    search_on(engine, "go infinite", 200, EARLY)?;
    let answer = engine.stop(engine.answer_limit())?;
    let defect = format_args!("plays `{}`, which is no legal move in {MIDDLE}", answer.best_move);
    require(is_legal(MIDDLE, &answer.best_move), defect)?;
    require(!answers_again(engine)?, "answers `stop` twice: a second `bestmove` to one `go`")?;
    // At once: the stop must not be lost, whichever of the two is seen first.
    engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\n"))?;
    let at_once = match engine.stop(engine.answer_limit()) {
        Err(UciError::Timeout { .. }) => {
            return bad("a `stop` that comes right after `go` is lost: the search goes on for ever");
        }
        other => other?,
    };
    let defect = format_args!("stopped at once it plays `{}`, which is no legal move", at_once.best_move);
    require(is_legal(MIDDLE, &at_once.best_move), defect)?;
    let elapsed = answer.elapsed.max(at_once.elapsed);
    if elapsed > STOP {
        bad(format!("takes {:.0} ms to answer `stop`", ms(elapsed)))
    } else {
        good(format!("answers `stop` within {:.1} ms, once", ms(elapsed)))
    }
}

/// Whether the engine sends another `bestmove` after its answer. In a game it would answer the next `go`.
fn answers_again(engine: &mut Engine) -> Result<bool, UciError> {
    Ok(engine.read_lines(LATE_ANSWER)?.iter().any(|line| is_best_move(line)))
}

pub(super) fn answers_once(engine: &mut Engine) -> Outcome {
    for go in ["go depth 3", "go nodes 2000", "go movetime 50"] {
        search(engine, START, go)?;
        if answers_again(engine)? {
            return bad(format!(
                "answers `{go}` twice: a second `bestmove` counts as the answer to the next `go`, and loses the game as an \
                 illegal move"
            ));
        }
    }
    good("one `bestmove` to each `go`")
}

pub(super) fn isready_in_a_search(engine: &mut Engine) -> Outcome {
    engine.send_lines(&format!("position fen {MIDDLE}\ngo infinite\nisready\n"))?;
    let start = Instant::now();
    let heard = engine.exchange("", Duration::from_secs(3), |line| line == "readyok" || is_best_move(line));
    let elapsed = start.elapsed();
    let answered = match heard {
        Ok(lines) if lines.last().is_some_and(|line| is_best_move(line)) => {
            return bad(EARLY);
        }
        Ok(_) => true,
        Err(UciError::Timeout { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    engine.stop(engine.answer_limit())?;
    if answered {
        good(format!("`readyok` after {:.1} ms, the search goes on", ms(elapsed)))
    } else {
        bad("does not answer `isready` while it searches; the protocol asks for `readyok` at once")
    }
}

pub(super) fn ponder(engine: &mut Engine) -> Outcome {
    if !engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("Ponder")) {
        return note("not declared (Ponder), so that no program lets it ponder");
    }
    let go = "go ponder wtime 2000 btime 2000";
    let early = "answers `go ponder` before `ponderhit` or `stop`";
    search_on(engine, go, 200, early)?;
    // The clock of two seconds allows a longer search than a short limit of answers.
    let limit = engine.answer_limit().max(Duration::from_secs(3));
    let heard = engine.exchange("ponderhit\n", limit, is_best_move)?;
    let answer =
        heard.last().and_then(|line| line.split_ascii_whitespace().nth(1)).unwrap_or_default().to_owned();
    let defect = format_args!("after `ponderhit` it plays `{answer}`, which is no legal move in {MIDDLE}");
    require(is_legal(MIDDLE, &answer), defect)?;
    search_on(engine, go, 50, early)?;
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
    checked(engine, START, "go depth 3")?;
    good("unknown words, empty lines and a stop without a search are ignored")
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
pub(super) fn ending(subject: Subject<'_>) -> Option<Finding> {
    const CHECK: &str = "quit";
    for (how, last) in [("`quit`", "quit\n"), ("the end of its input", "")] {
        let mut engine = match subject.start() {
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
            let message =
                format!("still runs three seconds after {how} in a search; it would have to be killed");
            return Some(Finding::bad(CHECK, message));
        };
        if status != "exited with code 0" {
            return Some(Finding::note(CHECK, format!("{status} after {how} in a search")));
        }
    }
    Some(Finding::good(CHECK, "ends by itself, with `quit` and without, in the middle of a search"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_without_a_number_are_found_up_to_the_remark() {
        let found = |line: &str| unreadable_field(line);
        assert_eq!(found("info depth 3 score cp -5 nodes 9 pv e2e4 string nodes x"), None);
        assert_eq!(found("info\tdepth 3 score cp 1.5").as_deref(), Some("cp 1.5"));
        assert_eq!(found("info score mate 99999999999").as_deref(), Some("mate 99999999999"));
        assert_eq!(found("info depth 3 nodes -5 nps x").as_deref(), Some("nodes -5"));
    }
}
