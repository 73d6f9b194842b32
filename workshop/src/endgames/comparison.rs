//! The result of a comparison with other tables.

/// Maximum number of differences described.
const SHOWN: usize = 10;

/// The result of a comparison with other tables, position by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub positions: u64,
    /// Positions with equal distance.
    pub distances: u64,
    /// Positions with a distance that is one ply off. Syzygy tables store moves where possible,
    /// which loses a ply, and derive the omitted side to move from such values.
    pub rounded: u64,
    /// The first differences, one line each.
    pub different: Vec<String>,
    /// Number of all differences, including those not in `different`.
    pub differences: u64,
}

impl Comparison {
    /// Counts a difference and describes it.
    pub(super) fn note(&mut self, what: String) {
        self.differences += 1;
        self.different.push(what);
    }

    /// Adds the result of other positions.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.distances += other.distances;
        self.rounded += other.rounded;
        self.differences += other.differences;
        self.different.extend(other.different);
        self.different.truncate(SHOWN);
        self
    }
}
