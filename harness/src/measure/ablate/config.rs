//! The schema of `harness ablate`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::engine::{EngineConfig, RawEngine};
use crate::config::limits::{Limits, TimeControl};
use crate::config::schema::FileKind;
use crate::config::{ConfigError, FieldPath, Problem, Source};
use crate::measure::searches::config::{
    RawPositions, RawSearches, SearchesConfig, default_timeout, once, one_at_a_time, yes,
};
use crate::play::adjudication::{Adjudication, validate_adjudication};
use crate::play::matches::config::{MatchConfig, validate_games};
use crate::play::openings::config::RawOpenings;

/// The configuration files of `harness ablate`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawAblate>("ablate", |source| AblateConfig::load(source).map(drop));

/// A measurement of each switch of an engine.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ablate")]
struct RawAblate {
    /// The engine. Its limit is the one of this configuration.
    engine: RawEngine,
    /// The switches to flip: `all` that the engine declares as options of type check, except
    /// `UCI_...`, `Ponder`, `OwnBook` and `NormalizeScore`; or a list of names.
    switches: RawSwitches,
    /// Pairs of switches that are also flipped together.
    #[serde(default)]
    pairs: Vec<[String; 2]>,
    /// The positions to search.
    #[serde(default)]
    positions: RawPositions,
    /// Depth of each search, in plies. Either this or nodes.
    depth: Option<NonZeroU32>,
    /// Nodes of each search.
    nodes: Option<NonZeroU64>,
    /// Searches of each position with each setting.
    #[serde(default = "once")]
    repetitions: NonZeroU32,
    /// Whether times are compared. Only times depend on the machine.
    #[serde(default = "yes")]
    times: bool,
    /// Searches or games at once.
    #[serde(default = "one_at_a_time")]
    concurrency: NonZeroUsize,
    /// Seconds without an answer after which an engine counts as hung.
    #[serde(default = "default_timeout")]
    timeout: f64,
    /// Seed of the games.
    #[serde(default)]
    seed: u64,
    /// Matches that measure the Elo of some settings.
    games: Option<RawGames>,
}

/// Matches of settings against the unchanged engine.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AblateGames")]
struct RawGames {
    /// Play this many single switches: those with the largest effect on nodes.
    largest: Option<NonZeroUsize>,
    /// Play these switches instead.
    switches: Option<Vec<String>>,
    /// Games of each setting, even.
    games: u64,
    /// Nodes per move. One limit of nodes, movetime and `time_control` is needed.
    nodes: Option<NonZeroU64>,
    /// Time per move, in milliseconds.
    movetime: Option<NonZeroU64>,
    /// Time control, such as `8+0.08`.
    time_control: Option<TimeControl>,
    /// Openings of the games. Without them, the 3000 built-in ones.
    openings: Option<RawOpenings>,
    /// Rules that end a game before the rules of chess do.
    #[serde(default)]
    adjudication: Adjudication,
}

/// The switches to flip: `all`, or a list of names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected `all` or a list of names, such as [NullMove, History]")]
#[schemars(rename = "Switches")]
enum RawSwitches {
    All(AllSwitches),
    Named(Vec<String>),
}

/// The keyword `all`, for all switches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AllSwitches {
    /// Every option of type check that the engine declares.
    All,
}

/// The settings that play games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Played {
    /// This number of single switches: those with the largest effect on nodes, up or down.
    Largest(NonZeroUsize),
    /// The switches with these names.
    Switches(Vec<String>),
}

/// The matches that measure the Elo of settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AblateGames {
    /// The settings that play, each against the unchanged engine.
    pub played: Played,
    /// Template of each match, with the unchanged engine on both sides.
    pub config: MatchConfig,
}

impl AblateGames {
    /// Describes the matches that follow the searches.
    pub(crate) fn forecast(&self) -> String {
        let matches = match &self.played {
            Played::Switches(names) => names.len(),
            Played::Largest(count) => count.get(),
        };
        let games = self.config.games.unwrap_or_default();
        format!("after the searches: up to {matches} matches of {games} games each")
    }

    /// Returns the match of a setting against the unchanged engine.
    pub fn against(&self, setting: &EngineConfig) -> MatchConfig {
        let mut config = self.config.clone();
        let base = &config.engines[1];
        config.engines[0] = EngineConfig { limits: base.limits, ponder: base.ponder, ..setting.clone() };
        config
    }
}

/// A validated ablation: the effect of each switch of an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AblateConfig {
    /// The engine with all switches unchanged.
    pub engine: EngineConfig,
    /// Options of type check, each flipped alone. If empty, all that the engine declares.
    pub switches: Vec<String>,
    /// Pairs of switches flipped together, to measure their interaction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[String; 2]>,
    /// Positions, limit and repetitions.
    #[serde(flatten)]
    pub searches: SearchesConfig,
    /// Whether the intervals of the ratios hold for all settings simultaneously. Always true; part of
    /// the identity of stored runs.
    pub is_simultaneous: bool,
    /// Whether every setting has a measurement of the unchanged engine of its own, alternating with
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_own_bases: bool,
    /// Seed of the games.
    pub seed: u64,
    /// Matches that measure Elo, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games: Option<AblateGames>,
}

impl AblateConfig {
    /// Reads and validates a configuration. Errors: the first invalid field.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<RawAblate>()?.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawAblate {
    fn validate(self, source: &Source) -> Result<AblateConfig, Problem> {
        let Self { positions, depth, nodes, repetitions, times, concurrency, timeout, .. } = self;
        let limits = Limits { time_control: None, nodes, depth, movetime: None };
        let instructions = false;
        let searches =
            RawSearches { positions, limits, repetitions, times, concurrency, timeout, instructions };
        let path = FieldPath::root().key("engine");
        let engine = self.engine.validate(&path, source.names(), limits)?;
        let message = "expected no limit here; use the field `depth` or `nodes` of the configuration";
        path.require(engine.limits == limits, message)?;
        let switches = self.switches.validate()?;
        check_pairs(&self.pairs, &FieldPath::root().key("pairs"))?;
        let searches = searches.validate(source, "depth or nodes")?;
        let games = self.games.map(|games| games.validate(source, &engine, &switches, self.seed));
        let games = games.transpose()?;
        Ok(AblateConfig {
            engine,
            switches,
            pairs: self.pairs,
            is_simultaneous: true,
            has_own_bases: searches.times,
            searches,
            seed: self.seed,
            games,
        })
    }
}

impl RawGames {
    fn validate(
        self,
        source: &Source,
        engine: &EngineConfig,
        switches: &[String],
        seed: u64,
    ) -> Result<AblateGames, Problem> {
        let path = FieldPath::root().key("games");
        let played = match (self.largest, self.switches) {
            (Some(count), None) => Played::Largest(count),
            (None, Some(names)) => {
                let list = path.key("switches");
                check_names(&names, &list)?;
                let is_there = |name: &String| switches.iter().any(|known| known.eq_ignore_ascii_case(name));
                if let Some(index) = names.iter().position(|name| !switches.is_empty() && !is_there(name)) {
                    let message = format!("`{}` is not one of the switches above", names[index]);
                    return list.index(index).refuse(message);
                }
                Played::Switches(names)
            }
            _ => return path.refuse("expected either `largest` or `switches`"),
        };
        let Self { time_control, nodes, movetime, .. } = self;
        let limits = Limits { time_control, nodes, depth: None, movetime };
        let given = [time_control.is_some(), nodes.is_some(), movetime.is_some()];
        let is_single = given.iter().filter(|&&is_given| is_given).count() == 1;
        path.key("nodes").require(is_single, "expected one limit: nodes, movetime or time_control")?;
        let games = validate_games(&path.key("games"), self.games)?;
        validate_adjudication(&path, &self.adjudication)?;
        let base = EngineConfig { limits, ..engine.clone() };
        let openings = self.openings.unwrap_or_default().validate(&path, source, seed)?;
        let config = MatchConfig::between([base.clone(), base], games, openings);
        Ok(AblateGames { played, config: MatchConfig { adjudication: self.adjudication, seed, ..config } })
    }
}

/// Rejects an empty list and duplicate names.
fn check_names(names: &[String], list: &FieldPath) -> Result<(), Problem> {
    list.require(!names.is_empty(), "expected names of options")?;
    for (index, name) in names.iter().enumerate() {
        let is_new = names[..index].iter().all(|other| !other.eq_ignore_ascii_case(name));
        list.index(index).require(is_new, format_args!("`{name}` is listed twice"))?;
    }
    Ok(())
}

/// Rejects pairs of a switch with itself, and pairs that are listed twice in either order.
fn check_pairs(pairs: &[[String; 2]], list: &FieldPath) -> Result<(), Problem> {
    let sorted = |pair: &[String; 2]| {
        let mut names = pair.clone().map(|name| name.to_ascii_lowercase());
        names.sort();
        names
    };
    for (index, pair) in pairs.iter().enumerate() {
        let ([one, other], here) = (pair, list.index(index));
        here.require(!one.eq_ignore_ascii_case(other), "expected two different switches")?;
        let is_new = pairs[..index].iter().all(|earlier| sorted(earlier) != sorted(pair));
        here.require(is_new, format_args!("the pair of `{one}` and `{other}` is listed twice"))?;
    }
    Ok(())
}

impl RawSwitches {
    /// Returns the names; an empty list stands for all.
    fn validate(self) -> Result<Vec<String>, Problem> {
        let list = FieldPath::root().key("switches");
        let names = match self {
            Self::All(AllSwitches::All) => return Ok(Vec::new()),
            Self::Named(names) => names,
        };
        list.require(!names.is_empty(), "expected names of options, or `all`")?;
        check_names(&names, &list).map(|()| names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::source_beside;

    fn load(text: &str) -> Result<AblateConfig, String> {
        let (_dir, source) = source_beside(text, &["p.epd", "b.epd"]);
        AblateConfig::load(&source).map_err(|error| error.to_string())
    }

    const GOOD: &str = "engine: { command: sh }\nswitches: [NullMove, Killers]\npositions: { file: p.epd }\ndepth: 5\n\
         games: { largest: 2, games: 4, nodes: 100, openings: { file: b.epd } }\n";

    #[test]
    fn switches_are_all_or_a_list() {
        assert_eq!(load(GOOD).unwrap().switches, ["NullMove", "Killers"]);
        assert!(load(&GOOD.replace("[NullMove, Killers]", "all")).unwrap().switches.is_empty());
    }

    #[test]
    fn games_use_their_own_limit() {
        let config = load(GOOD).unwrap();
        let games = config.games.unwrap();
        assert_eq!(games.played, Played::Largest(NonZeroUsize::new(2).unwrap()));
        let setting = EngineConfig { name: "NullMove off".to_owned(), ..config.engine };
        let game = games.against(&setting);
        let names: Vec<&str> = game.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["NullMove off", "sh"]);
        let nodes = |index: usize| game.engines[index].limits.nodes.map(NonZeroU64::get);
        assert_eq!((nodes(0), nodes(1), game.games), (Some(100), Some(100), Some(4)));
    }

    #[test]
    fn games_without_openings_start_from_those_that_ship_with_the_program() {
        let config = load(&GOOD.replace(", openings: { file: b.epd }", "")).unwrap();
        let file = config.games.unwrap().config.openings.file;
        assert!(file.file_name().unwrap().to_string_lossy().starts_with("balanced-"), "{}", file.display());
    }

    #[test]
    fn invalid_fields_are_reported_with_their_path() {
        for (from, to, expected) in [
            ("depth: 5", "", "depth: expected one limit"),
            ("depth: 5", "depth: 5\nnodes: 7", "depth: expected one limit"),
            ("[NullMove, Killers]", "[]", "switches: expected names"),
            ("[NullMove, Killers]", "[NullMove, nullmove]", "switches[1]: `nullmove` is listed twice"),
            ("depth: 5", "depth: 5\npairs: [[A, a]]", "pairs[0]: expected two different switches"),
            (
                "depth: 5",
                "depth: 5\npairs: [[A, B], [b, A]]",
                "pairs[1]: the pair of `b` and `A` is listed twice",
            ),
            ("command: sh", "command: no-such", "engine.command: no engine"),
            ("p.epd", "q.epd", "positions.file: no such file"),
            ("depth: 5", "depth: 5\nspeed: 1", "unknown field `speed`"),
            ("largest: 2", "largest: 2, switches: [Killers]", "games: expected either `largest`"),
            ("largest: 2", "switches: [Killers, killers]", "games.switches[1]: `killers` is listed twice"),
            ("largest: 2", "switches: [History]", "games.switches[0]: `History` is not one of"),
            ("games: 4", "games: 5", "games.games: 5: expected an even number"),
            ("nodes: 100, ", "", "games.nodes: expected one limit"),
            ("nodes: 100", "nodes: 100, movetime: 5", "games.nodes: expected one limit"),
            ("file: b.epd", "file: c.epd", "games.openings.file: no such file"),
        ] {
            let error = load(&GOOD.replace(from, to)).unwrap_err();
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
