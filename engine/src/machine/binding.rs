//! Binding of threads to processors.

use core_affinity::CoreId;
use thiserror::Error;

/// Reason why a thread could not be bound.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum BindError {
    #[error("threads cannot be bound to several processors on this system")]
    Unsupported,
    #[error("the system refused to bind a thread: {0}")]
    Refused(String),
}

/// Number of processors in a mask of the system. Larger numbers cannot be asked for.
const MASK_LENGTH: usize = 1024;

/// Returns the processors available to this process in ascending order; empty if the system does
/// not report them.
///
/// Call it from an unbound thread: the system reports the mask of the calling thread.
pub fn available() -> Vec<usize> {
    core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect()
}

/// Binds the calling thread to these processors, among which the system may move it.
///
/// A single processor works on Linux, Windows and macOS, several only on Linux.
///
/// Errors: the system refused, or has no such call.
pub fn bind_to(cpus: &[usize]) -> Result<(), BindError> {
    if let Some(cpu) = cpus.iter().find(|&&cpu| cpu >= MASK_LENGTH) {
        return Err(BindError::Refused(format!("processor {cpu} is beyond the {MASK_LENGTH} of a mask")));
    }
    match cpus {
        [cpu] if core_affinity::set_for_current(CoreId { id: *cpu }) => Ok(()),
        [_] => Err(BindError::Refused("the processor is not available".to_owned())),
        several => bind_to_several(several),
    }
}

#[cfg(target_os = "linux")]
fn bind_to_several(cpus: &[usize]) -> Result<(), BindError> {
    use rustix::thread::{CpuSet, sched_setaffinity};

    let mut set = CpuSet::new();
    for &cpu in cpus {
        set.set(cpu);
    }
    sched_setaffinity(None, &set).map_err(|error| BindError::Refused(error.to_string()))
}

#[cfg(not(target_os = "linux"))]
fn bind_to_several(_cpus: &[usize]) -> Result<(), BindError> {
    Err(BindError::Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(any(miri, not(target_os = "linux")), ignore = "needs Linux")]
    fn bound_thread_runs_only_on_its_processors() {
        let all = available();
        let bound_to = |cpus: Vec<usize>| {
            let bound = std::thread::spawn(move || bind_to(&cpus).map(|()| available()));
            bound.join().expect("no panic")
        };
        assert_eq!(bound_to(all.clone()), Ok(all.clone()));
        assert_eq!(bound_to(vec![all[0]]), Ok(vec![all[0]]));
        assert_eq!(available(), all, "this thread is not bound");
        assert!(matches!(bound_to(Vec::new()), Err(BindError::Refused(_))));
        assert!(matches!(bound_to(vec![usize::MAX]), Err(BindError::Refused(_))));
        assert!(matches!(bound_to(vec![0, usize::MAX]), Err(BindError::Refused(_))));
    }
}
