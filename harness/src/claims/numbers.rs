//! Claims about numbers of moves, positions and leaves.

use stretto::eval::material;
use stretto::position::{Position, perft};
use stretto::types::Score;

use super::claim::{Claim, Effort, Finding, Text, Verdict, mean};
use super::self_play::self_play;
use crate::base::random::SplitMix64;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        id: "N1",
        texts: &[Text::BooksAndTables],
        statement: "38^8 is 4,347,792,138,496 positions, which take over twelve hours at 100 million per second",
        experiment: eight_plies,
    },
    Claim {
        id: "N2",
        texts: &[Text::Owen, Text::BooksAndTables],
        statement: "A position has about 35 legal moves on average, 38 in the middlegame",
        experiment: branching,
    },
    Claim {
        id: "N3",
        texts: &[Text::Owen],
        statement: "With 35 moves per position, four plies give about 1.5 million positions and six about 2 billion",
        experiment: owens_powers,
    },
    Claim {
        id: "N24",
        texts: &[Text::Otter],
        statement: "Ten plies from the start give about 7·10^13 positions, fifteen about 2·10^21",
        experiment: tree_sizes,
    },
    Claim {
        id: "N25",
        texts: &[Text::Owen],
        statement: "With GNU Chess's piece values the starting position evaluates to 0, and captured material counts for the capturing side",
        experiment: material_values,
    },
    Claim {
        id: "B1",
        texts: &[Text::BooksAndTables],
        statement: "White has 20 first moves",
        experiment: first_moves,
    },
];

fn eight_plies(_: Effort) -> Finding {
    let positions = 38_u64.pow(8);
    let hours = positions as f64 / 1e8 / 3600.0;
    let holds = positions == 4_347_792_138_496 && hours > 12.0;
    Finding::new(Verdict::of(holds), format!("{positions}; {hours:.2} hours"))
}

fn owens_powers(_: Effort) -> Finding {
    let (four, six) = (35_u64.pow(4), 35_u64.pow(6));
    let holds = four.abs_diff(1_500_000) < 50_000 && six.abs_diff(2_000_000_000) < 200_000_000;
    Finding::new(Verdict::of(holds), format!("{four} and {six}"))
}

fn first_moves(_: Effort) -> Finding {
    let moves = perft(&Position::startpos(), 1);
    Finding::new(Verdict::of(moves == 20), format!("{moves} legal moves"))
}

fn material_values(_: Effort) -> Finding {
    let value = |fen| Position::from_fen(fen).map(|position| material::evaluate(&position));
    let found = [
        value("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        value("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        value("rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"),
    ];
    let expected = [0, 980, 100 - 350].map(|value| Ok(Score(value)));
    Finding::new(
        Verdict::of(found == expected),
        "0 at the start, 980 without the opponent's queen, -250 with a knight less and a pawn more",
    )
}

/// Length of a game phase in the branching table. Units: plies.
const PHASE: usize = 20;

fn branching(effort: Effort) -> Finding {
    let games = effort.pick(10, 100);
    let mut by_phase: Vec<Vec<f64>> = vec![Vec::new(); 8];
    for positions in self_play(games, PHASE * by_phase.len()) {
        for (ply, position) in positions.iter().enumerate() {
            by_phase[ply / PHASE].push(position.legal_moves().len() as f64);
        }
    }
    let all = mean(by_phase.iter().flatten().copied());
    let middle = mean(by_phase[1..3].iter().flatten().copied());
    let rows = by_phase.iter().enumerate().map(|(phase, counts)| {
        let plies = format!("{} to {}", PHASE * phase + 1, PHASE * (phase + 1));
        vec![plies, counts.len().to_string(), format!("{:.1}", mean(counts.iter().copied()))]
    });
    let near = |found: f64, claimed: f64| (found - claimed).abs() <= 4.0;
    let verdict = match (near(all, 35.0), near(middle, 38.0)) {
        (true, true) => Verdict::Confirmed,
        (false, false) => Verdict::Refuted,
        _ => Verdict::Depends,
    };
    let measured = format!(
        "{middle:.1} in plies 21 to 60, {all:.1} over whole games ({games} self-play games with 500 nodes per move)"
    );
    Finding::new(verdict, measured).with(
        "Legal moves by ply",
        vec!["plies", "positions", "mean"],
        rows.collect(),
    )
}

/// Published perft value of the starting position at depth 10.
const PERFT_10: f64 = 69_352_859_712_417.0;

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
    // The known figure must lie within 1.6 half-widths, the other figures within 5 %.
    let holds = (ten - PERFT_10).abs() < 1.6 * ten_half
        && (PERFT_10 / 7e13 - 1.0).abs() < 0.05
        && (fifteen / 2e21 - 1.0).abs() < 0.05 + 1.6 * half / fifteen;
    let measured = format!(
        "{ten:.3e} ± {ten_half:.1e} at ten plies (published: 69,352,859,712,417), {fifteen:.3e} ± {half:.1e} at fifteen, from {walks} \
         random walks"
    );
    Finding::new(Verdict::of(holds), measured).with(
        "Leaves by depth",
        vec!["plies", "counted", "estimated", "95 %, ±"],
        rows,
    )
}
