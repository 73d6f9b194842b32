//! Every number the search may be tuned by, declared once.
//!
//! A tunable has a name (its UCI option under `--lab`), default, range, step for a tuner, unit and reason. The
//! default is checked against the range when this file is compiled.

/// The declaration of one tunable.
#[derive(Clone, Copy, Debug)]
pub struct TunableInfo {
    /// Name of the UCI option.
    pub name: &'static str,
    /// Value in play.
    pub default: i32,
    /// Smallest value that makes sense.
    pub min: i32,
    /// Largest value that makes sense.
    pub max: i32,
    /// A change a tuner may start with.
    pub step: i32,
    /// What one of it is.
    pub unit: &'static str,
    /// What it governs, in a line.
    pub doc: &'static str,
}

macro_rules! tunables {
    ($($name:ident = $default:literal, $min:literal..=$max:literal, $step:literal, $unit:literal, $doc:literal;)*) => {
        /// A number the search reads. The table [`TUNABLES`] describes each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Tunable { $(#[doc = $doc] $name,)* }

        impl Tunable {
            /// All tunables, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        /// The table of tunables, indexed by `Tunable as usize`.
        pub const TUNABLES: &[TunableInfo] = &[$(
            TunableInfo {
                name: stringify!($name), default: $default, min: $min, max: $max, step: $step, unit: $unit, doc: $doc,
            },
        )*];

        $(const _: () = assert!(
            $min <= $default && $default <= $max && $step > 0,
            concat!("the default of ", stringify!($name), " is out of its range")
        );)*
    };
}

tunables! {
    AspirationDelta = 18, 4..=100, 4, "centipawns", "Half width of the first aspiration window.";
    AspirationGrowth = 60, 10..=300, 15, "percent", "How much wider the window gets after each failure.";
    AspirationDepth = 5, 2..=10, 1, "plies", "First iteration with an aspiration window.";
    NullMoveDepth = 2, 1..=8, 1, "plies", "Least remaining depth for a null move.";
    NullMoveBase = 3, 1..=6, 1, "plies", "Reduction of a null move at depth zero.";
    NullMoveDivisor = 4, 2..=10, 1, "plies per ply", "One more ply of null move reduction for so much depth.";
    NullMoveEval = 180, 50..=600, 25, "centipawns per ply", "One more ply for so much evaluation above beta.";
    LmrDepth = 3, 2..=6, 1, "plies", "Least remaining depth for a late move reduction.";
    LmrMove = 3, 1..=8, 1, "moves", "Moves searched in full before reductions start.";
    LmrBase = 250, -1024..=2048, 100, "1/1024 ply", "Reduction before depth and move number count.";
    LmrSlope = 240, 50..=800, 25, "1/1024 ply", "Reduction for each log2(depth) * log2(move).";
    LmrPv = 1024, 0..=3072, 128, "1/1024 ply", "Less reduction in PV nodes.";
    LmrHistory = 8, 2..=64, 2, "history per 1/1024 ply", "So much history takes 1/1024 ply off.";
    HistoryBonus = 160, 16..=600, 20, "history per ply", "What a cutoff adds, for each ply of depth.";
    HistoryMax = 1800, 300..=4000, 150, "history", "The most one cutoff adds.";
    TimeMoves = 24, 10..=60, 2, "moves", "A sudden-death game is planned for so many moves more.";
    TimeIncrement = 75, 0..=100, 5, "percent", "Share of the increment that is spent at once.";
    TimeSoft = 65, 20..=100, 5, "percent", "Share of a move's fair part of the clock after which no iteration starts.";
    TimeHard = 400, 100..=800, 40, "percent", "Most a move takes, measured by its fair part.";
    TimeShareBase = 190, 100..=300, 10, "percent", "Time factor where no node was spent on the best move.";
    TimeShareSlope = 140, 0..=250, 10, "percent", "What it loses until all nodes were.";
    TimeStabilityBase = 130, 100..=200, 8, "percent", "Time factor where the best move has just changed.";
    TimeStabilityStep = 6, 0..=12, 1, "percent", "What it loses with each iteration that keeps the move.";
    TimeTrend = 8, 0..=25, 2, "permille per centipawn", "What the time factor gains as the score falls.";
}

impl Tunable {
    /// Its row of the table.
    pub const fn info(self) -> &'static TunableInfo {
        &TUNABLES[self as usize]
    }

    /// The tunable with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tunable| tunable.info().name.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        for &tunable in Tunable::ALL {
            assert_eq!(Tunable::from_name(&tunable.info().name.to_lowercase()), Some(tunable));
        }
    }
}
