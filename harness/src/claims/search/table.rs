//! Experiments on the transposition table and on iterative deepening, which fills it.

use stretto::bench::POSITIONS;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, nodes, ratio, shown};
use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio};
use super::positions::{ENDINGS, positions};

pub(super) fn table_factor(effort: Effort) -> Finding {
    let with = Setup::full_width();
    let without = Setup::full_width().with(Switch::TtCutoff, false).with(Switch::TtMove, false);
    let moves_only = Setup::full_width().with(Switch::TtCutoff, false);
    let middle: Vec<&str> = POSITIONS[..12].to_vec();
    let late: Vec<&str> = POSITIONS[20..30].to_vec();
    let kinds = [
        ("openings and middlegames", middle, effort.pick(5, 6)),
        ("endgames", late, effort.pick(6, 8)),
        ("pawn endings", ENDINGS.to_vec(), effort.pick(9, 12)),
    ];
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    for (name, fens, depth) in kinds {
        let counted = [&with, &without, &moves_only].map(|setup| nodes(&setup.to_depth(&fens, depth)));
        let (all, order) = (ratio(&counted[1], &counted[0]), ratio(&counted[1], &counted[2]));
        factors.push(all);
        rows.push(vec![name.to_owned(), depth.to_string(), shown(all), shown(order)]);
    }
    let verdict = verdicts::table_factor(&factors);
    let measured = format!(
        "node reduction factor {:.1} in middlegames, {:.1} in endgames, {:.0} in pawn endings",
        factors[0].mean, factors[1].mean, factors[2].mean
    );
    Finding::new(verdict, measured).with(
        "Node reduction factor of the transposition table",
        vec!["positions", "depth", "cutoffs and hash moves", "hash moves only"],
        rows,
    )
}

pub(super) fn table_safety(effort: Effort) -> Finding {
    let late: Vec<&str> = POSITIONS[14..30].iter().copied().chain(ENDINGS).collect();
    let depth = effort.pick(6, 8);
    let scores =
        |setup: Setup| setup.to_depth(&late, depth).iter().map(|outcome| outcome.score).collect::<Vec<_>>();
    let with = scores(Setup::full_width());
    let without = scores(Setup::full_width().with(Switch::TtCutoff, false));
    let different = with.iter().zip(&without).filter(|(one, other)| one != other).count();
    let measured = format!("at depth {depth} the score differs in {different} of {} endings", late.len());
    let verdict = verdicts::table_safety(different, late.len());
    Finding::new(verdict, measured)
}

pub(super) fn iterative_deepening(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 30));
    let mut rows = Vec::new();
    let mut last = [Ratio::ONE; 2];
    for depth in 4..=effort.pick(5, 7) {
        let kinds = [
            Setup::full_width(),
            Setup::full_width().with(Switch::TtMove, false).with(Switch::TtCutoff, false),
        ];
        last = kinds.map(|setup| {
            let setup = setup.with(Switch::Aspiration, false);
            ratio(&nodes(&setup.to_depth(&fens, depth)), &nodes(&setup.at_once(&fens, depth)))
        });
        rows.push(vec![depth.to_string(), shown(last[0]), shown(last[1])]);
    }
    let verdict = verdicts::two_savings(last[0], last[1]);
    let measured = format!(
        "all iterations together take {:.2} times the nodes of a direct search with a table, {:.2} times without",
        last[0].mean, last[1].mean
    );
    Finding::new(verdict, measured).with(
        "Nodes of iterative deepening relative to a direct search",
        vec!["depth", "with a table", "without"],
        rows,
    )
}

pub(super) fn enhanced_cutoffs(effort: Effort) -> Finding {
    let fens = positions(effort.pick(10, 41));
    let compare = |setup: Setup, depth| {
        let with = setup.clone().with(Switch::EnhancedCutoff, true).tuned(Tunable::EnhancedCutoffDepth, 2);
        ratio(&nodes(&with.to_depth(&fens, depth)), &nodes(&setup.to_depth(&fens, depth)))
    };
    let full = compare(Setup::full_width(), effort.pick(5, 7));
    let play = compare(Setup::play(), effort.pick(8, 12));
    let saved = 100.0 * (1.0 - full.mean);
    let verdict = verdicts::enhanced_cutoffs(full);
    let measured = format!(
        "{saved:.0} % fewer nodes at full width, {:.0} % fewer with the playing search",
        100.0 * (1.0 - play.mean)
    );
    Finding::new(verdict, measured).with(
        "Nodes with enhanced cutoffs relative to without, ratio (95 %)",
        vec!["search", "ratio"],
        vec![vec!["full width".to_owned(), shown(full)], vec!["play".to_owned(), shown(play)]],
    )
}
