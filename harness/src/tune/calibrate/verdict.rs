//! Whether regret can replace games, from the correlation and the cost.

use serde::Serialize;

use crate::stats::correlation::Bounded;

/// Correlation from which regret explains half of the variance of the Elo of settings.
pub(super) const WANTED_CORRELATION: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Largest share of the nodes of games at which regret is worth its indirection.
pub(super) const WANTED_COST: f64 = 1.0 / 3.0;

/// Whether regret predicts Elo at a third of the cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// Correlation and cost suffice, with their whole intervals.
    Predicts,
    /// The correlation is too small or the cost too large, with its whole interval.
    DoesNot,
    /// An interval contains its limit, or is unknown.
    Undecided,
}

/// Returns the verdict and a sentence with its grounds. `correlation` is corrected for errors, `cost`
/// is the share of the nodes of games that regret needs for the same error.
pub(super) fn verdict(correlation: Option<Bounded>, cost: Option<Bounded>) -> (Verdict, String) {
    let is_related = correlation.is_some_and(|found| found.low >= WANTED_CORRELATION);
    let is_unrelated = correlation.is_some_and(|found| found.high < WANTED_CORRELATION);
    let is_cheap = cost.is_some_and(|cost| cost.high <= WANTED_COST);
    let is_dear = cost.is_some_and(|cost| cost.low > WANTED_COST);
    let mut grounds = Vec::new();
    let relation = |found: Bounded| format!("the correlation is {:.2} to {:.2}", found.low, found.high);
    let price = |cost: Bounded| {
        format!("for the same error it needs {:.2} to {:.2} of the nodes", cost.low, cost.high)
    };
    let verdict = match (is_unrelated || is_dear, is_related && is_cheap) {
        (true, _) => Verdict::DoesNot,
        (_, true) => Verdict::Predicts,
        _ => Verdict::Undecided,
    };
    if verdict != Verdict::DoesNot || is_unrelated {
        grounds
            .push(correlation.map_or_else(|| "the errors leave the correlation open".to_owned(), relation));
    }
    if verdict != Verdict::DoesNot || is_dear {
        grounds.push(cost.map_or_else(|| "its cost is not known".to_owned(), price));
    }
    let start = match verdict {
        Verdict::Predicts => "Regret predicts Elo at a third of the cost of games",
        Verdict::DoesNot => "Regret does not predict Elo at a third of the cost of games",
        Verdict::Undecided => {
            "Whether regret predicts Elo at a third of the cost of games is undecided with the present errors"
        }
    };
    (verdict, format!("{start}: {}", grounds.join(", and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64) -> Bounded {
        Bounded { value: f64::midpoint(low, high), low, high }
    }

    #[test]
    fn verdict_needs_the_whole_interval_of_both() {
        for (correlation, cost, expected) in [
            (Some(range(0.8, 0.95)), Some(range(0.1, 0.3)), Verdict::Predicts),
            (Some(range(0.6, 0.95)), Some(range(0.1, 0.3)), Verdict::Undecided),
            (Some(range(0.8, 0.95)), Some(range(0.1, 0.5)), Verdict::Undecided),
            (Some(range(0.1, 0.6)), Some(range(0.1, 0.3)), Verdict::DoesNot),
            (Some(range(0.8, 0.95)), Some(range(0.4, 0.9)), Verdict::DoesNot),
            (Some(range(0.6, 0.95)), Some(range(0.4, 0.9)), Verdict::DoesNot),
            (Some(range(-0.95, -0.8)), Some(range(0.1, 0.2)), Verdict::DoesNot),
            (None, Some(range(0.1, 0.2)), Verdict::Undecided),
            (Some(range(0.8, 0.95)), None, Verdict::Undecided),
            (None, Some(range(0.4, 0.9)), Verdict::DoesNot),
            (None, None, Verdict::Undecided),
        ] {
            assert_eq!(verdict(correlation, cost).0, expected, "{correlation:?} {cost:?}");
        }
    }

    #[test]
    fn sentence_names_the_grounds() {
        let text = |correlation, cost| verdict(correlation, cost).1;
        assert_eq!(
            text(Some(range(0.1, 0.6)), Some(range(0.1, 0.3))),
            "Regret does not predict Elo at a third of the cost of games: the correlation is 0.10 to 0.60"
        );
        assert!(
            text(Some(range(0.8, 0.9)), Some(range(0.4, 2.0)))
                .ends_with("for the same error it needs 0.40 to 2.00 of the nodes")
        );
        assert!(
            text(None, None).ends_with("the errors leave the correlation open, and its cost is not known")
        );
    }
}
