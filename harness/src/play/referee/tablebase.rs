//! Adjudication of games by endgame tables.
//!
//! Tables are Syzygy files or those embedded in Stretto's library, which need no files: WDL and DTZ of three
//! and four pieces.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, fs, io};

use anyhow::{anyhow, ensure};
use shakmaty::fen::Fen;
use shakmaty::{Chess, Color, EnPassantMode, Position};
use shakmaty_syzygy::{Tablebase, Wdl};
use stretto::tablebase::{SyzygyFiles, TableUse, Tablebases, Wdl as OwnWdl, check_syzygy_file};

use crate::play::adjudication::{TableResults, TablesConfig};
use crate::play::record::{GameResult, Side};

/// Origin of the tables.
enum Source {
    Syzygy(Tablebase<Chess>),
    /// Embedded tables of up to `pieces` pieces.
    Embedded {
        tables: Tablebases,
        pieces: usize,
    },
}

/// Names of the Syzygy tables found, such as `KQvK`.
#[derive(Debug, Default)]
struct Found {
    /// Tables of results (WDL).
    wdl: BTreeSet<String>,
    /// Tables of distances to the next capture or pawn move (DTZ).
    dtz: BTreeSet<String>,
}

impl Found {
    /// Adds the tables of a folder.
    ///
    /// Errors: it cannot be read, or has no table.
    fn add_folder(&mut self, path: &Path, tables: &mut Tablebase<Chess>) -> anyhow::Result<()> {
        let unread = |path: &Path, error: io::Error| anyhow!("`{}`: {error}", path.display());
        let before = self.wdl.len() + self.dtz.len();
        for entry in fs::read_dir(path).map_err(|error| unread(path, error))? {
            let file = entry.map_err(|error| unread(path, error))?.path();
            match tables.add_file(&file) {
                Ok(()) => {}
                // The name is not that of a table.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => continue,
                Err(error) => return Err(unread(&file, error)),
            }
            // A damaged table has wrong results.
            check_syzygy_file(&file).map_err(|fault| anyhow!("`{}` {fault}", file.display()))?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_wdl = file.extension().is_some_and(|extension| extension == "rtbw");
            if is_wdl { &mut self.wdl } else { &mut self.dtz }.insert(name);
        }
        let has_tables = self.wdl.len() + self.dtz.len() > before;
        ensure!(has_tables, "`{}` holds no Syzygy tables (*.rtbw, *.rtbz)", path.display());
        Ok(())
    }

    /// Returns notices on missing files that leave games undecided which `config` would adjudicate.
    fn notices(&self, config: &TablesConfig) -> Vec<String> {
        let is_used = |name: &&String| config.pieces.is_none_or(|most| name.len() - 1 <= most.get() as usize);
        let wdl: Vec<&String> = self.wdl.iter().filter(is_used).collect();
        let without_dtz: Vec<&String> =
            wdl.iter().copied().filter(|&name| !self.dtz.contains(name)).collect();
        let without_wdl: Vec<&String> = self.dtz.difference(&self.wdl).filter(is_used).collect();
        let missing: BTreeSet<String> =
            wdl.iter().flat_map(|name| self.missing_after_capture(name)).collect();
        let needs_dtz = !config.ignore_fifty && config.results != TableResults::Drawn;
        let mut notices = Vec::new();
        if let Some(first) = without_dtz.first().filter(|_| needs_dtz) {
            let (few, all) = (without_dtz.len(), wdl.len());
            let which = if few == all { "the".to_owned() } else { format!("{few} of {all}") };
            notices.push(format!(
                "{which} Syzygy tables ({first} and others) have no DTZ file (*.rtbz): their wins are adjudicated only \
                 right after a capture or pawn move, or where such a move wins"
            ));
        }
        if let Some(first) = without_wdl.first() {
            notices.push(format!(
                "{} Syzygy tables ({first} and others) have no WDL file (*.rtbw): their positions are not adjudicated",
                without_wdl.len()
            ));
        }
        if let Some(first) = missing.first() {
            notices.push(format!(
                "{} Syzygy tables ({first} and others) are missing that captures lead to: positions with such a capture are \
                 not adjudicated",
                missing.len()
            ));
        }
        notices
    }

    /// Returns the WDL tables that captures in the table `name` lead to and that were not found.
    fn missing_after_capture(&self, name: &str) -> Vec<String> {
        let sides =
            name.split_once('v').into_iter().flat_map(|(white, black)| [(white, black), (black, white)]);
        let mut missing = Vec::new();
        for (side, other) in sides {
            for at in 1..side.len() {
                let left = format!("{}{}", &side[..at], &side[at + 1..]);
                let names = [format!("{left}v{other}"), format!("{other}v{left}")];
                if names[0] != "KvK" && !names.iter().any(|name| self.wdl.contains(name)) {
                    // The larger side comes first, then the stronger one.
                    let strength = |piece| "PNBRQ".find(char::from(piece));
                    missing.extend(
                        names.into_iter().max_by_key(|name| {
                            (name.find('v'), name.bytes().map(strength).collect::<Vec<_>>())
                        }),
                    );
                }
            }
        }
        missing
    }
}

/// Tables and the rules of adjudication.
pub(crate) struct Tables {
    source: Source,
    config: TablesConfig,
    /// Notices on missing tables.
    pub(crate) notices: Vec<String>,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Tables {
    /// Finds the tables. They are opened when first probed.
    ///
    /// Errors: a folder or a table cannot be read, a folder has no table, or none has results.
    pub(crate) fn open(config: &TablesConfig) -> anyhow::Result<Self> {
        if let Some(pieces) = config.own {
            let usage = TableUse { has_embedded: true, ..TableUse::default() };
            let tables = Tablebases { usage, ..Tablebases::default() };
            let source = Source::Embedded { tables, pieces: pieces.get() as usize };
            return Ok(Self { source, config: config.clone(), notices: Vec::new() });
        }
        let mut tables = Tablebase::with_filesystem(Arc::new(SyzygyFiles::default()));
        let mut found = Found::default();
        for path in &config.syzygy {
            found.add_folder(path, &mut tables)?;
        }
        ensure!(
            !found.wdl.is_empty(),
            "found DTZ files (*.rtbz) only: add the folder of the WDL files (*.rtbw), which have the results"
        );
        Ok(Self { source: Source::Syzygy(tables), config: config.clone(), notices: found.notices(config) })
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
            Source::Embedded { tables, pieces: most } if pieces <= *most => {
                self.own_score(tables, position)?
            }
            Source::Embedded { .. } => return None,
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
        let after_zeroing = tables.probe_wdl_after_zeroing(position).ok()?;
        if self.config.ignore_fifty {
            return Some(after_zeroing.signum());
        }
        let wdl = match after_zeroing {
            // The counter may prevent a win, and DTZ tables say whether it does. It turns no draw into a win.
            Wdl::Win | Wdl::Loss if position.halfmoves() > 0 => {
                tables.probe_wdl(position).ok()?.unambiguous()?
            }
            exact => exact,
        };
        Some(match wdl {
            Wdl::Win => 1,
            Wdl::Loss => -1,
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => 0,
        })
    }

    /// Returns the same by the embedded tables, which have exact distances where the fifty-move rule is near.
    fn own_score(&self, tables: &Tablebases, position: &Chess) -> Option<i32> {
        let fen = Fen::from_position(position, EnPassantMode::Legal).to_string();
        let result = tables.result(&stretto::position::Position::from_fen(&fen).ok()?)?;
        let result = if self.config.ignore_fifty { result.without_fifty_moves() } else { result };
        Some(match result {
            OwnWdl::Win => 1,
            OwnWdl::Loss => -1,
            OwnWdl::Draw | OwnWdl::CursedWin | OwnWdl::BlessedLoss => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::path::PathBuf;

    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

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
        Tables::open(config).unwrap().result(&position)
    }

    const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";
    const BISHOP: &str = "8/8/8/4k3/8/8/8/KB6 b - - 0 1";

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
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
        let rooks = "8/8/8/4k3/8/8/8/KRR5 w - - 0 1";
        assert_eq!(result(&config, rooks), None, "too many pieces");
        assert_eq!(result(&own(4), rooks), Some(GameResult::White));
        assert_eq!(result(&own(4), "4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None, "castling");
        // Mate comes in less than 32 plies.
        assert_eq!(result(&config, &ROOK.replace(" 0 1", " 60 80")), Some(GameResult::White));
        let late = ROOK.replace(" 0 1", " 98 80");
        assert_eq!(result(&config, &late), Some(GameResult::Draw), "it comes too late");
        assert_eq!(result(&TablesConfig { ignore_fifty: true, ..config }, &late), Some(GameResult::White));
    }

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
    fn with_data_the_fifty_moves_count_unless_ignored() {
        let config = config();
        let ignored = TablesConfig { ignore_fifty: true, ..config.clone() };
        // A mate in thirty plies cannot come in the two that are left.
        for counter in [98, 99, 100] {
            let late = ROOK.replace(" 0 1", &format!(" {counter} 80"));
            assert_ne!(result(&config, &late), Some(GameResult::White), "at {counter}");
            assert_eq!(result(&ignored, &late), Some(GameResult::White), "at {counter}");
        }
    }

    #[test]
    #[ignore = "needs Syzygy tables of four pieces: make test-data"]
    fn with_data_only_what_is_wanted_is_decided() {
        let config = config();
        let decisive = TablesConfig { results: TableResults::Decisive, ..config.clone() };
        let drawn = TablesConfig { results: TableResults::Drawn, ..config };
        assert_eq!((result(&decisive, ROOK), result(&decisive, BISHOP)), (Some(GameResult::White), None));
        assert_eq!((result(&drawn, ROOK), result(&drawn, BISHOP)), (None, Some(GameResult::Draw)));
    }

    /// Configures a folder with these Syzygy tables of the repository.
    fn syzygy(files: &[&str]) -> (tempfile::TempDir, TablesConfig) {
        let dir = tempfile::tempdir().unwrap();
        let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/syzygy");
        for file in files {
            fs::copy(all.join(file), dir.path().join(file)).unwrap();
        }
        let syzygy = vec![dir.path().to_path_buf()];
        (dir, TablesConfig { syzygy, own: None, ..own(3) })
    }

    fn notices(config: &TablesConfig) -> Vec<String> {
        Tables::open(config).unwrap().notices
    }

    const QUEEN: &str = "4k3/8/8/8/8/8/4K3/3Q4 b - - 0 1";

    #[test]
    fn wins_right_after_a_capture_need_no_dtz_tables() {
        let (_dir, wdl) = syzygy(&["KQvK.rtbw", "KRvK.rtbw"]);
        let (late, drawn) = (QUEEN.replace(" 0 1", " 1 1"), "3k4/3Q4/8/8/8/8/4K3/8 b - - 9 9");
        assert_eq!(result(&wdl, QUEEN), Some(GameResult::White));
        assert_eq!(result(&wdl, &QUEEN.replace(" b ", " w ")), Some(GameResult::White));
        assert_eq!(result(&wdl, &late), None, "the counter might prevent the win");
        assert_eq!(result(&wdl, drawn), Some(GameResult::Draw), "the queen is lost");
        let ignored = TablesConfig { ignore_fifty: true, ..wdl.clone() };
        assert_eq!(result(&ignored, &late), Some(GameResult::White));
        let (_dir, both) = syzygy(&["KQvK.rtbw", "KQvK.rtbz"]);
        assert_eq!(result(&both, &late), Some(GameResult::White));
        assert_ne!(result(&both, &QUEEN.replace(" 0 1", " 99 80")), Some(GameResult::White));
    }

    #[test]
    fn missing_files_have_a_notice_with_the_consequence() {
        let consequence = "have no DTZ file (*.rtbz): their wins are adjudicated only right after a capture or pawn move, or \
                           where such a move wins";
        let (_dir, wdl) = syzygy(&["KQvK.rtbw", "KRvK.rtbw"]);
        assert_eq!(notices(&wdl), [format!("the Syzygy tables (KQvK and others) {consequence}")]);
        assert_eq!(notices(&TablesConfig { ignore_fifty: true, ..wdl.clone() }), [""; 0]);
        assert_eq!(notices(&TablesConfig { results: TableResults::Drawn, ..wdl.clone() }), [""; 0]);
        assert_eq!(notices(&TablesConfig { pieces: NonZeroU32::new(2), ..wdl }), [""; 0]);
        let (_dir, partly) = syzygy(&["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"]);
        assert_eq!(notices(&partly), [format!("1 of 2 Syzygy tables (KRvK and others) {consequence}")]);
        let (_dir, complete) = syzygy(&["KQvK.rtbw", "KQvK.rtbz"]);
        assert_eq!(notices(&complete), [""; 0]);
        let (_dir, crossed) = syzygy(&["KQvK.rtbz", "KRvK.rtbw"]);
        assert_eq!(
            notices(&crossed)[1],
            "1 Syzygy tables (KQvK and others) have no WDL file (*.rtbw): their positions are not adjudicated"
        );
        assert!(Found::default().missing_after_capture("KQvK").is_empty());
        let found = Found { wdl: ["KQvK".to_owned(), "KNvKR".to_owned()].into(), ..Found::default() };
        assert_eq!(found.missing_after_capture("KQNvKR"), ["KQvKR", "KQNvK"]);
    }

    #[test]
    fn folders_without_usable_tables_are_refused() {
        let open = |config: &TablesConfig| Tables::open(config).unwrap_err().to_string();
        let (dir, mut config) = syzygy(&[]);
        assert!(open(&config).contains("holds no Syzygy tables"));
        fs::write(dir.path().join("KQvK.rtbw"), "cut off").unwrap();
        assert!(open(&config).contains("KQvK.rtbw`: unexpected file size"));
        let name = dir.path().join("KQvK.rtbw");
        let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/syzygy/KQvK.rtbw");
        let mut data = fs::read(whole).unwrap();
        data[64] ^= 1;
        fs::write(&name, data).unwrap();
        assert!(open(&config).ends_with("KQvK.rtbw` does not match its checksum: the file is damaged"));
        config.syzygy[0].push("none");
        assert!(open(&config).contains("none`: "));
        let (_dir, dtz) = syzygy(&["KQvK.rtbz"]);
        assert!(open(&dtz).contains("DTZ files (*.rtbz) only"));
    }

    /// White mates in three plies, two, one, and has mated.
    #[test]
    fn own_tables_count_the_plies_against_the_fifty_move_counter() {
        let tables = Tables::open(&own(3)).unwrap();
        let verdict = |tables: &Tables, fen: &str, counter: u32| {
            let fen = format!("{fen} - - {counter} 90");
            let position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
            tables.result(&position)
        };
        let [three, two, one, mated] = [
            "7k/8/5K2/8/8/8/8/6R1 w",
            "7k/5K2/8/8/8/8/8/6R1 b",
            "3k4/8/3K4/8/8/8/7R/8 w",
            "3k3R/8/3K4/8/8/8/8/8 b",
        ];
        let draw = "8/8/8/4k3/8/8/8/KB6 b";
        let ignoring = Tables {
            config: TablesConfig { ignore_fifty: true, ..own(3) },
            ..Tables::open(&own(3)).unwrap()
        };
        for (fen, last) in [(three, 97), (two, 98), (one, 99), (mated, 100)] {
            for counter in [0, 97, 98, 99, 100] {
                let expected = if counter <= last { GameResult::White } else { GameResult::Draw };
                assert_eq!(verdict(&tables, fen, counter), Some(expected), "{fen} at {counter}");
                assert_eq!(verdict(&ignoring, fen, counter), Some(GameResult::White), "{fen} at {counter}");
            }
        }
        // A pawn move resets the counter, so a longer way to mate is no obstacle.
        let pawn = "8/8/8/8/8/8/P6k/K7 w";
        assert_eq!(verdict(&tables, pawn, 99), Some(GameResult::White));
        for counter in [0, 99, 100] {
            assert_eq!(verdict(&tables, draw, counter), Some(GameResult::Draw), "draw at {counter}");
        }
    }
}
