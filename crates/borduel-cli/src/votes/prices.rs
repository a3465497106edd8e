//! Prices of answers, as the command line has them.

use borduel::judging::Prices;

/// Two prices, such as `1,0.01`.
pub(crate) fn prices(text: &str) -> Result<Prices, String> {
    let two = || text.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
    let (person, judge) = two().ok_or("needs two prices: a person's answer and the judge's, such as 1,0.01")?;
    Prices::new(person, judge).map_err(|error| error.to_string())
}
