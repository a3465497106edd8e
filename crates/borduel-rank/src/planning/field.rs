//! The pairs among which questions are chosen: all that may be asked, or those of some hundred items that span the
//! rest.
//!
//! What a question teaches grows with the length of φ(i,j) in the metric of what is not known yet, and the longest
//! differences are those of items at the edge. So of very many items the field holds the outermost along many
//! directions, those who may still be best, and some drawn at random (votes may make the outermost pairs too certain to
//! teach much).

use super::rows::Rows;
use super::{PlanOptions, Prior};
use crate::duel::Duel;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::link::Link;
use crate::stream::stream;
use nalgebra::{Cholesky, DMatrix, DVector};
use std::collections::{BTreeSet, HashMap, HashSet};

/// So many items are all compared with each other.
const ITEMS: usize = 600;
/// So many directions have their outermost items in the field.
const DIRECTIONS: usize = 200;
/// Of those who may still be best so many are in the field in any case.
const CONTENDERS: usize = 60;
/// The most items with very many features: what they need grows with the cube of their number.
const MOST_WITH_MANY_FEATURES: usize = 3_000;
/// The first step of the path of what is drawn here.
const FIELD: u64 = 0xf1e1d;

/// A pair that may be asked, or is barred.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The items, i < j.
    pub(super) i: u32,
    pub(super) j: u32,
    /// The row of φ(i,j) in [`Field::rows`], or the row from which `minus` is subtracted.
    pub(super) row: u32,
    pub(super) minus: Option<u32>,
    /// m = μ′ at the pair's score.
    pub(super) slope: f64,
    pub(super) cost: f64,
    /// The questions on it, those that are open included.
    pub(super) asked: usize,
    /// Must not be asked, or would tell nothing. It stands among the others so that these are all pairs of some items.
    pub(super) barred: bool,
}

/// The candidates, and the vectors they are made of.
pub(super) struct Field {
    pub(super) candidates: Vec<Candidate>,
    /// Distinct vectors or, for differences, the vectors of the items in the field; n × d.
    pub(super) rows: Rows,
    /// Whether the candidates are the differences of all pairs of rows, (0,1), (0,2) … (1,2) ….
    pub(super) all_pairs: bool,
}

impl Field {
    pub(super) fn new(prior: &Prior, contenders: &[usize], options: &PlanOptions) -> Result<Self> {
        let features = &prior.features;
        let d = features.dim();
        let members = members(prior, contenders, options)?;
        let costs: HashMap<(usize, usize), f64> = options.costs.iter().map(|&(i, j, c)| (sorted(i, j), c)).collect();
        let taboo: HashSet<(usize, usize)> = options.excluded.iter().map(|&(i, j)| sorted(i, j)).collect();
        let mut asked: HashMap<(usize, usize), usize> = HashMap::new();
        for &Duel(i, j) in &options.open {
            *asked.entry(sorted(i, j)).or_default() += 1;
        }
        let projection = features.project(&prior.theta);
        let mut list = Vec::new();
        let mut add = |i: usize, j: usize, row: usize, minus: Option<usize>, same: bool| {
            list.push(Candidate {
                i: i as u32,
                j: j as u32,
                row: row as u32,
                minus: minus.map(|minus| minus as u32),
                slope: Link::Logistic.mu_prime(features.score(&projection, Duel(i, j))),
                cost: costs.get(&(i, j)).copied().unwrap_or(1.0),
                asked: asked.get(&(i, j)).copied().unwrap_or(0),
                barred: same || taboo.contains(&(i, j)),
            });
        };
        let rows = if let Some(vectors) = features.item_vectors() {
            let mut rows = Vec::with_capacity(members.items.len() * d);
            members.items.iter().for_each(|&i| rows.extend_from_slice(&vectors[i * d..(i + 1) * d]));
            for (a, b) in members.pairs() {
                let same = rows[a * d..(a + 1) * d] == rows[b * d..(b + 1) * d];
                add(members.items[a], members.items[b], a, Some(b), same);
            }
            rows
        } else {
            let mut place: HashMap<usize, usize> = HashMap::new();
            let mut rows = Vec::new();
            for (a, b) in members.pairs() {
                let (i, j) = (members.items[a], members.items[b]);
                let slot = features.slot(Duel(i, j)).index;
                if slot < features.distinct() {
                    let row = *place.entry(slot).or_insert_with(|| {
                        rows.extend(features.vector(slot));
                        rows.len() / d - 1
                    });
                    add(i, j, row, None, false);
                }
            }
            rows
        };
        if list.iter().all(|c| c.barred) {
            return Err(Error::Data("every pair is excluded: there is nothing to ask".to_owned()));
        }
        let all_pairs = features.item_vectors().is_some() && members.field.len() == members.items.len();
        Ok(Self { candidates: list, rows: Rows::new(d, &rows), all_pairs })
    }
}

impl Candidate {
    /// φ up to its sign, in the coordinates of these rows.
    pub(super) fn phi(&self, rows: &Rows) -> Vec<(usize, f64)> {
        rows.difference(self.row, self.minus)
    }
}

pub(super) fn sorted(i: usize, j: usize) -> (usize, usize) {
    (i.min(j), i.max(j))
}

/// The items that may be asked about, in order, and which of them meet all others.
struct Members {
    items: Vec<usize>,
    /// Places in `items` of those who meet all others of the field; the rest meet two of them each.
    field: Vec<usize>,
}

impl Members {
    /// Places of the pairs, the smaller first.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let inner =
            self.field.iter().enumerate().flat_map(|(at, &a)| self.field[at + 1..].iter().map(move |&b| (a, b)));
        let inside: HashSet<usize> = self.field.iter().copied().collect();
        let outer = (0..self.items.len()).filter(move |place| !inside.contains(place)).flat_map(|place| {
            let partner = |turn: usize| self.field[(2 * place + turn) % self.field.len()];
            [0, 1].map(|turn| sorted(place, partner(turn)))
        });
        inner.chain(outer)
    }
}

/// How many items meet all others: all of them, or some hundreds of very many with few features.
pub(super) fn met(features: &Features) -> usize {
    if 4 * features.dim() >= ITEMS { features.items() } else { features.items().min(ITEMS) }
}

fn members(prior: &Prior, contenders: &[usize], options: &PlanOptions) -> Result<Members> {
    let features = &prior.features;
    let (k, d) = (features.items(), features.dim());
    let allowed: Vec<usize> = (0..k).filter(|i| !options.excluded_items.contains(i)).collect();
    if allowed.len() <= ITEMS || 4 * d >= ITEMS {
        if allowed.len() > MOST_WITH_MANY_FEATURES {
            return Err(Error::Data(format!(
                "{} items with {d} features are too many to choose pairs among (at most {MOST_WITH_MANY_FEATURES}, or \
                 any number of \
                 items with up to {} features, or without any): give fewer features, or exclude items that need no \
                 questions",
                allowed.len(),
                ITEMS / 4
            )));
        }
        let field = (0..allowed.len()).collect();
        return Ok(Members { items: allowed, field });
    }
    let mut chosen: BTreeSet<usize> =
        contenders.iter().copied().filter(|i| !options.excluded_items.contains(i)).take(CONTENDERS).collect();
    // φ̄(i) stands for an item; directions are drawn where all items together are round.
    let means = features.means();
    let mut spread = features.second_moment();
    let ridge = 1e-12 * spread.trace();
    (0..d).for_each(|c| spread[(c, c)] += ridge);
    let root = Cholesky::new(spread).map_or_else(|| DMatrix::identity(d, d), |factor| factor.l());
    let mut draw = stream(options.seed, &[FIELD]);
    for _ in 0..DIRECTIONS {
        let normal = DVector::from_fn(d, |_, _| draw.normal());
        let direction = root.tr_solve_lower_triangular(&normal).unwrap_or(normal);
        let reach = |i: &usize| crate::features::dot(&means[i * d..(i + 1) * d], direction.as_slice());
        let by_reach = |a: &&usize, b: &&usize| reach(a).total_cmp(&reach(b));
        chosen.extend(allowed.iter().min_by(by_reach));
        chosen.extend(allowed.iter().max_by(by_reach));
    }
    while chosen.len() < ITEMS {
        chosen.insert(allowed[draw.below(allowed.len())]);
    }
    // Outside the field an item is asked about only if every item has to be.
    let items: Vec<usize> = if options.least_per_item > 0 { allowed } else { chosen.iter().copied().collect() };
    let field = (0..items.len()).filter(|&place| chosen.contains(&items[place])).collect();
    Ok(Members { items, field })
}
