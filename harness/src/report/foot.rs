//! The blocks of a report, and those at the foot of its page.

use super::blocks::BlockRequest;
use super::document::{Block, Document, Report};

impl Report {
    /// Returns a block of the run.
    ///
    /// Errors: the run has none in this form; the sentence has a remedy.
    pub fn block(&self, request: BlockRequest<'_>) -> Result<String, String> {
        let blocks = self.blocks.as_ref().ok_or(
            "only matches, tests and tunings have a block; without --format the report is written and printed",
        )?;
        blocks.block(request)
    }

    /// Returns the blocks at the foot of the page, which other forms do not have.
    pub(crate) fn foot(&self) -> Option<Block> {
        let blocks = self.blocks.as_ref()?;
        let (formats, remark) = blocks.foot();
        let texts = formats.iter().map(|&format| (format, blocks.block(BlockRequest::of(format))));
        let texts = texts.filter_map(|(format, text)| Some((format.title().to_owned(), text.ok()?)));
        let texts: Vec<(String, String)> = texts.collect();
        if texts.is_empty() {
            return None;
        }
        let mut foot = Document::from([Block::heading("For commits and pull requests")]);
        foot.extend(remark.map(Block::paragraph));
        foot.push(Block::Copies(texts));
        Some(Block::PageOnly(foot))
    }
}
