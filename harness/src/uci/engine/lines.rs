//! Lines sent to and read from an engine.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use super::super::dialogue::Speaker;
use super::super::error::UciError;
use super::super::pipes::{SLICE, Waited};
use super::super::process::end;
use super::Engine;
use crate::base::system::group::describe_exit;

/// Interval at which the output of a pondering engine is read while the other one thinks.
const PONDER_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Time that the exit status of a dead engine may take to appear after its output closed.
const EXIT_GRACE: Duration = Duration::from_millis(500);

impl Engine {
    /// Sends lines without waiting.
    pub(crate) fn send_lines(&mut self, text: &str) -> Result<(), UciError> {
        self.send(text, Instant::now() + self.watchdog.ready)
    }

    /// Returns all lines of output within this time.
    pub(crate) fn read_lines(&mut self, time: Duration) -> Result<Vec<String>, UciError> {
        self.pipes.begin();
        let mut lines = Vec::new();
        let mut deadline = Instant::now() + time;
        loop {
            match self.read_line(&mut deadline, "anything", time) {
                Ok(line) => lines.push(line),
                Err(UciError::Timeout { .. }) => return Ok(lines),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends lines and reads output up to the line for which `is_last` returns true; returns all
    /// lines read.
    pub(crate) fn exchange(
        &mut self,
        text: &str,
        time: Duration,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<Vec<String>, UciError> {
        let mut deadline = Instant::now() + time;
        self.send(text, deadline)?;
        let mut lines = Vec::new();
        loop {
            let line = self.read_line(&mut deadline, "expected answer", time)?;
            let is_done = is_last(&line);
            lines.push(line);
            if is_done {
                return Ok(lines);
            }
        }
    }

    /// Returns the next line. A line counts if it was read before the deadline. A stall of the
    /// harness extends the deadline.
    pub(super) fn read_line(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
    ) -> Result<String, UciError> {
        // Only the time of a search matters; other waits may take longer after a stall.
        self.read_line_beside(deadline, awaited, time, None, true)
    }

    /// Like [`Engine::read_line`], but reads the output of `other` meanwhile.
    pub(super) fn read_line_beside(
        &mut self,
        deadline: &mut Instant,
        awaited: &'static str,
        time: Duration,
        mut other: Option<&mut Self>,
        extends_on_stall: bool,
    ) -> Result<String, UciError> {
        self.pipes.slice = if other.is_some() { PONDER_POLL_INTERVAL } else { SLICE };
        loop {
            if let Some(line) = self.pipes.take_line() {
                let line = line.to_owned();
                self.dialogue.push(Speaker::Engine, &line, self.pipes.last_read);
                return Ok(line);
            }
            if self.cancel.is_cancelled() {
                return Err(UciError::Cancelled);
            }
            // Also after the deadline, because a stall since the last wait extends it.
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
                Waited::Nothing if Instant::now() < *deadline => {}
                Waited::Input if self.pipes.last_read < *deadline => {}
                Waited::Nothing | Waited::Input => return Err(UciError::Timeout { awaited, after: time }),
            }
        }
    }

    pub(super) fn send(&mut self, text: &str, deadline: Instant) -> Result<(), UciError> {
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
    pub(super) fn exited(&mut self) -> UciError {
        let status = end(&mut self.process, EXIT_GRACE);
        self.pipes.drain(&mut self.dialogue);
        let how =
            status.map_or_else(|| "closed its input or output and did not exit".to_owned(), describe_exit);
        self.dialogue.push(Speaker::Note, &format!("the engine {how}"), Instant::now());
        UciError::Exited { how }
    }
}
