//! The games of a report, and their moves in its page.

use maud::{Markup, PreEscaped, html};

use super::document::{Block, Report};
use super::games::Games;

impl Report {
    /// Returns the games that the page lists.
    pub(crate) fn games(&self) -> Option<&Games> {
        self.body.blocks().iter().find_map(|block| match block {
            Block::Games(games) => Some(games),
            _ => None,
        })
    }

    /// Returns the moves of the games for the script of a page without a server.
    pub(super) fn embedded_games(&self) -> Markup {
        let Some(games) = self.games() else { return html! {} };
        let moves: Vec<&str> = games.moves().map(|(_, moves)| &**moves).collect();
        html! {
            script #games-data type="application/json" { (PreEscaped(format!("[{}]", moves.join(",\n")))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::games::sample_games;

    #[test]
    fn embedded_games_cannot_end_their_script() {
        let report = Report::new("T", [Block::Games(sample_games())]);
        let text = report.embedded_games().into_string();
        let data = text.strip_prefix("<script id=\"games-data\" type=\"application/json\">").unwrap();
        let data = data.strip_suffix("</script>").unwrap();
        assert!(!data.contains('<'), "{data}");
        let games: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!((&games[0]["number"], &games[0]["opening"]), (&7.into(), &"</script>".into()));
        assert_eq!(games.as_array().unwrap().len(), 1, "a game without moves is not embedded");
    }
}
