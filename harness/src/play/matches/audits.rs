//! The audit of adjudication: wrong verdicts by rule, and the length of the rests that adjudication saves.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::base::wording::grouped;
use crate::play::record::{Audit, GameRecord, GameResult};
use crate::report::{Block, Table, TableStyle};
use crate::run::console::clock_time;
use stretto_stats::proportion::wilson;
use stretto_stats::units::Share;

/// Number of wrong verdicts and broken-off audits listed, the first ones.
const LISTED: usize = 20;

const RULES: [&str; 8] =
    ["adjudication", "games", "audited", "broken off", "wrong", "95 %", "plies saved", "time saved"];
const FINDINGS: [&str; 3] = ["game", "verdict", "played on"];
const EXPLANATION: &str = "Audited games were played on after the verdict, which remains their result. A verdict is wrong if the rest \
                           ended with another result. Savings are extrapolated to all games of the rule.";

/// Verdicts of one rule of adjudication, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RuleAudits {
    /// Games that the rule decided, audited or not.
    pub verdicts: u64,
    /// Games whose rest was played to its end.
    pub audited: u64,
    /// Of those, games whose rest had another result than the verdict.
    pub wrong: u64,
    /// 95 % confidence interval of the share of wrong verdicts.
    pub interval: Option<(Share, Share)>,
    /// Audits that were broken off, which count no further.
    pub broken_off: u64,
    /// Length of the rests of the `audited` games. Units: plies.
    pub plies: u64,
    /// Duration of the same rests. Units: milliseconds.
    pub duration_ms: u64,
}

impl RuleAudits {
    fn add(&mut self, verdict: GameResult, audit: Option<&Audit>) {
        self.verdicts += 1;
        let Some(audit) = audit else { return };
        let Some(result) = audit.result else {
            self.broken_off += 1;
            return;
        };
        self.audited += 1;
        self.wrong += u64::from(result != verdict);
        self.plies += audit.moves.len() as u64;
        self.duration_ms += audit.duration_ms;
        self.interval = wilson(self.wrong, self.audited);
    }

    /// Returns the plies and milliseconds of an audited game on average; `None` without audited games.
    fn means(&self) -> Option<[f64; 2]> {
        (self.audited > 0).then(|| [self.plies, self.duration_ms].map(|sum| sum as f64 / self.audited as f64))
    }

    /// Returns the plies and the time that the rule saved if all its games are like those of these means.
    fn saved(&self, means: [f64; 2]) -> Savings {
        let [plies, ms] = means.map(|mean| mean * self.verdicts as f64);
        Savings { plies, seconds: ms / 1e3 }
    }

    /// Returns the interval, such as `0.4 to 35.4 %`.
    fn interval_text(&self) -> Option<String> {
        self.interval.map(|(low, high)| format!("{:.1} to {high}", 100.0 * low.0))
    }

    fn cells(&self, name: &str, saved: Option<Savings>) -> Vec<String> {
        let absent = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let counts =
            [self.verdicts, self.audited, self.broken_off, self.wrong].map(|count| count.to_string());
        let [plies, time] = saved.map_or([None, None], |saved| saved.texts().map(Some));
        let estimates = [self.interval_text(), plies, time].map(absent);
        std::iter::once(name.replace('_', " ")).chain(counts).chain(estimates).collect()
    }
}

/// What adjudication saved, extrapolated from the audited games.
#[derive(Clone, Copy)]
struct Savings {
    plies: f64,
    seconds: f64,
}

impl Savings {
    fn texts(self) -> [String; 2] {
        [grouped(self.plies.round() as u64), clock_time(Duration::from_secs_f64(self.seconds))]
    }
}

/// The audits of a match.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Audits {
    /// All verdicts together.
    pub all: RuleAudits,
    /// Verdicts by the name of the termination.
    pub rules: BTreeMap<&'static str, RuleAudits>,
    /// Half points of the pairing's first engine in the audited games: as judged, and as played on.
    pub half_points: [u64; 2],
    /// Rows of the list of wrong verdicts and audits that were broken off.
    #[serde(skip)]
    findings: Vec<Vec<String>>,
}

impl Audits {
    /// Counts a game if it was adjudicated.
    pub(super) fn add(&mut self, game: &GameRecord) {
        if !game.termination.is_adjudicated() {
            return;
        }
        let (rule, audit) = (game.termination.name(), game.audit.as_ref());
        for counts in [&mut self.all, self.rules.entry(rule).or_default()] {
            counts.add(game.result, audit);
        }
        let Some(audit) = audit else { return };
        if let Some(result) = audit.result {
            for (sum, result) in self.half_points.iter_mut().zip([game.result, result]) {
                *sum += u64::from(result.half_points(game.first_side()));
            }
        }
        if audit.result != Some(game.result) && self.findings.len() < LISTED {
            let verdict = format!("{} ({})", game.result.text(), game.termination);
            self.findings.push(vec![game.number().to_string(), verdict, audit.to_string()]);
        }
    }

    /// Returns what all rules saved; the games of a rule without an audited one are like those of all. `None` without audited games.
    fn saved(&self) -> Option<Savings> {
        let all = self.all.means()?;
        let rules = self.rules.values().map(|rule| rule.saved(rule.means().unwrap_or(all)));
        rules.reduce(|sum, more| Savings {
            plies: sum.plies + more.plies,
            seconds: sum.seconds + more.seconds,
        })
    }

    /// Describes the wrong verdicts of each rule.
    pub(super) fn verdict_lines(&self) -> Vec<String> {
        let line = |(name, rule): (&&str, &RuleAudits)| {
            let RuleAudits { wrong, audited, broken_off, .. } = rule;
            let interval = rule.interval_text().map_or_else(String::new, |text| format!(" ({text})"));
            let broken = if *broken_off > 0 { format!("; {broken_off} broken off") } else { String::new() };
            format!("{}: {wrong} of {audited} verdicts wrong{interval}{broken}", name.replace('_', " "))
        };
        self.rules.iter().map(line).collect()
    }

    /// Returns what adjudication saved and, between two engines, the score of the audited games, as name and value. Empty
    /// without an audited game. `game_seconds` is the duration of all games up to their results.
    pub(super) fn facts(&self, game_seconds: f64, is_between_two: bool) -> Vec<(&'static str, String)> {
        let Some(saved) = self.saved() else { return Vec::new() };
        let share = Share(saved.seconds / (saved.seconds + game_seconds).max(f64::MIN_POSITIVE));
        let [plies, time] = saved.texts();
        let saved = format!("about {plies} plies and {time}, {share} of the time without it");
        let [judged, played] = self.half_points.map(|sum| Share(sum as f64 / (2 * self.all.audited) as f64));
        let score = is_between_two.then(|| format!("{judged} as judged, {played} as played on"));
        let score = score.map(|score| ("first engine's score in the audited games", score));
        std::iter::once(("saved by adjudication", saved)).chain(score).collect()
    }

    /// Returns the section of the report.
    pub(super) fn section(&self, game_seconds: f64, is_between_two: bool) -> Vec<Block> {
        let mut blocks = vec![Block::heading("Audit of adjudication")];
        let Self { all, rules, findings, .. } = self;
        if all.verdicts == 0 {
            blocks.push(Block::paragraph("No game was adjudicated."));
            return blocks;
        }
        blocks.push(Block::paragraph(EXPLANATION));
        let total = (rules.len() > 1).then(|| all.cells("all", self.saved()));
        let cells = |(name, rule): (&&str, &RuleAudits)| {
            rule.cells(name, rule.means().map(|means| rule.saved(means)))
        };
        blocks.push(Block::table(&RULES, rules.iter().map(cells).chain(total)));
        blocks.push(Block::facts(self.facts(game_seconds, is_between_two)));
        if !findings.is_empty() {
            let first =
                if findings.len() == LISTED { format!("The first {LISTED} w") } else { "W".to_owned() };
            blocks.push(Block::paragraph(format!("{first}rong verdicts and audits that were broken off:")));
            blocks.push(Table::new(&FINDINGS, findings.clone()).styled(TableStyle::Words).into());
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::record::{Termination, sample_game};
    use crate::report::Report;

    fn game(number: u64, termination: Termination, audit: Option<(Option<GameResult>, &str)>) -> GameRecord {
        let audit = audit.map(|(result, ended)| Audit {
            result,
            ended: ended.to_owned(),
            moves: vec!["e2e4".to_owned(); 30],
            duration_ms: 4000,
        });
        GameRecord { termination, audit, ..sample_game(number) }
    }

    /// Returns the audits of ten draws by the draw rule, of which four are audited, two by tables and a mate.
    fn sample() -> Audits {
        let mut audits = Audits::default();
        let draw = Some((Some(GameResult::Draw), "threefold"));
        for number in 0..6 {
            audits.add(&game(number, Termination::AdjudicatedDraw, None));
        }
        audits.add(&game(6, Termination::AdjudicatedDraw, draw));
        audits.add(&game(7, Termination::AdjudicatedDraw, draw));
        audits.add(&game(8, Termination::AdjudicatedDraw, Some((Some(GameResult::White), "checkmate"))));
        audits.add(&game(9, Termination::AdjudicatedDraw, Some((None, "White's engine exited with code 1"))));
        audits.add(&game(10, Termination::Tablebase, draw));
        audits.add(&game(11, Termination::Tablebase, None));
        audits.add(&game(12, Termination::Checkmate, None));
        audits
    }

    #[test]
    fn wrong_verdicts_are_counted_by_rule_without_broken_off_audits() {
        let audits = sample();
        let draws = audits.rules["adjudicated_draw"];
        let expected = RuleAudits {
            verdicts: 10,
            audited: 3,
            wrong: 1,
            interval: wilson(1, 3),
            broken_off: 1,
            plies: 90,
            duration_ms: 12_000,
        };
        assert_eq!(draws, expected);
        assert_eq!((audits.all.verdicts, audits.all.audited, audits.all.wrong), (12, 4, 1));
        assert_eq!(audits.half_points, [4, 5], "game 8 is White's, whose engine is the first");
        assert_eq!(
            audits.verdict_lines(),
            [
                "adjudicated draw: 1 of 3 verdicts wrong (6.1 to 79.2 %); 1 broken off",
                "tablebase: 0 of 1 verdicts wrong (0.0 to 79.3 %)"
            ]
        );
    }

    #[test]
    fn savings_are_extrapolated_to_all_verdicts() {
        let facts = sample().facts(96.0, true);
        assert_eq!(
            facts.iter().map(|fact| fact.1.as_str()).collect::<Vec<_>>(),
            [
                "about 360 plies and 0:00:48, 33.3 % of the time without it",
                "50.0 % as judged, 62.5 % as played on"
            ]
        );
        assert_eq!(sample().facts(96.0, false), facts[..1]);
        assert!(Audits::default().facts(96.0, true).is_empty());
    }

    #[test]
    fn savings_of_all_rules_are_the_sum_of_each() {
        let mut audits = Audits::default();
        let draw = Some((Some(GameResult::Draw), "threefold"));
        audits.add(&game(0, Termination::AdjudicatedDraw, draw));
        for number in 1..10 {
            audits.add(&game(number, Termination::AdjudicatedDraw, None));
        }
        let mut short = game(10, Termination::Tablebase, draw);
        short.audit.as_mut().unwrap().moves.truncate(6);
        audits.add(&short);
        assert_eq!(audits.saved().unwrap().texts()[0], "306");
        audits.add(&game(11, Termination::AdjudicatedWin, None));
        assert_eq!(audits.saved().unwrap().texts()[0], "324", "no win was audited");
    }

    #[test]
    fn report_lists_wrong_verdicts_and_broken_off_audits() {
        let markdown = |audits: &Audits| {
            let mut report = Report::new("T", [Block::paragraph("p")]);
            report.body.extend(audits.section(96.0, true));
            report.markdown()
        };
        let text = markdown(&sample());
        for line in [
            "Wrong verdicts and audits that were broken off:",
            "| adjudicated draw | 10 | 3 | 1 | 1 | 6.1 to 79.2 % | 300 | 0:00:40 |",
            "| all | 12 | 4 | 1 | 1 |",
            "| 9 | 1/2-1/2 (adjudicated draw) | 1-0 by checkmate after 30 plies |",
            "| 10 | 1/2-1/2 (adjudicated draw) | broken off after 30 plies: White's engine exited with code 1 |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let none = markdown(&Audits::default());
        assert!(none.contains("No game was adjudicated."), "{none}");
    }
}
