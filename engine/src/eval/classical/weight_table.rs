//! Weight tables and the macro that declares them.

use super::tapered::Tapered;

/// The terms of the evaluation, as listed in the breakdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Piece values and the bishop pair.
    Material,
    /// Value of each square, by piece type.
    Squares,
    /// Mobility of the pieces.
    Mobility,
    /// Good or bad squares of single pieces.
    Pieces,
    /// Isolated, backward and doubled pawns, phalanxes and supported pawns.
    Pawns,
    /// Passed pawns: rank, obstacles, and the distance of the kings.
    Passed,
    /// Pawn shelter and pawn storm.
    King,
    /// Danger to the king; its weights are summed and the sum is squared.
    Danger,
    /// Attacked pieces and possible attacks.
    Threats,
    /// Safe squares behind the pawns.
    Space,
    /// Bonus for the side to move.
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

    /// Returns the name in the breakdown.
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

/// The weights of one feature.
pub(super) struct WeightTable<const N: usize> {
    /// Index of its first weight among all weights.
    pub(super) start: usize,
    pub(super) weights: [Tapered; N],
}

/// A weight table as the tuner sees it.
#[derive(Clone, Copy, Debug)]
pub struct TableInfo {
    /// Name of the table in the source.
    pub name: &'static str,
    /// Lines of its doc comment, each with its leading space.
    pub doc: &'static [&'static str],
    /// The term it belongs to.
    pub term: Term,
    /// Index of its first weight among all weights.
    pub start: usize,
    /// The weights compiled into this engine.
    pub weights: &'static [Tapered],
}

/// Returns the sum of the lengths before `place`.
pub(super) const fn start_of(place: usize, lengths: &[usize]) -> usize {
    let mut start = 0;
    let mut i = 0;
    while i < place {
        start += lengths[i];
        i += 1;
    }
    start
}

/// Combines middlegame and endgame values.
pub(super) const fn pairs<const N: usize>(middle: [i32; N], end: [i32; N]) -> [Tapered; N] {
    let mut weights = [Tapered::ZERO; N];
    let mut i = 0;
    while i < N {
        weights[i] = Tapered::new(middle[i], end[i]);
        i += 1;
    }
    weights
}

/// Declares the weight tables, numbers the weights consecutively, and lists the tables for the
/// tuner.
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
            pub(super) static $name: WeightTable<$length> = WeightTable {
                start: super::weight_table::start_of(Place::$name as usize, LENGTHS),
                weights: super::weight_table::pairs([$($middle,)*], [$($end,)*]),
            };
        )*

        /// Number of weights in all tables.
        pub const WEIGHTS: usize = super::weight_table::start_of(LENGTHS.len(), LENGTHS);

        /// All tables in source order, which is the order of the weights.
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
