//! Cases collected from public issue threads (testdata/bad, testdata/uci).
//!
//! The README of the collections explains the words after `want:`. Expectations beyond that vocabulary
//! are in [`check_special`], by case.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::data;
use crate::driver::{Engine, Search, ms};

/// The time to wait for a `bestmove`.
const WAIT: Duration = Duration::from_secs(6);

/// One block of a case file.
struct Case {
    id: String,
    sent: Vec<String>,
    /// The text after `want:` or `expect:`.
    want: String,
    /// The text after `python-chess:`, or nothing.
    verdict: String,
}

fn read_cases(text: &str) -> Vec<Case> {
    let blocks = text.split("\ncase ").skip(1);
    blocks
        .map(|block| {
            let field = |key: &str| {
                let found = block.lines().find_map(|line| line.strip_prefix(key));
                found.unwrap_or_default().trim().to_owned()
            };
            let sent = block.lines().filter_map(|line| line.strip_prefix("> "));
            Case {
                id: block.split_whitespace().next().unwrap_or_default().to_owned(),
                sent: sent.map(|line| line.replace("<TAB>", "\t").replace("<CR>", "\r")).collect(),
                want: field("want:") + &field("expect:"),
                verdict: field("python-chess:"),
            }
        })
        .collect()
}

/// The output for the lines of a case.
#[derive(Default)]
struct Played {
    /// Each `position` with the FEN before and after it and the output.
    positions: Vec<Placed>,
    /// Each search with its `go`.
    searches: Vec<(String, Search)>,
    /// The output for all other lines.
    reply: Vec<String>,
    is_chess960: bool,
    has_left: bool,
}

struct Placed {
    line: String,
    before: String,
    after: String,
    reply: Vec<String>,
}

impl Placed {
    fn has_reason(&self) -> bool {
        self.reply.iter().any(|line| line.starts_with("info string "))
    }

    /// Whether the position was refused with a reason and the old one kept.
    fn is_rejected(&self) -> bool {
        self.before == self.after && self.has_reason()
    }

    /// Returns the FEN of the line, if it has one and no moves.
    fn asked_fen(&self) -> Option<&str> {
        let fen = self.line.trim().strip_prefix("position fen ")?;
        let (fen, moves) = fen.split_once(" moves").unwrap_or((fen, ""));
        moves.trim().is_empty().then_some(fen)
    }
}

/// Sends the lines of a case in order.
fn play(engine: &mut Engine, case: &Case) -> Played {
    let mut played = Played::default();
    let mut pending: Option<String> = None;
    for line in &case.sent {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("<eof>") => {
                engine.close_input();
                engine.expect_exit();
                played.has_left = true;
                return played;
            }
            Some("<sleep") => {
                let millis = words.next().and_then(|text| text.trim_end_matches('>').parse().ok());
                let span = ms(millis.expect("a time to sleep"));
                if pending.is_some() {
                    engine.expect_no_best_move(span);
                } else {
                    std::thread::sleep(span);
                }
            }
            Some("position") => {
                let before = engine.fen();
                let reply = engine.tell(line);
                played.positions.push(Placed { line: line.clone(), before, after: engine.fen(), reply });
            }
            Some("go") if line.contains("perft") => {
                engine.send(line);
                engine.until("Nodes");
            }
            Some("go") => {
                engine.send(line);
                pending = Some(line.clone());
                if !line.contains("infinite") {
                    finish(engine, &mut pending, &mut played);
                }
            }
            Some("stop") => {
                engine.send(line);
                finish(engine, &mut pending, &mut played);
            }
            _ => {
                played.is_chess960 |= line.contains("UCI_Chess960 value true");
                played.reply.extend(engine.tell(line));
            }
        }
    }
    if pending.is_some() {
        engine.send("stop");
        finish(engine, &mut pending, &mut played);
    }
    played
}

/// Waits for the `bestmove` of a pending search. A search to depth 25 is stopped after a while.
fn finish(engine: &mut Engine, pending: &mut Option<String>, played: &mut Played) {
    let Some(go) = pending.take() else { return };
    let mut search = engine.best_move_within(WAIT);
    if search.is_none() && go == "go depth 25" {
        engine.send("stop");
        search = engine.best_move_within(WAIT);
    }
    match search {
        Some(search) => played.searches.push((go, search)),
        None => engine.fail(&format!("no bestmove for `{go}` within {WAIT:?}")),
    }
}

fn check_positions(engine: &mut Engine, case: &Case, played: &Played) {
    let may_accept =
        ["accept", "sanitise", "legal", "clamp", "bestmove"].iter().any(|word| case.want.contains(word));
    let may_reject = case.want.contains("reject");
    for placed in &played.positions {
        let (line, after) = (&placed.line, &placed.after);
        if placed.is_rejected() {
            // An illegal move in a list is also reported.
            if !may_reject && !case.want.contains("ignored") {
                engine.fail(&format!("`{line}` was rejected; wanted: {}", case.want));
            }
            continue;
        }
        if may_reject && !may_accept {
            engine.fail(&format!("`{line}` gave {after} and not a rejection"));
        }
        let mut fields = placed.asked_fen().unwrap_or_default().split_whitespace();
        let placement_and_side = (fields.next(), fields.next());
        let mut held = after.split_whitespace();
        if placement_and_side.0.is_some() && placement_and_side != (held.next(), held.next()) {
            engine.fail(&format!("`{line}` is neither rejected with a reason nor held: {after}"));
        }
        let field = |index: usize| after.split_whitespace().nth(index).unwrap_or_default().to_owned();
        if let Some(castling) = wanted_castling(case)
            && field(2) != castling
        {
            engine.fail(&format!("castling is `{}` and should be `{castling}`", field(2)));
        }
        if case.want.contains("ep dropped") && field(3) != "-" {
            engine.fail(&format!("the ep square {} should be dropped", field(3)));
        }
    }
}

/// Returns the castling field that a sanitised position should have.
fn wanted_castling(case: &Case) -> Option<&str> {
    let inside = case.want.split_once("sanitise (")?.1.split_once(')')?.0;
    match (case.id.as_str(), inside) {
        ("A22", "k dropped") => Some("KQ"),
        ("A23", "kq dropped") => Some("-"),
        (_, text) if text.bytes().all(|byte| b"-KQkq".contains(&byte)) => Some(text),
        _ => None,
    }
}

fn check_searches(engine: &mut Engine, case: &Case, played: &Played) {
    for (go, search) in &played.searches {
        if case.want.contains("bestmove-none") {
            if !search.has_no_move() {
                engine.fail(&format!("`{go}` gave {} where no move is legal", search.best));
            }
            let score = if case.verdict.contains("stalemate") { "cp 0" } else { "mate 0" };
            if search.last().score != score {
                engine.fail(&format!("`{go}`: score {} and not {score}", search.last().score));
            }
        } else {
            engine.check_moves(search, played.is_chess960);
            let fen = engine.fen();
            let reply = engine.tell(&format!("position fen {fen} moves {}", search.best));
            if engine.fen() == fen || reply.iter().any(|line| line.starts_with("info string")) {
                engine.fail(&format!("the engine does not take its own move {}", search.best));
            }
            engine.tell(&format!("position fen {fen}"));
        }
    }
}

/// Returns the number of legal moves according to python-chess, if the engine holds that position.
fn judged_move_count(engine: &mut Engine, case: &Case, played: &Played) -> Option<u64> {
    let placed = played.positions.last().filter(|placed| !placed.is_rejected())?;
    if !case.verdict.starts_with("valid") || placed.after != engine.fen() {
        return None;
    }
    case.verdict.split("; ").find_map(|part| part.split_once(" legal moves")?.0.parse().ok())
}

/// Checks the expectations that the vocabulary of `want:` does not cover.
fn check_special(engine: &mut Engine, case: &Case, played: &Played) {
    let search = |index: usize| &played.searches[index].1;
    let problem = match case.id.as_str() {
        "A37" => (search(0).last().mate().is_none()).then_some("no mate announced"),
        "A44" => (!played.positions[0].has_reason()).then_some("the illegal move was not reported"),
        "A46" => (search(0).best != "g8h8").then_some("not the only move"),
        "A47" => {
            engine.send("stop");
            engine.expect_no_best_move(ms(100));
            None
        }
        "A48" => (search(0).last().depth < 1).then_some("depth 1 is not finished"),
        "A49" => (search(0).elapsed > ms(500)).then_some("not at once"),
        "A52" => (search(0).best != "h1h4" || search(0).infos.is_empty())
            .then_some("not h1h4 with an info line before"),
        "A53" => (played.reply.iter().filter(|line| line.starts_with("info string")).count() < 3)
            .then_some("three bad values, fewer than three reasons"),
        "A56" => (search(0).nodes() != search(1).nodes()).then_some("other nodes after ucinewgame"),
        "A59" => (!played.has_left).then_some("the process stays"),
        "A63" => {
            let fen = engine.fen();
            let reply = engine.tell(&format!("position fen {fen} moves e8h8"));
            reply.iter().any(|line| line.starts_with("info string")).then_some("e8h8 is legal castling")
        }
        "A64" => (search(0).best != "f1b1").then_some("f1b1 is legal castling"),
        _ => None,
    };
    if let Some(problem) = problem {
        engine.fail(problem);
    }
}

/// Checks a case; returns whether the number of legal moves was compared.
fn check_case(case: &Case) -> bool {
    let mut engine = Engine::ready();
    let played = play(&mut engine, case);
    check_positions(&mut engine, case, &played);
    if played.has_left {
        // A process that has exited answers no more questions about its position and its moves.
        assert!(played.searches.is_empty(), "the exit ends the search of {}", case.id);
        check_special(&mut engine, case, &played);
        return false;
    }
    check_searches(&mut engine, case, &played);
    let count = judged_move_count(&mut engine, case, &played);
    if let Some(count) = count {
        let own = engine.perft(1);
        if own != count {
            engine.fail(&format!("{own} legal moves and not {count}"));
        }
    }
    check_special(&mut engine, case, &played);
    engine.sync();
    engine.quit();
    count.is_some()
}

/// Checks every case and reports all failures.
fn run_all(cases: &[Case], check: impl Fn(&Case)) {
    let mut failed = Vec::new();
    for case in cases {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(case))) {
            let text = panic.downcast_ref::<String>().cloned();
            failed.push(format!("{}: {}", case.id, text.unwrap_or_else(|| "panicked".to_owned())));
        }
    }
    assert!(failed.is_empty(), "{} of {} cases failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

#[test]
fn published_cases_of_invalid_input_are_handled_as_expected() {
    let text = data::carried("bad/uci-cases-a.txt");
    let cases = read_cases(&text);
    assert_eq!(cases.len(), 65);
    assert!(cases.iter().all(|case| !case.sent.is_empty() && !case.want.is_empty()));
    let compared = Cell::new(0);
    run_all(&cases, |case| compared.set(compared.get() + u32::from(check_case(case))));
    assert_eq!(compared.get(), 25, "move counts compared with python-chess");
}

/// Case A48 expects a move within the 100 ms on the clock. One of five tries must succeed, in case
/// the machine is busy.
#[test]
fn move_comes_within_the_last_hundred_milliseconds() {
    let text = data::carried("bad/uci-cases-a.txt");
    let cases = read_cases(&text);
    let case = cases.iter().find(|case| case.id == "A48").expect("the file has case A48");
    let spans: Vec<Duration> = (0..5)
        .map(|_| {
            let mut engine = Engine::ready();
            let played = play(&mut engine, case);
            played.searches[0].1.elapsed
        })
        .collect();
    assert!(spans.iter().any(|&span| span < ms(100)), "{spans:?}");
}

fn check_expectation(case: &Case) {
    let mut engine = Engine::ready();
    let mut search = None;
    for line in &case.sent {
        if line.starts_with("go") {
            engine.send(line);
            search = engine.best_move_within(Duration::from_mins(1));
        } else {
            engine.tell(line);
        }
    }
    let Some(search) = search else { engine.fail("no bestmove within a minute") };
    let want = case.want.split(" (mate by").next().unwrap_or_default();
    for item in want.split([',', ':']).map(str::trim) {
        let words: Vec<&str> = item.split_whitespace().collect();
        let holds = match words.as_slice() {
            ["score", kind, value, ..] => search.last().score == format!("{kind} {value}"),
            ["pv", mv] => search.last().pv.first().is_some_and(|first| first == mv),
            ["bestmove", mv, ..] => search.best == *mv,
            ["no", "move", ..] => search.has_no_move(),
            ["stalemate"] => search.last().depth == 0,
            _ => engine.fail(&format!("no check is written for `{item}`")),
        };
        if !holds {
            engine.fail(&format!("expected `{item}`"));
        }
    }
    engine.quit();
}

#[test]
fn published_search_results_are_found() {
    let text = data::carried("uci/search-expect-a.txt");
    let cases = read_cases(&text);
    assert_eq!(cases.len(), 5);
    run_all(&cases, check_expectation);
}
