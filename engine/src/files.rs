//! Files that somebody named in an option or put into a folder: ordinary ones only, and of a length that is known.
//!
//! Opening a pipe waits for its writer, and a device such as `/dev/zero` never ends; neither holds a network, a book or a
//! table. It knows nothing of what is in the files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens an ordinary file; its length in bytes.
///
/// Errors: the system's, or that it is something else.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // Asked before it is opened, since opening is what may wait.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file"));
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// The bytes of an ordinary file that has at most so many.
///
/// Errors: the system's, or that it is something else or longer.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path)?;
    if length > most {
        let said = format!("it has {length} bytes, expected at most {most}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, said));
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_files_are_opened() {
        let own = Path::new(file!())
            .file_name()
            .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name));
        let own = own.expect("this file has a name");
        let text = read(&own, 1 << 20).expect("this file can be read");
        assert!(text.starts_with(b"//! Files that"));
        let error = read(&own, 10).expect_err("longer than ten bytes").to_string();
        assert!(error.ends_with("bytes, expected at most 10"), "{error}");
        for other in ["/dev/zero", "/", "/dev/stdin"] {
            if Path::new(other).exists() {
                assert!(read(Path::new(other), 1 << 20).is_err(), "{other}");
            }
        }
    }
}
