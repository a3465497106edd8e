//! What can be said now: the verdict, who is still in the race, every score with an interval that holds at all times.

use super::by_pair;
use super::claim::Claim;
use super::control::Controlled;
use super::forecast;
use super::intervals::intervals;
use super::model::{self, Fit, Start};
use super::scores::Scores;
use super::space::Space;
use super::standing::Found;
use super::{Goal, Options, Trust, Votes};
use crate::about::About;
use crate::duel::Arm;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::ranking::{Forecast, VerdictKind};

/// What is known about one item.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ItemStanding {
    /// The number of the item.
    pub item: Arm,
    /// Its estimated chance to beat a random other item.
    pub borda: f64,
    /// The standard error of that.
    pub error: f64,
    /// The ends of an interval that contains it at all times together, with the level asked for; each item's by itself.
    pub low: f64,
    /// The upper end of its interval; see `low`.
    pub high: f64,
    /// log E of the leader against this item; infinite for the leader itself.
    pub log_e: f64,
}

/// About which contexts a verdict speaks.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AboutContexts {
    /// What the verdict is about.
    pub about: About,
    /// How many contexts have votes.
    pub seen: usize,
    /// The estimated standard deviation, in log-odds, of what an item has of its own in a context.
    pub spread: f64,
    /// How many more contexts are needed, where more votes in these would not do; each with as many votes as these
    /// have.
    pub more: Option<Forecast>,
}

/// A verdict that may be looked at any time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Judgement {
    /// Whether what was to be found is found, as [`Options::until`] has it: one may stop.
    pub decided: bool,
    /// Clear, good enough, tied within the margin, or not enough votes.
    pub kind: VerdictKind,
    /// All that may be best, the leader first; once they are found, the best k or the whole order.
    pub winners: Vec<Arm>,
    /// The items that are not yet excluded from being best, the leader first.
    pub contenders: Vec<Arm>,
    /// The items by score.
    pub items: Vec<ItemStanding>,
    /// Σ 1/E over the claims that [`Options::until`] is about: it is reached when that falls to δ (for a clear winner,
    /// δ/2).
    pub doubt: f64,
    /// How many more votes are needed, if they are asked as `find-winner` asks; `None`
    /// once decided.
    pub forecast: Option<Forecast>,
    /// About which contexts it speaks, where votes have any.
    pub contexts: Option<AboutContexts>,
    /// τ, the estimated standard deviation of pair effects in log-odds: how far the model is from the truth.
    pub misfit: f64,
    /// The votes it rests on.
    pub votes: f64,
    /// Where all of them are by so few voters that they speak for nobody else: how many voters.
    pub few_voters: Option<u32>,
    /// What a judge's answers to the same questions did, where there were any that could be used.
    pub control: Option<Controlled>,
    /// The options that the judgement was made with.
    pub options: Options,
}

/// Judges votes as they stand.
///
/// # Errors
/// Options that make no sense, or features of other items than the votes are about.
#[doc(alias("anytime_valid", "confidence_sequence", "e_process", "peeking"))]
pub fn judge(features: &Features, votes: &Votes, options: &Options) -> Result<Judgement> {
    let (space, fit) = fitted(features, votes, options)?;
    let scores = scored(&space, &fit, votes, options);
    Ok(Judgement::new(&space, &fit, &scores, (votes.count(), votes.contexts()), options))
}

/// The scores of a fit, by all that these options believe.
pub(super) fn scored(space: &Space<'_>, fit: &Fit, votes: &Votes, options: &Options) -> Scores {
    let scores = Scores::new(space, fit).about(space, fit, options.about(votes.contexts()));
    if options.trust == Trust::Nothing { scores.by_pair(votes) } else { scores }
}

/// The most turns of τ² and β in a judgement that starts from nothing.
const ROUNDS: usize = 12;

pub(super) fn fitted<'a>(features: &'a Features, votes: &Votes, options: &Options) -> Result<(Space<'a>, Fit)> {
    if features.items() != votes.items() {
        let (found, expected) = (features.items(), votes.items());
        return Err(Error::Data(format!("the features are those of {found} items, the votes are about {expected}")));
    }
    options.check(votes.items())?;
    if options.trust == Trust::Nothing {
        check_by_pair(votes)?;
    }
    let space = Space::new(features, options.trust);
    if votes.contexts() > 0 && !space.is_differences() {
        let remedy =
            "votes in contexts need features of items, or none: leave the features of pairs out, or the contexts";
        return Err(Error::Data(remedy.to_owned()));
    }
    let fit = model::fit(&space, votes, &Start::new(&space), options.trust != Trust::Model, ROUNDS);
    Ok((space, fit))
}

/// Refuses votes of which no pair has one chance, or which do not count alike.
fn check_by_pair(votes: &Votes) -> Result<()> {
    let refused = |problem: String| Err(Error::setting("trust", "nothing", problem));
    if votes.contexts() > 0 {
        return refused(format!(
            "knows no contexts, and votes have {}: leave them out where a pair has one chance in all of them, or take \
             checked",
            votes.contexts()
        ));
    }
    // Σ (w − 1)² = 0 is when all weights are 1.
    let (w, w2) = votes.pairs().fold((0.0, 0.0), |(w, w2), (.., sum)| (w + sum.w, w2 + sum.w2));
    if w2 - 2.0 * w + votes.count() > 1e-9 * votes.count() {
        return refused("knows no weights: leave them out, or take checked".to_owned());
    }
    Ok(())
}

impl Judgement {
    /// `votes` in so many `contexts`.
    pub(crate) fn new(
        space: &Space<'_>,
        fit: &Fit,
        scores: &Scores,
        (votes, contexts): (f64, usize),
        options: &Options,
    ) -> Self {
        let Found { kind, contenders, standing } = Found::new(scores, options);
        let decided = options.until.is_reached(kind);
        let order = &standing.order;
        let leader = order[0];
        let winners = match options.goal {
            Goal::Top(k) if kind != VerdictKind::NotEnough => order[..k].to_vec(),
            Goal::All if kind != VerdictKind::NotEnough => order.clone(),
            _ => contenders.clone(),
        };
        let alpha = 1.0 - options.level;
        let intervals = match &scores.by_pair {
            Some(by_pair) => (0..space.k).map(|item| by_pair.interval(item, alpha)).collect(),
            None => intervals(space, fit, &scores.widening(), alpha),
        };
        let item = |&item: &Arm| {
            let (low, high) = intervals[item];
            // The score leans on a prior that the interval does not, and may lie outside.
            let (low, high) = (low.min(scores.borda[item]), high.max(scores.borda[item]));
            let log_e =
                if item == leader { f64::INFINITY } else { Claim::new(scores, leader, item, options.margin).log_e };
            let error = scores.variance(item).sqrt();
            ItemStanding { item, borda: scores.borda[item], error, low, high, log_e }
        };
        let forecast = (!decided).then(|| match &scores.by_pair {
            Some(by_pair) => by_pair::votes_needed(by_pair, &standing.claims, votes, options),
            None => forecast::votes_needed(scores, &standing, votes, options),
        });
        let about = options.about(contexts);
        // Where no number of votes in these contexts will do.
        let short = about == About::Such && forecast.is_some_and(|forecast| forecast.range().is_none());
        let contexts = (contexts > 0).then(|| AboutContexts {
            about,
            seen: contexts,
            spread: fit.start.context2.unwrap_or(0.0).sqrt(),
            more: short.then(|| forecast::contexts_needed(scores, &standing, (votes, contexts), options)),
        });
        Self {
            decided,
            kind,
            winners,
            items: order.iter().map(item).collect(),
            contenders,
            doubt: standing.doubt,
            forecast,
            contexts,
            misfit: fit.start.tau2.sqrt(),
            votes,
            few_voters: None,
            control: None,
            options: *options,
        }
    }
}
