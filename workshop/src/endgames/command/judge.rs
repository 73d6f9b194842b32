//! `workshop tb judge`: compares scores of positions with their known results.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;
use stretto::engine::{Configuration, Solo};
use stretto::eval::Evaluation;
use stretto::eval::network::Network;
use stretto::position::{Game, Position};
use stretto::search::limits::Limits;
use stretto::types::{Color, Mebibytes, Nodes};

use stretto_harness::base::epd;
use stretto_harness::base::pgn::half_points;
use stretto_harness::base::system::files::check_inputs;
use stretto_harness::report::Table;
use stretto_harness::run::command::{Failure, cancel_on_signals, print};
use stretto_stats::proportion::wilson;

/// Scores enter the means with at most this value: mate scores would outweigh all others. Units:
/// centipawns.
const MAX_SCORE: i32 = 1000;
/// Hash table of a search. Units: MiB.
const HASH: Mebibytes = Mebibytes(4);

/// Compares the scores of positions with their known results.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// EPD files with the result in the operation `c9`, as from `workshop tb sample`.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The network [default: the built-in network].
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Search each position with this many nodes [default: the static evaluation].
    #[arg(long, value_name = "N")]
    nodes: Option<NonZeroU64>,
    /// A side with a score of more than this many centipawns is judged as winning.
    #[arg(long, value_name = "CP", default_value_t = 100)]
    threshold: u16,
}

/// Sums over the positions with one result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Sums {
    positions: u64,
    /// For a decisive result the winner's scores, for a draw absolute ones. Units: centipawns.
    score: i64,
    /// Positions in which the winner, or in a draw one of the sides, is judged as winning.
    won: u64,
    /// Positions in which the loser is judged as winning.
    wrong: u64,
}

impl Sums {
    /// Adds a position. `winner` is the winner's score, or in a draw that of either side.
    fn add(&mut self, winner: i32, is_draw: bool, threshold: u16) {
        let score = if is_draw { winner.abs() } else { winner };
        self.positions += 1;
        self.score += i64::from(score.clamp(-MAX_SCORE, MAX_SCORE));
        self.won += u64::from(score > threshold.into());
        self.wrong += u64::from(score < -i32::from(threshold));
    }

    /// Returns the row of [`table`].
    pub(crate) fn row(&self, name: &str, is_draw: bool) -> Vec<String> {
        let share = |count| {
            let percent = 100.0 * count as f64 / self.positions.max(1) as f64;
            wilson(count, self.positions).map_or_else(
                || "-".to_owned(),
                |(low, high)| format!("{percent:.1} % [{:.1}, {:.1}]", 100.0 * low.0, 100.0 * high.0),
            )
        };
        vec![
            name.to_owned(),
            self.positions.to_string(),
            format!("{:.0}", self.score as f64 / self.positions.max(1) as f64),
            share(self.won),
            if is_draw { "-".to_owned() } else { share(self.wrong) },
        ]
    }
}

/// Returns the evaluation with this network, or with the built-in one.
pub(crate) fn evaluation(network: Option<&Path>) -> anyhow::Result<Evaluation> {
    Ok(match network {
        Some(file) => Evaluation::Network(Arc::new(Network::load(file)?)),
        None => Evaluation::default(),
    })
}

/// Prints the scores by result.
pub(crate) fn run(args: &JudgeArgs) -> Result<(), Failure> {
    check_inputs(&args.files, None).map_err(Failure::Usage)?;
    let scorer = Scorer::new(evaluation(args.network.as_deref())?, args.nodes)?;
    let [won, drawn] = judge(&args.files, scorer, args.threshold)?;
    let how = args.nodes.map_or_else(|| "static evaluation".to_owned(), |nodes| format!("{nodes} nodes"));
    let table = table([drawn.row("draw", true), won.row("win", false)], args.threshold);
    print(&format!("{how}\n\n{table}"));
    Ok(())
}

/// Returns the rows of [`Sums::row`] as a table in Markdown.
pub(crate) fn table(rows: impl IntoIterator<Item = Vec<String>>, threshold: u16) -> String {
    let judged = format!("judged as won (> {threshold} cp)");
    let table =
        Table::new(&["result", "positions", "mean score", &judged, "judged as lost"], rows).markdown();
    format!(
        "{table}\nScores are centipawns of the winner, in draws absolute values, and count as at most {MAX_SCORE}.\n\
         Intervals are 95 % (Wilson).\n"
    )
}

/// Scores the positions of the files. Returns the sums of the decisive ones and those of the draws.
pub(crate) fn judge(files: &[PathBuf], mut scorer: Scorer, threshold: u16) -> Result<[Sums; 2], Failure> {
    let mut positions = Vec::new();
    for file in files {
        positions.extend(read(file)?);
    }
    let cancel = cancel_on_signals()?;
    let mut sums = [Sums::default(); 2];
    for (position, half_points) in positions {
        if cancel.is_cancelled() {
            return Err(Failure::Interrupted);
        }
        let is_draw = half_points == 1;
        let winner = if half_points == 0 { Color::Black } else { Color::White };
        let score = scorer.score(&position);
        let score = if position.side_to_move() == winner { score } else { -score };
        sums[usize::from(is_draw)].add(score, is_draw, threshold);
    }
    Ok(sums)
}

/// Scores positions for the side to move.
pub(crate) enum Scorer {
    /// By the evaluation alone.
    Static(Evaluation),
    /// By a search with this many nodes.
    Search(Box<Solo>, NonZeroU64),
}

impl Scorer {
    fn new(evaluation: Evaluation, nodes: Option<NonZeroU64>) -> Result<Self, Failure> {
        let Some(nodes) = nodes else { return Ok(Self::Static(evaluation)) };
        let configuration = Configuration { evaluation, is_analysis: true, ..Configuration::default() };
        let solo = Solo::new(HASH, configuration).map_err(anyhow::Error::from)?;
        Ok(Self::Search(Box::new(solo), nodes))
    }

    fn score(&mut self, position: &Position) -> i32 {
        match self {
            Self::Static(evaluation) => evaluation.evaluate(position).0,
            Self::Search(solo, nodes) => {
                solo.new_game();
                let limits = Limits { nodes: Some(Nodes(nodes.get())), ..Limits::default() };
                solo.search(&Game::new(*position), limits).score.0
            }
        }
    }
}

/// Reads the positions of a file with White's half-points.
fn read(file: &Path) -> Result<Vec<(Position, u8)>, Failure> {
    let shown = file.display();
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {shown}"))?;
    let mut positions = Vec::new();
    for (number, text) in (1..).zip(epd::lines(&bytes)) {
        let Some(line) = epd::parse(text) else { continue };
        let line = line.map_err(|error| anyhow!("{shown}:{number}: {error}"))?;
        let result = line.operation("c9").map(epd::Operation::text);
        let result = result.filter(|_| line.count("c9") == 1);
        let Some(half_points) = result.as_deref().and_then(half_points) else {
            let found = result.map_or_else(|| line.count("c9").to_string(), |found| format!("`{found}`"));
            let message = "expected the result in one operation c9, such as `c9 \"1-0\";`";
            return Err(Failure::Run(anyhow!("{shown}:{number}: {message}, found {found}")));
        };
        let fen = Fen::from_position(&line.position, EnPassantMode::Legal).to_string();
        let position = Position::from_fen(&fen).map_err(|error| anyhow!("{shown}:{number}: {error}"))?;
        positions.push((position, half_points));
    }
    if positions.is_empty() {
        return Err(Failure::Run(anyhow!("{shown}: expected at least one position, found none")));
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_count_absolute_scores_and_wins_those_of_the_winner() {
        let mut draws = Sums::default();
        for score in [-150, 50, 30_000] {
            draws.add(score, true, 100);
        }
        assert_eq!(draws, Sums { positions: 3, score: 1200, won: 2, wrong: 0 });
        let mut wins = Sums::default();
        for score in [-150, 100, 101, -32_000] {
            wins.add(score, false, 100);
        }
        assert_eq!(wins, Sums { positions: 4, score: -949, won: 1, wrong: 2 });
        assert_eq!(wins.row("win", false)[2], "-237");
    }

    #[test]
    fn two_results_of_a_position_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("p.epd");
        let line = "7k/8/6K1/8/8/8/8/R7 w - - c9 \"1-0\";";
        std::fs::write(&file, format!("{line}\n")).unwrap();
        assert_eq!(read(&file).ok().unwrap().len(), 1);
        std::fs::write(&file, format!("{line}\n{line} c9 \"0-1\";\n")).unwrap();
        let Err(Failure::Run(error)) = read(&file) else { panic!("accepted") };
        assert!(
            error.to_string().ends_with("in one operation c9, such as `c9 \"1-0\";`, found 2"),
            "{error}"
        );
    }

    #[test]
    fn search_sees_what_the_static_evaluation_does_not() {
        let mate = Position::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1").unwrap();
        let mut fixed = Scorer::new(Evaluation::Material, None).ok().unwrap();
        assert_eq!(fixed.score(&mate), 520);
        let nodes = NonZeroU64::new(1000);
        assert!(Scorer::new(Evaluation::Material, nodes).ok().unwrap().score(&mate) > 31_000);
    }
}
