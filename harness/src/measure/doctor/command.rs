//! `harness doctor`: checks whether this machine, and an engine, are fit for measurements.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::base::cancel::Cancel;
use crate::base::errors::Stop;
use crate::base::system::other_load::LoadSample;
use crate::base::wording::counted;
use crate::config::{EngineConfig, FieldPath, Limits, Variant, Watchdog};
use crate::measure::doctor::{Finding, Severity, Subject, examine_engine, examine_machine, threads};
use crate::pool::{PreflightError, Setup, try_engine};
use crate::run::command::{Failure, cancel_on_signals, print, say};
use crate::run::quick::name_and_value;
use crate::uci::Launcher;

const HELP: &str = "\
Examples:
  harness doctor                               # this machine
  harness doctor stretto --option Hash=16      # this machine and an engine
  harness doctor ./my-engine --only-engine --strict

The engine is tested in situations in which engines commonly fail. Findings marked BAD distort measurements or lose games. With
--strict they give exit code 1.";

/// Checks whether this machine, and an engine, are fit for measurements.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct DoctorArgs {
    /// An engine to check as well.
    engine: Option<String>,
    /// An argument of the engine. Repeat for more.
    #[arg(long = "arg", value_name = "ARG", allow_hyphen_values = true, requires = "engine")]
    args: Vec<String>,
    /// A UCI option of the engine. Repeat for more.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value, requires = "engine")]
    options: Vec<(String, Option<String>)>,
    /// Do not check the machine.
    #[arg(long, requires = "engine")]
    only_engine: bool,
    /// Time to wait for `bestmove` after a small search or `stop` before the engine counts as hung, in
    /// seconds. After `ponderhit`, at least 3; at the start, at least 10.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600), requires = "engine")]
    answer_limit: u64,
    /// Exit with code 1 if a finding is BAD.
    #[arg(long)]
    strict: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let engine = args.engine.as_ref().map(|engine| {
        EngineConfig::of_words(engine, None, &args.args, &args.options, Limits::default())
            .map_err(|problem| Failure::Usage(problem.to_string()))
    });
    let engine = engine.transpose()?;
    let second = Duration::from_secs(1);
    let answer = Duration::from_secs(args.answer_limit);
    let watchdog = Watchdog {
        uci: answer.max(10 * second),
        ready: answer.max(20 * second),
        answer,
        quit: 3 * second,
        ..Watchdog::default()
    };
    let cancel = cancel_on_signals()?;
    if let Some(engine) = &engine {
        check_options(engine, watchdog, &cancel)?;
    }
    let began = LoadSample::now();
    let load = || LoadSample::now()?.other_permille_since(began?);
    let mut findings = Vec::new();
    if !args.only_engine {
        say("checking the machine for some seconds");
        // Runs are stored below the working directory by default.
        show("machine", args.json);
        let found = examine_machine(Path::new("."), &cancel);
        findings.extend(found.into_iter().map(|finding| finding.beside(load)));
        for finding in &findings {
            show(finding, args.json);
        }
    }
    if let Some(engine) = &engine {
        show(&engine.name, args.json);
        let mut report = |finding: Finding| {
            let finding = finding.beside(load);
            show(&finding, args.json);
            findings.push(finding);
        };
        threads(engine.running_threads(), num_cpus::get()).into_iter().for_each(&mut report);
        let launcher = Launcher::of_this_binary();
        let subject = Subject { config: engine, launcher: &launcher, watchdog, cancel: &cancel };
        examine_engine(subject, &mut report);
    }
    if args.json {
        print(&format!("{}\n", serde_json::json!({ "v": 2, "findings": findings })));
    }
    if cancel.is_cancelled() {
        return Err(Failure::Interrupted);
    }
    let bad = findings.iter().filter(|finding| finding.severity == Severity::Bad).count();
    let bad_findings = match bad {
        0 => "no BAD findings".to_owned(),
        count => counted(count, "BAD finding"),
    };
    show(bad_findings, args.json);
    Ok(if bad > 0 && args.strict { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Starts the engine once to check its options, as a match does, and prints warnings.
///
/// Errors: an option that the engine does not declare, or an invalid value. Other failures are findings of the checks.
fn check_options(engine: &EngineConfig, watchdog: Watchdog, cancel: &Cancel) -> Result<(), Failure> {
    if engine.options.is_empty() {
        return Ok(());
    }
    let setup = Setup::new(Launcher::of_this_binary(), watchdog, Variant::Standard, false, cancel.clone());
    match try_engine(engine, &FieldPath::root(), &setup) {
        Ok(trial) => trial.warnings.iter().for_each(|warning| say(&format!("warning: {warning}"))),
        Err(PreflightError::Option(problem)) => return Failure::usage(problem.to_string()),
        Err(PreflightError::Stop(Stop::Fatal(_))) => {}
        Err(PreflightError::Stop(Stop::Cancelled)) => return Err(Failure::Interrupted),
    }
    Ok(())
}

/// Prints a line, except in JSON mode.
fn show(line: impl Display, is_json: bool) {
    if !is_json {
        print(&format!("{line}\n"));
    }
}
