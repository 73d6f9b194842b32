//! `workshop claims`: runs the experiments.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::Args;

use super::drawing::{Picture, draw};
use crate::claims::claim::{LETTERS, Text};
use crate::claims::{Claim, ClaimsPlay, ClaimsRequest, Effort, claims, engine_signature};
use stretto_harness::base::errors::FileResult;
use stretto_harness::base::wording::parser_message;
use stretto_harness::run::command::{Failure, print};
use stretto_harness::run::executor::complete;
use stretto_harness::run::session::{COMMAND_LINE, FolderArgs, Session, timestamp};
use stretto_harness::run::{Host, Identity, Manifest, RunEngines, RunFiles};

/// Kind of these runs.
const KIND: &str = "claims";

const HELP: &str = "\
Examples:
  workshop claims --list
  workshop claims N5 N6
  workshop claims --effort quick
  workshop claims --tree tree.svg --game noughts
  workshop claims --resume results/runs/claims-20261121-120000-1a2b3c4d

Each claim of the four texts behind this project that a program can check has one small experiment; claims of our own on the same
subjects are marked `ours`. Most experiments count nodes and positions, so the same build gives the same figures on every machine. Those
that --list marks with `measures time` use CPU time: they alternate the runs that they compare, and report intervals. The verdict follows
from the data: confirmed, refuted, depends (on conditions that the figures show), or not decided; arithmetic is a claim without
experiment, which follows from a calculation, the rules, a definition or a proof. With --effort quick, claims with smaller experiments
are not decided.

The letter of a claim is its subject:
B: opening books and first moves; N: search, evaluation and numbers of positions; T: endgames and their tables.

At full effort an experiment takes seconds to minutes, and all of them take about 30 minutes of CPU time.

A run is kept in results/runs/claims-<id>/: manifest.yaml, journal.jsonl (one line per claim), summary.json, report.md and
report.html. An interrupted or killed run is continued with --resume.";

/// Checks claims made in texts on chess programming by experiment.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ClaimsArgs {
    /// The claims to check [default: all].
    #[arg(value_name = "CLAIM", conflicts_with = "resume")]
    claims: Vec<String>,
    /// List the claims and check nothing.
    #[arg(long)]
    list: bool,
    /// Draw a small game tree, as alpha-beta searches it, into this SVG file; check nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claims", "list", "resume"])]
    tree: Option<PathBuf>,
    /// The tree to draw.
    #[arg(long, value_enum, default_value_t, value_name = "GAME", requires = "tree")]
    game: Picture,
    /// The size of the experiments.
    #[arg(long, value_enum, default_value_t, conflicts_with = "resume")]
    effort: Effort,
    #[command(flatten)]
    folder: FolderArgs,
}

/// Runs `workshop claims`: draws a tree, lists the claims or checks them.
pub(crate) fn run(args: &ClaimsArgs) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.tree {
        fs::write(file, draw(args.game)).or_cannot("write", file)?;
        print(&format!("{}\n", file.display()));
        return Ok(ExitCode::SUCCESS);
    }
    if args.list {
        print(&listing(wanted(&args.claims)?));
        return Ok(ExitCode::SUCCESS);
    }
    let session = Session::begin_described(KIND, &args.folder, false)?;
    let request = args.request(&session)?;
    wanted(&request.claims)?;
    let cancel = session.cancel.clone();
    let (run, folder) = session.open_as(&describe(&request)?, Vec::new())?;
    complete(&ClaimsPlay::new(request, cancel), &run, &folder, None)?;
    Ok(ExitCode::SUCCESS)
}

impl ClaimsArgs {
    /// Returns the request of the command line, or that of the run to resume.
    fn request(&self, session: &Session<'_>) -> anyhow::Result<ClaimsRequest> {
        if session.resumed().is_some() {
            let file = session.source.file.display();
            return serde_yaml::from_str(session.source.text())
                .map_err(|error| anyhow!("{file} is damaged: {}", parser_message(&error.to_string())));
        }
        // Stored by name, so that a resumed run has the same claims when new ones are added.
        let all = || claims().map(|claim| claim.id.to_owned()).collect();
        let claims = if self.claims.is_empty() { all() } else { self.claims.clone() };
        Ok(ClaimsRequest { claims, effort: self.effort })
    }
}

fn describe(request: &ClaimsRequest) -> anyhow::Result<Manifest> {
    let engine = RunEngines::built_in(engine_signature().context("the engine cannot be benched")?);
    let identity = Identity::new(request, engine, RunFiles::default());
    let text = serde_yaml::to_string(request).context("cannot describe the run")?;
    Manifest::describe(KIND, &identity, Host::here(1), COMMAND_LINE.into(), &text, &timestamp())
        .context("cannot describe the run")
}

/// Formats the list of claims in the order of their identifiers, with the meaning of the letters and
/// the full titles of the texts.
fn listing(mut claims: Vec<&Claim>) -> String {
    claims.sort_by_key(|claim| claim.order());
    let mut text = String::new();
    for claim in claims {
        let texts: Vec<&str> = claim.texts.iter().map(|text| text.name()).collect();
        let timed = if claim.is_timed() { "; measures time" } else { "" };
        let _ = writeln!(text, "{:5} {} ({}{timed})", claim.id, claim.statement, texts.join(", "));
    }
    let _ = writeln!(text, "\n{LETTERS}\n");
    for source in Text::ALL {
        let _ = writeln!(text, "{}: {}", source.name(), source.title());
    }
    text
}

/// Returns the claims with these names.
fn wanted(names: &[String]) -> Result<Vec<&'static Claim>, Failure> {
    if names.is_empty() {
        return Ok(claims().collect());
    }
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(name.to_ascii_lowercase())) {
        return Err(Failure::Usage(format!("`{twice}` is given twice")));
    }
    let found = names.iter().map(|name| {
        claims().find(|claim| claim.id.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let mut known: Vec<&Claim> = claims().collect();
            known.sort_by_key(|claim| claim.order());
            let all: Vec<&str> = known.iter().map(|claim| claim.id).collect();
            Failure::Usage(format!("no claim is called `{name}`: expected some of {}", all.join(" ")))
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn list_is_ordered_and_explains_the_letters() {
        let listed = listing(claims().collect());
        let (claims_part, rest) = listed.split_once("\n\n").unwrap();
        let ids: Vec<&str> = claims_part.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!((ids.len(), ids[0]), (claims().count(), "B1"));
        let place = |id| ids.iter().position(|&listed| listed == id).unwrap();
        for pair in ["B8", "N1", "N2", "N3", "N4", "N16", "N16c", "N17", "T1", "T10"].windows(2) {
            assert!(place(pair[0]) < place(pair[1]), "{pair:?}: {ids:?}");
        }
        assert!(rest.starts_with(LETTERS) && HELP.contains(LETTERS));
        for claim in claims() {
            assert!(LETTERS.contains(&format!("{}: ", claim.order().0)), "{}", claim.id);
        }
    }

    #[test]
    fn claim_given_twice_is_refused() {
        let wanted = |names: &[&str]| wanted(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(wanted(&["N5", "N6"]).ok().unwrap().len(), 2);
        let Err(Failure::Usage(error)) = wanted(&["N5", "N6", "n5"]) else { panic!("accepted") };
        assert_eq!(error, "`n5` is given twice");
    }

    #[test]
    fn help_states_the_time_of_all_claims() {
        assert!(HELP.contains("about 30 minutes of CPU time"));
        let full = Effort::Full.to_possible_value().unwrap();
        let help = full.get_help().unwrap().to_string();
        assert!(help.starts_with("Seconds to minutes") && help.contains("30 minutes of CPU time"), "{help}");
    }
}
