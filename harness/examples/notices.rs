//! Licence notices and bill of materials for a release. Reads `cargo metadata` on stdin, writes the
//! licences of all linked crates to one file and a `CycloneDX` bill of materials to another.
//!
//! `cargo metadata --format-version 1 --filter-platform TARGET | notices LICENCES.txt SBOM.json`

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// Prefixes of licence file names, compared case-insensitively.
const NOTICES: [&str; 5] = ["licen", "copying", "copyright", "notice", "unlicense"];

/// The MIT licence below its copyright line (SPDX: MIT).
const MIT: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the \"Software\"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [licences, parts] = &arguments[..] else { bail!("usage: notices LICENCES SBOM < metadata") };
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read the metadata")?;
    let metadata: Value = serde_json::from_str(&text).context("the metadata is not JSON")?;
    let packages = linked(&metadata).context("the metadata has an unexpected structure")?;
    let notices = packages.iter().map(|package| notice(package)).collect::<anyhow::Result<String>>()?;
    fs::write(licences, notices).with_context(|| format!("cannot write {licences}"))?;
    let mut bill = serde_json::to_string_pretty(&bill(&metadata, &packages))
        .context("cannot serialize the bill of materials")?;
    bill.push('\n');
    fs::write(parts, bill).with_context(|| format!("cannot write {parts}"))
}

/// Returns the packages linked into the programs, sorted by name and version: the workspace members
/// and their normal dependencies.
fn linked(metadata: &Value) -> Option<Vec<&Value>> {
    let by_id = |list: &'_ Value| -> Option<BTreeMap<String, Value>> {
        list.as_array()?.iter().map(|item| Some((item["id"].as_str()?.to_owned(), item.clone()))).collect()
    };
    let nodes = by_id(&metadata["resolve"]["nodes"])?;
    let mut open: Vec<String> = metadata["workspace_members"]
        .as_array()?
        .iter()
        .map(|id| id.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        for dependency in nodes.get(&id)?["deps"].as_array()? {
            let is_linked = dependency["dep_kinds"].as_array()?.iter().any(|kind| kind["kind"].is_null());
            if is_linked {
                open.push(dependency["pkg"].as_str()?.to_owned());
            }
        }
    }
    let mut found: Vec<&Value> = metadata["packages"]
        .as_array()?
        .iter()
        .filter(|package| package["id"].as_str().is_some_and(|id| seen.contains(id)))
        .collect();
    found.sort_by_key(|package| (package["name"].to_string(), package["version"].to_string()));
    Some(found)
}

fn field<'a>(package: &'a Value, name: &str) -> &'a str {
    package[name].as_str().unwrap_or_default()
}

/// Returns name, licence and licence texts of a crate.
fn notice(package: &Value) -> anyhow::Result<String> {
    let mut text = format!(
        "{} {}\nlicence: {}\nsource:  {}\n\n",
        field(package, "name"),
        field(package, "version"),
        package["license"].as_str().or(package["license_file"].as_str()).unwrap_or("not stated"),
        package["repository"].as_str().unwrap_or("this project"),
    );
    let folder =
        Path::new(field(package, "manifest_path")).parent().context("a manifest has no parent folder")?;
    let mut files: Vec<_> = fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
            entry.path().is_file() && NOTICES.iter().any(|begin| name.starts_with(begin))
        })
        .map(|entry| entry.path())
        .collect();
    files.sort();
    if files.is_empty() {
        let standard = standard_text(package).with_context(|| {
            format!(
                "{} {} contains no licence file, and `{}` is not a licence whose text is known here",
                field(package, "name"),
                field(package, "version"),
                field(package, "license")
            )
        })?;
        text.push_str(&standard);
    }
    for file in files {
        let notice = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let _ = write!(text, "--- {name}\n{}\n", String::from_utf8_lossy(&notice).trim_end());
    }
    text.push_str("\n================================================================================\n\n");
    Ok(text)
}

/// Returns the licence text of a crate whose package contains none; `None` for other licences than
/// MIT and that of this project.
fn standard_text(package: &Value) -> Option<String> {
    let licence = field(package, "license").replace('/', " OR ");
    let mut choices = licence.split(" OR ").map(str::trim);
    if choices.clone().any(|choice| choice == "MIT") {
        let authors: Vec<&str> = package["authors"].as_array()?.iter().filter_map(Value::as_str).collect();
        let holders = match &authors[..] {
            [] => format!("the authors of {}", field(package, "name")),
            authors => authors.join(", "),
        };
        return Some(format!("--- MIT (the package contains no text)\nCopyright (c) {holders}\n\n{MIT}"));
    }
    choices.any(|choice| choice == "GPL-3.0-or-later").then(|| {
        "The licence is that of Stretto. Its text is in the file LICENSE beside this one.\n".to_owned()
    })
}

/// Returns the bill of materials in `CycloneDX` 1.5 format.
fn bill(metadata: &Value, packages: &[&Value]) -> Value {
    let members = metadata["workspace_members"].as_array().cloned().unwrap_or_default();
    let component = |package: &&Value| {
        let (name, version) = (field(package, "name"), field(package, "version"));
        let is_own = members.contains(&package["id"]);
        json!({
            "type": if is_own { "application" } else { "library" },
            "name": name,
            "version": version,
            "purl": format!("pkg:cargo/{name}@{version}"),
            "bom-ref": format!("pkg:cargo/{name}@{version}"),
            "licenses": [{ "expression": field(package, "license").replace('/', " OR ") }],
        })
    };
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "components": packages.iter().map(component).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(licence: &str, authors: &[&str]) -> Option<String> {
        standard_text(&json!({ "name": "crate", "license": licence, "authors": authors }))
    }

    #[test]
    fn crates_without_a_licence_file_get_the_standard_text() {
        for licence in ["MIT", "MIT OR Apache-2.0", "Apache-2.0/MIT"] {
            let text = text_of(licence, &["A <a@b>", "C"]).unwrap_or_default();
            assert!(text.contains("\nCopyright (c) A <a@b>, C\n\nPermission is hereby granted"), "{text}");
            assert!(text.ends_with("OTHER DEALINGS IN THE SOFTWARE.\n"), "{text}");
        }
        let nameless = text_of("MIT", &[]).unwrap_or_default();
        assert!(nameless.contains("Copyright (c) the authors of crate\n"), "{nameless}");
        assert!(text_of("GPL-3.0-or-later", &[]).is_some_and(|text| text.contains("file LICENSE")));
        for unknown in ["Apache-2.0", "MIT-0", "MIT AND Zlib", ""] {
            assert_eq!(text_of(unknown, &["A"]), None, "{unknown}");
        }
    }
}
