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

use super::claim::{Claim, Experiment, Text};

const TEXTS: &[Text] = &[Text::BooksAndTables];

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "T1",
        texts: TEXTS,
        statement: "KQK has at most 64·63·62·2 = 499,968 positions",
        experiment: Experiment::Whole(endings::queen_positions),
    },
    Claim {
        id: "T2",
        texts: TEXTS,
        statement: "The longest win of KQK takes 10 moves and is found in about 21 iterations",
        experiment: Experiment::Whole(endings::queen_depth),
    },
    Claim {
        id: "T3",
        texts: TEXTS,
        statement: "KQK is won except in very rare cases, where the king takes the queen or is stalemated",
        experiment: Experiment::Whole(endings::queen_wins),
    },
    Claim {
        id: "T4",
        texts: TEXTS,
        statement: "Distances to mate are odd for wins and even for losses",
        experiment: Experiment::Sized(values::parity),
    },
    Claim {
        id: "T5",
        texts: TEXTS,
        statement: "Positions that are unmarked after an iteration without changes are drawn",
        experiment: Experiment::Sized(values::fixpoint),
    },
    Claim {
        id: "T6",
        texts: TEXTS,
        statement: "In most endgames either side can win",
        experiment: Experiment::Sized(winnable::both_can_win),
    },
    Claim {
        id: "T7",
        texts: TEXTS,
        statement: "KQKP needs KQKQ, KQKR, KQKN, KQKB and KPK",
        experiment: Experiment::Whole(materials::queen_against_pawn),
    },
    Claim {
        id: "T8",
        texts: TEXTS,
        statement: "The successor relation of endgames has no cycles",
        experiment: Experiment::Whole(materials::acyclic),
    },
    Claim {
        id: "T9",
        texts: TEXTS,
        statement: "One table serves both colours: flip the board and swap the colours and the side to move",
        experiment: Experiment::Whole(symmetries::colours),
    },
    Claim {
        id: "T10",
        texts: TEXTS,
        statement: "KBKB is always drawn with same-coloured bishops, and nearly always otherwise",
        experiment: Experiment::Whole(endings::bishops),
    },
    Claim {
        id: "T11",
        texts: TEXTS,
        statement: "Three symmetries map eight positions of KQK to one",
        experiment: Experiment::Whole(symmetries::eight_symmetries),
    },
    Claim {
        id: "T12",
        texts: TEXTS,
        statement: "With pawns only the left-right symmetry remains",
        experiment: Experiment::Whole(symmetries::pawn_symmetries),
    },
    Claim {
        id: "T13",
        texts: TEXTS,
        statement: "There are 110 five-piece endgames",
        experiment: Experiment::Whole(materials::five_pieces),
    },
    Claim {
        id: "T14",
        texts: TEXTS,
        statement: "Five-piece endgames have at most 201,287,116,800 positions, about half of them invalid",
        experiment: Experiment::Sized(materials::five_piece_positions),
    },
    Claim {
        id: "T15",
        texts: TEXTS,
        statement: "Tables store about 13 positions per byte",
        experiment: Experiment::Sized(values::positions_a_byte),
    },
    Claim {
        id: "T16",
        texts: TEXTS,
        statement: "In KQKR the rook side can resist for more than fifty moves",
        experiment: Experiment::Whole(endings::queen_against_rook),
    },
    Claim {
        id: "T17",
        texts: TEXTS,
        statement: "A strong player without tables fails to win KQKR against a table within fifty moves",
        experiment: Experiment::Sized(fallible::browne),
    },
    Claim {
        id: "T18",
        texts: TEXTS,
        statement: "KBBKN takes up to 66 moves to win the knight",
        experiment: Experiment::Sized(two_bishops::two_bishops),
    },
    Claim {
        id: "T19",
        texts: TEXTS,
        statement: "Almost every position of KBBKN is lost for the knight's side",
        experiment: Experiment::Sized(two_bishops::two_bishops_share),
    },
    Claim {
        id: "T20",
        texts: TEXTS,
        statement: "The fortress of Kling and Horwitz, king b6 and knight b7, is lost",
        experiment: Experiment::Sized(two_bishops::kling_and_horwitz),
    },
    Claim {
        id: "T21",
        texts: TEXTS,
        statement: "Some endings are won only without the fifty-move rule",
        experiment: Experiment::Sized(two_bishops::fifty_moves),
    },
    Claim {
        id: "T22",
        texts: TEXTS,
        statement: "Tables need not store moves, because values are sufficient",
        experiment: Experiment::Sized(values::moves_from_values),
    },
    Claim {
        id: "T23",
        texts: TEXTS,
        statement: "Distances to conversion are smaller than distances to mate and need fewer bits",
        experiment: Experiment::Sized(values::smaller_numbers),
    },
    Claim {
        id: "T24",
        texts: &[Text::Ours],
        statement: "A result type of two bits and a distance fit into one byte",
        experiment: Experiment::Sized(values::one_byte),
    },
    Claim {
        id: "T25",
        texts: &[Text::Ours],
        statement: "With few pieces the fifty-move rule has no effect",
        experiment: Experiment::Sized(values::few_pieces),
    },
    Claim {
        id: "T26",
        texts: &[Text::Ours],
        statement: "Without a table, a search wins KQKR against a table within fifty moves",
        experiment: Experiment::Sized(fallible::by_search),
    },
    Claim {
        id: "T27",
        texts: TEXTS,
        statement: "The tables grow very steeply with each piece, from 7 GB with five to 1146 GB with six",
        experiment: Experiment::Whole(growth::six_pieces),
    },
    Claim {
        id: "T28",
        texts: TEXTS,
        statement: "After an iteration that marks no position, the generator may stop",
        experiment: Experiment::Sized(growth::empty),
    },
    Claim {
        id: "T29",
        texts: TEXTS,
        statement: "Tables are used only for a small fraction of positions, those with few pieces",
        experiment: Experiment::Sized(games::small_fraction),
    },
    Claim {
        id: "T30",
        texts: TEXTS,
        statement: "Endgames without pawns are not frequent in real games",
        experiment: Experiment::Sized(games::without_pawns),
    },
    Claim {
        id: "N42",
        texts: &[Text::Owen],
        statement: "The number of an evaluation tells which of two positions is better (some players doubt it)",
        experiment: Experiment::Sized(ordering::by_evaluation),
    },
];
