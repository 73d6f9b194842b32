//! The result at the head of a match's page: verdict, Elo, figures, the LLR between its bounds, and
//! the pentanomial.

use maud::{Markup, html};

use super::{MatchConfig, MatchSummary};
use crate::play::matches::RunKind;
use crate::report::document::{Heading, Lead};
use stretto_stats::bounds::Verdict;
use stretto_stats::counts::{Pentanomial, Trinomial};
use stretto_stats::summary::{MatchStats, SprtState};

/// Labels of the pentanomial: points of the first engine in a pair.
const POINTS: [&str; 5] = ["0", "½", "1", "1½", "2"];

/// Returns the result of a match, with its key figures.
pub(super) fn lead(config: &MatchConfig, summary: &MatchSummary, facts: Vec<(String, String)>) -> Lead {
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
    Lead { kind, heading: Heading::new(1, config.contest()), result, facts }
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
    html! {
        @if summary.kind == RunKind::Sprt {
            p class=(class) { (summary.verdict_text()) }
            p.elo { (elo) }
        } @else {
            p.verdict { (elo) }
        }
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
fn gauge(sprt: &SprtState, summary: &MatchSummary) -> Markup {
    let (low, high) = (sprt.bounds.lower.0, sprt.bounds.upper.0);
    let place = |llr: f64| 100.0 * ((llr - low) / (high - low)).clamp(0.0, 1.0);
    let (zero, now) = (place(0.0), place(sprt.llr.0));
    let bar = format!("left:{:.1}%;width:{:.1}%", zero.min(now), (now - zero).abs());
    let unit = sprt.spec.model().unit();
    let decided = summary.comparison().and_then(|stats| summary.decided_text(stats));
    html! {
        p.label style="margin-top:1.1rem" { "LLR " (sprt.llr) }
        div.gauge role="img" aria-label=(format!("{sprt}")) {
            i style=(bar) {}
            b style=(format!("left:{zero:.1}%")) {}
        }
        div.ends {
            span { "H0: " (sprt.spec.elo0()) " " (unit) " below " (sprt.bounds.lower) }
            span { "H1: " (sprt.spec.elo1()) " " (unit) " above " (sprt.bounds.upper) }
        }
        @if let Some(decided) = decided { p.small { "Decided " (decided) "." } }
    }
}
