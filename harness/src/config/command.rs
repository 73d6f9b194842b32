//! Resolves commands and file names of a configuration to paths.

use std::path::{Component, Path, PathBuf};

use crate::base::system::files::{is_executable, program_paths};
use crate::base::wording::distinct;

/// The names of engines and files in a configuration, as paths.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The folder of the configuration.
    pub(crate) dir: &'a Path,
    /// Whether an engine or file that does not exist is an error. Without it, nothing is searched: the
    /// configuration is checked where its engines and files may be absent.
    pub(crate) must_exist: bool,
}

impl Names<'_> {
    /// Returns the executable of a command, as [`resolve_command`] does.
    pub(crate) fn command(self, command: &str) -> Result<PathBuf, String> {
        self.path(Path::new(command), |_| resolve_command(command, self.dir))
    }

    /// Returns the path of a file, as [`resolve_file`] does.
    pub fn file(self, name: &Path) -> Result<PathBuf, String> {
        self.path(name, |name| resolve_file(name, self.dir))
    }

    /// Returns the path of a folder, as [`resolve_folder`] does.
    pub fn folder(self, name: &Path) -> Result<PathBuf, String> {
        self.path(name, |name| resolve_folder(name, self.dir))
    }

    fn path(
        self,
        name: &Path,
        find: impl FnOnce(&Path) -> Result<PathBuf, String>,
    ) -> Result<PathBuf, String> {
        if self.must_exist { find(name) } else { Ok(self.dir.join(name)) }
    }
}

/// Returns the executable of a command. A bare name is searched next to the harness, beside the
/// configuration, then on `PATH`; a name with a slash relative to the configuration, then to the
/// working directory.
///
/// Errors: a message for the user, with the places that were tried.
pub(crate) fn resolve_command(command: &str, config_dir: &Path) -> Result<PathBuf, String> {
    let mut places = Vec::new();
    if has_separator(command) {
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
    let places: Vec<PathBuf> = places.into_iter().flat_map(program_paths).collect();
    let found = places.iter().find(|place| is_executable(place));
    match found {
        Some(place) => std::path::absolute(place).map_err(|error| format!("`{command}`: {error}")),
        None => Err(with_arguments(command, config_dir).unwrap_or_else(|| no_executable(command, &places))),
    }
}

/// Returns the error of a command that is an engine followed by arguments.
fn with_arguments(command: &str, config_dir: &Path) -> Option<String> {
    let mut words = command.split_whitespace();
    let engine = words.next().filter(|engine| *engine != command)?;
    resolve_command(engine, config_dir).ok()?;
    let arguments = words.collect::<Vec<_>>().join(", ");
    Some(format!(
        "no such engine `{command}`: `{engine}` is one, and its arguments belong in `args: [{arguments}]` \
         (`--arg` of doctor and suite)"
    ))
}

fn has_separator(command: &str) -> bool {
    command.contains(std::path::is_separator)
}

fn no_executable(command: &str, places: &[PathBuf]) -> String {
    if let Some(file) = places.iter().find(|place| place.exists()) {
        let what = if file.is_dir() { "a folder; name the program in it" } else { "not executable" };
        return format!("`{}` is {what}", plain(file).display());
    }
    if has_separator(command) {
        return format!("no such engine `{command}`{}", tried(Path::new(command), places));
    }
    let searched = places.iter().filter_map(|place| place.parent()).map(plain);
    let name = |folder: PathBuf| match folder.display().to_string() {
        here if here.is_empty() => ".".to_owned(),
        folder => folder,
    };
    let folders = distinct(searched.map(name)).join(", ");
    format!(
        "no engine `{command}` next to the harness, beside the configuration or on PATH (tried {folders}); a path such as \
         ./{command} needs a slash"
    )
}

/// Returns ` (tried A, B)`, each place once, with its folder if it is the name itself; empty for an absolute name.
fn tried(name: &Path, places: &[PathBuf]) -> String {
    let mut shown = distinct(places.iter().map(|place| plain(place)));
    if shown == [plain(name)] {
        shown = std::path::absolute(name).into_iter().filter(|place| place != name).collect();
    }
    if shown.is_empty() {
        return String::new();
    }
    let shown: Vec<String> = shown.iter().map(|place| place.display().to_string()).collect();
    format!(" (tried {})", shown.join(", "))
}

/// Removes `./` steps from a path. `..` stays, because it may follow a link.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|step| *step != Component::CurDir).collect()
}

/// Returns the file `name`: beside the configuration, in the folder above it, then in the working
/// directory.
///
/// Errors: a message for the user, with the places that were tried.
pub(crate) fn resolve_file(name: &Path, config_dir: &Path) -> Result<PathBuf, String> {
    let above = config_dir.parent().unwrap_or(config_dir);
    let places = [config_dir.join(name), above.join(name), name.to_path_buf()];
    let Some(place) = places.iter().find(|place| place.is_file()) else {
        return Err(match places.iter().find(|place| place.exists()) {
            Some(folder) if folder.is_dir() => format!("`{}` is a folder: expected a file", name.display()),
            Some(_) => format!("`{}` is not a regular file", name.display()),
            None => format!("no such file `{}`{}", name.display(), tried(name, &places)),
        });
    };
    std::path::absolute(place).map_err(|error| format!("`{}`: {error}", name.display()))
}

/// Returns the absolute path of the folder `name`, relative to the configuration. The path is the
/// same when the run is resumed, whose configuration has an absolute path.
///
/// Errors: a message for the user.
pub(crate) fn resolve_folder(name: &Path, config_dir: &Path) -> Result<PathBuf, String> {
    let folder = config_dir.join(name);
    if !folder.is_dir() {
        return Err(format!("no such folder `{}`", plain(&folder).display()));
    }
    std::path::absolute(folder).map_err(|error| format!("`{}`: {error}", name.display()))
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
    fn missing_command_error_lists_the_places_tried() {
        let dir = tempfile::tempdir().unwrap();
        let bare = resolve_command("no-such-engine", dir.path()).unwrap_err();
        let beside = dir.path().display().to_string();
        assert!(bare.contains("or on PATH (tried ") && bare.contains(&beside), "{bare}");
        assert!(resolve_command("./no-such-engine", dir.path()).unwrap_err().contains("tried"));
        let alone = resolve_command("./nothere", Path::new(".")).unwrap_err();
        let place = std::env::current_dir().unwrap().join("nothere");
        assert_eq!(alone, format!("no such engine `./nothere` (tried {})", place.display()));
        std::fs::write(dir.path().join("notes.txt"), "").unwrap();
        assert!(resolve_command("notes.txt", dir.path()).unwrap_err().contains("not executable"));
    }

    #[test]
    fn arguments_in_a_command_have_a_hint() {
        let here = Path::new(".");
        let expected = "no such engine `sh --lab -x`: `sh` is one, and its arguments belong in `args: [--lab, -x]` \
                        (`--arg` of doctor and suite)";
        assert_eq!(resolve_command("sh --lab -x", here).unwrap_err(), expected);
        let other = resolve_command("./nothere --lab", here).unwrap_err();
        assert!(other.starts_with("no such engine `./nothere --lab` (tried "), "{other}");
    }

    #[test]
    fn folder_and_device_are_no_files() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("books")).unwrap();
        let error = |name: &str| resolve_file(Path::new(name), dir.path()).unwrap_err();
        assert_eq!(error("books"), "`books` is a folder: expected a file");
        if cfg!(unix) {
            assert_eq!(error("/dev/null"), "`/dev/null` is not a regular file");
        }
    }

    #[test]
    fn folders_are_absolute_and_relative_to_the_configuration() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(resolve_folder(Path::new("src"), Path::new(".")).unwrap(), here.join("src"));
        assert_eq!(resolve_folder(Path::new("src"), &here).unwrap(), here.join("src"));
        assert_eq!(
            resolve_folder(Path::new("absent"), Path::new(".")).unwrap_err(),
            "no such folder `absent`"
        );
    }

    #[test]
    fn error_lists_each_place_once() {
        let said = |name: &str, dir: &str| resolve_file(Path::new(name), Path::new(dir)).unwrap_err();
        assert_eq!(said("/no/such.epd", "configs/sprt"), "no such file `/no/such.epd`");
        assert_eq!(
            said("./no-such.epd", "./a/b"),
            "no such file `./no-such.epd` (tried a/b/no-such.epd, a/no-such.epd, no-such.epd)"
        );
        let here = std::env::current_dir().unwrap().join("no-such.epd");
        let expected = format!("no such file `no-such.epd` (tried {})", here.display());
        assert_eq!(said("no-such.epd", "."), expected);
    }
}
