//! Games for the experiments on books: self-play with few nodes, from books or random openings. The
//! result is the same on every machine.

use std::collections::BTreeMap;

use stretto::book::{Book, BookKey, BookMove, Entry, Selection, candidates, choose};
use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Mebibytes, Move, Nodes, Score, SplitMix64};

use crate::books::{Played, SourceGame};
use crate::learn::rules::{half_points_if_over, won_by};

/// Score at which a game is adjudicated. Units: centipawns.
const DECIDED: Score = Score(600);
/// Length at which a game is adjudicated as a draw. Units: plies.
const LONGEST: usize = 160;

/// A book that one side of a game plays from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) book: &'a Book,
    /// Whether learning data affects the choice of moves.
    pub(super) learns: bool,
}

/// A self-play setup with one search for both sides.
pub(super) struct SelfPlay {
    solo: Solo,
    nodes: u64,
    pub(super) random: SplitMix64,
}

impl SelfPlay {
    /// Creates a setup with about `nodes` nodes per move, randomised so that games differ; `None`
    /// without memory for a search.
    pub(super) fn new(nodes: u64, seed: u64) -> Option<Self> {
        let configuration = Configuration { evaluation: Evaluation::Classical, ..Configuration::default() };
        let solo = Solo::new(Mebibytes(2), configuration).ok()?;
        Some(Self { solo, nodes, random: SplitMix64::new(seed) })
    }

    /// Returns a random legal move.
    fn random_move(&mut self, game: &Game) -> Option<Move> {
        let moves = game.position().legal_moves();
        (!moves.is_empty()).then(|| moves[self.random.below(moves.len() as u64) as usize])
    }

    fn book_move(&mut self, source: Option<Source<'_>>, game: &Game) -> Option<Move> {
        let Source { book, learns } = source?;
        let moves = candidates(book, BookKey::of(game), game.position(), learns);
        choose(&moves, Selection::Weighted, &mut self.random).map(|taken| taken.mv)
    }

    /// Searches for a move, or adjudicates the game.
    fn think(&mut self, game: &Game) -> Step {
        let color = game.position().side_to_move();
        let nodes = Nodes(self.nodes * 3 / 4 + self.random.below(self.nodes / 2));
        let found = self.solo.search(game, Limits { nodes: Some(nodes), ..Limits::default() });
        match found.best {
            None => Step::Over(DRAWN),
            Some(_) if found.score >= DECIDED => Step::Over(won_by(color)),
            Some(_) if found.score <= -DECIDED => Step::Over(won_by(!color)),
            Some(mv) => Step::Move(mv),
        }
    }

    /// Plays a game after `random_plies` random plies, with White and Black playing from their
    /// books if given.
    pub(super) fn play(&mut self, books: [Option<Source<'_>>; 2], random_plies: usize) -> SourceGame {
        self.play_plies(books, random_plies, LONGEST)
    }

    /// Plays a game that is adjudicated as a draw after `longest` plies.
    pub(super) fn play_plies(
        &mut self,
        books: [Option<Source<'_>>; 2],
        random_plies: usize,
        longest: usize,
    ) -> SourceGame {
        self.solo.new_game();
        let start = Game::new(Position::startpos());
        let (mut game, mut moves) = (start.clone(), Vec::new());
        let half_points = loop {
            if let Some(half_points) = half_points_if_over(&game) {
                break half_points;
            }
            if moves.len() >= longest {
                break DRAWN;
            }
            let color = game.position().side_to_move();
            let is_given = moves.len() < random_plies;
            let ready =
                if is_given { self.random_move(&game) } else { self.book_move(books[color.index()], &game) };
            match ready.map_or_else(|| self.think(&game), Step::Move) {
                Step::Over(half_points) => break half_points,
                Step::Move(mv) => {
                    moves.push(Played { mv, is_given });
                    game.play(mv);
                }
            }
        };
        SourceGame { players: ["White", "Black"].map(str::to_owned), start, moves, half_points }
    }
}

/// White's half-points in a draw.
const DRAWN: u8 = 1;

/// The next event of a game.
enum Step {
    /// A move is played.
    Move(Move),
    /// The game ends, with White's half-points.
    Over(u8),
}

/// Plays games from random openings.
pub(super) fn games(count: u64, random_plies: usize, nodes: u64) -> Vec<SourceGame> {
    let Some(mut players) = SelfPlay::new(nodes, 1) else { return Vec::new() };
    (0..count).map(|_| players.play([None, None], random_plies)).collect()
}

/// Builds a book from the first plies of games, with weights as in `workshop book make`.
pub(super) fn book_of(games: &[SourceGame], plies: usize) -> Option<Book> {
    let mut points: BTreeMap<(BookKey, BookMove), u16> = BTreeMap::new();
    for source in games {
        let mut game = source.start.clone();
        for played in source.moves.iter().take(plies) {
            let color = game.position().side_to_move();
            let sum = points.entry((BookKey::of(&game), BookMove::new(played.mv))).or_default();
            *sum = sum.saturating_add(u16::from(source.half_points_of(color)));
            game.play(played.mv);
        }
    }
    let entries = points.into_iter().filter(|(_, weight)| *weight > 0);
    Book::from_entries(
        entries.map(|((key, mv), weight)| Entry { key, mv, weight, ..Entry::default() }).collect(),
    )
    .ok()
}
