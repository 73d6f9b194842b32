//! The result of a check.

use std::fmt;

use serde::Serialize;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    /// No problem was found.
    Good,
    /// Information for the user; no failure.
    Note,
    /// Distorts measurements or loses games.
    Bad,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "good",
            Self::Note => "note",
            Self::Bad => "BAD",
        })
    }
}

/// The checks of times, which other programs may spoil.
const TIMED: [&str; 9] = [
    "timer",
    "interruptions",
    "disk",
    "speed under load",
    "go movetime",
    "short of time",
    "go infinite, stop",
    "isready in a search",
    "ponder",
];
/// Load of other programs that is named. Units: permille of all processors.
const HIGH_LOAD: u32 = 100;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// Severity of the result.
    #[serde(rename = "grade")]
    pub severity: Severity,
    /// Description of the result, with advice.
    pub message: String,
}

impl Finding {
    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Good, message: message.into() }
    }

    pub(super) fn note(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Note, message: message.into() }
    }

    pub(super) fn bad(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, severity: Severity::Bad, message: message.into() }
    }

    /// Names the load of other programs beside a finding that it may have caused. Units: permille of all processors.
    pub(super) fn beside(mut self, load: impl FnOnce() -> Option<u32>) -> Self {
        if self.severity != Severity::Good
            && TIMED.contains(&self.check)
            && let Some(load) = load().filter(|&load| load >= HIGH_LOAD)
        {
            let end = self.message.find('\n').unwrap_or(self.message.len());
            let percent = f64::from(load) / 10.0;
            let text =
                format!("; perhaps because other programs used {percent:.0} % of the processors meanwhile");
            self.message.insert_str(end, &text);
        }
        self
    }
}

impl fmt::Display for Finding {
    /// Formats one line; further lines of the description are indented below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message.replace('\n', &format!("\n{:31}", ""));
        write!(f, "  {:4}  {:22} {message}", self.severity, self.check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_named_beside_findings_of_times_that_are_not_good() {
        let message = |finding: Finding, load| finding.beside(|| load).message;
        let late = || Finding::bad("short of time", "took 62.0 ms after `go wtime 1`\n> go wtime 1");
        assert_eq!(
            message(late(), Some(866)),
            "took 62.0 ms after `go wtime 1`; perhaps because other programs used 87 % of the processors meanwhile\n> go wtime 1"
        );
        for (finding, load) in [
            (late(), Some(99)),
            (late(), None),
            (Finding::good("short of time", "in time"), Some(866)),
            (Finding::bad("castling", "not legal"), Some(866)),
        ] {
            let before = finding.message.clone();
            assert_eq!(message(finding, load), before);
        }
    }
}
