//! Limits of an engine's search: clocks, nodes, depth and time per move; and the variants of chess.

use std::borrow::Cow;
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The fields that limit a search.
pub(crate) const LIMITS: [&str; 4] = ["time_control", "nodes", "depth", "movetime"];

/// Maximum number of stages of a time control.
const MAX_STAGES: usize = 4;

/// A stage of a time control: `[moves/]base[+increment]`, in seconds or `minutes:seconds`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// Moves until the next stage; `None` if it lasts to the end of the game.
    pub moves: Option<NonZeroU32>,
    /// Time added at the beginning of the stage. May be 0 with an increment.
    pub base: Duration,
    /// Increment after each move.
    pub increment: Duration,
}

/// A clock with one or more stages. If the last stage counts moves, it repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    stages: [Stage; MAX_STAGES],
    count: usize,
}

impl TimeControl {
    /// Returns the stages. Shape: one to four; all but the last count moves.
    pub fn stages(&self) -> &[Stage] {
        &self.stages[..self.count]
    }

    /// Returns the clock with all times multiplied by a factor. Units: permille.
    fn scaled(mut self, permille: u32) -> Self {
        for stage in &mut self.stages {
            (stage.base, stage.increment) = (scaled(stage.base, permille), scaled(stage.increment, permille));
        }
        self
    }

    /// Returns the notation of PGN: stages separated by colons, times in seconds.
    pub fn to_pgn(self) -> String {
        self.stages().iter().map(ToString::to_string).collect::<Vec<_>>().join(":")
    }
}

/// Multiplies a time by a factor in permille, and rounds it to milliseconds, in which engines count. A time above 0
/// stays at least a millisecond.
fn scaled(time: Duration, permille: u32) -> Duration {
    let ms = (time.as_micros() * u128::from(permille) + 500_000) / 1_000_000;
    Duration::from_millis(u64::try_from(ms).unwrap_or(u64::MAX).max(u64::from(!time.is_zero())))
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = |token: &str, expected: &str| {
            format!(
                "`{token}` in time control `{text}`: expected {expected} (for example 2+0.02 or 40/60+0.6)"
            )
        };
        let mut control = Self { stages: [Stage::default(); MAX_STAGES], count: 0 };
        for part in text.split(',') {
            if control.stages().last().is_some_and(|stage| stage.moves.is_none()) {
                return Err(fail(part, "nothing after a stage that lasts to the end of the game"));
            }
            let Some(place) = control.stages.get_mut(control.count) else {
                return Err(fail(part, "at most four stages"));
            };
            *place = parse_stage(part).map_err(|(token, expected)| fail(token, expected))?;
            control.count += 1;
        }
        Ok(control)
    }
}

/// Parses `[moves/]base[+increment]`.
///
/// Errors: the invalid token and the expected syntax.
fn parse_stage(text: &str) -> Result<Stage, (&str, &'static str)> {
    let (moves, rest) = match text.split_once('/') {
        Some((count, rest)) => {
            (Some(count.trim().parse().map_err(|_| (count, "a count of moves above 0"))?), rest)
        }
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let base_time = parse_span(base).ok_or((base, "seconds or minutes:seconds"))?;
    let increment = parse_span(increment).ok_or((increment, "an increment in seconds"))?;
    if base_time.is_zero() && increment.is_zero() {
        return Err((base, "a base time or an increment above 0"));
    }
    Ok(Stage { moves, base: base_time, increment })
}

/// Parses `12.5` or `1:30`. Limited to a day, so that sums cannot overflow.
fn parse_span(text: &str) -> Option<Duration> {
    let (minutes, seconds) = match text.trim().split_once(':') {
        Some((minutes, seconds)) => (minutes.parse::<u32>().ok()?, seconds),
        None => (0, text.trim()),
    };
    let is_plain = seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = seconds.parse::<f64>().ok().filter(|_| is_plain)?;
    let total = f64::from(minutes) * 60.0 + seconds;
    // Rounded to the microsecond: 0.02 must not print as 0.019999999.
    (total <= 86_400.0).then(|| Duration::from_micros((total * 1e6).round() as u64))
}

/// Returns a notice on a time control that was probably mistyped: minutes with a fraction of a second
/// and no increment, as in `8:0.08` for `8+0.08`.
pub(crate) fn minutes_notice(text: &str) -> Option<String> {
    let control = text.parse::<TimeControl>().ok()?;
    let (minutes, fraction) = text.rsplit(['/', ',']).next()?.trim().split_once(':')?;
    let stage = control.stages().last()?;
    let is_likely_typo = stage.increment.is_zero() && stage.base.subsec_nanos() > 0;
    is_likely_typo.then(|| {
        let seconds = stage.base.as_secs_f64();
        format!(
            "{text}: {minutes} minutes and {fraction} seconds ({seconds} s); {minutes} seconds with an increment of \
             {fraction} seconds are {minutes}+{fraction}"
        )
    })
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stages().iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeControlVisitor)
    }
}

impl JsonSchema for TimeControl {
    fn schema_name() -> Cow<'static, str> {
        "TimeControl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Time control: [moves/]base[+increment] in seconds or minutes:seconds, such as 8+0.08 or \
                40/60+0.6. Several stages are a list, or separated by commas.",
            "anyOf": [
                { "type": "string" },
                { "type": "number" },
                { "type": "array", "items": { "type": ["string", "number"] } },
            ],
        })
    }
}

/// Accepts a text, a number (`time_control: 10` is ten seconds), or a list of stages.
struct TimeControlVisitor;

impl<'de> Visitor<'de> for TimeControlVisitor {
    type Value = TimeControl;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time control such as 2+0.02 or 40/60+0.6")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<TimeControl, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<TimeControl, E> {
        self.visit_str(&seconds.to_string())
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<TimeControl, E> {
        self.visit_str(&seconds.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<TimeControl, A::Error> {
        let mut stages: Vec<String> = Vec::new();
        while let Some(stage) = list.next_element::<TimeControl>()? {
            stages.push(stage.to_string());
        }
        self.visit_str(&stages.join(","))
    }
}

/// Limits of one engine. `movetime` and `time_control` exclude each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Game clock, such as 8+0.08.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_control: Option<TimeControl>,
    /// Maximum nodes of each move (`go nodes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NonZeroU64>,
    /// Depth per move. Units: plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<NonZeroU32>,
    /// Time per move. Units: milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<NonZeroU64>,
}

impl Limits {
    /// Returns whether there is no limit.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the limits with clock and time per move multiplied by a factor, if there is one. Nodes and depth stay.
    /// Units: permille.
    pub(crate) fn scaled(self, permille: Option<u32>) -> Self {
        let Some(permille) = permille else { return self };
        let movetime = |ms: NonZeroU64| {
            NonZeroU64::new(scaled(Duration::from_millis(ms.get()), permille).as_millis() as u64)
        };
        Self {
            time_control: self.time_control.map(|control| control.scaled(permille)),
            movetime: self.movetime.and_then(movetime),
            ..self
        }
    }

    /// Returns whether time is limited.
    pub fn is_timed(&self) -> bool {
        self.time_control.is_some() || self.movetime.is_some()
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.time_control.map(|clock| clock.to_string()),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
            self.depth.map(|depth| format!("depth {depth}")),
            self.movetime.map(|time| format!("{time} ms per move")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// Variant of chess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Standard chess, castling written `e1g1`.
    #[default]
    Standard,
    /// Chess960 and double Chess960, castling written king takes own rook.
    Chess960,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_with_a_fraction_and_no_increment_get_a_notice() {
        let notice = minutes_notice("8:0.08").unwrap();
        assert!(notice.contains("(480.08 s)") && notice.ends_with("are 8+0.08"), "{notice}");
        assert!(minutes_notice("40/1:0.6").is_some());
        for text in ["8+0.08", "1:30", "1:30.5+0.1", "480.08", "8:x"] {
            assert_eq!(minutes_notice(text), None, "{text}");
        }
    }

    #[test]
    fn time_controls_round_trip() {
        for text in ["2+0.02", "40/10+0.1", "60", "0.5+0.005", "40/90", "0+0.1", "40/60+0.6, 20/30, 10+0.1"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        let long: TimeControl = "1:30+1".parse().unwrap();
        let [stage] = long.stages() else { panic!("one stage") };
        assert_eq!((stage.base, stage.increment), (Duration::from_secs(90), Duration::from_secs(1)));
        let stages: TimeControl = serde_yaml::from_str("[40/1:00, 20/30, 10]").unwrap();
        assert_eq!(stages.to_pgn(), "40/60:20/30:10");
        assert_eq!(stages.stages().len(), 3);
    }

    #[test]
    fn value_of_another_type_is_an_error_that_shows_a_time_control() {
        let error = serde_yaml::from_str::<TimeControl>("true").unwrap_err().to_string();
        assert!(error.contains("expected a time control such as 2+0.02"), "{error}");
    }

    #[test]
    fn scaled_times_are_rounded_to_milliseconds_and_never_vanish() {
        let scaled = |text: &str, permille| {
            let limits = Limits { time_control: text.parse().ok(), ..Limits::default() };
            limits.scaled(Some(permille)).to_string()
        };
        assert_eq!(scaled("8+0.08", 1237), "9.896+0.099");
        assert_eq!(scaled("40/60+0.6, 20/30, 10+0.1", 500), "40/30+0.3, 20/15, 5+0.05");
        assert_eq!(scaled("1+0.01", 10), "0.01+0.001", "an increment does not vanish");
        assert_eq!(scaled("60", 1000), "60");
        let others = Limits {
            nodes: NonZeroU64::new(500),
            depth: NonZeroU32::new(9),
            movetime: NonZeroU64::new(25),
            ..Limits::default()
        };
        assert_eq!(others.scaled(Some(1500)).to_string(), "500 nodes, depth 9, 38 ms per move");
        assert_eq!(others.scaled(None), others);
    }

    #[test]
    fn time_control_errors_show_the_invalid_token() {
        for (text, token) in [
            ("x+1", "`x`"),
            ("0/5", "`0`"),
            ("5+", "``"),
            ("0+0", "`0`"),
            ("40/0", "`0`"),
            ("-5", "`-5`"),
            ("inf", "`inf`"),
            ("5,6", "`6`"),
            ("1/1,1/1,1/1,1/1,7", "`7`"),
            ("", "``"),
            ("1/5,", "``"),
        ] {
            let message = text.parse::<TimeControl>().unwrap_err();
            assert!(message.starts_with(token), "{text}: {message}");
        }
    }
}
