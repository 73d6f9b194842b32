//! The outputs of a match: its games in the run folder, and besides the folder files of games and final positions and the output
//! that scripts parse.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::MatchConfig;
use super::config::OutputConfig;
use crate::base::errors::FileResult;
use crate::base::system::files::file_name;
use crate::config::{ConfigError, FieldPath, Limits, Problem, Source};
use crate::play::block;
use crate::play::block::score::Score;
use crate::play::block::setup::{EngineSetup, all_sizes};
use crate::play::fastchess::{Format, Printer};
use crate::play::pgn::PgnContext;
use crate::play::record::GameRecord;
use crate::pool::Trial;
use crate::report::BlockFormat;
use crate::run::command::print;
use crate::run::executor::CompanionFiles;
use crate::run::session::folder_name;
use crate::run::{AtomicFile, RunFolder};
use stretto_stats::bounds::Verdict;
use stretto_stats::summary::SprtState;

/// The beginning of a game in PGN.
const EVENT: &str = "[Event ";

/// A file besides the run folder, opened to append.
#[derive(Debug)]
pub(super) struct OutputSink {
    path: PathBuf,
    file: File,
    append: bool,
    /// Line ends before a further text: a game in PGN follows a blank line.
    breaks: usize,
}

impl OutputSink {
    fn open(key: &str, path: &Path, append: bool, source: &Source) -> Result<Self, ConfigError> {
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(|error| {
            source.complain(problem(key, format!("cannot write {}: {error}", path.display())))
        })?;
        Ok(Self { path: path.to_owned(), file, append, breaks: if key == "pgn" { 2 } else { 1 } })
    }

    /// Ends the last line of a file that was written before, so that the next text does not continue it.
    fn end_line(&self) -> anyhow::Result<()> {
        if !self.path.is_file() {
            return Ok(());
        }
        let end = self.end(4).or_cannot("read", &self.path)?;
        let breaks = end.iter().rev().take_while(|byte| byte.is_ascii_whitespace());
        let missing = self.breaks.saturating_sub(breaks.filter(|&&byte| byte == b'\n').count());
        if end.is_empty() { Ok(()) } else { self.write(&"\n".repeat(missing)) }
    }

    /// Returns the last bytes of the file, at most `most`.
    fn end(&self, most: usize) -> io::Result<Vec<u8>> {
        let (mut file, mut end) = (File::open(&self.path)?, Vec::new());
        file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(most as u64)))?;
        file.read_to_end(&mut end).map(|_| end)
    }

    /// Appends a text. If only a part can be written, it is cut off again.
    pub(super) fn write(&self, text: &str) -> anyhow::Result<()> {
        let size = self.file.metadata().map(|file| file.len());
        let written = (&self.file).write_all(text.as_bytes());
        if written.is_err() {
            let _ = size.and_then(|size| self.cut(size));
        }
        written.or_cannot("write", &self.path)
    }

    /// Appends the text of the journal's last game where the session before ended between the two, or within the text.
    /// An empty file was moved away, unless this is the journal's only game. `before` is the text of the games before it:
    /// final positions have no date, and another run may have ended in the same one.
    fn complete(&self, text: &str, is_only: bool, before: &str) -> anyhow::Result<()> {
        let found = fs::metadata(&self.path).ok().filter(|found| found.is_file() && !text.is_empty());
        let Some(size) = found.map(|found| found.len()).filter(|&size| size > 0 || is_only) else {
            return Ok(());
        };
        // The event is the name of the folder, which may have had another one.
        let (event, rest) = text.split_at(text.find('\n').filter(|_| text.starts_with(EVENT)).unwrap_or(0));
        let missing = if event.is_empty() {
            self.lacks_position(rest, before).map(|lacks| lacks.then(String::new))
        } else {
            File::open(&self.path).and_then(|file| missing_event(BufReader::new(file), event, rest))
        };
        let Some(event) = missing.or_cannot("read", &self.path)? else { return Ok(()) };
        let written = event + rest;
        let end = self.end(written.len()).or_cannot("read", &self.path)?;
        let torn = (1..written.len()).rev().find(|&part| end.ends_with(&written.as_bytes()[..part]));
        self.cut(size - torn.unwrap_or(0) as u64).or_cannot("read", &self.path)?;
        self.write(text)
    }

    /// Whether a file of positions lacks the line of the journal's last game.
    fn lacks_position(&self, last: &str, before: &str) -> io::Result<bool> {
        let plain = String::from_utf8_lossy(&fs::read(&self.path)?).replace('\r', "");
        if before.is_empty() || !plain.contains(before) {
            return Ok(!plain.trim_end().ends_with(last.trim_end()));
        }
        Ok(plain.matches(before).count() != plain.matches(&format!("{before}{last}")).count())
    }

    /// Shortens the file: by its name, because Windows does not truncate a file that is open to append.
    fn cut(&self, size: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(&self.path)?.set_len(size)
    }
}

/// Returns the last event of a PGN file, or `event` if it has none; `None` if it has the game whose lines after the event are
/// `rest`. Files have gigabytes, and other runs may have gone on since, so all lines are read, one at a time.
fn missing_event(mut file: impl BufRead, event: &str, rest: &str) -> io::Result<Option<String>> {
    // Version 0.2.0 did not write the names and authors that engines give, and its last game must be recognized.
    let is_name = |line: &&[u8]| line.starts_with(b"[Engine");
    let game: Vec<&[u8]> = rest.lines().skip(1).map(str::as_bytes).filter(|line| !is_name(line)).collect();
    let (mut last, mut line, mut same) = (event.to_owned(), Vec::new(), None);
    while file.read_until(b'\n', &mut line)? > 0 {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.starts_with(EVENT.as_bytes()) {
            last = String::from_utf8_lossy(text).into_owned();
            same = Some(0);
        } else if !is_name(&text) {
            same = same.filter(|&number| game.get(number) == Some(&text)).map(|number| number + 1);
        }
        if same == Some(game.len()) {
            return Ok(None);
        }
        line.clear();
    }
    Ok(Some(last))
}

fn problem(key: &str, message: String) -> Problem {
    Problem::new(FieldPath::root().key("output").key(key).key("file"), message)
}

/// Rejects an output that is the file of the openings or another output.
fn check_paths(output: &OutputConfig, config: &MatchConfig, source: &Source) -> Result<(), ConfigError> {
    // The file may not exist yet, but its folder does.
    let full = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
    };
    let mut taken = vec![("openings.file".to_owned(), full(&config.openings.file))];
    for (key, path, _) in output.files() {
        let here = full(path);
        if let Some((other, _)) = taken.iter().find(|(_, taken)| here.is_some() && *taken == here) {
            let message = format!("{} is {other} too: choose another file", path.display());
            return Err(source.complain(problem(key, message)));
        }
        taken.push((format!("output.{key}.file"), here));
    }
    Ok(())
}

/// The outputs of a run besides its folder.
#[derive(Debug, Default)]
pub struct Outputs {
    printer: Option<Mutex<Printer>>,
    pub(super) pgn: Option<OutputSink>,
    pub(super) epd: Option<OutputSink>,
    log: Option<OutputSink>,
    logs_engines: bool,
    /// Form in which the result is printed at the end of the run.
    pub(super) block: Option<BlockFormat>,
    begun: Option<Instant>,
}

impl Outputs {
    /// Opens the files, which keeps their content. `trials` have the options of the engines.
    ///
    /// Errors: a file cannot be written.
    pub(super) fn open(
        output: &OutputConfig,
        config: &MatchConfig,
        trials: &[Trial],
        source: &Source,
    ) -> Result<Self, ConfigError> {
        check_paths(output, config, source)?;
        let reason = |format| block::obstacle(format, config.engines.len(), config.sprt.as_ref(), false);
        if let Some(reason) = output.block.and_then(reason) {
            return Err(source.complain(Problem::new(FieldPath::root().key("output").key("block"), reason)));
        }
        let open = |key: &str| {
            let file = output.files().find(|(known, ..)| *known == key);
            file.map(|(key, path, append)| OutputSink::open(key, path, append, source)).transpose()
        };
        let printer = output.format.map(|Format::Fastchess| {
            let names = config.engines.iter().map(|engine| engine.name.clone()).collect();
            let mut printer = Printer::new(names, config.pairings.clone());
            printer.rating_interval = output.rating_interval;
            printer.conditions = conditions(config, trials);
            printer.most_games = config.max_pairs().map(|pairs| 2 * pairs);
            Mutex::new(printer)
        });
        Ok(Self {
            printer,
            pgn: open("pgn")?,
            epd: open("epd")?,
            log: open("log")?,
            logs_engines: output.log.as_ref().is_some_and(|log| log.engines),
            block: output.block,
            begun: None,
        })
    }

    /// Empties the files that do not keep their content, unless the run is resumed.
    pub(super) fn begin(&mut self, is_resumed: bool) -> anyhow::Result<()> {
        self.begun = Some(Instant::now());
        for sink in [&self.pgn, &self.epd, &self.log].into_iter().flatten() {
            if !is_resumed && !sink.append {
                sink.cut(0).or_cannot("write", &sink.path)?;
            }
        }
        self.log.as_ref().map_or(Ok(()), OutputSink::end_line)
    }

    /// Whether the output of a tournament manager goes to standard output.
    pub(super) fn prints(&self) -> bool {
        self.printer.is_some()
    }

    /// Returns the file that receives the dialogues of the engines, if there is one.
    pub(super) fn engine_log(&self) -> Option<PathBuf> {
        self.log.as_ref().filter(|_| self.logs_engines).map(|log| log.path.clone())
    }

    /// Appends a line to the log. A log that cannot be written does not stop the run.
    pub(super) fn log(&self, text: &str) {
        if let Some(log) = &self.log {
            let seconds = self.begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
            let _ = log.write(&format!("[INFO  ] [{seconds:>15.6}] harness --- {text}\n"));
        }
    }

    /// Prints a text of the printer, if there is one.
    fn print_with(&self, text: impl FnOnce(&mut Printer) -> String) {
        if let Some(printer) = &self.printer {
            // The lock is kept while printing, so that the lines of workers do not mix.
            let mut printer = printer.lock().unwrap_or_else(PoisonError::into_inner);
            print(&text(&mut printer));
        }
    }

    /// Prints the start of a game between these engines, White first.
    pub(super) fn game_started(&self, game: u64, engines: [usize; 2]) {
        self.print_with(|printer| printer.started(game, engines));
    }

    /// Counts a game; `scores` and `test` are those after it.
    pub(super) fn count(
        &self,
        game: &GameRecord,
        scores: Vec<Score>,
        test: Option<(SprtState, Option<Verdict>)>,
    ) {
        self.print_with(|printer| {
            printer.count(game, scores, test);
            String::new()
        });
    }

    /// Prints the end of the game that was counted last.
    pub(super) fn game_finished(&self, game: &GameRecord) {
        self.print_with(|printer| printer.finished(game));
    }

    /// Prints the end of the run.
    pub(super) fn run_ended(&self) {
        if let Some(begun) = self.begun {
            self.print_with(|printer| printer.ended(begun.elapsed()));
        }
    }
}

/// Returns time control, threads, hash and book of the first two engines, as fastchess writes them.
fn conditions(config: &MatchConfig, trials: &[Trial]) -> String {
    let engines = EngineSetup::of(&config.engines, &all_sizes(&config.engines, trials));
    let [first, second, ..] = &engines[..] else { return String::new() };
    block::fastchess::conditions(first, second, &file_name(&config.openings.file))
}

/// One file: under construction while the journal is replayed, then appended to.
#[derive(Debug)]
struct Export {
    path: PathBuf,
    new: Option<AtomicFile>,
    file: Option<File>,
}

impl Export {
    fn begin(path: PathBuf) -> anyhow::Result<Self> {
        let new = AtomicFile::create(&path).or_cannot("write", &path)?;
        Ok(Self { path, new: Some(new), file: None })
    }

    /// Puts the new file in the place of the old one, and goes on with it.
    fn follow(&mut self) -> anyhow::Result<()> {
        let commit = self.new.take().map_or(Ok(()), AtomicFile::commit);
        let opened = commit.and_then(|()| OpenOptions::new().append(true).open(&self.path));
        self.file = Some(opened.or_cannot("write", &self.path)?);
        Ok(())
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        let written = match (&mut self.new, &mut self.file) {
            (Some(new), _) => new.write_all(text.as_bytes()),
            (None, Some(file)) => file.write_all(text.as_bytes()),
            (None, None) => Ok(()),
        };
        written.or_cannot("write", &self.path)
    }
}

/// The exports of a match.
#[derive(Debug)]
pub(crate) struct GameExports {
    context: PgnContext,
    pgn: Export,
    /// Further files, which receive the games of this session.
    outputs: Option<Arc<Outputs>>,
    /// The last game of the journal and its final position, as they are written.
    last: [String; 2],
    /// The final positions before it, back to one that differs.
    before: String,
    /// Number of games written so far.
    games: u64,
}

impl GameExports {
    /// Begins new files in `folder`.
    pub(super) fn begin(
        config: &MatchConfig,
        folder: &RunFolder,
        ids: Vec<(String, String)>,
        outputs: Option<Arc<Outputs>>,
    ) -> anyhow::Result<Self> {
        let players = config.engines.iter().map(|engine| (engine.name.clone(), engine.limits));
        let players: Vec<(String, Limits)> = players.collect();
        let event = folder_name(folder.path());
        let context = PgnContext { event, players, ids, variant: config.variant, fields: config.pgn.clone() };
        let pgn = Export::begin(folder.games())?;
        Ok(Self { context, pgn, outputs, last: Default::default(), before: String::new(), games: 0 })
    }

    /// Writes a game to the file of the folder.
    fn write(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        let has_epd = self.outputs.as_ref().is_some_and(|outputs| outputs.epd.is_some());
        let position = has_epd.then(|| self.context.final_position(game));
        let position = position.unwrap_or_default();
        let last = std::mem::take(&mut self.last[1]);
        self.before = if last == position { std::mem::take(&mut self.before) + &last } else { last };
        self.last = [self.context.game(game), position];
        self.games += 1;
        self.pgn.write(&self.last[0])
    }

    /// Applies `write` to each further file and its text of the last game.
    fn further(&self, write: impl Fn(&OutputSink, &str) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let Some(outputs) = &self.outputs else { return Ok(()) };
        let files = [&outputs.pgn, &outputs.epd].into_iter().zip(&self.last);
        let mut files = files.filter_map(|(sink, text)| Some((sink.as_ref()?, text)));
        files.try_for_each(|(sink, text)| write(sink, text))
    }
}

impl CompanionFiles<GameRecord> for GameExports {
    type Payload = ();

    fn replay(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        self.write(game)
    }

    fn resume(&mut self) -> anyhow::Result<()> {
        self.pgn.follow()?;
        self.further(|sink, text| {
            sink.complete(text, self.games == 1, &self.before)?;
            sink.end_line()
        })
    }

    fn write_after(&mut self, game: &GameRecord) -> anyhow::Result<()> {
        self.write(game)?;
        self.further(OutputSink::write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_game_of_the_journal_is_added_where_it_is_missing_or_torn() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pgn");
        let file = || OpenOptions::new().create(true).append(true).open(&path).unwrap();
        let sink = OutputSink { path: path.clone(), file: file(), append: true, breaks: 2 };
        let game = |event: &str, round| format!("[Event \"{event}\"]\n[Round \"{round}\"]\n\n1. e4 *\n\n");
        let (first, last, renamed) = (&game("a", 1), &game("a", 2), &game("b", 2));
        for (before, after) in [
            (String::new(), String::new()),
            (format!("{first}{renamed}"), format!("{first}{renamed}")),
            (
                format!("{first}{}", renamed.replace('\n', "\r\n")),
                format!("{first}{}", renamed.replace('\n', "\r\n")),
            ),
            (format!("{first}{}", &renamed[..20]), format!("{first}{last}")),
            (first.clone(), format!("{first}{last}")),
            (format!("{first}{}", &last[..last.len() - 3]), format!("{first}{last}")),
            (format!("{first}{last}"), format!("{first}{last}")),
            (format!("{last}{first}"), format!("{last}{first}")),
        ] {
            fs::write(&path, before).unwrap();
            sink.complete(last, false, "").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
        // A game of version 0.2.0.
        let named = last.replacen("\n\n", "\n[EngineWhiteName \"x\"]\n\n", 1);
        fs::write(&path, format!("{first}{last}")).unwrap();
        sink.complete(&named, false, "").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{first}{last}"));
        sink.complete("", false, "").unwrap();
        fs::write(&path, "").unwrap();
        sink.complete(first, true, "").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), *first, "a full disk left it empty");
    }

    #[test]
    fn equal_lines_of_other_runs_do_not_hide_the_loss_of_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.epd");
        let file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        let sink = OutputSink { path: path.clone(), file, append: true, breaks: 1 };
        for (before, after) in [
            ("a\nb\n", "a\nb\n"),
            // Another run has gone on since, and wrote the same lines.
            ("a\nb\nc\nd\n", "a\nb\nc\nd\n"),
            ("a\nb\na\nb\n", "a\nb\na\nb\n"),
            ("a\nb\na\n", "a\nb\na\nb\n"),
            ("a\n", "a\nb\n"),
            ("c\n", "c\nb\n"),
        ] {
            fs::write(&path, before).unwrap();
            sink.complete("b\n", false, "a\n").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
    }
}
