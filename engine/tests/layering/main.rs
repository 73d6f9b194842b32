//! Imports inside the engine go one way: each module uses only what stands to its left.

use std::path::Path;

mod scan;

/// From the vocabulary to the shell; see `STYLE.md`. `sync` is below everything that shares memory. `threads` is
/// below `search`: pool, handshake, staggering and voting know nothing of a search, so that they can be modelled
/// and tested alone. `bench` is below the loop that offers it as a command.
const ORDER: scan::Order<'_> = &[
    &["types"],
    &["attacks", "zobrist", "sync", "memory", "files"],
    &["position"],
    &["eval", "tt", "book", "tablebase", "time", "strength"],
    &["threads"],
    &["search"],
    &["engine"],
    &["bench", "genfens"],
    &["uci"],
];

#[test]
fn imports_follow_the_layers() {
    let found = scan::violations(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), ORDER);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Unsafe code stands where it is argued for, block by block (clippy sees to that), and nowhere else: the instruction PEXT,
/// a mapped book, the vector kernels, a prefetch. Time is what `Instant` counts, which no set clock moves. Nothing is started.
#[test]
fn what_needs_care_stands_where_it_is_looked_after() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let unsafe_code = ["attacks/slider.rs", "book/map.rs", "eval/network/kernels.rs", "tt/mod.rs"];
    assert_eq!(scan::files_with(&src, &["unsafe"]), unsafe_code);
    assert_eq!(scan::files_with(&src, &["SystemTime"]), [""; 0]);
    assert_eq!(scan::files_with(&src, &["transmute"]), [""; 0]);
    assert_eq!(scan::files_with(&src, &["Command", "new"]), [""; 0]);
}

/// What the scanner says about `text` if it stood in `path`.
fn verdict(path: &str, text: &str) -> Vec<String> {
    scan::file_violations(Path::new(path), text, ORDER)
}

#[test]
fn planted_violations_are_found() {
    for (path, text) in [
        ("position/mod.rs", "use crate::search::Worker;"),
        ("types/mod.rs", "fn f() -> u8 { crate::attacks::N }"),
        ("eval/mod.rs", "use crate::{types::Score, tt::Table};"),
        ("eval/mod.rs", "use crate::{\n    types::{Score, Depth},\n    search,\n};"),
        ("attacks.rs", "pub(in crate::zobrist) struct S;"),
        ("tt.rs", "use super::search::Worker;"),
        ("search/mod.rs", "use super::engine::Engine;"),
        ("search/driver/pvs.rs", "use super::super::super::engine::Engine;"),
        ("position/fen.rs", "mod tests { use super::super::super::search::go; }"),
        ("search/mod.rs", "use crate::*;"),
        ("search/mod.rs", "use crate::go_through_the_root;"),
        ("search/mod.rs", "use crate::{*};"),
        ("tt.rs", "use super::*;"),
        ("types/mod.rs", "pub mod prelude {}"),
        ("main.rs", "use crate::prelude::*;"),
        ("bench.rs", "/* a /* nested */ comment */ const Q: char = '\"'; use crate::uci::run;"),
        ("bench.rs", "fn f<'a>(x: &'a str) {} const S: &str = r#\"a\"b\"#; use crate::uci::run;"),
    ] {
        assert_eq!(verdict(path, text).len(), 1, "{path}: {text}: {:?}", verdict(path, text));
    }
}

#[test]
fn what_is_allowed_passes() {
    for (path, text) in [
        ("lib.rs", "pub mod types; pub use crate::search::go;"),
        ("main.rs", "use stretto::uci::run;"),
        (
            "search/mod.rs",
            "use crate::{position::Position, tt::Table, search::picker}; use super::types::Move;",
        ),
        ("search/driver/pvs.rs", "use super::super::worker::Worker; use super::*;"),
        (
            "position/fen.rs",
            "#[cfg(test)]\nmod tests {\n    use super::*;\n    use super::super::Position;\n}",
        ),
        (
            "types/mod.rs",
            "// use crate::search;\n/// [`crate::search`]\n/* use crate::uci; */ const S: &str = \"crate::uci\";",
        ),
        ("types/score.rs", "macro_rules! m { () => { $crate::types::Score(0) } }"),
        ("tt.rs", "use crate::sync::AtomicU64; pub(super) fn f() {} pub(crate) fn g() {}"),
    ] {
        assert_eq!(verdict(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn a_module_without_a_level_is_named() {
    let found = verdict("gadgets/mod.rs", "");
    assert!(found.len() == 1 && found[0].contains("`gadgets`"), "{found:?}");
}

#[test]
fn a_violation_is_found_on_its_line() {
    let found =
        verdict("eval/mod.rs", "//! Head.\n\nconst S: &str = \"two\nlines\";\nuse crate::uci::parse;\n");
    assert_eq!(found, ["eval/mod.rs:5: `eval` must not import `uci`, which is not to its left"]);
}
