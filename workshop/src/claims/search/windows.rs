//! Experiments on search windows: aspiration, PVS and MTD(f).

use stretto::search::driver_kind::{Driver, MtdSequence};
use stretto::search::events::SearchResult;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, nodes, ratio, ratio_of_family, shown};
use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio};
use super::positions::{fens, game_positions, positions};

pub(super) fn aspiration(effort: Effort) -> Finding {
    let fens = fens(&game_positions(effort.pick(10, 200)));
    let depth = effort.pick(5, 6);
    let base = nodes(&Setup::full_width().with(Switch::Aspiration, false).to_depth(&fens, depth));
    let windows = [4, 10, 18, 30, 60, 100];
    let found = windows.map(|half| {
        let setup =
            Setup::full_width().tuned(Tunable::AspirationDelta, half).tuned(Tunable::AspirationDepth, 2);
        ratio_of_family(&nodes(&setup.to_depth(&fens, depth)), &base, windows.len())
    });
    let rows = windows.iter().zip(found).map(|(half, factor)| vec![format!("±{half}"), shown(factor)]);
    let rows: Vec<Vec<String>> = rows.collect();
    let (best, window) = found
        .iter()
        .zip(windows)
        .map(|(factor, half)| (*factor, half))
        .min_by(|one, other| one.0.mean.total_cmp(&other.0.mean))
        .unwrap_or((Ratio::ONE, 0));
    let verdict = verdicts::aspiration(&found);
    let measured = format!(
        "{} times the nodes with windows of ±{window} centipawns, the best of {} sizes (interval corrected for their number, which leaves \
         {:.3} to no saving), in {} positions of games",
        shown(best),
        windows.len(),
        1.0 - best.high,
        fens.len()
    );
    Finding::new(verdict, measured).with(
        format!("Nodes of PVS to depth {depth} relative to a full window; the intervals hold for all windows together"),
        vec!["window", "node ratio (95 %)"],
        rows,
    )
}

/// Searches to a depth with alpha-beta, PVS and MTD(f) with the same move ordering.
fn three_ways(base: &Setup, fens: &[&str], depth: u32) -> [Vec<SearchResult>; 3] {
    let base = base.clone().with(Switch::Aspiration, false);
    [
        base.clone().with(Switch::NullWindow, false).to_depth(fens, depth),
        base.to_depth(fens, depth),
        base.driver(Driver::Mtd(MtdSequence::F)).to_depth(fens, depth),
    ]
}

/// Settings in which PVS is compared with alpha-beta.
const KINDS: usize = 3;

pub(super) fn null_windows(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let table = Setup::full_width();
    let no_table = table.clone().with(Switch::TtCutoff, false).with(Switch::TtMove, false);
    let unordered = [
        Switch::History,
        Switch::ContinuationHistory,
        Switch::PawnHistory,
        Switch::CaptureHistory,
        Switch::MvvLva,
    ];
    let unordered = no_table.clone().with_all(&unordered, false);
    let depth = effort.pick(5, 7);
    let kinds = [
        ("table, full ordering", table, depth),
        ("no table, full ordering", no_table, depth - 1),
        ("no table, no ordering", unordered, depth - 2),
    ];
    let mut rows = Vec::new();
    let mut gains: Vec<Ratio> = Vec::new();
    for (name, setup, depth) in kinds {
        let [plain, scout, memory] = three_ways(&setup, &fens, depth).map(|outcomes| nodes(&outcomes));
        let [scout, memory] = [scout, memory].map(|counts| ratio_of_family(&counts, &plain, KINDS));
        gains.push(scout);
        rows.push(vec![name.to_owned(), depth.to_string(), shown(scout), shown(memory)]);
    }
    let verdict = verdicts::null_windows(&gains);
    let measured =
        format!("nodes of PVS relative to alpha-beta: {} with a table and full ordering", rows[0][2]);
    Finding::new(verdict, measured).with(
        "Nodes relative to alpha-beta with a full window, ratio (95 %, for all rows together)",
        vec!["", "depth", "PVS", "MTD(f)"],
        rows,
    )
}

/// Returns nodes relative to others, the products of two searches over those of two others.
fn relative(over: [&[f64]; 2], under: [&[f64]; 2]) -> Ratio {
    let product = |pair: [&[f64]; 2]| -> Vec<f64> {
        pair[0].iter().zip(pair[1]).map(|(one, other)| one * other).collect()
    };
    ratio_of_family(&product(over), &product(under), 2)
}

pub(super) fn mtd_and_table(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let depth = effort.pick(6, 8);
    let base = Setup::full_width().with(Switch::Aspiration, false);
    let drivers = [Driver::Pvs, Driver::Mtd(MtdSequence::F)];
    let count = |setup: &Setup, depth| {
        drivers.map(|driver| nodes(&setup.clone().driver(driver).to_depth(&fens, depth)))
    };
    let mut rows = Vec::new();
    let mut compare = |name: String, depth: u32, here: &[Vec<f64>; 2], large: &[Vec<f64>; 2]| {
        let growth = relative([&here[1], &large[0]], [&large[1], &here[0]]);
        let [scout, memory] = [0, 1].map(|driver| shown(ratio(&here[driver], &large[driver])));
        rows.push(vec![name, depth.to_string(), scout, memory, shown(growth)]);
        growth
    };
    let large = count(&base.clone().hash(64), depth);
    let sizes = [64, 16, 4, 2, 1];
    let growths = sizes.map(|size| {
        let here = count(&base.clone().hash(size), depth);
        compare(format!("{size} MiB"), depth, &here, &large)
    });
    let smallest = growths[sizes.len() - 1];
    // Without a table the trees are far larger, so the search is less deep.
    let shallow = depth - 2;
    let none = base.clone().with(Switch::TtCutoff, false).with(Switch::TtMove, false);
    let no_table =
        compare("none".to_owned(), shallow, &count(&none, shallow), &count(&base.hash(64), shallow));
    let measured = format!(
        "relative to the growth of PVS, the nodes of MTD(f) grow {} times without a table (depth {shallow}) and {} times with 1 MiB \
         instead of 64 MiB (depth {depth})",
        shown(no_table),
        shown(smallest)
    );
    Finding::new(verdicts::mtd_and_table(no_table, smallest), measured).with(
        "Nodes relative to 64 MiB, ratio (95 %); the last column divides the ratio of MTD(f) by that of PVS",
        vec!["table", "depth", "PVS", "MTD(f)", "MTD(f) relative to PVS"],
        rows,
    )
}

/// The members of the MTD family.
const FAMILY: [MtdSequence; 5] =
    [MtdSequence::F, MtdSequence::Sss, MtdSequence::Dual, MtdSequence::Bisection, MtdSequence::Step];

pub(super) fn mtd_family(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 41));
    let depth = effort.pick(5, 7);
    let table = Setup::full_width().with(Switch::Aspiration, false);
    let no_table = table.clone().with(Switch::TtCutoff, false).with(Switch::TtMove, false);
    let mut rows = Vec::new();
    let mut found = Vec::new();
    // Without a table the trees are far larger, so the search is less deep.
    for (name, base, depth) in [("64 MiB", table, depth), ("none", no_table, depth - 2)] {
        let count = |setup: Setup| nodes(&setup.to_depth(&fens, depth));
        let scout = count(base.clone().with(Switch::NegaScout, true));
        let pvs = count(base.clone());
        let relative = |counts: &[f64]| ratio_of_family(counts, &scout, FAMILY.len());
        let family = FAMILY.map(|sequence| relative(&count(base.clone().driver(Driver::Mtd(sequence)))));
        let mut row = |driver: &str, factor| {
            rows.push(vec![name.to_owned(), depth.to_string(), driver.to_owned(), shown(factor)]);
        };
        row("pvs", relative(&pvs));
        for (sequence, &factor) in FAMILY.iter().zip(&family) {
            row(Driver::Mtd(*sequence).name(), factor);
        }
        found.push(family);
    }
    let listed = |family: &[Ratio]| {
        let members = FAMILY.iter().zip(family);
        let members: Vec<String> = members
            .map(|(sequence, factor)| format!("{} {:.2}", Driver::Mtd(*sequence).name(), factor.mean))
            .collect();
        members.join(", ")
    };
    let measured = format!(
        "nodes relative to NegaScout: {} with a table of 64 MiB; {} without a table",
        listed(&found[0]),
        listed(&found[1])
    );
    Finding::new(verdicts::mtd_family(&found[0], &found[1]), measured).with(
        "Nodes to a depth at full width relative to NegaScout, ratio (95 %, for all members of a table together)",
        vec!["table", "depth", "driver", "nodes"],
        rows,
    )
}
