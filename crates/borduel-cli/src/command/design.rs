//! `borduel design`: which pairs to ask, in which order and on which side, and what precision that will buy.

use crate::find::contexts::{Material, Texts};
use crate::find::log::differs;
use crate::output::design::Questions;
use crate::output::{Format, show};
use crate::votes::hint::{TrustChoice, guide, read_hints};
use crate::votes::model::{item_model, items, pair_features, pairs, with_jobs};
use crate::votes::percent::{level, margin};
use crate::votes::reading::ReadFlags;
use borduel::ballots::Ballots;
use borduel::planning::{Goal, PlanOptions, most_for_people, plan};
use borduel::ranking::Model;
use borduel::stream;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_votes::{ExtraColumns, ItemIndex, Items};
use clap::{Args, ValueEnum};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Plan questions
#[derive(Debug, Args)]
pub(crate) struct Design {
    /// The list of items: id, name, feat_… [default: those that the votes are about]
    #[arg(long, value_name = "FILE", required_unless_present = "votes")]
    items: Option<PathBuf>,
    /// Votes there are already; may be given several times
    #[arg(long, value_name = "FILE")]
    votes: Vec<String>,
    /// What items are compared on, such as prompts: id, name, text. Each question is asked in one of them, and the
    /// list of questions has a column for it
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// What is shown of an item in a context: item, context, and text, link or image (without a context: in all of
    /// them). A pair is asked only where both have something to show
    #[arg(long, value_name = "FILE", requires = "contexts")]
    contents: Option<PathBuf>,
    /// How many questions may be asked (with --costs: what may be spent)
    #[arg(long, value_name = "N")]
    budget: f64,
    /// What the questions are to find out
    #[arg(long, value_enum, default_value = "winner")]
    goal: GoalChoice,
    /// What a judge thinks of the items: its votes, or a table of item and score; may be given several times. It says
    /// which pairs to ask first, counts as no vote, and no width rests on it
    #[arg(long, value_name = "FILE", conflicts_with = "pair_features")]
    hint: Vec<PathBuf>,
    /// How far hints are believed when pairs are chosen
    #[arg(long, value_enum, default_value = "checked", requires = "hint")]
    trust: TrustChoice,
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
    /// [default: a quarter of the budget or twice an even share, and at least 50; none with --costs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    most_per_pair: Option<u64>,
    /// The least questions on every item
    #[arg(long, value_name = "N", default_value_t = 0)]
    least_per_item: usize,
    /// What questions cost: left, right, cost; pairs not named cost 1
    #[arg(long, value_name = "FILE")]
    costs: Option<PathBuf>,
    /// The confidence of the predicted intervals, in percent
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = level)]
    level: f64,
    /// Gaps below this are not worth telling apart, in points (percent)
    #[arg(long, default_value = "2", value_name = "POINTS", value_parser = margin, allow_negative_numbers = true)]
    margin: f64,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// What is printed on standard output: csv is the list of questions to be filled in, the others sum it up
    #[arg(long, value_enum, default_value = "csv")]
    format: Format,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reading: ReadFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalChoice {
    /// Which item is best: the gaps of those who may still be
    Winner,
    /// Every item's score
    All,
}

/// Runs the command.
pub(crate) fn main(arguments: &Design) -> Result<(), Failure> {
    let tables = [&arguments.pair_features, &arguments.exclude_pairs, &arguments.costs, &arguments.items];
    let inputs = [&tables[..], &[&arguments.contexts, &arguments.contents]].concat();
    let inputs: Vec<_> = inputs.into_iter().map(Option::as_ref).collect();
    for (votes, hint) in arguments.votes.iter().flat_map(|votes| arguments.hint.iter().map(move |hint| (votes, hint))) {
        differs(Path::new(votes), hint, "hints")?;
    }
    arguments.reading.check_outputs(&arguments.votes, &inputs, &[])?;
    let table = arguments.reading.table();
    let given = arguments.items.as_ref().map(|path| items(path, &table, arguments.quiet)).transpose()?;
    // Of questions that are equally good the first is asked: the order of items in a file must not decide which that
    // is.
    let given = given.map(|list| list.sorted());
    let votes = match arguments.votes.as_slice() {
        [] => None,
        paths => {
            let read = || arguments.reading.read(paths, given.as_ref(), ExtraColumns::default(), arguments.quiet);
            Some(with_jobs(arguments.jobs, read)??)
        }
    };
    let mut ballots = votes.map(|votes| votes.ballots);
    let list = match (given, &mut ballots) {
        (Some(list), _) => list,
        (None, Some(ballots)) => {
            let mut order: Vec<u32> = (0..ballots.items().len() as u32).collect();
            order.sort_by_key(|&item| &ballots.items()[item as usize]);
            *ballots = ballots.restrict(&order).map_err(|refusal| Failure::Internal(refusal.to_string()))?;
            let ids = ballots.items().to_vec();
            Items { names: vec![None; ids.len()], ids, ..Items::default() }
        }
        (None, None) => Items::default(),
    };
    let index = list.index();
    let model = match &arguments.pair_features {
        Some(path) => Model::Features(pair_features(path, &table, &index)?),
        None => item_model(&list)?,
    };
    let texts = |path: &PathBuf| Texts::File(path.to_string_lossy().into_owned());
    let contents = arguments.contents.as_ref().map(texts);
    let read = |path: &PathBuf| Material::read(&texts(path), contents.as_ref(), &index);
    let material = arguments.contexts.as_ref().map(read).transpose()?;
    let mut options = options(arguments, &index)?;
    let hints = read_hints(&arguments.hint, &list, ballots.as_ref())?;
    options.guide = guide(&list, &hints, arguments.trust.into())?;
    if let Some(material) = &material {
        let apart = material.contexts().pairs_apart(list.ids.len()).map_err(|error| Failure::from_command(&error))?;
        options.excluded.extend(apart);
    }
    // Pairs are planned whatever they are compared on.
    let together = ballots.as_ref().map(Ballots::without_contexts);
    let plan = with_jobs(arguments.jobs, || plan(list.ids.len(), &model, together.as_ref(), &options))?
        .map_err(|error| Failure::from_command(&error))?;
    let assign = |material: &Material| {
        material.contexts().assign(&plan.asks, ballots.as_ref(), &mut stream(options.seed, &[CONTEXTS]))
    };
    let assigned = material.as_ref().map(assign).transpose().map_err(|error| Failure::from_command(&error))?;
    let contexts = material.as_ref().zip(assigned.as_deref());
    if !arguments.quiet {
        about_contexts(material.as_ref(), ballots.as_ref()).iter().for_each(|line| write_line(line));
    }
    let questions = Questions { plan: &plan, list: &list, options: &options, contexts, hints: &hints };
    if !arguments.quiet && arguments.format == Format::Csv {
        questions.summary().lines().for_each(write_line);
    }
    show(&questions, arguments.format, arguments.quiet)
}

/// The path of what is drawn for contexts.
const CONTEXTS: u64 = 0xc0de;

/// What is to be said about the contexts of the votes there are.
fn about_contexts(material: Option<&Material>, votes: Option<&Ballots>) -> Option<String> {
    let votes = votes.filter(|votes| votes.contexts() > 0)?;
    let are = votes.contexts_are();
    let Some(material) = material else {
        return Some(format!(
            "note: the votes are on {} {are}; with --contexts FILE every question says on which it is to be asked",
            votes.contexts()
        ));
    };
    let own = material.contexts().index();
    let others = votes.context_names().into_iter().filter(|name| !own.contains_key(name.as_str())).count();
    let all = votes.contexts();
    (others > 0)
        .then(|| format!("{others} of the {all} {are} of the votes are not in --contexts: nothing is asked there"))
}

fn options(arguments: &Design, index: &ItemIndex) -> Result<PlanOptions, Failure> {
    let table = arguments.reading.table();
    let find = |flag: &str, name: &str| {
        index.find(name.trim()).map_err(|why| Failure::Usage(format!("{flag} {name}: it {why}")))
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
    let excluded_items: HashSet<usize> =
        arguments.exclude_item.iter().map(|item| find("--exclude-item", item)).collect::<Result<_, _>>()?;
    let most_per_pair = match arguments.most_per_pair {
        Some(most) => Some(most as usize),
        None if costs.is_empty() => Some(most_for_people(arguments.budget, index.items() - excluded_items.len())),
        None => None,
    };
    Ok(PlanOptions::default()
        .with_goal(if arguments.goal == GoalChoice::All { Goal::All } else { Goal::Winner })
        .with_budget(arguments.budget)
        .with_excluded(excluded)
        .with_excluded_items(excluded_items)
        .with_most_per_pair(most_per_pair)
        .with_least_per_item(arguments.least_per_item)
        .with_costs(costs)
        .with_level(arguments.level / 100.0)
        .with_margin(arguments.margin / 100.0)
        .with_seed(arguments.seed))
}
