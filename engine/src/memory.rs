//! Fallible memory allocation: running out of memory becomes an error value instead of a process
//! abort.
//!
//! A thread allocates its state when it starts, and the hash table when its size is set. Both
//! succeed only if `HEADROOM` remains for the small allocations of a search. The module is
//! independent of the use of the memory.

use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

use memmap2::MmapMut;
use thiserror::Error;

use crate::machine::huge_pages::HUGE_PAGE;

/// Reserve for small allocations that are not checked one by one. Units: bytes.
const HEADROOM: usize = 8 << 20;

/// The system refused an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the system refused to allocate more memory")]
pub struct OutOfMemory;

/// Allocates a boxed slice of `count` entries.
///
/// Errors: [`OutOfMemory`] if the allocation fails.
pub(crate) fn boxed<T>(count: usize, entry: impl FnMut() -> T) -> Result<Box<[T]>, OutOfMemory> {
    let mut entries = Vec::new();
    reserve(&mut entries, count)?;
    entries.resize_with(count, entry);
    Ok(entries.into_boxed_slice())
}

/// Reserves capacity for `count` more entries.
///
/// Errors: [`OutOfMemory`] if the allocation fails.
pub(crate) fn reserve<T>(list: &mut Vec<T>, count: usize) -> Result<(), OutOfMemory> {
    list.try_reserve_exact(count).map_err(|_| OutOfMemory)
}

/// Maps zeroed bytes from the system. Returns the mapping and the offset of the first byte in it.
///
/// The pages are untouched: they cost memory once they are used, on the memory node of the thread
/// that first writes them. Memory of [`HUGE_PAGE`] or more starts at the border of a huge page and
/// asks for huge pages, because the kernel backs only whole, aligned ones; kernels before 6.7 align
/// no mapping.
///
/// Errors: [`OutOfMemory`] if the mapping fails.
pub(crate) fn map_zeroed(bytes: usize) -> Result<(MmapMut, usize), OutOfMemory> {
    // Room to begin at the border of a huge page. The rest is never touched.
    let padding = if bytes < HUGE_PAGE { 0 } else { HUGE_PAGE };
    let mapped = bytes.checked_add(padding).filter(|&mapped| isize::try_from(mapped).is_ok());
    let map = MmapMut::map_anon(mapped.ok_or(OutOfMemory)?).map_err(|_| OutOfMemory)?;
    let start = if padding > 0 { map.as_ptr().addr().wrapping_neg() % HUGE_PAGE } else { 0 };
    // Best effort: without huge pages the memory works, only slower.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = map.advise_range(memmap2::Advice::HugePage, start, bytes);
    Ok((map, start))
}

/// Checks that the headroom of a search is available. To be called after all other allocations.
///
/// Errors: [`OutOfMemory`] if it is not.
pub(crate) fn check_headroom() -> Result<(), OutOfMemory> {
    check_available(0)
}

/// Checks that `bytes` and the headroom of a search are available; meaningful while no other thread
/// allocates.
///
/// Asks the system, because free memory in one thread's heap is of no use to another. If the address
/// space is limited, as by `ulimit -v`, the check only computes: a temporary mapping, as used
/// otherwise, could take the last memory for a moment, and a small allocation of another thread would
/// then abort the process.
///
/// Errors: [`OutOfMemory`] if it is not.
pub(crate) fn check_available(bytes: usize) -> Result<(), OutOfMemory> {
    let wanted = bytes.saturating_add(HEADROOM);
    match address_space_left() {
        Some(left) if wanted as u64 > left => Err(OutOfMemory),
        Some(_) => Ok(()),
        None => MmapMut::map_anon(wanted).map(drop).map_err(|_| OutOfMemory),
    }
}

/// Returns how much the address space of this process may grow; `None` if it is not limited, or if
/// the system does not tell. Allocates nothing after the first call. Units: bytes.
fn address_space_left() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    let limit = *LIMIT.get_or_init(|| with_file("/proc/self/limits", limit_of));
    let used = |status: &str| number_after(status, "VmSize:").map(|kibibytes| kibibytes * 1024);
    limit.map(|limit| limit.saturating_sub(with_file("/proc/self/status", used).unwrap_or(0)))
}

/// Parses the soft limit of the address space from `/proc/self/limits`. Units: bytes.
fn limit_of(limits: &str) -> Option<u64> {
    number_after(limits, "Max address space")
}

/// Returns the number after a name at the start of a line.
fn number_after(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

/// Reads the beginning of a small file without an allocation.
fn with_file<T>(path: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    let mut buffer = [0; 4096];
    let length = File::open(path).and_then(|mut file| file.read(&mut buffer)).ok()?;
    read(str::from_utf8(&buffer[..length]).ok()?)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn impossible_allocations_return_an_error() {
        assert_eq!(boxed(3, || 7).as_deref(), Ok(&[7, 7, 7][..]));
        assert_eq!(
            boxed(1 << 60, || 0_u8).map(|entries| std::hint::black_box(entries).len()),
            Err(OutOfMemory)
        );
        assert_eq!(check_headroom(), Ok(()));
        for bytes in [isize::MAX as usize, usize::MAX] {
            assert_eq!(map_zeroed(bytes).err(), Some(OutOfMemory));
        }
    }

    #[test]
    fn limits_and_sizes_are_parsed_from_the_files_of_the_process() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max address space         307200000            unlimited            bytes     \n";
        assert_eq!(limit_of(limits), Some(307_200_000));
        assert_eq!(limit_of(&limits.replace("307200000", "unlimited")), None);
        assert_eq!(number_after("Name:\tstretto\nVmSize:\t  1234 kB\n", "VmSize:"), Some(1234));
        assert_eq!(number_after("Name:\tstretto\n", "VmSize:"), None);
        if cfg!(target_os = "linux") {
            let used = with_file("/proc/self/status", |status| number_after(status, "VmSize:"));
            assert!(used.is_some_and(|kibibytes| kibibytes > 100), "{used:?}");
        }
        assert_eq!(with_file("/nonexistent", |_| Some(1)), None);
    }

    #[test]
    fn large_mappings_start_at_a_huge_page() {
        for bytes in [HUGE_PAGE, HUGE_PAGE + 64, 5 * HUGE_PAGE] {
            let (map, start) = map_zeroed(bytes).expect("a few mebibytes");
            assert_eq!((map.as_ptr().addr() + start) % HUGE_PAGE, 0);
            assert!(map.len() >= start + bytes);
            assert!(map[start..].iter().step_by(4096).all(|&byte| byte == 0));
        }
    }
}
