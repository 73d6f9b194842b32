//! Scores, the bounds they carry, and search windows.

use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use super::{MAX_PLY, Ply};

/// Half-moves without a capture or pawn move after which the game is drawn. Units: plies.
pub const FIFTY_MOVES: u16 = 100;

/// A score from the side to move's point of view. Units: centipawns; mate and tablebase scores
/// count plies from the root.
///
/// Range: `-INFINITE ..= INFINITE`, in three classes by absolute value. Evaluations lie within
/// `MAX_EVAL`. Tablebase wins lie above them, and mates above those; the fewer plies, the larger
/// the score.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// The score of a draw.
    pub const DRAW: Self = Self(0);
    /// A bound that no score returned by a search reaches.
    pub const INFINITE: Self = Self(32_001);
    /// The score of a mate at the root.
    pub const MATE: Self = Self(32_000);
    /// The smallest mate score.
    pub const MATE_IN_MAX_PLY: Self = Self(Self::MATE.0 - MAX_PLY as i32);
    /// The score of a tablebase win at the root.
    pub const TB_WIN: Self = Self(Self::MATE_IN_MAX_PLY.0 - 1);
    /// The smallest tablebase-win score.
    pub const TB_WIN_IN_MAX_PLY: Self = Self(Self::TB_WIN.0 - MAX_PLY as i32);
    /// The largest score that an evaluation returns.
    pub const MAX_EVAL: Self = Self(Self::TB_WIN_IN_MAX_PLY.0 - 1);

    /// Returns the score for giving mate `ply` plies from the root.
    #[inline]
    pub const fn mate_in(ply: Ply) -> Self {
        Self(Self::MATE.0 - ply.0 as i32)
    }

    /// Returns the score for being mated `ply` plies from the root.
    #[inline]
    pub const fn mated_in(ply: Ply) -> Self {
        Self(ply.0 as i32 - Self::MATE.0)
    }

    /// Returns the score for reaching a won tablebase position `ply` plies from the root.
    #[inline]
    pub const fn tb_win_in(ply: Ply) -> Self {
        Self(Self::TB_WIN.0 - ply.0 as i32)
    }

    /// Returns the score for reaching a lost tablebase position `ply` plies from the root.
    #[inline]
    pub const fn tb_loss_in(ply: Ply) -> Self {
        Self(ply.0 as i32 - Self::TB_WIN.0)
    }

    /// Whether the score is a mate score, for either side.
    #[inline]
    pub const fn is_mate(self) -> bool {
        self.0.abs() >= Self::MATE_IN_MAX_PLY.0
    }

    /// Whether the score is a mate or tablebase score, for either side, as opposed to an estimate.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() >= Self::TB_WIN_IN_MAX_PLY.0
    }

    /// Whether the score is a mate or tablebase loss for the side to move.
    #[inline]
    pub const fn is_lost(self) -> bool {
        self.0 <= -Self::TB_WIN_IN_MAX_PLY.0
    }

    /// Returns the plies to the won or lost tablebase position; `None` for any other score.
    pub const fn tb_plies(self) -> Option<i32> {
        if self.is_decisive() && !self.is_mate() { Some(Self::TB_WIN.0 - self.0.abs()) } else { None }
    }

    /// Returns the score of this decisive score's class at zero plies: `MATE` or `TB_WIN`.
    #[inline]
    const fn zero_ply_score(self) -> i32 {
        if self.is_mate() { Self::MATE.0 } else { Self::TB_WIN.0 }
    }

    /// Returns the plies to mate, for either side; `None` for other scores.
    pub const fn mate_plies(self) -> Option<u16> {
        if self.is_mate() { Some((Self::MATE.0 - self.0.abs()) as u16) } else { None }
    }

    /// Returns the moves to mate, negative when being mated; `None` for other scores.
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

    /// Converts the score for storage in the hash table: decisive scores then count plies from the
    /// node at `ply`.
    ///
    /// A bound may be a mate score nearer than the node. It is stored as a mate at the node;
    /// tablebase wins likewise.
    #[inline]
    pub const fn to_tt(self, ply: Ply) -> Self {
        if !self.is_decisive() {
            return self;
        }
        let distant = self.0.abs() + ply.0 as i32;
        let zero_ply_score = self.zero_ply_score();
        Self(self.0.signum() * if distant < zero_ply_score { distant } else { zero_ply_score })
    }

    /// Converts a stored score back, at the ply and with the fifty-move clock of the probing node.
    ///
    /// Returns `None` for a decisive score if the fifty-move limit would come first, or if the
    /// distance from the root would exceed `MAX_PLY`. A mate on the last half-move before the limit
    /// still counts.
    #[inline]
    pub const fn from_tt(self, ply: Ply, halfmove_clock: u16) -> Option<Self> {
        if !self.is_decisive() {
            return Some(self);
        }
        let zero_ply_score = self.zero_ply_score();
        let plies = zero_ply_score - self.0.abs();
        let is_in_time = plies + halfmove_clock as i32 <= FIFTY_MOVES as i32;
        let is_near = plies + ply.0 as i32 <= MAX_PLY as i32;
        if is_in_time && is_near {
            Some(Self(self.0.signum() * (zero_ply_score - plies - ply.0 as i32)))
        } else {
            None
        }
    }

    /// Clamps the score to the range of evaluations.
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
        match (self.mate_moves(), self.tb_plies()) {
            (Some(moves), _) => write!(f, "mate {moves}"),
            (None, Some(plies)) => {
                write!(f, "table {} in {plies}", if self.is_lost() { "loss" } else { "win" })
            }
            (None, None) => write!(f, "{} cp", self.0),
        }
    }
}

/// The relation of a stored or returned score to the true score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bound {
    /// The true score is at least this: the node failed high.
    Lower = 1,
    /// The true score is at most this: the node failed low.
    Upper = 2,
    /// The true score equals this one.
    Exact = 3,
}

impl Bound {
    /// Returns the bound of a fail-soft `score` found with `window`.
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

    /// Whether a score with this bound proves that the true score differs from `estimate`.
    #[inline]
    pub fn contradicts(self, score: Score, estimate: Score) -> bool {
        match self {
            Self::Exact => score != estimate,
            Self::Lower => score > estimate,
            Self::Upper => score < estimate,
        }
    }

    /// Whether a score with this bound is sufficient to return from a node searched with `window`.
    #[inline]
    pub fn decides(self, score: Score, window: Window) -> bool {
        match self {
            Self::Exact => true,
            Self::Lower => score >= window.beta,
            Self::Upper => score <= window.alpha,
        }
    }
}

/// A search window: the open interval of scores that a node must distinguish.
///
/// Range: `alpha < beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The score that the side to move is already sure of.
    pub alpha: Score,
    /// The score above which the opponent avoids the node.
    pub beta: Score,
}

impl Window {
    /// The widest window, which no score falls outside.
    pub const FULL: Self = Self { alpha: Score(-Score::INFINITE.0), beta: Score::INFINITE };

    /// Returns the window between two scores.
    #[inline]
    pub const fn new(alpha: Score, beta: Score) -> Self {
        Self { alpha, beta }
    }

    /// Returns the null window that tests whether the score exceeds `alpha`.
    #[inline]
    pub const fn null_above(alpha: Score) -> Self {
        Self { alpha, beta: Score(alpha.0 + 1) }
    }

    /// Returns the null window that tests whether the score reaches `beta`.
    #[inline]
    pub const fn null_below(beta: Score) -> Self {
        Self { alpha: Score(beta.0 - 1), beta }
    }

    /// Whether no score lies strictly inside the window.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.beta.0 - self.alpha.0 == 1
    }
}

/// Returns the window from the opponent's point of view.
impl Neg for Window {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests;
