//! How long answers took, voter by voter: who answers far faster than the others may not have looked.

use std::collections::BTreeMap;

/// The times that voters took for their answers, in any one unit.
#[derive(Clone, Debug, Default)]
pub struct Durations {
    of: BTreeMap<String, Vec<f64>>,
}

impl Durations {
    /// Adds an answer of a voter. A time that is negative or not a number says nothing and is left out.
    pub fn add(&mut self, voter: &str, took: f64) {
        if took >= 0.0 {
            match self.of.get_mut(voter) {
                Some(times) => times.push(took),
                None => {
                    self.of.insert(voter.to_owned(), vec![took]);
                }
            }
        }
    }

    /// Of every voter the number of answers, and how many of them took less than a quarter of what is usual: of the
    /// median of the voters' own medians.
    pub(crate) fn hurried(&self) -> Vec<(&str, f64, f64)> {
        let medians: Vec<f64> = self.of.values().map(|times| median(times.clone())).collect();
        if medians.is_empty() {
            return Vec::new();
        }
        let usual = median(medians);
        let short = |times: &[f64]| times.iter().filter(|took| **took < 0.25 * usual).count() as f64;
        self.of.iter().map(|(voter, times)| (voter.as_str(), times.len() as f64, short(times))).collect()
    }
}

/// The median of a list that is not empty, the upper one of two.
fn median(mut list: Vec<f64>) -> f64 {
    let middle = list.len() / 2;
    *list.select_nth_unstable_by(middle, f64::total_cmp).1
}
