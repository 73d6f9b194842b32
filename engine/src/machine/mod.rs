//! The machine as the operating system reports it: processors, memory nodes, huge pages and
//! limits.
//!
//! Everything that depends on the operating system and concerns many processors is here. The files
//! of Linux are read below a root path, so that tests can describe any machine. On other systems,
//! and where a container hides the files, the functions return what is unavailable as an error; the
//! callers do without and report it. The module does not know threads of a search or the hash table.

pub mod binding;
pub mod control_group;
pub mod cpus;
pub mod huge_pages;
pub mod topology;
