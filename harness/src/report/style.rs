//! Colours and style of the drawings.

/// The colour palette. Curve colours are `--c0` to `--c7`; see [`super::chart`].
pub(crate) const COLOURS: &str = "\
:root { color-scheme: light dark; --ink: #1d2430; --paper: #ffffff; --faint: #c9ced6;
  --c0: #1f6fb4; --c1: #c2491d; --c2: #2b8a3e; --c3: #8a3ea8; --c4: #9a6b00; --c5: #00838f; --c6: #b0235f; --c7: #5c636e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --paper: #14181f; --faint: #3a424e;
  --c0: #6cb2f0; --c1: #f2936b; --c2: #74c98a; --c3: #cf93ea; --c4: #dcb04a; --c5: #58c6d2; --c6: #ef83b3; --c7: #a9b0bb; } }";

/// Style of the drawings, both on a page and as separate files.
pub(crate) const DRAWING: &str = "\
svg text { fill: var(--ink); font-size: 12px; }
svg .axis { stroke: var(--faint); }
svg .ideal { stroke: var(--faint); stroke-width: 2; stroke-dasharray: 5 5; }
svg .curve { fill: none; stroke-width: 2; }
svg .band { fill: var(--c0); opacity: .18; }
.m0 { fill: #b3361e; --m: #b3361e; } .m1 { fill: #dd9a7f; --m: #dd9a7f; } .m2 { fill: #9aa3ad; --m: #9aa3ad; }
.m3 { fill: #7fb0d8; --m: #7fb0d8; } .m4 { fill: #1f6fb4; --m: #1f6fb4; }";
