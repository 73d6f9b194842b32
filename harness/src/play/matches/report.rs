//! The report of a match or test: score, openings, terminations and use of time.

use std::collections::VecDeque;

use maud::{Markup, html};

use super::conditions::{Played, conditions, limits_text};
use super::game_list::GameList;
use super::openings_report::OpeningScores;
use super::verdict_words::verdict_in_words;
use super::wrong_pvs::wrong_pvs_section;
use crate::base::system::files::file_name;
use crate::play::matches::{
    Execution, KNOWN, MatchConfig, MatchSummary, PairingSummary, RunKind, Standing, Standings,
};
use crate::play::pairings::HalfPairs;
use crate::play::record::{GameRecord, Side};
use crate::report::document::{Figure, Heading, Lead, Span, Text};
use crate::report::trend::{Line, Mark, Trend, thinned};
use crate::report::{Block, Document, Report, Table, TableStyle};
use stretto_stats::bounds::{Sprt, Verdict};
use stretto_stats::counts::{Pentanomial, Trinomial};
use stretto_stats::elo::elo;
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
    /// Half points of the first engine.
    half_pairs: HalfPairs<u8>,
    openings: OpeningScores,
    games: GameList,
    /// Time in microseconds and number of moves, by engine and move number.
    times: Vec<Vec<(u64, u64)>>,
    played: Played,
    /// Game, engine and description of the last faults.
    faults: VecDeque<(u64, usize, String)>,
    is_between_two: bool,
}

impl MatchHistory {
    /// Returns a history without games.
    pub(crate) fn new(config: &MatchConfig) -> Self {
        let times = vec![Vec::new(); config.engines.len()];
        Self { times, is_between_two: config.pairings.is_single(), ..Self::default() }
    }

    /// Adds a game of the journal, with its moves.
    pub(crate) fn add(&mut self, config: &MatchConfig, game: &GameRecord) {
        self.played.add(game.started_ms, game.duration_ms);
        if let Some(side) = game.termination.fault() {
            let engine = if side == Side::White { game.white } else { game.black };
            self.faults.push_back((game.number(), engine, game.termination.to_string()));
            if self.faults.len() > SHOWN_FAULTS {
                self.faults.pop_front();
            }
        }
        if let Some(half_points) = self.half_pairs.add(game.pair, game.first_half_points())
            && self.is_between_two
        {
            let before = self.path.last().copied().unwrap_or_default();
            let pair = Pentanomial::from_pair(half_points.into_iter().sum()).unwrap_or_default();
            self.path.push(before + pair);
        }
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
            band: Vec::new(),
            marks: vec![mark(bounds.upper.0, "H1", sprt.elo1()), mark(bounds.lower.0, "H0", sprt.elo0())],
        }
        .draw()
    }

    /// Draws Elo over the pairs, with its interval.
    fn funnel(&self) -> Option<Figure> {
        let last = self.path.last().and_then(elo).and_then(|elo| elo.half_width);
        let last_width = last.map_or(f64::INFINITY, |width| width.0);
        let estimates = || {
            let elos = self.milestones().filter_map(|(pairs, tally)| Some((pairs, elo(&tally)?)));
            let points = elos.filter_map(|(pairs, elo)| Some((pairs, elo.value.0, elo.half_width?.0)));
            // The wide intervals of the first pairs would compress the rest of the chart.
            points.filter(|point| point.2 <= WIDEST * last_width)
        };
        Trend {
            title: "Elo with its 95 % interval".to_owned(),
            x_title: "pairs",
            lines: vec![Line { name: String::new(), points: estimates().map(|(x, y, _)| (x, y)).collect() }],
            band: estimates().map(|(x, y, width)| (x, y - width, y + width)).collect(),
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
            band: Vec::new(),
            marks: Vec::new(),
        }
        .draw()
    }

    /// Returns the list of the last faults; empty without faults.
    fn faults(&self, names: &[String]) -> Document {
        let mut section = Document::default();
        if self.faults.is_empty() {
            return section;
        }
        let row = |(game, engine, text): &(u64, usize, String)| {
            let dialogue = format!("faults/game-{game}.txt");
            let link = Span::Link { text: dialogue.clone(), target: dialogue };
            let name = names.get(*engine).map_or("", String::as_str);
            vec![Text::from(game.to_string()), name.into(), text.as_str().into(), vec![link].into()]
        };
        section.push(Block::heading("Faults"));
        if self.faults.len() == SHOWN_FAULTS {
            section.push(Block::paragraph(format!("The last {SHOWN_FAULTS}:")));
        }
        let table = Table::new(&["game", "engine", "fault", "dialogue"], self.faults.iter().map(row));
        section.push(table.styled(TableStyle::Words));
        section
    }
}

/// Returns the number of games and the results of White by termination.
fn ending_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let row = |(name, games): (&&str, &Trinomial)| {
        vec![
            name.replace('_', " "),
            games.games().to_string(),
            games.wins.to_string(),
            games.draws.to_string(),
            games.losses.to_string(),
        ]
    };
    summary.endings.iter().map(row).collect()
}

const ENDINGS: [&str; 5] = ["ending", "games", "White won", "drawn", "Black won"];
const ENGINES: [&str; 8] =
    ["engine", "moves", "ms per move", "maximum, ms", "mean latency, ms", "depth", "nodes/s", "faults"];
pub(super) const STANDINGS: [&str; 7] = ["", "engine", "Elo", "games", "score", "draws", "above next"];
const PAIRINGS: [&str; 6] = ["first", "second", "won", "drawn", "lost", "Elo"];
/// Shown below standings with known ratings.
const TO_SCALE: &str = "The known ratings fix the scale; their own errors are not included.";
/// Shown below standings that are not bounded.
const UNBOUNDED: &str = "An engine won or lost all games: one drawn game is added to each pairing.";

fn absent() -> String {
    "-".to_owned()
}

fn engine_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let row = |engine: &crate::play::matches::EngineSummary| {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(absent, |value| format!("{value:.digits$}"))
        };
        let faults: Vec<String> =
            engine.faults.iter().map(|(kind, count)| format!("{} {count}", kind.replace('_', " "))).collect();
        vec![
            engine.name.clone(),
            engine.totals.moves.to_string(),
            number(engine.mean_time_ms, 2),
            number(engine.max_time_ms(), 1),
            number(engine.mean_latency_ms, 2),
            number(engine.mean_depth, 1),
            number(engine.nps, 0),
            if faults.is_empty() { "none".to_owned() } else { faults.join(", ") },
        ]
    };
    summary.engines.iter().map(row).collect()
}

fn rating_text(line: &Standing) -> String {
    let Some(rating) = line.rating else { return absent() };
    if line.is_known { format!("{} {KNOWN}", rating.value) } else { rating.to_string() }
}

pub(super) fn standing_rows(standings: &Standings) -> Vec<Vec<String>> {
    let row = |(place, line): (usize, &Standing)| {
        vec![
            (place + 1).to_string(),
            line.name.clone(),
            rating_text(line),
            line.games.games().to_string(),
            line.score.map_or_else(absent, |score| score.to_string()),
            line.games.draw_ratio().map_or_else(absent, |draws| draws.to_string()),
            line.above_next.map_or_else(absent, |share| share.to_string()),
        ]
    };
    standings.table.iter().enumerate().map(row).collect()
}

fn pairing_rows(summary: &MatchSummary) -> Vec<Vec<String>> {
    let name = |engine: usize| summary.engines[engine].name.clone();
    let row = |PairingSummary { pairing, stats }: &PairingSummary| {
        vec![
            name(pairing.first),
            name(pairing.second),
            stats.games.wins.to_string(),
            stats.games.draws.to_string(),
            stats.games.losses.to_string(),
            if stats.score.is_some() { stats.elo_text() } else { absent() },
        ]
    };
    summary.pairings.iter().map(row).collect()
}

/// Returns the statistics of two engines, as name and value.
fn facts(summary: &MatchSummary, stats: &MatchStats) -> Vec<(String, String)> {
    let Trinomial { losses, draws, wins } = stats.games;
    let mut facts = vec![("games", format!("{}: +{wins} ={draws} -{losses}", stats.games.games()))];
    facts.push(("pentanomial, LL LD WL+DD WD WW", stats.pairs.to_string()));
    facts.extend(stats.score.map(|score| ("score", score.to_string())));
    facts.extend(stats.single_text().map(|single| ("not counted", single)));
    let unbiased = summary.unbiased(stats).map(|unbiased| unbiased.to_string());
    facts.extend(unbiased.map(|text| ("Elo, corrected for stopping", text)));
    facts.push(("Elo", stats.elo_text()));
    facts.extend(stats.nelo.map(|nelo| ("normalized Elo", nelo.to_string())));
    facts.extend(stats.los.map(|los| ("likelihood of superiority", los.to_string())));
    if let Some(sprt) = &stats.sprt {
        facts.push(("test", sprt.to_string()));
        facts.extend(summary.decided_text(stats).map(|decided| ("decided", decided)));
    }
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
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
    body.extend([Block::heading("Openings"), Block::paragraph(history.openings.text())]);
    body.push(history.openings.map(history.is_between_two));
    body.extend([Block::heading("Endings"), Block::table(&ENDINGS, ending_rows(summary))]);
    let is_between_two = summary.comparison().is_some();
    let audits = summary.audits.iter();
    body.extend(audits.flat_map(|audits| audits.section(summary.game_seconds, is_between_two)));
    let names: Vec<String> = config.engines.iter().map(|engine| engine.name.clone()).collect();
    body.push(Block::PageOnly(history.faults(&names)));
    body.extend(history.games.table(config).map(Block::Games));
    body.extend([Block::heading("Engines"), Block::table(&ENGINES, engine_rows(summary))]);
    body.extend(history.time_use(&names));
    body.extend(wrong_pvs_section(&summary.wrong_pvs, config.variant));
    let conditions = conditions(config, execution, summary, history.played);
    body.extend([Block::heading("Conditions"), Block::facts(conditions)]);
    Report::new(summary.headline(&titled(summary)), body).with_facts(facts)
}

/// Returns the verdict, and of a match the Elo difference or the first of the table.
fn titled(summary: &MatchSummary) -> String {
    let first = summary.standings.as_ref().and_then(|standings| standings.table.first());
    let result = match (summary.comparison(), first) {
        (Some(stats), _) if stats.sprt.is_none() && stats.elo.is_some() => {
            format!(", Elo {}", stats.elo_text())
        }
        (None, Some(Standing { name, rating: Some(rating), .. })) => {
            format!(", {name} first with Elo {rating}")
        }
        _ => String::new(),
    };
    summary.verdict_text() + &result
}

/// Returns the standings of a tournament, with its pairings.
fn standings_section(summary: &MatchSummary, standings: &Standings) -> Vec<Block> {
    let remarks = [
        standings.is_to_scale().then(|| TO_SCALE.to_owned()),
        (!standings.is_bounded).then(|| UNBOUNDED.to_owned()),
        standings.single_text().map(|single| format!("{single} not counted")),
    ];
    let pairings = [Block::heading("Pairings"), Block::table(&PAIRINGS, pairing_rows(summary))];
    std::iter::once(Block::table(&STANDINGS, standing_rows(standings)))
        .chain(remarks.into_iter().flatten().map(Block::paragraph))
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
                div { (distribution(&stats.pairs)) @if let Some(sprt) = &stats.sprt { (gauge(sprt, summary)) } }
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
        @for line in best { p.small { (line.name) " " (rating_text(line)) } }
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

/// Draws the LLR between Wald's bounds, and the verdict of the test.
fn gauge(sprt: &SprtState, summary: &MatchSummary) -> Markup {
    let decided = summary.comparison().and_then(|stats| summary.decided_text(stats));
    html! {
        div.llr { (llr_bar(sprt)) }
        @if let Some(decided) = decided { p.small { "Decided " (decided) "." } }
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
