//! The run of the claims: one after the other, each finding on disk before the next claim is
//! begun.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CheckedClaim, Claim, Effort, claims, claims_report};
use stretto_harness::base::cancel::Cancel;
use stretto_harness::base::errors::Stop;
use stretto_harness::base::wording::plural;
use stretto_harness::report::Report;
use stretto_harness::run::console::{clock_time, length_bar};
use stretto_harness::run::executor::{OutboxOf, Play, Progress, Study, TaskList, Tasks, View};
use stretto_harness::run::stored::StoredRun;
use stretto_harness::run::{RunFolder, RunState};

/// The request, as the manifest keeps it for resuming.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ClaimsRequest {
    /// The names of the claims to check.
    pub claims: Vec<String>,
    /// The amount of work.
    pub effort: Effort,
}

/// Claims, as far as their findings are reported.
#[derive(Debug)]
pub(crate) struct ClaimsStudy {
    request: ClaimsRequest,
}

/// Claims to be checked.
#[derive(Debug)]
pub(crate) struct ClaimsPlay {
    study: ClaimsStudy,
    cancel: Cancel,
}

/// The claims checked so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimsState {
    /// In the order of the request.
    pub done: Vec<CheckedClaim>,
}

/// A claim to check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimTask {
    /// Index into the request.
    index: usize,
    /// Number of claims done after it.
    number: usize,
}

impl ClaimsPlay {
    /// Creates the run of a request. The claims must exist.
    pub(crate) fn new(request: ClaimsRequest, cancel: Cancel) -> Self {
        Self { study: ClaimsStudy { request }, cancel }
    }

    /// Returns a claim of the request.
    fn claim(&self, index: usize) -> &'static Claim {
        let name = &self.study.request.claims[index];
        let claim = claims().find(|claim| claim.id.eq_ignore_ascii_case(name));
        claim.expect("the names were checked before the run began")
    }
}

impl Study for ClaimsStudy {
    type Config = ClaimsRequest;
    type Record = CheckedClaim;
    type State = ClaimsState;
    type Summary = Vec<CheckedClaim>;

    fn rebuild(request: ClaimsRequest, _run: &StoredRun<'_>) -> anyhow::Result<Self> {
        Ok(Self { request })
    }

    fn state(&self) -> ClaimsState {
        ClaimsState::default()
    }

    fn check(&self, _state: &ClaimsState, checked: &CheckedClaim) -> Result<(), String> {
        let name = self.request.claims.get(checked.index as usize);
        if name.is_some_and(|name| name.eq_ignore_ascii_case(&checked.id)) {
            return Ok(());
        }
        Err(format!("claim {} is none of this run", checked.id))
    }

    fn take(&self, state: &mut ClaimsState, checked: &CheckedClaim) -> bool {
        let place = state.done.partition_point(|other| other.index < checked.index);
        state.done.insert(place, checked.clone());
        true
    }

    fn is_finished(&self, state: &ClaimsState) -> bool {
        state.done.len() >= self.request.claims.len()
    }

    fn summarize(&self, state: &ClaimsState, _run: RunState) -> Vec<CheckedClaim> {
        state.done.clone()
    }

    fn report(&self, state: &ClaimsState, _summary: &Vec<CheckedClaim>) -> Report {
        claims_report(&state.done, self.request.effort)
    }
}

impl Play for ClaimsPlay {
    const ITEM: &'static str = "claim";
    const LIVE_SUMMARY: bool = false;
    const STOPPING: &'static str =
        "stopping after the claim under way; press Ctrl-C again to exit at once and check it again on resume";

    type Study = ClaimsStudy;
    type Task = ClaimTask;
    type Worker<'a> = ();
    type Files = ();

    fn study(&self) -> &ClaimsStudy {
        &self.study
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn files(&self, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn tasks(&self, state: &ClaimsState) -> Box<dyn Tasks<ClaimTask>> {
        let is_missing = |index: &usize| state.done.iter().all(|checked| checked.index != *index as u64);
        let missing = (0..self.study.request.claims.len()).filter(is_missing);
        let number = |(place, index)| ClaimTask { index, number: state.done.len() + place + 1 };
        Box::new(TaskList::new(missing.enumerate().map(number).collect()))
    }

    fn worker(&self, _place: usize, _folder: &RunFolder) -> anyhow::Result<()> {
        Ok(())
    }

    fn perform(&self, _worker: &mut (), task: ClaimTask, outbox: &OutboxOf<'_, Self>) -> Result<(), Stop> {
        let claim = self.claim(task.index);
        let (all, elapsed) = (self.study.request.claims.len(), outbox.begun().elapsed().as_secs());
        let (number, id, statement) = (task.number, claim.id, claim.statement);
        outbox
            .notice(format!("checking {id}, claim {number} of {all}, begun after {elapsed} s: {statement}"));
        outbox.send(claim.examine(task.index, self.study.request.effort), (), None)
    }
}

impl View for ClaimsPlay {
    fn header(&self) -> String {
        let number = self.study.request.claims.len();
        let effort = self.study.request.effort.pick("quick", "full");
        // There is no ETA: a claim takes milliseconds or minutes, so the pace predicts nothing.
        let is_whole = self.study.request.effort == Effort::Full && number >= claims().count();
        let time = if is_whole { ", about 30 minutes of CPU time" } else { "" };
        format!("{number} {}, {effort} effort{time}", plural(number, "claim"))
    }

    fn started(&self, state: &ClaimsState) -> (Value, Option<String>) {
        (json!({ "claims": self.study.request.claims.len(), "done_before": state.done.len() }), None)
    }

    /// Returns none: every claim is announced when it is begun, and plain lines of progress would
    /// repeat that.
    fn units(&self, _state: &ClaimsState) -> u64 {
        0
    }

    fn live(&self, progress: &Progress<'_, ClaimsState>) -> String {
        let (done, all) = (progress.state.done.len() as u64, self.study.request.claims.len() as u64);
        format!("{}\nelapsed {}", length_bar(done, all, "claims"), clock_time(progress.elapsed))
    }

    fn line(&self, progress: &Progress<'_, ClaimsState>) -> String {
        format!("{} of {} claims", progress.state.done.len(), self.study.request.claims.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto_harness::run::executor::execute_watched;

    #[test]
    fn a_stopped_run_resumes_with_the_next_claim() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(&dir.path().join("run")).unwrap();
        let request = |names: &[&str]| {
            let claims = names.iter().map(|&name| name.to_owned()).collect();
            ClaimsPlay::new(ClaimsRequest { claims, effort: Effort::Quick }, Cancel::new())
        };
        let both = request(&["N1", "n3"]);
        let stopped = execute_watched(&both, &folder, |_| both.cancel.cancel()).unwrap();
        assert_eq!((stopped.run_state, stopped.summary.len()), (RunState::Interrupted, 1));
        let both = request(&["N1", "n3"]);
        let mut found = Vec::new();
        let whole = execute_watched(&both, &folder, |checked| found.push(checked.id.clone())).unwrap();
        let ids: Vec<&str> = whole.summary.iter().map(|checked| checked.id.as_str()).collect();
        assert_eq!(
            (whole.run_state, found, ids),
            (RunState::Finished, vec!["N3".to_owned()], vec!["N1", "N3"])
        );
        assert!(execute_watched(&request(&["N3"]), &folder, |_| {}).is_err(), "another run");
    }

    #[test]
    fn header_states_effort_and_time() {
        let header = |claims: Vec<String>, effort| {
            ClaimsPlay::new(ClaimsRequest { claims, effort }, Cancel::new()).header()
        };
        let all: Vec<String> = claims().map(|claim| claim.id.to_owned()).collect();
        let number = all.len();
        let expected = format!("{number} claims, full effort, about 30 minutes of CPU time");
        assert_eq!(header(all.clone(), Effort::Full), expected);
        assert_eq!(header(all, Effort::Quick), format!("{number} claims, quick effort"));
        assert_eq!(header(vec!["N1".to_owned()], Effort::Full), "1 claim, full effort");
    }
}
