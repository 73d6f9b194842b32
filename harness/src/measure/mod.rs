//! Measurements on fixed positions (benchmarks, thread scaling, ablations, test suites), node odds, and checks of the machine and the engines.

pub(crate) mod ablate;
pub(crate) mod bench;
pub(crate) mod doctor;
pub(crate) mod equivalence;
pub(crate) mod replay;
pub(crate) mod searches;
pub(crate) mod smp;
pub(crate) mod suite;
