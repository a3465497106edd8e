//! What a vote's answer may look like, and what it means.

use crate::table::{decimal, normal};
use borduel::ballots::Answer;
use std::cmp::Ordering;

/// How the answer column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A side (`left`, `model_a` …), the winning item's name, or a word for a tie, for both bad, for a skip.
    Names,
    /// The same, but what is the name of one of the two items means that item, whatever else it may mean: the winner's number.
    Items,
    /// The same, but never an item's name: 1 and 2 are the sides, also where items are called so.
    Sides,
    /// A number from 0 (the right item) to 1 (the left item).
    Unit,
    /// A number from 0 (the left item) to 1 (the right item).
    ZeroOne,
    /// A number from 1 (the first item) to 2 (the second item).
    OneTwo,
    /// A number from −1 (the right item) over 0 (a tie) to 1 (the left item).
    Signed,
    /// The points of both, as in `2-1` or `0:0`: the higher number wins.
    Score,
}

/// Words that mean something in the answer column; compared without regard to case.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Words for "the left item", besides `left`, the column's name and its last letter or digit.
    pub left: Vec<String>,
    /// Words for "the right item".
    pub right: Vec<String>,
    /// Words for a tie, besides `tie`, `draw`, `equal`.
    pub tie: Vec<String>,
    /// Words for "both are bad", besides `both bad`, `tie (bothbad)`, `neither`.
    pub both_bad: Vec<String>,
    /// Words for a skipped question, besides `skip`.
    pub skip: Vec<String>,
}

const TIE: &[&str] = &[
    "tie",
    "tievote",
    "tied",
    "draw",
    "drawn",
    "equal",
    "same",
    "both equal",
    "both good",
    "both_good",
    "tie (both good)",
    "1/2-1/2",
    "½-½",
    "a=b",
    "[[c]]",
];
const BOTH_BAD: &[&str] = &[
    "both bad",
    "both_bad",
    "both-bad",
    "bothbad",
    "tie (bothbad)",
    "tie (both bad)",
    "tie(bothbad)",
    "tie_bothbad",
    "neither",
    "bothbad_vote",
    "both are bad",
];
/// Words for a side that mean the same in every file: those of judges that are programs, and of chess.
const SIDES: &[(&str, Answer)] = &[
    ("left", Answer::Left),
    ("right", Answer::Right),
    ("[[a]]", Answer::Left),
    ("[[b]]", Answer::Right),
    ("a>b", Answer::Left),
    ("a>>b", Answer::Left),
    ("b>a", Answer::Right),
    ("b>>a", Answer::Right),
    ("1-0", Answer::Left),
    ("0-1", Answer::Right),
];
/// What stands for a side when a part of its column's name is the first word.
const SPORTS: &[(&str, &[&str])] = &[
    ("home", &["home", "h", "1"]),
    ("away", &["away", "a", "2"]),
    ("visitor", &["away", "visitor", "2"]),
    ("white", &["white", "w"]),
    ("black", &["black", "b"]),
    ("r", &["red"]),
    ("b", &["blue"]),
    ("red", &["red", "r"]),
    ("blue", &["blue", "b"]),
];
/// A game that is not finished is `*` to chess players.
const SKIP: &[&str] = &["skip", "skipped", "unsure", "don't know", "cannot decide", "*"];

/// What is said of an empty answer: it may be a draw as well as nothing.
const EMPTY: &str = "is no answer: say what it means when there is none, with --skip-value \"\" or --tie-value \"\"";

/// The dictionary of one file: the user's own words first, then those of every file.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    own: Vec<(String, Answer)>,
    common: Vec<(String, Answer)>,
}

impl Dictionary {
    /// The words of a file whose two item columns have these (normalised) names.
    pub(crate) fn new(left_column: &str, right_column: &str, words: &Words) -> Self {
        let list =
            |words: &[String], answer| words.iter().map(move |word| (word.to_lowercase(), answer)).collect::<Vec<_>>();
        let own = [
            list(&words.left, Answer::Left),
            list(&words.right, Answer::Right),
            list(&words.tie, Answer::Tie),
            list(&words.both_bad, Answer::BothBad),
            list(&words.skip, Answer::Skip),
        ]
        .concat();
        let mut common: Vec<(String, Answer)> = Vec::new();
        for (word, answer) in SIDES {
            common.push(((*word).to_owned(), *answer));
        }
        for (column, other, answer) in
            [(left_column, right_column, Answer::Left), (right_column, left_column, Answer::Right)]
        {
            // The end of the name, as far as it tells the two columns apart, may stand for them: model_a or a for
            // meta.model_a; not so the number of a column that has no name.
            let shared = column.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
            let rest = column.get(shared..).unwrap_or_default().trim_matches('_');
            let parts: Vec<&str> = column.split('_').collect();
            let ends =
                (0..parts.len()).map(|from| parts[from..].join("_")).filter(|end| !other.ends_with(end.as_str()));
            if column.parse::<u64>().is_err() {
                common.extend(ends.map(|end| (end, answer)));
                if !rest.is_empty() && rest.len() <= 5 {
                    common.push((rest.to_owned(), answer));
                }
            }
            // How results are written in sports: H, D and A; 1, X and 2; white and black; red and blue; W and L.
            let has =
                |word: &str| column.split('_').any(|part| part == word) || (word.len() > 2 && column.starts_with(word));
            for (word, means) in SPORTS {
                if has(word) {
                    common.extend(means.iter().map(|text| ((*text).to_owned(), answer)));
                    common.extend(["d", "x"].map(|text| (text.to_owned(), Answer::Tie)));
                }
            }
            if other.contains("opponent") {
                common.extend(["w", "win", "won"].map(|text| (text.to_owned(), answer)));
            } else if has("opponent") {
                common.extend(["l", "loss", "lost", "lose"].map(|text| (text.to_owned(), answer)));
                common.push(("d".to_owned(), Answer::Tie));
            }
        }
        for (words, answer) in [(TIE, Answer::Tie), (BOTH_BAD, Answer::BothBad), (SKIP, Answer::Skip)] {
            common.extend(words.iter().map(|&word| (word.to_owned(), answer)));
        }
        Self { own, common }
    }

    fn word(list: &[(String, Answer)], value: &str) -> Option<Answer> {
        let find = |value: &str| list.iter().find(|(word, _)| same(word, value)).map(|&(_, answer)| answer);
        // "Model A" is the column model_a.
        find(value).or_else(|| value.contains([' ', '-', '.']).then(|| find(&normal(value))).flatten())
    }

    /// The user's own meaning of a value, which goes before everything else.
    pub(crate) fn own(&self, value: &str) -> Option<Answer> {
        Self::word(&self.own, value)
    }

    /// What a value means in files like this one.
    pub(crate) fn common(&self, value: &str) -> Option<Answer> {
        Self::word(&self.common, value)
    }

    /// Whether a value is a word for one of the two sides.
    pub(crate) fn is_side(&self, value: &str) -> bool {
        matches!(self.common(value), Some(Answer::Left | Answer::Right))
    }

    /// The meaning of a value on the scale of names, or why it has none.
    pub(crate) fn name(&self, value: &str, left: &str, right: &str, scale: Scale) -> Result<Answer, String> {
        let item = match scale {
            Scale::Sides => None,
            _ if value == left => Some(Answer::Left),
            _ if value == right => Some(Answer::Right),
            _ => None,
        };
        let word = Self::word(&self.common, value).filter(|_| scale != Scale::Items || !self.is_side(value));
        match (item, word) {
            (Some(item), Some(word)) if item != word && scale != Scale::Items => Err(format!(
                "is both the name of an item and the word for \"{}\": say which with --answer-scale items or --answer-scale sides",
                describe(word)
            )),
            (Some(answer), _) | (None, Some(answer)) => Ok(answer),
            (None, None) if value.is_empty() => Err(EMPTY.to_owned()),
            (None, None) if crate::sample::flag(value).is_some() => Err(
                "does not say which item is meant: if 1 is the left one, say --answer-scale unit, if it is the right one (counted from 0) \
                 --answer-scale zero-one; other values: --left-value and --right-value"
                    .to_owned(),
            ),
            (None, None) => Err(format!(
                "is not an answer: expected left, right, tie, both bad, skip, \"{left}\" or \"{right}\" \
                 (other words: --left-value, --right-value, --tie-value, --both-bad-value, --skip-value; numbers: --answer-scale)"
            )),
        }
    }
}

fn same(word: &str, value: &str) -> bool {
    word.len() == value.len() && (word.eq_ignore_ascii_case(value) || word == value.to_lowercase())
}

fn describe(answer: Answer) -> &'static str {
    match answer {
        Answer::Left => "left",
        Answer::Right => "right",
        Answer::Tie => "tie",
        Answer::BothBad => "both bad",
        Answer::Skip => "skip",
        Answer::Soft(_) => "soft",
    }
}

/// The meaning of a number on its scale, or why it has none.
pub(crate) fn number(value: &str, scale: Scale) -> Result<Answer, String> {
    if value.is_empty() {
        return Err(EMPTY.to_owned());
    }
    if scale == Scale::Score {
        let (left, right) =
            score(value).ok_or("is no score such as 2-1 or 0:0 (other kinds of answers: --answer-scale)")?;
        return Ok(match left.cmp(&right) {
            Ordering::Greater => Answer::Left,
            Ordering::Less => Answer::Right,
            Ordering::Equal => Answer::Tie,
        });
    }
    let (low, high) = match scale {
        Scale::OneTwo => (1.0, 2.0),
        Scale::Signed => (-1.0, 1.0),
        _ => (0.0, 1.0),
    };
    let yes_or_no = matches!(scale, Scale::Unit | Scale::ZeroOne);
    let truth = crate::sample::flag(value).filter(|_| yes_or_no).map(|yes| f64::from(u8::from(yes)));
    match truth.or_else(|| decimal(value)) {
        Some(x) if (low..=high).contains(&x) => Ok(Answer::Soft(match scale {
            Scale::OneTwo => 2.0 - x,
            Scale::ZeroOne => 1.0 - x,
            Scale::Signed => f64::midpoint(x, 1.0),
            _ => x,
        })),
        Some(_) => Err(format!(
            "is not in [{low}, {high}]: say what such numbers mean, each by itself, with --left-value, --right-value, --tie-value and --skip-value"
        )),
        None => Err(format!("is not a number in [{low}, {high}] (other kinds of answers: --answer-scale)")),
    }
}

/// The points of both sides of a score.
pub(crate) fn score(value: &str) -> Option<(u32, u32)> {
    let (left, right) = value.split_once(['-', ':', '–'])?;
    Some((left.trim().parse().ok()?, right.trim().parse().ok()?))
}

/// Whether a value is a word for a tie.
pub(crate) fn is_tie(value: &str) -> bool {
    TIE.iter().any(|word| same(word, value))
}

/// Whether a value is a word for something else than one of the items being better.
pub(crate) fn is_known_word(value: &str) -> bool {
    [TIE, BOTH_BAD, SKIP].iter().any(|words| words.iter().any(|word| same(word, value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_sides_and_items_are_understood() {
        let d = Dictionary::new("model_a", "model_b", &Words { tie: vec!["0".into()], ..Words::default() });
        for (value, answer) in [
            ("model_a", Answer::Left),
            ("B", Answer::Right),
            ("Left", Answer::Left),
            ("gpt", Answer::Left),
            ("claude", Answer::Right),
            ("TIE", Answer::Tie),
            ("tie (bothbad)", Answer::BothBad),
            ("skip", Answer::Skip),
        ] {
            assert_eq!(d.name(value, "gpt", "claude", Scale::Names), Ok(answer), "{value}");
        }
        assert_eq!(d.own("0"), Some(Answer::Tie));
        assert!(d.name("lefft", "gpt", "claude", Scale::Names).unwrap_err().contains("not an answer"));
        assert!(d.name("a", "c", "a", Scale::Names).unwrap_err().contains("both the name of an item and the word"));
        assert_eq!(d.name("a", "a", "c", Scale::Names), Ok(Answer::Left), "no contradiction");
        assert_eq!(d.name("a", "c", "a", Scale::Items), Ok(Answer::Right));
        assert_eq!(d.name("a", "c", "a", Scale::Sides), Ok(Answer::Left));
        assert_eq!(d.name("tie", "c", "a", Scale::Items), Ok(Answer::Tie));
        assert!(d.name("b", "c", "a", Scale::Items).is_err() && d.name("c", "c", "d", Scale::Sides).is_err());
    }

    #[test]
    fn numbers_are_read_on_their_scale() {
        assert_eq!(number("0.25", Scale::Unit), Ok(Answer::Soft(0.25)));
        assert_eq!(number("1", Scale::OneTwo), Ok(Answer::Soft(1.0)));
        assert_eq!(number("0.25", Scale::ZeroOne), Ok(Answer::Soft(0.75)));
        assert_eq!(number("TRUE", Scale::ZeroOne), Ok(Answer::Soft(0.0)));
        assert_eq!(number("1.75", Scale::OneTwo), Ok(Answer::Soft(0.25)));
        assert_eq!(number("-1", Scale::Signed), Ok(Answer::Soft(0.0)));
        assert_eq!(number("0", Scale::Signed), Ok(Answer::Soft(0.5)));
        assert_eq!(number("TRUE", Scale::Unit), Ok(Answer::Soft(1.0)));
        for wrong in ["0", "2.5", "NaN", "x", "TRUE", ""] {
            assert!(number(wrong, Scale::OneTwo).is_err(), "{wrong}");
        }
        assert!(number("-0.1", Scale::Unit).is_err());
        for (score, answer) in [("2-1", Answer::Left), ("0:0", Answer::Tie), ("9 – 10", Answer::Right)] {
            assert_eq!(number(score, Scale::Score), Ok(answer));
        }
        for wrong in ["2", "a-b", "1-2-3", "-1", "1/2-1/2", ""] {
            assert!(number(wrong, Scale::Score).is_err(), "{wrong}");
        }
    }
}
