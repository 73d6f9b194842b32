//! An independent judge of endgames: other rules, another path to the tables, and no ranking.

use std::collections::HashMap;
use std::path::Path;

use shakmaty::fen::Fen;
use shakmaty::{
    Board, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece, Position, Role, Setup, Square,
};
use shakmaty_syzygy::{Dtz, Tablebase, Wdl};

use crate::common::Random;

/// All three- and four-piece endgames.
pub(crate) const MATERIALS: [&str; 35] = [
    "KQvK", "KRvK", "KPvK", "KBvK", "KNvK", "KQQvK", "KQRvK", "KQBvK", "KQNvK", "KQPvK", "KRRvK", "KRBvK",
    "KRNvK", "KRPvK", "KBBvK", "KBNvK", "KBPvK", "KNNvK", "KNPvK", "KPPvK", "KQvKQ", "KQvKR", "KQvKB",
    "KQvKN", "KQvKP", "KRvKR", "KRvKB", "KRvKN", "KRvKP", "KBvKB", "KBvKN", "KBvKP", "KNvKN", "KNvKP",
    "KPvKP",
];

/// The reason for the end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Mate,
    Stalemate,
    FiftyMoves,
    Repetition,
    Material,
}

pub(crate) struct Judge {
    tables: Tablebase<Chess>,
}

impl Judge {
    pub(crate) fn new(folder: &Path) -> Self {
        let mut tables = Tablebase::new();
        tables.add_directory(folder).expect("a folder of tables");
        Self { tables }
    }

    /// Returns the result for the side to move with the fifty-move clock; `None` if rounding leaves
    /// it open.
    pub(crate) fn result(&self, position: &Chess) -> Option<Wdl> {
        self.tables.probe_wdl(position).expect("a table").unambiguous()
    }

    /// Returns the result without the clock.
    pub(crate) fn wdl(&self, position: &Chess) -> Wdl {
        self.tables.probe_wdl_after_zeroing(position).expect("a table")
    }

    /// Returns the DTZ value as stored.
    pub(crate) fn dtz(&self, position: &Chess) -> Dtz {
        self.tables.probe_dtz(position).expect("a table").ignore_rounding()
    }

    /// Returns the DTZ value; `None` if rounding may hide one ply.
    pub(crate) fn precise_dtz(&self, position: &Chess) -> Option<Dtz> {
        self.tables.probe_dtz(position).expect("a table").precise()
    }

    /// Returns a random legal position of these pieces with either side to move.
    pub(crate) fn random(material: &str, random: &mut Random) -> Chess {
        loop {
            let mut setup = Setup::empty();
            setup.board = Board::empty();
            for (side, letters) in [Color::White, Color::Black].into_iter().zip(material.split('v')) {
                for letter in letters.chars() {
                    let role = Role::from_char(letter).expect("a piece letter");
                    let square = Square::new(random.below(64) as u32);
                    setup.board.set_piece_at(square, Piece { color: side, role });
                }
            }
            setup.turn = Color::from_white(random.below(2) == 0);
            let count = setup.board.occupied().count();
            if count == material.len() - 1
                && let Ok(position) = Chess::from_setup(setup, CastlingMode::Standard)
                && !position.legal_moves().is_empty()
            {
                return position;
            }
        }
    }

    /// Returns a best reply in a lost or drawn position: it keeps the result and resists longest.
    /// Ties are broken at random.
    pub(crate) fn reply(&self, position: &Chess, random: &mut Random) -> shakmaty::Move {
        let moves = position.legal_moves();
        let value_of = |mv: &shakmaty::Move| {
            let mut after = position.clone();
            after.play_unchecked(*mv);
            let wdl = if after.is_stalemate() { Wdl::Draw } else { -self.wdl(&after) };
            let is_forced = after.is_checkmate() || after.is_stalemate() || wdl == Wdl::Draw;
            let plies = if is_forced { 0 } else { self.dtz(&after).0.abs() };
            (wdl, if wdl == Wdl::Loss { plies } else { -plies })
        };
        let best = moves.iter().map(value_of).max().expect("a legal move");
        let equals: Vec<_> = moves.iter().filter(|mv| value_of(mv) == best).collect();
        *equals[random.below(equals.len())]
    }
}

/// A game with the history needed to detect repetitions.
pub(crate) struct Record {
    pub(crate) position: Chess,
    seen: HashMap<Chess, usize>,
}

impl Record {
    pub(crate) fn new(position: Chess) -> Self {
        Self { seen: HashMap::from([(position.clone(), 1)]), position }
    }

    pub(crate) fn play(&mut self, mv: shakmaty::Move) {
        self.position.play_unchecked(mv);
        if self.position.halfmoves() == 0 {
            self.seen.clear();
        }
        *self.seen.entry(self.position.clone()).or_insert(0) += 1;
    }

    /// Returns the reason for the end of the game, if it is over.
    pub(crate) fn ending(&self) -> Option<Ending> {
        let position = &self.position;
        if position.is_checkmate() {
            Some(Ending::Mate)
        } else if position.is_stalemate() {
            Some(Ending::Stalemate)
        } else if position.is_insufficient_material() {
            Some(Ending::Material)
        } else if position.halfmoves() >= 100 {
            Some(Ending::FiftyMoves)
        } else if self.seen[position] >= 3 {
            Some(Ending::Repetition)
        } else {
            None
        }
    }
}

/// Returns the FEN of the position with this many half-moves on the clock.
pub(crate) fn fen(position: &Chess, halfmoves: u32) -> String {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.halfmoves = halfmoves;
    // The move number must permit the half-moves.
    setup.fullmoves = std::num::NonZeroU32::new(100).expect("not zero");
    Fen::try_from_setup(setup).expect("counters that a FEN can hold").to_string()
}

/// Parses a FEN.
pub(crate) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>().expect("a FEN").into_position(CastlingMode::Standard).expect("a position")
}
