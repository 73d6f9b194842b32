//! `harness slow`: an engine slowed by a fixed percentage, to calibrate measurements.
//!
//! It passes all UCI lines between harness and engine unchanged. Each `bestmove` is delayed until
//! its search has taken the given percentage longer. The delay is a busy loop, since a slower
//! program would use CPU time too.

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

/// Largest slowdown accepted. Units: percent.
const MAX_PERCENT: f64 = 1000.0;

/// Runs an engine slowed by a fixed percentage, to calibrate measurements.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct SlowArgs {
    /// Additional time per search, in percent.
    percent: f64,
    /// The engine: a name beside the harness or on PATH, or a path.
    engine: String,
    /// Arguments of the engine.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Passes lines through until the engine exits.
pub(crate) fn run(args: &SlowArgs) -> Result<ExitCode, Failure> {
    if !(0.0..=MAX_PERCENT).contains(&args.percent) {
        return Err(Failure::Usage(format!("{}: expected 0 to {MAX_PERCENT} percent", args.percent)));
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
    // Start of the current search.
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
        let line = line.context("cannot read the engine's output")?;
        if line.starts_with("bestmove") {
            let start = start.lock().unwrap_or_else(PoisonError::into_inner).take();
            delay(start, args.percent);
        }
        if out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).is_err() {
            // The reader of the output has exited.
            let _ = child.kill();
            break;
        }
    }
    let status = child.wait().context("cannot wait for the engine")?;
    match status.code() {
        Some(0) => Ok(ExitCode::SUCCESS),
        Some(code) => Ok(ExitCode::from(code as u8)),
        None => Err(anyhow!("the engine was killed: {status}").into()),
    }
}

/// Spins until the time since `start` has grown by `percent`.
fn delay(start: Option<Instant>, percent: f64) {
    let Some(start) = start else { return };
    let until = start.elapsed().mul_f64(1.0 + percent / 100.0).max(Duration::ZERO);
    while start.elapsed() < until {
        std::hint::spin_loop();
    }
}
