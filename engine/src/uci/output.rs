//! The output of a session: the pipe to the GUI, and the debug log.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::sync::Mutex;

/// The output of a session. Clones write to the same pipe and log. A closed pipe ends the process.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Ends>>);

/// The pipe, and the file of `Debug Log File` if one is open.
struct Ends {
    writer: Box<dyn Write + Send>,
    /// The first error of the pipe.
    failure: Option<io::Error>,
    transcript: Option<Transcript>,
}

impl Ends {
    /// Writes a line. A closed pipe has no reader, so the process ends then, as one that `SIGPIPE`
    /// kills; the first other error is kept.
    fn write(&mut self, text: &str) {
        let written =
            self.writer.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.writer.flush());
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
            Err(error) => {
                self.failure.get_or_insert(error);
            }
            Ok(()) => {}
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
        Self(Arc::new(Mutex::new(Ends { writer: Box::new(writer), failure: None, transcript: None })))
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

    /// Returns the first error of the pipe, if there was one.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.0.lock().failure.take()
    }

    pub(super) fn log_input(&self, text: &str) {
        self.0.lock().record(Speaker::Interface, text);
    }

    /// Logs all further input and output to a file, or to none if the path is empty.
    ///
    /// Errors: the file cannot be opened; the previous log is kept.
    pub(super) fn log_to(&self, path: &str) -> io::Result<()> {
        let transcript = if path.is_empty() { None } else { Some(Transcript::open(path)?) };
        self.0.lock().transcript = transcript;
        Ok(())
    }
}

/// The sender of a line.
#[derive(Clone, Copy, Debug)]
enum Speaker {
    Interface,
    Engine,
}

/// An open log of the dialogue (`Debug Log File`). Each line has the milliseconds since the file was opened.
#[derive(Debug)]
struct Transcript {
    file: File,
    opened: Instant,
}

impl Transcript {
    /// Opens a file or device for appending.
    ///
    /// Errors: an I/O error, or `InvalidInput` if the path is a named pipe.
    fn open(path: &str) -> io::Result<Self> {
        // Checked before opening, because opening blocks until a reader appears.
        if is_named_pipe(Path::new(path)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found a named pipe"));
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "-- Stretto {}, process {}", env!("CARGO_PKG_VERSION"), std::process::id())?;
        Ok(Self { file, opened: Instant::now() })
    }

    /// Appends lines in one unbuffered write, so that a crash of the engine loses none of them.
    fn note(&mut self, speaker: Speaker, text: &str) -> io::Result<()> {
        let mark = match speaker {
            Speaker::Interface => '>',
            Speaker::Engine => '<',
        };
        let millis = self.opened.elapsed().as_millis();
        let mut lines = Vec::new();
        for line in text.lines() {
            writeln!(lines, "{millis:>8} {mark} {line}")?;
        }
        self.file.write_all(&lines)
    }
}

/// Whether the path is a named pipe. An inherited pipe, such as `/dev/stderr` may be, has no path of
/// its own; opening it does not block.
#[cfg(unix)]
fn is_named_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    path.canonicalize().and_then(std::fs::metadata).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_named_pipe(_path: &Path) -> bool {
    false
}
