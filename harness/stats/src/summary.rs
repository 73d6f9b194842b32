//! All statistics of a match in one value, as printed after each pair and stored in reports.

use std::fmt;

use super::bounds::Corrections;
use super::bounds::{Bounds, Sprt, Verdict};
use super::brownian::Passage;
use super::counts::{Pentanomial, Tally, Trinomial};
use super::elo::{Estimate, elo, los, normalized_elo};
use super::interval::EloInterval;
use super::unbiased::{MedianUnbiased, NoEstimate, median_unbiased};
use super::wald::remaining;
use crate::units::{Elo, Llr, NormalizedElo, Share};

/// The statistics of a match between two engines, from the first engine's view; estimates are
/// `None` before the first pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MatchStats {
    /// Complete pairs, from which every estimate here is computed.
    pub pairs: Pentanomial,
    /// The games of these pairs.
    pub games: Trinomial,
    /// Finished games of incomplete pairs, which nothing else here counts.
    pub single: Trinomial,
    /// Mean score of the complete pairs.
    pub score: Option<Share>,
    /// Logistic Elo; also `None` while everything is won or lost.
    pub elo: Option<Estimate<Elo>>,
    /// 95 % confidence interval of Elo, with one limit where the results bound Elo on one side only.
    pub elo_interval: Option<EloInterval>,
    /// Normalised Elo; `None` while all pairs have the same result. Without a half-width where `elo` has none.
    pub nelo: Option<Estimate<NormalizedElo>>,
    /// Likelihood of superiority; `None` where `elo` has no half-width.
    pub los: Option<Share>,
    /// Share of games drawn.
    pub draw_ratio: Option<Share>,
    /// Share of pairs split evenly.
    pub even_pairs: Option<Share>,
    /// The sequential test, if there is one; once it is decided, its state at the decision.
    pub sprt: Option<SprtState>,
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SprtState {
    /// The parameters of the test.
    pub spec: Sprt,
    /// LLR of all counted pairs, to compare with the bounds.
    pub llr: Llr,
    /// Wald's bounds for the LLR.
    pub bounds: Bounds,
    /// Distances by which the bounds were moved inwards for the verdict.
    pub corrections: Corrections,
    /// The bounds that decide: Wald's bounds moved inwards by the corrections.
    pub deciding_bounds: Bounds,
    /// The decision at the current LLR.
    pub verdict: Verdict,
    /// Expected further pairs (or games, where games are counted) and the expected result, if play continues as observed.
    pub remaining: Option<Passage>,
    /// The median-unbiased Elo estimate with 95 % confidence limits; `null` in JSON if it does not apply.
    #[cfg_attr(feature = "serde", serde(serialize_with = "value_or_null"))]
    pub unbiased: Result<MedianUnbiased, NoEstimate>,
}

#[cfg(feature = "serde")]
fn value_or_null<S: serde::Serializer>(
    unbiased: &Result<MedianUnbiased, NoEstimate>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&unbiased.ok(), serializer)
}

impl SprtState {
    /// Returns the state of a test after these pairs or games, with the corrections of its
    /// [`OvershootTracker`](super::overshoot::OvershootTracker).
    pub fn new(spec: Sprt, tally: &impl Tally, corrections: Corrections) -> Self {
        let (llr, bounds) = (spec.llr(tally), spec.bounds());
        Self {
            spec,
            llr,
            bounds,
            corrections,
            deciding_bounds: bounds.corrected(corrections),
            verdict: bounds.corrected_verdict(llr, corrections),
            remaining: remaining(tally, &spec, corrections),
            unbiased: median_unbiased(tally, &spec),
        }
    }
}

impl MatchStats {
    /// Computes the statistics of these pairs and their games, and of their test.
    pub fn new(pairs: Pentanomial, games: Trinomial, sprt: Option<(Sprt, Corrections)>) -> Self {
        Self {
            pairs,
            games,
            single: Trinomial::default(),
            score: pairs.score(),
            elo: elo(&pairs),
            elo_interval: EloInterval::of(&pairs),
            nelo: normalized_elo(&pairs),
            los: los(&pairs),
            draw_ratio: games.draw_ratio(),
            even_pairs: pairs.draw_ratio(),
            sprt: sprt.map(|(spec, corrections)| SprtState::new(spec, &pairs, corrections)),
        }
    }

    /// Returns `1 game of an incomplete pair (+1 =0 -0)`; `None` without such games.
    pub fn single_text(&self) -> Option<String> {
        let Trinomial { losses, draws, wins } = self.single;
        let pairs = match self.single.games() {
            0 => return None,
            1 => "1 game of an incomplete pair".to_owned(),
            games => format!("{games} games of incomplete pairs"),
        };
        Some(format!("{pairs} (+{wins} ={draws} -{losses})"))
    }

    /// Returns Elo with its error or, where its 95 % interval is not symmetric or has one end, with that: `28.9 ± 20.9`,
    /// `117.2 (9.8 to 252.9)`, `544.7 (above 55.0)` or, at a score of 1, `no estimate, all games won (95 %: above 182.7)`.
    pub fn elo_text(&self) -> String {
        elo_text(self.elo, self.elo_interval)
    }
}

/// Returns Elo as [`MatchStats::elo_text`] does.
pub fn elo_text(elo: Option<Estimate<Elo>>, interval: Option<EloInterval>) -> String {
    match (elo, interval) {
        (Some(Estimate { value, half_width }), Some(interval))
            if half_width.is_none_or(|half| interval.is_skewed(value, half)) =>
        {
            format!("{value} ({interval})")
        }
        (Some(elo), _) => elo.to_string(),
        (None, Some(interval)) => {
            let all = if interval.low.is_some() { "won" } else { "lost" };
            format!("no estimate, all games {all} (95 %: {interval})")
        }
        (None, None) => "n/a".to_owned(),
    }
}

impl<U: fmt::Display> fmt::Display for Estimate<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.half_width {
            Some(half_width) => write!(f, "{} ± {half_width}", self.value),
            None => write!(f, "{}", self.value),
        }
    }
}

impl fmt::Display for SprtState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { llr, bounds: Bounds { lower, upper }, spec, .. } = self;
        let unit = spec.model().unit();
        write!(f, "LLR {llr} ({lower}, {upper}) [{:.2}, {:.2}] {unit}", spec.elo0(), spec.elo1())
    }
}

impl fmt::Display for MatchStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elo {} | nElo {} | ", self.elo_text(), OrAbsent(self.nelo))?;
        if let Some(sprt) = &self.sprt {
            write!(f, "{sprt} | ")?;
        }
        let Trinomial { losses, draws, wins } = self.games;
        write!(f, "LOS {} | games {} W {wins} L {losses} D {draws}", OrAbsent(self.los), self.games.games())?;
        write!(f, " | Ptnml(0-2) {}", self.pairs)?;
        match self.single_text() {
            Some(single) => write!(f, " | {single}"),
            None => Ok(()),
        }
    }
}

/// A display wrapper that prints a missing value as `n/a`.
#[derive(Clone, Copy, Debug)]
pub struct OrAbsent<T>(pub Option<T>);

impl<T: fmt::Display> fmt::Display for OrAbsent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("n/a"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llr::Model;

    fn test() -> (Sprt, Corrections) {
        let sprt = Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05).unwrap();
        (sprt, Corrections::default())
    }

    #[test]
    fn match_line_shows_every_statistic() {
        let games = Trinomial { losses: 160, draws: 188, wins: 206 };
        let stats = MatchStats::new(Pentanomial([12, 60, 100, 80, 25]), games, Some(test()));
        assert_eq!(
            stats.to_string(),
            "Elo 28.9 ± 20.9 | nElo 40.6 ± 29.4 | LLR 1.61 (-2.94, 2.94) [0.00, 10.00] nElo | LOS 99.7 % \
             | games 554 W 206 L 160 D 188 | Ptnml(0-2) [12, 60, 100, 80, 25]"
        );
        assert_eq!(stats.sprt.unwrap().verdict, Verdict::Continue);
    }

    #[test]
    fn error_of_elo_excludes_zero_exactly_where_superiority_is_likely() {
        let mut shown = 0;
        for counts in (0..6_u64.pow(5)).map(|n| [0, 1, 2, 3, 4].map(|place| n / 6_u64.pow(place) % 6)) {
            let pairs = Pentanomial(counts);
            let (Some(Estimate { value, half_width: Some(half) }), Some(los)) = (elo(&pairs), los(&pairs))
            else {
                continue;
            };
            if elo_text(Some(Estimate { value, half_width: Some(half) }), EloInterval::of(&pairs))
                .contains('±')
            {
                shown += 1;
                // Within a tenth of the error both answers are possible.
                let is_close = (value.0.abs() - half.0).abs() < 0.1 * half.0;
                assert!(is_close || (value.0.abs() > half.0) == ((los.0 - 0.5).abs() > 0.475), "{pairs}");
            }
        }
        assert!(shown > 1000, "{shown}");
        let skewed = MatchStats::new(Pentanomial([1, 2, 8, 1, 8]), Trinomial::default(), None);
        assert_eq!(skewed.elo_text(), "117.2 (9.8 to 252.9)");
    }

    #[test]
    fn test_shows_fixed_bounds_and_states_those_that_decide() {
        let (spec, _) = test();
        let corrections = Corrections { lower: Llr(0.05), upper: Llr(0.08) };
        let pairs = Pentanomial([12, 60, 100, 80, 25]);
        let state =
            |factor: u64| SprtState::new(spec, &Pentanomial(pairs.0.map(|n| n * factor)), corrections);
        assert_eq!(state(1).to_string(), "LLR 1.61 (-2.94, 2.94) [0.00, 10.00] nElo");
        let json = serde_json::to_value(state(1)).unwrap();
        assert!((json["deciding_bounds"]["upper"].as_f64().unwrap() - 2.8644).abs() < 1e-3, "{json}");
        assert!((json["bounds"]["upper"].as_f64().unwrap() - 2.9444).abs() < 1e-3, "{json}");
        // The verdict and the deciding bounds are one rule.
        for llr in (-400..400).map(|step| Llr(f64::from(step) / 100.0)) {
            let (verdict, shown) =
                (state(1).bounds.corrected_verdict(llr, corrections), state(1).deciding_bounds);
            assert_eq!(verdict == Verdict::AcceptH1, llr.0 > shown.upper.0, "{llr}");
            assert_eq!(verdict == Verdict::AcceptH0, llr.0 < shown.lower.0, "{llr}");
        }
    }

    #[test]
    fn match_without_games_prints_and_serialises() {
        let stats = MatchStats::new(Pentanomial::default(), Trinomial::default(), Some(test()));
        assert_eq!(
            stats.to_string(),
            "Elo n/a | nElo n/a | LLR 0.00 (-2.94, 2.94) [0.00, 10.00] nElo | LOS n/a | games 0 W 0 L 0 D 0 \
             | Ptnml(0-2) [0, 0, 0, 0, 0]"
        );
        let json = serde_json::to_value(stats).unwrap();
        assert!(json["elo"].is_null() && json["sprt"]["remaining"].is_null());
        assert_eq!(json["sprt"]["verdict"], "continue");
    }

    #[test]
    fn one_sided_first_pair_has_a_bound_of_elo() {
        let line = |pairs: [u64; 5], games: Trinomial| {
            let stats = MatchStats::new(Pentanomial(pairs), games, None);
            (stats.to_string(), serde_json::to_value(stats).unwrap())
        };
        let (lost, json) = line([1, 0, 0, 0, 0], Trinomial { losses: 2, draws: 0, wins: 0 });
        let expected = "Elo no estimate, all games lost (95 %: below 511.5) | nElo n/a | LOS n/a | games 2 W 0 L 2 D 0 \
             | Ptnml(0-2) [1, 0, 0, 0, 0]";
        assert_eq!(lost, expected);
        assert!(json["elo"].is_null() && json["nelo"].is_null() && json["los"].is_null(), "{json}");
        let interval = &json["elo_interval"];
        assert!(
            interval["low"].is_null() && (interval["high"].as_f64().unwrap() - 511.5).abs() < 0.1,
            "{json}"
        );
        let (drawn, _) = line([0, 0, 1, 0, 0], Trinomial { losses: 0, draws: 2, wins: 0 });
        assert!(drawn.starts_with("Elo 0.0 (-759.1 to 759.1) | nElo n/a | LOS n/a | games 2"), "{drawn}");
    }
}
