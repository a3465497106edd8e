//! Circles of majorities: a beats b, b beats c, c beats a, with an error of at most 5 % over all triples together.
//!
//! A circle is beyond chance when its three majorities are. If all majorities that are called so point the right way,
//! every such circle is real, so it is enough to bound the chance that one of P majorities is false: each is tested
//! exactly (a sign test of votes or, where they are known, of voters, ties left out), with Holm's correction for P
//! tests.

use super::{Context, Finding};
use crate::order::ascending;
use crate::ranking::sums::Sums;
use crate::special::incomplete_beta;
use std::cmp::Ordering;

/// The chance of calling a circle "beyond chance" when there is none, over all triples together.
pub const CIRCLES_LEVEL: f64 = 0.05;

/// An opponent, +1 when this item won the majority, and whether that stands out.
type Majority = (u32, i8, bool);

/// About how many triples are looked at.
const MOST_WORK: f64 = 1e9;

pub(super) fn circles(context: &Context<'_>) -> Finding {
    let sums = context.sums;
    let by_voter = context.by_voter();
    let (k, p) = (sums.len() as f64, sums.pairs.len() as f64);
    if p * (2.0 * p / k) > MOST_WORK {
        return Finding::Cycles { circles: None, beyond_chance: 0, example: None, by_voter };
    }
    let strong = beyond_chance(&support(sums, by_voter));
    // For every item its opponents with a majority.
    let mut majorities: Vec<Vec<Majority>> = vec![Vec::new(); sums.len()];
    for (pair, &strong) in sums.pairs.iter().zip(&strong) {
        let excess = pair.share() - 0.5;
        if excess != 0.0 {
            let sign = if excess > 0.0 { 1 } else { -1 };
            majorities[pair.i].push((pair.j as u32, sign, strong));
            majorities[pair.j].push((pair.i as u32, -sign, strong));
        }
    }
    majorities.iter_mut().for_each(|list| list.sort_unstable());
    let (mut all, mut solid, mut example) = (0, 0, None);
    for a in 0..sums.len() {
        for &(b, ab, ab_strong) in majorities[a].iter().filter(|m| m.0 as usize > a) {
            // Those that both met, beyond b.
            let (mut x, mut y) = (later(&majorities[a], b), later(&majorities[b as usize], b));
            while let (Some(&(c, ac, ac_strong)), Some(&(d, bd, bd_strong))) = (x.first(), y.first()) {
                match c.cmp(&d) {
                    Ordering::Less => x = &x[1..],
                    Ordering::Greater => y = &y[1..],
                    Ordering::Equal => {
                        (x, y) = (&x[1..], &y[1..]);
                        if bd == ab && ac == -ab {
                            let beyond = ab_strong && ac_strong && bd_strong;
                            if example.is_none() || (beyond && solid == 0) {
                                let (b, c) = (b as usize, c as usize);
                                example = Some(if ab > 0 { [a, b, c] } else { [a, c, b] });
                            }
                            all += 1;
                            solid += u64::from(beyond);
                        }
                    }
                }
            }
        }
    }
    let example = example.map(|items| items.map(|i| sums.items[i]));
    Finding::Cycles { circles: Some(all), beyond_chance: solid, example, by_voter }
}

/// The part of a list by opponent that lies beyond an opponent.
fn later(list: &[Majority], opponent: u32) -> &[Majority] {
    &list[list.partition_point(|entry| entry.0 <= opponent)..]
}

/// For every pair how many decided votes (or voters) there are for its first and for its second item.
fn support(sums: &Sums, by_voter: bool) -> Vec<(f64, f64)> {
    if by_voter {
        let mut support = vec![(0.0, 0.0); sums.pairs.len()];
        for voter in &sums.voters {
            for part in &sums.parts[voter.parts.clone()] {
                let side = part.wr - 0.5 * part.w;
                if side > 0.0 {
                    support[part.pair].0 += voter.copies;
                } else if side < 0.0 {
                    support[part.pair].1 += voter.copies;
                }
            }
        }
        return support;
    }
    sums.pairs
        .iter()
        .map(|pair| {
            // With answers 0, ½ and 1 of weight 1: Σr − Σr² = ties/4. Weighted votes count as their effective number.
            let n = pair.effective();
            let ties = (4.0 * (pair.w2r - pair.w2r2) / pair.w2 * n).clamp(0.0, n);
            let wins = (pair.share() * n - 0.5 * ties).max(0.0);
            (wins, (n - ties - wins).max(0.0))
        })
        .collect()
}

/// Which majorities stand out, at [`CIRCLES_LEVEL`] for all of them together (Holm).
fn beyond_chance(support: &[(f64, f64)]) -> Vec<bool> {
    let p: Vec<f64> = support
        .iter()
        .map(|&(a, b)| {
            let (most, n) = (a.max(b), a + b);
            // P(X ≥ most) of a fair coin, on both sides.
            if n <= 0.0 { 1.0 } else { (2.0 * incomplete_beta(most, n - most + 1.0, 0.5)).min(1.0) }
        })
        .collect();
    let order = ascending(&p);
    let mut strong = vec![false; p.len()];
    for (rank, &at) in order.iter().enumerate() {
        if p[at] > CIRCLES_LEVEL / (p.len() - rank) as f64 {
            break;
        }
        strong[at] = true;
    }
    strong
}
