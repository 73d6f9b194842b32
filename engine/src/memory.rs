//! Memory that may be refused: asked for before it is needed, so that a refusal is an answer and not the program's end.
//!
//! What a thread keeps is asked for when the thread starts, the hash table when its size is set, and each of them only
//! where `HEADROOM` is left for what a search takes on its way. It knows nothing of what the memory is for.

use thiserror::Error;

/// Lines, lists, what a wider network than the built-in one sums up: too small and too seldom to be asked for each time.
/// Units: bytes.
const HEADROOM: usize = 8 << 20;

/// The system said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the system grants no more memory")]
pub struct OutOfMemory;

/// So many entries.
///
/// Errors: there is no memory for them.
pub(crate) fn boxed<T>(count: usize, entry: impl FnMut() -> T) -> Result<Box<[T]>, OutOfMemory> {
    let mut entries = Vec::new();
    reserve(&mut entries, count)?;
    entries.resize_with(count, entry);
    Ok(entries.into_boxed_slice())
}

/// Room for so many entries in all, in a list that has none yet.
///
/// Errors: there is no memory for them.
pub(crate) fn reserve<T>(list: &mut Vec<T>, count: usize) -> Result<(), OutOfMemory> {
    list.try_reserve_exact(count).map_err(|_| OutOfMemory)
}

/// Whoever asks this last, after what he took himself, knows that a search has enough to work with.
///
/// Errors: there is not.
pub(crate) fn has_headroom() -> Result<(), OutOfMemory> {
    let mut room = Vec::<u8>::new();
    let granted = room.try_reserve_exact(HEADROOM);
    // An allocation that nobody looks at may be left out by the compiler.
    std::hint::black_box(&room);
    granted.map_err(|_| OutOfMemory)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert_eq!(boxed(3, || 7).as_deref(), Ok(&[7, 7, 7][..]));
        assert_eq!(boxed(1 << 60, || 0_u8).map(|entries| entries.len()), Err(OutOfMemory));
        assert_eq!(has_headroom(), Ok(()));
    }
}
