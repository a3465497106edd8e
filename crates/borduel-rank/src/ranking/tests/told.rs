//! What is said of the scores: verdicts, their size, and checks.

use super::*;

#[test]
fn a_handful_of_votes_is_never_certain() {
    let width = |score: &ItemScore| score.borda.high - score.borda.low;
    for model in [Model::OneHot, Model::Counts] {
        // One vote of 0.7; one tie; three tied pairs; six votes of which three hardly count.
        let mut soft = names(2);
        soft.add(0, 1, None, Answer::Soft(0.7), 1.0, 1.0).unwrap();
        let mut tie = names(2);
        tie.add(0, 1, None, Answer::Tie, 1.0, 1.0).unwrap();
        let mut ties = names(3);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            ties.add(i, j, None, Answer::Tie, 1.0, 1.0).unwrap();
        }
        let mut heavy = names(2);
        for vote in 0..6 {
            heavy.add(0, 1, None, Answer::Left, if vote % 2 == 0 { 100.0 } else { 0.01 }, 1.0).unwrap();
        }
        // An item that only tied, among others with many decided votes.
        let mut lone = names(4);
        for (i, j, _, answer) in random_votes(3, 600, 9, &mut stream(8, &[])) {
            lone.add(i, j, None, answer, 1.0, 1.0).unwrap();
        }
        lone.add(3, 0, None, Answer::Tie, 1.0, 2.0).unwrap();
        // Three voters who each contradict themselves: their sums cancel.
        let mut torn = names(2);
        for voter in 0..3 {
            let voter = torn.voter(&voter.to_string());
            torn.add(0, 1, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            torn.add(0, 1, Some(voter), Answer::Right, 1.0, 1.0).unwrap();
        }
        for (what, ballots) in
            [("soft", soft), ("tie", tie), ("ties", ties), ("heavy", heavy), ("lone", lone), ("torn", torn)]
        {
            let ranking = ranked(&ballots.finish(), &model);
            if what != "lone" {
                assert_eq!(ranking.verdict.kind, VerdictKind::NotEnough, "{what} {model:?}");
            }
            for score in ranking.items.iter().filter(|score| what != "lone" || score.item == 3) {
                assert!(width(score) > 0.3, "{what} {model:?}: {:?}", score.borda);
                assert!([score.borda.low, score.borda.high].iter().all(|x| x.is_finite()));
            }
            for check in &ranking.checks {
                assert!(!format!("{check:?}").contains("NaN"), "{what}: {check:?}");
            }
        }
    }
}

/// P(X = x) of n fair coins.
fn fair_coins(n: u64, x: u64) -> f64 {
    (1..=x).fold(0.5_f64.powi(n as i32), |p, c| p * (n + 1 - c) as f64 / c as f64)
}

#[test]
fn two_even_items_have_a_winner_in_at_most_5_percent_of_all_cases() {
    for model in [Model::OneHot, Model::Counts] {
        for n in (1..=20).chain([31, 50]) {
            let mut size = 0.0;
            for x in 0..=n {
                let mut ballots = names(2);
                ballots.add(0, 1, None, Answer::Left, 1.0, x as f64).unwrap();
                ballots.add(0, 1, None, Answer::Right, 1.0, (n - x) as f64).unwrap();
                if ranked(&ballots.finish(), &model).verdict.kind == VerdictKind::ClearWinner {
                    size += fair_coins(n, x);
                }
            }
            assert!(size <= 0.05, "{model:?}, {n} votes: {size}");
            // The most that a whole number of votes allows, so that nothing is given away.
            let tail = |x: u64| (0..=x).map(|c| fair_coins(n, c)).sum::<f64>();
            let possible = (0..n / 2).map(|x| 2.0 * tail(x)).filter(|p| *p <= 0.05).fold(0.0, f64::max);
            assert!((size - possible).abs() < 1e-9, "{model:?}, {n} votes: {size} of {possible}");
        }
    }
}

#[test]
fn three_even_items_by_counts_have_a_winner_in_at_most_5_percent_of_all_cases() {
    for n in 1..=5_u64 {
        let mut size = 0.0;
        for x in 0..=n {
            for y in 0..=n {
                for z in 0..=n {
                    let mut ballots = names(3);
                    for (i, j, won) in [(0, 1, x), (1, 2, y), (2, 0, z)] {
                        ballots.add(i, j, None, Answer::Left, 1.0, won as f64).unwrap();
                        ballots.add(i, j, None, Answer::Right, 1.0, (n - won) as f64).unwrap();
                    }
                    if ranked(&ballots.finish(), &Model::Counts).verdict.kind == VerdictKind::ClearWinner {
                        size += fair_coins(n, x) * fair_coins(n, y) * fair_coins(n, z);
                    }
                }
            }
        }
        assert!(size <= 0.05, "{n} votes a pair: {size}");
    }
}

#[test]
fn verdicts() {
    let ballots = |pairs: &[(u32, u32, f64, f64)]| {
        let mut ballots = names(3);
        for &(i, j, won, lost) in pairs {
            ballots.add(i, j, None, Answer::Left, 1.0, won).unwrap();
            ballots.add(i, j, None, Answer::Right, 1.0, lost).unwrap();
        }
        ballots.finish()
    };
    let clear = ranked(&ballots(&[(0, 1, 70.0, 30.0), (0, 2, 80.0, 20.0), (1, 2, 60.0, 40.0)]), &Model::OneHot);
    assert_eq!((clear.verdict.kind, clear.verdict.winners.as_slice()), (VerdictKind::ClearWinner, [0].as_slice()));
    assert_eq!(clear.items[0].rank, (1, 1));
    let tie = ranked(
        &ballots(&[(0, 1, 50_000.0, 50_000.0), (0, 2, 80_000.0, 20_000.0), (1, 2, 80_000.0, 20_000.0)]),
        &Model::OneHot,
    );
    assert_eq!((tie.verdict.kind, tie.verdict.winners.as_slice()), (VerdictKind::Tie, [0, 1].as_slice()));
    assert!((tie.items[0].p_best.unwrap() - 0.5).abs() < 0.03);
    // Ahead by less than its error, and not behind by more than the margin: it may be chosen.
    let good = ranked(
        &ballots(&[(0, 1, 5_100.0, 4_900.0), (0, 2, 8_000.0, 2_000.0), (1, 2, 8_000.0, 2_000.0)]),
        &Model::OneHot,
    );
    assert_eq!((good.verdict.kind, good.verdict.winners.as_slice()), (VerdictKind::GoodEnough, [0, 1].as_slice()));
    assert_eq!((good.verdict.forecast, good.items[0].rank, good.items[1].rank), (None, (1, 2), (1, 2)));
    let open = |factor: f64| {
        ranked(
            &ballots(&[
                (0, 1, 15.0 * factor, 10.0 * factor),
                (0, 2, 19.0 * factor, 6.0 * factor),
                (1, 2, 18.0 * factor, 7.0 * factor),
            ]),
            &Model::OneHot,
        )
    };
    let first = open(1.0);
    assert_eq!(first.verdict.kind, VerdictKind::NotEnough);
    // The most that it asks for settle it if they are just like these; the fewest do not.
    let (low, high) = first.verdict.forecast.unwrap().range().unwrap();
    assert_ne!(open(1.0 + high / 75.0).verdict.kind, VerdictKind::NotEnough);
    assert_eq!(open(1.0 + low / 75.0).verdict.kind, VerdictKind::NotEnough);
    // Six votes to none is the least that a coin does not do in 5 % of cases, and no forecast promises it for less.
    for votes in 1..6 {
        let mut few = names(2);
        few.add(0, 1, None, Answer::Left, 1.0, f64::from(votes)).unwrap();
        let verdict = ranked(&few.finish(), &Model::Counts).verdict;
        assert_eq!(verdict.kind, VerdictKind::NotEnough);
        let least = verdict.forecast.unwrap().range().map_or(f64::INFINITY, |range| range.1);
        assert!(least > f64::from(5 - votes), "{votes} {:?}", verdict.forecast);
    }
    // One vote decides nothing, whatever the model.
    for model in [Model::OneHot, Model::Counts] {
        let mut one = names(2);
        one.add(0, 1, None, Answer::Left, 1.0, 1.0).unwrap();
        assert_eq!(ranked(&one.finish(), &model).verdict.kind, VerdictKind::NotEnough);
    }
    // A hundred unanimous votes do.
    let unanimous = ranked(&ballots(&[(0, 1, 100.0, 0.0), (0, 2, 100.0, 0.0), (1, 2, 50.0, 50.0)]), &Model::OneHot);
    assert_eq!(unanimous.verdict.kind, VerdictKind::ClearWinner);
    assert_eq!(check(&unanimous, "won-and-lost").ok(), Some(false));
    assert!(unanimous.basis.separable);
}

#[test]
fn the_verdict_of_a_few_voters_is_theirs() {
    let few = |voters: u32, unnamed: bool, level: f64| {
        let mut ballots = names(2);
        for voter in 0..voters {
            let voter = ballots.voter(&voter.to_string());
            ballots.add(0, 1, Some(voter), Answer::Left, 1.0, 100.0).unwrap();
        }
        if unnamed {
            ballots.add(0, 1, None, Answer::Left, 1.0, 100.0).unwrap();
        }
        let ranking = rank(&ballots.finish(), &Model::OneHot, &RankOptions { level, ..RankOptions::default() });
        ranking.unwrap().verdict.few_voters
    };
    // Five voters who toss a coin each agree in one case of sixteen, six in one of thirty-two.
    assert_eq!([1, 2, 5, 6].map(|voters| few(voters, false, 0.95)), [Some(1), Some(2), Some(5), None]);
    assert_eq!((few(6, false, 0.99), few(8, false, 0.99)), (Some(6), None));
    assert_eq!((few(0, true, 0.95), few(1, true, 0.95)), (None, None));
}

#[test]
fn those_who_may_be_best_are_those_whose_rank_may_be_1() {
    for seed in 0..12 {
        // The favourite is seldom asked about, so that others are certain to beat many of whom it is not.
        let votes = random_votes(8, 200 + 100 * seed as usize, 20, &mut stream(seed, &[]));
        let rare = |(at, vote): &(usize, (u32, u32, u32, Answer))| at % 8 == 0 || (vote.0 != 0 && vote.1 != 0);
        let votes: Vec<_> = votes.into_iter().enumerate().filter(rare).map(|(_, vote)| vote).collect();
        for model in [Model::OneHot, Model::Counts] {
            let ranking = ranked(&fill(8, &votes, seed % 2 == 0), &model);
            let first: Vec<usize> = ranking.items.iter().filter(|s| s.rank.0 == 1).map(|s| s.item).collect();
            assert_eq!(ranking.verdict.winners, first, "seed {seed}");
        }
    }
}

#[test]
fn checks_see_what_is_wrong() {
    let mut s = stream(9, &[]);
    // The left side wins 70 % whatever is shown.
    let mut biased = names(4);
    for vote in 0..2000 {
        let (i, j) = (vote % 4, (vote % 4 + 1 + vote / 4 % 3) % 4);
        let answer = if s.uniform() < 0.7 { Answer::Left } else { Answer::Right };
        biased.add(i, j, None, answer, 1.0, 1.0).unwrap();
    }
    let biased = ranked(&biased.finish(), &Model::OneHot);
    assert_eq!(check(&biased, "position").ok(), Some(false));
    let gained =
        |found: &Finding| matches!(found, Finding::Position { advantage, .. } if (0.195..0.3).contains(advantage));
    assert!(gained(check(&biased, "position")), "{:?}", check(&biased, "position"));
    let fair = ranked(&fill(4, &random_votes(4, 2000, 50, &mut s), true), &Model::OneHot);
    for name in
        ["connected", "won-and-lost", "votes-per-item", "voters", "fit", "position", "ties-and-skips", "agreement"]
    {
        assert_eq!(check(&fair, name).ok(), Some(true), "{:?}", check(&fair, name));
    }
    // Rock, paper, scissors: a circle that no scale explains.
    let mut circle = names(3);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        circle.add(i, j, None, Answer::Left, 1.0, 80.0).unwrap();
        circle.add(i, j, None, Answer::Right, 1.0, 20.0).unwrap();
    }
    let circle = ranked(&circle.finish(), &Model::OneHot);
    assert_eq!((check(&circle, "cycles").ok(), check(&circle, "fit").ok()), (Some(false), Some(false)));
    assert_eq!(check(&circle, "position").ok(), None, "no pair was shown in both orders");
    // Borda and the Condorcet winner differ: item 0 beats both others narrowly, item 1 beats item 2 by far.
    let mut split = names(3);
    for (i, j, won, lost) in [(0, 1, 51.0, 49.0), (0, 2, 52.0, 48.0), (1, 2, 95.0, 5.0)] {
        split.add(i, j, None, Answer::Left, 1.0, won).unwrap();
        split.add(i, j, None, Answer::Right, 1.0, lost).unwrap();
    }
    let split = ranked(&split.finish(), &Model::Counts);
    assert_eq!((split.items[0].item, check(&split, "agreement").ok()), (1, Some(false)));
}

#[test]
fn pairs_taken_from_rankings_leave_the_fit_test_no_power() {
    // Forty voters put eight equal items in order: the 28 pairs of each are as consistent as one scale, and χ² hardly
    // varies.
    let (items, mut s) = (8, stream(31, &[]));
    let mut orders = names(items);
    for voter in 0..40 {
        let voter = orders.voter(&voter.to_string());
        let mut order: Vec<(f64, u32)> = (0..items as u32).map(|item| (s.uniform(), item)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, &(_, better)) in order.iter().enumerate() {
            for &(_, worse) in &order[at + 1..] {
                orders.add(better, worse, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
            }
        }
    }
    let found = ranked(&orders.finish(), &Model::OneHot);
    let fit = check(&found, "fit");
    assert!(matches!(fit, Finding::Fit { powerless: true, .. }), "{fit:?}");
    assert_eq!(fit.ok(), None, "neither well nor wrong");
    // As many votes that have nothing to do with each other.
    let apart = ranked(&fill(items, &random_votes(items, 40 * 28, 40, &mut s), true), &Model::OneHot);
    let fit = check(&apart, "fit");
    assert!(matches!(fit, Finding::Fit { powerless: false, .. }), "{fit:?}");
}

#[test]
fn rankings_are_saved_and_loaded() {
    let ballots = fill(4, &random_votes(4, 300, 20, &mut stream(6, &[])), true);
    for model in [Model::OneHot, Model::Counts] {
        let ranking = ranked(&ballots, &model);
        let text = serde_json::to_string(&ranking).unwrap();
        assert_eq!(serde_json::from_str::<Ranking>(&text).unwrap(), ranking);
        let later = text.replacen("\"version\":1", "\"version\":2", 1);
        let error = serde_json::from_str::<Ranking>(&later).unwrap_err().to_string();
        assert!(error.contains("version 2 of its format"), "{error}");
    }
}

#[test]
fn votes_that_are_all_but_certain_and_light_votes_beside_heavy_ones_decide_nothing() {
    let mut soft = names(3);
    let mut weighed = names(3);
    for (i, j) in [(0, 1), (1, 2), (0, 2)] {
        soft.add(i, j, None, Answer::Soft(0.9999), 1.0, 1.0).unwrap();
        weighed.add(i, j, None, Answer::Left, 100.0, 1.0).unwrap();
        weighed.add(i, j, None, Answer::Right, 0.01, 1.0).unwrap();
    }
    let features = Features::differences(3, 1, &[1.0, 0.5, 0.0]).unwrap();
    for votes in [soft.finish(), weighed.finish()] {
        for model in [Model::OneHot, Model::Features(features.clone())] {
            let ranking = ranked(&votes, &model);
            assert_eq!(ranking.verdict.kind, VerdictKind::NotEnough, "{model:?} {:?}", ranking.items[0].borda);
            assert!(ranking.basis.separable);
        }
    }
}

#[test]
fn the_fit_of_unanimous_votes_is_no_alarm() {
    for voters in [true, false] {
        let mut votes = names(4);
        for voter in 0..30 {
            let id = voters.then(|| votes.voter(&voter.to_string()));
            for i in 0..4 {
                (i + 1..4).for_each(|j| votes.add(i, j, id, Answer::Left, 1.0, 1.0).unwrap());
            }
        }
        let ranking = ranked(&votes.finish(), &Model::OneHot);
        let fit = check(&ranking, "fit");
        assert_ne!(fit.ok(), Some(false), "{fit:?}");
        // It used to be twice the number of votes.
        assert!(matches!(fit, Finding::Fit { chi_square, .. } if *chi_square < 20.0), "{fit:?}");
    }
}

#[test]
fn nothing_depends_on_the_order_of_the_rows() {
    let mut s = stream(31, &[]);
    let mut rows: Vec<(String, String, bool)> = Vec::new();
    for _ in 0..300 {
        let i = s.below(12);
        let j = (i + 1 + s.below(11)) % 12;
        rows.push((
            format!("item {i}"),
            format!("item {j}"),
            s.uniform() < 1.0 / (1.0 + (0.1 * (i as f64 - j as f64)).exp()),
        ));
    }
    let told = |rows: &[(String, String, bool)]| {
        let mut votes = Ballots::new(Ties::Half, BothBad::Drop, true);
        for (left, right, won) in rows {
            let (left, right) = (votes.item(left), votes.item(right));
            votes.add(left, right, None, if *won { Answer::Left } else { Answer::Right }, 1.0, 1.0).unwrap();
        }
        let votes = votes.finish();
        let ranking = ranked(&votes, &Model::OneHot);
        let item = |score: &ItemScore| (votes.items()[score.item].clone(), score.rank, score.borda, score.p_best);
        (ranking.critical, ranking.verdict.forecast, ranking.items.iter().map(item).collect::<Vec<_>>())
    };
    let forwards = told(&rows);
    rows.reverse();
    assert_eq!(forwards, told(&rows));
}

/// Whoever beat the leader in all of three votes may be best: nobody is a clear winner of all beside them. Whoever lost
/// three of three changes nothing, and what is left out as asked does not either.
#[test]
fn somebody_who_never_lost_keeps_everything_open() {
    for (won, expected) in [(true, VerdictKind::NotEnough), (false, VerdictKind::ClearWinner)] {
        let mut ballots = names(4);
        for (i, j, wins) in [(0, 1, 150.0), (0, 2, 160.0), (1, 2, 120.0)] {
            ballots.add(i, j, None, Answer::Left, 1.0, wins).unwrap();
            ballots.add(i, j, None, Answer::Right, 1.0, 200.0 - wins).unwrap();
        }
        let answer = if won { Answer::Left } else { Answer::Right };
        (0..3).for_each(|other| ballots.add(3, other, None, answer, 1.0, 1.0).unwrap());
        let ballots = ballots.finish();
        let ranking = ranked(&ballots, &Model::OneHot);
        assert_eq!(ranking.left_out.iter().map(|u| u.why).collect::<Vec<_>>(), [WhyNot::TooFewToPlace]);
        assert_eq!(ranking.verdict.kind, expected);
        assert_eq!(ranking.verdict.winners, if won { vec![0, 3] } else { vec![0] });
        let options = RankOptions { exclude: vec![3], ..RankOptions::default() };
        assert_eq!(rank(&ballots, &Model::OneHot, &options).unwrap().verdict.kind, VerdictKind::ClearWinner);
    }
}
