//! A box of ballots read with the model, once: what can be said now and what to ask next, for whoever keeps no policy,
//! such as a live study that looks and plans beside its log.

use super::claim::Claim;
use super::clusters;
use super::control::{Controlled, controlled};
use super::judgement::{Judgement, fitted, scored};
use super::model::{self, Fit, Start};
use super::plan::{Planner, at_stake, plan};
use super::scores::Scores;
use super::space::Space;
use super::standing::{Found, Standing};
use super::{Options, Trust, Votes};
use crate::about::About;
use crate::ballots::{Ballots, Share};
use crate::duel::{Arm, Duel};
use crate::error::{Error, Result};
use crate::features::Features;
use crate::judging::JudgeAnswers;
use crate::ranking::{VerdictKind, few_voters};

/// Judges the votes of a box of ballots; where voters are known, their habits are allowed for.
///
/// # Errors
/// Options that make no sense, or features of other items than the votes are about.
pub fn judge_ballots(features: &Features, ballots: &Ballots, options: &Options) -> Result<Judgement> {
    Ok(Reading::new(features, ballots, options)?.judgement())
}

/// The turns of β and τ² where a reading goes on from the last one.
const ROUNDS: usize = 2;

impl Start {
    /// Before the first vote.
    pub fn unknown(features: &Features, trust: Trust) -> Self {
        Self::new(&Space::new(features, trust))
    }

    /// The standard deviation τ of pairs' effects, in log-odds.
    pub fn pair_effects(&self) -> f64 {
        self.tau2.sqrt()
    }
}

/// What ballots say by the model. Fitting is what takes time: the questions that come from it are nearly free, while
/// the intervals of a judgement are a fit of their own.
pub struct Reading<'a> {
    space: Space<'a>,
    fit: Fit,
    scores: Scores,
    /// The votes, and the contexts that have any.
    votes: (f64, usize),
    few_voters: Option<u32>,
    control: Option<Controlled>,
    options: Options,
}

impl<'a> Reading<'a> {
    /// Fits the model; where voters are known, their habits are allowed for.
    ///
    /// # Errors
    /// As [`judge_ballots`].
    pub fn new(features: &'a Features, ballots: &Ballots, options: &Options) -> Result<Self> {
        Self::read(features, Votes::of(ballots), ballots, None, options)
    }

    /// The same where it is known in how many contexts each item can be shown, with votes there or without, and what a
    /// judge answered to the same questions, which makes a verdict about these contexts more precise.
    ///
    /// # Errors
    /// As [`judge_ballots`].
    pub fn with_contexts(
        features: &'a Features,
        ballots: &Ballots,
        offered: &[usize],
        judge: Option<&JudgeAnswers>,
        options: &Options,
    ) -> Result<Self> {
        let mut votes = Votes::of(ballots);
        votes.offer(offered);
        Self::read(features, votes, ballots, judge, options)
    }

    fn read(
        features: &'a Features,
        votes: Votes,
        ballots: &Ballots,
        judge: Option<&JudgeAnswers>,
        options: &Options,
    ) -> Result<Self> {
        let (votes, control) = with_judge(votes, Some(ballots), judge, options);
        let (space, fit) = fitted(features, &votes, options)?;
        // After weights, which are refused as such.
        if options.trust == Trust::Nothing && answers_again(ballots) {
            let remedy = "knows no voters who answer more than once, since a voter's answers have something in common: \
                          take checked, or leave the voters out where all answers are one judge's";
            return Err(Error::setting("trust", "nothing", remedy));
        }
        let mut scores = scored(&space, &fit, &votes, options);
        clusters::widen(&space, &fit, &mut scores, ballots);
        let few_voters = few_voters(ballots, options.level);
        Ok(Self {
            space,
            fit,
            scores,
            votes: (votes.count(), votes.contexts()),
            few_voters,
            control,
            options: *options,
        })
    }

    /// Fits the model from where the last reading ended, in few turns: for a policy that looks again and again. Voters'
    /// habits are allowed for where there are two or more `voters`. What a `judge` answered to the same questions,
    /// whose contexts have the votes' numbers, makes a verdict about these contexts more precise.
    pub fn resume(
        features: &'a Features,
        votes: &Votes,
        voters: Option<&Ballots>,
        judge: Option<&JudgeAnswers>,
        start: &Start,
        options: &Options,
    ) -> Self {
        let space = Space::new(features, options.trust);
        let voters = voters.filter(|ballots| ballots.copies().len() > 1).map(|ballots| ballots.clone().finish());
        // Contexts have other numbers once ballots are finished: those of the same votes there.
        let numbered = voters.as_ref().filter(|_| votes.contexts() > 0).map(|ballots| votes.numbered_as(ballots));
        let votes = numbered.unwrap_or_else(|| votes.clone());
        let (votes, control) = with_judge(votes, voters.as_ref(), judge, options);
        let fit = model::fit(&space, &votes, start, options.trust != Trust::Model, ROUNDS);
        // Who asks on cannot be refused, but decides nothing.
        let unknown = Votes::new(votes.items());
        let apart = votes.contexts() > 0 || voters.as_ref().is_some_and(answers_again);
        let known = if options.trust == Trust::Nothing && apart { &unknown } else { &votes };
        let mut scores = scored(&space, &fit, known, options);
        if let Some(ballots) = voters {
            clusters::widen(&space, &fit, &mut scores, &ballots);
        }
        let votes = (votes.count(), votes.contexts());
        Self { space, fit, scores, votes, few_voters: None, control, options: *options }
    }

    /// What the next reading may start from.
    pub fn into_start(self) -> Start {
        self.fit.next
    }

    /// The Borda score of every item.
    pub fn borda(&self) -> &[f64] {
        &self.scores.borda
    }

    /// What the votes show, and the two best items.
    pub fn found(&self) -> (VerdictKind, Duel) {
        let Found { kind, standing, .. } = Found::new(&self.scores, &self.options);
        (kind, Duel(standing.order[0], standing.order[1]))
    }

    /// What can be said now.
    pub fn judgement(&self) -> Judgement {
        let judgement = Judgement::new(&self.space, &self.fit, &self.scores, self.votes, &self.options);
        Judgement { few_voters: self.few_voters, control: self.control, ..judgement }
    }

    /// The next `total` questions, those first that take the most doubt off the verdict; `open` ones, whose answers are
    /// still to come, count as answered. No pair is asked more than `most_per_pair` times: voters who see a pair once
    /// need many pairs.
    pub fn next_questions(&self, open: &[Duel], total: usize, most_per_pair: usize) -> Vec<Duel> {
        self.next_questions_of(open, total, most_per_pair, &|_, _| true)
    }

    /// The same of pairs i < j that can be asked at all: where contents are missing, some have no context in common.
    pub fn next_questions_of(
        &self,
        open: &[Duel],
        total: usize,
        most_per_pair: usize,
        can_be_asked: &dyn Fn(Arm, Arm) -> bool,
    ) -> Vec<Duel> {
        let margin = self.options.target().0;
        let standing = Standing::new(&self.scores, self.options.goal, margin);
        let questions = (total, most_per_pair.max(1));
        if let Some(by_pair) = &self.scores.by_pair {
            return by_pair.plan(&standing.claims, &self.options, open, questions, can_be_asked);
        }
        plan(&self.space, &self.fit, &self.scores, (&standing.claims, margin), open, questions, can_be_asked)
    }

    /// What is to be shown of these `items`.
    pub(crate) fn claims(&self, items: &[Arm]) -> Vec<Claim> {
        Standing::among(&self.scores, self.options.goal, self.options.target().0, items.to_vec()).claims
    }

    /// Which items' pairs tell most about these claims.
    pub(crate) fn at_stake(&self, claims: &[Claim]) -> Vec<bool> {
        at_stake(self.space.k, claims)
    }

    /// A planner about these claims, with these pairs i < j as candidates.
    pub(crate) fn planner(&self, claims: &[Claim], pairs: impl Iterator<Item = (Arm, Arm)>) -> Planner<'a> {
        Planner::new(self.space, &self.fit, &self.scores, claims, self.options.target().0, pairs)
    }
}

/// Whether somebody among several voters answered more than once.
fn answers_again(ballots: &Ballots) -> bool {
    let several = ballots.copies().iter().sum::<f64>() > 1.0;
    let again = |shares: &[Share]| {
        shares.iter().map(|share| share.w).sum::<f64>() > ballots.copies()[shares[0].voter as usize] + 1e-9
    };
    several && ballots.shares().chunk_by(|a, b| a.voter == b.voter).any(again)
}

/// Votes as a judge's answers to the same questions correct them, if the verdict is about these contexts. Contexts are
/// known by the names that the votes' `ballots` have, or else by their numbers.
fn with_judge(
    votes: Votes,
    ballots: Option<&Ballots>,
    judge: Option<&JudgeAnswers>,
    options: &Options,
) -> (Votes, Option<Controlled>) {
    let these = options.about(votes.contexts()) == About::These;
    let Some(judge) = judge.filter(|_| these && votes.contexts() > 0) else { return (votes, None) };
    let own: Option<Vec<Option<usize>>> = ballots.map(|ballots| {
        let at = |name: &String| judge.contexts().iter().position(|own| own == name);
        ballots.context_names().iter().map(at).collect()
    });
    let number = |context: u32| match &own {
        Some(own) => own.get(context as usize).copied().flatten(),
        None => Some(context as usize).filter(|&at| at < judge.contexts().len()),
    };
    match controlled(&votes, judge, &number) {
        Some((votes, control)) => (votes, Some(control)),
        None => (votes, None),
    }
}
