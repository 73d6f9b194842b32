//! An engine in the situations in which engines fail in matches: each check has a fresh process and says in words what
//! went wrong and what the protocol asks for.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::{Finding, Grade};
use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, Variant, Watchdog};
use crate::play::referee::Board;
use crate::uci::{Engine, Launcher, SearchAnswer, SearchInfo, UciError};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// A busy middlegame.
const MIDDLE: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
/// White can castle to both sides.
const CASTLES: &str = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9";
const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATE: &str = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1";

/// More than any answer to a small search should take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How late a timed answer may be before it would lose games.
const LATE: Duration = Duration::from_millis(50);
/// How long an engine may take to answer `stop`.
const STOP: Duration = Duration::from_millis(500);

/// What a check has shown.
type Outcome = Result<(Grade, String), UciError>;

/// A name and what is done under it.
type Check = (&'static str, fn(&mut Engine) -> Outcome);

const CHECKS: [Check; 17] = [
    ("introduces itself", introduction),
    ("options", options),
    ("go nodes", nodes),
    ("info lines", info_lines),
    ("go depth", depth),
    ("go movetime", movetime),
    ("short of time", short_of_time),
    ("go infinite, stop", stop),
    ("isready in a search", isready_in_a_search),
    ("ponder", ponder),
    ("castling", castling),
    ("searchmoves", searchmoves),
    ("game over", game_over),
    ("a long game", long_game),
    ("nonsense", nonsense),
    ("repeats itself", repeats_itself),
    ("Chess960", chess960),
];

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn good(words: impl Into<String>) -> Outcome {
    Ok((Grade::Good, words.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn note(words: impl Into<String>) -> Outcome {
    Ok((Grade::Note, words.into()))
}

#[expect(clippy::unnecessary_wraps, reason = "what a check ends with")]
fn bad(words: impl Into<String>) -> Outcome {
    Ok((Grade::Bad, words.into()))
}

/// Puts an engine through every check; a check that fails shows the end of what was said.
pub(crate) fn examine_engine(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (what, check) in CHECKS {
        if cancel.is_cancelled() {
            return findings;
        }
        let mut engine = match ready(config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((error, dialogue)) => {
                findings.push(Finding::bad("start", format!("{error}\n{}", tail(&dialogue))));
                return findings;
            }
        };
        match check(&mut engine) {
            Ok((Grade::Bad, words)) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(what, format!("{words}\n{}", tail(&dialogue))));
            }
            Ok((grade, words)) => {
                findings.push(Finding { what, grade, words });
                engine.quit();
            }
            Err(UciError::Cancelled) => return findings,
            Err(error @ UciError::Stalled) => {
                findings.push(Finding::note(what, format!("{error}: try again when the machine is quiet")));
            }
            Err(error) => {
                let dialogue = engine.dialogue();
                findings.push(Finding::bad(what, format!("{error}\n{}", tail(&dialogue))));
            }
        }
    }
    findings.push(ending(config, launcher, watchdog, cancel));
    findings
}

fn ready(
    config: &EngineConfig,
    launcher: &Launcher,
    watchdog: Watchdog,
    cancel: &Cancel,
) -> Result<Engine, (UciError, String)> {
    let mut engine = Engine::start(config, launcher, watchdog, cancel)?;
    match engine.set_up(&config.options, &config.init).and_then(|()| engine.new_game()) {
        Ok(()) => Ok(engine),
        Err(error) => Err((error, engine.dialogue())),
    }
}

/// The last lines of a dialogue.
fn tail(dialogue: &str) -> String {
    const LINES: usize = 8;
    let lines: Vec<&str> = dialogue.lines().filter(|line| !line.contains(" currmove ")).collect();
    let cut = |line: &&str| line.chars().take(160).collect::<String>();
    lines[lines.len().saturating_sub(LINES)..].iter().map(cut).collect::<Vec<_>>().join("\n")
}

/// Searches; returns the answer and every line before it.
fn search(
    engine: &mut Engine,
    fen: &str,
    go: &str,
    time: Duration,
) -> Result<(SearchAnswer, Vec<String>), UciError> {
    let mut lines = Vec::new();
    let text = format!("position fen {fen}\n{go}\n");
    let answer = engine.search_watched(&text, time, &mut |line| lines.push(line.to_owned()))?;
    lines.pop();
    Ok((answer, lines))
}

/// Is `text` a legal move there, written as standard chess writes it?
fn is_legal(fen: &str, text: &str) -> bool {
    Board::new(fen, Variant::Standard).is_ok_and(|mut board| board.play(text))
}

/// The result of a search with a checked move.
enum CheckedSearch {
    /// The move is legal.
    Legal(SearchAnswer),
    /// The move is illegal: a description for the report.
    Illegal(String),
}

/// Searches and checks that the best move is legal.
fn checked(engine: &mut Engine, fen: &str, go: &str, time: Duration) -> Result<CheckedSearch, UciError> {
    let (answer, _) = search(engine, fen, go, time)?;
    Ok(if is_legal(fen, &answer.best_move) {
        CheckedSearch::Legal(answer)
    } else {
        let best_move = &answer.best_move;
        CheckedSearch::Illegal(format!(
            "after `{go}` it plays `{best_move}`, which is no legal move in {fen}"
        ))
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn introduction(engine: &mut Engine) -> Outcome {
    let has_author = engine.hello.iter().any(|line| line.starts_with("id author "));
    match (engine.id_name.is_empty(), has_author) {
        (false, true) => good(engine.id_name.clone()),
        (true, _) => bad("sends no `id name` line between `uci` and `uciok`"),
        (false, false) => bad("sends no `id author` line between `uci` and `uciok`"),
    }
}

fn options(engine: &mut Engine) -> Outcome {
    let lines: Vec<&String> = engine.hello.iter().filter(|line| line.starts_with("option ")).collect();
    if lines.len() != engine.options.len() {
        let bad_line = lines.iter().find(|line| crate::uci::OptionDecl::parse(line).is_none());
        let line = bad_line.map_or("", |line| line.as_str());
        return bad(format!("`{line}`: expected `option name NAME type check|spin|combo|button|string ...`"));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = engine.options.iter().find(|option| !seen.insert(option.name.to_ascii_lowercase())) {
        return bad(format!("declares `{}` twice (names do not differ by case)", twice.name));
    }
    let spin =
        |line: &&&String| line.contains(" type spin ") && !(line.contains(" min ") && line.contains(" max "));
    if let Some(line) = lines.iter().find(spin) {
        return bad(format!("`{line}`: a spin option has min and max"));
    }
    let lacks: Vec<&str> =
        ["Hash", "Threads"].into_iter().filter(|name| !seen.contains(&name.to_ascii_lowercase())).collect();
    if lacks.is_empty() {
        good(format!("{} declared, Hash and Threads among them", seen.len()))
    } else {
        note(format!("{} declared, but not {}: testing frameworks ask for it", seen.len(), lacks.join(", ")))
    }
}

fn nodes(engine: &mut Engine) -> Outcome {
    let answer = match checked(engine, MIDDLE, "go nodes 20000", PATIENCE) {
        Ok(CheckedSearch::Legal(answer)) => answer,
        Ok(CheckedSearch::Illegal(words)) => return bad(words),
        Err(UciError::Timeout { .. }) => {
            return bad(
                "does not keep to `go nodes`: still searches after ten seconds, and hangs a match at fixed nodes",
            );
        }
        Err(error) => return Err(error),
    };
    match answer.report.nodes {
        None => note("reports no nodes; matches at fixed nodes cannot be checked"),
        Some(nodes) if !(10_000..=25_000).contains(&nodes) => bad(format!(
            "ignores `go nodes`: searched {nodes} nodes where 20000 were asked for; matches and measurements at \
             fixed nodes mean nothing"
        )),
        Some(nodes) => good(format!("{nodes} nodes where 20000 were asked for")),
    }
}

fn info_lines(engine: &mut Engine) -> Outcome {
    let (_, lines) = search(engine, MIDDLE, "go movetime 200", PATIENCE)?;
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

fn depth(engine: &mut Engine) -> Outcome {
    match checked(engine, MIDDLE, "go depth 4", PATIENCE)? {
        CheckedSearch::Legal(answer) => good(format!("depth 4 in {:.0} ms", ms(answer.elapsed))),
        CheckedSearch::Illegal(words) => bad(words),
    }
}

fn movetime(engine: &mut Engine) -> Outcome {
    let (mut latest, mut short) = (Duration::ZERO, 0);
    for fen in [MIDDLE, START, CASTLES] {
        match checked(engine, fen, "go movetime 100", PATIENCE)? {
            CheckedSearch::Legal(answer) => {
                latest = latest.max(answer.elapsed);
                short += u32::from(answer.elapsed < Duration::from_millis(50));
            }
            CheckedSearch::Illegal(words) => return bad(words),
        }
    }
    let late = latest.saturating_sub(Duration::from_millis(100));
    let words = format!("answers within {:.1} ms when given 100", ms(latest));
    if short >= 2 {
        return bad(format!(
            "ignores `go movetime`: {words}, and in {short} of 3 searches in less than half of it"
        ));
    }
    if late > LATE { bad(format!("{words}: a match would call that a loss on time")) } else { good(words) }
}

fn short_of_time(engine: &mut Engine) -> Outcome {
    // One clock only, the other first, and hardly any time: what is left out counts as the same or as none.
    for (fen, go, left) in [
        (MIDDLE, "go wtime 100", 100),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "go btime 100", 100),
        (MIDDLE, "go btime 100 binc 100 wtime 100 winc 100", 100),
        (MIDDLE, "go wtime 20 btime 20 winc 10 binc 10", 20),
        (MIDDLE, "go wtime 1 btime 1", 1),
        (MIDDLE, "go wtime 300 btime 300 movestogo 1", 300),
    ] {
        let answer = match checked(engine, fen, go, PATIENCE)? {
            CheckedSearch::Legal(answer) => answer,
            CheckedSearch::Illegal(words) => return bad(words),
        };
        if answer.elapsed > Duration::from_millis(left) + LATE {
            return bad(format!("took {:.1} ms after `{go}`", ms(answer.elapsed)));
        }
    }
    good("in time with 300, 100, 20 and 1 ms on the clock")
}

fn stop(engine: &mut Engine) -> Outcome {
    engine.say(&format!("position fen {MIDDLE}\ngo infinite\n"))?;
    let early = engine.listen(Duration::from_millis(200))?;
    if early.iter().any(|line| line.starts_with("bestmove")) {
        return bad("answers `go infinite` before `stop`");
    }
    let answer = engine.stop(PATIENCE)?;
    if !is_legal(MIDDLE, &answer.best_move) {
        return bad(format!("plays `{}`, which is no legal move in {MIDDLE}", answer.best_move));
    }
    let late = engine.listen(Duration::from_millis(100))?;
    if late.iter().any(|line| line.starts_with("bestmove")) {
        return bad("sends two `bestmove` lines to one `go`");
    }
    // At once: the stop must not be lost, whichever of the two is seen first.
    engine.say(&format!("position fen {MIDDLE}\ngo infinite\n"))?;
    let at_once = match engine.stop(PATIENCE) {
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

fn isready_in_a_search(engine: &mut Engine) -> Outcome {
    engine.say(&format!("position fen {MIDDLE}\ngo infinite\nisready\n"))?;
    let start = Instant::now();
    let heard =
        engine.converse("", Duration::from_secs(3), |line| line == "readyok" || line.starts_with("bestmove"));
    let elapsed = start.elapsed();
    let answered = match heard {
        Ok(lines) if lines.last().is_some_and(|line| line.starts_with("bestmove")) => {
            return bad("answers `go infinite` before `stop`");
        }
        Ok(_) => true,
        Err(UciError::Timeout { .. }) => false,
        Err(error) => return Err(error),
    };
    engine.stop(PATIENCE)?;
    if answered {
        good(format!("`readyok` after {:.1} ms, the search goes on", ms(elapsed)))
    } else {
        bad("does not answer `isready` while it searches; the protocol asks for `readyok` at once")
    }
}

fn ponder(engine: &mut Engine) -> Outcome {
    let go = "go ponder wtime 2000 btime 2000";
    engine.say(&format!("position fen {MIDDLE}\n{go}\n"))?;
    let early = engine.listen(Duration::from_millis(200))?;
    if early.iter().any(|line| line.starts_with("bestmove")) {
        return bad("answers `go ponder` before `ponderhit` or `stop`");
    }
    let heard = engine.converse("ponderhit\n", PATIENCE, |line| line.starts_with("bestmove"))?;
    let answer =
        heard.last().and_then(|line| line.split_ascii_whitespace().nth(1)).unwrap_or_default().to_owned();
    if !is_legal(MIDDLE, &answer) {
        return bad(format!("after `ponderhit` it plays `{answer}`, which is no legal move in {MIDDLE}"));
    }
    engine.say(&format!("position fen {MIDDLE}\n{go}\n"))?;
    engine.listen(Duration::from_millis(50))?;
    let stopped = engine.stop(PATIENCE)?;
    if is_legal(MIDDLE, &stopped.best_move) {
        good("waits for `ponderhit` or `stop`, then answers")
    } else {
        bad(format!("stopped while pondering it plays `{}`, which is no legal move", stopped.best_move))
    }
}

fn castling(engine: &mut Engine) -> Outcome {
    for text in ["e1g1", "e1c1"] {
        let Ok(mut board) = Board::new(CASTLES, Variant::Standard) else { continue };
        board.play(text);
        let after = format!("{}\ngo depth 2\n", board.command());
        let answer = engine.search(&after, PATIENCE)?;
        if !board.play(&answer.best_move) {
            return bad(format!(
                "after White's `{text}` it plays `{}`, which is not legal there",
                answer.best_move
            ));
        }
        let (forced, _) = search(engine, CASTLES, &format!("go depth 2 searchmoves {text}"), PATIENCE)?;
        if forced.best_move == "e1h1" || forced.best_move == "e1a1" {
            return bad(format!("writes castling as `{}` though UCI_Chess960 is off", forced.best_move));
        }
    }
    good("both sides, told and played")
}

fn searchmoves(engine: &mut Engine) -> Outcome {
    let (answer, _) = search(engine, START, "go depth 3 searchmoves a2a3 h2h4", PATIENCE)?;
    match answer.best_move.as_str() {
        "a2a3" | "h2h4" => good("keeps to them"),
        other => note(format!("plays `{other}` when only a2a3 and h2h4 were to be searched")),
    }
}

fn game_over(engine: &mut Engine) -> Outcome {
    for (fen, how) in [(MATED, "mated"), (STALEMATE, "stalemated")] {
        let (answer, _) = search(engine, fen, "go depth 3", PATIENCE)?;
        if is_legal(fen, &answer.best_move) || !matches!(answer.best_move.as_str(), "(none)" | "0000" | "") {
            return note(format!(
                "plays `{}` when it is {how}; `(none)` or `0000` is usual",
                answer.best_move
            ));
        }
    }
    good("mate and stalemate are answered without a move")
}

fn long_game(engine: &mut Engine) -> Outcome {
    // Knights go out and home: longer than any game, and drawn many times over.
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = shuffle.iter().cycle().take(1200).copied().collect();
    let text = format!("position fen {START} moves {}\ngo depth 3\n", moves.join(" "));
    let answer = engine.search(&text, PATIENCE)?;
    if is_legal(START, &answer.best_move) {
        good("1200 plies are taken")
    } else {
        bad(format!("after 1200 plies it plays `{}`, which is no legal move", answer.best_move))
    }
}

fn nonsense(engine: &mut Engine) -> Outcome {
    engine.say("hello\nsetoption name No Such Option value 7\nsetoption name\ngo_\n\n   \nposition\nstop\nponderhit\n")?;
    engine.listen(Duration::from_millis(100))?;
    engine.new_game()?;
    match checked(engine, START, "go depth 3", PATIENCE)? {
        CheckedSearch::Legal(_) => {
            good("unknown words, empty lines and a stop without a search are passed over")
        }
        CheckedSearch::Illegal(words) => bad(words),
    }
}

fn repeats_itself(engine: &mut Engine) -> Outcome {
    let mut found = Vec::new();
    for _ in 0..2 {
        engine.new_game()?;
        let (answer, _) = search(engine, MIDDLE, "go depth 7", PATIENCE)?;
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

fn chess960(engine: &mut Engine) -> Outcome {
    if !engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("UCI_Chess960")) {
        return note("not declared (UCI_Chess960)");
    }
    engine.set_up(&[], &["setoption name UCI_Chess960 value true".to_owned()])?;
    let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    let (answer, _) = search(engine, fen, "go depth 4", PATIENCE)?;
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

/// Does it end when told to, in the middle of a search, and when its input ends?
fn ending(config: &EngineConfig, launcher: &Launcher, watchdog: Watchdog, cancel: &Cancel) -> Finding {
    const WHAT: &str = "quit";
    for (how, last) in [("`quit`", "quit\n"), ("the end of its input", "")] {
        let mut engine = match ready(config, launcher, watchdog, cancel) {
            Ok(engine) => engine,
            Err((error, dialogue)) => return Finding::bad(WHAT, format!("{error}\n{}", tail(&dialogue))),
        };
        let said = engine.say(&format!("position fen {MIDDLE}\ngo infinite\n{last}"));
        if let Err(error) = said {
            return Finding::bad(WHAT, error.to_string());
        }
        let Some(status) = engine.end_of_input(Duration::from_secs(3)) else {
            return Finding::bad(
                WHAT,
                format!("still runs three seconds after {how} in a search; it would have to be killed"),
            );
        };
        if status != "exited with code 0" {
            return Finding::note(WHAT, format!("{status} after {how} in a search"));
        }
    }
    Finding::good(WHAT, "ends by itself, with `quit` and without, in the middle of a search")
}
