//! What a judge answered to the questions that people are asked, before any of them is.

use crate::ballots::Ballots;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The answers of one judge, or the means of several, to pairs of items in contexts: of the pairs that were answered in
/// every context alone, since only there the mean answer is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeAnswers {
    /// The contexts by name.
    contexts: Vec<String>,
    /// Pairs i < j in order, each with the answers for i, from −1 to 1, by context.
    pairs: Vec<(u32, u32, Vec<f64>)>,
}

impl JudgeAnswers {
    /// What judges answered about items, which `item` numbers by name, in these contexts; nothing where no pair was
    /// answered in all of them, or each of them alike everywhere.
    pub fn of<'b>(
        judges: impl IntoIterator<Item = &'b Ballots>,
        item: &dyn Fn(&str) -> Option<u32>,
        contexts: &[String],
    ) -> Option<Self> {
        let numbers: HashMap<&str, u32> = contexts.iter().map(String::as_str).zip(0..).collect();
        let mut sums: BTreeMap<(u32, u32), Vec<[f64; 2]>> = BTreeMap::new();
        for judge in judges {
            let named: Vec<Option<u32>> = judge.items().iter().map(|name| item(name)).collect();
            let there: Vec<Option<u32>> =
                judge.context_names().iter().map(|name| numbers.get(name.as_str()).copied()).collect();
            for cell in judge.cells().iter().filter(|cell| cell.w > 0.0) {
                let context = cell.context.and_then(|context| there[context as usize]);
                let (left, right) = (named[cell.left as usize], named[cell.right as usize]);
                let (Some(context), Some(left), Some(right)) = (context, left, right) else { continue };
                if left == right {
                    continue;
                }
                let of =
                    sums.entry((left.min(right), left.max(right))).or_insert_with(|| vec![[0.0; 2]; contexts.len()]);
                let y = 2.0 * cell.wr - cell.w;
                of[context as usize][0] += cell.w;
                of[context as usize][1] += if left > right { -y } else { y };
            }
        }
        let complete = |((i, j), sums): ((u32, u32), Vec<[f64; 2]>)| {
            let answers: Vec<f64> = sums.iter().map(|[w, y]| y / w).collect();
            let varied = answers.iter().any(|z| *z != answers[0]);
            // Where it said nothing, w is 0 and the quotient no number.
            (varied && answers.iter().all(|z| z.is_finite())).then_some((i, j, answers))
        };
        let pairs: Vec<_> = sums.into_iter().filter_map(complete).collect();
        (!pairs.is_empty()).then(|| Self { contexts: contexts.to_vec(), pairs })
    }

    /// How many pairs were answered in every context.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The names of the contexts.
    pub fn contexts(&self) -> &[String] {
        &self.contexts
    }

    /// The answers about a pair i < j for i, by context.
    pub(crate) fn about(&self, i: usize, j: usize) -> Option<&[f64]> {
        let at = self.pairs.binary_search_by_key(&(i, j), |(i, j, _)| (*i as usize, *j as usize)).ok()?;
        Some(&self.pairs[at].2)
    }

    /// All numbers in it, for a fingerprint.
    pub fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        let pair = |(i, j, answers): &'_ (u32, u32, Vec<f64>)| {
            let bits: Vec<u64> = answers.iter().map(|z| z.to_bits()).collect();
            [u64::from(*i), u64::from(*j)].into_iter().chain(bits)
        };
        self.pairs.iter().flat_map(pair)
    }
}
