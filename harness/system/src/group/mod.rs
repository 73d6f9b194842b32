//! A child process together with the processes it starts: they end together.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};

#[cfg(unix)]
pub use unix::Group;
#[cfg(unix)]
use unix::signal_of;
#[cfg(windows)]
pub use windows::Group;
#[cfg(windows)]
use windows::signal_of;

impl Group {
    /// Returns the harness's ends of stdin, stdout and stderr; `None` if they are not piped, or
    /// taken.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let child = self.child();
        Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The signal with which the kernel ends processes when memory runs out.
const KILL: i32 = 9;

/// Returns a text such as `exited with code 3` or `was killed by signal 11`.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
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
