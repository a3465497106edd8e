//! A way to read a table, and the flags that choose it: what is tried is what is said.

use crate::extra_columns::ExtraColumns;
use crate::layout::Columns;
use crate::layout::header::Header;
use crate::options::ReadOptions;
use crate::outcome::{Scale, Words};
use crate::sample::Sample;
use crate::wide::{RowKind, WideOptions};

/// Where the rows of a table begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    /// Below the first row, which is the header.
    #[default]
    Header,
    /// With the first row: there is no header.
    First,
    /// Below so many rows that follow the header and say more about it.
    Below(usize),
    /// Below a header of two lines.
    Joined,
    /// Below the header, in front of which there are so many rows of something else.
    After(usize),
}

impl Start {
    /// The columns and the first rows of a table that begins so.
    pub(crate) fn of(self, columns: &[String], sample: &Sample) -> (Vec<String>, Sample) {
        match self {
            Self::Header => (columns.to_vec(), sample.clone()),
            Self::First => ((1..=columns.len()).map(|number| number.to_string()).collect(), sample.with_first(columns)),
            Self::Joined => {
                let mut above = "";
                let mut joined = Vec::new();
                for (name, below) in columns.iter().zip(sample.rows.first().map_or(&[][..], Vec::as_slice)) {
                    above = if name.is_empty() && !below.is_empty() { above } else { name };
                    joined.push(format!("{above} {below}").trim().to_owned());
                }
                (joined, sample.below(1))
            }
            Self::Below(rows) => (columns.to_vec(), sample.below(rows)),
            Self::After(rows) => {
                let header = rows.checked_sub(1).and_then(|row| sample.rows.get(row));
                (header.cloned().unwrap_or_default(), sample.below(rows))
            }
        }
    }
}

/// A way to read a table: what the flags say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interpretation {
    pub(crate) columns: Columns,
    pub(crate) words: Words,
    pub(crate) wide: WideOptions,
    pub(crate) fold_names: bool,
    /// Whether rows that are not understood are set aside.
    pub(crate) lenient: bool,
    pub(crate) start: Start,
    /// The rows that are wanted.
    pub(crate) extra: ExtraColumns,
}

impl Interpretation {
    /// The reading that these flags choose.
    pub(crate) fn from_options(options: &ReadOptions) -> Self {
        let ReadOptions { columns, words, wide, fold_names, table, extra, .. } = options.clone();
        let start = if table.no_header { Start::First } else { Start::Header };
        let ExtraColumns { only, where_there, but, .. } = extra;
        let extra = ExtraColumns { only, where_there, but, ..ExtraColumns::default() };
        Self { columns, words, wide, fold_names, lenient: table.lenient, start, extra }
    }

    /// The flags that choose it, as they are typed.
    pub(crate) fn flags(&self) -> String {
        let Self { columns, words, wide, .. } = self;
        let items = (!wide.columns.is_empty()).then(|| wide.columns.join(","));
        let mut flags: Vec<String> = Vec::new();
        flags.extend((self.start == Start::First).then(|| "--no-header".to_owned()));
        flags.extend(wide.rows.map(|rows| format!("--rows {}", rows.flag())));
        for (flag, value) in [
            ("--voter", &columns.voter),
            ("--task", &wide.task),
            ("--item-columns", &items),
            ("--left", &columns.left),
            ("--right", &columns.right),
            ("--winner", &columns.winner),
            ("--loser", &columns.loser),
            ("--left-points", &columns.left_points),
            ("--right-points", &columns.right_points),
            ("--left-wins", &columns.left_wins),
            ("--right-wins", &columns.right_wins),
            ("--ties-column", &columns.ties),
            ("--weight", &columns.weight),
            ("--count", &columns.count),
            ("--context", &columns.context),
        ] {
            // What begins with a hyphen would be a flag.
            let between = if value.as_ref().is_some_and(|value| value.starts_with('-')) { "=" } else { " " };
            flags.extend(value.as_ref().map(|value| format!("{flag}{between}{}", typed(value))));
        }
        flags.extend(columns.scale.map(|scale| format!("--answer-scale {}", scale.flag())));
        for (flag, values) in [
            ("--left-value", &words.left),
            ("--right-value", &words.right),
            ("--tie-value", &words.tie),
            ("--both-bad-value", &words.both_bad),
            ("--skip-value", &words.skip),
        ] {
            flags.extend(values.iter().map(|value| format!("{flag} {}", typed(value))));
        }
        for (sign, wanted) in [("=", &self.extra.only), ("!=", &self.extra.but)] {
            flags.extend(
                wanted.iter().map(|(column, value)| format!("--where {}", typed(&[column, sign, value].concat()))),
            );
        }
        for (flag, said) in
            [("--transpose", wide.transpose), ("--fold-names", self.fold_names), ("--lenient", self.lenient)]
        {
            flags.extend(said.then(|| flag.to_owned()));
        }
        flags.join(" ")
    }
}

/// A value as it is typed in a shell.
fn typed(value: &str) -> String {
    if value == "none" || (!value.is_empty() && value.bytes().all(|b| b.is_ascii_digit())) {
        value.to_owned()
    } else if value.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", value.replace('\'', "'\\''"))
    } else {
        format!("\"{value}\"")
    }
}

impl RowKind {
    /// What one row is.
    pub(super) fn row(self) -> &'static str {
        match self {
            Self::Pairs => "a vote on two items",
            Self::Matrix => "an item, with how often it won against those of the columns",
            Self::Ranks => "a judge, with the rank of each column's item",
            Self::Ratings => "a judge, with the rating of each column's item",
            Self::Places => "a judge, with the items in their places",
            Self::Ballots => "a judge, with a whole ranking in one column",
            Self::LongRanks => "an item's rank by a judge",
            Self::LongRatings => "an item's rating by a judge",
            Self::Contests => "a judge, with the answer to each column's pair",
            Self::BestWorst => "a choice of the best and the worst of several items",
            Self::Choices => "an item of several to choose from",
        }
    }

    /// What `--rows` calls it.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Matrix => "matrix",
            Self::Ranks => "ranks",
            Self::Ratings => "ratings",
            Self::Places => "places",
            Self::Ballots => "ballots",
            Self::LongRanks => "long-ranks",
            Self::LongRatings => "long-ratings",
            Self::Contests => "contests",
            Self::BestWorst => "best-worst",
            Self::Choices => "choices",
        }
    }
}

impl Scale {
    /// What `--answer-scale` calls it.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Items => "items",
            Self::Sides => "sides",
            Self::Unit => "unit",
            Self::ZeroOne => "zero-one",
            Self::OneTwo => "one-two",
            Self::Signed => "signed",
            Self::Score => "score",
            Self::Margin => "margin",
        }
    }
}

impl Header<'_> {
    /// What flags call a column: its name, or its number where the name is none, is long, is not the only one, or means
    /// something to a shell or to a list.
    pub(crate) fn called(&self, column: usize) -> String {
        const LONGEST: usize = 60;
        let name = &self.columns[column];
        let plain =
            name.chars().count() <= LONGEST && !name.contains(|c: char| c.is_control() || "\",$`\\!".contains(c));
        let only = self.names.iter().filter(|other| **other == self.names[column]).count() == 1;
        let found = || self.named("", name).is_ok_and(|found| found == column);
        if !name.is_empty() && plain && only && found() { name.clone() } else { (column + 1).to_string() }
    }
}
