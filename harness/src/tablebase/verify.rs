//! Computes every value of a table again from the positions one move away.

use rayon::prelude::*;
use stretto::tablebase::{Material, Men, Outcome};
use stretto::types::Color;

use super::board::{Board, Conversion};
use super::link::Links;
use super::table::{Table, Tables};

/// A value that does not follow from its successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Who is to move.
    pub side: Color,
    /// Where the men stand, in the order of the index.
    pub men: Men,
    /// What the table says.
    pub found: Outcome,
    /// What follows.
    pub expected: Outcome,
}

/// Checks all positions of a table; the first few that are wrong, and how many there are. The name of a table that is missing
/// otherwise.
pub fn verify(table: &Table, tables: &Tables) -> Result<(u64, Vec<Mismatch>), Material> {
    const SHOWN: usize = 10;
    let index = table.index();
    let links = Links::new(index, tables)?;
    let wrong: Vec<Mismatch> = (0..index.len())
        .into_par_iter()
        .flat_map_iter(|place| {
            let board = Board::at(index, place);
            let (table, links) = (table, &links);
            board.into_iter().flat_map(move |board| {
                Color::ALL.into_iter().filter_map(move |side| {
                    if !board.is_legal(side) {
                        return None;
                    }
                    let (found, expected) = (table.at(side, place), follows(&board, side, table, links));
                    (found != expected).then(|| Mismatch { side, men: board.men.clone(), found, expected })
                })
            })
        })
        .collect();
    Ok((wrong.len() as u64, wrong.into_iter().take(SHOWN).collect()))
}

/// The value of a position by those of its successors.
pub(super) fn follows(board: &Board<'_>, side: Color, table: &Table, links: &Links<'_>) -> Outcome {
    let metric = table.metric();
    let mut best: Option<Outcome> = None;
    let mut take = |outcome: Outcome| best = Some(best.map_or(outcome, |known| known.better(outcome)));
    board.conversions(side, |conversion| take(metric.converted(links.outcome(side, &board.men, conversion))));
    board.quiet_moves(side, |place, to| {
        let men = board.moved(place, to);
        let mut next = table.outcome(!side, &men);
        let captures = board.en_passant(side, place, to);
        if !captures.is_empty() {
            let outcomes = captures.into_iter().map(|(taker, landing)| {
                let capture =
                    Conversion { place: taker, to: landing, captured: Some(place), promotion: None };
                metric.converted(links.outcome(!side, &men, capture))
            });
            let after = Board::new(table.index(), men.clone());
            let is_forced = !has_move(&after, !side);
            next = outcomes
                .fold(None, |known: Option<Outcome>, outcome| {
                    Some(known.map_or(outcome, |known| known.better(outcome)))
                })
                .map_or(next, |capture| if is_forced { capture } else { next.better(capture) });
        }
        take(next.before());
        true
    });
    best.unwrap_or(if board.is_check(side) { Outcome::Loss(0) } else { Outcome::Draw })
}

/// Has the side a move, en passant apart?
fn has_move(board: &Board<'_>, side: Color) -> bool {
    let mut has_move = false;
    board.quiet_moves(side, |_, _| {
        has_move = true;
        false
    });
    board.conversions(side, |_| has_move = true);
    has_move
}
