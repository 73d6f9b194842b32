//! The engines of one worker. Only those that played last are kept running.

use crate::play::pairings::Pairing;
use crate::pool::Player;

/// Maximum number of running engines per worker. Each occupies memory for its hash table; with
/// fewer, small tournaments would restart engines often.
pub(super) const MAX_RUNNING: usize = 6;

/// The players, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Roster<'a> {
    players: Vec<Player<'a>>,
    /// Indices of engines that may be running, the most recent last.
    recent: Vec<usize>,
}

impl<'a> Roster<'a> {
    /// Returns a roster without running engines.
    pub(super) fn new(players: Vec<Player<'a>>) -> Self {
        Self { players, recent: Vec::new() }
    }

    /// Prepares the next pairing: quits the engines that have been idle longest if too many are
    /// running.
    pub(super) fn make_room(&mut self, pairing: Pairing) {
        let engines = pairing.engines();
        self.recent.retain(|engine| !engines.contains(engine));
        self.recent.extend(engines);
        let surplus = self.recent.len().saturating_sub(MAX_RUNNING);
        for engine in self.recent.drain(..surplus) {
            self.players[engine].quit();
        }
    }

    /// Returns the player of one engine.
    pub(super) fn one(&mut self, engine: usize) -> &mut Player<'a> {
        &mut self.players[engine]
    }

    /// Returns the players of two different engines.
    ///
    /// # Panics
    ///
    /// If both are the same or an index is out of range.
    pub(super) fn pair(&mut self, one: usize, other: usize) -> [&mut Player<'a>; 2] {
        self.players.get_disjoint_mut([one, other]).expect("a pairing is of two engines of the match")
    }

    /// Quits all engines.
    pub(super) fn quit(&mut self) {
        self.players.iter_mut().for_each(Player::quit);
    }
}
