//! The user's cache folder, for files that can be made again.

use std::path::PathBuf;

/// Name of the harness's folder in a cache.
pub(crate) const FOLDER: &str = "stretto-harness";

/// The cache in the folder of a user.
const OF_HOME: &str = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };

/// Returns the harness's folder in the user's cache, or else in the folder for temporary files.
pub(crate) fn cache_folder() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("LOCALAPPDATA"))
        .or_else(|| Some(std::env::home_dir().filter(|home| home.is_absolute())?.join(OF_HOME)));
    cache.unwrap_or_else(std::env::temp_dir).join(FOLDER)
}
