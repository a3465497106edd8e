//! The voters' pages as their organiser may try them at any time: nothing is stored.

use super::layout::Shown;
use super::pair::{Look, Pair, pairs};
use super::sheet::{Seat, sheet};
use super::visit::visit;
use super::vote::{Where, ballot};
use crate::app::App;
use crate::body::Asked;
use crate::links;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use borduel_study::event::Standing;
use maud::{Markup, html};
use std::collections::{HashMap, HashSet};

/// How many pairs are shown.
const PAIRS: u32 = 6;

/// Shows a pair: the first one, or that of the address.
pub(super) async fn show(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    how: Asked<HashMap<String, String>>,
) -> Shown {
    let desk = app.page_organiser(&slug, &headers).await?;
    let at = how.as_ref().ok().and_then(|how| how.get("pair")).map_or("0", String::as_str).to_owned();
    let visit = visit(&app, &slug, &headers, how).await?;
    let of = |state: &borduel_study::State| (state.enabled().collect(), state.enabled_contexts().collect());
    let (items, contexts): (Vec<u16>, Vec<u16>) = desk.read(of).await?;
    let goal = sheet(&desk, None).await?.reach.min(PAIRS);
    let first: u32 = at.parse().unwrap_or(goal);
    let address = format!("{}/preview", links::vote(&slug));
    if first >= goal {
        let text = if items.len() < 2 {
            "There is nothing to ask about yet: add at least two items."
        } else {
            "That was the preview. Nothing was stored; voters now read your thanks."
        };
        let body = html! {
            (banner(&slug))
            main.paper {
                h1 { (if items.len() < 2 { "No pairs yet" } else { "End of the preview" }) }
                p.lead { (text) }
                p {
                    a.button.main href=(links::admin(&slug)) { "Back to the dashboard" }
                    " "
                    @if items.len() >= 2 { a.button href=(address) { "Once more" } }
                }
            }
        };
        return Ok(visit.page("narrow", &[], &body));
    }
    // Neighbours in a circle: every item is seen, and as many contexts as there are pairs.
    let item = |at: u32| items[at as usize % items.len()];
    let context = |at: u32| contexts.get(at as usize % contexts.len().max(1)).copied();
    let pair = |q: u32| Pair { q, first: item(2 * q), second: item(2 * q + 1), context: context(q) };
    let open: Vec<Pair> = (first..goal).map(pair).collect();
    let look = Look { slug: &slug, settings: &visit.sheet.settings, words: visit.words };
    let shown = pairs(&desk, look, &open).await?;
    let seat = Seat {
        standing: Standing::Active,
        undescribed: false,
        answered: first,
        goal,
        more: 0,
        open,
        given: Vec::new(),
        gold: HashSet::new(),
        suggests: false,
    };
    let body = html! { (banner(&slug)) (ballot(&visit, &seat, &shown, &Where::Nowhere(&address, first + 1))) };
    Ok(visit.page("voting preview-page", &["vote.js"], &body))
}

fn banner(slug: &str) -> Markup {
    html! {
        header.banner {
            span { b { "Preview" } " · answers are not kept" }
            a href=(links::admin(slug)) { "Back to the dashboard" }
        }
    }
}
