//! The file that everything said to the engine and by it is written to (`Debug Log File`).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::Instant;

/// Who said a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Speaker {
    /// The other side of the pipe.
    Interface,
    /// This engine.
    Engine,
}

/// An open file. Lines are appended, each with the milliseconds since the file was opened.
#[derive(Debug)]
pub(super) struct Transcript {
    file: File,
    opened: Instant,
}

impl Transcript {
    /// Opens a file; what is in it stays.
    pub(super) fn open(path: &str) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "-- Stretto {}, process {}", env!("CARGO_PKG_VERSION"), std::process::id())?;
        Ok(Self { file, opened: Instant::now() })
    }

    /// Appends what was said, in one write, so that a crash loses nothing that came before.
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
