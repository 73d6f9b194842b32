//! Formatting of the weights as engine source.

use std::fmt::{Display, Write};

use stretto::eval::classical::{TABLES, TableInfo};

/// Text before the tables.
const HEAD: &str = "\
//! The weights of the classical evaluation, written by `workshop tune-eval`.
//!
//! Each table states its term and number of weights; a weight has a middlegame and an endgame value
//! in quarters of a centipawn. Tables of the term `Danger` have their own units (`king`). The tuner
//! rewrites the whole file: change numbers and descriptions, not the layout.

use super::weight_table::{TableInfo, Term, WeightTable, weights};

weights! {
";
/// Tables up to this length are written on one line per half.
const SHORT: usize = 16;
/// Numbers per line of longer tables, so that square tables look like a board.
const ROW: usize = 8;

/// Returns the file `weights.rs` with these weights, in the order of [`TABLES`].
pub(crate) fn render(weights: &[[i32; 2]]) -> String {
    let mut text = HEAD.to_owned();
    for (index, table) in TABLES.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let range = table.start..table.start + table.weights.len();
        write_table(&mut text, table, &weights[range]);
    }
    text.push_str("}\n");
    text
}

fn write_table(text: &mut String, table: &TableInfo, weights: &[[i32; 2]]) {
    for line in table.doc {
        line_of(text, format_args!("    ///{line}"));
    }
    line_of(text, format_args!("    {}: {}[{}] {{", table.name, table.term.name(), weights.len()));
    for (half, name) in ["middle", "end"].into_iter().enumerate() {
        let numbers: Vec<i32> = weights.iter().map(|weight| weight[half]).collect();
        if numbers.len() <= SHORT {
            let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            line_of(text, format_args!("        {name}: [{}],", list.join(", ")));
            continue;
        }
        line_of(text, format_args!("        {name}: ["));
        for row in numbers.chunks(ROW) {
            let cells: Vec<String> = row.iter().map(|number| format!("{number:5},")).collect();
            line_of(text, format_args!("            {}", cells.join(" ")));
        }
        line_of(text, format_args!("        ],"));
    }
    line_of(text, format_args!("    }}"));
}

fn line_of(text: &mut String, line: impl Display) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rendered_weights_match_the_engine_source() {
        let source = include_str!("../../../engine/src/eval/classical/weights.rs");
        let all = TABLES.iter().flat_map(|table| table.weights);
        let played: Vec<[i32; 2]> = all.map(|weight| [weight.middle(), weight.end()]).collect();
        assert_eq!(render(&played), source);
    }
}
