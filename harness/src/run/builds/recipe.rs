//! The usual command that builds a commit without a setting: the convention of OpenBench, or else that of its
//! build system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::repository::Repository;
use crate::base::wording::distinct;
use crate::config::git::DEFAULT_BUILD;
use crate::run::quick::{quoted, quoted_for_sh};

/// The names under which make finds its rules.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The variable with the name of the program, in Makefiles that follow OpenBench.
const VARIABLE: &str = "EXE";

/// Build systems whose usual command leaves the program in a folder, where the harness finds it: the file that shows
/// the system, and the command. Folders of the output are given, since a user's settings may move them and the
/// repository may have a folder `build`.
const SYSTEMS: [(&str, &str); 3] = [
    ("Cargo.toml", "cargo build --release --target-dir target"),
    (
        "CMakeLists.txt",
        "cmake -S . -B build-release -DCMAKE_BUILD_TYPE=Release && cmake --build build-release --config Release -j {jobs}",
    ),
    ("meson.build", "meson setup --buildtype=release build-release && meson compile -C build-release"),
];

/// The file that shows a module of Go.
const GO_MODULE: &str = "go.mod";

/// Endings of source files, beside which a Makefile builds a program and not, say, a manual.
const SOURCES: [&str; 20] = [
    "c", "cc", "cpp", "cxx", "C", "h", "hpp", "cs", "d", "go", "hs", "java", "jl", "kt", "ml", "nim", "pas",
    "rs", "swift", "zig",
];

/// Number of folders that an error lists.
const MAX_LISTED: usize = 5;

/// A build command and the folder where it starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    /// Relative to the root of the repository; empty for the root itself.
    pub(super) folder: PathBuf,
    pub(super) command: String,
}

/// A commit, as far as the choice of a command depends on it.
pub(super) trait Tree {
    /// Returns the paths of all files.
    fn files(&self) -> Vec<String>;

    /// Returns the text of a file; empty if it cannot be read.
    fn text(&self, file: &str) -> String;

    /// Returns the files of Go below `folder` that belong to programs, tests and tools run by hand excepted.
    fn go_mains(&self, folder: &str) -> Vec<String>;
}

/// A commit in a repository.
pub(super) struct CommitTree<'a>(pub(super) &'a Repository, pub(super) &'a str);

impl Tree for CommitTree<'_> {
    fn files(&self) -> Vec<String> {
        // Without -z, names beyond ASCII are quoted.
        let list = self.0.git(&["ls-tree", "-r", "-z", "--name-only", self.1]).unwrap_or_default();
        list.split('\0').map(str::to_owned).collect()
    }

    fn text(&self, file: &str) -> String {
        self.0.git(&["show", &format!("{}:{file}", self.1)]).unwrap_or_default()
    }

    fn go_mains(&self, folder: &str) -> Vec<String> {
        let grep = |option: &str, pattern: &str| {
            let pathspec = format!(":(top,glob){}**/*.go", prefix(folder));
            let args = ["grep", "-z", "--full-name", option, "-E", pattern, self.1, "--", &pathspec];
            let list = self.0.git(&args).unwrap_or_default();
            let name = |entry: &str| entry.split_once(':').map(|(_, file)| file.to_owned());
            list.split('\0').filter_map(name).collect::<BTreeSet<String>>()
        };
        let ignored = grep("--files-with-matches", "^//( ?\\+build|go:build) ignore");
        let mains = grep("--files-with-matches", "^package main\\b");
        mains.difference(&ignored).filter(|file| !file.ends_with("_test.go")).cloned().collect()
    }
}

/// Returns the usual command of a commit in `folder`, or without it in the folder that fits best:
///
/// 1. a Makefile with OpenBench's variable `EXE` in the root, in `src` or in the only folder that has a Makefile;
/// 2. another build system in the root;
/// 3. a Makefile without the variable, in the same places;
/// 4. another build system in the only folder that has one.
///
/// Errors: a message for the user, with commands where several programs can be built.
pub(super) fn find(tree: &dyn Tree, folder: Option<&Path>) -> Result<Recipe, String> {
    let files = tree.files();
    let makefile = match folder {
        None => makefile_folder(&files),
        Some(folder) => {
            let folder = slashes(folder);
            MAKEFILES
                .iter()
                .any(|name| files.contains(&format!("{}{name}", prefix(&folder))))
                .then_some(folder)
        }
    };
    let make = |folder: &str| Recipe { folder: folder.into(), command: DEFAULT_BUILD.to_owned() };
    if let Some(folder) = makefile.as_deref().filter(|folder| follows_openbench(tree, &files, folder)) {
        return Ok(make(folder));
    }
    let here = folder.map(slashes).unwrap_or_default();
    if let Some(recipe) = other_system(tree, &files, &here) {
        return recipe;
    }
    let has_sources = |inside: &str| {
        let is_source = |file: &&String| {
            let extension = Path::new(file.as_str()).extension().and_then(|extension| extension.to_str());
            extension.is_some_and(|extension| SOURCES.contains(&extension))
        };
        files.iter().filter(|file| file.starts_with(&prefix(inside))).any(|file| is_source(&file))
    };
    if let Some(inside) = makefile.filter(|inside| has_sources(inside)) {
        return Ok(make(&inside));
    }
    if let Some(folder) = folder {
        // The command fails with the cause: the folder or its Makefile is missing.
        return Ok(make(&slashes(folder)));
    }
    let folders = folders_with_systems(&files);
    let near: Vec<&String> = folders.iter().filter(|folder| !folder.contains('/')).collect();
    if let [only] = near[..]
        && let Some(recipe) = other_system(tree, &files, only)
    {
        return recipe;
    }
    let given: Vec<String> =
        folders.iter().take(MAX_LISTED).map(|f| format!("`--build-dir {}`", quoted(f))).collect();
    let known =
        if given.is_empty() { String::new() } else { format!("; folders with one: {}", given.join(", ")) };
    Err(format!(
        "the commit has no Makefile with sources or `EXE`, Cargo.toml, CMakeLists.txt, meson.build or go.mod in its root or in \
         one folder below it{known}; set `build` (--build) to a command that makes the program, such as `make EXE={{exe}}`, or `folder` \
         (--build-dir) to the folder"
    ))
}

/// Returns the command of a build system other than make in a folder, if it has one.
fn other_system(tree: &dyn Tree, files: &[String], folder: &str) -> Option<Result<Recipe, String>> {
    let has = |name: &str| files.contains(&format!("{}{name}", prefix(folder)));
    let recipe = |command: String| Recipe { folder: folder.into(), command };
    if let Some((_, command)) = SYSTEMS.iter().find(|(file, _)| has(file)) {
        return Some(Ok(recipe((*command).to_owned())));
    }
    has(GO_MODULE).then(|| go_command(&tree.go_mains(folder), folder).map(recipe))
}

/// Returns the command that builds the only program of a module of Go, or the one in its root.
fn go_command(mains: &[String], module: &str) -> Result<String, String> {
    let package = |file: &String| {
        let inside = file.strip_prefix(&prefix(module))?;
        Some(inside.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| format!("./{folder}")))
    };
    let packages: BTreeSet<String> = mains.iter().filter_map(package).collect();
    let command = |package: &String| format!("go build -o {{exe}} {}", quoted_for_sh(package));
    let packages: Vec<&String> = packages.iter().collect();
    match &packages[..] {
        [] => Err("the module of Go has no file with `package main`; set `build` (--build) to a command that makes {exe}".to_owned()),
        [only] => Ok(command(only)),
        several => match several.iter().find(|package| **package == ".") {
            Some(root) => Ok(command(root)),
            None => Err(choice(several.iter().map(|package| command(package)), Path::new(module))),
        },
    }
}

/// Returns the text of an error that asks for one of several build commands, ready to be pasted.
pub(super) fn choice(commands: impl Iterator<Item = String>, folder: &Path) -> String {
    let folder = slashes(folder);
    let folder = if folder.is_empty() { folder } else { format!("--build-dir {} ", quoted(&folder)) };
    let lines: Vec<String> =
        commands.map(|command| format!("\n  {folder}--build {}", quoted(&command))).collect();
    format!("the commit has several programs; choose one with `build`:{}", lines.concat())
}

/// Whether the Makefile in a folder lets the caller name the program, as OpenBench asks for.
fn follows_openbench(tree: &dyn Tree, files: &[String], folder: &str) -> bool {
    let makefiles = MAKEFILES.iter().map(|name| format!("{}{name}", prefix(folder)));
    makefiles.filter(|file| files.contains(file)).any(|file| has_word(&tree.text(&file), VARIABLE))
}

/// Whether a text contains a word that is no part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_name) && !text[at + word.len()..].starts_with(is_name))
}

/// Returns the folder whose Makefile builds the engine: the root, `src`, or the only folder below the root that has a
/// Makefile; `None` if that is not clear.
pub(super) fn makefile_folder<'a, S: AsRef<str>>(files: &'a [S]) -> Option<String> {
    let folder_of = |file: &'a S| {
        let (folder, name) = file.as_ref().rsplit_once('/').unwrap_or(("", file.as_ref()));
        (MAKEFILES.contains(&name) && !folder.contains('/')).then_some(folder)
    };
    let found = match &distinct(files.iter().filter_map(folder_of))[..] {
        [only] => Some(*only),
        several => ["", "src"].into_iter().find(|folder| several.contains(folder)),
    };
    found.map(str::to_owned)
}

/// Returns the folders with a file of a build system other than make, those near the root first. A folder below another
/// one belongs to it.
fn folders_with_systems(files: &[String]) -> Vec<String> {
    let names = SYSTEMS.iter().map(|(file, _)| *file).chain([GO_MODULE]);
    let names: Vec<&str> = names.collect();
    let mut folders: Vec<&str> = files
        .iter()
        .filter_map(|file| file.rsplit_once('/'))
        .filter(|(_, name)| names.contains(name))
        .map(|(folder, _)| folder)
        .collect();
    folders.sort_unstable_by_key(|folder| (folder.matches('/').count(), *folder));
    folders.dedup();
    let mut tops: Vec<String> = Vec::new();
    for folder in folders {
        if !tops.iter().any(|top| folder.starts_with(&prefix(top))) {
            tops.push(folder.to_owned());
        }
    }
    tops
}

/// Returns a folder with a slash behind it; nothing for the root.
fn prefix(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

/// Returns a folder as git writes it.
fn slashes(folder: &Path) -> String {
    let parts = folder.components().filter(|part| matches!(part, std::path::Component::Normal(_)));
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files with their text.
    struct Files(&'static [(&'static str, &'static str)]);

    impl Tree for Files {
        fn files(&self) -> Vec<String> {
            self.0.iter().map(|(file, _)| (*file).to_owned()).collect()
        }

        fn text(&self, file: &str) -> String {
            self.0.iter().find(|(name, _)| *name == file).map_or("", |(_, text)| text).to_owned()
        }

        fn go_mains(&self, _: &str) -> Vec<String> {
            self.0
                .iter()
                .filter(|(_, text)| text.starts_with("package main"))
                .map(|(file, _)| (*file).to_owned())
                .collect()
        }
    }

    const MAKE: &str = "$(EXE): a.c\n";
    const GO: &str = "package main";

    #[test]
    fn convention_of_openbench_comes_before_other_build_systems() {
        for (files, folder, start) in [
            (&[("Makefile", MAKE), ("Cargo.toml", ""), ("src/Makefile", MAKE)][..], "", "make "),
            (
                &[("Makefile", "all:\n\tcargo build"), ("Cargo.toml", ""), ("src/main.rs", "")],
                "",
                "cargo build ",
            ),
            (&[("src/makefile", MAKE), ("CMakeLists.txt", "")], "src", "make "),
            (&[("docs/Makefile", "html:"), ("CMakeLists.txt", "")], "", "cmake "),
            (&[("src/Makefile", "all: uci"), ("src/uci.cpp", "")], "src", "make "),
            (&[("Makefile", "NOTEXE = 1"), ("a.c", "")], "", "make "),
            (&[("meson.build", ""), ("src/main.cpp", "")], "", "meson "),
            (&[("Cargo.toml", ""), ("CMakeLists.txt", "")], "", "cargo "),
            (
                &[("docs/Makefile", "html:"), ("engine/Cargo.toml", ""), ("engine/core/Cargo.toml", "")],
                "engine",
                "cargo ",
            ),
            (&[("go.mod", ""), ("main.go", GO), ("tools/gen/main.go", GO)], "", "go build -o {exe} ."),
            (&[("go.mod", ""), ("cmd/my engine/main.go", GO)], "", "go build -o {exe} './cmd/my engine'"),
        ] {
            let recipe = find(&Files(files), None).unwrap();
            assert_eq!(recipe.folder, Path::new(folder), "{files:?}");
            assert!(recipe.command.starts_with(start), "{files:?}: {}", recipe.command);
        }
    }

    #[test]
    fn folder_of_the_user_is_kept() {
        let files =
            Files(&[("Makefile", MAKE), ("rust/Cargo.toml", ""), ("c/Makefile", "all:"), ("c/a.c", "")]);
        for (folder, start) in
            [("rust", "cargo "), ("c", "make "), ("./rust/", "cargo "), ("none", "make "), ("", "make ")]
        {
            let recipe = find(&files, Some(Path::new(folder))).unwrap();
            assert_eq!(recipe.folder, Path::new(&slashes(Path::new(folder))), "{folder}");
            assert!(recipe.command.starts_with(start), "{folder}: {}", recipe.command);
        }
    }

    #[test]
    fn errors_have_commands_to_paste() {
        for (files, expected) in [
            (
                &[("go.mod", ""), ("cmd/a/main.go", GO), ("cmd/b/main.go", GO)][..],
                "\n  --build 'go build -o {exe} ./cmd/a'\n  --build 'go build -o {exe} ./cmd/b'",
            ),
            (
                &[("x/go.mod", ""), ("x/a/m.go", GO), ("x/b/m.go", GO)],
                "\n  --build-dir x --build 'go build -o {exe} ./a'",
            ),
            (&[("go.mod", ""), ("a.go", "package a")], "no file with `package main`"),
            (
                &[("a/Cargo.toml", ""), ("b/CMakeLists.txt", "")],
                "folders with one: `--build-dir a`, `--build-dir b`; set",
            ),
            (&[("very/deep/go.mod", "")], "`--build-dir very/deep`"),
            (&[("a.c", "")], "below it; set `build` (--build) to a command"),
        ] {
            let error = find(&Files(files), None).unwrap_err();
            assert!(error.contains(expected), "{files:?}: {error}");
        }
    }

    #[test]
    fn makefile_is_found_in_the_root_or_the_only_folder() {
        for (files, expected) in [
            (&["Makefile", "src/Makefile"][..], Some("")),
            (&["README", "src/makefile"], Some("src")),
            (&["engine/Makefile", "engine/src/a.c"], Some("engine")),
            (&["engine/Makefile", "engine/GNUmakefile"], Some("engine")),
            (&["src/Makefile", "tools/Makefile"], Some("src")),
            (&["a/Makefile", "b/Makefile"], None),
            (&["deep/down/Makefile"], None),
            (&[], None),
        ] {
            assert_eq!(makefile_folder(files).as_deref(), expected, "{files:?}");
        }
    }
}
