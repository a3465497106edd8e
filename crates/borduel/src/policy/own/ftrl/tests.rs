//! The rates against their formulas.

use super::*;
use crate::stream::stream;

fn state(k: usize, text: &str) -> (State, Problem) {
    let problem = Problem::without_features(k).unwrap();
    let config: Config = toml::from_str(text).unwrap();
    (config.build(&problem, stream(1, &[]), Exploration::of_pairs(&problem)).unwrap(), problem)
}

#[test]
fn the_first_round_explores_for_sure() {
    for text in ["", "regularizer = 'hybrid'", "rho = 1", "gap = 0.1"] {
        for k in [2, 3, 40] {
            let (mut state, problem) = state(k, text);
            let (others, _) = state.weights[0].weigh(state.regularizer, &state.scores, state.beta);
            let ((own, entropy), gap) = (state.weigh(), state.rates.gap);
            let (gamma, step) = state.rates.at(state.beta, own, entropy);
            let z = 0.718_281_828_459_045 * 0.25 * (k as f64 - 1.0) * others;
            let formula = (z / (gap * state.beta)).sqrt() + 0.5 * (k as f64 - 1.0) / state.beta;
            assert!((formula - 1.0).abs() < 1e-12 && gamma > 1.0 - 1e-12, "{text} {k}: {formula}");
            let expected = state.rates.rho * (z / (state.beta * gamma) + gap * gamma) / entropy;
            assert!((step / expected - 1.0).abs() < 1e-12);
            let Duel(i, j) = state.ask(&problem).duel;
            assert_ne!(i, j);
        }
    }
}

#[test]
fn beta_is_known_before_the_answer() {
    for text in ["", "regularizer = 'hybrid'", "exploit = 'pair'"] {
        let (mut state, problem) = state(5, text);
        let mut s = stream(2, &[]);
        for _ in 0..3000 {
            let proposal = state.ask(&problem);
            let (beta, until, gamma) = (state.beta, state.until, state.gamma);
            let mut other = state.clone();
            state.tell(&problem, &proposal, Outcome::from_win(s.uniform() < 0.6));
            other.tell(&problem, &proposal, Outcome::Tie);
            for told in [&state, &other] {
                assert_eq!((told.beta, told.until, told.gamma), (beta, until, gamma));
            }
        }
        assert!(state.round > state.until || state.exploit == Exploit::Itself || state.gamma < 1.0);
    }
}
