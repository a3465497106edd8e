//! `borduel find`: asks until one may honestly say "this one will do", or "this one is best".

use super::progress::heed_interrupts;
use crate::find::contexts::{Material, Texts};
use crate::find::log::{Log, differs};
use crate::find::session::Session;
use crate::find::{judge, terminal};
use crate::output::{Format, Shows, show};
use crate::votes::hint::{Hint, TrustChoice, hinted_model, read_hints, same_questions, told as told_of_hints};
use crate::votes::model::{item_model, items};
use crate::votes::percent::{level, margin_of_verdict};
use borduel::About;
use borduel::policy::find_winner::Config;
use borduel::ranking::{RankOptions, VerdictKind, rank};
use borduel::sequential::{Goal, Until};
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::ranking::{Breakdown, Document, Ranked, Source, rejudge};
use borduel_report::{Table, sequential};
use borduel_votes::TableOptions;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

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
    /// Who answers, where an answer does not say so: the one at this terminal, or the judge
    #[arg(long, value_name = "NAME")]
    voter: Option<String>,
    /// Questions open at once
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=10_000), requires = "judge")]
    open: u64,
    /// The most answers, those in the log included; exit code 4 if they do not decide it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// The confidence of the verdict, however often one looks, in percent
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = level)]
    level: f64,
    /// Scores closer than this count as equal, in points (percent)
    #[arg(long, default_value = "2", value_name = "POINTS", value_parser = margin_of_verdict, allow_negative_numbers = true)]
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
    refuse_by_pair(arguments)?;
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
    let judge = material.as_ref().and_then(|material| same_questions(&hints, &list, material.contexts()));
    let (log, said) = Log::open(&arguments.votes, &list, material.as_ref().map(Material::contexts))?;
    let told = |line: &str| {
        if !arguments.quiet {
            write_line(line);
        }
    };
    if let Some(said) = said {
        told(&said);
    }
    if log.len() > 0 {
        told(&format!("{}: goes on from {} answers", arguments.votes.display(), log.len()));
    }
    let voter = arguments.voter.clone();
    let mut session = Session::new((list, model, material), judge, config, arguments.seed, voter, log)?;
    let stopped = heed_interrupts();
    match &arguments.judge {
        Some(command) => judge::run(&mut session, command, arguments.open as usize, stopped)?,
        None if session.is_over() => {}
        None => terminal::run(&mut session, stopped)?,
    }
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

/// Refuses what no verdict can use that believes nothing.
fn refuse_by_pair(arguments: &Find) -> Result<(), Failure> {
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
    let whose = session.whose(&judgement).into_iter().chain(guided).chain(saved);
    let whose = Some(whose.collect::<Vec<_>>().join(" ")).filter(|line| !line.is_empty());
    let found = Found { said, whose, verdict, hints, control, votes: session.answers(), ranked };
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
        Ok(format!("{found:#}\n"))
    }
}
