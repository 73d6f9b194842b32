//! The log of the dialogue between GUI and engine (`Debug Log File`).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::Instant;

/// The sender of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Speaker {
    /// The GUI.
    Interface,
    /// The engine.
    Engine,
}

/// An open log. Each line has the milliseconds since the file was opened.
#[derive(Debug)]
pub(super) struct Transcript {
    file: File,
    opened: Instant,
}

impl Transcript {
    /// Opens a file for appending.
    pub(super) fn open(path: &str) -> io::Result<Self> {
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
