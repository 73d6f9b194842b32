//! What a position is worth, and what is known about it.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::{MAX_PLY, Ply};

/// Half-moves without capture or pawn move after which the game is drawn. Units: plies.
pub const FIFTY_MOVES: u16 = 100;

/// A value from the side to move's view. Units: centipawns; mates and table wins count plies from the root.
///
/// Range: `-INFINITE ..= INFINITE`, in three classes: evaluations inside `-MAX_EVAL ..= MAX_EVAL`; beyond them wins that
/// an endgame table knows, the nearer the greater; beyond those proven mates, likewise.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// A draw.
    pub const DRAW: Self = Self(0);
    /// Beyond every score a search returns.
    pub const INFINITE: Self = Self(32_001);
    /// The side to move has mated: a mate at the root would score this.
    pub const MATE: Self = Self(32_000);
    /// The smallest score that says "mates".
    pub const MATE_IN_MAX_PLY: Self = Self(Self::MATE.0 - MAX_PLY as i32);
    /// The side to move wins by an endgame table: a position at the root that a table calls won would score this.
    pub const TABLE_WIN: Self = Self(Self::MATE_IN_MAX_PLY.0 - 1);
    /// The smallest score that says "wins by a table".
    pub const TABLE_WIN_IN_MAX_PLY: Self = Self(Self::TABLE_WIN.0 - MAX_PLY as i32);
    /// The largest score an evaluation gives.
    pub const MAX_EVAL: Self = Self(Self::TABLE_WIN_IN_MAX_PLY.0 - 1);

    /// Mates at `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: Ply) -> Self {
        Self(Self::MATE.0 - ply.0 as i32)
    }

    /// Is mated at `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: Ply) -> Self {
        Self(ply.0 as i32 - Self::MATE.0)
    }

    /// Reaches, at `ply` plies from the root, a position that a table calls won.
    #[inline]
    pub const fn table_win_in(ply: Ply) -> Self {
        Self(Self::TABLE_WIN.0 - ply.0 as i32)
    }

    /// Is brought, at `ply` plies from the root, to a position that a table calls lost.
    #[inline]
    pub const fn table_loss_in(ply: Ply) -> Self {
        Self(ply.0 as i32 - Self::TABLE_WIN.0)
    }

    /// Does it say that one side mates?
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_IN_MAX_PLY.0
    }

    /// Does it say that one side wins, by a mate or by an endgame table? Otherwise it is an estimate.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() >= Self::TABLE_WIN_IN_MAX_PLY.0
    }

    /// Does it say that the side to move loses?
    #[inline]
    pub const fn is_lost(self) -> bool {
        self.0 <= -Self::TABLE_WIN_IN_MAX_PLY.0
    }

    /// Plies to the position that a table knows to be won or lost; `None` for any other score.
    pub const fn table_plies(self) -> Option<i32> {
        if self.is_decisive() && !self.is_mate() { Some(Self::TABLE_WIN.0 - self.0.abs()) } else { None }
    }

    /// What a decisive score of this one's class would be with no ply to go. Range: positive.
    #[inline]
    const fn summit(self) -> i32 {
        if self.is_mate() { Self::MATE.0 } else { Self::TABLE_WIN.0 }
    }

    /// Moves to mate, negative when being mated; `None` for an ordinary score.
    pub const fn mate_moves(self) -> Option<i32> {
        if self.0 >= Self::MATE_IN_MAX_PLY.0 {
            let plies = Self::MATE.0 - self.0;
            Some((plies + 1) / 2)
        } else if self.0 <= -Self::MATE_IN_MAX_PLY.0 {
            let plies = Self::MATE.0 + self.0;
            Some(-(plies / 2))
        } else {
            None
        }
    }

    /// The score as the hash table keeps it: mates and table wins counted from the node at `ply`, not from the root.
    ///
    /// A bound may name a mate that lies before the node; it is kept as a mate at the node. So is a table win.
    #[inline]
    pub const fn to_table(self, ply: Ply) -> Self {
        if !self.is_decisive() {
            return self;
        }
        let distant = self.0.abs() + ply.0 as i32;
        let summit = self.summit();
        Self(self.0.signum() * if distant < summit { distant } else { summit })
    }

    /// The inverse of [`Score::to_table`], at the ply of the probe and with the clock of the position there.
    ///
    /// A mate or table win that would come only after the fifty-move limit, or too far from the root to be counted as
    /// one, is no proof here: it becomes the best (or worst) score that an evaluation gives, and stays that when it is
    /// stored again. The rules let a mate on the very last half-move count.
    #[inline]
    pub const fn from_table(self, ply: Ply, halfmove_clock: u16) -> Self {
        if !self.is_decisive() {
            return self;
        }
        let (sign, summit) = (self.0.signum(), self.summit());
        let plies = summit - self.0.abs();
        let is_in_time = plies + halfmove_clock as i32 <= FIFTY_MOVES as i32;
        let is_near = plies + ply.0 as i32 <= MAX_PLY as i32;
        Self(sign * if is_in_time && is_near { summit - plies - ply.0 as i32 } else { Self::MAX_EVAL.0 })
    }

    /// The nearest score an evaluation may give.
    #[inline]
    pub fn clamp_to_eval(self) -> Self {
        Self(self.0.clamp(-Self::MAX_EVAL.0, Self::MAX_EVAL.0))
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Add for Score {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Add<i32> for Score {
    type Output = Self;

    #[inline]
    fn add(self, centipawns: i32) -> Self {
        Self(self.0 + centipawns)
    }
}

impl Sub<i32> for Score {
    type Output = Self;

    #[inline]
    fn sub(self, centipawns: i32) -> Self {
        Self(self.0 - centipawns)
    }
}

impl Mul<i32> for Score {
    type Output = Self;

    #[inline]
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.mate_moves(), self.table_plies()) {
            (Some(moves), _) => write!(f, "mate {moves}"),
            (None, Some(plies)) => {
                write!(f, "table {} in {plies}", if self.is_lost() { "loss" } else { "win" })
            }
            (None, None) => write!(f, "{} cp", self.0),
        }
    }
}

/// What a stored or returned score says about the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at least this (a cutoff).
    Lower = 1,
    /// The true score is at most this (all moves failed low).
    Upper = 2,
    /// The true score is this.
    Exact = 3,
}

impl Bound {
    /// What `score` says, found with this window (fail-soft).
    #[inline]
    pub fn of(score: Score, window: Window) -> Self {
        if score >= window.beta {
            Self::Lower
        } else if score > window.alpha {
            Self::Exact
        } else {
            Self::Upper
        }
    }

    /// Does a score with this bound say that `estimate` is wrong, and in which direction it is?
    #[inline]
    pub fn contradicts(self, score: Score, estimate: Score) -> bool {
        match self {
            Self::Exact => score != estimate,
            Self::Lower => score > estimate,
            Self::Upper => score < estimate,
        }
    }

    /// Does a score with this bound decide a node searched with `window`?
    #[inline]
    pub fn decides(self, score: Score, window: Window) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= window.beta,
            Self::Upper => score <= window.alpha,
        }
    }
}

/// The open interval of scores a node is asked about.
///
/// Range: `alpha < beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the side to move has already.
    pub alpha: Score,
    /// What the opponent would not allow.
    pub beta: Score,
}

impl Window {
    /// Everything.
    pub const FULL: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// The window between two scores.
    #[inline]
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// The null window that asks "more than `alpha`?".
    #[inline]
    pub const fn null_above(alpha: Score) -> Self {
        Self { alpha, beta: Score(alpha.0 + 1) }
    }

    /// The null window that asks "at least `beta`?".
    #[inline]
    pub const fn null_below(beta: Score) -> Self {
        Self { alpha: Score(beta.0 - 1), beta }
    }

    /// Is there no score strictly inside?
    #[inline]
    pub const fn is_null(self) -> bool {
        self.beta.0 - self.alpha.0 == 1
    }
}

/// The same window from the opponent's view.
impl Neg for Window {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_moves() {
        assert_eq!(Score::mate_in(Ply(1)).mate_moves(), Some(1));
        assert_eq!(Score::mate_in(Ply(3)).mate_moves(), Some(2));
        assert_eq!(Score::mated_in(Ply(2)).mate_moves(), Some(-1));
        assert_eq!(Score::mated_in(Ply(0)).mate_moves(), Some(0));
        assert_eq!(Score::MAX_EVAL.mate_moves(), None);
        assert!(!Score::MAX_EVAL.is_mate() && !(-Score::MAX_EVAL).is_mate());
    }

    #[test]
    fn table_wins_lie_between_evaluations_and_mates() {
        let farthest = Ply(MAX_PLY as u16);
        assert!(Score::MAX_EVAL < Score::table_win_in(farthest));
        assert!(Score::table_win_in(farthest) < Score::table_win_in(Ply(0)));
        assert!(Score::table_win_in(Ply(0)) < Score::mate_in(farthest));
        for ply in [Ply(0), Ply(7), farthest] {
            let (won, lost) = (Score::table_win_in(ply), Score::table_loss_in(ply));
            assert_eq!(won, -lost);
            assert!(
                won.is_decisive() && lost.is_decisive() && !won.is_mate() && lost.is_lost() && !won.is_lost()
            );
            assert_eq!(won.mate_moves(), None);
            assert_eq!(won.table_plies(), Some(i32::from(ply.0)));
        }
        assert!(!Score::MAX_EVAL.is_decisive() && Score::mate_in(farthest).is_decisive());
        assert_eq!(Score::MAX_EVAL.table_plies(), None);
        assert_eq!(Score::mate_in(farthest).table_plies(), None);
    }

    #[test]
    fn table_wins_are_relative_to_the_node_and_heed_the_clock() {
        let far = Score::table_win_in(Ply(9));
        assert_eq!(far.to_table(Ply(4)), Score::table_win_in(Ply(5)));
        assert_eq!(far.to_table(Ply(4)).from_table(Ply(6), 0), Score::table_win_in(Ply(11)));
        assert_eq!((-far).to_table(Ply(4)).from_table(Ply(6), 95), Score::table_loss_in(Ply(11)));
        assert_eq!(far.to_table(Ply(4)).from_table(Ply(6), 96), Score::MAX_EVAL);
        // A bound from above the node does not become a mate.
        assert_eq!(Score::TABLE_WIN.to_table(Ply(9)), Score::TABLE_WIN);
    }

    #[test]
    fn table_scores_are_relative_to_the_node() {
        for ply in [Ply(0), Ply(5), Ply(100)] {
            for score in [Score(12), Score::mate_in(Ply(100)), Score::mated_in(Ply(100)), Score::MAX_EVAL] {
                assert_eq!(score.to_table(ply).from_table(ply, 0), score);
            }
        }
        assert_eq!(Score::mate_in(Ply(7)).to_table(Ply(4)), Score::mate_in(Ply(3)));
        // A bound from above the node.
        assert_eq!(Score::mated_in(Ply(3)).to_table(Ply(9)), Score::mated_in(Ply(0)));
    }

    #[test]
    fn mates_beyond_the_fifty_move_limit_are_none() {
        let seven = Score::mate_in(Ply(7));
        assert_eq!(seven.from_table(Ply(2), 93), Score::mate_in(Ply(9)));
        assert_eq!(seven.from_table(Ply(2), 94), Score::MAX_EVAL);
        assert_eq!((-seven).from_table(Ply(2), 94), -Score::MAX_EVAL);
        assert_eq!((-seven).from_table(Ply(2), 93), Score::mated_in(Ply(9)));
        assert_eq!(Score(-31).from_table(Ply(2), u16::MAX), Score(-31));
    }

    #[test]
    fn mates_never_drift_through_the_table() {
        // Whatever goes in and out, at whatever plies: a mate is exact, or it is none and stays none.
        for distance in 0..=MAX_PLY as u16 {
            for (store, probe) in [(0, 0), (0, 200), (10, 245), (distance, 246), (distance, 0)] {
                for sign in [1, -1] {
                    let score = Score::mate_in(Ply(distance.max(store))) * sign;
                    let plies = distance.max(store) - store;
                    let found = score.to_table(Ply(store)).from_table(Ply(probe), 0);
                    if found.is_mate() {
                        assert_eq!(found, Score::mate_in(Ply(plies + probe)) * sign);
                    } else {
                        assert!(plies > FIFTY_MOVES || usize::from(plies + probe) > MAX_PLY);
                        assert_eq!(found, Score::MAX_EVAL * sign);
                        assert_eq!(found.to_table(Ply(probe)).from_table(Ply(3), 0), found);
                    }
                }
            }
        }
    }

    #[test]
    fn windows_turn_round() {
        let window = Window::new(Score(-10), Score(30));
        assert_eq!(-window, Window::new(Score(-30), Score(10)));
        assert!(Window::null_above(Score(5)).is_null() && Window::null_below(Score(5)).is_null());
    }

    #[test]
    fn bounds_follow_the_window() {
        let window = Window::new(Score(0), Score(10));
        for (score, bound) in [(-3, Bound::Upper), (0, Bound::Upper), (4, Bound::Exact), (10, Bound::Lower)] {
            assert_eq!(Bound::of(Score(score), window), bound);
        }
        assert!(Bound::Lower.decides(Score(10), window) && !Bound::Lower.decides(Score(9), window));
        assert!(Bound::Upper.decides(Score(0), window) && !Bound::Upper.decides(Score(1), window));
    }
}
