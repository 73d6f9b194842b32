//! A part of a report that a page shows folded.

use maud::{Markup, Render, html};

/// A sentence and what it refers to.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The sentence, without a full stop.
    pub summary: String,
    /// What a page shows below the sentence when it is unfolded.
    pub content: Markup,
    /// What other forms show below the sentence, with its line breaks.
    pub text: String,
}

impl Render for Fold {
    fn render(&self) -> Markup {
        html! { details.fold { summary { (self.summary) } (self.content) } }
    }
}
