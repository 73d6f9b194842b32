//! Style of games: their table, the viewer, scores beside boards, and cards of runs.

/// Style of the parts of a page that show games.
pub(crate) const GAMES: &str = "\
.context { list-style: none; padding: 0; margin: -.6rem 0 1rem; color: var(--soft); overflow-wrap: anywhere; }
.meaning { margin: .25rem 0 0; }
.llr .label, .card .llr { margin-top: 1.1rem; }
.games { max-height: 27rem; overflow: auto; border: 1px solid var(--faint); border-radius: 8px; }
.games table { width: 100%; }
.games th, .games td { text-align: left; padding: .3rem .6rem; }
.games th:first-child, .games td:first-child { padding-left: .8rem; }
.games thead th { position: sticky; top: 0; background: var(--panel); z-index: 1; }
.games .plies, .games .time { text-align: right; }
.games .player { max-width: 12rem; overflow: hidden; text-overflow: ellipsis; }
.games .ending, .games .opening { max-width: 20rem; overflow: hidden; text-overflow: ellipsis; }
.games tbody tr:has(a) { cursor: pointer; } .games tbody tr:has(a):hover { background: var(--panel); }
.games .fault .ending { color: var(--bad); }
.fold { margin: .4rem 0; } .position { display: grid; gap: 0 1.2rem; grid-template-columns: minmax(0, 16.5rem) minmax(0, 1fr); }
.position pre { margin: .2rem 0 .5rem; max-height: 9rem; overflow: auto; }
.live-page #games:not(:empty) { margin-bottom: 1.6rem; }
.live-page { display: flex; flex-direction: column; } .live-page > div { min-width: 0; }
.legend i { font-style: normal; } .legend i::before { content: ''; display: inline-block; width: .9em; height: 3px; margin-right: .3em;
  vertical-align: middle; background: var(--c0); } .legend .c1::before { background: var(--c1); }
svg.scores { width: 100%; height: 3.2rem; border: 1px solid var(--faint); border-radius: 6px; background: var(--paper); }
svg.scores .middle { stroke: var(--faint); } svg.scores .now { stroke: var(--soft); } svg.scores line { vector-effect: non-scaling-stroke; }
.evaluation .small { margin: .2rem 0; white-space: normal; overflow-wrap: anywhere; }
@media (min-width: 60rem) {
  .live-page #games { order: 1; } .live-page #plot { order: 2; } .live-page #body { order: 3; }
  .wide-games { grid-template-columns: repeat(auto-fill, minmax(30rem, 1fr)); }
  .wide-games .game { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 1rem; }
  .wide-games .evaluation { display: flex; flex-direction: column; } .wide-games svg.scores { flex: 1; height: auto; min-height: 8rem; }
}
.runs { grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); align-items: start; }
.runs .card { padding: 0; } .runs a { padding: .9rem 1.1rem; border-radius: 12px; } .runs a:hover { outline: 2px solid var(--c0); }
.runs p { margin: .15rem 0; } .runs .title { font-weight: 600; overflow-wrap: anywhere; } .runs .elo { font-size: 1.1rem; }
.runs .label { font-weight: 400; }
.viewer { width: min(62rem, calc(100vw - 1rem)); max-width: none; max-height: calc(100vh - 1rem); overflow: auto; padding: 1rem 1.2rem;
  color: var(--ink); background: var(--paper); border: 1px solid var(--faint); border-radius: 12px; }
.viewer::backdrop { background: rgb(0 0 0 / .5); }
.viewer h2 { margin: 0; } .viewer .top { display: flex; justify-content: space-between; align-items: center; gap: 1rem; }
.viewer button { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--faint); border-radius: 6px; margin: 0;
  padding: .25rem .8rem; cursor: pointer; } .viewer button:hover { border-color: var(--c0); }
.viewer .parts { display: grid; gap: .8rem 1.4rem; grid-template-columns: minmax(0, min(30rem, 68vh)) minmax(0, 1fr); margin-top: .6rem; }
.viewer .side { display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: .8rem; font-variant-numeric: tabular-nums; }
.viewer .side b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.viewer .side.moves b::before { content: '\\25B8 '; color: var(--good); }
.viewer .side .search { color: var(--soft); font-size: 13px; min-height: 1.5em; } .viewer .clock { text-align: right; }
.viewer .steps { display: flex; gap: .4rem; margin-top: .5rem; } .viewer .steps button { flex: 1; padding: .4rem 0; }
.viewer .more { display: flex; flex-direction: column; min-height: 0; }
.viewer svg.scores { height: 5rem; cursor: crosshair; }
.viewer .movelist { position: relative; overflow: auto; flex: 1 1 12rem; min-height: 8rem; max-height: 25rem; margin-top: .6rem; line-height: 1.7; }
.viewer .movelist span { display: inline-block; padding: 0 .3rem; border-radius: 4px; cursor: pointer; white-space: nowrap; }
.viewer .movelist span:hover { background: var(--panel); } .viewer .movelist .book { color: var(--soft); }
.viewer .movelist .on { background: var(--c0); color: var(--paper); } .viewer .movelist > b { display: block; padding: .3rem; }
.spoken { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 45rem) {
  .games thead { display: none; } .games tbody { display: block; } .games table { white-space: normal; }
  .games tr { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr) auto; column-gap: .5rem; padding: .5rem .7rem; border-bottom: 1px solid var(--faint); }
  .games td, .games td:first-child { border: 0; padding: 0; max-width: none; overflow-wrap: anywhere; }
  .games .number { grid-area: 1 / 1; } .games .player { grid-area: 1 / 2; white-space: normal; } .games .player + .player { grid-area: 2 / 2; }
  .games .result { grid-area: 1 / 3; text-align: right; font-weight: 600; } .games .plies { grid-area: 2 / 3; } .games .plies::after { content: ' plies'; }
  .games .ending { grid-area: 3 / 2; white-space: normal; } .games .time { grid-area: 3 / 3; }
  .games .load { grid-area: 4 / 3; text-align: right; } .games .opening { grid-area: 4 / 2; white-space: nowrap; color: var(--soft); }
  .position { grid-template-columns: minmax(0, 1fr); }
  .viewer { padding: .7rem; } .viewer .parts { grid-template-columns: minmax(0, 1fr); } .viewer .keys { display: none; }
  .viewer .movelist { max-height: 11rem; }
}";
