//! Checkpoint file: the training state between two epochs.
//!
//! `STRETTO TRAINING`, the version (4 bytes), the hidden neurons (4), the steps (8), then
//! parameters, first and second moments as floats, and the BLAKE3 hash of everything before (32).
//! Little-endian.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::adam::Moments;
use super::model::{Parameters, Shape};
use stretto_harness::base::errors::FileResult;
use stretto_harness::run::write_atomically;

const MAGIC: &[u8; 16] = b"STRETTO TRAINING";
/// Raised when the layout of the parameters changes.
const VERSION: u32 = 3;
const HEADER: usize = 32;
const HASH: usize = 32;

/// Returns the error of a checkpoint that cannot be used.
fn unusable(path: &Path, what: &str) -> anyhow::Error {
    anyhow!("checkpoint {}: {what}", path.display())
}

/// The mutable state of a training run.
pub(super) struct Checkpoint {
    pub(super) parameters: Parameters,
    pub(super) moments: Moments,
    pub(super) steps: u64,
}

/// Returns the path of the checkpoint before the one at `path`.
fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous.bin")
}

impl Checkpoint {
    /// Writes the state after an epoch, and keeps the checkpoint before it as the previous one.
    ///
    /// A run that is killed before the journal has the epoch is resumed from the previous one.
    pub(super) fn write(
        path: &Path,
        parameters: &Parameters,
        moments: &Moments,
        steps: u64,
    ) -> anyhow::Result<()> {
        let floats = parameters.values.len() + 2 * moments.means.len();
        let mut bytes = Vec::with_capacity(HEADER + 4 * floats + HASH);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(parameters.shape().hidden as u32).to_le_bytes());
        bytes.extend_from_slice(&steps.to_le_bytes());
        for value in parameters.values.iter().chain(&moments.means).chain(&moments.squares) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        let kept = match std::fs::rename(path, previous(path)) {
            // The first epoch has no checkpoint before it.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            other => other,
        };
        let written = kept.and_then(|()| write_atomically(path, &bytes));
        written.or_cannot("write", path)
    }

    /// Returns the checkpoint after `steps` steps: that at `path`, or the previous one, which then
    /// takes its place.
    ///
    /// Errors: neither can be used; the error is that of the checkpoint at `path`.
    pub(super) fn find(path: &Path, hidden: usize, steps: u64) -> anyhow::Result<Self> {
        let error = match Self::read_after(path, hidden, steps) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let earlier = previous(path);
        let Ok(found) = Self::read_after(&earlier, hidden, steps) else { return Err(error) };
        // Otherwise the next checkpoint would replace it by the one that is ahead of the journal.
        std::fs::rename(&earlier, path)
            .map_err(|error| unusable(&earlier, &format!("cannot rename: {error}")))?;
        Ok(found)
    }

    /// Reads a checkpoint that must be the one after `steps` steps.
    fn read_after(path: &Path, hidden: usize, steps: u64) -> anyhow::Result<Self> {
        let found = Self::read(path, hidden)?;
        if found.steps == steps {
            return Ok(found);
        }
        let what = format!("found step {}, expected step {steps} as in the journal", found.steps);
        Err(unusable(path, &what))
    }

    /// Reads a checkpoint of a network with this number of hidden neurons.
    fn read(path: &Path, hidden: usize) -> anyhow::Result<Self> {
        let fail = |what: &str| unusable(path, what);
        let bytes = std::fs::read(path).map_err(|error| fail(&format!("cannot read: {error}")))?;
        let shape = Shape { hidden };
        let moments = shape.len() + shape.shared();
        let expected = HEADER + 4 * (shape.len() + 2 * moments) + HASH;
        if !bytes.starts_with(MAGIC) {
            return Err(fail("expected a file that begins with 'STRETTO TRAINING'"));
        }
        if bytes.len() != expected {
            return Err(fail(&format!(
                "expected {expected} bytes for {hidden} neurons, found {}",
                bytes.len()
            )));
        }
        let (content, hash) = bytes.split_at(expected - HASH);
        if blake3::hash(content).as_bytes() != hash {
            return Err(fail("damaged: wrong hash"));
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| content[at + index]));
        if (word(16), word(20) as usize) != (VERSION, hidden) {
            return Err(fail(&format!("found version {} with {} neurons", word(16), word(20))));
        }
        let steps = u64::from_le_bytes(std::array::from_fn(|index| content[24 + index]));
        let floats = content[HEADER..].chunks_exact(4);
        let floats: Vec<f32> =
            floats.map(|bytes| f32::from_le_bytes(std::array::from_fn(|index| bytes[index]))).collect();
        let (values, rest) = floats.split_at(shape.len());
        let (means, squares) = rest.split_at(moments);
        let parameters = Parameters { hidden, values: values.to_vec() };
        Ok(Self { parameters, moments: Moments { means: means.to_vec(), squares: squares.to_vec() }, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoint_round_trips_and_damage_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        let parameters = Parameters::random(64, 1);
        let mut moments = Moments::new(parameters.shape());
        moments.squares[7] = 0.25;
        Checkpoint::write(&path, &parameters, &moments, 99).unwrap();
        let found = Checkpoint::read(&path, 64).unwrap();
        assert_eq!((found.parameters, found.moments, found.steps), (parameters, moments, 99));
        let whole = std::fs::read(&path).unwrap();
        let error = |bytes: &[u8], hidden| {
            std::fs::write(&path, bytes).unwrap();
            Checkpoint::read(&path, hidden).map(|_| ()).unwrap_err().to_string()
        };
        assert!(error(&whole, 128).contains("bytes for 128 neurons, found"));
        assert!(error(&whole[..whole.len() - 1], 64).contains("bytes for 64 neurons, found"));
        assert!(error(b"something", 64).contains("that begins with"));
        let mut damaged = whole;
        damaged[1000] ^= 1;
        assert!(error(&damaged, 64).contains("damaged"));
    }

    #[test]
    fn resume_uses_the_previous_checkpoint_if_the_current_one_is_ahead() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        let write = |seed, steps| {
            let parameters = Parameters::random(64, seed);
            let moments = Moments::new(parameters.shape());
            Checkpoint::write(&path, &parameters, &moments, steps).unwrap();
            parameters
        };
        let find = |steps| Checkpoint::find(&path, 64, steps).map(|found| found.parameters);
        let first = write(1, 10);
        write(2, 20);
        assert_eq!(find(10).unwrap(), first);
        // It is the current one now, so that the epoch can be killed at the same place again.
        write(2, 20);
        assert_eq!(find(10).unwrap(), first);
        // A kill between the two files leaves only the previous one.
        std::fs::rename(&path, previous(&path)).unwrap();
        assert_eq!(find(10).unwrap(), first);
        let error = find(20).unwrap_err().to_string();
        assert!(error.contains("found step 10, expected step 20 as in the journal"), "{error}");
    }
}
