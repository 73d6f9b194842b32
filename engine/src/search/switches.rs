//! The values of switches and tunables in a search.
//!
//! A switch has a name (its UCI option under `--lab`), a class and a default (`switch_table.rs`). The search is generic
//! over [`Toggles`]: [`Fixed`] returns compile-time constants, so switches cost nothing in play;
//! [`Settings`] reads live values, for ablation and tuning. Compare a `Settings` search only with
//! another: the two differ in speed, though never in result (`tests/search/switches.rs`).

use super::params::{TUNABLES, Tunable};
#[cfg(switches_removed)]
pub(crate) use super::switch_table::literal;
pub use super::switch_table::{CORRECTIONS, Class, SWITCHES, Switch, SwitchInfo};

/// Returns the switches of which at least one must be on for the option of this name to have an
/// effect; empty for an option that depends on none.
fn needs_of_option(name: &str) -> &'static [Switch] {
    if name.eq_ignore_ascii_case("SharedCorrections") {
        return &CORRECTIONS;
    }
    let of_switch = Switch::from_name(name).map(|switch| switch.info().needs);
    of_switch.or(Tunable::from_name(name).map(|tunable| tunable.info().needs)).unwrap_or(&[])
}

/// Returns the switches of which at least one must be turned on before the option of this name has an
/// effect; empty if it has one. `is_on` is the value of each switch. A switch that is on without those
/// that it needs itself counts as off.
pub fn missing_needs(name: &str, is_on: &dyn Fn(Switch) -> bool) -> &'static [Switch] {
    fn missing(needs: &'static [Switch], is_on: &dyn Fn(Switch) -> bool) -> &'static [Switch] {
        let on = needs.iter().filter(|&&need| is_on(need));
        on.map(|need| missing(need.info().needs, is_on)).min_by_key(|missing| missing.len()).unwrap_or(needs)
    }
    missing(needs_of_option(name), is_on)
}

/// The values of switches and tunables in a search.
pub trait Toggles: Copy + Send + Sync {
    /// Whether the search collects statistics beside nodes, which costs time.
    const COUNTS: bool;

    /// Whether the heuristic is on.
    fn is_on(self, switch: Switch) -> bool;
    /// Returns the value of a tunable, in its own unit.
    fn value(self, tunable: Tunable) -> i32;
}

/// The settings in play, as constants that fold away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

#[expect(clippy::inline_always, reason = "without folding, each call would be a table lookup in every node")]
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

/// Switches and tunables set by the user. A reference to it implements [`Toggles`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Indexed by `Switch as usize`.
    switches: [bool; SWITCHES.len()],
    /// Indexed by `Tunable as usize`.
    values: [i32; TUNABLES.len()],
}

impl Default for Settings {
    /// Returns the settings in play.
    fn default() -> Self {
        Self {
            switches: std::array::from_fn(|index| SWITCHES[index].default),
            values: std::array::from_fn(|index| TUNABLES[index].default),
        }
    }
}

impl Settings {
    /// Returns the settings of a full-width search without any heuristic. It is fail-soft and goes
    /// deeper by iterations: MTD drivers in fail-hard form need many more passes.
    pub fn bare() -> Self {
        let kept = [Switch::IterativeDeepening, Switch::FailSoft];
        let off = Switch::ALL.iter().filter(|switch| !kept.contains(switch));
        off.fold(Self::default(), |settings, &switch| settings.with(switch, false))
    }

    /// Turns one switch on or off.
    pub fn set(&mut self, switch: Switch, on: bool) {
        self.switches[switch as usize] = on;
    }

    /// Returns the settings with one switch changed.
    pub fn with(mut self, switch: Switch, on: bool) -> Self {
        self.set(switch, on);
        self
    }

    /// Sets a tunable, clamped to its range.
    pub fn tune(&mut self, tunable: Tunable, value: i32) {
        let info = tunable.info();
        self.values[tunable as usize] = value.clamp(info.min, info.max);
    }

    /// Returns the settings with every switch of a class off.
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
        self.switches[switch as usize]
    }

    #[inline]
    fn value(self, tunable: Tunable) -> i32 {
        self.values[tunable as usize]
    }
}

/// `on!(toggles, NullMove)`: whether the heuristic is on. With `--cfg switches_removed` it is a
/// literal, which shows that `Fixed` costs nothing (`make fold`).
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
    fn descriptions_list_what_a_switch_disables_too() {
        assert!(
            Switch::SingularExtension.description().ends_with(
                "Off, it also disables DoubleExtension, NegativeExtension, Multicut, SingularGap."
            )
        );
        assert!(Switch::TtMove.disables().contains(&Switch::Multicut), "also indirectly");
        assert_eq!(Switch::History.disables(), [Switch::EvalHistory], "the malus has other tables");
        assert_eq!(Switch::Killers.description(), Switch::Killers.info().doc);
        assert_eq!(needs_of_option("sharedcorrections"), CORRECTIONS);
        assert_eq!(needs_of_option("quiescencemoves"), [Switch::QuiescenceMoveCount]);
        assert!(needs_of_option("Vote").is_empty());
    }

    #[test]
    fn missing_needs_include_those_of_a_needed_switch() {
        let missing = |name: &str, settings: &Settings| missing_needs(name, &|switch| settings.is_on(switch));
        let settings = Settings::default();
        assert!(missing("multicut", &settings).is_empty());
        assert!(missing("NullMoveBase", &settings).is_empty());
        assert_eq!(missing("LmrRefutation", &settings), [Switch::Killers, Switch::CounterMoves]);
        let off = settings.with(Switch::TtMove, false);
        assert_eq!(missing("DoubleExtensionMargin", &off), [Switch::TtMove]);
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
