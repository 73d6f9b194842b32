//! A UCI engine process: start, options, searches with one absolute deadline each, and guaranteed
//! termination.
//!
//! Every failure of an engine is a [`UciError`]; the referee decides its effect on the game. A
//! failed engine must be dropped and replaced. This module does not know the rules of chess.
//! An engine that failed is not used again: drop it and start another. It knows nothing of chess rules.

mod dialogue;
mod info;
mod options;
mod pipes;
mod process;
mod processor_time;
mod replay;

use std::collections::VecDeque;
use std::fmt::Write;
use std::fs::File;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use thiserror::Error;

pub use info::{ReportedScore, SearchInfo, SearchReport};
pub use options::{OptionCheck, OptionDecl, OptionKind, check_option};
pub use process::{LAUNCH_ARG, Launcher, exec_engine};
pub use replay::{REPLAY_VERSION, Replay, ReplayEngine, ReplayError, ReplaySearch, Replayed};

use crate::base::cancel::Cancel;
use crate::config::{EngineConfig, EngineOption, Watchdog};
use dialogue::{Dialogue, Speaker};
use info::is_report;
use pipes::{Pipes, Waited};
use process::{Process, describe_exit};
use replay::MAX_SEARCHES;

/// Time that an engine has to exit after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// Time that the exit status of a dead engine may take to appear after its output closed.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// Interval at which the output of a pondering engine is read while the other one thinks.
const PONDER_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Maximum number of declared options; further ones are ignored.
const MAX_OPTIONS: usize = 2000;
/// Maximum number of `info string` lines kept during setup.
const MAX_REMARKS: usize = 10;

/// A failure of an engine or of the harness.
#[derive(Debug, Error)]
pub enum UciError {
    /// The process could not be started.
    #[error("cannot start {program}: {error}")]
    Spawn {
        /// The executable.
        program: String,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The process ended, or closed its output.
    #[error("the engine {how}")]
    Exited {
        /// Exit description such as `exited with code 1`.
        how: String,
    },
    /// The engine did not answer in time.
    #[error("no {awaited} within {} s", after.as_secs_f64())]
    Timeout {
        /// The expected token.
        awaited: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// Cancellation was requested; nobody is at fault.
    #[error("stopped on request")]
    Cancelled,
    /// The harness was suspended or starved for a while; nobody is at fault.
    #[error("the harness itself was not running for a while")]
    Stalled,
    /// A system call failed.
    #[error("pipe to the engine: {0}")]
    Pipe(#[from] std::io::Error),
}

/// The answer to a `go`.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// The move after `bestmove`; empty if there was none.
    pub best_move: String,
    /// The expected reply, from `ponder`.
    pub ponder_move: Option<String>,
    /// Time from writing `go` to reading `bestmove`, as counted by a player's clock. It can be
    /// almost zero if the harness was suspended right after writing, so measurements use their own
    /// clock.
    pub elapsed: Duration,
    /// The last complete report.
    pub report: SearchReport,
    /// The PV of the report, moves separated by spaces; empty if none was reported.
    pub pv: String,
}

/// A running engine after `uciok`.
#[derive(Debug)]
pub struct Engine {
    // Fields drop in this order: the process is killed before its pipes close.
    process: Process,
    pipes: Pipes,
    dialogue: Dialogue,
    cancel: Cancel,
    watchdog: Watchdog,
    /// Whether a stall of the harness extends deadlines instead of failing the search.
    extends_on_stall: bool,
    /// Name from `id name`; empty if not reported.
    pub id_name: String,
    /// The options that the engine declared.
    pub options: Vec<OptionDecl>,
    /// All lines between `uci` and `uciok`.
    pub hello: Vec<String>,
    /// The `info string` lines during setup. They are often the only sign that an option was
    /// rejected or adjusted.
    pub remarks: Vec<String>,
    last_report: String,
    /// The position and command of the current or last ponder search.
    pondered: String,
    /// The answer of a pondering engine before `ponderhit` or `stop`.
    early_answer: Option<String>,
    /// Lines sent during setup, for a replay.
    setup: Vec<String>,
    /// The searches since the start of the game with their time limits, for a replay.
    searches: VecDeque<(String, Duration)>,
}

impl Engine {
    /// Starts the engine and waits for `uciok`. On failure the dialogue so far is returned with the
    /// error.
    pub fn start(
        config: &EngineConfig,
        launcher: &Launcher,
        watchdog: Watchdog,
        cancel: &Cancel,
    ) -> Result<Self, (UciError, String)> {
        let spawn = |error| UciError::Spawn { program: config.program.display().to_string(), error };
        let (process, mut pipes) =
            Process::spawn(config, launcher).map_err(|error| (spawn(error), String::new()))?;
        pipes.stall = watchdog.stall;
        let mut engine = Self {
            process,
            pipes,
            dialogue: Dialogue::new(),
            cancel: cancel.clone(),
            watchdog,
            extends_on_stall: false,
            id_name: String::new(),
            options: Vec::new(),
            hello: Vec::new(),
            remarks: Vec::new(),
            last_report: String::new(),
            pondered: String::new(),
            early_answer: None,
            setup: Vec::new(),
            searches: VecDeque::new(),
        };
        match engine.handshake() {
            Ok(()) => Ok(engine),
            Err(error) => Err((error, engine.dialogue())),
        }
    }

    fn handshake(&mut self) -> Result<(), UciError> {
        let time = self.watchdog.uci;
        let mut deadline = Instant::now() + time;
        self.send("uci\n", deadline)?;
        loop {
            let line = self.read_line(&mut deadline, "uciok", time)?;
            if line.split_ascii_whitespace().eq(["uciok"]) {
                return Ok(());
            }
            if let Some(name) = line.strip_prefix("id name ") {
                self.id_name = name.trim().chars().take(200).collect();
            } else if line.starts_with("option ") && self.options.len() < MAX_OPTIONS {
                self.options.extend(OptionDecl::parse(&line));
            }
            if self.hello.len() < MAX_OPTIONS {
                self.hello.push(line);
            }
        }
    }

    /// Makes stalls of the harness extend deadlines instead of failing with [`UciError::Stalled`].
    /// This is meant for searches limited by nodes or depth, whose results do not depend on time.
    pub fn extend_deadlines_on_stall(&mut self) {
        self.extends_on_stall = true;
    }

    /// Sends the options and waits until the engine has processed them.
    pub fn set_options(&mut self, options: &[EngineOption]) -> Result<(), UciError> {
        self.set_up(options, &[])
    }

    /// Sends the options and then further lines unchanged, and waits until the engine has processed
    /// them.
    pub fn set_up(&mut self, options: &[EngineOption], lines: &[String]) -> Result<(), UciError> {
        let mut text = String::new();
        for option in options {
            let _ = match &option.value {
                Some(value) => writeln!(text, "setoption name {} value {value}", option.name),
                None => writeln!(text, "setoption name {}", option.name),
            };
        }
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        // A new value replaces the old one: a replay needs only the last.
        for option in options {
            let prefix = format!("setoption name {} value ", option.name);
            self.setup.retain(|line| !line.starts_with(&prefix));
        }
        self.setup.extend(text.lines().map(str::to_owned));
        let remarks = self.send_and_sync(text)?;
        self.remarks.extend(remarks);
        Ok(())
    }

    /// Returns the CPU time used so far by the engine and its children; `None` if the system does
    /// not report it.
    ///
    /// Exact while the engine is idle, since a running thread is accounted up to the last scheduler
    /// tick. Takes a few milliseconds.
    pub fn processor_time(&self) -> Option<Duration> {
        self.process.processor_time()
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.searches.clear();
        self.dialogue.flush();
        self.send_and_sync("ucinewgame\n".to_owned()).map(|_| ())
    }

    /// Sends lines and waits until they are processed; returns the `info string` lines in between.
    fn send_and_sync(&mut self, mut text: String) -> Result<Vec<String>, UciError> {
        text.push_str("isready\n");
        let mut remarks = Vec::new();
        let time = self.watchdog.ready;
        let mut deadline = Instant::now() + time;
        self.send(&text, deadline)?;
        loop {
            let line = self.read_line(&mut deadline, "readyok", time)?;
            if line.split_ascii_whitespace().eq(["readyok"]) {
                return Ok(remarks);
            }
            if let Some(remark) = line.strip_prefix("info string ")
                && remarks.len() < MAX_REMARKS
            {
                remarks.push(remark.trim().chars().take(200).collect());
            }
        }
    }

    /// Sends `text` (position and go, in one write) and waits at most `time` for the best move.
    pub fn search(&mut self, text: &str, time: Duration) -> Result<SearchAnswer, UciError> {
        self.search_watched(text, time, &mut |_| {})
    }

    /// Like [`Engine::search`], but passes every line of output to `watch`.
    pub fn search_watched(
        &mut self,
        text: &str,
        time: Duration,
        watch: &mut dyn FnMut(&str),
    ) -> Result<SearchAnswer, UciError> {
        self.note_search(text.to_owned(), time);
        let start = self.ask(text, time)?;
        self.await_best_move(start, time, watch, None)
    }

    /// Like [`Engine::search`], but reads the output of a pondering `other` meanwhile, so that no
    /// full pipe blocks it.
    pub fn search_beside(
        &mut self,
        text: &str,
        time: Duration,
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        self.note_search(text.to_owned(), time);
        let start = self.ask(text, time)?;
        self.await_beside(start, time, other)
    }

    fn await_beside(
        &mut self,
        start: Instant,
        time: Duration,
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        if other.is_some() {
            self.pipes.slice = PONDER_POLL_INTERVAL;
        }
        let answer = self.await_best_move(start, time, &mut |_| {}, other);
        self.pipes.slice = pipes::SLICE;
        answer
    }

    /// Sends `text` (position and `go ponder`, in one write) without waiting.
    pub fn ponder(&mut self, text: &str) -> Result<(), UciError> {
        self.early_answer = None;
        text.clone_into(&mut self.pondered);
        self.ask(text, self.watchdog.ready).map(|_| ())
    }

    /// Records a search for a replay.
    fn note_search(&mut self, text: String, time: Duration) {
        if self.searches.len() == MAX_SEARCHES {
            self.searches.pop_front();
        }
        self.searches.push_back((text, time));
    }

    /// Reads the available output of a pondering engine without waiting.
    fn read_ponder_output(&mut self) {
        self.pipes.read_available(&mut self.dialogue);
        while let Some(line) = self.pipes.take_line() {
            let line = line.to_owned();
            self.dialogue.push(Speaker::Engine, &line, self.pipes.last_read);
            if is_report(&line) {
                self.last_report = line;
            } else if line.starts_with("bestmove") {
                self.early_answer = Some(line);
            }
        }
    }

    /// Sends `ponderhit` and waits at most `time` for the best move, while `other` may ponder.
    pub fn ponderhit(&mut self, time: Duration, other: Option<&mut Self>) -> Result<SearchAnswer, UciError> {
        // A replay searches without pondering.
        let text = self.pondered.replacen("\ngo ponder", "\ngo", 1);
        self.note_search(text, time);
        self.end_pondering("ponderhit\n", time, other)
    }

    /// Stops pondering after another move was played and discards the best move. Returns the time
    /// this took.
    pub fn stop_pondering(&mut self, time: Duration) -> Result<Duration, UciError> {
        Ok(self.end_pondering("stop\n", time, None)?.elapsed)
    }

    fn end_pondering(
        &mut self,
        word: &str,
        time: Duration,
        other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        let start = Instant::now();
        self.send(word, start + time)?;
        self.read_ponder_output();
        // The engine answered too early, but its answer counts.
        match self.early_answer.take() {
            Some(line) => Ok(self.answer(&line, start.elapsed())),
            None => self.await_beside(start, time, other),
        }
    }

    /// Sends a search command; returns the time after writing it.
    fn ask(&mut self, text: &str, time: Duration) -> Result<Instant, UciError> {
        // A second `bestmove` of an earlier search must not answer this one.
        self.pipes.discard_input(&mut self.dialogue);
        self.last_report.clear();
        self.send(text, Instant::now() + time)?;
        // Taken after writing, so that no player is charged for a delay of the harness.
        Ok(Instant::now())
    }

    /// Sends lines without waiting.
    pub fn say(&mut self, text: &str) -> Result<(), UciError> {
        self.send(text, Instant::now() + self.watchdog.ready)
    }

    /// Returns all lines of output within this time.
    pub fn listen(&mut self, time: Duration) -> Result<Vec<String>, UciError> {
        self.pipes.begin();
        let mut heard = Vec::new();
        let mut deadline = Instant::now() + time;
        loop {
            match self.read_line(&mut deadline, "anything", time) {
                Ok(line) => heard.push(line),
                Err(UciError::Timeout { .. }) => return Ok(heard),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends lines and reads output up to the line for which `is_last` returns true; returns all
    /// lines read.
    pub fn converse(
        &mut self,
        text: &str,
        time: Duration,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<Vec<String>, UciError> {
        let mut deadline = Instant::now() + time;
        self.send(text, deadline)?;
        let mut heard = Vec::new();
        loop {
            let line = self.read_line(&mut deadline, "the expected answer", time)?;
            let is_done = is_last(&line);
            heard.push(line);
            if is_done {
                return Ok(heard);
            }
        }
    }

    /// Sends `stop` and waits at most `time` for the best move.
    pub fn stop(&mut self, time: Duration) -> Result<SearchAnswer, UciError> {
        let start = Instant::now();
        self.send("stop\n", start + time)?;
        self.await_best_move(start, time, &mut |_| {}, None)
    }

    fn await_best_move(
        &mut self,
        start: Instant,
        time: Duration,
        watch: &mut dyn FnMut(&str),
        mut other: Option<&mut Self>,
    ) -> Result<SearchAnswer, UciError> {
        let mut deadline = start + time;
        loop {
            let extends_on_stall = self.extends_on_stall;
            let line = self.read_line_beside(
                &mut deadline,
                "bestmove",
                time,
                other.as_deref_mut(),
                extends_on_stall,
            )?;
            watch(&line);
            if is_report(&line) {
                self.last_report = line;
                continue;
            }
            if line.split_ascii_whitespace().next() == Some("bestmove") {
                let elapsed = self.pipes.last_read.saturating_duration_since(start);
                return Ok(self.answer(&line, elapsed));
            }
        }
    }

    /// Builds the answer from a `bestmove` line and the last report.
    fn answer(&self, line: &str, elapsed: Duration) -> SearchAnswer {
        let mut words = line.split_ascii_whitespace().skip(1);
        let best_move = words.next().unwrap_or_default().to_owned();
        let ponder_move = words.next().filter(|&word| word == "ponder").and_then(|_| words.next());
        let pv = self.last_report.split_once(" pv ").map_or("", |(_, pv)| pv.trim());
        SearchAnswer {
            pv: pv.to_owned(),
            best_move,
            ponder_move: ponder_move.map(str::to_owned),
            elapsed,
            report: SearchReport::parse(&self.last_report),
        }
    }

    /// Returns the next line. A line counts if it was read before the deadline. A stall of the
    /// harness extends the deadline.
    fn read_line(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
    ) -> Result<String, UciError> {
        // Only the time of a search matters; other waits may take longer after a stall.
        self.read_line_beside(deadline, awaited, time, None, true)
    }

    /// Like [`Engine::read_line`], but reads the output of `other` meanwhile.
    fn read_line_beside(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
        mut other: Option<&mut Self>,
        extends_on_stall: bool,
    ) -> Result<String, UciError> {
        loop {
            if let Some(line) = self.pipes.take_line() {
                let line = line.to_owned();
                self.dialogue.push(Speaker::Engine, &line, self.pipes.last_read);
                return Ok(line);
            }
            if self.cancel.is_cancelled() {
                return Err(UciError::Cancelled);
            }
            if Instant::now() >= *deadline {
                return Err(UciError::Timeout { awaited, after: time });
            }
            let waited = self.pipes.wait(*deadline, &mut self.dialogue)?;
            if let Some(other) = &mut other {
                other.read_ponder_output();
            }
            match waited {
                Waited::Closed => return Err(self.exited()),
                Waited::Stalled(overslept) if extends_on_stall => *deadline += overslept,
                Waited::Stalled(_) => return Err(UciError::Stalled),
                // A child process may hold the pipe open after the engine itself has exited.
                Waited::Nothing if self.process.has_ended() => return Err(self.exited()),
                Waited::Nothing | Waited::Input => {}
            }
        }
    }

    fn send(&mut self, text: &str, deadline: Instant) -> Result<(), UciError> {
        let now = Instant::now();
        for line in text.lines() {
            self.dialogue.push(Speaker::Harness, line, now);
        }
        match self.pipes.write(text, deadline) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(self.exited()),
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                Err(UciError::Timeout { awaited: "reading of its input", after: deadline - now })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Terminates an engine that closed a pipe and returns how it exited.
    fn exited(&mut self) -> UciError {
        let status = self.process.end(EXIT_GRACE);
        self.pipes.drain(&mut self.dialogue);
        let how = status.map_or_else(|| "closed its output and did not exit".to_owned(), describe_exit);
        self.dialogue.push(Speaker::Note, &format!("the engine {how}"), Instant::now());
        UciError::Exited { how }
    }

    /// Starts copying the whole dialogue to `file`.
    pub fn log_to(&mut self, file: File) {
        self.dialogue.log_to(file);
    }

    /// Adds a remark to the dialogue.
    pub fn note(&mut self, text: &str) {
        self.dialogue.push(Speaker::Note, text, Instant::now());
    }

    /// Returns the kept part of the dialogue, including stderr.
    pub fn dialogue(&mut self) -> String {
        self.pipes.drain(&mut self.dialogue);
        self.dialogue.render()
    }

    /// Closes the engine's input and waits for its exit; returns how it exited, `None` if it had to
    /// be killed.
    pub fn end_of_input(mut self, time: Duration) -> Option<String> {
        self.pipes.close_input();
        // A full output pipe must not keep it from exiting.
        let deadline = Instant::now() + time;
        while !self.process.has_ended() && Instant::now() < deadline {
            self.pipes.drain(&mut self.dialogue);
            std::thread::sleep(Duration::from_millis(5));
        }
        self.process.end(Duration::ZERO).map(describe_exit)
    }

    /// Sends `quit` and terminates the engine if it does not exit in time.
    pub fn quit(mut self) {
        let _ = self.send("quit\n", Instant::now() + Duration::from_millis(100));
        self.pipes.close_input();
        self.process.end(QUIT_GRACE);
    }
}
