//! The weights of the classical evaluation, written by `workshop tune-eval`.
//!
//! Each table states its term and number of weights; a weight has a middlegame and an endgame value
//! in quarters of a centipawn. Tables of the term `Danger` have their own units (`king`). The tuner
//! rewrites the whole file: change numbers and descriptions, not the layout.

use super::weight_table::{TableInfo, Term, WeightTable, weights};

weights! {
    /// Piece values, by type from pawn to queen.
    MATERIAL: Material[5] {
        middle: [232, 1185, 1269, 1654, 3823],
        end: [444, 1247, 1352, 2262, 3830],
    }

    /// Bonus for bishops on squares of both colors.
    BISHOP_PAIR: Material[1] {
        middle: [54],
        end: [174],
    }

    /// Pawn placement, by relative square from a1.
    PAWN_SQUARES: Squares[64] {
        middle: [
                0,     0,     0,     0,     0,     0,     0,     0,
              -25,   -15,   -15,   -38,   -42,   -16,    26,   -16,
              -15,     2,    -4,    10,    23,     0,    31,   -15,
                9,    12,    25,    74,    75,    49,    -7,    -8,
               34,    26,    16,    40,    36,     5,     6,     4,
               36,    41,    34,    42,    23,    12,    33,    38,
               18,    47,    34,    40,    29,    51,    43,    11,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
        end: [
                0,     0,     0,     0,     0,     0,     0,     0,
                0,   -14,   -16,   -26,    -8,     3,    17,   -30,
               -8,    -9,   -13,   -43,    -9,    -7,   -18,   -24,
               30,   -12,     0,   -42,   -21,    -2,     0,    -5,
               56,    26,    42,    -4,    -4,    24,    47,    50,
               88,    74,    86,    53,    72,    77,    74,    60,
               94,   110,   110,   106,   101,   115,   114,    77,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
    }

    /// Knight placement, by relative square from a1.
    KNIGHT_SQUARES: Squares[64] {
        middle: [
             -145,   -90,   -76,   -54,   -62,  -115,  -102,  -145,
              -76,   -60,   -36,   -44,   -44,   -34,   -53,   -90,
              -21,   -16,   -18,    -9,     0,    -6,   -48,   -61,
               -2,    -2,    58,    45,    37,    59,    27,   -12,
                0,    23,    44,    69,    80,    66,    33,   -15,
              -28,     4,    19,    46,    46,    19,    -3,   -24,
              -78,   -59,     6,    13,     6,    -8,   -51,   -88,
             -136,   -84,   -59,   -28,   -32,   -61,   -84,  -132,
        ],
        end: [
              -99,   -59,   -35,    -6,   -41,   -63,   -76,   -95,
              -69,   -44,   -12,   -12,   -17,   -40,   -22,   -82,
              -20,   -43,     3,    28,    45,   -23,   -24,   -58,
               -6,   -25,    28,    32,    54,    37,     5,   -10,
              -15,     5,    25,    47,    51,    37,    -5,   -33,
              -43,   -17,   -11,    15,    25,    -1,   -18,   -35,
              -72,   -46,     3,    16,    -5,   -21,   -48,   -68,
             -112,   -70,   -48,   -26,   -25,   -52,   -73,  -123,
        ],
    }

    /// Bishop placement, by relative square from a1.
    BISHOP_SQUARES: Squares[64] {
        middle: [
              -64,   -31,   -37,   -53,   -53,   -97,   -50,   -76,
               16,    15,    15,   -14,   -29,     2,    19,    10,
               11,    32,    -7,    10,    -6,    25,    11,   -12,
                2,    34,    24,    21,     8,    31,   -22,    46,
               13,    25,    19,    30,     3,    20,    17,    -9,
                5,     6,    -5,    -2,    30,    39,    -2,     1,
               -7,    -9,    29,     5,     1,    -6,    -5,    -4,
              -30,    -7,    -6,     5,     5,    -5,   -11,   -18,
        ],
        end: [
              -30,   -11,    -9,    -6,   -18,    -9,   -28,   -27,
              -18,   -29,    -4,     9,    18,   -11,   -26,   -13,
                2,     7,   -14,    13,    13,    -2,     3,   -32,
               -2,    -2,    44,    12,     8,    23,    -9,   -11,
              -19,    29,    28,    -8,    13,     7,    -4,    -9,
               14,     1,     2,    -1,    30,    13,     0,    -3,
               -9,   -18,     8,     7,    11,    -1,    -8,   -20,
              -31,   -10,    -6,     1,     2,    -7,   -18,   -21,
        ],
    }

    /// Rook placement, by relative square from a1.
    ROOK_SQUARES: Squares[64] {
        middle: [
              -36,   -15,    -7,     6,    -4,   -14,   -35,   -34,
              -23,   -42,   -22,   -30,   -32,   -43,   -29,   -43,
              -32,   -23,   -32,   -28,   -60,   -33,    -5,   -19,
              -56,    -8,   -25,   -32,   -27,   -31,   -12,   -15,
              -28,   -35,   -15,   -30,   -32,   -29,   -18,   -32,
              -18,   -27,   -23,    -3,   -34,   -19,   -13,   -39,
               25,    26,    22,    33,    17,    45,    34,    35,
              -19,    -7,   -24,   -21,   -21,   -17,   -11,   -17,
        ],
        end: [
                1,   -19,     0,   -13,   -37,    -6,    20,   -40,
               -5,     6,   -12,   -23,   -26,   -39,   -20,   -18,
               -8,     0,    -7,     4,    -7,     1,    12,   -18,
               21,    13,    12,     2,    -5,    17,    12,     7,
               24,    20,    31,    23,     6,     5,    29,    13,
               16,    19,     3,    25,   -27,    -5,     7,    -8,
               10,    33,    17,    18,    15,    25,    49,    27,
               40,    52,    21,    27,    39,    28,    56,    42,
        ],
    }

    /// Queen placement, by relative square from a1.
    QUEEN_SQUARES: Squares[64] {
        middle: [
              -10,   -42,   -43,   -12,   -12,     0,    -7,     3,
               -9,   -15,    10,    -6,    -8,     6,    14,   -10,
              -11,     1,    -4,    -8,    14,    24,    36,     4,
              -19,     3,    -2,   -11,     8,    29,    23,   -11,
               11,   -10,     2,     6,    -5,    12,    -2,    28,
               -6,    15,    15,    29,    20,    23,    13,    16,
               -3,     2,    25,    11,    11,    20,     3,     4,
              -14,    -5,    11,    -4,     8,     4,     4,    -3,
        ],
        end: [
              -64,   -66,   -29,   -66,    -9,   -33,   -50,   -61,
              -42,   -17,   -29,     7,   -10,    -1,   -24,   -47,
              -19,     1,    23,    20,    22,    23,    -3,   -10,
               -8,    23,    37,    50,    51,    49,    34,    -1,
                3,    28,    36,    53,    44,    45,    18,    21,
              -16,     4,    23,    47,    47,    30,     6,     2,
              -29,    -6,    12,    27,    26,    19,   -14,   -32,
              -64,   -44,    -1,    -6,     9,    -8,   -32,   -56,
        ],
    }

    /// King placement, by relative square from a1.
    KING_SQUARES: Squares[64] {
        middle: [
               28,   102,    34,   -87,   -25,   -26,    80,    40,
              -48,   -18,  -111,  -122,  -120,  -103,   -16,    -6,
             -103,   -36,  -147,  -159,  -164,  -132,   -41,  -100,
             -137,   -84,  -183,  -210,  -200,  -176,   -91,  -143,
             -177,  -116,  -224,  -247,  -242,  -225,  -125,  -189,
             -219,  -155,  -259,  -281,  -284,  -263,  -153,  -220,
             -258,  -198,  -302,  -332,  -329,  -301,  -193,  -255,
             -296,  -242,  -342,  -369,  -368,  -346,  -235,  -301,
        ],
        end: [
             -130,  -110,   -80,   -33,   -59,   -55,  -107,  -131,
              -83,   -69,   -19,     5,    14,    -1,   -21,   -77,
              -76,   -23,    17,    49,    44,    37,   -13,   -57,
              -31,     5,    33,    76,    85,    58,    13,   -16,
              -18,    27,    60,   102,    91,    70,    38,   -34,
              -47,    15,    58,   111,    99,    74,    39,   -38,
              -85,   -27,    -2,    41,    33,    14,   -16,   -75,
             -126,   -82,   -45,   -10,   -10,   -54,   -79,  -143,
        ],
    }

    /// Knight mobility, by number of available squares.
    KNIGHT_MOBILITY: Mobility[9] {
        middle: [-136, -75, -54, -27, -15, 1, 9, 25, 45],
        end: [-139, -105, -40, 6, 17, 36, 49, 60, 58],
    }

    /// Bishop mobility, by number of available squares.
    BISHOP_MOBILITY: Mobility[14] {
        middle: [-149, -116, -66, -50, -32, -19, -6, -3, 9, 19, 21, 48, 88, 98],
        end: [-168, -119, -116, -51, -26, -5, 22, 39, 59, 59, 72, 66, 88, 101],
    }

    /// Rook mobility, by number of available squares.
    ROOK_MOBILITY: Mobility[15] {
        middle: [-97, -66, -27, -19, -23, -22, -22, -20, -15, -6, -4, 29, 7, 37, 49],
        end: [-179, -120, -110, -56, -44, 3, 29, 36, 49, 66, 87, 91, 117, 117, 128],
    }

    /// Queen mobility, by number of available squares.
    QUEEN_MOBILITY: Mobility[28] {
        middle: [
             -107,   -85,   -86,   -64,   -54,   -43,   -33,   -27,
              -22,   -18,   -17,   -11,    -9,    -7,     0,    11,
               16,    35,    41,    40,    44,    53,    52,    50,
               58,    59,    75,    76,
        ],
        end: [
             -197,  -165,  -153,  -138,  -125,  -104,   -90,   -76,
              -52,   -53,   -48,   -20,    14,    37,    37,    49,
               63,    69,    88,    86,    74,    73,    87,    83,
              107,   110,   144,   153,
        ],
    }

    /// A knight on a square that enemy pawns cannot attack: unprotected, protected by a pawn.
    KNIGHT_OUTPOST: Pieces[2] {
        middle: [14, 38],
        end: [-9, 43],
    }

    /// A bishop on a square that enemy pawns cannot attack: unprotected, protected by a pawn.
    BISHOP_OUTPOST: Pieces[2] {
        middle: [10, 67],
        end: [0, 36],
    }

    /// A knight one move from an outpost protected by a pawn.
    OUTPOST_WITHIN_REACH: Pieces[1] {
        middle: [16],
        end: [49],
    }

    /// A knight or bishop directly behind a pawn of either side.
    MINOR_BEHIND_PAWN: Pieces[1] {
        middle: [6],
        end: [36],
    }

    /// Per own pawn on the square color of a bishop.
    BISHOP_OWN_PAWNS: Pieces[1] {
        middle: [-5],
        end: [-8],
    }

    /// Per own blocked pawn on the c to f files and per bishop of either square color.
    BISHOP_BLOCKED_CENTRE: Pieces[1] {
        middle: [-1],
        end: [-7],
    }

    /// A bishop that attacks both centre squares of a long diagonal, looking past other pieces than
    /// pawns.
    LONG_DIAGONAL: Pieces[1] {
        middle: [28],
        end: [8],
    }

    /// Per step from the own king: knight, bishop.
    MINOR_FAR_FROM_KING: Pieces[2] {
        middle: [-9, -13],
        end: [3, 0],
    }

    /// A rook on a file without own pawns: half-open, open.
    ROOK_ON_FILE: Pieces[2] {
        middle: [24, 69],
        end: [38, 43],
    }

    /// A rook on a file closed by an own blocked pawn.
    ROOK_BEHIND_OWN_PAWN: Pieces[1] {
        middle: [-7],
        end: [-2],
    }

    /// A rook with low mobility enclosed by its own king: with castling rights, without.
    TRAPPED_ROOK: Pieces[2] {
        middle: [-3, -102],
        end: [-5, -13],
    }

    /// An isolated pawn: with an enemy pawn ahead, without.
    ISOLATED: Pawns[2] {
        middle: [-20, -34],
        end: [-34, -17],
    }

    /// A doubled pawn: one with an own pawn ahead.
    DOUBLED: Pawns[1] {
        middle: [-28],
        end: [-82],
    }

    /// A backward pawn: with an enemy pawn ahead, without.
    BACKWARD: Pawns[2] {
        middle: [-9, -17],
        end: [-2, -6],
    }

    /// A pawn next to an own pawn (phalanx), by rank.
    PHALANX: Pawns[8] {
        middle: [0, 8, 1, 9, 46, 198, 320, 0],
        end: [0, -11, 2, 27, 79, 182, 333, 0],
    }

    /// A pawn protected by an own pawn, by rank.
    SUPPORTED: Pawns[8] {
        middle: [0, 0, 13, 11, 26, 90, 237, 0],
        end: [0, 0, 12, 15, 20, 93, 223, 0],
    }

    /// A passed pawn, by rank.
    PASSED: Passed[8] {
        middle: [0, 18, -5, -16, 60, 170, 335, 0],
        end: [0, 42, 78, 132, 225, 309, 478, 0],
    }

    /// A passed pawn with an empty square ahead, by rank.
    PASSED_FREE: Passed[8] {
        middle: [0, 7, -7, -11, -7, 25, 121, 0],
        end: [0, 30, 20, 52, 75, 163, 334, 0],
    }

    /// A passed pawn whose next square is not attacked, by rank.
    PASSED_SAFE_STEP: Passed[8] {
        middle: [0, 11, -23, -2, -22, 39, 44, 0],
        end: [0, -1, 17, 35, 49, 107, 116, 0],
    }

    /// A passed pawn whose whole path is not attacked, by rank.
    PASSED_SAFE_PATH: Passed[8] {
        middle: [0, -1, -22, -27, -16, -5, 4, 0],
        end: [0, 31, 36, 47, 60, 106, 116, 0],
    }

    /// Per step of the own king from the square ahead of a passed pawn, by rank.
    PASSED_OWN_KING: Passed[8] {
        middle: [0, -4, -12, 6, 7, 11, 0, 0],
        end: [0, -1, -14, -51, -67, -94, -109, 0],
    }

    /// Per step of the enemy king from the square ahead of a passed pawn, by rank.
    PASSED_ENEMY_KING: Passed[8] {
        middle: [0, -2, 12, -9, -14, -23, -11, 0],
        end: [0, -14, 2, 36, 65, 113, 147, 0],
    }

    /// A rook behind a passed pawn: an own rook, an enemy rook.
    ROOK_BEHIND_PASSED: Passed[2] {
        middle: [36, -27],
        end: [29, -155],
    }

    /// A passed pawn that the enemy king cannot stop, where the enemy has no pieces.
    UNSTOPPABLE: Passed[1] {
        middle: [-3],
        end: [1102],
    }

    /// The nearest own pawn ahead of the king on its file and the files beside: by the file's
    /// distance from the edge, then the pawn's rank; rank 1 means none.
    SHELTER: King[32] {
        middle: [
              -65,    40,    37,   -15,   -10,    14,     9,     0,
              -61,    76,    55,    -8,   -12,   -21,    -7,     0,
              -45,    79,    18,   -10,   -19,   -17,     6,     0,
              -26,    30,    28,   -10,    -8,   -23,   -14,     0,
        ],
        end: [
               12,   -46,   -36,   -20,     2,    21,    33,     0,
               27,   -27,   -22,    -5,    20,    18,    37,     0,
               -1,   -21,    -6,    -9,     1,     2,    34,     0,
               -2,   -15,   -25,     1,     5,     7,    17,     0,
        ],
    }

    /// The nearest enemy pawn on those files if no own pawn blocks it: by the file's distance from
    /// the edge, then the rank relative to the king's side.
    STORM: King[32] {
        middle: [
              -12,   -56,   -73,   -14,   -10,   -20,   -25,     0,
              -42,   -56,   -66,    -6,   -40,    -3,   -16,     0,
              -37,   -54,   -70,   -34,    -3,   -14,    -2,     0,
              -25,   -57,   -70,   -22,   -13,     3,    -3,     0,
        ],
        end: [
              -26,     0,    19,    29,    -1,    -4,    -6,     0,
               10,     0,     9,     1,     9,     6,     6,     0,
                7,     2,    -4,     5,    20,     8,    -1,     0,
               10,    -7,     4,    -2,    -8,     4,    -3,     0,
        ],
    }

    /// The nearest enemy pawn if an own pawn blocks it, by rank.
    STORM_BLOCKED: King[8] {
        middle: [0, -12, -47, -26, 16, 6, 8, 0],
        end: [0, 1, 2, -32, -26, -26, -9, 0],
    }

    /// Danger to every king.
    DANGER_BASE: Danger[1] {
        middle: [5],
        end: [-56],
    }

    /// An attacker of the king ring, by type from knight to queen.
    DANGER_ATTACKERS: Danger[4] {
        middle: [23, 16, 6, 29],
        end: [11, 20, -21, 3],
    }

    /// Per attack by a piece on a square next to the king.
    DANGER_RING_ATTACKS: Danger[1] {
        middle: [21],
        end: [-43],
    }

    /// Per square of the ring that the enemy attacks and that only king or queen defend, if any.
    DANGER_WEAK_RING: Danger[1] {
        middle: [19],
        end: [-26],
    }

    /// Safe checks, by type from knight to queen: from one square, from several.
    DANGER_CHECKS: Danger[8] {
        middle: [136, 136, 83, 130, 159, 238, 104, 153],
        end: [17, 18, 38, 11, 45, 21, 30, 12],
    }

    /// Per square from which a checking piece would be captured.
    DANGER_UNSAFE_CHECKS: Danger[1] {
        middle: [24],
        end: [24],
    }

    /// The enemy has no queen.
    DANGER_NO_QUEEN: Danger[1] {
        middle: [-61],
        end: [-2],
    }

    /// Per attacked square on the king's wing, from the own first to the fifth rank.
    DANGER_FLANK_ATTACKS: Danger[1] {
        middle: [11],
        end: [-2],
    }

    /// Per square there attacked twice.
    DANGER_FLANK_DOUBLE_ATTACKS: Danger[1] {
        middle: [5],
        end: [45],
    }

    /// Per square there attacked by the king's side.
    DANGER_FLANK_DEFENCES: Danger[1] {
        middle: [-8],
        end: [53],
    }

    /// An own knight defends a square next to the king.
    DANGER_KNIGHT_BESIDE: Danger[1] {
        middle: [-33],
        end: [-3],
    }

    /// Per file around the king without an own pawn.
    DANGER_BARE_FILES: Danger[1] {
        middle: [10],
        end: [101],
    }

    /// Per piece of the side to move pinned to its king.
    DANGER_PINNED: Danger[1] {
        middle: [39],
        end: [30],
    }

    /// A pawn attacks a piece, by type from knight to queen.
    PAWN_THREATENS: Threats[4] {
        middle: [176, 165, 237, 172],
        end: [98, 157, 94, 88],
    }

    /// A knight or bishop attacks a piece, by type from pawn to queen; pawns only if weakly
    /// defended.
    MINOR_THREATENS: Threats[5] {
        middle: [6, 46, 85, 174, 129],
        end: [52, 97, 108, 82, 148],
    }

    /// A rook attacks a piece, by type from pawn to queen; other pieces than queens only if weakly
    /// defended.
    ROOK_THREATENS: Threats[5] {
        middle: [9, 68, 43, 15, 162],
        end: [72, 96, 116, 75, 70],
    }

    /// The king attacks a weakly defended piece.
    KING_THREATENS: Threats[1] {
        middle: [45],
        end: [80],
    }

    /// Per piece that is attacked and undefended, or attacked twice and weakly defended.
    HANGING: Threats[1] {
        middle: [26],
        end: [81],
    }

    /// Per piece that a safe pawn push would attack.
    PUSH_THREATENS: Threats[1] {
        middle: [32],
        end: [30],
    }

    /// Per square that the enemy attacks without holding it and that is contested.
    RESTRICTED: Threats[1] {
        middle: [8],
        end: [-6],
    }

    /// Per safe square in the own centre.
    SPACE: Space[1] {
        middle: [-3],
        end: [1],
    }

    /// Per such square behind an own pawn.
    SPACE_BEHIND_PAWNS: Space[1] {
        middle: [-2],
        end: [-12],
    }

    /// Bonus for the side to move.
    TEMPO: Tempo[1] {
        middle: [47],
        end: [46],
    }
}
