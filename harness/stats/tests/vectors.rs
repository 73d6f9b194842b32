//! Tests of the statistics against published and independently computed figures, and of properties
//! for any counts.
//!
//! "Published" figures are asserted by the test suites of other tools; "exact" ones were computed
//! with fishtest's `LLRcalc.py`, `sprt.py` and `stat_util.py`. Counts are LL, LD, WL + DD, WD, WW,
//! or losses, draws, wins.

#![expect(clippy::unwrap_used, reason = "test helpers may panic")]

#[path = "vectors/simulations.rs"]
mod simulations;

use proptest::prelude::*;
use stretto::types::SplitMix64;
use stretto_stats::bounds::Corrections;
use stretto_stats::bounds::{MIN_WIDTH, Sprt, Verdict};
use stretto_stats::counts::{Pentanomial, Tally, Trinomial};
use stretto_stats::elo::{elo, half_width_at, los, normalized_elo};
use stretto_stats::llr::Model::{Logistic, Normalized};
use stretto_stats::llr::{Model, bayes_elo_as_logistic, llr};
use stretto_stats::numeric::Z95;
use stretto_stats::overshoot::OvershootTracker;
use stretto_stats::summary::MatchStats;
use stretto_stats::unbiased::{NoEstimate, SEARCH_LIMIT, median_unbiased};
use stretto_stats::units::{Elo, NELO_PER_T, Share};
use stretto_stats::wald::{expected_games, game_variance, remaining};

/// Returns the tolerance for a fishtest figure: its twelfth decimal, the error of its iteration
/// (which stops at a change of 1e-9), and its rounding when it subtracts logarithms of order 1 and
/// multiplies by the number of items.
fn exact(tally: &impl Tally) -> f64 {
    3e-12 + f64::EPSILON * tally.sample().items()
}

#[track_caller]
fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: found {found:.12}, expected {expected:.12}");
}

/// Asserts agreement with a value in the tests of fastchess, within their tolerance.
#[track_caller]
fn assert_published(found: f64, published: f64, what: &str) {
    assert_close(found, published, 0.01 * published.abs(), what);
}

fn games([losses, draws, wins]: [u64; 3]) -> Trinomial {
    Trinomial { losses, draws, wins }
}

/// Returns the LLR of bounds in `BayesElo`, as `harness sprt --counts --model bayesian` computes it.
fn llr_bayes_elo(games: &Trinomial, elo0: f64, elo1: f64) -> f64 {
    let [elo0, elo1] = [elo0, elo1].map(|elo| bayes_elo_as_logistic(games, elo).0);
    llr(games, Logistic, elo0, elo1).0
}

fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
    Sprt::new(model, elo0, elo1, 0.05, 0.05).unwrap()
}

#[test]
fn pentanomial_llr_is_exact() {
    let table = [
        (Normalized, [0.0, 2.0], [365, 16618, 36229, 16974, 390], 2.250_367_703_549, Some(2.25)),
        (Normalized, [-1.75, 0.25], [127, 4883, 10712, 5150, 104], 3.010_154_196_606, Some(3.01)),
        (Normalized, [0.0, 5.0], [0, 0, 0, 0, 5550], 111.797_555_086_715, Some(111.82)),
        (Logistic, [0.5, 2.5], [223, 9863, 21279, 10037, 246], -3.074_126_439_589, Some(-3.07)),
        (Logistic, [0.0, 2.0], [871, 26175, 55983, 26678, 821], -4.978_672_863_444, Some(-4.98)),
        (Normalized, [0.5, 2.5], [39, 8843, 26675, 9240, 44], 2.941_675_207_989, None),
        (Normalized, [0.764, 3.439], [39, 2226, 31451, 2412, 40], 2.162_940_869_585, None),
        (Logistic, [0.2, 0.9], [39, 2226, 31451, 2412, 40], 2.162_542_580_048, None),
        (Logistic, [-3.0, 1.0], [10789, 19328, 33806, 19402, 10543], 2.131_067_811_794, None),
        (Normalized, [0.0, 2.0], [43, 61, 144, 55, 37], -0.140_636_304_740, None),
        (Normalized, [0.0, 10.0], [12, 60, 100, 80, 25], 1.612_832_763_347, None),
        (Logistic, [0.0, 10.0], [12, 60, 100, 80, 25], 2.125_093_435_701, None),
        (Normalized, [0.0, 5.0], [0, 2, 10, 3, 0], 0.032_135_134_908, None),
        (Normalized, [-5.0, 0.0], [2, 20, 60, 22, 1], 0.021_769_408_602, None),
        (Logistic, [0.0, 5.0], [0, 0, 0, 0, 20], 0.285_780_515_949, None),
    ];
    for (model, [elo0, elo1], counts, expected, published) in table {
        let what = format!("{model:?} [{elo0}, {elo1}] {counts:?}");
        let pairs = Pentanomial(counts);
        let found = llr(&pairs, model, elo0, elo1).0;
        assert_close(found, expected, exact(&pairs), &what);
        if let Some(published) = published {
            assert_published(found, published, &what);
        }
    }
}

#[test]
fn pentanomial_llr_of_at_most_one_pair_is_exact() {
    let one_draw = llr(&Pentanomial([0, 0, 1, 0, 0]), Normalized, 0.0, 5.0).0;
    assert_close(one_draw, -2.152_017_23e-4, 5e-13, "one drawn pair");
    assert_close(llr(&Pentanomial::default(), Normalized, 0.0, 5.0).0, -1.035_39e-6, 5e-12, "no pairs");
}

#[test]
fn pentanomial_llr_of_extreme_results_is_exact() {
    // fastchess returns NaN for the first and the last; fishtest finds no root from its uniform
    // start.
    let table = [
        ([-1500.0, -500.0], [144, 3, 1, 0, 0], -6.721_260_399_622),
        ([-1500.0, -500.0], [20, 0, 0, 0, 0], -0.918_142_971_802),
        ([-400.0, -200.0], [20, 0, 0, 0, 0], -2.537_832_604_758),
    ];
    for ([elo0, elo1], counts, expected) in table {
        let what = format!("[{elo0}, {elo1}] {counts:?}");
        let pairs = Pentanomial(counts);
        assert_close(llr(&pairs, Normalized, elo0, elo1).0, expected, exact(&pairs), &what);
    }
}

#[test]
fn trinomial_llr_is_exact() {
    let table = [
        (Normalized, [0.0, 2.0], [36027, 68692, 36433], 0.923_293_450_946, 0.92),
        (Normalized, [-1.75, 0.25], [10650, 20431, 10871], 2.297_500_407_106, 2.30),
        (Normalized, [0.0, 10.0], [0, 0, 4250], 120.548_267_741_204, 120.56),
        (Logistic, [0.5, 2.5], [21184, 40708, 21404], -1.571_888_792_694, -1.57),
        (Logistic, [0.0, 2.0], [57030, 106_593, 57433], -2.593_024_163_516, -2.59),
    ];
    for (model, [elo0, elo1], counts, expected, published) in table {
        let what = format!("{model:?} [{elo0}, {elo1}] {counts:?}");
        let single = games(counts);
        let found = llr(&single, model, elo0, elo1).0;
        assert_close(found, expected, exact(&single), &what);
        assert_published(found, published, &what);
    }
}

#[test]
fn logistic_llr_agrees_with_fifty_digit_arithmetic() {
    let pairs = Pentanomial([871, 26175, 55983, 26678, 821]);
    assert_close(llr(&pairs, Logistic, 0.0, 2.0).0, -4.978_672_863_449_007, 1e-12, "pairs");
    let single = games([57030, 106_593, 57433]);
    assert_close(llr(&single, Logistic, 0.0, 2.0).0, -2.593_024_163_524_058, 1e-12, "games");
    let single = games([68526, 128_429, 68965]);
    assert_close(llr_bayes_elo(&single, 0.0, 2.0), -1.262_155_889_213_273, 2e-12, "converted BayesElo");
}

#[test]
fn bayes_elo_llr_is_exact() {
    for ([elo0, elo1], counts, expected, published) in [
        ([0.0, 2.0], [68526, 128_429, 68965], -1.262_155_889_238, -1.26),
        ([0.5, 2.5], [21484, 41111, 21629], -1.130_642_458_929, -1.13),
    ] {
        let single = games(counts);
        let found = llr_bayes_elo(&single, elo0, elo1);
        assert_close(found, expected, exact(&single), "converted bounds");
        assert_published(found, published, "converted bounds");
    }
}

/// Elo, its half-widths by fishtest and by Student's t, nElo, half-width, score and LOS, each to the given digits, and
/// the tolerance of the LOS. Half-widths by Student's t and the LOS were computed in Python, the others are published.
struct Strength {
    elo: [f64; 3],
    nelo: [f64; 2],
    score: f64,
    los: (f64, f64),
}

#[track_caller]
fn assert_strength(tally: &impl Tally, score: Option<Share>, expected: &Strength) {
    let (found_elo, found_nelo) = (elo(tally).unwrap(), normalized_elo(tally).unwrap());
    assert_close(found_elo.value.0, expected.elo[0], 5e-7, "Elo");
    // The normal quantile and the variance over N.
    let items = tally.sample().items();
    let normal = half_width_at(tally, Z95 * ((items - 1.0) / items).sqrt()).unwrap().0;
    assert_close(normal, expected.elo[1], 5e-7, "half-width of fishtest");
    assert_close(found_elo.half_width.unwrap().0, expected.elo[2], 5e-7, "Elo half-width");
    assert_close(found_nelo.value.0, expected.nelo[0], 5e-7, "nElo");
    assert_close(found_nelo.half_width.unwrap().0, expected.nelo[1], 5e-7, "nElo half-width");
    assert_close(score.unwrap().0, expected.score, 5e-11, "score");
    assert_close(los(tally).unwrap().0, expected.los.0, expected.los.1, "LOS");
}

#[test]
fn strength_from_pairs_matches_published_figures() {
    let table = [
        (
            [34, 54, 63, 64, 75],
            Strength {
                elo: [55.579_780, 27.653_430, 27.818_481],
                nelo: [57.935_600, 29.406_559],
                score: 0.579_310_344_8,
                los: (0.999_961_163_4, 5e-10),
            },
        ),
        (
            [332, 433, 498, 333, 334],
            Strength {
                elo: [-8.642_667, 10.334_194, 10.343_368],
                nelo: [-9.172_914, 10.991_035],
                score: 0.487_564_766_8,
                los: (0.050_595_768_0, 5e-10),
            },
        ),
        (
            [7895, 8757, 5685, 568, 9999],
            Strength {
                elo: [-21.043_521, 2.945_281, 2.945_434],
                nelo: [-19.012_834, 2.686_523],
                score: 0.469_752_917_6,
                los: (6.139_4e-45, 5e-49),
            },
        ),
        (
            [43, 61, 144, 55, 37],
            Strength {
                elo: [-9.198_973, 20.927_237, 21.033_431],
                nelo: [-11.498_051, 26.275_529],
                score: 0.486_764_705_9,
                los: (0.194_726_129_5, 5e-10),
            },
        ),
    ];
    for (counts, expected) in table {
        let pairs = Pentanomial(counts);
        assert_strength(&pairs, pairs.score(), &expected);
    }
}

#[test]
fn strength_from_games_matches_published_figures() {
    let table = [
        (
            [89, 123, 76],
            Strength {
                elo: [-15.693_521, 30.458_001, 30.641_176],
                nelo: [-20.756_450, 40.469_726],
                score: 0.477_430_555_6,
                los: (0.156_173_426_2, 5e-10),
            },
        ),
        (
            [96, 111, 136],
            Strength {
                elo: [40.702_458, 30.427_218, 30.580_708],
                nelo: [49.768_415, 37.572_089],
                score: 0.558_309_037_9,
                los: (0.995_777_019_9, 5e-10),
            },
        ),
        (
            [356, 0, 34],
            Strength {
                elo: [-407.988_432, 63.164_515, 63.462_462],
                nelo: [-508.435_325, 108.803_089],
                score: 0.087_179_487_2,
                los: (4.949_5e-99, 5e-103),
            },
        ),
    ];
    for (counts, expected) in table {
        assert_strength(&games(counts), games(counts).score(), &expected);
    }
}

#[test]
fn strength_after_a_sequential_stop_matches_fishtest() {
    let table = [
        (
            Normalized,
            [0.0, 2.0],
            [365, 16618, 36229, 16974, 390],
            [0.932_149, -0.051_444, 1.878_152, 0.968_674],
        ),
        (
            Logistic,
            [-3.0, 1.0],
            [10789, 19328, 33806, 19402, 10543],
            [-0.992_537, -3.488_492, 1.488_586, 0.188_035],
        ),
        (Logistic, [0.2, 0.9], [39, 2226, 31451, 2412, 40], [0.865_183, 0.168_307, 1.540_599, 0.992_002]),
    ];
    for (model, [elo0, elo1], counts, [middle, low, high, los]) in table {
        let found = median_unbiased(&Pentanomial(counts), &sprt(model, elo0, elo1)).unwrap();
        assert_close(found.elo.0, middle, 1e-6, "Elo");
        assert_close(found.low.unwrap().0, low, 1e-6, "lower limit");
        assert_close(found.high.unwrap().0, high, 1e-6, "upper limit");
        assert_close(found.los.unwrap().0, los, 1e-6, "LOS");
    }
}

#[test]
fn expected_lengths_match_the_calculator() {
    for (width, at_end, in_middle) in
        [(2.0, 159_942.4, 261_633.7), (5.0, 25_590.8, 41_861.4), (10.0, 6397.7, 10_465.3)]
    {
        let test = sprt(Normalized, 0.0, width);
        for (elo, expected) in [(0.0, at_end), (0.5 * width, in_middle), (width, at_end)] {
            let found = expected_games(&test, elo, 1.0).unwrap();
            assert_close(found.games, expected, 0.05, &format!("width {width} at {elo}"));
            assert_close(found.pass.0, 0.05 + 0.9 * elo / width, 1e-9, &format!("width {width} at {elo}"));
        }
    }
    let variance = game_variance(Share(0.61), Elo(0.0)).unwrap();
    let test = sprt(Logistic, 0.0, 5.0);
    for (elo, expected) in [(0.0, 9981.8), (5.0, 9981.8)] {
        assert_close(expected_games(&test, elo, variance).unwrap().games, expected, 0.05, "logistic");
    }
    assert_close(expected_games(&test, 2.5, variance).unwrap().games, 16_328.2, 0.05, "logistic, middle");
}

#[test]
fn expected_lengths_match_simulations() {
    // simul's readme: pass probability 0.498 in about 42.1 thousand games.
    let found = expected_games(&sprt(Normalized, 0.0, 5.0), 2.5, 1.0).unwrap();
    assert_close(found.games, 42_100.0, 500.0, "games");
    assert_close(found.pass.0, 0.498, 0.005, "pass probability");
}

/// Returns a random number between 0 and 1.
fn uniform(random: &mut SplitMix64) -> f64 {
    (random.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
}

/// Returns the place of a random outcome with these probabilities.
fn draw(probabilities: &[f64; 5], random: &mut SplitMix64) -> usize {
    let mut left = uniform(random);
    let outcome = probabilities.iter().position(|p| {
        left -= p;
        left < 0.0
    });
    outcome.unwrap_or(4)
}

/// Simulates a test pair by pair; returns the verdict and the final counts.
fn simulate(test: &Sprt, probabilities: [f64; 5], random: &mut SplitMix64) -> (Verdict, Pentanomial) {
    simulate_judged(test, probabilities, random, true)
}

/// Like [`simulate`], with or without overshoot correction of the bounds.
fn simulate_judged(
    test: &Sprt,
    probabilities: [f64; 5],
    random: &mut SplitMix64,
    is_corrected: bool,
) -> (Verdict, Pentanomial) {
    let mut pairs = Pentanomial::default();
    let mut tracker = OvershootTracker::default();
    loop {
        pairs.0[draw(&probabilities, random)] += 1;
        let (llr, bounds) = (test.llr(&pairs), test.bounds());
        let corrected = tracker.judge(llr, &bounds);
        let verdict = if is_corrected { corrected } else { bounds.verdict(llr) };
        if verdict != Verdict::Continue {
            return (verdict, pairs);
        }
    }
}

#[test]
fn simulated_tests_have_nominal_error_rate_and_coverage() {
    // Equal engines, H0 true: 5 % may pass, and 95 % of the final intervals must contain the true
    // Elo of 0. With 400 tests the standard error of both shares is about 1.1 %.
    let test = sprt(Normalized, 0.0, 40.0);
    let mut random = SplitMix64::new(20_260_729);
    let (mut passed, mut covered, mut below, mut pairs_played) = (0, 0, 0, 0);
    for _ in 0..400 {
        let (verdict, pairs) = simulate(&test, [0.05, 0.2, 0.5, 0.2, 0.05], &mut random);
        passed += u32::from(verdict == Verdict::AcceptH1);
        let found = median_unbiased(&pairs, &test).unwrap();
        covered += u32::from(
            found.low.is_none_or(|low| low.0 <= 0.0) && found.high.is_none_or(|high| 0.0 <= high.0),
        );
        below += u32::from(found.elo.0 < 0.0);
        pairs_played += pairs.pairs();
    }
    assert!((8..=33).contains(&passed), "{passed} of 400 passed, expected about 20");
    assert!((366..=394).contains(&covered), "{covered} of 400 intervals hold the truth, expected about 380");
    assert!((160..=240).contains(&below), "{below} of 400 estimates are below the truth, expected about 200");
    let expected = expected_games(&test, 0.0, 1.0).unwrap().games / 2.0;
    let mean = pairs_played as f64 / 400.0;
    assert!((mean / expected - 1.0).abs() < 0.2, "{mean} pairs on average, expected about {expected}");
}

/// Returns the probabilities of the five outcomes of a pair at a normalised Elo.
fn tilted(nelo: f64) -> [f64; 5] {
    // Exponential tilting keeps the shape and moves the mean; the tilt is found by bisection.
    let at = |tilt: f64| {
        let weights = [0.05, 0.2, 0.5, 0.2, 0.05];
        let tilted: Vec<f64> =
            weights.iter().zip(0..).map(|(w, k)| w * (tilt * f64::from(k)).exp()).collect();
        let sum: f64 = tilted.iter().sum();
        std::array::from_fn(|k| tilted[k] / sum)
    };
    let strength = |p: [f64; 5]| {
        let mean: f64 = (0..5).map(|k| p[k] * k as f64 / 4.0).sum();
        let variance: f64 = (0..5).map(|k| p[k] * (k as f64 / 4.0 - mean).powi(2)).sum();
        NELO_PER_T * (mean - 0.5) / (2.0 * variance).sqrt()
    };
    let (mut low, mut high) = (-3.0, 3.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if strength(at(middle)) < nelo { low = middle } else { high = middle }
    }
    at(low)
}

#[test]
fn error_rates_of_both_kinds_are_nominal_and_the_correction_saves_games() {
    // 1,500 tests at each hypothesis: the standard error of a share of 5 % is 0.56 %, and three of
    // them are 25 tests.
    const TESTS: u32 = 1500;
    let test = sprt(Normalized, 0.0, 40.0);
    let mut random = SplitMix64::new(7);
    for (truth, wrong) in [(0.0, Verdict::AcceptH1), (40.0, Verdict::AcceptH0)] {
        let probabilities = tilted(truth);
        let mut lengths = [0_u64; 2];
        for (length, is_corrected) in lengths.iter_mut().zip([false, true]) {
            let mut errors = 0;
            for _ in 0..TESTS {
                let (verdict, pairs) = simulate_judged(&test, probabilities, &mut random, is_corrected);
                errors += u32::from(verdict == wrong);
                *length += pairs.pairs();
            }
            assert!(errors <= 75 + 25, "{errors} of {TESTS} wrong at {truth}, corrected: {is_corrected}");
            // With the correction, the error rate is close to the nominal one.
            assert!(!is_corrected || errors >= 75 - 25, "{errors} of {TESTS} wrong at {truth}");
        }
        let saved = 1.0 - lengths[1] as f64 / lengths[0] as f64;
        assert!(saved > 0.01, "{lengths:?} pairs at {truth}, without and with the correction");
    }
}

/// Counts from zero to ten million, with zeros, ones and small numbers as common as large ones.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(0), Just(1), 1_u64..10, 1_u64..10_000, 1_u64..=10_000_000]
}

fn pentanomial() -> impl Strategy<Value = Pentanomial> {
    prop::array::uniform5(count()).prop_map(Pentanomial)
}

fn trinomial() -> impl Strategy<Value = Trinomial> {
    prop::array::uniform3(count()).prop_map(games)
}

fn elo_bound() -> impl Strategy<Value = f64> {
    prop_oneof![-1500.0..=1500.0, -10.0..=10.0, Just(0.0), Just(-1500.0), Just(1500.0), -1e-9..=1e-9]
}

/// Hypotheses in order and far enough apart for a test.
fn hypotheses() -> impl Strategy<Value = (f64, f64)> {
    (elo_bound(), elo_bound()).prop_map(|(a, b)| {
        let low = f64::min(f64::min(a, b), 1500.0 - 2.0 * MIN_WIDTH);
        (low, f64::max(f64::max(a, b), low + 2.0 * MIN_WIDTH))
    })
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![Just(Normalized), Just(Logistic)]
}

fn magnitude(pairs: &Pentanomial) -> f64 {
    1.0 + pairs.pairs() as f64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn llr_is_always_finite(pairs in pentanomial(), single in trinomial(), a in elo_bound(), b in elo_bound()) {
        for model in [Normalized, Logistic] {
            prop_assert!(llr(&pairs, model, a, b).0.is_finite());
            prop_assert!(llr(&single, model, a, b).0.is_finite());
        }
        prop_assert!(llr_bayes_elo(&single, a, b).is_finite());
    }

    #[test]
    fn llr_changes_sign_with_the_bounds(pairs in pentanomial(), model in model(), a in elo_bound(), b in elo_bound()) {
        let (there, back) = (llr(&pairs, model, a, b).0, llr(&pairs, model, b, a).0);
        prop_assert!((there + back).abs() <= 1e-12 * magnitude(&pairs), "{} {}", there, back);
        prop_assert!(llr(&pairs, model, a, a).0.abs() <= 1e-12);
    }

    #[test]
    fn llr_is_antisymmetric_in_the_engines(
        pairs in pentanomial(), model in model(), a in elo_bound(), b in elo_bound(),
    ) {
        let (mine, yours) = (llr(&pairs, model, a, b).0, llr(&pairs.reversed(), model, -a, -b).0);
        prop_assert!((mine - yours).abs() <= 1e-9 * magnitude(&pairs), "{} {}", mine, yours);
    }

    #[test]
    fn llr_is_additive_over_adjacent_bounds(pairs in pentanomial(), model in model(), a in elo_bound(), b in elo_bound(), c in elo_bound()) {
        let (direct, steps) = (llr(&pairs, model, a, c).0, llr(&pairs, model, a, b).0 + llr(&pairs, model, b, c).0);
        prop_assert!((direct - steps).abs() <= 1e-9 * magnitude(&pairs), "{} {}", direct, steps);
    }

    #[test]
    fn better_pair_never_lowers_the_logistic_llr(
        counts in prop::array::uniform5(2_u64..100_000), from in 0_usize..4, (a, b) in hypotheses(),
    ) {
        let mut improved = counts;
        improved[from] -= 1;
        improved[from + 1] += 1;
        let (before, after) =
            (llr(&Pentanomial(counts), Logistic, a, b).0, llr(&Pentanomial(improved), Logistic, a, b).0);
        prop_assert!(after >= before - 1e-9 * magnitude(&Pentanomial(counts)), "{} {}", before, after);
    }

    #[test]
    fn likelihood_decreases_away_from_the_observed_strength(
        pairs in prop::array::uniform5(1_u64..100_000).prop_map(Pentanomial), near in 0.0..300.0, further in 0.1..300.0,
    ) {
        for (model, observed) in [
            (Logistic, elo(&pairs).unwrap().value.0),
            (Normalized, normalized_elo(&pairs).unwrap().value.0),
        ] {
            for side in [-1.0, 1.0] {
                let found = llr(&pairs, model, observed + side * near, observed + side * (near + further)).0;
                prop_assert!(found <= 1e-9 * magnitude(&pairs), "{:?} {} {}", model, side, found);
            }
        }
    }

    #[test]
    fn summary_has_no_nan_or_infinity(
        pairs in pentanomial(), single in trinomial(), model in model(), (a, b) in hypotheses(),
        alpha in 1e-6..0.4, beta in 1e-6..0.4,
    ) {
        let test = Sprt::new(model, a, b, alpha, beta).unwrap();
        let stats = MatchStats::new(pairs, single, Some((test, Corrections::default())));
        let text = format!("{stats} {stats:?}");
        prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
        let state = stats.sprt.unwrap();
        if let Ok(unbiased) = state.unbiased {
            prop_assert!(unbiased.low.is_none_or(|low| low <= unbiased.elo), "{:?}", unbiased);
            prop_assert!(unbiased.high.is_none_or(|high| unbiased.elo <= high), "{:?}", unbiased);
            let limits = [unbiased.low, unbiased.high];
            prop_assert!(limits.iter().flatten().all(|limit| limit.0.abs() <= SEARCH_LIMIT.0), "{:?}", unbiased);
            prop_assert!(unbiased.los.is_none_or(|los| (0.0..=1.0).contains(&los.0)));
        }
        if let Some(passage) = state.remaining {
            prop_assert!(passage.items >= 0.0 && (0.0..=1.0).contains(&passage.upper.0), "{:?}", passage);
        }
        let has_spread = pairs.0.iter().filter(|&&count| count > 0).count() > 1;
        prop_assert_eq!(state.unbiased != Err(NoEstimate::NoSpread), has_spread);
        prop_assert_eq!(stats.nelo.is_some(), has_spread);
        // Without an interval of the score there are no errors and no likelihood of superiority.
        let has_error = stats.elo.is_some_and(|elo| elo.half_width.is_some());
        prop_assert_eq!(stats.los.is_some(), has_error);
        prop_assert!(has_error || state.unbiased.ok().is_none_or(|unbiased| unbiased.los.is_none()));
        prop_assert!(has_error || stats.nelo.is_none_or(|nelo| nelo.half_width.is_none()));
    }

    #[test]
    fn running_test_has_an_eta(pairs in pentanomial(), a in -20.0..20.0, width in 0.5..20.0) {
        prop_assume!(pairs.pairs() > 0);
        let test = sprt(Normalized, a, a + width);
        prop_assert!(remaining(&pairs, &test, Corrections::default()).is_some());
    }

    #[test]
    fn expectations_are_finite(model in model(), (a, b) in hypotheses(), truth in elo_bound()) {
        let found = expected_games(&sprt(model, a, b), truth, 0.1).unwrap();
        prop_assert!(found.games.is_finite() && found.games > 0.0, "{:?}", found);
        prop_assert!((0.0..=1.0).contains(&found.pass.0), "{:?}", found);
    }
}
