//! The exit code of a match or test that is finished.

use std::process::ExitCode;

use clap::ValueEnum;

use super::MatchSummary;
use crate::run::command::fail;
use stretto_stats::bounds::Verdict;

/// The hypothesis that a caller expects to be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Expect {
    /// H1: the first engine is better.
    H1,
    /// H0: it is not.
    H0,
}

/// Returns the exit code of a match or test that is finished: 1 if wrong PVs stop it or another verdict was expected.
pub(super) fn wrong_pvs_or_verdict(
    summary: &MatchSummary,
    strict_pv: bool,
    expect: Option<Expect>,
) -> ExitCode {
    if strict_pv && !summary.wrong_pvs.is_empty() {
        return fail(1, &"engines reported wrong PVs, and strict_pv is set");
    }
    exit_code(summary.decision.map(|decision| decision.verdict), expect, &summary.verdict_text())
}

/// Returns the exit code of a test: 1 if another verdict was expected. `text` is the verdict in
/// words.
pub(super) fn exit_code(verdict: Option<Verdict>, expect: Option<Expect>, text: &str) -> ExitCode {
    let (name, expected) = match expect {
        None => return ExitCode::SUCCESS,
        Some(Expect::H1) => ("H1", Verdict::AcceptH1),
        Some(Expect::H0) => ("H0", Verdict::AcceptH0),
    };
    if verdict == Some(expected) {
        return ExitCode::SUCCESS;
    }
    fail(1, &format!("expected {name} to be accepted, found: {text}"))
}
