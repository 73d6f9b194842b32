//! `games.pgn` and `final.epd`: files that follow the journal game by game, and are rewritten from
//! it whenever a run is resumed. The files of the section `output` receive each new game once.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Execution, MatchConfig, Outputs};
use crate::config::Limits;
use crate::play::pgn::PgnContext;
use crate::play::record::GameRecord;
use crate::run::executor::CompanionFiles;
use crate::run::session::folder_name;
use crate::run::{AtomicFile, RunFolder, StoreError};

/// One file: under construction while the journal is replayed, then appended to.
#[derive(Debug)]
struct Export {
    path: PathBuf,
    new: Option<AtomicFile>,
    file: Option<File>,
}

impl Export {
    fn begin(path: PathBuf) -> Result<Self, StoreError> {
        match AtomicFile::create(&path) {
            Ok(new) => Ok(Self { path, new: Some(new), file: None }),
            Err(error) => Err(StoreError::io("write", &path, error)),
        }
    }

    /// Puts the new file in the place of the old one, and goes on with it.
    fn follow(&mut self) -> Result<(), StoreError> {
        let commit = self.new.take().map_or(Ok(()), AtomicFile::commit);
        let opened = commit.and_then(|()| OpenOptions::new().append(true).open(&self.path));
        self.file = Some(opened.map_err(|error| StoreError::io("write", &self.path, error))?);
        Ok(())
    }

    fn write(&mut self, text: &str) -> Result<(), StoreError> {
        let written = match (&mut self.new, &mut self.file) {
            (Some(new), _) => new.write_all(text.as_bytes()),
            (None, Some(file)) => file.write_all(text.as_bytes()),
            (None, None) => Ok(()),
        };
        written.map_err(|error| StoreError::io("write", &self.path, error))
    }
}

/// The exports of a match.
#[derive(Debug)]
pub(crate) struct GameExports {
    context: PgnContext,
    pgn: Export,
    /// The final positions, where they are wanted.
    epd: Option<Export>,
    /// Further files, which receive the games of this session.
    outputs: Option<Arc<Outputs>>,
}

impl GameExports {
    /// Begins new files in `folder`.
    pub(super) fn begin(
        config: &MatchConfig,
        execution: &Execution,
        folder: &RunFolder,
        outputs: Option<Arc<Outputs>>,
    ) -> Result<Self, StoreError> {
        let players = config.engines.iter().map(|engine| (engine.name.clone(), engine.limits));
        let players: Vec<(String, Limits)> = players.collect();
        let event = folder_name(folder.path());
        let context = PgnContext { event, players, variant: config.variant, fields: config.pgn.clone() };
        let pgn = Export::begin(folder.games())?;
        let epd = execution.epd.then(|| Export::begin(folder.final_positions())).transpose()?;
        Ok(Self { context, pgn, epd, outputs })
    }

    fn write(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.pgn.write(&self.context.game(game))?;
        match &mut self.epd {
            Some(epd) => epd.write(&self.context.final_position(game)),
            None => Ok(()),
        }
    }
}

impl CompanionFiles<GameRecord> for GameExports {
    type Payload = ();

    fn replay(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.write(game)
    }

    fn resume(&mut self) -> Result<(), StoreError> {
        self.pgn.follow()?;
        self.epd.as_mut().map_or(Ok(()), Export::follow)
    }

    fn write_after(&mut self, game: &GameRecord) -> Result<(), StoreError> {
        self.write(game)?;
        let Some(outputs) = &self.outputs else { return Ok(()) };
        if let Some(pgn) = &outputs.pgn {
            pgn.write(&self.context.game(game))?;
        }
        outputs.epd.as_ref().map_or(Ok(()), |epd| epd.write(&self.context.final_position(game)))
    }
}
