//! Claims about chess search, tested with the engine's search and its switches.
//!
//! The positions are those of the bench: openings, middlegames and endings. A full-width search has
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

use super::claim::{Claim, Experiment, Text};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "N7",
        texts: &[Text::Owen],
        statement: "In practice, simple move ordering reduces a branching factor of 35 to about 6",
        experiment: Experiment::Sized(branching::effective_branching),
    },
    Claim {
        id: "N8",
        texts: &[Text::TreeSearch, Text::Owen],
        statement: "Alpha-beta reaches about twice the depth of minimax in the same time",
        experiment: Experiment::Timed(branching::twice_the_depth),
    },
    Claim {
        id: "N12",
        texts: &[Text::TreeSearch],
        statement: "A well-chosen aspiration window saves nodes on average, including re-searches",
        experiment: Experiment::Sized(windows::aspiration),
    },
    Claim {
        id: "N13",
        texts: &[Text::TreeSearch],
        statement: "A transposition table saves up to a factor of 4",
        experiment: Experiment::Timed(table::table_factor),
    },
    Claim {
        id: "N14",
        texts: &[Text::TreeSearch],
        statement: "A transposition table is safe except for repetitions, since it ignores the game history",
        experiment: Experiment::Sized(table::table_safety),
    },
    Claim {
        id: "N15",
        texts: &[Text::TreeSearch, Text::Owen],
        statement: "Iterative deepening saves more by better move ordering than its shallow iterations cost",
        experiment: Experiment::Timed(table::iterative_deepening),
    },
    Claim {
        id: "N16c",
        texts: &[Text::TreeSearch],
        statement: "Principal variation search visits fewer nodes than alpha-beta (posed as an open question)",
        experiment: Experiment::Sized(windows::null_windows),
    },
    Claim {
        id: "N17",
        texts: &[Text::TreeSearch],
        statement: "Searches with null windows only (MTD) need a large transposition table",
        experiment: Experiment::Sized(windows::mtd_and_table),
    },
    Claim {
        id: "N18",
        texts: &[Text::TreeSearch],
        statement: "Enhanced transposition cutoffs save about 20 to 25 % of the tree",
        experiment: Experiment::Sized(table::enhanced_cutoffs),
    },
    Claim {
        id: "N19",
        texts: &[Text::TreeSearch],
        statement: "Killer moves and the history heuristic improve move ordering",
        experiment: Experiment::Sized(selectivity::killers_and_history),
    },
    Claim {
        id: "N21",
        texts: &[Text::TreeSearch, Text::Owen, Text::Otter],
        statement: "Quiescence search corrects wrong evaluations at the horizon",
        experiment: Experiment::Sized(quiescence::errors),
    },
    Claim {
        id: "N22",
        texts: &[Text::TreeSearch],
        statement: "Careless extensions make the tree explode",
        experiment: Experiment::Sized(selectivity::extensions),
    },
    Claim {
        id: "N26",
        texts: &[Text::Otter],
        statement: "The savings of alpha-beta and move ordering grow exponentially with depth",
        experiment: Experiment::Sized(branching::savings_by_depth),
    },
    Claim {
        id: "N27",
        texts: &[Text::TreeSearch],
        statement: "Null moves save a lot of time by skipping large parts of the tree",
        experiment: Experiment::Timed(null_move::savings),
    },
    Claim {
        id: "N28",
        texts: &[Text::TreeSearch],
        statement: "Null moves can fail to detect deep combinations",
        experiment: Experiment::Sized(null_move::missed_combinations),
    },
    Claim {
        id: "N29",
        texts: &[Text::TreeSearch],
        statement: "With a transposition table, about one more level is searched in the same time",
        experiment: Experiment::Timed(table::levels_of_table),
    },
    Claim {
        id: "N30",
        texts: &[Text::TreeSearch],
        statement: "Quiescence search is worth more than one more full-width level (posed as a debate)",
        experiment: Experiment::Timed(quiescence::one_more_level),
    },
    Claim {
        id: "N31",
        texts: &[Text::TreeSearch],
        statement: "Quiescence search must be restricted, or it takes up most of the search",
        experiment: Experiment::Sized(quiescence::share),
    },
    Claim {
        id: "N32",
        texts: &[Text::Otter],
        statement: "The evaluation is a safe lower bound in quiescence search in nearly all cases (stand pat)",
        experiment: Experiment::Sized(quiescence::stand_pat),
    },
    Claim {
        id: "N33",
        texts: &[Text::Otter],
        statement: "Sorting moves takes a little time and saves more",
        experiment: Experiment::Timed(costs::sorting),
    },
    Claim {
        id: "N34",
        texts: &[Text::Otter],
        statement: "Generating only captures is more efficient than filtering all moves",
        experiment: Experiment::Timed(costs::capture_generation),
    },
    Claim {
        id: "N35",
        texts: &[Text::Owen],
        statement: "The quality of an evaluation must be weighed against its time",
        experiment: Experiment::Timed(evaluation::quality_and_cost),
    },
    Claim {
        id: "N36",
        texts: &[Text::Owen],
        statement: "A search of limited depth does not see a loss that it can delay beyond its horizon",
        experiment: Experiment::Sized(horizon::delayed_losses),
    },
    Claim {
        id: "N37",
        texts: &[Text::Owen],
        statement: "Rapidly changing evaluations mark tactical positions, where the evaluation is wrong",
        experiment: Experiment::Sized(evaluation::changes_and_errors),
    },
    Claim {
        id: "N38",
        texts: &[Text::Owen],
        statement: "An acceptable level of play needs four plies",
        experiment: Experiment::Sized(horizon::four_plies),
    },
    Claim {
        id: "N39",
        texts: &[Text::Ours],
        statement: "Of the MTD family and NegaScout, the family visits fewer nodes if it has a large table",
        experiment: Experiment::Sized(windows::mtd_family),
    },
    Claim {
        id: "N43",
        texts: &[Text::BooksAndTables],
        statement: "With the same number of nodes, pruning near the leaves finds better moves than pruning at the root or no pruning",
        experiment: Experiment::Sized(near_leaves::place_of_pruning),
    },
];
