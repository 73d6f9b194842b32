//! Checks out the submodules of a work tree.
//!
//! A linked work tree shares no submodules with the user's checkout. A commit that the user's
//! repository has is cloned from there, so that a build needs no network. Git gets its settings on the
//! command line, and the user's configuration stays as it is.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::record::short_hash;
use super::repository::{NO_HOOKS, Repository};

/// Options for a command in a git directory, whose checkout may be gone.
const IN_GIT_DIR: [&str; 2] = ["--git-dir=.", "--work-tree=."];

/// A submodule of a commit.
#[derive(Debug, PartialEq, Eq)]
struct Submodule {
    name: String,
    /// Its folder in the checkout.
    path: String,
    /// Full hash of its own commit.
    commit: String,
}

/// Checks out the submodules of a checkout, and those of each submodule. `git_dirs` are the git
/// directories in which their repositories are looked for.
///
/// Errors: a message with the name of the submodule.
pub(super) fn check_out(checkout: &Repository, git_dirs: &[PathBuf]) -> Result<(), String> {
    for submodule in list(checkout)? {
        let local = submodule.repositories(git_dirs);
        let source = local.iter().find(|repository| has_commit(repository, &submodule.commit));
        if let Some(inner) = submodule.check_out(checkout, source.map(PathBuf::as_path))? {
            check_out(&inner, &local)?;
        }
    }
    Ok(())
}

/// Returns the submodules of a checkout.
fn list(checkout: &Repository) -> Result<Vec<Submodule>, String> {
    if !checkout.root.join(".gitmodules").is_file() {
        return Ok(Vec::new());
    }
    let settings = checkout.git(&["config", "-z", "--file", ".gitmodules", "--list"])?;
    Ok(parse(&settings, &checkout.git(&["ls-tree", "-r", "-z", "HEAD"])?))
}

/// Returns the submodules among the entries of a tree that have a name in the settings.
fn parse(settings: &str, entries: &str) -> Vec<Submodule> {
    let path_and_name = |setting: &str| {
        let (key, path) = setting.split_once('\n')?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        Some((path.to_owned(), name.to_owned()))
    };
    let names: HashMap<String, String> = settings.split('\0').filter_map(path_and_name).collect();
    let submodule = |entry: &str| {
        let (object, path) = entry.split_once('\t')?;
        let commit = object.strip_prefix("160000 commit ")?.to_owned();
        Some(Submodule { name: names.get(path)?.clone(), path: path.to_owned(), commit })
    };
    entries.split('\0').filter_map(submodule).collect()
}

impl Submodule {
    /// Returns the repositories of the submodule in these git directories.
    fn repositories(&self, git_dirs: &[PathBuf]) -> Vec<PathBuf> {
        let name = Path::new(&self.name);
        let is_plain = name.components().all(|part| matches!(part, Component::Normal(_)));
        let repositories = git_dirs.iter().map(|dir| dir.join("modules").join(name));
        repositories.filter(|repository| is_plain && repository.is_dir()).collect()
    }

    /// Checks the submodule out: from `source` if a local repository has the commit, otherwise from its
    /// URL. Returns the checkout; `None` if the user's configuration excludes the submodule.
    fn check_out(&self, outer: &Repository, source: Option<&Path>) -> Result<Option<Repository>, String> {
        let Self { name, path, commit } = self;
        let mut settings = vec![NO_HOOKS.to_owned(), format!("submodule.{name}.active=true")];
        if let Some(source) = source {
            settings.push(format!("submodule.{name}.url={}", source.display()));
            settings.push("protocol.file.allow=always".to_owned());
        }
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        outer.git_with(&settings, &["submodule", "update", "--quiet", "--", path]).map_err(|error| {
            let advice = match source {
                Some(_) => "",
                None => {
                    ", which is not in the local repository (`git submodule update --init` fetches it there)"
                }
            };
            format!("cannot check out submodule `{name}` at {}{advice}: {error}", short_hash(commit))
        })?;
        let checkout = Repository { root: outer.root.join(path) };
        if !checkout.root.join(".git").exists() {
            return Ok(None);
        }
        // Relative URLs of inner submodules refer to the place that the submodule came from.
        let remote_url = |git_dir: &Path| run_in(git_dir, &["config", "remote.origin.url"]).ok();
        if let Some(url) = source.and_then(remote_url) {
            checkout.git(&["--git-dir=.git", "config", "remote.origin.url", &url])?;
        }
        Ok(Some(checkout))
    }
}

/// Whether a git directory has a commit.
fn has_commit(git_dir: &Path, commit: &str) -> bool {
    run_in(git_dir, &["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_ok()
}

fn run_in(git_dir: &Path, args: &[&str]) -> Result<String, String> {
    Repository { root: git_dir.to_path_buf() }.git(&[&IN_GIT_DIR[..], args].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submodules_are_entries_with_a_name() {
        let settings =
            "submodule.Nets.v1.path\nnets\0submodule.Nets.v1.url\n../nets\0submodule.gone.path\nold\0";
        let entries = ["100644 blob aa\tMakefile", "160000 commit bb\tnets", "160000 commit cc\tunnamed", ""];
        let [name, path, commit] = ["Nets.v1", "nets", "bb"].map(str::to_owned);
        assert_eq!(parse(settings, &entries.join("\0")), [Submodule { name, path, commit }]);
        assert!(parse("", "").is_empty());
    }

    #[test]
    fn repositories_are_looked_for_in_the_git_directories_only() {
        let dir = tempfile::tempdir().unwrap();
        let [git_dir, missing] = ["git", "missing"].map(|name| dir.path().join(name));
        std::fs::create_dir_all(git_dir.join("modules/a/b")).unwrap();
        let of = |name: &str| {
            let submodule = Submodule { name: name.to_owned(), path: String::new(), commit: String::new() };
            submodule.repositories(&[missing.clone(), git_dir.clone()])
        };
        assert_eq!(of("a/b"), [git_dir.join("modules/a/b")]);
        assert!(of("c").is_empty() && of("..").is_empty());
    }
}
