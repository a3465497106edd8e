//! What can be asked for besides: adjustments, clusters, groups, scales, features, items left out.

use super::*;

#[test]
fn features_rank_items_that_were_never_voted_on() {
    let features = Features::differences(4, 1, &[0.0, 0.3, 0.6, 0.9]).unwrap();
    let mut ballots = names(4);
    ballots.add(1, 0, None, Answer::Left, 1.0, 60.0).unwrap();
    ballots.add(1, 0, None, Answer::Right, 1.0, 40.0).unwrap();
    let ranking = ranked(&ballots.finish(), &Model::Features(features.clone()));
    assert_eq!(ranking.items.iter().map(|score| score.item).collect::<Vec<_>>(), [3, 2, 1, 0]);
    let p = ranking.pairs[0].fitted.unwrap();
    assert!((p - 0.6).abs() < 1e-9);
    let other = names(3);
    assert!(rank(&other.finish(), &Model::Features(features), &RankOptions::default()).is_err());
}

#[test]
fn an_advantage_of_position_is_estimated_and_removed() {
    // The left side gains 0.8 in log-odds, and strong items are shown on the left more often: scores are biased unless
    // adjusted.
    let mut s = stream(12, &[]);
    let mut ballots = names(5);
    for _ in 0..6000 {
        let (a, b) = (s.below(5), s.below(4));
        let b = if b >= a { b + 1 } else { b };
        let (i, j) = if (s.uniform() < 0.8) == (a < b) { (a, b) } else { (b, a) };
        let p = Link::Logistic.mu(0.3 * (j as f64 - i as f64) + 0.8);
        let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
        ballots.add(i as u32, j as u32, None, answer, 1.0, 1.0).unwrap();
    }
    let ballots = ballots.finish();
    let truth = |i: usize| {
        (0..5).filter(|&j| j != i).map(|j| Link::Logistic.mu(0.3 * (j as f64 - i as f64))).sum::<f64>() / 4.0
    };
    let plain = ranked(&ballots, &Model::OneHot);
    assert!((plain.items[0].borda.estimate.unwrap() - truth(0)).abs() > 0.05, "the bias is there");
    let options = RankOptions { adjust_position: true, ..RankOptions::default() };
    let adjusted = rank(&ballots, &Model::OneHot, &options).unwrap();
    for score in &adjusted.items {
        assert!((score.borda.estimate.unwrap() - truth(score.item)).abs() < 0.03, "{:?}", score.borda);
    }
    let effect = &adjusted.effects[0];
    assert!(effect.effect.low < 0.8 && 0.8 < effect.effect.high && effect.effect.error < 0.1, "{effect:?}");
    assert!((effect.advantage - (Link::Logistic.mu(0.8) - 0.5)).abs() < 0.03);
    assert!(rank(&ballots, &Model::Counts, &options).unwrap_err().to_string().contains("one-hot"));
}

#[test]
fn scales_chances_and_changes() {
    let votes = random_votes(4, 800, 60, &mut stream(6, &[]));
    let ballots = fill(4, &votes, false);
    let plain = ranked(&ballots, &Model::OneHot);
    let scale = Scale::Elo { anchor: Some(2), points: 1000.0 };
    let elo = rank(&ballots, &Model::OneHot, &RankOptions { scale, chances: true, ..RankOptions::default() }).unwrap();
    let strength = |ranking: &Ranking, item: usize| {
        ranking.items.iter().find(|score| score.item == item).unwrap().strength.unwrap()
    };
    assert!((strength(&elo, 2).estimate.unwrap() - 1000.0).abs() < 1e-9);
    let points = strength(&elo, 0).estimate.unwrap() - strength(&elo, 1).estimate.unwrap();
    let odds = strength(&plain, 0).estimate.unwrap() - strength(&plain, 1).estimate.unwrap();
    assert!((points - odds * 400.0 / 10_f64.ln()).abs() < 1e-9);
    let chances = elo.chances.unwrap();
    for (a, row) in chances.iter().enumerate() {
        let others: f64 = (0..4).filter(|&b| b != a).map(|b| row[b]).sum();
        assert!((others / 3.0 - elo.items[a].borda.estimate.unwrap()).abs() < 1e-9);
    }
    // Nothing changed against itself; against another crowd's opposite opinion everything at the ends did.
    let before: Vec<Before> = plain
        .items
        .iter()
        .map(|score| Before {
            item: score.item.to_string(),
            borda: score.borda.estimate,
            error: score.borda.error,
            df: plain.intervals.df,
            rank: score.rank,
        })
        .collect();
    let same = compare(&before, &plain, ballots.items(), 0.95);
    assert!(same.changes.iter().all(|change| !change.clear) && same.new.is_empty() && same.gone.is_empty());
    let mut turned = before.clone();
    turned.iter_mut().for_each(|item| item.borda = item.borda.map(|b| 1.0 - b));
    turned[3].item = "other".to_owned();
    let changed = compare(&turned, &plain, ballots.items(), 0.95);
    assert!(changed.changes[0].clear && changed.gone == ["other"] && changed.new.len() == 1);
}

#[test]
fn what_is_asked_to_be_left_out_is() {
    let votes = random_votes(6, 600, 60, &mut stream(6, &[]));
    let mut ballots = fill(6, &votes, false);
    ballots.item("rare");
    ballots.add(6, 0, None, Answer::Left, 1.0, 1.0).unwrap();
    ballots.add(6, 0, None, Answer::Right, 1.0, 2.0).unwrap();
    let ballots = ballots.finish();
    let options = RankOptions { least_votes: 10.0, exclude: vec![5], ..RankOptions::default() };
    for model in [Model::OneHot, Model::Counts] {
        let ranking = rank(&ballots, &model, &options).unwrap();
        assert_eq!(ranking.items.len(), 5);
        let why: Vec<_> = ranking.left_out.iter().map(|u| (u.item, u.why)).collect();
        assert_eq!(why, [(5, WhyNot::Excluded), (6, WhyNot::LeastVotes)]);
        // Won, lost and level are those of the votes that the ranking rests on, each of which is about two ranked
        // items.
        let answers: f64 = ranking.items.iter().map(|score| score.counts.total()).sum();
        assert_eq!(answers, 2.0 * ranking.votes.used);
    }
    let none = RankOptions { least_votes: 1e6, ..RankOptions::default() };
    assert!(rank(&ballots, &Model::OneHot, &none).unwrap_err().to_string().contains("leave out less"));
    assert!(rank(&ballots, &Model::OneHot, &RankOptions { exclude: vec![7], ..none }).is_err());
}

#[test]
fn numbers_that_go_with_votes_are_estimated_and_removed() {
    // Longer answers win more often, and the best item gives the longest ones: its score is too high unless that is
    // adjusted for.
    let mut s = stream(31, &[]);
    let (mut ballots, mut circumstances) = (names(5), Circumstances::new(vec!["length".to_owned()]));
    for vote in 0..5000_u32 {
        let i = s.below(5);
        let j = (i + 1 + s.below(4)) % 5;
        let longer = 200.0 * (j as f64 - i as f64) + 150.0 * s.normal();
        let p = Link::Logistic.mu(0.3 * (j as f64 - i as f64) + 0.002 * longer + 0.4);
        let answer = if s.uniform() < p { Answer::Left } else { Answer::Right };
        let ballot = crate::ballots::Ballot {
            left: i as u32,
            right: j as u32,
            voter: Some(vote % 50),
            context: None,
            answer,
            weight: 1.0,
            count: 1.0,
        };
        ballots.voter(&(vote % 50).to_string());
        ballots.add_all(&[ballot]).unwrap();
        circumstances.add(&ballots, &ballot, &[longer]).unwrap();
    }
    let ballots = ballots.finish();
    let truth = |i: usize| {
        (0..5).filter(|&j| j != i).map(|j| Link::Logistic.mu(0.3 * (j as f64 - i as f64))).sum::<f64>() / 4.0
    };
    let plain = ranked(&ballots, &Model::OneHot);
    assert!(plain.items[0].borda.estimate.unwrap() - truth(0) > 0.08, "the bias is there");
    for clustered in [false, true] {
        let circumstances = Some(Arc::new(circumstances.clone()));
        let options = RankOptions { circumstances, adjust_position: true, clustered, ..RankOptions::default() };
        let adjusted = rank(&ballots, &Model::OneHot, &options).unwrap();
        for score in &adjusted.items {
            assert!((score.borda.estimate.unwrap() - truth(score.item)).abs() < 0.04, "{:?}", score.borda);
        }
        let [length, position] = &adjusted.effects[..] else { panic!("{:?}", adjusted.effects) };
        assert_eq!((length.name.as_str(), position.name.as_str()), ("length", "position"));
        for (effect, truth) in [(length, 0.002), (position, 0.4)] {
            let off = (effect.effect.estimate.unwrap() - truth).abs();
            assert!(off < 3.5 * effect.effect.error && effect.effect.error < 0.25 * truth, "{effect:?}");
        }
        // The model with the effects explains the votes; a bootstrap refits it with them.
        assert_eq!(check(&adjusted, "fit").ok(), Some(true), "{:?}", check(&adjusted, "fit"));
        let again = rank(&ballots, &Model::OneHot, &RankOptions { bootstrap: Some(100), ..options.clone() }).unwrap();
        let ratio = (again.items[0].borda.high - again.items[0].borda.low)
            / (adjusted.items[0].borda.high - adjusted.items[0].borda.low);
        assert!((0.6..1.5).contains(&ratio), "{ratio}");
    }
    let options = RankOptions { circumstances: Some(Arc::new(circumstances)), ..RankOptions::default() };
    assert!(rank(&ballots, &Model::Counts, &options).unwrap_err().to_string().contains("one-hot"));
}

#[test]
fn votes_that_hang_together_in_two_ways_have_errors_for_both() {
    // Every voter and every prompt has a liking of its own for item 0.
    let (voters, prompts) = (40, 25);
    let mut estimates = Vec::new();
    let mut errors = [0.0; 2];
    let runs = 60;
    for run in 0..runs {
        let mut s = stream(run, &[77]);
        let [of_voter, of_prompt]: [Vec<f64>; 2] =
            [voters, prompts].map(|n| (0..n).map(|_| 0.7 * s.normal()).collect());
        let [mut first, mut second, mut both] = [names(3), names(3), names(3)];
        for (voter, of_voter) in of_voter.iter().enumerate() {
            for _ in 0..20 {
                let prompt = s.below(prompts);
                let i = s.below(3);
                let j = (i + 1 + s.below(2)) % 3;
                let liking = |item: usize| if item == 0 { of_voter + of_prompt[prompt] } else { 0.0 };
                let answer =
                    if s.uniform() < Link::Logistic.mu(liking(i) - liking(j)) { Answer::Left } else { Answer::Right };
                for (ballots, name) in [
                    (&mut first, format!("{voter}")),
                    (&mut second, format!("{prompt}")),
                    (&mut both, format!("{voter} {prompt}")),
                ] {
                    let who = ballots.voter(&name);
                    ballots.add(i as u32, j as u32, Some(who), answer, 1.0, 1.0).unwrap();
                }
            }
        }
        let crossed = Arc::new(Crossed { name: "prompts".to_owned(), second: second.finish(), both: both.finish() });
        let first = first.finish();
        for (at, crossed) in [None, Some(crossed)].into_iter().enumerate() {
            let ranking = rank(&first, &Model::OneHot, &RankOptions { crossed, ..RankOptions::default() }).unwrap();
            let own = ranking.items.iter().find(|score| score.item == 0).unwrap();
            errors[at] += own.borda.error / runs as f64;
            if at == 1 {
                estimates.push(own.borda.estimate.unwrap());
                assert_eq!(ranking.intervals.crossed, Some(25.0));
            }
        }
    }
    let mean = estimates.iter().sum::<f64>() / runs as f64;
    let true_error = (estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (runs - 1) as f64).sqrt();
    // One way misses what prompts do; both ways are about right (the true error is known to within 9 %).
    assert!(errors[0] < 0.8 * true_error, "{errors:?} {true_error}");
    assert!((0.8..1.25).contains(&(errors[1] / true_error)), "{errors:?} {true_error}");
}

#[test]
fn groups_that_differ_are_told_from_those_that_do_not() {
    let mut s = stream(5, &[9]);
    let group = |shift: f64, s: &mut Stream| {
        let mut ballots = names(4);
        for _ in 0..1500 {
            let i = s.below(4);
            let j = (i + 1 + s.below(3)) % 4;
            let strength = |item: usize| 0.4 * item as f64 + if item == 0 { shift } else { 0.0 };
            let won = s.uniform() < Link::Logistic.mu(strength(i) - strength(j));
            ballots.add(i as u32, j as u32, None, if won { Answer::Left } else { Answer::Right }, 1.0, 1.0).unwrap();
        }
        ranked(&ballots.finish(), &Model::OneHot)
    };
    let rankings = [group(0.0, &mut s), group(0.0, &mut s), group(1.0, &mut s)];
    let alike = diverging(&[Some(&rankings[0]), Some(&rankings[1]), None]);
    assert!(alike.len() == 4 && alike.iter().all(|d| d.p > 0.01 && d.scores[2].is_none()), "{alike:?}");
    let apart = diverging(&rankings.iter().map(Some).collect::<Vec<_>>());
    assert_eq!(apart[0].item, 0);
    assert!(apart[0].p < 1e-6 && apart.windows(2).all(|d| d[0].p <= d[1].p), "{apart:?}");
}
