//! `harness claims`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::session::{FolderArgs, KeptRun, Resumed, timestamp, write_json};
use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::claims::{Claim, Effort, Records, check, claims, engine_signature};
use crate::report::claims_report;
use crate::runner::RunState;
use crate::store::{Host, Manifest};

/// The word for runs of this kind.
const KIND: &str = "claims";

pub(super) const HELP: &str = "\
Examples:
  harness claims --list
  harness claims N5 N6
  harness claims --effort quick
  harness claims --resume results/runs/claims-20261121-120000-1a2b3c4d

Every claim of the four texts the project grew from that a program can check has one small experiment. Experiments count
nodes and positions, never time, so the same build finds the same figures on any machine.

A run is kept in results/runs/claims-<id>/: manifest.yaml, journal.jsonl (one line a claim, the truth), summary.json,
report.md and report.html. An interrupted or killed run is continued with --resume.";

#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// Only these; all without.
    #[arg(value_name = "CLAIM", conflicts_with = "resume")]
    claims: Vec<String>,
    /// Only list the claims.
    #[arg(long)]
    list: bool,
    /// How much work.
    #[arg(long, value_enum, default_value_t, conflicts_with = "resume")]
    effort: EffortArg,
    #[command(flatten)]
    folder: FolderArgs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EffortArg {
    /// Seconds an experiment at most; the figures are rough.
    Quick,
    /// Minutes.
    #[default]
    Full,
}

/// What was asked for, as the manifest keeps it for resuming.
#[derive(Serialize, Deserialize)]
struct Request {
    claims: Vec<String>,
    effort: Effort,
}

/// What makes two runs the same.
#[derive(Serialize)]
struct Identity<'a> {
    config: &'a Request,
    /// Nodes of a short bench: another engine has another number.
    engine_signature: u64,
}

/// Checks claims.
pub(super) fn run(args: &ClaimsArgs) -> Result<ExitCode, Failure> {
    if args.list {
        for claim in wanted(&args.claims)? {
            let texts: Vec<&str> = claim.texts.iter().map(|text| text.name()).collect();
            print(&format!("{:5} {} ({})\n", claim.id, claim.gist, texts.join(", ")));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let resumed = args.folder.resumed(KIND)?;
    let request = args.request(resumed.as_ref())?;
    let wanted = wanted(&request.claims)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let (folder, changes) = args.folder.open(resumed, &describe(&request)?)?;
    let run = KeptRun::new(KIND, folder.path(), false, changes);
    say(&format!("run folder: {}", run.path.display()));
    run.notices.iter().for_each(|notice| say(notice));
    let mut records = Records::open(&folder, &wanted).map_err(anyhow::Error::from)?;
    let (started, mut number) = (Instant::now(), records.done.len());
    let checked = check(&wanted, request.effort, &mut records, &cancel, |claim| {
        number += 1;
        let elapsed = started.elapsed().as_secs();
        say(&format!("{number} of {}, {}: {} (after {elapsed} s)", wanted.len(), claim.id, claim.gist));
    });
    checked.map_err(|error| run.stopped(error))?;
    write_json(&folder.summary(), &records.done)?;
    run.report(&claims_report(&records.done))?;
    run.end(if records.done.len() < wanted.len() { RunState::Interrupted } else { RunState::Finished })
}

impl ClaimsArgs {
    /// What the command line asks for, or else the run to continue.
    fn request(&self, resumed: Option<&Resumed>) -> anyhow::Result<Request> {
        if let Some((folder, manifest)) = resumed {
            let damaged = || format!("{} is damaged", folder.manifest().display());
            return serde_yaml::from_str(&manifest.config_text).with_context(damaged);
        }
        let effort = match self.effort {
            EffortArg::Quick => Effort::Quick,
            EffortArg::Full => Effort::Full,
        };
        // By name, so that a run goes on with the same claims when there are more.
        let all = || claims().map(|claim| claim.id.to_owned()).collect();
        Ok(Request { claims: if self.claims.is_empty() { all() } else { self.claims.clone() }, effort })
    }
}

fn describe(request: &Request) -> anyhow::Result<Manifest> {
    let engine_signature = engine_signature().context("the engine cannot be benched")?;
    let identity = Identity { config: request, engine_signature };
    let text = serde_yaml::to_string(request).context("cannot describe the run")?;
    let file = "the command line".into();
    Manifest::describe(KIND, &identity, Host::here(1), file, &text, &timestamp())
        .context("cannot describe the run")
}

/// The claims of these names.
fn wanted(names: &[String]) -> Result<Vec<&'static Claim>, Failure> {
    if names.is_empty() {
        return Ok(claims().collect());
    }
    let found = names.iter().map(|name| {
        claims().find(|claim| claim.id.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let all: Vec<&str> = claims().map(|claim| claim.id).collect();
            Failure::Usage(format!("no claim is called `{name}`: expected some of {}", all.join(" ")))
        })
    });
    found.collect()
}
