//! The openings of a match: how many were played, their scores, and a map with one square for each.
//!
//! An opening is the position from which the engines play. A book that is shorter than the match starts
//! again, so several draws from it may be one opening.

use std::collections::{BTreeMap, HashMap};

use maud::html;
use shakmaty::EnPassantMode;
use shakmaty::fen::Epd;

use super::MatchConfig;
use crate::base::wording::{grouped, plural};
use crate::config::Variant;
use crate::play::record::{GameRecord, Side};
use crate::play::rules::position_after;
use crate::report::document::Figure;

/// Openings per line of the map.
const MAP_WIDTH: usize = 60;
/// Openings on the map at most: each square takes 120 bytes of the page.
const MAP_MOST: usize = 50 * MAP_WIDTH;
/// Number of fields of a FEN that are the position; the others count moves.
const POSITION_FIELDS: usize = 4;

/// The results of a match by opening, where openings drawn twice from the book count as one.
#[derive(Clone, Debug, Default)]
pub(super) struct OpeningScores {
    /// The draws from the book by number, each with the index of its opening in `scores`.
    draws: BTreeMap<u64, usize>,
    /// The openings by position.
    positions: HashMap<String, usize>,
    scores: Vec<OpeningScore>,
}

/// Results of one opening.
#[derive(Clone, Debug, Default)]
struct OpeningScore {
    label: String,
    /// Half points of the first engine of each pairing.
    first: u64,
    /// Half points of White.
    white: u64,
    games: u64,
}

impl OpeningScores {
    /// Counts a game for its opening, which is known by its number or else by the position it leads to.
    pub(super) fn add(&mut self, config: &MatchConfig, game: &GameRecord) {
        let number = config.opening(game.pair, game.half);
        let index = self.draws.get(&number).copied().unwrap_or_else(|| {
            let next = self.scores.len();
            let index = *self.positions.entry(position(config.variant, game)).or_insert(next);
            self.draws.insert(number, index);
            index
        });
        if index == self.scores.len() {
            self.scores.push(OpeningScore { label: game.opening.clone(), ..OpeningScore::default() });
        }
        let opening = &mut self.scores[index];
        opening.first += u64::from(game.first_half_points());
        opening.white += u64::from(game.result.half_points(Side::White));
        opening.games += 1;
    }

    /// Returns the openings in the order of their first draw.
    fn in_order(&self) -> Vec<&OpeningScore> {
        let mut is_listed = vec![false; self.scores.len()];
        let first_draws =
            self.draws.values().filter(|&&index| !std::mem::replace(&mut is_listed[index], true));
        first_draws.map(|&index| &self.scores[index]).collect()
    }

    /// Returns the number of openings, and of those in which one colour won all games.
    pub(super) fn text(&self) -> String {
        let (openings, draws) = (self.scores.len(), self.draws.len());
        let repeats = (draws > openings).then(|| format!(", repeated: {draws} were drawn from the book"));
        let repeats = repeats.unwrap_or_default();
        let games: u64 = self.scores.iter().map(|opening| opening.games).sum();
        let white: u64 = self.scores.iter().map(|opening| opening.white).sum();
        let is_one_sided = |opening: &&OpeningScore| {
            opening.games > 1 && (opening.white == 0 || opening.white == 2 * opening.games)
        };
        let one_sided = self.scores.iter().filter(is_one_sided).count();
        let share = 50.0 * white as f64 / games.max(1) as f64;
        format!(
            "{openings} {}{repeats}; White scored {share:.1} %; {one_sided} {} gave every game to the same colour.",
            plural(openings, "opening"),
            plural(one_sided, "opening")
        )
    }

    /// Draws one square per opening, coloured by the score of the first engine: those that were drawn first if there are many.
    pub(super) fn map(&self, is_between_two: bool) -> Figure {
        const SIDE: usize = 12;
        let (all, drawn) = (self.scores.len(), self.scores.len().min(MAP_MOST));
        let rows = drawn.div_ceil(MAP_WIDTH);
        let square = |(index, opening): (usize, &OpeningScore)| {
            let class = match opening.first {
                0 => "m0",
                first if first < opening.games => "m1",
                first if first == opening.games => "m2",
                first if first < 2 * opening.games => "m3",
                _ => "m4",
            };
            let (x, y) = (index % MAP_WIDTH * SIDE, index / MAP_WIDTH * SIDE);
            let score = format!("{}: {} of {}", opening.label, opening.first as f64 / 2.0, opening.games);
            html! {
                rect class=(class) x=(x) y=(y) width=(SIDE - 1) height=(SIDE - 1) { title { (score) } }
            }
        };
        let squares = html! {
            @for square in self.in_order().into_iter().take(drawn).enumerate().map(square) { (square) }
        };
        let caption = html! {
            p {
                "A square is an opening, in the order of play: "
                span.m0 { "lost" } " " span.m1 { "less than half" } " " span.m2 { "even" } " "
                span.m3 { "more than half" } " " span.m4 { "won" }
                @if is_between_two { " by the first engine." } @else { " by the first engines of the pairings." }
                @if drawn < all { " These are the first " (grouped(drawn as u64)) " of " (grouped(all as u64)) "." }
            }
        };
        let (width, height) = (MAP_WIDTH * SIDE, rows * SIDE);
        Figure::new("Score by opening", width as f64, height as f64, squares).captioned("map", caption)
    }
}

/// Returns the position from which the engines play, without counters.
pub(super) fn position(variant: Variant, game: &GameRecord) -> String {
    let reached = match &game.book[..] {
        [] => None,
        book => position_after(variant, &game.fen, book),
    };
    if let Some(reached) = reached {
        return Epd::from_position(&reached, EnPassantMode::Legal).to_string();
    }
    let start = game.fen.split(' ').take(POSITION_FIELDS).map(str::to_owned);
    start.chain(game.book.iter().cloned()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use maud::Render;

    use super::*;
    use crate::config::Source;
    use crate::play::matches::{ExecutionArgs, LoadedMatch, RunKind};
    use crate::play::record::{GameResult, sample_game};

    fn config(more: &str) -> MatchConfig {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("book.epd"), "").unwrap();
        let text = format!(
            "engines: [{{ name: one, command: sh }}, {{ name: two, command: sh }}]\nnodes: 1\ngames: 8\n\
             openings: {{ file: book.epd }}\n{more}"
        );
        let source = Source::new(dir.path().join("match.yaml"), text);
        LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap().config
    }

    /// Returns a won game of White from the position after the moves of the book.
    fn game(number: u64, book: &[&str]) -> GameRecord {
        GameRecord {
            book: book.iter().map(|text| (*text).to_owned()).collect(),
            result: GameResult::White,
            ..sample_game(number)
        }
    }

    #[test]
    fn openings_are_counted_by_position() {
        let config = config("");
        let mut scores = OpeningScores::default();
        // The pairs 0 and 2 transpose into the same position.
        let books: [&[&str]; 3] = [&["g1f3", "d7d5", "d2d4"], &["e2e4"], &["d2d4", "d7d5", "g1f3"]];
        for number in [2, 3, 0, 1] {
            scores.add(&config, &game(number, books[number as usize / 2]));
        }
        assert!(
            scores.text().starts_with("2 openings; White scored 100.0 %; 2 openings gave"),
            "{}",
            scores.text()
        );
        for number in [4, 5] {
            let lost = GameRecord { result: GameResult::Black, ..game(number, books[2]) };
            scores.add(&config, &lost);
        }
        let text = scores.text();
        assert!(text.starts_with("2 openings, repeated: 3 were drawn from the book; White"), "{text}");
        assert!(text.contains("; 1 opening gave every game"), "the two pairs of one opening differ: {text}");
        let games: Vec<u64> = scores.in_order().iter().map(|opening| opening.games).collect();
        assert_eq!(games, [4, 2], "in the order of play, not of the ends of the games");
        // Each has half of its points, so both have the colour in the middle.
        let map = scores.map(true).render().into_string();
        assert_eq!(
            [map.matches("<rect").count(), map.matches("<rect class=\"m2\"").count()],
            [2, 2],
            "{map}"
        );
    }

    #[test]
    fn map_of_many_openings_is_limited() {
        let config = config("repeat: false\n");
        let mut scores = OpeningScores::default();
        for number in 0..10_001_u64 {
            let fen = format!("4k3/8/8/8/8/8/8/4K3 w - - {number} {number}");
            scores.draws.insert(number, scores.scores.len());
            scores.scores.push(OpeningScore { label: fen, games: 2, ..OpeningScore::default() });
        }
        scores.add(&config, &game(0, &["e2e4"]));
        let map = scores.map(true).render().into_string();
        assert_eq!(map.matches("<rect").count(), MAP_MOST);
        assert!(map.contains("These are the first 3,000 of 10,001."), "{}", &map[map.len() - 300..]);
    }

    #[test]
    fn opening_counts_as_won_if_all_its_games_are() {
        let mut scores = OpeningScores::default();
        for number in 0..4 {
            let result = if number == 3 { GameResult::Draw } else { GameResult::White };
            scores.add(&config("swap: false\n"), &GameRecord { result, ..game(number, &["e2e4"]) });
        }
        let map = scores.map(true).render().into_string();
        assert!(map.contains("<rect class=\"m3\"") && !map.contains("<rect class=\"m4\""), "{map}");
    }

    #[test]
    fn pair_without_repeated_opening_counts_two() {
        let config = config("repeat: false\n");
        let mut scores = OpeningScores::default();
        scores.add(&config, &game(0, &["e2e4"]));
        scores.add(&config, &game(1, &["d2d4"]));
        assert!(scores.text().starts_with("2 openings; "), "{}", scores.text());
    }
}
