//! Converts a configuration to the fields of an `OpenBench` form, named as in its presets.

use serde_json::{Map, Value};
use thiserror::Error;

use super::left_out::{left_out, match_notes};
use crate::base::system::files::file_name;
use crate::config::git::DEFAULT_BUILD;
use crate::config::{EngineConfig, EngineOption, Limits};
use crate::play::adjudication::Adjudication;
use crate::play::matches::LoadedMatch;
use crate::play::matches::config::TuneConfig;
use crate::play::sprt::SprtConfig;
use crate::run::builds::record::BuildRecord;
use crate::stats::llr::Model;

/// The reason why a test cannot be exported.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum ExportError {
    /// `OpenBench` tests two engines and tunes one.
    #[error("{found} engines: OpenBench tests two, and tunes one")]
    Engines {
        /// Number of engines.
        found: usize,
    },
    /// An engine has limits that `OpenBench` does not support.
    #[error("engine `{engine}`: {what}")]
    Limits {
        /// The engine.
        engine: String,
        /// The unsupported limit.
        what: String,
    },
}

/// The fields of a form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exported {
    /// `SPRT`, `GAMES` or `SPSA`.
    pub mode: &'static str,
    /// The fields, by their key in a preset of the engine's JSON file.
    pub preset: Map<String, Value>,
    /// The parameters of a tuning, one per line.
    pub spsa_inputs: Vec<String>,
    /// Settings that were left out or have another meaning there.
    pub notes: Vec<String>,
}

/// Converts a match. Values of tuned parameters that the configuration leaves to the engine become
/// `?`.
pub(crate) fn export(loaded: &LoadedMatch) -> Result<Exported, ExportError> {
    let config = &loaded.config;
    let mut draft = Draft::default();
    let mode = match (&config.tune, &config.sprt) {
        (Some(_), _) => "SPSA",
        (None, Some(_)) => "SPRT",
        (None, None) => "GAMES",
    };
    match (&config.engines[..], &config.tune) {
        // A tuning lists its engine twice.
        ([engine, ..], Some(tune)) => {
            draft.side("dev", engine)?;
            draft.tune(tune);
        }
        ([dev, base], None) => {
            draft.side("dev", dev)?;
            draft.side("base", base)?;
            if dev.program != base.program && (dev.git.is_none() || base.git.is_none()) {
                draft.note(
                    "the two programs are the branches dev_branch and base_branch: fill them in".to_owned(),
                );
            }
        }
        (engines, _) => return Err(ExportError::Engines { found: engines.len() }),
    }
    draft.put("book_name", file_name(&config.openings.file));
    draft
        .note(format!("the book must be known to the server; here it is {}", config.openings.file.display()));
    if let Some(sprt) = &config.sprt.filter(|_| config.tune.is_none()) {
        draft.sprt(sprt);
    }
    if let (None, None, Some(games)) = (&config.tune, &config.sprt, config.games) {
        draft.put("test_max_games", games);
    }
    draft.adjudication(&config.adjudication);
    for note in match_notes(loaded) {
        draft.note(note);
    }
    let Draft { preset, spsa_inputs, notes } = draft;
    Ok(Exported { mode, preset, spsa_inputs, notes })
}

#[derive(Default)]
struct Draft {
    preset: Map<String, Value>,
    spsa_inputs: Vec<String>,
    notes: Vec<String>,
}

impl Draft {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.preset.insert(key.to_owned(), value.into());
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Sets the fields of one engine; `side` is the prefix of the keys.
    fn side(&mut self, side: &str, engine: &EngineConfig) -> Result<(), ExportError> {
        if let Some(git) = &engine.git {
            self.put(&format!("{side}_branch"), git.revision.clone());
            // A field of the form that is empty takes the bench from the commit message.
            let record = BuildRecord::read(&git.cached()).ok().flatten();
            if let Some(bench) = record.and_then(|record| record.bench) {
                self.put(&format!("{side}_bench"), bench.nodes);
            }
        }
        let options = self.options(engine);
        self.put(&format!("{side}_options"), options);
        let time = time_control(&engine.limits)
            .map_err(|what| ExportError::Limits { engine: engine.name.clone(), what })?;
        self.put(&format!("{side}_time_control"), time);
        let settings = [
            ("args", engine.args.iter().any(|arg| arg != "--lab")),
            ("init", !engine.init.is_empty()),
            ("env", !engine.env.is_empty()),
            ("ponder", engine.ponder),
            ("working_dir", engine.working_dir.is_some()),
            ("rating", engine.rating.is_some()),
            ("git.build", engine.git.as_ref().is_some_and(|git| git.build != DEFAULT_BUILD)),
        ];
        for note in left_out(&settings) {
            self.note(format!("engine `{}`: {note}", engine.name));
        }
        if engine.args.iter().any(|arg| arg == "--lab") {
            self.note(
                "`--lab` is a build option there: set FEATURES ?= lab in the Makefile of the branch"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Returns the options as `Threads=1 Hash=16 …`; a form requires these two.
    fn options(&mut self, engine: &EngineConfig) -> String {
        let mut words = Vec::new();
        for (name, usual) in [("Threads", "1"), ("Hash", "16")] {
            let set = engine.options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
            if set.is_none() {
                self.note(format!(
                    "engine `{}` does not set {name}, which a form requires: {usual} is used",
                    engine.name
                ));
            }
            let value = set.and_then(|option| option.value.clone()).unwrap_or_else(|| usual.to_owned());
            words.push(format!("{name}={value}"));
        }
        for EngineOption { name, value } in &engine.options {
            if ["Threads", "Hash"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
                continue;
            }
            match value {
                Some(value) if !name.contains(' ') && !value.contains(' ') => {
                    words.push(format!("{name}={value}"));
                }
                _ => self.note(format!(
                    "engine `{}`: option `{name}` is left out: OpenBench supports neither blanks nor buttons in options",
                    engine.name
                )),
            }
        }
        words.join(" ")
    }

    fn sprt(&mut self, sprt: &SprtConfig) {
        self.put("test_bounds", format!("[{:.2}, {:.2}]", sprt.elo0, sprt.elo1));
        // The form expects beta before alpha.
        self.put("test_confidence", format!("[{}, {}]", sprt.beta, sprt.alpha));
        if sprt.model != Model::Normalized {
            self.note(
                "the bounds are logistic Elo here and normalized Elo there: choose new ones".to_owned(),
            );
        }
        if let Some(games) = sprt.max_games {
            self.note(format!("OpenBench tests have no maximum length; max_games {games} is left out"));
        }
    }

    fn tune(&mut self, tune: &TuneConfig) {
        self.put("spsa_alpha", tune.alpha);
        self.put("spsa_gamma", tune.gamma);
        self.put("spsa_A_ratio", tune.stability);
        self.put("spsa_iterations", tune.iterations.get());
        self.put("spsa_pairs_per", tune.pairs.get());
        for parameter in &tune.parameters {
            let figure =
                |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |value| format!("{value:?}"));
            let whole = |value: Option<i64>| figure(value.map(|value| value as f64));
            self.spsa_inputs.push(format!(
                "{}, int, {}, {}, {}, {}, {}",
                parameter.name,
                figure(parameter.start),
                whole(parameter.min),
                whole(parameter.max),
                figure(parameter.step),
                tune.rate
            ));
        }
        if self.spsa_inputs.iter().any(|line| line.contains('?')) {
            self.note(
                "replace each `?` by the value that the engine declares: `stretto tunables` prints complete lines".to_owned(),
            );
        }
    }

    fn adjudication(&mut self, rules: &Adjudication) {
        let win = rules.win.as_ref().map(|win| format!("movecount={} score={}", win.moves, win.score));
        let draw = rules.draw.as_ref().map(|draw| {
            format!("movenumber={} movecount={} score={}", draw.from_move, draw.moves, draw.score)
        });
        self.put("win_adj", win.unwrap_or_else(|| "None".to_owned()));
        self.put("draw_adj", draw.unwrap_or_else(|| "None".to_owned()));
        if rules.win.as_ref().is_some_and(|win| win.two_sided) {
            self.note("OpenBench adjudicates a win by one engine's scores; here both must agree".to_owned());
        }
        if rules.draw.is_some_and(|draw| !draw.irreversible_restarts) {
            self.note(
                "OpenBench restarts the moves of the draw rule at captures and pawn moves; here they go on"
                    .to_owned(),
            );
        }
        if let Some(moves) = rules.max_moves {
            self.note(format!("max_moves {moves} is left out"));
        }
    }
}

/// Returns the limits of an engine in the notation of `OpenBench`.
fn time_control(limits: &Limits) -> Result<String, String> {
    let clock = limits.time_control.map(|clock| match clock.stages() {
        [_] => Ok(clock.to_pgn()),
        stages => Err(format!("{} stages of a clock, where one is allowed", stages.len())),
    });
    let others = [
        limits.nodes.map(|nodes| format!("N={nodes}")),
        limits.depth.map(|depth| format!("D={depth}")),
        limits.movetime.map(|time| format!("MT={time}")),
    ];
    let mut all = clock.into_iter().chain(others.into_iter().flatten().map(Ok));
    match (all.next(), all.next()) {
        (Some(only), None) => only,
        (None, _) => Err("no limit".to_owned()),
        (Some(_), Some(_)) => Err("several limits at once, where one is allowed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Source;
    use crate::play::matches::{ExecutionArgs, RunKind};

    #[test]
    fn engines_of_commits_are_the_branches_of_the_form() {
        let dir = tempfile::tempdir().unwrap();
        let export_of = |dev: &str| {
            let text = format!(
                "engines: [{{ name: dev, {dev} }}, {{ name: base, git: {{ revision: v1.0 }} }}]\nnodes: 9\n\
                 sprt: {{ elo0: 0, elo1: 5 }}\n"
            );
            let source = Source::new(dir.path().join("test.yaml"), text);
            export(&LoadedMatch::load(&source, RunKind::Sprt, ExecutionArgs::default()).unwrap()).unwrap()
        };
        let fills_in = |exported: &Exported| exported.notes.iter().any(|note| note.contains("fill them in"));
        let exported = export_of("git: { revision: my-branch }");
        assert_eq!(
            (&exported.preset["dev_branch"], &exported.preset["base_branch"]),
            (&"my-branch".into(), &"v1.0".into())
        );
        assert!(!fills_in(&exported), "{:?}", exported.notes);
        let exported = export_of("command: sh");
        assert_eq!(
            (exported.preset.get("dev_branch"), &exported.preset["base_branch"]),
            (None, &"v1.0".into())
        );
        assert!(fills_in(&exported), "{:?}", exported.notes);
    }
}
