//! Experiments on the number of tables, their successors and their sizes.

use stretto::tablebase::{Index, Material};

use super::super::claim::{Effort, Finding};
use super::super::limits::ABOUT_HALF;
use super::super::verdicts::{self, Ratio};
use super::placement::random_position;
use stretto_harness::base::random::SplitMix64;

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

pub(super) fn five_piece_positions(effort: Effort) -> Finding {
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
    let Some(share) = Ratio::of_counts(legal, samples) else { return Finding::undecided("no samples") };
    let [least, most] = ABOUT_HALF;
    let text = format!(
        "the product is {product} (arithmetic); {} of {samples} random placements are legal, which leaves {:.1} points \
         to the nearer limit of about half; with symmetric positions counted once, our index has {places} entries",
        share.percent(),
        100.0 * (share.low - least).min(most - share.high)
    );
    Finding::new(verdicts::five_piece_positions(product, share), text)
}
