//! Opening books, compared to published keys and to books made by other programs.

use crate::data;
use stretto::book::{Book, BookKey, candidates};
use stretto::position::Game;

#[test]
fn keys_match_the_format_description() {
    // The nine examples of the format's description.
    for (fen, key) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463B_9618_1691_FC9C),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823C_9B50_FD11_4196),
        ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_B944_61C5_0FB0),
        ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662F_AFB9_65DB_29D4),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22A4_8B5A_8E47_FF78),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652A_607C_A3F2_42C1),
        ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00FD_D303_C946_BDD9),
        ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3C81_23EA_7B06_7637),
        ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5C3F_9B82_9B27_9560),
    ] {
        assert_eq!(BookKey::of(&Game::from_fen(fen).expect("a position")), BookKey(key), "{fen}");
    }
}

#[test]
fn keys_match_those_of_other_programs() {
    let text = data::carried("books/polyglot-keys.tsv");
    let mut count = 0;
    for line in data::lines(&text) {
        let fields: Vec<&str> = line.split('\t').collect();
        let game = Game::from_fen(fields[0]).expect("a position");
        assert_eq!(format!("{:016x}", BookKey::of(&game).0), fields[1], "{line}");
        count += 1;
    }
    assert!(count > 1000, "{count} keys");
}

#[test]
fn en_passant_key_ignores_pins_and_castling_key_ignores_the_rook_file() {
    // After 1...d5 the pawn on e5 is pinned and may not capture; the format only requires its
    // presence.
    let pinned = "4r2k/3p4/8/4P3/8/8/8/4K3 b - - 0 1";
    let mut game = Game::from_fen(pinned).expect("a position");
    let step = game.position().parse_uci("d7d5").expect("a double step");
    game.play(step);
    assert_eq!(game.position().ep_square(), None, "taking is illegal");
    let with = Game::from_fen("4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 2").expect("a position");
    let without = Game::from_fen("4r2k/8/8/3pP3/8/8/8/4K3 w - - 0 2").expect("a position");
    assert_eq!(BookKey::of(&game), BookKey::of(&with));
    assert_ne!(BookKey::of(&game), BookKey::of(&without));
    // Castling rights are hashed by wing, so those of Chess960 share the same words.
    let key = |fen| BookKey::of(&Game::from_fen(fen).expect("a position"));
    assert_ne!(key("1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"), key("1r2k3/8/8/8/8/8/8/1R2K3 w - - 0 1"));
    assert_eq!(key("4k3/8/8/8/8/8/8/RR2K3 w A - 0 1"), key("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1"));
}

#[test]
fn book_of_another_program_has_only_legal_moves_along_its_main_line() {
    let path = data::carried_path("books/oracle/maxply20-mingame1.bin");
    let book = Book::open(&path).expect("a book");
    book.check_order().expect("ascending keys");
    assert_eq!(book.len(), 1169);
    // All entries along the heaviest moves are legal. Moves without points have no weight, so the
    // line may end early.
    let mut game = Game::new(stretto::position::Position::startpos());
    let mut plies = 0;
    loop {
        let key = BookKey::of(&game);
        let moves = candidates(&book, key, game.position(), true);
        assert_eq!(moves.len(), book.find(key).count(), "ply {plies}");
        let Some(best) = moves.iter().max_by_key(|candidate| candidate.share) else { break };
        game.play(best.mv);
        plies += 1;
    }
    assert!((8..=20).contains(&plies), "{plies} plies");
}
