//! The HTTP server: pages, and their changes as server-sent events.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tiny_http::{Header, Method, Request, Response, Server};

use super::access::{Access, Decision};
use super::pages::{Page, Pages, Resource};

/// Interval of a comment that keeps a connection open and finds those that are gone.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Longest time that a first request waits for its page to be rendered.
const FIRST_RENDERING: Duration = Duration::from_secs(2);
/// Pages open at once; each takes a thread.
const MAX_STREAMS: usize = 64;
/// The page may load nothing, and connect to this server only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// Starts to answer requests, in threads that end with the process.
pub(super) fn start(server: Server, pages: Arc<Pages>, access: Access) -> io::Result<()> {
    let streams = Arc::new(AtomicUsize::new(0));
    let serve = move || {
        for request in server.incoming_requests() {
            // A client that is gone is no error.
            let _ = answer(request, &pages, &access, &streams);
        }
    };
    thread::Builder::new().name("watch".to_owned()).spawn(serve).map(|_| ())
}

fn answer(
    request: Request,
    pages: &Arc<Pages>,
    access: &Access,
    streams: &Arc<AtomicUsize>,
) -> io::Result<()> {
    let decision = access.decide(&request);
    if decision == Decision::Deny {
        return plain(request, 403, "403: open the address that harness watch has printed, with its token\n");
    }
    if !matches!(request.method(), Method::Get | Method::Head) {
        return plain(request, 405, "405: pages can only be read\n");
    }
    let path = request.url().split('?').next().unwrap_or_default().to_owned();
    if let Some(page) = pages.of_events(&path) {
        return stream(request, page, streams);
    }
    if let Some(found) = pages.resource(&path) {
        return send(request, found);
    }
    let Some((page, events)) = pages.find(&path) else {
        return plain(request, 404, "404: no such page\n");
    };
    page.want();
    page.wait_until_rendered(FIRST_RENDERING);
    // In one piece: with its length, a client can tell a whole page from a broken one.
    let mut response = Response::from_string(page.html(&events)).with_chunked_threshold(usize::MAX);
    for (name, value) in [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", POLICY),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
    ] {
        response.add_header(header(name, value)?);
    }
    if decision == Decision::AllowAndKeep {
        response.add_header(header("Set-Cookie", &access.cookie(&request))?);
    }
    request.respond(response)
}

/// Sends a game, or a file of a run as it is now.
fn send(request: Request, found: Resource) -> io::Result<()> {
    let (response, kind) = match found {
        Resource::Game(json) => (Response::from_string(&*json).boxed(), "application/json; charset=utf-8"),
        Resource::File(path) => match File::open(path) {
            Ok(file) => (Response::from_file(file).boxed(), "text/plain; charset=utf-8"),
            Err(_) => return plain(request, 404, "404: the run has no such file\n"),
        },
    };
    let mut response = response;
    for (name, value) in
        [("Content-Type", kind), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")]
    {
        response.add_header(header(name, value)?);
    }
    request.respond(response)
}

fn header(name: &str, value: &str) -> io::Result<Header> {
    Header::from_bytes(name, value).map_err(|()| io::Error::other("a header is not ASCII"))
}

fn plain(request: Request, status: u16, text: &str) -> io::Result<()> {
    request.respond(Response::from_string(text).with_status_code(status))
}

/// Sends the changes of a page until the client is gone.
fn stream(request: Request, page: Arc<Page>, streams: &Arc<AtomicUsize>) -> io::Result<()> {
    if streams.fetch_add(1, Ordering::Relaxed) >= MAX_STREAMS {
        streams.fetch_sub(1, Ordering::Relaxed);
        return plain(request, 503, "503: too many pages are open\n");
    }
    let counter = Arc::clone(streams);
    let send = move || {
        let _ = send_changes(&mut *request.into_writer(), &page);
        counter.fetch_sub(1, Ordering::Relaxed);
    };
    if let Err(error) = thread::Builder::new().name("events".to_owned()).spawn(send) {
        streams.fetch_sub(1, Ordering::Relaxed);
        return Err(error);
    }
    Ok(())
}

fn send_changes(writer: &mut (dyn Write + Send), page: &Page) -> io::Result<()> {
    // Written by hand: a response of tiny_http is buffered.
    writer.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\
          X-Content-Type-Options: nosniff\r\n\r\nretry: 2000\n\n",
    )?;
    writer.flush()?;
    let mut seen = 0;
    loop {
        page.want();
        let (version, changes) = page.wait(seen, KEEP_ALIVE);
        seen = version;
        if changes.is_empty() {
            writer.write_all(b": still there\n\n")?;
        }
        for (name, html) in &changes {
            writer.write_all(event(name, html).as_bytes())?;
        }
        writer.flush()?;
    }
}

/// Returns an event; each line of its data needs a prefix.
fn event(name: &str, data: &str) -> String {
    let data = data.replace('\r', "");
    let lines: String = data.split('\n').flat_map(|line| ["data: ", line, "\n"]).collect();
    format!("event: {name}\n{lines}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_an_event_has_a_prefix() {
        assert_eq!(event("body", "<p>a\r\nid: x\n"), "event: body\ndata: <p>a\ndata: id: x\ndata: \n\n");
    }
}
