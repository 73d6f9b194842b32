//! The section on wrong PVs: counts, and examples that a page folds.

use maud::html;
use shakmaty::EnPassantMode;
use shakmaty::fen::Fen;

use crate::config::Variant;
use crate::play::pv_watch::{PvExample, WrongPvs};
use crate::play::record::PvError;
use crate::play::rules::position_after;
use crate::report::Block;
use crate::report::board::board;
use crate::report::fold::Fold;

const COLUMNS: [&str; 4] = ["engine", "error", "PVs", "of checked"];

/// Returns the section; empty if no PV is wrong.
pub(super) fn wrong_pvs_section(found: &[WrongPvs], variant: Variant) -> Vec<Block> {
    if found.is_empty() {
        return Vec::new();
    }
    let cells = |engine: &WrongPvs, error: &PvError, count: &u64| {
        vec![engine.engine.clone(), error.to_string(), count.to_string(), engine.checked.to_string()]
    };
    let rows = found
        .iter()
        .flat_map(|engine| engine.errors.iter().map(move |(error, count)| cells(engine, error, count)));
    let examples = found.iter().flat_map(|engine| engine.examples.iter().map(move |one| (engine, one)));
    let examples = examples.map(|(engine, example)| Block::Fold(fold(engine, example, variant)));
    [Block::heading("Wrong PVs"), Block::table(&COLUMNS, rows)].into_iter().chain(examples).collect()
}

/// Returns an example with its position, as FEN and board, and the dialogue.
fn fold(engine: &WrongPvs, example: &PvExample, variant: Variant) -> Fold {
    let PvExample { position, line, best_move, ponder, .. } = example;
    let (fen, last_move) = fen_of(position, variant);
    let content = html! {
        div.position {
            (board(&fen, last_move))
            div {
                p.small { "FEN" }
                pre { (fen) }
                p.small { "PV and move" }
                pre { (line) "\nbestmove " (best_move) @if let Some(ponder) = ponder { " ponder " (ponder) } }
                p.small { "position" }
                pre { (position) }
            }
        }
    };
    Fold { summary: caption(engine, example), content, text: example.dialogue("") }
}

fn caption(engine: &WrongPvs, example: &PvExample) -> String {
    let place = example.pv_move.map_or_else(String::new, |number| format!(", move {number} of the PV"));
    format!("{}, game {}: {}{place}", engine.engine, example.game + 1, example.error)
}

/// Returns the FEN of a `position` command and its last move. Where a move cannot be played, the FEN is that of the start.
fn fen_of(position: &str, variant: Variant) -> (String, Option<&str>) {
    let text = position.strip_prefix("position fen ").unwrap_or(position);
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let moves: Vec<String> = moves.split_whitespace().map(str::to_owned).collect();
    match position_after(variant, start, &moves) {
        Some(reached) => {
            let fen = Fen::from_position(&reached, EnPassantMode::Legal).to_string();
            (fen, if moves.is_empty() { None } else { position.rsplit(' ').next() })
        }
        None => (start.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::Report;

    #[test]
    fn fen_is_that_after_the_moves() {
        let start = "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let position = format!("{start} moves e2e4 c7c5");
        let (fen, last) = fen_of(&position, Variant::Standard);
        assert_eq!(fen, "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(last, Some("c7c5"));
        assert_eq!(fen_of(start, Variant::Standard).1, None);
        let broken = format!("{start} moves e2e5");
        assert!(fen_of(&broken, Variant::Standard).0.starts_with("rnbqkbnr/pppppppp"));
    }

    #[test]
    fn examples_are_folded_on_a_page_and_whole_elsewhere() {
        let example = PvExample {
            game: 4,
            error: PvError::IllegalMove,
            pv_move: Some(2),
            position: "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1".to_owned(),
            ponder: None,
            best_move: "e8e7".to_owned(),
            line: "info pv e8e7 e7e9".to_owned(),
        };
        let found = WrongPvs {
            engine: "new".to_owned(),
            checked: 9,
            wrong: 1,
            errors: BTreeMap::from([(PvError::IllegalMove, 1)]),
            examples: vec![example],
        };
        let mut report = Report::new("T", [Block::paragraph("p")]);
        report.body.extend(wrong_pvs_section(&[found], Variant::Standard));
        let page = report.page();
        for part in [
            "<summary>new, game 5: illegal move in the PV, move 2 of the PV</summary>",
            "aria-label=\"4k3/8/8/8/8/8/8/5RK1 b - - 1 1\"",
            "id=\"piece-k\"",
        ] {
            assert!(page.contains(part), "{part}");
        }
        let expected = "new, game 5: illegal move in the PV, move 2 of the PV:\n\n```\nposition fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 \
                        moves e1g1\ninfo pv e8e7 e7e9\nbestmove e8e7\n```\n";
        assert!(report.markdown().ends_with(expected), "{}", report.markdown());
    }
}
