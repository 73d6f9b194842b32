//! Aspiration windows.
//!
//! Bet: the score of an iteration is near that of the last, so a narrow window around it cuts more.
//! Preconditions: a few iterations have been completed; the last score is not decisive.
//! Soundness: exact, since a score outside the window is searched again with a wider one.
//! Knobs: `AspirationDelta`, `AspirationGrowth`, `AspirationDepth`.
//! Source: folklore since the 1970s; Chess Programming Wiki, "Aspiration Windows".
//! Evidence: `results/search.md`.

use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::{Depth, Score, Window};

/// A window that grows on the side where it failed.
pub(crate) struct Aspiration {
    window: Window,
    delta: i32,
    growth: i32,
}

impl Aspiration {
    /// The first window of an iteration, around the score of the last one and wider by so many centipawns either way.
    pub(crate) fn around(toggles: impl Toggles, last: Option<Score>, depth: Depth, wider: i32) -> Self {
        let growth = toggles.value(Tunable::AspirationGrowth);
        let delta = toggles.value(Tunable::AspirationDelta) + wider;
        let window = match last {
            Some(score)
                if on!(toggles, Aspiration)
                    && depth.0 >= toggles.value(Tunable::AspirationDepth)
                    && !score.is_decisive() =>
            {
                Window::new(lower(score - delta), upper(score + delta))
            }
            _ => Window::FULL,
        };
        Self { window, delta, growth }
    }

    /// The window to search next.
    pub(crate) fn window(&self) -> Window {
        self.window
    }

    /// Widens the side on which `score` fell outside; false if it fell inside.
    pub(crate) fn widen(&mut self, score: Score) -> bool {
        self.delta += self.delta * self.growth / 100 + 1;
        if score <= self.window.alpha {
            // Keep beta close: the true score is below, so the upper side need not be open.
            self.window.beta = Score(i32::midpoint(self.window.alpha.0, self.window.beta.0)).max(score + 1);
            self.window.alpha = lower(score - self.delta);
            true
        } else if score >= self.window.beta {
            self.window.beta = upper(score + self.delta);
            true
        } else {
            false
        }
    }
}

/// The lower end of a window; near the mates it is open, since mates jump.
fn lower(score: Score) -> Score {
    if score.0.abs() >= MATE_LIKE { -Score::INFINITE } else { score }
}

/// The upper end of a window, open likewise.
fn upper(score: Score) -> Score {
    if score.0.abs() >= MATE_LIKE { Score::INFINITE } else { score }
}

/// Scores beyond this are treated like mates. Units: centipawns.
const MATE_LIKE: i32 = 3_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn grows_until_the_score_is_inside() {
        let scores = [-31_999, -5_000, -3_018, -2_990, -500, -20, 0, 19, 700, 2_990, 3_018, 5_000, 31_990];
        for (last, truth) in
            scores.into_iter().flat_map(|last| scores.map(|truth| (Score(last), Score(truth))))
        {
            let mut aspiration = Aspiration::around(Fixed, Some(last), Depth(9), 0);
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
