//! The options a GUI may set: one table declares them, prints them and checks their values.
//!
//! Decides names, kinds, defaults and ranges. Does not know what an option does: the engine matches on the
//! [`OptionId`] and the checked [`OptionValue`]. A value that fails the check changes nothing.

use std::borrow::Cow;
use std::fmt;

use thiserror::Error;

use super::book::{self, BookOption};
use crate::eval::EvalType;
use crate::strength::{STRONGEST, WEAKEST};

/// The most threads. Units: threads.
pub(super) const MAX_THREADS: i64 = 1024;
/// The largest hash table. Units: MiB.
pub(super) const MAX_HASH: i64 = 33_554_432;

/// The name of the network that is built in, in place of a file's.
pub(super) const EMBEDDED: &str = "<embedded>";

/// Which option is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionId {
    /// Size of the hash table. Units: MiB.
    Hash,
    /// Forget everything learned.
    ClearHash,
    /// How many threads search.
    Threads,
    /// The GUI may let the engine ponder.
    Ponder,
    /// How many lines are reported.
    MultiPv,
    /// Time lost between engine and GUI on each move. Units: ms.
    MoveOverhead,
    /// So many nodes count as a millisecond of thought; 0 for real time.
    NodesTime,
    /// Castling is written as king takes rook.
    Chess960,
    /// Win, draw and loss chances after each score.
    ShowWdl,
    /// Scores are told so that 100 is as good as won, half of the time.
    NormalizeScore,
    /// The GUI analyses rather than plays.
    AnalyseMode,
    /// Play below full strength.
    LimitStrength,
    /// How strong, then. Units: Elo.
    Elo,
    /// What the errors of a weaker player follow from; 0 for chance.
    StrengthSeed,
    /// Where everything said is written to.
    DebugLog,
    /// Which processors the threads are pinned to.
    Affinity,
    /// What sort of evaluation judges a quiet position.
    EvalType,
    /// The file of the network that does.
    EvalFile,
    /// One of the opening book's.
    Book(BookOption),
    /// Something about the endgame tables.
    Tables(TableOption),
    /// The entry of this index among those given to [`OptionTable::with_lab`].
    Lab(usize),
}

/// Which option of the endgame tables is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableOption {
    /// Folders of Syzygy tables.
    SyzygyPath,
    /// Least depth at which the largest tables are asked. Units: plies.
    ProbeDepth,
    /// Most men for which they are asked.
    ProbeLimit,
    /// Does the fifty-move rule hold?
    FiftyMoveRule,
    /// Folders of our own tables.
    TablePath,
    /// Are the tables that are part of the program asked?
    Embedded,
}

/// What values an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// True or false.
    Check {
        /// What holds before it is set.
        default: bool,
    },
    /// An integer. Range: `min ..= max`.
    Spin {
        /// What holds before it is set.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of a list.
    Combo {
        /// Index of what holds before it is set.
        default: usize,
        /// The words to choose from.
        choices: Vec<Cow<'static, str>>,
    },
    /// No value: an action.
    Button,
    /// Any text.
    String {
        /// What holds before it is set.
        default: Cow<'static, str>,
    },
}

/// A value that passed its option's check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// Of a [`OptionKind::Check`].
    Check(bool),
    /// Of a [`OptionKind::Spin`], in its range.
    Spin(i64),
    /// Of a [`OptionKind::Combo`]: the index of the choice.
    Combo(usize),
    /// Of a [`OptionKind::Button`]: it was pressed.
    Button,
    /// Of a [`OptionKind::String`]; `<empty>` has become an empty string.
    String(String),
}

/// Why a `setoption` changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option '{}'", super::parse::excerpt(name))]
    Unknown {
        /// The name as sent.
        name: String,
    },
    /// The option takes a value and none was sent.
    #[error("option {option}: expected {expected}, found no value")]
    Missing {
        /// The option's declared name.
        option: String,
        /// What it takes.
        expected: String,
    },
    /// The value is not one the option takes.
    #[error("option {option}: expected {expected}, found '{}'", super::parse::excerpt(value))]
    Value {
        /// The option's declared name.
        option: String,
        /// The value as sent.
        value: String,
        /// What it takes.
        expected: String,
    },
}

/// One option. Its `Display` is the line that declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionEntry {
    /// Which it is, for `match`.
    pub id: OptionId,
    /// How it is written.
    pub name: Cow<'static, str>,
    /// What it takes.
    pub kind: OptionKind,
}

impl OptionEntry {
    fn new(id: OptionId, name: &'static str, kind: OptionKind) -> Self {
        Self { id, name: Cow::Borrowed(name), kind }
    }

    /// Checks a value as sent; `None` where `setoption` had no `value`.
    pub fn parse_value(&self, text: Option<&str>) -> Result<OptionValue, OptionError> {
        if self.kind == OptionKind::Button {
            return Ok(OptionValue::Button);
        }
        let Some(text) = text else {
            return Err(OptionError::Missing { option: self.name.to_string(), expected: self.expected() });
        };
        let value = match &self.kind {
            OptionKind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" => Some(OptionValue::Check(true)),
                "false" => Some(OptionValue::Check(false)),
                _ => None,
            },
            OptionKind::Spin { min, max, .. } => {
                text.parse().ok().filter(|value| (min..=max).contains(&value)).map(OptionValue::Spin)
            }
            OptionKind::Combo { choices, .. } => {
                choices.iter().position(|choice| choice.eq_ignore_ascii_case(text)).map(OptionValue::Combo)
            }
            OptionKind::String { .. } => {
                Some(OptionValue::String(if text == "<empty>" { String::new() } else { text.to_owned() }))
            }
            OptionKind::Button => Some(OptionValue::Button),
        };
        value.ok_or_else(|| OptionError::Value {
            option: self.name.to_string(),
            value: text.to_owned(),
            expected: self.expected(),
        })
    }

    /// What holds before the option is set.
    pub fn default_value(&self) -> OptionValue {
        match &self.kind {
            OptionKind::Check { default } => OptionValue::Check(*default),
            OptionKind::Spin { default, .. } => OptionValue::Spin(*default),
            OptionKind::Combo { default, .. } => OptionValue::Combo(*default),
            OptionKind::Button => OptionValue::Button,
            OptionKind::String { default } => OptionValue::String(default.to_string()),
        }
    }

    fn expected(&self) -> String {
        match &self.kind {
            OptionKind::Check { .. } => "true or false".to_owned(),
            OptionKind::Spin { min, max, .. } => format!("an integer from {min} to {max}"),
            OptionKind::Combo { choices, .. } => format!("one of {}", choices.join(", ")),
            OptionKind::Button => "no value".to_owned(),
            OptionKind::String { .. } => "text".to_owned(),
        }
    }
}

impl fmt::Display for OptionEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {}", choices[*default])?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => write!(f, "button"),
            OptionKind::String { default } if default.is_empty() => write!(f, "string default <empty>"),
            OptionKind::String { default } => write!(f, "string default {default}"),
        }
    }
}

/// Every option of this session, in the order they are declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionTable {
    entries: Vec<OptionEntry>,
}

impl OptionTable {
    /// The options of every session.
    pub fn standard() -> Self {
        use OptionKind::{Button, Check, Combo, Spin, String};
        let off = || Check { default: false };
        let spin = |default, min, max| Spin { default, min, max };
        let entries = vec![
            OptionEntry::new(OptionId::Hash, "Hash", spin(16, 1, MAX_HASH)),
            OptionEntry::new(OptionId::ClearHash, "Clear Hash", Button),
            OptionEntry::new(OptionId::Threads, "Threads", spin(1, 1, MAX_THREADS)),
            OptionEntry::new(OptionId::Ponder, "Ponder", off()),
            OptionEntry::new(OptionId::MultiPv, "MultiPV", spin(1, 1, 256)),
            OptionEntry::new(OptionId::MoveOverhead, "Move Overhead", spin(10, 0, 5000)),
            OptionEntry::new(OptionId::NodesTime, "nodestime", spin(0, 0, 10_000)),
            OptionEntry::new(OptionId::Chess960, "UCI_Chess960", off()),
            OptionEntry::new(OptionId::ShowWdl, "UCI_ShowWDL", off()),
            OptionEntry::new(OptionId::NormalizeScore, "NormalizeScore", off()),
            OptionEntry::new(OptionId::AnalyseMode, "UCI_AnalyseMode", off()),
            OptionEntry::new(OptionId::LimitStrength, "UCI_LimitStrength", off()),
            OptionEntry::new(
                OptionId::Elo,
                "UCI_Elo",
                spin(i64::from(STRONGEST), i64::from(WEAKEST), i64::from(STRONGEST)),
            ),
            OptionEntry::new(OptionId::StrengthSeed, "Strength Seed", spin(0, 0, i64::from(i32::MAX))),
            OptionEntry::new(OptionId::DebugLog, "Debug Log File", String { default: "".into() }),
            OptionEntry::new(OptionId::Affinity, "Affinity", String { default: "off".into() }),
            OptionEntry::new(
                OptionId::EvalType,
                "EvalType",
                Combo {
                    default: EvalType::ALL
                        .iter()
                        .position(|&kind| kind == EvalType::default())
                        .unwrap_or_default(),
                    choices: EvalType::ALL.map(|kind| kind.name().into()).to_vec(),
                },
            ),
            OptionEntry::new(OptionId::EvalFile, "EvalFile", String { default: EMBEDDED.into() }),
            OptionEntry::new(
                OptionId::Tables(TableOption::SyzygyPath),
                "SyzygyPath",
                String { default: "".into() },
            ),
            OptionEntry::new(OptionId::Tables(TableOption::ProbeDepth), "SyzygyProbeDepth", spin(1, 1, 100)),
            OptionEntry::new(OptionId::Tables(TableOption::ProbeLimit), "SyzygyProbeLimit", spin(7, 0, 7)),
            OptionEntry::new(
                OptionId::Tables(TableOption::FiftyMoveRule),
                "Syzygy50MoveRule",
                Check { default: true },
            ),
            OptionEntry::new(
                OptionId::Tables(TableOption::TablePath),
                "TablePath",
                String { default: "".into() },
            ),
            OptionEntry::new(
                OptionId::Tables(TableOption::Embedded),
                "EmbeddedTables",
                Check { default: true },
            ),
        ];
        Self { entries: entries.into_iter().chain(book::entries()).collect() }
    }

    /// The standard options and these, which get [`OptionId::Lab`] in order: the switches and tunables of a
    /// laboratory session.
    ///
    /// # Panics
    /// When a name is taken already or a combo's default is not among its choices; both are slips in a table of
    /// the program, never in what a user sent.
    pub fn with_lab<N: Into<Cow<'static, str>>>(lab: impl IntoIterator<Item = (N, OptionKind)>) -> Self {
        let mut table = Self::standard();
        for (index, (name, kind)) in lab.into_iter().enumerate() {
            let name = name.into();
            assert!(table.find(&name).is_err(), "option {name} is declared twice");
            if let OptionKind::Combo { default, choices } = &kind {
                assert!(*default < choices.len(), "option {name} has no choice {default}");
            }
            table.entries.push(OptionEntry { id: OptionId::Lab(index), name, kind });
        }
        table
    }

    /// The entries in declared order.
    pub fn entries(&self) -> &[OptionEntry] {
        &self.entries
    }

    /// The answer to `uci` about options: one line each, each ended.
    pub fn declare(&self) -> String {
        self.entries.iter().flat_map(|entry| [entry.to_string(), "\n".to_owned()]).collect()
    }

    /// The option of this name, in any mixture of cases.
    pub fn find(&self, name: &str) -> Result<&OptionEntry, OptionError> {
        let found = self.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| OptionError::Unknown { name: name.to_owned() })
    }

    /// The whole of a `setoption`: which option, and its checked value.
    pub fn read(&self, name: &str, value: Option<&str>) -> Result<(OptionId, OptionValue), OptionError> {
        let entry = self.find(name)?;
        Ok((entry.id, entry.parse_value(value)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declares_itself() {
        let text = OptionTable::standard().declare();
        for line in [
            "option name Hash type spin default 16 min 1 max 33554432\n",
            "option name Clear Hash type button\n",
            "option name Threads type spin default 1 min 1 max 1024\n",
            "option name Ponder type check default false\n",
            "option name Move Overhead type spin default 10 min 0 max 5000\n",
            "option name nodestime type spin default 0 min 0 max 10000\n",
            "option name Affinity type string default off\n",
            "option name EvalType type combo default network var network var classical var material\n",
            "option name EvalFile type string default <embedded>\n",
            "option name SyzygyPath type string default <empty>\n",
            "option name SyzygyProbeDepth type spin default 1 min 1 max 100\n",
            "option name SyzygyProbeLimit type spin default 7 min 0 max 7\n",
            "option name Syzygy50MoveRule type check default true\n",
            "option name TablePath type string default <empty>\n",
            "option name EmbeddedTables type check default true\n",
            "option name UCI_LimitStrength type check default false\n",
            "option name Debug Log File type string default <empty>\n",
        ] {
            assert!(text.contains(line), "{line} not in\n{text}");
        }
        assert_eq!(text.lines().count(), OptionTable::standard().entries().len());
        let empty = OptionEntry::new(OptionId::Affinity, "X", OptionKind::String { default: "".into() });
        assert_eq!(empty.to_string(), "option name X type string default <empty>");
    }

    #[test]
    fn names_fit_any_case_and_are_unique() {
        let table = OptionTable::standard();
        for entry in table.entries() {
            for name in [entry.name.to_ascii_lowercase(), entry.name.to_ascii_uppercase()] {
                assert_eq!(table.find(&name), Ok(entry));
            }
            // The protocol reserves these words inside names.
            assert!(entry.name.split(' ').all(|word| word != "name" && word != "value"));
            assert_eq!(table.entries().iter().filter(|other| other.id == entry.id).count(), 1);
        }
        assert_eq!(table.find("Haash"), Err(OptionError::Unknown { name: "Haash".into() }));
    }

    #[test]
    fn values_are_checked() {
        let table = OptionTable::standard();
        let read = |name, value| table.read(name, value);
        assert_eq!(read("hash", Some("64")), Ok((OptionId::Hash, OptionValue::Spin(64))));
        assert_eq!(read("PONDER", Some("True")), Ok((OptionId::Ponder, OptionValue::Check(true))));
        assert_eq!(read("clear hash", None), Ok((OptionId::ClearHash, OptionValue::Button)));
        assert_eq!(read("clear hash", Some("x")), Ok((OptionId::ClearHash, OptionValue::Button)));
        assert_eq!(read("EvalType", Some("Material")), Ok((OptionId::EvalType, OptionValue::Combo(2))));
        assert_eq!(
            read("Affinity", Some("<empty>")),
            Ok((OptionId::Affinity, OptionValue::String(String::new())))
        );
        for (name, value) in [
            ("Threads", "abc"),
            ("Threads", "999999999999"),
            ("Threads", "99999999999999999999999"),
            ("Threads", "-5"),
            ("Threads", "0"),
            ("Threads", "1025"),
            ("Threads", ""),
            ("Hash", "99999999"),
            ("Hash", "16.5"),
            ("Ponder", "yes"),
            ("EvalType", "tea leaves"),
        ] {
            assert!(matches!(read(name, Some(value)), Err(OptionError::Value { .. })), "{name} {value}");
        }
        assert_eq!(
            read("threads", Some("abc")).unwrap_err().to_string(),
            "option Threads: expected an integer from 1 to 1024, found 'abc'"
        );
        assert!(matches!(read("Hash", None), Err(OptionError::Missing { .. })));
    }

    #[test]
    fn defaults_are_values_of_their_option() {
        for entry in OptionTable::standard().entries() {
            let text = match entry.default_value() {
                OptionValue::Check(value) => value.to_string(),
                OptionValue::Spin(value) => value.to_string(),
                OptionValue::Combo(index) => match &entry.kind {
                    OptionKind::Combo { choices, .. } => choices[index].to_string(),
                    _ => String::new(),
                },
                OptionValue::Button => continue,
                OptionValue::String(text) => text,
            };
            assert_eq!(entry.parse_value(Some(&text)), Ok(entry.default_value()), "{entry}");
        }
    }

    #[test]
    fn the_laboratory_adds_its_own() {
        let table = OptionTable::with_lab([
            ("NullMove".to_owned(), OptionKind::Check { default: true }),
            ("LmrBase".to_owned(), OptionKind::Spin { default: 80, min: 0, max: 200 }),
        ]);
        assert_eq!(table.read("nullmove", Some("false")), Ok((OptionId::Lab(0), OptionValue::Check(false))));
        assert_eq!(table.read("lmrbase", Some("3")), Ok((OptionId::Lab(1), OptionValue::Spin(3))));
        assert!(table.declare().ends_with("option name LmrBase type spin default 80 min 0 max 200\n"));
    }

    #[test]
    #[should_panic(expected = "declared twice")]
    fn the_laboratory_may_not_take_a_name_twice() {
        let _ = OptionTable::with_lab([("hash", OptionKind::Button)]);
    }
}
