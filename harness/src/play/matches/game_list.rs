//! The games that a report lists: those with faults and the latest others, as many as a page can hold.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use shakmaty::san::SanPlus;

use super::MatchConfig;
use crate::play::record::{GameRecord, MoveRecord};
use crate::play::referee::Clock;
use crate::play::rules::{legal_move, start_position};
use crate::report::games::{GameMoves, GameRow, Games};
use crate::uci::ReportedScore;

/// Most games with faults that are listed, the latest ones.
const MAX_FAULTS: usize = 100;
/// Most games that are listed.
const MAX_GAMES: usize = 200;
/// Most bytes of moves on a page; later games of the list cannot be opened.
const MAX_BYTES: usize = 600_000;

/// A game, and its moves once a report has asked for them.
#[derive(Clone, Debug)]
struct Kept {
    game: Arc<GameRecord>,
    moves: OnceLock<Arc<str>>,
}

/// The games that a report lists.
#[derive(Clone, Debug, Default)]
pub(super) struct GameList {
    faults: VecDeque<Kept>,
    others: VecDeque<Kept>,
    total: u64,
}

impl GameList {
    /// Takes a game for the table; faults before others, up to the largest number kept of each.
    pub(super) fn add(&mut self, game: &GameRecord) {
        self.total += 1;
        let (list, most) = match game.termination.fault() {
            Some(_) => (&mut self.faults, MAX_FAULTS),
            None => (&mut self.others, MAX_GAMES),
        };
        if list.len() == most {
            list.pop_front();
        }
        list.push_back(Kept { game: Arc::new(game.clone()), moves: OnceLock::new() });
    }

    /// Returns the last games with faults, at most so many.
    pub(super) fn last_faults(&self, most: usize) -> impl Iterator<Item = &GameRecord> {
        self.faults.iter().skip(self.faults.len().saturating_sub(most)).map(|kept| &*kept.game)
    }

    /// Returns the table, with the latest games first; `None` without games.
    pub(super) fn table(&self, config: &MatchConfig) -> Option<Games> {
        let listed = self.faults.iter().rev().chain(self.others.iter().rev()).take(MAX_GAMES);
        let mut bytes = 0;
        let rows: Vec<GameRow> = listed
            .map(|kept| {
                let moves = (bytes < MAX_BYTES).then(|| kept.moves(config));
                bytes += moves.as_ref().map_or(0, |moves| moves.len());
                row(&kept.game, config, moves)
            })
            .collect();
        (!rows.is_empty()).then_some(Games { total: self.total, rows })
    }
}

impl Kept {
    fn moves(&self, config: &MatchConfig) -> Arc<str> {
        Arc::clone(self.moves.get_or_init(|| moves(&self.game, config).json()))
    }
}

fn players(game: &GameRecord, config: &MatchConfig) -> [String; 2] {
    [game.white, game.black]
        .map(|index| config.engines.get(index).map_or_else(String::new, |engine| engine.name.clone()))
}

fn row(game: &GameRecord, config: &MatchConfig, moves: Option<Arc<str>>) -> GameRow {
    GameRow {
        number: game.number(),
        players: players(game, config),
        result: game.result.text(),
        ending: game.termination.to_string(),
        is_fault: game.termination.fault().is_some(),
        plies: game.plies,
        duration_ms: game.duration_ms,
        load: load(game),
        opening: game.opening.clone(),
        moves,
    }
}

/// Formats `12 %`, and the steal time if there was any: `12 %, steal 3 %`.
fn load(game: &GameRecord) -> String {
    let percent = |permille: u32| format!("{:.0} %", f64::from(permille) / 10.0);
    let other = game.other_load_permille.map(percent);
    let steal = game.steal_time_permille.filter(|&permille| permille >= 5).map(percent);
    other.into_iter().chain(steal.map(|share| format!("steal {share}"))).collect::<Vec<_>>().join(", ")
}

/// Returns the moves of a game with scores, times and clocks.
fn moves(game: &GameRecord, config: &MatchConfig) -> GameMoves {
    let uci: Vec<&str> =
        game.book.iter().chain(game.moves.iter().map(|played| &played.text)).map(String::as_str).collect();
    let (clocks, start) = clocks(game, config);
    let dash = || "-".to_owned();
    let each = |text: &dyn Fn(&MoveRecord) -> Option<String>| {
        joined(game.moves.iter().map(|played| text(played).unwrap_or_else(dash)))
    };
    GameMoves {
        number: game.number(),
        players: players(game, config),
        result: game.result.text(),
        ending: game.termination.to_string(),
        opening: game.opening.clone(),
        fen: game.fen.clone(),
        book: game.book.len(),
        san: joined(san(game, config, &uci)),
        uci: joined(uci.into_iter().map(str::to_owned)),
        scores: each(&|played| {
            Some(match played.score? {
                ReportedScore::Cp(centipawns) => centipawns.to_string(),
                ReportedScore::Mate(moves) => format!("#{moves}"),
            })
        }),
        depths: each(&|played| Some(played.depth?.to_string())),
        times: each(&|played| Some((played.time_us / 1000).to_string())),
        clocks,
        start,
    }
}

fn joined(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(" ")
}

/// Returns the moves in SAN up to the first one that is not legal.
fn san(game: &GameRecord, config: &MatchConfig, uci: &[&str]) -> Vec<String> {
    let Some(mut position) = start_position(config.variant, &game.fen) else { return Vec::new() };
    let legal = uci.iter().map_while(|text| {
        let legal = legal_move(&position, text)?;
        Some(SanPlus::from_move_and_play_unchecked(&mut position, legal).to_string())
    });
    legal.collect()
}

/// Returns the time that each side had left after each of its moves, and both sides' time at the start. Units:
/// milliseconds.
fn clocks(game: &GameRecord, config: &MatchConfig) -> (String, [Option<i64>; 2]) {
    let clock = |index: usize| {
        Some(Clock::new(config.engines.get(index)?.limits.scaled(game.clock_permille).time_control?))
    };
    let mut clocks = [clock(game.white), clock(game.black)];
    let left_ms = |clock: &Option<Clock>| Some(clock.as_ref()?.left_us() / 1000);
    let start = clocks.each_ref().map(left_ms);
    let after = game.moves.iter().enumerate().map(|(ply, played)| {
        let clock = &mut clocks[game.side_of(ply).index()];
        if let Some(clock) = clock {
            // The move in which the flag fell is not in the record.
            let _ = clock.charge(Duration::from_micros(played.time_us), config.time_margin);
        }
        left_ms(clock).map_or_else(|| "-".to_owned(), |left| left.to_string())
    });
    (joined(after), start)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::config::EngineConfig;
    use crate::play::openings::config::OpeningsConfig;
    use crate::play::record::{GameResult, Side, Termination, sample_game};

    pub(in super::super) fn config() -> MatchConfig {
        let engine = |name: &str, clock: &str| {
            serde_yaml::from_str::<EngineConfig>(&format!(
                "{{ name: {name}, program: /bin/{name}, options: {{}}, limits: {clock} }}"
            ))
        };
        let engines =
            [engine("new", "{ time_control: 2/1+0.5 }").unwrap(), engine("old", "{ nodes: 100 }").unwrap()];
        let openings: OpeningsConfig =
            serde_yaml::from_str("{ file: book.epd, format: epd, order: sequential, seed: 0, start: 0 }")
                .unwrap();
        MatchConfig::between(engines, 2, openings)
    }

    fn list(games: impl IntoIterator<Item = GameRecord>) -> GameList {
        let mut list = GameList::default();
        games.into_iter().for_each(|game| list.add(&game));
        list
    }

    fn hang() -> Termination {
        Termination::Hang { by: Side::Black, how: "no answer".to_owned() }
    }

    #[test]
    fn moves_have_san_scores_and_clocks() {
        let mut game = GameRecord { book: vec!["d2d4".to_owned(), "d7d5".to_owned()], ..sample_game(0) };
        game.moves[1].score = Some(ReportedScore::Mate(-3));
        game.moves[2].depth = None;
        let moves = moves(&game, &config());
        assert_eq!((moves.uci.as_str(), moves.san.as_str()), ("d2d4 d7d5 e2e4 e7e5 g1f3", "d4 d5 e4 e5 Nf3"));
        assert_eq!((moves.book, moves.scores.as_str(), moves.depths.as_str()), (2, "12 #-3 12", "5 5 -"));
        assert_eq!(moves.times, "1 1 1");
        // 1000 - 1.5 + 500, then another second at the second move.
        assert_eq!((moves.clocks.as_str(), moves.start), ("1498 - 2997", [Some(1000), None]));
        let scaled = super::moves(&GameRecord { clock_permille: Some(2000), ..game.clone() }, &config());
        assert_eq!((scaled.clocks.as_str(), scaled.start), ("2998 - 5997", [Some(2000), None]));
        let broken = GameRecord {
            moves: vec![MoveRecord { text: "e2e5".to_owned(), ..game.moves[0].clone() }],
            ..game
        };
        assert_eq!(super::moves(&broken, &config()).san, "d4 d5");
    }

    #[test]
    fn faults_come_first_and_the_latest_games_before_older_ones() {
        let games = (0..6).map(|number| {
            let termination = if number == 2 { hang() } else { Termination::Checkmate };
            GameRecord { termination, result: GameResult::White, ..sample_game(number) }
        });
        let table = list(games).table(&config()).unwrap();
        let numbers: Vec<u64> = table.rows.iter().map(|row| row.number).collect();
        assert_eq!((numbers, table.total), (vec![3, 6, 5, 4, 2, 1], 6));
        assert!(table.rows[0].is_fault && table.rows[0].ending == "Black's engine hangs: no answer");
        assert_eq!(table.rows[1].players, ["old", "new"]);
        assert!(list([]).table(&config()).is_none());
    }

    #[test]
    fn list_of_a_large_match_is_bounded() {
        let game = |number: u64| {
            let termination = if number.is_multiple_of(2) { hang() } else { Termination::Checkmate };
            GameRecord { termination, ..sample_game(number) }
        };
        let table = list((0..1000).map(game)).table(&config()).unwrap();
        assert_eq!((table.total, table.rows.len()), (1000, MAX_GAMES));
        assert_eq!(table.rows.iter().filter(|row| row.is_fault).count(), MAX_FAULTS);
        assert_eq!((table.rows[0].number, table.rows[MAX_FAULTS].number), (999, 1000));
        assert_eq!(table.moves().count(), MAX_GAMES);
        // Long games: the first ones of the list can be opened.
        let long = |number: u64| {
            let moves = sample_game(0).moves.into_iter().cycle().take(2000).collect();
            GameRecord { moves, ..sample_game(number) }
        };
        let table = list((0..100).map(long)).table(&config()).unwrap();
        let bytes: usize = table.moves().map(|(_, moves)| moves.len()).sum();
        let longest = table.moves().map(|(_, moves)| moves.len()).max().unwrap();
        assert!(bytes < MAX_BYTES + longest && table.moves().count() < table.rows.len(), "{bytes}");
        assert_eq!(table.rows.len(), 100);
    }

    #[test]
    fn load_names_what_was_measured() {
        let game = |other, steal| GameRecord {
            other_load_permille: other,
            steal_time_permille: steal,
            ..sample_game(0)
        };
        assert_eq!(load(&game(None, None)), "");
        assert_eq!(load(&game(Some(123), Some(4))), "12 %");
        assert_eq!(load(&game(Some(123), Some(31))), "12 %, steal 3 %");
    }
}
