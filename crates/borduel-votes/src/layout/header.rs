//! Columns that are known by their names.

use super::twins::{difference, tells_the_loser, words};
use super::{Columns, Shape, list};
use crate::error::{Error, Result};
use crate::sample::Sample;
use crate::table::normal;

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
    "listener",
    "observer",
    "student",
    "expert",
    "panelist",
    "grader",
    "labeler",
    "labeller",
    "taster",
    "tester",
    "ranker",
    "juge",
    "teilnehmer",
    "participante",
    "回答者",
    "respid",
    "panellist",
    "juror",
    "subj",
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
    "ftr",
    "better",
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
const LATE_PAIRS: &[(&str, &str)] =
    &[("a", "b"), ("i", "j"), ("x", "y"), ("first", "second"), ("home", "away"), ("white", "black")];
const WINNER_LOSER: &[(&str, &str)] = &[
    ("winner", "loser"),
    ("winner", "runner_up"),
    ("champion", "runner_up"),
    ("winner_name", "loser_name"),
    ("winner_id", "loser_id"),
    ("winning", "losing"),
    ("chosen_model", "rejected_model"),
    ("chosen", "rejected"),
    ("better", "worse"),
    ("preferred", "dispreferred"),
    ("chosen", "not_chosen"),
    ("selected", "not_selected"),
    ("preferred", "not_preferred"),
    ("won", "lost"),
];
const TIES: &[&str] =
    &["ties", "draws", "n_ties", "num_ties", "n_draws", "wins_tie", "tie_count", "draw_count", "t_ij"];
const DRAWS: &[&str] = &[
    "draw",
    "tie",
    "tied",
    "drawn",
    "is_draw",
    "is_tie",
    "isdraw",
    "istie",
    "was_draw",
    "was_tie",
    "draw?",
    "tie?",
    "equal",
    "is_equal",
    "no_preference",
];
const TASKS: &[&str] = &[
    "task",
    "task_id",
    "choice_set",
    "choiceset",
    "cset",
    "scenario",
    "question",
    "question_id",
    "set",
    "set_id",
    "chid",
    "ques",
    "testidx",
    "test_idx",
    "trial",
];
/// What items are compared on, and what several of them are called. The earlier ones go first.
const CONTEXTS: &[(&str, &str)] = &[
    ("prompt", "prompts"),
    ("question", "questions"),
    ("context", "contexts"),
    ("scene", "scenes"),
    ("task", "tasks"),
    ("query", "queries"),
    ("topic", "topics"),
    ("document", "documents"),
    ("image", "images"),
    ("case", "cases"),
    ("instance", "instances"),
    ("turn", "turns"),
];
/// How a column that holds their names may end.
const NAMES: &[&str] = &["", "_id", "_name", "_hash", "id"];
const TOTALS: &[&str] = &["total", "plays", "n", "games", "trials", "comparisons", "count"];
/// What comes after two words that tell columns apart.
const SERIES: &[[&str; 3]] =
    &[["a", "b", "c"], ["x", "y", "z"], ["i", "j", "k"], ["first", "second", "third"], ["one", "two", "three"]];
/// Columns beside a winner and a loser that may say that there was none.
const REMARKS: &[&str] =
    &["result", "outcome", "status", "victory_status", "decision", "verdict", "method", "type", "win_type", "how"];

/// A header that can be asked for columns.
pub(crate) struct Header<'a> {
    pub(crate) file: &'a str,
    pub(crate) columns: &'a [String],
    /// The names without regard to case and punctuation.
    pub(crate) names: Vec<String>,
    /// The names' words.
    pub(crate) words: Vec<Vec<String>>,
}

impl<'a> Header<'a> {
    pub(crate) fn new(file: &'a str, columns: &'a [String]) -> Self {
        let names = columns.iter().map(|name| normal(name)).collect();
        Self { file, columns, names, words: columns.iter().map(|name| words(name)).collect() }
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Whether some name begins like this, which is quicker to see than what it is.
    fn any_begins(&self, stem: &str) -> bool {
        self.names.iter().any(|name| name.starts_with(stem))
    }

    pub(crate) fn any(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.find(name))
    }

    /// Two columns by their names, if they are two.
    fn pair(&self, pair: (&str, &str)) -> Option<(usize, usize)> {
        Some((self.find(pair.0)?, self.find(pair.1)?)).filter(|(first, second)| first != second)
    }

    fn pairs(&self, pairs: &[(&str, &str)]) -> Option<(usize, usize)> {
        pairs.iter().find_map(|&pair| self.pair(pair))
    }

    /// The two columns of items.
    pub(crate) fn items(&self) -> Option<(usize, usize)> {
        let stems = || {
            STEMS.iter().filter(|stem| self.any_begins(stem)).find_map(|stem| {
                SUFFIXES.iter().find_map(|(a, b)| self.pair((&format!("{stem}{a}"), &format!("{stem}{b}"))))
            })
        };
        self.pairs(BARE_PAIRS).or_else(stems).or_else(|| self.pairs(LATE_PAIRS))
    }

    /// Columns that come next to two by their names, as `c` does after `a` and `b`.
    pub(crate) fn next(&self, (left, right): (usize, usize)) -> Vec<usize> {
        let own = &self.words[left];
        let Some((a, b)) = difference(own, &self.words[right]) else { return Vec::new() };
        // A bare number is the place of a column that has no name.
        if own.len() == 1 && a.parse::<u64>().is_ok() {
            return Vec::new();
        }
        let numbers = a.parse::<u64>().ok().zip(b.parse::<u64>().ok()).filter(|(a, b)| a + 1 == *b);
        let next: Vec<String> = match numbers {
            Some((a, b)) => [a.checked_sub(1), b.checked_add(1)].into_iter().flatten().map(|n| n.to_string()).collect(),
            None => SERIES.iter().filter(|[x, y, _]| (*x, *y) == (a, b)).map(|[.., z]| (*z).to_owned()).collect(),
        };
        let follows = |words: &Vec<String>| {
            difference(own, words).is_some_and(|(before, after)| before == a && next.iter().any(|word| word == after))
        };
        (0..self.columns.len()).filter(|&column| column != right && follows(&self.words[column])).collect()
    }

    /// The columns of the winner and the loser.
    pub(crate) fn winner_loser(&self) -> Option<(usize, usize)> {
        self.pairs(WINNER_LOSER)
    }

    /// The column of the answer.
    pub(crate) fn answer(&self) -> Option<usize> {
        self.any(ANSWERS)
    }

    /// What would be right, in the logs of evaluation tools (Inspect, lm-eval), beside what a judge has answered.
    pub(crate) fn gold(&self) -> Option<usize> {
        let scored =
            |name: &str| name.starts_with("scores_") && (name.ends_with("_value") || name.ends_with("_answer"));
        let logged = |name: &String| name.starts_with("filtered_resps") || scored(name);
        self.find("target").filter(|_| self.names.iter().any(logged))
    }

    /// The column of the task, question or set of choices.
    pub(crate) fn task(&self) -> Option<usize> {
        self.any(TASKS)
    }

    pub(crate) fn weight(&self) -> Option<usize> {
        self.any(WEIGHTS)
    }

    pub(crate) fn count(&self) -> Option<usize> {
        self.any(COUNTS)
    }

    /// A column of the number of ties; a column of draws may be one.
    pub(crate) fn ties(&self) -> Option<usize> {
        self.any(TIES).or_else(|| self.any(DRAWS)).or_else(|| self.called_draws())
    }

    /// A column whose name speaks of nothing but draws and their number: `n_tie`, `number of draws`.
    fn called_draws(&self) -> Option<usize> {
        let draws = |word: &String| matches!(word.as_str(), "tie" | "ties" | "tied" | "draw" | "draws" | "drawn");
        let number = |word: &String| matches!(word.as_str(), "n" | "no" | "num" | "number" | "of" | "count" | "total");
        let speaks = |words: &Vec<String>| words.iter().any(draws) && words.iter().all(|w| draws(w) || number(w));
        self.words.iter().position(speaks)
    }

    /// A column that says of each vote whether it was a draw.
    pub(crate) fn draws(&self) -> Option<usize> {
        self.any(DRAWS).or_else(|| self.any(TIES)).or_else(|| self.called_draws())
    }

    /// The column of how many votes there were.
    pub(crate) fn total(&self) -> Option<usize> {
        self.any(&["total", "plays", "n", "n_total", "games", "trials", "comparisons"])
    }

    /// Columns that may say so in words.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = usize> {
        REMARKS.iter().filter_map(|name| self.find(name))
    }

    /// A column the user named, by its exact name, its normalised name, or its number.
    pub(crate) fn named(&self, flag: &str, name: &str) -> Result<usize> {
        let exact = self.columns.iter().position(|c| c == name);
        let number = || name.parse::<usize>().ok().filter(|n| (1..=self.columns.len()).contains(n)).map(|n| n - 1);
        exact.or_else(|| self.find(&normal(name))).or_else(number).ok_or_else(|| {
            let name = crate::error::shortened(name);
            Error::file(
                self.file,
                format!("{flag} {name}: there is no such column; the columns are {}", list(self.columns)),
            )
        })
    }

    /// What is said of the columns, with this one as the answer: what won, or what lost by its name.
    pub(crate) fn as_answer(&self, answer: usize, given: &Columns) -> Columns {
        let (called, given) = (Some(self.called(answer)), given.clone());
        if tells_the_loser(&self.words[answer]) {
            Columns { loser: called, winner: None, ..given }
        } else {
            Columns { winner: called, ..given }
        }
    }

    /// Whether there is a column of this name, as [`Header::named`] takes it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.named("", name).is_ok()
    }

    /// The column the user named, none if that was said, and otherwise the one that is found.
    pub(crate) fn given_or(
        &self,
        flag: &str,
        name: Option<&String>,
        found: impl FnOnce() -> Option<usize>,
    ) -> Result<Option<usize>> {
        match name {
            None => Ok(found()),
            Some(name) if name == "none" => Ok(None),
            Some(name) => self.named(flag, name).map(Some),
        }
    }

    /// The column of the voter: one called so, or one whose last words are, as in `INPUT:worker_id`.
    pub(crate) fn voter(&self) -> Option<usize> {
        let exact = VOTERS.iter().filter(|name| self.any_begins(name)).find_map(|name| {
            ["", "_id", "_name", "_hash"]
                .iter()
                .find_map(|end| self.find(&format!("{name}{end}")))
                .or_else(|| self.find(&format!("{name}id")))
        });
        let last = |words: &Vec<String>| match words.as_slice() {
            // `Participant Public ID`, as the tools of online studies call it.
            [name, whose, end] if end == "id" && ["public", "private", "unique"].contains(&whose.as_str()) => {
                VOTERS.contains(&name.as_str())
            }
            [.., name, end] if matches!(end.as_str(), "id" | "name" | "hash") => {
                // `resp` alone is rather a response.
                VOTERS.contains(&name.as_str()) || name == "resp"
            }
            // As Label Studio calls it.
            [.., completed, by] if completed == "completed" && by == "by" => true,
            [_, .., name] => VOTERS.contains(&name.as_str()),
            _ => false,
        };
        exact.or_else(|| self.words.iter().position(last))
    }

    /// The column of what items were compared on. One that has another value in every row is a number of the row, and
    /// tells nothing about what votes have in common.
    pub(crate) fn context(&self, sample: &Sample) -> Option<usize> {
        let comes_again = |&column: &usize| {
            let distinct = sample.distinct(column).len();
            distinct < 2 || distinct < sample.values(column).count()
        };
        CONTEXTS.iter().filter(|(stem, _)| self.any_begins(stem)).find_map(|(stem, _)| {
            let mut found = NAMES.iter().filter_map(|end| self.find(&format!("{stem}{end}")));
            found.find(comes_again)
        })
    }

    /// Whether a column is called as contexts are.
    pub(crate) fn is_called_context(&self, column: usize) -> bool {
        called_context(&self.names[column]).is_some()
    }

    /// The columns of counts of wins that go with two item columns: wins of the left, wins of the right or the total.
    pub(crate) fn counts(&self, left: usize, right: usize) -> Option<(usize, usize, bool)> {
        let (l, r) = (&self.names[left], &self.names[right]);
        let ends = |name: &str| name.rsplit_once('_').map_or(name.to_owned(), |(_, end)| end.to_owned());
        let (le, re) = (ends(l), ends(r));
        for (l, r) in [(l.as_str(), r.as_str()), (&le, &re), ("left", "right"), ("a", "b"), ("1", "2"), ("ij", "ji")] {
            for form in [
                "wins_@", "@_wins", "win_@", "@_win", "count_@", "@_count", "votes_@", "@_votes", "n_@", "wins@",
                "votes@", "count@", "win@", "n@", "w_@",
            ] {
                let fixed = form.trim_matches(['@', '_']);
                if !self.names.iter().any(|name| name.contains(fixed)) {
                    continue;
                }
                if let Some((l, r)) = self.pair((&form.replace('@', l), &form.replace('@', r))) {
                    return Some((l, r, false));
                }
            }
        }
        let wins = self.any(&["wins", "win", "won", "n_wins", "w"])?;
        if let Some(losses) = self.any(&["losses", "loss", "lost", "n_losses", "l"]) {
            return Some((wins, losses, false));
        }
        Some((wins, self.any(TOTALS)?, true))
    }

    pub(crate) fn one_hot(&self, left: usize, right: usize) -> Option<Shape> {
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

/// Whether a column of this name may say how many voters or votes a row stands for.
pub(crate) fn called_number(name: &str) -> bool {
    const NUMBERS: [&str; 10] = ["n", "num", "nb", "number", "votes", "voters", "ballots", "tally", "anzahl", "nombre"];
    NUMBERS.contains(&name)
}

/// What the contexts of a column of this name are, in the plural.
pub(crate) fn contexts_are(column: &str) -> &'static str {
    called_context(&normal(column)).unwrap_or("contexts")
}

fn called_context(name: &str) -> Option<&'static str> {
    let called = |stem: &str| name.strip_prefix(stem).is_some_and(|end| NAMES.contains(&end));
    CONTEXTS.iter().find(|(stem, _)| called(stem)).map(|(_, several)| *several)
}
