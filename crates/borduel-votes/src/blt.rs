//! Ballots as the counters of elections write them (`.blt`: `OpenSTV`, `OpaVote`).
//!
//! `4 2` for four candidates and two seats; `-3` where the third has withdrawn; `7 2 1=4 0` for seven voters who put 2
//! first and 1 and 4 level, `-` being a place that is left out; `0` at the end; then the candidates' names in quotation
//! marks, and a title.

use crate::encoding::NOT_UTF8;
use crate::error::{Error, Result, RowError};
use crate::limit::read_line;
use crate::rankings::{Ranking, RankingFile};
use crate::source::Source;
use std::collections::HashSet;

/// A file of ballots, all of which are in memory since the names stand behind them.
pub(crate) struct Blt {
    file: String,
    items: Vec<String>,
    /// Places of those who have withdrawn.
    withdrawn: HashSet<usize>,
    /// The ballots with their lines, the next one last.
    ballots: Vec<(u64, String)>,
    /// The current ballot.
    text: String,
}

/// Whether the first bytes are those of such a file.
pub(crate) fn is_blt(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(1 << 12)]);
    let mut lines = text.lines().map(uncommented).filter(|line| !line.is_empty());
    let numbers = |line: &str| line.split_whitespace().map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>();
    let header = lines.next().and_then(numbers);
    let Some([candidates, seats]) = header.as_deref() else { return false };
    let ballot = |line: &str| line.split_whitespace().count() > 1 && line.split_whitespace().next_back() == Some("0");
    let withdrawn = |line: &str| numbers(line).is_some_and(|all| all.iter().all(|&number| number < 0));
    *candidates > 1
        && (1..=*candidates).contains(seats)
        && lines.next().is_some_and(|line| ballot(line) || withdrawn(line))
}

/// A line without the remark behind it, which a name may not hold.
fn uncommented(line: &str) -> &str {
    if line.trim_start().starts_with('"') { line.trim() } else { line.split('#').next().unwrap_or_default().trim() }
}

impl Blt {
    /// Reads the whole file.
    pub(crate) fn open(source: Source) -> Result<Self> {
        let (file, mut reader) = (source.name, source.reader);
        let (mut line, mut bytes) = (0, Vec::new());
        let mut next = || -> Result<Option<(u64, String)>> {
            loop {
                line += 1;
                if !read_line(&file, line, &mut *reader, &mut bytes)? {
                    return Ok(None);
                }
                let text = std::str::from_utf8(&bytes);
                let text = text.map_err(|_| Error::file(&file, format!("line {line} {NOT_UTF8}")))?;
                let text = uncommented(text);
                if !text.is_empty() {
                    return Ok(Some((line, text.to_owned())));
                }
            }
        };
        let first = next()?.map_or_else(String::new, |(_, text)| text);
        let candidates = first.split_whitespace().next().and_then(|number| number.parse::<usize>().ok()).unwrap_or(0);
        let (mut withdrawn, mut ballots) = (HashSet::new(), Vec::new());
        loop {
            let Some((line, text)) = next()? else {
                return Err(Error::file(&file, "ends before the line \"0\" behind its ballots"));
            };
            if text == "0" {
                break;
            }
            if text.starts_with('-') {
                let numbers =
                    text.split_whitespace().filter_map(|number| number.strip_prefix('-')?.parse::<usize>().ok());
                withdrawn.extend(numbers.filter_map(|number| number.checked_sub(1)));
            } else {
                ballots.push((line, text));
            }
        }
        let mut items: Vec<String> = Vec::new();
        while items.len() < candidates {
            let Some((line, text)) = next()? else {
                let what = format!("ends before the names of its {candidates} candidates");
                return Err(Error::file(&file, what));
            };
            let name = text.trim_matches('"').trim().to_owned();
            if name.is_empty() || items.contains(&name) {
                let why = if name.is_empty() { "gives a candidate no name" } else { "is the name of two candidates" };
                return Err(fault(&file, line, &text, why));
            }
            items.push(name);
        }
        ballots.reverse();
        Ok(Self { file, items, withdrawn, ballots, text: String::new() })
    }

    /// The current line as a ranking.
    fn ranking(&self, line: u64) -> Result<Ranking> {
        let refused = |what: &str| fault(&self.file, line, &self.text, what);
        // OpenSTV puts a ballot's own number into brackets.
        let ballot = self.text.strip_prefix('(').and_then(|rest| Some(rest.split_once(')')?.1)).unwrap_or(&self.text);
        let mut parts = ballot.split_whitespace();
        let copies = parts.next().and_then(|count| count.parse::<f64>().ok()).filter(|c| *c > 0.0 && c.is_finite());
        let copies = copies.ok_or_else(|| refused("has no number of voters in front of it"))?;
        let mut seen = HashSet::new();
        let mut groups = Vec::new();
        for part in parts.take_while(|part| *part != "0").filter(|part| *part != "-") {
            let mut group = Vec::new();
            for number in part.split('=') {
                let item = number.parse::<usize>().ok().filter(|n| (1..=self.items.len()).contains(n));
                let item =
                    item.ok_or_else(|| refused(&format!("names a candidate beyond 1 to {}", self.items.len())))?;
                if !seen.insert(item) {
                    return Err(refused(&format!("ranks candidate {item} twice")));
                }
                group.extend(Some(item - 1).filter(|item| !self.withdrawn.contains(item)));
            }
            groups.extend(Some(group).filter(|group| !group.is_empty()));
        }
        Ok(Ranking { copies, groups })
    }
}

fn fault(file: &str, line: u64, value: &str, what: &str) -> Error {
    let (file, value, what) = (file.to_owned(), Some(value.to_owned()), what.to_owned());
    Error::Row(Box::new(RowError { file, line, column: None, value, what }))
}

impl RankingFile for Blt {
    fn kind(&self) -> &'static str {
        "ballots (blt)"
    }

    fn items(&self) -> &[String] {
        &self.items
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn next(&mut self) -> Result<Option<(u64, Ranking)>> {
        let Some((line, text)) = self.ballots.pop() else { return Ok(None) };
        self.text = text;
        self.ranking(line).map(|ranking| Some((line, ranking)))
    }
}
