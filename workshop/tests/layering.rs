//! Imports of the workshop follow the layers that `lib.rs` documents.

#[path = "../../engine/tests/layering/scan/mod.rs"]
mod scan;

scan::layer_tests!();
