//! Experiments on the results of three- and four-piece endings.

use stretto::position::Position;
use stretto::tablebase::{Metric, Outcome};
use stretto::types::{Color, Square};

use super::super::claim::Finding;
use super::super::verdicts;
use super::generated::{each_position, of_one};
use crate::endgames::{fen, statistics};
use stretto_harness::base::wording::plural;

pub(super) fn queen_depth() -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let [white, black] = statistics(table).sides;
        let (win, loss) = (white.wins.longest().unwrap_or(0), black.losses.longest().unwrap_or(0));
        Finding::new(
            verdicts::queen_depth(win, loss),
            format!(
                "{win} plies with White to move ({} {}), {loss} with Black ({}): {} moves, {} iterations",
                white.wins.longests(),
                plural(white.wins.longests() as usize, "position"),
                black.losses.longests(),
                win.div_ceil(2),
                loss + 1
            ),
        )
    })
}

pub(super) fn queen_wins() -> Finding {
    of_one("KQvK", Metric::Dtm, |table, _| {
        let [white, black] = statistics(table).sides;
        let drawn = black.draws as f64 / (black.draws + black.losses.count()) as f64;
        // The draws by the number of the king's moves: none, or a capture of the queen.
        let (mut stalemates, mut captures, mut others) = (0_u64, 0_u64, 0_u64);
        each_position(table, |side, place, outcome| {
            if outcome != Outcome::Draw {
                return;
            }
            let position = table.index().squares_at(place).map(|squares| fen(table.index(), &squares, side));
            let Some(position) = position.and_then(|text| Position::from_fen(&text).ok()) else { return };
            let moves = position.legal_moves();
            if moves.is_empty() {
                stalemates += 1;
            } else if moves.into_iter().any(|mv| position.is_capture(mv)) {
                captures += 1;
            } else {
                others += 1;
            }
        });
        Finding::new(
            verdicts::queen_wins(
                white.draws as f64 / (white.draws + white.wins.count()) as f64,
                drawn,
                others,
            ),
            format!(
                "{} won and {} drawn with White to move; with Black to move {:.1} % are drawn ({} of {}): {captures} by a capture of \
                 the queen, {stalemates} by stalemate, {others} otherwise",
                white.wins.count(),
                white.draws,
                100.0 * drawn,
                black.draws,
                black.draws + black.losses.count()
            ),
        )
    })
}

pub(super) fn bishops() -> Finding {
    of_one("KBvKB", Metric::Dtm, |table, _| {
        let index = table.index();
        let (mut same, mut counts) = (0_u64, [0_u64; 3]);
        each_position(table, |side, place, outcome| {
            if side == Color::Black {
                return;
            }
            let class = match outcome {
                Outcome::Win(_) => 0,
                Outcome::Loss(_) => 1,
                Outcome::Draw => 2,
            };
            counts[class] += 1;
            let is_light = |square: Square| stretto::types::Bitboard::LIGHT.has(square);
            let squares = index.squares_at(place);
            same += u64::from(
                class < 2 && squares.is_some_and(|squares| is_light(squares[2]) == is_light(squares[3])),
            );
        });
        let [wins, losses, draws] = counts;
        Finding::new(
            verdicts::bishops(same, wins + losses, draws),
            format!(
                "White to move: {wins} won, {losses} lost, {draws} drawn; {same} decisive with same-coloured bishops"
            ),
        )
    })
}

pub(super) fn queen_against_rook() -> Finding {
    of_one("KQvKR", Metric::Dtc, |table, _| {
        let captures = statistics(table).sides[0].wins.longest().unwrap_or(0);
        of_one("KQvKR", Metric::Dtm, |table, _| {
            let mates = statistics(table).sides[0].wins.longest().unwrap_or(0);
            Finding::new(
                verdicts::queen_against_rook(captures.div_ceil(2)),
                format!(
                    "with best play {} moves to the capture and {} to mate",
                    captures.div_ceil(2),
                    mates.div_ceil(2)
                ),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_longest_win_is_one_position() {
        let found = queen_depth().measured;
        assert_eq!(
            found,
            "19 plies with White to move (1 position), 20 with Black (8): 10 moves, 21 iterations"
        );
    }
}
