//! Runs as pages: one self-contained HTML file each, and the same tables in Markdown.
//!
//! `page` is what all pages have in common, `chart` and `trend` draw curves and `bars` draws bars as inline SVG,
//! `picture` makes files of them; the other modules know one kind of run each. Pages need no script and nothing from
//! elsewhere, and follow the reader's light or dark setting.

mod ablation;
mod bars;
mod bench;
mod chart;
mod claims;
mod datagen;
mod equivalence;
mod matches;
mod page;
mod picture;
mod runs;
mod screen;
mod smp;
mod suite;
mod train;
mod trend;
mod tune;
mod tune_eval;

pub use ablation::ablation_report;
pub use bench::bench_report;
pub use claims::claims_report;
pub use datagen::datagen_report;
pub use equivalence::equivalence_report;
pub use matches::{MatchHistory, match_report};
pub use page::Report;
pub use picture::Picture;
pub use runs::{RunReport, runs_report};
pub use screen::screen_report;
pub use smp::smp_report;
pub use suite::suite_report;
pub use train::train_report;
pub use tune::tune_report;
pub use tune_eval::tune_eval_report;
