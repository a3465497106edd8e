//! Reading a text in a test, and saying what it means.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "every test uses a part of this")]

use borduel_rank::ballots::Ballots;
use borduel_votes::{Columns, Encoding, ReadOptions, RowKind, Scale, VoteReader};
use std::io::Cursor;

pub fn read(text: &str, options: &ReadOptions) -> Result<(Ballots, borduel_votes::Rows, String), String> {
    read_bytes(text.as_bytes(), options)
}

pub fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<(Ballots, borduel_votes::Rows, String), String> {
    let mut reader = VoteReader::new(options.clone());
    reader.read_bytes("votes", Cursor::new(bytes.to_vec())).map_err(|error| error.to_string())?;
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

/// The words of a command line, without their quotation marks.
fn typed(flags: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = None;
    for c in flags.chars() {
        match c {
            '"' | '\'' if quoted.is_none_or(|mark| mark == c) => quoted = if quoted.is_none() { Some(c) } else { None },
            ' ' if quoted.is_none() => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The options that flags stand for.
pub fn options(flags: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    let mut words = typed(flags).into_iter();
    while let Some(flag) = words.next() {
        let ReadOptions { columns, words: own, wide, table, extra, .. } = &mut options;
        let mut value = || words.next().unwrap();
        match flag.as_str() {
            "--left" => columns.left = Some(value()),
            "--right" => columns.right = Some(value()),
            "--winner" => columns.winner = Some(value()),
            "--loser" => columns.loser = Some(value()),
            "--voter" => columns.voter = Some(value()),
            "--left-points" => columns.left_points = Some(value()),
            "--right-points" => columns.right_points = Some(value()),
            "--left-wins" => columns.left_wins = Some(value()),
            "--right-wins" => columns.right_wins = Some(value()),
            "--ties-column" => columns.ties = Some(value()),
            "--count" => columns.count = Some(value()),
            "--skip-value" => own.skip.push(value()),
            "--where" => {
                let wanted = value();
                match wanted.split_once("!=") {
                    Some((column, value)) => extra.but.push((column.to_owned(), value.to_owned())),
                    None => extra.only.extend(wanted.split_once('=').map(|(c, v)| (c.to_owned(), v.to_owned()))),
                }
            }
            "--left-value" => own.left.push(value()),
            "--right-value" => own.right.push(value()),
            "--tie-value" => own.tie.push(value()),
            "--task" => wide.task = Some(value()),
            "--item-columns" => wide.columns = value().split(',').map(str::to_owned).collect(),
            "--transpose" => wide.transpose = true,
            "--no-header" => table.no_header = true,
            "--lenient" => table.lenient = true,
            "--encoding" => {
                value();
                table.encoding = Encoding::Latin1;
            }
            "--answer-scale" => {
                columns.scale = Some(match value().as_str() {
                    "unit" => Scale::Unit,
                    "zero-one" => Scale::ZeroOne,
                    "one-two" => Scale::OneTwo,
                    "signed" => Scale::Signed,
                    "score" => Scale::Score,
                    "margin" => Scale::Margin,
                    other => panic!("{other}"),
                });
            }
            "--rows" => {
                wide.rows = Some(match value().as_str() {
                    "matrix" => RowKind::Matrix,
                    "ranks" => RowKind::Ranks,
                    "ratings" => RowKind::Ratings,
                    "places" => RowKind::Places,
                    "ballots" => RowKind::Ballots,
                    "long-ranks" => RowKind::LongRanks,
                    "long-ratings" => RowKind::LongRatings,
                    "contests" => RowKind::Contests,
                    "best-worst" => RowKind::BestWorst,
                    "choices" => RowKind::Choices,
                    other => panic!("{other}"),
                });
            }
            other => panic!("{other} in {flags}"),
        }
    }
    options
}
