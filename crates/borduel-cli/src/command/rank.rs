//! `borduel rank`: votes in, verdict out.

use crate::output::{Format, show};
use crate::votes::earlier::earlier;
use crate::votes::files::label;
use crate::votes::hint::{TrustChoice, judge_beside, stands_apart};
use crate::votes::model::{item_model, items, pair_features, with_jobs};
use crate::votes::percent::{level, margin};
use crate::votes::reading::{ReadFlags, ReadVotes};
use crate::votes::rejected_rows::unwritable;
use borduel::audit::looks_adaptive;
use borduel::ballots::Ballots;
use borduel::judging::{rank_controlled, worth};
use borduel::planning::questions_to_settle;
use borduel::ranking::{
    Crossed, Model, RankOptions, Ranking, Scale, VerdictKind, compare, rank, rank_weighed, reliability, rests_on,
};
use borduel::sequential::{Judgement, Options, judge_ballots};
use borduel::{About, Features};
use borduel_lab::atomic_write::write_whole;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::judging::Judged;
use borduel_report::ranking::{
    Breakdown, Group, Groups, Hint, Ranked, Source, page_beside, rejudge, standalone_forest,
};
use borduel_report::sequential;
use borduel_votes::{ExtraColumns, ItemIndex, Items};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;

/// Rank items from votes
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub(crate) struct Rank {
    /// Files of votes (CSV, TSV, JSON, PrefLib; gzip and zstd are unpacked); `-` for standard input
    #[arg(required = true, value_name = "VOTES")]
    votes: Vec<String>,
    /// A list of items: id, name, feat_…; features make the model
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// A table of features of pairs: left, right, feat_…
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pair_features: Option<PathBuf>,
    /// Where the chances come from [default: features where there are any, otherwise one-hot]
    #[arg(long, value_enum)]
    model: Option<ModelChoice>,
    /// The confidence of all intervals, in percent
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = level)]
    level: f64,
    /// Scores closer than this count as equal, in points (percent)
    #[arg(long, default_value = "2", value_name = "POINTS", value_parser = margin, allow_negative_numbers = true)]
    margin: f64,
    /// The votes came in order and somebody has been looking: a verdict and intervals that hold at all times
    #[arg(long)]
    sequential: bool,
    /// Whether the model behind it (features, or one strength an item) is believed; nothing: the verdict holds whoever
    /// chose the pairs, and by whatever rule
    #[arg(long, value_enum, default_value = "checked", requires = "sequential")]
    trust: TrustChoice,
    /// Percentile intervals from this many resamplings of the voters
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads work; the results do not depend on it [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Leave items with fewer used votes out, with their votes
    #[arg(long, value_name = "N", default_value_t = 0)]
    least_votes: u64,
    /// Leave an item out, with its votes; may be given several times
    #[arg(long, value_name = "ITEM")]
    exclude_item: Vec<String>,
    /// Estimate what goes with a vote and remove it from the scores: `position` (the advantage of the left or home
    /// side), and columns of numbers, positive in favour of the left item (A-B for the difference of two columns)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    adjust: Vec<String>,
    /// By which columns votes hang together: the voter's, or the voter's and another one (`voter,prompt`)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "voter")]
    cluster: Vec<String>,
    /// What the verdict is about where votes have contexts, such as prompts [default: such from 8 contexts on, these
    /// below]
    #[arg(long, value_enum, alias = "contexts")]
    about: Option<AboutChoice>,
    /// A judge's votes as a hint: what it is worth beside these; and where it answered a pair on all contexts, with
    /// --about these, its answers to the same questions make scores more precise. They count as no votes. Given several
    /// times, the judges are a panel: what they say to a question is the mean of their answers. With --sequential, what
    /// each thinks of the items is believed as far as --trust says
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "over", "cluster"])]
    hint: Vec<PathBuf>,
    /// What a voter's votes count; weighing changes whose winner it is
    #[arg(
        long, value_enum, default_value = "alike",
        conflicts_with_all = ["sequential", "by", "over", "cluster", "hint"]
    )]
    voters: VotersChoice,
    /// A ranking for every value of this column besides, and where they differ
    #[arg(long, value_name = "COLUMN", conflicts_with = "sequential")]
    by: Option<String>,
    /// Scores over time besides, by this column of dates or numbers
    #[arg(long, value_name = "COLUMN", conflicts_with = "sequential")]
    over: Option<String>,
    /// How long each answer took, a column of numbers: voters who hardly looked are named among the checks
    #[arg(long, value_name = "COLUMN")]
    took: Option<String>,
    /// What changed since an earlier ranking, the file that --format json wrote
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Show Bradley–Terry strengths too
    #[arg(long)]
    strength: bool,
    /// The scale of strengths; implies --strength
    #[arg(long = "scale", value_enum)]
    strength_scale: Option<StrengthScale>,
    /// With Elo's scale: the points of the mean, or of an item as ITEM=POINTS [default: 1500]
    #[arg(long, value_name = "[ITEM=]POINTS", requires = "strength_scale")]
    anchor: Option<String>,
    /// In JSON: the chances p(i,j) of all pairs of ranked items too
    #[arg(long)]
    chances: bool,
    /// How results are printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write a page with pictures, to look at offline or to send
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The question that was asked: the head of the page
    #[arg(long, value_name = "TEXT", requires = "html")]
    question: Option<String>,
    /// The date on the page [default: when the file of votes was last changed]
    #[arg(long, value_name = "TEXT", requires = "html")]
    date: Option<String>,
    /// Write the picture alone: every item's score and interval, best on top
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Exit with code 4 unless there is a clear winner (good enough is not)
    #[arg(long)]
    require_winner: bool,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    reading: ReadFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelChoice {
    /// Logistic in the items' features
    Features,
    /// One parameter per item (Bradley–Terry)
    OneHot,
    /// Observed shares only; nothing is said about pairs never compared
    Counts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AboutChoice {
    /// Who is best on these contexts, each of which counts alike
    These,
    /// Who is best on contexts like these, of which these are a sample
    Such,
    /// Neither: votes count alike, as if they had no contexts
    Ignore,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VotersChoice {
    /// All the same
    Alike,
    /// As much as their other answers agree with what the other voters say
    Weigh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrengthScale {
    /// Log-odds, mean 0
    LogOdds,
    /// 400 points for odds of ten to one
    Elo,
}

/// What `--adjust` calls the side on which an item was shown.
const POSITION: &str = "position";

/// The options of the ranking that the arguments say by themselves.
fn options_of(arguments: &Rank) -> RankOptions {
    RankOptions::default()
        .with_level(arguments.level / 100.0)
        .with_margin(arguments.margin / 100.0)
        .with_bootstrap(arguments.bootstrap)
        .with_seed(arguments.seed)
        .with_least_votes(arguments.least_votes as f64)
        .with_adjust_position(arguments.adjust.iter().any(|what| what == POSITION))
        .with_chances(arguments.chances)
        .with_about(arguments.about.and_then(|about| match about {
            AboutChoice::These => Some(About::These),
            AboutChoice::Such => Some(About::Such),
            AboutChoice::Ignore => None,
        }))
}

/// Drops contexts that are to be ignored, and refuses to speak about some where none are known.
fn settle_contexts(arguments: &Rank, options: &RankOptions, votes: &mut ReadVotes) -> Result<(), Failure> {
    if arguments.about == Some(AboutChoice::Ignore) {
        votes.ignore_contexts();
    } else if let Some(about) = options.about.filter(|_| votes.ballots.contexts() == 0) {
        return Err(Failure::Usage(format!(
            "--about {}: it is not known what the votes are on: name the column of prompts, scenes or queries with \
             --context",
            about.name()
        )));
    }
    Ok(())
}

/// What is said where somebody may have looked, and asked what mattered, before the end.
const ADAPTIVE: &str = "note: the best items have far more votes than the others, as if the questions had followed the \
                        answers; if so, and if anybody looked before the end, these intervals are too narrow: \
                        --sequential has wider ones that hold";

/// Runs the command.
pub(crate) fn main(arguments: &Rank) -> Result<(), Failure> {
    let mut options = options_of(arguments);
    let tables = [&arguments.items, &arguments.pair_features, &arguments.compare].map(Option::as_ref);
    let inputs: Vec<_> = tables.into_iter().chain(arguments.hint.iter().map(Some)).collect();
    let written = [("--html", arguments.html.as_ref()), ("--svg", arguments.svg.as_ref())];
    arguments.reading.check_outputs(&arguments.votes, &inputs, &written)?;
    let table = arguments.reading.table();
    let list = arguments.items.as_ref().map(|path| items(path, &table, arguments.quiet)).transpose()?;
    let earlier = arguments.compare.as_ref().map(|path| earlier(path)).transpose()?;
    let (reading, extra) = extra(arguments)?;
    let read = || reading.read(&arguments.votes, list.as_ref(), extra, arguments.quiet);
    let mut votes = with_jobs(arguments.jobs, read)??;
    settle_contexts(arguments, &options, &mut votes)?;
    options.circumstances = votes.extra.circumstances.take().map(Arc::new);
    options.took = votes.extra.took.take().map(Arc::new);
    options.crossed = votes.extra.crossed.take().map(|(second, both)| {
        let name = arguments.cluster.get(1).map_or_else(String::new, |column| format!("values of {column}"));
        Arc::new(Crossed::new(name, second, both))
    });
    let names: &[Option<String>] = list.as_ref().map_or(&[], |list| &list.names);
    choose_items(arguments, list.as_ref(), &votes, &mut options)?;
    let model = choose_model(arguments, list.as_ref(), &votes)?;
    if arguments.sequential {
        options.check_anytime(&votes.ballots).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    let judges = judges(arguments, &votes.ballots)?;
    let (mut ranking, mut hint) = ranked(arguments, &mut votes, &judges, &model, &options)?;
    // What is planned, or left out to see what changes, are people's votes alone.
    let controlled = hint.as_ref().is_some_and(|hint| hint.control.is_some());
    if ranking.verdict.forecast.is_some() && !arguments.sequential && !controlled {
        forecast_where_it_matters(arguments, &votes.ballots, &model, &options, &mut ranking)?;
    }
    if !arguments.sequential && !controlled {
        ranking.rests_on = with_jobs(arguments.jobs, || rests_on(&votes.ballots, &model, &options, &ranking))?;
    }
    let beside = || judged(&model, list.as_ref(), &votes, &judges, &options, arguments.trust);
    let judgement = arguments.sequential.then(|| with_jobs(arguments.jobs, beside)?).transpose()?;
    if let Some(judgement) = &judgement {
        hint = hint_at_any_time(arguments, &votes, &judges, judgement)?;
        rejudge(&mut ranking, judgement);
    } else if !arguments.quiet && looks_adaptive(&votes.ballots, &ranking) {
        write_line(ADAPTIVE);
    }
    let files = label(&arguments.votes, arguments.date.as_deref());
    let mut main = Ranked {
        ranking: &ranking,
        ballots: &votes.ballots,
        options: &options,
        names,
        source: Source {
            rows: votes.rows.read,
            set_aside: votes.rows.set_aside,
            unanswered: votes.rows.unanswered,
            notes: &votes.notes,
            question: arguments.question.as_deref(),
            files: Some(files.as_str()),
            hint: hint.as_ref(),
        },
        strength: arguments.strength || arguments.strength_scale.is_some(),
        verdict: None,
    };
    let are = votes.ballots.contexts_are();
    let said = judgement.as_ref().map(|found| sequential::verdict_on(found, &|item| main.spoken(item), are));
    main.verdict = said.as_deref();
    // What is adjusted for, and a second cluster, belong to all votes and not to a part of them; nor has a part as many
    // contexts.
    let alone = options.clone().with_circumstances(None).with_crossed(None).with_took(None).with_about(None);
    let part = |ballots: &Ballots| rank(ballots, &model, &alone).map_err(|error| error.to_string());
    let parts = || -> (Vec<_>, Vec<_>) {
        let by = votes.extra.by.iter().map(|(_, ballots)| part(ballots)).collect();
        (by, votes.extra.over.iter().map(|stretch| part(&stretch.ballots)).collect())
    };
    let (by, over) = with_jobs(arguments.jobs, parts)?;
    let comparison = earlier.as_ref().map(|before| compare(before, &ranking, votes.ballots.items(), options.level));
    let ranked = Breakdown {
        main,
        by: arguments.by.as_deref().map(|column| Groups {
            column,
            groups: (votes.extra.by.iter().zip(&by))
                .map(|((value, ballots), found)| Group {
                    value: value.clone(),
                    span: None,
                    ranked: of_part(&main, &alone, ballots, found),
                })
                .collect(),
        }),
        over: arguments.over.as_deref().map(|column| Groups {
            column,
            groups: (votes.extra.over.iter().zip(&over))
                .map(|(stretch, found)| Group {
                    value: stretch.name(),
                    span: Some((stretch.from, stretch.to)),
                    ranked: of_part(&main, &alone, &stretch.ballots, found),
                })
                .collect(),
        }),
        compared: comparison.as_ref().zip(arguments.compare.as_ref()).map(|(c, path)| (c, path.display().to_string())),
    };
    write_pictures(arguments, &ranked)?;
    show(&ranked, arguments.format, arguments.quiet)?;
    if arguments.require_winner && ranking.verdict.kind != VerdictKind::ClearWinner {
        return Err(Failure::NoWinner(format!("there is no clear winner. {}", ranked.main.verdict())));
    }
    Ok(())
}

/// The ranking as asked for, and what comes of a hint.
fn ranked(
    arguments: &Rank,
    votes: &mut ReadVotes,
    judges: &[(String, Ballots)],
    model: &Model,
    options: &RankOptions,
) -> Result<(Ranking, Option<Hint>), Failure> {
    let failed = |error: borduel::Error| Failure::from_command(&error);
    let mut hint = None;
    let mut ranking = if !judges.is_empty() && !arguments.sequential {
        let (judge, file) = panel(arguments, judges)?;
        let work = || -> borduel::Result<_> {
            let worth = worth(&votes.ballots, &judge, options.level, None)?;
            let (ranking, control) = rank_controlled(&votes.ballots, &judge, model, options)?;
            Ok((ranking, worth, control))
        };
        let (ranking, worth, control) = with_jobs(arguments.jobs, work)?.map_err(failed)?;
        let judged = Judged { worth: &worth, sources: (people_of(arguments), &file), paid: None };
        hint = Some(judged.hint(control, votes.ballots.contexts_are()));
        ranking
    } else if arguments.voters == VotersChoice::Weigh {
        let made = with_jobs(arguments.jobs, || rank_weighed(&votes.ballots, model, options))?;
        let (weighed, ranking) = made.map_err(failed)?;
        votes.ballots = weighed;
        ranking
    } else {
        with_jobs(arguments.jobs, || rank(&votes.ballots, model, options))?.map_err(failed)?
    };
    if arguments.voters == VotersChoice::Alike && !arguments.sequential {
        let found = with_jobs(arguments.jobs, || reliability(&votes.ballots, model, options))?;
        found.into_iter().for_each(|found| ranking.rely(found));
    }
    Ok((ranking, hint))
}

fn people_of(arguments: &Rank) -> &str {
    arguments.votes.first().map_or("", String::as_str)
}

/// The judges whose votes are hints, each with its file.
fn judges(arguments: &Rank, people: &Ballots) -> Result<Vec<(String, Ballots)>, Failure> {
    if arguments.trust == TrustChoice::Nothing && !arguments.hint.is_empty() {
        let message = "--trust nothing takes every pair by itself: leave out --hint, or take --trust checked";
        return Err(Failure::Usage(message.to_owned()));
    }
    let read = |path: &PathBuf| {
        let file = path.to_string_lossy().into_owned();
        let judge = judges_votes(arguments, std::slice::from_ref(&file), true)?;
        stands_apart(people, &judge).map_err(|error| Failure::from_command(&error))?;
        Ok((file, judge))
    };
    arguments.hint.iter().map(read).collect()
}

/// All of them as one, with their files.
fn panel(arguments: &Rank, judges: &[(String, Ballots)]) -> Result<(Ballots, String), Failure> {
    let files: Vec<String> = judges.iter().map(|(file, _)| file.clone()).collect();
    Ok((judges_votes(arguments, &files, arguments.quiet)?, files.join(", ")))
}

/// What judges are worth beside a verdict at any time, and did to it; nothing without judges.
fn hint_at_any_time(
    arguments: &Rank,
    votes: &ReadVotes,
    judges: &[(String, Ballots)],
    judgement: &Judgement,
) -> Result<Option<Hint>, Failure> {
    if judges.is_empty() {
        return Ok(None);
    }
    let (judge, file) = panel(arguments, judges)?;
    let found = with_jobs(arguments.jobs, || worth(&votes.ballots, &judge, judgement.options.level, None))?;
    let worth = found.map_err(|error| Failure::from_command(&error))?;
    let judged = Judged { worth: &worth, sources: (people_of(arguments), &file), paid: None };
    Ok(Some(judged.hint_at_any_time(judgement.control.as_ref(), judgement.options.trust)))
}

/// The votes of judges, read as those of people are; whose they are need not be told.
fn judges_votes(arguments: &Rank, files: &[String], quiet: bool) -> Result<Ballots, Failure> {
    let reading = arguments.reading.of_one_voter();
    let read = || reading.read(files, None, ExtraColumns::default(), quiet);
    Ok(with_jobs(arguments.jobs, read)??.ballots)
}

/// Forecasts how many votes it would take where they matter most, and says how they are chosen if that saves any.
fn forecast_where_it_matters(
    arguments: &Rank,
    ballots: &Ballots,
    model: &Model,
    options: &RankOptions,
    ranking: &mut Ranking,
) -> Result<(), Failure> {
    let chosen = with_jobs(arguments.jobs, || questions_to_settle(ballots, model, options, ranking))?;
    // What cannot be planned for is not forecast.
    ranking.verdict.compare_where_it_matters(chosen.unwrap_or(None));
    let fewer = ranking.verdict.where_it_matters.is_some();
    if let Some(votes) = arguments.votes.first().filter(|votes| fewer && *votes != "-" && !arguments.quiet) {
        write_line(&format!("borduel design --votes {votes} says where it matters to ask"));
    }
    Ok(())
}

/// Writes the page and the picture that are asked for.
fn write_pictures(arguments: &Rank, ranked: &Breakdown<'_>) -> Result<(), Failure> {
    let written = |path: &PathBuf, text: &str, what: &str| -> Result<(), Failure> {
        write_whole(path, text.as_bytes()).map_err(|error| unwritable(path, &error))?;
        if !arguments.quiet {
            write_line(&format!("the {what} is in {}", path.display()));
        }
        Ok(())
    };
    if let Some(path) = &arguments.html {
        written(path, &page_beside(ranked), "page")?;
    }
    if let Some(path) = &arguments.svg {
        written(path, &standalone_forest(&ranked.main), "picture")?;
    }
    Ok(())
}

/// The ranking of a part of the votes, where there is one.
fn of_part<'a>(
    main: &Ranked<'a>,
    options: &'a RankOptions,
    ballots: &'a Ballots,
    found: &'a Result<Ranking, String>,
) -> Result<Ranked<'a>, String> {
    match found {
        Ok(ranking) => Ok(Ranked { ranking, ballots, options, source: Source::default(), verdict: None, ..*main }),
        Err(why) => Err(why.clone()),
    }
}

/// How the files are read, and the other columns that are wanted.
fn extra(arguments: &Rank) -> Result<(ReadFlags, ExtraColumns), Failure> {
    let mut reading = arguments.reading.clone();
    let mut cluster = None;
    match arguments.cluster.as_slice() {
        [] => {}
        [voter] => reading.set_voter(voter),
        [voter, second] => {
            reading.set_voter(voter);
            cluster = Some(second.clone());
        }
        more => {
            let message = format!("--cluster takes one column or two, and these are {}", more.len());
            return Err(Failure::Usage(message));
        }
    }
    let numbers = arguments.adjust.iter().filter(|what| *what != POSITION).cloned().collect();
    let extra = ExtraColumns {
        by: arguments.by.clone(),
        over: arguments.over.clone(),
        numbers,
        cluster,
        took: arguments.took.clone(),
        ..ExtraColumns::default()
    };
    Ok((reading, extra))
}

/// The items that are left out, and the one that anchors Elo's scale.
fn choose_items(
    arguments: &Rank,
    list: Option<&Items>,
    votes: &ReadVotes,
    options: &mut RankOptions,
) -> Result<(), Failure> {
    let index = list.map_or_else(|| ItemIndex::of_ids(votes.ballots.items()), Items::index);
    let find =
        |flag: &str, name: &str| index.find(name).map_err(|why| Failure::Usage(format!("{flag} {name}: it {why}")));
    for name in &arguments.exclude_item {
        options.exclude.push(find("--exclude-item", name)?);
    }
    if arguments.strength_scale == Some(StrengthScale::Elo) {
        let text = arguments.anchor.as_deref().unwrap_or("1500");
        let (item, points) = match text.rsplit_once('=') {
            Some((item, points)) => (Some(find("--anchor", item)?), points),
            None => (None, text),
        };
        let points = points.parse().ok().filter(|points: &f64| points.is_finite());
        let points =
            points.ok_or_else(|| Failure::Usage(format!("--anchor {text}: expected POINTS or ITEM=POINTS")))?;
        options.scale = Scale::Elo { anchor: item, points };
    }
    Ok(())
}

/// The verdict at any time on the same votes, beside these judges.
fn judged(
    model: &Model,
    list: Option<&Items>,
    votes: &ReadVotes,
    judges: &[(String, Ballots)],
    options: &RankOptions,
    trust: TrustChoice,
) -> Result<Judgement, Failure> {
    let features = match model {
        Model::Features(features) => Ok(features.clone()),
        Model::OneHot => Features::one_hot(votes.ballots.items().len()),
        Model::Counts => {
            let message = "--sequential needs a model to check: leave out --model counts";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    let RankOptions { level, margin, about, .. } = *options;
    let asked = Options::default().with_level(level).with_margin(margin).with_about(about).with_trust(trust.into());
    let made = if judges.is_empty() {
        features.and_then(|features| judge_ballots(&features, &votes.ballots, &asked))
    } else {
        judge_beside(&votes.ballots, judges, (model, list), &asked)
    };
    made.map_err(|error| Failure::from_command(&error))
}

/// The model asked for, or the one that the data suggest.
fn choose_model(arguments: &Rank, list: Option<&Items>, votes: &ReadVotes) -> Result<Model, Failure> {
    if let Some(path) = &arguments.pair_features {
        let index = list.map_or_else(|| ItemIndex::of_ids(votes.ballots.items()), Items::index);
        return pair_features(path, &arguments.reading.table(), &index).map(Model::Features);
    }
    match (arguments.model, list) {
        (Some(ModelChoice::Counts), _) => Ok(Model::Counts),
        (Some(ModelChoice::OneHot), _) | (None, None) => Ok(Model::OneHot),
        (None, Some(list)) => item_model(list),
        (Some(ModelChoice::Features), list) => match list.filter(|list| !list.feature_names.is_empty()) {
            Some(list) => item_model(list),
            None => Err(Failure::Usage("--model features needs --items with columns feat_…".to_owned())),
        },
    }
}
