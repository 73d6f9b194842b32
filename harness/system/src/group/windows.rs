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

#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    job: Option<Job>,
}

impl Group {
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
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

    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    pub(super) fn kill(&mut self) -> Option<ExitStatus> {
        // The child may not be in the job, so it is killed too.
        drop(self.job.take());
        let _ = self.child.kill();
        self.child.wait().ok()
    }

    #[expect(clippy::unused_self, reason = "the signature of Unix")]
    pub(super) fn processor_time(&self) -> Option<Duration> {
        None
    }

    #[expect(clippy::unused_self, reason = "the signature of Unix")]
    pub(super) fn open_files(&self) -> Option<usize> {
        None
    }
}

pub(super) fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}
