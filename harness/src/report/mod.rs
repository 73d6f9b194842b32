//! Runs as pages: one self-contained HTML file each, and the same tables in Markdown.
//!
//! `page` is what all pages have in common, `chart` and `trend` draw curves as inline SVG; the other modules know one kind
//! of run each. Pages need no script and nothing from elsewhere, and follow the reader's light or dark setting.

mod ablation;
mod bench;
mod chart;
mod claims;
mod equivalence;
mod matches;
mod page;
mod smp;
mod train;
mod trend;

pub use ablation::{ablation_html, ablation_markdown};
pub use bench::{bench_html, bench_markdown};
pub use claims::{claims_html, claims_markdown};
pub use equivalence::{equivalence_html, equivalence_markdown};
pub use matches::{MatchHistory, match_html, match_markdown};
pub use smp::{smp_html, smp_markdown};
pub use train::{train_html, train_markdown};
