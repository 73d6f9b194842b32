//! Reading of files named by the user: regular files only, with a known length.
//!
//! Opening a named pipe blocks until a writer appears, and a device such as `/dev/zero` never ends;
//! both are rejected. The module knows nothing of the contents.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file and returns it with its length in bytes.
///
/// Errors: an I/O error, or `InvalidInput` if the path is not a regular file.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // Checked before opening, because opening may block.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file"));
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// Reads a regular file of at most `max_bytes` bytes.
///
/// Errors: an I/O error, or `InvalidInput` if the path is not a regular file or the file is longer.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path)?;
    if length > max_bytes {
        let message = format!("the file has {length} bytes, expected at most {max_bytes}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    file.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let own = Path::new(file!())
            .file_name()
            .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name));
        let own = own.expect("this file has a name");
        let text = read(&own, 1 << 20).expect("this file can be read");
        assert!(text.starts_with(b"//! Reading of files"));
        let error = read(&own, 10).expect_err("longer than ten bytes").to_string();
        assert!(error.ends_with("bytes, expected at most 10"), "{error}");
        for other in ["/dev/zero", "/", "/dev/stdin"] {
            if Path::new(other).exists() {
                assert!(read(Path::new(other), 1 << 20).is_err(), "{other}");
            }
        }
    }
}
