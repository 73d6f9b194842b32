//! The choice of tree search.

/// The search used below the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Driver {
    /// Plain minimax in negamax form: the oracle. As with every driver, quiescence search evaluates
    /// the leaves.
    Negamax,
    /// Alpha-beta with move ordering, within the aspiration windows of iterative deepening.
    AlphaBeta,
    /// Principal variation search with every heuristic: the one that plays.
    #[default]
    Pvs,
    /// A member of the MTD family: the same node function, called with null windows only.
    Mtd(MtdSequence),
}

/// The sequence of null windows of an MTD search: where it starts and how it goes on.
///
/// Source: Plaat, Schaeffer, Pijls and de Bruin, "Best-first fixed-depth minimax algorithms"
/// (1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MtdSequence {
    /// MTD(f): starts at the score of the last iteration.
    F,
    /// MTD(+∞), which expands the nodes of SSS*: starts above every score and comes down.
    Sss,
    /// MTD(−∞), which expands the nodes of DUAL*: starts below every score and goes up.
    Dual,
    /// MTD(bi): halves the interval between the bounds.
    Bisection,
    /// MTD(step): starts at the score of the last iteration and goes on in fixed steps.
    Step,
}

impl Driver {
    /// All drivers, the oracle first.
    pub const ALL: [Self; 8] = [
        Self::Negamax,
        Self::AlphaBeta,
        Self::Pvs,
        Self::Mtd(MtdSequence::F),
        Self::Mtd(MtdSequence::Sss),
        Self::Mtd(MtdSequence::Dual),
        Self::Mtd(MtdSequence::Bisection),
        Self::Mtd(MtdSequence::Step),
    ];

    /// Returns the name of the UCI choice.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negamax => "negamax",
            Self::AlphaBeta => "alphabeta",
            Self::Pvs => "pvs",
            Self::Mtd(MtdSequence::F) => "mtdf",
            Self::Mtd(MtdSequence::Sss) => "sss",
            Self::Mtd(MtdSequence::Dual) => "dual",
            Self::Mtd(MtdSequence::Bisection) => "mtd-bisection",
            Self::Mtd(MtdSequence::Step) => "mtd-step",
        }
    }
}
