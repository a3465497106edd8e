//! Optimal experimental design: how often to ask for each vector so that every pair is estimated well, with a proof.

mod candidates;
mod exchange;
mod frame;
mod pairs;
mod reduce;

use crate::error::{Error, Result};
use crate::features::Features;
use candidates::Candidates;
use exchange::Exchange;
use frame::Frame;
use serde::{Deserialize, Serialize};

/// A design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// slots
    pub support: Vec<usize>,
    /// weights
    pub weights: Vec<f64>,
    /// g
    pub g: f64,
    /// exact
    pub exact: bool,
    /// iterations
    pub iterations: usize,
    /// dim
    pub dim: usize,
}

impl Design {
    /// cert
    pub fn certificate(&self) -> f64 {
        self.g / self.dim as f64
    }
}

/// g
pub fn g_optimal(features: &Features, tolerance: f64) -> Result<Design> {
    if !(tolerance.is_finite() && (1e-10..=1.0).contains(&tolerance)) {
        return Err(Error::setting("tolerance", tolerance, "give a number from 1e-10 to 1, such as 0.01"));
    }
    let d = features.dim() as f64;
    let all = Candidates::all(features);
    let mut pool = all.thinned(if features.is_differences() { 512 } else { 4096 });
    let mut search = Search::start(features, &all, &pool)?;
    let trace = std::env::var("TRACE").is_ok();
    let t0 = std::time::Instant::now();
    loop {
        search.solve(&pool, d * (1.0 + 0.5 * tolerance))?;
        if trace {
            eprintln!(
                "{:?} solved pool {} iterations {} support {}",
                t0.elapsed(),
                pool.len(),
                search.iterations,
                search.slots.len()
            );
        }
        search.shrink()?;
        let found = all.search(&search.frame, 4096, 1 << 30);
        if trace {
            eprintln!("{:?} full: max {} bound {}", t0.elapsed(), found.max / d, found.bound / d);
        }
        search.scans += 1;
        if found.max <= d * (1.0 + tolerance) || search.scans > 100 {
            return Ok(search.finish(&found));
        }
        let slots = search.slots.iter().copied().chain(found.top.iter().map(|x| x.1));
        pool = all.chosen(slots, 512 + search.slots.len());
    }
}

struct Search<'f> {
    features: &'f Features,
    frame: Frame,
    slots: Vec<usize>,
    weights: Vec<f64>,
    iterations: usize,
    scans: usize,
}

impl<'f> Search<'f> {
    fn start(features: &'f Features, all: &Candidates, pool: &Candidates) -> Result<Self> {
        let (frame, mut slots) = Frame::start(features, pool, 1e-6)
            .or_else(|| Frame::start(features, all, 0.0))
            .ok_or_else(|| Error::Data("features do not span".to_owned()))?;
        let d = features.dim();
        if features.distinct() <= d * (d + 1) / 2 {
            slots = (0..features.distinct()).collect();
        }
        let weights = vec![1.0 / slots.len() as f64; slots.len()];
        Ok(Self { features, frame, slots, weights, iterations: 0, scans: 0 })
    }

    fn solve(&mut self, pool: &Candidates, goal: f64) -> Result<()> {
        let d = self.features.dim();
        let mean = d as f64;
        let env = |s: &str, x: usize| std::env::var(s).ok().and_then(|v| v.parse().ok()).unwrap_or(x);
        let limit = env("LIM", 2) * d + 8;
        let sweeps = env("SWEEPS", 4);
        for _ in 0..5000 {
            self.frame.renew(self.features, &self.slots, &self.weights)?;
            let found = pool.search(&self.frame, limit, usize::MAX);
            if std::env::var("TRACE2").is_ok() {
                eprintln!("   {} support {}", found.max / mean, self.slots.len());
            }
            if found.max <= goal {
                return Ok(());
            }
            self.iterations += 1;
            for (_, slot) in &found.top {
                if !self.slots.contains(slot) {
                    self.slots.push(*slot);
                    self.weights.push(0.0);
                }
            }
            let rows = self.frame.renew(self.features, &self.slots, &self.weights)?;
            let next = mean + (found.max - mean) / 16.0;
            Exchange::new(d, &rows, &mut self.weights).run(next.max(mean + (goal - mean) / 2.0), sweeps);
            self.prune();
        }
        Ok(())
    }

    fn prune(&mut self) {
        let kept: Vec<(usize, f64)> =
            self.slots.iter().copied().zip(self.weights.iter().copied()).filter(|(_, w)| *w > 0.0).collect();
        let total: f64 = kept.iter().map(|(_, w)| w).sum();
        (self.slots, self.weights) = kept.into_iter().map(|(s, w)| (s, w / total)).unzip();
    }

    fn shrink(&mut self) -> Result<()> {
        let d = self.features.dim();
        if self.slots.len() > d * (d + 1) / 2 {
            let rows = self.frame.renew(self.features, &self.slots, &self.weights)?;
            reduce::reduce(d, &rows, &mut self.weights);
            self.prune();
            self.frame.renew(self.features, &self.slots, &self.weights)?;
        }
        Ok(())
    }

    fn finish(self, found: &candidates::Found) -> Design {
        let mut points: Vec<(usize, f64)> = self.slots.into_iter().zip(self.weights).collect();
        points.sort_unstable_by_key(|point| point.0);
        let (support, weights) = points.into_iter().unzip();
        Design {
            support,
            weights,
            g: found.bound,
            exact: found.bound <= found.max,
            iterations: self.iterations,
            dim: self.features.dim(),
        }
    }
}
/// tmp
pub struct PaperDesign {
    /// w
    pub weights: Vec<f64>,
    /// g
    pub g: f64,
}
/// tmp
pub fn paper(features: &Features) -> Result<PaperDesign> {
    let _ = features;
    Err(crate::error::Error::RankZero)
}
