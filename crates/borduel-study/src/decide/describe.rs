//! What voters say about themselves before the first pair, and who is sent away for it.

use super::turn::Turn;
use crate::command::{Refusal, Reply};
use crate::event::{Event, Inclusion, Kind, Standing};
use std::collections::BTreeMap;

impl Turn<'_> {
    /// Takes what a voter who has joined says.
    pub(super) fn describe(&mut self, voter: u32, answers: &BTreeMap<String, String>) -> Result<Reply, Refusal> {
        self.must_vote(voter)?;
        if !self.state.voters[voter as usize].attributes.is_empty() {
            return Err(Refusal::Invalid("you have answered these questions: your answers stay".to_owned()));
        }
        self.check_answers(answers)?;
        self.note_answers(voter, answers);
        Ok(Reply::Done)
    }

    /// Whether every question of the settings has one of its answers, and nothing else is said.
    pub(super) fn check_answers(&self, answers: &BTreeMap<String, String>) -> Result<(), Refusal> {
        let asks = &self.state.settings.asks;
        if let Some(key) = answers.keys().find(|key| asks.iter().all(|ask| ask.key != **key)) {
            return Err(Refusal::Invalid(format!("attributes: this study does not ask for {key:?}")));
        }
        for ask in asks {
            let possible =
                || ask.answers.iter().map(|choice| format!("{:?}", choice.text)).collect::<Vec<_>>().join(", ");
            match answers.get(&ask.key) {
                None => {
                    let missing = format!("attributes.{} is missing: send one of {}", ask.key, possible());
                    return Err(Refusal::Invalid(missing));
                }
                Some(said) if ask.answer(said).is_none() => {
                    let wrong = format!("attributes.{} is {said:?}: send one of {}", ask.key, possible());
                    return Err(Refusal::Invalid(wrong));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Notes what a voter says, and sends it away if an answer screens it out or there are enough like it.
    pub(super) fn note_answers(&mut self, voter: u32, answers: &BTreeMap<String, String>) {
        let (mut out, mut full) = (false, false);
        for ask in &self.state.settings.asks {
            let Some(said) = answers.get(&ask.key) else { continue };
            let taken = self.state.taken(ask);
            for (choice, taken) in ask.answers.iter().zip(taken).filter(|(choice, _)| choice.text == *said) {
                out |= choice.out;
                full |= choice.most > 0 && taken >= choice.most;
            }
        }
        self.emit(Event::Described { voter, answers: answers.clone() });
        let away = match (out, full) {
            (true, _) => Standing::ScreenedOut,
            (false, true) => Standing::OverQuota,
            (false, false) => return,
        };
        self.emit(Event::VoterState { voter, state: away, votes: Inclusion::Aside });
    }

    /// Notes every quota that is full now that this voter has given all that is wanted, where a webhook is told of it.
    pub(super) fn note_full(&mut self, voter: u32) {
        let state = &*self.state;
        let who = &state.voters[voter as usize];
        let untold = state.settings.webhook.is_empty() || who.attributes.is_empty();
        if untold || who.excluded || who.answered < state.reach() {
            return;
        }
        let mut full = Vec::new();
        for ask in state.settings.asks.iter().filter(|ask| ask.answers.iter().any(|choice| choice.most > 0)) {
            let there = ask.answers.iter().zip(state.finished(ask));
            let enough = there.filter(|(choice, finished)| choice.most > 0 && *finished >= choice.most);
            full.extend(enough.map(|(choice, _)| (ask.key.clone(), choice.text.clone())));
        }
        full.retain(|quota| !state.full.contains(quota));
        full.into_iter().for_each(|(key, answer)| self.emit(Event::QuotaFull { key, answer }));
    }

    /// Refuses a person who has yet to answer what is asked before the first pair.
    pub(super) fn must_be_described(&self, voter: u32) -> Result<(), Refusal> {
        if self.state.must_describe(&self.state.voters[voter as usize]) {
            return Err(Refusal::Invalid(
                "this study asks something about its voters first: send `attributes`".to_owned(),
            ));
        }
        Ok(())
    }
}

impl crate::State {
    /// Whether this voter has yet to answer what is asked before the first pair.
    pub fn must_describe(&self, voter: &crate::state::Voter) -> bool {
        let person = matches!(voter.kind, Kind::Anonymous | Kind::Named | Kind::Invited);
        person && !self.settings.asks.is_empty() && voter.attributes.is_empty() && voter.questions.is_empty()
    }
}
