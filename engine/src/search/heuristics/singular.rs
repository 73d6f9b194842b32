//! Singular extension, and what follows from the same search: double and triple extension, multicut, negative
//! extension.
//!
//! Bet: a move that no other comes near decides the node and deserves more depth; one among several that beat beta
//! deserves less, or none.
//! Preconditions: enough depth, a hash move whose record is nearly as deep and says "at least"; not while a move is
//! already left out; the line is not yet twice as long as the iteration is deep.
//! Soundness: unsound.
//! Knobs: `SingularDepth`, `SingularHashDepth`, `SingularMargin`, `DoubleExtensionMargin`, `TripleExtensionMargin`,
//! `DoubleExtensionLimit`, `NegativeExtensionPlies`.
//! Source: Anantharaman, Campbell and Hsu, "Singular extensions" (1988), in the form by the hash move that became
//! known through Stockfish; multicut after Björnsson and Marsland (1998).
//! Evidence: `results/search.md`, "singular family".

use crate::search::heuristics::NodeContext;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::tt::Record;
use crate::types::{Bound, Depth, Ply, Score};

/// The question: do all other moves stay below `beta` at `depth`?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) beta: Score,
    pub(crate) depth: Depth,
    /// The hash move's score.
    hash_score: Score,
}

/// What the answer means for the hash move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Search it so many plies deeper (negative: shallower).
    Extend(i32),
    /// Do not search it: the node is cut.
    Cut(Score),
}

/// The question to ask of a node, if any.
#[inline]
pub(crate) fn question(
    toggles: impl Toggles,
    node: &NodeContext,
    record: &Record,
    ply: Ply,
    iteration: Depth,
) -> Option<Question> {
    let hash_score = record.score;
    let may_ask = node.depth.0
        >= toggles.value(Tunable::SingularDepth) + i32::from(node.was_pv && !node.is_pv)
        && record.bound != Bound::Upper
        && record.depth >= node.depth - toggles.value(Tunable::SingularHashDepth)
        && !hash_score.is_decisive()
        && i32::from(ply.0) < 2 * iteration.0;
    may_ask.then(|| {
        let margin = toggles.value(Tunable::SingularMargin) * node.depth.0 / 100;
        Question { beta: hash_score - margin, depth: Depth((node.depth.0 - 1) / 2), hash_score }
    })
}

/// What it means that the other moves are worth `score`. `doubled` counts the line's extensions by more than a ply.
#[inline]
pub(crate) fn answer(
    toggles: impl Toggles,
    node: &NodeContext,
    question: Question,
    score: Score,
    beta: Score,
    doubled: u8,
) -> Answer {
    if score < question.beta {
        let below = (question.beta - score).0;
        let may_double = on!(toggles, DoubleExtension)
            && !node.is_pv
            && i32::from(doubled) < toggles.value(Tunable::DoubleExtensionLimit);
        let more = [Tunable::DoubleExtensionMargin, Tunable::TripleExtensionMargin]
            .into_iter()
            .filter(|&margin| may_double && below > toggles.value(margin))
            .count();
        return Answer::Extend(1 + more as i32);
    }
    if on!(toggles, Multicut) && score >= beta && !score.is_decisive() && !node.is_pv {
        return Answer::Cut(score);
    }
    let is_one_of_many = question.hash_score >= beta || node.is_cut;
    if on!(toggles, NegativeExtension) && is_one_of_many {
        return Answer::Extend(-toggles.value(Tunable::NegativeExtensionPlies));
    }
    Answer::Extend(0)
}
