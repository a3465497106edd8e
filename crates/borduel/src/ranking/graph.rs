//! The graph of comparisons: its connected parts, who can be reached by wins, cycles of majorities.

use super::sums::Sums;

/// The connected parts of the graph of compared pairs: a number for each item, and how many parts there are.
pub(crate) fn components(sums: &Sums) -> (Vec<usize>, usize) {
    let mut neighbours = vec![Vec::new(); sums.len()];
    for pair in &sums.pairs {
        neighbours[pair.i].push(pair.j);
        neighbours[pair.j].push(pair.i);
    }
    let mut part = vec![usize::MAX; sums.len()];
    let mut parts = 0;
    for start in 0..sums.len() {
        if part[start] == usize::MAX {
            reach(start, &neighbours, |item| std::mem::replace(&mut part[item], parts) == usize::MAX);
            parts += 1;
        }
    }
    (part, parts)
}

/// Whether every item can be reached from every other along wins (a tie counts both ways): exactly then a Bradley–Terry fit
/// exists.
pub(crate) fn strongly_connected(sums: &Sums) -> bool {
    let mut beats = vec![Vec::new(); sums.len()];
    let mut beaten_by = vec![Vec::new(); sums.len()];
    for pair in &sums.pairs {
        for (won, i, j) in [(pair.wr, pair.i, pair.j), (pair.w - pair.wr, pair.j, pair.i)] {
            if won > 0.0 {
                beats[i].push(j);
                beaten_by[j].push(i);
            }
        }
    }
    [&beats, &beaten_by].iter().all(|edges| {
        let mut seen = vec![false; sums.len()];
        reach(0, edges, |item| !std::mem::replace(&mut seen[item], true));
        seen.iter().all(|&s| s)
    })
}

/// Visits what can be reached from `start`; `enter` says whether an item is new.
fn reach(start: usize, edges: &[Vec<usize>], mut enter: impl FnMut(usize) -> bool) {
    let mut open = Vec::new();
    if enter(start) {
        open.push(start);
    }
    while let Some(item) = open.pop() {
        open.extend(edges[item].iter().copied().filter(|&next| enter(next)));
    }
}

/// Triples whose majorities run in a circle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cycles {
    /// How many there are.
    pub(crate) all: u64,
    /// How many of them have three majorities that each stand out from chance (z > 1.96).
    pub(crate) solid: u64,
    /// One of the solid ones, or of all when there are none: a beats b beats c beats a.
    pub(crate) example: Option<[usize; 3]>,
}

/// Beyond this many items triples are not counted.
pub(crate) const MOST_ITEMS_FOR_CYCLES: usize = 1_000;

/// Counts cyclic triples among pairs with a majority.
pub(crate) fn cycles(sums: &Sums) -> Cycles {
    let k = sums.len();
    // 0 no majority, ±1 a majority, ±2 one that stands out; the sign says for whom.
    let mut majority = vec![0_i8; k * k];
    for pair in &sums.pairs {
        let excess = pair.share() - 0.5;
        if excess != 0.0 {
            let z = excess.abs() * 2.0 * pair.w / pair.w2.sqrt();
            let strength = if z > 1.96 { 2 } else { 1 } * if excess > 0.0 { 1 } else { -1 };
            majority[pair.i * k + pair.j] = strength;
            majority[pair.j * k + pair.i] = -strength;
        }
    }
    let mut cycles = Cycles::default();
    for a in 0..k {
        for b in a + 1..k {
            let ab = majority[a * k + b];
            if ab == 0 {
                continue;
            }
            for c in b + 1..k {
                let (bc, ca) = (majority[b * k + c], majority[c * k + a]);
                if bc.signum() == ab.signum() && ca.signum() == ab.signum() {
                    let solid = [ab, bc, ca].iter().all(|m| m.abs() == 2);
                    if cycles.example.is_none() || (solid && cycles.solid == 0) {
                        cycles.example = Some(if ab > 0 { [a, b, c] } else { [a, c, b] });
                    }
                    cycles.all += 1;
                    cycles.solid += u64::from(solid);
                }
            }
        }
    }
    cycles
}

/// The item that won the majority against every other, when there is one and every comparison was made.
pub(crate) fn condorcet(sums: &Sums) -> Option<usize> {
    let mut beaten = vec![0; sums.len()];
    for pair in &sums.pairs {
        if pair.share() > 0.5 {
            beaten[pair.i] += 1;
        } else if pair.share() < 0.5 {
            beaten[pair.j] += 1;
        }
    }
    beaten.iter().position(|&n| n + 1 == sums.len())
}
