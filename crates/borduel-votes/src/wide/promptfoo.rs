//! The results of promptfoo are recognised, where it has compared the outputs of each test with each other
//! (`select-best`, `max-score`): one row an output, and whether it was the best.

use super::{RowKind, Wide};
use crate::sample::Sample;

/// The assertions that choose one of the outputs.
const CHOOSE: [&str; 2] = ["select-best", "max-score"];
/// What outputs may differ in: the model, or the prompt. Names that were given go before others.
const ITEMS: [&[&str]; 2] = [&["provider.label", "provider.id", "provider"], &["prompt.label"]];

/// One output of several to choose from in each row. Where both models and prompts differ, nobody can tell what is
/// compared.
pub(super) fn find(columns: &[String], sample: &Sample) -> Option<Wide> {
    let column = |name: &str| columns.iter().position(|column| column == name);
    let chooses = |name: &&String| {
        let assertion = name.strip_suffix(".assertion.type").and_then(|_| column(name));
        assertion
            .is_some_and(|c| sample.values(c).next().is_some() && sample.values(c).all(|value| CHOOSE.contains(&value)))
    };
    let assertion = columns.iter().find(chooses)?.strip_suffix("assertion.type")?;
    let passed = column(&format!("{assertion}pass"))?;
    let differs = |names: &[&str]| names.iter().filter_map(|name| column(name)).find(|&c| sample.distinct(c).len() > 1);
    let items: Vec<usize> = ITEMS.iter().filter_map(|names| differs(names)).collect();
    let &[item] = items.as_slice() else { return None };
    Some(Wide {
        kind: RowKind::Choices,
        columns: vec![item, passed],
        task: Some(column("testIdx")?),
        ..Wide::default()
    })
}
