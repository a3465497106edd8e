//! A judge of one's own: a program that reads questions as JSON lines and writes answers, in any order.

use super::log::Word;
use super::session::{Question, Session};
use crate::failure::Failure;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A question on the judge's standard input.
#[derive(serde::Serialize)]
struct Asked<'a> {
    q: u64,
    left: &'a str,
    right: &'a str,
}

/// An answer on its standard output.
#[derive(serde::Deserialize)]
struct Answered {
    q: u64,
    answer: Word,
}

/// How often the flag of Ctrl-C is looked at, and how long a judge may take to end when nothing more is asked.
const GLANCE: Duration = Duration::from_millis(100);
const FAREWELL: Duration = Duration::from_secs(2);

/// Asks the judge until the session is over or stopped, `most` questions at once.
pub(crate) fn run(session: &mut Session, command: &str, most: usize, stopped: &AtomicBool) -> Result<(), Failure> {
    if session.is_over() {
        return Ok(());
    }
    let mut judge = Judge::start(command)?;
    let done = judge.play(session, most, stopped);
    judge.end();
    done
}

struct Judge {
    child: Child,
    questions: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl Judge {
    fn start(command: &str) -> Result<Self, Failure> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let spawned = Command::new(shell).args([flag, command]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child =
            spawned.map_err(|error| Failure::Usage(format!("--judge {command}: cannot be started ({error})")))?;
        let questions = child.stdin.take();
        let (send, answers) = channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines() {
                    // Bytes that are no text become a line that is no answer, and are refused as such.
                    let line = line.unwrap_or_else(|error| format!("({error})"));
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self { child, questions, answers })
    }

    fn play(&mut self, session: &mut Session, most: usize, stopped: &AtomicBool) -> Result<(), Failure> {
        while !session.is_over() && !stopped.load(Ordering::Relaxed) {
            while session.waiting() < most
                && let Some(question) = session.ask()
            {
                self.put(session, question)?;
            }
            match self.answers.recv_timeout(GLANCE) {
                Ok(line) => take(session, &line)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.left(session)),
            }
        }
        Ok(())
    }

    fn put(&mut self, session: &Session, question: Question) -> Result<(), Failure> {
        let ids = &session.items.ids;
        let asked = Asked { q: question.number, left: &ids[question.left], right: &ids[question.right] };
        let line = serde_json::to_string(&asked).map_err(|error| Failure::Internal(error.to_string()))? + "\n";
        let Some(questions) = self.questions.as_mut() else { return Ok(()) };
        match questions.write_all(line.as_bytes()).and_then(|()| questions.flush()) {
            // It has closed its input or gone: what it still says is heard, then its end is noticed.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.questions = None;
                Ok(())
            }
            other => other.map_err(|error| Failure::Internal(format!("the judge cannot be asked ({error})"))),
        }
    }

    /// The judge has gone before it was done.
    fn left(&mut self, session: &Session) -> Failure {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        Failure::Data(format!(
            "the judge ended ({status}) with {} questions open; all {} answers are kept: mend it, and the same command goes on",
            session.waiting(),
            session.answers()
        ))
    }

    /// Nothing more is asked: it may end by itself, or is ended.
    fn end(mut self) {
        self.questions = None;
        let start = Instant::now();
        while start.elapsed() < FAREWELL {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // That it has ended meanwhile is no fault.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn take(session: &mut Session, line: &str) -> Result<(), Failure> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let refused = |why: String| Failure::Data(format!("the judge wrote {line:?}, {why}"));
    let answered: Answered = serde_json::from_str(line).map_err(|error| {
        refused(format!(
            "which is not an answer ({error}): one JSON object a line is expected, such as {{\"q\": 17, \"answer\": \"left\"}} with left, right, tie, both-bad or skip"
        ))
    })?;
    if session.answer(answered.q, answered.answer)? {
        return Ok(());
    }
    Err(refused(format!("but question {} is not open: every question is answered once", answered.q)))
}
