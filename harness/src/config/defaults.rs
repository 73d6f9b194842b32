//! Defaults of fields, for serde.

/// The default of fields that are on unless a file turns them off.
pub(crate) fn yes() -> bool {
    true
}

/// A default in thousandths, so that the number stands at its field: `thousandths::<50>` is 0.05.
pub(crate) fn thousandths<const N: u16>() -> f64 {
    f64::from(N) / 1e3
}
