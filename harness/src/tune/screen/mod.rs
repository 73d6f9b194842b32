//! Screening: estimates the main effects of many settings of an engine from the same games.
//!
//! A screening is a match of an engine against itself in which every pair of games has different
//! settings: for each tested setting (a factor), a random sign decides which side has it. Every
//! pair informs about every factor, so n factors need as many games as one factor in separate
//! matches would. The effect of a factor is its mean over the states of the others (main effect).
//! Two-factor interactions cancel, since the sides of a pair are opposites.
//!
//! The runner plays and stores the games; this module provides the settings (`OptionSource`) and
//! the analysis (`stats::effects`). All state is computed from the games, so an interrupted run
//! resumes exactly.
//!
//! Source: G. E. P. Box and K. B. Wilson, "On the experimental attainment of optimum conditions"
//! (1951), for fold-over designs; F. E. Satterthwaite, "Random balance experimentation" (1959), for
//! random designs.

mod report;
pub(crate) mod run;
mod screening;

pub(crate) use report::screen_report;
#[cfg(test)]
pub(crate) use screening::Factor;
pub(crate) use screening::{FactorEstimate, Screening, ScreeningStanding, factors};
