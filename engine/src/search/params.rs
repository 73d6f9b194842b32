//! The table of tunables: the numbers of the search.
//!
//! A tunable has a name (its UCI option under `--lab`), default, range, step for a tuner, unit and
//! description. The default is checked against the range at compile time. Most numbers also have the
//! switches that they need to have an effect.
//!
//! The table has no sizes of tables, units (percent, the 1024 of a ply), and intervals of polling and
//! reporting. Numbers without effect on one thread without Syzygy tables are missing too, because no
//! bench would show a change of them. Some heuristics, most of them off in play, have constants beside
//! their code instead.

use super::switch_table::Switch;

/// The declaration of one tunable.
#[derive(Clone, Copy, Debug)]
pub struct TunableInfo {
    /// The name of the UCI option.
    pub name: &'static str,
    /// The value in play.
    pub default: i32,
    /// The smallest reasonable value.
    pub min: i32,
    /// The largest reasonable value.
    pub max: i32,
    /// The initial step of a tuner.
    pub step: i32,
    /// The unit of the value, such as `percent` or `1/1024 ply`.
    pub unit: &'static str,
    /// A description of one line.
    pub doc: &'static str,
    /// The switches of which at least one must be on for the number to have an effect; empty if it
    /// depends on none.
    pub needs: &'static [Switch],
}

macro_rules! tunables {
    ($($name:ident = $default:literal, $min:literal..=$max:literal, $step:literal, $unit:literal, $doc:literal $(, needs $($need:ident)*)?;)*) => {
        /// A number of the search. The table [`TUNABLES`] describes each.
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
                needs: &[$($(Switch::$need),*)?],
            },
        )*];

        $(const _: () = assert!(
            $min <= $default && $default <= $max && $step > 0,
            concat!("the default of ", stringify!($name), " is out of its range")
        );)*
    };
}

tunables! {
    AspirationDelta = 12, 4..=100, 4, "centipawns", "Half width of the first aspiration window.", needs Aspiration;
    AspirationGrowth = 55, 10..=300, 15, "percent", "Growth of the window after each failure.", needs Aspiration;
    AspirationDepth = 5, 2..=10, 1, "plies", "First iteration with an aspiration window.", needs Aspiration;
    AspirationOpen = 3000, 500..=10000, 250, "centipawns", "Score from which a bound of the window is infinite.", needs Aspiration;

    FiftyMoveScalingPlies = 200, 100..=1000, 20, "plies", "Halfmove clock at which an evaluation would be zero.", needs FiftyMoveScaling;
    EndingScalePieces = 15, 4..=32, 2, "pieces", "Most pieces of an ending whose evaluation is scaled.", needs EndingScale;
    EnhancedCutoffDepth = 4, 1..=12, 1, "plies", "Least remaining depth for an enhanced transposition cutoff.", needs EnhancedCutoff;
    InternalIterativeReductionDepth = 4, 2..=12, 1, "plies", "Least remaining depth for an internal iterative reduction.", needs InternalIterativeReduction;
    RazoringBase = 130, 50..=800, 25, "centipawns", "Razoring margin at depth zero.", needs Razoring;
    RazoringSlope = 100, 20..=600, 20, "centipawns per ply²", "Razoring margin for depth squared.", needs Razoring;
    ReverseFutilityDepth = 8, 2..=20, 1, "plies", "Greatest remaining depth for reverse futility.", needs ReverseFutility;
    ReverseFutilitySlope = 53, 20..=200, 8, "centipawns per ply", "Reverse futility margin for each ply.", needs ReverseFutility;
    ReverseFutilityImproving = 40, 0..=200, 8, "centipawns", "Decrease of the margin where the evaluation rose.", needs ReverseFutility;
    ReverseFutilityBlend = 55, 0..=100, 8, "percent", "Position of the returned score between beta and the evaluation.", needs ReverseFutility;
    NullMoveDepth = 3, 1..=8, 1, "plies", "Least remaining depth for a null move.", needs NullMove;
    NullMoveBase = 5, 1..=7, 1, "plies", "Reduction of a null move at depth zero.", needs NullMove;
    NullMoveDivisor = 4, 2..=10, 1, "plies per ply", "Depth for one more ply of null move reduction.", needs NullMove;
    NullMoveEval = 203, 50..=600, 25, "centipawns per ply", "Evaluation above beta for one more ply of reduction.", needs NullMove;
    NullMoveEvalMax = 4, 0..=8, 1, "plies", "Most plies of reduction that the evaluation adds.", needs NullMove;
    NullMoveVerifyDepth = 10, 4..=24, 1, "plies", "Least remaining depth at which a null move cutoff is verified.", needs NullMoveVerification;
    NullMoveVerifyShare = 75, 0..=100, 10, "percent", "Share of the verification's depth without null moves.", needs NullMoveVerification;
    ProbCutDepth = 5, 3..=10, 1, "plies", "Least remaining depth for ProbCut.", needs ProbCut;
    ProbCutMargin = 183, 50..=500, 15, "centipawns", "Margin above beta that a capture must reach.", needs ProbCut;
    ProbCutImproving = 50, 0..=200, 10, "centipawns", "Decrease of the margin where the evaluation rose.", needs ProbCut;
    ProbCutReduction = 4, 2..=6, 1, "plies", "Reduction of the ProbCut search.", needs ProbCut;
    ProbCutEval = 165, 25..=600, 25, "centipawns per ply", "Evaluation above the raised beta for one more ply of reduction, or below it for one less.", needs AdaptiveProbCut;
    ProbCutEvalMax = 2, 1..=4, 1, "plies", "Most plies that the evaluation adds to the reduction or takes away.", needs AdaptiveProbCut;
    SmallProbCutMargin = 152, 100..=1000, 30, "centipawns", "Margin above beta that the TT score must reach.", needs SmallProbCut;
    SmallProbCutDepth = 4, 1..=8, 1, "plies", "Depth that the TT entry may lack.", needs SmallProbCut;

    SingularDepth = 6, 4..=12, 1, "plies", "Least remaining depth for a singular search.", needs SingularExtension SiblingSingularExtension;
    SingularTtDepth = 3, 1..=6, 1, "plies", "Depth that the TT entry may lack.", needs SingularExtension;
    SingularMargin = 70, 20..=400, 15, "percent of a centipawn per ply", "Margin below the TT score for the singular search.", needs SingularExtension SiblingSingularExtension;
    SingularSearchDepth = 42, 20..=80, 5, "percent", "Depth of the singular search, as a share of the remaining depth.", needs SingularExtension SiblingSingularExtension;
    DoubleExtensionMargin = 29, 0..=100, 4, "centipawns", "Further margin for a second ply.", needs DoubleExtension;
    TripleExtensionMargin = 90, 10..=400, 15, "centipawns", "Further margin for a third ply.", needs DoubleExtension;
    DoubleExtensionLimit = 8, 1..=20, 1, "extensions", "Most extensions by more than one ply on a path.", needs DoubleExtension;
    NegativeExtensionPlies = 2, 1..=4, 1, "plies", "Reduction of a TT move that is one of several good moves.", needs NegativeExtension;
    ExtensionLimit = 2, 1..=8, 1, "depths", "Multiple of the iteration's depth from which no line is extended.", needs SingularExtension SiblingSingularExtension CheckExtension MateThreatExtension RecaptureExtension PassedPawnExtension;
    PassedPawnRank = 6, 3..=7, 1, "rank", "First rank on which a passed pawn move is extended.", needs PassedPawnExtension;

    LateMoveBase = 7, 1..=12, 1, "moves", "Number of the first quiet move that is skipped at depth zero, pruned ones included.", needs LateMovePruning;
    LateMoveSlope = 136, 20..=300, 10, "percent of a move per ply²", "More moves for depth squared.", needs LateMovePruning;
    FutilityDepth = 9, 2..=16, 1, "plies", "Greatest reduced depth for futility.", needs Futility;
    FutilityBase = 71, 0..=300, 12, "centipawns", "Futility margin at reduced depth zero.", needs Futility;
    FutilitySlope = 103, 20..=250, 10, "centipawns per ply", "Futility margin for each ply of reduced depth.", needs Futility;
    FutilityHistory = 127, 16..=512, 16, "history per centipawn", "History for one more centipawn of margin.", needs Futility;
    CaptureFutilityDepth = 7, 2..=12, 1, "plies", "Greatest reduced depth for capture futility.", needs CaptureFutility;
    CaptureFutilityBase = 109, 0..=600, 20, "centipawns", "Capture futility margin at reduced depth zero.", needs CaptureFutility;
    CaptureFutilitySlope = 220, 50..=500, 20, "centipawns per ply", "Capture futility margin for each ply.", needs CaptureFutility;
    HistoryPruningDepth = 6, 1..=12, 1, "plies", "Greatest reduced depth for history pruning.", needs HistoryPruning;
    HistoryPruningSlope = 5460, 500..=10000, 300, "history per ply", "Quiet moves with less history than minus this per ply are pruned.", needs HistoryPruning;
    SeePruningDepth = 10, 2..=16, 1, "plies", "Greatest remaining depth for SEE pruning.", needs SeePruning;
    SeeQuietSlope = 28, 5..=100, 4, "centipawns per ply²", "Material a quiet move may lose, for reduced depth squared.", needs SeePruning;
    SeeCaptureSlope = 97, 20..=300, 10, "centipawns per ply", "Material a capture may lose, for each ply of depth.", needs SeePruning;
    SeeCaptureHistory = 29, 8..=256, 8, "history per centipawn", "Capture history for one more centipawn that may be lost.", needs SeePruning;

    LmrDepth = 2, 2..=6, 1, "plies", "Least remaining depth for a late move reduction.", needs LateMoveReductions;
    LmrMove = 2, 1..=8, 1, "moves", "Moves searched in full before reductions start.", needs LateMoveReductions;
    LmrBase = 298, -1024..=2048, 100, "1/1024 ply", "Constant term of the reduction of quiet moves.", needs LateMoveReductions;
    LmrSlope = 216, 50..=800, 25, "1/1024 ply", "Reduction of quiet moves for each log2(depth) * log2(move).", needs LateMoveReductions;
    LmrCaptureBase = -34, -1024..=2048, 100, "1/1024 ply", "Constant term of the reduction of captures.", needs LateMoveReductions;
    LmrCaptureSlope = 185, 50..=800, 25, "1/1024 ply", "Reduction of captures for each log2(depth) * log2(move).", needs LateMoveReductions;
    LmrPv = 1048, 0..=3072, 128, "1/1024 ply", "Decrease of the reduction in PV nodes.", needs LateMoveReductions;
    LmrTtPv = 721, 0..=3072, 128, "1/1024 ply", "Decrease of the reduction in nodes that were PV nodes.", needs LateMoveReductions;
    LmrCutNode = 1672, 0..=4096, 150, "1/1024 ply", "Increase of the reduction in cut nodes.", needs LateMoveReductions;
    LmrNoTtMove = 1029, 0..=3072, 100, "1/1024 ply", "Increase of the reduction in cut nodes without a TT move.", needs LateMoveReductions;
    LmrNotImproving = 1216, 0..=3072, 100, "1/1024 ply", "Increase of the reduction where the evaluation did not rise.", needs LateMoveReductions;
    LmrTtCapture = 886, 0..=3072, 100, "1/1024 ply", "Increase of the reduction of quiet moves where the TT move is noisy.", needs LateMoveReductions;
    LmrCheck = 868, 0..=3072, 100, "1/1024 ply", "Decrease of the reduction of moves that give check.", needs LateMoveReductions;
    LmrRefutation = 1000, 0..=3072, 100, "1/1024 ply", "Decrease of the reduction of killers and counter-moves.", needs Killers CounterMoves;
    LmrCutoffs = 1280, 0..=3072, 100, "1/1024 ply", "Increase of the reduction where many children of siblings caused cutoffs.", needs LateMoveReductions;
    LmrCutoffCount = 2, 1..=8, 1, "cutoffs", "Cutoffs from which they count as many.", needs LateMoveReductions;
    LmrSingularGap = 8, 1..=64, 2, "1/1024 ply per centipawn", "Increase of the reduction for each centipawn that the singular search found the other moves below the TT move.", needs SingularGap;
    LmrSingularGapMax = 1024, 128..=4096, 128, "1/1024 ply", "Largest increase of that kind.", needs SingularGap;
    LmrCorrection = 36, 1..=200, 4, "centipawns per 1/8 ply", "Correction of the evaluation that decreases the reduction by 1/8 ply.", needs LateMoveReductions;
    LmrHistory = 7, 2..=64, 1, "history per 1/1024 ply", "History that decreases the reduction by 1/1024 ply.", needs LateMoveReductions;
    LmrCaptureHistory = 11, 2..=64, 1, "history per 1/1024 ply", "Capture history that decreases the reduction by 1/1024 ply.", needs LateMoveReductions;
    ResearchDeeper = 39, 5..=200, 8, "centipawns", "Excess over the best score above which a reduced move is searched again a ply deeper.", needs ResearchDepth;
    ResearchShallower = 6, 1..=50, 2, "centipawns", "Excess over the best score below which it is searched again a ply less deeply.", needs ResearchDepth;
    RaisedAlphaMinDepth = 3, 1..=8, 1, "plies", "Least remaining depth for a reduction after alpha was raised.", needs RaisedAlpha;
    RaisedAlphaMaxDepth = 11, 6..=40, 2, "plies", "Greatest remaining depth for it.", needs RaisedAlpha;

    QuiescenceMoves = 2, 1..=8, 1, "moves", "Moves after which quiescence search tries only checks, promotions and recaptures.", needs QuiescenceMoveCount;
    QuiescenceMargin = 172, 0..=600, 20, "centipawns", "Margin added to the value of the victim in delta pruning.", needs QuiescenceFutility;
    QuiescenceSeeLimit = 38, 0..=200, 10, "centipawns", "Material a capture in quiescence search may lose.", needs QuiescenceSee;

    QuiescenceSeeGap = 9, 1..=50, 2, "percent", "Share of the distance to alpha that a capture in quiescence search must gain on top.", needs AdaptiveQuiescenceSee;
    QuiescenceSeeHistory = 103, 20..=1000, 20, "history per centipawn", "Capture history for one more centipawn that a capture in quiescence search may lose.", needs AdaptiveQuiescenceSee;

    ThreatenedMinor = 8239, 0..=24000, 1000, "history", "Ordering bonus for a minor piece that leaves an attack by a pawn; malus for entering one.", needs ThreatOrdering;
    ThreatenedRook = 13783, 0..=32000, 1500, "history", "The same for a rook and an attack by a pawn or minor piece.", needs ThreatOrdering;
    ThreatenedQueen = 19246, 0..=48000, 2000, "history", "The same for a queen and an attack by any lesser piece.", needs ThreatOrdering;

    DirectCheckBonus = 10849, 1000..=32000, 2000, "history", "Ordering bonus for a quiet direct check without loss of material.", needs DirectCheckOrder;
    ButterflyWeight = 81, 0..=300, 20, "percent", "Weight of the butterfly history in move ordering.", needs History;
    PawnHistoryWeight = 114, 0..=300, 20, "percent", "Weight of the pawn history in move ordering.", needs PawnHistory;

    HistoryBonus = 225, 16..=600, 20, "history per ply", "Bonus of a cutoff, for each ply of depth.", needs CaptureHistory History ContinuationHistory PawnHistory;
    HistoryOffset = 67, 0..=600, 20, "history", "Decrease of the bonus of a cutoff.", needs CaptureHistory History ContinuationHistory PawnHistory;
    HistoryMax = 1746, 300..=4000, 150, "history", "Largest bonus of a cutoff.", needs CaptureHistory History ContinuationHistory PawnHistory;
    MalusSlope = 319, 16..=600, 20, "history per ply", "Malus of a move tried before a cutoff, for each ply of depth.", needs HistoryMalus;
    MalusMax = 1336, 300..=4000, 150, "history", "Largest malus.", needs HistoryMalus;
    HistoryLimit = 16384, 8192..=32000, 1024, "history", "Range of a history entry.", needs CaptureHistory History ContinuationHistory PawnHistory;
    EvalHistoryWeight = 5, 1..=40, 2, "history per centipawn", "Bonus of a quiet move for each centipawn by which it improved the evaluation.", needs EvalHistory;
    EvalHistoryMax = 492, 100..=2000, 60, "history", "Largest bonus or malus of that kind.", needs EvalHistory;
    ContinuationFar = 49, 0..=150, 10, "percent", "Weight of the moves four and six plies ago.", needs ContinuationHistory;
    FailLowBonus = 66, 0..=200, 10, "percent", "Bonus of a move whose node failed low, as a share of a cutoff's bonus.", needs History ContinuationHistory;
    CaptureHistoryWeight = 25, 0..=100, 4, "percent", "Weight of the capture history against the value of the victim.", needs CaptureHistory;
    SeeOrderingHistory = 12, 8..=200, 4, "order per centipawn", "Ordering score for one centipawn that a capture may lose.", needs SeeOrdering;
    PawnCorrectionWeight = 47, 0..=300, 10, "percent", "Weight of the pawn structure.", needs PawnCorrection;
    NonPawnCorrectionWeight = 47, 0..=300, 10, "percent", "Weight of each side's pieces.", needs NonPawnCorrection;
    ContinuationCorrectionWeight = 64, 0..=300, 10, "percent", "Weight of the last two moves.", needs ContinuationCorrection;
    CorrectionLimit = 1024, 512..=4096, 128, "correction", "Range of a correction history entry.", needs PawnCorrection NonPawnCorrection ContinuationCorrection;
    CorrectionGrain = 12, 4..=40, 2, "correction per centipawn", "Correction of one centipawn.", needs PawnCorrection NonPawnCorrection ContinuationCorrection;
    CorrectionMaxStep = 262, 32..=512, 32, "correction", "Largest change of an entry by one update.", needs PawnCorrection NonPawnCorrection ContinuationCorrection;
    CorrectionDepthDivisor = 4, 1..=16, 1, "plies", "Depth at which an update counts the error once.", needs PawnCorrection NonPawnCorrection ContinuationCorrection;

    TimeMoves = 24, 10..=60, 2, "moves", "Number of moves a sudden-death game is planned for at its start.";
    TimeMovesDecay = 34, 0..=100, 8, "percent", "Decrease of that number per hundred moves played.";
    TimeMovesMin = 8, 4..=40, 2, "moves", "Smallest number of moves a sudden-death game is planned for.";
    TimeIncrement = 75, 0..=100, 5, "percent", "Share of the increment that is spent at once.";
    TimeSoft = 65, 20..=100, 5, "percent", "Soft limit as a share of the move's part of the clock.";
    TimeHard = 400, 100..=800, 40, "percent", "Hard limit as a share of the move's part of the clock.";
    TimeHardShare = 40, 20..=90, 8, "percent", "Hard limit as a share of the remaining clock.";
    TimeShareBase = 190, 100..=300, 10, "percent", "Time factor if no node was spent on the best move.", needs TimeManagement;
    TimeShareSlope = 140, 0..=250, 10, "percent", "Decrease of the factor if all nodes were.", needs TimeManagement;
    TimeStabilityBase = 130, 100..=200, 8, "percent", "Time factor after a change of the best move.", needs TimeManagement;
    TimeStabilityStep = 6, 0..=12, 1, "percent", "Decrease of the factor for each iteration that keeps the best move.", needs TimeManagement;
    TimeStabilityMax = 8, 2..=20, 1, "iterations", "Iterations that keep the best move beyond which the factor stays the same.", needs TimeManagement;
    TimeDisagreement = 40, 0..=150, 10, "percent", "Increase of the factor if every helper prefers another move.", needs TimeManagement;
    TimeTrend = 8, 0..=25, 2, "permille per centipawn", "Increase of the factor for each centipawn that the score has dropped.", needs TimeManagement;
    TimeTrendMaxDrop = 60, 10..=200, 8, "centipawns", "Largest drop of the score taken into account.", needs TimeManagement;
    TimeTrendMaxRise = 25, 0..=100, 4, "centipawns", "Largest rise of the score taken into account.", needs TimeManagement;
    TimeFactorMin = 30, 5..=100, 4, "percent", "Smallest time factor.", needs TimeManagement;
    TimeFactorMax = 250, 100..=600, 20, "percent", "Largest time factor.", needs TimeManagement;
    TimeScoreMemory = 4, 1..=16, 1, "iterations", "Time constant of the average that the score is compared with.", needs TimeManagement;
}

impl Tunable {
    /// Returns its row of the table.
    pub const fn info(self) -> &'static TunableInfo {
        &TUNABLES[self as usize]
    }

    /// Returns the tunable with this name, ignoring case.
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
