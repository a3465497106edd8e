//! The facts of a study: what was decided, in the order in which it was. Nothing is ever rewritten.
//!
//! Facts hold numbers, keys, hashes and the organiser's settings; never a voter's name, words, address or token, so
//! that erasing a person leaves the log whole. A network is a number that says nothing without the study's secret,
//! which is not in the log.

mod answer;
mod written;

use crate::error::{Error, Result};
pub use crate::hex::Hash;
use crate::settings::{Method, Settings};
pub use crate::status::Status;
pub use answer::{Answer, Grade, GradedAnswer, SOFT_UNIT};
use borduel_rank::About;
use borduel_rank::ranking::VerdictKind;
use borduel_rank::sequential::Trust;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use written::Written;

/// The newest format in which events are written. Those before it are read as well: in format 1 every part of every
/// event had its name, up to format 2 a look called "clear-winner" what is good enough, up to format 3 there were
/// no contexts, up to format 4 nobody was sent away, described or had a network, up to format 5 nobody was told, said
/// how much better something is, suggested anything, or gave hints, and up to format 6 one question was asked about a
/// pair and nothing was kept of an address but an id and a pair took any time, and up to format 7 no judge had a price.
pub const FORMAT: u32 = 8;

/// The format of what has nothing to do with contexts: who knows none can still read it.
const WITHOUT_CONTEXTS: u32 = 3;
/// The format of what knows contexts, and nothing newer.
const WITH_CONTEXTS: u32 = 4;
/// The format of what sends voters away or says something about them, and nothing newer.
const WITH_SCREENING: u32 = 5;
/// The format of what tells, grades, suggests or hints, and nothing newer.
const WITH_HINTS: u32 = 6;
/// The format of what has several criteria, keeps parameters or takes time, and nothing newer.
const WITH_CRITERIA: u32 = 7;

/// Milliseconds since 1970, UTC.
pub type Millis = i64;

/// A fact of a study, as it stands in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// The study exists from here on.
    Created {
        /// The settings at the beginning.
        settings: Settings,
        /// Where all its random numbers come from.
        seed: u64,
    },
    /// The settings are others from here on.
    Set {
        /// All settings, the changed and the others.
        settings: Settings,
    },
    /// The study was opened, paused, closed or archived.
    Status {
        /// What it is from here on.
        status: Status,
    },
    /// There is a new item. If its key was taken, the earlier item of that key has gone for good.
    ItemAdded {
        /// Its number, never used again.
        item: u16,
        /// Its name for programs.
        key: String,
        /// The hash of what is shown of it.
        #[serde(with = "crate::hex")]
        content: Hash,
        /// Its features, if there are any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<f64>,
    },
    /// An item looks different from here on but is the same: its votes stay.
    ItemEdited {
        /// The number of the item.
        item: u16,
        /// The hash of what is shown of it.
        #[serde(with = "crate::hex")]
        content: Hash,
        /// Its features, if there are any.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        features: Vec<f64>,
    },
    /// An item is asked about and ranked (or no longer).
    ItemEnabled {
        /// The number of the item.
        item: u16,
        /// Whether the item is shown from now on.
        on: bool,
    },
    /// There is a new context: something that both items of a question are shown with.
    ContextAdded {
        /// Its number, never used again.
        context: u16,
        /// Its name for programs.
        key: String,
        /// The hash of what is shown of it.
        #[serde(with = "crate::hex")]
        content: Hash,
    },
    /// A context looks different from here on but is the same: its votes stay.
    ContextEdited {
        /// The number of the context.
        context: u16,
        /// The hash of what is shown of it.
        #[serde(with = "crate::hex")]
        content: Hash,
    },
    /// Items are compared in a context (or no longer).
    ContextEnabled {
        /// The number of the context.
        context: u16,
        /// Whether its pairs are asked from now on.
        on: bool,
    },
    /// An item is shown in a context by a content of its own from here on.
    ContentGiven {
        /// The number of the item.
        item: u16,
        /// The number of the context.
        context: u16,
        /// The hash of what is shown of it there.
        #[serde(with = "crate::hex")]
        content: Hash,
    },
    /// There is a new voter.
    Joined {
        /// The number that the voter was given.
        voter: u32,
        /// What kind of voter.
        kind: Kind,
        /// The items that it must not be asked about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        owns: Vec<u16>,
        /// The number of the network that it came from, by a key that is not in the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        network: Option<u32>,
    },
    /// A voter said something about itself, in words of the organiser's.
    Described {
        /// The voter's number in the study.
        voter: u32,
        /// The chosen answer to each question.
        answers: BTreeMap<String, String>,
    },
    /// As many voters with an answer as are wanted have given all their votes.
    QuotaFull {
        /// The key of the attribute.
        key: String,
        /// The answer that the voter chose.
        answer: String,
    },
    /// A voter suggests an item, which waits for the organiser.
    Suggested {
        /// Its number, from 0.
        suggestion: u32,
        /// The voter's number in the study.
        voter: u32,
        /// The hash of what is to be shown of it.
        #[serde(with = "crate::hex")]
        content: Hash,
    },
    /// A suggestion became an item, or was rejected.
    Weighed {
        /// The number of the suggestion.
        suggestion: u32,
        /// The item that it became.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<u16>,
    },
    /// A voter was blocked, let in again, or has withdrawn.
    VoterState {
        /// The voter's number in the study.
        voter: u32,
        /// What it is from here on.
        state: Standing,
        /// What becomes of its votes.
        votes: Inclusion,
    },
    /// A voter wants to answer more questions than were wanted of it.
    Extended {
        /// The voter's number in the study.
        voter: u32,
        /// How many more pairs the voter wants.
        more: u32,
    },
    /// There is a new plan: pairs are drawn with chances proportional to these weights, a share of them from all alike.
    Planned {
        /// The number of the plan.
        plan: u32,
        /// How many events it has seen.
        basis: u64,
        /// How many counted votes it has seen.
        votes: u64,
        /// How it was made.
        method: Method,
        /// The share of questions drawn from all pairs alike.
        audits: f64,
        /// (i, j, weight) with i < j, in order.
        pairs: Vec<(u16, u16, u32)>,
        /// The pairs i < j that a judge is asked about first, in every context.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        judge_first: Vec<(u16, u16)>,
    },
    /// A voter was asked about a pair.
    Asked {
        /// The number of the question.
        q: u32,
        /// The number of the voter who was asked.
        voter: u32,
        /// The item on the left or on top.
        first: u16,
        /// The item on the right or below.
        second: u16,
        /// The chance with which exactly this pair was drawn for this voter (in this context), in either order; 1
        /// where it comes again after an undo, 0 where it was imported.
        p: f64,
        /// The plan it was drawn from.
        plan: u32,
        /// Why this pair was chosen.
        source: Source,
        /// What the two are shown with, where there are contexts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<u16>,
    },
    /// A question was answered.
    Answered {
        /// The number of the question.
        q: u32,
        /// The answer that was given.
        answer: Answer,
        /// How long it took, as the client measured it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ms: Option<u32>,
        /// Whether the items stood above each other.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stacked: bool,
        /// How much better the better one is, where that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grade: Option<Grade>,
        /// What was said by the criteria after the first, in their order, where there are several.
        #[serde(default, rename = "further", skip_serializing_if = "Vec::is_empty")]
        other_criteria: Vec<GradedAnswer>,
    },
    /// A question was open for too long and frees its place; it may still be answered.
    Lapsed {
        /// The number of the question.
        q: u32,
    },
    /// An answer was taken back.
    Retracted {
        /// The number of the question.
        q: u32,
        /// Who took the answer back.
        by: By,
    },
    /// The study was looked at with the intention to stop, at a level that pays for all looks.
    Judged {
        /// The look's number, from 0.
        look: u32,
        /// Counted votes at this look.
        votes: u64,
        /// The confidence spent on it.
        level: f64,
        /// The kind of verdict that was found.
        kind: VerdictKind,
        /// All that may be best, the leader first.
        winners: Vec<u16>,
        /// What it is about, where votes have contexts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<Scope>,
        /// By which criterion, where there are several: its place among them.
        #[serde(default, skip_serializing_if = "is_first")]
        criterion: u8,
    },
    /// Rows of a file of votes were taken in, as questions with their answers, just before this.
    Imported {
        /// The name of the file.
        name: String,
        /// The hash of its bytes.
        #[serde(with = "crate::hex")]
        hash: Hash,
        /// How many votes it has.
        rows: u64,
        /// How many of them are in.
        done: u64,
        /// The number of the first of its voters, who joined one after the other; the last one stands for all who are
        /// not named.
        voters: u32,
        /// Whether they are a judge's, and hints: never counted as votes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        hint: bool,
    },
}

impl Event {
    /// The oldest format in which it can be said.
    fn format(&self) -> u32 {
        let new = match self {
            Self::Created { settings, .. } | Self::Set { settings } => settings.is_newer(),
            Self::QuotaFull { .. }
            | Self::Suggested { .. }
            | Self::Weighed { .. }
            | Self::Answered { grade: Some(_), .. } => true,
            _ => false,
        };
        let screens = match self {
            Self::Created { settings, .. } | Self::Set { settings } => settings.screens(),
            Self::Asked { source, .. } => source.is_gold(),
            Self::Joined { network, .. } => network.is_some(),
            Self::Described { .. } => true,
            Self::VoterState { state, .. } => matches!(state, Standing::ScreenedOut | Standing::OverQuota),
            _ => false,
        };
        let hints = match self {
            Self::Created { settings, .. } | Self::Set { settings } => settings.trust != Trust::Checked,
            Self::Joined { kind, .. } => *kind == Kind::Hint,
            Self::Imported { hint, .. } => *hint,
            _ => false,
        };
        let newest = match self {
            Self::Created { settings, .. } | Self::Set { settings } => settings.is_newest(),
            Self::Answered { other_criteria, .. } => !other_criteria.is_empty(),
            Self::Judged { criterion, .. } => *criterion > 0,
            _ => false,
        };
        let priced = match self {
            Self::Created { settings, .. } | Self::Set { settings } => settings.judge_price > 0.0,
            Self::Planned { judge_first, .. } => !judge_first.is_empty(),
            _ => false,
        };
        match self.has_contexts() {
            _ if priced => FORMAT,
            _ if newest => WITH_CRITERIA,
            _ if new || hints => WITH_HINTS,
            _ if screens => WITH_SCREENING,
            true => WITH_CONTEXTS,
            false => WITHOUT_CONTEXTS,
        }
    }

    /// Whether it says something about contexts.
    fn has_contexts(&self) -> bool {
        if let Self::Created { settings, .. } | Self::Set { settings } = self {
            return settings.about.is_some();
        }
        matches!(
            self,
            Self::ContextAdded { .. }
                | Self::ContextEdited { .. }
                | Self::ContextEnabled { .. }
                | Self::ContentGiven { .. }
                | Self::Asked { context: Some(_), .. }
                | Self::Judged { about: Some(_), .. }
        )
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_first(place: &u8) -> bool {
    *place == 0
}

/// What a verdict is about, where votes have contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// These contexts, or such.
    pub about: About,
    /// How many have votes.
    pub seen: u32,
}

impl Scope {
    /// Whether a verdict about this answers the question of another one: about such contexts whatever their number,
    /// about these as long as there are as many.
    pub fn answers(self, other: Self) -> bool {
        self.about == other.about && (self.about == About::Such || self.seen == other.seen)
    }
}

/// What kind of voter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Came by the link.
    Anonymous,
    /// Came by a personal link.
    Invited,
    /// A person who gave a name.
    Named,
    /// A program that judges, with a token.
    Judge,
    /// Somebody in an imported file.
    Imported,
    /// Everybody in an imported file that does not say who voted.
    Unknown,
    /// A program, or a file of its answers, whose answers are hints: never counted as votes.
    Hint,
}

impl Kind {
    /// Whether it answers as many questions as there are, and may be unsure.
    pub fn is_program(self) -> bool {
        matches!(self, Self::Judge | Self::Hint)
    }
}

/// Whether a voter may vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The voter may be asked and may answer.
    Active,
    /// The voter is neither asked nor heard.
    Blocked,
    /// It wants no more to do with it, and is known by its number only.
    Withdrawn,
    /// It may not: the study has sent it away, by a rule of its settings.
    ScreenedOut,
    /// It may not: there were enough like it when it came.
    OverQuota,
}

/// What becomes of a voter's votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = Votes)]
pub enum Inclusion {
    /// The voter's answers count.
    Keep,
    /// They are set aside.
    Aside,
}

/// Why a pair was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Drawn by the plan's weights.
    Plan,
    /// Drawn from all pairs alike.
    Audit,
    /// The voter took its answer back.
    Again,
    /// To see how steady the voter is.
    Recheck,
    /// Came with an imported file.
    Import,
    /// A pair with a known answer, to see whether the voter looks; never counted.
    Gold,
    /// The same once more, since the voter took its answer back.
    GoldAgain,
}

impl Source {
    /// Whether it is a pair with a known answer, which is no vote.
    pub fn is_gold(self) -> bool {
        matches!(self, Self::Gold | Self::GoldAgain)
    }

    /// Whether it came again after its answer was taken back.
    pub fn is_again(self) -> bool {
        matches!(self, Self::Again | Self::GoldAgain)
    }

    /// Why the same pair comes again after its answer was taken back.
    pub(crate) fn again(self) -> Self {
        if self.is_gold() { Self::GoldAgain } else { Self::Again }
    }
}

/// Who took an answer back, or a voter out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The voter, on their own page.
    Voter,
    /// The organiser of the study.
    Organiser,
}

/// Takes a fact of format 1 or 2 for what it says: a clear winner was one than whom nobody is better by more than the
/// margin.
fn reread(event: &mut Event) {
    if let Event::Judged { kind, .. } = event
        && *kind == VerdictKind::ClearWinner
    {
        *kind = VerdictKind::GoodEnough;
    }
}

/// What one commit added to a log, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number of its first event.
    pub first: u64,
    /// The number of its last event.
    pub last: u64,
    /// When it was decided.
    pub at: Millis,
    /// The format of the body.
    pub format: u32,
    /// The events, a JSON array.
    pub body: String,
}

impl Entry {
    /// The entry of these events, at least one.
    ///
    /// # Errors
    /// Never for events that this crate makes: only numbers that JSON cannot hold would be refused.
    pub fn new(first: u64, at: Millis, events: &[Event]) -> Result<Self> {
        let body =
            serde_json::to_string(&Written(events)).map_err(|error| Error::Entry { first, why: error.to_string() })?;
        let format = events.iter().map(Event::format).max().unwrap_or(WITHOUT_CONTEXTS);
        Ok(Self { first, last: first + events.len().max(1) as u64 - 1, at, format, body })
    }

    /// Its events.
    ///
    /// # Errors
    /// A format or an event that this version does not know, or a body of another length than it says.
    pub fn events(&self) -> Result<Vec<Event>> {
        let fail = |why: String| Error::Entry { first: self.first, why };
        if self.format == 0 || self.format > FORMAT {
            return Err(Error::Format { first: self.first, format: self.format, known: FORMAT });
        }
        let mut events: Vec<Event> = serde_json::from_str(&self.body).map_err(|error| fail(error.to_string()))?;
        if self.last.checked_sub(self.first) != (events.len() as u64).checked_sub(1) {
            return Err(fail(format!("it says events {} to {} and has {}", self.first, self.last, events.len())));
        }
        if self.format <= 2 {
            events.iter_mut().for_each(reread);
        }
        Ok(events)
    }

    /// The hash of the log up to and with this entry: SHA-256(previous ‖ first ‖ at ‖ format ‖ body), numbers as 8
    /// bytes, the lowest first.
    pub fn hash(&self, previous: &Hash) -> Hash {
        let mut digest = Sha256::new();
        digest.update(previous);
        digest.update(self.first.to_le_bytes());
        digest.update(self.at.to_le_bytes());
        digest.update(u64::from(self.format).to_le_bytes());
        digest.update(self.body.as_bytes());
        digest.finalize().into()
    }
}
