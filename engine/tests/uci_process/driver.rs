//! Runs the engine as a process with deadlines, and prints the dialogue when a test fails.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::rules;

/// The time for an immediate answer, on a machine that is busy with other tests.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The time for the process to exit.
const LEAVE: Duration = Duration::from_secs(2);

/// Returns a duration of this many milliseconds.
pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A running engine process, killed on drop.
pub(crate) struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: Option<JoinHandle<String>>,
    dialogue: Vec<String>,
    /// Output of a search that was read before waiting for its `bestmove`.
    early: Vec<String>,
}

impl Engine {
    /// Starts the binary with these arguments and sends nothing.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stretto"));
        command.args(args);
        Self::run(command)
    }

    /// Starts this command and sends nothing.
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

    /// Starts the engine and waits for `uciok`.
    pub(crate) fn ready() -> Self {
        let mut engine = Self::start(&[]);
        engine.send("uci");
        engine.until("uciok");
        engine
    }

    /// The processor time that the engine has used, in steps of 10 ms. A busy machine does not add to it.
    #[cfg(target_os = "linux")]
    pub(crate) fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
        let fields: Vec<&str> = stat.rsplit(") ").next().expect("fields").split(' ').collect();
        // User and system time in ticks, fields 14 and 15 of proc(5).
        Duration::from_millis(
            fields[11..13].iter().map(|ticks| ticks.parse::<u64>().expect("ticks") * 10).sum(),
        )
    }

    /// Sends one line, or several separated by newlines, in one write.
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

    /// Returns the next line; `None` at the deadline or at the end of the output.
    pub(crate) fn line(&mut self, deadline: Instant) -> Option<String> {
        let line = match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
        };
        self.dialogue.push(format!("< {line}"));
        Some(line)
    }

    /// Returns all lines up to the one whose first word is `last`, inclusive.
    pub(crate) fn until(&mut self, last: &str) -> Vec<String> {
        match self.until_within(PATIENCE, |line| line.split_whitespace().next() == Some(last)) {
            Some(lines) => lines,
            None => self.fail(&format!("no `{last}` within {PATIENCE:?}")),
        }
    }

    /// Returns all lines up to the first for which `is_last` holds, inclusive. It waits longer than
    /// [`Engine::until`].
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

    /// Returns all lines to the end of the output.
    pub(crate) fn until_end(&mut self) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let lines: Vec<String> = std::iter::from_fn(|| self.line(deadline)).collect();
        if Instant::now() >= deadline {
            self.fail(&format!("the output has not ended after {PATIENCE:?}"));
        }
        lines
    }

    /// Sends `isready` and returns the lines before `readyok`.
    pub(crate) fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a command that prints at most `info string` lines, and returns them.
    pub(crate) fn tell(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.sync()
    }

    /// Sends `go` and waits for its `bestmove`.
    pub(crate) fn go(&mut self, limits: &str) -> Search {
        self.send(&format!("go {limits}"));
        self.best_move()
    }

    /// Waits for the `bestmove` of a running search.
    pub(crate) fn best_move(&mut self) -> Search {
        match self.best_move_within(PATIENCE) {
            Some(search) => search,
            None => self.fail(&format!("no bestmove within {PATIENCE:?}")),
        }
    }

    /// Waits for the `bestmove` of a running search; returns `None` after `patience`.
    pub(crate) fn best_move_within(&mut self, patience: Duration) -> Option<Search> {
        let start = Instant::now();
        let lines = self.until_within(patience, |line| line.split_whitespace().next() == Some("bestmove"))?;
        let all = self.early.drain(..).chain(lines).collect();
        Some(Search::read(all, start.elapsed()))
    }

    /// Reads output for a while and fails on a `bestmove`.
    pub(crate) fn expect_no_best_move(&mut self, span: Duration) {
        let deadline = Instant::now() + span;
        while let Some(line) = self.line(deadline) {
            if line.starts_with("bestmove") {
                self.fail("unexpected bestmove");
            }
            self.early.push(line);
        }
    }

    /// Returns the current position, as printed by `d`.
    pub(crate) fn fen(&mut self) -> String {
        let lines = self.tell("d");
        match lines.iter().find_map(|line| line.strip_prefix("Fen: ")) {
            Some(fen) => fen.trim().to_owned(),
            None => self.fail("`d` prints no line `Fen: ...`"),
        }
    }

    /// Returns the leaf count of the current position.
    pub(crate) fn perft(&mut self, depth: u32) -> u64 {
        self.send(&format!("go perft {depth}"));
        let lines = self.until("Nodes");
        let count = lines.last().and_then(|line| line.strip_prefix("Nodes searched: ")?.trim().parse().ok());
        count.unwrap_or_else(|| self.fail("no count after `Nodes searched: `"))
    }

    /// Checks that the move and every printed variation of a search are legal.
    pub(crate) fn check_moves(&mut self, search: &Search, is_chess960: bool) {
        let fen = self.fen();
        let variations = search.infos.iter().map(|info| info.pv.as_slice());
        for line in variations.chain([std::slice::from_ref(&search.best)]) {
            if let Err(problem) = rules::check_line(&fen, line, is_chess960) {
                self.fail(&problem);
            }
        }
    }

    /// Returns the process identifier.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the process to exit.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + LEAVE;
        loop {
            match self.status() {
                Some(status) => return status,
                None if Instant::now() > deadline => {
                    self.fail(&format!("still running {LEAVE:?} after it should have exited"))
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

    /// Sends `quit` and checks the exit.
    pub(crate) fn quit(mut self) {
        self.send("quit");
        self.expect_exit();
    }

    /// Checks that the process exits soon with code 0 and without a panic.
    pub(crate) fn expect_exit(&mut self) {
        let status = self.end();
        let errors =
            self.errors.take().map_or_else(String::new, |thread| thread.join().expect("reads stderr"));
        if !status.success() || errors.contains("panicked") {
            self.fail(&format!("exited with {status}; stderr:\n{errors}"));
        }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the process can be asked")
    }

    /// Panics with the problem and the end of the dialogue.
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

/// The output of one `go`.
#[derive(Debug)]
pub(crate) struct Search {
    /// The best move, as printed.
    pub(crate) best: String,
    /// The move to ponder on.
    pub(crate) ponder: Option<String>,
    /// The `info` lines with a score, in order.
    pub(crate) infos: Vec<Info>,
    /// All lines.
    pub(crate) lines: Vec<String>,
    /// The time from the call to the `bestmove`.
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

    /// Whether the output says that there is no legal move.
    pub(crate) fn has_no_move(&self) -> bool {
        self.best == "(none)" || self.best == "0000"
    }

    /// Returns the last report of the best line with an exact score.
    pub(crate) fn last(&self) -> &Info {
        let exact = self.infos.iter().rev().find(|info| !info.is_bound && info.multipv == 1);
        exact.unwrap_or_else(|| panic!("no info line with an exact score: {:?}", self.lines))
    }

    /// Returns the largest node count reported.
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

    /// Returns the moves to mate, negative when being mated.
    pub(crate) fn mate(&self) -> Option<i64> {
        self.score.strip_prefix("mate ")?.parse().ok()
    }

    /// Returns the score in centipawns; mates are larger than any of them.
    pub(crate) fn value(&self) -> i64 {
        let centipawns = self.score.strip_prefix("cp ").and_then(|text| text.parse().ok());
        centipawns
            .or_else(|| self.mate().map(|moves| moves.signum() * (1_000_000 - moves.abs())))
            .unwrap_or(0)
    }
}

/// Returns the integer after a keyword of a line.
pub(crate) fn number_after(line: &str, key: &str) -> Option<i64> {
    let mut words = line.split_whitespace().skip_while(|&word| word != key);
    words.nth(1)?.parse().ok()
}
