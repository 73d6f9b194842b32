//! `workshop book make` and `workshop book learn`: the commands that read games.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::anyhow;
use clap::Args;

use super::common::{ended, tell, written};
use super::meter::{Meter, Watched};
use crate::books::{
    BookBuilder, Colors, LearnedResults, MakeOptions, ReadGame, SourceGame, expect_writable, open_checked,
    read_journal_games, read_pgn, write_learned,
};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::{FileResult, Stop};
use stretto_harness::base::system::files::{LockFile, are_same, check_inputs, is_same};
use stretto_harness::base::wording::{counted, plural};
use stretto_harness::run::command::{Failure, cancel_on_signals, say};

/// Maximum number of bad games listed one by one.
const NAMED: u64 = 10;
/// Maximum number of player names listed in an error.
const NAMED_PLAYERS: usize = 10;

pub(crate) const MAKE_HELP: &str = "\
Examples:
  workshop book make games.pgn --out book.bin
  workshop book make masters.pgn own.pgn --out white.bin --color white --max-ply 30 --min-games 5 --min-score 45

The weight of a move is the sum of its results: 2 for a win, 1 for a draw. Moves of weight 0 are left out. A move that a game repeats
in the same position counts each time, also for --min-games, as in Polyglot.
Games without a result are skipped; games with illegal moves and of other variants are reported and skipped. Games may start from any
position (FEN tag), also in Chess960.
A file that is given twice is an error, and so is an output that would replace the games.
Memory use stays below about 250 MB for books of any size; larger data is sorted on disk in the folder of the book.";

#[derive(Debug, Args)]
pub(crate) struct MakeArgs {
    /// The PGN files of the games.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The book to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Use this many plies of each game.
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_ply: usize,
    /// Leave out moves played less often.
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_games: u32,
    /// Leave out moves with a lower score, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    min_score: f64,
    /// The side whose moves the book contains.
    #[arg(long, value_enum, value_name = "COLOR", default_value = "both")]
    color: Colors,
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

pub(crate) const LEARN_HELP: &str = "\
Examples:
  workshop book learn book.bin results/runs/match-20261122-120000-1a2b3c4d --player stretto
  workshop book learn book.bin games.pgn --both --out learned.bin

For each book move that the player made, the number of games and half points is added to the learn field of its entry; other
programs read the book as before. Stretto with Book Learning then plays moves more often that scored well or were rarely tried
(engine/src/book/choice.rs has the formula). Moves of a match's openings do not count, and neither do games that a run records as
lost by a crash, a hang, an illegal move or on time.

Every game is counted, so give each game once. A file that is given twice is an error.";

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The Polyglot book whose learning data are updated.
    book: PathBuf,
    /// PGN files, or folders of runs of `harness match`.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The player whose moves count, by the name in the games. Repeat for more.
    #[arg(long, value_name = "NAME", required_unless_present = "both")]
    player: Vec<String>,
    /// Count the moves of both players.
    #[arg(long, conflicts_with = "player")]
    both: bool,
    /// The book to write [default: the same book].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the summary as JSON.
    #[arg(long)]
    json: bool,
}

/// Formats a number of games: `1 game`, `2 games`.
fn counted_games(games: u64) -> String {
    counted(games as usize, "game")
}

/// A reader of game files with progress output and counts of skipped games.
struct GameReader {
    cancel: Cancel,
    meter: Meter,
    read: Arc<AtomicU64>,
    bad: u64,
    unfinished: u64,
    games: u64,
}

impl GameReader {
    fn new(files: &[PathBuf]) -> Result<Self, Failure> {
        let sizes = files.iter().map(|file| std::fs::metadata(file).map_or(0, |metadata| metadata.len()));
        let cancel = cancel_on_signals()?;
        let meter = Meter::new(sizes.sum());
        Ok(Self { cancel, meter, read: Arc::new(AtomicU64::new(0)), bad: 0, unfinished: 0, games: 0 })
    }

    /// Passes the games of a PGN file to `visit`.
    fn take(
        &mut self,
        file: &Path,
        plies: usize,
        mut visit: impl FnMut(&SourceGame) -> Result<(), Stop>,
    ) -> Result<(), Failure> {
        let read = Arc::clone(&self.read);
        let watch = |file: File| Watched { file, read };
        let unfinished = read_pgn(file, plies, watch, |game: ReadGame| {
            if self.cancel.is_cancelled() {
                return Err(Stop::Cancelled);
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
            self.meter.report(self.read.load(Ordering::Relaxed), || counted_games(self.games));
            Ok(())
        });
        self.unfinished += unfinished.map_err(ended)?;
        Ok(())
    }

    /// Reports the skipped games.
    fn finish(&self) {
        self.meter.finish();
        if self.bad > NAMED {
            say(&format!("and {} more", self.bad - NAMED));
        }
        if self.bad > 0 {
            say(&format!("skipped {} unreadable {}", self.bad, plural(self.bad as usize, "game")));
        }
        if self.unfinished > 0 {
            say(&format!("skipped {} without a result", counted_games(self.unfinished)));
        }
    }
}

pub(crate) fn make(args: &MakeArgs) -> Result<(), Failure> {
    let options = MakeOptions {
        max_ply: args.max_ply,
        min_games: args.min_games,
        min_score: args.min_score,
        colors: args.color,
        uniform: args.uniform,
    };
    let folder = args.out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    check_inputs(&args.games, Some(&args.out)).map_err(Failure::Usage)?;
    expect_writable(&args.out)?;
    let mut builder = BookBuilder::new(options, folder);
    let mut reader = GameReader::new(&args.games)?;
    for file in &args.games {
        reader
            .take(file, args.max_ply, |game| Ok(builder.add(game).or_cannot("sort moves in", folder)?))?;
    }
    reader.finish();
    let summary = builder.finish(&args.out)?;
    tell(args.json, &summary, || {
        let what = written(summary.entries, summary.positions, &args.out);
        let moves = counted(summary.moves as usize, "move");
        format!("{what}, of {moves} in {}\n", counted_games(summary.games))
    })
}

/// Waits until no other command learns into this book, and locks it. The file of the lock is removed at the end.
fn lock(book: &Path) -> anyhow::Result<(LockFile, PathBuf)> {
    let path = PathBuf::from(format!("{}.lock", book.display()));
    loop {
        let lock = LockFile::open(&path).or_cannot("open", &path)?;
        lock.lock().or_cannot("lock", &path)?;
        // Otherwise another command has removed it meanwhile.
        if is_same(&lock, &path) {
            return Ok((lock, path));
        }
    }
}

pub(crate) fn learn(args: &LearnArgs) -> Result<(), Failure> {
    let out = args.out.as_ref().unwrap_or(&args.book);
    // Otherwise one of two commands at once would lose its results.
    let lock = are_same(&args.book, out).then(|| lock(out)).transpose()?;
    let learned = learn_into(args, out);
    if let Some((_lock, path)) = lock {
        let _ = std::fs::remove_file(path);
    }
    learned
}

fn learn_into(args: &LearnArgs, out: &Path) -> Result<(), Failure> {
    let book = open_checked(&args.book)?;
    check_inputs(&args.games, Some(out)).map_err(Failure::Usage)?;
    expect_writable(out)?;
    let mut reader = GameReader::new(&args.games)?;
    let (mut results, mut names, mut faults) = (LearnedResults::default(), BTreeSet::new(), 0);
    let learns = |name: &str| args.both || args.player.iter().any(|player| player == name);
    let mut take = |game: &SourceGame| {
        names.extend(game.players.iter().cloned());
        results.add(&book, game, learns);
    };
    for source in &args.games {
        if source.is_dir() {
            faults += read_journal_games(source, |game| take(&game))?;
        } else {
            let taken = |game: &SourceGame| {
                take(game);
                Ok(())
            };
            reader.take(source, usize::MAX, taken)?;
        }
    }
    reader.finish();
    if faults > 0 {
        say(&format!("skipped {} that ended by a fault", counted_games(faults)));
    }
    expect_players(&args.player, &names)?;
    let summary = write_learned(&book, &results, out)?;
    tell(args.json, &summary, || {
        format!(
            "{} of {} used the book: updated {} in {}, written to {}\n",
            summary.games_from_book,
            counted_games(summary.games),
            counted(summary.moves as usize, "move"),
            counted(summary.positions as usize, "position"),
            out.display()
        )
    })
}

/// Rejects a player without games, so that a misspelt name does not look like an unused book.
fn expect_players(wanted: &[String], names: &BTreeSet<String>) -> Result<(), Failure> {
    let Some(missing) = wanted.iter().find(|name| !names.contains(*name)) else { return Ok(()) };
    let some: Vec<&str> = names.iter().take(NAMED_PLAYERS).map(String::as_str).collect();
    let more = if names.len() > NAMED_PLAYERS { ", and others" } else { "" };
    Err(Failure::Run(anyhow!("no games of player `{missing}`; the files contain: {}{more}", some.join(", "))))
}
