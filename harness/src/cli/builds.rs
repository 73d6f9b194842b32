//! `harness builds`: lists and deletes the engines that were built from commits.

#![expect(clippy::disallowed_methods, reason = "ages of builds")]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use indicatif::HumanBytes;
use jiff::{Span, SpanRelativeTo, Timestamp};
use serde_json::{Value, json};

use super::runs::size_of;
use crate::base::errors::FileResult;
use crate::base::wording::counted;
use crate::config::git::builds_folder;
use crate::run::builds::cache::{CachedBuild, list};
use crate::run::command::{Failure, print, print_json, say};

const HELP: &str = "\
Examples:
  harness builds list
  harness builds prune --older-than 30d --dry-run
  harness builds prune 1a2b3c4d5e-0f1e2d3c
  harness builds prune --all

Builds are made by --dev, --base, git:REVISION and the field `git` of a configuration. They are kept in the user's cache
folder. A build is made again when a run needs it and it is gone, also by --resume: that takes its commit and repository.";

/// Lists engines built from git commits, or deletes them.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(super) struct BuildsArgs {
    #[command(subcommand)]
    command: BuildsCommand,
}

#[derive(Debug, Subcommand)]
enum BuildsCommand {
    /// List the builds, most recently used first.
    List {
        /// Print the list as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Delete builds by name or by age, except those that a running process uses.
    ///
    /// At least one of BUILD, --older-than and --all is needed.
    Prune {
        /// Names of builds, as `list` prints them.
        #[arg(value_name = "BUILD")]
        builds: Vec<String>,
        /// Delete only builds last used longer ago than this: a number of days (30d), hours (12h) or weeks (2w).
        ///
        /// A build that failed or was interrupted counts from that moment.
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Option<Duration>,
        /// Delete all builds.
        #[arg(long, conflicts_with_all = ["builds", "older_than"])]
        all: bool,
        /// Print what would be deleted and delete nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Parses an age such as `30d`.
fn age(text: &str) -> Result<Duration, String> {
    let span = text.parse::<Span>().and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()));
    span.and_then(Duration::try_from).map_err(|_| {
        format!("`{text}`: expected a number of days such as 30d, or of hours (12h) or weeks (2w)")
    })
}

/// Lists or deletes the builds in the user's cache folder.
pub(super) fn run(args: &BuildsArgs) -> Result<ExitCode, Failure> {
    let folder = builds_folder();
    let builds = list().or_cannot("read", &folder)?;
    match &args.command {
        BuildsCommand::List { json: true } => {
            let list: Vec<Value> = builds.iter().map(as_json).collect();
            print_json(&list)?;
        }
        BuildsCommand::List { json: false } => print(&table(&builds, &folder)),
        BuildsCommand::Prune { builds: names, older_than, all, dry_run } => {
            let message = "nothing selected: expected names of builds, --older-than AGE or --all";
            Failure::require(!names.is_empty() || older_than.is_some() || *all, message)?;
            let now = SystemTime::now();
            let mut builds = named(builds, names, &folder)?;
            builds.retain(|build| older_than.is_none_or(|age| is_unused_for(build, age, now)));
            prune(&builds, *dry_run)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the builds of these names, or all if there are no names.
fn named(builds: Vec<CachedBuild>, names: &[String], folder: &Path) -> Result<Vec<CachedBuild>, Failure> {
    if let Some(name) = names.iter().find(|name| !builds.iter().any(|build| build.name == **name)) {
        return Failure::usage(format!("{name}: no build of this name in {}", folder.display()));
    }
    let is_wanted = |build: &CachedBuild| names.is_empty() || names.contains(&build.name);
    Ok(builds.into_iter().filter(is_wanted).collect())
}

/// Whether a time such as `2026-11-23T12:00:00Z` is longer ago than `age`; a malformed time is.
fn is_older(time: &str, age: Duration, now: SystemTime) -> bool {
    let begun = time.parse::<Timestamp>().and_then(SystemTime::try_from);
    now.duration_since(begun.unwrap_or(SystemTime::UNIX_EPOCH)).is_ok_and(|elapsed| elapsed > age)
}

/// Whether a build was last used longer ago than `age`. A build that was never used, because it failed or was
/// interrupted, counts from the last change of its folder.
fn is_unused_for(build: &CachedBuild, age: Duration, now: SystemTime) -> bool {
    if !build.used.is_empty() {
        return is_older(&build.used, age, now);
    }
    let changed = std::fs::metadata(&build.folder).and_then(|folder| folder.modified());
    changed.is_ok_and(|changed| now.duration_since(changed).is_ok_and(|elapsed| elapsed > age))
}

/// Deletes builds, or only prints them.
fn prune(builds: &[CachedBuild], is_dry: bool) -> anyhow::Result<()> {
    let (mut freed, mut count) = (0, 0);
    for build in builds {
        let size = size_of(&build.folder);
        let is_deleted = if is_dry { build.is_in_use().map(|is_used| !is_used) } else { build.delete() };
        if !is_deleted.or_cannot("delete", &build.folder)? {
            let verb = if is_dry { "would keep" } else { "kept" };
            say(&format!("{verb} {}: it is in use", build.name));
            continue;
        }
        (freed, count) = (freed + size, count + 1);
        let verb = if is_dry { "would delete" } else { "deleted" };
        print(&format!("{verb} {} ({}, {})\n", build.name, state(build), HumanBytes(size)));
    }
    let what = if is_dry { "would be deleted" } else { "deleted" };
    say(&format!("{} {what}, {}", counted(count, "build"), HumanBytes(freed)));
    Ok(())
}

/// Returns the subject of the commit, or the state of a build without a program.
fn state(build: &CachedBuild) -> &str {
    match (&build.record, &build.failure) {
        (Some(record), _) => &record.subject,
        (None, Some(_)) => "failed",
        (None, None) => "not finished",
    }
}

/// Returns the first line of the error of a build without a program, such as `: no compiler`; empty if
/// there is no error.
fn cause(build: &CachedBuild) -> String {
    let error = build.failure.as_ref().filter(|_| build.record.is_none());
    let Some(cause) = error.and_then(|error| error.lines().next()) else { return String::new() };
    let log = if build.has_log() { "; see build.log in its folder" } else { "" };
    format!(": {cause}{log}")
}

fn as_json(build: &CachedBuild) -> Value {
    json!({
        "name": build.name,
        "folder": build.folder,
        "used": build.used,
        "size": size_of(&build.folder),
        "record": build.record,
        "failed": build.failure.is_some(),
        "error": build.failure,
    })
}

fn table(builds: &[CachedBuild], folder: &Path) -> String {
    let row = |name: &str, used: &str, bench: &str, size: &str, subject: &str| {
        format!("{name:19}  {used:19}  {bench:>10}  {size:>9}  {subject}\n")
    };
    let mut text = row("build", "last used (UTC)", "bench", "size", "commit");
    for build in builds {
        let bench = build.record.as_ref().and_then(|record| record.bench);
        let bench = bench.map_or_else(|| "-".to_owned(), |bench| bench.nodes.to_string());
        let used = build.used.replace('T', " ");
        let commit = state(build).to_owned() + &cause(build);
        text += &row(
            &build.name,
            used.trim_end_matches('Z'),
            &bench,
            &HumanBytes(size_of(&build.folder)).to_string(),
            &commit,
        );
    }
    let size = builds.iter().map(|build| size_of(&build.folder)).sum();
    text + &format!("{}, {}, in {}\n", counted(builds.len(), "build"), HumanBytes(size), folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_count_from_a_time() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(951_827_696);
        let is_older = |time: &str, minutes| is_older(time, Duration::from_mins(minutes), now);
        assert!(is_older("2000-02-29T12:00:00Z", 34) && !is_older("2000-02-29T12:00:00Z", 35));
        assert!(!is_older("2000-03-01T00:00:00Z", 0), "the clock was set back");
        assert!(is_older("yesterday", 35));
    }

    #[test]
    fn ages_have_units() {
        assert_eq!(age("30d"), Ok(Duration::from_hours(720)));
        assert_eq!(age("2w"), Ok(Duration::from_hours(336)));
        for text in ["", "d", "30", "-1d", "1.5d", "1y"] {
            assert!(age(text).is_err(), "{text}");
        }
    }

    #[test]
    fn build_that_was_never_used_counts_from_its_last_change() {
        let dir = tempfile::tempdir().unwrap();
        let build = |used: &str| CachedBuild {
            name: "0123456789-abcdef01".to_owned(),
            folder: dir.path().to_path_buf(),
            record: None,
            failure: Some(String::new()),
            used: used.to_owned(),
        };
        let (age, now) = (Duration::from_hours(1), SystemTime::now());
        assert!(!is_unused_for(&build(""), age, now));
        assert!(is_unused_for(&build(""), age, now + Duration::from_hours(2)));
        assert!(is_unused_for(&build("2026-01-01T00:00:00Z"), age, now));
    }

    #[test]
    fn failed_builds_are_listed_with_the_first_line_of_their_error() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("build.log");
        std::fs::write(&log, "broken\n").unwrap();
        let build = |failure: Option<&str>| CachedBuild {
            name: "0123456789-abcdef01".to_owned(),
            folder: dir.path().to_path_buf(),
            record: None,
            failure: failure.map(str::to_owned),
            used: String::new(),
        };
        let quoted = format!("cannot build dev: exit 3\nThe last lines of {}:\n  broken", log.display());
        for (failure, expected) in [
            (Some(quoted.as_str()), "  failed: cannot build dev: exit 3; see build.log in its folder"),
            // The log is of an earlier attempt.
            (
                Some("cannot build dev: git log: no commit\nmore"),
                "  failed: cannot build dev: git log: no commit",
            ),
            (None, "  not finished"),
        ] {
            let text = table(&[build(failure)], Path::new("/builds"));
            assert!(text.lines().nth(1).unwrap().ends_with(expected), "{expected}: {text}");
            assert!(text.contains("\n1 build, "), "{text}");
        }
        std::fs::remove_file(&log).unwrap();
        let text = table(&[build(Some(&quoted))], Path::new("/builds"));
        assert!(text.contains("  failed: cannot build dev: exit 3\n"), "{text}");
    }
}
