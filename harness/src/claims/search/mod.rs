//! Claims about chess search, tested with the engine's search and its switches.
//!
//! The positions are those of the bench: openings, middlegames and endings. A full-width search has
//! no unsound pruning, so all drivers find the same score and differ only in nodes.

mod branching;
mod positions;
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
        experiment: Experiment::Sized(branching::twice_the_depth),
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
        experiment: Experiment::Sized(table::table_factor),
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
        experiment: Experiment::Sized(table::iterative_deepening),
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
        experiment: Experiment::Sized(selectivity::quiescence),
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
];
