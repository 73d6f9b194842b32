//! One UCI engine as the harness sees it: start, options, searches under one absolute deadline each, certain end.
//!
//! Everything an engine may do wrong becomes a [`UciError`]; who loses what for it is the referee's business.
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
pub use process::{LAUNCH_WORD, Launcher, become_engine};
pub use replay::{REPLAY_VERSION, Replay, ReplayEngine, ReplayError, ReplaySearch, Replayed};

use crate::cancel::Cancel;
use crate::config::{EngineConfig, EngineOption, Watchdog};
use dialogue::{Dialogue, Voice};
use info::is_report;
use pipes::{Pipes, Waited};
use process::{Process, describe_exit};
use replay::MAX_SEARCHES;

/// Time an engine has to end after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// Time a dead engine's exit status may take to appear after its output closed.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// How often a pondering engine's output is taken in while the other one thinks.
const OVERHEAR_INTERVAL: Duration = Duration::from_millis(10);
/// More declared options than any engine has; further ones are ignored.
const MAX_OPTIONS: usize = 2000;
/// No more of what an engine says to its options is listened to.
const MAX_REMARKS: usize = 10;

/// What went wrong with an engine, or with us.
#[derive(Debug, Error)]
pub enum UciError {
    /// The process could not be started.
    #[error("cannot start {program}: {error}")]
    Spawn {
        /// The executable.
        program: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The process ended, or closed its output.
    #[error("the engine {how}")]
    Gone {
        /// Such as `exited with code 1`.
        how: String,
    },
    /// No answer in time.
    #[error("no {awaited} within {} s", after.as_secs_f64())]
    Silent {
        /// The word that did not come.
        awaited: &'static str,
        /// The time it had.
        after: Duration,
    },
    /// A stop was asked for from outside; nobody's fault.
    #[error("stopped on request")]
    Cancelled,
    /// The harness was not running for a while (suspended or starved); nobody's fault.
    #[error("the harness itself was not running for a while")]
    Stalled,
    /// A system call failed.
    #[error("pipe to the engine: {0}")]
    Pipe(#[from] std::io::Error),
}

/// The answer to a `go`.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// The text after `bestmove`, empty if there was none.
    pub best_move: String,
    /// The answer it expects, as it says after `ponder`.
    pub ponder_move: Option<String>,
    /// From `go` written to `bestmove` read: what a player's clock runs. It can be next to nothing where the harness was held
    /// up right after it wrote, so measurements keep a clock of their own.
    pub elapsed: Duration,
    /// The last complete report.
    pub report: SearchReport,
    /// Its line of play, moves separated by blanks; empty where none was reported.
    pub pv: String,
}

/// A running engine that has said `uciok`.
#[derive(Debug)]
pub struct Engine {
    // Fields drop in this order: the process is killed before its pipes close.
    process: Process,
    pipes: Pipes,
    dialogue: Dialogue,
    cancel: Cancel,
    watchdog: Watchdog,
    /// Does the harness's own sleep merely put off what is due?
    forgives_stalls: bool,
    /// What it calls itself, empty if it does not say.
    pub id_name: String,
    /// The options it declared.
    pub options: Vec<OptionDecl>,
    /// All it said between `uci` and `uciok`.
    pub hello: Vec<String>,
    /// What it said in words (`info string …`) while it was set up: often the only sign that it took an option otherwise,
    /// or not at all.
    pub remarks: Vec<String>,
    last_report: String,
    /// What it ponders on, or did last.
    pondered: String,
    /// The answer a pondering engine gave before it was asked for one.
    early_answer: Option<String>,
    /// Lines sent to set it up.
    setup: Vec<String>,
    /// What it was asked since its last game began, and the time it had.
    searches: VecDeque<(String, Duration)>,
}

impl Engine {
    /// Starts the engine and waits for `uciok`. On failure the dialogue so far comes along.
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
            forgives_stalls: false,
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

    /// From now on, when the harness itself was not running for a while, the wait goes on so much longer, and no
    /// [`UciError::Stalled`] comes of it: for searches that are limited by nodes or depth, whose results no time
    /// can change.
    pub fn forgive_stalls(&mut self) {
        self.forgives_stalls = true;
    }

    /// Sends the options, then waits until the engine has worked them off.
    pub fn set_options(&mut self, options: &[EngineOption]) -> Result<(), UciError> {
        self.set_up(options, &[])
    }

    /// Sends the options, then further lines as they are, and waits until the engine has worked them off.
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
        // A value that is told anew takes the place of the old one: a replay needs only the last.
        for option in options {
            let told = format!("setoption name {} value ", option.name);
            self.setup.retain(|line| !line.starts_with(&told));
        }
        self.setup.extend(text.lines().map(str::to_owned));
        let remarks = self.send_and_sync(text)?;
        self.remarks.extend(remarks);
        Ok(())
    }

    /// How long processors have worked for the engine and all it started, up to now; `None` where the system does not say.
    ///
    /// Exact while it is idle: who works is told of up to the last tick of the scheduler. Takes some milliseconds.
    pub fn processor_time(&self) -> Option<Duration> {
        self.process.processor_time()
    }

    /// Tells the engine that another game begins, and waits until it is ready.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.searches.clear();
        self.dialogue.flush();
        self.send_and_sync("ucinewgame\n".to_owned()).map(|_| ())
    }

    /// Sends lines and waits until they are worked off; returns what the engine says to them in words.
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

    /// Sends `text` (position and go, in one write) and waits for the best move, `time` at most, come what may.
    pub fn search(&mut self, text: &str, time: Duration) -> Result<SearchAnswer, UciError> {
        self.search_watched(text, time, &mut |_| {})
    }

    /// Like [`Engine::search`]; `watch` hears every line of the answer.
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

    /// Like [`Engine::search`], while `other` may ponder: what that one says meanwhile is taken in, so that no full pipe
    /// stops it.
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
            self.pipes.slice = OVERHEAR_INTERVAL;
        }
        let answer = self.await_best_move(start, time, &mut |_| {}, other);
        self.pipes.slice = pipes::SLICE;
        answer
    }

    /// Sends `text` (position and `go ponder`, in one write) and does not wait.
    pub fn ponder(&mut self, text: &str) -> Result<(), UciError> {
        self.early_answer = None;
        text.clone_into(&mut self.pondered);
        self.ask(text, self.watchdog.ready).map(|_| ())
    }

    /// Keeps a question for a replay.
    fn note_search(&mut self, text: String, time: Duration) {
        if self.searches.len() == MAX_SEARCHES {
            self.searches.pop_front();
        }
        self.searches.push_back((text, time));
    }

    /// Takes in what a pondering engine has said, without waiting.
    fn overhear(&mut self) {
        self.pipes.read_available(&mut self.dialogue);
        while let Some(line) = self.pipes.take_line() {
            let line = line.to_owned();
            self.dialogue.push(Voice::Engine, &line, self.pipes.last_read);
            if is_report(&line) {
                self.last_report = line;
            } else if line.starts_with("bestmove") {
                self.early_answer = Some(line);
            }
        }
    }

    /// The move pondered on was played: waits `time` for the best move, while `other` may ponder in its turn.
    pub fn ponderhit(&mut self, time: Duration, other: Option<&mut Self>) -> Result<SearchAnswer, UciError> {
        // In a replay, as if it had not pondered.
        let text = self.pondered.replacen("\ngo ponder", "\ngo", 1);
        self.note_search(text, time);
        self.end_pondering("ponderhit\n", time, other)
    }

    /// Another move was played: the search is stopped, and its best move of no interest. Returns how long that took.
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
        self.overhear();
        // It was not to answer yet, but what it says is what it plays.
        match self.early_answer.take() {
            Some(line) => Ok(self.answer(&line, start.elapsed())),
            None => self.await_beside(start, time, other),
        }
    }

    /// Sends a question; returns when it was asked.
    fn ask(&mut self, text: &str, time: Duration) -> Result<Instant, UciError> {
        // A second `bestmove` from an earlier search must not answer this one.
        self.pipes.discard_input(&mut self.dialogue);
        self.last_report.clear();
        self.send(text, Instant::now() + time)?;
        // Only now: no player pays for what keeps the harness from writing.
        Ok(Instant::now())
    }

    /// Sends lines and does not wait.
    pub fn say(&mut self, text: &str) -> Result<(), UciError> {
        self.send(text, Instant::now() + self.watchdog.ready)
    }

    /// Everything the engine says within this time.
    pub fn listen(&mut self, time: Duration) -> Result<Vec<String>, UciError> {
        self.pipes.begin();
        let mut heard = Vec::new();
        let mut deadline = Instant::now() + time;
        loop {
            match self.read_line(&mut deadline, "anything", time) {
                Ok(line) => heard.push(line),
                Err(UciError::Silent { .. }) => return Ok(heard),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends lines and listens until a line is the one that was waited for; returns all lines, that one as the last.
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

    /// Sends `stop` and waits `time` for the best move that is due.
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
            let forgives = self.forgives_stalls;
            let line =
                self.read_line_beside(&mut deadline, "bestmove", time, other.as_deref_mut(), forgives)?;
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

    /// What a `bestmove` line says, with the last report before it.
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

    /// The next line; a line counts if it was read before the deadline, however many came with it. A stall that is
    /// forgiven moves the deadline.
    fn read_line(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
    ) -> Result<String, UciError> {
        // Only the time of a search matters; anything else may take longer when the harness itself was not running.
        self.read_line_beside(deadline, awaited, time, None, true)
    }

    /// The same, taking in what `other` says meanwhile.
    fn read_line_beside(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
        mut other: Option<&mut Self>,
        forgives_stalls: bool,
    ) -> Result<String, UciError> {
        loop {
            if let Some(line) = self.pipes.take_line() {
                let line = line.to_owned();
                self.dialogue.push(Voice::Engine, &line, self.pipes.last_read);
                return Ok(line);
            }
            if self.cancel.is_cancelled() {
                return Err(UciError::Cancelled);
            }
            if Instant::now() >= *deadline {
                return Err(UciError::Silent { awaited, after: time });
            }
            let waited = self.pipes.wait(*deadline, &mut self.dialogue)?;
            if let Some(other) = &mut other {
                other.overhear();
            }
            match waited {
                Waited::Closed => return Err(self.gone()),
                Waited::Stalled(overslept) if forgives_stalls => *deadline += overslept,
                Waited::Stalled(_) => return Err(UciError::Stalled),
                // A process it started may hold the pipe open after the engine's own end.
                Waited::Nothing if self.process.has_ended() => return Err(self.gone()),
                Waited::Nothing | Waited::Input => {}
            }
        }
    }

    fn send(&mut self, text: &str, deadline: Instant) -> Result<(), UciError> {
        let now = Instant::now();
        for line in text.lines() {
            self.dialogue.push(Voice::Harness, line, now);
        }
        match self.pipes.write(text, deadline) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(self.gone()),
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                Err(UciError::Silent { awaited: "reading of its input", after: deadline - now })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Ends an engine that closed a pipe and says how it went.
    fn gone(&mut self) -> UciError {
        let status = self.process.end(EXIT_GRACE);
        self.pipes.drain(&mut self.dialogue);
        let how = status.map_or_else(|| "closed its output and did not exit".to_owned(), describe_exit);
        self.dialogue.push(Voice::Note, &format!("the engine {how}"), Instant::now());
        UciError::Gone { how }
    }

    /// From now on the whole dialogue is written to `file` as well.
    pub fn log_to(&mut self, file: File) {
        self.dialogue.log_to(file);
    }

    /// Notes a remark for whoever reads the dialogue.
    pub fn note(&mut self, text: &str) {
        self.dialogue.push(Voice::Note, text, Instant::now());
    }

    /// The kept part of what was said, with the engine's stderr.
    pub fn dialogue(&mut self) -> String {
        self.pipes.drain(&mut self.dialogue);
        self.dialogue.render()
    }

    /// Closes the engine's input and waits for its end; says how it went, `None` where it had to be killed.
    pub fn end_of_input(mut self, time: Duration) -> Option<String> {
        self.pipes.close_input();
        // A full pipe must not keep it from ending.
        let deadline = Instant::now() + time;
        while !self.process.has_ended() && Instant::now() < deadline {
            self.pipes.drain(&mut self.dialogue);
            std::thread::sleep(Duration::from_millis(5));
        }
        self.process.end(Duration::ZERO).map(describe_exit)
    }

    /// Asks the engine to end and makes sure that it does.
    pub fn quit(mut self) {
        let _ = self.send("quit\n", Instant::now() + Duration::from_millis(100));
        self.pipes.close_input();
        self.process.end(QUIT_GRACE);
    }
}
