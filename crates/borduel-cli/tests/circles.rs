//! No two files of a crate import each other, not even round a corner; a file and its own folder are one room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Module = Vec<String>;

/// All modules below a folder with their texts, their tests cut off.
fn modules(folder: &Path, module: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inner: Module = module.iter().cloned().chain([name.clone()]).collect();
        if path.is_dir() {
            modules(&path, &inner, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !["lib", "main", "tests"].contains(&name.as_str())
        {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            found.insert(inner, lines.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// The paths that begin with `crate`, with `super` or with a name in the module's own folder, those of a list `{a, b}`
/// one by one.
fn paths(text: &str, folder: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate", "super"].into_iter().chain(folder.iter().map(String::as_str)) {
        for (at, _) in text.match_indices(&format!("{start}::")) {
            let before = text[..at].chars().next_back();
            if !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                expand(&text[at..], "", &mut found);
            }
        }
    }
    found
}

/// Reads one path of a `use` or an expression, and what follows it in braces.
fn expand(text: &str, prefix: &str, found: &mut Vec<String>) -> usize {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    let path = format!("{prefix}{}", &text[..end]);
    if !(path.ends_with("::") && text[end..].starts_with('{')) {
        found.push(path);
        return end;
    }
    let mut at = end + 1;
    while at < text.len() && !text[at..].starts_with('}') {
        let part = &text[at..];
        at += if part.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            expand(part, &path, found)
        } else {
            part.chars().next().map_or(1, char::len_utf8)
        };
    }
    at + 1
}

/// The module that a path leads into, if it is a file of the crate.
fn target(from: &Module, path: &str, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut place: Module = Vec::new();
    for (at, step) in path.split("::").enumerate() {
        match step {
            "crate" if at == 0 => {}
            "super" if at == 0 => place = from[..from.len() - 1].to_vec(),
            "super" => {
                place.pop();
            }
            _ if at == 0 => place = from.iter().cloned().chain([step.to_owned()]).collect(),
            _ => place.push(step.to_owned()),
        }
    }
    (1..=place.len()).rev().map(|length| place[..length].to_vec()).find(|module| all.contains_key(module))
}

/// A circle from this module back to itself.
fn circle(
    module: &Module,
    uses: &BTreeMap<Module, BTreeSet<Module>>,
    done: &mut BTreeSet<Module>,
    way: &mut Vec<Module>,
) -> Option<Vec<Module>> {
    if let Some(at) = way.iter().position(|before| before == module) {
        return Some(way[at..].to_vec());
    }
    if !done.insert(module.clone()) {
        return None;
    }
    way.push(module.clone());
    let found = uses[module].iter().find_map(|next| circle(next, uses, done, way));
    way.pop();
    found
}

#[test]
fn no_circle_of_imports_runs_through_a_crate() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let mut all = BTreeMap::new();
        modules(&folder.join("src"), &Vec::new(), &mut all);
        let folder_of = |module: &Module| -> Vec<String> {
            let inside = |other: &&Module| other.len() == module.len() + 1 && other.starts_with(module);
            all.keys().filter(inside).filter_map(|other| other.last().cloned()).collect()
        };
        let uses: BTreeMap<Module, BTreeSet<Module>> = all
            .iter()
            .map(|(module, text)| {
                let targets = paths(text, &folder_of(module)).into_iter();
                let targets = targets.filter_map(|path| target(module, &path, &all));
                // What stands in a folder may use the file that the folder belongs to.
                (module.clone(), targets.filter(|other| !module.starts_with(other)).collect())
            })
            .collect();
        seen += uses.values().map(BTreeSet::len).sum::<usize>();
        let mut done = BTreeSet::new();
        for module in all.keys() {
            let found = circle(module, &uses, &mut done, &mut Vec::new());
            let names = |circle: Vec<Module>| circle.iter().map(|m| m.join("::")).collect::<Vec<_>>().join(" → ");
            assert!(found.is_none(), "{}: {}", folder.display(), found.map(names).unwrap_or_default());
        }
    }
    assert!(seen > 500, "only {seen} imports were understood");
}
