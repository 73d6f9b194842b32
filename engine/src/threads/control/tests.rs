//! Tests of the handshake between `go`, `stop` and `ponderhit`.

use std::thread;
use std::time::Duration;

use super::*;

#[test]
fn stop_after_begin_is_kept_and_stop_while_idle_is_ignored() {
    let control = SearchControl::new();
    control.stop();
    assert!(control.begin(Hold::Free));
    assert!(!control.should_stop(), "the earlier stop had no search");
    control.stop();
    assert!(control.should_stop());
    control.finish();
    control.stop();
    assert!(control.begin(Hold::Free));
    assert!(!control.should_stop());
    control.finish();
}

#[test]
fn each_hold_is_released_by_its_own_command() {
    let control = SearchControl::new();
    assert!(control.begin(Hold::Free));
    control.wait_for_stop_or_ponderhit();
    control.finish();
    assert!(control.begin(Hold::Ponder));
    assert!(control.is_pondering());
    control.ponderhit();
    assert!(!control.is_pondering() && !control.should_stop());
    control.wait_for_stop_or_ponderhit();
    control.finish();
    assert!(control.begin(Hold::Infinite));
    thread::scope(|scope| {
        let main = scope.spawn(|| {
            control.wait_for_stop_or_ponderhit();
            control.should_stop()
        });
        control.ponderhit();
        thread::sleep(Duration::from_millis(30));
        assert!(!main.is_finished(), "ponderhit does not end an infinite search");
        control.stop();
        assert!(main.join().expect("no panic"), "it was stopped");
    });
    control.finish();
}

#[test]
fn stop_ends_the_wait_for_a_moment() {
    let control = SearchControl::new();
    assert!(control.begin(Hold::Free));
    let started = Instant::now();
    control.wait_for_stop_until(started + Duration::from_millis(30));
    assert!(started.elapsed() >= Duration::from_millis(30) && !control.should_stop());
    thread::scope(|scope| {
        scope.spawn(|| control.wait_for_stop_until(started + Duration::from_hours(1)));
        control.stop();
    });
    control.wait_for_stop_until(started + Duration::from_hours(1));
}

#[test]
fn ponderhit_while_idle_is_ignored() {
    let control = SearchControl::new();
    control.ponderhit();
    assert!(control.begin(Hold::Ponder));
    assert!(control.is_pondering());
    control.stop();
    control.wait_for_stop_or_ponderhit();
    assert!(!control.is_pondering(), "a stopped search does not ponder");
    control.finish();
}

#[test]
fn begin_stops_the_previous_search() {
    let control = SearchControl::new();
    assert!(control.begin(Hold::Infinite));
    thread::scope(|scope| {
        scope.spawn(|| {
            control.wait_for_stop_or_ponderhit();
            let is_stopped = control.should_stop();
            control.finish();
            assert!(is_stopped);
        });
        assert!(control.begin(Hold::Free));
        assert!(!control.should_stop() && control.is_searching());
    });
    control.finish();
    control.wait_idle();
}

#[test]
fn no_search_begins_after_quit() {
    let control = SearchControl::new();
    assert!(control.begin(Hold::Ponder));
    control.quit();
    assert!(control.should_stop());
    control.wait_for_stop_or_ponderhit();
    control.finish();
    control.wait_idle();
    assert!(!control.begin(Hold::Free));
    assert!(!control.is_searching());
}
