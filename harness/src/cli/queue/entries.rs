//! The entries of a queue: one file each, in the order of their numbers.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use crate::base::errors::FileResult;
use crate::base::system::files::{self, LockFile, has_locked, if_exists};
use crate::base::wording::parser_message;
use crate::cli::runs::{is_locked, report_title};
use crate::run::quick::words_text;
use crate::run::session::write_file;

/// The folder of the queue.
pub(crate) const QUEUE: &str = "results/queue";

/// A command that waits, or that the queue has run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its number, from 1. Entries are run in this order.
    pub(crate) id: u64,
    /// The command line after the name of the program, as typed.
    pub(crate) words: Vec<String>,
    /// Arguments that the queue adds after the name of the command: the name of the run, and the commits of branches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) added_words: Vec<String>,
    /// Arguments that count also when its run is resumed, such as `--expect h1`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) flags: Vec<String>,
    /// The working directory of the command.
    pub(crate) working_dir: PathBuf,
    /// The folder of its run.
    pub(crate) run: PathBuf,
    /// The times at which it was added, begun and ended, UTC.
    pub(crate) added: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) begun: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended: Option<String>,
    /// The exit code of the command; absent also if a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
}

/// The state of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryState {
    /// It has not begun.
    Waiting,
    /// A queue plays it at this moment.
    Running,
    /// It has begun, and nothing runs it. The queue resumes it first.
    Interrupted,
    /// Its command has ended.
    Ended,
}

impl EntryState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Ended => "ended",
        }
    }
}

impl Entry {
    /// Returns its state, where `is_busy` tells whether a command of the queue runs. On Windows the command of a killed queue
    /// loses the lock of the machine, and only its run is locked.
    pub(crate) fn state(&self, is_busy: bool) -> EntryState {
        match (&self.begun, &self.ended) {
            (_, Some(_)) => EntryState::Ended,
            (Some(_), None) if is_busy || is_locked(&self.run) => EntryState::Running,
            (Some(_), None) => EntryState::Interrupted,
            (None, None) => EntryState::Waiting,
        }
    }

    /// Returns the command line as typed.
    pub(crate) fn text(&self) -> String {
        words_text(&self.words)
    }

    /// Returns the arguments that begin the run.
    pub(super) fn arguments(&self) -> Vec<String> {
        let command = self.words.iter().position(|word| !word.starts_with('-')).map_or(0, |place| place + 1);
        let (before, after) = self.words.split_at(command);
        [before, &self.added_words[..], after].concat()
    }

    /// Describes its end: the exit code, and the title of its report.
    pub(super) fn ending(&self) -> String {
        let code = self.exit_code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
        self.result().map_or(code.clone(), |result| format!("{code}; {result}"))
    }

    /// Returns the title of its report, which has the result.
    pub(crate) fn result(&self) -> Option<String> {
        report_title(&self.run)
    }
}

/// The folder of a queue.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    folder: PathBuf,
}

impl Queue {
    /// Returns the queue in a folder, which may not exist yet.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    fn lock_file(&self, name: &str) -> anyhow::Result<LockFile> {
        let path = self.folder.join(name);
        fs::create_dir_all(&self.folder).or_cannot("create", &self.folder)?;
        LockFile::open(&path).or_cannot("open", &path)
    }

    /// Takes the lock under which entries are changed. It is held for moments only.
    pub(super) fn edit(&self) -> anyhow::Result<LockFile> {
        let file = self.lock_file("edit.lock")?;
        file.lock().or_cannot("lock", &self.folder)?;
        Ok(file)
    }

    fn try_lock(&self, name: &str) -> anyhow::Result<Option<LockFile>> {
        let file = self.lock_file(name)?;
        let is_ours = has_locked(file.try_lock());
        let is_ours = is_ours.or_cannot("lock", &self.folder.join(name))?;
        Ok(is_ours.then_some(file))
    }

    /// Takes the lock of the process that runs the queue; `None` if another one has it.
    pub(super) fn lead(&self) -> anyhow::Result<Option<LockFile>> {
        self.try_lock("run.lock")
    }

    /// Takes the lock of the machine, which the queue and its command have; `None` if another process has it.
    pub(super) fn machine(&self) -> anyhow::Result<Option<LockFile>> {
        self.try_lock("machine.lock")
    }

    /// Whether a command of the queue runs.
    pub(crate) fn is_busy(&self) -> bool {
        files::is_locked(&self.folder.join("machine.lock"))
    }

    fn file(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id}.yaml"))
    }

    /// Reads all entries, in the order of their numbers; none if there is no queue.
    ///
    /// Errors: the folder or a file cannot be read.
    pub(crate) fn entries(&self) -> anyhow::Result<Vec<Entry>> {
        let listed = if_exists(fs::read_dir(&self.folder)).or_cannot("read", &self.folder)?;
        let mut entries = Vec::new();
        for file in listed.into_iter().flatten() {
            let file = file.or_cannot("read", &self.folder)?.path();
            let stem = file.file_stem().and_then(|stem| stem.to_str());
            let is_entry = file.extension().is_some_and(|extension| extension == "yaml");
            if is_entry && stem.is_some_and(|stem| stem.parse::<u64>().is_ok()) {
                entries.extend(read(&file)?);
            }
        }
        entries.sort_by_key(|entry| entry.id);
        Ok(entries)
    }

    /// Reads an entry; `None` if it was removed.
    pub(super) fn entry(&self, id: u64) -> anyhow::Result<Option<Entry>> {
        read(&self.file(id))
    }

    /// Writes an entry. The caller has the lock of [`Self::edit`].
    pub(super) fn write(&self, entry: &Entry) -> anyhow::Result<()> {
        write_file(&self.file(entry.id), &serde_yaml::to_string(entry).context("cannot write the entry")?)
    }

    /// Deletes an entry. The caller has the lock of [`Self::edit`].
    pub(super) fn delete(&self, id: u64) -> anyhow::Result<()> {
        let file = self.file(id);
        fs::remove_file(&file).or_cannot("delete", &file)
    }
}

/// Reads the file of an entry; `None` if there is none.
fn read(file: &Path) -> anyhow::Result<Option<Entry>> {
    let text = if_exists(fs::read_to_string(file));
    let text = text.or_cannot("read", file)?;
    let entry = text.map(|text| {
        serde_yaml::from_str(&text).map_err(|error| {
            let message = parser_message(&error.to_string());
            anyhow!("{} is damaged: {message}; delete it and add its command again", file.display())
        })
    });
    entry.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, words: &str) -> Entry {
        Entry {
            id,
            words: words.split(' ').map(str::to_owned).collect(),
            added_words: vec!["--run-id".to_owned(), format!("q{id}")],
            working_dir: PathBuf::from("/w"),
            run: PathBuf::from(format!("/w/results/runs/sprt-q{id}")),
            added: "2026-11-28T16:00:00Z".to_owned(),
            ..Entry::default()
        }
    }

    #[test]
    fn entries_are_kept_in_the_order_of_their_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path().join("queue"));
        assert_eq!(queue.entries().unwrap(), []);
        let _lock = queue.edit().unwrap();
        for id in [10, 2, 1] {
            queue.write(&entry(id, "sprt a.yaml")).unwrap();
        }
        let ids = || queue.entries().unwrap().iter().map(|entry| entry.id).collect::<Vec<_>>();
        assert_eq!(ids(), [1, 2, 10]);
        queue.delete(2).unwrap();
        assert_eq!(ids(), [1, 10]);
        assert_eq!(queue.entry(2).unwrap(), None);
        assert_eq!(queue.entry(10).unwrap(), Some(entry(10, "sprt a.yaml")));
    }

    #[test]
    fn damaged_entry_is_an_error_with_its_file() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("3.yaml"), "id: 3\nwards: []\n").unwrap();
        let error = Queue::new(dir.path()).entries().unwrap_err().to_string();
        assert!(error.contains("3.yaml is damaged: unknown field `wards`"), "{error}");
        assert!(error.contains("delete it and add its command again"), "{error}");
    }

    #[test]
    fn added_arguments_follow_the_name_of_the_command() {
        let arguments = |words| entry(1, words).arguments().join(" ");
        assert_eq!(arguments("sprt ./a ./b --tc 1+0.1"), "sprt --run-id q1 ./a ./b --tc 1+0.1");
        assert_eq!(arguments("-v match --from-fastchess -x"), "-v match --run-id q1 --from-fastchess -x");
    }

    #[test]
    fn state_follows_from_times_and_the_lock() {
        let waiting = entry(1, "sprt a.yaml");
        let begun = Entry { begun: Some("now".to_owned()), ..waiting.clone() };
        let ended = Entry { ended: Some("now".to_owned()), ..begun.clone() };
        assert_eq!([true, false].map(|busy| waiting.state(busy)), [EntryState::Waiting; 2]);
        assert_eq!(
            [true, false].map(|busy| begun.state(busy)),
            [EntryState::Running, EntryState::Interrupted]
        );
        assert_eq!([true, false].map(|busy| ended.state(busy)), [EntryState::Ended; 2]);
    }

    #[test]
    fn one_process_has_the_lock_of_the_machine() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        assert!(!queue.is_busy());
        let lock = queue.machine().unwrap();
        assert!(lock.is_some() && queue.machine().unwrap().is_none() && queue.is_busy());
        drop(lock);
        assert!(!queue.is_busy() && queue.machine().unwrap().is_some());
    }
}
