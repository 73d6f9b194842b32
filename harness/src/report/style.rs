//! Colours and styles of pages and drawings.

/// The colour palette. Curve colours are `--c0` to `--c7`; see [`super::plot`].
pub(crate) const COLOURS: &str = include_str!("style/colours.css");

/// Style of the drawings, both on a page and as separate files.
pub(crate) const DRAWING: &str = include_str!("style/drawing.css");

/// Style of a page.
pub(crate) const PAGE: &str = include_str!("style/page.css");

/// Style of the parts of a page that show games: their table, the viewer, scores beside boards, and cards of runs.
pub(crate) const GAMES: &str = include_str!("style/games.css");
