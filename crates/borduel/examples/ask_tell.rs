//! An ask/tell loop of one's own: five slogans, a few features, and a judge who answers.
//!
//! Run it with `cargo run --release --example ask_tell`.

use borduel::{Features, Link, Outcome, Policy, PolicyConfig, Problem, stream};

fn main() -> borduel::Result<()> {
    let slogans = ["Sleep well", "Sleep better tonight", "The last mattress you buy", "Made by hand", "Half price"];
    // Two features each: how short it is, and how much it promises.
    let about = [0.9, 0.3, 0.6, 0.7, 0.2, 0.9, 0.8, 0.1, 0.9, 0.4];
    let features = Features::differences_scaled(5, 2, &about)?;
    let questions = 2_000;
    let problem = Problem::new(features, Link::Logistic, Some(questions))?;
    let mut policy = PolicyConfig::named("betc-glm-match")?.build(&problem, stream(1, &[]))?;

    let mut asked = 0;
    let mut judge = stream(2, &[]);
    while policy.committed().is_none() && asked < questions {
        let proposal = policy.ask(&problem);
        asked += 1;
        // Show slogans[left] and slogans[right] to somebody. One in twenty walks away.
        let (left, right) = (proposal.duel.0, proposal.duel.1);
        if judge.uniform() < 0.05 {
            policy.cancel(&problem, &proposal);
            continue;
        }
        // These people like promises a lot, and brevity a little.
        let liking = |item: usize| 0.5 * about[2 * item] + 1.5 * about[2 * item + 1];
        let answer = Outcome::from_win(judge.uniform() < Link::Logistic.mu(liking(left) - liking(right)));
        policy.tell(&problem, &proposal, answer);
    }

    println!("after {asked} questions:");
    for (slogan, score) in slogans.iter().zip(policy.scores_over_others(&problem)) {
        println!("  {:>4.1} %  {slogan}", 100.0 * score);
    }
    println!("best: {}", slogans[policy.estimate(&problem)]);
    Ok(())
}
