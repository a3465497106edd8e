//! Style and scripts: part of the program, under names that change with their content, so that browsers keep them for
//! good.

use crate::problem::Problem;
use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use borduel_report::Figure;
use borduel_report::ranking::CSS;
use borduel_study::hex;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// One of them.
struct Asset {
    /// What pages call it.
    plain: &'static str,
    /// What it is called in addresses.
    name: String,
    media: &'static str,
    body: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let style = [include_str!("../../assets/page.css"), CSS, &Figure::colours()].concat();
    let all = [
        ("page.css", "text/css; charset=utf-8", style),
        ("page.js", "text/javascript; charset=utf-8", include_str!("../../assets/page.js").to_owned()),
        ("waiting.js", "text/javascript; charset=utf-8", include_str!("../../assets/waiting.js").to_owned()),
        ("vote.js", "text/javascript; charset=utf-8", include_str!("../../assets/vote.js").to_owned()),
        ("work.js", "text/javascript; charset=utf-8", include_str!("../../assets/work.js").to_owned()),
        ("live.js", "text/javascript; charset=utf-8", include_str!("../../assets/live.js").to_owned()),
        ("create.js", "text/javascript; charset=utf-8", include_str!("../../assets/create.js").to_owned()),
        ("contents.js", "text/javascript; charset=utf-8", include_str!("../../assets/contents.js").to_owned()),
        ("icon.svg", "image/svg+xml", include_str!("../../assets/icon.svg").to_owned()),
    ];
    let mut made: Vec<Asset> = Vec::new();
    for (plain, media, body) in all {
        // A script that imports one of those before it finds it under the name that it has in addresses.
        let body = made.iter().fold(body, |body, one| {
            body.replace(&format!("from './{}'", one.plain), &format!("from './{}'", one.name))
        });
        let hash = hex::text(&Sha256::digest(body.as_bytes())[..6]);
        let (stem, end) = plain.split_once('.').unwrap_or((plain, ""));
        made.push(Asset { plain, name: format!("{stem}.{hash}.{end}"), media, body });
    }
    made
});

/// The address of one of them.
pub(super) fn address(plain: &str) -> String {
    let found = ASSETS.iter().find(|asset| asset.plain == plain);
    found.map_or_else(String::new, |asset| format!("/assets/{}", asset.name))
}

/// Serves one of them.
pub(super) async fn get(Path(name): Path<String>) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => {
            let headers = [(CONTENT_TYPE, asset.media), (CACHE_CONTROL, "public, max-age=31536000, immutable")];
            (headers, asset.body.as_str()).into_response()
        }
        None => Problem::not_found("there is no such file").into_response(),
    }
}
