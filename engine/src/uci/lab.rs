//! The laboratory: every switch, tunable and choice of the search as a UCI option.

use std::borrow::Cow;

use super::{OptionKind, OptionValue};
use crate::engine::{Configuration, Mode};
use crate::search::Teamwork;
use crate::search::driver::Driver;
use crate::search::params::Tunable;
use crate::search::switches::{Settings, Switch};
use crate::threads::stagger::Stagger;

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
    Vote,
}

fn items() -> impl Iterator<Item = Item> {
    Switch::ALL
        .iter()
        .map(|&switch| Item::Switch(switch))
        .chain(Tunable::ALL.iter().map(|&tunable| Item::Tunable(tunable)))
        .chain([Item::Driver, Item::Stagger, Item::Vote])
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
            Item::Vote => ("Vote", OptionKind::Check { default: Teamwork::default().is_voting }),
        })
    }

    /// Sets the option with this number.
    pub(super) fn apply(&mut self, index: usize, value: &OptionValue, configuration: &mut Configuration) {
        match (items().nth(index), value) {
            (Some(Item::Switch(switch)), OptionValue::Check(on)) => self.settings.set(switch, *on),
            (Some(Item::Tunable(tunable)), OptionValue::Spin(value)) => {
                self.settings.tune(tunable, *value as i32);
            }
            (Some(Item::Driver), OptionValue::Combo(choice)) => configuration.driver = Driver::ALL[*choice],
            (Some(Item::Stagger), OptionValue::Combo(choice)) => {
                configuration.teamwork.stagger = Stagger::ALL[*choice];
            }
            (Some(Item::Vote), OptionValue::Check(on)) => configuration.teamwork.is_voting = *on,
            // The option table hands out values of the declared kind only.
            _ => {}
        }
        configuration.mode = Mode::Lab(self.settings.clone());
    }
}
