//! Configuration of adjudication by scores, lengths and endgame tables.

use std::num::NonZeroU32;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::random::SplitMix64;
use crate::config::{FieldPath, Problem, Source};

/// Rules that end a game before the rules of chess do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    /// Adjudicates a game as lost for a side that reports low scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub win: Option<WinRule>,
    /// Adjudicates a game as drawn when both sides report scores near 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    /// Adjudicates a game as drawn after this many full moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<NonZeroU32>,
    /// Share of the adjudicated games that are played on to audit the verdict, which remains the result. Above 0, at
    /// most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<f64>,
}

impl Adjudication {
    /// Whether the verdict of this game is audited if it is adjudicated. Only seed and number decide, so shards and
    /// resumed runs audit the games that the whole match would.
    pub(crate) fn audits(&self, seed: u64, game: u64) -> bool {
        let bits = SplitMix64::new(seed ^ SplitMix64::mix(game)).next_u64();
        // The upper 53 bits as a number from 0 to below 1.
        let draw = (bits >> 11) as f64 / (1_u64 << 53) as f64;
        self.audit.is_some_and(|share| draw < share)
    }
}

/// A side loses whose engine reports `-score` or worse in each of its last `moves` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WinRule {
    /// Score in centipawns, above 0. A mate score counts as more than any.
    pub score: u32,
    /// Number of moves in a row.
    pub moves: NonZeroU32,
    /// Whether the winner must report `score` or more over the same moves.
    #[serde(default)]
    pub two_sided: bool,
}

/// A game is drawn when both engines report scores within `score` of 0 for `moves` full moves in a
/// row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// First full move at which a game can be adjudicated, by the move number of the FEN.
    pub from_move: u32,
    /// Number of full moves in a row.
    pub moves: NonZeroU32,
    /// Greatest score of either sign that counts as level, in centipawns. A move without a score is not level.
    pub score: u32,
    /// Whether the count of moves begins again with each capture and pawn move, as in fastchess and
    /// cutechess-cli.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub irreversible_restarts: bool,
}

/// Results that endgame tables adjudicate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableResults {
    /// Wins, losses and draws.
    #[default]
    Both,
    /// Positions that one side wins.
    Decisive,
    /// Positions that neither side wins.
    Drawn,
}

/// Endgame tables that adjudicate games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tablebases")]
pub struct TablesConfig {
    /// Folders with Syzygy tables, relative to the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = Vec::<PathBuf>::new()))]
    pub syzygy: Vec<PathBuf>,
    /// Use our own tables of up to this many pieces (3 or 4), which the harness contains, instead of Syzygy tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<NonZeroU32>,
    /// Most pieces on the board, kings included. Without it, as many as the tables have.
    pub pieces: Option<NonZeroU32>,
    /// Whether wins are adjudicated that the fifty-move rule would prevent.
    #[serde(default)]
    pub ignore_fifty: bool,
    /// Results that are adjudicated.
    #[serde(default)]
    pub results: TableResults,
}

/// Sizes of tables that the harness contains.
const OWN_PIECES: std::ops::RangeInclusive<u32> = 3..=4;

impl TablesConfig {
    /// Returns it with the paths of its folders.
    ///
    /// Errors: there are no tables, or both kinds; a folder does not exist.
    pub(crate) fn validate(self, source: &Source) -> Result<Self, Problem> {
        let path = FieldPath::root().key("tablebases").key("syzygy");
        match (self.own, self.syzygy.is_empty()) {
            (None, true) => return path.refuse("expected at least one folder, or `own` tables"),
            (Some(_), false) => return path.refuse("expected these or `own` tables, not both"),
            (Some(pieces), true) if !OWN_PIECES.contains(&pieces.get()) => {
                let message = format!("{pieces}: expected {} to {}", OWN_PIECES.start(), OWN_PIECES.end());
                return Err(Problem::new(FieldPath::root().key("tablebases").key("own"), message));
            }
            _ => {}
        }
        let mut syzygy = Vec::with_capacity(self.syzygy.len());
        for (index, folder) in self.syzygy.iter().enumerate() {
            let full = source.names().folder(folder);
            syzygy.push(full.map_err(|text| Problem::new(path.index(index), text))?);
        }
        Ok(Self { syzygy, ..self })
    }
}

/// Refuses rules, in a field of `parent`, that would decide every game, and an audit of an invalid share.
pub fn validate_adjudication(parent: &FieldPath, rules: &Adjudication) -> Result<(), Problem> {
    let path = parent.key("adjudication");
    let is_bounded = rules.win.is_none_or(|rule| rule.score > 0);
    path.key("win").key("score").require(is_bounded, "0: expected centipawns above 0")?;
    let share = rules.audit.unwrap_or(1.0);
    let expected = format_args!("{share}: expected a share above 0, at most 1, such as 0.02");
    path.key("audit").require(share > 0.0 && share <= 1.0, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audited_games_depend_on_seed_and_number_only() {
        let audited = |share, seed| {
            let rules = Adjudication { audit: share, ..Adjudication::default() };
            (0..10_000).filter(|&game| rules.audits(seed, game)).collect::<Vec<u64>>()
        };
        assert!(audited(None, 7).is_empty());
        assert_eq!(audited(Some(1.0), 7).len(), 10_000);
        let (few, many) = (audited(Some(0.02), 7), audited(Some(0.2), 7));
        assert!((150..250).contains(&few.len()) && (1850..2150).contains(&many.len()), "{}", many.len());
        assert!(few.iter().all(|game| many.contains(game)), "a larger share adds games");
        assert_ne!(few, audited(Some(0.02), 8));
        // A run may be resumed by a later version.
        assert_eq!(few[..4], [133, 146, 327, 370]);
    }

    #[test]
    fn shares_out_of_range_are_refused() {
        let check = |share| {
            let rules = Adjudication { audit: Some(share), ..Adjudication::default() };
            validate_adjudication(&FieldPath::root(), &rules).is_ok()
        };
        assert_eq!(
            [0.0, -0.1, 1.01, f64::NAN, 0.02, 1.0].map(check),
            [false, false, false, false, true, true]
        );
    }
}
