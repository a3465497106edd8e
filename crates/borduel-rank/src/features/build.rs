//! The ways to make features, and the reasons to refuse.

use super::extent::Extent;
use super::{Features, Store, dot, span};
use crate::duel::Arm;
use crate::error::{Error, Result};
use crate::stream::mix;
use nalgebra::DMatrix;
use std::collections::HashMap;
use std::sync::Arc;

/// Up to this many items the largest ‖x_i − x_j‖ is found exactly; beyond, twice the largest distance from the centre
/// stands in for it when features are scaled.
const EXACT_DIAMETER: usize = 4096;

impl Features {
    /// Features from a function that writes φ(i,j), asked only for i < j.
    pub fn from_fn(items: usize, dim: usize, phi: impl FnMut(Arm, Arm, &mut [f64])) -> Result<Self> {
        one_dictionary(items, dim, phi, false)
    }

    /// As [`from_fn`](Self::from_fn), divided by the largest norm where that exceeds 1; see [`scale`](Self::scale).
    pub fn from_fn_scaled(items: usize, dim: usize, phi: impl FnMut(Arm, Arm, &mut [f64])) -> Result<Self> {
        one_dictionary(items, dim, phi, true)
    }

    /// Features from a dense K × K × d array (row-major), which must be antisymmetric.
    pub fn from_array(items: usize, dim: usize, array: &[f64]) -> Result<Self> {
        check_array(items, dim, array)?;
        one_dictionary(items, dim, |i, j, out| copy_pair(items, dim, array, i, j, out), false)
    }

    /// As [`from_array`](Self::from_array), divided by the largest norm where that exceeds 1.
    pub fn from_array_scaled(items: usize, dim: usize, array: &[f64]) -> Result<Self> {
        check_array(items, dim, array)?;
        one_dictionary(items, dim, |i, j, out| copy_pair(items, dim, array, i, j, out), true)
    }

    /// φ(i,j) = x_i − x_j from K item vectors of length d, row by row.
    pub fn differences(items: usize, dim: usize, vectors: &[f64]) -> Result<Self> {
        differences(items, dim, vectors, false)
    }

    /// As [`differences`](Self::differences), scaled where some pair's norm exceeds 1: by the largest norm up to 4,096
    /// items, beyond that by twice the largest distance from the centre, which is never smaller.
    pub fn differences_scaled(items: usize, dim: usize, vectors: &[f64]) -> Result<Self> {
        differences(items, dim, vectors, true)
    }

    /// φ(i,j) = x_i − x_j with every feature in units of its own spread, centred, and then scaled as by
    /// [`differences_scaled`](Self::differences_scaled): what a fit likes best, and scores do not depend on units. A
    /// feature that is the same for all items says nothing, and is lost.
    pub fn standardised(items: usize, dim: usize, vectors: &[f64]) -> Result<Self> {
        for (position, x) in vectors.iter().enumerate() {
            finite(*x, || format!("feature {} of item {}", position % dim.max(1), position / dim.max(1)))?;
        }
        let mut columns = vectors.to_vec();
        if dim > 0 {
            for (c, column) in (0..dim).map(|c| (c, vectors.iter().skip(c).step_by(dim))) {
                // By the largest number first: no square under- or overflows.
                let largest = column.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
                let unit = if largest > 0.0 { largest } else { 1.0 };
                let n = column.len().max(1) as f64;
                let mean = column.clone().map(|x| x / unit / n).sum::<f64>();
                let spread = (column.map(|x| (x / unit - mean).powi(2) / n).sum::<f64>()).sqrt();
                // Rounding makes a constant's spread a little more than 0.
                let constant = spread <= 1e-14;
                let standard = |x: f64| if constant { 0.0 } else { (x / unit - mean) / spread };
                columns.iter_mut().skip(c).step_by(dim).for_each(|x| *x = standard(*x));
            }
        }
        differences(items, dim, &columns, true)
    }

    /// φ(i,j) = x_i − x_j of K items in each of several contexts, whose item vectors (K × d numbers each) differ: all
    /// in one basis, that of the span of all differences within contexts, and in one scale, so that one θ belongs to
    /// all of them. Scaled as by [`differences_scaled`](Self::differences_scaled).
    ///
    /// ```
    /// use borduel_rank::{Duel, Features};
    /// // In the first context items differ in one feature, in the second in the other.
    /// let family = Features::family(2, 2, &[vec![0.0, 0.0, 0.5, 0.0], vec![0.0, 0.0, 0.0, 0.5]])?;
    /// assert_eq!(family.iter().map(|own| own.phi(Duel(1, 0))).collect::<Vec<_>>(), [[0.5, 0.0], [0.0, 0.5]]);
    /// # Ok::<(), borduel_rank::Error>(())
    /// ```
    pub fn family(items: usize, dim: usize, contexts: &[Vec<f64>]) -> Result<Vec<Self>> {
        at_least_two(items)?;
        at_least_one_dimension(dim)?;
        contexts.iter().try_for_each(|own| check_rows("the item features of a context", items, dim, own))?;
        if contexts.is_empty() {
            return Err(Error::setting("contexts", 0, "must be at least 1"));
        }
        crate::size::numbers(&[contexts.len(), items, dim])?;
        in_one_basis(items, dim, &contexts.concat(), true)
    }

    /// φ(i,j) of K items in each of several contexts, from a function that writes φ of a context, asked only for i < j:
    /// all in one basis and one scale, as by [`family`](Self::family).
    pub fn family_of_pairs(
        items: usize,
        dim: usize,
        contexts: usize,
        phi: impl FnMut(usize, Arm, Arm, &mut [f64]),
    ) -> Result<Vec<Self>> {
        if contexts == 0 {
            return Err(Error::setting("contexts", 0, "must be at least 1"));
        }
        dictionaries(items, dim, contexts, phi, true)
    }

    /// φ(i,j) = x_i − x_j from vectors that are given in the standard basis and scaled already, whatever their span.
    #[doc(hidden)]
    pub fn in_standard_basis(items: usize, dim: usize, scale: f64, vectors: &[f64]) -> Self {
        finish(items, dim, scale, None, Store::Differences { items: vectors.into() })
    }

    /// No features at all, for policies that need none: d = 0, every φ is empty, and nothing of the size of K is kept.
    pub fn none(items: usize) -> Result<Self> {
        at_least_two(items)?;
        Ok(finish(items, 0, 1.0, None, Store::Differences { items: Arc::default() }))
    }

    /// One-hot items: φ(i,j) = (e_i − e_j)/√2, the Bradley–Terry model as a special case; K − 1 dimensions.
    pub fn one_hot(items: usize) -> Result<Self> {
        at_least_two(items)?;
        crate::size::numbers(&[items, items])?;
        // Helmert's orthonormal basis of the vectors that sum to 0: column c is (1, …, 1, −c, 0, …) / √(c(c+1)).
        let basis = DMatrix::from_fn(items, items - 1, |row, column| {
            let c = (column + 1) as f64;
            let length = (c * (c + 1.0)).sqrt();
            match row.cmp(&(column + 1)) {
                std::cmp::Ordering::Less => 1.0 / length,
                std::cmp::Ordering::Equal => -c / length,
                std::cmp::Ordering::Greater => 0.0,
            }
        });
        let rows = basis.transpose().as_slice().iter().map(|x| x * std::f64::consts::FRAC_1_SQRT_2).collect();
        let scale = std::f64::consts::FRAC_1_SQRT_2;
        Ok(finish(items, items, scale, Some(basis), Store::Differences { items: rows }))
    }
}

fn at_least_two(items: usize) -> Result<()> {
    if items < 2 { Err(Error::TooFewItems { found: items }) } else { Ok(()) }
}

fn at_least_one_dimension(dim: usize) -> Result<()> {
    if dim == 0 { Err(Error::RankZero) } else { Ok(()) }
}

fn copy_pair(items: usize, dim: usize, array: &[f64], i: Arm, j: Arm, out: &mut [f64]) {
    let start = (i * items + j) * dim;
    out.copy_from_slice(&array[start..start + dim]);
}

/// The right length, and antisymmetric; NaN is left to the check of single entries, which names it.
fn check_array(items: usize, dim: usize, array: &[f64]) -> Result<()> {
    at_least_two(items)?;
    if Some(array.len() as u128) != (items as u128).pow(2).checked_mul(dim as u128) {
        return Err(Error::Shape {
            what: "the array of pair features",
            shape: format!("K × K × d = {items} × {items} × {dim}"),
            expected: items.saturating_mul(items).saturating_mul(dim),
            found: array.len(),
        });
    }
    for i in 0..items {
        for j in i..items {
            for coordinate in 0..dim {
                let (a, b) = (array[(i * items + j) * dim + coordinate], array[(j * items + i) * dim + coordinate]);
                finite(a, || format!("coordinate {coordinate} of φ({i},{j})"))?;
                finite(b, || format!("coordinate {coordinate} of φ({j},{i})"))?;
                if a != -b {
                    return Err(Error::NotAntisymmetric { i, j, coordinate });
                }
            }
        }
    }
    Ok(())
}

fn finite(value: f64, what: impl FnOnce() -> String) -> Result<()> {
    if value.is_finite() { Ok(()) } else { Err(Error::NotFinite { what: what(), value }) }
}

/// Asks for every pair once, keeps each vector once up to sign, and codes the pairs.
fn one_dictionary(
    items: usize,
    dim: usize,
    mut phi: impl FnMut(Arm, Arm, &mut [f64]),
    scaled: bool,
) -> Result<Features> {
    dictionaries(items, dim, 1, |_, i, j, out| phi(i, j, out), scaled).map(|mut one| one.remove(0))
}

/// The same in every context: scale and span are those of all vectors.
fn dictionaries(
    items: usize,
    dim: usize,
    contexts: usize,
    mut phi: impl FnMut(usize, Arm, Arm, &mut [f64]),
    scaled: bool,
) -> Result<Vec<Features>> {
    at_least_two(items)?;
    at_least_one_dimension(dim)?;
    crate::size::numbers(&[contexts, items, items])?;
    crate::size::numbers(&[dim])?;
    let mut vectors: Vec<f64> = Vec::new();
    let mut first_pair: Vec<(usize, Arm, Arm)> = Vec::new();
    // How many vectors every context has, and the codes of its pairs.
    let mut members: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut vector = vec![0.0; dim];
    let place = |context: usize| if contexts > 1 { format!(" in context {context}") } else { String::new() };
    for context in 0..contexts {
        let mut own: Vec<f64> = Vec::new();
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut codes = vec![ZERO; items * items];
        for (i, j) in (0..items).flat_map(|i| (i + 1..items).map(move |j| (i, j))) {
            phi(context, i, j, &mut vector);
            for (coordinate, x) in vector.iter_mut().enumerate() {
                finite(*x, || format!("coordinate {coordinate} of φ({i},{j}){}", place(context)))?;
                // −0 → 0, so that equal numbers have equal bits.
                *x += 0.0;
            }
            let Some(leading) = vector.iter().find(|x| **x != 0.0) else { continue };
            let negative = *leading < 0.0;
            if negative {
                vector.iter_mut().for_each(|x| *x = 0.0 - *x);
            }
            let before = own.len();
            let slot = intern(&mut own, &mut known, &vector);
            if own.len() > before {
                first_pair.push((context, i, j));
            }
            codes[i * items + j] = slot << 1 | u32::from(negative);
            codes[j * items + i] = slot << 1 | u32::from(!negative);
        }
        members.push((own.len() / dim, codes));
        vectors.append(&mut own);
    }
    let name = |position: usize| {
        let ((context, i, j), c) = (first_pair[position / dim], position % dim);
        (format!("coordinate {c} of φ({i},{j}){}", place(context)), ((context * items + i) * items + j) * dim + c)
    };
    let extent = Extent::of(&vectors, |_| 0.0, name)?;
    let mut vectors = extent.in_units(&vectors).into_owned();
    let norms = vectors.chunks_exact(dim).map(|row| dot(row, row).sqrt()).zip(&first_pair);
    let longest = norms.fold((0.0, 0, 1), |best, (norm, &(_, i, j))| if norm > best.0 { (norm, i, j) } else { best });
    let scale = extent.scale_for(longest, scaled, longest.0)?;
    if scale != 1.0 {
        vectors.iter_mut().for_each(|x| *x *= scale);
    }
    crate::size::numbers(&[dim, dim])?;
    let basis = span::basis(&vectors, dim);
    span::lost_to_rounding(&vectors, &vectors, basis.as_ref(), dim, name)?;
    if let Some(basis) = &basis {
        vectors = span::coordinates(&vectors, dim, basis);
    }
    let rank = basis.as_ref().map_or(dim, DMatrix::ncols);
    let mut rest = &vectors[..];
    let member = |(count, mut codes): (usize, Vec<u32>)| {
        let (own, later) = rest.split_at(count * rank);
        rest = later;
        codes.iter_mut().filter(|code| **code == ZERO).for_each(|code| *code = (count as u32) << 1);
        let store = Store::Dictionary { vectors: own.into(), codes: codes.into() };
        finish(items, dim, scale * extent.unit, basis.clone(), store)
    };
    Ok(members.into_iter().map(member).collect())
}

/// The code of a pair whose vector is zero, until the number of slots is known.
const ZERO: u32 = u32::MAX;

/// The slot of a vector, new or known. Equal means bitwise equal.
fn intern(vectors: &mut Vec<f64>, known: &mut HashMap<u64, u32>, vector: &[f64]) -> u32 {
    let dim = vector.len();
    let mut key = vector.iter().fold(0, |key, x| mix(key, x.to_bits()));
    loop {
        match known.get(&key) {
            Some(&slot) if vectors[slot as usize * dim..][..dim] == *vector => return slot,
            // Two vectors with one hash: look one further.
            Some(_) => key = key.wrapping_add(1),
            None => {
                let slot = (vectors.len() / dim) as u32;
                known.insert(key, slot);
                vectors.extend_from_slice(vector);
                return slot;
            }
        }
    }
}

fn differences(items: usize, dim: usize, vectors: &[f64], scaled: bool) -> Result<Features> {
    at_least_two(items)?;
    at_least_one_dimension(dim)?;
    check_rows("the array of item features", items, dim, vectors)?;
    // As many as there are contexts: one.
    in_one_basis(items, dim, vectors, scaled).map(|mut one| one.remove(0))
}

fn check_rows(what: &'static str, items: usize, dim: usize, vectors: &[f64]) -> Result<()> {
    if vectors.len() as u128 == items as u128 * dim as u128 {
        return Ok(());
    }
    let (shape, expected) = (format!("K × d = {items} × {dim}"), items.saturating_mul(dim));
    Err(Error::Shape { what, shape, expected, found: vectors.len() })
}

/// φ(i,j) = x_i − x_j of every context, whose item vectors stand one context after the other: scale and span are those
/// of all differences within contexts.
fn in_one_basis(items: usize, dim: usize, vectors: &[f64], scaled: bool) -> Result<Vec<Features>> {
    let several = vectors.len() > items * dim;
    let size = items * dim;
    let name = |position: usize| {
        let (context, own) = (position / size, position % size);
        let place = if several { format!(" in context {context}") } else { String::new() };
        (format!("feature {} of item {}{place}", own % dim, own / dim), position)
    };
    // The same feature of the first item of the same context.
    let first = |position: usize| position / size * size + position % dim;
    let extent = Extent::of(vectors, |position| vectors[first(position)], name)?;
    let vectors = extent.in_units(vectors);
    let centred: Vec<f64> = vectors.iter().enumerate().map(|(p, x)| x - vectors[first(p)]).collect();
    let widest = vectors.chunks_exact(size).map(|own| widest_pair(own, items, dim)).fold(Widest::NONE, Widest::wider);
    let scale = extent.scale_for((widest.norm, widest.i, widest.j), scaled, widest.bound)?;
    crate::size::numbers(&[dim, dim])?;
    let basis = span::basis(&centred, dim);
    span::lost_to_rounding(&centred, &vectors, basis.as_ref(), dim, name)?;
    let mut rows = match &basis {
        None => vectors.to_vec(),
        Some(basis) => span::coordinates(&centred, dim, basis),
    };
    rows.iter_mut().for_each(|x| *x = *x * scale + 0.0);
    let (scale, rank) = (scale * extent.unit, basis.as_ref().map_or(dim, DMatrix::ncols));
    let of_context = |own: &[f64]| finish(items, dim, scale, basis.clone(), Store::Differences { items: own.into() });
    Ok(rows.chunks_exact(items * rank).map(of_context).collect())
}

/// The longest difference found, and a bound on all of them.
struct Widest {
    i: Arm,
    j: Arm,
    norm: f64,
    bound: f64,
}

impl Widest {
    /// That of no items at all.
    const NONE: Self = Self { i: 0, j: 0, norm: 0.0, bound: 0.0 };

    /// The longer of two, and a bound on both.
    fn wider(self, other: Self) -> Self {
        let bound = self.bound.max(other.bound);
        Self { bound, ..if other.norm > self.norm { other } else { self } }
    }
}

/// The longest ‖x_i − x_j‖, without looking at pairs that cannot matter: no pair is longer than the sum of its two
/// distances from the centre. Beyond [`EXACT_DIAMETER`] items it only settles whether some pair exceeds 1.
fn widest_pair(vectors: &[f64], items: usize, dim: usize) -> Widest {
    let row = |i: Arm| &vectors[i * dim..(i + 1) * dim];
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt();
    let mut centre = vec![0.0; dim];
    (0..items).for_each(|i| super::add_scaled(&mut centre, 1.0 / items as f64, row(i)));
    let mut order: Vec<(f64, Arm)> = (0..items).map(|i| (distance(row(i), &centre), i)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // The farthest from the outermost, and the farthest from that one: a good first guess.
    let farthest = |from: Arm| {
        (0..items)
            .map(|j| (distance(row(from), row(j)), j))
            .fold((0.0, from), |best, x| if x.0 > best.0 { x } else { best })
    };
    let (_, a) = farthest(order[0].1);
    let (norm, b) = farthest(a);
    let mut best = (norm, a.min(b), a.max(b));
    let exact = items <= EXACT_DIAMETER;
    // With few items every longer pair counts; with many only one that decides about 1.
    let floor = |best: f64| if exact { best } else { best.max(1.0) };
    if exact || best.0 <= 1.0 {
        for (place, &(radius, i)) in order.iter().enumerate() {
            for &(other, j) in &order[place + 1..] {
                if radius + other <= floor(best.0) {
                    break;
                }
                let norm = distance(row(i), row(j));
                if norm > best.0 {
                    best = (norm, i.min(j), i.max(j));
                }
            }
        }
    }
    let bound = if exact { best.0 } else { 2.0 * order[0].0 };
    Widest { i: best.1, j: best.2, norm: best.0, bound }
}

/// The features with their rank and fingerprint.
pub(super) fn finish(
    items: usize,
    given_dim: usize,
    scale: f64,
    basis: Option<DMatrix<f64>>,
    store: Store,
) -> Features {
    let dim = basis.as_ref().map_or(given_dim, DMatrix::ncols);
    let mut fingerprint = mix(mix(items as u64, given_dim as u64), dim as u64);
    let (rows, codes): (_, &[u32]) = match &store {
        Store::Dictionary { vectors, codes } => (vectors, codes),
        Store::Differences { items } => (items, &[]),
    };
    fingerprint = rows.iter().fold(fingerprint, |key, x| mix(key, x.to_bits()));
    fingerprint = codes.iter().fold(fingerprint, |key, code| mix(key, u64::from(*code)));
    Features { items, dim, given_dim, scale, basis: basis.map(Arc::new), store, fingerprint }
}
