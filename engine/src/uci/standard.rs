//! The options of every session, except those of the endgame tables (`tables`) and of the opening
//! book (`book`).

use std::time::Duration;

use super::format::ScoreUnit;
use super::option::{UciOption, button, check, clamped_spin, combo, spin, text};
use super::state::{EMBEDDED, SessionState, SettingError};
use crate::engine::{MAX_HASH, MAX_THREADS};
use crate::eval::EvalType;
use crate::machine::binding::available;
use crate::search::time::NodeClock;
use crate::strength::{STRONGEST, WEAKEST};
use crate::threads::numa::NumaPolicy;
use crate::threads::pinning::Pinning;
use crate::types::{Mebibytes, Millis};

/// Returns the options, with defaults read from the initial state.
pub(super) fn options(initial: &SessionState) -> Vec<UciOption> {
    let mut options = engine_options(initial);
    options.extend(protocol_options(initial));
    options.extend(strength_options(initial));
    options.extend(environment_options(initial));
    options
}

/// Returns the options of the engine's resources and of its search.
fn engine_options(initial: &SessionState) -> Vec<UciOption> {
    let engine = &initial.engine;
    let configuration = engine.configuration();
    let nodes_per_millisecond =
        configuration.node_clock.map_or(0, |clock| clock.nodes(Duration::from_millis(1)).0 as i64);
    vec![
        spin("Hash", engine.hash().0 as i64, 1..=MAX_HASH.0 as i64, |state, size| {
            // GUIs send the value again, which must not end a search or empty the table.
            let size = Mebibytes(size as u64);
            if size != state.engine.hash() {
                state.engine.set_hash(size)?;
            }
            Ok(())
        }),
        button("Clear Hash", |state| {
            state.engine.clear_hash();
            Ok(())
        }),
        spin("Threads", engine.threads() as i64, 1..=MAX_THREADS as i64, |state, threads| {
            if threads as usize != state.engine.threads() {
                state.engine.set_threads(threads as usize)?;
                note_shared_processors(state);
            }
            Ok(())
        }),
        check("Ponder", configuration.ponders, |state, on| {
            state.configure(|configuration| configuration.ponders = on)
        }),
        spin("MultiPV", configuration.multipv as i64, 1..=256, |state, lines| {
            state.configure(|configuration| configuration.multipv = lines as usize)
        }),
        spin("Move Overhead", configuration.move_overhead.0, 0..=5000, |state, millis| {
            state.configure(|configuration| configuration.move_overhead = Millis(millis))
        }),
        spin("nodestime", nodes_per_millisecond, 0..=10_000, |state, nodes| {
            state.configure(|configuration| configuration.node_clock = NodeClock::new(nodes as u32))
        }),
    ]
}

/// Returns the options of the text format and of analysis.
fn protocol_options(initial: &SessionState) -> Vec<UciOption> {
    let dialect = *initial.dialect.lock();
    vec![
        check("UCI_Chess960", dialect.is_chess960, |state, on| {
            state.dialect.lock().is_chess960 = on;
            Ok(())
        }),
        check("UCI_ShowWDL", dialect.shows_wdl, |state, on| {
            state.dialect.lock().shows_wdl = on;
            Ok(())
        }),
        check("NormalizeScore", dialect.score_unit == ScoreUnit::Normalized, |state, on| {
            let unit = if on { ScoreUnit::Normalized } else { ScoreUnit::Internal };
            state.dialect.lock().score_unit = unit;
            Ok(())
        }),
        check("UCI_AnalyseMode", initial.engine.configuration().is_analysis, |state, on| {
            state.configure(|configuration| configuration.is_analysis = on)
        }),
    ]
}

/// Tells the user if more threads than processors are pinned.
fn note_shared_processors(state: &SessionState) {
    if state.engine.shared_processors().is_some() {
        state.output.note(&format!("Affinity: {}", state.engine.describe_places()));
    }
}

/// Returns the options for playing below full strength.
fn strength_options(initial: &SessionState) -> Vec<UciOption> {
    let strength = &initial.strength;
    let elo_range = i64::from(WEAKEST)..=i64::from(STRONGEST);
    vec![
        check("UCI_LimitStrength", strength.is_limited, |state, on| {
            state.limit_strength(|strength| strength.is_limited = on)
        }),
        clamped_spin("UCI_Elo", i64::from(strength.elo), elo_range, |state, elo| {
            state.limit_strength(|strength| strength.elo = elo as u32)
        }),
        spin("Strength Seed", strength.seed as i64, 0..=i64::from(i32::MAX), |state, seed| {
            state.limit_strength(|strength| strength.seed = seed as u64)
        }),
        check("SimulateThinkingTime", initial.engine.configuration().simulates_thinking, |state, on| {
            state.configure(|configuration| configuration.simulates_thinking = on)
        }),
    ]
}

/// Returns the options of files and cores.
fn environment_options(initial: &SessionState) -> Vec<UciOption> {
    let eval_type = initial.engine.configuration().evaluation.kind();
    vec![
        text("Debug Log File", "", |state, path| {
            let log = |error| SettingError::Log { path: path.to_owned(), error };
            state.output.log_to(path).map_err(log)
        }),
        text("Affinity", initial.engine.pinning().to_string(), |state, cores| {
            let pinning: Pinning = cores.parse()?;
            state.engine.set_pinning(pinning)?;
            note_shared_processors(state);
            Ok(())
        }),
        text("NumaPolicy", initial.engine.numa_policy().to_string(), |state, policy| {
            let policy = NumaPolicy::parse(policy, &available())?;
            let is_new = policy != *state.engine.numa_policy();
            state.engine.set_numa_policy(policy)?;
            if is_new {
                state.output.note(&format!("NumaPolicy: {}", state.engine.describe_places()));
            }
            Ok(())
        }),
        // GUIs send saved options in this order. Loading a network selects it, so that the saved
        // `EvalType` must follow.
        text("EvalFile", EMBEDDED, SessionState::load_network),
        combo("EvalType", eval_type, &EvalType::ALL, EvalType::name, SessionState::set_eval_type),
    ]
}
