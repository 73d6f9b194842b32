//! Experiments that test the claims of four texts on chess programs.
//!
//! A claim that follows from a calculation, the rules, a definition or a proof states it as text.
//! Every other claim has one small experiment. It searches synthetic trees (`tree`, `drivers`),
//! chess positions with switches of the engine set (`chess`), or whole endgames (`tables`). Or it
//! plays games from opening books (`books`, `book_games`) or of the engine against itself
//! (`self_play`). Experiments measure; `verdicts` decides, by a pure function for each claim, with the
//! limits of `limits`. Most count nodes and positions, so their figures are the same on every machine; those of
//! [`Claim::is_timed`] compare CPU times. The caller is the command line.

pub(crate) mod command;
mod report;
mod run;

pub(crate) use claim::{CheckedClaim, Claim, Effort};
pub(crate) use report::claims_report;
pub(crate) use run::{ClaimsPlay, ClaimsRequest, ClaimsStudy};

mod b_star;
mod best_first;
mod book_games;
mod books;
mod chess;
mod claim;
mod conspiracy;
mod counting;
mod drawing;
mod drivers;
mod estimates;
mod first_moves;
mod limits;
mod matches;
mod mates;
mod noughts;
mod numbers;
mod search;
mod self_play;
mod tables;
mod tree;
mod trees;
mod verdicts;
mod zugzwang;

use stretto::bench::{Bench, BenchError};
use stretto::types::Depth;

/// Depth of the bench that identifies the engine build.
const SIGNATURE_DEPTH: Depth = Depth(6);

/// Returns all claims, in order.
pub(crate) fn claims() -> impl Iterator<Item = &'static Claim> {
    let lists = [
        numbers::CLAIMS,
        counting::CLAIMS,
        trees::CLAIMS,
        best_first::CLAIMS,
        search::CLAIMS,
        zugzwang::CLAIMS,
        mates::CLAIMS,
        books::CLAIMS,
        first_moves::CLAIMS,
        tables::CLAIMS,
    ];
    lists.into_iter().flatten()
}

/// Returns the nodes of a short bench, which identify the build of the engine.
pub(crate) fn engine_signature() -> Result<u64, BenchError> {
    Ok(Bench { depth: SIGNATURE_DEPTH, ..Bench::default() }.run(|_, _, _| {})?.nodes.0)
}

#[cfg(test)]
mod tests {
    use super::claim::Verdict;
    use super::*;

    #[test]
    fn claim_identifiers_are_unique() {
        let ids: Vec<&str> = claims().map(|claim| claim.id).collect();
        let unique: std::collections::HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{ids:?}");
        assert!(claims().all(|claim| !claim.texts.is_empty() && !claim.statement.is_empty()));
    }

    #[test]
    fn experiments_are_reproducible() {
        let some: Vec<&Claim> =
            claims().filter(|claim| ["N5", "N6", "N40", "N41"].contains(&claim.id)).collect();
        assert_eq!(some.len(), 4);
        let run = || some.iter().map(|claim| claim.examine(0, Effort::Quick)).collect::<Vec<_>>();
        let found = run();
        assert_eq!(found, run());
        let verdicts: Vec<Verdict> = found.iter().map(|checked| checked.finding.verdict).collect();
        // Worst-first order alone does not prevent all cutoffs: deep cutoffs remain. N40 and N41
        // sample, so a quick run does not decide them.
        let expected = [Verdict::Depends, Verdict::Arithmetic, Verdict::Undecided, Verdict::Undecided];
        assert_eq!(verdicts, expected, "{found:?}");
    }
}
