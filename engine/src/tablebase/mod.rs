//! Endgame tables: which men make a table, where in it a position stands, how tables are kept in files, and what an engine
//! asks of them.
//!
//! A table of our own holds one value for each position of its men. Positions that are the same but for a symmetry of the
//! board stand at one place. The harness makes tables and writes them in the format of `FORMAT.md`; [`Tablebase`] opens a
//! folder of them and answers for positions; those of three and four men are part of the program. Castling is left out, as usual,
//! and en passant is a matter of the moves. [`Syzygy`] reads the tables that all engines share; [`Tablebases`] is all that
//! an engine has.

mod checksum;
mod codec;
mod embedded;
mod failures;
mod file;
mod index;
mod layout;
mod material;
mod metric;
mod outcome;
mod own;
mod probe;
mod root;
mod rows;
mod symmetry;
mod syzygy;
mod tablebases;
mod wdl;

pub use codec::encode;
pub use file::{Table, TableError, TableProblem};
pub use index::{Index, Men};
pub use layout::{LayoutError, StoredSide, assemble};
pub use material::{MAX_OTHERS, Material, MaterialError};
pub use metric::Metric;
pub use outcome::Outcome;
pub use own::OwnTables;
pub use probe::{OpenError, Tablebase, men_of};
pub use root::{RankedMove, Ranking};
pub use rows::{FixedMen, Row};
pub use symmetry::Symmetry;
pub use syzygy::{FileFault, Syzygy, SyzygyError};
pub use tablebases::{MateTables, TableUse, Tablebases, Verdict};
pub use wdl::{Dtz, Wdl};
