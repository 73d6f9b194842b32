//! Histories: move ordering learned from earlier cutoffs.
//!
//! Bet: a move that refuted one position refutes similar ones, and a move that failed once fails
//! again. Each table has its own similarity: same squares (`butterfly`), same previous moves
//! (`continuation`), same pawns (`pawn`), same piece and victim (`capture`).
//! Preconditions: none.
//! Soundness: ordering only; reductions and pruning also read the sums, and those are unsound.
//! Knobs: `History*`, `Malus*`, `EvalHistory*`, `FailLowBonus`, `ContinuationFar`,
//! `ButterflyWeight`, `PawnHistoryWeight`, `CaptureHistoryWeight`.
//! Source: Schaeffer, "The history heuristic" (1983); bounded updates (gravity) and the malus are
//! standard.
//! Evidence: `results/search.md`, "Groups".

mod butterfly;
mod capture;
pub(in crate::search) mod context;
mod continuation;
pub(in crate::search) mod histories;
pub(in crate::search) mod memory;
mod pawn;
