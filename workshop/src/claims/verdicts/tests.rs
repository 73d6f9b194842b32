//! Reversals of every verdict, and the limits of chance.

use super::*;
use crate::claims::claim::Verdict;
use crate::claims::claim::Verdict::{Confirmed, Depends, Refuted, Undecided};

fn r(mean: f64, low: f64, high: f64) -> Ratio {
    Ratio { mean, low, high }
}

fn first(ranks: [usize; 4], behind: f64) -> Favourites {
    Favourites { ranks, behind }
}

fn winnable(all: usize, both: usize) -> Winnable {
    Winnable { all, both, is_at_least: false }
}

/// A number of moves with an interval.
fn about(moves: f64) -> Ratio {
    r(moves, moves - 1.0, moves + 1.0)
}

/// Returns, for every claim that data decide, a verdict from some data and another one from data that reverse it.
fn reversals() -> Vec<(&'static str, Verdict, Verdict)> {
    let (gain, loss, none) = (r(0.8, 0.7, 0.9), r(1.2, 1.1, 1.3), r(1.0, 0.9, 1.1));
    let large = r(2.3, 1.8, 3.0);
    vec![
        ("N2", branching(about(35.0), about(38.0)), branching(about(25.6), about(32.8))),
        (
            "N24",
            tree_sizes((6.938e13, 1.5e11), (2.015e21, 8.5e18)),
            tree_sizes((8e13, 1.5e11), (3e21, 8.5e18)),
        ),
        ("N4", positions_and_games(45.5, 200.0), positions_and_games(51.0, 110.0)),
        ("N5", worst_order(&[(81, 81, [81, 81])]), worst_order(&[(81, 81, [79, 81])])),
        ("N16", null_windows(&[gain, none]), null_windows(&[loss, none])),
        ("N7", effective_branching(5.6, 4.97, gain), effective_branching(12.0, 4.97, gain)),
        ("N8", twice_the_depth((1.9, 0.05)), twice_the_depth((1.1, 0.05))),
        ("N12", aspiration(&[none, gain]), aspiration(&[loss, loss])),
        (
            "N13",
            table_factor(&[r(1.8, 1.6, 2.0), r(3.2, 2.7, 3.8)]),
            table_factor(&[r(0.9, 0.8, 1.0), r(0.9, 0.8, 0.95)]),
        ),
        ("N14", table_safety(0), table_safety(1)),
        ("N15", two_savings(gain, gain), two_savings(loss, loss)),
        ("N16c", null_windows(&[gain, gain, gain]), null_windows(&[loss, none, none])),
        ("N17", mtd_and_table(large, large), mtd_and_table(none, none)),
        ("N18", enhanced_cutoffs(r(0.78, 0.76, 0.8)), enhanced_cutoffs(r(1.1, 1.05, 1.2))),
        ("N19", two_savings(gain, gain), two_savings(loss, loss)),
        ("N21", every_gain(&[[10.0, 40.0]]), every_gain(&[[-40.0, -10.0]])),
        ("N22", extensions(39.0), extensions(2.0)),
        ("N26", savings_by_depth(&[1.0, 5.7, 18.1]), savings_by_depth(&[1.0, 1.1, 1.2])),
        ("N20", null_moves(&[(15, 1), (3, 0)], 200), null_moves(&[(0, 0), (0, 1)], 200)),
        ("N23", singular_extensions([37, 21]), singular_extensions([25, 21])),
        ("N27", two_savings(gain, gain), two_savings(loss, loss)),
        ("N28", null_moves(&[(20, 2)], 300), null_moves(&[(2, 20)], 300)),
        ("N29", one_level(&[Some(r(0.9, 0.7, 1.1))]), one_level(&[Some(r(0.2, 0.1, 0.3))])),
        ("N30", one_more_level(&[[5.0, 9.0]], &[gain]), one_more_level(&[[-9.0, -5.0]], &[loss])),
        (
            "N31",
            quiescence_share(r(0.8, 0.7, 0.9), r(0.3, 0.2, 0.4)),
            quiescence_share(r(0.3, 0.2, 0.4), r(0.7, 0.6, 0.8)),
        ),
        ("N32", nearly_all(&[r(0.98, 0.97, 0.99)]), nearly_all(&[r(0.7, 0.6, 0.75)])),
        ("N33", two_savings(gain, gain), two_savings(loss, loss)),
        ("N34", saves(gain, 0), saves(loss, 0)),
        (
            "N35",
            quality_and_cost(&[(r(3.0, 2.9, 3.1), (0.8, 0.05), (0.6, 0.05))]),
            quality_and_cost(&[(r(3.0, 2.9, 3.1), (0.8, 0.05), (0.8, 0.05))]),
        ),
        ("N36", delayed_losses(&[0.6, 0.2], (80.0, 30.0)), delayed_losses(&[0.0, 0.0], (0.0, 0.0))),
        ("N37", correlation(r(0.5, 0.4, 0.6)), correlation(r(0.0, -0.1, 0.1))),
        (
            "N38",
            four_plies(&[[(900.0, 90.0), (1500.0, 90.0)]; 2]),
            four_plies(&[[(500.0, 90.0), (900.0, 90.0)]; 2]),
        ),
        ("N39", mtd_family(&[gain], &[loss]), mtd_family(&[loss], &[loss])),
        ("N40", best_first(&[gain, gain]), best_first(&[loss, loss])),
        ("N41", conspiracy(&[[0.1, 0.3]]), conspiracy(&[[-0.3, -0.1]])),
        (
            "N42",
            nearly_all(&[r(0.97, 0.96, 0.98), r(0.98, 0.97, 0.99)]),
            nearly_all(&[r(0.6, 0.55, 0.65), r(0.7, 0.65, 0.75)]),
        ),
        ("N43", every_gain(&[[3.0, 9.0], [2.0, 8.0]]), every_gain(&[[-9.0, -3.0], [-8.0, -2.0]])),
        ("B8", favourites(&[first([1, 2, 4, 3], 0.0)]), favourites(&[first([5, 4, 2, 3], 30.0)])),
        ("T26", won_by_search(&[(8, 8)]), won_by_search(&[(8, 0)])),
        ("T27", growth(190.0, 164.0), growth(2.0, 164.0)),
        ("T28", no_exception(0, 30), no_exception(3, 30)),
        ("T29", small_fraction(&[r(0.03, 0.02, 0.04)]), small_fraction(&[r(0.3, 0.2, 0.4)])),
        ("T30", small_fraction(&[r(0.05, 0.03, 0.08)]), small_fraction(&[r(0.4, 0.3, 0.5)])),
        (
            "B7",
            book_reach(Some([18.0, 22.0]), [0.001, 0.003]),
            book_reach(Some([5.0, 6.0]), [-0.003, -0.001]),
        ),
        ("T2", queen_depth(19, 20), queen_depth(25, 26)),
        ("T3", queen_wins(0.0, 0.01, 0), queen_wins(0.0, 0.1, 0)),
        ("T6", both_can_win(&[winnable(110, 71)]), both_can_win(&[winnable(5, 0), winnable(30, 12)])),
        ("T7", queen_against_pawn(0, 0), queen_against_pawn(0, 4)),
        ("T10", bishops(0, 66, 1_479_132), bishops(3, 5000, 1_479_132)),
        (
            "T14",
            five_piece_positions(201_287_116_800, r(0.5, 0.49, 0.51)),
            five_piece_positions(201_287_116_800, r(0.7, 0.69, 0.71)),
        ),
        ("T15", positions_a_byte(&[13.0; 2]), positions_a_byte(&[21.2, 54.1])),
        ("T16", queen_against_rook(51), queen_against_rook(31)),
        ("T17", fallible_player(&[(20, 3)]), fallible_player(&[(20, 20)])),
        ("T18", two_bishops(132), two_bishops(120)),
        ("T19", two_bishops_share(0.98, 0.97), two_bishops_share(0.5, 0.0)),
        ("T20", kling_and_horwitz(0.985), kling_and_horwitz(0.1)),
        ("T21", fifty_moves(1), fifty_moves(0)),
        ("T23", smaller_numbers([9, 5, 4]), smaller_numbers([4, 5, 9])),
        ("T24", one_byte(63), one_byte(300)),
        ("T25", few_pieces(66), few_pieces(132)),
        ("B2", collisions(0, true), collisions(3, false)),
        ("B4", learning([0.25, 0.01], [0.25, 0.01], 0.0), learning([0.25, 0.3], [0.25, 0.2], 0.0)),
        ("B6", pruning(0.55, 0.02), pruning(0.45, 0.02)),
    ]
}

/// The claims whose data confirm or refute them in part alone.
const PARTLY: [(&str, [Verdict; 2]); 8] = [
    ("N4", [Refuted, Undecided]),
    ("N5", [Confirmed, Depends]),
    ("N14", [Undecided, Refuted]),
    ("N17", [Confirmed, Undecided]),
    ("N23", [Confirmed, Undecided]),
    ("B7", [Undecided, Refuted]),
    ("T3", [Confirmed, Depends]),
    ("T14", [Confirmed, Depends]),
];

#[test]
fn data_reverse_the_verdict_of_every_claim() {
    let table = reversals();
    let decided = || crate::claims::claims().filter(|claim| !claim.is_arithmetic());
    for claim in decided() {
        let found = table.iter().find(|(id, ..)| *id == claim.id);
        let (_, one, other) = found.unwrap_or_else(|| panic!("{} has no reversal", claim.id));
        let part = PARTLY.iter().find(|(id, _)| *id == claim.id);
        assert_eq!([*one, *other], part.map_or([Confirmed, Refuted], |part| part.1), "{}", claim.id);
    }
    assert_eq!(table.len(), decided().count());
}

#[test]
fn distances_of_equal_size_are_not_smaller() {
    assert_eq!(smaller_numbers([5, 4, 5]), Depends);
    assert_eq!(smaller_numbers([5, 5, 4]), Depends);
}

#[test]
fn experiments_name_no_verdict() {
    // Only this module and the type decide, so no experiment has a constant verdict.
    for text in [
        include_str!("../numbers.rs"),
        include_str!("../counting.rs"),
        include_str!("../first_moves.rs"),
        include_str!("../trees.rs"),
        include_str!("../best_first.rs"),
        include_str!("../zugzwang.rs"),
        include_str!("../mates.rs"),
        include_str!("../books.rs"),
        include_str!("../search/branching.rs"),
        include_str!("../search/costs.rs"),
        include_str!("../search/evaluation.rs"),
        include_str!("../search/horizon.rs"),
        include_str!("../search/near_leaves.rs"),
        include_str!("../search/null_move.rs"),
        include_str!("../search/quiescence.rs"),
        include_str!("../search/selectivity.rs"),
        include_str!("../search/table.rs"),
        include_str!("../search/windows.rs"),
        include_str!("../tables/endings.rs"),
        include_str!("../tables/games.rs"),
        include_str!("../tables/generated.rs"),
        include_str!("../tables/growth.rs"),
        include_str!("../tables/materials.rs"),
        include_str!("../tables/ordering.rs"),
        include_str!("../tables/two_bishops.rs"),
        include_str!("../tables/values.rs"),
        include_str!("../tables/fallible.rs"),
        include_str!("../tables/winnable.rs"),
    ] {
        let code = text.split("#[cfg(test)]").next().unwrap_or(text);
        assert!(!code.contains("Verdict"), "an experiment decides by itself: {text:.80}");
    }
}

#[test]
fn positions_per_byte_that_hold_in_one_way_of_counting_depend_on_it() {
    assert_eq!(positions_a_byte(&[4.4, 21.2, 11.3, 54.1]), Depends);
    assert_eq!(positions_a_byte(&[4.4, 21.2]), Refuted);
    assert_eq!(positions_a_byte(&[]), Undecided);
}

#[test]
fn chance_decides_nothing() {
    let wide = r(0.98, 0.94, 1.02);
    assert_eq!(aspiration(&[wide; 6]), Undecided);
    assert_eq!(null_windows(&[wide; 3]), Undecided);
    assert_eq!(two_savings(wide, wide), Undecided);
    assert_eq!(mtd_family(&[wide; 3], &[wide; 3]), Undecided);
    // Six losses and one gain in one of nine rows are chance.
    assert_eq!(null_moves(&[(6, 1), (0, 0), (1, 2)], 300), Undecided);
    assert_eq!(pruning(0.508, 0.03), Undecided);
    let five = |both| Winnable { all: 110, both, is_at_least: true };
    assert_eq!(both_can_win(&[winnable(30, 12), five(50)]), Undecided, "there may be more");
    assert_eq!(both_can_win(&[winnable(30, 12), five(60)]), Depends);
    assert_eq!(singular_extensions([11, 9]), Undecided, "other positions cannot refute");
    assert_eq!(mtd_and_table(r(2.3, 1.8, 3.0), r(1.01, 0.99, 1.03)), Depends);
    assert_eq!(enhanced_cutoffs(r(0.95, 0.70, 1.28)), Undecided);
    assert_eq!(enhanced_cutoffs(r(0.80, 0.65, 0.98)), Undecided, "wider than the claimed range");
    assert_eq!(every_gain(&[[-5.0, 20.0]; 4]), Undecided);
    assert_eq!(every_gain(&[[1.0, 5.0], [-1.0, 5.0]]), Depends, "one comparison is open");
    assert_eq!(small_fraction(&[r(0.1, 0.08, 0.12)]), Undecided);
    assert_eq!(small_fraction(&[r(0.05, 0.04, 0.06), r(0.1, 0.08, 0.12)]), Undecided);
    assert_eq!(small_fraction(&[r(0.05, 0.04, 0.06), r(0.2, 0.15, 0.25)]), Depends);
    let [claimed, other] = [first([1, 2, 3, 4], 0.0), first([3, 1, 6, 2], 0.0)];
    assert_eq!(favourites(&[claimed, other]), Depends, "the evaluations differ");
    let (close, clear) = (first([2, 5, 3, 1], 2.0), first([6, 5, 3, 1], 30.0));
    assert_eq!(favourites(&[close, clear]), Undecided, "one move is a little better");
    assert_eq!(favourites(&[claimed, clear]), Depends);
    assert_eq!(favourites(&[clear; 2]), Refuted);
}

#[test]
fn reach_of_games_of_little_variety_can_only_refute() {
    let rising = [0.001, 0.003];
    assert_eq!(book_reach(None, rising), Undecided, "beyond the plies compared");
    assert_eq!(book_reach(Some([34.0, 36.0]), rising), Undecided, "games of people vary more");
    assert_eq!(book_reach(Some([5.0, 6.0]), rising), Depends);
    assert_eq!(book_reach(Some([5.0, 6.0]), [-0.001, 0.003]), Undecided);
}

#[test]
fn four_plies_are_needed_only_if_neither_kind_of_player_does_with_two() {
    let needs_four = [(794.0, 110.0), (1451.0, 108.0)];
    let two_suffice = [(1442.0, 108.0), (1790.0, 119.0)];
    assert_eq!(four_plies(&[needs_four, needs_four]), Confirmed);
    assert_eq!(four_plies(&[needs_four, two_suffice]), Depends);
    assert_eq!(four_plies(&[two_suffice, two_suffice]), Refuted, "no kind needs four");
    let open = [(1150.0, 108.0), (1790.0, 119.0)];
    assert_eq!(four_plies(&[needs_four, open]), Undecided);
    assert_eq!(four_plies(&[]), Undecided, "no kind was played");
}

#[test]
fn six_bits_hold_a_distance_in_plies_or_in_moves() {
    assert_eq!([63, 64, 85, 126].map(one_byte), [Confirmed, Depends, Depends, Depends]);
    assert_eq!(one_byte(127), Refuted);
}

#[test]
fn only_scores_that_differ_without_repetitions_refute_the_safety_of_a_table() {
    assert_eq!(table_safety(0), Undecided);
    assert_eq!(table_safety(2), Refuted);
}

#[test]
fn saving_is_limited_only_if_no_interval_contains_the_limit() {
    let [below, across, above] = [r(3.2, 2.7, 3.8), r(3.6, 2.8, 4.7), r(26.0, 9.9, 69.0)];
    assert_eq!(table_factor(&[below, below]), Confirmed);
    assert_eq!(table_factor(&[below, across]), Undecided, "noise does not favour the claim");
    assert_eq!(table_factor(&[across, above]), Undecided);
    assert_eq!(table_factor(&[below, across, above]), Depends);
    assert_eq!(table_factor(&[above, above]), Refuted);
    assert_eq!(table_factor(&[r(1.0, 0.9, 1.1)]), Undecided, "no saving is shown");
    assert_eq!(table_factor(&[r(0.9, 0.8, 1.0)]), Refuted);
}

#[test]
fn factor_that_unordered_moves_have_too_is_not_caused_by_ordering() {
    assert_eq!(effective_branching(5.61, 4.97, r(0.99, 0.95, 1.03)), Depends);
    assert_eq!(effective_branching(5.61, 4.97, r(0.8, 0.7, 0.9)), Confirmed);
    assert_eq!(effective_branching(8.0, 4.97, r(0.8, 0.7, 0.9)), Refuted);
}

#[test]
fn claim_that_holds_under_no_condition_does_not_depend_on_one() {
    assert_eq!(twice_the_depth((1.54, 0.06)), Refuted);
    assert_eq!(twice_the_depth((1.8, 0.1)), Undecided, "the limit is in the interval");
    assert_eq!(extensions(5.0), Refuted);
    assert_eq!(growth(800.0, 164.0), Refuted);
    assert_eq!(correlation(r(0.34, 0.29, 0.39)), Undecided);
    assert_eq!(correlation(r(0.2, 0.1, 0.29)), Refuted);
}

#[test]
fn enhanced_cutoffs_are_confirmed_near_the_claimed_range_only() {
    assert_eq!(enhanced_cutoffs(r(0.78, 0.71, 0.84)), Confirmed);
    assert_eq!(enhanced_cutoffs(r(0.90, 0.887, 0.914)), Refuted);
    assert_eq!(enhanced_cutoffs(r(0.85, 0.83, 0.87)), Undecided, "a limit is in the interval");
}

#[test]
fn quiescence_must_gain_at_every_depth() {
    assert_eq!(every_gain(&[[10.0, 40.0], [-5.0, 20.0]]), Depends);
    assert_eq!(every_gain(&[]), Undecided);
}

#[test]
fn loss_of_strength_does_not_show_at_the_ceiling() {
    let cost = r(3.0, 2.9, 3.1);
    let ceiling = (cost, (0.982, 0.01), (0.975, 0.01));
    assert_eq!(quality_and_cost(&[ceiling]), Undecided);
    let weighed = (cost, (0.8, 0.05), (0.6, 0.05));
    assert_eq!(quality_and_cost(&[ceiling, weighed]), Confirmed, "the other pair decides");
}
