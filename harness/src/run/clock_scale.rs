//! The factor of the clocks on a machine: the speed of a reference machine over the speed of this one.
//!
//! The speed is that of the engines' `bench`, while as many copies run at once as the games of the run have threads,
//! as in OpenBench. The factor scales limits only: time margins and the watchdog allow for the system, whose delays do
//! not grow with the time of a search. `play::matches::equipment` is the caller.

use std::collections::BTreeMap;
use std::{fmt, thread};

use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};

use super::builds::bench::{Bench, bench_of, last_lines};
use super::console::say;
use super::host::Host;
use crate::base::cancel::Cancel;
use crate::base::wording::{counted, grouped};
use crate::config::EngineConfig;

/// Allowed factors: a reference in another unit gives one beyond them. Units: permille.
const RANGE: std::ops::RangeInclusive<f64> = 10.0..=100_000.0;

/// Advice if `bench` gives no speed.
const ADVICE: &str = "scale_clock needs engines whose `bench` prints the nodes per second: name such an engine with \
    `scale_clock.engine`, or leave scale_clock out";

/// The measured speed of a machine, and the factor of the clocks that follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockScale {
    /// The machine.
    pub host: Host,
    /// Number of copies of `bench` that ran at once. Range: at least 1.
    pub copies: usize,
    /// Mean speed of a copy, by the name of the engine. Units: nodes per second.
    pub speeds: BTreeMap<String, u64>,
    /// Speed of a copy on the reference machine. Units: nodes per second.
    pub reference: u64,
    /// Factor of clocks and times per move. Units: permille.
    pub permille: u32,
}

impl ClockScale {
    /// Measures the speed of this machine with these engines. An engine that is given twice, under two names, counts
    /// once.
    ///
    /// Errors: a stop was requested, an engine has no `bench` with a speed, or the factor is implausible.
    pub(crate) fn measure<'a>(
        engines: impl Iterator<Item = &'a EngineConfig>,
        host: Host,
        copies: usize,
        reference: u64,
        cancel: &Cancel,
    ) -> anyhow::Result<Self> {
        let mut measured: Vec<(&EngineConfig, u64)> = Vec::new();
        for engine in engines {
            let command = |of: &'a EngineConfig| (&of.program, &of.args, &of.env, &of.working_dir);
            if measured.iter().any(|(other, _)| command(other) == command(engine)) {
                continue;
            }
            say(&format!(
                "measuring the speed of {} with {} of bench",
                engine.name,
                counted(copies, "process")
            ));
            measured.push((engine, speed(engine, copies, cancel)?));
        }
        let permille = permille(reference, measured.iter().map(|&(_, speed)| speed));
        let speeds = measured.iter().map(|&(engine, speed)| (engine.name.clone(), speed)).collect();
        let scale = Self { host, copies, speeds, reference, permille: permille.unwrap_or_default() };
        if permille.is_none() {
            let speeds = scale.speeds_text();
            bail!(
                "scale_clock.nps: {reference}: found {speeds}; expected at most a hundred times more or less than measured"
            );
        }
        Ok(scale)
    }

    /// Whether it also holds for games on this machine with so many threads.
    pub(crate) fn holds_for(&self, host: &Host, copies: usize) -> bool {
        self.host.is_machine_of(host) && self.copies == copies
    }

    /// Returns the factor and the machine: `clocks × 1.237 on box`.
    pub(crate) fn brief(&self) -> String {
        format!("clocks × {:.3} on {}", f64::from(self.permille) / 1e3, self.host.name)
    }

    fn speeds_text(&self) -> String {
        let speeds = self.speeds.iter().map(|(name, speed)| format!("{name} {}", grouped(*speed)));
        let copies = counted(self.copies, "process");
        format!("{} nodes/s in each of {copies} of `bench`", speeds.collect::<Vec<_>>().join(", "))
    }
}

impl fmt::Display for ClockScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, reference {}", self.brief(), self.speeds_text(), grouped(self.reference))
    }
}

/// Returns the mean over engines of the reference speed over their speed. Units: permille. `None` if it is implausible.
fn permille(reference: u64, speeds: impl ExactSizeIterator<Item = u64>) -> Option<u32> {
    let count = speeds.len() as f64;
    let mean = speeds.map(|speed| 1e3 * reference as f64 / speed as f64).sum::<f64>() / count;
    RANGE.contains(&mean).then(|| mean.round() as u32)
}

/// Returns the mean speed of the copies of `bench` of an engine that run at once. Units: nodes per second.
fn speed(engine: &EngineConfig, copies: usize, cancel: &Cancel) -> anyhow::Result<u64> {
    let logs = tempfile::tempdir().context("cannot create a folder for the output of bench")?;
    let log = |copy: usize| logs.path().join(copy.to_string());
    let one = |copy: usize| {
        let why = match bench_of(engine, &log(copy), cancel) {
            _ if cancel.is_cancelled() => "was interrupted".to_owned(),
            Ok(Bench { nps: Some(nps @ 1..), .. }) => return Ok(nps),
            Ok(_) => "printed no nodes per second".to_owned(),
            Err(why) => why,
        };
        let output = last_lines(&log(copy), "its output").unwrap_or_default();
        let command = [&[engine.program.display().to_string()], &engine.args[..]].concat().join(" ");
        Err(anyhow!("speed of {}: `{command} bench` {why}; {ADVICE}{output}", engine.name))
    };
    let speeds: anyhow::Result<Vec<u64>> = thread::scope(|scope| {
        let running: Vec<_> = (0..copies).map(|copy| scope.spawn(move || one(copy))).collect();
        running.into_iter().map(|copy| copy.join().expect("a bench does not panic")).collect()
    });
    Ok(mean_speed(&speeds?))
}

/// Returns the mean speed of at least one copy. Units: nodes per second.
fn mean_speed(speeds: &[u64]) -> u64 {
    speeds.iter().sum::<u64>() / speeds.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(reference: u64, speeds: &[u64]) -> Option<u32> {
        permille(reference, speeds.iter().copied())
    }

    #[test]
    fn factor_is_the_mean_of_the_engines_and_plausible() {
        assert_eq!(factor(1_000_000, &[808_000]), Some(1238));
        assert_eq!(factor(1_000_000, &[500_000, 2_000_000]), Some(1250), "the mean of 2 and 0.5");
        assert_eq!(factor(1_000_000, &[1_000_000]), Some(1000));
        // A reference in thousands of nodes.
        assert_eq!(factor(1000, &[1_000_000]), None);
        assert_eq!(factor(1_000_000, &[9_900]), None);
        assert_eq!(factor(1_000_000, &[10_000]), Some(100_000));
    }

    #[test]
    fn speed_is_the_mean_of_the_copies() {
        assert_eq!(mean_speed(&[800, 1000]), 900);
    }

    #[test]
    fn speed_holds_for_one_machine_and_number_of_copies() {
        let mut host = Host::here(2);
        host.name = "box".to_owned();
        let speeds =
            [("new", 805_000), ("old", 811_000)].map(|(name, speed)| (name.to_owned(), speed)).into();
        let scale =
            ClockScale { host: host.clone(), copies: 2, speeds, reference: 1_000_000, permille: 1237 };
        assert_eq!(
            scale.to_string(),
            "clocks × 1.237 on box: new 805,000, old 811,000 nodes/s in each of 2 processes of `bench`, reference 1,000,000"
        );
        assert!(scale.holds_for(&host, 2) && !scale.holds_for(&host, 3));
        let other = Host { cpu: "another".to_owned(), ..host };
        assert!(!scale.holds_for(&other, 2));
    }
}
