//! Successor tables of captures and promotions.

use std::sync::Arc;

use arrayvec::ArrayVec;
use stretto::tablebase::{Index, MAX_OTHERS, Material, Metric, Outcome, PieceSquares};
use stretto::types::{Color, Piece, PieceType, Square};

use super::board::{Board, Conversion};
use super::table::{Table, Tables};
use super::value::Value;

/// The mapping to one successor table.
struct Link {
    table: Arc<Table>,
    /// Whether colours are swapped there.
    is_turned: bool,
    /// Side to move in the successor table.
    side: Color,
    /// By piece index there: the piece index here.
    order: ArrayVec<usize, { MAX_OTHERS + 2 }>,
    /// By code there: the value for the converting side.
    values: Vec<Value>,
}

/// The mappings to all successor tables.
pub(super) struct Links<'a> {
    index: &'a Index,
    /// By the number of the conversion; see [`Self::number`].
    links: Vec<Option<Link>>,
}

/// Number of piece indices, including one for none.
const PLACES: usize = MAX_OTHERS + 3;
const KINDS: usize = PieceType::ALL.len();

impl<'a> Links<'a> {
    /// Returns the mappings from the table of `index`, or the material of a missing table.
    pub(super) fn new(index: &'a Index, tables: &Tables, metric: Metric) -> Result<Self, Material> {
        Self::of(index, tables, metric, &Color::ALL)
    }

    /// Returns the mappings for the moves of these sides, and for en passant replies to their
    /// double steps.
    pub(super) fn of(
        index: &'a Index,
        tables: &Tables,
        metric: Metric,
        sides: &[Color],
    ) -> Result<Self, Material> {
        let mut links: Vec<Option<Link>> = (0..PLACES * PLACES * KINDS).map(|_| None).collect();
        let places = 2..index.material().piece_count();
        for captured in places.clone().map(Some).chain([None]) {
            let pawns = places.clone().filter(|&place| index.piece(place).kind == PieceType::Pawn);
            let promotions = pawns.flat_map(|place| PieceType::PROMOTIONS.map(|kind| Some((place, kind))));
            for promotion in promotions.chain([None]) {
                let taken = captured.map(|place| index.piece(place));
                let promoted = promotion.map(|(pawn, _)| index.piece(pawn));
                // A piece captures neither itself nor its own side.
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

    /// Returns every outcome of a conversion for the converting side, and of a double step answered
    /// by one if en passant is possible. Only outcomes that occur in the successor tables count,
    /// since there are only 256 codes for each side to move.
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
        found.sort_by_key(|&outcome| Value::of(outcome));
        found.dedup();
        found
    }

    /// Returns the value of a conversion for the converting side; [`Value::NONE`] if it is illegal.
    /// `squares` are the squares before it.
    #[inline]
    pub(super) fn value(&self, color: Color, squares: &[Square], conversion: Conversion) -> Value {
        let promotion = conversion.promotion.map(|kind| (conversion.place, kind));
        let Some(link) = &self.links[Self::number(conversion.captured, promotion)] else {
            return Value::NONE;
        };
        let there = |place: usize| {
            let square = if place == conversion.place { conversion.to } else { squares[place] };
            if link.is_turned { square.relative_to(Color::Black) } else { square }
        };
        let squares: PieceSquares = link.order.iter().map(|&place| there(place)).collect();
        debug_assert_eq!(link.side, if link.is_turned { color } else { !color });
        let side = link.side;
        // Adjacent kings have no index.
        let Some(place) = link.table.index().index_of(&squares) else { return Value::NONE };
        let code = link.table.code(side, place);
        // Illegal positions have the code of a win in one.
        if Table::may_be_illegal(code) && !Board::new(link.table.index(), squares).is_legal(side) {
            return Value::NONE;
        }
        link.values[usize::from(code)]
    }

    /// Returns the index of the table with these links.
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
        let mut left: Vec<(usize, Piece)> = (0..index.material().piece_count())
            .filter(|&place| Some(place) != captured)
            .map(|place| (place, piece(place)))
            .collect();
        let after = Material::of_pieces(left.iter().map(|&(_, piece)| piece));
        let (canonical, is_turned) = after.canonical();
        let table = tables.get(canonical).ok_or(canonical)?;
        let order = (0..canonical.piece_count()).filter_map(|place| {
            let piece = table.index().piece(place);
            let wanted = if is_turned { Piece::new(!piece.color, piece.kind) } else { piece };
            let found = left.iter().position(|&(_, piece)| piece == wanted)?;
            Some(left.remove(found).0)
        });
        let order = order.collect();
        let side = if is_turned { mover } else { !mover };
        let value = |code| Value::of(metric.converted(table.outcome_of(side, code)));
        let values = (0..=u8::MAX).map(value).collect();
        Ok(Self { table, is_turned, side, order, values })
    }
}
