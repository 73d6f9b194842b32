//! Experiments on the positions of games that tables cover.

use std::collections::HashMap;

use stretto::position::Position;
use stretto::types::{Key, PieceType};

use super::super::claim::{Effort, Finding, mean, mean_and_half};
use super::super::self_play::self_play;
use super::super::verdicts::{self, Ratio};
use crate::stats::proportion::wilson;

/// Length after which a game is broken off. Units: plies.
const LONGEST: usize = 300;
/// Most pieces of a table: the text has complete ones of five and six pieces, and some of seven.
const PIECES: [u32; 3] = [5, 6, 7];

/// Plays games to the end. No side resigns, so endings are more frequent than in games of people.
fn games(effort: Effort) -> Vec<Vec<Position>> {
    self_play(effort.pick(10, 250), LONGEST).into_iter().map(until_repetition).collect()
}

/// Returns a game up to the third occurrence of a position, which makes it a draw.
fn until_repetition(mut game: Vec<Position>) -> Vec<Position> {
    let mut seen: HashMap<Key, u32> = HashMap::new();
    let is_third = |position: &Position| {
        let times = seen.entry(position.key()).or_insert(0);
        *times += 1;
        *times == 3
    };
    if let Some(ply) = game.iter().position(is_third) {
        game.truncate(ply + 1);
    }
    game
}

/// Whether tables with this many pieces know the position.
fn is_covered(position: &Position, pieces: u32) -> bool {
    position.occupied().count() <= pieces
}

/// Returns the share of positions with a property. The positions of one game depend on each other,
/// so that the interval is that of a ratio of sums over games.
fn share_of_positions(games: &[Vec<Position>], has: impl Fn(&Position) -> bool) -> Ratio {
    let counts: Vec<(f64, f64)> = games
        .iter()
        .map(|game| (game.iter().filter(|position| has(position)).count() as f64, game.len() as f64))
        .collect();
    let length = mean(counts.iter().map(|count| count.1));
    let share = mean(counts.iter().map(|count| count.0)) / length;
    let residuals: Vec<f64> = counts.iter().map(|&(with, all)| with - share * all).collect();
    let half = mean_and_half(&residuals).1 / length;
    Ratio { mean: share, low: share - half, high: share + half }
}

pub(super) fn small_fraction(effort: Effort) -> Finding {
    let games = games(effort);
    if games.is_empty() {
        return Finding::undecided("no memory for a search");
    }
    let shares = PIECES.map(|pieces| share_of_positions(&games, |position| is_covered(position, pieces)));
    let cell =
        |share: &Ratio| format!("{:.1} ± {:.1} %", 100.0 * share.mean, 100.0 * (share.high - share.mean));
    let reaching = |pieces: u32| {
        games.iter().filter(|game| game.iter().any(|position| is_covered(position, pieces))).count()
    };
    let rows = PIECES.iter().zip(&shares).map(|(&pieces, share)| {
        vec![pieces.to_string(), cell(share), format!("{} of {}", reaching(pieces), games.len())]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let measured = format!(
        "tables of up to five pieces cover {} of the positions of {} self-play games without resignation, of six {}, of seven {}",
        rows[0][1],
        games.len(),
        rows[1][1],
        rows[2][1]
    );
    Finding::new(verdicts::small_fraction(&shares), measured).with(
        "Positions of games that tables cover (95 %), and games that reach such a position",
        vec!["pieces", "positions", "games"],
        rows,
    )
}

pub(super) fn without_pawns(effort: Effort) -> Finding {
    let games = games(effort);
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for pieces in PIECES {
        // The first such position of a game, since a long ending would count many times.
        let reached: Vec<&Position> = games
            .iter()
            .filter_map(|game| game.iter().find(|position| is_covered(position, pieces)))
            .collect();
        let pawnless =
            reached.iter().filter(|position| position.pieces(PieceType::Pawn).is_empty()).count() as u64;
        let Some((low, high)) = wilson(pawnless, reached.len() as u64) else {
            return Finding::undecided(format!("no game reaches {pieces} pieces"));
        };
        let share = Ratio { mean: pawnless as f64 / reached.len() as f64, low: low.0, high: high.0 };
        shares.push(share);
        rows.push(vec![
            pieces.to_string(),
            reached.len().to_string(),
            pawnless.to_string(),
            format!("{:.1} % ({:.1} to {:.1})", 100.0 * share.mean, 100.0 * share.low, 100.0 * share.high),
        ]);
    }
    let measured = format!(
        "of {} self-play games, {} reach five pieces, {} of them without pawns: {}; at seven pieces {} of {}",
        games.len(),
        rows[0][1],
        rows[0][2],
        rows[0][3],
        rows[2][2],
        rows[2][1]
    );
    Finding::new(verdicts::small_fraction(&shares), measured).with(
        "First positions of games with at most so many pieces, and those without pawns (95 %)",
        vec!["pieces", "games", "without pawns", "share"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen).unwrap()
    }

    #[test]
    fn games_end_with_the_third_occurrence() {
        let (one, other) =
            (position("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), position("8/8/4k3/8/8/3K4/8/8 b - - 0 1"));
        let game = until_repetition(vec![one, other, one, other, one, other, one]);
        assert_eq!(game.len(), 5);
        assert_eq!(until_repetition(game[..4].to_vec()).len(), 4);
    }

    #[test]
    fn shares_count_positions_and_vary_with_games() {
        let (few, many) = (position("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), Position::startpos());
        let covered = |position: &Position| is_covered(position, 5);
        // Two of eight positions, a quarter of each game: games do not differ.
        let equal = share_of_positions(&[vec![few, many, many, many], vec![many, few, many, many]], covered);
        assert_eq!((equal.mean, equal.low, equal.high), (0.25, 0.25, 0.25));
        let unequal = share_of_positions(&[vec![few, few], vec![many; 6]], covered);
        assert!((unequal.mean - 0.25).abs() < 1e-12 && unequal.high > 0.5, "{unequal:?}");
    }
}
