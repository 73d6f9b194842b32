//! Statistics of game files: lengths, results, scores, pieces and duplicates.

use std::collections::HashSet;
use std::fmt::Write as _;

use stretto::types::Score;

use super::games::PlayedGame;
use super::sample::{Filter, Sample};
use crate::tune_eval::{is_inside, scale_of};

/// Width of a score bin. Units: centipawns.
const SCORE_CLASS: i16 = 100;
/// Scores beyond this limit share one bin per sign. Units: centipawns.
const SCORE_LIMIT: i16 = 1500;
/// Scores beyond this limit are not used to fit the scale. Units: centipawns.
const SCALE_LIMIT: f64 = 600.0;
/// Lower end of the last length bin. Units: plies.
const LENGTH_LIMIT: usize = 400;
/// Width of a length bin. Units: plies.
const LENGTH_CLASS: usize = 25;

/// The statistics of games and of the positions that pass a filter.
#[derive(Clone, Debug)]
pub(crate) struct Inspection {
    filter: Filter,
    /// Number of games read.
    pub games: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Positions that pass the filter.
    pub positions: u64,
    /// Positions that occurred before.
    pub duplicates: u64,
    /// Positions with mate scores.
    pub mates: u64,
    /// Games by White's half-points.
    pub results: [u64; 3],
    /// Positions by number of pieces.
    pub pieces: [u64; 33],
    scores: Vec<u64>,
    lengths: Vec<u64>,
    /// Half-points of the side to move, summed by score bin.
    points: Vec<u64>,
    seen: HashSet<u64>,
}

impl Inspection {
    /// Creates statistics without games.
    pub(crate) fn new(filter: Filter) -> Self {
        let classes = 2 * (SCORE_LIMIT / SCORE_CLASS) as usize + 1;
        Self {
            filter,
            games: 0,
            plies: 0,
            positions: 0,
            duplicates: 0,
            mates: 0,
            results: [0; 3],
            pieces: [0; 33],
            scores: vec![0; classes],
            points: vec![0; classes],
            lengths: vec![0; LENGTH_LIMIT / LENGTH_CLASS + 1],
            seen: HashSet::new(),
        }
    }

    /// Adds a game to the statistics.
    pub(crate) fn add(&mut self, game: &PlayedGame) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.results[usize::from(game.half_points)] += 1;
        self.lengths[game.moves.len().min(LENGTH_LIMIT) / LENGTH_CLASS] += 1;
        self.mates += game.moves.iter().filter(|&&(_, score)| Score(score.into()).is_mate()).count() as u64;
        for sample in Sample::of_game(game, &self.filter) {
            self.positions += 1;
            self.pieces[sample.pieces()] += 1;
            let class = sample.score().clamp(-SCORE_LIMIT, SCORE_LIMIT) + SCORE_LIMIT + SCORE_CLASS / 2;
            let class = (class / SCORE_CLASS) as usize;
            self.scores[class] += 1;
            self.points[class] += u64::from(sample.half_points());
            let bytes = sample.to_bytes();
            let hash = blake3::hash(&bytes[..24]);
            let short = u64::from_le_bytes(std::array::from_fn(|index| hash.as_bytes()[index]));
            self.duplicates += u64::from(!self.seen.insert(short));
        }
    }

    /// Returns the scale of the maximum-likelihood logistic curve `1 / (1 + exp(-score / scale))`
    /// from score to result: the score with an expected result of 73 %. Returns `None` if scores
    /// and results are not positively related. Units: centipawns.
    pub(crate) fn result_scale(&self) -> Option<f64> {
        let classes = self.scores.iter().zip(&self.points).enumerate().map(|(index, (&count, &points))| {
            let score = index as f64 * f64::from(SCORE_CLASS) - f64::from(SCORE_LIMIT);
            (score, points as f64 / (2 * count.max(1)) as f64, count as f64)
        });
        let classes: Vec<_> = classes.filter(|&(score, ..)| score.abs() <= SCALE_LIMIT).collect();
        Some(scale_of(&classes)).filter(|&scale| is_inside(scale))
    }

    /// Formats the statistics as text.
    pub(crate) fn report(&self) -> String {
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let mut text = format!(
            "{} games, {} plies ({:.1} per game), {} positions after the filter ({:.1} %), {} duplicates ({:.2} %)\n",
            self.games,
            self.plies,
            self.plies as f64 / self.games.max(1) as f64,
            self.positions,
            share(self.positions, self.plies),
            self.duplicates,
            share(self.duplicates, self.positions)
        );
        let [lost, drawn, won] = self.results.map(|count| share(count, self.games));
        let _ = writeln!(
            text,
            "White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} %; {} mate scores",
            self.mates
        );
        text.push_str("\nScore for the side to move, share of positions, mean points\n");
        for (index, (&count, &points)) in self.scores.iter().zip(&self.points).enumerate() {
            let score = index as i32 * i32::from(SCORE_CLASS) - i32::from(SCORE_LIMIT);
            let mean = points as f64 / (2 * count.max(1)) as f64;
            let _ = writeln!(
                text,
                "{score:>6}  {:6.2} %  {mean:.3}  {}",
                share(count, self.positions),
                bar(count, &self.scores)
            );
        }
        if let Some(scale) = self.result_scale() {
            let _ = writeln!(
                text,
                "A score of {scale:.0} has an expected result of 73 %: use it as `scale` in training to make scores and results agree"
            );
        }
        text.push_str("\nPieces, share of positions\n");
        for (pieces, &count) in self.pieces.iter().enumerate().skip(2) {
            let _ = writeln!(
                text,
                "{pieces:>6}  {:6.2} %  {}",
                share(count, self.positions),
                bar(count, &self.pieces)
            );
        }
        text.push_str("\nPlies from, share of games\n");
        for (index, &count) in self.lengths.iter().enumerate() {
            let _ = writeln!(
                text,
                "{:>6}  {:6.2} %  {}",
                index * LENGTH_CLASS,
                share(count, self.games),
                bar(count, &self.lengths)
            );
        }
        text
    }
}

/// Returns a bar proportional to a count.
fn bar(count: u64, all: &[u64]) -> String {
    let most = all.iter().copied().max().unwrap_or(0).max(1);
    "#".repeat((40 * count / most) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::data::games::tests::sample as game;

    #[test]
    fn all_statistics_are_counted() {
        let mut inspection =
            Inspection::new(Filter { min_ply: 0, max_score: 32_000, skip_checks: false, skip_noisy: false });
        inspection.add(&game());
        inspection.add(&game());
        assert_eq!((inspection.games, inspection.plies, inspection.positions), (2, 10, 10));
        assert_eq!((inspection.duplicates, inspection.mates, inspection.results), (5, 2, [0, 0, 2]));
        assert_eq!(inspection.pieces.iter().sum::<u64>(), 10);
        let report = inspection.report();
        assert!(report.contains("2 games, 10 plies (5.0 per game), 10 positions"), "{report}");
        assert!(report.contains("White won 100.0 %, drew 0.0 %"), "{report}");
        // Two positions at 400 for Black, who lost.
        assert!(report.contains("   400   20.00 %  0.000"), "{report}");
        assert_eq!(inspection.result_scale(), None, "losses only");
    }

    #[test]
    fn fitted_scale_matches_the_results() {
        let mut inspection = Inspection::new(Filter::default());
        let classes = inspection.scores.len();
        for index in 0..classes {
            let score = index as f64 * f64::from(SCORE_CLASS) - f64::from(SCORE_LIMIT);
            inspection.scores[index] = 1_000_000;
            inspection.points[index] = (2e6 / (1.0 + (-score / 205.0).exp())).round() as u64;
        }
        let scale = inspection.result_scale().expect("results follow scores");
        assert!((scale - 205.0).abs() < 0.1, "{scale}");
    }
}
