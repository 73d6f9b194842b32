//! Dependencies between tables: which sides to move of which tables must be in memory, and in which
//! order they are loaded.
//!
//! Only captures and promotions lead from one table to another, and an omitted side to move is
//! recomputed from the other side and the successor tables. So most existing files are not needed,
//! and of many only the stored half.

use stretto::tablebase::Material;
use stretto::types::{Color, Piece, PieceType};

/// The way in which one table gets into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) table: Material,
    /// Whether the table is read from a file; otherwise it is generated.
    pub(crate) is_read: bool,
    /// Sides to move that are needed of the table.
    pub(crate) sides: [bool; 2],
    /// Sides to move whose captures and promotions are probed for the table.
    probes: [bool; 2],
}

/// The purpose of a table apart from being a successor of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Only needed as a successor.
    Dependency,
    /// The values are reported.
    Values,
    /// The values are reported and verified against their successors.
    Verified,
}

impl Step {
    fn made(table: Material) -> Self {
        Self { table, is_read: false, sides: [true; 2], probes: [true; 2] }
    }

    /// Returns the step for a table with a file that stores the given sides; `None` if nothing of
    /// it is needed.
    fn read(table: Material, needed: [bool; 2], stored: [bool; 2], wanted: Purpose) -> Option<Self> {
        let sides = if wanted == Purpose::Dependency { needed } else { [true; 2] };
        let is_left_out = |side: usize| sides[side] && !stored[side];
        let probes = [0, 1].map(|side| wanted == Purpose::Verified || is_left_out(side));
        (sides != [false; 2]).then_some(Self { table, is_read: true, sides, probes })
    }

    /// Returns the tables that the step probes, with the side to move there. Tables may repeat.
    pub(crate) fn dependencies(self) -> impl Iterator<Item = (Material, Color)> {
        let colors = Color::ALL.into_iter().filter(move |color| self.probes[color.index()]);
        colors.flat_map(move |color| dependencies(self.table, color))
    }
}

/// Returns the steps that load or generate the tables of `order`, without those that are not
/// needed. `order` must list each table after its successors. `stored` returns the sides to move of
/// a table's file, if it exists; its second argument is whether anything of the table is needed.
pub(crate) fn steps<E>(
    order: &[Material],
    mut stored: impl FnMut(Material, bool) -> Result<Option<[bool; 2]>, E>,
    wanted: impl Fn(Material) -> Purpose,
) -> Result<Vec<Step>, E> {
    let mut steps: Vec<Step> = Vec::new();
    for &table in order.iter().rev() {
        let (needed, wanted) = (still_needed(table, &steps), wanted(table));
        let is_needed = wanted != Purpose::Dependency || needed != [false; 2];
        steps.extend(match stored(table, is_needed)? {
            Some(stored) => Step::read(table, needed, stored, wanted),
            None => Some(Step::made(table)),
        });
    }
    steps.reverse();
    Ok(steps)
}

/// Returns the steps that generate all tables of an order.
pub(crate) fn all_made(order: &[Material]) -> Vec<Step> {
    order.iter().map(|&table| Step::made(table)).collect()
}

/// Returns the sides to move of a table that later steps probe.
pub(crate) fn still_needed(table: Material, later: &[Step]) -> [bool; 2] {
    let mut needed = [false; 2];
    for (asked, side) in later.iter().flat_map(|step| step.dependencies()) {
        needed[side.index()] |= asked == table;
    }
    needed
}

/// Returns the successor tables of a side's captures and promotions, and of en passant replies to
/// its double steps, with the side to move there.
fn dependencies(table: Material, color: Color) -> Vec<(Material, Color)> {
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

    fn planned(order: &str, stored: &[(&str, [bool; 2])], wanted: &[(&str, Purpose)]) -> Vec<Step> {
        let of = |name: &str| name.parse::<Material>().unwrap();
        let stored = |table| stored.iter().find(|(name, _)| of(name) == table).map(|&(_, stored)| stored);
        let wanted = |table| {
            wanted
                .iter()
                .find(|(name, _)| of(name) == table)
                .map_or(Purpose::Dependency, |&(_, wanted)| wanted)
        };
        steps(&names(order), |table, _| Ok::<_, ()>(stored(table)), wanted).unwrap()
    }

    #[test]
    fn only_probed_sides_are_kept() {
        let of = |name: &str, later: &str| still_needed(name.parse().unwrap(), &all_made(&names(later)));
        // A white capture leaves Black to move, a black capture leaves White to move.
        assert_eq!(of("KQvK", "KQvKR"), [false, true]);
        assert_eq!(of("KRvK", "KQvKR"), [false, true], "Black captures the queen and becomes White");
        assert_eq!(of("KQvKR", "KQvKP"), [true, false]);
        assert_eq!(of("KQvK", "KQvK"), [false, false]);
        assert_eq!(of("KPvK", "KPvKP"), [false, true]);
        assert_eq!(of("KQvK", ""), [false, false]);
    }

    #[test]
    fn resumed_generation_reads_only_needed_sides() {
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
        // White's captures lead to Black to move in KQvK; Black's to White to move in KvKR, which
        // is Black to move in KRvK.
        let values = [("KQvKR", Purpose::Values)];
        let shown = planned(ORDER, &kept, &values);
        assert_eq!(tables(&shown), names("KQvK KQvKR"), "White to move is omitted");
        let whole = planned(ORDER, &all.map(|name| (name, [true; 2])), &values);
        assert_eq!(tables(&whole), names("KQvKR"));
        let checked = planned(ORDER, &kept, &[("KQvKR", Purpose::Verified)]);
        assert_eq!(tables(&checked), names("KRvK KQvK KQvKR"));
        // A side that is probed and omitted is recomputed, and so probes others.
        let deep = planned("KQvK KQvKR KQvKP", &[("KQvK", BLACK), ("KQvKR", BLACK)], &[]);
        assert_eq!(deep[1].sides, WHITE);
        assert_eq!(deep[0].sides, BLACK);
    }

    #[test]
    fn stored_is_told_which_tables_are_needed() {
        let order = names("KRvK KQvK KQvKR");
        let needed = |sides: [bool; 2]| {
            let mut needed = Vec::new();
            let stored = |table: Material, is_needed: bool| {
                needed.extend(is_needed.then(|| table.to_string()));
                Ok::<_, ()>(Some(sides))
            };
            let wanted = |table| if table == order[2] { Purpose::Values } else { Purpose::Dependency };
            steps(&order, stored, wanted).unwrap();
            needed
        };
        assert_eq!(needed([true; 2]), ["KQvKR"]);
        assert_eq!(needed([false, true]), ["KQvKR", "KQvK"]);
    }

    #[test]
    fn en_passant_replies_are_dependencies() {
        let table: Material = "KPvKP".parse().unwrap();
        // White's double step is captured by Black; White is then to move and the weaker side.
        assert!(dependencies(table, Color::White).contains(&("KPvK".parse().unwrap(), Color::Black)));
        assert!(
            dependencies("KPvK".parse().unwrap(), Color::Black)
                .iter()
                .all(|(table, _)| table.piece_count() == 2)
        );
    }
}
