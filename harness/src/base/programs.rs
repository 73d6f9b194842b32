//! The program of each command: it can resume and report on the runs of the command.

/// Returns the program with a command; `None` if both or neither have it.
pub fn program_of(command: &str) -> Option<&'static str> {
    match command {
        "sprt" | "match" | "bench" | "smp" | "tune" | "doctor" | "replay" | "suite" | "ablate"
        | "equivalence" | "screen" | "queue" | "merge" | "builds" | "openbench" => Some("harness"),
        "book" | "openings" | "tb" | "datagen" | "train" | "data" | "tune-eval" | "eval-error"
        | "fit-wdl" | "claims" => Some("workshop"),
        _ => None,
    }
}

/// Returns the program that resumes and reports on runs of a kind, and the kind: `workshop train`.
pub fn with_program(kind: &str) -> String {
    format!("{} {kind}", program_of(kind).unwrap_or("harness"))
}
