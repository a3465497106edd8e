//! Voters and tokens of a study.

use super::{desk_of, send};
use borduel_lab::failure::Failure;
use borduel_study::command::Join;
use borduel_study::event::{By, Inclusion, Kind, Standing};
use borduel_study::export::time;
use borduel_study::hex::text;
use borduel_study::token::{self, Scope};
use borduel_study::{Command, Desk, Reply, Studies, desk};
use clap::Args;
use std::path::{Path, PathBuf};

/// The scopes of tokens in the database.
pub(super) const ORGANISER: &str = "organiser";
const ADMIN: &str = "admin";

/// Make tokens of voters, or personal links
#[derive(Debug, Args)]
pub(super) struct Invite {
    /// The study's name
    slug: String,
    /// How many
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// One person for each line of this file, by name; - for standard input. The name is printed after the link
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "judge", "hint"])]
    names: Option<PathBuf>,
    /// For programs, not for people
    #[arg(long)]
    judge: bool,
    /// For programs whose answers are hints: never counted as votes
    #[arg(long, conflicts_with = "judge")]
    hint: bool,
    /// An item that they must not be asked about; may be given several times
    #[arg(long, value_name = "ID")]
    owns: Vec<String>,
    /// What links begin with: prints personal links instead of bare tokens
    #[arg(long, env = "BORDUEL_PUBLIC_URL", value_name = "URL", value_parser = crate::command::serve::public_url)]
    public_url: Option<String>,
    /// After how many days the tokens end [default: never]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    expires: Option<u32>,
}

/// Make, list or revoke tokens
#[derive(Debug, Args)]
pub(super) struct Token {
    /// The study's name; without it, tokens of the server's administrators
    slug: Option<String>,
    /// Who has it
    #[arg(long, default_value = "made on the command line")]
    label: String,
    /// After how many days it ends [default: never]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3_650))]
    expires: Option<u32>,
    /// List them, by the beginning of their hash
    #[arg(long, conflicts_with_all = ["revoke", "expires"])]
    list: bool,
    /// Revoke the one whose hash begins like this
    #[arg(long, value_name = "HASH", conflicts_with = "expires")]
    revoke: Option<String>,
}

const DAY: i64 = 86_400_000;

pub(super) async fn invite(studies: &Studies, invite: &Invite) -> Result<String, Failure> {
    let desk = desk_of(studies, &invite.slug).await?;
    let (kind, scope) = match (invite.judge, invite.hint) {
        (true, _) => (Kind::Judge, Scope::Judge),
        (_, true) => (Kind::Hint, Scope::Judge),
        _ => (Kind::Invited, Scope::Voter),
    };
    let expires = invite.expires.map(|days| desk::now() + i64::from(days) * DAY);
    let people = match &invite.names {
        Some(path) => names(path)?.into_iter().map(Some).collect(),
        None => vec![None; invite.count as usize],
    };
    let mut text = String::new();
    for name in people {
        let (token, hash) = token::new(scope)?;
        let called = name.as_ref().map_or_else(String::new, |name| format!("\t{name}"));
        let join = Join { owns: invite.owns.clone(), name, expires, ..Join::new(kind, hash) };
        if let Reply::Joined { voter } = send(&desk, Command::Join(join)).await? {
            // A program has no use for a page.
            let link = invite.public_url.as_ref().filter(|_| scope == Scope::Voter);
            text += &match link {
                Some(url) => {
                    format!("{voter}\t{}/s/{}#token={token}{called}\n", url.trim_end_matches('/'), invite.slug)
                }
                None => format!("{voter}\t{token}{called}\n"),
            };
        }
    }
    Ok(text)
}

/// The names in a file, one a line.
fn names(path: &Path) -> Result<Vec<String>, Failure> {
    let (text, file) = if path == Path::new("-") {
        (std::io::read_to_string(std::io::stdin()), "standard input".to_owned())
    } else {
        (std::fs::read_to_string(path), path.display().to_string())
    };
    let text = text.map_err(|error| Failure::reading(Path::new(&file), &error))?;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).filter(|(_, name)| !name.is_empty());
    let names = lines.map(|(at, name)| {
        if name.chars().count() > 100 || name.contains('\t') {
            return Err(Failure::Data(format!("{file}, line {at}: write one name of at most 100 characters, no tab")));
        }
        Ok(name.to_owned())
    });
    let names = names.collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Err(Failure::Data(format!("{file} has no names: write one a line")));
    }
    Ok(names)
}

pub(super) async fn erase(desk: &Desk, voter: u32, keep: bool) -> Result<String, Failure> {
    let votes = if keep { Inclusion::Keep } else { Inclusion::Aside };
    send(desk, Command::Voter { voter, standing: Standing::Withdrawn, votes, by: By::Organiser }).await?;
    Ok(format!("voter {voter} is erased, its votes {}\n", if keep { "still count" } else { "count no longer" }))
}

pub(super) async fn token(studies: &Studies, arguments: &Token) -> Result<String, Failure> {
    let study = match &arguments.slug {
        Some(slug) => studies.id(slug).await?,
        None => 0,
    };
    let (ledger, now) = (studies.ledger(), desk::now());
    if arguments.list {
        let tokens = ledger.tokens(study).await?;
        let state = |token: &borduel_study::ledger::Token| match (token.revoked, token.expires) {
            (0, 0) => "in use".to_owned(),
            (0, expires) => format!("until {}", time(expires)),
            (revoked, _) => format!("revoked {}", time(revoked)),
        };
        let line = |token: &borduel_study::ledger::Token| {
            format!(
                "{}\t{}\t{}\t{}\t{}\n",
                &text(&token.hash)[..12],
                token.scope,
                time(token.created),
                state(token),
                token.label
            )
        };
        return Ok(tokens.iter().map(line).collect());
    }
    if let Some(beginning) = &arguments.revoke {
        let tokens = ledger.tokens(study).await?;
        let found: Vec<_> = tokens.iter().filter(|token| text(&token.hash).starts_with(beginning.as_str())).collect();
        let [one] = found[..] else {
            let what = format!("{} tokens begin with {beginning:?}: --list shows them", found.len());
            return Err(Failure::Usage(what));
        };
        ledger.revoke(&one.hash, study, now).await?;
        return Ok(format!("token {} is revoked\n", &text(&one.hash)[..12]));
    }
    let (scope, name) = if study == 0 { (Scope::Admin, ADMIN) } else { (Scope::Organiser, ORGANISER) };
    let (token, hash) = token::new(scope)?;
    let expires = arguments.expires.map(|days| now + i64::from(days) * DAY);
    ledger.add_token(&hash, name, study, &arguments.label, (now, expires)).await?;
    Ok(format!("{token}\n"))
}
