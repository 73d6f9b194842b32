//! Assignment of one-byte codes to the outcomes of a table, for each side to move.

use stretto::tablebase::Outcome;

/// Longest distance that can have a code. Units: plies.
const MAX_PLIES: usize = 512;
/// Code of a draw, and of positions without a known outcome.
pub(super) const DRAW: u8 = 0;
/// Code of a win in one ply. Illegal positions have this code too: a move there is no escape for
/// the losing side, and no later value replaces it.
pub(super) const WIN_IN_ONE: u8 = 1;

/// The codes of a side to move, assigned on first use. Both sides together may have more than 256 outcomes: in `KNNvKP`
/// the distances to a capture or pawn move of either side are odd and even.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    /// Maximum number of codes.
    limit: usize,
    outcomes: Vec<Outcome>,
    wins: Vec<Option<u8>>,
    losses: Vec<Option<u8>>,
}

impl Codes {
    pub(super) fn new() -> Self {
        let mut codes = Self {
            limit: usize::from(u8::MAX) + 1,
            outcomes: vec![Outcome::Draw, Outcome::Win(1)],
            wins: vec![None; MAX_PLIES],
            losses: vec![None; MAX_PLIES],
        };
        codes.wins[1] = Some(WIN_IN_ONE);
        codes
    }

    /// Reduces the number of available codes.
    #[cfg(test)]
    pub(super) fn limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Returns the code of an outcome and assigns one if necessary; `None` if all codes are in use.
    pub(super) fn assign(&mut self, outcome: Outcome) -> Option<u8> {
        if let Some(code) = self.of(outcome) {
            return Some(code);
        }
        let code = u8::try_from(self.outcomes.len()).ok().filter(|&code| usize::from(code) < self.limit)?;
        let place = match outcome {
            Outcome::Draw => return Some(DRAW),
            Outcome::Win(plies) => self.wins.get_mut(usize::from(plies))?,
            Outcome::Loss(plies) => self.losses.get_mut(usize::from(plies))?,
        };
        *place = Some(code);
        self.outcomes.push(outcome);
        Some(code)
    }

    /// Returns the code of an outcome, if assigned.
    pub(super) fn of(&self, outcome: Outcome) -> Option<u8> {
        match outcome {
            Outcome::Draw => Some(DRAW),
            Outcome::Win(plies) => self.wins.get(usize::from(plies)).copied().flatten(),
            Outcome::Loss(plies) => self.losses.get(usize::from(plies)).copied().flatten(),
        }
    }

    /// Returns the outcome of a code; a draw if the code is not assigned.
    #[inline]
    pub(super) fn outcome(&self, code: u8) -> Outcome {
        self.outcomes.get(usize::from(code)).copied().unwrap_or_default()
    }

    /// Returns all outcomes with an assigned code.
    pub(super) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_assigned_once() {
        let mut codes = Codes::new();
        assert_eq!(
            (codes.assign(Outcome::Draw), codes.assign(Outcome::Win(1))),
            (Some(DRAW), Some(WIN_IN_ONE))
        );
        let loss = codes.assign(Outcome::Loss(0));
        assert_eq!((loss, codes.assign(Outcome::Loss(0)), codes.of(Outcome::Loss(0))), (Some(2), loss, loss));
        assert_eq!(codes.of(Outcome::Win(3)), None);
        assert_eq!(codes.outcome(2), Outcome::Loss(0));
        let given =
            (0..MAX_PLIES as u16).filter(|&plies| codes.assign(Outcome::Loss(plies)).is_some()).count();
        assert_eq!(given, 254);
    }
}
