//! One byte for every outcome that occurs in a table.

use stretto::tablebase::Outcome;

/// Longest distance there is a code for. Units: plies.
const MAX_PLIES: usize = 512;
/// What a draw is, and a position of which nothing is known yet.
pub(super) const DRAW: u8 = 0;
/// A win in one. Places without a legal position have this code too: moving there is no way out for the loser, and no
/// value that comes later replaces it.
pub(super) const WIN_IN_ONE: u8 = 1;

/// Outcomes and their codes, given out as they are needed.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    /// How many there may be.
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

    /// With fewer codes than a byte has.
    #[cfg(test)]
    pub(super) fn limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// The code of an outcome, new if it has none yet; `None` when there are too many.
    pub(super) fn give(&mut self, outcome: Outcome) -> Option<u8> {
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

    /// The code of an outcome, if it has one.
    pub(super) fn of(&self, outcome: Outcome) -> Option<u8> {
        match outcome {
            Outcome::Draw => Some(DRAW),
            Outcome::Win(plies) => self.wins.get(usize::from(plies)).copied().flatten(),
            Outcome::Loss(plies) => self.losses.get(usize::from(plies)).copied().flatten(),
        }
    }

    /// What a code says; a draw for one that was never given.
    #[inline]
    pub(super) fn outcome(&self, code: u8) -> Outcome {
        self.outcomes.get(usize::from(code)).copied().unwrap_or_default()
    }

    /// All outcomes that have a code.
    pub(super) fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_given_once() {
        let mut codes = Codes::new();
        assert_eq!((codes.give(Outcome::Draw), codes.give(Outcome::Win(1))), (Some(DRAW), Some(WIN_IN_ONE)));
        let loss = codes.give(Outcome::Loss(0));
        assert_eq!((loss, codes.give(Outcome::Loss(0)), codes.of(Outcome::Loss(0))), (Some(2), loss, loss));
        assert_eq!(codes.of(Outcome::Win(3)), None);
        assert_eq!(codes.outcome(2), Outcome::Loss(0));
        let given = (0..MAX_PLIES as u16).filter(|&plies| codes.give(Outcome::Loss(plies)).is_some()).count();
        assert_eq!(given, 254);
    }
}
