//! The laboratory: every switch, tunable and choice of the search as a UCI option.

use std::borrow::Cow;
use std::num::NonZeroU64;

use super::{OptionKind, OptionValue};
use crate::engine::{Engine, Mode};
use crate::search::Teamwork;
use crate::search::driver::Driver;
use crate::search::params::Tunable;
use crate::search::switches::{Settings, Switch};
use crate::threads::board::Relay;
use crate::threads::stagger::Stagger;
use crate::tt::{AllocationError, Layout};

/// The longest turn of a lockstep search. Units: nodes.
const MAX_TURN: i64 = 1_000_000;

/// The settings of a laboratory session. Options are numbered: switches, tunables, then the choices below.
#[derive(Default)]
pub(super) struct Lab {
    settings: Settings,
}

/// What an option of the laboratory sets.
enum Item {
    Switch(Switch),
    Tunable(Tunable),
    Driver,
    Stagger,
    Lockstep,
    Relay,
    SharedHistories,
    SharedCorrections,
    WindowNoise,
    ReductionNoise,
    AgreedStop,
    Vote,
    TableLayout,
}

fn items() -> impl Iterator<Item = Item> {
    Switch::ALL
        .iter()
        .map(|&switch| Item::Switch(switch))
        .chain(Tunable::ALL.iter().map(|&tunable| Item::Tunable(tunable)))
        .chain([
            Item::Driver,
            Item::Stagger,
            Item::Lockstep,
            Item::Relay,
            Item::SharedHistories,
            Item::SharedCorrections,
            Item::WindowNoise,
            Item::ReductionNoise,
            Item::AgreedStop,
            Item::Vote,
            Item::TableLayout,
        ])
}

fn combo(default: usize, choices: impl Iterator<Item = &'static str>) -> OptionKind {
    OptionKind::Combo { default, choices: choices.map(Cow::Borrowed).collect() }
}

impl Lab {
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What is declared to the GUI.
    pub(super) fn options() -> impl Iterator<Item = (&'static str, OptionKind)> {
        items().map(|item| match item {
            Item::Switch(switch) => {
                let info = switch.info();
                (info.name, OptionKind::Check { default: info.default })
            }
            Item::Tunable(tunable) => {
                let info = tunable.info();
                let kind = OptionKind::Spin {
                    default: info.default.into(),
                    min: info.min.into(),
                    max: info.max.into(),
                };
                (info.name, kind)
            }
            Item::Driver => {
                let default = Driver::ALL.iter().position(|&driver| driver == Driver::default());
                ("Driver", combo(default.unwrap_or_default(), Driver::ALL.into_iter().map(Driver::name)))
            }
            Item::Stagger => {
                let default = Stagger::ALL.iter().position(|&stagger| stagger == Stagger::default());
                ("Stagger", combo(default.unwrap_or_default(), Stagger::ALL.into_iter().map(Stagger::name)))
            }
            Item::Lockstep => ("Lockstep", OptionKind::Spin { default: 0, min: 0, max: MAX_TURN }),
            Item::Relay => {
                let default = Relay::ALL.iter().position(|&relay| relay == Relay::default());
                ("Relay", combo(default.unwrap_or_default(), Relay::ALL.into_iter().map(Relay::name)))
            }
            Item::SharedHistories => {
                ("SharedHistories", OptionKind::Check { default: Teamwork::default().shares_histories })
            }
            Item::SharedCorrections => {
                ("SharedCorrections", OptionKind::Check { default: Teamwork::default().shares_corrections })
            }
            Item::WindowNoise => {
                ("WindowNoise", OptionKind::Check { default: Teamwork::default().varies_windows })
            }
            Item::ReductionNoise => {
                ("ReductionNoise", OptionKind::Check { default: Teamwork::default().varies_reductions })
            }
            Item::AgreedStop => {
                ("AgreedStop", OptionKind::Check { default: Teamwork::default().stops_by_agreement })
            }
            Item::Vote => ("Vote", OptionKind::Check { default: Teamwork::default().is_voting }),
            Item::TableLayout => {
                let default = Layout::ALL.iter().position(|&layout| layout == Layout::default());
                ("TableLayout", combo(default.unwrap_or_default(), Layout::ALL.into_iter().map(Layout::name)))
            }
        })
    }

    /// Sets the option with this number.
    pub(super) fn apply(
        &mut self,
        index: usize,
        value: &OptionValue,
        engine: &mut Engine,
    ) -> Result<(), AllocationError> {
        let configuration = &mut engine.configuration;
        match (items().nth(index), value) {
            (Some(Item::Switch(switch)), OptionValue::Check(on)) => self.settings.set(switch, *on),
            (Some(Item::Tunable(tunable)), OptionValue::Spin(value)) => {
                self.settings.tune(tunable, *value as i32);
            }
            (Some(Item::Driver), OptionValue::Combo(choice)) => configuration.driver = Driver::ALL[*choice],
            (Some(Item::Stagger), OptionValue::Combo(choice)) => {
                configuration.teamwork.stagger = Stagger::ALL[*choice];
            }
            (Some(Item::Lockstep), OptionValue::Spin(nodes)) => {
                configuration.teamwork.turn = NonZeroU64::new(nodes.unsigned_abs());
            }
            (Some(Item::Relay), OptionValue::Combo(choice)) => {
                configuration.teamwork.relay = Relay::ALL[*choice];
            }
            (Some(Item::SharedHistories), OptionValue::Check(on)) => {
                configuration.teamwork.shares_histories = *on;
            }
            (Some(Item::SharedCorrections), OptionValue::Check(on)) => {
                configuration.teamwork.shares_corrections = *on;
            }
            (Some(Item::WindowNoise), OptionValue::Check(on)) => configuration.teamwork.varies_windows = *on,
            (Some(Item::ReductionNoise), OptionValue::Check(on)) => {
                configuration.teamwork.varies_reductions = *on;
            }
            (Some(Item::AgreedStop), OptionValue::Check(on)) => {
                configuration.teamwork.stops_by_agreement = *on;
            }
            (Some(Item::Vote), OptionValue::Check(on)) => configuration.teamwork.is_voting = *on,
            (Some(Item::TableLayout), OptionValue::Combo(choice)) => {
                engine.set_layout(Layout::ALL[*choice])?;
            }
            // The option table hands out values of the declared kind only.
            _ => {}
        }
        engine.configuration.mode = Mode::Lab(self.settings.clone());
        Ok(())
    }
}
