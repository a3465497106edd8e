//! An earlier ranking, as `borduel rank --format json` wrote it.

use borduel::ranking::Before;
use borduel_lab::failure::Failure;
use borduel_report::ranking::Document;
use borduel_report::ranking::document::Item;
use std::path::Path;

/// The items of an earlier ranking.
pub(crate) fn earlier(path: &Path) -> Result<Vec<Before>, Failure> {
    let refuse = |what: String| Failure::Data(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(format!("cannot be read: {error}")))?;
    let document = Document::read(&text).map_err(|error| {
        refuse(match error {
            borduel_report::Error::Version(_) => format!("is {error}"),
            _ => format!(
                "is no saved ranking ({error}): save the earlier one with \
                 `borduel rank OLD_VOTES.csv --format json > old.json`, and give --compare that"
            ),
        })
    })?;
    // Those who wrote no degrees of freedom had at most one less than there were voters.
    let df = document.intervals.df.or(document.votes.voters.map(|voters| (voters - 1.0).max(1.0)));
    let before = |item: Item| {
        Before::new(item.item, item.borda.estimate, item.borda.error, (item.rank.low, item.rank.high)).with_df(df)
    };
    Ok(document.items.into_iter().map(before).collect())
}
