//! Why what somebody wants is refused.

use crate::status::Status;

/// Why a command was refused. Nothing was changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The study is not in the right phase.
    #[error("the study is {}: {needed}", .status.word())]
    Status {
        /// The status that the study has.
        status: Status,
        /// What it would have to be.
        needed: &'static str,
    },
    /// There is no such voter.
    #[error("there is no voter {0} in this study")]
    NoVoter(u32),
    /// The voter may not vote.
    #[error("voter {0} may not vote here any more: ask the organiser")]
    Barred(u32),
    /// There is no such question, or not for this voter.
    #[error("there is no question {0} of yours: answer the questions that you were given")]
    NoQuestion(u32),
    /// The question has another answer already.
    #[error("question {q} was answered otherwise: take that answer back first if it was a mistake")]
    Conflict {
        /// The number of the question.
        q: u32,
    },
    /// The answer was taken back; the pair came again as another question.
    #[error("the answer to question {0} was taken back: answer the new question on that pair")]
    TakenBack(u32),
    /// The voter has answered as many questions as are wanted of one voter.
    #[error(
        "you have answered {0} questions, which is as many as are wanted of one voter: take one back to answer another"
    )]
    Enough(u32),
    /// It is too late to take the answer back.
    #[error("the answer to question {q} cannot be taken back: {why}")]
    TooLate {
        /// The number of the question.
        q: u32,
        /// Why it is refused.
        why: &'static str,
    },
    /// The answer comes sooner than the study takes one.
    #[error("this study takes {least} s for a pair at least: send the answer again in {} s", .wait.div_ceil(1000))]
    Hasty {
        /// How many seconds a pair takes at least.
        least: f64,
        /// In how many milliseconds it may come.
        wait: u64,
    },
    /// As many voters as one network may bring have come from this one.
    #[error("as many voters as this study takes from one network have joined from yours")]
    NetworkFull,
    /// As many voters as may at a time have joined from this network.
    #[error("many have joined from your network: wait a moment")]
    NetworkHasty,
    /// There is no such item.
    #[error("there is no item {0:?} in this study")]
    NoItem(String),
    /// There is no such context.
    #[error("there is no context {0:?} in this study")]
    NoContext(String),
    /// Something about the request is wrong.
    #[error("{0}")]
    Invalid(String),
    /// The settings are not those that whoever wants to change them has seen.
    #[error("the settings were changed meanwhile: read them again; their tag is now {now}")]
    Changed {
        /// The tag of the settings as they are.
        now: String,
    },
    /// The file of this name is another one.
    #[error("a file named {0:?} with other content was imported: choose another name")]
    OtherFile(String),
    /// There is too much to do; nothing was stored.
    #[error("the study has more to do than it can: nothing was stored, send it again in a moment")]
    Busy,
    /// The database failed; nothing was stored as far as is known.
    #[error("it could not be stored ({0}): send it again in a moment; what was stored already is not counted twice")]
    Storage(String),
}
