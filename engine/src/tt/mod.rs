//! The transposition table: a hash table that all threads read and write concurrently without
//! locks.
//!
//! It implements the replacement policy. A new record of a stored position replaces the old one
//! unless that is much deeper; in a full cluster the shallowest and oldest record is replaced. A
//! cluster is one cache line of four slots. The cluster index is the high half of key times number of
//! clusters, so any number of clusters works. The search interprets the records and checks moves for
//! legality; the engine owns, resizes and clears the table.
//!
//! Sources: Hyatt and Mann for the slot (see [`Slot`]); Daniel Lemire, "A fast alternative to the
//! modulo reduction", 2016, for the index. Keeping an old move and ageing by search are common
//! practice.

mod clearing;
mod cluster;
mod record;
mod storage;
mod table;

pub use clearing::ClearProgress;
pub use cluster::Slot;
pub use record::Record;
pub use storage::AllocationError;
pub use table::{TableView, TranspositionTable};
