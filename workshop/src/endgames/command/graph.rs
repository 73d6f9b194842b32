//! `workshop tb graph`: which tables lead to which, as text or as a graph for Graphviz.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use stretto::tablebase::Material;

use super::builder::FromArgs;
use crate::endgames::{Statistics, statistics};
use stretto_harness::run::command::{Failure, print};

/// Tables are read or made only for `--results`, so the options for that need it.
#[derive(Debug, Args)]
#[command(
    mut_arg("metric", |arg| arg.requires("results")),
    mut_arg("threads", |arg| arg.requires("results")),
    mut_arg("folder", |arg| arg.requires("results"))
)]
pub(super) struct GraphArgs {
    #[command(flatten)]
    from: FromArgs,
    /// Print a graph in the language of Graphviz, whose `dot` draws it.
    #[arg(long)]
    dot: bool,
    /// Colour the tables by their results: yellow where 99 % of the positions are drawn, blue where both sides have equal
    /// chances, green where one has more. The tables are read or made first.
    #[arg(long, requires = "dot")]
    results: bool,
}

/// Share of draws from which an ending counts as drawn.
const DRAWN: f64 = 0.99;
/// Largest difference between the shares of wins of both sides for equal chances.
const EQUAL: f64 = 0.02;

/// The shares of results of a table over the legal positions of both sides to move.
#[derive(Clone, Copy, Debug)]
struct Shares {
    white: f64,
    draws: f64,
    black: f64,
}

impl Shares {
    fn of(statistics: &Statistics) -> Self {
        let [white, black] = &statistics.sides;
        let counts = [
            white.wins.count() + black.losses.count(),
            white.draws + black.draws,
            white.losses.count() + black.wins.count(),
        ];
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let [white, draws, black] = counts.map(|count| count as f64 / all);
        Self { white, draws, black }
    }

    const fn drawn() -> Self {
        Self { white: 0.0, draws: 1.0, black: 0.0 }
    }

    /// Returns the colour: yellow for drawn endings, blue for equal chances, green otherwise.
    fn color(self) -> &'static str {
        if self.draws >= DRAWN {
            "#ffe680"
        } else if (self.white - self.black).abs() <= EQUAL {
            "#9ecbff"
        } else {
            "#a8e0a0"
        }
    }
}

/// Prints the tables in an order in which they can be made, or their graph.
pub(super) fn run(args: &GraphArgs) -> Result<(), Failure> {
    let order = args.from.making.which.in_order();
    args.from.making.which.report_exchanged();
    if !args.dot {
        for table in order {
            let next: Vec<String> = table.successors().iter().map(ToString::to_string).collect();
            print(&format!("{table}: {}\n", next.join(" ")));
        }
        return Ok(());
    }
    let mut results = BTreeMap::new();
    if args.results {
        args.from.making.each_with_dependencies(args.from.folder.as_deref(), |table, _| {
            results.insert(table.material().to_string(), Shares::of(&statistics(table)));
            Ok(())
        })?;
    }
    print(&dot(&order, args.results.then_some(&results)));
    Ok(())
}

/// Returns the graph of these tables in the language of Graphviz, each coloured by its result.
fn dot(order: &[Material], results: Option<&BTreeMap<String, Shares>>) -> String {
    let mut text = "digraph endings {\n    rankdir = BT\n    node [shape = box, style = \"filled,rounded\", \
                    fillcolor = white, fontname = \"sans-serif\"]\n"
        .to_owned();
    // A capture of the last piece leaves two kings, for which there is no table.
    let kings = order.iter().flat_map(Material::successors).find(|next| next.piece_count() == 2);
    for table in kings.iter().chain(order) {
        let name = table.to_string();
        let shares = match (results, table.piece_count()) {
            (Some(_), 2) => Some(Shares::drawn()),
            (Some(results), _) => results.get(&name).copied(),
            (None, _) => None,
        };
        let _ = match shares {
            Some(shares) => writeln!(
                text,
                "    \"{name}\" [fillcolor = \"{}\", label = \"{name}\\n{:.1} % : {:.1} % : {:.1} %\"]",
                shares.color(),
                100.0 * shares.white,
                100.0 * shares.draws,
                100.0 * shares.black
            ),
            None => writeln!(text, "    \"{name}\""),
        };
        for next in table.successors() {
            let _ = writeln!(text, "    \"{name}\" -> \"{next}\"");
        }
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_has_every_table_its_edges_and_its_color() {
        let order: Vec<Material> = ["KRvK", "KQvK", "KQvKR"].map(|name| name.parse().unwrap()).to_vec();
        let plain = dot(&order, None);
        assert!(plain.starts_with("digraph endings {\n") && plain.ends_with("}\n"), "{plain}");
        for line in ["\"KQvKR\" -> \"KRvK\"", "\"KQvKR\" -> \"KQvK\"", "\"KQvK\" -> \"KvK\""] {
            assert!(plain.contains(&format!("    {line}\n")), "{plain}");
        }
        assert!(!plain.contains('%'), "{plain}");
        let shares = [("KQvKR", 0.8, 0.1), ("KQvK", 0.95, 0.05), ("KRvK", 0.001, 0.998)];
        let results = shares.map(|(name, white, draws)| {
            (name.to_owned(), Shares { white, draws, black: 1.0 - white - draws })
        });
        let colored = dot(&order, Some(&BTreeMap::from(results)));
        assert!(
            colored.contains(
                "\"KQvKR\" [fillcolor = \"#a8e0a0\", label = \"KQvKR\\n80.0 % : 10.0 % : 10.0 %\"]"
            )
        );
        assert!(colored.contains("\"KRvK\" [fillcolor = \"#ffe680\""), "{colored}");
        assert!(colored.contains("\"KvK\" [fillcolor = \"#ffe680\""), "two kings are a draw: {colored}");
    }

    #[test]
    fn colors_follow_the_results() {
        let color = |white, draws| Shares { white, draws, black: 1.0 - white - draws }.color();
        assert_eq!(color(0.3, 0.4), "#9ecbff");
        assert_eq!(color(0.5, 0.4), "#a8e0a0");
        assert_eq!(color(0.005, 0.99), "#ffe680");
    }
}
