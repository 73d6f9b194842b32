//! Starts of programs that have just been written.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Time after which the start of a program that is still open for writing fails.
const LIMIT: Duration = Duration::from_secs(1);

/// Calls `start` until the program is no longer open for writing, for a second at most.
///
/// A build or a copy that has ended may be open a little longer: a process that was started beside it inherits the
/// file, and closes it only when it becomes its own program.
///
/// # Errors
///
/// The error of the last call.
pub(super) fn retry_while_busy<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let began = Instant::now();
    loop {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && began.elapsed() < LIMIT => {
                thread::sleep(Duration::from_millis(10));
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_program_is_awaited_and_other_errors_are_returned_at_once() {
        let mut starts = 0;
        let started = retry_while_busy(|| {
            starts += 1;
            if starts < 3 { Err(io::ErrorKind::ExecutableFileBusy.into()) } else { Ok(starts) }
        });
        assert_eq!(started.unwrap(), 3);
        let failed: io::Result<()> = retry_while_busy(|| {
            starts += 1;
            Err(io::ErrorKind::NotFound.into())
        });
        assert_eq!((failed.unwrap_err().kind(), starts), (io::ErrorKind::NotFound, 4));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn program_that_stays_open_for_writing_is_an_error() {
        use std::os::unix::fs::PermissionsExt;

        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let writer = std::fs::File::options().append(true).open(&program).unwrap();
        let error = retry_while_busy(|| std::process::Command::new(&program).spawn()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ExecutableFileBusy);
        drop(writer);
        assert!(retry_while_busy(|| std::process::Command::new(&program).status()).unwrap().success());
    }
}
