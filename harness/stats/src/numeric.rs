//! Root finding, maximisation, and the normal, Student's and chi-square distributions.
//!
//! Every loop is bounded and every bracket stays a bracket, so these functions cannot fail to
//! converge.

/// Number of bisections after which any bracket used here has shrunk to adjacent doubles.
const HALVINGS: u32 = 200;

/// The 97.5 % quantile of the standard normal distribution: the half-width of a 95 % interval in
/// standard deviations.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Returns the sign change of a decreasing function, by bisection of `[low, high]` down to adjacent
/// doubles.
///
/// If the sign does not change inside the bracket, the nearer end is returned.
pub fn bisect_decreasing(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + 0.5 * (high - low)
}

/// Returns the sign change of a strictly decreasing function, by Newton steps that fall back to
/// bisection.
///
/// `f` returns the value and the derivative. Newton makes the common case cheap. A step that leaves
/// the bracket, or is longer than half of the one before, is replaced by bisection, so the worst case
/// is about twice that of bisection.
///
/// Source: Press and others, "Numerical Recipes" (1992), section 9.4.
pub fn newton_decreasing(mut low: f64, mut high: f64, start: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut x = if start > low && start < high { start } else { low + 0.5 * (high - low) };
    let mut longest = high - low;
    for _ in 0..HALVINGS {
        let (value, slope) = f(x);
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let step = -value / slope;
        if step.abs() <= 4.0 * f64::EPSILON * x.abs() {
            return (x + step).clamp(low, high);
        }
        // A NaN step is rejected as well.
        let is_good = step.abs() <= longest && x + step > low && x + step < high;
        let next = if is_good { x + step } else { low + 0.5 * (high - low) };
        if next <= low || next >= high {
            break;
        }
        longest = 0.5 * (next - x).abs();
        x = next;
    }
    x
}

/// Returns the position of the maximum of a unimodal function in `[low, high]`, by golden-section
/// search.
///
/// The position is exact to about the square root of machine precision, the function value to
/// machine precision.
pub fn golden_maximum(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const INVERSE_GOLDEN: f64 = 0.618_033_988_749_894_8;
    let mut left = high - INVERSE_GOLDEN * (high - low);
    let mut right = low + INVERSE_GOLDEN * (high - low);
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..90 {
        if high - low <= 1e-11 * high.abs().max(low.abs()) {
            break;
        }
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - INVERSE_GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + INVERSE_GOLDEN * (high - low);
            at_right = f(right);
        }
    }
    0.5 * (low + high)
}

/// Point where the distribution function switches from the power series to the continued fraction.
const SEAM: f64 = 2.5;

/// The density at 0, `1 / sqrt(2 pi)`.
const NORMAL_DENSITY_AT_0: f64 = 0.398_942_280_401_432_7;

/// Returns the standard normal distribution function, with full relative precision in the lower
/// tail.
///
/// Near 0 it is `1/2 + phi(z) (z + z^3/3 + z^5/(3 5) + ...)`, whose terms have one sign; outside it
/// is the continued fraction of [`ln_normal_cdf`]. statrs 0.19 is not used because its error is
/// 4e-11 in the middle.
///
/// Source: Marsaglia, "Evaluating the Normal Distribution" (2004).
pub fn normal_cdf(z: f64) -> f64 {
    if z >= SEAM {
        return 1.0 - normal_cdf(-z);
    }
    if z <= -SEAM {
        return NORMAL_DENSITY_AT_0 * (-0.5 * z * z).exp() * mills_ratio(-z);
    }
    let (mut term, mut sum) = (z, z);
    for odd in (3..80).step_by(2) {
        term *= z * z / f64::from(odd);
        sum += term;
    }
    0.5 + NORMAL_DENSITY_AT_0 * (-0.5 * z * z).exp() * sum
}

/// Returns the natural logarithm of [`normal_cdf`], finite for every finite `z`.
pub fn ln_normal_cdf(z: f64) -> f64 {
    if z <= -SEAM {
        NORMAL_DENSITY_AT_0.ln() - 0.5 * z * z + mills_ratio(-z).ln()
    } else if z < SEAM {
        normal_cdf(z).ln()
    } else {
        (-normal_cdf(-z)).ln_1p()
    }
}

/// Returns the upper tail of the normal distribution over its density, `1/(z + 1/(z + 2/(z + 3/(z +
/// ...))))`, from z = 2.5 on.
///
/// Fifty levels leave an error below 1e-20 at 2.5 and less beyond (Abramowitz and Stegun 26.2.14).
fn mills_ratio(z: f64) -> f64 {
    1.0 / (1..=50).rev().fold(z, |below, level| z + f64::from(level) / below)
}

/// Returns the natural logarithm of the gamma function of a positive number.
///
/// Source: C. Lanczos (1964), with the coefficients for g = 7 and n = 9.
fn ln_gamma(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let parts = COEFFICIENTS.iter().enumerate().skip(1);
    let sum = parts.fold(COEFFICIENTS[0], |sum, (index, part)| sum + part / (x + index as f64));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

/// Returns the regularized incomplete beta function `I_x(a, b)`.
///
/// Source: the continued fraction of Abramowitz and Stegun (1964), 26.5.8, by Lentz's method.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges quickly below the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = a * x.ln() + b * (1.0 - x).ln() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b);
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 0..300 {
        let m = f64::from(step / 2);
        let part = match step {
            0 => 1.0,
            even if even % 2 == 0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        };
        d = 1.0 / (1.0 + part * d);
        c = 1.0 + part / c;
        let change = c * d;
        value *= change;
        if step > 0 && (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    front.exp() * (value - 1.0) / a
}

/// Returns the probability of a value of Student's t at least as far from 0 as `t`.
fn student_two_sided(t: f64, degrees: f64) -> f64 {
    incomplete_beta(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
}

/// Returns the critical value of the two-sided t-test at this level, in standard errors. `None`
/// without a degree of freedom.
pub fn student_critical(level: f64, degrees: usize) -> Option<f64> {
    /// Upper end of the search. Units: standard errors.
    const MAX_T: f64 = 1e6;
    let degrees = degrees as f64;
    let critical = || bisect_decreasing(0.0, MAX_T, |t| 2.0 * student_cdf(-t, degrees) - level);
    (degrees > 0.0).then(critical)
}

/// Returns the distribution function of Student's t with at least one degree of freedom.
///
/// From 100,000 degrees of freedom on it is the normal one, from which it then differs by less than
/// 2e-6.
pub fn student_cdf(t: f64, degrees: f64) -> f64 {
    const NORMAL_FROM: f64 = 1e5;
    if degrees >= NORMAL_FROM {
        return normal_cdf(t);
    }
    let tail = 0.5 * student_two_sided(t, degrees);
    if t > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_finders_agree_on_a_function_with_poles() {
        // Poles at -1 and 2, root at 0.
        let f = |x: f64| 0.2 / (1.0 + x) - 0.4 / (2.0 - x);
        let df = |x: f64| -0.2 / (1.0 + x).powi(2) - 0.4 / (2.0 - x).powi(2);
        let bisected = bisect_decreasing(-1.0 + 1e-12, 2.0 - 1e-12, f);
        let newton = newton_decreasing(-1.0 + 1e-12, 2.0 - 1e-12, 1.9, |x| (f(x), df(x)));
        assert!(bisected.abs() < 1e-14 && newton.abs() < 1e-14, "{bisected} {newton}");
    }

    #[test]
    fn root_outside_the_bracket_gives_the_nearer_end() {
        assert!((bisect_decreasing(0.0, 1.0, |x| 5.0 - x) - 1.0).abs() < 1e-12);
        assert!(bisect_decreasing(0.0, 1.0, |x| -5.0 - x).abs() < 1e-12);
    }

    #[test]
    fn newton_converges_with_useless_derivatives() {
        for slope in [0.0, f64::NAN, 1.0, -1e-300] {
            let root = newton_decreasing(-3.0, 4.0, 0.0, |x| (0.7 - x, slope));
            assert!((root - 0.7).abs() < 1e-9, "slope {slope}: {root}");
        }
    }

    /// Returns the root in [-10, 10] and the number of evaluations.
    fn counted(start: f64, f: impl Fn(f64) -> (f64, f64)) -> (f64, u32) {
        let count = std::cell::Cell::new(0);
        let root = newton_decreasing(-10.0, 10.0, start, |x| {
            count.set(count.get() + 1);
            f(x)
        });
        (root, count.get())
    }

    #[test]
    fn newton_takes_few_steps() {
        let cubic = |x: f64| (3.0 - x - x.powi(3), -1.0 - 3.0 * x * x);
        let slow = |x: f64| (1.0 - (20.0 * (x - 1.0)).exp(), -20.0 * (20.0 * (x - 1.0)).exp());
        let flat = |x: f64| (-(1e3 * (x - 2.5)).atan(), -1e3 / (1.0 + (1e3 * (x - 2.5)).powi(2)));
        let check = |(found, count): (f64, u32), root: f64, most: u32| {
            assert!((found - root).abs() < 1e-14 && count <= most, "{found} after {count}");
        };
        check(counted(0.0, cubic), 1.213_411_662_762_229_6, 9);
        check(counted(-50.0, cubic), 1.213_411_662_762_229_6, 9);
        // A step of Newton is one twentieth.
        check(counted(9.0, slow), 1.0, 30);
        // Newton leaves the bracket.
        check(counted(-9.0, flat), 2.5, 30);
    }

    #[test]
    fn golden_section_finds_an_asymmetric_peak() {
        let peak = golden_maximum(0.0, 10.0, |x| x.ln() - x / 3.0);
        assert!((peak - 3.0).abs() < 1e-6, "{peak}");
    }

    #[test]
    fn normal_distribution_matches_tabulated_values() {
        // Python's math.erfc(-z / sqrt(2)) / 2.
        for (z, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-0.5, 0.308_537_538_725_986_9),
            (-2.4, 0.008_197_535_924_596_131),
            (-2.6, 0.004_661_188_023_718_749),
            (-3.7, 0.000_107_799_733_477_388_24),
            (-10.0, 7.619_853_024_160_525e-24),
            (2.6, 0.995_338_811_976_281_3),
            (-37.0, 5.725_571_222_524_577e-300),
        ] {
            assert!((normal_cdf(z) / expected - 1.0).abs() < 1e-13, "{z}: {:e}", normal_cdf(z));
        }
        assert!((normal_cdf(Z95) - 0.975).abs() < 1e-15);
    }

    #[test]
    fn log_tail_is_continuous_and_finite() {
        for seam in [-SEAM, SEAM] {
            let (below, above) = (ln_normal_cdf(seam - 1e-12), ln_normal_cdf(seam + 1e-12));
            assert!((below - above).abs() < 1e-11, "{seam}: {below} {above}");
        }
        // R: pnorm(-40, log.p = TRUE)
        assert!((ln_normal_cdf(-40.0) + 804.608_442_013_754).abs() < 1e-9);
        assert!(ln_normal_cdf(-1e6).is_finite() && ln_normal_cdf(1e6).abs() < 1e-300);
    }

    #[test]
    fn student_critical_values_match_published_tables() {
        for (level, degrees, expected) in [
            (0.05, 1, 12.7062),
            (0.05, 5, 2.570_58),
            (0.05, 59, 2.001_00),
            (0.01, 10, 3.169_27),
            (0.001, 30, 3.645_96),
            (0.05, 100_000, 1.959_99),
        ] {
            let found = student_critical(level, degrees).unwrap();
            assert!((found - expected).abs() < 2e-4 * expected, "{level} {degrees}: {found}");
        }
        assert_eq!(student_critical(0.05, 0), None);
    }

    #[test]
    fn student_distribution_matches_independent_values() {
        // Python's mpmath: betainc(n/2, 1/2, 0, n/(n+t^2), regularized=True) / 2.
        for (t, degrees, expected) in [
            (-1.0, 1.0, 0.25),
            (-2.0, 2.0, 0.091_751_709_536_136_98),
            (-0.5, 3.0, 0.325_723_982_424_075_5),
            (-3.5, 10.0, 0.002_863_252_714_942_608),
            (-1.7, 50.0, 0.047_672_214_681_702_08),
            (-2.0, 9999.0, 0.022_763_631_680_755_05),
            (-8.0, 9999.0, 6.910_676_719_143_822e-16),
            (-14.06, 32_903.0, 4.508_609_216_017_638e-45),
        ] {
            let found = student_cdf(t, degrees);
            assert!((found / expected - 1.0).abs() < 1e-9, "{t} {degrees}: {found:e}");
            assert!((found + student_cdf(-t, degrees) - 1.0).abs() < 1e-12, "{t} {degrees}");
        }
        assert!((student_cdf(0.0, 3.0) - 0.5).abs() < 1e-12);
        // The normal distribution takes over without a step.
        for t in [-4.0, -1.7, 0.3, 2.0] {
            let (below, above) = (student_cdf(t, 1e5 - 1.0), student_cdf(t, 1e5));
            assert!((below - above).abs() < 2e-6, "{t}: {below} {above}");
        }
    }
}
