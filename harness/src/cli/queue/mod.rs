//! `harness queue`: commands wait for the machine, and are run one after the other.
//!
//! `entries` has the files of the queue and its locks, `play` runs the commands. Each is a process of its own, so that a queue
//! that is killed or replaced leaves the test in progress alone.

pub(crate) mod entries;
mod play;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::{ArgMatches, Args, Subcommand};
use serde_json::json;

use self::entries::{Entry, EntryState, QUEUE, Queue};
use crate::base::wording::counted;
use crate::run::check;
use crate::run::command::{Checked, Failure, print, print_json, say};
use crate::run::reporter::Reporter;
use crate::run::session::{RUNS, timestamp};

const HELP: &str = "\
Examples:
  harness queue add sprt --dev my-branch --base main --stages stc,ltc
  harness queue add sprt ./dev ./base --tc 8+0.08 --elo 0 5 --expect h1
  harness queue add match configs/match/self-play.yaml
  harness queue list
  harness queue run                # until the queue is empty
  harness queue run --wait         # and then wait for more
  harness queue remove 3

A queue is the folder results/queue. Its commands are run one after the other, in the order in which they were added, never two at
once, and not while another run of results/runs is in progress. After Ctrl-C, or if both are killed, the next `harness queue run` resumes
the test. If the queue alone is killed, its test goes on, and the next `harness queue run` waits for it. If the test alone is killed, the queue
says so, goes on, and ends with exit code 1.

A command is checked when it is added. Branches are tested at the commit that they have then; a configuration file is read when
its test begins. `harness watch` lists the commands that wait. A queue is for one machine; OpenBench distributes tests.";

const ADD_HELP: &str = "\
Examples:
  harness queue add sprt --dev my-branch --base main --tc 8+0.08
  harness queue add tune tune.yaml
  harness queue add sprt --resume sprt-quick

Commands that keep a run: sprt, match, bench, smp, tune, suite, ablate, equivalence and screen.";

/// Runs tests one after the other: what is added waits for the machine.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct QueueArgs {
    #[command(subcommand)]
    command: QueueCommand,
}

#[derive(Debug, Subcommand)]
enum QueueCommand {
    /// Add a command of the harness, which is checked at once.
    #[command(after_help = ADD_HELP)]
    Add {
        /// The command line, without the name of the program.
        #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// List the commands of the queue with their state and result.
    List {
        /// Print the list as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run the commands until the queue is empty. Exits with 1 if one of them did not exit with 0.
    Run {
        /// Wait for further commands when the queue is empty, until Ctrl-C.
        #[arg(long)]
        wait: bool,
    },
    /// Remove commands that wait, were interrupted or have ended. Their runs stay.
    Remove {
        /// Numbers of the commands, as `harness queue list` prints them.
        #[arg(value_name = "ID", required_unless_present = "ended")]
        ids: Vec<u64>,
        /// Remove all commands that have ended.
        #[arg(long)]
        ended: bool,
    },
}

/// The function of a command whose arguments were parsed.
type Runnable = Box<dyn FnOnce() -> Result<ExitCode, Failure>>;

/// Arguments that were parsed, and the function of their command; or the message of the parser.
type Parsed = Result<(ArgMatches, Runnable), String>;

/// The commands that may wait in a queue.
#[derive(Clone, Copy)]
pub(crate) struct Commands {
    /// Parses a command line without the name of the program.
    pub(crate) parse: fn(&[String]) -> Parsed,
    /// Returns the whole command line.
    pub(crate) command: fn() -> clap::Command,
    /// The kinds of run that are kept.
    pub(crate) runs: &'static [(&'static str, Reporter)],
}

/// Runs `harness queue`.
pub(crate) fn run(args: &QueueArgs, commands: Commands) -> Result<ExitCode, Failure> {
    let queue = Queue::new(QUEUE);
    match &args.command {
        QueueCommand::Add { words } => add(&queue, words, commands),
        QueueCommand::List { json } => list(&queue, *json),
        QueueCommand::Run { wait } => play::run(&queue, *wait),
        QueueCommand::Remove { ids, ended } => remove(&queue, ids, *ended),
    }
}

/// Adds a command line. Errors: the command would not begin a run.
fn add(queue: &Queue, words: &[String], commands: Commands) -> Result<ExitCode, Failure> {
    let (matches, command) = (commands.parse)(words).map_err(Failure::Usage)?;
    let (name, own) = matches.subcommand().unwrap_or(("", &matches));
    let kinds: Vec<&str> = commands.runs.iter().map(|(kind, _)| *kind).collect();
    let expected = kinds.join(", ");
    Failure::require(
        kinds.contains(&name),
        format_args!("harness {name} keeps no run, so it cannot wait in a queue: expected one of {expected}"),
    )?;
    let Some(checked) = check::run(command)? else {
        return Failure::usage(
            "these arguments begin no run, so the command cannot wait in a queue: run it now",
        );
    };
    let working_dir = std::env::current_dir().context("cannot read the working directory")?;
    let _lock = queue.edit()?;
    let entries = queue.entries()?;
    let id = entries.last().map_or(1, |last| last.id + 1);
    let added = timestamp();
    let (run, mut added_words) = place(own, &checked, &working_dir, id, &added);
    let (shown, is_new) = (run.display(), checked.resumed.is_none());
    let message = format_args!("{shown} already has a run: expected another name, or --resume");
    Failure::require(!is_new || !run.join("manifest.yaml").exists(), message)?;
    if let Some(other) = entries.iter().find(|other| other.ended.is_none() && other.run == run) {
        return Failure::usage(format!("{shown} is the run of entry {}: expected another one", other.id));
    }
    added_words.extend(checked.commits.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
    let entry = Entry {
        id,
        words: words.to_vec(),
        added_words,
        flags: lasting_flags(&(commands.command)(), &matches, own, name),
        working_dir,
        run,
        added,
        ..Entry::default()
    };
    queue.write(&entry)?;
    let before = entries.iter().filter(|entry| entry.ended.is_none()).count();
    print(&format!("{id}: harness {}\n", entry.text()));
    say(&match before {
        0 => "`harness queue run` runs it".to_owned(),
        before => format!("it waits for {} before it", counted(before, "command")),
    });
    Ok(ExitCode::SUCCESS)
}

/// Returns the folder of the run, and the arguments that give it its name.
fn place(own: &ArgMatches, checked: &Checked, here: &Path, id: u64, now: &str) -> (PathBuf, Vec<String>) {
    if let Some(resumed) = &checked.resumed {
        return (here.join(resumed), Vec::new());
    }
    if let Ok(Some(out)) = own.try_get_one::<PathBuf>("out") {
        return (here.join(out), Vec::new());
    }
    let folder = |name: &str| here.join(RUNS).join(format!("{}-{name}", checked.kind));
    if let Ok(Some(name)) = own.try_get_one::<String>("run_id") {
        return (folder(name), Vec::new());
    }
    let stamp = now.replace(['-', ':', 'Z'], "").replace('T', "-");
    let name = format!("{stamp}-q{id}");
    (folder(&name), vec!["--run-id".to_owned(), name])
}

/// Arguments of commands that a resumed run does not keep, by their names in clap.
const LASTING: [&str; 4] = ["expect", "interval", "json", "strict_pv"];

/// Returns the arguments that count also when the run is resumed.
fn lasting_flags(command: &clap::Command, matches: &ArgMatches, own: &ArgMatches, name: &str) -> Vec<String> {
    let is_given = |matches: &ArgMatches, id: &str| {
        matches.try_contains_id(id).unwrap_or(false)
            && matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
    };
    let mut flags = Vec::new();
    for id in ["quiet", "verbose"] {
        if is_given(matches, id) || is_given(own, id) {
            flags.push(format!("--{id}"));
        }
    }
    let Some(command) = command.find_subcommand(name) else { return flags };
    for id in LASTING.into_iter().filter(|id| is_given(own, id)) {
        let Some(arg) = command.get_arguments().find(|arg| arg.get_id() == id) else { continue };
        flags.extend(arg.get_long().map(|long| format!("--{long}")));
        if arg.get_action().takes_values() {
            let values = own.get_raw(id).into_iter().flatten();
            flags.extend(values.map(|value| value.to_string_lossy().into_owned()));
        }
    }
    flags
}

fn list(queue: &Queue, is_json: bool) -> Result<ExitCode, Failure> {
    let (entries, is_busy) = (queue.entries()?, queue.is_busy());
    if is_json {
        let list: Vec<_> = entries
            .iter()
            .map(|entry| {
                json!({
                    "id": entry.id, "state": entry.state(is_busy), "command": entry.text(), "run": entry.run,
                    "added": entry.added, "begun": entry.begun, "ended": entry.ended, "exit_code": entry.exit_code,
                    "result": entry.ended.as_ref().and_then(|_| entry.result()),
                })
            })
            .collect();
        print_json(&list)?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in &entries {
        let state = entry.state(is_busy);
        print(&format!("{:>4}  {:11}  harness {}\n", entry.id, state.name(), entry.text()));
        if state == EntryState::Ended {
            print(&format!("      {}\n", entry.ending()));
        }
    }
    let waiting = entries.iter().filter(|entry| entry.ended.is_none()).count();
    print(&format!("{}, {waiting} to be run\n", counted(entries.len(), "command")));
    Ok(ExitCode::SUCCESS)
}

fn remove(queue: &Queue, ids: &[u64], ended: bool) -> Result<ExitCode, Failure> {
    let _lock = queue.edit()?;
    let (entries, is_busy) = (queue.entries()?, queue.is_busy());
    for id in ids {
        let Some(entry) = entries.iter().find(|entry| entry.id == *id) else {
            return Failure::usage(format!("{id}: no command of this number; see `harness queue list`"));
        };
        if entry.state(is_busy) == EntryState::Running {
            let message =
                format!("command {id} is in progress: stop it first, with Ctrl-C in `harness queue run`");
            return Err(Failure::Run(anyhow!(message)));
        }
    }
    let is_chosen = |entry: &&Entry| ids.contains(&entry.id) || ended && entry.ended.is_some();
    for entry in entries.iter().filter(is_chosen) {
        queue.delete(entry.id)?;
        print(&format!("removed {}: harness {}\n", entry.id, entry.text()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the commands of a queue that wait, as number and text; none if it cannot be read.
pub(crate) fn waiting(folder: &Path) -> Vec<(u64, String)> {
    let entries = Queue::new(folder).entries().unwrap_or_default();
    let waiting = entries.into_iter().filter(|entry| entry.begun.is_none());
    waiting.map(|entry| (entry.id, format!("harness {}", entry.text()))).collect()
}
