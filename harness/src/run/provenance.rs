//! The provenance of a run in its report: engines, files, machine and command, from the
//! manifest alone.

use std::collections::BTreeMap;
use std::path::Path;

use serde::de::IgnoredAny;

use super::builds::record::{EngineBuild, one_line};
use super::clock_scale::ClockScale;
use super::quick::quoted;
use super::{AnyConfig, AnyIdentity, EngineIdentity, FileHash, Manifest, RunState};
use crate::base::programs::program_of;
use crate::base::system::files::file_name;
use crate::config::{EngineConfig, EngineOption};
use crate::report::document::{Span, Text};
use crate::report::{Block, Report, Table, TableStyle};

/// Digits of a hash that are shown: enough to identify a file.
const HASH_DIGITS: usize = 16;
/// Engine names in the title of a run; the others are counted.
const NAMED: usize = 3;

/// Properties of an engine in their order. `BLAKE3` has the program, and the files in arguments and options.
const PROPERTIES: [&str; 8] =
    ["identifies as", "command", "commit", "build", "bench", "options", "limits", "BLAKE3"];

/// An engine of the manifest.
#[derive(Clone, Debug, Default)]
struct TestedEngine {
    name: String,
    /// Values of its [`PROPERTIES`].
    properties: BTreeMap<&'static str, Vec<String>>,
}

/// Engines, files, machine and dates of a run.
#[derive(Clone, Debug)]
pub(crate) struct Provenance {
    engines: Vec<TestedEngine>,
    /// Rows of the table, as name and value.
    facts: Vec<(String, String)>,
    /// Machines and the factors of their clocks, if these were scaled.
    clock_scales: Vec<String>,
    /// The configuration as text; empty if the run was described by arguments.
    config: String,
}

impl TestedEngine {
    /// Returns the values of a property.
    fn of(&self, property: &str) -> &[String] {
        self.properties.get(property).map_or(&[], |values| values)
    }

    /// Adds commit, compiler and bench of its build, if it was built from a commit.
    fn built_as(mut self, builds: &[EngineBuild]) -> Self {
        if let Some(build) = builds.iter().find(|build| build.engine == self.name) {
            let bench = build.record.bench.map(|bench| bench.to_string());
            self.properties.insert("commit", vec![build.commit()]);
            self.properties.insert("build", vec![one_line(&build.record.build)]);
            self.properties.insert("bench", bench.into_iter().collect());
            let hash = short(&build.record.blake3).to_owned();
            let hashes = self.properties.entry("BLAKE3").or_default();
            if !hashes.contains(&hash) {
                hashes.insert(0, hash);
            }
        }
        self
    }
}

impl Provenance {
    /// Reads the manifest of the run folder called `name`.
    pub(crate) fn of(manifest: &Manifest, name: &str) -> Self {
        let identity: AnyIdentity = manifest.identity_of().unwrap_or_default();
        Self {
            engines: engines(&identity).into_iter().map(|engine| engine.built_as(&manifest.builds)).collect(),
            facts: facts(manifest, &identity, name),
            clock_scales: manifest.clock_scales.iter().map(ClockScale::brief).collect(),
            config: manifest.config_text.clone(),
        }
    }

    /// Returns the engines' names as a title, such as `new against old`; `None` without engines.
    pub(crate) fn title(&self) -> Option<String> {
        let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        match &names[..] {
            [] => None,
            [first, second] => Some(format!("{first} against {second}")),
            names if names.len() <= NAMED => Some(names.join(", ")),
            names => Some(format!("{} and {} others", names[..NAMED].join(", "), names.len() - NAMED)),
        }
    }

    /// Adds the section to the report of a run in this state.
    pub(crate) fn add_to(&self, mut report: Report, state: RunState) -> Report {
        let unfinished = Some(state).filter(|&state| state != RunState::Finished);
        let unfinished = unfinished.map(|state| ("state".to_owned(), state.name().to_owned()));
        let names = self.engines.iter().map(|engine| engine.name.as_str());
        let header: Vec<&str> = std::iter::once("engine").chain(names).collect();
        if let Some(lead) = report.body.lead_mut() {
            let commit =
                |engine: &TestedEngine| Some(format!("{}: {}", engine.name, engine.of("commit").first()?));
            lead.context
                .extend(self.engines.iter().filter_map(commit).chain(self.clock_scales.iter().cloned()));
        }
        let rows: Vec<Vec<Text>> = PROPERTIES.into_iter().filter_map(|name| self.row(name)).collect();
        report.body.push(Block::heading("What was tested"));
        if !rows.is_empty() {
            report.body.push(Table::new(&header, rows).styled(TableStyle::Tested));
        }
        report.body.push(Block::facts(unfinished.into_iter().chain(self.facts.iter().cloned())));
        if !self.config.is_empty() {
            report.body.push(Block::Details("Configuration", self.config.clone()));
        }
        report.body.extend(report.foot());
        report
    }

    /// Returns the row of a property, with values in bold that another engine lacks; `None` if no engine has a value.
    fn row(&self, name: &str) -> Option<Vec<Text>> {
        let engines: Vec<&[String]> = self.engines.iter().map(|engine| engine.of(name)).collect();
        let is_common = |value: &String| engines.iter().all(|values| values.contains(value));
        let span = |value: &String| {
            if is_common(value) { Span::Plain(value.clone()) } else { Span::Strong(value.clone()) }
        };
        let cell = |values: &&[String]| match *values {
            [] => "-".into(),
            values => Text::listed(values.iter().map(span)),
        };
        let is_known = engines.iter().any(|values| !values.is_empty());
        is_known.then(|| std::iter::once(name.into()).chain(engines.iter().map(cell)).collect())
    }
}

fn option_text(option: &EngineOption) -> String {
    match &option.value {
        Some(value) => format!("{} = {value}", option.name),
        None => format!("{} (button)", option.name),
    }
}

/// Returns the engines of an identity; none for kinds without engines.
fn engines(identity: &AnyIdentity) -> Vec<TestedEngine> {
    let AnyConfig { engines, engine, has_control, .. } = &identity.config;
    let configured = || engines.iter().chain(engine);
    let tested = |found: &EngineIdentity| {
        let known = configured().find(|config| config.name == found.name);
        let id_name = Some(found.id_name.clone()).filter(|name| !name.is_empty());
        let options = known.into_iter().flat_map(|config| config.options.iter().map(option_text));
        let limits = known.map(EngineConfig::limits_in_words).filter(|limits| !limits.is_empty());
        let properties = [
            ("identifies as", id_name.into_iter().collect()),
            ("command", known.map(command).into_iter().collect()),
            ("options", options.collect()),
            ("limits", limits.into_iter().collect()),
            ("BLAKE3", hashes(found)),
        ];
        TestedEngine { name: found.name.clone(), properties: properties.into() }
    };
    let mut engines: Vec<TestedEngine> = identity.engines.all().map(tested).collect();
    // The control of a bench is the first engine once more, in the last place.
    if *has_control {
        engines.pop();
    }
    engines
}

fn command(config: &EngineConfig) -> String {
    let words = std::iter::once(file_name(&config.program));
    words.chain(config.args.iter().cloned()).collect::<Vec<_>>().join(" ")
}

fn short(hash: &str) -> &str {
    hash.get(..HASH_DIGITS).unwrap_or(hash)
}

/// Returns the hash of an engine's program, and the names and hashes of its other files.
fn hashes(engine: &EngineIdentity) -> Vec<String> {
    let program = engine.binary.iter().map(|binary| short(&binary.blake3).to_owned());
    let others = engine.files.iter().map(|(file, hash)| format!("{}: {}", file_name(file), short(hash)));
    program.chain(others).collect()
}

/// Returns the facts about the run that are no property of an engine.
fn facts(manifest: &Manifest, identity: &AnyIdentity, name: &str) -> Vec<(String, String)> {
    let Manifest { created, harness, host, shard, warnings, .. } = manifest;
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push((name.to_owned(), value));
    let mut files: Vec<(String, String)> = Vec::new();
    for (name, FileHash { file, blake3 }) in identity.files.named() {
        let text = format!("{}, BLAKE3 {}", file_name(file), short(blake3));
        match files.last_mut().filter(|(last, _)| last == name) {
            Some((_, files)) => files.extend(["; ", &text]),
            None => files.push((name.to_owned(), text)),
        }
    }
    for (name, files) in files {
        add(&format!("file of {name}"), files);
    }
    if let Some(signature) = identity.engines.engine_signature {
        add("engine", format!("built in, {signature} nodes in a short bench"));
    }
    add("run", name.to_owned());
    if !shard.is_whole() {
        add("part", shard.to_string());
    }
    for scale in &manifest.clock_scales {
        add("clocks", scale.to_string());
    }
    add("begun", format!("{} UTC", created.replace('T', " ").trim_end_matches('Z')));
    add("host", host.description());
    add("harness", harness.clone());
    add("repeat with", repeat(manifest, name));
    for warning in warnings {
        add("warning", warning.clone());
    }
    rows
}

/// Returns the command that repeats a run.
pub(crate) fn repeat(manifest: &Manifest, name: &str) -> String {
    let kind = &manifest.kind;
    let program = program(manifest);
    if kind == "claims" {
        let AnyConfig { claims, effort, .. } =
            manifest.identity_of::<_, IgnoredAny>().unwrap_or_default().config;
        return format!("{program} claims {} --effort {effort}", claims.join(" "));
    }
    if kind == "suite" {
        return match repeat_as_typed(manifest) {
            words if words.is_empty() => "harness suite (arguments in manifest.yaml)".to_owned(),
            words => format!("{program} {words}"),
        };
    }
    let file = file_name(&manifest.config_file);
    let parent = manifest.config_file.parent().and_then(|folder| folder.file_name());
    // A configuration made from arguments is kept in the run folder.
    let is_kept = file == "config.yaml" && parent.is_some_and(|folder| folder == name);
    let file = quoted(&config_path(manifest, is_kept.then_some(name)));
    // A kept configuration contains the overrides.
    let overrides = if is_kept { &[][..] } else { &manifest.overrides };
    let overrides = overrides.iter().flat_map(|text| ["--set".to_owned(), quoted(text)]);
    let words: Vec<String> = [program, kind.clone(), file].into_iter().chain(overrides).collect();
    let concurrency = manifest.needed_concurrency(is_kept);
    let concurrency = concurrency.map_or_else(String::new, |count| format!(" -j {count}"));
    let shard =
        if manifest.shard.is_whole() { String::new() } else { format!(" --shard {}", manifest.shard) };
    format!("{}{concurrency}{shard}", words.join(" "))
}

/// Returns the program as it was called from the working directory, if it lies below it; a program on PATH or
/// elsewhere on the machine is named alone.
fn program(manifest: &Manifest) -> String {
    let typed = manifest.arguments.first().map(String::as_str).unwrap_or_default();
    let is_below = typed.contains('/') && !typed.starts_with('/') && !typed.contains("..");
    if is_below { quoted(typed) } else { program_of(&manifest.kind).unwrap_or("harness").to_owned() }
}

/// Options of a command that name its run folder, which a repeated run must not share.
const OF_THE_FOLDER: [&str; 3] = ["-o", "--out", "--run-id"];

/// Returns the arguments as they were typed, without the run folder. Paths of the machine are those from the
/// working directory, or else the file name.
fn repeat_as_typed(manifest: &Manifest) -> String {
    let here = |word: &String| {
        let below =
            manifest.working_dir.as_deref().and_then(|folder| Path::new(word).strip_prefix(folder).ok());
        match below {
            Some(below) => below.display().to_string(),
            None if word.starts_with('/') => file_name(Path::new(word)),
            None => word.clone(),
        }
    };
    let mut words = Vec::new();
    let mut typed = manifest.arguments.iter().skip(1);
    while let Some(word) = typed.next() {
        if OF_THE_FOLDER.contains(&word.as_str()) {
            typed.next();
        } else if !OF_THE_FOLDER.iter().any(|option| word.starts_with(&format!("{option}="))) {
            words.push(quoted(&here(word)));
        }
    }
    words.join(" ")
}

/// Returns the path of the configuration from the folder where the run was started. `kept_in` is the
/// run folder that holds it.
///
/// The path of a file outside that folder is left out, because reports do not show paths of the
/// machine.
fn config_path(manifest: &Manifest, kept_in: Option<&str>) -> String {
    let Manifest { config_file, working_dir, .. } = manifest;
    let start = working_dir.as_deref().filter(|folder| folder.parent().is_some());
    if let Some(path) = start.and_then(|folder| config_file.strip_prefix(folder).ok()) {
        return path.display().to_string();
    }
    let file = file_name(config_file);
    let Some(name) = kept_in else { return file };
    format!("{name}/{file}")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::run::{Host, Manifest};

    const IDENTITY: &str = "
config:
  engines:
  - { name: new, program: /opt/stretto, args: [--lab], options: { Hash: '16', NullMove: 'true' }, limits: { nodes: 500 } }
  - { name: old, program: /opt/stretto, options: { Hash: '16' }, limits: { nodes: 500 } }
engines:
- { name: new, id_name: Stretto 1, binary: { file: /opt/stretto, blake3: 0123456789abcdef0123 }, files: { /opt/n.bin: aaaaaaaaaaaaaaaaaaaaa } }
- { name: old, id_name: Stretto 1, binary: { file: /opt/stretto, blake3: 0123456789abcdef0123 } }
openings: { file: /books/b.epd, blake3: fedcba98765432100000 }
";

    fn manifest(identity: &str) -> Manifest {
        let mut host = Host::here(1);
        (host.name, host.cores, host.physical_cores) = ("box".to_owned(), 4, Some(2));
        Manifest {
            version: 1,
            kind: "match".to_owned(),
            created: "2026-11-22T03:53:11Z".to_owned(),
            harness: "0.2.0".to_owned(),
            host,
            identity: serde_yaml::from_str(identity).unwrap(),
            config_file: PathBuf::from("/home/me/m.yaml"),
            config_text: "nodes: 500\n".to_owned(),
            ..Manifest::default()
        }
    }

    fn report(provenance: &Provenance) -> Report {
        let report = Report::new("T", [Block::paragraph("first")]);
        provenance.add_to(report, RunState::Finished)
    }

    #[test]
    fn report_states_engines_files_machine_and_command() {
        let provenance = Provenance::of(&manifest(IDENTITY), "match-1");
        assert_eq!(provenance.title().as_deref(), Some("new against old"));
        let report = report(&provenance);
        let text = report.markdown();
        for line in [
            "| engine | new | old |",
            "| identifies as | Stretto 1 | Stretto 1 |",
            "| command | stretto --lab | stretto |",
            "| options | Hash = 16, NullMove = true | Hash = 16 |",
            "| limits | 500 nodes | 500 nodes |",
            "| BLAKE3 | 0123456789abcdef, n.bin: aaaaaaaaaaaaaaaa | 0123456789abcdef |",
            "| file of openings | b.epd, BLAKE3 fedcba9876543210 |",
            "| run | match-1 |",
            "| begun | 2026-11-22 03:53:11 UTC |",
            "| repeat with | harness match m.yaml |",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
        assert!(text.contains("| host | box: 4 logical CPUs, 2 cores, "), "{text}");
        // Only the difference is emphasized, and the configuration is on the page.
        let page = report.page();
        assert!(page.contains("Hash = 16, <b>NullMove = true</b>") && page.contains("nodes: 500"), "{page}");
        assert!(!page.contains("/home/me") && !page.contains("/opt/"), "paths of the machine are not shown");
    }

    #[test]
    fn run_without_engines_has_no_title() {
        let provenance = Provenance::of(&manifest("{ config: { epochs: 3 } }"), "train-1");
        assert_eq!(provenance.title(), None);
        assert!(report(&provenance).markdown().contains("| run | train-1 |"));
    }

    #[test]
    fn title_counts_the_engines_beyond_three() {
        let engines = ["a", "b", "c", "d", "e"].map(|name| format!("{{ name: {name}, id_name: x }}"));
        let identity = format!("{{ config: {{}}, engines: [{}] }}", engines.join(", "));
        let title = Provenance::of(&manifest(&identity), "x").title();
        assert_eq!(title.as_deref(), Some("a, b, c and 2 others"));
    }

    #[test]
    fn kept_configuration_and_shard_are_part_of_the_command() {
        let mut kept = manifest(IDENTITY);
        kept.config_file = PathBuf::from("/runs/match-1/config.yaml");
        kept.shard = "2/3".parse().unwrap();
        kept.overrides = vec!["nodes=7".to_owned()];
        assert_eq!(repeat(&kept, "match-1"), "harness match match-1/config.yaml --shard 2/3");
    }

    #[test]
    fn configuration_is_named_from_the_working_directory() {
        let command = |file: &str, folder: Option<&str>| {
            let mut manifest = manifest(IDENTITY);
            (manifest.config_file, manifest.working_dir) = (file.into(), folder.map(PathBuf::from));
            repeat(&manifest, "match-1")
        };
        let kept = "/home/me/results/runs/match-1/config.yaml";
        let from_home = "harness match results/runs/match-1/config.yaml";
        assert_eq!(command(kept, Some("/home/me")), from_home);
        let given = "/home/me/configs/match/a b.yaml";
        assert_eq!(command(given, Some("/home/me")), "harness match 'configs/match/a b.yaml'");
        // Other folders of the machine are not shown.
        assert_eq!(command(given, Some("/home/you")), "harness match 'a b.yaml'");
        assert_eq!(command(given, Some("/")), "harness match 'a b.yaml'");
        assert_eq!(command(kept, Some("/home/you")), "harness match match-1/config.yaml");
    }

    #[test]
    fn command_is_that_of_the_place_where_it_was_given() {
        let command = |kind: &str, words: &[&str]| {
            let mut manifest = manifest(IDENTITY);
            manifest.kind = kind.to_owned();
            manifest.working_dir = Some("/home/me".into());
            manifest.arguments = words.iter().map(|&word| word.to_owned()).collect();
            repeat(&manifest, "x")
        };
        let typed = ["target/release/harness", "match", "m.yaml"];
        assert_eq!(command("match", &typed), "target/release/harness match m.yaml");
        assert_eq!(command("match", &["./harness", "match"]), "./harness match m.yaml");
        for elsewhere in ["harness", "/opt/bin/harness", "../other/harness"] {
            assert_eq!(command("match", &[elsewhere, "match"]), "harness match m.yaml");
        }
        let suite = ["target/release/harness", "suite", "a b.epd", "/home/me/c.epd", "/opt/d.epd"];
        let suite =
            [&suite[..], &["--nodes", "500", "-o", "old", "--option", "Clear Hash", "--run-id=x"]].concat();
        assert_eq!(
            command("suite", &suite),
            "target/release/harness suite 'a b.epd' c.epd d.epd --nodes 500 --option 'Clear Hash'"
        );
        assert_eq!(command("suite", &[]), "harness suite (arguments in manifest.yaml)");
    }

    #[test]
    fn overrides_and_claims_are_part_of_the_command() {
        let mut changed = manifest(IDENTITY);
        changed.overrides = vec!["nodes=7".to_owned(), "options={ Hash: 8 }".to_owned()];
        assert_eq!(
            repeat(&changed, "match-1"),
            "harness match m.yaml --set nodes=7 --set 'options={ Hash: 8 }'"
        );
        changed.concurrency = std::num::NonZeroUsize::new(1);
        assert!(repeat(&changed, "match-1").ends_with(" --set 'options={ Hash: 8 }' -j 1"));
        let mut claims = manifest("{ config: { claims: [N1, T2], effort: quick }, engine_signature: 77 }");
        claims.kind = "claims".to_owned();
        assert_eq!(repeat(&claims, "claims-1"), "workshop claims N1 T2 --effort quick");
        assert!(report(&Provenance::of(&claims, "claims-1")).markdown().contains("77 nodes"));
    }
}
