//! The visitor of the PGN parser: passes the tags, moves and comments of one game to a
//! [`GameBuilder`] and skips variations.

use std::ops::ControlFlow;

use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

/// A game under construction, filled in the order of the file.
///
/// A reader clones an empty builder for each game.
pub(crate) trait GameBuilder: Clone {
    /// The finished game.
    type Game;

    /// Takes a tag; `name` is in lower case.
    ///
    /// The tags of a game without movetext are followed by those of the next game, so a builder
    /// that keeps optional tags starts afresh at `event`.
    ///
    /// Errors: a description of an invalid tag, which ends the game.
    fn tag(&mut self, name: &[u8], value: &str) -> Result<(), String>;

    /// Takes a move of the main line.
    ///
    /// Errors: a description of an illegal move, which ends the game.
    fn san(&mut self, _san: SanPlus) -> Result<(), String> {
        Ok(())
    }

    /// Takes a comment, after a move or before the first one.
    fn comment(&mut self, _comment: &[u8]) {}

    /// Takes the result token at the end of the movetext.
    fn outcome(&mut self, _outcome: Outcome) {}

    /// Whether the rest of the game can be skipped. Asked before the movetext and after each of its moves and
    /// comments.
    fn is_complete(&self) -> bool {
        false
    }

    /// Returns the game; `None` if it has no result and the builder needs one.
    fn finish(self) -> Option<Self::Game>;
}

/// Reads one game with clones of an empty builder.
pub(super) struct GameVisitor<'a, B>(pub(super) &'a B);

/// Continues, or ends the game with its error.
fn proceed<G>(taken: Result<(), String>) -> ControlFlow<Result<Option<G>, String>> {
    match taken {
        Ok(()) => ControlFlow::Continue(()),
        Err(what) => ControlFlow::Break(Err(what)),
    }
}

impl<B: GameBuilder> GameVisitor<'_, B> {
    /// Ends a game whose rest can be skipped.
    fn skip_rest(&self, game: &mut B) -> ControlFlow<Result<Option<B::Game>, String>> {
        if game.is_complete() {
            ControlFlow::Break(Ok(std::mem::replace(game, self.0.clone()).finish()))
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<B: GameBuilder> Visitor for GameVisitor<'_, B> {
    type Tags = B;
    type Movetext = B;
    type Output = Result<Option<B::Game>, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, B> {
        ControlFlow::Continue(self.0.clone())
    }

    fn tag(&mut self, game: &mut B, name: &[u8], value: RawTag<'_>) -> ControlFlow<Self::Output> {
        proceed(game.tag(&name.to_ascii_lowercase(), &value.decode_utf8_lossy()))
    }

    fn begin_movetext(&mut self, mut game: B) -> ControlFlow<Self::Output, B> {
        self.skip_rest(&mut game)?;
        ControlFlow::Continue(game)
    }

    fn san(&mut self, game: &mut B, san: SanPlus) -> ControlFlow<Self::Output> {
        proceed(game.san(san))?;
        self.skip_rest(game)
    }

    fn comment(&mut self, game: &mut B, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        game.comment(comment.as_bytes());
        self.skip_rest(game)
    }

    fn begin_variation(&mut self, _: &mut B) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, game: &mut B, outcome: Outcome) -> ControlFlow<Self::Output> {
        game.outcome(outcome);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: B) -> Self::Output {
        Ok(game.finish())
    }
}
