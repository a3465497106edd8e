//! `borduel design`: which pairs to ask, in which order and on which side, and what precision that will buy.

use crate::failure::Failure;
use crate::output::{Format, print};
use crate::votes::model::{item_index, item_model, items, pair_features, pairs, with_jobs};
use crate::votes::reading::Reading;
use borduel::Duel;
use borduel::planning::{Goal, Plan, PlanOptions, Precision, plan};
use borduel::ranking::Model;
use borduel_votes::Items;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// Plan questions
#[derive(Debug, Args)]
pub(crate) struct Design {
    /// The list of items: id, name, feat_…
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// Votes there are already; may be given several times
    #[arg(long, value_name = "FILE")]
    votes: Vec<String>,
    /// How many questions may be asked (with --costs: what may be spent)
    #[arg(long, value_name = "N")]
    budget: f64,
    /// What the questions are to find out
    #[arg(long, value_enum, default_value = "winner")]
    goal: GoalChoice,
    /// A table of features of pairs: left, right, feat_…
    #[arg(long, value_name = "FILE")]
    pair_features: Option<PathBuf>,
    /// A pair that must not be asked, as A,B; may be given several times
    #[arg(long, value_name = "A,B")]
    exclude_pair: Vec<String>,
    /// A file of pairs that must not be asked: left, right
    #[arg(long, value_name = "FILE")]
    exclude_pairs: Option<PathBuf>,
    /// An item that must not be asked about; may be given several times
    #[arg(long, value_name = "ITEM")]
    exclude_item: Vec<String>,
    /// The most questions on one pair
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    most_per_pair: Option<u64>,
    /// The least questions on every item
    #[arg(long, value_name = "N", default_value_t = 0)]
    least_per_item: usize,
    /// What questions cost: left, right, cost; pairs not named cost 1
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// The confidence of the predicted intervals, in percent
    #[arg(long, default_value_t = 95.0, value_name = "PERCENT")]
    level: f64,
    /// Gaps below this are not worth telling apart, in points (percent)
    #[arg(long, default_value_t = 2.0, value_name = "POINTS")]
    margin: f64,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// What is printed on standard output: csv is the sheet to be filled in, the others sum it up
    #[arg(long, value_enum, default_value = "csv")]
    format: Format,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalChoice {
    /// Which item is best: the gaps of those who may still be
    Winner,
    /// Every item's score
    All,
}

/// The version of the JSON object.
const VERSION: u32 = 1;

/// Runs the command.
pub(crate) fn main(arguments: &Design) -> Result<(), Failure> {
    let table = arguments.reading.table();
    let list = items(&arguments.items, &table)?;
    let index = item_index(&list);
    let model = match &arguments.pair_features {
        Some(path) => Model::Features(pair_features(path, &table, &index)?),
        None => item_model(&list)?,
    };
    let votes = match arguments.votes.as_slice() {
        [] => None,
        paths => Some(arguments.reading.read(paths, Some(&list), arguments.quiet)?),
    };
    let options = options(arguments, &index)?;
    let ballots = votes.as_ref().map(|votes| &votes.ballots);
    let plan = with_jobs(arguments.jobs, || plan(list.ids.len(), &model, ballots, &options))?
        .map_err(|error| Failure::from_command(&error))?;
    let text = match arguments.format {
        Format::Csv => sheet(&plan, &list)?,
        Format::Table => summary(&plan, &list, options.level),
        Format::Md => format!("```text\n{}```\n", summary(&plan, &list, options.level)),
        Format::Json => object(&plan, &list, &options)?,
    };
    if !arguments.quiet && arguments.format == Format::Csv {
        eprint!("{}", summary(&plan, &list, options.level));
    }
    print(text.as_bytes())
}

fn options(arguments: &Design, index: &HashMap<&str, usize>) -> Result<PlanOptions, Failure> {
    let table = arguments.reading.table();
    let find = |flag: &str, name: &str| {
        index.get(name.trim()).copied().ok_or_else(|| Failure::Usage(format!("{flag} {name}: there is no such item")))
    };
    let mut excluded = HashSet::new();
    for pair in &arguments.exclude_pair {
        let (a, b) =
            pair.split_once(',').ok_or_else(|| Failure::Usage(format!("--exclude-pair {pair}: write it as A,B")))?;
        excluded.insert((find("--exclude-pair", a)?, find("--exclude-pair", b)?));
    }
    if let Some(path) = &arguments.exclude_pairs {
        for (a, b) in pairs(path, None, &table)?.pairs {
            excluded.insert((find("--exclude-pairs", &a)?, find("--exclude-pairs", &b)?));
        }
    }
    let mut costs = Vec::new();
    if let Some(path) = &arguments.costs {
        let listed = pairs(path, Some("cost"), &table)?;
        for ((a, b), &cost) in listed.pairs.iter().zip(&listed.values) {
            costs.push((find("--costs", a)?, find("--costs", b)?, cost));
        }
    }
    Ok(PlanOptions {
        goal: if arguments.goal == GoalChoice::All { Goal::All } else { Goal::Winner },
        budget: arguments.budget,
        excluded,
        excluded_items: arguments
            .exclude_item
            .iter()
            .map(|item| find("--exclude-item", item))
            .collect::<Result<_, _>>()?,
        most_per_pair: arguments.most_per_pair.map(|most| most as usize),
        least_per_item: arguments.least_per_item,
        costs,
        level: arguments.level / 100.0,
        margin: arguments.margin / 100.0,
        seed: arguments.seed,
    })
}

/// What to call an item before people.
fn label(list: &Items, item: usize) -> &str {
    list.names[item].as_deref().unwrap_or(&list.ids[item])
}

/// The sheet to be filled in: `rank` reads it back, rows without a winner being questions not yet asked.
fn sheet(plan: &Plan, list: &Items) -> Result<String, Failure> {
    let named = list.names.iter().any(Option::is_some);
    let write = || -> Result<String, Box<dyn std::error::Error>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names: &[&str] = if named { &["left_name", "right_name"] } else { &[] };
        writer.write_record(["ask", "left", "right", "winner"].iter().chain(names))?;
        for (at, &Duel(left, right)) in plan.asks.iter().enumerate() {
            let mut row = vec![(at + 1).to_string(), list.ids[left].clone(), list.ids[right].clone(), String::new()];
            if named {
                row.extend([left, right].map(|item| label(list, item).to_owned()));
            }
            writer.write_record(&row)?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    };
    write().map_err(|error| Failure::Internal(error.to_string()))
}

fn points(x: Option<f64>) -> String {
    match x {
        None => "unknown".to_owned(),
        Some(x) if x > 0.5 => "±50 or more".to_owned(),
        Some(x) => format!("±{:.1}", 100.0 * x),
    }
}

/// The predicted precision, the curve, and how often each pair is asked.
fn summary(plan: &Plan, list: &Items, level: f64) -> String {
    let last = plan.curve[plan.curve.len() - 1];
    let level = 100.0 * level;
    let mut out = format!(
        "{} questions, costing {}, will give scores within {} points on average",
        plan.asks.len(),
        last.spent,
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
        let names: Vec<&str> = plan.contenders.iter().take(6).map(|&item| label(list, item)).collect();
        let more =
            if plan.contenders.len() > 6 { format!(" and {} more", plan.contenders.len() - 6) } else { String::new() };
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
            "{asked:8}  {spent:8}  {:>17}  {:>8}  {:>11}\n",
            points(*mean),
            points(*worst),
            points(*difference)
        );
    }
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut per_item = vec![0; list.ids.len()];
    for Duel(left, right) in &plan.asks {
        *pairs.entry((*left.min(right), *left.max(right))).or_default() += 1;
        per_item[*left] += 1;
        per_item[*right] += 1;
    }
    let busiest = per_item.iter().max().copied().unwrap_or(0);
    let idlest = per_item.iter().min().copied().unwrap_or(0);
    let most = pairs.values().max().copied().unwrap_or(0);
    out += &format!(
        "\n{} different pairs, each asked up to {most} times; {idlest} to {busiest} questions per item.\n",
        pairs.len()
    );
    out
}

fn object(plan: &Plan, list: &Items, options: &PlanOptions) -> Result<String, Failure> {
    let point = |p: &Precision| json!({"asked": p.asked, "spent": p.spent, "mean": p.mean, "worst": p.worst, "difference": p.difference});
    let item = |at: usize| {
        json!({
            "item": list.ids[at],
            "half_width": plan.half_widths.as_ref().map(|w| w[at]),
            "score": plan.scores.as_ref().map(|s| s[at]),
        })
    };
    let object = json!({
        "version": VERSION,
        "borduel": env!("CARGO_PKG_VERSION"),
        "convention": "half-widths of intervals of Borda scores, 1/(K-1) sum over j != i of p(i,j), as fractions of 1",
        "level": options.level,
        "seed": options.seed,
        "goal": if options.goal == Goal::All { "all" } else { "winner" },
        "budget": options.budget,
        "inflation": plan.inflation,
        "contenders": plan.contenders.iter().map(|&at| &list.ids[at]).collect::<Vec<_>>(),
        "asks": plan.asks.iter().map(|Duel(left, right)| json!({"left": list.ids[*left], "right": list.ids[*right]})).collect::<Vec<_>>(),
        "curve": plan.curve.iter().map(point).collect::<Vec<_>>(),
        "items": (0..list.ids.len()).map(item).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&object).map(|text| text + "\n").map_err(|error| Failure::Internal(error.to_string()))
}
