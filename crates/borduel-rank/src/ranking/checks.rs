//! The checks that stand beside a verdict, each stated either way: what they found, as data. Their English is in
//! `borduel-report`.

mod chi_square;
mod circles;
mod fit;
mod position;

pub use circles::CIRCLES_LEVEL;
pub use fit::{Deviation, FIT_LEVEL, NoFit};
pub use position::{NoPosition, POSITION_LEVEL};

use super::Interval;
use super::estimate::Estimate;
use super::fitted::Fitted;
use super::graph;
use super::placement::Choice;
use super::reliability::{RELIABILITY_LEVEL, Without};
use super::sums::Sums;
use super::voters::{Agreement, Suspicion, VoterQuality, agreement_in, ratings, too_fast, voters_in};
use crate::ballots::{Ballots, Durations};
use crate::order::descending;
use crate::parallel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a check found. Items are indices of the ballots. Exhaustive on purpose: who puts it into words has words for
/// each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "check", rename_all = "kebab-case")]
pub enum Finding {
    /// Whether votes connect all items.
    Connected {
        /// The pairs that were asked.
        pairs: usize,
        /// The pairs there are.
        possible: f64,
        /// The groups that no vote connects.
        groups: usize,
        /// The items outside the ranked group.
        outside: Vec<usize>,
        /// The share of opponents that the scores say nothing about, at most.
        unknown: f64,
    },
    /// Whether every item won and lost.
    WonAndLost {
        /// Items that never won.
        never_won: Vec<usize>,
        /// Items that never lost.
        never_lost: Vec<usize>,
        /// Whether some group of items never lost to the rest.
        group: bool,
    },
    /// How many votes an item has; by their effective number where votes are weighted.
    VotesPerItem {
        /// The fewest votes of an item.
        least: f64,
        /// The median number of votes of an item.
        median: f64,
        /// The most votes of an item.
        most: f64,
        /// Items with fewer than [`ENOUGH_VOTES`].
        few: Vec<usize>,
        /// Kish's effective number of all votes, where they are weighted.
        effective: Option<f64>,
    },
    /// How many voters there are, and how unequally they voted.
    Voters {
        /// How many voters there are; 0 where votes do not tell.
        voters: f64,
        /// Their effective number, where votes are summed by voter; with fewer than two voters that of questions, by
        /// which the answers to one that was put more than once are summed.
        clustered: Option<f64>,
    },
    /// How far voters agree.
    VoterAgreement {
        /// Krippendorff's α; `None` where no pair was answered by two voters.
        agreement: Option<Agreement>,
        /// Voters that stand out, by name, with why.
        suspicious: Vec<(String, Vec<Suspicion>)>,
    },
    /// Whether voters differ in how much their answers carry, and whether the first place hangs on the least reliable
    /// tenth of them. Added by [`Ranking::rely`](super::Ranking::rely).
    Reliability {
        /// How many voters there are.
        voters: usize,
        /// The chance of so much difference, were all voters alike.
        p: f64,
        /// The least reliable voter, by name.
        least: String,
        /// What an answer of that voter carries, 1 being a typical one's.
        carries: Interval,
        /// The item in the first place.
        first: usize,
        /// Who is first without the least reliable tenth, where voters differ and that can be told.
        without: Option<Without>,
        /// Where voters are weighed: who is first where all count alike.
        alike: Option<usize>,
    },
    /// Circles of majorities among three items.
    Cycles {
        /// How many there are; `None` where they were too many to look for.
        circles: Option<u64>,
        /// How many of them consist of majorities that all stand out from chance, all pairs taken together.
        beyond_chance: u64,
        /// One that stands out or, where none does, any: each beats the next, the last the first.
        example: Option<[usize; 3]>,
        /// Whether voters, not votes, were counted.
        by_voter: bool,
    },
    /// Whether the model explains the votes.
    Fit {
        /// Pearson's χ² of the pairs.
        chi_square: f64,
        /// Degrees of freedom: pairs minus parameters.
        df: f64,
        /// The chance of so much deviation, were the model true.
        p: f64,
        /// The least that p can be, where it is a share of draws.
        #[serde(default)]
        least: f64,
        /// Whether p comes from residuals whose signs were drawn anew voter by voter, or from the mean, variance and
        /// skewness of χ².
        by_voter: bool,
        /// Whether the votes scatter so little that a wrong model would hardly show.
        powerless: bool,
        /// The pair that deviates most.
        worst: Deviation,
    },
    /// The model's fit could not be tested.
    FitUntested {
        /// Why it could not be computed.
        why: NoFit,
    },
    /// Whether the side on which an item was shown matters.
    Position {
        /// What the left item gains between equal items, as a share.
        advantage: f64,
        /// The votes that were decided, so no ties.
        decided: f64,
        /// How many of them the left item won.
        left_won: f64,
        /// The chance of so much, were there no bias.
        p: f64,
    },
    /// Position bias could not be tested.
    PositionUntested {
        /// Why it could not be computed.
        why: NoPosition,
    },
    /// How many votes are no decisions, as shares of all.
    TiesAndSkips {
        /// The number of ties.
        ties: f64,
        /// Ties of the kind "both are bad".
        both_bad: f64,
        /// The number of skipped questions.
        skips: f64,
    },
    /// Whether what comes out rests on networks that brought many voters; only live studies know networks.
    Networks {
        /// Voters whose network is known.
        voters: usize,
        /// The most voters of one network.
        most: usize,
        /// The networks that brought many.
        bursts: usize,
        /// The voters of these.
        from_bursts: usize,
        /// The share of all votes that is theirs.
        share: f64,
        /// What comes out without them.
        without: WithoutBursts,
    },
    /// Whether other notions of "best" agree.
    Agreement {
        /// The first by Borda score.
        borda: usize,
        /// The first by Bradley–Terry strength, and how many items are at another rank by it.
        bradley_terry: Option<(usize, usize)>,
        /// Who has a majority against every other.
        condorcet: Option<usize>,
    },
}

/// What comes out without the voters of networks that brought many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WithoutBursts {
    /// The same, or nobody came so.
    Same,
    /// Something else: it rests on them.
    Other,
    /// Nothing: too few votes are left.
    TooFew {
        /// Whether they favour what comes out more than all others do, beyond chance.
        differ: bool,
    },
    /// Nothing, since nobody else is there: all came from one network, or from such networks.
    Nobody,
}

impl Finding {
    /// The check's short name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Connected { .. } => "connected",
            Self::WonAndLost { .. } => "won-and-lost",
            Self::VotesPerItem { .. } => "votes-per-item",
            Self::Voters { .. } => "voters",
            Self::VoterAgreement { .. } => "voter-agreement",
            Self::Reliability { .. } => "reliability",
            Self::Cycles { .. } => "cycles",
            Self::Fit { .. } | Self::FitUntested { .. } => "fit",
            Self::Position { .. } | Self::PositionUntested { .. } => "position",
            Self::TiesAndSkips { .. } => "ties-and-skips",
            Self::Networks { .. } => "networks",
            Self::Agreement { .. } => "agreement",
        }
    }

    /// Whether all is well; `None` where that cannot be told.
    pub fn ok(&self) -> Option<bool> {
        match self {
            Self::Connected { groups, outside, .. } => Some(*groups <= 1 && outside.is_empty()),
            Self::WonAndLost { never_won, never_lost, group } => {
                Some(never_won.is_empty() && never_lost.is_empty() && !group)
            }
            Self::VotesPerItem { few, .. } => Some(few.is_empty()),
            Self::Voters { voters, .. } if *voters == 1.0 => Some(false),
            Self::Voters { voters, clustered } => clustered.filter(|_| *voters > 0.0).map(|g| g >= ENOUGH_VOTERS),
            Self::VoterAgreement { agreement, suspicious } => {
                if suspicious.is_empty() {
                    agreement.map(|_| true)
                } else {
                    Some(false)
                }
            }
            Self::Reliability { first, alike: Some(alike), .. } => Some(first == alike),
            Self::Reliability { p, .. } if *p >= RELIABILITY_LEVEL => Some(true),
            Self::Reliability { first, without, .. } => without.map(|without| without.first == *first),
            Self::Cycles { circles, beyond_chance, .. } => circles.map(|_| *beyond_chance == 0),
            Self::Fit { p, powerless, .. } => {
                if *powerless {
                    None
                } else {
                    Some(*p > FIT_LEVEL)
                }
            }
            Self::FitUntested { .. } | Self::PositionUntested { .. } => None,
            Self::Position { p, .. } => Some(*p >= POSITION_LEVEL),
            Self::TiesAndSkips { ties, both_bad, skips } => Some(*ties <= 0.5 && both_bad + skips <= 0.2),
            Self::Networks { without, .. } => match without {
                WithoutBursts::Same => Some(true),
                WithoutBursts::Other | WithoutBursts::TooFew { differ: true } => Some(false),
                WithoutBursts::TooFew { differ: false } | WithoutBursts::Nobody => None,
            },
            Self::Agreement { borda, bradley_terry, condorcet } => {
                Some(bradley_terry.is_none_or(|(first, _)| first == *borda) && condorcet.is_none_or(|c| c == *borda))
            }
        }
    }
}

/// Everything the checks look at.
pub(crate) struct Context<'a> {
    pub(crate) ballots: &'a Ballots,
    pub(crate) sums: &'a Sums,
    /// The sums that the model was fitted to, in which pairs are kept apart by what was adjusted for.
    pub(crate) fitted_to: &'a Sums,
    /// Whether votes count by their contexts.
    pub(crate) over_contexts: bool,
    pub(crate) choice: &'a Choice,
    pub(crate) estimate: &'a Estimate,
    /// The ranked items by score.
    pub(crate) order: &'a [usize],
    /// The fitted model, or (for counts) the one-hot model fitted for the checks alone.
    pub(crate) fitted: Option<&'a Fitted>,
    /// The Bradley–Terry strengths, where they could be fitted.
    pub(crate) strengths: Option<&'a [f64]>,
    /// Whether position was estimated and removed.
    pub(crate) adjusted: bool,
    /// How long answers took, where that is known.
    pub(crate) took: Option<&'a Durations>,
    /// The seed of what is drawn.
    pub(crate) seed: u64,
}

impl Context<'_> {
    /// Whether votes hang together by voters: not where they do by contexts alone.
    fn by_voter(&self) -> bool {
        self.estimate.clusters.is_some() && !self.ballots.shares().is_empty()
    }
}

/// The votes an item should have before its interval is taken at its word, and the voters likewise.
pub const ENOUGH_VOTES: f64 = 20.0;
/// The fewest voters for a check of them; see [`ENOUGH_VOTES`].
pub const ENOUGH_VOTERS: f64 = 30.0;

/// Makes all checks of a ranking, in the order in which they are shown.
pub(crate) fn checks(context: &Context<'_>) -> Vec<Finding> {
    let all: [fn(&Context<'_>) -> Finding; 10] = [
        connected,
        won_and_lost,
        votes_per_item,
        voters,
        voter_agreement,
        circles::circles,
        fit::fit,
        position::position,
        ties_and_skips,
        notions,
    ];
    parallel::map(all.len(), |at| all[at](context))
}

impl Context<'_> {
    /// Indices of ranked items as indices of the ballots.
    fn of_ballots(&self, items: &[usize]) -> Vec<usize> {
        items.iter().map(|&i| self.sums.items[i]).collect()
    }
}

fn connected(context: &Context<'_>) -> Finding {
    use super::placement::WhyNot;
    let k = context.sums.len() as f64;
    let outside = context.choice.unranked.iter().filter(|u| u.why == WhyNot::NotConnected).map(|u| u.item).collect();
    Finding::Connected {
        pairs: context.sums.pairs.len(),
        possible: 0.5 * k * (k - 1.0),
        groups: context.choice.groups.max(graph::components(context.sums).1),
        outside,
        unknown: context.estimate.unknown.iter().copied().fold(0.0, f64::max),
    }
}

fn won_and_lost(context: &Context<'_>) -> Finding {
    let sums = context.sums;
    let (mut won, mut lost) = (vec![0.0; sums.len()], vec![0.0; sums.len()]);
    for pair in &sums.pairs {
        won[pair.i] += pair.wr;
        lost[pair.i] += pair.w - pair.wr;
        won[pair.j] += pair.w - pair.wr;
        lost[pair.j] += pair.wr;
    }
    let voted = |i: usize| won[i] + lost[i] > 0.0;
    let none = |sum: &[f64]| (0..sums.len()).filter(|&i| voted(i) && sum[i] <= 0.0).collect::<Vec<_>>();
    let (never_won, never_lost) = (none(&won), none(&lost));
    let group = never_won.is_empty()
        && never_lost.is_empty()
        && graph::components(sums).1 == 1
        && !graph::strongly_connected(sums);
    Finding::WonAndLost {
        never_won: context.of_ballots(&never_won),
        never_lost: context.of_ballots(&never_lost),
        group,
    }
}

fn votes_per_item(context: &Context<'_>) -> Finding {
    let votes = context.sums.effective_by_item();
    let few: Vec<usize> = (0..votes.len()).filter(|&i| votes[i] < ENOUGH_VOTES).collect();
    let mut sorted = votes;
    sorted.sort_by(f64::total_cmp);
    Finding::VotesPerItem {
        least: sorted[0],
        median: sorted[sorted.len() / 2],
        most: sorted[sorted.len() - 1],
        few: context.of_ballots(&few),
        effective: context.sums.weighted.then(|| context.sums.effective_votes()),
    }
}

fn voters(context: &Context<'_>) -> Finding {
    let voters = context.ballots.by_question().map_or_else(|| context.sums.voter_count(), |voters| voters as f64);
    // Contexts are clusters too, and no voters.
    let own = |clusters: f64| if context.over_contexts { context.sums.effective_voters() } else { clusters };
    Finding::Voters { voters, clustered: context.estimate.clusters.map(own).filter(|clusters| *clusters > 0.0) }
}

fn voter_agreement(context: &Context<'_>) -> Finding {
    let nobody = context.ballots.shares().is_empty() && context.took.is_none();
    if nobody || context.ballots.by_question().is_some() {
        return Finding::VoterAgreement { agreement: None, suspicious: Vec::new() };
    }
    // All items that were voted on count here, ranked or not.
    let all = (!context.choice.unranked.is_empty()).then(|| Sums::new(context.ballots, true));
    let sums = all.as_ref().unwrap_or(context.sums);
    let ratings = ratings(sums);
    let agreement = agreement_in(&ratings, context.seed);
    let qualities = voters_in(context.ballots, sums, &ratings);
    let mut odd: BTreeMap<String, Vec<Suspicion>> = BTreeMap::new();
    for VoterQuality { voter, suspicions, .. } in qualities {
        if !suspicions.is_empty()
            && let Some(name) = context.ballots.voter_name(voter)
        {
            odd.insert(name, suspicions);
        }
    }
    for voter in context.took.map(too_fast).unwrap_or_default() {
        odd.entry(voter).or_default().push(Suspicion::Fast);
    }
    Finding::VoterAgreement { agreement, suspicious: odd.into_iter().collect() }
}

fn ties_and_skips(context: &Context<'_>) -> Finding {
    let totals = context.ballots.totals();
    let all = totals.total().max(1.0);
    Finding::TiesAndSkips { ties: totals.tie / all, both_bad: totals.both_bad / all, skips: totals.skip / all }
}

fn notions(context: &Context<'_>) -> Finding {
    let borda = context.order[0];
    let item = |i: usize| context.sums.items[i];
    let bradley_terry = context.strengths.map(|strengths| {
        let order = descending(strengths);
        let place = |list: &[usize]| {
            let mut place = vec![0_usize; list.len()];
            list.iter().enumerate().for_each(|(at, &item)| place[item] = at);
            place
        };
        let (ours, theirs) = (place(context.order), place(&order));
        let moved = (0..ours.len()).filter(|&i| ours[i] != theirs[i]).count();
        // Of several that are equally strong, ours is as good as any.
        let first = if strengths[order[0]] <= strengths[borda] { borda } else { order[0] };
        (item(first), moved)
    });
    let condorcet = graph::condorcet(context.sums).map(item);
    Finding::Agreement { borda: item(borda), bradley_terry, condorcet }
}
