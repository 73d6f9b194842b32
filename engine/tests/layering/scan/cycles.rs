//! Import cycles between the files of a crate: a file must not use items of a file that uses,
//! directly or through others, items of the first.
//!
//! A use is an import or a path in the code. It counts for the file that declares the item:
//! re-exports are followed through `pub use`, so a `mod.rs` that only re-exports is in no cycle.
//! `mod x;` is no use, and code under `#[cfg(test)]` is ignored. Items that macros declare, and
//! methods called on values of another file's types, are beyond a reader of text: an unknown item
//! counts for the file of its module, a method for none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::tokens::{Token, tokens};
use super::{Sources, module_of};

/// Returns each import cycle as one message.
pub(crate) fn cycles(sources: &Sources) -> Vec<String> {
    let uses = Crate::read(sources).uses();
    let mut found = Vec::new();
    let mut reported: BTreeSet<PathBuf> = BTreeSet::new();
    for start in uses.keys() {
        let back = uses[start].keys().filter_map(|to| path_between(&uses, to, start));
        let Some(shortest) = back.min_by_key(Vec::len) else { continue };
        if shortest.iter().all(|file| reported.contains(*file)) {
            continue;
        }
        let mut message = Vec::new();
        let mut from: &Path = start;
        for to in shortest {
            message.push(format!("{}:{} uses ", from.display(), uses[from][to]));
            reported.insert(to.to_owned());
            from = to;
        }
        found.push(format!("import cycle: {}{}", message.concat(), start.display()));
    }
    found
}

/// The files that each file uses, each with the line of the first use.
type Uses = BTreeMap<PathBuf, BTreeMap<PathBuf, usize>>;

/// Returns the shortest path of uses that starts at `from` and ends with `to`, both included.
fn path_between<'a>(uses: &'a Uses, from: &'a Path, to: &Path) -> Option<Vec<&'a Path>> {
    let mut before: BTreeMap<&Path, Option<&Path>> = BTreeMap::from([(from, None)]);
    let mut open = VecDeque::from([from]);
    while let Some(file) = open.pop_front() {
        if file == to {
            let mut path = vec![file];
            while let Some(&Some(previous)) = before.get(path[path.len() - 1]) {
                path.push(previous);
            }
            path.reverse();
            return Some(path);
        }
        for next in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(next.as_path()) {
                before.insert(next, Some(file));
                open.push_back(next);
            }
        }
    }
    None
}

/// A path below the crate's root.
type ModulePath = Vec<String>;

/// One name that a `use` brings in.
struct Import {
    /// The module that has the `use`.
    module: Rc<ModulePath>,
    /// The path as written.
    path: Vec<String>,
    /// The name it gets; `*` for a glob.
    name: String,
    is_public: bool,
    line: usize,
}

/// A file without its tests.
struct File<'a> {
    module: Rc<ModulePath>,
    /// The code except declarations of imports and of modules in other files.
    code: Vec<Code<'a>>,
    imports: Vec<Import>,
    /// The names of the items that the file declares outside of other items.
    items: BTreeSet<&'a str>,
}

/// A token of the code with its module, the file's or one inside it.
struct Code<'a> {
    token: Token<'a>,
    module: Rc<ModulePath>,
}

struct Crate<'a> {
    files: BTreeMap<&'a Path, File<'a>>,
    /// The file of each module.
    modules: BTreeMap<ModulePath, &'a Path>,
}

/// The declaration that a path leads to.
enum Declared<'a> {
    /// A module itself.
    Module,
    /// An item in this file.
    Item(&'a Path),
    /// An item that its module's file does not declare in so many words.
    Unknown(&'a Path),
}

impl<'a> Crate<'a> {
    fn read(sources: &'a Sources) -> Self {
        let mut files: BTreeMap<&Path, File<'a>> = BTreeMap::new();
        let mut tests: Vec<ModulePath> = Vec::new();
        for (path, text) in &sources.0 {
            let module = module_of(path);
            let (code, test_modules) = without_tests(&tokens(text));
            tests.extend(test_modules.iter().map(|name| below(&module, name)));
            files.insert(path, File::new(module, &code));
        }
        files.retain(|_, file| !tests.iter().any(|test| file.module.starts_with(test)));
        // `main.rs` is a root of its own, whose module nothing can import.
        let modules = files.iter().filter(|(path, _)| **path != Path::new("main.rs"));
        let modules = modules.map(|(&path, file)| (file.module.to_vec(), path)).collect();
        Self { files, modules }
    }

    fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (&path, file) in &self.files {
            let mut targets: BTreeMap<PathBuf, usize> = BTreeMap::new();
            for (line, used) in self.paths(file) {
                if let Some(Declared::Item(target) | Declared::Unknown(target)) = self.resolve(&used, 0)
                    && target != path
                {
                    let first = targets.entry(target.to_owned()).or_insert(line);
                    *first = line.min(*first);
                }
            }
            uses.insert(path.to_owned(), targets);
        }
        uses
    }

    /// Returns every path from the root that a file uses, with its line.
    fn paths(&self, file: &File<'_>) -> Vec<(usize, ModulePath)> {
        let mut paths = Vec::new();
        for import in &file.imports {
            let is_used = !import.is_public || file.code.iter().any(|code| code.token.text == import.name);
            if is_used && let Some(path) = self.resolve_start(file, &import.module, &import.path) {
                // The items of a glob are unknown, so it counts as one for the module itself.
                let glob = (import.name == "*").then(|| "*".to_owned());
                paths.push((import.line, path.into_iter().chain(glob).collect()));
            }
        }
        let code = &file.code;
        for at in 0..code.len() {
            let text = |at: usize| code.get(at).map_or("", |code| code.token.text);
            let is_start = at == 0 || !matches!(text(at - 1), "::" | "in" | ".");
            if !is_start || !is_word(text(at)) || text(at + 1) != "::" {
                continue;
            }
            let mut path = vec![text(at).to_owned()];
            let mut end = at + 1;
            while text(end) == "::" && is_word(text(end + 1)) {
                path.push(text(end + 1).to_owned());
                end += 2;
            }
            let path = self.resolve_start(file, &code[at].module, &path);
            paths.extend(path.map(|path| (code[at].token.line, path)));
        }
        paths
    }

    /// Returns a path, written in `module` of a file, as seen from the root; `None` if it leads out
    /// of the crate.
    fn resolve_start(&self, file: &File<'_>, module: &[String], path: &[String]) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => {
                let supers = path.iter().take_while(|word| *word == "super").count();
                let depth = module.len().checked_sub(supers)?;
                return Some(module[..depth].iter().chain(&path[supers..]).cloned().collect());
            }
            name if self.modules.contains_key(&below(module, name)) => below(module, name),
            name => {
                // An imported item is counted at its import, so only a module starts a path here.
                let is_it = |import: &&Import| import.name == name && import.path[0] != name;
                let import = file.imports.iter().find(is_it)?;
                let module = self.resolve_start(file, &import.module, &import.path)?;
                self.modules.contains_key(&module).then_some(module)?
            }
        };
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// Follows a path from the root to its declaration, through re-exports.
    fn resolve(&self, path: &[String], hops: usize) -> Option<Declared<'a>> {
        let depth = (0..=path.len()).rev().find(|&depth| self.modules.contains_key(&path[..depth]))?;
        let place = self.modules[&path[..depth]];
        let Some(name) = path.get(depth) else { return Some(Declared::Module) };
        let file = &self.files[place];
        if file.items.contains(name.as_str()) {
            return Some(Declared::Item(place));
        }
        if hops > 16 {
            return Some(Declared::Unknown(place));
        }
        if let Some(import) = file.imports.iter().find(|import| import.name == *name) {
            let mut target = self.resolve_start(file, &import.module, &import.path)?;
            target.extend_from_slice(&path[depth + 1..]);
            return self.resolve(&target, hops + 1);
        }
        let globs = file.imports.iter().filter(|import| import.name == "*");
        let through_globs = globs.filter_map(|import| {
            let mut target = self.resolve_start(file, &import.module, &import.path)?;
            target.extend_from_slice(&path[depth..]);
            self.resolve(&target, hops + 1)
        });
        let declared = through_globs.into_iter().find(|declared| matches!(declared, Declared::Item(_)));
        Some(declared.unwrap_or(Declared::Unknown(place)))
    }
}

impl<'a> File<'a> {
    fn new(module: ModulePath, tokens: &[Token<'a>]) -> Self {
        let module = Rc::new(module);
        // The enclosing modules, each with the depth of braces inside it.
        let mut modules = vec![(Rc::clone(&module), 0)];
        let mut file = Self { module, code: Vec::new(), imports: Vec::new(), items: BTreeSet::new() };
        let (mut at, mut depth) = (0, 0_usize);
        while let Some(&token) = tokens.get(at) {
            let module = Rc::clone(&modules[modules.len() - 1].0);
            let next = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text);
            match token.text {
                "use" => {
                    let is_public = at > 0 && matches!(tokens[at - 1].text, "pub" | ")");
                    let mut imports = Vec::new();
                    at = use_tree(tokens, at + 1, &[], &mut imports);
                    file.imports.extend(imports.into_iter().map(|(path, name)| Import {
                        module: Rc::clone(&module),
                        path,
                        name,
                        is_public,
                        line: token.line,
                    }));
                    continue;
                }
                "mod" if next(2) == ";" => {
                    at += 3;
                    continue;
                }
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    modules.retain(|&(_, inside)| inside <= depth);
                }
                "macro_rules" if depth == 0 => {
                    file.items.insert(next(2));
                }
                "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" | "mod"
                    if depth == 0 =>
                {
                    let skipped = usize::from(next(1) == "mut");
                    file.items.insert(next(1 + skipped));
                    if token.text == "mod" {
                        modules.push((Rc::new(below(&module, next(1))), depth + 1));
                    }
                }
                _ => {}
            }
            file.code.push(Code { token, module });
            at += 1;
        }
        file
    }
}

/// Reads the tree of a `use` after `prefix`, adds the full path and the name of each leaf, and
/// returns the place after it, the closing semicolon included.
fn use_tree(
    tokens: &[Token<'_>],
    start: usize,
    prefix: &[String],
    leaves: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut has_leaf = true;
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        match token.text {
            "::" => {}
            "as" => {
                name = tokens.get(at + 1).map(|token| token.text.to_owned());
                at += 1;
            }
            "*" => name = Some("*".to_owned()),
            "{" => {
                has_leaf = false;
                at += 1;
                while tokens.get(at).is_some_and(|token| token.text != "}") {
                    at = use_tree(tokens, at, &path, leaves);
                    at += usize::from(tokens.get(at).is_some_and(|token| token.text == ","));
                }
            }
            "," | "}" | ";" => break,
            "self" if path.len() > prefix.len() || !prefix.is_empty() => {}
            word => path.push(word.to_owned()),
        }
        at += 1;
    }
    if has_leaf && let Some(last) = path.last() {
        let name = name.unwrap_or_else(|| last.clone());
        leaves.push((path, name));
    }
    at + usize::from(prefix.is_empty() && tokens.get(at).is_some_and(|token| token.text == ";"))
}

/// Returns the tokens without the items under `#[cfg(test)]`, and the names of the modules among
/// those items. An item under `#[cfg(any(test, ...))]` is kept, because other builds contain it.
fn without_tests<'a>(tokens: &[Token<'a>]) -> (Vec<Token<'a>>, Vec<&'a str>) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        if text(at) == "#" && text(at + 1) == "[" && text(at + 2) == "cfg" {
            let end = closing(tokens, at + 1);
            let has_test =
                (at..end).any(|at| text(at) == "test" && !(text(at - 1) == "(" && text(at - 2) == "not"));
            let has_any = (at..end).any(|at| text(at) == "any");
            if has_test && !has_any {
                at = end;
                while text(at) == "#" {
                    at = closing(tokens, at + 1);
                }
                let item = at;
                while at < tokens.len() && !matches!(text(at), ";" | "{") {
                    at = if matches!(text(at), "(" | "[") { closing(tokens, at) } else { at + 1 };
                }
                let name = (item..at).find(|&at| text(at) == "mod").map(|at| text(at + 1));
                modules.extend(name.filter(|_| text(at) == ";"));
                at = if text(at) == "{" { closing(tokens, at) } else { at + 1 };
                continue;
            }
        }
        kept.push(tokens[at]);
        at += 1;
    }
    (kept, modules)
}

/// Returns the place after the bracket that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

fn below(module: &[String], name: &str) -> ModulePath {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}
