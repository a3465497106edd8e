//! Old votes become questions with their answers.

use super::turn::Turn;
use crate::command::{Chunk, ImportedVote, Refusal, Reply};
use crate::event::{Event, GradedAnswer, Kind, Source, Status};
use crate::state::Import;

impl Turn<'_> {
    /// Takes in rows of a file. Rows that are in already are passed over, so that an import that was cut off goes on
    /// where it stopped, and the same file again changes nothing.
    pub(super) fn import(&mut self, chunk: &Chunk) -> Result<Reply, Refusal> {
        self.must_be(&[Status::Draft, Status::Open, Status::Paused, Status::Closed], "nothing is imported any more")?;
        Self::must_be_text("the file's name", &chunk.name)?;
        let known = self.state.imports.get(&chunk.name);
        if known.is_some_and(|import| import.hash != chunk.hash || import.rows != chunk.rows) {
            return Err(Refusal::OtherFile(chunk.name.clone()));
        }
        let is_hint = |import: &Import| {
            self.state.voters.get(import.voters as usize).is_some_and(|voter| voter.kind == Kind::Hint)
        };
        let twice = |(_, import): &(&String, &Import)| import.hash == chunk.hash && is_hint(import) != chunk.hint;
        if let Some((name, import)) = self.state.imports.iter().find(twice) {
            let were = if is_hint(import) { "a hint" } else { "votes" };
            return Err(Refusal::Invalid(format!(
                "{:?} was taken in as {were}, under the name {name:?}: a judge that is among the voters foretells \
                 itself",
                chunk.name
            )));
        }
        let done = known.map_or(0, |import| import.done);
        if chunk.from > done || chunk.from + chunk.votes.len() as u64 > chunk.rows {
            return Err(Refusal::Invalid(format!(
                "the import of {:?} stands at vote {done} of {}",
                chunk.name, chunk.rows
            )));
        }
        let voters = known.map_or(self.state.voters.len() as u32, |import| import.voters);
        let items = self.state.items.len();
        let odd = |item: u16| usize::from(item) >= items;
        if let Some(vote) = chunk.votes.iter().find(|vote| odd(vote.first) || odd(vote.second)) {
            return Err(Refusal::NoItem(format!("number {}", vote.first.max(vote.second))));
        }
        let contexts = self.state.contexts.len();
        let odd = |vote: &&ImportedVote| vote.context.is_some_and(|context| usize::from(context) >= contexts);
        if let Some(context) = chunk.votes.iter().find(odd).and_then(|vote| vote.context) {
            return Err(Refusal::NoContext(format!("number {context}")));
        }
        let criteria = self.state.criteria();
        if let Some(vote) = chunk.votes.iter().find(|vote| vote.criterion >= criteria) {
            return Err(Refusal::Invalid(format!("criterion {} of {criteria}: there is none", vote.criterion + 1)));
        }
        let fresh = &chunk.votes[((done - chunk.from) as usize).min(chunk.votes.len())..];
        if fresh.is_empty() && known.is_some() {
            return Ok(Reply::Unchanged);
        }
        if known.is_none() {
            for place in 0..=chunk.voters {
                let kind = match place < chunk.voters {
                    _ if chunk.hint => Kind::Hint,
                    true => Kind::Imported,
                    false => Kind::Unknown,
                };
                self.emit(Event::Joined { voter: voters + place, kind, owns: Vec::new(), network: None });
            }
        }
        for vote in fresh {
            let voter = voters + vote.voter.unwrap_or(chunk.voters).min(chunk.voters);
            let (q, plan, source) = (self.state.questions.len() as u32, self.state.plan.number, Source::Import);
            let (first, second, context) = (vote.first, vote.second, vote.context);
            self.emit(Event::Asked { q, voter, first, second, p: 0.0, plan, source, context });
            // What a file says by one criterion says nothing by the others.
            let mut said = vec![GradedAnswer::SKIP; criteria];
            said[vote.criterion].answer = vote.answer.normal();
            let (answer, other_criteria) = (said.remove(0).answer, said);
            self.emit(Event::Answered { q, answer, ms: None, stacked: false, grade: None, other_criteria });
        }
        let (name, hash, rows, done) = (chunk.name.clone(), chunk.hash, chunk.rows, done + fresh.len() as u64);
        self.emit(Event::Imported { name, hash, rows, done, voters, hint: chunk.hint });
        Ok(Reply::Done)
    }
}
