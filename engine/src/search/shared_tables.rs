//! Tables that the threads of a group share: histories and corrections.
//!
//! [`Teamwork`](super::Teamwork) sets which of them are shared; the other tables belong to one
//! worker. All entries are relaxed atomics, so sharing needs no lock.

use std::sync::{Arc, OnceLock};

use super::heuristics::correction_history::CorrectionMemory;
use super::heuristics::history::memory::HistoryMemory;
use crate::memory::check_headroom;
use crate::sync::coherence::Watched;
use crate::threads::groups::Groups;

/// The tables of all groups of an engine's threads.
pub(crate) struct SharedTables {
    groups: Groups,
    /// Whether there is room for the pawn histories of all threads of a group.
    has_pawn: bool,
    tables: Vec<GroupTables>,
    /// The corrections of all threads for whose own there is no memory.
    spare_corrections: OnceLock<Arc<CorrectionMemory>>,
}

/// The tables of one group, created on first use by one of its threads.
#[derive(Default)]
struct GroupTables {
    /// `None` inside if the system refused the memory.
    histories: OnceLock<Option<HistoryMemory>>,
    /// `None` inside if the system refused the memory.
    corrections: OnceLock<Option<Arc<CorrectionMemory>>>,
}

impl SharedTables {
    /// Prepares the tables of these groups. With `has_pawn` they have room for pawn histories.
    pub(crate) fn new(groups: Groups, has_pawn: bool) -> Self {
        let tables = groups.sizes.iter().map(|_| GroupTables::default()).collect();
        Self { groups, has_pawn, tables, spare_corrections: OnceLock::new() }
    }

    /// Whether these are tables of such groups, with or without pawn histories.
    pub(crate) fn are_of(&self, groups: &Groups, has_pawn: bool) -> bool {
        self.groups == *groups && self.has_pawn == has_pawn
    }

    /// Returns fresh tables for the same groups.
    pub(crate) fn renewed(&self) -> Self {
        Self::new(self.groups.clone(), self.has_pawn)
    }

    /// Returns the histories of a worker's group. `None` if it is the only worker of its group, or if
    /// the memory does not suffice: the workers then keep their own.
    pub(crate) fn histories(&self, worker: usize) -> Option<&HistoryMemory> {
        let (tables, size) = self.of(worker);
        if size == 1 {
            return None;
        }
        let pawn_threads = if self.has_pawn { size } else { 1 };
        let new = || {
            // Histories are dispensable, so the corrections come first.
            self.corrections(worker);
            HistoryMemory::new(pawn_threads).ok().filter(|_| check_headroom().is_ok())
        };
        tables.histories.get_or_init(new).as_ref()
    }

    /// Returns the correction history of a worker's group, or the spare one if the memory does not
    /// suffice.
    pub(crate) fn corrections(&self, worker: usize) -> Arc<CorrectionMemory> {
        let (tables, size) = self.of(worker);
        let new = || CorrectionMemory::new(size).ok().filter(|_| check_headroom().is_ok()).map(Arc::new);
        tables.corrections.get_or_init(new).as_ref().map_or_else(|| self.spare_corrections(), Arc::clone)
    }

    /// Returns a correction history of the size for one thread, which all threads share that have no
    /// memory for another.
    pub(crate) fn spare_corrections(&self) -> Arc<CorrectionMemory> {
        let new = || Arc::new(CorrectionMemory::new(1).expect("less than the headroom left by each check"));
        Arc::clone(self.spare_corrections.get_or_init(new))
    }

    /// Returns the names and addresses of the tables of all groups, table by table.
    pub(crate) fn watched(&self) -> Vec<Watched> {
        let mut tables: Vec<Watched> = Vec::new();
        for worker in 0..self.groups.of_thread.len() {
            let histories = self.histories(worker).map(|memory| memory.histories().watched());
            for (name, parts) in
                histories.into_iter().flatten().chain([self.corrections(worker).history().watched()])
            {
                match tables.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) if known.contains(&parts[0]) => {}
                    Some((_, known)) => known.extend(parts),
                    None => tables.push((name, parts)),
                }
            }
        }
        tables
    }

    /// Resets the tables of all groups.
    pub(crate) fn clear(&mut self) {
        for GroupTables { histories, corrections } in &mut self.tables {
            match histories.get_mut() {
                Some(Some(histories)) => histories.clear(),
                _ => *histories = OnceLock::new(),
            }
            // Idle workers hold no reference.
            match corrections.get_mut().and_then(|corrections| corrections.as_mut().map(Arc::get_mut)) {
                Some(Some(corrections)) => corrections.clear(),
                _ => *corrections = OnceLock::new(),
            }
        }
        self.spare_corrections = OnceLock::new();
    }

    fn of(&self, worker: usize) -> (&GroupTables, usize) {
        let group = self.groups.of_thread[worker];
        (&self.tables[group], self.groups.sizes[group])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::search::heuristics::correction_history::CorrectionKeys;
    use crate::search::heuristics::history::context::{Cutoff, HistoryContext, PLIES_BACK};
    use crate::search::heuristics::history::histories::Histories;
    use crate::search::heuristics::piece_to::PieceTo;
    use crate::search::switches::{Fixed, Settings, Switch};
    use crate::types::{Depth, Move, Score};

    /// Two groups: workers 0 to 16, and 17 to 32.
    fn two_groups() -> SharedTables {
        SharedTables::new(Groups::of(&[None; 33]), true)
    }

    fn of_group(tables: &SharedTables, worker: usize) -> Histories<'_> {
        tables.histories(worker).expect("memory for a group").histories()
    }

    /// A position with an earlier move, so that all histories learn.
    fn node() -> (Position, HistoryContext, Move) {
        let start = Position::startpos();
        let mv = start.quiets()[0];
        let before = [PieceTo::of(&start, mv); PLIES_BACK.len()];
        let position = start.after(mv);
        (position, HistoryContext::of(&position, before), position.quiets()[0])
    }

    /// Replaces tables of the first histories by those of the second.
    type Share = for<'a> fn(Histories<'a>, Histories<'a>) -> Histories<'a>;

    /// Teaches a cutoff to worker 0. Returns the score of its move for `worker` and for worker 0,
    /// each with its own histories except for the tables that `share` takes from the group.
    fn taught(worker: usize, share: Share) -> [i32; 2] {
        let tables = two_groups();
        let (position, context, mv) = node();
        let own = [(); 2].map(|()| HistoryMemory::new(1).expect("some memory"));
        let both = [(worker, &own[0]), (0, &own[1])]
            .map(|(worker, own)| share(own.histories(), of_group(&tables, worker)));
        let cutoff = Cutoff { best: mv, quiets: &[], captures: &[], depth: Depth(9) };
        both[1].learn_cutoff(Fixed, &position, &context, cutoff);
        both.map(|histories| histories.quiet_score(Fixed, &position, &context)(mv))
    }

    #[test]
    fn shared_histories_reach_the_threads_of_the_group_only() {
        let shares: [Share; 4] = [
            |own, group| own.with_pawn_of(group),
            |own, group| own.with_continuation_of(group),
            |own, group| own.with_butterfly_of(group),
            |own, group| own.with_pawn_of(group).with_continuation_of(group).with_butterfly_of(group),
        ];
        let found = shares.map(|share| taught(16, share));
        let [[pawn, all], [continuation, _], [butterfly, _], [together, _]] = found;
        assert!(pawn > 0 && continuation > 0 && butterfly > 0, "{found:?}");
        assert!(
            pawn + continuation + butterfly == all && together == all,
            "nothing else is shared: {found:?}"
        );
        for share in shares {
            assert_eq!(taught(17, share), [0, all], "another group");
        }
    }

    #[test]
    fn corrections_reach_the_threads_of_the_group_only() {
        let settings = Settings::default().with(Switch::PawnCorrection, true);
        let keys = CorrectionKeys::of(&Position::startpos(), [PieceTo::NONE; 2]);
        let tables = two_groups();
        tables.corrections(0).history().learn(&settings, &keys, Depth(9), Score(90), Score(0));
        let corrections =
            [0, 16, 17].map(|worker| tables.corrections(worker).history().correction(&settings, &keys));
        assert!(
            corrections[0] > 0 && corrections[1] == corrections[0] && corrections[2] == 0,
            "{corrections:?}"
        );
    }

    #[test]
    fn a_worker_without_company_keeps_its_own_histories() {
        let tables = SharedTables::new(Groups::of(&[Some(0), Some(1), Some(1)]), false);
        assert_eq!([0, 1, 2].map(|worker| tables.histories(worker).is_some()), [false, true, true]);
    }

    #[test]
    fn cleared_tables_have_forgotten_everything() {
        let mut tables = two_groups();
        let (position, context, mv) = node();
        let cutoff = Cutoff { best: mv, quiets: &[], captures: &[], depth: Depth(9) };
        of_group(&tables, 20).learn_cutoff(Fixed, &position, &context, cutoff);
        tables.clear();
        assert_eq!(of_group(&tables, 20).quiet_score(Fixed, &position, &context)(mv), 0);
    }
}
