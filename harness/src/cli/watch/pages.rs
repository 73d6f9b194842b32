//! The rendered pages, shared between the thread that renders and those that send.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use maud::{Markup, PreEscaped, html};

use crate::base::wording::free_name;
use crate::report::games::ALL_GAMES;
use crate::report::html::live_page;
use crate::run::session::folder_name;

/// Parts of a page in order; the script of the page replaces the elements with these names.
const PARTS: [&str; 5] = ["status", "lead", "plot", "games", "body"];
/// A page is rendered for this long after somebody has asked for it.
const WANTED: Duration = Duration::from_secs(20);

/// A part and the version of the page at which it last changed.
#[derive(Clone, Debug, Default)]
struct Part {
    html: String,
    version: u64,
}

/// A run in the list of runs.
#[derive(Clone, Debug, Default)]
struct Entry {
    html: String,
    is_running: bool,
    /// When the run was begun, in a form that can be sorted.
    begun: String,
}

#[derive(Debug, Default)]
struct Content {
    version: u64,
    title: Part,
    parts: BTreeMap<&'static str, Part>,
    /// Its entry in the list of runs.
    entry: Entry,
    /// The moves of its games, by number.
    games: BTreeMap<u64, Arc<str>>,
    wanted: Option<Instant>,
}

/// A page whose parts are renewed.
#[derive(Debug, Default)]
pub(super) struct Page {
    content: Mutex<Content>,
    changed: Condvar,
}

impl Page {
    fn locked(&self) -> MutexGuard<'_, Content> {
        // The content is plain text: a panic elsewhere cannot have left it half changed.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces parts of the page; equal ones keep their version.
    pub(super) fn renew(&self, title: &str, parts: Vec<(&'static str, Markup)>) {
        let mut content = self.locked();
        let next = content.version + 1;
        let mut is_changed = false;
        let mut put = |part: &mut Part, html: String| {
            if part.html != html || part.version == 0 {
                *part = Part { html, version: next };
                is_changed = true;
            }
        };
        put(&mut content.title, title.to_owned());
        for (name, markup) in parts {
            put(content.parts.entry(name).or_default(), markup.0);
        }
        if is_changed {
            content.version = next;
            self.changed.notify_all();
        }
    }

    /// Sets the entry in the list of runs.
    pub(super) fn set_entry(&self, entry: Markup, is_running: bool, begun: &str) {
        self.locked().entry = Entry { html: entry.0, is_running, begun: begun.to_owned() };
    }

    /// Sets the games that the page can open, by number.
    pub(super) fn set_games(&self, games: BTreeMap<u64, Arc<str>>) {
        self.locked().games = games;
    }

    /// Marks the page as wanted.
    pub(super) fn want(&self) {
        self.locked().wanted = Some(Instant::now());
    }

    /// Whether somebody looks at the page.
    pub(super) fn is_wanted(&self) -> bool {
        self.locked().wanted.is_some_and(|since| since.elapsed() < WANTED)
    }

    /// Whether nothing was rendered yet.
    pub(super) fn is_empty(&self) -> bool {
        self.locked().version == 0
    }

    /// Returns the page; it gets its changes from the address `events`.
    pub(super) fn html(&self, events: &str) -> String {
        let content = self.locked();
        let part = |name: &'static str| {
            (name, PreEscaped(content.parts.get(name).map(|part| part.html.clone()).unwrap_or_default()))
        };
        live_page(&content.title.html, events, &PARTS.map(part))
    }

    /// Waits until the page was rendered once, or until the time limit.
    pub(super) fn wait_until_rendered(&self, limit: Duration) {
        let content = self.locked();
        drop(self.changed.wait_timeout_while(content, limit, |content| content.version == 0));
    }

    /// Waits until the page is newer than `seen`, and returns the parts that changed with the new
    /// version; no parts after the time limit.
    pub(super) fn wait(&self, seen: u64, limit: Duration) -> (u64, Vec<(&'static str, String)>) {
        let content = self.locked();
        let (content, _) = self
            .changed
            .wait_timeout_while(content, limit, |content| content.version <= seen)
            .unwrap_or_else(PoisonError::into_inner);
        let title = std::iter::once(("title", &content.title));
        let parts = title.chain(content.parts.iter().map(|(&name, part)| (name, part)));
        let news = parts.filter(|(_, part)| part.version > seen);
        (content.version, news.map(|(name, part)| (name, part.html.clone())).collect())
    }
}

/// A run: its name in addresses, its folder and its page.
#[derive(Clone, Debug)]
struct Run {
    id: String,
    path: PathBuf,
    page: Arc<Page>,
}

/// The content at an address below that of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    /// A file of its folder.
    File(PathBuf),
    /// The moves of a game as JSON.
    Game(Arc<str>),
}

/// All pages: one for each run, and the list of runs.
#[derive(Debug)]
pub(super) struct Pages {
    runs: Mutex<Vec<Run>>,
    list: Arc<Page>,
    /// Whether runs are looked for.
    is_searching: bool,
}

impl Pages {
    /// Returns the list without runs.
    pub(super) fn new(is_searching: bool) -> Self {
        Self { runs: Mutex::new(Vec::new()), list: Arc::default(), is_searching }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the page of a run folder, under the name of the folder or a similar one.
    pub(super) fn add(&self, path: &Path) -> Arc<Page> {
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' }
        };
        let name: String = folder_name(path).chars().map(plain).collect();
        let mut runs = self.runs();
        let id = free_name(name, |id| !runs.iter().any(|run| run.id == *id));
        let page = Arc::<Page>::default();
        runs.push(Run { id, path: path.to_path_buf(), page: Arc::clone(&page) });
        page
    }

    /// Whether a run folder has a page.
    pub(super) fn has(&self, path: &Path) -> bool {
        self.runs().iter().any(|run| run.path == path)
    }

    /// Returns a page and the address of its events: of a run, of the only run, of the only one under way, or the list.
    pub(super) fn find(&self, path: &str) -> Option<(Arc<Page>, String)> {
        let runs = self.runs();
        if let Some(id) = path.strip_prefix("/run/") {
            let id = id.trim_end_matches('/');
            return runs.iter().find(|run| run.id == id).map(Run::page_and_events);
        }
        let mut running = runs.iter().filter(|run| run.page.locked().entry.is_running);
        let only = match (&runs[..], running.next(), running.next()) {
            ([run], ..) | (_, Some(run), None) => Some(run),
            _ => None,
        };
        match (path, only) {
            ("/", Some(run)) => Some(run.page_and_events()),
            ("/" | "/runs", _) => Some((Arc::clone(&self.list), "/events".to_owned())),
            _ => None,
        }
    }

    /// Returns the game, or the file of a run folder, to which the links of a page refer: `games.pgn` and the dialogues of
    /// faults.
    pub(super) fn resource(&self, path: &str) -> Option<Resource> {
        let (id, rest) = path.strip_prefix("/run/")?.split_once('/')?;
        let runs = self.runs();
        let run = runs.iter().find(|run| run.id == id)?;
        if let Some(number) = rest.strip_prefix("game/") {
            let content = run.page.locked();
            return content.games.get(&number.parse().ok()?).cloned().map(Resource::Game);
        }
        let is_fault = rest.strip_prefix("faults/").is_some_and(|name| {
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
                && !name.starts_with('.')
        });
        (rest == ALL_GAMES || is_fault).then(|| Resource::File(run.path.join(rest)))
    }

    /// Returns the page that an address of events belongs to.
    pub(super) fn of_events(&self, path: &str) -> Option<Arc<Page>> {
        if path == "/events" {
            return Some(Arc::clone(&self.list));
        }
        let id = path.strip_prefix("/run/")?.strip_suffix("/events")?;
        self.runs().iter().find(|run| run.id == id).map(|run| Arc::clone(&run.page))
    }

    /// Whether somebody looks at the list.
    pub(super) fn is_listed(&self) -> bool {
        self.list.is_wanted()
    }

    /// Renders the list of runs, and the commands that wait in a queue, as number and text.
    pub(super) fn renew_list(&self, waiting: &[(u64, String)]) {
        let entries: Vec<(String, Entry)> =
            self.runs().iter().map(|run| (run.id.clone(), run.page.locked().entry.clone())).collect();
        let (running, mut ended): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|(_, entry)| entry.is_running);
        ended.sort_by(|(_, one), (_, other)| other.begun.cmp(&one.begun));
        let body = html! {
            @if running.is_empty() && self.is_searching {
                p { "No run is under way in results/runs. This page lists runs as they begin." }
            }
            (cards(&running))
            @if !waiting.is_empty() {
                h2 { "Waiting in the queue" }
                ol.queue { @for (id, text) in waiting { li value=(id) { code { (text) } } } }
            }
            @if !ended.is_empty() {
                h2 { "Ended" }
                (cards(&ended))
            }
        };
        let title = if self.is_searching { "Runs under way" } else { "Runs" };
        self.list.renew(title, vec![("lead", html! { h1 { (title) } }), ("body", body)]);
    }
}

impl Run {
    /// Returns the page and the address of its events.
    fn page_and_events(&self) -> (Arc<Page>, String) {
        (Arc::clone(&self.page), format!("/run/{}/events", self.id))
    }
}

/// Returns the cards of runs, each a link to its page.
fn cards(runs: &[(String, Entry)]) -> Markup {
    html! {
        ul.runs {
            @for (id, entry) in runs {
                li.card { a href=(format!("/run/{id}/")) { (PreEscaped(&entry.html)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_parts_are_sent() {
        let page = Page::default();
        page.renew("T", vec![("lead", html! { "a" }), ("body", html! { "b" })]);
        let (version, all) = page.wait(0, Duration::ZERO);
        assert_eq!(all.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["title", "body", "lead"]);
        page.renew("T", vec![("lead", html! { "a" }), ("body", html! { "b" })]);
        assert_eq!(page.wait(version, Duration::ZERO), (version, Vec::new()));
        page.renew("T", vec![("lead", html! { "c" })]);
        let (newer, news) = page.wait(version, Duration::ZERO);
        assert_eq!((newer, news), (version + 1, vec![("lead", "c".to_owned())]));
        assert!(page.html("/events").contains("data-events=\"/events\""));
    }

    #[test]
    fn links_lead_to_games_and_to_no_other_files() {
        let pages = Pages::new(true);
        let page = pages.add(Path::new("/runs/a"));
        page.set_games(BTreeMap::from([(7, "{}".into())]));
        let file = |path: &str| Some(Resource::File(path.into()));
        for (path, expected) in [
            ("/run/a/games.pgn", file("/runs/a/games.pgn")),
            ("/run/a/faults/game-7.txt", file("/runs/a/faults/game-7.txt")),
            ("/run/a/game/7", Some(Resource::Game("{}".into()))),
            ("/run/a/game/8", None),
            ("/run/a/game/x", None),
            ("/run/b/games.pgn", None),
            ("/run/a/manifest.yaml", None),
            ("/run/a/faults/../manifest.yaml", None),
            ("/run/a/faults/..", None),
            ("/games.pgn", None),
        ] {
            assert_eq!(pages.resource(path), expected, "{path}");
        }
    }

    #[test]
    fn ended_runs_stand_apart_with_the_latest_first() {
        let pages = Pages::new(true);
        for (name, is_running, begun) in
            [("old", false, "2026-01"), ("now", true, "2026-03"), ("new", false, "2026-02")]
        {
            pages.add(Path::new(name)).set_entry(html! { (name) }, is_running, begun);
        }
        pages.renew_list(&[]);
        let list = pages.find("/runs").unwrap().0.html("/events");
        let body = list.split_once("<div id=\"body\">").unwrap().1;
        let places =
            ["/run/now/", "<h2>Ended</h2>", "/run/new/", "/run/old/"].map(|text| body.find(text).unwrap());
        assert!(places.is_sorted(), "{body}");
        assert_eq!(pages.find("/").unwrap().1, "/run/now/events", "the only one under way");
    }

    #[test]
    fn runs_have_distinct_addresses() {
        let pages = Pages::new(false);
        pages.add(Path::new("/a/run <1>"));
        assert_eq!(pages.find("/").unwrap().1, "/run/run__1_/events", "the only run");
        pages.add(Path::new("/b/run <1>"));
        assert_eq!(pages.find("/").unwrap().1, "/events");
        assert_eq!(pages.find("/run/run__1_-2/").unwrap().1, "/run/run__1_-2/events");
        assert!(pages.find("/run/other").is_none() && pages.find("/etc/passwd").is_none());
        assert!(
            pages.of_events("/run/run__1_/events").is_some() && pages.of_events("/run/x/events").is_none()
        );
        pages.renew_list(&[(7, "harness sprt <a>".to_owned())]);
        let list = pages.find("/runs").unwrap().0.html("/events");
        assert!(list.contains("<li value=\"7\"><code>harness sprt &lt;a&gt;</code></li>"), "{list}");
        assert!(list.contains("href=\"/run/run__1_-2/\""));
    }
}
