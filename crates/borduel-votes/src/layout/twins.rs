//! Columns whose names differ in one word that has an opposite: `home_team` and `away_team`, `audio1` and `audio2`.

use super::languages;
use crate::outcome::{is_known_word, is_result, is_tie};
use crate::sample::{Sample, is_missing};
use crate::table::decimal;
use borduel_rank::ballots::Answer;
use std::collections::BTreeSet;

/// What two opposite words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opposite {
    /// The two sides of a screen.
    Sides,
    /// The winner and the loser.
    Outcome,
}

/// Opposite words of other languages are in [`super::languages`].
const SIDES: &[(&str, &str)] = &[
    ("left", "right"),
    ("a", "b"),
    ("1", "2"),
    ("first", "second"),
    ("home", "away"),
    ("home", "visitor"),
    ("home", "visiting"),
    ("home", "guest"),
    ("h", "a"),
    ("host", "guest"),
    ("white", "black"),
    ("red", "blue"),
    ("r", "b"),
    ("l", "r"),
    ("x", "y"),
    ("i", "j"),
    ("row", "col"),
    ("row", "column"),
    ("0", "1"),
    ("one", "two"),
    ("baseline", "candidate"),
    ("control", "treatment"),
    ("old", "new"),
];

/// How an opponent is called.
pub(crate) const OPPONENT: &[&str] = &["opponent", "opp"];
/// Those who have an opponent.
const OPPOSED: &[&str] =
    &["visitor", "team", "player", "boxer", "fighter", "wrestler", "athlete", "club", "school", "competitor", "name"];

const OUTCOMES: &[(&str, &str)] = &[
    ("winner", "loser"),
    ("winning", "losing"),
    ("win", "lose"),
    ("win", "loss"),
    ("win", "lost"),
    ("won", "lost"),
    ("w", "l"),
    ("chosen", "rejected"),
    ("better", "worse"),
    ("best", "worst"),
    ("preferred", "dispreferred"),
    ("preferred", "rejected"),
    ("preferred", "other"),
    ("selected", "rejected"),
    ("victor", "vanquished"),
    ("displacer", "displaced"),
    ("dominant", "subordinate"),
];

/// Words of what is not wanted, beside those of the losers above.
const UNWANTED: &[&str] = &["least", "eliminated", "inferior", "disliked"];
/// Words that turn the next one round.
const DENIED: &[&str] = &["not", "non", "least", "less"];

/// Whether the words of a name tell that a column names the item that lost: `loser`, `which_is_worse`,
/// `least preferred`, `not chosen`.
pub(crate) fn tells_the_loser(words: &[String]) -> bool {
    let known = || OUTCOMES.iter().chain(languages::OUTCOMES);
    // A letter, or `other`, tells so only beside its opposite.
    let lost = |word: &str| {
        UNWANTED.contains(&word) || (word.len() > 1 && word != "other" && known().any(|(_, loser)| *loser == word))
    };
    let won = words.iter().any(|word| known().any(|(winner, _)| winner == word));
    let denied = words.iter().any(|word| DENIED.contains(&word.as_str()));
    if won { denied } else { words.iter().any(|word| lost(word)) && !words.iter().any(|word| word == "not") }
}

/// Whether a name is that of a column of winners, or of losers.
pub(crate) fn won(words: &[String]) -> Option<bool> {
    let has = |known: [&str; 2]| words.iter().any(|word| known.contains(&word.as_str()));
    match (has(["winner", "winning"]), has(["loser", "losing"])) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}

/// Words with which others are run together in names that have no capitals: `hometeam`, `Gastmannschaft`.
const FRONT: &[&str] = &["home", "away", "visitor", "winner", "loser", "heim", "gast"];

/// The words of a name: parted at anything that is no letter or digit, where lower case turns to upper case, between
/// letters and digits, and behind the words with which others are run together.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let characters: Vec<char> = name.chars().collect();
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1);
        let turns = before.is_some_and(|b| {
            b.is_numeric() != c.is_numeric()
                || (b.is_lowercase() && c.is_uppercase())
                // The last capital of several belongs to what follows: WTeam, HTMLText.
                || (b.is_uppercase() && c.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
        });
        if turns || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().flat_map(parted).collect()
}

/// A word, or the two that are run together in it.
fn parted(word: String) -> Vec<String> {
    let rest = |front: &&str| word.strip_prefix(*front).is_some_and(|rest| rest.chars().count() > 2);
    match FRONT.iter().find(|front| rest(front)) {
        Some(front) => vec![(*front).to_owned(), word[front.len()..].to_owned()],
        None => vec![word],
    }
}

/// Whether two names are twins, the first on the left (or the winner).
pub(crate) fn twins(first: &[String], second: &[String]) -> Option<Opposite> {
    // A bare number is the place of a column that has no name.
    let bare = |words: &[String]| words.len() == 1 && words[0].parse::<u64>().is_ok();
    if bare(first) || bare(second) {
        return None;
    }
    let both = difference(first, second)?;
    let among = |pairs: &[(&str, &str)]| pairs.contains(&both);
    if among(SIDES) || among(languages::SIDES) || (OPPONENT.contains(&both.1) && OPPOSED.contains(&both.0)) {
        Some(Opposite::Sides)
    } else if among(OUTCOMES) || among(languages::OUTCOMES) {
        Some(Opposite::Outcome)
    } else {
        None
    }
}

/// Which of the two items a column is about, by words of its name that the one item's column has and the other's has
/// not: `b_wins` of
/// `a` and `b`. With `initials` its first word may also be a letter with which such a word begins: `bResult` of
/// `redTeam` and `blueTeam`.
pub(crate) fn side(left: &[String], right: &[String], column: &[String], initials: bool) -> Option<Answer> {
    let begins = |own: &[String], other: &[String], letter: &str| {
        own.iter().any(|word| !other.contains(word) && word.len() > 1 && word.starts_with(letter))
    };
    let letter = column.first().filter(|word| initials && word.chars().count() == 1 && column.len() > 1);
    let about = |own: &[String], other: &[String]| {
        own.iter().any(|word| !other.contains(word) && column.contains(word))
            || letter.is_some_and(|letter| begins(own, other, letter) && !begins(other, own, letter))
    };
    match (about(left, right), about(right, left)) {
        (true, false) => Some(Answer::Left),
        (false, true) => Some(Answer::Right),
        _ => None,
    }
}

/// The only words in which two names differ, if they differ in one.
pub(crate) fn difference<'w>(first: &'w [String], second: &'w [String]) -> Option<(&'w str, &'w str)> {
    let mut differing = first.iter().zip(second).filter(|(a, b)| a != b);
    let (a, b) = differing.next().filter(|_| first.len() == second.len())?;
    differing.next().is_none().then_some((a.as_str(), b.as_str()))
}

/// Words of columns that measure something, and so are no items although they may share values.
const MEASURES: &[&str] = &[
    "score", "scores", "goal", "goals", "points", "point", "pts", "runs", "win", "wins", "won", "votes", "vote",
    "count", "n", "rating", "elo", "rank", "seed", "age", "ht", "odds", "length", "tokens", "time", "year", "date",
    "round", "turn", "lat", "lon", "lng", "hand", "ioc", "country", "role", "language", "sets", "games", "prob", "p",
    "loss", "losses",
];

/// Whether a name is that of a measurement: `p` and `p_a` are, but `p1` is the first player.
pub(crate) fn is_measure(words: &[String]) -> bool {
    let player = |at: usize| words[at] == "p" && words.get(at + 1).is_some_and(|next| next.parse::<u64>().is_ok());
    let measured = |word: &str| MEASURES.contains(&word) || languages::POINTS.contains(&word);
    words.iter().enumerate().any(|(at, word)| measured(word) && !player(at))
}

/// How much two columns look like the two items of each row; `None` if they do not.
/// `distinct` are the values of each column.
pub(crate) fn likeness(
    sample: &Sample,
    names: &[Vec<String>],
    distinct: &[BTreeSet<&str>],
    (first, second): (usize, usize),
) -> Option<f64> {
    // Two columns of one name are those of two sides as well.
    let alike = (names[first] == names[second] && !names[first].is_empty()).then_some(Opposite::Sides);
    let twin = twins(&names[first], &names[second]).or(alike);
    let measures = |column: usize| is_measure(&names[column]);
    // An outcome word of the pair itself measures nothing: `win` and `lose`.
    if twin != Some(Opposite::Outcome) && (measures(first) || measures(second)) {
        return None;
    }
    let rows = sample.rows.len();
    let (a, b) = (&distinct[first], &distinct[second]);
    let common = a.intersection(b).count();
    // Columns that share no value are items only by their names.
    if common == 0 && twin.is_none() {
        return None;
    }
    let overlap = common as f64 / a.len().min(b.len()).max(1) as f64;
    let filled = sample.values(first).count().min(sample.values(second).count());
    let equal = sample.rows.iter().filter(|row| row[first] == row[second]).count();
    let all: BTreeSet<&str> = a.union(b).copied().collect();
    // Nearly all rows have two different items, items come again, and are on one side or the other by chance.
    let repeats = all.len() < 2 * rows || rows < 3;
    let plausible = all.len() > 1 && filled * 10 >= rows * 9 && equal * 20 <= rows && repeats;
    let repeated = || (0..names.len()).any(|c| c != first && c != second && repeats_items(sample, first, second, c));
    let related = if twin.is_some() { common > 0 || rows < 20 || repeated() } else { common > 1 && overlap >= 0.3 };
    if !plausible || !related || all.iter().all(|value| crate::sample::flag(value).is_some() || is_result(value)) {
        return None;
    }
    let is_number = |value: &&str| decimal(value).is_some();
    let whole = |value: &&str| value.parse::<i64>().is_ok();
    if all.iter().all(is_number) && !all.iter().all(whole) {
        return None;
    }
    let numbers = all.iter().all(is_number);
    // Numbers under names that say nothing are items only if some other column repeats them.
    if numbers && twin.is_none() && !repeated() {
        return None;
    }
    let text = f64::from(u8::from(!numbers));
    Some(f64::from(u8::from(twin.is_some())) * 4.0 + text * 2.0 + overlap)
}

/// Whether a column names one of the row's two items, or a tie, nearly everywhere.
pub(crate) fn repeats_items(sample: &Sample, left: usize, right: usize, column: usize) -> bool {
    let (mut items, mut other, mut rows, mut both) = (0, 0, 0, [false; 2]);
    for row in sample.rows.iter().filter(|row| !is_missing(&row[column])) {
        rows += 1;
        both[0] |= row[column] == row[left];
        both[1] |= row[column] == row[right];
        if row[column] == row[left] || row[column] == row[right] {
            items += 1;
        } else if !is_tie(&row[column]) && !is_known_word(&row[column]) {
            other += 1;
        }
    }
    // A column that always repeats the same side is a copy of it, unless there are too few rows to tell.
    rows > 0 && items * 2 > rows && other * 100 <= rows && (both == [true; 2] || rows < 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_words() {
        let is = |name: &str, expected: &[&str]| assert_eq!(words(name), expected, "{name}");
        is("home_team", &["home", "team"]);
        is("HomeTeam", &["home", "team"]);
        is("WTeamID", &["w", "team", "id"]);
        is("audio1", &["audio", "1"]);
        is("INPUT:image-left", &["input", "image", "left"]);
        is("home.wins", &["home", "wins"]);
        is("player1Name", &["player", "1", "name"]);
        is("hometeam", &["home", "team"]);
        is("Gastmannschaft", &["gast", "mannschaft"]);
        is("homes", &["homes"]);
        is("", &[]);
    }

    #[test]
    fn twins_differ_in_one_word_that_has_an_opposite() {
        let of = |a: &str, b: &str| twins(&words(a), &words(b));
        assert_eq!(of("home", "away"), Some(Opposite::Sides));
        assert_eq!(of("project_a", "project_b"), Some(Opposite::Sides));
        assert_eq!(of("WTeamID", "LTeamID"), Some(Opposite::Outcome));
        assert_eq!(of("winner_name", "loser_name"), Some(Opposite::Outcome));
        assert_eq!(of("boxer", "opponent"), Some(Opposite::Sides));
        assert_eq!(of("Heimmannschaft", "Gastmannschaft"), Some(Opposite::Sides));
        assert_eq!(of("Победитель", "Проигравший"), Some(Opposite::Outcome));
        for (a, b) in [("a", "c"), ("b", "a"), ("a_1", "b_2"), ("x", "x"), ("team", "team_2"), ("1", "2")] {
            assert_eq!(of(a, b), None, "{a} {b}");
        }
    }
}
