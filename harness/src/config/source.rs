//! A configuration text, its value, and the errors that point into it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_yaml::Value;
use thiserror::Error;

use super::absolute::make_paths_absolute;
use super::command::Names;
use super::locate::{FieldPath, Target};
use super::overrides::Assignment;
use crate::base::system::files::repeated;
use crate::base::wording::{parser_message, similar};

/// Shown as the location of a text made from command-line arguments, and in place of its file.
pub const COMMAND_LINE: &str = "the command line";

/// The reason why a configuration is invalid.
#[derive(Debug, Error)]
#[error("{place}: {path}{}{message}", if path.is_empty() { "" } else { ": " })]
pub struct ConfigError {
    /// The file with line and column of the field, or the argument that sets it, such as `--set sprt.elo1=x`.
    pub(crate) place: String,
    /// Path such as `engines[0].options.Hash`; empty if the message has it, or without a field.
    pub(crate) path: String,
    /// The value found and the value expected.
    pub(crate) message: String,
}

impl ConfigError {
    /// Returns an error without the path of a field.
    pub(crate) fn new(place: impl Display, message: impl Display) -> Self {
        Self { place: place.to_string(), path: String::new(), message: message.to_string() }
    }
}

/// A problem with one field, before file and line are known.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}{}{message}", if path.0.is_empty() { "" } else { ": " })]
pub struct Problem {
    /// Path of the invalid field.
    pub path: FieldPath,
    /// The value found and the value expected.
    pub message: String,
}

impl Problem {
    /// Returns a problem with the field at `path`.
    pub fn new(path: FieldPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into() }
    }
}

impl FieldPath {
    /// Returns the error that this field has an invalid value.
    pub fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Problem> {
        Err(Problem::new(self.clone(), message))
    }

    /// Refuses the value of this field with a message unless `holds`.
    pub fn require(&self, holds: bool, message: impl Display) -> Result<(), Problem> {
        if holds { Ok(()) } else { self.refuse(message.to_string()) }
    }
}

/// A field that a command-line argument sets.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// The path of the field, such as `sprt.elo1`.
    pub(crate) field: String,
    /// The argument as typed, such as `--set sprt.elo1=5`.
    pub(crate) text: String,
}

/// The text of a configuration, kept to report the line of later errors.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file it was read from.
    pub file: PathBuf,
    /// The text, with overrides applied.
    document: Document,
    /// Text of the file before overrides changed it; errors report its lines.
    original: Option<Document>,
    /// The fields that come from the command line.
    arguments: Vec<Argument>,
    /// Whether the whole text was made from command-line arguments.
    is_made: bool,
    /// Whether the engines and files that it names must exist.
    must_exist: bool,
}

impl Source {
    /// Returns the text of a file, without a byte order mark.
    pub fn new(file: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            document: Document::new(text.into()),
            original: None,
            arguments: Vec::new(),
            is_made: false,
            must_exist: true,
        }
    }

    /// Returns the text, with overrides applied.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// Returns the value of the text.
    ///
    /// Errors: the text is not YAML.
    pub(crate) fn value(&self) -> Result<&Value, ConfigError> {
        self.document.value().map_err(|error| self.refuse(&error))
    }

    /// Returns a text made from command-line arguments. Relative names start from the working
    /// directory.
    pub(crate) fn made(text: String, arguments: Vec<Argument>) -> Self {
        Self { arguments, is_made: true, ..Self::new(COMMAND_LINE, text) }
    }

    /// Reads a configuration file.
    pub fn read(file: &Path) -> Result<Self, ConfigError> {
        match std::fs::read_to_string(file) {
            Ok(text) => Ok(Self::new(file, text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let tried = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
                let message = format_args!("no such file (tried {})", tried.display());
                Err(ConfigError::new(file.display(), message))
            }
            Err(error) => Err(ConfigError::new(file.display(), format_args!("cannot read it: {error}"))),
        }
    }

    /// Returns the text for a check of its fields only: the engines and files that it names may be
    /// absent.
    pub(crate) fn without_files(self) -> Self {
        Self { must_exist: false, ..self }
    }

    /// Applies `--set FIELD=VALUE` arguments, and then makes the relative paths of a text made from arguments absolute, because
    /// the run folder keeps it. [`Source::text`] is serialized again if anything may change.
    ///
    /// Errors: an argument that is no assignment, or whose field cannot be reached.
    pub fn with_overrides(mut self, overrides: &[String]) -> Result<Self, ConfigError> {
        if overrides.is_empty() && !self.is_made {
            return Ok(self);
        }
        let mut value = self.value()?.clone();
        for text in overrides {
            let argument = format!("--set {text}");
            let refused = |message: String| ConfigError::new(&argument, message);
            let field = Assignment::parse(text).map_err(refused)?.apply(&mut value).map_err(refused)?;
            self.arguments.push(Argument { field, text: argument });
        }
        if self.is_made {
            make_paths_absolute(&mut value);
        }
        self.replace(value)?;
        Ok(self)
    }

    /// Returns the `--set` arguments applied, as typed: `nodes=5000`.
    pub(crate) fn overrides(&self) -> Vec<String> {
        let values = self.arguments.iter().filter_map(|argument| argument.text.strip_prefix("--set "));
        values.map(str::to_owned).collect()
    }

    /// Sets fields whose values the harness found itself. [`Source::text`] is serialized again.
    ///
    /// Errors: a field cannot be reached.
    pub(crate) fn with_values(mut self, values: Vec<Assignment>) -> Result<Self, ConfigError> {
        let mut value = self.value()?.clone();
        for assignment in values {
            let refused = |message: String| ConfigError::new(self.file.display(), message);
            assignment.apply(&mut value).map_err(refused)?;
        }
        self.replace(value)?;
        Ok(self)
    }

    /// Replaces the text by that of a changed value.
    fn replace(&mut self, value: Value) -> Result<(), ConfigError> {
        let changed = self.document.with_value(value);
        let changed = changed.map_err(|error| ConfigError::new("--set", error))?;
        let written = std::mem::replace(&mut self.document, changed);
        self.original.get_or_insert(written);
        Ok(())
    }

    /// Returns the folder that relative names in the file start from.
    pub fn dir(&self) -> &Path {
        self.file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Returns the paths of the engines and files that it names.
    pub fn names(&self) -> Names<'_> {
        Names { dir: self.dir(), must_exist: self.must_exist }
    }

    /// Returns the paths of the files in the list `list`.
    ///
    /// Errors: no file, one that is missing, or one that is given twice.
    pub fn files(&self, list: &FieldPath, names: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
        if names.is_empty() {
            return Err(Problem::new(list.clone(), "expected at least one file"));
        }
        let find = |(index, name): (usize, &PathBuf)| {
            self.names().file(name).map_err(|text| Problem::new(list.index(index), text))
        };
        let files = names.iter().enumerate().map(find).collect::<Result<Vec<_>, _>>()?;
        match repeated(&files) {
            Some(index) => Err(Problem::new(list.index(index), "this file is given twice")),
            None => Ok(files),
        }
    }

    /// Parses the text into its raw form.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.document.read().map_err(|error| self.refuse(&error))
    }

    /// Places an error of the parser.
    fn refuse(&self, error: &serde_yaml::Error) -> ConfigError {
        let text = error.to_string();
        // The parser appends the location, which the error has already.
        let message = text.split(" at line ").next().unwrap_or(&text);
        // The words of the parser for a value, where those for a struct are the others.
        let message = &match message.split_once("duplicate entry with key ") {
            Some((path, key)) => format!("{path}duplicate field `{}`", key.trim_matches('"')),
            None => message.to_owned(),
        };
        let field = field_of(message);
        // Overrides move lines: the field is located in the original file.
        let path = FieldPath::parse(&field);
        let place = match &self.original {
            _ if message.contains("duplicate field `") => self.document.place(&path, Target::Repeated),
            Some(original) if message.contains("unknown field `") => original.place(&path, Target::Key),
            Some(original) => original.place(&path, Target::Value),
            None => error.location().map_or((1, 1), |at| (at.line(), at.column())),
        };
        self.error(&field, place, String::new(), parser_message(&with_suggestion(message)))
    }

    /// Adds file and line to a problem.
    pub fn complain(&self, problem: Problem) -> ConfigError {
        let place = self.original.as_ref().unwrap_or(&self.document).place(&problem.path, Target::Value);
        let path = problem.path.to_string();
        self.error(&path, place, path.clone(), problem.message)
    }

    /// Returns the error at `field`, located at the argument that sets it or in the file.
    fn error(
        &self,
        field: &str,
        (line, column): (usize, usize),
        path: String,
        message: String,
    ) -> ConfigError {
        // The most specific argument, and the last of several, which takes precedence.
        let is_unknown = message.contains("unknown field `");
        let sets = |set: &str| is_within(field, set) || is_unknown && is_within(set, field);
        let arguments = self.arguments.iter().filter(|argument| sets(&argument.field));
        let argument = arguments.max_by_key(|argument| argument.field.len());
        let place = match argument {
            Some(argument) => argument.text.clone(),
            None if self.is_made => COMMAND_LINE.to_owned(),
            None => format!("{}:{line}:{column}", self.file.display()),
        };
        ConfigError { place, path, message }
    }
}

/// Returns whether `field` is `outer` or a part of it.
fn is_within(field: &str, outer: &str) -> bool {
    field.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Returns the field of a parser's message: `sprt.elo9` for ``sprt: unknown field `elo9`, expected
/// …``.
fn field_of(message: &str) -> String {
    let is_path = |text: &&str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '`');
    let path = message.split_once(": ").map(|(path, _)| path).filter(is_path).unwrap_or_default();
    let rest = if path.is_empty() { message } else { &message[path.len() + 2..] };
    let starts = ["unknown field `", "missing field `", "duplicate field `"];
    let key = starts.iter().find_map(|start| rest.strip_prefix(start));
    match key.and_then(|key| key.split_once('`')) {
        Some((key, _)) if path.is_empty() => key.to_owned(),
        Some((key, _)) => format!("{path}.{key}"),
        None => path.to_owned(),
    }
}

/// Replaces the list of valid names by the most similar one, if one is similar enough.
fn with_suggestion(message: &str) -> String {
    let whole = || message.to_owned();
    let Some((start, names)) = message.split_once("`, expected ") else { return whole() };
    let Some((what, written)) = start.rsplit_once('`') else { return whole() };
    if !what.ends_with("unknown field ") && !what.ends_with("unknown variant ") {
        return whole();
    }
    let best = similar(written, names.split('`').skip(1).step_by(2));
    best.map_or_else(whole, |name| format!("{start}`, did you mean `{name}`?"))
}

/// Some editors on Windows begin a file with it. The parser would take it for a document of its own.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A YAML text. All who look at single fields share one parsed value.
///
/// A value has no places. The text is read once more into the struct of its kind, so that errors have line and column.
#[derive(Clone, Debug)]
pub(super) struct Document {
    text: String,
    value: OnceLock<Value>,
}

impl Document {
    /// Returns the document of a text, without a byte order mark.
    pub(super) fn new(mut text: String) -> Self {
        if text.starts_with(BYTE_ORDER_MARK) {
            text.remove(0);
        }
        Self { text, value: OnceLock::new() }
    }

    /// Returns the document with another value. The comment at the head of the text stays, which often explains it.
    ///
    /// Errors: the value cannot be written as YAML.
    pub(super) fn with_value(&self, value: Value) -> Result<Self, serde_yaml::Error> {
        let head = self.text.lines().take_while(|line| line.starts_with('#'));
        let head: String = head.flat_map(|line| [line, "\n"]).collect();
        Ok(Self { text: head + &serde_yaml::to_string(&value)?, value: value.into() })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value, which is parsed at the first call.
    ///
    /// Errors: the text is not YAML.
    pub(super) fn value(&self) -> Result<&Value, serde_yaml::Error> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = self.read()?;
        Ok(self.value.get_or_init(|| value))
    }

    /// Reads the text into a struct.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, serde_yaml::Error> {
        serde_yaml::from_str(&self.text)
    }

    /// Returns line and column of a part of a field, or of the nearest enclosing field. Counted from 1.
    pub(super) fn place(&self, path: &FieldPath, target: Target) -> (usize, usize) {
        path.locate(&self.text, target).unwrap_or((1, 1))
    }
}

/// Returns a configuration in a folder of its own with these empty files.
#[cfg(test)]
pub(crate) fn source_beside(text: &str, files: &[&str]) -> (tempfile::TempDir, Source) {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        std::fs::write(dir.path().join(file), "").unwrap();
    }
    let source = Source::new(dir.path().join("test.yaml"), text);
    (dir, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the parser's errors are looked at")]
    struct Outer {
        nodes: Option<u64>,
        inner: Option<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only the parser's errors are looked at")]
    struct Inner {
        elo0: f64,
        model: Option<Model>,
    }

    #[test]
    fn field_of_a_message_is_its_path_and_the_field_that_it_names() {
        for (message, field) in [
            ("sprt: unknown field `elo9`, expected one of `elo0`, `elo1`", "sprt.elo9"),
            ("engines[1]: missing field `command`", "engines[1].command"),
            ("unknown field `nodse`", "nodse"),
            ("sprt.alpha: invalid type: string, expected f64", "sprt.alpha"),
            ("invalid type: sequence, expected a map", ""),
            (": unknown field `x`", ""),
        ] {
            assert_eq!(field_of(message), field, "{message}");
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Model {
        Logistic,
        Normalized,
    }

    fn error(text: &str, overrides: &[&str]) -> String {
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        let source = Source::new("a.yaml", text).with_overrides(&overrides);
        source.and_then(|source| source.parse::<Outer>()).unwrap_err().to_string()
    }

    #[test]
    fn misspelt_names_get_a_suggestion_with_their_line() {
        assert_eq!(
            error("# head\nnoeds: 5\n", &[]),
            "a.yaml:2:1: unknown field `noeds`, did you mean `nodes`?"
        );
        assert_eq!(
            error("inner:\n  elo: 1\n", &[]),
            "a.yaml:2:3: inner: unknown field `elo`, did you mean `elo0`?"
        );
        assert_eq!(
            error("inner: { elo0: 1, model: normalised }\n", &[]),
            "a.yaml:1:26: inner.model: unknown value `normalised`, did you mean `normalized`?"
        );
        assert_eq!(error("zzz: 1\n", &[]), "a.yaml:1:1: unknown field `zzz`, expected `nodes` or `inner`");
    }

    #[test]
    fn field_given_twice_is_reported_at_its_second_line() {
        assert_eq!(
            error("nodes: 5\ninner: { elo0: 1 }\nnodes: 6\n", &[]),
            "a.yaml:3:1: duplicate field `nodes`"
        );
        assert_eq!(
            error("nodes: 5\ninner:\n  elo0: 1\n  elo0: 2\n", &[]),
            "a.yaml:4:3: inner: duplicate field `elo0`"
        );
        assert_eq!(error("nodes: 5\nnodes: 6\n", &["inner.elo0=1"]), "a.yaml:2:1: duplicate field `nodes`");
    }

    #[test]
    fn errors_show_the_override_or_the_line_of_the_file() {
        assert_eq!(
            error("nodes: 5\n", &["inner.elo=1"]),
            "--set inner.elo=1: inner: unknown field `elo`, did you mean `elo0`?"
        );
        assert_eq!(
            error("nodes: 5\n", &["iner.elo0=1"]),
            "--set iner.elo0=1: unknown field `iner`, did you mean `inner`?"
        );
        assert_eq!(
            error("nodes: 5\n", &["nodes=x"]),
            "--set nodes=x: nodes: expected a whole number of at least 0, found \"x\""
        );
        assert_eq!(
            error("# one\n# two\ninner: { elo: 1 }\n", &["nodes=7"]),
            "a.yaml:3:10: inner: unknown field `elo`, did you mean `elo0`?"
        );
        assert_eq!(error("nodes: 5\n", &["nodes"]), "--set nodes: expected FIELD=VALUE");
        assert_eq!(
            error("nodes: 5\n", &["nodes.x=1"]),
            "--set nodes.x=1: `nodes` has no fields, so `nodes.x` cannot be set"
        );
    }

    #[test]
    fn overrides_change_the_stored_text() {
        let overrides = ["nodes=7".to_owned(), "inner.elo0=2.5".to_owned()];
        let source = Source::new("a.yaml", "# head\nnodes: 5\n").with_overrides(&overrides).unwrap();
        assert_eq!(source.text(), "# head\nnodes: 7\ninner:\n  elo0: 2.5\n");
        let problem = Problem::new(FieldPath::root().key("inner").key("elo0"), "too small");
        assert_eq!(source.complain(problem).to_string(), "--set inner.elo0=2.5: inner.elo0: too small");
    }

    #[test]
    fn byte_order_mark_is_no_part_of_the_text() {
        let text = "nodes: 5\ninner: { elo0: 1 }\n";
        let document = Document::new(format!("\u{feff}{text}"));
        assert_eq!(document.text(), text);
        assert_eq!(document.value().unwrap(), Document::new(text.to_owned()).value().unwrap());
    }

    #[test]
    fn changed_value_is_that_of_the_new_text() {
        let document = Document::new("# head\nnodes: 5 # few\n".to_owned());
        let changed = document.with_value(serde_yaml::from_str("{ nodes: 7, name: '7' }").unwrap()).unwrap();
        assert_eq!(changed.text(), "# head\nnodes: 7\nname: '7'\n");
        assert_eq!(changed.value().unwrap(), &changed.read::<Value>().unwrap());
        assert_eq!(changed.place(&FieldPath::parse("name"), Target::Value), (3, 7));
        assert_eq!(changed.place(&FieldPath::parse("name"), Target::Key), (3, 1));
    }
}
