//! Files beside the journal of a run.

use crate::run::StoreError;

/// Files beside the journal: made from it (`games.pgn`), or holding what its lines vouch for
/// (`games.vf`).
pub trait CompanionFiles<R>: Sized {
    /// Data of a record that the journal does not keep.
    type Payload: Send;

    /// Follows a record of an earlier session.
    fn replay(&mut self, _record: &R) -> Result<(), StoreError> {
        Ok(())
    }
    /// Ends the replay of earlier sessions.
    fn resume(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Writes data that must precede the line of the journal, and completes the record.
    fn write_before(&mut self, _record: &mut R, _payload: &Self::Payload) -> Result<(), StoreError> {
        Ok(())
    }
    /// Writes data made from the line of the journal.
    fn write_after(&mut self, _record: &R) -> Result<(), StoreError> {
        Ok(())
    }
    /// Returns when everything is on disk that the journal vouches for.
    fn sync(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<R> CompanionFiles<R> for () {
    type Payload = ();
}
