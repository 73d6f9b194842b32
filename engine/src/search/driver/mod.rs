//! Ways to walk the tree, from the oracle to the one that plays.
//!
//! All answer the same question, the minimax value of a fixed depth; with the hash table and every unsound
//! heuristic off they return the same score (`tests/drivers.rs`).

mod alphabeta;
mod deepening;
mod learning;
mod mtdf;
mod negamax;
mod node_pruning;
mod pvs;
mod root;
mod tables;

/// Which search walks the tree below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Plain minimax in negamax form: the oracle.
    Negamax,
    /// Alpha-beta with move ordering and nothing else.
    AlphaBeta,
    /// Principal variation search with every heuristic: the one that plays.
    #[default]
    Pvs,
    /// MTD(f): the same node function, asked with null windows only.
    Mtdf,
}

impl Driver {
    /// All drivers, the oracle first.
    pub const ALL: [Self; 4] = [Self::Negamax, Self::AlphaBeta, Self::Pvs, Self::Mtdf];

    /// The name of the UCI choice.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negamax => "negamax",
            Self::AlphaBeta => "alphabeta",
            Self::Pvs => "pvs",
            Self::Mtdf => "mtdf",
        }
    }
}
