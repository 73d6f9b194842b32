//! The workshop: opening books, endgame tables, networks, the evaluation tuner, and the claims of the texts that Stretto grew
//! from.
//!
//! The layers, each importing only from its left: `endgames → tune_eval → eval_error → learn → books → claims → cli`. Runs, reports,
//! configurations and engines are those of the harness.

mod books;
mod claims;
mod cli;
mod endgames;
mod eval_error;
mod learn;
mod tune_eval;

pub use cli::main;

/// Configurations of the kinds of run.
pub mod configs {
    pub use crate::books::opening_set::OpeningSetConfig;
    pub use crate::tune_eval::TuneEvalConfig;
}

/// Readers of the games of PGN files.
pub mod games {
    pub use crate::books::read_pgn;
    pub use crate::tune_eval::read_games;
}

/// Inspection of Polyglot books.
pub mod polyglot {
    pub use crate::books::{DumpOptions, dump, info};
}

/// Reader of Gaviota's endgame tables.
pub mod tables {
    pub use crate::endgames::count_illegal;
}

/// Games for training and the configurations of datagen and train.
pub mod training {
    pub use crate::learn::data::{Filter, GameReader, PlayedGame, Sample};
    pub use crate::learn::datagen::DatagenConfig;
    pub use crate::learn::train::TrainConfig;
}
