//! Finds the programs that a build command made, for commands that choose the name themselves.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::base::system::files::is_executable;

/// Levels of folders below which a program is looked for.
const SEARCH_DEPTH: usize = 4;

/// Folders with programs that are by-products: trials of CMake and Meson, dependencies, examples.
const SKIPPED: [&str; 5] = ["CMakeFiles", "meson-private", "_deps", "deps", "examples"];

/// First bytes of programs: ELF, Windows, and Mach-O of 64 bits and of several architectures.
const NATIVE: [&[u8]; 4] = [b"\x7fELF", b"MZ", &[0xcf, 0xfa, 0xed, 0xfe], &[0xca, 0xfe, 0xba, 0xbe]];

/// The executable files of a folder with the times of their last changes.
#[derive(Debug, Default)]
pub(super) struct Programs(BTreeMap<PathBuf, Option<SystemTime>>);

impl Programs {
    /// Lists the executable files in a folder and some levels below, relative to it.
    pub(super) fn list(folder: &Path) -> Self {
        let mut programs = Self::default();
        programs.add(folder, Path::new(""), SEARCH_DEPTH);
        programs
    }

    fn add(&mut self, root: &Path, inside: &Path, depth: usize) {
        for entry in fs::read_dir(root.join(inside)).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = inside.join(entry.file_name());
            // Build scripts of cargo lie in `target/release/build`.
            let is_skipped = SKIPPED.contains(&&*name) || (name == "build" && inside.ends_with("release"));
            if name.starts_with('.') || is_skipped {
                continue;
            }
            if kind.is_dir() && depth > 0 {
                self.add(root, &path, depth - 1);
            } else if kind.is_file() && is_executable(&entry.path()) && !is_library(&name) {
                self.0.insert(path, entry.metadata().and_then(|data| data.modified()).ok());
            }
        }
    }

    /// Returns the programs of `folder` that are new or changed since this list. Scripts count only where there is no
    /// native program.
    pub(super) fn made_since(&self, folder: &Path) -> Vec<PathBuf> {
        let now = Self::list(folder);
        let is_made = |(path, changed): &(&PathBuf, &Option<SystemTime>)| self.0.get(*path) != Some(*changed);
        let made: Vec<PathBuf> = now.0.iter().filter(is_made).map(|(path, _)| path.clone()).collect();
        let native: Vec<PathBuf> =
            made.iter().filter(|path| is_native(&folder.join(path))).cloned().collect();
        if native.is_empty() { made } else { native }
    }
}

/// Whether a file name is that of a library, which linkers mark as executable.
fn is_library(name: &str) -> bool {
    let endings = [".so", ".dylib", ".dll", ".a", ".rlib"];
    endings.iter().any(|ending| name.ends_with(ending)) || name.contains(".so.")
}

/// Whether a file begins like a program for a processor.
fn is_native(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && NATIVE.iter().any(|magic| start.starts_with(magic))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn write(folder: &Path, name: &str, text: &[u8]) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn only_new_and_changed_programs_are_made() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["old", "rebuilt"] {
            write(dir.path(), name, b"\x7fELF");
        }
        let before = Programs::list(dir.path());
        write(dir.path(), "rebuilt", b"\x7fELF");
        let rebuilt = File::options().write(true).open(dir.path().join("rebuilt")).unwrap();
        rebuilt.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        for name in [
            "target/release/engine",
            "target/release/deps/engine-1",
            "target/release/build/x-1/build-script-build",
            "target/release/libengine.so",
            "build-release/CMakeFiles/3.25/a.out",
            "build-release/meson-private/sanitycheckcpp.exe",
            ".git/hooks/pre-commit",
        ] {
            write(dir.path(), name, b"\x7fELF");
        }
        write(dir.path(), "target/release/script", b"#!/bin/sh\n");
        assert_eq!(before.made_since(dir.path()), [Path::new("rebuilt"), Path::new("target/release/engine")]);
    }

    #[test]
    fn script_is_a_program_where_nothing_native_was_made() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "bin/engine", b"#!/bin/sh\n");
        assert_eq!(Programs::default().made_since(dir.path()), [Path::new("bin/engine")]);
    }
}
