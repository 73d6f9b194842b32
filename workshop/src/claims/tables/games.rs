//! Experiments on the positions of games that tables cover.

use stretto::position::Position;
use stretto::types::PieceType;

use super::super::claim::{Effort, Finding, share_plus_minus};
use super::super::self_play::whole_games;
use super::super::verdicts::{self, Ratio};

/// Most pieces of a table: the text has complete ones of five and six pieces, and some of seven.
const PIECES: [u32; 3] = [5, 6, 7];

/// Returns the positions of 250 games that are played to their end, or of 10 at quick effort.
fn games(effort: Effort) -> Vec<Vec<Position>> {
    whole_games(effort.pick(10, 250))
}

/// Whether tables with this many pieces know the position.
fn is_covered(position: &Position, pieces: u32) -> bool {
    position.occupied().count() <= pieces
}

/// Returns the share of positions with a property.
fn share_of_positions(games: &[Vec<Position>], has: impl Fn(&Position) -> bool) -> Ratio {
    let counts = games.iter().map(|game| {
        let found = game.iter().filter(|position| has(position)).count();
        (found as f64, game.len() as f64)
    });
    Ratio::of_sums(&counts.collect::<Vec<_>>())
}

pub(super) fn small_fraction(effort: Effort) -> Finding {
    let games = games(effort);
    if games.is_empty() {
        return Finding::no_memory();
    }
    let shares = PIECES.map(|pieces| share_of_positions(&games, |position| is_covered(position, pieces)));
    let cell = |share: &Ratio| share_plus_minus(share.mean, share.high - share.mean);
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

/// Games that reach positions of few pieces, and those of them that do so without pawns. Dead draws
/// are no endings without pawns, because the game is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reached {
    games: u64,
    /// Games whose first such position has no pawns.
    first: u64,
    /// Games with any such position that has no pawns.
    any: u64,
}

/// Whether the position has no pawns and is not a dead draw.
fn is_pawnless(position: &Position) -> bool {
    position.pieces(PieceType::Pawn).is_empty() && !position.is_dead_material()
}

/// Counts the games that reach positions with at most so many pieces. Each game counts once, since a
/// long ending has many positions. The first position misses the endings whose last pawns promote or
/// are captured later.
fn reached(games: &[Vec<Position>], pieces: u32) -> Reached {
    let mut reached = Reached::default();
    for game in games {
        let covered: Vec<&Position> = game.iter().filter(|position| is_covered(position, pieces)).collect();
        reached.games += u64::from(!covered.is_empty());
        reached.first += u64::from(covered.first().is_some_and(|position| is_pawnless(position)));
        reached.any += u64::from(covered.iter().any(|position| is_pawnless(position)));
    }
    reached
}

pub(super) fn without_pawns(effort: Effort) -> Finding {
    let games = games(effort);
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for pieces in PIECES {
        let found = reached(&games, pieces);
        let both = [found.first, found.any].map(|count| Ratio::of_counts(count, found.games));
        let [Some(first), Some(any)] = both else {
            return Finding::undecided(format!("no game reaches {pieces} pieces"));
        };
        let cell = |count: u64, share: Ratio| format!("{count}: {}", share.percent());
        let cells =
            [pieces.to_string(), found.games.to_string(), cell(found.first, first), cell(found.any, any)];
        // The first count favours the claim. The second is against it: no side resigns, so decided
        // games go on until the last pawns are gone. The claim holds if it holds by both.
        shares.extend([first, any]);
        rows.push(cells.to_vec());
    }
    let measured = format!(
        "of {} self-play games without resignation, {} reach five pieces; the first such position has no pawns in {}, at least one in {}; \
         {} reach seven pieces: {} and {}",
        games.len(),
        rows[0][1],
        rows[0][2],
        rows[0][3],
        rows[2][1],
        rows[2][2],
        rows[2][3]
    );
    Finding::new(verdicts::small_fraction(&shares), measured).with(
        "Games that reach at most so many pieces, and those without pawns in the first such position, and in any (95 %)",
        vec!["pieces", "games", "first without pawns", "any without pawns"],
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
    fn shares_count_positions_and_vary_with_games() {
        let (few, many) = (position("8/8/4k3/8/8/4K3/8/8 w - - 0 1"), Position::startpos());
        let covered = |position: &Position| is_covered(position, 5);
        // Two of eight positions, a quarter of each game: games do not differ.
        let equal = share_of_positions(&[vec![few, many, many, many], vec![many, few, many, many]], covered);
        assert_eq!((equal.mean, equal.low, equal.high), (0.25, 0.25, 0.25));
        let unequal = share_of_positions(&[vec![few, few], vec![many; 6]], covered);
        assert!((unequal.mean - 0.25).abs() < 1e-12 && unequal.high > 0.5, "{unequal:?}");
    }

    #[test]
    fn pawns_that_go_after_the_first_position_count_as_an_ending_without_pawns() {
        let start = Position::startpos();
        let pawn = position("8/8/4k3/8/8/4K3/1P6/R7 w - - 0 1");
        let rook = position("8/8/4k3/8/8/4K3/8/R7 w - - 0 1");
        let kings = position("8/8/4k3/8/8/4K3/8/8 w - - 0 1");
        let games = [
            // Pawns go later, at once, never, or with the last piece; and a game that ends before.
            vec![start, pawn, rook],
            vec![start, rook, rook],
            vec![start, pawn, pawn],
            vec![start, pawn, kings],
            vec![start],
        ];
        assert_eq!(reached(&games, 5), Reached { games: 4, first: 1, any: 2 });
        assert_eq!(reached(&games, 3), Reached { games: 3, first: 2, any: 2 });
    }
}
