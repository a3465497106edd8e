//! The English of verdicts: one sentence a kind, wherever a verdict comes from.

use crate::text::{NameOf, names, percent};
use borduel::ranking::VerdictKind;
use borduel::sequential::Goal;

/// What a verdict says.
pub struct Statement<'a> {
    /// What kind of verdict it is.
    pub kind: VerdictKind,
    /// What was to be found.
    pub goal: Goal,
    /// All that may be best, the leader first; or the best k, or the whole order.
    pub winners: &'a [usize],
    /// How many items there are.
    pub items: usize,
    /// The leader's score, where it is to be told.
    pub score: Option<f64>,
    /// Scores closer than this count as equal.
    pub margin: f64,
    /// How sure it is, in words.
    pub sure: &'a str,
    /// What is still needed, in words that follow what was found; may be empty.
    pub more: &'a str,
    /// The number of voters, where they speak for nobody else.
    pub few_voters: Option<u32>,
    /// About what it speaks, such as ` on these 13 prompts`; may be empty.
    pub about: &'a str,
}

impl Statement<'_> {
    /// What comes out, in a few words for everybody: what [`Statement::text`] then explains.
    pub fn head(&self, name: NameOf<'_>) -> String {
        let list = |items: &[usize]| names(items, 5, name);
        let first = list(&self.winners[..self.winners.len().min(1)]);
        match (self.kind, self.goal) {
            (VerdictKind::NotEnough, _) => "No clear answer yet".to_owned(),
            (VerdictKind::Tie, _) => format!("Equally good: {}", list(self.winners)),
            (VerdictKind::ClearWinner, Goal::Winner) => format!("{first} wins"),
            (VerdictKind::GoodEnough, Goal::Winner) => format!("{first} can be chosen"),
            (_, Goal::Top(k)) => format!("The best {k}: {}", list(self.winners)),
            (_, _) => format!("The order: {}", list(self.winners)),
        }
    }

    /// The sentence. It begins with the kind: "Clear winner", "Good enough", "Tie at the top" or "Not enough votes".
    pub fn text(&self, name: NameOf<'_>) -> String {
        let Self { sure, more, about, .. } = self;
        let points = percent(self.margin);
        let list = |items: &[usize]| names(items, 5, name);
        let winners = list(self.winners);
        let (head, found) = match (self.kind, self.goal) {
            (VerdictKind::NotEnough, _) => {
                let (open, items) = (self.winners.len(), self.items);
                return format!(
                    "Not enough votes{about}: {open} of {items} items may still be best ({winners}){more}."
                );
            }
            (VerdictKind::ClearWinner, Goal::Winner) => {
                let score = self.score.map_or_else(String::new, |score| {
                    format!(", and beats a random one in {:.1} % of votes", 100.0 * score)
                });
                ("Clear winner", format!("{winners} is better than every other item{score}"))
            }
            (VerdictKind::ClearWinner, Goal::Top(k)) => {
                ("Clear winners", format!("the best {k} are {winners}, each better than everybody else"))
            }
            (VerdictKind::ClearWinner, _) => ("Clear order", winners),
            (VerdictKind::GoodEnough, Goal::Top(k)) => (
                "Good enough",
                format!(
                    "as the best {k} one may take {winners}; nobody else is better than one of them by more than \
                     {points} points"
                ),
            ),
            (VerdictKind::GoodEnough, Goal::All) => (
                "Good enough",
                format!("{winners}; nobody is better by more than {points} points than who stands before"),
            ),
            (VerdictKind::GoodEnough, _) => {
                let (chosen, others) = self.winners.split_at(self.winners.len().min(1));
                let also =
                    if others.is_empty() { String::new() } else { format!("; {} may be just as good", list(others)) };
                let chosen = list(chosen);
                ("Good enough", format!("{chosen} may be chosen, nobody is better by more than {points} points{also}"))
            }
            (VerdictKind::Tie, _) => ("Tie at the top", format!("{winners} differ by less than {points} points")),
        };
        let (by, whose) = match self.few_voters {
            None => (String::new(), ""),
            Some(1) => (" by one voter".to_owned(), " One voter speaks for nobody else."),
            Some(few) => (format!(" by {few} voters"), " So few voters speak for nobody else."),
        };
        format!("{head}{by}{about}: {found} ({sure}){more}.{whose}")
    }
}

/// The kind in a word or two, as it stands in tables and logs.
pub fn words(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::ClearWinner => "clear winner",
        VerdictKind::GoodEnough => "good enough",
        VerdictKind::Tie => "tie at the top",
        VerdictKind::NotEnough => "not enough votes",
    }
}

/// The class of a verdict in style sheets.
pub fn class(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::ClearWinner => "clear",
        VerdictKind::GoodEnough => "enough",
        VerdictKind::Tie => "tie",
        VerdictKind::NotEnough => "open",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sentence_a_kind() {
        let name = |i: usize| ["tea", "coffee", "mud"][i].to_owned();
        let said = |kind, winners: &[usize], few_voters| {
            let (goal, sure, more) = (Goal::Winner, "95 % confidence", "");
            Statement { kind, goal, winners, items: 3, score: None, margin: 0.02, sure, more, few_voters, about: "" }
                .text(&name)
        };
        let head = |kind, winners: &[usize]| {
            let (goal, sure, more, few_voters) = (Goal::Winner, "", "", None);
            Statement { kind, goal, winners, items: 3, score: None, margin: 0.02, sure, more, few_voters, about: "" }
                .head(&name)
        };
        assert_eq!(head(VerdictKind::ClearWinner, &[0]), "tea wins");
        assert_eq!(head(VerdictKind::GoodEnough, &[0, 1]), "tea can be chosen");
        assert_eq!(head(VerdictKind::Tie, &[0, 1]), "Equally good: tea, coffee");
        assert_eq!(head(VerdictKind::NotEnough, &[0, 1]), "No clear answer yet");
        for (text, expected) in [
            (
                said(VerdictKind::ClearWinner, &[0], None),
                "Clear winner: tea is better than every other item (95 % confidence).",
            ),
            (
                said(VerdictKind::GoodEnough, &[0, 1], None),
                "Good enough: tea may be chosen, nobody is better by more than 2 points; coffee may be just as good \
                 (95 % confidence).",
            ),
            (
                said(VerdictKind::GoodEnough, &[0], None),
                "Good enough: tea may be chosen, nobody is better by more than 2 points (95 % confidence).",
            ),
            (
                said(VerdictKind::Tie, &[0, 1], None),
                "Tie at the top: tea, coffee differ by less than 2 points (95 % confidence).",
            ),
            (
                said(VerdictKind::NotEnough, &[0, 1], Some(1)),
                "Not enough votes: 2 of 3 items may still be best (tea, coffee).",
            ),
            (
                said(VerdictKind::ClearWinner, &[0], Some(1)),
                "Clear winner by one voter: tea is better than every other item (95 % confidence). One voter speaks \
                 for nobody else.",
            ),
            (
                said(VerdictKind::Tie, &[0, 1], Some(2)),
                "Tie at the top by 2 voters: tea, coffee differ by less than 2 points (95 % confidence). So few \
                 voters speak for nobody else.",
            ),
        ] {
            assert_eq!(text, expected);
        }
    }
}
