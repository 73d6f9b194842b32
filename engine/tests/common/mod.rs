//! Positions and helpers that the search tests share.
#![allow(dead_code, reason = "each test file uses a part of this one")]

use std::sync::{Arc, Mutex};

use stretto::bench::{Bench, Measured};
use stretto::engine::{Configuration, Engine, Mode};
use stretto::position::{FenDialect, Position};
use stretto::search::events::{Event, LoggedBallot, Report, SearchResult};
use stretto::search::limits::Limits;
use stretto::search::switches::{Class, Settings, Switch};
use stretto::types::{Depth, Mebibytes, SplitMix64};

/// A deterministic generator, so that tests use the same positions everywhere.
pub(crate) struct Random(SplitMix64);

impl Random {
    /// Returns a generator with the given seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// Returns the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Returns positions from random games: openings, middlegames and endgames, some in check.
pub(crate) fn random_positions(count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut position = Position::startpos();
        let plies = 4 + random.below(120);
        for _ in 0..plies {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // Captures are sometimes preferred, so that endgames occur.
            let captures = position.captures();
            let pool = if !captures.is_empty() && random.below(3) == 0 { captures } else { moves };
            position = position.after(pool[random.below(pool.len())]);
        }
        if position.has_legal_move() && !position.is_dead_material() && position.halfmove_clock() < 80 {
            positions.push(position.to_fen(FenDialect::Standard));
        }
    }
    positions
}

/// An engine with the events of its last search.
pub(crate) struct Player {
    pub(crate) engine: Engine,
    recorded: Arc<Mutex<Recorded>>,
}

#[derive(Default)]
struct Recorded {
    outcome: Option<SearchResult>,
    reports: Vec<Report>,
    ballots: Vec<LoggedBallot>,
    is_shallower_explained: bool,
}

impl Player {
    pub(crate) fn new() -> Self {
        let recorded = Arc::new(Mutex::new(Recorded::default()));
        let heard = Arc::clone(&recorded);
        let sink = move |event: &Event| {
            let mut heard = heard.lock().expect("no panic");
            match event {
                Event::Report(report) => heard.reports.push(report.clone()),
                Event::Ballot(ballot) => heard.ballots.push(*ballot),
                Event::ShallowerLine { .. } => heard.is_shallower_explained = true,
                Event::Done(outcome) => heard.outcome = Some(outcome.clone()),
                _ => {}
            }
        };
        Self { engine: Engine::new(Arc::new(sink)).expect("an engine"), recorded }
    }

    /// Returns a player with this number of threads.
    pub(crate) fn with_threads(threads: usize) -> Self {
        let mut player = Self::new();
        player.engine.set_threads(threads).expect("a few threads");
        player
    }

    /// Changes the settings of the next search.
    pub(crate) fn configure(&mut self, change: impl FnOnce(&mut Configuration)) {
        self.engine.configure(change).expect("memory for the network");
    }

    pub(crate) fn search(&mut self, limits: Limits) -> SearchResult {
        self.begin(limits);
        self.outcome()
    }

    /// Starts a search; [`Player::outcome`] waits for its end.
    pub(crate) fn begin(&mut self, limits: Limits) {
        self.engine.wait();
        *self.recorded.lock().expect("no panic") = Recorded::default();
        self.engine.go(limits);
    }

    pub(crate) fn outcome(&mut self) -> SearchResult {
        self.engine.wait();
        self.recorded.lock().expect("no panic").outcome.take().expect("an outcome")
    }

    /// Returns the ballots logged in the last search, in order.
    pub(crate) fn ballots(&self) -> Vec<LoggedBallot> {
        self.recorded.lock().expect("no panic").ballots.clone()
    }

    /// Whether the last search explained that its last line is less deep than one before.
    pub(crate) fn is_shallower_explained(&self) -> bool {
        self.recorded.lock().expect("no panic").is_shallower_explained
    }

    /// Returns the reports of the last search, in order.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.recorded.lock().expect("no panic").reports.clone()
    }
}

/// Returns the position with another fifty-move counter.
pub(crate) fn with_clock(fen: &str, clock: u16) -> String {
    let mut fields: Vec<&str> = fen.split_whitespace().collect();
    let clock = clock.to_string();
    fields[4] = &clock;
    fields.join(" ")
}

/// Searches each position to `depth` with one thread.
pub(crate) fn search(fens: &[String], depth: i32, configuration: Configuration) -> Measured {
    let bench = Bench { depth: Depth(depth), threads: 1, hash: Mebibytes(4), configuration };
    let fens: Vec<&str> = fens.iter().map(String::as_str).collect();
    bench.run_on(&fens, |_, _, _| {}).expect("the engine runs")
}

/// Returns a configuration with these settings and otherwise the defaults.
pub(crate) fn lab(settings: Settings) -> Configuration {
    Configuration { mode: Mode::Lab(settings), ..Configuration::default() }
}

/// Returns settings under which every driver finds the same score at a fixed depth: all unsound
/// heuristics are off, and the leaves are the same for every driver.
pub(crate) fn minimax() -> Settings {
    [Switch::Quiescence, Switch::QuiescenceSee, Switch::CheckExtension]
        .into_iter()
        .fold(Settings::default().without_class(Class::Unsound), |settings, switch| {
            settings.with(switch, true)
        })
}
