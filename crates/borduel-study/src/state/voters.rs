//! The voters of a study.

use super::criteria::Criteria;
use super::{Phase, State};
use crate::event::{Inclusion, Kind, Millis, Standing};
use crate::settings::Repeat;
use crate::table::{Pair, Table};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// How often a voter may be asked about a pair.
fn times(repeat: Repeat) -> u64 {
    match repeat {
        Repeat::Never => 1,
        Repeat::Swapped => 2,
    }
}

/// A voter of a study, and what they have done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voter {
    /// What kind of voter.
    pub kind: Kind,
    /// Whether it may vote.
    pub standing: Standing,
    /// Whether its votes are set aside; always of hints.
    pub excluded: bool,
    /// The items that it must not be asked about.
    pub owns: Box<[u16]>,
    /// The number of the network that it came from, where that is known.
    pub network: Option<u32>,
    /// When it joined, in seconds from the study's creation.
    pub second_joined: u32,
    /// What it said about itself: attributes and their values, by their places.
    pub attributes: Box<[(u16, u16)]>,
    /// Its questions, in the order in which they were asked.
    pub questions: Vec<u32>,
    /// How many of them are answered and not taken back.
    pub answered: u32,
    /// How many of them are open.
    pub open: u32,
    /// How many more than are wanted of everybody it has asked for.
    pub more: u32,
}

impl Voter {
    pub(super) fn new(kind: Kind, owns: Vec<u16>, network: Option<u32>, second_joined: u32) -> Self {
        Self {
            kind,
            standing: Standing::Active,
            excluded: kind == Kind::Hint,
            owns: owns.into_boxed_slice(),
            network,
            second_joined,
            attributes: Box::default(),
            questions: Vec::new(),
            answered: 0,
            open: 0,
            more: 0,
        }
    }
}

impl State {
    /// Takes note of whether a voter may vote and whether its votes count.
    pub(super) fn set_voter(&mut self, voter: u32, standing: Standing, votes: Inclusion) {
        let mut hint = false;
        if let Some(voter) = self.voters.get_mut(voter as usize) {
            hint = voter.kind == Kind::Hint;
            voter.standing = standing;
            voter.excluded = votes == Inclusion::Aside || hint;
            // Kept votes keep their network: else whoever votes, goes and comes again escapes the check.
            if standing == Standing::Withdrawn && voter.excluded {
                voter.network = None;
            }
        }
        let before = self.all_votes();
        let changed = self.recounted_since(&before);
        if hint {
            self.unsettle(0);
        }
        for criterion in changed {
            if let Some(second) = self.first_vote_of(voter, criterion) {
                self.unsettle_by(Criteria::only(criterion), second);
            }
        }
    }

    /// The second of a voter's first answer that counts by a criterion, or would if its votes did.
    fn first_vote_of(&self, voter: u32, criterion: usize) -> Option<u32> {
        let asked = self.voters.get(voter as usize)?.questions.iter();
        let says = |q: u32| self.graded_answers(q).get(criterion).is_some_and(|said| said.answer.says_something());
        let votes = asked.filter(|q| self.is_vote(&self.questions[**q as usize]) && says(**q));
        votes.map(|&q| self.questions[q as usize].second_at).min()
    }

    /// The voters who joined after this time and when, the last one first; exact to a second.
    pub fn joined_since(&self, time: Millis) -> impl Iterator<Item = (Millis, &Voter)> {
        let created = self.created;
        let joined = move |voter: &Voter| created + i64::from(voter.second_joined) * 1000;
        // Voters are numbered in the order of their times.
        self.voters.iter().rev().map(move |voter| (joined(voter), voter)).take_while(move |(at, _)| *at > time)
    }

    /// The voters whose answers are hints, and are used.
    pub fn hinting(&self) -> impl Iterator<Item = &Voter> {
        self.voters.iter().filter(|voter| voter.kind == Kind::Hint && voter.standing == Standing::Active)
    }

    /// Whether this voter is a judge who is asked about whole pairs, a pair in every context.
    pub fn asks_whole_pairs_of(&self, voter: u32) -> bool {
        let hints = self.voters.get(voter as usize).is_some_and(|voter| voter.kind == Kind::Hint);
        hints && self.settings.asks_whole_pairs(self.enabled_contexts().count())
    }

    /// How many answers are hints.
    pub fn hints(&self) -> u64 {
        self.hinting().map(|voter| u64::from(voter.answered)).sum()
    }

    /// How many have joined whose votes would count.
    pub fn electorate(&self) -> u64 {
        self.voters.iter().filter(|voter| voter.kind != Kind::Hint).count() as u64
    }

    /// How many answers are wanted of this voter: `None` for a judge, who answers as many as there are.
    pub fn goal(&self, voter: &Voter) -> Option<u32> {
        (!voter.kind.is_program()).then(|| self.settings.questions_per_voter.saturating_add(voter.more))
    }

    /// How many answers whoever has not joined yet can be asked for: no more than there are pairs, in every context.
    pub fn reach(&self) -> u32 {
        let table = self.present_table();
        let pairs = table.among(&table.enabled).1 * times(self.settings.repeat);
        let most = if pairs > 0 { pairs + self.gold_beyond(&table).count() as u64 } else { 0 };
        self.settings.questions_per_voter.min(u32::try_from(most).unwrap_or(u32::MAX))
    }

    /// How many questions are left for this voter, besides those that it was asked.
    pub fn left_of(&self, voter: &Voter) -> u64 {
        let table = self.present_table();
        let mine = |item: &u16| !voter.owns.contains(item) && self.items[usize::from(*item)].enabled;
        let items: Vec<u16> = table.enabled.iter().copied().filter(mine).collect();
        let mut seen: HashMap<(Pair, Option<u16>), u64> = HashMap::new();
        for question in voter.questions.iter().map(|&q| &self.questions[q as usize]) {
            let (pair, context) = (question.pair(), question.context());
            if question.phase != Phase::Retracted && mine(&pair.0) && mine(&pair.1) && table.is_place(pair, context) {
                *seen.entry((pair, context)).or_default() += 1;
            }
        }
        let often = times(self.settings.repeat);
        let gone: u64 = seen.into_values().map(|times| times.min(often)).sum();
        match (table.among(&items).1 * often).saturating_sub(gone) {
            // Gold pairs are asked among others: whoever has seen these is done.
            0 => 0,
            left => left + self.gold_left(voter, &table),
        }
    }

    /// How many gold pairs that are no pairs of the table this voter has not seen.
    fn gold_left(&self, voter: &Voter, table: &Table) -> u64 {
        let asked = voter.questions.iter().map(|&q| &self.questions[q as usize]);
        let asked = asked.filter(|question| question.phase != Phase::Retracted);
        let seen: HashSet<_> = asked.map(|question| (question.pair(), question.context())).collect();
        let mine = |(i, j): Pair| !voter.owns.contains(&i) && !voter.owns.contains(&j);
        self.gold_beyond(table).filter(|gold| mine(gold.0) && !seen.contains(gold)).count() as u64
    }

    /// The gold pairs that are no pairs of the table: those that nobody would be asked otherwise.
    fn gold_beyond(&self, table: &Table) -> impl Iterator<Item = (Pair, Option<u16>)> {
        let pairs = self.gold_pairs().map(|(i, j, context)| ((i.min(j), i.max(j)), context));
        let enabled = |item: u16| self.items[usize::from(item)].enabled;
        pairs.filter(move |&((i, j), context)| !(enabled(i) && enabled(j) && table.is_place((i, j), context)))
    }

    /// How many answers this voter can come to give, those given included: its goal, or fewer where there are no more
    /// pairs that it has not seen.
    pub fn reach_of(&self, voter: &Voter) -> Option<u32> {
        let (goal, left) = (self.goal(voter)?, self.left_of(voter));
        let there = u64::from(voter.answered) + u64::from(voter.open);
        Some(goal.min(u32::try_from(there + left).unwrap_or(u32::MAX)).max(voter.answered))
    }

    /// The open questions of a voter, in the order in which they were asked.
    pub fn open_of(&self, voter: u32) -> Vec<u32> {
        let Some(voter) = self.voters.get(voter as usize) else { return Vec::new() };
        // The newest are the likeliest to be open: look from the end until all are found.
        let newest = voter.questions.iter().rev().filter(|q| self.open.contains(q));
        let mut open: Vec<u32> = newest.take(voter.open as usize).copied().collect();
        open.reverse();
        open
    }
}
