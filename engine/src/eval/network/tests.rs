//! All ways to evaluate a position agree: the definition, every kernel, and every base of an
//! incremental update.

use std::sync::Arc;

use super::features::PIECE_FEATURES;
use super::*;
use crate::position::Position;
use crate::types::{MAX_PLY, Move, Ply, Score, SplitMix64};

/// A generator of random weights and moves.
struct Random(SplitMix64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn within(&mut self, limit: i16) -> i16 {
        (self.0.next_u64() % (2 * limit as u64 + 1)) as i16 - limit
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u64() % limit as u64) as usize
    }
}

fn weights(hidden: usize, seed: u64) -> Weights {
    let mut random = Random::new(seed);
    let mut many = |count: usize, limit| (0..count).map(|_| random.within(limit)).collect::<Vec<_>>();
    let (rows, biases) = (many(FEATURES * hidden, 120), many(hidden, 200));
    // Within the limit of the sum even if all neurons have their maximum activation.
    let outputs = many(BUCKETS * 2 * hidden, if hidden <= 128 { 127 } else { 30 });
    Weights {
        rows,
        biases,
        outputs,
        output_biases: std::array::from_fn(|bucket| 1000 * bucket as i32 - 3000),
        scale: 400,
        manifest: *b"random weights!!",
    }
}

/// Evaluates by the definition, without any optimisation.
fn reference_evaluation(weights: &Weights, position: &Position) -> Score {
    let hidden = weights.hidden();
    let bucket = bucket(position.occupied().count() as usize);
    let mut total = 0_i64;
    for (half, side) in [position.side_to_move(), !position.side_to_move()].into_iter().enumerate() {
        let view = View::of(side, position.king(side));
        for neuron in 0..hidden {
            let mut sum = i64::from(weights.biases[neuron]);
            for square in position.occupied() {
                let Some(piece) = position.piece_on(square) else { continue };
                let feature = usize::from(view.feature(side, piece, square));
                sum += i64::from(weights.rows[feature * hidden + neuron]);
            }
            let active = sum.clamp(0, 255);
            total += active * active * i64::from(weights.outputs[(2 * bucket + half) * hidden + neuron]);
        }
    }
    let sum = total / 255 + i64::from(weights.output_biases[bucket]);
    Score((sum * i64::from(weights.scale) / (255 * 64)) as i32).clamp_to_eval()
}

/// A move of a random game.
struct Visit<'a> {
    before: &'a Position,
    mv: Move,
    position: &'a Position,
    /// The ply after the move.
    ply: Ply,
    /// Whether to evaluate the position: a search does not evaluate every node.
    is_evaluated: bool,
}

impl Visit<'_> {
    /// Notes the move, and evaluates the position where that is due.
    fn evaluate(&self, accumulators: &mut Accumulators, network: &Arc<Network>) -> Option<Score> {
        let parent = Ply(self.ply.0 - 1);
        if parent == Ply::ROOT {
            accumulators.begin(self.before);
        }
        accumulators.note_move(self.before, self.mv, parent);
        self.is_evaluated.then(|| accumulators.evaluate(network, self.position, self.ply))
    }
}

/// Visits the positions of random games that are to be evaluated.
fn visit_positions(seed: u64, steps: usize, mut visit: impl FnMut(&Position)) {
    visit_random_games(seed, steps, |visited| {
        if visited.is_evaluated {
            visit(visited.position);
        }
    });
}

/// Visits the moves of random games, in an order like that of a search: sometimes back some plies
/// and on with another move.
fn visit_random_games(seed: u64, steps: usize, mut visit: impl FnMut(Visit<'_>)) {
    let mut random = Random::new(seed);
    let mut line = vec![Position::startpos()];
    for _ in 0..steps {
        let position = line[line.len() - 1];
        let moves = position.legal_moves();
        let is_over = moves.is_empty() || position.is_dead_material() || line.len() > MAX_PLY;
        if is_over || random.below(8) == 0 {
            // Sometimes a new game, otherwise another branch.
            let keep = if is_over { 1 + random.below(2) } else { 1 + random.below(line.len()) };
            line.truncate(keep);
            continue;
        }
        let mv = moves[random.below(moves.len())];
        let next = position.after(mv);
        line.push(next);
        let (ply, is_evaluated) = (Ply((line.len() - 1) as u16), random.below(3) > 0);
        visit(Visit { before: &position, mv, position: &next, ply, is_evaluated });
    }
}

#[test]
fn scalar_kernel_agrees_with_the_definition() {
    for hidden in [64, 128, 192, 512] {
        let weights = weights(hidden, hidden as u64);
        let network = Network::new(&weights).expect("a sound network").with_kernels(Kernels::scalar());
        visit_positions(7, 300, |position| {
            assert_eq!(network.evaluate(position), reference_evaluation(&weights, position), "{position}");
        });
    }
}

#[test]
fn all_kernels_agree_with_the_scalar_kernel() {
    // Miri needs seconds for each position.
    let cases: &[_] = if cfg!(miri) { &[(64, 10)] } else { &[(64, 160_000), (192, 3000), (512, 1000)] };
    for &(hidden, steps) in cases {
        let weights = weights(hidden, hidden as u64);
        let network = Network::new(&weights).expect("a sound network");
        let scalar = network.clone().with_kernels(Kernels::scalar());
        let others: Vec<_> = Kernels::available()
            .into_iter()
            .skip(1)
            .map(|kernels| network.clone().with_kernels(kernels))
            .collect();
        let mut positions = 0;
        visit_positions(17, steps, |position| {
            positions += 1;
            let expected = scalar.evaluate(position);
            for network in &others {
                assert_eq!(network.evaluate(position), expected, "{} {position}", network.kernels().name());
            }
        });
        assert!(positions > steps / 2, "{positions}");
    }
}

#[test]
fn incremental_evaluation_equals_full_evaluation() {
    let weights = weights(64, 5);
    let scalar = Network::new(&weights).expect("a sound network").with_kernels(Kernels::scalar());
    for kernels in Kernels::available() {
        let network = Arc::new(Network::new(&weights).expect("a sound network").with_kernels(kernels));
        let mut accumulators = Accumulators::new();
        let mut evaluated = 0;
        visit_random_games(11, 30_000, |visit| {
            let Some(value) = visit.evaluate(&mut accumulators, &network) else { return };
            let position = visit.position;
            assert_eq!(value, scalar.evaluate(position), "{} {position}", kernels.name());
            evaluated += 1;
        });
        assert!(evaluated > 10_000, "{evaluated}");
    }
}

#[test]
fn incremental_evaluation_is_exact_forwards_and_backwards_through_games() {
    let weights = weights(64, 6);
    let network = Arc::new(Network::new(&weights).expect("a sound network"));
    let scalar = Network::new(&weights).expect("a sound network").with_kernels(Kernels::scalar());
    let mut accumulators = Accumulators::new();
    let mut random = Random::new(23);
    for _ in 0..1000 {
        let mut line = vec![Position::startpos()];
        accumulators.begin(&line[0]);
        while line.len() <= 120 {
            let position = line[line.len() - 1];
            let ply = Ply((line.len() - 1) as u16);
            let moves = position.legal_moves();
            // A null move now and then.
            if random.below(20) == 0 && !position.is_check() {
                accumulators.note_null_move(ply);
                line.push(position.after_null());
                continue;
            }
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            accumulators.note_move(&position, mv, ply);
            line.push(position.after(mv));
        }
        // First in large steps, where the last sums are far away, then all: in half of the games
        // forwards, in the others backwards.
        let there = line.iter().enumerate();
        let mut order: Vec<_> = there.clone().step_by(7).chain(there).collect();
        if random.below(2) == 0 {
            order.reverse();
        }
        for (ply, position) in order {
            let value = accumulators.evaluate(&network, position, Ply(ply as u16));
            assert_eq!(value, scalar.evaluate(position), "{position}");
        }
    }
}

#[test]
fn changing_the_network_resets_the_accumulators() {
    let [one, other] =
        [1, 2].map(|seed| Arc::new(Network::new(&weights(64, seed)).expect("a sound network")));
    let larger = Arc::new(Network::new(&weights(128, 3)).expect("a sound network"));
    let mut accumulators = Accumulators::new();
    let mut turn = 0;
    visit_random_games(3, 2000, |visit| {
        let network = [&one, &other, &larger][turn % 3];
        turn += 1;
        if let Some(value) = visit.evaluate(&mut accumulators, network) {
            assert_eq!(value, network.evaluate(visit.position));
        }
    });
}

#[test]
fn mirrored_positions_evaluate_equally() {
    let network = Network::new(&weights(64, 9)).expect("a sound network");
    let value = |fen| network.evaluate(&Position::from_fen(fen).expect("a position"));
    assert_eq!(
        value("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
        value("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1")
    );
    assert_eq!(value("4k3/8/8/3q4/8/8/1P6/1K6 w - - 0 1"), value("3k4/8/8/4q3/8/8/6P1/6K1 w - - 0 1"));
}

#[test]
fn weights_survive_encoding_and_decoding() {
    let weights = weights(64, 1);
    assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights));
}

#[test]
fn weights_of_a_file_with_one_king_bucket_count_for_all() {
    let hidden = 64;
    let mut weights = weights(hidden, 1);
    let one = 768 * hidden;
    weights.rows = weights.rows[..one].repeat(KING_BUCKETS);
    let whole = weights.to_bytes();
    let mut bytes = [&whole[..64 + 2 * one], &whole[64 + 2 * KING_BUCKETS * one..]].concat();
    bytes[12] = 1;
    let checksum = file::checksum(&bytes);
    bytes[file::CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
    assert_eq!(Weights::from_bytes(&bytes), Ok(weights));
}

#[test]
fn damaged_files_are_rejected_with_the_position() {
    let whole = weights(64, 1).to_bytes();
    let read = |bytes: &[u8]| Weights::from_bytes(bytes).map(|_| ()).unwrap_err();
    assert_eq!(read(b""), Fault::Magic);
    assert_eq!(read(b"MZ"), Fault::Magic);
    assert_eq!(read(&whole[..7]), Fault::Header { length: 7 });
    assert_eq!(read(&whole[..63]), Fault::Header { length: 63 });
    for length in [64, 65, whole.len() / 2, whole.len() - 1] {
        let (expected, found) = (whole.len(), length);
        assert_eq!(read(&whole[..length]), Fault::Length { hidden: 64, expected, found });
    }
    // Every byte without a check of its own is covered by the checksum.
    for offset in [32, 40, 55, 56, 63, 64, 1000, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[offset] ^= 4;
        assert!(matches!(read(&bytes), Fault::Checksum { .. }), "byte {offset}");
    }
    let mut bytes = whole.clone();
    bytes[8] = 2;
    assert_eq!(read(&bytes).to_string(), "at byte 8: the version is 2, expected 1");
    let mut bytes = whole.clone();
    bytes[12] = 3;
    assert_eq!(read(&bytes).to_string(), "at byte 12: the number of king buckets is 3, expected 1 or 4");
    let mut bytes = whole;
    bytes[16] = 65;
    assert_eq!(
        read(&bytes).to_string(),
        "at byte 16: the number of hidden neurons is 65, expected a multiple of 64 up to 4096"
    );
}

#[test]
fn networks_that_could_overflow_are_rejected() {
    let sound = weights(64, 1);
    let fault = |change: fn(&mut Weights)| {
        let mut weights = sound.clone();
        change(&mut weights);
        Network::new(&weights).map(|_| ()).unwrap_err()
    };
    let is_hidden = |fault: &Fault| matches!(fault, Fault::HiddenOverflow { neuron: 3, .. });
    assert!(is_hidden(&fault(|weights| weights.biases[3] = i16::MAX)));
    assert!(is_hidden(&fault(|weights| weights.biases[3] = i16::MIN)));
    assert!(is_hidden(&fault(|weights| (0..768).for_each(|row| weights.rows[64 * row + 3] = 2000))));
    assert_eq!(
        fault(|weights| weights.outputs[130] = -129),
        Fault::OutputWeight { bucket: 1, neuron: 2, weight: -129 }
    );
    let mut widest = sound.clone();
    widest.outputs[130] = -128;
    assert!(Network::new(&widest).is_ok());
    let mut fullest = sound.clone();
    fullest.rows.iter_mut().skip(3).step_by(64).for_each(|weight| *weight = 0);
    fullest.biases[3] = i16::MAX;
    assert!(Network::new(&fullest).is_ok());
    assert!(matches!(
        fault(|weights| weights.output_biases[5] = i32::MAX),
        Fault::OutputOverflow { bucket: 5, .. }
    ));
    assert_eq!(fault(|weights| weights.scale = 0), Fault::Scale(0));
    // Weights of both signs: their sums are 0.985 of the limit each.
    let mut wide = weights(256, 1);
    wide.outputs[..512].fill(127);
    assert!(matches!(Network::new(&wide), Err(Fault::OutputOverflow { bucket: 0, sum: 4_228_185_600 })));
    wide.outputs[256..512].fill(-127);
    assert!(Network::new(&wide).is_ok());
    assert!(matches!(fault(|weights| weights.rows.truncate(9)), Fault::Shape { .. }));
    assert!(matches!(fault(|weights| weights.biases.truncate(9)), Fault::Shape { .. }));
}

/// The built-in network is valid and values a queen.
#[test]
fn embedded_network_loads_once_and_values_a_queen() {
    let network = Network::embedded().unwrap();
    assert!(Arc::ptr_eq(&network, &Network::embedded().unwrap()));
    let value = |fen: &str| network.evaluate(&Position::from_fen(fen).unwrap()).0;
    let level = value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(level.abs() < 100, "{level}");
    let ahead = value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(ahead > 500, "{ahead}");
    assert_eq!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1"), ahead);
}

/// The scores of the embedded network, by its output bucket and the area of the king of the side to move.
/// A new network has new scores, which a failure prints.
#[test]
fn embedded_network_has_exact_scores() {
    let network = Network::embedded().unwrap();
    let (mut buckets, mut areas, mut failed) = ([false; BUCKETS], [false; KING_BUCKETS], Vec::new());
    for (fen, expected) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 18),
        ("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 17),
        ("r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7", 15),
        ("r2q1rk1/pp1nbppp/2p1pn2/3p1b2/2PP1B2/2N1PN2/PP2BPPP/R2Q1RK1 b - - 3 9", 3),
        ("2kr3r/ppqnbppp/2p1pn2/8/3P4/2N1BN2/PPPQ1PPP/2KR3R w - - 6 14", 21),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", -89),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10", 23),
        ("2r2rk1/pp1q1ppp/2n1p3/3p4/3P4/2PBP3/P1Q2PPP/1R3RK1 w - - 1 18", 51),
        ("3r2k1/pp3ppp/2n1p3/8/3P4/2P1B3/P4PPP/3R2K1 b - - 0 24", 3),
        ("8/pp3kpp/2n1p3/5p2/3P4/2P1B2P/P3KPP1/8 w - - 2 30", 1),
        ("8/5pk1/6p1/8/1R3P2/6P1/r4PK1/8 w - - 0 40", 121),
        ("8/8/1p1k4/1P1P4/3K4/8/8/7R b - - 5 60", -1082),
        ("6k1/5p2/6p1/8/7p/8/6PP/6K1 b - - 0 1", 145),
        ("8/1p3kpp/2n1p3/8/3P4/4B2P/4KPP1/8 w - - 2 30", -16),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 300),
        ("8/2k5/8/8/8/3QK3/8/8 b - - 9 70", -1378),
        ("r5k1/1b3ppp/p3p3/1p1pP3/3P1P2/1PnB1K2/P5PP/2R1R3 w - - 4 25", 316),
        ("1k1r3r/pp2qp2/2p1b1p1/3pP2p/3P3P/P1PQ1NP1/1P3PK1/R3R3 b - - 0 21", -84),
        ("8/1R3pk1/4p1p1/3pP2p/r2P1P1P/6P1/5K2/8 w - - 7 44", -57),
        ("3k4/3p4/3P4/4K3/8/8/8/8 w - - 0 90", 94),
    ] {
        let position = Position::from_fen(fen).unwrap();
        buckets[bucket(position.occupied().count() as usize)] = true;
        let side = position.side_to_move();
        let (king, view) = (position.king(side), View::of(side, position.king(side)));
        areas[usize::from(view.feature(side, position.piece_on(king).unwrap(), king)) / PIECE_FEATURES] =
            true;
        let score = network.evaluate(&position).0;
        if score != expected {
            failed.push(format!("(\"{fen}\", {score}),"));
        }
    }
    assert_eq!((buckets, areas), ([true; BUCKETS], [true; KING_BUCKETS]));
    assert!(failed.is_empty(), "other scores:\n{}", failed.join("\n"));
}
