//! The standings of a match between many engines: scores and joint ratings.

use serde::Serialize;

use crate::base::wording::counted;
use crate::play::pairings::Pairing;
use crate::play::verdict::Tracker;
use stretto_stats::counts::Trinomial;
use stretto_stats::elo::Estimate;
use stretto_stats::ratings::{Encounter, Ratings};
use stretto_stats::units::{Elo, Share};

/// Shown in place of the error of a known rating.
const KNOWN: &str = "known";

/// The standing of one engine.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Standing {
    /// Index in the configuration.
    pub engine: usize,
    /// Name of the engine in the configuration.
    pub name: String,
    /// Results of its games in complete pairs.
    pub games: Trinomial,
    /// Mean score per game.
    pub score: Option<Share>,
    /// Joint rating; without known ratings the mean of all engines is 0. Absent while the games do
    /// not connect all engines.
    pub rating: Option<Estimate<Elo>>,
    /// Whether the rating was known before.
    pub is_known: bool,
    /// Likelihood of superiority over the next engine of the table.
    #[serde(rename = "los_over_next")]
    pub above_next: Option<Share>,
}

impl Standing {
    /// Returns the rating with its error, `-` without one.
    pub(super) fn rating_text(&self) -> String {
        let Some(rating) = self.rating else { return "-".to_owned() };
        if self.is_known { format!("{} {KNOWN}", rating.value) } else { rating.to_string() }
    }

    /// Returns games, score, share of draws and superiority over the next engine, as tables show them.
    pub(super) fn cells(&self) -> [String; 4] {
        let text = |share: Option<Share>| share.map_or_else(|| "-".to_owned(), |share| share.to_string());
        let draws = text(self.games.draw_ratio());
        [self.games.games().to_string(), text(self.score), draws, text(self.above_next)]
    }
}

/// The standings of all engines, the strongest first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Standings {
    /// The engines, the strongest first.
    pub table: Vec<Standing>,
    /// Whether the results alone bound every rating. If an engine or a group of engines won or lost
    /// all games against the others, one drawn game is added to each pairing.
    pub is_bounded: bool,
    /// Number of games of incomplete pairs, which count neither for the score nor for the rating.
    pub single: u64,
}

impl Standings {
    /// Computes the standings from the pairings played.
    pub(super) fn of(engines: &[(String, Option<Elo>)], played: &[(Pairing, &Tracker)]) -> Self {
        let encounters: Vec<Encounter> = played
            .iter()
            .map(|(pairing, tracker)| Encounter {
                first: pairing.first,
                second: pairing.second,
                pairs: tracker.score.pairs,
            })
            .collect();
        let known: Vec<Option<Elo>> = engines.iter().map(|(_, known)| *known).collect();
        let ratings = Ratings::fit(&known, &encounters);
        let mut games = vec![Trinomial::default(); engines.len()];
        for (pairing, tracker) in played {
            games[pairing.first] += tracker.score.games;
            games[pairing.second] += tracker.score.games.reversed();
        }
        let standing = |(engine, (name, known)): (usize, &(String, Option<Elo>))| {
            let games = games[engine];
            Standing {
                engine,
                name: name.clone(),
                games,
                score: games.score(),
                rating: ratings.as_ref().map(|ratings| ratings.rating(engine)),
                is_known: known.is_some(),
                above_next: None,
            }
        };
        let mut table: Vec<Standing> = engines.iter().enumerate().map(standing).collect();
        let key = |line: &Standing| {
            // Rounded, so that equal ratings keep the order of the configuration.
            let elo = line.rating.map_or(0.0, |rating| (rating.value.0 * 1e3).round());
            (elo, line.score.map_or(0.5, |score| score.0))
        };
        // Neither is ever NaN; equal engines keep the order of the configuration.
        table.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
        let order: Vec<usize> = table.iter().map(|line| line.engine).collect();
        if let Some(ratings) = &ratings {
            for (line, next) in table.iter_mut().zip(order.iter().skip(1)) {
                line.above_next = Some(ratings.superiority(line.engine, *next));
            }
        }
        let single = played.iter().map(|(_, tracker)| tracker.single().games()).sum();
        Self { table, is_bounded: ratings.is_none_or(|ratings| ratings.is_bounded), single }
    }

    /// Returns whether known ratings fix the scale.
    fn is_to_scale(&self) -> bool {
        self.table.iter().any(|line| line.is_known)
    }

    /// Returns the table as lines of text, with a header.
    pub(crate) fn lines(&self) -> Vec<String> {
        let width = self.table.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(6);
        let head = format!(
            "  # {:width$} {:>8} {:>7} {:>7} {:>8} {:>8} {:>10}",
            "engine", "Elo", "±", "games", "score", "draws", "above next"
        );
        let absent = || "-".to_owned();
        let line = |(place, line): (usize, &Standing)| {
            let elo = line.rating.map_or_else(absent, |rating| rating.value.to_string());
            let error = line.rating.and_then(|rating| rating.half_width).map(|width| width.to_string());
            let error = if line.is_known { Some(KNOWN.to_owned()) } else { error };
            let (place, name, error) = (place + 1, &line.name, error.unwrap_or_else(absent));
            let [games, score, draws, above] = line.cells();
            format!(
                "{place:>3} {name:width$} {elo:>8} {error:>7} {games:>7} {score:>8} {draws:>8} {above:>10}"
            )
        };
        let mut lines = vec![head];
        lines.extend(self.table.iter().enumerate().map(line));
        lines.extend(self.remarks().map(|remark| format!("  {remark}")));
        lines
    }

    /// Returns what has to be known about the numbers, in sentences.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        let to_scale = "the known ratings fix the scale; their own errors are not included";
        let unbounded = "an engine or a group of engines won or lost all games against the others: one drawn game is added to each pairing";
        let single = || format!("{} of incomplete pairs not counted", counted(self.single as usize, "game"));
        let remarks = [
            self.is_to_scale().then(|| to_scale.to_owned()),
            (!self.is_bounded).then(|| unbounded.to_owned()),
            (self.single > 0).then(single),
        ];
        remarks.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::pairings::Pairings;
    use crate::play::record::{GameRecord, GameResult, sample_game};

    /// Trackers of a round robin of three with two pairs each, in which the earlier engine of a pairing wins `wins` games.
    fn round_robin(wins: usize) -> Standings {
        let pairings = Pairings::round_robin(3);
        let mut trackers = vec![Tracker::new(None).unwrap(); 3];
        for pair in 0..6_u64 {
            for half in 0..2 {
                let game = sample_game(2 * pair + half);
                let index = (pair / 3 * 2 + half) as usize;
                let result =
                    if index < wins { GameResult::won_by(game.first_side()) } else { GameResult::Draw };
                trackers[pairings.index_of(pair)].add(&GameRecord { result, ..game });
            }
        }
        let names = ["a", "b", "c"].map(|name| (name.to_owned(), None));
        let played: Vec<_> = pairings.as_slice().iter().copied().zip(&trackers).collect();
        Standings::of(&names, &played)
    }

    #[test]
    fn the_strongest_stands_first() {
        let standings = round_robin(1);
        let names: Vec<&str> = standings.table.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(standings.table[0].games, Trinomial { losses: 0, draws: 6, wins: 2 });
        assert_eq!(standings.table[2].games, Trinomial { losses: 2, draws: 6, wins: 0 });
        assert!(standings.is_bounded && standings.table[0].above_next > Some(Share(0.5)));
        assert_eq!(standings.table[2].above_next, None);
        let lines = standings.lines();
        assert_eq!(lines.len(), 4);
        assert!(lines[1].starts_with("  1 a ") && lines[1].contains("62.5 %"), "{}", lines[1]);
    }

    #[test]
    fn game_of_an_incomplete_pair_counts_for_nobody() {
        let pairings = Pairings::round_robin(3);
        let mut trackers = vec![Tracker::new(None).unwrap(); 3];
        for index in [0, 1, 2] {
            let game = sample_game(index);
            let result = GameResult::won_by(game.first_side());
            trackers[pairings.index_of(game.pair)].add(&GameRecord { result, ..game });
        }
        let names = ["a", "b", "c"].map(|name| (name.to_owned(), None));
        let played: Vec<_> = pairings.as_slice().iter().copied().zip(&trackers).collect();
        let standings = Standings::of(&names, &played);
        assert_eq!(standings.table.iter().map(|line| line.games.games()).sum::<u64>(), 4);
        assert_eq!(standings.lines().last().unwrap(), "  1 game of incomplete pairs not counted");
    }

    #[test]
    fn engine_that_wins_everything_has_a_finite_rating() {
        let standings = round_robin(4);
        assert!(!standings.is_bounded);
        assert!(
            standings.table.iter().all(|line| line.rating.is_some_and(|rating| rating.value.0.is_finite()))
        );
    }

    #[test]
    fn before_the_first_game_there_is_no_order() {
        let names = ["a", "b"].map(|name| (name.to_owned(), None));
        let standings = Standings::of(&names, &[]);
        assert!(standings.table.iter().all(|line| line.rating.is_none() && line.score.is_none()));
        assert!(standings.lines()[2].trim_end().ends_with('-'));
    }
}
