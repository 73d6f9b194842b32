//! Experiments on two bishops against a knight, the table with the longest wins among those tested.

use std::sync::LazyLock;

use stretto::tablebase::{Metric, Outcome};
use stretto::types::{Color, Square};

use super::super::claim::{Effort, Finding};
use super::super::verdicts;
use super::generated::{each_position, look_at, made};
use crate::endgames::{Table, Tables, statistics};

/// `KBBvKN` and its successors, generated once for several claims.
static TWO_BISHOPS: LazyLock<Tables> = LazyLock::new(|| made(&["KBBvKN"], Metric::Dtc));

/// Evaluates `KBBvKN`, which has five pieces and is generated only with full effort.
fn with_two_bishops(effort: Effort, look: impl FnOnce(&Table, &Tables) -> Finding) -> Finding {
    match effort {
        Effort::Quick => Finding::undecided("KBBKN has five pieces and is generated only with --effort full"),
        Effort::Full => look_at(&TWO_BISHOPS, "KBBvKN", look),
    }
}

pub(super) fn two_bishops(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let [white, black] = statistics(table).sides;
        let (win, loss) = (white.wins.longest().unwrap_or(0), black.losses.longest().unwrap_or(0));
        Finding::new(
            verdicts::two_bishops(loss),
            format!(
                "{win} plies with White to move ({} positions, bishops interchangeable), {loss} with Black ({}): {} moves",
                white.wins.longests(),
                black.losses.longests(),
                loss.div_ceil(2)
            ),
        )
    })
}

pub(super) fn two_bishops_share(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let index = table.index();
        let mut counts = [[0_u64; 2]; 2];
        each_position(table, |side, place, outcome| {
            if side == Color::White
                && let Some(squares) = index.squares_at(place)
            {
                let is_light = |square: Square| stretto::types::Bitboard::LIGHT.has(square);
                let is_opposite = is_light(squares[2]) != is_light(squares[3]);
                counts[usize::from(is_opposite)][usize::from(matches!(outcome, Outcome::Win(_)))] += 1;
            }
        });
        let share = |[other, won]: [u64; 2]| 100.0 * won as f64 / (won + other).max(1) as f64;
        let [same, opposite] = counts;
        Finding::new(
            verdicts::two_bishops_share(share(opposite) / 100.0, share(same) / 100.0),
            format!(
                "White to move: {:.1} % won with opposite-coloured bishops, {:.1} % with same-coloured ones",
                share(opposite),
                share(same)
            ),
        )
    })
}

pub(super) fn kling_and_horwitz(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let square = |text: &str| text.parse::<Square>().unwrap_or(Square::from_index(0));
        let (king, knight) = (square("b6"), square("b7"));
        let (mut won, mut all, mut longest) = (0_u64, 0_u64, 0);
        for white in Square::all() {
            for one in Square::all().filter(|&one| stretto::types::Bitboard::LIGHT.has(one)) {
                for two in Square::all().filter(|&two| stretto::types::Bitboard::DARK.has(two)) {
                    let squares = [white, king, one, two, knight];
                    let is_apart =
                        squares.iter().enumerate().all(|(place, square)| !squares[..place].contains(square));
                    let index = table.index();
                    let Some(place) = is_apart.then(|| index.index_of(&squares)).flatten() else { continue };
                    let Some((row, squares)) =
                        index.row(place / index.row_len()).zip(index.squares_at(place))
                    else {
                        continue;
                    };
                    if !row.legal(Color::White).has(squares[4]) {
                        continue;
                    }
                    all += 1;
                    if let Outcome::Win(plies) = table.at(Color::White, place) {
                        won += 1;
                        longest = longest.max(plies);
                    }
                }
            }
        }
        let share = 100.0 * won as f64 / all.max(1) as f64;
        Finding::new(
            verdicts::kling_and_horwitz(share / 100.0),
            format!(
                "{share:.1} % of all {all} positions with king b6 and knight b7 are won with White to move, in at most {longest} plies"
            ),
        )
    })
}

pub(super) fn fifty_moves(effort: Effort) -> Finding {
    with_two_bishops(effort, |table, _| {
        let (mut wins, mut late) = (0_u64, 0_u64);
        each_position(table, |side, _, outcome| {
            if let (Color::White, Outcome::Win(plies)) = (side, outcome) {
                wins += 1;
                late += u64::from(plies > 100);
            }
        });
        Finding::new(
            verdicts::fifty_moves(late),
            format!(
                "{late} of {wins} wins of KBBKN (bishops interchangeable) take more than fifty moves to the next capture"
            ),
        )
    })
}
