//! Compares two suite runs over the same positions with the two-sided sign test.
//!
//! `--compare` uses it.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::load::Task;
use super::record::PositionRecord;
use crate::base::errors::FileResult;
use crate::run::read_journal;
use stretto_stats::proportion::sign_test;
use stretto_stats::units::Share;

/// A position that only one of the two runs solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Change {
    /// Name of the EPD file.
    pub file: String,
    /// Line number in the file, from 1.
    pub line: usize,
    /// The EPD's `id`, or `line N`.
    pub id: String,
    /// Expected answer, such as `bm Qg6`.
    pub expected: String,
    /// Answer of the other run.
    pub before: String,
    /// Answer of this run.
    pub after: String,
}

/// The comparison of this run with another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// The folder of the other run, with its engine and limit.
    pub other: String,
    /// Number of positions in both runs.
    pub common: u64,
    /// Solved by this run only.
    pub gained: Vec<Change>,
    /// Solved by the other run only.
    pub lost: Vec<Change>,
    /// Points of the common positions, of the other run and of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<(u64, u64)>,
    /// p-value of the two-sided sign test on gained and lost positions.
    pub p_value: Share,
}

/// The positions of another run, to compare with.
#[derive(Clone, Debug)]
pub(crate) struct Baseline {
    /// The folder of the run, with its engine and limit.
    name: String,
    /// By FEN and expected answer, in the order of the suite.
    records: HashMap<(String, String), Vec<PositionRecord>>,
}

impl Baseline {
    /// Reads the run at `other`: its folder, or its summary or journal.
    pub(crate) fn read(other: &Path) -> anyhow::Result<Self> {
        // If the run does not exist, the error shows the given name and not one of its files.
        let metadata = std::fs::metadata(other).or_cannot("read", other)?;
        let folder = if metadata.is_dir() { other } else { other.parent().unwrap_or(other) };
        let mut records: HashMap<_, Vec<PositionRecord>> = HashMap::new();
        read_journal(&folder.join("journal.jsonl"), |record: PositionRecord| {
            records.entry((record.fen.clone(), record.expected.clone())).or_default().push(record);
            Ok(())
        })?;
        for equal in records.values_mut() {
            equal.sort_by_key(|record| record.index);
        }
        Ok(Self { name: format!("{}{}", folder.display(), described(folder)), records })
    }

    /// Whether the other run has one of these positions.
    pub(crate) fn has_any(&self, tasks: &[Task]) -> bool {
        tasks.iter().any(|task| self.records.contains_key(&(task.fen.clone(), task.expectation.text())))
    }

    /// Compares `records` with the other run.
    pub(crate) fn compare(&self, records: &[PositionRecord]) -> Comparison {
        let mut records: Vec<&PositionRecord> = records.iter().collect();
        records.sort_by_key(|record| record.index);
        let (mut gained, mut lost, mut common, mut points) = (Vec::new(), Vec::new(), 0, None);
        let mut seen: HashMap<_, usize> = HashMap::new();
        for after in records {
            // Suites overlap: of equal positions the first is compared with the first.
            let key = (after.fen.clone(), after.expected.clone());
            let place = seen.entry(key.clone()).or_default();
            let before = self.records.get(&key).and_then(|equal| equal.get(*place));
            *place += 1;
            let Some(before) = before else { continue };
            common += 1;
            if let (Some(b), Some(a)) = (before.points, after.points) {
                let (b_sum, a_sum) = points.unwrap_or((0, 0));
                points = Some((b_sum + u64::from(b), a_sum + u64::from(a)));
            }
            match (before.solved, after.solved) {
                (false, true) => gained.push(change(before, after)),
                (true, false) => lost.push(change(before, after)),
                _ => {}
            }
        }
        let p_value = sign_test(gained.len() as u64, lost.len() as u64);
        Comparison { other: self.name.clone(), common, gained, lost, points, p_value }
    }
}

impl Comparison {
    /// Formats the comparison as text.
    pub(crate) fn report(&self) -> String {
        let mut text = String::new();
        let (gained, lost) = (self.gained.len(), self.lost.len());
        let _ = writeln!(
            text,
            "against {}: {} positions in both, {gained} gained, {lost} lost (sign test: p = {:.3})",
            self.other, self.common, self.p_value.0
        );
        if let Some((before, after)) = self.points {
            let change = after.cast_signed() - before.cast_signed();
            let _ = writeln!(text, "  points {before} before, {after} now ({change:+})");
        }
        for (word, changes) in [("gained", &self.gained), ("lost  ", &self.lost)] {
            for change in changes {
                let Change { file, line, id, expected, before, after } = change;
                let _ =
                    writeln!(text, "  {word} {file}:{line} {id} ({expected}): {after} instead of {before}");
            }
        }
        text
    }
}

/// Returns ` (engine, limit)` of the run in `folder`; empty if its summary lacks them.
fn described(folder: &Path) -> String {
    let summary = std::fs::read(folder.join("summary.json")).unwrap_or_default();
    let summary: Value = serde_json::from_slice(&summary).unwrap_or_default();
    match (summary["engine"].as_str(), summary["limit"].as_str()) {
        (Some(engine), Some(limit)) => format!(" ({engine}, {limit})"),
        _ => String::new(),
    }
}

fn change(before: &PositionRecord, after: &PositionRecord) -> Change {
    Change {
        file: after.file.clone(),
        line: after.line,
        id: after.id.clone(),
        expected: after.expected.clone(),
        before: before.found(),
        after: after.found(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::suite::record::tests::sample;

    #[test]
    fn a_run_that_is_not_there_is_named() {
        let error = Baseline::read(Path::new("no-such-run")).unwrap_err().to_string();
        assert!(error.starts_with("cannot read no-such-run: "), "{error}");
    }

    #[test]
    fn gained_and_lost_are_told_apart() {
        let record = |index, solved, points| PositionRecord {
            solved,
            points: Some(points),
            san: Some(if solved { "e4" } else { "e3" }.to_owned()),
            fen: format!("fen {index}"),
            ..sample(index)
        };
        let before = [record(0, true, 10), record(1, false, 3), record(2, true, 10), record(7, true, 10)];
        let before: HashMap<_, _> =
            before.map(|record| ((record.fen.clone(), record.expected.clone()), vec![record])).into();
        let after = [record(2, true, 10), record(1, true, 10), record(0, false, 0), record(5, true, 9)];
        let found = Baseline { name: "old".to_owned(), records: before }.compare(&after);
        assert_eq!((found.common, found.points), (3, Some((23, 20))));
        assert_eq!(found.p_value, Share(1.0));
        let text = found.report();
        assert!(text.contains("3 positions in both, 1 gained, 1 lost (sign test: p = 1.000)"), "{text}");
        assert!(text.contains("  gained x.epd:2 T.1 (bm e4): e4 instead of e3"), "{text}");
        assert!(text.contains("  lost   x.epd:1 T.0 (bm e4): e3 instead of e4"), "{text}");
        assert!(text.contains("  points 23 before, 20 now (-3)"), "{text}");
    }

    #[test]
    fn equal_positions_are_compared_in_their_order() {
        let record = |index, solved| PositionRecord { index, solved, fen: "fen".to_owned(), ..sample(index) };
        let run = [record(0, true), record(1, false), record(2, true)];
        let key = (run[0].fen.clone(), run[0].expected.clone());
        let baseline = Baseline { name: "old".to_owned(), records: [(key, run.to_vec())].into() };
        let found = baseline.compare(&run);
        assert_eq!((found.common, found.gained.len(), found.lost.len()), (3, 0, 0));
    }
}
