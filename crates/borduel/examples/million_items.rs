//! A million items with 16 features each: design, answers, fit, and the exact Borda scores of all, without anything of
//! size K².
//!
//! One core took 5 seconds for all of it (Xeon, release build), and 378 MB at most. A number of items may be given.

use borduel::glm::{self, FitOptions};
use borduel::{Borda, Features, Link, Tally, design::g_optimal, stream};
use std::time::Instant;

fn main() -> borduel::Result<()> {
    let items = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let (d, answers) = (16, 100_000_u32);
    let start = Instant::now();
    let mut s = stream(1, &[]);
    let vectors: Vec<f64> = (0..items * d).map(|_| s.normal()).collect();
    let theta: Vec<f64> = (0..d).map(|_| 3.0 * s.normal()).collect();
    let features = Features::differences_scaled(items, d, &vectors)?;
    drop(vectors);
    say(&start, &format!("{items} items, φ(i,j) = x_i − x_j, d = {}", features.dim()));

    let design = g_optimal(&features, 0.05)?;
    let exact = if design.exact { "measured over all pairs" } else { "an upper bound over all pairs" };
    say(
        &start,
        &format!(
            "design on {} pairs: max ‖φ‖² in V⁻¹ is {:.3} times d, {exact}",
            design.support.len(),
            design.certificate()
        ),
    );

    let truth = Borda::from_model(&features, Link::Logistic, &theta);
    let mut tally = Tally::new(&features);
    for (pairs, weight) in features.pairs_of(&design.support).iter().zip(&design.weights) {
        let p = Link::Logistic.mu(features.phi(pairs[0]).iter().zip(&theta).map(|(x, t)| x * t).sum());
        for _ in 0..(f64::from(answers) * weight).ceil() as u32 {
            tally.add(&features, pairs[0], f64::from(u8::from(s.uniform() < p)));
        }
    }
    say(&start, &format!("about {answers} answers from the design"));

    let fit = glm::fit(Link::Logistic, &features, &tally, None, &FitOptions::default())?;
    let scores = Borda::from_model(&features, Link::Logistic, fit.theta.as_slice());
    let (winner, best) = (scores.winner(), truth.winner());
    say(
        &start,
        &format!(
            "fit, and the scores of all items: item {winner} wins with {:.4}; its true score is {:.4}, the best one's \
             {:.4}",
            scores.scores()[winner],
            truth.scores()[winner],
            truth.scores()[best]
        ),
    );
    Ok(())
}

/// What is done, after how long, and with how much memory at most so far (where the system tells).
fn say(start: &Instant, what: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" unknown").trim();
    println!("{:5.1} s, {peak}: {what}", start.elapsed().as_secs_f64());
}
