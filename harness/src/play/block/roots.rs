//! Roots of a function by the two methods of the tools, step by step: a rounded LLR equals theirs only if it stops where theirs does.

/// Returns the root between `a` and `b`; `None` without a change of sign, or after 100 steps.
///
/// Source: Brent, "Algorithms for Minimization Without Derivatives" (1973), chapter 4, with the tolerances of `SciPy`.
pub(super) fn brent(f: impl Fn(f64) -> f64, a: f64, b: f64) -> Option<f64> {
    const ABSOLUTE: f64 = 2e-12;
    const RELATIVE: f64 = 4.0 * f64::EPSILON;
    let (mut previous, mut current) = ((a, f(a)), (b, f(b)));
    if previous.1 == 0.0 {
        return Some(previous.0);
    }
    if current.1 == 0.0 {
        return Some(current.0);
    }
    if previous.1.is_sign_negative() == current.1.is_sign_negative() {
        return None;
    }
    // The other end of the bracket, and the last two steps.
    let (mut other, mut step_before, mut step) = ((0.0, 0.0), 0.0, 0.0);
    for _ in 0..100 {
        let (p, c) = (previous.1, current.1);
        if p != 0.0 && c != 0.0 && p.is_sign_negative() != c.is_sign_negative() {
            other = previous;
            step = current.0 - previous.0;
            step_before = step;
        }
        if other.1.abs() < current.1.abs() {
            (previous, current, other) = (current, other, current);
        }
        let tolerance = f64::midpoint(ABSOLUTE, RELATIVE * current.0.abs());
        let half = (other.0 - current.0) / 2.0;
        if current.1 == 0.0 || half.abs() < tolerance {
            return Some(current.0);
        }
        let mut next = None;
        if step_before.abs() > tolerance && current.1.abs() < previous.1.abs() {
            let tried = if previous.0.to_bits() == other.0.to_bits() {
                -current.1 * (current.0 - previous.0) / (current.1 - previous.1)
            } else {
                let slope = (previous.1 - current.1) / (previous.0 - current.0);
                let other_slope = (other.1 - current.1) / (other.0 - current.0);
                -current.1 * (other.1 * other_slope - previous.1 * slope)
                    / (other_slope * slope * (other.1 - previous.1))
            };
            let is_short = 2.0 * tried.abs() < step_before.abs().min(3.0 * half.abs() - tolerance);
            next = is_short.then_some(tried);
        }
        (step_before, step) = next.map_or((half, half), |tried| (step, tried));
        previous = current;
        let least = if half > 0.0 { tolerance } else { -tolerance };
        current.0 += if step.abs() > tolerance { step } else { least };
        current.1 = f(current.0);
    }
    None
}

/// Returns the root of a function that falls from infinity at `a` to minus infinity at `b`, to within `tolerance`.
///
/// Source: Oliveira and Takahashi, "An Enhancement of the Bisection Method Average Performance Preserving Minmax
/// Optimality" (2021), with the constants of fastchess.
pub(super) fn itp(f: impl Fn(f64) -> f64, a: f64, b: f64, tolerance: f64) -> f64 {
    const STEPS_MORE: f64 = 0.99;
    const TRUNCATION: f64 = 0.1;
    // The end with the negative value comes first.
    let (mut low, mut high) = ((b, f64::NEG_INFINITY), (a, f64::INFINITY));
    let most = ((high.0 - low.0).abs() / (2.0 * tolerance)).log2().ceil() + STEPS_MORE;
    let mut steps = 0.0;
    while (high.0 - low.0).abs() > 2.0 * tolerance {
        let middle = f64::midpoint(low.0, high.0);
        let radius = tolerance * (most - steps).exp2() - (high.0 - low.0) / 2.0;
        let truncation = TRUNCATION * (high.0 - low.0).powi(2);
        let secant = (high.1 * low.0 - low.1 * high.0) / (high.1 - low.1);
        let towards = (middle - secant) / (middle - secant).abs();
        let is_far = truncation <= (middle - secant).abs();
        let truncated = if is_far { secant + towards * truncation } else { middle };
        let is_near = (truncated - middle).abs() <= radius;
        let x = if is_near { truncated } else { middle - towards * radius };
        let value = f(x);
        if value == 0.0 {
            return x;
        }
        if value.is_sign_negative() {
            low = (x, value);
        } else {
            high = (x, value);
        }
        steps += 1.0;
    }
    f64::midpoint(low.0, high.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_methods_find_the_root_of_a_rational_function() {
        // The poles are the ends of the interval of the second method.
        let f = |x: f64| 0.3 / (1.0 + 0.5 * x) - 0.7 / (1.0 - x);
        let root = -0.4 / 0.65;
        let found = brent(f, -2.0 + 1e-9, 1.0 - 1e-9).unwrap();
        assert!((found - root).abs() < 1e-9, "{found}");
        assert!((itp(f, -2.0, 1.0, 1e-7) - root).abs() < 1e-6);
        assert_eq!(brent(f, 0.0, 0.5), None, "no change of sign");
    }
}
