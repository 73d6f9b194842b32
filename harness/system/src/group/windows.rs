//! Groups of Windows: job objects.
//!
//! The job is closed, and with it all its processes end, when the last handle to it goes: at a
//! kill, or with the harness, however that ends.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use win32job::{ExtendedLimitInfo, Job};

/// Flag of `CreateProcess`: Ctrl-C in the console of the harness does not reach the child.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// A child process and its descendants. Dropping it kills all of them and reaps the child.
#[derive(Debug)]
pub struct Group {
    child: Child,
    job: Option<Job>,
}

impl Group {
    /// Starts a command in a group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close());
        let job = job.map_err(io::Error::other)?;
        let child = command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
        let mut group = Self { child, job: Some(job) };
        group.adopt().inspect_err(|_| {
            let _ = group.child.kill();
        })?;
        Ok(group)
    }

    /// Puts the child into the job. A child that has exited already cannot join.
    fn adopt(&mut self) -> io::Result<()> {
        let handle = self.child.as_raw_handle() as isize;
        let joined = self.job.as_ref().map_or(Ok(()), |job| job.assign_process(handle));
        match joined {
            Err(error) if !self.has_ended() => Err(io::Error::other(error)),
            _ => Ok(()),
        }
    }

    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Returns whether the child has exited. Its descendants may still run.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Kills the group and reaps the child.
    ///
    /// Returns the exit status of the child, also if it was killed by this call.
    pub fn kill(&mut self) -> Option<ExitStatus> {
        // The child may not be in the job, so it is killed too.
        drop(self.job.take());
        let _ = self.child.kill();
        self.child.wait().ok()
    }

    /// Returns the CPU time of the group; `None` if the system does not report it.
    ///
    /// Exact while the group is idle.
    pub fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// Returns the number of files that the group has open; `None` if the system does not report
    /// it.
    pub fn open_files(&self) -> Option<usize> {
        None
    }
}

pub(super) fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}
