//! Tables for tests, each generated once for all of them.

use std::sync::{Mutex, PoisonError};

use super::Tables;
use stretto::tablebase::Metric;
use stretto_harness::base::cancel::Cancel;

/// Returns a set with all tables of three pieces, those of these names and their successors. It may hold
/// further ones.
pub(crate) fn made(names: &[&str], metric: Metric) -> Tables {
    static MADE: [Mutex<Option<Tables>>; 4] = [const { Mutex::new(None) }; 4];
    let cancel = Cancel::new();
    let mut made = MADE[metric as usize].lock().unwrap_or_else(PoisonError::into_inner);
    let tables = made.get_or_insert_with(|| Tables::up_to(3, metric, &cancel).unwrap());
    for name in names {
        tables.make(name.parse().unwrap(), metric, &cancel).unwrap();
    }
    tables.clone()
}
