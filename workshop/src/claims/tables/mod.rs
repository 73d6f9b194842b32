//! Claims about endgame tables and the endings of games, tested on generated tables and on self-play.

mod endings;
mod fallible;
mod games;
mod generated;
mod growth;
mod materials;
mod ordering;
mod placement;
mod two_bishops;
mod values;
mod winnable;

use super::claim::{Claim, claims};

pub(super) const CLAIMS: &[Claim] = claims! {
    T1 [BooksAndTables] "KQK has at most 64·63·62·2 = 499,968 positions"
        Arithmetic("the bound is 499,968 (arithmetic); 144,508 with White and 223,944 with Black to move are legal, 368,452 in total, of which 18,081 and 28,056 remain when symmetric positions count once");
    T2 [BooksAndTables] "The longest win of KQK takes 10 moves and is found in about 21 iterations"
        Whole(endings::queen_depth);
    T3 [BooksAndTables] "KQK is won except in very rare cases, where the king takes the queen or is stalemated"
        Whole(endings::queen_wins);
    T4 [BooksAndTables] "Distances to mate are odd for wins and even for losses"
        Arithmetic("the winner makes the last move, so a win takes an odd number of plies and a loss an even one");
    T5 [BooksAndTables] "Positions that are unmarked after an iteration without changes are drawn"
        Arithmetic("an unmarked position has no move to a lost one and, unless it is stalemate, a move to another unmarked one, so neither side can force mate");
    T6 [BooksAndTables] "In most endgames either side can win"
        Sized(winnable::both_can_win);
    T7 [BooksAndTables] "KQKP needs KQKQ, KQKR, KQKN, KQKB and KPK"
        Whole(materials::queen_against_pawn);
    T8 [BooksAndTables] "The successor relation of endgames has no cycles"
        Arithmetic("after a capture fewer pieces are left, after a promotion as many with fewer pawns");
    T9 [BooksAndTables] "One table serves both colours: flip the board and swap the colours and the side to move"
        Arithmetic("the moves of the colours mirror each other, and tables have no castling");
    T10 [BooksAndTables] "KBKB is always drawn with same-coloured bishops, and nearly always otherwise"
        Whole(endings::bishops);
    T11 [BooksAndTables] "Three symmetries map eight positions of KQK to one"
        Arithmetic("462 king placements; 126 entries represent 4 positions each, 27,930 entries represent 8 positions each");
    T12 [BooksAndTables] "With pawns only the left-right symmetry remains"
        Arithmetic("1806 king placements; 84,012 entries represent 2 positions each");
    T13 [BooksAndTables] "There are 110 five-piece endgames"
        Arithmetic("[5, 30, 110, 365] with three to six pieces");
    T14 [BooksAndTables] "Five-piece endgames have at most 201,287,116,800 positions, about half of them invalid"
        Sized(materials::five_piece_positions);
    T15 [BooksAndTables] "Tables store about 13 positions per byte"
        Sized(values::positions_a_byte);
    T16 [BooksAndTables] "In KQKR the rook side can resist for more than fifty moves"
        Whole(endings::queen_against_rook);
    T17 [BooksAndTables] "A strong player without tables fails to win KQKR against a table within fifty moves"
        Sized(fallible::browne);
    T18 [BooksAndTables] "KBBKN takes up to 66 moves to win the knight"
        Sized(two_bishops::two_bishops);
    T19 [BooksAndTables] "Almost every position of KBBKN is lost for the knight's side"
        Sized(two_bishops::two_bishops_share);
    T20 [BooksAndTables] "The fortress of Kling and Horwitz, king b6 and knight b7, is lost"
        Sized(two_bishops::kling_and_horwitz);
    T21 [BooksAndTables] "Some endings are won only without the fifty-move rule"
        Sized(two_bishops::fifty_moves);
    T22 [BooksAndTables] "Tables need not store moves, because values are sufficient"
        Arithmetic("by definition, some move leads to a position whose value is one ply shorter, and that move is the best");
    T23 [BooksAndTables] "Distances to conversion are smaller than distances to mate and need fewer bits"
        Sized(values::smaller_numbers);
    T24 [Ours] "A result type of two bits and a distance fit into one byte"
        Sized(values::one_byte);
    T25 [Ours] "With few pieces the fifty-move rule has no effect"
        Sized(values::few_pieces);
    T26 [Ours] "Without a table, a search wins KQKR against a table within fifty moves"
        Sized(fallible::by_search);
    T27 [BooksAndTables] "The tables grow very steeply with each piece, from 7 GB with five to 1146 GB with six"
        Whole(growth::six_pieces);
    T28 [BooksAndTables] "After an iteration that marks no position, the generator may stop"
        Sized(growth::empty);
    T29 [BooksAndTables] "Tables are used only for a small fraction of positions, those with few pieces"
        Sized(games::small_fraction);
    T30 [BooksAndTables] "Endgames without pawns are not frequent in real games"
        Sized(games::without_pawns);
    N42 [Owen] "The number of an evaluation tells which of two positions is better (some players doubt it)"
        Sized(ordering::by_evaluation);
};

#[cfg(test)]
mod tests {
    use stretto::tablebase::{Index, Material};

    #[test]
    fn tables_have_the_numbers_of_the_texts() {
        assert_eq!([3, 4, 5, 6].map(|pieces| Material::all(pieces).len()), [5, 30, 110, 365]);
        let of = |name: &str| Index::new(name.parse().unwrap());
        assert_eq!(["KQvK", "KPvK"].map(|name| of(name).rows()), [462, 1806]);
    }

    #[test]
    fn endgames_come_after_their_successors() {
        let order: Vec<Material> = (2..=5).flat_map(Material::all).collect();
        for (place, table) in order.iter().enumerate() {
            assert!(table.successors().iter().all(|next| order[..place].contains(next)), "{table}");
        }
    }
}
