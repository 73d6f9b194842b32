//! Disturbances of games by the hypervisor and by other programs: judged by the watchdog, and summed for the
//! report.

use std::fmt::Write;

use serde::Serialize;

use crate::config::Watchdog;
use crate::play::record::{GameRecord, Termination};
use crate::run::disturbance::{Cause, MeanShare, Shares};
use crate::run::executor::VoidCause;

/// Returns the share from which a loss on time may not be the engine's fault.
fn notable_in_game(cause: Cause) -> f64 {
    match cause {
        Cause::StealTime => 0.05,
        Cause::OtherLoad => 0.1,
    }
}

/// Returns the share of a cause in a game, if it was measured. Steal time of zero is stored as none.
fn permille(cause: Cause, game: &GameRecord) -> Option<u32> {
    match cause {
        Cause::StealTime => Some(game.steal_time_permille.unwrap_or(0)),
        Cause::OtherLoad => game.other_load_permille,
    }
}

fn is_notable(cause: Cause, game: &GameRecord) -> bool {
    permille(cause, game).is_some_and(|share| f64::from(share) / 1e3 >= notable_in_game(cause))
}

/// Returns why a game with these shares and this ending is void, if it is. Who won it does not matter, or games
/// would be chosen by their results; but a fault other than a late move is the engine's own.
pub(super) fn void_cause(
    shares: Shares,
    watchdog: &Watchdog,
    termination: &Termination,
) -> Option<VoidCause> {
    if termination.fault().is_some() && !matches!(termination, Termination::TimeForfeit { .. }) {
        return None;
    }
    let excess =
        |share: Option<u32>, most: Option<u32>| share.filter(|&share| most.is_some_and(|most| share > most));
    excess(shares.steal_time, watchdog.max_steal_time_permille)
        .map(VoidCause::StealTime)
        .or_else(|| excess(shares.other_load, watchdog.max_other_load_permille).map(VoidCause::OtherLoad))
}

/// Returns lines for the evidence of a fault.
pub(super) fn evidence_lines(shares: Shares) -> String {
    let mut text = String::new();
    for (cause, permille) in [(Cause::StealTime, shares.steal_time), (Cause::OtherLoad, shares.other_load)] {
        let share = permille.map(|permille| cause.share_text(f64::from(permille) / 1e3));
        // Steal time of zero is stored as none.
        let share = share.or_else(|| (cause == Cause::OtherLoad).then(|| "not measured".to_owned()));
        if let Some(share) = share {
            let _ = writeln!(text, "{} during the game: {share}", cause.name());
        }
    }
    text
}

/// One kind of disturbance over all games, and whether it may have cost some on time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DisturbanceStats {
    /// Mean over the games that were measured.
    #[serde(flatten)]
    pub mean: MeanShare,
    /// Games that were measured.
    pub games: u64,
    /// Games with a notable share: 5 % steal time, 10 % load from other programs.
    pub affected: u64,
    /// Games that ended by a time forfeit; against a lone king it is a draw.
    pub forfeits: u64,
    /// Of those, games with a notable share.
    pub affected_forfeits: u64,
}

impl DisturbanceStats {
    /// Counts the share of a cause in a game. Load from other programs is not measured in a game that is too short.
    pub(super) fn add(&mut self, cause: Cause, game: &GameRecord) {
        let Some(permille) = permille(cause, game) else { return };
        self.mean.add(permille, game.duration_ms);
        self.games += 1;
        let is_affected = is_notable(cause, game);
        let is_forfeit = matches!(game.termination, Termination::TimeForfeit { .. });
        self.affected += u64::from(is_affected);
        self.forfeits += u64::from(is_forfeit);
        self.affected_forfeits += u64::from(is_affected && is_forfeit);
    }

    /// Whether no game was measured.
    pub(super) fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Describes the shares of a cause; `None` if they are negligible.
    pub(super) fn text(&self, cause: Cause) -> Option<String> {
        let Self { mean, games, affected, forfeits, affected_forfeits } = self;
        if !cause.is_notable(mean.share) && *affected == 0 {
            return None;
        }
        let (share, much) = (cause.share_text(mean.share), 100.0 * notable_in_game(cause));
        let mut text = format!("{share}, at least {much} % in {affected} of {games} measured games");
        if *forfeits > 0 {
            let _ = write!(text, "; {affected_forfeits} of {forfeits} losses on time were in these games");
        }
        Some(text)
    }
}

/// Time forfeits by their likely cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct TimeForfeits {
    /// In games with notable steal time.
    pub steal_time: u64,
    /// In games with a notable load from other programs, and no notable steal time.
    pub other_load: u64,
    /// In other games, where the engine is the likely cause.
    pub undisturbed: u64,
    /// In games whose load was not measured: they were too short, or the system does not report it.
    pub not_measured: u64,
}

impl TimeForfeits {
    /// Counts a game if it was lost on time.
    pub(super) fn add(&mut self, game: &GameRecord) {
        if !matches!(game.termination, Termination::TimeForfeit { .. }) {
            return;
        }
        if is_notable(Cause::StealTime, game) {
            self.steal_time += 1;
        } else if is_notable(Cause::OtherLoad, game) {
            self.other_load += 1;
        } else if game.other_load_permille.is_some() {
            self.undisturbed += 1;
        } else {
            self.not_measured += 1;
        }
    }

    /// Describes the losses; `None` if there are none.
    pub(super) fn text(self) -> Option<String> {
        let Self { steal_time, other_load, undisturbed, not_measured } = self;
        let all = steal_time + other_load + undisturbed + not_measured;
        (all > 0).then(|| {
            let unknown = (not_measured > 0).then(|| format!(", {not_measured} not measured"));
            let unknown = unknown.unwrap_or_default();
            format!(
                "{all}: {steal_time} with steal time, {other_load} with other load, {undisturbed} with neither{unknown}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{Side, sample_game};

    fn late() -> Termination {
        Termination::TimeForfeit { by: Side::White, over_us: 1, lone_king: false }
    }

    fn game(steal: Option<u32>, load: Option<u32>, duration_ms: u64, termination: Termination) -> GameRecord {
        GameRecord {
            steal_time_permille: steal,
            other_load_permille: load,
            duration_ms,
            termination,
            ..sample_game(0)
        }
    }

    #[test]
    fn disturbed_games_are_void_unless_an_engine_failed() {
        let crash = Termination::Crash { by: Side::White, how: "exited with code 1".to_owned() };
        let late = late();
        let share = |share| (share > 0).then_some(share);
        for (steal, most_steal, load, most_load, ending, expected) in [
            (900, 0, 900, 0, &late, None),
            (100, 100, 0, 100, &late, None),
            (101, 100, 0, 100, &late, Some(VoidCause::StealTime(101))),
            (101, 100, 0, 100, &Termination::Checkmate, Some(VoidCause::StealTime(101))),
            (101, 100, 101, 100, &crash, None),
            (0, 100, 100, 100, &late, None),
            (0, 100, 101, 100, &late, Some(VoidCause::OtherLoad(101))),
            (0, 0, 101, 100, &Termination::Stalemate, Some(VoidCause::OtherLoad(101))),
            (500, 100, 900, 100, &late, Some(VoidCause::StealTime(500))),
        ] {
            let watchdog = Watchdog {
                max_steal_time_permille: share(most_steal),
                max_other_load_permille: share(most_load),
                ..Watchdog::default()
            };
            let shares = Shares { steal_time: share(steal), other_load: share(load) };
            let found = void_cause(shares, &watchdog, ending);
            assert_eq!(found, expected, "{shares:?} {watchdog:?} {ending:?}");
        }
    }

    #[test]
    fn steal_time_is_reported_unless_negligible() {
        let mut steal = DisturbanceStats::default();
        steal.add(Cause::StealTime, &game(None, None, 1000, Termination::Checkmate));
        steal.add(Cause::StealTime, &game(Some(4), None, 1000, late()));
        assert_eq!(steal.text(Cause::StealTime), None, "too little to speak of: {steal:?}");
        steal.add(Cause::StealTime, &game(Some(60), None, 2000, late()));
        assert!((steal.mean.share - 0.031).abs() < 1e-9, "by length: {steal:?}");
        assert_eq!(
            steal.text(Cause::StealTime).unwrap(),
            "3.1 % of the requested CPU time, at least 5 % in 1 of 3 measured games; 1 of 2 losses on time were in these games"
        );
        steal.add(Cause::StealTime, &game(None, None, 1_000_000, Termination::Stalemate));
        assert!(
            steal.text(Cause::StealTime).is_some_and(|text| text.starts_with("0.0 %")),
            "steal time may have cost a game: {steal:?}"
        );
    }

    #[test]
    fn losses_on_time_are_counted_by_cause() {
        let mut losses = TimeForfeits::default();
        losses.add(&game(Some(900), Some(900), 1000, Termination::Checkmate));
        assert_eq!(losses.text(), None);
        for (steal, load) in
            [(Some(50), Some(500)), (Some(49), Some(100)), (Some(49), Some(99)), (None, None)]
        {
            losses.add(&game(steal, load, 1000, late()));
        }
        assert_eq!(losses, TimeForfeits { steal_time: 1, other_load: 1, undisturbed: 1, not_measured: 1 });
        assert_eq!(
            losses.text().unwrap(),
            "4: 1 with steal time, 1 with other load, 1 with neither, 1 not measured"
        );
    }

    #[test]
    fn load_from_other_programs_is_reported_unless_negligible() {
        let mut load = DisturbanceStats::default();
        load.add(Cause::OtherLoad, &game(None, None, 9000, Termination::Checkmate));
        load.add(Cause::OtherLoad, &game(None, Some(19), 1000, Termination::Checkmate));
        assert_eq!(load.text(Cause::OtherLoad), None, "services of an idle system: {load:?}");
        load.add(Cause::OtherLoad, &game(None, Some(501), 1000, late()));
        assert_eq!(
            load.text(Cause::OtherLoad).unwrap(),
            "26.0 % of all processors, at least 10 % in 1 of 2 measured games; 1 of 1 losses on time were in these games"
        );
    }

    #[test]
    fn evidence_states_the_measured_shares() {
        let lines = evidence_lines(Shares::default());
        assert_eq!(lines, "CPU load from other programs during the game: not measured\n");
        assert_eq!(
            evidence_lines(Shares { steal_time: Some(12), other_load: Some(345) }),
            "steal time during the game: 1.2 % of the requested CPU time\n\
             CPU load from other programs during the game: 34.5 % of all processors\n"
        );
    }
}
