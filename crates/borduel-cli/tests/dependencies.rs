//! What everything is built of: under licences that go with ours, from the registry only, and no more than once but for
//! what `deny.toml` lists. `./test dependencies` asks cargo-deny, which knows faults too; here is what needs neither it
//! nor a network.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The packages of this workspace, on this platform.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn packages() -> Vec<Value> {
    let host = Command::new(env!("CARGO")).args(["-vV"]).output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let asked =
        ["metadata", "--format-version", "1", "--all-features", "--locked", "--offline", "--filter-platform", host];
    let told = Command::new(env!("CARGO")).args(asked).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let mut told: Value = serde_json::from_slice(&told.stdout).unwrap();
    serde_json::from_value(told["packages"].take()).unwrap()
}

/// Whether a licence expression can be met by what is allowed: any of several, or all of them.
fn is_met(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let expression = expression.replace('/', " OR ");
    let mut depth = 0;
    // Split where it is joined most loosely, outside of parentheses.
    for joined in [" OR ", " AND "] {
        let mut parts = vec![String::new()];
        depth = 0;
        let mut rest = expression.as_str();
        while let Some(next) = rest.chars().next() {
            depth += i32::from(next == '(') - i32::from(next == ')');
            if depth == 0 && rest.starts_with(joined) {
                parts.push(String::new());
                rest = &rest[joined.len()..];
                continue;
            }
            parts.last_mut().unwrap().push(next);
            rest = &rest[next.len_utf8()..];
        }
        if parts.len() > 1 {
            let mut met = parts.iter().map(|part| is_met(part, allowed));
            return if joined == " OR " { met.any(|met| met) } else { met.all(|met| met) };
        }
    }
    assert_eq!(depth, 0, "{expression}");
    let one = expression.trim();
    match one.strip_prefix('(').and_then(|one| one.strip_suffix(')')) {
        Some(inner) => is_met(inner, allowed),
        None => allowed.contains(one),
    }
}

#[test]
fn licences_are_read_as_they_are_written() {
    let allowed = BTreeSet::from(["MIT", "ISC"]);
    for met in ["MIT", "GPL-3.0 OR MIT", "Unlicense/MIT", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC", "(MIT)"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for not in
        ["", "GPL-3.0", "MIT AND GPL-3.0", "MIT WITH Something", "(GPL-3.0 OR MIT) AND Zlib", "(MIT AND Zlib) OR BSD"]
    {
        assert!(!is_met(not, &allowed), "{not}");
    }
}

/// On the platform that tests are run on: others need other crates.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn everything_is_built_of_what_deny_toml_allows() {
    let deny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deny.toml");
    let deny: toml::Table = toml::from_str(&std::fs::read_to_string(deny).unwrap()).unwrap();
    let names = |table: &str, list: &str| -> Vec<String> {
        let list = deny[table][list].as_array().unwrap();
        list.iter()
            .map(|entry| entry.as_str().or(entry.get("crate").and_then(toml::Value::as_str)).unwrap().to_owned())
            .collect()
    };
    let allowed = names("licenses", "allow");
    let allowed: BTreeSet<&str> = allowed.iter().map(String::as_str).collect();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for package in packages() {
        let text = |key: &str| package[key].as_str().unwrap_or("").to_owned();
        let (name, licence, source) = (text("name"), text("license"), text("source"));
        if !is_met(&licence, &allowed) {
            wrong.push(format!("{name} is under {licence:?}"));
        }
        if !source.is_empty() && source != "registry+https://github.com/rust-lang/crates.io-index" {
            wrong.push(format!("{name} comes from {source}"));
        }
        used.extend(allowed.iter().filter(|one| licence.contains(**one)).map(|one| (*one).to_owned()));
        versions.entry(name).or_default().insert(text("version"));
    }
    assert!(versions.len() > 100, "that is not everything: {versions:?}");
    let twice: BTreeSet<String> = versions.into_iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name).collect();
    let listed: BTreeSet<String> = names("bans", "skip").into_iter().collect();
    wrong.extend(twice.difference(&listed).map(|name| format!("{name} is built in more than one version")));
    wrong.extend(listed.difference(&twice).map(|name| format!("{name} is built once: deny.toml need not list it")));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(used.len(), allowed.len(), "nothing is under some of what is allowed: {used:?}");
}
