//! Searches taken from earlier ablations instead of being repeated.
//!
//! A search is reused if it was done with the same engine (its binary and the files in its options,
//! by their hashes), the same options, limit and position. Nodes of such a search do not change.
//! Times depend on the machine and the moment: they are only reused from the same machine, and only
//! as a complete setting with the searches of the unchanged engine that alternated with it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::{AblateConfig, Job};
use crate::config::EngineConfig;
use crate::measure::searches::{Grid, Measurement, SearchRecord};
use crate::run::session::{folder_name, read_manifest};
use crate::run::stored::StoredRun;
use crate::run::{EngineIdentity, Identity, Journal, Manifest, RunFolder};

/// Searches of another run, by engine, position and repetition.
type Searches = HashMap<(usize, usize, u32), SearchRecord>;

/// Fills the empty journal of a new run, whose manifest is `own`, with the searches that earlier runs beside it have done.
/// Returns a notice, if there are any.
pub(super) fn reuse_searches(
    folder: &RunFolder,
    own: &Manifest,
    job: &Job,
) -> anyhow::Result<Option<String>> {
    let Some(wanted) = Searched::of(own) else { return Ok(None) };
    let mut found: Vec<Option<SearchRecord>> = vec![None; job.grid().searches()];
    let mut sources = Vec::new();
    for (path, manifest) in earlier_runs(folder.path()) {
        let is_same = Searched::of(&manifest).is_some_and(|theirs| wanted.measures_the_same_as(&theirs));
        if !is_same || found.iter().all(Option::is_some) {
            continue;
        }
        let name = folder_name(&path);
        // A damaged run is no reason to stop; its searches are done again.
        let Ok((theirs, searches)) = read_searches(&path, &manifest) else { continue };
        if take(job, &theirs, &searches, &name, &mut found) > 0 {
            sources.push(name);
        }
    }
    if sources.is_empty() {
        return Ok(None);
    }
    let (mut journal, _) = Journal::<SearchRecord>::open(&folder.journal(), |_| Ok(()))?;
    for record in found.iter().flatten() {
        journal.append(record)?;
    }
    journal.sync()?;
    let count = found.iter().flatten().count();
    Ok(Some(format!(
        "{count} of {} searches reused from {}: same engine, options and positions; --measure-again repeats them",
        found.len(),
        sources.join(", ")
    )))
}

/// Returns the other ablations in the folder of `run`, newest first.
fn earlier_runs(run: &Path) -> Vec<(PathBuf, Manifest)> {
    // The parent of a bare name is empty.
    let parent =
        run.parent().map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    let beside = parent.and_then(|parent| std::fs::read_dir(parent).ok());
    let folders = beside.into_iter().flatten().flatten().map(|entry| entry.path());
    let own = run.canonicalize().ok();
    let others = folders.filter(|path| path.canonicalize().ok() != own);
    let mut runs: Vec<(PathBuf, Manifest)> = others
        .filter_map(|path| Some((path.clone(), read_manifest(&path.join("manifest.yaml")).ok()?)))
        .filter(|(_, manifest)| manifest.kind == "ablate")
        .collect();
    runs.sort_by(|one, other| (&other.1.created, &other.0).cmp(&(&one.1.created, &one.0)));
    runs
}

/// Everything that the searches of a run depend on, except the setting and the position.
struct Searched<'a> {
    manifest: &'a Manifest,
    config: AblateConfig,
    /// Hashes of the engine, of the files in its arguments and options, and of the positions.
    hashes: Vec<String>,
}

impl<'a> Searched<'a> {
    /// Reads the identity of a run; `None` if it has no hash of the engine.
    fn of(manifest: &'a Manifest) -> Option<Self> {
        let Identity { config, engines, files, .. } = manifest.identity_of::<_, IgnoredAny>().ok()?;
        let EngineIdentity { id_name, binary, files: of_engine, .. } = engines.engines.into_iter().next()?;
        let own = [id_name, binary?.blake3].into_iter().chain(of_engine.into_values());
        Some(Self { manifest, config, hashes: own.chain([files.positions?.blake3]).collect() })
    }

    fn measures_the_same_as(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.config.searches, &other.config.searches);
        let (here, there) = (&self.manifest.host, &other.manifest.host);
        let is_same_machine = (&here.name, &here.cpu, here.cores) == (&there.name, &there.cpu, there.cores);
        self.hashes == other.hashes
            && ours.limits == theirs.limits
            && ours.times == theirs.times
            && self.config.has_own_bases == other.config.has_own_bases
            && (!ours.times || (is_same_machine && ours.concurrency == theirs.concurrency))
    }
}

/// Rebuilds a stored ablation and reads its searches.
fn read_searches(path: &Path, manifest: &Manifest) -> anyhow::Result<(Job, Searches)> {
    let run = StoredRun { path, manifest };
    let job = Job::rebuild(run.config()?, &run)?;
    let records: Vec<SearchRecord> = run.records()?;
    let key = |record: &SearchRecord| (record.engine, record.position, record.repetition);
    Ok((job, records.into_iter().map(|record| (key(&record), record)).collect()))
}

/// Whether two engines have the same setting. Their paths may differ: the binary is compared by its
/// hash.
fn is_same_setting(one: &EngineConfig, other: &EngineConfig) -> bool {
    EngineConfig { program: PathBuf::new(), ..one.clone() }
        == EngineConfig { program: PathBuf::new(), ..other.clone() }
}

/// Copies the searches that are still missing in `found`, and returns their number.
fn take(
    job: &Job,
    theirs: &Job,
    searches: &Searches,
    name: &str,
    found: &mut [Option<SearchRecord>],
) -> usize {
    let (grid, engines) = (job.grid(), &job.bench.config.engines);
    let mut taken = 0;
    for group in groups(job) {
        // A setting and its base are next to each other in both runs.
        let Some(&last) = group.last() else { continue };
        let place =
            theirs.bench.config.engines.iter().position(|other| is_same_setting(&engines[last], other));
        let Some(offset) = place.and_then(|place| (place + 1).checked_sub(group.len())) else { continue };
        let members = || group.iter().enumerate().map(|(step, &engine)| (engine, offset + step));
        if members()
            .any(|(ours, other)| !is_same_setting(&engines[ours], &theirs.bench.config.engines[other]))
        {
            continue;
        }
        let copies: Vec<Option<SearchRecord>> =
            members().flat_map(|(ours, other)| copies(&grid, ours, other, searches, name)).collect();
        let is_whole = copies.iter().all(Option::is_some);
        if job.bench.config.searches.times && !is_whole {
            continue;
        }
        for copy in copies.into_iter().flatten() {
            let slot = &mut found[copy.index as usize];
            if slot.is_none() {
                *slot = Some(copy);
                taken += 1;
            }
        }
    }
    taken
}

/// Returns the engines that are only reused together: each alone, or with times each setting with
/// its base.
fn groups(job: &Job) -> Vec<Vec<usize>> {
    let config = &job.bench.config;
    let all = 0..config.engines.len();
    if config.bases.is_empty() {
        // With times and one base for all, no setting can be reused without all others.
        return if config.searches.times {
            vec![all.collect()]
        } else {
            all.map(|engine| vec![engine]).collect()
        };
    }
    let settings = all.filter(|&engine| config.base_of(engine) != engine);
    settings.map(|engine| vec![config.base_of(engine), engine]).collect()
}

/// Returns the searches of engine `ours`, copied from engine `other` of the other run.
fn copies(
    grid: &Grid,
    ours: usize,
    other: usize,
    searches: &Searches,
    name: &str,
) -> Vec<Option<SearchRecord>> {
    let indices = (0..grid.searches()).filter(|&index| grid.search(index).engine == ours);
    let copy = |index: usize| {
        let search = grid.search(index);
        let record = searches.get(&(other, search.position, search.repetition))?;
        let reused_from = record.reused_from.clone().or_else(|| Some(name.to_owned()));
        Some(SearchRecord { index: index as u64, engine: ours, reused_from, ..record.clone() })
    };
    indices.map(copy).collect()
}
