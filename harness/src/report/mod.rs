//! Reports as self-contained HTML pages, with the same tables in Markdown.
//!
//! `page` contains the parts common to all pages. `chart` and `trend` draw curves and `bars` draws
//! bars as inline SVG; `picture` extracts them as files. The layers above build one kind of report
//! each. Pages need no script or external resource and follow the reader's light or dark setting.

pub(crate) mod bars;
pub(crate) mod chart;
pub(crate) mod page;
mod picture;
mod style;
pub(crate) mod trend;

pub(crate) use page::Report;
