//! Pipes of Unix without threads: non-blocking reads and writes, and `poll` to wait.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::{Output, Ready};

/// The harness's ends of the pipes of a child process.
#[derive(Debug)]
pub struct Streams {
    stdin: Option<File>,
    /// Standard output and standard error, in the order of [`Output`]; `None` after the end.
    outputs: [Option<File>; 2],
}

impl Streams {
    /// Takes over the pipes of a child process.
    ///
    /// Errors: the system cannot prepare them.
    pub fn new(stdin: ChildStdin, stdout: ChildStdout, stderr: ChildStderr) -> io::Result<Self> {
        Ok(Self {
            stdin: Some(without_blocking(stdin.into())?),
            outputs: [Some(without_blocking(stdout.into())?), Some(without_blocking(stderr.into())?)],
        })
    }

    /// Writes all of `bytes`. Returns whether the pipe was full for a while.
    ///
    /// Errors: `TimedOut` if the pipe is still full at `deadline`; `BrokenPipe` if it is closed.
    pub fn write_all(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<bool> {
        let Some(stdin) = &mut self.stdin else { return Err(ErrorKind::BrokenPipe.into()) };
        let (mut rest, mut has_waited) = (bytes, false);
        while !rest.is_empty() {
            match stdin.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(ErrorKind::TimedOut.into());
                    }
                    has_waited = true;
                    wait_for(&mut [PollFd::new(stdin, PollFlags::OUT)], left)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(has_waited)
    }

    /// Writes a line without waiting; returns whether the pipe took it. Pipes take so little whole or not at all.
    ///
    /// Errors: `BrokenPipe` if it is closed.
    pub fn post(&mut self, line: &[u8]) -> io::Result<bool> {
        let Some(stdin) = &mut self.stdin else { return Err(ErrorKind::BrokenPipe.into()) };
        match stdin.write(line) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Closes the child's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Whether this output is still open on the harness's side.
    pub fn is_open(&self, output: Output) -> bool {
        self.outputs[output as usize].is_some()
    }

    /// Waits at most `time` for output.
    pub fn wait(&mut self, time: Duration) -> io::Result<Ready> {
        let open = self.outputs.iter().flatten();
        let mut fds: Vec<PollFd<'_>> = open.map(|file| PollFd::new(file, PollFlags::IN)).collect();
        wait_for(&mut fds, time)?;
        let mut events = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut is_ready = |file: &Option<File>| file.is_some() && events.next().unwrap_or(false);
        let [stdout, stderr] = &self.outputs;
        Ok(Ready { stdout: is_ready(stdout), stderr: is_ready(stderr) })
    }

    /// Reads available bytes without waiting, at most one buffer; zero at the end of the output.
    ///
    /// Errors: `WouldBlock` if there are none.
    pub fn read(&mut self, output: Output, buffer: &mut [u8]) -> io::Result<usize> {
        let file = &mut self.outputs[output as usize];
        let Some(open) = file else { return Ok(0) };
        let result = open.read(buffer);
        let is_over = match &result {
            Ok(count) => *count == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        if is_over {
            *file = None;
        }
        result
    }
}

fn without_blocking(fd: OwnedFd) -> io::Result<File> {
    let flags = fcntl_getfl(&fd)?;
    fcntl_setfl(&fd, flags | OFlags::NONBLOCK)?;
    Ok(File::from(fd))
}

fn wait_for(fds: &mut [PollFd<'_>], time: Duration) -> io::Result<()> {
    let timeout = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
