//! Reports the settings of a match that a form of `OpenBench` cannot express, or treats differently.
//!
//! `OpenBench` plays with fastchess; its client decides the arguments that are not in the form.

use std::time::Duration;

use crate::base::system::files::file_name;
use crate::config::{Limits, Variant, Watchdog};
use crate::play::adjudication::{TableResults, TablesConfig};
use crate::play::matches::config::{MatchConfig, OutputConfig};
use crate::play::matches::{Affinity, Execution, LoadedMatch};
use crate::play::openings::{Format, OpeningsConfig, Order};

/// Time after the flag that the client forgives.
const TIME_MARGIN: Duration = Duration::from_millis(250);

/// Returns a note for each setting that is there and that `OpenBench` lacks.
pub(super) fn left_out(settings: &[(&str, bool)]) -> Vec<String> {
    let is_there = settings.iter().filter(|(_, is_there)| *is_there);
    is_there.map(|(what, _)| format!("{what} is not supported by OpenBench and is left out")).collect()
}

/// Returns a note if `OpenBench` rounds a clock: its base to tenths of a second, its increment to hundredths.
pub(super) fn clock_note(limits: &Limits) -> Option<String> {
    let control = limits.time_control?;
    let [stage] = control.stages() else { return None };
    let is_exact =
        stage.base.as_micros().is_multiple_of(100_000) && stage.increment.as_micros().is_multiple_of(10_000);
    let moves = stage.moves.map_or_else(String::new, |moves| format!("{moves}/"));
    let (base, increment) = (stage.base.as_secs_f64(), stage.increment.as_secs_f64());
    (!is_exact).then(|| {
        format!(
            "OpenBench rounds the time control {stage} to {moves}{base:.1}+{increment:.2}: choose another one"
        )
    })
}

/// Returns notes on the settings of a match, except those of its engines and of adjudication by scores.
pub(super) fn match_notes(loaded: &LoadedMatch) -> Vec<String> {
    // The options of all engines are in each of them.
    let LoadedMatch { config, execution, output, common_options: _ } = loaded;
    let MatchConfig {
        // A form has two engines, or one in a tuning, and no screening.
        kind: _,
        engines: _,
        pairings: _,
        screen: _,
        // Fields of the form.
        games: _,
        adjudication: _,
        sprt,
        tune,
        repeat,
        swap,
        openings,
        pgn,
        tablebases,
        time_margin,
        scale_clock,
        seed,
        variant,
        watchdog,
    } = config;
    let &Execution { concurrency: _, affinity, shard: _, logs, max_faults, strict_pv, check_mate_pvs } =
        execution;
    let mut notes = left_out(&[
        ("`repeat: false`", !repeat),
        ("`swap: false`", !swap),
        ("`sprt` in a tuning", tune.is_some() && sprt.is_some()),
        ("watchdog", *watchdog != Watchdog::default()),
        ("max_faults", max_faults.is_some()),
        ("strict_pv", strict_pv),
        ("`check_mate_pvs: false`", !check_mate_pvs),
        ("logs", logs),
        ("output", *output != OutputConfig::default()),
    ]);
    notes.extend(variant_note(*variant, openings));
    notes.extend(openings_notes(openings));
    notes.extend(tablebases.iter().flat_map(tablebases_notes));
    let [ours, theirs] = [*time_margin, TIME_MARGIN].map(|margin| margin.as_millis());
    let time_margin = format!("time_margin {ours} is left out: OpenBench allows {theirs} ms");
    let others = [
        (*seed != 0 || openings.seed != 0, "seed is left out: the server chooses its own"),
        (config.is_timed() && ours != theirs, &*time_margin),
        (
            scale_clock.is_some(),
            "scale_clock is left out: OpenBench scales clocks to `nps` of the engine's file",
        ),
        (!pgn.is_empty(), "pgn is left out: upload_pgns decides which details are kept"),
        (affinity != Affinity::Off, "affinity is left out: workers pin their games themselves"),
    ];
    notes.extend(others.into_iter().filter(|(is_there, _)| *is_there).map(|(_, note)| note.to_owned()));
    notes
}

/// Returns a note if `OpenBench` plays another variant, which it derives from the name of the book.
fn variant_note(variant: Variant, openings: &OpeningsConfig) -> Option<String> {
    let name = file_name(&openings.file).to_uppercase();
    let is_chess960 = ["FRC", "960", "FISCHER"].iter().any(|word| name.contains(word));
    let note = match (variant, is_chess960) {
        (Variant::Chess960, false) => {
            "OpenBench plays Chess960 only if the name of the book contains FRC, 960 or FISCHER: rename it"
        }
        (Variant::Standard, true) => "OpenBench plays Chess960 because of the name of the book: rename it",
        (Variant::Chess960, true) | (Variant::Standard, false) => return None,
    };
    Some(note.to_owned())
}

fn openings_notes(config: &OpeningsConfig) -> Vec<String> {
    let OpeningsConfig { file, format, order, seed: _, start } = config;
    let mut notes = left_out(&[
        ("`openings.order: sequential`", *order == Order::Sequential),
        ("openings.start", *start != 0),
        ("openings.plies", matches!(format, Format::Pgn { plies: Some(_) })),
    ]);
    let is_named = |extension: &str| file.extension().is_some_and(|found| found == extension);
    let unread = match format {
        Format::Polyglot { .. } => "OpenBench supports no Polyglot books: use an EPD or PGN file",
        Format::Epd if !is_named("epd") => {
            "OpenBench reads EPD only from a book whose name ends in .epd: rename it"
        }
        Format::Pgn { .. } if !is_named("pgn") => {
            "OpenBench reads PGN only from a book whose name ends in .pgn: rename it"
        }
        Format::Epd | Format::Pgn { .. } => return notes,
    };
    notes.push(unread.to_owned());
    notes
}

fn tablebases_notes(config: &TablesConfig) -> Vec<String> {
    let TablesConfig { syzygy: _, own, pieces, ignore_fifty, results } = config;
    let mut notes = vec!["tables adjudicate games only on workers that have them: set syzygy_adj".to_owned()];
    notes.extend(left_out(&[
        ("tablebases.own", own.is_some()),
        ("tablebases.pieces", pieces.is_some()),
        ("tablebases.ignore_fifty", *ignore_fifty),
        ("tablebases.results", *results != TableResults::Both),
    ]));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::play::matches::{ExecutionArgs, RunKind};
    use crate::play::openbench::export;

    /// Returns the notes on a configuration with these further lines, except the one that every book has. Books are
    /// not read.
    fn notes(kind: RunKind, engine: &str, lines: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for book in ["book.epd", "book.txt", "book.pgn", "book.bin", "DFRC.epd"] {
            std::fs::write(dir.path().join(book), "").unwrap();
        }
        let options = "options: { Threads: 1, Hash: 16 }";
        let other = format!(", {{ name: base, command: sh{engine} }}");
        let other = if kind == RunKind::Tune { "" } else { &other };
        let text = format!("engines: [{{ name: dev, command: sh{engine} }}{other}]\n{options}\n{lines}\n");
        let source = Source::new(dir.path().join("test.yaml"), text);
        let loaded = LoadedMatch::load(&source, kind, ExecutionArgs::default()).unwrap();
        let mut notes = export(&loaded).unwrap().notes;
        notes.retain(|note| !note.starts_with("the book must be known to the server; here it is "));
        notes
    }

    #[test]
    fn each_setting_without_a_field_has_a_note() {
        let note = |lines: &str| notes(RunKind::Match, "", &format!("nodes: 9\ngames: 2\n{lines}"));
        assert_eq!(note(""), [""; 0]);
        for (lines, what) in [
            ("repeat: false", "`repeat: false`"),
            ("swap: false", "`swap: false`"),
            ("watchdog: { answer: 5 }", "watchdog"),
            ("max_faults: 3", "max_faults"),
            ("strict_pv: true", "strict_pv"),
            ("check_mate_pvs: false", "`check_mate_pvs: false`"),
            ("logs: true", "logs"),
            ("output: { format: fastchess }", "output"),
            ("openings: { file: book.epd, order: sequential }", "`openings.order: sequential`"),
            ("openings: { file: book.epd, start: 3 }", "openings.start"),
            ("openings: { file: book.pgn, plies: 8 }", "openings.plies"),
        ] {
            assert_eq!(note(lines), [format!("{what} is not supported by OpenBench and is left out")]);
        }
        for (lines, expected) in [
            ("seed: 7", "seed is left out: the server chooses its own"),
            ("openings: { file: book.epd, seed: 7 }", "seed is left out: the server chooses its own"),
            ("pgn: [nodes]", "pgn is left out: upload_pgns decides which details are kept"),
            ("affinity: auto", "affinity is left out: workers pin their games themselves"),
            (
                "openings: { file: book.txt }",
                "OpenBench reads EPD only from a book whose name ends in .epd: rename it",
            ),
            (
                "openings: { file: book.epd, format: pgn }",
                "OpenBench reads PGN only from a book whose name ends in .pgn: rename it",
            ),
            (
                "openings: { file: book.bin, plies: 8 }",
                "OpenBench supports no Polyglot books: use an EPD or PGN file",
            ),
            (
                "variant: chess960",
                "OpenBench plays Chess960 only if the name of the book contains FRC, 960 or FISCHER: rename it",
            ),
            (
                "openings: { file: DFRC.epd }",
                "OpenBench plays Chess960 because of the name of the book: rename it",
            ),
            (
                "adjudication: { draw: { from_move: 30, moves: 8, score: 10 } }",
                "OpenBench restarts the moves of the draw rule at captures and pawn moves; here they go on",
            ),
        ] {
            assert_eq!(note(lines), [expected], "{lines}");
        }
        for lines in [
            "variant: chess960\nopenings: { file: DFRC.epd }",
            "openings: { file: book.pgn }",
            "adjudication: { draw: { from_move: 30, moves: 8, score: 10, irreversible_restarts: true } }",
            "time_margin: 100",
        ] {
            assert_eq!(note(lines), [""; 0], "{lines}");
        }
        assert_eq!(
            note("tablebases: { own: 3, pieces: 3, ignore_fifty: true, results: drawn }"),
            [
                "tables adjudicate games only on workers that have them: set syzygy_adj",
                "tablebases.own is not supported by OpenBench and is left out",
                "tablebases.pieces is not supported by OpenBench and is left out",
                "tablebases.ignore_fifty is not supported by OpenBench and is left out",
                "tablebases.results is not supported by OpenBench and is left out",
            ]
        );
    }

    #[test]
    fn other_time_margin_has_a_note_where_a_clock_runs() {
        let note = |margin| {
            let lines = format!("time_control: 8+0.08\ngames: 2\ntime_margin: {margin}");
            notes(RunKind::Match, "", &lines)
        };
        assert_eq!(note(50), ["time_margin 50 is left out: OpenBench allows 250 ms"]);
        assert_eq!(note(250), [""; 0]);
    }

    #[test]
    fn clock_that_is_rounded_has_a_note() {
        let note = |clock| {
            let lines = format!("time_control: {clock}\ngames: 2\ntime_margin: 250");
            notes(RunKind::Match, "", &lines)
        };
        for (clock, rounded) in [
            ("0.25+0.01", "0.2+0.01"),
            ("8+0.005", "8.0+0.01"),
            ("40/10.05+0.1", "40/10.1+0.10"),
            ("1.01", "1.0+0.00"),
        ] {
            let expected =
                format!("OpenBench rounds the time control {clock} to {rounded}: choose another one");
            assert_eq!(note(clock), [expected]);
        }
        for clock in ["8+0.08", "0.5+0.01", "40/60+0.6", "1:30"] {
            assert_eq!(note(clock), [""; 0], "{clock}");
        }
    }

    #[test]
    fn settings_of_engines_without_a_field_have_notes() {
        // Pondering needs a clock.
        let lines = "time_control: 8+0.08\ntime_margin: 250\ngames: 2";
        for (engine, what) in [
            ("args: [-x]", "args"),
            ("init: [isready]", "init"),
            ("env: { A: b }", "env"),
            ("ponder: true", "ponder"),
            ("working_dir: .", "working_dir"),
            ("rating: 3000", "rating"),
        ] {
            let note =
                |name| format!("engine `{name}`: {what} is not supported by OpenBench and is left out");
            assert_eq!(notes(RunKind::Match, &format!(", {engine}"), lines), [note("dev"), note("base")]);
        }
    }

    #[test]
    fn test_of_a_tuning_has_a_note() {
        let lines = "nodes: 9\nsprt: { elo0: 0, elo1: 5 }\n\
                     tune: { iterations: 2, parameters: [{ name: P, start: 1, min: 0, max: 9, step: 1 }] }";
        let found = notes(RunKind::Tune, "", lines);
        assert_eq!(found, ["`sprt` in a tuning is not supported by OpenBench and is left out"]);
    }
}
