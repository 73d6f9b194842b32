//! How a capture or a promotion leads from one table to another.

use std::sync::Arc;

use arrayvec::ArrayVec;
use stretto::tablebase::{Index, MAX_OTHERS, Material, Men, Metric, Outcome};
use stretto::types::{Color, Piece, PieceType, Square};

use super::board::{Board, Conversion};
use super::table::{Table, Tables};
use super::worth::Worth;

/// The way to one table.
struct Link {
    table: Arc<Table>,
    /// Are colours exchanged there?
    is_turned: bool,
    /// The side to move there.
    side: Color,
    /// By place there: the place here.
    order: ArrayVec<usize, { MAX_OTHERS + 2 }>,
    /// By code there: what it is worth to the side that converts.
    worths: Vec<Worth>,
}

/// The ways to all tables next to one.
pub(super) struct Links<'a> {
    index: &'a Index,
    /// By [`Self::number`].
    links: Vec<Option<Link>>,
}

/// Places of men, and one more for none.
const PLACES: usize = MAX_OTHERS + 3;
const KINDS: usize = PieceType::ALL.len();

impl<'a> Links<'a> {
    /// The ways from the table of `index`; the name of a table that is missing otherwise.
    pub(super) fn new(index: &'a Index, tables: &Tables, metric: Metric) -> Result<Self, Material> {
        Self::of(index, tables, metric, &Color::ALL)
    }

    /// The ways that moves of these sides take, or the answers in passing to their double steps.
    pub(super) fn of(
        index: &'a Index,
        tables: &Tables,
        metric: Metric,
        sides: &[Color],
    ) -> Result<Self, Material> {
        let mut links: Vec<Option<Link>> = (0..PLACES * PLACES * KINDS).map(|_| None).collect();
        let places = 2..index.material().men();
        for captured in places.clone().map(Some).chain([None]) {
            let pawns = places.clone().filter(|&place| index.piece(place).kind == PieceType::Pawn);
            let promotions = pawns.flat_map(|place| PieceType::PROMOTIONS.map(|kind| Some((place, kind))));
            for promotion in promotions.chain([None]) {
                let taken = captured.map(|place| index.piece(place));
                let promoted = promotion.map(|(pawn, _)| index.piece(pawn));
                // Nobody takes himself or his own.
                let takes_own = taken.zip(promoted).is_some_and(|(taken, pawn)| taken.color == pawn.color);
                let Some(mover) = promoted.map(|pawn| pawn.color).or(taken.map(|taken| !taken.color)) else {
                    continue;
                };
                let is_in_passing = promoted.is_none()
                    && index.material().has_pawns_on_both_sides()
                    && taken
                        .is_some_and(|taken| taken.kind == PieceType::Pawn && sides.contains(&taken.color));
                if !takes_own && (sides.contains(&mover) || is_in_passing) {
                    let link = Link::new(index, tables, metric, mover, captured, promotion)?;
                    links[Self::number(captured, promotion)] = Some(link);
                }
            }
        }
        Ok(Self { index, links })
    }

    #[inline]
    fn number(captured: Option<usize>, promotion: Option<(usize, PieceType)>) -> usize {
        let (pawn, kind) = promotion.map_or((0, 0), |(pawn, kind)| (pawn, kind.index()));
        (captured.unwrap_or(0) * PLACES + pawn) * KINDS + kind
    }

    /// Every outcome that conversions may have for the side that plays them, and where there is en passant, a double step
    /// that they answer. Only outcomes that occur in the tables next to this one: a byte has no room for many others.
    pub(super) fn outcomes(&self, metric: Metric) -> Vec<Outcome> {
        let mut seen: Vec<(Material, Color)> = Vec::new();
        let mut found: Vec<Outcome> = Vec::new();
        for link in self.links.iter().flatten() {
            let there = (link.table.material(), link.side);
            if !seen.contains(&there) {
                seen.push(there);
                found.extend(link.table.outcomes(link.side).into_iter().map(|next| metric.converted(next)));
            }
        }
        if self.index.material().has_pawns_on_both_sides() {
            found.extend(found.clone().into_iter().map(Outcome::before));
        }
        found.sort_by_key(|&outcome| Worth::of(outcome));
        found.dedup();
        found
    }

    /// What a conversion is worth to the side that plays it; nothing if it is not legal. `men` are those before it.
    #[inline]
    pub(super) fn worth(&self, color: Color, men: &[Square], conversion: Conversion) -> Worth {
        let promotion = conversion.promotion.map(|kind| (conversion.place, kind));
        let Some(link) = &self.links[Self::number(conversion.captured, promotion)] else {
            return Worth::NONE;
        };
        let there = |place: usize| {
            let square = if place == conversion.place { conversion.to } else { men[place] };
            if link.is_turned { square.relative_to(Color::Black) } else { square }
        };
        let men: Men = link.order.iter().map(|&place| there(place)).collect();
        debug_assert_eq!(link.side, if link.is_turned { color } else { !color });
        let side = link.side;
        // Kings that touch have no place.
        let Some(place) = link.table.index().place(&men) else { return Worth::NONE };
        let code = link.table.code(side, place);
        // What is not legal looks like a win in one.
        if Table::is_in_doubt(code) && !Board::new(link.table.index(), men).is_legal(side) {
            return Worth::NONE;
        }
        link.worths[usize::from(code)]
    }

    /// The table these links are from.
    pub(super) fn index(&self) -> &'a Index {
        self.index
    }
}

impl Link {
    fn new(
        index: &Index,
        tables: &Tables,
        metric: Metric,
        mover: Color,
        captured: Option<usize>,
        promotion: Option<(usize, PieceType)>,
    ) -> Result<Self, Material> {
        let piece = |place: usize| {
            let piece = index.piece(place);
            match promotion {
                Some((pawn, kind)) if pawn == place => Piece::new(piece.color, kind),
                _ => piece,
            }
        };
        let mut left: Vec<(usize, Piece)> = (0..index.material().men())
            .filter(|&place| Some(place) != captured)
            .map(|place| (place, piece(place)))
            .collect();
        let after = Material::of_pieces(left.iter().map(|&(_, piece)| piece));
        let (canonical, is_turned) = after.canonical();
        let table = tables.get(canonical).ok_or(canonical)?;
        let order = (0..canonical.men()).filter_map(|place| {
            let piece = table.index().piece(place);
            let wanted = if is_turned { Piece::new(!piece.color, piece.kind) } else { piece };
            let found = left.iter().position(|&(_, piece)| piece == wanted)?;
            Some(left.remove(found).0)
        });
        let order = order.collect();
        let worths = (0..=u8::MAX).map(|code| Worth::of(metric.converted(table.outcome_of(code)))).collect();
        let side = if is_turned { mover } else { !mover };
        Ok(Self { table, is_turned, side, order, worths })
    }
}
