//! What the checks of a ranking found, in sentences.

use super::{NameOf, Sentence, names, p_value};
use crate::numbers::grouped;
use crate::plain;
use borduel::ranking::checks::{CIRCLES_LEVEL, FIT_LEVEL, NoFit, NoPosition, POSITION_LEVEL};
use borduel::ranking::{Agreement, ENOUGH_VOTERS, ENOUGH_VOTES, Finding, RELIABILITY_LEVEL, Suspicion, WithoutBursts};

/// What a check found, in a sentence.
pub(crate) fn check(finding: &Finding, name: NameOf<'_>) -> Sentence {
    let few = |items: &[usize]| names(items, 3, name);
    let plain = match finding {
        Finding::Connected { pairs, possible, groups, outside, unknown } => {
            let asked = format!("{} of {} pairs were asked", grouped(*pairs as f64), grouped(*possible));
            if *groups <= 1 && outside.is_empty() && *unknown > 1e-12 {
                format!(
                    "votes connect every item with every other, directly or through others ({asked}), but scores by \
                     counts need every pair"
                )
            } else if *groups <= 1 && outside.is_empty() {
                format!("every item can be compared with every other, directly or through others ({asked})")
            } else if outside.is_empty() {
                format!(
                    "the items fall into {groups} groups that were never compared with each other: ask pairs that \
                     join them"
                )
            } else {
                format!(
                    "{} item{} cannot be compared with the ranked ones, even indirectly ({}): ask any of them against \
                     a ranked item",
                    outside.len(),
                    if outside.len() == 1 { "" } else { "s" },
                    few(outside)
                )
            }
        }
        Finding::WonAndLost { never_won, never_lost, group } => {
            let part = |what: &str, items: &[usize]| (!items.is_empty()).then(|| format!("{what}: {}", few(items)));
            let parts: Vec<String> =
                [part("never won", never_won), part("never lost", never_lost)].into_iter().flatten().collect();
            if *group {
                "every item both won and lost, but a group of items never lost to the rest: intervals of that \
                 comparison are rough"
                    .to_owned()
            } else if parts.is_empty() {
                "every item both won and lost (ties count as half)".to_owned()
            } else {
                format!("{}; their scores are known only roughly", parts.join("; "))
            }
        }
        Finding::VotesPerItem { least, median, most, few: short, effective } => {
            let kind = if effective.is_some() { "effective" } else { "used" };
            let mut text =
                format!("{} to {} {kind} votes per item, median {}", grouped(*least), grouped(*most), grouped(*median));
            if let Some(effective) = effective {
                text += &format!(
                    " (weights are unequal: all votes together say as much as {effective:.1} of equal weight)"
                );
            }
            if !short.is_empty() {
                text += &format!("; fewer than {ENOUGH_VOTES:.0}: {}; intervals of such items are rough", few(short));
            }
            text
        }
        Finding::Voters { voters, clustered } => who_voted(*voters, *clustered),
        Finding::VoterAgreement { agreement, suspicious } => {
            return voter_agreement(agreement.as_ref(), suspicious);
        }
        Finding::Reliability { .. } => return reliability(finding, name),
        Finding::Cycles { .. } => return cycles(finding, name),
        Finding::Fit { .. } | Finding::FitUntested { .. } => return fit(finding, name),
        Finding::Position { .. } | Finding::PositionUntested { .. } => position(finding),
        Finding::TiesAndSkips { ties, both_bad, skips } => {
            let text =
                format!("{:.1} % ties, {:.1} % both bad, {:.1} % skips", 100.0 * ties, 100.0 * both_bad, 100.0 * skips);
            if finding.ok() == Some(true) {
                text
            } else {
                format!("{text}: the question may be too hard, or the items too much alike")
            }
        }
        Finding::Networks { .. } => networks(finding),
        Finding::Agreement { borda, bradley_terry, condorcet } => {
            let bradley_terry = match bradley_terry {
                None => "Bradley–Terry: not fitted".to_owned(),
                Some((first, 0)) => format!("Bradley–Terry: {} (same order)", name(*first)),
                Some((first, moved)) => format!("Bradley–Terry: {} ({moved} items at another rank)", name(*first)),
            };
            let condorcet = condorcet.map_or_else(|| "nobody has a majority against every other".to_owned(), name);
            format!("first by Borda: {}; {bradley_terry}; Condorcet: {condorcet}", name(*borda))
        }
    };
    plain.into()
}

fn who_voted(voters: f64, clustered: Option<f64>) -> String {
    match clustered {
        Some(g) if voters < 2.0 => {
            let whose = if voters == 1.0 {
                "a single voter cast all votes: nothing is known about other people's opinions"
            } else {
                "votes do not tell who cast them"
            };
            format!(
                "{whose}; answers to one question hang together, and intervals allow for that ({} \
                questions)",
                grouped(g.round())
            )
        }
        Some(g) if g >= ENOUGH_VOTERS => {
            format!("{} voters; intervals allow for each voter's habits", grouped(voters))
        }
        Some(g) => {
            let effective = if g < voters { format!(" (effectively {g:.1}, by weight)") } else { String::new() };
            format!(
                "only {voters:.0} voters{effective}: with fewer than {ENOUGH_VOTERS:.0} the intervals tend to be too \
                 narrow"
            )
        }
        None if voters == 0.0 => {
            "votes do not tell who cast them, so they are taken as independent; a voter column makes the intervals \
             honest when people vote often"
                .to_owned()
        }
        None if voters == 1.0 => {
            "a single voter cast all votes: nothing is known about other people's opinions".to_owned()
        }
        None => format!("{voters:.0} voters, but votes are taken as independent, as asked"),
    }
}

fn cycles(finding: &Finding, name: NameOf<'_>) -> Sentence {
    let Finding::Cycles { circles, beyond_chance, example, by_voter } = finding else { return String::new().into() };
    let Some(circles) = circles else { return "not looked for among so many pairs".to_owned().into() };
    let Some([a, b, c]) = example.map(|items| items.map(name)) else {
        return "no three items beat each other in a circle".to_owned().into();
    };
    let circle = format!("for instance {a} beats {b}, {b} beats {c}, {c} beats {a}");
    let method = format!(
        "exact tests of all majorities together at {:.0} %, {} counted",
        100.0 * CIRCLES_LEVEL,
        if *by_voter { "voters" } else { "votes" }
    );
    let many = if *circles == 1 { "1 circle".to_owned() } else { format!("{circles} circles") };
    let plain = if *beyond_chance == 0 {
        format!("{many} of three, none of them beyond chance: {circle}")
    } else {
        format!(
            "{many} of three, {beyond_chance} of them beyond chance, so that no single scale explains these votes: \
             {circle}"
        )
    };
    Sentence::with(plain, method)
}

fn voter_agreement(agreement: Option<&Agreement>, suspicious: &[(String, Vec<Suspicion>)]) -> Sentence {
    let mut text = match agreement {
        Some(Agreement { alpha, low, high, pairs, .. }) => format!(
            "{alpha:.2} ({low:.2} to {high:.2}) over {} pairs, where 1 is full agreement and 0 is chance",
            grouped(*pairs as f64)
        ),
        None => "cannot be told: no pair was answered by two voters".to_owned(),
    };
    let said = |(what, words): (Suspicion, &str)| {
        let who: Vec<usize> = (0..suspicious.len()).filter(|&at| suspicious[at].1.contains(&what)).collect();
        let called = names(&who, 5, &|at| plain(&suspicious[at].0).into_owned());
        let many = if who.len() == 1 { "1 voter".to_owned() } else { format!("{} voters", who.len()) };
        (!who.is_empty()).then(|| format!("{many} {words} ({called})"))
    };
    let parts: Vec<String> = [
        (Suspicion::Left, "nearly always chose the left"),
        (Suspicion::Right, "nearly always chose the right"),
        (Suspicion::Contrary, "said the opposite of the others"),
        (Suspicion::Random, "agreed with the others no more than chance would"),
        (Suspicion::Inconsistent, "contradicted themselves"),
        (Suspicion::Fast, "took less than a quarter of the usual time"),
    ]
    .into_iter()
    .filter_map(said)
    .collect();
    if !parts.is_empty() {
        text += &format!("; {}", parts.join(", "));
    }
    let alpha = agreement.map(|_| "Krippendorff's α");
    let level = (!parts.is_empty()).then_some("single voters at the 1 % level for all together");
    Sentence::with(text, alpha.into_iter().chain(level).collect::<Vec<_>>().join("; "))
}

fn reliability(finding: &Finding, name: NameOf<'_>) -> Sentence {
    let Finding::Reliability { voters, p, least, carries, first, without, alike } = finding else {
        return String::new().into();
    };
    let (first, all) = (name(*first), grouped(*voters as f64));
    let differ = if *p < RELIABILITY_LEVEL {
        format!(
            "voters differ: an answer of {}, the least reliable of {all}, carries {:.2} ({:.2} to {:.2}) of a typical \
             one's",
            plain(least),
            carries.estimate.unwrap_or(f64::NAN),
            carries.low,
            carries.high
        )
    } else {
        format!("no difference between the {all} voters at the {:.0} % level", 100.0 * RELIABILITY_LEVEL)
    };
    let hangs = match (alike, without) {
        (Some(alike), _) if finding.ok() == Some(true) => {
            format!("; where all count alike {} is first, too", name(*alike))
        }
        (Some(alike), _) => format!("; where all count alike {} is first, not {first}", name(*alike)),
        (None, Some(without)) if finding.ok() == Some(true) => {
            format!("; without the least reliable tenth ({}) {first} is still first", without.voters)
        }
        (None, Some(without)) => format!(
            "; without the least reliable tenth ({}) {} is first, not {first}",
            without.voters,
            name(without.first)
        ),
        (None, None) => String::new(),
    };
    Sentence::with(differ + &hangs, format!("likelihood ratio of one discrimination a voter, {}", p_value(*p)))
}

fn fit(finding: &Finding, name: NameOf<'_>) -> Sentence {
    let Finding::Fit { chi_square, df, p, least, by_voter, powerless, worst } = finding else {
        let why = match finding {
            Finding::FitUntested { why: NoFit::Saturated } => "the model has as many parameters as there are pairs",
            Finding::FitUntested { why: NoFit::NoScatter } => "the votes do not scatter at all",
            Finding::FitUntested { why: NoFit::TooFewVotes } => "there are fewer than ten votes a parameter",
            _ => "some items cannot be compared",
        };
        return format!("the model's fit cannot be tested: {why}").into();
    };
    let adjusted = if *by_voter {
        "by drawing the signs of each voter's residuals"
    } else {
        "by the mean, variance and skewness that χ² has with so many votes a pair"
    };
    // No draw was as large: p is below the least that so many draws can show.
    let chance =
        if *least > 0.0 && p <= least { format!("p < {:.4}", (1e4 * least).ceil() / 1e4) } else { p_value(*p) };
    let statistic = format!("χ² = {chi_square:.0} on {df:.0}, {chance} {adjusted}");
    let detail = format!(
        "largest deviation: {} against {} won {:.0} % of {:.0}, the model says {:.0} %",
        name(worst.first),
        name(worst.second),
        100.0 * worst.share,
        worst.votes,
        100.0 * worst.fitted
    );
    let said = if *powerless {
        "the votes scatter less than independent votes would, as pairs taken from rankings do: this test would hardly \
         see a wrong model"
            .to_owned()
    } else if *p > FIT_LEVEL {
        format!("no deviation from the model at the {:.0} % level", 100.0 * FIT_LEVEL)
    } else {
        "the votes deviate from the model more than chance allows".to_owned()
    };
    Sentence::with(format!("{said}; {detail}"), statistic)
}

fn position(finding: &Finding) -> String {
    if matches!(finding, Finding::PositionUntested { why: NoPosition::Adjusted }) {
        return "estimated and removed, as asked: see the effects".to_owned();
    }
    let Finding::Position { advantage, decided, left_won, p } = finding else {
        let why = match finding {
            Finding::PositionUntested { why: NoPosition::OneOrder } => "no pair was shown in both orders",
            Finding::PositionUntested { why: NoPosition::NoModel } => "there is no fitted model",
            Finding::PositionUntested { why: NoPosition::Undetermined } => "the model is not determined",
            Finding::PositionUntested { why: NoPosition::Explained } => {
                "the model explains every difference between the sides"
            }
            _ => "the votes do not tell the sides on which items were shown",
        };
        return format!("position bias cannot be tested: {why}");
    };
    let share = if *decided > 0.0 {
        format!(
            "the first item (left, or on top) won {:.1} % of {} decided votes",
            100.0 * left_won / decided,
            grouped(*decided)
        )
    } else {
        "no votes were decided".to_owned()
    };
    let level = 100.0 * POSITION_LEVEL;
    if *p >= POSITION_LEVEL {
        return format!("no position bias to be seen at the {level:.0} % level: {share} ({})", p_value(*p));
    }
    // Pairs may be shown side by side or stacked.
    let side = if *advantage > 0.0 { "first" } else { "second" };
    format!(
        "position bias: between equal items the {side} one gains {:.1} points; {share} ({}); show every pair in both \
         orders",
        100.0 * advantage.abs(),
        p_value(*p)
    )
}

/// Where voters come from.
fn networks(finding: &Finding) -> String {
    let Finding::Networks { voters, most, bursts, from_bursts, share, without } = finding else { return String::new() };
    let all = grouped(*voters as f64);
    if *without == WithoutBursts::Nobody {
        let places = if most == voters { "one network" } else { "few networks" };
        return format!(
            "all {all} voters came from {places}, so that nothing can be told: where the server stands behind a proxy, \
             start it with --trust-proxy"
        );
    }
    if *bursts == 0 {
        let most = if *most == 1 { "one voter".to_owned() } else { format!("{most} voters") };
        return format!("no network brought more than {most} of {all}");
    }
    let places = if *bursts == 1 { "one network".to_owned() } else { format!("{bursts} networks") };
    let from = grouped(*from_bursts as f64);
    let came = format!("{from} of {all} voters came from {places}, with {:.0} % of the votes", 100.0 * share);
    let expected = "a lecture room, or one person who joined many times. If you expected them, set how many voters one \
                    network may bring";
    match without {
        WithoutBursts::Same => format!("{came}; what comes out does not rest on them"),
        WithoutBursts::Other => format!("{came}, and without them something else comes out: {expected}"),
        WithoutBursts::TooFew { differ: true } => format!(
            "{came}; without them there are too few votes to say so, and they favour what comes out more than the \
             others do: {expected}"
        ),
        _ => format!(
            "{came}; without them there are too few votes to say so, though they do not vote otherwise than the others"
        ),
    }
}
