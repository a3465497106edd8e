//! The plan as all voters' questions are drawn from it.

/// A pair of items, the lower number first.
pub(crate) type Pair = (u16, u16);

/// What all voters' questions are drawn from: the enabled items, and the plan's pairs of them with running sums of weights.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub(crate) enabled: Vec<u16>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) ends: Vec<u64>,
}

impl Table {
    /// The table of these items, in order, and of the plan's pairs, in order.
    pub fn new(enabled: Vec<u16>, plan: &[(u16, u16, u32)]) -> Self {
        let (mut pairs, mut ends, mut sum) = (Vec::with_capacity(plan.len()), Vec::with_capacity(plan.len()), 0);
        for &(i, j, weight) in plan {
            if weight > 0 && enabled.binary_search(&i).is_ok() && enabled.binary_search(&j).is_ok() {
                sum += u64::from(weight);
                pairs.push((i, j));
                ends.push(sum);
            }
        }
        Self { enabled, pairs, ends }
    }

    pub(crate) fn weight_at(&self, row: usize) -> u64 {
        self.ends[row] - row.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    pub(crate) fn weight(&self, pair: Pair) -> u64 {
        self.pairs.binary_search(&pair).map_or(0, |row| self.weight_at(row))
    }
}
