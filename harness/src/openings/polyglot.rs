//! Openings out of a Polyglot book: lines drawn at random by the weights of its moves.

use std::collections::HashSet;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role, Square};

use super::line::{Opening, over};
use super::random::SplitMix64;

/// Bytes of an entry.
const ENTRY: usize = 16;
/// Lines drawn at most.
const MAX_LINES: usize = 20_000;
/// So many draws in a row that bring nothing new say that the book is exhausted.
const MAX_REPEATS: usize = 1000;

/// One move of a position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    key: u64,
    /// Bits 0-5 the target, 6-11 the origin, 12-14 the promotion.
    mv: u16,
    weight: u16,
}

/// Different lines of so many plies, or fewer where the book ends, in the order in which the seed draws them.
///
/// Errors: the file is no Polyglot book, or says nothing of the start position.
pub(super) fn draw_lines(bytes: &[u8], plies: usize, seed: u64) -> Result<Vec<Opening>, String> {
    let entries = entries(bytes)?;
    let mut random = SplitMix64::new(seed);
    let (mut openings, mut seen) = (Vec::new(), HashSet::new());
    let mut repeats = 0;
    while openings.len() < MAX_LINES && repeats < MAX_REPEATS {
        let (moves, position) = draw_line(&entries, plies, &mut random);
        repeats += 1;
        if moves.is_empty() || over(&position).is_some() || !seen.insert(moves.clone()) {
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
    if openings.is_empty() { Err("it has no move for the start position".to_owned()) } else { Ok(openings) }
}

/// All entries that can be played, which are those with a weight; header entries have the key 0.
fn entries(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let (chunks, rest) = bytes.as_chunks::<ENTRY>();
    if !rest.is_empty() {
        return Err(format!("{} bytes: expected a multiple of {ENTRY}", bytes.len()));
    }
    let entry = |chunk: &[u8; ENTRY]| {
        let [a, b, c, d, e, f, g, h, m0, m1, w0, w1, ..] = *chunk;
        Entry {
            key: u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            mv: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        }
    };
    let all: Vec<Entry> = chunks.iter().map(entry).collect();
    if let Some(index) = all.windows(2).position(|pair| pair[0].key > pair[1].key) {
        return Err(format!("entry {}: expected keys in rising order", index + 2));
    }
    Ok(all.into_iter().filter(|entry| entry.key != 0 && entry.weight > 0).collect())
}

/// One line from the start position.
fn draw_line(entries: &[Entry], plies: usize, random: &mut SplitMix64) -> (Vec<Move>, Chess) {
    let (mut position, mut moves) = (Chess::default(), Vec::new());
    while moves.len() < plies {
        let key = key(&position);
        let first = entries.partition_point(|entry| entry.key < key);
        let known = entries[first..].iter().take_while(|entry| entry.key == key);
        let legal: Vec<(Move, u64)> = known
            .filter_map(|entry| Some((legal_move(&position, entry.mv)?, u64::from(entry.weight))))
            .collect();
        let mut roll = random.below(legal.iter().map(|(_, weight)| weight).sum());
        let chosen = legal.iter().find(|(_, weight)| {
            let is_it = roll < *weight;
            roll = roll.saturating_sub(*weight);
            is_it
        });
        let Some(&(mv, _)) = chosen else { break };
        position.play_unchecked(mv);
        moves.push(mv);
    }
    (moves, position)
}

/// The key by which books know a position; an en passant square counts where a pawn stands beside, pinned or not.
fn key(position: &Chess) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// The legal move an entry means. Castling is king takes rook; some makers write where the king goes.
fn legal_move(position: &Chess, bits: u16) -> Option<Move> {
    let square = |shift: u16| Square::new(u32::from(bits >> shift & 63));
    let promotion = match bits >> 12 & 7 {
        1 => Some(Role::Knight),
        2 => Some(Role::Bishop),
        3 => Some(Role::Rook),
        4 => Some(Role::Queen),
        _ => None,
    };
    let meant = UciMove::Normal { from: square(6), to: square(0), promotion };
    let spellings = [CastlingMode::Chess960, CastlingMode::Standard];
    position.legal_moves().into_iter().find(|mv| spellings.iter().any(|&mode| mv.to_uci(mode) == meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A book of moves from positions; weights as given.
    fn book(lines: &[(&str, u16)]) -> Vec<u8> {
        let mut entries: Vec<(u64, u16, u16)> = Vec::new();
        for &(line, weight) in lines {
            let mut position = Chess::default();
            for text in line.split(' ') {
                let mv = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
                let UciMove::Normal { from, to, .. } = mv.to_uci(CastlingMode::Chess960) else { panic!() };
                let entry = (key(&position), u16::from(from) << 6 | u16::from(to), weight);
                if !entries.iter().any(|known| (known.0, known.1) == (entry.0, entry.1)) {
                    entries.push(entry);
                }
                position.play_unchecked(mv);
            }
        }
        entries.sort_unstable();
        let bytes = entries.iter().flat_map(|(key, mv, weight)| {
            let fields = [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]];
            fields.concat()
        });
        bytes.collect()
    }

    fn text(opening: &Opening) -> String {
        let moves = opening.moves.iter().map(|mv| mv.to_uci(CastlingMode::Standard).to_string());
        moves.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_drawn_to_their_length_and_no_line_twice() {
        let castles = "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1";
        let bytes = book(&[(castles, 3), ("d2d4 d7d5", 1), ("c2c4", 0)]);
        let lines = draw_lines(&bytes, 20, 5).unwrap();
        let mut texts: Vec<String> = lines.iter().map(text).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["d2d4 d7d5", castles], "a weight of 0 says: never");
        let short: HashSet<String> = draw_lines(&bytes, 1, 5).unwrap().iter().map(text).collect();
        assert_eq!(short, HashSet::from(["e2e4".to_owned(), "d2d4".to_owned()]));
        assert_eq!(draw_lines(&bytes, 20, 5).unwrap(), lines, "the seed decides");
    }

    #[test]
    fn what_is_no_book_is_refused() {
        let bytes = book(&[("e2e4 e7e5", 1)]);
        assert!(draw_lines(&bytes[..20], 4, 1).unwrap_err().contains("multiple of 16"));
        let turned = [&bytes[16..], &bytes[..16]].concat();
        assert!(draw_lines(&turned, 4, 1).unwrap_err().contains("entry 2: expected keys in rising order"));
        assert!(draw_lines(&[], 4, 1).unwrap_err().contains("no move for the start"));
        assert!(draw_lines(&book(&[("e2e4", 0)]), 4, 1).is_err());
    }
}
