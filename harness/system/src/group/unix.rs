//! Groups of Unix: process groups.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::super::busy::retry_while_busy;
use super::super::processor_time;

/// A child process and its descendants. Dropping it kills all of them and reaps the child.
#[derive(Debug)]
pub struct Group {
    child: Child,
    id: Pid,
    is_reaped: bool,
}

impl Group {
    /// Starts a command in a group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        command.process_group(0);
        let child = retry_while_busy(|| command.spawn())?;
        let id = Pid::from_child(&child);
        Ok(Self { child, id, is_reaped: false })
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns whether the child has exited. Its descendants may still run.
    /// The child is not reaped, so the ID of its group stays valid.
    pub fn has_ended(&mut self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.is_reaped || waitid(WaitId::Pid(self.id), options).is_ok_and(|status| status.is_some())
    }

    /// Kills the group and reaps the child.
    ///
    /// Returns the exit status of the child, also if it was killed by this call.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        if !self.is_reaped {
            // Also after a normal exit: processes left behind would hold the pipes open.
            let _ = kill_process_group(self.id, Signal::KILL);
            self.is_reaped = true;
        }
        self.child.wait().ok()
    }

    /// Returns the CPU time of the group; `None` if the system does not report it.
    ///
    /// Exact while the group is idle.
    pub fn processor_time(&self) -> Option<Duration> {
        processor_time::of_group(self.id.as_raw_nonzero().get())
    }

    /// Returns the number of files that the group has open; `None` if the system does not report
    /// it.
    pub fn open_files(&self) -> Option<usize> {
        processor_time::open_files(self.id.as_raw_nonzero().get())
    }
}

pub(super) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}
