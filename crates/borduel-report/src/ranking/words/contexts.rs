//! The English of contexts: about what a ranking speaks, and what more of them would do.

use super::{NameOf, Sentence, between, forecast};
use crate::numbers::grouped;
use crate::plain;
use crate::text::short;
use borduel::About;
use borduel::ranking::{AboutContexts, ContextMap, FORECAST_CHANCE, Forecast, WhyContexts};

/// `on these 13 prompts`, or `on prompts like these (13 seen)`.
pub(super) fn about(over: &AboutContexts) -> String {
    let (are, seen) = (&over.are, grouped(over.seen as f64));
    match over.about {
        About::Such => format!("on {are} like these ({seen} seen)"),
        About::These => format!("on these {seen} {are}"),
    }
}

/// About what scores are, and why about that.
pub(crate) fn contexts(over: &AboutContexts) -> Sentence {
    let AboutContexts { are, why, about, .. } = over;
    let fewest = About::FEWEST_FOR_SUCH;
    let speaks = match (about, why) {
        (About::Such, WhyContexts::Asked) => format!("speak for {are} like these, as asked"),
        (About::Such, _) => format!("speak for {are} like these, since there are at least {fewest}"),
        (_, WhyContexts::Few) => {
            format!("speak for these alone, since fewer than {fewest} hardly speak for others")
        }
        (_, WhyContexts::Fixed) => format!("speak for these alone, as what else was asked for takes {are} as fixed"),
        (_, _) => "speak for these alone, as asked".to_owned(),
    };
    let without = if over.without > 0.0 {
        format!(" {} votes are without; together they count as one more.", grouped(over.without))
    } else {
        String::new()
    };
    let text = format!(
        "Scores are means over {} {are}, each counted alike, and {speaks}.{without}",
        grouped(over.seen as f64)
    );
    let method = match about {
        About::Such => format!("residuals are summed by {are} too, Student's t"),
        About::These => String::new(),
    };
    Sentence::with(text, method)
}

/// Who is ahead in how many contexts, most first: the item, and the names of the contexts.
pub(crate) fn leaders(map: &ContextMap) -> Vec<(usize, Vec<&str>)> {
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    for context in &map.contexts {
        let Some(item) = context.leader().map(|at| map.items[at]) else { continue };
        match found.iter_mut().find(|(known, _)| *known == item) {
            Some((_, names)) => names.push(&context.name),
            None => found.push((item, vec![&context.name])),
        }
    }
    found.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    found
}

/// Where the winner changes, in a sentence.
pub(crate) fn changes(over: &AboutContexts, name: NameOf<'_>) -> Option<Sentence> {
    const NAMED: usize = 4;
    let (map, are) = (over.map.as_ref()?, &over.are);
    let leaders = leaders(map);
    let ((first, on), others) = leaders.split_first()?;
    let shown = map.contexts.len();
    let of = if shown < over.seen { format!("of the {shown} with the most votes") } else { format!("of {shown}") };
    if others.is_empty() {
        let most = if shown < over.seen { " with the most votes" } else { "" };
        return Some(Sentence::from(format!("{} is ahead on all {shown} {are}{most}.", name(*first))));
    }
    let rest = |(item, on): &(usize, Vec<&str>)| {
        let names: Vec<_> = on.iter().take(NAMED).map(|name| short(&plain(name)).into_owned()).collect();
        let more = if on.len() > NAMED { ", …" } else { "" };
        format!("{} on {} ({}{more})", name(*item), on.len(), names.join(", "))
    };
    let many = others.len().saturating_sub(NAMED);
    let list = others.iter().take(NAMED).map(rest).collect::<Vec<_>>().join("; ");
    let more = if many > 0 { format!("; {many} more on others") } else { String::new() };
    let text = format!("{} is ahead on {} {of} {are}; {list}{more}.", name(*first), on.len());
    let method = format!("scores are drawn towards the mean where votes are few; τ = {:.2} in log-odds", map.tau);
    Some(Sentence::with(text, method))
}

/// What more votes in the same contexts would do, and what more contexts would.
pub(super) fn needed(votes: Forecast, contexts: Forecast, are: &str) -> String {
    let here = format!("votes on these {are}");
    let cases = format!("(true in {:.0} of 10 such cases)", 10.0 * FORECAST_CHANCE);
    match (votes.range(), contexts.range()) {
        (Some(votes), Some(more)) => format!(
            "{} more {here} would settle it, or {} more {are} with as many votes each {cases}",
            between(votes),
            between(more)
        ),
        (None, Some(more)) => format!(
            "more {here} would not settle it: {} more {are}, with as many votes each, would {cases}",
            between(more)
        ),
        (Some(_), None) => forecast(votes, &here, "settle it"),
        (None, None) => forecast(contexts, are, "settle it"),
    }
}
