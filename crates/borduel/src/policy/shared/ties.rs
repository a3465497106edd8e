//! The largest of some values, ties broken uniformly at random.

use crate::duel::Arm;
use crate::stream::Stream;

/// The items that attain the largest value offered so far. Working space: nothing of it is saved.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ties {
    best: f64,
    items: Vec<Arm>,
}

impl Ties {
    /// Room for this many items.
    pub(crate) fn new(items: usize) -> Self {
        Self { best: f64::NEG_INFINITY, items: Vec::with_capacity(items) }
    }

    /// Forgets all that were offered.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.best = f64::NEG_INFINITY;
        self.items.clear();
    }

    /// One more item.
    #[inline]
    pub(crate) fn offer(&mut self, item: Arm, value: f64) {
        if value > self.best {
            self.best = value;
            self.items.clear();
        }
        if value >= self.best {
            self.items.push(item);
        }
    }

    /// All that attain the largest value, in the order in which they came.
    #[inline]
    pub(crate) fn items(&self) -> &[Arm] {
        &self.items
    }

    /// Whether they reach this value.
    #[inline]
    pub(crate) fn reach(&self, least: f64) -> bool {
        self.best >= least
    }

    /// The probability that this item is drawn.
    pub(crate) fn share(&self, item: Arm) -> f64 {
        if self.items.contains(&item) { 1.0 / self.items.len() as f64 } else { 0.0 }
    }

    /// One of them, if they reach this value.
    #[inline]
    pub(crate) fn draw_from(&self, least: f64, stream: &mut Stream) -> Option<Arm> {
        self.reach(least).then(|| self.draw(stream))
    }

    /// One of them; a random number is drawn only where there are several. The first item if none was offered.
    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> Arm {
        match self.items.len() {
            0 => 0,
            1 => self.items[0],
            n => self.items[stream.below(n)],
        }
    }
}
