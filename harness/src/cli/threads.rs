//! Threads of work that is the same on any number of them.

use std::num::NonZeroUsize;

use clap::Args;

use super::{Failure, listen_for_signals};
use crate::cancel::Cancel;

/// How many threads a computation gets.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Threads {
    /// Threads; what comes out is the same on any number of them. By default as many as the machine has.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// Does work on so many threads, stopped by a signal.
    ///
    /// Errors: those of the work; the system grants no threads.
    pub(super) fn work<T: Send>(
        self,
        work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(anyhow::Error::from)?;
        let cancel = Cancel::new();
        listen_for_signals(&cancel)?;
        pool.install(|| work(&cancel))
    }
}
