//! The operands of `go`.
//!
//! Decides which limits a search gets. Parameters come in any order and each may be absent; a bad one is
//! reported and the search still starts, because a GUI that sent `go` waits for a `bestmove`. What the limits
//! mean for the clock is decided in `time`.

use super::parse::{Command, ParseError, Words, number, perft_depth, unexpected};
use crate::types::{Depth, Millis, Nodes};

/// What bounds a search; an absent parameter has no influence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoLimits {
    /// White's clock; match tools have sent negative ones.
    pub wtime: Option<Millis>,
    /// Black's clock.
    pub btime: Option<Millis>,
    /// What White gains with each move. Range: 0 or more.
    pub winc: Option<Millis>,
    /// What Black gains with each move. Range: 0 or more.
    pub binc: Option<Millis>,
    /// Moves until the clocks are topped up; absent with a clock is sudden death. Range: 1 or more.
    pub movestogo: Option<u32>,
    /// The last iteration. Range: 1 to [`Depth::MAX`].
    pub depth: Option<Depth>,
    /// The most nodes. Range: 1 or more.
    pub nodes: Option<Nodes>,
    /// Look for a mate in so many moves. Range: 1 or more.
    pub mate: Option<u32>,
    /// Exactly so much time. Range: 0 or more.
    pub movetime: Option<Millis>,
    /// Only `stop` ends the search.
    pub infinite: bool,
    /// Search the position after the expected reply; only `stop` or `ponderhit` lets the move out.
    pub ponder: bool,
    /// Only these root moves, as written; empty means all.
    pub searchmoves: Vec<String>,
}

impl GoLimits {
    /// Does anything but `stop` end this search?
    pub fn is_bounded(&self) -> bool {
        let clocked = self.wtime.is_some() || self.btime.is_some() || self.movetime.is_some();
        clocked || self.depth.is_some() || self.nodes.is_some() || self.mate.is_some()
    }
}

/// The longest time taken at its word, some 30 years: sums and products of clocks stay far from overflow.
const MAX_MILLIS: i64 = 1_000_000_000_000;

/// Reads everything after the word `go`.
pub(super) fn parse(words: &mut Words<'_>, warnings: &mut Vec<ParseError>) -> Result<Command, ParseError> {
    let mut reader = Reader { words, warnings, lost_a_limit: false };
    let mut limits = GoLimits::default();
    while let Some(word) = reader.words.next() {
        let Some(keyword) = Keyword::read(word) else {
            reader.warnings.push(unexpected("go", "a search limit", word));
            continue;
        };
        if keyword == Keyword::Perft {
            let depth = perft_depth(reader.words.next(), reader.warnings)?;
            return Ok(Command::Perft { depth, fen: None });
        }
        reader.limit(keyword, &mut limits);
    }
    // A search that was meant to end must end, though nobody can say when.
    if reader.lost_a_limit && !limits.is_bounded() && !limits.infinite {
        limits.depth = Some(Depth(1));
        reader.warnings.push(ParseError::NoLimit);
    }
    Ok(Command::Go(limits))
}

struct Reader<'r, 'a> {
    words: &'r mut Words<'a>,
    warnings: &'r mut Vec<ParseError>,
    lost_a_limit: bool,
}

impl Reader<'_, '_> {
    /// Reads the operand of one keyword into `limits`; an unreadable one leaves them as they are.
    fn limit(&mut self, keyword: Keyword, limits: &mut GoLimits) {
        let plain = |value: Option<i64>, field: &mut Option<Millis>| *field = value.map(Millis).or(*field);
        match keyword {
            Keyword::Wtime => plain(self.value("wtime", -MAX_MILLIS, MAX_MILLIS), &mut limits.wtime),
            Keyword::Btime => plain(self.value("btime", -MAX_MILLIS, MAX_MILLIS), &mut limits.btime),
            Keyword::Winc => plain(self.value("winc", 0, MAX_MILLIS), &mut limits.winc),
            Keyword::Binc => plain(self.value("binc", 0, MAX_MILLIS), &mut limits.binc),
            Keyword::Movetime => plain(self.value("movetime", 0, MAX_MILLIS), &mut limits.movetime),
            Keyword::Movestogo => self.moves_to_go(limits),
            Keyword::Depth => {
                let depth = self.value("depth", 1, Depth::MAX.0 as i64).map(|plies| Depth(plies as i32));
                limits.depth = depth.or(limits.depth);
            }
            Keyword::Nodes => {
                let nodes = self.value("nodes", 1, i64::MAX).map(|count| Nodes(count as u64));
                limits.nodes = nodes.or(limits.nodes);
            }
            Keyword::Mate => {
                let mate = self.value("mate", 1, Depth::MAX.0 as i64).map(|moves| moves as u32);
                limits.mate = mate.or(limits.mate);
            }
            Keyword::Infinite => limits.infinite = true,
            Keyword::Ponder => limits.ponder = true,
            Keyword::Searchmoves => self.search_moves(limits),
            Keyword::Perft => {}
        }
    }

    /// The number after a keyword; `None`, with a warning, if there is none.
    fn value(&mut self, context: &'static str, min: i64, max: i64) -> Option<i64> {
        let result = match self.words.peek().filter(|&word| Keyword::read(word).is_none()) {
            Some(token) => {
                self.words.next();
                number(context, token, min, max, self.warnings)
            }
            None => Err(ParseError::Missing { after: context, expected: "a number" }),
        };
        result.map_err(|error| self.warnings.push(error)).inspect_err(|()| self.lost_a_limit = true).ok()
    }

    /// Zero or fewer moves to go make no sense; sudden death is the careful reading.
    fn moves_to_go(&mut self, limits: &mut GoLimits) {
        let before = self.warnings.len();
        let Some(moves) = self.value("movestogo", i64::MIN, u32::MAX as i64) else { return };
        if moves >= 1 {
            limits.movestogo = Some(moves as u32);
        } else {
            self.warnings.truncate(before);
            let (token, used) = (moves.to_string(), "nothing".to_owned());
            self.warnings.push(ParseError::OutOfRange { context: "movestogo", token, used });
        }
    }

    /// All words up to the next keyword.
    fn search_moves(&mut self, limits: &mut GoLimits) {
        let before = limits.searchmoves.len();
        while let Some(word) = self.words.peek().filter(|&word| Keyword::read(word).is_none()) {
            limits.searchmoves.push(word.to_owned());
            self.words.next();
        }
        if limits.searchmoves.len() == before {
            self.warnings.push(ParseError::Missing { after: "searchmoves", expected: "moves" });
        }
    }
}

/// The words that end a list of `searchmoves` and cannot be another's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Searchmoves,
    Ponder,
    Wtime,
    Btime,
    Winc,
    Binc,
    Movestogo,
    Depth,
    Nodes,
    Mate,
    Movetime,
    Infinite,
    Perft,
}

impl Keyword {
    fn read(word: &str) -> Option<Self> {
        Some(match word {
            "searchmoves" => Self::Searchmoves,
            "ponder" => Self::Ponder,
            "wtime" => Self::Wtime,
            "btime" => Self::Btime,
            "winc" => Self::Winc,
            "binc" => Self::Binc,
            "movestogo" => Self::Movestogo,
            "depth" => Self::Depth,
            "nodes" => Self::Nodes,
            "mate" => Self::Mate,
            "movetime" => Self::Movetime,
            "infinite" => Self::Infinite,
            "perft" => Self::Perft,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> (GoLimits, Vec<ParseError>) {
        let mut warnings = Vec::new();
        match parse(&mut Words::new(text), &mut warnings) {
            Ok(Command::Go(limits)) => (limits, warnings),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn clean(text: &str) -> GoLimits {
        let (limits, warnings) = read(text);
        assert_eq!(warnings, [], "{text}");
        limits
    }

    #[test]
    fn parameters_come_in_any_order() {
        let expected = GoLimits {
            wtime: Some(Millis(100)),
            btime: Some(Millis(-20)),
            winc: Some(Millis(3)),
            binc: Some(Millis(0)),
            movestogo: Some(7),
            ..GoLimits::default()
        };
        assert_eq!(clean("wtime 100 btime -20 winc 3 binc 0 movestogo 7"), expected);
        assert_eq!(clean("movestogo 7 binc 0 btime -20 winc 3 wtime 100"), expected);
        assert_eq!(clean(""), GoLimits::default());
    }

    #[test]
    fn searchmoves_end_at_the_next_keyword() {
        let limits = clean("depth 3 searchmoves e2e4 d2d4 infinite ponder");
        assert_eq!(limits.searchmoves, ["e2e4", "d2d4"]);
        assert!(limits.infinite && limits.ponder && limits.depth == Some(Depth(3)));
        assert_eq!(read("searchmoves depth 2").1.len(), 1);
    }

    #[test]
    fn bad_numbers_are_reported_and_the_rest_is_kept() {
        let (limits, warnings) = read("depth abc movetime 100 nodes wtime 5 joho mate 2");
        assert_eq!(limits.depth, None);
        assert_eq!(limits.movetime, Some(Millis(100)));
        assert_eq!((limits.nodes, limits.wtime, limits.mate), (None, Some(Millis(5)), Some(2)));
        let told: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "depth: expected a whole number, found 'abc'",
                "nodes: expected a number, found nothing",
                "go: expected a search limit, found 'joho'",
            ]
        );
    }

    #[test]
    fn numbers_out_of_range_are_forced_into_it() {
        for (text, expected) in [
            ("depth 0", GoLimits { depth: Some(Depth(1)), ..GoLimits::default() }),
            ("depth 9999", GoLimits { depth: Some(Depth::MAX), ..GoLimits::default() }),
            ("nodes -5", GoLimits { nodes: Some(Nodes(1)), ..GoLimits::default() }),
            (
                "nodes 99999999999999999999",
                GoLimits { nodes: Some(Nodes(i64::MAX as u64)), ..GoLimits::default() },
            ),
            ("movetime -1", GoLimits { movetime: Some(Millis(0)), ..GoLimits::default() }),
            (
                "wtime 99999999999999999999",
                GoLimits { wtime: Some(Millis(MAX_MILLIS)), ..GoLimits::default() },
            ),
            ("winc -7", GoLimits { winc: Some(Millis(0)), ..GoLimits::default() }),
            ("movestogo 0", GoLimits::default()),
            ("movestogo -99999999999999999999", GoLimits::default()),
            ("mate 0", GoLimits { mate: Some(1), ..GoLimits::default() }),
            ("wtime 1000.7", GoLimits { wtime: Some(Millis(1000)), ..GoLimits::default() }),
        ] {
            let (limits, warnings) = read(text);
            assert_eq!((limits, warnings.len()), (expected, 1), "{text}");
        }
    }

    #[test]
    fn a_search_meant_to_end_ends() {
        for text in ["depth abc", "wtime", "movetime 1e3", "nodes one"] {
            let (limits, warnings) = read(text);
            assert_eq!(limits.depth, Some(Depth(1)), "{text}");
            assert_eq!(warnings.last(), Some(&ParseError::NoLimit), "{text}");
        }
        assert_eq!(read("depth abc infinite").0, GoLimits { infinite: true, ..GoLimits::default() });
        assert!(!clean("infinite").is_bounded() && !clean("").is_bounded());
    }

    #[test]
    fn perft_is_a_command_of_its_own() {
        for (text, depth) in [("perft 0", 0), ("perft 5", 5), ("depth 3 perft 4", 4), ("perft -2", 0)] {
            let parsed = parse(&mut Words::new(text), &mut Vec::new());
            assert_eq!(parsed, Ok(Command::Perft { depth, fen: None }), "{text}");
        }
        assert!(parse(&mut Words::new("perft"), &mut Vec::new()).is_err());
    }

    fn limits() -> impl Strategy<Value = GoLimits> {
        let clock = || prop::option::of((-MAX_MILLIS..=MAX_MILLIS).prop_map(Millis));
        let span = || prop::option::of((0..=MAX_MILLIS).prop_map(Millis));
        let times = (clock(), clock(), span(), span(), span(), prop::option::of(1..=u32::MAX));
        let bounds = (
            prop::option::of((1..=Depth::MAX.0).prop_map(Depth)),
            prop::option::of((1..=i64::MAX as u64).prop_map(Nodes)),
            prop::option::of(1..=100_u32),
        );
        let rest = (any::<bool>(), any::<bool>(), prop::collection::vec("[a-h][1-8][a-h][1-8][nbrq]?", 0..4));
        (times, bounds, rest).prop_map(|(times, bounds, rest)| GoLimits {
            wtime: times.0,
            btime: times.1,
            winc: times.2,
            binc: times.3,
            movetime: times.4,
            movestogo: times.5,
            depth: bounds.0,
            nodes: bounds.1,
            mate: bounds.2,
            infinite: rest.0,
            ponder: rest.1,
            searchmoves: rest.2,
        })
    }

    /// The parameters as a GUI would write them, one string each.
    fn written(limits: &GoLimits) -> Vec<String> {
        let times = [
            ("wtime", limits.wtime),
            ("btime", limits.btime),
            ("winc", limits.winc),
            ("binc", limits.binc),
            ("movetime", limits.movetime),
        ];
        let mut parts: Vec<String> =
            times.into_iter().filter_map(|(name, time)| Some(format!("{name} {}", time?.0))).collect();
        parts.extend(limits.movestogo.map(|moves| format!("movestogo {moves}")));
        parts.extend(limits.depth.map(|depth| format!("depth {}", depth.0)));
        parts.extend(limits.nodes.map(|nodes| format!("nodes {}", nodes.0)));
        parts.extend(limits.mate.map(|moves| format!("mate {moves}")));
        parts.extend(limits.infinite.then(|| "infinite".to_owned()));
        parts.extend(limits.ponder.then(|| "ponder".to_owned()));
        if !limits.searchmoves.is_empty() {
            parts.push(format!("searchmoves {}", limits.searchmoves.join(" ")));
        }
        parts
    }

    proptest! {
        #[test]
        fn well_formed_lines_round_trip(
            (limits, parts) in limits().prop_flat_map(|limits| {
                let parts = Just(written(&limits)).prop_shuffle();
                (Just(limits), parts)
            }),
        ) {
            let (read, warnings) = read(&parts.join(" "));
            prop_assert_eq!(warnings, []);
            prop_assert_eq!(read, limits);
        }
    }
}
