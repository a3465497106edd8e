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

/// The fields of a policy's `Config`, each with its comment.
fn settings(source: &str) -> Vec<(String, String)> {
    let body = source.split("pub struct Config {").nth(1).and_then(|rest| rest.split("\n}").next()).unwrap_or_default();
    let (mut found, mut comment) = (Vec::new(), String::new());
    for line in body.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|line| line.split_once(':')) {
            found.push((name.to_owned(), cell(&std::mem::take(&mut comment))));
        }
    }
    found
}

/// The file of a policy, on whichever shelf it stands.
fn shelved(module: &str) -> String {
    let places =
        ["paper", "peers", "features", "own"].map(|shelf| format!("crates/borduel/src/policy/{shelf}/{module}.rs"));
    let found =
        places.into_iter().find(|place| Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place).exists());
    found.unwrap_or_else(|| panic!("{module} is on no shelf"))
}

#[test]
fn every_setting_of_every_policy_is_in_the_reference() {
    let mut text = String::from(
        "# Policies and their settings\n\nEvery policy, as `--policies` and experiment files name it. Give a setting with `--set POLICY.KEY=VALUE`, or as a key \
         of `[[policies]]` in a file. What is not set follows from T, K and d by the formula in the policy's file; what it came to is in every report. \
         When to pick which: [How to choose an algorithm](../explanation/algorithms.md).\n",
    );
    for name in borduel::POLICIES {
        let config = borduel::PolicyConfig::named(name).unwrap();
        let place = shelved(&name.replace('-', "_"));
        let source = root(&place);
        // Policies that are one but for a part share what can be set.
        let shared = source.split("pub struct Config(pub ").nth(1).and_then(|rest| rest.split("::").next());
        let settings = match shared {
            Some(module) => settings(&root(&shelved(module))),
            None => settings(&source),
        };
        let _ = write!(text, "\n## {name}\n\n{}, in `{place}`. ", config.label());
        if settings.is_empty() {
            text.push_str("It has no settings.\n");
            continue;
        }
        text.push_str("\n\n| setting | default | what it is |\n|:--|:--|:--|\n");
        let defaults = serde_json::to_value(&config).unwrap();
        for (key, meaning) in settings {
            assert!(!meaning.is_empty(), "{name}.{key} has no comment");
            let default = defaults.get(&key).map_or_else(|| "–".to_owned(), |value| format!("`{value}`"));
            let _ = writeln!(text, "| `{key}` | {default} | {meaning} |");
        }
    }
    page("policies.md", &text);
}

#[test]
fn every_address_of_the_server_is_in_the_reference() {
    let description: serde_json::Value = serde_json::from_str(&root("crates/borduel-server/openapi.json")).unwrap();
    let mut text = String::from(
        "# HTTP API\n\nAll addresses of `borduel serve`. A running server describes itself in full, with every field, at `/docs` for people and at \
         `/openapi.json` for programs. Requests and answers are JSON; a token goes into `Authorization: Bearer …`. Refusals are `application/problem+json` \
         and say what to do.\n\nWho may: *admin* has the server's token, *organiser* that of a study (an administrator may do it too), *judge* and *voter* one of \
         their own, *anybody* none.\n\n| request | what it does | who may |\n|:--|:--|:--|\n",
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
