//! The executor with a toy: its tasks are numbers, and a function attempts each.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::report::Report;
use crate::run::reporter::Reporter;
use crate::run::session::KeptRun;
use crate::run::stored::StoredRun;
use crate::run::{Entry, Host, Manifest, RunFolder, RunState, read_journal};

/// A record of the toy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Number {
    number: u64,
}

impl Entry for Number {
    fn number(&self) -> u64 {
        self.number
    }

    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

type Attempted = Result<Attempt<()>, Stop>;

fn broken(task: u64) -> Attempted {
    Err(anyhow!("task {task} is broken").into())
}

/// A run whose records are the numbers below `count`.
struct ToyStudy {
    count: u64,
    /// The number of records that suffices.
    enough: Option<usize>,
}

impl Study for ToyStudy {
    type Config = ();
    type Record = Number;
    type State = Vec<u64>;
    type Summary = (RunState, usize);

    fn rebuild((): (), _run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self { count: 10, enough: None })
    }

    fn state(&self) -> Vec<u64> {
        Vec::new()
    }

    fn check(&self, _state: &Vec<u64>, record: &Number) -> Result<(), String> {
        if record.number < self.count { Ok(()) } else { Err(format!("no task {}", record.number)) }
    }

    fn take(&self, state: &mut Vec<u64>, record: &Number) -> bool {
        state.push(record.number);
        false
    }

    fn is_enough(&self, state: &Vec<u64>) -> bool {
        self.enough.is_some_and(|enough| state.len() >= enough)
    }

    fn is_finished(&self, state: &Vec<u64>) -> bool {
        state.len() as u64 >= self.count
    }

    fn summarize(&self, state: &Vec<u64>, run: RunState) -> (RunState, usize) {
        (run, state.len())
    }

    fn report(&self, state: &Vec<u64>, _summary: &(RunState, usize)) -> Report {
        Report::new(format!("{state:?}"), crate::report::Document::default())
    }
}

/// Attempts each number with a function; `ORDERED` saves them in their order.
struct Toy<const ORDERED: bool> {
    study: ToyStudy,
    workers: usize,
    attempt: Box<dyn Fn(u64) -> Attempted + Sync>,
    cancel: Cancel,
}

impl<const ORDERED: bool> Toy<ORDERED> {
    fn new(count: u64, workers: usize, attempt: impl Fn(u64) -> Attempted + Sync + 'static) -> Self {
        let study = ToyStudy { count, enough: None };
        Self { study, workers, attempt: Box::new(attempt), cancel: Cancel::new() }
    }

    /// Returns a toy for which `enough` records suffice.
    fn until(mut self, enough: usize) -> Self {
        self.study.enough = Some(enough);
        self
    }
}

impl<const ORDERED: bool> Play for Toy<ORDERED> {
    const ITEM: &'static str = "number";
    const IN_ORDER: bool = ORDERED;

    type Study = ToyStudy;
    type Task = u64;
    type Worker<'a> = ();
    type Files = ();

    fn study(&self) -> &ToyStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn files(&self, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn tasks(&self, state: &Vec<u64>) -> Box<dyn Tasks<u64>> {
        Box::new(TaskList::new((0..self.study.count).filter(|task| !state.contains(task)).collect()))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn perform(&self, (): &mut (), task: u64, outbox: &OutboxOf<'_, Self>) -> Result<(), Stop> {
        outbox.repeat_while_void(&format!("number {task}"), "done again", || (self.attempt)(task))?;
        outbox.send(Number { number: task }, (), None)
    }
}

impl<const ORDERED: bool> View for Toy<ORDERED> {
    fn header(&self) -> String {
        String::new()
    }

    fn started(&self, _state: &Vec<u64>) -> (Value, Option<String>) {
        (json!({}), None)
    }

    fn units(&self, _state: &Vec<u64>) -> u64 {
        0
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of an attempt")]
fn done(_task: u64) -> Attempted {
    Ok(Attempt::Done(()))
}

/// Returns a new run folder and what keeps it.
fn folder() -> (tempfile::TempDir, RunFolder) {
    let dir = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(&dir.path().join("run")).unwrap();
    (dir, folder)
}

fn journal(folder: &RunFolder) -> Vec<u64> {
    let mut numbers = Vec::new();
    read_journal(&folder.journal(), |record: Number| {
        numbers.push(record.number);
        Ok(())
    })
    .unwrap();
    numbers
}

fn summary(folder: &RunFolder) -> Value {
    serde_json::from_slice(&std::fs::read(folder.summary()).unwrap()).unwrap()
}

#[test]
fn lines_before_an_unreadable_one_are_counted_once() {
    let (_dir, folder) = folder();
    let identity = json!({ "config": null });
    let manifest = Manifest::describe("toy", &identity, Host::here(1), PathBuf::new(), "", "").unwrap();
    let run = StoredRun { path: folder.path(), manifest: &manifest };
    let follow = Reporter::of::<ToyStudy>().follow.unwrap();
    let mut followed = follow(&run).unwrap().unwrap();
    std::fs::write(folder.journal(), "{\"number\":0}\ngarbage\n").unwrap();
    assert!(followed.refresh().is_err() && followed.refresh().is_err());
    assert_eq!(followed.report().1.title, "[0]");
    std::fs::write(folder.journal(), "{\"number\":0}\n{\"number\":1}\n").unwrap();
    assert!(followed.refresh().unwrap());
    assert_eq!(followed.report().1.title, "[0, 1]");
}

#[test]
fn a_stopped_run_resumes_with_the_missing_tasks() {
    let (_dir, folder) = folder();
    let toy = Toy::<false>::new(5, 1, done);
    let stop_after_2 = |record: &Number| {
        if record.number == 1 {
            toy.cancel.cancel();
        }
    };
    let stopped = execute_watched(&toy, &folder, stop_after_2).unwrap();
    assert_eq!(stopped.run_state, RunState::Interrupted);
    assert_eq!((journal(&folder), summary(&folder)), (vec![0, 1], json!(["interrupted", 2])));
    let mut seen = Vec::new();
    let toy = Toy::<false>::new(5, 2, done);
    let resumed = execute_watched(&toy, &folder, |record| seen.push(record.number)).unwrap();
    seen.sort_unstable();
    assert_eq!((resumed.run_state, seen), (RunState::Finished, vec![2, 3, 4]));
    assert_eq!(journal(&folder).len(), 5);
}

#[test]
fn a_stop_request_after_the_last_task_leaves_the_run_finished() {
    let (_dir, folder) = folder();
    let toy = Toy::<false>::new(1, 1, done);
    let done = execute_watched(&toy, &folder, |_| toy.cancel.cancel()).unwrap();
    assert_eq!(done.run_state, RunState::Finished);
}

#[test]
fn a_worker_does_not_run_ahead_of_the_decision_to_stop() {
    let (_dir, folder) = folder();
    let toy = Toy::<false>::new(100, 1, done).until(3);
    let decided = execute_watched(&toy, &folder, |_| {}).unwrap();
    assert_eq!((decided.run_state, journal(&folder)), (RunState::Finished, vec![0, 1, 2]));
    // A decided run that is resumed begins nothing.
    let toy = Toy::<false>::new(100, 1, broken).until(3);
    assert_eq!(execute_watched(&toy, &folder, |_| {}).unwrap().state.len(), 3);
}

#[test]
fn void_attempts_are_repeated_up_to_a_limit() {
    for (voids, cause, expected) in [
        (20, VoidCause::Stalled, None),
        (
            21,
            VoidCause::Stalled,
            Some("number 0: the harness itself was not running during 21 attempts in a row: "),
        ),
        (20, VoidCause::StealTime(70), None),
        (21, VoidCause::StealTime(70), Some("number 0: 21 attempts in a row had more steal time ")),
        (20, VoidCause::OtherLoad(70), None),
        (21, VoidCause::OtherLoad(70), Some("number 0: 21 attempts in a row had more load from other ")),
    ] {
        let (_dir, folder) = folder();
        let left = AtomicU32::new(voids);
        let toy = Toy::<false>::new(1, 1, move |_| {
            let is_void = left.load(Ordering::Relaxed) > 0;
            left.fetch_sub(u32::from(is_void), Ordering::Relaxed);
            Ok(if is_void { Attempt::Void(cause) } else { Attempt::Done(()) })
        });
        match (execute_watched(&toy, &folder, |_| {}), expected) {
            (Ok(done), None) => assert_eq!(done.run_state, RunState::Finished),
            (Err(error), Some(text)) => {
                assert!(error.to_string().starts_with(text), "{error}");
                assert_eq!(summary(&folder), json!(["failed", 0]));
            }
            (other, expected) => panic!("{voids} {cause:?}: {expected:?}, failed: {}", other.is_err()),
        }
    }
}

#[test]
fn a_pause_voids_the_attempts_of_all_workers_and_ends_nothing() {
    let (_dir, folder) = folder();
    let tried: Vec<AtomicU32> = (0..48).map(|_| AtomicU32::new(0)).collect();
    let toy = Toy::<false>::new(48, 24, move |task| {
        let is_first = tried[task as usize].fetch_add(1, Ordering::Relaxed) == 0;
        Ok(if is_first { Attempt::Void(VoidCause::Stalled) } else { Attempt::Done(()) })
    });
    assert_eq!(execute_watched(&toy, &folder, |_| {}).unwrap().run_state, RunState::Finished);
}

#[test]
fn an_error_stops_all_workers_and_keeps_what_was_found() {
    let (_dir, folder) = folder();
    let toy = Toy::<false>::new(100, 2, |task| {
        if task == 3 {
            // The others get on a little meanwhile.
            std::thread::sleep(Duration::from_millis(20));
            return broken(task);
        }
        std::thread::sleep(Duration::from_millis(5));
        Ok(Attempt::Done(()))
    });
    let error = execute_watched(&toy, &folder, |_| {}).err().unwrap();
    assert_eq!(error.to_string(), "task 3 is broken");
    let found = journal(&folder);
    assert!(found.starts_with(&[0]) || found.starts_with(&[1]), "{found:?}");
    assert!(!found.contains(&3) && found.len() < 99, "{found:?}");
    assert_eq!(summary(&folder), json!(["failed", found.len()]));
}

#[test]
fn ordered_records_are_saved_in_the_order_of_their_numbers() {
    let (_dir, folder) = folder();
    // The first task of each worker ends last.
    let toy = Toy::<true>::new(12, 3, |task| {
        std::thread::sleep(Duration::from_millis(if task < 3 { 10 * (3 - task) } else { 1 }));
        Ok(Attempt::Done(()))
    });
    assert_eq!(execute_watched(&toy, &folder, |_| {}).unwrap().run_state, RunState::Finished);
    assert_eq!(journal(&folder), (0..12).collect::<Vec<_>>());
}

#[test]
fn a_journal_of_another_run_is_refused() {
    let (_dir, folder) = folder();
    execute_watched(&Toy::<false>::new(4, 1, done), &folder, |_| {}).unwrap();
    let error = execute_watched(&Toy::<false>::new(3, 1, done), &folder, |_| {}).err().unwrap().to_string();
    assert!(error.ends_with("journal.jsonl:4: damaged: no task 3"), "{error}");
    let run = StoredRun { path: folder.path(), manifest: &Manifest::default() };
    let review = review(&ToyStudy { count: 3, enough: None }, &run, "").unwrap();
    assert_eq!((review.state, review.summary), (RunState::Finished, (RunState::Finished, 3)));
}

/// A run of two stages: the second has one number more than the first has records.
struct TwoStages;

impl TwoStages {
    fn stage(name: &str, count: u64) -> Stage<'_, Self> {
        let study = ToyStudy { count, enough: None };
        let equip = |study, (): &()| Toy::<false> { study, ..Toy::new(0, 1, done) };
        let fold = |found: &mut Vec<usize>, (_, count), _| found.push(count);
        Stage::new::<Toy<false>>(Some(name.to_owned()), study, equip, fold)
    }
}

impl Staged for TwoStages {
    type Config = ();
    type Kit = ();
    type Results = Vec<usize>;
    type Summary = (RunState, Vec<usize>);

    fn rebuild((): (), _run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self)
    }

    fn next(&self, found: &Vec<usize>) -> anyhow::Result<Option<Stage<'_, Self>>> {
        Ok(match found[..] {
            [] => Some(Self::stage("one", 2)),
            [first] => Some(Self::stage("two", first as u64 + 1)),
            _ => None,
        })
    }

    fn summarize(&self, found: &Vec<usize>, state: RunState) -> (RunState, Vec<usize>) {
        (state, found.clone())
    }

    fn report(&self, found: &Vec<usize>, _summary: &(RunState, Vec<usize>)) -> Report {
        Report::new(format!("{found:?}"), crate::report::Document::default())
    }

    fn started(&self) -> Option<Value> {
        Some(json!({}))
    }
}

#[test]
fn one_list_of_stages_plays_resumes_and_reports() {
    let (_dir, folder) = folder();
    let identity = json!({ "config": null });
    let manifest = Manifest::describe("toy", &identity, Host::here(1), PathBuf::new(), "", "").unwrap();
    let play = || {
        let run = KeptRun::new(manifest.clone(), folder.path(), false, Vec::new());
        assert!(complete_stages(&TwoStages, &(), &run, &folder).is_ok());
    };
    let report = || {
        let (state, report) =
            report_stages::<TwoStages>(&StoredRun { path: folder.path(), manifest: &manifest }).unwrap();
        (state, report.title)
    };
    assert_eq!(report(), (RunState::Interrupted, "[]".to_owned()), "no stage is begun");
    play();
    let second = folder.path().join("two/journal.jsonl");
    let whole = std::fs::read_to_string(&second).unwrap();
    assert_eq!((summary(&folder), whole.lines().count()), (json!(["finished", [2, 3]]), 3));
    assert_eq!(report(), (RunState::Finished, "[2, 3]".to_owned()));
    std::fs::write(&second, whole.split_inclusive('\n').next().unwrap()).unwrap();
    assert_eq!(report(), (RunState::Interrupted, "[2, 1]".to_owned()));
    play();
    assert_eq!(std::fs::read_to_string(&second).unwrap(), whole);
    assert_eq!(report(), (RunState::Finished, "[2, 3]".to_owned()));
}
