//! The processors that this process may use, and pinning to some of them. Linux only.

use std::io;

/// Whether processes can be pinned on this system.
pub const IS_SUPPORTED: bool = cfg!(target_os = "linux");

/// Returns the processors that this process may use; empty if the system does not report them.
#[cfg(target_os = "linux")]
pub fn available() -> Vec<usize> {
    core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect()
}

/// Returns the processors that this process may use; empty if the system does not report them.
#[cfg(not(target_os = "linux"))]
pub fn available() -> Vec<usize> {
    Vec::new()
}

/// Pins the calling thread, and every thread and process it starts from now on, to these
/// processors.
#[cfg(target_os = "linux")]
pub fn pin(cpus: &[usize]) -> io::Result<()> {
    use core_affinity::{CoreId, set_for_current};
    use rustix::thread::{CpuSet, sched_setaffinity};

    if let &[id] = cpus
        && set_for_current(CoreId { id })
    {
        return Ok(());
    }
    let mut mask = CpuSet::new();
    for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
        mask.set(cpu);
    }
    Ok(sched_setaffinity(None, &mask)?)
}

/// Pins the calling thread, and every thread and process it starts from now on, to these
/// processors.
#[cfg(not(target_os = "linux"))]
pub fn pin(_cpus: &[usize]) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "pinning to processors needs Linux"))
}
