//! The verdict at any time, for people.

use crate::numbers::grouped;
use crate::plain;
use crate::ranking::words::{NameOf, forecast, percent};
use crate::verdict::Statement;
use borduel::About;
use borduel::ranking::{VerdictKind, fewest_voters};
use borduel::sequential::{AboutContexts, Controlled, Judgement};
use serde::Serialize;

/// The verdict in a sentence or two.
pub fn verdict(judgement: &Judgement, name: NameOf<'_>) -> String {
    verdict_on(judgement, name, "contexts")
}

/// The same where it is known what the contexts are, in the plural, such as `prompts`.
pub fn verdict_on(judgement: &Judgement, name: NameOf<'_>, are: &str) -> String {
    let options = &judgement.options;
    let provided = options.trust.assumption().map_or_else(String::new, |what| format!(", provided that {what}"));
    let aim = if judgement.kind == VerdictKind::NotEnough { "settle it" } else { "make it clear" };
    let about = judgement.contexts.map_or_else(String::new, |contexts| about(contexts.about, contexts.seen, are));
    let more = judgement.forecast.map(|votes| match judgement.contexts {
        Some(AboutContexts { about: About::Such, more, .. }) => match more {
            Some(more) if more.range().is_some() => {
                let more = forecast(more, are, aim);
                format!("; more votes on these {are} would not {aim}: with as many votes each, {more}")
            }
            _ => format!("; {}", forecast(votes, &format!("well-chosen votes on these {are}"), aim)),
        },
        _ => format!("; {}", forecast(votes, "well-chosen votes", aim)),
    });
    let said = Statement {
        kind: judgement.kind,
        goal: options.goal,
        winners: &judgement.winners,
        items: judgement.items.len(),
        score: judgement.items.first().map(|leader| leader.borda),
        margin: options.margin,
        sure: &format!("{}{provided}", sure(options.level)),
        more: &format!("{about}{}", more.unwrap_or_default()),
        few_voters: judgement.few_voters,
        about: "",
    };
    said.text(name)
}

/// About what it is: `, on these 13 prompts`, or `, on prompts like these (13 seen)`.
pub fn about(about: About, seen: usize, are: &str) -> String {
    let seen = grouped(seen as f64);
    match about {
        About::These => format!(", on these {seen} {are}"),
        About::Such => format!(", on {are} like these ({seen} seen)"),
    }
}

/// How sure a verdict at any time is.
pub fn sure(level: f64) -> String {
    format!("{} % confidence, however often one looked", percent(level))
}

/// What judges' answers to the same questions did to a verdict.
pub fn saved(control: &Controlled) -> String {
    let (pairs, saved) = (control.pairs, 100.0 * control.saved);
    let on = if pairs == 1 { "1 pair".to_owned() } else { format!("{pairs} pairs") };
    format!("Answers of judges to the same questions, on {on}, saved about {saved:.0} % of people's votes.")
}

/// What a cheap judge that was asked first cost and saved, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bought {
    /// Its answers.
    pub answers: u64,
    /// The pairs that it answered in all contexts.
    pub pairs: usize,
    /// How many contexts there are.
    pub contexts: usize,
    /// What its answers cost.
    pub cost: f64,
    /// What people's cost.
    pub people: f64,
    /// What those cost that it saves.
    pub saves: f64,
}

impl Bought {
    /// So many answers to (pairs, in all contexts), which cost so much beside (people's); `control` is what they did.
    pub fn new(
        answers: u64,
        (pairs, contexts): (usize, usize),
        (cost, people): (f64, f64),
        control: Option<&Controlled>,
    ) -> Self {
        let saved = control.map_or(0.0, |control| control.saved);
        Self { answers, pairs, contexts, cost, people, saves: people * saved / (1.0 - saved) }
    }

    /// The same in a sentence.
    pub fn sentence(&self) -> String {
        let Self { answers, pairs, contexts, cost, people, saves } = self;
        format!(
            "The cheap judge gave {answers} answers, to {pairs} pair{} on all {contexts} contexts, for {cost:.2}, and \
             people theirs for {people:.2}; without it theirs would have cost about {:.2}.",
            if *pairs == 1 { "" } else { "s" },
            people + saves
        )
    }
}

/// Whose verdict it is, where one voter answered everything (whose name is `first`, if there is one), and that fewer
/// than [`fewest_voters`] speak for nobody else; `None` for a crowd's.
pub fn whose(first: Option<&str>, voters: usize, level: f64) -> Option<String> {
    let fewest = fewest_voters(level);
    if voters == 1 {
        let who = first.map_or("this judge".into(), plain);
        return Some(format!("By {who}: whether others agree, these answers cannot tell."));
    }
    (1..fewest as usize)
        .contains(&voters)
        .then(|| format!("Answers of {voters} voters cannot speak for others: at least {fewest} are needed."))
}

/// That so few contexts hardly speak for others, where nobody asked about them alone; `None` from
/// [`About::FEWEST_FOR_SUCH`] on.
pub fn few_contexts(judgement: &Judgement) -> Option<String> {
    let (fewest, asked) = (About::FEWEST_FOR_SUCH, judgement.options.about);
    let few = judgement.contexts.is_some_and(|contexts| (1..fewest).contains(&contexts.seen) && asked.is_none());
    few.then(|| format!("Fewer than {fewest} contexts hardly speak for others: it is about these alone."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::sequential::{Goal, Options, Trust, Until, Votes, judge};
    use borduel::{Duel, Features};

    /// The same number of voters is few in what `rank` says.
    #[test]
    fn fewer_voters_than_speak_for_others_are_told_so() {
        let said: Vec<bool> = (1..8).map(|voters| whose(None, voters, 0.95).is_some()).collect();
        assert_eq!(said, [true, true, true, true, true, false, false]);
        assert!(whose(None, 7, 0.99).unwrap().contains("at least 8"));
        assert!(whose(Some("ann"), 1, 0.95).unwrap().starts_with("By ann: "));
    }

    #[test]
    fn verdicts_in_words() {
        let features = Features::one_hot(3).unwrap();
        let name = |i: usize| ["tea", "coffee", "mud"][i].to_owned();
        let mut votes = Votes::new(3);
        let said = |votes: &Votes, goal: Goal| {
            verdict(&judge(&features, votes, &Options::default().with_goal(goal)).unwrap(), &name)
        };
        let few = said(&votes, Goal::Winner);
        assert!(few.contains("3 of 3 items may still be best"), "{few}");
        for vote in 0..20_000 {
            votes.add(Duel(0, 1), f64::from(vote % 2));
            votes.add(Duel(1, 2), f64::from(u8::from(vote % 4 > 0)));
            votes.add(Duel(0, 2), f64::from(u8::from(vote % 4 > 0)));
        }
        let tie = said(&votes, Goal::Winner);
        assert!(tie.starts_with("Tie at the top: tea, coffee differ by less than 2 points"), "{tie}");
        let top = said(&votes, Goal::Top(2));
        let trusting = Options::default().with_trust(Trust::Typical);
        let typical = verdict(&judge(&features, &votes, &trusting).unwrap(), &name);
        assert!(typical.contains("provided that the features are wrong about no item in particular"), "{typical}");
        assert!(top.starts_with("Clear winners: the best 2 are tea, coffee, each better"), "{top}");
        // Ahead, but not by enough to exclude the other: good enough, and not yet clear.
        let mut close = Votes::new(2);
        (0..2_000).for_each(|vote| close.add(Duel(0, 1), f64::from(u8::from(vote % 100 < 53))));
        let two = Features::one_hot(2).unwrap();
        let said = |until| verdict(&judge(&two, &close, &Options::default().with_until(until)).unwrap(), &name);
        let good = said(Until::GoodEnough);
        assert!(
            good.starts_with("Good enough: tea may be chosen, nobody is better by more than 2 points; coffee"),
            "{good}"
        );
        assert!(good.ends_with("(95 % confidence, however often one looked)."), "{good}");
        let not_yet = said(Until::Clear);
        assert!(not_yet.starts_with("Good enough") && not_yet.contains("more well-chosen votes would make it clear ("));
    }

    #[test]
    fn fewer_contexts_than_speak_for_others_are_told_so() {
        let features = Features::one_hot(2).unwrap();
        let said = |contexts: u32, about| {
            let mut votes = Votes::new(2);
            (0..contexts).for_each(|context| votes.add_in(Some(context), Duel(0, 1), 1.0));
            few_contexts(&judge(&features, &votes, &Options::default().with_about(about)).unwrap())
        };
        assert!(said(7, None).unwrap().contains("Fewer than 8 contexts hardly speak for others"));
        assert_eq!(
            [said(8, None), said(3, Some(About::These)), said(3, Some(About::Such)), said(0, None)],
            [const { None }; 4]
        );
        assert_eq!(about(About::Such, 10_000, "prompts"), ", on prompts like these (10,000 seen)");
    }

    /// Two items, the first of which is better on three of four prompts: clear on these, and open on such.
    #[test]
    fn what_a_verdict_is_about_is_said() {
        let features = Features::one_hot(2).unwrap();
        let mut votes = Votes::new(2);
        for prompt in 0..8 {
            let better = if prompt % 4 == 0 { 2 } else { 8 };
            (0..2_000).for_each(|vote| votes.add_in(Some(prompt), Duel(0, 1), f64::from(u8::from(vote % 10 < better))));
        }
        let name = |i: usize| ["tea", "coffee"][i].to_owned();
        let said = |about| {
            let judgement = judge(&features, &votes, &Options::default().with_about(about)).unwrap();
            verdict_on(&judgement, &name, "prompts")
        };
        let these = said(Some(About::These));
        assert!(these.starts_with("Clear winner: tea") && these.ends_with("looked), on these 8 prompts."), "{these}");
        let such = said(None);
        assert!(such.starts_with("Not enough votes") && such.contains("on prompts like these (8 seen)"), "{such}");
        assert!(
            such.contains("more votes on these prompts would not settle it") && such.contains("more prompts"),
            "{such}"
        );
    }
}
