//! The words of answers: those of every file, those that the names of its columns bring along, and the user's own.

use super::phrases::{LOST, WON, initial, same, up_to_the_difference, who_is_better, who_won, who_won_how, won_how};
use super::{EMPTY, Scale, Words};
use crate::spelling::{differs_in_form, folded};
use crate::table::normal;
use borduel_rank::ballots::Answer;
use std::borrow::Cow;

const TIE: &[&str] = &[
    "tie",
    "tievote",
    "tied",
    "draw",
    "drawn",
    "halved",
    "all square",
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
    "no preference",
    "no difference",
    "about the same",
    "about equal",
    "equally good",
    "both are equal",
    "both are equally good",
    "unentschieden",
    "remis",
    "gleich",
    "égalité",
    "match nul",
    "empate",
    "pareggio",
    "gelijk",
    "gelijkspel",
    "ничья",
    "引き分け",
    "平局",
    "무승부",
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
    ("leftvote", Answer::Left),
    ("rightvote", Answer::Right),
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
    ("visitor", &["away", "visitor", "a", "2"]),
    ("white", &["white", "w"]),
    ("black", &["black", "b"]),
    ("r", &["red"]),
    ("b", &["blue"]),
    ("red", &["red", "r"]),
    ("blue", &["blue", "b"]),
];
/// The same where no draw is written `D` or `X`.
const LETTERS: &[(&str, &str)] = &[("left", "l"), ("right", "r")];
/// A game that is not finished is `*` to chess players.
const SKIP: &[&str] = &["skip", "skipped", "unsure", "don't know", "cannot decide", "no result", "*"];
/// How chess.com says of one side that it lost, and that nobody won.
const LOST_AT_CHESS: &[&str] = &["checkmated", "timeout", "resigned", "abandoned"];
const DRAWN_AT_CHESS: &[&str] = &["agreed", "repetition", "stalemate", "insufficient", "50move", "timevsinsufficient"];
/// What players of Go call a draw, and a game that does not count.
const GO: &[(&str, Answer)] = &[("jigo", Answer::Tie), ("void", Answer::Skip)];

/// The dictionary of one file: the user's own words first, then those of every file.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    own: Vec<(String, Answer)>,
    common: Vec<(String, Answer)>,
    /// Whether black plays white, so that `B+3.5` is a win of black's.
    black_and_white: bool,
    /// Whether one side is the other's opponent, so that `W 3-1` is a win of the other's.
    of_opponents: bool,
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
                common.extend(up_to_the_difference(column, other).into_iter().map(|part| (part, answer)));
                common.extend(initial(column).map(|short| (short, answer)));
            }
            // How results are written in sports: H, D and A; 1, X and 2; white and black; red and blue; W and L.
            let has = |word: &str| has(column, word);
            for (word, means) in SPORTS {
                if has(word) {
                    common.extend(means.iter().map(|text| ((*text).to_owned(), answer)));
                    common.extend(["d", "x"].map(|text| (text.to_owned(), Answer::Tie)));
                }
            }
            common.extend(LETTERS.iter().filter(|(word, _)| has(word)).map(|(_, text)| ((*text).to_owned(), answer)));
            if is_opponent(other) {
                common.extend(["w", "win", "won"].map(|text| (text.to_owned(), answer)));
            } else if is_opponent(column) {
                common.extend(["l", "loss", "lost", "lose"].map(|text| (text.to_owned(), answer)));
                common.extend(["d", "t"].map(|text| (text.to_owned(), Answer::Tie)));
            }
        }
        // Of a first and a second item, A is the first.
        if has(left_column, "first") && has(right_column, "second") {
            common.extend([("a".to_owned(), Answer::Left), ("b".to_owned(), Answer::Right)]);
        }
        // Of numbers 1 and 2, 1 is the first.
        if left_column.strip_suffix('1').is_some_and(|stem| right_column.strip_suffix('2') == Some(stem)) {
            common.extend([("first".to_owned(), Answer::Left), ("second".to_owned(), Answer::Right)]);
        }
        let black_and_white = [("black", "white"), ("white", "black")]
            .iter()
            .any(|(left, right)| has(left_column, left) && has(right_column, right));
        if black_and_white {
            common.extend(GO.iter().map(|(word, answer)| ((*word).to_owned(), *answer)));
        }
        for (words, answer) in [(TIE, Answer::Tie), (BOTH_BAD, Answer::BothBad), (SKIP, Answer::Skip)] {
            common.extend(words.iter().map(|&word| (word.to_owned(), answer)));
        }
        let of_opponents = is_opponent(left_column) != is_opponent(right_column);
        Self { own, common, black_and_white, of_opponents }
    }

    /// The same for answers that are about the item of this side, as the results of the first fighter are: `win` is
    /// that item's, and `loss` the other's. A word that may as well mean a side (`L`, of the left one) then means
    /// nothing.
    #[must_use]
    pub(crate) fn about(mut self, side: Option<Answer>) -> Self {
        let (won, lost) = match side {
            Some(Answer::Left) => (Answer::Left, Answer::Right),
            Some(Answer::Right) => (Answer::Right, Answer::Left),
            _ => return self,
        };
        for (words, answer) in [
            (WON, won),
            (LOST, lost),
            (LOST_AT_CHESS, lost),
            (DRAWN_AT_CHESS, Answer::Tie),
            (&["d"][..], Answer::Tie),
            (&["nc", "no contest"][..], Answer::Skip),
        ] {
            for &word in words {
                match self.common.iter().find(|(known, _)| known == word) {
                    None => self.common.push((word.to_owned(), answer)),
                    Some((_, other)) if *other == answer => {}
                    Some(_) => self.common.retain(|(known, _)| known != word),
                }
            }
        }
        self
    }

    /// The same with `0` as a tie, unless the user says something else of it.
    #[must_use]
    pub(crate) fn with_zero_as_tie(mut self) -> Self {
        self.own.extend(["0", "0.0"].map(|zero| (zero.to_owned(), Answer::Tie)));
        self
    }

    fn word(list: &[(String, Answer)], value: &str) -> Option<Answer> {
        let find = |value: &str| list.iter().find(|(word, _)| same(word, value)).map(|&(_, answer)| answer);
        // "Model A" is the column model_a.
        find(value)
            .or_else(|| value.contains([' ', '-', '.']).then(|| find(&normal(value))).flatten())
            .or_else(|| with_hyphens(value).and_then(|plain| find(&plain)))
    }

    /// The user's own meaning of a value, which goes before everything else.
    pub(crate) fn own(&self, value: &str) -> Option<Answer> {
        Self::word(&self.own, value)
    }

    /// What a value means in files like this one.
    pub(crate) fn common(&self, value: &str) -> Option<Answer> {
        let side = |text: &str| Self::word(&self.common, text).filter(|a| matches!(a, Answer::Left | Answer::Right));
        Self::word(&self.common, value)
            .or_else(|| side(who_won(value)?))
            .or_else(|| side(who_won_how(value)?))
            .or_else(|| side(who_is_better(value)?))
            .or_else(|| side(self.go(value)?))
            .or_else(|| self.of_opponents.then(|| Self::word(&self.common, won_how(value)?)).flatten())
    }

    /// The colour that a result of Go names: `B` of `B+R` or `B+3.5`.
    fn go<'v>(&self, value: &'v str) -> Option<&'v str> {
        let (colour, _) = value.split_once('+').filter(|_| self.black_and_white)?;
        Some(colour).filter(|colour| ["b", "w", "black", "white"].iter().any(|known| same(known, colour)))
    }

    /// A value without what may differ between answers that mean the same: how Go was won, and how an opponent was
    /// beaten.
    pub(crate) fn gist<'v>(&self, value: &'v str) -> &'v str {
        let how = || won_how(value).filter(|_| self.of_opponents);
        self.go(value).or_else(how).or_else(|| who_won_how(value)).unwrap_or(value)
    }

    /// Whether a value is a word for one of the two sides.
    pub(crate) fn is_side(&self, value: &str) -> bool {
        matches!(self.common(value), Some(Answer::Left | Answer::Right))
    }

    /// The meaning of a value on the scale of names, or why it has none.
    pub(crate) fn name(&self, value: &str, left: &str, right: &str, scale: Scale) -> Result<Answer, String> {
        named(self.common(value), value, (left, right), scale)
    }
}

/// The meaning of a value on the scale of names, given what it commonly means, or why it has none.
pub(crate) fn named(
    common: Option<Answer>,
    value: &str,
    (left, right): (&str, &str),
    scale: Scale,
) -> Result<Answer, String> {
    let item = match scale {
        Scale::Sides => None,
        _ if value == left => Some(Answer::Left),
        _ if value == right => Some(Answer::Right),
        _ => None,
    };
    let word = common.filter(|word| scale != Scale::Items || !matches!(word, Answer::Left | Answer::Right));
    match (item, word) {
        (Some(item), Some(word)) if item != word && scale != Scale::Items => Err(format!(
            "is both the name of an item and the word for \"{}\": say which with --answer-scale items or \
             --answer-scale sides",
            describe(word)
        )),
        (Some(answer), _) | (None, Some(answer)) => Ok(answer),
        (None, None) => Err(not_understood(value, left, right)),
    }
}

/// Whether a column is that of the opponent.
fn is_opponent(column: &str) -> bool {
    column.contains("opponent") || has(column, "opp")
}

/// Whether the (normalised) name of a column has this word, or begins with it.
fn has(column: &str, word: &str) -> bool {
    column.split('_').any(|part| part == word) || (word.len() > 2 && column.starts_with(word))
}

/// What is said of an answer that has no meaning, with the remedy.
fn not_understood(value: &str, left: &str, right: &str) -> String {
    if value.is_empty() {
        return EMPTY.to_owned();
    }
    if value.contains('\n') {
        return "goes over several lines: close the quote (\") with which it begins, or take it out".to_owned();
    }
    if crate::sample::flag(value).is_some() {
        return "does not say which item is meant: if 1 is the left one, say --answer-scale unit, if it is the right \
                one (counted from 0) \
                --answer-scale zero-one; other values: --left-value and --right-value"
            .to_owned();
    }
    let among = |words: &[&str]| words.iter().any(|word| same(word, value));
    if among(WON) || among(LOST) {
        return "does not say whose it is: if it is about the left item, give the words for won and lost as \
                --left-value and --right-value, \
                and the other way round if it is about the right one"
            .to_owned();
    }
    if let Some(item) = [left, right].into_iter().find(|item| folded(item) == folded(value)) {
        return differs_in_form(item);
    }
    format!(
        "is not an answer: expected left, right, tie, both bad, skip, \"{left}\" or \"{right}\" \
         (other words: --left-value, --right-value, --tie-value, --both-bad-value, --skip-value; numbers: \
         --answer-scale)"
    )
}

/// The same with hyphens for all kinds of dashes, and no spaces around them; `None` where there are none such.
fn with_hyphens(value: &str) -> Option<Cow<'_, str>> {
    const DASHES: [char; 5] = ['\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'];
    // Nearly all values have none, which is quickly seen.
    if (value.is_ascii() || !value.contains(DASHES)) && !(value.contains('-') && value.contains(" - ")) {
        return None;
    }
    let parts: Vec<&str> = value.split(|c| c == '-' || DASHES.contains(&c)).map(str::trim).collect();
    Some(Cow::Owned(parts.join("-")))
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

/// Whether a value is one of these words, however its dashes are written.
fn is_among(words: &[&str], value: &str) -> bool {
    let any = |value: &str| words.iter().any(|word| same(word, value));
    any(value) || with_hyphens(value).is_some_and(|plain| any(&plain))
}

/// Whether a value is a word for a tie.
pub(crate) fn is_tie(value: &str) -> bool {
    is_among(TIE, value)
}

/// Whether a value is a word for a tie and for hardly anything else: not `same` or `equal`, which may be said of many
/// things.
pub(crate) fn is_draw(value: &str) -> bool {
    is_among(&["draw", "drawn", "tie", "tied", "halved", "all square", "1/2-1/2", "½-½", "0.5-0.5"], value)
}

/// Whether a value is a word for something else than one of the items being better.
pub(crate) fn is_known_word(value: &str) -> bool {
    [TIE, BOTH_BAD, SKIP].iter().any(|words| is_among(words, value))
}

/// Whether a value is said of a result, won, lost or drawn, and so is no item.
pub(crate) fn is_result(value: &str) -> bool {
    is_known_word(value) || [WON, LOST, &["left", "right", "both", "d"][..]].iter().any(|words| is_among(words, value))
}
