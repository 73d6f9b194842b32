//! The options of a lab session: every switch and tunable of the search, and the other choices of
//! the search that normal sessions fix.

use std::num::NonZeroU64;

use super::option::{UciOption, button, check, combo, spin};
use super::state::SessionState;
use crate::search::Teamwork;
use crate::search::driver_kind::Driver;
use crate::search::params::Tunable;
use crate::search::switches::{Class, Settings, Switch};
use crate::threads::result_board::Relay;
use crate::threads::stagger::Stagger;

/// The longest turn of a lockstep search. Units: nodes.
const MAX_TURN: i64 = 1_000_000;

/// Returns the options, with defaults read from the initial state.
pub(super) fn options(initial: &SessionState) -> Vec<UciOption> {
    let mut options: Vec<UciOption> = Switch::ALL.iter().map(|&switch| switch_option(switch)).collect();
    options.push(button("Disable Unsound", |state| {
        let disable = |settings: &mut Settings| *settings = settings.clone().without_class(Class::Unsound);
        state.configure(|configuration| configuration.mode.change_settings(disable))
    }));
    options.extend(Tunable::ALL.iter().map(|&tunable| tunable_option(tunable)));
    let configuration = initial.engine.configuration();
    options.push(combo("Driver", configuration.driver, &Driver::ALL, Driver::name, |state, driver| {
        state.configure(|configuration| configuration.driver = driver)
    }));
    options.extend(teamwork_options(&configuration.teamwork));
    options
}

/// Whether a lab session has an option with this name, in any case.
pub(super) fn has_option(name: &str, state: &SessionState) -> bool {
    options(state).iter().any(|option| option.name.eq_ignore_ascii_case(name))
}

fn switch_option(switch: Switch) -> UciOption {
    let info = switch.info();
    check(info.name, info.default, move |state, on| {
        state.configure(|configuration| {
            configuration.mode.change_settings(|settings| settings.set(switch, on));
        })
    })
}

fn tunable_option(tunable: Tunable) -> UciOption {
    let info = tunable.info();
    let range = i64::from(info.min)..=i64::from(info.max);
    spin(info.name, i64::from(info.default), range, move |state, value| {
        state.configure(|configuration| {
            configuration.mode.change_settings(|settings| settings.tune(tunable, value as i32));
        })
    })
}

/// Returns the options of the cooperation between threads.
fn teamwork_options(default: &Teamwork) -> Vec<UciOption> {
    /// Declares an option for a field of [`Teamwork`].
    fn flag(name: &'static str, default: &Teamwork, field: fn(&mut Teamwork) -> &mut bool) -> UciOption {
        let mut default = *default;
        check(name, *field(&mut default), move |state, on| {
            state.configure(|configuration| *field(&mut configuration.teamwork) = on)
        })
    }
    let turn = default.lockstep.map_or(0, |nodes| nodes.get() as i64);
    vec![
        combo("Stagger", default.stagger, &Stagger::ALL, Stagger::name, |state, stagger| {
            state.configure(|configuration| configuration.teamwork.stagger = stagger)
        }),
        spin("Lockstep", turn, 0..=MAX_TURN, |state, nodes| {
            state.configure(|configuration| configuration.teamwork.lockstep = NonZeroU64::new(nodes as u64))
        }),
        combo("Relay", default.relay, &Relay::ALL, Relay::name, |state, relay| {
            state.configure(|configuration| configuration.teamwork.relay = relay)
        }),
        flag("SharedPawn", default, |teamwork| &mut teamwork.shares_pawn),
        flag("SharedContinuation", default, |teamwork| &mut teamwork.shares_continuation),
        flag("SharedButterfly", default, |teamwork| &mut teamwork.shares_butterfly),
        flag("SharedCorrections", default, |teamwork| &mut teamwork.shares_corrections),
        flag("AgreedStop", default, |teamwork| &mut teamwork.agreed_stop),
        flag("Vote", default, |teamwork| &mut teamwork.vote),
        flag("BallotLog", default, |teamwork| &mut teamwork.logs_ballots),
    ]
}
