//! Checks of the file formats against the crates `viriformat` and `bulletformat` of other engines.

use std::io::BufReader;

use stretto::position::Position;
use viriformat::dataformat::{Filter as OtherFilter, Game as OtherGame};

use super::games::{GameReader, PlayedGame};
use super::sample::{Filter, SAMPLE, Sample};
use stretto_harness::base::random::SplitMix64;

/// Starts with castling rights on several files, an en passant square, and promotions near.
const STARTS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
    "1rkr1bqn/pppppppp/8/8/8/8/PPPPPPPP/1RKR1BQN b DBdb - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1pP1P3/2N2Q1p/PP1BBPPP/R3K2R b KQkq c3 0 9",
    "4k2r/P4pp1/8/4P3/8/1p6/2p5/4K3 b k - 3 41",
];

/// Returns a game of random legal moves with random scores.
fn random_game(start: &str, random: &mut SplitMix64) -> PlayedGame {
    let start = Position::from_fen(start).unwrap();
    let mut position = start;
    let mut moves = Vec::new();
    for _ in 0..150 {
        let legal = position.legal_moves();
        if legal.is_empty() || position.occupied().count() < 3 {
            break;
        }
        let mv = legal[random.below(legal.len() as u64) as usize];
        moves.push((mv, random.below(6001) as i16 - 3000));
        position = position.after(mv);
    }
    PlayedGame { start, moves, half_points: random.below(3) as u8 }
}

fn random_games() -> Vec<PlayedGame> {
    let mut random = SplitMix64::new(20261125);
    (0..50).map(|index| random_game(STARTS[index % STARTS.len()], &mut random)).collect()
}

/// Returns the encoding of a sample up to the bytes that are our own.
fn bullet_bytes(board: bulletformat::ChessBoard) -> Vec<u8> {
    let mut bytes = board.occ().to_le_bytes().to_vec();
    bytes.extend(board.pcs);
    bytes.extend(board.score.to_le_bytes());
    bytes.extend([board.result, board.our_ksq(), board.opp_ksq()]);
    bytes
}

#[test]
fn viriformat_reads_and_writes_the_same_games() {
    let mut bytes = Vec::new();
    for game in random_games() {
        game.write(&mut bytes).unwrap();
    }
    let mut reader = BufReader::new(&bytes[..]);
    let mut written = Vec::new();
    for game in random_games() {
        // With debug assertions the crate also checks that each move is legal.
        let other = OtherGame::deserialise_from(&mut reader, Vec::new()).unwrap();
        assert_eq!(other.len(), game.moves.len());
        let mut positions = Vec::new();
        other.visit_positions(|board, score| positions.push((board.to_string(), score)));
        let mut position = game.start;
        for (&(mv, score), (board, other_score)) in game.moves.iter().zip(positions) {
            let own: Vec<String> = position.to_string().split(' ').take(2).map(str::to_owned).collect();
            assert_eq!(board.split(' ').take(2).collect::<Vec<_>>(), own);
            assert_eq!(other_score, i32::from(score));
            position = position.after(mv);
        }
        other.serialise_into(&mut written).unwrap();
    }
    assert!(written == bytes, "viriformat writes the same bytes");
    let again: Result<Vec<_>, _> = GameReader::new(&written[..]).collect();
    assert_eq!(again.unwrap(), random_games());
}

#[test]
fn samples_equal_those_of_bulletformat() {
    let all = Filter { min_ply: 0, max_score: 32_000, skip_checks: false, skip_noisy: false };
    let quiet = Filter { min_ply: 0, max_score: 1999, skip_checks: true, skip_noisy: true };
    let unfiltered = OtherFilter {
        min_ply: 0,
        min_pieces: 0,
        max_eval: 32_001,
        filter_tactical: false,
        filter_check: false,
        filter_castling: false,
        max_eval_incorrectness: u32::MAX,
        random_fen_skipping: false,
        wdl_filtered: false,
        material_count_filtered: false,
        ..OtherFilter::default()
    };
    let filtered =
        OtherFilter { max_eval: 2000, filter_tactical: true, filter_check: true, ..unfiltered.clone() };
    for (filter, other_filter) in [(all, unfiltered), (quiet, filtered)] {
        let mut samples = 0;
        for game in random_games() {
            let mut bytes = Vec::new();
            game.write(&mut bytes).unwrap();
            let other = OtherGame::deserialise_from(&mut BufReader::new(&bytes[..]), Vec::new()).unwrap();
            let mut expected = Vec::new();
            let keep = |board| {
                expected.push(bullet_bytes(board));
                Ok(())
            };
            other.splat_to_bulletformat(keep, &other_filter).unwrap();
            let own: Vec<Vec<u8>> = Sample::of_game(&game, &filter)
                .map(|sample| sample.to_bytes()[..SAMPLE - 3].to_vec())
                .collect();
            assert_eq!(own, expected, "{}", game.start);
            samples += own.len();
        }
        assert!(samples > 1000, "{samples}");
    }
}
