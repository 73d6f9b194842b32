//! Openings from games: the first moves of each game of a PGN file.

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use super::line::{Opening, over_after};
use crate::base::epd;
use crate::base::pgn::{BadGame, GameBuilder, Games, NextGame, check_variant};
use crate::base::wording::expected;

/// Returns the openings and the bad games of a PGN file. An opening has the first `plies` plies of
/// a game, or all of a shorter game.
pub fn read_games(bytes: &[u8], plies: usize) -> (Vec<Opening>, Vec<BadGame>) {
    let (mut openings, mut bad) = (Vec::new(), Vec::new());
    let mut games = Games::new(bytes);
    let empty = OpeningBuilder::new(plies);
    while let Some((place, read)) = games.next(&empty) {
        match read {
            NextGame::Complete(recorded) => match over_after(&recorded.start, &recorded.moves) {
                None => openings.push(recorded.opening(place.game)),
                Some(reason) => bad.push(BadGame {
                    place,
                    what: format!("{reason} after its moves; `openings.plies` limits how many are played"),
                }),
            },
            NextGame::Unfinished => {}
            NextGame::Bad(what) | NextGame::Truncated(what) => bad.push(BadGame { place, what }),
            NextGame::Failed(error) => {
                bad.push(BadGame { place, what: error.to_string() });
                break;
            }
        }
    }
    (openings, bad)
}

/// The first moves of a game during parsing.
#[derive(Clone)]
struct OpeningBuilder {
    /// Maximum number of plies to keep.
    plies: usize,
    start: Chess,
    castling: CastlingMode,
    /// The values of `ECO`, `Opening` and `Variation`.
    names: [Option<String>; 3],
    position: Chess,
    moves: Vec<Move>,
}

impl OpeningBuilder {
    fn new(plies: usize) -> Self {
        Self {
            plies,
            start: Chess::default(),
            castling: CastlingMode::Standard,
            names: [None, None, None],
            position: Chess::default(),
            moves: Vec::new(),
        }
    }

    fn opening(self, game: usize) -> Opening {
        let names: Vec<String> = self.names.into_iter().flatten().collect();
        let label = if names.is_empty() { format!("game {game}") } else { names.join(" ") };
        let fen = Fen::from_position(&self.start, EnPassantMode::Legal).to_string();
        Opening { fen, moves: self.moves, label, line: game, castling: self.castling }
    }
}

impl GameBuilder for OpeningBuilder {
    type Game = Self;

    fn tag(&mut self, name: &str, value: &str) -> Result<(), String> {
        let slot = match name {
            "eco" => 0,
            "opening" => 1,
            "variation" => 2,
            "variant" => return check_variant(value),
            "fen" => {
                let line = epd::parse(value.as_bytes()).ok_or("its FEN is empty")?;
                let line = line.map_err(|error| format!("its FEN: {error}"))?;
                self.position = line.position.clone();
                (self.start, self.castling) = (line.position, line.castling);
                return Ok(());
            }
            _ => return Ok(()),
        };
        let is_known = !value.trim().is_empty() && value != "?";
        self.names[slot] = is_known.then(|| value.to_owned());
        Ok(())
    }

    fn san(&mut self, san: San) -> Result<(), String> {
        if self.moves.len() == self.plies {
            return Ok(());
        }
        let mv = epd::legal_move(&self.position, san).map_err(|what| {
            let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
            format!("ply {}: {} in `{fen}`", self.moves.len() + 1, expected(&san.to_string(), what))
        })?;
        self.position.play_unchecked(mv);
        self.moves.push(mv);
        Ok(())
    }

    fn finish(self) -> Option<Self> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Variant;
    use crate::play::referee::Board;

    const GAMES: &str = "\
[White \"?\"]
[ECO \"B20\"]
[Opening \"Sicilian\"]

1. e4 c5 (1... e5 2. Nf3) 2. Nf3 {a comment} d6 *

1. d4 d5 2. c4 1-0

[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]

1. e4 Kd7 *
";

    #[test]
    fn games_with_words_that_are_no_moves_are_bad() {
        let text = "1. e4 e5 2. Zf3 *\n\n1. c4 *\n\n1. d4 (1. e4 d5 *\n";
        let (openings, bad) = read_games(text.as_bytes(), 100);
        assert_eq!(labels(&openings), [("game 2", 1)]);
        let whats: Vec<String> = bad.iter().map(ToString::to_string).collect();
        let form = "moves are written as in Nf3, exd5, e8=Q or O-O";
        assert_eq!(
            whats,
            [
                &format!("game 1, line 1: `Zf3` is no move; {form}"),
                "game 3, line 5: a variation `(` without its `)`"
            ]
        );
        assert_eq!(read_games(b"garbage not pgn", 100).1.len(), 1);
    }

    fn labels(openings: &[Opening]) -> Vec<(&str, usize)> {
        openings.iter().map(|opening| (opening.label.as_str(), opening.moves.len())).collect()
    }

    #[test]
    fn each_game_gives_its_first_moves() {
        let (openings, bad) = read_games(GAMES.as_bytes(), 3);
        assert_eq!(bad, []);
        assert_eq!(labels(&openings), [("B20 Sicilian", 3), ("game 2", 3), ("game 3", 2)]);
        assert_eq!(openings[2].fen, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        let played = Fen::from_position(&openings[0].position(), EnPassantMode::Legal).to_string();
        assert_eq!(played, "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
        assert_eq!(labels(&read_games(GAMES.as_bytes(), 0).0)[0].1, 0);
        assert_eq!(read_games(b"", 3), (vec![], vec![]));
    }

    #[test]
    fn games_without_moves_are_openings_with_their_own_tags() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let text = format!(
            "[FEN \"{fen}\"]\n[Event \"?\"]\n\n[ECO \"B20\"]\n[Event \"?\"]\n\n1. e4 e5 *\n\n[FEN \"{fen}\"]\n[FEN \"{fen}\"]\n"
        );
        let (openings, bad) = read_games(text.as_bytes(), 2);
        assert_eq!(
            (bad, labels(&openings)),
            (vec![], vec![("game 1", 0), ("B20", 2), ("game 3", 0), ("game 4", 0)])
        );
        assert!([0, 2, 3].iter().all(|&game| openings[game].fen == fen));
        assert!(openings[1].fen.starts_with("rnbqkbnr/"), "{}", openings[1].fen);
    }

    #[test]
    fn captures_need_no_x() {
        let text = "1. e4 d5 2. ed5 Qd5 3. Nxc3 *\n";
        let (openings, bad) = read_games(text.as_bytes(), 100);
        assert_eq!((bad, labels(&openings)), (vec![], vec![("game 1", 5)]));
    }

    #[test]
    fn games_that_end_in_a_threefold_repetition_are_bad() {
        let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1";
        let text = format!("{shuffle} *\n\n{shuffle} Ng8 *\n\n1. e4 e5 *\n");
        let (openings, bad) = read_games(text.as_bytes(), 100);
        assert_eq!(labels(&openings), [("game 1", 7), ("game 3", 2)]);
        let whats: Vec<String> = bad.iter().map(ToString::to_string).collect();
        let expected = "game 2, line 3: the position occurs for the third time after its moves; \
                        `openings.plies` limits how many are played";
        assert_eq!(whats, [expected]);
        assert_eq!(read_games(text.as_bytes(), 7).1, []);
    }

    #[test]
    fn openings_are_over_where_the_referee_ends_the_game() {
        let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
        let rights = "1. e4 e5 2. Ke2 Ke7 3. Ke1 Ke8 4. Ke2 Ke7 5. Ke1 Ke8";
        for (moves, is_over) in [
            (shuffle.to_owned(), true),
            (format!("{shuffle} 5. e4"), false),
            (format!("{shuffle} 5. Nf3"), true),
            (rights.to_owned(), false),
            (format!("{rights} 6. Ke2 Ke7 7. Ke1 Ke8"), true),
            ("1. f3 e5 2. g4 Qh4#".to_owned(), true),
        ] {
            let mut games = Games::new(moves.as_bytes());
            let (_, read) = games.next(&OpeningBuilder::new(100)).expect("a game");
            let NextGame::Complete(recorded) = read else { panic!("{moves}") };
            assert_eq!(over_after(&recorded.start, &recorded.moves).is_some(), is_over, "{moves}");
            let (board, _) = Board::after(&recorded.opening(1), Variant::Standard).unwrap();
            assert_eq!(board.outcome().is_some(), is_over, "{moves}");
        }
    }

    #[test]
    fn bad_games_are_reported_and_reading_continues() {
        let text = "1. e4 Ke7 *\n\n1. e4 e5 *\n\n[FEN \"nonsense\"]\n\n1. e4 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
                    1. c4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n";
        let (openings, bad) = read_games(text.as_bytes(), 100);
        assert_eq!(labels(&openings), [("game 2", 2), ("game 5", 1)]);
        let whats: Vec<String> = bad.iter().map(ToString::to_string).collect();
        assert!(
            whats[0].starts_with("game 1, line 1: ply 2: `Ke7`: expected a legal move in `rnbqkbnr/"),
            "{whats:?}"
        );
        assert!(whats[1].starts_with("game 3, line 5: its FEN: `nonsense`"), "{whats:?}");
        assert_eq!(
            whats[2],
            "game 4, line 9: this is checkmate after its moves; `openings.plies` limits how many are played"
        );
        assert_eq!(whats[3], "game 6, line 13: its variant is `Atomic`, expected chess or Chess960");
    }
}
