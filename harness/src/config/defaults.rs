//! Defaults of fields, for serde.

/// Returns true.
pub(crate) fn yes() -> bool {
    true
}
