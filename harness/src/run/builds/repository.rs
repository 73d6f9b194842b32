//! A git repository, through the command line of git.

use std::path::{Path, PathBuf};

use super::job;
use super::record::short_hash;

/// Number of near names in the error on an unknown revision.
const MAX_SUGGESTIONS: usize = 3;

/// Minimum similarity of a near name. Range: 0 to 1.
const LEAST_SIMILARITY: f64 = 0.6;

/// The setting that disables hooks: those of the user belong to their own checkouts.
pub(super) const NO_HOOKS: &str = "core.hooksPath=/dev/null";

/// A git repository. Nothing here changes its branches, index or checkout.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    /// Root of the checkout, or the git directory of a bare repository.
    pub(super) root: PathBuf,
}

impl Repository {
    /// Opens the repository that contains `folder`.
    ///
    /// Errors: a message for the user.
    pub(super) fn open(folder: &Path) -> Result<Self, String> {
        if !folder.is_dir() {
            return Err(format!("no such folder `{}`", folder.display()));
        }
        let here = Self { root: folder.to_path_buf() };
        // A bare repository has no top level.
        let root = here
            .git(&["rev-parse", "--show-toplevel"])
            .or_else(|_| here.git(&["rev-parse", "--absolute-git-dir"]))
            .map_err(|error| {
                if error.contains("not a git repository") {
                    format!("{} is not in a git repository; set `repository` (--repo PATH)", folder.display())
                } else {
                    error
                }
            })?;
        Ok(Self { root: PathBuf::from(root) })
    }

    /// Runs git and returns its output without the last line break.
    ///
    /// Errors: the message of git.
    pub(super) fn git(&self, args: &[&str]) -> Result<String, String> {
        self.git_with(&[], args)
    }

    /// Runs git with further settings `KEY=VALUE`, which are not stored.
    pub(super) fn git_with(&self, settings: &[&str], args: &[&str]) -> Result<String, String> {
        let mut command = job::command(Path::new("git"), &self.root);
        // Messages are matched in English.
        command.env("LC_ALL", "C");
        for setting in settings {
            command.arg("-c").arg(setting);
        }
        let output = command.args(args).output().map_err(|error| format!("cannot run git: {error}"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(format!("git {}: {}", args.first().unwrap_or(&""), message.trim()))
    }

    /// Returns the full hash of the commit of a branch, tag or abbreviated hash.
    ///
    /// Errors: a message for the user, with near names or the current branch; also if a branch and a tag
    /// of this name have different commits.
    pub(super) fn resolve(&self, revision: &str) -> Result<String, String> {
        let commit = self.commit(revision).map_err(|error| self.unknown(revision, &error))?;
        // Git takes the tag and only warns.
        let named = ["heads", "tags"].map(|kind| self.commit(&format!("refs/{kind}/{revision}")));
        if let [Ok(branch), Ok(tag)] = named
            && branch != tag
        {
            let (branch, tag, root) = (short_hash(&branch), short_hash(&tag), self.root.display());
            return Err(format!(
                "`{revision}` is a branch ({branch}) and a tag ({tag}) in {root}; \
                 expected `heads/{revision}` or `tags/{revision}`"
            ));
        }
        Ok(commit)
    }

    /// Returns the full hash of the commit that git takes for a revision.
    fn commit(&self, revision: &str) -> Result<String, String> {
        self.git(&["rev-parse", "--verify", "--end-of-options", &format!("{revision}^{{commit}}")])
    }

    /// Describes a revision that does not exist. `error` is the message of git.
    fn unknown(&self, revision: &str, error: &str) -> String {
        let names = self.names();
        let near = near_names(revision, &names);
        let current = self.git(&["symbolic-ref", "--quiet", "--short", "HEAD"]).ok();
        let known = match (&near[..], current) {
            ([], Some(branch)) if names.contains(&branch) => {
                format!("; its current branch is `{branch}`")
            }
            ([], _) => String::new(),
            (near, _) => format!(", did you mean {}?", near.join(" or ")),
        };
        let reason = if error.contains("ambiguous") {
            " (the hash is ambiguous)"
        } else if self.git(&["rev-parse", "--is-shallow-repository"]).is_ok_and(|answer| answer == "true") {
            " (a shallow clone: `git remote set-branches origin '*'` and `git fetch --unshallow` fetch the rest)"
        } else {
            ""
        };
        format!("no revision `{revision}` in {}{reason}{known}", self.root.display())
    }

    /// Returns the git directories of the checkout. A linked work tree has its own and shares that of the
    /// main checkout.
    pub(super) fn git_dirs(&self) -> Vec<PathBuf> {
        let find = |option| self.git(&["rev-parse", option]).ok().map(|dir| self.root.join(dir));
        let mut dirs: Vec<PathBuf> =
            ["--absolute-git-dir", "--git-common-dir"].into_iter().filter_map(find).collect();
        dirs.dedup();
        dirs
    }

    /// Returns the names of all branches and tags.
    fn names(&self) -> Vec<String> {
        let refs = ["refs/heads", "refs/remotes", "refs/tags"];
        let list = self.git(&[&["for-each-ref", "--format=%(refname:short)"][..], &refs].concat());
        list.unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// Whether the checkout has changes that are not committed.
    pub(super) fn has_changes(&self) -> bool {
        self.git(&["status", "--porcelain", "--untracked-files=no"]).is_ok_and(|list| !list.is_empty())
    }

    /// Returns the message of a commit.
    pub(super) fn message(&self, commit: &str) -> Result<String, String> {
        self.git(&["log", "-1", "--format=%B", commit, "--"])
    }

    /// Checks a commit out into the new folder `tree`, without its submodules. Returns the checkout.
    ///
    /// Errors: the message of git.
    pub(super) fn add_work_tree(&self, tree: &Path, commit: &str) -> Result<Self, String> {
        let path = tree.to_string_lossy();
        let add = ["worktree", "add", "--quiet", "--force", "--detach", &path, commit];
        self.git_with(&[NO_HOOKS], &add)?;
        Ok(Self { root: tree.to_path_buf() })
    }

    /// Removes a folder that [`Self::add_work_tree`] made.
    pub(super) fn remove_work_tree(tree: &Path) {
        if !tree.exists() {
            return;
        }
        // From the tree itself, which knows its repository.
        let path = tree.to_string_lossy();
        let _ = Self { root: tree.to_path_buf() }.git(&["worktree", "remove", "--force", "--force", &path]);
        let _ = std::fs::remove_dir_all(tree);
    }
}

/// Returns the names that resemble `revision`, most similar first.
fn near_names(revision: &str, names: &[String]) -> Vec<String> {
    let similarity = |name: &str| {
        let own = name.split_once('/').map_or(name, |(_, own)| own);
        let like = |name: &str| {
            let contains = f64::from(u8::from(name.contains(revision))) * LEAST_SIMILARITY;
            strsim::normalized_damerau_levenshtein(revision, name).max(contains)
        };
        like(name).max(like(own))
    };
    let mut near: Vec<(f64, &String)> = names.iter().map(|name| (similarity(name), name)).collect();
    near.retain(|(similarity, _)| *similarity >= LEAST_SIMILARITY);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.iter().take(MAX_SUGGESTIONS).map(|(_, name)| format!("`{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_include_remote_branches() {
        let names = ["main", "origin/main", "origin/legacy", "v1.0", "tune-lmr"].map(str::to_owned);
        assert_eq!(near_names("legacy", &names), ["`origin/legacy`"]);
        assert_eq!(near_names("mian", &names), ["`main`", "`origin/main`"]);
        assert_eq!(near_names("lmr", &names), ["`tune-lmr`"]);
        assert_eq!(near_names("xyz", &names), [""; 0]);
    }
}
