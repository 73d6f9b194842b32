//! Counts the wrong PVs of each engine over the games of a run, and keeps examples.
//!
//! A wrong PV does not affect its game, but it shows an error of the engine. The referee finds them
//! ([`super::referee`]) and the record of the game keeps them, so a report can be rebuilt.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use super::record::{GameRecord, PvError, Side, WrongPv};
use crate::run::executor::Notice;

/// Number of examples kept for each engine and error.
const EXAMPLES: usize = 3;

/// An example of a wrong PV.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PvExample {
    /// Number of the game.
    pub game: u64,
    /// The rule that the PV breaks.
    pub error: PvError,
    /// The first wrong move of the PV, counted from 1. Absent if the error is not in one move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pv_move: Option<usize>,
    /// The `position` command before the move, with all moves of the game.
    pub position: String,
    /// The move that was played.
    pub best_move: String,
    /// The ponder move, if the error is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<String>,
    /// The `info` line that has the PV.
    pub line: String,
}

impl PvExample {
    pub(crate) fn new(game: &GameRecord, wrong: &WrongPv, line: String) -> Self {
        Self {
            game: game.game,
            error: wrong.error,
            pv_move: wrong.pv_move,
            position: game.position_before(wrong.ply),
            best_move: game.moves.get(wrong.ply).map(|played| played.text.clone()).unwrap_or_default(),
            ponder: wrong.ponder.clone(),
            line,
        }
    }

    /// Returns the lines of the dialogue, with this indentation.
    pub(crate) fn dialogue(&self, indent: &str) -> String {
        let Self { position, line, best_move, .. } = self;
        let ponder = self.ponder.as_ref().map_or_else(String::new, |text| format!(" ponder {text}"));
        format!("{indent}{position}\n{indent}{line}\n{indent}bestmove {best_move}{ponder}")
    }
}

/// The wrong PVs of an engine, as `summary.json` lists them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct WrongPvs {
    /// Name of the engine in the configuration.
    pub engine: String,
    /// Number of PVs checked.
    pub checked: u64,
    /// Number of PVs with an error.
    pub wrong: u64,
    /// Number of PVs by error. A PV can have two.
    pub errors: BTreeMap<PvError, u64>,
    /// The first examples of each error.
    pub examples: Vec<PvExample>,
}

impl WrongPvs {
    /// Returns the counts in one line: `17 of 1234 PVs are wrong: illegal move in the PV 17`.
    pub(crate) fn text(&self) -> String {
        let errors: Vec<String> =
            self.errors.iter().map(|(error, count)| format!("{error} ({count})")).collect();
        format!("{} of {} PVs of {} are wrong: {}", self.wrong, self.checked, self.engine, errors.join(", "))
    }

    /// Counts a wrong PV. Returns its example if it is the first of its error.
    fn add(&mut self, game: &GameRecord, wrong: &WrongPv) -> Option<PvExample> {
        let count = self.errors.entry(wrong.error).or_default();
        *count += 1;
        let is_first = *count == 1;
        let known = self.examples.iter().filter(|example| example.error == wrong.error).count();
        let line = wrong.line.as_ref().filter(|_| known < EXAMPLES)?;
        let example = PvExample::new(game, wrong, line.clone());
        self.examples.push(example.clone());
        is_first.then_some(example)
    }
}

/// The wrong PVs of all engines of a run.
#[derive(Clone, Debug)]
pub(crate) struct PvWatch {
    engines: Vec<WrongPvs>,
    pub(crate) pending: Vec<Notice>,
}

impl PvWatch {
    /// Returns a watch for engines with these names.
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> Self {
        let engines = names.into_iter().map(|engine| WrongPvs { engine, ..WrongPvs::default() });
        Self { engines: engines.collect(), pending: Vec::new() }
    }

    /// Counts the PVs of a game. The first PV with an error causes a notice, which is pending until
    /// the next game.
    pub(crate) fn add_game(&mut self, game: &GameRecord) {
        self.pending.clear();
        for side in [Side::White, Side::Black] {
            if let Some(engine) = self.engines.get_mut(game.engine(side)) {
                engine.checked += game.stats(side).checked_pvs;
            }
        }
        let mut last_ply = None;
        for wrong in &game.wrong_pvs {
            let Some(engine) = self.engines.get_mut(game.engine(game.side_of(wrong.ply))) else { continue };
            engine.wrong += u64::from(last_ply != Some(wrong.ply));
            last_ply = Some(wrong.ply);
            if let Some(example) = engine.add(game, wrong) {
                let mut body = json!(example);
                body["engine"] = json!(engine.engine);
                let (number, name) = (game.number(), &engine.engine);
                let answer = example
                    .ponder
                    .as_ref()
                    .map(|ponder| format!("bestmove {} ponder {ponder}", example.best_move));
                let line = answer.as_ref().unwrap_or(&example.line);
                let text = format!("game {number}: {name}: {}: {line}", wrong.error);
                self.pending.push(Notice { text, event: Some(("wrong_pv", body)) });
            }
        }
    }

    /// Returns the engines that reported wrong PVs.
    pub(crate) fn found(&self) -> Vec<WrongPvs> {
        self.engines.iter().filter(|engine| engine.wrong > 0).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::sample_game;

    fn wrong(ply: usize, error: PvError, line: Option<&str>) -> WrongPv {
        WrongPv { ply, error, pv_move: Some(2), ponder: None, line: line.map(str::to_owned) }
    }

    fn game(number: u64) -> GameRecord {
        let mut game = sample_game(number);
        game.white_stats.checked_pvs = 2;
        game.black_stats.checked_pvs = 1;
        game.wrong_pvs = vec![
            wrong(0, PvError::IllegalMove, Some("info pv e2e4 e2e4")),
            wrong(2, PvError::BestMoveDiffers, Some("info pv a2a3 a2a3")),
            wrong(2, PvError::IllegalMove, None),
        ];
        game
    }

    #[test]
    fn wrong_pvs_count_for_their_engine_with_examples() {
        let mut watch = PvWatch::new(["a".to_owned(), "b".to_owned()]);
        for number in [0, 2, 4, 6, 8] {
            watch.add_game(&game(number));
        }
        let [found] = &watch.found()[..] else { panic!("one engine") };
        assert_eq!((found.engine.as_str(), found.checked, found.wrong), ("a", 10, 10));
        let errors: Vec<_> = found.errors.iter().map(|(error, count)| (*error, *count)).collect();
        assert_eq!(errors, [(PvError::IllegalMove, 10), (PvError::BestMoveDiffers, 5)]);
        assert_eq!(found.examples.len(), 2 * EXAMPLES);
        let example = &found.examples[1];
        assert_eq!((example.game, example.best_move.as_str()), (0, "g1f3"));
        assert!(example.position.ends_with(" 0 1 moves e2e4 e7e5"), "{}", example.position);
        let expected = "10 of 10 PVs of a are wrong: illegal move in the PV (10), bestmove is not the first move of the PV (5)";
        assert_eq!(found.text(), expected);
    }

    #[test]
    fn each_engine_and_error_has_one_notice() {
        let mut watch = PvWatch::new(["a".to_owned(), "b".to_owned()]);
        watch.add_game(&game(0));
        let [first, second] = &watch.pending[..] else { panic!("two notices") };
        assert_eq!(first.text, "game 1: a: illegal move in the PV: info pv e2e4 e2e4");
        let (name, body) = second.event.clone().unwrap();
        assert_eq!(
            (name, &body["engine"], &body["error"]),
            ("wrong_pv", &json!("a"), &json!("best_move_differs"))
        );
        watch.add_game(&game(2));
        assert_eq!(watch.pending, []);
        watch.add_game(&game(1));
        assert_eq!(watch.pending.len(), 2, "b has White in game 1");
    }
}
