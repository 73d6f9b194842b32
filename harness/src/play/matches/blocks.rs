//! The result of a match or test in the forms of other tools.

use super::conditions::limits_text;
use super::report::{STANDINGS, standing_rows};
use super::{MatchConfig, MatchSummary};
use crate::base::system::files::file_name;
use crate::play::block::score::Score;
use crate::play::block::setup::EngineSetup;
use crate::play::block::{MatchBlocks, fastchess};
use crate::report::Table;
use crate::run::EngineSizes;

/// Returns the blocks of a match. `facts` are the key figures of its report, and `scores` those of the pairings.
pub(super) fn match_blocks(
    config: &MatchConfig,
    sizes: &[EngineSizes],
    summary: &MatchSummary,
    facts: &[(String, String)],
    scores: Vec<Score>,
) -> MatchBlocks {
    let book = file_name(&config.openings.file);
    let engines = EngineSetup::of(&config.engines, sizes);
    let decided = summary.decision.map_or(u64::MAX, |decision| decision.pairs);
    let is_late = summary.stats.is_some_and(|stats| stats.pairs.pairs() > decided);
    MatchBlocks {
        markdown: markdown(config, &engines, &book, summary, facts),
        engines,
        book,
        test: config.sprt,
        pairings: config.pairings.as_slice().to_vec(),
        scores,
        remark: is_late.then(|| {
            "Pairs that were in progress when the test was decided count in Markdown only; the other tools drop them.".to_owned()
        }),
    }
}

/// Returns the result as a table of Markdown: the key figures of two engines, or the standings of more.
fn markdown(
    config: &MatchConfig,
    engines: &[EngineSetup],
    book: &str,
    summary: &MatchSummary,
    facts: &[(String, String)],
) -> String {
    let names = config.engines.iter().map(|engine| engine.name.as_str());
    let verdict = summary.verdict_text();
    if let Some(standings) = &summary.standings {
        let count = config.engines.len();
        let table = Table::new(&STANDINGS, standing_rows(standings)).markdown();
        return format!(
            "**{count} engines: {verdict}** ({}, {book})\n\n{}",
            limits_text(config),
            table.trim_end()
        );
    }
    let played = match engines {
        [first, second] => fastchess::conditions(first, second, book),
        _ => String::new(),
    };
    let rows = facts.iter().map(|(name, value)| vec![name.clone(), value.clone()]);
    let rows = rows.chain([vec!["played with".to_owned(), played]]);
    let names = names.collect::<Vec<_>>().join(" against ");
    let table = Table::new(&["", ""], rows).markdown();
    format!("**{names}: {verdict}**\n\n{}", table.trim_end())
}
