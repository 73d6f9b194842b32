//! Huge pages: whether the system backs large mappings with them, and how much of a mapping it has.

use std::fmt;
use std::io;
use std::ops::Range;

use thiserror::Error;

/// Size and alignment of a huge page on x86-64 and, with ordinary pages of 4 KiB, on `AArch64`.
/// Units: bytes.
pub const HUGE_PAGE: usize = 2 << 20;

/// Reason why the huge pages of a mapping are not known.
#[derive(Debug, Error)]
pub enum SmapsError {
    /// The mappings of the process cannot be read.
    #[error("cannot read /proc/self/smaps: {0}")]
    Unreadable(#[from] io::Error),
    /// No mapping covers the memory.
    #[error("/proc/self/smaps lists no huge pages for this memory")]
    NotListed,
}

/// Returns the number of bytes of this memory that lie on huge pages.
///
/// Mappings that touch the range count whole, at most as the range.
///
/// Errors: the system does not report it.
pub fn bytes_on_huge_pages(memory: Range<usize>) -> Result<usize, SmapsError> {
    let text = std::fs::read_to_string("/proc/self/smaps")?;
    anonymous_huge_bytes(&text, &memory).ok_or(SmapsError::NotListed)
}

/// Sums `AnonHugePages` of the mappings in `smaps` that overlap the memory; `None` without any.
fn anonymous_huge_bytes(smaps: &str, memory: &Range<usize>) -> Option<usize> {
    let mut is_inside = false;
    let mut sum = None;
    for line in smaps.lines() {
        if let Some(mapping) = address_range(line) {
            is_inside = mapping.start < memory.end && memory.start < mapping.end;
        } else if let Some(size) = line.strip_prefix("AnonHugePages:").filter(|_| is_inside) {
            let kibibytes: usize = size.trim().strip_suffix("kB")?.trim().parse().ok()?;
            sum = Some(sum.unwrap_or(0) + (kibibytes << 10));
        }
    }
    sum.map(|bytes: usize| bytes.min(memory.len()))
}

/// Parses the first line of a mapping: `7f0000000000-7f0000200000 rw-p ...`.
fn address_range(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let hexadecimal = |text| usize::from_str_radix(text, 16).ok();
    Some(hexadecimal(start)?..hexadecimal(end)?)
}

/// The kernel's setting for transparent huge pages. The table asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePages {
    /// Used for every large mapping, or for those that ask.
    On,
    /// Never used, not even for mappings that ask.
    Off,
    /// Not known on this system.
    Unknown,
}

impl HugePages {
    /// Reads the setting of the running system.
    pub fn of_this_system() -> Self {
        let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        setting.map_or(Self::Unknown, |text| Self::parse(&text))
    }

    /// Parses the kernel's list of values, the chosen one in brackets: `always [madvise] never`.
    fn parse(text: &str) -> Self {
        match text.split_whitespace().find(|word| word.starts_with('[')) {
            Some("[always]" | "[madvise]") => Self::On,
            Some("[never]") => Self::Off,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::On => "huge pages on",
            Self::Off => "huge pages off",
            Self::Unknown => "huge pages unknown",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n\
Size:               4096 kB\n\
AnonHugePages:      2048 kB\n\
VmFlags: rd wr mr mw me ac sd hg\n\
7f0000400000-7f0000600000 rw-p 00000000 00:00 0                          [heap]\n\
AnonHugePages:      2048 kB\n\
7f0000600000-7f0000700000 r--p 00000000 08:01 131 /usr/lib/a-b.so\n\
AnonHugePages:         0 kB\n";

    #[test]
    fn huge_pages_are_summed_over_the_mappings_of_the_memory() {
        let base = 0x7f00_0000_0000;
        let bytes = |from: usize, to: usize| anonymous_huge_bytes(SMAPS, &(base + from..base + to));
        assert_eq!(bytes(0, 4 << 20), Some(2 << 20));
        assert_eq!(bytes(0, 6 << 20), Some(4 << 20));
        assert_eq!(bytes(4 << 20, 5 << 20), Some(1 << 20), "at most the memory itself");
        assert_eq!(bytes(6 << 20, 7 << 20), Some(0));
        assert_eq!(bytes(8 << 20, 9 << 20), None);
        assert_eq!(anonymous_huge_bytes("", &(0..1)), None);
    }

    #[test]
    fn setting_in_brackets_decides() {
        assert_eq!(HugePages::parse("[always] madvise never\n"), HugePages::On);
        assert_eq!(HugePages::parse("always [madvise] never\n"), HugePages::On);
        assert_eq!(HugePages::parse("always madvise [never]\n"), HugePages::Off);
        assert_eq!(HugePages::parse(""), HugePages::Unknown);
    }
}
