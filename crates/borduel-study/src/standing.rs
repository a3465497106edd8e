//! How a study stands: its counted votes as ballots, their ranking, looks that may be taken at any time, and the
//! voters' habits.

use crate::command::Look;
use crate::error::Result;
use crate::event::{Kind, Scope};
use crate::settings::{Model as Choice, Settings};
use crate::state::{GoldRecord, Phase, State, Voter};
use crate::table::Table;
use borduel_rank::ballots::{Ballot, Ballots, BothBad, Ties};
use borduel_rank::judging::{Control, JudgeAnswers, Prices, Worth, opinion, rank_controlled, worth};
use borduel_rank::ranking::{Model, RankOptions, Ranking, rank};
use borduel_rank::sequential::{AboutContexts, Judgement, MOST_ITEMS, Options, Reading, Votes, pairs_first};
use borduel_rank::{About, Duel, Features};
use std::collections::HashMap;
use std::sync::Arc;

/// The counted votes of a study on its enabled items.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The votes; an item's index is its place in `items`.
    pub ballots: Ballots,
    /// The numbers of the enabled items.
    pub items: Vec<u16>,
    /// The same votes with their contexts, for verdicts and rankings, and in how many contexts each item can be shown.
    in_contexts: Option<(Ballots, Vec<usize>)>,
    /// What judges whose answers are hints said to the same questions, where they answered a pair in all contexts.
    same_questions: Option<JudgeAnswers>,
    /// Where pairs can be asked.
    table: Arc<Table>,
    /// What the scores are to come from.
    pub model: Model,
    /// What the verdict at any time is made with; none where the votes alone are to speak, or of too many items.
    pub features: Option<Features>,
    /// How many votes count.
    pub votes: u64,
    /// How many events this rests on.
    pub head: u64,
    /// The second of the last of them, counted from the study's creation.
    pub second: u32,
    /// How many contexts pairs are asked in; 1 where there are none.
    pub places: usize,
    /// Questions whose answers are still to come.
    pub open: Vec<Duel>,
    /// Where random numbers come from.
    pub seed: u64,
    /// What judges answered whose answers are hints, in contexts.
    judges: Option<Ballots>,
    /// The items' features with what each of these judges thinks of them.
    hinted: Option<Features>,
}

impl Evidence {
    /// What is known.
    ///
    /// # Errors
    /// Features that make no model.
    pub fn of(state: &State) -> Result<Self> {
        Self::of_those(state, |_| true)
    }

    /// What is known by the votes of some of the voters, for a ranking of their own.
    ///
    /// # Errors
    /// Features that make no model.
    pub fn of_those(state: &State, among: impl Fn(&Voter) -> bool) -> Result<Self> {
        let items: Vec<u16> = state.enabled().collect();
        let (mut ballots, places) = no_votes(state, &items);
        let mut batch = Vec::with_capacity(512);
        let counted = state.voters.iter().enumerate().filter(|(_, voter)| !voter.excluded && among(voter));
        for (number, voter) in counted {
            let known = !matches!(voter.kind, Kind::Unknown) && !voter.questions.is_empty();
            let name = known.then(|| ballots.voter(&number.to_string()));
            for &q in &voter.questions {
                batch.extend(ballot(state, &places, q, name));
            }
            if batch.len() >= 512 {
                add(&mut ballots, &mut batch)?;
            }
        }
        add(&mut ballots, &mut batch)?;
        let model = model(state, &items)?;
        let (judges, hinted) = hints(state, &items, &model)?;
        let same_questions = judges.as_ref().and_then(|judges| same_questions(state, &items, &ballots, judges));
        let features = match &model {
            Model::Features(features) if items.len() <= MOST_ITEMS => Some(features.clone()),
            Model::OneHot if (2..=MOST_ITEMS).contains(&items.len()) => Some(Features::one_hot(items.len())?),
            _ => None,
        };
        let open = state.open.iter().map(|&q| &state.questions[q as usize]);
        let hint = |voter: u32| state.voters[voter as usize].kind == Kind::Hint;
        let open = open.filter(|question| !question.source.is_gold() && !hint(question.voter));
        let open = open.map(|question| [question.first, question.second].map(|item| places.items[usize::from(item)]));
        let open = open.filter(|pair| !pair.contains(&u32::MAX)).map(|[i, j]| Duel(i as usize, j as usize)).collect();
        let (votes, head, second, seed) = (state.votes, state.head, state.second(), state.seed);
        let (mut ballots, everywhere) = (ballots.finish(), state.enabled_contexts().count().max(1));
        let mut in_contexts = None;
        if ballots.contexts() > 0 {
            let plain = ballots.without_contexts().finish();
            let offered = items.iter().map(|&item| shown_in(state, item)).collect();
            in_contexts = Some((std::mem::replace(&mut ballots, plain), offered));
        }
        let table = state.present_table();
        let places = everywhere;
        Ok(Self {
            ballots,
            items,
            in_contexts,
            same_questions,
            table,
            model,
            features,
            votes,
            head,
            second,
            places,
            open,
            seed,
            judges,
            hinted,
        })
    }

    /// The votes as the model of the verdict at any time reads them; nothing where it has no [`Evidence::features`].
    ///
    /// # Errors
    /// Settings that make no sense for these items.
    pub fn read(&self, settings: &Settings) -> Result<Option<Reading<'_>>> {
        let &Settings { level, margin, goal, stop, about, trust, .. } = settings;
        let (goal, until) = (goal.of(self.items.len()), stop.until().unwrap_or_default());
        let options = Options::default()
            .with_level(level)
            .with_margin(margin)
            .with_goal(goal)
            .with_until(until)
            .with_about(about)
            .with_trust(trust);
        let read = |features| match &self.in_contexts {
            Some((ballots, offered)) => {
                Reading::with_contexts(features, ballots, offered, self.same_questions.as_ref(), &options)
            }
            None => Reading::new(features, &self.ballots, &options),
        };
        Ok(self.hinted.as_ref().or(self.features.as_ref()).map(read).transpose()?)
    }

    /// What can be said at any time, however often somebody looks; nothing where [`Evidence::read`] has nothing.
    ///
    /// # Errors
    /// Settings that make no sense for these items.
    pub fn judge(&self, settings: &Settings) -> Result<Option<Judgement>> {
        Ok(self.read(settings)?.map(|reading| reading.judgement()))
    }

    /// Whether two items, by their places, can be asked about somewhere.
    pub fn can_be_asked(&self, i: usize, j: usize) -> bool {
        let (one, two) = (self.items[i], self.items[j]);
        self.table.places((one.min(two), one.max(two))) > 0
    }

    /// The pairs of items, the lower number first, that a judge whose answers are hints is asked about first, in every
    /// context: where its answers cost less than the votes that they save, with what is planned; those with the most
    /// votes first.
    pub fn pairs_for_judge(&self, settings: &Settings, planned: &[(u16, u16, u32)]) -> Vec<(u16, u16)> {
        let prices = Prices::new(1.0, settings.judge_price);
        let (Ok(prices), true) = (prices, settings.asks_whole_pairs(self.places)) else { return Vec::new() };
        let (ballots, answered) = (self.votes_in_contexts(), self.same_questions.as_ref());
        let names = ballots.context_names();
        let number = |context: u32| {
            let of_judge = answered?.contexts().iter().position(|own| *own == names[context as usize]);
            of_judge.map(|at| at as u32)
        };
        let votes = Votes::of(ballots).renumbered(number);
        let place = |item: u16| self.items.binary_search(&item).ok();
        let planned = planned.iter().flat_map(|&(i, j, weight)| {
            let duel = place(i).zip(place(j)).map(|(i, j)| Duel(i, j));
            duel.into_iter().flat_map(move |duel| std::iter::repeat_n(duel, weight as usize))
        });
        let pairs = pairs_first(prices, self.places, &votes, self.open.iter().copied().chain(planned), answered);
        let pairs = pairs.into_iter().map(|(i, j)| (self.items[i], self.items[j]));
        pairs.filter(|&pair| self.table.places(pair) == self.places).collect()
    }

    /// Whether every item can have been met: before, nothing is known that a plan could rest on.
    pub fn can_be_planned_on(&self) -> bool {
        self.ballots.used() >= self.items.len() as f64
    }

    /// The votes with their contexts, where they have any.
    pub fn votes_in_contexts(&self) -> &Ballots {
        self.in_contexts.as_ref().map_or(&self.ballots, |(ballots, _)| ballots)
    }

    /// What the judges whose answers are hints are worth beside the votes, all of them together; nothing where there
    /// are too few of either to tell.
    pub fn worth_of_judges(&self, level: f64) -> Option<Worth> {
        worth(self.votes_in_contexts(), self.judges.as_ref()?, level, None).ok()
    }

    /// Drops who voted what, which is most of what many votes take.
    pub fn forget_voters(&mut self) {
        self.ballots.forget_voters();
        if let Some((ballots, _)) = &mut self.in_contexts {
            ballots.forget_voters();
        }
    }

    /// The ranking at this moment, with intervals at the given level: right for somebody who looks once. With how it
    /// was made: about what the settings say, or about these contexts as long as such need more of them. About these,
    /// judges' answers to the same questions make it more precise, and decide nothing.
    ///
    /// # Errors
    /// Too few votes to rank anything.
    pub fn rank(&self, settings: &Settings, level: f64) -> Result<(Ranking, RankOptions, Option<Control>)> {
        let asked = RankOptions::default().with_level(level).with_margin(settings.margin).with_about(settings.about);
        let ranked = |options: RankOptions| {
            let votes = self.votes_in_contexts();
            let (ranking, control) = match &self.judges {
                Some(judges) => rank_controlled(votes, judges, &self.model, &options)?,
                None => (rank(votes, &self.model, &options)?, None),
            };
            Ok::<_, borduel_rank::Error>((ranking, options, control))
        };
        Ok(match ranked(asked.clone()) {
            Err(_) if asked.about == Some(About::Such) => ranked(asked.with_about(None))?,
            other => other?,
        })
    }
}

/// Where items and contexts stand in a box of ballots, by their numbers.
struct Places {
    items: Vec<u32>,
    contexts: Vec<u32>,
}

/// An empty box for votes on these items.
fn no_votes(state: &State, items: &[u16]) -> (Ballots, Places) {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    let mut place = vec![u32::MAX; state.items.len()];
    for &item in items {
        place[usize::from(item)] = ballots.item(&state.items[usize::from(item)].key);
    }
    ballots.call_contexts(state.settings.contexts_are());
    let contexts = state.contexts.iter().map(|context| ballots.context(&context.key)).collect();
    (ballots, Places { items: place, contexts })
}

/// The answer to a question, where it is one about the items of the box.
fn ballot(state: &State, places: &Places, q: u32, voter: Option<u32>) -> Option<Ballot> {
    let question = &state.questions[q as usize];
    let [left, right] = [question.first, question.second].map(|item| places.items[usize::from(item)]);
    let hidden = |context: u16| !state.contexts[usize::from(context)].enabled;
    let answered = question.phase == Phase::Answered && !question.source.is_gold();
    let there = answered && !question.context().is_some_and(hidden) && left != u32::MAX && right != u32::MAX;
    let context = question.context().map(|context| places.contexts[usize::from(context)]);
    there.then(|| Ballot::new(left, right, question.answer().into()).with_voter(voter).with_context(context))
}

/// What judges answered whose answers are hints, all together; and the items' features with what each of them thinks,
/// one number an item, in the middle where it says nothing. None where scores come from the votes alone.
fn hints(state: &State, items: &[u16], model: &Model) -> Result<(Option<Ballots>, Option<Features>)> {
    let (mut all, places) = no_votes(state, items);
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for judge in state.hinting() {
        let mut own = no_votes(state, items).0;
        let mut batch: Vec<Ballot> = judge.questions.iter().filter_map(|&q| ballot(state, &places, q, None)).collect();
        all.add_all(&batch).map_err(|refusal| crate::Error::Invalid(refusal.to_string()))?;
        add(&mut own, &mut batch)?;
        // Who has said too little to rank anything thinks nothing yet.
        let Ok(said) = opinion(&own.finish().without_contexts().finish()) else { continue };
        let said: HashMap<String, f64> = said.into_iter().collect();
        let mean = said.values().sum::<f64>() / said.len() as f64;
        let of = |item: &u16| said.get(&state.items[usize::from(*item)].key).copied().unwrap_or(mean);
        let column: Vec<f64> = items.iter().map(of).collect();
        if column.iter().any(|&score| score != column[0]) {
            columns.push(column);
        }
    }
    let judges = (all.totals().total() > 0.0).then(|| all.finish());
    let alone = matches!(model, Model::Counts) || columns.is_empty() || items.len() > MOST_ITEMS;
    if alone {
        return Ok((judges, None));
    }
    let own = |item: u16| match model {
        Model::Features(_) => &state.items[usize::from(item)].features[..],
        Model::OneHot | Model::Counts => &[],
    };
    let row = |(at, &item): (usize, &u16)| own(item).iter().copied().chain(columns.iter().map(move |c| c[at]));
    let vectors: Vec<f64> = items.iter().enumerate().flat_map(row).collect();
    let features = Features::standardised(items.len(), vectors.len() / items.len(), &vectors)?;
    Ok((judges, Some(features)))
}

/// What judges answered to the questions about the items of a box, in all contexts that are asked about; items that
/// cannot be shown in all of them are left as they are.
fn same_questions(state: &State, items: &[u16], ballots: &Ballots, judges: &Ballots) -> Option<JudgeAnswers> {
    let asked: Vec<String> = state.enabled_contexts().map(|at| state.contexts[usize::from(at)].key.clone()).collect();
    let everywhere = |at: &u32| items.get(*at as usize).is_some_and(|&item| shown_in(state, item) == asked.len());
    JudgeAnswers::of([judges], &|name| ballots.find_item(name).filter(everywhere), &asked)
}

/// In how many contexts an item can be shown: in all, or in those where it has something of its own if that is
/// demanded.
fn shown_in(state: &State, item: u16) -> usize {
    let enabled = state.contexts.iter().filter(|context| context.enabled);
    enabled.filter(|context| !state.settings.own_contents || context.content_of(item).is_some()).count()
}

fn add(ballots: &mut Ballots, batch: &mut Vec<Ballot>) -> Result<()> {
    let added = ballots.add_all(batch);
    batch.clear();
    added.map_err(|refusal| crate::Error::Invalid(refusal.to_string()))
}

fn model(state: &State, items: &[u16]) -> Result<Model> {
    Ok(match state.settings.model {
        Choice::OneHot => Model::OneHot,
        Choice::Counts => Model::Counts,
        Choice::Features => {
            state.check_features().map_err(crate::Error::Invalid)?;
            let of = |item: &u16| state.items[usize::from(*item)].features.clone();
            let d = items.first().map_or(0, |item| of(item).len());
            let vectors: Vec<f64> = items.iter().flat_map(of).collect();
            Model::Features(Features::differences_scaled(items.len(), d, &vectors)?)
        }
    })
}

/// Whether looks are those of [`Evidence::judge`], which hold at any time by themselves; otherwise each pays for all
/// others.
pub fn holds_at_any_time(state: &State) -> bool {
    state.settings.model != Choice::Counts && state.enabled().count() <= MOST_ITEMS
}

/// The counted votes at which the next look is taken. Looks that hold at any time: at 20, and as many as there are
/// items, then when votes have grown by 1/32, at least 4. Looks that pay for each other: at 50, then at every tenth
/// more. When the evidence of a look has changed, the next one is taken as if it were the first.
pub fn next_look(state: &State) -> u64 {
    next_look_by(state, 0)
}

fn next_look_by(state: &State, criterion: usize) -> u64 {
    match (state.judged_by(criterion).filter(|judged| !judged.void), holds_at_any_time(state)) {
        (None, true) => (state.enabled().count() as u64).max(20),
        (None, false) => 50,
        (Some(judged), true) => judged.votes + (judged.votes / 32).max(4),
        (Some(judged), false) => (judged.votes * 11).div_ceil(10).max(judged.votes + 1),
    }
}

/// The number of the look that is due: because there are enough votes, or because what the last one rests on has
/// changed.
pub fn look_due(state: &State) -> Option<u32> {
    look_due_by(state, 0)
}

fn look_due_by(state: &State, criterion: usize) -> Option<u32> {
    let due = state.votes_by(criterion) >= next_look_by(state, criterion);
    due.then(|| state.judged_by(criterion).map_or(0, |judged| judged.look + 1))
}

/// The criteria by which a look is due, with its number.
pub fn looks_due(state: &State) -> Vec<(usize, u32)> {
    (0..state.criteria()).filter_map(|one| Some((one, look_due_by(state, one)?))).collect()
}

/// The level of look j where looks pay for each other: 1 − α/((j+1)(j+2)). These errors add up to α over all looks, so
/// that whoever stops at a verdict is wrong with a chance of at most α, as far as the normal approximation carries; the
/// times of looks may depend on anything.
pub fn look_level(level: f64, look: u32) -> f64 {
    let j = f64::from(look);
    1.0 - (1.0 - level) / ((j + 1.0) * (j + 2.0))
}

/// Takes a look, at what [`Evidence::read`] has read: by the one question, or that of [`State::by`].
///
/// # Errors
/// Too few votes to say anything.
pub fn look(evidence: &Evidence, reading: Option<&Reading<'_>>, number: u32, settings: &Settings) -> Result<Look> {
    let (level, kind, winners, about) = if let Some(judgement) = reading.map(Reading::judgement) {
        let scope = |contexts: AboutContexts| Scope { about: contexts.about, seen: contexts.seen as u32 };
        (settings.level, judgement.kind, judgement.winners, judgement.contexts.map(scope))
    } else {
        let level = look_level(settings.level, number);
        let (Ranking { verdict, contexts, .. }, ..) = evidence.rank(settings, level)?;
        let about = contexts.map(|over| Scope { about: over.about, seen: over.seen as u32 });
        (level, verdict.kind, verdict.winners, about)
    };
    let winners = winners.iter().map(|&at| evidence.items[at]).collect();
    let (basis, votes) = ((evidence.head, evidence.second), evidence.votes);
    Ok(Look { criterion: 0, look: number, basis, votes, level, kind, winners, about })
}

/// How a voter votes.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The voter's number in the study.
    pub voter: u32,
    /// Answers that say something and are not taken back.
    pub votes: u32,
    /// The share of them that agree with the majority of all others on the same pair (in the same context), where
    /// there is one.
    pub agreement: Option<f64>,
    /// The median time until an answer, in milliseconds, where clients measured it.
    pub median_ms: Option<u32>,
    /// The share of decisions for the side shown first.
    pub first_share: Option<f64>,
    /// The longest run of decisions for the same side.
    pub longest_run: u32,
    /// Of the pairs that came again with sides swapped, how many were decided the same way.
    pub rechecks: (u32, u32),
    /// How it did on pairs with a known answer, which are not among its votes.
    pub gold: GoldRecord,
}

/// How all voters with votes vote, by number.
pub fn quality(state: &State) -> Vec<Quality> {
    // For each pair i < j, in each context: how often i was preferred, less how often j was.
    let mut lead: HashMap<((u16, u16), Option<u16>), i64> = HashMap::new();
    let about = |question: &crate::state::Question| (question.pair(), question.context());
    let said = |q: u32| {
        let question = &state.questions[q as usize];
        let decided = match question.answer() {
            crate::Answer::First => 1,
            crate::Answer::Second => -1,
            _ => 0,
        };
        let vote = question.phase == Phase::Answered && !question.source.is_gold();
        (vote && question.answer().says_something()).then_some((question, decided))
    };
    let lower = |question: &crate::state::Question, decided: i64| {
        if question.first < question.second { decided } else { -decided }
    };
    for (question, decided) in (0..state.questions.len() as u32).filter_map(said).filter(|(q, _)| state.counts(q)) {
        *lead.entry(about(question)).or_default() += lower(question, decided);
    }
    let known = state.gold_answers();
    let one = |(number, voter): (u32, &crate::state::Voter)| {
        let votes: Vec<_> = voter.questions.iter().filter_map(|&q| said(q)).collect();
        let decided: Vec<i64> = votes.iter().map(|vote| vote.1).filter(|&side| side != 0).collect();
        let (mut agree, mut compared, mut same, mut twice) = (0, 0, 0, 0);
        let mut earlier = HashMap::new();
        for &(question, side) in &votes {
            let mine = lower(question, side);
            let own = if state.counts(question) { mine } else { 0 };
            let others = lead.get(&about(question)).map_or(0, |lead| lead - own).signum();
            compared += u32::from(others != 0 && mine != 0);
            agree += u32::from(others != 0 && mine == others);
            if let Some(before) = earlier.insert(about(question), mine) {
                twice += 1;
                same += u32::from(before == mine);
            }
        }
        let mut times: Vec<u16> = votes.iter().map(|vote| vote.0.hundredths).filter(|&time| time > 0).collect();
        times.sort_unstable();
        let share = |part: u32, of: u32| (of > 0).then(|| f64::from(part) / f64::from(of));
        let firsts = decided.iter().filter(|&&side| side > 0).count() as u32;
        let runs = decided.chunk_by(|a, b| a == b).map(<[i64]>::len);
        Quality {
            voter: number,
            votes: votes.len() as u32,
            agreement: share(agree, compared),
            median_ms: times.get(times.len() / 2).map(|&time| u32::from(time) * 10),
            first_share: share(firsts, decided.len() as u32),
            longest_run: runs.max().unwrap_or(0) as u32,
            rechecks: (same, twice),
            gold: state.gold_record(voter, &known),
        }
    };
    (0_u32..).zip(&state.voters).map(one).filter(|quality| quality.votes > 0 || quality.gold.answered > 0).collect()
}
