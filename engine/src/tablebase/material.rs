//! Which men are on the board, the kings apart.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::position::Position;
use crate::types::{Color, Piece, PieceType};

/// Men besides the kings, at most.
pub const MAX_OTHERS: usize = 4;

/// Kinds besides the king, the strongest first: the order of names.
const KINDS: [PieceType; 5] =
    [PieceType::Queen, PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Pawn];

/// How many men of each kind each side has, the kings left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Material {
    /// By side, then by [`PieceType`], pawn to queen.
    counts: [[u8; 5]; 2],
}

/// A text that is no material.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is no material: expected such as KQvKR, with at most {MAX_OTHERS} men besides the kings")]
pub struct MaterialError {
    text: String,
}

impl Material {
    /// The men of a position; `None` if they are too many.
    pub fn of(position: &Position) -> Option<Self> {
        let mut material = Self::default();
        for color in Color::ALL {
            for kind in KINDS {
                material.counts[color.index()][kind.index()] = position.pieces_of(color, kind).count() as u8;
            }
        }
        (material.men() <= MAX_OTHERS + 2).then_some(material)
    }

    /// Of these men; kings go without saying. Range: at most [`MAX_OTHERS`] others.
    pub fn of_pieces(pieces: impl IntoIterator<Item = Piece>) -> Self {
        let mut material = Self::default();
        for piece in pieces.into_iter().filter(|piece| piece.kind != PieceType::King) {
            material.counts[piece.color.index()][piece.kind.index()] += 1;
        }
        material
    }

    /// All men, kings among them.
    pub fn men(&self) -> usize {
        2 + self.counts.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// How many of a piece there are; of kings one each.
    pub fn count(&self, piece: Piece) -> usize {
        match piece.kind {
            PieceType::King => 1,
            kind => self.counts[piece.color.index()][kind.index()].into(),
        }
    }

    /// Is there a pawn?
    pub fn has_pawns(&self) -> bool {
        self.counts.iter().any(|counts| counts[PieceType::Pawn.index()] > 0)
    }

    /// Has either side a pawn?
    pub fn has_pawns_on_both_sides(&self) -> bool {
        self.counts.iter().all(|counts| counts[PieceType::Pawn.index()] > 0)
    }

    /// The same with colours exchanged.
    #[must_use]
    pub fn turned(&self) -> Self {
        Self { counts: [self.counts[1], self.counts[0]] }
    }

    /// How a side compares with the other: by number of men, then by the strongest.
    fn strength(&self, color: Color) -> [u8; 6] {
        let counts = self.counts[color.index()];
        let mut strength = [0; 6];
        strength[0] = counts.iter().sum();
        for (place, kind) in strength[1..].iter_mut().zip(KINDS) {
            *place = counts[kind.index()];
        }
        strength
    }

    /// Has White the stronger men, or as strong ones? That is how tables are made.
    pub fn is_canonical(&self) -> bool {
        self.strength(Color::White) >= self.strength(Color::Black)
    }

    /// The table it belongs to, and whether colours have to be exchanged for it.
    pub fn canonical(&self) -> (Self, bool) {
        if self.is_canonical() { (*self, false) } else { (self.turned(), true) }
    }

    /// The men besides the kings, White's first, the strongest first, like men together.
    pub fn others(&self) -> ArrayVec<Piece, MAX_OTHERS> {
        Color::ALL
            .into_iter()
            .flat_map(|color| KINDS.map(|kind| Piece::new(color, kind)))
            .flat_map(|piece| std::iter::repeat_n(piece, self.count(piece)))
            .collect()
    }

    /// What is left when a man is taken; `None` if there is none of it.
    pub fn without(&self, piece: Piece) -> Option<Self> {
        let mut left = *self;
        let count = left.counts[piece.color.index()].get_mut(piece.kind.index())?;
        *count = count.checked_sub(1)?;
        Some(left)
    }

    /// What comes when a pawn of a side promotes; `None` if there is none.
    pub fn promoted(&self, color: Color, kind: PieceType) -> Option<Self> {
        let mut after = self.without(Piece::new(color, PieceType::Pawn))?;
        *after.counts[color.index()].get_mut(kind.index())? += 1;
        Some(after)
    }

    /// All tables that one move leads to from this one, each once: by captures, promotions, or both.
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
            // A pawn that takes as it promotes is not the one taken.
            for color in Color::ALL.into_iter().filter(|&color| color != piece.color) {
                for kind in PieceType::PROMOTIONS {
                    add(self.promoted(color, kind).and_then(|after| after.without(piece)));
                }
            }
        }
        found
    }

    /// All tables of so many men, each before those that lead to it. Range: `men` 2 to [`MAX_OTHERS`] + 2.
    pub fn all(men: usize) -> Vec<Self> {
        let mut found = vec![Self::default()];
        for _ in 2..men {
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
        // Fewer pawns first: a promotion leads to a table with one pawn less.
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
    /// `KQvKR`.
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

    /// `KQvKR`, in any case, also `KQKR`.
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
            if kings > 2 || material.men() > MAX_OTHERS + 2 {
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
    fn there_are_as_many_as_counted_elsewhere() {
        assert_eq!([2, 3, 4, 5, 6].map(|men| Material::all(men).len()), [1, 5, 30, 110, 365]);
        for men in 3..=5 {
            for table in Material::all(men) {
                assert!(table.is_canonical() && table.men() == men, "{table}");
                assert_eq!(table.to_string().parse(), Ok(table));
            }
        }
    }

    #[test]
    fn sides_are_put_in_order() {
        for (text, table, is_turned) in [
            ("KQvKR", "KQvKR", false),
            ("KRvKQ", "KQvKR", true),
            ("kkp", "KPvK", true),
            ("KNNKQ", "KNNvKQ", false),
            ("KvK", "KvK", false),
        ] {
            assert_eq!(material(text).canonical(), (material(table), is_turned), "{text}");
        }
        for text in ["", "K", "KQ", "KXvK", "QKvK", "KvKvK", "KQQQQQvK"] {
            assert!(text.parse::<Material>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_table_comes_after_those_it_leads_to() {
        let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
        for (place, table) in order.iter().enumerate() {
            for next in table.successors() {
                let there = order.iter().position(|other| *other == next);
                assert!(there.is_some_and(|there| there < place), "{table} leads to {next}");
            }
        }
    }

    #[test]
    fn a_pawn_leads_to_many_tables() {
        let mut names: Vec<String> = material("KQvKP").successors().iter().map(ToString::to_string).collect();
        names.sort();
        // By promotion, by taking the queen or the pawn, and by taking the queen with promotion.
        let expected = ["KBvK", "KNvK", "KPvK", "KQvK", "KQvKB", "KQvKN", "KQvKQ", "KQvKR", "KRvK"];
        assert_eq!(names, expected);
    }
}
