//! The folder in which a run was begun. Engines without a working directory of their own run there, also after `--resume`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static RECORDED: OnceLock<PathBuf> = OnceLock::new();

/// Sets the folder in which the resumed run was begun. Returns whether it exists; if not, the working directory counts.
pub(crate) fn set(folder: &Path) -> bool {
    folder.is_dir().then(|| RECORDED.get_or_init(|| folder.to_path_buf())).is_some()
}

/// Returns the folder in which the run was begun: for a new one, the working directory.
pub(crate) fn get() -> PathBuf {
    RECORDED.get().cloned().or_else(|| std::env::current_dir().ok()).unwrap_or_else(|| PathBuf::from("."))
}
