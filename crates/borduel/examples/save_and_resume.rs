//! Save a policy and its open question, stop, load both, and go on as if nothing had happened.
//!
//! Run it with `cargo run --release --example save_and_resume`.

use borduel::{AnyPolicy, Features, Link, Outcome, Policy, PolicyConfig, Problem, Proposal, Saved, stream};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Problem::new(Features::one_hot(6)?, Link::Logistic, Some(10_000))?;
    let mut policy = PolicyConfig::named("dexp3")?.build(&problem, stream(7, &[]))?;
    let likes_high = |proposal: &Proposal| Outcome::from_win(proposal.duel.0 >= proposal.duel.1);

    for _ in 0..500 {
        let proposal = policy.ask(&problem);
        policy.tell(&problem, &proposal, likes_high(&proposal));
    }
    let open = policy.ask(&problem);
    let text = serde_json::to_string(&Saved::new(&problem, (&policy, &open)))?;
    println!("saved {} bytes", text.len());

    // Elsewhere, later:
    let saved: Saved<(AnyPolicy, Proposal)> = serde_json::from_str(&text)?;
    let (mut resumed, question) = saved.open(&problem)?;
    policy.tell(&problem, &open, likes_high(&open));
    resumed.tell(&problem, &question, likes_high(&question));
    for _ in 0..500 {
        assert_eq!(policy.ask(&problem), resumed.ask(&problem));
    }
    println!("500 further questions are the same as without the interruption");
    Ok(())
}
