//! `harness tb play`: a person against perfect play, in the terminal.
//!
//! In 1978 K. Thompson bet that a grandmaster would not win with queen against rook when a table defends. Here anybody may try,
//! with either side of any ending that has a table.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use stretto::position::{FenDialect, Position};
use stretto::tablebase::{Outcome, Tablebase};
use stretto::types::{Color, FIFTY_MOVES, Key, Move, Rank, Square};

use super::super::threads::Threads;
use super::super::{Failure, print};
use super::ask;
use super::making::{How, MetricArg};

#[derive(Debug, Args)]
pub(super) struct PlayArgs {
    /// The position, in quotes.
    #[arg(default_value = "K3r3/8/5k2/Q7/8/8/8/8 w - - 0 1")]
    fen: String,
    /// The side you play; the one to move unless told otherwise.
    #[arg(long, value_enum)]
    side: Option<SideArg>,
    /// A folder of tables; without, those needed are made first.
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// What the tables count: by captures and moves of pawns, so that the fifty-move rule is kept in sight, or by mate.
    #[arg(long, value_enum, default_value_t = CountArg::Dtz)]
    count: CountArg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideArg {
    White,
    Black,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CountArg {
    Dtz,
    Dtm,
}

/// A game between a person and the tables.
struct Play {
    tables: Tablebase,
    position: Position,
    person: Color,
    /// Positions so far, for repetitions, each with the position before.
    past: Vec<Position>,
}

/// What a person typed.
enum Typed {
    Move(Move),
    Hint,
    Back,
    Quit,
}

/// Plays until the game ends or the person stops.
pub(super) fn run(args: &PlayArgs) -> Result<(), Failure> {
    let (position, material) = ask::position(&args.fen)?;
    let metric = match args.count {
        CountArg::Dtz => MetricArg::Dtz,
        CountArg::Dtm => MetricArg::Dtm,
    };
    let how = How { metric, threads: Threads::default() };
    let tables = ask::tablebase(args.tables.as_deref(), &[material], metric, &how)?;
    let person = args.side.map_or(position.side_to_move(), |side| match side {
        SideArg::White => Color::White,
        SideArg::Black => Color::Black,
    });
    let mut play = Play { tables, position, person, past: Vec::new() };
    print("Moves as e2e4 or Nf3; `hint` shows what each is worth, `back` takes a move back, `quit` ends.\n");
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
            print(&format!("{}\n{}\n", board(&play.position), play.told()?));
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
            Ok(Typed::Back) => play.back(),
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

    /// To the person's last turn.
    fn back(&mut self) {
        while let Some(before) = self.past.pop() {
            self.position = before;
            if before.side_to_move() == self.person {
                return;
            }
        }
    }

    /// Is the game over, and how?
    fn end(&self) -> Option<String> {
        let position = &self.position;
        if !position.has_legal_move() {
            let loser = if position.side_to_move() == self.person { "You are" } else { "The tables are" };
            return Some(if position.is_check() {
                format!("Checkmate. {loser} mated.")
            } else {
                "Stalemate: a draw.".to_owned()
            });
        }
        if position.is_dead_material() {
            return Some("Nobody can mate any more: a draw.".to_owned());
        }
        if position.halfmove_clock() >= FIFTY_MOVES {
            return Some("Fifty moves without a capture or a move of a pawn: a draw by the rule.".to_owned());
        }
        let here: Key = position.key();
        let times = self.past.iter().filter(|past| past.key() == here).count();
        (times >= 2).then(|| "The same position for the third time: a draw by the rule.".to_owned())
    }

    /// How things stand for the person, who is to move.
    fn told(&self) -> Result<String, Failure> {
        let metric = self.tables.metric();
        let outcome = ask::outcome(&self.tables, &self.position)?;
        let left = FIFTY_MOVES.saturating_sub(self.position.halfmove_clock());
        let mut text = format!("For you: {}.", ask::told(outcome, metric));
        let _ = write!(text, " The fifty-move rule leaves {}.", ask::moves_of(left));
        if let Outcome::Win(plies) | Outcome::Loss(plies) = outcome {
            let is_yours = matches!(outcome, Outcome::Win(_));
            let winner = if is_yours { "you" } else { "the tables" };
            if plies > left {
                let _ = write!(text, " Too few: with best defence the rule makes this a draw.");
            } else if matches!(metric, stretto::tablebase::Metric::Dtz) {
                let spare = (left - plies) / 2;
                let _ = write!(text, " So {winner} may waste {spare} of them.");
            }
        }
        Ok(text)
    }

    /// What the person's move has changed.
    fn comment(&self, mv: Move) -> Result<String, Failure> {
        let moves = ask::moves(&self.tables, &self.position)?;
        let best = moves.first().map_or(Outcome::Draw, |&(_, outcome)| outcome);
        let played = moves.iter().find(|(other, _)| *other == mv).map_or(best, |&(_, outcome)| outcome);
        Ok(match (best, played) {
            (Outcome::Win(best), Outcome::Win(played)) if played > best => {
                format!("That wastes {}.\n", ask::moves_of(played - best))
            }
            (Outcome::Win(_), Outcome::Draw) => "That gives the win away.\n".to_owned(),
            (Outcome::Win(_) | Outcome::Draw, Outcome::Loss(_)) => "That loses.\n".to_owned(),
            _ => String::new(),
        })
    }

    fn hints(&self) -> Result<String, Failure> {
        let metric = self.tables.metric();
        let mut text = String::new();
        for (mv, worth) in ask::moves(&self.tables, &self.position)? {
            let _ = writeln!(text, "  {:8} {}", self.position.san(mv), ask::told(worth, metric));
        }
        Ok(text)
    }

    /// What the tables play: the best there is. Where all is drawn, the move that leaves the other side the fewest answers that
    /// hold, but none that has been played before if there is another.
    fn reply(&self) -> Result<Move, Failure> {
        let moves = ask::moves(&self.tables, &self.position)?;
        let Some(&(first, best)) = moves.first() else {
            return Err(Failure::Run(anyhow::anyhow!(
                "no move in {}",
                self.position.to_fen(FenDialect::Standard)
            )));
        };
        let mut found = (first, u64::MAX);
        for &(mv, _) in moves.iter().filter(|(_, worth)| *worth == best) {
            let after = self.position.after(mv);
            let is_old = self.past.iter().any(|past| past.key() == after.key());
            let mut holding = 0;
            if best == Outcome::Draw {
                let answers = ask::moves(&self.tables, &after)?;
                holding = answers.iter().filter(|(_, worth)| *worth == Outcome::Draw).count() as u64;
            }
            let rank = u64::from(is_old) << 32 | holding;
            if rank < found.1 {
                found = (mv, rank);
            }
        }
        Ok(found.0)
    }
}

/// The board as text.
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

    fn play(fen: &str, person: Color) -> Play {
        let (position, material) = ask::position(fen).unwrap_or_else(|_| unreachable!("a position"));
        let how = How { metric: MetricArg::Dtz, threads: Threads::default() };
        let tables = ask::tablebase(None, &[material], MetricArg::Dtz, &how)
            .unwrap_or_else(|_| unreachable!("tables"));
        Play { tables, position, person, past: Vec::new() }
    }

    #[test]
    fn the_tables_mate_as_fast_as_they_say() {
        let mut play = play("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Color::Black);
        let Ok(Outcome::Win(plies)) = ask::outcome(&play.tables, &play.position) else {
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
    fn a_wasted_move_is_told() {
        let mut play = play("8/8/8/4k3/8/8/8/KQ6 w - - 90 60", Color::White);
        let text = play.told().unwrap_or_default();
        assert!(text.contains("leaves 5 moves") && text.contains("Too few"), "{text}");
        let Ok(Typed::Move(mv)) = typed(&play.position, "Qb8+") else { unreachable!("a move") };
        assert!(play.comment(mv).is_ok());
        play.make(mv);
        play.back();
        assert_eq!(play.position.side_to_move(), Color::White);
        assert!(typed(&play.position, "Qb9").is_err());
    }
}
