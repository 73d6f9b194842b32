//! `harness tb embed`: the tables that are part of the engine, made again.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use stretto::tablebase::{Material, Metric, Tablebase};

use super::super::threads::Threads;
use super::super::{Failure, print};
use super::loading::all_made;
use super::making::{Maker, MetricArg, path_of};
use crate::store::write_atomically;
use crate::tablebase::{StoredSides, to_bytes, to_near_bytes};

#[derive(Debug, Args)]
pub(super) struct EmbedArgs {
    #[command(flatten)]
    threads: Threads,
    /// Write them to this folder; without, they are compared with those in this program.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Makes them: distances to mate of three men, and of three and four men distances to zeroing, near ones alike.
pub(super) fn run(args: &EmbedArgs) -> Result<(), Failure> {
    let mut made = Vec::new();
    for (metric, men) in [(MetricArg::Dtm, 3), (MetricArg::Dtz, 4)] {
        made.extend(args.threads.work(|cancel| {
            let order: Vec<Material> = (3..=men).flat_map(Material::all).collect();
            let mut maker = Maker::new(metric.metric(), cancel, &all_made(&order));
            let bytes = order.into_iter().map(|material| {
                let table = maker.make(material)?;
                Ok(match metric.metric() {
                    Metric::Dtz => (material, Metric::Near, to_near_bytes(&table)),
                    metric => (material, metric, to_bytes(&table, StoredSides::One)),
                })
            });
            bytes.collect::<Result<Vec<_>, Failure>>()
        })?);
    }
    let is_as_here = |material: Material, metric: Metric, bytes: &[u8]| {
        let is_this = |&(name, of, _): &(&str, Metric, &[u8])| of == metric && name == material.to_string();
        Tablebase::embedded_files().find(is_this).is_some_and(|(.., here)| here == bytes)
    };
    let (mut length, mut different) = (0, Vec::new());
    for (material, metric, bytes) in &made {
        length += bytes.len();
        if !is_as_here(*material, *metric, bytes) {
            different.push(format!("{material}.{metric}"));
        }
        if let Some(folder) = &args.out {
            let path = path_of(folder, *material, *metric);
            write_atomically(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    print(&format!(
        "{} tables, {length} bytes, {} other than in this program\n",
        made.len(),
        different.len()
    ));
    if args.out.is_none() && !different.is_empty() {
        let names = different.join(", ");
        return Err(Failure::Run(anyhow!("not as in this program: {names}")));
    }
    Ok(())
}
