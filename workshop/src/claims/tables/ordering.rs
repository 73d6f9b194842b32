//! Experiment on the order of positions by evaluations, compared with the results in tables.

use stretto::eval::Evaluation;
use stretto::position::Position;
use stretto::tablebase::{Material, Metric, Outcome};
use stretto::types::Color;

use super::super::chess::Setup;
use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio};
use super::generated::made;
use super::placement::random_position;
use crate::endgames::Tables;
use stretto_harness::base::random::SplitMix64;

/// Endings in which both a win and a draw are frequent, and some in which either side can win.
const ENDINGS: [&str; 6] = ["KQvKR", "KRvKB", "KRvKN", "KRvKP", "KBvKP", "KPvKP"];

/// A position with its result for White.
struct Sample {
    position: Position,
    result: i32,
}

/// Returns a random quiet position of an ending. Where a capture or promotion is possible or the king
/// is in check, a static evaluation is known to be wrong (N21).
fn sample(material: Material, tables: &Tables, random: &mut SplitMix64) -> Option<Sample> {
    let position = random_position(material, random)?;
    if position.is_check() || !position.has_legal_move() || !position.captures().is_empty() {
        return None;
    }
    let result = match tables.probe(&position)? {
        Outcome::Win(_) => 1,
        Outcome::Draw => 0,
        Outcome::Loss(_) => -1,
    };
    Some(Sample { position, result: for_white(&position, result) })
}

/// Returns a value of the side to move from White's point of view.
fn for_white(position: &Position, value: i32) -> i32 {
    if position.side_to_move() == Color::White { value } else { -value }
}

/// Returns pairs of positions with different results, the better one for White first.
fn pairs(count: usize, is_same_ending: bool, tables: &Tables, seed: u64) -> Vec<[Position; 2]> {
    let materials: Vec<Material> = ENDINGS.iter().filter_map(|name| name.parse().ok()).collect();
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let first = materials[random.below(materials.len() as u64) as usize];
        let second =
            if is_same_ending { first } else { materials[random.below(materials.len() as u64) as usize] };
        let both = sample(first, tables, &mut random).zip(sample(second, tables, &mut random));
        let Some((one, other)) = both.filter(|(one, other)| one.result != other.result) else { continue };
        let is_first_better = one.result > other.result;
        let (better, worse) = if is_first_better { (one, other) } else { (other, one) };
        found.push([better.position, worse.position]);
    }
    found
}

/// The numbers that order positions.
#[derive(Clone, Copy)]
enum Number {
    Static,
    Search,
}

/// Returns the share of pairs whose better position has the larger number; `None` without pairs or
/// memory. Equal numbers do not tell which one is better.
fn ordered(pairs: &[[Position; 2]], evaluation: &Evaluation, number: Number, depth: u32) -> Option<Ratio> {
    let positions: Vec<Position> = pairs.iter().flatten().copied().collect();
    let scores: Vec<i32> = match number {
        Number::Static => positions.iter().map(|position| evaluation.evaluate(position).0).collect(),
        Number::Search => {
            let fens: Vec<String> = positions.iter().map(ToString::to_string).collect();
            let setup = Setup::play().hash(1).evaluation(evaluation.clone());
            setup.to_depth(&fens, depth).iter().map(|found| found.score.0).collect()
        }
    };
    let scores: Vec<i32> =
        positions.iter().zip(scores).map(|(position, score)| for_white(position, score)).collect();
    // Pairs without scores would count as pairs in the wrong order.
    if scores.len() < positions.len() {
        return None;
    }
    let right = scores.chunks_exact(2).filter(|pair| pair[0] > pair[1]).count() as u64;
    Ratio::of_counts(right, pairs.len() as u64)
}

pub(super) fn by_evaluation(effort: Effort) -> Finding {
    let tables = made(&ENDINGS, Metric::Dtc);
    let complete =
        ENDINGS.iter().filter_map(|name| name.parse().ok()).all(|material| tables.get(material).is_some());
    if !complete {
        return Finding::undecided("a table could not be generated");
    }
    let (count, depth) = effort.pick((40, 4), (1000, 8));
    let kinds = [pairs(count, false, &tables, 42), pairs(count, true, &tables, 43)];
    let numbers = [
        ("classical evaluation", Evaluation::Classical, Number::Static),
        ("network", Evaluation::default(), Number::Static),
        ("search, classical evaluation", Evaluation::Classical, Number::Search),
        ("search, network", Evaluation::default(), Number::Search),
    ];
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for (name, evaluation, number) in numbers {
        let mut cells = vec![name.to_owned()];
        for pairs in &kinds {
            let Some(share) = ordered(pairs, &evaluation, number, depth) else {
                return Finding::undecided("no positions, or no memory for a search");
            };
            cells.push(share.percent());
            shares.push(share);
        }
        rows.push(cells);
    }
    let measured = format!(
        "of {count} pairs of quiet positions with different results, the classical evaluation ranks the better one higher in {}, the network \
         in {}, and a search to depth {depth} in {} and {}; within one ending in {}, {}, {} and {}",
        rows[0][1], rows[1][1], rows[2][1], rows[3][1], rows[0][2], rows[1][2], rows[2][2], rows[3][2]
    );
    Finding::new(verdicts::nearly_all(&shares), measured).with(
        "Pairs of positions with different results in which the better one has the larger number (95 %)",
        vec!["number", "any two endings", "same ending"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_different_results_and_the_better_first() {
        let tables = made(&ENDINGS, Metric::Dtc);
        let result = |position: &Position| match tables.probe(position).unwrap() {
            Outcome::Win(_) => for_white(position, 1),
            Outcome::Draw => 0,
            Outcome::Loss(_) => for_white(position, -1),
        };
        for is_same_ending in [false, true] {
            let found = pairs(30, is_same_ending, &tables, 1);
            assert_eq!(found.len(), 30);
            for [better, worse] in &found {
                assert!(result(better) > result(worse), "{better} {worse}");
                let is_same = Material::of(better) == Material::of(worse);
                assert!(is_same || !is_same_ending, "{better} {worse}");
            }
        }
    }

    #[test]
    fn material_orders_unequal_positions_only() {
        let position = |fen: &str| Position::from_fen(fen).unwrap();
        let [queen, rook, black] = [
            position("8/8/4k3/8/8/4K3/8/Q7 w - - 0 1"),
            position("8/8/4k3/8/8/4K3/8/R7 b - - 0 1"),
            position("q7/8/4k3/8/8/4K3/8/8 b - - 0 1"),
        ];
        let share =
            |pairs: &[[Position; 2]]| ordered(pairs, &Evaluation::Material, Number::Static, 1).unwrap().mean;
        assert!((share(&[[queen, rook], [rook, black]]) - 1.0).abs() < 1e-12);
        assert!(share(&[[rook, queen], [queen, queen]]).abs() < 1e-12);
    }
}
