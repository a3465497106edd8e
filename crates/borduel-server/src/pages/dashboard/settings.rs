//! Settings on the organiser's pages, and what cannot be taken back.

use super::super::form::Form;
use super::super::layout::{Shown, go};
use super::super::{criteria, goal, stop};
use super::asks;
use super::fields::{choice, shown, tick};
use super::gold::{self, Names};
use super::{Query, Room, told};
use crate::app::App;
use crate::body::{Asked, query};
use crate::problem::Problem;
use crate::{hooks, links};
use axum::extract::State;
use axum::http::StatusCode;
use borduel_rank::About;
use borduel_report::plain;
use borduel_study::command::Change;
use borduel_study::event::Status;
use borduel_study::settings::{Gold, GoldPair, Language, Repeat, Results, Voting};
use borduel_study::{Command, Settings};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Shows the tab of settings.
pub(super) async fn show(State(app): State<App>, room: Room, said: Asked<Query>) -> Shown {
    let in_contexts = room.settings.gold.pairs.iter().any(|pair| pair.context.is_some());
    let (said, names) = (query(said)?, Names::of(&room, in_contexts).await?);
    let typed = Typed {
        gold: gold::lines(&room.settings.gold.pairs, &names),
        asks: asks::lines(&room.settings.asks),
        criteria: criteria::lines(&room.settings.criteria),
        stop: stop::typed(room.settings.stop),
        hook: hooks::view(&app, room.study.id, &room.settings).await?,
    };
    let body = html! {
        (told(said.done.is_some(), "Saved."))
        @if room.status == Status::Archived { p.soft { "The study is archived: its settings stay as they are." } }
        @else { (form(&room, &room.study.title, &room.settings, &typed, None)) }
        (danger(&room))
    };
    Ok(room.page("/settings", &[], &body))
}

/// What a form sends: every field by its name.
type Fields = HashMap<String, String>;

/// Changes title and settings; where something is wrong the form comes back as it was filled in.
pub(super) async fn save(State(app): State<App>, room: Room, Form(fields): Form<Fields>) -> Shown {
    let (title, mut changed) = (text(&fields, "title"), changed(&fields, &room.settings));
    let hook = hooks::view(&app, room.study.id, &room.settings).await?;
    let (gold, asks, criteria) = (text(&fields, "gold"), text(&fields, "asks"), text(&fields, "criteria"));
    let typed = Typed { gold, asks, criteria, stop: stop_of(&fields), hook };
    let stop = stop::chosen(&typed.stop, room.settings.stop);
    changed.insert("stop".to_owned(), json!(stop.clone().unwrap_or(room.settings.stop)));
    let pairs = gold::pairs(&typed.gold, &Names::of(&room, typed.gold.contains('@')).await?);
    let asks = asks::asks(&typed.asks);
    changed.insert("criteria".to_owned(), json!(criteria::read(&typed.criteria, &room.settings.criteria)));
    changed.insert("asks".to_owned(), json!(asks.clone().unwrap_or_default()));
    changed.insert("gold".to_owned(), gold_of(&fields, &room.settings.gold, pairs.as_deref().unwrap_or_default()));
    let save = async {
        pairs.map_err(Problem::invalid)?;
        asks.map_err(Problem::invalid)?;
        stop.map_err(Problem::invalid)?;
        if title.is_empty() || title.chars().count() > 200 {
            return Err(Problem::invalid("the title must have 1 to 200 characters"));
        }
        let settings = room.settings.changed(changed.clone()).map_err(Problem::invalid)?;
        settings.check().map_err(Problem::invalid)?;
        let new = (title != room.study.title).then(|| title.clone());
        let change = Change { title: new, fields: changed.clone(), known: fields.get("tag").cloned() };
        room.desk.send(Command::Set(change)).await.map_err(Problem::from)
    };
    match save.await {
        Ok(_) => Ok(go(&format!("{}/settings?done=saved", links::admin(room.slug())), None)),
        Err(problem) if problem.status == 422 => {
            // What can be shown of what was typed is.
            let shown = room.settings.changed(changed).unwrap_or_else(|_| room.settings.clone());
            let wrong = problem.detail.replace("settings.", "");
            let body = form(&room, &title, &shown, &typed, Some(&wrong));
            Ok(room.page_as(StatusCode::UNPROCESSABLE_ENTITY, "/settings", &[], &body))
        }
        Err(problem) => Err(problem.into()),
    }
}

fn text(fields: &Fields, name: &str) -> String {
    fields.get(name).map_or("", String::as_str).trim().replace("\r\n", "\n")
}

/// The settings that a form has; all others stay.
fn changed(fields: &Fields, now: &Settings) -> serde_json::Map<String, Value> {
    let mut changed = serde_json::Map::new();
    let mut set = |name: &str, value: Value| drop(changed.insert(name.to_owned(), value));
    for name in [
        "question",
        "consent",
        "thanks",
        "organiser",
        "contact",
        "accent",
        "description",
        "id_parameter",
        "completion",
        "screened_out",
        "over_quota",
        "webhook",
        "contexts_are",
    ] {
        set(name, text(fields, name).into());
    }
    let kept = text(fields, "keep_parameters");
    let kept = kept.split([',', ' ', '\t', '\n']).filter(|name| !name.is_empty());
    set("keep_parameters", kept.collect::<Vec<_>>().into());
    for name in [
        "tie",
        "both_bad",
        "skip",
        "grades",
        "suggestions",
        "comment",
        "markdown",
        "embed",
        "hide_names",
        "own_contents",
    ] {
        set(name, (text(fields, name) == "yes").into());
    }
    for name in ["voting", "language", "repeat"] {
        set(name, text(fields, name).into());
    }
    // A study that has no word on it keeps to the default.
    let about = text(fields, "about");
    set("about", if about.is_empty() { Value::Null } else { about.into() });
    set("results", if text(fields, "public") == "yes" { "public" } else { "organiser" }.into());
    for name in ["questions_per_voter", "per_network", "proof_of_work"] {
        let number = text(fields, name);
        set(name, number.parse::<u32>().map_or(Value::String(number), Value::from));
    }
    for name in ["least_seconds", "judge_price"] {
        let number = text(fields, name);
        set(name, number.parse::<f64>().map_or(Value::String(number), Value::from));
    }
    for name in ["level", "margin", "rechecks"] {
        let percent = text(fields, name);
        let before = match name {
            "level" => now.level,
            "margin" => now.margin,
            _ => now.rechecks,
        };
        // What was not touched stays exactly what it was.
        if percent != shown(before) {
            set(name, percent.parse::<f64>().map_or(Value::String(percent), |percent| (percent / 100.0).into()));
        }
    }
    set("goal", goal::chosen(&text(fields, "goal"), &text(fields, "best")));
    changed
}

/// What a form says of when the study closes by itself.
fn stop_of(fields: &Fields) -> stop::Typed {
    let [stop, votes, date] = ["stop", "stop_votes", "stop_date"].map(|name| text(fields, name));
    stop::Typed { stop, votes, date }
}

/// What a form says of gold pairs.
fn gold_of(fields: &Fields, now: &Gold, pairs: &[GoldPair]) -> Value {
    let (share, may_fail) = (text(fields, "gold_share"), text(fields, "may_fail"));
    let share = match share.parse::<f64>() {
        _ if share == shown(now.share) => now.share.into(),
        Ok(percent) => (percent / 100.0).into(),
        Err(_) => Value::String(share),
    };
    let may_fail = may_fail.parse::<u32>().map_or(Value::String(may_fail), Value::from);
    json!({ "pairs": pairs, "share": share, "may_fail": may_fail, "then": text(fields, "then") })
}

/// What is typed as lines.
struct Typed {
    gold: String,
    asks: String,
    criteria: String,
    stop: stop::Typed,
    /// What is known about its webhook, where there is one.
    hook: Option<hooks::Webhook>,
}

/// Where a program is told, the key of what it is told, and why the last message was not taken.
fn webhook(address: &str, hook: Option<&hooks::Webhook>, open: bool) -> Markup {
    html! {
        details open[open || !address.is_empty()] {
            summary { "Webhook: tell a program of yours" }
            div.stack {
                label {
                    "Address"
                    span.soft.small { " https://; told when a verdict is reached, a quota is full or the study closes" }
                    input name="webhook" maxlength="500" value=(address);
                }
                @if let Some(hook) = hook {
                    p.small { "Messages are signed with this key: " code.code { (hook.key) } }
                    @if let Some(problem) = &hook.problem {
                        p.small.bad { "The last message was not taken: " (plain(problem)) "." }
                    }
                }
            }
        }
    }
}

/// The form; what is typed as lines comes back as it was.
fn form(room: &Room, title: &str, settings: &Settings, typed: &Typed, wrong: Option<&str>) -> Markup {
    html! {
        form.stack method="post" action=(format!("{}/settings", links::admin(room.slug()))) {
            input type="hidden" name="tag" value=(room.settings.tag());
            @if let Some(wrong) = wrong { p.wrong role="alert" { (plain(wrong)) } }
            (asked(settings, title, &typed.criteria))
            (people(settings))
            (platforms(settings))
            (asks::fields(&typed.asks, &settings.over_quota, wrong.is_some()))
            (gold::fields(&settings.gold, &typed.gold, wrong.is_some()))
            (webhook(&settings.webhook, typed.hook.as_ref(), wrong.is_some()))
            (contexts(settings, wrong.is_some()))
            (found(settings, typed, wrong.is_some()))
            div.row { button.main type="submit" { "Save" } }
        }
    }
}

/// What voters are asked, and what they may say.
fn asked(settings: &Settings, title: &str, criteria: &str) -> Markup {
    html! {
        h2 { "What voters are asked" }
        label { "Title" input name="title" required maxlength="200" value=(title); }
        label { "Question" input name="question" required maxlength="500" value=(settings.question); }
        (criteria::field(criteria))
        label {
            "Description"
            span.soft.small { " Markdown, on the first page" }
            textarea name="description" rows="3" maxlength="5000" { (settings.description) }
        }
        label {
            "Pairs wanted of each voter"
            input type="number" name="questions_per_voter" min="1" max="10000" required
                value=(settings.questions_per_voter);
        }
        fieldset {
            legend { "Voters may also say" }
            (tick("tie", settings.tie, "Equal", "half a vote for each"))
            (tick("grades", settings.grades, "How much better", "much or slightly; one vote either way"))
            (tick("both_bad", settings.both_bad, "Neither is good", "recorded, does not change scores"))
            (tick("skip", settings.skip, "Skip", "no answer"))
            (tick("suggestions", settings.suggestions, "What is missing", "suggestions wait in the tab Items until \
                you take them"))
            (tick("comment", settings.comment, "A comment", "at the end"))
        }
        (tick("hide_names", settings.hide_names, "Hide names from voters", "where one sees or hears more"))
        (tick("markdown", settings.markdown, "Texts are Markdown", "headings, lists, tables; no pictures or HTML"))
        label { "Thanks at the end" textarea name="thanks" rows="2" maxlength="1000" { (settings.thanks) } }
    }
}

/// Who asks, who may vote, and what they read before.
fn people(settings: &Settings) -> Markup {
    html! {
        h2 { "Who asks whom" }
        label {
            "Organiser"
            span.soft.small { " who asks, as voters read it" }
            input name="organiser" maxlength="200" value=(settings.organiser);
        }
        label {
            "Contact"
            span.soft.small { " an e-mail address or an https:// link" }
            input name="contact" maxlength="200" value=(settings.contact);
        }
        label { "Colour of buttons and links"
            span.soft.small { " such as #0f7268; blue if empty; darker or lighter where it could not be read" }
            input name="accent" maxlength="7" pattern="#[0-9a-fA-F]{6}" placeholder="#1652a0"
                value=(settings.accent); }
        (choice("voting", "Who may vote", settings.voting, &[
            (Voting::Link, "link", "Whoever has the link"),
            (Voting::Named, "named", "Whoever has the link and gives a name"),
            (Voting::Invited, "invited", "Whoever was invited by a personal link"),
        ]))
        label { "Voters of one network, at most"
            span.soft.small {
                " such as a home, an office or a lecture room; 0 for any number, which the results watch"
            }
            input type="number" name="per_network" min="0" max="1000000" required value=(settings.per_network); }
        label { "Proof of work before the start"
            span.soft.small {
                " zero bits that the browser finds: 18 take a desk computer half a second, each one more twice as \
                 long; 0 for none"
            }
            input type="number" name="proof_of_work" min="0" max="24" required value=(settings.proof_of_work); }
        label { "Seconds for a pair, at least"
            span.soft.small { " until then the buttons wait; 0 for any time" }
            input type="number" name="least_seconds" min="0" max="60" step="any" required
                value=(settings.least_seconds);
        }
        label {
            "What voters must agree to"
            span.soft.small { " nothing if empty" }
            textarea name="consent" rows="2" maxlength="1000" { (settings.consent) }
        }
        (choice("language", "Language of the voters’ pages", settings.language, &[
            (Language::Browser, "browser", "The browser’s"), (Language::En, "en", "English"),
            (Language::De, "de", "Deutsch"),
            (Language::Es, "es", "Español"), (Language::Fr, "fr", "Français"), (Language::Zh, "zh", "中文"),
            (Language::Ar, "ar", "العربية"), (Language::He, "he", "עברית"),
        ]))
        (tick("public", settings.results == Results::Public, "Results are public", "for whoever knows the address"))
        (tick("embed", settings.embed, "May be shown within other sites’ pages", ""))
    }
}

/// What a crowd platform says of its people, and wants to see at the end.
fn platforms(settings: &Settings) -> Markup {
    html! {
        @let texts = [&settings.id_parameter, &settings.completion, &settings.screened_out];
        details open[texts.iter().any(|text| !text.is_empty())] {
            summary { "Crowd platforms (Prolific, MTurk and others)" }
            div.stack {
                label {
                    "Parameter of the address with the voter’s id"
                    span.soft.small { " one voter an id; nothing if empty" }
                    input name="id_parameter" maxlength="64" list="parameters" placeholder="PROLIFIC_PID"
                        value=(settings.id_parameter);
                }
                datalist #parameters { option value="PROLIFIC_PID"; option value="workerId"; option value="id"; }
                label {
                    "Further parameters to keep"
                    span.soft.small { " separated by spaces; they stand in people.csv" }
                    input name="keep_parameters" maxlength="700" placeholder="STUDY_ID SESSION_ID"
                        value=(settings.keep_parameters.join(" "));
                }
                label {
                    "Completion code, or https:// link back"
                    span.soft.small {
                        " shown to whoever has answered all that is wanted; in a link {SESSION_ID} is what was kept of \
                         it"
                    }
                    input name="completion" maxlength="500" value=(settings.completion);
                }
                label {
                    "Code for those screened out, or https:// link back"
                    span.soft.small { " shown to whoever is sent away" }
                    input name="screened_out" maxlength="500" value=(settings.screened_out);
                }
            }
        }
    }
}

/// What items are compared on; open after a mistake.
fn contexts(settings: &Settings, wrong: bool) -> Markup {
    html! {
        @let set = settings.own_contents || !settings.contexts_are.is_empty() || settings.about.is_some();
        details open[wrong || set || settings.judge_price > 0.0] {
            summary { "Contexts: what items are compared on" }
            div.stack {
                label { "What they are called, in the plural"
                    span.soft.small { " prompts, scenes, queries; contexts if empty" }
                    input name="contexts_are" maxlength="40" list="kinds" value=(settings.contexts_are); }
                datalist #kinds { option value="prompts"; option value="scenes"; option value="queries"; }
                @let (text, more) =
                    ("Compare two items only where both have a content", "otherwise they are shown as everywhere");
                (tick("own_contents", settings.own_contents, text, more))
                (choice("about", "The result speaks", settings.about, &[
                    (None, "", "For others like these from 8 contexts on, for these alone below"),
                    (Some(About::These), "these", "For these contexts alone, each counted alike"),
                    (Some(About::Such), "such", "For others like these, of which these are a sample"),
                ]))
                label { "What an answer of a judge with hints costs, a person’s vote being 1"
                    span.soft.small {
                        " 0 for none; with a price it is asked about a pair in all contexts, for these alone and where \
                         that pays"
                    }
                    input type="number" name="judge_price" min="0" max="1000" step="any" required
                        value=(settings.judge_price);
                }
            }
        }
    }
}

/// What is to be found; open after a mistake.
fn found(settings: &Settings, typed: &Typed, wrong: bool) -> Markup {
    html! {
        details open[wrong] {
            summary { "What is to be found, how sure, and how it is checked" }
            div.stack {
                (goal::choice(settings.goal))
                label {
                    "Confidence of the verdict, %"
                    input type="number" name="level" min="51" max="99.99" step="any" required
                        value=(shown(settings.level));
                }
                label {
                    "Differences below so many points of 100 count as equal"
                    input type="number" name="margin" min="0.01" max="50" step="any" required
                        value=(shown(settings.margin));
                }
                (stop::choice(&typed.stop))
                (choice("repeat", "May a voter see a pair again?", settings.repeat, &[
                    (Repeat::Never, "never", "Never")
                    , (Repeat::Swapped, "swapped", "Once more, with the sides exchanged"), ])) label {
                        "Percent of questions that repeat one, to see how steady voters are"
                        input type="number" name="rechecks" min="0" max="50" step="any" required
                            value=(shown(settings.rechecks));
                    }
            }
        }
    }
}

/// What cannot be taken back.
fn danger(room: &Room) -> Markup {
    let admin = links::admin(room.slug());
    html! {
        section.zone {
            h2 { "Danger zone" }
            @if matches!(room.status, Status::Closed | Status::Draft) {
                form.line method="post" action=(format!("{admin}/status")) {
                    span { "Archive: nothing changes any more, results and files stay." }
                    button.danger type="submit" name="status" value="archived" { "Archive for good" }
                }
            }
            form.line method="post" action=(format!("{admin}/delete")) {
                span { "Delete the study with its votes, voters, pictures and files." }
                button.danger type="submit" { "Delete the study" }
            }
        }
    }
}
