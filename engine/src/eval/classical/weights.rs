//! Every weight of the classical evaluation, as `harness tune-eval` writes them.
//!
//! Each table says which term it belongs to and how many weights it has; a weight has a value for the
//! middlegame and one for the endgame, in quarters of a centipawn. The tables of the term `Danger` have units of
//! their own (`king`). The tuner rewrites the whole file: change numbers and descriptions, not the layout.

use super::table::{Table, TableInfo, Term, weights};

weights! {
    /// A piece, by kind from pawn to queen.
    MATERIAL: Material[5] {
        middle: [328, 1300, 1352, 1880, 3840],
        end: [392, 1200, 1272, 2140, 3880],
    }

    /// Two bishops see all squares.
    BISHOP_PAIR: Material[1] {
        middle: [96],
        end: [180],
    }

    /// A pawn, by square as its side sees the board, a1 first.
    PAWN_SQUARES: Squares[64] {
        middle: [
                0,     0,     0,     0,     0,     0,     0,     0,
              -20,     0,     0,   -48,   -48,     0,     0,   -20,
              -12,     8,    24,    40,    40,    24,     8,   -12,
               -4,    16,    48,    96,    96,    48,    16,    -4,
                4,    24,    24,    24,    24,    24,    24,     4,
               12,    32,    32,    32,    32,    32,    32,    12,
               20,    40,    40,    40,    40,    40,    40,    20,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
        end: [
                0,     0,     0,     0,     0,     0,     0,     0,
              -16,   -16,   -16,   -16,   -16,   -16,   -16,   -16,
              -11,   -11,   -11,   -11,   -11,   -11,   -11,   -11,
                3,     3,     3,     3,     3,     3,     3,     3,
               27,    27,    27,    27,    27,    27,    27,    27,
               61,    61,    61,    61,    61,    61,    61,    61,
              104,   104,   104,   104,   104,   104,   104,   104,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
    }

    /// A knight, by square as its side sees the board, a1 first.
    KNIGHT_SQUARES: Squares[64] {
        middle: [
             -144,  -116,   -88,   -60,   -60,   -88,  -116,  -144,
              -84,   -56,   -28,     0,     0,   -28,   -56,   -84,
              -56,   -28,     0,    28,    28,     0,   -28,   -56,
               -8,    20,    48,    76,    76,    48,    20,    -8,
               -8,    20,    48,    76,    76,    48,    20,    -8,
              -36,    -8,    20,    48,    48,    20,    -8,   -36,
              -84,   -56,   -28,     0,     0,   -28,   -56,   -84,
             -112,   -84,   -56,   -28,   -28,   -56,   -84,  -112,
        ],
        end: [
              -96,   -72,   -48,   -24,   -24,   -48,   -72,   -96,
              -72,   -48,   -24,     0,     0,   -24,   -48,   -72,
              -48,   -24,     0,    24,    24,     0,   -24,   -48,
              -24,     0,    24,    48,    48,    24,     0,   -24,
              -24,     0,    24,    48,    48,    24,     0,   -24,
              -48,   -24,     0,    24,    24,     0,   -24,   -48,
              -72,   -48,   -24,     0,     0,   -24,   -48,   -72,
              -96,   -72,   -48,   -24,   -24,   -48,   -72,   -96,
        ],
    }

    /// A bishop, by square as its side sees the board, a1 first.
    BISHOP_SQUARES: Squares[64] {
        middle: [
              -60,   -52,   -44,   -36,   -36,   -44,   -52,   -60,
              -12,    36,     4,    12,    12,     4,    36,   -12,
               -4,     4,    12,    20,    20,    12,     4,    -4,
                4,    12,    20,    28,    28,    20,    12,     4,
                4,    12,    20,    28,    28,    20,    12,     4,
               -4,     4,    12,    20,    20,    12,     4,    -4,
              -12,    -4,     4,    12,    12,     4,    -4,   -12,
              -20,   -12,    -4,     4,     4,    -4,   -12,   -20,
        ],
        end: [
              -28,   -20,   -12,    -4,    -4,   -12,   -20,   -28,
              -20,   -12,    -4,     4,     4,    -4,   -12,   -20,
              -12,    -4,     4,    12,    12,     4,    -4,   -12,
               -4,     4,    12,    20,    20,    12,     4,    -4,
               -4,     4,    12,    20,    20,    12,     4,    -4,
              -12,    -4,     4,    12,    12,     4,    -4,   -12,
              -20,   -12,    -4,     4,     4,    -4,   -12,   -20,
              -28,   -20,   -12,    -4,    -4,   -12,   -20,   -28,
        ],
    }

    /// A rook, by square as its side sees the board, a1 first.
    ROOK_SQUARES: Squares[64] {
        middle: [
              -24,    -8,     8,    24,    24,     8,    -8,   -24,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
               32,    32,    32,    32,    32,    32,    32,    32,
              -24,   -24,   -24,   -24,   -24,   -24,   -24,   -24,
        ],
        end: [
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
               24,    24,    24,    24,    24,    24,    24,    24,
               24,    24,    24,    24,    24,    24,    24,    24,
        ],
    }

    /// A queen, by square as its side sees the board, a1 first.
    QUEEN_SQUARES: Squares[64] {
        middle: [
                0,     4,     8,    12,    12,     8,     4,     0,
                4,     8,    12,    16,    16,    12,     8,     4,
               -4,     0,     4,     8,     8,     4,     0,    -4,
                0,     4,     8,    12,    12,     8,     4,     0,
                0,     4,     8,    12,    12,     8,     4,     0,
               -4,     0,     4,     8,     8,     4,     0,    -4,
               -8,    -4,     0,     4,     4,     0,    -4,    -8,
              -12,    -8,    -4,     0,     0,    -4,    -8,   -12,
        ],
        end: [
              -60,   -40,   -20,     0,     0,   -20,   -40,   -60,
              -40,   -20,     0,    20,    20,     0,   -20,   -40,
              -20,     0,    20,    40,    40,    20,     0,   -20,
                0,    20,    40,    60,    60,    40,    20,     0,
                0,    20,    40,    60,    60,    40,    20,     0,
              -20,     0,    20,    40,    40,    20,     0,   -20,
              -40,   -20,     0,    20,    20,     0,   -20,   -40,
              -60,   -40,   -20,     0,     0,   -20,   -40,   -60,
        ],
    }

    /// A king, by square as its side sees the board, a1 first.
    KING_SQUARES: Squares[64] {
        middle: [
               40,    96,    -8,   -32,   -32,    -8,    96,    40,
              -56,     0,  -104,  -128,  -128,  -104,     0,   -56,
              -96,   -40,  -144,  -168,  -168,  -144,   -40,   -96,
             -136,   -80,  -184,  -208,  -208,  -184,   -80,  -136,
             -176,  -120,  -224,  -248,  -248,  -224,  -120,  -176,
             -216,  -160,  -264,  -288,  -288,  -264,  -160,  -216,
             -256,  -200,  -304,  -328,  -328,  -304,  -200,  -256,
             -296,  -240,  -344,  -368,  -368,  -344,  -240,  -296,
        ],
        end: [
             -120,   -84,   -48,   -12,   -12,   -48,   -84,  -120,
              -84,   -48,   -12,    24,    24,   -12,   -48,   -84,
              -48,   -12,    24,    60,    60,    24,   -12,   -48,
              -12,    24,    60,    96,    96,    60,    24,   -12,
              -12,    24,    60,    96,    96,    60,    24,   -12,
              -48,   -12,    24,    60,    60,    24,   -12,   -48,
              -84,   -48,   -12,    24,    24,   -12,   -48,   -84,
             -120,   -84,   -48,   -12,   -12,   -48,   -84,  -120,
        ],
    }

    /// A knight, by the squares open to it.
    KNIGHT_MOBILITY: Mobility[9] {
        middle: [-131, -68, -45, -23, 0, 16, 32, 49, 65],
        end: [-131, -68, -45, -23, 0, 16, 32, 49, 65],
    }

    /// A bishop, by the squares open to it.
    BISHOP_MOBILITY: Mobility[14] {
        middle: [-153, -101, -81, -60, -40, -20, 0, 14, 29, 43, 58, 72, 86, 101],
        end: [-168, -113, -91, -68, -45, -23, 0, 16, 32, 49, 65, 81, 97, 113],
    }

    /// A rook, by the squares open to it.
    ROOK_MOBILITY: Mobility[15] {
        middle: [-108, -63, -50, -38, -25, -13, 0, 9, 18, 27, 36, 45, 54, 63, 72],
        end: [-183, -126, -101, -76, -50, -25, 0, 18, 36, 54, 72, 90, 108, 126, 144],
    }

    /// A queen, by the squares open to it.
    QUEEN_MOBILITY: Mobility[28] {
        middle: [
             -107,   -83,   -76,   -68,   -60,   -53,   -45,   -38,
              -30,   -23,   -15,    -8,     0,     5,    11,    16,
               22,    27,    32,    38,    43,    49,    54,    59,
               65,    70,    76,    81,
        ],
        end: [
             -197,  -166,  -151,  -136,  -121,  -106,   -91,   -76,
              -60,   -45,   -30,   -15,     0,    11,    22,    32,
               43,    54,    65,    76,    86,    97,   108,   119,
              130,   140,   151,   162,
        ],
    }

    /// A knight that no enemy pawn can drive away: alone, backed by an own pawn.
    KNIGHT_OUTPOST: Pieces[2] {
        middle: [40, 104],
        end: [24, 72],
    }

    /// A bishop that no enemy pawn can drive away: alone, backed by an own pawn.
    BISHOP_OUTPOST: Pieces[2] {
        middle: [24, 72],
        end: [8, 32],
    }

    /// A knight one move from a square that would be an outpost backed by a pawn.
    OUTPOST_WITHIN_REACH: Pieces[1] {
        middle: [48],
        end: [24],
    }

    /// A knight or bishop right behind a pawn of either side.
    MINOR_BEHIND_PAWN: Pieces[1] {
        middle: [24],
        end: [12],
    }

    /// For each own pawn on the squares of a bishop's colour.
    BISHOP_OWN_PAWNS: Pieces[1] {
        middle: [-8],
        end: [-16],
    }

    /// For each own blocked pawn on the c to f files, and a bishop, whatever its colour.
    BISHOP_BLOCKED_CENTRE: Pieces[1] {
        middle: [-12],
        end: [-8],
    }

    /// A bishop that sees both centre squares of a long diagonal past the pawns.
    LONG_DIAGONAL: Pieces[1] {
        middle: [48],
        end: [8],
    }

    /// A knight, a bishop: for each step from its own king.
    MINOR_FAR_FROM_KING: Pieces[2] {
        middle: [-8, -6],
        end: [-8, -6],
    }

    /// A rook on a file without own pawns: before an enemy pawn, open.
    ROOK_ON_FILE: Pieces[2] {
        middle: [44, 100],
        end: [24, 32],
    }

    /// A rook on a file closed by an own pawn that cannot move.
    ROOK_BEHIND_OWN_PAWN: Pieces[1] {
        middle: [-28],
        end: [-16],
    }

    /// A rook with little room that its own king shuts in: with the right to castle, without.
    TRAPPED_ROOK: Pieces[2] {
        middle: [-48, -120],
        end: [-12, -32],
    }

    /// No own pawn on the files beside: an enemy pawn ahead, none ahead.
    ISOLATED: Pawns[2] {
        middle: [-24, -56],
        end: [-40, -64],
    }

    /// A pawn with an own pawn before it.
    DOUBLED: Pawns[1] {
        middle: [-28],
        end: [-72],
    }

    /// A pawn that cannot be supported and whose next square is covered: an enemy pawn ahead, none ahead.
    BACKWARD: Pawns[2] {
        middle: [-20, -52],
        end: [-24, -40],
    }

    /// A pawn beside an own one, by rank.
    PHALANX: Pawns[8] {
        middle: [0, 12, 24, 40, 88, 200, 320, 0],
        end: [0, 0, 16, 32, 88, 200, 320, 0],
    }

    /// A pawn protected by an own one, by rank.
    SUPPORTED: Pawns[8] {
        middle: [0, 0, 40, 36, 56, 140, 240, 0],
        end: [0, 0, 24, 28, 56, 140, 240, 0],
    }

    /// A passed pawn, by rank.
    PASSED: Passed[8] {
        middle: [0, 0, 8, 16, 72, 180, 340, 0],
        end: [0, 32, 48, 96, 168, 300, 480, 0],
    }

    /// The square before a passed pawn is empty, by rank.
    PASSED_FREE: Passed[8] {
        middle: [0, 0, 0, 8, 20, 48, 80, 0],
        end: [0, 8, 12, 32, 72, 136, 200, 0],
    }

    /// The square before a passed pawn is not attacked, by rank.
    PASSED_SAFE_STEP: Passed[8] {
        middle: [0, 0, 0, 8, 20, 48, 80, 0],
        end: [0, 4, 8, 24, 48, 88, 120, 0],
    }

    /// No square on the way of a passed pawn is attacked, by rank.
    PASSED_SAFE_PATH: Passed[8] {
        middle: [0, 0, 0, 4, 16, 32, 40, 0],
        end: [0, 4, 12, 32, 64, 120, 120, 0],
    }

    /// For each step of the own king from the square before a passed pawn, by rank.
    PASSED_OWN_KING: Passed[8] {
        middle: [0, 0, 0, 0, 0, 0, 0, 0],
        end: [0, 0, -4, -16, -32, -40, -32, 0],
    }

    /// For each step of the enemy king from the square before a passed pawn, by rank.
    PASSED_ENEMY_KING: Passed[8] {
        middle: [0, 0, 0, 0, 0, 0, 0, 0],
        end: [0, 4, 8, 28, 52, 72, 72, 0],
    }

    /// A rook behind a passed pawn: its own, the enemy's.
    ROOK_BEHIND_PASSED: Passed[2] {
        middle: [16, -16],
        end: [56, -48],
    }

    /// A passed pawn that runs free of a king alone with pawns.
    UNSTOPPABLE: Passed[1] {
        middle: [0],
        end: [1200],
    }

    /// The own pawn nearest before the king, on its file and those beside: by the file's distance from the
    /// edge, then the pawn's rank; rank 1 stands for none.
    SHELTER: King[32] {
        middle: [
              -32,    40,    32,     8,     0,     0,     0,     0,
              -88,    96,    56,     0,   -16,   -16,   -16,     0,
              -48,    64,    24,    -8,    -8,    -8,    -8,     0,
              -40,    32,    16,   -16,   -16,   -16,   -16,     0,
        ],
        end: [
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
    }

    /// The foremost enemy pawn on those files that no own pawn blocks, by the same, the rank as the king's side
    /// counts.
    STORM: King[32] {
        middle: [
                0,   -56,   -72,   -48,   -20,    -8,     0,     0,
                0,   -56,   -72,   -48,   -20,    -8,     0,     0,
                0,   -56,   -72,   -48,   -20,    -8,     0,     0,
                0,   -56,   -72,   -48,   -20,    -8,     0,     0,
        ],
        end: [
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
                0,     0,     0,     0,     0,     0,     0,     0,
        ],
    }

    /// The same where an own pawn blocks it, by rank.
    STORM_BLOCKED: King[8] {
        middle: [0, -8, -56, -16, -8, 0, 0, 0],
        end: [0, 0, 0, 0, 0, 0, 0, 0],
    }

    /// Danger that every king is in.
    DANGER_BASE: Danger[1] {
        middle: [-90],
        end: [-60],
    }

    /// An attacker of the king's ring, by kind from knight to queen.
    DANGER_ATTACKERS: Danger[4] {
        middle: [36, 24, 30, 22],
        end: [6, 6, 6, 6],
    }

    /// For each attack by a piece on a square beside the king.
    DANGER_RING_ATTACKS: Danger[1] {
        middle: [16],
        end: [2],
    }

    /// For each square of the ring that the enemy attacks and only king or queen defend, if anything does.
    DANGER_WEAK_RING: Danger[1] {
        middle: [28],
        end: [4],
    }

    /// Safe checks, by kind from knight to queen: one square to give it from, more.
    DANGER_CHECKS: Danger[8] {
        middle: [110, 170, 85, 120, 140, 210, 110, 170],
        end: [10, 15, 10, 12, 10, 15, 15, 20],
    }

    /// For each square that a piece could check from and would be taken on.
    DANGER_UNSAFE_CHECKS: Danger[1] {
        middle: [20],
        end: [2],
    }

    /// The enemy has no queen.
    DANGER_NO_QUEEN: Danger[1] {
        middle: [-120],
        end: [-10],
    }

    /// For each square of the king's wing and camp that the enemy attacks.
    DANGER_FLANK_ATTACKS: Danger[1] {
        middle: [5],
        end: [0],
    }

    /// For each of those that it attacks twice.
    DANGER_FLANK_DOUBLE_ATTACKS: Danger[1] {
        middle: [5],
        end: [0],
    }

    /// For each of those squares that the king's side attacks.
    DANGER_FLANK_DEFENCES: Danger[1] {
        middle: [-4],
        end: [0],
    }

    /// An own knight covers a square beside the king.
    DANGER_KNIGHT_BESIDE: Danger[1] {
        middle: [-30],
        end: [0],
    }

    /// For each file at the king without an own pawn.
    DANGER_BARE_FILES: Danger[1] {
        middle: [18],
        end: [0],
    }

    /// For each own piece pinned to the king.
    DANGER_PINNED: Danger[1] {
        middle: [25],
        end: [4],
    }

    /// A pawn attacks a piece, by kind from knight to queen.
    PAWN_THREATENS: Threats[4] {
        middle: [208, 200, 272, 240],
        end: [120, 168, 120, 112],
    }

    /// A knight or bishop attacks a piece, by kind from pawn to queen; pawns only if weakly defended.
    MINOR_THREATENS: Threats[5] {
        middle: [12, 80, 96, 176, 160],
        end: [56, 96, 104, 96, 160],
    }

    /// A rook attacks a piece, by kind from pawn to queen; all but the queen only if weakly defended.
    ROOK_THREATENS: Threats[5] {
        middle: [8, 72, 88, 16, 200],
        end: [64, 96, 112, 56, 96],
    }

    /// The king attacks something weakly defended.
    KING_THREATENS: Threats[1] {
        middle: [40],
        end: [120],
    }

    /// For each piece that is attacked and not defended, or attacked twice and weakly defended.
    HANGING: Threats[1] {
        middle: [80],
        end: [56],
    }

    /// For each piece that a safe step of a pawn would attack.
    PUSH_THREATENS: Threats[1] {
        middle: [72],
        end: [56],
    }

    /// For each square that the enemy reaches, does not hold, and is contested.
    RESTRICTED: Threats[1] {
        middle: [10],
        end: [10],
    }

    /// For each safe square in the centre behind or beside the own pawns.
    SPACE: Space[1] {
        middle: [10],
        end: [0],
    }

    /// For each of those squares that lies behind an own pawn.
    SPACE_BEHIND_PAWNS: Space[1] {
        middle: [8],
        end: [0],
    }

    /// To have the move.
    TEMPO: Tempo[1] {
        middle: [60],
        end: [48],
    }
}
