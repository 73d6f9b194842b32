//! The schema of `workshop datagen`.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::learn::datagen::nodes::NodeLimit;
use crate::learn::datagen::openings::Openings;
use stretto_harness::config::schema::FileKind;
use stretto_harness::config::{ConfigError, FieldPath, Problem, Source};
use stretto_harness::play::adjudication::{Adjudication, DrawRule, WinRule, validate_adjudication};

/// The largest table of a player. Units: MiB.
const MAX_HASH: u64 = 1024;

/// The configuration files of `workshop datagen`.
pub(crate) const FILE: FileKind =
    FileKind::new::<RawDatagen>("datagen", |source| DatagenConfig::load(source).map(drop));

/// Games of the engine against itself, as training data.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Datagen")]
struct RawDatagen {
    /// Evaluation of the players.
    #[serde(default)]
    evaluation: DataEvaluation,
    /// File of the network, for `evaluation: network`.
    network: Option<PathBuf>,
    /// Nodes after which no new iteration starts: a number, or one for each phase of the game.
    soft_nodes: NodeLimit,
    /// Nodes after which the search of a move stops, in the same form. Without it, 20 times
    /// `soft_nodes`.
    hard_nodes: Option<NodeLimit>,
    /// Start positions of the games: random plies, or a list of sources with shares.
    #[serde(default)]
    openings: Openings,
    /// Rules that end a game before the rules of chess do.
    #[serde(default)]
    adjudication: RawAdjudication,
    /// Number of games to play.
    games: NonZeroU64,
    /// Seed of everything random.
    #[serde(default)]
    seed: u64,
    /// Hash size of a player, in MiB. Without it, 2.
    hash: Option<NonZeroU64>,
    /// Games played at once. Without it, one per logical CPU. The result does not depend on it.
    concurrency: Option<NonZeroUsize>,
}

/// Evaluation of the players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataEvaluation {
    /// The network in the file `network`.
    Network,
    /// The hand-crafted classical evaluation.
    #[default]
    Classical,
    /// A material count only.
    Material,
}

/// Rules that end a training game before the rules of chess do, named as in a match. An omitted rule has its default; `null`
/// turns it off.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "DataAdjudication")]
#[expect(clippy::option_option, reason = "`null` differs from an omitted field")]
struct RawAdjudication {
    /// Adjudicates a game as won when the scores agree on the winner. `two_sided` must be true.
    #[serde(deserialize_with = "given")]
    #[schemars(with = "Option<WinRule>")]
    win: Option<Option<WinRule>>,
    /// Adjudicates a game as drawn when the scores are near 0. Captures do not restart the count.
    #[serde(deserialize_with = "given")]
    #[schemars(with = "Option<DrawRule>")]
    draw: Option<Option<DrawRule>>,
    /// Adjudicates a game as drawn after this many full moves from its opening. Without it, 200.
    max_moves: Option<NonZeroU32>,
    /// Whether a game ends at a position of the built-in endgame tables (up to four pieces) with
    /// their result.
    tables: bool,
}

/// Reads a field that is there, so that `null` differs from an omitted field.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<T>, D::Error> {
    T::deserialize(value).map(Some)
}

/// The rules as plies, which is also their form in the manifest of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataAdjudication {
    /// A game is won once scores were at least this good for one side, in centipawns.
    pub win_score: u16,
    /// Number of plies in a row for a win.
    pub win_plies: u32,
    /// A game is drawn once scores were at most this far from 0, in centipawns.
    pub draw_score: u16,
    /// Number of plies in a row for a draw; 0 turns the rule off.
    pub draw_plies: u32,
    /// First ply, counted from the start position, at which a draw can be adjudicated.
    pub draw_from_ply: u32,
    /// A game is drawn after this many plies from its opening.
    pub max_plies: NonZeroU32,
    /// Whether a game ends at a position of the built-in endgame tables (up to four pieces) with
    /// their result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tables: bool,
}

impl Default for DataAdjudication {
    fn default() -> Self {
        Self {
            win_score: 1500,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 12,
            draw_from_ply: 80,
            max_plies: NonZeroU32::new(400).unwrap_or(NonZeroU32::MIN),
            tables: false,
        }
    }
}

/// The validated configuration of self-play data generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatagenConfig {
    /// Evaluation used by the players.
    pub evaluation: DataEvaluation,
    /// Network file, if `evaluation` is `network`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<PathBuf>,
    /// Nodes after which no new iteration is started.
    pub soft_nodes: NodeLimit,
    /// Nodes after which a search is stopped.
    pub hard_nodes: NodeLimit,
    /// Start positions of the games.
    pub openings: Openings,
    /// Rules that adjudicate games early.
    pub adjudication: DataAdjudication,
    /// Number of games to play.
    pub games: NonZeroU64,
    /// Seed of all random choices.
    pub seed: u64,
    /// Hash table size of a player. Units: MiB.
    pub hash: u64,
    /// Number of games played in parallel; does not affect the result.
    #[serde(skip)]
    pub concurrency: usize,
}

impl DatagenConfig {
    /// Reads and validates a configuration.
    pub fn load(source: &Source) -> Result<Self, ConfigError> {
        source.parse::<RawDatagen>()?.validate(source).map_err(|problem| source.complain(problem))
    }
}

impl RawAdjudication {
    /// Converts the rules to plies. A full move is two plies.
    fn validate(self) -> Result<DataAdjudication, Problem> {
        let path = FieldPath::root().key("adjudication");
        let Self { win, draw, max_moves, tables } = self;
        let mut rules = DataAdjudication { tables, ..DataAdjudication::default() };
        let plies = |moves: NonZeroU32| moves.saturating_mul(NonZeroU32::MIN.saturating_add(1));
        let score = |score: u32, rule: &str| {
            let message = format!("{score}: expected at most {} centipawns", u16::MAX);
            u16::try_from(score).map_err(|_| Problem::new(path.key(rule).key("score"), message))
        };
        match win {
            None => {}
            // No score is as high.
            Some(None) => rules.win_score = u16::MAX,
            Some(Some(WinRule { two_sided: false, .. })) => {
                let message = "expected two_sided: true, since one engine plays both sides and its scores of both are counted";
                return Err(Problem::new(path.key("win"), message));
            }
            Some(Some(rule @ WinRule { score: least, moves, two_sided: true })) => {
                validate_adjudication(
                    &FieldPath::root(),
                    &Adjudication { win: Some(rule), ..Adjudication::default() },
                )?;
                (rules.win_score, rules.win_plies) = (score(least, "win")?, plies(moves).get());
            }
        }
        match draw {
            None => {}
            Some(None) => rules.draw_plies = 0,
            Some(Some(DrawRule { irreversible_restarts: true, .. })) => {
                let message = "true: expected false, since captures and pawn moves do not restart the count in training games";
                return Err(Problem::new(path.key("draw").key("irreversible_restarts"), message));
            }
            Some(Some(DrawRule { from_move, moves, score: most, irreversible_restarts: false })) => {
                (rules.draw_score, rules.draw_plies) = (score(most, "draw")?, plies(moves).get());
                rules.draw_from_ply = from_move.saturating_sub(1).saturating_mul(2);
            }
        }
        rules.max_plies = max_moves.map_or(rules.max_plies, plies);
        Ok(rules)
    }
}

impl RawDatagen {
    fn validate(self, source: &Source) -> Result<DatagenConfig, Problem> {
        let root = FieldPath::root();
        let network = match (self.evaluation, &self.network) {
            (DataEvaluation::Network, Some(file)) => {
                let file = source.names().file(file);
                Some(file.map_err(|text| Problem::new(root.key("network"), text))?)
            }
            (DataEvaluation::Network, None) => {
                return Err(Problem::new(root.key("network"), "expected the file of the network"));
            }
            (_, Some(_)) => {
                let message = "only of use with `evaluation: network`";
                return Err(Problem::new(root.key("network"), message));
            }
            (_, None) => None,
        };
        let adjudication = self.adjudication.validate()?;
        let openings = self.openings.validate(&root.key("openings"), source, adjudication.tables)?;
        let hard_nodes = self.hard_nodes.unwrap_or(self.soft_nodes.times(HARD_FACTOR));
        root.key("hard_nodes").require(
            hard_nodes.is_at_least(self.soft_nodes),
            format!("{hard_nodes}: expected at least soft_nodes, {}", self.soft_nodes),
        )?;
        let hash = self.hash.map_or(2, NonZeroU64::get);
        root.key("hash").require(hash <= MAX_HASH, format!("{hash}: expected at most {MAX_HASH} MiB"))?;
        let cores = num_cpus::get;
        Ok(DatagenConfig {
            evaluation: self.evaluation,
            network,
            soft_nodes: self.soft_nodes,
            hard_nodes,
            openings,
            adjudication,
            games: self.games,
            seed: self.seed,
            hash,
            concurrency: self.concurrency.map_or_else(cores, NonZeroUsize::get),
        })
    }
}

/// Default ratio of the hard to the soft node limit.
pub(super) const HARD_FACTOR: NonZeroU64 = NonZeroU64::new(20).unwrap();

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn load(text: &str) -> Result<DatagenConfig, String> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.network"), "").unwrap();
        let source = Source::new(dir.path().join("datagen.yaml"), text.to_owned());
        DatagenConfig::load(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn optional_fields_have_defaults() {
        let config = load("soft_nodes: 60\ngames: 10\n").unwrap();
        assert_eq!((config.hard_nodes.to_string(), config.hash, config.seed), ("1200".to_owned(), 2, 0));
        assert_eq!((config.evaluation, config.network), (DataEvaluation::Classical, None));
        let config = load("soft_nodes: 60\ngames: 10\nevaluation: network\nnetwork: a.network\n").unwrap();
        assert!(config.network.is_some_and(|file| file.ends_with("a.network")));
    }

    /// Runs of earlier versions continue: their stored configuration has neither field.
    #[test]
    fn configuration_without_list_and_tables_is_stored_as_before() {
        let config = load("soft_nodes: 60\ngames: 10\nopenings: { max_score: 300 }\n").unwrap();
        let stored = serde_yaml::to_string(&config).unwrap();
        assert!(stored.contains("openings:\n  min_plies: 8\n  max_plies: 9\n  max_score: 300\n"), "{stored}");
        assert!(!stored.contains("tables"), "{stored}");
        assert_eq!(serde_yaml::from_str::<DatagenConfig>(&stored).unwrap().openings, config.openings);
        let list = "soft_nodes: 60\ngames: 10\nadjudication: { tables: true }\n\
                    openings: [{ source: endings, share: 3, pieces: [KRPvKR] }, { source: file, file: a.network }]\n";
        let config = load(list).unwrap();
        let stored: DatagenConfig = serde_yaml::from_str(&serde_yaml::to_string(&config).unwrap()).unwrap();
        assert_eq!((stored.openings, stored.adjudication), (config.openings, config.adjudication));
    }

    fn rules(fields: &str) -> Result<DataAdjudication, String> {
        load(&format!("soft_nodes: 60\ngames: 1\nadjudication: {fields}\n")).map(|config| config.adjudication)
    }

    #[test]
    fn adjudication_has_the_names_of_a_match() {
        let usual = DataAdjudication::default();
        let all = "{ win: { score: 1500, moves: 2, two_sided: true }, draw: { from_move: 41, moves: 6, score: 10 }, \
                   max_moves: 200, tables: false }";
        assert_eq!((rules("{}"), rules(all)), (Ok(usual), Ok(usual)));
        assert_eq!(
            rules("{ win: { score: 800, moves: 3, two_sided: true }, max_moves: 50, tables: true }"),
            Ok(DataAdjudication {
                win_score: 800,
                win_plies: 6,
                max_plies: NonZeroU32::new(100).unwrap(),
                tables: true,
                ..usual
            })
        );
        assert_eq!(
            rules("{ win: null, draw: null }"),
            Ok(DataAdjudication { win_score: u16::MAX, draw_plies: 0, ..usual })
        );
        for (fields, expected) in [
            ("{ win: { score: 9, moves: 2 } }", "adjudication.win: expected two_sided: true"),
            (
                "{ win: { score: 0, moves: 2, two_sided: true } }",
                "adjudication.win.score: 0: expected centipawns above 0",
            ),
            (
                "{ win: { score: 70000, moves: 2, two_sided: true } }",
                "adjudication.win.score: 70000: expected at most 65535",
            ),
            ("{ win: { score: 9, moves: 0, two_sided: true } }", "adjudication.win.moves"),
            (
                "{ draw: { from_move: 1, moves: 2, score: 9, irreversible_restarts: true } }",
                "adjudication.draw.irreversible_restarts: true: expected false",
            ),
            ("{ draw: { moves: 2, score: 9 } }", "missing field `from_move`"),
            ("{ win_score: 9 }", "unknown field `win_score`"),
        ] {
            let error = rules(fields).unwrap_err();
            assert!(error.contains(expected), "{fields}: {error}");
        }
    }

    /// Interrupted runs keep their file, so its rules are stored as they were.
    #[test]
    fn adjudication_is_stored_in_plies() {
        let new = "{ win: { score: 700, moves: 3, two_sided: true }, draw: { from_move: 31, moves: 5, score: 7 }, max_moves: 150, tables: true }";
        assert_eq!(
            serde_yaml::to_string(&rules(new).unwrap()).unwrap(),
            "win_score: 700\nwin_plies: 6\ndraw_score: 7\ndraw_plies: 10\ndraw_from_ply: 60\nmax_plies: 300\ntables: true\n"
        );
    }

    #[test]
    fn node_limits_depend_on_the_number_of_pieces() {
        let config = load("soft_nodes: { from_16_pieces: 400, below: 80 }\ngames: 1\n").unwrap();
        let limits = |pieces| (config.soft_nodes.at(pieces).get(), config.hard_nodes.at(pieces).get());
        assert_eq!([limits(32), limits(16)], [(400, 8000); 2]);
        assert_eq!([limits(15), limits(2)], [(80, 1600); 2]);
        let stored = serde_yaml::to_string(&config).unwrap();
        assert_eq!(serde_yaml::from_str::<DatagenConfig>(&stored).unwrap().soft_nodes, config.soft_nodes);
        let config = load("soft_nodes: { from_16_pieces: 9, below: 8 }\nhard_nodes: 50\ngames: 1\n").unwrap();
        assert_eq!((config.hard_nodes.at(20).get(), config.hard_nodes.at(3).get()), (50, 50));
        // One number is stored as before, so that runs of earlier versions continue.
        let stored = serde_yaml::to_string(&load("soft_nodes: 60\ngames: 1\n").unwrap()).unwrap();
        assert!(stored.contains("soft_nodes: 60\nhard_nodes: 1200\n"), "{stored}");
    }

    #[test]
    fn errors_of_node_limits_name_the_field() {
        for (fields, expected) in [
            ("soft_nodes: 0", "soft_nodes: expected a number of nodes above 0, or `{ from_16_pieces"),
            ("soft_nodes: -1", "soft_nodes: expected a number of nodes above 0"),
            ("soft_nodes: many", "soft_nodes: expected a number of nodes above 0"),
            ("soft_nodes: { below: 80 }", "missing field `from_16_pieces`"),
            ("soft_nodes: { from_16_pieces: 400, below: 0 }", "soft_nodes.below"),
            ("soft_nodes: { from_16_pieces: 400, under: 8 }", "unknown field `under`"),
            (
                "soft_nodes: { from_16_pieces: 400, below: 80 }\nhard_nodes: 100",
                "hard_nodes: 100: expected at least soft_nodes, 400 (80 below 16 pieces)",
            ),
        ] {
            let error = load(&format!("{fields}\ngames: 1\n")).unwrap_err();
            assert!(error.contains(expected), "{fields}: {error}");
        }
    }

    #[test]
    fn errors_name_the_field() {
        for (line, expected) in [
            ("", "missing field `games`"),
            ("games: 0", "games"),
            ("games: 1\nevaluation: network", "network: expected the file"),
            ("games: 1\nnetwork: a.network", "4:10: network: only of use with"),
            ("games: 1\nevaluation: network\nnetwork: b.network", "network: no such file"),
            ("games: 1\nevaluation: tea", "evaluation"),
            ("games: 1\nopenings: { min_plies: 9, max_plies: 8 }", "openings.min_plies: 9: expected at most"),
            ("games: 1\nopenings: { max_plies: 100 }", "openings.max_plies: 100: expected at most 64"),
            ("games: 1\nopenings: 5", "openings: expected fields such as"),
            ("games: 1\nopenings: []", "openings: expected at least one source, found none"),
            ("games: 1\nopenings: [{ share: 1 }]", "missing field `source`"),
            ("games: 1\nopenings: [{ source: tea }]", "unknown value `tea`"),
            ("games: 1\nopenings: [{ source: random, plies: 1 }]", "unknown field `plies`"),
            ("games: 1\nopenings: [{ source: random, share: 0 }]", "expected a whole number from 1 to"),
            (
                "games: 1\nopenings: [{ source: chess960, min_plies: 10 }]",
                "openings[0].min_plies: 10: expected at most",
            ),
            ("games: 1\nopenings: [{ source: file, file: b.epd }]", "openings[0].file: no such file `b.epd`"),
            (
                "games: 1\nopenings: [{ source: file, file: a.network, plies: 3 }]",
                "openings[0].plies: only of use with a PGN file",
            ),
            ("games: 1\nopenings: [{ source: endings, pieces: [KXvK] }]", "invalid material `KXvK`"),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [] }]",
                "openings[0].pieces: expected at least one",
            ),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [KRvKR, KvK] }]",
                "openings[0].pieces[1]: KvK with min_pawns: 2 pieces, which is a draw; expected at least 3",
            ),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [KRvKR, KNvK] }]",
                "openings[0].pieces[1]: KNvK with max_pawns: no pawns, which is always a draw; expected max_pawns of at least 1",
            ),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [KvKB] }]",
                "openings[0].pieces[0]: KvKB with max_pawns: no pawns, which is always a draw",
            ),
            (
                "games: 1\nadjudication: { tables: true }\nopenings: [{ source: endings, pieces: [KRvKR], max_pawns: 2 }]",
                "openings[0].pieces[0]: KRvKR with min_pawns: 4 pieces, which is over at once by `adjudication.tables`; expected at least 5",
            ),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [KPPvK], max_pawns: 7 }]",
                "openings[0].pieces[0]: KPPvK with max_pawns: 9 pawns of a side, expected at most 8",
            ),
            (
                "games: 1\nopenings: [{ source: endings, pieces: [KRvKR], min_pawns: 3, max_pawns: 2 }]",
                "openings[0].min_pawns: 3: expected at most max_pawns, 2",
            ),
            ("games: 1\nhard_nodes: 5", "hard_nodes: 5: expected at least soft_nodes, 60"),
            ("games: 1\nhash: 5000", "hash: 5000: expected at most"),
            ("games: 1\nmore: 1", "unknown field `more`"),
        ] {
            let error = load(&format!("# a job\nsoft_nodes: 60\n{line}\n")).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn endings_that_can_be_won_are_accepted() {
        for source in ["pieces: [KNvK], max_pawns: 1", "pieces: [KNvKN, KBvKB, KNNvK, KPvK]"] {
            let text = format!("soft_nodes: 60\ngames: 1\nopenings: [{{ source: endings, {source} }}]\n");
            assert!(load(&text).is_ok(), "{source}");
        }
    }
}
