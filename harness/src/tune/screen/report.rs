//! Report of `harness screen`.

use crate::base::wording::counted;
use crate::report::bars::{Bar, bars, signed};
use crate::report::{Block, Document, Report};
use crate::tune::screen::{FactorEstimate, ScreeningStanding};
use stretto_stats::effects::{Undetermined, least_pairs};

const TITLE: &str = "Main effects of settings, from the same games";

const LEGEND: &str = "Main effect: Elo of the engine with the setting minus Elo without it, averaged over the other settings. All effects are fitted jointly to pairs of games whose two sides have opposite settings. The 95 % intervals hold simultaneously for all settings (Bonferroni), those in the last column individually. Brackets mark effects that do not differ significantly from 0 by Holm's test; n/a marks effects that the games do not determine.";

const HEADER: [&str; 4] = ["setting", "main effect, Elo", "pairs with a difference", "individual interval"];

/// An effect of this size changes the engine in which the other settings are measured. Units: Elo.
const LARGE: f64 = 40.0;

/// Warns of large effects of settings that differ in more than half of the pairs.
fn warning(standing: &ScreeningStanding) -> Option<String> {
    let is_large = |estimate: &&FactorEstimate| {
        let size = estimate.elo.map_or(0.0, |elo| elo.value.0.abs());
        estimate.is_different && size >= LARGE && 2 * estimate.pairs > standing.pairs
    };
    let large: Vec<String> = standing.factors.iter().filter(is_large).map(|one| one.factor.title()).collect();
    let is_alone = large.len() == standing.factors.len();
    (!large.is_empty() && !is_alone).then(|| {
        format!(
            "Large effects ({}) change the engine in which the other settings are measured: screen them apart, \
             or with a smaller `differing`",
            large.join(", ")
        )
    })
}

/// Returns a line for each reason why settings have no main effect.
fn undetermined(standing: &ScreeningStanding) -> Vec<String> {
    let line = |reason: Undetermined| {
        let without = standing.factors.iter().filter(|estimate| estimate.undetermined == Some(reason));
        let titles: Vec<String> = without.map(|estimate| estimate.factor.title()).collect();
        let why = match reason {
            Undetermined::OneSided => {
                "won or lost every point of the pairs with a difference, which are left out of the other effects. Leave the \
                 setting out, or choose a smaller change"
            }
            Undetermined::TooFewPairs => {
                &format!("too few pairs are left; at least {} are needed", least_pairs(titles.len()))
            }
            Undetermined::NeverDiffered => "no pair so far has a difference in the setting",
            Undetermined::Inseparable => "they always differ together",
            Undetermined::NoSpread => "all pairs are alike",
        };
        (!titles.is_empty()).then(|| format!("No main effect of {}: {why}", titles.join(", ")))
    };
    let reasons = [
        Undetermined::OneSided,
        Undetermined::TooFewPairs,
        Undetermined::NeverDiffered,
        Undetermined::Inseparable,
        Undetermined::NoSpread,
    ];
    reasons.into_iter().filter_map(line).collect()
}

/// Formats an effect such as `−12 ± 9`, in brackets if not significant.
fn elo(estimate: &FactorEstimate) -> String {
    let (Some(elo), Some(half)) = (estimate.elo, estimate.simultaneous) else { return "[n/a]".to_owned() };
    let text = format!("{} ± {:.0}", signed(elo.value.0), half.0);
    if estimate.is_different { text } else { format!("[{text}]") }
}

/// Sorts by effect in descending order, without estimates last.
fn sorted(standing: &ScreeningStanding) -> Vec<&FactorEstimate> {
    let mut factors: Vec<&FactorEstimate> = standing.factors.iter().collect();
    let value = |estimate: &FactorEstimate| estimate.elo.map_or(f64::NEG_INFINITY, |elo| elo.value.0);
    factors.sort_by(|one, other| value(other).total_cmp(&value(one)));
    factors
}

fn row(estimate: &FactorEstimate) -> Vec<String> {
    let own = estimate.elo.and_then(|elo| Some((elo.value.0, elo.half_width?.0)));
    let own = own.map_or_else(
        || "n/a".to_owned(),
        |(value, half)| format!("{} to {}", signed(value - half), signed(value + half)),
    );
    vec![estimate.factor.title(), elo(estimate), estimate.pairs.to_string(), own]
}

fn bar(estimate: &FactorEstimate) -> Option<Bar> {
    let (value, half) = (estimate.elo?.value.0, estimate.simultaneous?.0);
    Some(Bar::of_elo(estimate.factor.title(), value, half, estimate.is_different))
}

/// Builds the report with bars and table.
pub(crate) fn screen_report(standing: &ScreeningStanding, pairs_planned: u64) -> Report {
    let factors = sorted(standing);
    let drawn: Vec<Bar> = factors.iter().filter_map(|estimate| bar(estimate)).collect();
    let subtitle = format!(
        "{}, {} of {pairs_planned} pairs of games",
        counted(factors.len(), "setting"),
        standing.pairs
    );
    let mut body = Document::from([Block::paragraph(subtitle)]);
    body.extend((!drawn.is_empty()).then(|| bars("Main effects, Elo", &drawn)));
    body.push(Block::table(&HEADER, factors.iter().map(|estimate| row(estimate))));
    body.push(Block::paragraph(LEGEND));
    let facts = factors.iter().map(|estimate| (estimate.factor.title(), elo(estimate)));
    let lines: Vec<String> = warning(standing).into_iter().chain(undetermined(standing)).collect();
    Report::new(TITLE, body).with_facts(facts).with_lines(&lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::screen::Factor;
    use stretto_stats::elo::Estimate;
    use stretto_stats::units::Elo;

    fn estimate(name: &str, value: f64, pairs: u64) -> FactorEstimate {
        let factor = Factor { name: name.to_owned(), from: "true".to_owned(), to: "false".to_owned() };
        let elo = Estimate { value: Elo(value), half_width: Some(Elo(9.0)) };
        let is_different = value.abs() > 9.0;
        let (elo, simultaneous) = (Some(elo), Some(Elo(15.0)));
        FactorEstimate { factor, pairs, elo, undetermined: None, simultaneous, is_different }
    }

    #[test]
    fn settings_without_an_effect_are_listed_by_reason() {
        let without = |name: &str, reason: Undetermined| FactorEstimate {
            elo: None,
            undetermined: Some(reason),
            ..estimate(name, 0.0, 40)
        };
        let factors = vec![
            without("Extreme", Undetermined::OneSided),
            without("Killers", Undetermined::TooFewPairs),
            without("History", Undetermined::TooFewPairs),
        ];
        let text = screen_report(&ScreeningStanding { pairs: 40, factors }, 40).markdown();
        assert!(text.contains("No main effect of Extreme off: won or lost every point"), "{text}");
        let few =
            "No main effect of Killers off, History off: too few pairs are left; at least 6 are needed.";
        assert!(text.contains(few), "{text}");
    }

    #[test]
    fn large_effects_of_frequent_settings_are_warned_of() {
        let text = |factors: Vec<FactorEstimate>| {
            screen_report(&ScreeningStanding { pairs: 100, factors }, 100).markdown()
        };
        let warned = text(vec![estimate("Aspiration", -104.0, 100), estimate("Killers", -10.0, 100)]);
        assert!(warned.ends_with("Large effects (Aspiration off) change the engine in which the other settings are measured: screen them apart, or with a smaller `differing`.\n"), "{warned}");
        for factors in [
            vec![estimate("Aspiration", -39.0, 100), estimate("Killers", -10.0, 100)],
            vec![estimate("Aspiration", -104.0, 50), estimate("Killers", -10.0, 50)],
            vec![estimate("Aspiration", -104.0, 100)],
        ] {
            assert!(!text(factors).contains("Large effects"));
        }
    }
}
