//! Experiments on quiescence search: its accuracy, its share of the search, and standing pat.

use stretto::eval::Evaluation;
use stretto::search::events::SearchResult;
use stretto::search::switches::Switch;

use super::super::chess::{Setup, Timed, quiescence_shares, ratio, shown, side_by_side};
use super::super::claim::{Effort, Finding, mean, mean_and_half, plus_minus, share_plus_minus};
use super::super::limits::STAND_PAT;
use super::super::verdicts::{self, Ratio};
use super::positions::{fens, game_positions, positions};

/// Score from which on a position counts as decided and differences are ignored. Units: centipawns.
pub(super) const DECIDED: i32 = 1000;

/// Returns the score, limited to that of a decided position.
pub(super) fn clamped(outcome: &SearchResult) -> f64 {
    f64::from(outcome.score.0.clamp(-DECIDED, DECIDED))
}

/// Returns the errors of searches to a depth against the outcomes of deep ones, by position.
fn errors_of(setup: &Setup, fens: &[impl AsRef<str>], depth: u32, truth: &[SearchResult]) -> Vec<f64> {
    let error = |(found, truth): (&SearchResult, &SearchResult)| (clamped(found) - clamped(truth)).abs();
    setup.to_depth(fens, depth).iter().zip(truth).map(error).collect()
}

pub(super) fn errors(effort: Effort) -> Finding {
    let fens = positions(effort.pick(10, 41));
    let truth = Setup::play().to_depth(&fens, effort.pick(10, 14));
    let with = Setup::full_width();
    let without = with.clone().with(Switch::Quiescence, false);
    let (mut rows, mut gains) = (Vec::new(), Vec::new());
    for depth in [1, 2, 3, 4] {
        let [without, with] = [&without, &with].map(|setup| errors_of(setup, &fens, depth, &truth));
        let saved: Vec<f64> = without.iter().zip(&with).map(|(without, with)| without - with).collect();
        let (gain, half) = mean_and_half(&saved);
        gains.push([gain - half, gain + half]);
        rows.push(vec![
            depth.to_string(),
            format!("{:.0}", mean(without)),
            format!("{:.0}", mean(with)),
            plus_minus(gain, half, 0),
        ]);
    }
    let measured = format!(
        "at depth 3 the mean error against a deep search is {} centipawns without quiescence and {} with it; it saves {}",
        rows[2][1], rows[2][2], rows[2][3]
    );
    Finding::new(verdicts::every_gain(&gains), measured).with(
        "Mean absolute error against a deep search in centipawns, and the difference by position (95 %)",
        vec!["depth", "without", "with", "saved"],
        rows,
    )
}

/// Depths at which quiescence search is compared with one more level. Units: plies.
const DEPTHS: [u32; 3] = [2, 3, 4];

pub(super) fn one_more_level(effort: Effort) -> Finding {
    let sampled = game_positions(effort.pick(20, 200));
    let fens = fens(&sampled);
    let truth = Setup::play().hash(16).to_depth(&fens, effort.pick(8, 11));
    let with = Setup::full_width().hash(16);
    let without = with.clone().with(Switch::Quiescence, false);
    let (mut rows, mut gains, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for depth in DEPTHS {
        let quiet = errors_of(&with, &fens, depth, &truth);
        let deeper = errors_of(&without, &fens, depth + 1, &truth);
        let difference: Vec<f64> = deeper.iter().zip(&quiet).map(|(deeper, quiet)| deeper - quiet).collect();
        let timed = [Timed::to_depth(&with, depth), Timed::to_depth(&without, depth + 1)];
        let measured = side_by_side(&timed, &fens, effort.pick(1, 2));
        let [one, other] = measured.as_slice() else { return Finding::no_memory() };
        let (gain, half) = mean_and_half(&difference);
        let time = ratio(&one.seconds, &other.seconds);
        gains.push([gain - half, gain + half]);
        costs.push(time);
        rows.push(vec![
            depth.to_string(),
            format!("{:.0}", mean(quiet.iter().copied())),
            format!("{:.0}", mean(deeper.iter().copied())),
            plus_minus(gain, half, 1),
            shown(time),
        ]);
    }
    let measured = format!(
        "at depth 3, quiescence search takes {:.2} times the time of one more level without it; its score is nearer to a deep search by {} \
         centipawns",
        costs[1].mean, rows[1][3]
    );
    Finding::new(verdicts::one_more_level(&gains, &costs), measured).with(
        "Mean error against a deep search in centipawns, and CPU time: quiescence search at a depth, and one more level without it",
        vec!["depth", "error with quiescence", "error of one more level", "difference", "time, ratio (95 %)"],
        rows,
    )
}

pub(super) fn share(effort: Effort) -> Finding {
    let fens = positions(effort.pick(8, 41));
    let depth = effort.pick(4, 6);
    let off = Setup::full_width().with(Switch::QuiescenceSee, false);
    let restricted = [
        Switch::QuiescenceSee,
        Switch::QuiescenceFutility,
        Switch::QuiescenceEvasions,
        Switch::QuiescenceMoveCount,
    ];
    let restricted = off.clone().with_all(&restricted, true);
    let none = off.clone().with(Switch::Quiescence, false);
    let with_checks = off.clone().with(Switch::QuiescenceChecks, true);
    let kinds = [
        ("all captures and checks", &with_checks, depth),
        ("all captures", &off, depth),
        ("restricted", &restricted, depth),
        ("play", &Setup::play(), depth + effort.pick(2, 5)),
    ];
    let plain = super::super::chess::nodes(&none.to_depth(&fens, depth));
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for (name, setup, depth) in kinds {
        let (share, half) = mean_and_half(&quiescence_shares(setup, &fens, depth));
        shares.push(Ratio { mean: share, low: share - half, high: share + half });
        let cost = if name == "play" {
            "-".to_owned()
        } else {
            shown(ratio(&super::super::chess::nodes(&setup.to_depth(&fens, depth)), &plain))
        };
        rows.push(vec![name.to_owned(), depth.to_string(), share_plus_minus(share, half), cost]);
    }
    let measured = format!(
        "{} of the nodes without restrictions, {} with them, {} in the playing search",
        rows[1][2], rows[2][2], rows[3][2]
    );
    Finding::new(verdicts::quiescence_share(shares[1], shares[2]), measured).with(
        "Share of quiescence nodes, and all nodes relative to static leaves, ratio (95 %)",
        vec!["quiescence search", "depth", "share", "nodes"],
        rows,
    )
}

/// Margins by which a search may fall short of standing pat. Units: centipawns.
const MARGINS: [i32; 4] = [0, 25, STAND_PAT, 100];

pub(super) fn stand_pat(effort: Effort) -> Finding {
    let sampled = game_positions(effort.pick(50, 1500));
    let fens = fens(&sampled);
    let static_evals: Vec<i32> =
        sampled.iter().map(|(_, position)| Evaluation::Classical.evaluate(position).0).collect();
    let depths = [1, effort.pick(4, 8)];
    let scores = [
        Setup::full_width().hash(16).to_depth(&fens, depths[0]),
        Setup::play().hash(16).to_depth(&fens, depths[1]),
    ];
    let mut rows = Vec::new();
    let mut decisive = Vec::new();
    for (depth, scores) in depths.iter().zip(&scores) {
        let mut cells = vec![depth.to_string()];
        for margin in MARGINS {
            let held = scores
                .iter()
                .zip(&static_evals)
                .filter(|(outcome, static_eval)| outcome.score.0 >= **static_eval - margin)
                .count() as u64;
            let Some(share) = Ratio::of_counts(held, scores.len() as u64) else {
                return Finding::undecided("no positions");
            };
            if margin == STAND_PAT {
                decisive.push(share);
            }
            cells.push(format!("{:.1} %", 100.0 * share.mean));
        }
        rows.push(cells);
    }
    let [shallow, deep] = [decisive[0], decisive[1]];
    let measured = format!(
        "in {} of {} positions of games, a move keeps the static evaluation less half a pawn at depth 1, in {} at depth {}",
        shallow.percent(),
        fens.len(),
        deep.percent(),
        depths[1]
    );
    Finding::new(verdicts::nearly_all(&decisive), measured).with(
        "Positions not in check whose search score is at least the static evaluation less a margin in centipawns",
        vec!["depth", "0", "25", "50", "100"],
        rows,
    )
}
