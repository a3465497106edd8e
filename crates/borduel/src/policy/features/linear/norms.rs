//! Ellipsoids of what was asked, and the widest pair of items in them.

use super::vector;
use crate::duel::{Arm, Duel};
use crate::features::dot;
use crate::problem::Problem;
use crate::stream::Stream;
use nalgebra::{DMatrixView, DMatrixViewMut};
use serde::{Deserialize, Serialize};

/// V⁻¹ for V = λI + Σ g zzᵀ.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Inverse {
    d: usize,
    pub(super) matrix: Vec<f64>,
    /// Working space of one update.
    #[serde(skip)]
    image: Vec<f64>,
}

impl Inverse {
    pub(crate) fn new(d: usize, ridge: f64) -> Self {
        let mut matrix = vec![0.0; d * d];
        (0..d).for_each(|c| matrix[c * d + c] = 1.0 / ridge);
        Self { d, matrix, image: Vec::with_capacity(d) }
    }

    /// V⁻¹ itself, where the sum does not begin with λI.
    pub(crate) fn from_matrix(d: usize, matrix: Vec<f64>) -> Self {
        Self { d, matrix, image: Vec::with_capacity(d) }
    }

    /// ‖e_i − e_j‖², of two coordinates.
    #[inline]
    pub(crate) fn square_between(&self, i: usize, j: usize) -> f64 {
        let of = |row: usize, column: usize| self.matrix[row * self.d + column];
        (of(i, i) + of(j, j) - 2.0 * of(i, j)).max(0.0)
    }

    fn apply(&self, z: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.matrix.chunks_exact(self.d).map(|row| dot(row, z)));
    }

    /// ‖z‖² = zᵀV⁻¹z.
    pub(crate) fn square(&self, z: &[f64], image: &mut Vec<f64>) -> f64 {
        self.apply(z, image);
        dot(z, image)
    }

    /// Adds g zzᵀ to V (takes it off, for a negative g): V⁻¹ − V⁻¹z(V⁻¹z)ᵀ/(1/g + ‖z‖²).
    pub(crate) fn add(&mut self, z: &[f64], g: f64) {
        let mut image = std::mem::take(&mut self.image);
        self.apply(z, &mut image);
        let scale = g / (1.0 + g * dot(z, &image));
        for row in 0..self.d {
            for column in 0..self.d {
                self.matrix[row * self.d + column] -= scale * image[row] * image[column];
            }
        }
        self.image = image;
    }
}

/// Norms of all differences of items in one ellipsoid, made ready for many looks. Working space: nothing of it is
/// saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Norms {
    /// V⁻¹x_i, row by row, and x_iᵀV⁻¹x_i.
    images: Vec<f64>,
    squares: Vec<f64>,
    /// x_iᵀV⁻¹x_j, where features are many.
    products: Vec<f64>,
    /// The mean of all x, and its own square.
    mean: Vec<f64>,
    mean_square: f64,
    row: Vec<f64>,
    heads: Vec<Head>,
    widest: Vec<Duel>,
}

/// What an item adds to a pair at most, by its distance from the centre and from the mean of all.
#[derive(Debug, Clone, Copy)]
struct Head {
    by_centre: f64,
    by_mean: f64,
    item: Arm,
}

/// The pair that was looked for.
pub(crate) struct Widest {
    pub(crate) duel: Duel,
    pub(crate) value: f64,
    /// The probability with which it was drawn among those that tie.
    pub(crate) chance: f64,
}

/// Values that differ by less than this share are taken for ties: exact ones are hidden by rounding.
const TIE: f64 = 1e-9;

/// With more features than this, all items are made ready together, as long as there are no more than so many.
const WIDE: usize = 128;
const MOST: usize = 2048;

impl Norms {
    /// Makes everything ready for this V⁻¹.
    pub(crate) fn prepare(&mut self, problem: &Problem, inverse: &Inverse) {
        let share = 1.0 / problem.items() as f64;
        self.images.clear();
        self.squares.clear();
        self.products.clear();
        self.mean.clear();
        self.mean.resize(problem.dim(), 0.0);
        if let Some(x) = problem.features().item_vectors().filter(|_| problem.dim() > WIDE && problem.items() <= MOST) {
            self.prepare_together(x, problem.items(), inverse);
            return;
        }
        for item in 0..problem.items() {
            let x = vector(problem, item);
            inverse.apply(x, &mut self.row);
            self.squares.push(dot(x, &self.row));
            self.images.extend_from_slice(&self.row);
            self.mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += share * x);
        }
        inverse.apply(&self.mean, &mut self.row);
        self.mean_square = dot(&self.mean, &self.row);
    }

    /// The same by products of whole matrices, which read V⁻¹ once instead of once an item.
    fn prepare_together(&mut self, x: &[f64], items: usize, inverse: &Inverse) {
        let d = inverse.d;
        let (v, columns) = (DMatrixView::from_slice(&inverse.matrix, d, d), DMatrixView::from_slice(x, d, items));
        self.images.resize(d * items, 0.0);
        DMatrixViewMut::from_slice(&mut self.images, d, items).gemm(1.0, &v, &columns, 0.0);
        let images = DMatrixView::from_slice(&self.images, d, items);
        self.products.resize(items * items, 0.0);
        DMatrixViewMut::from_slice(&mut self.products, items, items).gemm(1.0, &columns.transpose(), &images, 0.0);
        self.squares.extend((0..items).map(|i| self.products[i * items + i]));
        let share = 1.0 / items as f64;
        x.chunks_exact(d).for_each(|x| self.mean.iter_mut().zip(x).for_each(|(mean, x)| *mean += share * x));
        inverse.apply(&self.mean, &mut self.row);
        self.mean_square = dot(&self.mean, &self.row);
    }

    /// ‖x_i − x̄‖ with the mean of all items.
    pub(crate) fn off_mean(&self, i: Arm) -> f64 {
        let d = self.mean.len();
        let product = dot(&self.mean, &self.images[i * d..(i + 1) * d]);
        (self.squares[i] + self.mean_square - 2.0 * product).max(0.0).sqrt()
    }

    /// ‖x_i − x_j‖.
    #[inline]
    pub(crate) fn of(&self, problem: &Problem, i: Arm, j: Arm) -> f64 {
        self.square(problem, i, j).sqrt()
    }

    /// ‖x_i − x_j‖².
    #[inline]
    pub(crate) fn square(&self, problem: &Problem, i: Arm, j: Arm) -> f64 {
        let product = if self.products.is_empty() {
            let x = vector(problem, i);
            dot(x, &self.images[j * x.len()..(j + 1) * x.len()])
        } else {
            self.products[j * problem.items() + i]
        };
        (self.squares[i] + self.squares[j] - 2.0 * product).max(0.0)
    }

    /// argmax of value(i) + value(j) + β‖x_i − x_j‖ over pairs of `members`, with i = j if `same`; ties at random.
    ///
    /// Not all pairs are looked at: with ρ_i = ‖x_i − y‖ for any one y, no pair exceeds h_i + h_j, h_i = value(i) +
    /// βρ_i. Here y is the item of the largest value, which bounds pairs of good items, and the mean of all items,
    /// which bounds pairs that lie opposite each other. In the order of the first h a scan ends where their sum falls
    /// below the best value found, and what falls below it by the second is passed over; that of the two largest by the
    /// second is known before.
    pub(crate) fn widest(
        &mut self,
        problem: &Problem,
        members: &[Arm],
        value: impl Fn(Arm) -> f64,
        beta: f64,
        same: bool,
        stream: &mut Stream,
    ) -> Widest {
        let mut heads = std::mem::take(&mut self.heads);
        let mut widest = std::mem::take(&mut self.widest);
        let centre = members.iter().copied().max_by(|a, b| value(*a).total_cmp(&value(*b)).then(b.cmp(a))).unwrap_or(0);
        heads.clear();
        heads.extend(members.iter().map(|&item| Head {
            by_centre: value(item) + beta * self.of(problem, item, centre),
            by_mean: value(item) + beta * self.off_mean(item),
            item,
        }));
        heads.sort_unstable_by(|a, b| b.by_centre.total_cmp(&a.by_centre).then(a.item.cmp(&b.item)));
        let sum = |i: Arm, j: Arm| {
            let (i, j) = if i < j { (i, j) } else { (j, i) };
            (Duel(i, j), value(i) + value(j) + beta * self.of(problem, i, j))
        };
        let reached = largest_two(&heads).map_or(f64::NEG_INFINITY, |(i, j)| sum(i, j).1);
        let mut best = f64::NEG_INFINITY;
        widest.clear();
        let mut offer = |(duel, value): (Duel, f64)| {
            let slack = TIE * value.abs();
            if value > best + slack {
                widest.clear();
                best = value;
            }
            if value >= best - slack {
                widest.push(duel);
            }
            best
        };
        let mut bar = f64::NEG_INFINITY;
        if same {
            bar = offer((Duel(centre, centre), 2.0 * value(centre)));
        }
        // Below what is reached by more than what counts as a tie.
        let lost = |bar: f64| bar.max(reached) - 2.0 * TIE * bar.max(reached).abs();
        let mut least = lost(bar);
        for (place, first) in heads.iter().enumerate() {
            for second in &heads[place + 1..] {
                if first.by_centre + second.by_centre < least {
                    break;
                }
                if first.by_mean + second.by_mean < least {
                    continue;
                }
                bar = offer(sum(first.item, second.item));
                least = lost(bar);
            }
        }
        let duel = match widest.len() {
            0 => Duel(centre, centre),
            1 => widest[0],
            n => widest[stream.below(n)],
        };
        let chance = 1.0 / widest.len().max(1) as f64;
        (self.heads, self.widest) = (heads, widest);
        Widest { duel, value: bar, chance }
    }
}

/// The two items that add the most by their distance from the mean.
fn largest_two(heads: &[Head]) -> Option<(Arm, Arm)> {
    let (first, rest) = heads.split_first()?;
    let (mut most, mut next) = (first, rest.first()?);
    for head in rest {
        if head.by_mean > most.by_mean {
            (most, next) = (head, most);
        } else if head.by_mean > next.by_mean {
            next = head;
        }
    }
    Some((most.item, next.item))
}
