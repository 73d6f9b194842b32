//! Stretto: a Lazy-SMP chess engine.
//!
//! The layers, each importing only from its left: `types → attacks, zobrist, sync, memory, files → position → eval, tt,
//! book, tablebase, time, strength → threads → search → engine → bench, genfens → uci`.
//!
//! A `go` travels like this: `uci::repl` reads the line, `uci::parse` makes it a command, `engine` freezes a
//! [`search::Job`] and hands it to the pool, each worker deepens in `search::driver::deepening` over the node
//! function in `search::driver::pvs`, and the main worker counts the votes and tells the sink the move.

pub mod attacks;
pub mod bench;
pub mod book;
pub mod engine;
pub mod eval;
pub mod files;
pub mod genfens;
pub mod memory;
pub mod position;
pub mod search;
pub mod strength;
pub mod sync;
pub mod tablebase;
pub mod threads;
pub mod time;
pub mod tt;
pub mod types;
pub mod uci;
pub mod zobrist;
