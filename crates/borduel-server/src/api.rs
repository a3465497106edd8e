//! The addresses under `/v1`. One file a noun.

pub(crate) mod bundles;
pub(crate) mod contents;
pub(crate) mod contexts;
pub(crate) mod exports;
pub(crate) mod images;
pub(crate) mod imports;
pub(crate) mod items;
pub(crate) mod live;
pub(crate) mod questions;
pub(crate) mod results;
pub(crate) mod studies;
pub(crate) mod suggestions;
pub(crate) mod tokens;
pub(crate) mod voters;

use crate::app::App;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// All addresses under `/v1`.
pub(crate) fn router() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(studies::create, studies::list))
        .routes(routes!(studies::show, studies::patch, studies::delete))
        .routes(routes!(studies::status))
        .routes(routes!(items::list, items::post))
        .routes(routes!(items::put))
        .routes(routes!(suggestions::list, suggestions::post))
        .routes(routes!(suggestions::put))
        .routes(routes!(images::put))
        .routes(routes!(images::get))
        .routes(routes!(contexts::list, contexts::post))
        .routes(routes!(contexts::put))
        .routes(routes!(contexts::picture))
        .routes(routes!(contents::list, contents::post, bundles::put))
        .routes(routes!(contents::picture))
        .routes(routes!(tokens::list, tokens::make))
        .routes(routes!(tokens::revoke))
        .routes(routes!(voters::join, voters::list))
        .routes(routes!(voters::puzzle))
        .routes(routes!(voters::quality))
        .routes(routes!(voters::patch, voters::erase))
        .routes(routes!(voters::describe))
        .routes(routes!(questions::ask))
        .routes(routes!(questions::answer, questions::undo))
        .routes(routes!(questions::answers))
        .routes(routes!(results::results))
        .routes(routes!(results::results_by))
        .routes(routes!(live::live))
        .routes(routes!(exports::log))
        .routes(routes!(exports::export))
        .routes(routes!(imports::put))
}
