//! The CPU time of this process.

use std::time::Duration;

/// Returns the CPU time that all threads of the process have used, ended ones included; `None` where it
/// cannot be read.
#[cfg(target_os = "linux")]
pub fn cpu_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};

    let used = clock_gettime(ClockId::ProcessCPUTime);
    Some(Duration::new(used.tv_sec.try_into().ok()?, used.tv_nsec.try_into().ok()?))
}

/// Returns the CPU time that all threads of the process have used; `None` where it cannot be read.
#[cfg(not(target_os = "linux"))]
pub fn cpu_time() -> Option<Duration> {
    None
}
