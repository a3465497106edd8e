//! A new study in a minute: one form, a preview beside it, a link at the end.

use super::dashboard::drop_zone;
use super::form::Form;
use super::items_text::{items, not_twice};
use super::layout::{Fault, Frame, Page, Shown, go};
use super::{criteria, goal, markdown, part, session, stop};
use crate::api::studies::{NewStudy, make as make_study};
use crate::app::App;
use crate::problem::Problem;
use crate::{cookie, links};
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use borduel_report::numbers::grouped;
use borduel_study::content::key_of;
use borduel_study::event::Status;
use borduel_study::settings::{Goal, Results, Stop, Voting};
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
                    p.lead {
                        "Studies are made by whoever runs this server. Open the link that was printed at the first \
                         start, or enter its token."
                    }
                    (session::ask("", "Admin token", "Continue"))
                }
            },
        ));
    }
    Ok(form(StatusCode::OK, &Making::first(), None))
}

/// The form with what was filled in, and what is wrong with it.
fn form(status: StatusCode, filled: &Making, wrong: Option<&str>) -> Response {
    let page = Page { scripts: &["create.js"], frame: Frame::Organiser, ..Page::new("New study") };
    page.show_as(status, &self::page(filled, wrong))
}

fn tick(name: &str, on: bool, text: &str, more: &str) -> Markup {
    html! {
        label.check {
            input type="checkbox" name=(name) value="yes" checked[on];
            span { (text) " " span.soft { (more) } }
        }
    }
}

/// How many votes it took until one could be chosen, in simulated studies of so many items: half of them, and nine in
/// ten, took at most so many. As docs/how-to/how-many-votes.md has it.
const GUIDE: [(u32, u32, u32); 3] = [(10, 703, 5_089), (30, 1_797, 6_507), (100, 2_703, 6_181)];

/// What that means, in two digits, which is all that it is worth.
fn guide(&(items, half, most): &(u32, u32, u32), hidden: bool) -> Markup {
    let two = |votes: u32| grouped((f64::from(votes) / 100.0).round() * 100.0);
    let pairs = Settings::default().questions_per_voter;
    html! {
        p.soft.small data-guide=(items) hidden[hidden] {
            "How many votes? Of simulated studies \
             with " (items) " items, half could choose one after " (two(half)) " votes or fewer ("
            (half.div_ceil(pairs)) " voters with " (pairs) " pairs each), nine in ten after " (two(most)) "."
        }
    }
}

fn page(filled: &Making, wrong: Option<&str>) -> Markup {
    let settings = filled.settings();
    html! {
        main.paper {
            h1 { "New study" }
            div.two {
                form.stack #create method="post" action="/new" {
                    label {
                        "Title"
                        input name="title" required maxlength="200" placeholder="Which tea for the office?"
                            value=(filled.title);
                    }
                    label {
                        "The question that voters answer"
                        input name="question" required maxlength="500" value=(settings.question);
                    }
                    label {
                        "Items" span.soft.small { " one per line, or a table with the columns name, text, link" }
                        textarea name="items" rows="6" placeholder="Earl Grey\nAssam\nSencha" { (filled.items) }
                    }
                    p.soft.small #found role="status" {}
                    @for (at, row) in GUIDE.iter().enumerate() { (guide(row, at > 0)) }
                    details open[!filled.criteria.trim().is_empty()] {
                        summary { "Ask more than one question about each pair" }
                        (criteria::field(&filled.criteria))
                    }
                    div.row.columns #columns hidden {}
                    (table())
                    (drop_zone(None))
                    fieldset {
                        legend { "Voters may also say" }
                        (tick("tie", settings.tie, "Equal", "half a vote for each"))
                        (tick("grades", settings.grades, "How much better", "much or slightly; one vote either way"))
                        (tick("both_bad", settings.both_bad, "Neither is good", "recorded, does not change scores"))
                        (tick("skip", settings.skip, "Skip", "no answer"))
                        (tick("comment", settings.comment, "A comment", "at the end"))
                    }
                    details {
                        summary { "More settings, each with a default that is right for most" }
                        (further(filled, &settings))
                    }
                    div.row {
                        button.main type="submit" name="open" value="yes" { "Open it for votes" }
                        button type="submit" name="open" value="" { "Keep it as a draft" }
                    }
                    p #problem role="alert" { @if let Some(wrong) = wrong { (borduel_report::plain(wrong)) } }
                }
                (preview(&settings))
            }
        }
    }
}

/// What a pair of such a study looks like on a phone.
fn preview(settings: &Settings) -> Markup {
    html! {
        aside aria-label="Preview" {
            p.soft.small { "What voters see on a phone" }
            div.phone #preview aria-live="off" {
                h2 { (settings.question) }
                div.pair {
                    @for example in ["Earl Grey", "Assam"] {
                        div.card {
                            div.picture hidden { img alt=""; }
                            h3 dir="auto" { (example) }
                            div.words hidden {}
                            span.link hidden { "Open the link ↗" }
                            span.pick { "This one" }
                            div.grades hidden { span.pick { "Much better" } span.pick { "Slightly better" } }
                        }
                    }
                }
                ul.criteria hidden {}
                div.others {
                    span.button data-if="tie" { "Equal" }
                    span.button data-if="both_bad" { "Neither" }
                    span.button data-if="skip" { "Skip" }
                }
                p.far.soft.small { "0 of " span #wanted { (settings.questions_per_voter) } }
            }
        }
    }
}

/// Settings with a default that is right for most.
fn further(filled: &Making, settings: &Settings) -> Markup {
    let percent = |share: f64| ((1e6 * share).round() / 1e4).to_string();
    html! {
        div.stack {
            label {
                "Pairs wanted of each voter"
                input type="number" name="questions_per_voter" min="1" max="10000"
                    value=(settings.questions_per_voter);
            }
            (goal::choice(settings.goal))
            label {
                "Confidence of the verdict, %"
                input type="number" name="level" min="51" max="99.9" step="0.1"
                    value=(percent(settings.level));
            }
            label {
                "Differences below so many points of 100 count as equal"
                input type="number" name="margin" min="0.1" max="50" step="0.1"
                    value=(percent(settings.margin));
            }
            label {
                "Who may vote"
                select name="voting" {
                    option value="link" selected[settings.voting == Voting::Link] {
                        "Whoever has the link"
                    }
                    option value="named" selected[settings.voting == Voting::Named] {
                        "Whoever has the link and gives a name"
                    }
                    option value="invited" selected[settings.voting == Voting::Invited] {
                        "Whoever was invited by a personal link"
                    }
                }
            }
            label {
                "What voters must agree to"
                span.soft.small { " nothing if empty" }
                textarea name="consent" rows="2" maxlength="1000" { (settings.consent) }
            }
            (stop::choice(&filled.stop()))
            @let public = settings.results == Results::Public;
            (tick("public", public, "Results are public", "for whoever knows the address"))
            @let more = "headings, lists, tables; no pictures or HTML";
            (tick("markdown", settings.markdown, "Texts are Markdown", more))
            @let more = "where one sees or hears more";
            (tick("hide_names", settings.hide_names, "Hide names from voters", more))
            (tick("embed", settings.embed, "May be shown within other sites’ pages", ""))
            label {
                "Link name"
                span.soft.small { " made from the title if empty" }
                input name="slug" pattern="[a-z0-9]([a-z0-9\\-]{0,62}[a-z0-9])?" maxlength="64"
                    value=(filled.slug);
            }
        }
    }
}

/// The items in a table that can be edited; the script fills it.
fn table() -> Markup {
    html! {
        div #table hidden {
            table.edit {
                caption.hide { "Items, to be edited" }
                thead {
                    tr {
                        th { span.hide { "Picture" } }
                        th { "Name" }
                        th { "Text" }
                        th { "Link" }
                        th { span.hide { "Remove" } }
                    }
                }
                tbody {}
            }
            p.soft.small #beyond hidden {}
            button type="button" #another { "Add an item" }
            div #camera hidden {
                p.note {
                    "Some names are those that a camera gives, and say nothing to voters and in the \
                     results."
                }
                div.row {
                    button type="button" #by-text { "Name them by their texts" }
                    button type="button" #no-names { "Hide names from voters" }
                }
            }
        }
    }
}

/// What the form of a new study sends.
#[derive(Deserialize)]
#[serde(default)]
pub(super) struct Making {
    title: String,
    slug: String,
    question: String,
    criteria: String,
    items: String,
    tie: String,
    grades: String,
    both_bad: String,
    skip: String,
    comment: String,
    questions_per_voter: u32,
    goal: String,
    best: String,
    level: f64,
    margin: f64,
    voting: Voting,
    consent: String,
    stop: String,
    stop_votes: String,
    stop_date: String,
    public: String,
    markdown: String,
    hide_names: String,
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
            criteria: none(),
            items: none(),
            tie: none(),
            grades: none(),
            both_bad: none(),
            skip: none(),
            comment: none(),
            questions_per_voter: settings.questions_per_voter,
            goal: none(),
            best: none(),
            level: 100.0 * settings.level,
            margin: 100.0 * settings.margin,
            voting: settings.voting,
            consent: none(),
            stop: none(),
            stop_votes: none(),
            stop_date: none(),
            public: none(),
            markdown: none(),
            hide_names: none(),
            embed: none(),
            open: none(),
        }
    }
}

impl Making {
    /// What the form offers at first.
    fn first() -> Self {
        let settings = Settings::default();
        let word = |on: bool| if on { "yes".to_owned() } else { String::new() };
        let (tie, both_bad) = (word(settings.tie), word(settings.both_bad));
        let (skip, comment) = (word(settings.skip), word(settings.comment));
        Self { tie, both_bad, skip, comment, ..Self::default() }
    }

    fn goal(&self) -> Result<Goal, Problem> {
        if self.goal.is_empty() {
            return Ok(Goal::default());
        }
        let wrong = |_| {
            Problem::invalid(format!("goal: {:?} is no number of items; write how many are the best few", self.best))
        };
        serde_json::from_value(goal::chosen(&self.goal, self.best.trim())).map_err(wrong)
    }

    fn stop(&self) -> stop::Typed {
        let (stop, votes, date) = (self.stop.clone(), self.stop_votes.clone(), self.stop_date.clone());
        stop::Typed { stop, votes, date }
    }

    fn settings(&self) -> Settings {
        let on = |tick: &String| tick == "yes";
        Settings {
            question: self.question.trim().to_owned(),
            criteria: criteria::read(&self.criteria, &[]),
            tie: on(&self.tie),
            grades: on(&self.grades),
            both_bad: on(&self.both_bad),
            skip: on(&self.skip),
            comment: on(&self.comment),
            questions_per_voter: self.questions_per_voter,
            goal: self.goal().unwrap_or_default(),
            level: self.level / 100.0,
            margin: self.margin / 100.0,
            voting: self.voting,
            consent: self.consent.trim().to_owned(),
            stop: stop::chosen(&self.stop(), Stop::Never).unwrap_or_default(),
            results: if on(&self.public) { Results::Public } else { Results::Organiser },
            markdown: on(&self.markdown),
            hide_names: on(&self.hide_names),
            embed: on(&self.embed),
            ..Settings::default()
        }
    }
}

/// A name made from the title that no study has yet; whoever takes it in this very moment wins, and the other one is
/// told.
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

/// A text to be shown.
#[derive(Deserialize)]
pub(super) struct Text {
    text: String,
}

/// Markdown as voters see it, for the preview.
pub(super) async fn words(State(app): State<App>, headers: HeaderMap, Form(Text { text }): Form<Text>) -> Response {
    let shown = async {
        app.page_admin(&headers).await?;
        Ok(part::part(markdown::text(&text, true)))
    };
    part::respond(true, shown.await)
}

/// Makes the study. A script that has pictures to add is told its name, and opens it when they are there.
pub(super) async fn make(State(app): State<App>, headers: HeaderMap, Form(making): Form<Making>) -> Response {
    let script = part::wanted(&headers);
    let made = async {
        app.page_admin(&headers).await?;
        let settings = making.settings();
        settings.check().map_err(Problem::invalid)?;
        stop::chosen(&making.stop(), Stop::Never).map_err(Problem::invalid)?;
        making.goal()?;
        let items = items(&making.items)?;
        not_twice(&items, &[])?;
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
    match made.await {
        Err(Fault(problem)) if !script && matches!(problem.status, 409 | 422) => {
            let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
            form(status, &making, Some(&problem.detail.replace("settings.", "")))
        }
        shown => part::respond(script, shown),
    }
}

#[cfg(test)]
mod tests {
    use super::GUIDE;
    use borduel_report::numbers::grouped;

    #[test]
    fn the_guide_is_that_of_the_documentation() {
        let page = std::fs::read_to_string("../../docs/how-to/how-many-votes.md").unwrap();
        for (items, half, most) in GUIDE {
            let row = format!("| {items} | 1 | {} | {} |", grouped(f64::from(half)), grouped(f64::from(most)));
            assert!(page.contains(&row), "{row}");
        }
    }
}
