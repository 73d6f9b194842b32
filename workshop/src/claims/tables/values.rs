//! Experiments on the stored values: parity, completeness, range and size.

use stretto::tablebase::{Material, Metric, Outcome};
use stretto::types::Square;

use super::super::claim::{Effort, Finding};
use super::super::limits::SIX_BITS;
use super::super::verdicts;
use super::generated::{each_position, made, positions_of};
use crate::endgames::{StoredSides, statistics, to_bytes};

/// Returns how many positions the symmetries of the board make of this one.
fn symmetric(squares: impl Iterator<Item = Square>, has_pawns: bool) -> u64 {
    if has_pawns {
        return 2;
    }
    let (mut is_diagonal, mut is_antidiagonal) = (true, true);
    for square in squares {
        let (file, rank) = (square.index() % 8, square.index() / 8);
        is_diagonal &= file == rank;
        is_antidiagonal &= file + rank == 7;
    }
    if is_diagonal || is_antidiagonal { 4 } else { 8 }
}

pub(super) fn positions_a_byte(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK", "KQvK"], &["KQvKR", "KRvKN", "KRvKP", "KBNvK", "KQQvK"]);
    let tables = made(names, Metric::Dtm);
    let (mut bytes, mut positions, mut apart, mut rows) = ([0; 2], 0, 0, Vec::new());
    for &name in names {
        let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
        let sizes = [StoredSides::Both, StoredSides::One].map(|sides| to_bytes(&table, sides).len());
        let legal: u64 = positions_of(&statistics(&table)).iter().sum();
        rows.push(size_row(name, legal, sizes));
        let mut separately = 0_u64;
        each_position(&table, |_, place, _| {
            if let Some(squares) = table.index().squares_at(place) {
                separately += symmetric(squares.iter().copied(), table.material().has_pawns());
            }
        });
        bytes = [bytes[0] + sizes[0], bytes[1] + sizes[1]];
        (positions, apart) = (positions + legal, apart + separately);
    }
    let per_byte = |count: u64, place: usize| count as f64 / bytes[place] as f64;
    let [once, separately] = [positions, apart].map(|count| per_byte(count, 0));
    let [once_of_one, separately_of_one] = [positions, apart].map(|count| per_byte(count, 1));
    // The text counts symmetric positions separately, and does not name the sides stored.
    Finding::new(
        verdicts::positions_a_byte(&[separately, separately_of_one]),
        format!(
            "{separately:.1} legal positions per byte of {} tables that store both sides to move, {separately_of_one:.1} with one side \
             stored, from which the other is computed; {once:.1} and {once_of_one:.1} with symmetric positions counted once",
            rows.len()
        ),
    )
    .with("Sizes", vec!["table", "positions", "bytes, both sides", "per byte", "bytes, one side", "per byte"], rows)
}

/// Returns the row of a table with its legal positions and its bytes with both sides and with one side
/// stored.
fn size_row(name: &str, legal: u64, sizes: [usize; 2]) -> Vec<String> {
    let cells = sizes.map(|size| [size.to_string(), format!("{:.1}", legal as f64 / size as f64)]);
    [name.to_owned(), legal.to_string()].into_iter().chain(cells.into_iter().flatten()).collect()
}

pub(super) fn smaller_numbers(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK"], &["KQvKR", "KRvKP", "KPvKP"]);
    let mut rows = Vec::new();
    let mut sizes = [0_usize; 3];
    for (metric, size) in Metric::ALL.into_iter().zip(&mut sizes) {
        let tables = made(names, metric);
        for &name in names {
            let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
            let mut seen = std::collections::HashSet::new();
            each_position(&table, |_, _, outcome| {
                seen.insert(outcome);
            });
            let bytes = to_bytes(&table, StoredSides::One).len();
            *size += bytes;
            rows.push(vec![name.to_owned(), metric.to_string(), seen.len().to_string(), bytes.to_string()]);
        }
    }
    Finding::new(
        verdicts::smaller_numbers(sizes),
        format!("{} bytes with DTM, {} with DTC, {} with DTZ", sizes[0], sizes[1], sizes[2]),
    )
    .with("Values and bytes", vec!["table", "metric", "values", "bytes"], rows)
}

pub(super) fn one_byte(effort: Effort) -> Finding {
    let names: &[&str] = effort.pick(&["KPvK"], &["KRvKN", "KRvKP", "KBNvK"]);
    let tables = made(names, Metric::Dtm);
    let mut longest = (0, String::new());
    for &name in names {
        let Some(table) = name.parse().ok().and_then(|material| tables.get(material)) else { continue };
        let mut most = 0;
        each_position(&table, |_, _, outcome| {
            if let Outcome::Win(plies) | Outcome::Loss(plies) = outcome {
                most = most.max(plies);
            }
        });
        if most >= longest.0 {
            longest = (most, name.to_owned());
        }
    }
    Finding::new(verdicts::one_byte(longest.0), bits_text(longest.0, &longest.1))
}

/// Formats the longest distance, counted in plies and in moves, against the six bits that a type of
/// two bits leaves.
fn bits_text(plies: u16, name: &str) -> String {
    let fits = |distance: u16| if distance <= SIX_BITS { "fits" } else { "does not fit" };
    let moves = plies.div_ceil(2);
    format!(
        "two bits of type leave six, 0 to {SIX_BITS}; the longest distance here ({name}) is {plies} plies, which {}, or {moves} moves, \
         which {} (wins are odd and losses even, so the type gives the plies)",
        fits(plies),
        fits(moves)
    )
}

pub(super) fn few_pieces(effort: Effort) -> Finding {
    let pieces = effort.pick(3, 4);
    let names: Vec<String> = Material::all(pieces).iter().map(ToString::to_string).collect();
    let tables = made(&names, Metric::Dtz);
    let mut longest = (0, String::new());
    for table in (3..=pieces).flat_map(Material::all).filter_map(|material| tables.get(material)) {
        for side in statistics(&table).sides {
            let most = side.wins.longest().max(side.losses.longest()).unwrap_or(0);
            if most > longest.0 {
                longest = (most, table.material().to_string());
            }
        }
    }
    Finding::new(
        verdicts::few_pieces(longest.0),
        format!(
            "up to {pieces} pieces, the longest distance to a zeroing move or mate is {} plies, in {}",
            longest.0, longest.1
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_held_against_six_bits() {
        let text = bits_text(85, "KRvKP");
        assert!(text.contains("85 plies, which does not fit, or 43 moves, which fits"), "{text}");
        let text = bits_text(57, "KPvK");
        assert!(text.contains("57 plies, which fits, or 29 moves, which fits"), "{text}");
    }

    #[test]
    fn positions_of_both_sides_are_divided_by_the_bytes_of_both() {
        let found = positions_a_byte(Effort::Quick);
        let tables = made(&["KPvK"], Metric::Dtm);
        let table = tables.get("KPvK".parse().unwrap()).unwrap();
        let row = &found.figures[0].rows[0];
        let [both, one] = [StoredSides::Both, StoredSides::One].map(|sides| to_bytes(&table, sides).len());
        assert!(both > one, "{both} and {one} bytes");
        assert_eq!([&row[2], &row[4]], [&both.to_string(), &one.to_string()]);
        let legal: f64 = row[1].parse().unwrap();
        assert_eq!(row[3], format!("{:.1}", legal / both as f64));
        assert!(found.measured.contains("tables that store both sides to move"), "{}", found.measured);
    }
}
