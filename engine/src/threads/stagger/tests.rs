//! Tests of the staggering schemes.

use super::*;

/// A multiple of all periods: 8, 8 and 60.
const DEPTHS: usize = 240;

fn skips(scheme: Stagger, thread: usize) -> Vec<bool> {
    (1..=DEPTHS).map(|depth| scheme.skips(thread, Depth(depth as i32), Occupancy::default)).collect()
}

#[test]
fn half_density_equals_skip_table_up_to_four_threads() {
    let differs = |thread: &usize| skips(Stagger::HalfDensity, *thread) != skips(Stagger::SkipTable, *thread);
    assert_eq!((0..1024).find(differs), Some(4), "the fifth thread is the first that differs");
}

#[test]
fn main_thread_never_skips() {
    for scheme in Stagger::ALL {
        assert!(!skips(scheme, 0).contains(&true), "{scheme}");
        assert_eq!(scheme.depth_offset(0), 0);
    }
}

#[test]
fn helpers_search_about_half_of_the_depths_without_long_gaps() {
    for (scheme, least, most) in
        [(Stagger::SkipTable, 120, 120), (Stagger::HalfDensity, 120, 120), (Stagger::SizePeriod, 80, 120)]
    {
        for thread in 1..=1024 {
            let skips = skips(scheme, thread);
            let searched = skips.iter().filter(|skipped| !**skipped).count();
            assert!((least..=most).contains(&searched), "{scheme}, thread {thread}: {searched} of 240");
            let longest = skips.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).max();
            assert!(longest <= Some(4), "{scheme}, thread {thread} skips {longest:?}");
        }
    }
}

#[test]
fn two_helpers_cover_every_depth() {
    for scheme in Stagger::ALL {
        for threads in 3..40 {
            let has_helper =
                |depth| (1..threads).any(|thread| !scheme.skips(thread, Depth(depth), Occupancy::default));
            assert!((1..=DEPTHS as i32).all(has_helper), "{scheme}, {threads} threads");
        }
    }
}

#[test]
fn skip_table_equals_that_of_stockfish_10() {
    // Size and phase of each of the twenty helpers, by the published rule.
    let sizes = [vec![1; 2], vec![2; 4], vec![3; 6], vec![4; 8]].concat();
    let phases: Vec<usize> = [2, 4, 6, 8].into_iter().flat_map(|rotations| 0..rotations).collect();
    for thread in 1..=60 {
        let (size, phase) = (sizes[(thread - 1) % 20], phases[(thread - 1) % 20]);
        for depth in 0..DEPTHS {
            let odd = (depth + phase) / size % 2 != 0;
            assert_eq!(
                Stagger::SkipTable.skips(thread, Depth(depth as i32), Occupancy::default),
                odd,
                "{thread} {depth}"
            );
        }
    }
}

#[test]
fn helpers_differ_until_patterns_repeat() {
    for (scheme, rows) in [(Stagger::SkipTable, 20), (Stagger::HalfDensity, 14)] {
        for one in 1..=rows {
            assert_eq!(skips(scheme, one), skips(scheme, one + rows), "{scheme} repeats");
            for other in one + 1..=rows {
                assert_ne!(skips(scheme, one), skips(scheme, other), "{scheme}: {one} and {other}");
            }
        }
    }
}

#[test]
fn half_density_helpers_of_different_pairs_agree_on_half_of_all_depths() {
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
fn size_period_rows_count_down_from_increasing_periods() {
    // The cycle of each row, derived from the pattern.
    let cycle = |thread| {
        let skips = skips(Stagger::SizePeriod, thread);
        (1..=6).find(|&n| skips.iter().zip(&skips[n..]).all(|(a, b)| a == b)).expect("a short cycle")
    };
    let cycles: Vec<usize> = (1..=16).map(cycle).collect();
    assert_eq!(cycles, [2, 2, 3, 2, 4, 3, 2, 5, 4, 3, 2, 6, 5, 4, 3, 2]);
}

#[test]
fn one_deeper_offsets_every_second_thread_by_one_ply() {
    let offsets: Vec<i32> = (0..4).map(|thread| Stagger::OneDeeper.depth_offset(thread)).collect();
    assert_eq!(offsets, [0, 1, 0, 1]);
    assert!((0..9).all(|thread| !skips(Stagger::OneDeeper, thread).contains(&true)));
    assert_eq!(Stagger::SkipTable.depth_offset(1), 0);
}

#[test]
fn spread_skips_depths_that_half_of_the_threads_search() {
    let skips = |thread, at_or_above, threads| {
        Stagger::Spread.skips(thread, Depth(9), || Occupancy { at_or_above, threads })
    };
    assert!(!skips(0, 7, 8), "the main thread never skips");
    assert!(skips(1, 1, 2) && !skips(1, 0, 2));
    assert!(!skips(3, 3, 8) && skips(3, 4, 8) && skips(3, 7, 8));
    assert!(!skips(1, 0, 1), "a single thread never skips");
}
