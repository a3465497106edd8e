//! Who asks: bearer tokens (for pages also those that the browser has kept), looked up by their hash. Whoever has none
//! that is known is answered alike whether there is a study of a name or not, but for studies that everybody may join
//! or see.

use crate::app::App;
use crate::cookie;
use crate::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use borduel_study::ledger::StudyId;
use borduel_study::token::{self, Scope};
use borduel_study::{Desk, Error};
use std::convert::Infallible;

/// The scope of administrators' tokens in the database.
pub(crate) const ADMIN: &str = "admin";
/// The scope of organisers' tokens in the database.
pub(crate) const ORGANISER: &str = "organiser";
/// The scope of tokens that show results, in the database.
pub(crate) const VIEWER: &str = "viewer";

/// Who asks, about one study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Its organiser, or the server's administrator.
    Organiser,
    /// One of its voters: a judge, or a person.
    Voter(u32, Scope),
    /// Somebody who may see its results.
    Viewer,
}

/// The token of a request.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(token.trim())),
        _ => Err(Problem::new("no-token", "Authorization must be `Bearer` and a token")),
    }
}

/// The token of a request for handlers that want no other header: a copy of all of them takes longer than a vote takes
/// to be read.
pub(crate) struct Bearer(Result<Option<Box<str>>, Problem>);

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(bearer(&parts.headers).map(|token| token.map(Box::from))))
    }
}

fn unknown() -> Problem {
    Problem::new("no-token", "the token is not known here, has ended or was revoked")
}

impl App {
    /// Whether this is a token of the server's administrator.
    async fn is_admin(&self, token: &str) -> Result<(), Problem> {
        match self.studies.ledger().token(&token::hash(token), borduel_study::desk::now()).await? {
            Some((scope, _)) if scope == ADMIN => Ok(()),
            Some(_) => Err(Problem::new("not-yours", "this needs the server's admin token")),
            None => Err(unknown()),
        }
    }

    /// The server's administrator, or nobody.
    pub(crate) async fn admin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let token = bearer(headers)?.ok_or_else(|| Problem::new("no-token", "this needs the server's admin token"))?;
        self.is_admin(token).await
    }

    /// The server's administrator before a page.
    pub(crate) async fn page_admin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        match cookie::read(self, headers, Scope::Admin, "") {
            Some(token) => self.is_admin(token).await,
            None => self.admin(headers).await,
        }
    }

    /// Whose token this is, in this study.
    pub(crate) async fn whose(&self, slug: &str, token: &str) -> Result<(StudyId, Who), Problem> {
        let hash = token::hash(token);
        match Scope::of(token) {
            Some(scope @ (Scope::Voter | Scope::Judge)) => {
                let study = self.study(slug).await?.ok_or_else(unknown)?;
                let voter = self.studies.voter(study, &hash).await?.ok_or_else(unknown)?;
                Ok((study, Who::Voter(voter, scope)))
            }
            Some(Scope::Admin | Scope::Organiser | Scope::Viewer) => {
                let known = self.studies.ledger().token(&hash, borduel_study::desk::now()).await?;
                let (scope, of) = known.ok_or_else(unknown)?;
                let study = self.studies.id(slug).await?;
                match scope.as_str() {
                    ADMIN => Ok((study, Who::Organiser)),
                    ORGANISER if of == study => Ok((study, Who::Organiser)),
                    VIEWER if of == study => Ok((study, Who::Viewer)),
                    _ => Err(Error::NoStudy(slug.to_owned()).into()),
                }
            }
            None => Err(unknown()),
        }
    }

    /// The study of this name, if there is one.
    pub(crate) async fn study(&self, slug: &str) -> Result<Option<StudyId>, Problem> {
        match self.studies.id(slug).await {
            Ok(study) => Ok(Some(study)),
            Err(Error::NoStudy(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Who asks about the study of this name, by a bearer token; nothing without one, whether there is such a study or
    /// not.
    pub(crate) async fn who(&self, slug: &str, headers: &HeaderMap) -> Result<Option<(StudyId, Who)>, Problem> {
        match bearer(headers)? {
            Some(token) => self.whose(slug, token).await.map(Some),
            None => Ok(None),
        }
    }

    /// The same before a page, where what the browser has kept counts too; what is no longer known is as good as
    /// nothing.
    pub(crate) async fn page_who(&self, slug: &str, headers: &HeaderMap) -> Result<Option<(StudyId, Who)>, Problem> {
        if headers.contains_key(AUTHORIZATION) {
            return self.who(slug, headers).await;
        }
        for scope in [Scope::Organiser, Scope::Admin, Scope::Viewer] {
            let Some(token) = cookie::read(self, headers, scope, slug) else { continue };
            match self.whose(slug, token).await {
                Err(problem) if problem.status < 500 => {}
                found => return found.map(Some),
            }
        }
        Ok(None)
    }

    /// The voter that the browser has kept.
    pub(crate) async fn page_voter(&self, slug: &str, headers: &HeaderMap) -> Result<Option<(StudyId, u32)>, Problem> {
        let Some(token) = cookie::read(self, headers, Scope::Voter, slug) else { return Ok(None) };
        match self.whose(slug, token).await {
            Ok((study, Who::Voter(voter, _))) => Ok(Some((study, voter))),
            Err(problem) if problem.status >= 500 => Err(problem),
            _ => Ok(None),
        }
    }

    fn only_organiser(&self, who: Option<(StudyId, Who)>) -> Result<Desk, Problem> {
        match who {
            Some((study, Who::Organiser)) => Ok(self.studies.desk(study)),
            Some(_) => Err(Problem::new("not-yours", "this needs the organiser's token")),
            None => Err(Problem::new("no-token", "this needs the organiser's token")),
        }
    }

    /// The desk of a study, for its organiser.
    pub(crate) async fn organiser(&self, slug: &str, headers: &HeaderMap) -> Result<Desk, Problem> {
        self.only_organiser(self.who(slug, headers).await?)
    }

    /// The desk of a study, for its organiser before a page.
    pub(crate) async fn page_organiser(&self, slug: &str, headers: &HeaderMap) -> Result<Desk, Problem> {
        self.only_organiser(self.page_who(slug, headers).await?)
    }

    /// The desk of a study and the number of the voter who asks; every request counts against its rate.
    pub(crate) async fn voter(&self, slug: &str, bearer: Bearer) -> Result<(Desk, u32, Scope), Problem> {
        let needed = "this needs a voter's token: join the study first";
        let token = bearer.0?.ok_or_else(|| Problem::new("no-token", needed))?;
        let (study, Who::Voter(voter, kind)) = self.whose(slug, &token).await? else {
            return Err(Problem::new("not-yours", needed));
        };
        self.limits.vote(study, voter, kind)?;
        Ok((self.studies.desk(study), voter, kind))
    }
}
