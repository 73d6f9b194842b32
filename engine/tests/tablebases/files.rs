//! Folders with damaged, incomplete or unrelated files.

use std::fs;
use std::path::{Path, PathBuf};

use stretto::position::Position;
use stretto::tablebase::{Dtz, FileFault, Syzygy, SyzygyError, Wdl};

const ROOK: &str = "8/8/8/4k3/8/8/8/KR6 w - - 0 1";
const QUEEN: &str = "8/8/8/4k3/8/8/8/KQ6 w - - 0 1";

/// A temporary folder, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stretto-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Self(path)
    }

    fn copy(&self, from: &Path, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut data = fs::read(from.join(name)).expect("a table");
        change(&mut data);
        fs::write(self.0.join(name), data).expect("a folder that can be written");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn wdl(tables: &Syzygy, fen: &str) -> Option<Wdl> {
    tables.wdl(&Position::from_fen(fen).expect("a position"))
}

fn dtz(tables: &Syzygy, fen: &str) -> Option<Dtz> {
    tables.dtz(&Position::from_fen(fen).expect("a position"))
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_damaged_files_are_reported_and_skipped() {
    let folder = crate::folder();
    let scratch = Scratch::new("damaged");
    scratch.copy(&folder, "KRvK.rtbw", |_| {});
    scratch.copy(&folder, "KRvK.rtbz", |data| data[200] ^= 1);
    scratch.copy(&folder, "KQvK.rtbw", |data| data.truncate(data.len() - 7));
    scratch.copy(&folder, "KQvK.rtbz", |data| data.truncate(data.len() - 64));
    scratch.copy(&folder, "KPvK.rtbw", |data| data[0] = b'x');
    scratch.copy(&folder, "KBvK.rtbw", Vec::clear);
    fs::write(scratch.0.join("KKvQ9.rtbw"), fs::read(folder.join("KNvK.rtbw")).expect("a table"))
        .expect("a file");
    fs::write(scratch.0.join("readme.txt"), "not a table").expect("a file");
    fs::create_dir(scratch.0.join("KNvK.rtbw")).expect("a folder");
    let (tables, errors) = Syzygy::open([&scratch.0]);
    assert_eq!(tables.to_string(), "1 WDL and 0 DTZ tables of up to 3 pieces");
    let of = |name: &str| {
        let fault = errors.iter().find_map(|error| match error {
            SyzygyError::File { path, fault } if path.ends_with(name) => Some(fault),
            _ => None,
        });
        fault.unwrap_or_else(|| panic!("no error for {name}: {errors:?}"))
    };
    assert!(matches!(of("KRvK.rtbz"), FileFault::Checksum));
    assert!(matches!(of("KQvK.rtbw"), FileFault::Length { .. }));
    assert!(matches!(of("KQvK.rtbz"), FileFault::Checksum));
    assert!(matches!(of("KPvK.rtbw"), FileFault::Magic { .. }));
    assert!(matches!(of("KBvK.rtbw"), FileFault::Length { len: 0 }));
    assert!(matches!(of("KNvK.rtbw"), FileFault::Read(_)));
    assert!(matches!(of("KKvQ9.rtbw"), FileFault::Name));
    assert_eq!(errors.len(), 7, "{errors:?}");
    assert_eq!(wdl(&tables, ROOK), Some(Wdl::Win));
    assert_eq!(dtz(&tables, ROOK), None, "its file was skipped");
    assert_eq!(wdl(&tables, QUEEN), None);
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_table_under_a_wrong_name_answers_nothing() {
    let folder = crate::folder();
    let scratch = Scratch::new("foreign");
    fs::copy(folder.join("KQvK.rtbw"), scratch.0.join("KRvK.rtbw")).expect("a copy");
    // The file is undamaged, so only a probe can detect the wrong name.
    let (tables, errors) = Syzygy::open([&scratch.0]);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(wdl(&tables, ROOK), None);
    assert_eq!(wdl(&tables, ROOK), None);
    let failures = tables.failures();
    assert!(failures.len() == 1 && failures[0].starts_with("KRvK (wdl)"), "{failures:?}");
    assert!(tables.failures().is_empty(), "reported once");
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_file_damaged_after_opening_answers_nothing() {
    let folder = crate::folder();
    let scratch = Scratch::new("later");
    for name in ["KRvK.rtbw", "KRvK.rtbz", "KQvK.rtbw"] {
        scratch.copy(&folder, name, |_| {});
    }
    let (tables, errors) = Syzygy::open([&scratch.0]);
    assert!(errors.is_empty(), "{errors:?}");
    let known = dtz(&tables, ROOK);
    assert!(known.is_some_and(|dtz| dtz.plies > 0));
    // A file in use keeps its verified contents; one not yet used is verified on first use.
    scratch.copy(&folder, "KRvK.rtbz", |data| data.truncate(90));
    scratch.copy(&folder, "KQvK.rtbw", |data| data[100] ^= 0x80);
    assert_eq!(dtz(&tables, ROOK), known);
    assert_eq!(wdl(&tables, QUEEN), None);
    assert_eq!(tables.failures().len(), 1);
}

#[test]
#[ignore = "needs Syzygy tables of four pieces: make test-data"]
fn with_data_missing_folders_are_reported_and_later_folders_used() {
    let folder = crate::folder();
    let scratch = Scratch::new("several");
    scratch.copy(&folder, "KRvK.rtbw", |data| data[100] ^= 1);
    let (tables, errors) = Syzygy::open([&scratch.0, &scratch.0.join("none"), &folder]);
    assert_eq!(errors.len(), 2, "{errors:?}");
    assert!(errors.iter().any(|error| matches!(error, SyzygyError::Folder { .. })));
    assert_eq!(
        tables.to_string(),
        "35 WDL and 35 DTZ tables of up to 4 pieces",
        "the undamaged file of the later folder is used"
    );
    assert_eq!(Syzygy::open([&scratch.0]).0.to_string(), "no tables found");
}
