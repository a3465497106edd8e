//! Answers of several words: who won, who is better, and how.

/// What is said of the item that an answer is about.
pub(super) const WON: &[&str] = &["win", "wins", "won", "winner", "victory", "w"];
pub(super) const LOST: &[&str] = &["loss", "lost", "lose", "loses", "loser", "defeat", "l"];

/// Whether a value is this (lower case) word.
pub(super) fn same(word: &str, value: &str) -> bool {
    word.len() == value.len()
        && (word.eq_ignore_ascii_case(value) || (!value.is_ascii() && word == value.to_lowercase()))
}

/// Who won, by a value such as `Home win`, `white_won` or `win A`.
pub(super) fn who_won(value: &str) -> Option<&str> {
    let won = |word: &str| ["win", "wins", "won"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let (side, last) = value.rsplit_once([' ', '_'])?;
    if won(last) {
        return Some(side);
    }
    value.split_once([' ', '_']).filter(|(first, _)| won(first)).map(|(_, side)| side)
}

/// Who won, by a value that goes on to say how: `Black wins by 3.5 points`, `White won on time`.
pub(super) fn who_won_how(value: &str) -> Option<&str> {
    value.match_indices(' ').find_map(|(at, _)| {
        let (won, how) = value[at + 1..].split_once(' ')?;
        let first = how.split(' ').next()?;
        (among(&["wins", "won"], won) && among(&["by", "on", "in", "after"], first)).then_some(&value[..at])
    })
}

/// How much better somebody is.
const DEGREES: &[&str] = &[
    "is",
    "much",
    "far",
    "clearly",
    "definitely",
    "significantly",
    "slight",
    "slightly",
    "somewhat",
    "moderately",
    "marginally",
    "strong",
    "strongly",
    "bit",
    "little",
    "lot",
];

fn among(words: &[&str], word: &str) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Who is better, by a value such as `A is slightly better`, `Response 1 much better`, `strongly prefer B` or `A
/// preferred`.
pub(super) fn who_is_better(value: &str) -> Option<&str> {
    let value = value.trim_end_matches('.');
    // What stands in front says how much, or who says so.
    let mut rest = value;
    while let Some((word, behind)) = rest.split_once(' ') {
        if among(&["prefer", "prefers", "preferred", "preference"], word) {
            return Some(behind.strip_prefix("for ").unwrap_or(behind));
        }
        if !among(DEGREES, word) && !among(&["i"], word) {
            break;
        }
        rest = behind;
    }
    let (mut side, last) = value.rsplit_once(' ')?;
    among(&["better", "preferred"], last).then_some(())?;
    // `A` is a side in `A is better`, and the article in `a bit better`.
    let mut article = false;
    while let Some((before, word)) = side.rsplit_once(' ') {
        let degree = among(DEGREES, word) || (article && among(&["a"], word));
        if !degree {
            break;
        }
        article = among(&["bit", "little", "lot"], word);
        side = before;
    }
    Some(side)
}

/// The letter or word of a result in front of how it came about: `W` of `W 3-1`, `W (OT)` and `W KO`.
pub(super) fn won_how(value: &str) -> Option<&str> {
    let (first, _) = value.split_once([' ', ',', '('])?;
    let known = [WON, LOST, &["d", "t", "draw", "tie"][..]];
    known.iter().any(|words| words.iter().any(|word| same(word, first))).then_some(first)
}

/// What stands in the middle of a name, up to the only word in which it differs from the other's: `response_1` and `1`
/// of `metadata_response_1_model`.
pub(super) fn up_to_the_difference(column: &str, other: &str) -> Vec<String> {
    let (own, others): (Vec<&str>, Vec<&str>) = (column.split('_').collect(), other.split('_').collect());
    let differing: Vec<usize> = (0..own.len().min(others.len())).filter(|&at| own[at] != others[at]).collect();
    match differing.as_slice() {
        &[at] if own.len() == others.len() && at + 1 < own.len() => {
            (0..=at).map(|from| own[from..=at].join("_")).collect()
        }
        _ => Vec::new(),
    }
}

/// The first letter of a name with its number: `p1` of `player1` and `player_1`.
pub(super) fn initial(column: &str) -> Option<String> {
    let name = column.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &column[name.len()..];
    let letter = name.chars().next().filter(|c| c.is_alphabetic() && name.trim_end_matches('_').chars().count() > 1)?;
    (!number.is_empty()).then(|| format!("{letter}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_lead_to_a_side() {
        for (value, side) in [
            ("A is better", "A"),
            ("A is slightly better.", "A"),
            ("Response A is better", "Response A"),
            ("A is a bit better", "A"),
            ("model_b much better", "model_b"),
            ("Strongly prefer A", "A"),
            ("I prefer option B", "option B"),
            ("Slight preference for A.", "A"),
            ("A strongly preferred", "A"),
        ] {
            assert_eq!(who_is_better(value), Some(side), "{value}");
        }
        for value in ["better", "A is worse", "A", "best", "strong preference", "no preference"] {
            assert_eq!(who_is_better(value), None, "{value}");
        }
        assert_eq!((who_won("Home win"), who_won("win A"), who_won("A")), (Some("Home"), Some("A"), None));
        assert_eq!(
            (who_won_how("Black wins by 3.5 points"), who_won_how("White won on time"), who_won_how("A wins big")),
            (Some("Black"), Some("White"), None)
        );
        assert_eq!((won_how("W 3-1"), won_how("L (OT)"), won_how("D, agreed")), (Some("W"), Some("L"), Some("D")));
        assert_eq!((won_how("Walter 3"), won_how("W")), (None, None));
        assert_eq!(
            up_to_the_difference("data_response_1_model", "data_response_2_model"),
            ["data_response_1", "response_1", "1"]
        );
        assert!(up_to_the_difference("model_a", "model_b").is_empty());
        assert_eq!(
            (initial("player_1"), initial("team12"), initial("p1"), initial("a")),
            (Some("p1".into()), Some("t12".into()), None, None)
        );
    }
}
