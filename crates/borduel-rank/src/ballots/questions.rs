//! Answers to one question that was put more than once, in both orders say: where nobody but one voter gave them, they
//! hang together by question.
//!
//! Until all votes are there nobody knows how many voters there are. So votes are added under a name that says the
//! voter and the question, and [`Ballots::settle_questions`] keeps the one or the other.

use super::{Ballots, GROUP, Share};
use std::collections::{BTreeSet, HashMap};

/// What the names of questions begin with; neither a voter's name in a file nor a group's can.
const QUESTION: &str = "\0?";
/// What stands between the voter and the question.
const BETWEEN: char = '\0';

/// Whether this is the name of a group of voters.
pub(super) fn is_group(name: &str) -> bool {
    name.starts_with(GROUP) && !name.starts_with(QUESTION)
}

/// The voter of a question, empty where nobody was named; `None` for any other name.
fn voter_of(name: &str) -> Option<&str> {
    name.strip_prefix(QUESTION).and_then(|rest| rest.split_once(BETWEEN)).map(|(voter, _)| voter)
}

impl Ballots {
    /// The name of a voter of whom it is known which question was answered; see [`Ballots::settle_questions`].
    pub fn question_name(voter: Option<&str>, question: &str) -> String {
        format!("{QUESTION}{}{BETWEEN}{question}", voter.unwrap_or_default())
    }

    /// How many voters were named, none or one, where votes hang together by question; `None` where they do so by voter
    /// or not at all.
    pub fn by_question(&self) -> Option<usize> {
        let mut voters = (0..self.copies.len()).map(|voter| self.voters.name(voter));
        let first = voters.next()?;
        voter_of(&first).map(|voter| usize::from(!voter.is_empty()))
    }

    /// Decides by what the votes that were added under the names of questions hang together, once all are there: by
    /// voter if there are several; otherwise by question, if some were answered more than once.
    pub fn settle_questions(&mut self) {
        self.compact();
        let names: Vec<String> = (0..self.copies.len()).map(|voter| self.voters.name(voter).into_owned()).collect();
        if !names.iter().any(|name| voter_of(name).is_some()) {
            return;
        }
        let voters: BTreeSet<&str> =
            names.iter().map(|name| voter_of(name).unwrap_or(name)).filter(|name| !name.is_empty()).collect();
        let weighted = self.weighted();
        let again = |shares: &[Share]| shares.len() > 1 || (!weighted && shares[0].w > 1.0);
        let asked = |voter: u32| voter_of(&names[voter as usize]).is_some();
        let mut by_voter = self.shares.chunk_by(|a, b| a.voter == b.voter);
        if voters.len() < 2 && by_voter.any(|shares| asked(shares[0].voter) && again(shares)) {
            return;
        }
        self.rename_voters(&names);
    }

    /// Gives the votes of questions to their voters; those of nobody are nobody's.
    fn rename_voters(&mut self, names: &[String]) {
        let copies = std::mem::take(&mut self.copies);
        let shares = std::mem::take(&mut self.shares);
        let rests = std::mem::take(&mut self.share_rests);
        (self.voters, self.compacted) = (super::Names::default(), 0);
        let place: Vec<Option<u32>> = names
            .iter()
            .zip(copies)
            .map(|(name, copies)| match voter_of(name) {
                Some("") => None,
                Some(voter) => Some(self.voter(voter)),
                None if is_group(name) => Some(self.voter_group(copies)),
                None => Some(self.voter(name)),
            })
            .collect();
        let renamed = |share: Share| place[share.voter as usize].map(|voter| Share { voter, ..share });
        self.shares = shares.into_iter().filter_map(renamed).collect();
        let mut kept: HashMap<(u32, u32), [super::Rest; 2]> = HashMap::new();
        for ((voter, cell), rests) in rests {
            if let Some(voter) = place[voter as usize] {
                let mine = kept.entry((voter, cell)).or_default();
                mine.iter_mut().zip(&rests).for_each(|(mine, rest)| mine.add_all(rest));
            }
        }
        self.share_rests = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ballots::{Answer, BothBad, Ties};

    /// Two answers to each of three questions, by these voters in turn.
    fn asked_twice(voters: &[Option<&str>]) -> Ballots {
        let mut ballots = Ballots::new(Ties::default(), BothBad::default(), true);
        let (a, b) = (ballots.item("a"), ballots.item("b"));
        for (question, voter) in (0..3).zip(voters.iter().cycle()) {
            let voter = ballots.voter(&Ballots::question_name(*voter, &question.to_string()));
            ballots.add(a, b, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            ballots.add(b, a, Some(voter), Answer::Right, 1.0, 1.0).unwrap();
        }
        ballots.settle_questions();
        ballots.finish()
    }

    #[test]
    fn answers_of_one_judge_hang_together_by_question_and_those_of_several_by_voter() {
        let nobody = asked_twice(&[None]);
        assert_eq!((nobody.by_question(), nobody.copies().len()), (Some(0), 3));
        let one = asked_twice(&[Some("ann")]);
        assert_eq!((one.by_question(), one.copies().len()), (Some(1), 3));
        assert_eq!(one.voter_name(0), None);
        let two = asked_twice(&[Some("ann"), Some("bob")]);
        assert_eq!((two.by_question(), two.copies().len()), (None, 2));
        assert_eq!(two.voter_name(0).as_deref(), Some("ann"));
        assert_eq!(two.shares()[0].w, 2.0);
        // Saved and loaded, and joined with another judge's, who makes two.
        let text = serde_json::to_string(&one).unwrap();
        let mut again: Ballots = serde_json::from_str(&text).unwrap();
        assert_eq!(again.by_question(), Some(1));
        again.merge(&asked_twice(&[Some("bob")])).unwrap();
        again.settle_questions();
        let again = again.finish();
        assert_eq!((again.by_question(), again.copies().len()), (None, 2));
    }

    #[test]
    fn questions_that_were_answered_once_say_nothing() {
        for (voter, voters) in [(None, 0), (Some("ann"), 1)] {
            let mut ballots = Ballots::new(Ties::default(), BothBad::default(), true);
            let (a, b) = (ballots.item("a"), ballots.item("b"));
            for question in 0..3 {
                let voter = ballots.voter(&Ballots::question_name(voter, &question.to_string()));
                ballots.add(a, b, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            }
            ballots.settle_questions();
            let ballots = ballots.finish();
            assert_eq!((ballots.by_question(), ballots.copies().len()), (None, voters));
        }
    }
}
