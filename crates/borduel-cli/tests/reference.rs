//! The reference is made from the program: commands from what reads them, settings from the registry of policies and
//! the comments of their fields, addresses from the server's description. `UPDATE_SNAPSHOTS=1` writes the pages anew.

mod common;

use common::User;
use std::fmt::Write;
use std::path::Path;

fn root(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Compares with a page of the reference.
fn page(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == text, "docs/reference/{name} is not what the program has; UPDATE_SNAPSHOTS=1 writes it anew");
}

/// Text within a cell of a table, in which nothing is a tag.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(feature = "studies")]
#[test]
fn every_command_is_in_the_reference() {
    page("commands.md", &User::new().succeeds("reference"));
}

/// What can be set of a policy: a field of its settings that is not hidden.
struct Setting {
    key: String,
    meaning: String,
    /// Its type.
    kind: String,
}

fn settings(source: &str, config: &str) -> Vec<Setting> {
    let start = format!("pub struct {config} {{");
    let body = source.split(start.as_str()).nth(1).and_then(|rest| rest.split("\n}").next()).unwrap_or_default();
    let (mut found, mut comment, mut hidden) = (Vec::new(), String::new(), false);
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
        } else if line == "#[doc(hidden)]" {
            hidden = true;
        } else if let Some((key, kind)) = line.strip_prefix("pub ").and_then(|line| line.split_once(": ")) {
            let meaning = cell(&std::mem::take(&mut comment));
            if !std::mem::take(&mut hidden) {
                found.push(Setting { key: key.to_owned(), meaning, kind: kind.trim_end_matches(',').to_owned() });
            }
        }
    }
    found
}

/// The values of a type that is a choice, each with its comment; none for any other type.
fn choices(kind: &str, sources: &[String]) -> Vec<(String, String)> {
    let kind = kind.strip_prefix("Option<").map_or(kind, |inner| inner.trim_end_matches('>'));
    let start = format!("pub enum {kind} {{");
    let body = sources.iter().find_map(|source| source.split(start.as_str()).nth(1)?.split("\n}").next());
    let (mut found, mut comment, mut renamed) = (Vec::new(), String::new(), None);
    for line in body.unwrap_or_default().lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
        } else if let Some(name) = line.strip_prefix("#[serde(rename = \"") {
            renamed = name.split('"').next().map(str::to_owned);
        } else if let Some(variant) = line.strip_suffix(',') {
            let value = renamed.take().unwrap_or_else(|| variant.to_lowercase());
            found.push((value, cell(&std::mem::take(&mut comment))));
        }
    }
    found
}

/// The files of all policies.
fn sources() -> Vec<String> {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../borduel/src/policy");
    let shelves = SHELVES.iter().flat_map(|shelf| std::fs::read_dir(policies.join(shelf)).unwrap());
    let files = shelves.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    files.map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

const SHELVES: [&str; 4] = ["paper", "peers", "features", "own"];

/// The file of a policy, on whichever shelf it stands.
fn shelved(module: &str) -> String {
    let places = SHELVES.map(|shelf| format!("crates/borduel/src/policy/{shelf}/{module}.rs"));
    let found =
        places.into_iter().find(|place| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place).exists());
    found.unwrap_or_else(|| panic!("{module} is on no shelf"))
}

/// The module of a policy and the type of its settings, by the one list of policies.
fn listed(name: &str) -> (String, String) {
    let list = root("crates/borduel/src/policy.rs");
    let start = format!(" = \"{name}\", ");
    let path = list.lines().find_map(|line| line.split(start.as_str()).nth(1)?.rsplit(' ').next());
    let (module, config) = path.and_then(|path| path.trim_end_matches(';').split_once("::")).unwrap();
    (module.to_owned(), config.to_owned())
}

#[test]
fn every_setting_of_every_policy_is_in_the_reference() {
    let mut text = String::from(
        "# Policies and their settings\n\nEvery policy, as `--policies` and experiment files name it. Give a setting \
         with `--set POLICY.KEY=VALUE`, or as a key of `[[policies]]` in a file. What is not set follows from T, K \
         and d by the formula in the policy's file; what it came to is in every report. When to pick which: [How to \
         choose an algorithm](../explanation/algorithms.md).\n",
    );
    let sources = sources();
    for name in borduel::POLICIES {
        let config = borduel::PolicyConfig::named(name).unwrap();
        let (module, kind) = listed(name);
        let place = shelved(&module);
        let source = root(&place);
        // Policies that are one but for a part share what can be set: `pub struct CentredConfig(pub Config)`.
        let start = format!("pub struct {kind}(pub ");
        let shared = source.split(start.as_str()).nth(1).and_then(|rest| rest.split(')').next());
        let settings = match shared.map(|path| path.split_once("::")) {
            Some(Some((module, config))) => settings(&root(&shelved(module)), config),
            Some(None) => settings(&source, "Config"),
            None => settings(&source, &kind),
        };
        let _ = write!(text, "\n## {name}\n\n{}, in `{place}`.", config.label());
        if settings.is_empty() {
            text.push_str(" It has no settings.\n");
            continue;
        }
        text.push_str("\n\n| setting | default | what it is |\n|:--|:--|:--|\n");
        let defaults = serde_json::to_value(&config).unwrap();
        for Setting { key, mut meaning, kind } in settings {
            assert!(!meaning.is_empty(), "{name}.{key} has no comment");
            for (value, what) in choices(&kind, &sources) {
                let set = serde_json::json!({ "policy": name, (key.as_str()): value });
                let taken = serde_json::from_value::<borduel::PolicyConfig>(set);
                assert!(taken.is_ok(), "{name}.{key} = {value}: {taken:?}");
                let _ = write!(meaning, "<br>`{value}`: {what}");
            }
            // With spaces, where a narrow column may break it.
            let shown = |value: &serde_json::Value| format!("`{}`", value.to_string().replace(",\"", ", \""));
            let default = defaults.get(&key).map_or_else(|| "–".to_owned(), shown);
            let _ = writeln!(text, "| `{key}` | {default} | {meaning} |");
        }
    }
    page("policies.md", &text);
}

#[test]
fn every_address_of_the_server_is_in_the_reference() {
    let description: serde_json::Value = serde_json::from_str(&root("crates/borduel-server/openapi.json")).unwrap();
    let mut text = String::from(
        "# HTTP API\n\nAll addresses of `borduel serve`. A running server describes itself in full, with every field, \
         at `/docs` for people and at `/openapi.json` for programs. Requests and answers are JSON; a token goes into \
         `Authorization: Bearer …`. Refusals are `application/problem+json` and say what to do.\n\nWho may: *admin* \
         has the server's token, *organiser* that of a study (an administrator may do it too), *judge* and *voter* \
         one of their own, *anybody* none.\n\n| request | what it does | who may |\n|:--|:--|:--|\n",
    );
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let who: Vec<String> = match operation["security"].as_array() {
                None => vec!["anybody".to_owned()],
                Some(ways) => ways
                    .iter()
                    .map(|way| {
                        way.as_object()
                            .and_then(|way| way.keys().next().cloned())
                            .unwrap_or_else(|| "anybody".to_owned())
                    })
                    .collect(),
            };
            let what = cell(operation["summary"].as_str().unwrap_or_default());
            let _ = writeln!(text, "| `{} {path}` | {what} | {} |", method.to_uppercase(), who.join(", "));
        }
    }
    page("http.md", &text);
}
