//! What is remarked beside a winner and a loser: that there was neither.

use super::{is_draw, is_tie};
use borduel_rank::ballots::Answer;

/// Words that may stand beside `draw` without changing it. Not `main`: the main draw of a tournament is none.
const BESIDE_DRAW: &[&str] = &[
    "a",
    "agreed",
    "agreement",
    "by",
    "decision",
    "ended",
    "fight",
    "game",
    "in",
    "majority",
    "match",
    "points",
    "repetition",
    "split",
    "stalemate",
    "technical",
    "unanimous",
];
/// What is said where nothing was decided.
const NO_CONTEST: &[&str] = &[
    "nc",
    "no contest",
    "no-contest",
    "no decision",
    "no result",
    "overturned",
    "abandoned",
    "annulled",
    "cancelled",
    "canceled",
    "postponed",
    "void",
    "not played",
    "not started",
    "ns",
    "scheduled",
    "upcoming",
    "tbd",
    "suspended",
];

/// What a remark says against there having been a winner: a tie, or nothing that counts. `answer` tells that the column
/// is called an answer, in which `same` and `equal` are ties too.
pub(crate) fn remark(value: &str, answer: bool) -> Option<Answer> {
    if is_draw(value) || (answer && is_tie(value)) {
        return Some(Answer::Tie);
    }
    let is = |word: &str, known: &str| word.eq_ignore_ascii_case(known);
    if NO_CONTEST.iter().any(|known| is(value, known)) {
        return Some(Answer::Skip);
    }
    let words = || value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let draw = |word: &str| is(word, "draw") || is(word, "drawn");
    let beside = |word: &str| BESIDE_DRAW.iter().any(|known| is(word, known));
    if words().any(draw) && words().all(|word| draw(word) || beside(word)) {
        return Some(Answer::Tie);
    }
    // "No Contest (accidental clash of heads)", "Draw (majority)".
    let contest = words().zip(words().skip(1)).next().is_some_and(|(a, b)| is(a, "no") && is(b, "contest"));
    contest.then_some(Answer::Skip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_and_contests_that_do_not_count_are_told_from_other_remarks() {
        for value in ["Draw", "tie", "Majority Draw", "Draw - Split", "draw (unanimous)", "½–½"] {
            assert_eq!(remark(value, false), Some(Answer::Tie), "{value}");
        }
        for value in
            ["NC", "No Contest", "no contest (accidental headbutt)", "Overturned", "postponed", "NS", "Scheduled"]
        {
            assert_eq!(remark(value, false), Some(Answer::Skip), "{value}");
        }
        for value in ["", "win", "KO/TKO", "Main Draw", "tie break", "same", "no draw", "Decision - Split", "nc17"] {
            assert_eq!(remark(value, false), None, "{value}");
        }
        assert_eq!((remark("same", true), remark("Equal", true)), (Some(Answer::Tie), Some(Answer::Tie)));
    }
}
