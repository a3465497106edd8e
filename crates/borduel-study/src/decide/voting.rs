//! What voters want: questions, answers, answers taken back, a word in the end.

use super::turn::Turn;
use crate::choose::{Choice, Options, choose};
use crate::command::{Finished, Refusal, Reply, Row, Sitting, Ticket};
use crate::event::{Answer, Event, Grade, GradedAnswer, Inclusion, Millis, Standing, Status};
use crate::settings::Then;
use crate::state::{Phase, fails};

/// How many of its last answers a voter may take back.
pub const UNDO_LAST: usize = 5;
/// For how long a voter may take an answer back, in milliseconds.
pub const UNDO_WITHIN: Millis = 600_000;
/// The most questions a judge may have open.
pub const JUDGE_AHEAD: u32 = 64;
/// The most questions that a voter may ask for beyond those that are wanted, at a time.
const MORE: u32 = 100;
/// The most characters of a comment.
pub const COMMENT: usize = 2_000;

impl Turn<'_> {
    pub(super) fn ask(&mut self, voter: u32, count: u32) -> Result<Reply, Refusal> {
        self.must_be(&[Status::Open], "questions are asked while it is open")?;
        if self.is_sent_away(voter) {
            return Ok(Reply::Questions(self.fill(voter, 0)));
        }
        self.must_vote(voter)?;
        self.must_be_described(voter)?;
        Ok(Reply::Questions(self.fill(voter, count)))
    }

    /// Lets a voter who has answered all that is wanted answer more.
    pub(super) fn more(&mut self, voter: u32, count: u32) -> Result<Reply, Refusal> {
        self.must_be(&[Status::Open], "questions are asked while it is open")?;
        self.must_vote(voter)?;
        if !(1..=MORE).contains(&count) {
            return Err(Refusal::Invalid(format!("{count} more questions: 1 to {MORE} at a time")));
        }
        if self.has_enough_of(voter) {
            self.emit(Event::Extended { voter, more: count });
        }
        Ok(Reply::Questions(self.fill(voter, u32::MAX)))
    }

    /// The open questions of a voter, filled up to this number as far as settings and pairs allow.
    fn fill(&mut self, voter: u32, count: u32) -> Sitting {
        let judge = self.state.voters[voter as usize].kind.is_program();
        let ahead = if judge { JUDGE_AHEAD } else { self.state.settings.ahead };
        let mut done = None;
        if self.state.status == Status::Open && self.state.may_vote(voter) {
            loop {
                let who = &self.state.voters[voter as usize];
                if self.state.goal(who).is_some_and(|goal| who.answered + who.open >= goal) {
                    done = Some(Finished::Goal).filter(|_| who.open == 0);
                    break;
                }
                if who.open >= count.min(ahead) {
                    break;
                }
                let none_open = who.open == 0;
                let Some(choice) = choose(self.state, voter) else {
                    // Whoever is asked about whole pairs may be asked about more of them as votes come.
                    let waits = self.state.asks_whole_pairs_of(voter);
                    done = Some(Finished::SeenAll).filter(|_| none_open && !waits);
                    break;
                };
                let Choice { first, second, context, p, source } = choice;
                let (q, plan) = (self.state.questions.len() as u32, self.state.plan.number);
                self.emit(Event::Asked { q, voter, first, second, p, plan, source, context });
            }
        }
        match self.state.voters[voter as usize].standing {
            Standing::ScreenedOut => done = Some(Finished::ScreenedOut),
            Standing::OverQuota => done = Some(Finished::OverQuota),
            Standing::Active | Standing::Blocked | Standing::Withdrawn => {}
        }
        let questions = self.state.open_of(voter).into_iter().map(|q| self.ticket(q)).collect();
        let who = &self.state.voters[voter as usize];
        Sitting { questions, done, answered: who.answered, goal: self.state.reach_of(who) }
    }

    fn ticket(&self, q: u32) -> Ticket {
        let question = &self.state.questions[q as usize];
        let expires = self.state.time_of(question) + i64::from(self.state.settings.ticket_seconds) * 1000;
        Ticket { q, first: question.first, second: question.second, context: question.context(), expires }
    }

    pub(super) fn answer(&mut self, voter: u32, given: Submitted<'_>, more: bool) -> Result<Reply, Refusal> {
        let may_vote = self.must_vote(voter);
        if !self.is_sent_away(voter) {
            may_vote.clone()?;
        }
        let Submitted { q, said, ms, stacked, comment } = given;
        let question = self.state.questions.get(q as usize).copied();
        let question = question.filter(|question| question.voter == voter).ok_or(Refusal::NoQuestion(q))?;
        self.check_criteria(&said)?;
        for one in &said {
            self.check_answer(voter, one.answer)?;
            self.check_grade(one.answer, one.grade)?;
        }
        comment.map_or(Ok(()), |text| self.check_comment(text))?;
        let said: Vec<GradedAnswer> = said.into_iter().map(GradedAnswer::normal).collect();
        // As many as there were are kept open, so that a page always has its next pair.
        let count = if more { self.state.voters[voter as usize].open.max(1) } else { 0 };
        match question.phase {
            Phase::Retracted => return Err(Refusal::TakenBack(q)),
            Phase::Answered if self.state.graded_answers(q) != said => return Err(Refusal::Conflict { q }),
            Phase::Answered => return Ok(Reply::Answered { q, repeated: true, next: self.fill(voter, count) }),
            Phase::Open | Phase::Lapsed => {}
        }
        may_vote?;
        self.must_be(&[Status::Open, Status::Paused], "answers are taken until it is closed")?;
        if self.has_enough_of(voter) {
            return Err(Refusal::Enough(self.state.voters[voter as usize].answered));
        }
        self.must_have_looked(voter)?;
        let GradedAnswer { answer, grade } = said[0];
        self.emit(Event::Answered { q, answer, ms, stacked, grade, other_criteria: said[1..].to_vec() });
        if question.source.is_gold() {
            self.judge_gold(voter, q);
        }
        if self.has_enough_of(voter) {
            // Questions that were asked in place of lapsed ones, which then were answered after all.
            self.state.open_of(voter).into_iter().for_each(|q| self.emit(Event::Lapsed { q }));
        }
        if let Some(text) = comment.filter(|text| !text.trim().is_empty()) {
            self.rows.push(Row::Note { q, text: text.to_owned() });
        }
        self.note_full(voter);
        self.due();
        Ok(Reply::Answered { q, repeated: false, next: self.fill(voter, count) })
    }

    /// Refuses a person's answer that comes sooner than those before it can have taken together. Answers that waited in
    /// a browser may then come all at once.
    fn must_have_looked(&self, voter: u32) -> Result<(), Refusal> {
        let (least, who) = (self.state.settings.least_seconds, &self.state.voters[voter as usize]);
        if least <= 0.0 || who.kind.is_program() {
            return Ok(());
        }
        // An open question has the time when it was asked, an answered one that of its answer.
        let first = |answered: bool| {
            let those = who.questions.iter().map(|&q| &self.state.questions[q as usize]);
            let those = those.filter(|question| (question.phase == Phase::Answered) == answered);
            those.map(|question| self.state.time_of(question)).min().unwrap_or(self.now)
        };
        let (asked, answered) = (first(false), first(true));
        let pairs = who.answered + u32::from(asked < answered);
        let needed = (f64::from(pairs.max(1)) * least * 1000.0) as Millis;
        match u64::try_from(needed - (self.now - asked.min(answered))) {
            Ok(wait @ 1..) => Err(Refusal::Hasty { least, wait }),
            _ => Ok(()),
        }
    }

    /// Does what the settings say with a voter whose answer to this gold pair is one failure too many.
    fn judge_gold(&mut self, voter: u32, q: u32) {
        let (state, gold) = (&*self.state, &self.state.settings.gold);
        let standing = match gold.then {
            Then::Flag => return,
            Then::Aside => Standing::Active,
            Then::Away => Standing::ScreenedOut,
        };
        let (answers, who) = (state.gold_answers(), &state.voters[voter as usize]);
        let failed = fails(&state.questions[q as usize], &answers) == Some(true);
        let known = (who.standing, who.excluded) == (standing, true);
        if failed && !known && state.gold_record(who, &answers).failed > gold.may_fail {
            self.emit(Event::VoterState { voter, state: standing, votes: Inclusion::Aside });
        }
        if standing == Standing::ScreenedOut && !self.state.may_vote(voter) {
            self.state.open_of(voter).into_iter().for_each(|q| self.emit(Event::Lapsed { q }));
        }
    }

    /// Whether a voter was thanked and sent away: it is told so again, and what it has answered stays answered.
    fn is_sent_away(&self, voter: u32) -> bool {
        let standing = self.state.voters.get(voter as usize).map(|voter| voter.standing);
        matches!(standing, Some(Standing::ScreenedOut | Standing::OverQuota))
    }

    /// Whether a voter has answered as many questions as are wanted of it.
    fn has_enough_of(&self, voter: u32) -> bool {
        let voter = &self.state.voters[voter as usize];
        self.state.goal(voter).is_some_and(|goal| voter.answered >= goal)
    }

    /// Whether this answer is one that this voter may give.
    fn check_answer(&self, voter: u32, answer: Answer) -> Result<(), Refusal> {
        let settings = &self.state.settings;
        let offered = match answer {
            Answer::First | Answer::Second => true,
            Answer::Tie => settings.tie,
            Answer::BothBad => settings.both_bad,
            Answer::Skip => settings.skip,
            Answer::Soft(r) => {
                if !(0.0..=1.0).contains(&r) {
                    return Err(Refusal::Invalid(format!("the soft answer {r} is not in [0, 1]")));
                }
                self.state.voters[voter as usize].kind.is_program()
            }
        };
        if !offered {
            let what = serde_json::to_string(&answer).unwrap_or_default();
            return Err(Refusal::Invalid(format!("the answer {what} is not offered to you in this study")));
        }
        Ok(())
    }

    /// Whether every criterion has its answer, of which there is at least one.
    fn check_criteria(&self, said: &[GradedAnswer]) -> Result<(), Refusal> {
        let criteria = &self.state.settings.criteria;
        if said.len() == criteria.len().max(1) {
            return Ok(());
        }
        Err(Refusal::Invalid(if criteria.is_empty() {
            "this study asks one question about each pair: send one `answer`".to_owned()
        } else {
            let keys: Vec<&str> = criteria.iter().map(|criterion| criterion.key.as_str()).collect();
            format!("this study asks several questions about each pair: send `answers` with {}", keys.join(", "))
        }))
    }

    fn check_grade(&self, answer: Answer, grade: Option<Grade>) -> Result<(), Refusal> {
        match (grade, answer) {
            (Some(_), _) if !self.state.settings.grades => {
                let needless = "this study does not ask how much better something is: leave grade out";
                Err(Refusal::Invalid(needless.to_owned()))
            }
            (None, _) | (Some(_), Answer::First | Answer::Second) => Ok(()),
            (Some(_), _) => Err(Refusal::Invalid("grade goes with the answers first and second alone".to_owned())),
        }
    }

    fn check_comment(&self, text: &str) -> Result<(), Refusal> {
        if !self.state.settings.comment {
            return Err(Refusal::Invalid("this study takes no comments".to_owned()));
        }
        if text.chars().count() > COMMENT {
            return Err(Refusal::Invalid(format!("the comment has more than {COMMENT} characters")));
        }
        Self::must_be_text("the comment", text)
    }

    pub(super) fn comment(&mut self, voter: u32, text: &str) -> Result<Reply, Refusal> {
        self.must_vote(voter)?;
        self.check_comment(text)?;
        let answered = |q: &&u32| self.state.questions[**q as usize].phase == Phase::Answered;
        let last = self.state.voters[voter as usize].questions.iter().rev().find(answered);
        let q = *last.ok_or_else(|| Refusal::Invalid("a comment needs an answer that it goes with".to_owned()))?;
        if text.trim().is_empty() {
            return Ok(Reply::Unchanged);
        }
        self.rows.push(Row::Note { q, text: text.to_owned() });
        Ok(Reply::Done)
    }

    pub(super) fn undo(&mut self, q: u32, voter: Option<u32>) -> Result<Reply, Refusal> {
        let question = self.state.questions.get(q as usize).copied();
        let mine = |asked: u32| voter.is_none_or(|voter| voter == asked);
        let question = question.filter(|question| mine(question.voter)).ok_or(Refusal::NoQuestion(q))?;
        let late = |why| Err(Refusal::TooLate { q, why });
        match question.phase {
            Phase::Retracted => return Err(Refusal::TakenBack(q)),
            Phase::Open | Phase::Lapsed => return late("it has none"),
            Phase::Answered => {}
        }
        if let Some(voter) = voter {
            self.must_vote(voter)?;
            self.must_be(&[Status::Open, Status::Paused], "answers are taken back until it is closed")?;
            if self.now - self.state.time_of(&question) > UNDO_WITHIN {
                return late("voters may do so for 10 minutes, the organiser always");
            }
            let state = &*self.state;
            let answered = |q: &&u32| state.questions[**q as usize].phase == Phase::Answered;
            let asked = &state.voters[voter as usize].questions;
            let mut last: Vec<(u32, u32)> =
                asked.iter().filter(answered).map(|&q| (state.questions[q as usize].second_at, q)).collect();
            last.sort_unstable();
            if !last.iter().rev().take(UNDO_LAST).any(|&(_, other)| other == q) {
                return late("voters may take back their last 5 answers, the organiser any");
            }
        }
        self.emit(Event::Retracted { q, by: voter.into() });
        let asker = question.voter;
        let table = self.state.table();
        let open = self.state.status == Status::Open && self.state.may_vote(asker);
        let possible = Options::new(self.state, &table, asker).is_possible(&question);
        if !(open && possible) {
            return Ok(Reply::Undone { again: None });
        }
        let new = self.state.questions.len() as u32;
        let (voter, first, second, plan) = (asker, question.first, question.second, self.state.plan.number);
        let (p, source, context) = (1.0, question.source.again(), question.context());
        self.emit(Event::Asked { q: new, voter, first, second, p, plan, source, context });
        Ok(Reply::Undone { again: Some(self.ticket(new)) })
    }
}

/// An answer as it comes.
pub(super) struct Submitted<'a> {
    pub(super) q: u32,
    /// By each criterion.
    pub(super) said: Vec<GradedAnswer>,
    pub(super) ms: Option<u32>,
    pub(super) stacked: bool,
    pub(super) comment: Option<&'a str>,
}
