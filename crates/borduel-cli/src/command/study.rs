//! `borduel study …`: studies from the command line, on the database itself, beside a running server or without one.

mod files;
mod people;

use super::serve::DATABASE;
use borduel_lab::failure::Failure;
use borduel_study::command::Item;
use borduel_study::event::Status;
use borduel_study::export::time;
use borduel_study::ledger::NewStudy;
use borduel_study::settings::Criterion;
use borduel_study::state::Judged;
use borduel_study::token::{self, Scope};
use borduel_study::verify::verify;
use borduel_study::{Command, Desk, Error, Ledger, Settings, Studies, desk};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Work on live studies
#[derive(Debug, Args)]
pub(super) struct Study {
    /// Where studies are kept: sqlite:FILE or postgres://…
    #[arg(
        long, global = true, env = "BORDUEL_DATABASE", default_value = DATABASE, hide_env_values = true,
        value_name = "ADDRESS"
    )]
    database: String,
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a study; its organiser's token is printed once
    Create {
        /// Its name in addresses: a-z 0-9 -
        slug: String,
        /// Its name for people [default: the name in addresses]
        #[arg(long)]
        title: Option<String>,
        /// Its items: a file with id, name, feat_…
        #[arg(long, value_name = "FILE")]
        items: Option<PathBuf>,
        /// A setting, such as questions_per_voter=30 or stop=good-enough; may be given several times
        #[arg(long = "set", value_name = "KEY=VALUE")]
        settings: Vec<String>,
        /// Where all random numbers come from [default: drawn]
        #[arg(long)]
        seed: Option<u64>,
    },
    /// List all studies
    List,
    /// Show a study: status, settings, votes, verdict
    Show {
        /// Its name
        slug: String,
    },
    /// Open a study for votes
    Open {
        /// Its name
        slug: String,
    },
    /// Stop asking; questions already asked may be answered
    Pause {
        /// Its name
        slug: String,
    },
    /// Stop asking and answering
    Close {
        /// Its name
        slug: String,
    },
    /// List, add, change, enable or disable items
    Items {
        /// The study's name
        slug: String,
        /// Add or change the items of this file: id, name, feat_…
        #[arg(long, value_name = "FILE")]
        add: Option<PathBuf>,
        /// Votes on what an item was before stay votes on it
        #[arg(long, requires = "add")]
        correction: bool,
        /// Ask about this item again
        #[arg(long, value_name = "ID")]
        enable: Vec<String>,
        /// Ask no longer about this item, and leave it out of the ranking
        #[arg(long, value_name = "ID")]
        disable: Vec<String>,
    },
    /// Make voters' or judges' tokens, printed once
    Invite(people::Invite),
    /// Write votes.csv, votes.jsonl, hints.csv, voters.csv, people.csv, items.csv, contexts.csv, contents.csv or
    /// log.jsonl
    Export {
        /// The study's name
        slug: String,
        /// Which file
        #[arg(value_parser = clap::builder::PossibleValuesParser::new(borduel_study::export::FILES))]
        file: String,
        /// Where to [default: standard output]
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Of several questions about each pair, the votes on this one only
        #[arg(long, value_name = "KEY")]
        criterion: Option<String>,
    },
    /// Take in a file of votes, of any kind that rank reads; the same file again changes nothing
    Import {
        /// The study's name
        slug: String,
        /// The file
        file: PathBuf,
        /// They are a judge's: hints that guide what people are asked, and are never counted as votes
        #[arg(long)]
        hint: bool,
        /// Of several questions about each pair, the one that the file answers, or its rows with this in a column
        /// criterion
        #[arg(long, value_name = "KEY")]
        criterion: Option<String>,
    },
    /// Replay the log from its first event and compare
    Verify {
        /// The study's name
        slug: String,
    },
    /// Erase a voter: token, name, comments and votes go
    Erase {
        /// The study's name
        slug: String,
        /// The voter's number: the column `voter` of `study export STUDY voters.csv`
        voter: u32,
        /// Its votes still count: the number alone says nothing about a person
        #[arg(long)]
        keep_votes: bool,
    },
    /// Copy the database into a new file while it is in use
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Make, list or revoke tokens of organisers and administrators
    Token(people::Token),
}

/// Runs the command.
pub(super) fn main(arguments: &Study) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Failure::Internal(error.to_string()))?;
    let text = runtime.block_on(async {
        let database = &arguments.database;
        let makes_one = matches!(arguments.what, What::Create { .. } | What::Token(_));
        let ledger = if makes_one { Ledger::open(database).await? } else { Ledger::open_existing(database).await? };
        let studies = Studies::new(ledger);
        let done = perform(arguments, &studies).await;
        studies.close(Duration::from_secs(10)).await;
        done
    })?;
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::output(&error))
}

/// The desk of a study.
async fn desk_of(studies: &Studies, slug: &str) -> Result<Desk, Failure> {
    Ok(studies.desk(studies.id(slug).await?))
}

async fn send(desk: &Desk, command: Command) -> Result<borduel_study::Reply, Failure> {
    desk.send(command).await.map_err(|refusal| Failure::from(Error::from(refusal)))
}

/// Does it, and returns what is to be printed.
async fn perform(arguments: &Study, studies: &Studies) -> Result<String, Failure> {
    match &arguments.what {
        What::Create { slug, title, items, settings, seed } => {
            let items = items.as_ref().map(|path| files::items(path, false)).transpose()?.unwrap_or_default();
            let made = create(studies, slug, title.as_deref(), items, (settings, *seed)).await?;
            // What is pasted works on the same database; an address with a password is not repeated.
            let database = &arguments.database;
            let again = if database == DATABASE || !database.starts_with("sqlite:") {
                String::new()
            } else {
                format!(" --database {database}")
            };
            Ok(format!("{made}`borduel study open {slug}{again}` opens it\n"))
        }
        What::List => list(studies).await,
        What::Show { slug } => show(studies, slug).await,
        What::Open { slug } => status(studies, slug, Status::Open).await,
        What::Pause { slug } => status(studies, slug, Status::Paused).await,
        What::Close { slug } => status(studies, slug, Status::Closed).await,
        What::Items { slug, add, correction, enable, disable } => {
            let desk = desk_of(studies, slug).await?;
            if let Some(path) = add {
                send(&desk, Command::Items(files::items(path, *correction)?)).await?;
            }
            for (keys, on) in [(enable, true), (disable, false)] {
                for key in keys {
                    send(&desk, Command::Enable { key: key.clone(), on }).await?;
                }
            }
            files::export(studies, &desk, ("items.csv", None)).await
        }
        What::Invite(invite) => people::invite(studies, invite).await,
        What::Export { slug, file, out, criterion } => {
            let desk = desk_of(studies, slug).await?;
            let file = (file.as_str(), criterion.as_deref());
            match out {
                Some(path) => files::export_to(studies, &desk, file, path).await,
                None => files::export(studies, &desk, file).await,
            }
        }
        What::Import { slug, file, hint, criterion } => {
            files::import(&desk_of(studies, slug).await?, file, *hint, criterion.as_deref()).await
        }
        What::Verify { slug } => {
            let study = studies.id(slug).await?;
            let found = verify(studies.ledger(), study).await?;
            let snapshot = if found.snapshot { "its snapshot agrees" } else { "it has no snapshot" };
            Ok(format!(
                "{slug} is whole: {} events in {} commits, {} answers, {} votes count, {snapshot}\n{}\n",
                found.events, found.entries, found.answers, found.votes, found.hash
            ))
        }
        What::Erase { slug, voter, keep_votes } => {
            people::erase(&desk_of(studies, slug).await?, *voter, *keep_votes).await
        }
        What::Backup { file } => {
            studies.ledger().backup(&file.to_string_lossy()).await?;
            Ok(format!("the database is copied into {}\n", file.display()))
        }
        What::Token(token) => people::token(studies, token).await,
    }
}

/// What is wrong with a setting, in the words of the command line.
fn refused(setting: &str, why: &str) -> Failure {
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    Failure::Usage(match quoted(why).split_first() {
        // The field, and then all that there are.
        Some((field, known)) if why.contains("unknown field") => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("--set {setting}: {}", borduel::Error::unknown("setting", field, &known))
        }
        // The word, and then all that may stand there.
        Some((word, known)) if why.contains("unknown variant") && !known.is_empty() => {
            let key = setting.split('=').next().unwrap_or_default();
            format!("--set {setting}: {key} may be {}, and not {word}", known.join(", "))
        }
        _ => {
            let why = why.trim_start_matches("settings: ").replace("expected a boolean", "it must be true or false");
            format!("--set {setting}: {why}")
        }
    })
}

async fn create(
    studies: &Studies,
    slug: &str,
    title: Option<&str>,
    items: Vec<Item>,
    (settings, seed): (&[String], Option<u64>),
) -> Result<String, Failure> {
    let mut fields = serde_json::Map::new();
    for setting in settings {
        let (key, value) = setting
            .split_once('=')
            .ok_or_else(|| Failure::Usage(format!("--set {setting}: it must be KEY=VALUE, such as ahead=2")))?;
        // What is not JSON is a word.
        let value: serde_json::Value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        let alone = serde_json::Map::from_iter([(key.to_owned(), value.clone())]);
        Settings::default().changed(alone).map_err(|why| refused(setting, &why))?;
        fields.insert(key.to_owned(), value);
    }
    let settings = Settings::default().changed(fields).map_err(Failure::Usage)?;
    let seed = seed.map_or_else(token::random_u64, Ok)?;
    let (organiser, hash) = token::new(Scope::Organiser)?;
    let (title, count) = (title.unwrap_or(slug).to_owned(), items.len());
    let organiser_row = Some((hash, people::ORGANISER));
    let new = NewStudy { slug: slug.to_owned(), title, settings, seed, items, organiser: organiser_row };
    studies.ledger().create(&new, desk::now()).await?;
    Ok(format!("{slug} has {count} items\norganiser's token, shown this once: {organiser}\n"))
}

async fn list(studies: &Studies) -> Result<String, Failure> {
    let (mut text, mut after) = (String::new(), String::new());
    loop {
        let page = studies.ledger().studies(&after, 1000).await?;
        for study in &page {
            text += &format!("{}\t{}\t{} events\t{}\n", study.slug, time(study.created), study.head, study.title);
        }
        match page.last() {
            Some(last) => after.clone_from(&last.slug),
            None => return Ok(text),
        }
    }
}

async fn show(studies: &Studies, slug: &str) -> Result<String, Failure> {
    let study = studies.find(slug).await?;
    let state = studies.desk(study.id).copy().await?;
    let told = |judged: &Judged| {
        let key = |item: &u16| state.items[usize::from(*item)].key.clone();
        let winners: Vec<String> = judged.winners.iter().map(key).collect();
        serde_json::json!({"kind": judged.kind, "winners": winners, "look": judged.look, "votes": judged.votes})
    };
    let verdict = state.judged.as_ref().map(told);
    let by = |(place, criterion): (usize, &Criterion)| (criterion.key.clone(), state.judged_by(place).map(told));
    let verdicts: BTreeMap<String, _> = state.settings.criteria.iter().enumerate().map(by).collect();
    let hash = borduel_study::hex::text(&state.log_hash);
    let mut shown = serde_json::json!({
        "slug": study.slug, "title": study.title, "created_at": time(study.created), "status": state.status,
        "items": state.enabled().count(), "voters": state.electorate(), "votes": state.votes,
        "open_questions": state.open.len(), "verdict": verdict, "settings": state.settings,
        "head": state.head, "hash": hash,
    });
    if !verdicts.is_empty() {
        shown["verdict"] = serde_json::json!(verdicts);
    }
    if state.hints() > 0 {
        shown["hints"] = state.hints().into();
    }
    Ok(serde_json::to_string_pretty(&shown).map_err(|error| Failure::Internal(error.to_string()))? + "\n")
}

async fn status(studies: &Studies, slug: &str, status: Status) -> Result<String, Failure> {
    let desk = desk_of(studies, slug).await?;
    send(&desk, Command::Status(status)).await?;
    let word = match status {
        Status::Open => "open",
        Status::Paused => "paused",
        _ => "closed",
    };
    Ok(format!("{slug} is {word}\n"))
}
