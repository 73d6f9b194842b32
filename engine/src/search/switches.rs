//! Every heuristic, declared once, and how the search asks whether it is on.
//!
//! A switch has a name (its UCI option under `--lab`), a class and a default. The search is generic over
//! [`Toggles`]: [`Fixed`] answers with compile-time constants, so the play build pays nothing for being
//! switchable; [`Settings`] reads a bit set and live values, for ablation and tuning. Compare a `Settings` search
//! only with a `Settings` search: the two builds differ in speed, never in result (`tests/switches.rs`).

use super::params::{TUNABLES, Tunable};

/// What a switch may do to the score of a fixed-depth search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Narrows windows, repairs what it got wrong: the score stays.
    Exact,
    /// Changes the order of moves only: the score stays.
    Ordering,
    /// A bet: the score may change, for the better on average.
    Unsound,
    /// Changes when the search stops, never a score at fixed depth.
    Timing,
}

/// The declaration of one switch.
#[derive(Clone, Copy, Debug)]
pub struct SwitchInfo {
    /// Name of the UCI option.
    pub name: &'static str,
    /// What it may do to a score.
    pub class: Class,
    /// Is it on in play?
    pub default: bool,
    /// What it does, in a line.
    pub doc: &'static str,
}

macro_rules! switches {
    ($($name:ident: $class:ident, $default:literal, $doc:literal;)*) => {
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
            SwitchInfo { name: stringify!($name), class: Class::$class, default: $default, doc: $doc },
        )*];

        /// The defaults as bare literals: what `on!` becomes when the mechanism is compiled out.
        #[cfg(switches_removed)]
        #[expect(non_upper_case_globals, reason = "they carry the names of the switches")]
        pub(crate) mod literal { $(pub(crate) const $name: bool = $default;)* }
    };
}

switches! {
    HashCut: Unsound, true, "A record of the hash table that is deep enough ends the node (its history may differ).";
    HashClock: Unsound, true, "Near the fifty-move limit the hash table tells positions with other clocks apart.";
    HashMove: Ordering, true, "The move the hash table remembers is tried first.";
    HashEval: Unsound, true, "A record's score replaces the static evaluation where its bound allows.";
    ClockDamping: Unsound, false, "An evaluation counts the less, the longer ago the last capture or pawn move was.";
    EnhancedCutoff: Unsound, false, "ETC: a child's record that refutes the node ends it before any move is searched.";
    MateDistance: Exact, true, "A shorter mate elsewhere bounds what this node can be worth.";
    Aspiration: Exact, true, "Each iteration starts with a narrow window around the last score.";
    AspirationReduction: Unsound, true, "After a failure above, the window is searched again a ply less deeply.";
    NullWindow: Exact, true, "PVS: all moves but the first are asked only whether they beat alpha.";
    Improving: Unsound, true, "Margins heed whether the evaluation rose since our last move.";
    OpponentWorsening: Unsound, false, "Reverse futility heeds whether the evaluation rose by the opponent's move.";
    Hindsight: Unsound, true, "A reduction that the evaluation now speaks against is corrected by a ply.";
    InternalReduction: Unsound, true, "A node without a hash move is searched one ply less deeply.";
    Razoring: Unsound, false, "A node hopelessly below alpha goes straight to quiescence.";
    ReverseFutility: Unsound, true, "A node far above beta is cut by its evaluation alone.";
    NullMove: Unsound, true, "If passing the turn still beats beta, the node is cut.";
    NullMoveVerification: Unsound, true, "A deep null move cutoff is confirmed by a search without passing.";
    ProbCut: Unsound, true, "A capture that beats beta by a margin in a shallow search cuts the node.";
    SmallProbCut: Unsound, false, "A record that beats beta by a wide margin cuts though it is less deep.";
    SingularExtension: Unsound, true, "A hash move that no other move comes near is searched deeper.";
    DoubleExtension: Unsound, true, "A hash move that stands out by far is searched two or three plies deeper.";
    NegativeExtension: Unsound, true, "A hash move that is one of several good ones is searched less deeply.";
    Multicut: Unsound, true, "If another move than the hash move beats beta too, the node is cut.";
    CheckExtension: Unsound, true, "A node in check is searched one ply deeper.";
    RecaptureExtension: Unsound, false, "Taking back on the square of the last capture is searched one ply deeper.";
    PassedPawnExtension: Unsound, false, "A passed pawn's step to the sixth or seventh rank is searched one ply deeper.";
    LateMovePruning: Unsound, true, "After enough moves, a shallow node skips the remaining quiet ones.";
    Futility: Unsound, true, "A shallow node far below alpha skips quiet moves.";
    CaptureFutility: Unsound, true, "A shallow node too far below alpha for what a capture takes skips it.";
    HistoryPruning: Unsound, true, "A shallow node skips quiet moves that failed elsewhere.";
    SeePruning: Unsound, true, "A shallow node skips moves that lose too much material by exchange.";
    LateMoveReductions: Unsound, true, "Late moves are searched less deeply first.";
    ResearchDepth: Unsound, true, "A reduced move that fails high is searched again deeper or shallower, by how clearly it did.";
    RaisedAlpha: Unsound, true, "Once a move has raised alpha, the others are searched a ply less deeply.";
    FailHighBlend: Unsound, true, "A score above beta is drawn towards it, the more the less deeply it was searched.";
    Quiescence: Unsound, true, "Leaves are resolved by captures before they are evaluated.";
    QuiescenceSee: Unsound, true, "Quiescence leaves out captures that lose material by exchange.";
    QuiescenceFutility: Unsound, true, "Quiescence leaves out captures that cannot lift the evaluation to alpha (delta pruning).";
    QuiescenceEvasions: Unsound, true, "In check, quiescence tries quiet evasions only until a move does not lose.";
    QuiescenceChecks: Unsound, false, "The first ply of quiescence also tries quiet checks.";
    QuiescenceMoveCount: Unsound, true, "After a few moves quiescence goes on with checks and recaptures only.";
    MvvLva: Ordering, true, "Captures are tried by most valuable victim, least valuable attacker.";
    SeeOrdering: Ordering, true, "Captures that lose material by exchange are tried after the quiet moves.";
    CaptureHistory: Ordering, true, "Captures are tried by how often they cut off before.";
    Killers: Ordering, false, "Quiet moves that refuted a sibling are tried before other quiet moves.";
    CounterMoves: Ordering, false, "The quiet move that last refuted the opponent's move is tried early.";
    History: Ordering, true, "Quiet moves are tried by how often they cut off before.";
    HistoryMalus: Ordering, true, "Moves tried in vain before a cutoff lose history.";
    ContinuationHistory: Ordering, true, "Quiet moves are tried by how they did after the moves before them.";
    PawnHistory: Ordering, true, "Quiet moves are tried by how they did with this pawn structure.";
    LowPlyHistory: Ordering, false, "Near the root, quiet moves are tried by how they did at this very ply.";
    HashCutHistory: Ordering, true, "A quiet hash move whose record cuts the node gains history.";
    EvalHistory: Ordering, true, "Quiet moves gain or lose history by what they did to the evaluation.";
    PawnCorrection: Unsound, false, "The evaluation is corrected by how wrong it was with this pawn structure.";
    MinorCorrection: Unsound, false, "The evaluation is corrected by how wrong it was with these minor pieces.";
    NonPawnCorrection: Unsound, false, "The evaluation is corrected by how wrong it was with each side's pieces.";
    ContinuationCorrection: Unsound, false, "The evaluation is corrected by how wrong it was after the last two moves.";
    UpcomingRepetition: Unsound, true, "A side that can repeat a position by its next move has a draw at least.";
    TimeManagement: Timing, true, "An easy choice takes less of its planned time, a hard one more.";
}

impl Switch {
    /// Its row of the table.
    pub const fn info(self) -> &'static SwitchInfo {
        &SWITCHES[self as usize]
    }

    /// The switch with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|switch| switch.info().name.eq_ignore_ascii_case(name))
    }
}

/// How the search reads switches and tunables.
pub trait Toggles: Copy + Send + Sync {
    /// Does the search count what it does beside nodes? Counting costs time.
    const COUNTS: bool;

    /// Is the heuristic on?
    fn is_on(self, switch: Switch) -> bool;
    /// The value of a tunable, in its own unit.
    fn value(self, tunable: Tunable) -> i32;
}

/// The play set: every answer is a constant and folds away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

#[expect(
    clippy::inline_always,
    reason = "an answer that is not folded would be a table lookup in every node"
)]
impl Toggles for Fixed {
    const COUNTS: bool = false;

    #[inline(always)]
    fn is_on(self, switch: Switch) -> bool {
        SWITCHES[switch as usize].default
    }

    #[inline(always)]
    fn value(self, tunable: Tunable) -> i32 {
        TUNABLES[tunable as usize].default
    }
}

/// Switches and tunables set by the user; a reference to it is the dynamic [`Toggles`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bit `n` is the switch with index `n`.
    switches: u64,
    /// By `Tunable as usize`.
    values: [i32; TUNABLES.len()],
}

const _: () = assert!(SWITCHES.len() <= 64, "the bit set of Settings holds 64 switches");

impl Default for Settings {
    /// The play set.
    fn default() -> Self {
        let switches =
            SWITCHES.iter().enumerate().fold(0, |set, (index, info)| set | u64::from(info.default) << index);
        let mut values = [0; TUNABLES.len()];
        for (value, info) in values.iter_mut().zip(TUNABLES) {
            *value = info.default;
        }
        Self { switches, values }
    }
}

impl Settings {
    /// Turns one switch on or off.
    pub fn set(&mut self, switch: Switch, on: bool) {
        let bit = 1 << switch as u8;
        self.switches = if on { self.switches | bit } else { self.switches & !bit };
    }

    /// The same settings with one switch changed.
    pub fn with(mut self, switch: Switch, on: bool) -> Self {
        self.set(switch, on);
        self
    }

    /// Sets a tunable. Range: clamped to the range its table row declares.
    pub fn tune(&mut self, tunable: Tunable, value: i32) {
        let info = tunable.info();
        self.values[tunable as usize] = value.clamp(info.min, info.max);
    }

    /// The settings with every switch of a class off.
    pub fn without_class(mut self, class: Class) -> Self {
        for &switch in Switch::ALL {
            if switch.info().class == class {
                self.set(switch, false);
            }
        }
        self
    }
}

impl Toggles for &Settings {
    const COUNTS: bool = true;

    #[inline]
    fn is_on(self, switch: Switch) -> bool {
        self.switches >> switch as u8 & 1 != 0
    }

    #[inline]
    fn value(self, tunable: Tunable) -> i32 {
        self.values[tunable as usize]
    }
}

/// `on!(toggles, NullMove)`: is the heuristic on? With `--cfg switches_removed` it is the bare literal of the
/// table, and so the yardstick that `Fixed` costs nothing (`make fold`).
#[cfg(not(switches_removed))]
macro_rules! on {
    ($toggles:expr, $switch:ident) => {
        $crate::search::switches::Toggles::is_on($toggles, $crate::search::switches::Switch::$switch)
    };
}

#[cfg(switches_removed)]
macro_rules! on {
    ($toggles:expr, $switch:ident) => {{
        let _ = $toggles;
        $crate::search::switches::literal::$switch
    }};
}

pub(crate) use on;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found_in_any_case() {
        for &switch in Switch::ALL {
            let found = Switch::from_name(&switch.info().name.to_uppercase());
            assert_eq!(found, Some(switch));
        }
        assert_eq!(Switch::from_name("no such idea"), None);
    }

    #[test]
    fn default_settings_answer_like_fixed() {
        let settings = Settings::default();
        for &switch in Switch::ALL {
            assert_eq!((&settings).is_on(switch), Fixed.is_on(switch), "{switch:?}");
            let flipped = settings.clone().with(switch, !Fixed.is_on(switch));
            assert_ne!((&flipped).is_on(switch), Fixed.is_on(switch), "{switch:?}");
        }
        for &tunable in Tunable::ALL {
            assert_eq!((&settings).value(tunable), Fixed.value(tunable), "{tunable:?}");
        }
    }
}
