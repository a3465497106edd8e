//! What a cheap judge has answered before people, to whole pairs: a pair in every context.
//!
//! Its answers are no votes. They have a log of their own beside that of people's, from which all goes on.

use super::contexts::Material;
use super::log::{Log, Question, Row, Word};
use borduel::ballots::{Answer, Ballots};
use borduel::judging::Prices;
use borduel::sequential::{Controlled, is_turned};
use borduel_lab::failure::Failure;
use borduel_report::sequential::Bought;
use borduel_votes::Items;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A cheap judge, with its answers.
pub(crate) struct CheapJudge {
    log: Log,
    prices: Prices,
    seed: u64,
    contexts: usize,
    /// Where each pair i < j has an answer.
    answered: BTreeMap<(usize, usize), BTreeSet<u32>>,
}

/// Where a cheap judge's answers are, beside a log of people's.
pub(crate) fn beside(votes: &Path) -> PathBuf {
    let mut path = votes.as_os_str().to_owned();
    path.push(".judge.csv");
    path.into()
}

impl CheapJudge {
    /// Goes on from its log beside this one, or begins it. Prices that are not given are those of the last answer.
    pub(crate) fn open(
        votes: &Path,
        prices: Option<Prices>,
        seed: u64,
        items: &Items,
        material: &Material,
    ) -> Result<(Self, Option<String>), Failure> {
        let (log, said) = Log::open_of_cheap_judge(&beside(votes), items, material.contexts())?;
        let last = log.rows().last().and_then(|row| row.prices);
        let prices = prices.or(last).ok_or_else(|| {
            let message = "--cheap-judge needs --prices: what an answer of a person costs, and one of the cheap judge, \
                           such as 1,0.01";
            Failure::Usage(message.to_owned())
        })?;
        let (contexts, answered) = (material.contexts().len(), BTreeMap::new());
        let mut judge = Self { log, prices, seed, contexts, answered };
        for at in 0..judge.log.rows().len() {
            judge.note(at);
        }
        Ok((judge, said))
    }

    fn note(&mut self, at: usize) {
        let Row { left, right, context, .. } = self.log.rows()[at];
        self.answered.entry((left.min(right), left.max(right))).or_default().extend(context);
    }

    /// What answers cost.
    pub(crate) fn prices(&self) -> Prices {
        self.prices
    }

    /// Whether a pair i < j has an answer in every context.
    pub(crate) fn knows(&self, pair: (usize, usize)) -> bool {
        self.answered.get(&pair).is_some_and(|contexts| contexts.len() == self.contexts)
    }

    /// The questions that are left about these pairs.
    pub(crate) fn questions(&self, pairs: &[(usize, usize)]) -> Vec<Question> {
        let none = BTreeSet::new();
        let left = pairs.iter().flat_map(|&(i, j)| {
            let known = self.answered.get(&(i, j)).unwrap_or(&none);
            let (left, right) = if is_turned(self.seed, (i, j)) { (j, i) } else { (i, j) };
            let contexts = (0..self.contexts as u32).filter(move |context| !known.contains(context));
            contexts.map(move |context| (left, right, context))
        });
        let numbered = left.zip(self.log.next_question()..);
        let question = |((left, right, context), number)| Question { number, left, right, context: Some(context) };
        numbered.map(question).collect()
    }

    /// Writes an answer down.
    pub(crate) fn write(
        &mut self,
        question: Question,
        word: Word,
        voter: Option<&str>,
        items: &Items,
    ) -> Result<(), Failure> {
        let Question { number: question, left, right, context } = question;
        let voter = voter.filter(|voter| !voter.is_empty()).map(str::to_owned);
        self.log.write(Row { question, left, right, word, voter, context, prices: Some(self.prices) }, items)?;
        self.note(self.log.rows().len() - 1);
        Ok(())
    }

    /// What it said of the pairs that it answered in every context. Where it could not decide it says that they are
    /// level: any number does that is settled before people are asked.
    pub(crate) fn ballots(&self, items: &Items) -> Result<Ballots, Failure> {
        self.log.ballots_of(items, |row| {
            let answer = match row.word {
                Word::Left => Answer::Left,
                Word::Right => Answer::Right,
                Word::Tie | Word::BothBad | Word::Skip => Answer::Tie,
            };
            self.knows((row.left.min(row.right), row.left.max(row.right))).then_some(answer)
        })
    }

    /// The answers so far.
    pub(crate) fn answers(&self) -> u64 {
        self.log.len()
    }

    /// What it was asked and what that saved, beside so many answers of people.
    pub(crate) fn bought(&self, people: u64, control: Option<Controlled>) -> Bought {
        let pairs = self.answered.keys().filter(|pair| self.knows(**pair)).count();
        let cost = self.log.rows().iter().filter_map(|row| row.prices).map(|prices| prices.judge).sum();
        let people = people as f64 * self.prices.person;
        Bought::new(self.answers(), (pairs, self.contexts), (cost, people), control.as_ref())
    }
}
