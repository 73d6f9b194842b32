//! Aspiration windows.
//!
//! Bet: the score of an iteration is near that of the last, so a narrow window around it causes
//! more cutoffs.
//! Preconditions: a few iterations have been completed; the last score is not decisive.
//! Soundness: exact: a score outside the window is searched again with a wider one.
//! Knobs: `AspirationDelta`, `AspirationGrowth`, `AspirationDepth`, `AspirationOpen`.
//! Source: folklore since the 1970s; Chess Programming Wiki, "Aspiration Windows".
//! Evidence: `results/ablation.md`; `results/search.md`, "Margins tuned together".

use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Score, Window};

/// An aspiration window, which grows on the side where it failed.
pub(crate) struct Aspiration {
    window: Window,
    delta: i32,
    growth: i32,
    open: i32,
}

impl Aspiration {
    /// Returns the first window of an iteration, around the score of the last one.
    pub(crate) fn around(toggles: impl Toggles, last: Option<Score>, depth: Depth) -> Self {
        let growth = toggles.value(Tunable::AspirationGrowth);
        let delta = toggles.value(Tunable::AspirationDelta);
        let open = toggles.value(Tunable::AspirationOpen);
        let window = match last {
            Some(score)
                if on!(toggles, Aspiration)
                    && depth.0 >= toggles.value(Tunable::AspirationDepth)
                    && !score.is_decisive() =>
            {
                Window::new(lower(score - delta, open), upper(score + delta, open))
            }
            _ => Window::FULL,
        };
        Self { window, delta, growth, open }
    }

    /// Returns the window to search next.
    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// Widens the side on which `score` fell outside. Returns false if it fell inside.
    pub(crate) fn widen(&mut self, score: Score) -> bool {
        self.delta += self.delta * self.growth / 100 + 1;
        if score <= self.window.alpha {
            // Beta stays close: the true score is below it.
            self.window.beta = Score(i32::midpoint(self.window.alpha.0, self.window.beta.0)).max(score + 1);
            self.window.alpha = lower(score - self.delta, self.open);
            true
        } else if score >= self.window.beta {
            self.window.beta = upper(score + self.delta, self.open);
            true
        } else {
            false
        }
    }
}

/// Returns the lower end of a window. From `open` on it is infinite, since scores near mate change
/// in jumps.
fn lower(score: Score, open: i32) -> Score {
    if score.0.abs() >= open { -Score::INFINITE } else { score }
}

/// Returns the upper end of a window; see [`lower`].
fn upper(score: Score, open: i32) -> Score {
    if score.0.abs() >= open { Score::INFINITE } else { score }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;
    use crate::types::Ply;

    #[test]
    fn first_window_surrounds_a_score_that_is_deep_and_undecided() {
        let window = |last, depth| Aspiration::around(Fixed, last, Depth(depth)).window();
        let deep = Fixed.value(Tunable::AspirationDepth);
        let around = window(Some(Score(30)), deep);
        assert!(around.alpha.0 > -100 && around.beta.0 < 150, "{around:?}");
        for full in [
            window(None, deep),
            window(Some(Score(30)), deep - 1),
            window(Some(Score::mate_in(Ply(9))), deep),
        ] {
            assert_eq!(full, Window::FULL);
        }
    }

    #[test]
    fn window_grows_until_the_score_is_inside() {
        let scores = [-31_999, -5_000, -3_018, -2_990, -500, -20, 0, 19, 700, 2_990, 3_018, 5_000, 31_990];
        for (last, truth) in
            scores.into_iter().flat_map(|last| scores.map(|truth| (Score(last), Score(truth))))
        {
            let mut aspiration = Aspiration::around(Fixed, Some(last), Depth(9));
            let mut searches = 0;
            loop {
                let window = aspiration.window();
                assert!(window.alpha < window.beta, "{last:?} {truth:?} {window:?}");
                searches += 1;
                if !aspiration.widen(truth) {
                    break;
                }
            }
            assert!(aspiration.window().alpha < truth && truth < aspiration.window().beta);
            assert!(searches < 20, "{last:?} {truth:?} took {searches}");
        }
    }
}
