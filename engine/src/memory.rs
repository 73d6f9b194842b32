//! Memory that may be refused: asked for before it is needed, so that a refusal is an answer and not the program's end.
//!
//! What a thread keeps is asked for when the thread starts, the hash table when its size is set, and each of them only
//! where `HEADROOM` is left for what a search takes on its way. It knows nothing of what the memory is for.

use memmap2::MmapMut;
use thiserror::Error;

/// Lines, lists, a thread's start: too small to be asked for each time. Units: bytes.
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

/// Room for so many entries more.
///
/// Errors: there is no memory for them.
pub(crate) fn reserve<T>(list: &mut Vec<T>, count: usize) -> Result<(), OutOfMemory> {
    list.try_reserve_exact(count).map_err(|_| OutOfMemory)
}

/// Whoever asks this last, after what he took himself, knows that a search has enough to work with.
///
/// Errors: there is not.
pub(crate) fn has_headroom() -> Result<(), OutOfMemory> {
    has_room(0)
}

/// Is there room for so many bytes, and for a search besides? Meanwhile nobody else must want memory.
///
/// Asked of the system itself, not of the heap: what one thread's heap has left is of no use to another.
///
/// Errors: there is not.
pub(crate) fn has_room(bytes: usize) -> Result<(), OutOfMemory> {
    MmapMut::map_anon(bytes.saturating_add(HEADROOM)).map(drop).map_err(|_| OutOfMemory)
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
