//! A child process together with the processes it starts: they end together.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::time::Duration;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// A child process and its descendants. Dropping it kills all of them and reaps the child.
#[derive(Debug)]
pub struct Group(system::Group);

impl Group {
    /// Starts a command in a group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        system::Group::spawn(command).map(Self)
    }

    /// Returns the harness's ends of stdin, stdout and stderr; `None` if they are not piped, or
    /// taken.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let child = self.0.child();
        Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?))
    }

    /// Returns whether the child has exited. Its descendants may still run.
    pub fn has_ended(&mut self) -> bool {
        self.0.has_ended()
    }

    /// Kills the group and reaps the child.
    ///
    /// Returns the exit status of the child, also if it was killed by this call.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        self.0.kill()
    }

    /// Returns the CPU time of the group; `None` if the system does not report it.
    ///
    /// Exact while the group is idle.
    pub fn processor_time(&self) -> Option<Duration> {
        self.0.processor_time()
    }

    /// Returns the number of files that the group has open; `None` if the system does not report
    /// it.
    pub fn open_files(&self) -> Option<usize> {
        self.0.open_files()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// The signal with which the kernel ends processes when memory runs out.
const KILL: i32 = 9;

/// Returns a text such as `exited with code 3` or `was killed by signal 11`.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), system::signal_of(status)) {
        // On Windows a fault ends a process with a status code such as 0xC0000005.
        (Some(code), _) if code < 0 => format!("exited with code {code:#010X}"),
        (Some(code), _) => format!("exited with code {code}"),
        // Callers describe ends that the harness did not cause.
        (None, Some(KILL)) => {
            format!("was killed by signal {KILL} (perhaps by the kernel for lack of memory; see dmesg)")
        }
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn kill_that_the_kernel_may_have_sent_has_a_hint() {
        let of = |status| describe_exit(ExitStatus::from_raw(status));
        assert_eq!(of(6), "was killed by signal 6");
        assert_eq!(of(9), "was killed by signal 9 (perhaps by the kernel for lack of memory; see dmesg)");
        assert_eq!(of(3 << 8), "exited with code 3");
    }
}
