//! A match as a stage of a larger run, in a folder of its own.

use super::{Equipment, MatchPlay, MatchStudy, MatchSummary};
use crate::run::executor::{Stage, Staged};

/// Returns the stage of a match in this folder. `equipment` finds the equipment in the resources of the run, and `fold`
/// adds the summary to the results.
pub(crate) fn match_stage<'a, T: Staged>(
    folder: &str,
    study: MatchStudy,
    equipment: impl FnOnce(&T::Kit) -> &Equipment + 'a,
    fold: impl FnOnce(&mut T::Results, MatchSummary) + 'a,
) -> Stage<'a, T> {
    let equip = |study, kit: &T::Kit| MatchPlay::new(study, equipment(kit).clone());
    Stage::new::<MatchPlay>(Some(folder.to_owned()), study, equip, fold)
}
