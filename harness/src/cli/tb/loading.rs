//! Which sides to move of which tables have to be in memory, and in what order they come there.
//!
//! Only captures and promotions lead from one table to another, and a file leaves out a side to move only where the other and
//! the tables next to it say what it is. So of the files that a run could read most are not needed, and of many only the half
//! that they hold.

use stretto::tablebase::Material;
use stretto::types::{Color, Piece, PieceType};

/// How one table comes into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) table: Material,
    /// Is it read from a file? It is made otherwise.
    pub(super) is_read: bool,
    /// The sides to move that are needed of it.
    pub(super) sides: [bool; 2],
    /// The sides to move whose captures and promotions are looked up for it.
    asks: [bool; 2],
}

/// What is wanted of a table for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing: it is there for those that ask it.
    No,
    /// Its values.
    Values,
    /// Its values, each to be computed again from its successors.
    Checked,
}

impl Step {
    fn made(table: Material) -> Self {
        Self { table, is_read: false, sides: [true; 2], asks: [true; 2] }
    }

    /// From a file with these sides; `None` if nothing of it is needed.
    fn read(table: Material, needed: [bool; 2], stored: [bool; 2], wanted: Wanted) -> Option<Self> {
        let sides = if wanted == Wanted::No { needed } else { [true; 2] };
        let is_left_out = |side: usize| sides[side] && !stored[side];
        let asks = [0, 1].map(|side| wanted == Wanted::Checked || is_left_out(side));
        (sides != [false; 2]).then_some(Self { table, is_read: true, sides, asks })
    }

    /// The tables that it asks, with the side to move there. Some come more than once.
    pub(super) fn asked_for(self) -> impl Iterator<Item = (Material, Color)> {
        let colors = Color::ALL.into_iter().filter(move |color| self.asks[color.index()]);
        colors.flat_map(move |color| asked_for(self.table, color))
    }
}

/// The steps by which tables come into memory, of tables in an order in which each comes after those it leads to: without
/// those that nobody asks for. `stored` says which sides to move the file of a table holds, if there is a file.
pub(super) fn steps<E>(
    order: &[Material],
    mut stored: impl FnMut(Material) -> Result<Option<[bool; 2]>, E>,
    wanted: impl Fn(Material) -> Wanted,
) -> Result<Vec<Step>, E> {
    let mut steps: Vec<Step> = Vec::new();
    for &table in order.iter().rev() {
        let (needed, wanted) = (still_needed(table, &steps), wanted(table));
        steps.extend(match stored(table)? {
            Some(stored) => Step::read(table, needed, stored, wanted),
            None => Some(Step::made(table)),
        });
    }
    steps.reverse();
    Ok(steps)
}

/// The steps by which all tables of an order are made.
pub(super) fn all_made(order: &[Material]) -> Vec<Step> {
    order.iter().map(|&table| Step::made(table)).collect()
}

/// Which sides to move of a table are asked for in these steps.
pub(super) fn still_needed(table: Material, later: &[Step]) -> [bool; 2] {
    let mut needed = [false; 2];
    for (asked, side) in later.iter().flat_map(|step| step.asked_for()) {
        needed[side.index()] |= asked == table;
    }
    needed
}

/// The tables that captures and promotions of a side lead to from this one, and the answers in passing to its double steps, with
/// the side to move there.
fn asked_for(table: Material, color: Color) -> Vec<(Material, Color)> {
    let mut found = Vec::new();
    let mut reach = |after: Option<Material>, side: Color| {
        if let Some((canonical, is_turned)) = after.map(|after| after.canonical()) {
            found.push((canonical, if is_turned { !side } else { side }));
        }
    };
    let promoted = PieceType::PROMOTIONS.map(|kind| table.promoted(color, kind));
    for before in promoted.into_iter().flatten().chain([table]) {
        reach(Some(before).filter(|&before| before != table), !color);
        for piece in table.others().into_iter().filter(|piece| piece.color != color) {
            reach(before.without(piece), !color);
        }
    }
    if table.has_pawns_on_both_sides() {
        reach(table.without(Piece::new(color, PieceType::Pawn)), color);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &str) -> Vec<Material> {
        names.split_whitespace().map(|name| name.parse().unwrap()).collect()
    }

    fn planned(order: &str, stored: &[(&str, [bool; 2])], wanted: &[(&str, Wanted)]) -> Vec<Step> {
        let of = |name: &str| name.parse::<Material>().unwrap();
        let stored = |table| stored.iter().find(|(name, _)| of(name) == table).map(|&(_, stored)| stored);
        let wanted = |table| {
            wanted.iter().find(|(name, _)| of(name) == table).map_or(Wanted::No, |&(_, wanted)| wanted)
        };
        steps(&names(order), |table| Ok::<_, ()>(stored(table)), wanted).unwrap()
    }

    #[test]
    fn tables_are_kept_as_far_as_they_are_needed() {
        let of = |name: &str, later: &str| still_needed(name.parse().unwrap(), &all_made(&names(later)));
        // White takes, and Black is to move; or Black takes and White is.
        assert_eq!(of("KQvK", "KQvKR"), [false, true]);
        assert_eq!(of("KRvK", "KQvKR"), [false, true], "Black takes the queen, and is White there");
        assert_eq!(of("KQvKR", "KQvKP"), [true, false]);
        assert_eq!(of("KQvK", "KQvK"), [false, false]);
        assert_eq!(of("KPvK", "KPvKP"), [false, true]);
        assert_eq!(of("KQvK", ""), [false, false]);
    }

    #[test]
    fn what_goes_on_reads_what_is_asked_for() {
        const WHITE: [bool; 2] = [true, false];
        const BLACK: [bool; 2] = [false, true];
        const ORDER: &str = "KRvK KQvK KQvKR KBvK KQvKB";
        let tables = |steps: &[Step]| steps.iter().map(|step| step.table).collect::<Vec<_>>();
        assert_eq!(planned(ORDER, &[], &[]), all_made(&names(ORDER)));
        let all = ["KRvK", "KQvK", "KQvKR", "KBvK", "KQvKB"];
        assert_eq!(planned(ORDER, &all.map(|name| (name, BLACK)), &[]), []);
        let kept = all.map(|name| (name, BLACK));
        let steps = planned(ORDER, &kept[..4], &[]);
        assert_eq!(tables(&steps), names("KQvK KBvK KQvKB"));
        assert_eq!((steps[0].is_read, steps[0].sides, steps[2].is_read), (true, BLACK, false));
        // White's captures lead to Black's moves in KQvK; Black's to White's in KvKR, which are Black's in KRvK.
        let values = [("KQvKR", Wanted::Values)];
        let shown = planned(ORDER, &kept, &values);
        assert_eq!(tables(&shown), names("KQvK KQvKR"), "what White has to move is left out");
        let whole = planned(ORDER, &all.map(|name| (name, [true; 2])), &values);
        assert_eq!(tables(&whole), names("KQvKR"));
        let checked = planned(ORDER, &kept, &[("KQvKR", Wanted::Checked)]);
        assert_eq!(tables(&checked), names("KRvK KQvK KQvKR"));
        // A side that is asked for and left out is computed, and so asks for others.
        let deep = planned("KQvK KQvKR KQvKP", &[("KQvK", BLACK), ("KQvKR", BLACK)], &[]);
        assert_eq!(deep[1].sides, WHITE);
        assert_eq!(deep[0].sides, BLACK);
    }

    #[test]
    fn an_answer_in_passing_asks_too() {
        let table: Material = "KPvKP".parse().unwrap();
        // White's double step, Black takes: White is to move, and is the weaker side.
        assert!(asked_for(table, Color::White).contains(&("KPvK".parse().unwrap(), Color::Black)));
        assert!(asked_for("KPvK".parse().unwrap(), Color::Black).iter().all(|(table, _)| table.men() == 2));
    }
}
