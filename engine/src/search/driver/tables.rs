//! What the endgame tables make of a node: decided, or its window narrowed.
//!
//! Asked by `pvs` before a node is evaluated. A table knows who wins, not how soon mate comes, so on the principal
//! variation a won node is searched for more than its table win and a lost one for less.

use super::pvs::Node;
use crate::position::Position;
use crate::search::heuristics::tablebase;
use crate::search::switches::Toggles;
use crate::search::worker::{Search, Stopped};
use crate::types::{Bound, Depth, Ply, Score, Window};

impl<T: Toggles> Search<'_, T> {
    /// The value of the node, where the tables know of it; called only where there are tables.
    #[cold]
    #[inline(never)]
    pub(super) fn by_tables<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        depth: Depth,
        ply: Ply,
        is_cut: bool,
    ) -> Result<Option<Score>, Stopped> {
        let Some((known, bound)) = self.consult(position, depth, ply) else { return Ok(None) };
        let Some(rest) = tablebase::left_open(known, bound, window) else {
            self.store_verdict(position, known, bound, depth, ply);
            return Ok(Some(known));
        };
        if rest == window {
            return Ok(None);
        }
        // In what is left of the window the tables have nothing more to say, so this goes no deeper than once.
        let score = self.pvs::<N>(position, rest, depth, ply, is_cut)?;
        let is_more = if bound == Bound::Lower { score > known } else { score < known };
        if !is_more {
            // What the search remembers of the node may deny what the tables know.
            self.store_verdict(position, known, bound, depth, ply);
        }
        Ok(Some(if is_more { score } else { known }))
    }
}
