//! Requests to stop: SIGINT, SIGTERM and SIGHUP; on Windows Ctrl-C, Ctrl-Break and the closing of
//! the console.

use std::io;

/// Calls `handle` in a thread of its own for each request. Only one handler can be installed.
pub fn on_stop_request(handle: impl FnMut() + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(handle).map_err(io::Error::other)
}
