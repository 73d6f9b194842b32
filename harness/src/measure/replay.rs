//! `harness replay`: asks an engine again what it was asked before it failed.

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
/// No more of what is not a move is shown.
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
    #[arg(long, value_name = "N", default_value_t = 1)]
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
    if let Some(remark) = judge.remark() {
        say(&remark);
    }
    let (mut longest, mut last) = (Duration::ZERO, Duration::ZERO);
    for time in 1..=args.times {
        let replayed = replay.run(&Launcher::of_this_binary(), watchdog, patience, &cancel);
        if matches!(replayed.error, Some(UciError::Cancelled)) {
            return Err(Failure::Interrupted);
        }
        let dialogue = &replayed.dialogue;
        if let Some(failure) = judge.failure(&replayed) {
            print(&format!("{dialogue}\nfailed again, time {time}: {failure}\n"));
            return Ok(ExitCode::from(1));
        }
        if time == args.times {
            print(dialogue);
        }
        longest = replayed.answers.iter().map(|answer| answer.elapsed).fold(longest, Duration::max);
        last = replayed.answers.last().map_or(last, |answer| last.max(answer.elapsed));
    }
    let clock = judge.deadline.map_or_else(String::new, |deadline| {
        format!(", the last {} of the {} it had", ms(last), ms(deadline))
    });
    print(&format!(
        "\nanswered everything, {} times over; the longest answer took {}{clock}\n",
        args.times,
        ms(longest)
    ));
    Ok(ExitCode::SUCCESS)
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// What answers are judged by.
struct Judge {
    /// Where each question was asked; `None` where no legal position is told, or one without a legal move.
    boards: Vec<Option<Board>>,
    /// The time for the last answer, with the margin, where the game was lost on time.
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

    /// What is not judged, for the user to know: a file that was edited may ask anything.
    fn remark(&self) -> Option<String> {
        let blind = self.boards.iter().filter(|board| board.is_none()).count();
        (blind > 0).then(|| {
            let all = self.boards.len();
            format!("{blind} of {all} questions tell of no legal position with a move: any move answers them")
        })
    }

    /// How the engine failed again, if it did.
    fn failure(&self, replayed: &Replayed) -> Option<String> {
        // A move that is none came before whatever else went wrong.
        self.illegal_move(&replayed.answers)
            .or_else(|| replayed.error.as_ref().map(UciError::to_string))
            .or_else(|| self.lateness(&replayed.answers))
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

    /// Was the last answer late once more?
    fn lateness(&self, answers: &[SearchAnswer]) -> Option<String> {
        let (deadline, took) = (self.deadline?, answers.last()?.elapsed);
        // The file has whole milliseconds, so that of the next one a part may have been left.
        let is_late = took.as_millis() > deadline.as_millis();
        is_late.then(|| format!("the last answer took {} and had {}", ms(took), ms(deadline)))
    }
}

/// Does a replay end in these words because the flag fell?
fn was_lost_on_time(ended: &str) -> bool {
    // What `Termination::TimeForfeit` says of itself, whoever lost and by however much.
    ended.contains("forfeits on time")
}

/// The variant that an engine was set up for.
fn variant_of(setup: &[String]) -> Variant {
    let is_960 = |line: &String| line.eq_ignore_ascii_case("setoption name UCI_Chess960 value true");
    if setup.iter().any(is_960) { Variant::Chess960 } else { Variant::Standard }
}

/// The position a question is about.
fn board(search: &ReplaySearch, variant: Variant) -> Option<Board> {
    let told = search.lines.iter().rev().find_map(|line| line.strip_prefix("position "))?;
    let (start, moves) = told.split_once(" moves").unwrap_or((told, ""));
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

    /// A replay of one question, after these lines of setup.
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
        }
    }

    fn failure(replay: &Replay, answer: SearchAnswer, error: Option<UciError>) -> Option<String> {
        let replayed = Replayed { error, answers: vec![answer], dialogue: String::new() };
        Judge::new(replay).failure(&replayed)
    }

    #[test]
    fn moves_are_judged_by_the_rules() {
        let played = replay("White plays an illegal move: `a1a1`", &[], "startpos moves e2e4");
        let judged = |text: &str, error| failure(&played, answer(text, Duration::ZERO), error);
        assert_eq!(judged("e7e5", None), None);
        assert_eq!(judged("a1a1", None).unwrap(), "illegal move a1a1");
        assert_eq!(judged("(none)", None).unwrap(), "illegal move (none)");
        assert_eq!(judged("", None).unwrap(), "no move after `bestmove`");
        assert_eq!(judged("e7e5", Some(UciError::Stalled)).unwrap(), UciError::Stalled.to_string());
        assert_eq!(judged("e2e4", Some(UciError::Stalled)).unwrap(), "illegal move e2e4");
    }

    #[test]
    fn castling_is_judged_as_the_variant_writes_it() {
        let fen = "fen 4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1";
        let judged =
            |setup: &[&str], text: &str| failure(&replay("", setup, fen), answer(text, Duration::ZERO), None);
        let chess960 = ["setoption name UCI_Chess960 value true"];
        assert_eq!((judged(&[], "e1g1"), judged(&chess960, "e1h1")), (None, None));
        assert!(judged(&[], "e1h1").is_some() && judged(&chess960, "e1g1").is_some());
    }

    #[test]
    fn what_the_rules_cannot_judge_is_named() {
        for told in ["fen nonsense", "startpos moves e2e5", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "elsewhere"]
        {
            let odd = replay("Black's engine exited with code 1", &[], told);
            assert_eq!(failure(&odd, answer("a1a1", Duration::ZERO), None), None, "{told}");
            let remark = Judge::new(&odd).remark().unwrap();
            assert!(remark.starts_with("1 of 1 questions"), "{remark}");
        }
        assert_eq!(Judge::new(&replay("", &[], "startpos")).remark(), None);
    }

    #[test]
    fn late_is_a_failure_where_the_game_was_lost_on_time() {
        let late = |by_us| answer("e2e4", Duration::from_millis(100) + Duration::from_micros(by_us));
        let lost = Termination::TimeForfeit { by: Side::White, over_us: 3000 }.to_string();
        let lost = replay(&lost, &[], "startpos");
        assert_eq!(failure(&lost, late(900), None), None);
        let expected = "the last answer took 101.0 ms and had 100.0 ms";
        assert_eq!(failure(&lost, late(1000), None).unwrap(), expected);
        let crashed = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
        assert_eq!(failure(&replay(&crashed.to_string(), &[], "startpos"), late(9000), None), None);
    }
}
