//! Games for the experiments on books: the engine against itself with few nodes, from books or from random openings. The
//! same on every machine.

use std::collections::BTreeMap;

use stretto::book::{Book, BookKey, BookMove, Entry, Selection, candidates, choose};
use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Color, Mebibytes, Move, Nodes, Score, SplitMix64};

use crate::book::{Played, SourceGame};

/// A search says a game is decided. Units: centipawns.
const DECIDED: Score = Score(600);
/// A game so long is a draw. Units: plies.
const LONGEST: usize = 160;

/// A book that a side of a game plays from.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) book: &'a Book,
    /// Does what was learned count?
    pub(super) learns: bool,
}

/// Two players with one search between them.
pub(super) struct Table {
    solo: Solo,
    nodes: u64,
    pub(super) random: SplitMix64,
}

impl Table {
    /// Players who think for some `nodes` a move, a little more or less by chance, so that no two games need be the same;
    /// `None` without memory for a search.
    pub(super) fn new(nodes: u64, seed: u64) -> Option<Self> {
        let configuration = Configuration { evaluation: Evaluation::Classical, ..Configuration::default() };
        let solo = Solo::new(Mebibytes(2), configuration).ok()?;
        Some(Self { solo, nodes, random: SplitMix64::new(seed) })
    }

    /// A random legal move.
    fn random_move(&mut self, game: &Game) -> Option<Move> {
        let moves = game.position().legal_moves();
        (!moves.is_empty()).then(|| moves[self.random.below(moves.len() as u64) as usize])
    }

    fn book_move(&mut self, source: Option<Source<'_>>, game: &Game) -> Option<Move> {
        let Source { book, learns } = source?;
        let moves = candidates(book, BookKey::of(game), game.position(), learns);
        choose(&moves, Selection::Weighted, &mut self.random).map(|taken| taken.mv)
    }

    /// What the search does: a move, or a game that is decided.
    fn think(&mut self, game: &Game) -> Step {
        let color = game.position().side_to_move();
        let nodes = Nodes(self.nodes * 3 / 4 + self.random.below(self.nodes / 2));
        let found = self.solo.search(game, Limits { nodes: Some(nodes), ..Limits::default() });
        match found.best {
            None if game.position().is_check() => Step::Over(won_by(!color)),
            None => Step::Over(DRAWN),
            Some(_) if found.score >= DECIDED => Step::Over(won_by(color)),
            Some(_) if found.score <= -DECIDED => Step::Over(won_by(!color)),
            Some(mv) => Step::Move(mv),
        }
    }

    /// A game in which White and Black play from their books, if they have one, after so many random plies.
    pub(super) fn play(&mut self, books: [Option<Source<'_>>; 2], random_plies: usize) -> SourceGame {
        self.solo.new_game();
        let start = Game::new(Position::startpos());
        let (mut game, mut moves) = (start.clone(), Vec::new());
        let half_points = loop {
            if moves.len() >= LONGEST || game.position().halfmove_clock() >= 100 || is_third(&game) {
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
        let players = ["White", "Black"].map(str::to_owned);
        SourceGame { players, start, moves, half_points }
    }
}

/// White's points of a draw, doubled.
const DRAWN: u8 = 1;

/// What comes next in a game.
enum Step {
    /// A move.
    Move(Move),
    /// The end, with White's points doubled.
    Over(u8),
}

const fn won_by(color: Color) -> u8 {
    match color {
        Color::White => 2,
        Color::Black => 0,
    }
}

fn is_third(game: &Game) -> bool {
    let key = game.position().key();
    game.keys().iter().filter(|&&earlier| earlier == key).count() >= 2
}

/// Games from random openings.
pub(super) fn games(count: u64, random_plies: usize, nodes: u64) -> Vec<SourceGame> {
    let Some(mut table) = Table::new(nodes, 1) else { return Vec::new() };
    (0..count).map(|_| table.play([None, None], random_plies)).collect()
}

/// A book of the first plies of games, with the weights that `harness book make` gives.
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
