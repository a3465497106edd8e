//! Rankings as `PrefLib` publishes them (`.soc`, `.soi`, `.toc`, `.toi`), in its present and its former format.
//!
//! Present: `# NUMBER ALTERNATIVES: 4`, `# ALTERNATIVE NAME 1: tea`, …, then `7: 1,{2,3},4` for seven voters who put 1
//! first and 2 and 3 level. Former: the number of items, lines `1,tea`, a line `voters,votes,orders`, then
//! `7,1,{2,3},4`.

use crate::encoding::NOT_UTF8;
use crate::error::{Error, Result, RowError};
use crate::limit::read_line;
use crate::rankings::{Ranking, RankingFile};
use crate::source::Source;
use std::collections::HashSet;
use std::io::BufRead;

/// A file of rankings, of which the items have been read.
pub(crate) struct PrefLib {
    file: String,
    reader: Box<dyn BufRead>,
    /// The items' names.
    items: Vec<String>,
    /// What stands between the number of voters and their ranking.
    mark: char,
    /// The current line, with its number.
    text: String,
    line: u64,
    bytes: Vec<u8>,
    /// Whether the current line is still to be read as a ranking.
    pending: bool,
}

/// Whether the first bytes are those of such a file.
pub(crate) fn is_preflib(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&head[..head.len().min(1 << 16)]);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    if first.starts_with('#') {
        return text.lines().take_while(|line| line.starts_with('#')).any(|line| line.contains("ALTERNATIVE"));
    }
    first.trim().parse::<u64>().is_ok() && lines.next().is_some_and(|second| second.starts_with("1,"))
}

impl PrefLib {
    /// Reads the names of the items.
    pub(crate) fn open(source: Source) -> Result<Self> {
        let mut file = Self {
            file: source.name,
            reader: source.reader,
            items: Vec::new(),
            mark: ':',
            text: String::new(),
            line: 0,
            bytes: Vec::new(),
            pending: false,
        };
        let mut names = HashSet::new();
        if file.advance()? && file.text.starts_with('#') {
            file.present_header(&mut names)?;
        } else {
            file.former_header(&mut names)?;
        }
        if file.items.len() < 2 {
            return Err(Error::file(&file.file, "names fewer than two items"));
        }
        Ok(file)
    }

    /// Goes to the next line that is not blank.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.line += 1;
            if !read_line(&self.file, self.line, &mut *self.reader, &mut self.bytes)? {
                return Ok(false);
            }
            let text = std::str::from_utf8(&self.bytes)
                .map_err(|_| Error::file(&self.file, format!("line {} {NOT_UTF8}", self.line)))?;
            if !text.trim().is_empty() {
                self.text.clear();
                self.text.push_str(text.trim_end());
                return Ok(true);
            }
        }
    }

    fn present_header(&mut self, names: &mut HashSet<String>) -> Result<()> {
        const KINDS: [&str; 4] = ["soc", "soi", "toc", "toi"];
        loop {
            let line = self.text.as_str();
            if line.contains("DATA TYPE:") && !KINDS.iter().any(|kind| line.ends_with(kind)) {
                let what = format!(
                    "line {}: only rankings are read: take the soc, soi, toc or toi of the same data, and not: {line}",
                    self.line
                );
                return Err(Error::file(&self.file, what));
            }
            let named = line.trim_start_matches(['#', ' ']).split_once(':');
            if let Some((number, name)) =
                named.and_then(|(key, name)| Some((key.strip_prefix("ALTERNATIVE NAME ")?, name)))
            {
                let (number, name) = (number.to_owned(), name.to_owned());
                self.name_item(&number, &name, names)?;
            }
            if !self.advance()? {
                return Ok(());
            }
            if !self.text.starts_with('#') {
                self.pending = true;
                return Ok(());
            }
        }
    }

    fn former_header(&mut self, names: &mut HashSet<String>) -> Result<()> {
        self.mark = ',';
        let count: u64 = self.text.trim().parse().unwrap_or(0);
        for _ in 0..count {
            if !self.advance()? {
                return Err(Error::file(&self.file, format!("ends before the names of its {count} items")));
            }
            let named = self.text.split_once(',').map(|(number, name)| (number.to_owned(), name.to_owned()));
            let (number, name) = named.ok_or_else(|| self.fault(&self.text, "is no item: expected number,name"))?;
            self.name_item(&number, &name, names)?;
        }
        // The line after the items gives totals, which the rankings themselves repeat.
        self.advance().map(|_| ())
    }

    fn name_item(&mut self, number: &str, name: &str, names: &mut HashSet<String>) -> Result<()> {
        let next = self.items.len() + 1;
        if number.trim().parse() != Ok(next) {
            return Err(self.fault(&self.text, &format!("is not the name of item {next}")));
        }
        let name = name.trim();
        if name.is_empty() {
            return Err(self.fault(&self.text, &format!("gives item {next} no name")));
        }
        if !names.insert(name.to_owned()) {
            return Err(self.fault(name, "is the name of two items"));
        }
        self.items.push(name.to_owned());
        Ok(())
    }

    fn fault(&self, value: &str, what: &str) -> Error {
        let (file, value, what) = (self.file.clone(), Some(value.to_owned()), what.to_owned());
        Error::Row(Box::new(RowError { file, line: self.line, column: None, value, what }))
    }
}

impl RankingFile for PrefLib {
    fn kind(&self) -> &'static str {
        "PrefLib rankings"
    }

    fn items(&self) -> &[String] {
        &self.items
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn next(&mut self) -> Result<Option<(u64, Ranking)>> {
        loop {
            if !std::mem::take(&mut self.pending) && !self.advance()? {
                return Ok(None);
            }
            if self.text.starts_with('#') {
                continue;
            }
            let (copies, order) = self.text.split_once(self.mark).ok_or_else(|| {
                self.fault(&self.text, &format!("is no ranking: expected count{} first, second, …", self.mark))
            })?;
            let copies = copies.trim().parse::<f64>().ok().filter(|c| *c > 0.0 && c.is_finite());
            let copies = copies.ok_or_else(|| self.fault(order, "has no count of voters in front of it"))?;
            let groups = groups(order, self.items.len()).map_err(|what| self.fault(order.trim(), &what))?;
            return Ok(Some((self.line, Ranking { copies, groups })));
        }
    }
}

/// The groups of a ranking such as `1,{2,3},4`, as indices from 0.
fn groups(order: &str, items: usize) -> std::result::Result<Vec<Vec<usize>>, String> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen = HashSet::new();
    let mut open = false;
    for token in order.split(',') {
        let token = token.trim();
        let starts = token.starts_with('{');
        if starts && open {
            return Err("has a brace within braces".to_owned());
        }
        let number = token.trim_start_matches('{').trim_end_matches('}').trim();
        if starts || !open {
            groups.push(Vec::new());
        }
        open = (open || starts) && !token.ends_with('}');
        if number.is_empty() {
            continue;
        }
        let item = number.parse::<usize>().ok().filter(|n| (1..=items).contains(n));
        let item = item.ok_or_else(|| {
            format!("names the item {}, and there are items 1 to {items}", crate::error::shortened(number))
        })? - 1;
        if !seen.insert(item) {
            return Err(format!("ranks item {number} twice"));
        }
        // A group exists: the first token opens one.
        if let Some(group) = groups.last_mut() {
            group.push(item);
        }
    }
    if open { Err("has a brace that is not closed".to_owned()) } else { Ok(groups) }
}
