//! Fit of the engine's model of win, draw and loss to recorded scores, the material on the board and the nodes
//! per move of the games.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{anyhow, bail, ensure};
use stretto::eval::{REFERENCE_NODES, Trend, WdlCurve, WdlModel, material_points};

use super::games::{RecordedScore, ScoredGame, read_games};
use super::outcome::{ENOUGH, LIMIT};
use super::tuner::POINT_OF_VIEW;
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_stats::symmetric::Symmetric;

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

/// Fits the model to the scores recorded in PGN files. Files without nodes per move count as one number of nodes, on
/// which the model then does not depend.
///
/// Errors: unreadable games, and games that determine no model.
pub(crate) fn fit_wdl(files: &[GamesFile], cancel: &Cancel) -> Result<WdlFit, Stop> {
    let (mut samples, mut games, mut unfinished) = (Samples::default(), 0, 0);
    for GamesFile { nodes, path } in files {
        let read = read_games(std::slice::from_ref(path), cancel)?;
        (games, unfinished) = (games + read.games.len(), unfinished + read.unfinished);
        for game in &read.games {
            samples.add(nodes.unwrap_or(REFERENCE_NODES as u64), game);
        }
    }
    let scores = samples.cells().map(|cell| cell.times()).sum();
    if scores < ENOUGH {
        return Err(anyhow!("the games contain too few scores for a fit").into());
    }
    let model = samples.model()?;
    Ok(WdlFit { model, games, unfinished, scores, rows: samples.rows(model) })
}

/// Checks that the scores predict the results: at the mean material and nodes, `even` is among the scores and the largest
/// score changes the logit of a win by at least a half. Games with few draws have an `even` near 0.
fn check_plausible(values: Values) -> anyhow::Result<()> {
    let [even, spread] = [values[0], values[3]].map(f64::exp);
    let limit = f64::from(LIMIT);
    let is_plausible = even < limit && (1.0..2.0 * limit).contains(&spread);
    ensure!(is_plausible, "the scores do not predict the results: {POINT_OF_VIEW}");
    Ok(())
}

/// Whether the reference values of a model can be used and printed: with a tenth of a centipawn, up to the limit of
/// [`check_plausible`].
fn is_determined(model: &WdlModel) -> bool {
    let limit = 2.0 * f64::from(LIMIT);
    model.even.value < limit && (0.1..limit).contains(&model.spread.value)
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

    /// Returns the model that fits best, if its reference values can be used.
    fn model(&self) -> anyhow::Result<WdlModel> {
        let model = self.fit()?;
        ensure!(
            is_determined(&model),
            "the numbers of nodes are too much alike or too far from {REFERENCE_NODES} to determine the model there; expected games \
             with others, or no `NODES=`"
        );
        Ok(model)
    }

    /// Fits the model by maximum likelihood.
    ///
    /// Each round solves the equations of Fisher's scoring, damped as by Levenberg and Marquardt until the likelihood grows.
    ///
    /// Source: Rao, "Linear Statistical Inference and Its Applications" (1973), section 5g, for scoring; Marquardt, "An
    /// Algorithm for Least-Squares Estimation of Nonlinear Parameters" (1963).
    ///
    /// Errors: there is no maximum, or its values are not among the scores.
    fn fit(&self) -> anyhow::Result<WdlModel> {
        let scales = Scales::of(self);
        let (mut values, mut damping) = (START, 0.0);
        let mut least = self.surprise(&scales.model(values));
        for _ in 0..MAX_ROUNDS {
            let (gradient, information) = self.scoring(&scales, values);
            let step = |matrix: &Symmetric| Some(matrix.inverse()?.times(&gradient));
            let moved = |step: &[f64]| -> Values { std::array::from_fn(|k| values[k] + step[k]) };
            if let Some(step) = step(&information)
                && 0.5 * product(&gradient, &step) < PRECISION
            {
                values = moved(&step);
                check_plausible(values)?;
                return Ok(scales.model(values));
            }
            let mut damped = information.clone();
            for index in 0..SIZE {
                let mut unit = [0.0; SIZE];
                unit[index] = 1.0;
                damped.add_square(&unit, damping * information.at(index, index));
            }
            let tried = step(&damped).map_or(values, |step| moved(&step));
            let surprise = self.surprise(&scales.model(tried));
            if surprise < least {
                (values, least, damping) = (tried, surprise, damping / 10.0);
            } else {
                damping = (10.0 * damping).max(1e-3);
            }
        }
        check_plausible(values)?;
        bail!(
            "found no maximum of the likelihood in {MAX_ROUNDS} rounds: the results follow from the scores without exception, or the \
             games are too few"
        )
    }

    /// Returns the gradient of the log-likelihood and its expected information, for these values.
    fn scoring(&self, scales: &Scales, values: Values) -> ([f64; SIZE], Symmetric) {
        let (mut gradient, mut information) = ([0.0; SIZE], Symmetric::zero(SIZE));
        let model = scales.model(values);
        for cell in self.cells() {
            let curve = model.curve_beyond(cell.material, cell.nodes as f64);
            let regressors = scales.regressors(cell.material, cell.nodes);
            let outcomes = cell.counts.into_iter().zip(chances(curve, cell.score));
            for ((times, chance), slopes) in outcomes.zip(slopes(curve, cell.score)) {
                let chance = chance.max(LEAST_CHANCE);
                let direction: Values = std::array::from_fn(|k| slopes[k / 3] * regressors[k % 3]);
                gradient.iter_mut().zip(direction).for_each(|(sum, part)| *sum += times / chance * part);
                information.add_square(&direction, cell.times() / chance);
            }
        }
        // A quantity that does not vary has no exponent.
        for index in (0..SIZE).filter(|index| scales.widths[index % 3].is_none()) {
            gradient[index] = 0.0;
            information.isolate(index, 1.0);
        }
        (gradient, information)
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
                    sum -= terms.map(|(times, chance)| times * chance.max(LEAST_CHANCE).ln()).sum::<f64>();
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

/// Number of values of the model.
const SIZE: usize = 6;
/// Values of the model for [`Scales`]: logarithm, exponent of the material and exponent of the nodes, of `even` and
/// then of `spread`.
type Values = [f64; SIZE];
/// Values at which the fit starts: 100 centipawns.
const START: Values = [LN_100, 0.0, 0.0, LN_100, 0.0, 0.0];
/// The natural logarithm of 100.
const LN_100: f64 = 2.0 * std::f64::consts::LN_10;
/// Rounds after which a fit has failed; an ordinary one takes about ten.
const MAX_ROUNDS: u32 = 200;
/// Expected gain of a step that is the last one; the step moves no value by more than 0.0015 standard errors. Units: nats.
const PRECISION: f64 = 1e-6;
/// Smallest probability of a result, against infinite logarithms.
const LEAST_CHANCE: f64 = 1e-12;

/// Means and standard deviations of the logarithms of material and nodes over all scores.
///
/// The fit uses logarithms that are standardized with them. The logarithms themselves, relative to the reference values,
/// would hardly differ from a constant if all games had about the same number of nodes, and the fit would not converge.
struct Scales {
    /// Means of 1, material and nodes. That of the constant is 0.
    means: [f64; 3],
    /// Standard deviations; `None` for a quantity that does not vary. That of the constant is 1.
    widths: [Option<f64>; 3],
}

impl Scales {
    fn of(samples: &Samples) -> Self {
        let logs = |cell: &Cell| logs(cell.material, cell.nodes);
        let (mut total, mut means, mut squares) = (0.0, [0.0; 3], [0.0; 3]);
        for cell in samples.cells() {
            total += cell.times();
            means.iter_mut().zip(logs(&cell)).for_each(|(sum, log)| *sum += cell.times() * log);
        }
        means = means.map(|sum| sum / total);
        for cell in samples.cells() {
            for (k, log) in logs(&cell).into_iter().enumerate() {
                squares[k] += cell.times() * (log - means[k]).powi(2);
            }
        }
        let width = |k: usize| Some((squares[k] / total).sqrt()).filter(|&width| width > 1e-9);
        Self { means: [0.0, means[1], means[2]], widths: [Some(1.0), width(1), width(2)] }
    }

    /// Returns the constant 1 and the standardized logarithms of material and nodes.
    fn regressors(&self, material: u32, nodes: u64) -> [f64; 3] {
        let logs = logs(material, nodes);
        std::array::from_fn(|k| self.widths[k].map_or(0.0, |width| (logs[k] - self.means[k]) / width))
    }

    /// Returns the model with these values.
    fn model(&self, values: Values) -> WdlModel {
        let trend = |at: usize| {
            let [_, material, nodes] =
                std::array::from_fn(|k| self.widths[k].map_or(0.0, |width| values[at + k] / width));
            let log = values[at] - material * self.means[1] - nodes * self.means[2];
            Trend { value: log.exp(), material, nodes }
        };
        WdlModel { even: trend(0), spread: trend(3) }
    }
}

/// Returns 1 and the logarithms of material and nodes, relative to the reference values of the model.
fn logs(material: u32, nodes: u64) -> [f64; 3] {
    let power = |material_power: f64, nodes_power: f64| {
        let trend = Trend { value: 1.0, material: material_power, nodes: nodes_power };
        WdlModel { even: trend, spread: trend }.curve_beyond(material, nodes as f64).even.ln()
    };
    [1.0, power(1.0, 0.0), power(0.0, 1.0)]
}

/// Returns the derivatives of loss, draw and win by the logarithms of `even` and `spread`.
fn slopes(curve: WdlCurve, score: f64) -> [[f64; 2]; 3] {
    let of = |score: f64| {
        let win = curve.win(score);
        let density = win * (1.0 - win);
        [-density * curve.even / curve.spread, density * (curve.even - score) / curve.spread]
    };
    let (win, loss) = (of(score), of(-score));
    [loss, [-win[0] - loss[0], -win[1] - loss[1]], win]
}

/// Returns the scalar product.
fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use stretto::position::{Game, Position};
    use stretto::types::{Move, SplitMix64};

    use super::super::games::ScoredMove;
    use super::*;

    const KNOWN: WdlModel = WdlModel {
        even: Trend { value: 110.0, material: -0.9, nodes: 0.02 },
        spread: Trend { value: 70.0, material: 0.1, nodes: -0.2 },
    };

    /// Returns samples whose shares are exactly those of the known model.
    fn samples(all_nodes: &[u64]) -> Samples {
        samples_of(KNOWN, all_nodes)
    }

    fn samples_of(known: WdlModel, all_nodes: &[u64]) -> Samples {
        let mut samples = Samples::default();
        for &nodes in all_nodes {
            for material in [8, 20, 35, 50, 65, 78] {
                let curve = known.curve_beyond(material, nodes as f64);
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
        let found = samples.fit().unwrap();
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
        let found = samples(&[10_000]).fit().unwrap();
        assert_near(found.even, Trend { nodes: 0.0, ..KNOWN.even });
        assert_near(found.spread, Trend { nodes: 0.0, ..KNOWN.spread });
    }

    #[test]
    fn similar_numbers_of_nodes_far_from_the_reference_are_fitted() {
        let found = samples(&[290, 300]).fit().unwrap();
        assert_near(found.even, KNOWN.even);
        assert_near(found.spread, KNOWN.spread);
    }

    #[test]
    fn model_without_usable_reference_values_is_an_error() {
        // 60 centipawns at 295 nodes.
        let spread = Trend { value: 60.0 * (295.0 / REFERENCE_NODES).powi(4), material: 0.1, nodes: -4.0 };
        let steep = samples_of(WdlModel { spread, ..KNOWN }, &[290, 300]);
        let error = steep.model().unwrap_err().to_string();
        assert!(error.starts_with("the numbers of nodes are too much alike"), "{error}");
        assert!(samples(&[290, 300]).model().is_ok());
    }

    #[test]
    fn fit_of_noisy_results_is_a_maximum() {
        let mut samples = samples(&[290, 300]);
        let mut random = SplitMix64::new(6);
        let counts = samples.0.values_mut().flat_map(BTreeMap::values_mut).flat_map(Scores::values_mut);
        counts.flatten().for_each(|count| *count += random.below(20) as f64);
        let found = samples.fit().unwrap();
        // Central differences of the likelihood itself. Units: standard errors.
        for index in 0..SIZE {
            let at = |shift: f64| {
                let mut model = found;
                let trend = if index < 3 { &mut model.even } else { &mut model.spread };
                match index % 3 {
                    0 => trend.value *= shift.exp(),
                    1 => trend.material += shift,
                    _ => trend.nodes += shift,
                }
                samples.surprise(&model)
            };
            let [below, here, above] = [-1e-4, 0.0, 1e-4].map(at);
            let (slope, curvature) = ((above - below) / 2e-4, (above - 2.0 * here + below) / 1e-8);
            assert!(curvature > 0.0 && slope.abs() / curvature.sqrt() < 1e-3, "{index}: {slope} {curvature}");
        }
    }

    #[test]
    fn results_that_follow_from_the_scores_have_no_maximum() {
        let mut samples = Samples::default();
        let class = |class: i32| (class, if class > 0 { [0.0, 0.0, 9.0] } else { [9.0, 0.0, 0.0] });
        samples.0.entry(1_000).or_default().insert(40, (-50..=50).map(class).collect());
        assert!(samples.fit().is_err());
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
