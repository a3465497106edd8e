//! Which pair a voter is asked next: one draw from the plan, with its exact chance.
//!
//! A(v) are the pairs of enabled items that voter v does not own and has not seen (or, where that is allowed, has seen
//! one way round only). The chance of a pair of A(v) is
//!
//! p = ε/|A(v)| + (1−ε) w(pair)/Σ_{A(v)} w,
//!
//! with ε the share of audits, or 1 where the plan has nothing left for v. Weights are whole numbers and both sums come
//! from v's own short list, so p is exact. A share ρ of rechecks, where v has answered something, goes before: (1−ρ) p;
//! and a share γ of gold pairs, where there are some that v has not seen, before both: (1−γ)(1−ρ) p.
//!
//! Where there are contexts, a pair is in A(v) as long as there is one in which v may see it. Of those, the pair is
//! asked in one in which it was asked least often; of these, in one in which its two items were shown least often; of
//! these, in any of the n that are left alike: p/n.
//!
//! A judge whose answers are hints and have a price is asked about whole pairs instead (`choose/whole.rs`).

mod whole;

use crate::event::Source;
use crate::settings::Repeat;
use crate::state::{Phase, Question, State};
use crate::table::{Pair, Table};
use borduel_rank::sequential::next_context;
use borduel_rank::stream::{Stream, stream};
use std::borrow::Cow;

/// The first step of the path of a question's stream; the second is its number.
const QUESTION: u64 = 1;

/// After so many misses, drawing by rejection gives way to counting out.
const MISSES: usize = 16;

/// A question that could be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The item on the left or on top.
    pub first: u16,
    /// The item on the right or below.
    pub second: u16,
    /// What the two are shown with, where there are contexts.
    pub context: Option<u16>,
    /// The chance with which this pair was drawn, in this context.
    pub p: f64,
    /// Why this pair was chosen.
    pub source: Source,
}

/// Everything that one voter could be asked.
#[derive(Debug)]
pub struct Options<'a> {
    state: &'a State,
    table: &'a Table,
    voter: u32,
    /// The enabled items that are not the voter's own.
    items: Cow<'a, [u16]>,
    /// The pairs that the voter was shown, in order, once for each context.
    seen: Vec<Seen>,
    /// |A(v)|.
    available: u64,
    /// Σ_{A(v)} w.
    mass: u64,
    /// The answered questions that could be asked once more to see how steady the voter is.
    rechecks: Vec<u32>,
    /// The gold pairs that the voter has not seen, and where they are shown.
    gold: Vec<(Pair, Option<u16>)>,
}

/// A pair that a voter was shown, in a context where there are some.
#[derive(Debug)]
struct Seen {
    pair: Pair,
    context: Option<u16>,
    /// The question that was the first about it.
    q: u32,
    /// How often it was shown.
    times: u32,
    /// Which item stood first the first time.
    first: u16,
}

impl<'a> Options<'a> {
    /// The options of this voter.
    pub fn new(state: &'a State, table: &'a Table, voter: u32) -> Self {
        let (owns, asked): (&[u16], &[u32]) =
            state.voters.get(voter as usize).map_or((&[], &[]), |voter| (&voter.owns, &voter.questions));
        let items = match owns {
            [] => Cow::Borrowed(&table.enabled[..]),
            owns => table.enabled.iter().copied().filter(|item| !owns.contains(item)).collect(),
        };
        let mut seen = Vec::with_capacity(asked.len());
        for &q in asked {
            let question = &state.questions[q as usize];
            if question.phase != Phase::Retracted {
                let (pair, context) = (question.pair(), question.context());
                seen.push(Seen { pair, context, q, times: 1, first: question.first });
            }
        }
        // Questions are numbered in the order in which they were asked: the first of a pair comes first, and stands for
        // the others.
        seen.sort_unstable_by_key(|seen| (seen.pair, seen.context, seen.q));
        seen.dedup_by(|other, first| {
            let same = (other.pair, other.context) == (first.pair, first.context);
            first.times += u32::from(same);
            same
        });
        let (rechecks, gold) = (Vec::new(), Vec::new());
        let mut options = Self { state, table, voter, items, seen, available: 0, mass: 0, rechecks, gold };
        let left = state.gold_pairs().map(|(i, j, context)| ((i.min(j), i.max(j)), context));
        let left = left.filter(|((i, j), _)| !owns.contains(i) && !owns.contains(j));
        options.gold = left.filter(|&(pair, context)| options.seen(pair, context).is_none()).collect();
        if state.settings.rechecks > 0.0 {
            options.rechecks = asked.iter().copied().filter(|&q| options.may_recheck(q)).collect();
        }
        options.available = table.among(&options.items).0;
        options.mass = if owns.is_empty() {
            table.ends.last().copied().unwrap_or(0)
        } else {
            (0..table.pairs.len()).filter(|&row| options.mine(table.pairs[row])).map(|row| table.weight_at(row)).sum()
        };
        let seen = options.seen.chunk_by(|one, two| one.pair == two.pair).map(|same| same[0].pair);
        let gone = seen.filter(|&pair| options.mine(pair) && table.places(pair) > 0 && options.exhausted(pair));
        let (gone, weight) = gone.fold((0, 0), |(gone, weight), pair| (gone + 1, weight + table.weight(pair)));
        options.available -= gone;
        options.mass -= weight;
        options
    }

    /// |A(v)|: how many pairs are left.
    pub fn available(&self) -> u64 {
        self.available
    }

    /// The chance with which the next question is about this pair, in whatever context, not counting rechecks of it.
    pub fn chance(&self, i: u16, j: u16) -> f64 {
        let pair = (i.min(j), i.max(j));
        if i == j || !self.allowed(pair) {
            return 0.0;
        }
        let audits = self.audits();
        let planned = if self.mass == 0 { 0.0 } else { self.table.weight(pair) as f64 / self.mass as f64 };
        (1.0 - self.gold_share())
            * (1.0 - self.recheck_share())
            * (audits / self.available as f64 + (1.0 - audits) * planned)
    }

    /// Draws a question; `None` when the voter has seen them all.
    pub fn draw(&self, chance: &mut Stream) -> Option<Choice> {
        if self.available == 0 {
            return None;
        }
        let gold = self.gold_share();
        if gold > 0.0 && chance.uniform() < gold {
            let (pair, context) = self.gold[chance.below(self.gold.len())];
            let (first, second) = self.sides(pair, context, chance);
            let p = gold / self.gold.len() as f64;
            return Some(Choice { first, second, context, p, source: Source::Gold });
        }
        let share = self.recheck_share();
        if share > 0.0 && chance.uniform() < share {
            let question = &self.state.questions[self.rechecks[chance.below(self.rechecks.len())] as usize];
            let p = (1.0 - gold) * share / self.rechecks.len() as f64;
            let (first, second, context) = (question.second, question.first, question.context());
            return Some(Choice { first, second, context, p, source: Source::Recheck });
        }
        let audits = self.audits();
        let (pair, source) = if audits >= 1.0 || chance.uniform() < audits {
            (self.draw_uniform(chance), Source::Audit)
        } else {
            (self.draw_planned(chance), Source::Plan)
        };
        let (context, share) = self.context(pair, chance);
        let (first, second) = self.sides(pair, context, chance);
        Some(Choice { first, second, context, p: self.chance(first, second) * share, source })
    }

    /// Whether this question could be asked once more, now that its answer is taken back.
    pub fn is_possible(&self, question: &Question) -> bool {
        if question.source.is_gold() {
            return self.gold.contains(&(question.pair(), question.context()));
        }
        self.chance(question.first, question.second) > 0.0 && self.is_left(question.pair(), question.context())
    }

    /// Where a pair of A(v) is asked, and the share of its chance that falls on that.
    fn context(&self, pair: Pair, chance: &mut Stream) -> (Option<u16>, f64) {
        if !self.table.has_contexts() {
            return (None, 1.0);
        }
        let asked: Vec<(u16, u32)> = self.state.asked_in(pair).collect();
        let left = self.table.contexts_of(pair).into_iter().filter(|&context| self.is_left(pair, Some(context)));
        let allowed = left.map(|context| {
            let times = asked.binary_search_by_key(&context, |asked| asked.0).map_or(0, |at| asked[at].1);
            let here = &self.state.contexts[usize::from(context)];
            let shown = here.shown_of(pair.0) + here.shown_of(pair.1);
            (u32::from(context), [u64::from(times), u64::from(shown)])
        });
        // A pair of A(v) has such a context, and its number is that of one.
        let (context, share) = next_context(allowed, chance).unzip();
        (context.and_then(|context| u16::try_from(context).ok()), share.unwrap_or(1.0))
    }

    /// ε, or 1 where the plan has nothing for this voter.
    fn audits(&self) -> f64 {
        if self.mass == 0 { 1.0 } else { self.state.plan.audits }
    }

    /// γ, or 0 where the voter has seen all gold pairs.
    fn gold_share(&self) -> f64 {
        if self.gold.is_empty() { 0.0 } else { self.state.settings.gold.share }
    }

    fn recheck_share(&self) -> f64 {
        if self.rechecks.is_empty() { 0.0 } else { self.state.settings.rechecks }
    }

    /// Whether this answered question may be asked again as a recheck: only once, and of enabled items.
    fn may_recheck(&self, q: u32) -> bool {
        let question = &self.state.questions[q as usize];
        let (pair, context) = (question.pair(), question.context());
        let once = self.seen(pair, context).is_some_and(|seen| seen.times == 1);
        let vote = question.phase == Phase::Answered && !question.source.is_gold();
        vote && once && self.mine(pair) && self.table.is_place(pair, context)
    }

    /// Whether both items are enabled and not the voter's own.
    fn mine(&self, (i, j): Pair) -> bool {
        self.items.binary_search(&i).is_ok() && self.items.binary_search(&j).is_ok()
    }

    /// How often a voter may see a pair.
    fn most(&self) -> u32 {
        match self.state.settings.repeat {
            Repeat::Never => 1,
            Repeat::Swapped => 2,
        }
    }

    fn seen(&self, pair: Pair, context: Option<u16>) -> Option<&Seen> {
        let found = self.seen.binary_search_by_key(&(pair, context), |seen| (seen.pair, seen.context));
        found.ok().map(|at| &self.seen[at])
    }

    /// Whether the voter may see this pair in this context, or without one.
    fn is_left(&self, pair: Pair, context: Option<u16>) -> bool {
        self.table.is_place(pair, context) && self.seen(pair, context).is_none_or(|seen| seen.times < self.most())
    }

    /// Whether the voter has seen this pair as often as it may, wherever it can be asked.
    fn exhausted(&self, pair: Pair) -> bool {
        let (places, most) = (self.table.places(pair), self.most());
        let from = self.seen.partition_point(|seen| seen.pair < pair);
        let same = self.seen[from..].iter().take_while(|seen| seen.pair == pair);
        same.filter(|seen| seen.times >= most && self.table.is_place(pair, seen.context)).count() >= places
    }

    fn allowed(&self, pair: Pair) -> bool {
        self.mine(pair) && !self.exhausted(pair)
    }

    /// A uniform pair of A(v), which is not empty.
    fn draw_uniform(&self, chance: &mut Stream) -> Pair {
        let n = self.items.len();
        for _ in 0..MISSES {
            let (i, mut j) = (chance.below(n), chance.below(n - 1));
            j += usize::from(j >= i);
            let pair = (self.items[i.min(j)], self.items[i.max(j)]);
            if !self.exhausted(pair) {
                return pair;
            }
        }
        let pairs =
            self.items.iter().enumerate().flat_map(|(at, &i)| self.items[at + 1..].iter().map(move |&j| (i, j)));
        let mut left = pairs.filter(|&pair| !self.exhausted(pair));
        let at = chance.below(self.available as usize);
        // `available` counts exactly these pairs; the fallback is the pair that stands for an empty A(v), never drawn.
        left.nth(at).unwrap_or((self.items[0], self.items[n - 1]))
    }

    /// A pair of A(v) by the plan's weights, of which there are some.
    fn draw_planned(&self, chance: &mut Stream) -> Pair {
        let table = self.table;
        let all = table.ends.last().copied().unwrap_or(0);
        for _ in 0..MISSES {
            let at = chance.below(all as usize) as u64;
            let pair = table.pairs[table.ends.partition_point(|&end| end <= at)];
            if self.allowed(pair) {
                return pair;
            }
        }
        let mut at = chance.below(self.mass as usize) as u64;
        for (row, &pair) in table.pairs.iter().enumerate().filter(|&(_, &pair)| self.allowed(pair)) {
            match at.checked_sub(table.weight_at(row)) {
                Some(rest) => at = rest,
                None => return pair,
            }
        }
        // `mass` is exactly the sum of these weights, so the loop has returned.
        self.draw_uniform(chance)
    }

    /// Who stands first: the other one where the voter has seen the pair here; else whoever did so less often in this
    /// pair, then before this voter, then at all; then a coin decides.
    fn sides(&self, (i, j): Pair, context: Option<u16>, chance: &mut Stream) -> Pair {
        if let Some(seen) = self.seen((i, j), context) {
            return if seen.first == i { (j, i) } else { (i, j) };
        }
        // How often i stood first before this voter and how often second, less the same of j.
        let own = || {
            let lead = |first: u16| i64::from(first == i) - i64::from(first == j);
            let asked = self.state.voters[self.voter as usize].questions.iter();
            let questions = asked.map(|&q| &self.state.questions[q as usize]);
            questions.map(|question| lead(question.first) - lead(question.second)).sum::<i64>()
        };
        let all = |item: u16| {
            let item = &self.state.items[usize::from(item)];
            i64::from(item.first) - i64::from(item.second)
        };
        let pair = i64::from(self.state.sides.get((i, j)).copied().unwrap_or(0));
        let or = |lead: i64, next: &dyn Fn() -> i64| if lead == 0 { next() } else { lead };
        match or(or(pair, &own), &|| all(i) - all(j)) {
            ..0 => (i, j),
            0 if chance.below(2) == 0 => (i, j),
            0.. => (j, i),
        }
    }
}

/// Draws the next question of this voter; `None` when it has seen them all. The stream is that of the question's
/// number, so the same state always asks the same.
pub fn choose(state: &mut State, voter: u32) -> Option<Choice> {
    let table = state.table();
    if state.asks_whole_pairs_of(voter) {
        return whole::next(state, &table);
    }
    let mut chance = stream(state.seed, &[QUESTION, state.questions.len() as u64]);
    Options::new(state, &table, voter).draw(&mut chance)
}
