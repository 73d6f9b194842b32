//! Claims about chess search, tested with the engine's search and its switches.
//!
//! The positions are those of the bench: openings, middlegames and endings. A full-width search has
//! no unsound pruning, so all drivers find the same score and differ only in nodes.

use stretto::bench::POSITIONS;
use stretto::search::driver::Driver;
use stretto::search::events::SearchResult;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::chess::{Setup, nodes, ratio, shown};
use super::{Claim, Effort, Finding, Text, Verdict, mean};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "N7",
        texts: &[Text::Owen],
        statement: "In practice, simple move ordering reduces a branching factor of 35 to about 6",
        experiment: effective_branching,
    },
    Claim {
        id: "N8",
        texts: &[Text::TreeSearch, Text::Owen],
        statement: "Alpha-beta reaches about twice the depth of minimax in the same time",
        experiment: twice_the_depth,
    },
    Claim {
        id: "N12",
        texts: &[Text::TreeSearch],
        statement: "A well-chosen aspiration window saves nodes on average, including re-searches",
        experiment: aspiration,
    },
    Claim {
        id: "N13",
        texts: &[Text::TreeSearch],
        statement: "A transposition table saves up to a factor of 4",
        experiment: table_factor,
    },
    Claim {
        id: "N14",
        texts: &[Text::TreeSearch],
        statement: "A transposition table is safe except for repetitions, since it ignores the game history",
        experiment: table_safety,
    },
    Claim {
        id: "N15",
        texts: &[Text::TreeSearch, Text::Owen],
        statement: "Iterative deepening saves more by better move ordering than its shallow iterations cost",
        experiment: iterative_deepening,
    },
    Claim {
        id: "N16c",
        texts: &[Text::TreeSearch],
        statement: "Principal variation search visits fewer nodes than alpha-beta (posed as an open question)",
        experiment: null_windows,
    },
    Claim {
        id: "N17",
        texts: &[Text::TreeSearch],
        statement: "Searches with null windows only (MTD) need a large transposition table",
        experiment: mtd_and_table,
    },
    Claim {
        id: "N18",
        texts: &[Text::TreeSearch],
        statement: "Enhanced transposition cutoffs save about 20 to 25 % of the tree",
        experiment: enhanced_cutoffs,
    },
    Claim {
        id: "N19",
        texts: &[Text::TreeSearch],
        statement: "Killer moves and the history heuristic improve move ordering",
        experiment: killers_and_history,
    },
    Claim {
        id: "N21",
        texts: &[Text::TreeSearch, Text::Owen, Text::Otter],
        statement: "Quiescence search corrects wrong evaluations at the horizon",
        experiment: quiescence,
    },
    Claim {
        id: "N22",
        texts: &[Text::TreeSearch],
        statement: "Careless extensions make the tree explode",
        experiment: extensions,
    },
    Claim {
        id: "N26",
        texts: &[Text::Otter],
        statement: "The savings of alpha-beta and move ordering grow exponentially with depth",
        experiment: savings_by_depth,
    },
];

/// Returns `count` bench positions, evenly spread.
fn positions(count: usize) -> Vec<&'static str> {
    POSITIONS.iter().copied().step_by((POSITIONS.len() / count).max(1)).take(count).collect()
}

/// Returns the effective branching factor: the square root of the node ratio over two plies.
fn branching(setup: &Setup, fens: &[&str], depth: u32) -> f64 {
    let (deep, shallow) = (nodes(&setup.to_depth(fens, depth)), nodes(&setup.to_depth(fens, depth - 2)));
    ratio(&deep, &shallow).0.sqrt()
}

fn effective_branching(effort: Effort) -> Finding {
    let fens = positions(effort.pick(6, 20));
    let bare = Setup::bare();
    let captures_first = bare.clone().with(Switch::MvvLva, true);
    let learning = [Switch::History, Switch::Killers, Switch::CounterMoves, Switch::ContinuationHistory]
        .into_iter()
        .fold(captures_first.clone(), |setup, switch| setup.with(switch, true));
    let minimax = branching(&bare.clone().driver(Driver::Negamax), &fens, 4);
    let depth = effort.pick(5, 6);
    let orders =
        [("none", bare), ("captures first", captures_first), ("captures, killers, histories", learning)];
    let found: Vec<f64> = orders
        .iter()
        .map(|(_, setup)| branching(&setup.clone().driver(Driver::AlphaBeta), &fens, depth))
        .collect();
    let best = minimax.sqrt();
    let rows = [("minimax", minimax), ("best possible (square root)", best)]
        .into_iter()
        .chain(orders.iter().map(|(name, _)| *name).zip(found.iter().copied()))
        .map(|(name, factor)| vec![name.to_owned(), format!("{factor:.2}")]);
    let rows: Vec<Vec<String>> = rows.collect();
    let verdict = match found[1] / best {
        near if near < 1.25 => Verdict::Confirmed,
        near if near < 2.0 => Verdict::Depends,
        _ => Verdict::Refuted,
    };
    let measured = format!(
        "minimax {minimax:.1}; alpha-beta {:.1} unordered, {:.1} with captures first, {:.1} with all heuristics; the best possible is \
         {best:.1}",
        found[0], found[1], found[2]
    );
    Finding::new(verdict, measured).with(
        format!("Effective branching factor at depth {depth}, static leaves"),
        vec!["move ordering", "factor"],
        rows,
    )
}

fn twice_the_depth(effort: Effort) -> Finding {
    let fens = positions(effort.pick(4, 12));
    let minimax = Setup::bare().driver(Driver::Negamax);
    let ordered = [Switch::MvvLva, Switch::History, Switch::Killers, Switch::CounterMoves]
        .into_iter()
        .fold(Setup::bare(), |setup, switch| setup.with(switch, true))
        .driver(Driver::AlphaBeta);
    let mut rows = Vec::new();
    let mut factors = Vec::new();
    for depth in 2..=effort.pick(3, 4) {
        let budget = nodes(&minimax.to_depth(&fens, depth));
        let mut reached = vec![f64::from(depth); fens.len()];
        for deeper in depth + 1..=2 * depth + 1 {
            let spent = nodes(&ordered.to_depth(&fens, deeper));
            for (index, reached) in reached.iter_mut().enumerate() {
                if spent[index] <= budget[index] {
                    *reached = f64::from(deeper);
                }
            }
        }
        let average = mean(reached.iter().copied());
        factors.push(average / f64::from(depth));
        rows.push(vec![
            depth.to_string(),
            format!("{average:.2}"),
            format!("{:.2}", average / f64::from(depth)),
        ]);
    }
    let last = factors.last().copied().unwrap_or(1.0);
    let verdict = match last {
        twice if twice >= 1.8 => Verdict::Confirmed,
        more if more >= 1.4 => Verdict::Depends,
        _ => Verdict::Refuted,
    };
    Finding::new(verdict, format!("{last:.2} times the depth for the nodes of minimax")).with(
        "Depth of alpha-beta for the nodes of minimax",
        vec!["depth of minimax", "depth of alpha-beta", "factor"],
        rows,
    )
}

fn aspiration(effort: Effort) -> Finding {
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

/// Endings with few mobile pieces and many transpositions.
const ENDINGS: [&str; 5] = [
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/4k3/8/2P5/4K3/8/8 w - - 0 1",
    "8/p4k2/1p3p2/2p5/2P5/1P3P2/P4K2/8 w - - 0 1",
    "8/5k2/8/2p5/2P5/5K2/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1",
];

fn table_factor(effort: Effort) -> Finding {
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
        factors.push(all.0);
        rows.push(vec![name.to_owned(), depth.to_string(), shown(all), shown(order)]);
    }
    let verdict = match (factors[0] > 1.1, factors.iter().all(|&factor| factor <= 4.0)) {
        (true, true) => Verdict::Confirmed,
        (true, false) => Verdict::Depends,
        (false, _) => Verdict::Refuted,
    };
    let measured = format!(
        "node reduction factor {:.1} in middlegames, {:.1} in endgames, {:.0} in pawn endings",
        factors[0], factors[1], factors[2]
    );
    Finding::new(verdict, measured).with(
        "Node reduction factor of the transposition table",
        vec!["positions", "depth", "cutoffs and hash moves", "hash moves only"],
        rows,
    )
}

fn table_safety(effort: Effort) -> Finding {
    let late: Vec<&str> = POSITIONS[14..30].iter().copied().chain(ENDINGS).collect();
    let depth = effort.pick(6, 8);
    let scores =
        |setup: Setup| setup.to_depth(&late, depth).iter().map(|outcome| outcome.score).collect::<Vec<_>>();
    let with = scores(Setup::full_width());
    let without = scores(Setup::full_width().with(Switch::TtCutoff, false));
    let different = with.iter().zip(&without).filter(|(one, other)| one != other).count();
    let measured = format!("at depth {depth} the score differs in {different} of {} endings", late.len());
    // The text claims only that it happens; it is used because it is rare.
    let verdict = if different == 0 { Verdict::Depends } else { Verdict::Confirmed };
    Finding::new(verdict, measured)
}

fn iterative_deepening(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 30));
    let mut rows = Vec::new();
    let mut last = [(1.0, 0.0); 2];
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
    let repaid = |(mean, half): (f64, f64)| mean * half.exp() < 1.0;
    let verdict = match (repaid(last[0]), repaid(last[1])) {
        (true, true) => Verdict::Confirmed,
        (false, false) => Verdict::Refuted,
        _ => Verdict::Depends,
    };
    let measured = format!(
        "all iterations together take {:.2} times the nodes of a direct search with a table, {:.2} times without",
        last[0].0, last[1].0
    );
    Finding::new(verdict, measured).with(
        "Nodes of iterative deepening relative to a direct search",
        vec!["depth", "with a table", "without"],
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

fn null_windows(effort: Effort) -> Finding {
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

fn mtd_and_table(effort: Effort) -> Finding {
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

fn enhanced_cutoffs(effort: Effort) -> Finding {
    let fens = positions(effort.pick(10, 41));
    let compare = |setup: Setup, depth| {
        let with = setup.clone().with(Switch::EnhancedCutoff, true).tuned(Tunable::EnhancedCutoffDepth, 2);
        ratio(&nodes(&with.to_depth(&fens, depth)), &nodes(&setup.to_depth(&fens, depth)))
    };
    let full = compare(Setup::full_width(), effort.pick(5, 7));
    let play = compare(Setup::play(), effort.pick(8, 12));
    let saved = 100.0 * (1.0 - full.0);
    let verdict = match saved {
        much if (18.0..=28.0).contains(&much) => Verdict::Confirmed,
        some if some > 5.0 => Verdict::Depends,
        _ => Verdict::Refuted,
    };
    let measured = format!(
        "{saved:.0} % fewer nodes at full width, {:.0} % fewer with the playing search",
        100.0 * (1.0 - play.0)
    );
    Finding::new(verdict, measured).with(
        "Nodes with enhanced cutoffs relative to without, ratio (95 %)",
        vec!["search", "ratio"],
        vec![vec!["full width".to_owned(), shown(full)], vec!["play".to_owned(), shown(play)]],
    )
}

fn killers_and_history(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(4, 6);
    let histories = [Switch::History, Switch::ContinuationHistory, Switch::PawnHistory];
    let base = histories.into_iter().fold(Setup::full_width(), |setup, switch| setup.with(switch, false));
    let count = |setup: &Setup| nodes(&setup.to_depth(&fens, depth));
    let plain = count(&base);
    let killers = base.clone().with(Switch::Killers, true);
    let history = base.clone().with(Switch::History, true);
    let both = killers.clone().with(Switch::History, true);
    let all = histories.into_iter().fold(killers.clone(), |setup, switch| setup.with(switch, true));
    let kinds =
        [("killers", killers), ("history", history), ("both", both), ("killers and all histories", all)];
    let found: Vec<(f64, f64)> = kinds.iter().map(|(_, setup)| ratio(&count(setup), &plain)).collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), &factor)| vec![(*name).to_owned(), shown(factor)]);
    let rows: Vec<Vec<String>> = rows.collect();
    let helps = |(mean, half): (f64, f64)| mean * half.exp() < 1.0;
    let verdict = match (helps(found[0]), helps(found[1])) {
        (true, true) => Verdict::Confirmed,
        (false, false) => Verdict::Refuted,
        _ => Verdict::Depends,
    };
    let measured = format!(
        "relative to ordering by captures and hash moves: {:.2} of the nodes with killers, {:.2} with history, {:.2} with both",
        found[0].0, found[1].0, found[2].0
    );
    Finding::new(verdict, measured).with(
        format!("Nodes to depth {depth} relative to neither heuristic, ratio (95 %)"),
        vec!["ordering of quiet moves", "ratio"],
        rows,
    )
}

/// Score from which on a position counts as decided and differences are ignored. Units: centipawns.
const DECIDED: i32 = 1000;

fn quiescence(effort: Effort) -> Finding {
    let fens = positions(effort.pick(10, 41));
    let truth = Setup::play().to_depth(&fens, effort.pick(10, 14));
    let error = |setup: &Setup, depth| {
        let found = setup.to_depth(&fens, depth);
        let clamped = |outcome: &SearchResult| f64::from(outcome.score.0.clamp(-DECIDED, DECIDED));
        mean(found.iter().zip(&truth).map(|(found, truth)| (clamped(found) - clamped(truth)).abs()))
    };
    let with = Setup::full_width();
    let without = with.clone().with(Switch::Quiescence, false);
    let depths = [1, 2, 3, 4];
    let errors = depths.map(|depth| [error(&without, depth), error(&with, depth)]);
    let rows = depths.iter().zip(errors).map(|(depth, [without, with])| {
        vec![depth.to_string(), format!("{without:.0}"), format!("{with:.0}")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let holds = errors.iter().all(|[without, with]| with < without);
    let [without, with] = errors[2];
    let measured = format!(
        "at depth 3 the mean error against a deep search is {without:.0} centipawns without quiescence, {with:.0} with it"
    );
    Finding::new(Verdict::of(holds), measured).with(
        "Mean absolute error against a deep search, centipawns",
        vec!["depth", "without", "with"],
        rows,
    )
}

fn extensions(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(5, 6);
    let base = Setup::full_width();
    let checks = base.clone().with(Switch::CheckExtension, true);
    let recaptures = base.clone().with(Switch::RecaptureExtension, true);
    let pawns = base.clone().with(Switch::PassedPawnExtension, true);
    let all = checks.clone().with(Switch::RecaptureExtension, true).with(Switch::PassedPawnExtension, true);
    let kinds = [("checks", checks), ("recaptures", recaptures), ("passed pawns", pawns), ("all three", all)];
    let plain = nodes(&base.to_depth(&fens, depth));
    let found: Vec<(f64, f64, f64)> = kinds
        .iter()
        .map(|(_, setup)| {
            let counted = nodes(&setup.to_depth(&fens, depth));
            let (mean, half) = ratio(&counted, &plain);
            let most = counted.iter().zip(&plain).map(|(one, other)| one / other).fold(0.0, f64::max);
            (mean, half, most)
        })
        .collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), &(mean, half, most))| {
        vec![(*name).to_owned(), shown((mean, half)), format!("{most:.1}")]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let (average, _, most) = found[3];
    let verdict = match most {
        explosion if explosion > 10.0 => Verdict::Confirmed,
        _ => Verdict::Depends,
    };
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

fn savings_by_depth(effort: Effort) -> Finding {
    let fens = positions(effort.pick(4, 12));
    let bare = Setup::bare();
    let ordered = [Switch::MvvLva, Switch::History, Switch::Killers, Switch::CounterMoves]
        .into_iter()
        .fold(bare.clone(), |setup, switch| setup.with(switch, true));
    let mut factors = Vec::new();
    let mut rows = Vec::new();
    for depth in 1..=effort.pick(3, 4) {
        let minimax = nodes(&bare.clone().driver(Driver::Negamax).to_depth(&fens, depth));
        let pruned = nodes(&bare.clone().driver(Driver::AlphaBeta).to_depth(&fens, depth));
        let best = nodes(&ordered.clone().driver(Driver::AlphaBeta).to_depth(&fens, depth));
        let (plain, sorted) = (ratio(&minimax, &pruned), ratio(&minimax, &best));
        factors.push(sorted.0);
        rows.push(vec![depth.to_string(), shown(plain), shown(sorted)]);
    }
    let holds = factors.windows(2).all(|pair| pair[1] > 1.5 * pair[0]);
    let listed: Vec<String> = factors.iter().map(|factor| format!("{factor:.1}")).collect();
    let measured = format!(
        "minimax visits {} times the nodes of ordered alpha-beta at depths 1 to {}",
        listed.join(", "),
        factors.len()
    );
    let verdict = if holds { Verdict::Confirmed } else { Verdict::Depends };
    Finding::new(verdict, measured).with(
        "Nodes of minimax relative to alpha-beta",
        vec!["depth", "unordered", "ordered"],
        rows,
    )
}
