//! Experiments on what a search of limited depth sees: losses beyond the horizon, and the strength
//! of four plies.

use stretto::engine::Configuration;
use stretto::eval::Evaluation;
use stretto::position::Position;
use stretto::search::driver_kind::Driver;
use stretto::search::switches::Switch;

use super::super::chess::Setup;
use super::super::claim::{Effort, Finding, mean_and_half, plus_minus};
use super::super::limits::HORIZON;
use super::super::matches::{Player, pairs, rating};
use super::super::verdicts;
use super::positions::{fens, game_positions};
use stretto_stats::proportion::wilson;

/// Returns by how much a move is worse than the best one, from the score of the best one and the opponent's score
/// after the move. Units: centipawns.
fn additional_loss(best: i32, reply: i32) -> f64 {
    let bound = 1000;
    f64::from(best.clamp(-bound, bound) + reply.clamp(-bound, bound))
}

pub(super) fn delayed_losses(effort: Effort) -> Finding {
    let [loss, seen] = HORIZON;
    let sampled = game_positions(effort.pick(60, 2000));
    let all = fens(&sampled);
    let deep = effort.pick(7, 10);
    // The reference is the playing search to a greater depth.
    let truth = Setup::play().hash(16);
    let scores = truth.to_depth(&all, deep);
    let is_losing = |(index, outcome): (usize, &stretto::search::events::SearchResult)| {
        let static_eval = Evaluation::Classical.evaluate(&sampled[index].1).0;
        (outcome.score.0 <= static_eval - loss && !outcome.score.is_decisive())
            .then_some((index, static_eval))
    };
    let losing: Vec<(usize, i32)> = scores.iter().enumerate().filter_map(is_losing).collect();
    let fens: Vec<&str> = losing.iter().map(|&(index, _)| all[index].as_str()).collect();
    // Every move is searched, and captures at the leaves are resolved: what remains is the horizon.
    let search = Setup::full_width().hash(16);
    let (mut rows, mut overlooked, mut extra) = (Vec::new(), Vec::new(), Vec::new());
    for depth in 1..=effort.pick(4, 6) {
        let found = search.to_depth(&fens, depth);
        let (mut blind, mut worse) = (0_u64, Vec::new());
        for ((outcome, &(index, static_eval)), fen) in found.iter().zip(&losing).zip(&fens) {
            if outcome.score.0 <= static_eval - seen {
                continue;
            }
            blind += 1;
            // The additional loss by the move that only delays it.
            let Some(mv) = outcome.best else { continue };
            let Ok(position) = Position::from_fen(fen) else { continue };
            let after = position.after(mv).to_string();
            let reply = truth.to_depth(&[&after], deep - 1);
            if let Some(reply) = reply.first() {
                worse.push(additional_loss(scores[index].score.0, reply.score.0));
            }
        }
        let Some((low, high)) = wilson(blind, fens.len() as u64) else {
            return Finding::undecided("no position loses material");
        };
        let (cost, half) = mean_and_half(&worse);
        overlooked.push(blind as f64 / fens.len() as f64);
        extra.push((cost, half));
        rows.push(vec![
            depth.to_string(),
            format!(
                "{:.0} % ({:.0} to {:.0})",
                100.0 * overlooked[overlooked.len() - 1],
                100.0 * low.0,
                100.0 * high.0
            ),
            plus_minus(cost, half, 0),
        ]);
    }
    let measured = format!(
        "of {} positions that lose material by a search to depth {deep}, full-width searches overlook the loss in {} at depth 1 and {} at \
         depth {}; at depth 3 the moves that they then choose cost another {} centipawns",
        fens.len(),
        rows[0][1],
        rows[rows.len() - 1][1],
        rows.len(),
        rows[2][2]
    );
    Finding::new(verdicts::delayed_losses(&overlooked, extra[2]), measured).with(
        "Positions in which the loss is beyond the horizon, and what the chosen move loses in addition, in centipawns",
        vec!["depth", "loss overlooked (95 %)", "additional loss"],
        rows,
    )
}

/// Ratings of the opponents. Units: Elo.
const OPPONENTS: [u32; 4] = [800, 1150, 1500, 1800];
/// Depths of the players. Units: plies.
const DEPTHS: [u32; 3] = [2, 3, 4];

/// Returns the player of the text: alpha-beta to a fixed depth with a static evaluation at the
/// leaves, and captures resolved if `is_quiet`.
fn fixed_depth(is_quiet: bool) -> Configuration {
    let setup = Setup::bare()
        .with_all(&[Switch::MvvLva, Switch::History, Switch::Killers], true)
        .with_all(&[Switch::Quiescence, Switch::QuiescenceSee], is_quiet)
        .evaluation(Evaluation::Classical);
    let driver = if is_quiet { Driver::Pvs } else { Driver::AlphaBeta };
    setup.driver(driver).configuration()
}

/// A depth and the rating of the player that searches to it; `None` if it won or lost every game.
type RatedDepth = (u32, Option<(f64, f64)>);

/// Formats the ratings of a kind of player with two and with four plies.
fn rating_text(kind: &str, rated: &[RatedDepth]) -> String {
    let text = |&(depth, rating): &RatedDepth| {
        let rating = rating.map_or("no rating (every game won or lost)".to_owned(), |(elo, half)| {
            format!("{} Elo", plus_minus(elo, half, 0))
        });
        format!("{rating} at {depth} plies")
    };
    let shown = rated.iter().filter(|(depth, _)| *depth % 2 == 0).map(text).collect::<Vec<_>>();
    format!("with {kind} {}", shown.join(" and "))
}

/// Returns the ratings of two and of four plies, where both were measured.
fn two_and_four(rated: &[RatedDepth]) -> Option<[(f64, f64); 2]> {
    let of = |plies: u32| rated.iter().find(|(depth, _)| *depth == plies).and_then(|&(_, rating)| rating);
    Some([of(2)?, of(4)?])
}

pub(super) fn four_plies(effort: Effort) -> Finding {
    let opponents = &OPPONENTS[..effort.pick(1, OPPONENTS.len())];
    let count = effort.pick(1, 10);
    let (mut rows, mut texts, mut ratings) = (Vec::new(), Vec::new(), Vec::new());
    for (name, is_quiet) in [("static leaves", false), ("captures resolved", true)] {
        let mut of_kind = Vec::new();
        for &depth in &DEPTHS[effort.pick(2, 0)..] {
            let mut results = Vec::new();
            for &elo in opponents {
                let players = Player::of_depth(fixed_depth(is_quiet), depth).zip(Player::of_elo(elo));
                let Some((mut player, mut opponent)) = players else { return Finding::no_memory() };
                let scores = pairs(&mut player, &mut opponent, count);
                let score = scores.iter().sum::<f64>() / scores.len() as f64;
                results.push((f64::from(elo), score, 2.0 * scores.len() as f64));
            }
            let rated = rating(&results);
            of_kind.push((depth, rated));
            let mut cells = vec![name.to_owned(), depth.to_string()];
            cells.extend(results.iter().map(|(_, score, _)| format!("{:.0} %", 100.0 * score)));
            cells.push(rated.map_or_else(|| "-".to_owned(), |(elo, half)| plus_minus(elo, half, 0)));
            rows.push(cells);
        }
        texts.push(rating_text(name, &of_kind));
        ratings.push(two_and_four(&of_kind));
    }
    let measured = format!("on the engine's ladder, {}", texts.join("; "));
    // A kind without both ratings leaves the claim open.
    let ratings: Option<Vec<_>> = ratings.into_iter().collect();
    let mut header = vec!["leaves", "depth"];
    header.extend(["against 800", "1150", "1500", "1800"].into_iter().take(opponents.len()));
    header.push("Elo");
    Finding::new(verdicts::four_plies(&ratings.unwrap_or_default()), measured).with(
        format!("Scores against levels of the engine's strength ladder in {} games each, and the rating that they make", 2 * count),
        header,
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::engine::Solo;
    use stretto::position::Game;
    use stretto::search::limits::Limits;
    use stretto::types::{Depth, Mebibytes};

    #[test]
    fn additional_loss_is_the_difference_for_the_side_to_move() {
        for (best, reply, expected) in [(-300, 350, 50.0), (-300, 300, 0.0), (-300, 5000, 700.0)] {
            assert!((additional_loss(best, reply) - expected).abs() < 1e-9, "{best}, {reply}");
        }
    }

    #[test]
    fn only_measured_ratings_are_reported() {
        let whole = [(2, Some((794.0, 110.0))), (3, Some((1100.0, 100.0))), (4, Some((1451.0, 108.0)))];
        assert_eq!(
            rating_text("static leaves", &whole),
            "with static leaves 794 ± 110 Elo at 2 plies and 1451 ± 108 Elo at 4 plies"
        );
        assert_eq!(two_and_four(&whole), Some([(794.0, 110.0), (1451.0, 108.0)]));
        let quick = [(4, None)];
        assert_eq!(
            rating_text("static leaves", &quick),
            "with static leaves no rating (every game won or lost) at 4 plies"
        );
        assert_eq!(two_and_four(&quick), None, "two plies were not played");
    }

    #[test]
    fn quiescence_search_keeps_the_fixed_depth_player_from_losing_its_queen() {
        // The queen can take a protected pawn: static leaves at depth 1 see only the gain.
        let game = Game::new(Position::from_fen("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1").unwrap());
        let best = |is_quiet| {
            let mut solo = Solo::new(Mebibytes(1), fixed_depth(is_quiet)).unwrap();
            let limits = Limits { depth: Some(Depth(1)), ..Limits::default() };
            solo.search(&game, limits).best.unwrap().to().to_string()
        };
        assert_eq!(best(false), "d5");
        assert_ne!(best(true), "d5");
    }
}
