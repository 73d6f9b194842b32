//! Tests of parsing `go`.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> (GoLimits, Vec<ParseError>) {
    let mut warnings = Vec::new();
    match parse(&mut Words::new(text), &mut warnings) {
        Ok(Go::Search(limits)) => (limits, warnings),
        other => panic!("{text}: {other:?}"),
    }
}

fn clean(text: &str) -> GoLimits {
    let (limits, warnings) = read(text);
    assert_eq!(warnings, [], "{text}");
    limits
}

#[test]
fn parameters_are_accepted_in_any_order() {
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
fn searchmoves_ends_at_the_next_keyword() {
    let limits = clean("depth 3 searchmoves e2e4 d2d4 infinite ponder");
    assert_eq!(limits.searchmoves, ["e2e4", "d2d4"]);
    assert!(limits.infinite && limits.ponder && limits.depth == Some(Depth(3)));
    assert_eq!(read("searchmoves depth 2").1.len(), 1);
    for text in ["searchmoves e2e4 movtime 100", "searchmoves e2e4 depth=5"] {
        let limits = read(text).0;
        assert_eq!((limits.searchmoves, limits.depth), (vec!["e2e4".to_owned()], Some(Depth(1))), "{text}");
    }
}

#[test]
fn invalid_numbers_are_reported_and_other_limits_kept() {
    let (limits, warnings) = read("depth abc movetime 100 nodes wtime 5 joho mate 2");
    assert_eq!(limits.depth, None);
    assert_eq!(limits.movetime, Some(Millis(100)));
    assert_eq!((limits.nodes, limits.wtime, limits.mate), (None, Some(Millis(5)), Some(2)));
    let messages: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "depth: expected a whole number, found 'abc'",
            "nodes: expected a number, found nothing",
            "go: expected a search limit, found 'joho'",
        ]
    );
}

#[test]
fn search_without_end_is_reported_unless_asked_for() {
    let no_limit = "go: no limit given, searching until `stop`";
    let no_clock = "go: expected wtime or btime beside winc, binc or movestogo; searching until `stop`";
    for (text, expected) in [
        ("foo", no_limit),
        ("infinte", no_limit),
        ("foo ponder", no_limit),
        ("searchmoves", no_limit),
        ("winc 10", no_clock),
        ("movestogo 5", no_clock),
        ("binc 10 foo", no_clock),
        ("movestogo 0", no_limit),
    ] {
        let (limits, warnings) = read(text);
        assert!(!limits.is_bounded(), "{text}");
        assert_eq!(warnings.last().map(ToString::to_string), Some(expected.to_owned()), "{text}");
    }
    for text in ["", "ponder", "infinite", "infinite winc 10", "winc 10 wtime 5", "movestogo 5 depth 3"] {
        clean(text);
    }
    for text in ["infinite foo", "foo depth 3"] {
        assert_eq!(read(text).1.len(), 1, "{text}: only the unknown word is reported");
    }
}

#[test]
fn numbers_out_of_range_are_clamped() {
    for (text, expected) in [
        ("depth 0", GoLimits { depth: Some(Depth(1)), ..GoLimits::default() }),
        ("depth 9999", GoLimits { depth: Some(Depth::MAX), ..GoLimits::default() }),
        ("nodes -5", GoLimits { nodes: Some(Nodes(1)), ..GoLimits::default() }),
        (
            "nodes 99999999999999999999",
            GoLimits { nodes: Some(Nodes(i64::MAX as u64)), ..GoLimits::default() },
        ),
        ("movetime -1", GoLimits { movetime: Some(Millis(0)), ..GoLimits::default() }),
        ("wtime 99999999999999999999", GoLimits { wtime: Some(Millis(MAX_CLOCK)), ..GoLimits::default() }),
        ("infinite winc -7", GoLimits { winc: Some(Millis(0)), infinite: true, ..GoLimits::default() }),
        ("infinite movestogo 0", GoLimits { infinite: true, ..GoLimits::default() }),
        ("infinite movestogo -99999999999999999999", GoLimits { infinite: true, ..GoLimits::default() }),
        ("mate 0", GoLimits { mate: Some(1), ..GoLimits::default() }),
        ("wtime 1000.7", GoLimits { wtime: Some(Millis(1000)), ..GoLimits::default() }),
    ] {
        let (limits, warnings) = read(text);
        assert_eq!((limits, warnings.len()), (expected, 1), "{text}");
    }
}

#[test]
fn corrected_numbers_are_reported_with_the_reason() {
    for (text, expected) in [
        ("depth 0", "depth: '0' is out of range (1 to 245), using 1"),
        ("wtime 100.7", "wtime: '100.7' is not a whole number, using 100"),
        ("movestogo 0", "movestogo: '0' is out of range (1 to 4294967295), ignored"),
    ] {
        assert_eq!(read(text).1[0].to_string(), expected);
    }
}

#[test]
fn unreadable_limits_give_a_search_to_depth_one() {
    for text in [
        "depth abc",
        "wtime",
        "movetime 1e3",
        "nodes one",
        "moveTime 1000",
        "wtime=1000",
        "movetime=1000",
        "depth5",
        "1000",
    ] {
        let (limits, warnings) = read(text);
        assert_eq!(limits.depth, Some(Depth(1)), "{text}");
        assert_eq!(warnings.last(), Some(&ParseError::UnreadableLimit), "{text}");
    }
    assert_eq!(read("depth abc infinite").0, GoLimits { infinite: true, ..GoLimits::default() });
    assert!(!clean("infinite").is_bounded() && !clean("").is_bounded());
}

#[test]
fn go_perft_is_parsed_as_perft() {
    for (text, depth) in [("perft 0", 0), ("perft 5", 5), ("depth 3 perft 4", 4), ("perft -2", 0)] {
        let parsed = parse(&mut Words::new(text), &mut Vec::new());
        assert_eq!(parsed, Ok(Go::Perft(depth)), "{text}");
    }
    assert!(parse(&mut Words::new("perft"), &mut Vec::new()).is_err());
}

fn limits() -> impl Strategy<Value = GoLimits> {
    let clock = || prop::option::of((-MAX_CLOCK..=MAX_CLOCK).prop_map(Millis));
    let span = || prop::option::of((0..=MAX_CLOCK).prop_map(Millis));
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

/// Returns the parameters as a GUI would write them, one string each.
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
        let is_endless = limits.has_part_of_clock() && !limits.is_bounded() && !limits.infinite;
        let expected = if is_endless { vec![ParseError::NoClock] } else { Vec::new() };
        prop_assert_eq!(warnings, expected);
        prop_assert_eq!(read, limits);
    }
}
