//! Experiments on the number of tables, their successors and their sizes.

use stretto::position::Position;
use stretto::tablebase::{Index, Material, Metric, Outcome};

use super::super::claim::{Effort, Finding};
use super::super::verdicts::{self, Ratio, Winnable};
use super::generated::made;
use crate::base::random::SplitMix64;
use crate::endgames::{Table, Tables, statistics};
use crate::stats::proportion::wilson;

pub(super) fn queen_against_pawn() -> Finding {
    let next = |name: &str| {
        let tables: Result<Material, _> = name.parse();
        tables
            .map_or_else(|_| Vec::new(), |table| table.successors().iter().map(ToString::to_string).collect())
    };
    let found: Vec<String> = next("KQvKP");
    let claimed = ["KQvKQ", "KQvKR", "KQvKN", "KQvKB", "KPvK"];
    let more: Vec<&str> = found.iter().map(String::as_str).filter(|name| !claimed.contains(name)).collect();
    let missing = claimed.iter().filter(|name| !found.iter().any(|found| found == *name)).count();
    Finding::new(
        verdicts::queen_against_pawn(missing, more.len()),
        format!(
            "{} tables, {missing} of those claimed missing; the text omits {}",
            found.len(),
            more.join(", ")
        ),
    )
}

pub(super) fn acyclic() -> Finding {
    let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
    let later = |place: usize| {
        let next = order[place].successors();
        next.iter().filter(|next| !order[..place].contains(next)).count()
    };
    let count: usize = (0..order.len()).map(later).sum();
    Finding::new(
        verdicts::no_exception(count as u64, order.len() as u64),
        format!(
            "in the generation order of the {} tables of 2 to 5 pieces, {count} precede a successor",
            order.len()
        ),
    )
}

pub(super) fn both_can_win(effort: Effort) -> Finding {
    let mut rows = Vec::new();
    let (mut shares, mut counts) = (Vec::new(), Vec::new());
    let names: Vec<String> =
        (3..=effort.pick(3, 4)).flat_map(Material::all).map(|material| material.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tables = made(&names, Metric::Dtm);
    for pieces in 3..=effort.pick(3, 4) {
        let all: Vec<_> =
            Material::all(pieces).into_iter().filter_map(|material| tables.get(material)).collect();
        let has_both = |table: &Table| {
            let [white, black] = statistics(table).sides;
            white.wins + black.losses > 0 && black.wins + white.losses > 0
        };
        let both = all.iter().filter(|table| has_both(table)).count();
        rows.push(vec![pieces.to_string(), all.len().to_string(), both.to_string()]);
        counts.push(Winnable { all: all.len(), both, is_at_least: false });
        shares.push(format!("{both} of {} with {pieces} pieces", all.len()));
    }
    let all = Material::all(5);
    let samples = effort.pick(200, 200_000);
    let five = all.iter().filter(|&&material| has_wins_of_both(material, &tables, samples)).count();
    let measured =
        format!("{}; at least {five} of {} with 5 pieces (found by sampling)", shares.join(", "), all.len());
    counts.push(Winnable { all: all.len(), both: five, is_at_least: true });
    rows.push(vec!["5".to_owned(), all.len().to_string(), format!("at least {five}")]);
    Finding::new(verdicts::both_can_win(&counts), measured).with(
        "Tables with wins for both sides",
        vec!["pieces", "tables", "both win"],
        rows,
    )
}

/// Returns whether sampled positions show wins of both sides: by mate, or by a capture or promotion
/// that leads into a table with a loss for the opponent.
fn has_wins_of_both(material: Material, tables: &Tables, samples: u32) -> bool {
    let mut random = SplitMix64::new(6);
    let mut won = [false; 2];
    for _ in 0..samples {
        let Some(position) = random_position(material, &mut random) else { continue };
        let side = position.side_to_move().index();
        if won[side] {
            continue;
        }
        won[side] = position.legal_moves().into_iter().any(|mv| {
            let next = position.after(mv);
            let is_mate = next.is_check() && !next.has_legal_move();
            is_mate || (position.is_capture(mv) && matches!(tables.probe(&next), Some(Outcome::Loss(_))))
        });
        if won == [true; 2] {
            return true;
        }
    }
    false
}

/// Returns a random placement of the pieces; `None` if it is not legal. All placements on different
/// squares and both sides to move are equally likely.
fn random_position(material: Material, random: &mut SplitMix64) -> Option<Position> {
    let mut board = [['1'; 8]; 8];
    let kings = ['K', 'k'].into_iter();
    for letter in kings.chain(material.others().iter().map(|piece| piece.to_char())) {
        let square = loop {
            let square = random.below(64) as usize;
            if board[square / 8][square % 8] == '1' {
                break square;
            }
        };
        board[square / 8][square % 8] = letter;
    }
    let ranks: Vec<String> = board.iter().map(|rank| rank.iter().collect()).collect();
    let mut text = ranks.join("/");
    for count in (2..=8).rev() {
        text = text.replace(&"1".repeat(count), &count.to_string());
    }
    let side = if random.below(2) == 0 { 'w' } else { 'b' };
    Position::from_fen(&format!("{text} {side} - - 0 1")).ok()
}

pub(super) fn five_men() -> Finding {
    let counts = [3, 4, 5, 6].map(|pieces| Material::all(pieces).len());
    Finding::new(verdicts::five_men(counts[2]), format!("{counts:?} with three to six pieces"))
}

pub(super) fn five_men_positions(effort: Effort) -> Finding {
    let materials = Material::all(5);
    let product = materials.len() as u64 * 64 * 63 * 62 * 61 * 60 * 2;
    let places: u64 = materials.iter().map(|&table| 2 * Index::new(table).len() as u64).sum();
    let samples = effort.pick(10_000, 1_000_000_u64);
    let mut random = SplitMix64::new(14);
    let legal = (0..samples)
        .filter(|_| {
            let material = materials[random.below(materials.len() as u64) as usize];
            random_position(material, &mut random).is_some()
        })
        .count() as u64;
    let Some((low, high)) = wilson(legal, samples) else { return Finding::undecided("no samples") };
    let share = Ratio { mean: legal as f64 / samples as f64, low: low.0, high: high.0 };
    let text = format!(
        "the product is {product}; {:.1} % ({:.1} to {:.1}) of {samples} random placements are legal; with symmetric positions counted \
         once, our index has {places} entries",
        100.0 * share.mean,
        100.0 * share.low,
        100.0 * share.high
    );
    Finding::new(verdicts::five_men_positions(product, share), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sampling_finds_the_wins_of_both_sides() {
        let tables = made(&["KRvKR", "KRvKN", "KQvK"], Metric::Dtm);
        let finds = |name: &str| has_wins_of_both(name.parse().unwrap(), &tables, 5000);
        assert!(finds("KRvKR") && !finds("KRvK"), "a bare king cannot win");
    }

    #[test]
    fn random_positions_have_the_material_and_are_legal() {
        let mut random = SplitMix64::new(1);
        let material: Material = "KQvKP".parse().unwrap();
        let found: Vec<Position> = (0..300).filter_map(|_| random_position(material, &mut random)).collect();
        assert!((30..300).contains(&found.len()), "{} of 300 placements are legal", found.len());
        for position in &found {
            let pieces = Material::of(position).unwrap();
            assert_eq!(pieces.canonical().0, material.canonical().0, "{position}");
        }
    }
}
