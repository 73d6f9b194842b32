//! `harness slow`: an engine that takes a known share more time, to check measurements with.
//!
//! It stands between the harness and the engine. Every line goes through as it is; a `bestmove` is held back, by a processor
//! kept busy as a slower program would keep it, until its search has taken so many percent longer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;

use crate::config::{EngineConfig, Limits};
use crate::run::command::Failure;

const HELP: &str = "\
Examples:
  harness slow 2 stretto
  harness bench configs/bench/two-percent.yaml

Passes UCI lines through to the engine and delays each bestmove until the search has taken the given percentage longer. The known
difference shows whether a measurement detects it. With 0 lines are only passed through, for comparison.";

/// The most a search is slowed down. Units: percent.
const MOST: f64 = 1000.0;

/// Runs an engine slowed by a fixed percentage, to calibrate measurements.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SlowArgs {
    /// Additional time per search, in percent.
    percent: f64,
    /// The engine: a name beside the harness or on PATH, or a path.
    engine: String,
    /// Its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Passes lines on until the engine ends.
pub(crate) fn run(args: &SlowArgs) -> Result<ExitCode, Failure> {
    if !(0.0..=MOST).contains(&args.percent) {
        return Err(Failure::Usage(format!("{}: expected 0 to {MOST} percent", args.percent)));
    }
    let engine = EngineConfig::of_words(&args.engine, None, &args.args, &[], Limits::default());
    let engine = engine.map_err(|problem| Failure::Usage(problem.message))?;
    let mut child = Command::new(&engine.program)
        .args(&engine.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", engine.program.display()))?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (mut to_engine, from_engine) = pipes.context("the engine has no pipes")?;
    // When the search under way began.
    let start = Arc::new(Mutex::new(None));
    let begun = Arc::clone(&start);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if line.split_ascii_whitespace().next() == Some("go") {
                *begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
            if to_engine.write_all(format!("{line}\n").as_bytes()).is_err() {
                return;
            }
        }
    });
    let mut out = std::io::stdout().lock();
    for line in BufReader::new(from_engine).lines() {
        let line = line.context("the engine's output does not read")?;
        if line.starts_with("bestmove") {
            let start = start.lock().unwrap_or_else(PoisonError::into_inner).take();
            hold_back(start, args.percent);
        }
        if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody listens any more.
            let _ = child.kill();
            break;
        }
    }
    let status = child.wait().context("the engine is gone")?;
    match status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        Some(code) => Ok(ExitCode::from(code as u8)),
        None => Err(anyhow!("the engine was killed: {status}").into()),
    }
}

/// Keeps a processor busy until so many percent more time than now has passed since the start.
fn hold_back(start: Option<Instant>, percent: f64) {
    let Some(start) = start else { return };
    let until = start.elapsed().mul_f64(1.0 + percent / 100.0).max(Duration::ZERO);
    while start.elapsed() < until {
        std::hint::spin_loop();
    }
}
