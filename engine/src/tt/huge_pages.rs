//! Whether the system backs large mappings with huge pages.

use std::fmt;

/// The kernel's setting for transparent huge pages. The table asks for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePages {
    /// Used for every large mapping, or for those that ask.
    On,
    /// Never used.
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

    #[test]
    fn setting_in_brackets_decides() {
        assert_eq!(HugePages::parse("[always] madvise never\n"), HugePages::On);
        assert_eq!(HugePages::parse("always [madvise] never\n"), HugePages::On);
        assert_eq!(HugePages::parse("always madvise [never]\n"), HugePages::Off);
        assert_eq!(HugePages::parse(""), HugePages::Unknown);
    }
}
