//! Who asks: bearer tokens, looked up by their hash.

use crate::app::App;
use crate::problem::Problem;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use borduel_study::Desk;
use borduel_study::ledger::StudyId;
use borduel_study::token::{self, Scope};

/// The scope of administrators' tokens in the database.
pub(crate) const ADMIN: &str = "admin";
/// The scope of organisers' tokens in the database.
pub(crate) const ORGANISER: &str = "organiser";

/// Who asks, about one study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Its organiser, or the server's administrator.
    Organiser,
    /// One of its voters: a judge, or a person.
    Voter(u32, Scope),
    /// Somebody without a token.
    Nobody,
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

fn unknown() -> Problem {
    Problem::new("no-token", "the token is not known here, has ended or was revoked")
}

impl App {
    /// The server's administrator, or nobody.
    pub(crate) async fn admin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let token = bearer(headers)?.ok_or_else(|| Problem::new("no-token", "this needs the server's admin token"))?;
        match self.studies.ledger().token(&token::hash(token), borduel_study::desk::now()).await? {
            Some((scope, _)) if scope == ADMIN => Ok(()),
            Some(_) => Err(Problem::new("not-yours", "this needs the server's admin token")),
            None => Err(unknown()),
        }
    }

    /// The study of this name and who asks about it.
    pub(crate) async fn who(&self, slug: &str, headers: &HeaderMap) -> Result<(StudyId, Who), Problem> {
        let token = bearer(headers)?;
        let Some(token) = token else { return Ok((self.studies.id(slug).await?, Who::Nobody)) };
        let hash = token::hash(token);
        match Scope::of(token) {
            Some(scope @ (Scope::Voter | Scope::Judge)) => {
                let study = self.studies.id(slug).await?;
                let voter = self.studies.voter(study, &hash).await?.ok_or_else(unknown)?;
                Ok((study, Who::Voter(voter, scope)))
            }
            Some(Scope::Admin | Scope::Organiser) => {
                let known = self.studies.ledger().token(&hash, borduel_study::desk::now()).await?;
                let (scope, of) = known.ok_or_else(unknown)?;
                let study = self.studies.id(slug).await?;
                if scope == ADMIN || (scope == ORGANISER && of == study) {
                    return Ok((study, Who::Organiser));
                }
                // Whether a study of this name exists is not for strangers.
                Err(Problem::not_found(format!("there is no study {slug:?}")))
            }
            None => Err(unknown()),
        }
    }

    /// The desk of a study, for its organiser.
    pub(crate) async fn organiser(&self, slug: &str, headers: &HeaderMap) -> Result<Desk, Problem> {
        match self.who(slug, headers).await? {
            (study, Who::Organiser) => Ok(self.studies.desk(study)),
            (_, Who::Voter(..)) => Err(Problem::new("not-yours", "this needs the organiser's token")),
            (_, Who::Nobody) => Err(Problem::new("no-token", "this needs the organiser's token")),
        }
    }

    /// The desk of a study and the number of the voter who asks; every request counts against its rate.
    pub(crate) async fn voter(&self, slug: &str, headers: &HeaderMap) -> Result<(Desk, u32, Scope), Problem> {
        match self.who(slug, headers).await? {
            (study, Who::Voter(voter, kind)) => {
                self.limits.vote(study, voter, kind)?;
                Ok((self.studies.desk(study), voter, kind))
            }
            (_, Who::Organiser) => Err(Problem::new("not-yours", "this needs a voter's token: join the study first")),
            (_, Who::Nobody) => Err(Problem::new("no-token", "this needs a voter's token: join the study first")),
        }
    }
}
