//! Items that fill a box: which price and which size do people like best, if every point of a rectangle is on offer?
//!
//! A net of representatives stands for all of them; what that costs at most is printed beside what was found.
//! Run it with `cargo run --release --example box_of_items`.

use borduel::covering::Covering;
use borduel::environment::{Environment, fixed::Fixed};
use borduel::regret::{Checkpoints, Curve};
use borduel::{Arena, Feedback, Link, Policy, PolicyConfig, Problem, Run, stream};

fn main() -> borduel::Result<()> {
    let horizon = 100_000;
    // Price and size from 0 to 1; taste is quadratic in both, and the map nowhere steeper than 0.2.
    let net = Covering::new(&[(0.0, 1.0), (0.0, 1.0)], 0.05, 0.2)?;
    let features = net.features(4, |u, x| {
        x.copy_from_slice(&[0.1 * u[0], 0.1 * u[1], 0.08 * u[0] * u[0], 0.08 * u[1] * u[1]]);
    })?;
    let problem = Problem::new(features, Link::Logistic, Some(horizon))?;
    // The truth: best at a price of 0.4 and a size of 0.7.
    let theta = [8.0, 14.0, -12.5, -12.5].map(|x: f64| x * 0.8);
    let norm = theta.iter().map(|x| x * x).sum::<f64>().sqrt();
    let parameter = problem.features().from_given(&theta);
    let world = Fixed::from_model(problem, &parameter)?;
    let policy = PolicyConfig::named("betc-glm-adaptive")?.build(world.problem(), stream(1, &[]))?;
    let mut run = Run::new(policy, Curve::new(Checkpoints::linear(horizon, 10)), 1, 0, Feedback::IMMEDIATE)?;
    run.until(horizon, &Arena::borda(&world)?);
    let best = run.policy.estimate(world.problem());
    println!("{} representatives, none farther than {:.3} from what it stands for", net.len(), net.radius());
    let truth = net.point(world.borda().winner());
    println!("truly best of them: price and size {truth:.2?}");
    println!("found: price and size {:.2?}; regret {:.0} in {horizon} rounds", net.point(best), run.record.total());
    println!("{}", net.loss(Link::Logistic, norm)?);
    Ok(())
}
