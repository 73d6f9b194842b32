//! Null moves in zugzwang, tested on mutual zugzwangs from generated tables.

use stretto::position::Position;
use stretto::search::params::Tunable;
use stretto::search::switches::Switch;
use stretto::tablebase::{Material, Metric, Outcome};
use stretto::types::Color;

use super::chess::Setup;
use super::claim::{Claim, Effort, Finding, claims};
use super::verdicts;
use crate::endgames::{Table, Tables, fen, generate};
use stretto_harness::base::cancel::Cancel;

pub(super) const CLAIMS: &[Claim] = claims! {
    N20 [Ours] "Null-move pruning is unsound in zugzwang positions"
        Sized(null_moves);
};

/// Tables with mutual zugzwangs. In the first the defender has only the king; in the others also a
/// piece, so null moves are allowed.
const TABLES: [&str; 3] = ["KPvK", "KRvKB", "KRvKN"];
/// Search depths. Units: plies.
const DEPTHS: [u32; 3] = [6, 8, 10];

/// Returns the positions lost with Black to move in which White to move could not win.
fn zugzwangs(table: &Table) -> Vec<Position> {
    let index = table.index();
    let mut found = Vec::new();
    for place in 0..index.len() {
        let is_lost = matches!(table.at(Color::Black, place), Outcome::Loss(_));
        if !is_lost || matches!(table.at(Color::White, place), Outcome::Win(_)) {
            continue;
        }
        let Some(squares) = index.squares_at(place) else { continue };
        let positions = Color::ALL.map(|side| Position::from_fen(&fen(index, &squares, side)));
        if let [Ok(_), Ok(black)] = positions {
            found.push(black);
        }
    }
    found
}

/// Returns positions in which White's only winning move, a king move, leads to such a zugzwang.
fn predecessors(zugzwangs: &[Position], tables: &Tables) -> Vec<Position> {
    let mut found: Vec<Position> = Vec::new();
    for zugzwang in zugzwangs {
        let text = zugzwang.to_string().replace(" b ", " w ");
        let Ok(white) = Position::from_fen(&text) else { continue };
        for mv in white.legal_moves() {
            let back = white.after(mv).to_string().replace(" b ", " w ");
            let Ok(position) = Position::from_fen(&back) else { continue };
            let wins: Vec<Position> = winning(&position, tables);
            let is_only = wins.len() == 1 && wins[0].to_string().split(' ').next() == text.split(' ').next();
            if is_only && !found.iter().any(|known| known.to_string() == position.to_string()) {
                found.push(position);
            }
        }
    }
    found
}

/// Returns the positions after the winning moves.
fn winning(position: &Position, tables: &Tables) -> Vec<Position> {
    let after = position.legal_moves().into_iter().map(|mv| position.after(mv));
    after.filter(|next| matches!(tables.probe(next), Some(Outcome::Loss(_)))).collect()
}

fn null_moves(effort: Effort) -> Finding {
    let cancel = Cancel::new();
    let Ok(mut tables) = Tables::up_to(3, Metric::Dtm, &cancel) else {
        return Finding::undecided("no memory for the tables");
    };
    // Null moves must be allowed and trusted at the low depths of this experiment.
    let plain = Setup::full_width().tuned(Tunable::NullMoveDepth, 2);
    let null_moves = plain.clone().with(Switch::NullMove, true).with(Switch::NullMoveVerification, false);
    let verified =
        null_moves.clone().with(Switch::NullMoveVerification, true).tuned(Tunable::NullMoveVerifyDepth, 4);
    let setups = [plain, null_moves, verified];
    let depths = &DEPTHS[..effort.pick(2, DEPTHS.len())];
    let mut rows = Vec::new();
    let (mut changes, mut tried) = (Vec::new(), 0);
    for name in TABLES {
        let Ok(material) = name.parse::<Material>() else { continue };
        if tables.get(material).is_none() {
            let Ok(table) = generate(material, Metric::Dtm, &tables, &cancel) else { continue };
            tables.add(table);
        }
        let Some(table) = tables.get(material) else { continue };
        let zugzwangs = zugzwangs(&table);
        let mut candidates = predecessors(&zugzwangs, &tables);
        candidates.truncate(effort.pick(20, 100));
        let fens: Vec<String> = candidates.iter().map(ToString::to_string).collect();
        // Without a piece the engine tries no null move.
        let has_null_moves = name != "KPvK";
        tried += if has_null_moves { candidates.len() as u64 } else { 0 };
        for &depth in depths {
            let kept = [0, 1, 2].map(|index| {
                let outcomes = setups[index].to_depth(&fens, depth);
                let keeps = |(position, outcome): (&Position, &stretto::search::events::SearchResult)| {
                    let after = outcome.best.map(|mv| position.after(mv));
                    after.is_some_and(|next| matches!(tables.probe(&next), Some(Outcome::Loss(_))))
                };
                candidates.iter().zip(&outcomes).map(keeps).collect::<Vec<bool>>()
            });
            let count = |one: usize, other: usize| {
                kept[one].iter().zip(&kept[other]).filter(|&(&one, &other)| one && !other).count() as u64
            };
            let (lost, gained) = (count(0, 1), count(1, 0));
            if has_null_moves {
                changes.push((lost, gained));
            }
            let kept = kept.map(|kept| kept.into_iter().filter(|&kept| kept).count());
            rows.push(vec![
                name.to_owned(),
                zugzwangs.len().to_string(),
                candidates.len().to_string(),
                depth.to_string(),
                kept[0].to_string(),
                kept[1].to_string(),
                kept[2].to_string(),
                lost.to_string(),
                gained.to_string(),
            ]);
        }
    }
    let verdict = verdicts::null_moves(&changes, tried);
    let sum = |part: fn(&(u64, u64)) -> u64| changes.iter().map(part).sum::<u64>();
    let measured = format!(
        "in positions whose only winning move leads to a mutual zugzwang, null moves at full width lose {} wins and gain {}, over {} \
         pairs of table and depth with pieces (sign test of each, corrected for their number)",
        sum(|change| change.0),
        sum(|change| change.1),
        changes.len()
    );
    Finding::new(verdict, measured).with(
        "Positions whose only winning move leads to a mutual zugzwang: number with a winning move found",
        vec![
            "table",
            "zugzwangs",
            "positions",
            "depth",
            "without null moves",
            "with",
            "with, verified",
            "lost",
            "gained",
        ],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endgames::made::made;

    #[test]
    fn mutual_zugzwangs_of_a_pawn_match_the_published_count() {
        let tables = made(&[], Metric::Dtm);
        let table = tables.get("KPvK".parse().unwrap()).unwrap();
        let found = zugzwangs(&table);
        // Published count of mutual zugzwangs of the ending, without mirror images.
        assert_eq!(found.len(), 80);
        for position in &found {
            assert!(matches!(tables.probe(position), Some(Outcome::Loss(_))), "{position}");
            let passed = Position::from_fen(&position.to_string().replace(" b ", " w ")).unwrap();
            assert_eq!(tables.probe(&passed), Some(Outcome::Draw), "{passed}");
        }
        let candidates = predecessors(&found, &tables);
        assert!(!candidates.is_empty());
        for position in &candidates {
            assert_eq!(winning(position, &tables).len(), 1, "{position}");
        }
    }
}
