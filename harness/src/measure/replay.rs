//! `harness replay`: replays the UCI dialogue that led to an engine failure.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use clap::Args;

use crate::config::{Variant, Watchdog};
use crate::play::record::Termination;
use crate::play::referee::Board;
use crate::run::command::{Failure, cancel_on_signals, print, say};
use crate::uci::{Launcher, Replay, ReplaySearch, Replayed, SearchAnswer, UciError};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// Longest part of an illegal move that is printed. Units: characters.
const MOVE_SHOWN: usize = 100;

const HELP: &str = "\
Example: harness replay results/runs/match-20261121-120000-1a2b3c4d/faults/17.replay.yaml

The file contains how the engine was started and every line it was sent in that game. Edit it to make the case smaller. Exit code
1 means that the engine failed again: it exited, did not answer in time, or played an illegal move. If the game was lost on time,
it also means that the last answer took longer than clock and margin allowed.";

/// Replays the UCI dialogue that led to an engine failure.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ReplayArgs {
    /// A replay file from the faults/ folder of a run.
    file: PathBuf,
    /// Repeat the dialogue up to N times, until the engine fails.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Seconds to wait for an answer beyond the time it had.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    patience: f64,
}

pub(crate) fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let file = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("cannot read {file}"))?;
    let replay = Replay::parse(&text).map_err(|error| Failure::Usage(format!("{file}: {error}")))?;
    let patience = Duration::try_from_secs_f64(args.patience)
        .map_err(|error| Failure::Usage(format!("--patience {}: {error}", args.patience)))?;
    let cancel = cancel_on_signals()?;
    let second = Duration::from_secs(1);
    let watchdog =
        Watchdog { uci: 10 * second, ready: 60 * second, answer: 60 * second, ..Watchdog::default() };
    say(&format!("{}: {}", replay.engine.name, replay.ended));
    let judge = Judge::new(&replay);
    if let Some(warning) = judge.warning() {
        say(&warning);
    }
    let (mut longest, mut last) = (Duration::ZERO, Duration::ZERO);
    for time in 1..=args.times {
        let replayed = replay.run(&Launcher::of_this_binary(), watchdog, patience, &cancel);
        if matches!(replayed.error, Some(UciError::Cancelled)) {
            return Err(Failure::Interrupted);
        }
        let dialogue = &replayed.dialogue;
        if let Some(failure) = judge.failure(&replayed) {
            print(&format!("{dialogue}\nfailed again in replay {time}: {failure}\n"));
            return Ok(ExitCode::from(1));
        }
        if time == args.times {
            print(dialogue);
        }
        longest = replayed.answers.iter().map(|answer| answer.elapsed).fold(longest, Duration::max);
        last = replayed.answers.last().map_or(last, |answer| last.max(answer.elapsed));
    }
    let clock = judge.deadline.map_or_else(String::new, |deadline| {
        format!(", the last one {} of {} allowed", ms(last), ms(deadline))
    });
    print(&format!(
        "\nno failure in {} replays; the longest search took {}{clock}\n",
        args.times,
        ms(longest)
    ));
    Ok(ExitCode::SUCCESS)
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// Decides whether a replay reproduced the failure.
struct Judge {
    /// Position of each search; `None` if it is illegal or has no legal move.
    boards: Vec<Option<Board>>,
    /// Time for the last search including the margin, if the game was lost on time.
    deadline: Option<Duration>,
}

impl Judge {
    fn new(replay: &Replay) -> Self {
        let variant = variant_of(&replay.setup);
        let last = replay.searches.last().filter(|_| was_lost_on_time(&replay.ended));
        Self {
            boards: replay.searches.iter().map(|search| board(search, variant)).collect(),
            deadline: last.map(|search| Duration::from_millis(search.time_ms)),
        }
    }

    /// Returns a warning if some moves cannot be checked, which happens with edited files.
    fn warning(&self) -> Option<String> {
        let unknown = self.boards.iter().filter(|board| board.is_none()).count();
        (unknown > 0).then(|| {
            let all = self.boards.len();
            format!("{unknown} of {all} searches have no legal position with a legal move: their moves are not checked")
        })
    }

    /// Returns the failure of the replay, if any.
    fn failure(&self, replayed: &Replayed) -> Option<String> {
        // An illegal move precedes any other error.
        self.illegal_move(&replayed.answers)
            .or_else(|| replayed.error.as_ref().map(UciError::to_string))
            .or_else(|| self.overrun(&replayed.answers))
    }

    fn illegal_move(&self, answers: &[SearchAnswer]) -> Option<String> {
        let illegal = self.boards.iter().zip(answers).find_map(|(board, answer)| {
            let is_legal = board.as_ref()?.san(&answer.best_move).is_some();
            (!is_legal).then_some(answer.best_move.as_str())
        })?;
        Some(match illegal {
            "" => "no move after `bestmove`".to_owned(),
            text => format!("illegal move {}", text.chars().take(MOVE_SHOWN).collect::<String>()),
        })
    }

    /// Returns a failure if the last search exceeded its time again.
    fn overrun(&self, answers: &[SearchAnswer]) -> Option<String> {
        let (deadline, took) = (self.deadline?, answers.last()?.elapsed);
        // The file has whole milliseconds; a part of the next one may have been left.
        let is_late = took.as_millis() > deadline.as_millis();
        is_late.then(|| format!("the last search took {}, allowed were {}", ms(took), ms(deadline)))
    }
}

/// Whether this description of the end is a loss on time.
fn was_lost_on_time(ended: &str) -> bool {
    // Part of the text of `Termination::TimeForfeit`.
    ended.contains("forfeits on time")
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
            best_move: best_move.to_owned(),
            ponder_move: None,
            elapsed,
            report: crate::uci::SearchReport::default(),
            pv: String::new(),
            pv_line: String::new(),
        }
    }

    fn failure(replay: &Replay, answer: SearchAnswer, error: Option<UciError>) -> Option<String> {
        let replayed = Replayed { error, answers: vec![answer], dialogue: String::new() };
        Judge::new(replay).failure(&replayed)
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
        let lost = Termination::TimeForfeit { by: Side::White, over_us: 3000 }.to_string();
        let lost = replay(&lost, &[], "startpos");
        assert_eq!(failure(&lost, late(900), None), None);
        let expected = "the last search took 101.0 ms, allowed were 100.0 ms";
        assert_eq!(failure(&lost, late(1000), None).unwrap(), expected);
        let crashed = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
        assert_eq!(failure(&replay(&crashed.to_string(), &[], "startpos"), late(9000), None), None);
    }
}
