//! The file of a network, version 1. All numbers are little-endian.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `STRETTO` and a line feed |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | inputs: 1, the 768 of `features` |
//! | 16 | 4 | hidden neurons, `H`: a multiple of 64 |
//! | 20 | 4 | output buckets: 8 |
//! | 24 | 4 | what 1 is in the first layer: 255 |
//! | 28 | 4 | what 1 is in the weights of the second: 64 |
//! | 32 | 4 | what an output of 1 is worth, in centipawns |
//! | 36 | 4 | zero |
//! | 40 | 16 | names the training: half of the BLAKE3 hash of its manifest |
//! | 56 | 8 | FNV-1a of everything else, of 64 bits |
//! | 64 | 768·H·2 | first layer, by input, then by neuron |
//! | | H·2 | its biases |
//! | | 8·2·H·2 | second layer, by bucket, the mover's neurons before the other side's |
//! | | 8·4 | its biases, in 1/(255·64) |

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{BUCKETS, FEATURES, GRANULE, HIDDEN_ONE, MAX_HIDDEN, OUTPUT_ONE, Weights};
use crate::files;
use crate::memory::has_room;

const MAGIC: &[u8; 8] = b"STRETTO\n";
const VERSION: u32 = 1;
const INPUTS: u32 = 1;
const CHECKSUM: std::ops::Range<usize> = 56..64;
const HEADER: usize = 64;
const MAX_SCALE: i32 = 10_000;
/// Pieces on a board, at most.
const MAX_PIECES: usize = 32;

/// A network file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("network {}: {fault}", path.display())]
pub struct NetworkError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a network.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each says it in its message")]
pub enum Fault {
    #[error("{0}")]
    Unreadable(String),
    #[error("not a network of Stretto: it does not begin with 'STRETTO'")]
    Magic,
    #[error("the header should have {HEADER} bytes, the file ends after {length}")]
    Header { length: usize },
    #[error("at byte {offset}: {field} is {found}, this program takes {expected}")]
    Field { offset: usize, field: &'static str, found: i64, expected: String },
    #[error("with {hidden} hidden neurons it should have {expected} bytes, it has {found}")]
    Length { hidden: usize, expected: usize, found: usize },
    #[error("damaged: its checksum is {found:016x}, its header says {expected:016x}")]
    Checksum { found: u64, expected: u64 },
    #[error("{layer} should have {expected} weights, it has {found}")]
    Shape { layer: &'static str, expected: usize, found: usize },
    #[error("first layer, neuron {neuron}: {MAX_PIECES} pieces can bring its sum to {sum}, beyond 16 bits")]
    HiddenOverflow { neuron: usize, sum: i64 },
    #[error(
        "second layer, bucket {bucket}, neuron {neuron}: weight {weight} times {HIDDEN_ONE} is beyond 16 bits"
    )]
    OutputWeight { bucket: usize, neuron: usize, weight: i16 },
    #[error("second layer, bucket {bucket}: its sum can get to {sum}, beyond 32 bits")]
    OutputOverflow { bucket: usize, sum: i64 },
    #[error("an output of 1 is worth {0} centipawns, it should be 1 to {MAX_SCALE}")]
    Scale(i32),
}

impl Weights {
    /// How many neurons each side has.
    pub fn hidden(&self) -> usize {
        self.biases.len()
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(length(self.hidden()));
        bytes.extend_from_slice(MAGIC);
        let hidden = self.hidden() as u32;
        for field in [VERSION, INPUTS, hidden, BUCKETS as u32, HIDDEN_ONE as u32, OUTPUT_ONE as u32] {
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

    /// The weights in a file.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let at = |fault| NetworkError { path: path.to_owned(), fault };
        let bytes = files::read(path, length(MAX_HIDDEN) as u64)
            .map_err(|error| at(Fault::Unreadable(error.to_string())))?;
        // For the weights, and for the same in lines.
        has_room(2 * bytes.len()).map_err(|refused| at(Fault::Unreadable(refused.to_string())))?;
        Self::from_bytes(&bytes).map_err(at)
    }

    /// The weights in the bytes of a file.
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
            (12, "the sort of inputs", INPUTS as i32),
            (20, "the number of output buckets", BUCKETS as i32),
            (24, "1 in the first layer", HIDDEN_ONE),
            (28, "1 in the second layer", OUTPUT_ONE),
            (36, "what is kept free", 0),
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
            let expected = format!("multiples of {GRANULE} up to {MAX_HIDDEN}");
            let found = field(16).into();
            return Err(Fault::Field { offset: 16, field: "the number of hidden neurons", found, expected });
        };
        if bytes.len() != length(hidden) {
            return Err(Fault::Length { hidden, expected: length(hidden), found: bytes.len() });
        }
        let (found, expected) = (checksum(bytes), u64::from_le_bytes(array(&bytes[CHECKSUM])));
        if found != expected {
            return Err(Fault::Checksum { found, expected });
        }
        let mut rest = &bytes[HEADER..];
        let mut take = |count: usize| -> Vec<i16> {
            let (here, after) = rest.split_at(2 * count);
            rest = after;
            here.chunks_exact(2).map(|pair| i16::from_le_bytes(array(pair))).collect()
        };
        let (rows, biases, outputs) = (take(FEATURES * hidden), take(hidden), take(BUCKETS * 2 * hidden));
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

/// Do the shapes agree, and can no position make a sum overflow?
///
/// A neuron's sum is at most its bias and the weights of 32 inputs that can be there together: one of own king and
/// their king each, and thirty others.
pub(super) fn check(weights: &Weights) -> Result<(), Fault> {
    let hidden = weights.hidden();
    let shapes = [
        ("the first layer", FEATURES * hidden, weights.rows.len()),
        ("the second layer", BUCKETS * 2 * hidden, weights.outputs.len()),
    ];
    if !is_size(hidden) {
        let expected = hidden.next_multiple_of(GRANULE).clamp(GRANULE, MAX_HIDDEN);
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
        let sum = extreme_sum(weights, neuron);
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
        let sum: i64 = set.iter().map(|&weight| i64::from(weight).abs() * one * one).sum();
        if sum + i64::from(weights.output_biases[bucket]).abs() > i64::from(i32::MAX) {
            return Err(Fault::OutputOverflow { bucket, sum });
        }
    }
    Ok(())
}

/// The farthest from zero that a neuron's sum can get with the pieces of a board: no more than one piece a square.
fn extreme_sum(weights: &Weights, neuron: usize) -> i64 {
    let hidden = weights.hidden();
    let extreme = |sign: i64| {
        let mut by_square: Vec<i64> = (0..64)
            .map(|square| {
                let pieces = (0..FEATURES / 64).map(|piece| 64 * piece + square);
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
    (1..=MAX_HIDDEN).contains(&hidden) && hidden.is_multiple_of(GRANULE)
}

fn length(hidden: usize) -> usize {
    HEADER + 2 * hidden * (FEATURES + 1 + 2 * BUCKETS) + 4 * BUCKETS
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|index| bytes[index])
}

/// FNV-1a (Fowler, Noll, Vo), the checksum's own bytes left out.
fn checksum(bytes: &[u8]) -> u64 {
    let rest = bytes[..CHECKSUM.start].iter().chain(&bytes[CHECKSUM.end..]);
    rest.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
