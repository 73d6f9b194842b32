//! Where the table's words live: fresh pages straight from the system, huge ones where it has them.
//!
//! A map of no file is zero, starts on a page, is not touched until used, and is refused without aborting; the
//! heap gives the first and the last only with the second or the third lost. A page comes into being when it is
//! first written, on the memory node of the thread that writes it. Huge pages save most of the misses of the
//! address cache, which a table reached at random otherwise has at nearly every probe.
//!
//! No unsafe code stands here: the map is owned beside the words that borrow it (`self_cell`), and bytes become
//! words by `zerocopy`. Models keep their words, which are not plain memory, in a box.

use thiserror::Error;

use crate::memory::has_headroom;
use crate::sync::atomic::AtomicU64;
use crate::types::Mebibytes;

/// Words in a cache line, which is the unit the table is made of.
pub(super) const LINE: usize = 8;

const BYTES_PER_LINE: u64 = 64;
const BYTES_PER_MEBIBYTE: u64 = 1 << 20;

/// Why there is no table of the size asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AllocationError {
    /// More than there is.
    #[error("a hash table of {} MiB was asked for, but the machine offers {} MiB", asked.0, limit.0)]
    BeyondMachine {
        /// The size asked for.
        asked: Mebibytes,
        /// Physical memory, or less where a control group allows less.
        limit: Mebibytes,
    },
    /// The system said no.
    #[error("the system refused {} MiB for the hash table", asked.0)]
    Refused {
        /// The size asked for.
        asked: Mebibytes,
    },
}

/// Zeroed words that start on a cache line.
pub(super) struct Words(Block);

impl Words {
    /// A block of `size`, untouched.
    pub(super) fn new(size: Mebibytes) -> Result<Self, AllocationError> {
        let refused = AllocationError::Refused { asked: size };
        if let Some(limit) = memory_limit()
            && size > limit
        {
            return Err(AllocationError::BeyondMachine { asked: size, limit });
        }
        let bytes = size.0.checked_mul(BYTES_PER_MEBIBYTE).ok_or(refused)?;
        let lines = usize::try_from(bytes / BYTES_PER_LINE).map_err(|_| refused)?;
        let words = Self::with_lines(lines).ok_or(refused)?;
        // A table that leaves nothing to search with is of no use.
        has_headroom().map_err(|_| refused)?;
        Ok(words)
    }

    /// A block of so many cache lines, at least one; `None` when the system refuses.
    pub(super) fn with_lines(lines: usize) -> Option<Self> {
        let words = lines.max(1).checked_mul(LINE)?;
        Block::zeroed(words).map(Self)
    }

    /// The words. Shape: a multiple of [`LINE`], starting on a line boundary.
    #[inline]
    pub(super) fn as_slice(&self) -> &[AtomicU64] {
        self.0.as_slice()
    }
}

#[cfg(not(loom))]
mod pages {
    use memmap2::MmapMut;
    use self_cell::{MutBorrow, self_cell};
    use zerocopy::FromBytes;

    use crate::sync::atomic::AtomicU64;

    type Slice<'a> = &'a [AtomicU64];

    self_cell! {
        /// Pages and, borrowed from them for good, their words.
        pub(super) struct Block {
            owner: MutBorrow<MmapMut>,
            #[covariant]
            dependent: Slice,
        }
    }

    impl Block {
        pub(super) fn zeroed(words: usize) -> Option<Self> {
            let bytes =
                words.checked_mul(size_of::<AtomicU64>()).filter(|&bytes| isize::try_from(bytes).is_ok())?;
            let map = MmapMut::map_anon(bytes).ok()?;
            // A wish: without huge pages the table is as good, only slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
            Self::try_new(MutBorrow::new(map), |map| {
                <[AtomicU64]>::mut_from_bytes(map.borrow_mut()).map(|words| &*words).map_err(|_| ())
            })
            .ok()
        }

        #[inline]
        pub(super) fn as_slice(&self) -> &[AtomicU64] {
            self.borrow_dependent()
        }
    }
}

#[cfg(not(loom))]
use pages::Block;

#[cfg(loom)]
struct Block(Box<[AtomicU64]>);

#[cfg(loom)]
#[expect(clippy::unnecessary_wraps, reason = "the shape of its namesake")]
impl Block {
    fn zeroed(words: usize) -> Option<Self> {
        Some(Self((0..words).map(|_| AtomicU64::new(0)).collect()))
    }

    fn as_slice(&self) -> &[AtomicU64] {
        &self.0
    }
}

/// The most this process can hope for: the machine's memory or its control group's share; `None` when unknown.
fn memory_limit() -> Option<Mebibytes> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_of_meminfo(&text));
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_files(&groups)
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok())
        .chain(machine)
        .min()
        .map(|bytes: u64| Mebibytes(bytes / BYTES_PER_MEBIBYTE))
}

/// Units: bytes.
fn total_of_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The files that may hold a memory limit for a process in these control groups, each group's and its parents'.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let (root, file) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        let mut group = path.trim_end_matches('/');
        loop {
            files.push(format!("{root}{group}/{file}"));
            let Some(slash) = group.rfind('/') else { break };
            group = &group[..slash];
        }
    }
    files
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::sync::atomic::Ordering;

    #[test]
    fn words_are_zero_and_start_on_a_line() {
        for lines in [1, 3, 1000] {
            let words = Words::with_lines(lines).expect("little memory");
            assert_eq!(words.as_slice().len(), lines * LINE);
            assert_eq!(words.as_slice().as_ptr().addr() % 64, 0);
            assert!(words.as_slice().iter().all(|word| word.load(Ordering::Relaxed) == 0));
        }
    }

    #[test]
    fn absurd_sizes_are_refused_at_once() {
        for asked in [99_999_999, u64::MAX / 2, u64::MAX] {
            let asked = Mebibytes(asked);
            let error = Words::new(asked).err().expect("more than any machine has");
            assert!(error.to_string().contains(&asked.0.to_string()), "{error}");
        }
        assert!(Words::with_lines(usize::MAX / 8).is_none());
        assert!(Words::with_lines(usize::MAX).is_none());
    }

    #[test]
    fn reads_the_machine_and_its_control_groups() {
        assert_eq!(total_of_meminfo("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
        assert_eq!(total_of_meminfo("MemFree: 1 kB\n"), None);
        assert_eq!(total_of_meminfo("MemTotal: lots kB\n"), None);
        assert_eq!(
            limit_files("4:cpu,memory:/a/b\n3:cpuset:/\n0::/x\nnonsense\n"),
            [
                "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "/sys/fs/cgroup/x/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
    }
}
