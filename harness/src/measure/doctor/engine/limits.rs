//! Checks of limits: nodes, depth, time per move, and short clocks.

use std::time::Duration;

use super::support::{CASTLES, CheckedSearch, LATE, MIDDLE, Outcome, START, bad, checked, good, ms, note};
use crate::uci::{Engine, UciError};

pub(super) fn nodes(engine: &mut Engine) -> Outcome {
    let answer = match checked(engine, MIDDLE, "go nodes 20000") {
        Ok(CheckedSearch::Legal(answer)) => answer,
        Ok(CheckedSearch::Illegal(message)) => return bad(message),
        Err(UciError::Timeout { .. }) => {
            return bad(format!(
                "does not keep to `go nodes`: still searches after {} s, and hangs a match at fixed nodes",
                engine.answer_limit().as_secs_f64()
            ));
        }
        Err(error) => return Err(error),
    };
    match answer.report.nodes {
        None => note("reports no nodes; matches at fixed nodes cannot be checked"),
        Some(nodes) if !(10_000..=25_000).contains(&nodes) => bad(format!(
            "ignores `go nodes`: searched {nodes} nodes where 20000 were asked for; matches and measurements at \
             fixed nodes mean nothing"
        )),
        Some(nodes) => good(format!("{nodes} nodes where 20000 were asked for")),
    }
}

pub(super) fn depth(engine: &mut Engine) -> Outcome {
    match checked(engine, MIDDLE, "go depth 4")? {
        CheckedSearch::Legal(answer) => good(format!("depth 4 in {:.0} ms", ms(answer.elapsed))),
        CheckedSearch::Illegal(message) => bad(message),
    }
}

pub(super) fn movetime(engine: &mut Engine) -> Outcome {
    let (mut latest, mut short) = (Duration::ZERO, 0);
    for fen in [MIDDLE, START, CASTLES] {
        match checked(engine, fen, "go movetime 100")? {
            CheckedSearch::Legal(answer) => {
                latest = latest.max(answer.elapsed);
                short += u32::from(answer.elapsed < Duration::from_millis(50));
            }
            CheckedSearch::Illegal(message) => return bad(message),
        }
    }
    let late = latest.saturating_sub(Duration::from_millis(100));
    let message = format!("answers within {:.1} ms when given 100", ms(latest));
    if short >= 2 {
        return bad(format!(
            "ignores `go movetime`: {message}, and in {short} of 3 searches in less than half of it"
        ));
    }
    if late > LATE { bad(format!("{message}: in a match this is a loss on time")) } else { good(message) }
}

pub(super) fn short_of_time(engine: &mut Engine) -> Outcome {
    // One clock only, the other first, and hardly any time: a missing clock counts as equal, a missing increment as zero.
    for (fen, go, left) in [
        (MIDDLE, "go wtime 100", 100),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", "go btime 100", 100),
        (MIDDLE, "go btime 100 binc 100 wtime 100 winc 100", 100),
        (MIDDLE, "go wtime 20 btime 20 winc 10 binc 10", 20),
        (MIDDLE, "go wtime 1 btime 1", 1),
        (MIDDLE, "go wtime 300 btime 300 movestogo 1", 300),
    ] {
        let answer = match checked(engine, fen, go)? {
            CheckedSearch::Legal(answer) => answer,
            CheckedSearch::Illegal(message) => return bad(message),
        };
        if answer.elapsed > Duration::from_millis(left) + LATE {
            return bad(format!("took {:.1} ms after `{go}`", ms(answer.elapsed)));
        }
    }
    good("in time with 300, 100, 20 and 1 ms on the clock")
}
