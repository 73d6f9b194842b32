//! The games under way, published by the threads that play them and read by the collector.
//!
//! A player stores a copy of its position before each move; nothing is formatted there. The reader
//! makes text of it, at most a few times a second.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position as _};

use crate::play::record::MoveRecord;
use crate::uci::ReportedScore;

/// A game under way, as `live.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveGame {
    /// Index of the game in the run, from 0.
    pub game: u64,
    /// Names of White and Black.
    pub names: [String; 2],
    /// Name of the opening in its file.
    pub opening: String,
    /// The position before the move that is being searched.
    pub fen: String,
    /// The last move in UCI notation; `None` before the first move of an engine.
    pub last_move: Option<String>,
    /// Time since the side to move was asked. Units: milliseconds.
    pub thinking_ms: u64,
    /// Clock, score, depth and nodes of White, then of Black.
    pub sides: [LiveSide; 2],
    /// Scores of the moves so far from White's view, a mate as [`MATE`]; `None` for a move without a score. Units: centipawns.
    #[serde(default)]
    pub scores: Vec<Option<i32>>,
    /// Whether the game is adjudicated and played on for the audit alone.
    #[serde(default)]
    pub is_audit: bool,
}

/// The score of a mate in a curve of scores. Units: centipawns.
const MATE: i32 = 10_000;

/// One side of a game under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LiveSide {
    /// Time left before its current or next move; `None` without a clock. Units: milliseconds.
    pub left_ms: Option<i64>,
    /// Score of its last move, from its own view.
    pub score: Option<ReportedScore>,
    /// Depth of its last search. Units: plies.
    pub depth: Option<u32>,
    /// Nodes of its last search.
    pub nodes: Option<u64>,
}

impl LiveSide {
    /// Returns a side with this clock and last move.
    pub(crate) fn new(left_us: Option<i64>, played: Option<&MoveRecord>) -> Self {
        Self {
            left_ms: left_us.map(|left| left / 1000),
            score: played.and_then(|played| played.score),
            depth: played.and_then(|played| played.depth),
            nodes: played.and_then(|played| played.nodes),
        }
    }
}

/// The game of one player.
#[derive(Clone, Debug)]
struct Published {
    /// The game without the fields below.
    game: LiveGame,
    /// Engines of White and Black, as indices of the configuration.
    engines: [usize; 2],
    /// The position in which a side was asked for a move; `None` before the first one.
    position: Option<Chess>,
    /// Time of that request.
    since: Instant,
}

/// The games of all players of a run.
#[derive(Debug)]
pub(crate) struct LiveGames(Vec<Mutex<Option<Published>>>);

/// The place in which one player publishes its game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveSlot<'a>(&'a Mutex<Option<Published>>);

fn locked(slot: &Mutex<Option<Published>>) -> MutexGuard<'_, Option<Published>> {
    // The content is plain data: a panic elsewhere cannot have left it half changed.
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveGames {
    /// Returns room for this many players, none of whom plays.
    pub(crate) fn new(players: usize) -> Self {
        Self((0..players).map(|_| Mutex::new(None)).collect())
    }

    /// Returns the slot of a player.
    pub(crate) fn slot(&self, player: usize) -> Option<LiveSlot<'_>> {
        self.0.get(player).map(LiveSlot)
    }

    /// Returns the games under way. `names` are the engines of the configuration.
    pub(crate) fn games(&self, names: &[&str]) -> Vec<LiveGame> {
        let name = |engine: usize| names.get(engine).map_or_else(String::new, |&name| name.to_owned());
        let game = |Published { game, engines, position, since }: Published| {
            Some(LiveGame {
                names: engines.map(name),
                fen: Fen::from_position(&position?, EnPassantMode::Legal).to_string(),
                thinking_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
                ..game
            })
        };
        // Copied first, so that no player waits for the text.
        let published: Vec<Published> = self.0.iter().filter_map(|slot| locked(slot).clone()).collect();
        published.into_iter().filter_map(game).collect()
    }
}

impl LiveSlot<'_> {
    /// Begins a game between these engines, White first.
    pub(crate) fn begin(self, game: u64, engines: [usize; 2], opening: &str) {
        let game = LiveGame { game, opening: opening.to_owned(), ..LiveGame::default() };
        *locked(self.0) = Some(Published { game, engines, position: None, since: Instant::now() });
    }

    /// Marks the rest of the game as played for the audit.
    pub(crate) fn begin_audit(self) {
        if let Some(published) = &mut *locked(self.0) {
            published.game.is_audit = true;
        }
    }

    /// Publishes the position in which a side is asked for a move.
    pub(crate) fn publish(self, position: &Chess, last_move: Option<&str>, sides: [LiveSide; 2]) {
        if let Some(published) = &mut *locked(self.0) {
            if last_move.is_some() {
                published.game.scores.push(last_score(position, sides));
            }
            published.position = Some(position.clone());
            published.game.last_move = last_move.map(str::to_owned);
            (published.game.sides, published.since) = (sides, Instant::now());
        }
    }

    /// Takes the game off the live page.
    pub(crate) fn end(self) {
        *locked(self.0) = None;
    }
}

/// Returns the score of the move that led to a position, from White's view.
fn last_score(position: &Chess, [white, black]: [LiveSide; 2]) -> Option<i32> {
    let (mover, sign) = if position.turn().is_black() { (white, 1) } else { (black, -1) };
    let score = match mover.score? {
        ReportedScore::Cp(centipawns) => centipawns.clamp(-MATE, MATE),
        ReportedScore::Mate(1..) => MATE,
        ReportedScore::Mate(_) => -MATE,
    };
    Some(sign * score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::sample_game;

    #[test]
    fn games_under_way_are_listed_until_they_end() {
        let games = LiveGames::new(2);
        let (first, second) = (games.slot(0).unwrap(), games.slot(1).unwrap());
        assert!(games.slot(2).is_none());
        first.begin(4, [1, 0], "sicilian");
        assert_eq!(games.games(&["a", "b"]), [], "no position is known yet");
        let played = &sample_game(0).moves[0];
        let sides = [LiveSide::new(Some(61_500), Some(played)), LiveSide::new(None, None)];
        first.publish(&Chess::default(), Some("e2e4"), sides);
        second.begin(5, [0, 1], "french");
        let found = games.games(&["a", "b"]);
        assert_eq!(found.len(), 1);
        let game = &found[0];
        assert_eq!((game.game, &game.names), (4, &["b".to_owned(), "a".to_owned()]));
        assert!(game.fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w "), "{}", game.fen);
        assert_eq!((game.sides[0].left_ms, game.sides[0].depth), (Some(61), Some(5)));
        // White is to move, so Black made the last move, without a score.
        assert_eq!(game.scores, [None]);
        let fen: Fen = "4k3/8/8/8/8/8/8/4K2R b - - 0 1".parse().unwrap();
        let black = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
        first.publish(&black, Some("h2h1"), sides);
        let mate = LiveSide { score: Some(ReportedScore::Mate(2)), ..sides[1] };
        first.publish(&Chess::default(), Some("e7e5"), [sides[0], mate]);
        let game = &games.games(&["a", "b"])[0];
        assert_eq!(game.scores, [None, Some(12), Some(-MATE)]);
        let text = serde_json::to_string(game).unwrap();
        assert_eq!(serde_json::from_str::<LiveGame>(&text).unwrap(), *game);
        assert!(!game.is_audit);
        first.begin_audit();
        assert!(games.games(&["a", "b"])[0].is_audit);
        first.end();
        assert_eq!(games.games(&["a", "b"]), []);
    }
}
