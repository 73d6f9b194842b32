//! The limits of the verdicts that the texts leave open, such as what counts as "small".
//!
//! The verdicts use these constants, and [`limit`] describes them for the report and for
//! results/claims.md.

use stretto_harness::base::wording::grouped;

/// Largest distance from a claimed number of moves (N2).
pub(super) const MOVES: f64 = 4.0;
/// Largest distance from 1.5 million and from 2 billion positions (N3).
pub(super) const POWERS: [u64; 2] = [50_000, 200_000_000];
/// Largest relative distance from the claimed leaves, which have one digit (N24).
pub(super) const TREE_SIZE: f64 = 0.05;
/// Distance from a claimed power of ten that refutes it (N4).
pub(super) const POWER_OF_TEN: f64 = 1.0;
/// Largest branching factor relative to the square root of that of minimax (N7).
pub(super) const BRANCHING: f64 = 1.25;
/// Depth factor from which on the depth is about twice (N8).
pub(super) const TWICE: f64 = 1.8;
/// Growth from which a search needs the table (N17).
pub(super) const NEEDS_TABLE: f64 = 1.1;
/// Nodes with enhanced cutoffs that are about 75 to 80 % (N18).
pub(super) const CUTOFFS: [f64; 2] = [0.70, 0.85];
/// Nodes of the worst position that are an explosion (N22).
pub(super) const EXPLOSION: f64 = 10.0;
/// Growth of the savings from ply to ply that is exponential (N26).
pub(super) const PER_PLY: f64 = 1.5;
/// Positions from which on no loss refutes the claim, by the rule of three (N20, N28).
pub(super) const WITHOUT_LOSS: u64 = 100;
/// Levels that are about one (N29).
pub(super) const ONE_LEVEL: [f64; 2] = [0.5, 1.5];
/// Share from which on something is most of it (N31).
pub(super) const MOST: f64 = 0.5;
/// Deficit of a search against the static evaluation that is within the error of the latter: half a
/// pawn (N32). Units: centipawns.
pub(super) const STAND_PAT: i32 = 50;
/// Loss of material against the static evaluation from which on a position counts as losing, and the
/// part of it that a search must see (N36). Units: centipawns.
pub(super) const HORIZON: [i32; 2] = [200, 100];
/// Shares that count as nearly all, and as most (N32, N42).
pub(super) const NEARLY_ALL: [f64; 2] = [0.95, 0.8];
/// Scores from which on a loss of strength does not show (N35).
pub(super) const CEILING: f64 = 0.95;
/// Correlation from which on one quantity is a useful sign of the other (N37).
pub(super) const USEFUL: f64 = 0.3;
/// A novice's rating, above which the level of play is acceptable (N38). Units: Elo.
pub(super) const NOVICE: f64 = 1200.0;
/// Largest factor between the growth and the claimed one (T27).
pub(super) const GROWTH: f64 = 2.0;
/// Largest deficit of nearly equal moves (B8). Units: centipawns.
pub(super) const EQUAL_MOVES: f64 = 10.0;
/// Part of its first probability below which a losing line has been learnt (B4).
pub(super) const LEARNT: f64 = 0.25;
/// Deficit against the engine's choice from which on the engine rejects a book move (B6). Units:
/// centipawns.
pub(super) const REJECTED: i32 = 60;
/// Largest distance from the claimed iterations (T2).
pub(super) const ITERATIONS: u16 = 1;
/// Largest share that counts as very rare (T3).
pub(super) const VERY_RARE: f64 = 0.02;
/// Draws for each decisive position that are nearly always (T10).
pub(super) const DRAWS: u64 = 1000;
/// Shares that are about half (T14).
pub(super) const ABOUT_HALF: [f64; 2] = [0.4, 0.6];
/// Largest distance from the claimed positions per byte (T15).
pub(super) const PER_BYTE: f64 = 3.0;
/// Share that counts as almost every position (T19).
pub(super) const ALMOST_EVERY: f64 = 0.95;
/// Won shares of a lost fortress: confirmed and depends (T20).
pub(super) const FORTRESS: [f64; 2] = [0.9, 0.5];
/// Largest distance in the six bits that a result type of two bits leaves of a byte (T24).
pub(super) const SIX_BITS: u16 = 63;
/// Largest share that counts as small (T29, T30).
pub(super) const SMALL: f64 = 0.1;

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// Returns the limit of a claim's verdict that its text leaves open; `None` where the text states
/// every limit, or the sign of a difference decides.
pub(super) fn limit(id: &str) -> Option<String> {
    Some(match id {
        "N2" => format!("at most {MOVES} moves off"),
        "N3" => format!("at most {} and {} positions off", grouped(POWERS[0]), grouped(POWERS[1])),
        "N4" => format!("refuted from a factor of {:.0} off", 10_f64.powf(POWER_OF_TEN)),
        "N7" => format!(
            "at most {BRANCHING} times the square root of minimax; depends without a gain over unordered moves"
        ),
        "N8" => format!("{TWICE} times the depth"),
        "N17" => format!("the nodes grow more than {NEEDS_TABLE} times"),
        "N18" => format!(
            "whole interval from {:.2} to {:.2} of the nodes; refuted if all of it is outside",
            CUTOFFS[0], CUTOFFS[1]
        ),
        "N20" | "N28" => format!(
            "sign test of each row at 5 % divided by the number of rows; refuted by no loss in {WITHOUT_LOSS} positions or more"
        ),
        "N22" => format!("more than {EXPLOSION} times the nodes in the worst position"),
        "N24" => format!("{} off, plus the interval", percent(TREE_SIZE)),
        "N26" => format!("more than {PER_PLY} times from each ply to the next"),
        "N29" => format!("{} to {} levels", ONE_LEVEL[0], ONE_LEVEL[1]),
        "N31" => format!("{} of the nodes", percent(MOST)),
        "N32" => format!(
            "{} within {STAND_PAT} centipawns are nearly all; refuted below {}",
            percent(NEARLY_ALL[0]),
            percent(NEARLY_ALL[1])
        ),
        "N42" => {
            format!("{} are nearly all; refuted below {}", percent(NEARLY_ALL[0]), percent(NEARLY_ALL[1]))
        }
        "N35" => format!(
            "pairs decide whose better one takes more time, unless both scores are above {}",
            percent(CEILING)
        ),
        "N36" => {
            format!("{} centipawns are a loss, of which a search must see {}", HORIZON[0], HORIZON[1])
        }
        "N37" => format!("rank correlation of {USEFUL}"),
        "N38" => format!("a novice's rating of {NOVICE} Elo, with static leaves and with captures resolved"),
        "B4" => format!("below {} of the first probability", percent(LEARNT)),
        "B6" => format!("moves {REJECTED} centipawns below the engine's choice are rejected"),
        "B8" => format!("{EQUAL_MOVES} centipawns are nearly equal"),
        "T2" => format!("{ITERATIONS} iteration off"),
        "T3" => format!("{} are very rare", percent(VERY_RARE)),
        "T6" | "T17" | "T26" => "more than half".to_owned(),
        "T10" => format!("more than {DRAWS} draws for each decisive position"),
        "T14" => format!("{} to {} are about half", percent(ABOUT_HALF[0]), percent(ABOUT_HALF[1])),
        "T15" => format!("{PER_BYTE} positions per byte off"),
        "T19" => format!("{} are almost every position", percent(ALMOST_EVERY)),
        "T20" => format!("{} won; depends from {}", percent(FORTRESS[0]), percent(FORTRESS[1])),
        "T24" => format!("{SIX_BITS} in plies; depends in moves"),
        "T27" => format!("a factor of {GROWTH} off"),
        "T29" | "T30" => format!("{} are small", percent(SMALL)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::claims;
    use super::super::report::limits;
    use super::*;

    #[test]
    fn results_page_lists_the_limits_of_the_verdicts() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/claims.md");
        let page = fs::read_to_string(page).unwrap();
        let (_, rest) = page.split_once("<!-- limits: begin -->\n").unwrap();
        let (listed, _) = rest.split_once("<!-- limits: end -->").unwrap();
        let expected = limits(claims().map(|claim| claim.id)).unwrap().markdown();
        assert_eq!(listed, expected, "results/claims.md must have this table");
    }

    #[test]
    fn limits_belong_to_claims() {
        let with_limit = claims().filter(|claim| limit(claim.id).is_some()).count();
        assert_eq!(with_limit, 37);
        assert_eq!(limit("N1"), None, "the text states the hours");
        assert!(limit("N38").unwrap().contains("1200 Elo"));
        assert!(
            limit("N36").unwrap().contains("200 centipawns")
                && limit("B6").unwrap().contains("60 centipawns")
        );
    }
}
