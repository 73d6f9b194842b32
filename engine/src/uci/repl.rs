//! The loop: lines in, engine calls, lines out.
//!
//! Input is read at all times, also during a search (not during `perft` and `bench`, which run here); nothing a user
//! sends ends the process but `quit` and the end of input. What cannot be understood is answered with an `info string`
//! and changes nothing.

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;

use super::book;
use super::format::{self, Dialect, Pawn};
use super::lab::Lab;
use super::options::EMBEDDED;
use super::transcript::{Speaker, Transcript};
use super::{
    Base, Command, GoLimits, Line, LineReader, OptionId, OptionTable, OptionValue, Parsed, PositionSpec,
    parse, tables,
};
use crate::bench::{Bench, BenchError};
use crate::engine::{Engine, Mode, StartError};
use crate::eval::network::Network;
use crate::eval::{EvalType, Evaluation, classical};
use crate::memory::OutOfMemory;
use crate::position::{self, FenError, Game, MoveTextError, Position};
use crate::search::events::Event;
use crate::search::limits::Limits;
use crate::strength::{self, Strength};
use crate::sync::Mutex;
use crate::threads::pinning::Pinning;
use crate::time::{Clock, Pace};
use crate::types::{Color, Mebibytes, Millis, Square, seed_or_chance};

/// What `help` says.
const EXTENSIONS: &str = "\
Beside UCI, of which `uci` lists the options:
  d                                the board, its FEN and key
  eval                             what the evaluation makes of it
  bench [DEPTH] [THREADS] [HASH]   search fixed positions; the node count is the signature
  perft DEPTH [FEN]                count the leaves of the move tree, by first move; `go perft DEPTH` as well
  help                             this list
  quit";

/// Where answers go. A reader that went away is not an error: the end of input follows soon.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Ends>>);

/// What is written to: the pipe, and the file of `Debug Log File` if there is one.
struct Ends {
    writer: Box<dyn Write + Send>,
    transcript: Option<Transcript>,
}

impl Ends {
    fn write(&mut self, text: &str) {
        // A closed pipe shows up as the end of input; there is nobody left to tell.
        let _ = self.writer.write_all(format!("{text}\n").as_bytes()).and_then(|()| self.writer.flush());
    }

    /// Writes down what was said. A file that takes no more is told of once, and closed.
    fn record(&mut self, speaker: Speaker, text: &str) {
        let Some(transcript) = &mut self.transcript else { return };
        if let Err(error) = transcript.note(speaker, text) {
            self.transcript = None;
            self.write(&format!("info string Debug Log File: {error}; nothing more is written to it"));
        }
    }
}

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Ends { writer: Box::new(writer), transcript: None })))
    }

    /// Writes whole lines at once and flushes, so that lines of different threads never mix.
    pub(super) fn line(&self, text: &str) {
        let mut ends = self.0.lock();
        ends.write(text);
        ends.record(Speaker::Engine, text);
    }

    /// Writes down a line that came in.
    fn heard(&self, text: &str) {
        self.0.lock().record(Speaker::Interface, text);
    }

    /// Writes everything said to this file from now on; to none if the path is empty, or the file cannot be opened.
    fn log_to(&self, path: &str) -> Result<(), String> {
        self.0.lock().transcript = None;
        if !path.is_empty() {
            let transcript =
                Transcript::open(path).map_err(|error| format!("Debug Log File {path}: {error}"))?;
            self.0.lock().transcript = Some(transcript);
        }
        Ok(())
    }

    pub(super) fn note(&self, text: &impl ToString) {
        // One line whatever the text holds, so that it stays UCI.
        self.line(&format!("info string {}", text.to_string().replace(['\n', '\r'], " ")));
    }
}

/// Why a `position` was refused.
#[derive(Debug, thiserror::Error)]
enum PositionError {
    #[error("position: {0}")]
    Fen(#[from] FenError),
    #[error("position: move {number}: {source}")]
    Move { number: usize, source: MoveTextError },
}

/// One UCI session.
pub(super) struct Session {
    engine: Engine,
    options: OptionTable,
    lab: Option<Lab>,
    dialect: Arc<Mutex<Dialect>>,
    /// The network that was loaded last.
    network: Option<Arc<Network>>,
    strength: StrengthOptions,
    output: Output,
}

/// What was said about playing below full strength.
struct StrengthOptions {
    is_limited: bool,
    elo: u32,
    /// 0 for chance.
    seed: u64,
}

impl Default for StrengthOptions {
    fn default() -> Self {
        Self { is_limited: false, elo: strength::STRONGEST, seed: 0 }
    }
}

impl StrengthOptions {
    fn strength(&self) -> Option<Strength> {
        self.is_limited.then(|| Strength { elo: self.elo, seed: seed_or_chance(self.seed) })
    }
}

impl Session {
    /// A session that answers to `output`; with `is_lab` every switch and tunable is an option.
    pub(super) fn new(output: Output, is_lab: bool) -> Result<Self, StartError> {
        let dialect = Dialect { shows_counters: is_lab, ..Dialect::default() };
        let dialect = Arc::new(Mutex::new(dialect));
        let (told, spoken) = (output.clone(), Arc::clone(&dialect));
        let sink = move |event: &Event| {
            let dialect = *spoken.lock();
            told.line(&dialect.event(event));
        };
        let mut engine = Engine::new(Arc::new(sink))?;
        dialect.lock().evaluation = engine.configuration.evaluation.kind();
        // As the option declares it.
        engine.configuration.tables.usage.has_embedded = true;
        let lab = is_lab.then(Lab::default);
        let options = match &lab {
            Some(lab) => {
                engine.configuration.mode = Mode::Lab(lab.settings().clone());
                OptionTable::with_lab(Lab::options())
            }
            None => OptionTable::standard(),
        };
        let embedded = Network::embedded();
        if let Err(fault) = &embedded {
            output.note(&format!("the network that is built in cannot be used: {fault}"));
        }
        let strength = StrengthOptions::default();
        Ok(Self { engine, options, lab, dialect, network: embedded.ok(), strength, output })
    }

    /// Reads commands until `quit` or the end of input. A running search is stopped before it returns.
    pub(super) fn run(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = LineReader::new(input);
        loop {
            let parsed = match lines.next_line()? {
                Line::End => break,
                Line::TooLong => {
                    self.output.note(&"the line is too long and was dropped");
                    continue;
                }
                Line::Text(text) => {
                    self.output.heard(&text);
                    parse(&text)
                }
            };
            match parsed {
                Ok(None) => {}
                Ok(Some(Parsed { command: Command::Quit, .. })) => break,
                Ok(Some(Parsed { command, warnings })) => {
                    for warning in &warnings {
                        self.output.note(warning);
                    }
                    self.execute(command);
                }
                Err(error) => self.output.note(&error),
            }
        }
        self.engine.settle();
        Ok(())
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.line("readyok"),
            Command::UciNewGame => self.engine.new_game(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(spec) => match self.set_up(&spec) {
                Ok(game) => self.engine.set_game(game),
                Err(error) => self.output.note(&error),
            },
            Command::Go(limits) => self.go(&limits),
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponderhit(),
            Command::Help => self.output.line(EXTENSIONS),
            Command::Display => self.output.line(&drawn(self.engine.game().position())),
            Command::Eval => self.evaluate(),
            Command::Perft { depth, fen } => self.perft(depth, fen.as_deref()),
            Command::Bench { depth, threads, hash } => {
                let default = Bench::default();
                let bench = Bench {
                    depth: depth.unwrap_or(default.depth),
                    threads: threads.unwrap_or(default.threads),
                    hash: hash.unwrap_or(default.hash),
                    configuration: self.engine.configuration.clone(),
                };
                self.engine.settle();
                if let Err(error) = run_bench(&bench, &self.output) {
                    self.output.note(&format!("bench: {error}"));
                }
            }
            // Nothing to register, nothing more to tell, and `quit` ends the loop.
            Command::Register | Command::Debug(_) | Command::Quit => {}
        }
    }

    fn introduce(&self) {
        self.output.line(&format!(
            "id name Stretto {}\nid author the Stretto developers\n{}uciok",
            env!("CARGO_PKG_VERSION"),
            self.options.declare()
        ));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let result = match self.options.read(name, value) {
            Ok((id, value)) => self.apply(id, value),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = result {
            self.output.note(&error);
        }
    }

    fn apply(&mut self, id: OptionId, value: OptionValue) -> Result<(), String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let configuration = &mut self.engine.configuration;
        match (id, value) {
            (OptionId::Hash, OptionValue::Spin(size)) => {
                return self.engine.set_hash(Mebibytes(size as u64)).map_err(|error| told(&error));
            }
            (OptionId::ClearHash, _) => self.engine.clear_hash(),
            (OptionId::Threads, OptionValue::Spin(threads)) => {
                return self.engine.set_threads(threads as usize).map_err(|error| told(&error));
            }
            (OptionId::Affinity, OptionValue::String(text)) => {
                let pinning: Pinning = text.parse().map_err(|error| told(&error))?;
                return self.engine.set_pinning(pinning).map_err(|error| told(&error));
            }
            (OptionId::MultiPv, OptionValue::Spin(lines)) => configuration.multipv = lines as usize,
            (OptionId::MoveOverhead, OptionValue::Spin(millis)) => {
                configuration.move_overhead = Millis(millis);
            }
            (OptionId::NodesTime, OptionValue::Spin(nodes)) => configuration.pace = Pace::new(nodes as u32),
            (OptionId::AnalyseMode, OptionValue::Check(on)) => configuration.is_analysis = on,
            (OptionId::EvalType, OptionValue::Combo(index)) => {
                return self.evaluate_with(EvalType::ALL[index]);
            }
            (OptionId::EvalFile, OptionValue::String(path)) => return self.load_network(&path),
            (OptionId::Book(option), value) => {
                return book::apply(option, value, &mut self.engine.book).map_err(|error| told(&error));
            }
            (OptionId::Tables(option), value) => {
                for note in tables::apply(option, &value, &mut self.engine) {
                    self.output.note(&note);
                }
            }
            (OptionId::LimitStrength | OptionId::Elo | OptionId::StrengthSeed, value) => {
                match (id, value) {
                    (OptionId::LimitStrength, OptionValue::Check(on)) => self.strength.is_limited = on,
                    (OptionId::Elo, OptionValue::Spin(elo)) => self.strength.elo = elo as u32,
                    (_, OptionValue::Spin(seed)) => self.strength.seed = seed as u64,
                    _ => {}
                }
                configuration.strength = self.strength.strength();
            }
            (OptionId::DebugLog, OptionValue::String(path)) => return self.output.log_to(&path),
            (OptionId::NormalizeScore, OptionValue::Check(on)) => {
                self.dialect.lock().pawn = if on { Pawn::Winning } else { Pawn::Plain };
            }
            (OptionId::Chess960, OptionValue::Check(on)) => self.dialect.lock().is_chess960 = on,
            (OptionId::ShowWdl, OptionValue::Check(on)) => self.dialect.lock().shows_wdl = on,
            (OptionId::Lab(index), value) => {
                if let Some(lab) = &mut self.lab {
                    return lab.apply(index, &value, &mut self.engine).map_err(|error| told(&error));
                }
            }
            (OptionId::Ponder, OptionValue::Check(on)) => configuration.ponders = on,
            _ => {}
        }
        Ok(())
    }

    /// Evaluates with an evaluation of this sort from now on.
    fn evaluate_with(&mut self, kind: EvalType) -> Result<(), String> {
        let evaluation = match kind {
            EvalType::Network => match &self.network {
                Some(network) => Evaluation::Network(Arc::clone(network)),
                None => return Err("EvalType: there is no network; EvalFile names one".to_owned()),
            },
            EvalType::Classical => Evaluation::Classical,
            EvalType::Material => Evaluation::Material,
        };
        self.set_evaluation(evaluation).map_err(|refused| format!("EvalType: {refused}"))
    }

    /// Evaluates so, and tells scores for what they then mean.
    fn set_evaluation(&mut self, evaluation: Evaluation) -> Result<(), OutOfMemory> {
        let kind = evaluation.kind();
        self.engine.set_evaluation(evaluation)?;
        self.dialect.lock().evaluation = kind;
        Ok(())
    }

    /// Evaluates with the network in a file from now on. If it cannot be used, nothing changes. The built-in one only takes
    /// the place of another network: GUIs send every option's default, and that must not undo a choice of `EvalType`.
    fn load_network(&mut self, path: &str) -> Result<(), String> {
        let is_embedded = path.is_empty() || path == EMBEDDED;
        let network = if is_embedded {
            Network::embedded().map_err(|fault| format!("EvalFile: {fault}"))?
        } else {
            Arc::new(Network::load(Path::new(path)).map_err(|error| format!("EvalFile: {error}"))?)
        };
        if !is_embedded || self.engine.configuration.evaluation.kind() == EvalType::Network {
            let evaluation = Evaluation::Network(Arc::clone(&network));
            self.set_evaluation(evaluation).map_err(|refused| format!("EvalFile: {refused}"))?;
        }
        self.network = Some(network);
        Ok(())
    }

    /// The game a `position` command describes.
    fn set_up(&self, spec: &PositionSpec) -> Result<Game, PositionError> {
        let mut game = match &spec.base {
            Base::StartPos => Game::new(Position::startpos()),
            Base::Fen(fen) => Game::from_fen(fen)?,
        };
        let is_chess960 = game.position().with_standard_castling_only() != *game.position();
        if is_chess960 && !self.dialect.lock().is_chess960 {
            self.output.note(&"position: castling rights that need UCI_Chess960 are left out");
            game = game.with_standard_castling_only();
        }
        for (index, text) in spec.moves.iter().enumerate() {
            let parsed = game.position().parse_uci(text);
            let mv = parsed.map_err(|source| PositionError::Move { number: index + 1, source })?;
            game.play(mv);
        }
        Ok(game)
    }

    fn go(&mut self, asked: &GoLimits) {
        if self.engine.book.is_on && !self.engine.book.has_book() {
            self.output.note(&"OwnBook: there is no book to play from; Book File names one");
        }
        let limits = self.limits(asked);
        self.engine.go(limits);
    }

    /// The limits of a `go` for the position on the board; what does not fit it is reported and left out.
    fn limits(&self, asked: &GoLimits) -> Limits {
        let position = self.engine.game().position();
        let mut searchmoves = Vec::new();
        for text in &asked.searchmoves {
            match position.parse_uci(text) {
                Ok(mv) => searchmoves.push(mv),
                Err(error) => self.output.note(&format!("go searchmoves: {error}")),
            }
        }
        let white = (asked.wtime, asked.winc);
        let black = (asked.btime, asked.binc);
        let (own, other) = match position.side_to_move() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        // A GUI that names only the other side's clock still wants an answer in time.
        let (remaining, increment) = if own.0.is_some() { own } else { other };
        let clock = remaining.map(|remaining| Clock {
            remaining,
            increment: increment.unwrap_or_default(),
            moves_to_go: asked.movestogo,
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
        let position = self.engine.game().position();
        if position.is_check() {
            return self.output.note(&"eval: none, the side to move is in check");
        }
        match classical::trace(position) {
            Some(trace) => self.output.line(&trace.breakdown()),
            None => self.output.note(&"eval: a bare king is hunted by rules, without terms"),
        }
        let network = self.network.iter().map(|network| Evaluation::Network(Arc::clone(network)));
        for evaluation in network.chain([Evaluation::Classical, Evaluation::Material]) {
            let score = evaluation.evaluate(position);
            let name = evaluation.kind().name();
            self.output.note(&format!("eval {name}: {} for the side to move", format::score(score)));
        }
    }

    fn perft(&self, depth: u32, fen: Option<&str>) {
        let position = match fen.map(Position::from_fen) {
            None => *self.engine.game().position(),
            Some(Ok(position)) => position,
            Some(Err(error)) => return self.output.note(&format!("perft: {error}")),
        };
        let dialect = *self.dialect.lock();
        run_perft(&position, depth, dialect, &self.output);
    }
}

/// The board as text, rank 8 first, with FEN and key.
fn drawn(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        for file in 0..8 {
            let piece = position.piece_on(Square::from_index(8 * rank + file));
            text.push(piece.map_or('.', crate::types::Piece::to_char));
            text.push(if file == 7 { '\n' } else { ' ' });
        }
    }
    let checkers: Vec<String> = position.checkers().into_iter().map(|square| square.to_string()).collect();
    format!("{text}\nFen: {position}\nKey: {}\nCheckers: {}", position.key(), checkers.join(" "))
}

/// Counts the leaves below each move and prints a line a move, then the sum.
pub(super) fn run_perft(position: &Position, depth: u32, dialect: Dialect, output: &Output) {
    let counts = if depth == 0 { Vec::new() } else { position::divide(position, depth) };
    for (mv, nodes) in &counts {
        output.line(&format!("{}: {nodes}", dialect.mv(*mv)));
    }
    let total: u64 = if depth == 0 { 1 } else { counts.iter().map(|(_, nodes)| nodes).sum() };
    output.line(&format!("\nNodes searched: {total}"));
}

/// Runs a bench and prints a line a position, then the signature.
pub(super) fn run_bench(bench: &Bench, output: &Output) -> Result<(), BenchError> {
    let measured = bench.run(|index, fen, outcome| {
        let best = outcome.best.map_or_else(|| "(none)".into(), |mv| mv.to_string());
        let score = format::score(outcome.score);
        output.line(&format!("{:2}  {best:6} {score:9} {:>10}  {fen}", index + 1, outcome.nodes.0));
    })?;
    output.line(&format!("{} nodes {} nps", measured.nodes.0, measured.nps()));
    Ok(())
}
