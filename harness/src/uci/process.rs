//! Engine processes: started without a shell, in a group of their own, always terminated and reaped.

#![expect(clippy::disallowed_methods, reason = "starts engines")]

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::pipes::Pipes;
use crate::base::cpus::CpuSet;
use crate::base::system::files::allow_many_files;
use crate::base::system::group::Group;
use crate::base::system::launch;
use crate::base::system::streams::Streams;
use crate::config::EngineConfig;

/// First argument that makes the harness binary exec an engine; see [`exec_engine`].
pub const LAUNCH_ARG: &str = "__engine";

/// The way engines are started.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    /// A harness binary that starts engines, so that they end with the harness; where the system
    /// needs none (see [`launch`]) and in tests, `None`.
    pub helper: Option<PathBuf>,
    /// Processors for the engines; all if `None`. Only effective with a helper.
    pub cpus: Option<CpuSet>,
    /// Limit of open files for the engines; that of the harness if `None`. Only effective with a helper.
    pub files: Option<u64>,
}

impl Launcher {
    /// Returns the launcher of a running `harness` binary. It may have many files open from now on; engines keep the limit of
    /// the shell where a helper starts them.
    pub fn of_this_binary() -> Self {
        Self { helper: launch::helper(), cpus: None, files: allow_many_files() }
    }

    /// Returns a launcher that pins engines to these processors, if any.
    pub fn on(&self, cpus: Option<CpuSet>) -> Self {
        Self { cpus, ..self.clone() }
    }

    fn command(&self, config: &EngineConfig) -> Command {
        let mut command = Command::new(self.helper.as_ref().unwrap_or(&config.program));
        if self.helper.is_some() {
            let cpus = self.cpus.as_ref().map(ToString::to_string).unwrap_or_default();
            let files = self.files.as_ref().map(ToString::to_string).unwrap_or_default();
            command.args([LAUNCH_ARG, &std::process::id().to_string(), &cpus, &files]).arg(&config.program);
        }
        command.args(&config.args);
        command
    }
}

/// Replaces this process by the engine `program`, to be killed when its parent dies.
///
/// The harness binary calls this first for `__engine PARENT CPUS FILES PROGRAM ARGS...`, where CPUS is a
/// processor list such as `0,2-3`, and FILES a limit of open files; either may be empty. Both and the death signal survive the
/// exec. So a killed harness leaves no engine behind, not even a hung one. An engine that a script starts without
/// `exec` does not get the signal. Returns only on error.
pub fn exec_engine(parent: &str, cpus: &str, files: &str, program: &Path, args: &[OsString]) -> io::Error {
    if !cpus.is_empty() {
        let pinned = cpus.parse::<CpuSet>().map_err(io::Error::other).and_then(|cpus| cpus.apply());
        if let Err(error) = pinned {
            return io::Error::new(error.kind(), format!("processors {cpus}: {error}"));
        }
    }
    launch::become_child(parent, files.parse().ok(), program, args)
}

/// Starts an engine. Dropping its group kills all its processes and reaps them.
pub(super) fn spawn(config: &EngineConfig, launcher: &Launcher) -> io::Result<(Group, Pipes)> {
    let mut command = launcher.command(config);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(&config.env);
    command.current_dir(config.folder());
    let mut group = Group::spawn(&mut command)?;
    let Some((stdin, stdout, stderr)) = group.take_pipes() else {
        return Err(io::Error::other("the engine has no pipes"));
    };
    Ok((group, Pipes::new(Streams::new(stdin, stdout, stderr)?)))
}

/// Waits up to `grace` for the process to exit, then kills its process group.
///
/// Returns the exit status if the process exited by itself.
pub(super) fn end(process: &mut Group, grace: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + grace;
    let mut pause = Duration::from_millis(1);
    while !process.has_ended() && Instant::now() < deadline {
        std::thread::sleep(pause.min(deadline.saturating_duration_since(Instant::now())));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    let by_itself = process.has_ended();
    // Also after a normal exit: child processes left behind would hold its pipes open.
    process.kill().filter(|_| by_itself)
}
