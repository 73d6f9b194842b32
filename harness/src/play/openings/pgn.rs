//! Openings out of games: the first moves of each game of a PGN file.

use std::ops::ControlFlow;

use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position};

use super::line::{Opening, over};
use crate::base::epd;
use crate::base::pgn::{BadGame, Games};

/// The openings and the bad games of a file: of each game so many plies, or all it has if it is shorter.
pub(super) fn read_games(bytes: &[u8], plies: usize) -> (Vec<Opening>, Vec<BadGame>) {
    let (mut openings, mut bad) = (Vec::new(), Vec::new());
    let mut games = Games::new(bytes);
    while let Some((place, read)) = games.next(&mut Recorder { plies }) {
        match read {
            Ok(Ok(recorded)) => match over(&recorded.position) {
                None => openings.push(recorded.opening(place.game)),
                Some(reason) => bad.push(BadGame { place, what: format!("{reason} after its moves") }),
            },
            Ok(Err(what)) => bad.push(BadGame { place, what }),
            // The end of the file is reached: the bytes come from memory, and nothing else can fail for good.
            Err(error) => {
                bad.push(BadGame { place, what: error.to_string() });
                if place.game > bytes.len() {
                    break;
                }
            }
        }
    }
    (openings, bad)
}

/// Follows one game for so many plies.
struct Recorder {
    plies: usize,
}

/// What the tags say.
struct Tags {
    start: Chess,
    castling: CastlingMode,
    /// The values of `ECO`, `Opening` and `Variation`.
    names: [Option<String>; 3],
}

impl Tags {
    fn none() -> Self {
        Self { start: Chess::default(), castling: CastlingMode::Standard, names: [None, None, None] }
    }
}

/// A game being read.
struct Recording {
    start: Chess,
    castling: CastlingMode,
    names: [Option<String>; 3],
    position: Chess,
    moves: Vec<Move>,
}

impl Recording {
    fn opening(self, game: usize) -> Opening {
        let names: Vec<String> = self.names.into_iter().flatten().collect();
        let label = if names.is_empty() { format!("game {game}") } else { names.join(" ") };
        let fen = Fen::from_position(&self.start, EnPassantMode::Legal).to_string();
        Opening { fen, moves: self.moves, label, line: game, castling: self.castling }
    }
}

impl Visitor for Recorder {
    type Tags = Tags;
    type Movetext = Recording;
    type Output = Result<Recording, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Tags> {
        ControlFlow::Continue(Tags::none())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        // Not all writers agree on upper and lower case.
        let slot = match name.to_ascii_lowercase().as_slice() {
            b"eco" => 0,
            b"opening" => 1,
            b"variation" => 2,
            // The tags of a game without any moves run into those of the next.
            b"event" => {
                *tags = Tags::none();
                return ControlFlow::Continue(());
            }
            b"fen" => {
                return match epd::parse(value.as_bytes()) {
                    Some(Ok(line)) => {
                        (tags.start, tags.castling) = (line.position, line.castling);
                        ControlFlow::Continue(())
                    }
                    Some(Err(error)) => ControlFlow::Break(Err(format!("its FEN: {error}"))),
                    None => ControlFlow::Break(Err("its FEN is empty".to_owned())),
                };
            }
            _ => return ControlFlow::Continue(()),
        };
        let is_known = !value.trim().is_empty() && value != "?";
        tags.names[slot] = is_known.then(|| value.into_owned());
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Self::Output, Recording> {
        let Tags { start, castling, names } = tags;
        let position = start.clone();
        ControlFlow::Continue(Recording { start, castling, names, position, moves: Vec::new() })
    }

    fn san(&mut self, game: &mut Recording, san: SanPlus) -> ControlFlow<Self::Output> {
        if game.moves.len() == self.plies {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(&game.position) {
            Ok(mv) => {
                game.position.play_unchecked(mv);
                game.moves.push(mv);
                ControlFlow::Continue(())
            }
            Err(error) => {
                let ply = game.moves.len() + 1;
                let fen = Fen::from_position(&game.position, EnPassantMode::Legal);
                ControlFlow::Break(Err(format!("ply {ply}: {san}: {error} in `{fen}`")))
            }
        }
    }

    fn begin_variation(&mut self, _: &mut Recording) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, game: Recording) -> Self::Output {
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "\
[White \"?\"]
[ECO \"B20\"]
[Opening \"Sicilian\"]

1. e4 c5 (1... e5 2. Nf3) 2. Nf3 {a comment} d6 *

1. d4 d5 2. c4 1-0

[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]

1. e4 Kd7 *
";

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
    fn a_game_without_moves_leaves_nothing_to_the_next() {
        let text =
            "[Event \"?\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n \n\n[Event \"?\"]\n\n1. e4 e5 *\n";
        let (openings, bad) = read_games(text.as_bytes(), 2);
        assert_eq!((bad, labels(&openings)), (vec![], vec![("game 1", 2)]));
        assert!(openings[0].fen.starts_with("rnbqkbnr/"), "{}", openings[0].fen);
    }

    #[test]
    fn bad_games_are_named_and_the_next_ones_read() {
        let text = "1. e4 Ke7 *\n\n1. e4 e5 *\n\n[FEN \"nonsense\"]\n\n1. e4 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n1. c4 *\n";
        let (openings, bad) = read_games(text.as_bytes(), 100);
        assert_eq!(labels(&openings), [("game 2", 2), ("game 5", 1)]);
        let whats: Vec<String> = bad.iter().map(ToString::to_string).collect();
        assert!(whats[0].starts_with("game 1, line 1: ply 2: Ke7: "), "{whats:?}");
        assert!(whats[1].starts_with("game 3, line 5: its FEN: `nonsense`"), "{whats:?}");
        assert_eq!(whats[2], "game 4, line 9: this is checkmate after its moves");
    }
}
