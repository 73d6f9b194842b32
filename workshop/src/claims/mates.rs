//! Detection of long forced mates at low depth by singular extensions.

use stretto::position::Position;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;

use super::chess::Setup;
use super::claim::{Claim, Effort, Finding, claims, mean, mean_and_half, plus_minus};
use super::self_play::self_play;
use super::verdicts;

pub(super) const CLAIMS: &[Claim] = claims! {
    N23 [Owen] "With singular extensions, ChipTest found a mate in 18 (35 plies) at a nominal depth of 8"
        Sized(singular_extensions);
};

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

/// Published mates and their lengths in moves, the cheapest to find first.
///
/// Source: the matetrack collection (vondele/matetrack).
const LONG_MATES: [(&str, u32); 3] = [
    ("K7/8/8/6p1/4N1Q1/7r/7k/5n2 w - - 0 1", 13),
    ("1kr1n3/pp4nr/8/2PN1p2/Q5p1/4RbPq/3B1P2/3R2K1 w - - 0 1", 15),
    ("2bb3k/r6p/2n1p1B1/p2p1PN1/2pPP2Q/2P5/q2B4/3K3R w - - 0 1", 18),
];
/// The nominal depth of the text. Units: plies.
const NOMINAL: u32 = 8;
/// The limit of the extensions in the search of the text, as a multiple of the depth.
const FAR: i32 = 6;

/// Returns a search with the extensions of Deep Thought and its predecessor: of singular moves at
/// all kinds of nodes, checks and recaptures, up to `limit` times the depth. Passing the turn proves
/// no mate, so null moves are off.
fn extended(limit: i32) -> Setup {
    let extensions = [Switch::SiblingSingularExtension, Switch::CheckExtension, Switch::RecaptureExtension];
    Setup::play()
        .with_all(&extensions, true)
        .with(Switch::NullMove, false)
        .tuned(Tunable::SingularDepth, 4)
        .tuned(Tunable::ExtensionLimit, limit)
}

/// The singular extensions of the engine's own search.
const SINGULAR: [Switch; 3] = [Switch::SingularExtension, Switch::DoubleExtension, Switch::NegativeExtension];

/// Returns the setup without singular extensions of any kind.
fn without_singular(setup: Setup) -> Setup {
    setup.with_all(&SINGULAR, false).with(Switch::SiblingSingularExtension, false)
}

/// Returns the plies of the mate that a search to the nominal depth finds, 0 without one, and its
/// nodes.
fn mate_at_nominal_depth(setup: &Setup, fen: &str) -> (u32, u64) {
    let outcomes = setup.to_depth(&[fen], NOMINAL);
    let Some(outcome) = outcomes.first() else { return (0, 0) };
    let moves = outcome.score.mate_moves().filter(|&moves| moves > 0);
    (moves.map_or(0, |moves| 2 * moves as u32 - 1), outcome.nodes.0)
}

/// Returns the rows of the published mates, and the longest mate found with and without singular
/// extensions beyond twice the depth. Units: plies.
fn long_mates(effort: Effort) -> (Vec<Vec<String>>, [u32; 2]) {
    let setups = [extended(2), extended(FAR), without_singular(extended(FAR))];
    let mut deepest = [0; 2];
    let rows = LONG_MATES[..effort.pick(2, LONG_MATES.len())].iter().map(|(fen, moves)| {
        let found = setups.each_ref().map(|setup| mate_at_nominal_depth(setup, fen));
        for (deepest, (plies, _)) in deepest.iter_mut().zip(&found[1..]) {
            *deepest = (*deepest).max(*plies);
        }
        let cell = |plies: u32| if plies == 0 { "-".to_owned() } else { plies.to_string() };
        let mut row = vec![(*fen).to_owned(), (2 * moves - 1).to_string()];
        row.extend(found.map(|(plies, _)| cell(plies)));
        row.push(found[1].1.to_string());
        row
    });
    let rows = rows.collect();
    (rows, deepest)
}

/// Returns the mate plies per ply of depth of the mates that were found. `depths` are those of
/// [`depth_of_mate`].
fn ratios(depths: &[u32], plies: &[f64], most: u32) -> Vec<f64> {
    let found = depths.iter().zip(plies).filter(|&(&depth, _)| depth <= most);
    found.map(|(&depth, plies)| plies / f64::from(depth)).collect()
}

/// Returns the row of a search from the depths of [`depth_of_mate`] and the plies of the mates. The
/// mean depth of mates that were not all found is a lower limit.
fn depth_row(name: &str, depths: &[u32], plies: &[f64], most: u32) -> Vec<String> {
    let ratios = ratios(depths, plies, most);
    let [ratio, best] = if ratios.is_empty() {
        ["-".to_owned(), "-".to_owned()]
    } else {
        let best = ratios.iter().copied().fold(0.0, f64::max);
        [mean(ratios.iter().copied()), best].map(|ratio| format!("{ratio:.2}"))
    };
    let at_least = if ratios.len() < depths.len() { "at least " } else { "" };
    vec![
        name.to_owned(),
        format!("{at_least}{:.2}", mean(depths.iter().map(|&depth| f64::from(depth)))),
        ratio,
        best,
        format!("{} of {}", ratios.len(), depths.len()),
    ]
}

fn singular_extensions(effort: Effort) -> Finding {
    let mates = mates(effort.pick(20, 40));
    if mates.is_empty() {
        return Finding::undecided("the games contain no long forced mates");
    }
    let most = effort.pick(10, 12);
    let play = Setup::play();
    let off = play.clone().with_all(&SINGULAR, false);
    let checks = off.clone().with(Switch::CheckExtension, true);
    let kinds =
        [("as it plays", play), ("no singular extensions", off), ("check extensions instead", checks)];
    let found: Vec<Vec<u32>> = kinds
        .iter()
        .map(|(_, setup)| mates.iter().map(|mate| depth_of_mate(setup, &mate.fen, most)).collect())
        .collect();
    let plies: Vec<f64> = mates.iter().map(|mate| f64::from(2 * mate.moves - 1)).collect();
    let rows = kinds.iter().zip(&found).map(|((name, _), depths)| depth_row(name, depths, &plies, most));
    let rows: Vec<Vec<String>> = rows.collect();
    let saved: Vec<f64> =
        found[1].iter().zip(&found[0]).map(|(off, on)| f64::from(*off) - f64::from(*on)).collect();
    let (saved, half) = mean_and_half(&saved);
    let is_early = |(&depth, &plies): (&u32, &f64)| depth <= most && f64::from(depth) < plies;
    let beyond = found[0].iter().zip(&plies).filter(|&pair| is_early(pair)).count();
    let best = ratios(&found[0], &plies, most).into_iter().fold(0.0, f64::max);
    // The search of the text, on published mates that are long enough.
    let (long, deepest) = long_mates(effort);
    let verdict = verdicts::singular_extensions(deepest);
    let longest = mates.iter().map(|mate| mate.moves).max().unwrap_or(0);
    let measured = format!(
        "at nominal depth {NOMINAL}, extensions without a close limit find a mate of {} plies, {} plies without singular extensions; of {} \
         forced mates in {LEAST_MOVES} to {longest} moves from games, the playing search finds {beyond} at a nominal depth below their \
         length, at best {best:.2} plies per ply of depth, and singular extensions save {} plies on average, with depth {} for mates not found \
         (the position of the text is not published, so others cannot refute it)",
        deepest[0],
        deepest[1],
        mates.len(),
        plus_minus(saved, half, 2),
        most + 1
    );
    Finding::new(verdict, measured)
        .with(
            "Nominal depth at which a forced mate is first found; ratios of the mates found",
            vec!["search", "mean depth", "mate plies per ply of depth", "best ratio", "found"],
            rows,
        )
        .with(
            format!("Published long mates: plies of the mate that is found at nominal depth {NOMINAL}"),
            vec![
                "position",
                "shortest mate",
                "limit of twice the depth",
                "of six times",
                "of six times, no singular extensions",
                "nodes",
            ],
            long,
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_that_are_not_found_have_no_ratio() {
        let row = |depths: &[u32]| depth_row("play", depths, &[9.0, 18.0], 12);
        assert_eq!(row(&[10, 13]), ["play", "at least 11.50", "0.90", "0.90", "1 of 2"]);
        assert_eq!(row(&[10, 12]), ["play", "11.00", "1.20", "1.50", "2 of 2"]);
        assert_eq!(row(&[13, 13]), ["play", "at least 13.00", "-", "-", "0 of 2"]);
    }

    #[test]
    fn a_far_limit_of_extensions_shows_a_mate_beyond_twice_the_depth() {
        let (fen, moves) = LONG_MATES[0];
        let (_, close) = mate_at_nominal_depth(&extended(2).hash(4), fen);
        let (plies, nodes) = mate_at_nominal_depth(&extended(FAR).hash(4), fen);
        assert!(plies >= 2 * moves - 1 && plies > 2 * NOMINAL, "{plies}");
        assert!(nodes > close, "the close limit cuts extensions short: {nodes} nodes, {close} with it");
    }
}
