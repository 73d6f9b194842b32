//! The tree searches, from the negamax oracle to the principal variation search that plays.
//!
//! All compute the minimax score of a fixed depth. With every unsound heuristic off, TT cutoffs among
//! them, they return the same score (`tests/drivers.rs`).
//!
//! The node function of principal variation search is in `node`: it assesses the node (`assess`),
//! prunes it (`node_pruning`), extends the TT move (`singular_search`) and searches the moves
//! (`moves`).

mod alphabeta;
mod assess;
mod deepening;
mod learning;
mod move_pruning;
mod moves;
mod mtd;
mod negamax;
mod node;
mod node_pruning;
mod play;
mod relay;
mod root;
mod singular_search;
#[cfg(test)]
mod tests;
