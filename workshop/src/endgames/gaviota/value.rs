//! The value bytes of Gaviota's tables.
//!
//! The lower two bits of a byte are a code and the upper six a number of moves. Code 1 is a mate by
//! White, code 2 a mate by Black. Distances that do not fit in six bits use the codes 0 and 3, which
//! otherwise mark draws and illegal positions.

use stretto::tablebase::Outcome;
use stretto::types::Color;

/// Value of a draw.
const DRAW: u8 = 0;
/// Value of an illegal position.
const ILLEGAL: u8 = 3;
/// Largest number in the upper six bits.
const MOST: u16 = 63;

/// Returns the outcome of a value for the side to move; `None` for illegal positions.
pub(super) fn outcome(value: u8, side: Color) -> Option<Outcome> {
    let moves = u16::from(value >> 2);
    let win = |moves: u16| Some(Outcome::Win(2 * moves - 1));
    let loss = |moves: u16| Some(Outcome::Loss(2 * moves));
    match (value, value & 3, side) {
        (DRAW, ..) => Some(Outcome::Draw),
        (ILLEGAL, ..) => None,
        (_, 1, Color::White) | (_, 2, Color::Black) => win(moves + 1),
        (_, 1 | 2, _) => loss(moves),
        // Black loses the longest mate, White's 127 moves in KPPvKP, in 254 plies. It has the value
        // of a win that Black has in no table.
        (_, 0, Color::Black) if moves == MOST => loss(moves + MOST + 1),
        (_, 0, _) => win(moves + MOST + 1),
        _ => loss(moves + MOST),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn values_are_outcomes_for_the_side_to_move() {
        for (value, white, black) in [
            (0, Some(Outcome::Draw), Some(Outcome::Draw)),
            (3, None, None),
            (1, Some(Outcome::Win(1)), Some(Outcome::Loss(0))),
            (2, Some(Outcome::Loss(0)), Some(Outcome::Win(1))),
            (4 * 10 + 1, Some(Outcome::Win(21)), Some(Outcome::Loss(20))),
            (4 * 63 + 2, Some(Outcome::Loss(126)), Some(Outcome::Win(127))),
            (4, Some(Outcome::Win(129)), Some(Outcome::Win(129))),
            (7, Some(Outcome::Loss(128)), Some(Outcome::Loss(128))),
            (4 * 63, Some(Outcome::Win(253)), Some(Outcome::Loss(254))),
        ] {
            assert_eq!(outcome(value, Color::White), white, "{value}");
            assert_eq!(outcome(value, Color::Black), black, "{value}");
        }
    }

    #[test]
    fn every_distance_has_one_value() {
        for (side, longest_win) in [(Color::White, 253), (Color::Black, 251)] {
            let found: HashSet<Outcome> = (0..=u8::MAX).filter_map(|value| outcome(value, side)).collect();
            assert_eq!(found.len(), 255);
            assert!((1..=longest_win).step_by(2).all(|plies| found.contains(&Outcome::Win(plies))));
            assert!((0..=252).step_by(2).all(|plies| found.contains(&Outcome::Loss(plies))));
        }
    }
}
