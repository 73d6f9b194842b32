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
    AspirationDelta = 16, 4..=100, 4, "centipawns", "Half width of the first aspiration window.";
    AspirationGrowth = 60, 10..=300, 15, "percent", "How much wider the window gets after each failure.";
    AspirationDepth = 5, 2..=10, 1, "plies", "First iteration with an aspiration window.";

    ClockDampingPlies = 200, 100..=1000, 20, "plies", "So long after a capture or pawn move an evaluation would count nothing.";
    EnhancedCutoffDepth = 4, 1..=12, 1, "plies", "Least remaining depth for an enhanced transposition cutoff.";
    HindsightDeeper = 3, 1..=6, 1, "plies", "A reduction of so much is corrected when the opponent got no worse.";
    HindsightShallower = 160, 0..=500, 20, "centipawns", "Both evaluations' sum above which a reduced node loses a ply more.";
    InternalReductionDepth = 4, 2..=12, 1, "plies", "Least remaining depth for an internal iterative reduction.";
    RazoringBase = 220, 50..=800, 25, "centipawns", "Razoring margin at depth zero.";
    RazoringSlope = 200, 20..=600, 20, "centipawns per ply²", "Razoring margin for depth squared.";
    ReverseFutilityDepth = 9, 2..=20, 1, "plies", "Greatest remaining depth for reverse futility.";
    ReverseFutilitySlope = 45, 20..=200, 8, "centipawns per ply", "Reverse futility margin for each ply.";
    ReverseFutilityImproving = 57, 0..=200, 8, "centipawns", "Less margin where the evaluation rose.";
    ReverseFutilityWorsening = 27, 0..=100, 5, "centipawns", "Less margin where it rose by the opponent's move.";
    ReverseFutilityBlend = 40, 0..=100, 8, "percent", "How far the returned score lies from beta to the evaluation.";
    NullMoveDepth = 3, 1..=8, 1, "plies", "Least remaining depth for a null move.";
    NullMoveBase = 4, 1..=7, 1, "plies", "Reduction of a null move at depth zero.";
    NullMoveDivisor = 4, 2..=10, 1, "plies per ply", "One more ply of null move reduction for so much depth.";
    NullMoveEval = 180, 50..=600, 25, "centipawns per ply", "One more ply for so much evaluation above beta.";
    NullMoveVerifyDepth = 10, 4..=24, 1, "plies", "Least remaining depth at which a null move cutoff is verified.";
    ProbCutDepth = 5, 3..=10, 1, "plies", "Least remaining depth for ProbCut.";
    ProbCutMargin = 184, 50..=500, 15, "centipawns", "How far above beta a capture must score.";
    ProbCutImproving = 54, 0..=200, 10, "centipawns", "Less margin where the evaluation rose.";
    ProbCutReduction = 4, 2..=6, 1, "plies", "How much less deeply ProbCut searches.";
    SmallProbCutMargin = 400, 100..=1000, 30, "centipawns", "How far above beta a shallower record must be.";
    SmallProbCutDepth = 4, 1..=8, 1, "plies", "How much less deep that record may be.";

    SingularDepth = 6, 4..=12, 1, "plies", "Least remaining depth for a singular search.";
    SingularHashDepth = 3, 1..=6, 1, "plies", "How much less deep the record may be.";
    SingularMargin = 94, 20..=400, 15, "percent of a centipawn per ply", "How far below the hash score the others must stay.";
    DoubleExtensionMargin = 20, 0..=100, 4, "centipawns", "How much further below for a second ply.";
    TripleExtensionMargin = 86, 10..=400, 15, "centipawns", "How much further below for a third ply.";
    DoubleExtensionLimit = 8, 1..=20, 1, "extensions", "Most extensions of more than a ply in one line.";
    NegativeExtensionPlies = 2, 1..=4, 1, "plies", "How much less deeply a hash move among equals is searched.";

    LateMoveBase = 7, 1..=12, 1, "moves", "Moves a node at depth zero searches before it skips quiet ones.";
    LateMoveSlope = 123, 20..=300, 10, "percent of a move per ply²", "More moves for depth squared.";
    FutilityDepth = 9, 2..=16, 1, "plies", "Greatest reduced depth for futility.";
    FutilityBase = 78, 0..=300, 12, "centipawns", "Futility margin at reduced depth zero.";
    FutilitySlope = 88, 20..=250, 10, "centipawns per ply", "Futility margin for each ply of reduced depth.";
    FutilityHistory = 128, 16..=512, 16, "history per centipawn", "So much history adds a centipawn to the margin.";
    CaptureFutilityDepth = 7, 2..=12, 1, "plies", "Greatest reduced depth for capture futility.";
    CaptureFutilityBase = 177, 0..=600, 20, "centipawns", "Capture futility margin at reduced depth zero.";
    CaptureFutilitySlope = 197, 50..=500, 20, "centipawns per ply", "Capture futility margin for each ply.";
    HistoryPruningDepth = 6, 1..=12, 1, "plies", "Greatest reduced depth for history pruning.";
    HistoryPruningSlope = 4520, 500..=10000, 300, "history per ply", "History below minus this for each ply is pruned.";
    SeePruningDepth = 10, 2..=16, 1, "plies", "Greatest remaining depth for pruning by exchange.";
    SeeQuietSlope = 29, 5..=100, 4, "centipawns per ply²", "What a quiet move may lose, for reduced depth squared.";
    SeeCaptureSlope = 108, 20..=300, 10, "centipawns per ply", "What a capture may lose, for each ply of depth.";
    SeeCaptureHistory = 32, 8..=256, 8, "history per centipawn", "So much capture history forgives a centipawn.";

    LmrDepth = 2, 2..=6, 1, "plies", "Least remaining depth for a late move reduction.";
    LmrMove = 2, 1..=8, 1, "moves", "Moves searched in full before reductions start.";
    LmrBase = 411, -1024..=2048, 100, "1/1024 ply", "Reduction of a quiet move before depth and move number count.";
    LmrSlope = 214, 50..=800, 25, "1/1024 ply", "Reduction of a quiet move for each log2(depth) * log2(move).";
    LmrCaptureBase = 0, -1024..=2048, 100, "1/1024 ply", "Reduction of a capture before depth and move number count.";
    LmrCaptureSlope = 150, 50..=800, 25, "1/1024 ply", "Reduction of a capture for each log2(depth) * log2(move).";
    LmrPv = 1024, 0..=3072, 128, "1/1024 ply", "Less reduction in PV nodes.";
    LmrHashPv = 900, 0..=3072, 128, "1/1024 ply", "Less reduction in nodes that once were PV nodes.";
    LmrCut = 1713, 0..=4096, 150, "1/1024 ply", "More reduction in nodes expected to fail high.";
    LmrNotImproving = 726, 0..=3072, 100, "1/1024 ply", "More reduction where the evaluation did not rise.";
    LmrHashCapture = 900, 0..=3072, 100, "1/1024 ply", "More reduction of quiet moves where the hash move is noisy.";
    LmrCheck = 900, 0..=3072, 100, "1/1024 ply", "Less reduction of moves that give check.";
    LmrRefutation = 1000, 0..=3072, 100, "1/1024 ply", "Less reduction of killers and counter-moves.";
    LmrCutoffs = 900, 0..=3072, 100, "1/1024 ply", "More reduction where many siblings' children cut off.";
    LmrCorrection = 12, 1..=200, 4, "centipawns per 1/8 ply", "So much correction of the evaluation takes an eighth of a ply off.";
    LmrHistory = 5, 2..=64, 1, "history per 1/1024 ply", "So much history takes 1/1024 ply off.";
    LmrCaptureHistory = 10, 2..=64, 1, "history per 1/1024 ply", "So much capture history takes 1/1024 ply off.";
    ResearchDeeper = 49, 5..=200, 8, "centipawns", "A reduced move this much above the best is searched a ply deeper again.";
    ResearchShallower = 9, 1..=50, 2, "centipawns", "One less than this above it a ply shallower.";

    QuiescenceMoves = 2, 1..=8, 1, "moves", "After so many moves quiescence goes on with checks and recaptures only.";
    QuiescenceMargin = 172, 0..=600, 20, "centipawns", "What a capture in quiescence may be worth beyond its victim.";
    QuiescenceSeeLimit = 40, 0..=200, 10, "centipawns", "What a capture in quiescence may lose by exchange.";

    HistoryBonus = 200, 16..=600, 20, "history per ply", "What a cutoff adds, for each ply of depth.";
    HistoryOffset = 60, 0..=600, 20, "history", "Taken off what a cutoff adds.";
    HistoryMax = 1800, 300..=4000, 150, "history", "The most one cutoff adds.";
    MalusSlope = 200, 16..=600, 20, "history per ply", "What a move tried in vain loses, for each ply of depth.";
    MalusMax = 1500, 300..=4000, 150, "history", "The most it loses.";
    EvalHistoryWeight = 10, 1..=40, 2, "history per centipawn", "What a move gains for each centipawn it improved the evaluation by.";
    EvalHistoryMax = 700, 100..=2000, 60, "history", "The most it gains or loses that way.";
    ContinuationFar = 50, 0..=150, 10, "percent", "Weight of the moves four and six plies ago.";
    FailLowBonus = 60, 0..=200, 10, "percent", "What a move gains that no reply refuted, of a cutoff's bonus.";
    LowPlyWeight = 300, 0..=800, 20, "percent", "Weight of the low-ply history at the root.";
    CaptureHistoryWeight = 100, 0..=400, 15, "percent", "Weight of the capture history against the victim's value.";
    SeeOrderingHistory = 20, 8..=200, 4, "order per centipawn", "So much capture order forgives a centipawn lost by exchange.";
    PawnCorrectionWeight = 100, 0..=300, 10, "percent", "Weight of the pawn structure's correction.";
    MinorCorrectionWeight = 70, 0..=300, 10, "percent", "Weight of the minor pieces' correction.";
    NonPawnCorrectionWeight = 90, 0..=300, 10, "percent", "Weight of each side's pieces' correction.";
    ContinuationCorrectionWeight = 70, 0..=300, 10, "percent", "Weight of the last moves' correction.";

    TimeMoves = 24, 10..=60, 2, "moves", "A sudden-death game is planned for so many moves more.";
    TimeIncrement = 75, 0..=100, 5, "percent", "Share of the increment that is spent at once.";
    TimeSoft = 65, 20..=100, 5, "percent", "Share of a move's fair part of the clock after which no iteration starts.";
    TimeHard = 400, 100..=800, 40, "percent", "Most a move takes, measured by its fair part.";
    TimeShareBase = 190, 100..=300, 10, "percent", "Time factor where no node was spent on the best move.";
    TimeShareSlope = 140, 0..=250, 10, "percent", "What it loses until all nodes were.";
    TimeStabilityBase = 130, 100..=200, 8, "percent", "Time factor where the best move has just changed.";
    TimeStabilityStep = 6, 0..=12, 1, "percent", "What it loses with each iteration that keeps the move.";
    TimeDissent = 40, 0..=150, 10, "percent", "What the time factor gains where every helper prefers another move.";
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
