//! Defaults of fields, for serde.

/// The default of fields that are on unless a file turns them off.
pub(crate) fn yes() -> bool {
    true
}
