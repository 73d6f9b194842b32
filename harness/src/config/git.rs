//! An engine that is built from a commit of a git repository.
//!
//! The build itself belongs to `run::builds`. This module only says where its result lies, so that
//! configurations can be validated without building anything.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::locate::FieldPath;
use super::source::Problem;
use super::yes;
use crate::base::cache::{FOLDER, cache_folder};
use crate::base::system::host::cpu_model;
use crate::base::wording::is_line;

/// The build command without a setting, of a commit that follows OpenBench's convention.
pub(crate) const DEFAULT_BUILD: &str = "make -j{jobs} EXE={exe}";

/// Name of the program that a build command makes, in place of `{exe}`. It is long, because `engine`
/// is a folder of many repositories.
pub(crate) const EXE: &str = if cfg!(windows) { "engine-under-test.exe" } else { "engine-under-test" };

/// A commit from which an engine is built.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Git")]
pub(crate) struct RawGit {
    /// A folder in the git repository, relative to the configuration. Without it, the folder of the
    /// configuration.
    pub(crate) repository: Option<PathBuf>,
    /// Branch, tag or commit. The run stores the commit and keeps to it.
    pub(crate) revision: String,
    /// Folder of the repository in which the command starts. Without it, the root or the only folder
    /// with a Makefile or another build system.
    pub(crate) folder: Option<PathBuf>,
    /// Shell command that builds the engine in that folder. `{exe}` is the name of the program to
    /// make there, `{jobs}` the number of processors. If the command makes one other program, that one
    /// is taken. Without it, `make -j{jobs} EXE={exe}`, or the usual command of cargo, CMake, Meson or Go.
    pub(crate) build: Option<String>,
    /// Whether `bench` of the engine is run and its node count stored.
    #[serde(default = "yes")]
    pub(crate) bench: bool,
}

/// A commit and the way to build an engine from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GitBuild {
    /// A folder in the repository.
    pub repository: PathBuf,
    /// The commit; in a configuration that was not prepared yet, any revision.
    pub revision: String,
    /// Folder of the command, relative to the root of the repository; empty for the root itself.
    pub folder: PathBuf,
    /// Shell command that builds the engine in its checkout.
    pub build: String,
    /// Whether the engine has the command `bench`.
    pub bench: bool,
}

impl RawGit {
    /// Validates the field at `path` of a configuration in `dir`.
    pub(crate) fn validate(self, path: &FieldPath, dir: &Path) -> Result<GitBuild, Problem> {
        path.key("revision").require(is_line(&self.revision), "expected a branch, tag or commit")?;
        let build = self.build.unwrap_or_else(|| DEFAULT_BUILD.to_owned());
        path.key("build").require(!build.trim().is_empty(), "expected a shell command")?;
        let folder = self.folder.unwrap_or_default();
        let is_below = |part| part != std::path::Component::ParentDir;
        let is_inside = !folder.is_absolute() && folder.components().all(is_below);
        let message = format_args!("`{}`: expected a folder inside the repository", folder.display());
        path.key("folder").require(is_inside, message)?;
        let repository = self.repository.map_or_else(|| dir.to_path_buf(), |folder| dir.join(folder));
        let repository = std::path::absolute(&repository)
            .map_err(|error| Problem::new(path.key("repository"), error.to_string()))?;
        Ok(GitBuild { repository, revision: self.revision, folder, build, bench: self.bench })
    }
}

impl GitBuild {
    /// Returns the name of the build in the cache. It depends on the commit, the command, its folder
    /// and the model of the processor, since builds are often for the processor of the machine.
    pub(crate) fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for part in [self.revision.as_str(), &self.folder.to_string_lossy(), &self.build, &cpu_model()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let short: String = self.revision.chars().filter(char::is_ascii_alphanumeric).take(10).collect();
        format!("{short}-{}", &hasher.finalize().to_hex()[..8])
    }

    /// Returns the folder of the build in the cache.
    pub(crate) fn cached(&self) -> PathBuf {
        builds_folder().join(self.name())
    }

    /// Returns the path of the built program.
    pub(crate) fn program(&self) -> PathBuf {
        self.cached().join(EXE)
    }
}

/// Name of the folder of all builds in the user's cache.
const BUILDS: &str = "builds";

/// Returns the folder of all builds.
pub(crate) fn builds_folder() -> PathBuf {
    cache_folder().join(BUILDS)
}

/// Whether a path is that of a built program in the cache of any user.
pub(crate) fn is_cached_build(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::parent);
    path.file_name().is_some_and(|name| name == EXE)
        && folder.is_some_and(|folder| folder.ends_with(Path::new(FOLDER).join(BUILDS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawGit {
        serde_yaml::from_str(text).unwrap()
    }

    #[test]
    fn builds_differ_by_commit_command_and_folder_only() {
        let name = |text: &str| raw(text).validate(&FieldPath::root(), Path::new("/tmp")).unwrap().name();
        let one = name("{ revision: abc }");
        assert!(one.starts_with("abc-"), "{one}");
        assert_eq!(one, name("{ revision: abc, repository: elsewhere, bench: false }"));
        assert_ne!(one, name("{ revision: abd }"));
        assert_ne!(one, name("{ revision: abc, build: make }"));
        assert_ne!(one, name("{ revision: abc, folder: src }"));
    }

    #[test]
    fn built_programs_are_known_in_any_cache() {
        let git = raw("{ revision: abc }").validate(&FieldPath::root(), Path::new("/tmp")).unwrap();
        assert!(is_cached_build(&git.program()));
        let elsewhere = Path::new("/home/you/.cache/stretto-harness/builds/abc-01234567");
        assert!(is_cached_build(&elsewhere.join(EXE)) && !is_cached_build(&elsewhere.join("stretto")));
        assert!(!is_cached_build(&Path::new("/opt/builds/abc-01234567").join(EXE)));
    }

    #[test]
    fn invalid_fields_are_reported() {
        for (text, expected) in [
            ("{ revision: ' ' }", "revision"),
            ("{ revision: a, build: ' ' }", "build"),
            ("{ revision: a, folder: ../b }", "folder"),
            ("{ revision: a, folder: /b }", "folder"),
        ] {
            let problem = raw(text).validate(&FieldPath::root(), Path::new("/tmp")).unwrap_err();
            assert_eq!(problem.path.to_string(), expected, "{text}");
        }
    }
}
