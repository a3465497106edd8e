//! The interface for programs as a page, made from the same description as `/openapi.json`.

use super::layout::{Page, Shown};
use crate::openapi::openapi;
use crate::problem::KINDS;
use maud::{Markup, html};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The description does not change while the server runs.
static BODY: LazyLock<Markup> = LazyLock::new(|| body(&serde_json::to_value(openapi()).unwrap_or_default()));

/// Shows the reference of the interface.
pub(super) async fn show() -> Shown {
    Ok(Page::new("The interface for programs").show(&BODY))
}

fn body(openapi: &Value) -> Markup {
    let mut rooms: BTreeMap<&str, Vec<(&str, &str, &Value)>> = BTreeMap::new();
    for (path, operations) in entries(&openapi["paths"]) {
        for (method, operation) in entries(operations) {
            rooms.entry(text(&operation["tags"][0])).or_default().push((method, path, operation));
        }
    }
    html! {
        main.paper {
            h1 { "The interface for programs" }
            p.lead {
                "Everything that the pages do, by HTTP and JSON. The same for machines: "
                a href="/openapi.json" { "openapi.json" }
                "."
            }
            p {
                "A token goes into the header "
                code { "Authorization: Bearer TOKEN" }
                ": the admin's is printed at the first start, an organiser's comes with a new study, a voter's with \
                 joining it."
            }
            @for (room, operations) in &rooms {
                h2 { (capital(room)) }
                @for (method, path, operation) in operations { (one(method, path, operation)) }
            }
            h2 id="problems" { "Problems" }
            p {
                "What went wrong comes as "
                code { "application/problem+json" }
                ": a "
                code { "type" }
                " from this list, a "
                code { "detail" }
                " that says what and where."
            }
            div.scroll tabindex="0" role="region" aria-label="Problems" {
                table.told {
                    thead { tr { th { "type" } th { "status" } th { "what it means" } } }
                    tbody {
                        @for (name, status, title, remedy) in KINDS {
                            tr { td { code { (name) } } td { (status) } td { (title) ". " (remedy) } }
                        }
                    }
                }
            }
            h2 { "What is sent and answered" }
            @for (name, schema) in entries(&openapi["components"]["schemas"]) { (shape(name, schema)) }
        }
    }
}

/// One operation of the interface.
fn one(method: &str, path: &str, operation: &Value) -> Markup {
    let who: Vec<&str> =
        list(&operation["security"]).map(|way| entries(way).next().map_or("anybody", |(name, _)| name)).collect();
    let who = if who.is_empty() { "anybody".to_owned() } else { who.join(", ") };
    let sent = entries(&operation["requestBody"]["content"]).next();
    let done = entries(&operation["responses"]).find(|(status, _)| status.starts_with('2'));
    html! {
        h3 { code { (method.to_uppercase()) " " (path) } }
        p { (words(&operation["summary"])) " " span.soft { "By: " (who) "." } }
        ul {
            @for parameter in list(&operation["parameters"]).filter(|parameter| text(&parameter["in"]) != "path") {
                li {
                    code { (text(&parameter["name"])) }
                    " ("
                    (text(&parameter["in"]))
                    ", "
                    (kind(&parameter["schema"]))
                    ") "
                    (words(&parameter["description"]))
                }
            }
            @if let Some((form, content)) = sent {
                li { "Sent: " (kind(&content["schema"])) " " span.soft { "(" (form) ")" } }
            }
            @if let Some((status, response)) = done {
                li {
                    "Answer " (status) ": " (words(&response["description"]))
                    @if let Some((_, content)) = entries(&response["content"]).next() { " " (kind(&content["schema"])) }
                }
            }
        }
    }
}

/// One form of what is sent or answered.
fn shape(name: &str, schema: &Value) -> Markup {
    let required: Vec<&str> = list(&schema["required"]).map(text).collect();
    html! {
        h3 id=(name) { code { (name) } }
        p { (words(&schema["description"])) @if schema["properties"].is_null() { " " (kind(schema)) } }
        @if !schema["properties"].is_null() {
            div.scroll tabindex="0" role="region" aria-label=(name) {
                table.told {
                    thead { tr { th { "field" } th { "type" } th { "what it is" } } }
                    tbody {
                        @for (field, schema) in entries(&schema["properties"]) {
                            tr {
                                td {
                                    code { (field) }
                                    @if required.contains(&field) { abbr title="always there" { "*" } }
                                }
                                td { (kind(schema)) }
                                td { (words(&schema["description"])) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The type of a schema in words, with links to those that have a name.
fn kind(schema: &Value) -> Markup {
    if let Some(name) = text(&schema["$ref"]).rsplit('/').next().filter(|name| !name.is_empty()) {
        return html! { a href={ "#" (name) } { (name) } };
    }
    for either in ["oneOf", "anyOf", "allOf"] {
        let ways: Vec<&Value> = list(&schema[either]).collect();
        if !ways.is_empty() {
            return html! { @for (at, way) in ways.iter().enumerate() { @if at > 0 { " or " } (kind(way)) } };
        }
    }
    let values: Vec<&str> = list(&schema["enum"]).map(text).collect();
    if !values.is_empty() {
        return html! { @for (at, value) in values.iter().enumerate() { @if at > 0 { ", " } code { (value) } } };
    }
    let types: Vec<&str> = schema["type"].as_str().into_iter().chain(list(&schema["type"]).map(text)).collect();
    if types.contains(&"array") {
        return html! { "list of " (kind(&schema["items"])) };
    }
    html! { (types.join(" or ")) }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A text in which what stands between backticks is code.
fn words(value: &Value) -> Markup {
    let parts = text(value).split('`').enumerate();
    html! { @for (at, part) in parts { @if at % 2 == 1 { code { (part) } } @else { (part) } } }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
