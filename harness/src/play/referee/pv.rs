//! The check of a reported PV against the rules: legality, the end of the game, the move played and
//! the distance of a mate.
//!
//! Only the last `info` line of the first PV before a move is checked, so the check costs a move
//! generation per move of one PV. Bounds are claims about the score and not about the line: their
//! moves must be legal, but neither the move played nor a mate is compared with them.

use super::board::Board;
use crate::play::record::{PvError, Termination};
use crate::play::rules::State;
use crate::uci::{ReportedScore, SearchInfo};

/// An error in a PV, and the wrong move of the PV, counted from 1, if it is in one move.
pub(super) type Finding = (PvError, Option<usize>);

/// Returns the errors of the PV in `line`, which an engine reported last before it played `best_move`
/// on `board`; `None` if the line has no PV. Mate scores are compared with the PV if `checks_mates`.
pub(super) fn check_pv(
    board: &Board,
    line: &str,
    best_move: &str,
    checks_mates: bool,
) -> Option<Vec<Finding>> {
    let info = SearchInfo::parse(line)?;
    let first = info.pv().next()?;
    let mut state = board.state.clone();
    let mut findings = Vec::new();
    if info.is_exact && first != best_move && state.find(first) != state.find(best_move) {
        findings.push((PvError::BestMoveDiffers, Some(1)));
    }
    match follow(&mut state, info.pv()) {
        Err(finding) => findings.push(finding),
        Ok(plies) => {
            let mate = info.report.score.filter(|_| info.is_exact && checks_mates);
            if let Some(ReportedScore::Mate(moves)) = mate
                && let Some(error) = check_mate(&state, moves, plies)
            {
                findings.push((error, None));
            }
        }
    }
    Some(findings)
}

/// Returns the error of the ponder move of `bestmove best_move ponder ponder` on `board`: it is illegal, or another move than
/// the second of the PV in `line`. Without such a PV, which is exact and begins with the best move, any legal move is right.
pub(super) fn check_ponder(board: &Board, line: &str, best_move: &str, ponder: &str) -> Option<Finding> {
    let mut state = board.state.clone();
    let best = state.find(best_move)?;
    let info = SearchInfo::parse(line).filter(|info| info.is_exact);
    let mut pv = info.iter().flat_map(SearchInfo::pv);
    let is_played = pv.next().is_some_and(|first| state.find(first).as_ref() == Some(&best));
    state.make(best);
    let Some(reply) = state.find(ponder) else { return Some((PvError::IllegalPonderMove, None)) };
    let second = pv.next().filter(|_| is_played).and_then(|second| state.find(second));
    second.filter(|second| *second != reply).map(|_| (PvError::PonderMoveDiffers, Some(2)))
}

/// Makes the moves of a PV; returns their number.
///
/// Errors: a move is illegal, or the game is over before it.
fn follow<'a>(state: &mut State, pv: impl Iterator<Item = &'a str>) -> Result<usize, Finding> {
    let mut plies = 0;
    for text in pv {
        let number = Some(plies + 1);
        // The game is not over in its current position.
        let end = if plies == 0 { None } else { state.outcome() };
        if let Some((_, termination)) = end {
            return Err((past(&termination), number));
        }
        state.make(state.find(text).ok_or((PvError::IllegalMove, number))?);
        plies += 1;
    }
    Ok(plies)
}

/// Returns the error of a PV that continues after this end of the game.
fn past(termination: &Termination) -> PvError {
    match termination {
        Termination::Checkmate => PvError::AfterCheckmate,
        Termination::Stalemate => PvError::AfterStalemate,
        Termination::Threefold => PvError::AfterThreefold,
        Termination::FiftyMoves => PvError::AfterFiftyMoves,
        Termination::InsufficientMaterial => PvError::AfterInsufficientMaterial,
        _ => PvError::IllegalMove,
    }
}

/// Compares a mate score in `moves` with the end of its PV of this many plies.
fn check_mate(end: &State, moves: i32, plies: usize) -> Option<PvError> {
    let moves_to_mate = usize::try_from(moves.unsigned_abs()).ok()?;
    let claimed = if moves > 0 { 2 * moves_to_mate - 1 } else { 2 * moves_to_mate };
    let is_mate = end.outcome().is_some_and(|(_, termination)| termination == Termination::Checkmate);
    let mates_for_claimant = is_mate && plies % 2 == claimed % 2;
    match (mates_for_claimant, plies) {
        (true, plies) if plies == claimed => None,
        (true, _) => Some(PvError::MateDistance),
        (false, plies) if plies < claimed && !is_mate => Some(PvError::MateIncomplete),
        (false, _) => Some(PvError::NoMate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Variant;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    /// White mates in one with Ra8.
    const MATE_IN_ONE: &str = "7k/8/6K1/8/8/8/R7/8 w - - 0 1";

    fn check_after(fen: &str, moves: &str, line: &str, best_move: &str) -> Option<Vec<Finding>> {
        let mut board = Board::new(fen, Variant::Standard).unwrap();
        for text in moves.split_whitespace() {
            assert!(board.play(text), "{text}");
        }
        check_pv(&board, line, best_move, true)
    }

    /// Checks a PV of a line with this score; the first move is played.
    fn check(fen: &str, score: &str, pv: &str) -> Vec<Finding> {
        let best_move = pv.split(' ').next().unwrap();
        check_after(fen, "", &format!("info depth 9 score {score} nodes 5 pv {pv}"), best_move).unwrap()
    }

    #[test]
    fn correct_pvs_have_no_errors() {
        for (fen, score, pv) in [
            (START, "cp 20", "e2e4 e7e5 g1f3 b8c6"),
            (MATE_IN_ONE, "mate 1", "a2a8"),
            // Twice is no draw yet, and a PV may end with one.
            (START, "cp 0", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"),
            ("7k/8/8/8/8/8/R7/K7 w - - 99 80", "cp 300", "a2b2"),
            ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "cp 0", "a1b2"),
            // A mate at the fiftieth move counts.
            ("7k/8/6K1/8/8/8/R7/8 w - - 99 80", "mate 1", "a2a8"),
            ("7k/8/6K1/8/8/8/R7/8 b - - 0 1", "mate -1", "h8g8 a2a8"),
        ] {
            assert_eq!(check(fen, score, pv), [], "{pv}");
        }
    }

    #[test]
    fn wrong_moves_have_their_error_and_number() {
        use PvError::{
            AfterCheckmate, AfterFiftyMoves, AfterInsufficientMaterial, AfterStalemate, AfterThreefold,
            IllegalMove,
        };
        let twice = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        for (fen, pv, expected) in [
            (START, "e2e4 e7e5 e4e5", (IllegalMove, 3)),
            (START, "e2e4 0000", (IllegalMove, 2)),
            (START, "f2f3 e7e5 g2g4 d8h4 a2a3", (AfterCheckmate, 5)),
            ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6 h8h7", (AfterStalemate, 2)),
            (START, &format!("{twice} e2e4"), (AfterThreefold, 9)),
            ("7k/8/8/8/8/8/R7/K7 w - - 99 80", "a2b2 h8g8", (AfterFiftyMoves, 2)),
            ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2 h8g8", (AfterInsufficientMaterial, 2)),
        ] {
            assert_eq!(check(fen, "cp 0", pv), [(expected.0, Some(expected.1))], "{pv}");
        }
    }

    #[test]
    fn repetitions_of_the_game_count() {
        let played = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";
        let line = "info depth 4 score cp 0 pv f6g8 e2e4";
        assert_eq!(check_after(START, played, line, "f6g8"), Some(vec![(PvError::AfterThreefold, Some(2))]));
    }

    #[test]
    fn mate_scores_are_compared_with_the_end_of_the_pv() {
        use PvError::{MateDistance, MateIncomplete, NoMate};
        let check = |score: &str, pv: &str| {
            check(MATE_IN_ONE, score, pv).into_iter().map(|(error, _)| error).collect::<Vec<_>>()
        };
        assert_eq!(check("mate 1", "a2a7"), [NoMate]);
        assert_eq!(check("mate 2", "a2a7"), [MateIncomplete]);
        assert_eq!(check("mate 2", "a2a8"), [MateDistance]);
        assert_eq!(check("mate 1", "a2b2 h8g8 b2b8"), [MateDistance]);
        assert_eq!(check("mate 1", "a2b2 h8g8"), [NoMate]);
        assert_eq!(check("mate 2", "a2b2 h8g8 b2b8"), []);
        assert_eq!(check("mate -2", "a2a8"), [NoMate], "the other side mates");
        assert_eq!(check("mate -2", "a2b2 h8g8"), [MateIncomplete]);
        let board = Board::new(MATE_IN_ONE, Variant::Standard).unwrap();
        assert_eq!(
            check_pv(&board, "info score mate 2 pv a2a7", "a2a7", false),
            Some(vec![]),
            "switched off"
        );
    }

    #[test]
    fn bounds_are_no_claims_about_move_or_mate() {
        let check = |line: &str, best_move: &str| check_after(MATE_IN_ONE, "", line, best_move);
        assert_eq!(check("info depth 3 score mate 5 lowerbound pv a2b2", "a2a8"), Some(vec![]));
        assert_eq!(
            check("info depth 3 score cp 9 upperbound pv a2b2 h8h6", "a2a8").unwrap()[0].0,
            PvError::IllegalMove
        );
        assert_eq!(check("info depth 3 pv a2b2", "a2a8"), Some(vec![]), "no score");
    }

    #[test]
    fn other_pvs_empty_pvs_and_strings_are_not_checked() {
        for line in [
            "info depth 3 multipv 2 score cp 9 pv h1h9",
            "info depth 3 score cp 9",
            "info depth 3 score cp 9 pv nodes 12",
            "info string pv h1h9",
            "",
        ] {
            assert_eq!(check_after(START, "", line, "e2e4"), None, "{line}");
        }
    }

    #[test]
    fn the_move_played_is_the_first_of_the_pv() {
        let line = "info depth 1 score cp 3 pv e2e4 e7e5";
        assert_eq!(check_after(START, "", line, "e2e4"), Some(vec![]));
        assert_eq!(check_after(START, "", line, "d2d4"), Some(vec![(PvError::BestMoveDiffers, Some(1))]));
    }

    #[test]
    fn ponder_move_is_legal_and_the_second_of_the_pv() {
        use PvError::{IllegalPonderMove, PonderMoveDiffers};
        let check = |fen: &str, line: &str, best_move: &str, ponder: &str| {
            let board = Board::new(fen, Variant::Standard).unwrap();
            check_ponder(&board, line, best_move, ponder).map(|(error, _)| error)
        };
        let pv = "info depth 1 score cp 3 pv e2e4 e7e5";
        assert_eq!(check(START, pv, "e2e4", "e7e5"), None);
        assert_eq!(check(START, pv, "e2e4", "d7d5"), Some(PonderMoveDiffers));
        for ponder in ["e2e4", "e7e4", "(none)", "x"] {
            assert_eq!(check(START, pv, "e2e4", ponder), Some(IllegalPonderMove), "{ponder}");
        }
        // The error is that of another move, or there is no second move to compare with.
        for line in ["info depth 1 score cp 3 pv e2e4", "info score cp 3 upperbound pv e2e4 e7e5", ""] {
            assert_eq!(check(START, line, "e2e4", "d7d5"), None, "{line}");
        }
        assert_eq!(check(START, pv, "d2d4", "d7d5"), None, "another best move");
        assert_eq!(check(START, "info score cp 3 pv e2e4 e7e4", "e2e4", "d7d5"), None, "the PV is illegal");
        assert_eq!(check(START, pv, "e2e5", "d7d5"), None, "the move played is illegal");
        assert_eq!(check(MATE_IN_ONE, "", "a2a8", "h8g8"), Some(IllegalPonderMove), "the game is over");
        let castles = "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1";
        assert_eq!(check(castles, "info score cp 3 pv e1c1 e8g8", "e1c1", "e8h8"), None);
    }

    #[test]
    fn castling_may_have_either_notation_in_a_pv() {
        let fen = "4k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1";
        for (variant, best_move) in [(Variant::Standard, "e1g1"), (Variant::Chess960, "e1h1")] {
            let board = Board::new(fen, variant).unwrap();
            for pv in ["e1g1 e8e7", "e1h1 e8e7"] {
                let line = format!("info depth 2 score cp 1 pv {pv}");
                assert_eq!(check_pv(&board, &line, best_move, true), Some(vec![]), "{pv}");
            }
        }
    }
}
