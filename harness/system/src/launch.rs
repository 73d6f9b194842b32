//! Engines that end with the harness, however the harness ends.
//!
//! On Linux an engine is started by a copy of the harness, which asks the kernel to kill the
//! process when its parent dies, and then becomes the engine. On Windows the job object of
//! [`super::group`] has that effect. On other systems an engine only sees the end of its input.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::disallowed_methods, reason = "replaces this process by the engine")
)]

#[cfg(target_os = "linux")]
use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use super::busy::retry_while_busy;

/// Returns the running harness binary if engines must be started by it.
///
/// `/proc/self/exe` is resolved in the child and stays valid when the binary is rebuilt during a
/// match.
pub fn helper() -> Option<PathBuf> {
    let helper = PathBuf::from("/proc/self/exe");
    (cfg!(target_os = "linux") && helper.exists()).then_some(helper)
}

/// Replaces this process by `program`, to be killed when `parent` dies, with the limit `files` of open files, if any. Returns
/// only on error.
///
/// The death signal and the limit survive the exec.
#[cfg(target_os = "linux")]
pub fn become_child(parent: &str, files: Option<u64>, program: &Path, args: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt;

    use rustix::process::{Resource, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    limit.current = files.or(limit.current);
    let prepared =
        setrlimit(Resource::Nofile, limit).and_then(|()| set_parent_process_death_signal(Some(Signal::KILL)));
    if let Err(error) = prepared {
        return error.into();
    }
    // The parent may have died before the call above.
    if getppid().map(|pid| pid.as_raw_nonzero().to_string()).as_deref() != Some(parent) {
        return io::Error::other("the harness has exited");
    }
    let mut command = std::process::Command::new(program);
    command.args(args);
    match retry_while_busy(|| -> io::Result<Infallible> { Err(command.exec()) }) {
        Err(error) => error,
    }
}

/// Replaces this process by `program`. Returns only on error.
#[cfg(not(target_os = "linux"))]
pub fn become_child(_parent: &str, _files: Option<u64>, _program: &Path, _args: &[OsString]) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "engines are started directly on this system")
}
