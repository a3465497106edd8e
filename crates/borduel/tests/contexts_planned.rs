//! What is planned over all contexts that come up by themselves: designs held against plain loops and theorems, and the
//! policies that draw from them against naive versions of themselves.

use crate::figures::mean_and_error;
use crate::naive::{Phi, argmax, contexts as naive};
use borduel::design::{ContextualDesign, for_scores, g_optimal, g_optimal_in_contexts};
use borduel::environment::context_law::VectorLaw;
use borduel::environment::fixed::Fixed;
use borduel::environment::{ContextLaw, Environment, hard};
use borduel::experiment::NoSources;
use borduel::policy::{Policy, Resolved};
use borduel::regret::{Checkpoints, Curve};
use borduel::{
    AnyPolicy, Arena, Duel, Experiment, Features, Feedback, Link, Outcome, PolicyConfig, Problem, Proposal, Run,
    Stream, stream,
};
use nalgebra::DVector;
use rayon::prelude::*;

const NORMAL: VectorLaw = VectorLaw::Normal { sd: 1.0 };

fn of_items(contexts: u64, items: usize, dim: usize) -> Vec<Features> {
    let rows: Vec<Vec<f64>> = (0..contexts).map(|c| NORMAL.draw(items, dim, &mut stream(c, &[31])).unwrap()).collect();
    Features::family(items, dim, &rows).unwrap()
}

fn of_pairs(contexts: usize, items: usize, dim: usize) -> Vec<Features> {
    let mut s = stream(32, &[contexts as u64]);
    let phi = |_: usize, _: usize, _: usize, out: &mut [f64]| out.iter_mut().for_each(|x| *x = s.normal());
    Features::family_of_pairs(items, dim, contexts, phi).unwrap()
}

/// Contexts of which no one spans the space, and one whose items are all alike.
fn apart() -> Vec<Features> {
    let rows = [[0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.1, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.1, 0.3], [0.2; 9]];
    Features::family(3, 3, &rows.map(|row| row.to_vec())).unwrap()
}

fn families() -> Vec<(Vec<Features>, Vec<f64>)> {
    vec![
        (of_items(3, 6, 2), vec![0.2, 0.3, 0.5]),
        (of_items(12, 5, 4), vec![1.0 / 12.0; 12]),
        (of_pairs(4, 5, 3), vec![0.7, 0.1, 0.1, 0.1]),
        (apart(), vec![0.5, 0.25, 0.25]),
        (vec![of_pairs(1, 5, 3).remove(0); 3], vec![0.25, 0.25, 0.5]),
        // One that never comes up.
        (of_pairs(3, 4, 2), vec![0.5, 0.0, 0.5]),
    ]
}

#[test]
fn the_design_over_contexts_is_certified() {
    for (number, (family, shares)) in families().into_iter().enumerate() {
        let best = naive::log_det(&family, &shares, 500);
        for tolerance in [0.01, 1e-6] {
            let design = g_optimal_in_contexts(&family, &shares, tolerance).unwrap();
            let (v, d) = (naive::information(&family, &shares, &design), family[0].dim() as f64);
            let (mut most, mut mean) = (0.0, 0.0);
            for ((features, share), own) in family.iter().zip(&shares).zip(&design.contexts) {
                let lengths = naive::lengths(features, &v);
                let longest = lengths.iter().copied().fold(0.0, f64::max);
                most += share * longest;
                mean += share * own.support.iter().zip(&own.weights).map(|(slot, w)| w * lengths[*slot]).sum::<f64>();
                let asked = *share > 0.0 && longest > 0.0;
                assert!(!asked || (own.g / longest - 1.0).abs() < 1e-6, "{number}: {} {longest}", own.g);
                assert!((own.weights.iter().sum::<f64>() - f64::from(u8::from(asked))).abs() < 1e-12);
                assert!(own.weights.iter().all(|w| *w > 0.0) && own.support.is_sorted());
            }
            assert!((design.g / most - 1.0).abs() < 1e-6 && (mean / d - 1.0).abs() < 1e-9, "{number}: {mean}");
            assert!(design.certificate() <= 1.0 + tolerance && most >= d * (1.0 - 1e-9), "{number}: {most}");
            // No design has more: log det V is concave, and ahead of this one by d log(1 + tolerance) at most.
            let own = v.determinant().ln();
            assert!(best - own <= d * tolerance.ln_1p() + 1e-9, "{number}: {own} of {best}");
            assert!(own - best < 0.01, "{number}: {own} is more than {best}");
        }
    }
}

#[test]
fn contexts_that_are_one_have_the_design_of_one() {
    let one = of_pairs(1, 6, 3).remove(0);
    let alone = g_optimal(&one, 1e-6).unwrap();
    let design = g_optimal_in_contexts(std::slice::from_ref(&one), &[1.0], 1e-6).unwrap();
    assert_eq!(design.contexts, std::slice::from_ref(&alone));
    // V of the best design is unique, whichever designs of contexts that are equal have it.
    let (family, shares) = (vec![one.clone(); 4], [0.1, 0.2, 0.3, 0.4]);
    let equal = g_optimal_in_contexts(&family, &shares, 1e-6).unwrap();
    let of =
        |family: &[Features], shares: &[f64], design: &ContextualDesign| naive::information(family, shares, design);
    let apart = of(&family, &shares, &equal) - of(std::slice::from_ref(&one), &[1.0], &design);
    assert!(apart.amax() < 1e-3, "{apart}");
}

#[test]
fn contexts_without_a_design_are_refused() {
    let refused = |family: &[Features], shares: &[f64], tolerance: f64| {
        g_optimal_in_contexts(family, shares, tolerance).unwrap_err().to_string()
    };
    assert!(refused(&apart(), &[0.5, 0.5], 0.01).contains("shares"));
    assert!(refused(&apart(), &[1.0, 0.0, 0.0], 0.01).contains("leave out contexts of weight 0"));
    assert!(refused(&apart(), &[0.3, 0.3, 0.4], 0.0).contains("tolerance"));
    let many = Features::one_hot(300).unwrap();
    assert!(
        for_scores(&[many], &[1.0], 0.01).unwrap_err().to_string().contains("leave the design at that for all pairs")
    );
}

/// Σ_c w_c max ‖φ̄(i) − φ̄(k)‖²_{V⁻¹}.
fn for_means(family: &[Features], shares: &[f64], design: &ContextualDesign) -> f64 {
    let v = naive::information(family, shares, design);
    let problem = |features: &Features| Problem::new(features.clone(), Link::Linear, None).unwrap();
    let widest = |features| naive::gaps(&Phi::of(&problem(features)), &v).into_iter().fold(0.0, f64::max);
    family.iter().zip(shares).map(|(features, share)| share * widest(features)).sum()
}

#[test]
fn the_design_for_scores_is_certified() {
    let mut s = stream(40, &[]);
    let mut families = families();
    families.push((of_pairs(1, 7, 3), vec![1.0]));
    families.push((vec![hard::features(3).unwrap()], vec![1.0]));
    for (number, (family, shares)) in families.into_iter().enumerate() {
        let design = for_scores(&family, &shares, 0.01).unwrap();
        let (own, pairs) =
            (for_means(&family, &shares, &design), g_optimal_in_contexts(&family, &shares, 0.01).unwrap());
        assert!((own / design.g - 1.0).abs() < 1e-6 && design.certificate() <= 1.011, "{number}: {own} {design:?}");
        assert!(own <= 1.011 * for_means(&family, &shares, &pairs), "{number}");
        // Nothing is below the bound: not the designs on the way, nor any that is drawn around this one.
        for _ in 0..50 {
            let mut other = design.clone();
            for own in &mut other.contexts {
                own.weights.iter_mut().for_each(|w| *w *= 0.5 + s.uniform());
                let all: f64 = own.weights.iter().sum();
                own.weights.iter_mut().for_each(|w| *w /= all);
            }
            assert!(for_means(&family, &shares, &other) >= design.least * (1.0 - 1e-9), "{number}");
        }
    }
    // On the paper's hard case both designs are uniform over good × bad pairs: ζ = 1.5 where d = 6.
    let hard = [hard::features(6).unwrap()];
    let four_zeta = for_scores(&hard, &[1.0], 0.01).unwrap().g;
    assert!((four_zeta / 6.0 - 1.0).abs() < 0.012, "{four_zeta}");
    // Three items of which one pair says nothing of scores that others do not say better.
    let lopsided = Features::from_fn(3, 2, |i, j, out| {
        out.copy_from_slice(if (i, j) == (1, 2) { &[0.0, 0.1] } else { &[0.9, 0.0] });
    });
    let lopsided = [lopsided.unwrap()];
    let of = |design| for_means(&lopsided, &[1.0], &design);
    let (scores, pairs) =
        (of(for_scores(&lopsided, &[1.0], 0.01).unwrap()), of(g_optimal_in_contexts(&lopsided, &[1.0], 0.01).unwrap()));
    assert!(scores < 0.9 * pairs, "{scores} {pairs}");
}

/// The world with p = ½ + ⟨φ, θ⟩ or μ(⟨φ, θ⟩) in these contexts.
fn world(family: Vec<Features>, link: Link, theta: &[f64], shares: Option<&[f64]>, horizon: u64) -> ContextLaw {
    let member = |features| Fixed::from_model(Problem::new(features, link, Some(horizon)).unwrap(), theta).unwrap();
    ContextLaw::finite(family.into_iter().map(member).collect(), shares).unwrap()
}

fn config(text: &str) -> PolicyConfig {
    toml::from_str(text).unwrap()
}

/// Regret of a policy over a run, and how often it asked an item against itself.
fn run(policy: impl Policy, law: &ContextLaw, horizon: u64, seed: u64) -> f64 {
    let arena = Arena::borda(law).unwrap();
    let record = vec![Curve::new(Checkpoints::linear(horizon, 2))];
    let mut run = Run::new(policy, record, seed, 0, Feedback::IMMEDIATE).unwrap();
    run.until(horizon, &arena);
    run.record[0].total()
}

fn built(text: &str, law: &ContextLaw, seed: u64) -> AnyPolicy {
    config(text).build(law.problem(), stream(seed, &[7])).unwrap()
}

/// A naive policy as one of the engine's.
struct Naive(naive::Ftrl, Stream);

impl Policy for Naive {
    fn ask(&mut self, problem: &Problem) -> Proposal {
        Proposal::new(1, self.0.ask(problem.context().unwrap() as usize, &mut self.1), None)
    }
    fn tell(&mut self, _: &Problem, _: &Proposal, outcome: Outcome) {
        self.0.tell(outcome.reward());
    }
    fn cancel(&mut self, _: &Problem, _: &Proposal) {}
    fn reseed(&mut self, stream: Stream) {
        self.1 = stream;
    }
    fn scores(&self, _: &Problem, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn settings(&self) -> Vec<Resolved> {
        Vec::new()
    }
}

/// The same means over many runs, within four standard errors.
fn alike(what: &str, one: impl Fn(u64) -> f64 + Sync, other: impl Fn(u64) -> f64 + Sync, runs: u64) {
    let both: Vec<[f64; 2]> = (0..runs).into_par_iter().map(|seed| [one(seed), other(seed + 10_000)]).collect();
    let side = |side: usize| mean_and_error(&both.iter().map(|run| run[side]).collect::<Vec<_>>());
    let ((a, ea), (b, eb)) = (side(0), side(1));
    println!("{what}: {a:.1} ± {ea:.1} and {b:.1} ± {eb:.1}");
    assert!((a - b).abs() < 4.0 * ea.hypot(eb), "{what}: {a} ± {ea} and {b} ± {eb}");
}

#[test]
fn ftrl_in_contexts_has_the_law_of_its_formulas() {
    let shares = [0.5, 0.2, 0.3];
    let hard = hard::in_contexts(3, 2, None, Some(&shares), Some(3_000), &mut stream(3, &[])).unwrap();
    let items = world(of_items(3, 5, 2), Link::Linear, &[0.3, -0.2], Some(&shares), 3_000);
    for law in [hard, items] {
        let problems: Vec<Problem> = law.members().iter().map(|member| member.problem().clone()).collect();
        let family: Vec<Features> = problems.iter().map(|problem| problem.features().clone()).collect();
        for (goal, design) in [
            ("pairs", g_optimal_in_contexts(&family, &shares, 0.01).unwrap()),
            ("scores", for_scores(&family, &shares, 0.01).unwrap()),
        ] {
            let text = format!("policy = 'ftrl-linear'\ndesign = '{goal}'");
            let slow = |seed| Naive(naive::Ftrl::new(&problems, &shares, &design), stream(seed, &[7]));
            alike(
                &text,
                |seed| run(built(&text, &law, seed), &law, 3_000, seed),
                |seed| run(slow(seed), &law, 3_000, seed),
                40,
            );
        }
    }
}

/// Contexts that are all alike are none, in law.
#[test]
fn equal_contexts_are_none_in_law() {
    let horizon = 3_000;
    let one = of_items(1, 6, 2);
    let alone = world(one.clone(), Link::Linear, &[0.3, -0.2], None, horizon).members()[0].clone();
    let alone = ContextLaw::finite(vec![alone], None).unwrap();
    let equal = world(vec![one[0].clone(); 4], Link::Linear, &[0.3, -0.2], Some(&[1.0, 2.0, 3.0, 4.0]), horizon);
    for text in [
        "policy = 'ftrl-linear'",
        "policy = 'ftrl-linear'\nexploit = 'pair'",
        "policy = 'ftrl-linear'\ndesign = 'scores'\nregularizer = 'hybrid'",
        "policy = 'betc-glm-match'\nepsilon = 0.1",
        "policy = 'betc-glm'\ntau = 100\nepsilon = 0.1",
    ] {
        let of = |law: &ContextLaw, seed| run(built(text, law, seed), law, horizon, seed);
        alike(text, |seed| of(&alone, seed), |seed| of(&equal, seed), 100);
    }
    // Those that choose by utility; they rest where there are no contexts, so that a single one is what is held
    // against.
    let horizon = 1_000;
    let alone = world(one.clone(), Link::Logistic, &[1.0, -0.5], None, horizon);
    let equal = world(vec![one[0].clone(); 4], Link::Logistic, &[1.0, -0.5], Some(&[1.0, 2.0, 3.0, 4.0]), horizon);
    for name in ["max-pair-ucb", "max-inp", "colstim", "vacdb", "fgts", "greedy-glm"] {
        let text = format!("policy = '{name}'");
        let of = |law: &ContextLaw, seed| run(built(&text, law, seed), law, horizon, seed);
        alike(name, |seed| of(&alone, seed), |seed| of(&equal, seed), 60);
    }
}

/// Asks through a policy and notes every answer.
fn answered(policy: &mut AnyPolicy, law: &ContextLaw, rounds: u64, seed: u64) -> Vec<(usize, Duel, f64)> {
    let mut s = stream(seed, &[50]);
    let mut asked = Vec::new();
    for _ in 0..rounds {
        let context = s.below(law.members().len());
        let here = &law.members()[context];
        let proposal = policy.ask(here.problem());
        // Somebody does not answer; nothing is learned, and another question is asked in its place.
        if s.uniform() < 0.1 {
            policy.cancel(law.problem(), &proposal);
            continue;
        }
        let outcome = Outcome::from_win(s.uniform() < here.probability(1, proposal.duel));
        policy.tell(law.problem(), &proposal, outcome);
        asked.push((context, proposal.duel, outcome.reward()));
    }
    asked
}

#[test]
fn one_model_is_fitted_to_all_contexts_and_every_one_has_its_best_item() {
    let hard = hard::in_contexts(4, 2, Some(0.1), None, Some(3_000), &mut stream(5, &[])).unwrap();
    let items = world(of_items(4, 6, 3), Link::Logistic, &[3.0, -2.0, 1.0], None, 3_000);
    for law in [hard, items] {
        let (link, family) = (law.problem().link(), law.members());
        let phi: Vec<Phi> = family.iter().map(|member| Phi::of(member.problem())).collect();
        for text in ["policy = 'betc-glm'\ntau = 100\nepsilon = 0.12", "policy = 'betc-glm-match'\nepsilon = 0.1"] {
            let mut policy = built(text, &law, 6);
            let asked = answered(&mut policy, &law, 3_000, 6);
            let planned = policy.settings().into_iter().find(|setting| setting.name == "exploration").unwrap();
            let planned = planned.value.to_string().parse::<usize>().unwrap();
            let explored = &asked[..planned];
            let answers: Vec<(DVector<f64>, f64)> =
                explored.iter().map(|&(c, Duel(i, j), reward)| (phi[c].at(i, j).clone(), reward)).collect();
            let theta = naive::fit(link, &answers);
            let best: Vec<usize> = phi.iter().map(|phi| naive::best(phi, link, &theta)).collect();
            let mut scores = vec![0.0; family[0].problem().items()];
            for (c, member) in family.iter().enumerate() {
                policy.scores(member.problem(), &mut scores);
                let expected = phi[c].borda(link, &theta);
                assert!(scores.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-7), "{text}: {c}");
                assert_eq!(policy.estimate(member.problem()), best[c]);
            }
            // What follows is the best item of the round's context against itself; within the rest of the run nobody
            // learns from it.
            assert!(asked.len() > planned + 500, "{text}: {planned}");
            assert!(asked[planned..].iter().all(|&(c, duel, _)| duel == Duel(best[c], best[c])), "{text}");
            assert!(best.iter().any(|own| *own != best[0]), "one item is the best in all contexts");
            assert_eq!(policy.committed(), None);
        }
    }
}

#[test]
fn questions_come_from_the_design_of_their_context() {
    let shares = [0.6, 0.1, 0.3];
    let law = world(of_items(3, 5, 3), Link::Logistic, &[1.0, 0.5, -0.5], Some(&shares), 50_000);
    let family: Vec<Features> = law.members().iter().map(|member| member.problem().features().clone()).collect();
    let design = g_optimal_in_contexts(&family, &shares, 0.01).unwrap();
    let mut policy = built("policy = 'betc-glm'\ntau = 0\nepsilon = 0.01", &law, 3);
    let (mut s, mut counts) = (stream(3, &[60]), vec![vec![0.0; family[0].distinct()]; 3]);
    let rounds = 20_000;
    for _ in 0..rounds {
        let context = s.below(3);
        let proposal = policy.ask(law.members()[context].problem());
        let slot = family[context].slot(proposal.duel);
        counts[context][slot.index] += 1.0;
        let own = &design.contexts[context];
        let weight = own.support.iter().position(|known| *known == slot.index).map(|place| own.weights[place]);
        assert!((proposal.propensity.unwrap() - weight.unwrap()).abs() < 1e-12 && !slot.negative);
    }
    for (own, counts) in design.contexts.iter().zip(&counts) {
        let all: f64 = counts.iter().sum();
        for (slot, weight) in own.support.iter().zip(&own.weights) {
            let error = (weight * (1.0 - weight).max(0.0) / all).sqrt();
            assert!((counts[*slot] / all - weight).abs() < 4.5 * error + 1e-9, "{slot}: {weight}");
        }
    }
    let refused = config("policy = 'betc-glm'\ndesign = 'paper'").build(law.problem(), stream(1, &[]));
    assert!(refused.unwrap_err().to_string().contains("every question has a context"));
}

/// Where features belong to pairs, who never asks a pair that is no good learns nothing of who is best.
#[test]
fn contexts_of_pairs_punish_who_never_explores() {
    /// The item that is best under a ridge fit of all answers so far, against itself or the next best.
    struct Greedy {
        answers: Vec<(DVector<f64>, f64)>,
        theta: DVector<f64>,
    }
    impl Policy for Greedy {
        fn ask(&mut self, problem: &Problem) -> Proposal {
            let mut scores = Phi::of(problem).borda(Link::Linear, &self.theta);
            let first = argmax(&scores);
            scores[first] = f64::MIN;
            Proposal::new(1 + problem.context().unwrap(), Duel(first, argmax(&scores)), None)
        }
        fn tell(&mut self, problem: &Problem, proposal: &Proposal, outcome: Outcome) {
            let features = problem.family().unwrap().features()[proposal.round as usize - 1].clone();
            self.answers.push((DVector::from_vec(features.phi(proposal.duel)), outcome.reward() - 0.5));
            if self.answers.len().is_power_of_two() {
                let d = problem.dim();
                let (mut v, mut sum) = (nalgebra::DMatrix::identity(d, d), DVector::zeros(d));
                for (phi, y) in &self.answers {
                    v += phi * phi.transpose();
                    sum += *y * phi;
                }
                self.theta = v.try_inverse().unwrap() * sum;
            }
        }
        fn cancel(&mut self, _: &Problem, _: &Proposal) {}
        fn reseed(&mut self, _: Stream) {}
        fn scores(&self, _: &Problem, out: &mut [f64]) {
            out.fill(0.0);
        }
        fn settings(&self) -> Vec<Resolved> {
            Vec::new()
        }
    }
    let horizon = 6_000;
    let law = hard::in_contexts(5, 3, None, None, Some(horizon), &mut stream(2, &[])).unwrap();
    // One whose answers all came from good items has seen φ = 0 alone.
    let greedy = || Greedy { answers: Vec::new(), theta: DVector::zeros(4) };
    let mean = |of: &(dyn Fn(u64) -> f64 + Sync)| (0..4).into_par_iter().map(of).sum::<f64>() / 4.0;
    let lost = mean(&|seed| run(greedy(), &law, horizon, seed));
    for text in ["policy = 'betc-glm-match'", "policy = 'ftrl-linear'", "policy = 'greedy-glm'"] {
        let own = mean(&|seed| run(built(text, &law, seed), &law, horizon, seed));
        println!("{text}: {own:.0}, without exploration {lost:.0}");
        assert!(own < 0.6 * lost, "{text}: {own} {lost}");
    }
}

#[test]
fn contexts_of_the_hard_instance_are_in_experiment_files() {
    let text = r#"
        runs = 2
        horizons = [2000]
        policies = ["ftrl-linear", "betc-glm-match", "greedy-glm", "uniform"]
        [[environments]]
        kind = "contexts"
        link = "linear"
        contexts = { kind = "hard", count = 4, d = 2, weights = [1, 1, 1, 3] }
    "#;
    let experiment: Experiment = toml::from_str(text).unwrap();
    assert_eq!(toml::from_str::<Experiment>(&toml::to_string(&experiment).unwrap()).unwrap(), experiment);
    let results = experiment.run(&NoSources).unwrap();
    assert_eq!(results.policies[0].environment, "contexts (4, hard, d = 2, Δ = 0.1250)");
    let last = results.policies[3].final_regret.mean;
    assert!(results.policies[..3].iter().all(|own| own.final_regret.mean < 0.7 * last));
    let refused = |change: &str, to: &str| {
        let experiment: Experiment = toml::from_str(&text.replace(change, to)).unwrap();
        experiment.run(&NoSources).unwrap_err().to_string()
    };
    assert!(refused("\"linear\"\n", "\"logistic\"\n").contains("set link = \"linear\""));
    assert!(refused("kind = \"contexts\"", "kind = \"contexts\"\ntheta_sd = 1").contains("θ of their own"));
    assert!(refused("\"uniform\"]", "\"max-pair-ucb\"]").contains("vectors of items"));
    assert!(
        refused("d = 2,", "d = 20,").contains("between 1 and 14")
            && refused("d = 2,", "d = 2, gap = -1,").contains("gap")
    );
    assert!(refused("count = 4", "count = 0").contains("contexts"));
}
