//! Rankings over contexts: models are compared on prompts, codecs on scenes.
//!
//! A score is the mean over contexts, B(i) = 1/G Σ_c B(i|c): every context counts alike, however many votes it got.
//! There is one fit, in which a vote in context c has the weight 1/(n_c/P_c + K/2), n_c being the votes there, P_c the
//! share of all pairs that can be compared there, and K the items (post-stratification). Where every pair was compared
//! equally often in a context, the scores of that fit are the mean of the B(i|c) exactly, since a fit gives every item
//! the points it had. Most (pair, context) are empty, though, and to fit every context by itself would not do. K/2
//! votes, one an item, are what keeps a context of three votes from counting as much for its three pairs as all votes
//! on them elsewhere: a context counts in full once its votes are many an item, and by its votes while they are fewer.
//!
//! Where there is nothing to show for some items in some contexts, a pair has its mean over the contexts that both are
//! in. The votes of a context of few items are about few pairs: without P_c each of these would count for more there
//! than elsewhere (8 items, 24 contexts, a third missing, τ = 0.6: scores are then off by 2 points, and by 0.2 with it,
//! however many votes there are).
//!
//! Two questions can be asked. About *these* contexts: they are fixed, and nothing but the votes scatters. About
//! *such* contexts, of which these are a sample: B(i|c) scatters between contexts too, so that residuals are summed
//! by context before they are squared; where voters are known, by both (see `ways`). The degrees of freedom are those
//! of contexts, less one, and as much less as they are uneven (see `uneven`); with voters, of a score by itself.

use super::Model;
use super::context_map::ContextMap;
use super::options::RankOptions;
use super::spread::MOST_PAIRWISE;
use super::sums::Sums;
use crate::about::About;
use crate::ballots::Ballots;
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a ranking speaks about these contexts, or about such.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyContexts {
    /// It was asked for.
    Asked,
    /// There are at least [`About::FEWEST_FOR_SUCH`].
    Enough,
    /// There are fewer, and so few do not speak for others.
    Few,
    /// Something else was asked for that knows the votes' contexts as fixed alone: observed shares, a bootstrap, or
    /// very many items.
    Fixed,
}

/// About which contexts a ranking speaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AboutContexts {
    /// About these, or about such.
    pub about: About,
    /// Why the scores are about these contexts or such.
    pub why: WhyContexts,
    /// How many there are.
    pub seen: usize,
    /// What they are, in the plural, such as `prompts`.
    pub are: String,
    /// Votes without a context; together they count as one more.
    pub without: f64,
    /// Who is strong where; `None` for very many items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<ContextMap>,
}

/// By what residuals are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clusters {
    /// By voters, or by nothing where they are not known.
    Voters,
    Contexts,
    Both,
}

/// How a ranking is made over contexts.
#[derive(Clone, Debug)]
pub(crate) struct Over {
    pub(crate) about: AboutContexts,
    pub(crate) clusters: Clusters,
    /// What a vote counts in each context, and behind those without any; `None` where it is the same everywhere.
    pub(crate) weights: Option<Vec<f64>>,
    /// Whether a model is fitted, in which the leverage of a vote goes by its weight.
    pub(crate) fitted: bool,
}

impl Over {
    /// How these votes are ranked over their contexts; `None` where they have none. `sums` are
    /// those of the ranked items.
    pub(crate) fn new(ballots: &Ballots, sums: &Sums, model: &Model, options: &RankOptions) -> Result<Option<Self>> {
        let wanted = options.about;
        if ballots.contexts() == 0 {
            return Ok(None);
        }
        // What is adjusted for, and what else votes hang together by, is kept without contexts.
        if options.circumstances.is_some() || options.crossed.is_some() {
            let other = if options.crossed.is_some() { "another cluster" } else { "numbers to adjust for" };
            return match wanted {
                None => Ok(None),
                Some(_) => {
                    Err(Error::Data(format!("{other} and contexts do not go together: leave out the one or the other")))
                }
            };
        }
        let votes = votes_by_context(ballots, &sums.items);
        let seen = votes[..ballots.contexts()].iter().filter(|seen| seen.w > 0.0).count();
        // One context is what every vote has in common, and nothing else is asked about it unless somebody does.
        if seen == 0 || (seen == 1 && wanted.is_none()) {
            return Ok(None);
        }
        let voters = options.clustered && sums.effective_voters() > 1.0;
        let fixed = if matches!(model, Model::Counts) {
            Some("a fitted model")
        } else if options.bootstrap.is_some() {
            Some("no bootstrap")
        } else if voters && sums.len() > MOST_PAIRWISE {
            Some("fewer items, or votes without voters")
        } else {
            None
        };
        let are = ballots.contexts_are();
        let (about, why) = match (wanted, fixed) {
            (Some(About::Such), Some(needs)) => {
                return Err(Error::Data(format!("a ranking about such {are} needs {needs}: ask about these")));
            }
            (Some(About::Such), None) if seen < 2 => {
                return Err(Error::Data(format!(
                    "a ranking about such {are} needs two of them at least: ask about these"
                )));
            }
            (Some(asked), _) => (asked, WhyContexts::Asked),
            (None, fixed) => match (About::by_number(seen), fixed) {
                (About::These, _) => (About::These, WhyContexts::Few),
                (About::Such, Some(_)) => (About::These, WhyContexts::Fixed),
                (About::Such, None) => (About::Such, WhyContexts::Enough),
            },
        };
        let clusters = match about {
            About::Such if voters => Clusters::Both,
            About::Such => Clusters::Contexts,
            About::These => Clusters::Voters,
        };
        let without = votes.last().map_or(0.0, |seen| seen.n);
        let about = AboutContexts { about, why, seen, are: are.to_owned(), without, map: None };
        let fitted = !matches!(model, Model::Counts);
        Ok(Some(Self { about, clusters, weights: weights(&votes, sums.len()), fitted }))
    }

    /// The same with the contexts fixed.
    pub(crate) fn fixed(&self) -> Self {
        Self { clusters: Clusters::Voters, ..self.clone() }
    }

    /// Whether the contexts are a sample.
    pub(crate) fn is_sample(&self) -> bool {
        self.about.about == About::Such
    }
}

/// The votes between these items, context by context and, behind them, without one.
fn votes_by_context(ballots: &Ballots, items: &[usize]) -> Vec<Seen> {
    let mut place = vec![None; ballots.items().len()];
    items.iter().enumerate().for_each(|(at, &item)| place[item] = Some(at));
    let mut all = vec![Seen::default(); ballots.contexts() + 1];
    let last = all.len() - 1;
    for cell in ballots.cells() {
        let Some((left, right)) = place[cell.left as usize].zip(place[cell.right as usize]) else { continue };
        let seen = &mut all[cell.context.map_or(last, |context| context as usize)];
        seen.w += cell.w;
        seen.n += cell.n;
        [left, right].iter().for_each(|&item| *seen.items.entry(item).or_default() += cell.n);
    }
    all
}

/// The used votes in a context.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Σw.
    w: f64,
    /// Their number.
    n: f64,
    /// The number of those about each item that has any.
    items: BTreeMap<usize, f64>,
}

/// The share of all comparisons that can be made in each context, where there may be nothing to show for some items.
///
/// An item without a vote in a context, m being expected, is there with the chance q = e^−m of that against the share
/// of (item, context) that are missing, which is that of those without a vote beyond what such chances explain. Of an
/// item as many comparisons are made as it has votes where it is there.
fn shares_of_pairs(all: &[Seen], items: usize) -> Vec<f64> {
    let total: f64 = all.iter().map(|seen| seen.n).sum();
    let mut often = vec![0.0; items];
    all.iter().flat_map(|seen| &seen.items).for_each(|(&item, n)| often[item] += n / total);
    let chance = |seen: &Seen, item: usize| (-seen.n * often[item]).exp();
    let (mut unseen, mut by_chance, mut places) = (0.0, 0.0, 0.0);
    for seen in all.iter().filter(|seen| seen.n > 0.0) {
        unseen += (items - seen.items.len()) as f64;
        by_chance += (0..items).map(|item| chance(seen, item)).sum::<f64>();
        places += items as f64;
    }
    let missing = ((unseen - by_chance) / (places - by_chance)).clamp(0.0, 1.0);
    if missing <= 0.0 {
        return vec![1.0; all.len()];
    }
    let there = |seen: &Seen| -> Vec<f64> {
        let unseen = |item: usize| {
            let present = (1.0 - missing) * chance(seen, item);
            present / (present + missing)
        };
        let mut there: Vec<f64> = (0..items).map(unseen).collect();
        seen.items.keys().for_each(|&item| there[item] = 1.0);
        there
    };
    let mut could = vec![0.0; items];
    for seen in all {
        could.iter_mut().zip(there(seen)).for_each(|(could, there)| *could += there * seen.n / total);
    }
    let asked: Vec<f64> = often.iter().zip(could).map(|(often, could)| often / could).collect();
    let pairs = |there: Vec<f64>| {
        let each = there.iter().zip(&asked).map(|(there, asked)| there * asked);
        let (sum, squares) = each.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        sum * sum - squares
    };
    let whole = pairs(vec![1.0; items]);
    all.iter().map(|seen| pairs(there(seen)) / whole).collect()
}

/// What a vote between these items counts in each context, and behind those without one; `None` where that is the same
/// everywhere.
pub(crate) fn weights_by_context(ballots: &Ballots, items: &[usize]) -> Option<Vec<f64>> {
    weights(&votes_by_context(ballots, items), items.len())
}

/// 1/(n_c/P_c + K/2), in units of the largest of them; `None` where they are all equal.
fn weights(all: &[Seen], items: usize) -> Option<Vec<f64>> {
    let (w, n) = all.iter().fold((0.0, 0.0), |(w, n), seen| (w + seen.w, n + seen.n));
    let one_an_item = 0.5 * items as f64 * w / n;
    let shares = shares_of_pairs(all, items);
    let full: Vec<f64> = all.iter().zip(shares).map(|(seen, share)| seen.w / share).collect();
    let used = || full.iter().copied().filter(|w| *w > 0.0);
    let (least, most) = used().fold((f64::INFINITY, 0.0_f64), |(least, most), w| (least.min(w), most.max(w)));
    (least < most).then(|| full.iter().map(|w| (least + one_an_item) / (w + one_an_item)).collect())
}
