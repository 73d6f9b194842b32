//! One UCI engine as the harness sees it: start, options, searches under one absolute deadline each, certain end.
//!
//! Everything an engine may do wrong becomes a [`UciError`]; who loses what for it is the referee's business.
//! An engine that failed is not used again: drop it and start another. It knows nothing of chess rules.

mod dialogue;
mod info;
mod options;
mod pipes;
mod process;

use std::fmt::Write;
use std::io::ErrorKind;
use std::time::{Duration, Instant};

use thiserror::Error;

pub use info::{ReportedScore, SearchInfo, SearchReport};
pub use options::{OptionCheck, OptionDecl, OptionKind, check_option};
pub use process::{LAUNCH_WORD, Launcher, become_engine};

use crate::cancel::Cancel;
use crate::config::{EngineConfig, EngineOption, Watchdog};
use dialogue::{Dialogue, Voice};
use info::is_report;
use pipes::{Pipes, Waited};
use process::{Process, describe_exit};

/// Time an engine has to end after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(2);
/// Time a dead engine's exit status may take to appear after its output closed.
const EXIT_GRACE: Duration = Duration::from_millis(500);
/// More declared options than any engine has; further ones are ignored.
const MAX_OPTIONS: usize = 2000;

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
    #[error("the harness itself was not running for over a second")]
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
    /// From `go` written to `bestmove` read.
    pub elapsed: Duration,
    /// The last complete report.
    pub report: SearchReport,
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
    last_report: String,
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
        let (process, pipes) =
            Process::spawn(config, launcher).map_err(|error| (spawn(error), String::new()))?;
        let mut engine = Self {
            process,
            pipes,
            dialogue: Dialogue::new(),
            cancel: cancel.clone(),
            watchdog,
            forgives_stalls: false,
            id_name: String::new(),
            options: Vec::new(),
            last_report: String::new(),
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
        self.send_and_sync(text)
    }

    /// Tells the engine that another game begins, and waits until it is ready.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.send_and_sync("ucinewgame\n".to_owned())
    }

    fn send_and_sync(&mut self, mut text: String) -> Result<(), UciError> {
        text.push_str("isready\n");
        let time = self.watchdog.ready;
        let mut deadline = Instant::now() + time;
        self.send(&text, deadline)?;
        loop {
            let line = self.read_line(&mut deadline, "readyok", time)?;
            if line.split_ascii_whitespace().eq(["readyok"]) {
                return Ok(());
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
        // A second `bestmove` from an earlier search must not answer this one.
        self.pipes.discard_input(&mut self.dialogue);
        self.last_report.clear();
        self.send(text, Instant::now() + time)?;
        let start = Instant::now();
        self.await_best_move(start, time, watch)
    }

    /// Sends `stop` and waits `time` for the best move that is due.
    pub fn stop(&mut self, time: Duration) -> Result<SearchAnswer, UciError> {
        let start = Instant::now();
        self.send("stop\n", start + time)?;
        self.await_best_move(start, time, &mut |_| {})
    }

    fn await_best_move(
        &mut self,
        start: Instant,
        time: Duration,
        watch: &mut dyn FnMut(&str),
    ) -> Result<SearchAnswer, UciError> {
        let mut deadline = start + time;
        loop {
            let line = self.read_line(&mut deadline, "bestmove", time)?;
            watch(&line);
            if is_report(&line) {
                self.last_report = line;
                continue;
            }
            let mut tokens = line.split_ascii_whitespace();
            if tokens.next() == Some("bestmove") {
                return Ok(SearchAnswer {
                    best_move: tokens.next().unwrap_or_default().to_owned(),
                    elapsed: self.pipes.last_read.saturating_duration_since(start),
                    report: SearchReport::parse(&self.last_report),
                });
            }
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
            match self.pipes.wait(*deadline, &mut self.dialogue)? {
                Waited::Closed => return Err(self.gone()),
                Waited::Stalled(overslept) if self.forgives_stalls => *deadline += overslept,
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

    /// Notes a remark for whoever reads the dialogue.
    pub fn note(&mut self, text: &str) {
        self.dialogue.push(Voice::Note, text, Instant::now());
    }

    /// The kept part of what was said, with the engine's stderr.
    pub fn dialogue(&mut self) -> String {
        self.pipes.drain(&mut self.dialogue);
        self.dialogue.render()
    }

    /// Asks the engine to end and makes sure that it does.
    pub fn quit(mut self) {
        let _ = self.send("quit\n", Instant::now() + Duration::from_millis(100));
        self.pipes.close_input();
        self.process.end(QUIT_GRACE);
    }
}
