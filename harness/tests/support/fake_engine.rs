//! A UCI engine that plays random legal moves and misbehaves on request.
//!
//! Usage: `fake-engine MODE [seed=N] [after=N] [ms=N] [cp=N] [long-cp=N]`. The behaviour of MODE starts at
//! its own move `after` of every game. `long-cp` is the score of searches with 1000 nodes or more. `script=FILE` contains answers: a `position` command on a line
//! of its own, followed by the output for `go`, where `!crash` and `!hang` are actions. `log=FILE`
//! receives every command; with `cpus` also the allowed processors.
//!
//! Modes: `ponder` announces the expected reply, which is that of mode `first`, the first legal
//! move. `steady` depends on the position only and takes `ms`. `counting` declares the option
//! `nodestime` and takes `ms`. In `team` the option Threads gives an exact speedup. `switches`
//! declares two on/off options: `Halve` halves the nodes, `Idle` has no effect. `weigh` reports a
//! score of one centipawn per MiB of Hash beyond 16 and takes `ms`; with `luck` it also favours one
//! side of an opening by up to eight centipawns. `greedy` exceeds limits of nodes, and `mating` stops early with
//! a mate score. `erratic` plays other moves in each process. `leaky` opens four
//! files a move and closes none. `careless`, as a mode or a further argument, ignores limits of nodes and time.
//! `unknown=WORD` makes a `go` with that limit last until `stop`. `stuck` hangs except in the position of the trial of limits.
//! `again` repeats its answer after `ms`, and `late` sends its only `info` line then. `no-ponder` announces no reply in words.
//! `mute` does not answer `isready` after a move. `dies-at=N` exits at every Nth `ucinewgame` of the process; `quits=FILE` appends
//! a line to a file `ms` after `quit`. `option=TEXT` declares another option; without a blank, `_` stands for one.
//! `bench` as the last argument prints the nodes per second of the environment variable `FAKE_NPS`, and nothing without it.

#![allow(clippy::disallowed_methods, reason = "some modes start programs")]

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::process::{Command, exit};
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position};
use stretto_harness::SplitMix64;

struct Fake {
    mode: String,
    seed: u32,
    random: SplitMix64,
    /// Own moves in a game before the misbehaviour starts.
    after: u64,
    delay: Duration,
    cp: i64,
    /// Score of searches with 1000 nodes or more.
    long_cp: i64,
    /// Mode and further arguments.
    args: Vec<String>,
    castling: CastlingMode,
    position: Chess,
    moves_made: u64,
    /// Games since the start of the process.
    games: u64,
    /// Nodes to report.
    nodes: u64,
    /// Whether a `go ponder` is in progress.
    pondering: bool,
    threads: u64,
    /// Value of the option `Halve`.
    halve: bool,
    /// Scripted answers by `position` command.
    script: HashMap<String, Vec<String>>,
    /// The last `position` command.
    setup: String,
    log: Option<File>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.last().is_some_and(|arg| arg == "bench") {
        if let Ok(nps) = std::env::var("FAKE_NPS") {
            say(&format!("1000 nodes {nps} nps"));
        }
        return;
    }
    let number = |key: &str, default: i64| {
        let text = args.iter().find_map(|arg| arg.strip_prefix(key));
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let file = |key: &str| args.iter().find_map(|arg| arg.strip_prefix(key));
    let mut fake = Fake {
        mode: args.first().cloned().unwrap_or_default(),
        seed: number("seed=", 1) as u32,
        random: SplitMix64::new(if args.iter().any(|arg| arg == "erratic") {
            u64::from(std::process::id())
        } else {
            number("seed=", 1).unsigned_abs()
        }),
        after: number("after=", 0).unsigned_abs(),
        delay: Duration::from_millis(number("ms=", 0).unsigned_abs()),
        cp: number("cp=", 0),
        long_cp: number("long-cp=", number("cp=", 0)),
        args: args.clone(),
        castling: CastlingMode::Standard,
        position: Chess::default(),
        moves_made: 0,
        games: 0,
        nodes: 100,
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
        fake.execute(&line);
    }
    if fake.mode == "orphan" {
        // Ignores the closed input too.
        std::thread::sleep(Duration::from_mins(10));
    }
}

impl Fake {
    /// Returns whether this is an argument.
    fn has(&self, arg: &str) -> bool {
        self.args.iter().any(|given| given == arg)
    }

    /// Returns the text behind this beginning of an argument.
    fn argument(&self, start: &str) -> Option<&str> {
        self.args.iter().find_map(|arg| arg.strip_prefix(start))
    }

    /// Returns whether a `go` has the limit that is unknown.
    fn does_not_know(&self, line: &str) -> bool {
        self.argument("unknown=").is_some_and(|unknown| line.split(' ').any(|word| word == unknown))
    }

    fn execute(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            let _ = log.write_all(format!("{line}\n").as_bytes());
        }
        match line.split_ascii_whitespace().next() {
            Some("uci") if self.mode == "silent" => {}
            Some("uci") if self.mode == "deaf" => {
                say("uciok");
                // The pipe fills up meanwhile.
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
                for option in self.args.iter().filter_map(|arg| arg.strip_prefix("option=")) {
                    let blank = if option.contains(' ') { " " } else { "_" };
                    say(&format!("option name {}", option.replace(blank, " ")));
                }
                say("uciok");
            }
            Some("isready") if self.mode == "mute" && self.moves_made > self.after => {
                std::thread::sleep(Duration::from_mins(10));
            }
            Some("isready") => say("readyok"),
            Some("ucinewgame") => {
                self.moves_made = 0;
                self.games += 1;
                if self.argument("dies-at=").is_some_and(|at| at.parse() == Ok(self.games)) {
                    exit(3);
                }
            }
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
                self.long_cp = self.cp;
            }
            Some("setoption") if line.ends_with("Hash value 99999999") => {
                eprintln!("no memory");
                std::process::abort();
            }
            Some("setoption") if line.ends_with("Hash value 61") => {
                (0..11).for_each(|table| say(&format!("info string table {table} is damaged")));
                say("info string option Hash: no memory");
            }
            Some("setoption") if line.ends_with("Hash value 62") => {
                say("info string option Hash: cannot allocate a hash table of 62 MiB");
            }
            Some("setoption") if line.ends_with("Hash value 63") => {
                say("info string Hash: no memory for 63 MiB, 16 are kept");
            }
            Some("position") => self.set_position(line),
            Some("go") if line.starts_with("go ponder") || self.does_not_know(line) => self.pondering = true,
            Some("stop") if self.pondering && self.has("exits-on-stop") => exit(9),
            Some("ponderhit" | "stop") if self.pondering => {
                self.pondering = false;
                self.go();
            }
            Some("go") => {
                self.keep_to_limit(line);
                self.go();
            }
            Some("quit") => {
                if let Some(path) = self.argument("quits=") {
                    std::thread::sleep(self.delay);
                    let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file");
                    file.write_all(b"learnt\n").expect("a writable file");
                }
                exit(0);
            }
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

    /// Reports the nodes of a larger limit, and uses most of a time per move, unless limits are
    /// ignored. Mode `greedy` reports nine times the nodes.
    fn keep_to_limit(&mut self, line: &str) {
        let after = |key: &str| -> Option<u64> { line.split_once(key)?.1.split(' ').next()?.parse().ok() };
        let nodes = after("go nodes ").filter(|_| !self.has("careless") && !self.has("mating"));
        self.nodes = nodes.filter(|&nodes| nodes > 200).unwrap_or(100);
        if self.mode == "greedy" {
            self.nodes = 9 * nodes.unwrap_or(100) + 1000;
        }
        if let Some(ms) = after("go movetime ").filter(|_| self.mode == "ok") {
            std::thread::sleep(Duration::from_millis(6 * ms / 10));
        }
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
            self.search_in_parallel(&choice);
            return;
        }
        let ponder = match self.mode.as_str() {
            "ponder" => self.expected(&choice),
            "no-ponder" => {
                [" ponder (none)", " ponder 0000", " ponder NULL"][self.moves_made as usize % 3].to_owned()
            }
            _ => String::new(),
        };
        let cp = if self.nodes >= 1000 { self.long_cp } else { self.cp } + self.luck();
        let nodes = self.nodes;
        let score = if self.mode == "mating" { "mate 1".to_owned() } else { format!("cp {cp}") };
        say(&format!("info depth 3 score {score} nodes {nodes} pv {choice}\nbestmove {choice}{ponder}"));
    }

    /// Returns the score bias of the side to move from the opening. Range: -8 to 8.
    fn luck(&self) -> i64 {
        let opening = self.setup.split(" moves ").next().unwrap_or_default();
        let sum = opening.bytes().fold(0, |sum, byte| (131 * sum + i64::from(byte)) % 1_000_003);
        match (self.has("luck"), self.position.turn()) {
            (false, _) => 0,
            (true, Color::White) => sum % 17 - 8,
            (true, Color::Black) => 8 - sum % 17,
        }
    }

    /// Returns the ponder move after `choice`: the first legal reply.
    fn expected(&self, choice: &str) -> String {
        let mut after = self.position.clone();
        after.play_unchecked(
            choice.parse::<UciMove>().expect("a move").to_move(&after).expect("a legal move"),
        );
        let first = after.legal_moves().first().map(|mv| mv.to_uci(self.castling).to_string());
        first.map_or_else(String::new, |first| format!(" ponder {first}"))
    }

    /// Reports three depths; the main thread's nodes are divided exactly, the total grows by a
    /// tenth per helper thread.
    fn search_in_parallel(&self, choice: &str) {
        for depth in 1..=3 {
            let alone = if self.halve { 4000 } else { 8000 } * depth;
            let (main, all) = (alone / self.threads, alone + alone / 10 * (self.threads - 1));
            say(&format!(
                "info string depth {depth} main nodes {main}\ninfo depth {depth} score cp 0 nodes {all} pv {choice}"
            ));
        }
        say(&format!("bestmove {choice}"));
    }

    /// Performs the behaviour of the mode; returns whether that was the answer.
    fn misbehave(&mut self, choice: &str) -> bool {
        match self.mode.as_str() {
            "crash" => {
                eprintln!("assertion failed: everything");
                std::process::abort();
            }
            "hang" | "orphan" => std::thread::sleep(Duration::from_mins(10)),
            "stuck" if !self.setup.contains("3r2k1/p5n1/") => std::thread::sleep(Duration::from_mins(10)),
            "again" => {
                say(&format!("bestmove {choice}"));
                std::thread::sleep(self.delay);
                say(&format!("bestmove {choice}"));
                return true;
            }
            "late" => {
                say(&format!("bestmove {choice}"));
                std::thread::sleep(self.delay);
                say(&format!("info depth 9 score cp -900 nodes 5 pv {choice}"));
                return true;
            }
            "slow" => std::thread::sleep(self.delay),
            "chatter" => chatter(self.delay),
            "flood" => {
                let line = "x".repeat(1000);
                for _ in 0..5000 {
                    eprintln!("{line}");
                }
            }
            "leaky" => {
                // As many as a game of some moves leaves behind; never closed.
                for _ in 0..4 {
                    match File::open("/dev/null") {
                        Ok(file) => std::mem::forget(file),
                        Err(error) => {
                            eprintln!("cannot open the book: {error}");
                            std::process::abort();
                        }
                    }
                }
            }
            "huge" => say(&format!("info string {}", "x".repeat(3_000_000))),
            "no-newline" => {
                let mut out = std::io::stdout().lock();
                let _ = write!(out, "bestmove {choice}").and_then(|()| out.flush());
                std::thread::sleep(Duration::from_mins(10));
            }
            "heir" => {
                // The child keeps our stdout open after our exit.
                let _child = Command::new("sleep").arg(format!("600.{}", self.seed)).spawn().expect("sleep");
                exit(7);
            }
            "runaway" => {
                // Exits once a child in its own session is running, out of reach of a kill of our
                // group.
                let time = format!("60.{}", self.seed);
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

/// Returns the answers by `position` command.
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

/// Prints a line of the script or performs its action.
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
    // One write, so that the lines arrive together. Write errors are ignored, since the harness may
    // have closed the pipe.
    let _ = out.write_all(format!("{text}\n").as_bytes()).and_then(|()| out.flush());
}
