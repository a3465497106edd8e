//! Where things stand: the order, what would have to be shown, how much doubt is left about it, and so what can be
//! said.

use super::by_pair;
use super::claim::Claim;
use super::evidence::log_e;
use super::scores::Scores;
use super::{Goal, Options, Until};
use crate::duel::Arm;
use crate::order::sort_descending;
use crate::ranking::VerdictKind;

impl Claim {
    pub(crate) fn new(scores: &Scores, ahead: Arm, behind: Arm, margin: f64) -> Self {
        let (lead, variance) = scores.difference(ahead, behind);
        let log_e = match &scores.by_pair {
            Some(by_pair) => by_pair.log_e(ahead, behind, margin),
            None => log_e(lead, variance, margin),
        };
        Self { ahead, behind, lead, variance, log_e }
    }
}

/// All claims that the goal needs, the most doubtful first.
pub(crate) struct Standing {
    pub(crate) order: Vec<Arm>,
    pub(crate) claims: Vec<Claim>,
    /// Σ 1/E over them; where nothing is believed, the largest 1/E times the number of claims that can err.
    pub(crate) doubt: f64,
}

impl Standing {
    pub(crate) fn new(scores: &Scores, goal: Goal, margin: f64) -> Self {
        Self::among(scores, goal, margin, (0..scores.borda.len()).collect())
    }

    /// The same among some of the items.
    pub(crate) fn among(scores: &Scores, goal: Goal, margin: f64, mut order: Vec<Arm>) -> Self {
        let k = order.len();
        sort_descending(&mut order, &scores.borda);
        let claim = |a: usize, b: usize| Claim::new(scores, order[a], order[b], margin);
        let mut claims: Vec<Claim> = match goal {
            Goal::Winner => (1..k).map(|b| claim(0, b)).collect(),
            Goal::Top(top) => (0..top).flat_map(|a| (top..k).map(move |b| (a, b))).map(|(a, b)| claim(a, b)).collect(),
            Goal::All => (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).map(|(a, b)| claim(a, b)).collect(),
        };
        claims.sort_by(|a, b| a.log_e.total_cmp(&b.log_e));
        let doubt = doubt(scores, goal, claims.iter());
        Self { order, claims, doubt }
    }
}

/// What can be said, and what is still to be shown.
pub(crate) struct Found {
    pub(crate) kind: VerdictKind,
    /// The items that are not yet excluded from being best, the leader first.
    pub(crate) contenders: Vec<Arm>,
    /// The claims that [`Options::until`] is about.
    pub(crate) standing: Standing,
}

/// The most items that are ever called a tie: so many are hardly all alike, and their pairs are not looked at.
const MOST_TIED: usize = 1_000;
/// The same where each of their pairs takes all votes on its two items.
const MOST_TIED_BY_PAIR: usize = 60;

impl Found {
    pub(crate) fn new(scores: &Scores, options: &Options) -> Self {
        let clear = Standing::new(scores, options.goal, 0.0);
        let good = Standing::new(scores, options.goal, options.margin);
        let leader = clear.order[0];
        let is_clear = clear.doubt <= options.clear_bar();
        // Whoever is shown to be worse than the leader at all is out. If all of them are, the leader is clear.
        let out = options.out(clear.order.len());
        let stays = |&j: &Arm| {
            j == leader || !(is_clear && options.goal == Goal::Winner) && Claim::new(scores, leader, j, 0.0).log_e < out
        };
        let contenders: Vec<Arm> = clear.order.iter().copied().filter(stays).collect();
        let kind = match options.goal {
            _ if is_clear => VerdictKind::ClearWinner,
            _ if good.doubt > options.bar() => VerdictKind::NotEnough,
            Goal::Winner if within(scores, &contenders, options) => VerdictKind::Tie,
            _ => VerdictKind::GoodEnough,
        };
        let standing = if options.until == Until::Clear { clear } else { good };
        Self { kind, contenders, standing }
    }
}

/// Whether no two of these items differ by more than the margin: every claim of one about another together.
fn within(scores: &Scores, items: &[Arm], options: &Options) -> bool {
    let most = if scores.by_pair.is_some() { MOST_TIED_BY_PAIR } else { MOST_TIED };
    if items.len() > most {
        return false;
    }
    let pairs = items.iter().flat_map(|&i| items.iter().map(move |&j| (i, j))).filter(|(i, j)| i != j);
    let claims: Vec<Claim> = pairs.map(|(i, j)| Claim::new(scores, i, j, options.margin)).collect();
    doubt(scores, options.goal, claims.iter()) <= options.bar()
}

/// What these claims leave in doubt.
fn doubt<'a>(scores: &Scores, goal: Goal, claims: impl Iterator<Item = &'a Claim>) -> f64 {
    let each = claims.map(|claim| (-claim.log_e).exp());
    match scores.by_pair {
        Some(_) => by_pair::claims(goal, scores.borda.len()) * each.fold(0.0, f64::max),
        None => each.sum(),
    }
}
