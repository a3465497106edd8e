//! The interface for programs and its description, both made from the same code.

use crate::api;
use crate::app::App;
use axum::Router;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{InfoBuilder, OpenApi, OpenApiBuilder};
use utoipa_axum::router::OpenApiRouter;

/// What the interface is, as made from the code.
pub fn openapi() -> OpenApi {
    parts().1
}

/// The addresses, and what is said of them.
pub(crate) fn parts() -> (Router<App>, OpenApi) {
    let about = "Live studies: which of these is best, when all one can ask is \"this one or that one?\"";
    let info = InfoBuilder::new().title("borduel").version(env!("CARGO_PKG_VERSION")).description(Some(about)).build();
    let (router, mut openapi) =
        OpenApiRouter::with_openapi(OpenApiBuilder::new().info(info).build()).merge(api::router()).split_for_parts();
    let components = openapi.components.get_or_insert_default();
    for name in ["admin", "organiser", "voter", "judge"] {
        components.add_security_scheme(name, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
    (router, openapi)
}
