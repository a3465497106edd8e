//! The ways of asking and stopping that are compared.

use super::{End, Family, LEVEL, MARGIN, MOST, PRICE, World};
use borduel::design::g_optimal;
use borduel::environment::Environment;
use borduel::environment::fixed::Fixed;
use borduel::environment::tournament::Tournament;
use borduel::policy::{active_ranking, find_winner};
use borduel::sequential::{Options, Trust, Votes, judge};
use borduel::{AnyPolicy, Duel, Outcome, Policy, PolicyConfig, Stream, stream};

/// A way to find the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `find-winner`.
    Find,
    /// `find-winner` with `trust = "typical"`.
    Typical,
    /// `find-winner` with `trust = "model"`.
    Trusting,
    /// `find-winner` with `trust = "nothing"`: it holds under every rule of asking.
    Nothing,
    /// Random pairs, with the same stop.
    Random,
    /// Pairs drawn from the G-optimal design of the features, with the same stop.
    Designed,
    /// Random pairs, a plain 95 % interval of leader against runner-up, looked at again and again.
    Peeking,
    /// Random opponents; items whose confidence sequence is below the leader's are asked no more.
    Elimination,
    /// `find-winner`, about the contexts that there are.
    These,
    /// `find-winner`, which is not told the contexts.
    Ignoring,
    /// The policy `active-ranking`, until one item is left: it knows no margin.
    Active,
}

pub(super) const WAYS: [Way; 11] = [
    Way::Find,
    Way::Typical,
    Way::Trusting,
    Way::Random,
    Way::Designed,
    Way::Peeking,
    Way::Elimination,
    Way::Active,
    Way::These,
    Way::Ignoring,
    Way::Nothing,
];

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Find => "find-winner",
            Self::Typical => "find-winner, trust = typical",
            Self::Trusting => "find-winner, trust = model",
            Self::Nothing => "find-winner, trust = nothing",
            Self::Random => "random pairs, same stop",
            Self::Designed => "G-optimal design, same stop",
            Self::Peeking => "random pairs, peeking",
            Self::Elimination => "Borda elimination",
            Self::Active => "active-ranking, no margin",
            Self::These => "find-winner, about these",
            Self::Ignoring => "find-winner, contexts ignored",
        }
    }

    /// Fitting a model to random pairs again and again takes hours beyond 60 items; with one parameter per item the
    /// G-optimal design is that of random pairs.
    pub(super) fn fits(self, world: &World) -> bool {
        let slip = matches!(world.family, Family::Drawn(Tournament::Slip { .. }));
        let features = matches!(world.family, Family::Drawn(Tournament::Features { .. }));
        let hidden = matches!(world.family, Family::Drawn(Tournament::Hidden { .. }));
        let in_contexts = matches!(world.family, Family::InContexts(_));
        match self {
            _ if world.name.starts_with(PRICE) => matches!(self, Self::Find | Self::Nothing | Self::Random),
            Self::These | Self::Ignoring => in_contexts,
            Self::Find if in_contexts => true,
            _ if in_contexts => false,
            // Whom features hide is a question to those who believe them.
            Self::Find | Self::Trusting => true,
            Self::Typical => features || hidden,
            // What it costs more with more items is the same wherever they come from.
            Self::Nothing => world.items <= 12 && !hidden,
            _ if hidden => false,
            Self::Random => world.items <= 60 && !slip,
            Self::Designed => features,
            _ => true,
        }
    }
}

/// Plays one world to the verdict or to the end of its votes.
pub(super) fn play(way: Way, world: &Fixed, seed: u64, path: &[u64]) -> End {
    let with = |last: u64| stream(seed, &[path, &[last]].concat());
    let (mut answers, mut own) = (with(1), with(2));
    let (votes, named) = match way {
        Way::Find | Way::Typical | Way::Trusting | Way::Nothing | Way::These | Way::Ignoring => {
            find(way, world, &mut answers, own)
        }
        Way::Random => until_judged(world, &mut answers, |k| pair(k, &mut own)),
        Way::Designed => designed(world, &mut answers, &mut own),
        Way::Peeking => peek(world, &mut answers, &mut own),
        Way::Elimination => eliminate(world, &mut answers, &mut own),
        Way::Active => active(world, &mut answers, own),
    };
    // The environment counts an item against itself as a tie; chances against others are further apart.
    let k = world.problem().items() as f64;
    let scores = world.borda().scores();
    let best = scores.iter().copied().fold(0.0, f64::max);
    let behind = |item: usize| (best - scores[item]) * k / (k - 1.0);
    End { votes, decided: named.is_some(), wrong: named.is_some_and(|item| behind(item) > MARGIN) }
}

fn wins(world: &Fixed, duel: Duel, answers: &mut Stream) -> bool {
    answers.uniform() < world.probability(1, duel)
}

fn pair(k: usize, own: &mut Stream) -> Duel {
    let i = own.below(k);
    Duel(i, (i + 1 + own.below(k - 1)) % k)
}

fn find(way: Way, world: &Fixed, answers: &mut Stream, own: Stream) -> (f64, Option<usize>) {
    let mut config = find_winner::Config::default();
    config.level = LEVEL;
    config.margin = MARGIN;
    config.trust = match way {
        Way::Trusting => Trust::Model,
        Way::Typical => Trust::Typical,
        Way::Nothing => Trust::Nothing,
        _ => Trust::Checked,
    };
    let built = PolicyConfig::FindWinner(config).build(world.problem(), own);
    let Ok(AnyPolicy::FindWinner(mut policy)) = built else { return (0.0, None) };
    while !policy.decided() && policy.votes().count() < MOST {
        let proposal = policy.ask(world.problem());
        let outcome = Outcome::from_win(wins(world, proposal.duel, answers));
        policy.tell(world.problem(), &proposal, outcome);
    }
    let named = policy.decided().then(|| policy.estimate(world.problem()));
    (policy.votes().count(), named)
}

fn active(world: &Fixed, answers: &mut Stream, own: Stream) -> (f64, Option<usize>) {
    let mut config = active_ranking::Config::default();
    config.delta = Some(1.0 - LEVEL);
    let Ok(mut policy) = PolicyConfig::ActiveRanking(config).build(world.problem(), own) else { return (0.0, None) };
    let mut votes = 0.0;
    while votes < MOST {
        let proposal = policy.ask(world.problem());
        // It eliminates when it is asked.
        if policy.committed().is_some() {
            return (votes, Some(policy.estimate(world.problem())));
        }
        let outcome = Outcome::from_win(wins(world, proposal.duel, answers));
        policy.tell(world.problem(), &proposal, outcome);
        votes += 1.0;
    }
    (MOST, None)
}

/// Whether it is time to look: the votes have grown by one in sixteen.
fn due(votes: f64, next: &mut f64) -> bool {
    let due = votes >= *next;
    if due {
        *next = (votes * 17.0 / 16.0).max(votes + 8.0);
    }
    due
}

/// Pairs in proportion to the weights of the design; of those that share a vector, any.
fn designed(world: &Fixed, answers: &mut Stream, own: &mut Stream) -> (f64, Option<usize>) {
    let features = world.problem().features();
    let Ok(design) = g_optimal(features, 0.01) else { return (0.0, None) };
    let pairs = features.pairs_of(&design.support);
    let mut sums: Vec<f64> = Vec::with_capacity(design.weights.len());
    for weight in &design.weights {
        sums.push(sums.last().copied().unwrap_or(0.0) + weight);
    }
    let total = sums.last().copied().unwrap_or(0.0);
    until_judged(world, answers, |_| {
        let drawn = own.uniform() * total;
        let at = sums.partition_point(|sum| *sum < drawn).min(sums.len() - 1);
        pairs[at][own.below(pairs[at].len())]
    })
}

/// Asks pairs that do not depend on the answers, until the verdict at any time is reached.
fn until_judged(world: &Fixed, answers: &mut Stream, mut next_pair: impl FnMut(usize) -> Duel) -> (f64, Option<usize>) {
    let features = world.problem().features();
    let options = Options::default().with_level(LEVEL).with_margin(MARGIN);
    let mut votes = Votes::new(features.items());
    let mut next = features.items() as f64;
    while votes.count() < MOST {
        let duel = next_pair(features.items());
        votes.add(duel, f64::from(u8::from(wins(world, duel, answers))));
        if due(votes.count(), &mut next)
            && let Ok(judgement) = judge(features, &votes, &options)
            && judgement.decided
        {
            return (votes.count(), Some(judgement.items[0].item));
        }
    }
    (MOST, None)
}

/// Wins and votes of every item.
struct Tallies(Vec<(f64, f64)>);

impl Tallies {
    fn mean(&self, item: usize) -> f64 {
        let (wins, n) = self.0[item];
        if n > 0.0 { wins / n } else { 0.5 }
    }

    fn add(&mut self, item: usize, won: bool) {
        self.0[item].0 += f64::from(u8::from(won));
        self.0[item].1 += 1.0;
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.0.len()).collect();
        order.sort_by(|&a, &b| self.mean(b).total_cmp(&self.mean(a)).then(a.cmp(&b)));
        order
    }
}

fn peek(world: &Fixed, answers: &mut Stream, own: &mut Stream) -> (f64, Option<usize>) {
    let k = world.problem().items();
    let mut counts = Tallies(vec![(0.0, 0.0); k]);
    let (mut votes, mut next) = (0.0, 5.0 * k as f64);
    while votes < MOST {
        let Duel(i, j) = pair(k, own);
        let won = wins(world, Duel(i, j), answers);
        counts.add(i, won);
        counts.add(j, !won);
        votes += 1.0;
        if due(votes, &mut next) {
            let order = counts.order();
            let variance = |item: usize| counts.mean(item) * (1.0 - counts.mean(item)) / counts.0[item].1.max(1.0);
            let gap = counts.mean(order[0]) - counts.mean(order[1]);
            if gap > 1.96 * (variance(order[0]) + variance(order[1])).sqrt() {
                return (votes, Some(order[0]));
            }
        }
    }
    (MOST, None)
}

fn eliminate(world: &Fixed, answers: &mut Stream, own: &mut Stream) -> (f64, Option<usize>) {
    let k = world.problem().items();
    let mut counts = Tallies(vec![(0.0, 0.0); k]);
    let mut alive: Vec<usize> = (0..k).collect();
    // A coin's scatter is at most ¼; a normal mixture of scale 0.1 over all times, δ shared by the items.
    let radius = |n: f64| {
        let information = 0.04 * n;
        (0.25 / n * (1.0 + 1.0 / information) * (information.ln_1p() + 2.0 * (k as f64 / (1.0 - LEVEL)).ln())).sqrt()
    };
    let mut votes = 0.0;
    while votes < MOST {
        for &item in &alive {
            let other = (item + 1 + own.below(k - 1)) % k;
            counts.add(item, wins(world, Duel(item, other), answers));
            votes += 1.0;
        }
        // All who are still asked have been asked equally often.
        let wide = radius(counts.0[alive[0]].1);
        let best = counts.order().into_iter().find(|item| alive.contains(item)).unwrap_or(alive[0]);
        let highest = counts.mean(best);
        alive.retain(|&item| item == best || counts.mean(item) + wide > highest - wide);
        let sure = |item: &usize| *item == best || counts.mean(*item) + wide - (highest - wide) <= MARGIN;
        if alive.iter().all(sure) {
            return (votes, Some(best));
        }
    }
    (MOST, None)
}
