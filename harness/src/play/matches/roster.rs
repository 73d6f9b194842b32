//! The engines of one worker: all of the match, of which only the last few to play stay running.

use super::player::Player;
use crate::play::pairings::Pairing;

/// Engines kept running between games. More would hold memory (each has its hash table) that a match of many could lack;
/// fewer would start the engines of a small tournament again and again.
const MAX_RUNNING: usize = 6;

/// One place for each engine, in the order of the configuration.
#[derive(Debug)]
pub(super) struct Roster<'a> {
    players: Vec<Player<'a>>,
    /// The engines that may be running, those that played last at the end.
    recent: Vec<usize>,
}

impl<'a> Roster<'a> {
    /// Nobody is running.
    pub(super) fn new(players: Vec<Player<'a>>) -> Self {
        Self { players, recent: Vec::new() }
    }

    /// These two play next: ends those that have not played for the longest time, where too many would run.
    pub(super) fn make_room(&mut self, pairing: Pairing) {
        let engines = pairing.engines();
        self.recent.retain(|engine| !engines.contains(engine));
        self.recent.extend(engines);
        let surplus = self.recent.len().saturating_sub(MAX_RUNNING);
        for engine in self.recent.drain(..surplus) {
            self.players[engine].quit();
        }
    }

    /// The player of one engine.
    pub(super) fn one(&mut self, engine: usize) -> &mut Player<'a> {
        &mut self.players[engine]
    }

    /// The players of two different engines.
    ///
    /// # Panics
    ///
    /// If they are the same one, or not in the match.
    pub(super) fn pair(&mut self, one: usize, other: usize) -> [&mut Player<'a>; 2] {
        self.players.get_disjoint_mut([one, other]).expect("a pairing is of two engines of the match")
    }

    /// Ends all engines in peace.
    pub(super) fn quit(&mut self) {
        self.players.iter_mut().for_each(Player::quit);
    }
}
