//! What a table of weights is, and the list of all of them.

use super::tapered::Tapered;

/// The ideas the evaluation is made of, as the breakdown lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// What the pieces are worth.
    Material,
    /// Where they stand.
    Squares,
    /// How far they see.
    Mobility,
    /// What is good or bad about single pieces.
    Pieces,
    /// The shape of the pawns.
    Pawns,
    /// Pawns on their way to promotion.
    Passed,
    /// The pawns around the king.
    King,
    /// The attack on the king; its weights add up to a danger that counts by its square.
    Danger,
    /// Pieces that are or can be attacked.
    Threats,
    /// Room behind the pawns.
    Space,
    /// The right to move.
    Tempo,
}

impl Term {
    /// All terms, in the order of the breakdown.
    pub const ALL: [Self; 11] = [
        Self::Material,
        Self::Squares,
        Self::Mobility,
        Self::Pieces,
        Self::Pawns,
        Self::Passed,
        Self::King,
        Self::Danger,
        Self::Threats,
        Self::Space,
        Self::Tempo,
    ];

    /// The name in the breakdown.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Material => "Material",
            Self::Squares => "Squares",
            Self::Mobility => "Mobility",
            Self::Pieces => "Pieces",
            Self::Pawns => "Pawns",
            Self::Passed => "Passed",
            Self::King => "King",
            Self::Danger => "Danger",
            Self::Threats => "Threats",
            Self::Space => "Space",
            Self::Tempo => "Tempo",
        }
    }
}

/// The weights of one idea.
pub(super) struct Table<const N: usize> {
    /// The number of its first weight among all weights.
    pub(super) start: usize,
    pub(super) weights: [Tapered; N],
}

/// A table as the tuner sees it.
#[derive(Clone, Copy, Debug)]
pub struct TableInfo {
    /// Its name in the source.
    pub name: &'static str,
    /// The lines of its description, each with its leading space.
    pub doc: &'static [&'static str],
    /// The idea it belongs to.
    pub term: Term,
    /// The number of its first weight among all weights.
    pub start: usize,
    /// What is played with.
    pub weights: &'static [Tapered],
}

/// The sum of the lengths before `place`.
pub(super) const fn start_of(place: usize, lengths: &[usize]) -> usize {
    let mut start = 0;
    let mut i = 0;
    while i < place {
        start += lengths[i];
        i += 1;
    }
    start
}

/// Puts the values for middlegame and endgame together.
pub(super) const fn pairs<const N: usize>(middle: [i32; N], end: [i32; N]) -> [Tapered; N] {
    let mut weights = [Tapered::ZERO; N];
    let mut i = 0;
    while i < N {
        weights[i] = Tapered::new(middle[i], end[i]);
        i += 1;
    }
    weights
}

/// Declares every table, numbers the weights through, and lists the tables for the tuner.
macro_rules! weights {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $term:ident[$length:literal] {
            middle: [$($middle:literal),* $(,)?],
            end: [$($end:literal),* $(,)?],
        }
    )*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names of the tables")]
        #[derive(Clone, Copy)]
        enum Place { $($name,)* }

        const LENGTHS: &[usize] = &[$($length,)*];

        $(
            $(#[doc = $doc])+
            pub(super) static $name: Table<$length> = Table {
                start: super::table::start_of(Place::$name as usize, LENGTHS),
                weights: super::table::pairs([$($middle,)*], [$($end,)*]),
            };
        )*

        /// How many weights there are.
        pub const WEIGHTS: usize = super::table::start_of(LENGTHS.len(), LENGTHS);

        /// Every table, in the order of the source, which is that of the weights' numbers.
        pub static TABLES: [TableInfo; LENGTHS.len()] = [$(
            TableInfo {
                name: stringify!($name),
                doc: &[$($doc,)+],
                term: Term::$term,
                start: $name.start,
                weights: &$name.weights,
            },
        )*];
    };
}
pub(super) use weights;
