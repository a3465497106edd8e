//! A plan of questions for standard output: the list of questions to be filled in, or what it will buy.

use super::Shows;
use crate::find::contexts::Material;
use crate::votes::hint::{Hint, told};
use borduel::Duel;
use borduel::planning::{Goal, PlanOptions, Precision, Sheet};
use borduel::sequential::Trust;
use borduel_lab::failure::Failure;
use borduel_report::numbers::short;
use borduel_report::{Table, plain};
use borduel_votes::Items;
use serde::Serialize;

/// The version of the JSON object.
const VERSION: u32 = 1;

/// So many questions on one pair are worth a word.
const MANY: usize = 100;

/// Questions to ask about a list of items.
#[derive(Debug, Clone, Copy)]
pub struct Questions<'a> {
    /// What to ask.
    pub plan: &'a Sheet,
    /// About which items.
    pub list: &'a Items,
    /// What was wanted.
    pub options: &'a PlanOptions,
    /// What items are compared on, and on which of it each question is asked.
    pub contexts: Option<(&'a Material, &'a [Option<u32>])>,
    /// What judges think, which guided the choice.
    pub hints: &'a [Hint],
}

impl Shows for Questions<'_> {
    fn text(&self) -> String {
        self.summary()
    }

    fn markdown(&self) -> String {
        format!("```text\n{}```\n", self.summary())
    }

    /// The list of questions to be filled in: `rank` reads it back, rows without a winner being questions not yet
    /// asked.
    fn csv(&self) -> Table {
        let Self { plan, list, .. } = self;
        let named = list.names.iter().any(Option::is_some);
        let material = self.contexts.map(|(material, _)| material);
        let (texts, contents) =
            (material.is_some_and(Material::has_texts), material.is_some_and(Material::has_contents));
        let columns = [
            (true, "ask"),
            (material.is_some(), "context"),
            (texts, "context_text"),
            (true, "left"),
            (true, "right"),
            (true, "winner"),
            (named, "left_name"),
            (named, "right_name"),
            (contents, "left_text"),
            (contents, "right_text"),
        ];
        let heads: Vec<&str> = columns.iter().filter(|(there, _)| *there).map(|(_, head)| *head).collect();
        let mut table = Table::new("", &heads);
        for (at, &Duel(left, right)) in plan.asks.iter().enumerate() {
            let shown = material.zip(self.context(at));
            let content = |item: usize| shown.and_then(|(material, context)| material.content(item, context));
            let cells = [
                Some((at + 1).to_string()),
                shown.map(|(material, context)| material.id(context).to_owned()),
                shown.and_then(|(material, context)| material.text(context)).map(str::to_owned),
                Some(list.ids[left].clone()),
                Some(list.ids[right].clone()),
                None,
                Some(self.label(left).to_owned()),
                Some(self.label(right).to_owned()),
                content(left).map(str::to_owned),
                content(right).map(str::to_owned),
            ];
            let kept = columns.iter().zip(cells).filter(|((there, _), _)| *there);
            table.rows.push(kept.map(|(_, cell)| cell.unwrap_or_default()).collect());
        }
        table
    }

    fn is_form(&self) -> bool {
        true
    }

    fn json(&self) -> Result<String, Failure> {
        let Self { plan, list, options, .. } = self;
        let item = |at: usize| Item {
            item: &list.ids[at],
            half_width: plan.half_widths.as_ref().map(|w| w[at]),
            score: plan.scores.as_ref().map(|s| s[at]),
        };
        let ask = |(at, &Duel(i, j)): (usize, &Duel)| {
            let context = self.contexts.zip(self.context(at)).map(|((material, _), context)| material.id(context));
            Ask { left: &list.ids[i], right: &list.ids[j], context }
        };
        let object = Object {
            version: VERSION,
            borduel: env!("CARGO_PKG_VERSION"),
            convention: "half-widths of intervals of Borda scores, 1/(K-1) sum over j != i of p(i,j), as fractions of \
                         1",
            level: options.level,
            seed: options.seed,
            goal: if options.goal == Goal::All { "all" } else { "winner" },
            budget: options.budget,
            most_per_pair: options.most_per_pair,
            inflation: plan.inflation,
            trust: options.guide.as_ref().map(|guide| guide.trust),
            hints: self.hints,
            contenders: plan.contenders.iter().map(|&at| list.ids[at].as_str()).collect(),
            asks: plan.asks.iter().enumerate().map(ask).collect(),
            curve: &plan.curve,
            items: (0..list.ids.len()).map(item).collect(),
        };
        serde_json::to_string_pretty(&object)
            .map(|text| text + "\n")
            .map_err(|error| Failure::Internal(error.to_string()))
    }
}

/// The JSON object; written as it is, since there may be a million questions.
#[derive(Serialize)]
struct Object<'a> {
    version: u32,
    borduel: &'static str,
    convention: &'static str,
    level: f64,
    seed: u64,
    goal: &'static str,
    budget: f64,
    most_per_pair: Option<usize>,
    inflation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<Trust>,
    #[serde(skip_serializing_if = "<[Hint]>::is_empty")]
    hints: &'a [Hint],
    contenders: Vec<&'a str>,
    asks: Vec<Ask<'a>>,
    curve: &'a [Precision],
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Ask<'a> {
    left: &'a str,
    right: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the key of the JSON is `item`")]
struct Item<'a> {
    item: &'a str,
    half_width: Option<f64>,
    score: Option<f64>,
}

impl Questions<'_> {
    /// What to call an item before people.
    fn label(&self, item: usize) -> &str {
        self.list.names[item].as_deref().unwrap_or(&self.list.ids[item])
    }

    /// In which context a question is asked.
    fn context(&self, ask: usize) -> Option<u32> {
        self.contexts.and_then(|(_, assigned)| assigned[ask])
    }

    /// What hints had to do with it.
    fn guided(&self) -> String {
        let trust = self.options.guide.as_ref().map(|guide| guide.trust);
        let told = trust.and_then(|trust| told(self.hints, trust, ["says what to ask first", "say what to ask first"]));
        let told = told.map_or_else(String::new, |told| format!("{told} No width rests on it.\n"));
        if told.is_empty() || self.plan.scores.is_some() {
            return told;
        }
        told + "As long as no votes show how far that is right, whoever is first there is taken for the leader.\n"
    }

    /// In how many contexts, and how often in each.
    fn contexts_used(&self) -> String {
        let Some((material, assigned)) = self.contexts else { return String::new() };
        let mut times = vec![0_usize; material.contexts().len()];
        assigned.iter().flatten().for_each(|&context| times[context as usize] += 1);
        let used = times.iter().filter(|times| **times > 0).count();
        let (least, most) = (times.iter().min().copied().unwrap_or(0), times.iter().max().copied().unwrap_or(0));
        format!(
            "Asked in {used} of {} contexts, {least} to {most} questions in each. The precision is that about these \
             contexts; about such, how far items differ between contexts comes on top.\n",
            times.len()
        )
    }

    /// The predicted precision, the curve, and how often each pair is asked.
    pub fn summary(&self) -> String {
        let Self { plan, list, options, .. } = self;
        let last = plan.curve[plan.curve.len() - 1];
        let level = short(100.0 * options.level);
        let mut out = format!(
            "{} questions, costing {}, will give scores within {} points on average",
            plan.asks.len(),
            short(last.spent),
            points(last.mean)
        );
        out += &format!(
            " (widest {}; differences within {}), with {level} % confidence.\n",
            points(last.worst),
            points(last.difference)
        );
        if last.mean.is_none() {
            out += "That is too few questions to compare every item with every other, even indirectly.\n";
        }
        if plan.scores.is_none() {
            out += "No votes are known yet, so all items are taken as even, the most cautious case; the order of the \
                    questions is a good one to stop at any time.\n";
        } else {
            let names: Vec<_> = plan.contenders.iter().take(6).map(|&item| plain(self.label(item))).collect();
            let more = if plan.contenders.len() > 6 {
                format!(" and {} more", plan.contenders.len() - 6)
            } else {
                String::new()
            };
            let standing = if names.len() == 1 { "Clear winner" } else { "May still be best" };
            out += &format!("{standing}, going by the votes there are: {}{more}.\n", names.join(", "));
            out += &format!(
                "Variances are taken as {:.2} times those of independent coin flips, as in these votes (ties make it \
                 less, voters' habits more).\n",
                plan.inflation
            );
        }
        out += &self.guided();
        out += "\n   asked     spent   score on average    widest   difference\n";
        for Precision { asked, spent, mean, worst, difference, .. } in &plan.curve {
            out += &format!(
                "{asked:8}  {:>8}  {:>17}  {:>8}  {:>11}\n",
                short(*spent),
                points(*mean),
                points(*worst),
                points(*difference)
            );
        }
        let mut per_item = vec![0; list.ids.len()];
        for pair in &plan.pairs {
            per_item[pair.first] += pair.asks;
            per_item[pair.second] += pair.asks;
        }
        let busiest = per_item.iter().max().copied().unwrap_or(0);
        let idlest = per_item.iter().min().copied().unwrap_or(0);
        let most = plan.pairs.iter().map(|pair| pair.asks).max().unwrap_or(0);
        out += &format!(
            "\n{} different pairs, each asked up to {most} times; {idlest} to {busiest} questions per item.\n",
            plan.pairs.len()
        );
        out += &self.contexts_used();
        let limit = options.most_per_pair.filter(|limit| *limit == most);
        let often = plan.pairs.iter().max_by_key(|pair| pair.asks).filter(|_| most >= MANY || limit.is_some());
        if let Some(pair) = often {
            out += &format!(
                "Most often comes \"{} or {}?\": {most} times{}. Its questions are spread over the list; let different \
                 people answer them, or set --most-per-pair.\n",
                self.label(pair.first),
                self.label(pair.second),
                if limit.is_some() { ", the most that is allowed for one pair" } else { "" }
            );
        }
        out
    }
}

fn points(x: Option<f64>) -> String {
    match x {
        None => "unknown".to_owned(),
        Some(x) if x > 0.5 => "±50 or more".to_owned(),
        Some(x) => format!("±{:.1}", 100.0 * x),
    }
}
