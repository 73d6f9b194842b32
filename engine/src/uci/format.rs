//! Formats search events as UCI lines.

use std::fmt::Write;

use crate::book::Choice;
use crate::eval::{Wdl, WdlCurve};
use crate::position::Position;
use crate::search::events::{Event, LoggedBallot, Progress, Report, SearchResult, Tally};
use crate::types::{Bound, File, Move, Score, Square};

/// The text format that the options of the session select.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dialect {
    /// Whether castling is written as king takes rook.
    pub(super) is_chess960: bool,
    /// Whether chances of win, draw and loss follow each score.
    pub(super) shows_wdl: bool,
    /// Whether counters of the main worker precede each line of analysis.
    pub(super) shows_counters: bool,
    pub(super) score_unit: ScoreUnit,
}

/// The unit of printed scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ScoreUnit {
    /// The centipawns of the search.
    #[default]
    Internal,
    /// Units in which 100 is a winning chance of 50 %.
    Normalized,
}

impl Dialect {
    /// Formats a move as the GUI expects it. Castling that exists only in Chess960 is always king
    /// takes rook, because the king's move alone may be another legal move.
    pub(super) fn mv(self, mv: Move) -> String {
        if mv.is_castling() && !self.is_chess960 && Position::is_standard_castling(mv.from(), mv.to()) {
            let file = if mv.to() > mv.from() { File::G } else { File::C };
            return format!("{}{}", mv.from(), Square::new(file, mv.from().rank()));
        }
        mv.to_string()
    }

    /// Returns the lines of an event, separated by line ends.
    pub(super) fn event(self, event: &Event) -> String {
        match event {
            Event::Report(report) => self.report(report),
            Event::Progress(progress) => format!("info {}", counts(progress)),
            Event::CurrentMove(depth, mv, number) => {
                format!("info depth {} currmove {} currmovenumber {number}", depth.0, self.mv(*mv))
            }
            Event::Book(choice) => self.book(choice),
            Event::GameOver { is_mate } => self.game_over(*is_mate),
            Event::TableFailed(failure) => {
                format!("info string endgame table {}", failure.replace(['\n', '\r'], " "))
            }
            Event::Ballot(ballot) => self.ballot(ballot),
            Event::ShallowerLine { thread: 0, depth, shown } => {
                format!(
                    "info string depth {} was not finished; the last line is of depth {}",
                    shown.0, depth.0
                )
            }
            Event::ShallowerLine { thread, depth, .. } => {
                format!(
                    "info string the last line, of depth {}, is that of thread {thread}, which won the vote",
                    depth.0
                )
            }
            Event::Done(outcome) => self.outcome(outcome),
        }
    }

    fn game_over(self, is_mate: bool) -> String {
        let (score, chances) = if is_mate { ("mate 0", Wdl::LOSS) } else { ("cp 0", Wdl::DRAW) };
        format!("info depth 0 score {score}{}", self.chances(chances))
    }

    /// Formats chances if the dialect shows them, with a space before.
    fn chances(self, chances: Wdl) -> String {
        if !self.shows_wdl {
            return String::new();
        }
        format!(" wdl {} {} {}", chances.win.0, chances.draw.0, chances.loss.0)
    }

    fn ballot(self, ballot: &LoggedBallot) -> String {
        let LoggedBallot { thread, mv, score, depth, since, nodes, best_nodes } = *ballot;
        format!(
            "info string ballot thread {thread} move {} score {} depth {} since {} nodes {} best {}",
            self.mv(mv),
            self::score(score),
            depth.0,
            since.0,
            nodes.0,
            best_nodes.0
        )
    }

    /// Formats a score in the selected unit. Mates and tablebase wins are not scaled.
    fn score(self, value: Score, curve: WdlCurve) -> String {
        if value.is_decisive() || self.score_unit == ScoreUnit::Internal {
            return score(value);
        }
        score(Score(value.0 * 100 / curve.winning_pawn().0))
    }

    fn report(self, report: &Report) -> String {
        let mut line = String::new();
        // Writing to a String cannot fail.
        if self.shows_counters {
            let _ = writeln!(line, "info string depth {} main nodes {}", report.depth.0, report.main_nodes.0);
            let Tally { cutoffs, first_cutoffs, quiescence, null_windows } = report.tally;
            let _ = writeln!(
                line,
                "info string counters cutoffs {cutoffs} first-move-cutoffs {first_cutoffs} quiescence {quiescence} null-windows {null_windows}"
            );
        }
        let _ = write!(
            line,
            "info depth {} seldepth {} multipv {} score {}",
            report.depth.0,
            report.seldepth,
            report.multipv,
            if report.is_tb_draw { score(report.score) } else { self.score(report.score, report.curve) }
        );
        let _ = match report.bound {
            Bound::Lower => write!(line, " lowerbound"),
            Bound::Upper => write!(line, " upperbound"),
            Bound::Exact => Ok(()),
        };
        let chances = if report.is_tb_draw { Wdl::DRAW } else { report.curve.wdl(report.score) };
        let _ = write!(line, "{} {} pv", self.chances(chances), counts(&report.progress));
        for &mv in &report.pv {
            let _ = write!(line, " {}", self.mv(mv));
        }
        line
    }

    /// Formats a book move with its weight, its share in the weights of all book moves, and its
    /// learned result if it has one.
    fn book(self, choice: &Choice) -> String {
        let Choice { taken, of, share } = choice;
        let mut line = format!(
            "info string book {} weight {} share {:.1} % moves {of}",
            self.mv(taken.mv),
            taken.entry.weight,
            100.0 * share
        );
        let learned = taken.entry.learned;
        if learned.games > 0 {
            let points = f64::from(learned.half_points) / 2.0;
            // Writing to a String cannot fail.
            let _ = write!(line, " learned {points} of {}", learned.games);
        }
        line
    }

    fn outcome(self, outcome: &SearchResult) -> String {
        match (outcome.best, outcome.ponder) {
            (None, _) => "bestmove (none)".into(),
            (Some(best), None) => format!("bestmove {}", self.mv(best)),
            (Some(best), Some(ponder)) => format!("bestmove {} ponder {}", self.mv(best), self.mv(ponder)),
        }
    }
}

/// The printed score of a tablebase win, before the plies to it are subtracted. GUIs and match
/// tools count 200 pawns as won, and Stockfish prints the same. Units: centipawns.
const TB_WIN: i32 = 20_000;

/// Formats nodes, speed, use of the hash table, tablebase hits and time.
fn counts(progress: &Progress) -> String {
    let Progress { nodes, elapsed, hashfull, tb_hits } = progress;
    let nps = (nodes.0 as f64 / elapsed.as_secs_f64().max(1e-3)) as u64;
    format!(
        "nodes {} nps {nps} hashfull {} tbhits {tb_hits} time {}",
        nodes.0,
        hashfull.0,
        elapsed.as_millis()
    )
}

/// Formats a score as `cp 12` or `mate -3`.
pub(super) fn score(score: Score) -> String {
    match (score.mate_moves(), score.tb_plies()) {
        (Some(moves), _) => format!("mate {moves}"),
        (None, Some(plies)) => format!("cp {}", (TB_WIN - plies) * score.0.signum()),
        (None, None) => format!("cp {}", score.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Depth, MoveKind, Nodes, Permille, Ply};
    use std::time::Duration;

    #[test]
    fn progress_line_has_counts_and_no_depth() {
        let progress = Progress {
            nodes: Nodes(3_000_000),
            elapsed: Duration::from_millis(1500),
            hashfull: Permille(12),
            tb_hits: 7,
        };
        assert_eq!(
            Dialect::default().event(&Event::Progress(progress)),
            "info nodes 3000000 nps 2000000 hashfull 12 tbhits 7 time 1500"
        );
    }

    #[test]
    fn castling_is_written_as_the_dialect_requires() {
        let square = |text: &str| text.parse::<Square>().expect("a square");
        let short = Move::new(square("e8"), square("h8"), MoveKind::Castling);
        let long = Move::new(square("e1"), square("a1"), MoveKind::Castling);
        let standard = Dialect::default();
        let chess960 = Dialect { is_chess960: true, ..standard };
        assert_eq!((standard.mv(short), standard.mv(long)), ("e8g8".into(), "e1c1".into()));
        assert_eq!((chess960.mv(short), chess960.mv(long)), ("e8h8".into(), "e1a1".into()));
        // Without the rook in the corner or the king on the e-file only Chess960 has the move.
        for (king, rook) in [("f1", "h1"), ("e1", "b1")] {
            let castling = Move::new(square(king), square(rook), MoveKind::Castling);
            assert_eq!(standard.mv(castling), format!("{king}{rook}"));
        }
    }

    #[test]
    fn end_of_the_game_has_a_score_and_its_chances() {
        let line = |dialect: Dialect, is_mate| dialect.event(&Event::GameOver { is_mate });
        let with_wdl = Dialect { shows_wdl: true, ..Dialect::default() };
        assert_eq!(line(Dialect::default(), true), "info depth 0 score mate 0");
        assert_eq!(line(Dialect::default(), false), "info depth 0 score cp 0");
        assert_eq!(line(with_wdl, true), "info depth 0 score mate 0 wdl 0 0 1000");
        assert_eq!(line(with_wdl, false), "info depth 0 score cp 0 wdl 0 1000 0");
    }

    #[test]
    fn ballot_line_has_every_field() {
        let square = |text: &str| text.parse::<Square>().expect("a square");
        let ballot = LoggedBallot {
            thread: 3,
            mv: Move::new(square("e1"), square("h1"), MoveKind::Castling),
            score: Score(-12),
            depth: Depth(9),
            since: Depth(6),
            nodes: Nodes(5000),
            best_nodes: Nodes(4100),
        };
        assert_eq!(
            Dialect::default().event(&Event::Ballot(ballot)),
            "info string ballot thread 3 move e1g1 score cp -12 depth 9 since 6 nodes 5000 best 4100"
        );
    }

    #[test]
    fn normalized_scores_are_scaled_except_mates_and_tablebase_wins() {
        let dialect = Dialect { score_unit: ScoreUnit::Normalized, ..Dialect::default() };
        let curve = WdlCurve { even: 61.5, spread: 70.0 };
        assert_eq!(dialect.score(Score(62), curve), "cp 100");
        assert_eq!(dialect.score(Score(-3 * 62), curve), "cp -300");
        assert_eq!(dialect.score(Score::mate_in(Ply(5)), curve), "mate 3");
        assert_eq!(dialect.score(Score::tb_win_in(Ply(0)), curve), "cp 20000");
        assert_eq!(Dialect::default().score(Score(84), curve), "cp 84");
    }

    #[test]
    fn mates_and_tablebase_wins_are_formatted_by_distance() {
        assert_eq!(score(Score(-35)), "cp -35");
        assert_eq!(score(Score::mate_in(Ply(5))), "mate 3");
        assert_eq!(score(Score::mated_in(Ply(4))), "mate -2");
        assert_eq!(score(Score::tb_win_in(Ply(0))), "cp 20000");
        assert_eq!(score(Score::tb_loss_in(Ply(7))), "cp -19993");
        assert_eq!(score(Score::MAX_EVAL), format!("cp {}", Score::MAX_EVAL.0));
    }
}
