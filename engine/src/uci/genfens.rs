//! Parses the request of `OpenBench` for start positions: `genfens N seed S book FILE|None` and
//! further settings.

use std::path::PathBuf;
use std::str::FromStr;

use crate::genfens::{Request, Variant};
use crate::types::Nodes;

/// A request with a missing or unexpected word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("genfens: expected {expected}, found {}", found.as_deref().map_or("nothing".to_owned(), |word| format!("'{word}'")))]
pub struct GenfensUsage {
    expected: &'static str,
    found: Option<String>,
}

/// Parses the words after `genfens`. A final `quit`, which `OpenBench` sends, is ignored.
pub(super) fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Result<Request, GenfensUsage> {
    let mut words = words;
    let mut request = Request { count: number(words.next(), "a number of positions")?, ..Request::default() };
    let mut has_seed = false;
    while let Some(word) = words.next() {
        match word {
            "seed" => {
                request.seed = number(words.next(), "a seed")?;
                has_seed = true;
            }
            "book" => request.book = book(words.next())?,
            "plies" => request.plies = Some(number(words.next(), "a number of plies")?),
            "limit" => request.limit = number(words.next(), "centipawns")?,
            "nodes" => request.nodes = Nodes(number(words.next(), "a number of nodes")?),
            "variant" => request.variant = variant(words.next())?,
            "quit" => break,
            other => return Err(unexpected("seed, book, plies, limit, nodes or variant", Some(other))),
        }
    }
    if !has_seed {
        return Err(unexpected("a seed", None));
    }
    match words.next() {
        None => Ok(request),
        some => Err(unexpected("nothing after quit", some)),
    }
}

fn unexpected(expected: &'static str, found: Option<&str>) -> GenfensUsage {
    GenfensUsage { expected, found: found.map(str::to_owned) }
}

fn number<T: FromStr>(word: Option<&str>, expected: &'static str) -> Result<T, GenfensUsage> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| unexpected(expected, word))
}

fn book(word: Option<&str>) -> Result<Option<PathBuf>, GenfensUsage> {
    match word {
        None => Err(unexpected("a file or None", None)),
        Some(word) if word.eq_ignore_ascii_case("none") => Ok(None),
        Some(word) => Ok(Some(PathBuf::from(word))),
    }
}

fn variant(word: Option<&str>) -> Result<Variant, GenfensUsage> {
    let found = word.and_then(|word| Variant::ALL.into_iter().find(|variant| variant.name() == word));
    found.ok_or_else(|| unexpected("standard, chess960 or double", word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, GenfensUsage> {
        parse(text.split_whitespace())
    }

    #[test]
    fn requests_of_open_bench_are_parsed() {
        let plain = Request { count: 16, seed: u64::MAX, ..Request::default() };
        assert_eq!(read("16 seed 18446744073709551615 book None"), Ok(plain.clone()));
        assert_eq!(read("16 seed 18446744073709551615 book none quit"), Ok(plain));
        let rich = read("2 seed 1 book Books/x.epd plies 3 limit 100 nodes 5000 variant double");
        let expected = Request {
            count: 2,
            seed: 1,
            book: Some("Books/x.epd".into()),
            variant: Variant::Double,
            plies: Some(3),
            limit: 100,
            nodes: Nodes(5000),
        };
        assert_eq!(rich, Ok(expected));
    }

    #[test]
    fn missing_and_unexpected_words_are_reported() {
        for (text, message) in [
            ("", "genfens: expected a number of positions, found nothing"),
            ("many seed 1", "genfens: expected a number of positions, found 'many'"),
            ("3 book None", "genfens: expected a seed, found nothing"),
            ("3 seed x", "genfens: expected a seed, found 'x'"),
            ("3 seed 1 book", "genfens: expected a file or None, found nothing"),
            ("3 seed 1 variant atomic", "genfens: expected standard, chess960 or double, found 'atomic'"),
            ("3 seed 1 quit now", "genfens: expected nothing after quit, found 'now'"),
            (
                "3 seed 1 quickly",
                "genfens: expected seed, book, plies, limit, nodes or variant, found 'quickly'",
            ),
        ] {
            assert_eq!(read(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
        }
    }
}
