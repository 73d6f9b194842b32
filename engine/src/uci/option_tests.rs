//! Tests of the option table: each option, standard and lab, is set to another value and to invalid
//! ones.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use super::format::{Dialect, ScoreUnit};
use super::option::{Kind, OptionError, UciOption};
use super::options::OptionTable;
use super::output::Output;
use super::state::SessionState;
use crate::book::{BookKey, BookMove, Entry, Selection};
use crate::engine::Mode;
use crate::eval::network::{BUCKETS, FEATURES, HIDDEN_MULTIPLE, Network, Weights};
use crate::eval::{EvalType, Evaluation};
use crate::position::{Game, Position};
use crate::search::Teamwork;
use crate::search::driver_kind::{Driver, MtdSequence};
use crate::search::limits::Limits;
use crate::search::params::Tunable;
use crate::search::switches::{Class, Settings, Switch};
use crate::search::time::NodeClock;
use crate::strength::{STRONGEST, Strength, WEAKEST};
use crate::sync::Mutex;
use crate::tablebase::TableUse;
use crate::threads::numa::NumaPolicy;
use crate::threads::pinning::Pinning;
use crate::threads::result_board::Relay;
use crate::threads::stagger::Stagger;
use crate::types::{Depth, Mebibytes, Millis, Permille};

/// A writer that keeps the output of a session.
#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl io::Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Printed {
    /// Returns and removes the output so far.
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut self.0.lock())).unwrap()
    }
}

/// A session with its options.
struct Fixture {
    state: SessionState,
    options: OptionTable,
    printed: Printed,
}

impl Fixture {
    fn new(is_lab: bool) -> Self {
        let printed = Printed::default();
        let mut state = SessionState::new(Output::new(printed.clone()), Dialect::default()).unwrap();
        state.engine.set_hash(Mebibytes(1)).unwrap();
        if is_lab {
            state.configure(|configuration| configuration.mode = Mode::Lab(Settings::default())).unwrap();
        }
        let options = OptionTable::new(&state, is_lab);
        Self { state, options, printed }
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, Some(value), &mut self.state)
    }

    fn option(&self, name: &str) -> &UciOption {
        self.options.find(name).unwrap()
    }

    /// Describes all settings except the network.
    fn settings(&self) -> String {
        let SessionState { engine, dialect, network, strength, .. } = &self.state;
        let mut configuration = engine.configuration().clone();
        let eval_type = configuration.evaluation.kind();
        configuration.evaluation = Evaluation::Material;
        let dialect = *dialect.lock();
        let book = &engine.book;
        format!(
            "{configuration:?} {eval_type:?} {dialect:?} {strength:?} {} {:?} {} {:?} {:?} {} {:?} {} {} {}",
            network.is_some(),
            engine.hash(),
            engine.threads(),
            engine.pinning(),
            engine.numa_policy(),
            book.is_on,
            book.selection,
            book.is_best_only,
            book.uses_learned,
            book.depth,
        )
    }

    fn lab_settings(&self) -> &Settings {
        match &self.state.engine.configuration().mode {
            Mode::Lab(settings) => settings,
            Mode::Play => panic!("an option of the lab leaves the play mode"),
        }
    }
}

/// Returns the path of a scratch file of this process.
fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("stretto-options-{}-{name}", std::process::id()))
}

/// A value of an option, and whether it has taken effect.
type Case = (&'static str, &'static str, fn(&SessionState) -> bool);

/// A case for each standard option whose effect can be read from the state.
const STANDARD: &[Case] = &[
    ("Hash", "2", |state| state.engine.hash() == Mebibytes(2)),
    ("Threads", "2", |state| state.engine.threads() == 2),
    ("Ponder", "true", |state| state.engine.configuration().ponders),
    ("MultiPV", "3", |state| state.engine.configuration().multipv == 3),
    ("Move Overhead", "77", |state| state.engine.configuration().move_overhead == Millis(77)),
    ("nodestime", "600", |state| state.engine.configuration().node_clock == NodeClock::new(600)),
    ("UCI_Chess960", "true", |state| state.dialect.lock().is_chess960),
    ("UCI_ShowWDL", "true", |state| state.dialect.lock().shows_wdl),
    ("NormalizeScore", "true", |state| state.dialect.lock().score_unit == ScoreUnit::Normalized),
    ("UCI_AnalyseMode", "true", |state| state.engine.configuration().is_analysis),
    ("UCI_LimitStrength", "true", |state| elo(state) == Some(STRONGEST)),
    ("SimulateThinkingTime", "true", |state| state.engine.configuration().simulates_thinking),
    ("Affinity", "auto", |state| *state.engine.pinning() == Pinning::Auto),
    ("NumaPolicy", "none", |state| *state.engine.numa_policy() == NumaPolicy::None),
    ("EvalType", "Material", |state| state.engine.configuration().evaluation.kind() == EvalType::Material),
    ("SyzygyProbeDepth", "9", |state| usage(state).probe_depth == Depth(9)),
    ("SyzygyProbeLimit", "4", |state| usage(state).probe_limit == 4),
    ("Syzygy50MoveRule", "false", |state| !usage(state).has_fifty_moves),
    ("EmbeddedTables", "false", |state| !usage(state).has_embedded),
    ("Swindle", "true", |state| usage(state).swindles),
    ("OwnBook", "true", |state| state.engine.book.is_on),
    ("Best Book Move", "true", |state| state.engine.book.is_best_only),
    ("Book Selection", "worst", |state| state.engine.book.selection == Selection::Worst),
    ("Book Depth", "12", |state| state.engine.book.depth == 12),
    ("Book Learning", "false", |state| !state.engine.book.uses_learned),
];

/// The standard options with a test of their own.
const SEPARATE: &[&str] = &[
    "Clear Hash",
    "UCI_Elo",
    "Strength Seed",
    "Debug Log File",
    "EvalFile",
    "SyzygyPath",
    "TablePath",
    "Book File",
    "Book Seed",
];

/// A case for each lab option that is neither a switch nor a tunable.
const LAB: &[Case] = &[
    ("Driver", "mtdf", |state| state.engine.configuration().driver == Driver::Mtd(MtdSequence::F)),
    ("Stagger", "spread", |state| teamwork(state).stagger == Stagger::Spread),
    ("Lockstep", "500", |state| teamwork(state).lockstep == NonZeroU64::new(500)),
    ("Relay", "ahead", |state| teamwork(state).relay == Relay::Ahead),
    ("SharedPawn", "true", |state| teamwork(state).shares_pawn),
    ("SharedContinuation", "false", |state| !teamwork(state).shares_continuation),
    ("SharedButterfly", "false", |state| !teamwork(state).shares_butterfly),
    ("SharedCorrections", "false", |state| !teamwork(state).shares_corrections),
    ("AgreedStop", "false", |state| !teamwork(state).agreed_stop),
    ("Vote", "false", |state| !teamwork(state).vote),
    ("BallotLog", "true", |state| teamwork(state).logs_ballots),
];

fn elo(state: &SessionState) -> Option<u32> {
    state.engine.configuration().strength.map(|strength| strength.elo)
}

fn usage(state: &SessionState) -> TableUse {
    state.engine.configuration().tables.usage
}

fn teamwork(state: &SessionState) -> Teamwork {
    state.engine.configuration().teamwork
}

/// Sets each option to the value of its case and checks the effect, which the default must not
/// have.
fn check_cases(fixture: &mut Fixture, cases: &[Case]) {
    for &(name, value, has_effect) in cases {
        assert!(!has_effect(&fixture.state), "{name} has this value by default");
        fixture.set(name, value).unwrap();
        assert!(has_effect(&fixture.state), "{name} value {value} has no effect");
    }
}

#[test]
fn each_standard_option_takes_effect() {
    check_cases(&mut Fixture::new(false), STANDARD);
}

#[test]
fn each_lab_choice_takes_effect() {
    check_cases(&mut Fixture::new(true), LAB);
}

#[test]
fn each_switch_takes_effect_alone() {
    for &switch in Switch::ALL {
        let mut fixture = Fixture::new(true);
        let on = !switch.info().default;
        fixture.set(&switch.info().name.to_uppercase(), &on.to_string()).unwrap();
        assert_eq!(*fixture.lab_settings(), Settings::default().with(switch, on), "{switch:?}");
    }
}

#[test]
fn each_tunable_takes_effect_alone() {
    let mut fixture = Fixture::new(true);
    for &tunable in Tunable::ALL {
        let info = tunable.info();
        for value in [info.min, info.max, info.default] {
            fixture.set(info.name, &value.to_string()).unwrap();
            let mut expected = Settings::default();
            expected.tune(tunable, value);
            assert_eq!(*fixture.lab_settings(), expected, "{tunable:?} value {value}");
        }
    }
}

#[test]
fn disable_unsound_keeps_the_switches_that_do_not_change_scores() {
    let mut fixture = Fixture::new(true);
    fixture.options.set("Disable Unsound", None, &mut fixture.state).unwrap();
    let expected = Settings::default().without_class(Class::Unsound);
    assert_eq!(*fixture.lab_settings(), expected);
    assert_ne!(expected, Settings::default());
}

#[test]
fn every_option_is_tested() {
    let names = |is_lab| -> Vec<&str> { Fixture::new(is_lab).options.names().collect() };
    let standard = names(false);
    for name in &standard {
        let cases = STANDARD.iter().filter(|(tested, ..)| tested == name).count();
        let separate = SEPARATE.iter().filter(|tested| *tested == name).count();
        assert_eq!(cases + separate, 1, "{name}");
    }
    assert_eq!(standard.len(), STANDARD.len() + SEPARATE.len());
    let lab = names(true);
    let (same, added) = lab.split_at(standard.len());
    assert_eq!(same, standard);
    let switches = Switch::ALL.iter().map(|switch| switch.info().name);
    let tunables = Tunable::ALL.iter().map(|tunable| tunable.info().name);
    let expected: BTreeSet<&str> = switches
        .chain(tunables)
        .chain(LAB.iter().map(|&(name, ..)| name))
        .chain(["Disable Unsound"])
        .collect();
    assert_eq!(added.iter().copied().collect::<BTreeSet<&str>>(), expected);
    assert_eq!(added.len(), expected.len(), "a name is declared twice");
}

#[test]
fn clear_hash_empties_the_table_with_or_without_a_value() {
    let mut fixture = Fixture::new(false);
    for value in [None, Some("now")] {
        fixture.state.engine.go(Limits { depth: Some(Depth(6)), ..Limits::default() });
        fixture.state.engine.wait();
        assert!(fixture.state.engine.hashfull() > Permille(0));
        fixture.options.set("clear hash", value, &mut fixture.state).unwrap();
        assert_eq!(fixture.state.engine.hashfull(), Permille(0));
    }
}

#[test]
fn elo_and_seed_apply_once_strength_is_limited() {
    let mut fixture = Fixture::new(false);
    fixture.set("UCI_Elo", "900").unwrap();
    fixture.set("Strength Seed", "5").unwrap();
    assert_eq!(fixture.state.engine.configuration().strength, None);
    fixture.set("UCI_LimitStrength", "true").unwrap();
    let strength = |fixture: &Fixture| fixture.state.engine.configuration().strength.unwrap();
    assert_eq!(strength(&fixture), Strength { elo: 900, seed: 5 });
    fixture.set("UCI_Elo", "1000").unwrap();
    fixture.set("Strength Seed", "6").unwrap();
    assert_eq!(strength(&fixture), Strength { elo: 1000, seed: 6 });
    fixture.set("Strength Seed", "0").unwrap();
    assert_ne!(strength(&fixture).seed, 0, "0 stands for a random seed");
}

#[test]
fn elo_out_of_range_is_clamped_with_a_note() {
    let mut fixture = Fixture::new(false);
    let (above, below) = ("99999999999999999999", "-99999999999999999999");
    for (value, used) in
        [("3190", STRONGEST), ("0", WEAKEST), ("-5", WEAKEST), (above, STRONGEST), (below, WEAKEST)]
    {
        fixture.set("UCI_Elo", value).unwrap();
        assert_eq!(fixture.state.strength.elo, used);
        let note = format!("info string UCI_Elo: '{value}' is out of range (100 to 2450), using {used}\n");
        assert_eq!(fixture.printed.take(), note);
    }
    fixture.set("UCI_Elo", "900").unwrap();
    assert_eq!(fixture.printed.take(), "");
    for wrong in ["900.5", "-", "9e2"] {
        fixture.set("UCI_Elo", wrong).unwrap_err();
    }
}

#[test]
fn seed_zero_draws_a_new_seed_for_each_search_and_others_stay() {
    let mut fixture = Fixture::new(false);
    fixture.set("UCI_LimitStrength", "true").unwrap();
    let mut seeds = |seed: &str| -> BTreeSet<u64> {
        fixture.set("Strength Seed", seed).unwrap();
        let draw = |_| {
            fixture.state.renew_strength_seed();
            fixture.state.engine.configuration().strength.unwrap().seed
        };
        (0..20).map(draw).collect()
    };
    assert_eq!(seeds("0").len(), 20);
    assert_eq!(seeds("6"), BTreeSet::from([6]));
}

#[test]
fn present_hash_and_threads_keep_a_search_and_the_table() {
    let mut fixture = Fixture::new(false);
    fixture.state.engine.go(Limits { depth: Some(Depth(6)), ..Limits::default() });
    fixture.state.engine.wait();
    fixture.set("Hash", "1").unwrap();
    assert!(fixture.state.engine.hashfull() > Permille(0), "the table is emptied");
    fixture.state.engine.go(Limits { infinite: true, ..Limits::default() });
    for (name, value) in [("Hash", "1"), ("Threads", "1"), ("EvalType", "network")] {
        fixture.set(name, value).unwrap();
        assert!(fixture.state.engine.is_searching(), "{name} value {value} ends the search");
    }
    fixture.set("Threads", "2").unwrap();
    assert!(!fixture.state.engine.is_searching());
}

#[test]
fn lab_options_are_reported_as_such() {
    let mut fixture = Fixture::new(false);
    for name in ["NullMove", "nullmove", "LmrSlope", "Driver", "Disable Unsound"] {
        let error = fixture.set(name, "false").unwrap_err().to_string();
        assert_eq!(error, format!("unknown option '{name}'; it is an option of `stretto --lab`"));
    }
}

#[test]
fn debug_log_is_written_until_it_is_closed() {
    let path = scratch("log");
    let mut fixture = Fixture::new(false);
    fixture.set("Debug Log File", path.to_str().unwrap()).unwrap();
    fixture.state.output.line("logged");
    fixture.set("Debug Log File", "<empty>").unwrap();
    fixture.state.output.line("not kept");
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(text.contains("< logged") && !text.contains("not kept"), "{text}");
}

/// Writes the smallest network to a scratch file and returns its path.
fn smallest_network(name: &str) -> PathBuf {
    let hidden = HIDDEN_MULTIPLE;
    let weights = Weights {
        rows: vec![0; FEATURES * hidden],
        biases: vec![1; hidden],
        outputs: vec![1; BUCKETS * 2 * hidden],
        output_biases: [0; BUCKETS],
        scale: 200,
        manifest: [7; 16],
    };
    let path = scratch(name);
    fs::write(&path, weights.to_bytes()).unwrap();
    path
}

/// As a GUI sends the saved values.
#[test]
fn options_set_in_declared_order_keep_the_network_and_another_eval_type() {
    let path = smallest_network("saved-network");
    let mut fixture = Fixture::new(false);
    let saved = [("EvalType", "classical"), ("EvalFile", path.to_str().unwrap())];
    let declared = fixture.options.declare();
    let mut sent = Vec::new();
    for line in declared.lines() {
        let value = |(name, _): &&(&str, &str)| line.starts_with(&format!("option name {name} "));
        if let Some(&(name, value)) = saved.iter().find(value) {
            fixture.set(name, value).unwrap();
            sent.push(name);
        }
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(sent.len(), saved.len(), "{sent:?}");
    assert_eq!(fixture.state.engine.configuration().evaluation.kind(), EvalType::Classical);
    assert_eq!(fixture.state.network.as_ref().map(|network| network.hidden()), Some(HIDDEN_MULTIPLE));
}

#[test]
fn eval_file_loads_a_network_and_its_default_keeps_another_eval_type() {
    let hidden = HIDDEN_MULTIPLE;
    let path = smallest_network("network");
    let mut fixture = Fixture::new(false);
    let evaluation = |fixture: &Fixture| fixture.state.engine.configuration().evaluation.clone();
    fixture.set("EvalType", "classical").unwrap();
    fixture.set("EvalFile", path.to_str().unwrap()).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!((evaluation(&fixture).kind(), evaluation(&fixture).hidden()), (EvalType::Network, hidden));
    fixture.set("EvalFile", "<embedded>").unwrap();
    let embedded = Network::embedded().unwrap().hidden();
    assert_eq!(evaluation(&fixture).hidden(), embedded);
    fixture.set("EvalType", "material").unwrap();
    fixture.set("EvalFile", "<embedded>").unwrap();
    assert_eq!(evaluation(&fixture).kind(), EvalType::Material);
    fixture.set("EvalType", "network").unwrap();
    assert_eq!(evaluation(&fixture).hidden(), embedded);
}

#[test]
fn eval_type_network_is_refused_without_a_network() {
    let mut fixture = Fixture::new(false);
    fixture.set("EvalType", "classical").unwrap();
    fixture.state.network = None;
    let error = fixture.set("EvalType", "network").unwrap_err();
    assert_eq!(error.to_string(), "option EvalType: no network is loaded; load one with EvalFile");
    assert_eq!(fixture.state.engine.configuration().evaluation.kind(), EvalType::Classical);
}

#[test]
fn table_paths_report_what_was_found() {
    let folder = scratch("tables");
    fs::create_dir_all(&folder).unwrap();
    let mut fixture = Fixture::new(false);
    for name in ["SyzygyPath", "TablePath"] {
        fixture.set(name, "/no/such/folder").unwrap();
        let printed = fixture.printed.take();
        let lines: Vec<&str> = printed.lines().collect();
        let [skipped, found] = lines[..] else { panic!("{printed}") };
        assert!(skipped.starts_with(&format!("info string {name}: ")), "{printed}");
        assert!(skipped.contains("/no/such/folder") && skipped.ends_with(", skipped"), "{printed}");
        assert_eq!(found, format!("info string {name}: no tables found"));
        fixture.set(name, folder.to_str().unwrap()).unwrap();
        assert_eq!(fixture.printed.take(), format!("info string {name}: no tables found\n"));
        fixture.set(name, "<empty>").unwrap();
        let printed = fixture.printed.take();
        assert_eq!(printed, format!("info string {name}: no folder is set; these tables are not used\n"));
    }
    fs::remove_dir_all(&folder).unwrap();
    assert!(fixture.state.engine.configuration().tables.syzygy.is_none());
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_syzygy_path_sets_and_unsets_the_tables() {
    let data = std::env::var("STRETTO_TEST_DATA").expect("`make test-data DATA=FOLDER` sets it");
    let mut fixture = Fixture::new(false);
    fixture.set("SyzygyPath", &format!("{data}/tb/syzygy")).unwrap();
    assert!(fixture.state.engine.configuration().tables.syzygy.is_some());
    fixture.set("SyzygyPath", "<empty>").unwrap();
    assert!(fixture.state.engine.configuration().tables.syzygy.is_none());
}

#[test]
fn book_file_and_seed_determine_the_moves() {
    let game = Game::new(Position::startpos());
    let entries = ["e2e4", "d2d4", "c2c4"].map(|text| {
        let mv = BookMove::new(game.position().parse_uci(text).unwrap());
        Entry { key: BookKey::of(&game), mv, weight: 1, ..Entry::default() }
    });
    let path = scratch("book");
    fs::write(&path, entries.into_iter().flat_map(Entry::to_bytes).collect::<Vec<u8>>()).unwrap();
    let mut fixture = Fixture::new(false);
    fixture.set("OwnBook", "true").unwrap();
    fixture.set("Book File", path.to_str().unwrap()).unwrap();
    assert_eq!(fixture.printed.take(), "info string Book File: 3 entries\n");
    let mut draw = |seed: &str| {
        fixture.set("Book Seed", seed).unwrap();
        let book = &mut fixture.state.engine.book;
        (0..40).map(|_| book.choose(&game, &[]).unwrap().taken.mv).collect::<Vec<_>>()
    };
    assert_eq!(draw("5"), draw("5"));
    assert_ne!(draw("5"), draw("6"));
    fixture.set("Book File", "<empty>").unwrap();
    fs::remove_file(&path).unwrap();
    assert!(!fixture.state.engine.book.has_book());
}

/// Returns values that the option must refuse.
fn invalid_values(option: &UciOption) -> Vec<String> {
    match &option.kind {
        Kind::Check { .. } => vec!["maybe".into(), String::new(), "1".into()],
        Kind::Spin { is_clamped: true, .. } => vec!["abc".into(), String::new()],
        Kind::Spin { range, .. } => vec![
            (range.start() - 1).to_string(),
            (range.end() + 1).to_string(),
            "99999999999999999999999".into(),
            "abc".into(),
            "16.5".into(),
            String::new(),
        ],
        Kind::Combo { .. } => vec!["tea leaves".into(), String::new()],
        Kind::Button { .. } => Vec::new(),
        Kind::Text { .. } => match option.name {
            "SyzygyPath" | "TablePath" => Vec::new(),
            _ => vec!["/no/such/folder/file".into()],
        },
    }
}

#[test]
fn invalid_values_are_refused_by_name_and_change_nothing() {
    let mut fixture = Fixture::new(true);
    let names: Vec<&str> = fixture.options.names().collect();
    let before = fixture.settings();
    for name in names {
        for value in invalid_values(fixture.option(name)) {
            let error = fixture.set(name, &value).unwrap_err();
            assert!(error.to_string().starts_with(&format!("option {name}: ")), "{error}");
            assert_eq!(fixture.settings(), before, "{name} value {value}");
        }
        if !matches!(fixture.option(name).kind, Kind::Button { .. }) {
            let error = fixture.options.set(name, None, &mut fixture.state).unwrap_err();
            assert!(error.to_string().ends_with(", found no value"), "{error}");
        }
    }
    assert_eq!(fixture.settings(), before);
    assert_eq!(
        fixture.set("threads", "abc").unwrap_err().to_string(),
        "option Threads: expected an integer from 1 to 1024, found 'abc'"
    );
    assert_eq!(
        fixture.set("Haash", "1").unwrap_err().to_string(),
        "unknown option 'Haash'; `uci` lists the options"
    );
}

#[test]
fn declared_defaults_leave_a_new_session_unchanged() {
    let mut fixture = Fixture::new(true);
    let before = fixture.settings();
    let names: Vec<&str> = fixture.options.names().collect();
    for name in names {
        let default = match &fixture.option(name).kind {
            Kind::Check { default, .. } => default.to_string(),
            Kind::Spin { default, .. } => default.to_string(),
            Kind::Combo { default, choices, .. } => choices[*default].to_owned(),
            // It has no default.
            Kind::Button { .. } => continue,
            Kind::Text { default, .. } => default.clone(),
        };
        fixture.set(name, &default).unwrap();
        assert_eq!(fixture.settings(), before, "{name} value {default}");
    }
}

#[test]
fn declaration_has_name_type_default_and_range() {
    let output = Output::new(io::sink());
    let state = SessionState::new(output, Dialect::default()).unwrap();
    let options = OptionTable::new(&state, true);
    let text = options.declare();
    for line in [
        "option name Hash type spin default 16 min 1 max 33554432\n",
        "option name Clear Hash type button\n",
        "option name Threads type spin default 1 min 1 max 1024\n",
        "option name Ponder type check default false\n",
        "option name MultiPV type spin default 1 min 1 max 256\n",
        "option name Move Overhead type spin default 10 min 0 max 5000\n",
        "option name nodestime type spin default 0 min 0 max 10000\n",
        "option name Affinity type string default off\n",
        "option name EvalType type combo default network var network var classical var material\n",
        "option name EvalFile type string default <embedded>\n",
        "option name SyzygyPath type string default <empty>\n",
        "option name SyzygyProbeDepth type spin default 1 min 1 max 100\n",
        "option name SyzygyProbeLimit type spin default 7 min 0 max 7\n",
        "option name Syzygy50MoveRule type check default true\n",
        "option name TablePath type string default <empty>\n",
        "option name EmbeddedTables type check default true\n",
        "option name Swindle type check default false\n",
        "option name UCI_LimitStrength type check default false\n",
        "option name UCI_Elo type spin default 2450 min 100 max 2450\n",
        "option name Strength Seed type spin default 0 min 0 max 2147483647\n",
        "option name SimulateThinkingTime type check default false\n",
        "option name Debug Log File type string default <empty>\n",
        "option name Book Depth type spin default 255 min 1 max 999\n",
        "option name Book Learning type check default true\n",
        "option name Driver type combo default pvs var negamax var alphabeta var pvs var mtdf var sss var dual var mtd-bisection var mtd-step\n",
        "option name Lockstep type spin default 0 min 0 max 1000000\n",
        "option name Vote type check default true\n",
    ] {
        assert!(text.contains(line), "{line} not in\n{text}");
    }
    assert_eq!(text.lines().count(), options.names().count());
}

#[test]
fn names_are_unique_in_any_case_and_avoid_reserved_words() {
    let fixture = Fixture::new(true);
    let mut seen = BTreeSet::new();
    for name in fixture.options.names() {
        assert!(seen.insert(name.to_ascii_lowercase()), "{name}");
        for written in [name.to_ascii_lowercase(), name.to_ascii_uppercase()] {
            assert_eq!(fixture.option(&written).name, name);
        }
        // `setoption` uses these words as separators.
        assert!(name.split(' ').all(|word| word != "name" && word != "value"));
    }
}
