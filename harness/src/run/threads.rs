//! Number of threads of computations whose result does not depend on it.

use std::num::NonZeroUsize;

use clap::Args;

use crate::base::cancel::Cancel;
use crate::run::command::{Failure, cancel_on_signals};

/// Number of threads of a computation.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct Threads {
    /// Number of threads [default: all cores]. The result does not depend on it.
    #[arg(short, long, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// Runs `work` on these threads and cancels it on a signal.
    ///
    /// Errors: those of `work`, or a failure to start the threads.
    pub fn work<T: Send>(
        self,
        work: impl FnOnce(&Cancel) -> Result<T, Failure> + Send,
    ) -> Result<T, Failure> {
        let threads = self.threads.map_or(0, NonZeroUsize::get);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(anyhow::Error::from)?;
        let cancel = cancel_on_signals()?;
        pool.install(|| work(&cancel))
    }
}
