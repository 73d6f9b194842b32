//! A chess board as inline SVG.
//!
//! The shapes of the pieces are on the page once ([`pieces`]); a board refers to them.

use maud::{Markup, PreEscaped, html};

/// Side of a square. Units: those of the drawing.
const SQUARE: usize = 45;

/// The shapes of the pieces, each in a square of 45 units.
const PIECES: &str = include_str!("pieces.svg");

/// Returns the shapes of the pieces, which a page with boards contains once.
pub(crate) fn pieces() -> Markup {
    PreEscaped(PIECES.lines().map(str::trim).collect())
}

/// Draws the position of a FEN, with the squares of the last move (in UCI notation) marked. Fields
/// behind the placement are ignored.
pub(crate) fn board(fen: &str, last_move: Option<&str>) -> Markup {
    let side = 8 * SQUARE;
    let dark: Vec<String> = (0..64)
        .filter(|square| (square / 8 + square % 8) % 2 == 1)
        .map(|square| format!("M{} {}h45v45h-45z", square % 8 * SQUARE, square / 8 * SQUARE))
        .collect();
    html! {
        svg.board viewBox=(format!("0 0 {side} {side}")) role="img" aria-label=(fen) {
            rect.light width=(side) height=(side) {}
            path.dark d=(dark.join("")) {}
            @for (x, y) in last_move.into_iter().flat_map(squares) {
                rect.moved x=(x * SQUARE) y=(y * SQUARE) width=(SQUARE) height=(SQUARE) {}
            }
            @for (piece, x, y) in placement(fen) {
                @let class = if piece.is_ascii_uppercase() { "white" } else { "black" };
                use class=(class) href=(format!("#piece-{}", piece.to_ascii_lowercase()))
                    x=(x * SQUARE) y=(y * SQUARE) width=(SQUARE) height=(SQUARE) {}
            }
        }
    }
}

/// Returns the pieces of a FEN with their file and row, from the top left.
fn placement(fen: &str) -> Vec<(char, usize, usize)> {
    let mut found = Vec::new();
    let placement = fen.split(' ').next().unwrap_or_default();
    for (y, row) in placement.split('/').take(8).enumerate() {
        let mut x = 0;
        for letter in row.chars() {
            if let Some(empty) = letter.to_digit(10) {
                x += empty as usize;
            } else {
                if x < 8 && "pnbrqk".contains(letter.to_ascii_lowercase()) {
                    found.push((letter, x, y));
                }
                x += 1;
            }
        }
    }
    found
}

/// Returns file and row of both squares of a move such as `e2e4`.
fn squares(text: &str) -> Vec<(usize, usize)> {
    let letters = text.as_bytes();
    let square = |file: u8, rank: u8| {
        let (x, y) = (file.checked_sub(b'a')?, b'8'.checked_sub(rank)?);
        (x < 8 && y < 8).then_some((usize::from(x), usize::from(y)))
    };
    letters.chunks_exact(2).take(2).filter_map(|pair| square(pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_shows_pieces_and_last_move() {
        let text = board("4k3/8/8/8/4P3/8/8/4K2R b K e3 0 1", Some("e2e4")).into_string();
        assert_eq!(text.matches("<use ").count(), 4);
        assert!(text.contains("href=\"#piece-r\" x=\"315\" y=\"315\""), "{text}");
        assert!(text.contains("<rect class=\"moved\" x=\"180\" y=\"270\""), "{text}");
        assert_eq!(text.matches("class=\"moved\"").count(), 2);
    }

    #[test]
    fn malformed_texts_draw_what_they_can() {
        for (fen, last_move) in [("", "z9"), ("99/kkkkkkkkkkkk/x", "e2"), ("8/8", "a1a2q"), ("\u{1f600}", "")]
        {
            let text = board(fen, Some(last_move)).into_string();
            assert!(text.matches("<use ").count() <= 8, "{fen}");
        }
    }

    #[test]
    fn every_piece_has_a_shape() {
        let text = pieces().into_string();
        for name in "pnbrqk".chars() {
            assert!(text.contains(&format!("id=\"piece-{name}\"")), "{name}");
        }
    }
}
