//! The options that an engine declares, and the check of configured values.

use std::ops::RangeInclusive;

use crate::base::wording::did_you_mean;
use crate::config::EngineOption;

/// Values with which match runners press a button, and leave it alone.
const PRESSED: &str = "true";
const NOT_PRESSED: &str = "false";
/// The types of options.
const TYPES: [&str; 5] = ["check", "spin", "combo", "button", "string"];
/// Numbers that a declaration may have.
const NUMBERS: RangeInclusive<i128> = i64::MIN as i128..=u64::MAX as i128;
const NUMBER_EXPECTED: &str = "whole numbers of at most 64 bits";

/// The type and range of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false` in lower case; a default in any case is read, another text is `None`.
    Check { default: Option<bool> },
    /// A whole number in a range, each end of which may be undeclared.
    Spin { default: Option<i128>, min: Option<i128>, max: Option<i128> },
    /// One of several texts.
    Combo(Vec<String>),
    /// An action without a value.
    Button,
    /// A text, which UCI calls `string`.
    Text,
}

/// An option as the engine declares it in its `option` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// Name in the case of the declaration; comparisons ignore case.
    pub name: String,
    /// Type and range of the value.
    pub kind: OptionKind,
    /// Default value as declared, if any.
    pub default: Option<String>,
    /// Declared numbers that cannot be read, such as `max 1e9`.
    unreadable: Vec<String>,
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
        let ["option", "name", named @ ..] = &tokens[..] else { return None };
        // A name may contain the word `type`.
        let is_type = |pair: &[&str]| pair[0] == "type" && TYPES.contains(&pair[1]);
        let type_at = 1 + named.get(1..)?.windows(2).position(is_type)?;
        let (name, kind) = (named[..type_at].join(" "), named[type_at + 1]);
        let fields = fields(kind, &named[type_at + 2..]);
        let text = |key: &str| fields.iter().find(|(known, _)| *known == key).map(|(_, text)| text.as_str());
        let mut unreadable = Vec::new();
        let mut number = |key: &str| {
            let text = text(key)?;
            let number = text.parse().ok().filter(|number| NUMBERS.contains(number));
            if number.is_none() {
                unreadable.push(format!("{key} {text}"));
            }
            number
        };
        let kind = match kind {
            "check" => OptionKind::Check { default: text("default").and_then(switch) },
            "spin" => OptionKind::Spin { default: number("default"), min: number("min"), max: number("max") },
            "combo" => {
                let values = fields.iter().filter(|(key, value)| *key == "var" && !value.is_empty());
                OptionKind::Combo(values.map(|(_, value)| value.clone()).collect())
            }
            "button" => OptionKind::Button,
            _ => OptionKind::Text,
        };
        let is_none = |text: &str| text.is_empty() || (kind == OptionKind::Text && text == "<empty>");
        let default = text("default").filter(|text| !is_none(text));
        Some(Self { name, kind, default: default.map(str::to_owned), unreadable })
    }

    /// Returns what is declared as default, for messages.
    pub(crate) fn default_text(&self) -> String {
        match &self.default {
            Some(default) => format!("declares the default `{default}` of `{}`", self.name),
            None => format!("declares no default of `{}`", self.name),
        }
    }

    /// Returns a declared number that cannot be read, with what was expected; `None` if there is none.
    pub(crate) fn unreadable_number(&self) -> Option<String> {
        self.unreadable.first().map(|number| format!("`{number}`, expected {NUMBER_EXPECTED}"))
    }

    /// Returns what is wrong with the declaration; `None` if nothing is.
    pub(crate) fn flaw(&self) -> Option<String> {
        if let Some(number) = self.unreadable_number() {
            return Some(number);
        }
        match (&self.kind, self.default.as_deref()) {
            (OptionKind::Button | OptionKind::Text | OptionKind::Check { default: Some(_) }, _) => None,
            (OptionKind::Spin { min: None, .. } | OptionKind::Spin { max: None, .. }, _) => {
                Some("expected min and max".to_owned())
            }
            (_, None) => Some("expected a default".to_owned()),
            (_, Some(default)) => match self.check(Some(default)) {
                OptionCheck::Refused(expected) => Some(format!("default `{default}`: expected {expected}")),
                OptionCheck::Fits | OptionCheck::Unknown => None,
            },
        }
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
            (&OptionKind::Spin { min, max, .. }, value) => {
                let unreadable = self.unreadable.iter().find(|number| !number.starts_with("default"));
                let number = value.and_then(|text| text.parse::<i128>().ok());
                let fits =
                    |number| min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max);
                match (unreadable, number.filter(|&number| fits(number))) {
                    (Some(declared), _) => {
                        refuse(format!("{NUMBER_EXPECTED} in its declaration, which has `{declared}`"))
                    }
                    (None, Some(_)) => OptionCheck::Fits,
                    (None, None) => refuse(range_text(min, max)),
                }
            }
            (OptionKind::Combo(values), value) => {
                let is_known = |text: &str| values.iter().any(|known| known.eq_ignore_ascii_case(text));
                let fits = value.is_some_and(is_known);
                if fits { OptionCheck::Fits } else { refuse(format!("one of {}", values.join(", "))) }
            }
            (OptionKind::Text, None) => refuse("a text".to_owned()),
        }
    }
}

/// Splits the words behind the type of an option into its fields, each with its text.
fn fields<'a>(kind: &str, words: &[&'a str]) -> Vec<(&'a str, String)> {
    let keys: &[&str] = match kind {
        "spin" => &["default", "min", "max"],
        "combo" => &["default", "var"],
        _ => &["default"],
    };
    let mut fields: Vec<(&str, String)> = Vec::new();
    for &word in words {
        // A text may contain any word, and a `var` may have the name of a field.
        let is_text = match fields.last() {
            Some(("var", text)) if text.is_empty() => true,
            Some(_) => kind == "string" || !keys.contains(&word),
            None => false,
        };
        match fields.last_mut().filter(|_| is_text) {
            Some((_, text)) => {
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(word);
            }
            None if keys.contains(&word) => fields.push((word, String::new())),
            None => {}
        }
    }
    fields
}

/// Reads the value of a check option, in which engines differ in case.
fn switch(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    is("true").then_some(true).or(is("false").then_some(false))
}

/// Describes the values of a spin option.
fn range_text(min: Option<i128>, max: Option<i128>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
        (Some(min), None) => format!("a whole number of at least {min}"),
        (None, Some(max)) => format!("a whole number of at most {max}"),
        (None, None) => "a whole number".to_owned(),
    }
}

fn find<'a>(declared: &'a [OptionDecl], name: &str) -> Option<&'a OptionDecl> {
    declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
}

/// Returns the declared option of this name.
///
/// Errors: there is none; the text has the most similar name.
pub(crate) fn declared_option<'a>(declared: &'a [OptionDecl], name: &str) -> Result<&'a OptionDecl, String> {
    find(declared, name).ok_or_else(|| {
        let similar = did_you_mean(name, declared.iter().map(|option| option.name.as_str()));
        format!("the engine has no option `{name}`{similar}")
    })
}

/// Returns the line that sets `option`, with name and value of a combo spelled as declared, because engines may compare
/// them exactly. A button has no value in it; one that is not pressed has no line.
pub(crate) fn setoption_line(declared: &[OptionDecl], option: &EngineOption) -> Option<String> {
    let decl = find(declared, &option.name);
    let name = decl.map_or(&option.name, |decl| &decl.name);
    let value = match (decl.map(|decl| &decl.kind), option.value.as_deref()) {
        (Some(OptionKind::Button), Some(NOT_PRESSED)) => return None,
        (Some(OptionKind::Button), _) | (_, None) => return Some(format!("setoption name {name}")),
        (Some(OptionKind::Combo(values)), Some(value)) => {
            let known = values.iter().filter(|known| known.eq_ignore_ascii_case(value));
            known.min_by_key(|known| *known != value).map_or(value, String::as_str)
        }
        (_, Some(value)) => value,
    };
    Some(format!("setoption name {name} value {value}"))
}

/// Finds `option` among `declared`, ignoring case, and checks its value.
pub(crate) fn check_option(declared: &[OptionDecl], option: &EngineOption) -> OptionCheck {
    find(declared, &option.name).map_or(OptionCheck::Unknown, |decl| decl.check(option.value.as_deref()))
}

/// Returns the option that the engine refused with this remark, and its reason.
///
/// Stretto answers a value that it cannot set with `info string option NAME: REASON` and keeps the
/// former value. Other engines have no common form; their remarks are warnings, and so is an echo of
/// the value.
pub(crate) fn refused_option(options: &[EngineOption], remark: &str) -> Option<(String, String)> {
    let (name, reason) = remark.strip_prefix("option ")?.split_once(": ")?;
    let option = options.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
    let is_echo = option.value.as_deref().is_some_and(|value| reason.starts_with(value));
    (!is_echo).then(|| (option.name.clone(), reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, name: &str, value: Option<&str>) -> OptionCheck {
        let declared = [OptionDecl::parse(line).unwrap()];
        check_option(&declared, &EngineOption { name: name.to_owned(), value: value.map(str::to_owned) })
    }

    #[test]
    fn refused_option_is_found_in_the_remark() {
        let options = ["Threads", "Hash"]
            .map(|name| EngineOption { name: name.to_owned(), value: Some("9".to_owned()) });
        let refused = |remark: &str| refused_option(&options, remark);
        let found = refused("option hash: cannot allocate 9 MiB: only 5 MiB are available");
        let reason = "cannot allocate 9 MiB: only 5 MiB are available";
        assert_eq!(found, Some(("Hash".to_owned(), reason.to_owned())));
        assert_eq!(refused("option Hash: 9 MiB"), None, "an echo of the value");
        // Another option, and remarks without the form of a refusal.
        for other in ["option EvalFile: no such file", "Hash: 5 MiB are kept", "option Hash", "Stretto 0.1.0"]
        {
            assert_eq!(refused(other), None);
        }
    }

    #[test]
    fn declared_defaults_are_kept_whole() {
        let default = |line: &str| OptionDecl::parse(line).unwrap().default;
        let combo = "option name Analysis Mode type combo default Both Sides var Off var Both Sides";
        assert_eq!(default(combo).as_deref(), Some("Both Sides"));
        let path = "option name Path type string default /a folder/of books";
        assert_eq!(default(path).as_deref(), Some("/a folder/of books"));
        assert_eq!(default("option name Hash type spin default 16 min 1 max 9").as_deref(), Some("16"));
        let folder = "option name Path type string default /my var folder/min default";
        assert_eq!(default(folder).as_deref(), Some("/my var folder/min default"), "a text has no fields");
        assert_eq!(default("option name Hash type spin min 1 max 9 default 4").as_deref(), Some("4"));
        for none in ["option name Path type string default <empty>", "option name Go type button"] {
            assert_eq!(default(none), None);
        }
    }

    #[test]
    fn names_and_values_may_be_words_of_the_protocol() {
        let option = OptionDecl::parse("option\tname type  type check default true").unwrap();
        assert_eq!(
            (option.name.as_str(), &option.kind),
            ("type", &OptionKind::Check { default: Some(true) })
        );
        let option = OptionDecl::parse("option name Book type A type spin default 1 min 0 max 2").unwrap();
        assert_eq!(option.name, "Book type A");
        let values = |line: &str| match OptionDecl::parse(line).unwrap() {
            OptionDecl { kind: OptionKind::Combo(values), default, .. } => {
                (values.join("|"), default.unwrap())
            }
            other => panic!("{other:?}"),
        };
        let expected = ("A|default|C c".to_owned(), "C c".to_owned());
        assert_eq!(values("option name X type combo default C c var A var default var C c"), expected);
        assert_eq!(values("option name X type combo var A var default var C c default C c"), expected);
    }

    #[test]
    fn switches_are_declared_in_any_case() {
        let default =
            |text: &str| match OptionDecl::parse(&format!("option name F type check {text}")).unwrap().kind {
                OptionKind::Check { default } => default,
                other => panic!("{other:?}"),
            };
        for on in ["default true", "default True", "default TRUE"] {
            assert_eq!(default(on), Some(true), "{on}");
        }
        for off in ["default false", "default False", "default FALSE"] {
            assert_eq!(default(off), Some(false), "{off}");
        }
        for unknown in
            ["default 1", "default on", "default yes", "default", "default <empty>", "default true false", ""]
        {
            assert_eq!(default(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn numbers_of_64_bits_are_exact_and_larger_ones_are_refused() {
        let spin = |max: &str| format!("option name Seed type spin default 1 min -5 max {max}");
        let refused = |line: &str, value: &str| match check(line, "Seed", Some(value)) {
            OptionCheck::Refused(expected) => expected,
            other => panic!("{value}: {other:?}"),
        };
        let largest = u64::MAX.to_string();
        for value in ["-5", "9223372036854775808", &largest] {
            assert_eq!(check(&spin(&largest), "Seed", Some(value)), OptionCheck::Fits, "{value}");
        }
        assert_eq!(
            refused(&spin(&largest), "18446744073709551616"),
            "a whole number from -5 to 18446744073709551615"
        );
        for max in ["18446744073709551616", "1e9", "2.5", "many"] {
            let expected =
                format!("whole numbers of at most 64 bits in its declaration, which has `max {max}`");
            assert_eq!(refused(&spin(max), "1"), expected);
        }
        let no_max = "option name Seed type spin default 1 min 0";
        assert_eq!(refused(no_max, "-1"), "a whole number of at least 0");
        assert_eq!(check(no_max, "Seed", Some(&largest)), OptionCheck::Fits);
        let odd_default = "option name Seed type spin default 1e3 min 0 max 9";
        assert_eq!(check(odd_default, "Seed", Some("9")), OptionCheck::Fits, "the default does not matter");
    }

    #[test]
    fn flaws_of_declarations_are_found() {
        for (line, flaw) in [
            ("check default on", "default `on`: expected true or false"),
            ("check", "expected a default"),
            ("spin default 5", "expected min and max"),
            ("spin min 1 max 9", "expected a default"),
            ("spin default 5 min 6 max 9", "default `5`: expected a whole number from 6 to 9"),
            ("spin default 5 min 9 max 1", "default `5`: expected a whole number from 9 to 1"),
            ("spin default 1e3 min 0 max 9", "`default 1e3`, expected whole numbers of at most 64 bits"),
            (
                "spin default 1 min 0 max 99999999999999999999",
                "`max 99999999999999999999`, expected whole numbers of at most 64 bits",
            ),
            ("combo default C var A var B", "default `C`: expected one of A, B"),
            ("combo var A var B", "expected a default"),
        ] {
            let option = OptionDecl::parse(&format!("option name X type {line}")).unwrap();
            assert_eq!(option.flaw().as_deref(), Some(flaw), "{line}");
        }
        for line in [
            "check default True",
            "spin default 5 min 5 max 5",
            "combo default b var A var B",
            "combo default <empty> var <empty> var B",
            "string",
            "string default",
            "button",
        ] {
            let option = OptionDecl::parse(&format!("option name X type {line}")).unwrap();
            assert_eq!(option.flaw(), None, "{line}");
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
    fn options_are_sent_as_declared_and_buttons_without_a_value() {
        let lines = [
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Style type combo default Solid var Solid var Risky var RISKY",
        ];
        let declared = lines.map(|line| OptionDecl::parse(line).unwrap());
        let line = |name: &str, value: Option<&str>| {
            setoption_line(
                &declared,
                &EngineOption { name: name.to_owned(), value: value.map(str::to_owned) },
            )
        };
        for value in [None, Some(""), Some("true")] {
            assert_eq!(line("clear hash", value).as_deref(), Some("setoption name Clear Hash"), "{value:?}");
        }
        assert_eq!(line("Clear Hash", Some("false")), None);
        assert_eq!(line("Ponder", Some("false")).as_deref(), Some("setoption name Ponder value false"));
        assert_eq!(line("Other", Some("true")).as_deref(), Some("setoption name Other value true"));
        // Engines may compare names and the values of a combo exactly.
        for (value, sent) in [("solid", "Solid"), ("risky", "Risky"), ("RISKY", "RISKY"), ("x", "x")] {
            assert_eq!(line("style", Some(value)), Some(format!("setoption name Style value {sent}")));
        }
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
