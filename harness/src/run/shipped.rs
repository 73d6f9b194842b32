//! Files that ship inside the program, for quick calls that name none.
//!
//! A run names its files by path and hash, so a file is written to the user's cache folder once and used from there. Its
//! name contains its hash: another version of the harness never changes the file of an earlier run. The build script finds the files.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::write_atomically;
use crate::base::cache::cache_folder;

/// A file that ships inside the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shipped {
    name: &'static str,
    text: &'static str,
}

/// 3000 balanced openings.
pub(crate) const OPENINGS: Shipped =
    Shipped { name: "balanced", text: include_str!(env!("STRETTO_OPENINGS")) };

/// 60 positions of games, for searches.
pub(crate) const POSITIONS: Shipped =
    Shipped { name: "positions", text: include_str!(env!("STRETTO_POSITIONS")) };

impl Shipped {
    /// Returns the path of the file, which is written unless it is there.
    pub(crate) fn file(self) -> anyhow::Result<PathBuf> {
        let path = self.path();
        // A file of another length was damaged: the name stands for the content.
        let length = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if length != self.text.len() as u64 {
            let folder = path.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(folder)
                .and_then(|()| write_atomically(&path, self.text.as_bytes()))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(path)
    }

    fn path(self) -> PathBuf {
        let hash = blake3::hash(self.text.as_bytes()).to_hex();
        cache_folder().join(format!("{}-{}.epd", self.name, &hash[..8]))
    }
}

/// Writes the shipped files that a configuration names and that are gone from the cache.
pub(crate) fn restore(config_text: &str) -> anyhow::Result<()> {
    for shipped in [OPENINGS, POSITIONS] {
        if config_text.contains(&shipped.path().display().to_string()) {
            shipped.file()?;
        }
    }
    Ok(())
}
