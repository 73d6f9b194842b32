//! Small ProbCut: a cutoff by a TT entry that is too shallow for an ordinary one.
//!
//! Bet: a TT score far above beta stays above beta in a search a few plies deeper.
//! Preconditions: a null window, not in check, a lower bound in the TT, neither score decisive.
//! Soundness: unsound.
//! Knobs: `SmallProbCutMargin`, `SmallProbCutDepth`.
//! Source: Stockfish; after Buro's ProbCut (1995).
//! Evidence: `results/search.md`, "At playing depth".

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
