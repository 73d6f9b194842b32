//! An engine slowed by a fixed percentage, to check measurements: `slow PERCENT ENGINE [ARGUMENT...]`.
//!
//! It passes all UCI lines between harness and engine unchanged. Each `bestmove` is delayed until
//! its search has taken the given percentage longer. The delay is a busy loop, since a slower
//! program would use CPU time too.

#![expect(clippy::disallowed_methods, reason = "starts the engine")]

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Parser;

/// Passes UCI lines through to an engine and delays each bestmove until the search has taken PERCENT longer.
///
/// The known difference shows whether a measurement detects it (configs/bench/two-percent.yaml). With 0 lines are only passed
/// through, for comparison.
#[derive(Debug, Parser)]
struct Args {
    /// Additional time per search, in percent.
    #[arg(value_parser = percent)]
    percent: f64,
    /// The engine: a path, or a name on PATH.
    engine: PathBuf,
    /// Arguments of the engine.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

/// Parses a slowdown of at most tenfold.
fn percent(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=1000.0).contains(value));
    value.ok_or_else(|| "expected 0 to 1000 percent".to_owned())
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let mut child = Command::new(&args.engine)
        .args(&args.rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", args.engine.display()))?;
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
        None => bail!("the engine was killed: {status}"),
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
