//! Links to share: for everybody, for one person each, for whoever may only look, for another site.

use super::super::form::Form;
use super::super::layout::Shown;
use super::super::qr::qr;
use super::super::visit::SHARED;
use super::{Room, enter};
use crate::app::App;
use crate::auth::{ORGANISER, VIEWER};
use crate::links;
use crate::problem::Problem;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_report::plain;
use borduel_study::command::Join;
use borduel_study::event::{Kind, Status};
use borduel_study::export::safe_cell;
use borduel_study::settings::{Results, Voting};
use borduel_study::token::{self, Scope};
use borduel_study::{Command, desk};
use futures_util::future::try_join_all;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

/// The most personal links at a time.
const MOST: u32 = 200;

/// A link that can be copied.
fn copied(link: &str, what: &str) -> Markup {
    html! {
        div.copy {
            input type="text" readonly value=(link) aria-label=(what);
            button type="button" data-copy=(link) hidden { "Copy" }
        }
    }
}

/// Shows the tab of links.
pub(super) async fn show(State(app): State<App>, room: Room) -> Shown {
    Ok(room.page("/share", &[], &section(&app.public_url, &room, None)))
}

/// What the link does for whoever opens it now.
fn opened(room: &Room) -> &'static str {
    match (room.status, room.settings.voting) {
        (Status::Draft, _) => "The study is not open yet: whoever opens this link finds nothing. Open it first.",
        (Status::Paused, _) => "Voting is paused: whoever opens this link is asked to come back later.",
        (Status::Closed | Status::Archived, _) => "Voting has ended: whoever opens this link is told so.",
        (Status::Open, Voting::Invited) => "People need a personal link, below.",
        (Status::Open, _) if !room.settings.id_parameter.is_empty() => {
            "Give this address to the crowd platform, which puts in who comes."
        }
        (Status::Open, Voting::Named) => "Whoever opens this link and gives a name can vote.",
        (Status::Open, Voting::Link) => "Whoever opens this link can vote.",
    }
}

/// Whether links lead nowhere but to this computer.
fn is_local(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([':', '/']);
    let is = |name: &str| host.strip_prefix(name).is_some_and(ends);
    host.starts_with("127.") || ["localhost", "[::1]", "[::]", "0.0.0.0"].into_iter().any(is)
}

/// Says that links lead to this computer only.
fn local() -> Markup {
    html! {
        p.wrong {
            "This link works on this computer only. For others start the server with "
            code { "--listen 0.0.0.0:8080 --public-url http://ADDRESS:8080" }
            ", where ADDRESS is what they reach it by."
        }
    }
}

/// A name as a cell of a table that no spreadsheet takes for a formula.
fn cell(name: &str) -> String {
    let name = safe_cell(name);
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name }
}

/// How the link is shared; names that were typed, and what is wrong with them.
pub(super) fn section(url: &str, room: &Room, typed: Option<(&str, &str)>) -> Markup {
    let (slug, settings) = (room.slug(), &room.settings);
    let parameters = std::iter::once(&settings.id_parameter).chain(&settings.keep_parameters);
    let said = parameters.filter(|name| !name.is_empty()).map(|name| format!("{name}={{{{%{name}%}}}}"));
    let said = said.collect::<Vec<_>>().join("&");
    let id = if said.is_empty() { said } else { format!("?{said}") };
    let vote = format!("{url}{}{id}", links::vote(slug));
    let embed = if id.is_empty() { "?embed" } else { "&embed" };
    let frame = format!("<iframe src=\"{vote}{embed}\" title=\"Vote\" width=\"100%\" height=\"720\"></iframe>");
    html! {
        section #share {
            h2 { "Share" }
            div.two.share {
                div.stack {
                    p #opened data-fresh { (opened(room)) }
                    (copied(&vote, "Link for voters"))
                    @if is_local(url) { (local()) }
                    p {
                        a.button href=(format!("{}/preview", links::vote(slug))) { "Try it as a voter" }
                        " "
                        span.soft.small { "a preview: nothing is stored" }
                    }
                    @if settings.results == Results::Public {
                        p { "Results are public:" }
                        (copied(&format!("{url}{}", links::results(slug)), "Link to the results"))
                    }
                    @if settings.embed {
                        p { "In another page:" }
                        (copied(&frame, "Line of HTML for another page"))
                    }
                    @if settings.voting != Voting::Invited && settings.id_parameter.is_empty() {
                        details {
                            summary { "For a device that many share" }
                            p.small {
                                "Such as a tablet at a stand: whoever has finished makes room for the next voter, and \
                                 so does whoever walks away."
                            }
                            (copied(&format!("{vote}?{SHARED}"), "Link for a device that many share"))
                        }
                    }
                    @if room.status != Status::Archived {
                        form.row method="post" action=(format!("{}/link", links::admin(slug))) {
                            label {
                                "Personal links"
                                input.short type="number" name="count" min="1" max=(MOST) value="10";
                            }
                            button type="submit" name="kind" value="invited" { "Create links" }
                            span.soft.small { "one for each person, who votes once wherever it is opened" }
                        }
                        details open[typed.is_some()] {
                            summary { "Personal links for people by name" }
                            form.stack method="post" action=(format!("{}/link", links::admin(slug))) {
                                label {
                                    "Names"
                                    span.soft.small {
                                        " one per line; you see them beside the votes, and each person is told so"
                                    }
                                    textarea name="names" rows="4" required { (typed.map_or("", |typed| typed.0)) }
                                }
                                @if let Some((_, wrong)) = typed { p.wrong role="alert" { (plain(wrong)) } }
                                div.row {
                                    button type="submit" name="kind" value="invited" { "Create links with names" }
                                }
                            }
                        }
                    }
                    form.row method="post" action=(format!("{}/link", links::admin(slug))) {
                        button type="submit" name="kind" value="viewer" { "Create a read-only link to the results" }
                        button type="submit" name="kind" value="organiser" { "Create a private link to this page" }
                    }
                }
                (qr(&vote))
            }
        }
    }
}

/// The links that are asked for.
#[derive(Deserialize)]
pub(super) struct Linking {
    kind: String,
    count: Option<u32>,
    #[serde(default)]
    names: String,
}

/// Whom personal links are for: people by name, or so many.
fn invited(linking: &Linking) -> Result<Vec<Option<String>>, Problem> {
    let names: Vec<&str> = linking.names.lines().map(str::trim).filter(|name| !name.is_empty()).collect();
    if let Some(long) = names.iter().find(|name| name.chars().count() > 100) {
        return Err(Problem::invalid(format!("the name {long:?} has more than 100 characters")));
    }
    let count = if names.is_empty() { linking.count.unwrap_or(1) as usize } else { names.len() };
    if !(1..=MOST as usize).contains(&count) {
        return Err(Problem::invalid(format!("{count} links at once: 1 to {MOST} are made")));
    }
    Ok((0..count).map(|at| names.get(at).map(|&name| name.to_owned())).collect())
}

/// Makes links and shows them once: only hashes of their tokens are kept.
pub(super) async fn link(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    Form(linking): Form<Linking>,
) -> Shown {
    app.page_organiser(&slug, &headers).await?;
    let room = match enter(&app, &slug, &headers, None).await? {
        Ok(room) => room,
        Err(locked) => return Ok(locked),
    };
    let (desk, url) = (&room.desk, &app.public_url);
    let single = async |scope, label, path: String| -> Result<Vec<String>, Problem> {
        let (token, hash) = token::new(scope)?;
        let kind = if scope == Scope::Viewer { VIEWER } else { ORGANISER };
        app.studies.ledger().add_token(&hash, kind, desk.study(), label, (desk::now(), None)).await?;
        Ok(vec![format!("{url}{path}#token={token}")])
    };
    // With names the links are a table.
    let mut named = false;
    let (head, text, made) = match linking.kind.as_str() {
        "viewer" => {
            let made = single(Scope::Viewer, "read-only link", links::results(&slug)).await?;
            ("Read-only link", "Whoever has it sees the results and can change nothing.", made)
        }
        "organiser" => {
            let made = single(Scope::Organiser, "private link", links::admin(&slug)).await?;
            ("Private link", "Whoever has it can do everything with this study. Keep it like a password.", made)
        }
        "invited" => {
            // All at once: they share a commit.
            let one = async |name: Option<String>| -> Result<String, Problem> {
                let (token, hash) = token::new(Scope::Voter)?;
                let row = name.as_ref().map_or_else(String::new, |name| format!("{},", cell(name)));
                let join = Join { name, ..Join::new(Kind::Invited, hash) };
                desk.send(Command::Join(join)).await?;
                Ok(format!("{row}{url}{}#token={token}", links::vote(&slug)))
            };
            let people = match invited(&linking) {
                Err(problem) if !linking.names.is_empty() => {
                    let body = section(url, &room, Some((&linking.names, &problem.detail)));
                    return Ok(room.page_as(StatusCode::UNPROCESSABLE_ENTITY, "/share", &[], &body));
                }
                people => people?,
            };
            named = people.iter().any(Option::is_some);
            let mut made = try_join_all(people.into_iter().map(one)).await?;
            if named {
                made.insert(0, "name,link".to_owned());
            }
            ("Personal links", "One for each person: it is one voter, wherever it is opened.", made)
        }
        other => return Err(Problem::invalid(format!("there is no kind of link {other:?}")).into()),
    };
    let kind = if named { "csv" } else { "plain" };
    let text_of = made.join("\n");
    let file = format!("data:text/{kind};charset=utf-8,{}", utf8_percent_encode(&text_of, NON_ALPHANUMERIC));
    let file_name = if named { "links.csv" } else { "links.txt" };
    Ok(room.page(
        "/share",
        &[],
        &html! {
            section {
                h2 { (head) }
                p.lead { (text) " Shown this once: copy it now." }
                @if let [one] = made.as_slice() { (copied(one, head)) }
                @else {
                    textarea.links readonly rows=(made.len().min(20)) aria-label=(head) { (text_of) }
                    p { a.button href=(file) download=(file_name) { "Save as a file" } }
                }
                @if is_local(url) { (local()) }
                p { a.button href=(format!("{}/share", links::admin(&slug))) { "Back" } }
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_nowhere_else_are_known() {
        for local in
            ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80", "http://[::]:80", "http://0.0.0.0:1"]
        {
            assert!(is_local(local), "{local}");
        }
        for public in [
            "https://votes.example.org",
            "http://10.0.0.7:8080",
            "https://localhost.example.org",
            "http://localhostel.example",
            "http://[2001:db8::1]",
        ] {
            assert!(!is_local(public), "{public}");
        }
    }

    #[test]
    fn links_are_for_people_by_name_or_so_many() {
        let of = |count, names: &str| invited(&Linking { kind: String::new(), count, names: names.to_owned() });
        assert_eq!(of(Some(3), " \n").unwrap(), [None, None, None]);
        let people = of(Some(3), " Ada \r\n\nBob").unwrap();
        assert_eq!(people, [Some("Ada".to_owned()), Some("Bob".to_owned())]);
        assert!(of(Some(0), "").is_err() && of(Some(201), "").is_err());
        assert!(of(None, &"x\n".repeat(201)).is_err() && of(None, &"x".repeat(101)).is_err());
        assert_eq!([cell("=1"), cell("Ada, \"B\""), cell("Ada")], ["'=1", "\"Ada, \"\"B\"\"\"", "Ada"]);
    }
}
