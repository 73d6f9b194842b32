//! Whether the measured CPU time of an engine is that of its searches.

use crate::measure::searches::SearchRecord;

/// Share of the time of a search, which keeps at least one thread busy, below which its CPU time cannot be complete.
const LEAST_SHARE: f64 = 0.05;

/// Whether CPU time was measured that is far below the time of these searches: the work is done elsewhere.
pub(crate) fn is_incomplete<'a>(searches: impl IntoIterator<Item = &'a SearchRecord>) -> bool {
    let measured = searches.into_iter().filter_map(|search| Some((search.processor_us?, search.time_us)));
    let (mut used, mut taken, mut has_nothing) = (0, 0, false);
    for (processor_us, time_us) in measured {
        used += processor_us;
        taken += time_us;
        has_nothing |= processor_us == 0;
    }
    has_nothing || (used as f64) < LEAST_SHARE * taken as f64
}

/// Describes the engines whose CPU time is not shown.
pub(crate) fn line(engines: &[String]) -> Option<String> {
    let first = engines.first()?;
    let others = if engines.len() > 1 { format!(" and {} others", engines.len() - 1) } else { String::new() };
    Some(format!(
        "CPU time of {first}{others}: below 5 % of the time of the searches, or zero in some, so it is not compared; work on \
         other machines, on GPUs or in processes that the engine did not start is not measured"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::searches::record::sample_search;

    #[test]
    fn cpu_time_below_5_percent_is_incomplete() {
        let search = |processor_us, time_us| SearchRecord { time_us, processor_us, ..sample_search() };
        assert!(!is_incomplete(&[search(None, 1000)]), "not measured");
        assert!(!is_incomplete(&[search(Some(50), 1000)]));
        assert!(is_incomplete(&[search(Some(49), 1000)]));
        assert!(!is_incomplete(&[search(Some(10), 1000), search(Some(990), 1000)]), "a busy machine");
        assert!(is_incomplete(&[search(Some(0), 1000), search(Some(990), 1000)]), "steps are too coarse");
        assert!(line(&["a".to_owned()]).is_some_and(|line| line.starts_with("CPU time of a: below 5 %")));
    }
}
