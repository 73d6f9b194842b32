//! Comparison of generated tables with Gaviota's, position by position.
//!
//! Gaviota's tables contain the distance to mate of all positions of three to five pieces without
//! castling and en passant. The format is described by its author's probing code only (M. A.
//! Ballicora, github.com/michiguel/Gaviota-Tablebases) and by the reader of python-chess
//! (`chess/gaviota.py`). `index` maps positions to places, `value` interprets the values, and `file`
//! reads and decompresses files.

mod compare;
mod file;
mod index;
mod value;

pub(crate) use compare::Gaviota;
pub use compare::count_illegal;
