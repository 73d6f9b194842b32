//! Runs the program by its command-line arguments.

use std::{io, iter};

use super::format::Dialect;
use super::genfens::{self, GenfensUsage};
use super::output::Output;
use super::parse::{Command, parse};
use super::repl::{Session, describe, read_fen, run_bench, run_perft};
use super::words::{ParseError, unexpected};
use crate::bench::{Bench, BenchError, Speedtest};
use crate::engine::{Configuration, MAX_HASH, MAX_THREADS, Mode, StartError};
use crate::eval::network::Kernels;
use crate::genfens::{GenfensError, generate};
use crate::position::{FenError, Game, Position};
use crate::search::params::{TUNABLES, TunableInfo};
use crate::search::switches::{Settings, Switch, SwitchInfo};
use crate::types::{Mebibytes, Millis};

const HELP: &str = "Stretto, a UCI chess engine

usage: stretto [--lab]                              UCI on standard input and output
       stretto [--lab] bench [DEPTH] [THREADS] [HASH]
                                                    search fixed positions to depth 12 with one thread and
                                                    16 MiB; the node count of one thread is the signature
       stretto perft DEPTH [FEN]                    count the leaves of the move tree, by first move
       stretto speedtest [THREADS] [HASH] [SECONDS] measure nodes per second for a fixed time: by default
                                                    a thread per logical processor, 64 MiB each, 30 seconds
       stretto genfens N seed S [book FILE|None] [variant standard|chess960|double]
               [plies N] [limit CENTIPAWNS] [nodes N]
                                                    print N start positions for games, for OpenBench
       stretto tunables                             print each tunable as a line of an OpenBench SPSA test
       stretto switches                             print each switch with its default, its effect on scores
                                                    and what it does
       stretto [COMMAND] --help                     print this text, or the usage of one command
       stretto --version                            print version, commit and processor features

--lab makes every switch and tunable of the search a UCI option. A build with the feature `lab` always does.
In a UCI session, `help` lists the commands beyond UCI: print the board or the evaluation, run bench or perft.
example: stretto bench 12 1 16";

/// Returns the command that a line of [`HELP`] shows how to call.
fn called_command(line: &str) -> Option<&str> {
    let call = line.split_once("stretto ")?.1;
    call.strip_prefix("[--lab] ").unwrap_or(call).split_whitespace().next()
}

/// Returns the part of [`HELP`] about one command; `None` if it is not a command.
fn usage(command: &str) -> Option<String> {
    let mut lines =
        HELP.lines().skip_while(|line| line.starts_with("usage:") || called_command(line) != Some(command));
    let call = lines.next()?.trim_start();
    let more = lines.take_while(|line| line.starts_with("       ") && called_command(line).is_none());
    let call = format!("usage: {call}");
    Some(iter::once(call.as_str()).chain(more).collect::<Vec<_>>().join("\n"))
}

/// Reason why the command line could not be executed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant describes it")]
pub enum CommandError {
    #[error("unknown argument '{0}'; see stretto --help")]
    Usage(String),
    #[error("{name}: expected a whole number from {min} to {max}, found '{text}'; see stretto --help")]
    Number { name: &'static str, text: String, min: i64, max: i64 },
    #[error("{0}; see stretto --help")]
    Parse(#[from] ParseError),
    #[error("{0}; see stretto --help")]
    GenfensUsage(#[from] GenfensUsage),
    #[error("genfens: {0}")]
    Genfens(#[from] GenfensError),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error("cannot read standard input: {0}")]
    Input(#[from] io::Error),
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
}

impl CommandError {
    /// Returns the exit code: 2 for wrong usage, 1 for a failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::Number { .. } | Self::Parse(_) | Self::Fen(_) | Self::GenfensUsage(_) => 2,
            Self::Start(_) | Self::Bench(_) | Self::Input(_) | Self::Output(_) | Self::Genfens(_) => 1,
        }
    }
}

/// Runs the program with these arguments, without the program name. `commit` is the commit of the
/// build, if known.
pub fn command_line(arguments: &[String], commit: Option<&str>) -> Result<(), CommandError> {
    let output = Output::new(io::stdout());
    run(arguments, commit, &output)?;
    output.failure().map_or(Ok(()), |error| Err(CommandError::Output(error)))
}

fn run(arguments: &[String], commit: Option<&str>, output: &Output) -> Result<(), CommandError> {
    let asks_for_lab = arguments.first().is_some_and(|first| first == "--lab");
    let is_lab = asks_for_lab || cfg!(feature = "lab");
    let arguments = &arguments[usize::from(asks_for_lab)..];
    if let [command, rest @ ..] = arguments
        && rest.iter().any(|argument| argument == "--help" || argument == "-h")
        && let Some(usage) = usage(command)
    {
        output.line(&usage);
        return Ok(());
    }
    let command_name = arguments.first().map(String::as_str);
    if asks_for_lab && !matches!(command_name, None | Some("bench" | "help" | "--help" | "-h")) {
        return Err(CommandError::Usage("--lab".into()));
    }
    match command_name {
        None => {
            let mut session = Session::new(output.clone(), is_lab)?;
            session.introduce_system(commit);
            session.run(io::stdin().lock())?;
            // A session does not fail because its reader does.
            output.failure();
            Ok(())
        }
        Some("--help" | "-h" | "help") if arguments.len() == 1 => {
            output.line(HELP);
            Ok(())
        }
        Some("--version" | "-V") if arguments.len() == 1 => {
            output.line(&version(commit));
            Ok(())
        }
        Some("tunables") if arguments.len() == 1 => {
            for tunable in TUNABLES {
                output.line(&spsa_line(tunable));
            }
            Ok(())
        }
        Some("switches") if arguments.len() == 1 => {
            for &switch in Switch::ALL {
                let state = if switch.info().default { "on" } else { "off" };
                let SwitchInfo { name, class, .. } = switch.info();
                output.line(&format!("{name} ({state}, {}): {}", class.name(), switch.description()));
            }
            Ok(())
        }
        // OpenBench sends the whole command as one argument, and `quit` as the next.
        Some(first) if first.split_whitespace().next() == Some("genfens") => {
            // The path of a book may contain spaces.
            let rest = arguments[1..].iter().map(String::as_str);
            let request = genfens::parse(first.split_whitespace().skip(1).chain(rest))?;
            generate(&request, |position| output.note(&format!("genfens {position}")))?;
            Ok(())
        }
        Some("speedtest") => speedtest(&arguments[1..], commit, output),
        Some("bench" | "perft") => command(&arguments.join(" "), is_lab, output),
        Some("--help" | "-h" | "help" | "--version" | "-V" | "tunables" | "switches") => {
            Err(CommandError::Usage(arguments[1].clone()))
        }
        Some(other) => Err(CommandError::Usage(other.into())),
    }
}

/// The instruction sets that this build requires beyond those of the target.
const NEEDED: &[(bool, &str)] = &[
    (cfg!(target_feature = "popcnt"), "popcnt"),
    (cfg!(target_feature = "bmi2"), "bmi2"),
    (cfg!(target_feature = "avx2"), "avx2"),
    (cfg!(target_feature = "avx512bw"), "avx512bw"),
    (cfg!(target_feature = "avx512vnni"), "avx512vnni"),
    (cfg!(target_feature = "dotprod"), "dotprod"),
];

/// Returns the text of `--version`: version, commit, required instruction sets, and the network
/// kernels in use.
fn version(commit: Option<&str>) -> String {
    let commit = commit.map_or_else(|| "unknown".to_owned(), str::to_owned);
    let mut needs: Vec<&str> =
        NEEDED.iter().filter(|(is_needed, _)| *is_needed).map(|(_, name)| *name).collect();
    needs.insert(0, std::env::consts::ARCH);
    let kind = match (cfg!(feature = "lab"), cfg!(debug_assertions)) {
        (true, true) => "lab, with assertions",
        (true, false) => "lab",
        (false, true) => "play, with assertions",
        (false, false) => "play",
    };
    format!(
        "stretto {}\ncommit   {commit}\nbuild    {kind}\nneeds    {}\nnetwork  {} kernels on this machine",
        env!("CARGO_PKG_VERSION"),
        needs.join(" "),
        Kernels::best().name()
    )
}

/// Formats a tunable for OpenBench: name, type, value, minimum, maximum, final step, learning rate.
fn spsa_line(tunable: &TunableInfo) -> String {
    let TunableInfo { name, default, min, max, step, .. } = tunable;
    format!("{name}, int, {default}.0, {min}.0, {max}.0, {step}.0, 0.002")
}

/// Runs `bench` or `perft`, with the same syntax as in a UCI session.
fn command(line: &str, is_lab: bool, output: &Output) -> Result<(), CommandError> {
    let Some(parsed) = parse(line)? else { return Ok(()) };
    // A session corrects such a number with a warning; here it is an error.
    match parsed.warnings.into_iter().next() {
        None => {}
        Some(ParseError::OutOfRange { context, token, min, max, .. }) => {
            return Err(CommandError::Number { name: context, text: token, min, max });
        }
        Some(ParseError::Fraction { context, token, .. }) => {
            return Err(unexpected(context, "a whole number", &token).into());
        }
        Some(ParseError::Surplus { token, .. }) => return Err(CommandError::Usage(token)),
        Some(warning) => return Err(warning.into()),
    }
    match parsed.command {
        Command::Bench { depth, threads, hash } => {
            let mode = if is_lab { Mode::Lab(Settings::default()) } else { Mode::Play };
            let configuration = Configuration { mode, ..Configuration::default() };
            Ok(run_bench(&Bench::of(configuration, depth, threads, hash), output)?)
        }
        Command::Perft { depth, fen } => {
            let game = match fen {
                None => Game::new(Position::startpos()),
                Some(fen) => read_fen(&fen, "perft", true, output)?,
            };
            run_perft(game.position(), depth, Dialect::default(), output);
            Ok(())
        }
        _ => Err(CommandError::Usage(line.into())),
    }
}

/// The longest speed test, a day. Units: seconds.
const LONGEST_SPEEDTEST: u64 = 86_400;

/// Runs the speed test with arguments `[THREADS] [HASH] [SECONDS]`.
fn speedtest(arguments: &[String], commit: Option<&str>, output: &Output) -> Result<(), CommandError> {
    let test = speedtest_of(arguments)?;
    for line in describe(commit, test.threads) {
        output.line(&line);
    }
    let speed = test.run()?;
    let (slowest, fastest) = speed.nps_range();
    if 2 * slowest < fastest {
        output.line(
            "warning: a thread searched less than half as much as the fastest; the machine is busy, or SECONDS is too short",
        );
    }
    output.line(&format!(
        "threads {}\nhash {} MiB\npositions {}\nseconds {:.2}\nhashfull {} permille on average, {} maximum\n\
         slowest thread {slowest} nps, fastest {fastest} nps\n{} nodes {} nps",
        test.threads,
        test.hash.0,
        speed.positions,
        speed.elapsed.as_secs_f64(),
        speed.mean_hashfull.0,
        speed.most_hashfull.0,
        speed.nodes.0,
        speed.nps()
    ));
    Ok(())
}

/// Parses `[THREADS] [HASH] [SECONDS]`. The hash size follows the number of threads.
fn speedtest_of(arguments: &[String]) -> Result<Speedtest, CommandError> {
    let number = |index: usize, name, default: u64, max: u64| match arguments.get(index) {
        None => Ok(default),
        Some(text) => {
            let value = text.parse().ok().filter(|value| (1..=max).contains(value));
            value.ok_or_else(|| CommandError::Number { name, text: text.clone(), min: 1, max: max as i64 })
        }
    };
    if let Some(extra) = arguments.get(3) {
        return Err(CommandError::Usage(extra.clone()));
    }
    let all = Speedtest::default().threads as u64;
    let threads = number(0, "speedtest threads", all, MAX_THREADS as u64)? as usize;
    let default = Speedtest::of_threads(threads);
    let hash = Mebibytes(number(1, "speedtest hash", default.hash.0, MAX_HASH.0)?);
    let seconds = number(2, "speedtest seconds", default.time.0 as u64 / 1000, LONGEST_SPEEDTEST)? as i64;
    Ok(Speedtest { threads, hash, time: Millis(1000 * seconds) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_of_the_speedtest_follows_its_threads() {
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            speedtest_of(&words).ok().map(|test| (test.threads, test.hash.0, test.time.0))
        };
        assert_eq!(of(&["1"]), Some((1, 64, 30_000)));
        assert_eq!(of(&["5"]), Some((5, 320, 30_000)));
        assert_eq!(of(&["5", "16", "2"]), Some((5, 16, 2000)));
        assert_eq!([of(&["0"]), of(&["1", "x"]), of(&["1", "1", "1", "1"])], [None; 3]);
    }
}
