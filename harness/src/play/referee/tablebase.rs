//! Adjudication of games by endgame tables.
//!
//! Tables are Syzygy files or generated DTM tables. The latter need no files: they are generated when
//! the match begins.

use std::fmt;
use std::path::PathBuf;

use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position};
use shakmaty_syzygy::{Tablebase, Wdl};
use stretto::tablebase::{Metric, Outcome};
use stretto::types::FIFTY_MOVES;
use thiserror::Error;

use crate::base::cancel::Cancel;
use crate::endgames::{GenerateError, Tables as DtmTables};
use crate::play::adjudication::{TableResults, TablesConfig};
use crate::play::record::{GameResult, Side};

/// Failure to open or generate tables.
#[derive(Debug, Error)]
pub(crate) enum TablesError {
    /// A folder cannot be read.
    #[error("`{}`: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    /// Tables could not be generated.
    #[error(transparent)]
    Own(#[from] GenerateError),
    /// A folder without a table.
    #[error("`{}` holds no Syzygy tables (*.rtbw, *.rtbz)", path.display())]
    Empty { path: PathBuf },
}

/// Origin of the tables.
enum Source {
    Syzygy(Tablebase<Chess>),
    /// Generated tables of up to `pieces` pieces.
    Generated {
        tables: DtmTables,
        pieces: usize,
    },
}

/// Tables and the rules of adjudication.
pub(crate) struct Tables {
    source: Source,
    config: TablesConfig,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Tables {
    /// Finds Syzygy tables, which are opened when first probed, or generates tables.
    pub(crate) fn open(config: &TablesConfig, cancel: &Cancel) -> Result<Self, TablesError> {
        if let Some(pieces) = config.own {
            let pieces = pieces.get() as usize;
            let source = Source::Generated { tables: DtmTables::up_to(pieces, Metric::Dtm, cancel)?, pieces };
            return Ok(Self { source, config: config.clone() });
        }
        let mut tables = Tablebase::new();
        for path in &config.syzygy {
            let found = tables
                .add_directory(path)
                .map_err(|error| TablesError::Read { path: path.clone(), error })?;
            if found == 0 {
                return Err(TablesError::Empty { path: path.clone() });
            }
        }
        Ok(Self { source: Source::Syzygy(tables), config: config.clone() })
    }

    /// Returns the result of best play, if the tables contain the position and may adjudicate it.
    ///
    /// The fifty-move rule applies unless the configuration ignores it. Positions whose result
    /// depends on the fifty-move counter in an unknown way are not adjudicated.
    pub(super) fn result(&self, position: &Chess) -> Option<GameResult> {
        let pieces = position.board().occupied().count();
        if self.config.pieces.is_some_and(|most| pieces > most.get() as usize) {
            return None;
        }
        let score = match &self.source {
            Source::Syzygy(tables) => self.syzygy_score(tables, position, pieces)?,
            Source::Generated { tables, pieces: most } if pieces <= *most => {
                self.dtm_score(tables, position)?
            }
            Source::Generated { .. } => return None,
        };
        let is_wanted = match self.config.results {
            TableResults::Both => true,
            TableResults::Decisive => score != 0,
            TableResults::Drawn => score == 0,
        };
        let side = if position.turn() == Color::White { Side::White } else { Side::Black };
        is_wanted.then_some(match score {
            0 => GameResult::Draw,
            1.. => GameResult::won_by(side),
            _ => GameResult::won_by(side.other()),
        })
    }

    /// Returns 1 if the side to move wins, -1 if it loses and 0 for a draw.
    fn syzygy_score(&self, tables: &Tablebase<Chess>, position: &Chess, pieces: usize) -> Option<i32> {
        if pieces > tables.max_pieces() {
            return None;
        }
        if self.config.ignore_fifty {
            return Some(tables.probe_wdl_after_zeroing(position).ok()?.signum());
        }
        Some(match tables.probe_wdl(position).ok()?.unambiguous()? {
            Wdl::Win => 1,
            Wdl::Loss => -1,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => 0,
        })
    }

    /// Returns the same by distances to mate. A mate before the fifty-move counter is full is certain.
    fn dtm_score(&self, tables: &DtmTables, position: &Chess) -> Option<i32> {
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let outcome = tables.probe(&stretto::position::Position::from_fen(&fen).ok()?)?;
        let is_certain = |plies: u16| {
            self.config.ignore_fifty || u32::from(plies) + position.halfmoves() <= FIFTY_MOVES.into()
        };
        match outcome {
            Outcome::Draw => Some(0),
            Outcome::Win(plies) => is_certain(plies).then_some(1),
            Outcome::Loss(plies) => is_certain(plies).then_some(-1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use std::path::Path;

    use super::*;

    /// Syzygy tables of up to four pieces. Only ignored tests call this.
    fn config() -> TablesConfig {
        let data = std::env::var_os("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` sets it");
        TablesConfig { syzygy: vec![PathBuf::from(data).join("tb/syzygy")], own: None, ..own(3) }
    }

    /// Configures generated tables of up to `pieces` pieces.
    fn own(pieces: u32) -> TablesConfig {
        TablesConfig {
            syzygy: Vec::new(),
            own: NonZeroU32::new(pieces),
            pieces: None,
            ignore_fifty: false,
            results: TableResults::Both,
        }
    }

    fn result(config: &TablesConfig, fen: &str) -> Option<GameResult> {
        let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        Tables::open(config, &Cancel::new()).unwrap().result(&position)
    }

    const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";
    const BISHOP: &str = "8/8/8/4k3/8/8/8/KB6 b - - 0 1";

    #[test]
    #[ignore = "needs the collections of `make test-data`"]
    fn with_data_known_endings_are_decided() {
        let config = config();
        assert_eq!(result(&config, ROOK), Some(GameResult::White));
        assert_eq!(result(&config, &ROOK.replace(" w ", " b ")), Some(GameResult::White));
        assert_eq!(result(&config, BISHOP), Some(GameResult::Draw));
        assert_eq!(result(&config, "8/8/8/4k3/8/8/PPPP4/KR6 w - - 0 1"), None, "too many pieces");
        let few = TablesConfig { pieces: NonZeroU32::new(2), ..config.clone() };
        assert_eq!(result(&few, ROOK), None);
    }

    #[test]
    fn our_own_tables_need_no_files() {
        let config = own(3);
        assert_eq!(result(&config, ROOK), Some(GameResult::White));
        assert_eq!(result(&config, &ROOK.replace(" w ", " b ")), Some(GameResult::White));
        assert_eq!(result(&config, BISHOP), Some(GameResult::Draw));
        assert_eq!(result(&config, "8/8/8/4k3/8/8/8/KRR5 w - - 0 1"), None, "too many pieces");
        // Mate comes in less than 32 plies.
        assert_eq!(result(&config, &ROOK.replace(" 0 1", " 60 80")), Some(GameResult::White));
        let late = ROOK.replace(" 0 1", " 98 80");
        assert_eq!(result(&config, &late), None, "it may come too late");
        assert_eq!(result(&TablesConfig { ignore_fifty: true, ..config }, &late), Some(GameResult::White));
    }

    #[test]
    #[ignore = "needs the collections of `make test-data`"]
    fn with_data_the_fifty_moves_count_unless_ignored() {
        let config = config();
        // A mate in thirty plies cannot come in the two that are left.
        let late = ROOK.replace(" 0 1", " 98 80");
        assert_ne!(result(&config, &late), Some(GameResult::White));
        let ignored = TablesConfig { ignore_fifty: true, ..config };
        assert_eq!(result(&ignored, &late), Some(GameResult::White));
    }

    #[test]
    #[ignore = "needs the collections of `make test-data`"]
    fn with_data_only_what_is_wanted_is_decided() {
        let config = config();
        let decisive = TablesConfig { results: TableResults::Decisive, ..config.clone() };
        let drawn = TablesConfig { results: TableResults::Drawn, ..config };
        assert_eq!((result(&decisive, ROOK), result(&decisive, BISHOP)), (Some(GameResult::White), None));
        assert_eq!((result(&drawn, ROOK), result(&drawn, BISHOP)), (None, Some(GameResult::Draw)));
    }

    #[test]
    fn a_folder_without_tables_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let config = |path: &Path| TablesConfig { syzygy: vec![path.to_path_buf()], own: None, ..own(3) };
        let open = |path: &Path| Tables::open(&config(path), &Cancel::new());
        assert!(matches!(open(dir.path()), Err(TablesError::Empty { .. })));
        assert!(matches!(open(&dir.path().join("none")), Err(TablesError::Read { .. })));
    }
}
