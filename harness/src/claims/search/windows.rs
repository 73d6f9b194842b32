//! Experiments on search windows: aspiration, PVS and MTD(f).

use stretto::search::driver::Driver;
use stretto::search::events::SearchResult;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, nodes, ratio, shown};
use super::super::claim::{Effort, Finding, Verdict};
use super::positions::positions;

pub(super) fn aspiration(effort: Effort) -> Finding {
    let fens = positions(effort.pick(10, 41));
    let depth = effort.pick(5, 7);
    let base = nodes(&Setup::full_width().with(Switch::Aspiration, false).to_depth(&fens, depth));
    let windows = [4, 10, 18, 30, 60, 100];
    let found = windows.map(|half| {
        let setup =
            Setup::full_width().tuned(Tunable::AspirationDelta, half).tuned(Tunable::AspirationDepth, 2);
        ratio(&nodes(&setup.to_depth(&fens, depth)), &base)
    });
    let rows = windows.iter().zip(found).map(|(half, factor)| vec![format!("±{half}"), shown(factor)]);
    let rows: Vec<Vec<String>> = rows.collect();
    let (best, window) = found
        .iter()
        .zip(windows)
        .map(|(factor, half)| (*factor, half))
        .min_by(|one, other| one.0.0.total_cmp(&other.0.0))
        .unwrap_or(((1.0, 0.0), 0));
    let gains = best.0 * best.1.exp() < 1.0;
    let loses = found.iter().any(|&(mean, _)| mean > 1.0);
    let verdict = match (gains, loses) {
        (true, _) => Verdict::Confirmed,
        (false, true) => Verdict::Refuted,
        (false, false) => Verdict::Depends,
    };
    let measured =
        format!("{} times the nodes with windows of ±{window} centipawns, the best size tested", shown(best));
    Finding::new(verdict, measured).with(
        format!("Nodes of PVS to depth {depth} relative to a full window"),
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
        base.driver(Driver::Mtdf).to_depth(fens, depth),
    ]
}

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
    ]
    .into_iter()
    .fold(no_table.clone(), |setup, switch| setup.with(switch, false));
    let depth = effort.pick(5, 7);
    let kinds = [
        ("table, full ordering", table, depth),
        ("no table, full ordering", no_table, depth - 1),
        ("no table, no ordering", unordered, depth - 2),
    ];
    let mut rows = Vec::new();
    let mut gains = Vec::new();
    for (name, setup, depth) in kinds {
        let [plain, scout, memory] = three_ways(&setup, &fens, depth).map(|outcomes| nodes(&outcomes));
        let (scout, memory) = (ratio(&scout, &plain), ratio(&memory, &plain));
        gains.push(scout.0 * scout.1.exp() < 1.0);
        rows.push(vec![name.to_owned(), depth.to_string(), shown(scout), shown(memory)]);
    }
    let verdict = match gains.iter().filter(|&&gain| gain).count() {
        3 => Verdict::Confirmed,
        0 => Verdict::Refuted,
        _ => Verdict::Depends,
    };
    let measured =
        format!("nodes of PVS relative to alpha-beta: {} with a table and full ordering", rows[0][2]);
    Finding::new(verdict, measured).with(
        "Nodes relative to alpha-beta with a full window, ratio (95 %)",
        vec!["", "depth", "PVS", "MTD(f)"],
        rows,
    )
}

pub(super) fn mtd_and_table(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let depth = effort.pick(6, 8);
    let base = Setup::full_width().with(Switch::Aspiration, false);
    let sizes = [1, 2, 4, 16, 64];
    let count = |driver, size| nodes(&base.clone().driver(driver).hash(size).to_depth(&fens, depth));
    let (scout, memory) = (count(Driver::Pvs, 64), count(Driver::Mtdf, 64));
    let mut rows = Vec::new();
    let mut smallest = [(1.0, 0.0); 2];
    for size in sizes.into_iter().rev() {
        let here = [ratio(&count(Driver::Pvs, size), &scout), ratio(&count(Driver::Mtdf, size), &memory)];
        smallest = here;
        rows.push(vec![format!("{size} MiB"), shown(here[0]), shown(here[1])]);
    }
    let suffers = smallest[1].0 / smallest[0].0;
    let verdict = match suffers {
        much if much > 1.1 => Verdict::Confirmed,
        some if some > 1.02 => Verdict::Depends,
        _ => Verdict::Refuted,
    };
    let measured = format!(
        "with 1 MiB instead of 64 MiB, MTD(f) takes {:.2} times the nodes and PVS {:.2} times (depth {depth})",
        smallest[1].0, smallest[0].0
    );
    Finding::new(verdict, measured).with(
        "Nodes relative to 64 MiB, ratio (95 %)",
        vec!["table", "PVS", "MTD(f)"],
        rows,
    )
}
