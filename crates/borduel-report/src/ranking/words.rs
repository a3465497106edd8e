//! The English of a ranking: verdict, who is left out, model and intervals in sentences. Everything here is made from
//! data alone.

mod checks;
mod contexts;

pub(crate) use checks::check;
pub(crate) use contexts::{changes, contexts, leaders};

use crate::numbers::grouped;
pub use crate::text::NameOf;
pub(crate) use crate::text::{names, percent};
use crate::verdict::Statement;
use borduel::About;
use borduel::ranking::{
    Basis, Effect, FORECAST_CHANCE, Forecast, IntervalRule, ModelKind, RankOptions, Ranking, TiePropensity, Verdict,
    VerdictKind, WhyNot,
};
use borduel::sequential::Goal;
use std::fmt;

/// A sentence for everybody, and the method behind it for those who ask.
pub(crate) struct Sentence {
    pub(crate) plain: String,
    pub(crate) method: String,
}

impl Sentence {
    pub(super) fn with(plain: impl Into<String>, method: impl Into<String>) -> Self {
        Self { plain: plain.into(), method: method.into() }
    }
}

impl From<String> for Sentence {
    fn from(plain: String) -> Self {
        Self::with(plain, "")
    }
}

impl fmt::Display for Sentence {
    /// Both, the method in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, end) = self.plain.strip_suffix('.').map_or((self.plain.as_str(), ""), |text| (text, "."));
        if self.method.is_empty() { f.write_str(&self.plain) } else { write!(f, "{text} ({}){end}", self.method) }
    }
}

/// How many more votes (of a kind) would "settle it" or "make it clear", as the end of a sentence.
pub fn forecast(forecast: Forecast, votes: &str, aim: &str) -> String {
    match forecast {
        Forecast::TooEarly => format!("it is too early to tell how many more would {aim}"),
        Forecast::Between { low, high } => format!(
            "{} more {votes} would {aim} (true in {:.0} of 10 such cases)",
            between((low, high)),
            10.0 * FORECAST_CHANCE
        ),
        Forecast::OutOfReach => {
            format!(
                "in practice more votes will not {aim}: the first are level. Call that a tie by a wider margin, or \
                 ask for the best few instead of the one"
            )
        }
    }
}

/// Two numbers of two digits, which is all that a forecast is worth.
pub fn rounded((low, high): (f64, f64)) -> (f64, f64) {
    let unit = |votes: f64| 10_f64.powf((votes.max(1.0).log10().floor() - 1.0).max(0.0));
    ((low / unit(low)).floor() * unit(low), (high / unit(high)).ceil() * unit(high))
}

/// The same in words, with separators.
fn between(range: (f64, f64)) -> String {
    let (low, high) = rounded(range);
    if low < high {
        format!("between {} and {}", grouped(low), grouped(high))
    } else {
        format!("about {}", grouped(high))
    }
}

/// A p-value as people write it.
fn p_value(p: f64) -> String {
    if p < 1e-4 {
        "p < 0.0001".to_owned()
    } else if p < 0.01 {
        format!("p = {p:.4}")
    } else {
        format!("p = {p:.2}")
    }
}

/// The verdict in one sentence or two.
pub(crate) fn verdict(ranking: &Ranking, verdict: &Verdict, options: &RankOptions, name: NameOf<'_>) -> String {
    let percent = percent(options.level);
    let ranked = ranking.items.len();
    let left_out = ranking.left_out.iter().filter(|u| u.votes > 0.0).count();
    let among = if left_out == 0 {
        String::new()
    } else {
        let are = if left_out == 1 { "is" } else { "are" };
        format!(" Of {} items with votes {left_out} {are} not ranked: see below.", ranked + left_out)
    };
    if verdict.kind == VerdictKind::NotEnough && verdict.partial {
        return format!(
            "Not enough votes: the items fall into groups that were never compared with each other, and the largest, \
             which is ranked here, holds {ranked} of them.{among}"
        );
    }
    let is_ranked = |winner: &usize| ranking.left_out.iter().all(|left_out| left_out.item != *winner);
    let (open, unbeaten): (Vec<usize>, Vec<usize>) = verdict.winners.iter().copied().partition(is_ranked);
    if !unbeaten.is_empty() {
        let (has, them) = if unbeaten.len() == 1 { ("has", "it") } else { ("have", "them") };
        return format!(
            "Not enough votes: {} never lost to the ranked items and {has} too few votes to be ranked. Beside {them} \
             {} may still be best. More votes on {them} would tell; with {them} left out, the others have a verdict of \
             their own.{among}",
            names(&unbeaten, 5, name),
            names(&open, 5, name),
        );
    }
    let no_wrong_winner = if verdict.kind == VerdictKind::ClearWinner { " that no wrong winner is named" } else { "" };
    let said = Statement {
        kind: verdict.kind,
        goal: Goal::Winner,
        winners: &verdict.winners,
        items: ranked,
        score: ranking.items[0].borda.estimate,
        margin: options.margin,
        sure: &format!("{percent} % confidence{no_wrong_winner}"),
        more: &if verdict.kind == VerdictKind::NotEnough { needed(ranking, verdict) } else { String::new() },
        few_voters: verdict.few_voters,
        about: &ranking.contexts.as_ref().map_or_else(String::new, |over| format!(" {}", contexts::about(over))),
    };
    said.text(name) + &best_percentage(ranking, verdict.kind, options.level, name) + &among
}

/// What would settle it.
fn needed(ranking: &Ranking, verdict: &Verdict) -> String {
    let Some(told) = verdict.forecast else {
        return "; some items were never compared with others, even indirectly".to_owned();
    };
    if let (Some(over), Some(more)) = (&ranking.contexts, verdict.contexts) {
        return format!("; {}", contexts::needed(told, more, &over.are));
    }
    let chosen = verdict
        .where_it_matters
        .and_then(|chosen| chosen.range())
        .map_or_else(String::new, |range| format!(", or {} if asked where it matters", between(range)));
    format!("; {}{chosen}", forecast(told, "votes of the present kind", "settle it"))
}

/// Why "best %" and the verdict differ, where they seem to contradict each other.
fn best_percentage(ranking: &Ranking, kind: VerdictKind, level: f64, name: NameOf<'_>) -> String {
    let Some(p) = ranking.items[0].p_best else { return String::new() };
    match kind {
        VerdictKind::ClearWinner if p < level => format!(
            " (Its \"best %\" is only {:.0}: that weighs all rivals together, while the verdict answers for each \
             comparison with the leader.)",
            100.0 * p
        ),
        VerdictKind::NotEnough | VerdictKind::GoodEnough if p >= level => {
            let two_sided = f64::midpoint(1.0, level);
            let why = if p < two_sided {
                let takes = percent(two_sided);
                format!("against a single rival a verdict takes {takes}, since of two equals either may come out ahead")
            } else {
                "it is the model's, and so few votes agree by chance more often than the model says".to_owned()
            };
            format!(" (The \"best %\" of {} is {:.1} all the same: {why}.)", name(ranking.items[0].item), 100.0 * p)
        }
        _ => String::new(),
    }
}

/// Which items are not ranked and why, a sentence for each reason, with what would change it.
pub(crate) fn left_out(ranking: &Ranking, name: NameOf<'_>) -> Vec<String> {
    let line = |why: WhyNot, text: &str| {
        let items: Vec<usize> = ranking.left_out.iter().filter(|u| u.why == why).map(|u| u.item).collect();
        (!items.is_empty()).then(|| format!("Not ranked, {text}: {}.", names(&items, 10, name)))
    };
    [
        line(WhyNot::NoVotes, "because no vote is about them"),
        line(WhyNot::Excluded, "as asked"),
        line(WhyNot::LeastVotes, "because they have fewer votes than asked for"),
        line(
            WhyNot::NotConnected,
            "because no votes connect them with the ranked items, even indirectly (one vote between any of them and a \
             ranked item would)",
        ),
        line(
            WhyNot::TooFewToPlace,
            "because they have too few votes to place: they never lost to the ranked items, or never won, as often as \
             chance alone does among so many (more votes on them would place them)",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What the scores come from.
pub(crate) fn model(basis: &Basis) -> String {
    let mut text = match basis.model {
        ModelKind::Features { dim } => {
            format!("logistic in {dim} feature dimension{}", if dim == 1 { "" } else { "s" })
        }
        ModelKind::OneHot => "one parameter per item (Bradley–Terry)".to_owned(),
        ModelKind::Counts => "observed shares, averaged over opponents".to_owned(),
    };
    if basis.separable {
        text += "; some votes are unanimous in a way that has no finite best fit, so a pseudo-vote per parameter was \
            added, half won and half lost";
    }
    text
}

/// What was estimated and removed.
pub(crate) fn effect(effect: &Effect) -> Sentence {
    // As many digits as tell the interval from 0 or its ends from each other.
    let size = (effect.effect.high - effect.effect.low).abs().max(f64::MIN_POSITIVE);
    let digits = (1.0 - size.log10().floor()).clamp(2.0, 12.0) as usize;
    let number = |x: f64| format!("{x:+.digits$}");
    let (b, low, high) = (effect.effect.estimate.unwrap_or(0.0), effect.effect.low, effect.effect.high);
    let per = if effect.name == "position" { "" } else { "1 of it " };
    let typical = if effect.name == "position" {
        String::new()
    } else {
        format!(" where it is {:.3}, its root mean square", effect.deviation)
    };
    let name = crate::plain(&effect.name);
    Sentence::with(
        format!(
            "Removed: {name}: {:+.1} points for the left item between equal items{typical}.",
            100.0 * effect.advantage
        ),
        format!("{per}adds {} ({} to {}) to the log-odds of the left item", number(b), number(low), number(high)),
    )
}

/// How likely ties are.
pub(crate) fn ties(ties: &TiePropensity) -> Sentence {
    let (nu, equal) = (ties.nu, ties.between_equals);
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    match (nu.estimate, equal.estimate) {
        (Some(estimate), Some(share)) if estimate > 0.0 => Sentence::with(
            format!(
                "Ties are an outcome of their own: equal items tie in {} % ({} to {}) of votes; a tie counts half in \
                 every score.",
                percent(share),
                percent(equal.low),
                percent(equal.high)
            ),
            format!("Davidson's model, ν = {estimate:.3} ({:.3} to {:.3})", nu.low, nu.high),
        ),
        _ => Sentence::with(
            format!(
                "Ties are an outcome of their own, and there is none: equal items tie in at most {} % of votes.",
                percent(equal.high)
            ),
            format!("Davidson's model, ν is at most {:.3}", nu.high),
        ),
    }
}

/// How the intervals were made; with `by_question`, answers to one question hang together rather than those of one
/// voter.
pub(crate) fn intervals(ranking: &Ranking, options: &RankOptions, by_question: bool) -> String {
    let method = &ranking.intervals;
    let sample = ranking.contexts.as_ref().filter(|over| over.about == About::Such).map(|over| over.are.as_str());
    let clusters = match sample {
        Some(contexts) if method.crossed.is_none() => contexts,
        _ if by_question => "questions",
        _ => "voters",
    };
    let percent = percent(method.level);
    let rule = match method.rule {
        IntervalRule::Anytime => {
            let (each, why) =
                ("each at all interim looks together", "the verdict compares items, which is surer than their scores");
            return format!("{percent} % intervals, {each}; {why}");
        }
        IntervalRule::Bootstrap { replications, separable } => {
            let what = if method.clusters.is_some() { clusters } else { "votes" };
            let text =
                format!("{percent} % percentile intervals from {replications} bootstrap replications over {what}");
            return if separable > 0 { format!("{text} ({separable} of them separable)") } else { text };
        }
        IntervalRule::Exact => "exact intervals of the shares (Clopper and Pearson)",
        IntervalRule::WiderOfBoth => "the wider of exact intervals of the shares and those by the delta method",
        IntervalRule::Delta => "intervals by the delta method",
        IntervalRule::Sampled { draws } => &format!(
            "intervals by the delta method, with standard errors from {draws} draws (right to about {:.0} %; there \
             are too many items to compute them)",
            100.0 / (2.0 * draws as f64).sqrt()
        ),
    };
    let votes = match (method.clusters, method.crossed) {
        (Some(g), Some(second)) => {
            let name = sample.or(options.crossed.as_ref().map(|crossed| crossed.name.as_str())).unwrap_or("others");
            format!("clustered in two ways, by {g:.0} {clusters} and by {second:.0} {name}")
        }
        (Some(g), None) => format!("clustered by {g:.0} {clusters}"),
        (None, _) => "votes taken as independent".to_owned(),
    };
    let floor = if method.floored {
        ", some of them widened by the model's own variance, because votes that agree exactly are not certain"
    } else {
        ""
    };
    let effective = method.effective.map_or_else(String::new, |n| format!("; {n:.1} effective votes (Kish)"));
    format!("{percent} % {rule}, {votes}{floor}{effective}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel::ballots::{Answer, Ballots, BothBad, Ties};
    use borduel::ranking::{Model, rank};

    #[test]
    fn a_best_percentage_that_seems_to_contradict_the_verdict_is_explained() {
        let mut ballots = Ballots::new(Ties::Half, BothBad::Drop, true);
        let [tea, mud] = ["tea", "mud"].map(|name| ballots.item(name));
        let options = RankOptions::default();
        let mut said = |wins: f64, losses: f64| {
            ballots.add(tea, mud, None, Answer::Left, 1.0, wins).unwrap();
            ballots.add(tea, mud, None, Answer::Right, 1.0, losses).unwrap();
            let ranking = rank(&ballots.clone().finish(), &Model::OneHot, &options).unwrap();
            (
                ranking.items[0].p_best.unwrap(),
                verdict(&ranking, &ranking.verdict, &options, &|item| format!("item {item}")),
            )
        };
        let (p, text) = said(59.0, 41.0);
        assert!((0.95..0.975).contains(&p), "{p}");
        assert!(text.contains("Not enough votes") && text.contains("The \"best %\" of item 0 is 9"), "{text}");
        assert!(text.contains("against a single rival a verdict takes 97.5"), "{text}");
        // One that leaves doubt needs no explanation.
        let (p, text) = said(0.0, 10.0);
        assert!(p < 0.95 && text.contains("Not enough votes") && !text.contains("best %"), "{p} {text}");
    }

    #[test]
    fn percentages_have_no_digits_of_their_own() {
        for (share, said) in [(0.57, "57"), (0.07, "7"), (0.95, "95"), (0.975, "97.5"), (0.9999, "99.99")] {
            assert_eq!(percent(share), said);
        }
    }
}
