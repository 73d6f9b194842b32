//! The plan of a measurement: engines, positions and limits, and the checks before the run folder is created.
//!
//! Settings under which the figures would mislead have notices. `command` adds them to the warnings of a run, so the
//! report has them too.

use super::counted::Counter;
use super::placement::threads_option;
use super::{Load, SearchesConfig};
use crate::base::cancel::Cancel;
use crate::base::cpus::overload_notice;
use crate::base::wording::counted;
use crate::config::{EngineConfig, FieldPath, Problem, Variant};
use crate::pool::{PreflightError, Setup, try_engine};
use crate::uci::{Launcher, OptionCheck, OptionDecl, OptionKind, check_option, declared_option};
use stretto::machine::control_group::memory_limit;
use stretto_stats::factor::MIN_SHOWN;

/// The searches of a measurement with everything needed to run them.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The engines to measure.
    pub engines: Vec<EngineConfig>,
    /// Loads measured with each engine, as in the grid.
    pub loads: Vec<Load>,
    /// Positions in FEN notation.
    pub positions: Vec<String>,
    /// Limits, repetitions and timeouts.
    pub config: SearchesConfig,
    /// Counts the instructions of each search, if that is asked for.
    pub counter: Option<Counter>,
    /// Starts the engine processes.
    pub launcher: Launcher,
    /// Cancels the run when raised.
    pub cancel: Cancel,
    /// Number of logical CPUs that the run may use.
    pub processors: usize,
}

impl Plan {
    pub(super) fn setup(&self) -> Setup {
        let SearchesConfig { watchdog, times, .. } = self.config;
        // Without times, a suspended harness does not affect the result.
        Setup::new(self.launcher.clone(), watchdog, Variant::Standard, times, self.cancel.clone())
    }

    /// Starts the first engine and returns the options that it declares.
    pub(crate) fn declared(&self) -> Result<Vec<OptionDecl>, PreflightError> {
        let path = FieldPath::root().key("engine");
        let first =
            self.engines.first().map(|engine| try_engine(engine, &path, &self.setup())).transpose()?;
        Ok(first.map(|trial| trial.options).unwrap_or_default())
    }

    /// Starts and ends every engine once and checks its options, before the run folder is created.
    ///
    /// Returns the `id name`s, and warnings for the user.
    pub(crate) fn trial(&self) -> Result<(Vec<String>, Vec<String>), PreflightError> {
        let limit = memory_limit().map(|limit| limit.0);
        let refuse = |hashes: &[u64]| {
            let refusal = limit.and_then(|limit| self.refuse_hash(hashes, limit));
            refusal.map_or(Ok(()), |refusal| Err(PreflightError::Option(refusal)))
        };
        // Before a large table makes the trial slow.
        refuse(&self.engines.iter().map(|engine| engine.hash().unwrap_or(0)).collect::<Vec<_>>())?;
        let setup = self.setup();
        let (mut id_names, mut warnings, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, engine) in self.engines.iter().enumerate() {
            let path = FieldPath::root().key("engines").index(index);
            let trial = try_engine(engine, &path, &setup)?;
            let most = self.loads.iter().filter_map(|load| load.threads_of_each()).max();
            if let Some(refusal) = most.and_then(|most| refuse_threads(&trial.options, most)) {
                return Err(PreflightError::Option(Problem::new(path, refusal)));
            }
            hashes.push(hash_size(engine, &trial.options));
            id_names.push(trial.id_name);
            warnings.extend(trial.warnings);
        }
        refuse(&hashes)?;
        warnings.extend(limit.and_then(|limit| self.memory_notice(&hashes, limit)));
        Ok((id_names, warnings))
    }

    /// Returns an error message if the hash tables of all processes exceed the memory. `hashes` are
    /// the sizes for each engine. Units: mebibytes.
    fn refuse_hash(&self, hashes: &[u64], memory: u64) -> Option<Problem> {
        // Processes are kept from search to search, of every engine.
        let processes = self.loads.iter().map(|load| load.processes()).max().unwrap_or(1);
        let processes = processes.saturating_mul(self.config.concurrency) as u64;
        let all = hashes.iter().fold(0_u64, |sum, hash| sum.saturating_add(hash.saturating_mul(processes)));
        let (index, hash) = hashes.iter().enumerate().max_by_key(|(_, hash)| **hash)?;
        (all > memory).then(|| {
            let path = FieldPath::root().key("engines").index(index).key("options").key(HASH);
            let count = counted((processes as usize).saturating_mul(hashes.len()), "process");
            let message = format!(
                "{hash}: the hash tables of {count} need {all} MiB, and this machine or control group has {memory} MiB"
            );
            Problem::new(path, message)
        })
    }

    /// Returns a notice if hash tables and threads of all processes exceed the memory. Unlike the size of a table, that of a
    /// thread is an estimate, so nothing is refused. `hashes` are the sizes for each engine. Units: mebibytes.
    fn memory_notice(&self, hashes: &[u64], memory: u64) -> Option<String> {
        let need = |(engine, &hash): (&EngineConfig, &u64)| {
            let of_load = |load: &Load| {
                let memory = EngineConfig::memory(hash, load.threads_in(engine) as u64);
                memory.saturating_mul(load.processes() as u64)
            };
            self.loads.iter().map(of_load).max().unwrap_or(0)
        };
        let of_engines = self.engines.iter().zip(hashes).map(need).fold(0, u64::saturating_add);
        let all = of_engines.saturating_mul(self.config.concurrency as u64);
        (all > memory).then(|| {
            format!(
                "hash tables and threads of all engines need about {all} MiB, and this machine or control group has {memory} MiB: \
                 engines may be killed; a smaller Hash, fewer threads or fewer searches at once need less"
            )
        })
    }
}

/// The UCI option of the size of the hash table.
const HASH: &str = "Hash";

/// Returns the size of an engine's hash table, as configured or declared; 0 if unknown. Units:
/// mebibytes.
fn hash_size(engine: &EngineConfig, declared: &[OptionDecl]) -> u64 {
    let default = || match declared_option(declared, HASH).ok()?.kind {
        OptionKind::Spin { default, .. } => u64::try_from(default?).ok(),
        _ => None,
    };
    engine.hash().or_else(default).unwrap_or(0)
}

/// Returns an error message if an engine with these options cannot use `most` threads.
pub(crate) fn refuse_threads(options: &[OptionDecl], most: u32) -> Option<String> {
    match check_option(options, &threads_option(most)) {
        OptionCheck::Fits => None,
        OptionCheck::Unknown if most == 1 => None,
        OptionCheck::Unknown => Some("the engine declares no option Threads".to_owned()),
        OptionCheck::Refused(expected) => {
            Some(format!("its option Threads does not accept {most}: expected {expected}"))
        }
    }
}

/// Time of a search below which engines may leave out their helper threads. Stretto does so below
/// 15 ms. Units: milliseconds.
const SHORT_MOVETIME: u64 = 20;

/// Returns the notices on a plan: on times of searches that share processors, of too little time for several threads, and of
/// threads that take turns; on node counts that differ from run to run; and on positions too few for intervals.
pub(super) fn notices(plan: &Plan) -> Vec<String> {
    let SearchesConfig { limits, times, concurrency, .. } = plan.config;
    let is_any = |has: fn(&EngineConfig, Load) -> bool| cells(plan).any(|(engine, load)| has(engine, load));
    let has_helpers = is_any(|engine, load| load.threads_in(engine) > 1);
    let takes_turns = is_any(|engine, load| load.threads_in(engine) > 1 && engine.lockstep().is_some());
    let varies = is_any(|engine, load| {
        load == Load::AsConfigured && engine.threads() > 1 && engine.lockstep().is_none()
    });
    let overload = overload_notice(concurrency, "search", busiest(plan), (plan.processors, "processor"));
    let short = limits.movetime.filter(|time| has_helpers && time.get() < SHORT_MOVETIME);
    let count = plan.positions.len();
    let notices = [
        overload.filter(|_| times),
        short.map(|time| {
            format!(
                "a movetime of {time} ms with several threads: below {SHORT_MOVETIME} ms an engine may search with one thread \
                 (Stretto does below 15 ms)"
            )
        }),
        (varies && limits.movetime.is_none()).then(|| {
            "several threads without Lockstep: node counts vary from run to run; with \
             --set 'engines[0].args=[--lab]' --option Lockstep=500 Stretto repeats them"
                .to_owned()
        }),
        (times && takes_turns).then(|| {
            "in lockstep the threads take turns, so times and speeds say nothing about parallel searches"
                .to_owned()
        }),
        (count < MIN_SHOWN).then(|| {
            format!(
                "{}: intervals are shown from {MIN_SHOWN} positions on, since those of fewer mean little; search more positions",
                counted(count, "position")
            )
        }),
    ];
    notices.into_iter().flatten().collect()
}

/// Returns every engine with every load.
fn cells(plan: &Plan) -> impl Iterator<Item = (&EngineConfig, Load)> {
    plan.engines.iter().flat_map(|engine| plan.loads.iter().map(move |&load| (engine, load)))
}

/// Returns the largest number of threads that are busy at once in a search. In lockstep one thread of a process runs at a time.
fn busiest(plan: &Plan) -> usize {
    let busy = |(engine, load): (&EngineConfig, Load)| {
        let of_each = if engine.lockstep().is_some() { 1 } else { load.threads_in(engine).max(1) };
        load.processes() * of_each
    };
    cells(plan).map(busy).max().unwrap_or(0)
}

/// Returns a notice if times are compared and a control group limits CPU time to less than the
/// processors that the busiest searches need. `limit` is in processors.
pub(super) fn quota_notice(plan: &Plan, limit: Option<f64>) -> Option<String> {
    let limit = limit.filter(|_| plan.config.times)?;
    let most = busiest(plan).saturating_mul(plan.config.concurrency);
    (most as f64 > limit).then(|| {
        format!(
            "the control group limits CPU time to {limit:.2} processors, and {} are busy at once: they stop when the quota \
             is used up, and times and speeds suffer",
            counted(most, "thread")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroU64};

    use super::*;
    use crate::config::{EngineOption, Limits, Watchdog};
    use crate::measure::searches::{SearchOrder, SearchesConfig};

    /// Returns a plan of one engine with these options on a machine with two processors.
    fn plan(options: &[(&str, &str)], loads: Vec<Load>, limits: Limits) -> Plan {
        let options = options
            .iter()
            .map(|(name, value)| EngineOption { name: (*name).to_owned(), value: Some((*value).to_owned()) });
        let mut engine = EngineConfig::of_words("sh", None, &[], &[], limits).unwrap();
        engine.options = options.collect();
        Plan {
            engines: vec![engine],
            loads,
            positions: vec![String::new(); MIN_SHOWN],
            config: SearchesConfig {
                positions: "p.epd".into(),
                count: None,
                limits,
                repetitions: NonZeroU32::MIN,
                times: true,
                concurrency: 1,
                watchdog: Watchdog::default(),
                instructions: false,
                order: SearchOrder::Rotated,
            },
            counter: None,
            launcher: Launcher::of_this_binary(),
            cancel: Cancel::new(),
            processors: 2,
        }
    }

    fn threads(count: u32) -> Load {
        Load::Threads(NonZeroU32::new(count).unwrap())
    }

    fn depth() -> Limits {
        Limits { depth: NonZeroU32::new(9), ..Limits::default() }
    }

    fn movetime(ms: u64) -> Limits {
        Limits { movetime: NonZeroU64::new(ms), ..Limits::default() }
    }

    /// Returns the first word of each notice.
    fn kinds(plan: &Plan) -> Vec<String> {
        notices(plan).iter().map(|notice| notice.split(' ').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn shared_processors_have_a_notice_if_times_are_compared() {
        let mut many = plan(&[], vec![threads(1), threads(64)], movetime(100));
        let expected = "1 search of 64 threads needs more than the 2 processors that this process may use";
        assert!(notices(&many)[0].starts_with(expected), "{:?}", notices(&many));
        many.loads = vec![threads(1), Load::Processes(NonZeroU32::new(3).unwrap())];
        assert!(notices(&many)[0].starts_with("1 search of 3 threads needs"), "{:?}", notices(&many));
        many.loads = vec![threads(2)];
        assert_eq!(kinds(&many), [""; 0]);
        many.config.concurrency = 2;
        assert!(notices(&many)[0].starts_with("2 searches of 2 threads each at once need"));
        many.config.times = false;
        assert_eq!(kinds(&many), [""; 0]);
        let bench = plan(&[("Threads", "8"), ("Lockstep", "500")], vec![Load::AsConfigured], depth());
        assert_eq!(kinds(&bench), ["in"], "one thread runs at a time");
    }

    #[test]
    fn threads_beyond_a_limit_of_cpu_time_have_a_notice() {
        let mut two = plan(&[], vec![threads(1), threads(2)], movetime(100));
        let notice = quota_notice(&two, Some(1.5)).unwrap();
        assert!(
            notice.starts_with("the control group limits CPU time to 1.50 processors, and 2 threads are")
        );
        assert_eq!(quota_notice(&two, Some(2.0)), None);
        assert_eq!(quota_notice(&two, None), None);
        two.config.times = false;
        assert_eq!(quota_notice(&two, Some(1.5)), None, "times are not compared");
    }

    #[test]
    fn hash_tables_that_exceed_the_memory_are_refused() {
        let processes = Load::Processes(NonZeroU32::new(4).unwrap());
        let mut many = plan(&[("Hash", "256")], vec![threads(1), threads(4), processes], movetime(100));
        assert!(many.refuse_hash(&[256], 1024).is_none());
        let message = |plan: &Plan, hashes: &[u64]| {
            let Problem { path, message } = plan.refuse_hash(hashes, 1023).unwrap();
            format!("{path}: {message}")
        };
        assert_eq!(
            message(&many, &[256]),
            "engines[0].options.Hash: 256: the hash tables of 4 processes need 1024 MiB, and this machine or control group \
             has 1023 MiB"
        );
        assert!(
            message(&many, &[8, 256])
                .starts_with("engines[1].options.Hash: 256: the hash tables of 8 processes")
        );
        many.loads.pop();
        many.config.concurrency = 5;
        assert!(message(&many, &[256]).contains("5 processes need 1280 MiB"), "searches at once");
    }

    #[test]
    fn threads_that_exceed_the_memory_have_a_notice() {
        let processes = Load::Processes(NonZeroU32::new(4).unwrap());
        let many = plan(&[("Hash", "256")], vec![threads(128), processes], movetime(100));
        // 128 threads need 640 MiB, four processes 1036.
        assert_eq!(many.memory_notice(&[256], 1036), None);
        let notice = many.memory_notice(&[256], 1035).unwrap();
        assert!(notice.starts_with("hash tables and threads of all engines need about 1036 MiB"), "{notice}");
        let one = plan(&[("Threads", "64")], vec![Load::AsConfigured], depth());
        assert_eq!([207, 208].map(|memory| one.memory_notice(&[16], memory).is_some()), [true, false]);
    }

    #[test]
    fn short_searches_of_several_threads_have_a_notice() {
        assert_eq!(kinds(&plan(&[], vec![threads(1), threads(2)], movetime(12))), ["a"]);
        assert_eq!(kinds(&plan(&[], vec![threads(1), threads(2)], movetime(20))), [""; 0]);
        assert_eq!(kinds(&plan(&[], vec![threads(1)], movetime(12))), [""; 0]);
        assert_eq!(kinds(&plan(&[("Threads", "2")], vec![Load::AsConfigured], movetime(12))), ["a"]);
    }

    #[test]
    fn times_of_threads_that_take_turns_have_a_notice() {
        let expected =
            "in lockstep the threads take turns, so times and speeds say nothing about parallel searches";
        let mut bench = plan(&[("Threads", "2"), ("Lockstep", "500")], vec![Load::AsConfigured], depth());
        assert_eq!(notices(&bench), [expected]);
        bench.config.times = false;
        assert_eq!(notices(&bench), [""; 0], "times are not compared");
        let smp = |loads| notices(&plan(&[("Lockstep", "500")], loads, movetime(100)));
        assert_eq!(smp(vec![threads(1), threads(2)]), [expected]);
        assert_eq!(smp(vec![threads(1), Load::Processes(NonZeroU32::new(2).unwrap())]), [""; 0]);
    }

    #[test]
    fn few_positions_have_a_notice() {
        let mut few = plan(&[], vec![Load::AsConfigured], depth());
        assert_eq!(notices(&few), [""; 0]);
        few.positions.truncate(2);
        assert!(
            notices(&few)[0].starts_with("2 positions: intervals are shown from 5 positions on"),
            "{:?}",
            notices(&few)
        );
    }

    #[test]
    fn node_counts_that_vary_have_a_notice() {
        let bench =
            |options: &[(&str, &str)], limits| kinds(&plan(options, vec![Load::AsConfigured], limits));
        assert_eq!(bench(&[("Threads", "2")], depth()), ["several"]);
        assert_eq!(bench(&[("Threads", "2"), ("Lockstep", "0")], depth()), ["several"]);
        assert_eq!(bench(&[("Threads", "2"), ("lockstep", "500")], depth()), ["in"]);
        assert_eq!(bench(&[("Threads", "2")], movetime(100)), [""; 0], "nodes are not compared");
        assert_eq!(bench(&[], depth()), [""; 0]);
    }
}
