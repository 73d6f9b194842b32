//! A self-play game determined by its number.

use std::sync::Arc;

use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::tt::AllocationError;
use stretto::types::{Color, FIFTY_MOVES, Mebibytes, Nodes, Score};

use crate::base::random::SplitMix64;
use crate::learn::data::PlayedGame;
use crate::learn::datagen::{DataAdjudication, DatagenConfig};

/// Number of earlier occurrences that make a threefold repetition.
const REPETITIONS: usize = 2;

/// A player of both sides.
pub(crate) struct Player {
    solo: Solo,
    config: Arc<DatagenConfig>,
    /// Nodes searched in the whole game.
    pub(super) nodes: u64,
}

/// The counters of the adjudication rules.
#[derive(Default)]
struct Tendency {
    winning: u32,
    losing: u32,
    drawish: u32,
}

impl Tendency {
    /// Adds White's score of the next ply; returns White's half-points if the game is adjudicated.
    fn add(&mut self, rules: &DataAdjudication, score: i32, ply: u32) -> Option<u8> {
        let count = |is_so: bool, before: u32| if is_so { before + 1 } else { 0 };
        self.winning = count(score >= rules.win_score.into(), self.winning);
        self.losing = count(score <= -i32::from(rules.win_score), self.losing);
        self.drawish = count(score.abs() <= rules.draw_score.into(), self.drawish);
        let is_drawn = rules.draw_plies > 0 && self.drawish >= rules.draw_plies && ply >= rules.draw_from_ply;
        match () {
            () if self.winning >= rules.win_plies => Some(2),
            () if self.losing >= rules.win_plies => Some(0),
            () if is_drawn => Some(1),
            () => None,
        }
    }
}

impl Player {
    pub(super) fn new(config: Arc<DatagenConfig>, evaluation: Evaluation) -> Result<Self, AllocationError> {
        let configuration = Configuration { evaluation, is_analysis: true, ..Configuration::default() };
        Ok(Self { solo: Solo::new(Mebibytes(config.hash), configuration)?, config, nodes: 0 })
    }

    /// Plays the game with this number, which is always the same.
    pub(super) fn play(&mut self, number: u64) -> PlayedGame {
        // Seed and number are hashed separately, so that different seeds share no sequence of
        // games.
        let seed = SplitMix64::new(self.config.seed).next_u64() ^ SplitMix64::new(number).next_u64();
        let mut random = SplitMix64::new(seed);
        loop {
            let Some(start) = self.random_opening(&mut random) else { continue };
            self.solo.new_game();
            if let Some(game) = self.play_from(start) {
                return game;
            }
        }
    }

    /// Returns a position after random moves; `None` if the game is over.
    fn random_opening(&self, random: &mut SplitMix64) -> Option<Position> {
        let openings = &self.config.openings;
        let plies =
            openings.min_plies + random.below(u64::from(openings.max_plies - openings.min_plies) + 1) as u32;
        let mut position = Position::startpos();
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                return None;
            }
            position = position.after(moves[random.below(moves.len() as u64) as usize]);
        }
        position.has_legal_move().then_some(position)
    }

    /// Plays a game from an opening; `None` if the opening is unbalanced.
    fn play_from(&mut self, start: Position) -> Option<PlayedGame> {
        let config = Arc::clone(&self.config);
        let first_ply = 2 * (u32::from(start.fullmove_number()) - 1) + start.side_to_move().index() as u32;
        let mut game = Game::new(start);
        let mut moves = Vec::new();
        let mut tendency = Tendency::default();
        for played in 0..config.adjudication.max_plies.get() {
            if let Some(half_points) = result_by_rules(&game) {
                return Some(PlayedGame { start, moves, half_points });
            }
            let limits = Limits {
                soft_nodes: Some(Nodes(config.soft_nodes.get())),
                nodes: Some(Nodes(config.hard_nodes.get())),
                ..Limits::default()
            };
            let outcome = self.solo.search(&game, limits);
            self.nodes += outcome.nodes.0;
            if played == 0 && outcome.score.0.abs() > config.openings.max_score.into() {
                return None;
            }
            let mv = outcome.best?;
            let score = for_white(game.position(), outcome.score);
            moves.push((mv, score.0 as i16));
            game.play(mv);
            if let Some(half_points) = tendency.add(&config.adjudication, score.0, first_ply + played) {
                return Some(PlayedGame { start, moves, half_points });
            }
        }
        Some(PlayedGame { start, moves, half_points: 1 })
    }
}

fn for_white(position: &Position, score: Score) -> Score {
    if position.side_to_move() == Color::White { score } else { -score }
}

/// Returns White's half-points if the rules of chess end the game here.
fn result_by_rules(game: &Game) -> Option<u8> {
    let position = game.position();
    if !position.has_legal_move() {
        return Some(match (position.is_check(), position.side_to_move()) {
            (false, _) => 1,
            (true, Color::White) => 0,
            (true, Color::Black) => 2,
        });
    }
    let key = position.key();
    let is_repeated = game.keys().iter().filter(|&&earlier| earlier == key).count() >= REPETITIONS;
    let is_drawn = is_repeated || position.halfmove_clock() >= FIFTY_MOVES || position.is_dead_material();
    is_drawn.then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_chess_end_games() {
        let at = |fen| result_by_rules(&Game::new(Position::from_fen(fen).unwrap()));
        assert_eq!(at("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), Some(1));
        assert_eq!(at("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), Some(2));
        assert_eq!(at("7K/6q1/6k1/8/8/8/8/8 w - - 0 1"), Some(0));
        assert_eq!(at("7k/8/6K1/8/8/8/8/N7 w - - 0 1"), Some(1));
        assert_eq!(at("7k/8/6K1/8/8/8/8/R7 w - - 99 80"), None);
        assert_eq!(at("7k/8/6K1/8/8/8/8/R7 w - - 100 80"), Some(1));
        let mut game = Game::new(Position::startpos());
        for text in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
            assert_eq!(result_by_rules(&game), None);
            game.play(game.position().parse_uci(text).unwrap());
        }
        game.play(game.position().parse_uci("f6g8").unwrap());
        assert_eq!(result_by_rules(&game), Some(1));
    }

    #[test]
    fn consistent_scores_end_games() {
        let rules = DataAdjudication {
            win_plies: 3,
            draw_plies: 2,
            draw_from_ply: 10,
            ..DataAdjudication::default()
        };
        let ends = |scores: &[i32]| {
            let mut tendency = Tendency::default();
            let mut ends = scores.iter().zip(8..).map(|(&score, ply)| tendency.add(&rules, score, ply));
            ends.find_map(|end| end)
        };
        assert_eq!(ends(&[1500, 1499, 1500, 1500]), None);
        assert_eq!(ends(&[1500, 1500, 1600]), Some(2));
        assert_eq!(ends(&[-1500, -1500, -32_000]), Some(0));
        assert_eq!(ends(&[10, -10]), None);
        assert_eq!(ends(&[10, -10, 0]), Some(1));
        assert_eq!(ends(&[1500, -1500, 1500]), None);
    }
}
