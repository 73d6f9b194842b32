//! The clock of one side, with nanosecond resolution, and the `go` command that reports it.

use std::fmt::Write;
use std::time::Duration;

use crate::config::{Limits, Stage, TimeControl};
use crate::play::record::Side;
use crate::uci::limit_words;

/// The time one side has left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    control: TimeControl,
    /// Index of the current stage.
    stage: usize,
    /// At least 0, except after the flag fell. Units: nanoseconds.
    left: i128,
    /// Moves left in this stage.
    moves_left: Option<u32>,
}

impl Clock {
    pub(crate) fn new(control: TimeControl) -> Self {
        let mut clock = Self { control, stage: 0, left: 0, moves_left: None };
        clock.begin(0);
        if clock.left == 0 {
            // As in fastchess, the first move has the increment.
            clock.left = nanos(clock.now().increment);
        }
        clock
    }

    /// Credits the time of a stage.
    fn begin(&mut self, stage: usize) {
        self.stage = stage;
        let Stage { moves, base, .. } = self.now();
        self.left += nanos(base);
        self.moves_left = moves.map(std::num::NonZero::get);
    }

    /// Returns the current stage.
    fn now(&self) -> Stage {
        self.control.stages()[self.stage]
    }

    /// Returns the time limit of the next move: the time left plus `margin`, or zero after the flag
    /// fell.
    pub(crate) fn allowance(&self, margin: Duration) -> Duration {
        let left = (self.left + nanos(margin)).max(0);
        Duration::from_nanos(u64::try_from(left).unwrap_or(u64::MAX))
    }

    /// Returns the time left. Units: microseconds.
    pub(crate) fn left_us(&self) -> i64 {
        i64::try_from(self.left / 1000).unwrap_or(i64::MAX)
    }

    /// Subtracts a move that took `spent`. The flag is checked first; then increment and next stage
    /// are credited. An overrun within `margin` leaves 0, so every move has the whole margin, as in
    /// fastchess.
    ///
    /// Errors: the time by which the clock was exceeded, if the flag fell.
    pub(crate) fn charge(&mut self, spent: Duration, margin: Duration) -> Result<(), Duration> {
        self.left -= nanos(spent);
        if self.left < -nanos(margin) {
            return Err(Duration::from_nanos(u64::try_from(-self.left).unwrap_or(u64::MAX)));
        }
        self.left = self.left.max(0) + nanos(self.now().increment);
        self.moves_left = self.moves_left.map(|moves| moves - 1);
        if self.moves_left == Some(0) {
            // The last stage is repeated.
            self.begin((self.stage + 1).min(self.control.stages().len() - 1));
        }
        Ok(())
    }

    /// Returns the time sent to engines: whole milliseconds, rounded down, at least 1.
    fn shown_ms(&self) -> i128 {
        (self.left / 1_000_000).max(1)
    }
}

fn nanos(time: Duration) -> i128 {
    time.as_nanos().cast_signed()
}

/// Returns the `go` line for the side to move. If only this side has a clock, its time is sent for
/// both.
pub(crate) fn go_command(limits: &Limits, own: Option<&Clock>, other: Option<&Clock>, turn: Side) -> String {
    let mut text = "go".to_owned();
    if let Some(own) = own {
        let other = other.unwrap_or(own);
        let (white, black) = if turn == Side::White { (own, other) } else { (other, own) };
        let _ = write!(text, " wtime {} btime {}", white.shown_ms(), black.shown_ms());
        let increments = (white.now().increment.as_millis(), black.now().increment.as_millis());
        if increments != (0, 0) {
            let _ = write!(text, " winc {} binc {}", increments.0, increments.1);
        }
        if let Some(moves) = own.moves_left {
            let _ = write!(text, " movestogo {moves}");
        }
    }
    text + &limit_words(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        Clock::new(text.parse().unwrap())
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn huge_margin_allows_more_time_and_not_less() {
        assert!(clock("8+0.08").allowance(Duration::from_secs(u64::MAX / 2)) > Duration::from_hours(24));
    }

    #[test]
    fn without_a_base_the_first_move_has_the_increment_once() {
        let mut clock = clock("0+0.1");
        for _ in 0..3 {
            assert_eq!(clock.allowance(Duration::ZERO), 100 * MS);
            assert_eq!(clock.charge(100 * MS, Duration::ZERO), Ok(()));
        }
    }

    #[test]
    fn flags_fall_beyond_the_margin_only() {
        assert_eq!(clock("1").charge(1050 * MS, 50 * MS), Ok(()));
        assert_eq!(clock("1").charge(1051 * MS, 50 * MS), Err(51 * MS));
        assert_eq!(
            clock("1").charge(Duration::from_nanos(1_000_000_001), Duration::ZERO),
            Err(Duration::from_nanos(1))
        );
    }

    #[test]
    fn every_move_has_the_whole_margin() {
        let mut slow = clock("1+0.1");
        assert_eq!(slow.charge(1050 * MS, 50 * MS), Ok(()));
        assert_eq!((slow.left_us(), slow.allowance(50 * MS)), (100_000, 150 * MS));
        for _ in 0..10 {
            assert_eq!(slow.charge(140 * MS, 50 * MS), Ok(()));
        }
        assert_eq!(slow.charge(151 * MS, 50 * MS), Err(51 * MS));
    }

    #[test]
    fn stage_time_is_credited_after_the_flag_check() {
        let mut clock = clock("2/1+0.5");
        assert_eq!(clock.charge(900 * MS, Duration::ZERO), Ok(()));
        assert_eq!(clock.moves_left, Some(1));
        // 600 ms are left: the second of the next period does not save the move before it.
        assert_eq!(clock.clone().charge(700 * MS, Duration::ZERO), Err(100 * MS));
        assert_eq!(clock.charge(600 * MS, Duration::ZERO), Ok(()));
        assert_eq!((clock.moves_left, clock.allowance(Duration::ZERO)), (Some(2), 1500 * MS));
    }

    #[test]
    fn stages_follow_each_other_and_the_last_goes_on() {
        let mut sudden = clock("2/4+1, 1/2, 3+0.5");
        let mut sent = Vec::new();
        for _ in 0..5 {
            sent.push((sudden.allowance(Duration::ZERO).as_millis(), sudden.moves_left));
            sudden.charge(1000 * MS, Duration::ZERO).unwrap();
        }
        let expected = [(4000, Some(2)), (4000, Some(1)), (6000, Some(1)), (8000, None), (7500, None)];
        assert_eq!(sent, expected);
        let mut cyclic = clock("1/4, 2/1");
        for _ in 0..4 {
            cyclic.charge(MS, Duration::ZERO).unwrap();
        }
        assert_eq!((cyclic.moves_left, cyclic.allowance(Duration::ZERO)), (Some(1), 5996 * MS));
    }

    #[test]
    fn go_command_lists_the_limits() {
        let limits = |text: &str| Limits { time_control: text.parse().ok(), ..Limits::default() };
        let (mut own, other) = (clock("40/10+0.1"), clock("3"));
        own.charge(Duration::from_micros(1500), Duration::ZERO).unwrap();
        assert_eq!(
            go_command(&limits("40/10+0.1"), Some(&own), Some(&other), Side::Black),
            "go wtime 3000 btime 10098 winc 0 binc 100 movestogo 39"
        );
        let nodes = Limits {
            nodes: std::num::NonZero::new(500),
            depth: std::num::NonZero::new(9),
            ..Limits::default()
        };
        assert_eq!(go_command(&nodes, None, Some(&other), Side::White), "go nodes 500 depth 9");
        assert_eq!(go_command(&limits("3"), Some(&other), None, Side::White), "go wtime 3000 btime 3000");
    }
}
