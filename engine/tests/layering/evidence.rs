//! The evidence of the heuristics: each header links to results that exist, and repeats no figures.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the Rust files under `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    paths.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// Returns the `Evidence:` item of a module header; it may span several lines.
fn evidence(text: &str) -> Option<String> {
    let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let first = header.iter().position(|line| line.starts_with("Evidence:"))?;
    let lines = header[first..].iter().take_while(|line| !line.is_empty());
    Some(lines.copied().collect::<Vec<_>>().join(" "))
}

/// Returns the results that an `Evidence:` item names: the file, and the section if one is given.
/// Sections belong to the file named before them.
fn links(evidence: &str) -> Vec<(&str, Option<&str>)> {
    let mut links: Vec<(&str, Option<&str>)> = Vec::new();
    // The parts with odd indices are between backquotes: file names.
    for (index, part) in evidence.split('`').enumerate() {
        if index % 2 == 1 {
            if part.starts_with("results/") {
                links.push((part, None));
            }
        } else if let Some(&(file, _)) = links.last() {
            links.extend(part.split('"').skip(1).step_by(2).map(|section| (file, Some(section))));
        }
    }
    links
}

#[test]
fn evidence_of_each_heuristic_links_to_existing_results_without_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for path in sources(&root.join("src/search/heuristics")) {
        let text = fs::read_to_string(&path).expect("a readable source");
        let Some(evidence) = evidence(&text) else { continue };
        seen += 1;
        let shown = path.display();
        assert!(!evidence.contains("Elo") && !evidence.contains('±'), "{shown}: {evidence}");
        let links = links(&evidence);
        assert!(!links.is_empty(), "{shown}: no file of results/ in {evidence:?}");
        for (file, section) in links {
            let results = fs::read_to_string(root.join("..").join(file)).unwrap_or_default();
            assert!(!results.is_empty(), "{shown}: {file} does not exist");
            let is_heading = |line: &str| Some(line.trim_start_matches('#').trim()) == section;
            let exists =
                section.is_none() || results.lines().filter(|line| line.starts_with('#')).any(is_heading);
            assert!(exists, "{shown}: {file} has no section {section:?}");
        }
    }
    assert!(seen > 20, "only {seen} headers have evidence");
}

#[test]
fn links_of_an_evidence_item_are_files_with_their_sections() {
    let item = r#"Evidence: `results/a.md`, "One" and "Two"; of `Switch`, "Three"; `results/b.md`."#;
    let expected = [
        ("results/a.md", None),
        ("results/a.md", Some("One")),
        ("results/a.md", Some("Two")),
        ("results/a.md", Some("Three")),
        ("results/b.md", None),
    ];
    assert_eq!(links(item), expected);
}
