//! Where things are: the addresses of pages and pictures.

/// Where a picture is.
pub(crate) fn picture(slug: &str, hash: &str) -> String {
    format!("/v1/studies/{slug}/images/{hash}")
}

/// Where people vote.
pub(crate) fn vote(slug: &str) -> String {
    format!("/s/{slug}")
}

/// Where the organiser works.
pub(crate) fn admin(slug: &str) -> String {
    format!("/s/{slug}/admin")
}

/// Where results are shown.
pub(crate) fn results(slug: &str) -> String {
    format!("/s/{slug}/results")
}
