//! The options that an engine declares, and the check of configured values.

use crate::config::EngineOption;

/// Values with which match runners press a button, and leave it alone.
const PRESSED: &str = "true";
const NOT_PRESSED: &str = "false";

/// The type and range of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Default value.
        default: bool,
    },
    /// A whole number in a range.
    Spin {
        /// Default value, if declared.
        default: Option<i64>,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// One of several texts.
    Combo(Vec<String>),
    /// An action.
    Button,
    /// Any text.
    Text,
}

/// One `option` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// Name as declared.
    pub name: String,
    /// Type and range of the value.
    pub kind: OptionKind,
    /// Default value as declared, if any.
    pub default: Option<String>,
}

/// The result of checking a configured option against the declared ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptionCheck {
    /// The option is declared and the value is valid.
    Fits,
    /// The option is not declared; the engine will ignore it.
    Unknown,
    /// The option is declared and the value is invalid; contains the expectation.
    Refused(String),
}

impl OptionDecl {
    /// Parses `option name N type T ...`; `None` if malformed.
    pub fn parse(line: &str) -> Option<Self> {
        let tokens: Vec<&str> = line.split_ascii_whitespace().collect();
        let name_at = tokens.iter().position(|&token| token == "name")?;
        let type_at = name_at + tokens[name_at..].iter().position(|&token| token == "type")?;
        let name = tokens[name_at + 1..type_at].join(" ");
        let rest = &tokens[type_at + 1..];
        let after = |key: &str| rest.iter().position(|&token| token == key).and_then(|at| rest.get(at + 1));
        let number = |key: &str| after(key).and_then(|token| token.parse::<i64>().ok());
        let kind = match *rest.first()? {
            "check" => OptionKind::Check { default: after("default") == Some(&"true") },
            "spin" => OptionKind::Spin {
                default: number("default"),
                min: number("min").unwrap_or(i64::MIN),
                max: number("max").unwrap_or(i64::MAX),
            },
            "combo" => OptionKind::Combo(combo_values(rest)),
            "button" => OptionKind::Button,
            "string" => OptionKind::Text,
            _ => return None,
        };
        let default = rest.iter().position(|&token| token == "default").map(|at| {
            // The default of a combo or a string may have several words.
            rest[at + 1..]
                .iter()
                .take_while(|&&token| !["var", "min", "max"].contains(&token))
                .copied()
                .collect::<Vec<_>>()
                .join(" ")
        });
        let default = default.filter(|text| !text.is_empty() && text != "<empty>");
        (!name.is_empty()).then_some(Self { name, kind, default })
    }

    /// Checks `value` against the type and range.
    fn check(&self, value: Option<&str>) -> OptionCheck {
        let refuse = |expected: String| OptionCheck::Refused(expected);
        match (&self.kind, value) {
            (OptionKind::Button, None | Some("" | PRESSED | NOT_PRESSED))
            | (OptionKind::Text, Some(_))
            | (OptionKind::Check { .. }, Some("true" | "false")) => OptionCheck::Fits,
            (OptionKind::Button, Some(_)) => {
                refuse("no value (null in a configuration), because it is a button".to_owned())
            }
            (OptionKind::Check { .. }, _) => refuse("true or false".to_owned()),
            (OptionKind::Spin { min, max, .. }, value) => {
                let number = value.and_then(|text| text.parse::<i64>().ok());
                match number.filter(|number| (min..=max).contains(&number)) {
                    Some(_) => OptionCheck::Fits,
                    None => refuse(format!("a whole number from {min} to {max}")),
                }
            }
            (OptionKind::Combo(values), value) => {
                let is_known = |text: &str| values.iter().any(|known| known.eq_ignore_ascii_case(text));
                if value.is_some_and(is_known) {
                    OptionCheck::Fits
                } else {
                    refuse(format!("one of {}", values.join(", ")))
                }
            }
            (OptionKind::Text, None) => refuse("a text".to_owned()),
        }
    }
}

/// Returns the values after each `var`; they may contain spaces.
fn combo_values(tokens: &[&str]) -> Vec<String> {
    let parts = tokens.split(|&token| token == "var").skip(1);
    parts.map(|words| words.join(" ")).filter(|value| !value.is_empty()).collect()
}

/// Finds `option` among `declared`, ignoring case.
fn find<'a>(declared: &'a [OptionDecl], option: &EngineOption) -> Option<&'a OptionDecl> {
    declared.iter().find(|decl| decl.name.eq_ignore_ascii_case(&option.name))
}

/// Returns the line that sets `option`. A button has no value in it; one that is not pressed has no line.
pub(crate) fn setoption_line(declared: &[OptionDecl], option: &EngineOption) -> Option<String> {
    let EngineOption { name, value } = option;
    let is_button = find(declared, option).is_some_and(|decl| decl.kind == OptionKind::Button);
    match value {
        Some(value) if is_button => (value != NOT_PRESSED).then(|| format!("setoption name {name}")),
        Some(value) => Some(format!("setoption name {name} value {value}")),
        None => Some(format!("setoption name {name}")),
    }
}

/// Finds `option` among `declared`, ignoring case, and checks its value.
pub(crate) fn check_option(declared: &[OptionDecl], option: &EngineOption) -> OptionCheck {
    match find(declared, option) {
        Some(decl) => decl.check(option.value.as_deref()),
        None => OptionCheck::Unknown,
    }
}

/// Returns the first of the options that the engine refused, with its reason.
///
/// Stretto answers a value that it cannot set with `info string option NAME: REASON` and keeps the
/// former value. Other engines have no common form; their remarks are warnings, and so is an echo of
/// the value.
pub(crate) fn refused_option(options: &[EngineOption], remarks: &[String]) -> Option<(String, String)> {
    remarks.iter().find_map(|remark| {
        let (name, reason) = remark.strip_prefix("option ")?.split_once(": ")?;
        let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
        let is_echo = option.value.as_deref().is_some_and(|value| reason.starts_with(value));
        (!is_echo).then(|| (option.name.clone(), reason.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, name: &str, value: Option<&str>) -> OptionCheck {
        let declared = [OptionDecl::parse(line).unwrap()];
        check_option(&declared, &EngineOption { name: name.to_owned(), value: value.map(str::to_owned) })
    }

    #[test]
    fn refused_option_is_found_among_the_remarks() {
        let options = ["Threads", "Hash"]
            .map(|name| EngineOption { name: name.to_owned(), value: Some("9".to_owned()) });
        let refused = |remarks: &[&str]| {
            let remarks: Vec<String> = remarks.iter().map(|&remark| remark.to_owned()).collect();
            refused_option(&options, &remarks)
        };
        let found =
            refused(&["Stretto 0.1.0", "option hash: cannot allocate 9 MiB: only 5 MiB are available"]);
        let reason = "cannot allocate 9 MiB: only 5 MiB are available";
        assert_eq!(found, Some(("Hash".to_owned(), reason.to_owned())));
        assert_eq!(refused(&["option Hash: 9 MiB"]), None, "an echo of the value");
        // Another option, and a remark without the form of a refusal.
        assert_eq!(refused(&["option EvalFile: no such file", "Hash: 5 MiB are kept", "option Hash"]), None);
    }

    #[test]
    fn declared_defaults_are_kept_whole() {
        let default = |line: &str| OptionDecl::parse(line).unwrap().default;
        let combo = "option name Analysis Mode type combo default Both Sides var Off var Both Sides";
        assert_eq!(default(combo).as_deref(), Some("Both Sides"));
        let path = "option name Path type string default /a folder/of books";
        assert_eq!(default(path).as_deref(), Some("/a folder/of books"));
        assert_eq!(default("option name Hash type spin default 16 min 1 max 9").as_deref(), Some("16"));
        for none in ["option name Path type string default <empty>", "option name Go type button"] {
            assert_eq!(default(none), None);
        }
    }

    #[test]
    fn option_values_are_checked_by_type() {
        let spin = "option name Hash type spin default 16 min 1 max 1024";
        assert_eq!(check(spin, "hash", Some("1024")), OptionCheck::Fits);
        assert_eq!(
            check(spin, "Hash", Some("0")),
            OptionCheck::Refused("a whole number from 1 to 1024".into())
        );
        assert_eq!(check(spin, "Hush", Some("1")), OptionCheck::Unknown);
        let combo = "option name Analysis Mode type combo default Both Sides var Off var Both Sides";
        assert_eq!(check(combo, "Analysis Mode", Some("both sides")), OptionCheck::Fits);
        assert!(matches!(check(combo, "Analysis Mode", Some("x")), OptionCheck::Refused(_)));
        let button = "option name Clear Hash type button";
        for value in [None, Some(""), Some("true"), Some("false")] {
            assert_eq!(check(button, "clear hash", value), OptionCheck::Fits, "{value:?}");
        }
        let expected = "no value (null in a configuration), because it is a button";
        assert_eq!(check(button, "Clear Hash", Some("1")), OptionCheck::Refused(expected.to_owned()));
        assert!(matches!(
            check("option name Ponder type check default false", "ponder", Some("1")),
            OptionCheck::Refused(_)
        ));
        assert_eq!(
            check("option name Path type string default <empty>", "path", Some("")),
            OptionCheck::Fits
        );
    }

    #[test]
    fn buttons_are_pressed_without_a_value_and_false_presses_none() {
        let lines = ["option name Clear Hash type button", "option name Ponder type check default false"];
        let declared = lines.map(|line| OptionDecl::parse(line).unwrap());
        let line = |name: &str, value: Option<&str>| {
            setoption_line(
                &declared,
                &EngineOption { name: name.to_owned(), value: value.map(str::to_owned) },
            )
        };
        for value in [None, Some(""), Some("true")] {
            assert_eq!(line("clear hash", value).as_deref(), Some("setoption name clear hash"), "{value:?}");
        }
        assert_eq!(line("Clear Hash", Some("false")), None);
        assert_eq!(line("Ponder", Some("false")).as_deref(), Some("setoption name Ponder value false"));
        assert_eq!(line("Other", Some("true")).as_deref(), Some("setoption name Other value true"));
    }

    #[test]
    fn malformed_option_lines_are_ignored() {
        for line in
            ["option", "option name", "option name X", "option name type spin", "option name X type y"]
        {
            assert_eq!(OptionDecl::parse(line), None, "{line}");
        }
    }
}
