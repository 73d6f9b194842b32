//! Tests of scores.

use super::*;

#[test]
fn mate_scores_convert_to_moves() {
    assert_eq!(Score::mate_in(Ply(1)).mate_moves(), Some(1));
    assert_eq!(Score::mate_in(Ply(3)).mate_moves(), Some(2));
    assert_eq!(Score::mated_in(Ply(2)).mate_moves(), Some(-1));
    assert_eq!(Score::mated_in(Ply(0)).mate_moves(), Some(0));
    assert_eq!(Score::MAX_EVAL.mate_moves(), None);
    assert!(!Score::MAX_EVAL.is_mate() && !(-Score::MAX_EVAL).is_mate());
}

#[test]
fn tablebase_wins_lie_between_evaluations_and_mates() {
    let farthest = Ply(MAX_PLY as u16);
    assert!(Score::MAX_EVAL < Score::tb_win_in(farthest));
    assert!(Score::tb_win_in(farthest) < Score::tb_win_in(Ply(0)));
    assert!(Score::tb_win_in(Ply(0)) < Score::mate_in(farthest));
    for ply in [Ply(0), Ply(7), farthest] {
        let (won, lost) = (Score::tb_win_in(ply), Score::tb_loss_in(ply));
        assert_eq!(won, -lost);
        assert!(
            won.is_decisive() && lost.is_decisive() && !won.is_mate() && lost.is_lost() && !won.is_lost()
        );
        assert_eq!(won.mate_moves(), None);
        assert_eq!(won.tb_plies(), Some(i32::from(ply.0)));
    }
    assert!(!Score::MAX_EVAL.is_decisive() && Score::mate_in(farthest).is_decisive());
    assert_eq!(Score::MAX_EVAL.tb_plies(), None);
    assert_eq!(Score::mate_in(farthest).tb_plies(), None);
}

#[test]
fn stored_tablebase_wins_count_from_the_node_and_respect_the_fifty_move_clock() {
    let far = Score::tb_win_in(Ply(9));
    assert_eq!(far.to_tt(Ply(4)), Score::tb_win_in(Ply(5)));
    assert_eq!(far.to_tt(Ply(4)).from_tt(Ply(6), 0), Some(Score::tb_win_in(Ply(11))));
    assert_eq!((-far).to_tt(Ply(4)).from_tt(Ply(6), 95), Some(Score::tb_loss_in(Ply(11))));
    assert_eq!(far.to_tt(Ply(4)).from_tt(Ply(6), 96), None);
    // A bound from above the node is not promoted to a mate.
    assert_eq!(Score::TB_WIN.to_tt(Ply(9)), Score::TB_WIN);
}

#[test]
fn stored_mates_count_from_the_node() {
    for ply in [Ply(0), Ply(5), Ply(100)] {
        for score in [Score(12), Score::mate_in(Ply(100)), Score::mated_in(Ply(100)), Score::MAX_EVAL] {
            assert_eq!(score.to_tt(ply).from_tt(ply, 0), Some(score));
        }
    }
    assert_eq!(Score::mate_in(Ply(7)).to_tt(Ply(4)), Score::mate_in(Ply(3)));
    // A bound from above the node is stored as a mate at the node.
    assert_eq!(Score::mated_in(Ply(3)).to_tt(Ply(9)), Score::mated_in(Ply(0)));
}

#[test]
fn mates_beyond_the_fifty_move_limit_are_discarded() {
    let seven = Score::mate_in(Ply(7));
    assert_eq!(seven.from_tt(Ply(2), 93), Some(Score::mate_in(Ply(9))));
    assert_eq!(seven.from_tt(Ply(2), 94), None);
    assert_eq!((-seven).from_tt(Ply(2), 94), None);
    assert_eq!((-seven).from_tt(Ply(2), 93), Some(Score::mated_in(Ply(9))));
    assert_eq!(Score(-31).from_tt(Ply(2), u16::MAX), Some(Score(-31)));
}

#[test]
fn mate_distances_are_exact_after_storage_or_discarded() {
    // At any plies of store and probe, a mate is either exact or discarded.
    for distance in 0..=MAX_PLY as u16 {
        for (store, probe) in [(0, 0), (0, 200), (10, 245), (distance, 246), (distance, 0)] {
            for sign in [1, -1] {
                let score = Score::mate_in(Ply(distance.max(store))) * sign;
                let plies = distance.max(store) - store;
                let found = score.to_tt(Ply(store)).from_tt(Ply(probe), 0);
                match found {
                    Some(found) => assert_eq!(found, Score::mate_in(Ply(plies + probe)) * sign),
                    None => assert!(plies > FIFTY_MOVES || usize::from(plies + probe) > MAX_PLY),
                }
            }
        }
    }
}

#[test]
fn negated_window_swaps_its_bounds() {
    let window = Window::new(Score(-10), Score(30));
    assert_eq!(-window, Window::new(Score(-30), Score(10)));
    assert!(Window::null_above(Score(5)).is_null() && Window::null_below(Score(5)).is_null());
}

#[test]
fn bound_follows_from_score_and_window() {
    let window = Window::new(Score(0), Score(10));
    for (score, bound) in [(-3, Bound::Upper), (0, Bound::Upper), (4, Bound::Exact), (10, Bound::Lower)] {
        assert_eq!(Bound::of(Score(score), window), bound);
    }
    assert!(Bound::Lower.decides(Score(10), window) && !Bound::Lower.decides(Score(9), window));
    assert!(Bound::Upper.decides(Score(0), window) && !Bound::Upper.decides(Score(1), window));
}
