//! A notice for a match of a program against itself.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Exits, Lab, harness, stderr};

const NOTICE: &str = "first and second are the same program with the same options and limits (A/A)";

/// Plays a match; returns what was said at the start, and the report made anew from the journal.
fn play(lab: &Lab) -> (String, String) {
    let output = lab.run("match", &[]).exits(0);
    let again = lab.path("again");
    harness(&["report"]).arg(lab.run_dir()).arg("--out").arg(&again).exits(0);
    (stderr(&output), fs::read_to_string(again.join("report.md")).unwrap())
}

#[test]
fn notice_and_report_state_that_both_engines_are_the_same() {
    let lab = Lab::new("ok", "ok").with("games: 2");
    let copy = lab.path("copy");
    fs::copy(env!("CARGO_BIN_EXE_fake-engine"), &copy).unwrap();
    let with_copy = |text: String| {
        let other = text.replacen("name: second, command: ", "name: second, command: OTHER", 1);
        let fake = format!("OTHER{}", env!("CARGO_BIN_EXE_fake-engine"));
        let other = other.replace(&fake, &copy.display().to_string());
        assert_ne!(other, text);
        other
    };
    let output = lab.edited("match", with_copy).exits(0);
    assert_eq!(stderr(&output).matches(NOTICE).count(), 1, "a copy is the same program: {}", stderr(&output));
    let report = fs::read_to_string(lab.run_dir().join("report.md")).unwrap();
    assert_eq!(report.matches(NOTICE).count(), 1, "{report}");
}

#[test]
fn scripts_with_equal_text_are_the_same_program_at_one_path_only() {
    let lab = Lab::new("ok", "ok").with("games: 2");
    let text = format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_fake-engine"));
    for script in ["one", "other"] {
        fs::write(lab.path(script), &text).unwrap();
        fs::set_permissions(lab.path(script), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let config = fs::read_to_string(lab.write_config()).unwrap();
    for (second, is_same) in [("other", false), ("one", true)] {
        let mut parts = config.split(env!("CARGO_BIN_EXE_fake-engine"));
        let file = lab.path("scripts.yaml");
        let [start, middle, end] = std::array::from_fn(|_| parts.next().unwrap());
        fs::write(&file, format!("{start}./one{middle}./{second}{end}")).unwrap();
        let output =
            harness(&["match"]).arg(&file).arg("--out").arg(lab.path(&format!("run-{second}"))).exits(0);
        let said = stderr(&output);
        assert_eq!(said.contains(NOTICE), is_same, "{said}");
        assert!(said.contains("second is a script: only its own text is checked"), "{said}");
    }
}

#[test]
fn rebuilt_report_keeps_the_notice() {
    let (said, report) = play(&Lab::new("ok", "ok").with("games: 2"));
    assert!(said.contains(NOTICE) && report.contains(NOTICE), "{said}\n{report}");
}

#[test]
fn other_options_or_limits_are_other_engines() {
    for more in [", options: { Hash: 32 }", ", nodes: 300"] {
        let lab = Lab::new("ok", "ok").engine(1, "ok", more).with("games: 2");
        let (said, report) = play(&lab);
        assert!(!said.contains("the same program") && !report.contains("the same program"), "{more}: {said}");
    }
}

#[test]
fn many_equal_engines_have_a_few_notices() {
    let mut lab = Lab::new("ok", "ok");
    for name in ["third", "fourth", "fifth", "sixth"] {
        lab = lab.and(name, "ok");
    }
    let said = stderr(&lab.with("games: 2").run("match", &[]).exits(0));
    assert_eq!(said.matches("are the same program").count(), 10, "{said}");
    assert!(said.contains("15 pairings are A/A in all"), "{said}");
}
