//! The choice of tree search.

/// The search used below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Plain minimax in negamax form: the oracle.
    Negamax,
    /// Alpha-beta with move ordering and nothing else.
    AlphaBeta,
    /// Principal variation search with every heuristic: the one that plays.
    #[default]
    Pvs,
    /// MTD(f): the same node function, called with null windows only.
    Mtdf,
}

impl Driver {
    /// All drivers, the oracle first.
    pub const ALL: [Self; 4] = [Self::Negamax, Self::AlphaBeta, Self::Pvs, Self::Mtdf];

    /// Returns the name of the UCI choice.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negamax => "negamax",
            Self::AlphaBeta => "alphabeta",
            Self::Pvs => "pvs",
            Self::Mtdf => "mtdf",
        }
    }
}
