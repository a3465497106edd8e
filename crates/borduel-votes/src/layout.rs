//! Which column is what: found by the header, overridden by the user, and said in words.

use crate::error::{Error, Result};
use crate::outcome::Scale;
use crate::table::normal;

/// Columns named by the user, by name or by number from 1. What is `None` is found by the header.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The item on the left.
    pub left: Option<String>,
    /// The item on the right.
    pub right: Option<String>,
    /// The answer; together with `loser`, the winning item.
    pub winner: Option<String>,
    /// The losing item.
    pub loser: Option<String>,
    /// The voter; `none` for "do not use one".
    pub voter: Option<String>,
    /// The sampling weight; `none` for "do not use one".
    pub weight: Option<String>,
    /// The frequency; `none` for "do not use one".
    pub count: Option<String>,
    /// The number of wins of the left item, in a file of counts.
    pub left_wins: Option<String>,
    /// The number of wins of the right item.
    pub right_wins: Option<String>,
    /// The number of ties.
    pub ties: Option<String>,
    /// How the answer column is written; told by its name and first value otherwise.
    pub scale: Option<Scale>,
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
}

/// The columns of a table of votes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    pub(crate) voter: Option<usize>,
    pub(crate) weight: Option<usize>,
    pub(crate) count: Option<usize>,
    /// The scale of the answers, where the header or the user tells; otherwise the first row will.
    pub(crate) scale: Option<Scale>,
    /// Whether an empty answer means "not asked yet", as in the sheets that `borduel design` writes.
    pub(crate) sheet: bool,
}

const VOTERS: &[&str] = &[
    "voter",
    "worker",
    "judge",
    "user",
    "annotator",
    "rater",
    "performer",
    "assessor",
    "evaluator",
    "participant",
    "respondent",
    "subject",
    "reviewer",
    "visitor",
    "session",
];
const WEIGHTS: &[&str] = &["weight", "weights", "sample_weight", "sampling_weight"];
const COUNTS: &[&str] = &["count", "counts", "freq", "frequency", "num_votes", "n_votes", "multiplicity"];
const ANSWERS: &[&str] = &[
    "winner",
    "label",
    "preference",
    "outcome",
    "result",
    "choice",
    "chosen",
    "vote",
    "verdict",
    "answer",
    "preferred",
    "judgment",
    "judgement",
    "decision",
    "human_preference",
    "p_left",
    "prob_left",
    "probability",
    "soft",
    "soft_label",
    "score",
    "chosen_model",
    "chosen_model_name",
];
const STEMS: &[&str] = &[
    "item",
    "model",
    "generator",
    "option",
    "player",
    "team",
    "candidate",
    "choice",
    "alternative",
    "system",
    "method",
    "arm",
    "name",
    "id",
];
const SUFFIXES: &[(&str, &str)] = &[
    ("_a", "_b"),
    ("_1", "_2"),
    ("1", "2"),
    ("_left", "_right"),
    ("_x", "_y"),
    ("a", "b"),
    ("_a_name", "_b_name"),
    ("_a_id", "_b_id"),
    ("_i", "_j"),
];
const BARE_PAIRS: &[(&str, &str)] =
    &[("left", "right"), ("left_item", "right_item"), ("left_id", "right_id"), ("left_model", "right_model")];
const LATE_PAIRS: &[(&str, &str)] = &[("a", "b"), ("i", "j"), ("x", "y"), ("first", "second")];
const WINNER_LOSER: &[(&str, &str)] = &[
    ("winner", "loser"),
    ("winner_id", "loser_id"),
    ("winner_name", "loser_name"),
    ("winning", "losing"),
    ("chosen", "rejected"),
    ("chosen_model", "rejected_model"),
    ("better", "worse"),
    ("preferred", "dispreferred"),
    ("won", "lost"),
];
const TIES: &[&str] = &["ties", "tie", "draws", "draw", "n_ties", "num_ties", "wins_tie", "tie_count"];
const TOTALS: &[&str] = &["total", "plays", "n", "games", "trials", "comparisons", "count"];

/// A header that can be asked for columns.
struct Header<'a> {
    file: &'a str,
    columns: &'a [String],
    names: Vec<String>,
}

impl Header<'_> {
    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    fn any(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.find(name))
    }

    fn pair(&self, pair: (&str, &str)) -> Option<(usize, usize)> {
        Some((self.find(pair.0)?, self.find(pair.1)?))
    }

    fn pairs(&self, pairs: &[(&str, &str)]) -> Option<(usize, usize)> {
        pairs.iter().find_map(|&pair| self.pair(pair))
    }

    /// The two columns of items.
    fn items(&self) -> Option<(usize, usize)> {
        let stems = || {
            STEMS.iter().find_map(|stem| {
                SUFFIXES.iter().find_map(|(a, b)| self.pair((&format!("{stem}{a}"), &format!("{stem}{b}"))))
            })
        };
        self.pairs(BARE_PAIRS).or_else(stems).or_else(|| self.pairs(LATE_PAIRS))
    }

    /// A column the user named, by its exact name, its normalised name, or its number.
    fn named(&self, flag: &str, name: &str) -> Result<usize> {
        let exact = self.columns.iter().position(|c| c == name);
        let number = || name.parse::<usize>().ok().filter(|n| (1..=self.columns.len()).contains(n)).map(|n| n - 1);
        exact.or_else(|| self.find(&normal(name))).or_else(number).ok_or_else(|| {
            Error::file(
                self.file,
                format!("{flag} {name}: there is no such column; the columns are {}", list(self.columns)),
            )
        })
    }

    fn optional(&self, flag: &str, name: Option<&String>, known: impl Fn() -> Option<usize>) -> Result<Option<usize>> {
        match name {
            Some(name) if name == "none" => Ok(None),
            Some(name) => self.named(flag, name).map(Some),
            None => Ok(known()),
        }
    }

    fn voter(&self) -> Option<usize> {
        VOTERS.iter().find_map(|name| {
            ["", "_id", "_name", "_hash"]
                .iter()
                .find_map(|end| self.find(&format!("{name}{end}")))
                .or_else(|| self.find(&format!("{name}id")))
        })
    }

    /// The columns of counts of wins that go with two item columns: wins of the left, wins of the right or the total.
    fn counts(&self, left: usize, right: usize) -> Option<(usize, usize, bool)> {
        let (l, r) = (&self.names[left], &self.names[right]);
        let ends = |name: &str| name.rsplit_once('_').map_or(name.to_owned(), |(_, end)| end.to_owned());
        let (le, re) = (ends(l), ends(r));
        for (l, r) in [(l.as_str(), r.as_str()), (&le, &re), ("left", "right"), ("a", "b"), ("1", "2")] {
            for form in [
                "wins_@", "@_wins", "win_@", "@_win", "count_@", "@_count", "votes_@", "@_votes", "n_@", "wins@",
                "votes@", "count@", "win@", "n@",
            ] {
                if let Some((l, r)) = self.pair((&form.replace('@', l), &form.replace('@', r))) {
                    return Some((l, r, false));
                }
            }
        }
        let wins = self.any(&["wins", "win", "won", "n_wins"])?;
        if let Some(losses) = self.any(&["losses", "loss", "lost", "n_losses"]) {
            return Some((wins, losses, false));
        }
        Some((wins, self.any(TOTALS)?, true))
    }

    fn one_hot(&self, left: usize, right: usize) -> Option<Shape> {
        let (l, r) = (&self.names[left], &self.names[right]);
        let end = |name: &str| name.rsplit_once('_').map_or(name.to_owned(), |(_, end)| end.to_owned());
        let forms = [
            (format!("winner_{l}"), format!("winner_{r}")),
            (format!("winner_{}", end(l)), format!("winner_{}", end(r))),
        ];
        let (win_left, win_right) = forms.iter().find_map(|(l, r)| self.pair((l, r)))?;
        let tie = self.any(&["winner_tie", "winner_draw"]);
        let both_bad = self.any(&["winner_tie_bothbad", "winner_bothbad", "winner_both_bad", "winner_tie_(bothbad)"]);
        Some(Shape::OneHot { left, right, wins: [win_left, win_right], tie, both_bad })
    }
}

impl Layout {
    /// Finds the columns of a table of votes.
    pub(crate) fn find(file: &str, columns: &[String], given: &Columns) -> Result<Self> {
        let header = Header { file, columns, names: columns.iter().map(|name| normal(name)).collect() };
        let shape = find_shape(&header, given)?;
        let mut layout = Self {
            shape,
            voter: None,
            weight: None,
            count: None,
            scale: given.scale,
            sheet: header.find("ask").is_some(),
        };
        let free = |layout: &Self, column: Option<usize>| column.filter(|c| !layout.used().contains(c));
        layout.voter = header.optional("--voter", given.voter.as_ref(), || free(&layout, header.voter()))?;
        layout.weight = header.optional("--weight", given.weight.as_ref(), || free(&layout, header.any(WEIGHTS)))?;
        layout.count = header.optional("--count", given.count.as_ref(), || free(&layout, header.any(COUNTS)))?;
        if layout.scale.is_none()
            && let Shape::Answer { left, right, answer } = layout.shape
        {
            let numbered = header.names[left].ends_with('1') && header.names[right].ends_with('2');
            layout.scale = match header.names[answer].as_str() {
                "preference" | "preferred" if numbered => Some(Scale::OneTwo),
                "winner" | "label" | "choice" | "chosen" | "vote" | "chosen_model" | "chosen_model_name" => {
                    Some(Scale::Names)
                }
                _ => None,
            };
        }
        let used = layout.used();
        for (at, &column) in used.iter().enumerate() {
            if used[..at].contains(&column) {
                return Err(Error::file(
                    file,
                    format!("the column \"{}\" is asked to be two things at once", columns[column]),
                ));
            }
            if header.names.iter().filter(|name| **name == header.names[column]).count() > 1 {
                return Err(Error::file(
                    file,
                    format!("there are two columns named \"{}\": rename one of them", columns[column]),
                ));
            }
        }
        Ok(layout)
    }

    /// The columns in use, in the order in which their values are read.
    pub(crate) fn used(&self) -> Vec<usize> {
        let mut used = match &self.shape {
            Shape::Answer { left, right, answer } => vec![*left, *right, *answer],
            Shape::OneHot { left, right, wins, tie, both_bad } => {
                [*left, *right, wins[0], wins[1]].into_iter().chain(*tie).chain(*both_bad).collect()
            }
            Shape::WinnerLoser { winner, loser } => vec![*winner, *loser],
            Shape::Counts { left, right, left_wins, right_wins, ties, .. } => {
                [*left, *right, *left_wins, *right_wins].into_iter().chain(*ties).collect()
            }
        };
        used.extend(self.voter.into_iter().chain(self.weight).chain(self.count));
        used
    }

    /// Whether "left" is the side on which an item was shown.
    pub(crate) fn sides_known(&self) -> bool {
        match self.shape {
            Shape::Answer { .. } | Shape::OneHot { .. } => true,
            Shape::WinnerLoser { .. } => false,
            Shape::Counts { sides_known, .. } => sides_known,
        }
    }

    /// What was detected, in words.
    pub(crate) fn describe(&self, columns: &[String]) -> String {
        let name = |column: &usize| format!("\"{}\"", columns[*column]);
        let mut parts = match &self.shape {
            Shape::Answer { left, right, answer } => {
                let scale = match self.scale {
                    Some(Scale::Unit) => " (from 0, the right item, to 1, the left)",
                    Some(Scale::OneTwo) => " (from 1, the left item, to 2, the right)",
                    Some(Scale::Names) | None => "",
                };
                vec![format!("left = {}, right = {}, answer = {}{scale}", name(left), name(right), name(answer))]
            }
            Shape::OneHot { left, right, wins, tie, both_bad } => {
                let mut text = format!(
                    "left = {}, right = {}, wins = {} and {}",
                    name(left),
                    name(right),
                    name(&wins[0]),
                    name(&wins[1])
                );
                text.extend(tie.iter().map(|tie| format!(", tie = {}", name(tie))));
                text.extend(both_bad.iter().map(|bad| format!(", both bad = {}", name(bad))));
                vec![text]
            }
            Shape::WinnerLoser { winner, loser } => {
                vec![format!("winner = {}, loser = {} (sides unknown)", name(winner), name(loser))]
            }
            Shape::Counts { left, right, left_wins, right_wins, total, ties, sides_known } => {
                let second = if *total { "of a total" } else { "right wins" };
                let mut text = format!(
                    "counts: left = {}, right = {}, left wins = {}, {second} = {}",
                    name(left),
                    name(right),
                    name(left_wins),
                    name(right_wins)
                );
                text.extend(ties.iter().map(|ties| format!(", ties = {}", name(ties))));
                if !sides_known {
                    text.push_str(" (sides unknown)");
                }
                vec![text]
            }
        };
        for (what, column) in [("voter", self.voter), ("weight", self.weight), ("count", self.count)] {
            parts.extend(column.map(|column| format!("{what} = {}", name(&column))));
        }
        let used = self.used();
        let unused: Vec<_> =
            (0..columns.len()).filter(|column| !used.contains(column)).map(|c| columns[c].clone()).collect();
        if !unused.is_empty() {
            parts.push(format!("not used: {}", list(&unused)));
        }
        parts.join("; ").replacen("; voter", ", voter", 1)
    }
}

fn find_shape(header: &Header<'_>, given: &Columns) -> Result<Shape> {
    let named = |flag: &str, name: &Option<String>| name.as_ref().map(|name| header.named(flag, name)).transpose();
    if let Some(loser) = named("--loser", &given.loser)? {
        let winner = named("--winner", &given.winner)?.or_else(|| header.any(&["winner", "chosen", "better"]));
        let Some(winner) = winner else {
            return Err(Error::file(header.file, "--loser needs --winner: which column names the winning item?"));
        };
        return Ok(Shape::WinnerLoser { winner, loser });
    }
    let items = match (named("--left", &given.left)?, named("--right", &given.right)?) {
        (Some(left), Some(right)) => Some((left, right)),
        (None, None) => header.items(),
        _ => return Err(Error::file(header.file, "--left and --right are given together or not at all")),
    };
    if let Some((left, right)) = items {
        let counts = match (named("--left-wins", &given.left_wins)?, named("--right-wins", &given.right_wins)?) {
            (Some(l), Some(r)) => Some((l, r, false)),
            (None, None) => None,
            _ => return Err(Error::file(header.file, "--left-wins and --right-wins are given together or not at all")),
        };
        let ties = || header.optional("--ties-column", given.ties.as_ref(), || header.any(TIES));
        let names = (&header.names[left], &header.names[right]);
        let sides_known = names.0.contains("left") && names.1.contains("right");
        if let Some((left_wins, right_wins, total)) = counts {
            return Ok(Shape::Counts { left, right, left_wins, right_wins, total, ties: ties()?, sides_known });
        }
        let answer =
            named("--winner", &given.winner)?.or_else(|| header.any(ANSWERS).filter(|c| *c != left && *c != right));
        if let Some(answer) = answer {
            return Ok(Shape::Answer { left, right, answer });
        }
        if let Some(shape) = header.one_hot(left, right) {
            return Ok(shape);
        }
        if let Some((left_wins, right_wins, total)) = header.counts(left, right) {
            return Ok(Shape::Counts { left, right, left_wins, right_wins, total, ties: ties()?, sides_known });
        }
    }
    if given.winner.is_none()
        && let Some((winner, loser)) = header.pairs(WINNER_LOSER)
    {
        return Ok(Shape::WinnerLoser { winner, loser });
    }
    let found = if items.is_some() { "the two items, but not the answer" } else { "no two columns of items" };
    Err(Error::file(
        header.file,
        format!(
            "the header tells {found}; its columns are {}. Expected left,right,winner, or model_a,model_b,winner, or winner,loser, or \
             counts such as left,right,left_wins,right_wins; name the columns with --left, --right, --winner (or --winner, --loser), \
             or give --no-header and their numbers",
            list(header.columns)
        ),
    ))
}

/// Column names for a message, not too many of them.
fn list(columns: &[String]) -> String {
    let mut text = columns.iter().take(12).map(|name| crate::error::shortened(name)).collect::<Vec<_>>().join(", ");
    if columns.len() > 12 {
        text.push_str(", …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &str, given: &Columns) -> Result<Layout> {
        let columns: Vec<String> = header.split(',').map(str::to_owned).collect();
        Layout::find("f", &columns, given)
    }

    #[test]
    fn headers_are_told_apart() {
        let shape = |header: &str| find(header, &Columns::default()).unwrap().shape;
        assert_eq!(
            shape("id,prompt,model_x,model_y,worker,winner,left,right"),
            Shape::Answer { left: 6, right: 7, answer: 5 }
        );
        assert_eq!(shape("Model A,Model B,Winner"), Shape::Answer { left: 0, right: 1, answer: 2 });
        assert_eq!(shape("worker,winner,loser"), Shape::WinnerLoser { winner: 1, loser: 2 });
        assert!(matches!(
            shape("id,model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie"),
            Shape::OneHot { tie: Some(6), .. }
        ));
        assert!(matches!(shape("item1,item2,wins1,wins2"), Shape::Counts { total: false, sides_known: false, .. }));
        assert!(matches!(
            shape("left,right,left_wins,right_wins,ties"),
            Shape::Counts { ties: Some(4), sides_known: true, .. }
        ));
        assert!(matches!(shape("i,j,wins,n"), Shape::Counts { total: true, right_wins: 3, .. }));
        let alpaca = find("generator_1,generator_2,preference,annotator", &Columns::default()).unwrap();
        assert_eq!((alpaca.scale, alpaca.voter), (Some(Scale::OneTwo), Some(3)));
        assert_eq!(find("winner,loser,count", &Columns::default()).unwrap().count, Some(2));
    }

    #[test]
    fn the_user_is_obeyed_and_mistakes_are_named() {
        let given =
            Columns { left: Some("p".into()), right: Some("2".into()), winner: Some("w".into()), ..Columns::default() };
        assert_eq!(find("p,q,w", &given).unwrap().shape, Shape::Answer { left: 0, right: 1, answer: 2 });
        let message = |header: &str, given: &Columns| find(header, given).unwrap_err().to_string();
        assert!(message("foo,bar", &Columns::default()).contains("foo, bar"));
        assert!(message("left,right", &Columns::default()).contains("not the answer"));
        assert!(
            message("left,right,winner", &Columns { voter: Some("who".into()), ..Columns::default() })
                .contains("--voter who")
        );
        assert!(message("left,right,winner,winner", &Columns::default()).contains("two columns named"));
        let twice = Columns { voter: Some("left".into()), ..Columns::default() };
        assert!(message("left,right,winner", &twice).contains("two things at once"));
        let none = Columns { voter: Some("none".into()), ..Columns::default() };
        assert_eq!(find("worker,left,right,winner", &none).unwrap().voter, None);
    }
}
