//! Reports computed from the manifest and journal of a run folder.
//!
//! Engines, books and networks are not needed; only a suite needs its files of positions. The lock is not taken, so a run in
//! progress can be reported on.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use crate::base::programs::program_of;
use crate::run::Manifest;
use crate::run::command::say;
use crate::run::overview::RunReport;
use crate::run::provenance::{Provenance, repeat};
use crate::run::reporter::Reporter;
use crate::run::session::{folder_name, read_manifest};
use crate::run::stored::StoredRun;

/// Reads a run folder. `reporters` has the kinds of run, and what reports on them.
pub(super) fn read_run(path: &Path, reporters: &[(&str, Reporter)]) -> anyhow::Result<RunReport> {
    let manifest = read_manifest(&path.join("manifest.yaml"))?;
    let report = reporters.iter().find(|(kind, _)| *kind == manifest.kind).map(|(_, report)| report);
    let report = report.ok_or_else(|| match program_of(&manifest.kind) {
        Some(program) => anyhow!("runs of `{program} {0}` are reported by `{program} report`", manifest.kind),
        None => anyhow!("there is no kind of run `{}`", manifest.kind),
    });
    let (state, report) = report
        .and_then(|reporter| (reporter.report)(&StoredRun { path, manifest: &manifest }))
        .with_context(|| format!("cannot report on {}", path.display()))?;
    let Manifest { kind, created, harness, host, .. } = &manifest;
    let name = folder_name(path);
    Ok(RunReport {
        kind: kind.clone(),
        // `2026-11-22T03:53:11Z`, for people.
        created: created.replace('T', " ").trim_end_matches('Z').to_owned(),
        host: host.description(),
        harness: harness.clone(),
        state,
        command: repeat(&manifest, &name),
        provenance: Provenance::of(&manifest, &name),
        name,
        report,
    })
}

/// Reads the run folders of a path: itself, or else those directly below it. Runs below it that cannot be read are
/// reported and skipped.
///
/// Errors: no run can be read.
pub(super) fn read_runs(
    path: &Path,
    reporters: &[(&str, Reporter)],
) -> anyhow::Result<Vec<(PathBuf, RunReport)>> {
    if path.join("manifest.yaml").is_file() {
        return Ok(vec![(path.to_path_buf(), read_run(path, reporters)?)]);
    }
    let mut runs = Vec::new();
    for folder in runs_below(path)? {
        match read_run(&folder, reporters) {
            Ok(run) => runs.push((folder, run)),
            Err(error) => say(&format!("skipped {}: {error:#}", folder.display())),
        }
    }
    if runs.is_empty() {
        bail!("no run in {} can be read", path.display());
    }
    Ok(runs)
}

/// Returns the run folders directly below a folder.
fn runs_below(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let below = entries.flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = below.filter(|path| path.join("manifest.yaml").is_file()).collect();
    runs.sort();
    if runs.is_empty() {
        bail!("{} contains no run (no manifest.yaml in it or in its folders)", path.display());
    }
    Ok(runs)
}
