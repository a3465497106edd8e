//! The largest few of many values.

/// The largest few of many values; which ones does not depend on the order they come in.
pub(super) struct Top {
    /// Values not above this are of no interest.
    pub(super) floor: f64,
    limit: usize,
    /// The largest of all, at least the first floor.
    pub(super) max: f64,
    list: Vec<(f64, usize)>,
    full: bool,
}

impl Top {
    pub(super) fn new(floor: f64, limit: usize) -> Self {
        Self { floor, limit, max: floor, list: Vec::new(), full: false }
    }

    /// An empty list with the same floor and limit.
    pub(super) fn like(&self) -> Self {
        Self::new(self.floor, self.limit)
    }

    pub(super) fn push(&mut self, value: f64, name: usize) {
        self.max = self.max.max(value);
        self.list.push((value, name));
        if self.list.len() >= 2 * self.limit {
            self.cut();
        }
    }

    /// Keeps the largest and raises the floor to the least of them.
    fn cut(&mut self) {
        self.list.select_nth_unstable_by(self.limit - 1, larger_first);
        self.list.truncate(self.limit);
        self.floor = self.list[self.limit - 1].0;
        self.full = true;
    }

    /// The values kept with their names, largest first, and a bound on those above the first floor that were not kept;
    /// 0 if all were.
    pub(super) fn sorted(mut self) -> (Vec<(f64, usize)>, f64) {
        if self.list.len() > self.limit {
            self.cut();
        }
        self.list.sort_unstable_by(larger_first);
        (self.list, if self.full { self.floor } else { 0.0 })
    }
}

fn larger_first(a: &(f64, usize), b: &(f64, usize)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
