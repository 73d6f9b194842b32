//! The material of a table: the pieces other than the kings.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::position::Position;
use crate::types::{Color, Piece, PieceType};

/// Maximum number of pieces other than kings.
pub const MAX_OTHERS: usize = 4;

/// Piece types except the king, strongest first, as in table names.
const KINDS: [PieceType; 5] =
    [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Pawn];

/// The number of pieces of each type and side, without kings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Material {
    /// By side, then by [`PieceType`], pawn to queen.
    counts: [[u8; 5]; 2],
}

/// Error for a text that is not a material name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "invalid material `{text}`: expected a name such as KQvKR, with at most {MAX_OTHERS} pieces besides the kings"
)]
pub struct MaterialError {
    text: String,
}

impl Material {
    /// Returns the material of a position; `None` if it has too many pieces.
    pub fn of(position: &Position) -> Option<Self> {
        let mut material = Self::default();
        for color in Color::ALL {
            for kind in KINDS {
                material.counts[color.index()][kind.index()] = position.pieces_of(color, kind).count() as u8;
            }
        }
        (material.piece_count() <= MAX_OTHERS + 2).then_some(material)
    }

    /// Returns the material of these pieces, ignoring kings. Range: at most [`MAX_OTHERS`] others.
    pub fn of_pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut material = Self::default();
        for piece in pieces.into_iter().filter(|piece| piece.kind != PieceType::King) {
            material.counts[piece.color.index()][piece.kind.index()] += 1;
        }
        material
    }

    /// Returns the number of pieces, including kings.
    pub fn piece_count(&self) -> usize {
        2 + self.counts.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// Returns the number of pieces equal to `piece`; 1 for kings.
    pub fn count(&self, piece: Piece) -> usize {
        match piece.kind {
            PieceType::King => 1,
            kind => self.counts[piece.color.index()][kind.index()].into(),
        }
    }

    /// Whether there is a pawn.
    pub fn has_pawns(&self) -> bool {
        self.counts.iter().any(|counts| counts[PieceType::Pawn.index()] > 0)
    }

    /// Whether both sides have a pawn.
    pub fn has_pawns_on_both_sides(&self) -> bool {
        self.counts.iter().all(|counts| counts[PieceType::Pawn.index()] > 0)
    }

    /// Returns the material with colors exchanged.
    #[must_use]
    pub fn color_swapped(&self) -> Self {
        Self { counts: [self.counts[1], self.counts[0]] }
    }

    /// Returns the sort key of a side: number of pieces, then number of each type, strongest first.
    fn strength(&self, color: Color) -> [u8; 6] {
        let counts = self.counts[color.index()];
        let mut strength = [0; 6];
        strength[0] = counts.iter().sum();
        for (place, kind) in strength[1..].iter_mut().zip(KINDS) {
            *place = counts[kind.index()];
        }
        strength
    }

    /// Whether White's side is at least as strong as Black's. Tables are generated in this form.
    pub fn is_canonical(&self) -> bool {
        self.strength(Color::White) >= self.strength(Color::Black)
    }

    /// Returns the canonical form, and whether colors were exchanged for it.
    pub fn canonical(&self) -> (Self, bool) {
        if self.is_canonical() { (*self, false) } else { (self.color_swapped(), true) }
    }

    /// Returns the pieces other than kings: White's first, strongest first, identical ones
    /// adjacent.
    pub fn others(&self) -> ArrayVec<Piece, MAX_OTHERS> {
        Color::ALL
            .into_iter()
            .flat_map(|color| KINDS.map(|kind| Piece::new(color, kind)))
            .flat_map(|piece| std::iter::repeat_n(piece, self.count(piece)))
            .collect()
    }

    /// Returns the material without one piece; `None` if there is no such piece.
    pub fn without(&self, piece: Piece) -> Option<Self> {
        let mut left = *self;
        let count = left.counts[piece.color.index()].get_mut(piece.kind.index())?;
        *count = count.checked_sub(1)?;
        Some(left)
    }

    /// Returns the material after a promotion; `None` if the side has no pawn.
    pub fn promoted(&self, color: Color, kind: PieceType) -> Option<Self> {
        let mut after = self.without(Piece::new(color, PieceType::Pawn))?;
        *after.counts[color.index()].get_mut(kind.index())? += 1;
        Some(after)
    }

    /// Returns all materials that one move leads to by capture, promotion or both, in canonical
    /// form, each once.
    pub fn successors(&self) -> Vec<Self> {
        let mut found = Vec::new();
        let mut add = |material: Option<Self>| {
            if let Some((table, _)) = material.map(|material| material.canonical())
                && !found.contains(&table)
            {
                found.push(table);
            }
        };
        let promotions: Vec<Self> = Color::ALL
            .into_iter()
            .flat_map(|color| PieceType::PROMOTIONS.map(|kind| self.promoted(color, kind)))
            .flatten()
            .collect();
        for &after in &promotions {
            add(Some(after));
        }
        for piece in self.others() {
            add(self.without(piece));
            // A capturing promotion leaves the promoted pawn, so the captured piece is another one.
            for color in Color::ALL.into_iter().filter(|&color| color != piece.color) {
                for kind in PieceType::PROMOTIONS {
                    add(self.promoted(color, kind).and_then(|after| after.without(piece)));
                }
            }
        }
        found
    }

    /// Returns all canonical materials of this many pieces, each before those that lead to it.
    /// Range: `pieces` 2 to [`MAX_OTHERS`] + 2.
    pub fn all(pieces: usize) -> Vec<Self> {
        let mut found = vec![Self::default()];
        for _ in 2..pieces {
            let mut larger: Vec<Self> = Vec::new();
            for material in &found {
                for color in Color::ALL {
                    for kind in KINDS {
                        let mut more = *material;
                        more.counts[color.index()][kind.index()] += 1;
                        let (table, _) = more.canonical();
                        if !larger.contains(&table) {
                            larger.push(table);
                        }
                    }
                }
            }
            found = larger;
        }
        // Fewer pawns first, because a promotion leads to a table with one pawn less.
        found.sort_by_key(|material| {
            let pawns: u8 = material.counts.iter().map(|counts| counts[PieceType::Pawn.index()]).sum();
            (
                pawns,
                std::cmp::Reverse(material.strength(Color::White)),
                std::cmp::Reverse(material.strength(Color::Black)),
            )
        });
        found
    }
}

impl fmt::Display for Material {
    /// Writes the name, such as `KQvKR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::ALL {
            f.write_str(if color == Color::White { "K" } else { "vK" })?;
            for kind in KINDS {
                for _ in 0..self.count(Piece::new(color, kind)) {
                    write!(f, "{}", kind.to_char().to_ascii_uppercase())?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    /// Parses a name such as `KQvKR` in any case, with or without `v`.
    fn from_str(text: &str) -> Result<Self, MaterialError> {
        let fail = || MaterialError { text: text.chars().take(40).collect() };
        let mut material = Self::default();
        let mut kings = 0;
        for letter in text.chars().filter(|letter| !letter.eq_ignore_ascii_case(&'v')) {
            match PieceType::from_char(letter).ok_or_else(fail)? {
                PieceType::King => kings += 1,
                kind if (1..=2).contains(&kings) => {
                    let count = &mut material.counts[kings - 1][kind.index()];
                    *count = count.checked_add(1).ok_or_else(fail)?;
                }
                _ => return Err(fail()),
            }
            if kings > 2 || material.piece_count() > MAX_OTHERS + 2 {
                return Err(fail());
            }
        }
        if kings == 2 { Ok(material) } else { Err(fail()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(name: &str) -> Material {
        name.parse().expect("a material")
    }

    #[test]
    fn number_of_materials_matches_published_counts() {
        assert_eq!([2, 3, 4, 5, 6].map(|pieces| Material::all(pieces).len()), [1, 5, 30, 110, 365]);
        for pieces in 3..=5 {
            for table in Material::all(pieces) {
                assert!(table.is_canonical() && table.piece_count() == pieces, "{table}");
                assert_eq!(table.to_string().parse(), Ok(table));
            }
        }
    }

    #[test]
    fn canonical_form_puts_the_stronger_side_first() {
        for (text, table, is_swapped) in [
            ("KQvKR", "KQvKR", false),
            ("KRvKQ", "KQvKR", true),
            ("kkp", "KPvK", true),
            ("KNNKQ", "KNNvKQ", false),
            ("KvK", "KvK", false),
        ] {
            assert_eq!(material(text).canonical(), (material(table), is_swapped), "{text}");
        }
        for text in ["", "K", "KQ", "KXvK", "QKvK", "KvKvK", "KQQQQQvK"] {
            assert!(text.parse::<Material>().is_err(), "{text}");
        }
    }

    #[test]
    fn materials_are_ordered_after_their_successors() {
        let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
        for (place, table) in order.iter().enumerate() {
            for next in table.successors() {
                let there = order.iter().position(|other| *other == next);
                assert!(there.is_some_and(|there| there < place), "{table} leads to {next}");
            }
        }
    }

    #[test]
    fn successors_include_captures_promotions_and_both() {
        let mut names: Vec<String> = material("KQvKP").successors().iter().map(ToString::to_string).collect();
        names.sort();
        // Promotions, captures of queen or pawn, and capturing the queen with promotion.
        let expected = ["KBvK", "KNvK", "KPvK", "KQvK", "KQvKB", "KQvKN", "KQvKQ", "KQvKR", "KRvK"];
        assert_eq!(names, expected);
    }
}
