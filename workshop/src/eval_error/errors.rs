//! The figures of the report, computed from scores.

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate::{Estimate, Sums};
use super::positions::{ENDINGS, Group, LEVEL_ENDINGS, PHASES, Scored};
use crate::tune_eval::{POINT_OF_VIEW, is_inside, scale_of, sigmoid};

/// Absolute scores count as at most this value: mate scores would outweigh all others. Units: centipawns.
const MAX_SCORE: f64 = 1000.0;

/// An evaluation of all positions.
pub(super) struct Column {
    pub(super) name: String,
    /// Score of each position for the side to move. Units: centipawns.
    pub(super) scores: Vec<f64>,
}

/// The figures of each evaluation in a group of positions.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) positions: usize,
    /// Number of games that the positions are from.
    pub(super) games: usize,
    /// In the order of the columns.
    pub(super) columns: Vec<Figure>,
}

/// A figure of an evaluation.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) value: Estimate,
    /// `value` minus that of the first column.
    pub(super) difference: Estimate,
    /// The errors against each engine alone, or the percentage of scores beyond a pawn.
    pub(super) further: Vec<f64>,
}

/// Checks that the scores of a file predict the results of its games, which scores of White's view do not.
///
/// Errors: the name of those that do not.
pub(super) fn check(positions: &[Scored], deep: &[String; 2], further: &[Column]) -> Result<(), String> {
    let points: Vec<f64> = positions.iter().map(|one| one.points).collect();
    let deep = [0, 1].map(|engine| Column {
        name: deep[engine].clone(),
        scores: positions.iter().map(|one| one.deep[engine]).collect(),
    });
    // Results may follow the scores exactly, which makes the scale as small as it can be.
    let is_related =
        |column: &&Column| is_inside(fitted_scale(&column.scores, &points).max(MAX_SCORE / 10.0));
    match deep.iter().chain(further).find(|column| !is_related(column)) {
        Some(Column { name, .. }) => {
            Err(format!("{name}: the scores do not predict the results: {POINT_OF_VIEW}"))
        }
        None => Ok(()),
    }
}

/// Returns the root mean square errors against the mean of both engines' expected points in all groups that have positions; as
/// further figures those against each engine's alone. Units: percent of a point.
///
/// In each phase the scale of a deep score is fitted to the results of the games. The scale of an evaluation is fitted to the
/// expected points that it is compared with, so its units do not matter.
pub(super) fn errors(positions: &[Scored], columns: &[Column]) -> Vec<Row> {
    let squares: Vec<_> = columns.iter().map(|column| squares(positions, column)).collect();
    let error = |sum: f64, count: f64| 100.0 * (sum / count).sqrt();
    rows(positions, PHASES.iter().chain(&ENDINGS), columns.len(), |members, column| {
        let (own, first) = (&squares[column], &squares[0]);
        let games = by_game(positions, members, |at| [1.0, own[at][0], first[at][0]]);
        let alone = |target| error(members.iter().map(|&at| own[at][target]).sum(), members.len() as f64);
        Figure {
            value: Estimate::of(&games, |[count, own, _]| error(own, count)),
            difference: Estimate::of(&games, |[count, own, first]| error(own, count) - error(first, count)),
            further: [1, 2].map(alone).to_vec(),
        }
    })
}

/// Returns the mean absolute scores in level endings, in pawns; as further figure the percentage of scores beyond a pawn.
pub(super) fn level_scores(positions: &[Scored], columns: &[Column]) -> Vec<Row> {
    let size = |column: usize, at: usize| columns[column].scores[at].abs().min(MAX_SCORE) / 100.0;
    rows(positions, LEVEL_ENDINGS.iter(), columns.len(), |members, column| {
        let games = by_game(positions, members, |at| [1.0, size(column, at), size(0, at)]);
        let beyond = members.iter().filter(|&&at| size(column, at) > 1.0).count();
        Figure {
            value: Estimate::of(&games, |[count, own, _]| own / count),
            difference: Estimate::of(&games, |[count, own, first]| (own - first) / count),
            further: vec![100.0 * beyond as f64 / members.len() as f64],
        }
    })
}

/// Returns a row for each group that has positions. `figure` gets the indices of its positions and that of a column.
fn rows<'a>(
    positions: &[Scored],
    groups: impl Iterator<Item = &'a Group>,
    columns: usize,
    figure: impl Fn(&[usize], usize) -> Figure,
) -> Vec<Row> {
    let row = |group: &Group| {
        let members = members(positions, group);
        (!members.is_empty()).then(|| Row {
            group: group.0,
            positions: members.len(),
            games: by_game(positions, &members, |_| Sums::default()).len(),
            columns: (0..columns).map(|column| figure(&members, column)).collect(),
        })
    };
    groups.filter_map(row).collect()
}

/// Returns the indices of the positions of a group.
fn members(positions: &[Scored], (_, has): &Group) -> Vec<usize> {
    (0..positions.len()).filter(|&at| has(&positions[at])).collect()
}

/// Returns the sums of each game that has positions among the members.
fn by_game(positions: &[Scored], members: &[usize], value: impl Fn(usize) -> Sums) -> Vec<Sums> {
    let mut games = BTreeMap::<i32, Sums>::new();
    for &at in members {
        let sums = games.entry(positions[at].game).or_default();
        sums.iter_mut().zip(value(at)).for_each(|(sum, value)| *sum += value);
    }
    games.into_values().collect()
}

/// Returns the squared errors of each position: against the mean of both engines, the first and the second.
fn squares(positions: &[Scored], column: &Column) -> Vec<[f64; 3]> {
    let mut squares = vec![[0.0; 3]; positions.len()];
    for group in &PHASES {
        let members = members(positions, group);
        let own: Vec<f64> = members.iter().map(|&at| column.scores[at]).collect();
        let points: Vec<f64> = members.iter().map(|&at| positions[at].points).collect();
        let [first, second] = [0, 1].map(|engine| {
            let deep: Vec<f64> = members.iter().map(|&at| positions[at].deep[engine]).collect();
            expected(&deep, &points)
        });
        for (target, weight) in [0.5, 1.0, 0.0].into_iter().enumerate() {
            let mix = |(first, second): (&f64, &f64)| weight * first + (1.0 - weight) * second;
            let truth: Vec<f64> = first.iter().zip(&second).map(mix).collect();
            for (index, own) in expected(&own, &truth).into_iter().enumerate() {
                squares[members[index]][target] = (own - truth[index]).powi(2);
            }
        }
    }
    squares
}

/// Returns the expected points of scores, by a logistic curve fitted to the points of the same positions.
fn expected(scores: &[f64], points: &[f64]) -> Vec<f64> {
    let scale = fitted_scale(scores, points);
    scores.iter().map(|score| sigmoid(score.clamp(-MAX_SCORE, MAX_SCORE) / scale)).collect()
}

fn fitted_scale(scores: &[f64], points: &[f64]) -> f64 {
    let clamped = scores.iter().map(|score| score.clamp(-MAX_SCORE, MAX_SCORE));
    scale_of(&clamped.zip(points).map(|(score, &points)| (score, points, 1.0)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::position::Position;

    /// Returns rook endings with these deep scores, two of each game, won or drawn as the first score says.
    fn endings(deep: impl Iterator<Item = [f64; 2]>) -> Vec<Scored> {
        let position = Position::from_fen("8/5pk1/6p1/8/1R3P2/6P1/r4PK1/8 w - - 0 1").unwrap();
        let scored = |(at, deep): (usize, [f64; 2])| {
            let points = if deep[0].abs() < 150.0 { 0.5 } else { f64::from(deep[0] > 0.0) };
            Scored { game: at as i32 / 2, points, deep, further: Vec::new(), position }
        };
        deep.enumerate().map(scored).collect()
    }

    #[test]
    fn scores_that_do_not_predict_the_results_are_refused() {
        let positions = endings((0..100).map(|at| [f64::from(at) * 8.0 - 400.0; 2]));
        let deep = ["one", "two"].map(str::to_owned);
        let own = || positions.iter().map(|one| one.deep[0]);
        assert_eq!(check(&positions, &deep, &[column(own())]), Ok(()));
        let of_white = own().enumerate().map(|(at, score)| if at % 2 == 0 { score } else { -score });
        let error = check(&positions, &deep, &[Column { name: "static".to_owned(), ..column(of_white) }]);
        assert!(
            error.unwrap_err().starts_with("static: the scores do not predict the results: are the scores")
        );
    }

    fn column(scores: impl Iterator<Item = f64>) -> Column {
        Column { name: String::new(), scores: scores.collect() }
    }

    #[test]
    fn errors_are_those_of_the_curves_and_do_not_depend_on_units() {
        let deep = || (-40..=40).map(|step| f64::from(step * 10));
        let positions = endings(deep().map(|score| [score; 2]));
        let columns = [column(deep()), column(deep().map(|score| 2.5 * score)), column(deep().map(|_| 0.0))];
        let rows = errors(&positions, &columns);
        let found: Vec<_> = rows.iter().map(|row| (row.group, row.positions, row.games)).collect();
        assert_eq!(found[..2], ["below 16", "rook endings"].map(|group| (group, 81, 41)));
        let [exact, scaled, flat] = &rows[0].columns[..] else { panic!() };
        for figure in [exact, scaled] {
            assert!(
                figure.value.value < 0.01 && figure.further.iter().all(|error| *error < 0.01),
                "{figure:?}"
            );
        }
        // The error of a constant is the standard deviation of the expected points.
        let points: Vec<f64> = positions.iter().map(|one| one.points).collect();
        let expected = expected(&columns[0].scores, &points);
        let square: f64 = expected.iter().map(|points| (points - 0.5).powi(2)).sum();
        assert!((flat.value.value - 100.0 * (square / 81.0).sqrt()).abs() < 0.01, "{flat:?}");
        assert!(flat.difference.low > 0.0 && flat.difference.low < flat.difference.value, "{flat:?}");
        assert!((flat.difference.value - flat.value.value + exact.value.value).abs() < 1e-9, "{flat:?}");
    }

    #[test]
    fn known_scale_gives_known_points() {
        // Of 40 results each, 100 centipawns score 30 points and -100 score 10.
        let scores: Vec<f64> = (0..80).map(|at| if at < 40 { 100.0 } else { -100.0 }).collect();
        let points: Vec<f64> = (0..80).map(|at| f64::from(!(30..70).contains(&at))).collect();
        let found = expected(&scores, &points);
        assert!((found[0] - 0.75).abs() < 1e-3 && (found[79] - 0.25).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn target_is_the_mean_of_both_engines() {
        let positions = endings((-40..40).map(|step| [f64::from(step * 10), f64::from(step * 37 % 41 * 10)]));
        let rows = errors(&positions, &[column(positions.iter().map(|one| one.deep[0]))]);
        let Figure { value, further, .. } = &rows[0].columns[0];
        assert!(further[0] < 0.01 && value.value > 1.0 && further[1] > value.value, "{rows:?}");
    }

    #[test]
    fn level_endings_have_the_mean_absolute_score() {
        let positions = endings([[0.0, 40.0], [-40.0, 10.0], [50.0, 0.0], [60.0, 60.0]].into_iter());
        let columns = [column([150.0, -50.0, 30_000.0, 0.0].into_iter()), column([0.0; 4].into_iter())];
        let rows = level_scores(&positions, &columns);
        let found: Vec<_> =
            rows.iter().map(|row| (row.positions, row.games, row.columns[0].value.value)).collect();
        assert_eq!(found, [(2, 1, 1.0), (3, 2, 4.0)]);
        assert_eq!(rows[0].columns[0].further, [50.0]);
        assert!((rows[0].columns[1].difference.value + 1.0).abs() < 1e-9);
        let pawn = level_scores(&positions, &[column([100.0, 100.5, 0.0, 0.0].into_iter())]);
        assert_eq!(pawn[0].columns[0].further, [50.0]);
    }
}
