//! Fuzz tests of all readers of external input: no input may panic, use excessive memory or violate
//! an invariant.
//!
//! `targets` has one function per kind of input, `mutate` mutates inputs, `allocation` tracks
//! memory. Fuzzing is guided by the targets' answers: an input with a new answer joins the corpus.
//! `make test` tries a few thousand fixed inputs per target; `make fuzz` runs for a configurable
//! time with new ones. Inputs that once failed are stored in `kept/TARGET/` and always tried.

#![allow(clippy::unwrap_used, reason = "test helpers may panic")]

mod allocation;
mod mutate;
mod seal;
mod targets;

use std::collections::HashSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mutate::Mutator;
use stretto::types::SplitMix64;
use targets::{TARGETS, Target};

/// Number of inputs per target in `make test`.
const FEW: u64 = 1500;
/// Maximum time per input. It detects hangs but tolerates a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum size of the corpus.
const MAX_CORPUS: usize = 4096;
/// Number of characters that distinguish answers.
const MAX_ANSWER: usize = 160;

/// Runs `target` on `input`; returns its answer, or a description of the failure.
fn examine(target: &Target, input: &[u8]) -> Result<String, String> {
    let started = Instant::now();
    allocation::begin();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let peak = allocation::peak();
    let answer = outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
    })?;
    let limit = target.memory + 400 * input.len();
    if peak > limit {
        return Err(format!(
            "used {peak} bytes for {} bytes of input, expected at most {limit}",
            input.len()
        ));
    }
    if started.elapsed() > PATIENCE {
        return Err(format!("took {:?}", started.elapsed()));
    }
    Ok(answer)
}

/// Returns an answer without its numbers: words with digits are replaced by 0.
fn shape(answer: &str) -> String {
    let short: String = answer.chars().take(MAX_ANSWER).collect();
    let words = short.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words =
        words.map(|word| if word.contains(|letter: char| letter.is_ascii_digit()) { "0" } else { word });
    words.collect::<Vec<&str>>().join(" ")
}

/// A fuzzing run of one target.
struct Fuzzer {
    target: &'static Target,
    mutator: Mutator,
    corpus: Vec<Vec<u8>>,
    answers: HashSet<String>,
    tried: u64,
}

impl Fuzzer {
    fn new(target: &'static Target, seed: u64) -> Self {
        let mut corpus = (target.seeds)();
        corpus.retain(|seed| seed.len() <= target.max_len);
        assert!(!corpus.is_empty(), "{}: no seeds of at most {} bytes", target.name, target.max_len);
        let mutator = Mutator::new(SplitMix64::new(seed), target.words, target.max_len);
        Self { target, mutator, corpus, answers: HashSet::new(), tried: 0 }
    }

    /// Runs the target on the unmodified seeds.
    fn check_seeds(&mut self) -> Result<(), (Vec<u8>, String)> {
        for seed in self.corpus.clone() {
            let answer = examine(self.target, &seed).map_err(|failure| (seed, failure))?;
            self.answers.insert(shape(&answer));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), (Vec<u8>, String)> {
        let mut input = self.mutator.mutate(&self.corpus);
        if let Some(seal) = self.target.seal
            && self.mutator.chance(3)
        {
            seal(&mut input);
        }
        self.tried += 1;
        match examine(self.target, &input) {
            Ok(answer) => {
                if self.answers.len() < MAX_CORPUS && self.answers.insert(shape(&answer)) {
                    self.corpus.push(input);
                }
                Ok(())
            }
            Err(failure) => Err((shorten(self.target, input), failure)),
        }
    }
}

/// Minimises a failing input by removing parts while it still fails.
fn shorten(target: &Target, mut input: Vec<u8>) -> Vec<u8> {
    let mut part = input.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < input.len() {
            let end = (at + part).min(input.len());
            let shorter = [&input[..at], &input[end..]].concat();
            if examine(target, &shorter).is_err() {
                input = shorter;
            } else {
                at = end;
            }
        }
        part /= 2;
    }
    input
}

/// Writes a failing input to a file and returns a description.
fn report(target: &Target, input: &[u8], failure: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(target.name);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{}.bin", &blake3::hash(input).to_hex()[..16]));
    fs::write(&file, input).unwrap();
    let (name, text) = (target.name, String::from_utf8_lossy(input));
    let shown: String = text.chars().take(300).collect();
    format!("{name}: {failure}\n  input in {}: {shown:?}", file.display())
}

fn try_few(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let mut fuzzer = Fuzzer::new(target, 1);
    let outcome = fuzzer.check_seeds().and_then(|()| (0..FEW / target.cost).try_for_each(|_| fuzzer.step()));
    if let Err((input, failure)) = outcome {
        panic!("{}", report(target, &input, &failure));
    }
    assert!(fuzzer.answers.len() > 1, "{name}: all answers are equal");
}

macro_rules! targets_in_short {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            try_few(stringify!($name));
        })*

        #[test]
        fn every_target_is_tried() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

targets_in_short! {
    fen epd san pgn uci configs import book table gaviota network games journal engine_output
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/kept")
}

#[test]
fn fixed_failures_stay_fixed() {
    let mut count = 0;
    for target in TARGETS {
        let Ok(files) = fs::read_dir(kept().join(target.name)) else { continue };
        for file in files {
            count += 1;
            let file = file.unwrap().path();
            let input = fs::read(&file).unwrap();
            if let Err(failure) = examine(target, &input) {
                panic!("{}: {failure}", file.display());
            }
        }
    }
    assert!(count > 0, "no inputs in {}", kept().display());
}

#[test]
fn planted_failures_are_found() {
    let planted = Target {
        name: "planted",
        seeds: || vec![b"depth 10 nodes 20".to_vec()],
        words: &["mate"],
        max_len: 64,
        memory: 1 << 16,
        cost: 1,
        seal: None,
        run: |input| {
            let text = String::from_utf8_lossy(input);
            assert!(!text.contains("mate"), "mate");
            if text.contains("nodes n") {
                drop(vec![0_u8; 1 << 20]);
            }
            text.len().to_string()
        },
    };
    assert_eq!(examine(&planted, b"depth").unwrap(), "5");
    assert_eq!(examine(&planted, b"a mate").unwrap_err(), "mate");
    assert!(examine(&planted, b"nodes n").unwrap_err().contains("expected at most"));
    assert_eq!(shorten(&planted, b"some mate somewhere".to_vec()), b"mate");
    let target: &'static Target = Box::leak(Box::new(planted));
    let mut fuzzer = Fuzzer::new(target, 1);
    let found = (0..100_000).find_map(|_| fuzzer.step().err());
    assert_eq!(found.unwrap().0, b"mate");
}

/// Runs each target, or the one in `FUZZ_TARGET`, for `FUZZ_SECONDS` or `FUZZ_INPUTS`, whichever
/// ends first.
#[test]
#[ignore = "long-running: make fuzz"]
fn all_for_long() {
    let setting = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let number = |name: &str, default: u64| {
        setting(name).map_or(default, |text| {
            text.parse().unwrap_or_else(|_| panic!("{name}: {text}: expected a number"))
        })
    };
    let (seconds, inputs) = (number("FUZZ_SECONDS", 600), number("FUZZ_INPUTS", 10_000_000));
    let only = setting("FUZZ_TARGET");
    let is_known = |name: &str| TARGETS.iter().any(|target| target.name == name);
    assert!(only.as_deref().is_none_or(is_known), "FUZZ_TARGET: unknown target {only:?}");
    let mut findings = Vec::new();
    let seed = std::process::id().into();
    println!("seed {seed}");
    for target in TARGETS.iter().filter(|target| only.as_deref().is_none_or(|only| only == target.name)) {
        let mut fuzzer = Fuzzer::new(target, seed);
        let started = Instant::now();
        let mut found = fuzzer.check_seeds();
        let limit = Duration::from_secs(seconds);
        while found.is_ok() && started.elapsed() < limit && fuzzer.tried < inputs {
            found = fuzzer.step();
        }
        let rate = fuzzer.tried as f64 / started.elapsed().as_secs_f64();
        println!(
            "{:<14} {:>10} inputs, {rate:>8.0}/s, {:>4} distinct answers, {}",
            target.name,
            fuzzer.tried,
            fuzzer.answers.len(),
            if found.is_ok() { "no failure" } else { "failed" }
        );
        if let Err((input, failure)) = found {
            findings.push(report(target, &input, &failure));
        }
    }
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}
