//! The parameters of a tuning as lines of `OpenBench` or fishtest: reads them, and writes them with the result.
//!
//! `OpenBench` has `name, int, start, min, max, c_end, r_end`, fishtest `name,start,min,max,c_end,r_end`. `c_end` is the
//! perturbation and `r_end` the learning rate in the last iteration, as in [`Parameter`].
//!
//! Sources: `OpenBench`, `create_spsa_run` and `spsa_original_input` in `OpenBench/spsa_utils.py`; fishtest, `parse_spsa_params` in
//! `server/fishtest/spsa_workflow.py`.

use std::path::Path;

use serde_yaml::Value;

use super::gradient::{Parameter, Spsa};
use crate::config::ConfigError;
use crate::report::{BlockFormat, BlockRequest, Blocks};

/// The parameters of a file, as the configuration has them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The entries of `tune.parameters`, one for each line.
    pub(super) parameters: Vec<Value>,
    /// Fields of the configuration with their place in the file: `file:line:column`.
    pub(super) places: Vec<(String, String)>,
}

/// A word of a line and its column, counted from 1.
type Word<'a> = (usize, &'a str);

/// The words of a line: name, start, min, max, `c_end` and `r_end`.
type Fields<'a> = [Word<'a>; 6];

/// The names of the fields in a configuration.
const KEYS: [&str; 6] = ["name", "start", "min", "max", "step", "rate"];

/// Reads the lines of a file. Empty lines are skipped.
///
/// Errors: the first invalid line.
pub(super) fn read(file: &Path, text: &str) -> Result<Lines, ConfigError> {
    let (mut lines, mut names) = (Lines::default(), Vec::<String>::new());
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let fail = |(column, message): (usize, String)| {
            ConfigError::new(format_args!("{}:{}:{column}", file.display(), index + 1), message)
        };
        let fields = split(line).map_err(fail)?;
        let (column, name) = fields[0];
        if names.iter().any(|other| other.eq_ignore_ascii_case(name)) {
            return Err(fail((column, format!("duplicate parameter `{name}`"))));
        }
        let parameter = parameter(line, fields).map_err(fail)?;
        let entry = lines.parameters.len();
        lines.places.extend(KEYS.into_iter().zip(fields).map(|(key, (column, _))| {
            let place = format!("{}:{}:{column}", file.display(), index + 1);
            (format!("tune.parameters[{entry}].{key}"), place)
        }));
        lines.parameters.push(parameter);
        names.push(name.to_owned());
    }
    if lines.parameters.is_empty() {
        let message = "expected a parameter in each line: name, int, start, min, max, c_end, r_end";
        return Err(ConfigError::new(format_args!("{}:1:1", file.display()), message));
    }
    Ok(lines)
}

/// Splits a line at its commas. The blanks around a word do not belong to it.
fn words<'a>(line: &'a str) -> Vec<Word<'a>> {
    let mut column = 1;
    let word = |part: &'a str| {
        let before = part.chars().take_while(|letter| letter.is_whitespace()).count();
        let word = (column + before, part.trim());
        column += part.chars().count() + 1;
        word
    };
    line.split(',').map(word).collect()
}

/// Splits a line into its fields.
///
/// Errors: column and message.
fn split(line: &str) -> Result<Fields<'_>, (usize, String)> {
    let words = words(line);
    // A type tells a line of OpenBench from one of fishtest.
    let is_type = |(_, text): &Word<'_>| text.starts_with(|c: char| c.is_ascii_alphabetic());
    let has_type = words.len() == 7 || words.get(1).is_some_and(is_type);
    if has_type {
        check_type(words[1])?;
    }
    let name = words[0];
    let &[start, min, max, c_end, r_end] = &words[if has_type { 2 } else { 1 }..] else {
        let found = words.len();
        let expected = if has_type {
            "7 fields: name, int, start, min, max, c_end, r_end"
        } else {
            "7 fields of OpenBench (name, int, start, min, max, c_end, r_end) or 6 of fishtest (name,start,min,max,c_end,r_end)"
        };
        return Err((1, format!("expected {expected}; found {found}")));
    };
    if name.1.is_empty() {
        return Err((name.0, "expected the name of an option before the first comma".to_owned()));
    }
    Ok([name, start, min, max, c_end, r_end])
}

/// Refuses types other than `int`.
fn check_type((column, kind): Word<'_>) -> Result<(), (usize, String)> {
    match kind {
        "int" => Ok(()),
        // OpenBench sends such values as they are, without rounding, to options of type string.
        "float" => Err((
            column,
            "type float: the values of UCI options of type spin are whole numbers; let the engine declare a scaled option, such as \
             in thousandths, and write int"
                .to_owned(),
        )),
        _ => Err((column, format!("type `{kind}`: expected int"))),
    }
}

/// Returns the parameter of a line as the configuration has it.
///
/// Errors: column and message.
fn parameter(line: &str, fields: Fields<'_>) -> Result<Value, (usize, String)> {
    let [name, start, min, max, c_end, r_end] = fields;
    let (low, high) = (whole("min", min)?, whole("max", max)?);
    if low >= high {
        return Err((max.0, format!("max: {high}: expected more than min, {low}")));
    }
    let value = number("start", start)?;
    if !(low as f64..=high as f64).contains(&value) {
        return Err((start.0, format!("start: {}: expected {low} to {high}", start.1)));
    }
    let step = number("c_end", c_end)?;
    if step <= 0.0 {
        let usual = (high as f64 - low as f64) / 20.0;
        let message = format!(
            "c_end: {}: expected more than 0, the perturbation in the last iteration; a twentieth of the range is {usual}",
            c_end.1
        );
        return Err((c_end.0, message));
    }
    let rate = number("r_end", r_end)?;
    if rate <= 0.0 {
        let message = format!("r_end: {}: expected more than 0, the learning rate; 0.002 is usual", r_end.1);
        return Err((r_end.0, message));
    }
    let values = [name.1.into(), value.into(), low.into(), high.into(), step.into(), rate.into()];
    let fields = KEYS.into_iter().zip(values).chain([("line", line.trim_end().into())]);
    Ok(Value::Mapping(fields.map(|(key, value)| (key.into(), value)).collect()))
}

fn number(field: &str, (column, text): Word<'_>) -> Result<f64, (usize, String)> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| (column, format!("{field}: expected a number, found `{text}`")))
}

fn whole(field: &str, word: Word<'_>) -> Result<i64, (usize, String)> {
    /// Whole numbers up to this one are exact.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let value = number(field, word)?;
    if value.fract() != 0.0 || value.abs() > MOST {
        return Err((word.0, format!("{field}: expected a whole number, found `{}`", word.1)));
    }
    Ok(value as i64)
}

/// The lines of a tuning with its result.
#[derive(Clone, Debug)]
pub(super) struct TuneLines(Vec<(Parameter, i64)>);

impl TuneLines {
    /// Returns the lines with the current result.
    pub(super) fn of(spsa: &Spsa) -> Self {
        let values = spsa.result().into_iter().map(|value| value.round() as i64);
        // A line is kept only if the configuration has its numbers.
        let parameters = spsa.parameters.iter().cloned().map(|parameter| {
            let rate = parameter.rate.unwrap_or(spsa.config.rate);
            let numbers = [parameter.range.0 as f64, parameter.range.1 as f64, parameter.step, rate];
            let read = |line: &str| {
                split(line).ok().map(|[_, _, rest @ ..]| rest.map(|(_, text)| text.parse().ok()))
            };
            let line = parameter.line.filter(|line| read(line) == Some(numbers.map(Some)));
            Parameter { rate: Some(rate), line, ..parameter }
        });
        Self(parameters.zip(values).collect())
    }

    /// Returns the lines in the form in which they were read, by default that of `OpenBench`; with `only_changed` those of
    /// parameters whose rounded value has changed.
    pub(super) fn text(&self, only_changed: bool) -> String {
        self.written(only_changed, |parameter, value| match &parameter.line {
            Some(line) => with_start(line, value),
            None => openbench_line(parameter, value),
        })
    }

    fn written(&self, only_changed: bool, line: impl Fn(&Parameter, i64) -> String) -> String {
        let is_shown = |parameter: &Parameter, value: i64| {
            !only_changed || (parameter.start.round() - value as f64).abs() > 0.5
        };
        let shown = self.0.iter().filter(|(parameter, value)| is_shown(parameter, *value));
        shown.map(|(parameter, value)| line(parameter, *value)).collect::<Vec<_>>().join("\n")
    }

    fn has_form(&self, fields: usize) -> bool {
        self.0.iter().all(|(parameter, _)| {
            parameter.line.as_ref().is_some_and(|line| line.split(',').count() == fields)
        })
    }
}

impl Blocks for TuneLines {
    fn block(&self, request: BlockRequest<'_>) -> Result<String, String> {
        let BlockRequest { format, engines, only_changed } = request;
        if engines.is_some() {
            return Err("a tuning has one engine: leave out --engines".to_owned());
        }
        match format {
            BlockFormat::OpenBench if self.has_form(7) => Ok(self.text(only_changed)),
            BlockFormat::Fishtest if self.has_form(6) => Ok(self.text(only_changed)),
            BlockFormat::OpenBench => Ok(self.written(only_changed, openbench_line)),
            BlockFormat::Fishtest => Ok(self.written(only_changed, fishtest_line)),
            BlockFormat::Fastchess | BlockFormat::Markdown => Err(format!(
                "{} has no form for the parameters of a tuning: choose openbench or fishtest",
                format.title()
            )),
        }
    }
}

/// Replaces the start value of a line. It has a decimal if the one before had one.
fn with_start(line: &str, value: i64) -> String {
    let parts: Vec<&str> = line.split(',').collect();
    let place = if parts.len() == 7 { 2 } else { 1 };
    let part = |(index, part): (usize, &&str)| {
        if index != place {
            return (*part).to_owned();
        }
        let word = part.trim();
        let value = if word.contains('.') { format!("{value}.0") } else { value.to_string() };
        part.replacen(word, &value, 1)
    };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join(",")
}

/// Returns a line with numbers as `OpenBench` prints them.
pub(super) fn openbench_line(parameter: &Parameter, value: i64) -> String {
    let Parameter { name, range: (min, max), step, rate, .. } = parameter;
    let rate = rate.unwrap_or_default();
    format!("{name}, int, {value}.0, {min}.0, {max}.0, {step:?}, {rate:?}")
}

fn fishtest_line(parameter: &Parameter, value: i64) -> String {
    let Parameter { name, range: (min, max), step, rate, .. } = parameter;
    format!("{name},{value},{min},{max},{step},{}", rate.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str) -> String {
        read(Path::new("spsa.txt"), line).unwrap_err().to_string()
    }

    #[test]
    fn invalid_lines_have_their_place_and_a_remedy() {
        for (line, expected) in [
            (
                "A, int, 5, 0, 10, 1",
                "1:1: expected 7 fields: name, int, start, min, max, c_end, r_end; found 6",
            ),
            (
                "\nA,5,0,10,1",
                "2:1: expected 7 fields of OpenBench (name, int, start, min, max, c_end, r_end) or 6 of fishtest (name,start,min,max,c_end,r_end); found 5",
            ),
            (
                "A",
                "1:1: expected 7 fields of OpenBench (name, int, start, min, max, c_end, r_end) or 6 of fishtest (name,start,min,max,c_end,r_end); found 1",
            ),
            (
                "A, int, 5, 0, 10, 1, 0.002, 3",
                "1:1: expected 7 fields: name, int, start, min, max, c_end, r_end; found 8",
            ),
            (", int, 5, 0, 10, 1, 0.002", "1:1: expected the name of an option before the first comma"),
            ("A, integer, 5, 0, 10, 1, 0.002", "1:4: type `integer`: expected int"),
            ("A, 1, 5, 0, 10, 1, 0.002", "1:4: type `1`: expected int"),
            (
                "A, float, 0.5, 0, 1, 0.1, 0.002",
                "1:4: type float: the values of UCI options of type spin are whole numbers; let the engine declare a scaled option, such as in thousandths, and write int",
            ),
            ("A, int, five, 0, 10, 1, 0.002", "1:9: start: expected a number, found `five`"),
            ("A, int, 5, 0.5, 10, 1, 0.002", "1:12: min: expected a whole number, found `0.5`"),
            ("A, int, 5, 0, inf, 1, 0.002", "1:15: max: expected a number, found `inf`"),
            ("A, int, 5, 10, 10, 1, 0.002", "1:16: max: 10: expected more than min, 10"),
            ("A, int, 11, 0, 10, 1, 0.002", "1:9: start: 11: expected 0 to 10"),
            (
                "A,5,0,10,0,0.002",
                "1:10: c_end: 0: expected more than 0, the perturbation in the last iteration; a twentieth of the range is 0.5",
            ),
            (
                "A, int, 5, 0, 10, 1, 0",
                "1:22: r_end: 0: expected more than 0, the learning rate; 0.002 is usual",
            ),
            ("A, int, 5, 0, 10, 1, 0.002\na,5,0,10,1,0.002", "2:1: duplicate parameter `a`"),
            (" \n", "1:1: expected a parameter in each line: name, int, start, min, max, c_end, r_end"),
        ] {
            assert_eq!(error(line), format!("spsa.txt:{expected}"), "{line}");
        }
    }

    #[test]
    fn lines_become_parameters_with_their_places() {
        let lines =
            read(Path::new("a.txt"), "Lmr Base, int, 40.0, -5.0, 90.0, 2.5, 0.002\r\n\nB,7,0,9,1,0.0040\n");
        let lines = lines.unwrap();
        let expected = "- name: Lmr Base\n  start: 40.0\n  min: -5\n  max: 90\n  step: 2.5\n  rate: 0.002\n  \
                        line: Lmr Base, int, 40.0, -5.0, 90.0, 2.5, 0.002\n\
                        - name: B\n  start: 7.0\n  min: 0\n  max: 9\n  step: 1.0\n  rate: 0.004\n  line: B,7,0,9,1,0.0040\n";
        assert_eq!(serde_yaml::to_string(&lines.parameters).unwrap(), expected);
        let place = |field: &str| lines.places.iter().find(|(known, _)| known == field).unwrap().1.clone();
        assert_eq!(place("tune.parameters[0].step"), "a.txt:1:34");
        assert_eq!(place("tune.parameters[1].max"), "a.txt:3:7");
    }

    #[test]
    fn result_is_written_in_the_form_of_each_line() {
        let parameter = |name: &str, start: f64, line: Option<&str>| Parameter {
            name: name.to_owned(),
            start,
            range: (-5, 90),
            step: 2.5,
            rate: line.map(|_| 0.004),
            line: line.map(str::to_owned),
        };
        let parameters = vec![
            parameter("A", 40.0, Some("A, int, 40, -5, 90, 2.5, 0.0040")),
            parameter("B", 7.0, Some("B , int , 7.0 , -5.0, 90, 2.5, 0.0040")),
            parameter("C", 1.0, Some("C,1,-5,90,2.5,0.0040")),
            parameter("D", 5.0, None),
        ];
        let config = serde_yaml::from_str("{ parameters: [], iterations: 1 }").unwrap();
        let mut spsa = Spsa::new(&config, parameters, 0);
        spsa.path.push(vec![43.4, -2.6, 1.4, 5.6]);
        let lines = TuneLines::of(&spsa);
        let expected = "A, int, 43, -5, 90, 2.5, 0.0040\nB , int , -3.0 , -5.0, 90, 2.5, 0.0040\nC,1,-5,90,2.5,0.0040\n\
                        D, int, 6.0, -5.0, 90.0, 2.5, 0.002";
        assert_eq!(lines.text(false), expected);
        let changed = expected.replace("C,1,-5,90,2.5,0.0040\n", "");
        assert_eq!(lines.text(true), changed);
        let block = |format| lines.block(BlockRequest { only_changed: true, ..BlockRequest::of(format) });
        let expected = "A, int, 43.0, -5.0, 90.0, 2.5, 0.004\nB, int, -3.0, -5.0, 90.0, 2.5, 0.004\nD, int, 6.0, -5.0, 90.0, 2.5, 0.002";
        assert_eq!(block(BlockFormat::OpenBench).unwrap(), expected);
        let expected = "A,43,-5,90,2.5,0.004\nB,-3,-5,90,2.5,0.004\nD,6,-5,90,2.5,0.002";
        assert_eq!(block(BlockFormat::Fishtest).unwrap(), expected);
        spsa.config.rate = 0.5;
        spsa.parameters[2].step = 8.0;
        let changed = TuneLines::of(&spsa).text(false);
        let expected = "\nC, int, 1.0, -5.0, 90.0, 8.0, 0.004\nD, int, 6.0, -5.0, 90.0, 2.5, 0.5";
        assert!(changed.ends_with(expected), "the file has other numbers: {changed}");
        let error = block(BlockFormat::Fastchess).unwrap_err();
        assert!(error.ends_with("choose openbench or fishtest"), "{error}");
    }
}
