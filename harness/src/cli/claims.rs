//! `harness claims`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::claims::{Checked, Claim, Effort, check, claims};
use crate::report::{claims_html, claims_markdown};
use crate::store::write_atomically;

pub(super) const HELP: &str = "\
Examples:
  harness claims --list
  harness claims N5 N6
  harness claims --out results/claims

Every claim of the four texts the project grew from that a program can check has one small experiment. Experiments count
nodes and positions on one thread, so the same build finds the same figures on any machine. With --out the findings are
written as claims.json, claims.md and claims.html.";

#[derive(Debug, Args)]
pub(super) struct ClaimsArgs {
    /// Only these; all without.
    claims: Vec<String>,
    /// Only list the claims.
    #[arg(long)]
    list: bool,
    /// How much work.
    #[arg(long, value_enum, default_value_t)]
    effort: EffortArg,
    /// The folder to write the findings to.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EffortArg {
    /// Seconds an experiment at most; the figures are rough.
    Quick,
    /// Minutes.
    #[default]
    Full,
}

/// Checks claims.
pub(super) fn run(args: &ClaimsArgs) -> Result<ExitCode, Failure> {
    let wanted = wanted(&args.claims)?;
    if args.list {
        for claim in wanted {
            let texts: Vec<&str> = claim.texts.iter().map(|text| text.name()).collect();
            print(&format!("{:5} {} ({})\n", claim.id, claim.gist, texts.join(", ")));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let effort = match args.effort {
        EffortArg::Quick => Effort::Quick,
        EffortArg::Full => Effort::Full,
    };
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let started = Instant::now();
    let mut number = 0;
    let checked = check(&wanted, effort, &cancel, |claim| {
        number += 1;
        let elapsed = started.elapsed().as_secs();
        say(&format!("{number} of {}, {}: {} (after {elapsed} s)", wanted.len(), claim.id, claim.gist));
    });
    if let Some(folder) = &args.out {
        write(folder, &checked)?;
    }
    print(&claims_markdown(&checked));
    if checked.len() < wanted.len() {
        return Err(Failure::Interrupted);
    }
    Ok(ExitCode::SUCCESS)
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

fn write(folder: &Path, checked: &[Checked]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut json = serde_json::to_string_pretty(checked).context("cannot write the findings")?;
    json.push('\n');
    let pages = [
        ("claims.json", json),
        ("claims.md", claims_markdown(checked)),
        ("claims.html", claims_html(checked)),
    ];
    for (name, text) in pages {
        let file = folder.join(name);
        write_atomically(&file, text.as_bytes())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}
