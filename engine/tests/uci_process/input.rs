//! Invalid positions, options and bytes.

use crate::driver::{Engine, ms};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const OTHER: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

/// Fails unless one of the lines is an `info string` with a reason.
fn expect_reason(engine: &mut Engine, output: &[String]) {
    if !output.iter().any(|line| line.starts_with("info string ") && line.len() > 12) {
        engine.fail("no `info string` with a reason");
    }
}

#[test]
fn new_engine_has_the_start_position() {
    let mut engine = Engine::ready();
    assert_eq!(engine.fen(), START);
    engine.tell("position startpos moves e2e4 c7c5");
    assert_eq!(engine.fen(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    engine.quit();
}

#[test]
fn invalid_position_keeps_the_old_one() {
    let mut engine = Engine::ready();
    engine.tell(&format!("position fen {OTHER}"));
    assert_eq!(engine.fen(), OTHER);
    for line in [
        "position",
        "position start",
        "position startpos e2e4",
        "position startpos moves e2e5",
        "position startpos moves e2e4 e7e5 e1e3",
        "position startpos moves e2e4 0000",
        "position startpos moves e2",
        "position startpos moves e2e4q",
        "position startpos moves a7a8q",
        "position startpos moves \u{e9}2e4",
        "position fen",
        "position fen moves e2e4",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w KQkq - 0 1",
        "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - zero 1",
    ] {
        let output = engine.tell(line);
        let is_told = |line: &String| line.ends_with("; the previous position stays");
        assert!(output.len() == 1 && is_told(&output[0]), "{line}: {output:?}");
        assert_eq!(engine.fen(), OTHER, "after `{line}`");
    }
    let output = engine.tell("position startpos moves e2e4 0000");
    assert!(output[0].contains("move 2: move \"0000\" is a null move, which is not supported"), "{output:?}");
    let search = engine.go("depth 3");
    engine.check_moves(&search, false);
    engine.quit();
}

#[test]
fn fen_with_four_fields_is_accepted() {
    let mut engine = Engine::ready();
    engine.tell("position fen 4k3/8/8/8/8/8/4P3/4K3 w - -");
    assert_eq!(engine.fen(), OTHER);
    engine.tell("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - moves e2e4");
    assert_eq!(engine.fen(), "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    engine.quit();
}

#[test]
fn fen_with_two_or_three_fields_has_the_usual_rest() {
    let mut engine = Engine::ready();
    for (fields, fen) in
        [("4k3/8/8/8/8/8/4P3/4K3 w", OTHER), ("4k3/8/8/8/8/8/8/4K2R w K", "4k3/8/8/8/8/8/8/4K2R w K - 0 1")]
    {
        assert!(engine.tell(&format!("position fen {fields} moves")).is_empty());
        assert_eq!(engine.fen(), fen);
    }
    engine.quit();
}

#[test]
fn board_has_labels() {
    let mut engine = Engine::ready();
    engine.tell("position startpos moves e2e4");
    let board = engine.tell("d");
    assert_eq!(board[0], "8  r n b q k b n r");
    assert_eq!(board[4], "4  . . . . P . . .");
    assert_eq!(board[7], "1  R N B Q K B N R");
    assert_eq!(board[9], "   a b c d e f g h");
    engine.quit();
}

#[test]
fn castling_rights_without_rook_are_dropped_and_reported() {
    let mut engine = Engine::ready();
    let output = engine.tell("position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1");
    expect_reason(&mut engine, &output);
    assert_eq!(engine.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1");
    // Several letters may mean one rook.
    let one_rook = ["KK", "HK", "KH"].map(|field| format!("4k3/8/8/8/8/8/8/4K2R w {field} - 0 1"));
    for fen in [START, OTHER].into_iter().chain(one_rook.iter().map(String::as_str)) {
        let output = engine.tell(&format!("position fen {fen}"));
        assert!(!output.iter().any(|line| line.contains("castling")), "{fen}: {output:?}");
    }
    engine.quit();
}

#[test]
fn second_castling_right_on_one_wing_is_dropped_and_reported() {
    let mut engine = Engine::ready();
    let second = "info string position: dropped the second of two castling rights on one wing";
    let missing = "info string position: dropped castling rights without king and rook in place";
    for (field, kept, reports) in
        [("AB", "Q", &[second][..]), ("QB", "Q", &[second]), ("ABk", "Q", &[missing, second])]
    {
        let output = engine.tell(&format!("position fen 4k3/8/8/8/8/8/8/RR2K3 w {field} - 0 1"));
        assert_eq!(output, reports, "{field}");
        assert_eq!(engine.fen(), format!("4k3/8/8/8/8/8/8/RR2K3 w {kept} - 0 1"));
    }
    engine.quit();
}

#[test]
fn other_parts_of_a_fen_that_are_changed_are_reported() {
    let mut engine = Engine::ready();
    let square = "dropped an en passant square that no pawn has just passed";
    let counter = "a counter is out of range (0 to 65535) and was brought into it";
    let castling = "dropped castling rights without king and rook in place";
    for (rest, kept, reports) in [
        ("KQ e6 0 1", "K - 0 1", &[castling, square][..]),
        ("K - -7 1", "K - 0 1", &[counter]),
        ("K - 0 999999", "K - 0 65535", &[counter]),
        ("K - -0 0", "K - 0 1", &[]),
    ] {
        for (command, mut reply) in ["position fen", "perft 1"]
            .map(|command| (command, engine.tell(&format!("{command} 4k3/8/8/8/8/8/8/4K2R w {rest}"))))
        {
            reply.retain(|line| line.starts_with("info"));
            let name = command.split(' ').next().unwrap_or(command);
            let expected: Vec<String> =
                reports.iter().map(|report| format!("info string {name}: {report}")).collect();
            assert_eq!(reply, expected, "{command} {rest}");
        }
        assert_eq!(engine.fen(), format!("4k3/8/8/8/8/8/8/4K2R w {kept}"));
    }
    // A double step is plausible, even if no pawn can capture.
    assert!(engine.tell("position fen 4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1").is_empty());
    engine.quit();
}

#[test]
fn invalid_options_are_reported_and_change_nothing() {
    let mut engine = Engine::ready();
    for line in [
        "setoption",
        "setoption name",
        "setoption name Nonsense value 3",
        "setoption Hash value 3",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value much",
        "setoption name Hash value 0",
        "setoption name Hash value 99999999999999999999",
        "setoption name Threads value -5",
        "setoption name Threads value 5000",
        "setoption name MultiPV value 0",
        "setoption name UCI_Chess960 value maybe",
        "setoption name EvalType value tea leaves",
        "setoption name Move Overhead value 1e3",
    ] {
        let output = engine.tell(line);
        expect_reason(&mut engine, &output);
    }
    let search = engine.go("depth 3");
    assert!(search.infos.iter().all(|info| info.multipv == 1));
    engine.check_moves(&search, false);
    engine.quit();
}

#[test]
fn valid_options_are_set_without_a_message() {
    let mut engine = Engine::ready();
    for line in [
        "setoption name Hash value 8",
        "setoption name hash value 4",
        "setoption name  clear   HASH",
        "setoption name Threads value 2",
        "setoption name Move Overhead value 50",
        "setoption name UCI_AnalyseMode value true",
        "setoption name Ponder value false",
        "setoption name EvalFile value <embedded>",
        "setoption name EvalType value network",
        "setoption name EvalFile value <empty>",
        "setoption name EvalType value material",
        "setoption name EvalType value classical",
    ] {
        let output = engine.tell(line);
        assert!(
            !output.iter().any(|line| line.contains("expected") || line.contains("unknown")),
            "{output:?}"
        );
        let search = engine.go("depth 2");
        engine.check_moves(&search, false);
    }
    engine.quit();
}

#[test]
fn embedded_network_replaces_only_another_network() {
    let mut engine = Engine::ready();
    engine.tell("position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let mut after = |line: &str| {
        engine.tell(line);
        engine.tell("ucinewgame");
        engine.go("depth 4").nodes()
    };
    let network = after("setoption name EvalFile value <embedded>");
    let classical = after("setoption name EvalType value classical");
    assert_ne!(classical, network);
    assert_eq!(after("setoption name EvalFile value <embedded>"), classical);
    assert_eq!(after("setoption name EvalType value network"), network);
    engine.quit();
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "needs /proc/meminfo")]
fn hash_too_large_for_the_machine_keeps_the_old_table() {
    let mut engine = Engine::ready();
    engine.tell("position startpos");
    let before = engine.go("depth 5").nodes();
    // 32 TiB: within the declared range, but more than any test machine has. The engine compares
    // the size with the memory of the machine, so an overcommitting system refuses it too.
    let output = engine.tell("setoption name Hash value 33554432");
    assert!(output.len() == 1 && output[0].contains("33554432 MiB: the memory limit is "), "{output:?}");
    engine.tell("ucinewgame");
    assert_eq!(engine.go("depth 5").nodes(), before);
    engine.quit();
}

#[test]
fn every_line_end_and_any_white_space_is_accepted() {
    let mut engine = Engine::start(&[]);
    engine.send_bytes(b"uci\r");
    engine.until("uciok");
    engine.send_bytes(b"\t isready \r\n");
    engine.until("readyok");
    engine.send_bytes(b"\r\n\n\r   \n position \t startpos  moves\te2e4  \r isready\n");
    engine.until("readyok");
    assert!(engine.fen().starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"));
    engine.quit();
}

#[test]
fn leading_byte_order_mark_is_ignored() {
    let mut engine = Engine::start(&[]);
    engine.send_bytes(b"\xEF\xBB\xBFuci\n");
    engine.until("uciok");
    engine.quit();
}

#[test]
fn random_bytes_do_not_end_the_engine() {
    let mut engine = Engine::ready();
    engine.send_bytes(b"\x00\x01\x02\xFF\xFE\x80 \xC3\x28\n\0\0\0\n\xF0\x9F\x99\x82\n");
    engine.send_bytes(&vec![b'x'; 100_000]);
    engine.send_bytes(b"\n");
    engine.send_bytes(format!("position startpos moves{}\n", " e2e4".repeat(20_000)).as_bytes());
    engine.send_bytes(format!("position fen {}\n", "8/".repeat(50_000)).as_bytes());
    engine.send_bytes(
        format!("setoption name {} value {}\n", "n".repeat(50_000), "v".repeat(50_000)).as_bytes(),
    );
    engine.send_bytes(format!("go depth {}\n", "9".repeat(10_000)).as_bytes());
    engine.send("stop");
    let search = engine.best_move();
    for line in search.lines {
        assert!(line.len() < 2000 && !line.contains(char::is_control), "{} bytes: {line:.200}", line.len());
    }
    for line in engine.sync() {
        assert!(line.len() < 2000, "{} bytes: {line:.200}", line.len());
    }
    assert_eq!(engine.fen(), START);
    engine.quit();
}

#[test]
fn endless_line_is_dropped_and_reported() {
    let mut engine = Engine::ready();
    for _ in 0..64 {
        engine.send_bytes(&vec![b'z'; 1 << 16]);
    }
    engine.send_bytes(b"\n");
    let output = engine.sync();
    expect_reason(&mut engine, &output);
    engine.quit();
}

#[test]
fn unknown_words_before_a_command_are_skipped() {
    let mut engine = Engine::ready();
    engine.tell("joho position startpos moves e2e4");
    assert!(engine.fen().starts_with("rnbqkbnr/pppppppp/8/8/4P3/"));
    let output = engine.tell("hello engine how are you");
    expect_reason(&mut engine, &output);
    let output = engine.tell("debug joho on");
    expect_reason(&mut engine, &output);
    engine.quit();
}

#[test]
fn long_game_is_accepted() {
    let mut engine = Engine::ready();
    let shuffle = " g1f3 g8f6 f3g1 f6g8".repeat(1500);
    engine.send(&format!("position startpos moves{shuffle}"));
    assert!(engine.fen().starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "));
    let search = engine.go("depth 3");
    engine.check_moves(&search, false);
    engine.quit();
}

#[test]
fn perft_counts_leaves_and_accepts_depth_zero() {
    let mut engine = Engine::ready();
    assert_eq!(engine.perft(0), 1);
    assert_eq!(engine.perft(1), 20);
    assert_eq!(engine.perft(3), 8902);
    engine.tell("position startpos moves e2e4");
    let answer = engine.tell("perft 2 startpos");
    assert!(answer.iter().any(|line| line == "Nodes searched: 400"), "{answer:?}");
    engine.expect_no_best_move(ms(100));
    engine.quit();
}

#[test]
fn perft_of_a_chess960_position_writes_castling_as_king_takes_rook() {
    let mut engine = Engine::ready();
    let answer = engine.tell("perft 1 4k3/8/8/8/8/8/8/5K1R w K - 0 1");
    let castling = answer.iter().filter(|line| line.starts_with("f1h1: ")).count();
    let step = answer.iter().filter(|line| line.starts_with("f1g1: ")).count();
    assert_eq!((castling, step), (1, 1), "{answer:?}");
    let answer = engine.tell("perft 1 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert!(answer.iter().any(|line| line == "e1g1: 1"), "{answer:?}");
    engine.quit();
}

#[test]
fn every_command_of_help_exists() {
    let mut engine = Engine::ready();
    let help = engine.tell("help");
    let words = help.iter().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let words: Vec<&str> = words.collect();
    assert!(words.contains(&"d") && words.contains(&"eval"), "{help:?}");
    for word in words {
        let line = match word {
            "bench" | "quit" => continue,
            "perft" => "perft 1",
            other => other,
        };
        let answer = engine.tell(line);
        assert!(
            !answer.is_empty() && !answer.iter().any(|line| line.contains("unknown command")),
            "{line}: {answer:?}"
        );
    }
    engine.quit();
}

#[test]
fn eval_prints_terms_and_scores() {
    let mut engine = Engine::ready();
    let answer = engine.tell("eval");
    for word in
        ["Classical evaluation", "Mobility", "Danger", "for White", "eval network: ", "for the side to move"]
    {
        assert!(answer.iter().any(|line| line.contains(word)), "{word}: {answer:?}");
    }
    engine.tell("position fen 8/8/4k3/8/8/3QK3/8/8 w - - 0 1");
    assert!(!engine.tell("eval").is_empty());
    engine.tell("position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    assert!(!engine.tell("eval").is_empty());
    engine.quit();
}
