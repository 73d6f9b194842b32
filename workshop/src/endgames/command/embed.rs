//! `workshop tb embed`: regeneration of the tables embedded in the engine.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use stretto::tablebase::{Material, Metric, Tablebase};

use super::builder::{MetricArg, TableBuilder, path_of};
use super::dependencies::all_made;
use crate::endgames::{StoredSides, to_bytes, to_near_bytes};
use stretto_harness::base::errors::FileResult;
use stretto_harness::run::command::{Failure, Threads, print};
use stretto_harness::run::write_atomically;

#[derive(Debug, Args)]
pub(crate) struct EmbedArgs {
    #[command(flatten)]
    threads: Threads,
    /// Folder to write the tables to, created if necessary; by default they are compared with those embedded in this
    /// program.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Generates the embedded tables: DTM for three pieces, and near DTZ for three and four pieces.
pub(crate) fn run(args: &EmbedArgs) -> Result<(), Failure> {
    if let Some(folder) = &args.out {
        // Before the work, so that a wrong folder is reported at once.
        std::fs::create_dir_all(folder).or_cannot("create", folder)?;
    }
    let mut made = Vec::new();
    for (metric, pieces) in [(MetricArg::Dtm, 3), (MetricArg::Dtz, 4)] {
        made.extend(args.threads.work(|cancel| {
            let order: Vec<Material> = (3..=pieces).flat_map(Material::all).collect();
            let mut maker = TableBuilder::new(metric.metric(), cancel, &all_made(&order));
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
            write_atomically(&path, bytes).or_cannot("write", &path)?;
        }
    }
    print(&format!(
        "{} tables, {length} bytes, {} different from this program\n",
        made.len(),
        different.len()
    ));
    if args.out.is_none() && !different.is_empty() {
        let names = different.join(", ");
        return Err(Failure::Run(anyhow!("tables differ from those in this program: {names}")));
    }
    Ok(())
}
