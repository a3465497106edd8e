//! How to rank: what can be chosen, and what is refused.

use super::{Interval, Model};
use crate::ballots::Ballots;
use crate::error::{Error, Result};
use crate::size;

/// The most replications of a bootstrap; their percentiles do not change any more long before.
const MOST_REPLICATIONS: u64 = 1_000_000;

/// How to rank.
#[derive(Clone, Debug)]
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
    /// The scale of strengths: log-odds, or points as in chess.
    pub scale: Scale,
    /// Whether the chances p(i,j) of all pairs are wanted.
    pub chances: bool,
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
            scale: Scale::LogOdds,
            chances: false,
        }
    }
}

impl RankOptions {
    /// Refuses what makes no sense for these ballots and this model.
    pub(super) fn check(&self, ballots: &Ballots, model: &Model) -> Result<()> {
        let options = self;
        if options.adjust_position && !matches!(model, Model::OneHot) {
            return Err(Error::Data(
                "adjusting for position needs the model of one parameter per item (one-hot)".to_owned(),
            ));
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

impl Scale {
    /// Brings strengths (in log-odds, of these items) to this scale. With an anchor the intervals stay those of the distance to the
    /// mean.
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
