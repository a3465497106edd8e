//! Reading a text in a test, and saying what it means.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "every test uses a part of this")]

use borduel_rank::ballots::Ballots;
use borduel_votes::{Columns, ReadOptions, VoteReader};
use std::io::Cursor;

pub fn read(text: &str, options: &ReadOptions) -> Result<(Ballots, borduel_votes::Rows, String), String> {
    let mut reader = VoteReader::new(options.clone());
    reader.read_bytes("votes", Cursor::new(text.as_bytes().to_vec())).map_err(|error| error.to_string())?;
    let (ballots, rows, notes) = reader.finish();
    Ok((ballots, rows, notes.join("\n")))
}

/// "a>b 2" for two wins of a over b, "a=b 1" for a tie; sorted.
pub fn wins(ballots: &Ballots) -> Vec<String> {
    let name = |item: u32| &ballots.items()[item as usize];
    let mut all = Vec::new();
    for cell in ballots.cells() {
        let (l, r, c) = (name(cell.left), name(cell.right), cell.counts);
        for (count, text) in [
            (c.left, format!("{l}>{r}")),
            (c.right, format!("{r}>{l}")),
            (c.tie, if l < r { format!("{l}={r}") } else { format!("{r}={l}") }),
            (c.soft, format!("{l}~{r}")),
        ] {
            if count > 0.0 {
                all.push(format!("{text} {count}"));
            }
        }
    }
    all.sort();
    all
}

/// The file is understood without any help, and means this.
#[track_caller]
pub fn means(text: &str, expected: &[&str]) -> String {
    let (ballots, _, note) = read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(wins(&ballots), expected, "{note}\n{text}");
    note
}

/// The file is refused with a message that holds all of these.
#[track_caller]
pub fn refused(text: &str, options: &ReadOptions, parts: &[&str]) {
    let message =
        read(text, options).map(|(ballots, _, note)| format!("{:?}\n{note}", wins(&ballots))).expect_err(text);
    for part in parts {
        assert!(message.contains(part), "no \"{part}\" in: {message}");
    }
}

pub fn columns(columns: Columns) -> ReadOptions {
    ReadOptions { columns, ..ReadOptions::default() }
}
