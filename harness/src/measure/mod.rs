//! Measurements over fixed positions: benchmarks, thread scaling, ablations, suites, and the fitness of machine and engines.

pub mod ablate;
pub mod bench;
pub mod doctor;
pub mod equivalence;
pub mod instructions;
pub mod replay;
pub mod searches;
pub mod slow;
pub mod smp;
pub mod suite;
