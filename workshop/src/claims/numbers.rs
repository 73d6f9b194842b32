//! Claims about numbers of moves, positions and leaves.

use stretto::position::{Position, perft};

use super::claim::{Claim, Effort, Finding, claims, plus_minus};
use super::self_play::{LONGEST, whole_games};
use super::verdicts::{self, Ratio};
use stretto_harness::base::random::SplitMix64;

pub(super) const CLAIMS: &[Claim] = claims! {
    N1 [BooksAndTables] "38^8 is 4,347,792,138,496 positions, which take over twelve hours at 100 million per second"
        Arithmetic("4,347,792,138,496; 12.08 hours");
    N2 [Owen, BooksAndTables] "A position has about 35 legal moves on average, 38 in the middlegame"
        Sized(branching);
    N3 [Owen] "With 35 moves per position, four plies give about 1.5 million positions and six about 2 billion"
        Arithmetic("1,500,625 and 1,838,265,625");
    N24 [Otter] "Ten plies from the start give about 7·10^13 positions, fifteen about 2·10^21"
        Sized(tree_sizes);
    N25 [Owen] "With GNU Chess's piece values the starting position evaluates to 0, and captured material counts for the capturing side"
        Arithmetic("0 at the start, 980 without the opponent's queen, -250 with a knight less and a pawn more");
    B1 [BooksAndTables] "White has 20 first moves"
        Arithmetic("20 legal moves");
};

/// Length of a game phase in the branching table. Units: plies.
const PHASE: usize = 20;
/// Number of phases. The last one has no end.
const PHASES: usize = 9;

fn branching(effort: Effort) -> Finding {
    // By game and ply.
    let counts = |game: &Vec<Position>| {
        game.iter().map(|position| position.legal_moves().len() as f64).collect::<Vec<f64>>()
    };
    let games: Vec<Vec<f64>> = whole_games(effort.pick(10, 100)).iter().map(counts).collect();
    if games.is_empty() {
        return Finding::no_memory();
    }
    let in_plies = |first: usize, end: usize| {
        let sums = games.iter().map(|counts| {
            let part = counts.iter().take(end).skip(first);
            (part.clone().sum(), part.count() as f64)
        });
        sums.collect::<Vec<(f64, f64)>>()
    };
    let [all, middle] =
        [in_plies(0, usize::MAX), in_plies(PHASE, 3 * PHASE)].map(|sums| Ratio::of_sums(&sums));
    let cell = |ratio: Ratio| plus_minus(ratio.mean, ratio.high - ratio.mean, 1);
    let rows = (0..PHASES).map(|phase| {
        let first = PHASE * phase;
        let is_last = phase + 1 == PHASES;
        let sums = in_plies(first, if is_last { usize::MAX } else { first + PHASE });
        let plies = if is_last {
            format!("from {}", first + 1)
        } else {
            format!("{} to {}", first + 1, first + PHASE)
        };
        let positions: f64 = sums.iter().map(|sum| sum.1).sum();
        vec![plies, positions.to_string(), cell(Ratio::of_sums(&sums))]
    });
    let measured = format!(
        "{} in plies 21 to 60, {} over whole games ({} self-play games with 500 nodes per move, without resignation, up to mate, a \
         draw or {LONGEST} plies)",
        cell(middle),
        cell(all),
        games.len()
    );
    Finding::new(verdicts::branching(all, middle), measured).with(
        "Legal moves by ply (95 %)",
        vec!["plies", "positions", "mean"],
        rows.collect(),
    )
}

/// Estimates the leaves of the tree by random walks: the product of the move counts along a walk is
/// an unbiased estimate.
///
/// Source: D. Knuth, "Estimating the efficiency of backtrack programs" (1975).
fn sampled(depth: u32, walks: u64, seed: u64) -> (f64, f64) {
    let mut random = SplitMix64::new(seed);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..walks {
        let mut position = Position::startpos();
        let mut product = 1.0;
        for _ in 0..depth {
            let moves = position.legal_moves();
            product *= moves.len() as f64;
            if moves.is_empty() {
                break;
            }
            position = position.after(moves[random.below(moves.len() as u64) as usize]);
        }
        sum += product;
        squares += product * product;
    }
    let count = walks as f64;
    let mean = sum / count;
    (mean, 1.96 * ((squares / count - mean * mean) / count).sqrt())
}

fn tree_sizes(effort: Effort) -> Finding {
    let walks = effort.pick(20_000, 1_000_000);
    let exact = effort.pick(5, 6);
    let rows: Vec<Vec<String>> = (1..=15)
        .map(|depth| {
            let counted =
                if depth <= exact { perft(&Position::startpos(), depth).to_string() } else { "-".to_owned() };
            let (estimate, half) = sampled(depth, walks, u64::from(depth));
            vec![
                depth.to_string(),
                counted,
                format!("{estimate:.4e}"),
                format!("{:.2} %", 100.0 * half / estimate),
            ]
        })
        .collect();
    let ((ten, ten_half), (fifteen, half)) = (sampled(10, walks, 10), sampled(15, walks, 15));
    let measured = format!(
        "{ten:.3e} ± {ten_half:.1e} at ten plies, {fifteen:.3e} ± {half:.1e} at fifteen, from {walks} \
         random walks"
    );
    Finding::new(verdicts::tree_sizes((ten, ten_half), (fifteen, half)), measured).with(
        "Leaves by depth",
        vec!["plies", "counted", "estimated", "95 %, ±"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use stretto::eval::material;

    #[test]
    fn random_walks_estimate_the_leaves_with_their_error() {
        // 8,902 leaves; a walk's product differs by about 1,000 from them.
        let (mean, error) = sampled(3, 4_000, 1);
        assert!((mean - 8_902.0).abs() < error && (5.0..60.0).contains(&error), "{mean} ± {error}");
    }

    #[test]
    fn calculations_give_the_figures_of_the_texts() {
        assert_eq!(38_u64.pow(8), 4_347_792_138_496);
        assert_eq!((35_u64.pow(4), 35_u64.pow(6)), (1_500_625, 1_838_265_625));
        assert_eq!(perft(&Position::startpos(), 1), 20);
        let value = |fen| material::evaluate(&Position::from_fen(fen).unwrap()).0;
        assert_eq!(value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 0);
        assert_eq!(value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), 980);
        assert_eq!(value("rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"), -250);
    }

    #[test]
    fn moves_are_counted_to_the_end_of_the_games() {
        let found = branching(Effort::Quick);
        let rows = &found.figures[0].rows;
        assert_eq!((rows.len(), rows[0][0].as_str(), rows[8][0].as_str()), (PHASES, "1 to 20", "from 161"));
        let counted: usize = rows.iter().map(|row| row[1].parse::<usize>().unwrap()).sum();
        assert_eq!(counted, whole_games(10).iter().map(Vec::len).sum::<usize>());
        assert!(found.measured.contains("up to mate, a draw or 300 plies"), "{}", found.measured);
    }
}
