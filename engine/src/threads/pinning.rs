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

use core_affinity::CoreId;
use thiserror::Error;

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
pub enum PinningError {
    /// A token that is neither a number, a range nor a keyword.
    #[error("affinity: expected 'off', 'auto', a core such as '3' or a range such as '4-7', found '{token}'")]
    NotACore {
        /// The rejected list item.
        token: String,
    },
    /// A range whose end is less than its start.
    #[error("affinity: the range '{token}' ends before it begins")]
    Backwards {
        /// The rejected range.
        token: String,
    },
    /// A core that does not exist or is not available to this process.
    #[error("affinity: core {core} of '{token}' is not available to this process (available: {available})")]
    NotAvailable {
        /// The rejected list item.
        token: String,
        /// The unavailable core.
        core: usize,
        /// The available cores, as a list of ranges.
        available: String,
    },
}

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
        let mut cores = Vec::new();
        for token in text.split(',').map(str::trim) {
            let (first, last) = parse_range(token)?;
            for core in first..=last {
                // Checked one by one, so that a huge range stops at the first unavailable core.
                if !available.contains(&core) {
                    let (token, available) = (token.to_owned(), Ranges(available).to_string());
                    return Err(PinningError::NotAvailable { token, core, available });
                }
                cores.push(core);
            }
        }
        Ok(Self::List(cores))
    }

    /// Returns the core of each worker; `None` if it is not pinned.
    pub(super) fn placement(&self, threads: usize) -> Vec<Option<CoreId>> {
        match self {
            Self::Off => vec![None; threads],
            Self::Auto => {
                let cores = one_of_each_core(&available_cores(), siblings);
                let enough = threads <= cores.len().min(num_cpus::get_physical());
                (0..threads).map(|worker| enough.then(|| CoreId { id: cores[worker] })).collect()
            }
            Self::List(cores) => {
                let available = available_cores();
                let core = |worker: usize| cores.get(worker % cores.len().max(1)).copied();
                let usable =
                    |worker| core(worker).filter(|id| available.contains(id)).map(|id| CoreId { id });
                (0..threads).map(usable).collect()
            }
        }
    }
}

impl FromStr for Pinning {
    type Err = PinningError;

    /// Parses the text as [`Pinning::parse`] does, with the cores available to this process.
    fn from_str(text: &str) -> Result<Self, PinningError> {
        Self::parse(text, &available_cores())
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

/// Returns the cores available to this process in ascending order; empty if the system does not
/// report them.
///
/// Call it from an unpinned thread: the system reports the mask of the calling thread.
pub fn available_cores() -> Vec<usize> {
    core_affinity::get_core_ids().unwrap_or_default().into_iter().map(|core| core.id).collect()
}

fn parse_range(token: &str) -> Result<(usize, usize), PinningError> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let bounds = match token.split_once('-') {
        Some((first, last)) => number(first).zip(number(last)),
        None => number(token).map(|core| (core, core)),
    };
    match bounds {
        None => Err(PinningError::NotACore { token: token.to_owned() }),
        Some((first, last)) if last < first => Err(PinningError::Backwards { token: token.to_owned() }),
        Some(bounds) => Ok(bounds),
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

/// Returns the logical cores of the same physical core; empty if the system does not report them.
fn siblings(core: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.trim()
        .split(',')
        .filter_map(|token| parse_range(token).ok())
        // Limits the range, so that a corrupt file cannot exhaust memory.
        .flat_map(|(first, last)| first..=last.min(first + 63))
        .collect()
}

/// A list of numbers, written as `0,2,4-7`.
struct Ranges<'a>(&'a [usize]);

impl fmt::Display for Ranges<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, run) in self.0.chunk_by(|a, b| a + 1 == *b).enumerate() {
            let comma = if n > 0 { "," } else { "" };
            match run {
                [core] => write!(f, "{comma}{core}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
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
    fn errors_contain_the_rejected_token() {
        for bad in ["", "x", "1,,2", "-3", "1-", "2,on", "0x1", "99999999999999999999"] {
            let error = Pinning::parse(bad, &EIGHT).expect_err(bad);
            assert!(matches!(error, PinningError::NotACore { .. }), "{bad}: {error}");
        }
        let backwards = PinningError::Backwards { token: "3-1".to_owned() };
        assert_eq!(Pinning::parse("0,3-1", &EIGHT), Err(backwards));
        let error = Pinning::parse("0,6-4000000000", &EIGHT).expect_err("eight cores only");
        assert_eq!(
            error.to_string(),
            "affinity: core 8 of '6-4000000000' is not available to this process (available: 0-7)"
        );
    }

    #[test]
    #[cfg_attr(not(target_os = "linux"), ignore = "needs Linux")]
    fn off_pins_no_worker_and_a_list_wraps_around() {
        assert_eq!(Pinning::Off.placement(3), [None, None, None]);
        let core = *available_cores().first().expect("Linux reports the cores");
        let id = Some(CoreId { id: core });
        assert_eq!(Pinning::List(vec![core]).placement(2), [id, id]);
        assert_eq!(
            Pinning::List(vec![core, usize::MAX]).placement(3),
            [id, None, id],
            "no such core, no pin"
        );
        assert_eq!(Pinning::List(Vec::new()).placement(1), [None]);
    }

    #[test]
    fn auto_pins_each_worker_to_a_separate_core_or_none_at_all() {
        let most = available_cores().len();
        for threads in 0..=most + 1 {
            let placement = Pinning::Auto.placement(threads);
            assert_eq!(placement.len(), threads);
            let pinned: BTreeSet<usize> = placement.iter().flatten().map(|core| core.id).collect();
            assert!(pinned.len() == threads || pinned.is_empty(), "{threads}: {placement:?}");
        }
        assert!(Pinning::Auto.placement(most + 1).iter().all(Option::is_none));
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
