//! Which file on this machine a configured `command` or file name means.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The executable `command` names: a bare name next to the harness, then beside the configuration, then on `PATH`;
/// a name with a slash relative to the configuration, then to the working directory.
///
/// Errors: the sentence to show the user, with the places that were tried.
pub(super) fn resolve_command(command: &str, config_dir: &Path) -> Result<PathBuf, String> {
    let mut places = Vec::new();
    if command.contains('/') {
        places.push(config_dir.join(command));
        places.push(PathBuf::from(command));
    } else {
        let beside = std::env::current_exe().ok();
        places.extend(beside.and_then(|exe| exe.parent().map(|dir| dir.join(command))));
        places.push(config_dir.join(command));
        let path = std::env::var_os("PATH").unwrap_or_default();
        places.extend(
            std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(command)),
        );
    }
    let found = places.iter().find(|place| is_executable(place));
    match found {
        Some(place) => std::path::absolute(place).map_err(|error| format!("`{command}`: {error}")),
        None => Err(no_executable(command, &places)),
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn no_executable(command: &str, places: &[PathBuf]) -> String {
    if let Some(file) = places.iter().find(|place| place.is_file()) {
        return format!("`{}` is not executable", file.display());
    }
    if command.contains('/') {
        let tried: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return format!("no such engine `{command}` (tried {})", tried.join(" and "));
    }
    format!("no engine `{command}` next to the harness, beside the configuration or on PATH")
}

/// The file `name` means: beside the configuration, in the folder above it, then in the working directory.
///
/// Errors: the sentence to show the user, with the places that were tried.
pub(super) fn resolve_file(name: &Path, config_dir: &Path) -> Result<PathBuf, String> {
    let above = config_dir.parent().unwrap_or(config_dir);
    let places = [config_dir.join(name), above.join(name), name.to_path_buf()];
    let Some(place) = places.iter().find(|place| place.is_file()) else {
        let tried: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(format!("no such file `{}` (tried {})", name.display(), tried.join(", ")));
    };
    std::path::absolute(place).map_err(|error| format!("`{}`: {error}", name.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_on_the_path_and_beside_the_configuration() {
        let dir = tempfile::tempdir().unwrap();
        assert!(resolve_command("sh", dir.path()).unwrap().is_absolute());
        std::fs::copy("/bin/sh", dir.path().join("my-engine")).unwrap();
        assert_eq!(resolve_command("my-engine", dir.path()).unwrap(), dir.path().join("my-engine"));
        assert_eq!(resolve_command("./my-engine", dir.path()).unwrap().file_name().unwrap(), "my-engine");
    }

    #[test]
    fn a_missing_command_says_where_it_was_looked_for() {
        let dir = tempfile::tempdir().unwrap();
        assert!(resolve_command("no-such-engine", dir.path()).unwrap_err().contains("PATH"));
        assert!(resolve_command("./no-such-engine", dir.path()).unwrap_err().contains("tried"));
        std::fs::write(dir.path().join("notes.txt"), "").unwrap();
        assert!(resolve_command("notes.txt", dir.path()).unwrap_err().contains("not executable"));
    }
}
