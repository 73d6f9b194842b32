//! The command: its arguments, the port, and the runs that are watched.

use std::cmp::Reverse;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use clap::Args;
use tiny_http::Server;

use super::access::{self, Access};
use super::follow::Follow;
use super::pages::Pages;
use super::server;
use crate::cli::queue::entries::QUEUE;
use crate::cli::queue::waiting;
use crate::cli::runs::{is_locked, manifests_in};
use crate::run::command::{Failure, cancel_on_signals, say};
use crate::run::reporter::Reporter;
use crate::run::session::{RUNS, run_path};

/// Default port of the server.
const PORT: u16 = 8641;
/// Interval at which the run folders are read.
const TICK: Duration = Duration::from_millis(500);
/// Interval at which new runs are looked for.
const SCAN: Duration = Duration::from_secs(2);
/// Number of ended runs that are listed, the latest ones.
const ENDED_RUNS: usize = 20;

const HELP: &str = "\
Examples:
  harness watch                                   # the runs in results/runs, also those that begin later
  harness watch results/runs/sprt-20261121-120000-1a2b3c4d
  harness watch --listen 0.0.0.0                  # for other machines, with a generated token
  ssh -L 8641:localhost:8641 server               # or: watch a server without opening a port

Shows verdict, Elo, LLR and pentanomial, the games under way with boards and clocks, faults and the ETA, and renews them in the
browser. A game of the table opens on a board with moves, scores and clocks; arrow keys step through it. When a run ends, its page
is the final report. The list of runs has those under way and, apart, the last 20 that ended and the commands that wait in
`harness queue`.

Nothing can be changed through the page. Games are not disturbed: the run itself only writes its current positions to live.json,
at most twice a second, whether it is watched or not.";

/// Serves live pages of runs under way on this machine.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct WatchArgs {
    /// Run folders (paths, names below results/runs, or the NAME of --run-id) [default: those under way and the last that ended].
    #[arg(value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// The port; 0 for any free one.
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// The address to listen on. Any address but that of this machine requires a token.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = listen_address)]
    listen: IpAddr,
    /// Require this token in the address of the page [default with --listen: a generated one].
    #[arg(long, value_name = "TOKEN", value_parser = access::token)]
    token: Option<String>,
}

/// Parses the value of `--listen`.
fn listen_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| match text.parse::<SocketAddr>() {
        Ok(address) => {
            format!("expected an address without a port: --listen {} --port {}", address.ip(), address.port())
        }
        Err(_) => "expected an IP address, such as 127.0.0.1 or 0.0.0.0".to_owned(),
    })
}

/// Runs `harness watch`. `reporters` has the kinds of run, and what reports on them.
pub fn run(args: &WatchArgs, reporters: &'static [(&'static str, Reporter)]) -> Result<ExitCode, Failure> {
    let pages = Arc::new(Pages::new(args.runs.is_empty()));
    let mut watched = Watched { pages: Arc::clone(&pages), follows: Vec::new(), reporters };
    for run in &args.runs {
        let path = run_path(run)?;
        let message = format_args!("{} holds no run (no manifest.yaml)", path.display());
        Failure::require(path.join("manifest.yaml").is_file(), message)?;
        watched.add(&path, false);
    }
    let access = Access::new(args.listen, args.token.clone()).context("cannot generate a token")?;
    let listener = listen(SocketAddr::new(args.listen, args.port))?;
    let address = listener.local_addr().context("cannot listen")?;
    let server = Server::from_listener(listener, None).map_err(|error| anyhow!("cannot listen: {error}"))?;
    let cancel = cancel_on_signals()?;
    server::start(server, Arc::clone(&watched.pages), access.clone()).context("cannot start the server")?;
    // The address stands alone, so that a terminal or a script takes no more than it.
    say("watching until Ctrl-C, on");
    say(&access.url(address));
    if args.runs.is_empty() {
        watch_ended(pages, reporters).context("cannot start a thread")?;
    }
    let mut last_scan = None::<Instant>;
    while !cancel.is_cancelled() {
        if args.runs.is_empty() && last_scan.is_none_or(|last| last.elapsed() >= SCAN) {
            last_scan = Some(Instant::now());
            watched.scan(Path::new(RUNS));
        }
        watched.refresh();
        std::thread::sleep(TICK);
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the port. Errors: it is in use, with a way out; the address is not of this machine.
fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            let (port, next) = (address.port(), address.port().checked_add(1).unwrap_or(PORT));
            Failure::Run(anyhow!("port {port} is in use; choose another one: --port {next}"))
        }
        _ => Failure::Run(anyhow::Error::from(error).context(format!("cannot listen on {address}"))),
    })
}

/// Watches the runs that have ended, in a thread of its own: the pages of runs under way do not wait while a long journal is
/// read.
fn watch_ended(pages: Arc<Pages>, reporters: &'static [(&'static str, Reporter)]) -> io::Result<()> {
    let watch = move || {
        let mut watched = Watched { pages, follows: Vec::new(), reporters };
        watched.add_ended(Path::new(RUNS));
        loop {
            watched.refresh();
            std::thread::sleep(TICK);
        }
    };
    std::thread::Builder::new().name("ended".to_owned()).spawn(watch).map(drop)
}

/// The runs that are watched.
struct Watched {
    pages: Arc<Pages>,
    follows: Vec<Follow>,
    reporters: &'static [(&'static str, Reporter)],
}

impl Watched {
    fn add(&mut self, path: &Path, is_old: bool) {
        self.follows.push(Follow::new(path.to_path_buf(), self.pages.add(path), self.reporters, is_old));
    }

    /// Adds the last runs of a folder that have ended.
    fn add_ended(&mut self, folder: &Path) {
        let begun =
            |path: &PathBuf| path.join("manifest.yaml").metadata().and_then(|file| file.modified()).ok();
        let mut ended: Vec<PathBuf> =
            manifests_in(folder).into_iter().filter(|path| !is_locked(path)).collect();
        ended.sort_by_key(|path| Reverse(begun(path)));
        ended.truncate(ENDED_RUNS);
        for path in ended {
            self.add(&path, true);
        }
    }

    /// Adds the runs that have begun in a folder.
    fn scan(&mut self, folder: &Path) {
        for path in manifests_in(folder) {
            if is_locked(&path) && !self.pages.has(&path) {
                self.add(&path, false);
                say(&format!("watching {}", path.display()));
            }
        }
    }

    /// Renews the pages that are looked at.
    fn refresh(&mut self) {
        for follow in &mut self.follows {
            follow.refresh(self.pages.is_listed());
        }
        self.pages.renew_list(&waiting(Path::new(QUEUE)));
    }
}
