//! Files of votes, as the command line names them: how they are read, and what is said about it.

use super::rejected_rows::RejectedRows;
use borduel::ballots::{Ballots, BothBad, Ties};
use borduel_lab::atomic_write::{Inputs, apart};
use borduel_lab::failure::Failure;
use borduel_lab::stderr::write_line;
use borduel_report::ranking::summed;
use borduel_votes::{
    Columns, Encoding, Everything, ExtraColumns, ExtraVotes, Items, ReadOptions, RowKind, Rows, Scale, TableOptions,
    Unranked, VoteReader, WideOptions, Words,
};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// How votes are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "When detection fails")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct ReadFlags {
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
    /// The column of the voter, or several with commas between them; `none` for independent votes
    #[arg(long, value_name = "COLUMN")]
    voter: Option<String>,
    /// The column of what items were compared on, such as the prompt; `none` for nothing
    #[arg(long, value_name = "COLUMN")]
    context: Option<String>,
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
    /// In a file of points, where the higher number wins: the column of the left item's
    #[arg(long, value_name = "COLUMN")]
    left_points: Option<String>,
    /// In a file of points: the column of the right item's
    #[arg(long, value_name = "COLUMN")]
    right_points: Option<String>,
    /// The column of the number of ties, or of whether a vote was one; `none` to leave such a column out
    #[arg(long, value_name = "COLUMN")]
    ties_column: Option<String>,
    /// Use only rows in which a column has this value; of one column, any of the values given for it
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// What a row is, where header and values do not tell
    #[arg(long, value_enum)]
    rows: Option<RowsChoice>,
    /// With --rows: the columns of the items or places, with commas between them [default: all that may be]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "rows")]
    item_columns: Vec<String>,
    /// With --rows long-ranks, long-ratings or choices: the column that tells several of one judge apart
    #[arg(long, value_name = "COLUMN", requires = "rows")]
    task: Option<String>,
    /// In a matrix, the column's item beat the row's; of ranks and ratings, rows are items
    #[arg(long)]
    transpose: bool,
    /// Names that differ only in case, spaces or Unicode form are one item
    #[arg(long)]
    fold_names: bool,
    /// An answer that means the left item; may be given several times, like the four below
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    left_value: Vec<String>,
    /// An answer that means the right item
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    right_value: Vec<String>,
    /// An answer that means a tie
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    tie_value: Vec<String>,
    /// An answer that means both are bad
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    both_bad_value: Vec<String>,
    /// An answer that means the question was skipped
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    skip_value: Vec<String>,
    /// How answers are written, where the header does not tell
    #[arg(long = "answer-scale", value_enum)]
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
    /// How letters are written as bytes
    #[arg(long, value_enum, default_value = "utf8")]
    encoding: EncodingChoice,
    /// The first row is data; columns are named by their numbers
    #[arg(long)]
    no_header: bool,
    /// Write rows that are not understood to a file, and go on without them
    #[arg(long)]
    lenient: bool,
    /// Where such rows go [default: the votes' name with .rejected.csv]
    #[arg(long, alias = "set-aside", value_name = "FILE", requires = "lenient")]
    rejected: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleChoice {
    /// Sides, item names, or words such as tie
    Names,
    /// The same, and what is the name of one of the two items means that item
    Items,
    /// The same, and never an item's name
    Sides,
    /// Numbers from 0 (right) to 1 (left)
    Unit,
    /// Numbers from 0 (left) to 1 (right)
    ZeroOne,
    /// Numbers from 1 (left) to 2 (right)
    OneTwo,
    /// Numbers from -1 (right) over 0 (a tie) to 1 (left)
    Signed,
    /// The points of both, such as 2-1 or 0:0
    Score,
    /// By how much the left item is ahead: above 0 it won, below 0 the right one did
    Margin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RowsChoice {
    /// A vote on two items
    Pairs,
    /// An item, with its wins over the item of each column
    Matrix,
    /// A judge, with the rank of each column's item (1 is the best)
    Ranks,
    /// A judge, with the rating of each column's item (the highest is the best)
    Ratings,
    /// A judge, with the item in each column's place
    Places,
    /// A judge, an item and its rank (1 is the best)
    LongRanks,
    /// A judge, an item and its rating (the highest is the best)
    LongRatings,
    /// A judge, with the answer to each column's pair of items
    Contests,
    /// A judge, with a whole ranking in one column: ash > birch = cedar
    Ballots,
    /// Several items, and which of them was the best and which the worst
    BestWorst,
    /// One of several items, and whether it was chosen: 1, 0 or (the worst) -1
    Choices,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EncodingChoice {
    /// UTF-8
    Utf8,
    /// Latin-1 and Windows-1252, one byte a letter
    Latin1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TiesChoice {
    /// Half a win for each
    Half,
    /// Not used
    Drop,
    /// An outcome of its own, by Davidson's model
    Model,
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
pub(crate) struct ReadVotes {
    pub(crate) ballots: Ballots,
    pub(crate) rows: Rows,
    /// What was detected in each file.
    pub(crate) notes: Vec<String>,
    /// The votes once more, as other columns have it.
    pub(crate) extra: ExtraVotes,
}

impl ReadVotes {
    /// Drops what the votes were on; they count alike then.
    pub(crate) fn ignore_contexts(&mut self) {
        let parts = self.extra.by.iter_mut().map(|(_, ballots)| ballots);
        let stretches = self.extra.over.iter_mut().map(|stretch| &mut stretch.ballots);
        for ballots in parts.chain(stretches).chain([&mut self.ballots]) {
            *ballots = ballots.without_contexts();
        }
    }
}

impl ReadFlags {
    /// How tables are opened.
    pub(crate) fn table(&self) -> TableOptions {
        let encoding = match self.encoding {
            EncodingChoice::Utf8 => Encoding::Utf8,
            EncodingChoice::Latin1 => Encoding::Latin1,
        };
        TableOptions { delimiter: self.delimiter, no_header: self.no_header, lenient: self.lenient, encoding }
    }

    fn options(&self, extra: ExtraColumns) -> Result<ReadOptions, Failure> {
        let mut extra = extra;
        for condition in &self.only {
            let (column, value) = condition.split_once('=').ok_or_else(|| {
                Failure::Usage(format!("--where {condition}: write it as COLUMN=VALUE or COLUMN!=VALUE"))
            })?;
            let (list, column) = match column.strip_suffix('!') {
                Some(column) => (&mut extra.but, column),
                None => (&mut extra.only, column),
            };
            list.push((column.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(ReadOptions {
            columns: Columns {
                left: self.left.clone(),
                right: self.right.clone(),
                winner: self.winner.clone(),
                loser: self.loser.clone(),
                voter: self.voter.clone(),
                context: self.context.clone(),
                weight: self.weight.clone(),
                count: self.count.clone(),
                left_wins: self.left_wins.clone(),
                right_wins: self.right_wins.clone(),
                left_points: self.left_points.clone(),
                right_points: self.right_points.clone(),
                ties: self.ties_column.clone(),
                scale: self.scale.map(|scale| match scale {
                    ScaleChoice::Names => Scale::Names,
                    ScaleChoice::Items => Scale::Items,
                    ScaleChoice::Sides => Scale::Sides,
                    ScaleChoice::Score => Scale::Score,
                    ScaleChoice::Margin => Scale::Margin,
                    ScaleChoice::Unit => Scale::Unit,
                    ScaleChoice::ZeroOne => Scale::ZeroOne,
                    ScaleChoice::OneTwo => Scale::OneTwo,
                    ScaleChoice::Signed => Scale::Signed,
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
                TiesChoice::Model => Ties::Model,
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
            wide: WideOptions {
                rows: self.rows.map(|rows| match rows {
                    RowsChoice::Pairs => RowKind::Pairs,
                    RowsChoice::Matrix => RowKind::Matrix,
                    RowsChoice::Ranks => RowKind::Ranks,
                    RowsChoice::Ratings => RowKind::Ratings,
                    RowsChoice::Places => RowKind::Places,
                    RowsChoice::LongRanks => RowKind::LongRanks,
                    RowsChoice::LongRatings => RowKind::LongRatings,
                    RowsChoice::Contests => RowKind::Contests,
                    RowsChoice::Ballots => RowKind::Ballots,
                    RowsChoice::BestWorst => RowKind::BestWorst,
                    RowsChoice::Choices => RowKind::Choices,
                }),
                columns: self.item_columns.clone(),
                task: self.task.clone(),
                transpose: self.transpose,
            },
            fold_names: self.fold_names,
            extra,
        })
    }

    /// Takes this column as that of the voter.
    pub(crate) fn set_voter(&mut self, column: &str) {
        self.voter = Some(column.to_owned());
    }

    /// The same for a file of one voter's votes, which need not say whose they are.
    pub(crate) fn of_one_voter(&self) -> Self {
        Self { voter: None, ..self.clone() }
    }

    /// Where rows go that are not understood.
    fn rejected_path(&self, paths: &[String]) -> PathBuf {
        self.rejected.clone().unwrap_or_else(|| {
            let first = paths.first().map_or("votes", String::as_str);
            PathBuf::from(format!("{}.rejected.csv", if first == "-" { "votes" } else { first }))
        })
    }

    /// Refuses outputs that are inputs, and two outputs in one place.
    pub(crate) fn check_outputs(
        &self,
        votes: &[String],
        other_inputs: &[Option<&PathBuf>],
        written: &[(&'static str, Option<&PathBuf>)],
    ) -> Result<(), Failure> {
        let others = other_inputs.iter().flatten().map(|path| path.as_path());
        let inputs = Inputs::new(votes.iter().map(Path::new).chain(others));
        let rejected = (self.lenient && !votes.is_empty()).then(|| self.rejected_path(votes));
        let mut outputs: Vec<(&str, &Path)> = Vec::new();
        outputs.extend(written.iter().filter_map(|&(flag, path)| Some((flag, path?.as_path()))));
        outputs.extend(rejected.as_ref().map(|path| ("--rejected", path.as_path())));
        outputs.iter().try_for_each(|(flag, path)| inputs.refuse(flag, path))?;
        apart(&outputs)
    }

    /// Reads all files of votes into one box, and says on standard error what was found in them.
    /// `further` are other columns that are wanted.
    pub(crate) fn read(
        &self,
        paths: &[String],
        items: Option<&Items>,
        extra: ExtraColumns,
        quiet: bool,
    ) -> Result<ReadVotes, Failure> {
        let options = self.options(extra)?;
        only_once(paths)?;
        let mut rejected = RejectedRows::new(self.rejected_path(paths));
        let read = {
            let mut reader = VoteReader::new(options).set_aside(|error, row| rejected.add(error, row));
            if let Some(items) = items {
                reader = reader.with_items(items);
            }
            reader.read_all(paths).map(|()| reader.finish_all())
        };
        if let Some(failure) = rejected.failure() {
            return Err(failure);
        }
        let Everything { ballots, rows, notes, extra } = read.map_err(|error| Failure::Data(error.to_string()))?;
        if rows.unwanted > 0 && rows.unwanted == rows.read {
            let asked = self.only.join(" and ");
            return Err(Failure::Data(format!("none of the {} rows has {asked}: check --where", rows.read)));
        }
        let place = rejected.place().to_owned();
        rejected.finish()?;
        if !quiet {
            summed(&notes).iter().for_each(|note| write_line(note));
            if rows.set_aside > 0 {
                let (bad, all) = (rows.set_aside, rows.read);
                write_line(&format!("{bad} of {all} rows were not understood; they are in {}", place.display()));
            }
            if rows.unanswered > 0 {
                let (none, all) = (rows.unanswered, rows.read);
                write_line(&format!(
                    "{none} of {all} rows have no answer and are not used (if NA stands for a tie: --tie-value NA)"
                ));
            }
        }
        if rows.unwanted > 0 && !quiet {
            write_line(&format!("{} of {} rows are left out by --where", rows.unwanted, rows.read));
        }
        Ok(ReadVotes { ballots, rows, notes, extra })
    }
}

/// Refuses a file that is named twice: its votes would count twice.
pub(crate) fn only_once(paths: &[String]) -> Result<(), Failure> {
    let real = |path: &String| std::fs::canonicalize(path).ok();
    let mut seen = std::collections::HashSet::new();
    match paths.iter().find(|path| real(path).is_some_and(|real| !seen.insert(real))) {
        Some(twice) => {
            Err(Failure::Usage(format!("{twice} is named twice, and its votes would count twice: name it once")))
        }
        None => Ok(()),
    }
}
