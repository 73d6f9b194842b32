//! Games between two setups of the engine in this process, for experiments on playing strength; the
//! same on every machine.

use stretto::engine::{Configuration, Solo};
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::strength::Strength;
use stretto::types::{Color, Depth, Mebibytes, Move, Nodes, Score};

use crate::learn::rules::{half_points_if_over, won_by};
use stretto_harness::base::random::SplitMix64;

/// Random moves at the start of each game. Units: plies.
const RANDOM_PLIES: usize = 8;
/// Score on which both sides must agree for a game to be adjudicated. Units: centipawns.
const DECIDED: Score = Score(800);
/// Length at which a game is adjudicated as a draw. Units: plies.
const LONGEST: usize = 200;

/// A player: a search with its limits.
pub(super) struct Player {
    solo: Solo,
    limits: Limits,
    /// The rating of a limited player; its seed is that of the game.
    elo: Option<u32>,
}

impl Player {
    /// Creates a player that searches to a depth; `None` without memory.
    pub(super) fn of_depth(configuration: Configuration, depth: u32) -> Option<Self> {
        Self::new(configuration, Limits { depth: Some(Depth(depth as i32)), ..Limits::default() })
    }

    /// Creates a player that searches a number of nodes; `None` without memory.
    pub(super) fn of_nodes(configuration: Configuration, nodes: u64) -> Option<Self> {
        Self::new(configuration, Limits { nodes: Some(Nodes(nodes)), ..Limits::default() })
    }

    /// Creates a player with a rating of the engine's ladder; `None` without memory.
    pub(super) fn of_elo(elo: u32) -> Option<Self> {
        // The level limits the nodes; a depth is needed only as a bound.
        Some(Self { elo: Some(elo), ..Self::of_depth(Configuration::default(), 64)? })
    }

    fn new(configuration: Configuration, limits: Limits) -> Option<Self> {
        // The engine itself needs a table of this size.
        Some(Self { solo: Solo::new(Mebibytes(4), configuration).ok()?, limits, elo: None })
    }

    fn begin(&mut self, seed: u64) {
        self.solo.new_game();
        if let Some(elo) = self.elo {
            self.solo.configuration.strength = Some(Strength { elo, seed });
        }
    }

    fn think(&mut self, game: &Game) -> Option<(Move, Score)> {
        let found = self.solo.search(game, self.limits.clone());
        found.best.map(|mv| (mv, found.score))
    }
}

/// Plays one game from a random opening and returns White's half-points.
fn game(players: [&mut Player; 2], seed: u64) -> u8 {
    let mut random = SplitMix64::new(seed);
    let mut game = opening(&mut random);
    let [white, black] = players;
    white.begin(seed);
    black.begin(seed);
    let mut last = Score::DRAW;
    for _ in RANDOM_PLIES..LONGEST {
        let side = game.position().side_to_move();
        let player = if side == Color::White { &mut *white } else { &mut *black };
        if let Some(half_points) = half_points_if_over(&game) {
            return half_points;
        }
        let Some((mv, score)) = player.think(&game) else { return 1 };
        // The scores are from the side to move's point of view, so agreement has opposite signs.
        if score >= DECIDED && last <= -DECIDED {
            return won_by(side);
        }
        if score <= -DECIDED && last >= DECIDED {
            return won_by(!side);
        }
        last = score;
        game.play(mv);
    }
    1
}

/// Returns a position after random moves in which the game goes on.
fn opening(random: &mut SplitMix64) -> Game {
    loop {
        let mut game = Game::new(Position::startpos());
        for _ in 0..RANDOM_PLIES {
            let moves = game.position().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.play(moves[random.below(moves.len() as u64) as usize]);
        }
        if game.position().has_legal_move() {
            return game;
        }
    }
}

/// Plays pairs of games with colors exchanged, and returns the score of the first player in each.
/// Range: 0 to 1.
pub(super) fn pairs(first: &mut Player, second: &mut Player, count: u64) -> Vec<f64> {
    (0..count)
        .map(|seed| {
            let as_white = game([&mut *first, &mut *second], seed);
            let as_black = 2 - game([&mut *second, &mut *first], seed);
            f64::from(as_white + as_black) / 4.0
        })
        .collect()
}

/// Returns the rating for which the expected score against these opponents is the score made, and
/// the half-width of its 95 % interval; `None` if every game was won or every game lost. `results`
/// has the opponent's rating, the score and the number of games.
///
/// Source: A. Elo, "The Rating of Chessplayers" (1978), with the logistic curve; the interval from
/// the Fisher information, without the smaller variance of draws.
pub(super) fn rating(results: &[(f64, f64, f64)]) -> Option<(f64, f64)> {
    let is_open = |limit: f64| results.iter().any(|&(_, score, _)| (score - limit).abs() > f64::EPSILON);
    if !is_open(0.0) || !is_open(1.0) {
        return None;
    }
    let expected = |rating: f64, opponent: f64| 1.0 / (1.0 + 10_f64.powf((opponent - rating) / 400.0));
    let surplus = |rating: f64| -> f64 {
        results.iter().map(|&(opponent, score, games)| games * (score - expected(rating, opponent))).sum()
    };
    let (mut low, mut high) = (-2000.0, 5000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if surplus(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let rating = f64::midpoint(low, high);
    let slope = std::f64::consts::LN_10 / 400.0;
    let information: f64 = results
        .iter()
        .map(|&(opponent, _, games)| {
            let share = expected(rating, opponent);
            games * share * (1.0 - share) * slope * slope
        })
        .sum();
    Some((rating, 1.96 / information.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rating_is_that_of_the_expected_score() {
        let (equal, half) = rating(&[(1500.0, 0.5, 100.0)]).unwrap();
        // One hundred games without draws: 1.96 * 400 / ln 10 / 5.
        assert!((equal - 1500.0).abs() < 0.01 && (half - 68.1).abs() < 0.1, "{equal} {half}");
        let (better, _) = rating(&[(1500.0, 10.0 / 11.0, 50.0)]).unwrap();
        assert!((better - 1900.0).abs() < 0.01, "{better}");
        let (between, _) = rating(&[(1400.0, 0.7, 20.0), (1600.0, 0.3, 20.0)]).unwrap();
        assert!((between - 1500.0).abs() < 0.01, "{between}");
        assert_eq!(rating(&[(800.0, 1.0, 2.0)]), None, "every game won");
        assert_eq!(rating(&[(800.0, 0.0, 2.0), (900.0, 0.0, 2.0)]), None, "every game lost");
        assert!(rating(&[(800.0, 1.0, 2.0), (1800.0, 0.0, 2.0)]).is_some());
    }

    #[test]
    fn more_nodes_win_and_games_repeat() {
        let player = |nodes| Player::of_nodes(Configuration::default(), nodes).unwrap();
        let play = || pairs(&mut player(1500), &mut player(60), 4);
        let scores = play();
        assert!(scores.iter().sum::<f64>() / 4.0 > 0.6, "{scores:?}");
        assert_eq!(scores, play());
    }
}
