//! `harness replay`: replays the UCI dialogue that led to an engine failure.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use crate::base::wording::counted;
use crate::config::command::resolve_command;
use crate::config::{Variant, Watchdog};
use crate::play::record::Termination;
use crate::play::referee::Board;
use crate::run::command::{Failure, cancel_on_signals, print, say};
use crate::run::console::{Verbosity, is_printed};
use crate::uci::{Launcher, Replay, ReplaySearch, Replayed, SearchAnswer, UciError};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Longest part of an illegal move that is printed. Units: characters.
const MOVE_SHOWN: usize = 100;

/// Exit code of a failure that is not the recorded one. `git bisect run` skips such a commit.
const FAILED_DIFFERENTLY: u8 = 125;

const HELP: &str = "\
Examples:
  harness replay results/runs/match-20261121-120000-1a2b3c4d/faults/game-17.replay.yaml
  harness replay 17.replay.yaml --engine ./my-engine --times 20
  harness replay 17.replay.yaml --verbose                       # with the dialogue
  git bisect run sh -c 'make || exit 125; harness replay 17.replay.yaml --engine ./my-engine'

The file contains how the engine was started and every line it was sent in that game. A search that pondered gets its `ponderhit` or `stop` at
once. Edit the file to make the case smaller.

Exit code 1 means that the engine failed again as recorded: it exited, did not answer in time, or played an illegal move. If the game
was lost on time, the last answer took longer than clock and margin allowed, or had more nodes than a clock that counts nodes allowed.
Exit code 125 means that it failed in another way, for
example that it did not start, or crashed where it played an illegal move; `git bisect run` skips such a commit.";

/// Replays the UCI dialogue that led to an engine failure.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ReplayArgs {
    /// A replay file from the faults/ folder of a run.
    file: PathBuf,
    /// Replay with this engine instead of the recorded program. Its arguments stay those of the file.
    #[arg(long, value_name = "PATH")]
    engine: Option<String>,
    /// Repeat the dialogue up to N times, until the engine fails as recorded.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Seconds to wait for an answer beyond the time it had, and the least time to start. At most 86400.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    patience: f64,
}

pub(crate) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let file = args.file.display();
    let message = format_args!("{file} is a folder: a run has its failures in faults/*.replay.yaml");
    Failure::require(!args.file.is_dir(), message)?;
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let mut replay = Replay::parse(&text).map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
    if let Some(engine) = &args.engine {
        match resolve_command(engine, Path::new(".")) {
            Ok(program) => replay.engine.program = program,
            Err(error) => {
                // As if it did not start: a commit without the program is no bad commit.
                say(&format!("error: --engine: {error}"));
                return Ok(ExitCode::from(FAILED_DIFFERENTLY));
            }
        }
    } else if is_missing(&replay.engine.program) {
        return Err(Failure::Usage(format!(
            "no such program `{}`; if it was a build, it may have been deleted; give --engine PATH",
            replay.engine.program.display()
        )));
    }
    let seconds = args.patience;
    let message = format_args!("--patience {seconds}: expected 0 to 86400 seconds");
    Failure::require((0.0..=86_400.0).contains(&seconds), message)?;
    let patience = Duration::from_secs_f64(seconds);
    if let Some(folder) = replay.engine.working_dir.take_if(|folder| !folder.is_dir()) {
        say(&format!("warning: its working directory {} is missing: the engine runs here", folder.display()));
    }
    let cancel = cancel_on_signals()?;
    let watchdog = Watchdog::for_searches(patience);
    let watchdog = Watchdog { uci: watchdog.uci.max(patience), answer: watchdog.ready, ..watchdog };
    say(&format!("{}: recorded: {}", replay.engine.name, replay.ended));
    let judge = Judge::new(&replay);
    if let Some(warning) = judge.warning() {
        say(&warning);
    }
    let (mut longest, mut last) = (Duration::ZERO, Duration::ZERO);
    let mut different = None;
    for time in 1..=args.times {
        let replayed = replay.run(&Launcher::of_this_binary(), watchdog, patience, &cancel);
        if matches!(replayed.error, Some(UciError::Cancelled)) {
            return Err(Failure::Interrupted);
        }
        let dialogue =
            if is_printed(Verbosity::Verbose) { replayed.dialogue.clone() + "\n" } else { String::new() };
        if let Some((kind, text)) = judge.fault(&replayed) {
            if judge.is_recorded(kind) {
                print(&format!("{dialogue}failed again in replay {time}: {text}\n"));
                return Ok(ExitCode::from(1));
            }
            let text = format!("failed differently in replay {time}: {text}");
            different.get_or_insert_with(|| format!("{dialogue}{text}; recorded: {}\n", replay.ended));
        } else if time == args.times && different.is_none() {
            print(&dialogue);
        }
        longest = replayed.answers.iter().map(|answer| answer.elapsed).fold(longest, Duration::max);
        last = replayed.answers.last().map_or(last, |answer| last.max(answer.elapsed));
    }
    if let Some(different) = different {
        print(&different);
        return Ok(ExitCode::from(FAILED_DIFFERENTLY));
    }
    let clock = judge.deadline.map_or_else(String::new, |deadline| {
        format!(", the last one {} of {} allowed", ms(last), ms(deadline))
    });
    print(&format!(
        "no failure in {}; the longest search took {}{clock}\n",
        counted(args.times as usize, "replay"),
        ms(longest)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Whether a path leads nowhere. A name without a folder is searched on PATH when it is started.
fn is_missing(program: &Path) -> bool {
    program.components().count() > 1 && !program.exists()
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// The kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplayFault {
    Crash,
    Hang,
    IllegalMove,
    /// An answer after the flag fell.
    LateAnswer,
    /// The engine did not start, or the harness failed. No game ends so.
    NoGame,
}

/// Decides whether a replay reproduced the failure.
struct Judge {
    /// The recorded failure; `None` if the file describes it in other words.
    recorded: Option<ReplayFault>,
    /// Position of each search, `None` if it is illegal or has no legal move; and whether the game discards the answer,
    /// as after the `stop` of a ponder search.
    boards: Vec<(Option<Board>, bool)>,
    /// Time for the last search including the margin, if the game was lost on time.
    deadline: Option<Duration>,
    /// Nodes for the last search, if the game was lost on a clock that counts nodes.
    most_nodes: Option<u64>,
}

impl Judge {
    fn new(replay: &Replay) -> Self {
        let variant = variant_of(&replay.setup);
        let recorded = recorded_kind(&replay.ended);
        let last = replay.searches.last().filter(|_| recorded == Some(ReplayFault::LateAnswer));
        let stop = ["stop".to_owned()];
        let judged = |search: &ReplaySearch| (board(search, variant), search.lines.ends_with(&stop));
        Self {
            recorded,
            boards: replay.searches.iter().map(judged).collect(),
            deadline: last
                .filter(|search| search.nodes.is_none())
                .map(|search| Duration::from_millis(search.time_ms)),
            most_nodes: last.and_then(|search| search.nodes),
        }
    }

    /// Returns a warning if some moves cannot be checked, which happens with edited files.
    fn warning(&self) -> Option<String> {
        let unknown = self.boards.iter().filter(|(board, _)| board.is_none()).count();
        (unknown > 0).then(|| {
            let all = self.boards.len();
            format!("{unknown} of {all} searches have no legal position with a legal move: their moves are not checked")
        })
    }

    /// Returns the failure of the replay, if any.
    fn fault(&self, replayed: &Replayed) -> Option<(ReplayFault, String)> {
        let of_kind = |kind| move |text| (kind, text);
        let error = replayed.error.as_ref();
        let error_kind = match error {
            Some(UciError::Exited { .. } | UciError::Pipe(_)) if replayed.has_started => ReplayFault::Crash,
            Some(UciError::Timeout { .. }) if replayed.has_started => ReplayFault::Hang,
            _ => ReplayFault::NoGame,
        };
        // An illegal move precedes any other error.
        self.illegal_move(&replayed.answers)
            .map(of_kind(ReplayFault::IllegalMove))
            .or_else(|| error.map(UciError::to_string).map(of_kind(error_kind)))
            .or_else(|| self.overrun(&replayed.answers).map(of_kind(ReplayFault::LateAnswer)))
    }

    /// Whether a failure is of the recorded kind. An engine that does not answer at all fails on time too.
    fn is_recorded(&self, found: ReplayFault) -> bool {
        match self.recorded {
            Some(ReplayFault::LateAnswer) => matches!(found, ReplayFault::LateAnswer | ReplayFault::Hang),
            Some(recorded) => found == recorded,
            None => found != ReplayFault::NoGame,
        }
    }

    fn illegal_move(&self, answers: &[SearchAnswer]) -> Option<String> {
        let mut played = self.boards.iter().zip(answers).filter(|((_, is_discarded), _)| !is_discarded);
        let illegal = played.find_map(|((board, _), answer)| {
            let is_legal = board.as_ref()?.san(&answer.best_move).is_some();
            (!is_legal).then_some(answer.best_move.as_str())
        })?;
        Some(match illegal {
            "" => "no move after `bestmove`".to_owned(),
            text => format!("illegal move {}", text.chars().take(MOVE_SHOWN).collect::<String>()),
        })
    }

    /// Returns a failure if the last search exceeded its time again, or the nodes that its clock allowed.
    fn overrun(&self, answers: &[SearchAnswer]) -> Option<String> {
        if let Some(most) = self.most_nodes {
            let nodes = answers.last()?.report.nodes?;
            return (nodes > most).then(|| format!("the last search had {nodes} nodes, allowed were {most}"));
        }
        let (deadline, took) = (self.deadline?, answers.last()?.elapsed);
        // The file has whole milliseconds; a part of the next one may have been left.
        let is_late = took.as_millis() > deadline.as_millis();
        is_late.then(|| format!("the last search took {}, allowed were {}", ms(took), ms(deadline)))
    }
}

/// Returns the kind of the failure that ended a game, from the text of its [`Termination`].
fn recorded_kind(ended: &str) -> Option<ReplayFault> {
    let rest = ended.strip_prefix("White").or_else(|| ended.strip_prefix("Black"))?;
    let kinds = [
        (" forfeits on time", ReplayFault::LateAnswer),
        (" plays an illegal move", ReplayFault::IllegalMove),
        (" answers `bestmove` without a move", ReplayFault::IllegalMove),
        ("'s engine hangs", ReplayFault::Hang),
        ("'s engine ", ReplayFault::Crash),
    ];
    kinds.into_iter().find(|(start, _)| rest.starts_with(start)).map(|(_, kind)| kind)
}

/// Returns the variant that the setup lines select.
fn variant_of(setup: &[String]) -> Variant {
    let is_960 = |line: &String| line.eq_ignore_ascii_case("setoption name UCI_Chess960 value true");
    if setup.iter().any(is_960) { Variant::Chess960 } else { Variant::Standard }
}

/// Returns the position of a search.
fn board(search: &ReplaySearch, variant: Variant) -> Option<Board> {
    let position = search.lines.iter().rev().find_map(|line| line.strip_prefix("position "))?;
    let (start, moves) = position.split_once(" moves").unwrap_or((position, ""));
    let fen = if start.trim() == "startpos" { START } else { start.strip_prefix("fen ")? };
    let mut board = Board::new(fen.trim(), variant).ok()?;
    let is_played = moves.split_ascii_whitespace().all(|text| board.play(text));
    let is_over = matches!(board.outcome(), Some((_, Termination::Checkmate | Termination::Stalemate)));
    (is_played && !is_over).then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::Side;

    /// Returns a replay of one search after these lines of setup.
    fn replay(ended: &str, setup: &[&str], position: &str) -> Replay {
        let position = format!("position {position}");
        let text = serde_json::json!({
            "v": 1,
            "ended": ended,
            "engine": { "name": "fake", "program": "fake" },
            "setup": setup,
            "searches": [{ "lines": [position, "go wtime 80 btime 80"], "time_ms": 100 }],
        });
        Replay::parse(&text.to_string()).unwrap()
    }

    fn answer(best_move: &str, elapsed: Duration) -> SearchAnswer {
        SearchAnswer {
            uncounted: Duration::ZERO,
            best_move: best_move.to_owned(),
            ponder_move: None,
            elapsed,
            report: crate::uci::SearchReport::default(),
            pv: String::new(),
            pv_line: String::new(),
        }
    }

    fn failure(replay: &Replay, answer: SearchAnswer, error: Option<UciError>) -> Option<String> {
        let replayed = Replayed { error, has_started: true, answers: vec![answer], dialogue: String::new() };
        Judge::new(replay).fault(&replayed).map(|(_, text)| text)
    }

    #[test]
    fn move_of_a_stopped_ponder_search_is_not_judged() {
        let mut stopped = replay("White's engine exited with code 1", &[], "startpos");
        let illegal = || answer("a1a1", Duration::ZERO);
        assert_eq!(failure(&stopped, illegal(), None).as_deref(), Some("illegal move a1a1"));
        stopped.searches[0].lines.push("stop".to_owned());
        assert_eq!(failure(&stopped, illegal(), None), None);
    }

    #[test]
    fn failures_of_another_kind_are_not_the_recorded_one() {
        let by = Side::Black;
        let exited = || UciError::Exited { how: "exited with code 3".to_owned() };
        let timeout = || UciError::Timeout { awaited: "bestmove", after: Duration::from_secs(5) };
        let ends = [
            Termination::Crash { by, how: "was killed by signal 6".to_owned() },
            Termination::Hang { by, how: "no bestmove within 60 s".to_owned() },
            Termination::IllegalMove { by, text: "hangs".to_owned() },
            Termination::IllegalMove { by, text: String::new() },
            Termination::AnsweredTwice { by, text: "a1a1".to_owned() },
            Termination::TimeForfeit { by, over_us: 1, lone_king: false },
        ];
        let is_recorded = |ended: &str, error: Option<UciError>, best_move: &str, has_started: bool| {
            let judge = Judge::new(&replay(ended, &[], "startpos"));
            let answers = vec![answer(best_move, Duration::from_secs(1))];
            let replayed = Replayed { error, has_started, answers, dialogue: String::new() };
            judge.fault(&replayed).is_some_and(|(kind, _)| judge.is_recorded(kind))
        };
        for (ended, expected) in ends.map(|end| end.to_string()).iter().zip([
            [true, false, false, false],
            [false, true, false, false],
            [false, false, true, false],
            [false, false, true, false],
            [false, false, true, false],
            [false, true, false, true],
        ]) {
            let found = [
                is_recorded(ended, Some(exited()), "e2e4", true),
                is_recorded(ended, Some(timeout()), "e2e4", true),
                is_recorded(ended, None, "a1a1", true),
                is_recorded(ended, None, "e2e4", true),
            ];
            assert_eq!(found, expected, "{ended}");
            assert!(!is_recorded(ended, Some(exited()), "e2e4", false), "{ended}: no start");
        }
        assert!(is_recorded("an edited description", Some(exited()), "e2e4", true));
    }

    #[test]
    fn illegal_moves_are_failures() {
        let played = replay("White plays an illegal move: `a1a1`", &[], "startpos moves e2e4");
        let failure_of = |text: &str, error| failure(&played, answer(text, Duration::ZERO), error);
        assert_eq!(failure_of("e7e5", None), None);
        assert_eq!(failure_of("a1a1", None).unwrap(), "illegal move a1a1");
        assert_eq!(failure_of("(none)", None).unwrap(), "illegal move (none)");
        assert_eq!(failure_of("", None).unwrap(), "no move after `bestmove`");
        assert_eq!(failure_of("e7e5", Some(UciError::Stalled)).unwrap(), UciError::Stalled.to_string());
        assert_eq!(failure_of("e2e4", Some(UciError::Stalled)).unwrap(), "illegal move e2e4");
    }

    #[test]
    fn castling_notation_depends_on_the_variant() {
        let fen = "fen 4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1";
        let failure_of =
            |setup: &[&str], text: &str| failure(&replay("", setup, fen), answer(text, Duration::ZERO), None);
        let chess960 = ["setoption name UCI_Chess960 value true"];
        assert_eq!((failure_of(&[], "e1g1"), failure_of(&chess960, "e1h1")), (None, None));
        assert!(failure_of(&[], "e1h1").is_some() && failure_of(&chess960, "e1g1").is_some());
    }

    #[test]
    fn positions_without_legal_moves_give_a_warning() {
        for position in
            ["fen nonsense", "startpos moves e2e5", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "elsewhere"]
        {
            let odd = replay("Black's engine exited with code 1", &[], position);
            assert_eq!(failure(&odd, answer("a1a1", Duration::ZERO), None), None, "{position}");
            let warning = Judge::new(&odd).warning().unwrap();
            assert!(warning.starts_with("1 of 1 searches"), "{warning}");
        }
        assert_eq!(Judge::new(&replay("", &[], "startpos")).warning(), None);
    }

    #[test]
    fn overrun_is_a_failure_if_the_game_was_lost_on_time() {
        let late = |by_us| answer("e2e4", Duration::from_millis(100) + Duration::from_micros(by_us));
        let lost = Termination::TimeForfeit { by: Side::White, over_us: 3000, lone_king: false }.to_string();
        let lost = replay(&lost, &[], "startpos");
        assert_eq!(failure(&lost, late(900), None), None);
        let expected = "the last search took 101.0 ms, allowed were 100.0 ms";
        assert_eq!(failure(&lost, late(1000), None).unwrap(), expected);
        let crashed = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
        assert_eq!(failure(&replay(&crashed.to_string(), &[], "startpos"), late(9000), None), None);
    }
}
