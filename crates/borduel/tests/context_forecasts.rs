//! How many more contexts settle who is best: as many as was forecast, as often as stated.

use crate::contexts::smoothed;
use borduel::sequential::{Judgement, Options, Votes, judge};
use borduel::{About, Duel, Features, Stream, stream};
use rayon::prelude::*;

/// Contexts that are a sample of such, and items of random strengths: log-odds of i over j in c are s(i) − s(j) +
/// τ(u(i,c) − u(j,c)).
#[derive(Debug, Clone, Copy)]
struct Sampled {
    items: usize,
    /// The standard deviation of s.
    apart: f64,
    tau: f64,
    /// How many there are when the forecast is made, and the votes in each.
    contexts: u32,
    votes: usize,
}

const SAMPLED: [Sampled; 4] = [
    Sampled { items: 2, apart: 0.4, tau: 0.7, contexts: 12, votes: 40 },
    Sampled { items: 4, apart: 0.5, tau: 0.7, contexts: 12, votes: 30 },
    Sampled { items: 4, apart: 0.4, tau: 0.4, contexts: 20, votes: 30 },
    Sampled { items: 8, apart: 0.5, tau: 0.7, contexts: 30, votes: 60 },
];

impl Sampled {
    fn ask(&self, strengths: &[f64], votes: &mut Votes, contexts: std::ops::Range<u32>, s: &mut Stream) {
        for context in contexts {
            let here: Vec<f64> = strengths.iter().map(|worth| worth + self.tau * s.normal()).collect();
            for _ in 0..self.votes {
                let i = s.below(self.items);
                let j = (i + 1 + s.below(self.items - 1)) % self.items;
                let won = s.uniform() < smoothed(here[i] - here[j], 0.0);
                votes.add_in(Some(context), Duel(i, j), f64::from(u8::from(won)));
            }
        }
    }

    /// Of so many files: how many have a forecast of further contexts, and in which share of these the number at which
    /// it is settled lies within, when somebody looks each time they have grown by an eighth.
    fn forecasts(&self, files: u64) -> (usize, f64) {
        let features = Features::one_hot(self.items).unwrap();
        let judged = |votes: &Votes| -> Judgement {
            judge(&features, votes, &Options::default().with_about(Some(About::Such))).unwrap()
        };
        let one = |file: u64| -> Option<bool> {
            let mut s = stream(file, &[49]);
            let strengths: Vec<f64> = (0..self.items).map(|_| self.apart * s.normal()).collect();
            let mut votes = Votes::new(self.items);
            self.ask(&strengths, &mut votes, 0..self.contexts, &mut s);
            let (low, high) = judged(&votes).contexts.unwrap().more?.range()?;
            let mut there = self.contexts;
            while f64::from(there - self.contexts) < high {
                let more = (there / 8).max(1);
                self.ask(&strengths, &mut votes, there..there + more, &mut s);
                there += more;
                if judged(&votes).decided {
                    // Somewhere among the last ones.
                    let (least, most) = (there - more - self.contexts, there - self.contexts);
                    return Some(f64::from(most) >= low && f64::from(least) <= high);
                }
            }
            Some(false)
        };
        let found: Vec<bool> = (0..files).into_par_iter().filter_map(one).collect();
        (found.len(), found.iter().filter(|&&inside| inside).count() as f64 / found.len().max(1) as f64)
    }
}

#[test]
fn the_contexts_it_takes_at_any_time_lie_within_the_forecast_as_often_as_stated() {
    let (cases, inside) = SAMPLED[0].forecasts(20);
    println!("{inside} of {cases}");
    // Of 8 in 10, three standard errors less.
    assert!(cases >= 10 && inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt(), "{inside} of {cases}");
}

/// `BORDUEL_STUDIES=400 cargo test --workspace --all-features --test all -- --ignored --nocapture
/// forecasts_of_contexts_in_full`
#[test]
#[ignore = "takes minutes: a command of its own, above"]
fn forecasts_of_contexts_in_full() {
    let files: u64 = std::env::var("BORDUEL_STUDIES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    for world in &SAMPLED {
        let (cases, inside) = world.forecasts(files);
        println!("{world:?}: {cases} cases, {:.1} % within", 100.0 * inside);
        assert!(inside >= 0.8 - 3.0 * (0.16 / cases as f64).sqrt(), "{world:?}: {inside} of {cases}");
    }
}
