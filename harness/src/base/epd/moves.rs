//! Moves as EPD files write them: SAN, long algebraic or UCI, with annotations.

use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position, Role, Square};

use crate::base::pgn::san;
use crate::base::wording::expected;

const UNREADABLE: &str = "a move";
const ILLEGAL: &str = "a legal move";

/// Returns the legal move of `position` denoted by `text`: UCI notation (`g1f3`), or what [`san`] reads.
pub fn read_move(position: &Chess, text: &str) -> Result<Move, String> {
    let refused = |what: &str| expected(text, what);
    if let Ok(uci) = text.trim_end_matches(['+', '#', '!', '?', '=']).parse::<UciMove>() {
        return uci.to_move(position).map_err(|_| refused(ILLEGAL));
    }
    legal_move(position, san(text).ok_or_else(|| refused(UNREADABLE))?).map_err(refused)
}

/// Returns the legal move of a SAN, or what was expected instead. Whether it captures follows from the position, because files
/// have an `x` too many or too few.
pub(crate) fn legal_move(position: &Chess, san: San) -> Result<Move, &'static str> {
    let fitting = match san {
        San::Normal { role, file, rank, to, promotion, .. } => {
            let mut fitting = position.san_candidates(role, to);
            fitting.retain(|legal| {
                !legal.is_castle()
                    && legal.promotion() == promotion
                    && legal.from().is_some_and(|from| {
                        file.is_none_or(|file| file == from.file())
                            && rank.is_none_or(|rank| rank == from.rank())
                    })
            });
            // Without a letter, both squares are the notation of UCI, in which some programs write their games.
            if let (true, Role::Pawn, Some(file), Some(rank)) = (fitting.is_empty(), role, file, rank) {
                let uci = UciMove::Normal { from: Square::from_coords(file, rank), to, promotion };
                fitting.extend(uci.to_move(position));
            }
            fitting
        }
        San::Castle(side) => position.castling_moves(side),
        San::Put { .. } | San::Null => return Err(UNREADABLE),
    };
    match fitting[..] {
        [legal] => Ok(legal),
        [] => Err(ILLEGAL),
        _ => Err("one move, several fit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::epd::parse;

    fn read(fen: &str, text: &str) -> Result<String, String> {
        let position = parse(fen.as_bytes()).unwrap().unwrap().position;
        read_move(&position, text).map(|legal| San::from_move(&position, legal).to_string())
    }

    #[test]
    fn every_notation_denotes_the_same_move() {
        let fen = "r3k2r/1P6/8/3p4/4P3/5N2/8/R3K2R w KQkq - 0 1";
        for (texts, san) in [
            (&["Nd4", "Nf3d4", "Nf3-d4", "f3d4", "Nd4!?", "Nd4+", "Nxd4"][..], "Nd4"),
            (&["exd5", "ed5", "e4xd5", "e4-d5", "e4d5", "exd5!!", "e:d5"], "exd5"),
            (&["O-O", "0-0", "O-O+", "e1g1", "O-O?"], "O-O"),
            (&["O-O-O", "0-0-0", "e1c1"], "O-O-O"),
            (&["bxa8=Q", "ba8=Q", "b7xa8=Q+", "b7a8q"], "bxa8=Q"),
            (&["b8=N", "b7b8=N", "b7-b8=N", "b7b8n"], "b8=N"),
            // Without `=`.
            (&["bxa8Q", "ba8Q+", "b7xa8q", "b:a8Q!"], "bxa8=Q"),
            (&["b8N", "b8n", "b7b8N", "b7-b8N"], "b8=N"),
        ] {
            for text in texts {
                assert_eq!(read(fen, text).as_deref(), Ok(san), "{text}");
            }
        }
    }

    #[test]
    fn both_squares_without_a_letter_are_a_move_of_any_piece() {
        let position = parse(b"4k3/8/8/8/8/8/4P3/4K1NR w K -").unwrap().unwrap().position;
        for (text, expected) in [("g1f3", "Nf3"), ("e2e4", "e4"), ("h1h8", "Rh8"), ("e1f1", "Kf1")] {
            let legal = legal_move(&position, san(text).unwrap()).unwrap();
            assert_eq!(San::from_move(&position, legal).to_string(), expected);
        }
        assert!(legal_move(&position, san("h1g1").unwrap()).is_err());
    }

    #[test]
    fn invalid_moves_are_reported_by_kind() {
        let fen = "4k3/8/8/8/8/8/4N3/1N2K3 w - -";
        for (text, expected) in [
            ("Nc3", "`Nc3`: expected one move, several fit"),
            ("Nd5", "`Nd5`: expected a legal move"),
            ("O-O", "`O-O`: expected a legal move"),
            ("a1a2", "`a1a2`: expected a legal move"),
            ("0000", "`0000`: expected a legal move"),
            ("hello", "`hello`: expected a move"),
            ("", "``: expected a move"),
            ("\u{1F600}", "`\u{1F600}`: expected a move"),
            ("Q@e4", "`Q@e4`: expected a legal move"),
        ] {
            assert_eq!(read(fen, text).unwrap_err(), expected);
        }
    }
}
