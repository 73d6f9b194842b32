//! Arguments that give engines as commits of a git repository.

use std::env::consts::EXE_SUFFIX;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use serde_yaml::{Mapping, Value};

use super::command::Failure;

/// The heading of these arguments in the help.
const HEADING: &str = "Engines built from git commits";

/// Start of an engine argument that is a revision.
const PREFIX: &str = "git:";

/// Length from which a hexadecimal name counts as a hash, and to which it is shortened.
const SHORT_HASH: usize = 10;

/// Revisions to test, and the way to build them.
#[derive(Clone, Debug, Args)]
pub(crate) struct GitArgs {
    /// The first engine: a branch, tag or commit. It is built in a work tree of its own.
    #[arg(long, value_name = "REVISION", help_heading = HEADING)]
    pub(super) dev: Option<String>,
    /// The engine to compare with: a branch, tag or commit.
    #[arg(long, value_name = "REVISION", help_heading = HEADING)]
    pub(super) base: Option<String>,
    /// A folder in the git repository [default: the working directory].
    #[arg(long, value_name = "PATH", help_heading = HEADING)]
    repo: Option<PathBuf>,
    /// Shell command that makes the program {exe} [default: make -j{jobs} EXE={exe}, or the usual command of cargo,
    /// CMake, Meson or Go].
    ///
    /// {exe} is a file name in the folder of the command, {jobs} the number of processors. If the command makes one other
    /// program, that one is taken. Builds are kept by commit, command, folder and processor model; `harness builds` lists and deletes them.
    #[arg(long, value_name = "COMMAND", help_heading = HEADING)]
    build: Option<String>,
    /// Folder of the command in the repository [default: the root, or the only folder with a build system].
    #[arg(long, value_name = "DIR", help_heading = HEADING)]
    build_dir: Option<PathBuf>,
    /// Do not run `bench` of the engines. Without it the node counts are printed and stored.
    #[arg(long, help_heading = HEADING)]
    no_bench: bool,
}

/// An engine on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EngineArg {
    /// A program: a path, or a name on PATH.
    Path(PathBuf),
    /// A revision, and the argument as typed.
    Revision(String, String),
}

impl EngineArg {
    fn revision(revision: &str, flag: &str) -> Self {
        Self::Revision(revision.to_owned(), format!("{flag}{revision}"))
    }

    /// Parses an engine argument.
    pub(super) fn parse(path: &Path) -> Self {
        match path.to_str().and_then(|text| text.strip_prefix(PREFIX)) {
            Some(revision) => Self::revision(revision, PREFIX),
            None => Self::Path(path.to_path_buf()),
        }
    }

    /// Returns the names from the shortest to the longest, for engines whose short names are equal: the
    /// file name and longer and longer ends of the path, or the short and the full name of a revision.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Self::Path(path) => {
                let parts = path.components().filter(|part| !matches!(part, Component::CurDir));
                let mut end = PathBuf::new();
                let mut names = Vec::new();
                for part in parts.rev() {
                    let part = Path::new(part.as_os_str());
                    end = if names.is_empty() { part.to_path_buf() } else { part.join(&end) };
                    names.push(end.display().to_string().trim_end_matches(EXE_SUFFIX).to_owned());
                }
                names
            }
            Self::Revision(revision, _) => {
                let is_hash = revision.len() > SHORT_HASH && revision.chars().all(|c| c.is_ascii_hexdigit());
                let short = if is_hash { &revision[..SHORT_HASH] } else { revision };
                vec![short.to_owned(), revision.clone()]
            }
        }
    }
}

impl GitArgs {
    /// Returns the first flag that was given.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let Self { dev, base, repo, build, build_dir, no_bench } = self;
        [
            (dev.is_some(), "--dev"),
            (base.is_some(), "--base"),
            (repo.is_some(), "--repo"),
            (build.is_some(), "--build"),
            (build_dir.is_some(), "--build-dir"),
            (*no_bench, "--no-bench"),
        ]
        .into_iter()
        .find_map(|(is_given, flag)| is_given.then_some(flag))
    }

    /// Returns the flag that was given and the absent one, where one of `--dev` and `--base` is the only
    /// engine.
    pub(super) fn only_engine(&self, positional: &[PathBuf]) -> Option<[&'static str; 2]> {
        match (&self.dev, &self.base, positional) {
            (Some(_), None, []) => Some(["--dev", "--base"]),
            (None, Some(_), []) => Some(["--base", "--dev"]),
            _ => None,
        }
    }

    /// Returns all engines: `--dev` comes first, and `--base` after it or last.
    ///
    /// Errors: settings of builds without a revision.
    pub(super) fn engines(&self, positional: &[PathBuf]) -> Result<Vec<EngineArg>, Failure> {
        let dev = self.dev.iter().map(|revision| EngineArg::revision(revision, "--dev "));
        let base = self.base.iter().map(|revision| EngineArg::revision(revision, "--base "));
        let others = positional.iter().map(|path| EngineArg::parse(path));
        let engines: Vec<EngineArg> = match self.dev {
            Some(_) => dev.chain(base).chain(others).collect(),
            None => others.chain(base).collect(),
        };
        if !engines.iter().any(|engine| matches!(engine, EngineArg::Revision(..)))
            && let Some(flag) = self.first_given()
        {
            return Err(Failure::Usage(format!("{flag} needs --dev, --base or an engine git:REVISION")));
        }
        Ok(engines)
    }

    /// Returns the fields of `git` for a revision, each with the argument that sets it.
    pub(super) fn fields(&self, revision: &str, typed: &str) -> Vec<(&'static str, Value, String)> {
        let text = |path: &Path| Value::String(path.to_string_lossy().into_owned());
        let repository = self.repo.as_deref().unwrap_or(Path::new("."));
        let repo =
            self.repo.as_ref().map_or_else(|| typed.to_owned(), |path| format!("--repo {}", path.display()));
        let mut fields =
            vec![("repository", text(repository), repo), ("revision", revision.into(), typed.to_owned())];
        if let Some(build) = &self.build {
            fields.push(("build", build.clone().into(), "--build".to_owned()));
        }
        if let Some(folder) = &self.build_dir {
            fields.push(("folder", text(folder), format!("--build-dir {}", folder.display())));
        }
        if self.no_bench {
            fields.push(("bench", false.into(), "--no-bench".to_owned()));
        }
        fields
    }
}

/// Returns an empty mapping.
pub(super) fn empty() -> Value {
    Value::Mapping(Mapping::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(dev: Option<&str>, base: Option<&str>) -> GitArgs {
        let own = |text: Option<&str>| text.map(str::to_owned);
        GitArgs { dev: own(dev), base: own(base), repo: None, build: None, build_dir: None, no_bench: false }
    }

    #[test]
    fn first_engine_is_dev_or_else_positional() {
        let order = |dev, base, positional: &[&str]| {
            let positional: Vec<PathBuf> = positional.iter().map(PathBuf::from).collect();
            let Ok(engines) = args(dev, base).engines(&positional) else { panic!("refused") };
            engines.iter().map(|engine| engine.names()[0].clone()).collect::<Vec<_>>()
        };
        assert_eq!(order(Some("d"), Some("b"), &["./x"]), ["d", "b", "x"]);
        assert_eq!(order(Some("d"), None, &["./x"]), ["d", "x"]);
        assert_eq!(order(None, Some("b"), &["./x"]), ["x", "b"]);
        assert_eq!(order(None, None, &["git:v1", "./x"]), ["v1", "x"]);
    }

    #[test]
    fn long_hashes_are_shortened_in_names() {
        let name = |text: &str| EngineArg::parse(Path::new(text)).names()[0].clone();
        assert_eq!(name("git:0123456789abcdef0123456789abcdef01234567"), "0123456789");
        assert_eq!(name("git:feature/deadbeef"), "feature/deadbeef");
    }
}
