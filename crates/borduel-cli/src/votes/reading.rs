//! Files of votes, as the command line names them: how they are read, and what is said about it.

use crate::failure::Failure;
use borduel::ballots::{Ballots, BothBad, Ties};
use borduel_votes::{Columns, Items, ReadOptions, Rows, Scale, TableOptions, Unranked, VoteReader, Words};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// How votes are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading votes")]
pub(crate) struct Reading {
    /// The column of the left item, by name or number (columns are found by the header unless named)
    #[arg(long, value_name = "COLUMN")]
    left: Option<String>,
    /// The column of the right item
    #[arg(long, value_name = "COLUMN")]
    right: Option<String>,
    /// The column of the answer, or (with --loser) of the winning item
    #[arg(long, value_name = "COLUMN")]
    winner: Option<String>,
    /// The column of the losing item
    #[arg(long, value_name = "COLUMN")]
    loser: Option<String>,
    /// The column of the voter; `none` for independent votes
    #[arg(long, value_name = "COLUMN")]
    voter: Option<String>,
    /// The column of the sampling weight; `none` for no weights
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// The column that says how many votes a row stands for; `none` for one each
    #[arg(long, value_name = "COLUMN")]
    count: Option<String>,
    /// In a file of counts: the column of the left item's wins
    #[arg(long, value_name = "COLUMN")]
    left_wins: Option<String>,
    /// In a file of counts: the column of the right item's wins
    #[arg(long, value_name = "COLUMN")]
    right_wins: Option<String>,
    /// In a file of counts: the column of the ties
    #[arg(long, value_name = "COLUMN")]
    ties_column: Option<String>,
    /// An answer that means the left item; may be given several times, like the four below
    #[arg(long, value_name = "WORD")]
    left_value: Vec<String>,
    /// An answer that means the right item
    #[arg(long, value_name = "WORD")]
    right_value: Vec<String>,
    /// An answer that means a tie
    #[arg(long, value_name = "WORD")]
    tie_value: Vec<String>,
    /// An answer that means both are bad
    #[arg(long, value_name = "WORD")]
    both_bad_value: Vec<String>,
    /// An answer that means the question was skipped
    #[arg(long, value_name = "WORD")]
    skip_value: Vec<String>,
    /// How answers are written, where the header does not tell
    #[arg(long, value_enum)]
    scale: Option<ScaleChoice>,
    /// What a tie is worth
    #[arg(long, value_enum, default_value = "half")]
    ties: TiesChoice,
    /// What "both bad" is worth
    #[arg(long, value_enum, default_value = "drop")]
    both_bad: BothBadChoice,
    /// What a ranking says about an item that it leaves out
    #[arg(long, value_enum, default_value = "unknown")]
    unranked: UnrankedChoice,
    /// The character between fields, where it is not found out
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// The first row is data; columns are named by their numbers
    #[arg(long)]
    no_header: bool,
    /// Set rows that are not understood aside in a file, and go on
    #[arg(long)]
    lenient: bool,
    /// Where such rows go [default: the votes' name with .set-aside.csv]
    #[arg(long, value_name = "FILE", requires = "lenient")]
    set_aside: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleChoice {
    /// Sides, item names, or words such as tie
    Names,
    /// Numbers from 0 (right) to 1 (left)
    Unit,
    /// Numbers from 1 (left) to 2 (right)
    OneTwo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TiesChoice {
    /// Half a win for each
    Half,
    /// Not used
    Drop,
    /// A mistake
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BothBadChoice {
    /// Not used
    Drop,
    /// A tie
    Tie,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnrankedChoice {
    /// Nothing
    Unknown,
    /// That it lost against all that are ranked
    Last,
}

/// What was read.
pub(crate) struct Votes {
    pub(crate) ballots: Ballots,
    pub(crate) rows: Rows,
    /// What was detected in each file.
    pub(crate) notes: Vec<String>,
}

impl Reading {
    /// How tables are opened.
    pub(crate) fn table(&self) -> TableOptions {
        TableOptions { delimiter: self.delimiter, no_header: self.no_header, lenient: self.lenient }
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            columns: Columns {
                left: self.left.clone(),
                right: self.right.clone(),
                winner: self.winner.clone(),
                loser: self.loser.clone(),
                voter: self.voter.clone(),
                weight: self.weight.clone(),
                count: self.count.clone(),
                left_wins: self.left_wins.clone(),
                right_wins: self.right_wins.clone(),
                ties: self.ties_column.clone(),
                scale: self.scale.map(|scale| match scale {
                    ScaleChoice::Names => Scale::Names,
                    ScaleChoice::Unit => Scale::Unit,
                    ScaleChoice::OneTwo => Scale::OneTwo,
                }),
            },
            words: Words {
                left: self.left_value.clone(),
                right: self.right_value.clone(),
                tie: self.tie_value.clone(),
                both_bad: self.both_bad_value.clone(),
                skip: self.skip_value.clone(),
            },
            table: self.table(),
            ties: match self.ties {
                TiesChoice::Half => Ties::Half,
                TiesChoice::Drop => Ties::Drop,
                TiesChoice::Error => Ties::Error,
            },
            both_bad: match self.both_bad {
                BothBadChoice::Drop => BothBad::Drop,
                BothBadChoice::Tie => BothBad::Tie,
            },
            unranked: match self.unranked {
                UnrankedChoice::Unknown => Unranked::Unknown,
                UnrankedChoice::Last => Unranked::Last,
            },
        }
    }

    /// Reads all files of votes into one box, and says on standard error what was found in them.
    pub(crate) fn read(&self, paths: &[String], items: Option<&Items>, quiet: bool) -> Result<Votes, Failure> {
        let aside = self.set_aside.clone().unwrap_or_else(|| {
            let first = paths.first().map_or("votes", String::as_str);
            PathBuf::from(format!("{}.set-aside.csv", if first == "-" { "votes" } else { first }))
        });
        let mut writer = None;
        let (ballots, rows, notes) = {
            let mut reader = VoteReader::new(self.options()).set_aside(|error, row| {
                // The file comes into being with its first row.
                let out = if let Some(out) = &mut writer {
                    out
                } else {
                    let mut out = csv::Writer::from_path(&aside)?;
                    out.write_record(["file", "line", "column", "value", "reason", "row"])?;
                    writer.insert(out)
                };
                let column = error.column.as_ref().map_or("", |(_, name)| name.as_str());
                let value = error.value.as_deref().unwrap_or_default();
                out.write_record([&error.file, &error.line.to_string(), column, value, &error.what, row])?;
                Ok(())
            });
            if let Some(items) = items {
                reader = reader.with_items(items);
            }
            for path in paths {
                reader.read(path).map_err(|error| Failure::Data(error.to_string()))?;
            }
            reader.finish()
        };
        if let Some(mut writer) = writer {
            writer.flush().map_err(|error| unwritable(&aside, &error))?;
        }
        if !quiet {
            notes.iter().for_each(|note| eprintln!("{note}"));
            if rows.set_aside > 0 {
                eprintln!(
                    "{} of {} rows were not understood; they are in {}",
                    rows.set_aside,
                    rows.read,
                    aside.display()
                );
            }
            if rows.unanswered > 0 {
                eprintln!("{} of {} rows have no answer yet", rows.unanswered, rows.read);
            }
        }
        Ok(Votes { ballots, rows, notes })
    }
}

/// A file named on the command line that cannot be written.
pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    let message = format!("{}: cannot be written ({error}); ", path.display());
    match error.kind() {
        StorageFull | QuotaExceeded => Failure::Internal(message + "make room or name another file"),
        _ => Failure::Usage(message + "name another file"),
    }
}
