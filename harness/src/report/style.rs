//! Colours and styles of pages and drawings.

/// The colour palette. Curve colours are `--c0` to `--c7`; see [`super::plot`].
pub(crate) const COLOURS: &str = "\
:root { color-scheme: light dark; --ink: #1b2230; --soft: #5a6475; --paper: #ffffff; --panel: #f4f6f9; --faint: #d3d8e0;
  --good: #1d7a3a; --bad: #b3361e;
  --c0: #1f6fb4; --c1: #c2491d; --c2: #2b8a3e; --c3: #8a3ea8; --c4: #9a6b00; --c5: #00838f; --c6: #b0235f; --c7: #5c636e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #9aa5b5; --paper: #12161d; --panel: #1a2029; --faint: #343d4a;
  --good: #6fcf8b; --bad: #f0876d;
  --c0: #6cb2f0; --c1: #f2936b; --c2: #74c98a; --c3: #cf93ea; --c4: #dcb04a; --c5: #58c6d2; --c6: #ef83b3; --c7: #a9b0bb; } }";

/// Style of the drawings, both on a page and as separate files.
pub(crate) const DRAWING: &str = "\
svg text { fill: var(--ink); font-size: 12px; }
svg text.title { font-size: 14px; font-weight: 600; }
svg text.value { fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .axis { stroke: var(--faint); }
svg .ideal { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 5; }
svg .curve { fill: none; stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
svg .band { fill: var(--c0); opacity: .16; }
svg .cursor { stroke: var(--soft); visibility: hidden; }
.m0 { fill: #b3361e; --m: #b3361e; } .m1 { fill: #dd9a7f; --m: #dd9a7f; } .m2 { fill: #9aa3ad; --m: #9aa3ad; }
.m3 { fill: #7fb0d8; --m: #7fb0d8; } .m4 { fill: #1f6fb4; --m: #1f6fb4; }";

/// Style of a page.
pub(crate) const PAGE: &str = "\
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 76rem;
  margin: 0 auto; padding: 1.25rem clamp(.9rem, 3vw, 2rem) 3rem; }
h1 { font-size: clamp(1.35rem, 4vw, 1.9rem); line-height: 1.25; margin: .2rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .7rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; white-space: nowrap; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--faint); padding: .3rem .8rem; text-align: right; }
th { color: var(--soft); font-weight: 600; }
td:first-child, th:first-child { text-align: left; padding-left: 0; }
tr:last-child > td, tr:last-child > th { border-bottom: 0; }
.breaking { font-size: 13px; }
.breaking th, .breaking td { white-space: normal; vertical-align: top; padding: .3rem .45rem; }
.breaking td:first-child, .breaking th:first-child { padding-left: 0; }
figure { margin: 1.4rem 0; overflow-x: auto; }
svg { display: block; }
svg[viewBox]:not(.stretched) { width: 100%; height: auto; min-width: 36rem; max-width: 50rem; }
svg.plot .cursor.on { visibility: visible; }
svg.map[viewBox] { min-width: 0; max-width: 60rem; }
svg.pieces { position: absolute; }
span.m0, span.m1, span.m2, span.m3, span.m4 { border-left: .8em solid var(--m); padding: 0 .4em; white-space: nowrap; }
a { color: var(--c0); }
pre { background: var(--panel); border-radius: 8px; padding: .8rem 1rem; font-size: 13px; white-space: pre-wrap; overflow-wrap: anywhere; }
.copies { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); align-items: start; }
.copy { min-width: 0; } .copy pre { margin: .4rem 0 0; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--panel); border: 1px solid var(--faint); border-radius: 6px;
  padding: .1rem .7rem; margin-left: .4rem; cursor: pointer; } button:hover { border-color: var(--c0); }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--soft); }
.facts td, .facts th, .words td, .words th, .tested td, .tested th { text-align: left; vertical-align: top; }
.facts td, .facts th, .tested td { white-space: normal; overflow-wrap: anywhere; }
.facts, .wide + .facts { margin-top: .8rem; } .facts td:first-child { color: var(--soft); min-width: 8rem; }
.tested td { min-width: 6.5rem; } .tested th { white-space: normal; }
.claims td, .claims th { text-align: left; vertical-align: top; white-space: normal; }
.claims td:nth-child(odd) { min-width: 14rem; } .claims td:last-child { min-width: 0; white-space: nowrap; }
@media (max-width: 45rem) { .claims th { display: none; } .claims td { display: block; border: 0; padding: .1rem 0; }
  .claims tr { display: block; border-bottom: 1px solid var(--faint); padding: .6rem 0; } }
.kind { color: var(--soft); margin: 0 0 .4rem; }
.kind b { color: var(--ink); font-weight: 600; }
.card { background: var(--panel); border-radius: 12px; padding: 1.1rem 1.3rem; }
.result { display: grid; gap: 1.1rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); align-items: start; }
.verdict { font-size: clamp(1.6rem, 5vw, 2.3rem); font-weight: 700; line-height: 1.15; margin: 0; }
.verdict.good { color: var(--good); } .verdict.bad { color: var(--bad); }
.elo { font-size: clamp(1.35rem, 5vw, 1.9rem); font-weight: 600; line-height: 1.25; margin: .35rem 0 0; font-variant-numeric: tabular-nums; }
.verdict, .elo { overflow-wrap: anywhere; }
.elo small, .verdict small { font-size: .55em; font-weight: 400; color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .7rem 1.2rem; margin: 1rem 0 0; }
.figures div { display: flex; flex-direction: column; }
.figures dt { color: var(--soft); font-size: 13px; order: 2; } .figures dd { margin: 0; font-size: 1.05rem; font-variant-numeric: tabular-nums; }
.small { color: var(--soft); font-size: 13px; margin: .35rem 0 0; }
.gauge { position: relative; height: 12px; border-radius: 6px; background: var(--faint); margin: .5rem 0 .35rem; overflow: hidden; }
.gauge i { position: absolute; top: 0; bottom: 0; background: var(--c0); }
.gauge b { position: absolute; top: 0; bottom: 0; width: 2px; background: var(--ink); }
.ends { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); font-size: 13px; }
.ends span:last-child { text-align: right; }
.pentanomial { display: grid; grid-template-columns: repeat(5, 1fr); gap: 6px; align-items: end; margin-top: .6rem; text-align: center;
  font-size: 13px; font-variant-numeric: tabular-nums; }
.pentanomial i { display: block; border-radius: 4px 4px 0 0; background: var(--m); min-height: 2px; margin: 2px 0; }
.pentanomial span { color: var(--soft); }
.label { font-weight: 600; margin: 0; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16.5rem), 1fr)); gap: 1rem; }
.game { background: var(--panel); border-radius: 12px; padding: .8rem; }
.game .side { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: .8rem; font-variant-numeric: tabular-nums; padding: .1rem 0; }
.game .side b, .game .side span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.game .side b { font-weight: 600; } .game .side .search { color: var(--soft); font-size: 13px; }
.game .side.moves b::before { content: '\\25B8 '; color: var(--good); }
.game .clock { text-align: right; } .game .moves .clock { font-weight: 600; }
.game .small { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
svg.board[viewBox] { min-width: 0; max-width: none; border-radius: 6px; margin: .3rem 0; }
svg.board .light { fill: #e9edf2; } svg.board .dark { fill: #a3b5c9; } svg.board .moved { fill: #f2c94c; opacity: .55; }
svg.board use { stroke-width: 1.5; stroke-linejoin: round; }
svg.board .white { fill: #ffffff; stroke: #2a303a; } svg.board .black { fill: #2a303a; stroke: #10141a; }
.tip { position: fixed; z-index: 9; pointer-events: none; white-space: pre; background: var(--ink); color: var(--paper); border-radius: 6px;
  padding: .3rem .6rem; font-size: 13px; font-variant-numeric: tabular-nums; max-width: calc(100vw - 16px); overflow: hidden; text-overflow: ellipsis; }
.tip[hidden] { display: none; }
.live::before { content: ''; display: inline-block; width: .6em; height: .6em; border-radius: 50%; background: var(--good); margin-right: .4em; }
.banner { background: var(--panel); border-left: 4px solid var(--bad); padding: .5rem .8rem; border-radius: 4px; }
.runs { list-style: none; padding: 0; display: grid; gap: .8rem; } .runs a { display: block; text-decoration: none; color: inherit; }
.lost::before { content: 'No connection to harness watch; trying again'; display: block; background: var(--bad); color: var(--paper);
  padding: .4rem .8rem; border-radius: 6px; margin-bottom: .8rem; }";
