//! Pins the revisions of a configuration to commits, and builds them.
use std::path::Path;

use serde_yaml::Value;

use super::bench;
use super::build::Order;
use super::cache::Lock;
use super::recipe::{self, CommitTree, Tree};
use super::record::{BuildRecord, EngineBuild, short_hash};
use super::repository::Repository;

use crate::base::cancel::Cancel;
use crate::config::git::RawGit;
use crate::config::overrides::Assignment;
use crate::config::{ConfigError, FieldPath, GitBuild, Problem, Source};
use crate::run::command::Failure;

/// A configuration whose engines are built.
#[derive(Debug, Default)]
pub struct Builds {
    /// The builds, in the order of the engines.
    pub engines: Vec<EngineBuild>,
    /// Notices for the user.
    pub notices: Vec<String>,
    /// Keep the builds in the cache as long as the run uses them.
    pub locks: Vec<Lock>,
}

/// An engine with a field `git`.
struct Pinned {
    path: FieldPath,
    engine: String,
    has_name: bool,
    /// The revision as the user gave it.
    revision: String,
    git: GitBuild,
}

/// Builds the engines of a configuration that have a field `git`. Returns the configuration with
/// commits in place of revisions. `known` are the builds of the resumed run, whose commits are kept.
///
/// Errors: that of `check` on the configuration, before anything is built; a revision that does not exist or does not build.
pub fn prepare(
    source: Source,
    known: &[EngineBuild],
    now: &str,
    check: impl FnOnce(&Source) -> Result<(), ConfigError>,
    cancel: &Cancel,
) -> Result<(Source, Builds), Failure> {
    let mut builds = Builds::default();
    let pinned = pin_all(&source, known, &mut builds.notices)?;
    if pinned.is_empty() {
        return Ok((source, builds));
    }
    let source = source.with_values(pinned.iter().flat_map(Pinned::assignments).collect())?;
    check(&source)?;
    for Pinned { engine, git, revision, .. } in pinned {
        let (record, lock) = Order { engine: &engine, git: &git, now, cancel }.fill()?;
        let wrong_bench = bench_notice(&engine, &git, &record);
        let build = EngineBuild { engine, revision, repository: git.repository, record };
        builds.notices.push(format!("{}: {}", build.engine, build.describe()));
        builds.notices.extend(wrong_bench);
        builds.locks.push(lock);
        builds.engines.push(build);
    }
    builds.notices.extend(comparison_notice(&builds.engines));
    Ok((source, builds))
}

/// Returns the `--set` arguments that keep the engines of a configuration at the commits that their revisions have now.
///
/// Errors: a revision or its Makefile does not exist.
pub(crate) fn commits(source: &Source) -> Result<Vec<String>, Failure> {
    let mut sets = Vec::new();
    for Pinned { path, engine, has_name, git, .. } in pin_all(source, &[], &mut Vec::new())? {
        if !has_name {
            sets.push(format!("{}={engine}", path.key("name")));
        }
        sets.push(format!("{}={}", path.key("git").key("revision"), git.revision));
    }
    Ok(sets)
}

/// Finds the commits of the engines with a field `git`; none if a field does not parse, which the loader reports.
fn pin_all(
    source: &Source,
    known: &[EngineBuild],
    notices: &mut Vec<String>,
) -> Result<Vec<Pinned>, Failure> {
    let mut pinned = Vec::new();
    for (path, engine) in engines(source.value().unwrap_or(&Value::Null)) {
        let Some(git) = engine.get("git") else { continue };
        let Ok(raw) = serde_yaml::from_value::<RawGit>(git.clone()) else { return Ok(Vec::new()) };
        let pin = pin(raw, engine.get("name").and_then(Value::as_str), &path, source, known, notices);
        pinned.push(pin.map_err(|problem| source.complain(problem))?);
    }
    Ok(pinned)
}

/// Returns the engines of a configuration and their paths.
fn engines(document: &Value) -> Vec<(FieldPath, &Value)> {
    let root = FieldPath::root();
    let list = document.get("engines").and_then(Value::as_sequence);
    let several = list
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(index, engine)| (root.key("engines").index(index), engine));
    let single = ["engine", "judge"].into_iter().filter_map(|key| Some((root.key(key), document.get(key)?)));
    several.chain(single).collect()
}

/// Finds the commit of an engine, its build command and the folder of the command.
fn pin(
    raw: RawGit,
    name: Option<&str>,
    path: &FieldPath,
    source: &Source,
    known: &[EngineBuild],
    notices: &mut Vec<String>,
) -> Result<Pinned, Problem> {
    let field = path.key("git");
    let (has_folder, has_build) = (raw.folder.is_some(), raw.build.is_some());
    let mut git = raw.validate(&field, source.dir())?;
    let revision = git.revision.clone();
    let engine = name.unwrap_or(&revision).to_owned();
    let before = known
        .iter()
        .find(|build| build.engine == engine && [&build.revision, &build.record.commit].contains(&&revision));
    if let Some(EngineBuild { record, repository, .. }) = before {
        git.revision.clone_from(&record.commit);
        git.folder = if has_folder { git.folder } else { record.folder.clone() };
        git.build = if has_build { git.build } else { record.build.clone() };
        git.repository = if git.repository.is_dir() { git.repository } else { repository.clone() };
        notices.extend(moved_notice(&git, &revision));
    } else if !(has_build && has_folder && is_cached(&git)) {
        let repository =
            Repository::open(&git.repository).map_err(|text| Problem::new(field.key("repository"), text))?;
        git.revision =
            repository.resolve(&revision).map_err(|text| Problem::new(field.key("revision"), text))?;
        let problem = |text: String| Problem::new(field.key("revision"), text);
        let tree = CommitTree(&repository, &git.revision);
        if !has_build {
            let folder = has_folder.then_some(git.folder.as_path());
            let recipe = recipe::find(&tree, folder).map_err(problem)?;
            (git.folder, git.build) = (recipe.folder, recipe.command);
        } else if !has_folder && needs_makefile(&git.build) {
            let folder = recipe::makefile_folder(&tree.files());
            git.folder = folder.map(Into::into).ok_or_else(|| {
                problem(
                    "the commit has no Makefile in its root or in one folder below it; set `build` (--build) to \
                     another command, or `folder` (--build-dir) to the folder"
                        .to_owned(),
                )
            })?;
        }
        git.repository.clone_from(&repository.root);
        let notice = format!(
            "{} has uncommitted changes: only commits are built and tested",
            repository.root.display()
        );
        if !notices.contains(&notice) && repository.has_changes() {
            notices.push(notice);
        }
    }
    Ok(Pinned { path: path.clone(), engine, has_name: name.is_some(), revision, git })
}

/// Whether a build command needs a Makefile in the folder where it starts.
fn needs_makefile(build: &str) -> bool {
    let mut words = build.split_whitespace();
    words.next() == Some("make") && !words.any(|word| word.starts_with("-C") || word.starts_with("-f"))
}

/// Whether the engine is given by a commit that was built already. Its repository is not needed.
fn is_cached(git: &GitBuild) -> bool {
    let is_commit = git.revision.len() >= 40 && git.revision.chars().all(|c| c.is_ascii_hexdigit());
    is_commit && BuildRecord::read(&git.cached()).is_ok_and(|record| record.is_some())
}

impl Pinned {
    /// Returns the changes to the configuration that fix the commit.
    fn assignments(&self) -> Vec<Assignment> {
        let mut values = Vec::new();
        if !self.has_name {
            values.push(Assignment::new(self.path.key("name"), self.engine.clone().into()));
        }
        let GitBuild { repository, revision, folder, build, bench } = &self.git;
        let text = |path: &Path| Value::String(path.to_string_lossy().into_owned());
        let field = self.path.key("git");
        values.extend([
            Assignment::new(field.key("repository"), text(repository)),
            Assignment::new(field.key("revision"), revision.clone().into()),
            Assignment::new(field.key("folder"), text(folder)),
            Assignment::new(field.key("build"), build.clone().into()),
            Assignment::new(field.key("bench"), (*bench).into()),
        ]);
        values
    }
}

/// Returns a notice if the branch of a resumed run has moved on.
fn moved_notice(git: &GitBuild, revision: &str) -> Option<String> {
    let now = Repository::open(&git.repository).ok()?.resolve(revision).ok()?;
    let commit = short_hash(&git.revision);
    (now != git.revision)
        .then(|| format!("{revision} has moved to {}; the run continues with {commit}", short_hash(&now)))
}

/// Returns a notice if the bench differs from the one that the commit message states.
fn bench_notice(engine: &str, git: &GitBuild, record: &BuildRecord) -> Option<String> {
    let nodes = record.bench?.nodes;
    let message = Repository::open(&git.repository).ok()?.message(&record.commit).ok()?;
    let stated = bench::stated(&message)?;
    (stated != nodes).then(|| format!("{engine}: bench is {nodes}, but its commit message states {stated}"))
}

/// Returns a notice if two engines are equal by commit or by bench.
fn comparison_notice(engines: &[EngineBuild]) -> Option<String> {
    let [one, other] = engines else { return None };
    let (a, b) = (&one.record, &other.record);
    let names = format!("{} and {}", one.engine, other.engine);
    let is_same = |a: &BuildRecord, b: &BuildRecord| (&a.folder, &a.build) == (&b.folder, &b.build);
    if a.commit == b.commit && is_same(a, b) {
        let commit = short_hash(&a.commit);
        return Some(format!("{names} are the same commit {commit}: the engine is compared with itself"));
    }
    let (a, b) = (a.bench?, b.bench?);
    (a.nodes == b.nodes).then(|| {
        format!(
            "{names} have the same bench {}: they may differ in speed, but hardly in their search",
            a.nodes
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::record::RECORD_VERSION;

    use super::*;

    #[test]
    fn make_needs_a_makefile_unless_it_names_its_folder_or_file() {
        for (build, needs) in [
            ("make", true),
            ("make -j2 build EXE=engine", true),
            ("make -C src", false),
            ("make -fbuild.mk", false),
            ("cargo build", false),
        ] {
            assert_eq!(needs_makefile(build), needs, "{build}");
        }
    }

    fn build(engine: &str, commit: &str, nodes: u64) -> EngineBuild {
        EngineBuild {
            engine: engine.to_owned(),
            revision: engine.to_owned(),
            repository: PathBuf::from("/nowhere"),
            record: BuildRecord {
                version: RECORD_VERSION,
                commit: commit.to_owned(),
                subject: String::new(),
                folder: PathBuf::new(),
                build: "make".to_owned(),
                built: String::new(),
                seconds: 1.0,
                blake3: String::new(),
                bench: Some(bench::Bench { nodes, nps: None }),
            },
        }
    }

    #[test]
    fn equal_engines_are_noticed() {
        let notice = |b: EngineBuild| comparison_notice(&[build("dev", "aaaaaaaaaaaa", 1), b]);
        let same = notice(build("base", "aaaaaaaaaaaa", 1)).unwrap();
        assert!(same.contains("same commit aaaaaaaaaa"), "{same}");
        let same = notice(build("base", "bbbbbbbbbbbb", 1)).unwrap();
        assert!(same.contains("same bench 1"), "{same}");
        assert_eq!(notice(build("base", "bbbbbbbbbbbb", 2)), None);
    }
}
