//! Detection of long forced mates at low depth by singular extensions.

use stretto::position::Position;
use stretto::search::switches::Switch;

use super::chess::Setup;
use super::claim::{Claim, Effort, Experiment, Finding, Text, mean, mean_and_half};
use super::self_play::self_play;
use super::verdicts;

pub(super) const CLAIMS: &[Claim] = &[Claim {
    id: "N23",
    texts: &[Text::Owen],
    statement: "With singular extensions, ChipTest found a mate in 18 (35 plies) at a nominal depth of 8",
    experiment: Experiment::Sized(singular_extensions),
}];

/// Maximum length of a game. Units: plies.
const GAME_PLIES: usize = 240;
/// Minimum distance of the mates used. Units: moves.
const LEAST_MOVES: i32 = 5;
/// Depth of the reference search that finds the mates. Units: plies.
const TRUTH_DEPTH: u32 = 14;
/// Plies before the end of a game at which mates are searched for, in order.
const DISTANCES: [usize; 5] = [19, 17, 15, 13, 11];

/// A position with a forced mate found by the reference search.
struct Mate {
    fen: String,
    moves: i32,
}

/// Returns forced mates near the ends of self-play games, one per game.
fn mates(games: u64) -> Vec<Mate> {
    let truth = Setup::play();
    let is_mate = |position: &Position| position.is_check() && position.legal_moves().is_empty();
    let ended = self_play(games, GAME_PLIES);
    let ended = ended.iter().filter(|game| game.last().is_some_and(is_mate));
    let mate = |game: &Vec<Position>| {
        DISTANCES.iter().filter_map(|distance| game.len().checked_sub(distance + 1)).find_map(|ply| {
            let fen = game[ply].to_string();
            let score = truth.to_depth(&[&fen], TRUTH_DEPTH).first()?.score;
            let moves = score.mate_moves().filter(|&moves| moves >= LEAST_MOVES)?;
            Some(Mate { fen, moves })
        })
    };
    ended.filter_map(mate).collect()
}

/// Returns the lowest nominal depth at which a search finds the mate, at most `most + 1`.
fn depth_of_mate(setup: &Setup, fen: &str, most: u32) -> u32 {
    let sees = |depth: &u32| {
        let outcomes = setup.to_depth(&[fen], *depth);
        outcomes.first().is_some_and(|outcome| outcome.score.mate_moves().is_some_and(|moves| moves > 0))
    };
    (1..=most).find(sees).unwrap_or(most + 1)
}

fn singular_extensions(effort: Effort) -> Finding {
    let mates = mates(effort.pick(20, 40));
    if mates.is_empty() {
        return Finding::undecided("the games contain no long forced mates");
    }
    let most = effort.pick(10, 12);
    let play = Setup::play();
    let off = [Switch::SingularExtension, Switch::DoubleExtension, Switch::NegativeExtension]
        .into_iter()
        .fold(play.clone(), |setup, switch| setup.with(switch, false));
    let unchecked = off.clone().with(Switch::CheckExtension, false);
    let kinds = [
        ("as it plays", play),
        ("no singular extensions", off),
        ("no singular and check extensions", unchecked),
    ];
    let found: Vec<Vec<u32>> = kinds
        .iter()
        .map(|(_, setup)| mates.iter().map(|mate| depth_of_mate(setup, &mate.fen, most)).collect())
        .collect();
    let plies: Vec<f64> = mates.iter().map(|mate| f64::from(2 * mate.moves - 1)).collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), depths)| {
        let ratio = mean(depths.iter().zip(&plies).map(|(&depth, plies)| plies / f64::from(depth)));
        let best =
            depths.iter().zip(&plies).map(|(&depth, plies)| plies / f64::from(depth)).fold(0.0, f64::max);
        let seen = depths.iter().filter(|&&depth| depth <= most).count();
        vec![
            (*name).to_owned(),
            format!("{:.2}", mean(depths.iter().map(|&depth| f64::from(depth)))),
            format!("{ratio:.2}"),
            format!("{best:.2}"),
            format!("{seen} of {}", mates.len()),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let saved: Vec<f64> =
        found[1].iter().zip(&found[0]).map(|(off, on)| f64::from(*off) - f64::from(*on)).collect();
    let (saved, half) = mean_and_half(&saved);
    let is_early = |(&depth, &plies): (&u32, &f64)| depth <= most && f64::from(depth) < plies;
    let beyond = found[0].iter().zip(&plies).filter(|&pair| is_early(pair)).count();
    let found_at =
        |(&depth, &plies): (&u32, &f64)| if depth <= most { plies / f64::from(depth) } else { 0.0 };
    let best = found[0].iter().zip(&plies).map(found_at).fold(0.0, f64::max);
    let verdict = verdicts::singular_extensions(best, saved - half);
    let longest = mates.iter().map(|mate| mate.moves).max().unwrap_or(0);
    let measured = format!(
        "of {} forced mates in {LEAST_MOVES} to {longest} moves, {beyond} are found at a nominal depth below their length; singular \
         extensions save {saved:.2} ± {half:.2} plies on average, and the longest mate has {best:.2} plies per ply of depth, where the \
         text has 35 at depth 8 (its position is not published, so others cannot refute it)",
        mates.len()
    );
    Finding::new(verdict, measured).with(
        "Nominal depth at which a forced mate is first found",
        vec!["search", "mean depth", "mate plies per ply of depth", "best ratio", "found"],
        rows,
    )
}
