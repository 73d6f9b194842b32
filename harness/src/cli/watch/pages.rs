//! The rendered pages, shared between the thread that renders and those that send.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use maud::{Markup, PreEscaped, html};

use crate::report::html::live_page;
use crate::run::session::folder_name;

/// Parts of a page in order; the script of the page replaces the elements with these names.
const PARTS: [&str; 4] = ["status", "lead", "games", "body"];
/// A page is rendered for this long after somebody has asked for it.
const WANTED: Duration = Duration::from_secs(20);

/// A part and the version of the page at which it last changed.
#[derive(Clone, Debug, Default)]
struct Part {
    html: String,
    version: u64,
}

#[derive(Debug, Default)]
struct Content {
    version: u64,
    title: Part,
    parts: BTreeMap<&'static str, Part>,
    /// Its entry in the list of runs.
    entry: String,
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
    pub(super) fn set_entry(&self, entry: Markup) {
        self.locked().entry = entry.0;
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

/// All pages: one for each run, and the list of runs.
#[derive(Debug)]
pub(super) struct Pages {
    runs: Mutex<Vec<(String, Arc<Page>)>>,
    list: Arc<Page>,
    /// Whether runs are looked for.
    is_searching: bool,
}

impl Pages {
    /// Returns the list without runs.
    pub(super) fn new(is_searching: bool) -> Self {
        Self { runs: Mutex::new(Vec::new()), list: Arc::default(), is_searching }
    }

    fn runs(&self) -> MutexGuard<'_, Vec<(String, Arc<Page>)>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the page of a run folder, under the name of the folder or a similar one.
    pub(super) fn add(&self, path: &Path) -> Arc<Page> {
        let plain = |letter: char| {
            if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' }
        };
        let name: String = folder_name(path).chars().map(plain).collect();
        let mut runs = self.runs();
        let is_free = |id: &String| !runs.iter().any(|(known, _)| known == id);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let id = std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name);
        let page = Arc::<Page>::default();
        runs.push((id, Arc::clone(&page)));
        page
    }

    /// Returns a page and the address of its events: of a run, of the only run, or the list.
    pub(super) fn find(&self, path: &str) -> Option<(Arc<Page>, String)> {
        let runs = self.runs();
        if let Some(id) = path.strip_prefix("/run/") {
            let id = id.trim_end_matches('/');
            let (id, page) = runs.iter().find(|(known, _)| known == id)?;
            return Some((Arc::clone(page), format!("/run/{id}/events")));
        }
        match (path, &runs[..]) {
            ("/", [(id, page)]) => Some((Arc::clone(page), format!("/run/{id}/events"))),
            ("/" | "/runs", _) => Some((Arc::clone(&self.list), "/events".to_owned())),
            _ => None,
        }
    }

    /// Returns the page that an address of events belongs to.
    pub(super) fn of_events(&self, path: &str) -> Option<Arc<Page>> {
        if path == "/events" {
            return Some(Arc::clone(&self.list));
        }
        let id = path.strip_prefix("/run/")?.strip_suffix("/events")?;
        self.runs().iter().find(|(known, _)| known == id).map(|(_, page)| Arc::clone(page))
    }

    /// Whether somebody looks at the list.
    pub(super) fn is_listed(&self) -> bool {
        self.list.is_wanted()
    }

    /// Renders the list of runs, and the commands that wait in a queue, as number and text.
    pub(super) fn renew_list(&self, waiting: &[(u64, String)]) {
        let runs = self.runs();
        let entries: Vec<(String, String)> =
            runs.iter().map(|(id, page)| (id.clone(), page.locked().entry.clone())).collect();
        let body = html! {
            @if entries.is_empty() {
                p { "No run is under way in results/runs. This page lists runs as they begin." }
            }
            ul.runs {
                @for (id, entry) in entries {
                    li.card { a href=(format!("/run/{id}")) { (PreEscaped(entry)) } }
                }
            }
            @if !waiting.is_empty() {
                h2 { "Waiting in the queue" }
                ol.queue { @for (id, text) in waiting { li value=(id) { code { (text) } } } }
            }
        };
        let title = if self.is_searching { "Runs under way" } else { "Runs" };
        self.list.renew(title, vec![("lead", html! { h1 { (title) } }), ("body", body)]);
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
        assert!(pages.find("/runs").unwrap().0.html("/events").contains("href=\"/run/run__1_-2\""));
    }
}
