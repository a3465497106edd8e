//! What the questions are for: which scores or differences are to be told, and how well some information tells them.

use super::{Goal, Guide, PlanOptions, Precision, Prior};
use crate::link::Link;
use crate::order::sort_descending;
use crate::ranking::best::best;
use crate::ranking::dense;
use crate::sequential::Trust;
use nalgebra::DMatrix;

/// Gradients c, scaled by √ω, and the pairs of items whose differences count.
pub(crate) struct Target {
    pub(crate) directions: DMatrix<f64>,
    pub(crate) differences: Vec<(usize, usize)>,
    /// Who may still be best, the leader first.
    pub(crate) contenders: Vec<usize>,
}

impl Target {
    /// The target for the items that are not excluded, of which there are at least two.
    pub(crate) fn new(prior: &Prior, options: &PlanOptions) -> Self {
        let items: Vec<usize> = (0..prior.features.items()).filter(|i| !options.excluded_items.contains(i)).collect();
        let everything = |contenders: Vec<usize>, items: &[usize]| {
            let differences = items.windows(2).map(|pair| (pair[0], pair[1])).collect();
            Self { directions: prior.gradients.select_rows(items), differences, contenders }
        };
        let Some(estimate) = prior.scored() else {
            return match options.guide.as_ref() {
                Some(guide) => Self::guided(prior, guide, &items, options.margin),
                None => everything(items.clone(), &items),
            };
        };
        let mut order = items.clone();
        sort_descending(&mut order, &estimate.borda);
        let leader = order[0];
        let contenders = best(estimate, &order, options.level, options.seed).contenders;
        if options.goal == Goal::All {
            return everything(contenders, &items);
        }
        // Where the winner is clear, what can still be told better is its lead over everybody.
        let rivals = if contenders.len() > 1 { contenders[1..].to_vec() } else { order[1..].to_vec() };
        let gap = |rival: usize| (estimate.borda[leader] - estimate.borda[rival]).max(options.margin);
        Self::leads(prior, (leader, &rivals), gap, contenders)
    }

    /// The leads of who is first in the eyes of judges, as long as votes do not tell who is.
    fn guided(prior: &Prior, guide: &Guide, items: &[usize], margin: f64) -> Self {
        let (s, mut order) = (&guide.strengths, items.to_vec());
        sort_descending(&mut order, s);
        let score = |i: usize| {
            let beats = items.iter().filter(|&&j| j != i).map(|&j| Link::Logistic.mu(s[i] - s[j]));
            beats.sum::<f64>() / (items.len() - 1) as f64
        };
        let (leader, first) = (order[0], score(order[0]));
        let gap = |rival: usize| match guide.trust {
            Trust::Model => (first - score(rival)).max(margin),
            Trust::Checked | Trust::Typical | Trust::Nothing => 1.0,
        };
        Self::leads(prior, (leader, &order[1..]), gap, items.to_vec())
    }

    /// The leader's leads on its rivals, small gaps first.
    fn leads(
        prior: &Prior,
        (leader, rivals): (usize, &[usize]),
        gap: impl Fn(usize) -> f64,
        contenders: Vec<usize>,
    ) -> Self {
        let mut directions = DMatrix::zeros(rivals.len(), prior.features.dim());
        for (row, &rival) in rivals.iter().enumerate() {
            directions.set_row(row, &((prior.gradients.row(leader) - prior.gradients.row(rival)) / gap(rival)));
        }
        let differences = rivals.iter().map(|&rival| (leader, rival)).collect();
        Self { directions, differences, contenders }
    }

    /// The precision that this information gives, and every item's half-width.
    pub(crate) fn precision(
        &self,
        prior: &Prior,
        information: &DMatrix<f64>,
        z: f64,
        asked: usize,
        spent: f64,
    ) -> (Precision, Option<Vec<f64>>) {
        let unknown = Precision { asked, spent, mean: None, worst: None, difference: None };
        let scale = information.diagonal().amax();
        let factor = dense::factor(information).filter(|(l, _)| l.diagonal().iter().all(|x| x * x > 1e-9 * scale));
        let Some((_, inverse)) = factor else { return (unknown, None) };
        let root = inverse * prior.gradients.transpose();
        let widths: Vec<f64> = root.column_iter().map(|column| z * column.norm()).collect();
        let difference = |&(i, j): &(usize, usize)| z * (root.column(i) - root.column(j)).norm();
        let precision = Precision {
            mean: Some(widths.iter().sum::<f64>() / widths.len() as f64),
            worst: widths.iter().copied().reduce(f64::max),
            difference: self.differences.iter().map(difference).reduce(f64::max),
            ..unknown
        };
        (precision, Some(widths))
    }
}
