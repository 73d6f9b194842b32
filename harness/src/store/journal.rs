//! The append-only list of what a run has finished: games, or positions of a suite.
//!
//! A line is written as a whole when its item ends and is on disk after the next sync. A kill can tear only the last
//! line; on opening it is cut off and its item is played again. Anything else that does not read is damage, and is
//! refused rather than guessed at.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use super::record::{GameRecord, RECORD_VERSION};

/// What a journal holds one of on each line.
pub trait Entry: Serialize + DeserializeOwned {
    /// Its number in the run, there once only.
    fn number(&self) -> u64;
    /// Refuses a line of another format, or that contradicts itself; what is wrong with it.
    fn check(&self) -> Result<(), String>;
}

impl Entry for GameRecord {
    fn number(&self) -> u64 {
        self.game
    }

    fn check(&self) -> Result<(), String> {
        if self.v != RECORD_VERSION {
            return Err(format!("record version {}, expected {RECORD_VERSION}", self.v));
        }
        if self.half > 1 || self.game != 2 * self.pair + u64::from(self.half) {
            return Err(format!("game {} is not half {} of pair {}", self.game, self.half, self.pair));
        }
        Ok(())
    }
}

/// The open journal of a run.
#[derive(Debug)]
pub struct Journal<R = GameRecord> {
    file: File,
    path: PathBuf,
    records: PhantomData<fn(R)>,
}

impl<R: Entry> Journal<R> {
    /// Opens the journal, made if absent, and shows `visit` what it holds in the order in which it was finished.
    ///
    /// Returns also how many bytes of an unfinished last line were cut off.
    pub fn open(
        path: &Path,
        visit: impl FnMut(R) -> Result<(), StoreError>,
    ) -> Result<(Self, u64), StoreError> {
        let io = |error| StoreError::io("open", path, error);
        let options = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
        let mut file = options.map_err(io)?;
        let whole = replay(&mut BufReader::new(&file), path, visit)?;
        let torn = file.metadata().map_err(io)?.len() - whole;
        file.set_len(whole).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok((Self { file, path: path.to_path_buf(), records: PhantomData }, torn))
    }

    /// Adds one line.
    pub fn append(&mut self, record: &R) -> Result<(), StoreError> {
        let mut line =
            serde_json::to_vec(record).map_err(|error| StoreError::io("write", &self.path, error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(|error| StoreError::io("write", &self.path, error))
    }

    /// Returns when everything appended is on disk.
    pub fn sync(&mut self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| StoreError::io("sync", &self.path, error))
    }
}

/// Shows `visit` what the journal at `path` holds, without opening it for more.
pub fn read_journal<R: Entry>(
    path: &Path,
    visit: impl FnMut(R) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let file = File::open(path).map_err(|error| StoreError::io("open", path, error))?;
    replay(&mut BufReader::new(file), path, visit).map(|_| ())
}

/// Reads whole lines; returns where the last one ends.
fn replay<R: Entry>(
    reader: &mut impl BufRead,
    path: &Path,
    mut visit: impl FnMut(R) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let (mut seen, mut line, mut whole) = (BTreeSet::new(), Vec::new(), 0);
    for number in 1.. {
        line.clear();
        reader.read_until(b'\n', &mut line).map_err(|error| StoreError::io("read", path, error))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        whole += line.len() as u64;
        let damaged = |what: String| StoreError::Damaged { path: path.to_path_buf(), line: number, what };
        let record: R = serde_json::from_slice(&line).map_err(|error| damaged(error.to_string()))?;
        record.check().map_err(damaged)?;
        if !seen.insert(record.number()) {
            return Err(damaged(format!("number {} is there twice", record.number())));
        }
        visit(record)?;
    }
    Ok(whole)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;

    use super::*;
    use crate::store::record::{GameResult, MoveRecord, SideStats, Termination};

    pub(crate) fn sample(game: u64) -> GameRecord {
        let half = (game % 2) as u8;
        let texts = ["e2e4", "e7e5", "g1f3"];
        let moves = texts.map(|text| MoveRecord {
            text: text.to_owned(),
            time_us: 1500,
            score: Some(crate::uci_client::ReportedScore::Cp(12)),
            depth: Some(5),
            nodes: None,
            more: None,
        });
        GameRecord {
            v: RECORD_VERSION,
            game,
            pair: game / 2,
            half,
            white: half.into(),
            black: (1 - half).into(),
            fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            book: Vec::new(),
            opening: "start".to_owned(),
            started_ms: 1_700_000_000_000,
            duration_ms: 5,
            stolen_permille: None,
            result: GameResult::Draw,
            termination: Termination::AdjudicatedDraw,
            plies: 3,
            white_stats: SideStats::default(),
            black_stats: SideStats::default(),
            moves: moves.to_vec(),
        }
    }

    fn open(path: &Path) -> Result<(Journal, Vec<GameRecord>, u64), StoreError> {
        let mut games = Vec::new();
        let (journal, torn) = Journal::open(path, |game| {
            games.push(game);
            Ok(())
        })?;
        Ok((journal, games, torn))
    }

    #[test]
    fn a_torn_last_line_is_cut_and_the_rest_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let (mut journal, games, torn) = open(&path).unwrap();
        assert!(games.is_empty() && torn == 0);
        for game in [1, 0, 2] {
            journal.append(&sample(game)).unwrap();
        }
        journal.sync().unwrap();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"v\":1,\"game\":3"].concat()).unwrap();

        let (mut journal, games, torn) = open(&path).unwrap();
        assert_eq!(torn, 15);
        assert_eq!(games, [sample(1), sample(0), sample(2)]);
        assert_eq!(fs::read(&path).unwrap(), whole);
        journal.append(&sample(3)).unwrap();
        assert_eq!(open(&path).unwrap().1.len(), 4);
    }

    #[test]
    fn damage_is_refused_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal.jsonl");
        let line = |game: &GameRecord| serde_json::to_string(game).unwrap() + "\n";
        let good = line(&sample(0));
        let odd = line(&GameRecord { half: 1, ..sample(4) });
        for (text, expected) in [
            (format!("{good}garbage\n{good}"), ":2: "),
            (format!("{good}\n{}", line(&sample(1))), ":2: "),
            (format!("{good}{good}"), "there twice"),
            (odd, "not half 1"),
            (line(&GameRecord { v: 9, ..sample(0) }), "version 9"),
        ] {
            fs::write(&path, &text).unwrap();
            let error = open(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "a damaged journal is left as it is");
        }
    }
}
