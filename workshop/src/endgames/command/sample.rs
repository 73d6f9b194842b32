//! `workshop tb sample`: random positions with a known result, as EPD.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use stretto::position::Position;
use stretto::tablebase::{Index, Material, Outcome, PieceSquares, Tablebase};
use stretto::types::{Color, Score, Square};

use super::builder::{GenerateOptions, MAX_PIECES, NamedTable};
use super::probe::{outcome, tablebase};
use crate::endgames::fen;
use stretto_harness::base::random::SplitMix64;
use stretto_harness::run::command::{Failure, print};

/// Number of tries for one position before the command fails.
const MAX_TRIES: u32 = 20_000;

/// Prints random quiet positions of an ending.
#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// The pieces, such as `KRPvKR`; 3 to 5 with the kings. White is the stronger side.
    #[arg(value_parser = |text: &str| NamedTable::parse(text, MAX_PIECES))]
    material: NamedTable,
    /// Only positions with this result.
    #[arg(long, value_enum)]
    result: Option<Wanted>,
    /// Number of positions to print.
    #[arg(long, value_name = "N", default_value_t = 500)]
    count: usize,
    /// Seed of the positions.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder of tables. By default the tables are generated in memory: this takes seconds with four pieces, and minutes and over 1 GB
    /// with some of five (`workshop tb plan` estimates both).
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    how: GenerateOptions,
}

/// A result for the stronger side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    /// White, the stronger side, wins.
    Win,
    /// A draw with best play.
    Draw,
    /// Black, the weaker side, wins.
    Loss,
}

impl Wanted {
    fn of(outcome: Outcome, side: Color) -> Self {
        match (outcome, side) {
            (Outcome::Draw, _) => Self::Draw,
            (Outcome::Win(_), Color::White) | (Outcome::Loss(_), Color::Black) => Self::Win,
            _ => Self::Loss,
        }
    }

    const fn as_pgn(self) -> &'static str {
        match self {
            Self::Win => "1-0",
            Self::Draw => "1/2-1/2",
            Self::Loss => "0-1",
        }
    }
}

pub(crate) fn run(args: &SampleArgs) -> Result<(), Failure> {
    args.material.report();
    let material = args.material.material;
    let tables = tablebase(args.tables.as_deref(), &[material], &args.how)?;
    let mut random = SplitMix64::new(args.seed);
    let index = Index::new(material);
    let mut text = String::new();
    for number in 1..=args.count {
        let (position, result) = draw(&tables, &index, args.result, &mut random)?
            .ok_or_else(|| Failure::Run(no_position(material, args.result)))?;
        let fields = position.to_string();
        let fields: Vec<&str> = fields.split(' ').take(4).collect();
        let _ =
            writeln!(text, "{} c9 \"{}\"; id \"{}.{number}\";", fields.join(" "), result.as_pgn(), material);
    }
    print(&text);
    Ok(())
}

/// Returns the error for an ending in which no position was found.
fn no_position(material: Material, wanted: Option<Wanted>) -> anyhow::Error {
    match wanted {
        Some(_) => anyhow!(
            "no quiet position of {material} with this result in {MAX_TRIES} tries: choose another --result"
        ),
        None => anyhow!("no quiet position of {material} in {MAX_TRIES} tries: choose another ending"),
    }
}

/// Draws a quiet position with its result; `None` after too many tries.
fn draw(
    tables: &Tablebase,
    index: &Index,
    wanted: Option<Wanted>,
    random: &mut SplitMix64,
) -> Result<Option<(Position, Wanted)>, Failure> {
    for _ in 0..MAX_TRIES {
        let Some(position) = random_position(index, random) else { continue };
        let result = Wanted::of(outcome(tables, &position)?, position.side_to_move());
        if wanted.is_none_or(|wanted| wanted == result) {
            return Ok(Some((position, result)));
        }
    }
    Ok(None)
}

/// Draws a position; `None` if it is illegal or not quiet: a check, or a capture or promotion of
/// either side that gains material.
fn random_position(index: &Index, random: &mut SplitMix64) -> Option<Position> {
    let mut squares: Vec<Square> = Square::all().collect();
    random.shuffle(&mut squares);
    let squares: PieceSquares = squares.into_iter().take(index.material().piece_count()).collect();
    let side = if random.below(2) == 0 { Color::White } else { Color::Black };
    // If both sides could be to move, neither side is in check.
    let [position, other] = [side, !side].map(|side| Position::from_fen(&fen(index, &squares, side)).ok());
    let (position, other) = (position?, other?);
    ([position, other].iter().all(is_quiet) && position.has_legal_move()).then_some(position)
}

fn is_quiet(position: &Position) -> bool {
    let moves = position.legal_moves();
    !moves.iter().any(|&mv| position.is_noisy(mv) && position.see(mv) > Score(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_quiet_legal_and_have_the_wanted_result() {
        let tables = Tablebase::embedded();
        let index = Index::new("KPvK".parse().unwrap());
        let mut sides = [0; 2];
        for wanted in [Wanted::Win, Wanted::Draw] {
            let mut random = SplitMix64::new(3);
            for _ in 0..50 {
                let (position, result) =
                    draw(&tables, &index, Some(wanted), &mut random).ok().flatten().unwrap();
                assert_eq!(result, wanted);
                assert!(!position.is_check() && is_quiet(&position), "{position}");
                let found = tables.probe(&position).unwrap().unwrap();
                assert_eq!(matches!(found, Outcome::Draw), wanted == Wanted::Draw, "{position}");
                sides[position.side_to_move().index()] += 1;
            }
        }
        assert!(sides[0] > 20 && sides[1] > 20, "{sides:?}");
        // Black cannot win.
        let mut random = SplitMix64::new(1);
        assert!(draw(&tables, &index, Some(Wanted::Loss), &mut random).ok().flatten().is_none());
        let material = index.material();
        assert!(no_position(material, Some(Wanted::Loss)).to_string().ends_with("choose another --result"));
        assert!(!no_position(material, None).to_string().contains("--result"));
    }

    #[test]
    fn hanging_pieces_and_promotions_are_not_quiet() {
        let quiet = |fen| is_quiet(&Position::from_fen(fen).unwrap());
        assert!(!quiet("8/8/8/3k4/4R3/8/8/K7 b - - 0 1"));
        assert!(quiet("8/8/8/3k4/4R3/5K2/8/8 b - - 0 1"));
        assert!(!quiet("8/P7/8/3k4/8/5K2/8/8 w - - 0 1"));
    }
}
