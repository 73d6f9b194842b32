//! Pipes where no call waits for several of them, as on Windows: a thread for each pipe.
//!
//! The threads end with their pipes, which the kill of the child closes. A reader stops while its
//! chunks are not read, so an engine that never stops printing is slowed down as by a full pipe.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::{Output, Ready};

/// Length of a read. Units: bytes.
const CHUNK: usize = 64 * 1024;
/// Number of chunks that the readers are ahead.
const AHEAD: usize = 4;

/// The harness's ends of the pipes of a child process.
#[derive(Debug)]
pub struct Streams {
    stdin: Option<Writer>,
    events: Receiver<(Output, Chunk)>,
    /// The queues of standard output and standard error, in the order of [`Output`].
    queues: [Queue; 2],
}

/// Bytes of an output, or the error that ended it. Empty at its end.
type Chunk = io::Result<Vec<u8>>;

/// The chunks of an output that were not read yet.
#[derive(Debug, Default)]
struct Queue {
    chunks: VecDeque<Chunk>,
    /// Bytes of the first chunk that were read.
    consumed: usize,
    is_closed: bool,
}

/// The thread that writes to the child.
#[derive(Debug)]
struct Writer {
    texts: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    /// Whether a text that was not written in time is still being written.
    is_busy: bool,
}

impl Streams {
    /// Takes over the pipes of a child process.
    ///
    /// Errors: the system cannot prepare them.
    pub fn new(stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> io::Result<Self> {
        let (sender, events) = sync_channel(AHEAD);
        start_reader(stdout, Output::Stdout, sender.clone())?;
        start_reader(stderr, Output::Stderr, sender)?;
        Ok(Self { stdin: Some(Writer::start(stdin)?), events, queues: <[Queue; 2]>::default() })
    }

    /// Writes all of `bytes`. Returns true: the pipe may have been full for a while, which is unknown here.
    ///
    /// Errors: `TimedOut` if the pipe is still full at `deadline`; `BrokenPipe` if it is closed.
    pub fn write_all(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<bool> {
        let Some(stdin) = &mut self.stdin else { return Err(ErrorKind::BrokenPipe.into()) };
        stdin.write_all(bytes, deadline).map(|()| true)
    }

    /// Hands a line to the writer without waiting; returns whether it was free.
    ///
    /// Errors: `BrokenPipe` if the pipe is closed.
    pub fn post(&mut self, line: &[u8]) -> io::Result<bool> {
        let Some(stdin) = &mut self.stdin else { return Err(ErrorKind::BrokenPipe.into()) };
        stdin.post(line)
    }

    /// Closes the child's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Whether this output is still open on the harness's side.
    pub fn is_open(&self, output: Output) -> bool {
        !self.queues[output as usize].is_closed
    }

    /// Waits at most `time` for output.
    #[cfg_attr(
        not(windows),
        expect(clippy::unnecessary_wraps, reason = "the signature of the implementation with `poll`")
    )]
    pub fn wait(&mut self, time: Duration) -> io::Result<Ready> {
        let deadline = Instant::now() + time;
        // Stderr alone does not end the wait: the last line of stdout may be on its way from its
        // reader when the child has exited.
        while self.waiting(Output::Stdout) == 0 && self.waiting(Output::Stderr) < AHEAD {
            match self.events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((output, chunk)) => self.queues[output as usize].chunks.push_back(chunk),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
                    break;
                }
            }
        }
        Ok(Ready { stdout: self.waiting(Output::Stdout) > 0, stderr: self.waiting(Output::Stderr) > 0 })
    }

    /// Reads available bytes without waiting, at most one buffer; zero at the end of the output.
    ///
    /// Errors: `WouldBlock` if there are none.
    pub fn read(&mut self, output: Output, buffer: &mut [u8]) -> io::Result<usize> {
        if self.waiting(output) == 0 {
            self.receive_available();
        }
        self.queues[output as usize].read(buffer)
    }

    /// Returns the number of chunks that were not read yet.
    fn waiting(&self, output: Output) -> usize {
        self.queues[output as usize].chunks.len()
    }

    /// Takes the chunks that the readers have sent. A limit, because they may never stop.
    fn receive_available(&mut self) {
        for _ in 0..=AHEAD {
            let Ok((output, chunk)) = self.events.try_recv() else { return };
            self.queues[output as usize].chunks.push_back(chunk);
        }
    }
}

impl Queue {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(0);
        }
        let bytes = match self.chunks.front() {
            None => return Err(ErrorKind::WouldBlock.into()),
            Some(Ok(bytes)) if !bytes.is_empty() => bytes,
            Some(_) => {
                self.is_closed = true;
                return self.chunks.pop_front().map_or(Ok(0), |end| end.map(|_| 0));
            }
        };
        let rest = &bytes[self.consumed..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.consumed += count;
        if self.consumed == bytes.len() {
            self.chunks.pop_front();
            self.consumed = 0;
        }
        Ok(count)
    }
}

fn start_reader(
    mut pipe: impl Read + Send + 'static,
    output: Output,
    events: SyncSender<(Output, Chunk)>,
) -> io::Result<()> {
    let read = move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            let chunk = match pipe.read(&mut buffer) {
                Ok(count) => Ok(buffer[..count].to_vec()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = chunk.as_ref().map_or(true, Vec::is_empty);
            if events.send((output, chunk)).is_err() || is_over {
                return;
            }
        }
    };
    std::thread::Builder::new().name("reader".to_owned()).spawn(read).map(|_| ())
}

impl Writer {
    fn start(mut pipe: impl Write + Send + 'static) -> io::Result<Self> {
        let (texts, requests) = sync_channel::<Vec<u8>>(1);
        let (done, written) = sync_channel(1);
        let write = move || {
            for text in requests {
                let result = pipe.write_all(&text).and_then(|()| pipe.flush());
                if done.send(result).is_err() {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("writer".to_owned()).spawn(write)?;
        Ok(Self { texts, written, is_busy: false })
    }

    fn write_all(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        if self.is_busy {
            self.await_written(deadline)?;
        }
        self.hand_over(bytes)?;
        self.await_written(deadline)
    }

    fn post(&mut self, line: &[u8]) -> io::Result<bool> {
        if self.is_busy {
            match self.await_written(Instant::now()) {
                Err(error) if error.kind() == ErrorKind::TimedOut => return Ok(false),
                written => written?,
            }
        }
        self.hand_over(line).map(|()| true)
    }

    fn hand_over(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.is_busy = true;
        self.texts.send(bytes.to_vec()).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    fn await_written(&mut self, deadline: Instant) -> io::Result<()> {
        match self.written.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(result) => {
                self.is_busy = false;
                result.map_err(as_broken)
            }
            Err(RecvTimeoutError::Timeout) => Err(ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => Err(ErrorKind::BrokenPipe.into()),
        }
    }
}

/// Windows has several errors for a pipe whose reader is gone.
fn as_broken(error: io::Error) -> io::Error {
    const ERROR_NO_DATA: i32 = 232;
    const ERROR_PIPE_NOT_CONNECTED: i32 = 233;
    let is_broken =
        cfg!(windows) && matches!(error.raw_os_error(), Some(ERROR_NO_DATA | ERROR_PIPE_NOT_CONNECTED));
    if is_broken { ErrorKind::BrokenPipe.into() } else { error }
}
