//! `harness match` and `harness sprt`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use serde_yaml::Value;

use super::config::stage::{DEFAULT_BOUNDS, NamedStage, STAGES, has_stages};
use super::config::{Execution, ExecutionArgs, LoadedMatch, MatchConfig, OutputConfig, RunKind};
use super::counts_command::{self, CountsArgs};
use super::equipment::same_engine_notices;
use super::expect::{Expect, exit_code, wrong_pvs_or_verdict};
use super::plan::{self, PlanArgs};
use super::setup::clock_notice;
use super::{Equipment, MatchPlay, MatchStudy, Outputs, Prepared, stages};
use crate::config::Source;
use crate::play::block::obstacle;
use crate::play::block::setup::all_sizes;
use crate::play::fastchess::{import_command_line, import_saved, split_words};
use crate::report::BlockFormat;
use crate::run::command::{Failure, RunArgs, say};
use crate::run::executor::{complete, review};
use crate::run::quick::{self, QuickGames, Setting};
use crate::run::session::{Session, timestamp};
use crate::run::shard::Shard;
use crate::run::stored::StoredRun;
use stretto_stats::bounds::Verdict;

/// Time control of a test of commits, without another one.
const DEFAULT_TIME_CONTROL: &str = "8+0.08";

const MATCH_HELP: &str = "\
Examples:
  harness match ./new ./old --tc 8+0.08 -n 200 -j 2
  harness match git:main git:v1.0 ./other --tc 8+0.08 -n 200 --repo ~/my-engine   # two commits and a program
  harness match ./a ./b ./c --nodes 20000 --openings book.epd -n 100
  harness match ./new ./a ./b --tc 8+0.08 -n 200 --set gauntlet=1   # a gauntlet: new against the others
  harness match stretto stretto --nodes 20000 -n 100 --set 'engines[1].args=[--lab]' --set 'engines[1].options.NullMove=false'
  harness match configs/match/self-play.yaml
  harness match --resume results/runs/match-20261121-120000-1a2b3c4d
  harness match longer.yaml --resume RUN     # the same configuration with more games: plays the missing ones
  harness match --from-fastchess -engine cmd=a name=a -engine cmd=b name=b -each tc=2+0.02 -rounds 50 -openings file=book.epd
  harness match --print-config --from-fastchess config.json > my.yaml

Games come in pairs: both engines play each opening once with each colour. Without --openings the games start from 3000
balanced openings that ship with this program. --option sets a UCI option of every engine, --set 'engines[1].args=[...]' and
--set 'engines[1].options.NAME=VALUE' arguments and options of one; the count starts at 0. configs/README.md lists every field of a
configuration.";

const SPRT_HELP: &str = "\
Examples:
  harness sprt --dev my-branch --base main                # in a git repository: builds both commits, then tests
  harness sprt --dev my-branch --base main --build 'make EXE={exe} CC=gcc' --tc 4+0.04 --elo -3 1
  harness sprt --dev my-branch --base main --stages stc,ltc,smp
  harness sprt ./dev ./base --tc 8+0.08 --elo 0 5 -j 2
  harness sprt stretto stretto --nodes 20000 --elo 0 5 --set 'engines[0].args=[--lab]' --set 'engines[0].options.NullMove=false'
  harness sprt configs/sprt/null-move.yaml
  harness sprt configs/sprt/null-move.yaml --set sprt.elo1=5 --expect h1
  harness sprt configs/sprt/null-move.yaml --plan
  harness sprt --counts 379,10170,21828,10640,343 --elo 0 2
  harness sprt --counts 'Ptnml(0-2): [1, 9, 52, 2, 2]' --elo 0 5
  harness sprt --resume results/runs/sprt-20261121-120000-1a2b3c4d

A run is kept in results/runs/sprt-<id>/: manifest.yaml, journal.jsonl (one line per game, from which all else is computed),
games.pgn, summary.json, report.html and report.md, and faults/ with the dialogue before each crash, hang, illegal move or loss
on time. An interrupted or killed run is continued with --resume and plays exactly the missing games. A test that ended without
a decision is continued with a configuration in which only sprt.max_games is larger: harness sprt FILE --resume RUN.

--dev and --base take branches, tags or commits. Each is built in a work tree of its own, so the checkout is not touched, and
uncommitted changes are not tested. Builds are kept (`harness builds list`). The run stores the commits: a resumed run does not
depend on the branches. Without other arguments such a test plays at 8+0.08 with the bounds 0 and 5.

--option sets a UCI option of both engines, --set 'engines[0].args=[...]' and --set 'engines[0].options.NAME=VALUE' arguments and
options of the first one, engines[1] those of the second.

A test of several stages plays them one after the other, until one does not accept H1. Each is a run of its own in a subfolder of the
run. The exit code and --expect are those of the last stage played.

The bounds are checked after each completed pair, in order of completion; the first bound crossed decides. Pairs that are being
played at that moment are finished: they count for the Elo estimate, not for the decision.";

/// Plays a fixed number of games between two engines or more.
///
/// Every engine plays `games` games against every other one. In a gauntlet the first engines play all the others. More than
/// two engines are rated on one scale, which is that of the engines with a known rating, or else has a mean of 0.
#[derive(Debug, Args)]
#[command(after_help = MATCH_HELP)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    games: GameArgs,
    /// Play only this part of the match, such as 1/2. `harness merge` joins the parts.
    #[arg(long, value_name = "I/N", conflicts_with = "resume")]
    shard: Option<Shard>,
}

/// Tests whether the first engine is stronger than the second (SPRT).
///
/// Plays pairs of games with the same opening and reversed colours until the log-likelihood ratio (LLR) of H1 against H0
/// crosses a bound. H0: the first engine is elo0 better. H1: it is elo1 better. If H1 is accepted, the first engine is better than
/// elo0; if H0 is accepted, it is not elo1 better.
#[derive(Debug, Args)]
#[command(after_help = SPRT_HELP)]
pub(crate) struct SprtArgs {
    #[command(flatten)]
    games: GameArgs,
    /// Bounds of the test: elo0 of H0 and elo1 of H1, in normalized Elo.
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true, help_heading = quick::HEADING)]
    elo: Vec<f64>,
    /// Probability of accepting H1 although H0 holds [default: 0.05].
    #[arg(long, value_name = "P", help_heading = quick::HEADING)]
    alpha: Option<f64>,
    /// Probability of accepting H0 although H1 holds [default: 0.05].
    #[arg(long, value_name = "P", help_heading = quick::HEADING)]
    beta: Option<f64>,
    /// Exit with 0 if this hypothesis is accepted, with 1 otherwise.
    #[arg(long, value_enum, value_name = "HYPOTHESIS")]
    expect: Option<Expect>,
    /// Play these stages one after the other, until one does not accept H1.
    ///
    /// stc: 8+0.08, 1 thread, Hash 16. ltc: 40+0.4, 1 thread, Hash 64. smp: 5+0.05, 8 threads (or all cores, if there are
    /// fewer), Hash 64. The bounds of all are 0 and 5, unless --elo gives others. The list `stages` of a configuration file
    /// has stages with other values.
    #[arg(
        long, value_enum, value_name = "STAGES", value_delimiter = ',', help_heading = quick::HEADING,
        conflicts_with_all = ["tc", "nodes", "depth", "movetime", "threads", "hash", "from_fastchess"]
    )]
    stages: Vec<NamedStage>,
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    counts: CountsArgs,
}

/// Arguments common to a match and a test.
#[derive(Debug, Args)]
#[command(mut_arg("config", quick::with_engines))]
pub(crate) struct GameArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    quick: QuickGames,
    /// Number of games of each pairing. In a test the most games played.
    #[arg(short = 'n', long, value_name = "N", help_heading = quick::HEADING)]
    games: Option<u64>,
    /// Seconds between two lines of progress, where there is no terminal to draw on.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    interval: u64,
    /// Stop with exit code 1 when an engine reports a wrong PV, such as one with an illegal move.
    #[arg(long)]
    strict_pv: bool,
    /// At the end, print the result as this tool does, to be pasted into a commit.
    ///
    /// A pair of a match between more engines is printed by `harness report RUN --format FORMAT --engines A B`. Configurations have
    /// the field `output.block`.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    block: Option<BlockFormat>,
    /// Play what a command line of fastchess describes, or a config.json saved by fastchess.
    ///
    /// Everything that follows belongs to it, so it comes last. Arguments without a counterpart are reported. With -sprt
    /// the run is a test, also in `harness match`.
    #[arg(long, value_name = "ARGS", num_args = 1.., allow_hyphen_values = true, conflicts_with = "config")]
    from_fastchess: Option<Vec<String>>,
}

impl GameArgs {
    /// Returns the arguments of the run, with the configuration made from the other arguments if no
    /// file is given, and the kind of run, which an imported command line may change. `bounds` are the
    /// settings of a test.
    fn prepare(&self, kind: RunKind, bounds: Vec<Setting>) -> Result<(RunArgs, RunKind), Failure> {
        let (made, kind) = match self.imported(kind)? {
            Some((imported, kind)) => (Some(imported), kind),
            None => (self.quick_source(kind, bounds)?, kind),
        };
        let message = "--print-config needs engines on the command line, or --from-fastchess";
        Failure::require(!self.run.print_config || made.is_some(), message)?;
        Ok((self.run.with_made(made), kind))
    }

    /// Builds the configuration that engines and arguments stand for.
    fn quick_source(&self, kind: RunKind, bounds: Vec<Setting>) -> Result<Option<Source>, Failure> {
        self.quick.engines.require_opponent(&self.run)?;
        let length = if kind == RunKind::Sprt { "sprt.max_games" } else { "games" };
        let games = std::iter::once(Setting::new("--games", length, self.games));
        let settings = self.quick.settings().into_iter().chain(games).chain(bounds).collect();
        self.quick.engines.source(&self.run, settings, self.quick.threads, |draft| {
            if kind == RunKind::Sprt && draft.has_revisions {
                // What is usual for the test of a patch.
                if !draft.has_limit() && !draft.has(STAGES) {
                    draft.set_default("time_control", DEFAULT_TIME_CONTROL);
                }
                if !draft.has("sprt.elo0") && !draft.has(STAGES) {
                    draft.set_default("sprt.elo0", DEFAULT_BOUNDS[0]);
                    draft.set_default("sprt.elo1", DEFAULT_BOUNDS[1]);
                }
            }
            let is_complete = self.run.set.is_empty() && !draft.has(STAGES);
            let has_limit = draft.has_limit() || !is_complete;
            ensure!(has_limit, "no limit for the engines: expected --tc, --nodes, --depth or --movetime");
            let has_bounds = kind != RunKind::Sprt || draft.has("sprt.elo0") || !is_complete;
            ensure!(has_bounds, "a test needs bounds: expected --elo ELO0 ELO1");
            Ok(())
        })
    }

    /// Returns the configuration imported from fastchess, if one is asked for, and its kind of run.
    ///
    /// Errors: `harness sprt` with a match that is no test. `harness match` plays both.
    fn imported(&self, kind: RunKind) -> Result<Option<(Source, RunKind)>, Failure> {
        let Some(words) = &self.from_fastchess else { return Ok(None) };
        let imported = match &words[..] {
            [file] if Path::new(file).extension().is_some_and(|extension| extension == "json") => {
                import_saved(&std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?)
            }
            // The whole command line as one word, as in a script.
            [line] if line.contains(' ') => import_command_line(&split_words(line)),
            words => import_command_line(words),
        };
        let imported = imported.map_err(|error| Failure::Usage(format!("--from-fastchess: {error}")))?;
        for note in &imported.notes {
            say(&format!("note: {note}"));
        }
        Failure::require(
            kind != RunKind::Sprt || imported.is_test,
            "--from-fastchess describes no test: add -sprt elo0=ELO0 elo1=ELO1 to it, or use \
             `harness match --from-fastchess`",
        )?;
        let kind = if imported.is_test { RunKind::Sprt } else { kind };
        let text = format!("{}{}", quick::command_line_comment(), imported.yaml);
        Ok(Some((Source::made(text, Vec::new()), kind)))
    }
}

/// Runs `harness match`.
pub(crate) fn run_match(args: &MatchArgs) -> Result<ExitCode, Failure> {
    let (run, kind) = args.games.prepare(RunKind::Match, Vec::new())?;
    let message = "--shard: -sprt describes a test, which is not played in parts";
    Failure::require(kind != RunKind::Sprt || args.shard.is_none(), message)?;
    run_games(&args.games, &run, kind, args.shard, None)
}

/// Returns the setting of `--stages`. The fields of each stage are written out, because the threads of `smp` depend on the
/// machine.
fn stages_setting(stages: &[NamedStage]) -> Setting {
    let names: Vec<String> = stages.iter().map(|stage| stage.name()).collect();
    let fields = |stage: &NamedStage| {
        let name = std::iter::once((Value::from("name"), Value::from(stage.name())));
        Value::Mapping(name.chain(stage.fields()).collect())
    };
    let list = (!stages.is_empty()).then(|| Value::Sequence(stages.iter().map(fields).collect()));
    Setting::new("--stages", STAGES, list).typed(&format!("--stages {}", names.join(",")))
}

/// Runs `harness sprt`.
pub(crate) fn run_sprt(args: &SprtArgs) -> Result<ExitCode, Failure> {
    if let (Some(counts), &[elo0, elo1]) = (args.counts.counts, &args.elo[..]) {
        let rates = [args.alpha, args.beta];
        let verdict = counts_command::run(counts, &args.counts, [elo0, elo1], rates, args.games.run.json)?;
        let text = match verdict {
            Verdict::AcceptH1 => "H1 accepted",
            Verdict::AcceptH0 => "H0 accepted",
            Verdict::Continue => "undecided",
        };
        return Ok(exit_code(Some(verdict), args.expect, text));
    }
    let elo = |index: usize| args.elo.get(index).copied();
    let typed: String = args.elo.iter().fold("--elo".to_owned(), |text, elo| format!("{text} {elo}"));
    let bounds = vec![
        stages_setting(&args.stages),
        Setting::new("--elo", "sprt", None::<u64>),
        Setting::new("--elo", "sprt.elo0", elo(0)).typed(&typed),
        Setting::new("--elo", "sprt.elo1", elo(1)).typed(&typed),
        Setting::new("--alpha", "sprt.alpha", args.alpha),
        Setting::new("--beta", "sprt.beta", args.beta),
        Setting::new("--model", "sprt.model", args.counts.played_model()?),
    ];
    let (run, _) = args.games.prepare(RunKind::Sprt, bounds)?;
    if !args.plan.plan {
        return run_games(&args.games, &run, RunKind::Sprt, None, args.expect);
    }
    plan::run(&run, &args.plan)
}

/// Checks that the games of a decided test still decide it: the rules of repeated pairs have changed.
fn check_decision(session: &Session, config: &MatchConfig, execution: Execution) -> Result<(), Failure> {
    let (Some(manifest), Some(folder)) = (session.resumed(), session.resumed_folder()) else { return Ok(()) };
    let run = StoredRun { path: folder.path(), manifest };
    let study = MatchStudy::new(config.clone(), execution).map_err(anyhow::Error::from)?;
    if session.is_decided() && review(&study, &run, "")?.summary.decision.is_none() {
        return Err(Failure::Run(anyhow::anyhow!(
            "{}: the test was decided, but by the present rules of repeated pairs its games do not decide it; nothing is \
             played (to play on, delete summary.json there)",
            folder.path().display()
        )));
    }
    Ok(())
}

fn run_games(
    games: &GameArgs,
    args: &RunArgs,
    kind: RunKind,
    shard: Option<Shard>,
    expect: Option<Expect>,
) -> Result<ExitCode, Failure> {
    let interval = Duration::from_secs(games.interval);
    let session = Session::begin(kind.name(), args)?;
    if kind == RunKind::Sprt && has_stages(&session.source) {
        let message = "--block: each stage has a result of its own: harness report RUN/STAGE --format FORMAT";
        Failure::require(games.block.is_none(), message)?;
        return stages::run(session, games.strict_pv, interval, expect);
    }
    let source = session.source.clone();
    let shard = session.resumed().map(|manifest| manifest.shard).or(shard).unwrap_or_default();
    let execution =
        ExecutionArgs { concurrency: session.set_concurrency(), shard, strict_pv: games.strict_pv };
    let prepared = Prepared::new(session, kind, execution)?;
    let mut manifest = prepared.describe(&timestamp()).context("cannot describe the run")?;
    let Prepared { session, loaded, equipment, trials, .. } = prepared;
    let LoadedMatch { config, execution, output, .. } = loaded;
    check_decision(&session, &config, execution)?;
    let has_no = |format| obstacle(format, config.engines.len(), config.sprt.as_ref(), false);
    if let Some(reason) = games.block.and_then(has_no) {
        return Failure::usage(format!("--block: {reason}"));
    }
    let block = games.block.or(output.block);
    let output = OutputConfig { block, ..output };
    manifest.sizes = all_sizes(&config.engines, &trials);
    manifest.authors = trials.iter().map(|trial| trial.id_author.clone()).collect();
    let mut outputs = Outputs::open(&output, &config, &trials, &source)?;
    let written = outputs.prints().then_some("format").or(block.map(|_| "block"));
    if let Some(field) = written.filter(|_| args.json) {
        return Failure::usage(format!(
            "--json and output.{field} both write to standard output; expected one of them"
        ));
    }
    let same = same_engine_notices(&config, &manifest, session.built());
    let (is_resumed, is_decided) = (session.resumed().is_some(), session.is_decided());
    let ids = trials.iter().map(|trial| (trial.id_name.clone(), trial.id_author.clone())).collect();
    let (mut run, folder) =
        session.open_as(&manifest, trials.into_iter().flat_map(|trial| trial.warnings).collect())?;
    outputs.begin(is_resumed)?;
    let outputs = Arc::new(outputs);
    run.notices.extend(same.iter().cloned());
    run.notices.extend(clock_notice(&config));
    run.notices.extend(equipment.notices(&config, execution.concurrency, is_decided));
    let equipment = Equipment { outputs: Arc::clone(&outputs), ids, ..equipment };
    let study = MatchStudy::new(config, execution).map_err(anyhow::Error::from)?;
    let study = MatchStudy { remarks: same, sizes: manifest.sizes, ..study };
    let play = MatchPlay::new(study, equipment);
    let summary = complete(&play, &run, &folder, Some(interval))?.summary;
    if outputs.prints() {
        say(summary.report().trim_end());
        outputs.run_ended();
    }
    // Games under way at the end of a test, and those of earlier sessions, do not stop the run.
    Ok(wrong_pvs_or_verdict(&summary, execution.strict_pv, expect))
}
