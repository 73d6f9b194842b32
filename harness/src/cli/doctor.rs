//! `harness doctor`: is this machine, and this engine, fit to measure?

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::suite::name_and_value;
use super::{Failure, listen_for_signals, print, say};
use crate::cancel::Cancel;
use crate::config::{EngineConfig, Limits, Watchdog};
use crate::doctor::{Finding, Grade, examine_engine, examine_machine};
use crate::uci_client::Launcher;

pub(super) const HELP: &str = "\
Examples:
  harness doctor                               # this machine
  harness doctor stretto --option Hash=16      # and this engine, in the situations in which engines fail
  harness doctor ./my-engine --only-engine --strict

What is called BAD will harm measurements or lose games. With --strict it is exit code 1.";

#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    /// An engine to examine as well.
    engine: Option<String>,
    /// An argument of the engine; may be given several times.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true, requires = "engine")]
    args: Vec<String>,
    /// An option of the engine; may be given several times.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value, requires = "engine")]
    options: Vec<(String, Option<String>)>,
    /// Leave the machine out.
    #[arg(long, requires = "engine")]
    only_engine: bool,
    /// Exit with code 1 if anything is bad.
    #[arg(long)]
    strict: bool,
    /// The findings as JSON, on stdout.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let engine = args.engine.as_ref().map(|engine| {
        EngineConfig::of_words(engine, None, &args.args, &args.options, Limits::default())
            .map_err(|problem| Failure::Usage(format!("{}: {}", problem.path, problem.message)))
    });
    let engine = engine.transpose()?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let mut findings = Vec::new();
    if !args.only_engine {
        say("looking at the machine for some seconds");
        // Runs go below the working directory unless told otherwise.
        findings.extend(show("machine", examine_machine(Path::new("."), &cancel), args.json));
    }
    if let Some(engine) = &engine {
        let second = Duration::from_secs(1);
        let watchdog =
            Watchdog { uci: 10 * second, ready: 20 * second, answer: 10 * second, ..Watchdog::default() };
        let found = examine_engine(engine, &Launcher::of_this_binary(), watchdog, &cancel);
        findings.extend(show(&engine.name, found, args.json));
    }
    if args.json {
        print(&format!("{}\n", serde_json::json!({ "v": 1, "findings": findings })));
    }
    if cancel.is_cancelled() {
        return Err(Failure::Interrupted);
    }
    let bad = findings.iter().filter(|finding| finding.grade == Grade::Bad).count();
    if !args.json {
        print(&match bad {
            0 => "nothing bad was found\n".to_owned(),
            1 => "one thing is bad\n".to_owned(),
            _ => format!("{bad} things are bad\n"),
        });
    }
    Ok(if bad > 0 && args.strict { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Prints the findings, unless they are wanted otherwise, and passes them on.
fn show(title: &str, findings: Vec<Finding>, is_json: bool) -> Vec<Finding> {
    if !is_json {
        print(&format!("{title}\n"));
        for finding in &findings {
            print(&format!("{finding}\n"));
        }
    }
    findings
}
