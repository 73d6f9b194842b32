//! The CPU time of this process.

use std::time::Duration;

/// Returns the CPU time that all threads of the process have used, ended ones included; `None` where it
/// cannot be read.
pub fn cpu_time() -> Option<Duration> {
    ::cpu_time::ProcessTime::try_now().ok().map(|time| time.as_duration())
}
