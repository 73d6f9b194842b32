//! One report with every block, in every form.

use maud::{Render, html};

use super::document::{Figure, Heading, Lead, Span, Text};
use super::fold::Fold;
use super::games::sample_games;
use super::{Block, BlockFormat, BlockRequest, Blocks, Document, Report, Table, TableStyle};

fn link(text: &str, target: &str) -> Span {
    Span::Link { text: text.to_owned(), target: target.to_owned() }
}

fn report() -> Report {
    let lead = Lead {
        kind: "Match",
        heading: Heading::new(1, "new < old"),
        context: vec!["8+0.08".to_owned()],
        card: html! {},
        result: html! { p.verdict { "+3 Elo" } },
        facts: [("games", "12"), ("Elo", "+3 ± 9")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
    };
    let sentence = vec![
        Span::Plain("Play ".to_owned()),
        Span::Strong("both".to_owned()),
        Span::Plain(" with ".to_owned()),
        Span::Code("harness match".to_owned()),
        Span::Plain(", see ".to_owned()),
        link("the games", "games.pgn"),
        Span::Plain(" and ".to_owned()),
        link("below", "#end"),
        Span::Plain(".".to_owned()),
    ];
    let nodes = [["a|b", "1264", "5"], ["c", "97", "-"]].map(Vec::from);
    let options =
        [vec![Text::from("options"), "Hash = 16".into(), vec![Span::Strong("-".to_owned())].into()]];
    let map = Figure::new("Map", 9.0, 8.0, html! { rect {} }).captioned("map", html! { p { "Squares" } });
    let curve =
        Figure { width: None, x_title: Some("pairs"), ..Figure::new("Elo", 0.0, 300.0, html! { g {} }) };
    let body = [
        Block::Lead(lead),
        Block::paragraph(sentence),
        map.into(),
        curve.into(),
        Block::heading("Engines"),
        Block::table(&["engine", "nodes", "nodes/s"], nodes),
        Table::new(&["setting", "the switch"], [vec!["X off", "On"]]).styled(TableStyle::Words).into(),
        Table::new(&["threads", "ratio"], [vec!["2", "1.9 (1.8 to 2)"]]).styled(TableStyle::Breaking).into(),
        Table::new(&["claim"], [vec!["N1"]]).styled(TableStyle::Claims).into(),
        Table::new(&["engine", "a", "b"], options).styled(TableStyle::Tested).into(),
        Heading::anchored("Conditions", "end".to_owned()),
        Block::facts([("seed", "7".to_owned()), ("host", "box".to_owned())]),
        Block::Code("go depth 5\nbestmove ```\n".to_owned()),
        Block::Copies(vec![("OpenBench".to_owned(), "Elo   | 1 < 2\nGames | 3".to_owned())]),
        Block::Details("Configuration", "nodes: 5\n".to_owned()),
        Block::Fold(Fold {
            summary: "a PV".to_owned(),
            content: html! { p { "board" } },
            text: "info pv e2e4".to_owned(),
        }),
        Block::Games(sample_games()),
        Block::PageOnly([Block::heading("Faults")].into()),
    ];
    Report::new("new against old", body).with_lines(&["It is enough".to_owned()])
}

#[test]
fn page_has_every_block() {
    let games = sample_games().render().into_string();
    let expected = [
        r#"<p class="kind">Match</p><h1>new &lt; old</h1><ul class="context"><li>8+0.08</li></ul><p class="verdict">+3 Elo</p>"#,
        r"<p>Play <b>both</b> with <code>harness match</code>, ",
        r##"see <a href="games.pgn">the games</a> and <a href="#end">below</a>.</p>"##,
        r#"<p>Squares</p><figure><svg class="map" viewBox="0 0 9 8" role="img" aria-label="Map">"#,
        "<rect></rect></svg></figure>",
        r#"<figure><svg width="100%" height="300" role="img" aria-label="Elo" data-x-title="pairs">"#,
        "<g></g></svg></figure>",
        "<h2>Engines</h2>",
        r#"<div class="wide"><table><tr><th>engine</th><th>nodes</th><th>nodes/s</th></tr>"#,
        "<tr><td>a|b</td><td>1264</td><td>5</td></tr><tr><td>c</td><td>97</td><td>-</td></tr></table></div>",
        r#"<div class="wide"><table class="words"><tr><th>setting</th><th>the switch</th></tr>"#,
        "<tr><td>X off</td><td>On</td></tr></table></div>",
        r#"<div class="wide"><table class="breaking"><tr><th>threads</th><th>ratio</th></tr>"#,
        "<tr><td>2</td><td>1.9 (1.8\u{a0}to\u{a0}2)</td></tr></table></div>",
        r#"<div class="wide"><table class="claims"><tr><th>claim</th></tr><tr><td>N1</td></tr></table></div>"#,
        r#"<div class="wide"><table class="tested"><tr><th>engine</th><th>a</th><th>b</th></tr>"#,
        "<tr><th>options</th><td>Hash = 16</td><td><b>-</b></td></tr></table></div>",
        r#"<h2 id="end">Conditions</h2>"#,
        r#"<table class="facts"><tr><td>seed</td><td>7</td></tr><tr><td>host</td><td>box</td></tr></table>"#,
        "<pre>go depth 5\nbestmove ```\n</pre>",
        r#"<div class="copies"><div class="copy"><p class="label">OpenBench <button type="button" data-copy>Copy</button></p>"#,
        "<pre>Elo   | 1 &lt; 2\nGames | 3</pre></div></div>",
        "<details><summary>Configuration</summary><pre><code>nodes: 5\n</code></pre></details>",
        r#"<details class="fold"><summary>a PV</summary><p>board</p></details>"#,
        &games,
        "<h2>Faults</h2>",
        "<p>It is enough.</p>",
    ];
    let page = html! { (report().head()) (report().below_head()) };
    assert_eq!(page.into_string(), expected.concat());
}

#[test]
fn markdown_has_every_block_but_those_of_pages() {
    let expected = "\
# new against old

|  |  |
|---|---|
| games | 12 |
| Elo | +3 ± 9 |

Play both with `harness match`, see [the games](games.pgn) and below.

## Engines

| engine | nodes | nodes/s |
|---|---|---|
| a\\|b | 1264 | 5 |
| c | 97 | - |

| setting | the switch |
|---|---|
| X off | On |

| threads | ratio |
|---|---|
| 2 | 1.9 (1.8 to 2) |

| claim |
|---|
| N1 |

| engine | a | b |
|---|---|---|
| options | Hash = 16 | - |

## Conditions

|  |  |
|---|---|
| seed | 7 |
| host | box |

```
go depth 5
bestmove '''
```

OpenBench:

```
Elo   | 1 < 2
Games | 3
```

a PV:

```
info pv e2e4
```

It is enough.
";
    assert_eq!(report().markdown(), expected);
}

#[test]
fn terminal_has_every_block_but_those_of_pages() {
    let expected = "\
new against old

games  12
Elo    +3 ± 9

Play both with `harness match`,
see the games and below.

Engines

engine  nodes  nodes/s
a|b      1264  5
c          97  -

setting  the switch
X off    On

threads           ratio
2        1.9 (1.8 to 2)

claim
N1

engine   a          b
options  Hash = 16  -

Conditions

seed  7
host  box

  go depth 5
  bestmove ```

OpenBench:

Elo   | 1 < 2
Games | 3

a PV:

  info pv e2e4

It is enough.
";
    assert_eq!(report().aligned(32), expected);
}

#[test]
fn headings_within_a_section_have_level_three() {
    let mut body = Document::from([Block::heading("Run")]);
    body.extend(report().body.into_section());
    let page = Report::new("2 runs", body).below_head().into_string();
    for heading in ["<h2>Run</h2>", "<h3>new &lt; old</h3>", "<h3>Engines</h3>", "<h3>Faults</h3>"] {
        assert!(page.contains(heading), "{heading}: {page}");
    }
    assert!(
        page.contains("<h3 id=\"end\">") && !page.contains("<h1>") && !page.contains("<h2>Games"),
        "{page}"
    );
}

/// A result that only OpenBench can show.
#[derive(Debug)]
struct OnlyOpenBench;

impl Blocks for OnlyOpenBench {
    fn block(&self, request: BlockRequest<'_>) -> Result<String, String> {
        let has_it = request.format == BlockFormat::OpenBench;
        has_it.then(|| "Elo   | 1".to_owned()).ok_or_else(|| "choose openbench".to_owned())
    }

    fn foot(&self) -> (&'static [BlockFormat], Option<String>) {
        (&[BlockFormat::OpenBench, BlockFormat::Fishtest], Some("A remark.".to_owned()))
    }
}

#[test]
fn foot_has_the_forms_that_a_result_has() {
    let mut report = report().with_blocks(OnlyOpenBench);
    report.body.extend(report.foot());
    let page = report.page();
    let foot = page.split_once("<h2>For commits").unwrap().1;
    assert!(foot.contains("<p>A remark.</p>") && foot.contains("<pre>Elo   | 1</pre>"), "{foot}");
    assert!(!foot.contains(">fishtest") && !report.markdown().contains("For commits"), "{foot}");
    assert_eq!(report.block(BlockRequest::of(BlockFormat::Fishtest)).unwrap_err(), "choose openbench");
    let error = self::report().block(BlockRequest::of(BlockFormat::OpenBench)).unwrap_err();
    assert!(error.starts_with("only matches, tests and tunings have a block"), "{error}");
}

#[test]
fn columns_without_values_are_dropped() {
    let rows = [["a", "", "1", ""], ["", "", "", ""]].map(Vec::from);
    let table = Table::new(&["", "x", "y", "z"], rows).without_empty_columns();
    assert_eq!(table.markdown(), "|  | y |\n|---|---|\n| a | 1 |\n|  |  |\n");
}
