//! Words of a command line.

use super::error::ImportError;
use super::table::ENGINE_FLAGS;

/// Splits a line into words by the rules of a shell for blanks, quotes and backslashes.
pub fn split_words(line: &str) -> Vec<String> {
    split(line, |next, quote| match quote {
        None => true,
        Some('"') => matches!(next, '"' | '\\' | '$' | '`' | '\n'),
        Some(_) => false,
    })
}

/// Splits the arguments of an engine into words. A backslash only escapes quotes and is kept otherwise,
/// because paths of Windows contain it.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    split(text, |next, quote| quote.map_or(matches!(next, '"' | '\''), |open| next == open))
}

/// Splits a line into words. `is_escaped` decides whether a backslash escapes the next character, given
/// the quote that is open there.
fn split(line: &str, is_escaped: impl Fn(char, Option<char>) -> bool) -> Vec<String> {
    let (mut words, mut word, mut quote, mut is_open) = (Vec::new(), String::new(), None, false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\\'
            && let Some(next) = letters.next_if(|&next| is_escaped(next, quote))
        {
            // A backslash at the end of a line continues it.
            if next != '\n' {
                word.push(next);
                is_open = true;
            }
            continue;
        }
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            ('"' | '\'', None) => (quote, is_open) = (Some(letter), true),
            (_, None) if letter.is_whitespace() => {
                if is_open {
                    words.push(std::mem::take(&mut word));
                }
                is_open = false;
            }
            _ => {
                word.push(letter);
                is_open = true;
            }
        }
    }
    if is_open {
        words.push(word);
    }
    words
}

/// Parses the parameters `key=value` of an option.
pub(super) fn pairs<'a>(option: &str, params: &'a [String]) -> Result<Vec<(&'a str, &'a str)>, ImportError> {
    params.iter().map(|word| pair(option, word)).collect()
}

/// Parses the keys of an engine, some of which need no value.
pub(super) fn engine_pairs<'a>(
    option: &str,
    params: &'a [String],
) -> Result<Vec<(&'a str, &'a str)>, ImportError> {
    let setting = |word: &'a String| {
        if ENGINE_FLAGS.contains(&word.as_str()) { Ok((word.as_str(), "true")) } else { pair(option, word) }
    };
    params.iter().map(setting).collect()
}

fn pair<'a>(option: &str, word: &'a str) -> Result<(&'a str, &'a str), ImportError> {
    word.split_once('=').ok_or_else(|| ImportError::word(option, word, "KEY=VALUE"))
}
