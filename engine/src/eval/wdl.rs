//! Chances of win, draw and loss that a score stands for.

use crate::types::{Permille, Score};

/// Chances of the side to move. Range: the three sum to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// It wins.
    pub win: Permille,
    /// Nobody wins.
    pub draw: Permille,
    /// It loses.
    pub loss: Permille,
}

/// Score at which a win is as likely as not. Units: centipawns.
const EVEN_CHANCE: f64 = 84.0;
/// How slowly chances change with the score. Units: centipawns.
const SPREAD: f64 = 127.0;

/// The chances behind a score: two logistic curves, win at `+EVEN_CHANCE` and loss at `-EVEN_CHANCE`.
///
/// The two constants are the likeliest for 217,824 scores of 2,000 games between builds of this engine at 4,000 nodes a
/// move, as `harness tune-eval` reports them (`outcome` in its summary). Longer thought draws more.
pub fn wdl(score: Score) -> Wdl {
    if score.is_decisive() {
        let won = score > Score::DRAW;
        return Wdl {
            win: Permille(1000 * u16::from(won)),
            draw: Permille(0),
            loss: Permille(1000 * u16::from(!won)),
        };
    }
    let chance = |value: f64| 1000.0 / (1.0 + ((EVEN_CHANCE - value) / SPREAD).exp());
    let value = f64::from(score.0);
    let win = chance(value).round() as u16;
    let loss = chance(-value).round() as u16;
    Wdl { win: Permille(win), draw: Permille(1000 - win - loss), loss: Permille(loss) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Ply;

    #[test]
    fn chances_sum_to_one_and_mirror() {
        for score in (-3000..3000).step_by(7).map(Score) {
            let (here, there) = (wdl(score), wdl(-score));
            assert_eq!(here.win.0 + here.draw.0 + here.loss.0, 1000);
            assert_eq!((here.win, here.loss), (there.loss, there.win));
        }
        assert_eq!(wdl(Score::mate_in(Ply(3))).win, Permille(1000));
        assert_eq!(wdl(Score::mated_in(Ply(4))).loss, Permille(1000));
    }
}
