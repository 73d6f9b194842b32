//! Kernels: small fixed parts of the engine's work, timed by the benches and counted by `make
//! instructions`.

use std::sync::Arc;

use stretto::bench::POSITIONS;
use stretto::engine::{Configuration, Solo};
use stretto::eval::classical;
use stretto::eval::network::{Accumulators, BUCKETS, FEATURES, Network, Weights};
use stretto::position::{Game, Position, perft};
use stretto::search::limits::Limits;
use stretto::tt::{Record, TranspositionTable};
use stretto::types::{Bound, Depth, Key, Mebibytes, Move, Ply, Score};

/// A position with every kind of move.
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
/// Moves of a game between engines, with quiet moves, captures, and castling of both sides.
const GAME: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6b8 d2d4 b8d7 \
b1d2 c8b7 b3c2 f8e8 a2a4 e7f8 b2b4 d7b6 a4a5 b6d7 c1b2 d8b8 a1b1 h7h6 d4e5 d6e5 c3c4 b5c4 d2c4 b7e4 c2e4 f6e4 e1e4";
/// Hidden neurons of the timed network.
const HIDDEN: usize = 128;
/// Number of probes and stores per run.
const ACCESSES: u64 = 10_000;
/// Depth of the search. Units: plies.
const DEPTH: i32 = 4;

/// Returns a network with random weights, which cost as much as trained ones.
pub fn random_weights(hidden: usize) -> Weights {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut many = |count: usize, limit: u64| -> Vec<i16> {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % (2 * limit + 1)) as i16 - limit as i16
        };
        (0..count).map(|_| next()).collect()
    };
    Weights {
        rows: many(FEATURES * hidden, 60),
        biases: many(hidden, 100),
        outputs: many(BUCKETS * 2 * hidden, 20),
        output_biases: [0; BUCKETS],
        scale: 400,
        manifest: [0; 16],
    }
}

/// Returns the positions of a game, each with the move played there.
pub fn line() -> Vec<(Position, Move)> {
    let mut position = Position::startpos();
    let played = |text| {
        let mv = position.parse_uci(text).expect("a legal move");
        let before = position;
        position = position.after(mv);
        (before, mv)
    };
    GAME.split(' ').map(played).collect()
}

/// Evaluates the positions of a game with incremental updates, as in a search.
pub fn walk(accumulators: &mut Accumulators, network: &Arc<Network>, line: &[(Position, Move)]) -> i32 {
    let mut sum = 0;
    accumulators.begin(&line[0].0);
    for (ply, (position, mv)) in line.iter().enumerate() {
        let ply = Ply(ply as u16);
        sum += accumulators.evaluate(network, position, ply).0;
        accumulators.note_move(position, *mv, ply);
    }
    sum
}

/// The data of the kernels, prepared once.
pub struct Kernels {
    kiwipete: Position,
    positions: Vec<Position>,
    /// The captures of each position.
    captures: Vec<Vec<Move>>,
    line: Vec<(Position, Move)>,
    network: Arc<Network>,
    accumulators: Accumulators,
    table: TranspositionTable,
    solo: Solo,
}

/// A kernel: its name and a function that runs it once. The result depends on all of the work, so
/// that none is optimised away.
pub type Kernel = (&'static str, fn(&mut Kernels) -> u64);

/// All kernels.
pub const KERNELS: [Kernel; 7] = [
    ("movegen", Kernels::movegen),
    ("make", Kernels::make),
    ("see", Kernels::see),
    ("classical", Kernels::classical),
    ("network", Kernels::network),
    ("table", Kernels::table),
    ("search", Kernels::search),
];

impl Kernels {
    pub fn new() -> Self {
        let positions: Vec<Position> =
            POSITIONS.iter().map(|fen| Position::from_fen(fen).expect("a position")).collect();
        let captures = |position: &Position| {
            position.legal_moves().into_iter().filter(|&mv| position.is_capture(mv)).collect()
        };
        Self {
            kiwipete: Position::from_fen(KIWIPETE).expect("a position"),
            captures: positions.iter().map(captures).collect(),
            positions,
            line: line(),
            network: Arc::new(Network::new(&random_weights(HIDDEN)).expect("a sound network")),
            accumulators: Accumulators::new(),
            table: TranspositionTable::new(Mebibytes(1)).expect("a table"),
            solo: Solo::new(Mebibytes(1), Configuration::default()).expect("a table"),
        }
    }

    /// Counts perft to three plies with bulk counting: move generation, and making the moves of two
    /// plies.
    fn movegen(&mut self) -> u64 {
        perft(&self.kiwipete, 3)
    }

    /// Makes every legal move of the bench positions.
    fn make(&mut self) -> u64 {
        let after = |position: &Position| {
            let moves = position.legal_moves();
            moves.into_iter().map(|mv| position.after(mv).key().0).fold(0, u64::wrapping_add)
        };
        self.positions.iter().map(after).fold(0, u64::wrapping_add)
    }

    /// Runs SEE on every capture of the bench positions.
    fn see(&mut self) -> u64 {
        let exchanged = self.positions.iter().zip(&self.captures).flat_map(|(position, captures)| {
            captures.iter().map(|&mv| u64::from(position.see_at_least(mv, Score(0))))
        });
        exchanged.sum()
    }

    fn classical(&mut self) -> u64 {
        let scores = self.positions.iter().map(|position| classical::evaluate(position).0);
        scores.sum::<i32>().unsigned_abs().into()
    }

    /// Evaluates the positions of a game with incremental updates, as in a search.
    fn network(&mut self) -> u64 {
        walk(&mut self.accumulators, &self.network, &self.line).unsigned_abs().into()
    }

    /// Probes and stores random keys in equal numbers.
    fn table(&mut self) -> u64 {
        let (mut state, mut hits) = (7_u64, 0);
        let table = self.table.view();
        for _ in 0..ACCESSES {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            hits += u64::from(table.probe(Key(state)).is_some());
            let record = Record {
                mv: None,
                score: Score((state >> 8 & 0x3FF) as i32),
                static_eval: Some(Score(10)),
                depth: Depth((state >> 20 & 15) as i32),
                bound: Bound::Lower,
                is_pv: false,
            };
            table.store(Key(state), record);
        }
        hits
    }

    /// Searches the bench positions to a small depth on one thread. The tables are cleared only
    /// once, because clearing costs more than these searches.
    fn search(&mut self) -> u64 {
        let mut nodes = 0;
        self.solo.new_game();
        for position in &self.positions {
            let limits = Limits { depth: Some(Depth(DEPTH)), ..Limits::default() };
            nodes += self.solo.search(&Game::new(*position), limits).nodes.0;
        }
        nodes
    }
}
