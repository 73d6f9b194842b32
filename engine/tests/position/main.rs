//! Positions and moves: notations, exchanges and opening books, compared to published collections.
//!
//! One program for all of them, because each one is linked with the whole engine.

#[path = "../data/mod.rs"]
mod data;

mod book;
mod fen;
mod san;
mod see;
