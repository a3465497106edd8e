//! Rankings over contexts.

use super::*;
use crate::about::About;
use crate::ballots::{Answer, Ballot, BothBad, Ties};
use crate::stream::stream;

/// Votes on three items in these contexts (the name and the number of votes), where "b" is strong in odd ones.
fn votes(contexts: &[(&str, usize)], voters: usize) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    let items = ["a", "b", "c"].map(|name| ballots.item(name));
    let mut s = stream(5, &[voters as u64]);
    for (at, (name, votes)) in contexts.iter().enumerate() {
        let context = (!name.is_empty()).then(|| ballots.context(name));
        let strengths = [0.7, if at % 2 == 0 { -0.6 } else { 1.2 }, 0.0];
        for vote in 0..*votes {
            let (i, j) = [(0, 1), (1, 2), (2, 0)][vote % 3];
            let won = s.uniform() < crate::link::Link::Logistic.mu(strengths[i] - strengths[j]);
            let voter = (voters > 0).then(|| ballots.voter(&s.below(voters).to_string()));
            let answer = if won { Answer::Left } else { Answer::Right };
            let (left, right, weight, count) = (items[i], items[j], 1.0, 1.0);
            ballots.add_all(&[Ballot { left, right, voter, context, answer, weight, count }]).unwrap();
        }
    }
    ballots.call_contexts("prompts");
    ballots.finish()
}

fn ranked(ballots: &Ballots, about: Option<About>) -> Ranking {
    rank(ballots, &Model::OneHot, &RankOptions { about, ..RankOptions::default() }).unwrap()
}

fn of_sizes(sizes: &[usize], voters: usize) -> Ballots {
    of_sizes_named(sizes, voters, |at| format!("p{at:05}"))
}

fn of_sizes_named(sizes: &[usize], voters: usize, name: impl Fn(usize) -> String) -> Ballots {
    let named: Vec<(String, usize)> = sizes.iter().enumerate().map(|(at, size)| (name(at), *size)).collect();
    votes(&named.iter().map(|(name, size)| (name.as_str(), *size)).collect::<Vec<_>>(), voters)
}

fn score(ranking: &Ranking, item: usize) -> Interval {
    ranking.items.iter().find(|score| score.item == item).unwrap().borda
}

/// What is wrong with votes is found although they are on contexts, also where nobody says who cast them.
#[test]
fn checks_have_the_power_that_they_have_without_contexts() {
    for voters in [0, 40] {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        let items = ["a", "b", "c"].map(|name| ballots.item(name));
        let mut s = stream(6, &[voters as u64]);
        for vote in 0..900 {
            let context = Some(ballots.context(&format!("p{}", vote % 9)));
            let voter = (voters > 0).then(|| ballots.voter(&s.below(voters).to_string()));
            // Each beats the next in a circle, and whoever stands on the left has an advantage.
            let (mut i, mut j, mut chance) = ([0, 1, 2][vote % 3], [1, 2, 0][vote % 3], 0.8);
            if s.uniform() < 0.5 {
                (i, j, chance) = (j, i, 1.0 - chance);
            }
            let answer = if s.uniform() < chance + 0.1 { Answer::Left } else { Answer::Right };
            let (left, right) = (items[i], items[j]);
            ballots.add_all(&[Ballot { left, right, voter, context, answer, weight: 1.0, count: 1.0 }]).unwrap();
        }
        let ballots = ballots.finish();
        for (contexts, ballots) in [("such", ballots.clone()), ("ignored", ballots.without_contexts())] {
            let checks = ranked(&ballots, Some(About::Such)).checks;
            let found = |is: &dyn Fn(&Finding) -> bool| checks.iter().any(is);
            assert!(found(&|check| matches!(check, Finding::Position { p, .. } if *p < 1e-4)), "{contexts} {voters}");
            assert!(found(&|check| matches!(check, Finding::Fit { p, least, .. } if *p < 0.01 || *p <= *least)));
            assert!(found(&|check| matches!(check, Finding::Cycles { beyond_chance: 1, .. })), "{contexts} {voters}");
        }
    }
}

#[test]
fn ignored_contexts_and_a_single_one_leave_the_same_bytes() {
    for voters in [0, 20] {
        let ballots = of_sizes(&[60, 12, 30, 300], voters);
        let bytes = |ranking: &Ranking| serde_json::to_string(ranking).unwrap();
        // Votes whose contexts are ignored are those of somebody who never had any.
        let never = of_sizes_named(&[60, 12, 30, 300], voters, |_| String::new());
        assert_eq!(bytes(&ranked(&ballots.without_contexts(), None)), bytes(&ranked(&never, None)));
        let one = of_sizes(&[90], voters);
        assert_eq!(bytes(&ranked(&one, None)), bytes(&ranked(&one.without_contexts(), None)));
        // Of contexts of one size the mean over them is that over votes.
        let even = of_sizes(&[60; 6], voters);
        let (these, plain) = (ranked(&even, None), ranked(&even.without_contexts(), None));
        assert_eq!(these.contexts.as_ref().map(|over| (over.about, over.why)), Some((About::These, WhyContexts::Few)));
        for item in 0..3 {
            assert!((score(&these, item).estimate.unwrap() - score(&plain, item).estimate.unwrap()).abs() < 1e-9);
        }
    }
}

#[test]
fn every_context_counts_alike_however_many_votes_it_got() {
    // "b" is strong in the second, which has fifty times the votes.
    let sizes = [300, 15_000];
    let ballots = of_sizes(&sizes, 0);
    let alone: Vec<Ranking> = (0..2).map(|context| ranked(&ballots.in_context(context), None)).collect();
    let (these, ignored) = (ranked(&ballots, None), ranked(&ballots.without_contexts(), None));
    for item in 0..3 {
        let mean = alone.iter().map(|ranking| score(ranking, item).estimate.unwrap()).sum::<f64>() / 2.0;
        assert!((score(&these, item).estimate.unwrap() - mean).abs() < 0.01);
    }
    let by_votes = score(&ignored, 1).estimate.unwrap();
    assert!(by_votes - score(&these, 1).estimate.unwrap() > 0.1);
    let map = these.contexts.unwrap().map.unwrap();
    let leaders: Vec<_> = map.contexts.iter().map(|context| map.items[context.leader().unwrap()]).collect();
    assert_eq!((leaders, map.tau > 0.3), (vec![0, 1], true));
}

#[test]
fn the_scatter_between_contexts_counts_where_they_are_a_sample() {
    for voters in [0, 40] {
        let ballots = of_sizes(&[200; 12], voters);
        let (such, these) = (ranked(&ballots, None), ranked(&ballots, Some(About::These)));
        let over = such.contexts.as_ref().unwrap();
        assert_eq!(
            (over.about, over.why, over.seen, over.are.as_str()),
            (About::Such, WhyContexts::Enough, 12, "prompts")
        );
        assert!(score(&such, 1).error > 2.0 * score(&these, 1).error);
        assert_eq!(such.intervals.df.map(|df| df <= 11.0), Some(true));
        // More votes on the same prompts do not help; more prompts would.
        if such.verdict.kind == VerdictKind::NotEnough {
            assert_eq!(such.verdict.forecast, Some(Forecast::OutOfReach));
            assert!(such.verdict.contexts.is_some());
        }
        assert_eq!(these.verdict.contexts, None);
    }
}

#[test]
fn odd_contexts_are_ranked_or_refused_by_name() {
    // Every vote a context of its own; ten thousand of them; some without; one that nothing connects.
    for sizes in [vec![1; 300], vec![3; 10_000]] {
        let ranking = ranked(&of_sizes(&sizes, 0), None);
        assert_eq!(ranking.contexts.as_ref().map(|over| over.seen), Some(sizes.len()));
        let plain = ranked(&of_sizes(&sizes, 0).without_contexts(), None);
        let ratio = score(&ranking, 0).error / score(&plain, 0).error;
        assert!((0.6..1.7).contains(&ratio), "{ratio}");
    }
    let some = votes(&[("", 40), ("x", 60), ("y", 90)], 0);
    assert_eq!(ranked(&some, None).contexts.map(|over| (over.seen, over.without)), Some((2, 40.0)));
    let one = of_sizes(&[90], 0);
    let such = RankOptions { about: Some(About::Such), ..RankOptions::default() };
    assert!(rank(&one, &Model::OneHot, &such).unwrap_err().to_string().contains("needs two of them at least"));
    let many = of_sizes(&[30; 9], 10);
    assert!(rank(&many, &Model::Counts, &such).unwrap_err().to_string().contains("needs a fitted model"));
    let counts = rank(&many, &Model::Counts, &RankOptions::default()).unwrap();
    assert_eq!(counts.contexts.map(|over| over.why), Some(WhyContexts::Fixed));
    // Votes of one judge, who is no crowd: contexts alone are clusters.
    let judged = ranked(&of_sizes(&[30; 9], 1), None);
    assert_eq!((judged.intervals.clusters, judged.intervals.crossed), (Some(9.0), None));
    assert_eq!(judged.verdict.few_voters, Some(1));
}

/// Votes (the two items, the context, how many of them the first one wins of ten).
fn in_places(votes: &[(&str, &str, &str, u32)]) -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    for (one, other, place, wins) in votes {
        let (left, right, context) = (ballots.item(one), ballots.item(other), Some(ballots.context(place)));
        for vote in 0..40 {
            let answer = if vote % 10 < *wins { Answer::Left } else { Answer::Right };
            ballots.add_all(&[Ballot { left, right, voter: None, context, answer, weight: 1.0, count: 1.0 }]).unwrap();
        }
    }
    ballots.finish()
}

#[test]
fn contexts_without_an_item_in_common_are_not_compared_and_a_chain_of_items_joins_them() {
    let apart = in_places(&[("a", "b", "x", 6), ("c", "d", "y", 7)]);
    let ranking = ranked(&apart, None);
    assert_eq!((ranking.items.len(), ranking.left_out.len()), (2, 2));
    assert_eq!(ranking.contexts, None, "one context is all that the ranked two were compared on");
    let options = RankOptions::default();
    let first = rests_on(&apart, &Model::OneHot, &options, &ranking).unwrap().votes.unwrap().first;
    assert_eq!(first, ranking.items[1].item, "who is not ranked does not become first");
    let chain = ranked(&in_places(&[("a", "b", "x", 6), ("b", "c", "y", 6), ("c", "d", "z", 6)]), None);
    let order: Vec<usize> = chain.items.iter().map(|score| score.item).collect();
    assert_eq!((order, chain.left_out.len()), (vec![0, 1, 2, 3], 0));
    assert_eq!(chain.contexts.map(|over| (over.about, over.seen)), Some((About::These, 3)));
}

/// Prompts that were written down from some day on: the votes before count as one context more.
#[test]
fn votes_from_before_there_were_contexts_count_as_one_more() {
    for voters in [0, 20] {
        let mut sizes: Vec<(String, usize)> = (0..10).map(|at| (format!("p{at}"), 30)).collect();
        sizes.push((String::new(), 300));
        let named = |last: &str| -> Ballots {
            let names: Vec<(&str, usize)> =
                sizes.iter().map(|(name, n)| (if name.is_empty() { last } else { name.as_str() }, *n)).collect();
            votes(&names, voters)
        };
        let (late, whole) = (ranked(&named(""), None), ranked(&named("zz"), None));
        assert_eq!(late.contexts.as_ref().map(|over| (over.seen, over.without)), Some((10, 300.0)));
        assert_eq!(whole.contexts.as_ref().map(|over| (over.seen, over.without)), Some((11, 0.0)));
        for item in 0..3 {
            let (late, whole) = (score(&late, item), score(&whole, item));
            assert!((late.estimate.unwrap() - whole.estimate.unwrap()).abs() < 1e-9);
            assert!((late.error / whole.error - 1.0).abs() < 1e-9);
        }
    }
}

/// Answers that say exactly how often one item is preferred to another, in contexts of as many votes of which most lack
/// a third of the items: scores are nearly the means over the contexts that two items have in common.
#[test]
fn where_contents_are_missing_a_pair_has_its_mean_over_the_contexts_in_common() {
    let (items, contexts) = (6, 20);
    let mut s = stream(9, &[]);
    let mut ballots = names(items);
    let mut means = vec![(0.0, 0.0); items * items];
    for c in 0..contexts {
        let strengths: Vec<f64> = (0..items).map(|item| 0.3 * item as f64 + s.normal()).collect();
        let there: Vec<usize> = (0..items).filter(|&item| c % 3 == 0 || (item + c) % 3 > 0).collect();
        let context = Some(ballots.context(&format!("{c:02}")));
        for &i in &there {
            for &j in there.iter().filter(|&&j| j > i) {
                let p = Link::Logistic.mu(strengths[i] - strengths[j]);
                let count = 1_200.0 / (there.len() * (there.len() - 1)) as f64;
                let (left, right, answer) = (i as u32, j as u32, Answer::Soft(p));
                let vote = Ballot { left, right, voter: None, context, answer, weight: 1.0, count };
                ballots.add_all(&[vote]).unwrap();
                for (at, p) in [(i * items + j, p), (j * items + i, 1.0 - p)] {
                    means[at] = (means[at].0 + p, means[at].1 + 1.0);
                }
            }
        }
    }
    let ballots = ballots.finish();
    let off = |ranking: Ranking| {
        let of = |item: usize| {
            let means = means[item * items..(item + 1) * items].iter().filter(|(_, n)| *n > 0.0);
            let truth = means.map(|(sum, n)| sum / n).sum::<f64>() / (items - 1) as f64;
            (score(&ranking, item).estimate.unwrap() - truth).abs()
        };
        (0..items).map(of).fold(0.0, f64::max)
    };
    // Were the votes of every context to count alike, those of few items would count for more.
    let [these, alike] = [ballots.clone(), ballots.without_contexts()].map(|ballots| off(ranked(&ballots, None)));
    assert!(these < 0.02 && alike > 2.5 * these, "{these} {alike}");
}
