//! Every policy held against its naive version: exactly where both are deterministic, in distribution where they draw.

use crate::naive::{Bexp3, Dexp3, Phi, argmax, draw, gradient_fit};
use borduel::environment::{Environment, fixed::Fixed, glm, hard::hard};
use borduel::policy::Resolved;
use borduel::regret::{Checkpoints, Curve};
use borduel::{AnyPolicy, Arena, Duel, Features, Feedback, Link, Outcome, Policy, PolicyConfig, Problem, Run, stream};

fn build(name: &str, world: &Fixed, seed: u64) -> AnyPolicy {
    PolicyConfig::named(name).unwrap().build(world.problem(), stream(seed, &[7])).unwrap()
}

fn setting(settings: &[Resolved], name: &str) -> f64 {
    settings.iter().find(|s| s.name == name).unwrap().value.to_string().parse().unwrap()
}

/// Small worlds of every kind of features and link.
fn worlds(horizon: u64) -> Vec<Fixed> {
    let mut s = stream(11, &[]);
    let mut worlds = vec![hard(2, None, Some(horizon), &mut s).unwrap()];
    // Few vectors, shared by many pairs: most have the first one, some none.
    let shared = Features::from_fn(7, 2, |i, j, phi| {
        phi.copy_from_slice(match (i + 2 * j) % 5 {
            0 => &[0.0, 0.0],
            1 => &[0.6, -0.8],
            _ => &[0.6, 0.8],
        });
    });
    worlds.push(glm::glm(shared.unwrap(), Link::Logistic, None, None, Some(horizon), &mut s).unwrap());
    for link in [Link::Logistic, Link::Linear, Link::Probit] {
        for shape in [glm::Shape::Pairs, glm::Shape::Differences, glm::Shape::OneHot] {
            let features = glm::random_features(6, 3, shape, &mut s).unwrap();
            worlds.push(glm::glm(features, link, None, None, Some(horizon), &mut s).unwrap());
        }
    }
    worlds
}

/// Asks and answers `rounds` times, showing every step.
fn play(policy: &mut AnyPolicy, world: &Fixed, rounds: u64, seed: u64, mut each: impl FnMut(u64, Duel, f64, f64)) {
    let mut answers = stream(seed, &[8]);
    for round in 1..=rounds {
        let proposal = policy.ask(world.problem());
        // Now and then a tie, so that halves are counted too.
        let outcome = match answers.uniform() {
            u if u < 0.05 => Outcome::Tie,
            _ => Outcome::from_win(answers.uniform() < world.probability(round, proposal.duel)),
        };
        each(round, proposal.duel, outcome.reward(), proposal.propensity.unwrap_or(f64::NAN));
        policy.tell(world.problem(), &proposal, outcome);
    }
}

#[test]
fn ucb_borda_picks_what_a_plain_scan_picks() {
    for (seed, world) in worlds(6000).iter().enumerate() {
        let k = world.problem().items();
        let mut policy = build("ucb-borda", world, seed as u64);
        let (mut n, mut w) = (vec![0.0; k], vec![0.0; k]);
        play(&mut policy, world, 6000, seed as u64, |round, Duel(i, _), reward, propensity| {
            let index = |a: usize| {
                if n[a] == 0.0 { f64::INFINITY } else { w[a] / n[a] + (0.3 * (round as f64).ln() / n[a]).sqrt() }
            };
            let indices: Vec<f64> = (0..k).map(index).collect();
            assert_eq!(i, argmax(&indices), "round {round}");
            assert!((propensity * k as f64 - 1.0).abs() < 1e-12);
            n[i] += 1.0;
            w[i] += reward;
        });
    }
}

#[test]
fn ucb_borda_picks_the_same_when_answers_are_late_or_never_come() {
    for (seed, world) in worlds(6000).iter().enumerate() {
        let k = world.problem().items();
        let mut policy = build("ucb-borda", world, seed as u64);
        let mut answers = stream(seed as u64, &[9]);
        // Asked and not cancelled, answered, won.
        let (mut asked, mut n, mut w) = (vec![0.0; k], vec![0.0; k], vec![0.0; k]);
        let mut open = Vec::new();
        for round in 1..=6000_u64 {
            let proposal = policy.ask(world.problem());
            let index = |a: usize| {
                let mean = if n[a] == 0.0 { 0.5 } else { w[a] / n[a] };
                if asked[a] == 0.0 { f64::INFINITY } else { mean + (0.3 * (round as f64).ln() / asked[a]).sqrt() }
            };
            let indices: Vec<f64> = (0..k).map(index).collect();
            assert_eq!(proposal.duel.0, argmax(&indices), "world {seed}, round {round}");
            asked[proposal.duel.0] += 1.0;
            open.push(proposal);
            // Long waits in the first half, none in the second, so that both are followed by the other.
            while open.len() > if round < 3000 { answers.below(9) } else { 0 } {
                let proposal = open.swap_remove(answers.below(open.len()));
                let arm = proposal.duel.0;
                if answers.uniform() < 0.05 {
                    asked[arm] -= 1.0;
                    policy.cancel(world.problem(), &proposal);
                } else {
                    let won = answers.uniform() < world.probability(round, proposal.duel);
                    (n[arm], w[arm]) = (n[arm] + 1.0, w[arm] + f64::from(u8::from(won)));
                    policy.tell(world.problem(), &proposal, Outcome::from_win(won));
                }
            }
        }
    }
}

#[test]
fn etc_borda_explores_in_turn_and_commits_to_the_best_share() {
    for (seed, world) in worlds(20_000).iter().enumerate() {
        let k = world.problem().items();
        let mut policy = build("etc-borda", world, seed as u64);
        let t = 20_000.0_f64;
        let n = ((k as f64).powf(-2.0 / 3.0) * t.powf(2.0 / 3.0) * (k as f64 * t).ln().cbrt()).ceil() as u64;
        assert_eq!(setting(&policy.settings(), "samples"), n as f64);
        let (mut count, mut wins) = (vec![0.0; k], vec![0.0; k]);
        let mut best = None;
        play(&mut policy, world, 20_000, seed as u64, |round, Duel(i, j), reward, _| {
            if round <= k as u64 * n {
                assert_eq!(i as u64, (round - 1) % k as u64);
                count[i] += 1.0;
                wins[i] += reward;
            } else {
                let best = *best.get_or_insert_with(|| argmax(&(0..k).map(|a| wins[a] / count[a]).collect::<Vec<_>>()));
                assert_eq!((i, j), (best, best));
            }
        });
    }
}

#[test]
fn etc_borda_as_printed_listens_to_the_first_few_answers_only() {
    let world = hard(3, None, Some(5000), &mut stream(2, &[])).unwrap();
    let config: PolicyConfig = toml::from_str("policy = \"etc-borda\"\nupdate = \"printed\"").unwrap();
    let mut policy = config.build(world.problem(), stream(1, &[7])).unwrap();
    let n = setting(&policy.settings(), "samples") as u64;
    let k = world.problem().items();
    let (mut count, mut wins) = (vec![0.0; k], vec![0.0; k]);
    let mut last = Duel(0, 0);
    play(&mut policy, &world, 5000, 3, |round, duel, reward, _| {
        if round <= n {
            count[duel.0] += 1.0;
            wins[duel.0] += reward;
        }
        last = duel;
    });
    let shares: Vec<f64> = (0..k).map(|a| if count[a] > 0.0 { wins[a] / count[a] } else { 0.5 }).collect();
    assert_eq!(last, Duel(argmax(&shares), argmax(&shares)));
}

#[test]
fn betc_glm_asks_its_design_and_commits_to_the_naive_estimate() {
    for (seed, world) in worlds(30_000).iter().enumerate() {
        for name in ["betc-glm", "betc-glm-match"] {
            let problem = world.problem();
            let phi = Phi::of(problem);
            let mut policy = build(name, world, seed as u64);
            let settings = policy.settings();
            let (tau, epsilon) = (setting(&settings, "tau") as u64, setting(&settings, "epsilon"));
            let (d, k, t) = (phi.d as f64, phi.k as f64, 30_000.0_f64);
            let log = (3.0 * k * k * t).ln();
            let expected = if name == "betc-glm" {
                (
                    (d * log).powf(1.0 / 3.0) * t.powf(2.0 / 3.0),
                    d.powf(1.0 / 3.0) * t.powf(-1.0 / 3.0) * log.powf(-1.0 / 6.0),
                )
            } else {
                (d + t.ln(), d.powf(1.0 / 6.0) * t.powf(-1.0 / 3.0))
            };
            assert_eq!(tau, (expected.0.ceil() as u64).min(30_000));
            assert!((epsilon - expected.1).abs() < 1e-12);
            let exploration = setting(&settings, "exploration") as u64;
            let mut answers = Vec::new();
            let mut asked = nalgebra::DMatrix::<f64>::zeros(phi.d, phi.d);
            let mut committed = None;
            play(&mut policy, world, 30_000, seed as u64, |round, Duel(i, j), reward, _| {
                if round <= exploration {
                    answers.push((i, j, reward));
                    if round > tau {
                        assert!(phi.at(i, j).norm() > 0.0, "a zero vector was asked");
                        asked += phi.at(i, j) * phi.at(i, j).transpose();
                    }
                } else {
                    assert_eq!(i, j);
                    committed = Some(i);
                }
            });
            if exploration < 30_000 {
                // The samples really give the precision that the design promised, for every pair.
                let inverse = asked.try_inverse().unwrap();
                for v in &phi.phi {
                    assert!((&inverse * v).dot(v) <= 1.01 * epsilon * epsilon, "{name}");
                }
                let theta = gradient_fit(problem.link(), &phi, &answers);
                assert_eq!(committed, Some(argmax(&phi.borda(problem.link(), &theta))), "{name} on world {seed}");
            }
        }
    }
}

#[test]
fn bexp3_has_the_distribution_of_the_full_formula_after_every_answer() {
    for (seed, world) in worlds(2000).iter().enumerate().filter(|(_, w)| w.problem().dim() <= 3) {
        for (name, centre) in [("bexp3", 0.0), ("bexp3-centred", 0.5)] {
            let mut policy = build(name, world, seed as u64);
            let mut naive = Bexp3::new(world.problem(), 2000.0, centre);
            play(&mut policy, world, 400, seed as u64, |round, Duel(i, j), reward, propensity| {
                let q = naive.q();
                assert!((propensity / (q[i] * q[j]) - 1.0).abs() < 1e-7, "{name}, world {seed}, round {round}");
                naive.learn(&q, i, j, reward);
            });
            let mut scores = vec![0.0; naive.scores.len()];
            policy.scores(world.problem(), &mut scores);
            for (score, total) in scores.iter().zip(&naive.scores) {
                assert!((score - 0.5 - total / 400.0).abs() < 1e-7 * (1.0 + total.abs()));
            }
        }
    }
}

#[test]
fn dexp3_has_the_distribution_of_the_full_formula_after_every_answer() {
    for (seed, world) in worlds(3000).iter().enumerate() {
        let mut policy = build("dexp3", world, seed as u64);
        let mut naive = Dexp3::new(world.problem().items(), 3000.0);
        play(&mut policy, world, 3000, seed as u64, |round, Duel(i, j), reward, propensity| {
            let q = naive.q();
            assert!((propensity / (q[i] * q[j]) - 1.0).abs() < 1e-9, "world {seed}, round {round}");
            naive.learn(&q, i, j, reward);
        });
    }
}

#[test]
fn draws_follow_the_stated_propensities() {
    // A policy frozen in the middle of its work and asked again and again: every pair as often as it says.
    let world = hard(2, None, Some(3000), &mut stream(5, &[])).unwrap();
    let k = world.problem().items();
    for name in ["bexp3", "bexp3-centred", "dexp3", "uniform"] {
        let mut policy = build(name, &world, 1);
        play(&mut policy, &world, 700, 1, |_, _, _, _| {});
        let n = 200_000;
        let (mut seen, mut expected) = (vec![0.0; k * k], vec![0.0; k * k]);
        for _ in 0..n {
            let proposal = policy.ask(world.problem());
            let Duel(i, j) = proposal.duel;
            seen[i * k + j] += 1.0;
            expected[i * k + j] = proposal.propensity.unwrap() * f64::from(n);
        }
        // χ² with K² − 1 = 63 degrees: 103.4 is its 99.9 % quantile.
        let chi: f64 = seen.iter().zip(&expected).filter(|(_, e)| **e > 0.0).map(|(s, e)| (s - e) * (s - e) / e).sum();
        assert!(chi < 103.4, "{name}: {chi}");
        assert!((expected.iter().sum::<f64>() / f64::from(n) - 1.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn mean_regret_agrees_with_the_naive_simulation() {
    let horizon = 1500;
    let world = hard(2, Some(0.1), Some(horizon), &mut stream(6, &[])).unwrap();
    let problem = world.problem();
    let arena = Arena::borda(&world).unwrap();
    let regret = |duel: Duel| arena.judges()[0].regret(1, duel);
    let runs = 200;
    for name in ["bexp3", "bexp3-centred", "dexp3", "ucb-borda", "etc-borda", "uniform"] {
        let fast: Vec<f64> = (0..runs)
            .map(|r| {
                let mut run = Run::new(
                    build(name, &world, r),
                    Curve::new(Checkpoints::linear(horizon, 1)),
                    1,
                    r,
                    Feedback::IMMEDIATE,
                )
                .unwrap();
                run.until(horizon, &arena);
                run.record.total()
            })
            .collect();
        let slow: Vec<f64> = (0..runs)
            .map(|r| {
                let mut s = stream(77, &[r]);
                let k = problem.items();
                let mut total = 0.0;
                let (mut n, mut w) = (vec![0.0; k], vec![0.0; k]);
                let mut bexp3 = Bexp3::new(problem, horizon as f64, if name == "bexp3" { 0.0 } else { 0.5 });
                let mut dexp3 = Dexp3::new(k, horizon as f64);
                let samples = setting(&build("etc-borda", &world, 1).settings(), "exploration");
                for t in 1..=horizon {
                    let q = if name.starts_with("bexp3") { bexp3.q() } else { dexp3.q() };
                    let (i, j) = match name {
                        "uniform" => (s.below(k), s.below(k)),
                        "ucb-borda" => {
                            let index = |a: usize| {
                                if n[a] == 0.0 { 1e9 } else { w[a] / n[a] + (0.3 * (t as f64).ln() / n[a]).sqrt() }
                            };
                            (argmax(&(0..k).map(index).collect::<Vec<_>>()), s.below(k))
                        }
                        "etc-borda" if (t as f64) <= samples => ((t as usize - 1) % k, s.below(k)),
                        "etc-borda" => {
                            let best = argmax(&(0..k).map(|a| w[a] / n[a]).collect::<Vec<_>>());
                            (best, best)
                        }
                        _ => (draw(&q, &mut s), draw(&q, &mut s)),
                    };
                    total += regret(Duel(i, j));
                    let reward = f64::from(u8::from(s.uniform() < world.probability(t, Duel(i, j))));
                    match name {
                        "bexp3" | "bexp3-centred" => bexp3.learn(&q, i, j, reward),
                        "dexp3" => dexp3.learn(&q, i, j, reward),
                        _ if name != "etc-borda" || (t as f64) <= samples => {
                            n[i] += 1.0;
                            w[i] += reward;
                        }
                        _ => {}
                    }
                }
                total
            })
            .collect();
        let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
        let variance = |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
        let error = ((variance(&fast) + variance(&slow)) / runs as f64).sqrt();
        let difference = mean(&fast) - mean(&slow);
        assert!(difference.abs() < 3.0 * error, "{name}: {} against {} ± {error}", mean(&fast), mean(&slow));
    }
}

#[test]
fn late_answers_are_weighted_with_the_time_of_asking() {
    let world = hard(2, None, Some(1000), &mut stream(5, &[])).unwrap();
    let problem = world.problem();
    for (name, centre) in [("bexp3", 0.0), ("bexp3-centred", 0.5)] {
        let mut policy = build(name, &world, 2);
        let mut naive = Bexp3::new(problem, 1000.0, centre);
        let mut open = Vec::new();
        let mut s = stream(3, &[]);
        for _ in 0..300 {
            open.push((policy.ask(problem), naive.q()));
            if open.len() > 5 {
                // Any of the open ones, in no particular order; one in six is never answered.
                let (proposal, q) = open.swap_remove(s.below(open.len()));
                if s.below(6) == 0 {
                    policy.cancel(problem, &proposal);
                } else {
                    let won = s.uniform() < 0.6;
                    policy.tell(problem, &proposal, Outcome::from_win(won));
                    naive.learn(&q, proposal.duel.0, proposal.duel.1, f64::from(u8::from(won)));
                }
            }
        }
        let proposal = policy.ask(problem);
        let q = naive.q();
        assert!(
            (proposal.propensity.unwrap() / (q[proposal.duel.0] * q[proposal.duel.1]) - 1.0).abs() < 1e-7,
            "{name}"
        );
    }
}

#[test]
fn without_a_horizon_the_rates_of_bexp3_follow_the_round() {
    let world = hard(2, None, None, &mut stream(5, &[])).unwrap();
    let problem = world.problem();
    for (name, centre) in [("bexp3", 0.0), ("bexp3-centred", 0.5)] {
        let mut policy = build(name, &world, 2);
        let mut naive = Bexp3::new(problem, 1.0, centre);
        let mut open = Vec::new();
        let mut s = stream(3, &[]);
        for round in 1..=300_u64 {
            // T is the round with all but its first three binary digits set to zero.
            let unit = (1..=round).filter(|u| u.is_power_of_two() && round / u >= 4).max().unwrap_or(1);
            let rounded = round / unit * unit;
            let rates = Bexp3::new(problem, rounded as f64, centre);
            (naive.eta, naive.gamma) = (rates.eta, rates.gamma);
            let proposal = policy.ask(problem);
            let q = naive.q();
            let Duel(i, j) = proposal.duel;
            assert!((proposal.propensity.unwrap() / (q[i] * q[j]) - 1.0).abs() < 1e-7, "{name}, round {round}");
            open.push((proposal, q));
            if open.len() > 5 {
                let (proposal, q) = open.swap_remove(s.below(open.len()));
                let won = s.uniform() < 0.6;
                policy.tell(problem, &proposal, Outcome::from_win(won));
                naive.learn(&q, proposal.duel.0, proposal.duel.1, f64::from(u8::from(won)));
            }
        }
    }
}

#[test]
fn bexp3_notices_when_the_features_change() {
    let mut s = stream(14, &[]);
    let mut problem = || {
        let features = glm::random_features(6, 3, glm::Shape::Pairs, &mut s).unwrap();
        Problem::new(features, Link::Linear, Some(2000)).unwrap()
    };
    let (before, after) = (problem(), problem());
    let mut policy = PolicyConfig::named("bexp3").unwrap().build(&before, stream(1, &[7])).unwrap();
    for _ in 0..300 {
        let proposal = policy.ask(&before);
        policy.tell(&before, &proposal, Outcome::from_win(s.uniform() < 0.6));
    }
    let proposal = policy.ask(&after);
    // What the same Θ means for the new features: Ŝ(i) = rounds · (score − ½).
    let mut naive = Bexp3::new(&after, 2000.0, 0.0);
    policy.scores(&after, &mut naive.scores);
    naive.scores.iter_mut().for_each(|score| *score = 301.0 * (*score - 0.5));
    let q = naive.q();
    let Duel(i, j) = proposal.duel;
    assert!((proposal.propensity.unwrap() / (q[i] * q[j]) - 1.0).abs() < 1e-7);
}

#[test]
fn features_that_are_differences_need_no_dictionary() {
    // The same vectors, implicit and listed: every policy plays the same game.
    let mut s = stream(21, &[]);
    let x: Vec<f64> = (0..7 * 2).map(|_| 0.3 * s.uniform()).collect();
    let implicit = Features::differences(7, 2, &x).unwrap();
    let listed = Features::from_fn(7, 2, |i, j, out| out.copy_from_slice(&implicit.phi(Duel(i, j)))).unwrap();
    let needs = |name: &str| PolicyConfig::named(name).unwrap().needs_item_features();
    // These draw pairs of the design to the end, and it may be another of several optimal ones.
    let draws_from_design = |name: &str| ["ftrl-linear", "track-linear"].contains(&name);
    for name in borduel::POLICIES.iter().filter(|name| !needs(name) && !draws_from_design(name)) {
        let duels: Vec<Vec<Duel>> = [implicit.clone(), listed.clone()]
            .into_iter()
            .map(|features| {
                let problem = Problem::new(features, Link::Logistic, Some(600)).unwrap();
                let theta = [1.5, -1.0];
                let world = Fixed::from_model(problem, &theta).unwrap();
                let mut policy = build(name, &world, 4);
                let mut duels = Vec::new();
                play(&mut policy, &world, 600, 4, |_, duel, _, _| duels.push(duel));
                duels
            })
            .collect();
        // The design may choose another of several optimal supports; the uniform part and the decision are the same.
        assert_eq!(duels[0].last(), duels[1].last(), "{name}");
        if !name.starts_with("betc") && !["anytime", "find-winner"].contains(name) {
            assert_eq!(duels[0], duels[1], "{name}");
        }
    }
}
