//! Claims about opening books, tested on books from self-play games (`book_games`).

use std::collections::HashSet;

use stretto::book::{Book, BookKey, BookMove, Entry, candidates};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::types::{Color, Nodes, Score, SplitMix64};

use super::book_games::{SelfPlay, Source, book_of, games};
use super::claim::{Claim, Effort, Finding, claims, mean, mean_and_half, plus_minus, share_plus_minus};
use super::limits::REJECTED;
use super::verdicts;
use crate::books::{CheckOptions, LearnedResults, SourceGame, check_book};
use stretto_harness::base::cancel::Cancel;

pub(super) const CLAIMS: &[Claim] = claims! {
    B2 [BooksAndTables] "Two positions have the same 64-bit key so rarely that books need not check for it"
        Sized(collisions);
    B3 [BooksAndTables] "A book rates its moves, and an engine may select the strongest or the weakest"
        Arithmetic("an entry has a weight, and the option `Book Selection` takes the heaviest move, the lightest or a random one by weight");
    B4 [BooksAndTables] "A book that records the results of its moves learns from its games"
        Sized(learning);
    B5 [BooksAndTables] "A book looks up positions, so it recognises transpositions"
        Arithmetic("the key of an entry is computed from the position and not from the moves before it");
    B6 [BooksAndTables] "A book must suit its engine: without the moves that the engine rejects it performs better"
        Sized(pruning);
    B7 [BooksAndTables] "A book reaches the first 5 to 15 moves, and with every move it is less likely to know the position"
        Sized(reach);
};

/// Number of parts into which keys are divided by their leading bits, so that one part fits into
/// memory.
const PARTS: u64 = 8;
/// Length of a random game. Units: plies.
const WALK: u64 = 80;
/// Number of expected pairs from which on the count is compared with the expectation.
const ENOUGH: f64 = 100.0;

fn collisions(effort: Effort) -> Finding {
    let positions: u64 = effort.pick(1_000_000, 100_000_000);
    let lengths = [32, 36, 40, 44, 48, 56, 64];
    let (mut distinct, mut equal) = (0_u64, [0_u64; 7]);
    let parts = effort.pick(1, PARTS);
    for part in 0..parts {
        let mut keys = keys_of_part(positions, part, parts);
        keys.sort_unstable();
        keys.dedup();
        distinct += keys.len() as u64;
        for (bits, equal) in lengths.into_iter().zip(&mut equal) {
            let head = |key: &(u64, u64)| key.0 >> (64 - bits);
            let runs = keys.chunk_by(|one, other| head(one) == head(other));
            *equal += runs.map(|run| run.len() as u64 * (run.len() as u64 - 1) / 2).sum::<u64>();
        }
    }
    let expected = |bits: u32| (distinct as f64).powi(2) / 2_f64.powi(bits as i32 + 1);
    let by_chance = lengths.iter().zip(&equal).all(|(&bits, &found)| {
        let expected = expected(bits);
        expected < ENOUGH || (found as f64 - expected).abs() < 5.0 * expected.sqrt()
    });
    let rows = lengths
        .iter()
        .zip(&equal)
        .map(|(&bits, found)| vec![bits.to_string(), found.to_string(), format!("{:.3e}", expected(bits))]);
    let whole = equal[lengths.len() - 1];
    let rate = if by_chance { "as often as" } else { "not as often as" };
    let measured = format!(
        "{} key collisions among {distinct} distinct positions of random games, {:.1e} expected; truncated keys collide {rate} \
         chance says",
        whole,
        expected(64)
    );
    Finding::new(verdicts::collisions(whole, by_chance), measured).with(
        "Pairs of positions whose keys agree in their first bits",
        vec!["bits", "found", "expected"],
        rows.collect(),
    )
}

/// Returns the book key and the independent search key of the random positions that belong to a
/// part.
fn keys_of_part(positions: u64, part: u64, parts: u64) -> Vec<(u64, u64)> {
    let mut random = SplitMix64::new(2);
    let mut keys = Vec::with_capacity((positions / parts + positions / parts / 8) as usize);
    let mut game = Game::new(Position::startpos());
    let mut left = WALK;
    for _ in 0..positions {
        let moves = game.position().legal_moves();
        if moves.is_empty() || left == 0 {
            (game, left) = (Game::new(Position::startpos()), WALK);
            continue;
        }
        game.play(moves[random.below(moves.len() as u64) as usize]);
        left -= 1;
        let key = BookKey::of(&game).0;
        if (u128::from(key) * u128::from(parts)) >> 64 == u128::from(part) {
            keys.push((key, game.position().key().0));
        }
    }
    keys
}

/// Length of the book part of a game. Units: plies.
const BOOK_PLIES: usize = 16;

/// Lines for White of equal weight. The last one loses by force to a mate in one.
const LINES: [&str; 4] = ["e2e4", "d2d4", "c2c4", "f2f3 e7e5 g2g4"];

/// The reply to the losing line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    /// Black has no book and replies freely.
    Free,
    /// Black's book has the refutation.
    Refuting,
}

/// Builds the book of [`LINES`], for White alone or for both sides, with weight 10 for each move.
fn seeded_book(reply: Reply) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in LINES {
        let mut game = Game::new(Position::startpos());
        for text in line.split(' ') {
            let Ok(mv) = game.position().parse_uci(text) else { break };
            if reply == Reply::Refuting || game.position().side_to_move() == Color::White {
                entries.push(Entry {
                    key: BookKey::of(&game),
                    mv: BookMove::new(mv),
                    weight: 10,
                    ..Entry::default()
                });
            }
            game.play(mv);
        }
    }
    entries
}

/// The history of a series of games from the seeded book.
struct Series {
    /// Probability of the losing move before each game.
    chance: Vec<f64>,
    /// White's half-points in each game.
    half_points: Vec<u8>,
    /// Learned games, summed over the moves of the starting position.
    learned: u64,
}

fn series(games: usize, learns: bool, reply: Reply) -> Option<Series> {
    let mut table = SelfPlay::new(300, 4)?;
    let mut entries = seeded_book(reply);
    let start = Game::new(Position::startpos());
    let bad = start.position().parse_uci("f2f3").ok()?;
    let mut series = Series { chance: Vec::new(), half_points: Vec::new(), learned: 0 };
    for _ in 0..games {
        let book = Book::from_entries(entries.clone()).ok()?;
        let moves = candidates(&book, BookKey::of(&start), start.position(), learns);
        let all: u64 = moves.iter().map(|candidate| candidate.share).sum();
        let of_bad = moves.iter().find(|candidate| candidate.mv == bad)?.share;
        series.chance.push(of_bad as f64 / all as f64);
        let source = Some(Source { book: &book, learns });
        let played = table.play([source, source], 0);
        series.half_points.push(played.half_points);
        let mut results = LearnedResults::default();
        results.add(&book, &played, |name| name == "White");
        entries.sort_by_key(|entry| entry.key);
        for position in entries.chunk_by_mut(|one, other| one.key == other.key) {
            results.apply(position);
        }
    }
    let root = BookKey::of(&start);
    let of_root = entries.iter().filter(|entry| entry.key == root);
    series.learned = of_root.map(|entry| u64::from(entry.learned.games)).sum();
    Some(series)
}

/// Tests the claim as first worded, by the chance before the last game against free replies, and
/// against an opponent that plays the refutation.
fn learning(effort: Effort) -> Finding {
    let games = effort.pick(40, 400);
    let run = |learns, reply| series(games, learns, reply);
    let (Some(free), Some(refuted), Some(without)) =
        (run(true, Reply::Free), run(true, Reply::Refuting), run(false, Reply::Refuting))
    else {
        return Finding::no_memory();
    };
    let parts = 4;
    let size = games / parts;
    let rows = (0..parts).map(|part| {
        let range = part * size..(part + 1) * size;
        let score = |series: &Series| {
            100.0 * mean(series.half_points[range.clone()].iter().map(|&points| f64::from(points) / 2.0))
        };
        let chance = |series: &Series| 100.0 * mean(series.chance[range.clone()].iter().copied());
        let cells = [&free, &refuted, &without].map(|series| [chance(series), score(series)]);
        let games = format!("{} to {}", range.start + 1, range.end);
        [games].into_iter().chain(cells.into_iter().flatten().map(|value| format!("{value:.1} %"))).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let ends = |series: &Series| [series.chance[0], series.chance[games - 1]];
    let change = without.chance.iter().map(|&chance| (chance - without.chance[0]).abs()).fold(0.0, f64::max);
    let [free_ends, refuted_ends] = [&free, &refuted].map(ends);
    let measured = format!(
        "before the first and the last of {games} games, the probability of a losing line is {:.0} % and {:.1} % if Black replies \
         freely, {:.0} % and {:.1} % if Black plays the refutation; the counts of the starting position's moves sum to {} and {} games",
        100.0 * free_ends[0],
        100.0 * free_ends[1],
        100.0 * refuted_ends[0],
        100.0 * refuted_ends[1],
        free.learned,
        refuted.learned
    );
    Finding::new(verdicts::learning(free_ends, refuted_ends, change), measured).with(
        "White plays from a book with one losing line out of four: probability of that line, and White's score",
        vec!["games", "free replies", "score", "refutation", "score", "no learning", "score"],
        rows,
    )
}

/// Score margin below the best move at which a book move is rejected.
const MARGIN: Score = Score(REJECTED);

fn pruning(effort: Effort) -> Finding {
    let games = games(effort.pick(100, 1000), 6, 100);
    let Some(book) = book_of(&games, BOOK_PLIES) else { return Finding::no_memory() };
    let start = Game::new(Position::startpos());
    // The evaluation of the games.
    let evaluation = Evaluation::Classical;
    let options = CheckOptions { nodes: Nodes(effort.pick(500, 5000)), margin: MARGIN, start, evaluation };
    let Ok(vetted) = check_book(&book, &options, &Cancel::new(), |_, _| {}) else {
        return Finding::no_memory();
    };
    let flagged: HashSet<(BookKey, BookMove)> = vetted.flagged.iter().map(|one| one.id).collect();
    let kept = book.entries_from(0).filter(|entry| !flagged.contains(&(entry.key, entry.mv)));
    let Ok(pruned) = Book::from_entries(kept.collect()) else {
        return Finding::undecided("the engine rejects every move of the book");
    };
    let Some(mut table) = SelfPlay::new(300, 6) else { return Finding::no_memory() };
    let pairs = effort.pick(20, 500);
    let [whole, pruned] = [&book, &pruned].map(|book| Some(Source { book, learns: false }));
    let points: Vec<f64> = (0..pairs)
        .map(|_| {
            let first = table.play([pruned, whole], 0);
            let second = table.play([whole, pruned], 0);
            f64::from(first.half_points + second.half_points_of(Color::Black)) / 4.0
        })
        .collect();
    let (score, half) = mean_and_half(&points);
    let verdict = verdicts::pruning(score, half);
    let measured = format!(
        "{} of {} moves score more than {} centipawns below the engine's choice; without them it scores {} against \
         the full book in {} games",
        vetted.flagged.len(),
        vetted.moves,
        MARGIN.0,
        share_plus_minus(score, half),
        2 * pairs
    );
    Finding::new(verdict, measured)
}

/// Plies of the games that are compared with books.
const REACH_PLIES: usize = 40;
/// Nodes per move of these games. Each search takes up to a quarter more or less, so that games differ.
const REACH_NODES: u64 = 60;
/// The numbers of games behind large books, as powers of ten: from a collection to all games played.
const COLLECTIONS: [f64; 2] = [6.0, 9.0];

/// Returns the keys before each of the first plies of games from the start position.
fn lines(count: u64, nodes: u64, seed: u64) -> Option<Vec<Vec<BookKey>>> {
    let mut players = SelfPlay::new(nodes, seed)?;
    let keys = |source: &SourceGame| {
        let mut game = source.start.clone();
        let mut keys = Vec::new();
        for played in source.moves.iter().take(REACH_PLIES) {
            keys.push(BookKey::of(&game));
            game.play(played.mv);
        }
        keys
    };
    Some((0..count).map(|_| keys(&players.play_plies([None, None], 0, REACH_PLIES))).collect())
}

/// Returns the number of leading positions that the book knows.
fn known_plies(book: &HashSet<BookKey>, line: &[BookKey]) -> usize {
    line.iter().take_while(|key| book.contains(key)).count()
}

/// Returns the value at `x` of the least-squares line through points.
fn on_line(points: &[(f64, f64)], x: f64) -> f64 {
    let (middle, height) =
        (mean(points.iter().map(|point| point.0)), mean(points.iter().map(|point| point.1)));
    let product: f64 = points.iter().map(|point| (point.0 - middle) * (point.1 - height)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - middle).powi(2)).sum();
    height + product / square * (x - middle)
}

/// Returns a reach with the half-width of its interval, `None` if a limit exceeds the plies that were
/// compared: no game has a longer reach.
fn within_plies((reach, half): (f64, f64)) -> Option<(f64, f64)> {
    (reach + half <= REACH_PLIES as f64).then_some((reach, half))
}

/// Returns the change per ply of the share of games that leave the book, of those still in it, with
/// the half-width of its 95 % interval. `known` has the leading plies that the book knows of each
/// game, and whether the game goes on.
///
/// The shares of different plies are uncorrelated, and under a constant share p that of r games has
/// the variance p (1 - p) / r.
fn hazard_trend(known: &[(usize, bool)]) -> (f64, f64) {
    // The position before the first ply is in every book.
    let at_ply = |ply: usize| {
        let at_risk =
            known.iter().filter(|&&(plies, goes_on)| plies > ply || plies == ply && goes_on).count();
        let left = known.iter().filter(|&&(plies, goes_on)| plies == ply && goes_on).count();
        (ply as f64, at_risk as f64, left as f64)
    };
    let plies: Vec<(f64, f64, f64)> = (1..REACH_PLIES).map(at_ply).collect();
    let sum = |of: &dyn Fn(&(f64, f64, f64)) -> f64| plies.iter().map(of).sum::<f64>();
    let (at_risk, left) = (sum(&|ply| ply.1), sum(&|ply| ply.2));
    let middle = sum(&|ply| ply.0 * ply.1) / at_risk;
    let square = sum(&|ply| ply.1 * (ply.0 - middle).powi(2));
    let slope = sum(&|ply| ply.2 * (ply.0 - middle)) / square;
    let share = left / at_risk;
    (slope, 1.96 * (share * (1.0 - share) / square).sqrt())
}

fn reach(effort: Effort) -> Finding {
    let (most, tested) = effort.pick((300, 60), (10_000, 500));
    let [all, held_out] = [(most, 7), (tested, 8)].map(|(count, seed)| lines(count, REACH_NODES, seed));
    let (Some(all), Some(held_out)) = (all, held_out) else { return Finding::no_memory() };
    let mut rows = Vec::new();
    // By game: the logarithm of the size of the book, and the plies that it knows.
    let mut points: Vec<Vec<(f64, f64)>> = vec![Vec::new(); held_out.len()];
    let (mut known, mut reached) = (Vec::new(), 0.0);
    let mut size = effort.pick(30, 100);
    while size <= most {
        let book: HashSet<BookKey> = all[..size as usize].iter().flatten().copied().collect();
        let plies: Vec<f64> = held_out.iter().map(|line| known_plies(&book, line) as f64).collect();
        let (reach, half) = mean_and_half(&plies);
        reached = reach;
        for (points, &plies) in points.iter_mut().zip(&plies) {
            points.push(((size as f64).log10(), plies));
        }
        let in_book = |line: &Vec<BookKey>| {
            let plies = known_plies(&book, line);
            (plies, plies < line.len())
        };
        known = held_out.iter().map(in_book).collect();
        let share = |ply: usize| {
            plies.iter().filter(|&&known| known >= ply as f64).count() as f64 / plies.len() as f64
        };
        let at = |ply: usize| format!("{:.0} %", 100.0 * share(ply));
        rows.push(vec![size.to_string(), plus_minus(reach, half, 1), at(4), at(8), at(12), at(20)]);
        size *= 10;
    }
    // Each game has a line of its own, so that the interval contains the variation between games.
    let at =
        |size: f64| mean_and_half(&points.iter().map(|points| on_line(points, size)).collect::<Vec<_>>());
    let extrapolated = COLLECTIONS.map(|size| within_plies(at(size)));
    let limits = |(value, half): (f64, f64)| [value - half, value + half];
    let [collection, every] = extrapolated.map(|reach| match reach {
        Some((value, half)) => format!("{} plies", plus_minus(value, half, 0)),
        None => format!("more than the {REACH_PLIES} plies compared"),
    });
    let (trend, half) = hazard_trend(&known);
    let measured = format!(
        "a book of {most} self-play games from the start reaches {reached:.1} plies of other such games; a line through all sizes gives \
         {collection} with a million games and {every} with a thousand million; of the games in the book, the share that leaves it \
         changes by {} percentage points with every ply; the games vary only with the {REACH_NODES} nodes of their searches, so they reach \
         further than those of people",
        plus_minus(100.0 * trend, 100.0 * half, 2)
    );
    let verdict = verdicts::book_reach(extrapolated[1].map(limits), limits((trend, half)));
    Finding::new(verdict, measured).with(
        "Plies of new games that a book knows, and the share of games still in it after some plies",
        vec!["games in the book", "reach in plies (95 %)", "4 plies", "8 plies", "12 plies", "20 plies"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_collide_as_often_as_chance_says() {
        let measured = collisions(Effort::Quick).measured;
        assert!(measured.contains("keys collide as often as chance says"), "{measured}");
    }

    #[test]
    fn losing_line_becomes_rare_with_learning() {
        let with = series(30, true, Reply::Refuting).unwrap();
        assert_eq!(with.learned, 30);
        assert!(with.chance[29] < with.chance[0] / 2.0, "{:?}", with.chance);
        assert_eq!(
            with.chance,
            series(30, true, Reply::Refuting).unwrap().chance,
            "results are reproducible"
        );
        assert!((series(5, false, Reply::Refuting).unwrap().chance[4] - 0.25).abs() < 1e-9);
    }

    #[test]
    fn score_is_the_share_of_the_points() {
        let rows = &learning(Effort::Quick).figures[0].rows;
        let points = series(40, false, Reply::Refuting).unwrap().half_points;
        let scores = points.chunks(10).map(|points| points.iter().map(|&half| u32::from(half)).sum::<u32>());
        let expected: Vec<String> = scores.map(|half| format!("{:.1} %", 5.0 * f64::from(half))).collect();
        assert_eq!(rows.iter().map(|row| row[6].clone()).collect::<Vec<_>>(), expected);
        assert!(points.contains(&2), "a game that White won");
    }

    #[test]
    fn a_book_reaches_all_plies_of_its_own_games() {
        let games = lines(3, 30, 1).unwrap();
        let book: HashSet<BookKey> = games.iter().flatten().copied().collect();
        for line in &games {
            assert!(line.len() > 20 && known_plies(&book, line) == line.len());
        }
        let only_start: HashSet<BookKey> = [games[0][0]].into();
        assert_eq!(known_plies(&only_start, &games[0]), 1);
        assert_ne!(games[0], games[1], "games differ");
    }

    #[test]
    fn line_through_points_is_extrapolated() {
        assert!((on_line(&[(2.0, 10.0), (3.0, 14.0), (4.0, 18.0)], 6.0) - 26.0).abs() < 1e-9);
        assert!((on_line(&[(2.0, 10.0), (3.0, 13.0), (4.0, 10.0)], 9.0) - 11.0).abs() < 1e-9);
    }

    #[test]
    fn reach_is_not_extrapolated_beyond_the_plies_compared() {
        assert_eq!(within_plies((35.0, 1.0)), Some((35.0, 1.0)));
        assert_eq!(within_plies((39.5, 1.0)), None);
        assert_eq!(within_plies((43.0, 2.0)), None);
    }

    #[test]
    fn hazard_trend_tells_rising_from_constant_shares() {
        // Of 2,000 games in the book, a share leaves at every ply; the rest ends while in the book.
        let games = |share: &dyn Fn(usize) -> f64| {
            let (mut known, mut left) = (Vec::new(), 2000_usize);
            for ply in 1..REACH_PLIES {
                let leaving = (left as f64 * share(ply)).round() as usize;
                known.extend(vec![(ply, true); leaving]);
                left -= leaving;
            }
            known.extend(vec![(REACH_PLIES, false); left]);
            hazard_trend(&known)
        };
        let (constant, half) = games(&|_| 0.1);
        assert!(constant.abs() < half, "{constant} ± {half}");
        let (rising, half) = games(&|ply| 0.02 + 0.005 * ply as f64);
        assert!((rising - 0.005).abs() < half && rising > 2.0 * half, "{rising} ± {half}");
        let (falling, half) = games(&|ply| 0.2 - 0.004 * ply as f64);
        assert!(falling < -2.0 * half, "{falling} ± {half}");
    }

    #[test]
    fn parts_contain_every_key_once() {
        let whole = keys_of_part(3000, 0, 1);
        let mut joined: Vec<_> = (0..4).flat_map(|part| keys_of_part(3000, part, 4)).collect();
        let mut sorted = whole.clone();
        sorted.sort_unstable();
        joined.sort_unstable();
        assert_eq!(sorted, joined);
    }
}
