//! The last lines of searches that were stopped: legal, of one iteration, and without a false mate.
//!
//! The truth about mates comes from published problems and from the embedded tables, which the checked
//! searches do not use.

use std::collections::HashSet;
use std::num::NonZeroU64;

use crate::common::{Player, Random, random_positions};
use crate::data;
use stretto::position::{Game, Position};
use stretto::search::events::{LoggedBallot, Report, SearchResult};
use stretto::search::limits::Limits;
use stretto::threads::vote::{Ballot, winner};
use stretto::types::{Bound, Depth, Nodes};

/// A position, with the moves to mate where they are known: negative if the side to move is mated.
struct Problem {
    fen: String,
    mate: Option<i32>,
}

/// Reads problems from EPD lines with `dm`.
fn problems(text: &str) -> Vec<Problem> {
    let problem = |line: &str| {
        let fen = line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        let mate = line.split("dm ").nth(1)?.split(';').next()?.trim().parse().ok()?;
        Some(Problem { fen, mate: Some(mate) })
    };
    data::lines(text).filter_map(problem).collect()
}

/// Returns random endings of a queen or rook against the king, with the distance that the tables know.
fn won_endings(count: usize) -> Vec<Problem> {
    let (mut player, mut random) = (Player::new(), Random::new(7));
    player.configure(|configuration| configuration.tables.usage.has_embedded = true);
    let mut found = Vec::new();
    while found.len() < count {
        let mut squares = [' '; 64];
        for piece in ['K', ['Q', 'R'][random.below(2)], 'k'] {
            squares[random.below(64)] = piece;
        }
        let rank = |squares: &[char]| {
            let mut text: String = squares.iter().collect();
            for empty in (1..=8).rev() {
                text = text.replace(&" ".repeat(empty), &empty.to_string());
            }
            text
        };
        let ranks: Vec<String> = squares.chunks(8).map(rank).collect();
        let fen = format!("{} {} - - 0 1", ranks.join("/"), ["w", "b"][random.below(2)]);
        let Ok(position) = Position::from_fen(&fen) else { continue };
        if !position.has_legal_move() || position.occupied().count() < 3 {
            continue;
        }
        player.engine.set_game(Game::new(position));
        let known = player.search(Limits { depth: Some(Depth(1)), ..Limits::default() });
        if let Some(mate) = known.score.mate_moves() {
            found.push(Problem { fen, mate: Some(mate) });
        }
    }
    found
}

/// The counts and faults of a check.
#[derive(Debug, Default)]
struct Seen {
    lines: usize,
    exact_mates: usize,
    mate_bounds: usize,
    faults: Vec<String>,
}

/// A way to search: nodes, lines and threads, which take turns.
#[derive(Clone, Copy, Debug)]
struct Way {
    nodes: u64,
    multipv: usize,
    threads: usize,
}

impl Seen {
    /// Searches the problem and checks its last lines.
    fn check(&mut self, player: &mut Player, problem: &Problem, way: Way) {
        let position = Position::from_fen(&problem.fen).expect("a position");
        player.configure(|configuration| {
            configuration.multipv = way.multipv;
            configuration.tables.usage.has_embedded = false;
            configuration.teamwork.lockstep = NonZeroU64::new(100).filter(|_| way.threads > 1);
        });
        player.engine.new_game();
        player.engine.set_game(Game::new(position));
        let outcome = player.search(Limits { nodes: Some(Nodes(way.nodes)), ..Limits::default() });
        let reports = player.reports();
        let last = reports.iter().rposition(|report| report.multipv == 1).expect("a first line");
        let (before, lines) = reports.split_at(last);
        let is_explained = player.is_shallower_explained();
        let faults = lines.iter().flat_map(|line| faults_of_line(line, &position));
        let faults = faults.chain(faults_of_first(&lines[0], before, &outcome, problem.mate, is_explained));
        let mut faults: Vec<String> = faults.collect();
        // The lines of helpers are not reported before the last.
        if way.threads == 1 {
            faults.extend(lines.iter().filter_map(|line| faults_of_iteration(line, before)));
        }
        let note = |fault| format!("{fault}: {way:?} {} {lines:?}", problem.fen);
        self.faults.extend(faults.into_iter().map(note));
        self.lines += lines.len();
        for line in lines.iter().filter(|line| line.score.is_mate()) {
            *(if line.bound == Bound::Exact { &mut self.exact_mates } else { &mut self.mate_bounds }) += 1;
        }
    }
}

/// Checks that a line is legal, and that an exact mate is on the board at its end.
fn faults_of_line(line: &Report, root: &Position) -> Vec<String> {
    let mut position = *root;
    for &mv in &line.pv {
        if !position.is_legal(mv) {
            return vec![format!("illegal move {mv}")];
        }
        position = position.after(mv);
    }
    let Some(plies) = line.score.mate_plies().filter(|_| line.bound == Bound::Exact) else {
        return Vec::new();
    };
    let is_mate = position.is_check() && !position.has_legal_move();
    let is_complete = is_mate && line.pv.len() == usize::from(plies);
    if is_complete { Vec::new() } else { vec![format!("mate in {plies} plies, line of {}", line.pv.len())] }
}

/// Checks the first line: its move is played, its score is true, and its depth is the greatest.
fn faults_of_first(
    line: &Report,
    before: &[Report],
    outcome: &SearchResult,
    mate: Option<i32>,
    is_explained: bool,
) -> Vec<String> {
    let mut faults = Vec::new();
    if outcome.best != line.pv.first().copied() || outcome.score != line.score {
        faults.push("the first line is not that of the move played".to_owned());
    }
    let claimed = line.score.mate_moves().filter(|_| line.bound == Bound::Exact);
    if let (Some(claimed), Some(mate)) = (claimed, mate)
        && (claimed.signum() != mate.signum() || claimed.abs() < mate.abs())
    {
        faults.push(format!("mate {claimed} is false, mate {mate} is true"));
    }
    let deepest = before.iter().map(|report| report.depth).max();
    if deepest.is_some_and(|deepest| line.depth < deepest) && !is_explained {
        faults.push("less deep than a line before".to_owned());
    }
    faults
}

/// Checks that a line is as its iteration reported it. A line of the unfinished iteration was not
/// reported before.
fn faults_of_iteration(line: &Report, before: &[Report]) -> Option<String> {
    let is_exact = |report: &Report| report.bound == Bound::Exact;
    let same = |report: &&Report| {
        is_exact(report) && report.depth == line.depth && report.pv.first() == line.pv.first()
    };
    let known = before.iter().find(same).filter(|_| is_exact(line))?;
    let value = |report: &Report| (report.score, report.seldepth, report.pv.clone());
    (value(known) != value(line)).then(|| format!("not as reported at depth {}: {known:?}", line.depth.0))
}

/// Positions of reports, in which a search stopped at some point claimed a false mate, or joined a score
/// with the line of another iteration.
const REPORTED: [(&str, Option<i32>); 4] = [
    ("R1n2N2/4pk1B/2Q1r2B/2K2b2/Rr1n2P1/1q1P1PP1/4N2b/8 w - - 0 1", Some(16)),
    ("1bbN2n1/1k2R3/p6p/8/r1P4P/7P/2rpp1KB/2n4B b - - 0 1", None),
    ("1b6/5n2/2q1pP2/4p2Q/2pP1k1N/1pP1p1pP/bKN1p3/1B5n b - - 0 1", None),
    ("2rq4/3rk3/3bn1Bp/2Np1NP1/8/1p6/1K6/Bn6 b - - 0 1", None),
];

#[test]
fn interrupted_searches_claim_no_false_mate_and_mix_no_iterations() {
    let mut seen = Seen::default();
    for threads in [1, 3] {
        let mut player = Player::with_threads(threads);
        for (fen, mate) in REPORTED {
            let problem = Problem { fen: fen.to_owned(), mate };
            for (multipv, nodes) in [(1, 60), (4, 90)].into_iter().flat_map(|(multipv, step)| {
                (1..16).map(move |index| (multipv, index * index * step / 8 + index))
            }) {
                seen.check(&mut player, &problem, Way { nodes, multipv, threads });
            }
        }
    }
    assert!(seen.faults.is_empty(), "{:#?}", seen.faults);
    assert!(seen.lines > 400 && seen.exact_mates > 50, "{seen:?}");
}

/// Checks that the last lines are complete and of one iteration.
fn faults_of_block(lines: &[Report], count: usize, iteration: Depth) -> Vec<String> {
    let numbers: Vec<usize> = lines.iter().map(|line| line.multipv).collect();
    let first_moves: HashSet<_> = lines.iter().map(|line| line.pv[0]).collect();
    let faults = [
        (numbers != (1..=count).collect::<Vec<_>>(), "not one line of each number"),
        (first_moves.len() != count, "a move twice"),
        (!lines.is_sorted_by(|one, next| one.score >= next.score), "not sorted by score"),
        (lines.iter().any(|line| line.depth != iteration), "not of the iteration of the vote"),
        (lines.iter().any(|line| line.bound != Bound::Exact), "a bound"),
    ];
    faults.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, fault)| fault.to_owned()).collect()
}

#[test]
fn lines_of_a_team_are_those_of_the_elected_thread_and_of_one_iteration() {
    for threads in [1, 2, 8, 64] {
        let mut player = Player::with_threads(threads);
        player.configure(|configuration| {
            configuration.multipv = 4;
            configuration.teamwork.lockstep = NonZeroU64::new(100).filter(|_| threads > 1);
            configuration.teamwork.logs_ballots = true;
        });
        let mut helpers_elected = 0;
        for fen in random_positions(12, 8) {
            let position = Position::from_fen(&fen).expect("a position");
            player.engine.new_game();
            player.engine.set_game(Game::new(position));
            let limits = Limits { nodes: Some(Nodes(1500 * threads as u64)), ..Limits::default() };
            let outcome = player.search(limits);
            let reports = player.reports();
            let last = reports.iter().rposition(|report| report.multipv == 1).expect("a first line");
            let (before, lines) = reports.split_at(last);
            let ballots = player.ballots();
            let votes: Vec<Ballot> = ballots.iter().map(LoggedBallot::ballot).collect();
            let elected = &ballots[winner(&votes)];
            helpers_elected += usize::from(elected.thread > 0);
            assert_eq!(outcome.best, Some(elected.mv), "{fen}");
            let count = position.legal_moves().len().min(4);
            let mut faults = faults_of_block(lines, count, elected.depth);
            faults.extend(lines.iter().flat_map(|line| faults_of_line(line, &position)));
            faults.extend(faults_of_first(
                &lines[0],
                before,
                &outcome,
                None,
                player.is_shallower_explained(),
            ));
            assert!(faults.is_empty(), "{faults:?}: {threads} threads, {fen}, {lines:#?}");
        }
        assert_eq!(helpers_elected > 0, threads > 1, "{threads} threads: {helpers_elected} helpers elected");
    }
}

/// Called by `make analysis-check`. `STRETTO_TEST_DATA` adds a larger collection of mates.
#[test]
#[ignore = "takes half a minute in release builds: make analysis-check"]
fn analysis_check() {
    let mut all = problems(&data::carried("epd/mates.epd"));
    if std::env::var_os("STRETTO_TEST_DATA").is_some_and(|folder| !folder.is_empty()) {
        all = problems(&data::collected("epd/mates.epd"));
    }
    all.extend(won_endings(300));
    all.extend(random_positions(900, 11).into_iter().map(|fen| Problem { fen, mate: None }));
    for (threads, multipv, limits) in [
        (1, 1, [300, 1_000, 3_000, 10_000]),
        (1, 4, [500, 2_000, 8_000, 30_000]),
        (4, 1, [300, 1_000, 3_000, 10_000]),
    ] {
        let (mut player, mut seen) = (Player::with_threads(threads), Seen::default());
        for (index, problem) in all.iter().enumerate() {
            seen.check(&mut player, problem, Way { nodes: limits[index % limits.len()], multipv, threads });
        }
        println!(
            "{threads} threads, MultiPV {multipv}: {} last lines, {} exact mates, {} bounds of mates, {} faults",
            seen.lines,
            seen.exact_mates,
            seen.mate_bounds,
            seen.faults.len()
        );
        assert!(seen.faults.is_empty(), "{:#?}", seen.faults);
        assert!(multipv == 1 || seen.lines >= 4_000, "{}", seen.lines);
    }
}
