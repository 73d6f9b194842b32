//! Experiments on the transposition table and on iterative deepening, which fills it.

use stretto::bench::POSITIONS;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, Timed, nodes, ratio, ratio_of_family, shown, side_by_side};
use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio};
use super::positions::{ENDINGS, fens, middlegames, positions};

/// A kind of positions: its name, its positions and the depth of the search.
type Kind = (&'static str, Vec<String>, u32);

/// Number of kinds of positions.
const KINDS: usize = 3;

/// Returns the kinds of positions in which the table is tested.
fn kinds(effort: Effort) -> [Kind; KINDS] {
    let owned = |fens: &[&str]| fens.iter().map(|&fen| fen.to_owned()).collect();
    [
        ("openings and middlegames", fens(&middlegames(effort.pick(8, 40))), effort.pick(5, 6)),
        ("endgames", owned(&POSITIONS[20..30]), effort.pick(6, 8)),
        ("pawn endings", owned(&ENDINGS), effort.pick(9, 12)),
    ]
}

/// Returns the full-width search without any use of the table.
fn without_table() -> Setup {
    Setup::full_width().hash(16).with(Switch::TtCutoff, false).with(Switch::TtMove, false)
}

pub(super) fn table_factor(effort: Effort) -> Finding {
    let with = Setup::full_width().hash(16);
    let moves_only = with.clone().with(Switch::TtCutoff, false);
    let mut rows = Vec::new();
    let (mut factors, mut times) = (Vec::new(), Vec::new());
    for (name, fens, depth) in kinds(effort) {
        let searches = [&with, &without_table()].map(|setup| Timed::to_depth(setup, depth));
        let costs = side_by_side(&searches, &fens, effort.pick(1, 2));
        let [with, without] = costs.as_slice() else { return Finding::no_memory() };
        let order = ratio(&without.nodes, &nodes(&moves_only.to_depth(&fens, depth)));
        let all = ratio_of_family(&without.nodes, &with.nodes, KINDS);
        let time = ratio_of_family(&without.seconds, &with.seconds, KINDS);
        factors.push(all);
        times.push(time);
        rows.push(vec![name.to_owned(), depth.to_string(), shown(all), shown(order), shown(time)]);
    }
    let measured = format!(
        "nodes fall by a factor of {:.1} in middlegames, {:.1} in endgames and {:.0} in pawn endings, time by {:.1}, {:.1} and {:.0}",
        factors[0].mean, factors[1].mean, factors[2].mean, times[0].mean, times[1].mean, times[2].mean
    );
    let verdict = verdicts::agreeing(verdicts::table_factor(&factors), verdicts::table_factor(&times));
    Finding::new(verdict, measured).with(
        "Factor that the transposition table saves (95 %; with cutoffs, and for the time, for all rows together)",
        vec!["positions", "depth", "nodes, cutoffs and hash moves", "nodes, hash moves only", "time"],
        rows,
    )
}

pub(super) fn levels_of_table(effort: Effort) -> Finding {
    let with = Setup::full_width().hash(16);
    let (mut rows, mut gains, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, fens, depth) in kinds(effort) {
        let searches = [
            Timed::to_depth(&with, depth),
            Timed::to_depth(&without_table(), depth),
            Timed::to_depth(&with, depth + 1),
        ];
        let costs = side_by_side(&searches, &fens, effort.pick(1, 2));
        let [here, without, deeper] = costs.as_slice() else { return Finding::no_memory() };
        // Both limits enter the levels, so they must hold together.
        let saved = ratio_of_family(&without.seconds, &here.seconds, 2);
        let growth = ratio_of_family(&deeper.seconds, &here.seconds, 2);
        let gain = levels(saved, growth);
        listed.push(match gain {
            Some(Ratio { mean, .. }) => format!("{mean:.2} levels in {name}"),
            None => format!("an unknown number in {name}, where one more level may take no longer"),
        });
        gains.push(gain);
        rows.push(vec![
            name.to_owned(),
            depth.to_string(),
            shown(saved),
            shown(growth),
            gain.map_or("-".to_owned(), |Ratio { mean, low, high }| {
                format!("{mean:.2} ({low:.2} to {high:.2})")
            }),
        ]);
    }
    let measured =
        format!("in the time of a search without a table, one with it is deeper by {}", listed.join(", "));
    Finding::new(verdicts::one_level(&gains), measured).with(
        "CPU time saved by the table, that of one more level with it, and the levels that the saving is worth (95 %)",
        vec!["positions", "depth", "time saved, factor", "one more level, factor", "levels"],
        rows,
    )
}

/// Returns the levels worth a saving in time, if one more level takes `growth` times as long. The
/// limits contain the errors of both. `None` if one more level may take no longer.
fn levels(saved: Ratio, growth: Ratio) -> Option<Ratio> {
    if growth.low <= 1.0 {
        return None;
    }
    let levels = |saved: f64, growth: f64| saved.ln() / growth.ln();
    // A slower growth makes a saving worth more levels, and a loss too.
    let low = levels(saved.low, growth.low).min(levels(saved.low, growth.high));
    let high = levels(saved.high, growth.low).max(levels(saved.high, growth.high));
    Some(Ratio { mean: levels(saved.mean, growth.mean), low, high })
}

/// A depth without repetitions: from a position without a history, a position can only recur after
/// four plies.
const WITHOUT_REPETITION: u32 = 3;

pub(super) fn table_safety(effort: Effort) -> Finding {
    let late: Vec<&str> = POSITIONS[14..30].iter().copied().chain(ENDINGS).collect();
    let different = |depth: u32| {
        let with = Setup::full_width().to_depth(&late, depth);
        let without = Setup::full_width().with(Switch::TtCutoff, false).to_depth(&late, depth);
        with.iter().zip(&without).filter(|(one, other)| one.score != other.score).count()
    };
    let depth = effort.pick(6, 8);
    let [shallow, deep] = [WITHOUT_REPETITION, depth].map(different);
    let measured = format!(
        "the score differs in {shallow} of {} endings at depth {WITHOUT_REPETITION}, where no position repeats, and in {deep} at depth \
         {depth}, where repetitions and entries of a greater depth are not told apart",
        late.len()
    );
    Finding::new(verdicts::table_safety(shallow), measured)
}

pub(super) fn iterative_deepening(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 30));
    let mut rows = Vec::new();
    let (mut last, mut times) = ([Ratio::ONE; 2], [Ratio::ONE; 2]);
    for depth in 4..=effort.pick(5, 7) {
        let mut cells = vec![depth.to_string()];
        for (kind, setup) in [Setup::full_width().hash(16), without_table()].into_iter().enumerate() {
            let setup = setup.with(Switch::Aspiration, false);
            let searches = [Timed::to_depth(&setup, depth), Timed::at_once(&setup, depth)];
            let costs = side_by_side(&searches, &fens, effort.pick(1, 2));
            let [all, once] = costs.as_slice() else { return Finding::no_memory() };
            last[kind] = ratio(&all.nodes, &once.nodes);
            times[kind] = ratio(&all.seconds, &once.seconds);
            cells.extend([shown(last[kind]), shown(times[kind])]);
        }
        rows.push(cells);
    }
    let verdict = verdicts::agreeing(
        verdicts::two_savings(last[0], last[1]),
        verdicts::two_savings(times[0], times[1]),
    );
    let measured = format!(
        "all iterations together take {:.2} times the nodes and {:.2} times the time of a direct search with a table, {:.2} and {:.2} times \
         without",
        last[0].mean, times[0].mean, last[1].mean, times[1].mean
    );
    Finding::new(verdict, measured).with(
        "Iterative deepening relative to a direct search, ratio (95 %)",
        vec!["depth", "nodes, with a table", "time", "nodes, without", "time"],
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
    let verdict = verdicts::enhanced_cutoffs(full);
    let measured =
        format!("{} times the nodes at full width, {} with the playing search", shown(full), shown(play));
    Finding::new(verdict, measured).with(
        "Nodes with enhanced cutoffs relative to without, ratio (95 %)",
        vec!["search", "ratio"],
        vec![vec!["full width".to_owned(), shown(full)], vec!["play".to_owned(), shown(play)]],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saving_of_the_growth_is_worth_one_level() {
        let exact = |factor: f64| Ratio { mean: factor, low: factor, high: factor };
        let found = levels(Ratio { mean: 4.0, low: 2.0, high: 8.0 }, exact(4.0)).unwrap();
        assert!((found.mean - 1.0).abs() < 1e-12 && (found.low - 0.5).abs() < 1e-12, "{found:?}");
        assert!((found.high - 1.5).abs() < 1e-12);
    }

    #[test]
    fn levels_contain_the_error_of_the_growth() {
        let growth = Ratio { mean: 4.0, low: 2.0, high: 16.0 };
        let found = levels(Ratio { mean: 4.0, low: 2.0, high: 8.0 }, growth).unwrap();
        assert!((found.low - 0.25).abs() < 1e-12 && (found.high - 3.0).abs() < 1e-12, "{found:?}");
        let loss = levels(Ratio { mean: 0.5, low: 0.25, high: 1.0 }, growth).unwrap();
        assert!((loss.low + 2.0).abs() < 1e-12 && loss.high.abs() < 1e-12, "{loss:?}");
        assert_eq!(levels(growth, Ratio { mean: 2.0, low: 1.0, high: 4.0 }), None);
    }
}
