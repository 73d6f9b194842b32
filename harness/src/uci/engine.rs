//! A running engine: start, setup, and end. `search` runs searches, `lines` exchanges single lines.

mod lines;
mod search;

use std::collections::VecDeque;
use std::fs::File;
use std::time::{Duration, Instant};

pub use search::SearchAnswer;

use super::dialogue::{Dialogue, Speaker};
use super::error::UciError;
use super::info::SearchReport;
use super::options::{OptionCheck, OptionDecl, check_option, refused_option, setoption_line};
use super::pipes::Pipes;
use super::process::{Launcher, end, spawn};
use super::sent_search::ReplaySearch;
use super::words::{READY, Words, is_ready, text_after};
use crate::base::cancel::Cancel;
use crate::base::system::group::{Group, describe_exit};
use crate::config::{EngineConfig, EngineOption, Watchdog};

/// Maximum number of declared options; further ones are counted and ignored.
const MAX_OPTIONS: usize = 100_000;
/// Maximum number of `info string` lines kept during setup.
const MAX_REMARKS: usize = 10;

/// A running engine after `uciok`.
#[derive(Debug)]
pub struct Engine {
    // Fields drop in this order: the process is killed before its pipes close.
    process: Group,
    pipes: Pipes,
    dialogue: Dialogue,
    cancel: Cancel,
    watchdog: Watchdog,
    /// Whether a stall of the harness extends deadlines instead of failing with [`UciError::Stalled`]: for searches limited by
    /// nodes or depth, whose results do not depend on time.
    pub extends_on_stall: bool,
    /// Name from `id name`; empty if not reported.
    pub id_name: String,
    /// Its author (`id author`).
    pub id_author: Option<String>,
    /// The options that the engine declared.
    pub options: Vec<OptionDecl>,
    /// Number of declared options beyond those that are kept.
    pub dropped_options: usize,
    /// The first `option` line that could not be read.
    pub unread_option: Option<String>,
    /// The `info string` lines during setup. They are often the only sign that an option was
    /// rejected or adjusted.
    pub remarks: Vec<String>,
    /// The scores and depths of the last report, and the counts of the last lines that have them.
    report: SearchReport,
    /// When nodes were last reported.
    counted_at: Option<Instant>,
    /// The last line with an exact score of the first PV.
    last_report: String,
    /// A later line with a PV that is no complete report: a bound, or without a score. Empty if there is none.
    later_pv: String,
    /// The position and command of the current or last ponder search.
    pondered: String,
    /// The answer of a pondering engine before `ponderhit` or `stop`.
    early_answer: Option<String>,
    /// Lines sent during setup with the names of their options, for a replay. Other lines have an empty name.
    pub(super) setup: Vec<(String, String)>,
    /// Whether the `isready` after the last search has no answer yet.
    awaits_ready: bool,
    /// The searches since the start of the game with their limits, for a replay.
    pub(super) searches: VecDeque<ReplaySearch>,
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
        let failed = |error| UciError::Spawn { program: config.program.display().to_string(), error };
        let (process, mut pipes) = spawn(config, launcher).map_err(|error| (failed(error), String::new()))?;
        pipes.stall = watchdog.stall;
        let mut engine = Self {
            process,
            pipes,
            dialogue: Dialogue::new(),
            cancel: cancel.clone(),
            watchdog,
            extends_on_stall: false,
            id_name: String::new(),
            id_author: None,
            options: Vec::new(),
            dropped_options: 0,
            unread_option: None,
            remarks: Vec::new(),
            report: SearchReport::default(),
            counted_at: None,
            last_report: String::new(),
            later_pv: String::new(),
            pondered: String::new(),
            early_answer: None,
            setup: Vec::new(),
            awaits_ready: false,
            searches: VecDeque::new(),
        };
        match engine.handshake() {
            Ok(()) => Ok(engine),
            Err(UciError::Exited { how }) => {
                let has_begun = !engine.id_name.is_empty() || !engine.options.is_empty();
                let when = "and did not answer `uci`; perhaps it is no UCI engine";
                let how = format!("{how} {}", if has_begun { "before `uciok`" } else { when });
                Err((UciError::Exited { how }, engine.dialogue()))
            }
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
            self.note_introduction(line);
        }
    }

    /// Reads a line between `uci` and `uciok`.
    fn note_introduction(&mut self, line: String) {
        let short = |text: &str| text.chars().take(200).collect();
        if let Some(name) = text_after(&line, ["id", "name"]) {
            self.id_name = short(name);
        } else if let Some(author) = text_after(&line, ["id", "author"]) {
            self.id_author = Some(short(author));
        } else if Words(&line).next() == Some("option") {
            match OptionDecl::parse(&line) {
                Some(option) if self.options.len() < MAX_OPTIONS => self.options.push(option),
                Some(_) => self.dropped_options += 1,
                None => self.unread_option = self.unread_option.take().or(Some(line)),
            }
        }
    }

    /// Sends the options and then further lines unchanged, and waits until the engine has processed
    /// them.
    ///
    /// Errors: [`UciError::Option`] if a value is outside the range that the engine declares. Nothing is
    /// sent then. [`UciError::Refused`] if the engine answers that it cannot set an option: it would
    /// search with another value than the report states.
    pub fn set_up(&mut self, options: &[EngineOption], lines: &[String]) -> Result<(), UciError> {
        for option in options {
            if let OptionCheck::Refused(expected) = check_option(&self.options, option) {
                let value = option.value.clone().unwrap_or_else(|| "null".to_owned());
                return Err(UciError::Option { name: option.name.clone(), value, expected });
            }
        }
        let mut text = String::new();
        let named =
            |option: &EngineOption| Some((option.name.clone(), setoption_line(&self.options, option)?));
        let set: Vec<_> = options.iter().filter_map(named).collect();
        for (name, line) in set.into_iter().chain(lines.iter().map(|line| (String::new(), line.clone()))) {
            text.extend([line.as_str(), "\n"]);
            // A new value replaces the old one: a replay needs only the last.
            self.setup.retain(|(known, _)| name.is_empty() || !known.eq_ignore_ascii_case(&name));
            self.setup.push((name, line));
        }
        let (mut remarks, mut refused) = (Vec::new(), None);
        self.send_and_sync(text, self.watchdog.ready, |remark| {
            refused = refused.take().or_else(|| refused_option(options, remark));
            if remarks.len() < MAX_REMARKS {
                remarks.push(remark.chars().take(200).collect());
            }
        })?;
        self.remarks.extend(remarks);
        refused.map_or(Ok(()), |(name, reason)| Err(UciError::Refused { name, reason }))
    }

    /// Returns the maximum time from `go` to `bestmove` without a clock.
    pub(crate) fn answer_limit(&self) -> Duration {
        self.watchdog.answer
    }

    /// Returns the CPU time used so far by the engine and its children; `None` if the system does
    /// not report it.
    ///
    /// Exact while the engine is idle, since a running thread is accounted up to the last scheduler
    /// tick. Takes a few milliseconds.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        self.process.processor_time()
    }

    /// Returns the number of files that the engine and its children have open; `None` if the system
    /// does not report it.
    pub(crate) fn open_files(&self) -> Option<usize> {
        self.process.open_files()
    }

    /// Sends `ucinewgame` and waits until the engine is ready.
    pub fn new_game(&mut self) -> Result<(), UciError> {
        self.searches.clear();
        self.dialogue.flush();
        self.send_and_sync("ucinewgame\n".to_owned(), self.watchdog.new_game(), |_| {})
    }

    /// Sends lines and waits at most `time` until they are processed; `hear` receives the `info string` lines in
    /// between.
    fn send_and_sync(
        &mut self,
        mut text: String,
        time: Duration,
        mut hear: impl FnMut(&str),
    ) -> Result<(), UciError> {
        self.await_ready()?;
        text.push_str("isready\n");
        let mut deadline = Instant::now() + time;
        self.send(&text, deadline)?;
        loop {
            let line = self.read_line(&mut deadline, READY, time)?;
            if is_ready(&line) {
                return Ok(());
            }
            if let Some(remark) = text_after(&line, ["info", "string"]) {
                hear(remark);
            }
        }
    }

    /// Starts copying the whole dialogue to `file`, with the name of the engine in each line if the file
    /// is shared.
    pub(crate) fn log_to(&mut self, file: File, name: Option<&str>) {
        self.dialogue.log_to(file, name);
    }

    /// Adds a remark to the dialogue.
    pub(crate) fn note(&mut self, text: &str) {
        self.dialogue.push(Speaker::Note, text, Instant::now());
    }

    /// Returns the kept part of the dialogue, including stderr.
    pub fn dialogue(&mut self) -> String {
        self.pipes.drain(&mut self.dialogue);
        self.dialogue.render()
    }

    /// Closes the engine's input and waits for its exit; returns how it exited, `None` if it had to
    /// be killed.
    pub(crate) fn end_of_input(mut self, time: Duration) -> Option<String> {
        self.pipes.streams.close_input();
        self.await_exit(Instant::now() + time)
    }

    /// Waits for the exit until `deadline` or a stop request; returns how the engine exited, `None` if it had to be killed.
    fn await_exit(mut self, deadline: Instant) -> Option<String> {
        let mut pause = Duration::from_millis(1);
        while !self.process.has_ended() && Instant::now() < deadline && !self.cancel.is_cancelled() {
            // A full output pipe must not keep it from exiting.
            self.pipes.drain(&mut self.dialogue);
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        end(&mut self.process, Duration::ZERO).map(describe_exit)
    }

    /// Sends `quit` and kills the engine if it does not exit in time; returns a notice on that.
    pub fn quit(self, name: &str) -> Option<String> {
        Self::quit_all([(name, self)]).pop().map(|(_, notice)| notice)
    }

    /// Limits the time to exit after `quit`.
    pub(crate) fn hurry(&mut self, time: Duration) {
        self.watchdog.quit = self.watchdog.quit.min(time);
    }

    /// Sends `quit` to engines with their names, and kills those that do not exit in time; returns the name of each of these
    /// and a notice on it.
    pub(crate) fn quit_all<'a>(engines: impl IntoIterator<Item = (&'a str, Self)>) -> Vec<(&'a str, String)> {
        let leave = |(name, mut engine): (&'a str, Self)| {
            let _ = engine.send("quit\n", Instant::now() + Duration::from_millis(100));
            engine.pipes.streams.close_input();
            (name, Instant::now() + engine.watchdog.quit, engine)
        };
        let leaving: Vec<_> = engines.into_iter().map(leave).collect();
        let killed = leaving.into_iter().filter_map(|(name, deadline, engine)| {
            let (cancel, seconds) = (engine.cancel.clone(), engine.watchdog.quit.as_secs_f64());
            let is_late = engine.await_exit(deadline).is_none() && !cancel.is_cancelled();
            let notice = || format!("{name} did not exit within {seconds} s after `quit` and was killed");
            is_late.then(|| (name, notice()))
        });
        killed.collect()
    }
}
