//! What one thread of a search owns, and what all threads of it share.
//!
//! A node reaches only these two: its [`Worker`] (private, built and kept by the pool's thread) and the [`Job`]
//! (frozen, shared: table, control, counters). There is nothing global.

use std::num::NonZeroU64;
use std::ops::{Index, IndexMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::driver::Driver;
use super::events::{Event, Report, Sink, Tally};
use super::heuristics::clock_damping;
use super::heuristics::correction_history::CorrectionHistory;
use super::heuristics::history::{Histories, Landing, PLIES_BACK};
use super::heuristics::killers::{CounterMoves, Killers};
use super::heuristics::tablebase::Consulted;
use super::limits::Limits;
use super::switches::{Toggles, on};
use super::timing::SoftLimit;
use crate::eval::network::Accumulators;
use crate::eval::{Evaluation, mating};
use crate::memory::{OutOfMemory, boxed, has_headroom};
use crate::position::{Game, Position};
use crate::strength::Handicap;
use crate::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use crate::tablebase::RankedMove;
use crate::threads::board::{Board, Relay};
use crate::threads::control::SearchControl;
use crate::threads::lockstep::Lockstep;
use crate::threads::stagger::{Crowd, Stagger};
use crate::threads::vote::Ballot;
use crate::time::{Budget, Pace};
use crate::tt::Table;
use crate::types::{Bitboard, Bound, Depth, Key, MAX_PLY, Move, Nodes, Ply, Score, Square};

/// An iteration is broken off; everything below the root unwinds and writes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The search is over.
    ForGood,
    /// Another worker has completed the iteration.
    Overtaken,
}

/// The expected line from one ply on.
#[derive(Clone)]
pub(crate) struct Line {
    moves: [Option<Move>; MAX_PLY],
    len: usize,
}

impl Line {
    const EMPTY: Self = Self { moves: [None; MAX_PLY], len: 0 };

    /// Nothing expected.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// The line that starts with `mv` and goes on as `rest`.
    pub(crate) fn set(&mut self, mv: Move, rest: &Self) {
        let kept = rest.len.min(MAX_PLY - 1);
        self.moves[0] = Some(mv);
        self.moves[1..=kept].copy_from_slice(&rest.moves[..kept]);
        self.len = kept + 1;
    }

    /// The moves of the line.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.moves[..self.len].iter().copied().flatten()
    }
}

/// What a worker remembers of one ply.
#[derive(Clone)]
pub(crate) struct Frame {
    /// The move being searched from here; `None` while passing.
    pub(crate) current: Option<Move>,
    /// Where that move brings its piece.
    pub(crate) landing: Landing,
    /// Where it takes something.
    pub(crate) capture: Option<Square>,
    /// The squares the opponent attacks here.
    pub(crate) threats: Bitboard,
    /// How much less deeply it is searched. Units: plies.
    pub(crate) reduction: i32,
    /// The evaluation of the node, as corrected; none in check.
    pub(crate) static_eval: Option<Score>,
    /// The move a singular search leaves out here.
    pub(crate) excluded: Option<Move>,
    /// Quiet moves that cut off here.
    pub(crate) killers: Killers,
    /// How often nodes at this ply cut off, below one node two plies up.
    pub(crate) cutoffs: u8,
    /// Extensions by more than a ply in the line to this node.
    pub(crate) doubled: u8,
}

impl Frame {
    const NEW: Self = Self {
        current: None,
        landing: Landing::NONE,
        capture: None,
        threats: Bitboard::EMPTY,
        reduction: 0,
        static_eval: None,
        excluded: None,
        killers: Killers([None; 2]),
        cutoffs: 0,
        doubled: 0,
    };
}

/// One frame a ply, with some before the root and after the last ply, so that every node may look back and ahead.
pub(crate) struct Frames {
    frames: Box<[Frame]>,
    /// The expected line from each ply; kept in PV nodes only. Apart, since they are long and seldom looked at.
    lines: Box<[Line]>,
}

impl Frames {
    /// A node looks back at the moves six plies before its parent's.
    const BEFORE: usize = 7;
    /// A node looks two plies ahead.
    const AFTER: usize = 3;

    fn new() -> Result<Self, OutOfMemory> {
        Ok(Self {
            frames: boxed(Self::BEFORE + MAX_PLY + Self::AFTER, || Frame::NEW)?,
            lines: boxed(MAX_PLY + Self::AFTER, || Line::EMPTY)?,
        })
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.frames.fill(Frame::NEW);
        self.lines.iter_mut().for_each(Line::clear);
    }

    /// The frame so many plies before `ply`; before the root nothing is known. Range: `back` up to 7.
    #[inline]
    pub(crate) fn before(&self, ply: Ply, back: usize) -> &Frame {
        &self.frames[Self::BEFORE + ply.index() - back]
    }

    /// The frame so many plies after `ply`. Range: `ahead` up to 2.
    #[inline]
    pub(crate) fn after(&mut self, ply: Ply, ahead: usize) -> &mut Frame {
        &mut self.frames[Self::BEFORE + ply.index() + ahead]
    }

    /// The expected line from `ply`.
    #[inline]
    pub(crate) fn line(&mut self, ply: Ply) -> &mut Line {
        &mut self.lines[ply.index()]
    }

    /// The line from `ply`: the move, then the line of the child.
    #[inline]
    pub(crate) fn extend_line(&mut self, ply: Ply, mv: Move) {
        let (here, below) = self.lines.split_at_mut(ply.index() + 1);
        here[ply.index()].set(mv, &below[0]);
    }

    /// The moves before `ply`, as the histories want them.
    #[inline]
    pub(crate) fn landings(&self, ply: Ply) -> [Landing; PLIES_BACK.len()] {
        PLIES_BACK.map(|back| self.before(ply, back).landing)
    }
}

impl Index<Ply> for Frames {
    type Output = Frame;

    #[inline]
    fn index(&self, ply: Ply) -> &Frame {
        self.before(ply, 0)
    }
}

impl IndexMut<Ply> for Frames {
    #[inline]
    fn index_mut(&mut self, ply: Ply) -> &mut Frame {
        self.after(ply, 0)
    }
}

/// A score of a root move, and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) score: Score,
    pub(crate) bound: Bound,
}

impl Known {
    /// Not searched, or no better than another move.
    pub(crate) const NOTHING: Self = Self { score: Score(-Score::INFINITE.0), bound: Bound::Upper };

    /// Is there a score?
    pub(crate) fn is_something(self) -> bool {
        self.score > Self::NOTHING.score
    }
}

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// The greater the better by the endgame tables; the search chooses among equals only.
    pub(crate) rank: i32,
    /// What the tables say it is worth, if they do.
    pub(crate) tabled: Option<Score>,
    /// What the running iteration says.
    pub(crate) known: Known,
    /// What the last completed iteration said, or a bound that the running one has proved since.
    pub(crate) previous: Known,
    pub(crate) seldepth: u16,
    /// Spent on it in all iterations of this search.
    pub(crate) nodes: u64,
    pub(crate) pv: Vec<Move>,
}

impl RootMove {
    /// A move that nothing is known of yet but what the tables say.
    pub(crate) fn new(ranked: &RankedMove) -> Self {
        Self {
            mv: ranked.mv,
            rank: ranked.rank,
            tabled: ranked.score,
            known: Known::NOTHING,
            previous: Known::NOTHING,
            seldepth: 0,
            nodes: 0,
            pv: vec![ranked.mv],
        }
    }

    /// What to tell of the move, if the search says `known`: what the tables say is certain, but a mate that the search
    /// has found says more than that there is one.
    pub(crate) fn told(&self, known: Known) -> Known {
        match self.tabled {
            Some(score) if score.is_mate() => Known { score, bound: Bound::Exact },
            Some(score)
                if known.score.is_mate()
                    && known.score.is_lost() == score.is_lost()
                    && score != Score::DRAW =>
            {
                known
            }
            Some(score) => Known { score, bound: Bound::Exact },
            None => known,
        }
    }
}

/// Histories for one who had some and lent them for good.
fn histories_at_hand() -> Arc<Histories> {
    Arc::new(Histories::new().expect("as much memory as the ones before had"))
}

/// The state one thread owns.
pub struct Worker {
    /// 0 is the main worker.
    pub(crate) id: usize,
    /// Nodes entered in this search.
    pub(crate) nodes: u64,
    /// Positions that the endgame tables knew.
    pub(crate) table_hits: u64,
    /// What it counts besides, in the laboratory.
    pub(crate) tally: Tally,
    /// Publish, and look at the node limit, when `nodes` gets here.
    pub(crate) poll_at: u64,
    pub(crate) seldepth: u16,
    /// The iteration being searched.
    pub(crate) iteration: Depth,
    /// The last iteration completed.
    pub(crate) completed: Depth,
    pub(crate) root_moves: Vec<RootMove>,
    /// Keys of the positions before the current node, those of the game first.
    pub(crate) keys: Vec<Key>,
    pub(crate) frames: Frames,
    /// Its own histories, for teams that do not share them.
    histories: Option<Arc<Histories>>,
    pub(crate) counter_moves: CounterMoves,
    /// Its own corrections, for teams that do not share them; there once they were needed.
    corrections: Option<Arc<CorrectionHistory>>,
    /// What the network has summed up along the line.
    accumulators: Accumulators,
    /// Nobody passes before this ply: a null move cutoff is being verified.
    pub(crate) null_move_from: Ply,
}

impl Worker {
    /// The state of worker `id`, with room for networks of so many neurons; call it on the thread that will use it.
    ///
    /// Errors: there is no memory for it, or none would be left to search with.
    pub fn new(id: usize, hidden: usize) -> Result<Self, OutOfMemory> {
        let mut worker = Self {
            id,
            nodes: 0,
            table_hits: 0,
            tally: Tally::default(),
            poll_at: 0,
            seldepth: 0,
            iteration: Depth::ZERO,
            completed: Depth::ZERO,
            root_moves: Vec::new(),
            keys: Vec::new(),
            frames: Frames::new()?,
            histories: Some(Arc::new(Histories::new()?)),
            counter_moves: CounterMoves::new(),
            corrections: None,
            accumulators: Accumulators::new(),
            null_move_from: Ply::ROOT,
        };
        worker.make_room(hidden)?;
        Ok(worker)
    }

    /// Makes room for what networks of so many neurons sum up.
    ///
    /// Errors: there is no memory for it, or none would be left to search with.
    pub(crate) fn make_room(&mut self, hidden: usize) -> Result<(), OutOfMemory> {
        self.accumulators.make_room(hidden)?;
        has_headroom()
    }

    /// Forgets all games.
    pub fn clear(&mut self) {
        // In place: memory that is given back and asked for again costs a fault a page.
        match self.histories.as_mut().map(Arc::get_mut) {
            Some(Some(own)) => own.clear(),
            _ => self.histories = None,
        }
        self.counter_moves.clear();
        self.corrections = None;
    }

    /// The histories a job is searched with.
    pub(crate) fn histories(&mut self, toggles: impl Toggles, job: &Job) -> Arc<Histories> {
        if let Some(shared) = &job.histories {
            return Arc::clone(shared);
        }
        let own = self.histories.get_or_insert_with(histories_at_hand);
        if on!(toggles, LowPlyHistory) {
            own.start_search();
        }
        Arc::clone(own)
    }

    /// The corrections a job is searched with.
    pub(crate) fn corrections(&mut self, job: &Job) -> Arc<CorrectionHistory> {
        let own = || Arc::new(CorrectionHistory::new());
        Arc::clone(job.corrections.as_ref().unwrap_or_else(|| self.corrections.get_or_insert_with(own)))
    }

    /// Makes ready for a job. The history of earlier searches of the same game is kept.
    pub(crate) fn prepare(&mut self, job: &Job) {
        self.nodes = 0;
        self.table_hits = 0;
        self.tally = Tally::default();
        self.poll_at = 0;
        self.completed = Depth::ZERO;
        self.keys.clear();
        self.keys.extend_from_slice(job.game.keys());
        self.root_moves.clear();
        self.root_moves.extend(job.root_moves.iter().map(RootMove::new));
        self.frames.clear();
        self.null_move_from = Ply::ROOT;
    }

    /// Leaves the tree, wherever in it an iteration was broken off.
    pub(crate) fn unwind(&mut self, job: &Job) {
        self.keys.truncate(job.game.keys().len());
        self.frames.clear();
        self.null_move_from = Ply::ROOT;
    }

    /// Takes what another worker found to be best for its own.
    pub(crate) fn adopt(&mut self, line: &RootMove) {
        let Some(index) = self.root_moves.iter().position(|own| own.mv == line.mv) else { return };
        self.root_moves[..=index].rotate_right(1);
        let nodes = self.root_moves[0].nodes;
        self.root_moves[0] = RootMove { nodes, ..line.clone() };
    }

    /// What the worker says when the votes are counted.
    pub(crate) fn ballot(&self) -> Option<Ballot> {
        let best = self.root_moves.first()?;
        // Without a score there is no say either, whatever the depth.
        let depth = if best.known.is_something() { self.completed } else { Depth::ZERO };
        Some(Ballot { mv: best.mv, score: best.known.score, depth })
    }
}

/// How far a worker is, on a cache line of its own: one worker writes it, anyone reads it.
///
/// Relaxed throughout: these are statistics, nothing is ordered by them; one writer, so no read-modify-write.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Counter {
    nodes: AtomicU64,
    table_hits: AtomicU64,
    iteration: AtomicI32,
}

impl Counter {
    /// Publishes the nodes entered so far, and the positions that the endgame tables knew.
    pub(crate) fn set(&self, nodes: u64, table_hits: u64) {
        self.nodes.store(nodes, Ordering::Relaxed);
        self.table_hits.store(table_hits, Ordering::Relaxed);
    }

    /// Publishes which iteration is being searched.
    pub(crate) fn begin(&self, iteration: Depth) {
        self.iteration.store(iteration.0, Ordering::Relaxed);
    }

    fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    fn iteration(&self) -> Depth {
        Depth(self.iteration.load(Ordering::Relaxed))
    }
}

/// What a worker has to say when the votes are counted.
#[derive(Clone)]
pub(crate) struct Findings {
    pub(crate) ballot: Option<Ballot>,
    /// The best root moves, as many as MultiPV asks for.
    pub(crate) lines: Vec<RootMove>,
}

/// How the threads of a search work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Teamwork {
    /// Which iterations helpers leave out.
    pub stagger: Stagger,
    /// The length of a turn where the threads take turns; without it they all run. Units: nodes.
    pub turn: Option<NonZeroU64>,
    /// How many threads complete an iteration for all?
    pub relay: Relay,
    /// Do all threads learn and use the same histories?
    pub shares_histories: bool,
    /// Do all threads learn and use the same corrections of the evaluation?
    pub shares_corrections: bool,
    /// Does each helper start its iterations with a window of another width?
    pub varies_windows: bool,
    /// Are the reductions of helpers a little off, each time otherwise?
    pub varies_reductions: bool,
    /// Does the main worker think longer where helpers would play another move?
    pub stops_by_agreement: bool,
    /// Is the move chosen by vote? Otherwise the main worker's is played.
    pub is_voting: bool,
}

impl Default for Teamwork {
    fn default() -> Self {
        Self {
            stagger: Stagger::default(),
            turn: None,
            relay: Relay::Off,
            shares_histories: false,
            shares_corrections: true,
            varies_windows: false,
            varies_reductions: false,
            stops_by_agreement: true,
            is_voting: true,
        }
    }
}

/// One search, as all its workers see it. Nothing in it changes but atomics and what the workers publish.
pub struct Job {
    pub(crate) game: Game,
    pub(crate) limits: Limits,
    /// The moves to choose from: legal, in `searchmoves` if there are any, and as good as any by the endgame tables. Best
    /// rank first.
    pub(crate) root_moves: Vec<RankedMove>,
    /// The endgame tables.
    pub(crate) consulted: Consulted,
    pub(crate) table: Arc<Table>,
    /// Which moves did well, where the workers share what they know of it.
    pub(crate) histories: Option<Arc<Histories>>,
    /// How wrong the evaluation was, likewise.
    pub(crate) corrections: Option<Arc<CorrectionHistory>>,
    pub(crate) control: Arc<SearchControl>,
    pub(crate) counters: Box<[Counter]>,
    pub(crate) driver: Driver,
    pub(crate) evaluation: Evaluation,
    /// How many of the best moves are searched in full.
    pub(crate) multipv: usize,
    /// How many of them are told of.
    pub(crate) shown: usize,
    /// What makes it weaker, where it is to be.
    pub(crate) handicap: Option<Handicap>,
    pub(crate) teamwork: Teamwork,
    /// The turns its workers take, where they do.
    pub(crate) lockstep: Option<Lockstep>,
    /// An analysis wants the line even where only one move is possible.
    pub(crate) is_analysis: bool,
    pub(crate) started: Instant,
    /// How fast the clock runs, if it counts nodes.
    pub(crate) pace: Option<Pace>,
    pub(crate) budget: Option<Budget>,
    /// What the main worker has made of the budget's soft limit.
    pub(crate) soft_limit: Arc<SoftLimit>,
    /// When it must be over; the alarm of the timekeeper is set to it where it is a time.
    pub(crate) deadline: Option<Deadline>,
    pub(crate) sink: Arc<dyn Sink>,
    /// By worker: what its last completed iteration found.
    pub(crate) board: Board<Findings>,
    /// Workers that have not left the search yet.
    pub(crate) running: AtomicUsize,
}

impl Job {
    /// Nodes all workers have published.
    pub(crate) fn nodes(&self) -> Nodes {
        Nodes(self.counters.iter().map(Counter::nodes).sum())
    }

    /// Positions that the endgame tables knew, as far as the workers have published it.
    fn table_hits(&self) -> u64 {
        let below: u64 = self.counters.iter().map(|counter| counter.table_hits.load(Ordering::Relaxed)).sum();
        self.consulted.root_hits + below
    }

    /// How many workers other than `worker` search this depth or a greater one.
    pub(crate) fn crowd(&self, worker: usize, depth: Depth) -> Crowd {
        let is_there = |(id, counter): &(usize, &Counter)| *id != worker && counter.iteration() >= depth;
        let at_or_above = self.counters.iter().enumerate().filter(is_there).count();
        Crowd { at_or_above, threads: self.counters.len() }
    }

    /// Tells the sink the line at `index` of a worker's root moves, and what is known of it.
    pub(crate) fn report(&self, depth: Depth, index: usize, line: &RootMove, known: Known, tally: Tally) {
        if index >= self.shown || !self.sink.wants_reports() {
            return;
        }
        let known = line.told(known);
        self.sink.event(&Event::Report(Report {
            depth,
            seldepth: line.seldepth,
            multipv: index + 1,
            score: known.score,
            bound: known.bound,
            nodes: self.nodes(),
            main_nodes: Nodes(self.counters[0].nodes()),
            tally,
            elapsed: self.elapsed(),
            hashfull: self.table.hashfull(),
            table_hits: self.table_hits(),
            pv: line.pv.clone(),
        }));
    }

    /// Posts what a worker found, for the count of votes and the relay.
    pub(crate) fn publish(&self, worker: &Worker) {
        let lines = worker.root_moves.iter().take(self.multipv).cloned().collect();
        self.board.post(worker.id, worker.completed, Findings { ballot: worker.ballot(), lines });
    }

    /// Has the alarm failed to ring in time, or have all nodes been spent?
    fn is_overdue(&self) -> bool {
        let is_past = |deadline| match deadline {
            Deadline::At(moment) => moment <= Instant::now(),
            Deadline::After(nodes) => nodes <= self.nodes(),
        };
        !self.control.is_pondering() && self.deadline.is_some_and(is_past)
    }

    /// Time since `go`.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What has gone from the clock since `go`: time, or that which the published nodes stand for.
    pub(crate) fn spent(&self) -> Duration {
        self.pace.map_or_else(|| self.elapsed(), |pace| pace.time(self.nodes()))
    }
}

/// When a search must be over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// At this moment.
    At(Instant),
    /// After so many nodes of all workers together, which stand for time.
    After(Nodes),
}

/// A worker at work: the context every node function is a method of.
pub(crate) struct Search<'a, T: Toggles> {
    pub(crate) toggles: T,
    pub(crate) job: &'a Job,
    pub(crate) worker: &'a mut Worker,
    /// Which moves did well: the team's experience or the worker's own.
    pub(crate) histories: &'a Histories,
    /// How wrong the evaluation was, likewise.
    pub(crate) corrections: &'a CorrectionHistory,
}

/// How far apart the reductions of helpers may be. Units: 1/1024 ply.
const REDUCTION_NOISE: u64 = 256;
/// How far the noise of a helper is ahead of that of the one before.
const NOISE_STEP: u64 = 53;
/// Nodes between two times that a worker publishes its count.
const POLL_INTERVAL: u64 = 1024;
/// The same at the least, where a node limit is watched by many workers: each look costs a counter a worker.
const LEAST_POLL_INTERVAL: u64 = 64;
/// The first iteration is finished whatever the clock says, unless it takes more nodes than this: some hundreds are usual,
/// but where each side has nine queens there is no end to the captures.
const FIRST_ITERATION_NODES: u64 = 5_000;

impl<T: Toggles> Search<'_, T> {
    /// Is this the worker that talks and says when enough is enough?
    pub(crate) fn is_main(&self) -> bool {
        self.worker.id == 0
    }

    /// Counts a node, or says that the search is over.
    #[inline]
    pub(crate) fn enter_node(&mut self, ply: Ply) -> Result<(), Stopped> {
        if self.worker.nodes >= self.worker.poll_at {
            self.poll()?;
        }
        if self.job.control.should_stop() && !self.must_finish_first_iteration() {
            return Err(Stopped::ForGood);
        }
        self.worker.nodes += 1;
        self.worker.seldepth = self.worker.seldepth.max(ply.0);
        Ok(())
    }

    /// Lets the others know what was counted.
    pub(crate) fn publish_counts(&self) {
        self.job.counters[self.worker.id].set(self.worker.nodes, self.worker.table_hits);
    }

    /// A `go` is always answered with a searched move: the main worker finishes its first iteration.
    #[cold]
    fn must_finish_first_iteration(&self) -> bool {
        let is_out_of_nodes = self.job.limits.nodes.is_some_and(|limit| self.job.nodes() >= limit);
        self.is_main()
            && self.worker.completed == Depth::ZERO
            && self.worker.nodes < FIRST_ITERATION_NODES
            && !is_out_of_nodes
    }

    /// The depth that a relay has completed, this worker's or a greater one, and which worker.
    pub(crate) fn overtaken(&self) -> Option<(Depth, usize)> {
        self.job.board.completed(self.worker.iteration).filter(|_| self.job.multipv == 1)
    }

    /// Publishes the node count, and compares the sum with the limit, and the clock with the deadline.
    #[cold]
    #[inline(never)]
    fn poll(&mut self) -> Result<(), Stopped> {
        let nodes = self.worker.nodes;
        self.publish_counts();
        if self.is_main() && self.job.is_overdue() {
            self.job.control.stop();
        }
        let interval = self.job.lockstep.as_ref().map_or(POLL_INTERVAL, |lockstep| lockstep.turn().get());
        if let Some(lockstep) = self.job.lockstep.as_ref().filter(|_| nodes > 0) {
            lockstep.pass(self.worker.id);
        }
        self.worker.poll_at = nodes + interval;
        if let Some(Deadline::After(Nodes(last))) = self.job.deadline {
            // The nearer the end, the closer it is watched.
            let left = last.saturating_sub(self.job.nodes().0);
            self.worker.poll_at = nodes + left.clamp(LEAST_POLL_INTERVAL.min(interval), interval);
        }
        if let Some(Nodes(limit)) = self.job.limits.nodes {
            let total = self.job.nodes().0;
            if total >= limit {
                // Each for itself, and not a stop for all: a search held by `infinite` or `ponder` may not report
                // yet, and a main worker that has to wait for its turn must not leave the others running.
                return Err(Stopped::ForGood);
            }
            // What is left is shared out, in small grains, so that all together overshoot by no more than one for each of
            // the others, who may have as much that they have not told; alone, or while it has the turn, a worker meets the
            // limit to the node.
            let is_alone = self.job.lockstep.is_some();
            let threads = if is_alone { 1 } else { self.job.counters.len() as u64 };
            let grain = (interval / threads).max(LEAST_POLL_INTERVAL.min(interval));
            self.worker.poll_at = nodes + (limit - total).div_ceil(threads).min(grain);
        }
        if self.overtaken().is_some() {
            return Err(Stopped::Overtaken);
        }
        Ok(())
    }

    /// What keeps a helper from reducing just as the others do. Units: 1/1024 ply. Range: `±REDUCTION_NOISE / 2`; zero
    /// for the main worker, so that one thread repeats itself whatever the team does.
    #[inline]
    pub(crate) fn reduction_noise(&self) -> i32 {
        if self.is_main() || !self.job.teamwork.varies_reductions {
            return 0;
        }
        let phase = self.worker.nodes.wrapping_add(NOISE_STEP * self.worker.id as u64);
        (phase % REDUCTION_NOISE) as i32 - REDUCTION_NOISE as i32 / 2
    }

    /// The static evaluation of a node as the search takes it: damped by the clock, and corrected by experience.
    #[inline]
    pub(crate) fn judged(&self, raw: Score, correction: i32, position: &Position) -> Score {
        (clock_damping::damped(self.toggles, raw, position) + correction).clamp_to_eval()
    }

    /// The static evaluation of a node, before anything else is known of it.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position, ply: Ply) -> Score {
        match &self.job.evaluation {
            Evaluation::Network(network) => mating::evaluate(position)
                .unwrap_or_else(|| self.worker.accumulators.evaluate(network, position, ply)),
            other => other.evaluate(position),
        }
    }
}
