//! From a token in a link's fragment (which browsers send nowhere) or in a form to a cookie.

use super::form::Form;
use super::layout::{Fault, Shown, go};
use crate::app::App;
use crate::auth::Who;
use crate::problem::Problem;
use crate::{cookie, links};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use borduel_study::token::Scope;
use maud::{Markup, html};
use serde::Deserialize;

/// A token, and the study that it is about.
#[derive(Deserialize)]
pub(super) struct Start {
    token: String,
    #[serde(default)]
    slug: String,
    #[serde(default)]
    embed: bool,
}

/// Has the browser keep a token that is known, and goes where it leads.
pub(super) async fn start(State(app): State<App>, Form(start): Form<Start>) -> Shown {
    let token = start.token.trim();
    let unknown = || Fault(Problem::new("no-token", "the token is not known here, has ended or was revoked"));
    let scope = Scope::of(token).filter(|_| token.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    let to = match scope.ok_or_else(unknown)? {
        Scope::Admin => {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().map_err(|_| unknown())?);
            app.admin(&headers).await?;
            "/".to_owned()
        }
        _ => match app.whose(&start.slug, token).await?.1 {
            Who::Organiser => links::admin(&start.slug),
            Who::Viewer => links::results(&start.slug),
            Who::Voter(_, Scope::Judge) => {
                return Err(Problem::new("not-yours", "judges vote by the API: see /docs").into());
            }
            Who::Voter(..) => links::vote(&start.slug),
        },
    };
    Ok(go(&to, cookie::keep(&app, &start.slug, token, start.embed)))
}

/// Where somebody who has a token can put it, with these words.
pub(super) fn ask(slug: &str, what: &str, go_on: &str) -> Markup {
    html! {
        form.stack method="post" action="/session" {
            input type="hidden" name="slug" value=(slug);
            label { (what) input type="password" name="token" required autocomplete="off" placeholder="bd_…"; }
            button.main type="submit" { (go_on) }
        }
    }
}
