//! Claims about endgame tables and the endings of games, tested on generated tables and on self-play.

mod endings;
mod fallible;
mod games;
mod generated;
mod growth;
mod materials;
mod ordering;
mod placement;
mod symmetries;
mod two_bishops;
mod values;
mod winnable;

use super::claim::{Claim, claims};

pub(super) const CLAIMS: &[Claim] = claims! {
    T1 [BooksAndTables] "KQK has at most 64·63·62·2 = 499,968 positions"
        Whole(endings::queen_positions);
    T2 [BooksAndTables] "The longest win of KQK takes 10 moves and is found in about 21 iterations"
        Whole(endings::queen_depth);
    T3 [BooksAndTables] "KQK is won except in very rare cases, where the king takes the queen or is stalemated"
        Whole(endings::queen_wins);
    T4 [BooksAndTables] "Distances to mate are odd for wins and even for losses"
        Sized(values::parity);
    T5 [BooksAndTables] "Positions that are unmarked after an iteration without changes are drawn"
        Sized(values::fixpoint);
    T6 [BooksAndTables] "In most endgames either side can win"
        Sized(winnable::both_can_win);
    T7 [BooksAndTables] "KQKP needs KQKQ, KQKR, KQKN, KQKB and KPK"
        Whole(materials::queen_against_pawn);
    T8 [BooksAndTables] "The successor relation of endgames has no cycles"
        Whole(materials::acyclic);
    T9 [BooksAndTables] "One table serves both colours: flip the board and swap the colours and the side to move"
        Whole(symmetries::colours);
    T10 [BooksAndTables] "KBKB is always drawn with same-coloured bishops, and nearly always otherwise"
        Whole(endings::bishops);
    T11 [BooksAndTables] "Three symmetries map eight positions of KQK to one"
        Whole(symmetries::eight_symmetries);
    T12 [BooksAndTables] "With pawns only the left-right symmetry remains"
        Whole(symmetries::pawn_symmetries);
    T13 [BooksAndTables] "There are 110 five-piece endgames"
        Whole(materials::five_pieces);
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
        Sized(values::moves_from_values);
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
