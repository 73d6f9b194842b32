//! Weights as the source of the engine has them.

use std::fmt::{Display, Write};

use stretto::eval::classical::{TABLES, TableInfo};

/// What stands before the tables.
const HEAD: &str = "\
//! Every weight of the classical evaluation, as `harness tune-eval` writes them.
//!
//! Each table says which term it belongs to and how many weights it has; a weight has a value for the
//! middlegame and one for the endgame, in quarters of a centipawn. The tables of the term `Danger` have units of
//! their own (`king`). The tuner rewrites the whole file: change numbers and descriptions, not the layout.

use super::table::{Table, TableInfo, Term, weights};

weights! {
";
/// Tables up to this length stand on a line for each half.
const SHORT: usize = 16;
/// Longer ones have this many numbers a line, so that those by square look like a board.
const ROW: usize = 8;

/// The file `weights.rs` with these weights, in the order of [`TABLES`].
pub fn render(weights: &[[i32; 2]]) -> String {
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
    fn what_is_written_is_what_the_engine_has() {
        let source = include_str!("../../../engine/src/eval/classical/weights.rs");
        let all = TABLES.iter().flat_map(|table| table.weights);
        let played: Vec<[i32; 2]> = all.map(|weight| [weight.middle(), weight.end()]).collect();
        assert_eq!(render(&played), source);
    }
}
