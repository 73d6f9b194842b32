//! Tests of the strength levels.

use super::*;

fn handicap(elo: u32, key: u64) -> Handicap {
    Strength { elo, seed: 7 }.handicap(Key(key), 3)
}

/// Returns how often each move is played in a number of positions.
fn counts(elo: u32, scores: &[i32], positions: u64) -> Vec<u32> {
    let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
    let mut counts = vec![0; scores.len()];
    for key in 0..positions {
        counts[handicap(elo, key).choose(&scores).expect("a move")] += 1;
    }
    counts
}

#[test]
fn levels_grow_stronger_in_every_value() {
    for pair in LADDER.windows(2) {
        let [low, high] = pair else { unreachable!("windows of two") };
        assert!(low.elo < high.elo && low.nodes <= high.nodes, "{low:?} {high:?}");
        assert!(low.spread > high.spread && low.lines >= high.lines, "{low:?} {high:?}");
        let middle = Level::of(u32::midpoint(low.elo, high.elo));
        assert!((low.nodes..=high.nodes).contains(&middle.nodes), "{middle:?}");
        assert!((high.lines..=low.lines).contains(&middle.lines), "{middle:?}");
        assert!(middle.spread < low.spread && middle.spread > high.spread, "{middle:?}");
    }
    for &row in LADDER {
        let level = Level::of(row.elo);
        assert_eq!((level.elo, level.nodes, level.lines), (row.elo, row.nodes, row.lines));
    }
    assert_eq!(Level::of(0), LADDER[0]);
    assert_eq!(Level::of(10_000), LADDER[LADDER.len() - 1]);
}

#[test]
fn move_that_loses_the_spread_is_e_times_less_likely() {
    let spread = Level::of(WEAKEST).spread;
    let found = counts(WEAKEST, &[0, -(spread as i32)], 20_000);
    let expected = 20_000.0 / (1.0 + std::f64::consts::E);
    // Standard deviation 63.
    assert!((f64::from(found[1]) - expected).abs() < 320.0, "{found:?}, expected {expected}");
}

#[test]
fn strongest_level_never_plays_a_losing_move() {
    assert_eq!(counts(STRONGEST, &[-300, 20, -500], 20_000), [0, 20_000, 0]);
    let weak = counts(WEAKEST, &[-300, 20, -500], 20_000);
    assert!(weak[1] > weak[0] && weak[0] > weak[2] && weak[2] > 0, "{weak:?}");
}

#[test]
fn same_seed_position_and_ply_choose_the_same_move() {
    let scores = [Score(10), Score(0), Score(5)];
    for key in 0..50 {
        assert_eq!(handicap(900, key).choose(&scores), handicap(900, key).choose(&scores));
    }
    let choices: Vec<_> =
        (0..50).map(|plies| Strength { elo: 600, seed: 7 }.handicap(Key(1), plies).choose(&scores)).collect();
    assert!(choices.iter().any(|choice| *choice != choices[0]), "the choice must depend on the ply");
    assert_eq!(handicap(900, 0).choose(&[]), None);
}

#[test]
fn decided_games_make_progress_at_every_level() {
    let share_of_first = |elo, scores: &[i32]| counts(elo, scores, 2_000)[0];
    // A king driven a step towards the edge is worth 25 centipawns.
    let step = [1620, 1595, 1595, 1595];
    let mate = Score::MATE.0;
    // The shortest mate, and the longest resistance.
    for scores in [[mate - 1, mate - 3, mate - 3, mate - 3], [6 - mate, 4 - mate, 4 - mate, 4 - mate]] {
        let shares = [WEAKEST, 800, 1500].map(|elo| share_of_first(elo, &scores));
        assert!(shares[0] > 1_000 && shares[0] < 1_960, "{shares:?}");
        assert!(shares.is_sorted() && shares[2] == 2_000, "{shares:?}");
    }
    for elo in [WEAKEST, 800, 1300, STRONGEST] {
        assert!(share_of_first(elo, &step) > 1_950, "{elo}");
        assert_eq!(share_of_first(elo, &[mate - 41, 4_000, 1_600]), 2_000, "{elo}: a mate in sight");
    }
    // A game that is not decided has the usual spread.
    let undecided = counts(800, &[620, 595, 595, 595], 2_000);
    assert!(undecided[0] < 1_000, "{undecided:?}");
}

#[test]
fn values_rise_with_scores_from_one_mate_to_the_other() {
    let scores = (-Score::MATE.0..=Score::MATE.0).map(Score).map(value);
    assert!(scores.is_sorted_by(|one, other| one < other));
    assert_eq!((value(Score(-700)), value(Score::DRAW)), (-700, 0));
}

#[test]
fn thinking_takes_longer_with_more_good_moves_and_fits_the_clock() {
    let (soft, hard) = (Duration::from_secs(4), Duration::from_secs(5));
    let mean = |scores: &[i32]| {
        let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
        let times = (0..500).map(|key| handicap(1500, key).thinking_time(&scores, soft, hard));
        times.clone().for_each(|time| assert!(time <= hard, "{time:?}"));
        assert!(times.clone().max() > times.clone().min(), "not always as long");
        times.sum::<Duration>() / 500
    };
    let (forced, obvious, open) = (mean(&[30]), mean(&[30, -400]), mean(&[30, 28, 25, 20, 10, 0]));
    assert!(forced <= obvious && obvious < open, "{forced:?} {obvious:?} {open:?}");
    assert!(forced > soft / 10 && open < soft * 3 / 2, "{forced:?} {open:?}");
}
