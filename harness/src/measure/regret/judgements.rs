//! The scores of judged moves, kept for later runs.
//!
//! A file of JSON lines, which runs with other settings extend. A score holds for one judge: its
//! program, options and limit. Lines of other judges are left alone. Several runs may share a file:
//! each holds an exclusive lock while it reads the file, and while it writes a line.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::uci::ReportedScore;

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Judgement {
    /// Hash of the judge: program, arguments, options and limit.
    judge: String,
    fen: String,
    #[serde(rename = "move")]
    mv: String,
    score: ReportedScore,
}

/// The scores known for one judge.
#[derive(Debug)]
pub(crate) struct Judgements {
    judge: String,
    file: Option<PathBuf>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// By position and move.
    known: HashMap<(String, String), ReportedScore>,
    output: Option<File>,
}

/// Calls `work` with the file while no other run reads or writes it.
fn locked<T>(file: &File, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    file.lock()?;
    let result = work(file);
    let unlocked = file.unlock();
    result.and_then(|value| unlocked.map(|()| value))
}

/// Returns the whole lines of the file. A run that was killed may leave half a line, which is cut
/// off.
fn read_whole_lines(mut file: &File) -> io::Result<String> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        file.set_len(whole as u64)?;
        text.truncate(whole);
    }
    Ok(text)
}

impl Judgements {
    /// Returns judgements that are kept for this run only.
    pub(super) fn in_memory() -> Self {
        Self { judge: String::new(), file: None, inner: Mutex::default() }
    }

    /// Reads the scores of `judge` from a file, and opens it to add more. A missing file is created.
    ///
    /// Errors: the file cannot be read or written, or a whole line is damaged.
    pub(super) fn open(file: &Path, judge: String) -> anyhow::Result<Self> {
        let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(file);
        let output = open.with_context(|| format!("cannot write {}", file.display()))?;
        let text = locked(&output, read_whole_lines);
        let text = text.with_context(|| format!("cannot read {}", file.display()))?;
        let mut known = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let line: Judgement = serde_json::from_str(line)
                .with_context(|| format!("{}:{}: not a judged move", file.display(), index + 1))?;
            if line.judge == judge {
                known.insert((line.fen, line.mv), line.score);
            }
        }
        let inner = Mutex::new(Inner { known, output: Some(output) });
        Ok(Self { judge, file: Some(file.to_path_buf()), inner })
    }

    /// Returns the score of a move, if it is known.
    pub(super) fn get(&self, fen: &str, mv: &str) -> Option<ReportedScore> {
        self.lock().known.get(&(fen.to_owned(), mv.to_owned())).copied()
    }

    /// Adds a score and writes it to the file. Errors: the file and the error of the system.
    pub(super) fn add(&self, fen: &str, mv: &str, score: ReportedScore) -> Result<(), (PathBuf, io::Error)> {
        let mut inner = self.lock();
        inner.known.insert((fen.to_owned(), mv.to_owned()), score);
        let Some(output) = &mut inner.output else { return Ok(()) };
        let line = Judgement { judge: self.judge.clone(), fen: fen.to_owned(), mv: mv.to_owned(), score };
        let written = serde_json::to_string(&line).map_err(io::Error::from).and_then(|mut line| {
            line.push('\n');
            locked(output, |mut file| {
                file.seek(SeekFrom::End(0))?;
                file.write_all(line.as_bytes())
            })
        });
        written.map_err(|error| (self.file.clone().unwrap_or_default(), error))
    }

    /// Locks the scores of this run. Recovers from poisoning: the map is consistent after a panic elsewhere.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn scores_are_kept_for_the_same_judge_only() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("judged.jsonl");
        let open = |judge: &str| Judgements::open(&file, judge.to_owned());
        let first = open("one").unwrap();
        assert_eq!(first.get("fen", "e2e4"), None);
        first.add("fen", "e2e4", ReportedScore::Cp(12)).unwrap();
        first.add("fen", "d2d4", ReportedScore::Mate(-2)).unwrap();
        assert_eq!(first.get("fen", "e2e4"), Some(ReportedScore::Cp(12)));
        assert_eq!(open("one").unwrap().get("fen", "d2d4"), Some(ReportedScore::Mate(-2)));
        assert_eq!(open("other").unwrap().get("fen", "e2e4"), None);
        // Half a line of a run that was killed is cut off.
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() - 5]).unwrap();
        let resumed = open("one").unwrap();
        assert_eq!(resumed.get("fen", "d2d4"), None);
        resumed.add("fen", "d2d4", ReportedScore::Mate(-2)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        fs::write(&file, format!("no line\n{text}")).unwrap();
        let error = open("one").unwrap_err().to_string();
        assert!(error.contains("judged.jsonl:1: not a judged move"), "{error}");
    }

    #[test]
    fn runs_that_share_a_file_keep_each_others_lines() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("judged.jsonl");
        let open = || Judgements::open(&file, "one".to_owned()).unwrap();
        let (first, second) = (open(), open());
        let moves = |run: &str| (0..20).map(|number| format!("{run}{number}")).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            for (run, name) in [(&first, "a"), (&second, "b")] {
                scope.spawn(move || {
                    for mv in moves(name) {
                        run.add("fen", &mv, ReportedScore::Cp(12)).unwrap();
                        // Opening the file again cuts no line that the other run is writing.
                        open();
                    }
                });
            }
        });
        let third = open();
        for mv in moves("a").into_iter().chain(moves("b")) {
            assert_eq!(third.get("fen", &mv), Some(ReportedScore::Cp(12)), "{mv}");
        }
    }
}
