//! The table of a run's games on a page, and the moves with which its script opens a game on a board.

use std::sync::Arc;

use maud::{Markup, Render, html};
use serde::Serialize;

use crate::base::wording::{counted, grouped};

/// Name of the file with all games, beside the report.
pub(crate) const ALL_GAMES: &str = "games.pgn";

/// The games that a page lists, of all games of a run.
#[derive(Clone, Debug)]
pub struct Games {
    /// Number of games of the run.
    pub total: u64,
    /// The listed games: those with faults, then the latest others.
    pub rows: Vec<GameRow>,
}

/// A game in the table.
#[derive(Clone, Debug)]
pub struct GameRow {
    /// Number of the game. Range: from 1.
    pub number: u64,
    /// Names of White and Black.
    pub players: [String; 2],
    /// Result in PGN notation.
    pub result: &'static str,
    /// Reason for the end.
    pub ending: String,
    /// Whether a fault of an engine ended the game.
    pub is_fault: bool,
    /// Number of plies played by the engines.
    pub plies: usize,
    /// Time from the first search to the result. Units: milliseconds.
    pub duration_ms: u64,
    /// CPU load from other programs and steal time, as far as they were measured.
    pub load: String,
    /// Name of the opening.
    pub opening: String,
    /// The game as JSON, made of a [`GameMoves`]; `None` beyond the size limit of a page.
    pub moves: Option<Arc<str>>,
}

/// A game for the script of the page. The lists are texts with a space between items, because that is a third shorter than
/// arrays of texts.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameMoves {
    /// Number of the game. Range: from 1.
    pub number: u64,
    /// Names of White and Black.
    pub players: [String; 2],
    /// Result in PGN notation.
    pub result: &'static str,
    /// Reason for the end.
    pub ending: String,
    /// Name of the opening.
    pub opening: String,
    /// The start position of the opening.
    pub fen: String,
    /// Number of moves that belong to the opening. The lists below the moves have none for these.
    pub book: usize,
    /// All moves in UCI notation.
    pub uci: String,
    /// All moves in SAN, without a move that is not legal.
    pub san: String,
    /// Scores of the engines' moves from their own view: `35` centipawns, `#3` moves to mate, or `-`.
    pub scores: String,
    /// Depths, or `-`. Units: plies.
    pub depths: String,
    /// Times of the moves. Units: milliseconds.
    pub times: String,
    /// Time that the side had left after its move, or `-`. Units: milliseconds.
    pub clocks: String,
    /// Time of White and of Black at the start, if they have a clock. Units: milliseconds.
    pub start: [Option<i64>; 2],
}

impl GameMoves {
    /// Returns the game as JSON that can stand in a `script` element.
    pub(crate) fn json(&self) -> Arc<str> {
        let json = serde_json::to_string(self).unwrap_or_default();
        // In JSON these letters are in texts only.
        json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").into()
    }
}

impl Games {
    /// Returns the numbers and moves of the games that a page can open.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (u64, &Arc<str>)> {
        self.rows.iter().filter_map(|row| Some((row.number, row.moves.as_ref()?)))
    }

    /// Describes the games that are listed.
    fn intro(&self) -> Markup {
        let listed = self.rows.len();
        let faults = self.rows.iter().filter(|row| row.is_fault).count();
        html! {
            p {
                @if (listed as u64) < self.total {
                    (listed) " of " (grouped(self.total)) " games: "
                    @if faults > 0 { (counted(faults, "fault")) ", then " }
                    "the latest. "
                } @else if faults > 0 {
                    (counted(listed, "game")) ", faults first. "
                } @else {
                    (counted(listed, "game")) ". "
                }
                "Choose a game to see its moves on a board. All games: " a href=(ALL_GAMES) { (ALL_GAMES) }
            }
        }
    }
}

impl Render for Games {
    fn render(&self) -> Markup {
        let has_load = self.rows.iter().any(|row| !row.load.is_empty());
        html! {
            h2 { "Games" }
            (self.intro())
            div."wide games" data-scroll="games" tabindex="0" role="region" aria-label="Games" {
                table {
                    thead { tr {
                        th { "game" } th { "White" } th { "Black" } th { "result" } th { "ending" }
                        th { "plies" } th { "time" } @if has_load { th { "load" } } th { "opening" }
                    } }
                    tbody { @for row in &self.rows { (line(row, has_load)) } }
                }
            }
        }
    }
}

fn line(row: &GameRow, has_load: bool) -> Markup {
    let GameRow { number, players: [white, black], result, ending, plies, load, opening, .. } = row;
    html! {
        tr.fault[row.is_fault] {
            td.number {
                @if row.moves.is_some() { a href=(format!("#game-{number}")) { (number) } } @else { (number) }
            }
            td.player { (white) }
            td.player { (black) }
            td.result { (result) }
            td.ending { (ending) }
            td.plies { (plies) }
            td.time { (duration(row.duration_ms)) }
            @if has_load { td.load { (load) } }
            td.opening title=(opening) { (opening) }
        }
    }
}

/// Formats a duration: `0.35 s`, `12.3 s` or `4:05`.
fn duration(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{:.2} s", ms as f64 / 1e3),
        10_000..60_000 => format!("{:.1} s", ms as f64 / 1e3),
        _ => format!("{}:{:02}", ms / 60_000, ms % 60_000 / 1000),
    }
}

#[cfg(test)]
pub(super) fn sample_games() -> Games {
    let game = GameMoves {
        number: 7,
        players: ["new <1>".to_owned(), "old".to_owned()],
        result: "0-1",
        ending: "White's engine hangs".to_owned(),
        opening: "</script>".to_owned(),
        fen: "8/8/8/8/8/8/8/8 w - - 0 1".to_owned(),
        book: 0,
        uci: "e2e4".to_owned(),
        san: "e4".to_owned(),
        scores: "35".to_owned(),
        depths: "9".to_owned(),
        times: "12".to_owned(),
        clocks: "-".to_owned(),
        start: [None; 2],
    };
    let row = GameRow {
        number: 7,
        players: game.players.clone(),
        result: game.result,
        ending: game.ending.clone(),
        is_fault: true,
        plies: 1,
        duration_ms: 65_432,
        load: String::new(),
        opening: game.opening.clone(),
        moves: Some(game.json()),
    };
    let other = GameRow { number: 9, is_fault: false, duration_ms: 350, moves: None, ..row.clone() };
    Games { total: 1234, rows: vec![row, other] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_lists_faults_with_links_and_says_what_it_leaves_out() {
        let text = sample_games().render().into_string();
        for part in [
            "2 of 1,234 games: 1 fault, then the latest. ",
            "<a href=\"games.pgn\">games.pgn</a>",
            "<tr class=\"fault\"><td class=\"number\"><a href=\"#game-7\">7</a></td><td class=\"player\">new &lt;1&gt;</td>",
            "<td class=\"number\">9</td>",
            "<td class=\"time\">1:05</td>",
            "<td class=\"time\">0.35 s</td>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("load"), "no load was measured: {text}");
        let whole = Games { total: 2, ..sample_games() }.render().into_string();
        assert!(whole.contains("<p>2 games, faults first. "), "{whole}");
    }
}
