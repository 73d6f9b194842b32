//! Ending scale.
//!
//! Scales the network's evaluation of endings that are hard to win, as the classical evaluation does.
//!
//! Bet: the network takes many drawn endings for won, because both sides of its games believed in the
//! same wins.
//! Preconditions: at most `EndingScalePieces` pieces; a network evaluates.
//! Soundness: unsound: it changes the evaluation. The TT holds the evaluation before scaling.
//! Knobs: `EndingScalePieces`.
//! Source: ours; the classes of endings are common knowledge.
//! Evidence: `results/network.md`.

use crate::eval::{Evaluation, classical};
use crate::position::Position;
use crate::search::params::Tunable;
use crate::search::switches::{Toggles, on};
use crate::types::Score;

/// Returns the evaluation of the side to move after scaling.
#[inline]
pub(crate) fn scaled(
    toggles: impl Toggles,
    raw: Score,
    position: &Position,
    evaluation: &Evaluation,
) -> Score {
    if !on!(toggles, EndingScale)
        || position.occupied().count() as i32 > toggles.value(Tunable::EndingScalePieces)
        || !matches!(evaluation, Evaluation::Network(_))
    {
        return raw;
    }
    let ahead = if raw.0 > 0 { position.side_to_move() } else { !position.side_to_move() };
    Score(raw.0 * classical::scale(position, ahead) / classical::FULL_SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::switches::{Settings, Switch};

    /// Scales 640 centipawns for White, who is to move, in percent.
    fn percent(fen: &str, settings: &Settings, evaluation: &Evaluation) -> i32 {
        scaled(settings, Score(640), &fen.parse().expect("a position"), evaluation).0 * 100 / 640
    }

    #[test]
    fn drawn_kinds_of_endings_count_for_little_and_won_ones_in_full() {
        let on = Settings::default().with(Switch::EndingScale, true);
        let of = |fen| percent(fen, &on, &Evaluation::default());
        let drawn = [
            ("opposite bishops, a pawn more", "8/5k2/4b3/3p4/3P4/4PK2/3B4/8 w - - 0 1", 40),
            ("rook against bishop", "8/5k2/4b3/8/8/5K2/3R4/8 w - - 0 1", 13),
            ("a knight alone", "8/5k2/4p3/8/8/5K2/3N4/8 w - - 0 1", 0),
            ("the wrong bishop", "k7/8/P7/1K6/8/8/8/2B5 w - - 0 1", 0),
            ("rook and pawn against rook", "8/5k2/4r3/8/4P3/5K2/3R4/8 w - - 0 1", 72),
        ];
        for (name, fen, most) in drawn {
            assert!(of(fen) <= most, "{name}: {} %", of(fen));
        }
        let won = [
            ("queen against rook", "8/5k2/4r3/8/8/5K2/3Q4/8 w - - 0 1"),
            ("bishop and knight", "8/5k2/8/8/8/5K2/3B4/4N3 w - - 0 1"),
            ("a rook and pawns more", "8/5k2/4p3/8/4P3/3P1K2/3R4/8 w - - 0 1"),
        ];
        for (name, fen) in won {
            assert_eq!(of(fen), 100, "{name}");
        }
    }

    #[test]
    fn scale_is_that_of_the_side_ahead_and_of_the_network_only() {
        let on = Settings::default().with(Switch::EndingScale, true);
        let network = Evaluation::default();
        // Black has the rook, White the bishop.
        let position = "8/5k2/4r3/8/8/5K2/3B4/8 w - - 0 1".parse().expect("a position");
        assert_eq!(scaled(&on, Score(-640), &position, &network), Score(-80));
        let fen = "8/5k2/4b3/8/8/5K2/3R4/8 w - - 0 1";
        assert_eq!(percent(fen, &Settings::default().with(Switch::EndingScale, false), &network), 100);
        assert_eq!(percent(fen, &on, &Evaluation::Classical), 100, "it scales by itself");
        let many = "rnbqkb1r/pppp1ppp/8/8/8/8/PPPP1PPP/RN1QKBNR w KQkq - 0 1";
        assert_eq!(percent(many, &on, &network), 100, "not an ending");
    }
}
