//! Experiments on the number of tables, their successors and their sizes.

use stretto::tablebase::{Index, Material, Metric};

use super::super::claim::{Effort, Finding, Verdict};
use super::generated::made;
use crate::endgames::{Table, statistics};

pub(super) fn queen_against_pawn(_: Effort) -> Finding {
    let next = |name: &str| {
        let tables: Result<Material, _> = name.parse();
        tables
            .map_or_else(|_| Vec::new(), |table| table.successors().iter().map(ToString::to_string).collect())
    };
    let found: Vec<String> = next("KQvKP");
    let claimed = ["KQvKQ", "KQvKR", "KQvKN", "KQvKB", "KPvK"];
    let more: Vec<&str> = found.iter().map(String::as_str).filter(|name| !claimed.contains(name)).collect();
    let has_all = claimed.iter().all(|name| found.iter().any(|found| found == name));
    Finding::new(
        if has_all && more.is_empty() { Verdict::Confirmed } else { Verdict::Refuted },
        format!(
            "{} tables; the text omits {} (the pawn is captured, or captures the queen and promotes)",
            found.len(),
            more.join(", ")
        ),
    )
}

pub(super) fn acyclic(_: Effort) -> Finding {
    let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
    let later = |place: usize| {
        let next = order[place].successors();
        next.iter().filter(|next| !order[..place].contains(next)).count()
    };
    let count: usize = (0..order.len()).map(later).sum();
    Finding::new(
        Verdict::of(count == 0),
        format!(
            "in the generation order of the {} tables of 2 to 5 pieces, {count} precede a successor",
            order.len()
        ),
    )
}

pub(super) fn both_can_win(effort: Effort) -> Finding {
    let mut rows = Vec::new();
    let mut shares = Vec::new();
    let names: Vec<String> =
        (3..=effort.pick(3, 4)).flat_map(Material::all).map(|material| material.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tables = made(&names, Metric::Dtm);
    for men in 3..=effort.pick(3, 4) {
        let all: Vec<_> =
            Material::all(men).into_iter().filter_map(|material| tables.get(material)).collect();
        let has_both = |table: &Table| {
            let [white, black] = statistics(table).sides;
            white.wins + black.losses > 0 && black.wins + white.losses > 0
        };
        let both = all.iter().filter(|table| has_both(table)).count();
        rows.push(vec![men.to_string(), all.len().to_string(), both.to_string()]);
        shares.push(format!("{both} of {} with {men} pieces", all.len()));
    }
    Finding::new(Verdict::Refuted, format!("{}; published for five pieces: 71 of 110", shares.join(", ")))
        .with("Tables with wins for both sides", vec!["pieces", "tables", "both win"], rows)
}

pub(super) fn five_men(_: Effort) -> Finding {
    let counts = [3, 4, 5, 6].map(|men| Material::all(men).len());
    Finding::new(Verdict::of(counts[2] == 110), format!("{counts:?} with three to six pieces"))
}

pub(super) fn five_men_positions(_: Effort) -> Finding {
    let bound = 110 * 64 * 63 * 62 * 61 * 60_u64 * 2;
    let places: u64 = Material::all(5).iter().map(|&table| 2 * Index::new(table).len() as u64).sum();
    // Published count: see results/tablebases.md.
    let legal = 32_612_482_961_u64;
    let text = format!(
        "the product is {bound}; the index has {places} entries, and {legal} legal positions remain when symmetric \
         positions count once and identical pieces are distinguishable: {:.0} %, not half",
        100.0 * legal as f64 / bound as f64
    );
    Finding::new(Verdict::Depends, text)
}
