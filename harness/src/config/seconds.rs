//! Durations as numbers of seconds, to the microsecond: for `#[serde(with = "seconds")]`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let seconds = f64::deserialize(deserializer)?;
    let time = Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)?;
    Ok(Duration::from_micros((time.as_secs_f64() * 1e6).round() as u64))
}
