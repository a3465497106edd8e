//! The audit of somebody else's leaderboard: what may be wrong with it, probe by probe, from the votes behind it.
//!
//! Most boards take votes as independent, count every voter's and every prompt's alike, and publish an order without
//! saying which part of it the votes carry. So the same votes are ranked twice: as such a board does it (`naive`), and
//! with the habits of voters and contexts allowed for. A probe is either a *count*, in which there is no chance, or a
//! *test*, whose chance of a false alarm on a board without that defect is at most [`FALSE_ALARM`]. `tests/audit.rs`
//! holds them to that on clean boards, and plants a defect for every probe.
//!
//! *Notions and ties.* Another notion of "best", or another worth of ties, may put another item first by chance where
//! two are close. It is an alarm where the first item is the clear winner, so that chance is no excuse.
//!
//! *One voter, one context.* The naive board calls a clear winner, and without the votes of one voter (or context)
//! another item is first. Or one of ten voters or more cast a fifth of all votes.
//!
//! *Independence.* Let r(i) = se²(B̂(i)) with votes that hang together by voter (or context) over se²(B̂(i)) with
//! independent votes. Where they are independent, the mean of r over K items with G voters has about the variance
//! 2/(G(K−1)). It is an alarm above max(1.5, 1 + 3 √(2/(G(K−1)))): intervals are then too narrow by a fifth at least.

mod sampling;

pub use sampling::looks_adaptive;

use crate::ballots::{Answer, Ballots, BothBad, Ties};
use crate::error::Result;
use crate::ranking::sums::{By, Grouping, Sums};
use crate::ranking::{FewestOf, Finding, Model, RankOptions, Ranking, VerdictKind, diverging, one_hot, rank, rests_on};
use serde::{Deserialize, Serialize};

/// The chance of a false alarm of every test, at most.
pub const FALSE_ALARM: f64 = 0.01;
/// Of so many voters or contexts nobody should have a fifth of all votes.
const MANY: usize = 10;
/// The largest share of all votes that one voter or context may have where there are at least ten.
pub const HEAVY: f64 = 0.2;
/// The least mean ratio of variances at which votes are said to hang together.
const HANG_TOGETHER: f64 = 1.5;
/// The fewest entries of which all being multiples of one number is no chance.
const ENTRIES: usize = 30;

/// What is known beside the votes.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AuditOptions {
    /// The published order of items (indices of the ballots), best first.
    pub published: Option<Vec<usize>>,
    /// Published items that no vote is about, by name.
    pub unknown: Vec<String>,
    /// The votes by stretches of time, on the same items.
    pub over: Vec<Ballots>,
    /// The seed of what is drawn.
    pub seed: u64,
}

crate::setters!(AuditOptions {
    with_published: published: Option<Vec<usize>>,
    with_unknown: unknown: Vec<String>,
    with_over: over: Vec<Ballots>,
    with_seed: seed: u64,
});

/// What the probes found in a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Audit {
    /// The ranking with habits of voters and contexts allowed for, at the confidence 1 − [`FALSE_ALARM`].
    pub ranking: Ranking,
    /// What the probes found.
    pub probes: Vec<Probe>,
}

/// By what votes may hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// By who cast them.
    Voter,
    /// By what items were compared on.
    Context,
}

/// Why a probe could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Untold {
    /// The votes do not tell who cast them, or on what.
    NotTold,
    /// There are fewer than ten of them.
    Few,
    /// Votes are weighted or soft, so that single ones are not told apart in sums.
    Weighted,
    /// There are no ties.
    NoTies,
    /// The items are too many, or nothing unseats the first.
    NotFound,
}

/// What a probe found. Items are indices of the ballots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "probe", rename_all = "kebab-case")]
pub enum Probe {
    /// A check that every ranking has.
    Check {
        /// What the check of the ranking found.
        finding: Finding,
    },
    /// Whether another notion of "best" names another item than the clear winner.
    Notions {
        /// The first by Borda score.
        borda: usize,
        /// The first by Bradley–Terry strength, where it is another one.
        bradley_terry: Option<usize>,
        /// Who has a majority against every other, where it is another one.
        condorcet: Option<usize>,
        /// Whether the first is the clear winner.
        clear: bool,
    },
    /// Whether the better items were asked about more often, as if the questions had followed the answers.
    Sampling {
        /// Whether it looks so.
        adaptive: bool,
    },
    /// Whether votes hang together, so that intervals of independent votes are too narrow.
    Independence {
        /// What votes hang together by: voters or contexts.
        unit: Unit,
        /// How many there are, by weight.
        number: f64,
        /// The mean ratio of variances.
        ratio: f64,
        /// The ratio above which it is an alarm.
        most: f64,
    },
    /// What one voter or context weighs.
    Heaviest {
        /// A voter or a context.
        unit: Unit,
        /// The voter's or context's name.
        name: String,
        /// The share of all votes.
        share: f64,
        /// The number of voters or contexts.
        number: usize,
        /// Who is first without one of them, where the naive board has a clear winner: the one, and the item.
        unseats: Option<(String, usize)>,
    },
    /// Whether the clear winner is first whatever a tie is worth.
    TieConvention {
        /// The share of ties.
        ties: f64,
        /// The first item as ties are counted.
        first: usize,
        /// The first item were they dropped or, where they are dropped, half a win.
        otherwise: usize,
        /// Whether the first is the clear winner.
        clear: bool,
    },
    /// Whether every voter's votes on every pair are there several times.
    Duplicates {
        /// The greatest common divisor of how often they are there.
        times: u64,
        /// Of how many voters and pairs.
        entries: usize,
    },
    /// Whether scores changed over time.
    OverTime {
        /// The stretches of time.
        stretches: usize,
        /// Items whose scores differ, all items together.
        changed: Vec<usize>,
    },
    /// Which published places the votes carry, and which they contradict.
    Published {
        /// Published items that are ranked.
        items: usize,
        /// Items whose place is certain.
        certain: usize,
        /// Items that cannot be where they are published, with that place.
        contradicted: Vec<(usize, usize)>,
        /// Published items without votes, by name, and those that cannot be ranked.
        unknown: Vec<String>,
    },
    /// A probe that could not be made.
    Untold {
        /// The name of the column.
        name: String,
        /// Why it could not be tested.
        why: Untold,
    },
}

impl Probe {
    /// Its short name for programs.
    pub fn name(&self) -> &str {
        match self {
            Self::Check { finding } => finding.name(),
            Self::Notions { .. } => "notions",
            Self::Sampling { .. } => "sampling",
            Self::Independence { unit, .. } => independence(*unit),
            Self::Heaviest { unit, .. } => heaviest(*unit),
            Self::TieConvention { .. } => "tie-convention",
            Self::Duplicates { .. } => "duplicates",
            Self::OverTime { .. } => "over-time",
            Self::Published { .. } => "published",
            Self::Untold { name, .. } => name,
        }
    }

    /// Whether all is well; `None` where that cannot be told.
    pub fn ok(&self) -> Option<bool> {
        match self {
            Self::Check { finding } => finding.ok(),
            Self::Notions { bradley_terry, condorcet, clear, .. } => {
                Some(!clear || (bradley_terry.is_none() && condorcet.is_none()))
            }
            Self::Sampling { adaptive } => Some(!adaptive),
            Self::Independence { ratio, most, .. } => Some(ratio <= most),
            Self::Heaviest { share, number, unseats, .. } => {
                Some(unseats.is_none() && (*number < MANY || *share <= HEAVY))
            }
            Self::TieConvention { first, otherwise, clear, .. } => Some(!clear || first == otherwise),
            Self::Duplicates { times, .. } => Some(*times == 1),
            Self::OverTime { changed, .. } => Some(changed.is_empty()),
            Self::Published { contradicted, unknown, .. } => Some(contradicted.is_empty() && unknown.is_empty()),
            Self::Untold { .. } => None,
        }
    }

    /// Whether it is a count, in which there is no chance; otherwise it is a test at [`FALSE_ALARM`].
    pub fn is_count(&self) -> bool {
        match self {
            Self::Check { finding } => matches!(
                finding,
                Finding::Connected { .. }
                    | Finding::WonAndLost { .. }
                    | Finding::VotesPerItem { .. }
                    | Finding::Voters { .. }
                    | Finding::TiesAndSkips { .. }
            ),
            Self::Heaviest { .. } | Self::Duplicates { .. } => true,
            _ => false,
        }
    }
}

fn independence(unit: Unit) -> &'static str {
    match unit {
        Unit::Voter => "independence",
        Unit::Context => "context-independence",
    }
}

fn heaviest(unit: Unit) -> &'static str {
    match unit {
        Unit::Voter => "one-voter",
        Unit::Context => "one-context",
    }
}

/// Audits the board that these votes make.
///
/// # Errors
/// Votes that cannot be ranked.
pub fn audit(ballots: &Ballots, beside: &AuditOptions) -> Result<Audit> {
    let level = 1.0 - FALSE_ALARM;
    let options = RankOptions { level, seed: beside.seed, ..RankOptions::default() };
    let ranking = rank(ballots, &Model::OneHot, &options)?;
    let plain = ballots.without_contexts();
    let alone = RankOptions { clustered: false, ..options.clone() };
    let naive = rank(&plain, &Model::OneHot, &alone)?;
    let board = Board { ballots, plain: &plain, ranking: &ranking, naive: &naive, alone: &alone };

    let mut probes = Vec::new();
    for finding in &ranking.checks {
        probes.push(match finding {
            Finding::Agreement { borda, bradley_terry, condorcet } => Probe::Notions {
                borda: *borda,
                bradley_terry: bradley_terry.map(|(first, _)| first).filter(|first| first != borda),
                condorcet: condorcet.filter(|first| first != borda),
                clear: is_clear(&ranking, *borda),
            },
            other => Probe::Check { finding: other.clone() },
        });
    }
    probes.push(Probe::Sampling { adaptive: looks_adaptive(ballots, &ranking) });
    let units: &[Unit] = if ballots.contexts() > 0 { &[Unit::Voter, Unit::Context] } else { &[Unit::Voter] };
    probes.extend(units.iter().map(|&unit| board.independence(unit)).collect::<Result<Vec<_>>>()?);
    let rests = rests_on(ballots, &Model::OneHot, &alone, &naive);
    for &unit in units {
        let fewest = rests.as_ref().and_then(|rests| match unit {
            Unit::Voter => rests.voters.as_ref(),
            Unit::Context => rests.contexts.as_ref(),
        });
        probes.push(board.heaviest(unit, fewest));
    }
    probes.push(board.tie_convention());
    probes.extend(board.duplicates());
    if !beside.over.is_empty() {
        probes.push(over_time(&beside.over, &alone));
    }
    if let Some(published) = &beside.published {
        probes.push(board.published(published, &beside.unknown));
    }
    Ok(Audit { ranking, probes })
}

/// Whether this item is the clear winner.
fn is_clear(ranking: &Ranking, item: usize) -> bool {
    ranking.verdict.kind == VerdictKind::ClearWinner && ranking.verdict.winners == [item]
}

/// What somebody has of a cell of the ballots: the cell, Σw and Σwr.
type Part = (usize, f64, f64);

struct Board<'a> {
    ballots: &'a Ballots,
    /// The same without contexts.
    plain: &'a Ballots,
    ranking: &'a Ranking,
    naive: &'a Ranking,
    /// How the naive board is ranked.
    alone: &'a RankOptions,
}

impl Board<'_> {
    fn independence(&self, unit: Unit) -> Result<Probe> {
        let untold = |why| Ok(Probe::Untold { name: independence(unit).to_owned(), why });
        let (ballots, by) = match unit {
            Unit::Voter => (self.plain, By::Voter),
            Unit::Context => (self.ballots, By::Context),
        };
        if unit == Unit::Voter && (ballots.shares().is_empty() || ballots.by_question().is_some()) {
            return untold(Untold::NotTold);
        }
        let items: Vec<usize> = self.naive.items.iter().map(|score| score.item).collect();
        let sums = Sums::grouped(ballots, items.clone(), Grouping { by, ..Grouping::default() });
        let number = sums.effective_voters();
        if number < MANY as f64 {
            return untold(Untold::Few);
        }
        let together = one_hot::one_hot(&sums, true, self.alone.seed)?;
        let apart = one_hot::one_hot(&Sums::of_pairs(self.plain, items), false, self.alone.seed)?;
        let k = sums.len();
        let ratio = (0..k).map(|i| (together.error(i) / apart.error(i)).powi(2)).sum::<f64>() / k as f64;
        let most = HANG_TOGETHER.max(1.0 + 3.0 * (2.0 / (number * (k - 1) as f64)).sqrt());
        Ok(Probe::Independence { unit, number, ratio, most })
    }

    fn heaviest(&self, unit: Unit, fewest: Option<&FewestOf>) -> Probe {
        let untold = |why| Probe::Untold { name: heaviest(unit).to_owned(), why };
        let mut parts: Vec<(String, Vec<Part>)> = Vec::new();
        match unit {
            Unit::Voter if self.ballots.by_question().is_some() => {}
            Unit::Voter => {
                for shares in self.ballots.shares().chunk_by(|a, b| a.voter == b.voter) {
                    let Some(name) = self.ballots.voter_name(shares[0].voter as usize) else { break };
                    parts.push((name, shares.iter().map(|share| (share.cell as usize, share.w, share.wr)).collect()));
                }
            }
            Unit::Context => {
                parts = self.ballots.context_names().into_iter().map(|name| (name, Vec::new())).collect();
                for (at, cell) in self.ballots.cells().iter().enumerate() {
                    if let Some(context) = cell.context {
                        parts[context as usize].1.push((at, cell.w, cell.wr));
                    }
                }
            }
        }
        let weight = |own: &[Part]| own.iter().map(|(_, w, _)| w).sum::<f64>();
        let all: f64 = self.ballots.cells().iter().map(|cell| cell.w).sum();
        let heavier = parts.iter().max_by(|a, b| weight(&a.1).total_cmp(&weight(&b.1)).then_with(|| b.0.cmp(&a.0)));
        let Some((name, own)) = heavier else { return untold(Untold::NotTold) };
        // The most influential one is not always the heaviest, and where a single one has very much, influence to first
        // order says too little of it.
        let mut unseats = None;
        if is_clear(self.naive, self.naive.items[0].item) {
            unseats =
                fewest.filter(|fewest| fewest.which.len() == 1).map(|fewest| (fewest.which[0].clone(), fewest.first));
            unseats = unseats.or_else(|| self.first_without(own).map(|first| (name.clone(), first)));
        }
        let share = weight(own) / all.max(f64::MIN_POSITIVE);
        Probe::Heaviest { unit, name: name.clone(), share, number: parts.len(), unseats }
    }

    /// Who is first on the naive board without these votes, where it is another item.
    fn first_without(&self, taken: &[Part]) -> Option<usize> {
        let cells = self.ballots.cells();
        let mut left: Vec<[f64; 2]> = cells.iter().map(|cell| [cell.wr, cell.w - cell.wr]).collect();
        for &(cell, w, wr) in taken {
            left[cell][0] -= wr;
            left[cell][1] -= w - wr;
        }
        let mut other = self.empty();
        for (cell, counts) in cells.iter().zip(left) {
            for (answer, count) in [Answer::Left, Answer::Right].into_iter().zip(counts) {
                // Nothing is left of a sum that was taken away but rounding.
                if count > 1e-9 {
                    other.add(cell.left, cell.right, None, answer, 1.0, count).ok()?;
                }
            }
        }
        let first = rank(&other.finish(), &Model::OneHot, self.alone).ok()?.items[0].item;
        (first != self.naive.items[0].item).then_some(first)
    }

    /// A box with the same items.
    fn empty(&self) -> Ballots {
        let mut other = Ballots::new(Ties::Half, BothBad::Drop, self.ballots.sides_known());
        self.ballots.items().iter().for_each(|name| {
            other.item(name);
        });
        other
    }

    fn tie_convention(&self) -> Probe {
        let untold = |why| Probe::Untold { name: "tie-convention".to_owned(), why };
        let totals = self.ballots.totals();
        if totals.tie <= 0.0 {
            return untold(Untold::NoTies);
        }
        if self.ballots.weighted() || totals.soft > 0.0 {
            return untold(Untold::Weighted);
        }
        let half = self.ballots.ties() == Ties::Drop;
        let mut other = self.empty();
        for cell in self.ballots.cells() {
            let ties = if half { cell.counts.tie } else { 0.0 };
            let counts = [(Answer::Left, cell.counts.left), (Answer::Right, cell.counts.right), (Answer::Tie, ties)];
            for (answer, count) in counts.into_iter().filter(|(_, count)| *count > 0.0) {
                if other.add(cell.left, cell.right, None, answer, 1.0, count).is_err() {
                    return untold(Untold::NotFound);
                }
            }
        }
        let Ok(otherwise) = rank(&other.finish(), &Model::OneHot, self.alone) else { return untold(Untold::NotFound) };
        let first = self.naive.items[0].item;
        Probe::TieConvention {
            ties: totals.tie / totals.total(),
            first,
            otherwise: otherwise.items[0].item,
            clear: is_clear(self.ranking, first),
        }
    }

    /// Where voters are known and their votes are single ones.
    fn duplicates(&self) -> Option<Probe> {
        let (ballots, shares) = (self.ballots, self.ballots.shares());
        let single = !ballots.weighted() && ballots.by_question().is_none();
        let single = single && ballots.copies().iter().all(|copies| *copies == 1.0);
        if !single || shares.len() < ENTRIES {
            return None;
        }
        let divisor = |a: u64, b: u64| {
            let (mut a, mut b) = (a, b);
            while b > 0 {
                (a, b) = (b, a % b);
            }
            a
        };
        let times = shares.iter().fold(0, |all, share| divisor(all, share.w.round() as u64));
        Some(Probe::Duplicates { times: times.max(1), entries: shares.len() })
    }

    fn published(&self, published: &[usize], unknown: &[String]) -> Probe {
        let ranked = |item: &&usize| self.ranking.items.iter().any(|score| score.item == **item);
        let (known, lost): (Vec<&usize>, Vec<&usize>) = published.iter().partition(ranked);
        // Places among the items that are both published and ranked; who is ranked and not published has none.
        let theirs = |item: usize| known.iter().position(|&&own| own == item);
        let missing: Vec<(usize, usize)> =
            (self.ranking.items.iter()).filter(|score| theirs(score.item).is_none()).map(|score| score.rank).collect();
        let mut contradicted = Vec::new();
        for score in &self.ranking.items {
            let Some(at) = theirs(score.item) else { continue };
            // Items that are not published may stand before it or behind it, wherever they can be.
            let surely_before = missing.iter().filter(|rank| rank.1 < score.rank.0).count();
            let perhaps_before = missing.iter().filter(|rank| rank.0 <= score.rank.1).count();
            let (low, high) = (score.rank.0 - perhaps_before.min(score.rank.0 - 1), score.rank.1 - surely_before);
            if !(low..=high).contains(&(at + 1)) {
                contradicted.push((score.item, at + 1));
            }
        }
        let lost = lost.into_iter().map(|&item| self.ballots.items()[item].clone());
        Probe::Published {
            items: known.len(),
            certain: self.ranking.items.iter().filter(|score| score.rank.0 == score.rank.1).count(),
            contradicted,
            unknown: unknown.iter().cloned().chain(lost).collect(),
        }
    }
}

fn over_time(stretches: &[Ballots], options: &RankOptions) -> Probe {
    let by_voter = RankOptions { clustered: true, ..options.clone() };
    let found: Vec<Option<Ranking>> =
        stretches.iter().map(|ballots| rank(ballots, &Model::OneHot, &by_voter).ok()).collect();
    let ranked: Vec<Option<&Ranking>> = found.iter().map(Option::as_ref).collect();
    if ranked.iter().flatten().count() < 2 {
        return Probe::Untold { name: "over-time".to_owned(), why: Untold::Few };
    }
    let changed = diverging(&ranked).into_iter().filter(|item| item.p < FALSE_ALARM).map(|item| item.item).collect();
    Probe::OverTime { stretches: ranked.len(), changed }
}
