//! Engine processes: started without a shell, in their own process group, always terminated and
//! reaped.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getppid, kill_process_group, set_parent_process_death_signal, waitid,
};

use super::pipes::Pipes;
use super::processor_time;
use crate::base::cpus::CpuSet;
use crate::config::EngineConfig;

/// First argument that makes the harness binary exec an engine; see [`exec_engine`].
pub const LAUNCH_ARG: &str = "__engine";

/// The way engines are started.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    /// A harness binary that ties the engine's lifetime to the harness. Without it an engine only
    /// notices its closed input.
    pub helper: Option<PathBuf>,
    /// Processors for the engines; all if `None`. Only effective with a helper.
    pub cpus: Option<CpuSet>,
}

impl Launcher {
    /// Returns the launcher of a running `harness` binary.
    ///
    /// `/proc/self/exe` is resolved in the child and stays valid when the binary is rebuilt during
    /// a match.
    pub fn of_this_binary() -> Self {
        let helper = PathBuf::from("/proc/self/exe");
        Self { helper: helper.exists().then_some(helper), cpus: None }
    }

    /// Returns a launcher that pins engines to these processors, if any.
    pub fn on(&self, cpus: Option<CpuSet>) -> Self {
        Self { helper: self.helper.clone(), cpus }
    }

    fn command(&self, config: &EngineConfig) -> Command {
        let Some(helper) = &self.helper else {
            let mut command = Command::new(&config.program);
            command.args(&config.args);
            return command;
        };
        let mut command = Command::new(helper);
        let cpus = self.cpus.as_ref().map(ToString::to_string).unwrap_or_default();
        command.arg(LAUNCH_ARG).arg(std::process::id().to_string()).arg(cpus);
        command.arg(&config.program).args(&config.args);
        command
    }
}

/// Replaces this process by the engine `program`, to be killed when its parent dies.
///
/// The harness binary calls this first for `__engine PARENT CPUS PROGRAM ARGS...`, where CPUS is a
/// processor list such as `0,2-3`, or empty. The death signal and the affinity survive the exec, so
/// a harness that is killed leaves no engine behind, not even a hung one. Returns only on error.
pub fn exec_engine(parent: &str, cpus: &str, program: &Path, args: &[std::ffi::OsString]) -> io::Error {
    if !cpus.is_empty() {
        let pinned = cpus.parse::<CpuSet>().map_err(io::Error::other).and_then(|cpus| cpus.apply());
        if let Err(error) = pinned {
            return io::Error::new(error.kind(), format!("processors {cpus}: {error}"));
        }
    }
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // The parent may have died before the call above.
    if getppid().map(|pid| pid.as_raw_nonzero().to_string()).as_deref() != Some(parent) {
        return io::Error::other("the harness has exited");
    }
    Command::new(program).args(args).exec()
}

/// A running engine process. Dropping it kills the process group and reaps the process.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Pid,
    is_reaped: bool,
}

impl Process {
    pub(super) fn spawn(config: &EngineConfig, launcher: &Launcher) -> io::Result<(Self, Pipes)> {
        let mut command = launcher.command(config);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(&config.env).process_group(0);
        if let Some(folder) = &config.working_dir {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Pid::from_child(&child);
        let process = Self { child, group, is_reaped: false };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("the engine has no pipes"));
        };
        Ok((process, Pipes::new(stdin, stdout, stderr)?))
    }

    /// Returns whether the process has exited. It is not reaped yet, so its process group ID stays
    /// valid.
    pub(super) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.is_reaped || waitid(WaitId::Pid(self.group), options).is_ok_and(|status| status.is_some())
    }

    /// Returns the CPU time of the process group; `None` if the system does not report it.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        processor_time::of_group(self.group)
    }

    /// Returns the number of files that the process group has open; `None` if the system does not
    /// report it.
    pub(super) fn open_files(&self) -> Option<usize> {
        processor_time::open_files(self.group)
    }

    /// Waits up to `grace` for the process to exit, then kills its process group.
    ///
    /// Returns the exit status if the process exited by itself.
    pub(super) fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + grace;
        let mut pause = Duration::from_millis(1);
        while !self.has_ended() && Instant::now() < deadline {
            std::thread::sleep(pause.min(deadline.saturating_duration_since(Instant::now())));
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        let by_itself = self.has_ended();
        // Also after a normal exit: child processes left behind would hold its pipes open.
        let _ = kill_process_group(self.group, Signal::KILL);
        let status = self.child.wait().ok();
        self.is_reaped = true;
        status.filter(|_| by_itself)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.end(Duration::ZERO);
        }
    }
}

/// Returns a text such as `exited with code 3` or `was killed by signal 11`.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}
