//! What organisers and planners want: items, voters, settings, plans and looks.

use super::turn::Turn;
use crate::command::{Change, Item, Join, Look, Refusal, Reply, Row};
use crate::event::{By, Event, Hash, Inclusion, Kind, Standing, Status};
use crate::networks;
use crate::settings::Settings;
use crate::state::{self, PairPlan, check_features};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// The most items of a study.
const MOST_ITEMS: usize = 10_000;
/// The most features of an item.
const MOST_FEATURES: usize = 1_000;

impl Turn<'_> {
    pub(super) fn join(&mut self, join: &Join) -> Result<Reply, Refusal> {
        match join.kind {
            Kind::Anonymous | Kind::Named => self.must_be(&[Status::Open], "it is joined while it is open")?,
            _ => {
                self.must_be(&[Status::Draft, Status::Open, Status::Paused, Status::Closed], "nobody joins any more")?;
            }
        }
        Self::must_be_text("the name", join.name.as_deref().unwrap_or(""))?;
        join.sent.values().try_for_each(|value| Self::must_be_text("the address", value))?;
        let find = |key: &String| self.state.item(key).ok_or_else(|| Refusal::NoItem(key.clone()));
        let owns = join.owns.iter().map(find).collect::<Result<Vec<u16>, _>>()?;
        // Whoever was let in by the organiser may be described, or say it on the first page.
        if matches!(join.kind, Kind::Anonymous | Kind::Named) || !join.attributes.is_empty() {
            self.check_answers(&join.attributes)?;
        }
        let voter = self.state.voters.len() as u32;
        let (most, network) = (self.state.settings.per_network as usize, join.network);
        let same = |voter: &&state::Voter| voter.network.is_some() && voter.network == network;
        if most > 0 && self.state.voters.iter().filter(same).take(most).count() >= most {
            return Err(Refusal::NetworkFull);
        }
        if !networks::lets_in(self.state, self.now, network, join.per_minute) {
            return Err(Refusal::NetworkHasty);
        }
        self.emit(Event::Joined { voter, kind: join.kind, owns, network });
        let (name, sent) = (join.name.clone(), join.sent.clone());
        self.rows.push(Row::Voter { voter, token: join.token, name, sent, expires: join.expires });
        if !join.attributes.is_empty() {
            self.note_answers(voter, &join.attributes);
        }
        Ok(Reply::Joined { voter })
    }

    pub(super) fn set_voter(
        &mut self,
        voter: u32,
        state: Standing,
        votes: Inclusion,
        by: By,
    ) -> Result<Reply, Refusal> {
        let Some(known) = self.state.voters.get(voter as usize) else { return Err(Refusal::NoVoter(voter)) };
        if known.standing == Standing::Withdrawn && state != Standing::Withdrawn {
            return Err(Refusal::Invalid(format!("voter {voter} has withdrawn and is not known any more")));
        }
        if known.kind == Kind::Hint && votes == Inclusion::Keep {
            return Err(Refusal::Invalid(format!("voter {voter} gives hints, which are never counted as votes")));
        }
        if by == By::Voter && votes == Inclusion::Aside && !known.excluded {
            let needed = "your votes are part of its result: you can be erased, and they are kept without you";
            self.must_be(&[Status::Draft, Status::Open, Status::Paused], needed)?;
        }
        // Who was set aside may go, but not have its votes counted again.
        let votes = if by == By::Voter && known.excluded { Inclusion::Aside } else { votes };
        let change = known.standing != state || known.excluded != (votes == Inclusion::Aside);
        if state == Standing::Withdrawn {
            // Also when nothing changes: whoever is to be forgotten is forgotten.
            self.rows.push(Row::Forget { voter, questions: known.questions.clone() });
            self.reject_all_of(voter);
        }
        if !change {
            return Ok(Reply::Unchanged);
        }
        self.emit(Event::VoterState { voter, state, votes });
        Ok(Reply::Done)
    }

    /// Keeps something under its hash.
    pub(super) fn keep(&mut self, body: &[u8]) -> Reply {
        self.rows.push(Row::Content { hash: Sha256::digest(body).into(), body: body.to_vec() });
        Reply::Done
    }

    pub(crate) fn set_items(&mut self, items: &[Item]) -> Result<Reply, Refusal> {
        self.must_be(&[Status::Draft, Status::Open, Status::Paused, Status::Closed], "its items stay as they are")?;
        let mut given = HashSet::with_capacity(items.len());
        for item in items {
            check_item(item)?;
            if !given.insert(&*item.key) {
                return Err(Refusal::Invalid(format!("the key {:?} is given twice", item.key)));
            }
        }
        let new = items.iter().filter(|item| self.must_be_new(item)).count();
        if self.state.items.len() + new > MOST_ITEMS {
            return Err(Refusal::Invalid(format!("a study has at most {MOST_ITEMS} items, replaced ones included")));
        }
        let stays = |old: &&state::Item| old.enabled && !given.contains(&*old.key);
        let stay = self.state.items.iter().filter(stays).map(|old| (&*old.key, old.features.len()));
        // What is edited while it is left out stays left out.
        let asked = |item: &&Item| {
            let known = self.state.item(&item.key).filter(|_| !self.must_be_new(item));
            known.is_none_or(|number| self.state.items[usize::from(number)].enabled)
        };
        let come = items.iter().filter(asked).map(|item| (&*item.key, item.features.len()));
        check_features(self.state.settings.model, stay.chain(come)).map_err(Refusal::Invalid)?;
        let before = self.events.len();
        for item in items {
            let content: Hash = Sha256::digest(&item.content).into();
            let known = self.state.item(&item.key).map(|number| (number, &self.state.items[usize::from(number)]));
            let same = known.is_some_and(|(_, old)| old.content == content && old.features == item.features);
            if same {
                continue;
            }
            self.rows.push(Row::Content { hash: content, body: item.content.clone() });
            let features = item.features.clone();
            if let Some((number, _)) = known.filter(|(_, old)| item.correction || old.shown() == 0) {
                self.emit(Event::ItemEdited { item: number, content, features });
            } else {
                let number = self.state.items.len() as u16;
                self.emit(Event::ItemAdded { item: number, key: item.key.clone(), content, features });
            }
        }
        Ok(if self.events.len() > before { Reply::Done } else { Reply::Unchanged })
    }

    /// Whether this item will get a new number.
    fn must_be_new(&self, item: &Item) -> bool {
        let known = self.state.item(&item.key).map(|number| &self.state.items[usize::from(number)]);
        known.is_none_or(|old| !item.correction && old.shown() > 0)
    }

    pub(super) fn enable(&mut self, key: &str, on: bool) -> Result<Reply, Refusal> {
        self.must_be(&[Status::Draft, Status::Open, Status::Paused, Status::Closed], "its items stay as they are")?;
        let item = self.state.item(key).ok_or_else(|| Refusal::NoItem(key.to_owned()))?;
        if self.state.items[usize::from(item)].enabled == on {
            return Ok(Reply::Unchanged);
        }
        if on {
            let all = (0..).zip(&self.state.items).filter(|&(number, other)| other.enabled || number == item);
            let all = all.map(|(_, item)| (&*item.key, item.features.len()));
            check_features(self.state.settings.model, all).map_err(Refusal::Invalid)?;
        }
        self.emit(Event::ItemEnabled { item, on });
        Ok(Reply::Done)
    }

    pub(super) fn set(&mut self, change: &Change) -> Result<Reply, Refusal> {
        self.must_be(
            &[Status::Draft, Status::Open, Status::Paused, Status::Closed],
            "its title and settings stay as they are",
        )?;
        let (now, known) = (self.state.settings.tag(), change.known.as_ref());
        if known.is_some_and(|known| *known != now) {
            return Err(Refusal::Changed { now });
        }
        let settings = self.state.settings.changed(change.fields.clone()).map_err(Refusal::Invalid)?;
        settings.check().map_err(Refusal::Invalid)?;
        let enabled = self.state.items.iter().filter(|item| item.enabled);
        check_features(settings.model, enabled.map(|item| (&*item.key, item.features.len())))
            .map_err(Refusal::Invalid)?;
        self.check_criteria_stay(&settings)?;
        if settings.stop != self.state.settings.stop {
            self.must_be_ahead(settings.stop)?;
        }
        if settings.gold != self.state.settings.gold {
            self.check_gold(&settings)?;
        }
        if let Some(title) = &change.title {
            Self::must_be_text("the title", title)?;
            self.rows.push(Row::Title(title.clone()));
        }
        if self.state.settings == settings {
            return Ok(if change.title.is_some() { Reply::Done } else { Reply::Unchanged });
        }
        if settings.webhook.is_empty() != self.state.settings.webhook.is_empty() {
            let from = Some(self.state.head).filter(|_| !settings.webhook.is_empty());
            self.rows.push(Row::Hook { from });
        }
        self.emit(Event::Set { settings });
        Ok(Reply::Done)
    }

    /// Refuses other criteria once a pair was asked about: its answer would be one to something else.
    fn check_criteria_stay(&self, settings: &Settings) -> Result<(), Refusal> {
        let keys = |settings: &Settings| settings.criteria.iter().map(|one| one.key.clone()).collect::<Vec<_>>();
        if self.state.questions.is_empty() || keys(settings) == keys(&self.state.settings) {
            return Ok(());
        }
        let stay = "settings.criteria: pairs were asked about; keys, number and order stay, only the words may change";
        Err(Refusal::Invalid(stay.to_owned()))
    }

    pub(super) fn set_status(&mut self, status: Status) -> Result<Reply, Refusal> {
        use Status::{Archived, Closed, Draft, Open, Paused};
        let from = self.state.status;
        if from == status {
            return Ok(Reply::Unchanged);
        }
        let possible = matches!((from, status), (Draft | Paused | Closed, Open) | (Open, Paused) | (_, Closed))
            || matches!((from, status), (Closed | Draft, Archived));
        if !possible || from == Archived {
            let needed = "draft → open ⇄ paused → closed → archived is the order, and closed may be opened again";
            return Err(Refusal::Status { status: from, needed });
        }
        if status == Open {
            self.check_items()?;
            self.must_be_ahead(self.state.settings.stop)?;
        }
        self.emit(Event::Status { status });
        Ok(Reply::Done)
    }

    /// Whether there is something to ask about.
    fn check_items(&mut self) -> Result<(), Refusal> {
        let found = self.state.enabled().count();
        if found < 2 {
            return Err(Refusal::Invalid(format!(
                "the study has {found} enabled items: it needs at least 2 to be opened"
            )));
        }
        if self.state.settings.own_contents && self.state.table().is_empty() {
            let missing =
                "no two items have contents in one context: give them some, or do not demand that both have one";
            return Err(Refusal::Invalid(missing.to_owned()));
        }
        self.check_gold(&self.state.settings)?;
        self.state.check_features().map_err(Refusal::Invalid)
    }

    /// Whether all that gold pairs name is there.
    fn check_gold(&self, settings: &Settings) -> Result<(), Refusal> {
        let there = |pair| self.state.gold_pair(pair).map(drop);
        settings.gold.pairs.iter().try_for_each(there).map_err(Refusal::Invalid)
    }

    /// Adopts a plan unless a newer one is there, or it is none.
    pub(super) fn adopt(&mut self, plan: &PairPlan) -> Reply {
        let newer = self.state.plan.method.is_none() || plan.basis > self.state.plan.basis;
        let Some(method) = plan.method.filter(|_| newer) else { return Reply::Unchanged };
        let known = self.state.items.len();
        let mut pairs = plan.pairs.clone();
        pairs.retain(|&(i, j, weight)| i < j && usize::from(j) < known && weight > 0);
        pairs.sort_unstable();
        pairs.dedup_by_key(|&mut (i, j, _)| (i, j));
        let mut judge_first = plan.judge_first.clone();
        judge_first.retain(|&(i, j)| i < j && usize::from(j) < known);
        let number = self.state.plan.number + 1;
        let (basis, votes, audits) = (plan.basis, plan.votes, plan.audits.clamp(0.0, 1.0));
        self.emit(Event::Planned { plan: number, basis, votes, method, audits, pairs, judge_first });
        Reply::Done
    }

    /// Notes a look unless another replica has taken it. A verdict may close the study, where all criteria have
    /// theirs, and stays where this look cannot decide.
    pub(super) fn judge(&mut self, look: &Look) -> Reply {
        let before = self.state.judged_by(look.criterion);
        let Some(criterion) = u8::try_from(look.criterion).ok().filter(|_| look.criterion < self.state.criteria())
        else {
            return Reply::Unchanged;
        };
        if look.look != before.map_or(0, |judged| judged.look + 1) {
            return Reply::Unchanged;
        }
        let (votes, level) = (look.votes, look.level);
        if self.state.is_out_of_date(look.criterion, look.basis) {
            return Reply::Unchanged;
        }
        let outlasts = |before: &&state::Judged| before.answers(look.about) && before.outlasts(look.kind);
        let before = before.filter(outlasts);
        let (kind, winners) = before.map_or((look.kind, &look.winners), |before| (before.kind, &before.winners));
        let (winners, about) = (winners.clone(), look.about);
        self.emit(Event::Judged { look: look.look, votes, level, kind, winners, about, criterion });
        let state = &*self.state;
        let settled = state.settings.stop.until().is_some() && (0..state.criteria()).all(|one| state.is_settled(one));
        if settled && matches!(self.state.status, Status::Open | Status::Paused) {
            self.emit(Event::Status { status: Status::Closed });
        }
        Reply::Done
    }
}

/// Whether a key is what it may be.
pub(super) fn check_key(key: &str) -> Result<(), Refusal> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    // In an address, a path that ends with . or .. is another one.
    if key.is_empty() || key.len() > 64 || !key.chars().all(fine) || key == "." || key == ".." {
        return Err(Refusal::Invalid(format!(
            "the key {key:?} is not 1 to 64 of the characters A-Z a-z 0-9 . _ -, or is . or .."
        )));
    }
    Ok(())
}

/// Whether an item's key and features are what they may be.
fn check_item(item: &Item) -> Result<(), Refusal> {
    let key = &item.key;
    check_key(key)?;
    if item.features.len() > MOST_FEATURES || item.features.iter().any(|x| !x.is_finite() || x.abs() > 1e9) {
        let bound = format!("at most {MOST_FEATURES} features, each a number from -1e9 to 1e9");
        return Err(Refusal::Invalid(format!("item {key:?}: {bound}")));
    }
    Ok(())
}
