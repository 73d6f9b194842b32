//! Proportions: confidence intervals, and a test for the difference of two runs over the same
//! items.

use super::numeric::Z95;
use crate::units::Share;

/// Returns the 95 % confidence interval of a proportion; `None` without trials.
///
/// The interval stays within 0 and 1 and has a positive width even if all or none of the trials
/// succeeded.
///
/// Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference" (1927).
///
/// ```
/// use stretto_stats::proportion::wilson;
///
/// // 81 of 100 positions solved.
/// let (low, high) = wilson(81, 100).expect("trials");
/// assert_eq!(format!("{low} to {high}"), "72.2 % to 87.5 %");
/// ```
pub fn wilson(successes: u64, trials: u64) -> Option<(Share, Share)> {
    if trials == 0 {
        return None;
    }
    let (n, z2) = (trials as f64, Z95 * Z95);
    let p = successes.min(trials) as f64 / n;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some((Share((middle - half).max(0.0)), Share((middle + half).min(1.0))))
}

/// Returns the p-value of the two-sided sign test: the probability of a split at least as uneven as
/// `gained` to `lost` if both are equally likely.
///
/// With the items that only one of two runs solved as counts, this is McNemar's exact test. The
/// p-value is 1 without items.
///
/// ```
/// use stretto_stats::proportion::sign_test;
///
/// // 2 (1 + 10) / 2^10
/// assert!((sign_test(9, 1).0 - 22.0 / 1024.0).abs() < 1e-12);
/// ```
pub fn sign_test(gained: u64, lost: u64) -> Share {
    let (fewer, all) = (gained.min(lost), gained + lost);
    // ln of C(all, k) / 2^all, carried from term to term: no factorial and no overflow.
    let mut ln_term = -(all as f64) * std::f64::consts::LN_2;
    let mut tail = ln_term.exp();
    for k in 1..=fewer {
        ln_term += ((all - k + 1) as f64 / k as f64).ln();
        tail += ln_term.exp();
    }
    Share((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_matches_published_values() {
        // Newcombe (1998), table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (a, b) = wilson(successes, trials).unwrap();
            assert!(
                (a.0 - low).abs() < 6e-5 && (b.0 - high).abs() < 6e-5,
                "{successes}/{trials}: {a:?} {b:?}"
            );
        }
        assert_eq!(wilson(0, 0), None);
        assert_eq!(wilson(7, 7).unwrap().1, Share(1.0));
    }

    #[test]
    fn sign_test_is_the_binomial_test() {
        for (gained, lost, p) in
            [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (8, 1, 20.0 / 512.0), (1, 8, 20.0 / 512.0)]
        {
            assert!((sign_test(gained, lost).0 - p).abs() < 1e-12, "{gained} to {lost}");
        }
        let many = sign_test(100_000, 99_000).0;
        assert!(many > 0.0 && many < 1.0 && sign_test(100_000, 0).0.abs() < 1e-300);
    }
}
