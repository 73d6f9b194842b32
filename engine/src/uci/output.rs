//! The output of a session: the pipe to the GUI, and the debug log.

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use super::transcript::{Speaker, Transcript};
use crate::sync::Mutex;

/// The output of a session. Clones write to the same pipe and log. A closed pipe ends the process.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Ends>>);

/// The pipe, and the file of `Debug Log File` if one is open.
struct Ends {
    writer: Box<dyn Write + Send>,
    transcript: Option<Transcript>,
}

impl Ends {
    /// Writes a line. A closed pipe has no reader, so the process ends then, as one that `SIGPIPE`
    /// kills; other errors are ignored.
    fn write(&mut self, text: &str) {
        let written =
            self.writer.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.writer.flush());
        if written.is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) {
            std::process::exit(0);
        }
    }

    /// Logs a line. If the file cannot be written, this is reported once and the file is closed.
    fn record(&mut self, speaker: Speaker, text: &str) {
        let Some(transcript) = &mut self.transcript else { return };
        if let Err(error) = transcript.note(speaker, text) {
            self.transcript = None;
            self.write(&format!("info string Debug Log File: {error}; logging stops"));
        }
    }
}

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Ends { writer: Box::new(writer), transcript: None })))
    }

    /// Prints whole lines at once and flushes, so that lines of different threads never mix.
    pub(super) fn line(&self, text: &str) {
        let mut ends = self.0.lock();
        ends.write(text);
        ends.record(Speaker::Engine, text);
    }

    /// Prints an `info string`. Line breaks in the text become spaces.
    pub(super) fn note(&self, text: &impl ToString) {
        self.line(&format!("info string {}", text.to_string().replace(['\n', '\r'], " ")));
    }

    pub(super) fn log_input(&self, text: &str) {
        self.0.lock().record(Speaker::Interface, text);
    }

    /// Logs all further input and output to a file, or to none if the path is empty.
    ///
    /// Errors: the file cannot be opened; the previous log is kept.
    pub(super) fn log_to(&self, path: &str) -> std::io::Result<()> {
        let transcript = if path.is_empty() { None } else { Some(Transcript::open(path)?) };
        self.0.lock().transcript = transcript;
        Ok(())
    }
}
