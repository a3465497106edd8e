//! What a vote's answer may look like, and what it means.

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

const TIE: &[&str] =
    &["tie", "tievote", "tied", "draw", "equal", "same", "both equal", "both good", "both_good", "tie (both good)"];
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
        let mut common = vec![("left".to_owned(), Answer::Left), ("right".to_owned(), Answer::Right)];
        for (column, other, answer) in
            [(left_column, right_column, Answer::Left), (right_column, left_column, Answer::Right)]
        {
            common.push((column.to_owned(), answer));
            // What tells the two columns apart (`a` in model_a, `1` in item1) may stand for them.
            let shared = column.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
            let rest = column.get(shared..).unwrap_or_default().trim_matches('_');
            if !rest.is_empty() && rest.len() <= 5 {
                common.push((rest.to_owned(), answer));
            }
        }
        for (words, answer) in [(TIE, Answer::Tie), (BOTH_BAD, Answer::BothBad), (SKIP, Answer::Skip)] {
            common.extend(words.iter().map(|&word| (word.to_owned(), answer)));
        }
        Self { own, common }
    }

    fn word(list: &[(String, Answer)], value: &str) -> Option<Answer> {
        list.iter().find(|(word, _)| same(word, value)).map(|&(_, answer)| answer)
    }

    /// The user's own meaning of a value, which goes before everything else.
    pub(crate) fn own(&self, value: &str) -> Option<Answer> {
        Self::word(&self.own, value)
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
            (None, None) => Err(format!(
                "is not an answer: expected left, right, tie, both bad, skip, \"{left}\" or \"{right}\" \
                 (other words: --left-value, --right-value, --tie-value, --both-bad-value, --skip-value; numbers: --scale)"
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

/// The meaning of a number from 0 to 1 or from 1 to 2, or why it has none.
pub(crate) fn number(value: &str, scale: Scale) -> Result<Answer, String> {
    let (low, high) = if scale == Scale::Unit { (0.0, 1.0) } else { (1.0, 2.0) };
    match value.parse::<f64>() {
        Ok(x) if (low..=high).contains(&x) => Ok(Answer::Soft(if scale == Scale::Unit { x } else { 2.0 - x })),
        Ok(_) => Err(format!(
            "is not in [{low}, {high}]: if it stands for a tie or a skip, say so with --tie-value or --skip-value"
        )),
        Err(_) => Err(format!("is not a number in [{low}, {high}] (other kinds of answers: --scale)")),
    }
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
        for wrong in ["0", "2.5", "NaN", "x", ""] {
            assert!(number(wrong, Scale::OneTwo).is_err(), "{wrong}");
        }
        assert!(number("-0.1", Scale::Unit).is_err());
    }
}
