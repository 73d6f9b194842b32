//! A bounded record of the recent UCI dialogue, kept as evidence when a game fails.

use std::collections::VecDeque;
use std::fmt::Write;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::time::Instant;

/// Number of lines of commands, answers and stderr kept.
const TALK_LINES: usize = 300;
/// Number of `info` lines kept. They have their own limit, so that they cannot displace other
/// lines.
const INFO_LINES: usize = 60;
/// Longest part of a line kept. Units: bytes.
const LINE_BYTES: usize = 1024;

/// The source of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    Harness,
    Engine,
    Stderr,
    /// A remark of the harness about the engine.
    Note,
}

impl Speaker {
    fn mark(self) -> &'static str {
        match self {
            Self::Harness => ">",
            Self::Engine => "<",
            Self::Stderr => "!",
            Self::Note => "#",
        }
    }
}

#[derive(Debug)]
struct Entry {
    number: u64,
    at: Instant,
    speaker: Speaker,
    text: String,
}

/// A ring buffer of the recent lines.
#[derive(Debug)]
pub(super) struct Dialogue {
    start: Instant,
    next_number: u64,
    talk: VecDeque<Entry>,
    info: VecDeque<Entry>,
    /// Log files that receive every line in full.
    logs: Vec<Log>,
}

/// A file that receives each line of the dialogue, in the layout of fastchess if it has the name of an engine.
#[derive(Debug)]
struct Log {
    writer: BufWriter<File>,
    /// Name of the engine, where the file is shared.
    name: Option<String>,
}

impl Log {
    /// Writes a line in one piece, so that the lines of a shared file do not mix.
    fn write(&mut self, since: f64, speaker: Speaker, line: &str) {
        let mark = match (&self.name, speaker) {
            (Some(_), Speaker::Harness) => "<---",
            (Some(_), Speaker::Engine) => "--->",
            _ => speaker.mark(),
        };
        let text = match &self.name {
            None => format!("{since:12.6} {mark} {line}\n"),
            Some(name) => format!("[Engine] [{since:>15.6}] {name} {mark} {line}\n"),
        };
        // A failing log must not stop the game; it ends where the disk was full.
        let _ = self.writer.write_all(text.as_bytes());
    }
}

impl Dialogue {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            next_number: 0,
            talk: VecDeque::new(),
            info: VecDeque::new(),
            logs: Vec::new(),
        }
    }

    /// Starts copying every line to `file`, beginning with the lines still in the buffer.
    /// Each line has the `name` of the engine, if there is one.
    pub(super) fn log_to(&mut self, file: File, name: Option<&str>) {
        let mut log = Log { writer: BufWriter::new(file), name: name.map(str::to_owned) };
        for entry in self.entries() {
            log.write(self.since_start(entry.at), entry.speaker, &entry.text);
        }
        self.logs.push(log);
    }

    fn since_start(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.start).as_secs_f64()
    }

    /// Returns the kept lines in order.
    fn entries(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.talk.iter().chain(&self.info).collect();
        entries.sort_by_key(|entry| entry.number);
        entries
    }

    /// Flushes the log to disk.
    pub(super) fn flush(&mut self) {
        for log in &mut self.logs {
            let _ = log.writer.flush();
        }
    }

    /// Appends one line and drops the oldest of its kind.
    pub(super) fn push(&mut self, speaker: Speaker, line: &str, at: Instant) {
        let since = self.since_start(at);
        for log in &mut self.logs {
            log.write(since, speaker, line);
        }
        let is_info =
            speaker == Speaker::Engine && line.starts_with("info") && !line.starts_with("info string");
        let (ring, limit) = if is_info { (&mut self.info, INFO_LINES) } else { (&mut self.talk, TALK_LINES) };
        // The buffer of the dropped entry is reused: no allocation per line once the ring is full.
        let mut text = if ring.len() < limit {
            String::new()
        } else {
            ring.pop_front().map_or_else(String::new, |old| old.text)
        };
        text.clear();
        let cut = line.floor_char_boundary(LINE_BYTES);
        text.push_str(&line[..cut]);
        if cut < line.len() {
            let _ = write!(text, " ... ({} bytes more)", line.len() - cut);
        }
        ring.push_back(Entry { number: self.next_number, at, speaker, text });
        self.next_number += 1;
    }

    /// Returns the kept lines in order, each with its time since the engine's start, in seconds.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        let mut expected = 0;
        for entry in self.entries() {
            if entry.number != expected {
                let _ = writeln!(text, "             ... {} lines forgotten", entry.number - expected);
            }
            expected = entry.number + 1;
            let at = self.since_start(entry.at);
            let _ = writeln!(text, "{at:12.6} {} {}", entry.speaker.mark(), entry.text);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_do_not_displace_the_dialogue() {
        let mut dialogue = Dialogue::new();
        dialogue.push(Speaker::Harness, "go nodes 5", Instant::now());
        for depth in 0..10_000 {
            dialogue.push(Speaker::Engine, &format!("info depth {depth}"), Instant::now());
        }
        let text = dialogue.render();
        assert!(text.contains("> go nodes 5") && text.contains("< info depth 9999"));
        assert!(text.contains("9940 lines forgotten"), "{text}");
        assert_eq!(text.lines().count(), 62);
    }

    #[test]
    fn log_file_keeps_every_line_in_full() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let mut dialogue = Dialogue::new();
        dialogue.push(Speaker::Harness, "uci", Instant::now());
        dialogue.log_to(path.reopen().unwrap(), None);
        for number in 0..500 {
            dialogue.push(Speaker::Engine, &format!("line {number} {}", "x".repeat(2000)), Instant::now());
        }
        dialogue.flush();
        let text = std::fs::read_to_string(path.path()).unwrap();
        assert_eq!(text.lines().count(), 501);
        assert!(text.contains("> uci") && text.lines().all(|line| !line.contains("bytes more")));
    }

    #[test]
    fn lines_of_a_shared_log_have_the_name_of_the_engine() {
        let path = tempfile::NamedTempFile::new().unwrap();
        let mut dialogue = Dialogue::new();
        dialogue.log_to(path.reopen().unwrap(), Some("new"));
        dialogue.push(Speaker::Harness, "go depth 3", Instant::now());
        dialogue.push(Speaker::Engine, "bestmove e2e4", Instant::now());
        dialogue.flush();
        let text = std::fs::read_to_string(path.path()).unwrap();
        let ends: Vec<&str> = text.lines().filter_map(|line| line.split("] ").last()).collect();
        assert_eq!(ends, ["new <--- go depth 3", "new ---> bestmove e2e4"]);
    }

    #[test]
    fn long_lines_are_truncated_between_characters() {
        let mut dialogue = Dialogue::new();
        dialogue.push(Speaker::Stderr, &"é".repeat(100_000), Instant::now());
        let text = dialogue.render();
        assert!(text.len() < 1200 && text.contains("bytes more"));
    }
}
