//! A run that is watched: what its folder shows now, rendered into its page.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use maud::html;

use super::pages::Page;
use super::parts::{State, Summary, entry, games, status};
use crate::base::programs::with_program;
use crate::cli::runs::is_locked;
use crate::report::Report;
use crate::report::games::Games;
use crate::run::live::LiveStatus;
use crate::run::provenance::Provenance;
use crate::run::reporter::{Followed, Reported, Reporter};
use crate::run::session::{folder_name, read_manifest};
use crate::run::stored::StoredRun;
use crate::run::{Manifest, RunState};

/// Least time between two computations of the result.
const RESULT_INTERVAL: Duration = Duration::from_secs(1);
/// Least time between two renewals of charts and tables.
const BODY_INTERVAL: Duration = Duration::from_secs(3);
/// The result is computed in at most one part in so many of the time.
const SHARE: u32 = 25;
/// Least time between two reports of a run of several stages, whose journals are read whole.
const WHOLE_INTERVAL: Duration = Duration::from_secs(10);

/// A source of reports on one run.
enum Source {
    /// Reads new records only.
    Growing(Box<dyn Followed>),
    /// The reporter reads the whole journal again at each change.
    Whole(fn(&StoredRun<'_>) -> anyhow::Result<Reported>),
}

/// A run whose folder was read.
struct Opened {
    manifest: Manifest,
    provenance: Provenance,
    source: Source,
}

/// A run that is watched.
#[derive(Default)]
pub(super) struct Follow {
    path: PathBuf,
    page: Arc<Page>,
    reporters: &'static [(&'static str, Reporter)],
    opened: Option<Opened>,
    /// When the run was begun, UTC; empty until its manifest was read.
    begun: String,
    /// Whether the run had ended before it was watched.
    is_old: bool,
    /// The last report, with the state of its records.
    last: Option<(RunState, Report)>,
    is_running: bool,
    /// Whether the page shows the final report of a run that is over.
    is_settled: bool,
    /// When a report was last computed, and how long that took.
    computed: Option<(Instant, Duration)>,
    /// When charts and tables were last renewed.
    body_renewed: Option<Instant>,
}

impl Follow {
    /// Returns the run of a folder, of which nothing was read yet.
    pub(super) fn new(
        path: PathBuf,
        page: Arc<Page>,
        reporters: &'static [(&'static str, Reporter)],
        is_old: bool,
    ) -> Self {
        // Until its report is computed, a run is listed by its name.
        page.set_entry(html! { p.title { (folder_name(&path)) } }, !is_old, "");
        Self { path, page, reporters, is_old, ..Self::default() }
    }

    /// Renews the page if somebody looks at it or at the list.
    pub(super) fn refresh(&mut self, is_listed: bool) {
        // The first page of a run under way is rendered at once.
        let is_first = self.page.is_empty() && !self.is_old;
        if !is_first && !self.page.is_wanted() && !is_listed {
            return;
        }
        let name = folder_name(&self.path);
        if !self.path.join("manifest.yaml").is_file() {
            (self.is_running, self.is_settled) = (false, false);
            self.show(&name, &State::Deleted, None);
            return;
        }
        let is_running = is_locked(&self.path);
        if is_running && !self.is_running {
            // A resumed run may have become longer.
            (self.opened, self.computed) = (None, None);
        }
        let is_over = self.is_running && !is_running;
        self.is_running = is_running;
        if is_running {
            self.is_settled = false;
        } else if self.is_settled {
            return;
        }
        match self.compute(is_over) {
            Ok(()) => {
                let live = if is_running { live_status(&self.path) } else { None };
                let state = match (&self.last, is_running) {
                    (_, true) => State::Running,
                    (Some((state, _)), false) => State::Over(*state),
                    (None, false) => State::Over(RunState::Interrupted),
                };
                self.show(&name, &state, live.as_ref());
                self.is_settled = !is_running && self.last.is_some();
            }
            Err(error) => self.show(&name, &State::Unreadable(format!("{error:#}")), None),
        }
    }

    /// Computes the report if there is something new and it is time, or if the run is over.
    fn compute(&mut self, is_over: bool) -> anyhow::Result<()> {
        if self.opened.is_none() {
            let opened = open(&self.path, self.reporters)?;
            self.begun = opened.manifest.created.replace('T', " ").replace('Z', "");
            self.opened = Some(opened);
        }
        let Some(Opened { manifest, provenance, source }) = &mut self.opened else { return Ok(()) };
        let least = if matches!(source, Source::Whole(_)) { WHOLE_INTERVAL } else { RESULT_INTERVAL };
        let is_time =
            self.computed.is_none_or(|(last, cost)| last.elapsed() >= least.max(cost * SHARE)) || is_over;
        if !is_time {
            return Ok(());
        }
        let began = Instant::now();
        let (state, report) = match source {
            Source::Growing(followed) => {
                let is_news = followed.refresh()?;
                if !is_news && !is_over && self.last.is_some() {
                    return Ok(());
                }
                followed.report()
            }
            Source::Whole(report) => report(&StoredRun { path: &self.path, manifest })?,
        };
        let shown = if self.is_running { RunState::Running } else { state };
        self.last = Some((state, provenance.add_to(report, shown)));
        self.computed = Some((Instant::now(), began.elapsed()));
        if !self.is_running {
            // Nothing is added to a run that is over, so its records are not kept.
            self.opened = None;
        }
        Ok(())
    }

    /// Renders the page of the run and its row in the list.
    fn show(&mut self, name: &str, state: &State, live: Option<&LiveStatus>) {
        let mut parts = vec![("status", status(state, live)), ("games", games(live))];
        let is_body_due = !matches!(state, State::Running)
            || self.body_renewed.is_none_or(|last| last.elapsed() >= BODY_INTERVAL);
        let (mut title, mut card) = (name.to_owned(), html! {});
        if let Some((_, report)) = &self.last {
            title.clone_from(&report.title);
            card = report.card();
            parts.push(("lead", report.head()));
            if is_body_due {
                self.body_renewed = Some(Instant::now());
                let (plot, rest) = report.plot_and_rest();
                parts.extend([("plot", plot), ("body", rest)]);
                let games = report.games().into_iter().flat_map(Games::moves);
                self.page.set_games(games.map(|(number, moves)| (number, Arc::clone(moves))).collect());
            }
        }
        let summary = Summary { title: &title, name, begun: &self.begun, card: &card };
        self.page.set_entry(entry(summary, state, live), *state == State::Running, &self.begun);
        self.page.renew(&title, parts);
    }
}

/// Reads the manifest of a run and opens its journal.
fn open(path: &Path, reporters: &[(&str, Reporter)]) -> anyhow::Result<Opened> {
    let manifest = read_manifest(&path.join("manifest.yaml"))?;
    let reporter = reporters.iter().find(|(kind, _)| *kind == manifest.kind).map(|(_, reporter)| reporter);
    let reporter = reporter
        .with_context(|| anyhow!("runs of `{}` have no report here", with_program(&manifest.kind)))?;
    let followed =
        reporter.follow.map(|follow| follow(&StoredRun { path, manifest: &manifest })).transpose()?;
    let source = followed.flatten().map_or(Source::Whole(reporter.report), Source::Growing);
    let provenance = Provenance::of(&manifest, &folder_name(path));
    Ok(Opened { manifest, provenance, source })
}

/// Returns the status of a run, or of the part of it that is played now.
fn live_status(path: &Path) -> Option<LiveStatus> {
    let parts = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let parts = parts.filter(|part| part.is_dir() && is_locked(part));
    std::iter::once(path.to_path_buf()).chain(parts).find_map(|folder| LiveStatus::read(&folder))
}
