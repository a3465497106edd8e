//! The library's tests from outside, in one binary: what is generic is built once for all of them.

mod adaptive;
mod adversaries;
mod anytime;
mod context_forecasts;
mod context_law;
mod contexts;
mod contexts_planned;
mod contract;
mod control;
mod crowds;
mod few_votes;
mod figures;
mod golden;
mod hints;
mod judges;
mod linear;
mod many_items;
mod naive;
mod open;
mod peers;
mod properties;
mod reference;
mod rule_free;
mod sequential;
mod statistics;

/// A file that is named nowhere would never be run.
#[test]
fn every_file_is_a_part() {
    let (here, manifest) = (include_str!("all.rs"), include_str!("../Cargo.toml"));
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let Some(name) = name.strip_suffix(".rs") else { continue };
        let found =
            here.contains(&format!("\nmod {name};\n")) || manifest.contains(&format!("[[test]]\nname = \"{name}\"\n"));
        assert!(found, "tests/{name}.rs is in neither tests/all.rs nor Cargo.toml");
    }
}
