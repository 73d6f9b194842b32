//! `workshop tb play`: play any table ending against perfect play in the terminal.
//!
//! In 1978 K. Thompson bet that a grandmaster could not win queen against rook against a table. The
//! default position repeats that bet.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use stretto::position::{FenDialect, Position};
use stretto::tablebase::{Metric, Outcome, Tablebase};
use stretto::types::{Color, FIFTY_MOVES, Key, Move, Rank, Square};

use super::super::value::Value;
use super::builder::MetricArg;
use super::find::{Ending, tables_and_position};
use super::probe;
use stretto_harness::run::command::{Failure, print};

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The position in quotes, or pieces such as `KQvKR` to play their longest win.
    #[arg(value_name = "FEN|PIECES", default_value = "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1")]
    ending: String,
    /// The side you play; by default the side to move.
    #[arg(long, value_parser = colors())]
    side: Option<Color>,
    /// Folder of tables, instead of `tables`, the built-in ones, or tables generated in memory.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Metric of the tables: `dtz` observes the fifty-move rule as far as the next capture or pawn move and the win after
    /// it, `dtm` plays for the shortest mate [default: as found, or dtz].
    #[arg(long, value_enum, alias = "count")]
    metric: Option<MetricArg>,
}

/// Parses a side, as a user names it.
fn colors() -> impl TypedValueParser<Value = Color> {
    PossibleValuesParser::new(["white", "black"])
        .map(|name| if name == "white" { Color::White } else { Color::Black })
}

/// A game of a user against the tables.
struct Play {
    tables: Tablebase,
    position: Position,
    person: Color,
    /// Earlier positions, for repetitions and take-backs.
    past: Vec<Position>,
}

/// A parsed input line.
enum Typed {
    Move(Move),
    Hint,
    Back,
    Quit,
}

/// Plays until the game ends or the user quits.
pub(crate) fn run(args: &PlayArgs) -> Result<(), Failure> {
    let metrics = args.metric.map_or(vec![MetricArg::Dtz, MetricArg::Dtm], |metric| vec![metric]);
    let ending = Ending::parse(&args.ending)?;
    let (tables, position) = tables_and_position(&ending, args.tables.as_deref(), &metrics)?;
    let person = args.side.unwrap_or(position.side_to_move());
    let mut play = Play { tables, position, person, past: Vec::new() };
    print(
        "Enter moves as e2e4 or Nf3; `hint` lists the value of each move, `back` takes a move back, `quit` exits.\n",
    );
    let mut lines = std::io::stdin().lock().lines();
    let mut shown = None;
    loop {
        if let Some(end) = play.end() {
            print(&format!("{}\n{end}\n", board(&play.position)));
            return Ok(());
        }
        if play.position.side_to_move() != person {
            let mv = play.reply()?;
            print(&format!("The tables play {}.\n", play.position.san(mv)));
            play.make(mv);
            continue;
        }
        if shown != Some(play.position) {
            print(&format!("{}\n{}\n", board(&play.position), play.status()?));
            shown = Some(play.position);
        }
        if std::io::stdin().is_terminal() {
            print("Your move: ");
        }
        let Some(line) = lines.next() else { return Ok(()) };
        let line = line.map_err(anyhow::Error::from)?;
        match typed(&play.position, line.trim()) {
            Err(problem) => print(&format!("{problem}\n")),
            Ok(Typed::Quit) => return Ok(()),
            Ok(Typed::Back) if play.back() => {}
            Ok(Typed::Back) => print("There is no move of yours to take back.\n"),
            Ok(Typed::Hint) => print(&play.hints()?),
            Ok(Typed::Move(mv)) => {
                let comment = play.comment(mv)?;
                play.make(mv);
                print(&comment);
            }
        }
    }
}

fn typed(position: &Position, line: &str) -> Result<Typed, String> {
    match line {
        "quit" | "exit" => return Ok(Typed::Quit),
        "back" | "undo" => return Ok(Typed::Back),
        "hint" | "?" => return Ok(Typed::Hint),
        "" => return Err("Type a move, `hint`, `back` or `quit`.".to_owned()),
        _ => {}
    }
    let parsed = position.parse_uci(line).or_else(|_| position.parse_san(line));
    parsed.map(Typed::Move).map_err(|error| format!("{error}"))
}

impl Play {
    fn make(&mut self, mv: Move) {
        self.past.push(self.position);
        self.position = self.position.after(mv);
    }

    /// Returns to the user's last turn. Returns whether there was one.
    fn back(&mut self) -> bool {
        let is_own = |past: &Position| past.side_to_move() == self.person;
        let Some(turn) = self.past.iter().rposition(is_own) else { return false };
        self.position = self.past[turn];
        self.past.truncate(turn);
        true
    }

    /// Returns the result if the game is over.
    fn end(&self) -> Option<String> {
        let position = &self.position;
        if !position.has_legal_move() {
            let loser = if position.side_to_move() == self.person { "You are" } else { "The tables are" };
            return Some(if position.is_check() {
                format!("Checkmate. {loser} mated.")
            } else {
                "Draw: stalemate.".to_owned()
            });
        }
        if position.is_dead_material() {
            return Some("Draw: insufficient material.".to_owned());
        }
        if position.halfmove_clock() >= FIFTY_MOVES {
            return Some("Draw: fifty-move rule.".to_owned());
        }
        let here: Key = position.key();
        let times = self.past.iter().filter(|past| past.key() == here).count();
        (times >= 2).then(|| "Draw: threefold repetition.".to_owned())
    }

    /// Describes the position for the user, who is to move.
    fn status(&self) -> Result<String, Failure> {
        let metric = self.tables.metric();
        let outcome = self.moves()?.first().map_or(Outcome::Draw, |&(_, outcome)| outcome);
        let left = FIFTY_MOVES.saturating_sub(self.position.halfmove_clock());
        let mut text = format!("For you: {}.", probe::described(outcome, metric));
        let _ = write!(text, " Fifty-move rule: {} left.", probe::moves_of(left));
        if let Outcome::Win(plies) | Outcome::Loss(plies) = outcome {
            let winner = if matches!(outcome, Outcome::Win(_)) { "you" } else { "the tables" };
            // Other metrics count plies beyond captures and pawn moves, which reset the counter.
            if metric == Metric::Dtz {
                let _ = match left.checked_sub(plies) {
                    None => write!(text, " Not enough: with best defence this is a draw."),
                    Some(spare) => {
                        let spare = spare / 2;
                        write!(
                            text,
                            " Spare moves for {winner} until the next capture or pawn move: {spare}."
                        )
                    }
                };
            }
        }
        Ok(text)
    }

    /// Comments on the effect of the user's move.
    fn comment(&self, mv: Move) -> Result<String, Failure> {
        let moves = self.moves()?;
        let best = moves.first().map_or(Outcome::Draw, |&(_, outcome)| outcome);
        let played = moves.iter().find(|(other, _)| *other == mv).map_or(best, |&(_, outcome)| outcome);
        Ok(match (best, played) {
            (Outcome::Win(best), Outcome::Win(played)) if played > best => {
                format!("Wasted: {}.\n", probe::moves_of(played - best))
            }
            (Outcome::Win(_), Outcome::Draw) => "This move gives away the win.\n".to_owned(),
            (Outcome::Win(_) | Outcome::Draw, Outcome::Loss(_)) => "This move loses.\n".to_owned(),
            _ => String::new(),
        })
    }

    /// Returns the legal moves with their outcomes for the side to move, best first. With the metric
    /// [`Metric::Dtz`], a capture or pawn move after which the fifty-move limit comes first draws.
    fn moves(&self) -> Result<Vec<(Move, Outcome)>, Failure> {
        let mut moves = probe::moves(&self.tables, &self.position)?;
        for (mv, outcome) in &mut moves {
            let after = self.position.after(*mv);
            if self.tables.metric() == Metric::Dtz
                && after.halfmove_clock() == 0
                && after.has_legal_move()
                && let Outcome::Win(plies) | Outcome::Loss(plies) = probe::outcome(&self.tables, &after)?
                && plies > FIFTY_MOVES
            {
                *outcome = Outcome::Draw;
            }
        }
        moves.sort_by_key(|&(_, outcome)| std::cmp::Reverse(Value::of(outcome)));
        Ok(moves)
    }

    fn hints(&self) -> Result<String, Failure> {
        let metric = self.tables.metric();
        let mut text = String::new();
        for (mv, outcome) in self.moves()? {
            let _ = writeln!(text, "  {:8} {}", self.position.san(mv), probe::described(outcome, metric));
        }
        Ok(text)
    }

    /// Returns the reply of the tables: a best move. In a draw, the move with the fewest drawing
    /// replies, avoiding repetitions if possible.
    fn reply(&self) -> Result<Move, Failure> {
        let moves = self.moves()?;
        let Some(&(first, best)) = moves.first() else {
            return Err(Failure::Run(anyhow::anyhow!(
                "no move in {}",
                self.position.to_fen(FenDialect::Standard)
            )));
        };
        let mut found = (first, u64::MAX);
        for &(mv, _) in moves.iter().filter(|(_, outcome)| *outcome == best) {
            let after = self.position.after(mv);
            let is_old = self.past.iter().any(|past| past.key() == after.key());
            let mut holding = 0;
            if best == Outcome::Draw {
                let answers = probe::moves(&self.tables, &after)?;
                holding = answers.iter().filter(|(_, outcome)| *outcome == Outcome::Draw).count() as u64;
            }
            let rank = u64::from(is_old) << 32 | holding;
            if rank < found.1 {
                found = (mv, rank);
            }
        }
        Ok(found.0)
    }
}

/// Returns the board as text.
fn board(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).map(Rank::from_index).rev() {
        let _ = write!(text, "{} ", rank.to_char());
        for file in (0..8).map(stretto::types::File::from_index) {
            let piece = position.piece_on(Square::new(file, rank));
            let _ = write!(text, " {}", piece.map_or('.', stretto::types::Piece::to_char));
        }
        text.push('\n');
    }
    text.push_str("   a b c d e f g h\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgames::command::builder::GenerateOptions;
    use stretto_harness::run::command::Threads;

    fn play(fen: &str, person: Color) -> Play {
        play_by(MetricArg::Dtz, fen, person)
    }

    fn play_by(metric: MetricArg, fen: &str, person: Color) -> Play {
        let (position, material) = probe::position(fen).unwrap_or_else(|_| unreachable!("a position"));
        let how = GenerateOptions { metric, threads: Threads::default() };
        let tables = probe::tablebase(None, &[material], &how).unwrap_or_else(|_| unreachable!("tables"));
        Play { tables, position, person, past: Vec::new() }
    }

    #[test]
    fn tables_mate_in_the_predicted_number_of_plies() {
        let mut play = play("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Color::Black);
        let Ok(Outcome::Win(plies)) = probe::outcome(&play.tables, &play.position) else {
            unreachable!("the queen wins")
        };
        let mut count = 0;
        while play.end().is_none() {
            let Ok(mv) = play.reply() else { unreachable!("a move") };
            play.make(mv);
            count += 1;
        }
        assert_eq!(count, plies);
        assert!(play.end().is_some_and(|end| end == "Checkmate. You are mated."));
    }

    #[test]
    fn distance_to_mate_decides_nothing_about_the_fifty_move_rule() {
        // The pawn moves on the way to the mate reset the counter.
        let play = play_by(MetricArg::Dtm, "8/8/8/8/k7/8/6PK/8 w - - 92 60", Color::White);
        let text = play.status().unwrap_or_default();
        assert!(text.contains("Fifty-move rule: 4 moves left") && !text.contains("Not enough"), "{text}");
        assert!(!text.contains("Spare"), "{text}");
    }

    #[test]
    fn fifty_move_rule_and_take_back_are_reported() {
        let mut play = play("8/8/8/4k3/8/8/8/KQ6 w - - 90 60", Color::White);
        let text = play.status().unwrap_or_default();
        assert!(text.contains("Fifty-move rule: 5 moves left") && text.contains("Not enough"), "{text}");
        let Ok(Typed::Move(mv)) = typed(&play.position, "Qb8+") else { unreachable!("a move") };
        assert!(play.comment(mv).is_ok());
        assert!(!play.back(), "no move was made");
        let start = play.position;
        play.make(mv);
        assert!(play.back());
        assert_eq!(play.position, start);
        assert!(play.past.is_empty());
        // A move of the tables alone is not taken back.
        play.person = Color::Black;
        play.make(mv);
        assert!(!play.back());
        assert_eq!(play.position.side_to_move(), Color::Black);
        play.position = start;
        assert!(typed(&play.position, "Qb9").is_err());
    }
}
