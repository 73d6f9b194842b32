//! Stretto: a Lazy-SMP chess engine.
//!
//! The layers, each importing only from its left:
//! `types → attacks, zobrist → position → eval, tt, time → search → threads → engine → uci, bench`.

pub mod sync;
pub mod threads;
pub mod tt;
pub mod types;
pub mod uci;
pub mod attacks;
pub mod position;
pub mod types;
pub mod zobrist;
