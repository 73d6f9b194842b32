//! Experiments on move ordering and extensions.

use stretto::search::switches::Switch;

use super::super::chess::{Setup, nodes, ratio, shown};
use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio};
use super::positions::positions;

pub(super) fn killers_and_history(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(4, 6);
    let histories = [Switch::History, Switch::ContinuationHistory, Switch::PawnHistory];
    let base = Setup::full_width().with_all(&histories, false);
    let count = |setup: &Setup| nodes(&setup.to_depth(&fens, depth));
    let plain = count(&base);
    let killers = base.clone().with(Switch::Killers, true);
    let history = base.clone().with(Switch::History, true);
    let both = killers.clone().with(Switch::History, true);
    let all = killers.clone().with_all(&histories, true);
    let kinds =
        [("killers", killers), ("history", history), ("both", both), ("killers and all histories", all)];
    let found: Vec<Ratio> = kinds.iter().map(|(_, setup)| ratio(&count(setup), &plain)).collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), &factor)| vec![(*name).to_owned(), shown(factor)]);
    let rows: Vec<Vec<String>> = rows.collect();
    let verdict = verdicts::two_savings(found[0], found[1]);
    let measured = format!(
        "relative to ordering by captures and hash moves: {:.2} of the nodes with killers, {:.2} with history, {:.2} with both",
        found[0].mean, found[1].mean, found[2].mean
    );
    Finding::new(verdict, measured).with(
        format!("Nodes to depth {depth} relative to neither heuristic, ratio (95 %)"),
        vec!["ordering of quiet moves", "ratio"],
        rows,
    )
}

pub(super) fn extensions(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(5, 6);
    let base = Setup::full_width();
    let checks = base.clone().with(Switch::CheckExtension, true);
    let recaptures = base.clone().with(Switch::RecaptureExtension, true);
    let pawns = base.clone().with(Switch::PassedPawnExtension, true);
    let all = checks.clone().with(Switch::RecaptureExtension, true).with(Switch::PassedPawnExtension, true);
    let kinds = [("checks", checks), ("recaptures", recaptures), ("passed pawns", pawns), ("all three", all)];
    let plain = nodes(&base.to_depth(&fens, depth));
    let found: Vec<(Ratio, f64)> = kinds
        .iter()
        .map(|(_, setup)| {
            let counted = nodes(&setup.to_depth(&fens, depth));
            let most = counted.iter().zip(&plain).map(|(one, other)| one / other).fold(0.0, f64::max);
            (ratio(&counted, &plain), most)
        })
        .collect();
    let rows = kinds
        .iter()
        .zip(&found)
        .map(|((name, _), &(ratio, most))| vec![(*name).to_owned(), shown(ratio), format!("{most:.1}")]);
    let rows: Vec<Vec<String>> = rows.collect();
    let (Ratio { mean: average, .. }, most) = found[3];
    let verdict = verdicts::extensions(most);
    let measured = format!(
        "all three together take {average:.1} times the nodes to depth {depth} on average and {most:.0} times in the worst position; \
         lines are limited to twice the nominal depth"
    );
    Finding::new(verdict, measured).with(
        format!("Nodes to depth {depth} relative to no extensions"),
        vec!["extension", "ratio (95 %)", "worst position"],
        rows,
    )
}
