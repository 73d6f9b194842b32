//! Requests to stop: SIGINT, SIGTERM and SIGHUP; on Windows Ctrl-C, Ctrl-Break and the closing of
//! the console.

use std::io;
use std::process::Child;

/// Calls `handle` in a thread of its own for each request. Only one handler can be installed.
pub fn on_stop_request(handle: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handle).map_err(io::Error::other)
}

/// Asks a program that was started to stop. On Windows nothing is sent: Ctrl-C reaches all programs of a console.
pub fn request_stop(child: &Child) {
    #[cfg(unix)]
    {
        // A program that has just ended needs no signal.
        let pid = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
    }
    #[cfg(not(unix))]
    let _ = child;
}
