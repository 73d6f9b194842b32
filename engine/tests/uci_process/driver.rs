//! Starts the engine, talks to it with deadlines, and shows the dialogue when something is wrong.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::rules;

/// How long an answer may take that is due at once, on a machine that is busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long the process may take to leave.
const LEAVE: Duration = Duration::from_secs(2);

/// Shorthand for the many short spans of these tests.
pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A running engine. Dropping it kills the process.
pub(crate) struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    dialogue: Vec<String>,
    /// What a search said before its `bestmove` was waited for.
    early: Vec<String>,
}

impl Engine {
    /// Starts the binary with these arguments and says nothing.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stretto"));
        command.args(args);
        Self::run(command)
    }

    /// Starts what this command becomes and says nothing.
    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.unwrap_or_else(|error| format!("<unreadable output: {error}>"));
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let input = child.stdin.take();
        Self { child, input, output, errors: Some(errors), dialogue: Vec::new(), early: Vec::new() }
    }

    /// Starts the engine and shakes hands.
    pub(crate) fn ready() -> Self {
        let mut engine = Self::start(&[]);
        engine.send("uci");
        engine.until("uciok");
        engine
    }

    /// Sends one line (or several, with newlines between them, in one write).
    pub(crate) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// Sends raw bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let shown: String = String::from_utf8_lossy(bytes).trim_end().chars().take(200).collect();
        self.dialogue.push(format!("> {shown}"));
        let input = self.input.as_mut().expect("stdin is still open");
        let sent = input.write_all(bytes).and_then(|()| input.flush());
        if let Err(error) = sent {
            self.fail(&format!("the engine does not take input: {error}"));
        }
    }

    /// The next line before the deadline; `None` at the deadline or when the output has ended.
    pub(crate) fn line(&mut self, deadline: Instant) -> Option<String> {
        let line = match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        self.dialogue.push(format!("< {line}"));
        Some(line)
    }

    /// All lines up to the one that starts with the word `last`, that one included.
    pub(crate) fn until(&mut self, last: &str) -> Vec<String> {
        match self.until_within(PATIENCE, |line| line.split_whitespace().next() == Some(last)) {
            Some(lines) => lines,
            None => self.fail(&format!("no `{last}` within {PATIENCE:?}")),
        }
    }

    /// All lines up to the first that `is_last`, that one included; patient, for it may end real work.
    pub(crate) fn until_line(&mut self, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        match self.until_within(6 * PATIENCE, is_last) {
            Some(lines) => lines,
            None => self.fail(&format!("not the expected line within {:?}", 6 * PATIENCE)),
        }
    }

    fn until_within(&mut self, patience: Duration, is_last: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let deadline = Instant::now() + patience;
        let mut lines = Vec::new();
        loop {
            let line = self.line(deadline)?;
            let ends = is_last(&line);
            lines.push(line);
            if ends {
                return Some(lines);
            }
        }
    }

    /// Everything until the output ends.
    pub(crate) fn until_end(&mut self) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let lines: Vec<String> = std::iter::from_fn(|| self.line(deadline)).collect();
        if Instant::now() >= deadline {
            self.fail(&format!("the output has not ended after {PATIENCE:?}"));
        }
        lines
    }

    /// `isready`, and what was said before `readyok`.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a command that should be answered by `info string` at most, and returns those lines.
    pub(crate) fn tell(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.sync()
    }

    /// Sends `go`, waits for its `bestmove` and checks move and variations with independent rules.
    pub(crate) fn go(&mut self, limits: &str) -> Search {
        self.send(&format!("go {limits}"));
        self.best_move()
    }

    /// Waits for the `bestmove` of a search already under way.
    pub(crate) fn best_move(&mut self) -> Search {
        match self.best_move_within(PATIENCE) {
            Some(search) => search,
            None => self.fail(&format!("no bestmove within {PATIENCE:?}")),
        }
    }

    /// The same within a given time.
    pub(crate) fn best_move_within(&mut self, patience: Duration) -> Option<Search> {
        let start = Instant::now();
        let lines = self.until_within(patience, |line| line.split_whitespace().next() == Some("bestmove"))?;
        let all = self.early.drain(..).chain(lines).collect();
        Some(Search::read(all, start.elapsed()))
    }

    /// Listens for a while and fails on a `bestmove`.
    pub(crate) fn expect_no_best_move(&mut self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Some(line) = self.line(deadline) {
            if line.starts_with("bestmove") {
                self.fail("a bestmove that was not due");
            }
            self.early.push(line);
        }
    }

    /// The position held, as the engine's `d` tells it.
    pub(crate) fn fen(&mut self) -> String {
        let lines = self.tell("d");
        match lines.iter().find_map(|line| line.strip_prefix("Fen: ")) {
            Some(fen) => fen.trim().to_owned(),
            None => self.fail("`d` shows no line `Fen: ...`"),
        }
    }

    /// Leaf count of the position held.
    pub(crate) fn perft(&mut self, depth: u32) -> u64 {
        self.send(&format!("go perft {depth}"));
        let lines = self.until("Nodes");
        let count = lines.last().and_then(|line| line.strip_prefix("Nodes searched: ")?.trim().parse().ok());
        count.unwrap_or_else(|| self.fail("no count after `Nodes searched: `"))
    }

    /// Checks a finished search against independent rules: its move, and every variation it printed.
    pub(crate) fn check_moves(&mut self, search: &Search, is_chess960: bool) {
        let fen = self.fen();
        let variations = search.infos.iter().map(|info| info.pv.as_slice());
        for line in variations.chain([std::slice::from_ref(&search.best)]) {
            if let Err(problem) = rules::check_line(&fen, line, is_chess960) {
                self.fail(&problem);
            }
        }
    }

    /// Its number for the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end, however it comes about.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LEAVE;
        loop {
            match self.status() {
                Some(status) => return status,
                None if Instant::now() > deadline => {
                    self.fail(&format!("still running {LEAVE:?} after it should have left"))
                }
                None => std::thread::sleep(ms(5)),
            }
        }
    }

    /// Closes the engine's standard input.
    pub(crate) fn close_input(&mut self) {
        self.dialogue.push("> <eof>".to_owned());
        self.input = None;
    }

    /// `quit`, and everything that should hold afterwards.
    pub(crate) fn quit(mut self) {
        self.send("quit");
        self.expect_exit();
    }

    /// The process leaves by itself, soon, with code 0 and without a panic.
    pub(crate) fn expect_exit(&mut self) {
        let status = self.end();
        let errors =
            self.errors.take().map_or_else(String::new, |thread| thread.join().expect("reads stderr"));
        if !status.success() || errors.contains("panicked") {
            self.fail(&format!("left with {status}; stderr:\n{errors}"));
        }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the process can be asked")
    }

    /// Panics with the end of the dialogue.
    pub(crate) fn fail(&mut self, problem: &str) -> ! {
        let late: Vec<String> = self.output.try_iter().map(|line| format!("< {line}")).collect();
        self.dialogue.extend(late);
        let mut text = format!("{problem}\n");
        if let Some(status) = self.status() {
            let _ = writeln!(text, "the process has ended: {status}");
        }
        let skipped = self.dialogue.len().saturating_sub(60);
        for line in &self.dialogue[skipped..] {
            let _ = writeln!(text, "    {line}");
        }
        panic!("{text}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What one `go` brought.
#[derive(Debug)]
pub(crate) struct Search {
    /// The move, as written.
    pub(crate) best: String,
    /// The reply to ponder on.
    pub(crate) ponder: Option<String>,
    /// The `info` lines that carry a score, in order.
    pub(crate) infos: Vec<Info>,
    /// Everything that was said.
    pub(crate) lines: Vec<String>,
    /// From the call to the `bestmove`.
    pub(crate) elapsed: Duration,
}

impl Search {
    fn read(lines: Vec<String>, elapsed: Duration) -> Self {
        let last: Vec<&str> = lines.last().map(|line| line.split_whitespace().collect()).unwrap_or_default();
        let best = last.get(1).map_or_else(String::new, ToString::to_string);
        let ponder = if last.get(2) == Some(&"ponder") { last.get(3).map(ToString::to_string) } else { None };
        let infos = lines.iter().filter_map(|line| Info::read(line)).collect();
        Self { best, ponder, infos, lines, elapsed }
    }

    /// Does it say that there is no legal move?
    pub(crate) fn has_no_move(&self) -> bool {
        self.best == "(none)" || self.best == "0000"
    }

    /// The last report whose score is exact, of the best line.
    pub(crate) fn last(&self) -> &Info {
        let exact = self.infos.iter().rev().find(|info| !info.is_bound && info.multipv == 1);
        exact.unwrap_or_else(|| panic!("no info line with an exact score: {:?}", self.lines))
    }

    /// The largest node count reported.
    pub(crate) fn nodes(&self) -> u64 {
        let nodes = self.lines.iter().filter_map(|line| number_after(line, "nodes")).max();
        nodes.unwrap_or_else(|| panic!("no node count: {:?}", self.lines)) as u64
    }
}

/// One `info` line with a score.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub(crate) depth: i64,
    pub(crate) multipv: i64,
    /// `cp 12` or `mate -3`.
    pub(crate) score: String,
    pub(crate) is_bound: bool,
    pub(crate) pv: Vec<String>,
    pub(crate) line: String,
}

impl Info {
    fn read(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() != Some(&"info") || words.get(1) == Some(&"string") {
            return None;
        }
        let score = words.iter().position(|&word| word == "score")?;
        let pv = words.iter().position(|&word| word == "pv").map_or(&[][..], |at| &words[at + 1..]);
        Some(Self {
            depth: number_after(line, "depth").unwrap_or(-1),
            multipv: number_after(line, "multipv").unwrap_or(1),
            score: words.get(score + 1..score + 3)?.join(" "),
            is_bound: words.contains(&"lowerbound") || words.contains(&"upperbound"),
            pv: pv.iter().map(ToString::to_string).collect(),
            line: line.to_owned(),
        })
    }

    /// Moves to mate, negative when being mated.
    pub(crate) fn mate(&self) -> Option<i64> {
        self.score.strip_prefix("mate ")?.parse().ok()
    }

    /// Centipawns, with mates beyond all of them.
    pub(crate) fn value(&self) -> i64 {
        let centipawns = self.score.strip_prefix("cp ").and_then(|text| text.parse().ok());
        centipawns
            .or_else(|| self.mate().map(|moves| moves.signum() * (1_000_000 - moves.abs())))
            .unwrap_or(0)
    }
}

/// The integer after a keyword of a line.
pub(crate) fn number_after(line: &str, key: &str) -> Option<i64> {
    let mut words = line.split_whitespace().skip_while(|&word| word != key);
    words.nth(1)?.parse().ok()
}
