//! The judge first, people where it matters: before a question goes to people, a cheap judge is asked about whole pairs
//! where that pays.

use super::cheap::CheapJudge;
use super::contexts::Material;
use super::judge::{Asking, JudgeProgram, Who};
use super::log::{Question, Word};
use super::session::Session;
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_votes::Items;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

/// A cheap judge's program, which is started when it is first asked; nobody where there is none.
pub(crate) struct First<'a> {
    command: Option<&'a str>,
    /// Questions open at once.
    most: usize,
    quiet: bool,
    program: Option<JudgeProgram>,
}

impl<'a> First<'a> {
    pub(crate) fn new(command: Option<&'a str>, most: usize, quiet: bool) -> Self {
        Self { command, most, quiet, program: None }
    }

    /// Asks about the pairs where it pays now, until there are none.
    pub(crate) fn ask(&mut self, session: &mut Session, stopped: &AtomicBool) -> Result<(), Failure> {
        let Some(command) = self.command else { return Ok(()) };
        loop {
            let questions = session.for_judge();
            if questions.is_empty() || stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            if !self.quiet {
                let n = questions.len();
                write_line(&format!("{n} question{} to the cheap judge", if n == 1 { "" } else { "s" }));
            }
            let program = match &mut self.program {
                Some(program) => program,
                None => self.program.insert(JudgeProgram::start(command, Who::CheapJudge)?),
            };
            let mut whole = WholePairs { session, left: questions.into(), open: BTreeMap::new() };
            program.play(&mut whole, self.most, stopped, &mut |_| Ok(()))?;
            session.hear_judges()?;
        }
    }

    /// Nothing more is asked.
    pub(crate) fn end(self, stopped: &AtomicBool) {
        if let Some(program) = self.program {
            program.end(stopped);
        }
    }
}

/// Questions about whole pairs on their way to a cheap judge.
struct WholePairs<'a> {
    session: &'a mut Session,
    left: VecDeque<Question>,
    open: BTreeMap<u64, Question>,
}

impl Asking for WholePairs<'_> {
    fn is_over(&self) -> bool {
        self.left.is_empty() && self.open.is_empty()
    }

    fn waiting(&self) -> usize {
        self.open.len()
    }

    fn answers(&self) -> u64 {
        self.session.cheap().map_or(0, CheapJudge::answers)
    }

    fn shown(&self) -> (&Items, Option<&Material>) {
        self.session.shown()
    }

    fn ask(&mut self) -> Option<Question> {
        let question = self.left.pop_front()?;
        self.open.insert(question.number, question);
        Some(question)
    }

    fn answer(&mut self, number: u64, word: Word, voter: Option<&str>) -> Result<bool, Failure> {
        let Some(question) = self.open.remove(&number) else { return Ok(false) };
        self.session.judged(question, word, voter)?;
        Ok(true)
    }
}
