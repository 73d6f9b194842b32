//! Endings as start positions: given pieces and a random number of pawns on random squares.
//!
//! The squares of pieces are uniform. Pawns are likelier near their own side, on a few adjacent files, and
//! on the files of enemy pawns, as in games: there, uniform placement would make nearly all pawns passed.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stretto::position::Position;
use stretto::tablebase::{Material, MaterialError};
use stretto::types::{Color, File, Piece, PieceType, Rank, Square};

use crate::endgames::placement;
use stretto_harness::base::random::SplitMix64;
use stretto_harness::config::{FieldPath, Problem};

/// Returns the default share of a source.
pub(super) fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

/// Returns the default of the largest score of a start. Units: centipawns.
pub(super) fn max_score() -> u16 {
    600
}

/// The most pawns of a side.
const MAX_PAWNS: u32 = 8;
/// The move number of the starts: training filters and draw rules that count from the start of a
/// game see an ending, not an opening.
const MOVE_NUMBER: u32 = 41;
/// Weights of the ranks of a pawn, from the second to the seventh.
const PAWN_RANKS: [u64; 6] = [6, 5, 4, 3, 2, 1];
/// The width of a wing: any adjacent files. Units: files.
const WING: u64 = 4;
/// The number of tries for the square of a pawn.
const PAWN_TRIES: u32 = 100;

/// Pieces and pawns on random squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndingSource {
    /// Weight of the source among all sources.
    #[serde(default = "one")]
    pub share: NonZeroU32,
    /// Pieces of both sides, such as `KRvKR` or `KRPvKR`. Each try draws one with equal probability;
    /// names with more rejected starts get fewer games. Either side may be White.
    pub pieces: Vec<Pieces>,
    /// Smallest number of pawns added to each side.
    #[serde(default)]
    pub min_pawns: u32,
    /// Largest number of pawns added to each side.
    #[serde(default)]
    pub max_pawns: u32,
    /// Largest difference between the numbers of added pawns.
    #[serde(default = "pawn_difference")]
    pub pawn_difference: u32,
    /// Largest score of the start, either way, in centipawns. Other starts are replaced.
    #[serde(default = "max_score")]
    pub max_score: u16,
}

fn pawn_difference() -> u32 {
    1
}

/// The pieces of an ending, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Pieces(Material);

impl TryFrom<String> for Pieces {
    type Error = MaterialError;

    fn try_from(text: String) -> Result<Self, MaterialError> {
        text.parse().map(Self)
    }
}

impl From<Pieces> for String {
    fn from(pieces: Pieces) -> Self {
        pieces.0.to_string()
    }
}

impl EndingSource {
    /// Checks the fields. Endings of at most `table_pieces` pieces are over at once.
    pub(super) fn check(&self, path: &FieldPath, table_pieces: usize) -> Result<(), Problem> {
        path.key("min_pawns").require(
            self.min_pawns <= self.max_pawns,
            format!("{}: expected at most max_pawns, {}", self.min_pawns, self.max_pawns),
        )?;
        path.key("pieces")
            .require(!self.pieces.is_empty(), "expected at least one name such as KRvKR, found none")?;
        for (index, pieces) in self.pieces.iter().enumerate() {
            let material = pieces.0;
            let fail = |message| Err(Problem::new(path.key("pieces").index(index), message));
            let of_side = |color| material.count(Piece::new(color, PieceType::Pawn)) as u32;
            let pawns = self.max_pawns.saturating_add(Color::ALL.map(of_side).into_iter().max().unwrap_or(0));
            if pawns > MAX_PAWNS {
                return fail(format!(
                    "{material} with max_pawns: {pawns} pawns of a side, expected at most {MAX_PAWNS}"
                ));
            }
            if self.max_pawns == 0 && is_lone_minor(material) {
                return fail(format!(
                    "{material} with max_pawns: no pawns, which is always a draw; expected max_pawns of at least 1, or material that \
                     can mate"
                ));
            }
            let least = material.piece_count() + 2 * self.min_pawns as usize;
            if least <= 2 || least <= table_pieces {
                let reason =
                    if least <= 2 { "is a draw" } else { "is over at once by `adjudication.tables`" };
                let expected = table_pieces.max(2) + 1;
                return fail(format!(
                    "{material} with min_pawns: {least} pieces, which {reason}; expected at least {expected}"
                ));
            }
        }
        Ok(())
    }

    /// Draws a position; `None` if it is illegal.
    pub(super) fn draw(&self, random: &mut SplitMix64) -> Option<Position> {
        let material = self.pieces[random.below(self.pieces.len() as u64) as usize].0;
        let material = if random.below(2) == 0 { material } else { material.color_swapped() };
        let pawns = self.pawn_counts(random);
        let mut board = [None; 64];
        let pawns = Color::ALL
            .map(|color| pawns[color.index()] as usize + material.count(Piece::new(color, PieceType::Pawn)));
        place_pawns(&mut board, pawns, random)?;
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let others = material.others().into_iter().filter(|piece| piece.kind != PieceType::Pawn);
        for piece in kings.into_iter().chain(others) {
            place(&mut board, piece, random);
        }
        let side = if random.below(2) == 0 { Color::White } else { Color::Black };
        let fen = format!("{} {} - - 0 {MOVE_NUMBER}", placement(&board), side.to_char());
        Position::from_fen(&fen).ok()
    }

    /// Draws the numbers of added pawns of White and Black.
    fn pawn_counts(&self, random: &mut SplitMix64) -> [u32; 2] {
        let mut within = |min: u32, max: u32| min + random.below(u64::from(max - min) + 1) as u32;
        let white = within(self.min_pawns, self.max_pawns);
        let min = white.saturating_sub(self.pawn_difference).max(self.min_pawns);
        let max = white.saturating_add(self.pawn_difference).min(self.max_pawns);
        [white, within(min, max)]
    }
}

/// Whether a knight or bishop is the only piece beside the kings: neither side can mate.
fn is_lone_minor(material: Material) -> bool {
    matches!(material.others()[..], [Piece { kind: PieceType::Knight | PieceType::Bishop, .. }])
}

/// Places a piece on a random empty square.
fn place(board: &mut [Option<Piece>; 64], piece: Piece, random: &mut SplitMix64) {
    let empty: Vec<usize> = (0..64).filter(|&square| board[square].is_none()).collect();
    board[empty[random.below(empty.len() as u64) as usize]] = Some(piece);
}

/// Places the pawns of White and Black: one time in three on one wing, and every other black pawn on
/// the file of a white one. `None` if they find no room.
fn place_pawns(board: &mut [Option<Piece>; 64], pawns: [usize; 2], random: &mut SplitMix64) -> Option<()> {
    let (first, width) = if random.below(3) == 0 { (random.below(8 - WING + 1), WING) } else { (0, 8) };
    let mut files: Vec<File> = Vec::new();
    for color in Color::ALL {
        let opposed = if color == Color::Black { files.clone() } else { Vec::new() };
        for _ in 0..pawns[color.index()] {
            let mut draw = || {
                let is_opposed = !opposed.is_empty() && random.below(2) == 0;
                let file = if is_opposed {
                    opposed[random.below(opposed.len() as u64) as usize]
                } else {
                    File::from_index((first + random.below(width)) as usize)
                };
                Square::new(file, color.relative_rank(pawn_rank(random)))
            };
            let square = (0..PAWN_TRIES).map(|_| draw()).find(|square| board[square.index()].is_none())?;
            board[square.index()] = Some(Piece::new(color, PieceType::Pawn));
            files.push(square.file());
        }
    }
    Some(())
}

/// Draws the rank of a white pawn.
fn pawn_rank(random: &mut SplitMix64) -> Rank {
    let mut left = random.below(PAWN_RANKS.iter().sum());
    let index = PAWN_RANKS.iter().position(|&weight| {
        let is_here = left < weight;
        left = left.saturating_sub(weight);
        is_here
    });
    Rank::from_index(1 + index.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn source(pieces: &[&str], pawns: [u32; 2], pawn_difference: u32) -> EndingSource {
        EndingSource {
            share: one(),
            pieces: pieces.iter().map(|&name| name.to_owned().try_into().unwrap()).collect(),
            min_pawns: pawns[0],
            max_pawns: pawns[1],
            pawn_difference,
            max_score: 600,
        }
    }

    fn drawn(source: &EndingSource, seed: u64) -> Vec<Position> {
        let mut random = SplitMix64::new(seed);
        (0..400).filter_map(|_| source.draw(&mut random)).collect()
    }

    #[test]
    fn endings_have_the_requested_pieces_and_pawns() {
        let source = source(&["KRvKR", "KBvKN"], [1, 5], 1);
        let positions = drawn(&source, 1);
        assert_eq!(positions, drawn(&source, 1));
        assert_ne!(positions, drawn(&source, 2));
        assert!(positions.len() > 200, "{} of 400 are legal", positions.len());
        let mut pieces = HashSet::new();
        let mut pawns = HashSet::new();
        for position in &positions {
            let count = |color, kind| position.pieces_of(color, kind).count();
            let [white, black] = Color::ALL.map(|color| count(color, PieceType::Pawn));
            assert!((1..=5).contains(&white) && (1..=5).contains(&black) && white.abs_diff(black) <= 1);
            pawns.insert((white, black));
            let kinds = [PieceType::Rook, PieceType::Bishop, PieceType::Knight, PieceType::Queen];
            pieces.insert(Color::ALL.map(|color| kinds.map(|kind| count(color, kind))));
            // The FEN is read again: the position is legal and its clock and move number are those of an ending.
            assert_eq!(Position::from_fen(&position.to_string()).as_ref(), Ok(position));
            assert_eq!((position.halfmove_clock(), u32::from(position.fullmove_number())), (0, MOVE_NUMBER));
        }
        // Rook against rook, and the bishop on either side.
        let (rook, bishop, knight) = ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]);
        assert_eq!(pieces, HashSet::from([[rook, rook], [bishop, knight], [knight, bishop]]));
        assert_eq!(pawns.len(), 5 + 2 * 4);
    }

    #[test]
    fn pawns_are_often_opposed_and_near_their_own_side() {
        let positions = drawn(&source(&["KvK"], [4, 4], 0), 3);
        let files = |position: &Position, color| -> HashSet<File> {
            position.pieces_of(color, PieceType::Pawn).into_iter().map(Square::file).collect()
        };
        let shared: usize = positions
            .iter()
            .map(|position| {
                files(position, Color::White).intersection(&files(position, Color::Black)).count()
            })
            .sum();
        assert!(shared > 2 * positions.len(), "{shared} shared files in {} positions", positions.len());
        let ranks = positions.iter().flat_map(|position| position.pieces_of(Color::White, PieceType::Pawn));
        let near = ranks.filter(|square| square.rank() <= Rank::from_index(3)).count();
        assert!(near > 5 * positions.len() / 2, "{near} pawns on the ranks 2 to 4");
    }

    #[test]
    fn pieces_are_read_and_written_by_name() {
        let read: EndingSource = serde_yaml::from_str("{ pieces: [krpvkr] }").unwrap();
        assert_eq!((read.min_pawns, read.max_pawns, read.max_score), (0, 0, 600));
        assert!(serde_yaml::to_string(&read).unwrap().contains("- KRPvKR"));
        let refused = serde_yaml::from_str::<EndingSource>("{ pieces: [KXvK] }").unwrap_err().to_string();
        assert!(refused.contains("invalid material `KXvK`"), "{refused}");
    }
}
