//! The options of the opening book: what they are called and what they set.
//!
//! `OwnBook` and `Book File` are the names most interfaces know, `Best Book Move` is the old name for taking the
//! strongest move and, when on, decides over `Book Selection`.

use std::borrow::Cow;

use super::options::{OptionEntry, OptionId, OptionKind, OptionValue};
use crate::book::{BookError, DEFAULT_DEPTH, OwnBook, Selection};

/// Which option of the opening book is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BookOption {
    /// Play from the book.
    OwnBook,
    /// The file of the book.
    File,
    /// Always the strongest move.
    BestMove,
    /// How a move is taken.
    Selection,
    /// The last move of a game that may be from the book. Units: full moves.
    Depth,
    /// What was learned counts.
    Learning,
    /// What the random choices follow from; 0 for chance.
    Seed,
}

/// The largest seed: what an interface that counts in 32 bits can send.
const MAX_SEED: i64 = i32::MAX as i64;

/// What is declared.
pub(super) fn entries() -> impl Iterator<Item = OptionEntry> {
    let check = |default| OptionKind::Check { default };
    let choices = Selection::ALL.map(|selection| Cow::Borrowed(selection.name())).to_vec();
    [
        (BookOption::OwnBook, "OwnBook", check(false)),
        (BookOption::File, "Book File", OptionKind::String { default: "".into() }),
        (BookOption::BestMove, "Best Book Move", check(false)),
        (BookOption::Selection, "Book Selection", OptionKind::Combo { default: 0, choices }),
        (
            BookOption::Depth,
            "Book Depth",
            OptionKind::Spin { default: DEFAULT_DEPTH.into(), min: 1, max: 999 },
        ),
        (BookOption::Learning, "Book Learning", check(true)),
        (BookOption::Seed, "Book Seed", OptionKind::Spin { default: 0, min: 0, max: MAX_SEED }),
    ]
    .into_iter()
    .map(|(option, name, kind)| OptionEntry { id: OptionId::Book(option), name: name.into(), kind })
}

/// Does what an option says, with a value that passed its check.
///
/// Errors: [`BookError`] when the file is no book; the book before is kept.
pub(super) fn apply(option: BookOption, value: OptionValue, book: &mut OwnBook) -> Result<(), BookError> {
    match (option, value) {
        (BookOption::OwnBook, OptionValue::Check(on)) => book.is_on = on,
        (BookOption::File, OptionValue::String(path)) => book.load(&path)?,
        (BookOption::BestMove, OptionValue::Check(on)) => book.is_best_only = on,
        (BookOption::Selection, OptionValue::Combo(index)) => book.selection = Selection::ALL[index],
        (BookOption::Depth, OptionValue::Spin(moves)) => book.depth = moves as u16,
        (BookOption::Learning, OptionValue::Check(on)) => book.uses_learned = on,
        (BookOption::Seed, OptionValue::Spin(seed)) => book.reseed(seed as u64),
        // The table checked the value's kind.
        _ => {}
    }
    Ok(())
}
