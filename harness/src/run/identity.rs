//! The identity of a run: what a resumed run must share.
//!
//! Each kind of run fills an [`Identity`]. Its form in `manifest.yaml` is that of harness 0.2.0.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::base::start_folder;
use crate::config::EngineConfig;
use crate::run::builds::record::BuildRecord;

/// The identity of a run. `C` is its validated configuration, and `X` has the fields that a kind of run adds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Identity<C, X = ()> {
    /// Validated configuration, which a resumed run must have too.
    pub config: C,
    /// The engines, as they were found at the start.
    #[serde(flatten)]
    pub engines: RunEngines,
    /// The content of the files that the configuration names.
    #[serde(flatten)]
    pub files: RunFiles,
    /// The fields of one kind of run.
    #[serde(flatten)]
    pub more: X,
}

/// An identity of any kind of run, as far as all kinds share it.
pub(crate) type AnyIdentity = Identity<AnyConfig, IgnoredAny>;

/// The fields of a configuration that reports and lists show for any kind of run.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AnyConfig {
    /// The engines of a match or a measurement.
    pub(crate) engines: Vec<EngineConfig>,
    /// The engine of a suite, an ablation or an equivalence.
    pub(crate) engine: Option<EngineConfig>,
    /// Whether the last engine of a bench is the first one once more.
    pub(crate) has_control: bool,
    /// Names of the claims of `workshop claims`.
    pub(crate) claims: Vec<String>,
    /// Size of their experiments.
    pub(crate) effort: String,
}

/// The engines of a run. A kind of run has one of the fields, or none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEngines {
    /// The only engine of a run that compares it with itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineIdentity>,
    /// The engines of a match or a measurement, in the order of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineIdentity>,
    /// Nodes of a short bench of the engine inside the program: another engine has another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_signature: Option<u64>,
}

/// The files of a run by their use, with hashes. A kind of run has some of the fields.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFiles {
    /// Positions of a measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<FileHash>,
    /// Positions of a suite.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileHash>,
    /// Games that a network is trained on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<FileHash>,
    /// Network that a training continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<FileHash>,
    /// Endgame tables with exact targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<FileHash>,
    /// Network of the players of training games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<FileHash>,
    /// Hashes of the games of `tune-eval`, whose paths are in its configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub games: Vec<String>,
    /// Files with the openings of the games.
    #[serde(skip_serializing_if = "FileHashes::is_empty")]
    pub openings: FileHashes,
}

/// One file, or a list of files.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FileHashes {
    /// The file of a match.
    One(FileHash),
    /// The files of the sources of openings.
    Several(Vec<FileHash>),
}

/// Identity of an engine, which must not change during a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EngineIdentity {
    /// Name in the configuration.
    pub name: String,
    /// Name from the engine's `id name`.
    pub id_name: String,
    /// The program; absent if the next field stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<FileHash>,
    /// The node count of its `bench`, if it was built from a commit. Two builds of a commit with the
    /// same command and bench are the same engine, although their files may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<u64>,
    /// Hashes of the files in its arguments and options: networks, books, scripts. Files that the engine
    /// writes, such as logs, are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<PathBuf, String>,
}

/// A file and the hash of its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// Path of the file.
    pub file: PathBuf,
    /// Its BLAKE3 hash in hexadecimal.
    pub blake3: String,
}

impl<C> Identity<C> {
    /// Returns the identity of a run whose kind adds no fields.
    pub fn new(config: C, engines: RunEngines, files: RunFiles) -> Self {
        Self { config, engines, files, more: () }
    }
}

impl<C, X> Identity<C, X> {
    /// Returns this identity with the fields of a kind of run.
    pub fn with<Y>(self, more: Y) -> Identity<C, Y> {
        let Self { config, engines, files, .. } = self;
        Identity { config, engines, files, more }
    }
}

impl RunEngines {
    /// Hashes the only engine of a run, as [`EngineIdentity::of`] does.
    pub(crate) fn one(config: &EngineConfig, id_name: &str, before: &FilesBefore) -> io::Result<Self> {
        let engine = EngineIdentity::of(config, id_name, before)?;
        Ok(Self { engine: Some(engine), ..Self::default() })
    }

    /// Hashes the engines of a run. `id_names` are the names by `id name`, in the same order.
    pub(crate) fn several(
        configs: &[EngineConfig],
        id_names: &[String],
        before: &FilesBefore,
    ) -> io::Result<Self> {
        let engines = configs.iter().zip(id_names);
        let engines = engines.map(|(config, id_name)| EngineIdentity::of(config, id_name, before));
        Ok(Self { engines: engines.collect::<io::Result<_>>()?, ..Self::default() })
    }

    /// Returns the engine inside the program by the nodes of its short bench.
    pub fn built_in(signature: u64) -> Self {
        Self { engine_signature: Some(signature), ..Self::default() }
    }

    /// Returns the engines that are programs of their own.
    pub(crate) fn all(&self) -> impl Iterator<Item = &EngineIdentity> {
        self.engines.iter().chain(&self.engine)
    }
}

impl RunFiles {
    /// Hashes the openings of a match.
    pub(crate) fn of_openings(file: &Path) -> io::Result<Self> {
        Ok(Self { openings: FileHashes::One(FileHash::of(file)?), ..Self::default() })
    }

    /// Hashes the positions of a measurement.
    pub(crate) fn of_positions(file: &Path) -> io::Result<Self> {
        Ok(Self { positions: Some(FileHash::of(file)?), ..Self::default() })
    }

    /// Returns the files, each with the name of its use.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, &FileHash)> {
        let openings = match &self.openings {
            FileHashes::One(file) => std::slice::from_ref(file),
            FileHashes::Several(files) => files,
        };
        let uses = [
            ("positions", self.positions.as_slice()),
            ("suite", &self.files),
            ("data", &self.data),
            ("from", self.from.as_slice()),
            ("tables", &self.tables),
            ("network", self.network.as_slice()),
            ("openings", openings),
        ];
        uses.into_iter().flat_map(|(name, files)| files.iter().map(move |file| (name, file)))
    }
}

impl Default for FileHashes {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl FileHashes {
    fn is_empty(&self) -> bool {
        matches!(self, Self::Several(files) if files.is_empty())
    }
}

impl FileHash {
    /// Reads and hashes `file`.
    pub fn of(file: &Path) -> io::Result<Self> {
        Ok(Self { file: file.to_path_buf(), blake3: hash_file(file)? })
    }

    /// Reads and hashes files.
    pub fn all<'a>(files: impl IntoIterator<Item = &'a Path>) -> io::Result<Vec<Self>> {
        files.into_iter().map(Self::of).collect()
    }
}

/// Returns the BLAKE3 hash of a file in hexadecimal.
pub fn hash_file(file: &Path) -> io::Result<String> {
    let annotate = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
    File::open(file).and_then(hash_reader).map_err(annotate)
}

/// Returns the BLAKE3 hash of a reader's data, for callers that add the file name to errors.
pub fn hash_reader(reader: impl io::Read) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(reader)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Hashes of the files in the arguments and options of engines before the engines are started on trial.
///
/// A file that differs afterwards, or exists only then, is written by the engine: a log, for example. It is not part
/// of the identity, because it differs whenever the run is resumed.
#[derive(Debug, Default)]
pub struct FilesBefore(BTreeMap<PathBuf, String>);

impl FilesBefore {
    /// Hashes the files of these engines. A file that cannot be read is left out.
    pub(crate) fn of<'a>(engines: impl IntoIterator<Item = &'a EngineConfig>) -> Self {
        let files = engines.into_iter().flat_map(files_of);
        Self(files.filter_map(|file| hash_file(&place(&file)).ok().map(|hash| (file, hash))).collect())
    }
}

/// Returns the existing files in the arguments and options of an engine. Without a working directory, relative paths start
/// from the folder in which the run was begun.
fn files_of(config: &EngineConfig) -> Vec<PathBuf> {
    let base = config.working_dir.clone().unwrap_or_default();
    let values = config.options.iter().filter_map(|option| option.value.as_ref());
    let texts = config.args.iter().chain(values).filter(|text| !text.is_empty());
    texts.map(|text| base.join(text)).filter(|file| place(file).is_file()).collect()
}

fn place(file: &Path) -> PathBuf {
    start_folder::get().join(file)
}

impl EngineIdentity {
    /// Hashes the engine and the files in its arguments and options, after a start on trial. `id_name` is its own
    /// name, and `before` has the hashes of the files before that start.
    pub(crate) fn of(config: &EngineConfig, id_name: &str, before: &FilesBefore) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        for file in files_of(config) {
            let hash = hash_file(&place(&file))?;
            if before.0.get(&file) == Some(&hash) {
                files.insert(file, hash);
            }
        }
        let git = config.git.as_ref().filter(|git| git.bench);
        let record = git.map(|git| BuildRecord::read(&git.cached())).transpose()?.flatten();
        let bench = record.and_then(|record| record.bench).map(|bench| bench.nodes);
        let binary = if bench.is_none() { Some(FileHash::of(&config.program)?) } else { None };
        Ok(Self { name: config.name.clone(), id_name: id_name.to_owned(), binary, bench, files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_has_the_fields_in_the_order_of_harness_0_2_0() {
        let hash = |name: &str| FileHash { file: name.into(), blake3: format!("h{name}") };
        let engine = EngineIdentity {
            name: "a".to_owned(),
            id_name: "A 1".to_owned(),
            binary: Some(hash("p")),
            bench: None,
            files: BTreeMap::new(),
        };
        let engines = RunEngines { engines: vec![engine.clone()], ..RunEngines::default() };
        let files = RunFiles { openings: FileHashes::One(hash("o")), ..RunFiles::default() };
        let identity = Identity::new(7, engines, files).with(BTreeMap::from([("parameters", 9)]));
        let text = serde_yaml::to_string(&identity).unwrap();
        let engine_text = "name: a\n  id_name: A 1\n  binary:\n    file: p\n    blake3: hp\n";
        let expected = format!(
            "config: 7\nengines:\n- {engine_text}openings:\n  file: o\n  blake3: ho\nparameters: 9\n"
        );
        assert_eq!(text, expected);
        let read: Identity<u32, BTreeMap<String, u32>> = serde_yaml::from_str(&text).unwrap();
        assert_eq!(serde_yaml::to_string(&read).unwrap(), text);
        let files = RunFiles {
            network: Some(hash("n")),
            openings: FileHashes::Several(vec![hash("o")]),
            ..RunFiles::default()
        };
        let generated = Identity::new(7, RunEngines::built_in(5), files);
        let expected = "config: 7\nengine_signature: 5\nnetwork:\n  file: n\n  blake3: hn\nopenings:\n- file: o\n  \
                        blake3: ho\n";
        assert_eq!(serde_yaml::to_string(&generated).unwrap(), expected);
        let one = RunEngines { engine: Some(engine), ..RunEngines::default() };
        let files = RunFiles { positions: Some(hash("q")), ..RunFiles::default() };
        let text = serde_yaml::to_string(&Identity::new((), one, files)).unwrap();
        let read: Identity<IgnoredAny, IgnoredAny> = serde_yaml::from_str(&text).unwrap();
        assert_eq!(read.engines.all().map(|engine| engine.id_name.as_str()).collect::<Vec<_>>(), ["A 1"]);
        assert_eq!(read.files.named().map(|(name, _)| name).collect::<Vec<_>>(), ["positions"]);
    }

    #[test]
    fn files_that_an_engine_writes_are_not_part_of_its_identity() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["program", "net.bin", "old.log"] {
            std::fs::write(dir.path().join(name), name).unwrap();
        }
        let config: EngineConfig = serde_yaml::from_str(&format!(
            "{{ name: a, program: {0}/program, args: [net.bin, old.log, new.log], working_dir: {0}, options: {{}}, limits: {{ nodes: 5 }} }}",
            dir.path().display()
        ))
        .unwrap();
        let before = FilesBefore::of([&config]);
        std::fs::write(dir.path().join("old.log"), "two starts").unwrap();
        std::fs::write(dir.path().join("new.log"), "one start").unwrap();
        let identity = EngineIdentity::of(&config, "A", &before).unwrap();
        let files: Vec<_> = identity.files.into_keys().collect();
        assert_eq!(files, [dir.path().join("net.bin")]);
    }
}
