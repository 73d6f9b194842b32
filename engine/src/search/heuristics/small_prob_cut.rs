//! Small ProbCut: a cutoff by a TT entry that is too shallow for an ordinary one.
//!
//! Bet: a TT score far above beta stays above beta in a search a few plies deeper.
//! Preconditions: a null window, not in check, a lower bound in the TT, neither score decisive.
//! Soundness: unsound.
//! Knobs: `SmallProbCutMargin`, `SmallProbCutDepth`.
//! Source: Stockfish; after Buro's ProbCut (1995).
//! Evidence: `results/ablation.md`.

use crate::search::params::Tunable;
use crate::search::switches::Toggles;
use crate::tt::Record;
use crate::types::{Bound, Depth, Score};

/// Returns the score of a node that its TT entry cuts off.
#[inline]
pub(crate) fn score(toggles: impl Toggles, beta: Score, depth: Depth, record: &Record) -> Option<Score> {
    let raised = beta + toggles.value(Tunable::SmallProbCutMargin);
    let score = record.score;
    let proves = record.bound != Bound::Upper
        && record.depth >= depth - toggles.value(Tunable::SmallProbCutDepth)
        && score >= raised
        && !score.is_decisive()
        && !beta.is_decisive();
    proves.then_some(raised)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;
    use crate::types::Ply;

    #[test]
    fn only_a_lower_bound_deep_and_high_enough_cuts_off() {
        let beta = Score(30);
        let raised = beta + Fixed.value(Tunable::SmallProbCutMargin);
        let missing = Fixed.value(Tunable::SmallProbCutDepth);
        let cutoff = |bound, missing: i32, score| {
            let (mv, static_eval) = (None, None);
            let record = Record { mv, score, static_eval, depth: Depth(9 - missing), bound, is_pv: false };
            super::score(Fixed, beta, Depth(9), &record)
        };
        assert_eq!(cutoff(Bound::Lower, missing, raised), Some(raised));
        assert_eq!(cutoff(Bound::Exact, 0, raised + 100), Some(raised));
        assert_eq!(cutoff(Bound::Upper, 0, raised + 100), None);
        assert_eq!(cutoff(Bound::Lower, missing + 1, raised), None);
        assert_eq!(cutoff(Bound::Lower, missing, raised - 1), None);
        assert_eq!(cutoff(Bound::Lower, 0, Score::mate_in(Ply(9))), None);
    }
}
