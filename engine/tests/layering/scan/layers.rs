//! The order of a crate's modules: imports go from later layers to earlier ones.
//!
//! The order is the list in the module documentation of `lib.rs`: a code span with arrows between
//! layers and commas between the modules of a layer, such as `types → attacks, zobrist → position`.
//! A layer may import only layers to its left. The crate's roots (`lib.rs`, `main.rs`) may import
//! any module.

use std::path::Path;

use super::tokens::{Token, tokens};
use super::{Sources, module_of};

/// The layers of a crate, lowest first. Modules of one layer must not import each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layers(Vec<Vec<String>>);

impl Layers {
    /// Reads the list of layers from the text of `lib.rs`.
    ///
    /// Errors: there is no such list, or it names a module twice.
    pub(crate) fn parse(lib: &str) -> Result<Self, String> {
        let documentation: Vec<&str> =
            lib.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim).collect();
        let documentation = documentation.join(" ");
        let list = documentation.split('`').skip(1).step_by(2).find(|span| span.contains('→'));
        let list = list.ok_or("lib.rs: no list of layers like `types → attacks, zobrist → position`")?;
        let names = |layer: &str| layer.split(',').map(|name| name.trim().to_owned()).collect();
        let layers = Self(list.split('→').map(names).collect());
        let mut seen: Vec<&String> = layers.0.iter().flatten().collect();
        seen.sort();
        match seen.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("lib.rs: `{}` has two layers", pair[0])),
            None => Ok(layers),
        }
    }

    /// Returns the differences between the list and the modules that `lib.rs` declares.
    pub(crate) fn mismatches(&self, lib: &str) -> Vec<String> {
        let tokens = tokens(lib);
        let declared: Vec<&str> = tokens
            .windows(3)
            .filter(|three| three[0].text == "mod" && three[2].text == ";")
            .map(|three| three[1].text)
            .collect();
        let listed = || self.0.iter().flatten();
        let missing = declared.iter().filter(|name| self.level(name).is_none());
        let unknown = listed().filter(|name| !declared.contains(&name.as_str()));
        missing
            .map(|name| format!("lib.rs: module `{name}` is not in the list of layers"))
            .chain(unknown.map(|name| format!("lib.rs: the list of layers has `{name}`, which is no module")))
            .collect()
    }

    fn level(&self, module: &str) -> Option<usize> {
        self.0.iter().position(|names| names.iter().any(|name| name == module))
    }
}

/// Returns every import against the order, and every error in the list of layers.
pub(crate) fn violations(sources: &Sources) -> Vec<String> {
    let lib = sources.0.get(Path::new("lib.rs")).map_or("", String::as_str);
    let layers = match Layers::parse(lib) {
        Ok(layers) => layers,
        Err(error) => return vec![error],
    };
    let mut found = layers.mismatches(lib);
    found.extend(sources.0.iter().flat_map(|(path, text)| file_violations(path, text, &layers)));
    found
}

/// Returns every import against the order in one file.
pub(crate) fn file_violations(path: &Path, text: &str, layers: &Layers) -> Vec<String> {
    let shown = path.display();
    let module = module_of(path);
    if let Some(top) = module.first()
        && layers.level(top).is_none()
    {
        return vec![format!("{shown}: module `{top}` has no layer; add it to the list in lib.rs")];
    }
    let mut found = Vec::new();
    for Reference { line, target } in references(&tokens(text), &module) {
        let problem = match (&target, module.first()) {
            (Target::Prelude, _) => Some("a prelude hides what is used; name the items".to_owned()),
            (Target::Glob, _) => Some("a glob of the crate's root hides what is used".to_owned()),
            (Target::Module(_), None) => None,
            (Target::Module(name), Some(own)) if name == own => None,
            (Target::Module(name), Some(own)) => match layers.level(name) {
                None => {
                    Some(format!("`crate::{name}` is no module of the list in lib.rs; import its module"))
                }
                Some(theirs) if Some(theirs) < layers.level(own) => None,
                Some(_) => Some(format!("`{own}` must not import `{name}`, which is not to its left")),
            },
        };
        found.extend(problem.map(|problem| format!("{shown}:{line}: {problem}")));
    }
    found
}

/// The target of a path into the crate.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    /// An item in this top-level module.
    Module(String),
    /// All items in the root.
    Glob,
    /// A module called `prelude`.
    Prelude,
}

struct Reference {
    line: usize,
    target: Target,
}

/// Returns every path into the crate, as seen from the module `file`.
fn references(tokens: &[Token<'_>], file: &[String]) -> Vec<Reference> {
    let mut found = Vec::new();
    // Enclosing inline modules: name and brace depth of the body.
    let mut inline: Vec<(&str, usize)> = Vec::new();
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        let word = |ahead: usize| tokens.get(at + ahead).map_or("", |token| token.text);
        let continues_path = at > 0 && tokens[at - 1].text == "::";
        match token.text {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.retain(|&(_, body)| body <= depth);
            }
            "mod" if word(1) == "prelude" => {
                found.push(Reference { line: token.line, target: Target::Prelude });
            }
            "mod" if word(2) == "{" => inline.push((word(1), depth + 1)),
            "crate" if word(1) == "::" => enter(tokens, at + 2, &mut found),
            "super" if !continues_path => {
                let mut base: Vec<&str> = file.iter().map(String::as_str).collect();
                base.extend(inline.iter().map(|&(name, _)| name));
                let supers = (0..).take_while(|step| word(step * 2) == "super" && word(step * 2 + 1) == "::");
                let count = supers.count();
                base.truncate(base.len().saturating_sub(count));
                if base.is_empty() && count > 0 {
                    enter(tokens, at + 2 * count, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the name below the root of a path, or of each path in a group.
fn enter(tokens: &[Token<'_>], at: usize, found: &mut Vec<Reference>) {
    let Some(first) = tokens.get(at) else { return };
    if first.text != "{" {
        found.push(named(first));
        return;
    }
    let mut depth = 0;
    let mut starts = true;
    for token in &tokens[at..] {
        match token.text {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," => starts = depth == 1,
            _ if starts && depth == 1 => {
                found.push(named(token));
                starts = false;
            }
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

fn named(token: &Token<'_>) -> Reference {
    let target = match token.text {
        "*" => Target::Glob,
        "prelude" => Target::Prelude,
        name => Target::Module(name.to_owned()),
    };
    Reference { line: token.line, target }
}
