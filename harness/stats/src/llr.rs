//! Generalised log-likelihood ratios of two strengths, from pairs or from games.
//!
//! The likelihood of a hypothesis is the maximum over all multinomial distributions that satisfy
//! it: those with a given mean (logistic Elo) or a given t-value (normalised Elo). The ratio of two
//! such maxima is the statistic of the GSPRT. Both maximisations lead to the same one-dimensional
//! equation, solved by bracketed Newton steps.
//!
//! Counts of zero are replaced by [`ZERO_COUNT`](super::counts::ZERO_COUNT), so every ratio is
//! finite.
//!
//! Sources: Van den Bergh, "A simple multinomial MLE",
//! <https://www.cantate.be/Fishtest/support_MLE_multinomial.pdf>, and "Normalized Elo in practice",
//! <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>; the bracket of the equation is
//! from Owen, "Empirical Likelihood" (2001), section 3.14.

use super::counts::{Sample, Tally, Trinomial};
use super::numeric::{golden_maximum, newton_decreasing};
use crate::units::{Elo, Llr, NELO_PER_T, Share};

/// Elo model of the two hypotheses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Model {
    /// Normalized Elo: score divided by its standard deviation. The length of a test does not
    /// depend on the book.
    #[default]
    Normalized,
    /// Logistic Elo: the expected score alone.
    Logistic,
}

impl Model {
    /// Returns the unit of the hypotheses, as reports print it.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Normalized => "nElo",
            Self::Logistic => "Elo",
        }
    }
}

/// Returns the LLR of `elo1` against `elo0`, both on the scale of `model`.
///
/// Range: finite for all counts and bounds; exactly 0 for equal bounds, near 0 for empty counts.
///
/// ```
/// use stretto_stats::counts::Pentanomial;
/// use stretto_stats::llr::{Model, llr};
///
/// let pairs = Pentanomial([33, 295, 656, 361, 43]);
/// assert!((llr(&pairs, Model::Logistic, 0.0, 5.0).0 - 2.748_053).abs() < 1e-5);
/// assert_eq!(llr(&pairs, Model::Logistic, 5.0, 5.0).0, 0.0);
/// ```
pub fn llr(tally: &impl Tally, model: Model, elo0: f64, elo1: f64) -> Llr {
    let sample = tally.sample().regularized();
    Llr(sample.items() * mean(&sample.frequencies(), &jumps(&sample, model, elo0, elo1)))
}

/// Returns the increment of the LLR for one more item of each outcome; the LLR is their sum over
/// all items.
///
/// Shape: one increment per outcome of the sample, worst outcome first, then zeros. The sample must
/// be regularised.
pub fn jumps(sample: &Sample, model: Model, elo0: f64, elo1: f64) -> [f64; 5] {
    let [under0, under1] = [elo0, elo1].map(|elo| match model {
        Model::Logistic => Fit::with_mean(sample, Elo(elo).to_score()),
        Model::Normalized => Fit::with_t_value(sample, elo / NELO_PER_T * sample.games_per_item().sqrt()),
    });
    std::array::from_fn(|k| under0.ln_tilts[k] - under1.ln_tilts[k])
}

/// The draw parameter of the `BayesElo` model.
///
/// Source: Coulom's `BayesElo`, <https://www.remi-coulom.fr/Bayesian-Elo/>, as used by fishtest and cutechess.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BayesElo {
    /// Half the distance between the curves of winning and of not losing.
    draw_elo: f64,
}

impl BayesElo {
    /// Fits `200 log10((1-L)/L (1-W)/W)`; the sample must have no zero count.
    fn fitted(sample: &Sample) -> Self {
        let [loss, draw, win, ..] = sample.frequencies();
        // 1 - L as a sum loses no digits where L is near 1.
        Self { draw_elo: 200.0 * ((draw + win) / loss * ((loss + draw) / win)).log10() }
    }

    /// Returns the natural logarithms of the probabilities of loss, draw and win at an Elo
    /// difference.
    fn ln_chances(self, elo: f64) -> [f64; 3] {
        let scale = std::f64::consts::LN_10 / 400.0;
        let [x, y] = [self.draw_elo - elo, self.draw_elo + elo].map(|exponent| exponent * scale);
        let [not_win, not_loss] = [x, y].map(|exponent| -softplus(exponent));
        // 1 - 1/(1+e^x) - 1/(1+e^y) = (e^(x+y) - 1)/((1+e^x)(1+e^y)), without the cancellation.
        let draw = x + y + (-(-(x + y)).exp()).ln_1p() + not_win + not_loss;
        [not_loss, draw, not_win]
    }
}

/// Returns `ln(1 + e^x)` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Returns the logistic Elo with the expected score of this `BayesElo` at the observed draw rate.
///
/// With both bounds converted, [`llr`] of [`Model::Logistic`] is the LLR of bounds in `BayesElo`.
///
/// Source: fishtest `stat_util.py` and fastchess. Unlike there, scores are not clamped to 0.001 to
/// 0.999.
pub fn bayes_elo_as_logistic(games: &Trinomial, elo: f64) -> Elo {
    let [loss, draw, win] = BayesElo::fitted(&games.sample().regularized()).ln_chances(elo).map(f64::exp);
    // Both halves of the score as sums, so that a score near 1 still has a finite Elo.
    Elo(400.0 * ((win + 0.5 * draw) / (loss + 0.5 * draw)).log10())
}

/// The maximum-likelihood distribution under one hypothesis.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fit {
    /// Natural logarithm of observed over fitted frequency, per outcome.
    ln_tilts: [f64; 5],
    /// Mean log-likelihood relative to the observed frequencies. Range: at most 0.
    gain: f64,
}

impl Fit {
    /// The observed distribution itself.
    const OBSERVED: Self = Self { ln_tilts: [0.0; 5], gain: 0.0 };

    /// Returns the fit whose mean of `phi` is zero, `q = p / (1 + theta phi)`; `None` if no
    /// distribution has that mean.
    ///
    /// theta is the root of `sum p phi / (1 + theta phi)`, which decreases between its poles. No
    /// fitted frequency exceeds 1, so `1 + theta phi >= p` for each outcome; this keeps the bracket
    /// clear of the poles.
    fn with_zero_mean(p: &[f64; 5], phi: &[f64; 5]) -> Option<Self> {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (&p, &phi) in p.iter().zip(phi) {
            if phi > 0.0 {
                low = low.max((p - 1.0) / phi);
            } else if phi < 0.0 {
                high = high.min((p - 1.0) / phi);
            }
        }
        if !(low.is_finite() && high.is_finite()) {
            return None;
        }
        let theta = newton_decreasing(low, high, 0.0, |theta| {
            p.iter().zip(phi).fold((0.0, 0.0), |(value, slope), (&p, &phi)| {
                let ratio = phi / (1.0 + theta * phi);
                (value + p * ratio, slope - p * ratio * ratio)
            })
        });
        let ln_tilts = phi.map(|phi| (theta * phi).ln_1p());
        Some(Self { ln_tilts, gain: -mean(p, &ln_tilts) })
    }

    /// Returns the maximum-likelihood distribution with a given score strictly between 0 and 1.
    fn with_mean(sample: &Sample, score: Share) -> Self {
        let mut phi = [0.0; 5];
        for (k, slot) in phi[..sample.counts().len()].iter_mut().enumerate() {
            *slot = sample.value(k) - score.0;
        }
        // Scores 0 and 1 lie on either side of any score between them, so such a distribution
        // always exists.
        Self::with_zero_mean(&sample.frequencies(), &phi).unwrap_or(Self::OBSERVED)
    }

    /// Returns the maximum-likelihood distribution whose (mean - 1/2) / standard deviation is `t`.
    fn with_t_value(sample: &Sample, t: f64) -> Self {
        TValueProblem::new(sample, t).solve()
    }

    fn reversed(mut self, outcomes: usize) -> Self {
        self.ln_tilts[..outcomes].reverse();
        self
    }
}

/// The search for the maximum-likelihood distribution with a given t-value.
///
/// With `b = score - 1/2` and `tau = t / sqrt(1 + t^2)`, the hypothesis is `E b = tau sqrt(E b^2)`.
/// For positive `tau` and any c > 0, `sqrt(x) <= (x/c + c)/2` with equality at `c = sqrt(x)`. The
/// tangent at c thus turns the hypothesis into the linear one `E phi_c = 0`, `phi_c = b - tau
/// (b^2/c + c)/2`, and the solution is the best tangent. Only c remains to be found, and the gain
/// as a function of c is well behaved:
///
/// - Data stronger than the hypothesis: the linear sets contain the true one, which is convex. The
///   solution is the tangent of least gain, and the gain has one minimum between the tangents
///   through the data.
/// - Data weaker: the true set is the union of the linear ones. The solution is the tangent of
///   greatest gain. There can be several maxima (draw-only data may be explained by narrow wins or
///   by rare large ones), so a grid comes first, and iterating `c <- sqrt(E b^2)` climbs from its
///   best points without ever losing gain.
///
/// fishtest and fastchess iterate an equivalent step from the uniform distribution, which has no
/// solution for extreme data or bounds. Where theirs has one, both agree.
struct TValueProblem {
    outcomes: usize,
    /// Observed frequencies, mirrored for a negative hypothesis.
    p: [f64; 5],
    /// Score of each outcome minus 1/2.
    b: [f64; 5],
    /// Range: 0 to below 1.
    tau: f64,
    mirrored: bool,
}

impl TValueProblem {
    fn new(sample: &Sample, t: f64) -> Self {
        let outcomes = sample.counts().len();
        let mut p = sample.frequencies();
        if t < 0.0 {
            p[..outcomes].reverse();
        }
        let mut b = [0.0; 5];
        for (k, slot) in b[..outcomes].iter_mut().enumerate() {
            *slot = sample.value(k) - 0.5;
        }
        Self { outcomes, p, b, tau: t.abs() / t.hypot(1.0), mirrored: t < 0.0 }
    }

    fn solve(&self) -> Fit {
        let fit = if self.tau > 0.0 {
            let (first, second) = (mean(&self.p, &self.b), self.second_moment(&self.p));
            if first > self.tau * second.sqrt() {
                self.solve_from_above(first, second)
            } else {
                self.solve_from_below(second.sqrt())
            }
        } else {
            Fit::with_zero_mean(&self.p, &self.b)
        };
        let fit = fit.unwrap_or(Fit::OBSERVED);
        if self.mirrored { fit.reversed(self.outcomes) } else { fit }
    }

    fn second_moment(&self, q: &[f64; 5]) -> f64 {
        q.iter().zip(&self.b).map(|(q, b)| q * b * b).sum()
    }

    /// Returns the fit under the hypothesis' tangent at c; `None` if every outcome is on one side
    /// of it.
    fn tangent(&self, c: f64) -> Option<Fit> {
        let mut phi = [0.0; 5];
        for (slot, b) in phi[..self.outcomes].iter_mut().zip(&self.b) {
            *slot = b - 0.5 * self.tau * (b * b / c + c);
        }
        Fit::with_zero_mean(&self.p, &phi)
    }

    /// Iterates `c <- sqrt(E b^2)` up to `rounds` times; returns the last fit and whether the
    /// iteration converged.
    fn iterate(&self, mut c: f64, rounds: u32) -> Option<(Fit, bool)> {
        let mut fit = self.tangent(c)?;
        for _ in 0..rounds {
            let q = std::array::from_fn(|k| self.p[k] * (-fit.ln_tilts[k]).exp());
            let next = self.second_moment(&q).sqrt();
            if (next - c).abs() <= 1e-11 * c {
                return Some((fit, true));
            }
            c = next;
            fit = self.tangent(c)?;
        }
        Some((fit, false))
    }

    /// Solves for data stronger than the hypothesis. A fixed point of the iteration is the only
    /// solution.
    fn solve_from_above(&self, first: f64, second: f64) -> Option<Fit> {
        if let Some((fit, true)) = self.iterate(second.sqrt(), 12) {
            return Some(fit);
        }
        // The tangents that pass through the data: tau c^2 - 2 E b c + tau E b^2 = 0.
        let root = (first * first - self.tau * self.tau * second).max(0.0).sqrt();
        let high = (first + root) / self.tau;
        let low = second / high;
        let valley =
            golden_maximum(low, high, |c| self.tangent(c).map_or(f64::NEG_INFINITY, |fit| -fit.gain));
        self.tangent(valley)
    }

    /// Solves for data weaker than the hypothesis: the highest of the maxima.
    fn solve_from_below(&self, observed: f64) -> Option<Fit> {
        let grid = self.grid(observed);
        let fits = grid.map(|c| self.tangent(c));
        let gain = |k: usize| fits.get(k).and_then(Option::as_ref).map_or(f64::NEG_INFINITY, |fit| fit.gain);
        (0..grid.len())
            .filter(|&k| {
                gain(k) > f64::NEG_INFINITY && gain(k) >= gain(k.wrapping_sub(1)) && gain(k) >= gain(k + 1)
            })
            .filter_map(|k| self.climb(grid[k], grid[k.saturating_sub(1)], grid[(k + 1).min(grid.len() - 1)]))
            .max_by(|x, y| x.gain.total_cmp(&y.gain))
    }

    /// Returns the maximum near grid point c, between its neighbours.
    fn climb(&self, c: f64, low: f64, high: f64) -> Option<Fit> {
        let (climbed, converged) = self.iterate(c, 12)?;
        if converged {
            return Some(climbed);
        }
        let gain = |c| self.tangent(c).map_or(f64::NEG_INFINITY, |fit| fit.gain);
        let refined = self.tangent(golden_maximum(low, high, gain));
        refined.filter(|fit| fit.gain > climbed.gain).or(Some(climbed))
    }

    /// Returns the starting tangents in ascending order: a geometric grid over the whole range, and
    /// the observed one.
    ///
    /// No solution is above 1/2, the largest b. None is below the point where the smallest positive
    /// b just reaches the tangent. None was observed below 2/3 of the observed c, so the grid
    /// starts at 1/8 of it.
    fn grid(&self, observed: f64) -> [f64; GRID_POINTS] {
        let step = 1.0 / (self.outcomes - 1) as f64;
        let reach = self.tau / (1.0 + (1.0 - self.tau * self.tau).max(0.0).sqrt());
        let low = (step * reach * (1.0 + 1e-9)).max(observed / 8.0).min(0.499);
        let ratio = (0.5 / low).powf(1.0 / (GRID_POINTS - 2) as f64);
        let mut grid = [observed.min(0.5); GRID_POINTS];
        let mut c = low;
        for slot in &mut grid[1..] {
            *slot = c.min(0.5);
            c *= ratio;
        }
        grid.sort_unstable_by(f64::total_cmp);
        grid
    }
}

/// Number of points of [`TValueProblem::grid`].
const GRID_POINTS: usize = 32;

fn mean(p: &[f64; 5], values: &[f64; 5]) -> f64 {
    p.iter().zip(values).map(|(p, value)| p * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Moments, Pentanomial};

    fn fitted_moments(sample: &Sample, fit: &Fit) -> Moments {
        let p = sample.frequencies();
        let q: Vec<f64> = (0..sample.counts().len()).map(|k| p[k] * (-fit.ln_tilts[k]).exp()).collect();
        assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{q:?}");
        let mean: f64 = q.iter().enumerate().map(|(k, q)| q * sample.value(k)).sum();
        let variance = q.iter().enumerate().map(|(k, q)| q * (sample.value(k) - mean).powi(2)).sum();
        Moments { mean, variance }
    }

    #[test]
    fn fits_satisfy_their_hypotheses() {
        for counts in [[12, 60, 100, 80, 25], [144, 3, 1, 0, 0], [0, 0, 7, 0, 0], [3, 0, 0, 1, 900_000]] {
            let sample = Pentanomial(counts).sample().regularized();
            for t in [-6.1, -1.0, -0.02, 0.0, 0.03, 0.8, 2.5, 6.1] {
                let found = fitted_moments(&sample, &Fit::with_t_value(&sample, t));
                let found_t = (found.mean - 0.5) / found.variance.sqrt();
                assert!((found_t - t).abs() < 1e-5 * (1.0 + t * t), "{counts:?} t {t}: {found_t}");
            }
            for score in [0.001, 0.3, 0.5, 0.77, 0.9999] {
                let found = fitted_moments(&sample, &Fit::with_mean(&sample, Share(score)));
                assert!((found.mean - score).abs() < 1e-9, "{counts:?} score {score}: {found:?}");
            }
        }
    }

    #[test]
    fn solution_is_at_least_as_good_as_a_dense_scan() {
        // Draw-only and one-sided data have two maxima; the grid must not miss the higher one.
        for counts in
            [[0, 0, 10, 0, 0], [0, 0, 3_000_000, 0, 0], [0, 1, 168_902, 0, 0], [1000; 5], [9, 0, 0, 0, 40]]
        {
            let sample = Pentanomial(counts).sample().regularized();
            for t in [0.05, 0.3, 1.2, 2.8, 6.1] {
                let problem = TValueProblem::new(&sample, t);
                let first = mean(&problem.p, &problem.b);
                if first > problem.tau * problem.second_moment(&problem.p).sqrt() {
                    continue;
                }
                let best = problem.solve().gain;
                for k in 1..=4000 {
                    let scanned =
                        problem.tangent(f64::from(k) / 8000.0).map_or(f64::NEG_INFINITY, |fit| fit.gain);
                    assert!(
                        scanned <= best + 1e-9 * best.abs() + 1e-15,
                        "{counts:?} t {t}: {scanned} > {best}"
                    );
                }
            }
        }
    }

    #[test]
    fn bayes_elo_probabilities_sum_to_one() {
        for draw_elo in [1e-6, 40.0, 327.0, 4000.0] {
            for elo in [-1500.0, -3.0, 0.0, 700.0] {
                let total: f64 = BayesElo { draw_elo }.ln_chances(elo).iter().map(|ln| ln.exp()).sum();
                assert!((total - 1.0).abs() < 1e-12, "{draw_elo} {elo}: {total}");
            }
        }
    }

    #[test]
    fn pair_and_game_llr_agree_for_independent_games() {
        // Binomial pairs of coin flips without draws: twice the games, the same per-game variance.
        let pairs = Pentanomial([2500, 0, 5000, 0, 2500]);
        let games = Trinomial { losses: 10_000, draws: 0, wins: 10_000 };
        let from_pairs = llr(&pairs, Model::Normalized, 0.0, 4.0).0;
        let from_games = llr(&games, Model::Normalized, 0.0, 4.0).0;
        assert!((from_pairs / from_games - 1.0).abs() < 1e-3, "{from_pairs} {from_games}");
    }
}
