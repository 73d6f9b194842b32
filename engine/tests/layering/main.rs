//! The imports of the engine follow the layers that `lib.rs` documents, and its files import each
//! other in no cycle.

use std::path::{Path, PathBuf};

mod evidence;
mod scan;

use scan::Sources;
use scan::cycles::cycles;
use scan::layers::{Layers, file_violations, violations};

scan::layer_tests!();

/// Returns these paths and texts as sources.
fn sources_of(files: &[(&str, &str)]) -> Sources {
    Sources(files.iter().map(|&(path, text)| (PathBuf::from(path), text.to_owned())).collect())
}

/// Returns the scanner's report on a file with this text.
fn report(path: &str, text: &str) -> Vec<String> {
    let lib = sources().0[Path::new("lib.rs")].clone();
    let layers = Layers::parse(&lib).expect("a list of layers");
    file_violations(Path::new(path), text, &layers)
}

#[test]
fn planted_violations_are_found() {
    for (path, text) in [
        ("position/mod.rs", "use crate::search::Worker;"),
        ("types/mod.rs", "fn f() -> u8 { crate::attacks::N }"),
        ("eval/mod.rs", "use crate::{types::Score, tt::TranspositionTable};"),
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
        assert_eq!(report(path, text).len(), 1, "{path}: {text}: {:?}", report(path, text));
    }
}

#[test]
fn allowed_imports_pass() {
    for (path, text) in [
        ("lib.rs", "pub mod types; pub use crate::search::go;"),
        ("main.rs", "use stretto::uci::run;"),
        (
            "search/mod.rs",
            "use crate::{position::Position, tt::TranspositionTable, search::picker}; use super::types::Move;",
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
        assert_eq!(report(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn module_without_a_layer_is_reported() {
    let found = report("gadgets/mod.rs", "");
    assert!(found.len() == 1 && found[0].contains("`gadgets`"), "{found:?}");
}

#[test]
fn violation_is_reported_with_its_line() {
    let text = "//! Head.\n\nconst S: &str = \"two\nlines\";\nuse crate::uci::parse;\n";
    let expected = "eval/mod.rs:5: `eval` must not import `uci`, which is not to its left";
    assert_eq!(report("eval/mod.rs", text), [expected]);
}

const LIB: &str =
    "//! A crate.\n//!\n//! The layers: `a → b,\n//! c → d`.\npub mod a;\npub mod b;\nmod c;\nmod d;\n";

#[test]
fn layers_are_read_from_the_documentation() {
    let with = |from: &str, to: &str| LIB.replace(from, to);
    let found = |lib: &str| violations(&sources_of(&[("lib.rs", lib), ("b.rs", "use crate::a::A;")]));
    assert_eq!(found(LIB), [""; 0]);
    let none = "lib.rs: no list of layers like `types → attacks, zobrist → position`";
    assert_eq!(found(&with("→", "->")), [none]);
    assert_eq!(found(&with("→ d", "→ a")), ["lib.rs: `a` has two layers"]);
    assert_eq!(found(&with(" → d", "")), ["lib.rs: module `d` is not in the list of layers"]);
    assert_eq!(found(&with("mod c;", "")), ["lib.rs: the list of layers has `c`, which is no module"]);
    let wrong = "b.rs:1: `b` must not import `a`, which is not to its left";
    assert_eq!(found("//! `b → a`\nmod a;\nmod b;"), [wrong]);
}

/// Returns the cycles between these files.
fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    cycles(&sources_of(files))
}

#[test]
fn import_cycles_are_found() {
    let a_and_b = ["import cycle: a.rs:1 uses b.rs:1 uses a.rs"];
    let b = ("b.rs", "use crate::a::A; pub struct B;");
    for a in [
        "use crate::b::B; pub struct A;",
        "use super::b::B; pub struct A;",
        "use crate::{b::{B as C}}; pub struct A;",
        "pub struct A(crate::b::B);",
        "use crate::b; pub struct A(b::B);",
        "use crate::b::*; pub struct A;",
        "pub use crate::b::B; pub struct A(B);",
        "mod inside { use super::super::b::B; } pub struct A;",
        "#[cfg(any(test, unix))] use crate::b::B; pub struct A;",
    ] {
        assert_eq!(cycles_of(&[("lib.rs", "mod a; mod b;"), ("a.rs", a), b]), a_and_b, "{a}");
    }
    let three = [
        ("lib.rs", "mod m;"),
        ("m/mod.rs", "mod x; mod y; pub use x::X; pub struct M;"),
        ("m/x.rs", "use super::y::Y; pub struct X;"),
        ("m/y.rs", "use super::M; use crate::m::X; pub struct Y;"),
    ];
    assert_eq!(cycles_of(&three), ["import cycle: m/x.rs:1 uses m/y.rs:1 uses m/x.rs"]);
}

#[test]
fn re_exports_tests_and_module_declarations_are_no_cycle() {
    for files in [
        // A façade that only re-exports.
        [
            ("m/mod.rs", "mod x; mod y; pub use x::X; pub use y::Y;"),
            ("m/x.rs", "use super::Y; pub struct X;"),
            ("m/y.rs", "pub struct Y;"),
        ],
        // The parent uses its children; they use each other through it.
        [
            ("m/mod.rs", "mod x; mod y; use x::X; use y::Y; fn f(_: X, _: Y) {}"),
            ("m/x.rs", "use super::Y; pub struct X;"),
            ("m/y.rs", "pub struct Y; mod inside { use super::Y; }"),
        ],
        // Tests may use everything.
        [
            ("m/mod.rs", "mod x; #[cfg(test)] mod y; pub use x::X; pub struct M; fn f(_: X) {}"),
            ("m/x.rs", "pub struct X; #[cfg(test)] mod tests { use super::super::M; }"),
            ("m/y.rs", "use super::M; use super::x::X;"),
        ],
    ] {
        let [a, b, c] = files;
        assert_eq!(cycles_of(&[("lib.rs", "mod m;"), a, b, c]), [""; 0], "{files:?}");
    }
}
