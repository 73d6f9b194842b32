//! Claims about chess search, tested with the engine's search and its switches.
//!
//! The positions are from the bench, self-play games, WAC and a few pawn endings. A full-width search has
//! no unsound pruning, so all drivers find the same score and differ only in nodes.

mod branching;
mod costs;
mod evaluation;
mod horizon;
mod near_leaves;
mod null_move;
mod positions;
mod quiescence;
mod selectivity;
mod table;
mod windows;

use super::claim::{Claim, claims};

pub(super) const CLAIMS: &[Claim] = claims! {
    N7 [Owen] "In practice, simple move ordering reduces a branching factor of 35 to about 6"
        Sized(branching::effective_branching);
    N8 [TreeSearch, Owen] "Alpha-beta reaches about twice the depth of minimax in the same time"
        Timed(branching::twice_the_depth);
    N12 [TreeSearch] "A well-chosen aspiration window saves nodes on average, including re-searches"
        Sized(windows::aspiration);
    N13 [TreeSearch] "A transposition table saves up to a factor of 4"
        Timed(table::table_factor);
    N14 [TreeSearch] "A transposition table is safe except for repetitions, since it ignores the game history"
        Sized(table::table_safety);
    N15 [TreeSearch, Owen] "Iterative deepening saves more by better move ordering than its shallow iterations cost"
        Timed(table::iterative_deepening);
    N16c [TreeSearch] "Principal variation search visits fewer nodes than alpha-beta (posed as an open question)"
        Sized(windows::null_windows);
    N17 [TreeSearch] "Searches with null windows only (MTD) need a large transposition table"
        Sized(windows::mtd_and_table);
    N18 [TreeSearch] "Enhanced transposition cutoffs save about 20 to 25 % of the tree"
        Sized(table::enhanced_cutoffs);
    N19 [TreeSearch] "Killer moves and the history heuristic improve move ordering"
        Sized(selectivity::killers_and_history);
    N21 [TreeSearch, Owen, Otter] "Quiescence search corrects wrong evaluations at the horizon"
        Sized(quiescence::errors);
    N22 [TreeSearch] "Careless extensions make the tree explode"
        Sized(selectivity::extensions);
    N26 [Otter] "The savings of alpha-beta and move ordering grow exponentially with depth"
        Sized(branching::savings_by_depth);
    N27 [TreeSearch] "Null moves save a lot of time by skipping large parts of the tree"
        Timed(null_move::savings);
    N28 [TreeSearch] "Null moves can fail to detect deep combinations"
        Sized(null_move::missed_combinations);
    N29 [TreeSearch] "With a transposition table, about one more level is searched in the same time"
        Timed(table::levels_of_table);
    N30 [TreeSearch] "Quiescence search is worth more than one more full-width level (posed as a debate)"
        Timed(quiescence::one_more_level);
    N31 [TreeSearch] "Quiescence search must be restricted, or it takes up most of the search"
        Sized(quiescence::share);
    N32 [Otter] "The evaluation is a safe lower bound in quiescence search in nearly all cases (stand pat)"
        Sized(quiescence::stand_pat);
    N33 [Otter] "Sorting moves takes a little time and saves more"
        Timed(costs::sorting);
    N34 [Otter] "Generating only captures is more efficient than filtering all moves"
        Timed(costs::capture_generation);
    N35 [Owen] "The quality of an evaluation must be weighed against its time"
        Timed(evaluation::quality_and_cost);
    N36 [Owen] "A search of limited depth does not see a loss that it can delay beyond its horizon"
        Sized(horizon::delayed_losses);
    N37 [Owen] "Rapidly changing evaluations mark tactical positions, where the evaluation is wrong"
        Sized(evaluation::changes_and_errors);
    N38 [Owen] "An acceptable level of play needs four plies"
        Sized(horizon::four_plies);
    N39 [Ours] "Of the MTD family and NegaScout, the family visits fewer nodes if it has a large table"
        Sized(windows::mtd_family);
    N43 [Ours] "With the same number of nodes, pruning near the leaves finds better moves than pruning at the root or no pruning"
        Sized(near_leaves::place_of_pruning);
};
