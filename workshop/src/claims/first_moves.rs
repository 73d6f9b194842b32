//! The claim about the favourite first moves, tested by searches of all first moves.

use stretto::eval::Evaluation;
use stretto::position::Position;
use stretto::types::Move;

use super::chess::Setup;
use super::claim::{Claim, Effort, Finding, claims, mean};
use super::verdicts::{self, Favourites};

pub(super) const CLAIMS: &[Claim] = claims! {
    B8 [Ours] "The favourite first moves are the best by search: e4 and d4, then c4 and Nf3"
        Sized(favourites);
};

/// The moves of the text, the two favourites first.
const FAVOURITES: [&str; 4] = ["e4", "d4", "c4", "Nf3"];
/// First moves shown for each evaluation.
const SHOWN: usize = 6;

/// Returns the first moves with their scores for White in centipawns, best first. A score is the mean
/// over the depths, because the order of nearly equal moves changes from depth to depth.
fn ranked(evaluation: Evaluation, (first, last): (u32, u32)) -> Vec<(String, f64)> {
    let start = Position::startpos();
    let moves: Vec<Move> = start.legal_moves().into_iter().collect();
    let fens: Vec<String> = moves.iter().map(|&mv| start.after(mv).to_string()).collect();
    let setup = Setup::play().hash(16).evaluation(evaluation);
    let searches: Vec<_> = (first..=last).map(|depth| setup.to_depth(&fens, depth)).collect();
    if searches.iter().any(|found| found.len() < moves.len()) {
        return Vec::new();
    }
    let score = |index: usize| mean(searches.iter().map(|found| -f64::from(found[index].score.0)));
    let mut ranked: Vec<(String, f64)> =
        moves.iter().enumerate().map(|(index, &mv)| (start.san(mv), score(index))).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked
}

/// Returns the places of the favourites; `None` if one is missing.
fn places(ranked: &[(String, f64)]) -> Option<Favourites> {
    let rank = |name: &str| ranked.iter().position(|(found, _)| found == name).map(|place| place + 1);
    let [king, queen, bishop, knight] = FAVOURITES.map(rank);
    let ranks = [king?, queen?, bishop?, knight?];
    let score = |rank: usize| ranked[rank - 1].1;
    Some(Favourites { ranks, behind: score(1) - score(ranks[0].min(ranks[1])) })
}

fn favourites(effort: Effort) -> Finding {
    let depths = effort.pick((4, 5), (8, 13));
    let (mut rows, mut found, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, evaluation) in [("classical", Evaluation::Classical), ("network", Evaluation::default())] {
        let ranked = ranked(evaluation, depths);
        let Some(places) = places(&ranked) else { return Finding::no_memory() };
        let best: Vec<String> =
            ranked.iter().take(SHOWN).map(|(mv, score)| format!("{mv} {score:.0}")).collect();
        let Favourites { ranks: [king, queen, bishop, knight], behind } = places;
        rows.push(vec![name.to_owned(), best.join(", "), format!("{behind:.0}")]);
        listed.push(format!("e4 {king}, d4 {queen}, c4 {bishop}, Nf3 {knight} ({name} evaluation)"));
        found.push(places);
    }
    let measured = format!(
        "ranks among the 20 first moves by the mean score of searches to depths {} to {}: {}",
        depths.0,
        depths.1,
        listed.join("; ")
    );
    Finding::new(verdicts::favourites(&found), measured).with(
        format!(
            "The {SHOWN} best first moves and their scores in centipawns; deficit of the better one of e4 and d4"
        ),
        vec!["evaluation", "moves", "deficit"],
        rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_first_moves_are_ranked_by_score() {
        let found = ranked(Evaluation::Classical, (1, 3));
        assert_eq!(found.len(), 20);
        let rank = |name: &str| found.iter().position(|(found, _)| found == name).unwrap();
        assert!(rank("e4") < rank("f3") && rank("e4") < rank("g4"), "{found:?}");
        assert!(places(&found[..1]).is_none(), "moves are missing");
    }

    #[test]
    fn places_are_ranks_and_the_deficit_of_the_better_favourite() {
        let ranked = [("Nf3", 30.0), ("d4", 25.5), ("e3", 20.0), ("e4", 10.0), ("c4", 5.0)];
        let ranked = ranked.map(|(name, score)| (name.to_owned(), score));
        assert_eq!(places(&ranked), Some(Favourites { ranks: [4, 2, 5, 1], behind: 4.5 }));
    }
}
