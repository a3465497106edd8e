//! Which column is what: told by the user, found by the header or else by the values, and said in words.

pub(crate) mod answer_columns;
pub(crate) mod codes;
mod describe;
mod draws;
pub(crate) mod header;
pub(crate) mod infer;
pub(crate) mod languages;
pub(crate) mod scale;
#[cfg(test)]
mod tests;
pub(crate) mod twins;

use crate::error::{Error, Result};
use crate::extra_columns::{ExtraColumns, ExtraColumnsAt};
use crate::outcome::Scale;
use crate::sample::Sample;
use crate::spelling::Spelling;
use crate::table::decimal;
pub(crate) use describe::{of_rejected_work, unused};
pub(crate) use draws::{Draws, NO_POINTS, compared};
use header::Header;
pub(crate) use twins::{side, words};

/// Columns named by the user, by name or by number from 1. What is `None` is found by the header, or by the values.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The item on the left.
    pub left: Option<String>,
    /// The item on the right.
    pub right: Option<String>,
    /// The answer; together with `loser`, the winning item.
    pub winner: Option<String>,
    /// The column of the item that lost.
    pub loser: Option<String>,
    /// The voter; `none` for "do not use one".
    pub voter: Option<String>,
    /// What items were compared on, such as the prompt; `none` for "do not use one".
    pub context: Option<String>,
    /// The sampling weight; `none` for "do not use one".
    pub weight: Option<String>,
    /// The frequency; `none` for "do not use one".
    pub count: Option<String>,
    /// The number of wins of the left item, in a file of counts.
    pub left_wins: Option<String>,
    /// The number of wins of the right item.
    pub right_wins: Option<String>,
    /// The points of the left item, where the higher number wins.
    pub left_points: Option<String>,
    /// The points of the right item.
    pub right_points: Option<String>,
    /// The number of ties, or whether a vote was one; `none` for "do not use one".
    pub ties: Option<String>,
    /// How the answer column is written; told by its name and its values otherwise.
    pub scale: Option<Scale>,
}

impl Columns {
    /// All names of columns that were given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let first = [&self.left, &self.right, &self.winner, &self.loser, &self.voter, &self.weight, &self.count];
        let second =
            [&self.context, &self.left_wins, &self.right_wins, &self.left_points, &self.right_points, &self.ties];
        first.into_iter().chain(second).flatten()
    }

    /// The columns that make up the voter, where several were named with commas between them, and what they are called
    /// together.
    pub(crate) fn several_voters(&self, file: &str, columns: &[String]) -> Result<Option<(String, Vec<usize>)>> {
        let header = Header::new(file, columns);
        let Some(name) =
            self.voter.as_ref().filter(|name| name.contains(',') && header.named("--voter", name).is_err())
        else {
            return Ok(None);
        };
        let parts: Result<Vec<usize>> = name.split(',').map(|part| header.named("--voter", part.trim())).collect();
        Ok(Some((name.clone(), parts?)))
    }

    /// Whether a column is named that only a table of pairs has.
    pub(crate) fn names_pairs(&self) -> bool {
        let names = [&self.left, &self.right, &self.winner, &self.loser, &self.left_wins, &self.right_wins];
        names.into_iter().chain([&self.left_points, &self.right_points, &self.weight]).any(Option::is_some)
    }
}

/// What the rows of a table say, by column index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Two items and one answer.
    Answer { left: usize, right: usize, answer: usize },
    /// Two items and one 0/1 column for each answer.
    OneHot { left: usize, right: usize, wins: [usize; 2], tie: Option<usize>, both_bad: Option<usize> },
    /// The winner and the loser; the sides are unknown.
    WinnerLoser { winner: usize, loser: usize },
    /// Two items and how often each won; or wins and the total.
    Counts {
        left: usize,
        right: usize,
        left_wins: usize,
        right_wins: usize,
        total: bool,
        ties: Option<usize>,
        sides_known: bool,
    },
    /// Two items and their points: the higher number wins, equal ones are a tie.
    Points { left: usize, right: usize, points: [usize; 2] },
}

impl Shape {
    /// The columns that tell who won.
    pub(crate) fn result(&self) -> Vec<usize> {
        match *self {
            Self::Answer { answer, .. } => vec![answer],
            Self::OneHot { wins: [left, right], .. } | Self::Counts { left_wins: left, right_wins: right, .. } => {
                vec![left, right]
            }
            Self::WinnerLoser { winner, loser } => vec![winner, loser],
            Self::Points { points, .. } => points.to_vec(),
        }
    }
}

/// The columns of a table of votes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is told by the file on its own")]
pub struct Layout {
    pub(crate) shape: Shape,
    pub(crate) draws: Option<Draws>,
    /// The points of the winner and the loser, in two columns or in one: where they are equal, somebody has to say what
    /// that means.
    pub(crate) level: Vec<usize>,
    pub(crate) voter: Option<usize>,
    /// Whether the column of voters is empty, as in what a study exports of votes that came without: no vote has a
    /// voter then.
    pub(crate) nameless: bool,
    /// What the items were compared on.
    pub(crate) context: Option<usize>,
    /// The number of the question, where several answers to one may be there.
    pub(crate) ask: Option<usize>,
    pub(crate) weight: Option<usize>,
    pub(crate) count: Option<usize>,
    /// Other columns that are wanted.
    pub(crate) extra: Vec<usize>,
    /// The scale of the answers, where the header, the values or the user tell; otherwise the first row will.
    pub(crate) scale: Option<Scale>,
    /// Whether an empty answer means that there is none, as in the sheets that `borduel design` writes and in the files
    /// of `AlpacaEval`.
    pub(crate) sheet: bool,
    /// Whether 0 is a tie beside 1 and 2, as it is to `AlpacaEval`.
    pub(crate) zero_is_tie: bool,
    /// Whether the answer is what lost, and not what won.
    pub(crate) loser: bool,
    /// Whether the values had to tell, since the header did not.
    pub(crate) inferred: bool,
}

impl Layout {
    /// The columns of a table of votes as its header and its values tell them; `None` where they do not.
    pub(crate) fn understood(header: &Header<'_>, sample: &Sample, given: &Columns) -> Result<Option<Self>> {
        let file = header.file;
        let Some((shape, inferred)) = find_shape(header, sample, given)? else { return Ok(None) };
        let alpaca_eval = given.scale.is_none() && scale::is_alpaca_eval(header, &shape);
        let loser = answer_columns::names_the_loser(header, given, &shape);
        let mut layout = Self {
            shape,
            loser,
            draws: None,
            level: Vec::new(),
            voter: None,
            nameless: false,
            context: None,
            ask: None,
            weight: None,
            count: None,
            extra: Vec::new(),
            scale: given.scale,
            sheet: header.find("ask").is_some() || alpaca_eval,
            zero_is_tie: alpaca_eval,
            inferred,
        };
        let free = |layout: &Self, column: Option<usize>| column.filter(|c| !layout.used().contains(c));
        layout.voter = header.given_or("--voter", given.voter.as_ref(), || free(&layout, header.voter()))?;
        let empty = |voter: usize| !sample.rows.is_empty() && sample.rows.iter().all(|row| row[voter].is_empty());
        layout.nameless = layout.voter.is_some_and(empty);
        layout.ask = free(&layout, header.find("ask"));
        layout.weight = header.given_or("--weight", given.weight.as_ref(), || free(&layout, header.weight()))?;
        layout.count = header.given_or("--count", given.count.as_ref(), || free(&layout, header.count()))?;
        layout.context =
            header.given_or("--context", given.context.as_ref(), || free(&layout, header.context(sample)))?;
        if given.scale.is_some() && !matches!(layout.shape, Shape::Answer { .. }) {
            return Err(Error::file(
                file,
                "--answer-scale is for a column of answers, and there is none: name it with --winner",
            ));
        }
        layout.draws = draws::find(header, sample, given, &layout)?;
        layout.level = draws::points(header, sample, given, &layout);
        if layout.inferred {
            infer::check_header(header, sample, &layout.shape)?;
        }
        if layout.scale.is_none() {
            layout.scale = scale::scale(header, sample, &layout.shape, given)?;
        }
        layout.check(header, sample, given)?;
        Ok(Some(layout))
    }

    /// Refuses a column that is used twice, or that is not the only one of its name and was not called by its number.
    fn check(&self, header: &Header<'_>, sample: &Sample, given: &Columns) -> Result<()> {
        let used = self.used();
        let by_number = |column: usize| given.names().any(|name| name.parse() == Ok(column + 1));
        for (at, &column) in used.iter().enumerate() {
            let name = crate::error::shortened(&header.columns[column]);
            if used[..at].contains(&column) {
                let what = format!("the column \"{name}\" is asked to be two things at once");
                return Err(Error::file(header.file, what));
            }
            // Columns without a name are known by their places.
            if name.is_empty() {
                continue;
            }
            let alike = (0..header.names.len()).filter(|&other| header.names[other] == header.names[column]);
            // Two of one name are the two items.
            if alike.clone().eq([used[0].min(used[1]), used[0].max(used[1])]) && self.inferred {
                continue;
            }
            let numbers: Vec<String> = alike.map(|other| (other + 1).to_string()).collect();
            if numbers.len() > 1 && !by_number(column) {
                let what = format!(
                    "there are {} columns named \"{name}\": rename them, or call those that are meant by their numbers \
                     ({}), as in --left {}. ",
                    if numbers.len() == 2 { "two".to_owned() } else { numbers.len().to_string() },
                    numbers.join(", "),
                    numbers[0]
                );
                let data =
                    infer::may_be_data(header, sample).then_some("If the first row is no header, say --no-header.");
                let what = what + &infer::odd_beginning(header, sample) + data.unwrap_or_default();
                return Err(Error::file(header.file, what.trim_end().trim_end_matches('.')));
            }
        }
        Ok(())
    }

    /// The first rows with the first spelling of every item.
    pub(crate) fn settled(&self, sample: &Sample, spelling: &mut Spelling) -> Sample {
        let (mut sample, used) = (sample.clone(), self.used());
        let names_item = matches!(self.shape, Shape::Answer { .. });
        for row in &mut sample.rows {
            used[..2].iter().for_each(|&item| spelling.settle(&mut row[item]));
            used.iter().skip(2).take(usize::from(names_item)).for_each(|&answer| spelling.replace(&mut row[answer]));
        }
        sample
    }

    /// The columns in use, in the order in which their values are read.
    pub fn used(&self) -> Vec<usize> {
        let mut used = match &self.shape {
            Shape::Answer { left, right, answer } => vec![*left, *right, *answer],
            Shape::OneHot { left, right, wins, tie, both_bad } => {
                [*left, *right, wins[0], wins[1]].into_iter().chain(*tie).chain(*both_bad).collect()
            }
            Shape::WinnerLoser { winner, loser } => vec![*winner, *loser],
            Shape::Counts { left, right, left_wins, right_wins, ties, .. } => {
                [*left, *right, *left_wins, *right_wins].into_iter().chain(*ties).collect()
            }
            Shape::Points { left, right, points } => vec![*left, *right, points[0], points[1]],
        };
        used.extend(self.draws.map(Draws::column).into_iter().chain(self.level.iter().copied()));
        used.extend(self.voter.into_iter().chain(self.ask).chain(self.weight).chain(self.count).chain(self.context));
        used.extend(&self.extra);
        used
    }

    /// Reads other columns too, and tells where they are among the fields of a row.
    pub(crate) fn want(&mut self, file: &str, columns: &[String], extra: &ExtraColumns) -> Result<ExtraColumnsAt> {
        let header = Header::new(file, columns);
        let mut at = |flag: &str, name: &String| -> Result<usize> {
            let column = header.named(flag, name)?;
            if let Some(at) = self.used().iter().position(|&used| used == column) {
                return Ok(at);
            }
            self.extra.push(column);
            Ok(self.used().len() - 1)
        };
        let mut found = ExtraColumnsAt::default();
        for (column, value) in extra.wanted(&header) {
            found.want(at("--where", column)?, value);
        }
        for (column, value) in &extra.but {
            found.want_not(at("--where", column)?, value);
        }
        found.by = extra.by.as_ref().map(|name| at("--by", name)).transpose()?;
        found.over = extra.over.as_ref().map(|name| at("--over", name)).transpose()?;
        found.cluster = extra.cluster.as_ref().map(|name| at("--cluster", name)).transpose()?;
        found.took = extra.took.as_ref().map(|name| at("--took", name)).transpose()?;
        for name in &extra.numbers {
            let alone = header.named("--adjust", name).is_ok();
            let halves = name.split_once('-').map(|(a, b)| (a.trim().to_owned(), b.trim().to_owned()));
            let both = halves
                .filter(|(a, b)| !alone && header.named("--adjust", a).is_ok() && header.named("--adjust", b).is_ok());
            found.numbers.push(match both {
                Some((a, b)) => (at("--adjust", &a)?, Some(at("--adjust", &b)?)),
                None => (at("--adjust", name)?, None),
            });
        }
        Ok(found)
    }

    /// Whether "left" is the side on which an item was shown.
    pub(crate) fn sides_known(&self) -> bool {
        match self.shape {
            Shape::Answer { .. } | Shape::OneHot { .. } | Shape::Points { .. } => true,
            Shape::WinnerLoser { .. } => false,
            Shape::Counts { sides_known, .. } => sides_known,
        }
    }
}

/// The shape, and whether the values had to tell it.
fn find_shape(header: &Header<'_>, sample: &Sample, given: &Columns) -> Result<Option<(Shape, bool)>> {
    let named = |flag: &str, name: &Option<String>| name.as_ref().map(|name| header.named(flag, name)).transpose();
    let both = |flags: [&str; 2], names: [&Option<String>; 2]| match (
        named(flags[0], names[0])?,
        named(flags[1], names[1])?,
    ) {
        (Some(left), Some(right)) => Ok(Some((left, right))),
        (None, None) => Ok(None),
        _ => Err(Error::file(header.file, format!("{} and {} are given together or not at all", flags[0], flags[1]))),
    };
    let items = both(["--left", "--right"], [&given.left, &given.right])?;
    let wins = both(["--left-wins", "--right-wins"], [&given.left_wins, &given.right_wins])?;
    let points = both(["--left-points", "--right-points"], [&given.left_points, &given.right_points])?;
    let answer = named("--winner", &given.winner)?;
    if let Some(loser) = named("--loser", &given.loser)? {
        if wins.is_some() || points.is_some() || (items.is_some() && answer.is_some()) {
            let what = "--loser goes with --winner, or with --left and --right, and with no others";
            return Err(Error::file(header.file, what));
        }
        let winner = answer.or_else(|| header.any(&["winner", "chosen", "better"])).filter(|_| items.is_none());
        if let Some(winner) = winner {
            return Ok(Some((Shape::WinnerLoser { winner, loser }, false)));
        }
        let found = items.or_else(|| header.items()).or_else(|| infer::items(header, sample, Some(loser)));
        let Some((left, right)) = found else {
            let what = "--loser needs --winner, or two columns of items (--left, --right): who won against it?";
            return Err(Error::file(header.file, what));
        };
        return Ok(Some((Shape::Answer { left, right, answer: loser }, false)));
    }
    let by_header = items.or_else(|| header.items());
    let Some((left, right)) = by_header.or_else(|| infer::items(header, sample, answer)) else {
        return Ok(no_items(header, sample, given));
    };
    let inferred = by_header.is_none();
    if let Some((left_wins, right_wins)) = wins {
        let ties = header.given_or("--ties-column", given.ties.as_ref(), || None)?;
        if let (None, Some(column)) = (&given.ties, header.ties()) {
            let name = crate::error::shortened(&header.columns[column]);
            let what = format!("is \"{name}\" the column of ties? Say --ties-column \"{name}\", or --ties-column none");
            return Err(Error::file(header.file, what));
        }
        return Ok(Some((counts(header, (left, right), (left_wins, right_wins), false, ties), inferred)));
    }
    if let Some((first, second)) = points {
        return Ok(Some((Shape::Points { left, right, points: [first, second] }, inferred)));
    }
    if let Some(answer) = answer {
        return Ok(Some((Shape::Answer { left, right, answer }, inferred)));
    }
    if let Some(answer) = header.answer().filter(|c| *c != left && *c != right && !inferred) {
        return Ok(Some((Shape::Answer { left, right, answer }, false)));
    }
    if let Some(shape) = header.one_hot(left, right) {
        return Ok(Some((shape, inferred)));
    }
    // A letter may be anything.
    let numbers = |column: usize| sample.values(column).all(|value| decimal(value).is_some());
    let letter = |column: usize| header.names[column].len() == 1;
    let counted = header.counts(left, right).filter(|&(first, ..)| !letter(first) || numbers(first));
    if let Some((left_wins, right_wins, total)) = counted {
        let tied = || header.any(&["t", "d"]).filter(|&column| letter(left_wins) && numbers(column));
        let ties = header.given_or("--ties-column", given.ties.as_ref(), || header.ties().or_else(tied))?;
        return Ok(Some((counts(header, (left, right), (left_wins, right_wins), total, ties), inferred)));
    }
    let mut claimed = answer_columns::claimed(header, sample, given, (left, right))?;
    Ok(match claimed.len() {
        0 => {
            let other = || infer::answered(header, sample).filter(|_| given.left.is_none()).map(|shape| (shape, true));
            no_items(header, sample, given).or_else(other)
        }
        // Of several nobody can tell which.
        _ => claimed.pop().filter(|_| claimed.is_empty()).map(|shape| (shape, true)),
    })
}

fn counts(
    header: &Header<'_>,
    (left, right): (usize, usize),
    (left_wins, right_wins): (usize, usize),
    total: bool,
    ties: Option<usize>,
) -> Shape {
    let sides_known = header.names[left].contains("left") && header.names[right].contains("right");
    Shape::Counts { left, right, left_wins, right_wins, total, ties, sides_known }
}

/// Where no two items with an answer are found: a winner and a loser, or nothing.
fn no_items(header: &Header<'_>, sample: &Sample, given: &Columns) -> Option<(Shape, bool)> {
    if given.winner.is_some() || given.left.is_some() {
        return None;
    }
    let named = header.winner_loser().filter(|&pair| !infer::are_totals(header, sample, pair));
    let found = named.map(|pair| (pair, false)).or_else(|| Some((infer::winner_loser(header, sample)?, true)));
    found.map(|((winner, loser), inferred)| (Shape::WinnerLoser { winner, loser }, inferred))
}

/// The columns of the voter and of the frequency, in a table that is not one of pairs.
pub(crate) fn voter_and_count(
    file: &str,
    columns: &[String],
    given: &Columns,
) -> Result<(Option<usize>, Option<usize>)> {
    let header = Header::new(file, columns);
    let voter = header.given_or("--voter", given.voter.as_ref(), || header.voter())?;
    let count = header.given_or("--count", given.count.as_ref(), || header.count())?;
    Ok((voter, count))
}

/// The column that tells several tasks of a judge apart.
pub(crate) fn task(file: &str, columns: &[String], given: Option<&String>) -> Result<Option<usize>> {
    let header = Header::new(file, columns);
    header.given_or("--task", given, || header.task())
}

/// Whether a column's name is that of an answer.
pub(crate) fn is_called_answer(name: &str) -> bool {
    answer_columns::is_called_answer(&words(name))
}

/// Column names for a message, not too many of them.
pub(crate) fn list(columns: &[String]) -> String {
    let shown = |name: &String| if name.is_empty() { "(no name)".to_owned() } else { crate::error::shortened(name) };
    let mut text = columns.iter().take(12).map(shown).collect::<Vec<_>>().join(", ");
    if columns.len() > 12 {
        text.push_str(", …");
    }
    text
}
