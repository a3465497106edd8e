//! An axis: from values to places, and ticks that people like.

/// A linear or logarithmic axis.
pub(super) struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    logarithmic: bool,
}

impl Axis {
    /// From the smallest to the largest value, the upper end rounded to a tick.
    pub(super) fn linear(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (low, high) = range(values);
        let axis = Self { low, high: if high > low { high } else { low + 1.0 }, start, end, logarithmic: false };
        let step = axis.step();
        let low = if axis.low < 0.0 { (axis.low / step).floor() * step } else { axis.low };
        // Times end where they end; regrets get a little air.
        Self { low, high: if start > end { axis.high * 1.03 } else { axis.high }, ..axis }
    }

    /// From the smallest to the largest value, in orders of magnitude.
    pub(super) fn logarithmic(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (low, high) = range(values.filter(|x| *x > 0.0).map(f64::log10));
        let (low, high) = if high > low { (low, high) } else { (low, low + 1.0) };
        Self { low, high: if start > end { high + 0.05 } else { high }, start, end, logarithmic: true }
    }

    /// Where a value is drawn; outside values at the edge.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(f64::MIN_POSITIVE).log10() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.start + share * (self.end - self.start)
    }

    /// Values with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.logarithmic {
            return self.decades();
        }
        let step = self.step();
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|n| n as f64 * step).map(|value| (value, compact(value))).collect()
    }

    /// The distance of ticks: 1, 2 or 5 times a power of ten, about five of them.
    fn step(&self) -> f64 {
        let rough = (self.high - self.low) / 5.0;
        let power = 10_f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= rough).unwrap_or(10.0);
        factor * power
    }

    /// Powers of ten; the fewer of them there are, the more of their multiples.
    fn decades(&self) -> Vec<(f64, String)> {
        let inside = |value: f64| (self.low - 1e-9..=self.high + 1e-9).contains(&value.log10());
        let factors: &[f64] = match self.high - self.low {
            wide if wide > 2.5 => &[1.0],
            narrow if narrow < 0.9 => &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        values.filter(|value| inside(*value)).map(|value| (value, compact(value))).collect()
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|x| x.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

/// A tick's label: 0.5, 20, 250k, 1M.
fn compact(value: f64) -> String {
    let (number, unit) = match value.abs() {
        x if x >= 1e12 => return format!("{value:.0e}"),
        x if x >= 1e9 => (value / 1e9, "G"),
        x if x >= 1e6 => (value / 1e6, "M"),
        x if x >= 1e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{number:.4}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.').replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let axis = Axis::linear([0.0, 1e6].into_iter(), 0.0, 100.0);
        let labels: Vec<String> = axis.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["0", "200k", "400k", "600k", "800k", "1M"]);
        let log = Axis::logarithmic([5e3, 1e6].into_iter(), 0.0, 100.0);
        let labels: Vec<String> = log.ticks().into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["5k", "10k", "20k", "50k", "100k", "200k", "500k", "1M"]);
        assert_eq!((log.place(5e3), log.place(1e6), log.place(1e9)), (0.0, 100.0, 100.0));
        assert_eq!(Axis::linear([0.0, -40.0].into_iter(), 0.0, 1.0).ticks()[0].1, "−40");
    }
}
