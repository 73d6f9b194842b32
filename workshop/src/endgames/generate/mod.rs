//! Retrograde analysis of one table.
//!
//! Initialization evaluates every position once: legality, mate, and the values of captures and
//! promotions from the successor tables. Then the rounds count plies. In round `n`, a side that can
//! move to a position lost in `n - 1` wins in `n`. A side that can move to a position won in `n -
//! 1` may be lost in `n`, which is confirmed by looking at all its moves. A win by a capture is
//! entered during initialization with its distance and takes effect in its round unless a shorter
//! win is found first. The same applies to a loss that a capture delays. Positions without a value
//! after the last round are draws.
//!
//! The generator processes rows, one 64-bit word at a time (`steps`). Threads share the slices of a
//! table: each writes only to its own, and reads the state of the others that earlier rounds have
//! frozen. The result therefore does not depend on the number of threads.
//!
//! Sources: K. Thompson, "Retrograde Analysis of Certain Endgames" (1986); R. de Man's Syzygy
//! generator, for confirming candidates by a forward search instead of counting moves; M.
//! Bourzutschky and Y. Konoval, for bitboard sets of positions.

mod generator;
mod initialize;
mod moves;
mod rounds;
mod state;

use generator::Generator;
pub(crate) use generator::{GenerateError, generate, generate_releasing};
