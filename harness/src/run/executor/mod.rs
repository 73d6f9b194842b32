//! One executor for every kind of run.
//!
//! A kind of run has two parts. Its [`Study`] reports: records, statistics, summary, report. Its
//! [`Play`] does the tasks, with the engines and files that they need, and has a display ([`View`]).
//! `report`, `watch` and `merge` need the study only. The executor does the rest. It opens the journal and replays it, starts the workers
//! and hands out the missing tasks. It saves and counts every record, repeats void tasks, keeps the
//! evidence of faults, and shows notices and progress. It reacts to a stop request, and writes
//! `summary.json` and the report.
//!
//! A worker sends its records through an [`Outbox`] to the collector, which alone writes the
//! journal. It takes its next task once the collector has counted its records, so quick tasks
//! cannot run ahead of the decision to stop. A record is in the journal before it is counted.
//!
//! A run of several stages ([`Staged`]: `sprt` with `stages`, `ablate` with games, `equivalence`, `tune`, `screen`) is a list of experiments, each
//! in a folder. The same list plays and reports. `openings` and `tune-eval` are no experiments; their modules state the reason.

mod collect;
mod ledger;
mod outbox;
mod play;
mod stages;
mod start;
mod study;
mod tasks;
mod work;

#[cfg(test)]
mod tests;

pub use ledger::import;
pub use outbox::{Attempt, Evidence, LEGEND, Outbox, VoidCause};
pub use play::{CompanionFiles, Notice, OutboxOf, Play, Progress, RecordOf, StateOf, SummaryOf, View};
pub(crate) use stages::{OwnRun, Stage, Staged, complete_stages, report_stages};
pub use start::{Executed, complete, execute_watched};
pub use study::{Review, Study, conclude, review};
pub use tasks::{TaskList, Tasks};
