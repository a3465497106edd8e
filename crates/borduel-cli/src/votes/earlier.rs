//! An earlier ranking, as `borduel rank --format json` wrote it.

use crate::failure::Failure;
use borduel::ranking::Before;
use borduel_report::ranking::VERSION;
use serde::Deserialize;
use std::path::Path;

/// What is read of it.
#[derive(Deserialize)]
struct Object {
    version: u32,
    items: Vec<Item>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the key of the JSON is `item`")]
struct Item {
    item: String,
    borda: Borda,
    rank: Rank,
}

#[derive(Deserialize)]
struct Borda {
    estimate: Option<f64>,
    error: f64,
}

#[derive(Deserialize)]
struct Rank {
    low: usize,
    high: usize,
}

/// The items of an earlier ranking.
pub(crate) fn earlier(path: &Path) -> Result<Vec<Before>, Failure> {
    let refuse = |what: String| Failure::Data(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("cannot be read: {error}")))?;
    let object: Object = serde_json::from_str(&text).map_err(|error| {
        refuse(format!("is no ranking that borduel rank --format json wrote ({error}): give --compare such a file"))
    })?;
    if object.version != VERSION {
        let own = VERSION;
        return Err(refuse(format!(
            "is a ranking of version {}, and this borduel reads version {own}",
            object.version
        )));
    }
    let before = |item: Item| Before {
        item: item.item,
        borda: item.borda.estimate,
        error: item.borda.error,
        rank: (item.rank.low, item.rank.high),
    };
    Ok(object.items.into_iter().map(before).collect())
}
