//! The verdict of a test as a sentence.

use stretto_stats::bounds::{Sprt, Verdict};

/// Returns what an accepted hypothesis says about the first of two engines; `None` without a decision.
pub(super) fn verdict_in_words(verdict: Verdict, test: &Sprt, [first, second]: [&str; 2]) -> Option<String> {
    let unit = test.model().unit();
    let (elo0, elo1) = (test.elo0(), test.elo1());
    Some(match verdict {
        Verdict::AcceptH1 if elo0 > 0.0 => {
            format!("{first} is better than {second} by more than {elo0} {unit}")
        }
        Verdict::AcceptH1 if elo0 < 0.0 => format!("{first} is not worse than {second} by {} {unit}", -elo0),
        Verdict::AcceptH1 => format!("{first} is better than {second}"),
        Verdict::AcceptH0 if elo1 > 0.0 => format!("{first} is not better than {second} by {elo1} {unit}"),
        Verdict::AcceptH0 if elo1 < 0.0 => {
            format!("{first} is worse than {second} by more than {} {unit}", -elo1)
        }
        Verdict::AcceptH0 => format!("{first} is worse than {second}"),
        Verdict::Continue => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_stats::llr::Model;

    #[test]
    fn words_depend_on_the_signs_of_the_bounds() {
        let words = |verdict, elo0, elo1| {
            let test = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
            verdict_in_words(verdict, &test, ["a", "b"])
        };
        let (h0, h1) = (Verdict::AcceptH0, Verdict::AcceptH1);
        for (verdict, elo0, elo1, expected) in [
            (h1, 0.0, 5.0, "a is better than b"),
            (h1, 2.0, 5.0, "a is better than b by more than 2 nElo"),
            (h1, -5.0, 0.0, "a is not worse than b by 5 nElo"),
            (h0, 0.0, 40.0, "a is not better than b by 40 nElo"),
            (h0, -5.0, 0.0, "a is worse than b"),
            (h0, -9.0, -4.0, "a is worse than b by more than 4 nElo"),
        ] {
            assert_eq!(words(verdict, elo0, elo1).as_deref(), Some(expected));
        }
        assert_eq!(words(Verdict::Continue, 0.0, 5.0), None);
    }
}
