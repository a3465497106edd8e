//! Rankings as `PrefLib` publishes them (`.soc`, `.soi`, `.toc`, `.toi`), in its present and its former format.
//!
//! Present: `# NUMBER ALTERNATIVES: 4`, `# ALTERNATIVE NAME 1: tea`, …, then `7: 1,{2,3},4` for seven voters who put 1 first and
//! 2 and 3 level. Former: the number of items, lines `1,tea`, a line `voters,votes,orders`, then `7,1,{2,3},4`.

use crate::error::{Error, Result, RowError};
use crate::source::Source;
use std::io::BufRead;

/// The rankings of a file.
pub(crate) struct Rankings {
    pub(crate) items: Vec<String>,
    pub(crate) ballots: Vec<Ballot>,
}

/// A ranking that `copies` voters share: groups of level items, best first.
pub(crate) struct Ballot {
    pub(crate) line: u64,
    pub(crate) copies: f64,
    pub(crate) groups: Vec<Vec<usize>>,
}

/// Whether the first bytes are those of such a file.
pub(crate) fn is_preflib(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return false };
    if first.starts_with('#') {
        return text.lines().take_while(|line| line.starts_with('#')).any(|line| line.contains("ALTERNATIVE"));
    }
    first.trim().parse::<u64>().is_ok() && lines.next().is_some_and(|second| second.starts_with("1,"))
}

/// Reads all rankings. Such files hold one line per distinct ranking, so they are small.
pub(crate) fn read(source: Source) -> Result<Rankings> {
    let file = source.name;
    let mut lines = Vec::new();
    for (number, line) in (1_u64..).zip(source.reader.lines()) {
        let line = line.map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => Error::file(&file, format!("line {number} is not valid UTF-8")),
            _ => Error::io(&file, number - 1, error),
        })?;
        if !line.trim().is_empty() {
            lines.push((number, line));
        }
    }
    let fault = |line: u64, value: &str, what: &str| {
        let (file, value, what) = (file.clone(), Some(value.to_owned()), what.to_owned());
        Error::Row(Box::new(RowError { file, line, column: None, value, what }))
    };
    let mut items: Vec<String> = Vec::new();
    let mut name_item = |number: &str, name: &str, line: u64, whole: &str| {
        if number.trim().parse() != Ok(items.len() + 1) {
            return Err(fault(line, whole, &format!("is not the name of item {}", items.len() + 1)));
        }
        let name = name.trim().to_owned();
        if items.contains(&name) {
            return Err(fault(line, &name, "is the name of two items"));
        }
        items.push(name);
        Ok(())
    };
    let modern = lines.first().is_some_and(|(_, line)| line.starts_with('#'));
    let body: Vec<(u64, &str, &str)> = if modern {
        for (number, line) in lines.iter().filter(|(_, line)| line.starts_with('#')) {
            if line.contains("DATA TYPE:")
                && !["soc", "soi", "toc", "toi"].iter().any(|kind| line.trim_end().ends_with(kind))
            {
                return Err(Error::file(
                    &file,
                    format!("line {number}: only rankings (soc, soi, toc, toi) are read, not: {line}"),
                ));
            }
            if let Some((key, name)) = line.trim_start_matches(['#', ' ']).split_once(':')
                && let Some(key) = key.strip_prefix("ALTERNATIVE NAME ")
            {
                name_item(key, name, *number, line)?;
            }
        }
        lines
            .iter()
            .filter(|(_, line)| !line.starts_with('#'))
            .map(|(number, line)| {
                line.split_once(':')
                    .map(|(copies, order)| (*number, copies, order))
                    .ok_or_else(|| fault(*number, line, "is no ranking: expected count: first, second, …"))
            })
            .collect::<Result<_>>()?
    } else {
        let count: usize = lines.first().and_then(|(_, line)| line.trim().parse().ok()).unwrap_or(0);
        for (number, line) in lines.iter().skip(1).take(count) {
            let (item, name) =
                line.split_once(',').ok_or_else(|| fault(*number, line, "is no item: expected number,name"))?;
            name_item(item, name, *number, line)?;
        }
        // The line after the items gives totals, which the rankings themselves repeat.
        lines
            .iter()
            .skip(count + 2)
            .map(|(number, line)| {
                line.split_once(',')
                    .map(|(copies, order)| (*number, copies, order))
                    .ok_or_else(|| fault(*number, line, "is no ranking: expected count,first,second,…"))
            })
            .collect::<Result<_>>()?
    };
    if items.len() < 2 {
        return Err(Error::file(&file, "names fewer than two items"));
    }
    let ballots = body.into_iter().map(|(line, copies, order)| {
        let copies = copies.trim().parse::<f64>().ok().filter(|c| *c > 0.0 && c.is_finite());
        let copies = copies.ok_or_else(|| fault(line, order, "has no count of voters in front of it"))?;
        let groups = groups(order, items.len()).map_err(|what| fault(line, order.trim(), &what))?;
        Ok(Ballot { line, copies, groups })
    });
    let ballots = ballots.collect::<Result<Vec<_>>>()?;
    Ok(Rankings { items, ballots })
}

/// The groups of a ranking such as `1,{2,3},4`, as indices from 0.
fn groups(order: &str, items: usize) -> std::result::Result<Vec<Vec<usize>>, String> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut seen = vec![false; items];
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
        let item = item.ok_or_else(|| format!("names the item {number}, and there are items 1 to {items}"))? - 1;
        if std::mem::replace(&mut seen[item], true) {
            return Err(format!("ranks item {number} twice"));
        }
        // A group exists: the first token opens one.
        if let Some(group) = groups.last_mut() {
            group.push(item);
        }
    }
    if open { Err("has a brace that is not closed".to_owned()) } else { Ok(groups) }
}
