//! A plan of questions for standard output: the sheet to be filled in, or what it will buy.

use super::Shows;
use crate::failure::Failure;
use borduel::Duel;
use borduel::planning::{Goal, PlanOptions, Precision, Sheet};
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
}

impl Shows for Questions<'_> {
    fn text(&self) -> String {
        self.summary()
    }

    fn markdown(&self) -> String {
        format!("```text\n{}```\n", self.summary())
    }

    /// The sheet to be filled in: `rank` reads it back, rows without a winner being questions not yet asked.
    fn csv(&self) -> Table {
        let Self { plan, list, .. } = self;
        let named = list.names.iter().any(Option::is_some);
        let mut table = Table::new("", &["ask", "left", "right", "winner"]);
        if named {
            table.heads.extend(["left_name", "right_name"].map(str::to_owned));
        }
        for (at, &Duel(left, right)) in plan.asks.iter().enumerate() {
            let mut row = vec![(at + 1).to_string(), list.ids[left].clone(), list.ids[right].clone(), String::new()];
            if named {
                row.extend([left, right].map(|item| self.label(item).to_owned()));
            }
            table.rows.push(row);
        }
        table
    }

    fn is_form(&self) -> bool {
        true
    }

    fn json(&self) -> Result<String, Failure> {
        let Self { plan, list, options } = self;
        let item = |at: usize| Item {
            item: &list.ids[at],
            half_width: plan.half_widths.as_ref().map(|w| w[at]),
            score: plan.scores.as_ref().map(|s| s[at]),
        };
        let object = Object {
            version: VERSION,
            borduel: env!("CARGO_PKG_VERSION"),
            convention: "half-widths of intervals of Borda scores, 1/(K-1) sum over j != i of p(i,j), as fractions of 1",
            level: options.level,
            seed: options.seed,
            goal: if options.goal == Goal::All { "all" } else { "winner" },
            budget: options.budget,
            most_per_pair: options.most_per_pair,
            inflation: plan.inflation,
            contenders: plan.contenders.iter().map(|&at| list.ids[at].as_str()).collect(),
            asks: plan.asks.iter().map(|&Duel(i, j)| Ask { left: &list.ids[i], right: &list.ids[j] }).collect(),
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
    contenders: Vec<&'a str>,
    asks: Vec<Ask<'a>>,
    curve: &'a [Precision],
    items: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Ask<'a> {
    left: &'a str,
    right: &'a str,
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

    /// The predicted precision, the curve, and how often each pair is asked.
    pub fn summary(&self) -> String {
        let Self { plan, list, options } = self;
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
                "Variances are taken as {:.2} times those of independent coin flips, as in these votes (ties make it less, voters' habits more).\n",
                plan.inflation
            );
        }
        out += "\n   asked     spent   score on average    widest   difference\n";
        for Precision { asked, spent, mean, worst, difference } in &plan.curve {
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
