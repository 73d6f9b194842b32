//! How a capture or a promotion leads from one table to another.

use std::collections::HashMap;
use std::sync::Arc;

use arrayvec::ArrayVec;
use stretto::tablebase::{Index, MAX_OTHERS, Material, Men, Outcome};
use stretto::types::{Color, Piece, PieceType, Square};

use super::board::Conversion;
use super::table::{Table, Tables};

/// What a conversion changes: who is taken, and what the pawn of which side becomes.
type Change = (Option<Piece>, Option<(Color, PieceType)>);

/// The way to one table.
struct Link {
    table: Arc<Table>,
    /// Are colours exchanged there?
    is_turned: bool,
}

/// The ways to all tables next to one.
pub(super) struct Links<'a> {
    index: &'a Index,
    links: HashMap<Change, Link>,
}

/// What a conversion leads to, the men in the order of the table there.
fn material_after(material: Material, change: Change) -> Option<Material> {
    let (captured, promotion) = change;
    let after = match promotion {
        Some((color, kind)) => material.promoted(color, kind)?,
        None => material,
    };
    match captured {
        Some(piece) => after.without(piece),
        None => Some(after),
    }
}

impl<'a> Links<'a> {
    /// The ways from the table of `index`; the name of a table that is missing otherwise.
    pub(super) fn new(index: &'a Index, tables: &Tables) -> Result<Self, Material> {
        let material = index.material();
        let mut links = HashMap::new();
        let captured = index.others().iter().map(|&piece| Some(piece)).chain([None]);
        for captured in captured {
            let promotions = Color::ALL
                .into_iter()
                .flat_map(|color| PieceType::PROMOTIONS.into_iter().map(move |kind| Some((color, kind))));
            for promotion in promotions.chain([None]) {
                let change = (captured, promotion);
                // Nobody takes a man of his own.
                let takes_own =
                    captured.zip(promotion).is_some_and(|(piece, (color, _))| piece.color == color);
                if change == (None, None) || takes_own {
                    continue;
                }
                let Some(after) = material_after(material, change) else { continue };
                let (canonical, is_turned) = after.canonical();
                let table = tables.get(canonical).ok_or(canonical)?;
                links.insert(change, Link { table, is_turned });
            }
        }
        Ok(Self { index, links })
    }

    /// Every outcome that occurs in the tables next to this one.
    pub(super) fn outcomes(&self) -> Vec<Outcome> {
        let mut found = Vec::new();
        for outcome in self.links.values().flat_map(|link| link.table.outcomes()) {
            if !found.contains(outcome) {
                found.push(*outcome);
            }
        }
        // In an order of their own: that of the links is another in every run.
        found.sort_by_key(|outcome| match outcome {
            Outcome::Draw => (0, 0),
            Outcome::Win(plies) => (1, *plies),
            Outcome::Loss(plies) => (2, *plies),
        });
        found
    }

    /// What a conversion by `color` is worth to the other side, which is to move then.
    pub(super) fn outcome(&self, color: Color, men: &[Square], conversion: Conversion) -> Outcome {
        let captured = conversion.captured.map(|place| self.index.piece(place));
        let promotion = conversion.promotion.map(|kind| (color, kind));
        let Some(link) = self.links.get(&(captured, promotion)) else { return Outcome::Draw };
        let mut left: ArrayVec<(Piece, Square), { MAX_OTHERS + 2 }> = ArrayVec::new();
        for (place, &square) in men.iter().enumerate() {
            if conversion.captured == Some(place) {
                continue;
            }
            let mut piece = self.index.piece(place);
            let mut square = square;
            if place == conversion.place {
                square = conversion.to;
                if let Some(kind) = conversion.promotion {
                    piece = Piece::new(color, kind);
                }
            }
            if link.is_turned {
                piece.color = !piece.color;
                square = square.relative_to(Color::Black);
            }
            left.push((piece, square));
        }
        let side = if link.is_turned { color } else { !color };
        link.table.outcome(side, &in_order(&link.table, left))
    }
}

/// Men in the order of a table.
fn in_order(table: &Table, mut left: ArrayVec<(Piece, Square), { MAX_OTHERS + 2 }>) -> Men {
    let count = left.len();
    (0..count)
        .filter_map(|place| {
            let wanted = table.index().piece(place);
            let found = left.iter().position(|&(piece, _)| piece == wanted)?;
            Some(left.swap_remove(found).1)
        })
        .collect()
}
