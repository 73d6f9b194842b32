//! Binary file format of games: a packed starting position, four bytes per move, and four zero
//! bytes.
//!
//! A move is two bytes (from, to, promotion and kind in 6, 6, 2 and 2 bits, castling as king takes
//! rook). Two more bytes are the score of the position before the move, in centipawns from White's
//! point of view. Values are little-endian and there is no header, so files can be concatenated.
//! The layout is the "viriformat" of other engines and trainers.

use std::io::{self, Read, Write};

use anyhow::anyhow;
use stretto::position::Position;
use stretto::types::{Color, Move, MoveKind, PieceType, Square};

use super::packed::{PACKED, pack, unpack};

/// Size of a move with its score. Units: bytes.
const STEP: usize = 4;

/// A self-play game with scores.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Position before the first move.
    pub start: Position,
    /// Each move with the search score before it: centipawns from White's point of view.
    pub moves: Vec<(Move, i16)>,
    /// White's half-points. Range: 0 to 2.
    pub half_points: u8,
}

impl PlayedGame {
    /// Writes the game in the file format.
    pub fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        writer.write_all(&pack(&self.start, self.half_points))?;
        for &(mv, score) in &self.moves {
            writer.write_all(&encode(mv).to_le_bytes())?;
            writer.write_all(&score.to_le_bytes())?;
        }
        writer.write_all(&[0; STEP])
    }
}

fn encode(mv: Move) -> u16 {
    let kind = match mv.kind() {
        MoveKind::Normal => 0,
        MoveKind::EnPassant => 1 << 14,
        MoveKind::Castling => 2 << 14,
        MoveKind::Promotion(piece) => 3 << 14 | (piece.index() as u16 - 1) << 12,
    };
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | kind
}

/// Decodes a move; `None` if its squares are equal.
fn decode(code: u16) -> Option<Move> {
    let (from, to) = (Square::from_index(code.into()), Square::from_index((code >> 6).into()));
    let kind = match code >> 14 {
        0 => MoveKind::Normal,
        1 => MoveKind::EnPassant,
        2 => MoveKind::Castling,
        _ => MoveKind::Promotion(PieceType::from_index(1 + usize::from(code >> 12 & 3))),
    };
    (from != to).then(|| Move::new(from, to, kind))
}

/// A reader of games that validates every move.
pub struct GameReader<R> {
    reader: R,
    offset: u64,
    game: u64,
}

impl<R: Read> GameReader<R> {
    /// Returns a reader at the start of a file.
    pub fn new(reader: R) -> Self {
        Self { reader, offset: 0, game: 0 }
    }

    /// Returns the number of bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    fn damaged(&self, what: &str) -> anyhow::Error {
        anyhow!("at byte {}, in game {}: {what}", self.offset, self.game)
    }

    /// Fills a buffer; returns `false` at the end of the file if no byte was read.
    fn fill(&mut self, buffer: &mut [u8]) -> anyhow::Result<bool> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(self.damaged("unexpected end of file")),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Reads the next game; `None` at the end of the file.
    pub fn next_game(&mut self) -> anyhow::Result<Option<PlayedGame>> {
        let mut packed = [0; PACKED];
        self.game += 1;
        if !self.fill(&mut packed)? {
            return Ok(None);
        }
        let (start, half_points) = unpack(&packed).map_err(|what| self.damaged(&what))?;
        self.offset += PACKED as u64;
        let mut moves = Vec::new();
        let mut position = start;
        loop {
            let mut step = [0; STEP];
            if !self.fill(&mut step)? {
                return Err(self.damaged("unexpected end of file inside a game"));
            }
            if step == [0; STEP] {
                self.offset += STEP as u64;
                return Ok(Some(PlayedGame { start, moves, half_points }));
            }
            let code = u16::from_le_bytes([step[0], step[1]]);
            let score = i16::from_le_bytes([step[2], step[3]]);
            let legal = decode(code).filter(|&mv| position.is_legal(mv));
            let Some(mv) = legal else {
                return Err(self.damaged(&format!("{code:#06x} is not a legal move in {position}")));
            };
            position = position.after(mv);
            moves.push((mv, score));
            self.offset += STEP as u64;
        }
    }
}

impl<R: Read> Iterator for GameReader<R> {
    type Item = anyhow::Result<PlayedGame>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_game().transpose()
    }
}

/// Returns the half-points of a side, given those of White.
pub(crate) fn half_points_of(side: Color, for_white: u8) -> u8 {
    match side {
        Color::White => for_white,
        Color::Black => 2 - for_white,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a game with castling, en passant and promotion.
    pub(in super::super) fn sample() -> PlayedGame {
        let start = Position::from_fen("4k2r/P4pp1/8/4P3/8/8/8/4K3 b k - 0 1").unwrap();
        let mut position = start;
        let mut moves = Vec::new();
        for (text, score) in [("f7f5", 10), ("e5f6", -20), ("e8g8", 30), ("a7a8n", 32_000), ("g7f6", -400)] {
            let mv = position.parse_uci(text).unwrap();
            moves.push((mv, score));
            position = position.after(mv);
        }
        PlayedGame { start, moves, half_points: 2 }
    }

    #[test]
    fn games_round_trip() {
        let mut bytes = Vec::new();
        let empty = PlayedGame { start: Position::startpos(), moves: Vec::new(), half_points: 1 };
        for game in [&sample(), &empty, &sample()] {
            game.write(&mut bytes).unwrap();
        }
        assert_eq!(bytes.len(), 3 * (PACKED + STEP) + 2 * 5 * STEP);
        let games: Result<Vec<_>, _> = GameReader::new(&bytes[..]).collect();
        assert_eq!(games.unwrap(), [sample(), empty, sample()]);
    }

    #[test]
    fn move_codes_match_the_format() {
        let codes: Vec<u16> = sample().moves.iter().map(|&(mv, _)| encode(mv)).collect();
        // f7f5 53, 37; e5f6 36, 45 en passant; e8h8 60, 63 castling; a7a8 48, 56 to a knight; g7f6 54, 45.
        let code = |from: u16, to: u16, rest: u16| from + 64 * to + 4096 * rest;
        let expected = [code(53, 37, 0), code(36, 45, 4), code(60, 63, 8), code(48, 56, 12), code(54, 45, 0)];
        assert_eq!(codes, expected);
    }

    #[test]
    fn damage_is_reported_with_its_offset() {
        let mut bytes = Vec::new();
        sample().write(&mut bytes).unwrap();
        sample().write(&mut bytes).unwrap();
        let read = |bytes: &[u8]| {
            GameReader::new(bytes).collect::<Result<Vec<_>, _>>().map(|_| ()).unwrap_err().to_string()
        };
        let game = bytes.len() / 2;
        assert_eq!(read(&bytes[..bytes.len() - 2]), "at byte 108, in game 2: unexpected end of file");
        assert_eq!(
            read(&bytes[..game + 36]),
            format!("at byte {}, in game 2: unexpected end of file inside a game", game + 36)
        );
        let mut other = bytes.clone();
        other[game + 32] ^= 1;
        assert!(
            read(&other).starts_with(&format!("at byte {}, in game 2: 0x", game + 32)),
            "{}",
            read(&other)
        );
        let mut other = bytes;
        other[30] = 9;
        assert_eq!(read(&other), "at byte 0, in game 1: invalid result 9");
    }
}
