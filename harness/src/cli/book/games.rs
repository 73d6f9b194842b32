//! `harness book make` and `learn`: what takes games.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::anyhow;
use clap::Args;

use super::meter::{Meter, Watched};
use super::{ColorsArg, Failure, listen_for_signals, say, tell, written};
use crate::book::{
    BookToolError, Lessons, MakeOptions, Maker, ReadGame, SourceGame, expect_writable, open_checked,
    read_journal_games, read_pgn, teach,
};
use crate::cancel::Cancel;

/// Bad games named one by one.
const NAMED: u64 = 10;
/// Names of players in an error.
const NAMED_PLAYERS: usize = 10;

pub(super) const MAKE_HELP: &str = "\
Examples:
  harness book make games.pgn --out book.bin
  harness book make masters.pgn own.pgn --out white.bin --color white --max-ply 30 --min-games 5 --min-score 45

The weight of a move is what it brought the side that made it: 2 for a win, 1 for a draw. A move that never brought anything
is left out. Games without a result do not count; a game that is not legal is named and left out. Games may begin anywhere
(FEN tag), also in Chess960. Memory stays below some 250 MB, whatever the size of the book; what does not fit is sorted on
the disk of the book's folder.";

#[derive(Debug, Args)]
pub(super) struct MakeArgs {
    /// PGN files.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Take so many plies of each game.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_ply: usize,
    /// Leave out moves of fewer games.
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_games: u32,
    /// Leave out moves that scored less, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    min_score: f64,
    /// Whose moves the book has.
    #[arg(long, value_enum, value_name = "COLOR", default_value = "both")]
    color: ColorsArg,
    /// Give all moves the weight 1.
    #[arg(long)]
    uniform: bool,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("expected a percentage from 0 to 100".to_owned()),
    }
}

pub(super) const LEARN_HELP: &str = "\
Examples:
  harness book learn book.bin results/runs/match-20261122-120000-1a2b3c4d --player stretto
  harness book learn book.bin games.pgn --both --out learned.bin

For each move of the book that the player made, the number of games and the half points in them are added to its entry,
where Polyglot keeps them; every other program reads the book as before. stretto, with Book Learning on, then plays more
often what scored well or was hardly tried (engine/src/book/choice.rs has the formula). Moves that a match gave as openings
teach nothing, nor do games lost by a crash, a hang, an illegal move or the clock where a run says so.

Each game given is counted: give each one once.";

#[derive(Debug, Args)]
pub(super) struct LearnArgs {
    /// The book.
    book: PathBuf,
    /// PGN files, or folders of runs of `harness match`.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Whose moves teach, as the games name the player; several may be given.
    #[arg(long, value_name = "NAME", required_unless_present = "both")]
    player: Vec<String>,
    /// Moves of both players teach.
    #[arg(long, conflicts_with = "player")]
    both: bool,
    /// The book to write, instead of the same one.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Games of files, with what is said about them on the way.
struct Intake {
    cancel: Cancel,
    meter: Meter,
    read: Arc<AtomicU64>,
    bad: u64,
    unfinished: u64,
    games: u64,
}

impl Intake {
    fn new(files: &[PathBuf]) -> Result<Self, Failure> {
        let sizes = files.iter().map(|file| std::fs::metadata(file).map_or(0, |metadata| metadata.len()));
        let cancel = Cancel::new();
        listen_for_signals(&cancel)?;
        let meter = Meter::new(sizes.sum());
        Ok(Self { cancel, meter, read: Arc::new(AtomicU64::new(0)), bad: 0, unfinished: 0, games: 0 })
    }

    /// Takes the games of a PGN file.
    fn take(
        &mut self,
        file: &Path,
        plies: usize,
        mut visit: impl FnMut(&SourceGame) -> Result<(), BookToolError>,
    ) -> Result<(), BookToolError> {
        let read = Arc::clone(&self.read);
        let watch = |file: File| Watched { file, read };
        let unfinished = read_pgn(file, plies, watch, |game: ReadGame| {
            if self.cancel.is_cancelled() {
                return Err(BookToolError::Cancelled);
            }
            match game {
                Ok(game) => {
                    self.games += 1;
                    visit(&game)?;
                }
                Err(error) => {
                    self.bad += 1;
                    if self.bad <= NAMED {
                        say(&format!("{}: {error}", file.display()));
                    }
                }
            }
            self.meter.tell(self.read.load(Ordering::Relaxed), || format!("{} games", self.games));
            Ok(())
        })?;
        self.unfinished += unfinished;
        Ok(())
    }

    /// Says what was left out.
    fn finish(&self) {
        self.meter.finish();
        if self.bad > NAMED {
            say(&format!("and {} more", self.bad - NAMED));
        }
        if self.bad > 0 {
            say(&format!("{} games that cannot be read were left out", self.bad));
        }
        if self.unfinished > 0 {
            say(&format!("{} games without a result were left out", self.unfinished));
        }
    }
}

pub(super) fn make(args: &MakeArgs) -> Result<(), Failure> {
    let options = MakeOptions {
        max_ply: args.max_ply,
        min_games: args.min_games,
        min_score: args.min_score,
        colors: args.color.colors(),
        uniform: args.uniform,
    };
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot_sort =
        |error| BookToolError::Io { action: "sort moves in", path: folder.to_path_buf(), error };
    expect_writable(&args.out)?;
    let mut maker = Maker::new(options, folder);
    let mut intake = Intake::new(&args.games)?;
    for file in &args.games {
        intake.take(file, args.max_ply, |game| maker.add(game).map_err(cannot_sort))?;
    }
    intake.finish();
    let summary = maker.finish(&args.out)?;
    tell(args.json, &summary, || {
        let what = written(summary.entries, summary.positions, &args.out);
        format!("{what}, of {} moves in {} games\n", summary.moves, summary.games)
    })
}

pub(super) fn learn(args: &LearnArgs) -> Result<(), Failure> {
    let book = open_checked(&args.book)?;
    let out = args.out.as_ref().unwrap_or(&args.book);
    expect_writable(out)?;
    let mut intake = Intake::new(&args.games)?;
    let (mut lessons, mut names, mut faults) = (Lessons::default(), BTreeSet::new(), 0);
    let learns = |name: &str| args.both || args.player.iter().any(|player| player == name);
    let mut take = |game: &SourceGame| {
        names.extend(game.players.iter().cloned());
        lessons.add(&book, game, learns);
    };
    for source in &args.games {
        if source.is_dir() {
            faults += read_journal_games(source, |game| take(&game))?;
        } else {
            let taken = |game: &SourceGame| {
                take(game);
                Ok(())
            };
            intake.take(source, usize::MAX, taken)?;
        }
    }
    intake.finish();
    if faults > 0 {
        say(&format!("{faults} games that ended by a fault were left out"));
    }
    expect_players(&args.player, &names)?;
    let taught = teach(&book, &lessons, out)?;
    tell(args.json, &taught, || {
        format!(
            "{} of {} games were played from the book: {} moves in {} positions counted, written to {}\n",
            taught.games_from_book,
            taught.games,
            taught.moves,
            taught.positions,
            out.display()
        )
    })
}

/// Refuses a player who is in none of the games: a slip in a name must not look like a book that was never used.
fn expect_players(wanted: &[String], names: &BTreeSet<String>) -> Result<(), Failure> {
    let Some(missing) = wanted.iter().find(|name| !names.contains(*name)) else { return Ok(()) };
    let some: Vec<&str> = names.iter().take(NAMED_PLAYERS).map(String::as_str).collect();
    let more = if names.len() > NAMED_PLAYERS { ", and others" } else { "" };
    Err(Failure::Run(anyhow!("no game is played by `{missing}`, but by: {}{more}", some.join(", "))))
}
