//! A record, and the one word it is packed into.
//!
//! | bits | 0-15 | 16-31 | 32-47 | 48-55 | 56-57 | 58 | 59-63 |
//! |---|---|---|---|---|---|---|---|
//! | | move, 0 for none | score | static eval, `i16::MIN` for none | depth + 10 | bound, 0 for empty | PV | generation |
//!
//! Every word can be decoded: what no record packs to (an alien bound, a score out of range) decodes as absent.
//! A decoded move is a hint from some position and may be illegal in this one; the search checks it.

use crate::types::{Bound, Depth, Move, Score};

/// What the table remembers of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The best move, or the one that refuted the position; untrusted, test for legality before playing it.
    pub mv: Option<Move>,
    /// Mates counted from the node: the caller converts with [`Score::to_table`] and [`Score::from_table`].
    /// Range: kept within `-Score::INFINITE ..= Score::INFINITE`.
    pub score: Score,
    /// The evaluation before search. Range: kept within `-32767 ..= 32767`.
    pub static_eval: Option<Score>,
    /// How deep the score was searched. Range: kept within [`Record::MIN_DEPTH`] to [`Depth::MAX`].
    pub depth: Depth,
    /// What the score says.
    pub bound: Bound,
    /// Was the node on the principal variation?
    pub is_pv: bool,
}

impl Record {
    /// The least depth that can be kept; quiescence stores zero or little less.
    pub const MIN_DEPTH: Depth = Depth(Depth::MAX.0 - u8::MAX as i32);
}

/// How many generations there are before they come round again.
pub(super) const GENERATIONS: u8 = 32;

const NO_EVAL: i16 = i16::MIN;

/// A record and its generation in one word; zero is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed(pub(super) u64);

impl Packed {
    #[inline]
    pub(super) fn new(record: Record, generation: u8) -> Self {
        let limit = Score::INFINITE.0;
        debug_assert!(record.score.0.abs() <= limit, "score {:?} out of range", record.score);
        let score = record.score.0.clamp(-limit, limit) as i16;
        let eval = record.static_eval.map_or(NO_EVAL, |eval| eval.0.clamp(-32767, 32767) as i16);
        let depth = record.depth.clamp(Record::MIN_DEPTH, Depth::MAX) - Record::MIN_DEPTH.0;
        Self(
            u64::from(record.mv.map_or(0, Move::to_bits))
                | u64::from(score as u16) << 16
                | u64::from(eval as u16) << 32
                | u64::from(depth.0 as u8) << 48
                | (record.bound as u64) << 56
                | u64::from(record.is_pv) << 58
                | u64::from(generation % GENERATIONS) << 59,
        )
    }

    /// The record, or `None` for an empty or alien word.
    #[inline]
    pub(super) fn record(self) -> Option<Record> {
        let score = Score(i32::from((self.0 >> 16) as u16 as i16));
        let eval = (self.0 >> 32) as u16 as i16;
        let bound = match self.bound_bits() {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        (score.0.abs() <= Score::INFINITE.0).then_some(Record {
            mv: Move::from_bits(self.0 as u16),
            score,
            static_eval: (eval != NO_EVAL).then_some(Score(i32::from(eval))),
            depth: self.depth(),
            bound,
            is_pv: self.0 >> 58 & 1 != 0,
        })
    }

    #[inline]
    pub(super) fn depth(self) -> Depth {
        Record::MIN_DEPTH + i32::from((self.0 >> 48) as u8)
    }

    #[inline]
    pub(super) const fn is_empty(self) -> bool {
        self.bound_bits() == 0
    }

    #[inline]
    const fn bound_bits(self) -> u8 {
        (self.0 >> 56) as u8 & 3
    }

    #[inline]
    pub(super) const fn generation(self) -> u8 {
        (self.0 >> 59) as u8
    }

    /// How many searches ago it was written. Range: 0 to 31, modulo 32.
    #[inline]
    pub(super) const fn age(self, now: u8) -> u8 {
        now.wrapping_sub(self.generation()) % GENERATIONS
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_record() -> impl Strategy<Value = Record> {
        let limit = Score::INFINITE.0;
        (any::<u16>(), -limit..=limit, -32767..=32767, any::<bool>(), -10..=245, 0..3_usize, any::<bool>())
            .prop_map(|(mv, score, eval, has_eval, depth, bound, is_pv)| Record {
                mv: Move::from_bits(mv),
                score: Score(score),
                static_eval: has_eval.then_some(Score(eval)),
                depth: Depth(depth),
                bound: [Bound::Lower, Bound::Upper, Bound::Exact][bound],
                is_pv,
            })
    }

    proptest! {
        #[test]
        fn packs_and_unpacks(record in any_record(), generation in 0..GENERATIONS) {
            let packed = Packed::new(record, generation);
            prop_assert_eq!(packed.record(), Some(record));
            prop_assert_eq!(packed.generation(), generation);
            prop_assert!(!packed.is_empty());
        }

        #[test]
        fn any_word_decodes_to_what_packs_back_or_to_nothing(word: u64) {
            let packed = Packed(word);
            match packed.record() {
                Some(record) => prop_assert_eq!(Packed::new(record, packed.generation()), packed),
                None => prop_assert!(packed.is_empty() || i32::from((word >> 16) as i16).abs() > 32_001),
            }
        }
    }

    #[test]
    fn zero_is_empty_and_alien_scores_are_refused() {
        assert_eq!(Packed(0).record(), None);
        assert!(Packed(0).is_empty());
        let alien = 3 << 56 | u64::from(i16::MAX as u16) << 16;
        assert_eq!(Packed(alien).record(), None);
    }

    #[test]
    fn out_of_range_depths_are_kept_at_the_limit() {
        let record = |depth| Record {
            mv: None,
            score: Score(0),
            static_eval: None,
            depth: Depth(depth),
            bound: Bound::Exact,
            is_pv: false,
        };
        assert_eq!(Record::MIN_DEPTH, Depth(-10));
        assert_eq!(Packed::new(record(-400), 0).depth(), Record::MIN_DEPTH);
        assert_eq!(Packed::new(record(400), 0).depth(), Depth::MAX);
    }

    #[test]
    fn ages_come_round() {
        let record = Record {
            mv: None,
            score: Score(0),
            static_eval: None,
            depth: Depth(1),
            bound: Bound::Lower,
            is_pv: false,
        };
        assert_eq!(Packed::new(record, 31).age(31), 0);
        assert_eq!(Packed::new(record, 31).age(1), 2);
        assert_eq!(Packed::new(record, 1).age(0), 31);
    }
}
