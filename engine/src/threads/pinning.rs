//! CPU affinity of the worker threads: unpinned, one physical core each, or a list given by the
//! user.
//!
//! `auto` pins only if there are no more threads than physical cores available to the process. With
//! more, two workers would share a core, and the system's scheduler does better. It assumes that no
//! other process uses the cores of its affinity mask: two engines pinned to the same cores halve
//! each other's speed. The default is therefore `off`, and a match runner gives each game a
//! separate mask.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::machine::binding::available;
use crate::machine::cpus::{CpuListError, Ranges, parse_list};
use crate::machine::topology::hyperthreads;

/// The assignment of workers to cores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pinning {
    /// Workers are not pinned.
    #[default]
    Off,
    /// One physical core per worker, if there are enough.
    Auto,
    /// Worker `n` runs on core `n` of the list, modulo its length. Range: not empty.
    List(Vec<usize>),
}

/// Error in the value of the `Affinity` option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected 'off', 'auto' or a list of processors such as '0,2,4-7': {0}")]
pub struct PinningError(#[from] pub CpuListError);

impl Pinning {
    /// Parses `off`, `auto` or a list such as `0,2,4-7` of cores from `available`.
    ///
    /// Errors: [`PinningError`], with the rejected item.
    pub fn parse(text: &str, available: &[usize]) -> Result<Self, PinningError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        Ok(Self::List(parse_list(text, available)?))
    }

    /// Returns the core of each worker; `None` if it is not pinned.
    pub(super) fn cores(&self, threads: usize) -> Vec<Option<usize>> {
        match self {
            Self::Off => vec![None; threads],
            Self::Auto => {
                let cores = one_of_each_core(&available(), hyperthreads);
                let enough = threads <= cores.len().min(num_cpus::get_physical());
                (0..threads).map(|worker| enough.then(|| cores[worker])).collect()
            }
            Self::List(cores) => {
                let available = available();
                let core = |worker: usize| cores.get(worker % cores.len().max(1)).copied();
                (0..threads).map(|worker| core(worker).filter(|id| available.contains(id))).collect()
            }
        }
    }
}

impl FromStr for Pinning {
    type Err = PinningError;

    /// Parses the text as [`Pinning::parse`] does, with the cores available to this process.
    fn from_str(text: &str) -> Result<Self, PinningError> {
        Self::parse(text, &available())
    }
}

impl fmt::Display for Pinning {
    /// Writes the text that [`Pinning::parse`] accepts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Auto => f.write_str("auto"),
            Self::List(cores) => Ranges(cores).fmt(f),
        }
    }
}

/// Keeps one logical core per physical core.
fn one_of_each_core(available: &[usize], siblings: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut taken = BTreeSet::new();
    available
        .iter()
        .copied()
        .filter(|&core| {
            let is_first = !taken.contains(&core);
            taken.extend(siblings(core));
            is_first
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHT: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn keywords_and_core_lists_parse_and_round_trip() {
        for (text, pinning) in [
            ("off", Pinning::Off),
            (" Auto ", Pinning::Auto),
            ("3", Pinning::List(vec![3])),
            ("0,2,4-7", Pinning::List(vec![0, 2, 4, 5, 6, 7])),
            ("7, 0 - 1", Pinning::List(vec![7, 0, 1])),
        ] {
            assert_eq!(Pinning::parse(text, &EIGHT), Ok(pinning.clone()));
            assert_eq!(Pinning::parse(&pinning.to_string(), &EIGHT), Ok(pinning));
        }
    }

    #[test]
    fn errors_name_the_values_and_the_rejected_item() {
        let error = Pinning::parse("0,on", &EIGHT).expect_err("no core");
        let expected = "expected 'off', 'auto' or a list of processors such as '0,2,4-7': \
            expected a processor such as '3' or a range such as '4-7', found 'on'";
        assert_eq!(error.to_string(), expected);
        let error = Pinning::parse("0,6-9", &EIGHT).expect_err("eight cores only");
        assert!(matches!(error, PinningError(CpuListError::NotAvailable { cpu: 8, .. })), "{error}");
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn off_pins_no_worker_and_a_list_wraps_around() {
        assert_eq!(Pinning::Off.cores(3), [None, None, None]);
        let core = *available().first().expect("Linux reports the cores");
        let id = Some(core);
        assert_eq!(Pinning::List(vec![core]).cores(2), [id, id]);
        assert_eq!(Pinning::List(vec![core, usize::MAX]).cores(3), [id, None, id], "no such core, no pin");
        assert_eq!(Pinning::List(Vec::new()).cores(1), [None]);
    }

    #[test]
    fn auto_pins_each_worker_to_a_separate_core_or_none_at_all() {
        let most = available().len();
        for threads in 0..=most + 1 {
            let cores = Pinning::Auto.cores(threads);
            assert_eq!(cores.len(), threads);
            let pinned: BTreeSet<usize> = cores.iter().flatten().copied().collect();
            assert!(pinned.len() == threads || pinned.is_empty(), "{threads}: {cores:?}");
        }
        assert!(Pinning::Auto.cores(most + 1).iter().all(Option::is_none));
    }

    #[test]
    fn hyperthreads_of_one_core_count_once() {
        let adjacent = |core: usize| vec![core & !1, core | 1];
        assert_eq!(one_of_each_core(&EIGHT, adjacent), [0, 2, 4, 6]);
        let halves = |core: usize| vec![core % 4, core % 4 + 4];
        assert_eq!(one_of_each_core(&EIGHT, halves), [0, 1, 2, 3]);
        assert_eq!(one_of_each_core(&[5, 6], halves), [5, 6], "the mask may contain one thread of a core");
        assert_eq!(one_of_each_core(&EIGHT, |_| Vec::new()), EIGHT, "unknown topology");
    }
}
