//! The three pipes of a child process, with deadlines for reads and writes.

#[cfg(unix)]
mod poll;
#[cfg(any(windows, test))]
#[cfg_attr(not(windows), expect(unreachable_pub, reason = "public on Windows; tested everywhere"))]
mod threads;

#[cfg(unix)]
pub use poll::Streams;
#[cfg(windows)]
pub use threads::Streams;

/// An output of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output, with the protocol of the engine.
    Stdout,
    /// Standard error, which goes to the log.
    Stderr,
}

/// The outputs that have bytes to read, or are at their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Whether a read of standard output returns at once.
    pub stdout: bool,
    /// Whether a read of standard error returns at once.
    pub stderr: bool,
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::ErrorKind;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::super::group::Group;
    use super::*;

    const PATIENCE: Duration = Duration::from_mins(1);

    fn shell(script: &str) -> Group {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Group::spawn(&mut command).unwrap()
    }

    /// Tests of an implementation; both pass the same.
    macro_rules! tests_of {
        ($name:ident, $streams:ty) => {
            mod $name {
                use super::*;

                fn start(script: &str) -> (Group, $streams) {
                    let mut group = shell(script);
                    let (stdin, stdout, stderr) = group.take_pipes().unwrap();
                    (group, <$streams>::new(stdin, stdout, stderr).unwrap())
                }

                /// Reads an output up to its end.
                fn read_all(streams: &mut $streams, output: Output) -> String {
                    let (mut text, mut buffer, start) = (Vec::new(), [0; 7], Instant::now());
                    while streams.is_open(output) {
                        assert!(start.elapsed() < PATIENCE, "no end of the output");
                        match streams.read(output, &mut buffer) {
                            Ok(count) => text.extend_from_slice(&buffer[..count]),
                            Err(error) => {
                                assert_eq!(error.kind(), ErrorKind::WouldBlock);
                                streams.wait(Duration::from_millis(5)).unwrap();
                            }
                        }
                    }
                    String::from_utf8(text).unwrap()
                }

                #[test]
                fn input_and_both_outputs_arrive_whole() {
                    let (_group, mut streams) = start("cat; echo an error >&2");
                    let text = "a line of the harness\n".repeat(20);
                    streams.write_all(text.as_bytes(), Instant::now() + PATIENCE).unwrap();
                    assert!(streams.wait(PATIENCE).unwrap().stdout);
                    streams.close_input();
                    assert_eq!(read_all(&mut streams, Output::Stdout), text);
                    assert_eq!(read_all(&mut streams, Output::Stderr), "an error\n");
                }

                #[test]
                fn wait_ends_in_time_without_output() {
                    let (_group, mut streams) = start("exec sleep 60");
                    let ready = streams.wait(Duration::from_millis(20)).unwrap();
                    assert_eq!(ready, Ready { stdout: false, stderr: false });
                    let error = streams.read(Output::Stdout, &mut [0; 8]).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::WouldBlock);
                }

                #[test]
                fn write_to_a_full_pipe_times_out() {
                    let (_group, mut streams) = start("exec sleep 60");
                    let text = vec![b'x'; 1 << 20];
                    for _ in 0..2 {
                        let deadline = Instant::now() + Duration::from_millis(20);
                        assert_eq!(
                            streams.write_all(&text, deadline).unwrap_err().kind(),
                            ErrorKind::TimedOut
                        );
                    }
                }

                #[test]
                fn posted_line_arrives_and_a_full_pipe_refuses_it() {
                    let (_group, mut streams) = start("head -n 2");
                    for line in [&b"isready\n"[..], b"stop\n"] {
                        let start = Instant::now();
                        while !streams.post(line).unwrap() {
                            assert!(start.elapsed() < PATIENCE, "the pipe stays full");
                        }
                    }
                    assert_eq!(read_all(&mut streams, Output::Stdout), "isready\nstop\n");
                    let (_group, mut streams) = start("exec sleep 60");
                    let deadline = Instant::now() + Duration::from_millis(20);
                    streams.write_all(&vec![b'x'; 1 << 20], deadline).unwrap_err();
                    assert!(!streams.post(b"isready\n").unwrap());
                }

                #[test]
                fn write_after_the_exit_reports_a_broken_pipe() {
                    let (mut group, mut streams) = start("exit 3");
                    let start = Instant::now();
                    while !group.has_ended() {
                        assert!(start.elapsed() < PATIENCE, "the shell does not exit");
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    // A process that another test is just starting may hold the pipe until it becomes its program.
                    let error = loop {
                        match streams.write_all(b"isready\n", Instant::now() + PATIENCE) {
                            Ok(_) => assert!(start.elapsed() < PATIENCE, "the pipe stays open"),
                            Err(error) => break error,
                        }
                    };
                    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
                    assert_eq!(group.kill().unwrap().code(), Some(3));
                }
            }
        };
    }

    tests_of!(with_poll, super::super::poll::Streams);
    tests_of!(with_threads, super::super::threads::Streams);
}
