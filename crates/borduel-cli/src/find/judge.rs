//! A judge of one's own: a program that reads questions as JSON lines and writes answers, in any order.
//!
//! It is a stranger: it may write without end, read nothing, close its output and stay, or leave children behind.
//! Reading and writing have a thread each, so that nothing it does keeps `find` from hearing a signal, and it ends with
//! its whole process group.

use super::contexts::Material;
use super::log::{Question, Word};
use super::session::Session;
use borduel_lab::failure::Failure;
use borduel_votes::Items;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// A question on the judge's standard input.
#[derive(serde::Serialize)]
struct Asked<'a> {
    q: u64,
    left: &'a str,
    right: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_text: Option<&'a str>,
}

/// An answer on its standard output.
#[derive(serde::Deserialize)]
struct Answered {
    q: u64,
    answer: Word,
    /// Who gave it, where the judge asks several.
    #[serde(default)]
    voter: Option<Voter>,
}

/// A name or a number.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Voter {
    Name(String),
    Number(i64),
}

/// How often the flag of Ctrl-C is looked at, and how long a judge may take to end when nothing more is asked.
const GLANCE: Duration = Duration::from_millis(100);
const FAREWELL: Duration = Duration::from_secs(2);

/// The most bytes of a line, how many lines wait to be read, and how much of a wrong one is shown.
const LONGEST: u64 = 1 << 16;
const WAITING: usize = 1024;
const SHOWN: usize = 200;

/// Whoever has questions for a judge.
pub(crate) trait Asking {
    /// Whether no more may be asked.
    fn is_over(&self) -> bool;
    /// The questions that wait for their answers.
    fn waiting(&self) -> usize;
    /// The answers so far.
    fn answers(&self) -> u64;
    /// What is shown in a question.
    fn shown(&self) -> (&Items, Option<&Material>);
    /// The next question, if there is one.
    fn ask(&mut self) -> Option<Question>;
    /// Takes an answer. `false` if no such question is open.
    fn answer(&mut self, number: u64, word: Word, voter: Option<&str>) -> Result<bool, Failure>;
}

impl Asking for Session {
    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn waiting(&self) -> usize {
        self.waiting()
    }

    fn answers(&self) -> u64 {
        self.answers()
    }

    fn shown(&self) -> (&Items, Option<&Material>) {
        self.shown()
    }

    fn ask(&mut self) -> Option<Question> {
        self.ask()
    }

    fn answer(&mut self, number: u64, word: Word, voter: Option<&str>) -> Result<bool, Failure> {
        self.answer(number, word, voter)
    }
}

/// Asks the judge until the session is over or stopped, `most` questions at once; `before` any of them goes to it,
/// others may be asked.
pub(crate) fn run(
    session: &mut Session,
    command: &str,
    most: usize,
    stopped: &AtomicBool,
    before: &mut dyn FnMut(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if session.is_over() {
        return Ok(());
    }
    let mut judge = JudgeProgram::start(command, Who::Judge)?;
    let done = judge.play(session, most, stopped, before);
    judge.end(stopped);
    done
}

/// Whose program it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    /// That of `--judge`.
    Judge,
    /// That of `--cheap-judge`.
    CheapJudge,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Judge => "the judge",
            Self::CheapJudge => "the cheap judge",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            Self::Judge => "--judge",
            Self::CheapJudge => "--cheap-judge",
        }
    }
}

pub(crate) struct JudgeProgram {
    who: Who,
    child: Child,
    /// Lines on their way to it; its input is closed when this is dropped.
    questions: Option<Sender<String>>,
    answers: Receiver<Vec<u8>>,
}

impl JudgeProgram {
    pub(crate) fn start(command: &str, who: Who) -> Result<Self, Failure> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let mut program = Command::new(shell);
        program.args([flag, command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        // A group of its own, so that whatever it starts can be ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        let spawned = program.spawn();
        let failed = |error| Failure::Usage(format!("{} {command}: cannot be started ({error})", who.flag()));
        let mut child = spawned.map_err(failed)?;
        let (questions, lines) = channel();
        if let Some(input) = child.stdin.take() {
            std::thread::spawn(move || write_lines(input, &lines));
        }
        let (send, answers) = sync_channel(WAITING);
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || read_lines(out, &send));
        }
        Ok(Self { who, child, questions: Some(questions), answers })
    }

    /// Puts questions and takes answers until nothing more is asked; `before` is done before each question.
    pub(crate) fn play<A: Asking>(
        &mut self,
        asking: &mut A,
        most: usize,
        stopped: &AtomicBool,
        before: &mut dyn FnMut(&mut A) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        while !asking.is_over() && !stopped.load(Ordering::Relaxed) {
            while asking.waiting() < most
                && let Some(question) = asking.ask()
            {
                before(asking)?;
                self.put(asking.shown(), question)?;
            }
            match self.answers.recv_timeout(GLANCE) {
                Ok(line) => take(asking, self.who, &line)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.left(asking, stopped)),
            }
        }
        Ok(())
    }

    fn put(&self, (items, material): (&Items, Option<&Material>), question: Question) -> Result<(), Failure> {
        let (ids, Question { number, left, right, context }) = (&items.ids, question);
        let within = material.zip(context);
        let asked = Asked {
            q: number,
            left: &ids[left],
            right: &ids[right],
            context: within.map(|(material, context)| material.id(context)),
            context_text: within.and_then(|(material, context)| material.text(context)),
            left_text: within.and_then(|(material, context)| material.content(left, context)),
            right_text: within.and_then(|(material, context)| material.content(right, context)),
        };
        let line = serde_json::to_string(&asked).map_err(|error| Failure::Internal(error.to_string()))? + "\n";
        // If it has closed its input or gone, what it still says is heard, then its end is noticed.
        if let Some(questions) = &self.questions {
            let _ = questions.send(line);
        }
        Ok(())
    }

    /// The judge has closed its output before it was done.
    fn left(&mut self, asking: &impl Asking, stopped: &AtomicBool) -> Failure {
        let (who, flag) = (self.who.name(), self.who.flag());
        let how = if self.ends_by_itself(stopped) {
            self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
        } else {
            "it closed its output, but stayed".to_owned()
        };
        if asking.answers() == 0 && how.contains("127") {
            // What a shell says of a program that it does not find.
            return Failure::Data(format!(
                "{who} was not found ({how}): give {flag} a program as you would start it here, such as \"python3 \
                 judge.py\""
            ));
        }
        Failure::Data(format!(
            "{who} ended ({how}) with {} questions open; all {} answers are kept: mend it, and the same command goes \
             on",
            asking.waiting(),
            asking.answers()
        ))
    }

    /// Whether it ends within its time; somebody who wants to stop waits no longer.
    fn ends_by_itself(&mut self, stopped: &AtomicBool) -> bool {
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if start.elapsed() >= FAREWELL || stopped.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Nothing more is asked: it may end by itself, or is ended; and so is whatever it leaves behind.
    pub(crate) fn end(mut self, stopped: &AtomicBool) {
        self.questions = None;
        let gone = self.ends_by_itself(stopped);
        // That all of them have ended meanwhile is no fault.
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        if !gone {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Writes lines until there are none or nobody reads them.
fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines until there are none, one is too long, or nobody wants them.
fn read_lines(out: ChildStdout, send: &SyncSender<Vec<u8>>) {
    let mut out = BufReader::new(out);
    loop {
        let mut line = Vec::new();
        let read = out.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line);
        let ended = read.is_err() || line.is_empty() || line.len() as u64 > LONGEST;
        if !line.is_empty() && send.send(line).is_err() || ended {
            return;
        }
    }
}

fn take(asking: &mut impl Asking, who: Who, line: &[u8]) -> Result<(), Failure> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    if line.is_empty() {
        return Ok(());
    }
    let refused = |why: String| {
        let shown: String = line.chars().take(SHOWN).collect();
        let more = if shown.len() < line.len() { " and more" } else { "" };
        Failure::Data(format!("{} wrote {shown:?}{more}, {why}", who.name()))
    };
    if line.len() as u64 >= LONGEST {
        return Err(refused(format!("which has no end within {LONGEST} bytes: an answer is a short line")));
    }
    let Answered { q, answer, voter } = serde_json::from_str(line).map_err(|error| {
        refused(format!(
            "which is not an answer ({error}): one JSON object a line is expected, such as {{\"q\": 17, \"answer\": \
             \"left\"}} with left, right, tie, both-bad or skip"
        ))
    })?;
    let voter = voter.map(|voter| match voter {
        Voter::Name(name) => name,
        Voter::Number(number) => number.to_string(),
    });
    if voter.as_ref().is_some_and(|voter| voter.contains('\0')) {
        return Err(refused("but a voter's name is text".to_owned()));
    }
    if asking.answer(q, answer, voter.as_deref())? {
        return Ok(());
    }
    Err(refused(format!("but question {q} is not open: every question is answered once")))
}
