//! One search with the limit of the games before the first of them.
//!
//! An engine that does not know `go depth` or `go nodes` searches without end and would hang in every game, or it searches as
//! long as it likes. The process of the trial plays no game, so the trial changes no result.

use std::time::Duration;

use crate::config::Limits;
use crate::uci::{Engine, SearchAnswer, UciError, go_line};

/// A middlegame, so that no opening book answers.
const POSITION: &str = "3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";
/// Time from which a search beyond its limit shows that the limit is unknown. Shorter ones may check it seldom.
const LONG: Duration = Duration::from_millis(500);
/// Time to wait for the answer to `stop`.
const STOP_TIME: Duration = Duration::from_secs(2);

/// Searches once with the limit of nodes or depth. Returns the limits that the engine does not seem to know, such as
/// "`go depth`", and the reason; `None` if it keeps to them. Limits of time are not tried: the games measure them.
///
/// Errors: only [`UciError::Cancelled`]. The games record a crash.
pub(super) fn unknown_limit(
    engine: &mut Engine,
    limits: &Limits,
) -> Result<Option<(String, String)>, UciError> {
    if limits.is_timed() || limits.is_empty() {
        return Ok(None);
    }
    let go = go_line(limits);
    let limit = engine.answer_limit();
    let reason = match engine.search(&format!("position fen {POSITION}\n{go}\n"), limit) {
        Ok(answer) => excess(limits, &answer),
        Err(UciError::Timeout { .. }) => {
            let has_stopped = engine.stop(limit.min(STOP_TIME)).is_ok();
            let then = if has_stopped { ", but one after `stop`" } else { ", nor after `stop`" };
            Some(format!("no bestmove within {} s{then}", limit.as_secs_f64()))
        }
        Err(UciError::Cancelled) => return Err(UciError::Cancelled),
        Err(_) => None,
    };
    let names = [limits.nodes.map(|_| "`go nodes`"), limits.depth.map(|_| "`go depth`")];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    Ok(reason.map(|reason| (names.join(" or "), format!("after `{go}` {reason}"))))
}

/// Describes a search far beyond its limit.
fn excess(limits: &Limits, answer: &SearchAnswer) -> Option<String> {
    let report = &answer.report;
    let is_above = |used: Option<u64>, most: Option<u64>| used.zip(most).filter(|(used, most)| used > most);
    let most_nodes = limits.nodes.map(|nodes| nodes.get().saturating_mul(10).saturating_add(100_000));
    let most_depth = limits.depth.map(|depth| 2 * u64::from(depth.get()) + 4);
    let found = is_above(report.nodes, most_nodes).map(|(nodes, _)| format!("{nodes} nodes")).or(is_above(
        report.depth.map(u64::from),
        most_depth,
    )
    .map(|(depth, _)| format!("depth {depth}")));
    let found = found.filter(|_| answer.elapsed >= LONG)?;
    Some(format!("it searched to {found} in {:.1} s", answer.elapsed.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroU64};

    use super::*;
    use crate::uci::SearchReport;

    #[test]
    fn long_searches_far_beyond_the_limit_are_described() {
        let nodes = Limits { nodes: NonZeroU64::new(1000), ..Limits::default() };
        let depth = Limits { depth: NonZeroU32::new(5), ..Limits::default() };
        let found = |limits: &Limits, nodes: u64, depth: u32, ms: u64| {
            let report = SearchReport { nodes: Some(nodes), depth: Some(depth), ..SearchReport::default() };
            let answer = SearchAnswer {
                best_move: "e2e4".to_owned(),
                ponder_move: None,
                elapsed: Duration::from_millis(ms),
                report,
                pv: String::new(),
                pv_line: String::new(),
            };
            excess(limits, &answer)
        };
        assert_eq!(found(&nodes, 110_001, 9, 500).unwrap(), "it searched to 110001 nodes in 0.5 s");
        assert_eq!(found(&depth, 9, 15, 1200).unwrap(), "it searched to depth 15 in 1.2 s");
        assert_eq!(found(&nodes, 110_000, 9, 500), None);
        assert_eq!(found(&depth, 999_999, 14, 500), None);
        assert_eq!(found(&depth, 9, 90, 499), None, "soon");
    }
}
