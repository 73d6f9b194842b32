//! Verifies claimed mates by replaying them.
//!
//! The reported line must end in checkmate after exactly the claimed number of moves. If the line is
//! truncated, usually by the transposition table, the engine plays on for both sides. The attacker
//! must then mate in the remaining moves or fewer, and report a mate at every move. This does not
//! prove that the defender had no better move. It shows that the claim, the line and the engine's
//! play agree.

use serde::{Deserialize, Serialize};

use crate::base::wording::counted;
use crate::play::record::Termination;
use crate::play::referee::Board;
use crate::uci::ReportedScore;

/// A mate claimed by the engine, and its verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MateClaim {
    /// Moves to mate, negative if the side to move is mated.
    pub moves: i32,
    /// Comparison with the known number of moves, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
    /// Result of the replay.
    pub verification: Verification,
}

impl MateClaim {
    /// Whether the replay confirmed the claim and the mating side is the known one.
    pub fn is_verified(&self) -> bool {
        self.relation != Some(Relation::WrongSide)
            && !matches!(self.verification, Verification::Failed { .. })
    }

    /// Returns the reason why the claim is not verified.
    pub fn failure(&self) -> Option<&str> {
        match &self.verification {
            Verification::Failed { why } => Some(why),
            _ if self.relation == Some(Relation::WrongSide) => Some("the other side is known to mate"),
            _ => None,
        }
    }
}

/// The length of a claimed mate relative to the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Equal to the known length.
    Exact,
    /// Longer than the known length.
    Longer,
    /// Shorter than the known length: a false claim, or an improvement.
    Shorter,
    /// The side that is known to be mated claims to mate, or the reverse.
    WrongSide,
}

impl Relation {
    /// Compares a claim of `claimed` moves with the `known` number.
    pub fn of(claimed: i32, known: i32) -> Self {
        if (claimed > 0) != (known > 0) {
            return Self::WrongSide;
        }
        match claimed.unsigned_abs().cmp(&known.unsigned_abs()) {
            std::cmp::Ordering::Less => Self::Shorter,
            std::cmp::Ordering::Equal => Self::Exact,
            std::cmp::Ordering::Greater => Self::Longer,
        }
    }
}

/// The result of replaying a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Verification {
    /// The reported line ends in mate after the claimed number of moves.
    Replayed,
    /// The line was truncated; playing both sides, the engine mated in the remaining moves.
    PlayedOn {
        /// Plies beyond the line.
        plies: u32,
    },
    /// The claim could not be verified.
    Failed {
        /// Reason of the failure.
        why: String,
    },
}

/// Returns the plies to a mate in `moves`.
fn plies_to_mate(moves: i32) -> usize {
    let plies = 2 * moves.unsigned_abs() as usize;
    // The mating side makes the first and the last move; otherwise both sides make as many moves.
    if moves > 0 { plies - 1 } else { plies }
}

/// A game from the position of a claim to its mate.
#[derive(Clone, Debug)]
struct Replay {
    board: Board,
    moves: Vec<String>,
    claimed: i32,
}

impl Replay {
    /// Returns the plies that remain to the mate.
    fn left(&self) -> usize {
        plies_to_mate(self.claimed).saturating_sub(self.moves.len())
    }

    /// Whether the side to move is the mating side.
    fn is_attacker(&self) -> bool {
        self.left() % 2 == 1
    }

    /// Plays one move; `Some` when it ends the game or the time to mate.
    fn play(&mut self, text: &str) -> Option<Result<Mated, String>> {
        let is_attacker = self.is_attacker();
        if !self.board.play(text) {
            return Some(Err(format!(
                "`{}` is not legal after {}",
                brief(text),
                counted(self.moves.len(), "ply")
            )));
        }
        self.moves.push(text.to_owned());
        let so_far = counted(self.moves.len(), "ply");
        match self.board.outcome() {
            Some((_, Termination::Checkmate)) if self.left() == 0 => Some(Ok(Mated::InTime)),
            Some((_, Termination::Checkmate)) if is_attacker => Some(Ok(Mated::Early)),
            Some((_, Termination::Checkmate)) => Some(Err(format!("the other side mates after {so_far}"))),
            Some((_, ending)) => Some(Err(format!("{ending} after {so_far}"))),
            None if self.left() == 0 => Some(Err(format!("no mate after {so_far}"))),
            None => None,
        }
    }
}

/// When the claiming side has mated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mated {
    /// After exactly the claimed number of moves.
    InTime,
    /// The game is not over yet.
    Early,
}

/// Returns a text of an engine, short enough for a message.
fn brief(text: &str) -> String {
    text.chars().take(20).flat_map(char::escape_debug).collect()
}

/// Checks the claim of mate in `claimed` moves from `start` by its line `pv`; where that is cut short, `ask` searches
/// the position after the given moves and answers with a move and its score.
///
/// Errors: those of `ask`.
pub fn verify<E>(
    start: &Board,
    claimed: i32,
    pv: &[String],
    mut ask: impl FnMut(&Board, &[String]) -> Result<(String, Option<ReportedScore>), E>,
) -> Result<Verification, E> {
    if claimed == 0 {
        return Ok(Verification::Failed { why: "mate in 0 where there are moves to make".to_owned() });
    }
    let mut replay = Replay { board: start.clone(), moves: Vec::new(), claimed };
    for text in pv {
        match replay.play(text) {
            Some(Ok(Mated::InTime)) => return Ok(Verification::Replayed),
            Some(Ok(Mated::Early)) => {
                let why = format!("its line: mate after {} already", counted(replay.moves.len(), "ply"));
                return Ok(Verification::Failed { why });
            }
            Some(Err(why)) => return Ok(Verification::Failed { why: format!("its line: {why}") }),
            None => {}
        }
    }
    let from_line = replay.moves.len();
    loop {
        let is_attacker = replay.is_attacker();
        let (text, score) = ask(&replay.board, &replay.moves)?;
        if is_attacker && !matches!(score, Some(ReportedScore::Mate(moves)) if moves > 0) {
            let why =
                format!("played on: no mate is seen any more after {}", counted(replay.moves.len(), "ply"));
            return Ok(Verification::Failed { why });
        }
        match replay.play(&text) {
            // Sooner than claimed is within the claim: in play the defender may have been weak.
            Some(Ok(Mated::InTime | Mated::Early)) => {
                let plies = u32::try_from(replay.moves.len() - from_line).unwrap_or(u32::MAX);
                return Ok(Verification::PlayedOn { plies });
            }
            Some(Err(why)) => return Ok(Verification::Failed { why: format!("played on: {why}") }),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::config::Variant;

    /// White mates with 1. Kg6 Kg8 2. Ra8.
    const MATE_IN_2: &str = "7k/8/5K2/8/8/8/8/R7 w - - 0 1";

    fn check(claimed: i32, pv: &str, answers: &[(&str, Option<ReportedScore>)]) -> Verification {
        let board = Board::new(MATE_IN_2, Variant::Standard).unwrap();
        let pv: Vec<String> = pv.split_whitespace().map(str::to_owned).collect();
        let mut answers = answers.iter();
        let ask = |_: &Board, _: &[String]| {
            let &(text, score) = answers.next().expect("no more questions than answers");
            Ok::<_, Infallible>((text.to_owned(), score))
        };
        let Ok(found) = verify(&board, claimed, &pv, ask);
        found
    }

    fn why(verification: Verification) -> String {
        match verification {
            Verification::Failed { why } => why,
            other => format!("{other:?}"),
        }
    }

    const MATE: Option<ReportedScore> = Some(ReportedScore::Mate(1));

    #[test]
    fn lines_must_mate_in_exactly_the_claimed_time() {
        assert_eq!(check(2, "f6g6 h8g8 a1a8", &[]), Verification::Replayed);
        assert_eq!(why(check(3, "f6g6 h8g8 a1a8", &[])), "its line: mate after 3 plies already");
        assert_eq!(why(check(1, "f6g6 h8g8 a1a8", &[])), "its line: no mate after 1 ply");
        assert_eq!(why(check(2, "f6g6 h8h7", &[])), "its line: `h8h7` is not legal after 1 ply");
        assert_eq!(why(check(2, "f6g6 h8g8 a1a7", &[])), "its line: no mate after 3 plies");
        assert_eq!(
            why(check(3, "f6f7 h8h7 a1g1", &[("h7h6", None), ("g1g2", Some(ReportedScore::Cp(500)))])),
            "played on: no mate is seen any more after 4 plies"
        );
        assert!(why(check(0, "", &[])).starts_with("mate in 0"));
    }

    #[test]
    fn the_mated_side_claims_with_a_negative_number() {
        let board = Board::new("6k1/8/6K1/8/8/8/8/R7 b - - 0 1", Variant::Standard).unwrap();
        let pv = ["g8h8", "a1a8"].map(str::to_owned);
        let ask = |_: &Board, _: &[String]| Ok::<_, Infallible>((String::new(), None));
        assert_eq!(verify(&board, -1, &pv, ask), Ok(Verification::Replayed));
        assert_eq!(verify(&board, -2, &pv, ask).map(why), Ok("its line: mate after 2 plies already".into()));
    }

    #[test]
    fn a_line_cut_short_is_played_on() {
        let rest = [("h8g8", None), ("a1a8", MATE)];
        assert_eq!(check(2, "f6g6", &rest), Verification::PlayedOn { plies: 2 });
        assert_eq!(check(2, "", &[("f6g6", MATE), rest[0], rest[1]]), Verification::PlayedOn { plies: 3 });
        let lost = [("h8g8", None), ("a1a8", None)];
        assert_eq!(why(check(2, "f6g6", &lost)), "played on: no mate is seen any more after 2 plies");
        assert_eq!(check(3, "f6g6", &rest), Verification::PlayedOn { plies: 2 }, "sooner than claimed");
        let slow = [("h8g8", None), ("a1a7", MATE)];
        assert_eq!(why(check(2, "f6g6", &slow)), "played on: no mate after 3 plies");
        let illegal = [("(none)", None)];
        assert_eq!(why(check(2, "f6g6", &illegal)), "played on: `(none)` is not legal after 1 ply");
        let undone = [("f6f7", MATE), ("h8h7", None), ("a1a8", MATE), ("h7h6", None), ("a8a1", MATE)];
        assert_eq!(why(check(3, "", &undone)), "played on: no mate after 5 plies");
    }

    #[test]
    fn a_mate_by_the_other_side_refutes_the_claim() {
        // White claims a mate and walks into 1... Ra1.
        let board = Board::new("6k1/8/8/8/8/8/r4PPP/6K1 w - - 0 1", Variant::Standard).unwrap();
        let pv = ["g1h1", "a2a1"].map(str::to_owned);
        let ask = |_: &Board, _: &[String]| Ok::<_, Infallible>((String::new(), None));
        assert_eq!(
            verify(&board, 4, &pv, ask).map(why),
            Ok("its line: the other side mates after 2 plies".into())
        );
    }

    #[test]
    fn draws_end_the_replay() {
        let board = Board::new("7k/8/5K2/8/8/8/8/R7 w - - 99 80", Variant::Standard).unwrap();
        let pv = ["f6g6", "h8g8", "a1a8"].map(str::to_owned);
        let ask = |_: &Board, _: &[String]| Ok::<_, Infallible>((String::new(), None));
        let found = verify(&board, 2, &pv, ask).map(why);
        assert!(found.as_ref().is_ok_and(|why| why.contains("after 1 ply")), "{found:?}");
    }

    #[test]
    fn claims_are_compared_with_what_is_known() {
        for (claimed, known, relation) in [
            (5, 5, Relation::Exact),
            (6, 5, Relation::Longer),
            (4, 5, Relation::Shorter),
            (-5, -5, Relation::Exact),
            (-4, -5, Relation::Shorter),
            (-5, 5, Relation::WrongSide),
            (1, -1, Relation::WrongSide),
        ] {
            assert_eq!(Relation::of(claimed, known), relation, "{claimed} for {known}");
        }
    }
}
