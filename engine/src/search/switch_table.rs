//! The table of switches: the name, class and default of each.

/// The effect of a switch on the score of a fixed-depth search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Narrows windows and searches again where that failed. With all unsound switches off, the score
    /// stays the same.
    Exact,
    /// Changes the order of moves only. With all unsound switches off, the score stays the same; with
    /// them, pruning and reductions depend on the order.
    Ordering,
    /// May change the score.
    Unsound,
    /// Changes when the search stops; scores at fixed depth stay the same.
    Timing,
}

impl Class {
    /// Returns the name, as printed by `stretto switches`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Ordering => "ordering",
            Self::Unsound => "unsound",
            Self::Timing => "timing",
        }
    }
}

/// The declaration of one switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchInfo {
    /// The name of the UCI option.
    pub name: &'static str,
    /// The effect on the score.
    pub class: Class,
    /// Whether it is on in play.
    pub default: bool,
    /// A description of one line.
    pub doc: &'static str,
    /// The switches of which at least one must be on for this one to have an effect; empty if it
    /// depends on none.
    pub needs: &'static [Switch],
}

macro_rules! switches {
    ($($name:ident: $class:ident, $default:literal, $doc:literal $(, needs $($need:ident)*)?;)*) => {
        /// A heuristic that can be turned off. The table [`SWITCHES`] describes each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Switch { $(#[doc = $doc] $name,)* }

        impl Switch {
            /// All switches, in table order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        /// The table of switches, indexed by `Switch as usize`.
        pub const SWITCHES: &[SwitchInfo] = &[$(
            SwitchInfo {
                name: stringify!($name),
                class: Class::$class,
                default: $default,
                doc: $doc,
                needs: &[$($(Switch::$need),*)?],
            },
        )*];

        /// The defaults as literals, for builds with the mechanism compiled out.
        #[cfg(switches_removed)]
        #[expect(non_upper_case_globals, reason = "they have the names of the switches")]
        pub(crate) mod literal { $(pub(crate) const $name: bool = $default;)* }
    };
}

switches! {
    TtCutoff: Unsound, true, "A TT entry that is deep enough cuts the node off.";
    TtClock: Unsound, true, "From 20 plies without progress on, the TT key includes the halfmove clock, in steps.", needs TtCutoff TtMove;
    TtMove: Ordering, true, "The TT move is tried first. Off, every node counts as one without a TT move, also for internal iterative reduction.";
    TtEval: Unsound, true, "The TT score replaces the static evaluation where its bound is tighter.", needs TtCutoff TtMove;
    FiftyMoveScaling: Unsound, false, "The evaluation is scaled towards zero as the fifty-move counter grows.";
    EndingScale: Unsound, false, "The network's evaluation is scaled down in endings that are hard to win: opposite bishops, few or no pawns, the wrong bishop.";
    EnhancedCutoff: Unsound, false, "ETC: the TT entry of a child that refutes the node cuts it off before any move is searched.", needs TtCutoff TtMove;
    MateDistance: Exact, true, "The window is clipped to the mates possible at this ply.";
    IterativeDeepening: Exact, true, "Iterations start at depth one. Off, they start at the depth limit, or one below the depth that the last search completed, but at least at 4.";
    FailSoft: Exact, true, "Scores outside the window are returned as they are. Off, as the bound of the window (fail-hard).";
    Aspiration: Exact, true, "Each iteration starts with a narrow window around the last score.";
    NullWindow: Exact, true, "PVS: in a PV node, all moves but the first are searched with a null window first. Off, they have the full window, reduced or not.";
    NegaScout: Unsound, false, "A null-window score within a ply of the horizon counts as exact, and other searches again start at it.", needs NullWindow;
    Improving: Unsound, true, "Margins, the late-move limit and reductions depend on whether the evaluation rose since our last move. Off, none of them does, and the late-move limit is not halved.";
    ImprovingAboveBeta: Unsound, true, "A node whose static evaluation reaches beta counts as improving in its move loop.", needs Improving;
    InheritedPv: Unsound, true, "A node that fails low below a former PV node is remembered as one too, and is reduced less.", needs TtCutoff TtMove;
    InternalIterativeReduction: Unsound, true, "A node without a TT move is searched one ply less deeply.";
    Razoring: Unsound, false, "A node far below alpha goes straight to quiescence search.";
    ReverseFutility: Unsound, true, "A node far above beta is cut off by its evaluation.";
    NullMove: Unsound, true, "A node that exceeds beta after passing the turn is cut off.";
    NullMoveVerification: Unsound, true, "A deep null move cutoff is verified by a search without null moves.", needs NullMove;
    ProbCut: Unsound, true, "A capture that exceeds beta by a margin in a shallow search cuts the node off.";
    AdaptiveProbCut: Unsound, true, "The depth of ProbCut depends on how far the static evaluation is above the raised beta.", needs ProbCut;
    SmallProbCut: Unsound, true, "A TT score far above beta cuts the node off although its entry is less deep.", needs TtCutoff TtMove;
    SingularExtension: Unsound, true, "A TT move that no other move comes near is extended.", needs TtMove;
    DoubleExtension: Unsound, true, "A TT move that stands out by far is extended by two or three plies.", needs SingularExtension;
    NegativeExtension: Unsound, true, "A TT move that is one of several good moves is searched less deeply.", needs SingularExtension;
    Multicut: Unsound, true, "A node is cut off if another move than the TT move also exceeds beta.", needs SingularExtension;
    SingularGap: Unsound, true, "The farther the singular search finds the other moves below the TT move, the more they are reduced.", needs SingularExtension;
    SiblingSingularExtension: Unsound, false, "The best move of a PV or cut node is extended if no sibling comes near it (Deep Thought).";
    CheckExtension: Unsound, false, "A node in check is searched one ply deeper.";
    MateThreatExtension: Unsound, false, "A node in which passing the turn leads to mate is searched one ply deeper.", needs NullMove;
    RecaptureExtension: Unsound, false, "A recapture on the square of the last capture is extended.";
    PassedPawnExtension: Unsound, false, "A passed pawn move to the sixth or seventh rank is extended.";
    LateMovePruning: Unsound, true, "In a shallow node, the quiet moves after the first few are skipped.";
    Futility: Unsound, true, "In a shallow node far below alpha, quiet moves are skipped.";
    CaptureFutility: Unsound, true, "In a shallow node far below alpha, captures of too little value are skipped.";
    HistoryPruning: Unsound, true, "In a shallow node, quiet moves with a bad history are skipped.";
    SeePruning: Unsound, true, "In a shallow node, moves that lose too much material by SEE are skipped.";
    LateMoveReductions: Unsound, true, "Late moves are searched at reduced depth first. Off, the pruning of moves assumes the full depth too.";
    FractionalPlies: Unsound, false, "The fraction of a ply that a reduction leaves is carried down the line instead of being cut off.", needs LateMoveReductions;
    ResearchDepth: Unsound, true, "A reduced move that fails high is searched again deeper or shallower, depending on its score.", needs LateMoveReductions;
    RaisedAlpha: Unsound, true, "After a move has raised alpha, the others are searched one ply less deeply.";
    Quiescence: Unsound, true, "Leaves are resolved by quiescence search.";
    QuiescenceSee: Unsound, true, "Quiescence search skips captures that lose material by SEE.", needs Quiescence;
    AdaptiveQuiescenceSee: Unsound, true, "The material that a capture in quiescence search may lose depends on its history and on the distance to alpha.", needs QuiescenceSee;
    QuiescenceFutility: Unsound, false, "Quiescence search skips captures that cannot raise the evaluation to alpha (delta pruning).", needs Quiescence;
    QuiescenceEvasions: Unsound, true, "In check, quiescence search skips quiet evasions once a move is not lost.", needs Quiescence;
    QuiescenceChecks: Unsound, false, "The first ply of quiescence search includes quiet checks.", needs Quiescence;
    QuiescencePromotionThreats: Unsound, false, "The first ply of quiescence search includes pawn moves to the seventh rank.", needs Quiescence;
    QuiescenceHanging: Unsound, false, "Standing pat counts the second most valuable hanging piece as lost.", needs Quiescence;
    QuiescenceMoveCount: Unsound, true, "After a few moves, quiescence search tries only checks, promotions and recaptures.", needs Quiescence;
    MvvLva: Ordering, true, "Captures are ordered by most valuable victim, least valuable attacker.";
    SeeOrdering: Ordering, true, "Captures that lose material by SEE come after the quiet moves.";
    CaptureHistory: Ordering, true, "Captures are ordered by their history.";
    ThreatOrdering: Ordering, true, "Quiet moves that leave an attack by a lesser piece come earlier, those that enter one later.";
    DirectCheckOrder: Ordering, true, "Quiet moves that safely give a direct check come earlier.";
    Killers: Ordering, false, "Killer moves come before other quiet moves.";
    CounterMoves: Ordering, false, "The quiet move that last refuted the opponent's move comes before other quiet moves.";
    History: Ordering, true, "Quiet moves are ordered by their butterfly history.";
    HistoryMalus: Ordering, true, "Moves tried before a cutoff lose history.", needs CaptureHistory History ContinuationHistory PawnHistory;
    ContinuationHistory: Ordering, true, "Quiet moves are ordered by their history after the previous moves.";
    PawnHistory: Ordering, true, "Quiet moves are ordered by their history with this pawn structure.";
    EvalHistory: Ordering, true, "Quiet moves gain or lose history by the change of the static evaluation.", needs History;
    PawnCorrection: Unsound, true, "The evaluation is corrected by its past error with this pawn structure.";
    NonPawnCorrection: Unsound, true, "The evaluation is corrected by its past error with each side's pieces.";
    ContinuationCorrection: Unsound, true, "The evaluation is corrected by its past error after the last two moves.";
    UpcomingRepetition: Unsound, true, "A side that can repeat a position with its next move has at least a draw.";
    TimeManagement: Timing, true, "The soft time limit depends on how clear the choice of the best move is.";
}

impl Switch {
    /// Returns its row of the table.
    pub const fn info(self) -> &'static SwitchInfo {
        &SWITCHES[self as usize]
    }

    /// Returns the switches that are on in play and have no effect while this one alone is off.
    pub fn disables(self) -> Vec<Self> {
        let depends = |other: &Self| {
            let on = other.info().needs.iter().copied().filter(|need| need.info().default);
            other.info().default && on.eq([self])
        };
        let direct: Vec<Self> = Self::ALL.iter().copied().filter(depends).collect();
        let indirect = direct.iter().flat_map(|switch| switch.disables());
        direct.iter().copied().chain(indirect).collect()
    }

    /// Returns the description, with the switches that turning this one off disables too.
    pub fn description(self) -> String {
        let names: Vec<&str> = self.disables().iter().map(|switch| switch.info().name).collect();
        let doc = self.info().doc;
        if names.is_empty() {
            doc.to_owned()
        } else {
            format!("{doc} Off, it also disables {}.", names.join(", "))
        }
    }

    /// Returns the switch with this name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|switch| switch.info().name.eq_ignore_ascii_case(name))
    }
}

/// The switches of the correction histories, which [`Teamwork`] can share between threads.
///
/// [`Teamwork`]: super::Teamwork
pub const CORRECTIONS: [Switch; 3] =
    [Switch::PawnCorrection, Switch::NonPawnCorrection, Switch::ContinuationCorrection];
