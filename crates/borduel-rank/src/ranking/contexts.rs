//! Rankings over contexts: models are compared on prompts, codecs on scenes.
//!
//! A score is the mean over contexts, B(i) = 1/G Σ_c B(i|c): every context counts alike, however many votes it got.
//! There is one fit, in which a vote in context c has the weight 1/(n_c + K/2), n_c being the votes there and K the
//! items (post-stratification). Where every pair was compared equally often in a context, the scores of that fit are
//! the mean of the B(i|c) exactly, since a fit gives every item the points it had. Most (pair, context) are empty,
//! though, and to fit every context by itself would not do. K/2 votes, one an item, are what keeps a context of three
//! votes from counting as much for its three pairs as all votes on them elsewhere: a context counts in full once its
//! votes are many an item, and by its votes while they are fewer.
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
use crate::ballots::{Ballots, PairVotes};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

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
        let seen = votes[..ballots.contexts()].iter().filter(|(w, _)| *w > 0.0).count();
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
        let without = votes.last().map_or(0.0, |(_, n)| *n);
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

/// Σw and the number of used votes between these items, context by context and, behind them, without one.
fn votes_by_context(ballots: &Ballots, items: &[usize]) -> Vec<(f64, f64)> {
    let mut kept = vec![false; ballots.items().len()];
    items.iter().for_each(|&item| kept[item] = true);
    let among = |cell: &&PairVotes| kept[cell.left as usize] && kept[cell.right as usize];
    let mut votes = vec![(0.0, 0.0); ballots.contexts() + 1];
    let last = votes.len() - 1;
    for cell in ballots.cells().iter().filter(among) {
        let (w, n) = &mut votes[cell.context.map_or(last, |context| context as usize)];
        *w += cell.w;
        *n += cell.n;
    }
    votes
}

/// 1/(n_c + K/2), in units of the largest of them; `None` where they are all equal.
fn weights(votes: &[(f64, f64)], items: usize) -> Option<Vec<f64>> {
    let (w, n) = votes.iter().fold((0.0, 0.0), |(w, n), votes| (w + votes.0, n + votes.1));
    let one_an_item = 0.5 * items as f64 * w / n;
    let used = || votes.iter().map(|(w, _)| *w).filter(|w| *w > 0.0);
    let (least, most) = used().fold((f64::INFINITY, 0.0_f64), |(least, most), w| (least.min(w), most.max(w)));
    (least < most).then(|| votes.iter().map(|(w, _)| (least + one_an_item) / (w + one_an_item)).collect())
}
