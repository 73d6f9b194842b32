//! Files that ship inside the program, for quick calls that name none.
//!
//! A run names its files by path and hash, so a file is written to the user's cache folder once and used from there. Its
//! name contains its hash: another version of the harness never changes the file of an earlier run. The name stands for the
//! content, so a run does not depend on the place of the cache. The build script finds the files.

use std::path::{Path, PathBuf};

use super::write_atomically;
use crate::base::cache::{self, cache_folder};
use crate::base::errors::FileResult;
use crate::config::command::Names;

/// A file that ships inside the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shipped {
    name: &'static str,
    text: &'static str,
}

/// 3000 openings that are about equal for both sides, the default of matches.
pub(crate) const OPENINGS: Shipped =
    Shipped { name: "balanced", text: include_str!(env!("STRETTO_OPENINGS")) };

/// 60 positions of games, for searches.
pub(crate) const POSITIONS: Shipped =
    Shipped { name: "positions", text: include_str!(env!("STRETTO_POSITIONS")) };

const SHIPPED: [Shipped; 2] = [OPENINGS, POSITIONS];

/// Number of hexadecimal digits of the hash in a file name.
const HASH_DIGITS: usize = 8;

impl Shipped {
    /// Returns the path of the file, which is written unless it is there or need not exist.
    pub(crate) fn resolve(self, names: Names<'_>) -> anyhow::Result<PathBuf> {
        if names.must_exist { self.file() } else { Ok(self.path()) }
    }

    fn file(self) -> anyhow::Result<PathBuf> {
        let path = self.path();
        // A file of another length was damaged: the name stands for the content.
        let length = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if length != self.text.len() as u64 {
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))
                .and_then(|()| write_atomically(&path, self.text.as_bytes()))
                .or_cannot("write", &path)?;
        }
        Ok(path)
    }

    fn path(self) -> PathBuf {
        cache_folder().join(self.file_name())
    }

    fn file_name(self) -> String {
        let hash = blake3::hash(self.text.as_bytes()).to_hex();
        format!("{}-{}.epd", self.name, &hash[..HASH_DIGITS])
    }

    /// Whether a file name is that of this file in any version of the harness.
    fn has_name(self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name).and_then(|rest| rest.strip_prefix('-'));
        let hash = rest.and_then(|rest| rest.strip_suffix(".epd")).unwrap_or_default();
        hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    }
}

/// Returns the path of the file `name` of a configuration. A shipped file in any cache is the one in
/// the user's own cache: a configuration that names it works for every user.
///
/// Errors: a message for the user, with the places that were tried.
pub(crate) fn resolve(name: &Path, names: Names<'_>) -> Result<PathBuf, String> {
    match in_any_cache(name) {
        Some(shipped) => shipped.resolve(names).map_err(|error| format!("{error:#}")),
        None => names.file(name),
    }
}

/// Returns the shipped file of this version that `path` names in the cache of any user.
fn in_any_cache(path: &Path) -> Option<Shipped> {
    let name = cached_name(path)?;
    SHIPPED.into_iter().find(|shipped| shipped.file_name() == name)
}

/// Returns the name of a shipped file of any version if `path` names one in the cache of any user.
pub(crate) fn cached_name(path: &Path) -> Option<&str> {
    let (folder, name) = (path.parent()?.file_name()?, path.file_name()?.to_str()?);
    let is_shipped = folder == cache::FOLDER && SHIPPED.iter().any(|shipped| shipped.has_name(name));
    is_shipped.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_files_are_known_in_any_cache() {
        let name = OPENINGS.file_name();
        let elsewhere = Path::new("/home/you/.cache/stretto-harness").join(&name);
        assert_eq!(cached_name(&elsewhere), Some(name.as_str()));
        assert_eq!(in_any_cache(&elsewhere).unwrap().name, "balanced");
        // The file of another version is the same in all caches, but this version lacks it.
        let other = Path::new("/home/you/.cache/stretto-harness/positions-0123abcd.epd");
        assert_eq!(cached_name(other), Some("positions-0123abcd.epd"));
        assert!(in_any_cache(other).is_none());
        for own in
            ["books/balanced-0123abcd.epd", "stretto-harness/balanced.epd", "stretto-harness/my-0123abcd.epd"]
        {
            assert_eq!(cached_name(Path::new(own)), None, "{own}");
        }
    }
}
