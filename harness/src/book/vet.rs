//! Which moves of a book the engine would not play: its own search against what others played.
//!
//! Each position of the book is searched with so many nodes; each move of the book that is not the search's own is then
//! searched alone, to the depth that the first search came to. A move worth less than the best by more than a margin is
//! flagged. A position's search depends on nothing but the position, so any number of threads flags the same moves.
//! Belle's book was pruned in this way.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Candidate, Entry};
use stretto::engine::{Configuration, Solo};
use stretto::position::Game;
use stretto::search::limits::Limits;
use stretto::types::{Color, Mebibytes, Move, Nodes, Score};

use super::BookToolError;
use super::walk::{Station, Walk};
use super::write::{BookWriter, by_position};
use crate::cancel::Cancel;

/// The hash table of each search.
const HASH: Mebibytes = Mebibytes(4);

/// How a book is vetted.
#[derive(Clone)]
pub struct VetOptions {
    /// The search of each position, and at most of each move.
    pub nodes: Nodes,
    /// How much worse than the best a move may be.
    pub margin: Score,
    /// Where lines begin.
    pub start: Game,
}

/// A move that the engine disagrees with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flagged {
    /// The position, as FEN.
    pub fen: String,
    /// The move, as people write it.
    pub san: String,
    /// As UCI writes it, castling as the king taking its rook.
    pub uci: String,
    /// Its weight in the book.
    pub weight: u16,
    /// What the search says it is worth to the mover. Units: centipawns.
    pub score: i32,
    /// What the search would play.
    pub best: String,
    /// What that is worth. Units: centipawns.
    pub best_score: i32,
    /// Its entry.
    #[serde(skip)]
    pub id: (BookKey, BookMove),
}

impl Flagged {
    /// How much worse it is than the best. Units: centipawns.
    pub fn loss(&self) -> i32 {
        self.best_score - self.score
    }
}

/// What came of vetting a book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VetSummary {
    /// Positions searched.
    pub positions: u64,
    /// Moves judged.
    pub moves: u64,
    /// Those the engine disagrees with, the worst first.
    pub flagged: Vec<Flagged>,
}

/// Searches all positions of the book that a side which plays from it comes to, on the threads of the current rayon pool.
/// `progress` hears of each, with the number done and that of all.
///
/// Errors: no memory for a search, or a stop was asked for.
pub fn vet(
    book: &Book,
    options: &VetOptions,
    cancel: &Cancel,
    progress: impl Fn(u64, u64) + Sync,
) -> Result<VetSummary, BookToolError> {
    let stations = stations(book, &options.start);
    let (done, all) = (AtomicU64::new(0), stations.len() as u64);
    let judged: Result<Vec<Vec<Flagged>>, BookToolError> = stations
        .par_iter()
        .map_init(
            || Solo::new(HASH, Configuration { is_analysis: true, ..Configuration::default() }),
            |solo, station| {
                if cancel.is_cancelled() {
                    return Err(BookToolError::Cancelled);
                }
                let solo = solo.as_mut().map_err(|error| BookToolError::Memory(*error))?;
                let flagged = judge(solo, station, options);
                // Relaxed: a count for people, which orders nothing.
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
                Ok(flagged)
            },
        )
        .collect();
    let mut flagged: Vec<Flagged> = judged?.into_iter().flatten().collect();
    flagged
        .sort_by(|one, other| (other.loss(), &one.fen, &one.uci).cmp(&(one.loss(), &other.fen, &other.uci)));
    let moves = stations.iter().map(|station| station.moves.len() as u64).sum();
    Ok(VetSummary { positions: all, moves, flagged })
}

/// The positions of both sides, in the order of the walks.
fn stations(book: &Book, start: &Game) -> Vec<Station> {
    let mut seen = HashSet::new();
    let both = Color::ALL.into_iter().flat_map(|color| Walk::new(book, color, start));
    both.filter(|station| !station.moves.is_empty() && seen.insert(BookKey::of(&station.game))).collect()
}

/// The moves of a position that are worse than the best by more than the margin.
fn judge(solo: &mut Solo, station: &Station, options: &VetOptions) -> Vec<Flagged> {
    solo.new_game();
    // The position alone: how a walk came to it is no reason to call a move a repetition.
    let game = Game::new(*station.game.position());
    let limits = Limits { nodes: Some(options.nodes), ..Limits::default() };
    let found = solo.search(&game, limits.clone());
    let Some(best) = found.best else { return Vec::new() };
    let mut score_of = |mv: Move| {
        let alone = Limits { depth: Some(found.depth), searchmoves: vec![mv], ..limits.clone() };
        if mv == best { found.score } else { solo.search(&game, alone).score }
    };
    let position = game.position();
    let flag = |candidate: &Candidate, score: Score| Flagged {
        fen: position.to_string(),
        san: position.san(candidate.mv),
        uci: position.uci(candidate.mv, true),
        weight: candidate.entry.weight,
        score: score.0,
        best: position.san(best),
        best_score: found.score.0,
        id: (candidate.entry.key, candidate.entry.mv),
    };
    let scored = station.moves.iter().map(|candidate| (candidate, score_of(candidate.mv)));
    scored
        .filter(|(_, score)| found.score.0 - score.0 > options.margin.0)
        .map(|(candidate, score)| flag(candidate, score))
        .collect()
}

/// Writes the book without the flagged moves. Returns how many entries are left.
///
/// Errors: the file cannot be written, or nothing is left.
pub fn prune(book: &Book, flagged: &[Flagged], path: &Path) -> Result<u64, BookToolError> {
    let mut gone: BTreeMap<BookKey, BTreeSet<BookMove>> = BTreeMap::new();
    for one in flagged {
        gone.entry(one.id.0).or_default().insert(one.id.1);
    }
    let mut writer = BookWriter::create(path)?;
    by_position(book.entries_from(0), |entries| {
        if let Some(moves) = entries.first().and_then(|entry| gone.get(&entry.key)) {
            entries.retain(|entry: &Entry| !moves.contains(&entry.mv));
        }
        writer.write(entries)
    })?;
    let left = writer.entries;
    writer.finish("all moves were flagged")?;
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::walk::tests::{lines, played};

    fn options() -> VetOptions {
        VetOptions { nodes: Nodes(3000), margin: Score(100), start: played("") }
    }

    #[test]
    fn blunders_are_flagged_and_pruned() {
        // White gives a knight for a pawn, Black a bishop for nothing.
        let book = lines(&[
            ("e2e4 e7e5 g1f3 b8c6 f3e5", 5),
            ("e2e4 e7e5 g1f3 b8c6 f1b5", 5),
            ("d2d4 d7d5 c2c4 c8h3", 2),
        ]);
        let told = AtomicU64::new(0);
        let found = vet(&book, &options(), &Cancel::new(), |_, _| {
            told.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!((found.positions, found.moves), (8, 10));
        assert_eq!(told.into_inner(), 8);
        let mut flagged: Vec<&str> = found.flagged.iter().map(|one| one.san.as_str()).collect();
        flagged.sort_unstable();
        assert_eq!(flagged, ["Bh3", "Nxe5"], "{found:?}");
        assert!(found.flagged.iter().all(|one| one.loss() > 100));
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pruned.bin");
        assert_eq!(prune(&book, &found.flagged, &out).unwrap(), 8);
        let pruned = Book::open(&out).unwrap();
        assert!(vet(&pruned, &options(), &Cancel::new(), |_, _| {}).unwrap().flagged.is_empty());
        let kept = |moves: &str| pruned.find(BookKey::of(&played(moves))).count();
        assert_eq!((kept("e2e4 e7e5 g1f3 b8c6"), kept("d2d4 d7d5 c2c4")), (1, 0));
    }

    #[test]
    fn a_stop_is_obeyed() {
        let cancel = Cancel::new();
        cancel.cancel();
        let result = vet(&lines(&[("e2e4", 1)]), &options(), &cancel, |_, _| {});
        assert!(matches!(result, Err(BookToolError::Cancelled)));
    }
}
