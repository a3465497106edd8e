//! What can be asked of a study, what it answers, and why it refuses.

use crate::event::{Answer, By, Grade, GradedAnswer, Hash, Inclusion, Kind, Millis, Scope, Standing, Status};
pub use crate::refusal::Refusal;
use crate::state::PairPlan;
use borduel_rank::ranking::VerdictKind;
use std::collections::BTreeMap;

/// What somebody wants of a study.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Questions for a voter: the open ones first, new ones up to this number.
    Ask {
        /// The voter's number in the study.
        voter: u32,
        /// How many at most.
        count: u32,
    },
    /// More questions than are wanted of everybody, for a voter who has answered those.
    More {
        /// The voter's number in the study.
        voter: u32,
        /// How many more pairs the voter wants.
        count: u32,
    },
    /// An answer to a question.
    Answer {
        /// The voter's number in the study.
        voter: u32,
        /// The number of the question that is answered.
        q: u32,
        /// The answer to the question.
        answer: Answer,
        /// How long it took, as the client measured it.
        ms: Option<u32>,
        /// Whether the items stood above each other.
        stacked: bool,
        /// How much better the better one is, where that is said.
        grade: Option<Grade>,
        /// What is said by the criteria after the first, in their order, where there are several.
        other_criteria: Vec<GradedAnswer>,
        /// What else the voter wants to say.
        comment: Option<String>,
        /// Whether to ask something new in its place.
        more: bool,
    },
    /// An answer to be taken back.
    Undo {
        /// The number of the question.
        q: u32,
        /// The voter who wants it; the organiser if nobody.
        voter: Option<u32>,
    },
    /// What a voter has to say in the end; it is kept with the last answer.
    Comment {
        /// The voter's number in the study.
        voter: u32,
        /// The text of the voter's note.
        text: String,
    },
    /// Something that items will show, to be kept under its hash.
    Keep(Vec<u8>),
    /// Something that a voter suggests as an item.
    Suggest {
        /// The voter's number in the study.
        voter: u32,
        /// What is to be shown of it.
        content: Vec<u8>,
    },
    /// What becomes of a suggestion: this item, or nothing.
    Weigh {
        /// The number of the suggestion.
        suggestion: u32,
        /// The item, unless it is rejected.
        item: Option<Item>,
    },
    /// A new voter joins.
    Join(Join),
    /// What a voter who has joined says about itself.
    Describe {
        /// The voter's number in the study.
        voter: u32,
        /// The chosen answer to each question.
        answers: BTreeMap<String, String>,
    },
    /// A voter is blocked, let in again, or withdraws.
    Voter {
        /// The voter's number in the study.
        voter: u32,
        /// What it is to be.
        standing: Standing,
        /// What becomes of its votes.
        votes: Inclusion,
        /// Who wants the change.
        by: By,
    },
    /// New items, or what is new about known ones.
    Items(Vec<Item>),
    /// An item is to be asked about and ranked, or no longer.
    Enable {
        /// The key of the item.
        key: String,
        /// Whether it is asked about from now on.
        on: bool,
    },
    /// New contexts, or what is new about known ones.
    Contexts(Vec<Context>),
    /// In a context items are to be compared, or no longer.
    EnableContext {
        /// The key of the context.
        key: String,
        /// Whether items are compared in it from now on.
        on: bool,
    },
    /// What is shown of items in contexts.
    Contents(Vec<Placed>),
    /// Another title or other settings.
    Set(Change),
    /// Open, pause, close or archive.
    Status(Status),
    /// A plan that was made beside the log.
    Adopt(PairPlan),
    /// A look that was taken beside the log.
    Judge(Look),
    /// Rows of a file of votes.
    Import(Box<Chunk>),
    /// Nothing: time has passed, or another replica has written.
    Tick,
}

/// What is known about a voter who joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// What kind of voter.
    pub kind: Kind,
    /// The keys of the items that it must not be asked about.
    pub owns: Vec<String>,
    /// The hash of its token.
    pub token: Hash,
    /// Its name, if it gave one.
    pub name: Option<String>,
    /// When its token ends.
    pub expires: Option<Millis>,
    /// The number of the network that it comes from, where that is known.
    pub network: Option<u32>,
    /// How many of that network may join a minute, whichever replica lets them in; 0 for any number.
    pub per_minute: u32,
    /// What it says about itself.
    pub attributes: BTreeMap<String, String>,
    /// What the address that it came by says of it, by parameter.
    pub sent: BTreeMap<String, String>,
}

impl Join {
    /// Somebody of this kind with the token of this hash, of whom nothing else is known.
    pub fn new(kind: Kind, token: Hash) -> Self {
        let (owns, attributes, sent) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { kind, owns, token, name: None, expires: None, network: None, per_minute: 0, attributes, sent }
    }
}

/// What is to be different about a study; everything else stays as it is when this is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Its name for people.
    pub title: Option<String>,
    /// The settings that change, as JSON.
    pub fields: serde_json::Map<String, serde_json::Value>,
    /// The [tag](crate::Settings::tag) of the settings that whoever wants this has seen: refused where they are others
    /// by now.
    pub known: Option<String>,
}

/// An item as the organiser gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its name for programs.
    pub key: String,
    /// What is shown of it, as it is stored.
    pub content: Vec<u8>,
    /// Its features, if there are any.
    pub features: Vec<f64>,
    /// Whether votes on the earlier content stay votes on this one.
    pub correction: bool,
}

/// A context as the organiser gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Its name for programs.
    pub key: String,
    /// What is shown of it, as it is stored.
    pub content: Vec<u8>,
    /// Whether votes in what it was before stay votes in it.
    pub correction: bool,
}

/// What is shown of an item in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The key of the item.
    pub item: String,
    /// The key of the context.
    pub context: String,
    /// What is shown, as it is stored.
    pub content: Vec<u8>,
    /// Whether votes on what was shown there before stay votes on this.
    pub correction: bool,
}

/// A look before it is noted.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// By which criterion, where there are several: its place among them.
    pub criterion: usize,
    /// The number of the look.
    pub look: u32,
    /// How many events it has seen, and the second of the last one, counted from the study's creation.
    pub basis: (u64, u32),
    /// Counted votes at this look.
    pub votes: u64,
    /// The confidence spent on it.
    pub level: f64,
    /// The kind of verdict that was found.
    pub kind: VerdictKind,
    /// All that may be best, the leader first.
    pub winners: Vec<u16>,
    /// What it is about, where votes have contexts.
    pub about: Option<Scope>,
}

/// Rows of a file of votes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The name of the file.
    pub name: String,
    /// The hash of its bytes.
    pub hash: Hash,
    /// How many votes the file has.
    pub rows: u64,
    /// How many voters it names.
    pub voters: u32,
    /// Whether they are a judge's, and hints: never counted as votes. Such a file is one voter.
    pub hint: bool,
    /// How many of its votes come before these.
    pub from: u64,
    /// These votes, by voter, items and answer.
    pub votes: Vec<ImportedVote>,
}

/// One vote of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedVote {
    /// The voter's place in the file's list of voters; `None` where it is not said.
    pub voter: Option<u32>,
    /// The item that stood first.
    pub first: u16,
    /// The number of the other item.
    pub second: u16,
    /// What they were compared in, where that is said.
    pub context: Option<u16>,
    /// By which criterion, where there are several: its place among them.
    pub criterion: usize,
    /// The answer that was given.
    pub answer: Answer,
}

/// What a study answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Questions of a voter.
    Questions(Sitting),
    /// An answer was taken.
    Answered {
        /// The number of the question.
        q: u32,
        /// Whether it had been taken before.
        repeated: bool,
        /// What is open now.
        next: Sitting,
    },
    /// An answer was taken back.
    Undone {
        /// The same pair as a new question, if its voter can be asked.
        again: Option<Ticket>,
    },
    /// There is a new voter.
    Joined {
        /// The number that the voter was given.
        voter: u32,
    },
    /// The command was carried out; there is nothing to tell.
    Done,
    /// There was nothing to do.
    Unchanged,
}

/// A voter's questions and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Sitting {
    /// The questions that are open.
    pub questions: Vec<Ticket>,
    /// Why there is nothing more.
    pub done: Option<Finished>,
    /// How many answers were given.
    pub answered: u32,
    /// Answers wanted, at most as many as there are pairs; `None` of a judge.
    pub goal: Option<u32>,
}

/// Why there is nothing more to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// The goal is reached.
    Goal,
    /// The voter has seen all pairs.
    SeenAll,
    /// The study has sent the voter away.
    ScreenedOut,
    /// There were enough voters like this one.
    OverQuota,
}

/// A question in the hands of its voter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The number of the question.
    pub q: u32,
    /// The item on the left or on top.
    pub first: u16,
    /// The item on the right or below.
    pub second: u16,
    /// What both are shown with, where there are contexts.
    pub context: Option<u16>,
    /// When the question lapses.
    pub expires: Millis,
}

/// Something to be stored beside the log, in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A voter's token and name.
    Voter {
        /// The voter's number in the study.
        voter: u32,
        /// The hash of its token.
        token: Hash,
        /// The voter's name, where one was given.
        name: Option<String>,
        /// What the address that it came by says of it, by parameter.
        sent: BTreeMap<String, String>,
        /// When its token ends.
        expires: Option<Millis>,
    },
    /// A voter's token, name and notes go.
    Forget {
        /// The voter's number in the study.
        voter: u32,
        /// Its questions, whose notes go.
        questions: Vec<u32>,
    },
    /// The study's webhook is told of what comes after this event, or of nothing more.
    Hook {
        /// The event after which it holds.
        from: Option<u64>,
    },
    /// The study's name for people.
    Title(String),
    /// A comment on a question.
    Note {
        /// The number of the question.
        q: u32,
        /// The text of the comment.
        text: String,
    },
    /// What a rejected suggestion said goes.
    Discard {
        /// The hash of what it said.
        hash: Hash,
    },
    /// What is shown of an item or a context.
    Content {
        /// The hash of what is shown.
        hash: Hash,
        /// What is shown, as bytes.
        body: Vec<u8>,
    },
}

impl From<Option<u32>> for By {
    fn from(voter: Option<u32>) -> Self {
        if voter.is_some() { Self::Voter } else { Self::Organiser }
    }
}
