//! The UCI loop: reads lines, calls the engine and prints lines.
//!
//! Input is read at all times: a search never blocks the loop; `perft`, `bench` and changes of
//! memory or tables do. The process ends with `quit` or the end of input. Invalid input is reported
//! with an `info string` and changes nothing.

use std::fmt::Write;
use std::io::{self, BufRead};
use std::sync::Arc;

use super::format::{self, Dialect};
use super::options::OptionTable;
use super::output::Output;
use super::parse::{Command, Parsed, parse};
use super::parse_go::GoLimits;
use super::parse_line::{Line, LineReader, MAX_LINE};
use super::parse_position::{Base, PositionSpec};
use super::state::SessionState;
use crate::bench::{Bench, BenchError};
use crate::engine::{Configuration, Mode, StartError};
use crate::eval::network::Kernels;
use crate::eval::{Evaluation, classical};
use crate::machine::control_group::processor_quota;
use crate::machine::huge_pages::HugePages;
use crate::position::{self, FenError, Game, MoveTextError, Position};
use crate::search::limits::Limits;
use crate::search::switches::Settings;
use crate::search::time::Clock;
use crate::sync::coherence;
use crate::types::{Color, Square};

/// The answer to `help`.
const EXTENSIONS: &str = "\
Commands beyond UCI (`uci` lists the options):
  d                                print the board, its FEN and its key
  eval                             print the terms of the classical evaluation, and the score of each evaluation
  bench [DEPTH] [THREADS] [HASH]   search fixed positions; the node count of one thread is the signature
  perft DEPTH [FEN]                count the leaves of the move tree, by first move; also `go perft DEPTH`
  system                           print the machine, the memory nodes and the hash table's huge pages
  help                             print this list";

/// Reason why a `position` is refused. The engine keeps the position before.
#[derive(Debug, thiserror::Error)]
enum PositionError {
    #[error("position: {0}; the previous position stays")]
    Fen(#[from] FenError),
    #[error("position: move {number}: {source}; the previous position stays")]
    Move { number: usize, source: MoveTextError },
}

/// A UCI session: its state, and the options that change it.
pub(super) struct Session {
    state: SessionState,
    options: OptionTable,
}

impl Session {
    /// Creates a session that prints to `output`. With `is_lab` every switch and tunable of the
    /// search is an option.
    pub(super) fn new(output: Output, is_lab: bool) -> Result<Self, StartError> {
        let dialect = Dialect { shows_counters: is_lab, ..Dialect::default() };
        let mut state = SessionState::new(output, dialect)?;
        if is_lab {
            state.engine.configure(|configuration| configuration.mode = Mode::Lab(Settings::default()))?;
        }
        let options = OptionTable::new(&state, is_lab);
        Ok(Self { state, options })
    }

    /// Prints the lines about the program and its machine.
    pub(super) fn introduce_system(&self, commit: Option<&str>) {
        for line in describe(commit, self.state.engine.threads()) {
            self.state.output.note(&line);
        }
    }

    /// Prints the lines about the machine, the places of the threads and the hash table.
    fn describe_system(&self) {
        let engine = &self.state.engine;
        let [_, machine] = describe(None, engine.threads());
        for line in [machine, engine.describe_places(), engine.describe_table()] {
            self.state.output.note(&line);
        }
        if coherence::IS_ON {
            // The nodes of a search count once its last thread has left it.
            engine.stop_and_wait();
            self.state.output.note(&coherence::with(|directory| directory.to_string()));
        }
    }

    /// Executes commands until `quit` or the end of input, then stops a running search.
    pub(super) fn run(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = LineReader::new(input);
        loop {
            let parsed = match lines.next_line()? {
                Line::End => break,
                Line::TooLong => {
                    self.state.output.note(&format!("line dropped: it is longer than {MAX_LINE} bytes"));
                    continue;
                }
                Line::Text(text) => {
                    self.state.output.log_input(&text);
                    parse(&text)
                }
            };
            match parsed {
                Ok(None) => {}
                Ok(Some(Parsed { command: Command::Quit, .. })) => break,
                Ok(Some(Parsed { command, warnings })) => {
                    for warning in &warnings {
                        self.state.output.note(warning);
                    }
                    self.execute(command);
                }
                Err(error) => self.state.output.note(&error),
            }
        }
        self.state.engine.stop_and_wait();
        Ok(())
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                self.state.engine.prepare();
                self.state.output.line("readyok");
            }
            Command::UciNewGame => self.state.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(spec) => match self.set_up(&spec) {
                Ok(game) => self.state.engine.set_game(game),
                Err(error) => self.state.output.note(&error),
            },
            Command::Go(limits) => self.go(&limits),
            Command::Stop => self.state.engine.stop(),
            Command::PonderHit => self.state.engine.ponderhit(),
            Command::System => self.describe_system(),
            Command::Help => self.state.output.line(EXTENSIONS),
            Command::Display => self.state.output.line(&draw_board(self.state.engine.game().position())),
            Command::Eval => self.evaluate(),
            Command::Perft { depth, fen } => self.perft(depth, fen.as_deref()),
            Command::Bench { depth, threads, hash } => {
                let default = Configuration::default();
                // The search and evaluation of this session; other options would change the signature.
                let configuration = Configuration {
                    strength: None,
                    multipv: default.multipv,
                    tables: default.tables,
                    is_analysis: false,
                    ..self.state.engine.configuration().clone()
                };
                let bench = Bench::of(configuration, depth, threads, hash);
                self.state.engine.stop_and_wait();
                if let Err(error) = run_bench(&bench, &self.state.output) {
                    self.state.output.note(&format!("bench: {error}"));
                }
            }
            // No registration and no debug output exist; `run` handles `quit`.
            Command::Register | Command::Debug | Command::Quit => {}
        }
    }

    fn introduce(&self) {
        self.state.output.line(&format!(
            "id name Stretto {}\nid author the Stretto developers\n{}uciok",
            env!("CARGO_PKG_VERSION"),
            self.options.declare()
        ));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        if let Err(error) = self.options.set(name, value, &mut self.state) {
            self.state.output.note(&error);
        }
    }

    /// Returns the game that a `position` command describes.
    fn set_up(&self, spec: &PositionSpec) -> Result<Game, PositionError> {
        let mut game = match &spec.base {
            Base::StartPos => Game::new(Position::startpos()),
            Base::Fen(fen) => {
                let is_chess960 = self.state.dialect.lock().is_chess960;
                read_fen(fen, "position", is_chess960, &self.state.output)?
            }
        };
        for (index, text) in spec.moves.iter().enumerate() {
            let parsed = game.position().parse_uci(text);
            let mv = parsed.map_err(|source| PositionError::Move { number: index + 1, source })?;
            game.play(mv);
        }
        Ok(game)
    }

    fn go(&mut self, asked: &GoLimits) {
        let limits = self.limits(asked);
        self.state.renew_strength_seed();
        if self.state.engine.lacks_book(&limits) {
            self.state.output.note(&"OwnBook: no book is loaded; set Book File");
        }
        self.state.engine.go(limits);
    }

    /// Returns the limits of a `go` in the current position. Illegal `searchmoves` are reported and
    /// dropped.
    fn limits(&self, asked: &GoLimits) -> Limits {
        let position = self.state.engine.game().position();
        let mut searchmoves = Vec::new();
        for text in &asked.searchmoves {
            match position.parse_uci(text) {
                Ok(mv) => searchmoves.push(mv),
                Err(error) => self.state.output.note(&format!("go searchmoves: {error}")),
            }
        }
        if searchmoves.is_empty() && !asked.searchmoves.is_empty() {
            self.state.output.note(&"go searchmoves: none of the moves is legal, searching all");
        }
        let white = (asked.wtime, asked.winc);
        let black = (asked.btime, asked.binc);
        let (own, other) = match position.side_to_move() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        // If the GUI sends only the opponent's clock, it is used for both.
        let (remaining, increment) = if own.0.is_some() { own } else { other };
        let clock = remaining.map(|remaining| Clock {
            remaining,
            increment: increment.unwrap_or_default(),
            moves_to_go: asked.movestogo,
            move_number: position.fullmove_number(),
        });
        Limits {
            depth: asked.depth,
            first_depth: None,
            nodes: asked.nodes,
            soft_nodes: None,
            mate: asked.mate,
            movetime: asked.movetime,
            clock,
            infinite: asked.infinite || !(asked.is_bounded() || asked.ponder),
            ponder: asked.ponder,
            searchmoves,
        }
    }

    fn evaluate(&self) {
        let position = self.state.engine.game().position();
        if position.is_check() {
            return self.state.output.note(&"eval: no static evaluation in check");
        }
        match classical::trace(position) {
            Some(trace) => self.state.output.line(&format!("Classical evaluation\n{}", trace.breakdown())),
            None => self.state.output.note(&"eval: mating a bare king is evaluated without terms"),
        }
        let network = self.state.network.iter().map(|network| Evaluation::Network(Arc::clone(network)));
        for evaluation in network.chain([Evaluation::Classical, Evaluation::Material]) {
            let score = evaluation.evaluate(position);
            let name = evaluation.kind().name();
            self.state.output.note(&format!("eval {name}: {} for the side to move", format::score(score)));
        }
    }

    fn perft(&self, depth: u32, fen: Option<&str>) {
        let position = match fen.map(|fen| read_fen(fen, "perft", true, &self.state.output)) {
            None => *self.state.engine.game().position(),
            Some(Ok(game)) => *game.position(),
            Some(Err(error)) => return self.state.output.note(&format!("perft: {error}")),
        };
        let dialect = *self.state.dialect.lock();
        run_perft(&position, depth, dialect, &self.state.output);
    }
}

/// Reads a FEN for a command. Each part that is dropped has a note. Without `is_chess960` castling rights of other
/// kings and rooks than those of standard chess are dropped too.
pub(super) fn read_fen(
    fen: &str,
    command: &str,
    is_chess960: bool,
    output: &Output,
) -> Result<Game, FenError> {
    let parsed = Position::parse_fen(fen)?;
    for note in parsed.notes() {
        output.note(&format!("{command}: {note}"));
    }
    let game = Game::from(parsed);
    if is_chess960 || game.position().with_standard_castling_only() == *game.position() {
        return Ok(game);
    }
    output.note(&format!(
        "{command}: dropped castling rights that need UCI_Chess960; set it to true and send the position again"
    ));
    Ok(game.with_standard_castling_only())
}

/// Returns the board as text, rank 8 first, with labels, FEN, key and checkers.
fn draw_board(position: &Position) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    for rank in (0..8).rev() {
        let _ = write!(text, "{} ", rank + 1);
        for file in 0..8 {
            let piece = position.piece_on(Square::from_index(8 * rank + file));
            text.push(' ');
            text.push(piece.map_or('.', crate::types::Piece::to_char));
        }
        text.push('\n');
    }
    text.push_str("\n   a b c d e f g h\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    format!("{text}\nFen: {position}\nKey: {}\nCheckers: {}", position.key(), checkers.join(" "))
}

/// Prints the number of leaves below each move, then the sum.
pub(super) fn run_perft(position: &Position, depth: u32, dialect: Dialect, output: &Output) {
    let counts = position::divide(position, depth);
    for (mv, nodes) in &counts {
        output.line(&format!("{}: {nodes}", dialect.mv(*mv)));
    }
    let total: u64 = if depth == 0 { 1 } else { counts.iter().map(|(_, nodes)| nodes).sum() };
    output.line(&format!("\nNodes searched: {total}"));
}

/// Runs a bench and prints one line per position, then the signature.
pub(super) fn run_bench(bench: &Bench, output: &Output) -> Result<(), BenchError> {
    let measured = bench.run(|index, fen, outcome| {
        let best = outcome.best.map_or_else(|| "(none)".into(), |mv| mv.to_string());
        let score = format::score(outcome.score);
        output.line(&format!("{:2}  {best:6} {score:9} {:>10}  {fen}", index + 1, outcome.nodes.0));
    })?;
    // Not the last line, which OpenBench reads.
    if let Some((speed, cpu)) = measured.nodes_per_cpu_second().zip(measured.cpu) {
        output.line(&format!(
            "{speed} per CPU second ({:.2} s of {:.2} s)",
            cpu.as_secs_f64(),
            measured.elapsed.as_secs_f64()
        ));
    }
    output.line(&format!("{} nodes {} nps", measured.nodes.0, measured.nps()));
    Ok(())
}

/// Returns the lines: version and commit, network kernels, threads and huge pages.
pub(super) fn describe(commit: Option<&str>, threads: usize) -> [String; 2] {
    let commit = commit.map_or_else(String::new, |commit| format!(", commit {commit}"));
    let count = |number: usize, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let quota = processor_quota()
        .map_or_else(String::new, |quota| format!(" (limited to the time of {quota:.2} by a control group)"));
    [
        format!("Stretto {}{commit}", env!("CARGO_PKG_VERSION")),
        format!(
            "{} network kernels, {} on {}{quota}, {}",
            Kernels::best().name(),
            count(threads, "thread"),
            count(num_cpus::get(), "processor"),
            HugePages::of_this_system()
        ),
    ]
}
