//! The `stretto` binary.

fn main() {}
