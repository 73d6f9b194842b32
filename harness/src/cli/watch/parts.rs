//! The parts of a page that only a run under way has: status, and games with boards and clocks.

use maud::{Markup, html};

use crate::play::live::{LiveGame, LiveSide};
use crate::report::board::board;
use crate::report::scores::score_curves;
use crate::run::RunState;
use crate::run::console::clock_time;
use crate::run::live::LiveStatus;
use crate::uci::ReportedScore;

/// The state of a run, as its page shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A process plays it.
    Running,
    /// No process plays it.
    Over(RunState),
    /// Its folder is gone.
    Deleted,
    /// Its folder cannot be read, for this reason.
    Unreadable(String),
}

/// A wide screen shows the scores beside the boards of at most this many games, and below those of more.
const MOST_WIDE: usize = 4;

fn seconds(seconds: u64) -> String {
    clock_time(std::time::Duration::from_secs(seconds))
}

/// Returns elapsed time and ETA.
fn times(live: Option<&LiveStatus>) -> Markup {
    html! {
        @if let Some(live) = live {
            " · elapsed " (seconds(live.elapsed_s))
            @if let Some(eta) = live.eta_s { " · ETA " b { (seconds(eta)) } }
        }
    }
}

/// Returns the first line of a page.
pub(super) fn status(state: &State, live: Option<&LiveStatus>) -> Markup {
    html! {
        @match state {
            State::Running => {
                p.kind { b.live { "running" } (times(live)) " · " a href="/runs" { "all runs" } }
            }
            State::Over(state) => {
                p.kind { b { (state.name()) } " · " a href="/runs" { "all runs" } }
            }
            State::Deleted => {
                p.banner { "The run folder was deleted. This is what it contained." }
            }
            State::Unreadable(why) => { p.banner { "The run cannot be read: " (why) } }
        }
    }
}

/// A run in the list of runs, without its state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary<'a> {
    /// Engines and verdict in words, the heading of the page.
    pub title: &'a str,
    /// Name of the folder.
    pub name: &'a str,
    /// Date and time of the start, UTC.
    pub begun: &'a str,
    /// The result in short.
    pub card: &'a Markup,
}

/// Returns the entry of a run in the list.
pub(super) fn entry(summary: Summary<'_>, state: &State, live: Option<&LiveStatus>) -> Markup {
    let Summary { title, name, begun, card } = summary;
    html! {
        p.title { (title) }
        p.kind {
            @match state {
                State::Running => { b.live { "running" } (times(live)) }
                State::Over(state) => (state.name()),
                State::Deleted => "deleted",
                State::Unreadable(_) => "cannot be read",
            }
        }
        (card)
        p.small { @if !begun.is_empty() { "begun " (begun) " UTC · " } (name) }
    }
}

/// Returns the games under way, or for other kinds of run their progress as text.
pub(super) fn games(live: Option<&LiveStatus>) -> Markup {
    let Some(live) = live else { return html! {} };
    if live.games.is_null() {
        return html! { @if !live.text.is_empty() { pre { (live.text) } } };
    }
    let games: Vec<LiveGame> = serde_json::from_value(live.games.clone()).unwrap_or_default();
    html! {
        @if !games.is_empty() {
            h2 { "Games under way" }
            div class=(if games.len() > MOST_WIDE { "boards" } else { "boards wide-games" }) { @for game in &games { (game_card(game)) } }
        }
    }
}

fn game_card(game: &LiveGame) -> Markup {
    let LiveGame { fen, last_move, thinking_ms, sides: [white, black], names: [of_white, of_black], .. } =
        game;
    let mut fields = fen.split(' ').skip(1);
    let is_black_to_move = fields.next() == Some("b");
    let number = fields.nth(3).unwrap_or("1");
    html! {
        div.game {
            div.play {
                (side_line(of_black, black, is_black_to_move.then_some(*thinking_ms)))
                (board(fen, last_move.as_deref()))
                (side_line(of_white, white, (!is_black_to_move).then_some(*thinking_ms)))
                p.small title=(game.opening) {
                    "game " (game.game + 1) ", move " (number) " · " (game.opening)
                    @if game.is_audit { " · adjudicated, played on for the audit" }
                }
            }
            div.evaluation {
                p.small.legend { "score for White by " i.c0 { (of_white) } ", " i.c1 { (of_black) } }
                (score_curves(&game.scores, is_black_to_move))
            }
        }
    }
}

/// Returns a player with its clock and last search. `thinking_ms` is set for the side to move.
fn side_line(name: &str, side: &LiveSide, thinking_ms: Option<u64>) -> Markup {
    let class = if thinking_ms.is_some() { "side moves" } else { "side" };
    let spent = i64::try_from(thinking_ms.unwrap_or(0)).unwrap_or(i64::MAX);
    let clock = side.left_ms.map(|left| clock_text(left.saturating_sub(spent)));
    let search = [side.score.map(score_text), side.depth.map(|depth| format!("depth {depth}"))];
    let search: Vec<String> = search.into_iter().flatten().collect();
    html! {
        div class=(class) {
            b title=(name) { (name) }
            span.clock { @if let Some(clock) = &clock { (clock) } }
            span.search { @if search.is_empty() { "no move yet" } @else { (search.join(" · ")) } }
        }
    }
}

/// Formats the time left on a clock.
fn clock_text(left_ms: i64) -> String {
    let left = left_ms.max(0);
    let (minutes, seconds) = (left / 60_000, left % 60_000 / 1000);
    if minutes > 0 {
        format!("{minutes}:{seconds:02}")
    } else {
        format!("0:{seconds:02}.{}", left % 1000 / 100)
    }
}

fn score_text(score: ReportedScore) -> String {
    match score {
        ReportedScore::Cp(centipawns) => format!("{:+.2}", f64::from(centipawns) / 100.0),
        ReportedScore::Mate(moves) => format!("mate {moves}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn game() -> LiveGame {
        let side = |left_ms, score| LiveSide { left_ms, score: Some(score), depth: Some(9), nodes: None };
        LiveGame {
            game: 12,
            names: ["new <1>".to_owned(), "old".to_owned()],
            opening: "French & co".to_owned(),
            fen: "4k3/8/8/8/4P3/8/8/4K2R b K - 0 31".to_owned(),
            last_move: Some("e2e4".to_owned()),
            thinking_ms: 1_500,
            sides: [side(Some(125_000), ReportedScore::Cp(35)), side(Some(9_900), ReportedScore::Mate(-3))],
            scores: vec![Some(20), Some(10_000), Some(35)],
            is_audit: false,
        }
    }

    #[test]
    fn card_shows_clocks_scores_and_the_side_to_move() {
        let live = LiveStatus::new(61, Some(3600), String::new(), json!([game()]));
        let text = games(Some(&live)).into_string();
        for part in [
            "new &lt;1&gt;",
            ">2:05<",
            ">+0.35 · depth 9<",
            // Black has thought for 1.5 of its 9.9 seconds.
            ">0:08.4<",
            ">mate -3 · depth 9<",
            "game 13, move 31 · French &amp; co",
            "<div class=\"side moves\"><b title=\"old\">",
            "<i class=\"c0\">new &lt;1&gt;</i>",
            "<div class=\"boards wide-games\">",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("audit"), "{text}");
        let audit = LiveStatus::new(61, None, String::new(), json!([LiveGame { is_audit: true, ..game() }]));
        assert!(
            games(Some(&audit))
                .into_string()
                .contains("French &amp; co · adjudicated, played on for the audit")
        );
        let text = status(&State::Running, Some(&live)).into_string();
        assert!(text.contains("elapsed 0:01:01") && text.contains("ETA <b>1:00:00"), "{text}");
    }

    #[test]
    fn run_without_games_shows_its_progress_as_text() {
        let live = LiveStatus::new(1, None, "[==--] 2 of 4 <positions>".to_owned(), json!(null));
        assert!(games(Some(&live)).into_string().contains("2 of 4 &lt;positions&gt;"));
        assert_eq!(games(None).into_string(), "");
        let other = LiveStatus::new(1, None, String::new(), json!({ "from": "another version" }));
        assert_eq!(games(Some(&other)).into_string(), "");
    }
}
