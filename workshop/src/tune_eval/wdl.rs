//! Fit of the engine's model of win, draw and loss to recorded scores, the material on the board and the nodes
//! per move of the games.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use stretto::eval::{REFERENCE_NODES, Trend, WdlCurve, WdlModel, material_points};

use super::games::{GamesError, RecordedScore, ScoredGame, read_games};
use super::outcome::{ENOUGH, LIMIT};
use stretto_harness::base::cancel::Cancel;

/// Scores are counted in classes of this width. Units: centipawns.
const CLASS: i32 = 5;
/// Upper ends of the ranges of material in the report. Units: points.
const RANGES: [u32; 4] = [19, 39, 59, u32::MAX];

/// A PGN file and the nodes per move of its games, as `NODES=FILE` or `FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GamesFile {
    /// Nodes per move, if stated.
    pub nodes: Option<u64>,
    /// Path of the file.
    pub path: PathBuf,
}

impl FromStr for GamesFile {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let stated = text.split_once('=').and_then(|(nodes, path)| Some((nodes.parse().ok()?, path)));
        Ok(match stated {
            Some((nodes, path)) if nodes > 0 => Self { nodes: Some(nodes), path: path.into() },
            _ => Self { nodes: None, path: text.into() },
        })
    }
}

/// Counts of loss, draw and win for a range of scores. Shape: `[points * 2]`.
type Counts = [f64; 3];

/// Counts by score of the mover, for one number of nodes and one of material. Keys: classes of scores.
type Scores = BTreeMap<i32, Counts>;

/// Counts by nodes per move, then by material in points.
#[derive(Default)]
pub(super) struct Samples(BTreeMap<u64, BTreeMap<u32, Scores>>);

/// The fitted model and the data behind the fit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WdlFit {
    pub model: WdlModel,
    pub games: usize,
    /// Number of games without a result, which are skipped.
    pub unfinished: usize,
    pub scores: f64,
    /// Results by nodes and material.
    pub rows: Vec<WdlRow>,
}

/// The results of the scores of one number of nodes and a range of material.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WdlRow {
    /// Nodes per move of the games.
    pub nodes: u64,
    /// Smallest and largest material. Units: points.
    pub material: [u32; 2],
    pub scores: f64,
    /// Share of games won by the side with the better score: in the games, and by the model.
    pub wins: [f64; 2],
    /// Share of games drawn: in the games, and by the model.
    pub draws: [f64; 2],
}

/// Fits the model to the scores recorded in PGN files; `None` with too few scores. Files without nodes per move
/// count as one number of nodes, on which the model then does not depend.
pub(crate) fn fit_wdl(files: &[GamesFile], cancel: &Cancel) -> Result<Option<WdlFit>, GamesError> {
    let (mut samples, mut games, mut unfinished) = (Samples::default(), 0, 0);
    for GamesFile { nodes, path } in files {
        let read = read_games(std::slice::from_ref(path), cancel)?;
        (games, unfinished) = (games + read.games.len(), unfinished + read.unfinished);
        for game in &read.games {
            samples.add(nodes.unwrap_or(REFERENCE_NODES as u64), game);
        }
    }
    let scores = samples.cells().map(|cell| cell.times()).sum();
    Ok((scores >= ENOUGH).then(|| {
        let model = samples.fit();
        WdlFit { model, games, unfinished, scores, rows: samples.rows(model) }
    }))
}

impl WdlFit {
    /// Whether the scores predict the results: the values of the model are among the scores.
    pub(crate) fn is_plausible(&self) -> bool {
        let range = 1.0..f64::from(LIMIT);
        [self.model.even, self.model.spread].iter().all(|trend| range.contains(&trend.value))
    }
}

/// The counts of one class of scores.
struct Cell {
    nodes: u64,
    material: u32,
    /// Middle of the class. Units: centipawns.
    score: f64,
    counts: Counts,
}

impl Cell {
    /// Returns the number of scores.
    fn times(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Returns the probabilities of loss, draw and win. They sum to 1.
fn chances(curve: WdlCurve, score: f64) -> [f64; 3] {
    let (win, loss) = (curve.win(score), curve.win(-score));
    [loss, 1.0 - win - loss, win]
}

impl Samples {
    /// Counts the recorded scores of a game.
    fn add(&mut self, nodes: u64, game: &ScoredGame) {
        let by_material = self.0.entry(nodes).or_default();
        let mut position = *game.start.position();
        for played in &game.moves {
            if let Some(RecordedScore::Centipawns(cp)) = played.score
                && cp.abs() <= LIMIT
            {
                let scores = by_material.entry(material_points(&position)).or_default();
                // Towards the nearest class, with 0 in the middle of one.
                let class = (f64::from(cp) / f64::from(CLASS)).round() as i32;
                let half_points = game.half_points_of(position.side_to_move());
                scores.entry(class).or_default()[usize::from(half_points)] += 1.0;
            }
            position = position.after(played.mv);
        }
    }

    /// Returns the counts of every class.
    fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.0.iter().flat_map(|(&nodes, by_material)| {
            by_material.iter().flat_map(move |(&material, scores)| {
                scores.iter().map(move |(&class, &counts)| Cell {
                    nodes,
                    material,
                    score: f64::from(class * CLASS),
                    counts,
                })
            })
        })
    }

    /// Fits the model by maximum likelihood.
    fn fit(&self) -> WdlModel {
        let steps = if self.0.len() > 1 { [0.1, 0.1, 0.1] } else { [0.1, 0.1, 0.0] };
        let start = [100.0_f64.ln(), 0.0, 0.0];
        let (start, steps) = ([start, start].concat(), [steps, steps].concat());
        let found = smallest(&start, &steps, |values| self.surprise(&model(values)));
        model(&found)
    }

    /// Returns the negative log-likelihood of the results. Units: nats.
    fn surprise(&self, model: &WdlModel) -> f64 {
        let mut sum = 0.0;
        for (&nodes, by_material) in &self.0 {
            for (&material, scores) in by_material {
                let curve = model.curve_beyond(material, nodes as f64);
                for (&class, counts) in scores {
                    let chances = chances(curve, f64::from(class * CLASS));
                    let terms = counts.iter().zip(chances);
                    sum -= terms.map(|(times, chance)| times * chance.max(1e-12).ln()).sum::<f64>();
                }
            }
        }
        sum
    }

    /// Returns the results by nodes and ranges of material, beside those of the model.
    fn rows(&self, model: WdlModel) -> Vec<WdlRow> {
        let mut rows: Vec<WdlRow> = Vec::new();
        for &nodes in self.0.keys() {
            let mut least = 0;
            for most in RANGES {
                let range = least..=most;
                let cells = self.cells().filter(|cell| cell.nodes == nodes && range.contains(&cell.material));
                rows.extend(row(nodes, [least, most], cells, model));
                least = most.saturating_add(1);
            }
        }
        rows
    }
}

/// Sums up the results of a range; `None` without scores.
fn row(nodes: u64, range: [u32; 2], cells: impl Iterator<Item = Cell>, model: WdlModel) -> Option<WdlRow> {
    let (mut scores, mut wins, mut draws, mut most) = (0.0, [0.0; 2], [0.0; 2], 0);
    for cell in cells {
        let times = cell.times();
        let [loss, draw, win] = chances(model.curve_beyond(cell.material, nodes as f64), cell.score);
        // With a score of 0 neither side is better.
        let [won, expected] = match cell.score {
            score if score > 0.0 => [cell.counts[2], win],
            score if score < 0.0 => [cell.counts[0], loss],
            _ => [f64::midpoint(cell.counts[0], cell.counts[2]), win],
        };
        scores += times;
        wins = [wins[0] + won, wins[1] + times * expected];
        draws = [draws[0] + cell.counts[1], draws[1] + times * draw];
        most = most.max(cell.material);
    }
    let share = |counts: [f64; 2]| counts.map(|count| count / scores);
    let material = [range[0], range[1].min(most.max(range[0]))];
    (scores > 0.0).then(|| WdlRow { nodes, material, scores, wins: share(wins), draws: share(draws) })
}

/// Returns the model with these values: logarithm, exponent of the material and exponent of the nodes, of `even`
/// and then of `spread`.
fn model(values: &[f64]) -> WdlModel {
    let trend =
        |at: usize| Trend { value: values[at].exp(), material: values[at + 1], nodes: values[at + 2] };
    WdlModel { even: trend(0), spread: trend(3) }
}

/// Step below which a value counts as found, relative to the first one.
const PRECISION: f64 = 1e-4;

/// Returns the arguments of a minimum near `start`, found by a search along each coordinate with steps that grow
/// after a success and shrink otherwise. A step of 0 keeps a coordinate.
///
/// Source: Hooke and Jeeves, "Direct search solution of numerical and statistical problems" (1961).
fn smallest(start: &[f64], first_steps: &[f64], of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let (mut best, mut steps) = (start.to_vec(), first_steps.to_vec());
    let mut least = of(&best);
    while steps.iter().zip(first_steps).any(|(step, first)| step.abs() > PRECISION * first) {
        for index in 0..best.len() {
            if first_steps[index] == 0.0 {
                continue;
            }
            let is_better = [steps[index], -steps[index]].into_iter().find(|step| {
                let mut tried = best.clone();
                tried[index] += step;
                let value = of(&tried);
                let is_better = value < least;
                if is_better {
                    (best, least) = (tried, value);
                }
                is_better
            });
            steps[index] = is_better.map_or(steps[index] / 2.0, |step| step * 1.5);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use stretto::position::{Game, Position};
    use stretto::types::Move;

    use super::super::games::ScoredMove;
    use super::*;

    const KNOWN: WdlModel = WdlModel {
        even: Trend { value: 110.0, material: -0.9, nodes: 0.02 },
        spread: Trend { value: 70.0, material: 0.1, nodes: -0.2 },
    };

    /// Returns samples whose shares are exactly those of the known model.
    fn samples(all_nodes: &[u64]) -> Samples {
        let mut samples = Samples::default();
        for &nodes in all_nodes {
            for material in [8, 20, 35, 50, 65, 78] {
                let curve = KNOWN.curve_beyond(material, nodes as f64);
                let class =
                    |class: i32| (class, chances(curve, f64::from(class * CLASS)).map(|share| 50.0 * share));
                samples
                    .0
                    .entry(nodes)
                    .or_default()
                    .insert(material, (-160..=160).step_by(4).map(class).collect());
            }
        }
        samples
    }

    fn assert_near(found: Trend, expected: Trend) {
        let relative = found.value / expected.value - 1.0;
        let differences = [relative, found.material - expected.material, found.nodes - expected.nodes];
        assert!(differences.iter().all(|difference| difference.abs() < 2e-3), "{found:?} {expected:?}");
    }

    #[test]
    fn known_model_is_recovered() {
        let samples = samples(&[1_000, 10_000, 80_000]);
        let found = samples.fit();
        assert_near(found.even, KNOWN.even);
        assert_near(found.spread, KNOWN.spread);
        let rows = samples.rows(found);
        assert_eq!(rows.len(), 12);
        assert_eq!((rows[3].nodes, rows[3].material), (1_000, [60, 78]));
        for WdlRow { wins, draws, .. } in &rows {
            assert!((wins[0] - wins[1]).abs() < 1e-3 && (draws[0] - draws[1]).abs() < 1e-3, "{rows:?}");
        }
        assert!(rows[0].draws[0] > rows[3].draws[0] && rows[3].draws[0] < rows[11].draws[0]);
    }

    #[test]
    fn scores_are_counted_for_the_side_that_moves() {
        let start = Game::new(Position::startpos());
        let position = start.position();
        let mv = |text: &str, position: &Position| position.parse_uci(text).unwrap();
        let first = mv("e2e4", position);
        let second = mv("e7e5", &position.after(first));
        let score = |mv: Move, score| ScoredMove { mv, score: Some(score) };
        let moves =
            [score(first, RecordedScore::Centipawns(12)), score(second, RecordedScore::Centipawns(-13))];
        let game = ScoredGame { players: Default::default(), start, moves: moves.to_vec(), half_points: 2 };
        let mut samples = Samples::default();
        samples.add(1_000, &game);
        samples.add(1_000, &game);
        let (white, black) = ((2, [0.0, 0.0, 2.0]), (-3, [2.0, 0.0, 0.0]));
        assert_eq!(samples.0, [(1_000, [(78, Scores::from([white, black]))].into())].into());
    }

    #[test]
    fn wins_are_those_of_the_side_with_the_better_score() {
        let won = |score| {
            let cell = Cell { nodes: 1_000, material: 40, score, counts: [30.0, 10.0, 60.0] };
            row(1_000, [0, 78], std::iter::once(cell), KNOWN).unwrap()
        };
        for (score, share) in [(-100.0, 0.3), (0.0, 0.45), (100.0, 0.6)] {
            assert!((won(score).wins[0] - share).abs() < 1e-9, "{score}");
        }
        assert!(
            (won(-100.0).wins[1] - won(100.0).wins[1]).abs() < 1e-9 && won(100.0).wins[1] > won(0.0).wins[1]
        );
    }

    #[test]
    fn one_number_of_nodes_gives_a_model_without_their_effect() {
        let found = samples(&[10_000]).fit();
        assert_near(found.even, Trend { nodes: 0.0, ..KNOWN.even });
        assert_near(found.spread, Trend { nodes: 0.0, ..KNOWN.spread });
    }

    #[test]
    fn files_state_their_nodes_before_an_equals_sign() {
        let parsed = |text: &str| text.parse::<GamesFile>().map(|file| (file.nodes, file.path)).unwrap();
        assert_eq!(parsed("4000=a/b.pgn"), (Some(4000), "a/b.pgn".into()));
        for plain in ["a/b.pgn", "k=v.pgn", "0=a.pgn", "-1=a.pgn"] {
            assert_eq!(parsed(plain), (None, plain.into()));
        }
    }
}
