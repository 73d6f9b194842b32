//! Which iterations a helper leaves out, so that helpers do not all search the same depth at the same time.
//!
//! Pure functions of thread, depth and, in one scheme, of where the others are: thread 0, the main thread, never skips;
//! helpers 1, 2, … follow a periodic pattern each, in which they leave out about half of all depths and never more than
//! a few on end. Modern engines do without; the schemes are here to be measured against each other.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::types::Depth;

/// A scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stagger {
    /// Every thread searches every depth; what divergence there is comes from chance.
    None,
    /// Blocks of `k` depths searched, `k` skipped, for `k` = 1 to 4, each in all `2k` rotations: 20 helpers differ.
    ///
    /// Source: the rule of Stockfish 9 and 10, here generated from the block size.
    #[default]
    SkipTable,
    /// Helper pairs with complementary patterns of half density, any two pairs agreeing on exactly half of all
    /// depths: rows of a Hadamard matrix of order 8; 14 helpers differ.
    ///
    /// Source: the half-density patterns per helper of Stockfish 7; J. J. Sylvester, 1867, for the rows.
    HalfDensity,
    /// At the start of each period, the greater half of it is skipped; the periods count down from ever higher:
    /// 1, 2, 3 2, 4 3 2, 5 4 3 2, 6 5 4 3 2, for 16 helpers.
    ///
    /// Source: the skip size and period of Laser and of Ethereal in 2018, all but two of whose 16 rows this yields.
    SizePeriod,
    /// Nobody skips, but every second thread searches one ply deeper than its iteration says.
    ///
    /// Source: the Lazy SMP of Cheng, as the Chess Programming Wiki describes it.
    OneDeeper,
    /// A helper leaves out a depth that half of the threads already search, or have gone beyond.
    ///
    /// Source: Demolito (Lucas Braesch), and Ethereal's first scheme.
    Spread,
}

/// How many threads search a depth, or a greater one, at the moment. Not counted is the one who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    /// So many.
    pub at_or_above: usize,
    /// Of so many.
    pub threads: usize,
}

/// The text names no scheme.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{token}' is not a staggering scheme; there are none, skip-table, half-density, size-period, one-deeper, spread"
)]
pub struct UnknownStagger {
    /// The text.
    pub token: String,
}

impl Stagger {
    /// All schemes.
    pub const ALL: [Self; 6] =
        [Self::None, Self::SkipTable, Self::HalfDensity, Self::SizePeriod, Self::OneDeeper, Self::Spread];

    /// As options and configurations spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::SkipTable => "skip-table",
            Self::HalfDensity => "half-density",
            Self::SizePeriod => "size-period",
            Self::OneDeeper => "one-deeper",
            Self::Spread => "spread",
        }
    }

    /// Does this thread leave this iteration out?
    ///
    /// Range: any thread; depths below 0 count as 0.
    pub fn skips(self, thread: usize, depth: Depth, crowd: Crowd) -> bool {
        let Some(helper) = thread.checked_sub(1) else { return false };
        let depth = depth.0.max(0) as usize;
        match self {
            Self::None | Self::OneDeeper => false,
            Self::SkipTable => skips_block(helper, depth),
            Self::HalfDensity => skips_by_parity(helper, depth),
            Self::SizePeriod => skips_greater_half(helper, depth),
            Self::Spread => crowd.at_or_above > 0 && 2 * crowd.at_or_above >= crowd.threads,
        }
    }

    /// How much deeper than its iteration this thread searches. Units: plies.
    pub const fn depth_offset(self, thread: usize) -> i32 {
        match self {
            Self::OneDeeper => (thread % 2) as i32,
            Self::None | Self::SkipTable | Self::HalfDensity | Self::SizePeriod | Self::Spread => 0,
        }
    }
}

impl fmt::Display for Stagger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Stagger {
    type Err = UnknownStagger;

    fn from_str(text: &str) -> Result<Self, UnknownStagger> {
        let named = |scheme: &Self| text.trim().eq_ignore_ascii_case(scheme.name());
        Self::ALL.into_iter().find(named).ok_or_else(|| UnknownStagger { token: text.to_owned() })
    }
}

/// The largest block of [`Stagger::SkipTable`]; larger ones leave a helper idle at depths that matter.
const LARGEST_BLOCK: usize = 4;
/// The order of the matrix of [`Stagger::HalfDensity`], for the same reason: its longest block is half of this.
const ORDER: usize = 8;
/// The longest period of [`Stagger::SizePeriod`].
const LARGEST_PERIOD: usize = 6;

/// Block size `k` contributes `2k` rows, one for each rotation of `k` depths searched and `k` skipped.
fn skips_block(helper: usize, depth: usize) -> bool {
    let mut rows =
        (1..=LARGEST_BLOCK).flat_map(|block| (0..2 * block).map(move |rotation| (block, rotation)));
    let row = helper % (LARGEST_BLOCK * (LARGEST_BLOCK + 1));
    rows.nth(row).is_some_and(|(block, rotation)| (depth + rotation) / block % 2 == 1)
}

/// Row `r` of a Sylvester-Hadamard matrix is negative in column `d` when `r & d` has an odd number of ones.
fn skips_by_parity(helper: usize, depth: usize) -> bool {
    // Row 0 is constant and of no use.
    let row = helper / 2 % (ORDER - 1) + 1;
    let is_complement = helper % 2 == 1;
    ((row & (depth % ORDER)).count_ones() % 2 == 1) != is_complement
}

/// One row for period 1, then runs of periods that fall to 2, from 2, from 3 and so on; a row's index is its phase.
fn skips_greater_half(helper: usize, depth: usize) -> bool {
    let periods = (2..=LARGEST_PERIOD).flat_map(|top| (2..=top).rev());
    let row = helper % (1 + LARGEST_PERIOD * (LARGEST_PERIOD - 1) / 2);
    let period = std::iter::once(1).chain(periods).nth(row).unwrap_or(1);
    let size: usize = period.div_ceil(2);
    // A period no longer than its skip would leave nothing to search: skip and search in turn instead.
    let cycle = if period > size { period } else { period + size };
    (depth + row) % cycle < size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A multiple of every scheme's period: 8, 8 and 60.
    const DEPTHS: usize = 240;

    fn skips(scheme: Stagger, thread: usize) -> Vec<bool> {
        (1..=DEPTHS).map(|depth| scheme.skips(thread, Depth(depth as i32), Crowd::default())).collect()
    }

    #[test]
    fn the_main_thread_never_skips() {
        for scheme in Stagger::ALL {
            assert!(!skips(scheme, 0).contains(&true), "{scheme}");
            assert_eq!(scheme.depth_offset(0), 0);
        }
    }

    #[test]
    fn helpers_search_about_half_and_never_pause_long() {
        for (scheme, least, most) in
            [(Stagger::SkipTable, 120, 120), (Stagger::HalfDensity, 120, 120), (Stagger::SizePeriod, 80, 120)]
        {
            for thread in 1..=1024 {
                let skips = skips(scheme, thread);
                let searched = skips.iter().filter(|skipped| !**skipped).count();
                assert!((least..=most).contains(&searched), "{scheme}, thread {thread}: {searched} of 240");
                let longest = skips.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).max();
                assert!(longest <= Some(4), "{scheme}, thread {thread} pauses for {longest:?}");
            }
        }
    }

    #[test]
    fn every_depth_has_a_helper_from_two_helpers_on() {
        for scheme in Stagger::ALL {
            for threads in 3..40 {
                let has_helper =
                    |depth| (1..threads).any(|thread| !scheme.skips(thread, Depth(depth), Crowd::default()));
                assert!((1..=DEPTHS as i32).all(has_helper), "{scheme}, {threads} threads");
            }
        }
    }

    #[test]
    fn the_skip_table_is_that_of_stockfish_10() {
        // Size and phase of each of the twenty helpers, by the published rule.
        let sizes = [vec![1; 2], vec![2; 4], vec![3; 6], vec![4; 8]].concat();
        let phases: Vec<usize> = [2, 4, 6, 8].into_iter().flat_map(|rotations| 0..rotations).collect();
        for thread in 1..=60 {
            let (size, phase) = (sizes[(thread - 1) % 20], phases[(thread - 1) % 20]);
            for depth in 0..DEPTHS {
                let odd = (depth + phase) / size % 2 != 0;
                assert_eq!(
                    Stagger::SkipTable.skips(thread, Depth(depth as i32), Crowd::default()),
                    odd,
                    "{thread} {depth}"
                );
            }
        }
    }

    #[test]
    fn helpers_differ_until_the_patterns_run_out() {
        for (scheme, rows) in [(Stagger::SkipTable, 20), (Stagger::HalfDensity, 14)] {
            for one in 1..=rows {
                assert_eq!(skips(scheme, one), skips(scheme, one + rows), "{scheme} comes round");
                for other in one + 1..=rows {
                    assert_ne!(skips(scheme, one), skips(scheme, other), "{scheme}: {one} and {other}");
                }
            }
        }
    }

    #[test]
    fn half_density_pairs_agree_on_half_of_all_depths() {
        for one in 1..=14 {
            for other in one + 1..=14 {
                let (a, b) = (skips(Stagger::HalfDensity, one), skips(Stagger::HalfDensity, other));
                let agreed = a.iter().zip(&b).filter(|(a, b)| a == b).count();
                let is_pair = (one - 1) / 2 == (other - 1) / 2;
                assert_eq!(agreed, if is_pair { 0 } else { DEPTHS / 2 }, "{one} and {other}");
            }
        }
    }

    #[test]
    fn size_period_rows_fall_from_ever_higher_periods() {
        // The cycle of each row, read off the pattern itself.
        let cycle = |thread| {
            let skips = skips(Stagger::SizePeriod, thread);
            (1..=6).find(|&n| skips.iter().zip(&skips[n..]).all(|(a, b)| a == b)).expect("a short cycle")
        };
        let cycles: Vec<usize> = (1..=16).map(cycle).collect();
        assert_eq!(cycles, [2, 2, 3, 2, 4, 3, 2, 5, 4, 3, 2, 6, 5, 4, 3, 2]);
    }

    #[test]
    fn one_deeper_sends_every_second_thread_ahead() {
        let offsets: Vec<i32> = (0..4).map(|thread| Stagger::OneDeeper.depth_offset(thread)).collect();
        assert_eq!(offsets, [0, 1, 0, 1]);
        assert!((0..9).all(|thread| !skips(Stagger::OneDeeper, thread).contains(&true)));
        assert_eq!(Stagger::SkipTable.depth_offset(1), 0);
    }

    #[test]
    fn spread_leaves_a_depth_that_half_of_the_threads_are_at() {
        let skips = |thread, at_or_above, threads| {
            Stagger::Spread.skips(thread, Depth(9), Crowd { at_or_above, threads })
        };
        assert!(!skips(0, 7, 8), "the main thread never skips");
        assert!(skips(1, 1, 2) && !skips(1, 0, 2));
        assert!(!skips(3, 3, 8) && skips(3, 4, 8) && skips(3, 7, 8));
        assert!(!skips(1, 0, 1), "alone there is nobody to leave it to");
    }

    #[test]
    fn names_round_trip() {
        for scheme in Stagger::ALL {
            assert_eq!(scheme.to_string().to_uppercase().parse(), Ok(scheme));
        }
        let error = "skippy".parse::<Stagger>().expect_err("no such scheme");
        assert!(error.to_string().contains("'skippy'"));
        for scheme in Stagger::ALL {
            assert!(error.to_string().contains(scheme.name()), "{error}");
        }
    }
}
