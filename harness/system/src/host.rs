//! Names of this machine, its system and its processor, and the CPU time of this process.

use std::time::Duration;

/// Returns the name of the machine; `unknown` if the system does not report it.
#[cfg(unix)]
pub fn name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Returns the name of the machine; `unknown` if the system does not report it.
#[cfg(windows)]
pub fn name() -> String {
    variable("COMPUTERNAME")
}

/// Returns operating system, release and architecture.
#[cfg(unix)]
pub fn system() -> String {
    let uname = rustix::system::uname();
    let words = [uname.sysname(), uname.release(), uname.machine()];
    words.map(|word| word.to_string_lossy().into_owned()).join(" ")
}

/// Returns operating system and architecture.
#[cfg(windows)]
pub fn system() -> String {
    format!("{} {}", variable("OS"), std::env::consts::ARCH)
}

/// Returns the model of the processor, as the system names it; `unknown` if it does not.
#[cfg(unix)]
pub fn cpu_model() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split_once(':')).map_or("unknown", |(_, model)| model.trim()).to_owned()
}

/// Returns the model of the processor, as the system names it; `unknown` if it does not.
#[cfg(windows)]
pub fn cpu_model() -> String {
    variable("PROCESSOR_IDENTIFIER")
}

#[cfg(windows)]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| "unknown".to_owned())
}

/// Returns the CPU time of all threads of this process; zero if the system does not report it.
pub fn processor_time() -> Duration {
    cpu_time::ProcessTime::try_now().map(|time| time.as_duration()).unwrap_or_default()
}
