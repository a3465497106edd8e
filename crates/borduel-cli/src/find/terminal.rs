//! Questions at a terminal: a pair on the screen, one key an answer, the verdict as it grows.

use super::log::{Question, Word};
use super::session::Session;
use borduel_lab::failure::Failure;
use borduel_report::plain;
use console::{Key, Term};
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};

const KEYS: &str = "← left   → right   t tie   b both bad   s skip   u undo   q stop";

/// What a key means.
enum Act {
    Answer(Word),
    Undo,
    Stop,
}

/// Asks whoever sits there until the session is over or stopped; `before` each question, others may be asked.
pub(crate) fn run(
    session: &mut Session,
    stopped: &AtomicBool,
    before: &mut dyn FnMut(&mut Session) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let term = Term::stderr();
    if !term.is_term() || !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        let message = "find asks at a terminal, and there is none: give a program that answers with --judge";
        return Err(Failure::Usage(message.to_owned()));
    }
    let say = |line: &str| term.write_line(line).map_err(|error| Failure::output(&error));
    say(KEYS)?;
    while !session.is_over() && !stopped.load(Ordering::Relaxed) {
        let Some(question) = session.ask() else { break };
        before(session)?;
        if stopped.load(Ordering::Relaxed) {
            break;
        }
        show(session, question, &say)?;
        loop {
            let key = match term.read_key_raw() {
                Ok(key) => key,
                // The terminal has gone: what was answered is kept.
                Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::NotConnected) => {
                    stopped.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                Err(error) => return Err(Failure::Internal(format!("the keyboard cannot be read ({error})"))),
            };
            match meaning(&key) {
                None => continue,
                Some(Act::Answer(word)) => {
                    session.answer(question.number, word, None)?;
                }
                Some(Act::Undo) => {
                    if !session.undo()? {
                        say("nothing to undo in this session")?;
                        continue;
                    }
                    say("undone")?;
                }
                Some(Act::Stop) => {
                    stopped.store(true, Ordering::Relaxed);
                    return Ok(());
                }
            }
            break;
        }
    }
    Ok(())
}

fn show(session: &Session, question: Question, say: &impl Fn(&str) -> Result<(), Failure>) -> Result<(), Failure> {
    let name = |item: usize| plain(session.label(item)).into_owned();
    if session.answers() > 0 && session.answers().is_multiple_of(10) {
        say(&format!("   {}", session.sentence(&session.judgement())))?;
    }
    let Question { number, left, right, context } = question;
    let Some((material, context)) = session.material.as_ref().zip(context) else {
        return say(&format!("{number:>5}.  ← {}   |   {} →", name(left), name(right)));
    };
    let told = |what: &str, text: Option<&str>| match text {
        Some(text) => format!("{what}: {}", plain(text)),
        None => what.to_owned(),
    };
    say(&format!("{number:>5}.  {}", told(&plain(material.id(context)), material.text(context))))?;
    let shown = |item: usize| told(&name(item), material.content(item, context));
    if material.content(left, context).is_none() && material.content(right, context).is_none() {
        return say(&format!("        ← {}   |   {} →", name(left), name(right)));
    }
    say(&format!("        ← {}", shown(left)))?;
    say(&format!("        → {}", shown(right)))
}

fn meaning(key: &Key) -> Option<Act> {
    Some(match key {
        Key::ArrowLeft | Key::Char('1' | 'h') => Act::Answer(Word::Left),
        Key::ArrowRight | Key::Char('2' | 'l') => Act::Answer(Word::Right),
        Key::Char('t' | '=' | '0') => Act::Answer(Word::Tie),
        Key::Char('b') => Act::Answer(Word::BothBad),
        Key::Char('s') | Key::ArrowDown => Act::Answer(Word::Skip),
        Key::Char('u') | Key::Backspace => Act::Undo,
        Key::Char('q') | Key::CtrlC | Key::Escape => Act::Stop,
        _ => return None,
    })
}
