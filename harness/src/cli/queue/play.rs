//! Runs the commands of a queue, each in a process of its own.

#![expect(clippy::disallowed_methods, reason = "starts this program again, with the arguments of a command")]

use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow};

use super::entries::{Entry, Queue};
use crate::base::cancel::Cancel;
use crate::base::system::files::LockFile;
use crate::base::system::group::describe_exit;
use crate::base::system::signals::request_stop;
use crate::cli::runs::{is_locked, manifests_in};
use crate::run::command::{Failure, cancel_on_signals, fail, say};
use crate::run::quick::words_text;
use crate::run::session::{RUNS, read_any_manifest, timestamp};

/// Interval at which a command, the queue and other runs are looked at.
const POLL: Duration = Duration::from_millis(100);
/// Exit code of an interrupted command.
const INTERRUPTED: i32 = 3;

/// Runs the commands of the queue. With `waits` it goes on when the queue is empty, until a stop request.
pub(super) fn run(queue: &Queue, waits: bool) -> Result<ExitCode, Failure> {
    let cancel = cancel_on_signals()?;
    let Some(_lead) = queue.lead()? else {
        return Err(Failure::Run(anyhow!("another `harness queue run` runs this queue")));
    };
    let machine = take_machine(queue, &cancel)?;
    let (mut failed, mut is_idle) = (0_usize, false);
    loop {
        if cancel.is_cancelled() {
            return if is_idle { Ok(ExitCode::SUCCESS) } else { Err(Failure::Interrupted) };
        }
        let Some(next) = next(queue)? else {
            if !waits {
                break;
            }
            if !std::mem::replace(&mut is_idle, true) {
                say("the queue is empty; waiting for `harness queue add` until Ctrl-C");
            }
            std::thread::sleep(POLL);
            continue;
        };
        is_idle = false;
        if await_runs(&next.run, &cancel) {
            failed += usize::from(!run_entry(queue, next.id, &machine, &cancel)?);
        }
    }
    if failed > 0 {
        return Ok(fail(
            1,
            &format!("{failed} of the commands did not exit with 0: see `harness queue list`"),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes the lock of the machine. The command of a queue that was killed has it until it ends.
fn take_machine(queue: &Queue, cancel: &Cancel) -> Result<LockFile, Failure> {
    let mut is_told = false;
    loop {
        if let Some(lock) = queue.machine()? {
            return Ok(lock);
        }
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        if !std::mem::replace(&mut is_told, true) {
            say("waiting for the command that an earlier `harness queue run` began");
        }
        std::thread::sleep(POLL);
    }
}

/// Returns the entry that was interrupted, or else the first that waits.
fn next(queue: &Queue) -> anyhow::Result<Option<Entry>> {
    let mut entries = queue.entries()?;
    entries.retain(|entry| entry.ended.is_none());
    entries.sort_by_key(|entry| (entry.begun.is_none(), entry.id));
    Ok(entries.into_iter().next())
}

/// Waits until neither this run nor any in the folder of runs is in progress. Returns false on a stop request.
fn await_runs(own: &Path, cancel: &Cancel) -> bool {
    let mut told = None;
    loop {
        if cancel.is_cancelled() {
            return false;
        }
        let mut runs = manifests_in(Path::new(RUNS)).into_iter().chain([own.to_path_buf()]);
        let Some(other) = runs.find(|path| is_locked(path)) else { return true };
        if told.as_ref() != Some(&other) {
            say(&format!("waiting for {}, which is in progress", other.display()));
            told = Some(other);
        }
        std::thread::sleep(POLL);
    }
}

/// Runs the command of an entry, or resumes its run. Returns whether it exited with 0, or was removed before.
fn run_entry(queue: &Queue, id: u64, machine: &LockFile, cancel: &Cancel) -> Result<bool, Failure> {
    let begun = {
        let _lock = queue.edit()?;
        let Some(mut entry) = queue.entry(id)? else { return Ok(true) };
        entry.begun.get_or_insert_with(timestamp);
        queue.write(&entry)?;
        entry
    };
    say(&format!("queue, command {id}: harness {}", begun.text()));
    let mut child = spawn(&begun, &arguments(&begun)?, machine)?;
    let status = wait(&mut child, cancel)?;
    if status.code() == Some(INTERRUPTED) {
        say(&format!(
            "command {id} is interrupted: `harness queue run` resumes it, `harness queue remove {id}` drops it"
        ));
        return Err(Failure::Interrupted);
    }
    let _lock = queue.edit()?;
    let Some(mut entry) = queue.entry(id)? else { return Ok(status.success()) };
    entry.ended = Some(timestamp());
    entry.exit_code = status.code();
    queue.write(&entry)?;
    match status.code() {
        Some(_) => say(&format!("queue, command {id}: {}", entry.ending())),
        None => say(&format!(
            "queue, command {id} {}; to go on with it: harness queue add {}",
            describe_exit(status),
            if entry.run.exists() { words_text(&arguments(&entry)?) } else { entry.text() }
        )),
    }
    Ok(status.success())
}

/// Returns the arguments that begin the run of an entry, or resume it.
fn arguments(entry: &Entry) -> anyhow::Result<Vec<String>> {
    let manifest = entry.run.join("manifest.yaml");
    if !manifest.exists()
        || entry.words.iter().any(|word| word == "--resume" || word.starts_with("--resume="))
    {
        return Ok(entry.arguments());
    }
    let kind = read_any_manifest(&manifest)?.kind;
    let resume = [kind, "--resume".to_owned(), entry.run.to_string_lossy().into_owned()];
    Ok([&resume[..], &entry.flags[..]].concat())
}

/// Starts the command of an entry. It has the lock of the machine as its input, so that the lock is held until it ends, also
/// if this process is killed.
fn spawn(entry: &Entry, arguments: &[String], machine: &LockFile) -> anyhow::Result<Child> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let lock = machine.try_clone().context("cannot share the lock of the queue")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&entry.working_dir).stdin(Stdio::from(lock));
    command.spawn().with_context(|| {
        let (id, folder) = (entry.id, entry.working_dir.display());
        format!("cannot start command {id} in {folder}; `harness queue remove {id}` drops it")
    })
}

/// Waits for a command. A stop request is passed on to it: not every signal reaches it too.
fn wait(child: &mut Child, cancel: &Cancel) -> anyhow::Result<ExitStatus> {
    let mut is_stopped = false;
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the command")? {
            return Ok(status);
        }
        if cancel.is_cancelled() && !std::mem::replace(&mut is_stopped, true) {
            request_stop(child);
        }
        std::thread::sleep(POLL);
    }
}
