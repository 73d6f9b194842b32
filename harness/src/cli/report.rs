//! `harness report`: reports computed from the manifest and journal of run folders.
//!
//! Engines, books and networks are not needed; only a suite needs its files of positions. The lock is not taken, so a
//! run in progress can be reported on.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, ensure};
use clap::Args;

use crate::base::errors::FileResult;
use crate::base::programs::program_of;
use crate::report::{BlockFormat, BlockRequest};
use crate::run::command::{Failure, print, say};
use crate::run::overview::{RunReport, runs_report};
use crate::run::reporter::Reporter;
use crate::run::session::{RUNS, folder_name, read_manifest, run_path, timestamp, write_file, write_report};
use crate::run::stored::StoredRun;

const HELP: &str = "\
Examples:
  harness report results/runs/sprt-20261121-120000-1a2b3c4d
  harness report bench-before bench-after --out compared
  harness report results/runs
  harness report smp-lockstep --pictures docs/pictures
  harness report sprt-20261121-120000-1a2b3c4d --format openbench        # the block for the message of a commit
  harness report match-20261121-120000-1a2b3c4d --format fishtest --engines new old

Computes reports from the manifest and journal of runs of any kind. Engines, books and networks are not needed, and a run may
still be going on. The report of one run is written into its folder. Several runs are reported side by side and then one by one,
in a folder of their own. A folder that is no run stands for all runs in it; those that cannot be read are skipped.

--format prints only the result, as OpenBench, fishtest or fastchess does for these games, with the estimates and the rounding of
that tool; `markdown` has the statistics of the harness. A decided test counts the pairs up to the decision, because these tools
drop later ones. For a tuning, openbench and fishtest print its lines with the tuned values.";

/// Reports on runs of any kind: one run, or several side by side.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ReportArgs {
    /// Run folders (paths, names below results/runs, or the NAME of --run-id), or folders of them.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Print only the result in the form of this tool, and write no report.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with_all = ["out", "pictures"])]
    format: Option<BlockFormat>,
    /// The two engines that the result compares, by name, in a match of more; the result is that of A.
    #[arg(long, num_args = 2, value_names = ["A", "B"], requires = "format")]
    engines: Vec<String>,
    /// Only the parameters of a tuning whose value has changed.
    #[arg(long, requires = "format")]
    changed: bool,
    /// The folder for report.html and report.md.
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write each chart as an SVG file into this folder.
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
}

fn create_folder(path: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(path).or_cannot("create", path)
}

/// Prints the results of the runs in the form of another tool, with an empty line between them.
fn print_blocks(args: &ReportArgs, format: BlockFormat, runs: &[RunReport]) -> Result<ExitCode, Failure> {
    let engines = match &args.engines[..] {
        [first, second] => Some([first.as_str(), second.as_str()]),
        _ => None,
    };
    let request = BlockRequest { format, engines, only_changed: args.changed };
    let block =
        |run: &RunReport| run.report.block(request).map_err(|reason| anyhow!("{}: {reason}", run.name));
    let blocks: Vec<String> = runs.iter().map(block).collect::<Result<_, _>>()?;
    print(&format!("{}\n", blocks.join("\n\n")));
    Ok(ExitCode::SUCCESS)
}

/// Runs `harness report`. `reporters` has the kinds of run, and what reports on them.
pub fn run(args: &ReportArgs, reporters: &[(&str, Reporter)]) -> Result<ExitCode, Failure> {
    let (mut paths, mut runs) = (Vec::new(), Vec::new());
    for path in &args.runs {
        for (path, run) in read_runs(&run_path(path)?, reporters)? {
            paths.push(path);
            runs.push(run);
        }
    }
    if let Some(format) = args.format {
        return print_blocks(args, format, &runs);
    }
    let report = runs_report(&runs);
    let out = match (&args.out, &paths[..]) {
        (Some(out), _) => out.clone(),
        (None, [path]) => path.clone(),
        (None, _) => PathBuf::from(RUNS).join(format!("report-{}", timestamp().replace([':', '-'], ""))),
    };
    // First, because the folder may be on a disk that is full or cannot be written to.
    print(&report.printed());
    create_folder(&out)?;
    write_report(&out, &report)?;
    if let Some(folder) = &args.pictures {
        create_folder(folder)?;
        for picture in report.pictures() {
            let path = folder.join(format!("{}.svg", picture.name));
            write_file(&path, &picture.svg)?;
            say(&format!("written to {}", path.display()));
        }
    }
    say(&format!("written to {}", out.join("report.html").display()));
    Ok(ExitCode::SUCCESS)
}

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
    Ok(RunReport { name: folder_name(path), manifest, state, report })
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
    ensure!(!runs.is_empty(), "no run in {} can be read", path.display());
    Ok(runs)
}

/// Returns the run folders directly below a folder.
fn runs_below(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(path).or_cannot("read", path)?;
    let below = entries.flatten().map(|entry| entry.path());
    let mut runs: Vec<PathBuf> = below.filter(|path| path.join("manifest.yaml").is_file()).collect();
    runs.sort();
    let path = path.display();
    ensure!(!runs.is_empty(), "{path} contains no run (no manifest.yaml in it or in its folders)");
    Ok(runs)
}
