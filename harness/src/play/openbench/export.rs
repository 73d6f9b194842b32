//! Converts a configuration to the fields of an `OpenBench` form, named as in its presets.
//!
//! Every structure is taken apart without `..`, here or in [`super::left_out`], so that no new field is lost without a note.

use anyhow::{anyhow, bail};
use serde_json::{Map, Value};

use super::left_out::{clock_note, left_out, match_notes};
use crate::base::system::files::file_name;
use crate::config::git::{DEFAULT_BUILD, GitBuild};
use crate::config::{EngineConfig, EngineOption, Limits, NODESTIME};
use crate::play::adjudication::{Adjudication, DrawRule, WinRule};
use crate::play::matches::LoadedMatch;
use crate::play::matches::config::{TuneConfig, TuneParameter};
use crate::play::verdict::SprtConfig;
use crate::run::builds::record::BuildRecord;
use stretto_stats::llr::Model;

/// The fields of a form.
#[derive(Clone, Debug, Default, PartialEq)]
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
///
/// Errors: neither two engines nor one that is tuned, or limits that `OpenBench` does not support.
pub(crate) fn export(loaded: &LoadedMatch) -> anyhow::Result<Exported> {
    let config = &loaded.config;
    let mode = match (&config.tune, &config.sprt) {
        (Some(_), _) => "SPSA",
        (None, Some(_)) => "SPRT",
        (None, None) => "GAMES",
    };
    let mut draft = Exported { mode, ..Exported::default() };
    match (&config.engines[..], &config.tune) {
        // A tuning lists its engine twice.
        ([engine, ..], Some(tune)) => {
            draft.side("dev", engine, &tune.parameters)?;
            if let Some(blank) = tune.parameters.iter().find(|parameter| parameter.name.contains(' ')) {
                bail!("tune.parameters: `{}`: OpenBench supports no blanks in names of options", blank.name);
            }
            draft.tune(tune, engine);
        }
        ([dev, base], None) => {
            draft.side("dev", dev, &[])?;
            draft.side("base", base, &[])?;
            refuse_difference(dev, base)?;
            if dev.program != base.program && (dev.git.is_none() || base.git.is_none()) {
                draft.note("the two programs are the branches dev_branch and base_branch: fill them in");
            }
        }
        (engines, _) => bail!("{} engines: OpenBench tests two, and tunes one", engines.len()),
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
    Ok(draft)
}

/// Refuses two engines that differ in what a form cannot set: the test would compare the engine with itself.
fn refuse_difference(dev: &EngineConfig, base: &EngineConfig) -> anyhow::Result<()> {
    let lacks = |other: &EngineConfig, option: &EngineOption| {
        let is_same =
            |one: &EngineOption| one.name.eq_ignore_ascii_case(&option.name) && one.value == option.value;
        !is_supported(option) && !other.options.iter().any(is_same)
    };
    let mut options = dev.options.iter().filter(|option| lacks(base, option));
    let mut others = base.options.iter().filter(|option| lacks(dev, option));
    if let Some(option) = options.next().or_else(|| others.next()) {
        bail!(
            "the engines differ in the option `{}`, and OpenBench supports neither blanks nor buttons in options",
            option.name
        );
    }
    // `--lab` is a build option there.
    let [args, other_args] =
        [dev, base].map(|engine| engine.args.iter().filter(|arg| *arg != "--lab").collect::<Vec<_>>());
    let differ = [
        ("args", args != other_args),
        ("init", dev.init != base.init),
        ("env", dev.env != base.env),
        ("ponder", dev.ponder != base.ponder),
    ];
    match differ.iter().find(|(_, differ)| *differ) {
        Some((setting, _)) => bail!("the engines differ in `{setting}`, which OpenBench does not support"),
        None => Ok(()),
    }
}

/// Whether a form can set the option.
fn is_supported(EngineOption { name, value }: &EngineOption) -> bool {
    !name.contains(' ') && value.as_ref().is_some_and(|value| !value.contains(' '))
}

impl Exported {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.preset.insert(key.to_owned(), value.into());
    }

    fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Sets the fields of one engine. `side` is the prefix of the keys. The form sets the `tuned` parameters itself.
    fn side(&mut self, side: &str, engine: &EngineConfig, tuned: &[TuneParameter]) -> anyhow::Result<()> {
        let EngineConfig {
            name,
            program: _,
            git,
            args,
            options: _,
            init,
            ponder,
            env,
            working_dir,
            rating,
            limits,
        } = engine;
        if let Some(git) = git {
            self.put(&format!("{side}_branch"), git.revision.clone());
            // A field of the form that is empty takes the bench from the commit message.
            let record = BuildRecord::read(&git.cached()).ok().flatten();
            if let Some(bench) = record.and_then(|record| record.bench) {
                self.put(&format!("{side}_bench"), bench.nodes);
            }
        }
        let options = self.options(engine, tuned);
        self.put(&format!("{side}_options"), options);
        let time = time_control(engine).map_err(|what| anyhow!("engine `{name}`: {what}"))?;
        self.put(&format!("{side}_time_control"), time);
        if let Some(note) = clock_note(limits) {
            self.note(note);
        }
        let settings = [
            ("args", args.iter().any(|arg| arg != "--lab")),
            ("init", !init.is_empty()),
            ("env", !env.is_empty()),
            ("ponder", *ponder),
            ("working_dir", working_dir.is_some()),
            ("rating", rating.is_some()),
        ];
        for note in left_out(&settings).into_iter().chain(git.iter().flat_map(git_notes)) {
            self.note(format!("engine `{name}`: {note}"));
        }
        if args.iter().any(|arg| arg == "--lab") {
            self.note("`--lab` is a build option there: set FEATURES ?= lab in the Makefile of the branch");
        }
        Ok(())
    }

    /// Returns the options other than the `tuned` ones as `Threads=1 Hash=16 …`; a form requires these two.
    fn options(&mut self, engine: &EngineConfig, tuned: &[TuneParameter]) -> String {
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
        for option in &engine.options {
            let EngineOption { name, value } = option;
            let is_tuned = tuned.iter().any(|parameter| name.eq_ignore_ascii_case(&parameter.name));
            if is_tuned || ["Threads", "Hash"].iter().any(|known| name.eq_ignore_ascii_case(known)) {
                continue;
            }
            match value {
                Some(value) if is_supported(option) => words.push(format!("{name}={value}")),
                _ => self.note(format!(
                    "engine `{}`: option `{name}` is left out: OpenBench supports neither blanks nor buttons in options",
                    engine.name
                )),
            }
        }
        words.join(" ")
    }

    fn sprt(&mut self, sprt: &SprtConfig) {
        let &SprtConfig { model, elo0, elo1, alpha, beta, max_games } = sprt;
        self.put("test_bounds", format!("[{}, {}]", bound(elo0), bound(elo1)));
        // The form expects beta before alpha.
        self.put("test_confidence", format!("[{beta}, {alpha}]"));
        if model != Model::Normalized {
            self.note("the bounds are logistic Elo here and normalized Elo there: choose new ones");
        }
        if let Some(games) = max_games {
            self.note(format!("OpenBench tests have no maximum length; max_games {games} is left out"));
        }
    }

    /// Sets the fields of a tuning. A start value that is not set is the one in the options of the engine.
    fn tune(&mut self, tune: &TuneConfig, engine: &EngineConfig) {
        let TuneConfig { parameters, iterations, pairs, rate, stability, alpha, gamma } = tune;
        self.put("spsa_alpha", *alpha);
        self.put("spsa_gamma", *gamma);
        self.put("spsa_A_ratio", *stability);
        self.put("spsa_iterations", iterations.get());
        self.put("spsa_pairs_per", pairs.get());
        for TuneParameter { name, start, min, max, step, rate: own_rate, line: _ } in parameters {
            let rate = own_rate.unwrap_or(*rate);
            let figure =
                |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |value| format!("{value:?}"));
            let whole = |value: Option<i64>| figure(value.map(|value| value as f64));
            let start = start.or_else(|| engine.option(name)?.parse().ok());
            self.spsa_inputs.push(format!(
                "{name}, int, {}, {}, {}, {}, {rate}",
                figure(start),
                whole(*min),
                whole(*max),
                figure(*step)
            ));
        }
        if self.spsa_inputs.iter().any(|line| line.contains('?')) {
            self.note("replace each `?` by the value that the engine declares: `stretto tunables` prints complete lines");
        }
    }

    fn adjudication(&mut self, rules: &Adjudication) {
        let Adjudication { win, draw, max_moves, audit } = rules;
        let none = || "None".to_owned();
        let win = win.map(|WinRule { score, moves, two_sided }| {
            if two_sided {
                self.note("OpenBench adjudicates a win by one engine's scores; here both must agree");
            }
            format!("movecount={moves} score={score}")
        });
        let draw = draw.map(|DrawRule { from_move, moves, score, irreversible_restarts }| {
            if !irreversible_restarts {
                self.note("OpenBench restarts the moves of the draw rule at captures and pawn moves; here they go on");
            }
            format!("movenumber={from_move} movecount={moves} score={score}")
        });
        self.put("win_adj", win.unwrap_or_else(none));
        self.put("draw_adj", draw.unwrap_or_else(none));
        if let Some(moves) = max_moves {
            self.note(format!("max_moves {moves} is left out"));
        }
        if audit.is_some() {
            self.note("OpenBench audits no adjudication");
        }
    }
}

/// Returns notes on a build that the form cannot express.
fn git_notes(git: &GitBuild) -> Vec<String> {
    // The server knows the repository, and its clients run `bench` always.
    let GitBuild { repository: _, revision: _, folder, build, bench: _ } = git;
    left_out(&[("git.folder", !folder.as_os_str().is_empty()), ("git.build", build != DEFAULT_BUILD)])
}

/// Formats a bound of a test with two decimals, or more if it has more.
fn bound(elo: f64) -> String {
    let exact = elo.to_string();
    let has_more = exact.split_once('.').is_some_and(|(_, decimals)| decimals.len() > 2);
    if has_more { exact } else { format!("{elo:.2}") }
}

/// Returns the limits of an engine in the notation of `OpenBench`.
fn time_control(engine: &EngineConfig) -> Result<String, String> {
    let Limits { time_control, nodes, depth, movetime } = engine.limits;
    if let Some(nodes) = engine.node_clock() {
        return Err(format!(
            "expected a real clock or a limit of nodes, found a clock that counts nodes ({NODESTIME} {nodes}), which OpenBench \
             does not have"
        ));
    }
    let clock = time_control.map(|clock| match clock.stages() {
        [_] => Ok(clock.to_pgn()),
        stages => Err(format!("{} stages of a clock, where one is allowed", stages.len())),
    });
    let others = [
        nodes.map(|nodes| format!("N={nodes}")),
        depth.map(|depth| format!("D={depth}")),
        movetime.map(|time| format!("MT={time}")),
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

    /// Exports a test of two engines, or the tuning of one, with these options and further lines.
    fn exported(kind: RunKind, options: &str, lines: &str) -> anyhow::Result<Exported> {
        let dir = tempfile::tempdir().unwrap();
        let base = if kind == RunKind::Tune { "" } else { ", { name: base, command: sh }" };
        let text =
            format!("engines: [{{ name: dev, command: sh, options: {{ {options} }} }}{base}]\n{lines}\n");
        let source = Source::new(dir.path().join("test.yaml"), text);
        export(&LoadedMatch::load(&source, kind, ExecutionArgs::default()).unwrap())
    }

    #[test]
    fn node_clock_is_refused() {
        let refusal = |lines: &str| exported(RunKind::Match, "nodestime: 600", lines);
        for lines in ["time_control: 5+0.05\ngames: 2", "movetime: 100\ngames: 2"] {
            assert_eq!(
                refusal(lines).unwrap_err().to_string(),
                "engine `dev`: expected a real clock or a limit of nodes, found a clock that counts nodes (nodestime 600), \
                 which OpenBench does not have"
            );
        }
        // The option has no effect on a limit of nodes, or if it is 0.
        assert_eq!(refusal("nodes: 9\ngames: 2").unwrap().preset["dev_time_control"], "N=9");
        let real = exported(RunKind::Match, "nodestime: 0", "time_control: 5+0.05\ngames: 2").unwrap();
        assert_eq!(real.preset["dev_time_control"], "5+0.05");
    }

    #[test]
    fn difference_that_the_form_cannot_express_is_refused() {
        let refusal = |options: &str| {
            exported(RunKind::Sprt, options, "nodes: 9\nsprt: { elo0: 0, elo1: 5 }").unwrap_err()
        };
        for options in ["Skill Level: 8", "Clear Hash:", "EvalFile: a b.nnue"] {
            let error = refusal(options).to_string();
            let name = options.split(':').next().unwrap();
            assert!(error.starts_with(&format!("the engines differ in the option `{name}`")), "{error}");
        }
        let lines = "nodes: 9\noptions: { Skill Level: 5 }\nsprt: { elo0: 0, elo1: 5 }";
        assert!(exported(RunKind::Sprt, "skill level: 5", lines).is_ok(), "the same in both");
        for (dev, base, setting) in [
            ("args: [--lab, -a]", "args: [-b]", Some("args")),
            ("args: [--lab]", "args: []", None),
            ("init: [x]", "init: []", Some("init")),
            ("env: { A: b }", "env: { A: c }", Some("env")),
        ] {
            let source = Source::new(
                "test.yaml",
                format!(
                    "engines: [{{ name: dev, command: sh, {dev} }}, {{ name: base, command: sh, {base} }}]\n\
                     nodes: 9\ngames: 2\n"
                ),
            );
            let found =
                export(&LoadedMatch::load(&source, RunKind::Match, ExecutionArgs::default()).unwrap());
            let expected =
                setting.map(|it| format!("the engines differ in `{it}`, which OpenBench does not support"));
            assert_eq!(found.err().map(|error| error.to_string()), expected, "{dev}, {base}");
        }
        let lines = "nodes: 9\ntune: { iterations: 1, parameters: [{ name: Skill Level }] }";
        let error = exported(RunKind::Tune, "", lines).unwrap_err().to_string();
        assert!(error.starts_with("tune.parameters: `Skill Level`: "), "{error}");
    }

    #[test]
    fn bounds_have_all_their_digits() {
        for (elo0, elo1, expected) in [
            ("0", "5", "[0.00, 5.00]"),
            ("-1.5", "0.25", "[-1.50, 0.25]"),
            ("-0.125", "2.375", "[-0.125, 2.375]"),
        ] {
            let lines = format!("nodes: 9\nsprt: {{ elo0: {elo0}, elo1: {elo1} }}");
            assert_eq!(exported(RunKind::Sprt, "", &lines).unwrap().preset["test_bounds"], expected);
        }
    }

    #[test]
    fn confidence_has_beta_before_alpha() {
        let lines = "nodes: 9\nsprt: { elo0: 0, elo1: 5, alpha: 0.01, beta: 0.2 }";
        assert_eq!(exported(RunKind::Sprt, "", lines).unwrap().preset["test_confidence"], "[0.2, 0.01]");
    }

    #[test]
    fn options_are_start_values_of_tuned_parameters() {
        let lines = "nodes: 9\ntune: { iterations: 2, parameters: [{ name: Margin, min: 0, max: 90, step: 2 }, \
                     { name: Slope, start: 3, min: 0, max: 9, step: 1 }, { name: Base, min: 0, max: 9, step: 1 }] }";
        let tuning = exported(RunKind::Tune, "margin: 40, Slope: 5, Other: 7", lines).unwrap();
        assert_eq!(
            tuning.spsa_inputs,
            [
                "Margin, int, 40.0, 0.0, 90.0, 2.0, 0.002",
                "Slope, int, 3.0, 0.0, 9.0, 1.0, 0.002",
                "Base, int, ?, 0.0, 9.0, 1.0, 0.002"
            ]
        );
        assert_eq!(tuning.preset["dev_options"], "Threads=1 Hash=16 Other=7");
    }

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
