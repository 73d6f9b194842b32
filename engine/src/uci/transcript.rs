//! The log of the dialogue between GUI and engine (`Debug Log File`).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// The sender of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Speaker {
    Interface,
    Engine,
}

/// An open log. Each line has the milliseconds since the file was opened.
#[derive(Debug)]
pub(super) struct Transcript {
    file: File,
    opened: Instant,
}

impl Transcript {
    /// Opens a file or device for appending.
    ///
    /// Errors: an I/O error, or `InvalidInput` if the path is a named pipe.
    pub(super) fn open(path: &str) -> io::Result<Self> {
        // Checked before opening, because opening blocks until a reader appears.
        if is_named_pipe(Path::new(path)) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found a named pipe"));
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "-- Stretto {}, process {}", env!("CARGO_PKG_VERSION"), std::process::id())?;
        Ok(Self { file, opened: Instant::now() })
    }

    /// Appends lines in one unbuffered write, so that a crash of the engine loses none of them.
    pub(super) fn note(&mut self, speaker: Speaker, text: &str) -> io::Result<()> {
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
