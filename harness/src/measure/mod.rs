//! Measurements on fixed positions (benchmarks, thread scaling, ablations, test suites, instruction
//! counts), node odds, and checks of the machine and the engines.

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
