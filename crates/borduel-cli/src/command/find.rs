//! `borduel find`: asks until one may honestly say "this one will do", or "this one is best".

use super::progress::heed_interrupts;
use crate::find::cheap::{CheapJudge, beside};
use crate::find::contexts::{Material, Texts};
use crate::find::first::First;
use crate::find::log::{Log, differs};
use crate::find::session::Session;
use crate::find::{judge, terminal};
use crate::output::{Format, Shows, show};
use crate::votes::hint::{Hint, TrustChoice, hinted_model, read_hints, told as told_of_hints};
use crate::votes::model::{item_model, items};
use crate::votes::percent::{level, margin_of_verdict};
use crate::votes::prices::prices;
use borduel::About;
use borduel::judging::Prices;
use borduel::policy::find_winner::Config;
use borduel::ranking::{RankOptions, VerdictKind, rank};
use borduel::sequential::{Goal, Until};
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::Table;
use borduel_report::ranking::{Breakdown, Document, Ranked, Source, rejudge};
use borduel_report::sequential::{self, Bought};
use borduel_votes::TableOptions;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Find the best item with the fewest votes
#[derive(Debug, Args)]
pub(crate) struct Find {
    /// The list of items: id, name, feat_…
    #[arg(long, value_name = "FILE")]
    items: PathBuf,
    /// The log: every answer is appended as it comes, and the same command goes on from it; `rank` reads it
    #[arg(long, value_name = "LOG.csv")]
    votes: PathBuf,
    /// What a judge thinks of the items: its votes, or a table of item and score; may be given several times. No hint
    /// counts as a vote; --trust says how far it is believed. With --contexts and --about these, votes of a judge that
    /// answered a pair on all contexts also save votes of people
    #[arg(long, value_name = "FILE")]
    hint: Vec<PathBuf>,
    /// What items are compared on, such as prompts: id, name, text. Each question is asked in one of them, and the
    /// log has a column for it
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// What is shown of an item in a context: item, context, and text, link or image (without a context: in all of
    /// them). A pair is asked only where both have something to show
    #[arg(long, value_name = "FILE", requires = "contexts")]
    contents: Option<PathBuf>,
    /// What the verdict is about [default: such from 8 contexts on, these below]
    #[arg(long, value_enum, requires = "contexts")]
    about: Option<AboutChoice>,
    /// A program that answers: it reads {"q": 17, "left": "a", "right": "b"} (with --contexts also "context",
    /// "context_text", "left_text" and "right_text", as far as they are given) and writes {"q": 17, "answer":
    /// "left"} (or right, tie, both-bad, skip; with "voter": "ann" where it asks several people), a line each, in
    /// any order [default: questions at this terminal]
    #[arg(long, value_name = "CMD")]
    judge: Option<String>,
    /// A cheaper program, which is asked first, about whole pairs: a pair in all contexts, where its answers cost less
    /// than the votes of people that they save. It reads and writes what --judge does. Its answers are kept in
    /// LOG.csv.judge.csv, and count as no votes
    #[arg(long, value_name = "CMD", requires = "contexts")]
    cheap_judge: Option<String>,
    /// What an answer of a person costs, and one of the cheap judge, such as 1,0.01 [default: as in its log]
    #[arg(long, value_name = "PERSON,JUDGE", value_parser = prices, requires = "cheap_judge")]
    prices: Option<Prices>,
    /// Who answers, where an answer does not say so: the one at this terminal, or the judge
    #[arg(long, value_name = "NAME")]
    voter: Option<String>,
    /// Questions open at once, of the judge and of the cheap one [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    open: Option<u64>,
    /// The most answers, those in the log included; exit code 4 if they do not decide it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// The confidence of the verdict, however often one looks, in percent
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = level)]
    level: f64,
    /// Scores closer than this count as equal, in points (percent)
    #[arg(
        long, default_value = "2", value_name = "POINTS", value_parser = margin_of_verdict,
        allow_negative_numbers = true
    )]
    margin: f64,
    /// When to stop
    #[arg(long, value_enum, default_value = "good-enough")]
    until: UntilChoice,
    /// Find the best K items, in any order, instead of the best one
    #[arg(long, value_name = "K")]
    top: Option<usize>,
    /// Whether the model (features, hints, or one strength an item) is believed
    #[arg(long, value_enum, default_value = "checked")]
    trust: TrustChoice,
    /// Where all random numbers come from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How the result is printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// No messages, errors excepted
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AboutChoice {
    /// Who is best on these contexts, each of which counts alike
    These,
    /// Who is best on contexts like these, of which these are a sample
    Such,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UntilChoice {
    /// Nobody is better than the one that is named by more than the margin; others may be just as good
    GoodEnough,
    /// It is better than every other item, or those that may be best are shown to be equal up to the margin
    Clear,
}

/// Runs the command.
pub(crate) fn main(arguments: &Find) -> Result<(), Failure> {
    differs(&arguments.votes, &arguments.items, "items")?;
    let lists = [(&arguments.contexts, "contexts"), (&arguments.contents, "contents")];
    for (path, what) in lists.iter().filter_map(|(path, what)| Some((path.as_ref()?, what))) {
        differs(&arguments.votes, path, what)?;
    }
    for path in &arguments.hint {
        differs(&arguments.votes, path, "hints")?;
    }
    refuse(arguments)?;
    let list = items(&arguments.items, &TableOptions::default(), arguments.quiet)?;
    let hints = read_hints(&arguments.hint, &list, None)?;
    let model = hinted_model(&list, &hints)?;
    let mut config = Config::default();
    config.level = arguments.level / 100.0;
    config.margin = arguments.margin / 100.0;
    config.budget = arguments.budget;
    config.goal = arguments.top.map_or(Goal::Winner, Goal::Top);
    config.until = if arguments.until == UntilChoice::Clear { Until::Clear } else { Until::GoodEnough };
    config.trust = arguments.trust.into();
    config.about = arguments.about.map(|about| match about {
        AboutChoice::These => About::These,
        AboutChoice::Such => About::Such,
    });
    let texts = |path: &PathBuf| Texts::File(path.to_string_lossy().into_owned());
    let contents = arguments.contents.as_ref().map(texts);
    let read = |path: &PathBuf| Material::read(&texts(path), contents.as_ref(), &list.index());
    let material = arguments.contexts.as_ref().map(read).transpose()?;
    let told = |line: &str| {
        if !arguments.quiet {
            write_line(line);
        }
    };
    check_cheap_judge(arguments, material.as_ref())?;
    let (log, said) = Log::open(&arguments.votes, &list, material.as_ref().map(Material::contexts))?;
    said.iter().for_each(|said| told(said));
    if log.len() > 0 {
        told(&format!("{}: goes on from {} answers", arguments.votes.display(), log.len()));
    }
    let material_of_cheap = material.as_ref().filter(|_| arguments.cheap_judge.is_some());
    let open = |material| CheapJudge::open(&arguments.votes, arguments.prices, arguments.seed, &list, material);
    let (cheap, said) = material_of_cheap.map(open).transpose()?.unzip();
    said.flatten().iter().for_each(|said| told(said));
    let judges = (hints.iter().filter_map(|hint| hint.answers.clone()).collect(), cheap);
    let voter = arguments.voter.clone();
    let mut session = Session::new((list, model, material), judges, config, arguments.seed, voter, log)?;
    let stopped = heed_interrupts();
    ask(arguments, &mut session, stopped)?;
    // Nobody looks at it any more: the next signal ends the program, be it in the middle of a pipe that nobody reads.
    stopped.store(true, Ordering::Relaxed);
    let kind = report(arguments, &session, &hints)?;
    if session.decided() {
        if kind == VerdictKind::GoodEnough {
            told(
                "stopped where one is good enough; the same command with --until clear goes on until it is clearly the \
                 best",
            );
        }
        Ok(())
    } else if let Some(budget) = arguments.budget.filter(|_| session.is_over()) {
        Err(Failure::NoWinner(match session.answers() {
            answers if answers > budget => {
                format!("the log has {answers} answers, more than the budget of {budget}, and they did not decide it")
            }
            _ => format!("the budget of {budget} answers did not decide it"),
        }))
    } else {
        Err(Failure::Interrupted("stopped before it was decided; the same command goes on".to_owned()))
    }
}

/// Asks until the session is over or stopped.
fn ask(arguments: &Find, session: &mut Session, stopped: &AtomicBool) -> Result<(), Failure> {
    let most = arguments.open.unwrap_or(16) as usize;
    let mut first = First::new(arguments.cheap_judge.as_deref(), most, arguments.quiet);
    let mut before = |session: &mut Session| first.ask(session, stopped);
    let done = match &arguments.judge {
        Some(command) => judge::run(session, command, most, stopped, &mut before),
        None if session.is_over() => Ok(()),
        None => terminal::run(session, stopped, &mut before),
    };
    first.end(stopped);
    done
}

/// Refuses a cheap judge that could save nothing.
fn check_cheap_judge(arguments: &Find, material: Option<&Material>) -> Result<(), Failure> {
    let Some(material) = material.filter(|_| arguments.cheap_judge.is_some()) else { return Ok(()) };
    let contexts = material.contexts().len();
    let these = match arguments.about {
        None => About::by_number(contexts) == About::These,
        Some(about) => about == AboutChoice::These,
    };
    let refused = |what: &str| Err(Failure::Usage(format!("--cheap-judge saves nothing {what}, or leave it out")));
    if !these {
        return refused("about contexts like these, of which these are a sample: take --about these");
    }
    if contexts < 2 {
        return refused("with a single context: name more of them");
    }
    Ok(())
}

/// Refuses what goes with nothing else that is given, and what no verdict can use that believes nothing.
fn refuse(arguments: &Find) -> Result<(), Failure> {
    if arguments.open.is_some() && arguments.judge.is_none() && arguments.cheap_judge.is_none() {
        let message = "--open is for programs: give one with --judge or --cheap-judge, or leave it out";
        return Err(Failure::Usage(message.to_owned()));
    }
    let own = beside(&arguments.votes);
    let inputs = [Some(&arguments.items), arguments.contexts.as_ref(), arguments.contents.as_ref()];
    for path in inputs.into_iter().flatten().chain(&arguments.hint).filter(|_| arguments.cheap_judge.is_some()) {
        let message = format!("{}: is where the answers of --cheap-judge go; leave it out elsewhere", own.display());
        differs(&own, path, "").map_err(|_| Failure::Usage(message))?;
    }
    let (hint, contexts) = (!arguments.hint.is_empty(), arguments.contexts.is_some());
    for (flag, given) in [("--hint", hint), ("--contexts", contexts)] {
        if given && arguments.trust == TrustChoice::Nothing {
            return Err(Failure::Usage(format!(
                "--trust nothing takes every pair by itself: leave out {flag}, or take --trust checked"
            )));
        }
    }
    Ok(())
}

/// Prints the verdict and the scores, and gives its kind.
fn report(arguments: &Find, session: &Session, hints: &[Hint]) -> Result<VerdictKind, Failure> {
    let judgement = session.judgement();
    // The verdict is the judgement's; where it was found is no part of the table beside it.
    let ballots = session.ballots()?.without_contexts();
    let options = RankOptions::default()
        .with_level(arguments.level / 100.0)
        .with_margin(arguments.margin / 100.0)
        .with_seed(arguments.seed);
    let (said, alone) = (session.sentence(&judgement), session.sentence_alone(&judgement));
    // Hints are no part of the table either.
    let model = item_model(&session.items)?;
    let verdict = json!({
        "kind": judgement.kind,
        "text": said,
        "forecast": judgement.forecast,
        "voters": session.voters(),
        "winners": judgement.winners.iter().map(|&item| session.items.ids[item].as_str()).collect::<Vec<_>>(),
    });
    let control = judgement
        .control
        .map(|control| json!({ "correlation": control.correlation, "pairs": control.pairs, "saved": control.saved }));
    // Before the first vote there is nothing to rank.
    let ranking = (ballots.used() > 0.0).then(|| rank(&ballots, &model, &options)).transpose();
    let mut ranking = ranking.map_err(|error| Failure::from_command(&error))?;
    let ranked = ranking.as_mut().map(|ranking| {
        rejudge(ranking, &judgement);
        Breakdown::alone(Ranked {
            ranking,
            ballots: &ballots,
            options: &options,
            names: &session.items.names,
            source: Source { rows: session.answers(), ..Source::default() },
            strength: false,
            verdict: Some(&alone),
        })
    });
    let guided = told_of_hints(hints, judgement.options.trust, ["guided whom to ask"; 2]);
    let saved = judgement.control.map(|control| sequential::saved(&control));
    let bought = session.cheap().map(|cheap| cheap.bought(session.answers(), judgement.control));
    let saved = saved.into_iter().chain(bought.iter().map(Bought::sentence));
    let whose = session.whose(&judgement).into_iter().chain(guided).chain(saved);
    let whose = Some(whose.collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty());
    let found = Found { said, whose, verdict, hints, control, bought, votes: session.answers(), ranked };
    show(&found, arguments.format, arguments.quiet)?;
    Ok(judgement.kind)
}

/// What was found: the verdict, and the scores as soon as there are votes.
struct Found<'a> {
    said: String,
    /// Whose verdict it is, and what guided it: the line after it.
    whose: Option<String>,
    verdict: Value,
    hints: &'a [Hint],
    /// What judges' answers to the same questions did.
    control: Option<Value>,
    /// What the cheap judge cost and saved.
    bought: Option<Bought>,
    votes: u64,
    ranked: Option<Breakdown<'a>>,
}

impl Found<'_> {
    /// The ranking in words, whose first line is the verdict.
    fn with_whose(&self, ranked: Option<String>, line_end: &str) -> String {
        let Some(ranked) = ranked else { return format!("{}\n", self.said) };
        let whose = self.whose.as_ref().map_or_else(String::new, |whose| format!("{line_end}{whose}"));
        ranked.replacen('\n', &format!("{whose}\n"), 1)
    }
}

impl Shows for Found<'_> {
    fn text(&self) -> String {
        self.with_whose(self.ranked.as_ref().map(Breakdown::text), "\n")
    }

    fn markdown(&self) -> String {
        self.with_whose(self.ranked.as_ref().map(Breakdown::markdown), "\n\n")
    }

    fn csv(&self) -> Table {
        self.ranked.as_ref().map_or_else(|| Table::new("", &["item"]), Breakdown::csv_table)
    }

    fn json(&self) -> Result<String, Failure> {
        let items = self.ranked.as_ref().map_or_else(Vec::new, |ranked| Document::of(&ranked.main).items);
        let mut found = json!({"version": 1, "verdict": self.verdict, "votes": self.votes, "items": items});
        if !self.hints.is_empty() {
            found["hints"] = json!(self.hints);
        }
        if let Some(control) = &self.control {
            found["control"] = control.clone();
        }
        if let Some(paid) = &self.bought {
            found["judge"] = json!(paid);
        }
        Ok(format!("{found:#}\n"))
    }
}
