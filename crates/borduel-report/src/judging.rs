//! What a judge is worth beside people: in a sentence, in details, as a picture, a page, a table and JSON.

pub mod document;
mod picture;

pub use document::Document;
pub use picture::standalone;

use crate::numbers::{grouped, points};
use crate::ranking::words::percent;
use crate::ranking::{Hint, page_around};
use crate::text::short;
use crate::{Table, plain, sequential};
use borduel::judging::{Control, Paid, Rated, Saving, Worth};
use borduel::ranking::Interval;
use borduel::sequential::{Controlled, Trust};
use maud::html;

/// How many items the first sentence names on either side.
const NAMED: usize = 2;

/// A judge's worth, and what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// What was found about the judge.
    pub worth: &'a Worth,
    /// Where people's votes come from, and the judge's.
    pub sources: (&'a str, &'a str),
    /// What it costs and saves, where prices are known.
    pub paid: Option<Paid>,
}

/// `14` points, as whole ones.
fn whole_points(share: f64) -> String {
    format!("{:.0}", 100.0 * share.abs())
}

/// `0.25 (0.22 to 0.28)`.
fn with_ends(x: &Interval) -> String {
    format!("{:.2} ({:.2} to {:.2})", x.estimate.unwrap_or(f64::NAN), x.low, x.high)
}

/// `+14.2 (+8.1 to +20.3)`, in points.
fn signed(x: &Interval) -> String {
    let point = |share: f64| format!("{:+.1}", 100.0 * share);
    format!("{} ({} to {})", point(x.estimate.unwrap_or(f64::NAN)), point(x.low), point(x.high))
}

/// `a`, `a and b`, `a, b and c`.
fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Scores that differ by less are level: what is left is rounding.
const LEVEL: f64 = 1e-9;

/// `a`, or those that are level: `a and b (level)`.
fn together(items: &[String]) -> String {
    let mut said: Vec<String> = items.iter().take(NAMED).map(|item| name(item)).collect();
    if let Some(more) = items.len().checked_sub(NAMED).filter(|more| *more > 0) {
        said.push(format!("{more} more"));
    }
    format!("{}{}", joined(&said), if items.len() > 1 { " (level)" } else { "" })
}

fn name(item: &str) -> String {
    short(&plain(item)).into_owned()
}

impl Judged<'_> {
    /// The judge's votes as a hint beside people's, whose contexts are called so; `control` is what its answers to the
    /// same questions did to the scores.
    pub fn hint(&self, control: Option<Control>, contexts: &str) -> Hint {
        let saved = control.map_or(0.0, |control| control.saved());
        let used = match &control {
            Some(control) => format!(
                "Its answers to the same questions stand in for about {:.0} % of people's votes here, and favour \
                 nobody: {} pairs that it answered on all {contexts}.",
                100.0 * saved,
                grouped(control.pairs as f64)
            ),
            None => format!(
                "Nothing of it is in these scores: that takes its answers to a pair on all {contexts}, and a ranking \
                 about these ones."
            ),
        };
        let text = format!("A hint, not counted as votes: {} {used}", self.verdict());
        Hint { text, saved, control, judge: self.worth.clone() }
    }

    /// The same beside a verdict at any time, which believes judges as far as told; `control` is what their answers to
    /// the same questions did to it.
    pub fn hint_at_any_time(&self, control: Option<&Controlled>, trust: Trust) -> Hint {
        let believed = match trust {
            Trust::Checked => "no claim about two items rests on what it says of either",
            Trust::Typical => "it is believed as far as its errors over all items bear it out",
            _ => "it is believed altogether",
        };
        let used = control.map_or_else(String::new, |control| format!(" {}", sequential::saved(control)));
        let text = format!("A hint, not counted as votes: {} Of the items, {believed}.{used}", self.verdict());
        let saved = control.map_or(0.0, |control| control.saved);
        Hint { text, saved, control: None, judge: self.worth.clone() }
    }

    /// What this judge is worth, in two or three sentences.
    pub fn verdict(&self) -> String {
        format!("{} {} {}", self.saves(), self.favours(), self.names())
    }

    fn saves(&self) -> String {
        match &self.worth.saving {
            Some(saving) if whole_points(share(saving)) != "0" => {
                format!("This judge would save about {} % of your people's votes.", whole_points(share(saving)))
            }
            Some(_) => "This judge would save none of your people's votes.".to_owned(),
            None => "What this judge would save cannot be told: that takes answers of both to the same pairs on two \
                     contexts (such as prompts) or more."
                .to_owned(),
        }
    }

    fn favours(&self) -> String {
        let biased = self.worth.biased();
        let mut parts = Vec::new();
        for (word, sign) in [("overrates", 1.0), ("underrates", -1.0)] {
            let all: Vec<&&Rated> =
                biased.iter().filter(|rated| sign * rated.bias.estimate.unwrap_or(0.0) > 0.0).collect();
            let mut named: Vec<String> = (all.iter().take(NAMED))
                .map(|rated| format!("{} by {}", name(&rated.item), whole_points(rated.bias.estimate.unwrap_or(0.0))))
                .collect();
            if let Some(more) = all.len().checked_sub(NAMED).filter(|more| *more > 0) {
                named.push(format!("{more} more"));
            }
            if !named.is_empty() {
                parts.push(format!("{word} {}", joined(&named)));
            }
        }
        if let Some(side) = self.worth.side() {
            parts.push(format!(
                "prefers the {} by {}",
                if side > 0.0 { "first answer" } else { "second answer" },
                whole_points(side)
            ));
        }
        if parts.is_empty() {
            return "It over- and underrates nobody beyond chance.".to_owned();
        }
        format!("It {} (points of a hundred).", parts.join(", and "))
    }

    fn names(&self) -> String {
        let items = &self.worth.items;
        let (Some(first), Some(judges)) = (items.first(), items.iter().find(|rated| rated.judge_place == 1)) else {
            return String::new();
        };
        let level = |score: &dyn Fn(&Rated) -> Option<f64>, of: &Rated| -> Vec<String> {
            let top = score(of).unwrap_or(f64::NAN);
            let same = |rated: &&Rated| score(rated).is_some_and(|score| (score - top).abs() < LEVEL);
            items.iter().filter(same).map(|rated| rated.item.clone()).collect()
        };
        let ours = level(&|rated| rated.people.estimate, first);
        let theirs = level(&|rated| rated.judge.estimate, judges);
        if ours.len() > 1 || theirs.len() > 1 {
            return if ours.iter().all(|item| theirs.contains(item)) && ours.len() == theirs.len() {
                format!("It puts {} first, as people do.", together(&ours))
            } else {
                format!("It puts {} first, and people {}.", together(&theirs), together(&ours))
            };
        }
        if first.item == judges.item {
            return format!("It puts the same item first as people do: {}.", name(&first.item));
        }
        format!(
            "It puts {} first, and people's first, {}, at place {}.",
            name(&judges.item),
            name(&first.item),
            first.judge_place
        )
    }

    /// The details, a sentence each.
    pub fn details(&self) -> Vec<String> {
        let worth = self.worth;
        let mut lines = Vec::new();
        if let Some(found) = &worth.agreement {
            let people = found.people.as_ref().map_or_else(
                || "no question was answered by two people".to_owned(),
                |people| format!("two people agree at {}", with_ends(people)),
            );
            lines.push(format!(
                "Agreement beyond chance, on {} questions that both answered: the judge agrees with a person at {}; \
                 {people} (Krippendorff's α: 1 is full agreement, 0 is chance).",
                grouped(found.questions as f64),
                with_ends(&found.judge)
            ));
        } else {
            lines.push(
                "Judge and people have no question in common, so that their agreement cannot be told.".to_owned(),
            );
        }
        if let Some(saving) = &worth.saving {
            lines.push(format!(
                "Saving: {} % ({} to {}) of people's votes, once the judge has answered every pair on every context: \
                 within pairs its answer correlates with a person's at {}, and the square of that is saved (a control \
                 variate; from {} pairs).",
                points(saving.share.estimate),
                points(Some(saving.share.low)),
                points(Some(saving.share.high)),
                with_ends(&saving.correlation),
                grouped(saving.pairs as f64)
            ));
        }
        lines.extend(self.paid.map(|paid| pays(&paid, self.worth.votes.0)));
        lines.push(format!(
            "Order: rank correlation {:.2} with people's; it is {:.2} times as sure as a person, which is no bias.",
            worth.correlation, worth.sharpness
        ));
        let side = |who: &str, side: &Option<Interval>| {
            side.as_ref().map_or_else(|| format!("{who}: cannot be told"), |side| format!("{who}: {}", signed(side)))
        };
        lines.push(format!(
            "The first side gains between equal items, in points: {}; {}.",
            side("the judge", &worth.sides.judge),
            side("people", &worth.sides.people)
        ));
        lines.push(format!(
            "Ties: {} % of the judge's answers, {} % of people's.",
            points(Some(worth.ties.judge)),
            points(Some(worth.ties.people))
        ));
        if let Some((item, bias)) = &worth.itself {
            let said = if bias.low > 0.0 {
                "it favours itself"
            } else if bias.high < 0.0 {
                "it is hard on itself"
            } else {
                "it does not favour itself beyond chance"
            };
            lines.push(format!("The judge is {}: {said}, {} points.", name(item), signed(bias)));
        }
        if !worth.left_out.is_empty() {
            let some: Vec<String> = worth.left_out.iter().take(10).map(|item| name(item)).collect();
            let more = worth.left_out.len().saturating_sub(10);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("Ranked by one side only, and left out: {}{more}.", some.join(", ")));
        }
        lines
    }

    /// How it was made.
    fn method(&self) -> String {
        format!(
            "{} votes of people ({}), {} of the judge ({}). Overrated means: beyond what a judge as sure as this one \
             would say of people's strengths, in points of a hundred; intervals are {} % for all items together \
             (Bonferroni).",
            grouped(self.worth.votes.0),
            plain(self.sources.0),
            grouped(self.worth.votes.1),
            plain(self.sources.1),
            percent(self.worth.level)
        )
    }

    /// The items as people read them.
    pub fn table(&self) -> Table {
        let heads =
            ["item", "people %", "interval", "place", "judge %", "interval", "place", "overrated by", "interval"];
        let mut table = Table::new("", &heads);
        let ends = |x: &Interval| format!("{} – {}", points(Some(x.low)), points(Some(x.high)));
        for rated in &self.worth.items {
            let point = |share: f64| format!("{:+.1}", 100.0 * share);
            let star = if rated.clear { " *" } else { "" };
            table.row([
                rated.item.clone(),
                points(rated.people.estimate),
                ends(&rated.people),
                rated.people_place.to_string(),
                points(rated.judge.estimate),
                ends(&rated.judge),
                rated.judge_place.to_string(),
                format!("{}{star}", point(rated.bias.estimate.unwrap_or(f64::NAN))),
                format!("{} to {}", point(rated.bias.low), point(rated.bias.high)),
            ]);
        }
        table
    }

    /// The same for programs.
    pub fn csv_table(&self) -> Table {
        let mut table = Table::new("", &["item"]);
        for what in ["people", "judge", "bias"] {
            table.heads.extend(["", "_low", "_high", "_error"].map(|end| format!("{what}{end}")));
        }
        table.heads.extend(["people_place", "judge_place", "clear"].map(str::to_owned));
        for rated in &self.worth.items {
            let mut row = vec![rated.item.clone()];
            for x in [&rated.people, &rated.judge, &rated.bias] {
                row.extend([x.estimate.unwrap_or(f64::NAN), x.low, x.high, x.error].map(|x| x.to_string()));
            }
            row.extend([rated.people_place.to_string(), rated.judge_place.to_string(), rated.clear.to_string()]);
            table.rows.push(row);
        }
        table
    }

    /// Everything for a terminal.
    pub fn text(&self) -> String {
        let details = self.details().join("\n");
        format!("{}\n\n{}\n{details}\n\n{}\n", self.verdict(), self.table().columns(), self.method())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        let details = self.details().join("\n- ");
        format!("**{}**\n\n{}\n- {details}\n\n{}\n", self.verdict(), self.table().markdown(), self.method())
    }

    /// A page of its own.
    pub fn page(&self) -> String {
        let body = html! {
            h1 { "What is this judge worth?" }
            p class="verdict open" { (self.verdict()) }
            h2 { "People and the judge" }
            p {
                "Every item's score by people, from left to right, and by the judge, upwards. Lines are "
                (percent(self.worth.level)) " % intervals. On the dashed line both agree; filled marks are over- or "
                "underrated beyond chance, all items taken together."
            }
            div.scroll tabindex="0" { (picture::scatter(self, None)) }
            h2 { "Details" }
            ul { @for line in self.details() { li { (line) } } }
            h2 { "Numbers" }
            (self.table().html())
            p { (self.method()) }
        };
        page_around("What is this judge worth?", picture::CSS, &body)
    }
}

/// ρ², as a share.
fn share(saving: &Saving) -> f64 {
    saving.share.estimate.unwrap_or(0.0)
}

/// Whether the judge pays beside so many votes of people.
fn pays(paid: &Paid, votes: f64) -> String {
    let [least, most] = paid.saves;
    let said = if paid.cost <= least {
        "it pays"
    } else if paid.cost >= most {
        "it does not pay"
    } else {
        "whether it pays cannot be told yet"
    };
    let from = paid.pays_from.filter(|_| paid.cost > least).map_or_else(String::new, |from| {
        format!(" At the estimate it would from {} votes of people on.", grouped(from.round()))
    });
    format!(
        "Prices: at {} a person's answer and {} the judge's, its answers to all {} questions cost {:.2} and save \
         {:.2} to {:.2} of {:.2}, which {} votes of people cost: {said}.{from}",
        paid.prices.person,
        paid.prices.judge,
        grouped(paid.questions),
        paid.cost,
        least,
        most,
        votes * paid.prices.person,
        grouped(votes)
    )
}
