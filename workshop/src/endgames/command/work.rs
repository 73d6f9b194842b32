//! Work model of the generation: the relative cost of a table, the time spent, and the ETA.

use std::fmt;
use std::time::{Duration, Instant};

use stretto::tablebase::{Index, Material, Metric};

use stretto_harness::base::system::host::processor_time;

/// Cost per position relative to a four-piece table without pawns: with pawns, with pawns on both
/// sides, and for each piece beyond four. Measured up to five pieces, see results/tablebases.md.
const PAWNS: f64 = 1.1;
const PAWNS_ON_BOTH_SIDES: f64 = 2.0;
const PIECE_BEYOND_FOUR: f64 = 1.1;

/// A point in time: wall clock and CPU time of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    clock: Instant,
    worked: Duration,
}

/// Time since a [`Moment`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) time: Duration,
    /// CPU time over all threads. Excludes other programs, and steal time where the kernel accounts
    /// for it.
    pub(crate) worked: Duration,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { clock: Instant::now(), worked: processor_time() }
    }

    pub(crate) fn elapsed(self) -> Spent {
        let now = Self::now();
        Spent { time: now.clock - self.clock, worked: now.worked.saturating_sub(self.worked) }
    }
}

/// Formats as `91.1 s, CPU 21.3 s`.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s, CPU {:.1} s", self.time.as_secs_f64(), self.worked.as_secs_f64())
    }
}

/// Returns the number of positions of a table, for both sides to move.
pub(crate) fn entries(material: Material) -> usize {
    2 * Index::new(material).len()
}

/// Returns the number of pieces beyond four.
pub(crate) fn beyond_four(material: Material) -> i32 {
    material.piece_count().saturating_sub(4) as i32
}

/// Returns the relative cost of a table. Unit: the cost of a position in a four-piece table without
/// pawns.
pub(crate) fn work(material: Material, metric: Metric) -> f64 {
    let slower = if material.has_pawns_on_both_sides() {
        PAWNS_ON_BOTH_SIDES
    } else if material.has_pawns() {
        PAWNS
    } else {
        1.0
    };
    let slower = slower * PIECE_BEYOND_FOUR.powi(beyond_four(material));
    let twice = if metric == Metric::Dtz && material.has_pawns() { 2.0 } else { 1.0 };
    entries(material) as f64 * slower * twice
}

/// Formats a duration such as `under 1 second`, `95 seconds`, `12 minutes`, `1.9 hours` or `24 days`.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        ..=0.0 => "0 seconds".to_owned(),
        ..1.0 => "under 1 second".to_owned(),
        ..1.5 => "1 second".to_owned(),
        ..100.0 => format!("{seconds:.0} seconds"),
        100.0..6000.0 => format!("{:.0} minutes", seconds / 60.0),
        6000.0..259_200.0 => format!("{:.1} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_time_includes_wall_clock_and_cpu() {
        let spent = Spent { time: Duration::from_millis(91_120), worked: Duration::from_millis(21_340) };
        assert_eq!(spent.to_string(), "91.1 s, CPU 21.3 s");
        assert_eq!(
            [0.0, 0.4, 1.2, 95.4, 725.0, 6840.0, 2.1e6].map(duration),
            ["0 seconds", "under 1 second", "1 second", "95 seconds", "12 minutes", "1.9 hours", "24 days"]
        );
        let begun = Moment::now();
        let mut sum = 0u64;
        while begun.elapsed().worked < Duration::from_millis(5) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(begun.elapsed().time > Duration::ZERO);
    }

    #[test]
    fn pawns_and_pieces_increase_the_cost() {
        let of_all = |name: &str, metric| work(name.parse().unwrap(), metric);
        let of_one = |name: &str, metric| of_all(name, metric) / entries(name.parse().unwrap()) as f64;
        let is_one = |work: f64| (work - 1.0).abs() < 1e-9;
        assert!(is_one(of_one("KQvKR", Metric::Dtm)) && is_one(of_one("KQvKR", Metric::Dtz)));
        assert!(of_one("KQvKP", Metric::Dtm) > 1.0);
        assert!(of_one("KPvKP", Metric::Dtm) > of_one("KQvKP", Metric::Dtm));
        assert!(of_one("KRPvKR", Metric::Dtz) > of_one("KRPvKR", Metric::Dtm));
        assert!(of_all("KRPvKR", Metric::Dtm) > 60.0 * of_all("KRvKP", Metric::Dtm));
        let one_more = of_one("KQRvKRB", Metric::Dtm) / of_one("KQRvKR", Metric::Dtm);
        assert!((one_more - PIECE_BEYOND_FOUR).abs() < 1e-9);
    }
}
