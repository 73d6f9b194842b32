//! The network file format, version 1. All numbers are little-endian.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | `STRETTO` and a line feed |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | king buckets `K`: 4, or 1 in files of earlier versions, whose weights count for all |
//! | 16 | 4 | hidden neurons `H`: a multiple of 64 |
//! | 20 | 4 | output buckets: 8 |
//! | 24 | 4 | quantisation unit of the first layer: 255 |
//! | 28 | 4 | quantisation unit of the second layer's weights: 64 |
//! | 32 | 4 | scale: centipawns per output of 1 |
//! | 36 | 4 | reserved: zero |
//! | 40 | 16 | training run: half of the BLAKE3 hash of its manifest |
//! | 56 | 8 | 64-bit FNV-1a checksum of everything else |
//! | 64 | K·768·H·2 | weights of the first layer, by feature, then by neuron |
//! | | H·2 | biases of the first layer |
//! | | 8·2·H·2 | weights of the second layer, by bucket, the mover's neurons first |
//! | | 8·4 | biases of the second layer, in 1/(255·64) |

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::features::{FEATURES, KING_BUCKETS, PIECE_FEATURES};
use super::kernels::HIDDEN_MULTIPLE;
use super::weights::{BUCKETS, HIDDEN_ONE, MAX_HIDDEN, OUTPUT_ONE, Weights};
use crate::files;
use crate::memory::check_available;

const MAGIC: &[u8; 8] = b"STRETTO\n";
const VERSION: u32 = 1;
pub(super) const CHECKSUM: std::ops::Range<usize> = 56..64;
const HEADER: usize = 64;
const MAX_SCALE: i32 = 10_000;
/// Maximum number of pieces on the board.
const MAX_PIECES: usize = 32;

/// Error for a network file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("network {}: {fault}", path.display())]
pub struct NetworkError {
    /// The path of the file.
    pub path: PathBuf,
    /// The reason why the file is rejected.
    pub fault: Fault,
}

/// Reason why a network cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum Fault {
    #[error("{0}")]
    Unreadable(String),
    #[error("not a Stretto network: expected 'STRETTO' at the start of the file")]
    Magic,
    #[error("expected a header of {HEADER} bytes, the file ends after {length}")]
    Header { length: usize },
    #[error("at byte {offset}: {field} is {found}, expected {expected}")]
    Field { offset: usize, field: &'static str, found: i64, expected: String },
    #[error("expected {expected} bytes for {hidden} hidden neurons, found {found}")]
    Length { hidden: usize, expected: usize, found: usize },
    #[error("checksum mismatch: computed {found:016x}, the header has {expected:016x}")]
    Checksum { found: u64, expected: u64 },
    #[error("{layer}: expected {expected} weights, found {found}")]
    Shape { layer: &'static str, expected: usize, found: usize },
    #[error(
        "first layer, neuron {neuron}: its sum can reach {sum} with {MAX_PIECES} pieces, which exceeds 16 bits"
    )]
    HiddenOverflow { neuron: usize, sum: i64 },
    #[error(
        "second layer, bucket {bucket}, neuron {neuron}: weight {weight} times {HIDDEN_ONE} exceeds 16 bits"
    )]
    OutputWeight { bucket: usize, neuron: usize, weight: i16 },
    #[error("second layer, bucket {bucket}: its sum can reach {sum}, which exceeds 32 bits")]
    OutputOverflow { bucket: usize, sum: i64 },
    #[error("the scale is {0} centipawns, expected 1 to {MAX_SCALE}")]
    Scale(i32),
}

impl Weights {
    /// Returns the number of neurons per side.
    pub fn hidden(&self) -> usize {
        self.biases.len()
    }

    /// Encodes the weights in the file format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length(self.hidden(), KING_BUCKETS));
        bytes.extend_from_slice(MAGIC);
        let hidden = self.hidden() as u32;
        for field in
            [VERSION, KING_BUCKETS as u32, hidden, BUCKETS as u32, HIDDEN_ONE as u32, OUTPUT_ONE as u32]
        {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.extend_from_slice(&self.scale.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.manifest);
        bytes.extend_from_slice(&[0; 8]);
        for weight in self.rows.iter().chain(&self.biases).chain(&self.outputs) {
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
        for bias in self.output_biases {
            bytes.extend_from_slice(&bias.to_le_bytes());
        }
        let checksum = checksum(&bytes);
        bytes[CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Loads the weights from a file.
    ///
    /// Errors: [`NetworkError`] if the file cannot be read or is not a valid network.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let at = |fault| NetworkError { path: path.to_owned(), fault };
        let bytes = files::read(path, length(MAX_HIDDEN, KING_BUCKETS) as u64)
            .map_err(|error| at(Fault::Unreadable(error.to_string())))?;
        Self::from_bytes(&bytes).map_err(at)
    }

    /// Decodes the weights from the bytes of a file.
    ///
    /// Errors: [`Fault`] with the position and the expected value, or [`Fault::Unreadable`] without memory
    /// for the weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let magic = &bytes[..bytes.len().min(MAGIC.len())];
        if magic.is_empty() || !MAGIC.starts_with(magic) {
            return Err(Fault::Magic);
        }
        if bytes.len() < HEADER {
            return Err(Fault::Header { length: bytes.len() });
        }
        let field = |offset: usize| i32::from_le_bytes(array(&bytes[offset..offset + 4]));
        let fixed = [
            (8, "the version", VERSION as i32),
            (20, "the number of output buckets", BUCKETS as i32),
            (24, "the unit of the first layer", HIDDEN_ONE),
            (28, "the unit of the second layer", OUTPUT_ONE),
            (36, "the reserved field", 0),
        ];
        for (offset, name, expected) in fixed {
            let found = field(offset);
            if found != expected {
                let expected = expected.to_string();
                return Err(Fault::Field { offset, field: name, found: found.into(), expected });
            }
        }
        let hidden = usize::try_from(field(16)).ok().filter(|&hidden| is_size(hidden));
        let Some(hidden) = hidden else {
            let expected = format!("a multiple of {HIDDEN_MULTIPLE} up to {MAX_HIDDEN}");
            let found = field(16).into();
            return Err(Fault::Field { offset: 16, field: "the number of hidden neurons", found, expected });
        };
        let king_buckets = usize::try_from(field(12)).ok().filter(|count| [1, KING_BUCKETS].contains(count));
        let Some(king_buckets) = king_buckets else {
            let (expected, found) = (format!("1 or {KING_BUCKETS}"), field(12).into());
            return Err(Fault::Field { offset: 12, field: "the number of king buckets", found, expected });
        };
        let expected = length(hidden, king_buckets);
        if bytes.len() != expected {
            return Err(Fault::Length { hidden, expected, found: bytes.len() });
        }
        let (found, expected) = (checksum(bytes), u64::from_le_bytes(array(&bytes[CHECKSUM])));
        if found != expected {
            return Err(Fault::Checksum { found, expected });
        }
        // Memory for the weights, and for their copy in cache lines.
        check_available(2 * length(hidden, KING_BUCKETS))
            .map_err(|refused| Fault::Unreadable(refused.to_string()))?;
        let mut rest = &bytes[HEADER..];
        let mut take = |count: usize| -> Vec<i16> {
            let (here, after) = rest.split_at(2 * count);
            rest = after;
            here.chunks_exact(2).map(|pair| i16::from_le_bytes(array(pair))).collect()
        };
        let mut rows = take(king_buckets * PIECE_FEATURES * hidden);
        if king_buckets < KING_BUCKETS {
            rows = rows.repeat(KING_BUCKETS);
        }
        let (biases, outputs) = (take(hidden), take(BUCKETS * 2 * hidden));
        Ok(Self {
            rows,
            biases,
            outputs,
            output_biases: std::array::from_fn(|bucket| i32::from_le_bytes(array(&rest[4 * bucket..][..4]))),
            scale: field(32),
            manifest: array(&bytes[40..56]),
        })
    }
}

/// Checks that the shapes agree and that no position can cause an overflow.
///
/// A neuron's sum is bounded by its bias and the weights of at most 32 features with at most one
/// per square. A sum of the second layer, also a partial one, is bounded by its positive and by its
/// negative weights: no neuron is negative.
pub(super) fn check(weights: &Weights) -> Result<(), Fault> {
    let hidden = weights.hidden();
    let shapes = [
        ("the first layer", FEATURES * hidden, weights.rows.len()),
        ("the second layer", BUCKETS * 2 * hidden, weights.outputs.len()),
    ];
    if !is_size(hidden) {
        let expected = hidden.next_multiple_of(HIDDEN_MULTIPLE).clamp(HIDDEN_MULTIPLE, MAX_HIDDEN);
        return Err(Fault::Shape { layer: "the hidden layer", expected, found: hidden });
    }
    for (layer, expected, found) in shapes {
        if expected != found {
            return Err(Fault::Shape { layer, expected, found });
        }
    }
    if !(1..=MAX_SCALE).contains(&weights.scale) {
        return Err(Fault::Scale(weights.scale));
    }
    for neuron in 0..hidden {
        let sum = (0..KING_BUCKETS).map(|bucket| extreme_sum(weights, bucket, neuron)).max().unwrap_or(0);
        if sum > i64::from(i16::MAX) {
            return Err(Fault::HiddenOverflow { neuron, sum });
        }
    }
    for (bucket, set) in weights.outputs.chunks_exact(2 * hidden).enumerate() {
        let widest = i64::from(i16::MAX) / i64::from(HIDDEN_ONE);
        if let Some(neuron) = set.iter().position(|&weight| i64::from(weight).abs() > widest) {
            return Err(Fault::OutputWeight { bucket, neuron, weight: set[neuron] });
        }
        let one = i64::from(HIDDEN_ONE);
        let side =
            |sign: i64| set.iter().map(|&weight| (sign * i64::from(weight)).max(0) * one * one).sum::<i64>();
        let sum = side(1).max(side(-1));
        if sum + i64::from(weights.output_biases[bucket]).abs() > i64::from(i32::MAX) {
            return Err(Fault::OutputOverflow { bucket, sum });
        }
    }
    Ok(())
}

/// Returns the largest absolute value of a neuron's sum over all sets of up to 32 pieces, at most
/// one per square, with the king in a bucket.
fn extreme_sum(weights: &Weights, king_bucket: usize, neuron: usize) -> i64 {
    let hidden = weights.hidden();
    let extreme = |sign: i64| {
        let mut by_square: Vec<i64> = (0..64)
            .map(|square| {
                let pieces =
                    (0..PIECE_FEATURES / 64).map(|piece| king_bucket * PIECE_FEATURES + 64 * piece + square);
                let best =
                    pieces.map(|feature| sign * i64::from(weights.rows[feature * hidden + neuron])).max();
                best.unwrap_or(0).max(0)
            })
            .collect();
        by_square.sort_unstable_by(|one, other| other.cmp(one));
        by_square[..MAX_PIECES].iter().sum::<i64>() + sign * i64::from(weights.biases[neuron])
    };
    extreme(1).max(extreme(-1))
}

fn is_size(hidden: usize) -> bool {
    (1..=MAX_HIDDEN).contains(&hidden) && hidden.is_multiple_of(HIDDEN_MULTIPLE)
}

fn length(hidden: usize, king_buckets: usize) -> usize {
    HEADER + 2 * hidden * (king_buckets * PIECE_FEATURES + 1 + 2 * BUCKETS) + 4 * BUCKETS
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|index| bytes[index])
}

/// Computes the FNV-1a checksum (Fowler, Noll, Vo), skipping the checksum field itself.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let rest = bytes[..CHECKSUM.start].iter().chain(&bytes[CHECKSUM.end..]);
    rest.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
