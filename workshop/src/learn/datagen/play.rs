//! A self-play game determined by its number.

use std::sync::Arc;

use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::tablebase::{TableUse, Tablebases, Wdl};
use stretto::tt::AllocationError;
use stretto::types::{Color, Mebibytes, Nodes, Ply, Score};

use crate::learn::data::PlayedGame;
use crate::learn::datagen::openings::Starts;
use crate::learn::datagen::{DataAdjudication, DatagenConfig};
use crate::learn::rules::half_points_if_over;
use stretto_harness::base::random::SplitMix64;

/// Number of starts tried for a game before the run fails.
const MAX_STARTS: u32 = 10_000;

/// A player of both sides.
pub(crate) struct Player {
    solo: Solo,
    config: Arc<DatagenConfig>,
    starts: Arc<Starts>,
    /// The tables that end games.
    tables: Option<Tablebases>,
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
    pub(super) fn new(
        config: Arc<DatagenConfig>,
        evaluation: Evaluation,
        starts: Arc<Starts>,
    ) -> Result<Self, AllocationError> {
        let configuration = Configuration { evaluation, is_analysis: true, ..Configuration::default() };
        let solo = Solo::new(Mebibytes(config.hash), configuration)?;
        let tables = config.adjudication.tables.then(built_in_tables);
        Ok(Self { solo, config, starts, tables, nodes: 0 })
    }

    /// Plays the game with this number, which is always the same.
    pub(super) fn play(&mut self, number: u64) -> anyhow::Result<PlayedGame> {
        // Seed and number are hashed separately, so that different seeds share no sequence of
        // games.
        let seed = SplitMix64::new(self.config.seed).next_u64() ^ SplitMix64::new(number).next_u64();
        let mut random = SplitMix64::new(seed);
        let starts = Arc::clone(&self.starts);
        // The source is drawn once per game: otherwise sources with more unbalanced starts would
        // get less than their share. `endings` draws its material with each start, so names with more
        // unbalanced starts do. The games of a seed depend on this order.
        let source = starts.source(&mut random);
        for _ in 0..MAX_STARTS {
            let Some(start) = source.draw(&mut random) else { continue };
            if self.table_result(&start).is_some() {
                continue;
            }
            self.solo.new_game();
            if let Some(game) = self.play_from(start, source.max_score) {
                return Ok(game);
            }
        }
        Err(source.unbalanced(MAX_STARTS))
    }

    /// Plays a game from an opening; `None` if the opening is unbalanced.
    fn play_from(&mut self, start: Position, max_score: u16) -> Option<PlayedGame> {
        let config = Arc::clone(&self.config);
        let first_ply = 2 * (u32::from(start.fullmove_number()) - 1) + start.side_to_move().index() as u32;
        let mut game = Game::new(start);
        let mut moves = Vec::new();
        let mut tendency = Tendency::default();
        if let Some(half_points) = half_points_if_over(&game) {
            return Some(PlayedGame { start, moves, half_points });
        }
        for played in 0..config.adjudication.max_plies.get() {
            let pieces = game.position().occupied().count();
            let limits = Limits {
                soft_nodes: Some(Nodes(config.soft_nodes.at(pieces).get())),
                nodes: Some(Nodes(config.hard_nodes.at(pieces).get())),
                ..Limits::default()
            };
            let outcome = self.solo.search(&game, limits);
            self.nodes += outcome.nodes.0;
            if played == 0 && outcome.score.0.abs() > max_score.into() {
                return None;
            }
            let mv = outcome.best?;
            let score = for_white(game.position(), outcome.score);
            moves.push((mv, score.0 as i16));
            game.play(mv);
            if let Some(half_points) = self.table_result(game.position()) {
                let last = moves.len() - 1;
                moves[last].1 = table_score(half_points);
                return Some(PlayedGame { start, moves, half_points });
            }
            // Before the adjudication, because the score is that of the position before the move, which may have stalemated.
            if let Some(half_points) = half_points_if_over(&game) {
                return Some(PlayedGame { start, moves, half_points });
            }
            if let Some(half_points) = tendency.add(&config.adjudication, score.0, first_ply + played) {
                return Some(PlayedGame { start, moves, half_points });
            }
        }
        Some(PlayedGame { start, moves, half_points: 1 })
    }

    /// Returns White's half-points if the tables end the game here.
    fn table_result(&self, position: &Position) -> Option<u8> {
        let result = self.tables.as_ref()?.result(position)?;
        Some(match (result, position.side_to_move()) {
            (Wdl::Win, Color::White) | (Wdl::Loss, Color::Black) => 2,
            (Wdl::Loss, Color::White) | (Wdl::Win, Color::Black) => 0,
            (Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss, _) => 1,
        })
    }
}

/// Returns the built-in tables under the fifty-move rule.
fn built_in_tables() -> Tablebases {
    let usage = TableUse { has_embedded: true, ..TableUse::default() };
    Tablebases { usage, ..Tablebases::default() }
}

/// Returns the score, for White, of a position whose move enters the tables. It replaces the score
/// of the search, which did not know the tables and may contradict the result.
fn table_score(half_points: u8) -> i16 {
    let score = match half_points {
        0 => Score::tb_loss_in(Ply(1)),
        1 => Score::DRAW,
        _ => Score::tb_win_in(Ply(1)),
    };
    score.0 as i16
}

pub(super) fn for_white(position: &Position, score: Score) -> Score {
    if position.side_to_move() == Color::White { score } else { -score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::data::GameReader;
    use stretto_harness::config::Source;

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

    fn config(text: &str) -> Arc<DatagenConfig> {
        let text = format!("evaluation: material\ngames: 100\nhash: 1\n{text}");
        Arc::new(DatagenConfig::load(&Source::new("datagen.yaml", text)).unwrap())
    }

    fn player(config: &Arc<DatagenConfig>) -> Player {
        let starts = Arc::new(Starts::load(&config.openings).unwrap());
        Player::new(Arc::clone(config), Evaluation::Material, starts).unwrap()
    }

    #[test]
    fn mate_on_the_last_ply_is_a_win() {
        let half_points = |fen: &str| {
            let config = config("soft_nodes: 200\nadjudication: { max_moves: 1 }");
            let game = player(&config).play_from(Position::from_fen(fen).unwrap(), u16::MAX).unwrap();
            (game.moves.len(), game.half_points)
        };
        assert_eq!(half_points("6k1/8/6K1/8/8/8/8/5Q2 b - - 0 1"), (2, 2));
        assert_eq!(half_points("5q2/8/8/8/8/6k1/8/6K1 w - - 0 1"), (2, 0));
        assert_eq!(half_points("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"), (2, 1));
    }

    #[test]
    fn draws_are_adjudicated_by_the_move_number_of_the_start() {
        let rules = "draw: { from_move: 41, moves: 1, score: 10 }, max_moves: 5";
        let config = config(&format!("soft_nodes: 20\nadjudication: {{ {rules} }}"));
        for (number, plies) in [(41, 2), (40, 3), (1, 10)] {
            let start = Position::from_fen(&format!("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 {number}")).unwrap();
            let game = player(&config).play_from(start, u16::MAX).unwrap();
            assert_eq!((game.moves.len(), game.half_points), (plies, 1), "move {number}");
        }
    }

    /// The starts are those of the version before there were lists of sources.
    #[test]
    fn openings_without_a_list_are_those_of_earlier_versions() {
        let config = config(
            "soft_nodes: 1\nseed: 7\nopenings: { min_plies: 3, max_plies: 5, max_score: 32767 }\nadjudication: { max_moves: 1 }",
        );
        let mut player = player(&config);
        for (number, expected) in [
            "rnbqkb1r/pppppppp/B4n2/8/8/4P3/PPPP1PPP/RNBQK1NR b",
            "rnbqkbnr/p1pppppp/8/1p6/P7/7N/1PPPPPPP/RNBQKB1R b",
            "rnbqkb1r/pppppppp/5n2/8/8/N4P2/PPPPP1PP/R1BQKBNR b",
            "rnbqkbnr/pppppppp/8/8/P7/2N4P/1PPPPPP1/R1BQKBNR b",
        ]
        .into_iter()
        .enumerate()
        {
            let game = player.play(number as u64).unwrap();
            let fen = game.start.to_string();
            assert!(fen.starts_with(expected), "game {number}: {fen}");
        }
    }

    #[test]
    fn game_depends_on_its_number_only() {
        let config = config(
            "soft_nodes: 20\nadjudication: { tables: true, max_moves: 30 }\nopenings:\n- { source: endings, pieces: [KRPvKR] }\n\
             - { source: chess960 }\n- { source: random }\n",
        );
        let (mut one, mut other) = (player(&config), player(&config));
        let games: Vec<PlayedGame> = (0..12).map(|number| one.play(number).unwrap()).collect();
        for number in (0..12).rev() {
            assert_eq!(other.play(number).unwrap(), games[number as usize], "game {number}");
        }
        // Chess960 castling and the placed endings survive the file format.
        let mut bytes = Vec::new();
        for game in &games {
            game.write(&mut bytes).unwrap();
        }
        let read: Vec<PlayedGame> = GameReader::new(&bytes[..]).collect::<Result<_, _>>().unwrap();
        assert_eq!(read, games);
        assert!(games.iter().any(|game| game.start.occupied().count() == 5));
        assert!(games.iter().any(|game| game.start.occupied().count() > 5));
    }

    /// Returns the first games of a configuration and the nodes searched for them.
    fn games(limits: &str, openings: &str) -> (Vec<PlayedGame>, u64) {
        let text =
            format!("{limits}\nadjudication: {{ max_moves: 10 }}\nopenings: [{{ source: {openings} }}]\n");
        let mut player = player(&config(&text));
        let games = (0..8).map(|number| player.play(number).unwrap()).collect();
        (games, player.nodes)
    }

    #[test]
    fn node_limit_is_that_of_the_number_of_pieces() {
        let by_pieces = "soft_nodes: { from_16_pieces: 200, below: 20 }";
        // In 20 plies, the initial position keeps 16 pieces and an ending never has them.
        let (many, few) = ("random", "endings, pieces: [KRPvKR]");
        for (openings, same, other) in [(many, 200, 20), (few, 20, 200)] {
            let games_by_pieces = games(by_pieces, openings);
            assert_eq!(games_by_pieces, games(&format!("soft_nodes: {same}"), openings), "{openings}");
            assert_ne!(games_by_pieces, games(&format!("soft_nodes: {other}"), openings), "{openings}");
        }
        let hard = |limit: &str| games(&format!("soft_nodes: 20\nhard_nodes: {limit}"), many);
        assert_eq!(hard("{ from_16_pieces: 25, below: 1000 }"), hard("25"));
        assert_ne!(hard("25"), hard("1000"));
    }

    #[test]
    fn tables_end_games_with_their_result_and_score() {
        let text = "soft_nodes: 20\nopenings: [{ source: endings, pieces: [KPPvKP, KRPvKR, KNPvKB] }]\n";
        let with_tables = config(&format!("{text}adjudication: {{ tables: true }}\n"));
        let mut player = self::player(&with_tables);
        let mut results = [0; 3];
        for number in 0..60 {
            let game = player.play(number).unwrap();
            let mut position = game.start;
            for &(mv, _) in &game.moves {
                assert_eq!(built_in_tables().result(&position), None, "{position}");
                position = position.after(mv);
            }
            let Some(result) = built_in_tables().result(&position) else { continue };
            let for_white = if position.side_to_move() == Color::White { result } else { -result };
            let (half_points, score) = match for_white {
                Wdl::Loss => (0, 1 - Score::TB_WIN.0 as i16),
                Wdl::Win => (2, Score::TB_WIN.0 as i16 - 1),
                _ => (1, 0),
            };
            assert_eq!(game.half_points, half_points, "{position}");
            assert_eq!(game.moves.last().unwrap().1, score, "{position}");
            results[usize::from(half_points)] += 1;
        }
        assert!(results.iter().all(|&games| games >= 3), "{results:?}");
        // Without the rule, games go on there.
        let mut player = self::player(&config(text));
        let goes_on = (0..20).any(|number| {
            let game = player.play(number).unwrap();
            let before_last = game.moves.len().saturating_sub(1);
            let moves = game.moves[..before_last].iter();
            let position = moves.fold(game.start, |position, &(mv, _)| position.after(mv));
            position.occupied().count() <= 4
        });
        assert!(goes_on);
    }

    /// A search of one node does not see that its move stalemates.
    #[test]
    fn stalemate_is_a_draw_after_winning_scores() {
        let config = config(
            "soft_nodes: 1\nhard_nodes: 1\nopenings: [{ source: endings, pieces: [KQvK], max_score: 32767 }]\n\
             adjudication: { win: { score: 300, moves: 1, two_sided: true } }",
        );
        let mut player = player(&config);
        let mut stalemates = 0;
        for number in 0..3000 {
            let PlayedGame { start, moves, half_points } = player.play(number).unwrap();
            let end = moves.iter().fold(start, |position, &(mv, _)| position.after(mv));
            if !end.has_legal_move() && !end.is_check() {
                assert_eq!(half_points, 1, "{end}");
                stalemates += u32::from(moves.len() == 2);
            }
        }
        assert!(stalemates > 0);
    }

    #[test]
    fn source_without_balanced_starts_is_an_error() {
        let config =
            config("soft_nodes: 1\nopenings: [{ source: endings, pieces: [KQQQvKN], max_score: 100 }]\n");
        let error = player(&config).play(0).unwrap_err().to_string();
        assert!(
            error.contains("no start of source `endings` with a score of at most 100 centipawns"),
            "{error}"
        );
    }
}
