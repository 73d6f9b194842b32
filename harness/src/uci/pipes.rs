//! The lines of an engine: reads and writes with one absolute deadline.
//!
//! On Unix a single `poll` waits for the engine, so a ply costs about five system calls and no
//! thread switch. A wait ends at its deadline however much an engine prints, and the stored part of
//! a line is bounded.

use std::time::{Duration, Instant};

use super::dialogue::{Dialogue, Speaker};
use crate::base::system::streams::{Output, Streams};
use crate::config::Watchdog;

/// Longest line kept; the rest of a longer line is dropped. Units: bytes.
const MAX_LINE: usize = 64 * 1024;
/// Length of a wait slice, after which cancellation and the exit of the engine are checked.
pub(super) const SLICE: Duration = Duration::from_millis(100);

/// The result of one wait slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waited {
    /// New bytes of stdout are buffered.
    Input,
    /// No output in this slice.
    Nothing,
    /// Stdout is closed and all lines are consumed.
    Closed,
    /// The harness overslept the slice by this much.
    Stalled(Duration),
}

/// The harness's ends of an engine's pipes.
#[derive(Debug)]
pub(super) struct Pipes {
    pub(super) streams: Streams,
    lines: LineBuffer,
    errors: LineBuffer,
    scratch: Vec<u8>,
    /// Length of a wait slice.
    pub(super) slice: Duration,
    /// Oversleeping that counts as a stall: the harness was suspended or starved.
    pub(super) stall: Duration,
    /// Time at which the newest bytes of stdout were read.
    pub(super) last_read: Instant,
    /// Time at which the harness was last known to run; a stall may also fall between two waits.
    pub(super) awake: Instant,
}

impl Pipes {
    pub(super) fn new(streams: Streams) -> Self {
        Self {
            streams,
            lines: LineBuffer::default(),
            errors: LineBuffer::default(),
            scratch: vec![0; 64 * 1024],
            slice: SLICE,
            stall: Watchdog::STALL,
            last_read: Instant::now(),
            awake: Instant::now(),
        }
    }

    /// Marks the start of an exchange for the detection of stalls.
    pub(super) fn begin(&mut self) {
        self.awake = Instant::now();
    }

    /// Writes all of `text` unless the pipe is still full at `deadline`.
    pub(super) fn write(&mut self, text: &str, deadline: Instant) -> std::io::Result<()> {
        self.begin();
        let has_waited = self.streams.write_all(text.as_bytes(), deadline)?;
        // Time in which the engine did not read is no stall. Otherwise the time of the write counts: on a busy processor the
        // engine preempts the harness right after it.
        if has_waited {
            self.begin();
        }
        Ok(())
    }

    /// Returns the next complete buffered line.
    pub(super) fn take_line(&mut self) -> Option<&str> {
        self.lines.take()
    }

    /// Reads available output without waiting, at most one buffer.
    pub(super) fn read_available(&mut self, dialogue: &mut Dialogue) {
        self.read_stdout();
        self.read_stderr(dialogue);
    }

    /// Discards unsolicited output of the engine.
    pub(super) fn discard_input(&mut self, dialogue: &mut Dialogue) {
        // One read only: an engine that never stops printing must not block the harness here.
        self.read_stdout();
        while let Some(line) = self.lines.take() {
            dialogue.push(Speaker::Engine, line, self.last_read);
        }
    }

    /// Waits one slice, at most until `deadline`, for output; stderr goes to the dialogue.
    pub(super) fn wait(&mut self, deadline: Instant, dialogue: &mut Dialogue) -> std::io::Result<Waited> {
        if !self.streams.is_open(Output::Stdout) {
            return Ok(Waited::Closed);
        }
        let slice = deadline.saturating_duration_since(Instant::now()).min(self.slice);
        let ready = self.streams.wait(slice)?;
        if ready.stderr {
            self.read_stderr(dialogue);
        }
        let now = Instant::now();
        let overslept = now.saturating_duration_since(self.awake).saturating_sub(slice);
        self.awake = now;
        if overslept > self.stall {
            return Ok(Waited::Stalled(overslept));
        }
        if !ready.stdout {
            return Ok(Waited::Nothing);
        }
        self.read_stdout();
        // At the end of the output, a line without newline still counts.
        Ok(if !self.streams.is_open(Output::Stdout) && self.lines.is_empty() {
            Waited::Closed
        } else {
            Waited::Input
        })
    }

    /// Reads the remaining output of an exited engine, at most one buffer per pipe.
    pub(super) fn drain(&mut self, dialogue: &mut Dialogue) {
        self.discard_input(dialogue);
        self.read_stderr(dialogue);
    }

    fn read_stdout(&mut self) {
        if !self.streams.is_open(Output::Stdout) {
            return;
        }
        match self.streams.read(Output::Stdout, &mut self.scratch) {
            Ok(0) => self.lines.finish(),
            Ok(count) => {
                self.last_read = Instant::now();
                self.lines.push(&self.scratch[..count]);
            }
            Err(_) => {}
        }
    }

    fn read_stderr(&mut self, dialogue: &mut Dialogue) {
        if !self.streams.is_open(Output::Stderr) {
            return;
        }
        match self.streams.read(Output::Stderr, &mut self.scratch) {
            Ok(0) => self.errors.finish(),
            Ok(count) => self.errors.push(&self.scratch[..count]),
            Err(_) => {}
        }
        let now = Instant::now();
        while let Some(line) = self.errors.take() {
            dialogue.push(Speaker::Stderr, line, now);
        }
    }
}

/// A buffer that splits bytes into lines at LF, CR LF or CR.
#[derive(Debug, Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// Start of the first line not yet consumed.
    start: usize,
    /// End of the part already searched for a line end; a slow long line is not searched twice.
    searched: usize,
    /// Whether the current line exceeds the limit and has lost bytes.
    is_overlong: bool,
    current: String,
}

impl LineBuffer {
    fn is_empty(&self) -> bool {
        self.start == self.bytes.len()
    }

    fn push(&mut self, chunk: &[u8]) {
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        if self.is_overlong {
            // Inside an overlong line only the bytes after its end count.
            match chunk.iter().position(|&byte| is_line_end(byte)) {
                Some(end) => {
                    self.is_overlong = false;
                    self.bytes.extend_from_slice(&chunk[end..]);
                }
                None => return,
            }
        } else {
            self.bytes.extend_from_slice(chunk);
        }
        let tail = self.bytes.iter().rposition(|&byte| is_line_end(byte)).map_or(0, |end| end + 1);
        if self.bytes.len() - tail > MAX_LINE {
            self.bytes.truncate(tail + MAX_LINE);
            self.is_overlong = true;
        }
    }

    /// Terminates a last line without newline.
    fn finish(&mut self) {
        if !self.is_empty() {
            self.bytes.push(b'\n');
        }
    }

    /// Returns the next non-empty line.
    fn take(&mut self) -> Option<&str> {
        loop {
            let end = self.bytes[self.searched..].iter().position(|&byte| is_line_end(byte));
            let Some(end) = end.map(|offset| self.searched + offset) else {
                self.searched = self.bytes.len();
                return None;
            };
            let line = self.bytes[self.start..end].trim_ascii();
            self.start = end + 1;
            self.searched = self.start;
            if !line.is_empty() {
                self.current.clear();
                self.current.push_str(&String::from_utf8_lossy(line));
                return Some(&self.current);
            }
        }
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(buffer: &mut LineBuffer) -> Vec<String> {
        std::iter::from_fn(|| buffer.take().map(str::to_owned)).collect()
    }

    #[test]
    fn lines_may_end_in_any_way_and_arrive_in_pieces() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"one\r\ntwo\rthree\n\n  four \nfi");
        assert_eq!(all(&mut buffer), ["one", "two", "three", "four"]);
        buffer.push(b"ve");
        assert_eq!(all(&mut buffer), [""; 0]);
        buffer.push(b"\nsix");
        assert_eq!(all(&mut buffer), ["five"]);
        buffer.finish();
        assert_eq!(all(&mut buffer), ["six"]);
    }

    #[test]
    fn overlong_lines_are_truncated() {
        let mut buffer = LineBuffer::default();
        for _ in 0..100 {
            buffer.push(&[b'x'; 10_000]);
            assert_eq!(buffer.take(), None);
            assert!(buffer.bytes.len() <= MAX_LINE);
        }
        buffer.push(b"yyy\nnext\n");
        let lines = all(&mut buffer);
        assert_eq!(lines.len(), 2);
        assert_eq!((lines[0].len(), lines[1].as_str()), (MAX_LINE, "next"));
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let mut buffer = LineBuffer::default();
        buffer.push(b"\xff\xfe ok\n");
        assert_eq!(all(&mut buffer), ["\u{fffd}\u{fffd} ok"]);
    }
}
