//! The output of `-output format=fastchess` on standard output, which scripts parse: a line
//! when a game starts and ends, and blocks with Elo and LLR.
//!
//! The printer only makes text; its caller is the display of a match. The layout is that of fastchess
//! with two differences: the bounds of a test are those that decide here, and
//! games in progress when a test is decided are finished, after which a last block follows.
//!
//! Source: fastchess, `app/src/matchmaking/output/` and `match/match.cpp`.

use std::fmt::Write;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::play::block::fastchess::{self, RULE, elo_text};
use crate::play::block::score::Score;
use crate::play::pairings::Pairings;
use crate::play::record::{GameRecord, GameResult, PvError, Side, Termination, WrongPv};
use crate::uci::{ReportedScore, SearchInfo};
use stretto_stats::bounds::Verdict;
use stretto_stats::summary::SprtState;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The layout of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "OutputFormat")]
pub enum Format {
    /// Blocks with Elo, games and pentanomial counts.
    Fastchess,
}

/// The output of one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Printer {
    /// Pairs between two blocks. 0 prints the last block only.
    pub(crate) rating_interval: u64,
    names: Vec<String>,
    pairings: Pairings,
    /// Time control, threads, hash and book of two engines: `8+0.08, 1t, 16MB, book.epd`.
    pub(crate) conditions: String,
    /// Games of the run; `None` if unlimited.
    pub(crate) most_games: Option<u64>,
    /// Of the pairs that count, for each pairing, from its first engine's point of view.
    scores: Vec<Score>,
    games: u64,
    /// Whether the last game completed a pair that counts.
    is_pair: bool,
    /// The state of the test, and whether it is decided.
    test: Option<(SprtState, Option<Verdict>)>,
    is_decision_printed: bool,
    /// Games at the last block.
    printed: Option<u64>,
    /// Losses on time, and by crashes and hangs, of each engine.
    faults: Vec<[u64; 2]>,
}

impl Printer {
    /// Returns the output of a run between engines of these names, without games.
    pub(crate) fn new(names: Vec<String>, pairings: Pairings) -> Self {
        Self {
            scores: vec![Score::default(); pairings.as_slice().len()],
            faults: vec![[0; 2]; names.len()],
            names,
            pairings,
            ..Self::default()
        }
    }

    /// Returns the line at the start of a game. `engines` are White and Black.
    pub(crate) fn started(&self, game: u64, engines: [usize; 2]) -> String {
        let [white, black] = engines.map(|engine| &self.names[engine]);
        format!("Started game {} of {} ({white} vs {black})\n", game + 1, self.most_games.unwrap_or(0))
    }

    /// Counts a game, of an earlier session or of this one, and takes the results of the pairs that count and the state of the
    /// test after it.
    pub(crate) fn count(
        &mut self,
        game: &GameRecord,
        scores: Vec<Score>,
        test: Option<(SprtState, Option<Verdict>)>,
    ) {
        let pairs = |scores: &[Score]| scores.iter().map(|score| score.pairs.pairs()).sum::<u64>();
        self.games += 1;
        self.test = test;
        self.is_pair = pairs(&scores) > pairs(&self.scores);
        self.scores = scores;
        let kind = match game.termination {
            Termination::TimeForfeit { .. } => 0,
            Termination::Crash { .. } | Termination::Hang { .. } => 1,
            _ => return,
        };
        if let Some(side) = game.termination.fault() {
            self.faults[game.engine(side)][kind] += 1;
        }
    }

    /// Returns the text at the end of a game that was counted last.
    pub(crate) fn finished(&mut self, game: &GameRecord) -> String {
        let [white, black] = [game.white, game.black].map(|engine| &self.names[engine]);
        let mut text = String::new();
        for wrong in &game.wrong_pvs {
            text.push_str(&self.warning(game, wrong));
        }
        let (result, reason) = (game.result.text(), reason(game));
        let _ = writeln!(text, "Finished game {} ({white} vs {black}): {result} {{{reason}}}", game.game + 1);
        let is_last = self.most_games == Some(self.games);
        let pairing = self.pairings.index_of(game.pair);
        if self.is_pair && is_due(game.pair + 1, self.rating_interval) || is_last {
            text.push_str(&self.block(pairing));
        }
        if let Some((test, Some(verdict))) = self.test
            && !self.is_decision_printed
        {
            self.is_decision_printed = true;
            text.push_str(&self.block(pairing));
            let hypothesis = if verdict == Verdict::AcceptH1 { "H1" } else { "H0" };
            let _ = writeln!(
                text,
                "SPRT ({}) completed - {hypothesis} was accepted",
                elo_text([test.spec.elo0(), test.spec.elo1()])
            );
        }
        text
    }

    /// Returns the text at the end of the run.
    pub(crate) fn ended(&mut self, duration: Duration) -> String {
        let mut text = String::new();
        if self.printed != Some(self.games) && self.games > 0 {
            text.push_str(&self.block(0));
        }
        if self.faults.iter().flatten().any(|&count| count > 0) {
            text.push('\n');
            for (name, [timeouts, crashes]) in self.names.iter().zip(&self.faults) {
                if timeouts + crashes > 0 {
                    let _ = writeln!(text, "Player: {name}\n  Timeouts: {timeouts}\n  Crashed: {crashes}");
                }
            }
            text.push('\n');
        }
        let seconds = duration.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let _ = writeln!(
            text,
            "Finished match\nTotal Time: {hours:02}:{minutes:02}:{seconds:02} (hours:minutes:seconds)\n"
        );
        text
    }

    /// Returns the block with the estimates: of a pairing with two engines, of all engines otherwise.
    fn block(&mut self, pairing: usize) -> String {
        self.printed = Some(self.games);
        let results = if self.names.len() == 2 { self.results(pairing) } else { self.table() };
        format!("{RULE}{results}{}{RULE}", self.test_line())
    }

    /// Returns the results of two engines as fastchess prints them.
    fn results(&self, pairing: usize) -> String {
        let names = self.pairings.as_slice()[pairing].engines().map(|engine| self.names[engine].as_str());
        fastchess::results(names, &self.conditions, &self.scores[pairing])
    }

    /// Returns the table of all engines, the strongest first.
    fn table(&self) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        fastchess::table(&names, self.pairings.as_slice(), &self.scores)
    }

    /// Returns the line on the test; empty if there is none.
    fn test_line(&self) -> String {
        let Some((test, _)) = self.test else { return String::new() };
        let bounds = [test.deciding_bounds.lower.0, test.deciding_bounds.upper.0];
        fastchess::test_line(test.llr.0, bounds, [test.spec.elo0(), test.spec.elo1()])
    }

    /// Returns the warning of a wrong PV. Only the first per side, error and game has its line.
    fn warning(&self, game: &GameRecord, wrong: &WrongPv) -> String {
        let Some(line) = &wrong.line else { return String::new() };
        let name = &self.names[game.engine(game.side_of(wrong.ply))];
        let info = SearchInfo::parse(line);
        let pv_move = |number: usize| info.as_ref().and_then(|info| info.pv().nth(number - 1));
        let played = game.moves.get(wrong.ply).map_or("", |played| played.text.as_str());
        let text = match wrong.error {
            PvError::IllegalMove => "Illegal PV move",
            PvError::AfterCheckmate => "PV continues after checkmate",
            PvError::AfterStalemate => "PV continues after stalemate",
            PvError::AfterThreefold => "PV continues after threefold repetition",
            PvError::AfterFiftyMoves => "PV continues after fifty-move rule",
            PvError::AfterInsufficientMaterial => "PV continues after insufficient material",
            PvError::BestMoveDiffers => "Bestmove does not match beginning of last PV",
            PvError::IllegalPonderMove => "Illegal ponder move",
            PvError::PonderMoveDiffers => "Ponder move does not match second move of last PV",
            PvError::MateIncomplete => "Incomplete mating PV",
            PvError::NoMate => "Mating PV does not end with checkmate",
            PvError::MateDistance if is_short(line) => "Incomplete mating PV",
            PvError::MateDistance => "Too long mating PV",
        };
        let place = match (wrong.error, wrong.pv_move.and_then(pv_move)) {
            (PvError::BestMoveDiffers, _) => format!("move {played} "),
            _ if wrong.ponder.is_some() => format!("move {} ", wrong.ponder.as_deref().unwrap_or_default()),
            (_, Some(text)) => format!("move {text} "),
            (_, None) => String::new(),
        };
        let start = if game.fen == START { "startpos".to_owned() } else { format!("fen {}", game.fen) };
        let own = game.moves.iter().take(wrong.ply).map(|played| &played.text);
        let moves: Vec<&str> = game.book.iter().chain(own).map(String::as_str).collect();
        format!(
            "Warning; {text} - {place}from {name}\nInfo; {line}\nPosition; {start}\nMoves; {}\n",
            moves.join(" ")
        )
    }
}

/// Whether the PV of a mate score is shorter than the mate.
fn is_short(line: &str) -> bool {
    let Some(info) = SearchInfo::parse(line) else { return false };
    let Some(ReportedScore::Mate(moves)) = info.report.score else { return false };
    let plies = i64::try_from(info.pv().count()).unwrap_or(i64::MAX);
    plies < 2 * i64::from(moves).abs() - i64::from(moves > 0)
}

/// Whether something is printed after this many items. Interval 0 prints nothing.
fn is_due(count: u64, interval: u64) -> bool {
    interval > 0 && count.is_multiple_of(interval)
}

/// Returns the reason of a result in the words of fastchess.
fn reason(game: &GameRecord) -> String {
    let winner = match game.result {
        GameResult::White => Some(Side::White),
        GameResult::Black => Some(Side::Black),
        GameResult::Draw => None,
    };
    let adjudicated = |by: &str| {
        winner.map_or_else(
            || format!("Draw by adjudication{by}"),
            |winner| format!("{winner} wins by adjudication{by}"),
        )
    };
    match &game.termination {
        Termination::Checkmate => winner.map_or_else(String::new, |winner| format!("{winner} mates")),
        Termination::Stalemate => "Draw by stalemate".to_owned(),
        Termination::FiftyMoves => "Draw by fifty moves rule".to_owned(),
        Termination::Threefold => "Draw by 3-fold repetition".to_owned(),
        Termination::InsufficientMaterial => "Draw by insufficient mating material".to_owned(),
        Termination::AdjudicatedWin | Termination::AdjudicatedDraw | Termination::MaxMoves => adjudicated(""),
        Termination::Tablebase => adjudicated(": SyzygyTB"),
        Termination::TimeForfeit { by, over_us, lone_king } => {
            let draw =
                if *lone_king { format!("; {} has a lone king: draw", by.other()) } else { String::new() };
            format!("{by} loses on time ({}ms overrun){draw}", over_us / 1000)
        }
        Termination::IllegalMove { by, .. } | Termination::AnsweredTwice { by, .. } => {
            format!("{by} makes an illegal move")
        }
        Termination::Crash { by, .. } => format!("{by} disconnects"),
        Termination::Hang { by, .. } => format!("{by}'s connection stalls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pv_of_a_mate_is_short_before_its_last_ply() {
        let is_short = |mate: i32, plies: usize| {
            is_short(&format!("info depth 9 score mate {mate} nodes 1 pv{}", " e2e4".repeat(plies)))
        };
        for (mate, plies) in [(1, 1), (3, 5), (-2, 4)] {
            assert!(!is_short(mate, plies) && is_short(mate, plies - 1), "mate {mate}");
        }
    }
}
