//! What a vote's answer may look like, and what it means.

mod dictionary;
mod phrases;
mod remark;

pub(crate) use dictionary::{Dictionary, is_draw, is_known_word, is_result, is_tie, named};
pub(crate) use remark::remark;

use crate::table::decimal;
use borduel_rank::ballots::Answer;
use std::cmp::Ordering;

/// How the answer column is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A side (`left`, `model_a` …), the winning item's name, or a word for a tie, for both bad, for a skip.
    Names,
    /// The same, but what is the name of one of the two items means that item, whatever else it may mean: the winner's
    /// number.
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
    /// By how much the left item is ahead: any number, of which only the sign counts.
    Margin,
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

/// What is said of an empty answer: it may be a draw as well as nothing.
const EMPTY: &str = "is no answer: say what it means when there is none, with --skip-value \"\" or --tie-value \"\"";

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
    if scale == Scale::Margin {
        let margin =
            decimal(value).filter(|x| x.is_finite()).ok_or("is no number (other kinds of answers: --answer-scale)")?;
        return Ok(match margin.partial_cmp(&0.0) {
            Some(Ordering::Greater) => Answer::Left,
            Some(Ordering::Less) => Answer::Right,
            _ => Answer::Tie,
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
            "is not in [{low}, {high}]: say what such numbers mean, each by itself, with --left-value, --right-value, \
             --tie-value and \
             --skip-value; or, if above 0 the left item is ahead and below 0 the right one, --answer-scale margin"
        )),
        None => Err(format!("is not a number in [{low}, {high}] (other kinds of answers: --answer-scale)")),
    }
}

/// The points of both sides of a score, in halves: `2-1`, `0.5-0.5`. It may say that it took an overtime, `3-2 OT`, and
/// how it stood before the end, `28:25 (14:12)`; but `1-1 (4-2)` is a shoot-out, which nobody can have been ahead by
/// before.
pub(crate) fn score(value: &str) -> Option<(u32, u32)> {
    const OVERTIME: [&str; 7] = ["ot", "so", "aet", "a.e.t.", "(ot)", "(so)", "(aet)"];
    if let Some((end, before)) = value.strip_suffix(')').and_then(|value| value.split_once(" ("))
        && let Some(before) = score(before)
    {
        return score(end).filter(|end| before.0 <= end.0 && before.1 <= end.1);
    }
    let value = match value.rsplit_once(' ') {
        Some((score, end)) if OVERTIME.iter().any(|known| end.eq_ignore_ascii_case(known)) => score,
        _ => value,
    };
    let halves = |points: &str| {
        let half = ["½", ".5", ",5"].iter().find_map(|half| points.strip_suffix(half));
        let whole = half.unwrap_or(points);
        let whole: u32 = if half.is_some() && whole.is_empty() { 0 } else { whole.parse().ok()? };
        whole.checked_mul(2)?.checked_add(u32::from(half.is_some()))
    };
    let (left, right) = value.split_once(['-', ':', '–'])?;
    Some((halves(left.trim())?, halves(right.trim())?))
}

/// The answer for the other side.
pub(crate) fn turned(answer: Answer) -> Answer {
    match answer {
        Answer::Left => Answer::Right,
        Answer::Right => Answer::Left,
        Answer::Soft(share) => Answer::Soft(1.0 - share),
        other => other,
    }
}

/// An answer to a pair, in words.
pub(crate) fn in_words(answer: Answer, left: &str, right: &str) -> String {
    match answer {
        Answer::Left => format!("{left} beat {right}"),
        Answer::Right => format!("{right} beat {left}"),
        Answer::Tie => format!("{left} and {right} tied"),
        Answer::BothBad => format!("{left} and {right} were both bad"),
        Answer::Skip => format!("{left} or {right} was skipped"),
        Answer::Soft(share) => match share {
            1.0 => format!("{left} beat {right}"),
            0.0 => format!("{right} beat {left}"),
            0.5 => format!("{left} and {right} tied"),
            share => format!("{left} won {} of a vote against {right}", (share * 1e4).round() / 1e4),
        },
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
        for (score, answer) in
            [("2-1", Answer::Left), ("0:0", Answer::Tie), ("9 – 10", Answer::Right), ("2-3 OT", Answer::Right)]
        {
            assert_eq!(number(score, Scale::Score), Ok(answer));
        }
        for (margin, answer) in
            [("12", Answer::Left), ("-0.5", Answer::Right), ("−3", Answer::Right), ("0", Answer::Tie)]
        {
            assert_eq!(number(margin, Scale::Margin), Ok(answer));
        }
        assert!(number("x", Scale::Margin).is_err() && number("inf", Scale::Margin).is_err());
        for (score, answer) in [
            ("0.5-0.5", Answer::Tie),
            ("1½:½", Answer::Left),
            ("28:25 (14:15)", Answer::Left),
            ("2-2 (1-1)", Answer::Tie),
        ] {
            assert_eq!(number(score, Scale::Score), Ok(answer));
        }
        for wrong in ["2", "a-b", "1-2-3", "-1", "1/2-1/2", "", "1-1 (4-2)", "4294967295-1", "2-1 (x)"] {
            assert!(number(wrong, Scale::Score).is_err(), "{wrong}");
        }
    }
}
