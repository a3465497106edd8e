//! A new study in a minute: one form, a preview beside it, a link at the end.

use super::form::Form;
use super::items_text::items;
use super::layout::{Fault, Page, Shown, go};
use super::{part, session, stop};
use crate::api::studies::{NewStudy, make as make_study};
use crate::app::App;
use crate::problem::Problem;
use crate::{cookie, links};
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_study::content::key_of;
use borduel_study::event::Status;
use borduel_study::settings::{Results, Stop, Voting};
use borduel_study::{Command, Error, Settings};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashSet;

/// The page for the server's administrator.
pub(super) async fn show(State(app): State<App>, headers: HeaderMap) -> Shown {
    if let Err(problem) = app.page_admin(&headers).await {
        if problem.status >= 500 {
            return Err(problem.into());
        }
        let page = Page { class: "narrow", ..Page::new("New study") };
        return Ok(page.show_as(
            StatusCode::UNAUTHORIZED,
            &html! {
                main.paper {
                    h1 { "New study" }
                    p.lead { "Studies are made by whoever runs this server. Open the link that was printed at the first start, or enter its token." }
                    (session::ask("", "Admin token"))
                }
            },
        ));
    }
    Ok(Page { scripts: &["create.js"], ..Page::new("New study") }.show(&page()))
}

fn tick(name: &str, on: bool, text: &str, more: &str) -> Markup {
    html! { label.check { input type="checkbox" name=(name) value="yes" checked[on]; span { (text) " " span.soft { (more) } } } }
}

fn page() -> Markup {
    let settings = Settings::default();
    html! {
        main.paper {
            h1 { "New study" }
            div.two {
                form.stack #create method="post" action="/new" {
                    label { "Title" input name="title" required maxlength="200" placeholder="Which tea for the office?"; }
                    label { "The question that voters answer" input name="question" required maxlength="500" value=(settings.question); }
                    label {
                        "Items" span.soft.small { " one a line, or a table with the columns name, text, link" }
                        textarea name="items" rows="8" placeholder="Earl Grey\nAssam\nSencha" {}
                    }
                    div.drop #drop hidden {
                        label.button { "Choose pictures or a CSV file" input.hide #files type="file" multiple accept="image/png,image/jpeg,image/webp,.csv,.tsv,.txt"; }
                        p.soft.small { "or drop them here; a picture’s name becomes the item’s" }
                        ul.thumbs #thumbs aria-label="Pictures" {}
                    }
                    fieldset {
                        legend { "Besides “this one”, voters may say" }
                        (tick("tie", settings.tie, "Equal", "counts as half a vote for each"))
                        (tick("both_bad", settings.both_bad, "Both bad", "counted, but not as a vote"))
                        (tick("skip", settings.skip, "Skip", "no answer"))
                        (tick("comment", settings.comment, "A comment", "in the end"))
                    }
                    details {
                        summary { "More settings, each with a default that is right for most" }
                        div.stack {
                            label { "Pairs wanted of each voter" input type="number" name="questions_per_voter" min="1" max="10000" value=(settings.questions_per_voter); }
                            label { "Confidence of the verdict, %" input type="number" name="level" min="51" max="99.9" step="0.1" value="95"; }
                            label { "Differences below so many points of 100 count as equal" input type="number" name="margin" min="0.1" max="50" step="0.1" value="2"; }
                            label {
                                "Who may vote"
                                select name="voting" {
                                    option value="link" selected { "Whoever has the link" }
                                    option value="named" { "Whoever has the link and gives a name" }
                                    option value="invited" { "Whoever was invited by a personal link" }
                                }
                            }
                            label { "What voters must agree to" span.soft.small { " nothing if empty" } textarea name="consent" rows="2" maxlength="1000" {} }
                            (stop::choice(settings.stop))
                            (tick("public", false, "Results are public", "for whoever knows the address"))
                            (tick("markdown", false, "Texts are Markdown", "bold, lists, tables; no pictures or HTML"))
                            (tick("embed", false, "May be shown within other sites’ pages", ""))
                            label { "Name in the address" span.soft.small { " made from the title if empty" } input name="slug" pattern="[a-z0-9]([a-z0-9\\-]{0,62}[a-z0-9])?" maxlength="64"; }
                        }
                    }
                    div.row {
                        button.main type="submit" name="open" value="yes" { "Open it for votes" }
                        button type="submit" name="open" value="" { "Keep it as a draft" }
                    }
                    p #problem role="alert" {}
                }
                aside aria-label="Preview" {
                    p.soft.small { "Preview" }
                    div.preview #preview aria-live="off" {
                        h2 { (settings.question) }
                        div.pair {
                            div.card { h3 { "Earl Grey" } span.pick { "This one" } }
                            div.card { h3 { "Assam" } span.pick { "This one" } }
                        }
                    }
                }
            }
        }
    }
}

/// The form.
#[derive(Deserialize)]
#[serde(default)]
pub(super) struct Making {
    title: String,
    slug: String,
    question: String,
    items: String,
    tie: String,
    both_bad: String,
    skip: String,
    comment: String,
    questions_per_voter: u32,
    level: f64,
    margin: f64,
    voting: Voting,
    consent: String,
    stop: String,
    public: String,
    markdown: String,
    embed: String,
    open: String,
}

impl Default for Making {
    fn default() -> Self {
        let settings = Settings::default();
        let none = String::new;
        Self {
            title: none(),
            slug: none(),
            question: settings.question,
            items: none(),
            tie: none(),
            both_bad: none(),
            skip: none(),
            comment: none(),
            questions_per_voter: settings.questions_per_voter,
            level: 100.0 * settings.level,
            margin: 100.0 * settings.margin,
            voting: settings.voting,
            consent: none(),
            stop: none(),
            public: none(),
            markdown: none(),
            embed: none(),
            open: none(),
        }
    }
}

impl Making {
    fn settings(&self) -> Settings {
        let on = |tick: &String| tick == "yes";
        Settings {
            question: self.question.trim().to_owned(),
            tie: on(&self.tie),
            both_bad: on(&self.both_bad),
            skip: on(&self.skip),
            comment: on(&self.comment),
            questions_per_voter: self.questions_per_voter,
            level: self.level / 100.0,
            margin: self.margin / 100.0,
            voting: self.voting,
            consent: self.consent.trim().to_owned(),
            stop: stop::chosen(&self.stop, Stop::Never),
            results: if on(&self.public) { Results::Public } else { Results::Organiser },
            markdown: on(&self.markdown),
            embed: on(&self.embed),
            ..Settings::default()
        }
    }
}

/// A name made from the title that no study has yet; whoever takes it in this very moment wins, and the other one is told.
async fn free_name(app: &App, title: &str) -> Result<String, Fault> {
    let mut taken: HashSet<String> = HashSet::new();
    loop {
        let name = key_of(title, |name| taken.contains(name));
        match app.studies.find(&name).await {
            Ok(_) => taken.insert(name),
            Err(Error::NoStudy(_)) => return Ok(name),
            Err(error) => return Err(error.into()),
        };
    }
}

/// Makes the study. A script that has pictures to add is told its name, and opens it when they are there.
pub(super) async fn make(State(app): State<App>, headers: HeaderMap, Form(making): Form<Making>) -> Response {
    let script = part::wanted(&headers);
    let made = async {
        app.page_admin(&headers).await?;
        let settings = making.settings();
        settings.check().map_err(Problem::invalid)?;
        let items = items(&making.items)?;
        if making.open == "yes" && items.len() < 2 {
            return Err(Problem::invalid("a study needs at least two items before it is opened").into());
        }
        let slug = match making.slug.trim() {
            "" => free_name(&app, &making.title).await?,
            slug => slug.to_owned(),
        };
        let new = NewStudy { slug: Some(slug), title: making.title.clone(), settings, seed: None, items };
        let (slug, token) = make_study(&app, new).await?;
        if making.open == "yes" {
            let study = app.studies.id(&slug).await?;
            app.studies.desk(study).send(Command::Status(Status::Open)).await?;
        }
        let cookie = cookie::keep(&app, &slug, &token, false);
        if !script {
            return Ok(go(&links::admin(&slug), cookie));
        }
        let mut response = axum::Json(json!({ "slug": slug, "admin": links::admin(&slug) })).into_response();
        if let Some(cookie) = cookie {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        Ok(response)
    };
    let shown = made.await;
    part::respond(script, shown)
}
