//! Hash table records and their packing into one word.
//!
//! | bits | content |
//! |---|---|
//! | 0-15 | move, 0 for none |
//! | 16-31 | score |
//! | 32-47 | static evaluation, `i16::MIN` for none |
//! | 48-55 | depth + 10 |
//! | 56-57 | bound, 0 for an empty slot |
//! | 58 | whether the node was on the principal variation |
//! | 59-63 | generation |
//!
//! Every word can be decoded: an invalid bound or a score out of range decodes as absent. A decoded
//! move may be illegal in the current position; the search checks it.

use crate::types::{Bound, Depth, Move, Score};

/// The stored information about a position: a decoded TT entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The best or refuting move. Not verified: test its legality before playing it.
    pub mv: Option<Move>,
    /// The score, with mates counted from the node; the caller converts with [`Score::to_tt`]
    /// and [`Score::from_tt`]. Range: clamped to `-Score::INFINITE ..= Score::INFINITE`.
    pub score: Score,
    /// The static evaluation. Range: clamped to `-32767 ..= 32767`.
    pub static_eval: Option<Score>,
    /// The search depth of the score. Range: clamped to [`Record::MIN_DEPTH`] to [`Depth::MAX`].
    pub depth: Depth,
    /// The relation of the score to the true score.
    pub bound: Bound,
    /// Whether the node was on the principal variation.
    pub is_pv: bool,
}

impl Record {
    /// The smallest depth that can be stored; quiescence search stores zero or slightly less.
    pub const MIN_DEPTH: Depth = Depth(Depth::MAX.0 - u8::MAX as i32);
}

/// Number of generations before the counter wraps around.
pub(super) const GENERATIONS: u8 = 32;

const NO_EVAL: i16 = i16::MIN;

/// A record and its generation in one word; zero means empty.
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

    /// Decodes the record; `None` for an empty or invalid word.
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

    /// Returns the number of searches since the record was written. Range: 0 to 31, modulo 32.
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
        fn any_record_survives_packing(record in any_record(), generation in 0..GENERATIONS) {
            let packed = Packed::new(record, generation);
            prop_assert_eq!(packed.record(), Some(record));
            prop_assert_eq!(packed.generation(), generation);
            prop_assert!(!packed.is_empty());
        }

        #[test]
        fn any_word_decodes_to_a_record_that_packs_back_or_to_none(word: u64) {
            let packed = Packed(word);
            match packed.record() {
                Some(record) => prop_assert_eq!(Packed::new(record, packed.generation()), packed),
                None => prop_assert!(packed.is_empty() || i32::from((word >> 16) as i16).abs() > 32_001),
            }
        }
    }

    #[test]
    fn zero_is_empty_and_invalid_scores_decode_as_absent() {
        assert_eq!(Packed(0).record(), None);
        assert!(Packed(0).is_empty());
        let alien = 3 << 56 | u64::from(i16::MAX as u16) << 16;
        assert_eq!(Packed(alien).record(), None);
    }

    #[test]
    fn out_of_range_depths_are_clamped() {
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
    fn age_wraps_around_with_the_generation_counter() {
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
