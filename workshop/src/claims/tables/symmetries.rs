//! Experiments on the symmetries of the board that tables use.

use stretto::tablebase::{Index, Metric};
use stretto::types::Square;

use super::super::claim::Finding;
use super::super::verdicts;
use super::generated::{each_position, of_one};
use crate::endgames::fen;

pub(super) fn colours() -> Finding {
    of_one("KPvK", Metric::Dtm, |table, tables| {
        let (mut count, mut wrong) = (0_u64, 0_u64);
        let index = table.index();
        let exchanged = |text: &str| {
            let (board, rest) = text.split_once(' ').unwrap_or((text, ""));
            let ranks: Vec<String> = board
                .split('/')
                .rev()
                .map(|rank| {
                    let turned = |letter: char| {
                        if letter.is_ascii_uppercase() {
                            letter.to_ascii_lowercase()
                        } else {
                            letter.to_ascii_uppercase()
                        }
                    };
                    rank.chars().map(turned).collect()
                })
                .collect();
            let side = if rest.starts_with('w') { "b" } else { "w" };
            format!("{} {side} - - 0 1", ranks.join("/"))
        };
        each_position(table, |side, place, outcome| {
            let Some(squares) = index.squares_at(place).filter(|_| place % 17 == 0) else { return };
            let text = exchanged(&fen(index, &squares, side));
            if let Ok(position) = stretto::position::Position::from_fen(&text) {
                count += 1;
                wrong += u64::from(tables.probe(&position) != Some(outcome));
            }
        });
        Finding::new(
            verdicts::no_exception(wrong, count),
            format!("{count} positions of KPK probed as KKP, {wrong} with a different answer"),
        )
    })
}

/// Returns how many index entries represent how many three-piece positions each.
fn orbits(name: &str) -> Vec<(usize, usize)> {
    let Ok(material) = name.parse() else { return Vec::new() };
    let index = Index::new(material);
    let mut orbits = std::collections::HashMap::new();
    for kings in Square::all().flat_map(|white| Square::all().map(move |black| [white, black])) {
        for third in Square::all().skip(index.first_square()).take(index.row_len()) {
            if kings[0] != kings[1]
                && !kings.contains(&third)
                && let Some(place) = index.index_of(&[kings[0], kings[1], third])
            {
                *orbits.entry(place).or_insert(0_usize) += 1;
            }
        }
    }
    let mut sizes = std::collections::BTreeMap::new();
    for size in orbits.into_values() {
        *sizes.entry(size).or_insert(0_usize) += 1;
    }
    sizes.into_iter().collect()
}

fn describe_orbits(sizes: &[(usize, usize)]) -> String {
    let parts: Vec<String> = sizes
        .iter()
        .map(|(size, count)| format!("{count} entries represent {size} positions each"))
        .collect();
    parts.join(", ")
}

/// Returns the finding on an ending whose symmetries merge at most `claimed` positions.
fn merged(name: &str, claimed: usize) -> Finding {
    let Ok(material) = name.parse() else { return Finding::undecided(format!("{name} is no ending")) };
    let orbits = orbits(name);
    let sizes: Vec<usize> = orbits.iter().map(|&(size, _)| size).collect();
    let kings = Index::new(material).rows();
    Finding::new(
        verdicts::symmetries(claimed, &sizes),
        format!("{kings} king placements; {}", describe_orbits(&orbits)),
    )
}

pub(super) fn eight_symmetries() -> Finding {
    merged("KQvK", 8)
}

pub(super) fn pawn_symmetries() -> Finding {
    merged("KPvK", 2)
}
