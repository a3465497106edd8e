//! Studies made in memory, as the tests need them.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

use borduel_study::command::{Change, Context, Item, Join};
use borduel_study::event::{Answer, Entry, Event, Grade, GradedAnswer, Kind, Millis, Status};
use borduel_study::settings::Criterion;
use borduel_study::{Command, Reply, Settings, State, decide};

/// A study with its log.
#[derive(Clone, Default)]
pub struct Study {
    pub state: State,
    pub log: Vec<Entry>,
    pub now: Millis,
}

impl Study {
    /// An open study of so many items, with this seed.
    pub fn open(items: usize, settings: Settings, seed: u64) -> Self {
        let mut study = Self { now: 1_700_000_000_000, ..Self::default() };
        study.note(&[Event::Created { settings, seed }]);
        study.run(&Command::Items((0..items).map(|i| item(&format!("item-{i}"), "text")).collect())).unwrap();
        study.run(&Command::Status(Status::Open)).unwrap();
        study
    }

    /// Appends events that were not decided here.
    pub fn note(&mut self, events: &[Event]) {
        let entry = Entry::new(self.state.head + 1, self.now, events).unwrap();
        self.state.append(&entry).unwrap();
        self.log.push(entry);
    }

    /// Decides a command and keeps what was decided, as a desk does.
    pub fn run(&mut self, command: &Command) -> Result<Reply, borduel_study::Refusal> {
        let first = self.state.head + 1;
        let (events, _, reply) = decide(&mut self.state, command, self.now);
        if !events.is_empty() {
            let entry = Entry::new(first, self.state.at, &events).unwrap();
            self.state.seal(&entry);
            self.log.push(entry);
        }
        reply
    }

    /// Decides an answer.
    pub fn vote(&mut self, vote: Vote) -> Result<Reply, borduel_study::Refusal> {
        self.run(&vote.command())
    }

    /// A new voter.
    pub fn join(&mut self, kind: Kind, owns: &[&str]) -> u32 {
        let owns = owns.iter().map(|&key| key.to_owned()).collect();
        match self.run(&Command::Join(Join { owns, ..Join::new(kind, [0; 32]) })).unwrap() {
            Reply::Joined { voter } => voter,
            other => panic!("{other:?}"),
        }
    }
}

/// A voter's answer to a question, with what else can be said.
pub struct Vote {
    pub voter: u32,
    pub q: u32,
    pub answer: Answer,
    pub ms: Option<u32>,
    pub grade: Option<Grade>,
    pub other_criteria: Vec<GradedAnswer>,
    pub comment: Option<String>,
    pub more: bool,
}

impl Vote {
    /// An answer with nothing else said.
    pub fn new(voter: u32, q: u32, answer: Answer) -> Self {
        Self { voter, q, answer, ms: None, grade: None, other_criteria: Vec::new(), comment: None, more: false }
    }

    pub fn command(self) -> Command {
        let Self { voter, q, answer, ms, grade, other_criteria, comment, more } = self;
        Command::Answer { voter, q, answer, ms, stacked: false, grade, other_criteria, comment, more }
    }
}

/// So many questions about each pair.
pub fn criteria(count: usize) -> Vec<Criterion> {
    let one = |key: &str| Criterion { key: key.to_owned(), question: format!("Which is more {key}?") };
    ["funny", "true", "new"].into_iter().take(count).map(one).collect()
}

/// An item with this key and text.
pub fn item(key: &str, text: &str) -> Item {
    Item { key: key.to_owned(), content: text.as_bytes().to_vec(), features: Vec::new(), correction: false }
}

/// A context with this key and text.
pub fn context(key: &str, text: &str) -> Context {
    Context { key: key.to_owned(), content: text.as_bytes().to_vec(), correction: false }
}

/// The processor time of this thread so far, which a busy machine does not distort; elsewhere the time has to do.
pub fn cpu() -> std::time::Duration {
    #[cfg(target_os = "linux")]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        std::time::Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
    }
    #[cfg(not(target_os = "linux"))]
    {
        std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap()
    }
}

/// Other settings, of these fields.
pub fn set(fields: &serde_json::Value) -> Command {
    let fields = fields.as_object().unwrap().clone();
    Command::Set(Change { fields, ..Change::default() })
}

/// The state that follows from a log.
pub fn replay(log: &[Entry]) -> State {
    let mut state = State::default();
    log.iter().for_each(|entry| state.append(entry).unwrap());
    state
}
