//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done, 1 could not run, 2 bad usage or configuration, 3 interrupted with everything saved.

mod ablate;
mod bench;
mod book;
mod claims;
mod datagen;
mod doctor;
mod equivalence;
mod instructions;
mod measure;
mod merge;
mod openbench;
mod parts;
mod plan;
mod read_run;
mod replay;
mod report;
mod screen;
mod session;
mod shell;
mod slow;
mod smp;
mod solo;
mod suite;
mod tb;
mod threads;
mod train;
mod tune;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::cancel::Cancel;
use crate::config::{
    Affinity, ConfigError, EngineConfig, FieldPath, MatchConfig, OpeningSetConfig, OpeningsConfig, Problem,
    RunKind, Shard, Source, TuneEvalConfig, Variant, import_command_line, import_saved, split_words,
};
use crate::cpus::{CpuSet, Topology};
use crate::opening_maker::{OpeningMakerError, make_openings};
use crate::openings::OpeningBook;
use crate::progress::Display;
use crate::referee::Tables;
use crate::report::{MatchHistory, Report, match_report, tune_eval_report};
use crate::runner::{self, Job, Observer, PreflightError, Records, Summary, preflight};
use crate::stats::bounds::Verdict;
use crate::store::{AtomicFile, GameRecord, Host, Manifest, RunFolder, read_journal, utc_date_time};
use crate::tune_eval::{GamesError, TuneEvalError, TuneEvalEvent, TuneEvalSummary, fit_outcome, tune_eval};
use crate::uci_client::Launcher;
use session::{FolderArgs, KeptRun, timestamp, write_file, write_json};

/// Signals this close together are one request: `timeout` sends two, and so does a terminal that goes away.
const ONE_REQUEST: Duration = Duration::from_millis(500);

/// Matches, sequential tests and measurements for UCI chess engines.
#[derive(Debug, Parser)]
#[command(name = "harness", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 could not run, 2 bad usage or configuration, 3 interrupted with \
    everything saved.\n\nExample: harness sprt configs/sprt/null-move.yaml"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Test sequentially whether the first engine is stronger than the second.
    ///
    /// Games are played in pairs with one opening and swapped colours until the log-likelihood ratio of H1 (the first
    /// engine is at least elo1 better) against H0 (it is at most elo0 better) leaves its bounds. Positive Elo means
    /// that the first engine of the configuration is the better one.
    #[command(after_help = SPRT_HELP)]
    Sprt {
        #[command(flatten)]
        run: MatchArgs,
        /// Make the verdict the exit code: 0 if it is this one, 1 otherwise.
        #[arg(long, value_enum, value_name = "VERDICT")]
        expect: Option<Expect>,
        #[command(flatten)]
        plan: plan::PlanArgs,
    },
    /// Play a fixed number of games between two engines or more.
    ///
    /// Each engine meets each other in `games` games (in a gauntlet, the first ones all the others; or neighbours only). Many
    /// engines are rated together, on one scale: that of those whose rating is known, or with a mean of 0.
    #[command(after_help = MATCH_HELP)]
    Match {
        #[command(flatten)]
        run: MatchArgs,
        /// Play only this part of the match, such as 1/2; `harness merge` joins the parts.
        #[arg(long, value_name = "I/N", conflicts_with = "resume")]
        shard: Option<Shard>,
    },
    /// Join the parts of a match that were played apart.
    #[command(after_help = merge::HELP)]
    Merge(merge::MergeArgs),
    /// Say whether this machine, and an engine, are fit to measure with.
    #[command(after_help = doctor::HELP)]
    Doctor(doctor::DoctorArgs),
    /// Ask an engine again what it was asked before it failed.
    #[command(after_help = replay::HELP)]
    Replay(replay::ReplayArgs),
    /// Solve EPD sets, score what was found, and replay every claimed mate.
    ///
    /// A plain command line serves: the engine is the stretto beside the harness unless told otherwise.
    #[command(after_help = suite::HELP)]
    Suite(Box<suite::SuiteArgs>),
    /// Measure what more threads are worth: nodes a second, and nodes and time to a depth.
    #[command(after_help = smp::HELP)]
    Smp(RunArgs),
    /// Compare engines, builds or settings over fixed positions: nodes, time, speed.
    #[command(after_help = bench::HELP)]
    Bench(RunArgs),
    /// Measure what each switch of an engine is worth, over fixed positions.
    #[command(after_help = ablate::HELP)]
    Ablate(RunArgs),
    /// Tune numbers of an engine by its own games (SPSA), and test what comes out.
    #[command(after_help = tune::HELP)]
    Tune(RunArgs),
    /// Judge many settings of an engine at once, by the same games.
    #[command(after_help = screen::HELP)]
    Screen(RunArgs),
    /// Measure how many nodes many threads need to play as well as one.
    #[command(after_help = equivalence::HELP)]
    Equivalence(RunArgs),
    /// Play games of the engine against itself, for networks to learn from.
    #[command(after_help = datagen::HELP)]
    Datagen(RunArgs),
    /// Train an evaluation network on games made by `datagen`.
    #[command(after_help = train::HELP)]
    Train(train::TrainArgs),
    /// Look at games made by `datagen`, or write them in another order or form.
    #[command(after_help = datagen::DATA_HELP)]
    Data(datagen::DataArgs),
    /// Report on runs of any kind: one, or several side by side.
    #[command(after_help = report::HELP)]
    Report(report::ReportArgs),
    /// Check what texts on chess programs claim, by experiment.
    #[command(after_help = claims::HELP)]
    Claims(claims::ClaimsArgs),
    /// Count the instructions of small pieces of the engine's work, and compare with stored counts.
    #[command(after_help = instructions::HELP)]
    Instructions(instructions::InstructionsArgs),
    /// Be an engine that takes a known share more time, to check measurements with.
    #[command(after_help = slow::HELP)]
    Slow(slow::SlowArgs),
    /// Make opening books, merge them, look into them, teach them by results, and vet them by a search.
    #[command(after_help = book::HELP)]
    Book(book::BookArgs),
    /// Make endgame tables, ask them, play against them, and check them.
    #[command(after_help = tb::HELP)]
    Tb(tb::TbArgs),
    /// Take tests to OpenBench, and its games back into our statistics.
    #[command(name = "openbench", after_help = openbench::HELP)]
    OpenBench(openbench::OpenBenchArgs),
    /// Print what a shell needs to complete this program's command line.
    #[command(
        after_help = "Example: harness completions bash > /usr/share/bash-completion/completions/harness"
    )]
    Completions {
        /// The shell.
        shell: Shell,
        #[command(flatten)]
        installed: shell::Installed,
    },
    /// Write the manual pages of this program and its commands.
    #[command(after_help = "Example: harness man /usr/local/share/man/man1")]
    Man {
        /// The folder to write to.
        folder: PathBuf,
        #[command(flatten)]
        installed: shell::Installed,
    },
    /// Make a set of balanced openings.
    ///
    /// Random legal plies from the start position, kept where the engine's own search scores the position near 0.
    /// The same recipe gives the same file.
    #[command(after_help = "Example: harness openings configs/openings/balanced.yaml")]
    Openings {
        /// The recipe.
        config: PathBuf,
        /// The file to write instead of the one the recipe names.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Fit the chances of win, draw and loss to the scores that games record.
    #[command(after_help = FIT_WDL_HELP)]
    FitWdl {
        /// PGN files with scores in the comments, as `harness match` writes them.
        #[arg(required = true)]
        games: Vec<PathBuf>,
    },
    /// Fit the weights of the classical evaluation to games.
    ///
    /// Picks quiet positions out of PGN files, fits the curve from evaluation to result, then all weights by gradient
    /// descent, and judges by games kept apart. Writes the weights as the engine's source has them, and a summary.
    #[command(after_help = TUNE_EVAL_HELP)]
    TuneEval {
        /// The configuration.
        config: PathBuf,
        /// The folder to write to, instead of results/runs/tune-eval-<id>.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Threads, instead of the configured number; the result is the same.
        #[arg(long, value_name = "N")]
        concurrency: Option<std::num::NonZeroUsize>,
    },
}

const FIT_WDL_HELP: &str = "\
Example:
  harness fit-wdl results/runs/match-*/games.pgn

A win is taken to be as likely as not at one score, a loss at minus that, with one slope for both. The two numbers are
those of engine/src/eval/wdl.rs, which answers UCI_ShowWDL.";

const TUNE_EVAL_HELP: &str = "\
Example:
  harness tune-eval configs/tune-eval/classical.yaml
  cp results/runs/tune-eval-<id>/weights.rs engine/src/eval/classical/weights.rs

The fit starts from the weights that this harness was built with. The same games, seed and build give the same
weights. Ctrl-C during the fit ends it and keeps the best weights so far.";

const MATCH_HELP: &str = "\
Examples:
  harness match configs/match/self-play.yaml
  harness match --resume results/runs/match-20261121-120000-1a2b3c4d
  harness match longer.yaml --resume RUN     # the same configuration with more games: plays those that are missing
  harness match --from-fastchess -engine cmd=a name=a -engine cmd=b name=b -each tc=2+0.02 -rounds 50 -openings file=book.epd
  harness match --print-config --from-fastchess config.json > my.yaml";

const SPRT_HELP: &str = "\
Examples:
  harness sprt configs/sprt/null-move.yaml
  harness sprt configs/sprt/null-move.yaml --expect h1
  harness sprt configs/sprt/null-move.yaml --plan
  harness sprt --resume results/runs/sprt-20261121-120000-1a2b3c4d

A run is kept in results/runs/sprt-<id>/: manifest.yaml, journal.jsonl (one line a game, the truth), games.pgn,
summary.json, report.html and report.md, and faults/ with the dialogue that led to each crash, hang, illegal move or time forfeit.
An interrupted or killed run is continued with --resume and plays exactly the games that are missing. One that ended undecided goes
on with a configuration in which only sprt.max_games is larger: harness sprt FILE --resume RUN.

The test looks once after each completed pair, in order of completion; the first bound crossed decides. Pairs under
way at that moment are finished: they enter the Elo, not the verdict.";

#[derive(Debug, Args)]
struct MatchArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Seconds between two lines of progress, where there is no terminal to draw on.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    interval: u64,
    /// Only print the configuration that comes of --from-fastchess.
    #[arg(long, requires = "from_fastchess")]
    print_config: bool,
    /// Play what a command line of fastchess or cutechess-cli describes, or a config.json saved by fastchess.
    ///
    /// Everything that follows belongs to it, so it stands last. What has no counterpart is named.
    #[arg(long, value_name = "ARGS", num_args = 1.., allow_hyphen_values = true, conflicts_with = "config")]
    from_fastchess: Option<Vec<String>>,
}

impl MatchArgs {
    /// The configuration that is not in a file: the one brought from elsewhere.
    fn brought(&self, kind: RunKind) -> Result<Option<Source>, Failure> {
        let Some(words) = &self.from_fastchess else {
            // The parser does not ask for --from-fastchess where a configuration excludes it.
            if self.print_config {
                return Err(Failure::Usage("--print-config belongs to --from-fastchess".to_owned()));
            }
            return Ok(None);
        };
        let imported = match &words[..] {
            [file] if Path::new(file).extension().is_some_and(|extension| extension == "json") => {
                let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
                import_saved(&text)
            }
            // The whole command line as one word, as it stands in a script.
            [line] if line.contains(' ') => import_command_line(&split_words(line)),
            words => import_command_line(words),
        };
        let imported = imported.map_err(|error| Failure::Usage(format!("--from-fastchess: {error}")))?;
        for note in &imported.notes {
            say(&format!("note: {note}"));
        }
        let (wanted, name) =
            if imported.is_test { (RunKind::Sprt, "sprt") } else { (RunKind::Match, "match") };
        if wanted != kind {
            let what = if imported.is_test { "a test" } else { "no test" };
            return Err(Failure::Usage(format!(
                "--from-fastchess describes {what}: use `harness {name} --from-fastchess`"
            )));
        }
        Ok(Some(Source { file: PathBuf::from("from-fastchess.yaml"), text: imported.yaml }))
    }
}

#[derive(Debug, Args)]
struct RunArgs {
    /// The configuration; with --resume, the run's own copy serves unless given.
    config: Option<PathBuf>,
    #[command(flatten)]
    folder: FolderArgs,
    /// Games or searches at once, instead of the configured number.
    #[arg(long, value_name = "N")]
    concurrency: Option<std::num::NonZeroUsize>,
    /// Stream events as JSON lines on stdout.
    ///
    /// Each has `v` (the version of the format, 1) and `event`: `run_started`, `notice`, `run_ended` (with the content of
    /// summary.json), and in matches `game_finished` and `pair_finished` (with all statistics). All fields
    /// are written down in harness/EVENTS.md.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Expect {
    /// H1: the first engine is better.
    H1,
    /// H0: it is not.
    H0,
}

/// Why the command ended without doing what was asked.
enum Failure {
    /// Exit code 1.
    Run(anyhow::Error),
    /// Exit code 2.
    Config(ConfigError),
    /// Exit code 2, where no file is to blame.
    Usage(String),
    /// Exit code 3.
    Interrupted,
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Run(error)
    }
}

/// The command line, with the version and what the program was built from, where that is known.
fn command(commit: Option<&str>) -> clap::Command {
    let version = format!(
        "{}\ncommit   {}\nbuild    {}",
        env!("CARGO_PKG_VERSION"),
        commit.unwrap_or("unknown"),
        if cfg!(debug_assertions) { "with assertions" } else { "release" }
    );
    // Once a process; the parser wants text that lives as long.
    Cli::command().long_version(&*version.leak())
}

/// Runs the command line of this process. `commit` is what the program was built from, where that is known.
pub fn main(commit: Option<&str>) -> ExitCode {
    let matches = command(commit).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        Command::Sprt { run, plan, .. } if plan.plan => plan::run(&run, &plan),
        Command::Sprt { run, expect, .. } => run_match(&run, RunKind::Sprt, None, expect),
        Command::Match { run, shard } => run_match(&run, RunKind::Match, shard, None),
        Command::Merge(args) => merge::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Instructions(args) => instructions::run(&args),
        Command::Slow(args) => slow::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Smp(args) => smp::run(&args),
        Command::Datagen(args) => datagen::run(&args),
        Command::Tb(args) => tb::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Ablate(args) => ablate::run(&args),
        Command::Tune(args) => tune::run(&args),
        Command::Screen(args) => screen::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Claims(args) => claims::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Data(args) => datagen::data(&args),
        Command::Equivalence(args) => equivalence::run(&args),
        Command::OpenBench(args) => openbench::run(&args),
        Command::Completions { shell, installed } => Ok(shell::completions(Cli::command(), shell, installed)),
        Command::Man { folder, installed } => shell::man(Cli::command(), &folder, installed),
        Command::Openings { config, out } => run_openings(&config, out),
        Command::FitWdl { games } => run_fit_wdl(&games),
        Command::TuneEval { config, out, concurrency } => run_tune_eval(&config, out, concurrency),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Run(error)) => fail(1, &format!("{error:#}")),
        Err(Failure::Config(error)) => fail(2, &error),
        Err(Failure::Usage(error)) => fail(2, &error),
        Err(Failure::Interrupted) => ExitCode::from(3),
    }
}

fn fail(code: u8, error: &impl std::fmt::Display) -> ExitCode {
    let _ = writeln!(std::io::stderr().lock(), "error: {error}");
    ExitCode::from(code)
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Raises `cancel` at the first signal and ends the process at a later second one.
///
/// The engines of a process that ends so are killed by the kernel, and the journal holds whole games or a torn line.
fn listen_for_signals(cancel: &Cancel) -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    let cancel = cancel.clone();
    let listen = move || {
        let mut first = None;
        for _ in signals.forever() {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            cancel.cancel();
            if since > ONE_REQUEST {
                std::process::exit(3);
            }
        }
    };
    std::thread::Builder::new().spawn(listen).context("cannot listen for signals")?;
    Ok(())
}

fn run_match(
    args: &MatchArgs,
    kind: RunKind,
    shard: Option<Shard>,
    expect: Option<Expect>,
) -> Result<ExitCode, Failure> {
    let brought = args.brought(kind)?;
    if let (true, Some(source)) = (args.print_config, &brought) {
        print(&source.text);
        return Ok(ExitCode::SUCCESS);
    }
    let interval = Duration::from_secs(args.interval);
    let args = &args.run;
    let resumed = args.folder.resumed(kind.name())?;
    let source = match brought {
        Some(source) => source,
        None => session::source(args.config.as_deref(), resumed.as_ref())?,
    };
    let mut config = MatchConfig::load(&source, kind)?;
    if let Some(concurrency) = args.concurrency {
        config.concurrency = concurrency.get();
    }
    let kept = resumed.as_ref().map(|(_, manifest)| manifest.shard);
    config.shard = kept.or(shard).unwrap_or_default();
    let book = load_book(&config.openings, config.variant, &FieldPath::root(), &source)?;
    let cpu_sets = cpu_sets(&config, &source)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let tables = endgame_tables(&config, &source, &cancel)?;
    let launcher = Launcher::of_this_binary();
    let trial = preflight(&config, &launcher, &cancel)
        .map_err(|error| untried(error, &source, "interrupted before the first game"))?;
    let manifest = Manifest::new(&config, &trial.id_names, &source.file, &source.text, &timestamp())
        .context("cannot describe the run")?;
    let (folder, changes) = args.folder.open(resumed, &manifest)?;
    let mut notices = trial.warnings;
    notices.extend(changes);
    notices.extend(clock_notice(&config));
    notices.extend(book_notices(&config, &book));
    let available = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if config.is_timed() && config.concurrency * config.threads() > available {
        notices.push(format!(
            "{} games of {} threads at once want more than the {available} processors this process is given",
            config.concurrency,
            config.threads()
        ));
    }
    let job = Job { config, book, launcher, tables, dealer: None, cpu_sets, cancel };
    let display = Display::new(&job.config, args.json).with_interval(interval);
    let run = KeptRun::new(kind.name(), folder.path(), args.json, notices);
    play(&job, folder, run, display, expect)
}

/// Says where clocks of engines do not measure the same.
fn clock_notice(config: &MatchConfig) -> Option<String> {
    let counts_nodes = |engine: &&EngineConfig| engine.limits.is_timed() && engine.pace().is_some();
    let nodes = config.engines.iter().find(counts_nodes)?;
    let time = config.engines.iter().find(|engine| engine.is_timed())?;
    Some(format!(
        "the clock of {} counts nodes, that of {} real time: the two cannot be compared, and the result depends on the machine",
        nodes.name, time.name
    ))
}

/// Says where openings are played again, or where none of the book is beyond the first to play.
fn book_notices(config: &MatchConfig, book: &OpeningBook) -> Vec<String> {
    let (file, len, start) = (config.openings.file.display(), book.len() as u64, config.openings.start);
    let mut notices = Vec::new();
    if start >= len {
        notices.push(format!(
            "openings.start: {start}: {file} has {len} openings; it is gone through from the beginning again, and {} are skipped",
            start % len
        ));
    }
    if config.max_openings().is_none_or(|openings| openings > len) {
        notices.push(format!("{file} has {len} openings; further pairs play them again"));
    }
    notices
}

/// What a trial start that failed means for the command; an option that does not fit is a mistake in `source`.
fn untried(error: PreflightError, source: &Source, interrupted: &str) -> Failure {
    match error {
        PreflightError::Option(problem) => source.complain(problem).into(),
        PreflightError::Run(error) => Failure::Run(error.into()),
        PreflightError::Cancelled => {
            say(interrupted);
            Failure::Interrupted
        }
    }
}

/// The endgame tables that decide games, where the configuration wants any.
fn endgame_tables(
    config: &MatchConfig,
    source: &Source,
    cancel: &Cancel,
) -> Result<Option<Arc<Tables>>, ConfigError> {
    let Some(tables) = &config.tablebases else { return Ok(None) };
    if let Some(men) = tables.own {
        say(&format!("making endgame tables of up to {men} men"));
    }
    let opened = Tables::open(tables, cancel).map_err(|error| {
        let path = FieldPath::root().key("tablebases").key("syzygy");
        source.complain(Problem::new(path, error.to_string()))
    })?;
    Ok(Some(Arc::new(opened)))
}

/// The processors of each game at once, where games have their own.
fn cpu_sets(config: &MatchConfig, source: &Source) -> Result<Vec<CpuSet>, ConfigError> {
    if config.affinity == Affinity::Off {
        return Ok(Vec::new());
    }
    let sets = Topology::of_this_machine().sets(config.concurrency, config.threads());
    sets.map_err(|error| source.complain(Problem::new(FieldPath::root().key("affinity"), error.to_string())))
}

/// The openings of the run, which stand in a field of `parent`; a bad book is a mistake in the configuration that names it.
fn load_book(
    openings: &OpeningsConfig,
    variant: Variant,
    parent: &FieldPath,
    source: &Source,
) -> Result<OpeningBook, ConfigError> {
    let complain =
        |message: String| source.complain(Problem::new(parent.key("openings").key("file"), message));
    let book =
        OpeningBook::load(&openings.file, openings.format, openings.order, openings.seed, openings.start)
            .map_err(|error| complain(format!("{:#}", anyhow::Error::from(error))))?;
    if book.is_chess960() && variant == Variant::Standard {
        return Err(complain("has Chess960 positions: set `variant: chess960`".to_owned()));
    }
    Ok(book)
}

fn play(
    job: &Job,
    folder: RunFolder,
    mut run: KeptRun,
    mut display: Display,
    expect: Option<Expect>,
) -> Result<ExitCode, Failure> {
    let mut records = Records::open(folder, &job.config).map_err(anyhow::Error::from)?;
    run.note_torn(records.torn_bytes, "game");
    display.start(&run.path, records.games.len());
    for notice in &run.notices {
        display.notice(notice);
    }
    let summary = runner::run(job, &mut records, &mut display).map_err(|error| {
        display.abandon();
        run.stopped(error)
    })?;
    display.finish(&summary);
    session::write_report(&run.path, &report_of(&job.config, records.folder(), &summary)?)?;
    run.show(&summary.report());
    // The report says what the host took from the games, of this session and earlier ones.
    run.end_quietly(summary.state)?;
    Ok(exit_code(&summary, expect))
}

/// What a match says, by its journal.
fn report_of(config: &MatchConfig, folder: &RunFolder, summary: &Summary) -> anyhow::Result<Report> {
    let mut history = MatchHistory::new(config);
    read_journal(&folder.journal(), |game: GameRecord| {
        history.add(config, &game);
        Ok(())
    })?;
    Ok(match_report(config, summary, &history))
}

/// Writes text to stdout; nobody may be reading any more.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn exit_code(summary: &Summary, expect: Option<Expect>) -> ExitCode {
    let Some(expected) = expect else { return ExitCode::SUCCESS };
    let found = match summary.decision.map(|decision| decision.verdict) {
        Some(Verdict::AcceptH1) => Some(Expect::H1),
        Some(Verdict::AcceptH0) => Some(Expect::H0),
        Some(Verdict::Continue) | None => None,
    };
    if found == Some(expected) {
        return ExitCode::SUCCESS;
    }
    let name = if expected == Expect::H1 { "H1" } else { "H0" };
    fail(1, &format!("expected {name} to be accepted, found: {}", summary.verdict_text()))
}

fn run_openings(config: &Path, out: Option<PathBuf>) -> Result<ExitCode, Failure> {
    let source = Source::read(config)?;
    let mut config = OpeningSetConfig::load(&source)?;
    if let Some(out) = out {
        config.output = out;
    }
    let cannot_write = || format!("cannot write {}", config.output.display());
    // Opened before the work: a wrong folder is better known now.
    let mut file = AtomicFile::create(&config.output).with_context(cannot_write)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let bar = ProgressBar::new(config.count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} openings, {msg}, to go about {eta}")
    {
        bar.set_style(style);
    }
    let is_live = std::io::stderr().is_terminal();
    let mut told = 0;
    let progress = |found: usize, tried: u64| {
        bar.set_position(found as u64);
        bar.set_message(format!("{tried} candidates"));
        if !is_live && found >= told + config.count.div_ceil(10) {
            told = found;
            say(&format!("{found}/{} openings from {tried} candidates", config.count));
        }
    };
    let made = make_openings(&config, &Launcher::of_this_binary(), &cancel, progress);
    bar.finish_and_clear();
    let text = match made {
        Ok(text) => text,
        Err(OpeningMakerError::Cancelled) => {
            say("stopped; nothing was written");
            return Err(Failure::Interrupted);
        }
        Err(error) => return Err(Failure::Run(error.into())),
    };
    file.write_all(text.as_bytes()).and_then(|()| file.commit()).with_context(cannot_write)?;
    let _ = writeln!(
        std::io::stdout().lock(),
        "{} openings written to {}",
        config.count,
        config.output.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn run_tune_eval(
    config: &Path,
    out: Option<PathBuf>,
    concurrency: Option<std::num::NonZeroUsize>,
) -> Result<ExitCode, Failure> {
    let source = Source::read(config)?;
    let mut config = TuneEvalConfig::load(&source)?;
    if let Some(concurrency) = concurrency {
        config.concurrency = concurrency.get();
    }
    let path = out.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (date, time) = utc_date_time(now);
        Path::new(session::RUNS).join(format!(
            "tune-eval-{}-{}",
            date.replace('-', ""),
            time.replace(':', "")
        ))
    });
    // Opened before the work: a wrong folder is better known now.
    let folder = RunFolder::create(&path).map_err(anyhow::Error::from)?;
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    say(&format!("reading {} files", config.games.len()));
    let tuned = match tune_eval(&config, &cancel, |event| say(&tune_eval_line(&event))) {
        Ok(tuned) => tuned,
        Err(TuneEvalError::Cancelled) => {
            say("stopped; nothing was written");
            return Err(Failure::Interrupted);
        }
        Err(error) => return Err(Failure::Run(error.into())),
    };
    let weights = path.join("weights.rs");
    write_file(&weights, &tuned.weights)?;
    write_json(&folder.summary(), &tuned.summary)?;
    session::write_report(&path, &tune_eval_report(&tuned.summary))?;
    // The manifest last: a folder that has one is complete, and is not written to again.
    let identity = serde_json::json!({ "config": tuned.summary.config, "games": tuned.summary.blake3 });
    let host = Host::here(config.concurrency);
    let file = std::path::absolute(&source.file).context("cannot describe the run")?;
    let manifest = Manifest::describe("tune-eval", &identity, host, file, &source.text, &timestamp());
    let manifest = manifest.context("cannot describe the run")?;
    let text = serde_yaml::to_string(&manifest).context("cannot write the manifest")?;
    write_file(&folder.manifest(), &text)?;
    let report = tune_eval_lines(&tuned.summary, &weights);
    let _ = std::io::stdout().lock().write_all(report.as_bytes());
    if tuned.summary.is_interrupted { Err(Failure::Interrupted) } else { Ok(ExitCode::SUCCESS) }
}

fn run_fit_wdl(games: &[PathBuf]) -> Result<ExitCode, Failure> {
    let cancel = Cancel::new();
    listen_for_signals(&cancel)?;
    let (read, fit) = match fit_outcome(games, &cancel) {
        Ok(found) => found,
        Err(GamesError::Cancelled) => return Err(Failure::Interrupted),
        Err(error) => return Err(Failure::Run(error.into())),
    };
    let Some(fit) = fit else {
        return Err(Failure::Run(anyhow!("{read} games record too few scores to fit anything to")));
    };
    print(&format!(
        "{} scores of {read} games\neven   {:.1}\nspread {:.1}\n",
        fit.scores, fit.even_chance, fit.spread
    ));
    Ok(ExitCode::SUCCESS)
}

/// A fit's progress in a line.
fn tune_eval_line(event: &TuneEvalEvent) -> String {
    match event {
        TuneEvalEvent::Read { games, unfinished } => {
            format!("{games} games read, {unfinished} without a result left out")
        }
        TuneEvalEvent::Picked { positions, validation } => {
            format!("{positions} positions to learn from, {validation} to judge by")
        }
        TuneEvalEvent::Scaled { scale, validation_loss } => {
            format!("the curve's scale is {scale:.1} centipawns; validation loss {validation_loss:.6}")
        }
        TuneEvalEvent::Epoch(epoch) => {
            let left = epoch.elapsed / epoch.epoch * (epoch.epochs - epoch.epoch);
            format!(
                "epoch {:3}/{}  training {:.6}  validation {:.6}{}  to go at most {} s",
                epoch.epoch,
                epoch.epochs,
                epoch.training_loss,
                epoch.validation_loss,
                if epoch.is_best { " *" } else { "  " },
                left.as_secs(),
            )
        }
    }
}

fn tune_eval_lines(summary: &TuneEvalSummary, weights: &Path) -> String {
    let TuneEvalSummary { before, after, .. } = summary;
    let mut lines = vec![
        format!("{} positions of {} games, {} epochs", summary.positions, summary.games, summary.epochs),
        format!("training loss   {:.6} -> {:.6}", before.training, after.training),
        format!("validation loss {:.6} -> {:.6}", before.validation, after.validation),
        format!("  results alone {:.6} -> {:.6}", before.validation_results, after.validation_results),
    ];
    if let Some(fit) = summary.outcome {
        lines.push(format!(
            "chances behind a recorded score: even at {:.1} cp, spread {:.1} cp ({} scores)",
            fit.even_chance, fit.spread, fit.scores
        ));
    }
    if summary.is_interrupted {
        lines.push("interrupted; these are the best weights until then".to_owned());
    }
    lines.push(format!("weights written to {}\n", weights.display()));
    lines.join("\n")
}
