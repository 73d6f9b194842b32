//! A UCI engine that plays random legal moves, and misbehaves when told to.
//!
//! `fake-engine MODE [seed=N] [after=N] [ms=N] [cp=N]`: from its own move `after` of every game on it does what MODE says.
//! `script=FILE` holds answers: a `position` command on a line of its own, then what to say to `go` there, where `!crash`
//! and `!hang` are deeds. `log=FILE` gets every command that came, and with `cpus` on which
//! processors it may run. In mode `ponder` it names the answer it expects, which is that of
//! mode `first`: the first legal move. In mode `steady` the position alone decides, after `ms`. In mode `counting` it takes the option `nodestime`, and `ms`. In mode `team` the option Threads speeds it up, exactly. In
//! mode `switches` it has some that are on or off: `Halve` halves its nodes, `Idle` does nothing. In mode `weigh` it thinks its
//! game the better the more Hash it has: 0 with 16 MiB, a centipawn for each more; `ms` is its thought. With `luck` it also likes
//! either side of an opening, by up to eight centipawns.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};
use stretto_harness::openings::random::SplitMix64;

struct Fake {
    mode: String,
    seed: u32,
    random: SplitMix64,
    /// Own moves in a game before misbehaving.
    after: u64,
    delay: Duration,
    cp: i64,
    /// Does it like one side of an opening more than the other?
    has_luck: bool,
    castling: CastlingMode,
    position: Chess,
    moves_made: u64,
    /// Has it been told to think on the opponent's time?
    pondering: bool,
    threads: u64,
    /// The option of that name.
    halve: bool,
    /// What to say after which `position` command.
    script: HashMap<String, Vec<String>>,
    /// The last `position` command.
    setup: String,
    log: Option<File>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |key: &str, default: i64| {
        let text = args.iter().find_map(|arg| arg.strip_prefix(key));
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let file = |key: &str| args.iter().find_map(|arg| arg.strip_prefix(key));
    let mut fake = Fake {
        mode: args.first().cloned().unwrap_or_default(),
        seed: number("seed=", 1) as u32,
        random: SplitMix64::new(number("seed=", 1).unsigned_abs()),
        after: number("after=", 0).unsigned_abs(),
        delay: Duration::from_millis(number("ms=", 0).unsigned_abs()),
        cp: number("cp=", 0),
        has_luck: args.iter().any(|arg| arg == "luck"),
        castling: CastlingMode::Standard,
        position: Chess::default(),
        moves_made: 0,
        pondering: false,
        threads: 1,
        halve: false,
        script: file("script=").map(read_script).unwrap_or_default(),
        setup: String::new(),
        log: file("log=").map(|path| OpenOptions::new().create(true).append(true).open(path).expect("a log")),
    };
    if let Some(log) = fake.log.as_mut().filter(|_| args.iter().any(|arg| arg == "cpus")) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let cpus =
            status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or_default();
        let _ = log.write_all(format!("cpus {}\n", cpus.trim()).as_bytes());
    }
    if fake.mode == "exit-at-start" {
        eprintln!("no licence");
        exit(3);
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        fake.obey(&line);
    }
    if fake.mode == "orphan" {
        // Deaf to the closed input as well.
        std::thread::sleep(Duration::from_mins(10));
    }
}

impl Fake {
    fn obey(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = log.write_all(format!("{line}\n").as_bytes());
        }
        match line.split_ascii_whitespace().next() {
            Some("uci") if self.mode == "silent" => {}
            Some("uci") if self.mode == "deaf" => {
                say("uciok");
                // The pipe fills up behind its back.
                std::thread::sleep(Duration::from_mins(10));
            }
            Some("uci") => {
                say(if self.mode == "rude" { "id name <script>alert(1)</script>" } else { "id name Fake" });
                say("id author nobody\noption name Hash type spin default 16 min 1 max 64\n\
                 option name Threads type spin default 1 min 1 max 8\n\
                 option name Ponder type check default false\n\
                 option name UCI_Chess960 type check default false");
                if self.mode == "counting" {
                    say("option name nodestime type spin default 0 min 0 max 10000");
                }
                if self.mode == "switches" {
                    say(
                        "option name Halve type check default false\noption name Idle type check default true",
                    );
                }
                say("uciok");
            }
            Some("isready") => say("readyok"),
            Some("ucinewgame") => self.moves_made = 0,
            Some("setoption") if line.contains("UCI_Chess960 value true") => {
                self.castling = CastlingMode::Chess960;
            }
            Some("setoption") if line.starts_with("setoption name Halve value ") => {
                self.halve = line.ends_with("true");
            }
            Some("setoption") if line.starts_with("setoption name Threads value ") => {
                self.threads = line.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
            }
            Some("setoption") if self.mode == "weigh" && line.starts_with("setoption name Hash value ") => {
                let hash: i64 = line.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
                self.cp = hash - 16;
            }
            Some("setoption") if line.ends_with("Hash value 63") => {
                say("info string Hash: no memory for 63 MiB, 16 are kept");
            }
            Some("position") => self.set_position(line),
            Some("go") if line.starts_with("go ponder") => self.pondering = true,
            Some("ponderhit" | "stop") if self.pondering => {
                self.pondering = false;
                self.go();
            }
            Some("go") => self.go(),
            Some("quit") => exit(0),
            _ => {}
        }
    }

    fn set_position(&mut self, line: &str) {
        line.clone_into(&mut self.setup);
        let (setup, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let fen: Fen = setup.strip_prefix("position fen ").expect("a FEN").parse().expect("a good FEN");
        let mut position: Chess = fen.into_position(self.castling).expect("a legal position");
        for text in moves.split_ascii_whitespace() {
            let played = text.parse::<UciMove>().expect("a move").to_move(&position).expect("a legal move");
            position.play_unchecked(played);
        }
        self.position = position;
    }

    fn go(&mut self) {
        if let Some(answer) = self.script.get(&self.setup) {
            for line in answer {
                perform(line);
            }
            return;
        }
        let moves = self.position.legal_moves();
        let pick = match self.mode.as_str() {
            "first" => 0,
            "weigh" | "counting" => {
                std::thread::sleep(self.delay);
                0
            }
            "steady" => {
                std::thread::sleep(self.delay);
                let Zobrist64(hash) = self.position.zobrist_hash(EnPassantMode::Legal);
                (hash.rotate_left(self.seed) % moves.len() as u64) as usize
            }
            _ => self.random.below(moves.len() as u64) as usize,
        };
        let choice = moves[pick].to_uci(self.castling).to_string();
        let misbehaves = self.moves_made >= self.after;
        self.moves_made += 1;
        if misbehaves && self.misbehave(&choice) {
            return;
        }
        if self.mode == "team" || self.mode == "switches" {
            self.work_together(&choice);
            return;
        }
        let ponder = if self.mode == "ponder" { self.expected(&choice) } else { String::new() };
        let cp = self.cp + self.luck();
        say(&format!("info depth 3 score cp {cp} nodes 100 pv {choice}\nbestmove {choice}{ponder}"));
    }

    /// What the side to move has of its opening. Range: -8 to 8.
    fn luck(&self) -> i64 {
        let opening = self.setup.split(" moves ").next().unwrap_or_default();
        let sum = opening.bytes().fold(0, |sum, byte| (131 * sum + i64::from(byte)) % 1_000_003);
        match (self.has_luck, self.position.turn()) {
            (false, _) => 0,
            (true, Color::White) => sum % 17 - 8,
            (true, Color::Black) => 8 - sum % 17,
        }
    }

    /// The first answer to `choice`, as `bestmove` says it: right now and then.
    fn expected(&self, choice: &str) -> String {
        let mut after = self.position.clone();
        after.play_unchecked(
            choice.parse::<UciMove>().expect("a move").to_move(&after).expect("a legal move"),
        );
        let first = after.legal_moves().first().map(|mv| mv.to_uci(self.castling).to_string());
        first.map_or_else(String::new, |first| format!(" ponder {first}"))
    }

    /// Three depths; the main thread's nodes are shared out exactly, all threads' grow by a tenth for each helper.
    fn work_together(&self, choice: &str) {
        for depth in 1..=3 {
            let alone = if self.halve { 4000 } else { 8000 } * depth;
            let (main, all) = (alone / self.threads, alone + alone / 10 * (self.threads - 1));
            say(&format!(
                "info string depth {depth} main nodes {main}\ninfo depth {depth} score cp 0 nodes {all} pv {choice}"
            ));
        }
        say(&format!("bestmove {choice}"));
    }

    /// Does what the mode says; was that the answer?
    fn misbehave(&mut self, choice: &str) -> bool {
        match self.mode.as_str() {
            "crash" => {
                eprintln!("assertion failed: everything");
                std::process::abort();
            }
            "hang" | "orphan" => std::thread::sleep(Duration::from_mins(10)),
            "slow" => std::thread::sleep(self.delay),
            "chatter" => chatter(self.delay),
            "flood" => {
                let line = "x".repeat(1000);
                for _ in 0..5000 {
                    eprintln!("{line}");
                }
            }
            "huge" => say(&format!("info string {}", "x".repeat(3_000_000))),
            "no-newline" => {
                let mut out = std::io::stdout().lock();
                let _ = write!(out, "bestmove {choice}").and_then(|()| out.flush());
                std::thread::sleep(Duration::from_mins(10));
            }
            "heir" => {
                // The child holds our stdout open after our own end.
                let _child = Command::new("sleep").arg(format!("20.{}", self.seed)).spawn().expect("sleep");
                exit(7);
            }
            "runaway" => {
                // The same out of reach of whoever ends our group, once it sleeps.
                let time = format!("20.{}", self.seed);
                let child = Command::new("setsid").args(["sleep", &time]).spawn().expect("setsid");
                let line = format!("/proc/{}/cmdline", child.id());
                while !std::fs::read(&line).is_ok_and(|line| line.starts_with(b"sleep")) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                exit(7);
            }
            "garbage" => {
                let mut out = std::io::stdout().lock();
                let _ =
                    out.write_all(b"\xff\x00\xfe bestmov e2e4\r\ninfo score cp x depth\nbest move e2e4\n");
                let _ = out.flush();
                return true;
            }
            answer => {
                match answer {
                    "illegal" => say("bestmove a1a1"),
                    "rude" => {
                        say("info string <script>alert(2)</script>\nbestmove <script>alert(3)</script>");
                    }
                    "null" => say("bestmove 0000"),
                    "empty" => say("bestmove"),
                    "twice" => say(&format!("bestmove {choice}\nbestmove h1h8")),
                    _ => return false,
                }
                return true;
            }
        }
        false
    }
}

/// Answers by `position` command.
fn read_script(path: &str) -> HashMap<String, Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a script");
    let mut script = HashMap::new();
    let mut answer: &mut Vec<String> = &mut Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("position ") {
            answer = script.entry(line.to_owned()).or_default();
        } else {
            answer.push(line.to_owned());
        }
    }
    script
}

/// Says a line of the script, or does what it stands for.
fn perform(line: &str) {
    match line {
        "!crash" => {
            eprintln!("assertion failed: everything");
            std::process::abort();
        }
        "!hang" => std::thread::sleep(Duration::from_mins(10)),
        text => say(text),
    }
}

fn chatter(time: Duration) {
    let start = Instant::now();
    let mut out = std::io::stdout().lock();
    while start.elapsed() < time {
        for number in 0..100 {
            let _ = writeln!(out, "info depth 1 currmove e2e4 currmovenumber {number}");
        }
        let _ = out.flush();
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    // One write, so that lines said together arrive together. The harness may have closed the pipe; then there is
    // nobody to tell.
    let _ = out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush());
}
