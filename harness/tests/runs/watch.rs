//! Process tests of `harness watch`, which is asked over HTTP as a browser would.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use crate::common::{Exits, Has, Lab, await_that, harness, silent};

/// A process that is killed at the end of the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running `harness watch`.
struct Watch {
    _child: Killed,
    _stderr: BufReader<ChildStderr>,
    /// `127.0.0.1:PORT`.
    address: String,
    /// The path and query of its address.
    path: String,
}

impl Watch {
    /// Starts it on a free port in a folder, and reads its address.
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = harness(&["watch", "--port", "0"]);
        command.args(args).current_dir(folder).stderr(Stdio::piped());
        let mut child = Killed(command.spawn().unwrap());
        let mut stderr = BufReader::new(child.0.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("http://") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it ended without an address");
        }
        let url = line.trim().trim_start_matches("http://");
        let (address, path) = url.split_once('/').unwrap();
        let address = address.replace("0.0.0.0", "127.0.0.1");
        Self { _child: child, _stderr: stderr, address, path: format!("/{path}") }
    }

    /// Sends a request with further header lines, and returns the connection.
    fn send(&self, method: &str, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let host = &self.address;
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n")
            .unwrap();
        stream
    }

    /// Returns the whole answer.
    fn get(&self, path: &str) -> String {
        let mut text = String::new();
        self.send("GET", path, "").read_to_string(&mut text).unwrap();
        text
    }

    /// Returns the changes of a page from now on.
    fn events(&self, path: &str) -> BufReader<TcpStream> {
        BufReader::new(self.send("GET", path, ""))
    }
}

/// Reads events until one of this name has this content; returns its data.
fn read_until(events: &mut BufReader<TcpStream>, name: &str, content: &str) -> String {
    loop {
        let (mut event, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            assert_ne!(events.read_line(&mut line).unwrap(), 0, "the stream ended before {name}: {content}");
            let line = line.trim_end_matches('\n');
            if line.is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("event: ") {
                text.clone_into(&mut event);
            } else if let Some(text) = line.strip_prefix("data: ") {
                data += text;
            }
        }
        if event == name && data.contains(content) {
            return data;
        }
    }
}

/// A match whose games last a few seconds.
fn slow_match(games: u32) -> Lab {
    Lab::new("steady ms=30", "steady ms=30")
        .with(&format!("games: {games}\nconcurrency: 2\ntime_control: 60+1"))
}

#[test]
fn run_in_progress_is_shown_until_its_final_report() {
    let lab = slow_match(10);
    let mut run = Killed(lab.spawn("match", &[]));
    let live = lab.run_dir().join("live.json");
    await_that("live.json", || live.is_file());
    // Another run under way, which the watcher is not asked for.
    let other = lab.path("results/runs/match-other");
    fs::create_dir_all(&other).unwrap();
    for file in ["manifest.yaml", "live.json"] {
        fs::copy(lab.run_dir().join(file), other.join(file)).unwrap();
    }
    let lock = fs::File::create(other.join("lock")).unwrap();
    lock.lock().unwrap();
    let watch = Watch::start(lab.path("").as_path(), &["run"]);
    let page = watch.get("/");
    assert!(
        page.starts_with("HTTP/1.1 200 OK\r\n")
            && page.contains("Content-Security-Policy: default-src 'none'"),
        "{page}"
    );
    assert!(
        page.contains("<h1>first against second</h1>") || page.contains("data-events=\"/run/run/events\""),
        "{page}"
    );

    // Two browsers; one of them goes away.
    let mut other = watch.events("/run/run/events");
    read_until(&mut other, "status", "running");
    drop(other);
    let mut events = watch.events("/run/run/events");
    let boards = read_until(&mut events, "games", "class=\"board\"");
    assert!(
        boards.contains("first") && boards.contains("#piece-k") && boards.contains("first</b>"),
        "{boards}"
    );
    let status = read_until(&mut events, "status", "running");
    assert!(status.contains("elapsed 0:0"), "under ten minutes: {status}");
    read_until(&mut events, "lead", "won, drawn, lost");

    assert!(run.0.wait().unwrap().success());
    let status = read_until(&mut events, "status", "finished");
    assert!(!status.contains("running"), "{status}");
    assert!(!live.exists(), "live.json is removed at the end");
    // The page is the report of the folder.
    let page = watch.get("/run/run");
    let report = fs::read_to_string(lab.run_dir().join("report.html")).unwrap();
    let part = |text: &str| {
        let from = text.split_once("What was tested").unwrap().1;
        from.split_once("<details>").unwrap().0.to_owned()
    };
    assert_eq!(part(&page), part(&report));
    // A game of the table opens, and the link to all games works.
    let game = watch.get("/run/run/game/7");
    assert!(game.starts_with("HTTP/1.1 200 ") && game.contains("\"number\":7"), "{game}");
    assert!(page.contains("<base href=\"/run/run/\">") && page.contains("href=\"#game-7\""), "{page}");
    let pgn = watch.get("/run/run/games.pgn");
    assert!(pgn.contains("X-Content-Type-Options: nosniff") && pgn.contains("[GameNumber \"10\"]"), "{pgn}");
    for path in [
        "/run/run/game/11",
        "/run/run/manifest.yaml",
        "/run/run/faults/game-1.txt",
        "/run/run/faults/../lock",
        "/run/match-other/",
    ] {
        assert!(watch.get(path).starts_with("HTTP/1.1 404 "), "{path}");
    }
    assert!(page.contains("<dd>10</dd>"), "{page}");
    assert!(page.contains("data-copy>Copy<") && page.contains("Games | N: 10 W: "), "{page}");

    fs::remove_dir_all(lab.run_dir()).unwrap();
    let status = read_until(&mut events, "status", "deleted");
    assert!(status.contains("The run folder was deleted"), "{status}");
    assert!(watch.get("/run/run").contains("What was tested"), "the last report is kept");
}

#[test]
fn runs_under_way_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let watch = Watch::start(dir.path(), &[]);
    let page = watch.get("/");
    assert!(page.contains("No run is under way in results/runs"), "{page}");
    let labs = [slow_match(40), slow_match(40)];
    let start = |(index, lab): (usize, &Lab)| {
        let mut command = harness(&["match"]);
        command.arg(lab.write_config()).arg("--run-id").arg(index.to_string()).current_dir(dir.path());
        Killed(silent(&mut command))
    };
    let runs: Vec<Killed> = labs.iter().enumerate().map(start).collect();
    let mut events = watch.events("/events");
    let list = read_until(&mut events, "body", "href=\"/run/match-1/\"");
    let list = if list.contains("match-0") { list } else { read_until(&mut events, "body", "match-0") };
    harness(&["queue", "add", "match"]).arg(labs[0].path("config.yaml")).current_dir(dir.path()).exits(0);
    read_until(&mut events, "body", "<h2>Waiting in the queue</h2>");
    assert!(list.contains("href=\"/run/match-0/\""), "{list}");
    let list = read_until(&mut events, "body", "first against second");
    assert!(list.contains("running"), "{list}");
    // A killed run is no longer under way, whatever it left behind.
    drop(runs);
    let list = read_until(&mut events, "body", "not finished");
    assert!(list.contains("<h2>Ended</h2>"), "{list}");
}

#[test]
fn runs_that_ended_before_are_listed_apart() {
    let dir = tempfile::tempdir().unwrap();
    let bounds = "games: 4\nadjudication: { max_moves: 2 }";
    let lab = Lab::new("play seed=1", "play seed=2").with(bounds);
    let mut command = harness(&["match"]);
    command.arg(lab.write_config()).args(["--run-id", "before"]).current_dir(dir.path());
    command.exits(0);
    let watch = Watch::start(dir.path(), &[]);
    let mut events = watch.events("/events");
    let list = read_until(&mut events, "body", "first against second");
    let ended = list.split_once("<h2>Ended</h2>").expect("a part for ended runs").1;
    for part in
        ["href=\"/run/match-before/\"", "finished", "Elo of 4 games", "200 nodes · book.epd", "begun 20"]
    {
        assert!(ended.contains(part), "{part}: {list}");
    }
    assert!(list.contains("No run is under way"), "{list}");
    assert!(watch.get("/run/match-before/").contains("What was tested"));
}

#[test]
fn other_addresses_need_the_token() {
    let lab = Lab::new("play", "play seed=2").with("games: 2");
    lab.run("match", &[]).exits(0);
    let watch = Watch::start(lab.path("").as_path(), &["run", "--listen", "0.0.0.0"]);
    let token = watch.path.strip_prefix("/?token=").expect("a generated token").to_owned();
    for path in ["/", "/runs", "/run/run", "/run/run/events", "/?token=wrong"] {
        let answer = watch.get(path);
        assert!(answer.starts_with("HTTP/1.1 403 "), "{path}: {answer}");
    }
    let answer = watch.get(&watch.path);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("first against second"), "{answer}");
    let port = watch.address.split_once(':').unwrap().1;
    assert!(answer.contains(&format!("Set-Cookie: harness_token_{port}={token};")), "{answer}");
    let mut text = String::new();
    let cookie = format!("Cookie: harness_token_{port}={token}\r\n");
    watch.send("GET", "/run/run", &cookie).read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200 "), "{text}");
    let mut text = String::new();
    watch.send("POST", "/run/run", &cookie).read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 405 "), "{text}");
    let answer = watch.get(&format!("/run/../../etc/passwd?token={token}"));
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
}

#[test]
fn two_watchers_keep_their_cookies_apart() {
    let dir = tempfile::tempdir().unwrap();
    let watchers = ["first-token", "second-token"].map(|token| Watch::start(dir.path(), &["--token", token]));
    // A browser keeps one value of each name and sends the cookies of a host to all its ports.
    let mut kept = BTreeMap::new();
    for watch in &watchers {
        let answer = watch.get(&watch.path);
        let cookie = answer.split_once("Set-Cookie: ").unwrap().1.split_once(';').unwrap().0;
        let (name, value) = cookie.split_once('=').unwrap();
        kept.insert(name.to_owned(), value.to_owned());
    }
    let cookies: Vec<String> = kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let header = format!("Cookie: {}\r\n", cookies.join("; "));
    for watch in &watchers {
        let mut text = String::new();
        watch.send("GET", "/", &header).read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 "), "{}: {text}", watch.address);
    }
}

#[test]
fn unusable_arguments_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    for (run, code, expected) in [("nothing", 1, "no run `nothing`"), ("empty", 2, "empty holds no run")] {
        harness(&["watch", run]).current_dir(dir.path()).exits(code).stderr_has(expected);
    }
    let first = Watch::start(dir.path(), &[]);
    let port = first.address.split_once(':').unwrap().1;
    let output = harness(&["watch", "--port", port]).current_dir(dir.path()).exits(1);
    let expected = format!("port {port} is in use; choose another one: --port ");
    output.stderr_has(&expected);
    harness(&["watch", "--token", "short"]).exits(2).stderr_has("at least 8 letters");
}
