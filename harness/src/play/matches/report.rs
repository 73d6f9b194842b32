//! The report of a match or test: score, openings, terminations and use of time.

use maud::{Markup, html};

use super::conditions::{conditions, limits_text};
use super::game_list::GameList;
use super::openings_report::OpeningScores;
use super::summary::named_counts;
use super::wrong_pvs::wrong_pvs_section;
use crate::base::system::files::file_name;
use crate::play::matches::{
    EngineSummary, Execution, MatchConfig, MatchSummary, PairingSummary, RunKind, Standing, Standings,
};
use crate::play::record::GameRecord;
use crate::report::document::{Figure, Heading, Lead, Span, Text};
use crate::report::trend::{Line, Mark, Trend, thinned};
use crate::report::{Block, Document, Report, Table, TableStyle};
use stretto_stats::bounds::{Sprt, Verdict};
use stretto_stats::counts::{Pentanomial, Trinomial};
use stretto_stats::elo::elo;
use stretto_stats::interval::EloInterval;
use stretto_stats::summary::{MatchStats, SprtState};

/// Number of moves in the chart of times; few games are longer.
const MAX_MOVE: usize = 100;
/// Minimum number of games for a mean.
const LEAST_GAMES: u64 = 5;
/// The Elo chart begins where the interval is this many times as wide as at the end.
const WIDEST: f64 = 6.0;
/// Number of faults listed, the last ones.
const SHOWN_FAULTS: usize = 20;

/// Data of the games that the report shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchHistory {
    /// The tally after each complete pair, if there are two engines.
    path: Vec<Pentanomial>,
    openings: OpeningScores,
    games: GameList,
    /// Time in microseconds and number of moves, by engine and move number.
    times: Vec<Vec<(u64, u64)>>,
}

impl MatchHistory {
    /// Returns a history without games.
    pub(crate) fn new(config: &MatchConfig) -> Self {
        Self { times: vec![Vec::new(); config.engines.len()], ..Self::default() }
    }

    /// Adds a game of the journal, with its moves.
    pub(crate) fn add(&mut self, config: &MatchConfig, game: &GameRecord) {
        self.openings.add(config, game);
        self.games.add(game);
        for (ply, played) in game.moves.iter().enumerate() {
            let Some(times) = self.times.get_mut(game.engine(game.side_of(ply))) else { continue };
            let number = ply / 2;
            if number < MAX_MOVE {
                times.resize(times.len().max(number + 1), (0, 0));
                times[number].0 += played.time_us;
                times[number].1 += 1;
            }
        }
    }

    /// Adds the tally after a pair that counts.
    pub(crate) fn add_tally(&mut self, pairs: Pentanomial) {
        self.path.push(pairs);
    }

    /// Returns the number of pairs in the charts.
    #[cfg(test)]
    pub(super) fn pairs(&self) -> usize {
        self.path.len()
    }

    /// Returns at most as many tallies as a chart can show, each with its number of pairs.
    fn milestones(&self) -> impl Iterator<Item = (f64, Pentanomial)> {
        thinned(self.path.len()).into_iter().map(|index| ((index + 1) as f64, self.path[index]))
    }

    /// Draws the LLR over the pairs.
    fn llr_path(&self, sprt: &Sprt) -> Option<Figure> {
        let (bounds, unit) = (sprt.bounds(), sprt.model().unit());
        let points = self.milestones().map(|(pairs, tally)| (pairs, sprt.llr(&tally).0)).collect();
        let mark =
            |y: f64, hypothesis: &str, elo: f64| Mark { y, name: format!("{hypothesis}: {elo} {unit}") };
        Trend {
            title: "Log-likelihood ratio".to_owned(),
            x_title: "pairs",
            lines: vec![Line { name: String::new(), points }],
            marks: vec![mark(bounds.upper.0, "H1", sprt.elo1()), mark(bounds.lower.0, "H0", sprt.elo0())],
            ..Trend::default()
        }
        .draw()
    }

    /// Draws Elo over the pairs, with its interval.
    fn funnel(&self) -> Option<Figure> {
        let ends = |tally: &Pentanomial| {
            EloInterval::of(tally).and_then(|found| Some((found.low?.0, found.high?.0)))
        };
        let last_width = self.path.last().and_then(ends).map_or(f64::INFINITY, |(low, high)| high - low);
        let estimates = || {
            let points = self.milestones().filter_map(|(pairs, tally)| {
                let (low, high) = ends(&tally)?;
                Some((pairs, elo(&tally)?.value.0, low, high))
            });
            // The wide intervals of the first pairs would compress the rest of the chart.
            points.filter(|(.., low, high)| high - low <= WIDEST * last_width)
        };
        Trend {
            title: "Elo with its 95 % interval".to_owned(),
            x_title: "pairs",
            lines: vec![Line { name: String::new(), points: estimates().map(|(x, y, ..)| (x, y)).collect() }],
            band: estimates().map(|(x, _, low, high)| (x, low, high)).collect(),
            marks: vec![Mark { y: 0.0, name: "equal".to_owned() }],
        }
        .draw()
    }

    /// Draws the mean time by move number.
    fn time_use(&self, names: &[String]) -> Option<Figure> {
        let lines = self.times.iter().zip(names).map(|(times, name)| {
            let means = times.iter().enumerate().filter(|(_, (_, moves))| *moves >= LEAST_GAMES);
            let points =
                means.map(|(index, (time, moves))| ((index + 1) as f64, *time as f64 / *moves as f64 / 1e3));
            Line { name: name.clone(), points: points.collect() }
        });
        Trend {
            title: "Mean time of a move, ms".to_owned(),
            x_title: "move of the engine in its game",
            lines: lines.collect(),
            ..Trend::default()
        }
        .draw()
    }

    /// Returns the list of the last faults; empty without faults.
    fn faults(&self, names: &[String]) -> Document {
        let mut section = Document::default();
        let faults: Vec<&GameRecord> = self.games.last_faults(SHOWN_FAULTS).collect();
        if faults.is_empty() {
            return section;
        }
        let row = |game: &&GameRecord| {
            let (number, ended) = (game.number().to_string(), game.termination.to_string());
            let dialogue = format!("faults/game-{number}.txt");
            let link = Span::Link { text: dialogue.clone(), target: dialogue };
            let engine = game.termination.fault().and_then(|side| names.get(game.engine(side)));
            let name = engine.map_or("", String::as_str);
            vec![Text::from(number), name.into(), ended.into(), vec![link].into()]
        };
        section.push(Block::heading("Faults"));
        if faults.len() == SHOWN_FAULTS {
            section.push(Block::paragraph(format!("The last {SHOWN_FAULTS}:")));
        }
        let table = Table::new(&["game", "engine", "fault", "dialogue"], faults.iter().map(row));
        section.push(table.styled(TableStyle::Words));
        section
    }
}

/// Returns the number of games and the results of White by termination.
fn ending_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let row = |(name, games): (&&str, &Trinomial)| {
        let counts = [games.games(), games.wins, games.draws, games.losses].map(|count| count.to_string());
        std::iter::once(name.replace('_', " ")).chain(counts).collect()
    };
    summary.endings.iter().map(row).collect()
}

const ENDINGS: [&str; 5] = ["ending", "games", "White won", "drawn", "Black won"];
const ENGINES: [&str; 8] =
    ["engine", "moves", "ms per move", "maximum, ms", "mean latency, ms", "depth", "nodes/s", "faults"];
pub(super) const STANDINGS: [&str; 7] = ["", "engine", "Elo", "games", "score", "draws", "above next"];
const PAIRINGS: [&str; 6] = ["first", "second", "won", "drawn", "lost", "Elo"];

fn engine_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let row = |engine: &EngineSummary| {
        let faults = named_counts(&engine.faults);
        let faults = if faults.is_empty() { "none".to_owned() } else { faults.join(", ") };
        let [mean, longest, latency, depth, nps] = engine.figures();
        vec![engine.name.clone(), engine.totals.moves.to_string(), mean, longest, latency, depth, nps, faults]
    };
    summary.engines.iter().map(row).collect()
}

pub(super) fn standing_rows(standings: &Standings) -> Vec<Vec<String>> {
    let row = |(place, line): (usize, &Standing)| {
        let start = [(place + 1).to_string(), line.name.clone(), line.rating_text()];
        start.into_iter().chain(line.cells()).collect()
    };
    standings.table.iter().enumerate().map(row).collect()
}

fn pairing_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let row = |PairingSummary { pairing, stats }: &PairingSummary| {
        let names = pairing.engines().map(|engine| summary.engines[engine].name.clone());
        let Trinomial { wins, draws, losses } = stats.games;
        let elo = if stats.score.is_some() { stats.elo_text() } else { "-".to_owned() };
        let counts = [wins, draws, losses].map(|count| count.to_string());
        names.into_iter().chain(counts).chain([elo]).collect()
    };
    summary.pairings.iter().map(row).collect()
}

/// Returns the statistics of two engines, as name and value.
fn facts(summary: &MatchSummary, stats: &MatchStats) -> Vec<(String, String)> {
    let Trinomial { losses, draws, wins } = stats.games;
    let facts = [
        ("games", Some(format!("{}: +{wins} ={draws} -{losses}", stats.games.games()))),
        ("pentanomial, LL LD WL+DD WD WW", Some(stats.pairs.to_string())),
        ("score", stats.score.map(|score| score.to_string())),
        ("not counted", stats.single_text()),
        ("Elo, corrected for stopping", summary.unbiased(stats).map(|unbiased| unbiased.to_string())),
        ("Elo", Some(stats.elo_text())),
        ("normalized Elo", stats.nelo.map(|nelo| nelo.to_string())),
        ("likelihood of superiority", stats.los.map(|los| los.to_string())),
        ("test", stats.sprt.map(|sprt| sprt.to_string())),
        ("decided", summary.decided_text(stats)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// Returns the report of a match, with charts and tables.
pub(crate) fn match_report(
    config: &MatchConfig,
    execution: &Execution,
    summary: &MatchSummary,
    history: &MatchHistory,
) -> Report {
    let facts: Vec<(String, String)> =
        summary.comparison().into_iter().flat_map(|stats| facts(summary, stats)).collect();
    let mut body = Document::from([Block::Lead(lead(config, summary, facts.clone()))]);
    if let Some(stats) = summary.comparison() {
        body.extend(stats.sprt.and_then(|sprt| history.llr_path(&sprt.spec)));
        body.extend(history.funnel());
    }
    body.extend(summary.standings.iter().flat_map(|standings| standings_section(summary, standings)));
    if summary.games > 0 {
        body.extend([Block::heading("Openings"), Block::paragraph(history.openings.text())]);
        body.push(history.openings.map(config.pairings.is_single()));
        body.extend([Block::heading("Endings"), Block::table(&ENDINGS, ending_rows(summary))]);
    }
    let is_between_two = summary.comparison().is_some();
    let audits = summary.audits.iter();
    body.extend(audits.flat_map(|audits| audits.section(summary.game_seconds, is_between_two)));
    let names: Vec<String> = config.engines.iter().map(|engine| engine.name.clone()).collect();
    body.push(Block::PageOnly(history.faults(&names)));
    body.extend(history.games.table(config).map(Block::Games));
    body.extend([Block::heading("Engines"), Block::table(&ENGINES, engine_rows(summary))]);
    body.extend(history.time_use(&names));
    body.extend(wrong_pvs_section(&summary.wrong_pvs, config.variant));
    body.extend([Block::heading("Conditions"), Block::facts(conditions(config, execution, summary))]);
    Report::new(summary.headline(&titled(summary)), body).with_facts(facts)
}

/// Returns the verdict, and of a match the Elo difference or the first of the table.
fn titled(summary: &MatchSummary) -> String {
    let first = summary.standings.as_ref().and_then(|standings| standings.table.first());
    let result = match (summary.comparison(), first) {
        (Some(stats), _) if stats.sprt.is_none() && stats.elo.is_some() => {
            format!(", Elo {}", stats.elo_text())
        }
        (None, Some(first)) if first.rating.is_some() => {
            format!(", {} first with Elo {}", first.name, first.rating_text())
        }
        _ => String::new(),
    };
    summary.verdict_text() + &result
}

/// Returns the standings of a tournament, with its pairings.
fn standings_section(summary: &MatchSummary, standings: &Standings) -> Vec<Block> {
    let pairings = [Block::heading("Pairings"), Block::table(&PAIRINGS, pairing_rows(summary))];
    std::iter::once(Block::table(&STANDINGS, standing_rows(standings)))
        .chain(standings.remarks().map(|remark| Block::paragraph(format!("Note: {remark}."))))
        .chain(pairings)
        .collect()
}

/// Labels of the pentanomial: points of the first engine in a pair.
const POINTS: [&str; 5] = ["0", "½", "1", "1½", "2"];

/// Returns the result of a match, with its key figures.
fn lead(config: &MatchConfig, summary: &MatchSummary, facts: Vec<(String, String)>) -> Lead {
    let kind = match summary.kind {
        RunKind::Sprt => "Sequential test",
        RunKind::Match => "Match",
        RunKind::Tune => "Games of a tuning",
        RunKind::Screen => "Games of a screening",
    };
    let result = html! {
        @if let Some(stats) = summary.comparison() {
            div."card result" {
                div { (headline(summary, stats)) (figures(summary, stats)) }
                div { (distribution(&stats.pairs))
                    @if let Some(sprt) = &stats.sprt { div.llr { (llr_bar(sprt)) } }
                    @if let Some(decided) = summary.decided_text(stats) { p.small { "Decided " (decided) "." } }
                }
            }
        } @else {
            p.verdict { (summary.verdict_text()) }
        }
    };
    let bounds = config.sprt.as_ref().and_then(|sprt| sprt.test().ok()).map(|test| {
        format!("H0: {} {unit}, H1: {} {unit}", test.elo0(), test.elo1(), unit = test.model().unit())
    });
    let played_with = [Some(limits_text(config)), bounds, Some(file_name(&config.openings.file))];
    let context = vec![played_with.into_iter().flatten().collect::<Vec<_>>().join(" · ")];
    Lead { kind, heading: Heading::new(1, config.contest()), context, result, card: card(summary), facts }
}

/// Returns the verdict of a test and Elo, the larger of them first.
fn headline(summary: &MatchSummary, stats: &MatchStats) -> Markup {
    let class = match summary.decision.map(|decision| decision.verdict) {
        Some(Verdict::AcceptH1) => "verdict good",
        Some(Verdict::AcceptH0) => "verdict bad",
        Some(Verdict::Continue) | None => "verdict",
    };
    let elo = if let Some(unbiased) = summary.unbiased(stats) {
        html! { (unbiased.elo) " (" (unbiased.interval()) ") " small { "Elo, corrected for stopping" } }
    } else {
        html! { (stats.elo_text()) " " small { "Elo" @if stats.elo.is_some() { ", 95 %" } } }
    };
    let words = words(summary, stats);
    html! {
        @if summary.kind == RunKind::Sprt {
            p class=(class) { (summary.verdict_text()) }
            @if let Some(words) = words { p.meaning { (words) "." } }
            p.elo { (elo) }
        } @else {
            p.verdict { (elo) }
        }
    }
}

/// Returns what the verdict of a test says about the engines.
fn words(summary: &MatchSummary, stats: &MatchStats) -> Option<String> {
    let (decision, sprt) = (summary.decision?, stats.sprt?);
    let [first, second] = &summary.engines[..] else { return None };
    verdict_in_words(decision.verdict, &sprt.spec, [&first.name, &second.name])
}

/// Returns what an accepted hypothesis says about the first of two engines; `None` without a decision.
fn verdict_in_words(verdict: Verdict, test: &Sprt, [first, second]: [&str; 2]) -> Option<String> {
    let unit = test.model().unit();
    let (elo0, elo1) = (test.elo0(), test.elo1());
    Some(match verdict {
        Verdict::AcceptH1 if elo0 > 0.0 => {
            format!("{first} is better than {second} by more than {elo0} {unit}")
        }
        Verdict::AcceptH1 if elo0 < 0.0 => format!("{first} is not worse than {second} by {} {unit}", -elo0),
        Verdict::AcceptH1 => format!("{first} is better than {second}"),
        Verdict::AcceptH0 if elo1 > 0.0 => format!("{first} is not better than {second} by {elo1} {unit}"),
        Verdict::AcceptH0 if elo1 < 0.0 => {
            format!("{first} is worse than {second} by more than {} {unit}", -elo1)
        }
        Verdict::AcceptH0 => format!("{first} is worse than {second}"),
        Verdict::Continue => return None,
    })
}

/// Returns the result in short, for a list of runs.
fn card(summary: &MatchSummary) -> Markup {
    if let Some(stats) = summary.comparison() {
        return html! {
            @if let Some(words) = words(summary, stats) { p { (words) } }
            @if stats.games.games() > 0 {
                p.elo { (stats.elo_text()) " " small { "Elo of " (stats.games.games()) " games" } }
            }
            @if let Some(sprt) = &stats.sprt { (llr_bar(sprt)) }
        };
    }
    let best = summary.standings.iter().flat_map(|standings| standings.table.iter().take(3));
    html! {
        @for line in best { p.small { (line.name) " " (line.rating_text()) } }
    }
}

/// Returns the figures below the headline.
fn figures(summary: &MatchSummary, stats: &MatchStats) -> Markup {
    let Trinomial { losses, draws, wins } = stats.games;
    let has_unbiased = summary.unbiased(stats).is_some();
    let faults: u64 = summary.engines.iter().flat_map(|engine| engine.faults.values()).sum();
    let figures = [
        ("games", Some(stats.games.games().to_string())),
        ("won, drawn, lost", Some(format!("+{wins} ={draws} −{losses}"))),
        ("score", stats.score.map(|score| score.to_string())),
        ("not counted", stats.single_text()),
        ("likelihood of superiority", stats.los.map(|los| los.to_string())),
        ("normalized Elo", stats.nelo.map(|nelo| nelo.to_string())),
        ("Elo without correction", has_unbiased.then(|| stats.elo_text())),
        ("faults", Some(faults.to_string())),
    ];
    html! {
        dl.figures {
            @for (name, value) in figures {
                @if let Some(value) = value { div { dt { (name) } dd { (value) } } }
            }
        }
    }
}

/// Draws the pentanomial as columns.
fn distribution(pairs: &Pentanomial) -> Markup {
    const HEIGHT: f64 = 64.0;
    let most = pairs.0.into_iter().max().unwrap_or(0).max(1) as f64;
    html! {
        p.label { "Pairs by points of the first engine" }
        div.pentanomial role="img" aria-label=(format!("pentanomial {pairs}")) {
            @for (index, count) in pairs.0.into_iter().enumerate() {
                div {
                    (count)
                    i class=(format!("m{index}")) style=(format!("height:{:.0}px", HEIGHT * count as f64 / most)) {}
                    span { (POINTS[index]) }
                }
            }
        }
    }
}

/// Draws the LLR between Wald's bounds.
fn llr_bar(sprt: &SprtState) -> Markup {
    let (low, high) = (sprt.bounds.lower.0, sprt.bounds.upper.0);
    let place = |llr: f64| 100.0 * ((llr - low) / (high - low)).clamp(0.0, 1.0);
    let (zero, now) = (place(0.0), place(sprt.llr.0));
    let bar = format!("left:{:.1}%;width:{:.1}%", zero.min(now), (now - zero).abs());
    let unit = sprt.spec.model().unit();
    html! {
        p.label { "LLR " (sprt.llr) }
        div.gauge role="img" aria-label=(format!("{sprt}")) {
            i style=(bar) {}
            b style=(format!("left:{zero:.1}%")) {}
        }
        div.ends {
            span { "H0: " (sprt.spec.elo0()) " " (unit) " below " (sprt.bounds.lower) }
            span { "H1: " (sprt.spec.elo1()) " " (unit) " above " (sprt.bounds.upper) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::game_list::tests::config;
    use super::*;
    use crate::play::record::sample_game;
    use stretto_stats::llr::Model;

    #[test]
    fn times_are_by_move_number_and_not_by_ply() {
        let config = config();
        let mut history = MatchHistory::new(&config);
        (0..2).for_each(|game| history.add(&config, &sample_game(game)));
        assert_eq!(history.times, [[(3000, 2), (1500, 1)]; 2]);
    }

    #[test]
    fn words_depend_on_the_signs_of_the_bounds() {
        let words = |verdict, elo0, elo1| {
            let test = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05).unwrap();
            verdict_in_words(verdict, &test, ["a", "b"])
        };
        let (h0, h1) = (Verdict::AcceptH0, Verdict::AcceptH1);
        for (verdict, elo0, elo1, expected) in [
            (h1, 0.0, 5.0, "a is better than b"),
            (h1, 2.0, 5.0, "a is better than b by more than 2 nElo"),
            (h1, -5.0, 0.0, "a is not worse than b by 5 nElo"),
            (h0, 0.0, 40.0, "a is not better than b by 40 nElo"),
            (h0, -5.0, 0.0, "a is worse than b"),
            (h0, -9.0, -4.0, "a is worse than b by more than 4 nElo"),
        ] {
            assert_eq!(words(verdict, elo0, elo1).as_deref(), Some(expected));
        }
        assert_eq!(words(Verdict::Continue, 0.0, 5.0), None);
    }
}
