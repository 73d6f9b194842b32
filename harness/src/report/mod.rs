//! Reports as self-contained HTML pages, with the same tables in Markdown.
//!
//! `page` contains the parts common to all pages. `chart` and `trend` draw curves in the frame of
//! `plot`, `bars` draws bars and `board` chess boards as inline SVG; `picture` extracts charts as
//! files. `terminal` converts the Markdown to text for a terminal. The layers above build one kind of report each. A page needs no external resource and
//! follows the reader's light or dark setting. Its script shows values next to the pointer and, in
//! `harness watch`, replaces parts of the page; without it the page is complete.

pub mod bars;
pub mod board;
pub mod chart;
pub mod page;
mod picture;
mod plot;
mod style;
mod terminal;
pub mod trend;

pub use page::Report;
