//! Networks: self-play games, training samples and training.

pub(crate) mod data;
pub(crate) mod datagen;
pub(crate) mod rules;
pub(crate) mod train;

use stretto_harness::run::{Entry, RunFolder, read_journal};

/// Returns the sum of a number over the records of the run so far.
///
/// Errors: the journal cannot be read or is damaged.
fn sum_of<R: Entry>(folder: &RunFolder, number: impl Fn(R) -> u64) -> anyhow::Result<u64> {
    let (journal, mut sum) = (folder.journal(), 0);
    let add = |record| {
        sum += number(record);
        Ok(())
    };
    if journal.exists() { read_journal(&journal, add).map(|()| sum) } else { Ok(0) }
}
