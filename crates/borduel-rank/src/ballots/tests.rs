//! Ballots: rules for ties, refusals, and sums that do not know the order in which votes came, went or were put
//! together.

use super::*;
use crate::ranking::{Model, RankOptions, rank};
use crate::stream::{Stream, stream};

fn two() -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    assert_eq!((ballots.item("a"), ballots.item("b"), ballots.item("a")), (0, 1, 0));
    ballots
}

#[test]
fn answers_are_kept_apart_and_only_the_right_ones_are_used() {
    let mut b = two();
    for answer in
        [Answer::Left, Answer::Right, Answer::Tie, Answer::BothBad, Answer::Skip, Answer::Soft(0.25), Answer::Soft(0.5)]
    {
        b.add(0, 1, None, answer, 2.0, 3.0).unwrap();
    }
    let cell = b.cells()[0];
    assert_eq!(cell.counts, Counts { left: 3.0, right: 3.0, tie: 6.0, both_bad: 3.0, skip: 3.0, soft: 3.0 });
    assert_eq!((cell.n, cell.w, cell.wr), (15.0, 30.0, 6.0 + 6.0 + 1.5));
    assert_eq!((cell.w2, cell.w2r, cell.w2r2), (60.0, 27.0, 12.0 + 6.0 + 0.75));
    assert_eq!((b.totals().total(), b.used()), (21.0, 15.0));
    assert!(b.weighted());
}

#[test]
fn ties_and_both_bad_follow_their_rules() {
    for (ties, both_bad, used) in [
        (Ties::Half, BothBad::Drop, 1.0),
        (Ties::Half, BothBad::Tie, 2.0),
        (Ties::Drop, BothBad::Drop, 0.0),
        (Ties::Drop, BothBad::Tie, 0.0),
    ] {
        let mut b = Ballots::new(ties, both_bad, true);
        let (x, y) = (b.item("x"), b.item("y"));
        b.add(x, y, None, Answer::Tie, 1.0, 1.0).unwrap();
        b.add(x, y, None, Answer::BothBad, 1.0, 1.0).unwrap();
        assert_eq!((b.used(), b.cells()[0].counts.tie, b.cells()[0].counts.both_bad), (used, 1.0, 1.0));
    }
    let mut b = Ballots::new(Ties::Error, BothBad::Drop, true);
    let (x, y) = (b.item("x"), b.item("y"));
    assert_eq!(b.add(x, y, None, Answer::Soft(0.5), 1.0, 1.0), Err(Refusal::Tie));
    assert_eq!(b.add(x, y, None, Answer::BothBad, 1.0, 1.0), Ok(()));
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let mut b = two();
    let mut check = |left, right, voter, answer, weight, count, refusal| {
        assert_eq!(b.add(left, right, voter, answer, weight, count), Err(refusal));
        assert!(b.cells().is_empty());
    };
    check(0, 0, None, Answer::Left, 1.0, 1.0, Refusal::Itself);
    check(0, 2, None, Answer::Left, 1.0, 1.0, Refusal::Item(2));
    check(0, 1, Some(0), Answer::Left, 1.0, 1.0, Refusal::Voter(0));
    check(0, 1, None, Answer::Left, -1.0, 1.0, Refusal::Weight(-1.0));
    check(0, 1, None, Answer::Left, f64::INFINITY, 1.0, Refusal::Weight(f64::INFINITY));
    check(0, 1, None, Answer::Left, 1.0, -2.0, Refusal::Count(-2.0));
    check(0, 1, None, Answer::Soft(1.5), 1.0, 1.0, Refusal::Answer(1.5));
    assert!(matches!(b.add(0, 1, None, Answer::Soft(f64::NAN), 1.0, 1.0), Err(Refusal::Answer(_))));
    assert!(matches!(b.add(0, 1, None, Answer::Left, f64::NAN, 1.0), Err(Refusal::Weight(_))));
}

#[test]
fn shares_are_folded_by_voter_and_pair_and_weight_zero_compares_nothing() {
    let mut b = two();
    let (v, u) = (b.voter("v"), b.voter("u"));
    for _ in 0..3 {
        b.add(1, 0, Some(u), Answer::Left, 1.0, 1.0).unwrap();
        b.add(0, 1, Some(v), Answer::Tie, 1.0, 2.0).unwrap();
        b.add(0, 1, Some(u), Answer::Skip, 1.0, 1.0).unwrap();
        b.add(0, 1, Some(u), Answer::Left, 0.0, 1.0).unwrap();
    }
    let b = b.finish();
    let expected = [Share { voter: 0, cell: 1, w: 3.0, wr: 3.0 }, Share { voter: 1, cell: 0, w: 6.0, wr: 3.0 }];
    assert_eq!(b.shares(), expected);
    assert_eq!(b.used(), 9.0);
}

#[test]
fn compaction_under_way_changes_nothing() {
    let mut b = two();
    let mut expected = vec![0.0; 1000];
    for vote in 0..(1 << 20) * 2 + 77 {
        let name = vote % 1000;
        let voter = b.voter(&name.to_string());
        b.add(0, 1, Some(voter), Answer::Left, 1.0, 1.0).unwrap();
        expected[name] += 1.0;
    }
    let b = b.finish();
    // Voters are sorted by name, and so are the numbers from 0 to 999 as text.
    let mut names: Vec<usize> = (0..1000).collect();
    names.sort_by_key(ToString::to_string);
    let expected: Vec<f64> = names.iter().map(|&name| expected[name]).collect();
    assert_eq!(b.shares().iter().map(|s| s.w).collect::<Vec<_>>(), expected);
}

/// A vote by name, so that it can be added to any box.
#[derive(Clone, Debug)]
struct Vote {
    pair: (u32, u32),
    voter: Option<String>,
    context: Option<String>,
    answer: Answer,
    weight: f64,
    count: f64,
}

const ITEMS: [&str; 6] = ["f", "a", "item e", "a name that is longer than fifteen bytes", "c", "b"];

fn random_votes(s: &mut Stream, n: usize) -> Vec<Vote> {
    let contexts = [0, 3][n / 2 % 2];
    let answers = [Answer::Left, Answer::Right, Answer::Tie, Answer::BothBad, Answer::Skip];
    (0..n)
        .map(|_| {
            let left = s.below(ITEMS.len());
            let right = (left + 1 + s.below(ITEMS.len() - 1)) % ITEMS.len();
            let answer = if s.below(3) == 0 { Answer::Soft(s.uniform()) } else { answers[s.below(answers.len())] };
            let weight = [1.0, 1.0, 0.1, 1.0 / 3.0, 1e-9, 1e12][s.below(6)];
            let count = [1.0, 1.0, 2.0, 0.3][s.below(4)];
            let voter = (s.below(4) > 0).then(|| format!("voter {}", s.below(9)));
            // Some boxes have no contexts, and some votes of the others have none either.
            let context =
                (contexts > 0).then(|| s.below(contexts + 1)).filter(|c| *c > 0).map(|c| format!("context {c}"));
            Vote { pair: (left as u32, right as u32), voter, context, answer, weight, count }
        })
        .collect()
}

fn empty() -> Ballots {
    let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
    for name in ITEMS {
        ballots.item(name);
    }
    ballots
}

fn ballot(ballots: &mut Ballots, vote: &Vote) -> Ballot {
    let voter = vote.voter.as_ref().map(|name| ballots.voter(name));
    let context = vote.context.as_ref().map(|name| ballots.context(name));
    let (left, right) = vote.pair;
    Ballot { left, right, voter, context, answer: vote.answer, weight: vote.weight, count: vote.count }
}

fn of<'v>(votes: impl IntoIterator<Item = &'v Vote>) -> Ballots {
    let mut ballots = empty();
    for vote in votes {
        let ballot = ballot(&mut ballots, vote);
        ballots.add_all(&[ballot]).unwrap();
    }
    ballots
}

fn bytes(ballots: &Ballots) -> String {
    serde_json::to_string(ballots).unwrap()
}

#[test]
fn any_order_of_adding_merging_taking_back_and_restricting_gives_the_same_bytes() {
    for seed in 0..60 {
        let mut s = stream(seed, &[]);
        let votes = random_votes(&mut s, 1 + seed as usize * 2);
        let (kept, gone) = votes.split_at(s.below(votes.len() + 1));
        let expected = bytes(&of(kept));
        // All together in another order, some added twice, taken back in a third order, in parts that are merged.
        let mut shuffled = votes.clone();
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, s.below(at + 1));
        }
        let parts = 1 + s.below(4);
        let mut boxes: Vec<Ballots> = (0..parts).map(|part| of(shuffled.iter().skip(part).step_by(parts))).collect();
        if s.below(2) == 0 {
            boxes = boxes.into_iter().map(Ballots::finish).collect();
        }
        let mut all = empty();
        for part in &boxes {
            all.merge(part).unwrap();
        }
        assert_eq!(bytes(&all), bytes(&of(&votes)), "seed {seed}");
        let reloaded: Ballots = serde_json::from_str(&bytes(&all)).unwrap();
        for mut all in [all, reloaded] {
            for vote in gone.iter().rev() {
                let ballot = ballot(&mut all, vote);
                all.take_back(&ballot).unwrap();
            }
            assert_eq!(bytes(&all), expected, "seed {seed}");
            // Restricted to some items, it is what was said about these.
            let some: Vec<u32> = (0..ITEMS.len() as u32).filter(|_| s.below(3) > 0).collect();
            let inside = |vote: &&Vote| some.contains(&vote.pair.0) && some.contains(&vote.pair.1);
            let direct = of(kept.iter().filter(inside)).restrict(&some).unwrap();
            assert_eq!(bytes(&all.restrict(&some).unwrap()), bytes(&direct), "seed {seed}");
            // What is ranked from them is the same too; a few times are enough, since ranking draws a lot.
            if seed % 20 == 7 {
                let ranked = |ballots: Ballots| {
                    rank(&ballots.finish(), &Model::OneHot, &RankOptions::default())
                        .map(|ranking| format!("{ranking:?}"))
                };
                assert_eq!(ranked(all), ranked(of(kept)), "seed {seed}");
            }
        }
    }
}

#[test]
fn what_rounding_left_of_very_many_votes_is_kept_by_a_restriction() {
    let mut all = two();
    let voter = all.voter("v");
    // So many that shares are sorted while they are restricted, after they were sorted once before.
    for _ in 0..1 << 21 {
        all.add(0, 1, Some(voter), Answer::Left, 0.1, 1.0).unwrap();
    }
    assert_eq!(bytes(&all.restrict(&[0, 1]).unwrap()), bytes(&all));
}

#[test]
fn what_is_not_there_cannot_be_taken_back() {
    let mut b = two();
    let v = b.voter("v");
    let vote = |voter, answer, count| Ballot { left: 0, right: 1, voter, context: None, answer, weight: 1.0, count };
    assert_eq!(b.take_back(&vote(None, Answer::Left, 1.0)), Err(Refusal::NotThere));
    b.add_all(&[vote(Some(v), Answer::Left, 2.0), vote(None, Answer::Right, 1.0)]).unwrap();
    let before = bytes(&b);
    for wrong in [vote(Some(v), Answer::Right, 1.0), vote(Some(v), Answer::Left, 3.0), vote(None, Answer::Tie, 1.0)] {
        assert_eq!(b.take_back(&wrong), Err(Refusal::NotThere));
    }
    assert_eq!(b.take_back(&Ballot { left: 7, ..vote(None, Answer::Left, 1.0) }), Err(Refusal::Item(7)));
    assert_eq!(bytes(&b), before);
    b.take_back(&vote(Some(v), Answer::Left, 2.0)).unwrap();
    b.take_back(&vote(None, Answer::Right, 1.0)).unwrap();
    assert_eq!((b.used(), bytes(&b)), (0.0, bytes(&two())));
}

#[test]
fn boxes_of_other_rules_are_not_merged_and_groups_stay_apart() {
    let mut b = two();
    assert_eq!(b.merge(&Ballots::new(Ties::Drop, BothBad::Drop, true)), Err(Refusal::Rules));
    let group = b.voter_group(3.0);
    b.add(0, 1, Some(group), Answer::Left, 1.0, 3.0).unwrap();
    let other = b.clone();
    b.merge(&other).unwrap();
    let b = b.finish();
    assert_eq!((b.copies(), b.shares().len(), b.used()), (&[3.0, 3.0][..], 2, 6.0));
    let sides = {
        let mut unknown = two();
        unknown.forget_sides();
        let mut known = two();
        known.merge(&unknown).unwrap();
        known.sides_known()
    };
    assert!(!sides);
}

#[test]
fn saved_votes_that_make_no_sense_are_refused() {
    let mut b = two();
    let v = b.voter("v");
    b.add(0, 1, Some(v), Answer::Soft(0.3), 1.0, 1.0).unwrap();
    let text = bytes(&b);
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"right\":1", "\"right\":0"),
        ("\"right\":1", "\"right\":9"),
        ("[\"a\",\"b\"]", "[\"a\",\"a\"]"),
        ("\"voter\":0", "\"voter\":3"),
        ("\"w\":1.0", "\"w\":-1.0"),
        ("\"right\":1", "\"right\":1,\"context\":0"),
    ] {
        let tampered = text.replacen(from, to, 1);
        assert_ne!(tampered, text, "{from}");
        assert!(serde_json::from_str::<Ballots>(&tampered).is_err(), "{from}");
    }
}

#[test]
fn votes_of_a_context_are_those_that_were_cast_in_it() {
    for seed in 0..20 {
        let mut s = stream(seed, &[1]);
        let votes = random_votes(&mut s, 2 + 4 * seed as usize);
        let all = of(&votes).finish();
        let plain: Vec<Vote> = votes.iter().map(|vote| Vote { context: None, ..vote.clone() }).collect();
        assert_eq!(bytes(&all.without_contexts()), bytes(&of(&plain)), "seed {seed}");
        for (number, name) in all.context_names().iter().enumerate() {
            let here = votes.iter().filter(|vote| vote.context.as_ref() == Some(name));
            let here: Vec<Vote> = here.map(|vote| Vote { context: None, ..vote.clone() }).collect();
            assert_eq!(bytes(&all.in_context(number as u32)), bytes(&of(&here)), "seed {seed}, {name}");
        }
    }
}

#[test]
fn contexts_have_a_name_and_none_that_is_not_there_is_taken() {
    let mut b = two();
    assert_eq!((b.contexts(), b.contexts_are()), (0, "contexts"));
    b.call_contexts("prompts");
    let prompt = b.context("haiku");
    let vote =
        Ballot { left: 0, right: 1, voter: None, context: Some(prompt), answer: Answer::Left, weight: 1.0, count: 1.0 };
    b.add_all(&[vote]).unwrap();
    assert_eq!(b.add_all(&[Ballot { context: Some(7), ..vote }]), Err(Refusal::Context(7)));
    let again: Ballots = serde_json::from_str(&bytes(&b)).unwrap();
    assert_eq!((again.context_names(), again.contexts_are()), (vec!["haiku".to_owned()], "prompts"));
    // A vote in another context is another vote.
    assert_eq!(b.take_back(&Ballot { context: None, ..vote }), Err(Refusal::NotThere));
    b.take_back(&vote).unwrap();
    assert_eq!((b.used(), b.finish().contexts()), (0.0, 0));
}
