//! Files of votes, as anybody has them, into a study.
//!
//! A file is read into sums per voter and pair, as for a ranking, and taken in from there: several votes of one voter
//! on one pair come in as as many votes with the same sum, and rows that say nothing (skips, both bad) without their
//! voter.

use crate::command::{Chunk, Command, ImportedVote, Reply};
use crate::content::Content;
use crate::desk::Desk;
use crate::error::{Error, Result};
use crate::event::{Answer, Hash};
use crate::settings::Criterion;
use borduel_rank::ballots::{Ballots, BothBad, Counts, Ties};
use borduel_votes::{ExtraColumns, Items, ReadOptions, VoteReader};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// The most votes of one file.
pub const MOST_VOTES: u64 = 2_000_000;
/// How many votes go into one commit.
const AT_ONCE: usize = 5_000;

/// An item or a context of a study: its number, its key and what is shown of it.
pub type Known = (u16, String, Content);

/// What was in a file, ready to be taken in.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    name: String,
    hash: Hash,
    voters: u32,
    votes: Vec<ImportedVote>,
    hint: bool,
}

/// The items of a study that nothing has replaced, and its contexts, as files of votes may name them.
///
/// # Errors
/// A study that cannot be read.
pub async fn known(desk: &Desk) -> Result<(Vec<Known>, Vec<Known>)> {
    let replaced = desk.read(|state| state.items.iter().map(|item| item.replaced).collect::<Vec<_>>()).await?;
    let items = desk.items().await?.into_iter().filter(|(number, ..)| !replaced[usize::from(*number)]);
    let items = items.map(|(number, key, content)| (number, key, (*content).clone())).collect();
    let contexts = desk.contexts(0, usize::MAX).await?.into_iter();
    Ok((items, contexts.map(|(number, context, content)| (number, context.key, (*content).clone())).collect()))
}

impl File {
    /// Reads a file of votes on these items in these contexts: number, key and content of each. Where the study has
    /// no contexts, those of the file are passed over.
    ///
    /// # Errors
    /// A file that cannot be read, with line and column; an item or a context that the study does not have; weighted
    /// votes.
    pub fn read(name: &str, bytes: Vec<u8>, items: &[Known], contexts: &[Known]) -> Result<Self> {
        Self::read_rows(name, bytes, items, contexts, ExtraColumns::default())
    }

    /// The same of a study that asks several questions about each pair: the answers to one of them. Of a file that has
    /// a column `criterion`, they are the rows of this one.
    ///
    /// # Errors
    /// As of [`File::read`]; a criterion that the study does not have, or none where it has several.
    pub fn read_by(
        name: &str,
        bytes: Vec<u8>,
        (items, contexts): (&[Known], &[Known]),
        criteria: &[Criterion],
        key: Option<&str>,
    ) -> Result<Self> {
        let Some(criterion) = place_of(criteria, key)? else { return Self::read(name, bytes, items, contexts) };
        let only = key.map(|key| (COLUMN.to_owned(), key.to_owned())).into_iter().collect();
        let rows = ExtraColumns { only, where_there: true, ..ExtraColumns::default() };
        let mut file = Self::read_rows(name, bytes, items, contexts, rows)?;
        file.votes.iter_mut().for_each(|vote| vote.criterion = criterion);
        // The answers to another question in the same file are another import.
        file.name = key.map_or(file.name, |key| format!("{name} ({key})"));
        Ok(file)
    }

    fn read_rows(name: &str, bytes: Vec<u8>, items: &[Known], contexts: &[Known], extra: ExtraColumns) -> Result<Self> {
        if name.is_empty() || name.len() > 200 {
            return Err(Error::Invalid("a file's name has 1 to 200 bytes".to_owned()));
        }
        let hash: Hash = Sha256::digest(&bytes).into();
        let list = Items {
            ids: items.iter().map(|(_, key, _)| key.clone()).collect(),
            names: items.iter().map(|(_, _, content)| Some(content.title.clone())).collect(),
            ..Items::default()
        };
        let options = ReadOptions { ties: Ties::Half, both_bad: BothBad::Drop, extra, ..ReadOptions::default() };
        let mut reader = VoteReader::new(options).with_items(&list);
        reader.read_bytes(name, std::io::Cursor::new(bytes))?;
        let (mut ballots, ..) = reader.finish();
        if contexts.is_empty() && ballots.contexts() > 0 {
            ballots = ballots.without_contexts().finish();
        }
        let bad = |why: String| Error::Invalid(format!("{name}: {why}"));
        let numbers: Vec<u16> = items.iter().map(|(number, ..)| *number).collect();
        let places = places(&ballots, contexts).map_err(bad)?;
        let (voters, votes) = votes(&ballots, &numbers, &places).map_err(bad)?;
        Ok(Self { name: name.to_owned(), hash, voters, votes, hint: false })
    }

    /// The same as a hint: the answers of one judge, which are never counted as votes.
    #[must_use]
    pub fn as_hint(mut self) -> Self {
        self.votes.iter_mut().for_each(|vote| vote.voter = None);
        Self { voters: 0, hint: true, ..self }
    }

    /// How many votes it has.
    pub fn len(&self) -> usize {
        self.votes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.votes.is_empty()
    }

    /// Takes the file in, in as many commits as it needs; whether anything was new. Cut off, it goes on where it
    /// stopped.
    ///
    /// # Errors
    /// A refusal, such as another file of the same name.
    pub async fn take_in(&self, desk: &Desk) -> Result<bool> {
        let mut new = false;
        for chunk in self.chunks() {
            new |= desk.send(Command::Import(Box::new(chunk))).await? == Reply::Done;
        }
        Ok(new)
    }

    /// Its votes, as many at a time as go into one commit.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> + '_ {
        let (hash, rows, voters, hint) = (self.hash, self.votes.len() as u64, self.voters, self.hint);
        self.votes.chunks(AT_ONCE).enumerate().map(move |(at, votes)| {
            let (name, from) = (self.name.clone(), (at * AT_ONCE) as u64);
            Chunk { name, hash, rows, voters, hint, from, votes: votes.to_vec() }
        })
    }
}

/// The column that says which of several questions a row answers.
const COLUMN: &str = "criterion";

/// The place of the criterion of this key; none where one question is asked about each pair.
///
/// # Errors
/// A key that is not there, or none where one is needed.
pub fn place_of(criteria: &[Criterion], key: Option<&str>) -> Result<Option<usize>> {
    let keys = || criteria.iter().map(|criterion| criterion.key.as_str()).collect::<Vec<_>>().join(", ");
    match key {
        None if criteria.is_empty() => Ok(None),
        None => Err(Error::Invalid(format!(
            "this study asks several questions about each pair: say which, by criterion={}",
            keys().replace(", ", " or criterion=")
        ))),
        Some(_) if criteria.is_empty() => {
            Err(Error::Invalid("this study asks one question about each pair: leave criterion out".to_owned()))
        }
        Some(key) => match criteria.iter().position(|criterion| criterion.key == key) {
            Some(place) => Ok(Some(place)),
            None => Err(Error::Invalid(format!("criterion is {key:?}: it is one of {}", keys()))),
        },
    }
}

/// The numbers of the contexts that votes were cast in, each found by its key or else by its title.
fn places(ballots: &Ballots, contexts: &[Known]) -> std::result::Result<Vec<u16>, String> {
    // Of several with one title the first is meant.
    let by_title: HashMap<&str, u16> =
        contexts.iter().rev().map(|(n, _, content)| (content.title.as_str(), *n)).collect();
    let by_key: HashMap<&str, u16> = contexts.iter().map(|(number, key, _)| (key.as_str(), *number)).collect();
    let find = |name: &String| {
        let found = by_key.get(name.as_str()).or_else(|| by_title.get(name.as_str()));
        found.copied().ok_or_else(|| format!("the study has no context {name:?}: add it first"))
    };
    ballots.context_names().iter().map(find).collect()
}

/// The votes one by one, and how many voters are named.
fn votes(ballots: &Ballots, numbers: &[u16], places: &[u16]) -> std::result::Result<(u32, Vec<ImportedVote>), String> {
    if ballots.weighted() {
        return Err("some votes have weights; a study counts every vote once".to_owned());
    }
    let whole = |count: f64| count.fract() == 0.0 && count >= 0.0;
    let total = ballots.totals().total();
    if total > MOST_VOTES as f64 {
        return Err(format!("{total} votes are more than the {MOST_VOTES} that one file may have: split it"));
    }
    let fractions = "some counts are not whole numbers; a study counts every vote once";
    // A group of voters who all vote alike is taken in as so many voters.
    let mut starts = Vec::with_capacity(ballots.copies().len());
    let mut voters = 0_u32;
    for &copies in ballots.copies() {
        if !whole(copies) {
            return Err(fractions.to_owned());
        }
        starts.push(voters);
        voters += copies as u32;
    }
    let mut votes = Vec::with_capacity(total as usize);
    let mut push = |voter: Option<u32>, cell: usize, answer: Answer, times: f64| {
        let pair = &ballots.cells()[cell];
        let (first, second) = (numbers[pair.left as usize], numbers[pair.right as usize]);
        let context = pair.context.map(|context| places[context as usize]);
        for _ in 0..times as u64 {
            votes.push(ImportedVote { voter, first, second, context, criterion: 0, answer });
        }
    };
    for share in ballots.shares() {
        let copies = ballots.copies()[share.voter as usize];
        let (n, sum) = (share.w / copies, share.wr / copies);
        if !whole(n) {
            return Err(fractions.to_owned());
        }
        for copy in 0..copies as u32 {
            let voter = Some(starts[share.voter as usize] + copy);
            let cell = share.cell as usize;
            if (2.0 * sum).fract() == 0.0 {
                let tie = (2.0 * sum) % 2.0;
                push(voter, cell, Answer::First, sum.floor());
                push(voter, cell, Answer::Tie, tie);
                push(voter, cell, Answer::Second, n - sum.floor() - tie);
            } else {
                push(voter, cell, Answer::Soft(sum / n), n);
            }
        }
    }
    for (cell, pair) in ballots.cells().iter().enumerate() {
        let Counts { left, right, tie, both_bad, skip, soft, .. } = pair.counts;
        if ![left, right, tie, both_bad, skip, soft].into_iter().all(whole) {
            return Err(fractions.to_owned());
        }
        push(None, cell, Answer::BothBad, both_bad);
        push(None, cell, Answer::Skip, skip);
        if voters == 0 {
            push(None, cell, Answer::First, left);
            push(None, cell, Answer::Second, right);
            push(None, cell, Answer::Tie, tie);
            push(None, cell, Answer::Soft(if soft > 0.0 { (pair.wr - left - 0.5 * tie) / soft } else { 0.5 }), soft);
        }
    }
    Ok((voters, votes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use borduel_rank::ballots::{self, Ballot};
    use borduel_rank::ranking::{Model, RankOptions, rank};
    use borduel_testing::skip;
    use std::collections::BTreeMap;

    const ITEMS: [&str; 3] = ["ash", "elm", "yew"];

    fn imported(text: &str) -> File {
        let content = |title: &str| Content { title: title.to_owned(), ..Content::default() };
        let items: Vec<Known> = (0..).zip(ITEMS).map(|(number, key)| (number, key.to_owned(), content(key))).collect();
        File::read("votes.csv", text.as_bytes().to_vec(), &items, &[]).unwrap()
    }

    /// The errors of the scores of these votes, by the voters that the study gives them.
    fn errors(file: &File) -> Vec<f64> {
        let mut sums = Ballots::new(Ties::Half, BothBad::Drop, true);
        for item in ITEMS {
            sums.item(item);
        }
        for vote in &file.votes {
            let answer = if vote.answer == Answer::First { ballots::Answer::Left } else { ballots::Answer::Right };
            let voter = vote.voter.map(|voter| sums.voter(&voter.to_string()));
            let (left, right) = (u32::from(vote.first), u32::from(vote.second));
            sums.add_all(&[Ballot::new(left, right, answer).with_voter(voter)]).unwrap();
        }
        let ranking = rank(&sums.finish(), &Model::OneHot, &RankOptions::default()).unwrap();
        ranking.items.iter().map(|item| item.borda.error).collect()
    }

    /// A judge that was asked in both orders, and says the same twice, is no surer than one that was asked once.
    #[test]
    fn answers_to_one_question_hang_together_in_a_study_too() {
        let (mut once, mut twice) = ("ask,left,right,winner\n".to_owned(), "ask,left,right,winner\n".to_owned());
        for ask in 0..120 {
            let (i, j) = ([0, 0, 1][ask % 3], [1, 2, 2][ask % 3]);
            let first = ask % 5 != 0;
            let line = |left: usize, right: usize, left_won: bool| {
                let word = if left_won { "left" } else { "right" };
                format!("{ask},{},{},{word}\n", ITEMS[left], ITEMS[right])
            };
            once += &line(i, j, first);
            twice += &(line(i, j, first) + &line(j, i, !first));
        }
        let (once, twice) = (imported(&once), imported(&twice));
        assert_eq!((once.len(), twice.len(), twice.voters), (120, 240, 120));
        let (alone, both) = (errors(&once), errors(&twice));
        for (alone, both) in alone.iter().zip(&both) {
            assert!((both / alone - 1.0).abs() < 0.02, "{alone} {both}");
        }
    }

    /// Items or contexts of these names, which are titles here; keys are others.
    fn known<'n>(names: impl Iterator<Item = &'n str>) -> Vec<Known> {
        let mut all: Vec<&str> = names.collect();
        all.sort_unstable();
        all.dedup();
        let content = |title: &str| Content { title: title.to_owned(), ..Content::default() };
        (0..).zip(all).map(|(number, name)| (number, format!("key-{number}"), content(name))).collect()
    }

    /// Every vote comes in on its pair, in its context, and says what its row said.
    fn comes_in_whole(text: &str) -> usize {
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
        let items = known(rows.iter().flat_map(|row| [row[6], row[7]]));
        let contexts = known(rows.iter().map(|row| row[1]));
        let file = File::read("crowd.csv", text.as_bytes().to_vec(), &items, &contexts).unwrap();
        let number = |of: &[Known], name: &str| of.iter().find(|(.., content)| content.title == name).unwrap().0;
        // Points of the first item, in halves, and votes, by pair and context.
        let mut sums: BTreeMap<(u16, u16, u16), (i64, i64)> = BTreeMap::new();
        let mut add = |first: u16, second: u16, context: u16, halves: i64, sign: i64| {
            let turned = first > second;
            let sum = sums.entry((first.min(second), first.max(second), context)).or_default();
            sum.0 += sign * if turned { 2 - halves } else { halves };
            sum.1 += sign;
        };
        for row in &rows {
            let halves = match row[5] {
                "right" => 0,
                "tie" => 1,
                _ => 2,
            };
            add(number(&items, row[6]), number(&items, row[7]), number(&contexts, row[1]), halves, 1);
        }
        for vote in &file.votes {
            let halves = match vote.answer {
                Answer::First => 2,
                Answer::Tie => 1,
                Answer::Second => 0,
                other => panic!("{other:?}"),
            };
            add(vote.first, vote.second, vote.context.unwrap(), halves, -1);
        }
        assert!(sums.values().all(|sum| *sum == (0, 0)), "{sums:?}");
        file.len()
    }

    #[test]
    fn votes_on_prompts_come_in_with_their_contexts() {
        let some = "id,prompt,model_x,model_y,worker,winner,left,right\n0,8,97,98,58,tie,Air,Weaver\n\
                    0,8,97,98,83,left,Air,Weaver\n1,9,97,98,58,right,Weaver,Air\n2,8,97,99,58,left,Air,Zephyr\n\
                    3,9,97,99,83,right,Zephyr,Weaver\n";
        assert_eq!(comes_in_whole(some), 5);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/llmfao/crowd-comparisons.csv");
        match std::fs::read_to_string(path) {
            Ok(text) => assert_eq!(comes_in_whole(&text), 8_931),
            Err(_) => skip("the import of real votes on prompts", "../shared/data/llmfao is not here"),
        }
        let items = known(["Air", "Weaver", "Zephyr"].into_iter());
        let refused = File::read("crowd.csv", some.as_bytes().to_vec(), &items, &known(["8"].into_iter())).unwrap_err();
        assert!(refused.to_string().contains("the study has no context \"9\": add it first"), "{refused}");
    }
}
