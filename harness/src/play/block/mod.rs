//! The result of a match or test as `OpenBench`, fishtest and fastchess print it, for commits and pull requests.
//!
//! A block has the conventions of its tool: estimates, their errors, the LLR and its rounding. Tests compare the blocks with texts
//! that the code of the tools printed.

pub(crate) mod fastchess;
mod fishtest;
mod openbench;
mod roots;
pub(crate) mod score;
pub(crate) mod setup;
#[cfg(test)]
mod tests;
mod tool_llr;

use score::Score;
use setup::EngineSetup;
use stretto_stats::llr::Model;
use tool_llr::Tool;

use crate::base::wording::did_you_mean;
use crate::play::pairings::Pairing;
use crate::play::verdict::SprtConfig;
use crate::report::{BlockFormat, BlockRequest, Blocks};

/// The result of a match and its settings, for all blocks.
#[derive(Clone, Debug)]
pub(crate) struct MatchBlocks {
    /// In the order of the configuration.
    pub(crate) engines: Vec<EngineSetup>,
    /// Name of the file of openings.
    pub(crate) book: String,
    pub(crate) test: Option<SprtConfig>,
    pub(crate) pairings: Vec<Pairing>,
    /// By pairing, from its first engine's point of view.
    pub(crate) scores: Vec<Score>,
    /// The block in Markdown.
    pub(crate) markdown: String,
    /// A remark on the page.
    pub(crate) remark: Option<String>,
}

impl Blocks for MatchBlocks {
    fn block(&self, request: BlockRequest<'_>) -> Result<String, String> {
        let BlockRequest { format, engines, only_changed } = request;
        if only_changed {
            return Err("only tunings have changed parameters: leave out --changed".to_owned());
        }
        if let Some(reason) = obstacle(format, self.engines.len(), self.test.as_ref(), engines.is_some()) {
            let pairings = self.pairings.iter().map(|&pairing| self.names(pairing));
            let pairings = pairings.map(|[first, second]| format!("{first} - {second}"));
            let pairings: Vec<String> = pairings.collect();
            let many = self.engines.len() > 2 && engines.is_none();
            let more = if many { format!("; pairings: {}", pairings.join(", ")) } else { String::new() };
            return Err(reason + &more);
        }
        if format == BlockFormat::Markdown {
            return Ok(self.markdown.clone());
        }
        let only_pair = (self.engines.len() == 2).then(|| self.names(self.pairings[0]));
        let Some(engines) = engines.or(only_pair) else { return Ok(self.table()) };
        let (first, second, score) = self.between(engines)?;
        let test = self.test.as_ref();
        Ok(match format {
            BlockFormat::OpenBench => openbench::block(first, &score, test),
            BlockFormat::Fishtest => fishtest::block(&score, test),
            BlockFormat::Fastchess | BlockFormat::Markdown => self.results(first, second, &score),
        })
    }

    fn foot(&self) -> (&'static [BlockFormat], Option<String>) {
        if self.scores.iter().all(|score| score.games.games() == 0) {
            return (&[], None);
        }
        let all =
            &[BlockFormat::OpenBench, BlockFormat::Fishtest, BlockFormat::Fastchess, BlockFormat::Markdown];
        (all, self.remark.clone())
    }
}

/// Returns the reason why a match between `engines` has no such block, with a remedy; `None` if it has one. `is_chosen` tells
/// whether two of the engines are chosen.
pub(crate) fn obstacle(
    format: BlockFormat,
    engines: usize,
    test: Option<&SprtConfig>,
    is_chosen: bool,
) -> Option<String> {
    let title = format.title();
    let is_logistic = test.is_some_and(|test| test.model == Model::Logistic);
    match format {
        BlockFormat::OpenBench if is_logistic => Some(format!(
            "the bounds of the test are logistic Elo, and those of {title} are normalized Elo: choose fishtest, fastchess or markdown"
        )),
        BlockFormat::OpenBench | BlockFormat::Fishtest if engines > 2 && !is_chosen => Some(format!(
            "the match has {engines} engines, and a block of {title} has two: choose fastchess or markdown for a table of all, or a \
             pairing with `harness report RUN --format {} --engines A B`",
            title.to_lowercase()
        )),
        BlockFormat::Markdown if engines > 2 && is_chosen => {
            Some("the Markdown block shows all engines: leave out --engines".to_owned())
        }
        _ => None,
    }
}

impl MatchBlocks {
    fn names(&self, pairing: Pairing) -> [&str; 2] {
        pairing.engines().map(|engine| self.engines[engine].name.as_str())
    }

    /// Returns two engines and their score, from the first one's point of view.
    ///
    /// Errors: an engine is unknown, or they do not play each other.
    fn between(&self, names: [&str; 2]) -> Result<(&EngineSetup, &EngineSetup, Score), String> {
        let known = || self.engines.iter().map(|engine| engine.name.as_str());
        let found = names.map(|name| known().position(|known| known == name));
        let [Some(first), Some(second)] = found else {
            let unknown = if found[0].is_none() { names[0] } else { names[1] };
            let similar = did_you_mean(unknown, known());
            let names = known().collect::<Vec<_>>().join(", ");
            return Err(format!("--engines: the run has no engine `{unknown}`{similar} (engines: {names})"));
        };
        let played = self.pairings.iter().zip(&self.scores).find_map(|(pairing, score)| {
            let is_reversed = pairing.engines() == [second, first];
            let is_same = pairing.engines() == [first, second];
            (is_same || is_reversed).then(|| if is_reversed { score.reversed() } else { *score })
        });
        let [one, other] = names;
        let score = played.ok_or_else(|| format!("--engines: {one} and {other} do not play each other"))?;
        Ok((&self.engines[first], &self.engines[second], score))
    }

    /// Returns the results of two engines in the form of fastchess.
    fn results(&self, first: &EngineSetup, second: &EngineSetup, score: &Score) -> String {
        let conditions = fastchess::conditions(first, second, &self.book);
        let results = fastchess::results([&first.name, &second.name], &conditions, score);
        let test = self.test.as_ref().map_or_else(String::new, |test| {
            let llr = Tool::Fastchess.llr(test, score.pairs);
            fastchess::test_line(llr, test.wald_bounds(), [test.elo0, test.elo1])
        });
        enclosed(&(results + &test))
    }

    /// Returns the table of all engines in the form of fastchess.
    fn table(&self) -> String {
        let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        enclosed(&fastchess::table(&names, &self.pairings, &self.scores))
    }
}

fn enclosed(text: &str) -> String {
    format!("{0}{text}{0}", fastchess::RULE).trim_end().to_owned()
}
