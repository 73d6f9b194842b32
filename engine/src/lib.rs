//! Stretto: a Lazy-SMP chess engine.
//!
//! The layers, each importing only from its left: `types → attacks, zobrist, sync, files, machine →
//! memory → position → eval, tt, book, tablebase → strength → threads → search → engine → bench,
//! genfens → uci`. A test reads this list and checks every import against it (`tests/layering`).
//!
//! The path of a `go`: `uci::repl` reads the line and `uci::parse` turns it into a command.
//! `engine` builds an immutable [`search::Job`] and hands it to the pool. Each worker enters at
//! `search::run` and runs the iterative deepening of `search::driver::deepening` over the node
//! function in `search::driver::node`. The main worker counts the votes and sends the move to the
//! sink.

pub mod attacks;
pub mod bench;
pub mod book;
pub mod engine;
pub mod eval;
pub mod files;
pub mod genfens;
pub mod machine;
pub mod memory;
pub mod position;
pub mod search;
pub mod strength;
pub mod sync;
pub mod tablebase;
pub mod threads;
pub mod tt;
pub mod types;
pub mod uci;
pub mod zobrist;
