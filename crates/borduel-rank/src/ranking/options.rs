//! How to rank: what can be chosen, and what is refused.

use super::spread::MOST_PAIRWISE;
use super::{Interval, Model};
use crate::about::About;
use crate::ballots::{Ballots, Circumstances, Durations, Ties};
use crate::error::{Error, Result};
use crate::size;
use std::sync::Arc;

/// The most replications of a bootstrap; their percentiles do not change any more long before.
const MOST_REPLICATIONS: u64 = 1_000_000;

/// How votes are ranked: model, level, margin, clusters.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RankOptions {
    /// The confidence level of all intervals.
    pub level: f64,
    /// Scores closer than this count as equal (0.02 is two points of a hundred).
    pub margin: f64,
    /// Whether to allow for voters' habits where voters are known.
    pub clustered: bool,
    /// Replications of the bootstrap that then takes the place of the delta method in the items' intervals.
    pub bootstrap: Option<usize>,
    /// The seed of everything drawn.
    pub seed: u64,
    /// Items with fewer used votes than this are left out, with their votes.
    pub least_votes: f64,
    /// Items (indices of the ballots) that are left out, with their votes.
    pub exclude: Vec<usize>,
    /// Whether the advantage of the left (or home) side is estimated and removed; with one parameter per item.
    pub adjust_position: bool,
    /// Numbers that go with the votes, whose effects are estimated and removed too; with one parameter per item. They
    /// are kept apart from the ballots, and must be those of the same votes.
    pub circumstances: Option<Arc<Circumstances>>,
    /// A second thing by which votes hang together, beside the voter.
    pub crossed: Option<Arc<Crossed>>,
    /// Where votes have contexts, what the ranking is about; [`About::by_number`] unless set. Votes that are to count
    /// alike, whatever their contexts, are those of [`Ballots::without_contexts`].
    pub about: Option<About>,
    /// How long answers took, by which voters who hardly looked are found.
    pub took: Option<Arc<Durations>>,
    /// The scale of strengths: log-odds, or points as in chess.
    pub scale: Scale,
    /// Whether the chances p(i,j) of all pairs are wanted.
    pub chances: bool,
}

crate::setters!(RankOptions {
    with_level: level: f64,
    with_margin: margin: f64,
    with_clustered: clustered: bool,
    with_bootstrap: bootstrap: Option<usize>,
    with_seed: seed: u64,
    with_least_votes: least_votes: f64,
    with_exclude: exclude: Vec<usize>,
    with_adjust_position: adjust_position: bool,
    with_circumstances: circumstances: Option<Arc<Circumstances>>,
    with_crossed: crossed: Option<Arc<Crossed>>,
    with_about: about: Option<About>,
    with_took: took: Option<Arc<Durations>>,
    with_scale: scale: Scale,
    with_chances: chances: bool,
});

/// The votes of the ballots once more, summed by something else than their voters, such as the prompt that was shown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Crossed {
    /// What it is, in the plural, such as `prompts`.
    pub name: String,
    /// The same votes with that in the place of the voter.
    pub second: Ballots,
    /// The same votes with every combination of both in the place of the voter.
    pub both: Ballots,
}

impl Crossed {
    /// The same votes, by something else than the voter and by both.
    pub fn new(name: impl Into<String>, second: Ballots, both: Ballots) -> Self {
        Self { name: name.into(), second, both }
    }
}

/// The scale of strengths.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scale {
    /// Log-odds, with mean 0.
    #[default]
    LogOdds,
    /// Elo's: 400/ln 10 points a unit of log-odds, so that 400 points are odds of ten to one.
    Elo {
        /// The item (an index of the ballots) whose strength is `points`; the mean of all when there is none.
        anchor: Option<usize>,
        /// Its points, such as 1,500.
        points: f64,
    },
}

impl Default for RankOptions {
    fn default() -> Self {
        Self {
            level: 0.95,
            margin: 0.02,
            clustered: true,
            bootstrap: None,
            seed: 1,
            least_votes: 0.0,
            exclude: Vec::new(),
            adjust_position: false,
            circumstances: None,
            crossed: None,
            about: None,
            took: None,
            scale: Scale::LogOdds,
            chances: false,
        }
    }
}

impl RankOptions {
    /// Refuses what a verdict that holds at all times, [`sequential`](crate::sequential), cannot allow for.
    ///
    /// # Errors
    /// The option, and what to do.
    pub fn check_anytime(&self, ballots: &Ballots) -> Result<()> {
        let asked = [
            (self.adjust_position || self.circumstances.is_some(), "taking an advantage off (adjust)"),
            (ballots.ties() == Ties::Model, "ties as an outcome of their own"),
            (self.least_votes > 0.0 || !self.exclude.is_empty(), "leaving items out"),
            (self.crossed.is_some(), "votes that hang together in two ways"),
            (self.bootstrap.is_some(), "the bootstrap"),
        ];
        match asked.iter().find(|(asked, _)| *asked) {
            Some((_, what)) => Err(Error::Data(format!(
                "a verdict that holds at all times (sequential) cannot allow for {what}: leave one of the two out"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses what makes no sense for these ballots and this model.
    pub(super) fn check(&self, ballots: &Ballots, model: &Model) -> Result<()> {
        let options = self;
        if options.adjust_position && !matches!(model, Model::OneHot) {
            return Err(Error::Data(
                "adjusting for position needs the model of one parameter per item (one-hot)".to_owned(),
            ));
        }
        if options.circumstances.is_some() && !matches!(model, Model::OneHot) {
            return Err(Error::Data(
                "adjusting for what goes with a vote needs the model of one parameter per item (one-hot)".to_owned(),
            ));
        }
        if ballots.ties() == Ties::Model && !matches!(model, Model::OneHot) {
            return Err(Error::Data(
                "ties as an outcome of their own need the model of one parameter per item (one-hot): with features or \
                 counts a tie is half a win, or dropped"
                    .to_owned(),
            ));
        }
        if options.crossed.is_some() {
            let why = if matches!(model, Model::Counts) {
                Some("a fitted model")
            } else if options.circumstances.is_some() || options.bootstrap.is_some() {
                Some("neither numbers to adjust for nor the bootstrap")
            } else {
                None
            };
            if let Some(why) = why {
                return Err(Error::Data(format!("votes that hang together in two ways need {why}")));
            }
        }
        if options.chances && ballots.items().len() > MOST_PAIRWISE {
            return Err(Error::Data(format!(
                "the chances of all pairs of {} items are too many to list (at most {MOST_PAIRWISE} items)",
                ballots.items().len()
            )));
        }
        let all = ballots.items().len();
        if let Some(item) = options.exclude.iter().find(|&&item| item >= all) {
            return Err(Error::setting("exclude", item, "is not the number of an item"));
        }
        if options.adjust_position && !ballots.sides_known() {
            return Err(Error::Data(
                "the votes do not tell the sides on which items were shown, so position cannot be adjusted for"
                    .to_owned(),
            ));
        }
        if let Scale::Elo { anchor: Some(item), .. } = options.scale
            && item >= all
        {
            return Err(Error::setting("anchor", item, "is not the number of an item"));
        }
        if !(options.least_votes >= 0.0 && options.least_votes.is_finite()) {
            return Err(Error::setting("least votes", options.least_votes, "must be a number of votes, such as 20"));
        }
        size::at_most(
            MOST_REPLICATIONS,
            "bootstrap replications",
            &[options.bootstrap.unwrap_or(0) as u64],
            "take fewer",
        )?;
        if !(options.level > 0.5 && options.level < 1.0) {
            return Err(Error::setting("level", options.level, "must lie between 0.5 and 1, such as 0.95"));
        }
        if !(options.margin > 0.0 && options.margin < 1.0) {
            return Err(Error::setting(
                "margin",
                options.margin,
                "must lie between 0 and 1, such as 0.02 for two points",
            ));
        }
        Ok(())
    }
}

impl RankOptions {
    /// What is adjusted for, in the order of the covariates.
    pub(super) fn adjusted(&self) -> Vec<String> {
        let numbers = self.circumstances.iter().flat_map(|c| c.names().iter().cloned());
        numbers.chain(self.adjust_position.then(|| "position".to_owned())).collect()
    }
}

impl Scale {
    /// Brings strengths (in log-odds, of these items) to this scale. With an anchor the intervals stay those of the
    /// distance to the mean.
    pub(super) fn apply(self, strengths: &mut [Interval], items: &[usize]) {
        let Self::Elo { anchor, points } = self else { return };
        let unit = 400.0 / std::f64::consts::LN_10;
        let at = anchor.and_then(|anchor| items.iter().position(|&item| item == anchor));
        let zero = at.and_then(|at| strengths[at].estimate).unwrap_or(0.0);
        for s in strengths {
            *s = Interval {
                estimate: s.estimate.map(|x| points + unit * (x - zero)),
                low: points + unit * (s.low - zero),
                high: points + unit * (s.high - zero),
                error: unit * s.error,
            };
        }
    }
}
