//! Endgame tablebases: our own DTM tables, Syzygy tables, and the tables embedded in the program.
//!
//! A table of our own holds one value per position of its pieces; positions that are equal by a
//! symmetry of the board share one entry. The workshop generates tables in the format of
//! `FORMAT.md`. [`Tablebase`] opens a folder of them and answers probes; the tables of three and
//! four pieces are embedded in the program. Castling is not covered, as usual, and en passant is
//! resolved by searching the moves. [`Syzygy`] reads Syzygy files. [`Tablebases`] combines all
//! sources for the engine.

mod checksum;
mod codec;
mod dtm;
mod embedded;
mod failures;
mod file;
mod header;
mod index;
mod material;
mod metric;
mod outcome;
mod probe;
mod proof;
mod root;
mod rows;
mod swindle;
mod symmetry;
mod syzygy;
mod tablebases;
mod wdl;

pub use codec::encode;
pub use dtm::DtmTables;
pub use file::{TableError, TableFile, TableProblem};
pub use header::{HeaderError, StoredSide, assemble};
pub use index::{Index, PieceSquares};
pub use material::{MAX_OTHERS, Material, MaterialError};
pub use metric::Metric;
pub use outcome::Outcome;
pub use probe::{OpenError, Tablebase, piece_squares, table_files};
pub use root::{RankedMove, Ranking};
pub use rows::{FixedSquares, Row};
pub use symmetry::Symmetry;
pub use syzygy::{FileFault, Syzygy, SyzygyError, SyzygyFiles, check_syzygy_file};
pub use tablebases::{MateTables, TableUse, Tablebases, Verdict};
pub use wdl::{Dtz, Wdl};
