//! The `stretto` binary as a process, driven the way a GUI, a match tool or a broken pipe would.

mod book;
mod commandline;
mod compliance;
mod driver;
mod faults;
mod input;
mod openbench;
mod published;
mod rules;
mod searching;
mod soak;
mod strength;
mod tables;
