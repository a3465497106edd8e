//! Your own ask/tell loop: which of five items do people like best? (The tutorial on policies shows these very lines.)

use borduel::{Features, Link, Outcome, Policy, PolicyConfig, Problem, stream};

fn main() -> borduel::Result<()> {
    let items = [0.1, 0.4, 0.3, 0.2, 0.0, 0.5, 0.5, 0.1, 0.2, 0.2]; // five items, two features each
    let problem = Problem::new(Features::differences(5, 2, &items)?, Link::Logistic, Some(1_000))?;
    let mut policy = PolicyConfig::named("betc-glm-match")?.build(&problem, stream(1, &[]))?;
    for _ in 0..1_000 {
        let question = policy.ask(&problem);
        let answer = ask_somebody(question.duel.0, question.duel.1); // at once, late, or never
        policy.tell(&problem, &question, answer);
    }
    println!("the favourite is item {}", policy.estimate(&problem));
    Ok(())
}

/// This judge likes the second feature.
fn ask_somebody(left: usize, right: usize) -> Outcome {
    let taste = [0.4, 0.2, 0.5, 0.1, 0.2];
    if taste[left] > taste[right] { Outcome::Win } else { Outcome::Loss }
}
