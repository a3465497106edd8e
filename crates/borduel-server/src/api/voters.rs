//! The voters of a study: joining, inviting, blocking, erasing, and how they vote.

use crate::api_result::ApiResult;
use crate::app::App;
use crate::auth::Who;
use crate::body::{Asked, Json, Page, number, part, query};
use crate::criterion::chosen;
use crate::limit::address;
use crate::problem::{Problem, Problems};
use crate::proof_of_work::puzzle as puzzle_of;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode};
use borduel_study::command::Join;
use borduel_study::event::{By, Inclusion, Kind, Standing, Status};
use borduel_study::ledger::StudyId;
use borduel_study::settings::Voting;
use borduel_study::token::{self, Scope};
use borduel_study::{Command, Desk, Error, Reply, State as Study, desk, standing};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use utoipa::{IntoParams, ToSchema};

/// Who is to join.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewVoter {
    /// The organiser may invite people (`invited`) and admit judges, whose answers are votes (`judge`) or hints
    /// (`hint`).
    kind: Option<NewKind>,
    /// A name, where the study asks for one.
    #[schema(max_length = 100)]
    name: Option<String>,
    /// The keys of the items that the voter must not be asked about; only the organiser may say so.
    #[schema(max_items = 100)]
    owns: Vec<String>,
    /// The solution of a puzzle, `PUZZLE:NUMBER`, where the study wants a proof of work.
    #[schema(max_length = 100)]
    work: Option<String>,
    /// The names of people to invite, one voter each, in this order; only the organiser may say so, in the place of
    /// `count`.
    #[schema(max_items = 1000)]
    names: Vec<String>,
    /// How many of the same kind at once; only the organiser may ask for more than one.
    #[schema(minimum = 1, maximum = 1000)]
    count: Option<u32>,
    /// Whether whoever joins agrees to what the study says (its setting `consent`), where it says something.
    agree: bool,
    /// What the voter says about itself: the chosen answer to each question that the study asks (its setting `asks`).
    attributes: BTreeMap<String, String>,
    /// After how many seconds the token ends; never unless given.
    #[schema(minimum = 60, maximum = 315_360_000)]
    expires_in: Option<u32>,
}

/// What an organiser can let in.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NewKind {
    /// Somebody with a personal token.
    Invited,
    /// A program that judges, with a token.
    Judge,
    /// A program whose answers are hints: they guide what people are asked, and are never counted as votes.
    Hint,
}

/// A voter who joined.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct Joined {
    /// The voter's number.
    voter: u32,
    /// The voter's token, shown this once.
    token: String,
    /// Whether it may vote: `active`, or `screened-out` or `over-quota` by what it says about itself.
    state: Standing,
}

/// The voters who joined. The first one's number and token also stand by themselves.
#[derive(Serialize, ToSchema)]
pub(crate) struct JoinedAll {
    #[serde(flatten)]
    first: Joined,
    /// All of them.
    voters: Vec<Joined>,
}

/// Joins a study, or (as its organiser) invites people and admits judges.
#[utoipa::path(post, path = "/v1/studies/{slug}/voters", operation_id = "join_study",
    tag = "voters", request_body = NewVoter, params(("slug" = String, Path)),
    security((), ("organiser" = [])), responses((status = 201, description = "Joined.", body = JoinedAll), Problems))]
pub(crate) async fn join(
    State(app): State<App>,
    Path(slug): Path<String>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Json(new): Json<NewVoter>,
) -> ApiResult<(StatusCode, axum::Json<JoinedAll>)> {
    let who = app.who(&slug, &headers).await?;
    let study = match who {
        Some((study, _)) => study,
        None => app.studies.id(&slug).await?,
    };
    let desk = app.studies.desk(study);
    let name = new.name.clone().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let mut network = None;
    let (kind, scope) = match (who.map(|(_, who)| who), new.kind) {
        (Some(Who::Organiser), Some(NewKind::Judge)) => (Kind::Judge, Scope::Judge),
        (Some(Who::Organiser), Some(NewKind::Hint)) => (Kind::Hint, Scope::Judge),
        (Some(Who::Organiser), _) => (Kind::Invited, Scope::Voter),
        // Whoever was blocked, too.
        (Some(Who::Voter(voter, _)), _) => {
            return Err(Problem::new("conflict", format!("you have joined already: you are voter {voter}")));
        }
        (Some(Who::Viewer) | None, kind) => {
            let voter = admit(&desk, &slug, name.is_some(), new.agree).await?;
            if !desk.read(|state| state.settings.id_parameter.is_empty()).await? {
                let how = "this study is joined on its page, from the crowd platform that knows who comes";
                return Err(Problem::new("not-yours", how));
            }
            app.limits.join(study, address(peer.ip(), &headers, app.proxies).to_canonical())?;
            let many = new.count.is_some_and(|count| count > 1) || !new.names.is_empty();
            if kind.is_some() || !new.owns.is_empty() || many {
                return Err(Problem::new("not-yours", "kind, owns, names and count are for the organiser"));
            }
            network = Some(app.network(study, peer.ip(), &headers).await?);
            (voter, Scope::Voter)
        }
    };
    let names: Vec<&str> = new.names.iter().map(|name| name.trim()).collect();
    if name.iter().map(String::as_str).chain(names.iter().copied()).any(|name| name.chars().count() > 100) {
        return Err(Problem::invalid("name has more than 100 characters"));
    }
    let counted = new.count.is_some() || name.is_some() || scope != Scope::Voter;
    if !names.is_empty() && (counted || names.len() > 1000 || names.contains(&"")) {
        let how = "names are 1 to 1000 people who are invited, none of them empty, without kind, count and name";
        return Err(Problem::invalid(how));
    }
    if new.expires_in.is_some_and(|seconds| !(60..=315_360_000).contains(&seconds)) {
        return Err(Problem::invalid("expires_in must be from 60 to 315360000 seconds"));
    }
    let count = new.count.unwrap_or(1);
    if !(1..=1000).contains(&count) || new.owns.len() > 100 {
        return Err(Problem::invalid("count must be from 1 to 1000, owns at most 100 keys"));
    }
    if network.is_some() {
        app.worked(study, &desk, new.work.as_deref().unwrap_or_default()).await?;
    }
    let expires = new.expires_in.map(|seconds| desk::now() + i64::from(seconds) * 1000);
    let called: Vec<Option<String>> = if names.is_empty() {
        vec![name; count as usize]
    } else {
        names.iter().map(|name| Some((*name).to_owned())).collect()
    };
    // All at once: they share a commit.
    let one = async |name: Option<String>| {
        let (token, hash) = token::new(scope)?;
        let (owns, attributes) = (new.owns.clone(), new.attributes.clone());
        let per_minute = app.limits.joins_a_minute;
        let join = Join { owns, name, expires, network, per_minute, attributes, ..Join::new(kind, hash) };
        match desk.send(Command::Join(join)).await? {
            Reply::Joined { voter } => Ok(Joined { voter, token, state: standing_of(&desk, voter).await? }),
            _ => Err(Problem::new("internal", "joining was answered with something else")),
        }
    };
    let voters = try_join_all(called.into_iter().map(one)).await?;
    let first = voters[0].clone();
    Ok((StatusCode::CREATED, axum::Json(JoinedAll { first, voters })))
}

/// A puzzle to be solved before joining.
#[derive(Serialize, ToSchema)]
pub(crate) struct PuzzleView {
    /// What is put before the number.
    puzzle: String,
    /// How many zero bits the SHA-256 of `PUZZLE:NUMBER` must begin with; with 0 nothing needs to be solved.
    bits: u32,
}

/// Makes a puzzle for whoever wants to join. It may be solved within half an hour, and a solution lets in one voter.
#[utoipa::path(get, path = "/v1/studies/{slug}/proof-of-work", operation_id = "make_puzzle",
    tag = "voters", params(("slug" = String, Path)), security(()),
    responses((status = 200, description = "The puzzle.", body = PuzzleView), Problems))]
pub(crate) async fn puzzle(State(app): State<App>, Path(slug): Path<String>) -> ApiResult<axum::Json<PuzzleView>> {
    let study = app.studies.id(&slug).await?;
    let look = |state: &Study| {
        let settings = &state.settings;
        is_for_strangers(state.status, settings.voting).then_some(settings.proof_of_work)
    };
    let Some(bits) = app.studies.desk(study).read(look).await? else { return Err(Error::NoStudy(slug).into()) };
    Ok(axum::Json(PuzzleView { puzzle: puzzle_of(&app.secret(study).await?, desk::now())?, bits }))
}

impl App {
    /// Takes a proof of work, where the study wants one.
    pub(crate) async fn worked(&self, study: StudyId, desk: &Desk, solution: &str) -> ApiResult<()> {
        let bits = desk.read(|state| state.settings.proof_of_work).await?;
        if bits == 0 {
            return Ok(());
        }
        self.solved.take(&self.secret(study).await?, bits, solution, desk::now())
    }
}

/// A voter in the list. Nothing of it says who that is.
#[derive(Serialize, ToSchema)]
pub(crate) struct VoterView {
    voter: u32,
    /// `anonymous`, `invited`, `named`, `judge`, `imported`, `unknown` or `hint`.
    #[schema(value_type = String)]
    kind: Kind,
    state: Standing,
    /// Whether its votes count.
    counted: bool,
    /// How many pairs it has answered.
    answered: u32,
    /// What it said about itself.
    attributes: BTreeMap<String, String>,
}

/// The voters of a study.
#[derive(Serialize, ToSchema)]
pub(crate) struct VoterList {
    voters: Vec<VoterView>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Lists the voters by number.
#[utoipa::path(get, path = "/v1/studies/{slug}/voters", operation_id = "list_voters",
    tag = "voters", params(("slug" = String, Path), Page), security(("organiser" = [])),
    responses((status = 200, description = "A part of the voters.", body = VoterList), Problems))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    page: Asked<Page>,
) -> ApiResult<axum::Json<VoterList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let page = query(page)?;
    let (limit, after) = (page.limit()? as usize, page.after::<u32>()?);
    let look = |state: &Study| {
        let keys = state.attribute_keys();
        let all = (0_u32..).zip(&state.voters).skip(after.map_or(0, |after| after as usize + 1)).take(limit + 1);
        let view = |(voter, known): (u32, &borduel_study::state::Voter)| {
            let said = |key: &&str| Some(((*key).to_owned(), state.attribute(known, key)?.to_owned()));
            let attributes = keys.iter().filter_map(said).collect();
            let (kind, state, counted, answered) = (known.kind, known.standing, !known.excluded, known.answered);
            VoterView { voter, kind, state, counted, answered, attributes }
        };
        all.map(view).collect::<Vec<_>>()
    };
    let (voters, next) = part(desk.read(look).await?, limit, |last| last.voter.to_string());
    Ok(axum::Json(VoterList { voters, next }))
}

/// Whether a voter may vote.
pub(crate) async fn standing_of(desk: &Desk, voter: u32) -> ApiResult<Standing> {
    let of = |state: &Study| state.voters.get(voter as usize).map_or(Standing::Blocked, |voter| voter.standing);
    Ok(desk.read(of).await?)
}

/// What a voter says about itself.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attributes {
    /// The chosen answer to each question that the study asks (its setting `asks`).
    attributes: BTreeMap<String, String>,
}

/// Whether a voter may vote.
#[derive(Serialize, ToSchema)]
pub(crate) struct VoterState {
    /// `active`, or `screened-out` or `over-quota` by what it says about itself.
    state: Standing,
}

/// Says something about a voter who was let in by the organiser, once.
#[utoipa::path(put, path = "/v1/studies/{slug}/voters/{voter}/attributes", operation_id = "describe_voter",
    tag = "voters", request_body = Attributes,
    params(("slug" = String, Path), ("voter" = u32, Path)), security(("organiser" = []), ("voter" = [])),
    responses((status = 200, description = "It is noted.", body = VoterState), Problems))]
pub(crate) async fn describe(
    State(app): State<App>,
    Path((slug, voter)): Path<(String, String)>,
    headers: HeaderMap,
    Json(said): Json<Attributes>,
) -> ApiResult<axum::Json<VoterState>> {
    let needed = "this needs the organiser's or the voter's own token";
    let (study, who) = app.who(&slug, &headers).await?.ok_or_else(|| Problem::new("no-token", needed))?;
    let voter = number(&voter, "voter")?;
    match who {
        Who::Organiser => {}
        Who::Voter(own, _) if own == voter => {}
        Who::Voter(..) => return Err(Problem::not_found(format!("there is no voter {voter} that is you"))),
        Who::Viewer => return Err(Problem::new("not-yours", needed)),
    }
    let desk = app.studies.desk(study);
    desk.send(Command::Describe { voter, answers: said.attributes }).await?;
    Ok(axum::Json(VoterState { state: standing_of(&desk, voter).await? }))
}

/// Whether there is something to join for whoever has no token: a draft, and a study for those who were invited, are
/// nobody else's business.
pub(crate) fn is_for_strangers(status: Status, voting: Voting) -> bool {
    status != Status::Draft && voting != Voting::Invited
}

/// What is said to whoever does not agree to what a study says.
pub(crate) fn disagrees() -> Problem {
    Problem::invalid("only whoever agrees to what this study says can vote in it: send `agree`")
}

/// What somebody without a token becomes who wants to join. Asked before anything else, so that what is hidden stays
/// so.
pub(crate) async fn admit(desk: &Desk, slug: &str, named: bool, agreed: bool) -> ApiResult<Kind> {
    let look = |state: &Study| (state.status, state.settings.voting, !state.settings.consent.is_empty());
    let (status, voting, consent) = desk.read(look).await?;
    if !is_for_strangers(status, voting) {
        return Err(Error::NoStudy(slug.to_owned()).into());
    }
    if consent && !agreed {
        return Err(disagrees());
    }
    match voting {
        _ if named => Ok(Kind::Named),
        Voting::Named => Err(Problem::invalid("this study asks for a name of at most 100 characters")),
        Voting::Link | Voting::Invited => Ok(Kind::Anonymous),
    }
}

/// What a voter is to be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoterChange {
    /// What it is to be; to withdraw somebody, delete.
    state: Standing,
    /// What becomes of the votes.
    votes: Inclusion,
}

/// What was done.
#[derive(Serialize, ToSchema)]
pub(crate) struct Done {
    /// Whether anything changed.
    changed: bool,
}

/// Blocks a voter or lets it in again, and sets its votes aside or counts them.
#[utoipa::path(patch, path = "/v1/studies/{slug}/voters/{voter}", operation_id = "change_voter",
    tag = "voters", request_body = VoterChange,
    params(("slug" = String, Path), ("voter" = u32, Path)), security(("organiser" = [])),
    responses((status = 200, description = "Done.", body = Done), Problems))]
pub(crate) async fn patch(
    State(app): State<App>,
    Path((slug, voter)): Path<(String, String)>,
    headers: HeaderMap,
    Json(change): Json<VoterChange>,
) -> ApiResult<axum::Json<Done>> {
    let desk = app.organiser(&slug, &headers).await?;
    let voter = number(&voter, "voter")?;
    if change.state == Standing::Withdrawn {
        return Err(Problem::invalid("a voter is withdrawn by DELETE"));
    }
    let command = Command::Voter { voter, standing: change.state, votes: change.votes, by: By::Organiser };
    Ok(axum::Json(Done { changed: desk.send(command).await? == Reply::Done }))
}

/// What becomes of an erased voter's votes.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Erasing {
    /// `withdraw` (unless given) or `keep`.
    #[param(inline)]
    votes: Option<Erased>,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Erased {
    /// They count no longer.
    Withdraw,
    /// They count: the number alone says nothing about a person.
    Keep,
}

/// Erases a voter: token, name and comments go. Once the study is closed, a voter itself can only be erased with
/// `votes=keep`.
#[utoipa::path(delete, path = "/v1/studies/{slug}/voters/{voter}", operation_id = "erase_voter",
    tag = "voters",
    params(("slug" = String, Path), ("voter" = u32, Path), Erasing), security(("organiser" = []), ("voter" = [])),
    responses((status = 200, description = "Erased.", body = Done), Problems))]
pub(crate) async fn erase(
    State(app): State<App>,
    Path((slug, voter)): Path<(String, String)>,
    headers: HeaderMap,
    erasing: Asked<Erasing>,
) -> ApiResult<axum::Json<Done>> {
    let needed = "this needs the organiser's or the voter's own token";
    let (study, who) = app.who(&slug, &headers).await?.ok_or_else(|| Problem::new("no-token", needed))?;
    let (voter, erasing) = (number(&voter, "voter")?, query(erasing)?);
    let by = match who {
        Who::Organiser => By::Organiser,
        Who::Voter(own, _) if own == voter => By::Voter,
        Who::Voter(..) => return Err(Problem::not_found(format!("there is no voter {voter} that is you"))),
        Who::Viewer => return Err(Problem::new("not-yours", needed)),
    };
    let votes = if matches!(erasing.votes, Some(Erased::Keep)) { Inclusion::Keep } else { Inclusion::Aside };
    let command = Command::Voter { voter, standing: Standing::Withdrawn, votes, by };
    let reply = app.studies.desk(study).send(command).await?;
    Ok(axum::Json(Done { changed: reply == Reply::Done }))
}

/// How a voter votes.
#[derive(Serialize, ToSchema)]
pub(crate) struct QualityView {
    voter: u32,
    votes: u32,
    /// The share of decisions that agree with the majority of the others.
    agreement: Option<f64>,
    /// The median time until an answer.
    median_ms: Option<u32>,
    /// The share of decisions for what was shown first.
    first_share: Option<f64>,
    /// The longest run of decisions for the same side.
    longest_run: u32,
    /// Pairs that came again with sides swapped, and how many of them were decided the same way.
    rechecks: Rechecks,
    /// Pairs with a known answer.
    gold: GoldView,
}

/// Pairs with a known answer, which are not among the votes.
#[derive(Serialize, ToSchema)]
pub(crate) struct GoldView {
    /// Answered, and not skipped.
    answered: u32,
    /// Of these, those with another answer than the known one.
    failed: u32,
}

/// Pairs that came again.
#[derive(Serialize, ToSchema)]
pub(crate) struct Rechecks {
    asked: u32,
    same: u32,
}

/// How all voters vote.
#[derive(Serialize, ToSchema)]
pub(crate) struct QualityList {
    voters: Vec<QualityView>,
    /// What the next part comes after, if there is one.
    next: Option<String>,
}

/// Which part of the list, by which of several questions about each pair.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct QualityPart {
    /// What the part comes after: the `next` of the part before.
    after: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// The key of one of several questions about each pair; the first unless it is said.
    criterion: Option<String>,
}

/// Shows how voters vote.
#[utoipa::path(get, path = "/v1/studies/{slug}/voters/quality", operation_id = "list_quality",
    tag = "voters", params(("slug" = String, Path), QualityPart),
    security(("organiser" = [])),
    responses((status = 200, description = "A part of the voters with votes.", body = QualityList), Problems))]
pub(crate) async fn quality(
    State(app): State<App>,
    Path(slug): Path<String>,
    headers: HeaderMap,
    part: Asked<QualityPart>,
) -> ApiResult<axum::Json<QualityList>> {
    let desk = app.organiser(&slug, &headers).await?;
    let QualityPart { after, limit, criterion } = query(part)?;
    let page = Page { after, limit };
    let (limit, after) = (page.limit()? as usize, page.after::<u32>()?);
    let criterion = chosen(&desk, criterion.as_deref()).await?;
    let state = desk.copy().await?;
    let found = app.computer.run(move || standing::quality(&state.by(criterion))).await?;
    let view = |quality: standing::Quality| QualityView {
        voter: quality.voter,
        votes: quality.votes,
        agreement: quality.agreement,
        median_ms: quality.median_ms,
        first_share: quality.first_share,
        longest_run: quality.longest_run,
        rechecks: Rechecks { asked: quality.rechecks.1, same: quality.rechecks.0 },
        gold: GoldView { answered: quality.gold.answered, failed: quality.gold.failed },
    };
    let mut part = found.into_iter().filter(|quality| after.is_none_or(|after| quality.voter > after));
    let voters: Vec<QualityView> = part.by_ref().take(limit).map(view).collect();
    let next = part.next().and(voters.last()).map(|last| last.voter.to_string());
    Ok(axum::Json(QualityList { voters, next }))
}
