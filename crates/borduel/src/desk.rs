//! A desk: a policy together with the tickets of its open questions, so that none is taken twice or from somebody else.

use crate::duel::{Arm, Duel, Outcome, Proposal};
use crate::policy::Policy;
use crate::problem::Problem;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A policy that talks to the outside world.
///
/// A [`Policy`] relies on its caller: every proposal comes back at most once, and to the policy that made it. Telling
/// tickets apart would cost every simulated round a look-up, so it is done here, once for all policies: the desk keeps
/// the proposals and hands out numbered tickets. Whatever comes back twice, from another desk, or was never handed out
/// is refused, and the policy does not notice.
///
/// ```
/// use borduel::{Desk, Error, Features, Link, Outcome, PolicyConfig, Problem, stream};
/// let problem = Problem::new(Features::one_hot(3)?, Link::Logistic, Some(100))?;
/// let policy = PolicyConfig::named("etc-borda")?.build(&problem, stream(1, &[]))?;
/// let mut desk = Desk::new(1, problem, policy);
/// let ticket = desk.ask();
/// desk.tell(&ticket, Outcome::Win)?;
/// assert!(matches!(desk.tell(&ticket, Outcome::Win), Err(Error::UsedTicket { number: 1 })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Desk<P> {
    id: u64,
    problem: Problem,
    policy: P,
    asked: u64,
    /// The open questions, by number.
    open: BTreeMap<u64, Proposal>,
}

/// What is handed out with a question, and handed in with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Ticket {
    /// The desk that asked.
    pub desk: u64,
    /// The number of the question at this desk, from 1.
    pub number: u64,
    /// The two items to show.
    pub duel: Duel,
}

impl<P: Policy> Desk<P> {
    /// Opens a desk for a policy that was made for this problem. Desks whose tickets could be mixed up have different
    /// ids.
    pub fn new(id: u64, problem: Problem, policy: P) -> Self {
        Self { id, problem, policy, asked: 0, open: BTreeMap::new() }
    }

    /// Asks the next question; any number may be open.
    pub fn ask(&mut self) -> Ticket {
        let proposal = self.policy.ask(&self.problem);
        self.hand_out(proposal)
    }

    /// Asks the next question in this context, where one comes up in every round ([`Problem::of_context`]). It fails
    /// for a problem of another family than the desk's.
    pub fn ask_in(&mut self, here: &Problem) -> Result<Ticket> {
        let (own, found) = (self.problem.fingerprint(), here.fingerprint());
        if own != found {
            return Err(Error::OtherProblem { what: "the desk", found: own, here: found });
        }
        let proposal = self.policy.ask(here);
        Ok(self.hand_out(proposal))
    }

    fn hand_out(&mut self, proposal: Proposal) -> Ticket {
        self.asked += 1;
        let ticket = Ticket { desk: self.id, number: self.asked, duel: proposal.duel };
        self.open.insert(self.asked, proposal);
        ticket
    }

    /// Takes the answer to a question.
    pub fn tell(&mut self, ticket: &Ticket, outcome: Outcome) -> Result<()> {
        let proposal = self.take(ticket)?;
        self.policy.tell(&self.problem, &proposal, outcome);
        Ok(())
    }

    /// Gives up a question that will never be answered.
    pub fn cancel(&mut self, ticket: &Ticket) -> Result<()> {
        let proposal = self.take(ticket)?;
        self.policy.cancel(&self.problem, &proposal);
        Ok(())
    }

    /// The item that the policy would name best by now.
    pub fn estimate(&self) -> Arm {
        self.policy.estimate(&self.problem)
    }

    /// The problem that the policy was made for.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The open questions in the order of asking: their tickets, and what the policy proposed.
    pub fn open(&self) -> impl Iterator<Item = (Ticket, &Proposal)> {
        let ticket = |(number, proposal): (&u64, _)| (*number, proposal);
        self.open.iter().map(ticket).map(|(number, proposal): (u64, &Proposal)| {
            (Ticket { desk: self.id, number, duel: proposal.duel }, proposal)
        })
    }

    /// How many questions have been asked.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// The policy, to look at.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The policy alone; open questions are forgotten.
    pub fn into_policy(self) -> P {
        self.policy
    }

    /// Takes the proposal of a ticket, unless there is something wrong with the ticket.
    fn take(&mut self, ticket: &Ticket) -> Result<Proposal> {
        let Ticket { desk, number, duel: Duel(left, right) } = *ticket;
        let last = self.problem.items() - 1;
        if let Some(item) = [left, right].into_iter().find(|item| *item > last) {
            return Err(Error::NoSuchItem { item, last });
        }
        if desk != self.id {
            return Err(Error::ForeignTicket { number, left, right });
        }
        if number == 0 || number > self.asked {
            return Err(Error::UnknownTicket { number, last: self.asked });
        }
        let proposal = self.open.get(&number).ok_or(Error::UsedTicket { number })?;
        if proposal.duel != ticket.duel {
            return Err(Error::ForeignTicket { number, left, right });
        }
        self.open.remove(&number).ok_or(Error::UsedTicket { number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Link, PolicyConfig, stream};

    #[test]
    fn every_wrong_ticket_is_refused_by_name() {
        let problem = Problem::new(Features::one_hot(4).unwrap(), Link::Logistic, Some(50)).unwrap();
        let policy = PolicyConfig::named("uniform").unwrap().build(&problem, stream(1, &[])).unwrap();
        let (mut desk, mut other) =
            (Desk::new(1, problem.clone(), policy.clone()), Desk::new(2, problem.clone(), policy));
        let (ticket, foreign) = (desk.ask(), other.ask());
        let mut refused = |ticket: Ticket| desk.cancel(&ticket).unwrap_err();
        assert!(matches!(refused(foreign), Error::ForeignTicket { number: 1, .. }));
        assert!(matches!(refused(Ticket { number: 0, ..ticket }), Error::UnknownTicket { number: 0, last: 1 }));
        assert!(matches!(refused(Ticket { number: 2, ..ticket }), Error::UnknownTicket { number: 2, last: 1 }));
        assert_eq!(refused(Ticket { duel: Duel(0, 4), ..ticket }), Error::NoSuchItem { item: 4, last: 3 });
        let Duel(left, right) = ticket.duel;
        assert!(matches!(refused(Ticket { duel: Duel(3 - left, right), ..ticket }), Error::ForeignTicket { .. }));
        let longer = problem.with_horizon(51).unwrap();
        assert!(matches!(desk.ask_in(&longer), Err(Error::OtherProblem { .. })));
        assert_eq!(desk.open().map(|(open, _)| open).collect::<Vec<_>>(), [ticket]);
        desk.cancel(&ticket).unwrap();
        assert_eq!(desk.cancel(&ticket), Err(Error::UsedTicket { number: 1 }));
        assert_eq!((desk.asked(), desk.open().count()), (1, 0));
    }
}
