//! Messages of the YAML, JSON and argument parsers in words for users.
//!
//! These parsers describe values by the types of the program (`expected u64`, `unit variant`,
//! `invalid digit found in string`). The translation happens where their errors enter the harness:
//! in configurations, journals and manifests, and on the command line.

use std::fmt::Display;

use indicatif::HumanCount;

/// Whether the text is one line that is not blank.
pub(crate) fn is_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Returns a message of the YAML or JSON parser without names of types.
///
/// `nodes: invalid type: string "x", expected u64` becomes `nodes: expected a whole number of at
/// least 0, found "x"`. Other messages are returned unchanged, but for the words of the parser.
pub fn parser_message(message: &str) -> String {
    let (message, place) = message.split_at(message.rfind(" at line ").unwrap_or(message.len()));
    format!("{}{place}", mismatch(message).unwrap_or_else(|| reworded(message)))
}

/// Translates a value of the wrong type, value or length; `None` for other messages.
fn mismatch(message: &str) -> Option<String> {
    const KINDS: [&str; 3] = ["invalid type: ", "invalid value: ", "invalid length "];
    let (start, kind) =
        KINDS.iter().filter_map(|kind| Some((message.find(kind)?, *kind))).min_by_key(|&(start, _)| start)?;
    let (path, rest) = (&message[..start], &message[start + kind.len()..]);
    let (found, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
    let found = if kind == "invalid length " { format!("{found} items") } else { found_value(found) };
    Some(match expected {
        "" => format!("{path}unexpected value: {found}"),
        expected => format!("{path}expected {}, found {found}", expected_value(expected)),
    })
}

/// Describes a value that was found.
fn found_value(found: &str) -> String {
    let bare = |start: &str| {
        let rest = found.strip_prefix(start)?;
        Some(rest.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(rest).to_owned())
    };
    let scalar = ["string ", "integer ", "floating point ", "boolean ", "character "];
    match found {
        "unit value" | "null" | "Option value" | "unit variant" => "nothing".to_owned(),
        "sequence" => "a list".to_owned(),
        "map" => "a group of fields".to_owned(),
        _ => scalar.iter().find_map(|start| bare(start)).unwrap_or_else(|| {
            let is_kind = |kind: &&str| found.ends_with(kind);
            let is_foreign = [" variant", "enum", "newtype struct", "byte array"].iter().any(is_kind);
            if is_foreign { "another kind of value".to_owned() } else { found.to_owned() }
        }),
    }
}

/// Describes the value that a type stands for.
fn expected_value(expected: &str) -> String {
    if let Some(number) = expected.strip_prefix("a nonzero ").and_then(|name| whole_number(name, 1)) {
        return number;
    }
    let lists = ["an array of length ", "a tuple of size ", "tuple struct ", "sequence of "];
    if lists.iter().any(|start| expected.starts_with(start)) {
        let count = expected.split(' ').find(|word| word.parse::<usize>().is_ok());
        return count.map_or_else(|| "a list".to_owned(), |count| format!("a list of {count} items"));
    }
    let text = match expected {
        "f32" | "f64" => "a number",
        "a boolean" | "bool" => "true or false",
        "a string" | "string" | "str" | "a borrowed string" | "path string" | "a character"
        | "unit variant" | "variant identifier" | "string or map" => "text",
        "a sequence" => "a list",
        "a map" => "a group of fields",
        "unit" => "nothing",
        "field identifier" => "the name of a field",
        _ if expected.starts_with("struct ") || expected.starts_with("newtype struct ") => {
            "a group of fields"
        }
        _ if expected.starts_with("enum ") || expected.starts_with("unit struct ") => "text",
        _ => return whole_number(expected, 0).unwrap_or_else(|| expected.to_owned()),
    };
    text.to_owned()
}

/// Describes an integer type by its range; `least` is the smallest value of an unsigned type.
fn whole_number(name: &str, least: u8) -> Option<String> {
    Some(match name {
        "u8" => format!("a whole number from {least} to {}", u8::MAX),
        "u16" => format!("a whole number from {least} to {}", u16::MAX),
        "u32" => format!("a whole number from {least} to {}", u32::MAX),
        "u64" | "u128" | "usize" => format!("a whole number of at least {least}"),
        "i8" => format!("a whole number from {} to {}", i8::MIN, i8::MAX),
        "i16" => format!("a whole number from {} to {}", i16::MIN, i16::MAX),
        "i32" => format!("a whole number from {} to {}", i32::MIN, i32::MAX),
        "i64" | "i128" | "isize" => "a whole number".to_owned(),
        _ => return None,
    })
}

/// Replaces the parser's words for values and choices.
fn reworded(message: &str) -> String {
    let unexpected = [
        "data did not match any variant of untagged enum ",
        "untagged and internally tagged enums do not support enum input",
    ];
    if let Some((path, _)) = unexpected.iter().find_map(|words| message.split_once(words)) {
        return format!("{path}unexpected kind of value");
    }
    message.replacen("unknown variant `", "unknown value `", 1)
}

/// Minimum similarity of a suggestion to the unknown name. Range: 0 to 1.
const LEAST_SIMILARITY: f64 = 0.6;

/// Returns the name most similar to `written`, if one is similar enough. Upper and lower case are alike.
pub(crate) fn similar<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    most_similar(written, names, LEAST_SIMILARITY)
}

/// Returns the name most similar to `written`, if its similarity is at least `least`.
pub(crate) fn most_similar<'a>(
    written: &str,
    names: impl IntoIterator<Item = &'a str>,
    least: f64,
) -> Option<&'a str> {
    let written = written.to_lowercase();
    let similarity = |name: &str| strsim::normalized_damerau_levenshtein(&written, &name.to_lowercase());
    let best = names.into_iter().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    best.filter(|name| similarity(name) >= least)
}

/// Returns ``; did you mean `X`?`` with the name most similar to `written`, or nothing.
pub(crate) fn did_you_mean<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    similar(written, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Shortens and escapes a word of a file for a one-line message.
pub(crate) fn shown(word: &str) -> String {
    const SHOWN: usize = 60;
    let mut text: String = word.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if word.chars().nth(SHOWN).is_some() {
        text.push('…');
    }
    text
}

/// Formats ``token`: expected a move``.
pub(crate) fn expected(token: &str, what: impl Display) -> String {
    format!("`{}`: expected {what}", shown(token))
}

/// Returns the distinct items in the order of their first occurrence.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// Returns the name, or else the first of `NAME-2`, `NAME-3` and so on that is free.
pub(crate) fn free_name(name: String, is_free: impl Fn(&String) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
}

/// Returns `word` in the form that follows this number: `1 game`, `2 games`, `2 searches`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        word.to_owned()
    } else if let Some(start) = word.strip_suffix('y').filter(|start| start.ends_with(['l', 'r'])) {
        format!("{start}ies")
    } else if ["s", "x", "sh", "nch", "rch", "tch"].iter().any(|end| word.ends_with(end)) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// Returns a number with its word: `1 core`, `64 cores`.
pub fn counted(count: usize, word: &str) -> String {
    format!("{count} {}", plural(count, word))
}

/// Lists up to three names; of more, the others are counted: `a, b, c and 2 others`.
pub(crate) fn listed(names: &[&str]) -> String {
    const NAMED: usize = 3;
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {}", names[..NAMED].join(", "), counted(more, "other")),
    }
}

/// Formats a number with a comma between groups of three digits: `1,129,874`.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Returns an error text of the argument parser without the messages of the number parsers.
///
/// `invalid value 'x' for '--nodes <N>': invalid digit found in string` ends with `expected a whole
/// number` instead.
pub(crate) fn argument_message(text: &str) -> String {
    const MESSAGES: [(&str, &str); 9] = [
        ("invalid digit found in string", "expected a whole number"),
        ("cannot parse integer from empty string", "expected a whole number"),
        ("number would be zero for non-zero type", "expected a whole number of at least 1"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
        ("invalid float literal", "expected a number"),
        ("cannot parse float from empty string", "expected a number"),
        ("provided string was not `true` or `false`", "expected true or false"),
        ("path string", "path"),
    ];
    let text = MESSAGES.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.lines().map(range_in_words).collect::<Vec<_>>().join("\n")
        + if text.ends_with('\n') { "\n" } else { "" }
}

/// Rewrites `6 is not in 3..=5` at the end of a line as `expected 3 to 5`.
fn range_in_words(line: &str) -> String {
    let Some((start, range)) = line.rsplit_once(" is not in ") else { return line.to_owned() };
    let Some((start, _)) = start.rsplit_once(": ") else { return line.to_owned() };
    let words = match range.split_once("..") {
        Some((least, "")) => format!("at least {least}"),
        Some((least, most)) if most.starts_with('=') => format!("{least} to {}", &most[1..]),
        Some((least, end)) => format!("{least} to below {end}"),
        None => return line.to_owned(),
    };
    format!("{start}: expected {words}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::num::{NonZeroU32, NonZeroU64};
    use std::path::PathBuf;

    use serde::Deserialize;
    use serde::de::DeserializeOwned;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the errors are looked at")]
    struct Inner {
        a: u8,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        One,
        #[expect(dead_code, reason = "only the errors are looked at")]
        Two(u32),
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only the errors are looked at")]
    enum Either {
        Number(u32),
        List(Vec<u32>),
    }

    fn yaml<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> String {
        let error = serde_yaml::from_str::<T>(text).unwrap_err().to_string();
        parser_message(error.split(" at line ").next().unwrap())
    }

    #[test]
    fn types_become_descriptions_of_values() {
        let least = |least: u8| format!("expected a whole number of at least {least}");
        assert_eq!(yaml::<u64>("x"), format!("{}, found \"x\"", least(0)));
        assert_eq!(yaml::<NonZeroU64>("0"), format!("{}, found 0", least(1)));
        assert_eq!(yaml::<NonZeroU32>("-3"), "expected a whole number from 1 to 4294967295, found -3");
        assert_eq!(yaml::<u32>("1.5"), "expected a whole number from 0 to 4294967295, found 1.5");
        assert_eq!(yaml::<u8>("300"), "expected a whole number from 0 to 255, found 300");
        assert_eq!(yaml::<i32>("true"), "expected a whole number from -2147483648 to 2147483647, found true");
        assert_eq!(yaml::<f64>("abc"), "expected a number, found \"abc\"");
        assert_eq!(yaml::<bool>("maybe"), "expected true or false, found \"maybe\"");
        assert_eq!(yaml::<PathBuf>("[a]"), "expected text, found a list");
        assert_eq!(yaml::<Vec<u32>>("a: 1"), "expected a list, found a group of fields");
        assert_eq!(yaml::<BTreeMap<String, u32>>("[1]"), "expected a group of fields, found a list");
        assert_eq!(yaml::<Inner>("5"), "expected a group of fields, found 5");
        assert_eq!(yaml::<[u32; 2]>("[1]"), "expected a list of 2 items, found 1 items");
        assert_eq!(
            yaml::<BTreeMap<String, u32>>("a: ~"),
            "a: expected a whole number from 0 to 4294967295, found nothing"
        );
        assert_eq!(yaml::<Choice>("three"), "unknown value `three`, expected `one` or `two`");
        assert_eq!(yaml::<Either>("{ a: 1 }"), "unexpected kind of value");
        assert_eq!(yaml::<Inner>("{ b: 1 }"), "unknown field `b`, expected `a`");
    }

    #[test]
    fn no_message_of_the_parsers_has_a_name_of_a_type() {
        let documents =
            ["x", "5", "-5", "1.5", "true", "~", "[1, 2, 3]", "{ a: x }", "{ a: ~ }", "[[]]", "!tag x", ""];
        let mut messages = Vec::new();
        for text in documents {
            let mut add = |found: Option<String>| messages.extend(found.map(|found| parser_message(&found)));
            add(serde_yaml::from_str::<u64>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<NonZeroU32>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<i16>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<f64>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<bool>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<String>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<Inner>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<Choice>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<Either>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<[u32; 2]>(text).err().map(|error| error.to_string()));
            add(serde_yaml::from_str::<Vec<Inner>>(text).err().map(|error| error.to_string()));
            add(serde_json::from_str::<Inner>(text).err().map(|error| error.to_string()));
            add(serde_json::from_str::<Choice>(text).err().map(|error| error.to_string()));
        }
        assert!(messages.len() > 80, "{}", messages.len());
        let jargon = [
            "u8",
            "u16",
            "u32",
            "u64",
            "i16",
            "f64",
            "struct",
            "enum",
            "variant",
            "Inner",
            "Choice",
            "Either",
            "sequence",
            "map",
            "unit",
            "tuple",
            "newtype",
            "nonzero",
            "invalid type",
        ];
        for message in &messages {
            let words: Vec<&str> = message.split(|c: char| !c.is_alphanumeric()).collect();
            for word in jargon {
                assert!(!words.contains(&word) && !message.contains("invalid type"), "{word}: {message}");
            }
        }
    }

    #[test]
    fn words_follow_their_numbers() {
        assert_eq!([1, 2].map(|count| counted(count, "core")), ["1 core", "2 cores"]);
        assert_eq!(
            ["search", "process", "thread", "ply", "entry", "epoch", "branch"].map(|word| plural(2, word)),
            ["searches", "processes", "threads", "plies", "entries", "epochs", "branches"]
        );
    }

    #[test]
    fn most_similar_name_is_suggested() {
        let names = ["Hash", "Threads", "NullMove"];
        assert_eq!(did_you_mean("Hsh", names), "; did you mean `Hash`?");
        assert_eq!(similar("nulmove", names), Some("NullMove"));
        assert_eq!(did_you_mean("Contempt", names), "");
        assert_eq!(similar("Hash", []), None);
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        let numbers = [0, 999, 1000, 65_536, 1_129_874, 1_000_000_000];
        let expected = ["0", "999", "1,000", "65,536", "1,129,874", "1,000,000,000"];
        assert_eq!(numbers.map(grouped), expected);
    }

    #[test]
    fn location_of_a_json_error_is_kept() {
        let error = serde_json::from_str::<Inner>("{ \"a\": \"x\" }").unwrap_err().to_string();
        assert_eq!(
            parser_message(&error),
            "expected a whole number from 0 to 255, found \"x\" at line 1 column 10"
        );
    }

    #[test]
    fn argument_errors_state_the_expected_value() {
        for (from, to) in [
            (
                "error: invalid value 'x' for '-j <N>': invalid digit found in string\n\nFor more\n",
                "error: invalid value 'x' for '-j <N>': expected a whole number\n\nFor more\n",
            ),
            (
                "'0' for '-j <N>': number would be zero for non-zero type",
                "'0' for '-j <N>': expected a whole number of at least 1",
            ),
            ("'y' for '--draws': invalid float literal", "'y' for '--draws': expected a number"),
            ("'6' for '--pieces <N>': 6 is not in 3..=5", "'6' for '--pieces <N>': expected 3 to 5"),
            ("'0' for '--every <N>': 0 is not in 1..", "'0' for '--every <N>': expected at least 1"),
            ("a file is not in this folder", "a file is not in this folder"),
        ] {
            assert_eq!(argument_message(from), to);
        }
    }
}
