//! Aspiration windows.
//!
//! Bet: the score of an iteration is near that of the last, so a narrow window around it cuts more.
//! Preconditions: a few iterations have been completed; the last score is not a mate.
//! Soundness: exact, since a score outside the window is searched again with a wider one.
//! Knobs: `AspirationDelta`, `AspirationGrowth`, `AspirationDepth`.
//! Source: folklore since the 1970s; Chess Programming Wiki, "Aspiration Windows".
//! Evidence: `harness sprt` with the switch off; none recorded yet.

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
    /// The first window of an iteration, around the score of the last one.
    pub(crate) fn around(toggles: impl Toggles, last: Option<Score>, depth: Depth) -> Self {
        let growth = toggles.value(Tunable::AspirationGrowth);
        let delta = toggles.value(Tunable::AspirationDelta);
        let window = match last {
            Some(score)
                if on!(toggles, Aspiration)
                    && depth.0 >= toggles.value(Tunable::AspirationDepth)
                    && !score.is_mate() =>
            {
                Window::new(clamped(score - delta), clamped(score + delta))
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
            self.window.alpha = clamped(score - self.delta);
            true
        } else if score >= self.window.beta {
            self.window.beta = clamped(score + self.delta);
            true
        } else {
            false
        }
    }
}

/// A bound near the mates opens the window fully: mates jump.
fn clamped(score: Score) -> Score {
    if score.0.abs() >= MATE_LIKE {
        if score.0 > 0 { Score::INFINITE } else { -Score::INFINITE }
    } else {
        score
    }
}

/// Scores beyond this are treated like mates. Units: centipawns.
const MATE_LIKE: i32 = 3_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::Fixed;

    #[test]
    fn grows_until_the_score_is_inside() {
        for truth in [-31_999, -500, -20, 0, 19, 700, 31_990].map(Score) {
            let mut aspiration = Aspiration::around(Fixed, Some(Score(3)), Depth(9));
            let mut searches = 0;
            loop {
                let window = aspiration.window();
                assert!(window.alpha < window.beta);
                searches += 1;
                if !aspiration.widen(truth) {
                    break;
                }
            }
            assert!(aspiration.window().alpha < truth && truth < aspiration.window().beta);
            assert!(searches < 20, "{truth:?} took {searches}");
        }
    }
}
