//! `harness merge`: joins the parts of a match that were played separately.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{anyhow, bail};
use clap::Args;
use serde_yaml::{Mapping, Value};

use super::equipment::same_engine_notices;
use super::outputs::GameExports;
use crate::base::system::files::{file_name, repeated};
use crate::base::wording::free_name;
use crate::config::Source;
use crate::play::matches::{ExecutionArgs, LoadedMatch, MatchConfig, MatchStudy, RunKind};
use crate::play::record::GameRecord;
use crate::run::command::{Failure, print, say};
use crate::run::executor::import;
use crate::run::provenance::Provenance;
use crate::run::quick::quoted_path;
use crate::run::session::{folder_name, open_any_run, run_path, timestamp, write_manifest, write_report};
use crate::run::shard::Shard;
use crate::run::stored::StoredRun;
use crate::run::{Host, Manifest, RunFolder, RunState, read_places, read_record};

const HELP: &str = "\
Example: two machines play a match together
  harness match long.yaml --shard 1/2 --out part1      # on the first
  harness match long.yaml --shard 2/2 --out part2      # on the second
  harness merge part1 part2 --out whole                # where both folders are
A part that is missing or incomplete is listed with the command that plays it. docs/large-machines.md has recipes for a Slurm job
array and GNU parallel. What exists is merged, also if something is missing; the exit code is 0 then too, and the report has the
state `not finished`.

The parts must belong to the same match: the same configuration, engines and openings by content. The paths of programs, openings,
working directories and endgame tables may differ; arguments and options that contain paths may not. A game that two parts contain
must have the same moves and result in both; times may differ. Only matches can be merged, because a test (SPRT) looks at its pairs in one order.";

/// Joins the parts of a match that were played on several machines.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct MergeArgs {
    /// The run folders of the parts.
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// The run folder to write.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

/// A part of a match, as it was found.
struct Part {
    path: PathBuf,
    shard: Shard,
    games: u64,
    journal: PathBuf,
}

/// A game, as it was found: the time of its end, the index of the part whose journal has it, and its offset there. The
/// records of all games may take gigabytes.
struct Found {
    ended_ms: u64,
    part: usize,
    offset: u64,
}

pub(crate) fn run(args: &MergeArgs) -> Result<ExitCode, Failure> {
    check_parts(&args.parts)?;
    let kind = RunKind::Match;
    let mut whole: Option<Manifest> = None;
    let mut games: BTreeMap<u64, Found> = BTreeMap::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut machines = BTreeMap::new();
    for part in &args.parts {
        if !part.join("manifest.yaml").exists() && (part.is_dir() || run_path(part).is_err()) {
            say(&format!("skipped {}: its match has not begun here", part.display()));
            continue;
        }
        let (folder, manifest) = open_any_run(part)?;
        let (shown, theirs) = (part.display(), &manifest.kind);
        let message =
            format_args!("{shown} is a run of `harness {theirs}`; only parts of a match can be merged");
        Failure::require(manifest.kind == kind.name(), message)?;
        if let Some(whole) = &whole {
            let differences = differences(whole, &manifest);
            if !differences.is_empty() {
                let list = differences.join("\n  ");
                return Err(
                    anyhow!("{} belongs to another match; differences:\n  {list}", part.display()).into()
                );
            }
        }
        let (shard, Host { name, cpu, .. }) = (manifest.shard, manifest.host.clone());
        machines.insert(cpu, name);
        match &mut whole {
            Some(whole) => {
                whole.add_clock_scales(&manifest.clock_scales);
            }
            None => whole = Some(manifest),
        }
        let (journal, mut count) = (folder.journal(), 0);
        read_places(&journal, |offset, game: GameRecord| {
            count += 1;
            let found = Found { ended_ms: game.started_ms + game.duration_ms, part: parts.len(), offset };
            let Some(known) = games.get(&game.game) else {
                games.insert(game.game, found);
                return Ok(());
            };
            if let Some(difference) =
                difference(&read_record(&parts[known.part].journal, known.offset)?, &game)
            {
                let (part, number) = (part.display(), game.number());
                bail!("{part}: game {number} differs from that of another part: {difference}");
            }
            Ok(())
        })?;
        parts.push(Part { path: part.clone(), shard, games: count, journal });
    }
    let Some(mut manifest) = whole else { return Err(anyhow!("nothing to merge").into()) };
    (manifest.created, manifest.shard) = (timestamp(), Shard::default());
    let source = Source::new(manifest.config_file.clone(), manifest.config_text.clone());
    let LoadedMatch { config, execution, .. } = LoadedMatch::load(&source, kind, ExecutionArgs::default())?;
    let folder = RunFolder::create(&args.out)?;
    let mut games: Vec<Found> = games.into_values().collect();
    // In the order in which the games were finished; of equal times, that of their numbers.
    games.sort_by_key(|game| game.ended_ms);
    let speeds = speeds_text(&manifest, &config, &machines);
    let advice = advice(&parts, &config, &manifest.config_file);
    let remarks = same_engine_notices(&config, &manifest, &manifest.builds);
    let names = StoredRun { path: &args.out, manifest: &manifest }.id_names();
    let author = |engine: usize| manifest.authors.get(engine).cloned().unwrap_or_default();
    let ids = names.into_iter().enumerate().map(|(engine, name)| (name, author(engine))).collect();
    let files = GameExports::begin(&config, &folder, ids, None)?;
    let study = MatchStudy::new(config, execution).map_err(anyhow::Error::from)?;
    let study = MatchStudy { remarks, sizes: manifest.sizes.clone(), ..study };
    let records = games.iter().map(|game| read_record(&parts[game.part].journal, game.offset));
    let review = import(&study, files, &folder, records)?;
    let provenance = Provenance::of(&manifest, &folder_name(folder.path()));
    write_report(folder.path(), &provenance.add_to(review.report, review.state))?;
    // The manifest is written last: an interrupted merge leaves a folder that is no run.
    write_manifest(&folder, &manifest)?;
    print(&format!("{}{speeds}", review.summary.report()));
    if review.state != RunState::Finished {
        print(&format!("incomplete:\n{advice}"));
        print(&format!(
            "then merge again into another folder; or play the missing games with: harness match --resume {}\n",
            quoted_path(&args.out)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the speeds by which the parts scaled their clocks, in lines, or a notice if machines were unequal and clocks
/// the same. `machines` are the models of their processors with a name.
fn speeds_text(manifest: &Manifest, config: &MatchConfig, machines: &BTreeMap<String, String>) -> String {
    if config.is_timed() && config.scale_clock.is_none() && machines.len() > 1 {
        let machines: Vec<String> = machines.iter().map(|(cpu, name)| format!("{name} ({cpu})")).collect();
        return format!(
            "clocks are the same on unequal machines, which search unequally deep: {}; `scale_clock` scales them\n",
            machines.join(", ")
        );
    }
    manifest.clock_scales.iter().fold(String::new(), |text, scale| format!("{text}{scale}\n"))
}

/// Refuses a single part, and a part that is given twice.
fn check_parts(parts: &[PathBuf]) -> Result<(), Failure> {
    if let [part] = parts {
        return Failure::usage(format!("expected at least two parts, found only {}", part.display()));
    }
    repeated(parts)
        .map_or(Ok(()), |index| Failure::usage(format!("{} is given twice", parts[index].display())))
}

/// Describes how two records of a game differ in players, moves or end; `None` if they are one game.
/// Times, scores and nodes may differ.
fn difference(known: &GameRecord, other: &GameRecord) -> Option<String> {
    let start = |game: &GameRecord| (game.white, game.black, game.fen.clone(), game.book.clone());
    if start(known) != start(other) {
        return Some("players or opening".to_owned());
    }
    let (moves, others) = (&known.moves, &other.moves);
    let pair = moves.iter().zip(others).position(|(one, other)| one.text != other.text);
    if let Some(ply) = pair {
        return Some(format!("move {} is {} or {}", ply + 1, moves[ply].text, others[ply].text));
    }
    if moves.len() != others.len() {
        return Some(format!("{} or {} moves", moves.len(), others.len()));
    }
    (known.result != other.result)
        .then(|| format!("the result is {} or {}", known.result.text(), other.result.text()))
}

/// Returns the fields in which two parts differ, except the paths of programs, files and folders,
/// which may differ between machines.
fn differences(whole: &Manifest, part: &Manifest) -> Vec<String> {
    let is_path = |field: &String| {
        let name = field.split(':').next().unwrap_or_default();
        let is_table_folder = name.contains(".tablebases.syzygy[");
        is_table_folder || [".program", ".file", ".working_dir"].iter().any(|end| name.ends_with(end))
    };
    let [whole, part] = [whole, part].map(|manifest| {
        let identity = with_file_names(manifest.identity.clone());
        Manifest { identity, ..manifest.clone() }
    });
    whole.differences(&part).into_iter().filter(|field| !is_path(field)).collect()
}

/// Replaces the paths of the engines' files in an identity by the names of the files. Files of one
/// name in two folders stay distinct by a number.
fn with_file_names(mut identity: Value) -> Value {
    let engines = identity.get_mut("engines").and_then(Value::as_sequence_mut);
    for engine in engines.into_iter().flatten() {
        let Some(files) = engine.get_mut("files").and_then(Value::as_mapping_mut) else { continue };
        let mut named = Mapping::new();
        for (path, hash) in std::mem::take(files) {
            let name = file_name(Path::new(path.as_str().unwrap_or_default()));
            let name = free_name(name, |name| !named.contains_key(name));
            named.insert(name.into(), hash);
        }
        *files = named;
    }
    identity
}

/// Returns a line for every part that is missing or incomplete, with the command that plays it.
fn advice(parts: &[Part], config: &MatchConfig, file: &Path) -> String {
    let mut text = String::new();
    for Part { path, shard, games, .. } in parts {
        let of = config.max_rounds().map_or(0, |rounds| shard.part_of(rounds)) * config.pairings.count() * 2;
        if *games < of {
            let path = quoted_path(path);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  part {shard} has {games} of {of} games: harness match --resume {path}");
        }
    }
    // Parts of different divisions overlap: those of the largest are listed.
    let Some(largest) = parts.iter().map(|part| part.shard).max_by_key(|shard| shard.count()) else {
        return text;
    };
    for shard in largest.all().filter(|shard| !parts.iter().any(|part| part.shard == *shard)) {
        let (file, number) = (quoted_path(file), shard.number());
        let _ = writeln!(
            text,
            "  part {shard} is missing: harness match {file} --shard {shard} --out part{number}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_engine_files_and_tables_are_no_differences() {
        let manifest = |home: &str, hash: &str, pieces: u32| {
            let identity = format!(
                "config: {{ engines: [{{ program: {home}/a, working_dir: {home} }}], \
                 tablebases: {{ syzygy: [{home}/wdl], pieces: {pieces} }} }}\n\
                 engines: [{{ binary: {{ file: {home}/a, blake3: x }}, files: {{ {home}/net: {hash} }} }}]\n\
                 openings: {{ file: {home}/book.epd, blake3: y }}\n"
            );
            let identity: Value = serde_yaml::from_str(&identity).unwrap();
            Manifest::describe("match", &identity, Host::here(1), PathBuf::new(), "", "").unwrap()
        };
        let here = manifest("/here", "1", 5);
        assert_eq!(differences(&here, &manifest("/there", "1", 5)), [""; 0]);
        let found = differences(&here, &manifest("/there", "2", 6));
        assert_eq!(found, ["config.tablebases.pieces: 5 -> 6", "engines[0].files.net: 1 -> 2"]);
    }

    #[test]
    fn records_of_one_game_may_differ_in_times_only() {
        let game = crate::play::record::sample_game(0);
        let mut later = GameRecord { started_ms: 1, duration_ms: 99, ..game.clone() };
        later.moves[0].time_us = 77;
        assert_eq!(difference(&game, &later), None);
        later.moves[1].text = "c7c5".to_owned();
        assert_eq!(difference(&game, &later).unwrap(), "move 2 is e7e5 or c7c5");
        later.moves.truncate(1);
        assert_eq!(difference(&game, &later).unwrap(), "3 or 1 moves");
        let won = GameRecord { result: crate::play::record::GameResult::White, ..game.clone() };
        let lost = GameRecord { result: crate::play::record::GameResult::Black, ..game.clone() };
        assert_eq!(difference(&won, &lost).unwrap(), "the result is 1-0 or 0-1");
        assert_eq!(
            difference(&game, &GameRecord { white: 7, ..game.clone() }).unwrap(),
            "players or opening"
        );
    }

    #[test]
    fn unscaled_clocks_on_unequal_machines_have_a_notice() {
        let text = |machines: &[&str], limit: &str| {
            let text = format!(
                "engines: [{{ name: a, command: sh }}, {{ name: b, command: sh }}]\ngames: 2\n{limit}\n"
            );
            let source = Source::new(PathBuf::from("long.yaml"), text).without_files();
            let config = LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap().config;
            let manifest = Manifest::describe("match", &(), Host::here(1), PathBuf::new(), "", "").unwrap();
            let machines = machines.iter().map(|name| (format!("cpu of {name}"), (*name).to_owned()));
            speeds_text(&manifest, &config, &machines.collect())
        };
        let found = text(&["x", "y"], "time_control: 1");
        assert!(found.contains("unequally deep: x (cpu of x), y (cpu of y); `scale_clock`"), "{found}");
        assert_eq!(text(&["x"], "time_control: 1"), "");
        assert_eq!(text(&["x", "y"], "nodes: 500"), "");
        assert_eq!(text(&["x", "y"], "time_control: 1\nscale_clock: { nps: 5 }"), "");
    }

    #[test]
    fn single_and_repeated_parts_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let message = |parts: &[PathBuf]| match check_parts(parts) {
            Err(Failure::Usage(message)) => message,
            _ => String::new(),
        };
        let (one, other) = (dir.path().to_path_buf(), PathBuf::from("part2"));
        assert_eq!(message(&[one.clone(), other.clone()]), "");
        let found = message(std::slice::from_ref(&other));
        assert_eq!(found, "expected at least two parts, found only part2");
        assert!(message(&[one.clone(), other, one.join(".")]).ends_with(" is given twice"));
    }

    #[test]
    fn files_of_one_name_stay_distinct() {
        let identity = serde_yaml::from_str("engines: [{ files: { /a/net: x, /b/net: y } }]").unwrap();
        let expected: Value = serde_yaml::from_str("engines: [{ files: { net: x, net-2: y } }]").unwrap();
        assert_eq!(with_file_names(identity), expected);
    }

    #[test]
    fn missing_and_incomplete_parts_are_listed_with_their_commands() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("book.epd"), "").unwrap();
        let text = "engines: [{ name: a, command: sh }, { name: b, command: sh }]\n\
                    openings: { file: book.epd }\nnodes: 5\ngames: 10\n";
        let source = Source::new(dir.path().join("long.yaml"), text);
        let config = LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap().config;
        let part = |shard: &str, games: u64| Part {
            path: PathBuf::from(format!("p{}", &shard[..1])),
            shard: shard.parse().unwrap(),
            games,
            journal: PathBuf::new(),
        };
        let advice = |parts: &[Part]| advice(parts, &config, Path::new("long.yaml"));
        assert_eq!(
            advice(&[part("1/3", 4), part("3/3", 1)]),
            "  part 3/3 has 1 of 2 games: harness match --resume p3\n  \
             part 2/3 is missing: harness match long.yaml --shard 2/3 --out part2\n"
        );
        assert_eq!(advice(&[part("1/2", 6), part("2/2", 4)]), "");
    }
}
