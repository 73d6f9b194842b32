//! Test positions of the experiments.

use stretto::bench::POSITIONS;

/// Returns `count` bench positions, evenly spread.
pub(super) fn positions(count: usize) -> Vec<&'static str> {
    POSITIONS.iter().copied().step_by((POSITIONS.len() / count).max(1)).take(count).collect()
}

/// Endings with few mobile pieces and many transpositions.
pub(super) const ENDINGS: [&str; 5] = [
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/4k3/8/2P5/4K3/8/8 w - - 0 1",
    "8/p4k2/1p3p2/2p5/2P5/1P3P2/P4K2/8 w - - 0 1",
    "8/5k2/8/2p5/2P5/5K2/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
];
