//! Late move reductions.
//!
//! Bet: with good ordering the late quiet moves fail low; a shallower search shows it for less.
//! Preconditions: enough depth, enough moves searched, a quiet move, not in check and not giving check.
//! Soundness: unsound; a reduced move that beats alpha is searched again at full depth.
//! Knobs: `LmrDepth`, `LmrMove`, `LmrBase`, `LmrSlope`, `LmrPv`, `LmrHistory`.
//! Source: Fruit (Letouzey, 2005) made it known; the product of logarithms is the field's common form.
//! Evidence: `harness sprt` with the switch off; none recorded yet.

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::types::Depth;

/// One ply in the fixed point of reductions.
const PLY: i32 = 1024;

/// `log2(n)` for small numbers. Units: 1/1024. Integer arithmetic, so every machine reduces alike.
const LOG2: [i32; 64] = {
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        table[n as usize] = log2(n);
        n += 1;
    }
    table
};

/// `log2(n)` in 1/1024 by repeated squaring of the mantissa.
const fn log2(n: u64) -> i32 {
    let whole = n.ilog2();
    // The mantissa in 1..2 with 31 fractional bits.
    let mut mantissa = n << (31 - whole);
    let mut result = (whole as i32) << 10;
    let mut bit = 1 << 9;
    while bit > 0 {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >= 1 << 32 {
            mantissa >>= 1;
            result += bit;
        }
        bit >>= 1;
    }
    result
}

/// What the reduction of a move depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LateMove {
    /// Remaining depth of the node.
    pub(crate) depth: Depth,
    /// How many moves came before.
    pub(crate) searched: usize,
    /// Is the node on the principal variation?
    pub(crate) is_pv: bool,
    /// What the history says of the move.
    pub(crate) history: i32,
}

/// How much to reduce. Units: plies. Range: 0 to `depth - 2`, so that the move itself keeps a ply.
#[inline]
pub(crate) fn plies(toggles: impl Toggles, late: LateMove) -> i32 {
    let enough_moves = late.searched as i32 >= toggles.value(Tunable::LmrMove);
    if !enough_moves || late.depth.0 < toggles.value(Tunable::LmrDepth) {
        return 0;
    }
    let product = LOG2[late.depth.0.min(63) as usize] * LOG2[late.searched.min(63)] / PLY;
    let mut reduction = toggles.value(Tunable::LmrBase) + product * toggles.value(Tunable::LmrSlope) / PLY;
    if late.is_pv {
        reduction -= toggles.value(Tunable::LmrPv);
    }
    reduction -= late.history / toggles.value(Tunable::LmrHistory);
    (reduction / PLY).clamp(0, (late.depth.0 - 2).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn logarithms_are_close() {
        for n in 1..64 {
            let exact = f64::from(n).log2() * 1024.0;
            assert!((f64::from(LOG2[n as usize]) - exact).abs() <= 1.5, "{n}");
        }
    }

    #[test]
    fn later_and_deeper_is_reduced_more() {
        let at = |depth, searched| {
            plies(Fixed, LateMove { depth: Depth(depth), searched, is_pv: false, history: 0 })
        };
        assert_eq!(at(2, 30), 0);
        assert_eq!(at(12, 0), 0);
        assert!(at(12, 20) >= at(12, 5) && at(20, 20) > at(6, 20));
        for depth in 3..100 {
            for searched in 0..218 {
                assert!((0..depth).contains(&at(depth, searched)));
            }
        }
    }
}
