//! What a vote's answer may look like, and what it means.

use crate::table::normal;
use borduel::ballots::Answer;

/// How the answer column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A side (`left`, `model_a` …), the winning item's name, or a word for a tie, for both bad, for a skip.
    Names,
    /// A number from 0 (the right item) to 1 (the left item).
    Unit,
    /// A number from 1 (the first item) to 2 (the second item).
    OneTwo,
    /// A number from −1 (the right item) over 0 (a tie) to 1 (the left item).
    Signed,
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
const SKIP: &[&str] = &["skip", "skipped", "unsure", "don't know", "cannot decide"];

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
    pub(crate) fn name(&self, value: &str, left: &str, right: &str) -> Result<Answer, String> {
        let item = if value == left {
            Some(Answer::Left)
        } else if value == right {
            Some(Answer::Right)
        } else {
            None
        };
        match (item, Self::word(&self.common, value)) {
            (Some(item), Some(word)) if item != word => Err(format!(
                "is both the name of an item and the word for \"{}\": say which with --left-value, --right-value or --tie-value",
                describe(word)
            )),
            (Some(answer), _) | (None, Some(answer)) => Ok(answer),
            (None, None) if value.is_empty() => {
                Err("is no answer: give the value that stands for a skip with --skip-value".to_owned())
            }
            (None, None) if crate::sample::flag(value).is_some() => Err(
                "does not say which item is meant: give --left-value and --right-value (such as --left-value 1 --right-value 0)"
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
    let (low, high) = match scale {
        Scale::OneTwo => (1.0, 2.0),
        Scale::Signed => (-1.0, 1.0),
        Scale::Unit | Scale::Names => (0.0, 1.0),
    };
    let truth =
        if scale == Scale::Unit { crate::sample::flag(value).map(|yes| f64::from(u8::from(yes))) } else { None };
    if value.is_empty() {
        return Err("is no answer: give the value that stands for a skip with --skip-value".to_owned());
    }
    match truth.map_or_else(|| value.parse::<f64>(), Ok) {
        Ok(x) if (low..=high).contains(&x) => Ok(Answer::Soft(match scale {
            Scale::OneTwo => 2.0 - x,
            Scale::Signed => f64::midpoint(x, 1.0),
            Scale::Unit | Scale::Names => x,
        })),
        Ok(_) => Err(format!(
            "is not in [{low}, {high}]: if it stands for a tie or a skip, say so with --tie-value or --skip-value"
        )),
        Err(_) => Err(format!("is not a number in [{low}, {high}] (other kinds of answers: --answer-scale)")),
    }
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
            assert_eq!(d.name(value, "gpt", "claude"), Ok(answer), "{value}");
        }
        assert_eq!(d.own("0"), Some(Answer::Tie));
        assert!(d.name("lefft", "gpt", "claude").unwrap_err().contains("not an answer"));
        assert!(d.name("a", "c", "a").unwrap_err().contains("both the name of an item and the word"));
        assert_eq!(d.name("a", "a", "c"), Ok(Answer::Left), "no contradiction");
    }

    #[test]
    fn numbers_are_read_on_their_scale() {
        assert_eq!(number("0.25", Scale::Unit), Ok(Answer::Soft(0.25)));
        assert_eq!(number("1", Scale::OneTwo), Ok(Answer::Soft(1.0)));
        assert_eq!(number("1.75", Scale::OneTwo), Ok(Answer::Soft(0.25)));
        assert_eq!(number("-1", Scale::Signed), Ok(Answer::Soft(0.0)));
        assert_eq!(number("0", Scale::Signed), Ok(Answer::Soft(0.5)));
        assert_eq!(number("TRUE", Scale::Unit), Ok(Answer::Soft(1.0)));
        for wrong in ["0", "2.5", "NaN", "x", "TRUE", ""] {
            assert!(number(wrong, Scale::OneTwo).is_err(), "{wrong}");
        }
        assert!(number("-0.1", Scale::Unit).is_err());
    }
}
