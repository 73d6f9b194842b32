//! Compression of the values of a block of rows.
//!
//! Only canonical legal positions are coded; other entries are filled with a neighbouring value. A
//! value is predicted from its neighbours: the last piece one square away in the row, or the piece
//! before it one square away. Several predictions are tried in turn, with one bit each; if all
//! fail, the value is coded as a literal. Encoder and decoder share the traversal, so they cannot
//! diverge.

mod block;
mod coder;
mod mixer;

pub(super) use block::decode;
pub use block::encode;
