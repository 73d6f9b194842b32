//! Draws random opening lines from a Polyglot book by the weights of its moves.

use std::collections::HashSet;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position as _};
use stretto::book::{Book, BookKey, Selection, candidates, choose};
use stretto::position::{Game, Position};

use super::line::{Opening, over_after};
use crate::base::random::SplitMix64;
use crate::play::rules::legal_move;

/// Maximum number of lines drawn.
const MAX_LINES: usize = 20_000;
/// Number of draws in a row without a new line after which the book counts as exhausted.
const MAX_REPEATS: usize = 1000;

/// Draws different lines of `plies` plies, or fewer if the book ends, in an order set by the seed.
///
/// Lines after which the game is over are left out.
///
/// Errors: the file is no Polyglot book, has no move for the start position, or has no line to play on from.
pub(super) fn draw_lines(bytes: Vec<u8>, plies: usize, seed: u64) -> Result<Vec<Opening>, String> {
    let book = Book::from_bytes(bytes).map_err(|fault| fault.to_string())?;
    book.check_order().map_err(|fault| fault.to_string())?;
    let mut random = SplitMix64::new(seed);
    let (mut openings, mut seen) = (Vec::new(), HashSet::new());
    let (mut repeats, mut over) = (0, None);
    while openings.len() < MAX_LINES && repeats < MAX_REPEATS {
        let moves = draw_line(&book, plies, &mut random);
        repeats += 1;
        let reason = over_after(&Chess::default(), &moves);
        if moves.is_empty() || reason.is_some() || !seen.insert(moves.clone()) {
            over = reason.or(over);
            continue;
        }
        repeats = 0;
        let line = openings.len() + 1;
        openings.push(Opening {
            fen: Fen::from_position(&Chess::default(), EnPassantMode::Legal).to_string(),
            moves,
            label: format!("book line {line}"),
            line,
            castling: CastlingMode::Standard,
        });
    }
    match over {
        _ if !openings.is_empty() => Ok(openings),
        Some(reason) => {
            Err(format!("{reason} after its lines; `openings.plies` limits how many moves are played"))
        }
        None => Err("it has no move for the start position".to_owned()),
    }
}

/// Draws one line from the start position. Learning data are ignored, so a book gives the same
/// openings before and after learning.
fn draw_line(book: &Book, plies: usize, random: &mut SplitMix64) -> Vec<Move> {
    let (mut game, mut position) = (Game::new(Position::startpos()), Chess::default());
    let mut moves = Vec::new();
    while moves.len() < plies {
        let known = candidates(book, BookKey::of(&game), game.position(), false);
        let Some(chosen) = choose(&known, Selection::Weighted, random) else { break };
        // The referee's rules have the final say on legality.
        let Some(mv) = legal_move(&position, &game.position().uci(chosen.mv, true)) else { break };
        game.play(chosen.mv);
        position.play_unchecked(mv);
        moves.push(mv);
    }
    moves
}

#[cfg(test)]
mod tests {
    use stretto::book::{BookMove, Entry};

    use super::*;

    /// Builds a book of moves from positions with these weights.
    fn book(lines: &[(&str, u16)]) -> Vec<u8> {
        let mut entries: Vec<Entry> = Vec::new();
        for &(line, weight) in lines {
            let mut game = Game::new(Position::startpos());
            for text in line.split(' ') {
                let mv = game.position().parse_uci(text).unwrap();
                let entry =
                    Entry { key: BookKey::of(&game), mv: BookMove::new(mv), weight, ..Entry::default() };
                if !entries.iter().any(|known| (known.key, known.mv) == (entry.key, entry.mv)) {
                    entries.push(entry);
                }
                game.play(mv);
            }
        }
        entries.sort_unstable();
        entries.into_iter().flat_map(Entry::to_bytes).collect()
    }

    fn text(opening: &Opening) -> String {
        let moves = opening.moves.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string());
        moves.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_drawn_to_their_length_and_no_line_twice() {
        let castles = "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1";
        let bytes = book(&[(castles, 3), ("d2d4 d7d5", 1), ("c2c4", 0)]);
        let draw = |plies| draw_lines(bytes.clone(), plies, 5).unwrap();
        let lines = draw(20);
        let mut texts: Vec<String> = lines.iter().map(text).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["d2d4 d7d5", castles], "a weight of 0 says: never");
        let short: HashSet<String> = draw(1).iter().map(text).collect();
        assert_eq!(short, HashSet::from(["e2e4".to_owned(), "d2d4".to_owned()]));
        assert_eq!(draw(20), lines, "the seed decides");
    }

    #[test]
    fn lines_that_end_in_a_threefold_repetition_are_left_out() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8";
        let draw = |lines: &[(&str, u16)], plies| draw_lines(book(lines), plies, 5);
        let only = draw(&[(shuffle, 1)], 8).unwrap_err();
        assert!(only.starts_with("the position occurs for the third time after its lines; "), "{only}");
        assert_eq!(draw(&[(shuffle, 1)], 7).unwrap().len(), 1);
        let lines = draw(&[(shuffle, 1), ("e2e4 e7e5", 1)], 8).unwrap();
        // King's pawn at once, after one shuffle, or as the last move of the line.
        let texts: HashSet<String> = lines.iter().map(text).collect();
        assert!(!texts.contains(&format!("{shuffle} {shuffle}")) && texts.contains("e2e4 e7e5"), "{texts:?}");
    }

    #[test]
    fn invalid_book_is_refused() {
        let bytes = book(&[("e2e4 e7e5", 1)]);
        let fault = |bytes: &[u8]| draw_lines(bytes.to_vec(), 4, 1).unwrap_err();
        assert!(fault(&bytes[..20]).contains("multiple of 16"));
        let turned = [&bytes[16..], &bytes[..16]].concat();
        assert!(fault(&turned).contains("entry 2 has a smaller key"));
        assert!(fault(&[]).contains("the file is empty"));
        assert!(fault(&book(&[("e2e4", 0)])).contains("no move for the start"));
    }
}
