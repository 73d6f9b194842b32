//! Check of book moves by the engine's own search.
//!
//! Each position of the book is searched with a fixed number of nodes. Each other book move is then
//! searched alone to the depth that this search reached. A move that scores below the best by more
//! than a margin is flagged. The search depends only on the position, so the result is the same for
//! any number of threads. Belle's book was pruned in this way.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use stretto::book::{Book, BookKey, BookMove, Candidate, Entry};
use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::position::Game;
use stretto::search::limits::Limits;
use stretto::types::{Color, Mebibytes, Move, Nodes, Score};

use super::traverse::{Node, Walk};
use super::write::{BookWriter, by_position};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;

/// Hash table size of each search.
const HASH: Mebibytes = Mebibytes(4);

/// Options of the check.
#[derive(Clone)]
pub(crate) struct CheckOptions {
    /// Nodes per position, and maximum nodes per move.
    pub nodes: Nodes,
    /// Accepted score difference to the best move.
    pub margin: Score,
    /// Starting position of the lines.
    pub start: Game,
    /// Evaluation of the searches; a book is checked for the engine that plays it.
    pub evaluation: Evaluation,
}

/// A move that scores below the margin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Flagged {
    /// FEN of the position.
    pub fen: String,
    /// The move in SAN.
    pub san: String,
    /// The move in UCI notation, with castling as king takes rook.
    pub uci: String,
    /// Weight of the move in the book.
    pub weight: u16,
    /// Score of the move for the mover. Units: centipawns.
    pub score: i32,
    /// Best move of the search in SAN.
    pub best: String,
    /// Score of the best move. Units: centipawns.
    pub best_score: i32,
    /// Key and move of the entry.
    #[serde(skip)]
    pub id: (BookKey, BookMove),
}

impl Flagged {
    /// Returns the score difference to the best move. Units: centipawns.
    pub(crate) fn loss(&self) -> i32 {
        self.best_score - self.score
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CheckSummary {
    pub positions: u64,
    pub moves: u64,
    /// Flagged moves, largest loss first.
    pub flagged: Vec<Flagged>,
}

/// Searches all positions that are reachable when either side plays from the book, on the current
/// rayon pool. `progress` receives the finished and the total number of positions.
///
/// Errors: a search has no memory, or cancellation was requested.
pub(crate) fn check_book(
    book: &Book,
    options: &CheckOptions,
    cancel: &Cancel,
    progress: impl Fn(u64, u64) + Sync,
) -> Result<CheckSummary, Stop> {
    let nodes = nodes(book, &options.start);
    let (done, all) = (AtomicU64::new(0), nodes.len() as u64);
    let checked: Result<Vec<Vec<Flagged>>, Stop> = nodes
        .par_iter()
        .map_init(
            || {
                let evaluation = options.evaluation.clone();
                Solo::new(HASH, Configuration { is_analysis: true, evaluation, ..Configuration::default() })
            },
            |solo, node| {
                if cancel.is_cancelled() {
                    return Err(Stop::Cancelled);
                }
                let solo = solo.as_mut().map_err(|error| *error)?;
                let flagged = judge(solo, node, options);
                // Relaxed: a progress count that orders no other memory access.
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, all);
                Ok(flagged)
            },
        )
        .collect();
    let mut flagged: Vec<Flagged> = checked?.into_iter().flatten().collect();
    flagged
        .sort_by(|one, other| (other.loss(), &one.fen, &one.uci).cmp(&(one.loss(), &other.fen, &other.uci)));
    let moves = nodes.iter().map(|node| node.moves.len() as u64).sum();
    Ok(CheckSummary { positions: all, moves, flagged })
}

/// Returns the reachable positions of both sides in traversal order.
fn nodes(book: &Book, start: &Game) -> Vec<Node> {
    let mut seen = HashSet::new();
    let both = Color::ALL.into_iter().flat_map(|color| Walk::new(book, color, start));
    both.filter(|node| !node.moves.is_empty() && seen.insert(BookKey::of(&node.game))).collect()
}

/// Returns the moves of a position that score below the best by more than the margin.
fn judge(solo: &mut Solo, node: &Node, options: &CheckOptions) -> Vec<Flagged> {
    solo.new_game();
    // Without the moves that led to the position, so that they do not count as repetitions.
    let game = Game::new(*node.game.position());
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
    let scored = node.moves.iter().map(|candidate| (candidate, score_of(candidate.mv)));
    scored
        .filter(|(_, score)| found.score.0 - score.0 > options.margin.0)
        .map(|(candidate, score)| flag(candidate, score))
        .collect()
}

/// Writes the book without the flagged moves. Returns the number of remaining entries,
/// without header lines.
///
/// Errors: the file cannot be written, or no entry is left.
pub(crate) fn prune(book: &Book, flagged: &[Flagged], path: &Path) -> anyhow::Result<u64> {
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
    writer.finish("all moves are flagged")?;
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::traverse::tests::{lines, played};

    fn options() -> CheckOptions {
        let evaluation = Evaluation::default();
        CheckOptions { nodes: Nodes(3000), margin: Score(100), start: played(""), evaluation }
    }

    #[test]
    fn blunders_are_flagged_and_pruned() {
        // White loses a knight for a pawn, Black a bishop for nothing.
        let book = lines(&[
            ("e2e4 e7e5 g1f3 b8c6 f3e5", 5),
            ("e2e4 e7e5 g1f3 b8c6 f1b5", 5),
            ("d2d4 d7d5 c2c4 c8h3", 2),
        ]);
        let calls = AtomicU64::new(0);
        let found = check_book(&book, &options(), &Cancel::new(), |_, _| {
            calls.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!((found.positions, found.moves), (8, 10));
        assert_eq!(calls.into_inner(), 8);
        let mut flagged: Vec<&str> = found.flagged.iter().map(|one| one.san.as_str()).collect();
        flagged.sort_unstable();
        assert_eq!(flagged, ["Bh3", "Nxe5"], "{found:?}");
        assert!(found.flagged.iter().all(|one| one.loss() > 100));
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pruned.bin");
        assert_eq!(prune(&book, &found.flagged, &out).unwrap(), 8);
        let pruned = Book::open(&out).unwrap();
        assert!(check_book(&pruned, &options(), &Cancel::new(), |_, _| {}).unwrap().flagged.is_empty());
        let kept = |moves: &str| pruned.find(BookKey::of(&played(moves))).count();
        assert_eq!((kept("e2e4 e7e5 g1f3 b8c6"), kept("d2d4 d7d5 c2c4")), (1, 0));
    }

    #[test]
    fn header_lines_are_kept_and_not_counted() {
        let book = lines(&[("g2g4", 5), ("e2e4", 5)]);
        let entries: Vec<Entry> = book.entries_from(0).chain([Entry::default()]).collect();
        let book = Book::from_entries(entries).unwrap();
        let flagged = |moves: &[&str]| {
            let flag = |entry: Entry| Flagged {
                fen: String::new(),
                san: String::new(),
                uci: entry.mv.to_string(),
                weight: 5,
                score: 0,
                best: String::new(),
                best_score: 0,
                id: (entry.key, entry.mv),
            };
            let all = book.find(BookKey::of(&played(""))).map(flag);
            all.filter(|one| moves.contains(&one.uci.as_str())).collect::<Vec<_>>()
        };
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pruned.bin");
        let error = prune(&book, &flagged(&["e2e4", "g2g4"]), &out).unwrap_err().to_string();
        assert!(error.contains("nothing was written") && !out.exists(), "{error}");
        assert_eq!(prune(&book, &flagged(&["g2g4"]), &out).unwrap(), 1);
        assert_eq!(Book::open(&out).unwrap().len(), 2);
    }

    #[test]
    fn check_uses_the_given_evaluation() {
        // Material alone sees nothing wrong with moves that lose only time.
        let book = lines(&[("e2e4 e7e5 e1e2", 5), ("e2e4 e7e5 g1f3", 5)]);
        let losses = |evaluation: Evaluation| {
            let options = CheckOptions { margin: Score(-1), evaluation, ..options() };
            let found = check_book(&book, &options, &Cancel::new(), |_, _| {}).unwrap();
            found.flagged.iter().map(Flagged::loss).collect::<Vec<_>>()
        };
        assert_ne!(losses(Evaluation::Material), losses(Evaluation::Classical));
    }

    #[test]
    fn result_does_not_depend_on_earlier_searches() {
        let book = lines(&[("e2e4 e7e5 e1e2", 5), ("e2e4 e7e5 g1f3", 5)]);
        let options = CheckOptions { margin: Score(-1), ..options() };
        let new =
            || Solo::new(HASH, Configuration { is_analysis: true, ..Configuration::default() }).unwrap();
        let mut used = new();
        for node in nodes(&book, &options.start).iter().rev() {
            assert_eq!(judge(&mut used, node, &options), judge(&mut new(), node, &options));
        }
    }

    #[test]
    fn cancellation_stops_the_check() {
        let cancel = Cancel::new();
        cancel.cancel();
        let result = check_book(&lines(&[("e2e4", 1)]), &options(), &cancel, |_, _| {});
        assert!(matches!(result, Err(Stop::Cancelled)));
    }
}
