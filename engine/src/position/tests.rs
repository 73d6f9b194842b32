//! Properties tested in every position of random games, standard and Chess960.

use super::*;
use crate::types::{Move, MoveKind, PieceType, Score, SplitMix64, Square};

/// A small random generator, so that a failing game can be reproduced from its seed.
struct Random(SplitMix64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u64) as usize
    }
}

const STARTS: [&str; 10] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
    "4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "k7/2p1p1p1/8/1P1P1P1P/1p1p1p1p/8/2P1P1P1/K7 w - - 0 1",
];

/// Plays random games from many start positions and passes every position to `check`.
fn for_each_position(games: usize, plies: usize, mut check: impl FnMut(&Position, &mut Random)) {
    let mut random = Random(SplitMix64::new(0x57_7E77_0960));
    for game in 0..games {
        let mut position = match game % 4 {
            0 => Position::startpos(),
            1 => Position::chess960_start(random.below(960) as u16, random.below(960) as u16).unwrap(),
            _ => Position::from_fen(STARTS[random.below(STARTS.len())]).unwrap(),
        };
        for _ in 0..plies {
            check(&position, &mut random);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Castling and en passant are rare in random games, so they are played whenever
            // possible.
            let special = moves.iter().find(|mv| mv.is_castling() || mv.is_en_passant());
            let mv = *special.unwrap_or(&moves[random.below(moves.len())]);
            position = position.after(mv);
        }
    }
}

fn sorted(moves: &MoveList) -> Vec<Move> {
    let mut moves = moves.to_vec();
    moves.sort_unstable();
    moves
}

#[test]
fn lesser_attacks_are_those_of_attackers_with_less_value() {
    for_each_position(40, 60, |position, _| {
        let attacks = LesserAttacks::of(position);
        for kind in PieceType::ALL {
            for square in Square::all() {
                let attackers = position.attackers_to(square, position.occupied());
                let them = attackers & position.side(!position.side_to_move());
                let is_lesser = |attacker: PieceType| match kind {
                    PieceType::Pawn | PieceType::King => false,
                    PieceType::Knight | PieceType::Bishop => attacker == PieceType::Pawn,
                    PieceType::Rook | PieceType::Queen => attacker < kind,
                };
                let expected = PieceType::ALL
                    .iter()
                    .any(|&attacker| is_lesser(attacker) && (them & position.pieces(attacker)).any());
                assert_eq!(attacks.on(kind).has(square), expected, "{position} {kind:?} {square}");
            }
        }
    });
}

#[test]
fn a_position_is_three_cache_lines() {
    assert_eq!(size_of::<Position>(), 192);
}

#[test]
fn moves_and_checks_agree_with_the_reference_rules() {
    for_each_position(200, 80, |position, _| {
        let expected = oracle::legal_moves(position);
        assert_eq!(sorted(&position.legal_moves()), expected, "{position:?}");
        assert_eq!(position.count_legal_moves(), expected.len(), "{position:?}");
        assert_eq!(position.has_legal_move(), !expected.is_empty(), "{position:?}");
        let checks = CheckSquares::of(position);
        for mv in expected {
            assert!(oracle::agrees_after(position, mv), "{position:?} {mv:?}");
            assert_eq!(position.gives_check(mv), oracle::gives_check(position, mv), "{position:?} {mv:?}");
            assert_eq!(checks.has(position, mv), position.gives_check(mv), "{position:?} {mv:?}");
        }
    });
}

#[test]
fn captures_and_quiets_partition_the_legal_moves() {
    for_each_position(200, 80, |position, _| {
        let (captures, quiets) = (position.captures(), position.quiets());
        assert!(captures.iter().all(|&mv| position.is_noisy(mv)), "{position:?}");
        assert!(quiets.iter().all(|&mv| !position.is_noisy(mv)), "{position:?}");
        let mut both = [captures.to_vec(), quiets.to_vec()].concat();
        both.sort_unstable();
        assert_eq!(both, sorted(&position.legal_moves()), "{position:?}");
    });
}

#[test]
fn is_legal_accepts_exactly_the_generated_moves() {
    for_each_position(60, 60, |position, random| {
        if random.below(4) == 0 {
            let moves = sorted(&position.legal_moves());
            for mv in (1..=u16::MAX).filter_map(Move::from_bits) {
                assert_eq!(position.is_legal(mv), moves.binary_search(&mv).is_ok(), "{position:?} {mv:?}");
            }
        }
    });
}

#[test]
fn incremental_state_equals_the_state_read_from_fen() {
    for_each_position(400, 100, |position, _| {
        assert!(position.board.is_consistent(), "{position:?}");
        for dialect in [FenDialect::Standard, FenDialect::Shredder] {
            let fen = position.to_fen(dialect);
            let again = Position::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert!(again == *position, "{fen}: {again:?} is not {position:?}");
        }
    });
}

#[test]
fn key_after_is_exact_for_ordinary_moves() {
    let mut exact = 0;
    for_each_position(200, 80, |position, _| {
        for mv in position.legal_moves() {
            let next = position.after(mv);
            assert_eq!(position.clock_after(mv), next.halfmove_clock(), "{position:?} {mv:?}");
            if mv.kind() == MoveKind::Normal && next.ep_square().is_none() {
                assert_eq!(position.key_after(mv), next.key(), "{position:?} {mv:?}");
                exact += 1;
            }
        }
    });
    assert!(exact > 100_000, "only {exact} moves seen");
}

#[test]
fn keys_differ_exactly_if_positions_differ() {
    let key = |fen: &str| Position::from_fen(fen).unwrap().key();
    let base = key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert_eq!(base, key("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 40 90"));
    for other in [
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
        "r3k1r1/8/8/8/8/8/8/R3K2R w KQq - 0 1",
    ] {
        assert_ne!(base, key(other), "{other}");
    }
    // Rights of the inner and of the outer rook are different positions.
    assert_ne!(key("4k3/8/8/8/8/8/8/RR2K3 w A - 0 1"), key("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1"));
    // The en passant square counts only if a capture there is legal.
    assert_ne!(key("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"), key("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"));
    assert_eq!(key("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"), key("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"));
}

#[test]
fn null_move_changes_only_side_and_clocks() {
    for_each_position(100, 60, |position, _| {
        if !position.is_check() {
            let next = position.after_null();
            let mut fen: Vec<String> = position.to_string().split(' ').map(str::to_owned).collect();
            fen[1] = next.side_to_move().to_char().to_string();
            fen[3] = "-".to_owned();
            fen[4] = next.halfmove_clock().to_string();
            fen[5] = next.fullmove_number().to_string();
            let expected = Position { reversible_plies: 0, ..Position::from_fen(&fen.join(" ")).unwrap() };
            assert!(next == expected, "{position:?}");
            assert_eq!(next.halfmove_clock(), position.halfmove_clock() + 1);
        }
    });
}

#[test]
fn captures_and_clocks_match_the_played_move() {
    for_each_position(100, 80, |position, _| {
        for mv in position.legal_moves() {
            let next = position.after(mv);
            let fewer = position.occupied().count() - next.occupied().count();
            assert_eq!(position.is_capture(mv), fewer == 1, "{position:?} {mv:?}");
            assert_eq!(position.captured(mv).is_some(), fewer == 1, "{position:?} {mv:?}");
            if let Some(kind) = position.captured(mv) {
                let them = position.side_to_move();
                let lost = position.pieces_of(!them, kind).count() - next.pieces_of(!them, kind).count();
                assert_eq!(lost, 1, "{position:?} {mv:?}");
            }
            let resets = fewer == 1 || position.moved(mv) == PieceType::Pawn;
            let clock = if resets { 0 } else { position.halfmove_clock() + 1 };
            assert_eq!(next.halfmove_clock(), clock, "{position:?} {mv:?}");
        }
    });
}

#[test]
fn see_at_least_agrees_with_see() {
    for_each_position(150, 80, |position, random| {
        for mv in position.legal_moves() {
            let value = position.see(mv);
            for margin in [-900, -301, -100, -1, 0, 1, 99, 100, 500, random.below(2000) as i32 - 1000] {
                let threshold = value + margin;
                assert_eq!(
                    position.see_at_least(mv, threshold),
                    margin <= 0,
                    "{position:?} {mv:?} {value:?} {threshold:?}"
                );
            }
            assert!(position.see_at_least(mv, Score(-100_000)));
        }
    });
}

#[test]
fn san_and_uci_text_round_trip() {
    for_each_position(200, 80, |position, _| {
        let mut sans = std::collections::HashSet::new();
        for mv in position.legal_moves() {
            let san = position.san(mv);
            assert_eq!(position.parse_san(&san), Ok(mv), "{position:?} {san}");
            let next = position.after(mv);
            assert_eq!(san.ends_with('+'), next.is_check() && next.has_legal_move(), "{position:?} {san}");
            assert_eq!(san.ends_with('#'), next.is_check() && !next.has_legal_move(), "{position:?} {san}");
            assert!(sans.insert(san), "{position:?} {mv:?}");
            for chess960 in [false, true] {
                let uci = position.uci(mv, chess960);
                assert_eq!(position.parse_uci(&uci), Ok(mv), "{position:?} {uci}");
            }
        }
    });
}

#[test]
fn chess960_start_positions_are_all_different_and_valid() {
    assert_eq!(Position::startpos().to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let corners = Position::chess960_start(0, 959).unwrap();
    assert_eq!(corners.to_string(), "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1");
    assert!(Position::chess960_start(960, 0).is_none() && Position::chess960_start(0, 960).is_none());
    let all: std::collections::HashSet<String> =
        (0..960).map(|number| Position::chess960_start(number, 518).unwrap().to_string()).collect();
    assert_eq!(all.len(), 960);
    for fen in all {
        let array = fen.rsplit('/').next().unwrap().split(' ').next().unwrap();
        let find = |letter| array.find(letter).unwrap();
        assert!(find('R') < find('K') && find('K') < array.rfind('R').unwrap(), "{array}");
        assert_ne!(find('B') % 2, array.rfind('B').unwrap() % 2, "{array}");
    }
}

#[test]
fn dead_material_is_recognised() {
    for (fen, dead) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", true),
        ("4k3/8/8/8/8/8/8/4KB2 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", true),
        ("4kb2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
        ("2b1kb2/8/8/8/8/8/8/4K3 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KB2 w - - 0 1", false),
        ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4KR2 w - - 0 1", false),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", false),
    ] {
        assert_eq!(Position::from_fen(fen).unwrap().is_dead_material(), dead, "{fen}");
    }
}

#[test]
fn castling_text_follows_the_variant() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let castling = position.parse_uci("e1g1").unwrap();
    assert!(castling.is_castling());
    assert_eq!(position.parse_uci("e1h1"), Ok(castling));
    assert_eq!(position.uci(castling, false), "e1g1");
    assert_eq!(position.uci(castling, true), "e1h1");
    // In Chess960 a king move to g1 may be an ordinary move, and castling may leave the king in
    // place.
    let position = Position::from_fen("4k3/8/8/8/8/8/8/5KR1 w G - 0 1").unwrap();
    let castling = position.parse_uci("f1g1").unwrap();
    assert!(castling.is_castling());
    assert_eq!(position.uci(castling, false), "f1g1");
    let position = Position::from_fen("4k3/8/8/8/8/8/8/5K1R w H - 0 1").unwrap();
    assert_eq!(position.parse_uci("f1g1").unwrap().kind(), MoveKind::Normal);
    assert!(position.parse_uci("f1h1").unwrap().is_castling());
}

#[test]
fn move_errors_contain_the_text_and_the_reason() {
    let position = Position::startpos();
    let message = |text: &str| position.parse_uci(text).unwrap_err().to_string();
    for (text, part) in [
        ("", "two squares"),
        ("e2", "two squares"),
        ("0000", "is a null move, which is not supported"),
        ("e2e4x", "two squares"),
        ("e2e4k", "two squares"),
        ("é2e4", "two squares"),
        ("e4e5", "empty"),
        ("e7e5", "opponent"),
        ("e2e5", "cannot make this move"),
        ("e2e4q", "only on the last rank"),
        ("a2a8", "cannot make this move"),
        ("a2a8q", "cannot make this move"),
        ("e1g1", "castling"),
        ("g1f3q", "only a pawn"),
    ] {
        let message = message(text);
        assert!(message.contains(part) && message.contains(text), "{text}: {message}");
    }
    let long = "x".repeat(10_000);
    assert!(message(&long).len() < 200);
    for (fen, text, part) in [
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "needs a promotion letter"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1e3", "cannot make this move"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1c1", "castling is not possible"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1a1", "castling is not possible"),
        ("4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "e1e2", "the king would be in check"),
        ("4k3/4r3/8/8/8/8/P7/N3K3 w - - 0 1", "a2a5", "cannot make this move"),
        ("4k3/4r3/8/8/8/8/P7/N3K3 w - - 0 1", "a2a4", "leaves the king in check"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "e2d3", "pinned"),
        ("4k3/4r3/8/8/8/8/4B3/4K3 w - - 0 1", "e2e3", "cannot make this move"),
        ("4k3/4r3/8/8/8/3n4/8/N3K3 w - - 0 1", "a1b3", "double check"),
        ("4k3/8/8/8/8/p7/P7/4K3 w - - 0 1", "a2a3", "cannot make this move"),
        ("4k3/8/8/8/8/p7/P7/4K3 w - - 0 1", "a2b3", "cannot make this move"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1h1", "cannot make this move"),
    ] {
        let position = Position::from_fen(fen).unwrap();
        let message = position.parse_uci(text).unwrap_err().to_string();
        assert!(message.contains(part), "{fen} {text}: {message}");
    }
    let ambiguous = Position::from_fen("4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1").unwrap().parse_san("Nd2");
    assert!(ambiguous.unwrap_err().to_string().contains("b1d2, f1d2"));
}

/// Two positions are the same if the same moves are possible.
#[test]
fn double_step_that_a_pinned_pawn_cannot_capture_has_the_key_without_en_passant() {
    for (before, mv, after) in [
        ("3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"),
        // Both pawns leave the rank of the king.
        ("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"),
    ] {
        let position = Position::from_fen(before).unwrap();
        let played = position.after(position.parse_uci(mv).unwrap());
        assert_eq!(played.ep_square(), None, "{before}");
        assert_eq!(played.key(), Position::from_fen(after).unwrap().key(), "{before}");
    }
    let free = Position::from_fen("3k4/8/8/8/3p4/8/4P3/4K2R w - - 0 1").unwrap();
    let played = free.after(free.parse_uci("e2e4").unwrap());
    assert_eq!(played.ep_square().map(|square| square.to_string()).as_deref(), Some("e3"));
}
