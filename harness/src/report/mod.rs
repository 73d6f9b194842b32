//! Reports: a document of blocks, and its renderers.
//!
//! `document` has the blocks. `html`, `markdown` and `terminal` render them; `html` also has the frame of live pages. `chart` and
//! `trend` draw curves in the frame of `plot`, `bars` draws bars, `board` chess boards and `scores` the scores of a game as inline SVG;
//! `picture` makes figures separate files. `games` lists games, which `viewer.js` opens on a board; `embedded` puts their moves into
//! the page. `blocks` and `foot` have results in the forms of other tools. The layers above build one kind of report each.
//!
//! A page needs no external resource and follows the reader's light or dark setting. Its script shows values next to the pointer, copies
//! texts and, in `harness watch`, replaces parts of the page; without it the page is complete but for the boards of games.

pub mod bars;
pub mod blocks;
pub mod board;
pub mod chart;
pub mod document;
mod embedded;
pub mod fold;
mod foot;
pub mod games;
pub(crate) mod html;
mod markdown;
mod picture;
mod plot;
pub(crate) mod scores;
mod style;
mod terminal;
#[cfg(test)]
mod tests;
pub mod trend;

pub use blocks::{BlockFormat, BlockRequest, Blocks};
pub use document::{Block, Document, Report, Table, TableStyle};
