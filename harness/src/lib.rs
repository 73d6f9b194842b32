//! The harness: matches, statistics and benchmarks for any UCI engines.
//!
//! The layers, each importing only from its left: `units, cancel, cpus, stolen, crew, epd, pgn, instructions → stats,
//! openings, training_data, tablebase → config → uci_client, store → referee, schedule, verdict, plan, opening_maker,
//! book → runner → searches → suite, smp, bench, screening, openbench → ablation, tune_eval, doctor, datagen, train,
//! claims → progress, report → cli`.
//!
//! A test travels like this: `cli` loads the configuration, `runner` hands out pairs of games by `schedule` to its
//! workers, each plays them through `uci_client` under `referee`, every finished game goes to the journal of
//! `store`, and `verdict` looks at the statistics after each pair.

pub mod ablation;
pub mod bench;
pub mod book;
pub mod cancel;
pub mod claims;
pub mod cli;
pub mod config;
pub mod cpus;
pub mod crew;
pub mod datagen;
pub mod doctor;
pub mod epd;
pub mod equivalence;
pub mod instructions;
pub mod openbench;
pub mod opening_maker;
pub mod openings;
pub mod pgn;
pub mod plan;
pub mod progress;
pub mod referee;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod screening;
pub mod searches;
pub mod smp;
pub mod stats;
pub mod stolen;
pub mod store;
pub mod suite;
pub mod tablebase;
pub mod train;
pub mod training_data;
pub mod tune;
pub mod tune_eval;
pub mod uci_client;
pub mod units;
pub mod verdict;
