//! Random commands, in one long valid session or in many short scripts in any order. Nothing hangs,
//! and each `go` gets one `bestmove`.

use std::time::{Duration, Instant};

use stretto::types::SplitMix64;

use crate::driver::{Engine, ms};

/// Random choices of commands and times.
struct Dice(SplitMix64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0.below(sides as u64) as usize
    }

    /// Picks a command and fills in the folder of the collections.
    fn pick_command(&mut self, choices: &[&str]) -> String {
        let data = std::env::var("STRETTO_TEST_DATA").unwrap_or_else(|_| "/no/such/folder".to_owned());
        self.pick(choices).replace("DATA/", &format!("{data}/"))
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

const POSITIONS: &[&str] = &[
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3",
    "position startpos moves f2f3 e7e5 g2g4 d8h4",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "position fen 8/8/8/8/8/4k3/4p3/4K3 w - - 98 120",
    "position fen 3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
    "position fen k7/8/1K6/8/8/8/8/7R w - - 0 1",
    "position fen 8/8/8/4k3/8/8/8/KR6 w - - 70 90",
    "position fen 8/2p5/8/KP1k4/7r/8/8/8 b - - 0 1",
    "position fen nonsense",
];

/// Sets the folder of the tables, which exists if `STRETTO_TEST_DATA` names the collections of
/// `make test-data`.
const SYZYGY: &str = "setoption name SyzygyPath value DATA/tb/syzygy";

const SETTINGS: &[&str] = &[
    "setoption name Hash value 1",
    "setoption name Hash value 32",
    "setoption name Threads value 1",
    "setoption name Threads value 2",
    "setoption name Threads value 5",
    "setoption name MultiPV value 1",
    "setoption name MultiPV value 4",
    "setoption name Clear Hash",
    "setoption name UCI_ShowWDL value true",
    "setoption name Move Overhead value 0",
    "setoption name Threads value many",
    SYZYGY,
    "setoption name SyzygyPath value <empty>",
    "setoption name SyzygyPath value /no/such/folder",
    "setoption name SyzygyPath",
    "setoption name TablePath value /no/such/folder",
    "setoption name TablePath value <empty>",
    "setoption name SyzygyProbeDepth value 3",
    "setoption name SyzygyProbeDepth value -1",
    "setoption name SyzygyProbeLimit value 7",
    "setoption name SyzygyProbeLimit value 0",
    "setoption name SyzygyProbeLimit value 8",
    "setoption name Syzygy50MoveRule value false",
    "setoption name Syzygy50MoveRule value true",
    "setoption name Syzygy50MoveRule value maybe",
    "ucinewgame",
    "joho",
];

const BOUNDED: &[&str] = &[
    "go depth 3",
    "go nodes 500",
    "go movetime 5",
    "go wtime 30 btime 30 winc 1 binc 1",
    "go mate 2 movetime 20",
    "go wtime 0 btime 0",
    "go depth x",
];

const OPEN: &[&str] = &["go infinite", "go ponder wtime 50 btime 50", "go infinite searchmoves a1a2"];

const MEANWHILE: &[&str] =
    &["isready", "d", "debug on", "debug off", "setoption name Threads value 3", "ponderhit", SYZYGY];

fn session(span: Duration, seed: u64) {
    let mut dice = Dice::new(seed);
    let mut engine = Engine::ready();
    let end = Instant::now() + span;
    let mut searches = 0_u64;
    while Instant::now() < end {
        engine.send(dice.pick(POSITIONS));
        if dice.roll(3) == 0 {
            engine.send(&dice.pick_command(SETTINGS));
        }
        if dice.roll(2) == 0 {
            engine.send(dice.pick(BOUNDED));
        } else {
            engine.send(dice.pick(OPEN));
            if dice.roll(2) == 0 {
                std::thread::sleep(ms(dice.roll(10) as u64));
            }
            if dice.roll(4) == 0 {
                engine.send(&dice.pick_command(MEANWHILE));
            }
            engine.send("stop");
        }
        engine.best_move();
        searches += 1;
        if engine.sync().iter().any(|line| line.starts_with("bestmove")) {
            engine.fail("two bestmoves for one go");
        }
    }
    assert!(searches > 0);
    println!("{searches} searches in {span:?} with seed {seed}");
    engine.quit();
}

/// Runs one process with random commands in any order. A search may end by its limit, by `stop`, by
/// the next `go`, by an option, by `quit` or by the end of input. It always prints one `bestmove`.
fn script(dice: &mut Dice) {
    let mut engine = Engine::start(&[]);
    engine.send(&format!("setoption name Threads value {}", 1 + dice.roll(8)));
    let mut searches = 0;
    for _ in 0..dice.roll(16) {
        let line = match dice.roll(8) {
            0 => dice.pick(POSITIONS).to_owned(),
            1 => dice.pick_command(SETTINGS),
            2 => dice.pick(BOUNDED).to_owned(),
            3 => dice.pick(OPEN).to_owned(),
            4 => dice.pick_command(MEANWHILE),
            5 => "ponderhit".to_owned(),
            6 => "ucinewgame".to_owned(),
            _ => "stop".to_owned(),
        };
        searches += usize::from(line.starts_with("go"));
        engine.send(&line);
        if dice.roll(4) == 0 {
            std::thread::sleep(ms(dice.roll(4) as u64));
        }
    }
    if dice.roll(2) == 0 {
        engine.send("quit");
    } else {
        engine.close_input();
    }
    let said = engine.until_end();
    let moves = said.iter().filter(|line| line.starts_with("bestmove")).count();
    if moves != searches {
        engine.fail(&format!("{searches} searches, {moves} moves"));
    }
    engine.expect_exit();
}

#[test]
fn random_session_of_three_seconds_gives_one_move_per_go() {
    session(Duration::from_secs(3), 1);
}

#[test]
fn sixty_random_scripts_give_one_move_per_go() {
    let mut dice = Dice::new(1);
    for _ in 0..60 {
        script(&mut dice);
    }
}

/// `make scripts` runs the number of scripts in `SCRIPTS`.
#[test]
#[ignore = "long; run by `make scripts`"]
fn scripts() {
    let count = std::env::var("SCRIPTS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000_u64);
    for seed in 1..=count {
        script(&mut Dice::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        if seed % 1000 == 0 {
            println!("{seed} of {count} scripts");
        }
    }
}

/// `make soak` runs for `SOAK_SECONDS`, with another seed each minute.
#[test]
#[ignore = "long; run by `make soak`"]
fn soak() {
    let seconds = std::env::var("SOAK_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60_u64);
    let end = Instant::now() + Duration::from_secs(seconds);
    for seed in 2.. {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        session(left.min(Duration::from_mins(1)), seed);
    }
}
