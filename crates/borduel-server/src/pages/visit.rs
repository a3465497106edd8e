//! Somebody before a voter's page: the study, how far this voter is, in which language, and how the page is shown.

use super::layout::{Fault, Frame, Page};
use super::pass::pass;
use super::sheet::{Sheet, sheet};
use super::words::{Words, fill, name};
use crate::api::voters::is_for_strangers;
use crate::app::App;
use crate::body::{Asked, query};
use crate::{criterion, links};
use axum::http::HeaderMap;
use axum::response::Response;
use borduel_report::plain;
use borduel_study::Desk;
use borduel_study::event::Status;
use borduel_study::ledger::Study;
use borduel_study::settings::{Language, Voting, is_link};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::{BTreeMap, HashMap};

/// The most characters of an id of a crowd platform, and of what else its address says.
const ID: usize = 100;
const SENT: usize = 200;

/// What an address says of how a voter's pages are shown, on every one of them: within another site's page, or on a
/// device that many share.
pub(super) const KEPT: [&str; 2] = ["embed", SHARED];
pub(super) const SHARED: &str = "shared";

/// Somebody before a voter's page.
pub(super) struct Visit {
    pub(super) study: Study,
    pub(super) desk: Desk,
    pub(super) sheet: Sheet,
    pub(super) voter: Option<u32>,
    /// What the voter's answers carry that wait in the browser; empty before somebody has joined.
    pass: String,
    /// Whether the voter's name is known.
    pub(super) named: bool,
    pub(super) words: &'static Words,
    how: HashMap<String, String>,
}

/// Finds out who visits, by their cookies.
pub(super) async fn visit(
    app: &App,
    slug: &str,
    headers: &HeaderMap,
    how: Asked<HashMap<String, String>>,
) -> Result<Visit, Fault> {
    let how = query(how)?;
    let voter = app.page_voter(slug, headers).await?.map(|(_, voter)| voter);
    let study = app.studies.find(slug).await?;
    let desk = app.studies.desk(study.id);
    let sheet = sheet(&desk, voter).await?;
    let words = Words::of(sheet.settings.language, headers);
    let named = match voter {
        Some(voter) => {
            app.studies.ledger().person(study.id, voter).await?.is_some_and(|person| !person.name.is_empty())
        }
        None => sheet.settings.voting == Voting::Named,
    };
    let pass = match voter {
        Some(voter) => pass(&app.secret(study.id).await?, voter),
        None => String::new(),
    };
    Ok(Visit { study, desk, sheet, voter, pass, named, words, how })
}

/// The words of a study's language, where it is no secret that there is such a study; else those of the browser's.
pub(super) async fn words_of(app: &App, slug: &str, headers: &HeaderMap) -> &'static Words {
    let mut language = Language::Browser;
    if let Ok(study) = app.studies.find(slug).await {
        let desk = app.studies.desk(study.id);
        let read = desk.read(|state| {
            let settings = &state.settings;
            is_for_strangers(state.status, settings.voting).then_some(settings.language)
        });
        language = read.await.ok().flatten().unwrap_or_default();
    }
    Words::of(language, headers)
}

impl Visit {
    /// Whether the address says this.
    pub(super) fn says(&self, what: &str) -> bool {
        self.how.contains_key(what)
    }

    /// Which of several questions about each pair is wanted.
    pub(super) fn criterion(&self) -> Result<usize, Fault> {
        let key = self.how.get("criterion").map(String::as_str);
        Ok(criterion::place(&self.sheet.settings.criteria, key)?)
    }

    /// The id with which a crowd platform sent somebody, where the study wants one.
    pub(super) fn id(&self) -> Option<&str> {
        let id = self.how.get(&self.sheet.settings.id_parameter)?.trim();
        (!id.is_empty() && id.chars().count() <= ID).then_some(id)
    }

    /// What else the address says of whoever comes, as far as the study keeps it.
    pub(super) fn sent(&self) -> BTreeMap<String, String> {
        let kept = self.sheet.settings.keep_parameters.iter();
        let said = kept.filter_map(|name| Some((name, self.how.get(name)?.trim())));
        said.filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.clone(), value.chars().take(SENT).collect()))
            .collect()
    }

    /// A code, or a link back with what the address said of this voter in the place of `{NAME}`.
    pub(super) async fn back(&self, app: &App, code: &str) -> Result<String, Fault> {
        let settings = &self.sheet.settings;
        let (Some(voter), true) = (self.voter, is_link(code) && code.contains('{')) else { return Ok(code.to_owned()) };
        let Some(person) = app.studies.ledger().person(self.study.id, voter).await? else { return Ok(code.to_owned()) };
        let said = |name: &str| person.sent.get(name).map_or("", String::as_str);
        let kept = settings.keep_parameters.iter().map(|name| (name.as_str(), said(name)));
        let mut link = code.to_owned();
        for (name, value) in std::iter::once((settings.id_parameter.as_str(), person.name.as_str())).chain(kept) {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
            link = link.replace(&format!("{{{name}}}"), &value);
        }
        Ok(link)
    }

    /// The button that makes room for the next voter, where anybody may start here. On a device that many share, which
    /// is left alone for so many seconds, it is pressed by itself.
    pub(super) fn next_voter(&self, seconds: u32) -> Option<Markup> {
        let settings = &self.sheet.settings;
        let anybody = settings.voting != Voting::Invited && settings.id_parameter.is_empty();
        let shared = self.says(SHARED);
        (anybody && self.sheet.status == Status::Open).then(|| {
            html! {
                form #leave method="post" action=(self.to("/leave", "")) data-idle=[shared.then_some(seconds)] {
                    button.main[shared] type="submit" { (self.words.next_voter) }
                }
            }
        })
    }

    /// Whether whoever starts has to compute first.
    pub(super) fn wants_work(&self) -> bool {
        self.voter.is_none() && self.sheet.settings.proof_of_work > 0
    }

    /// The address of this study with this after it, shown as this page is.
    pub(super) fn to(&self, path: &str, say: &str) -> String {
        let kept = KEPT.into_iter().filter(|how| self.says(how));
        let query: Vec<&str> = std::iter::once(say).filter(|say| !say.is_empty()).chain(kept).collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!("{}{path}{mark}{}", links::vote(&self.study.slug), query.join("&"))
    }

    /// What scripts are told of answers that wait to be sent: whose they are, and what is said of them.
    fn waiting(&self) -> Markup {
        let words = self.words;
        html! {
            div #waiting hidden data-pass=(self.pass) data-waiting=(words.waiting) data-elsewhere=(words.elsewhere)
                data-lost=(words.lost) data-not-counted=(words.not_counted_more) data-written=(words.written) {}
        }
    }

    /// A page of this study for voters.
    pub(super) fn page(&self, class: &str, scripts: &[&str], body: &Markup) -> Response {
        self.page_as(axum::http::StatusCode::OK, class, scripts, body)
    }

    /// The same with another status.
    pub(super) fn page_as(
        &self,
        status: axum::http::StatusCode,
        class: &str,
        scripts: &[&str],
        body: &Markup,
    ) -> Response {
        let settings = &self.sheet.settings;
        let class = if self.says("embed") { format!("{class} embedded") } else { class.to_owned() };
        let foot = self.foot();
        let frame = if class.starts_with("voting") { Frame::Bare } else { Frame::Voter(&foot) };
        let (title, about) = (self.study.title.as_str(), settings.question.as_str());
        let language = self.words.code;
        let (accent, embed) = (self.accent(), settings.embed);
        let scripts: Vec<&str> = ["waiting.js"].into_iter().chain(scripts.iter().copied()).collect();
        let body = html! { (body) (self.waiting()) };
        Page { title, about, language, frame, class: &class, accent, scripts: &scripts, embed }.show_as(status, &body)
    }

    /// The study's colour, as `rrggbb`; nothing where it has none.
    pub(super) fn accent(&self) -> &str {
        self.sheet.settings.accent.trim_start_matches('#')
    }

    /// Who asks, and what happens with the answers.
    pub(super) fn foot(&self) -> Markup {
        let (settings, words) = (&self.sheet.settings, self.words);
        html! {
            @if !settings.organiser.is_empty() {
                span { (fill(words.a_study_by, &[&name(&settings.organiser)])) } " · "
            }
            @if !settings.contact.is_empty() { (contact(&settings.contact, words)) " · " }
            a href=(self.to("/about", "")) { (words.what_happens) }
            " · " (words.made_with)
        }
    }

    /// Where somebody reads what happens with the answers.
    pub(super) fn about(&self) -> Markup {
        let (settings, words) = (&self.sheet.settings, self.words);
        // Of whoever was invited no network is kept.
        let network = if settings.voting == Voting::Invited { "" } else { words.network_kept };
        let who = if settings.id_parameter.is_empty() {
            if self.named { words.named } else { words.anonymous }
        } else {
            words.with_id
        };
        html! {
            main.paper {
                p.soft dir="auto" { (plain(&self.study.title)) }
                h1 { (words.what_happens) }
                @for sentence in [words.kept, who, words.not_kept, network, words.who_sees, words.erase] {
                    @if !sentence.is_empty() { p { (sentence) } }
                }
                @if !settings.contact.is_empty() {
                    p { (contact(&settings.contact, words)) ": " (plain(&settings.contact)) }
                }
                p { a.button href=(self.to("", "")) { (words.back) } }
            }
        }
    }
}

fn contact(contact: &str, words: &Words) -> Markup {
    let to = if is_link(contact) { contact.to_owned() } else { format!("mailto:{contact}") };
    html! { a href=(to) rel="noopener noreferrer" { (words.contact) } }
}
